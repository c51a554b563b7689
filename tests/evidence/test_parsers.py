"""Every tool's failure is read, known again elsewhere, and told from another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_report, failures_from_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    text: str
    subjects: tuple[str, ...]
    kinds: tuple[str, ...]
    again: Mapping[str, str] = field(default_factory=dict)
    """What a rerun in another place, after an edit above it, prints instead."""
    other: Mapping[str, str] = field(default_factory=dict)
    """What makes another failure of it."""
    source: str | None = None
    message: str | None = None
    file: str | None = None
    test: bool = True

    def rerun(self) -> str:
        return _replaced(self.text, self.again)

    def another(self) -> str:
        return _replaced(self.text, self.other)


def _replaced(text: str, changes: Mapping[str, str]) -> str:
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


VITEST = """
 RUN  v1.6.0 /home/ci/a/shop

 ❯ src/cart.test.ts  (2 tests | 1 failed) 8ms
   ❯ src/cart.test.ts > cart > adds up
     → expected 3 to be 4 // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/cart.test.ts > cart > adds up
AssertionError: expected 3 to be 4 // Object.is equality

- Expected
+ Received

- 4
+ 3

 ❯ src/cart.test.ts:6:23
      4| describe('cart', () => {
      5|   it('adds up', () => {
      6|     expect(total([1,2])).toBe(4)
       |                          ^
      7|   })
      8| })

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)
   Duration  215ms
"""

VITEST_SUITE = """
⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/cart.test.ts [ src/cart.test.ts ]
Error: Failed to resolve import "./carts" from "src/cart.test.ts". Does the file exist?
 ❯ TransformPluginContext._formatError ../node_modules/vite/dist/node/chunks/dep.js:49258:41

 Test Files  1 failed (1)
"""

JEST_SUITE = """
FAIL src/cart.test.js
  ● Console

    console.log
      hello

  ● Test suite failed to run

    Cannot find module './carts' from 'src/cart.test.js'

      1 | const x = 1;
    > 2 | const { total } = require('./carts');
        |                   ^

      at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)
      at Object.require (src/cart.test.js:2:19)

Test Suites: 1 failed, 1 total
Time:        1.5 s
"""

JEST = """
FAIL src/cart.test.js (5.1 s)
  cart
    ✓ is empty (2 ms)
    ✕ adds up (3 ms)

  ● cart › adds up

    TypeError: Cannot read properties of undefined (reading 'length')

      4 | // adds
      5 | exports.total = (items) => {
    > 6 |   return items.things.length;
        |                       ^
      7 | };

      at total (src/cart.js:6:23)
      at Object.<anonymous> (src/cart.test.js:9:12)

Summary of all failing tests
FAIL src/cart.test.js (5.1 s)
  ● cart › adds up

    TypeError: Cannot read properties of undefined (reading 'length')

Test Suites: 1 failed, 1 total
Time:        6.012 s
"""

MOCHA = """

  cart
    ✔ is empty
    1) adds up
    2) keeps order


  1 passing (12ms)
  2 failing

  1) cart
       adds up:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

3 !== 4

      + expected - actual

      -3
      +4

      at Context.<anonymous> (test/cart.js:9:12)
      at process.processImmediate (node:internal/timers:476:21)

  2) cart keeps order:
     TypeError: x is not a function
      at Context.<anonymous> (test/cart.js:14:5)

"""

NODE_SPEC = """
▶ cart
  ✖ adds up (1.2ms)
▶ cart (3.1ms)
ℹ tests 1
ℹ fail 1
ℹ duration_ms 55.1

✖ failing tests:

test at test/cart.test.js:5:3
✖ adds up (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  3 !== 4

      at TestContext.<anonymous> (file:///home/ci/a/shop/test/cart.test.js:6:12)
      at node:internal/test_runner/test:632:25 {
    code: 'ERR_ASSERTION'
  }
"""

TAP_NESTED = """TAP version 13
# Subtest: /home/ci/a/shop/test/cart.test.js
    # Subtest: cart
        # Subtest: is empty
        ok 1 - is empty
          ---
          duration_ms: 1.1
          ...
        # Subtest: adds up
        not ok 2 - adds up
          ---
          duration_ms: 0.9
          location: '/home/ci/a/shop/test/cart.test.js:5:3'
          failureType: 'testCodeFailure'
          error: 'total is not defined'
          code: 'ERR_TEST_FAILURE'
          name: 'ReferenceError'
          stack: |-
            total (/home/ci/a/shop/cart.js:3:9)
            Test.run (node:internal/test_runner/test:796:25)
          ...
        not ok 3 - later # TODO not written
        1..3
    not ok 1 - cart
      ---
      failureType: 'subtestsFailed'
      error: '1 subtest failed'
      ...
    1..1
not ok 1 - /home/ci/a/shop/test/cart.test.js
  ---
  failureType: 'subtestsFailed'
  ...
1..1
"""

PROVE = """ok 1 - is empty
not ok 2 - adds up
#   Failed test 'adds up'
#   at t/cart.t line 7.
#          got: '3'
#     expected: '4'
1..2
"""

ESLINT = """
/home/ci/a/shop/src/cart.js
   3:1   error    'total' is not defined                no-undef
  10:15  warning  Unexpected console statement          no-console
  12:7   error    'x' is assigned a value but never used  @typescript-eslint/no-unused-vars

/home/ci/a/shop/src/shop.js
  1:8  error  Parsing error: Unexpected token from

✖ 4 problems (3 errors, 1 warning)
"""

PYRIGHT = """/home/ci/a/shop/cart.py
  /home/ci/a/shop/cart.py:3:5 - error: "total" is not defined (reportUndefinedVariable)
  /home/ci/a/shop/cart.py:9:5 - warning: Import "x" is not accessed (reportUnusedImport)
1 error, 1 warning, 0 informations
"""

TSC_PRETTY = """src/cart.ts:2:7 - error TS2322: Type 'string' is not assignable to type 'number'.

2 const total: number = 'a';
        ~~~~~

Found 1 error in src/cart.ts:2
"""

CLANG = """src/cart.c:7:3: error: use of undeclared identifier 'total'
  total(items);
  ^
src/cart.c:9:1: note: here
1 error generated.
"""

JAVAC = """src/main/java/shop/Cart.java:5: error: cannot find symbol
    int x = total(items);
            ^
  symbol:   method total(int[])
1 error
"""

MAVEN_COMPILE = """[INFO] Compiling 3 source files
[ERROR] COMPILATION ERROR :
[ERROR] /home/ci/a/shop/src/main/java/shop/Cart.java:[12,5] cannot find symbol
[INFO] 1 error
[ERROR] /home/ci/a/shop/src/main/java/shop/Cart.java:[12,5] cannot find symbol
"""

KOTLIN = "e: file:///home/ci/a/shop/src/Cart.kt:3:5 Unresolved reference: total\n"

LINKER = """/usr/bin/ld: /tmp/ccx3Fq1a.o: in function `main':
cart.c:(.text+0x5): undefined reference to `total'
collect2: error: ld returned 1 exit status
"""

ANNOTATION = "::error file=src/cart.py,line=3,col=5,title=F401::`os` imported but unused\n::error ::no place\n"

RUSTC_CODE = """error[E0308]: mismatched types
  --> src/cart.rs:12:15
   |
11 |     fn total() {
   |     ---------- here
12 |     let x: i32 = "a";
   |            ---   ^^^ expected `i32`, found `&str`
   |            |
   |            expected due to this

error: could not compile `shop` (lib) due to 1 previous error
"""

DOTNET_BUILD = """/home/ci/a/shop/Cart.cs(10,5): error CS0103: The name 'total' does not exist [/home/ci/a/shop/Shop.csproj]
Build FAILED.
/home/ci/a/shop/Cart.cs(10,5): error CS0103: The name 'total' does not exist [/home/ci/a/shop/Shop.csproj]
    1 Error(s)
"""

CTEST = """Test project /home/ci/a/shop/build
      Start  1: cart_total
 1/3 Test  #1: cart_total .......................***Failed    0.01 sec
cart.cpp:9: expected 4, got 3

      Start  2: cart_empty
 2/3 Test  #2: cart_empty .......................   Passed    0.02 sec
      Start  3: cart_slow
 3/3 Test  #3: cart_slow ........................***Timeout   1.50 sec

33% tests passed, 2 tests failed out of 3

Total Test time (real) =   1.53 sec

The following tests FAILED:
\t  1 - cart_total (Failed)
\t  3 - cart_slow (Timeout)
Errors while running CTest
"""

CTEST_LIST = """The following tests FAILED:
\t  1 - cart_total (Failed)                              unit
\t  3 - cart_crash (SEGFAULT)
Errors while running CTest
"""

GOOGLETEST = """[==========] Running 2 tests from 1 test suite.
[ RUN      ] Cart.IsEmpty
[       OK ] Cart.IsEmpty (0 ms)
[ RUN      ] Cart.AddsUp
/home/ci/a/shop/cart_test.cc:12: Failure
Expected equality of these values:
  total(items)
    Which is: 3
  4
[  FAILED  ] Cart.AddsUp (1 ms)
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Cart.AddsUp
"""

ASSERT = "cart: src/cart.c:31: int main(void): Assertion `total(items) == 4' failed.\nAborted (core dumped)\n"
MAC_ASSERT = "Assertion failed: (total(items) == 4), function main, file src/cart.c, line 31.\n"

RSPEC = """F.

Failures:

  1) Cart total adds up
     Failure/Error: expect(cart.total).to eq(4)

       expected: 4
            got: 3

       (compared using ==)
     # ./spec/cart_spec.rb:5:in `block (3 levels) in <top (required)>'

  2) Cart total without items
     Failure/Error:
       cart.sum do |item|
         item.price

     NoMethodError:
       undefined method `price' for nil:NilClass
     # ./lib/cart.rb:9:in `total'
     # ./spec/cart_spec.rb:11:in `block (3 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.1 seconds to load)
2 examples, 2 failures

Failed examples:

rspec ./spec/cart_spec.rb:4 # Cart total adds up
"""

PHPUNIT = """PHPUnit 10.5.0 by Sebastian Bergmann and contributors.

F.E                                                                 3 / 3 (100%)

Time: 00:00.012, Memory: 8.00 MB

There was 1 error:

1) Shop\\Tests\\CartTest::testEmpty
Error: Call to undefined method Shop\\Cart::isEmpty()

/home/ci/a/shop/tests/CartTest.php:19

--

There was 1 failure:

1) Shop\\Tests\\CartTest::testTotal with data set #0 (1, 2)
Failed asserting that 3 matches expected 4.

/home/ci/a/shop/vendor/phpunit/phpunit/src/Framework/Assert.php:99
/home/ci/a/shop/tests/CartTest.php:12

FAILURES!
Tests: 3, Assertions: 2, Errors: 1, Failures: 1.
"""

DOTNET = """  Determining projects to restore...
[xUnit.net 00:00:00.52]     Shop.Tests.CartTests.AddsUp [FAIL]
  Failed Shop.Tests.CartTests.AddsUp [12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 4
Actual:   3
  Stack Trace:
     at Shop.Tests.CartTests.AddsUp() in /home/ci/a/shop/CartTests.cs:line 12
   at System.RuntimeMethodHandle.InvokeMethod(Object target)
  Failed Shop.Tests.CartTests.Empty [< 1 ms]
  Error Message:
   System.NullReferenceException : Object reference not set to an instance of an object.
  Stack Trace:
     at Shop.Cart.Total() in /home/ci/a/shop/Cart.cs:line 7

Failed!  - Failed:     2, Passed:     1, Skipped:     0, Total:     3, Duration: 20 ms - Shop.Tests.dll (net8.0)
"""

JUNIT4 = """JUnit version 4.13.2
.E.
Time: 0.5
There was 1 failure:
1) addsUp(shop.CartTest)
java.lang.AssertionError: expected:<4> but was:<3>
	at org.junit.Assert.fail(Assert.java:89)
	at shop.CartTest.addsUp(CartTest.java:8)
	at java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)

FAILURES!!!
Tests run: 2,  Failures: 1
"""

SUREFIRE = """[INFO] Running shop.CartTest
[ERROR] Tests run: 2, Failures: 2, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! - in shop.CartTest
[ERROR] addsUp(shop.CartTest)  Time elapsed: 0.01 s  <<< FAILURE!
java.lang.AssertionError: expected:<4> but was:<3>
	at shop.CartTest.addsUp(CartTest.java:8)

[ERROR] shop.CartTest.isEmpty -- Time elapsed: 0.002 s <<< ERROR!
java.lang.IllegalStateException: no items
	at shop.Cart.first(Cart.java:21)
Caused by: java.lang.NullPointerException
	... 3 more

[INFO] Results:
"""

GRADLE = """> Task :test

CartTest > adds up FAILED
    org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
        at app//org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
        at app//shop.CartTest.addsUp(CartTest.java:8)

2 tests completed, 1 failed

FAILURE: Build failed with an exception.
"""

GO = """=== RUN   TestTotal
=== RUN   TestTotal/two_items
    cart_test.go:12: got 3, want 4
--- FAIL: TestTotal (0.00s)
    --- FAIL: TestTotal/two_items (0.00s)
=== RUN   TestEmpty
--- PASS: TestEmpty (0.00s)
FAIL
FAIL\texample.com/shop/cart\t0.013s
FAIL
"""

GO_PANIC = """panic: runtime error: index out of range [3] with length 3

goroutine 7 [running]:
example.com/shop/cart.Total(...)
	/home/ci/a/shop/cart.go:9
example.com/shop/cart.TestTotal(0xc0000b4820)
	/home/ci/a/shop/cart_test.go:10 +0x27
testing.tRunner(0xc0000b4820, 0x5fa898)
	/usr/local/go/src/testing/testing.go:1446 +0x10b
exit status 2
FAIL\texample.com/shop/cart\t0.013s
"""

GO_TIMEOUT = """panic: test timed out after 1s
running tests:
	TestTotal (1s)

goroutine 18 [running]:
testing.(*M).startAlarm.func1()
	/usr/local/go/src/testing/testing.go:2241 +0x3c5
goroutine 7 [sleep]:
example.com/shop/cart.TestTotal(0xc000007860)
	/home/ci/a/shop/cart_test.go:10 +0x1c
FAIL\texample.com/shop/cart\t1.013s
"""

GO_JSON = """{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"example.com/shop/cart","Test":"TestTotal"}
{"Action":"output","Package":"example.com/shop/cart","Test":"TestTotal","Output":"=== RUN   TestTotal\\n"}
{"Action":"output","Package":"example.com/shop/cart","Test":"TestOther","Output":"=== RUN   TestOther\\n"}
{"Action":"output","Package":"example.com/shop/cart","Test":"TestTotal","Output":"    cart_test.go:12: got 3, want 4\\n"}
{"Action":"output","Package":"example.com/shop/cart","Test":"TestOther","Output":"--- PASS: TestOther (0.00s)\\n"}
{"Action":"output","Package":"example.com/shop/cart","Test":"TestTotal","Output":"--- FAIL: TestTotal (0.00s)\\n"}
{"Action":"output","Package":"example.com/shop/cart","Output":"FAIL\\texample.com/shop/cart\\t0.013s\\n"}
{broken
"""

CARGO = """running 3 tests
test cart::tests::empty ... ok
test cart::tests::total ... FAILED
test src/lib.rs - cart::doc (line 5) ... FAILED

failures:

---- cart::tests::total stdout ----

thread 'cart::tests::total' (1274) panicked at src/cart.rs:16:9:
assertion `left == right` failed
  left: 3
 right: 4
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

---- src/lib.rs - cart::doc (line 5) stdout ----
error: this was meant to compile
    an indented remark


failures:
    cart::tests::total
    src/lib.rs - cart::doc (line 5)

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.08s
"""

CARGO_OLD = """running 1 test
test cart::tests::total ... FAILED
---- cart::tests::total stdout ----
thread 'main' panicked at 'assertion failed: total() > 4', src/cart.rs:16:9
test result: FAILED. 0 passed; 1 failed
"""

NEXTEST = """        FAIL [   0.004s] (1/2) shop cart::tests::total
  stderr ───
    thread 'x'
thread 'cart::tests::total' panicked at src/cart.rs:16:9:
no items
"""

UNITTEST = """F
======================================================================
FAIL: test_add (tests.test_cart.CartTest.test_add) (n=2)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/ci/a/shop/tests/test_cart.py", line 7, in test_add
    self.assertEqual(total([1, 2]), 4)
AssertionError: 3 != 4

----------------------------------------------------------------------
Ran 1 test in 0.001s
"""

NODE_CRASH = """/home/ci/a/shop/cart.js:3
  throw new RangeError('no items');
  ^

RangeError: no items
    at total (/home/ci/a/shop/cart.js:3:9)
    at Object.<anonymous> (/home/ci/a/shop/index.js:1:1)

Node.js v20.1.0
"""

JAVA_CRASH = """Exception in thread "main" java.lang.IllegalStateException: no items
	at shop.Cart.total(Cart.java:9)
	at shop.Main.main(Main.java:3)
"""

RUST_CRASH = "thread 'main' panicked at src/main.rs:2:5:\nno items\nnote: run with `RUST_BACKTRACE=1`\n"
GO_CRASH = "panic: no items\n\ngoroutine 1 [running]:\nmain.main()\n\t/home/ci/a/shop/main.go:4 +0x1d\nexit status 2\n"

JUNIT_XML = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" time="0.011">
<testcase classname="tests.test_cart" name="test_empty" time="0.001" />
<testcase classname="tests.test_cart" name="test_total" time="0.002"><failure message="assert 3 == 4">def test_total():
&gt;       assert total([1, 2]) == 4
E       assert 3 == 4

tests/test_cart.py:12: AssertionError</failure></testcase>
</testsuite></testsuites>
"""

JUNIT_XML_JAVA = """<testsuite name="shop.CartTest"><testcase classname="shop.CartTest" name="addsUp" time="0.1">
<failure message="expected:&lt;4&gt; but was:&lt;3&gt;" type="java.lang.AssertionError">java.lang.AssertionError: expected
	at org.junit.Assert.fail(Assert.java:89)
	at shop.CartTest.addsUp(CartTest.java:8)
</failure></testcase></testsuite>"""

SARIF = """{"version": "2.1.0", "runs": [{"tool": {}, "results": [
 {"ruleId": "F401", "level": "error", "message": {"text": "`os` imported but unused"}, "locations": [{"physicalLocation": {
   "artifactLocation": {"uri": "file:///home/ci/a/shop/cart%20a.py"}, "region": {"startLine": 3, "snippet": {"text": " import os "}}}}]},
 {"ruleId": "W1", "message": {"text": "minor"}},
 {"ruleId": "E9", "level": "error", "message": {"text": "hushed"}, "suppressions": [{"kind": "inSource"}]}
]}]}"""

_ELSEWHERE = {"/home/ci/a/shop": "/builds/team/42/shop"}

SAMPLES = {
    "vitest": Sample(text=VITEST, subjects=("src/cart.test.ts::cart > adds up",), kinds=("AssertionError",), source="expect(total([1,2])).toBe(4)", file="src/cart.test.ts",
        again={":6:23": ":9:23", "      6|": "      9|", "      7|": "     10|", "215ms": "1.20s"}, other={"toBe(4)": "toBe(5)"}),
    "vitest suite": Sample(text=VITEST_SUITE, subjects=("src/cart.test.ts",), kinds=("Error",), test=False, again={":49258:41": ":51000:2"}, other={"./carts": "./basket"}),
    "jest suite": Sample(text=JEST_SUITE, subjects=("src/cart.test.js",), kinds=("Error",), test=False, again={"    > 2 |": "    > 3 |", ":2:19": ":3:19", "1.5 s": "2.5 s"}, other={"'./carts'": "'./basket'"}),
    "jest": Sample(text=JEST, subjects=("src/cart.test.js::cart > adds up",), kinds=("TypeError",), source="return items.things.length;", file="src/cart.js",
        again={"    > 6 |": "    > 16 |", ":6:23": ":16:23", ":9:12": ":2:12", "(5.1 s)": "(800 ms)", "(3 ms)": "(41 ms)"}, other={"return items.things.length;": "return items.length.x;"}),
    "mocha": Sample(text=MOCHA, subjects=("test/cart.js::cart > adds up", "test/cart.js::cart keeps order"), kinds=("AssertionError", "TypeError"),
        again={"  1) cart\n": "  7) cart\n", ":9:12": ":99:12", "(12ms)": "(2s)", ":14:5": ":1:5"}, other={"x is not a function": "y is not a function"}),
    "node spec": Sample(text=NODE_SPEC, subjects=("test/cart.test.js::cart > adds up",), kinds=("AssertionError",), again={**_ELSEWHERE, ":6:12": ":8:12", "(1.2ms)": "(0.4ms)", ":5:3": ":7:3"}, other={"3 !== 4": "3 !== 5"}),
    "tap, nested": Sample(text=TAP_NESTED, subjects=("cart.test.js::cart > adds up",), kinds=("ReferenceError",), file="cart.js",
        again={**_ELSEWHERE, "not ok 2 -": "not ok 1 -", ":3:9": ":5:9", "duration_ms: 0.9": "duration_ms: 12.25"}, other={"total is not": "sum is not"}),
    "prove": Sample(text=PROVE, subjects=("adds up",), kinds=("not ok",), file="t/cart.t", again={"not ok 2": "not ok 1", "line 7": "line 9"}, other={"got: '3'": "got: undef"}),
    "eslint": Sample(text=ESLINT, subjects=("cart.js no-undef", "cart.js @typescript-eslint/no-unused-vars", "shop.js"), kinds=("no-undef", "@typescript-eslint/no-unused-vars", "error"), test=False,
        again={**_ELSEWHERE, "   3:1   error    'total' is not defined                no-undef": "  30:1   error  'total' is not defined   no-undef"}, other={"'total' is not": "'sum' is not"}),
    "pyright": Sample(text=PYRIGHT, subjects=("cart.py reportUndefinedVariable",), kinds=("reportUndefinedVariable",), test=False, again={**_ELSEWHERE, ":3:5": ":30:5"}, other={'"total"': '"sum"'}),
    "tsc pretty": Sample(text=TSC_PRETTY, subjects=("src/cart.ts TS2322",), kinds=("TS2322",), test=False, source="const total: number = 'a';",
        again={"2 const": "12 const", ":2:7": ":12:7"}, other={"'string' is": "'boolean' is"}),
    "clang": Sample(text=CLANG, subjects=("src/cart.c",), kinds=("error",), test=False, source="total(items);", again={":7:3": ":9:3"}, other={"total(items);": "total(others);"}),
    "javac": Sample(text=JAVAC, subjects=("src/main/java/shop/Cart.java",), kinds=("error",), test=False, source="int x = total(items);", again={":5:": ":50:"}, other={"total(items)": "total(others)"}),
    "maven": Sample(text=MAVEN_COMPILE, subjects=("Cart.java",), kinds=("error",), test=False, again={**_ELSEWHERE, "[12,5]": "[15,5]"}, other={"find symbol": "find package"}),
    "kotlin": Sample(text=KOTLIN, subjects=("Cart.kt",), kinds=("error",), test=False, again={**_ELSEWHERE, ":3:5": ":8:5"}, other={"total": "sum"}),
    "linker": Sample(text=LINKER, subjects=("cart.c undefined-reference",), kinds=("undefined-reference",), test=False, again={"ccx3Fq1a": "ccZZZZ11", "+0x5": "+0x1f"}, other={"`total'": "`sum'"}),
    "annotation": Sample(text=ANNOTATION, subjects=("src/cart.py F401",), kinds=("F401",), test=False, again={"line=3": "line=9"}, other={"`os`": "`re`"}),
    "rustc": Sample(text=RUSTC_CODE, subjects=("src/cart.rs E0308",), kinds=("E0308",), test=False, source='let x: i32 = "a";', message="mismatched types: expected `i32`, found `&str`",
        again={"12": "22", "11 |": "21 |"}, other={"found `&str`": "found `bool`"}),
    "dotnet build": Sample(text=DOTNET_BUILD, subjects=("Cart.cs CS0103",), kinds=("CS0103",), test=False, again={**_ELSEWHERE, "(10,5)": "(11,5)"}, other={"'total'": "'sum'"}),
    "ctest": Sample(text=CTEST, subjects=("cart_total", "cart_slow"), kinds=("Failed", "timeout"), again={"0.01 sec": "0.41 sec", "Test  #1": "Test  #7", ":9:": ":10:", "Start  1": "Start  7", ".......................***F": ".........***F"}, other={"got 3": "got 5"}),
    "ctest, list only": Sample(text=CTEST_LIST, subjects=("cart_total", "cart_crash"), kinds=("Failed", "SegFault"), again={"1 - cart": "4 - cart"}, other={"cart_total (Failed)": "cart_total (Timeout)"}),
    "googletest": Sample(text=GOOGLETEST, subjects=("Cart.AddsUp",), kinds=("Failure",), file="cart_test.cc", again={**_ELSEWHERE, ":12:": ":19:", "(1 ms)": "(9 ms)"}, other={"Which is: 3": "Which is: 9"}),
    "assert": Sample(text=ASSERT, subjects=("src/cart.c assert",), kinds=("assert",), test=False, again={":31:": ":33:"}, other={"== 4": "== 5"}),
    "assert on macOS": Sample(text=MAC_ASSERT, subjects=("src/cart.c assert",), kinds=("assert",), test=False, again={"line 31": "line 32"}, other={"== 4": "== 5"}),
    "rspec": Sample(text=RSPEC, subjects=("Cart total adds up", "Cart total without items"), kinds=("ExpectationNotMetError", "NoMethodError"), source="expect(cart.total).to eq(4)", file="spec/cart_spec.rb",
        again={"  1) Cart": "  2) Cart", ".rb:5:": ".rb:8:", "0.01 seconds": "1.5 seconds"}, other={"to eq(4)": "to eq(5)"}),
    "phpunit": Sample(text=PHPUNIT, subjects=(r"Shop\Tests\CartTest::testEmpty", r"Shop\Tests\CartTest::testTotal with data set #0 (1, 2)"), kinds=("Error", "AssertionFailed"), file="CartTest.php",
        again={**_ELSEWHERE, ":19": ":20", ":12": ":13", "00:00.012": "00:01.112"}, other={"matches expected 4": "is true"}),
    "dotnet": Sample(text=DOTNET, subjects=("Shop.Tests.CartTests.AddsUp", "Shop.Tests.CartTests.Empty"), kinds=("Failed", "NullReferenceException"), file="CartTests.cs",
        again={**_ELSEWHERE, "[12 ms]": "[1 s]", "line 12": "line 15", "line 7": "line 8"}, other={"Actual:   3": "Actual:   2"}),
    "junit 4": Sample(text=JUNIT4, subjects=("shop.CartTest.addsUp",), kinds=("AssertionError",), file="shop/CartTest.java", again={"Test.java:8": "Test.java:9", "Time: 0.5": "Time: 1.5", "1) adds": "3) adds"}, other={"but was:<3>": "but was:<9>"}),
    "surefire": Sample(text=SUREFIRE, subjects=("shop.CartTest.addsUp", "shop.CartTest.isEmpty"), kinds=("AssertionError", "IllegalStateException"), again={"0.01 s": "0.8 s", ".java:8": ".java:80", "0.002 s": "2 s"}, other={"no items": "no cart"}),
    "gradle": Sample(text=GRADLE, subjects=("CartTest > adds up",), kinds=("AssertionFailedError",), file="shop/CartTest.java", again={".java:8)": ".java:9)", ".java:55)": ".java:39)"}, other={"was: <3>": "was: <9>"}),
    "go": Sample(text=GO, subjects=("example.com/shop/cart.TestTotal/two_items",), kinds=("FAIL",), file="cart_test.go", message="got 3, want 4", again={":12:": ":15:", "0.013s": "1.1s", "(0.00s)": "(0.31s)"}, other={"got 3": "got 5"}),
    "go panic": Sample(text=GO_PANIC, subjects=("example.com/shop/cart.TestTotal",), kinds=("panic",), file="cart.go",
        again={**_ELSEWHERE, "goroutine 7": "goroutine 19", ":9\n": ":11\n", "0xc0000b4820": "0xc0000b0000"}, other={"[3] with length 3": "[5] with length 3"}),
    "go timeout": Sample(text=GO_TIMEOUT, subjects=("example.com/shop/cart.TestTotal",), kinds=("timeout",), again={**_ELSEWHERE, "after 1s": "after 1s", ":10 +0x1c": ":16 +0x2c"}, other={"cart.TestTotal": "cart.TestSum"}),
    "go json": Sample(text=GO_JSON, subjects=("example.com/shop/cart.TestTotal",), kinds=("FAIL",), message="got 3, want 4", again={":12:": ":15:", "0.013s": "1.1s"}, other={"got 3": "got 5"}),
    "cargo": Sample(text=CARGO, subjects=("cart::tests::total", "src/lib.rs - cart::doc"), kinds=("panic", "FAILED"), file="src/cart.rs", message="assertion `left == right` failed\nleft: 3\nright: 4",
        again={"(1274)": "(99)", ":16:9": ":19:9", "(line 5)": "(line 8)", "0.08s": "1.08s"}, other={"left: 3": "left: 5"}),
    "cargo, old": Sample(text=CARGO_OLD, subjects=("cart::tests::total",), kinds=("panic",), message="assertion failed: total() > 4", again={":16:9": ":19:9"}, other={"> 4": "> 5"}),
    "nextest": Sample(text=NEXTEST, subjects=("cart::tests::total",), kinds=("panic",), message="no items", again={"0.004s": "1.000s", ":16:9": ":1:9"}, other={"no items": "no cart"}),
    "unittest": Sample(text=UNITTEST, subjects=("tests/test_cart.py::CartTest::test_add (n=2)",), kinds=("AssertionError",), source="self.assertEqual(total([1, 2]), 4)",
        again={**_ELSEWHERE, "line 7": "line 9", "0.001s": "1s"}, other={"[1, 2]), 4)": "[1, 2]), 5)"}),
    "node crash": Sample(text=NODE_CRASH, subjects=("",), kinds=("RangeError",), test=False, source="throw new RangeError('no items');", again={**_ELSEWHERE, "cart.js:3": "cart.js:4"}, other={"no items": "no cart"}),
    "java crash": Sample(text=JAVA_CRASH, subjects=("",), kinds=("IllegalStateException",), test=False, file="shop/Cart.java", again={".java:9": ".java:7"}, other={"no items": "no cart"}),
    "rust crash": Sample(text=RUST_CRASH, subjects=("",), kinds=("panic",), test=False, file="src/main.rs", again={":2:5": ":3:5"}, other={"no items": "no cart"}),
    "go crash": Sample(text=GO_CRASH, subjects=("",), kinds=("panic",), test=False, file="main.go", again={**_ELSEWHERE, ":4 +0x1d": ":5 +0x2d"}, other={"no items": "no cart"}),
    "junit xml": Sample(text=JUNIT_XML, subjects=("tests.test_cart::test_total",), kinds=("AssertionError",), source="assert total([1, 2]) == 4", file="tests/test_cart.py",
        again={"0.002": "1.5", ":12:": ":15:"}, other={"== 4\nE": "== 5\nE"}),
    "junit xml, java": Sample(text=JUNIT_XML_JAVA, subjects=("shop.CartTest::addsUp",), kinds=("AssertionError",), file="shop/CartTest.java", again={":8)": ":9)", 'time="0.1"': 'time="7"'}, other={"&lt;3&gt;": "&lt;7&gt;"}),
    "sarif": Sample(text=SARIF, subjects=("cart a.py F401",), kinds=("F401",), test=False, source="import os", again={**_ELSEWHERE, '"startLine": 3': '"startLine": 5'}, other={"`os`": "`re`"}),
}  # fmt: skip

REPORTS = {"junit xml", "junit xml, java", "sarif"}
TEXTS = {name: sample for name, sample in SAMPLES.items() if name not in REPORTS}


def read(text: str) -> tuple[Failure, ...]:
    return failures_from_text("c", text, exit_code=1, sources=lambda path: None)


def identities(text: str) -> Counter[str]:
    return Counter(fingerprint(failure) for failure in read(text))


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_a_failure_is_read_with_its_name_class_and_place(sample: Sample) -> None:
    failures = read(sample.text)
    assert tuple(f.subject for f in failures) == sample.subjects
    assert tuple(f.kind for f in failures) == sample.kinds
    assert {f.test for f in failures} == {sample.test}
    assert all(f.excerpt for f in failures)
    if sample.source is not None:
        assert sample.source in {f.source_line for f in failures}
    if sample.message is not None:
        assert sample.message in {f.message for f in failures}
    if sample.file is not None:
        assert sample.file in {f.file for f in failures}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_same_failure_elsewhere_is_the_same(sample: Sample) -> None:
    assert sample.rerun() != sample.text
    assert identities(sample.rerun()) == identities(sample.text)


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_another_failure_is_another(sample: Sample) -> None:
    assert identities(sample.another()) != identities(sample.text)


@pytest.mark.parametrize("sample", TEXTS.values(), ids=TEXTS)
def test_colours_line_ends_and_the_stamps_of_a_log_change_nothing(sample: Sample) -> None:
    known = identities(sample.text)
    lines = sample.text.split("\n")
    assert identities("\r\n".join(lines)) == known
    assert identities("\n".join(f"2026-11-14T20:14:17.44{n:05}Z {line}" for n, line in enumerate(lines))) == known
    assert identities(re.sub(r"(\w+)", "\x1b[1m\\1\x1b[0m", sample.text)) == known
    assert identities("\x1b]0;title\x07\n" + sample.text) == known


@pytest.mark.parametrize("name", ["pytest", *TEXTS])
def test_what_one_tool_printed_is_read_beside_another(name: str) -> None:
    """Linters in one file of output with a test runner: both count."""
    lint = "src/lint.py:1:8: F401 [*] `os` imported but unused\n\n"
    tests = "FAILED t/test_a.py::test_x - KeyError: 1\n" if name == "pytest" else TEXTS[name].text
    both = {f.subject for f in read(lint + tests)}
    expected = set(TEXTS[name].subjects) if name in TEXTS else {"t/test_a.py::test_x"}
    assert both - {"src/lint.py F401"} == expected - {""}
    assert "src/lint.py F401" in both


def test_a_compiler_error_inside_a_failing_test_is_the_tests() -> None:
    inner = "src/a.ts(1,2): error TS7006: Parameter 'x'\nnot ok 1 - inner\n--- FAIL: TestInner (0.00s)\n"
    output = f"=== FAILURES ===\n___ test_x ___\n{inner}E   KeyError: 1\n\nt/test_a.py:3: KeyError\n=== short test summary info ===\nFAILED t/test_a.py::test_x - KeyError: 1\n"
    assert [f.subject for f in read(output)] == ["t/test_a.py::test_x"]


def test_a_compiler_without_a_code_is_known_by_the_line_it_is_about() -> None:
    one = "a.cpp:7:1: error: ‘vector’ does not name a type\n    7 | vector<int> total(vector<int> items){\n      | ^~~~~~\n"
    assert identities(one) != identities(one.replace("total", "sum"))
    assert identities(one) == identities(one.replace(":7:", ":9:").replace(" 7 |", " 9 |"))
    assert identities(one) == identities(one.replace("‘", "'").replace("’", "'")), "quotes depend on the language"


def test_a_compiler_without_a_code_and_without_its_line_says_so() -> None:
    (failure,) = read("./a.go:24:12: undefined: total\n")
    assert failure.phase is Phase.BUILD
    assert fingerprint(failure).startswith("f1n:")


def test_the_tree_tells_the_source_of_a_java_test() -> None:
    tree = {"src/test/java/shop/CartTest.java": "\n" * 7 + "    assertEquals(4, total());\n"}
    (failure,) = failures_from_text("c", SAMPLES["junit 4"].text, exit_code=1, sources=tree.get)
    assert (failure.file, failure.source_line) == ("src/test/java/shop/CartTest.java", "assertEquals(4, total());")


def test_failing_files_of_node_are_known_by_their_file() -> None:
    output = (
        "not ok 1 - /home/ci/a/cart.test.js\n  ---\n  location: '/home/ci/a/cart.test.js:1:1'\n"
        "  failureType: 'testCodeFailure'\n  exitCode: 1\n  error: 'test failed'\n  ...\n"
    )
    (failure,) = read(output)
    assert (failure.subject, failure.phase, failure.test) == ("cart.test.js", Phase.COLLECT, False)
    without_place = "not ok 1 - /home/ci/a/cart.test.js\n  ---\n  error: 'test failed'\n  ...\n"
    assert [f.subject for f in read(without_place)] == ["cart.test.js"]
    assert [f.subject for f in read("1..1\nnot ok 3\n")] == ["3"]
    assert [f.subject for f in read("1..1\nnot ok\n")] == ["test"]


def test_a_panic_of_one_test_leaves_the_others_their_own_text() -> None:
    output = (
        "--- FAIL: TestA (0.00s)\n    a_test.go:3: one\n--- FAIL: TestB (0.00s)\npanic: boom [recovered]\n\tpanic: boom\n\n"
        "goroutine 6 [running]:\nshop.TestB(0x0?)\n\t/w/b_test.go:4 +0x27\nFAIL\tshop\t0.1s\n"
    )
    assert [(f.subject, f.kind, f.message) for f in read(output)] == [
        ("shop.TestA", "FAIL", "one"),
        ("shop.TestB", "panic", "boom"),
    ]


def test_a_truncated_go_log_still_names_its_tests() -> None:
    assert [f.subject for f in read("--- FAIL: TestA (0.00s)\n    a_test.go:3: one\n")] == ["TestA"]
    stack = "panic: boom\n\ngoroutine 6 [running]:\nshop.TestB(0x0?)\n\t/w/b_test.go:4 +0x27\n"
    assert [f.subject for f in read(f"=== RUN   TestB\n--- FAIL: TestA (0.00s)\n{stack}")] == ["TestA", "TestB"]


def test_rust_tests_that_share_a_thread_are_told_apart_by_what_ran() -> None:
    output = (
        "test a::one ... \nthread 'main' panicked at src/a.rs:1:1:\nfirst\nFAILED\ntest a::two ... FAILED\n"
        "thread 'main' panicked at odd place\n\nfailures:\n\nfailures:\n    a::one\n    a::two\n\ntest result: FAILED. 0 passed\n"
    )
    assert [(f.subject, f.message) for f in read(output)] == [("a::two", "odd place"), ("a::one", "first")]


def test_a_google_test_that_crashed_has_no_result() -> None:
    (failure,) = read(
        "[ RUN      ] Cart.Ok\n[       OK ] Cart.Ok (0 ms)\n[  FAILED  ] x\n[ RUN      ] Cart.Total\nSegmentation fault\n"
    )
    assert (failure.subject, failure.kind) == ("Cart.Total", "crash")


def test_a_report_in_a_machine_format_that_is_damaged_or_declares_entities_is_read_as_text() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite><testcase name="t"><failure>&a;</failure></testcase></testsuite>'
    external = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuite><testcase name="t"><failure/></testcase></testsuite>'
    for text in (bomb, external, "<testsuite><testcase name='t'><failure>", "<html><failure/></html>", "<" * 50):
        assert [f.subject for f in read(text)] == [""]
    for text in ('{"runs": 1}', '{"runs": [', '{"runs": [{"results": []}]}', '["runs"]', "<testsuites/>"):
        assert [f.subject for f in read(text)] == [""]


def test_a_case_of_a_report_is_named_by_what_it_has() -> None:
    xml = (
        "<testsuites><failure>stray</failure><testcase classname='src/a.test.js' name='adds up'><error type='TypeError' message='TypeError: x'>"
        "TypeError: x\n    at total (src/a.js:3:9)</error></testcase><testcase name='alone'><failure/></testcase>"
        "<testcase classname='' name='tests.test_a'><error message='collection failure'>E   KeyError: 1</error></testcase></testsuites>"
    )
    first, second, third = read(xml)
    assert (first.subject, first.kind, first.message, first.file) == (
        "src/a.test.js::adds up",
        "TypeError",
        "x",
        "src/a.js",
    )
    assert (second.subject, second.kind, second.source_line) == ("alone", "failure", None)
    assert (third.subject, third.kind, third.phase, third.test) == ("tests.test_a", "KeyError", Phase.COLLECT, False)


def test_warnings_of_a_sarif_report_count_only_when_there_is_nothing_worse() -> None:
    report = (
        '{"runs": [{"results": [{"ruleId": "W1", "message": {"text": "minor"}}, {"level": "note", "message": 3}, 7]}]}'
    )
    (failure,) = read(report)
    assert (failure.subject, failure.message, failure.file) == ("W1", "minor", None)


def test_an_rspec_example_without_a_stack_has_no_place() -> None:
    (failure,) = read("Failures:\n\n  1) Cart fails\n     Failure/Error: total\n\n       boom\n\nFinished in 1 s\n")
    assert (failure.subject, failure.file, failure.message) == ("Cart fails", None, "boom")
    (bare,) = read("  1) Cart fails\n     Failure/Error:\n")
    assert bare.message == ""


def test_thrown_inside_node_itself_the_first_own_frame_is_the_place() -> None:
    output = "node:internal/modules/cjs/loader.js:1080\n  throw err;\n  ^\n\nError: Cannot find module 'x'\n    at Module._load (node:internal/modules:3:1)\n    at main (/w/shop/cart.js:3:9)\n"
    (failure,) = read(output)
    assert (failure.kind, failure.file) == ("Error", "cart.js")


def test_only_a_report_is_a_report() -> None:
    def reported(text: str) -> int | None:
        found = failures_from_report("c", text, sources=lambda path: None)
        return None if found is None else len(found)

    assert [reported(t) for t in (JUNIT_XML, SARIF, "<testsuites/>", JUNIT4, "")] == [1, 1, 0, None, None]


def test_what_has_no_result_line_below_its_place_is_no_failing_test_of_node() -> None:
    assert [f.subject for f in read("✖ failing tests:\n\ntest at a.js:1:1\nsomething else\n")] == [""]


def test_a_summary_that_the_width_cuts_off_is_the_same_at_any_width() -> None:
    narrow = "FAILED t/test_a.py::test_x - AssertionError: assert 3...\n"
    wide = "FAILED t/test_a.py::test_x - AssertionError: assert 3 == tot...\n"
    assert identities(narrow) == identities(wide)
    assert [f.excerpt for f in read(narrow)] == ["AssertionError: assert 3..."]


def test_tests_of_one_name_in_two_packages_keep_their_own_text() -> None:
    output = "".join(f"--- FAIL: TestA (0.00s)\n    a_test.go:3: {p}\nFAIL\n{'FAIL'}\t{p}\t0.1s\n" for p in ("x", "y"))
    assert [(f.subject, f.message) for f in read(output)] == [("x.TestA", "x"), ("y.TestA", "y")]


def test_a_block_without_an_end_is_read_only_so_far() -> None:
    (failure,) = read("error[E0001]: odd\n --> a.rs:1:1\n" + "   | remark\n" * 60)
    assert (failure.message, failure.source_line) == ("odd", None)
