"""Runners of other languages and of C: is a failing test known again elsewhere, and told apart from its other failures?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    text: str
    subject: str
    kind: str
    again: Mapping[str, str] = field(default_factory=dict)
    """What another run in another place, after an edit above, prints instead."""
    other: Mapping[str, str]
    """What makes another failure of it."""


def read(text: str) -> tuple[Failure, ...]:
    return failures_from_text("check", text, exit_code=1, sources=lambda _: None)


def identities(text: str) -> set[str]:
    return set(map(fingerprint, read(text)))


def replaced(text: str, changes: Mapping[str, str]) -> str:
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


SCALATEST = """\
[info] CartSpec:
[info] a cart
[info] - should sum its prices *** FAILED *** (780 milliseconds)
[info]   3 did not equal 4 (CartSpec.scala:14)
[info] Run completed in 808 milliseconds.
[info] *** 1 TEST FAILED ***
[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful
"""
DART = """\
00:01 +1: test/cart_test.dart: a cart sums its prices
00:01 +1 -1: test/cart_test.dart: a cart sums its prices [E]
  Expected: <4>
    Actual: <3>

  package:matcher                  expect
  test/cart_test.dart 12:5       main.<fn>.<fn>

00:02 +2 -1: Some tests failed.
"""
GINKGO = """\
------------------------------
• [FAILED] [0.330 seconds]
Cart [It] sums its prices
/home/ci/cart_test.go:12

  [FAILED] Expected
      <int>: 3
  to equal
      <int>: 4
  In [It] at: /home/ci/cart_test.go:14 @ 03/02/26 11:22:33.244
------------------------------
"""
EXUNIT = """\
  1) test find a price (StoreTest)
     store_test.exs:15
     Assertion with == failed
     code:  assert Store.find(%{a: 3}, :a) == 4
     left:  3
     right: 4
     stacktrace:
       store_test.exs:16: (test)

Finished in 0.6 seconds (0.5s on load, 0.00s async, 0.05s sync)
2 tests, 1 failure

Randomized with seed 342815
"""
WARD = """\
 FAIL  test_store:11 a price is found                                       100%

─────────────────────────────── a price is found ───────────────────────────────

  Failed at test_store.py:13

      11 @test('a price is found')
      12 def _():
    ❱ 13     assert find({'a': 3}, 'a') == 4

────────────────────────────────────────────────────────────────────────────────
"""
WARD_RAISED = """\
─────────────────────────────── a price is found ───────────────────────────────

  Failed at test_store.py
  ╭─────────────────── Traceback (most recent call last) ────────────────────╮
  │ /home/ci/store.py:9 in find                                              │
  │ ❱  9 │   │   raise Missing(name)                                         │
  ╰──────────────────────────────────────────────────────────────────────────╯
  Missing: 'pear'
──────────────────────────── FAILED in 0.32 seconds ────────────────────────────
"""
TEST_UNIT = """\
===============================================================================
Failure: test_find(StoreTest)
test_store.rb:11:in `test_find'
     10:   def test_find
  => 11:     assert_equal 4, find({ 'a' => 3 }, 'a')
     12:   end
<4> expected but was
<3>
===============================================================================
Finished in 0.056833949 seconds.
"""
CPPUNIT = """\
!!!FAILURES!!!
Test Results:
Run:  2   Failures: 1   Errors: 0


1) test: CartTest::testTotal (F) line: 16 /home/ci/cart_test.cpp
equality assertion failed
- Expected: 4
- Actual  : 3

"""
CPPUTEST = """\
/home/ci/cart_test.cpp:8: error: Failure in TEST(Cart, Total)
	LONGS_EQUAL(4, total({1, 2})) failed
	expected <4 (0x4)>
	but was  <3 (0x3)>

Errors (1 failures, 2 tests, 2 ran, 2 checks, 0 ignored, 0 filtered out, 15 ms)
"""
CHECK = """\
Running suite(s): Cart
50%: Checks: 2, Failures: 1, Errors: 0
/home/ci/cart_test.c:13:F:Core:test_total:0: cart 7 is too cheap
"""
DOCTEST = """\
===============================================================================
/home/ci/cart_test.cpp:6:
TEST CASE:  the total of a cart
  with two items

/home/ci/cart_test.cpp:5: SUCCESS: CHECK( total({}) == 0 ) is correct!
  values: CHECK( 0 == 0 )

/home/ci/cart_test.cpp:7: FATAL ERROR: REQUIRE( total({1, 2}) == 4 ) is NOT correct!
  values: REQUIRE( 3 == 4 )

[doctest] Status: FAILURE!
"""
BOOST = """\
Entering test module "shop"
/home/ci/cart_test.cpp(8): Entering test case "sum"
/home/ci/cart_test.cpp(10): error: in "cart/sum": check { a } == { b } has failed.
Mismatch at position 1: 2 != 3
/home/ci/cart_test.cpp(8): Leaving test case "sum"; testing time: 93us

*** 1 failure is detected in the test module "shop"
"""
GTEST_BRIEF = """\
Running main() from gtest_main.cc
/home/ci/cart_test.cpp:8: Failure
Expected: (total({GetParam()})) < (9), actual: 10 vs 9
[  FAILED  ] Prices/Sum.IsSmall/2, where GetParam() = 8 (0 ms)
[==========] 3 tests from 2 test suites ran. (0 ms total)
"""
GTEST_ABORTED = """\
[ RUN      ] Cart.Empty
[       OK ] Cart.Empty (0 ms)
[ RUN      ] Cart.Total
terminate called after throwing 'Missing'
make: *** [Makefile:4: all] Error 2
"""
PHPSTAN = """\
 ------ ----------------------------------------------
  Line   src/Cart.php
 ------ ----------------------------------------------
  14     Undefined variable:
         $total
         🪪  variable.undefined
 ------ ----------------------------------------------

 [ERROR] Found 1 error
"""
DJANGO = """\
SystemCheckError: System check identified some issues:

ERRORS:
shop.Item.owner: (fields.E300) Field defines a relation with model 'shop.Owner'.

System check identified 1 issue (0 silenced).
"""
GHC = """\
Main.hs:7:11: error:
    • Couldn't match type ‘[Char]’ with ‘Int’
      Expected: Int
  |
7 | twice n = "x"
  |           ^^^
"""
INSTA = """\
running 1 test
test tests::prints ... FAILED

failures:

---- tests::prints stdout ----
Expression: cart.total()
    0       │-4
          0 │+3
thread 'tests::prints' panicked at /home/ci/.cargo/registry/src/x/insta-1.34.0/src/runtime.rs:563:9:
snapshot assertion for 'prints' failed in line 14

failures:
    tests::prints

test result: FAILED. 0 passed; 1 failed; 0 ignored
"""
PROPTEST = """\
running 1 test
test tests::sums ... FAILED

failures:

---- tests::sums stdout ----
thread 'tests::sums' panicked at src/lib.rs:14:5:
Test failed: assertion failed: total(&prices) < 100 at src/lib.rs:16.
	successes: 620
	local rejects: 0

test result: FAILED. 0 passed; 1 failed; 0 ignored
"""
AVA = """\
  ✘ [fail]: a price is found
  ─

  a price is found

  store.test.js:8

   8:   t.is(find({ a: 3 }, 'a'), 4);

  Difference (- actual, + expected):

  - 3
  + 4

  ─

  1 test failed
"""
CATCH = """\
-------------------------------------------------------------------------------
the total of a cart
-------------------------------------------------------------------------------
/home/ci/cart_test.cpp:10
...............................................................................

/home/ci/cart_test.cpp:9: PASSED:
  CHECK( total({}) == 0 )
with expansion:
  0 == 0

/home/ci/cart_test.cpp:10: FAILED:
due to unexpected exception with message:
  negative amount

===============================================================================
test cases: 2 | 1 passed | 1 failed
"""
SAMPLES = {
    "Catch2 with what passed": Sample(
        text=CATCH,
        subject="the total of a cart",
        kind="FAILED",
        again={"/home/ci": "/builds/7", "cpp:10": "cpp:44", "cpp:9": "cpp:43"},
        other={"negative amount": "no such price"},
    ),
    "ScalaTest": Sample(
        text=SCALATEST,
        subject="CartSpec::should sum its prices",
        kind="FAILED",
        again={"780": "12", "scala:14": "scala:44", "808": "9"},
        other={"3 did": "5 did"},
    ),
    "ScalaTest without sbt and without a place": Sample(
        text="- sums *** FAILED ***\n  java.util.NoSuchElementException: key not found: pear\n",
        subject="sums",
        kind="NoSuchElementException",
        again={"- sums": "[info] - sums", "  java": "[info]   java"},
        other={"pear": "apple"},
    ),
    "Dart": Sample(
        text=DART,
        subject="test/cart_test.dart::a cart sums its prices",
        kind="failed",
        again={"00:01 +1": "00:07 +4 ~1", "12:5": "31:5"},
        other={"Actual: <3>": "Actual: <5>"},
    ),
    "Dart with one file": Sample(
        text="00:01 +1 -1: sums [E]\n  Invalid argument(s): no pear\n  dart:core  List.[]\n00:01 +1 -1: done\n",
        subject="sums",
        kind="failed",
        other={"pear": "apple"},
    ),
    "Ginkgo": Sample(
        text=GINKGO,
        subject="Cart [It] sums its prices",
        kind="FAILED",
        again={"0.330": "1.2", "/home/ci/": "/builds/7/", ":14 @": ":31 @"},
        other={"<int>: 4": "<int>: 5"},
    ),
    "Ginkgo without a place": Sample(
        text="• [PANICKED] [0.1 seconds]\nCart [It] sums\n------------------------------\n",
        subject="Cart [It] sums",
        kind="PANICKED",
        other={"PANICKED": "TIMEDOUT"},
    ),
    "ExUnit": Sample(
        text=EXUNIT,
        subject="StoreTest::test find a price",
        kind="ExUnit.AssertionError",
        again={"exs:15": "exs:35", "exs:16": "exs:36", "0.6 sec": "1.6 sec", "342815": "7", "  1) ": "  3) "},
        other={"== 4": "== 5"},
    ),
    "ExUnit, raised": Sample(
        text="  1) test a (StoreTest)\n     store_test.exs:15\n     ** (KeyError) key :pear not found\n     stacktrace:\n",
        subject="StoreTest::test a",
        kind="KeyError",
        other={":pear": ":apple"},
    ),
    "ExUnit, without a word": Sample(
        text="  1) test a (StoreTest)\n     store_test.exs:15\n     stacktrace:\n       store_test.exs:16: (test)\n",
        subject="StoreTest::test a",
        kind="ExUnit.AssertionError",
        other={"test a": "test b"},
    ),
    "ward": Sample(
        text=WARD,
        subject="test_store.py::a price is found",
        kind="AssertionError",
        again={"py:13": "py:44", "❱ 13": "❱ 44", "11 @": "42 @"},
        other={"== 4": "> 8"},
    ),
    "ward, raised": Sample(
        text=WARD_RAISED,
        subject="test_store.py::a price is found",
        kind="Missing",
        again={"/home/ci": "/builds", "❱  9": "❱ 19"},
        other={"raise Missing(name)": "raise Missing()   "},
    ),
    "ward, without title and code": Sample(
        text="\n  Failed at test_store.py:13\n  KeyError: 'a'\n",
        subject="test_store.py",
        kind="KeyError",
        again={":13": ":31"},
        other={"'a'": "'b'"},
    ),
    "ward, with an arrow at an empty line": Sample(
        text="\n  Failed at test_store.py:13\n    ❱ 13\n",
        subject="test_store.py",
        kind="AssertionError",
        again={"13": "31"},
        other={"test_store": "test_shop"},
    ),
    "test-unit": Sample(
        text=TEST_UNIT,
        subject="test_find(StoreTest)",
        kind="Failure",
        again={"11": "31", "10:": "30:", "12:": "32:", "0.0568": "0.1"},
        other={"assert_equal 4": "assert_equal 5"},
    ),
    "test-unit without code": Sample(
        text="\nError: test_find(StoreTest): KeyError: no pear\nlib.rb:3:in `find'\n=====\n",
        subject="test_find(StoreTest)",
        kind="KeyError",
        again={":3:": ":5:"},
        other={"pear": "apple"},
    ),
    "test-unit without a stack": Sample(
        text="\nFailure: test_find(StoreTest)\n  => 11:     assert false\n=====\n",
        subject="test_find(StoreTest)",
        kind="Failure",
        again={"11": "31"},
        other={"test_find": "test_lose"},
    ),
    "CppUnit": Sample(
        text=CPPUNIT,
        subject="CartTest::testTotal",
        kind="Failure",
        again={"/home/ci": "/builds/7", "line: 16": "line: 61", "1) test": "4) test"},
        other={"Actual  : 3": "Actual  : 5"},
    ),
    "CppUnit, an error": Sample(
        text="!!!FAILURES!!!\n1) test: CartTest::testTotal (E)\nuncaught exception of type std::out_of_range\n- map::at\n",
        subject="CartTest::testTotal",
        kind="Error",
        other={"out_of_range": "logic_error"},
    ),
    "CppUTest": Sample(
        text=CPPUTEST,
        subject="Cart, Total",
        kind="Failure",
        again={"/home/ci": "/builds/7", "cpp:8:": "cpp:18:", "15 ms": "3 ms"},
        other={"LONGS_EQUAL(4": "LONGS_EQUAL(5"},
    ),
    "Check": Sample(
        text=CHECK,
        subject="Core::test_total",
        kind="Failure",
        again={"/home/ci": "/builds/7", ":13:": ":31:", "50%: Checks: 2": "67%: Checks: 3"},
        other={"too cheap": "too dear"},
    ),
    "Check, in a loop": Sample(
        text="50%: Checks: 2, Failures: 0, Errors: 1\na.c:12:E:Core:test_total:3: Received signal 11\n",
        subject="Core::test_total:3",
        kind="Error",
        again={":12:": ":21:"},
        other={"signal 11": "signal 6"},
    ),
    "doctest": Sample(
        text=DOCTEST,
        subject="the total of a cart > with two items",
        kind="FAILED",
        again={"/home/ci": "/builds/7", "cpp:7": "cpp:17", "cpp:6": "cpp:16"},
        other={"({1, 2}) == 4": "({1, 2}) == 5"},
    ),
    "doctest, raised": Sample(
        text="\nTEST CASE:  sums\n\ncart.cpp(6): ERROR: test case THREW exception: no pear\n\n",
        subject="sums",
        kind="FAILED",
        again={"(6)": "(16)"},
        other={"pear": "apple"},
    ),
    "Boost.Test with its log": Sample(
        text=BOOST,
        subject="cart/sum",
        kind="error",
        again={"/home/ci": "/builds/7", "(10)": "(20)", "93us": "7us"},
        other={"2 != 3": "2 != 4"},
    ),
    "GoogleTest, brief": Sample(
        text=GTEST_BRIEF,
        subject="Prices/Sum.IsSmall/2",
        kind="Failure",
        again={"/home/ci": "/builds/7", "cpp:8": "cpp:18"},
        other={"10 vs 9": "11 vs 9"},
    ),
    "GoogleTest, ended in a test": Sample(
        text=GTEST_ABORTED,
        subject="Cart.Total",
        kind="crash",
        again={"Makefile:4": "Makefile:9"},
        other={"'Missing'": "'Broken'"},
    ),
    "GoogleTest, thrown": Sample(
        text='[ RUN      ] Cart.Total\nunknown file: Failure\nC++ exception with description "a" thrown.\n'
        "[  FAILED  ] Cart.Total (0 ms)\n",
        subject="Cart.Total",
        kind="Failure",
        again={"(0 ms)": "(7 ms)"},
        other={'"a"': '"b"'},
    ),
    "phpstan": Sample(
        text=PHPSTAN,
        subject="src/Cart.php variable.undefined",
        kind="variable.undefined",
        again={"  14 ": "  45 "},
        other={"$total": "$sum"},
    ),
    "phpstan without codes": Sample(
        text="\n  Line   src/Cart.php\n ------ ----\n         of a trait\n  14     Undefined variable: $total\n ------ ----\n",
        subject="src/Cart.php phpstan",
        kind="phpstan",
        again={"  14 ": "  45 "},
        other={"$total": "$sum"},
    ),
    "phpstan, cut off": Sample(
        text="\n  Line   src/Cart.php\n ------ ----\n  14     Undefined variable: $total",
        subject="src/Cart.php phpstan",
        kind="phpstan",
        again={"  14 ": "  45 "},
        other={"$total": "$sum"},
    ),
    "django": Sample(
        text=DJANGO,
        subject="shop.Item.owner fields.E300",
        kind="fields.E300",
        again={"1 issue ": "2 issues "},
        other={"'shop.Owner'": "'shop.User'"},
    ),
    "GHC": Sample(
        text=GHC,
        subject="Main.hs",
        kind="error",
        again={"hs:7:": "hs:17:", "\n7 |": "\n17 |", "\n  |": "\n   |"},
        other={"with ‘Int’": "with ‘Bool’"},
    ),
    "insta": Sample(
        text=INSTA,
        subject="tests::prints",
        kind="panic",
        again={"/home/ci": "/builds/7", "line 14": "line 41"},
        other={"│+3": "│+5"},
    ),
    "proptest": Sample(
        text=PROPTEST,
        subject="tests::sums",
        kind="panic",
        again={"successes: 620": "successes: 4", "rs:14:5": "rs:41:5", "rs:16": "rs:43"},
        other={"< 100": "< 200"},
    ),
    "AVA behind npm": Sample(
        text=AVA,
        subject="a price is found",
        kind="AssertionError",
        again={
            "1 test failed\n": "1 test failed\nnpm error Lifecycle script `check` failed with error:\nnpm error code 2\n"
        },
        other={"'a'), 4": "'a'), 5"},
    ),
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_failing_test_is_named(sample: Sample) -> None:
    assert [(one.subject, one.kind) for one in read(sample.text)] == [(sample.subject, sample.kind)]


@pytest.mark.parametrize(
    "sample", [s for s in SAMPLES.values() if s.again], ids=[n for n, s in SAMPLES.items() if s.again]
)
def test_the_same_failure_is_known_again(sample: Sample) -> None:
    assert identities(replaced(sample.text, sample.again)) == identities(sample.text)


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_another_failure_of_the_same_test_is_another_one(sample: Sample) -> None:
    assert identities(replaced(sample.text, sample.other)).isdisjoint(identities(sample.text))


@pytest.mark.parametrize(
    "text",
    [
        "• [FAILED] [0.1 seconds]\n\n------------------------------\n",
        "  1) test a (StoreTest)\n     code: x\n",
        "\nFailure: test_find(StoreTest)\nnothing else\n=====\n",
        "50%: Checks: 2, Failures: 1\nsomething:F: else failed\n",
        "!!!FAILURES!!!\nnothing listed\n",
    ],
    ids=["Ginkgo without a name", "ExUnit without a place", "test-unit without anything", "Check", "CppUnit"],
)
def test_a_mark_alone_names_no_test(text: str) -> None:
    assert [(one.subject, one.test) for one in read(text)] == [("", False)]


def test_a_target_of_bazel_is_no_test_of_robot_framework() -> None:
    told = "FAIL: //src:cart_test (see /home/ci/bazel-out/test.log)\nINFO: From Testing //src:cart_test:\n=====\n"
    assert not any("bazel-out" in one.subject for one in read(told))


def test_failures_that_a_runner_numbers_are_evidence_when_nobody_says_more() -> None:
    told = "..\n  1) store: find\n     odd price\n\n2 tests, 1 failure\n"
    assert [(one.kind, one.message) for one in read(told)] == [("exit", "odd price\nstore: find")]
    assert identities(told) == identities(told.replace("  1)", "  4)").replace("2 tests", "9 tests"))
    assert identities(told) != identities(told.replace("odd", "even"))


def test_a_number_at_the_beginning_of_a_line_is_a_time_only_where_the_image_build_tells_its_steps_again() -> None:
    steps = (
        "#9 [5/6] RUN make check\n#9 1.200 [ RUN      ] Cart.Total\n#9 1.210 a.cpp:8: Failure\n#9 1.220 0.35 is wrong\n"
    )
    ended = steps + "#9 1.230 [  FAILED  ] Cart.Total (0 ms)\n"
    assert "0.35 is wrong" in read(ended)[0].message
    again = f"{ended}------\n > [5/6] RUN make check:\n0.120 more\n"
    assert "0.35" not in read(again)[0].message


def test_an_address_before_in_is_dropped() -> None:
    told = "cart.zig:31:5: 0x1048596 in test.sum (test)\n"
    assert identities(told) == identities(told.replace("0x1048596", "0x1048211"))


def test_what_a_tool_expected_is_evidence() -> None:
    told = "FAIL in (sum-test)\nexpected: (= 4 (total [1 2]))\n  actual: (not (= 4 3))\n"
    assert identities(told) != identities(told.replace("(= 4 (total", "(> 4 (total"))


def test_line_numbers_behind_a_level_are_dropped() -> None:
    told = "[error] -- [E006] Not Found Error: Cart.scala:14:12\n[error] 14 |    sum += price\n"
    assert identities(told) == identities(told.replace("14", "45"))


def test_a_message_right_behind_line_and_column_is_read() -> None:
    told = 'proto/cart.proto:14:3:Field name "itemPrice" should be lower_snake_case.\n'
    assert [(one.subject, one.line) for one in read(told)] == [("proto/cart.proto", 14)]
    assert identities(told) == identities(told.replace(":14:3:", ":45:7:"))


def test_the_hash_of_a_store_path_is_dropped() -> None:
    told = f"error: builder for '/nix/store/{'a1' * 16}-shop-1.0.drv' failed with exit code 2;\n"
    assert identities(told) == identities(told.replace("a1" * 16, "b7z0" * 8))
    assert identities(told) != identities(told.replace("shop-1.0", "cart-1.0"))
