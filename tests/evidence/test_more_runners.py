"""Further test runners, as they printed: the same failure in a second place is the same, another one is another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text


def read(output: str) -> tuple[Failure, ...]:
    return failures_from_text("tests", output, exit_code=1, sources=lambda _: None)


def known(output: str) -> set[str]:
    return {fingerprint(failure) for failure in read(output)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    text: str
    subject: str
    kind: str
    again: Mapping[str, str] = field(default_factory=dict)
    """What a rerun in another place prints instead."""
    other: Mapping[str, str] = field(default_factory=dict)
    """What makes another failure of it."""
    source: str | None = None


PLAYWRIGHT = """
Running 1 test using 1 worker

[1/1] cart.spec.js:7:3 › cart › adds up
  1) [chromium] › cart.spec.js:7:3 › cart › adds up ─────────────────────────────

    Error: expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 3

       7 |   test('adds up', async () => {
    >  9 |     expect(cart.total([1, 2])).toBe(4);
         |                                ^
      10 |   });
        at /home/ci/a/cart.spec.js:9:32

    Retry #1 ───────────────────────────────────────

    Error: noise

  1 failed
    cart.spec.js:7:3 › cart › adds up ─────
"""
JASMINE = """Started
F

Failures:
1) cart adds up
  Message:
    Error: negative price in -1
  Stack:
        at Object.total (/home/ci/a/cart.js:7:11)
        at UserContext.<anonymous> (/home/ci/a/spec/cart.spec.js:8:10)
        at <Jasmine>

1 spec, 1 failure
Finished in 0.078 seconds
1) not a spec
"""
AVA = """
  ✘ [fail]: adds up
  ─

  adds up

  cart.test.js:7

   6:   const x = 1;
   7:   t.is(cart.total([1, 2]), 4);
   8: });

  Difference (- actual, + expected):

  - 3
  + 4

  › cart.test.js:7:5

  ─

  1 test failed
"""
AVA_REJECTED = """
  ✘ [fail]: adds up Rejected promise returned by test
  ─

  adds up

  Rejected promise returned by test. Reason:

  Error (CartError) {
    message: 'negative price in -1',
  }

  Error: negative price in -1
      at Object.total (/home/ci/a/cart.js:7:11)

  ─

  1 test failed
"""
BUN = """bun test v1.4.4 (38afee6c8)

cart.test.js:
(pass) cart > is beside it [0.10ms]
6 |   test('adds up', async () => {
8 |     expect(cart.total([1, 2])).toBe(4);
                                   ^
error: expect(received).toBe(expected)

Expected: 4
Received: 3

      at <anonymous> (/home/ci/a/cart.test.js:8:32)
(fail) cart > adds up [39.20ms]

 0 pass
 1 fail

1 tests failed:
(fail) cart > adds up [39.20ms]
"""
DENO = """running 1 test from ./cart.test.mjs
adds up ... FAILED (259ms)

 ERRORS

adds up => ./cart.test.mjs:6:6
error: AssertionError: Expected values to be strictly equal:

3 !== 4

  assert.strictEqual(cart.total([1, 2]), 4);
         ^
    at file:///home/ci/a/cart.test.mjs:8:10

 FAILURES

adds up => ./cart.test.mjs:6:6

FAILED | 0 passed | 1 failed (563ms)
"""
DENO_BARE = """ ERRORS

adds up => ./cart.test.mjs:6:6
error: (in promise) Error: late

empty => ./cart.test.mjs:9:6

 FAILURES
"""
MINITEST = """  1) Error:
CartTest#test_total:
NameError: undefined local variable or method `nothing' for #<CartTest:0x00007fa849f71bd0 @NAME="t", @time=0.0001>
    cart_test.rb:8:in `test_total'

1 runs, 0 assertions, 0 failures, 1 errors, 0 skips
"""
MINITEST_FAILURE = """  1) Failure:
CartTest#test_total [cart_test.rb:8]:
Expected: {:a=>1}
  Actual: {:a=>2}

1 runs, 1 assertions, 1 failures, 0 errors, 0 skips
"""
DOCTEST = """**********************************************************************
File "/home/ci/a/mod.py", line 7, in mod.total
Failed example:
    total([1, 2])
Expected:
    4
Got:
    3
**********************************************************************
1 items had failures:
   1 of   1 in mod.total
***Test Failed*** 1 failures.
"""
DOCTEST_RAISED = """**********************************************************************
File "/home/ci/a/mod.py", line ?, in mod.total
Failed example:
    total(None)
Exception raised:
    Traceback (most recent call last):
      File "/usr/lib/python3.11/doctest.py", line 1353, in __run
        exec(compile(example.source, filename, "single",
    TypeError: 'NoneType' object is not iterable
**********************************************************************
"""
BEHAVE = """Feature: cart # features/cart.feature:1

  Scenario: adds up  # features/cart.feature:4
    Given a cart     # features/steps/steps.py:4
    Then it adds up  # features/steps/steps.py:9
      ASSERT FAILED: got 3



Failing scenarios:
  features/cart.feature:4  adds up

0 features passed, 1 failed, 0 skipped
"""
BEHAVE_RAISED = """  Scenario: adds up  # features/cart.feature:4
    Then it adds up  # features/steps/steps.py:9
      Traceback (most recent call last):
        File "/home/ci/a/features/steps/steps.py", line 12, in step_impl
          int('x')
      ValueError: invalid literal for int() with base 10: 'x'


Errored scenarios:
  features/cart.feature:4  adds up
"""
BEHAVE_UNDEFINED = """  Scenario: adds up  # features/cart.feature:4
    Then it is not there  # None


Failing scenarios:
  features/cart.feature:4  adds up
"""
ROBOT = """==============================================================================
Cart :: all about it
==============================================================================
Adds Up :: it does                                                    | FAIL |
a != b
------------------------------------------------------------------------------
Cart                                                                  | FAIL |
1 test, 0 passed, 1 failed
==============================================================================
"""
PROVE = """
#   Failed test 'adds up'
#   at t/cart.t line 7.
#          got: '3'
#     expected: '4'
# Looks like you failed 1 test of 1.
t/cart.t ..
not ok 1 - adds up
Dubious, test returned 1 (wstat 256, 0x100)
Failed 1/1 subtests

Test Summary Report
-------------------
t/cart.t (Wstat: 256 (exited 1) Tests: 1 Failed: 1)
  Failed test:  1
Result: FAIL
"""
PROVE_DIED = """negative price
t/cart.t ..
Dubious, test returned 255 (wstat 65280, 0xff00)
No subtests run

Test Summary Report
-------------------
t/cart.t (Wstat: 65280 (exited 255) Tests: 0 Failed: 0)
  Non-zero exit status: 255
  Parse errors: No plan found in TAP output
Files=1, Tests=0,  1 wallclock secs ( 0.02 usr  0.00 sys +  0.05 cusr  0.00 csys =  0.07 CPU)
Result: FAIL
"""
BATS = """ ✗ adds up
   (in test file ./cart.bats, line 7)
     `[ "$(total 1 2)" -eq 4 ]' failed

1 test, 1 failure
"""
BATS_TAP = """1..1
not ok 1 adds up in 12ms
# (in test file ./cart.bats, line 9)
#   `[ "$(total 1 2)" -eq 4 ]' failed
"""
BUSTED = """0 successes / 1 failure / 0 errors / 0 pending : 0.000686 seconds

Failure -> spec/cart_spec.lua @ 5
cart adds up
spec/cart_spec.lua:6: Expected objects to be equal.
Passed in:
(number) 3
Expected:
(number) 4
"""
BUSTED_ERROR = """Error -> spec/cart_spec.lua @ 5
cart adds up
(table) { code = 3 }

stack traceback:
"""
BUSTED_TAP = """not ok 1 - cart adds up
# spec/cart_spec.lua @ 5
# Failure message: spec/cart_spec.lua:6: Expected objects to be equal.
# (number) 3
1..1
"""
JUNIT5 = """Failures (1):
  JUnit Jupiter:CartTest:addsUp()
    MethodSource [className = 'shop.CartTest', methodName = 'addsUp', methodParameterTypes = '']
    => java.lang.IllegalStateException: no number
       shop.Cart.parse(Cart.java:16)
       shop.CartTest.addsUp(CartTest.java:12)
       java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)
       [...]
     Caused by: java.lang.NumberFormatException: For input string: "x"
       shop.Cart.parse(Cart.java:14)
       [...]

Test run finished after 2634 ms
"""
TAPE = """TAP version 13
# adds up
not ok 1 should be strictly equal
  ---
    operator: equal
    expected: 4
    actual:   3
    at: Test.<anonymous> (/home/ci/a/cart.test.js:7:5)
    stack: |-
      Error: should be strictly equal
          at Test.<anonymous> (/home/ci/a/cart.test.js:7:5)
  ...

1..1
# tests 1
"""
VITEST_TAP = """TAP version 13
1..1
not ok 1 - cart.test.js # time=216.21ms {
    1..1
    not ok 1 - cart # time=215.58ms {
        1..1
        not ok 1 - adds up # time=214.87ms
            ---
            error:
                name: "AssertionError"
                message: "expected 3 to be 4 // Object.is equality"
            at: "/home/ci/a/cart.test.js:10:32"
            actual: "3"
            expected: "4"
            ...
    }
}
"""
MOCHA_TAP = """not ok 1 cart deep adds up
  negative price in -4
  Error: negative price in -4
      at Object.total (cart.js:7:11)
      at Context.<anonymous> (test/cart.js:10:10)
# tests 1
1..1
"""
MOCHA = """  0 passing (112ms)
  1 failing

  1) cart
       deep
         adds up:
     Error: negative price in -4
      at Object.total (cart.js:7:11)
      at Context.<anonymous> (test/cart.js:10:10)

"""
MOCHA_DIFF = """  1 failing

  1) cart
       adds up:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

5 !== 6

      + expected - actual

      -5
      +6

      at Context.<anonymous> (test/cart.js:9:12)
"""
NODE_FILE = """node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module './not-there'
Require stack:
- /home/ci/a/n.test.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)

Node.js v20.20.2
✖ /home/ci/a/n.test.js (1355.91972ms)
  'test failed'

✖ failing tests:

test at n.test.js:1:1
✖ /home/ci/a/n.test.js (1355.91972ms)
  'test failed'
"""
BOOST = """Running 1 test case...
cart_test.cpp(9): error: in "cart/adds_up": check total({1, 2}) == 4 has failed [3 != 4]

*** 1 failure is detected in the test module "shop"
"""
BOOST_THROWN = """unknown location(0): fatal error: in "cart/adds_up": std::invalid_argument: negative price
cart_test.cpp(8): last checkpoint: "adds_up" test entry
"""
CATCH2 = """
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
t is a Catch2 v3.0.1 host application.
Run with -? for options

-------------------------------------------------------------------------------
cart adds up
  inner
-------------------------------------------------------------------------------
cart_test.cpp:8
...............................................................................

cart_test.cpp:9: FAILED:
  REQUIRE( total({1, 2}) == 4 )
with expansion:
  3 == 4

===============================================================================
test cases: 1 | 1 failed
assertions: 1 | 1 failed
"""
ELSEWHERE = {"/home/ci/a/": "/builds/7/"}

SAMPLES = {
    "playwright": Sample(
        text=PLAYWRIGHT,
        subject="cart.spec.js::cart › adds up",
        kind="Error",
        source="expect(cart.total([1, 2])).toBe(4);",
        again={**ELSEWHERE, ":7:3": ":17:3", ":9:32": ":19:32", ">  9 |": "> 19 |", "  7 |": " 17 |"},
        other={"expect(cart.total([1, 2])).toBe(4)": "expect(cart.total([2])).toBe(4)"},
    ),
    "jasmine": Sample(
        text=JASMINE,
        subject="cart adds up",
        kind="Error",
        again={**ELSEWHERE, ":7:11": ":9:11", "1) cart": "2) cart", "0.078": "1.2"},
        other={"negative price": "no price"},
    ),
    "ava": Sample(
        text=AVA,
        subject="adds up",
        kind="AssertionError",
        source="t.is(cart.total([1, 2]), 4);",
        again={"cart.test.js:7": "cart.test.js:9", "   7:": "   9:", "   8:": "  10:"},
        other={"t.is(cart.total([1, 2]), 4);": "t.is(cart.total([3]), 4);"},
    ),
    "ava, rejected": Sample(
        text=AVA_REJECTED,
        subject="adds up",
        kind="CartError",
        again={**ELSEWHERE, ":7:11": ":9:11"},
        other={"(CartError)": "(RateError)"},
    ),
    "bun": Sample(
        text=BUN,
        subject="cart.test.js::cart > adds up",
        kind="error",
        source="expect(cart.total([1, 2])).toBe(4);",
        again={**ELSEWHERE, "8 |": "18 |", ":8:32": ":18:32", "39.20ms": "1.20ms"},
        other={"8 |     expect(cart.total([1, 2])).toBe(4);": "8 |     expect(cart.total([3])).toBe(4);"},
    ),
    "deno": Sample(
        text=DENO,
        subject="cart.test.mjs::adds up",
        kind="AssertionError",
        source="assert.strictEqual(cart.total([1, 2]), 4);",
        again={**ELSEWHERE, ":8:10": ":9:10", ":6:6": ":7:6", "259ms": "7ms"},
        other={"cart.total([1, 2])": "cart.total([3])"},
    ),
    "deno, without a place": Sample(
        text=DENO_BARE, subject="cart.test.mjs::adds up", kind="Error", again={":6:6": ":7:6"}, other={"late": "early"}
    ),
    "minitest": Sample(
        text=MINITEST,
        subject="CartTest#test_total",
        kind="NameError",
        again={"0x00007fa849f71bd0": "0x00007f97eed30ee0", "@time=0.0001": "@time=0.002", "rb:8": "rb:9"},
        other={"`nothing'": "`other'"},
    ),
    "minitest, a claim": Sample(
        text=MINITEST_FAILURE,
        subject="CartTest#test_total",
        kind="Assertion",
        again={"rb:8": "rb:9", "1) F": "3) F"},
        other={"{:a=>2}": "{:a=>3}"},
    ),
    "doctest": Sample(
        text=DOCTEST,
        subject="mod.total",
        kind="doctest",
        source="total([1, 2])",
        again={**ELSEWHERE, "line 7": "line 9"},
        other={"total([1, 2])": "total([3])"},
    ),
    "doctest, raised": Sample(
        text=DOCTEST_RAISED,
        subject="mod.total",
        kind="TypeError",
        source="total(None)",
        again=ELSEWHERE,
        other={"TypeError": "ValueError"},
    ),
    "behave": Sample(
        text=BEHAVE,
        subject="features/cart.feature::adds up",
        kind="AssertionError",
        again={"feature:4": "feature:9", "steps.py:9": "steps.py:19"},
        other={"got 3": "got 5"},
    ),
    "behave, raised": Sample(
        text=BEHAVE_RAISED,
        subject="features/cart.feature::adds up",
        kind="ValueError",
        source="int('x')",
        again={**ELSEWHERE, "feature:4": "feature:9", "line 12": "line 14"},
        other={"ValueError": "KeyError"},
    ),
    "behave, undefined": Sample(
        text=BEHAVE_UNDEFINED,
        subject="features/cart.feature::adds up",
        kind="undefined",
        again={"feature:4": "feature:9"},
        other={"it is not there": "it is gone"},
    ),
    "robot": Sample(
        text=ROBOT,
        subject="Cart.Adds Up",
        kind="FAIL",
        again={"=" * 78: "=" * 60, "it does          ": "it does"},
        other={"a != b": "a != c"},
    ),
    "prove": Sample(
        text=PROVE,
        subject="adds up",
        kind="not ok",
        again={"line 7": "line 9", "not ok 1 - adds up\n": "", "t/cart.t ..\n": "t/cart.t .. \n"},
        other={"got: '3'": "got: '5'"},
    ),
    "prove, died": Sample(
        text=PROVE_DIED,
        subject="t/cart.t",
        kind="exited 255",
        again={"1 wallclock": "7 wallclock"},
        other={"negative": "no"},
    ),
    "bats": Sample(
        text=BATS,
        subject="adds up",
        kind="not ok",
        source='[ "$(total 1 2)" -eq 4 ]',
        again={BATS: BATS_TAP},
        other={"-eq 4": "-eq 5"},
    ),
    "busted": Sample(
        text=BUSTED,
        subject="spec/cart_spec.lua::cart adds up",
        kind="Failure",
        again={"@ 5": "@ 7", "lua:6:": "lua:8:", "0.000686": "0.1"},
        other={"(number) 3": "(number) 5"},
    ),
    "busted, an error": Sample(
        text=BUSTED_ERROR,
        subject="spec/cart_spec.lua::cart adds up",
        kind="Error",
        again={"@ 5": "@ 7"},
        other={"code = 3": "code = 4"},
    ),
    "busted, TAP": Sample(
        text=BUSTED_TAP,
        subject="cart adds up",
        kind="not ok",
        again={"@ 5": "@ 7", "lua:6:": "lua:8:", "not ok 1": "not ok 2"},
        other={"(number) 3": "(number) 5"},
    ),
    "JUnit 5": Sample(
        text=JUNIT5,
        subject="CartTest:addsUp()",
        kind="IllegalStateException",
        again={"Cart.java:16": "Cart.java:18", "2634": "12"},
        other={"no number": "no text"},
    ),
    "tape": Sample(
        text=TAPE,
        subject="adds up > should be strictly equal",
        kind="Error",
        again={**ELSEWHERE, ":7:5": ":9:5", "not ok 1": "not ok 3"},
        other={"actual:   3": "actual:   5"},
    ),
    "vitest, TAP": Sample(
        text=VITEST_TAP,
        subject="cart.test.js::cart > adds up",
        kind="AssertionError",
        again={**ELSEWHERE, "214.87": "1.2", ":10:32": ":12:32"},
        other={"expected 3": "expected 5"},
    ),
    "mocha, TAP": Sample(
        text=MOCHA_TAP,
        subject="cart deep adds up",
        kind="Error",
        again={":7:11": ":9:11", "not ok 1": "not ok 4"},
        other={"in -4": "in -5"},
    ),
    "mocha, nested": Sample(
        text=MOCHA,
        subject="test/cart.js::cart > deep > adds up",
        kind="Error",
        again={":7:11": ":9:11", "112ms": "3ms"},
        other={"in -4": "in -5"},
    ),
    "mocha, lines that are not indented": Sample(
        text=MOCHA_DIFF,
        subject="test/cart.js::cart > adds up",
        kind="AssertionError",
        again={":9:12": ":10:12"},
        other={"5 !== 6": "5 !== 7"},
    ),
    "node, a file": Sample(
        text=NODE_FILE,
        subject="n.test.js",
        kind="Error",
        again={**ELSEWHERE, "1355.91972ms": "7.1ms"},
        other={"'./not-there'": "'./gone'"},
    ),
    "Boost.Test": Sample(
        text=BOOST, subject="cart/adds_up", kind="error", again={"(9)": "(12)"}, other={"[3 != 4]": "[5 != 4]"}
    ),
    "Boost.Test, thrown": Sample(
        text=BOOST_THROWN, subject="cart/adds_up", kind="error", again={"(8)": "(9)"}, other={"negative": "no"}
    ),
    "Catch2": Sample(
        text=CATCH2,
        subject="cart adds up > inner",
        kind="FAILED",
        source="REQUIRE( total({1, 2}) == 4 )",
        again={"cpp:9": "cpp:12", "cpp:8": "cpp:11"},
        other={"total({1, 2})": "total({3})"},
    ),
}


def changed(text: str, changes: Mapping[str, str]) -> str:
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("name", SAMPLES)
def test_a_failure_is_named_by_its_test_and_its_class(name: str) -> None:
    sample = SAMPLES[name]
    (failure,) = read(sample.text)
    assert (failure.subject, failure.kind, failure.source_line) == (sample.subject, sample.kind, sample.source)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_failure_in_another_place_is_the_same(name: str) -> None:
    sample = SAMPLES[name]
    assert known(changed(sample.text, sample.again)) == known(sample.text)


@pytest.mark.parametrize("name", SAMPLES)
def test_another_failure_of_the_same_test_is_another(name: str) -> None:
    sample = SAMPLES[name]
    assert not known(changed(sample.text, sample.other)) & known(sample.text)


@pytest.mark.parametrize(
    "text",
    [
        'File "/home/ci/a/mod.py", line 7, in total\nsomething\nFailed example: none',
        "    MethodSource [className = 'shop.CartTest']\n    nothing\nTest run finished after 1 ms",
        "  note: ✘ [fail]: adds up\n  ─\n",
        "  1) Error:\nno name here\n",
        " ✗ adds up\n   it is what it is\n",
        "cart_test.cpp:9: PASSED:\n  REQUIRE( true )\ncart_test.cpp:10: failed",
    ],
)
def test_what_only_looks_like_a_report_names_no_test(text: str) -> None:
    assert {failure.subject for failure in read(text)} <= {"", "cart_test.cpp"}


def test_a_scenario_whose_steps_are_not_shown_is_known_by_its_name() -> None:
    for shown in (
        "",
        "  Scenario: adds up  # features/cart.feature:4\n    Given a cart  # features/steps/steps.py:4\n",
    ):
        (failure,) = read(f"{shown}\nFailing scenarios:\n  features/cart.feature:4  adds up\n")
        assert failure.subject == "features/cart.feature::adds up"


def test_a_test_of_robot_has_the_same_name_in_dotted_output() -> None:
    dotted = f"{'=' * 78}\nF\n{'-' * 78}\nFAIL: Cart.Adds Up\na != b\n{'=' * 78}\nFAILED\n"
    assert known(dotted) == known(ROBOT)


def test_what_a_test_of_pytest_printed_is_not_its_failure() -> None:
    output = """=================================== FAILURES ===================================
__________________________________ test_total __________________________________
Traceback (most recent call last):
  File "/home/ci/a/tests/test_cart.py", line 9, in test_total
    assert total([2]) == 3
AssertionError: assert 2 == 3
----------------------------- Captured stderr call -----------------------------
E   ValueError: noise
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - AssertionError: assert 2 == 3
"""
    (failure,) = read(output)
    assert (failure.kind, failure.source_line) == ("AssertionError", "assert total([2]) == 3")


def test_a_file_of_node_that_cannot_be_loaded_is_the_same_in_both_reports() -> None:
    tap = """TAP version 13
# Error: Cannot find module './not-there'
# Require stack:
# - /home/ci/a/n.test.js
#     at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
# Subtest: /home/ci/a/n.test.js
not ok 1 - /home/ci/a/n.test.js
  ---
  location: '/home/ci/a/n.test.js:1:1'
  failureType: 'testCodeFailure'
  error: 'test failed'
  ...
"""
    (failure,) = read(tap)
    assert (failure.subject, failure.kind, failure.phase) == ("n.test.js", "Error", Phase.COLLECT)
    assert known(tap) == known(NODE_FILE)


GROUP = """======================================================================
ERROR: test_total (test_cart.CartTest.test_total)
----------------------------------------------------------------------
  + Exception Group Traceback (most recent call last):
  |   File "/home/ci/shop/test_cart.py", line 8, in test_total
  |     cart.both()
  |   File "/home/ci/shop/shop/cart.py", line 22, in both
  |     raise ExceptionGroup("two", [ValueError("first"), KeyError("second")])
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/home/ci/shop/shop/inner.py", line 2, in inner
    |     raise ValueError("first")
    | ValueError: first
    +---------------- 2 ----------------
    | KeyError: 'second'
    +------------------------------------

----------------------------------------------------------------------
Ran 1 test in 0.001s

FAILED (errors=1)
"""


def test_an_exception_group_is_one_exception_with_those_in_it_as_its_message() -> None:
    (failure,) = read(GROUP)
    assert (failure.subject, failure.kind) == ("test_cart.py::CartTest::test_total", "ExceptionGroup")
    assert failure.message == "two (2 sub-exceptions)\n  ValueError: first\n  KeyError: 'second'"
    assert failure.source_line == 'raise ExceptionGroup("two", [ValueError("first"), KeyError("second")])'


def test_a_program_that_ends_with_an_exception_group_crashed() -> None:
    group = "\n".join(GROUP.split("\n")[3:17])
    (failure,) = read(f"starting\n{group}\n")
    assert (failure.subject, failure.kind, failure.test) == ("", "ExceptionGroup", False)


@pytest.mark.parametrize(
    ("told", "path", "subject"),
    [
        ("test_a (tests.unit.test_x.Case.test_a)", "/w/tests/unit/test_x.py", "tests/unit/test_x.py::Case::test_a"),
        ("test_a (tests.test_x.case.test_a)", "/w/tests/test_x.py", "tests/test_x.py::case::test_a"),
        ("test_a (tests.test_x.Outer.Case)", "/w/base.py", "tests/test_x.py::Outer::Case::test_a"),
        ("test_a (lower.case.test_a)", "/w/base.py", "lower::case::test_a"),
        ("setUpClass (tests.test_x.Case)", "/w/tests/test_x.py", "tests/test_x.py::Case::setUpClass"),
        ("test_x (unittest.loader._FailedTest.test_x)", "/w/test_x.py", "test_x.py"),
    ],
)
def test_the_id_of_a_unittest_is_made_of_its_file_class_and_method(told: str, path: str, subject: str) -> None:
    (failure,) = read(
        f'======\nERROR: {told}\n------\nTraceback (most recent call last):\n  File "{path}", line 3, in x\n    y()\n'
        "NameError: y\n\n------\nRan 1 test in 0.001s\n\nFAILED (errors=1)\n"
    )
    assert failure.subject == subject
    assert failure.hides_others == ("_FailedTest" in told)


def _pytest_output(section: str, summary: str, *, what: str = "FAILURES", name: str = "test_total") -> str:
    return f"==== {what} ====\n____ {name} ____\n{section}\n==== short test summary info ====\n{summary}\n==== 1 failed ====\n"


def test_below_a_traceback_the_message_may_look_like_an_exception() -> None:
    native = (
        'Traceback (most recent call last):\n  File "/w/tests/test_a.py", line 5, in test_total\n    m.assert_called()\n'
        "AssertionError: expected call not found.\nExpected: mock(1)\n  Actual: mock(2)"
    )
    (failure,) = read(_pytest_output(native, "FAILED tests/test_a.py::test_total - AssertionError: expected call..."))
    assert (failure.kind, failure.source_line) == ("AssertionError", "m.assert_called()")


def test_what_pytest_makes_of_an_import_error_is_no_part_of_it() -> None:
    short = "tests/test_a.py:1: in <module>\n    import nothing\nE   ModuleNotFoundError: No module named 'nothing'"
    full = f"{short}\nE   _pytest.nodes.Collector.CollectError: ImportError while importing test module"
    summary, name = "ERROR tests/test_a.py", "ERROR collecting tests/test_a.py"
    one, other = (_pytest_output(text, summary, what="ERRORS", name=name) for text in (short, full))
    assert known(one) == known(other)


def test_the_values_of_a_subtest_are_the_same_when_a_worker_sent_them() -> None:
    section = "    def test_total(self):\n>       check(n)\nE       ValueError: 0\n\ntests/test_a.py:5: ValueError"
    one, other = (
        _pytest_output(
            section, f"FAILED tests/test_a.py::test_total (n={n}) - ValueError: 0", name=f"test_total (n={n})"
        )
        for n in ("0", "'0'")
    )
    assert known(one) == known(other)
    assert read(one)[0].subject == "tests/test_a.py::test_total (n=0)"


AGGREGATE = """F

Failures:

  1) cart adds up
     Got 2 failures from failure aggregation block.
     # ./spec/cart_spec.rb:7:in `block (2 levels) in <top (required)>'

     1.1) Failure/Error: expect(1).to eq(2)

            expected: 2
                 got: 1

            (compared using ==)
          # ./spec/cart_spec.rb:7:in `block (3 levels) in <top (required)>'

     1.2) Failure/Error: expect(3).to eq(4)

            expected: 4
                 got: 3

            (compared using ==)
          # ./spec/cart_spec.rb:8:in `block (3 levels) in <top (required)>'

Finished in 0.2784 seconds (files took 2.04 seconds to load)
1 example, 1 failure
"""


def test_failures_that_rspec_aggregates_are_one_failure_of_the_example() -> None:
    (failure,) = read(AGGREGATE)
    assert (failure.subject, failure.kind) == ("cart adds up", "ExpectationNotMetError")
    assert failure.source_line == "expect(1).to eq(2)\nexpect(3).to eq(4)"
    assert known(AGGREGATE) == known(AGGREGATE.replace("rb:7", "rb:19").replace("Finished in 0.27", "Finished in 0.9"))
    assert known(AGGREGATE) != known(AGGREGATE.replace("expect(3).to eq(4)", "expect(3).to eq(5)"))


def test_aggregated_failures_without_a_stack_are_known_by_what_was_expected() -> None:
    bare = "\n".join(line for line in AGGREGATE.split("\n") if "# ./spec" not in line)
    (failure,) = read(bare)
    assert failure.source_line is None
    assert "expected: 4" in failure.message


def test_a_numbered_line_of_rspec_that_tells_no_failure_is_none() -> None:
    text = AGGREGATE.replace(
        "  1) cart adds up\n     Got 2", "  1) pending thing\n     Not yet\n\n  2) cart adds up\n     Got 2"
    )
    assert [failure.subject for failure in read(text)] == ["cart adds up"]


NODE_THROWN = """▶ cart
  ✖ adds up (1.2ms)
▶ cart (2.1ms)

✖ failing tests:

test at n.test.js:9:3
✖ adds up (1.2ms)
  'just text'
"""
TAP_THROWN = """TAP version 13
# Subtest: cart
    # Subtest: adds up
    not ok 1 - adds up
      ---
      duration_ms: 1.2
      location: '/w/n.test.js:9:3'
      failureType: 'testCodeFailure'
      error: 'just text'
      code: 'ERR_TEST_FAILURE'
      ...
    1..1
not ok 1 - cart
  ---
  failureType: 'subtestsFailed'
  ...
"""


def test_a_thrown_text_is_the_same_in_both_reports_of_node() -> None:
    assert known(NODE_THROWN) == known(TAP_THROWN)
    assert read(NODE_THROWN.replace("'just text'", "Input:\n\n  'hello'"))[0].message == "Input:\n'hello'"


@pytest.mark.parametrize("arrow", ["->", "→"])
def test_a_file_that_lua_cannot_read_is_a_failure_of_the_file(arrow: str) -> None:
    (failure,) = read(
        "✱\n0 successes / 0 failures / 1 error / 0 pending : 0.000036 seconds\n\n"
        f"Error {arrow} spec/cart_spec.lua:2: <name> or '...' expected near 'end'\nspec/cart_spec.lua\n"
    )
    assert (failure.subject, failure.phase, failure.line) == ("spec/cart_spec.lua", Phase.COLLECT, 2)
    assert failure.message == "<name> or '...' expected near 'end'"


GO_EXAMPLE = "--- FAIL: ExampleTotal (0.00s)\ngot:\n1\nwant:\n2\nFAIL\nFAIL\texample.com/shop\t0.004s\nFAIL\n"
GO_PANIC = """--- FAIL: TestPay (0.00s)
    --- FAIL: TestPay/inner_case (0.00s)
panic: runtime error: invalid memory address or nil pointer dereference [recovered]
\tpanic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4f2a3b]

goroutine 8 [running]:
example.com/shop/bank.(*Account).Pay(...)
\t/home/ci/shop/bank/bank.go:12
example.com/shop/bank.TestPay.func1(0xc000115380)
\t/home/ci/shop/bank/bank_test.go:18 +0x1a
FAIL\texample.com/shop/bank\t0.009s
"""
GO_BACKGROUND = """panic: in the background

goroutine 7 [running]:
example.com/shop.TestTotal.func1()
\t/home/ci/shop/cart_test.go:24 +0x27
created by example.com/shop.TestTotal
\t/home/ci/shop/cart_test.go:24 +0x25
FAIL\texample.com/shop\t0.007s
"""


def test_an_example_of_go_is_known_by_what_it_printed() -> None:
    assert read(GO_EXAMPLE)[0].message == "got:\n1\nwant:\n2"
    assert known(GO_EXAMPLE) != known(GO_EXAMPLE.replace("got:\n1", "got:\n7"))


def test_a_panic_belongs_to_the_innermost_test_above_it() -> None:
    assert [failure.subject for failure in read(GO_PANIC)] == ["example.com/shop/bank.TestPay/inner_case"]


@pytest.mark.parametrize("beside", ["", "ok  \texample.com/shop/sub\t0.004s\nFAIL\n", "--- PASS: TestA (0.00s)\n"])
def test_a_panic_without_a_result_belongs_to_the_package_that_ends_below_it(beside: str) -> None:
    assert [failure.subject for failure in read(GO_BACKGROUND + beside)] == ["example.com/shop.TestTotal"]
    assert [failure.subject for failure in read(beside + GO_BACKGROUND)] == ["example.com/shop.TestTotal"]


def test_a_panic_of_a_log_that_was_cut_off_has_no_package() -> None:
    assert [failure.subject for failure in read(f"FAIL\tx\t[build failed]\n{GO_BACKGROUND.rpartition('FAIL')[0]}")] == [
        "TestTotal"
    ]


def test_a_test_that_prints_the_word_panic_did_not_panic() -> None:
    output = (
        "=== RUN   TestTotal\npanic: noise\n    cart_test.go:9: wrong\n--- FAIL: TestTotal (0.00s)\nFAIL\n"
        "FAIL\texample.com/shop\t0.004s\nFAIL\n"
    )
    (failure,) = read(output)
    assert (failure.kind, failure.message) == ("FAIL", "wrong")


@pytest.mark.parametrize("verbose", ["", "=== RUN   TestTotal\n"])
def test_a_package_whose_program_left_early_failed_as_a_whole(verbose: str) -> None:
    (failure,) = read(f"ok  \ta\t0.1s\n{verbose}no database\nexit status 3\nFAIL\texample.com/shop\t0.009s\nFAIL\n")
    assert (failure.subject, failure.message, failure.test) == ("example.com/shop", "no database", False)


CAPTURED_ERROR = """running 1 test
test inner::pops ... FAILED

failures:

---- inner::pops stdout ----
started
Error: Empty


failures:
    inner::pops

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
STREAMED_ERROR = """running 2 tests
test inner::other ... ignored, later
test inner::pops ... started
Error: Empty
FAILED

failures:

failures:
    inner::pops

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""


def test_an_error_that_a_test_of_rust_returns_is_the_same_when_nothing_is_captured() -> None:
    assert read(CAPTURED_ERROR)[0].message == "Error: Empty"
    assert known(CAPTURED_ERROR) == known(STREAMED_ERROR)
    assert known(CAPTURED_ERROR) != known(CAPTURED_ERROR.replace("Error: Empty", "Error: Full"))


def test_a_hint_of_pytest_is_no_class_of_an_exception() -> None:
    section = "import file mismatch:\nE   import file mismatch:\nE   imported module 'a'\nE   HINT: remove __pycache__"
    (failure,) = read(
        _pytest_output(section, "ERROR tests/test_a.py", what="ERRORS", name="ERROR collecting tests/test_a.py")
    )
    assert failure.kind == "AssertionError"


JUNIT_TREE = """Test plan execution started. Number of static tests: 1
╷
├─ JUnit Jupiter
│  ├─ CartTest
│  │  ├─ addsUp()
│  │  │       tags: []
│  │  │   uniqueId: [engine:junit-jupiter]/[class:shop.CartTest]/[method:addsUp()]
│  │  │     parent: [engine:junit-jupiter]/[class:shop.CartTest]
│  │  │     source: MethodSource [className = 'shop.CartTest', methodName = 'addsUp', methodParameterTypes = '']
│  │  │     caught: org.opentest4j.AssertionFailedError: the sum ==> expected: <4> but was: <3>
│  │  │               \tat org.junit.jupiter.api.AssertEquals.assertEquals(AssertEquals.java:150)
│  │  │               \tat shop.CartTest.addsUp(CartTest.java:13)
│  │  │   duration: 1563 ms
│  │  │     status: ✘ FAILED
│  └─ CartTest finished after 2387 ms.
└─ JUnit Jupiter finished after 3635 ms.
"""
JUNIT_LIST = """Failures (1):
  JUnit Jupiter:CartTest:addsUp()
    MethodSource [className = 'shop.CartTest', methodName = 'addsUp', methodParameterTypes = '']
    => org.opentest4j.AssertionFailedError: the sum ==> expected: <4> but was: <3>
       org.junit.jupiter.api.AssertEquals.assertEquals(AssertEquals.java:150)
       shop.CartTest.addsUp(CartTest.java:12)
       [...]

Test run finished after 2405 ms
"""


def test_the_verbose_tree_of_junit_tells_the_same_failures_as_its_list() -> None:
    assert known(JUNIT_TREE) == known(JUNIT_LIST)
    (failure,) = read(JUNIT_TREE)
    assert (failure.file, failure.line) == ("shop/CartTest.java", 13)


CARGO_ABORTED = """warning: unused import: `super::*`
 --> tests/queue.rs:4:9
  |
4 |     use super::*;
  |         ^^^^^^^^

     Running tests/queue.rs (/home/ci/shop/target/debug/deps/queue-76e30ed5254c3bc7)

running 1 test
error: test failed, to rerun pass `--test queue`

Caused by:
  process didn't exit successfully: `/home/ci/shop/target/debug/deps/queue-76e30ed5254c3bc7` (signal: 6, SIGABRT: process abort signal)
"""
OVERFLOWED = """
thread 'inner::pops' (16196) has overflowed its stack
fatal runtime error: stack overflow, aborting
error: test failed"""


def test_a_program_of_tests_that_a_signal_ended_failed_as_a_whole() -> None:
    (failure,) = read(CARGO_ABORTED)
    assert (failure.subject, failure.kind, failure.test) == ("--test queue", "SIGABRT", False)
    left = CARGO_ABORTED.replace("signal: 6, SIGABRT: process abort signal", "exit status: 3")
    assert read(left)[0].kind == "exit status: 3"


def test_a_test_that_overflowed_the_stack_is_named_by_its_thread() -> None:
    (failure,) = read(CARGO_ABORTED.replace("error: test failed", OVERFLOWED))
    assert (failure.subject, failure.kind, failure.test) == ("inner::pops", "stack overflow", True)


def test_another_program_of_cargo_that_was_ended_is_no_test() -> None:
    text = CARGO_ABORTED.replace("error: test failed, to rerun pass `--test queue`", "error: test failed, to nothing")
    assert "--test queue" not in {failure.subject for failure in read(text)}


def test_a_warning_of_the_compiler_is_no_failure_beside_one_of_a_test() -> None:
    warning = "a.c:3:7: warning: unused variable 'x' [-Wunused-variable]\n    3 |   int x;\n      |       ^\n"
    assert known(warning + GO_EXAMPLE) == known(GO_EXAMPLE)
    error = warning.replace("warning", "error")
    assert known(error + GO_EXAMPLE) > known(GO_EXAMPLE)


def test_a_test_of_robot_that_passes_is_not_the_suite_of_the_next_one() -> None:
    first = f"Fine{' ' * 66}| PASS |\n{'-' * 78}\n"
    begin, rule, rest = ROBOT.partition("Adds Up")
    assert known(begin + first + rule + rest) == known(ROBOT)


def test_what_behave_advises_is_no_part_of_an_undefined_step() -> None:
    output = """Feature: cart # features/cart.feature:1

  Scenario: adds up      # features/cart.feature:4
    Given a cart         # features/steps/steps.py:4
    Then it is not there # None


You can implement step definitions for undefined steps with these snippets:

from behave.api.pending_step import StepNotImplementedError
@then(u'it is not there')
def step_impl(context):
    raise StepNotImplementedError(u'Then it is not there')



Errored scenarios:
  features/cart.feature:4  adds up
"""
    (failure,) = read(output)
    assert (failure.subject, failure.kind) == ("features/cart.feature::adds up", "undefined")
    assert failure.message == "Then it is not there"


CTEST_SHOWN = """Test project /home/ci/shop/b
    Start 1: adds
1/2 Test #1: adds .............................Subprocess aborted***Exception:   0.11 sec
adds: /home/ci/shop/adds.c:7: main: Assertion `1 + 1 == 3' failed.

    Start 2: fine
2/2 Test #2: fine .............................   Passed    0.00 sec

50% tests passed, 1 tests failed out of 2
"""
CTEST_VERBOSE = """test 1
    Start 1: adds

1: Test command: /builds/7/shop/b/adds
1: Working Directory: /builds/7/shop/b
1: Test timeout computed to be: 1500
1: adds: /builds/7/shop/adds.c:19: main: Assertion `1 + 1 == 3' failed.
1/2 Test #1: adds .............................Subprocess aborted***Exception:   0.13 sec
test 2
    Start 2: fine

2: Test command: /builds/7/shop/b/fine
2/2 Test #2: fine .............................   Passed    0.00 sec
"""


def test_what_a_test_of_ctest_said_is_the_same_when_it_is_streamed() -> None:
    assert known(CTEST_SHOWN) == known(CTEST_VERBOSE)
    assert known(CTEST_VERBOSE) != known(CTEST_VERBOSE.replace("1 + 1", "2 + 2"))
    counted = CTEST_SHOWN.replace("adds: /home", "1: adds: /home")
    assert read(counted)[0].message.startswith("1: adds: ")


def test_a_package_that_panics_before_its_tests_is_no_test() -> None:
    output = "panic: no config\n\ngoroutine 1 [running]:\nexample.com/shop.init.0()\n\t/w/a.go:9\nFAIL\texample.com/shop\t0.009s\n"
    (failure,) = read(output)
    assert (failure.kind, failure.message, failure.test) == ("panic", "no config", False)


def test_a_panic_without_a_stack_is_not_read_as_one_with_a_stack() -> None:
    (failure,) = read("the goroutine said\npanic: no config\nexit status 2\n")
    assert (failure.kind, failure.subject) == ("exit", "")
