"""Texts as tools print them that are not here: written by hand after their formats, printed with other times, lines and neighbours."""

# ruff: noqa: E101, E501, W291 - the texts are kept as they are printed
from __future__ import annotations

from collections.abc import Mapping

from benchmarks.fingerprints_tools.program import Program, Tool

_SAY = r"""
import os, random, re
SHIFT = 0
parts = open("fault.txt").read().rstrip("\n").split(" ¦ ")
for line in open("out.txt").read().rstrip("\n").split("\n"):
    if line.startswith("?"):  # a neighbour: now here, now not
        if random.random() < 0.5:
            continue
        line = line[1:]
    line = re.sub(r"\{(\d)\}", lambda m: parts[int(m[1])] if int(m[1]) < len(parts) else "", line)
    line = re.sub(r"@(\d+)@", lambda m: str(int(m[1]) + SHIFT), line)
    line = line.replace("@D@", os.getcwd()).replace("@H@", f"{random.getrandbits(32):08x}")
    line = re.sub("@T@", lambda m: f"{random.uniform(0.01, 3):.3f}", line)
    line = re.sub("@MS@", lambda m: str(random.randint(1, 900)), line)
    print(line.replace("⏎", "\n"))
raise SystemExit(1)
"""


def told(name: str, text: str, faults: Mapping[str, str]) -> Tool:
    """In the text: `@12@` is a line that moves, `{0}` a part of the fault, `@D@` the folder, `?` begins what is not always there."""
    return Tool(
        name=name,
        argv=("python3", "say.py"),
        comment="",
        programs={
            "text": Program(
                files={"say.py": _SAY, "out.txt": text.lstrip("\n"), "fault.txt": "§"},
                faults=faults,
                moved={"SHIFT = 0": "SHIFT = 31"},
            )
        },
    )


TOOLS = (
    told(
        "scalatest",
        """
?[info] compiling 2 Scala sources to @D@/target/scala-2.13/test-classes ...
[info] CartSpec:
[info] a cart
?[info] - should be empty at first (@MS@ milliseconds)
[info] - should sum its prices *** FAILED *** (@MS@ milliseconds)
[info]   {0} (CartSpec.scala:@14@)
?[info] - should be small
[info] Run completed in @MS@ milliseconds.
[info] Total number of tests run: 3
[info] Suites: completed 1, aborted 0
[info] Tests: succeeded 2, failed 1, canceled 0, ignored 0, pending 0
[info] *** 1 TEST FAILED ***
[error] Failed tests:
[error] 	shop.CartSpec
[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful
[error] Total time: 4 s, completed Mar 2, 2026, 11:22:@MS@ AM
""",
        {
            "equal": "3 did not equal 4",
            "equal_other": "6 was not greater than 8",
            "thrown": "java.util.NoSuchElementException: key not found: pear",
            "throws": "Expected exception java.lang.IllegalArgumentException to be thrown, but no exception was thrown",
            "list": "List(1, 2) did not contain element 3",
        },
    ),
    told(
        "munit",
        """
?shop.OtherSuite:
?  + fine @T@s
shop.CartSuite:
?  + empty @T@s
==> X shop.CartSuite.sum of prices  @T@s munit.ComparisonFailException: @D@/src/test/scala/CartSuite.scala:@12@
@11@:  test("sum of prices") {
@12@:    {0}
@13@:  }
values are not the same
=> Obtained
{1}
=> Diff (- obtained, + expected)
-{1}
+{2}
    at munit.FunSuite.assertEquals(FunSuite.scala:11)
    at shop.CartSuite.$anonfun$new$1(CartSuite.scala:@12@)
[error] Failed: Total 2, Failed 1, Errors 0, Passed 1
[error] Failed tests:
[error] 	shop.CartSuite
[error] (test) sbt.TestsFailedException: Tests unsuccessful
""",
        {
            "equal": "assertEquals(total(1, 2), 4) ¦ 3 ¦ 4",
            "other": 'assertEquals(name("a"), "pear") ¦ apple ¦ pear',
            "list": "assertEquals(List(1), List(2)) ¦ List(1) ¦ List(2)",
        },
    ),
    told(
        "dart-test",
        """
00:00 +0: loading test/cart_test.dart
?00:01 +0: test/cart_test.dart: a cart is empty
00:01 +1: test/cart_test.dart: a cart sums its prices
00:01 +1 -1: test/cart_test.dart: a cart sums its prices [E]
  {0}

  package:matcher                  expect
  test/cart_test.dart @12@:5       main.<fn>.<fn>

To run this test again: dart test test/cart_test.dart -p vm --plain-name 'a cart sums its prices'
?00:02 +2 -1: test/other_test.dart: fine
00:02 +2 -1: Some tests failed.

Consider enabling the flag chain-stack-traces to receive more detailed exceptions.
""",
        {
            "equal": "Expected: <4>⏎    Actual: <3>",
            "greater": "Expected: a value greater than <8>⏎    Actual: <3>⏎     Which: is not a value greater than <8>",
            "thrown": "Invalid argument(s): no pear",
            "null": "Null check operator used on a null value",
            "throws": "Expected: throws <Instance of 'ArgumentError'>⏎    Actual: <Closure: () => int>⏎     Which: returned <3>",
        },
    ),
    told(
        "swift-test",
        """
?[4/4] Linking ShopPackageTests.xctest
Test Suite 'All tests' started at 2026-03-02 11:22:33.123
Test Suite 'CartTests' started at 2026-03-02 11:22:33.@MS@
?Test Case '-[ShopTests.CartTests testEmpty]' started.
?Test Case '-[ShopTests.CartTests testEmpty]' passed (@T@ seconds).
Test Case '-[ShopTests.CartTests testTotal]' started.
@D@/Tests/ShopTests/CartTests.swift:@14@: error: -[ShopTests.CartTests testTotal] : {0}
Test Case '-[ShopTests.CartTests testTotal]' failed (@T@ seconds).
Test Suite 'CartTests' failed at 2026-03-02 11:22:33.@MS@.
	 Executed 2 tests, with 1 failure (0 unexpected) in @T@ (@T@) seconds
""",
        {
            "equal": 'XCTAssertEqual failed: ("3") is not equal to ("4")',
            "true": "XCTAssertTrue failed - too cheap",
            "nil": 'XCTAssertNil failed: "3"',
            "thrown": 'failed: caught error: "notFound("pear")"',
            "unwrap": 'XCTUnwrap failed: expected non-nil value of type "Int"',
        },
    ),
    told(
        "swift-testing",
        """
◇ Test run started.
↳ Testing Library Version: 102
◇ Suite CartTests started.
◇ Test sumsPrices() started.
?✔ Test empty() passed after @T@ seconds.
✘ Test sumsPrices() recorded an issue at CartTests.swift:@14@:5: {0}
✘ Test sumsPrices() failed after @T@ seconds with 1 issue.
✘ Suite CartTests failed after @T@ seconds with 1 issue.
✘ Test run with 2 tests failed after @T@ seconds with 1 issue.
""",
        {
            "equal": "Expectation failed: (total → 3) == 4",
            "other": "Expectation failed: (total → 3) > 8",
            "thrown": 'Caught error: .notFound("pear")',
        },
    ),
    told(
        "gradle-kotlin",
        """
> Task :compileKotlin UP-TO-DATE
?> Task :processResources NO-SOURCE
> Task :test FAILED

CartTest > sums its prices() FAILED
    {0} at CartTest.kt:@14@

?OtherTest > fine PASSED
?
2 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file://@D@/build/reports/tests/test/index.html

* Try:
> Run with --scan to get full insights.

BUILD FAILED in @MS@s
3 actionable tasks: 1 executed, 2 up-to-date
""",
        {
            "assert": "org.opentest4j.AssertionFailedError",
            "thrown": "java.lang.IllegalStateException",
            "null": "java.lang.NullPointerException",
        },
    ),
    told(
        "kotest-gradle",
        """
> Task :test

CartSpec > a cart > sums its prices FAILED
    io.kotest.assertions.AssertionFailedError: {0}
        at app//shop.CartSpec$1$1.invokeSuspend(CartSpec.kt:@14@)
        at app//shop.CartSpec$1$1.invoke(CartSpec.kt)

?CartSpec > a cart > is empty PASSED
3 tests completed, 1 failed

> Task :test FAILED

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file://@D@/build/reports/tests/test/index.html

BUILD FAILED in @MS@s
""",
        {
            "equal": "expected:<4> but was:<3>",
            "other": "3 should be > 8",
            "list": "Collection should contain element 3 based on object equality; but the collection is [1, 2]",
        },
    ),
    told(
        "pest",
        """

?   PASS  Tests\\Unit\\OtherTest
?  ✓ that is fine

   FAIL  Tests\\Unit\\CartTest
?  ✓ it is empty                                                      @T@s
  ⨯ it sums its prices                                               @T@s
  ────────────────────────────────────────────────────────────────────────
   FAILED  Tests\\Unit\\CartTest > it sums its prices
  {0}

  at tests/Unit/CartTest.php:@14@
     @12@▕ it('sums its prices', function () {
     @13@▕     $cart = new Cart();
  ➜  @14@▕     {1}
     @15@▕ });

  1   tests/Unit/CartTest.php:@14@


  Tests:    1 failed, 2 passed (3 assertions)
  Duration: @T@s
""",
        {
            "equal": "Failed asserting that 3 is identical to 4. ¦ expect($cart->total())->toBe(4);",
            "equal_other": "Failed asserting that 3 is greater than 8. ¦ expect($cart->total())->toBeGreaterThan(8);",
            "thrown": "Cart\\NotFound: no pear ¦ $cart->find('pear');",
            "type": "TypeError: unsupported operand types: string + int ¦ $cart->add('x');",
        },
    ),
    told(
        "phpstan",
        """
?Note: Using configuration file @D@/phpstan.neon.
 3/3 [▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓] 100%

 ------ ----------------------------------------------------------------
  Line   src/Cart.php
 ------ ----------------------------------------------------------------
  @14@     {0}
         🪪  {1}
 ------ ----------------------------------------------------------------


 [ERROR] Found 1 error
""",
        {
            "undefined": "Undefined variable: $total ¦ variable.undefined",
            "method": "Call to an undefined method Shop\\Cart::price(). ¦ method.notFound",
            "return": "Method Shop\\Cart::total() should return int but returns string. ¦ return.type",
            "property": "Access to an undefined property Shop\\Cart::$price. ¦ property.notFound",
        },
    ),
    told(
        "golangci-lint",
        """
?level=warning msg="[config_reader] The configuration option `run.skip-dirs` is deprecated"
shop/cart.go:@14@:2: {0} ({1})
	{2}
	^
1 issues:
* {1}: 1
""",
        {
            "errcheck": "Error return value of `f.Close` is not checked ¦ errcheck ¦ f.Close()",
            "unused": "func `helper` is unused ¦ unused ¦ func helper() {}",
            "ineff": "ineffectual assignment to sum ¦ ineffassign ¦ sum = 3",
            "staticcheck": "SA4006: this value of `err` is never used ¦ staticcheck ¦ x, err := f()",
        },
    ),
    told(
        "terraform",
        """
?Initializing the backend...
?aws_s3_bucket.logs: Refreshing state... [id=logs-@H@]
╷
│ Error: {0}
│ 
│   on main.tf line @14@, in resource "aws_instance" "web":
│   @14@:   {1}
│ 
│ {2}
╵
""",
        {
            "reference": 'Reference to undeclared resource ¦ subnet = aws_subnet.main.id ¦ A managed resource "aws_subnet" "main" has not been declared in the root module.',
            "argument": 'Unsupported argument ¦ sise = "t2.micro" ¦ An argument named "sise" is not expected here. Did you mean "size"?',
            "missing": 'Missing required argument ¦ instance_type = null ¦ The argument "ami" is required, but no definition was found.',
        },
    ),
    told(
        "xunit-dotnet",
        """
  Determining projects to restore...
?  All projects are up-to-date for restore.
  Shop.Tests -> @D@/Shop.Tests/bin/Debug/net8.0/Shop.Tests.dll
Test run for @D@/Shop.Tests/bin/Debug/net8.0/Shop.Tests.dll (.NETCoreApp,Version=v8.0)
A total of 1 test files matched the specified pattern.
[xUnit.net 00:00:00.@MS@]     Shop.Tests.CartTests.Total [FAIL]
  Failed Shop.Tests.CartTests.Total [@MS@ ms]
  Error Message:
   {0}
  Stack Trace:
     at Shop.Tests.CartTests.Total() in @D@/Shop.Tests/CartTests.cs:line @14@
   at System.Reflection.MethodBaseInvoker.InvokeWithNoArgs(Object obj, BindingFlags invokeAttr)

Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: @MS@ ms - Shop.Tests.dll (net8.0)
""",
        {
            "equal": "Assert.Equal() Failure: Values differ⏎Expected: 4⏎Actual:   3",
            "true": "Assert.True() Failure⏎Expected: True⏎Actual:   False",
            "thrown": "System.Collections.Generic.KeyNotFoundException : The given key 'pear' was not present in the dictionary.",
            "null": "System.NullReferenceException : Object reference not set to an instance of an object.",
        },
    ),
    told(
        "karma",
        """
@MS@ 03 2026 11:22:33.@MS@:INFO [karma-server]: Karma v6.4.2 server started at http://localhost:9876/
?Chrome Headless 120.0.0.0 (Linux x86_64): Executed 1 of 3 SUCCESS (0 secs / @T@ secs)
Chrome Headless 120.0.0.0 (Linux x86_64) a cart sums its prices FAILED
	{0}
	    at <Jasmine>
	    at UserContext.apply (src/cart.spec.ts:@14@:25)
	    at _ZoneDelegate.invoke (node_modules/zone.js/fesm2015/zone.js:368:26)
Chrome Headless 120.0.0.0 (Linux x86_64): Executed 3 of 3 (1 FAILED) (@T@ secs / @T@ secs)
TOTAL: 1 FAILED, 2 SUCCESS
""",
        {
            "equal": "Error: Expected 3 to be 4.",
            "other": "Error: Expected 3 to be greater than 8.",
            "thrown": "RangeError: no pear",
            "type": "TypeError: Cannot read properties of undefined (reading 'price')",
        },
    ),
    told(
        "cypress",
        """
  Running:  cart.cy.js                                                                      (1 of 1)


  a cart
?    ✓ is empty (@MS@ms)
    1) sums its prices


  1 passing (@MS@ms)
  1 failing

  1) a cart
       sums its prices:
     {0}
      at Context.eval (webpack://shop/./cypress/e2e/cart.cy.js:@14@:25)


  (Results)

  ┌────────────────────────────────────────────────────────────────────────────────────────────────┐
  │ Tests:        2                                                                                │
  │ Failing:      1                                                                                │
  │ Duration:     @MS@ milliseconds                                                                    │
  └────────────────────────────────────────────────────────────────────────────────────────────────┘
""",
        {
            "text": "AssertionError: Timed out retrying after 4000ms: expected '<span.total>' to contain text '4', but the text was '3'",
            "missing": "AssertionError: Timed out retrying after 4000ms: Expected to find element: `.pay`, but never found it.",
            "request": "CypressError: `cy.request()` failed on: http://localhost:3000/items⏎⏎The response we received from your web server was: 500: Internal Server Error",
        },
    ),
    told(
        "next-build",
        """
   ▲ Next.js 14.1.0
?   - Environments: .env

   Creating an optimized production build ...
 {0}

{1}

""",
        {
            "type": "✓ Compiled successfully⏎   Linting and checking validity of types ... ¦ Failed to compile.⏎⏎./app/page.tsx:@14@:7⏎Type error: Type 'string' is not assignable to type 'number'.",
            "type_other": "✓ Compiled successfully⏎   Linting and checking validity of types ... ¦ Failed to compile.⏎⏎./app/page.tsx:@14@:7⏎Type error: Cannot find name 'price'.",
            "module": "Failed to compile. ¦ ./app/page.tsx⏎Module not found: Can't resolve './cart' in '@D@/app'⏎⏎https://nextjs.org/docs/messages/module-not-found",
            "prerender": "Generating static pages (0/4) ¦ Error occurred prerendering page \"/cart\". Read more: https://nextjs.org/docs/messages/prerender-error⏎TypeError: Cannot read properties of undefined (reading 'price')⏎    at CartPage (@D@/.next/server/app/cart/page.js:1:2345)",
        },
    ),
    told(
        "bazel",
        """
?INFO: Analyzed 12 targets (0 packages loaded, 0 targets configured).
?INFO: Found 8 targets and 4 test targets...
[@MS@ / 1,234] Compiling src/cart.cc; 0s linux-sandbox
ERROR: @D@/src/BUILD:@4@:11: Compiling src/cart.cc failed: (Exit 1): gcc failed: error executing command (from target //src:cart) /usr/bin/gcc -U_FORTIFY_SOURCE ... (remaining 24 arguments skipped)
src/cart.cc: In function 'int total()':
src/cart.cc:@14@:10: error: {0}
   @14@ |   {1}
      |          ^~~~
INFO: Elapsed time: @T@s, Critical Path: @T@s
INFO: @MS@ processes: 3 internal, 4 linux-sandbox.
FAILED: Build did NOT complete successfully
""",
        {
            "undeclared": "'price' was not declared in this scope ¦ return price;",
            "convert": "cannot convert 'const char*' to 'int' in return ¦ return \"x\";",
        },
    ),
    told(
        "bazel-test",
        """
?INFO: Analyzed 12 targets (0 packages loaded, 0 targets configured).
FAIL: //src:cart_test (see @D@/bazel-out/k8-fastbuild/testlogs/src/cart_test/test.log)
INFO: From Testing //src:cart_test:
==================== Test output for //src:cart_test:
Running main() from gmock_main.cc
[==========] Running 2 tests from 1 test suite.
[----------] Global test environment set-up.
[----------] 2 tests from Cart
?[ RUN      ] Cart.Empty
?[       OK ] Cart.Empty (0 ms)
[ RUN      ] Cart.Total
src/cart_test.cc:@14@: Failure
{0}
[  FAILED  ] Cart.Total (@MS@ ms)
[----------] 2 tests from Cart (@MS@ ms total)
[==========] 2 tests from 1 test suite ran. (@MS@ ms total)
[  PASSED  ] 1 test.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Cart.Total

 1 FAILED TEST
================================================================================
INFO: Elapsed time: @T@s, Critical Path: @T@s
//src:cart_test                                                          FAILED in @T@s
  @D@/bazel-out/k8-fastbuild/testlogs/src/cart_test/test.log
?//src:other_test                                                         PASSED in @T@s
Executed 2 out of 2 tests: 1 test passes and 1 fails locally.
""",
        {
            "equal": "Expected equality of these values:⏎  total({1, 2})⏎    Which is: 3⏎  4",
            "true": "Value of: total({1}) > 2⏎  Actual: false⏎Expected: true",
        },
    ),
    told(
        "insta",
        """
?   Compiling shop v0.1.0 (@D@)
    Finished `test` profile [unoptimized + debuginfo] target(s) in @T@s
     Running unittests src/lib.rs (target/debug/deps/shop-@H@@H@)

running 2 tests
?test tests::empty ... ok
test tests::prints ... FAILED

failures:

---- tests::prints stdout ----
━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ Snapshot Summary ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
Snapshot file: src/snapshots/shop__tests__prints.snap
Snapshot: prints
Source: @D@/src/lib.rs:@14@
────────────────────────────────────────────────────────────────────────────────
Expression: {0}
────────────────────────────────────────────────────────────────────────────────
-old snapshot
+new results
────────────┬───────────────────────────────────────────────────────────────────
    0       │-{1}
          0 │+{2}
────────────┴───────────────────────────────────────────────────────────────────
To update snapshots run `cargo insta review`
Stopped on the first failure. Run `cargo insta test` to run all snapshots.

thread 'tests::prints' panicked at @D@/.cargo/registry/src/index.crates.io-6f17d22bba15001f/insta-1.34.0/src/runtime.rs:563:9:
snapshot assertion for 'prints' failed in line @14@
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    tests::prints

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in @T@s

error: test failed, to rerun pass `--lib`
""",
        {"price": "cart.total() ¦ 4 ¦ 3", "name": "cart.name() ¦ apple ¦ pear"},
    ),
    told(
        "proptest",
        """
running 2 tests
?test tests::empty ... ok
test tests::sums ... FAILED

failures:

---- tests::sums stdout ----

thread 'tests::sums' panicked at src/lib.rs:@14@:5:
Test failed: {0} at src/lib.rs:@16@.
minimal failing input: {1}
	successes: @MS@
	local rejects: 0
	global rejects: 0

note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    tests::sums

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in @T@s
""",
        {
            "less": "assertion failed: total(&prices) < 100 ¦ prices = [100]",
            "equal": "assertion failed: `(left == right)` ¦ prices = [0, 1]",
        },
    ),
    told(
        "tasty",
        """
Store
?  is fine:         OK
  finds a price:   FAIL (@T@s)
    test/Spec.hs:@14@:
    {0}
    Use -p '/finds a price/' to rerun this test only.
?  is small:        OK

1 out of 3 tests failed (@T@s)
""",
        {
            "equal": "expected: 4⏎     but got: 3",
            "other": "too cheap",
            "thrown": "Exception: no pear⏎    CallStack (from HasCallStack):⏎      error, called at src/Store.hs:@9@:5 in main:Store",
        },
    ),
    told(
        "ginkgo",
        """
Running Suite: Shop Suite - @D@
=====================================
Random Seed: 17093@MS@

Will run 3 of 3 specs
?•
------------------------------
• [FAILED] [@T@ seconds]
Cart [It] sums its prices
@D@/cart_test.go:@12@

  [FAILED] {0}
  In [It] at: @D@/cart_test.go:@14@ @ 03/02/26 11:22:33.@MS@
------------------------------
?•

Summarizing 1 Failure:
  [FAIL] Cart [It] sums its prices
  @D@/cart_test.go:@14@

Ran 3 of 3 Specs in @T@ seconds
FAIL! -- 2 Passed | 1 Failed | 0 Pending | 0 Skipped
--- FAIL: TestShop (@T@s)
FAIL

Ginkgo ran 1 suite in @T@s

Test Suite Failed
""",
        {
            "equal": "Expected⏎      <int>: 3⏎  to equal⏎      <int>: 4",
            "other": "Expected⏎      <int>: 3⏎  to be >⏎      <int>: 8",
            "error": 'Unexpected error:⏎      <*errors.errorString | 0xc00001@MS@>: ⏎      no pear⏎      {⏎          s: "no pear",⏎      }⏎  occurred',
        },
    ),
    told(
        "julia",
        """
?     Testing Running tests...
store: Test Failed at @D@/test/runtests.jl:@14@
  Expression: {0}
   Evaluated: {1}

Stacktrace:
 [1] macro expansion
   @ @D@/test/runtests.jl:@14@ [inlined]
 [2] macro expansion
   @ /usr/share/julia/stdlib/v1.10/Test/src/Test.jl:1577 [inlined]
Test Summary: | Pass  Fail  Total  Time
store         |    2     1      3  @T@s
ERROR: LoadError: Some tests did not pass: 2 passed, 1 failed, 0 errored, 0 broken.
in expression starting at @D@/test/runtests.jl:@9@
""",
        {
            "equal": "total([1, 2]) == 4 ¦ 3 == 4",
            "other": "total([1, 2]) > 8 ¦ 3 > 8",
            "text": 'name == "pear" ¦ "apple" == "pear"',
        },
    ),
    told(
        "checkstyle",
        """
?Starting audit...
[ERROR] @D@/src/main/java/Cart.java:@14@:5: {0} [{1}]
Audit done.
Checkstyle ends with 1 errors.
""",
        {
            "doc": "Missing a Javadoc comment. ¦ MissingJavadocMethod",
            "magic": "'3' is a magic number. ¦ MagicNumber",
            "name": "Name 'Total' must match pattern '^[a-z]+$'. ¦ MethodName",
        },
    ),
    told(
        "ktlint",
        """
?11:22:33.@MS@ [main] INFO com.pinterest.ktlint.cli.internal.KtlintCommandLine -- Enable default patterns [**/*.kt]
@D@/src/Cart.kt:@14@:1: {0} ({1})

Summary error count (descending) by rule:
  {1}: 1
""",
        {
            "blank": "Needless blank line(s) ¦ standard:no-consecutive-blank-lines",
            "import": "Wildcard import ¦ standard:no-wildcard-imports",
            "indent": "Unexpected indentation (3) (should be 4) ¦ standard:indent",
        },
    ),
    told(
        "swiftlint",
        """
?Linting 'Other.swift' (1/2)
Linting 'Cart.swift' (2/2)
@D@/Sources/Cart.swift:@14@:12: {0}
Done linting! Found 1 violation, 1 serious in 2 files.
""",
        {
            "cast": "error: Force Cast Violation: Force casts should be avoided (force_cast)",
            "try": "error: Force Try Violation: Force tries should be avoided (force_try)",
            "name": "error: Identifier Name Violation: Variable name 'x' should be between 3 and 40 characters long (identifier_name)",
        },
    ),
    told(
        "compose",
        """
?db-1   | 2026-03-02 11:22:33.@MS@ UTC [1] LOG:  database system is ready to accept connections
web-1  | Traceback (most recent call last):
?db-1   | 2026-03-02 11:22:34.@MS@ UTC [27] LOG:  checkpoint starting: time
web-1  |   File "/app/main.py", line @14@, in <module>
web-1  |     {0}
web-1  | {1}
web-1 exited with code 1
""",
        {
            "env": "url = os.environ['DB_URL'] ¦ KeyError: 'DB_URL'",
            "import": "import store ¦ ModuleNotFoundError: No module named 'store'",
            "port": "server.bind(address) ¦ OSError: [Errno 98] Address already in use",
        },
    ),
    told(
        "turbo",
        """
• Packages in scope: shop, web
• Running test in 2 packages
?web:test: cache hit, replaying logs @H@@H@
shop:test: cache miss, executing @H@@H@
shop:test:
shop:test: > shop@1.0.0 test
shop:test: > jest
shop:test:
shop:test: FAIL src/cart.test.js
?shop:test:   ✓ is empty (@MS@ ms)
shop:test:   ● a cart › sums its prices
shop:test:
shop:test:     {0}
shop:test:
shop:test:       @13@ |   const cart = new Cart();
shop:test:     > @14@ |   {1}
shop:test:          |   ^
shop:test:       @15@ | });
shop:test:
shop:test:       at Object.<anonymous> (src/cart.test.js:@14@:3)
shop:test:
shop:test: Test Suites: 1 failed, 1 total
shop:test: Tests:       1 failed, 1 passed, 2 total
shop:test: Time:        @T@ s
shop:test: ERROR: command finished with error: command (@D@/packages/shop) npm run test exited (1)

 Tasks:    1 successful, 2 total
Cached:    1 cached, 2 total
  Time:    @T@s
Failed:    shop#test

 ERROR  run failed: command  exited (1)
""",
        {
            "equal": "expect(received).toBe(expected) // Object.is equality⏎shop:test:⏎shop:test:     Expected: 4⏎shop:test:     Received: 3 ¦ expect(cart.total()).toBe(4);",
            "thrown": "RangeError: no pear ¦ cart.find('pear');",
            "type": "TypeError: cart.price is not a function ¦ cart.price();",
        },
    ),
    told(
        "tox",
        """
?py311: install_deps> python -I -m pip install pytest
py311: commands[0]> pytest -q
F                                                                        [100%]
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       {0}
{1}

test_cart.py:@14@: {2}
=========================== short test summary info ============================
FAILED test_cart.py::test_total - {3}
1 failed in @T@s
py311: exit 1 (@T@ seconds) @D@> pytest -q pid=@MS@
  py311: FAIL code 1 (@T@=setup[@T@]+cmd[@T@] seconds)
  evaluation failed :( (@T@ seconds)
""",
        {
            "equal": "assert total([1, 2]) == 4 ¦ E       assert 3 == 4⏎E        +  where 3 = total([1, 2]) ¦ AssertionError ¦ assert 3 == 4",
            "thrown": "find('pear') ¦ E       KeyError: 'pear' ¦ KeyError ¦ KeyError: 'pear'",
        },
    ),
)
