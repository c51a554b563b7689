"""What a compiler's driver or a linker says about no line of a file is a failure of its own, beside those of the code."""

from __future__ import annotations

import pytest

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text

CODE = "a.c:1:20: error: 'x' undeclared (first use in this function)\n    1 | int main(){ return x; }\n      |                    ^\n"


def told(text: str) -> tuple[Failure, ...]:
    return failures_from_text("build", text, exit_code=1, sources=lambda path: None)


MISSING = {
    "gcc": ("cc1: fatal error: nofile.c: No such file or directory\ncompilation terminated.\n", "nofile.c"),
    "g++": ("cc1plus: fatal error: src/nofile.cc: No such file or directory\ncompilation terminated.\n", "src/nofile.cc"),
    "clang": ("clang: error: no such file or directory: 'nofile.c'\nclang: error: no input files\n", "nofile.c"),
    "a library": ("/usr/bin/ld: cannot find -lnope: No such file or directory\ncollect2: error: ld returned 1 exit status\n", "-lnope"),
    "a library, older": ("/usr/bin/x86_64-linux-gnu-ld: cannot find -lnope\ncollect2: error: ld returned 1 exit status\n", "-lnope"),
    "clang's linker": ("ld: cannot find -lnope: No such file or directory\nclang: error: linker command failed with exit code 1 (use -v to see invocation)\n", "-lnope"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "missing"), MISSING.values(), ids=MISSING)
def test_what_is_missing_is_known_by_its_name_with_and_without_errors_in_the_code(text: str, missing: str) -> None:
    (alone,) = told(text)
    assert (alone.subject, alone.kind, alone.phase) == (missing, "missing", Phase.BUILD)
    assert sorted(map(fingerprint, told(CODE + text))) == sorted(map(fingerprint, (*told(CODE), alone)))


def test_an_option_that_a_compiler_does_not_know_is_known_by_the_compiler_and_the_option() -> None:
    (foo,) = told("gcc: error: unrecognized command-line option '-foo'\n")
    (bar,) = told("/usr/bin/gcc: error: unrecognized command-line option '-bar'\n")
    assert (foo.subject, foo.kind) == (bar.subject, bar.kind) == ("gcc", "error")
    assert fingerprint(foo) != fingerprint(bar)


def test_what_only_follows_from_another_error_is_no_failure_of_its_own() -> None:
    undefined = "/usr/bin/ld: b.o: in function `main':\nb.c:(.text+0x5): undefined reference to `f'\n"
    assert told(f"{undefined}collect2: error: ld returned 1 exit status\n") == told(undefined)
    assert [f.file for f in told(f"{CODE}clang: error: linker command failed with exit code 1\n")] == ["a.c"]


@pytest.mark.parametrize(
    "line", ["eslint: error: x", "my tool gcc: error: x", "say ld: cannot find it", "gcc: note: x"]
)
def test_other_programs_are_left_to_others(line: str) -> None:
    assert [f.file for f in told(f"{CODE}{line}\n")] == ["a.c"]
