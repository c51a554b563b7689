"""A third set of texts as tools print them, of tools that neither of the others has: what they scored first is a forecast."""

# ruff: noqa: E501, W291 - the texts are kept as they are printed
from __future__ import annotations

from benchmarks.fingerprints_tools.tools.told import told

TOOLS = (
    told(
        "nunit-dotnet",
        """
?  Determining projects to restore...
?  Restored @D@/Shop.Tests/Shop.Tests.csproj (in @MS@ ms).
Starting test execution, please wait...
A total of 1 test files matched the specified pattern.
?  Passed Empty [@MS@ ms]
  Failed SumsPrices [@MS@ ms]
  Error Message:
     {0}
  Stack Trace:
     at Shop.Tests.CartTests.{1}() in @D@/Shop.Tests/CartTests.cs:line @21@

1)    at Shop.Tests.CartTests.{1}() in @D@/Shop.Tests/CartTests.cs:line @21@


Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: @MS@ ms - Shop.Tests.dll (net8.0)
""",
        {
            "equal": "Expected: 4⏎  But was:  3 ¦ SumsPrices",
            "greater": "Expected: greater than 8⏎  But was:  3 ¦ SumsPrices",
            "thrown": "System.InvalidOperationException : no pear in the cart ¦ SumsPrices",
            "list": "Expected is <System.Int32[2]>, actual is <System.Int32[3]>⏎  Values differ at index [1] ¦ SumsPrices",
        },
    ),
    told(
        "testng",
        """
?[INFO] Scanning for projects...
===============================================
    Shop suite
    Tests run:3, Failures: 1, Skips: 0
===============================================

PASSED: empty
FAILED: sumsPrices
{0}
	at org.testng.Assert.fail(Assert.java:99)
	at org.testng.Assert.failNotEquals(Assert.java:1037)
	at shop.CartTest.sumsPrices(CartTest.java:@24@)
	at java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)
?	at java.base/java.lang.reflect.Method.invoke(Method.java:580)

===============================================
Shop suite
Total tests run: 3, Passes: 2, Failures: 1, Skips: 0
===============================================
""",
        {
            "equal": "java.lang.AssertionError: expected [4] but found [3]",
            "other": "java.lang.AssertionError: expected [true] but found [false]",
            "null": 'java.lang.NullPointerException: Cannot invoke "String.length()" because "name" is null',
        },
    ),
    told(
        "spock-gradle",
        """
?> Task :compileJava UP-TO-DATE
> Task :test FAILED

CartSpec > sums its prices FAILED
    Condition not satisfied:

    {0}
    {1}
        at shop.CartSpec.sums its prices(CartSpec.groovy:@18@)

3 tests completed, 1 failed

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file://@D@/build/reports/tests/test/index.html

BUILD FAILED in @MS@s
""",
        {
            "equal": "cart.total() == 4 ¦ |    |       |⏎    |    3       false",
            "size": "cart.items.size() > 2 ¦ |    |     |      |⏎    |    [a]   1      false",
            "name": 'cart.first() == "pear" ¦ |    |       |⏎    |    apple   false',
        },
    ),
    told(
        "unity-c",
        """
?gcc -o build/test_cart test/test_cart.c src/cart.c unity/unity.c
?test/test_cart.c:@9@:test_empty:PASS
test/test_cart.c:@15@:test_sum:FAIL: {0}
?test/test_cart.c:@21@:test_small:PASS

-----------------------
3 Tests 1 Failures 0 Ignored 
FAIL
""",
        {
            "equal": "Expected 4 Was 3",
            "string": "Expected 'pear' Was 'apple'",
            "true": "Expected TRUE Was FALSE",
            "memory": "Memory Mismatch. Byte 2 Expected 0x04 Was 0x03. sizes differ",
        },
    ),
    told(
        "criterion-c",
        """
?[====] Running 3 tests from cart:
[----] test/cart.c:@17@: Assertion Failed
[----]   
[----]   {0}
[----]   
[FAIL] cart::sum: (@T@s)
?[PASS] cart::empty: (@T@s)
[====] Synthesis: Tested: 3 | Passing: 2 | Failing: 1 | Crashing: 0 
""",
        {
            "equal": "eq(int, total(1, 2), 4): ⏎[----]     diff: [-3-]{+4+}",
            "other": "gt(int, total(1, 2), 8): ⏎[----]     actual: 3",
            "null": 'ne(ptr, find("pear"), NULL): ⏎[----]     actual: (nil)',
        },
    ),
    told(
        "forge-test",
        """
?[⠊] Compiling...
?Compiling 21 files with Solc 0.8.23
?Solc 0.8.23 finished in @T@s
No files changed, compilation skipped

Ran 3 tests for test/Cart.t.sol:CartTest
[FAIL: {0}] test_Sum() (gas: 12@MS@)
?[PASS] test_Empty() (gas: 8@MS@)
Suite result: FAILED. 2 passed; 1 failed; 0 skipped; finished in @T@ms (@T@ms CPU time)

Ran 1 test suite in @T@ms (@T@ms CPU time): 2 tests passed, 1 failed, 0 skipped (3 total tests)

Failing tests:
Encountered 1 failing test in test/Cart.t.sol:CartTest
[FAIL: {0}] test_Sum() (gas: 12@MS@)

Encountered a total of 1 failing tests, 2 tests succeeded
""",
        {
            "equal": "assertion failed: 3 != 4",
            "revert": "revert: no pear",
            "panic": "panic: arithmetic underflow or overflow (0x11)",
        },
    ),
    told(
        "elm-test",
        """
?Compiling > Starting tests

elm-test 0.19.1-revision12
--------------------------

Running 3 tests. To reproduce these results, run: elm-test --fuzz 100 --seed @MS@77123

↓ Cart
✗ sums its prices

    {0}


TEST RUN FAILED

Duration: @MS@ ms
Passed:   2
Failed:   1
""",
        {
            "equal": "3⏎    ╵⏎    │ Expect.equal⏎    ╷⏎    4",
            "greater": "3⏎    ╵⏎    │ Expect.greaterThan⏎    ╷⏎    8",
            "crash": 'This test failed because it threw an exception: "TODO in module `Cart` on line 7"',
        },
    ),
    told(
        "elm-make",
        """
?Dependencies ready!
Compiling ...
-- {0} ------------------------------------------------------- src/Cart.elm

{1}

@14@|     {2}
          ^^^^^
{3}
""",
        {
            "type": 'TYPE MISMATCH ¦ The 2nd argument to `total` is not what I expect: ¦ total 1 "two" ¦ This argument is a string of type: String',
            "name": "NAMING ERROR ¦ I cannot find a `totl` variable: ¦ totl 1 2 ¦ These names seem close though: total",
            "missing": "MISSING PATTERNS ¦ This `case` does not have branches for all possibilities: ¦ case fruit of ¦ Missing possibilities include: Pear",
        },
    ),
    told(
        "mix-compile",
        """
?Compiling 3 files (.ex)
    error: {0}
    │
 @12@ │     {1}
    │     ^^^^
    │
    └─ lib/shop/cart.ex:@12@:5: Shop.Cart.total/1


== Compilation error in file lib/shop/cart.ex ==
** (CompileError) lib/shop/cart.ex: cannot compile module Shop.Cart (errors have been logged)

""",
        {
            "variable": 'undefined variable "totl" ¦ totl + 1',
            "function": "undefined function summ/1 (expected Shop.Cart to define such a function or for it to be imported directly, but none are available) ¦ summ(prices)",
            "struct": "Shop.Pear.__struct__/0 is undefined, cannot expand struct Shop.Pear ¦ %Shop.Pear{}",
        },
    ),
    told(
        "rebar3-compile",
        """
?===> Verifying dependencies...
?===> Analyzing applications...
===> Compiling shop
===> Compiling src/cart.erl failed
    ┌─ src/cart.erl:
    │
 @14@ │  {1}
    │  ╰── {0}

""",
        {
            "variable": "variable 'Totl' is unbound ¦ total(Prices) -> Totl.",
            "function": "function summ/1 undefined ¦ total(Prices) -> summ(Prices).",
            "syntax": "syntax error before: 'end' ¦ end.",
        },
    ),
    told(
        "gfortran",
        """
?gfortran -c src/other.f90 -o other.o
src/cart.f90:@12@:10:

   @12@ |   total = {1}
      |          1
Error: {0}
?src/cart.f90:@20@:7: Warning: Unused variable 'x' declared at (1) [-Wunused-variable]
make: *** [Makefile:@4@: cart.o] Error 1
""",
        {
            "symbol": "Symbol 'totl' at (1) has no IMPLICIT type; did you mean 'total'? ¦ totl + 1",
            "type": "Cannot convert CHARACTER(4) to INTEGER(4) at (1) ¦ 'pear'",
            "function": "Function 'summ' at (1) has no IMPLICIT type ¦ summ(prices)",
        },
    ),
    told(
        "iverilog",
        """
?iverilog -g2012 -o cart.vvp cart.v
rtl/cart.v:@14@: {0}
?rtl/other.v:3: warning: implicit definition of wire 'x'.
{1}
make: *** [Makefile:@3@: cart.vvp] Error @MS@
""",
        {
            "wire": "error: Unable to bind wire/reg/memory `totl' in `cart' ¦ 1 error(s) during elaboration.",
            "syntax": "syntax error ¦ rtl/cart.v:@14@: error: malformed statement",
            "module": "error: Unknown module type: summer ¦ 2 error(s) during elaboration.",
        },
    ),
    told(
        "lake-build",
        """
?⚠ [2/4] Replayed Shop.Other
✖ [3/4] Building Shop.Cart (@MS@ms)
trace: .> LEAN_PATH=@D@/.lake/build/lib /opt/lean/bin/lean @D@/./Shop/Cart.lean
error: ././Shop/Cart.lean:@12@:2: {0}
error: Lean exited with code 1
Some required builds logged failures:
- Shop.Cart
error: build failed
""",
        {
            "unknown": "unknown identifier 'totl'",
            "type": 'type mismatch⏎  "pear"⏎has type⏎  String : Type⏎but is expected to have type⏎  Nat : Type',
            "goals": "unsolved goals⏎n : Nat⏎⊢ n + 0 = 0 + n",
        },
    ),
    told(
        "coqc",
        """
?COQC theories/Other.v
COQC theories/Cart.v
File "./theories/Cart.v", line @14@, characters 2-9:
Error: {0}

make[1]: *** [CoqMakefile:@812@: theories/Cart.vo] Error 1
make: *** [Makefile:@6@: all] Error 2
""",
        {
            "reference": "The reference totl was not found in the current environment.",
            "type": 'In environment⏎n : nat⏎The term "true" has type "bool" while it is expected to have type "nat".',
            "proof": "Attempt to save an incomplete proof",
        },
    ),
    told(
        "luacheck",
        """
?Checking src/other.lua                             OK
Checking src/cart.lua                              1 warning

    src/cart.lua:@7@:5: {0}

Total: 1 warning / 0 errors in 3 files
""",
        {
            "unused": "unused variable total",
            "global": "accessing undefined variable totl",
            "shadow": "shadowing definition of variable price on line @3@",
        },
    ),
    told(
        "ansible-lint",
        """
?WARNING  Listing 1 violation(s) that are fatal
{0}
roles/shop/tasks/main.yml:@12@ {1}

Read documentation for instructions on how to ignore specific rule violations.

# Rule Violation Summary

  1 {2}

Failed: 1 failure(s), 0 warning(s) on 12 files.
""",
        {
            "fqcn": "fqcn[action-core]: Use FQCN for builtin module actions (copy). ¦ Use `ansible.builtin.copy` or `ansible.legacy.copy` instead. ¦ fqcn profile:production",
            "name": "name[missing]: All tasks should be named. ¦ Task/Handler: copy src=a dest=b ¦ name profile:basic",
            "mode": "risky-file-permissions: File permissions unset or incorrect. ¦ Task/Handler: Put the price list there ¦ risky-file-permissions profile:safety",
        },
    ),
    told(
        "tflint",
        """
?Plugin "aws" is already installed
1 issue(s) found:

{0}

  on main.tf line @12@:
  @12@:   {1}

Reference: https://github.com/terraform-linters/tflint-ruleset-aws/blob/v0.29.0/docs/rules/{2}.md

""",
        {
            "type": 'Error: "t1.2xlarge" is an invalid value as instance_type (aws_instance_invalid_type) ¦ instance_type = "t1.2xlarge" ¦ aws_instance_invalid_type',
            "unused": 'Warning: variable "price" is declared but not used (terraform_unused_declarations) ¦ variable "price" {} ¦ terraform_unused_declarations',
            "provider": 'Warning: Missing version constraint for provider "aws" in `required_providers` (terraform_required_providers) ¦ provider "aws" {} ¦ terraform_required_providers',
        },
    ),
    told(
        "actionlint",
        """
.github/workflows/ci.yml:@14@:9: {0}
   |
@14@ |         {1}
   |         ^~~~~
?.github/workflows/other.yml:@3@:5: unexpected key "nme" for "job" section [syntax-check]
""".replace("?.github", ".github"),
        {
            "property": 'property "totl" is not defined in object type {total: string} [expression] ¦ run: echo ${{ matrix.totl }}',
            "label": 'label "linux-lates" is unknown. available labels are "ubuntu-latest" [runner-label] ¦ runs-on: linux-lates',
            "shell": "shellcheck reported issue in this script: SC2086:info:1:6: Double quote to prevent globbing and word splitting [shellcheck] ¦ run: echo $TOTAL",
        },
    ),
    told(
        "rustfmt-check",
        """
Diff in @D@/src/{0}.rs:@12@:
 fn total() -> u32 {
-    {1}
+    {2}
 }
""",
        {
            "cart": "cart ¦ 1+2 ¦ 1 + 2",
            "shop": "shop ¦ 1+2 ¦ 1 + 2",
        },
    ),
    told(
        "dbt-test",
        """
11:22:33  Running with dbt=1.7.4
11:22:34  Found 3 models, 4 tests, 0 sources
?11:22:35  1 of 4 START test not_null_orders_id ....... [RUN]
?11:22:35  1 of 4 PASS not_null_orders_id ............. [PASS in @T@s]
11:22:36  2 of 4 {0}
11:22:37  Finished running 4 tests in 0 hours 0 minutes and @T@ seconds (@T@s).
11:22:37  Completed with 1 error and 0 warnings:
11:22:37
11:22:37  {1}
11:22:37
11:22:37    compiled Code at target/compiled/shop/models/schema.yml/{2}.sql
11:22:37
11:22:37  Done. PASS=3 WARN=0 ERROR=1 SKIP=0 TOTAL=4
""",
        {
            "unique": "FAIL 2 unique_orders_id .......... [FAIL 2 in @T@s] ¦ Failure in test unique_orders_id (models/schema.yml)⏎11:22:37    Got 2 results, configured to fail if != 0 ¦ unique_orders_id",
            "null": "FAIL 1 not_null_orders_price ..... [FAIL 1 in @T@s] ¦ Failure in test not_null_orders_price (models/schema.yml)⏎11:22:37    Got 1 result, configured to fail if != 0 ¦ not_null_orders_price",
            "error": 'ERROR unique_orders_id ............. [ERROR in @T@s] ¦ Database Error in test unique_orders_id (models/schema.yml)⏎11:22:37    column "idd" does not exist ¦ unique_orders_id',
        },
    ),
    told(
        "shunit2",
        """
?testEmpty
testSum
ASSERT:{0}
?testSmall

Ran 3 tests.

FAILED (failures=1)
""",
        {
            "equal": "the sum expected:<4> but was:<3>",
            "other": "the name expected:<pear> but was:<apple>",
            "true": "the cart should not be empty",
        },
    ),
    told(
        "shellspec",
        """
?Running: /bin/sh [bash 5.2.15]
.F.

Examples:
  1) cart.sh sums its prices
     When call total 1 2

     1.1) {0}

          # spec/cart_spec.sh:@9@

Finished in @T@ seconds (user @T@ seconds, sys @T@ seconds)
3 examples, 1 failure


Failure examples / Errors: (Listed here affect your suite's status)

shellspec spec/cart_spec.sh:@6@ # 1) cart.sh sums its prices FAILED
""",
        {
            "equal": "The output should equal 4⏎⏎            expected: 4⏎                 got: 3",
            "status": "The status should be success⏎⏎            expected: success (zero)⏎                 got: failure (non-zero) [status: 2]",
            "line": "The line 2 of output should include pear⏎⏎            expected apple to include pear",
        },
    ),
    told(
        "nightwatch",
        """
?- Connecting to localhost on port 4444...
[Cart] Test Suite
────────────────────────────────────────
  Running sums its prices:
───────────────────────────────────────────────────────────────
?  ✔ Element <body> was visible after @MS@ milliseconds.
  ✖ NightwatchAssertError
   {0}

    Error location:
    @D@/tests/cart.js:
    –––––––––––––––––––––––––––––––––––––––––
     @10@ |   it('sums its prices', function(browser) {
     @11@ |     {1} 
     @12@ |   });
    –––––––––––––––––––––––––––––––––––––––––
  ✖ FAILED: 1 assertions failed and  1 passed (@T@s)
""",
        {
            "equal": 'Testing if element <#total> text equals "4" in 5000ms - expected "equals \'4\'" but got: "3" (@MS@ms) ¦ browser.assert.textEquals("#total", "4");',
            "present": 'Timed out while waiting for element <#pear> to be present for 5000 milliseconds. - expected "visible" but got: "not found" (5@MS@ms) ¦ browser.waitForElementVisible("#pear");',
            "url": 'Testing if the URL contains "checkout" in 5000ms - expected "contains \'checkout\'" but got: "http://localhost:3000/cart" (@MS@ms) ¦ browser.assert.urlContains("checkout");',
        },
    ),
    told(
        "semgrep",
        """
?Scanning 12 files tracked by git with 40 Code rules:
┌────────────────┐
│ 1 Code Finding │
└────────────────┘

    src/cart.py
    ❯❯❱ {0}
          {1}
          Details: https://sg.run/4@MS@

           @14@┆ {2}

┌──────────────┐
│ Scan Summary │
└──────────────┘
Ran 40 rules on 12 files: 1 finding.
""",
        {
            "eval": "python.lang.security.audit.eval-detected ¦ Detected the use of eval(). This can be dangerous. ¦ return eval(price)",
            "hash": "python.lang.security.insecure-hash ¦ Detected MD5 hash algorithm which is considered insecure. ¦ hashlib.md5(name)",
            "shell": "python.lang.security.subprocess-shell-true ¦ Found 'subprocess' function with 'shell=True'. ¦ run(cmd, shell=True)",
        },
    ),
    told(
        "credo",
        """
?Checking 12 source files ...

  {1}
┃
┃ {2} {0}
┃       lib/shop/cart.ex:@12@:7 #(Shop.Cart.total)

Please report incorrect results: https://github.com/rrrene/credo/issues

Analysis took @T@ seconds (@T@s to load, @T@s running 62 checks on 12 files)
12 mods/funs, found 1 issue.
""",
        {
            "todo": "Found a TODO tag in a comment: # TODO: sum ¦ Software Design ¦ [D] ↗",
            "pipe": "Pipe chain should start with a raw value. ¦ Refactoring opportunities ¦ [F] →",
            "alias": "Nested modules could be aliased at the top of the invoking module. ¦ Software Design ¦ [D] ↘",
        },
    ),
    told(
        "dotnet-build",
        """
?  Determining projects to restore...
?  All projects are up-to-date for restore.
@D@/Shop/Cart.cs(@14@,17): error {0} [@D@/Shop/Shop.csproj]

Build FAILED.

@D@/Shop/Cart.cs(@14@,17): error {0} [@D@/Shop/Shop.csproj]
    0 Warning(s)
    1 Error(s)

Time Elapsed 00:00:0@T@
""",
        {
            "name": "CS0103: The name 'totl' does not exist in the current context",
            "type": "CS0029: Cannot implicitly convert type 'string' to 'int'",
            "member": "CS1061: 'Cart' does not contain a definition for 'Summ' and no accessible extension method 'Summ' accepting a first argument of type 'Cart' could be found (are you missing a using directive or an assembly reference?)",
        },
    ),
)
