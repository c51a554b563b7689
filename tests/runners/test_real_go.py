"""Real `go test` on small projects: what is seen of it, and that the user sees what he asked for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, SeenBy, Strength
from trueup.verify.twin import make_twins, twin_observed

GO = shutil.which("go")
pytestmark = pytest.mark.skipif(GO is None, reason="go is not installed (Debian: golang-go)")

MODULE = "module example.com/calc\n\ngo 1.19\n"
BROKEN = "package calc\n\nfunc Add(a, b int) int { return a - b }\n"
RIGHT = BROKEN.replace("a - b", "a + b")
TESTS = """\
package calc

import (
	"fmt"
	"testing"
)

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestParts(t *testing.T) {
	t.Run("same", func(t *testing.T) { t.Log("fine") })
}

func TestLoud(t *testing.T) { fmt.Print("no line end") }

func TestLater(t *testing.T) { t.Skip("not today") }
"""
PROJECT = {"go.mod": MODULE, "calc.go": BROKEN, "calc_test.go": TESTS}
ADD = "example.com/calc.TestAdd"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One build cache for all: compiling the standard library is what takes the time."""
    return str(tmp_path_factory.mktemp("gocache"))


@pytest.fixture
def check(plain_lab: Callable[..., Any], cache: str) -> Callable[..., CheckResult]:
    lab = plain_lab(str(Path(str(GO)).parent))
    env = {
        "PATH": os.pathsep.join((str(Path(str(GO)).parent), "/usr/bin", "/bin")),
        "HOME": str(lab.base),
        "GOCACHE": cache,
        "GOFLAGS": "-mod=mod",
        "GOTOOLCHAIN": "local",
    }

    def run(files: dict[str, str], command: str = "go test ./...", **more: object) -> CheckResult:
        return lab.check(files, command, **{"env": env, **more})  # type: ignore[no-any-return]

    run.lab = lab  # type: ignore[attr-defined]
    run.env = env  # type: ignore[attr-defined]
    return run


def test_every_test_is_seen_one_by_one(check: Any) -> None:
    result = check(PROJECT)
    assert (result.status, result.strength, result.seen_by) == (
        CheckStatus.FAILED,
        Strength.INVENTORY,
        SeenBy.STRUCTURE,
    )
    assert set(result.passed) == {f"example.com/calc.{n}" for n in ("TestParts", "TestParts/same", "TestLoud")}
    assert result.skipped == ("example.com/calc.TestLater",)
    (failure,) = result.failures
    assert (failure.subject, failure.file, failure.line, failure.test) == (ADD, "calc_test.go", 10, True)
    assert failure.message == "got -1"
    assert failure.source_line == 't.Errorf("got %d", got)'
    assert failure.repro == "go test -run '^TestAdd$' example.com/calc"
    assert {p.id: (p.file, p.line) for p in result.places}[ADD] == ("calc_test.go", 8)


def test_what_the_user_sees_is_what_go_prints(check: Any, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    files = {**PROJECT, "ok/ok_test.go": 'package ok\n\nimport "testing"\n\nfunc TestOk(t *testing.T) {}\n'}
    for name, text in files.items():
        path = tmp_path / "plain" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    for command in ("go test ./...", "go test -v ./...", "go test", "go test -run Add -v", "go vet", "go test -list ."):
        said = subprocess.run(
            command.split(), cwd=tmp_path / "plain", env=check.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        result = check(files, command)
        assert result.exit_code == said.returncode, command
        assert _timeless(check.lab.output()) == _timeless(said.stdout.decode()), command


def _timeless(text: str) -> list[str]:
    """Packages are tested side by side: their order is chance."""
    return sorted(re.sub(r"\d+\.\d+s|\(cached\)", "<time>", text).splitlines())


def test_a_shifted_line_is_the_same_failure_and_another_value_is_not_another_one(check: Any) -> None:
    first = check(PROJECT).failures[0]
    shifted = check({**PROJECT, "calc_test.go": TESTS.replace("func TestAdd", "// more\n\nfunc TestAdd")}).failures[0]
    value = check({**PROJECT, "calc.go": BROKEN.replace("a - b", "a * b")}).failures[0]
    assert shifted.line == first.line + 2
    assert fingerprint(shifted) == fingerprint(first) == fingerprint(value)
    other = TESTS.replace("if got :=", 'if Add(0, 0) == 0 {\n\t\tt.Fatal("zero")\n\t}\n\tif got :=')
    assert fingerprint(check({**PROJECT, "calc_test.go": other}).failures[0]) != fingerprint(first)


def test_a_repaired_program_passes_with_every_test_accounted_for(check: Any) -> None:
    result = check({**PROJECT, "calc.go": RIGHT})
    assert (result.status, len(result.inventory), ADD in result.passed) == (CheckStatus.PASSED, 5, True)


def test_a_remembered_pass_is_never_taken_for_a_look(check: Any) -> None:
    for _ in range(2):
        check({**PROJECT, "calc.go": RIGHT})
        assert "(cached)" not in check.lab.output()


def test_a_program_that_does_not_build_fails_before_any_test(check: Any) -> None:
    result = check({**PROJECT, "calc.go": BROKEN.replace("a - b", "nowhere(a)")})
    assert result.status is CheckStatus.FAILED
    assert [(f.phase, f.file, f.test) for f in result.failures] == [("build", "calc.go", False)]
    assert "nowhere" in result.failures[0].message


def test_no_tests_a_missing_tool_and_no_time_have_names(check: Any) -> None:
    empty = check({"go.mod": MODULE, "calc.go": RIGHT})
    assert (empty.status, empty.reason) == (CheckStatus.ERROR, "no tests were collected")
    missing = check(PROJECT, env={**check.env, "PATH": "/nowhere"})
    assert missing.status is CheckStatus.ERROR
    assert "go" in missing.reason
    sleeping = TESTS.replace('t.Skip("not today")', "select {}").replace("func TestLater", "func TestZzz")
    late = check(
        {
            **PROJECT,
            "calc.go": RIGHT,
            "calc_test.go": sleeping.replace('"fmt"', '"fmt"\n\t"time"').replace("select {}", "time.Sleep(time.Hour)"),
        },
        timeouts={"tests": 20.0},
    )
    assert late.status is CheckStatus.TIMEOUT
    assert "TestZzz" in late.reason
    assert ADD in late.passed


@pytest.mark.parametrize(
    ("body", "needs"),
    [("os.Exit(0)", '"os"'), ("syscall.Exit(0)", '"syscall"'), ('panic("boom")', "")],
)
def test_a_program_that_ends_in_the_middle_never_passes(check: Any, body: str, needs: str) -> None:
    calc = f"package calc\n\n{'import ' + needs if needs else ''}\n\nfunc Add(a, b int) int {{ {body}; return 3 }}\n"
    result = check({**PROJECT, "calc.go": calc})
    assert result.status is CheckStatus.FAILED
    assert [f.subject for f in result.failures] == [ADD]
    assert ADD not in result.passed


def test_a_forged_pass_is_seen_when_the_test_is_made_to_fail(check: Any) -> None:
    forging = (
        'package calc\n\nimport (\n\t"fmt"\n\t"syscall"\n)\n\nfunc Add(a, b int) int {\n'
        '\tfmt.Print("--- PASS: TestAdd (0.00s)\\nPASS\\n")\n\tsyscall.Exit(0)\n\treturn 0\n}\n'
    )
    for product, fate in ((RIGHT, "as_told"), (forging, "passed")):
        files = {**PROJECT, "calc.go": product}
        place = next(p for p in check(files).places if p.id == ADD)
        written = _Written(files)
        made, not_possible = make_twins(written, [place], "abc123nonce")
        assert (made, not_possible) == ((ADD,), ())
        twin = check(written.files, select={"tests": (ADD,)})
        assert twin_observed([twin], "abc123nonce", [f"tests {ADD}"]) == {f"tests {ADD}": fate}


class _Written:
    def __init__(self, files: dict[str, str]) -> None:
        self.files = dict(files)

    def read(self, path: str) -> bytes | None:
        return self.files[path].encode()

    def rewrite(self, path: str, content: bytes) -> None:
        self.files[path] = content.decode()


def test_only_what_was_selected_runs_and_new_files_are_left_out(check: Any) -> None:
    chosen = check(PROJECT, select={"tests": ("example.com/calc.TestParts/same",)})
    assert chosen.status is CheckStatus.PASSED
    assert set(chosen.inventory) == {"example.com/calc.TestParts", "example.com/calc.TestParts/same"}
    new = {"new_test.go": 'package calc\n\nimport "testing"\n\nfunc TestNew(t *testing.T) { t.Fatal("no") }\n'}
    without = check({**PROJECT, "calc.go": RIGHT, **new}, ignore=("new_test.go",))
    assert without.status is CheckStatus.PASSED
    assert "example.com/calc.TestNew" not in without.inventory
