"""A fourth set of texts, written after everything was mended on the third: what they scored first is a forecast."""

# ruff: noqa: E501 - the texts are kept as they are printed
from __future__ import annotations

from benchmarks.fingerprints_tools.tools.told import told

TOOLS = (
    told(
        "buck2-test",
        """
?Starting new buck2 daemon...
?Connected to new buck2 daemon.
✗ Fail: shop:cart_test - sums_prices (@T@s)
---- STDOUT ----
{0}
---- STDERR ----

Tests finished: Pass 2. Fail 1. Fatal 0. Skip 0. Build failure 0
1 TESTS FAILED
  ✗ shop:cart_test - sums_prices

Run 'fbcode/run tests' to try again
""".replace("Run 'fbcode/run tests' to try again\n", ""),
        {
            "equal": "cart_test.cpp:@14@: expected 4, got 3",
            "other": "cart_test.cpp:@14@: the name is apple and not pear",
            "thrown": "terminate called after throwing an instance of 'std::out_of_range'⏎  what():  no pear",
        },
    ),
    told(
        "webdriverio",
        """
?Execution of 2 workers started at 2026-03-02T11:22:33.@MS@Z
[0-0] RUNNING in chrome - file:///test/cart.e2e.js
[0-0] {0} in "a cart sums its prices"
{1}
    at Context.<anonymous> (@D@/test/cart.e2e.js:@14@:27)
[0-0] FAILED in chrome - file:///test/cart.e2e.js
?[0-1] PASSED in chrome - file:///test/other.e2e.js

 "spec" Reporter:
------------------------------------------------------------------
[chrome 121.0 linux #0-0] Running: chrome (v121.0) on linux
[chrome 121.0 linux #0-0] a cart
[chrome 121.0 linux #0-0]    ✖ sums its prices
[chrome 121.0 linux #0-0]
[chrome 121.0 linux #0-0] 1 failing (@T@s)

Spec Files:	 1 passed, 1 failed, 2 total (100% completed) in 00:00:0@T@
""",
        {
            "text": 'Error ¦ Error: Expect $(`#total`) to have text⏎⏎Expected: "4"⏎Received: "3"',
            "wait": 'Error ¦ Error: element ("#pear") still not displayed after 5000ms',
            "type": "TypeError ¦ TypeError: Cannot read properties of undefined (reading 'price')",
        },
    ),
    told(
        "mstest",
        """
?  Shop.Tests -> @D@/bin/Debug/net8.0/Shop.Tests.dll
Starting test execution, please wait...
  Failed SumsPrices [@MS@ ms]
  Error Message:
   {0}
  Stack Trace:
      at Shop.Tests.CartTests.SumsPrices() in @D@/CartTests.cs:line @17@
?   at System.RuntimeMethodHandle.InvokeMethod(Object target, Void** arguments)


Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: @MS@ ms
""",
        {
            "equal": "Assert.AreEqual failed. Expected:<4>. Actual:<3>.",
            "true": "Assert.IsTrue failed. the cart is empty",
            "thrown": "Test method Shop.Tests.CartTests.SumsPrices threw exception: ⏎System.ArgumentException: no pear",
        },
    ),
    told(
        "dmd",
        """
?dub build --compiler=dmd
source/cart.d(@14@): Error: {0}
?source/other.d(@3@): Deprecation: use of complex type
Error @D@/dmd failed with exit code 1.
""".replace("Error @D@/dmd", "Error /usr/bin/dmd"),
        {
            "identifier": "undefined identifier `totl`, did you mean variable `total`?",
            "type": 'cannot implicitly convert expression `"pear"` of type `string` to `int`',
            "match": "none of the overloads of `sum` are callable using argument types `(string)`",
        },
    ),
    told(
        "nim-compile",
        """
?Hint: used config file '/etc/nim/nim.cfg' [Conf]
?...............................................
@D@/src/cart.nim(@14@, 7) Error: {0}
""",
        {
            "identifier": "undeclared identifier: 'totl'",
            "type": "type mismatch: got 'string' for '\"pear\"' but expected 'int'",
            "discard": "expression 'total(1, 2)' is of type 'int' and has to be used (or discarded)",
        },
    ),
    told(
        "hardhat",
        """
?Compiled 3 Solidity files successfully (evm target: paris).


  Cart
?    ✔ is empty (@MS@ms)
    1) sums its prices


  2 passing (@MS@ms)
  1 failing

  1) Cart
       sums its prices:

      {0}
      + expected - actual

      -{1}
      +{2}

      at Context.<anonymous> (test/Cart.js:@14@:32)
""",
        {
            "equal": "AssertionError: expected 3 to equal 4. ¦ 3 ¦ 4",
            "name": "AssertionError: expected 'apple' to equal 'pear' ¦ apple ¦ pear",
            "revert": "Error: VM Exception while processing transaction: reverted with reason string 'no pear' ¦ 0 ¦ 1",
        },
    ),
    told(
        "selene",
        """
error[{0}]: {1}
   ┌─ src/cart.lua:@14@:5
   │
@14@ │     {2}
   │     ^^^^

?warning[unused_variable]: x is assigned a value, but never used
Results:
1 errors
0 parse errors
""",
        {
            "undefined": "undefined_variable ¦ `totl` is not defined ¦ return totl",
            "arguments": "incorrect_standard_library_use ¦ standard library function `math.floor` requires 1 parameters, 0 passed ¦ math.floor()",
            "loop": "divide_by_zero ¦ dividing by zero is not allowed, use math.huge instead ¦ return 1 / 0",
        },
    ),
    told(
        "vale",
        """

 docs/cart.md
 @14@:5   {0}

✖ 1 error, 0 warnings and 0 suggestions in 3 files.
""",
        {
            "spelling": "error    Did you really mean 'totl'?   Vale.Spelling",
            "terms": "error    Use 'cart' instead of 'Cart'.  Vale.Terms",
            "repeat": "error    'the' is repeated!             Vale.Repetition",
        },
    ),
    told(
        "perlcritic",
        """
lib/Cart.pm: {0} at line @14@, column 5.  {1}  (Severity: 5)
?lib/Other.pm source OK
""",
        {
            "strict": "Code before strictures are enabled ¦ See page 429 of PBP.",
            "eval": 'Expression form of "eval" ¦ See page 161 of PBP.',
            "open": 'Two-argument "open" used ¦ See page 207 of PBP.',
        },
    ),
    told(
        "octave-test",
        """
>>>>> processing @D@/cart.m
***** test
 assert (total ([1 2]), {2})
!!!!! test failed
{0}
?PASSES 2 out of 3 tests
shared variables {1}
Summary: FAIL 1
""".replace("shared variables {1}\n", ""),
        {
            "equal": "ASSERT errors for:  assert (total ([1, 2]),4)⏎⏎  Location | Observed | Expected | Reason⏎    ()          3          4          Abs err 1 exceeds tol 0 by 1 ¦ - ¦ 4",
            "name": "'totl' undefined ¦ - ¦ 5",
            "index": "index (4): out of bound 3 (dimensions are 1x3) ¦ - ¦ 6",
        },
    ),
    told(
        "pulumi",
        """
?Previewing update (dev):
     Type                 Name      Status
 +   pulumi:pulumi:Stack  shop-dev  **failed**
?     └─ aws:s3:Bucket    logs      created (@T@s)

Diagnostics:
  pulumi:pulumi:Stack (shop-dev):
    error: {0}

Resources:
    + 1 created

Duration: @MS@s
""",
        {
            "type": "aws:s3/bucket:Bucket resource 'cart' has a problem: expected string, got number. Examine values at 'cart.acl'.",
            "missing": "Missing required configuration variable 'shop:price'",
            "conflict": "creating S3 Bucket (cart): BucketAlreadyExists: The requested bucket name is not available",
        },
    ),
)
