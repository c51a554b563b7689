"""More texts as tools print them, written after the parsers were mended on the first: what they scored is a forecast."""

# ruff: noqa: E501, W291 - the texts are kept as they are printed
from __future__ import annotations

from benchmarks.fingerprints_tools.tools.told import told

TOOLS = (
    told(
        "zig-test",
        """
?1/3 cart.test.empty...OK
2/3 cart.test.sum of prices...{0}
@D@/src/cart.zig:@31@:5: 0x1048@MS@ in test.sum of prices (test)
    {1}
    ^
?3/3 cart.test.small...OK
2 passed; 0 skipped; 1 failed.
error: the following test command failed with exit code 1:
@D@/.zig-cache/o/@H@@H@@H@@H@/test --seed=0x@H@
""",
        {
            "equal": "expected 4, found 3⏎FAIL (TestExpectedEqual)⏎/usr/lib/zig/std/testing.zig:103:17: 0x1047f23 in expectEqualInner__anon_1234 (test)⏎                return error.TestExpectedEqual;⏎                ^ ¦ try std.testing.expectEqual(4, total(&.{ 1, 2 }));",
            "error": 'FAIL (NotFound) ¦ try find("pear");',
            "expect": "FAIL (TestUnexpectedResult)⏎/usr/lib/zig/std/testing.zig:546:14: 0x1047f23 in expect (test)⏎    if (!ok) return error.TestUnexpectedResult;⏎             ^ ¦ try std.testing.expect(total(&.{1}) > 2);",
        },
    ),
    told(
        "crystal-spec",
        """
?..
F.

Failures:

  1) Cart sums its prices
     Failure/Error: {0}

       {1}

     # spec/cart_spec.cr:@14@

Finished in @MS@ milliseconds
3 examples, 1 failures, 0 errors, 0 pending

Failed examples:

crystal spec spec/cart_spec.cr:@12@ # Cart sums its prices
""",
        {
            "equal": "cart.total.should eq(4) ¦ Expected: 4⏎            got: 3",
            "other": "cart.total.should be > 8 ¦ Expected 3 to be > 8",
            "nil": 'cart.find("pear").should_not be_nil ¦ Expected: nil not to be nil',
        },
    ),
    told(
        "clojure-test",
        """
?Running tests in #{"test"}
?
Testing shop.cart-test

{0} in (sum-test) (cart_test.clj:@14@)
{1}
{2}

Ran 3 tests containing 3 assertions.
1 failures, 0 errors.
""",
        {
            "equal": "FAIL ¦ expected: (= 4 (total [1 2])) ¦   actual: (not (= 4 3))",
            "other": "FAIL ¦ expected: (> (total [1 2]) 8) ¦   actual: (not (> 3 8))",
            "thrown": "ERROR ¦ Uncaught exception, not in assertion.⏎expected: nil ¦   actual: java.lang.NullPointerException: null⏎ at shop.cart$find.invoke (cart.clj:@7@)",
        },
    ),
    told(
        "eunit",
        """
?===> Verifying dependencies...
===> Performing EUnit tests...
?.
F.

Failures:

  1) cart_tests:sum_test/0: module 'cart_tests'
     {0}
     %% @D@/_build/test/lib/shop/test/cart_tests.erl:@14@:in `cart_tests:-sum_test/0-fun-0-/0`

Finished in @T@ seconds
3 tests, 1 failures
===> Error running tests
""",
        {
            "equal": "Failure/Error: ?assertEqual(4, cart : total ( [ 1 , 2 ] ))⏎       expected: 4⏎            got: 3",
            "true": "Failure/Error: ?assert(cart : total ( [ 1 ] ) > 2)⏎       expected: true⏎            got: false",
            "thrown": 'Failure/Error: {error,badarg,⏎                         [{erlang,list_to_integer,["pear"],[]}]}⏎     Output:',
        },
    ),
    told(
        "scala-compile",
        """
?[info] compiling 3 Scala sources to @D@/target/scala-2.13/classes ...
[error] @D@/src/main/scala/Cart.scala:@14@:12: {0}
[error]     {1}
[error]            ^
[error] one error found
[error] (Compile / compileIncremental) Compilation failed
[error] Total time: @MS@ s, completed Mar 2, 2026, 11:22:33 AM
""",
        {
            "type": 'type mismatch;⏎[error]  found   : String("x")⏎[error]  required: Int ¦ total = "x"',
            "value": "not found: value price ¦ sum += price",
            "member": "value cost is not a member of shop.Item ¦ item.cost",
        },
    ),
    told(
        "dotty",
        """
[error] -- [{0}] {1}: @D@/src/main/scala/Cart.scala:@14@:12
[error] @14@ |    {2}
[error]    |    ^^^^^
[error]    |    {3}
[error] one error found
?[error] (Compile / compileIncremental) Compilation failed
""",
        {
            "type": 'E007 ¦ Type Mismatch Error ¦ val sum: Int = "x" ¦ Found:    ("x" : String)⏎[error]    |    Required: Int',
            "name": "E006 ¦ Not Found Error ¦ sum += price ¦ Not found: price",
        },
    ),
    told(
        "swiftc",
        """
?[3/5] Compiling Shop Other.swift
@D@/Sources/Shop/Cart.swift:@14@:16: error: {0}
        {1}
               ^~~~~
?@D@/Sources/Shop/Cart.swift:@9@:9: note: did you mean 'prices'?
error: fatalError
""",
        {
            "scope": "cannot find 'price' in scope ¦ return price",
            "type": "cannot convert return expression of type 'String' to return type 'Int' ¦ return \"x\"",
            "unwrap": "value of optional type 'Int?' must be unwrapped to a value of type 'Int' ¦ return first",
        },
    ),
    told(
        "psalm",
        """
?Target PHP version: 8.2 (inferred from composer.json)
Scanning files...
Analyzing files...

░E░

ERROR: {0} - src/Cart.php:@14@:16 - {1} (see https://psalm.dev/{2})
        {3}


------------------------------
1 errors found
------------------------------
Checks took @T@ seconds and used 142.@MS@MB of memory
""",
        {
            "method": "UndefinedMethod ¦ Method Shop\\Cart::price does not exist ¦ 022 ¦ return $this->price();",
            "return": "InvalidReturnStatement ¦ The inferred type 'string' does not match the declared return type 'int' ¦ 128 ¦ return 'x';",
            "variable": "UndefinedVariable ¦ Cannot find referenced variable $total ¦ 024 ¦ return $total;",
        },
    ),
    told(
        "phpcs",
        """

FILE: @D@/src/Cart.php
----------------------------------------------------------------------
FOUND 1 ERROR AFFECTING 1 LINE
----------------------------------------------------------------------
 @14@ | ERROR | [x] {0}
    |       |     ({1})
----------------------------------------------------------------------
PHPCBF CAN FIX THE 1 MARKED SNIFF VIOLATIONS AUTOMATICALLY
----------------------------------------------------------------------

Time: @MS@ms; Memory: 8MB
""",
        {
            "indent": "Line indented incorrectly; expected 4 spaces, found 3 ¦ Generic.WhiteSpace.ScopeIndent.Incorrect",
            "brace": "Opening brace should be on a new line ¦ Squiz.Functions.MultiLineFunctionDeclaration",
            "eol": "Whitespace found at end of line ¦ Squiz.WhiteSpace.SuperfluousWhitespace.EndLine",
        },
    ),
    told(
        "svelte-check",
        """
====================================
Loading svelte-check in workspace: @D@
Getting Svelte diagnostics...

@D@/src/Cart.svelte:@14@:9
Error: {0} (ts)
  const prices = [1];
  {1}

====================================
svelte-check found 1 error and 0 warnings in 1 file
""",
        {
            "type": "Type 'string' is not assignable to type 'number'. ¦ total = 'x';",
            "name": "Cannot find name 'price'. ¦ total += price;",
        },
    ),
    told(
        "angular-build",
        """
?❯ Building...
✖ Building...
Application bundle generation failed. [@T@ seconds]

✘ [ERROR] {0}

    src/app/cart.component.ts:@14@:9:
      @14@ │     {1}
         ╵     ~~~~~

""",
        {
            "type": "TS2322: Type 'string' is not assignable to type 'number'. [plugin angular-compiler] ¦ this.total = 'x';",
            "name": "TS2304: Cannot find name 'price'. [plugin angular-compiler] ¦ this.total = price;",
            "element": "NG8001: 'app-price' is not a known element: [plugin angular-compiler] ¦ <app-price></app-price>",
        },
    ),
    told(
        "psql-migration",
        """
?BEGIN
?CREATE TABLE
psql:migrations/0007_prices.sql:@14@: ERROR:  {0}
{1}
?ROLLBACK
""",
        {
            "relation": 'relation "orders" does not exist',
            "column": 'column "price" of relation "items" already exists',
            "syntax": 'syntax error at or near "SELEC" ¦ LINE 1: SELEC 1⏎        ^',
        },
    ),
    told(
        "flyway",
        """
?Flyway Community Edition 10.4.1 by Redgate
Database: jdbc:postgresql://db-@MS@.internal:5432/shop (PostgreSQL 15.4)
?Successfully validated 7 migrations (execution time 00:00.@MS@s)
Migrating schema "public" to version "7 - prices"
ERROR: Script V7__prices.sql failed
-----------------------------------
SQL State  : {0}
Error Code : 0
Message    : {1}
Location   : db/migration/V7__prices.sql (@D@/db/migration/V7__prices.sql)
Line       : @14@
Statement  : {2}
""",
        {
            "relation": '42P01 ¦ ERROR: relation "orders" does not exist ¦ ALTER TABLE orders ADD COLUMN price int',
            "exists": '42701 ¦ ERROR: column "price" of relation "items" already exists ¦ ALTER TABLE items ADD COLUMN price int',
        },
    ),
    told(
        "ansible",
        """
PLAY [shop] ********************************************************************

TASK [Gathering Facts] *********************************************************
ok: [web-@MS@]

TASK [{0}] *****************************************************
fatal: [web-1]: FAILED! => {"changed": false, "msg": "{1}"}

PLAY RECAP *********************************************************************
web-1                      : ok=1    changed=0    unreachable=0    failed=1    skipped=0    rescued=0    ignored=0
""",
        {
            "package": "install nginx ¦ No package matching 'ngnix' is available",
            "file": "copy config ¦ Could not find or access 'shop.conf' on the Ansible Controller.",
        },
    ),
    told(
        "cucumber-js",
        """
?....
.F-

Failures:

1) Scenario: paying for a cart # features/cart.feature:@6@
   ✔ Given a cart with 3 pears # features/steps.js:@4@
   ✖ When it is paid # features/steps.js:@14@
       {0}
           at World.<anonymous> (@D@/features/steps.js:@15@:10)
   - Then it is empty # features/steps.js:@20@

2 scenarios (1 failed, 1 passed)
6 steps (1 failed, 1 skipped, 4 passed)
0m00.@MS@s (executing steps: 0m00.@MS@s)
""",
        {
            "equal": "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:⏎           + expected - actual⏎⏎           -3⏎           +4",
            "thrown": "RangeError: no pear",
            "type": "TypeError: Cannot read properties of undefined (reading 'price')",
        },
    ),
    told(
        "meson-test",
        """
ninja: Entering directory `@D@/build'
?ninja: no work to do.
?1/3 shop:empty       OK              @T@s
2/3 shop:total       FAIL            @T@s   {0}
>>> MALLOC_PERTURB_=@MS@ @D@/build/tests/total
――――――――――――――――――――――――――――――――――――― ✀  ―――――――――――――――――――――――――――――――――――――
stderr:
{1}
――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――――

Ok:                 2
Expected Fail:      0
Fail:               1
Unexpected Pass:    0
Skipped:            0
Timeout:            0

Full log written to @D@/build/meson-logs/testlog.txt
""",
        {
            "assert": "killed by signal 6 SIGABRT ¦ total: ../tests/total.c:@14@: main: Assertion `total(1, 2) == 4' failed.",
            "exit": "exit status 3 ¦ wanted 4 and got 3",
            "glib": "killed by signal 6 SIGABRT ¦ ERROR:../tests/total.c:@14@:test_total: assertion failed (total (1, 2) == 4): (3 == 4)",
        },
    ),
    told(
        "rails-minitest",
        """
Running 3 tests in a single process (parallelization threshold is 50)
Run options: --seed @MS@

# Running:

?..
F

{0}:
CartTest#test_sums_its_prices [@D@/test/cart_test.rb:@14@]:
{1}


bin/rails test test/cart_test.rb:@12@

.

Finished in @T@s, @T@ runs/s, @T@ assertions/s.
3 runs, 3 assertions, 1 failures, 0 errors, 0 skips
""",
        {
            "equal": "Failure ¦ Expected: 4⏎  Actual: 3",
            "include": "Failure ¦ Expected [1, 2] to include 3.",
            "count": 'Failure ¦ "Cart.count" didn\'t change by 1, but by 0.⏎Expected: 1⏎  Actual: 0',
        },
    ),
    told(
        "kubectl",
        """
?deployment.apps/other configured
{0}
?service/web unchanged
""",
        {
            "field": 'Error from server (BadRequest): error when creating "deploy.yml": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica"',
            "quota": 'Error from server (Forbidden): error when creating "deploy.yml": pods "web" is forbidden: exceeded quota: compute',
            "parse": "error: error parsing deploy.yml: error converting YAML to JSON: yaml: line @14@: did not find expected key",
        },
    ),
    told(
        "gitlab-pytest",
        """
Running with gitlab-runner 16.6.1 (f5da3c5a)
  on runner-@H@ , system ID: s_@H@
section_start:17093@MS@:step_script
$ pytest -q
F.                                                                       [100%]
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       {0}
{1}

tests/test_cart.py:@14@: {2}
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - {3}
1 failed, 1 passed in @T@s
section_end:17093@MS@:step_script
Cleaning up project directory and file based variables
ERROR: Job failed: exit code 1
""",
        {
            "equal": "assert total([1]) == 4 ¦ E       assert 1 == 4⏎E        +  where 1 = total([1]) ¦ AssertionError ¦ assert 1 == 4",
            "thrown": "find('pear') ¦ E       KeyError: 'pear' ¦ KeyError ¦ KeyError: 'pear'",
            "type": "total(3) ¦ E       TypeError: 'int' object is not iterable ¦ TypeError ¦ TypeError: 'int' object is not iterable",
        },
    ),
    # Written last, after all mends.
    told(
        "alcotest",
        """
Testing `Store'.
This run has ID `@H@'.

?  [OK]          find          0   empty.
> [FAIL]        find          1   price.

┌──────────────────────────────────────────────────────────────────────────────┐
│ [FAIL]        find          1   price.                                       │
└──────────────────────────────────────────────────────────────────────────────┘
{0}

Raised at Alcotest_engine__Test.check in file "src/alcotest-engine/test.ml", lines 216-226, characters 4-19
Called from Dune__exe__Test.price in file "test/test.ml", line @14@, characters 2-40

Logs saved to `@D@/_build/_tests/Store/find.001.output'.
 ──────────────────────────────────────────────────────────────────────────────

Full test results in `@D@/_build/_tests/Store'.
1 failure! in @T@s. 2 tests run.
""",
        {
            "equal": "ASSERT same price⏎FAIL same price⏎⏎   Expected: `4'⏎   Received: `3'",
            "name": 'ASSERT same name⏎FAIL same name⏎⏎   Expected: `"pear"\'⏎   Received: `"apple"\'',
            "raise": "[exception] Not_found",
        },
    ),
    told(
        "gleam",
        """
?  Compiling shop
   Running shop_test.main
?.
F
Failures:

  1) shop/cart_test.total_test
     {0}
     location: test/shop/cart_test.gleam:@14@

Finished in @T@ seconds
2 tests, 1 failures
""",
        {
            "equal": "Values were not equal⏎     expected: 4⏎          got: 3",
            "panic": "panic: no pear",
            "let": "Pattern match failed, no pattern matched the value.⏎     value: Error(Nil)",
        },
    ),
    told(
        "raku-prove",
        """
t/cart.t .. 
?ok 1 - empty
not ok 2 - {0}
# Failed test '{0}'
# at t/cart.t line @14@
{1}
1..2
# You failed 1 test of 2
Dubious, test returned 1
Failed 1/2 subtests

Test Summary Report
-------------------
t/cart.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
  Failed test:  2
  Non-zero exit status: 1
Files=1, Tests=2,  1 wallclock secs ( @T@ usr  @T@ sys )
Result: FAIL
""",
        {
            "sum": "sums prices ¦ # expected: 4⏎#      got: 3",
            "name": "has a name ¦ # expected: 'pear'⏎#      got: 'apple'",
        },
    ),
    told(
        "detekt",
        """
?> Task :compileKotlin UP-TO-DATE
> Task :detekt FAILED
@D@/src/main/kotlin/Cart.kt:@14@:5: {0} [{1}]

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':detekt'.
> Analysis failed with 1 weighted issues.

BUILD FAILED in @MS@s
""",
        {
            "magic": "This expression contains a magic number. Consider defining it to a well named constant. ¦ MagicNumber",
            "long": "The function total is too long (80). The maximum length is 60. ¦ LongMethod",
            "wild": "shop.items.* is a wildcard import. Replace it with fully qualified imports. ¦ WildcardImport",
        },
    ),
    told(
        "helm",
        """
?==> Linting chart
{0}
Error: 1 chart(s) linted, 1 chart(s) failed
""",
        {
            "values": "[ERROR] values.yaml: unable to parse YAML: error converting YAML to JSON: yaml: line @14@: did not find expected key",
            "template": '[ERROR] templates/: template: shop/templates/web.yaml:@14@:20: executing "shop/templates/web.yaml" at <.Values.image.tag>: nil pointer evaluating interface {}.tag',
            "icon": "[ERROR] Chart.yaml: version is required",
        },
    ),
    told(
        "buf",
        """
proto/shop/v1/cart.proto:@14@:3:{0}
?make: *** [Makefile:@8@: lint] Error 100
""",
        {
            "case": 'Field name "itemPrice" should be lower_snake_case, such as "item_price".',
            "package": 'Files with package "shop.v1" must be within a directory "shop/v1".',
            "unused": 'Import "google/type/date.proto" is unused.',
        },
    ),
    told(
        "testcafe",
        """
 Running tests in:
 - Chrome 120.0.0.0 / Linux 0.0

 Cart
?✓ is empty
 ✖ sums its prices

   1) {0}

      Browser: Chrome 120.0.0.0 / Linux 0.0

         @12@ |test('sums its prices', async t => {
         @13@ |    await t.click('#add');
       > @14@ |    {1}
         @15@ |});

         at <anonymous> (@D@/tests/cart.js:@14@:8)

 1/2 failed (@MS@s)
""",
        {
            "equal": "AssertionError: expected '3' to deeply equal '4' ¦ await t.expect(total.innerText).eql('4');",
            "missing": "The specified selector does not match any element in the DOM tree. ¦ await t.click('#pay');",
            "timeout": "A request to http://localhost:3000 timed out. ¦ await t.navigateTo('/cart');",
        },
    ),
    told(
        "nix-build",
        """
?these 2 derivations will be built:
?  /nix/store/@H@@H@@H@@H@-shop-1.0.drv
building '/nix/store/@H@@H@@H@@H@-shop-1.0.drv'...
error: builder for '/nix/store/@H@@H@@H@@H@-shop-1.0.drv' failed with exit code 2;
       last 3 log lines:
       > building
       > {0}
       > make: *** [Makefile:@9@: cart.o] Error 1
       For full logs, run 'nix log /nix/store/@H@@H@@H@@H@-shop-1.0.drv'.
""",
        {
            "header": "cart.c:@3@:10: fatal error: price.h: No such file or directory",
            "undeclared": "cart.c:@14@:9: error: 'price' undeclared (first use in this function)",
        },
    ),
    told(
        "vitest-workspace-pnpm",
        """
?Scope: 3 of 4 workspace projects
packages/shop test$ vitest run
packages/shop test:  RUN  v1.2.0 @D@/packages/shop
packages/shop test:  ❯ src/cart.test.ts  (2 tests | 1 failed) @MS@ms
packages/shop test:    ❯ src/cart.test.ts > a cart > sums its prices
packages/shop test:      → {0}
packages/shop test: ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯
packages/shop test:  FAIL  src/cart.test.ts > a cart > sums its prices
packages/shop test: {1}: {0}
packages/shop test:  ❯ src/cart.test.ts:@14@:25
packages/shop test:      @13@|   const cart = new Cart();
packages/shop test:      @14@|   {2}
packages/shop test:        |   ^
packages/shop test:  Test Files  1 failed (1)
packages/shop test:       Tests  1 failed | 1 passed (2)
packages/shop test:    Duration  @MS@ms
packages/shop test: Failed
@D@/packages/shop:
 ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  shop@1.0.0 test: `vitest run`
Exit status 1
""",
        {
            "equal": "expected 3 to be 4 // Object.is equality ¦ AssertionError ¦ expect(cart.total()).toBe(4);",
            "thrown": "no pear ¦ RangeError ¦ cart.find('pear');",
        },
    ),
    told(
        "poetry",
        """
?Updating dependencies
Resolving dependencies... (@T@s)

{0}
""",
        {
            "conflict": "Because shop depends on both flask (^2.0) and flask (^3.0), version solving failed.",
            "missing": "Because shop depends on nothing-here (*) which doesn't match any versions, version solving failed.",
            "python": "The current project's supported Python range (>=3.8,<4.0) is not compatible with some of the required packages Python requirement:⏎  - numpy requires Python >=3.11, so it will not be installable for Python >=3.8,<3.11",
        },
    ),
)
