"""Which tool a text comes from, and that its tests are called there as they are elsewhere."""

from __future__ import annotations

import pytest

from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text
from trueup.evidence.tools import LOOKED_INTO, tool_of_text

ENDS = {
    "pytest": ("1 failed, 2 passed in 0.12s", "==== 3 passed in 61.30s (0:01:01) ====", "no tests ran in 0.01s"),
    "unittest": ("Ran 3 tests in 0.001s\n\nOK", "Ran 1 test in 2.5s\n\nFAILED (failures=1)"),
    "go": ("ok  \texample.com/a\t0.012s", "FAIL\texample.com/a\t0.01s\nFAIL", "ok  \texample.com/a\t(cached)"),
    "cargo": ("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",),
    "jest": ("Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 5 passed, 6 total",),
    "vitest": (
        " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed (4)",
        "\x1b[2m Test Files \x1b[22m 2 passed (2)",
    ),
    "mocha": ("  3 passing (12ms)\n  1 failing",),
    "node:test": ("ℹ tests 3\nℹ suites 0", "# tests 3\n# pass 3"),
    "rspec": ("3 examples, 1 failure",),
    "minitest": ("3 runs, 4 assertions, 0 failures, 0 errors, 0 skips",),
    "phpunit": ("OK (3 tests, 4 assertions)", "Tests: 3, Assertions: 4, Failures: 1."),
    "maven": ("[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",),
    "ctest": ("50% tests passed, 1 tests failed out of 2",),
    "googletest": ("[==========] 3 tests from 1 test suite ran. (0 ms total)",),
    "dotnet": (
        "Passed!  - Failed:     0, Passed:     3, Skipped:     0",
        "Test Run Failed.\nTotal tests: 3\n     Passed: 1",
    ),
}


@pytest.mark.parametrize(("tool", "said"), [(tool, said) for tool, texts in ENDS.items() for said in texts])
def test_a_tool_is_known_by_its_last_words(tool: str, said: str) -> None:
    assert tool_of_text(f"building …\r\n\r\n{said}\r\nmake: *** [Makefile:2: test] Error 1\r\n") == tool


def test_of_several_tools_the_last_one_is_named_and_other_texts_have_none() -> None:
    assert tool_of_text("3 passed in 0.12s\n\nTest Suites: 1 passed, 1 total\n") == "jest"
    assert tool_of_text("all is well: it passed in no time\n") == ""
    assert tool_of_text("") == ""
    assert set(ENDS) >= LOOKED_INTO


NODE = """\
▶ outer
  ▶ in
    ✔ adds (1.8ms)
    ✖ bad (22.0ms)
  {end} in (41.6ms)
{end} outer (43.0ms)
▶ bad
  ✖ sub (0.2ms)
{end} bad (0.8ms)
✖ plain (0.2ms)
✖ bad (0.2ms)
ℹ tests 6

✖ failing tests:

test at a.test.js:2:74
✖ bad (22.0ms)
  Error: one

test at a.test.js:3:36
✖ sub (0.2ms)
  Error: two

test at a.test.js:4:1
✖ plain (0.2ms)
  Error: three

test at b.test.js:1:1
✖ bad (0.2ms)
  Error: four

test at b.test.js:9:1
✖ elsewhere (0.2ms)
  Error: five
"""


@pytest.mark.parametrize("end", ["▶", "✖"])
def test_failing_tests_of_node_are_named_with_the_groups_around_them(end: str) -> None:
    failures = failures_from_text("t", NODE.format(end=end), exit_code=1, sources=lambda _: None)
    assert [f.subject for f in failures] == [
        "a.test.js::outer > in > bad",
        "a.test.js::bad > sub",
        "a.test.js::plain",
        "b.test.js::bad",
        "b.test.js::elsewhere",
    ]


def test_a_test_of_mocha_is_named_with_the_file_whose_frame_is_the_outermost() -> None:
    text = (
        "  1 passing (3ms)\n  2 failing\n\n  1) outer\n       in\n         bad:\n     Error: no\n"
        "      at check (lib/check.js:3:9)\n      at async Context.<anonymous> (test/a.spec.js:7:5)\n\n"
        "  2) alone:\n     Error: no\n      at check (lib/check.js:3:9)\n"
    )
    failures = failures_from_text("t", text, exit_code=1, sources=lambda _: None)
    assert [f.subject for f in failures] == ["test/a.spec.js::outer > in > bad", "alone"]


def test_mocha_tells_the_same_failure_with_its_full_trace() -> None:
    short = (
        "  0 passing (3ms)\n  2 failing\n\n  1) adds:\n     Error: no\n      at check (lib/check.js:3:9)\n"
        "      at Context.<anonymous> (test/a.spec.js:7:5)\n\n"
        "  2) waits:\n     Error: no\n      at Context.<anonymous> (test/a.spec.js:9:5)\n"
    )
    own = "      at callFn (file:///home/ci/shop/node_modules/mocha/lib/runnable.js:360:23)\n"
    full = short.replace("(lib", "(/home/ci/shop/lib").replace("(test", "(/home/ci/shop/test")
    full = full.replace("7:5)\n", f"7:5)\n{own}")
    told, again = (failures_from_text("t", text, exit_code=1, sources=lambda _: None) for text in (short, full))
    assert [(f.subject, f.file) for f in told] == [
        ("test/a.spec.js::adds", "lib/check.js"),
        ("test/a.spec.js::waits", "test/a.spec.js"),
    ]
    assert [fingerprint(f) for f in told] == [fingerprint(f) for f in again]
    assert [f.file for f in told] == [f.file for f in again]
