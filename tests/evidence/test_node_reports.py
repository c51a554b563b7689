"""node:test tells one failure in two reports: both are read as the same."""

from __future__ import annotations

import pytest

from trueup.evidence.failure import Failure
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
