"""What is made of go's events; the real tool is driven in tests/runners."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from trueup.evidence.report import CheckStatus, SeenBy, Strength
from trueup.evidence.report import TestPlace as Place
from trueup.verify.go_source import go_tests, made_to_fail
from trueup.verify.runners.go_runner import GoRunner
from trueup.verify.runners.go_shim import Screen, Words, arguments
from trueup.verify.twin import make_twins

CALC = "example.com/calc"
PROJECT = {
    "go.mod": "module example.com/calc\n",
    "calc_test.go": 'package calc\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tt.Error("no")\n}\n\nfunc TestOk(t *testing.T) {}\n',
}


def _event(action: str, test: str = "", output: str = "", package: str = CALC) -> dict[str, str]:
    whole = {"Action": action, "Package": package, "Test": test, "Output": output}
    return {key: value for key, value in whole.items() if value}


def _ran(test: str, result: str, *logged: str, word: str = "") -> list[dict[str, str]]:
    return [
        _event("run", test),
        _event("output", test, f"=== RUN   {test}\n"),
        *(_event("output", test, line) for line in logged),
        _event("output", test, f"{word}--- {result}: {test} (0.00s)\n"),
        *([] if word else [_event(result.lower(), test)]),
    ]


def _ended(result: str) -> list[dict[str, str]]:
    said = {"pass": ["PASS\n", f"ok  \t{CALC}\t0.01s\n"], "fail": ["FAIL\n", f"FAIL\t{CALC}\t0.01s\n"]}[result]
    return [*(_event("output", output=text) for text in said), _event(result)]


FAILING = [*_ran("TestAdd", "FAIL", "    calc_test.go:6: no\n"), *_ran("TestOk", "PASS"), *_ended("fail")]
PASSING = [*_ran("TestAdd", "PASS"), *_ran("TestOk", "PASS", "    calc_test.go:9: quiet\n"), *_ended("pass")]


@pytest.fixture
def go(lab: Any) -> Any:
    """`go(events, code)`: the result of `go test ./...` with a program `go` that prints these events."""
    home = lab.base / "bin"
    home.mkdir()

    def run(events: list[Any], code: int, command: str = "go test ./...", **more: Any) -> Any:
        said = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in events)
        (home / "said").write_text(said)
        (home / "go").write_text(f'#!/bin/sh\necho "$@" > {home}/asked\ncat {home}/said\nexit {code}\n')
        (home / "go").chmod(stat.S_IRWXU)
        env = {**lab.env, "PATH": os.pathsep.join((str(home), lab.env["PATH"]))}
        result = lab.check(more.pop("files", PROJECT), command, env=env, **more)
        run.asked = (home / "asked").read_text().split()  # type: ignore[attr-defined]
        run.said = (lab.base / "logs" / result.log).read_text()  # type: ignore[attr-defined]
        return result

    return run


def test_events_become_an_inventory_and_the_user_sees_plain_text(go: Any) -> None:
    result = go(FAILING, 1)
    assert (result.status, result.strength, result.seen_by) == (
        CheckStatus.FAILED,
        Strength.INVENTORY,
        SeenBy.STRUCTURE,
    )
    assert result.passed == (f"{CALC}.TestOk",)
    (failure,) = result.failures
    assert (failure.subject, failure.message, failure.line) == (f"{CALC}.TestAdd", "no", 6)
    assert (failure.source_line, failure.test) == ('t.Error("no")', True)
    assert go.said == f"--- FAIL: TestAdd (0.00s)\n    calc_test.go:6: no\nFAIL\nFAIL\t{CALC}\t0.01s\nFAIL\n"
    assert go.asked == ["test", "-json", "-count=1", "./..."]
    assert [(p.id, p.file, p.line) for p in result.places] == [
        (f"{CALC}.TestAdd", "calc_test.go", 5),
        (f"{CALC}.TestOk", "calc_test.go", 9),
    ]


def test_a_pass_shows_one_line_for_each_package(go: Any) -> None:
    result = go(PASSING, 0)
    assert (result.status, len(result.passed)) == (CheckStatus.PASSED, 2)
    assert go.said == f"ok  \t{CALC}\t0.01s\n"


def test_with_v_everything_is_shown(go: Any) -> None:
    go(PASSING, 0, "go test -v ./...")
    assert go.said == "".join(event.get("Output", "") for event in PASSING)


def test_a_failure_counts_although_the_exit_code_is_lost(go: Any) -> None:
    result = go(FAILING, 1, "go test ./... | tail -n 1")
    assert (result.exit_code, result.status) == (0, CheckStatus.FAILED)
    assert [f.source_line for f in result.failures] == ['t.Error("no")']


def test_a_result_behind_text_without_a_line_end_is_seen(go: Any) -> None:
    result = go([*_ran("TestAdd", "PASS", word="loud"), *_ran("TestOk", "PASS"), *_ended("pass")], 0)
    assert (result.status, len(result.passed)) == (CheckStatus.PASSED, 2)


def test_a_program_that_just_ends_has_not_passed(go: Any) -> None:
    ends = [_event("output", output=f"ok  \t{CALC}\t0.01s\n"), _event("pass")]
    in_the_middle = go([_event("run", "TestAdd"), _event("pass", "TestAdd"), *ends], 0)
    assert (in_the_middle.status, in_the_middle.passed) == (CheckStatus.FAILED, ())
    assert [(f.subject, f.kind) for f in in_the_middle.failures] == [(f"{CALC}.TestAdd", "crash")]
    between = go([*_ran("TestAdd", "PASS"), *ends], 0)
    assert [(f.subject, f.kind, f.test) for f in between.failures] == [(CALC, "crash", False)]


def test_a_package_that_fails_without_a_failing_test_is_a_failure_of_its_own(go: Any) -> None:
    result = go([_event("output", output="exit status 3\n"), *_ended("fail")], 1)
    assert [(f.subject, f.phase.value, f.message) for f in result.failures] == [(CALC, "collect", "exit status 3")]


def test_a_build_error_is_the_compilers_own_word(go: Any) -> None:
    plain = [f"# {CALC}", "./calc_test.go:6:2: undefined: nowhere", f"FAIL\t{CALC} [build failed]"]
    result = go(plain, 2)
    assert [(f.phase.value, f.file, f.message) for f in result.failures] == [
        ("build", "calc_test.go", "undefined: nowhere")
    ]
    told = [
        {"ImportPath": CALC, "Action": "build-output", "Output": f"# {CALC}\n"},
        {"ImportPath": CALC, "Action": "build-output", "Output": "./calc_test.go:6:2: undefined: nowhere\n"},
        {"ImportPath": CALC, "Action": "build-fail"},
        _event("output", output=f"FAIL\t{CALC} [build failed]\n"),
        _event("fail"),
    ]
    newer = go(told, 1)
    assert [(f.phase.value, f.file) for f in newer.failures] == [("build", "calc_test.go")]
    assert "undefined: nowhere" in go.said


def test_only_a_part_that_failed_is_named_and_repeated(go: Any) -> None:
    events = [
        _event("run", "TestAdd"),
        *_ran("TestAdd/one two", "FAIL", "    calc_test.go:6: bad\n"),
        *_ran("TestAdd", "FAIL")[1:],
        *_ended("fail"),
    ]
    result = go(events, 1)
    (failure,) = result.failures
    assert failure.subject == f"{CALC}.TestAdd/one two"
    assert failure.repro == rf"go test -run '^TestAdd$/^one\ two$' {CALC}"
    assert [p.id for p in result.places] == [f"{CALC}.TestAdd"]


def test_no_tests_and_half_a_report_are_no_pass(go: Any) -> None:
    empty = go([_event("output", output=f"?   \t{CALC}\t[no test files]\n"), _event("skip")], 0)
    assert (empty.status, empty.reason) == (CheckStatus.ERROR, "no tests were collected")
    assert go.said == f"?   \t{CALC}\t[no test files]\n"
    nonsense = go(["{not json", '{"Action": 5}', "plain"], 0)
    assert nonsense.status is CheckStatus.ERROR


@pytest.mark.parametrize("command", ["go vet ./...", "go test -c", "go test -list ."])
def test_other_commands_are_handed_on_as_they_are(go: Any, command: str) -> None:
    result = go(["hello"], 0, command)
    assert (go.asked, go.said) == (command.split()[1:], "hello\n")
    assert result.inventory is None


@pytest.mark.parametrize("command", ["make check", "sh run.sh", "npm run check"])
def test_behind_recipes_and_scripts_go_is_seen_where_they_can_be_read(go: Any, lab: Any, command: str) -> None:
    (lab.base / "bin").mkdir(exist_ok=True)
    (lab.base / "bin" / "npm").write_text("#!/bin/sh\nexec go test ./...\n")
    (lab.base / "bin" / "npm").chmod(stat.S_IRWXU)
    written = {
        "Makefile": "check:\n\tgo test ./...\n",
        "run.sh": "go test ./...\n",
        "package.json": '{"scripts": {"check": "go test ./..."}}',
    }
    result = go(PASSING, 0, command, files={**PROJECT, **written})
    assert go.asked == ["test", "-json", "-count=1", "./..."]
    assert (result.seen_by, result.tool, len(result.passed)) == (SeenBy.STRUCTURE, "go", 2)
    assert result.selects


def test_behind_a_script_that_does_not_show_it_go_is_not_replaced(go: Any) -> None:
    result = go([f"ok  \t{CALC}\t0.01s"], 0, "sh run.sh", files={**PROJECT, "run.sh": "word=test; go $word ./..."})
    assert go.asked == ["test", "./..."]
    assert (result.seen_by, result.tool, result.inventory) == (SeenBy.TEXT, "go", None)


def test_selected_tests_new_files_and_failfast_reach_go(go: Any, lab: Any) -> None:
    ids = (f"{CALC}.TestAdd/one two", f"{CALC}.TestOk")
    go(PASSING, 0, "go test -failfast ./... -args x", select={"tests": ids}, ignore=("new_test.go",), keep_going=True)
    assert go.asked[:3] == ["test", "-json", "-count=1"]
    assert go.asked[3].startswith("-overlay=")
    assert go.asked[4:] == ["./...", "-run=^(TestAdd|TestOk)$", "-args", "x"]


def test_ids_of_another_tool_select_nothing(go: Any) -> None:
    go(PASSING, 0, select={"tests": ("tests/test_a.py::test_b",)})
    assert go.asked == ["test", "-json", "-count=1", "./..."]


def test_remembered_results_are_forgotten_before_each_check(go: Any, lab: Any) -> None:
    cache = lab.base / "xdg" / "go-build"
    cache.mkdir(parents=True)
    path = os.pathsep.join((str(lab.base / "bin"), lab.env["PATH"]))
    lab.check(PROJECT, "true", env={**lab.env, "PATH": path, "XDG_CACHE_HOME": str(cache.parent)})
    assert int((cache / "testexpire.txt").read_text()) > 1_700_000_000_000_000_000


@pytest.mark.parametrize(
    ("argv", "recognised"),
    [
        (("go", "test", "./..."), True),
        (("/usr/local/go/bin/go", "test"), True),
        (("env", "CGO_ENABLED=0", "go", "test"), True),
        (("go", "-C", "sub", "test"), True),
        (("go", "build"), False),
        (("make", "go", "test"), False),
        ((), False),
    ],
)
def test_only_go_test_is_recognised(argv: tuple[str, ...], recognised: bool) -> None:
    assert GoRunner().recognises(argv) is recognised


def test_what_cannot_be_selected_is_run_whole() -> None:
    assert GoRunner().select(("go", "test"), (f"{CALC}.TestAdd",)) == ("go", "test")
    assert GoRunner().select(("go", "test"), ("tests/test_a.py::test_b",)) is None
    assert GoRunner().select(("/usr/local/go/bin/go", "test"), (f"{CALC}.TestAdd",)) is None


def test_flags_with_values_are_no_packages() -> None:
    words = Words(["-run", "X", "-v", "-timeout=5s", "./a", "-count", "2", "-args", "./b"])
    assert words.packages == ["./a"]
    assert words.has("v")
    assert not words.has("race")
    told = {"overlay": "", "names": [], "keep_going": False}
    assert arguments(words, ["-count", "2"], told) == ["-json", "-count", "2"]


def test_what_was_under_way_is_shown_when_the_end_comes() -> None:
    said: list[bytes] = []
    screen = Screen(Words(["./..."]), lambda _, content: said.append(content))
    for event in (_event("run", "TestAdd"), _event("output", "TestAdd", "waiting\n")):
        screen.show(json.dumps(event).encode())
    screen.close()
    assert b"".join(said) == b"waiting\n"


# --- the source ------------------------------------------------------------------------------------------------

TRICKY = """
package calc

// func TestComment(t *testing.T) {
/* func TestBlock(t *testing.T) {
*/

const text = `func TestRaw(t *testing.T) {`
const other = "func TestText(t *testing.T) { \\" }"
const brace = '{'

func TestOne(t *testing.T) { t.Log("}") }

func TestTwo(
	tt *testing.T,
) {
}

func (s *Suite) TestMethod(t *testing.T) {}

func TestNoName(_ *testing.T) {}

func helper(t *testing.T) {}

func BenchmarkIt(b *testing.B) {}

func Outer() {
	inner := func(t *testing.T) {}
	_ = inner
}

func TestLast /* here */ (t *testing.T) // there
{
}
"""


def test_only_real_test_functions_are_found() -> None:
    assert [(f.name, f.variable, f.line) for f in go_tests(TRICKY)] == [("TestOne", "t", 12), ("TestLast", "t", 32)]


def test_a_test_is_made_to_fail_on_its_own_line() -> None:
    changed, made = made_to_fail(TRICKY, frozenset({"TestOne", "TestMissing"}), "abc")
    assert made == {"TestOne"}
    assert 'func TestOne(t *testing.T) { defer t.Error("abc");  t.Log("}") }' in changed
    assert changed.count("\n") == TRICKY.count("\n")


@pytest.mark.parametrize("source", ["", "not go", "func", "func TestA(t *testing.T", "`", "'", '"', "/*", "}}}{{{"])
def test_what_is_no_go_has_no_tests(source: str) -> None:
    assert list(go_tests(source)) == []


class _Folder:
    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.exists() else None

    def rewrite(self, path: str, content: bytes) -> None:
        (self.root / path).write_bytes(content)


def test_twins_of_go_tests_are_made_like_those_of_python(tmp_path: Path) -> None:
    (tmp_path / "a_test.go").write_text(TRICKY)
    (tmp_path / "b_test.go").write_bytes(b"package b\n// \xff\n")
    places = [
        Place(id="x.TestOne", file="a_test.go", line=12, name="TestOne"),
        Place(id="x.TestNoName", file="a_test.go", line=21, name="TestNoName"),
        Place(id="x.TestB", file="b_test.go", line=1, name="TestB"),
        Place(id="x.TestC", file="missing_test.go", line=1, name="TestC"),
    ]
    made, not_possible = make_twins(_Folder(tmp_path), places, "abc")
    assert (made, not_possible) == (("x.TestOne",), ("x.TestNoName", "x.TestB", "x.TestC"))
    assert 'defer t.Error("abc")' in (tmp_path / "a_test.go").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a_test.go", "b_test.go"]


# --- packages in folders, parts with a slash, `-json` ------------------------------------------------------------------


def _in(package: str, events: list[dict[str, str]]) -> list[dict[str, str]]:
    return [json.loads(json.dumps(event).replace(CALC, f"{CALC}/{package}")) for event in events]


def test_a_failure_in_the_package_of_a_folder_is_placed_in_that_folder(go: Any) -> None:
    files = {**PROJECT, "deep/er/calc_test.go": PROJECT["calc_test.go"].replace('"no"', '"deep"')}
    (failure,) = go(_in("deep/er", FAILING), 1, files=files).failures
    assert (failure.file, failure.line) == ("deep/er/calc_test.go", 6)
    assert failure.source_line == 't.Error("deep")'


def test_a_file_that_is_not_in_the_folder_of_its_package_keeps_its_name(go: Any) -> None:
    (failure,) = go(_in("gone", FAILING), 1, files={"go.mod": PROJECT["go.mod"]}).failures
    assert (failure.file, failure.source_line) == ("calc_test.go", None)


def test_a_part_with_a_slash_in_its_name_is_the_only_failure(go: Any) -> None:
    events = [
        _event("run", "TestAdd"),
        _event("run", "TestAdd/a/b"),
        _event("output", "TestAdd/a/b", "    calc_test.go:6: no\n"),
        _event("output", "TestAdd/a/b", "    --- FAIL: TestAdd/a/b (0.00s)\n"),
        _event("fail", "TestAdd/a/b"),
        _event("output", "TestAdd", "--- FAIL: TestAdd (0.00s)\n"),
        _event("fail", "TestAdd"),
        *_ended("fail"),
    ]
    assert [f.subject for f in go(events, 1).failures] == [f"{CALC}.TestAdd/a/b"]


def test_who_asks_for_events_gets_them_and_the_tests_are_seen_all_the_same(go: Any) -> None:
    result = go(FAILING, 1, "go test -json ./...")
    assert (result.seen_by, result.passed) == (SeenBy.STRUCTURE, (f"{CALC}.TestOk",))
    assert [json.loads(line) for line in go.said.splitlines()] == FAILING
