"""node:test tells one failure in two reports: both are read as the same."""

from __future__ import annotations

import pytest

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text

SPEC = """\
▶ rail
  ✖ leaves (1.25ms)
✖ rail (3.0ms)

✖ failing tests:

test at rail.test.js:7:5
✖ leaves (1.259917ms)
{said}
      at TestContext.<anonymous> (/srv/a/rail.test.js:9:14)
      at Test.run (node:internal/test_runner/test:796:25)
"""
TAP = """\
TAP version 13
# Subtest: rail
    # Subtest: leaves
    not ok 1 - leaves
      ---
      duration_ms: 21.9
      location: '/srv/b/rail.test.js:8:5'
      failureType: 'testCodeFailure'
{said}
      ...
    1..1
not ok 1 - rail
  ---
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
1..1
"""
STACK = "      stack: |-\n        TestContext.<anonymous> (/srv/b/rail.test.js:10:14)"

IF_ERROR = (
    "      error: 'ifError got unwanted exception: closed'\n      name: 'AssertionError'\n      expected: ~\n      actual:\n"
    f"      error: 'closed'\n{STACK.replace('10:14', '3:1')}\n      operator: 'ifError'\n{STACK}"
)


def only(text: str) -> Failure:
    (failure,) = failures_from_text("c", text, exit_code=1, sources=lambda _path: None)
    return failure


@pytest.mark.parametrize(
    ("spec", "tap", "kind", "message"),
    [
        (
            """  SyntaxError [Error]: Unexpected token '}', "{"a": }" is not valid JSON""",
            f"""      error: `Unexpected token '}}', "{{"a": }}" is not valid JSON`\n      name: 'SyntaxError'\n{STACK}""",
            "SyntaxError",
            """Unexpected token '}', "{"a": }" is not valid JSON""",
        ),
        (
            "  AssertionError [ERR_ASSERTION]: ifError got unwanted exception: closed",
            IF_ERROR,
            "AssertionError",
            "ifError got unwanted exception: closed",
        ),
        (
            "  [Error [AggregateError]: All promises were rejected] {\n    [errors]: [\n      Error: a",
            "      error: 'All promises were rejected'\n      name: 'AggregateError'",
            "AggregateError",
            "All promises were rejected",
        ),
        (
            "  [TypeError: no time] {\n    code: 'E_TIME'\n  }",
            "      error: 'no time'\n      name: 'TypeError'",
            "TypeError",
            "no time",
        ),
    ],
    ids=["quoted with both quotes", "a value that is an error", "several errors", "no stack"],
)
def test_both_reports_tell_the_same(spec: str, tap: str, kind: str, message: str) -> None:
    told, again = only(SPEC.format(said=spec)), only(TAP.format(said=tap))
    assert (told.subject, told.kind, told.message) == ("rail.test.js::rail > leaves", kind, message)
    assert (again.subject, again.kind, again.message) == (told.subject, kind, message)


def test_of_two_stacks_the_last_is_that_of_the_failure() -> None:
    inner = f"      error: 'x'\n      actual:\n{STACK.replace('10:14', '3:1')}\n{STACK}"
    assert only(TAP.format(said=inner)).line == 10


def test_what_jest_says_behind_the_last_failure_is_not_part_of_it() -> None:
    told = "FAIL ./rail.test.js\n  ● rail › leaves\n\n    AggregateError: All promises were rejected\n\n\n"
    counts = "Test Suites: 1 failed, 1 total\n"
    seeded = told + "Seed:        -1301913997\n" + counts
    forced = told + "A worker process has failed to exit gracefully and has been force exited.\n" + counts
    for text in (seeded, forced):
        (failure,) = failures_from_text("tests", text, exit_code=1, sources=lambda _: None)
        assert failure.message == "All promises were rejected"


def of(text: str) -> list[Failure]:
    return [*failures_from_text("tests", text, exit_code=1, sources=lambda _: None)]


def test_jest_points_at_the_beginning_of_a_test_that_threw_no_error() -> None:
    text = "FAIL ./a.test.js\n  ● desk › lends\n\n    thrown: {0}\n\n    > 5 | it('lends', () => {{\n\n      at it (a.test.js:5:5)\n"
    (one,), (other,) = of(text.format("42")), of(text.format("undefined"))
    assert one.source_line is None
    assert fingerprint(one) != fingerprint(other)
    (late,) = of(text.format('"Exceeded timeout of 60 ms for a test.'))
    assert late.source_line == "it('lends', () => {"


def test_what_a_test_printed_is_no_heading_of_jest() -> None:
    text = "  console.log\n    ● a › b\n\n      1) no\n\nFAIL ./a.test.js\n  ● desk › lends\n\n    RangeError: x\n"
    assert [f.subject for f in of(text)] == ["a.test.js::desk > lends"]


def test_jest_tells_a_test_and_its_hook_apart_and_a_repetition_once() -> None:
    test, hook = "  ● desk › lends\n\n    RangeError: late\n", "  ● desk › lends\n\n    desk is gone\n"
    summary = "Summary of all failing tests\n"
    text = f"FAIL ./a.test.js\n{test}{hook}{summary}FAIL ./a.test.js\n{test}{hook}Test Suites: 1 failed\n"
    assert [f.message for f in of(text)] == ["late", "desk is gone"]


def test_where_a_file_cannot_be_parsed_is_no_part_of_jests_words() -> None:
    text = "FAIL ./a.test.js\n  ● Test suite failed to run\n\n    SyntaxError: /srv/a.test.js: Unexpected token ({0})\n"
    assert fingerprint(of(text.format("4:13"))[0]) == fingerprint(of(text.format("17:13"))[0])


VITEST = """\
 FAIL  desk.test.js > desk > lends
Overdue: Momo is late
 ❯ Object.lend {0}:{1}:24
 ❯ desk.test.js:12:13
     10|     it('lends', async () => {{
     11|       const book = 1;
     12|       loans.lend(book, 44);
       |             ^
     13|     }});
⎯⎯⎯⎯
"""


def test_the_code_that_vitest_shows_belongs_to_the_level_above_it() -> None:
    for line in (9, 11, 12):
        (failure,) = of(VITEST.format("loans.js", line))
        assert (failure.file, failure.line, failure.source_line) == ("desk.test.js", 12, "loans.lend(book, 44);")


def test_code_of_a_library_or_of_no_level_is_not_taken_for_the_failing_line() -> None:
    shown = VITEST.format("loans.js", 9)
    (failure,) = of(shown.replace(" ❯ desk.test.js:12:13", " ❯ node_modules/x/y.js:12:13"))
    assert (failure.file, failure.source_line) == ("loans.js", None)
    (failure,) = of(shown.replace(" ❯ desk.test.js:12:13\n", "\n"))
    assert (failure.file, failure.source_line) == ("loans.js", None)
    (failure,) = of(shown.replace("12:13", "99:13"))
    assert (failure.file, failure.source_line) == ("desk.test.js", None)


def test_an_annotation_of_a_failing_test_is_no_second_failure() -> None:
    note = "::error file=/srv/desk.test.js,title=desk.test.js > desk > lends,line=12,column=7::Overdue: Momo is late\n"
    lint = "::error file=/srv/desk.js,line=3,title=no-undef::'x' is not defined\n"
    assert [f.subject for f in of(VITEST.format("loans.js", 9) + note)] == ["desk.test.js::desk > lends"]
    assert len(of(VITEST.format("loans.js", 9) + note + lint)) == 2


def test_an_annotation_of_a_file_that_could_not_be_loaded_is_no_second_failure() -> None:
    text = " FAIL  desk.test.js [ desk.test.js ]\nError: Cannot find module './x'\n ❯ desk.test.js:7:1\n⎯⎯⎯⎯\n"
    note = "::error file=/srv/desk.test.js,title=desk.test.js,line=7,column=1::Error: Cannot find module './x'\n"
    assert [f.subject for f in of(text + note)] == ["desk.test.js"]


NODE = """\
▶ desk
  ✖ lends (0.8ms)
✖ desk (1.2ms)

✖ failing tests:

test at desk.test.js:6:3
✖ lends (0.8ms)
  {0}
{1}"""


def test_a_class_that_is_not_called_an_error_is_the_same_in_both_of_nodes_reports() -> None:
    stack = "      at lend (/srv/loans.js:7:24)\n"
    (spec,) = of(NODE.format("Overdue: Momo is late", stack))
    tap = "# Subtest: desk\n    # Subtest: lends\n    not ok 1 - lends\n      ---\n      location: '/srv/desk.test.js:6:3'\n"
    (other,) = of(f"TAP version 13\n{tap}      error: 'Momo is late'\n      name: 'Overdue'\n      ...\n    1..1\n")
    assert (spec.kind, spec.message) == (other.kind, other.message) == ("Overdue", "Momo is late")
    (text,) = of(NODE.format("Overdue: Momo is late", ""))
    assert (text.kind, text.message) == ("Error", "Overdue: Momo is late")


def test_whoever_started_the_tests_says_nothing_about_the_last_one() -> None:
    (failure,) = of(NODE.format("'timed out after 40ms'", "\nFailed\n/srv/shop:\n"))
    assert failure.message == "timed out after 40ms"


FILE = """\
{0}✖ /srv/desk.test.js (156.1ms)
  'test failed'

✖ failing tests:

test at desk.test.js:1:1
✖ /srv/desk.test.js (156.1ms)
  'test failed'
"""


def test_what_ended_a_file_may_have_any_name() -> None:
    (failure,) = of(FILE.format("Overdue: load is late\n    at lend (/srv/loans.js:7:24)\n\nNode.js v20.20.2\n"))
    assert failure.message == "Overdue: load is late"
    (failure,) = of(FILE.format("Note: load is late\nand more\n    at lend (/srv/loans.js:7:24)\n"))
    assert failure.message == "test failed"


def test_an_error_after_the_end_of_a_test_tells_why_its_file_failed() -> None:
    late = (
        'ℹ Error: Test "desk" at desk.test.js:5:1 generated asynchronous activity after the test ended. '
        'This activity created the error "RangeError: too late" and would have caused the test to fail\n'
    )
    (failure,) = of(FILE.format(late))
    assert (failure.kind, failure.message) == ("RangeError", "too late")


def test_a_bullet_that_somebody_printed_is_no_failure_of_jest() -> None:
    text = "● a › b\n\n  1) no\n\n  0 passing (13ms)\n  1 failing\n\n  1) desk\n       lends:\n     RangeError: x\n      at Context.<anonymous> (test/desk.js:8:106)\n"
    assert [f.subject for f in of(text)] == ["test/desk.js::desk > lends"]
    (failure,) = of("● Validation Error:\n\n  Module ts-jest in the transform option was not found.\n")
    assert failure.subject == "Validation Error:"


def test_an_escaped_sign_in_a_name_of_tap_is_that_sign() -> None:
    (failure,) = of("TAP version 13\nnot ok 1 - it is \\#3\n  ---\n  error: 'x'\n  ...\n1..1\n")
    assert failure.subject == "it is #3"
