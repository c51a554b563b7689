"""Runners and compilers of other languages: AVA, uvu, tap, QUnit, lab, testify, Ginkgo, ExUnit, testthat, hspec, GHC, OCaml, Nim."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from benchmarks.fingerprints_tools.program import Program, Tool

_JS_STORE = "¶\nexports.find = (stock, name) => {\n  if (!(name in stock)) throw new RangeError(`no ${name}`);\n  return stock[name];\n};\nexports.fetch = async (name) => { throw new TypeError(`no answer for ${name}`); };\n"


def _js(test: str, faults: dict[str, str], name: str = "store.test.js") -> Program:
    return Program(
        files={"store.js": _JS_STORE, "package.json": '{"name": "shop"}\n', name: test}, faults=faults, targets=(name,)
    )


_COMMON = {
    "thrown": "find({}, 'pear');",
    "builtin": "null.price;",
    "undefined": "nothing + 1;",
    "rejected": "await fetch('pear');",
}
_AVA = _js(
    "const test = require('ava');\n¶\nconst { find, fetch } = require('./store.js');\n\ntest('fine', t => t.pass());\n\ntest('a price is found', async t => {\n  §\n});\n",
    {
        **_COMMON,
        "equal": "t.is(find({ a: 3 }, 'a'), 4);",
        "equal_other": "t.is(find({ a: 3 }, 'a'), 5, 'prices differ');",
        "deep": "t.deepEqual({ name: 'apple', price: 3, tags: ['x'] }, { name: 'apple', price: 4, tags: ['x'] });",
        "true": "t.true(find({ a: 3 }, 'a') > 7);",
        "throws": "t.throws(() => find({ a: 1 }, 'a'));",
        "text": "t.is('one\\ntwo\\nthree', 'one\\n2\\nthree');",
        "fail": "t.fail('not written yet');",
        "regex": "t.regex('apple', /^b/);",
        "plan": "t.plan(2); t.pass();",
        "none": "find({ a: 1 }, 'a');",
    },
)
_UVU = _js(
    "const { suite } = require('uvu');\nconst assert = require('uvu/assert');\n¶\nconst { find, fetch } = require('./store.js');\nconst Store = suite('Store');\nStore('fine', () => {});\nStore('a price is found', async () => {\n  §\n});\nStore.run();\n",
    {
        **_COMMON,
        "equal": "assert.is(find({ a: 3 }, 'a'), 4);",
        "deep": "assert.equal({ name: 'apple', price: 3 }, { name: 'apple', price: 4 });",
        "ok": "assert.ok(find({ a: 3 }, 'a') > 7, 'too cheap');",
        "throws": "assert.throws(() => find({ a: 1 }, 'a'));",
        "match": "assert.match('apple', /^b/);",
    },
)
_TAP = _js(
    "const t = require('tap');\n¶\nconst { find, fetch } = require('./store.js');\nt.test('fine', t => { t.pass(); t.end(); });\nt.test('a price is found', async t => {\n  §\n});\n",
    {
        **_COMMON,
        "equal": "t.equal(find({ a: 3 }, 'a'), 4);",
        "deep": "t.same({ name: 'apple', price: 3 }, { name: 'apple', price: 4 });",
        "ok": "t.ok(find({ a: 3 }, 'a') > 7, 'dear enough');",
        "throws": "t.throws(() => find({ a: 1 }, 'a'));",
        "fail": "t.fail('not written yet');",
    },
)
_QUNIT = _js(
    "¶\nconst { find, fetch } = require('./store.js');\nQUnit.module('store');\nQUnit.test('fine', assert => assert.ok(true));\nQUnit.test('a price is found', async assert => {\n  §\n});\n",
    {
        **_COMMON,
        "equal": "assert.equal(find({ a: 3 }, 'a'), 4);",
        "equal_other": "assert.equal(find({ a: 3 }, 'a'), 5, 'prices differ');",
        "deep": "assert.deepEqual({ name: 'apple', price: 3 }, { name: 'apple', price: 4 });",
        "throws": "assert.throws(() => find({ a: 1 }, 'a'));",
        "none": "find({ a: 1 }, 'a');",
    },
)
_LAB = _js(
    "const { script, assert } = { script: exports.lab = require('@hapi/lab').script(), assert: require('assert') };\n¶\nconst { find, fetch } = require('./store.js');\nscript.describe('store', () => {\n  script.it('is fine', () => {});\n  script.it('finds a price', async () => {\n    §\n  });\n});\n",
    {
        **_COMMON,
        "equal": "assert.equal(find({ a: 3 }, 'a'), 4);",
        "deep": "assert.deepStrictEqual({ name: 'apple', price: 3 }, { name: 'apple', price: 4 });",
        "ok": "assert.ok(find({ a: 3 }, 'a') > 7, 'too cheap');",
    },
)
_JSHINT = Program(
    files={
        "cart.js": "¶\nfunction total(items) {\n  var sum = 0;\n  §\n  return sum;\n}\n",
        ".jshintrc": '{"undef": true, "unused": true, "eqeqeq": true}\n',
    },
    faults={
        "undef": "sum += discount;",
        "equal": "if (sum == items) { sum += 1; }",
        "semicolon": "sum += items.length",
        "syntax": "sum += ;",
    },
    targets=("cart.js",),
)
_STANDARD = Program(
    files={"cart.js": "¶\nmodule.exports = function total (items) {\n  let sum = items.length\n  §\n  return sum\n}\n"},
    faults={
        "undef": "sum += discount",
        "equal": "if (sum == 3) { sum += 1 }",
        "semicolon": "sum += 3;",
        "quotes": 'sum += "x"',
        "syntax": "sum += ;",
    },
    targets=("cart.js",),
)
_HTML = Program(
    files={
        "page.html": "<!DOCTYPE html>\n<html>\n<head><title>Shop</title></head>\n<body>\n<!-- a -->\n§\n</body>\n</html>\n"
    },
    faults={"pair": "<p><b>a</p>", "id": '<i id="a"></i><i id="a"></i>', "case": "<P>a</P>", "alt": '<img src="">'},
    targets=("page.html",),
)
_GO_MOD = "module shop\n\ngo 1.19\n"
_GO_STORE = 'package shop\n¶\nimport "fmt"\n\nfunc Find(stock map[string]int, name string) (int, error) {\n\tif price, ok := stock[name]; ok {\n\t\treturn price, nil\n\t}\n\treturn 0, fmt.Errorf("no %s", name)\n}\n'
_TESTIFY_TEST = 'package shop\n¶\nimport (\n\t"errors"\n\t"testing"\n\n\t"github.com/stretchr/testify/assert"\n\t"github.com/stretchr/testify/require"\n)\n\nvar _ = errors.New\nvar _ = require.New\nvar _ = assert.New\n\nfunc TestFine(t *testing.T) {}\n\nfunc TestFind(t *testing.T) {\n\tprice, err := Find(map[string]int{"a": 3}, "a")\n\t_, _ = price, err\n\t§\n}\n'
_TESTIFY_FAULTS = {
    "equal": "assert.Equal(t, 4, price)",
    "require": "require.Equal(t, 5, price)",
    "message": 'assert.Greater(t, price, 9, "cart %d is too cheap", 7)',
    "error": 'assert.EqualError(t, err, "no pear")',
    "nil": 'assert.NoError(t, errors.New("no pear"))',
    "struct": 'assert.Equal(t, map[string]int{"a": 1, "b": 2}, map[string]int{"a": 1, "b": 3})',
    "lines": 'assert.Equal(t, "one\\ntwo\\nthree", "one\\n2\\nthree")',
    "panics": "assert.Panics(t, func() {})",
    "sub": 't.Run("with two", func(t *testing.T) { assert.Len(t, []int{1}, 2) })',
    "contains": 'assert.Contains(t, []string{"a"}, "b")',
    "two": "assert.Equal(t, 4, price)\n\tassert.Equal(t, 7, price)",
    "panic": 'var m map[string]int\n\tm["a"] = 1',
}
_TESTIFY = Program(
    files={"go.mod": _GO_MOD, "store.go": _GO_STORE, "store_test.go": _TESTIFY_TEST}, faults=_TESTIFY_FAULTS
)
_EX = Program(
    files={
        "store_test.exs": 'ExUnit.start()\n¶\ndefmodule Store do\n  def find(stock, name), do: Map.fetch!(stock, name)\nend\n\ndefmodule StoreTest do\n  use ExUnit.Case\n\n  test "fine" do\n    assert true\n  end\n\n  describe "find" do\n    test "a price" do\n      §\n    end\n  end\nend\n'
    },
    faults={
        "equal": "assert Store.find(%{a: 3}, :a) == 4",
        "equal_other": "assert Store.find(%{a: 3}, :a) > 8",
        "thrown": "Store.find(%{}, :pear)",
        "match": "assert {:ok, _} = {:error, Store.find(%{a: 1}, :a)}",
        "raise": "assert_raise ArgumentError, fn -> Store.find(%{a: 1}, :a) end",
        "message": 'assert Store.find(%{a: false}, :a), "the store is closed"',
        "flunk": 'flunk("not written yet")',
        "refute": "refute Store.find(%{a: 1}, :a) == 1",
        "receive": "assert_receive :hello, 10",
        "arithmetic": "1 + Store.find(%{a: nil}, :a)",
        "exit": "exit(:broken)",
        "compile": "Store.find(%{a: 1}, missing)",
    },
)
_R = Program(
    files={
        "test-store.R": "library(testthat)\n¶\nfind <- function(stock, name) {\n  if (is.null(stock[[name]])) stop('no ', name)\n  stock[[name]]\n}\n\ntest_that('fine', {\n  expect_true(TRUE)\n})\n\ntest_that('a price is found', {\n  §\n})\n"
    },
    faults={
        "equal": "expect_equal(find(list(a = 3), 'a'), 4)",
        "equal_other": "expect_gt(find(list(a = 3), 'a'), 8)",
        "thrown": "find(list(), 'pear')",
        "error": "expect_error(find(list(a = 3), 'a'))",
        "true": "expect_true(find(list(a = 3), 'a') > 7)",
        "match": "expect_match('apple', '^b')",
        "builtin": "log('x')",
        "two": "expect_equal(find(list(a = 3), 'a'), 4)\n  expect_length(1:3, 2)",
        "identical": "expect_identical(list(a = 1, b = 2), list(a = 1, b = 3))",
    },
)
_HS_SPEC = Program(
    files={
        "Spec.hs": 'module Main where\n¶\nimport Test.Hspec\nimport Control.Exception (evaluate)\n\nfindPrice :: [(String, Int)] -> String -> Int\nfindPrice stock name = maybe (error ("no " ++ name)) id (lookup name stock)\n\nmain :: IO ()\nmain = hspec $ do\n  describe "store" $ do\n    it "is fine" $ do\n      1 `shouldBe` (1 :: Int)\n    it "finds a price" $ do\n      §\n'
    },
    faults={
        "equal": 'findPrice [("a", 3)] "a" `shouldBe` 4',
        "satisfy": 'findPrice [("a", 3)] "a" `shouldSatisfy` (> 8)',
        "thrown": 'findPrice [] "pear" `shouldBe` 4',
        "throw": 'evaluate (findPrice [("a", 3)] "a") `shouldThrow` anyErrorCall',
        "list": "[1, 2, 3 :: Int] `shouldContain` [4]",
        "pending": 'expectationFailure "not written yet"',
        "compile": "findPrice [(\"a\", 3)] 'a' `shouldBe` 4",
    },
)
_GHC = Program(
    files={
        "Main.hs": "module Main where\n¶\ntotal :: [Int] -> Int\ntotal items = sum items\n§\n\nmain :: IO ()\nmain = print (total [1])\n"
    },
    faults={
        "type": '\ntwice :: Int -> Int\ntwice n = "x"',
        "type_other": "\ntwice :: Int -> String\ntwice n = n * 2",
        "scope": "\ntwice :: Int -> Int\ntwice n = n * factor",
        "syntax": "\ntwice n = (n * 2",
        "import": "\ntwice = Data.Map.empty",
        "instance": "\ntwice = show id",
        "arity": "\ntwice 1 = 1\ntwice 1 2 = 2",
        "missing": "\ntwice :: Int -> Int",
    },
)
_OCAML = Program(
    files={"cart.ml": "(*\n¶\n*)\nlet total items = List.fold_left (+) 0 items\n§\nlet () = print_int (total [1])\n"},
    faults={
        "type": 'let twice n = total n + "x"',
        "unbound": "let twice n = n * factor",
        "syntax": "let twice n = (n *",
        "module": "let twice = Lists.map",
        "match": "let twice (Some n) = n ^ 3",
        "label": "let twice = total ~items:[1]",
    },
)
_NIM = Program(
    files={
        "test_cart.nim": 'import std/[unittest, tables]\n¶\nproc find(stock: Table[string, int], name: string): int = stock[name]\n\nsuite "store":\n  test "fine":\n    check 1 == 1\n  test "a price":\n    §\n'
    },
    faults={
        "equal": 'check find({"a": 3}.toTable, "a") == 4',
        "require": 'require find({"a": 3}.toTable, "a") > 8',
        "thrown": 'discard find({"a": 3}.toTable, "pear")',
        "compile": 'discard find({"a": 3}.toTable, 3)',
        "undeclared": "discard price(3)",
        "fail": "fail()",
    },
)
_TEST_UNIT = Program(
    files={
        "test_store.rb": "require 'test/unit'\n¶\ndef find(stock, name) = stock.fetch(name)\n\nclass StoreTest < Test::Unit::TestCase\n  def test_fine\n    assert true\n  end\n\n  def test_find\n    §\n  end\nend\n"
    },
    faults={
        "equal": "assert_equal 4, find({ 'a' => 3 }, 'a')",
        "true": "assert find({ 'a' => 3 }, 'a') > 8, 'too cheap'",
        "thrown": "find({}, 'pear')",
        "raise": "assert_raise(ArgumentError) { find({ 'a' => 3 }, 'a') }",
        "hash": "assert_equal({ a: 1, b: 2 }, { a: 1, b: 3 })",
        "nil": "find({ 'a' => nil }, 'a').price",
        "flunk": "flunk 'not written yet'",
        "match": "assert_match(/^b/, 'apple')",
    },
)
_CPP_LINT = Program(
    files={
        "cart.cpp": "#include <cstdio>\n#include <cstring>\n¶\nint total(int* items, int n) {\n  int sum = 0;\n  §\n  return sum;\n}\nint main() { int items[2] = {1, 2}; return total(items, 2); }\n"
    },
    faults={
        "null": "int* p = nullptr;\n  *p = 3;",
        "uninit": "int x;\n  sum += x;",
        "bounds": "int a[2];\n  a[5] = 1;\n  sum += a[5];",
        "leak": "int* a = new int[3];\n  sum += a[0];",
        "zero": "sum = n / (sum - sum);",
        "assign": "if (sum = 3) sum += 1;",
    },
)
_VULTURE = Program(
    files={"cart.py": "¶\nimport os\n\n\ndef total(items):\n    §\n    return sum(items)\n\n\nprint(total([1]), os)\n"},
    faults={
        "variable": "left = 3",
        "after": "return 3\n    print(4)",
        "import": "import sys",
        "function": "def inner():\n        pass",
        "syntax": "left = = 3",
    },
    targets=("cart.py",),
)
_PYDOC = Program(
    files={"cart.py": '"""Carts."""\n¶\n\n\ndef total(items):\n    §\n    return sum(items)\n'},
    faults={
        "missing": "left = 3",
        "period": '"""Sum the items"""',
        "blank": '"""Sum the items.\n    And more.\n    """',
        "mood": '"""Returns a sum."""',
    },
    targets=("cart.py",),
)
_RESOLVE = Program(
    files={"requirements.txt": "¶\nsix>=1.0\n§\n"},
    faults={
        "missing": "no-such-package-abc",
        "version": "six==99.0",
        "conflict": "six<1.0",
        "syntax": "six===",
        "path": "./nothing",
    },
)

TOOLS = (
    Tool(
        name="ava",
        argv=(
            "sh",
            "-c",
            'mkdir -p node_modules && ln -s {modules}/* node_modules/ 2>/dev/null; exec ava "$@"',
            "ava",
            "--no-worker-threads",
        ),
        needs=("ava",),
        programs={"store": _AVA},
        comment="//",
        forms={"serial": ("--serial",), "verbose": ("--verbose",)},
        env={"CI": "1"},
    ),
    Tool(
        name="uvu",
        argv=("sh", "-c", "NODE_PATH={modules} exec uvu . test.js", "uvu"),
        needs=("uvu",),
        programs={"store": _UVU},
        comment="//",
        colour=("--color",),
    ),
    Tool(
        name="tap-plain",
        argv=("sh", "-c", "NODE_PATH={modules} exec node store.test.js", "tap"),
        needs=("tap",),
        programs={"store": _TAP},
        comment="//",
    ),
    Tool(
        name="qunit",
        argv=("qunit", "{files}"),
        programs={"store": _QUNIT},
        comment="//",
        forms={"seed": ("--seed", "5")},
    ),
    Tool(
        name="lab",
        argv=("sh", "-c", 'NODE_PATH={modules} exec lab "$@" store.test.js', "lab", "-l"),
        needs=("lab",),
        programs={"store": _LAB},
        comment="//",
        colour=("-C",),
        forms={"verbose": ("-v",)},
    ),
    Tool(
        name="jshint",
        argv=("jshint", "{files}"),
        programs={"cart": _JSHINT},
        comment="//",
        forms={"unix": ("--reporter=unix",), "codes": ("--verbose",)},
    ),
    Tool(
        name="standard",
        argv=("standard", "{files}"),
        programs={"cart": _STANDARD},
        comment="//",
        forms={"verbose": ("--verbose",)},
    ),
    Tool(name="htmlhint", argv=("htmlhint", "{files}"), programs={"page": _HTML}, colour=()),
    Tool(
        name="testify",
        argv=("go", "test", "./..."),
        programs={"store": _TESTIFY},
        comment="//",
        forms={"verbose": ("-v",), "json": ("-json",), "count": ("-count=1", "-shuffle=on")},
        env={"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": "-vet=off"},
    ),
    Tool(
        name="gotestsum",
        argv=("gotestsum", "--"),
        programs={"store": _TESTIFY},
        comment="//",
        env={"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": "-vet=off"},
    ),
    Tool(name="exunit", argv=("elixir", "store_test.exs"), programs={"store": _EX}),
    Tool(
        name="testthat",
        argv=("Rscript", "-e", "testthat::test_file('test-store.R', stop_on_failure=TRUE)"),
        programs={"store": _R},
    ),
    Tool(name="testthat-script", argv=("Rscript", "test-store.R"), programs={"store": _R}),
    Tool(
        name="hspec",
        argv=("sh", "-c", 'ghc -v0 -outputdir ../o Spec.hs -o ../spec && exec ../spec "$@"', "spec"),
        needs=("ghc",),
        programs={"store": _HS_SPEC},
        comment="--",
        colour=("--color",),
        forms={"failed": ("--format", "failed-examples")},
    ),
    Tool(
        name="ghc",
        argv=("ghc", "-fno-code", "Main.hs"),
        programs={"cart": _GHC},
        comment="--",
        colour=("-fdiagnostics-color=always",),
        forms={"no_caret": ("-fno-diagnostics-show-caret",)},
    ),
    Tool(
        name="ocamlc",
        argv=("ocamlc", "-c", "cart.ml"),
        programs={"cart": _OCAML},
        comment=" ",
        colour=("-color", "always"),
        forms={"short": ("-error-style", "short")},
    ),
    Tool(name="nim-unittest", argv=("nim", "r", "--hints:off", "test_cart.nim"), programs={"store": _NIM}),
    Tool(
        name="test-unit",
        argv=("ruby", "test_store.rb"),
        programs={"store": _TEST_UNIT},
        colour=("--use-color",),
        forms={"verbose": ("-v",)},
    ),
    Tool(
        name="cppcheck",
        argv=("cppcheck", "--quiet", "--error-exitcode=1", "--enable=warning", "cart.cpp"),
        programs={"cart": _CPP_LINT},
        comment="//",
        forms={"all": ("--enable=style",)},
    ),
    Tool(
        name="clang-tidy",
        argv=("clang-tidy", "--quiet", "--warnings-as-errors=*", "cart.cpp", "--"),
        programs={"cart": _CPP_LINT},
        comment="//",
    ),
    Tool(name="vulture", argv=("vulture", "{files}"), programs={"cart": _VULTURE}, forms={"sort": ("--sort-by-size",)}),
    Tool(
        name="pydocstyle",
        argv=("pydocstyle", "{files}"),
        programs={"cart": _PYDOC},
        forms={"source": ("-s",), "explain": ("-e",)},
    ),
    Tool(
        name="pip",
        argv=(
            "pip",
            "install",
            "--dry-run",
            "--no-input",
            "--disable-pip-version-check",
            "--target",
            "out",
            "-r",
            "requirements.txt",
        ),
        programs={"requirements": _RESOLVE},
        forms={"quiet": ("-q",)},
    ),
)
