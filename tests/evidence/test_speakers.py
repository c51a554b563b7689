"""Whoever starts several programs writes a name before each of their lines: the failure stays the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text

TESTS = """\
tests/test_cart.py F.

=========================== FAILURES ===========================
__________________________ test_total __________________________

    def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4

tests/test_cart.py:5: AssertionError
=================== short test summary info ====================
FAILED tests/test_cart.py::test_total - assert 3 == 4
"""
COMPILER = "main.c: In function 'main':\nmain.c:3:5: error: 'x' undeclared\n    3 |     x = 1;\n      |     ^\n"
NO_STACK = '\n\n  0 passing (9ms)\n  1 failing\n\n  1) rail\n       leaves:\n     Error: the object {\n  "track": 4\n} was thrown\n\n\n\n\n'
UNKNOWN = "reading the plan\nthe plan is invalid: no step 'deploy'\nnothing was done\n"


def before_each(name: str) -> Callable[[str], str]:
    return lambda text: "".join(f"{name}{line}".rstrip() + "\n" for line in text.split("\n"))


def behind_stamps(text: str) -> str:
    return "".join(f"11:22:{n % 60:02} test.1  | {line}\n" for n, line in enumerate(text.split("\n")))


def before_stamps(text: str) -> str:
    return "".join(f"tests-1  | [2026-03-02 11:22:{n % 60:02}] {line}\n" for n, line in enumerate(text.split("\n")))


def with_streams(text: str) -> str:
    return "".join(f"2026-03-02T11:22:{n % 60:02}.123456Z 01O {line}\n" for n, line in enumerate(text.split("\n")))


def told_to_a_program(text: str) -> str:
    return "".join(f"\x1b_bk;t={1772450553000 + n}\x07{line}\n" for n, line in enumerate(text.split("\n")))


WAYS = {
    "compose": before_each("tests-1  | "),
    "turbo": before_each("@shop/web:test: "),
    "pnpm": before_each("packages/web test: "),
    "concurrently": before_each("[1] "),
    "kubectl": before_each("[pod/tests-x7k2p/tests] "),
    "honcho": behind_stamps,
    "compose with times": before_stamps,
    "gitlab": with_streams,
    "buildkite": told_to_a_program,
}


def prints(text: str) -> set[str]:
    return {fingerprint(f) for f in failures_from_text("c", text, exit_code=1, sources=lambda _path: None)}


@pytest.mark.parametrize("text", [TESTS, COMPILER, NO_STACK, UNKNOWN], ids=["tests", "compiler", "no stack", "unknown"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_failure_is_known_again_behind_the_name_of_who_speaks(way: Callable[[str], str], text: str) -> None:
    assert prints(way(text)) == prints(text)


@pytest.mark.parametrize(
    "text",
    [
        "[ERROR] a.java:[3,5] cannot find symbol\n[ERROR] b.java:[4,5] cannot find symbol\n[ERROR] c.java:[1,1] x\n",
        "main.c:3:5: error: 'x' undeclared\nmain.c:3:5: error: 'y' undeclared\nmain.c:3:5: error: 'z' undeclared\n",
    ],
    ids=["levels", "places"],
)
def test_levels_and_places_are_no_names(text: str) -> None:
    files = {f.file for f in failures_from_text("c", text, exit_code=1, sources=lambda _path: None)}
    assert files == {line.removeprefix("[ERROR] ").partition(":")[0] for line in text.splitlines()}


@pytest.mark.parametrize("ending", ["make: *** [Makefile:4: all] Error 2\n", "npm run test exited with code 1\n"])
def test_what_is_said_about_the_step_is_no_part_of_an_error_without_a_stack(ending: str) -> None:
    assert prints(NO_STACK + ending) == prints(NO_STACK)


def test_a_name_before_a_few_of_many_lines_stays() -> None:
    quiet = "".join(f"step {n}\n" for n in range(40))
    said = [
        f.message for f in failures_from_text("c", f"{quiet}[web] it failed\n", exit_code=1, sources=lambda _p: None)
    ]
    assert said == ["[web] it failed"]


def test_the_name_before_a_single_line_is_dropped_also_where_honcho_speaks() -> None:
    line = "desk.ts(8,9): error TS2515: Non-abstract class 'Small' does not implement 'lend'.\n"
    told = f"11:22:01 system  | test.1 started (pid=4711)\n11:22:00 test.1  | {line}11:22:00 test.1  | \n11:22:59 system  | test.1 stopped (rc=1)\n"
    assert prints(told) == prints(line)
