"""Compilers and linters are asked for structure beside what the user sees; more real tools in tests/runners."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from trueup.act.commands import commands_behind
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckStatus, SeenBy
from trueup.evidence.text import failures_from_text
from trueup.verify.runners.base import RunContext
from trueup.verify.runners.diagnostics_again import question
from trueup.verify.runners.diagnostics_runner import DiagnosticsRunner
from trueup.verify.runners.diagnostics_tools import TOOLS

RUFF = "ruff check --isolated --no-cache ."
UNUSED = {"a.py": "import os\n"}
needs_gcc = pytest.mark.skipif(shutil.which("gcc", path="/usr/bin:/bin") is None, reason="gcc is not installed")


def _prints(failures: Any) -> Counter[str]:
    return Counter(fingerprint(f) for f in failures)


def _output(lab: Any) -> str:
    return max((lab.base / "logs").iterdir(), key=lambda p: p.stat().st_mtime_ns).read_text()  # type: ignore[no-any-return]


def _by_text(lab: Any) -> Any:
    return failures_from_text("tests", _output(lab), exit_code=1, sources=lab.sources)


@pytest.fixture
def fake(lab: Any) -> Any:
    """`fake("ruff", text, answer)`: a program that prints the text, or the answer when it is asked for JSON."""
    home = lab.base / "bin"
    home.mkdir()

    def make(name: str, text: str, answer: str, *, code: int = 1, again: int | None = None, more: str = "") -> Any:
        (home / "text").write_text(text)
        (home / "answer").write_text(answer)
        script = (
            f'#!/bin/sh\necho "$@" >> {home}/asked\n{more}\ncase "$*" in\n'
            f"  *json*) cat {home}/answer; exit {code if again is None else again} ;;\n"
            f"esac\ncat {home}/text\nexit {code}\n"
        )
        (home / name).write_text(script)
        (home / name).chmod(stat.S_IRWXU)
        return {**lab.env, "PATH": os.pathsep.join((str(home), lab.env["PATH"]))}

    make.asked = lambda: (home / "asked").read_text().splitlines()  # type: ignore[attr-defined]
    return make


def _answer(*places: tuple[str, int, str]) -> str:
    return json.dumps(
        [
            {"filename": path, "location": {"row": row, "column": 1}, "code": code, "message": f"about {code}"}
            for path, row, code in places
        ]
    )


def test_ruff_is_asked_again_and_the_user_sees_its_usual_text(lab: Any) -> None:
    result = lab.check(UNUSED, RUFF)
    assert (result.status, result.seen_by, result.exit_code) == (CheckStatus.FAILED, SeenBy.STRUCTURE, 1)
    (failure,) = result.failures
    assert (failure.subject, failure.kind, failure.file, failure.line) == ("a.py F401", "F401", "a.py", 1)
    assert (failure.source_line, failure.repro) == ("import os", "ruff check --select F401 a.py")
    assert " --> a.py:1:8" in _output(lab)
    assert _prints(result.failures) == _prints(_by_text(lab))


def test_what_ruff_cannot_parse_is_the_same_either_way(lab: Any) -> None:
    result = lab.check({"a.py": "x = (\n"}, RUFF)
    assert result.seen_by is SeenBy.STRUCTURE
    assert _prints(result.failures) == _prints(_by_text(lab))


def test_what_ruff_likes_passes(lab: Any) -> None:
    result = lab.check({"a.py": "x = 1\n"}, RUFF)
    assert (result.status, result.failures) == (CheckStatus.PASSED, ())


def test_mypy_behind_make_counts_each_error(lab: Any) -> None:
    files = {"a.py": "x: int = ''\ny: int = ''\n", "Makefile": "types:\n\tmypy --cache-dir=../types a.py\n"}
    result = lab.check(files, "make types")
    assert result.seen_by is SeenBy.STRUCTURE
    assert [(f.subject, f.line) for f in result.failures] == [("a.py assignment", 1), ("a.py assignment", 2)]
    assert _prints(result.failures) == _prints(_by_text(lab))


@needs_gcc
def test_gcc_names_the_rule_and_the_line(lab: Any) -> None:
    result = lab.check(
        {"a.c": "int f(void) { int b; return 1; }\nint g(void) { return 1 }\n"}, "gcc -Wall -Werror -fsyntax-only a.c"
    )
    assert result.seen_by is SeenBy.STRUCTURE
    assert sorted((f.subject, f.kind, f.phase.value) for f in result.failures) == [
        ("a.c", "error", "build"),
        ("a.c -Werror=unused-variable", "-Werror=unused-variable", "build"),
    ]
    assert _prints(result.failures) == _prints(_by_text(lab))


def test_a_pipe_a_redirection_and_a_substitution_read_the_usual_text(lab: Any) -> None:
    command = f'{RUFF} > ../one.txt; {RUFF} | cat > ../two.txt; said=$({RUFF}); echo "$said" > ../three.txt; exit 1'
    result = lab.check(UNUSED, command)
    texts = {(lab.bench.folder.parent / f"{name}.txt").read_text() for name in ("one", "two", "three")}
    assert len(texts) == 1
    assert " --> a.py:1:8" in texts.pop()
    assert [f.kind for f in result.failures] == ["F401"]


def test_a_complaint_that_the_command_does_not_mind_is_no_failure(lab: Any) -> None:
    assert lab.check(UNUSED, f"{RUFF} || true").status is CheckStatus.PASSED


def test_exit_code_and_signal_are_those_of_the_tool(lab: Any, fake: Any) -> None:
    for code in (2, 3, 77):
        assert lab.check(UNUSED, "ruff check", env=fake("ruff", "", "", code=code)).exit_code == code
    killed = lab.check(UNUSED, "ruff check", env=fake("ruff", "", "", more="kill -9 $$"))
    assert killed.exit_code == -9


def test_standard_input_reaches_the_tool_once(lab: Any, fake: Any) -> None:
    env = fake("ruff", "", _answer(("a.py", 1, "X1")), more="cat")
    result = lab.check(UNUSED, "echo a.py:1:1: X1 words | ruff check", env=env)
    assert _output(lab) == "a.py:1:1: X1 words\n"
    assert result.seen_by is SeenBy.STRUCTURE


@pytest.mark.parametrize(
    "words",
    ["check --fix", "check --output-format=github", "check -o x", "check -", "format", "--version", "rule F401"],
)
def test_a_tool_that_does_something_else_is_left_alone(lab: Any, fake: Any, words: str) -> None:
    result = lab.check(UNUSED, f"ruff {words}", env=fake("ruff", "a.py:1:1: X1 no\n", _answer(("a.py", 1, "X2"))))
    assert fake.asked() == [words]
    assert ([f.kind for f in result.failures], result.seen_by) == (["X1"], SeenBy.TEXT)


@pytest.mark.parametrize(
    "answer",
    ["", "unknown option", "[{]", '{"a": 1}', '[{"filename": 3}]', "[[1]]", "null", "[" * 100_000],
)
def test_an_answer_that_cannot_be_read_leaves_the_text(lab: Any, fake: Any, answer: str) -> None:
    result = lab.check(UNUSED, "ruff check", env=fake("ruff", "a.py:1:1: X1 no\n", answer))
    assert ([f.kind for f in result.failures], result.seen_by) == (["X1"], SeenBy.TEXT)


def test_another_exit_code_the_second_time_leaves_the_text(lab: Any, fake: Any) -> None:
    env = fake("ruff", "a.py:1:1: X1 no\n", _answer(("a.py", 1, "X2")), again=2)
    result = lab.check(UNUSED, "ruff check", env=env)
    assert ([f.kind for f in result.failures], result.seen_by) == (["X1"], SeenBy.TEXT)


def test_what_only_the_text_tells_stays(lab: Any, fake: Any) -> None:
    env = fake("ruff", "a.py:1:1: X1 no\n", _answer(("a.py", 1, "X1")))
    files = {**UNUSED, "b.py": "x = 1\n"}
    result = lab.check(files, "ruff check; echo 'b.py:1:1: Y1 other'; exit 1", env=env)
    assert sorted(f.kind for f in result.failures) == ["X1", "Y1"]


def test_a_place_outside_the_tree_or_one_that_nobody_speaks_of_is_not_taken(lab: Any, fake: Any) -> None:
    answer = _answer(("/etc/passwd", 1, "X1"), ("../b.py", 1, "X2"), ("c.py", 1, "X3"))
    result = lab.check({**UNUSED, "c.py": ""}, "ruff check", env=fake("ruff", "a.py:1:1: X4 no\n", answer))
    assert ([f.kind for f in result.failures], result.seen_by) == (["X4"], SeenBy.TEXT)


def test_no_answer_turns_a_failing_tool_into_a_passing_one(lab: Any, fake: Any) -> None:
    for answer in ("[]", "", _answer(("nowhere.py", 1, "X1"))):
        result = lab.check(UNUSED, "ruff check", env=fake("ruff", "", answer))
        assert result.status is CheckStatus.FAILED


def test_forged_answers_neither_pass_nor_hide_what_the_text_tells(lab: Any) -> None:
    """Code of the tree finds our folder on its PATH, and writes what it likes there."""
    forged = json.dumps({"tool": "ruff", "said": "[]", "folder": "", "ran": []})
    script = (
        "import os, pathlib\n"
        "home = pathlib.Path(os.environ['PATH'].split(os.pathsep)[0]).parent / 'records' / 'answers'\n"
        f"(home / 'x.json').write_text({forged!r})\n"
        "for path in home.glob('[0-9]*'): path.unlink()\n"
        "print('b.py:1:1: X1 still there')\n"
        "raise SystemExit(1)\n"
    )
    result = lab.check({**UNUSED, "b.py": "", "forge.py": script}, f"{RUFF}; python forge.py")
    assert result.status is CheckStatus.FAILED
    assert "X1" in {f.kind for f in result.failures}


def test_a_missing_tool_is_an_error(lab: Any) -> None:
    result = lab.check(UNUSED, RUFF, env={**lab.env, "PATH": "/nowhere"})
    assert result.status is CheckStatus.ERROR


def test_secrets_are_taken_out_of_what_a_tool_says(lab: Any, fake: Any) -> None:
    env = fake("ruff", "a.py:1:1: X1 about hunter2\n", _answer(("a.py", 1, "hunter2")))
    result = lab.check(UNUSED, "ruff check", env=env, redact=lambda text: text.replace("hunter2", "***"))
    assert result.seen_by is SeenBy.STRUCTURE
    assert all("hunter2" not in f.message + f.excerpt for f in result.failures)


@pytest.mark.parametrize("command", ["cmake -B build && gcc a.c", "./configure && make CC=gcc"])
def test_no_compiler_is_stood_in_for_where_its_path_is_written_down(lab: Any, command: str) -> None:
    assert lab.check(UNUSED, f"command -v gcc; true || {{ {command}; }}").status is CheckStatus.PASSED
    assert "programs" not in _output(lab)


def test_the_words_are_put_where_each_tool_wants_them() -> None:
    def asked(name: str, *words: str) -> list[str] | None:
        tool = TOOLS[name]
        told = {
            "leave": tool.leave,
            "commands": tool.commands,
            "added": tool.added,
            "drop": tool.drop or "$^",
            "drop_two": tool.drop_two or "$^",
        }
        return question(told, list(words))

    assert asked("ruff", "-q", "check", "a") == ["-q", "check", "--output-format=json", "a"]
    assert asked("cargo", "+nightly", "test", "--", "-h") == [
        *("+nightly", "test", "--message-format=json", "--no-run", "--", "-h"),
    ]
    assert asked("cargo", "run") is None
    assert asked("cargo") is None
    assert asked("mypy", "a.py") == ["--output=json", "a.py"]
    assert asked("mypy", "--junit-xml=x", "a.py") is None
    assert asked("gcc", "-E", "a.c") is None
    assert asked("gcc", "-MD", "-MF", "a.d", "-c", "-o", "a.o", "a.c") == [
        *("-fdiagnostics-format=json", "-fsyntax-only", "-c", "a.c"),
    ]
    assert asked("rustc", "--emit=link", "--emit", "obj", "-oa", "a.rs") == [*TOOLS["rustc"].added, "a.rs"]


def test_forged_answers_of_any_shape_are_read_without_harm(lab: Any, fake: Any) -> None:
    """Halves of characters, names that no file can have, commands that nobody ran."""
    answer = json.dumps(
        [
            {"filename": path, "location": {"row": row, "column": 1}, "code": code, "message": "half \ud800 \x1b[2J"}
            for path, row, code in (
                ("a.py", 1, "X1"),
                ("\0", 1, "X1"),
                ("\ud800.py", 1, "X1"),
                ("a.py", "1", "X1"),
                ("a.py", 10**6, "X1"),
                ("a.py", 1, "X1\nX2"),
            )
        ]
    )
    result = lab.check(UNUSED, "ruff check", env=fake("ruff", "a.py:1:1: X1 no\n", answer))
    assert [(f.subject, f.line) for f in result.failures] == [("a.py X1", 1), ("a.py X1", 10**6)]
    assert all("\ud800" not in f.message and "\x1b" not in f.message for f in result.failures)


def test_who_forges_an_answer_does_not_choose_the_command_that_people_are_shown(lab: Any, fake: Any) -> None:
    said = {"kind": "error", "message": "no", "locations": [{"caret": {"file": "a.c", "line": 1, "column": 1}}]}
    record = {"tool": "gcc", "said": json.dumps([said]), "folder": "", "ran": ["rm", "-rf", "/"]}
    forge = f"for d in \"$TMPDIR\"/probe-*/records/answers; do echo '{json.dumps(record)}' > $d/x.json; done"
    env = fake("ruff", "a.c:1:1: error: no\n", "[]", more=forge)
    result = lab.check({"a.c": "int a;\n"}, "ruff check", env=env)
    assert (result.seen_by, [f.repro for f in result.failures]) == (SeenBy.STRUCTURE, [None])


def test_nothing_is_recognised() -> None:
    assert not DiagnosticsRunner().recognises(("ruff", "check"))


def test_the_asking_program_is_shipped() -> None:
    home = Path(__file__).parents[2] / "src" / "trueup" / "verify" / "runners"
    assert all((home / f"{name}.py").is_file() for name in ("diagnostics_again", "stand_in"))


# --- nothing stands between a tool and whoever runs it ---------------------------------------------------------


@pytest.fixture
def stood_in(tmp_path: Path) -> Any:
    """`stood_in(command, name, script)`: the environment in which that program, a Python script, has a stand-in."""

    def make(command: str, name: str, script: str, **variables: str) -> Any:
        home = tmp_path / "bin"
        home.mkdir(exist_ok=True)
        (home / name).write_text(f"#!{sys.executable} -S\n{script}")
        (home / name).chmod(0o755)
        return with_stand_ins(command, {"PATH": f"{home}:/usr/bin:/bin", **variables})

    def with_stand_ins(command: str, env: dict[str, str]) -> dict[str, str]:
        scratch = Path(tempfile.mkdtemp(dir=tmp_path))
        run = RunContext(
            check="tests",
            argv=("sh", "-c", command),
            folder=tmp_path,
            scratch=scratch,
            nonce="0123456789ab",
            checkout=tmp_path / "checkout",
            env=env,
            sources=lambda _: None,
            behind=commands_behind((("sh", "-c", command),), lambda _: None),
        )
        added = DiagnosticsRunner().prepare(run)
        return {**env, **added}

    make.around = with_stand_ins  # type: ignore[attr-defined]
    return make


def _program(env: dict[str, str], name: str) -> str:
    found = Path(env["PATH"].split(os.pathsep)[0], name)
    assert found.parent.name == "programs"
    return str(found)


def test_the_tool_sees_the_path_that_the_recipe_made_and_every_variable(stood_in: Any) -> None:
    script = "import json, os\nprint(json.dumps(dict(os.environ)))\n"
    odd = {"CFLAGS_x86_64-unknown-linux-gnu": "-I/x", "PYTHONCOERCECLOCALE": "0"}
    command = 'PATH="/made/here:$PATH" mypy'
    env = stood_in(command, "mypy", script, **odd)
    done = subprocess.run((_program(env, "mypy"),), env={**env, "PATH": f"/made/here:{env['PATH']}"}, **_TEXT)
    seen = json.loads(done.stdout)
    real = env["PATH"].partition(os.pathsep)[2]
    assert seen == {**{name: env[name] for name in (*odd, *_log_names(env))}, "PATH": f"/made/here:{real}"}


_TEXT: dict[str, Any] = {"capture_output": True, "text": True, "check": False, "timeout": 60}


def _log_names(env: dict[str, str]) -> list[str]:
    return [name for name in env if name.startswith("CC_LOG")]


@pytest.mark.parametrize("code", [0, 1, 3, 129, 130, 143, 147, 159, 255])
def test_an_exit_code_that_looks_like_a_signal_is_an_exit_code(stood_in: Any, code: int) -> None:
    env = stood_in("mypy", "mypy", f"raise SystemExit({code})\n")
    assert subprocess.run((_program(env, "mypy"),), env=env, **_TEXT).returncode == code


@contextmanager
def _heard(number: signal.Signals) -> Iterator[None]:
    """Whoever starts the tests in the background lets them ignore signals, and every child inherits that."""
    ignored = signal.getsignal(number) is signal.SIG_IGN
    if ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    if ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGUSR1, signal.SIGHUP])
def test_a_tool_that_is_killed_is_seen_to_be_killed(stood_in: Any, number: signal.Signals) -> None:
    env = stood_in("mypy", "mypy", f"import os\nos.kill(os.getpid(), {int(number)})\n")
    with _heard(number):
        assert subprocess.run((_program(env, "mypy"),), env=env, **_TEXT).returncode == -number


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_who_signals_a_stand_in_reaches_the_tool(stood_in: Any, tmp_path: Path, number: signal.Signals) -> None:
    script = (
        "import signal, sys, time\n"
        f"signal.signal({int(number)}, lambda *_: sys.exit(42))\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    env = stood_in("mypy", "mypy", script)
    with (
        _heard(number),
        subprocess.Popen((_program(env, "mypy"),), env=env, stdout=subprocess.PIPE, text=True) as tool,
    ):
        assert tool.stdout
        assert tool.stdout.readline() == "ready\n"
        tool.send_signal(number)
        assert tool.wait(60) == 42


def test_an_interpreter_that_runs_something_else_is_the_real_one_at_once(stood_in: Any) -> None:
    env = stood_in("python3 server.py; python3 -m mypy a.py", "python3", "import os\nprint(os.getpid())\n")
    with subprocess.Popen((_program(env, "python3"), "server.py"), env=env, stdout=subprocess.PIPE, text=True) as tool:
        assert tool.stdout
        assert int(tool.stdout.readline()) == tool.pid


@pytest.mark.parametrize("path", ["bin:{real}", ":{real}", "./bin:{real}"])
def test_no_stand_in_is_made_behind_a_relative_entry_of_the_path(stood_in: Any, path: str) -> None:
    env = stood_in("mypy", "mypy", "")
    real = env["PATH"].partition(os.pathsep)[2]
    given = path.format(real=real)
    assert stood_in.around("mypy", {"PATH": given})["PATH"] == given


# --- what is said in an answer ---------------------------------------------------------------------------------


def test_another_tools_failure_at_the_same_line_of_another_file_stays(lab: Any, fake: Any) -> None:
    env = fake("ruff", "src/a.py:3:1: X1 no\n", _answer(("src/a.py", 3, "X1")))
    files = {"src/a.py": "\n\nx = 1\n", "a.py": "\n\nx = 1\n"}
    result = lab.check(files, "ruff check; echo 'a.py:3:1: X1 about X1'; exit 1", env=env)
    assert sorted((f.file, f.kind) for f in result.failures) == [("a.py", "X1"), ("src/a.py", "X1")]


def test_another_complaint_about_the_same_line_stays(lab: Any, fake: Any) -> None:
    env = fake("ruff", "a.py:1:1: X1 no\n", _answer(("a.py", 1, "X1")))
    result = lab.check(UNUSED, "ruff check; echo 'a.py:1:1: Y1 other'; exit 1", env=env)
    assert sorted(f.kind for f in result.failures) == ["X1", "Y1"]


@pytest.mark.parametrize("level", ["\ud800error\x1b[31m", "x\x1b]0;t\x07" * 1000, "note", 3])
def test_a_severity_that_no_tool_has_is_not_taken(lab: Any, fake: Any, level: object) -> None:
    span = {"is_primary": True, "file_name": "a.rs", "line_start": 1, "column_start": 1}
    said = {"message": "mm", "level": level, "spans": [span], "rendered": "error: mm\n --> a.rs:1:1\n"}
    result = lab.check({"a.rs": "x\n"}, "rustc a.rs", env=fake("rustc", "", json.dumps(said), more="exec 1>&2"))
    assert result.seen_by is SeenBy.TEXT
    assert all(f.kind != level for f in result.failures)


@pytest.mark.parametrize("row", [-7, 10**7, 10**30])
def test_a_line_that_no_file_has_is_not_taken(lab: Any, fake: Any, row: int) -> None:
    result = lab.check(UNUSED, "ruff check", env=fake("ruff", "", _answer(("a.py", row, "X1"))))
    assert result.seen_by is SeenBy.TEXT


def _rust_error() -> str:
    span = {"is_primary": True, "file_name": "a.rs", "line_start": 1, "column_start": 1}
    return json.dumps({"message": "mm", "level": "error", "spans": [span], "rendered": "error: mm\n --> a.rs:1:1\n"})


@pytest.mark.parametrize(("count", "shown"), [(3, True), (8000, False)])
def test_a_command_that_nobody_would_copy_is_not_shown(lab: Any, fake: Any, count: int, *, shown: bool) -> None:
    words = " ".join(f"--cfg=f{number}" for number in range(count))
    env = fake("rustc", "a.rs\n", _rust_error(), more="exec 1>&2")
    result = lab.check({"a.rs": "x\n"}, f"rustc a.rs {words}", env=env)
    assert result.seen_by is SeenBy.STRUCTURE
    assert [f.repro for f in result.failures] == [f"rustc a.rs {words}" if shown else None]


def test_only_a_command_that_is_written_is_shown(lab: Any, fake: Any) -> None:
    said = {"kind": "error", "message": "no", "locations": [{"caret": {"file": "a.c", "line": 1, "column": 1}}]}
    ran = ["gcc", "-wrapper", "sh,-c,echo", "a.c"]
    record = {"tool": "gcc", "said": json.dumps([said]), "folder": "", "ran": ran}
    forge = f"for d in \"$TMPDIR\"/probe-*/records/answers; do echo '{json.dumps(record)}' > $d/x.json; done"
    env = fake("ruff", "a.c:1:1: error: no\n", "[]", more=forge)
    result = lab.check({"a.c": "int a;\n"}, "ruff check", env=env)
    assert (result.seen_by, [f.repro for f in result.failures]) == (SeenBy.STRUCTURE, [None])


@needs_gcc
def test_a_compiler_that_succeeds_the_second_time_leaves_no_output(lab: Any) -> None:
    """As after a linker that failed for want of space: what it makes when it is asked again nobody wanted."""
    home = lab.base / "bin"
    home.mkdir()
    (home / "gcc").write_text(f'#!/bin/sh\n[ -e {home}/once ] && exec /usr/bin/gcc "$@"\n: > {home}/once\nexit 1\n')
    (home / "gcc").chmod(0o755)
    env = {**lab.env, "PATH": f"{home}:{lab.env['PATH']}"}
    lab.check({"a.c": "int a;\n"}, "gcc -MD -MF a.d -c -o a.o a.c", env=env)
    assert (home / "once").exists()
    assert sorted(path.name for path in lab.bench.folder.iterdir()) == ["a.c"]
