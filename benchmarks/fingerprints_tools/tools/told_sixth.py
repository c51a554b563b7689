"""A sixth set of texts, written by hand after the formats of tools that no other set has; scored before anything was changed for it."""

# ruff: noqa: E101, E501, W291 - the texts are kept as they are printed
from __future__ import annotations

from benchmarks.fingerprints_tools.tools.told import told

TOOLS = (
    told(
        "dart-analyze",
        """
Analyzing shop...
?
   info • lib/other.dart:@3@:1 • Prefer const constructors. • prefer_const_constructors
  error • lib/cart.dart:@14@:7 • {0} • {1}
?warning • lib/other.dart:@9@:8 • Unused import: 'dart:io'. • unused_import

@MS@ issues found.
""".replace("?\n", ""),
        {
            "name": "Undefined name 'totl'. ¦ undefined_identifier",
            "type": "A value of type 'String' can't be assigned to a variable of type 'int'. ¦ invalid_assignment",
            "same rule": "Undefined name 'pear'. ¦ undefined_identifier",
        },
    ),
    told(
        "conftest",
        """
?WARN - other.yaml - main - no owner is set
FAIL - deploy.yaml - main - {0}

3 tests, 2 passed, 0 warnings, 1 failure, 0 exceptions
""",
        {
            "root": "Containers must not run as root",
            "label": "Deployment cart must have the label app",
            "tag": "Image cart:latest is not pinned",
        },
    ),
    told(
        "kubeconform",
        """
?other.yaml - Service other is valid
deploy.yaml - Deployment cart is invalid: {0}
Summary: 2 resources found in 2 files - Valid: 1, Invalid: 1, Errors: 0, Skipped: 0
""",
        {
            "type": "problem validating schema. Check JSON formatting: jsonschema: '/spec/replicas' does not validate: expected integer, but got string",
            "required": "problem validating schema. Check JSON formatting: jsonschema: '/spec' does not validate: missing properties: 'selector'",
        },
    ),
    told(
        "checkov",
        """
terraform scan results:

Passed checks: @MS@, Failed checks: 1, Skipped checks: 0

?Check: CKV_AWS_93: "Ensure S3 bucket policy does not lockout all but root user"⏎	PASSED for resource: aws_s3_bucket.other⏎	File: /other.tf:@3@-@5@
Check: {0}
	FAILED for resource: {1}
	File: /main.tf:@14@-@18@
	Guide: https://docs.example.com/{2}

		@14@ | resource "aws_s3_bucket" "cart" {
		@15@ |   bucket = "cart"
		@18@ | }

""",
        {
            "acl": 'CKV_AWS_20: "S3 Bucket has an ACL defined which allows public READ access." ¦ aws_s3_bucket.cart ¦ s3-1',
            "log": 'CKV_AWS_18: "Ensure the S3 bucket has access logging enabled" ¦ aws_s3_bucket.cart ¦ s3-13',
            "other": 'CKV_AWS_18: "Ensure the S3 bucket has access logging enabled" ¦ aws_s3_bucket.pear ¦ s3-13',
        },
    ),
    told(
        "k6",
        """
     execution: local
        script: cart.js

?running (0m01.0s), 10/10 VUs, 12 complete and 0 interrupted iterations

     ✓ has a body
     ✗ {0}
      ↳  0% — ✓ 0 / ✗ 10

     checks.........................: 50.00% ✓ 10  ✗ 10
     http_req_duration..............: avg=@T@ms min=@T@ms med=@T@ms max=@T@ms
     iterations.....................: 10     @T@/s

time="2026-03-02T11:22:@MS@Z" level=error msg="thresholds on metrics '{1}' have been crossed"
""",
        {
            "status": "status is 200 ¦ checks",
            "body": "the total is 4 ¦ checks",
            "slow": "answers quickly ¦ http_req_duration",
        },
    ),
    told(
        "newman",
        """
newman

shop

→ cart
  GET http://127.0.0.1:@MS@/cart [200 OK, 1.@MS@kB, @MS@ms]
  1. {0}
?  ✓  has a body

┌─────────────────────────┬───────────────────┬──────────────────┐
│                         │          executed │           failed │
├─────────────────────────┼───────────────────┼──────────────────┤
│              assertions │                 2 │                1 │
├─────────────────────────┴───────────────────┴──────────────────┤
│ total run duration: @MS@ms                                     │
└────────────────────────────────────────────────────────────────┘

  #  failure                 detail

 1.  {1}          {0}
                             {2}
                             at assertion:0 in test-script
                             inside "cart"
""",
        {
            "status": "Status code is 200 ¦ AssertionError ¦ expected response to have status code 200 but got 404",
            "total": "the total is right ¦ AssertionError ¦ expected 3 to equal 4",
            "type": "the total is right ¦ TypeError ¦ Cannot read properties of undefined (reading 'price')",
        },
    ),
    told(
        "cspell",
        """
?1/2 other.js @T@ms
2/2 src/cart.js @T@ms X
src/cart.js:@14@:7 - Unknown word ({0})
CSpell: Files checked: 2, Issues found: 1 in 1 file.
""",
        {"one": "totl", "two": "prcie"},
    ),
    told(
        "commitlint",
        """
⧗   input: {0}
✖   {1} [{2}]
?⚠   body must have leading blank line [body-leading-blank]

✖   found 1 problems, 0 warnings
ⓘ   Get help: https://example.com/commitlint

""",
        {
            "empty": "fix ¦ subject may not be empty ¦ subject-empty",
            "type": "foo: the total ¦ type must be one of [feat, fix, docs] ¦ type-enum",
            "stop": "fix: the total. ¦ subject may not end with full stop ¦ subject-full-stop",
        },
    ),
    told(
        "flow",
        """
Error ------------------------------------------------------------------------------------------------- src/cart.js:@14@:7

{0}

   @13@| function total(prices) {{
   @14@|   {1}
              ^^^^



Found 1 error
""".replace("{{", "{"),
        {
            "name": "Cannot resolve name `totl`. [cannot-resolve-name] ¦ return totl;",
            "type": "Cannot return `'pear'` because string [1] is incompatible with number [2]. [incompatible-return] ¦ return 'pear';",
            "prop": "Cannot get `prices.sum` because property `sum` is missing in `Array` [1]. [prop-missing] ¦ return prices.sum;",
        },
    ),
    told(
        "verilator",
        """
?%Warning-UNUSED: other.v:@3@:8: Signal is not used: 'x'
%Error: cart.v:@14@:9: {0}
   @14@ |   assign total = totl;
       |                  ^~~~
%Error: Exiting due to 1 error(s)
""",
        {
            "name": "Can't find definition of variable: 'totl'",
            "syntax": "syntax error, unexpected endmodule",
            "width": "Operator ASSIGNW expects 4 bits",
        },
    ),
    told(
        "ghdl",
        """
?ghdl -a other.vhd
cart.vhd:@14@:9: {0}
ghdl: compilation error
""",
        {
            "name": 'no declaration for "totl"',
            "type": "can't match string literal with type std_logic",
            "semicolon": "';' is expected instead of 'end'",
        },
    ),
    told(
        "rackunit",
        """
?raco test: (submod "other-test.rkt" test)
raco test: "cart-test.rkt"
--------------------
sums prices
{0}
name:       {1}
location:   cart-test.rkt:@14@:2
{2}
--------------------
1/3 test failures
""",
        {
            "equal": "FAILURE ¦ check-equal? ¦ actual:     3⏎expected:   4",
            "true": "FAILURE ¦ check-true ¦ params:     '(#f)",
            "thrown": "ERROR ¦ check-equal? ¦ hash-ref: no value found for key⏎  key: 'pear",
        },
    ),
    told(
        "xcodebuild",
        """
?Test Suite 'OtherTests' passed at 2026-03-02 11:22:33.@MS@.
Test Suite 'CartTests' started at 2026-03-02 11:22:33.@MS@
Test Case '-[ShopTests.CartTests testSum]' started.
@D@/ShopTests/CartTests.swift:@14@: error: -[ShopTests.CartTests testSum] : {0}
Test Case '-[ShopTests.CartTests testSum]' failed (@T@ seconds).
Test Suite 'CartTests' failed at 2026-03-02 11:22:33.@MS@.
	 Executed 3 tests, with 1 failure (0 unexpected) in @T@ (@T@) seconds

Failing tests:
	CartTests.testSum()

** TEST FAILED **
""",
        {
            "equal": 'XCTAssertEqual failed: ("3") is not equal to ("4")',
            "true": "XCTAssertTrue failed - the cart is empty",
            "nil": "XCTUnwrap failed: expected non-nil value of type Int",
        },
    ),
    told(
        "dialyzer",
        """
Starting Dialyzer
?Loading 412 modules from PLT
Total errors: 1, Skipped: 0, Unnecessary Skips: 0
done in 0m@T@s
lib/cart.ex:@14@:{0}
{1}

________________________________________________________________________________
done (warnings were emitted)
Halting VM with exit status 2
""",
        {
            "return": "no_return ¦ Function total/1 has no local return.",
            "call": "call ¦ The function call total will not succeed.",
            "pattern": "pattern_match ¦ The pattern can never match the type.⏎⏎Pattern:⏎{:ok, _}⏎⏎Type:⏎:error",
        },
    ),
    told(
        "spectral",
        """
@D@/openapi.yaml
?  @3@:6  warning  info-contact             Info object must have "contact" object.  info
 @14@:10    error  {0}  {1}  paths./cart.get

✖ 2 problems (1 error, 1 warning, 0 infos, 0 hints)
""",
        {
            "schema": 'oas3-schema ¦ "get" property must have required property "responses".',
            "operation": "operation-success-response ¦ Operation must have at least one 2xx or 3xx response.",
            "example": 'oas3-schema ¦ "parameters" property type must be array.',
        },
    ),
    told(
        "puppet-lint",
        """
?WARNING: class not documented on line @3@
ERROR: {0} on line @14@
""",
        {
            "blank": "trailing whitespace found",
            "tab": "tab character found",
            "quote": "single quoted string containing a variable found",
        },
    ),
    told(
        "jsonnet",
        """
RUNTIME ERROR: {0}
	cart.jsonnet:@14@:3-19	function <total>
	cart.jsonnet:@20@:10-15	object <anonymous>
	During manifestation	
""",
        {"error": "no pear", "field": "field does not exist: price", "type": "unexpected type string, expected number"},
    ),
    told(
        "cue-vet",
        """
{0}:
    ./cart.cue:@14@:8
    ./schema.cue:@3@:9
""",
        {
            "type": 'price: conflicting values "x" and int (mismatched types string and int)',
            "bound": "price: invalid value 10 (out of bound <=9)",
            "field": "total: field not allowed",
        },
    ),
    told(
        "lintr",
        """
R/cart.R:@14@:3: {0}
total <- function(x) x
  ^~~~~
""",
        {
            "name": "style: [object_name_linter] Variable and function name style should match snake_case.",
            "assign": "style: [assignment_linter] Use <-, not =, for assignment.",
            "unused": "warning: [object_usage_linter] no visible binding for global variable 'totl'",
        },
    ),
    told(
        "cargo-deny",
        """
?2026-03-02 11:22:33 [INFO] fetching advisories
error[{0}]: {1}
   ┌─ @D@/Cargo.lock:@14@:1
   │
@14@ │ {2} registry+index
   │ ------------------------- {3}
   │
   = ID: RUSTSEC-2020-0071

advisories FAILED, bans ok, licenses ok, sources ok
""",
        {
            "time": "vulnerability ¦ Potential segfault in the time crate ¦ time 0.1.43 ¦ security vulnerability detected",
            "yaml": "unmaintained ¦ yaml-rust is unmaintained ¦ yaml-rust 0.4.5 ¦ unmaintained advisory detected",
            "licence": "rejected ¦ failed to satisfy license requirements ¦ ring 0.16 ¦ license expression was not explicitly allowed",
        },
    ),
    told(
        "goss",
        """
?.
F

Failures/Skipped:

{0}
Expected
    {1}
to equal
    {2}

Total Duration: @T@s
Count: 3, Failed: 1, Skipped: 0
""",
        {
            "service": "Service: cart: running: ¦ false ¦ true",
            "port": "Port: tcp:80: listening: ¦ false ¦ true",
            "mode": "File: /etc/cart.conf: mode: ¦ 0644 ¦ 0600",
        },
    ),
    told(
        "reek",
        """
Inspecting 2 file(s):
?.S

lib/cart.rb -- 1 warning:
  [@14@, @17@]:{0} [https://example.com/docs]
""",
        {
            "envy": "FeatureEnvy: Cart#total refers to 'item' more than self (maybe move it to another class?)",
            "name": "UncommunicativeVariableName: Cart#total has the variable name 'x'",
            "state": "TooManyInstanceVariables: Cart has at least 5 instance variables",
        },
    ),
    told(
        "brakeman",
        """
== Brakeman Report ==

Application Path: @D@
Scan Date: 2026-03-02 11:22:33 +0000
Duration: @T@ seconds

== Overview ==

Controllers: 2
Security Warnings: 1

== Warnings ==

Confidence: High
Category: {0}
Message: {1}
Code: {2}
File: app/cart.rb
Line: @14@

""",
        {
            "sql": "SQL Injection ¦ Possible SQL injection ¦ Cart.where(params[:q])",
            "xss": "Cross-Site Scripting ¦ Unescaped parameter value ¦ params[:q]",
            "sql other": "SQL Injection ¦ Possible SQL injection ¦ Item.find_by_sql(params[:q])",
        },
    ),
    told(
        "haml-lint",
        """
app/cart.haml:@14@ [{0}

2 files inspected, 1 lint detected
""",
        {
            "class": "W] ClassAttributeWithStaticValue: Avoid defining `class` in attributes hash",
            "syntax": "E] Syntax: Illegal nesting",
            "long": "W] LineLength: Line is too long. [93/80]",
        },
    ),
    told(
        "phpmd",
        """
@D@/src/cart.php:@14@  {0}
?@D@/src/other.php:@3@  ShortVariable  Avoid variables with short names like $x.
""".replace("?@D", "@D"),
        {
            "unused": "UnusedLocalVariable  Avoid unused local variables such as '$total'.",
            "else": "ElseExpression      The method total uses an else expression.",
            "static": "StaticAccess        Avoid using static access to class 'Cart' in method 'total'.",
        },
    ),
    told(
        "deno-lint",
        """
error[{0}]: {1}
 --> @D@/cart.ts:@14@:7
   | 
@14@ |   const total = 1;
   |         ^^^^^
   = hint: {2}

  docs: https://example.com/rules/{0}


Found 1 problem
Checked @MS@ files
""",
        {
            "unused": "no-unused-vars ¦ `total` is never used ¦ prefix it with an underscore",
            "any": "no-explicit-any ¦ `any` type is not allowed ¦ use a specific type",
            "const": "prefer-const ¦ `total` is never reassigned ¦ use `const`",
        },
    ),
    told(
        "android-lint",
        """
@D@/src/main/Cart.kt:@14@: Error: {0} [{1}]
        val total = now()
                    ~~~

   Explanation for issues of type "{1}":
   This check scans through all the calls in the application.

?src/main/Other.kt:@3@: Warning: Hardcoded string [HardcodedText]
1 errors, 0 warnings
""",
        {
            "api": "Call requires API level 26 (current min is 21): java.time.LocalDate#now ¦ NewApi",
            "permission": "Missing permissions required by Cart.find ¦ MissingPermission",
            "resource": "The resource R.string.cart appears to be unused ¦ UnusedResources",
        },
    ),
    told(
        "common-test",
        """
?%%% other_SUITE ==> fine: OK
%%% cart_SUITE ==> sums: FAILED
%%% cart_SUITE ==> {0}
Testing lib.shop: *** FAILED test case 1 of 3 ***
Testing lib.shop: TEST COMPLETE, 2 ok, 1 failed of 3 test cases

Failed 1 tests. Passed 2 tests.
Results written to "@D@/_build/test/logs/index.html".
""",
        {
            "match": '{{badmatch,3},⏎ [{cart_SUITE,sums,1,⏎              [{file,"@D@/test/cart_SUITE.erl"},{line,@14@}]},⏎  {test_server,ts_tc,3,[{file,"test_server.erl"},{line,@1782@}]}]}',
            "key": '{{badkey,pear},⏎ [{erlang,map_get,[pear,#{}],[{error_info,#{}}]},⏎  {cart_SUITE,sums,1,⏎              [{file,"@D@/test/cart_SUITE.erl"},{line,@14@}]}]}',
            "undef": '{undef,[{cart,totl,[[1,2]],[]},⏎        {cart_SUITE,sums,1,⏎                    [{file,"@D@/test/cart_SUITE.erl"},{line,@14@}]}]}',
        },
    ),
    told(
        "svn-like",
        """
cart service: checking
?other service: ok in @MS@ ms
cart service: {0}
?pear service: ok in @MS@ ms
checked 3 services, 1 is down
""",
        {"down": "no answer on /health", "old": "schema 41 is older than 42", "full": "disk 97 % full"},
    ),
)
