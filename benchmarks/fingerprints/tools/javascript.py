"""How do JavaScript's test runners fail?"""

# ruff: noqa: E501 - whole files of other languages stand on one line

from __future__ import annotations

import json
import shutil
from pathlib import Path

from benchmarks.fingerprints.shape import Failing, Style, Tool

_CART = """// a cart
%PAD%
class CartError extends Error {}

function total(prices) {
  if (prices.some((p) => p < 0)) {
    throw new CartError(`negative price in ${prices}`);
  }
  return prices.reduce((a, b) => a + b, 0);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CartError("no number", { cause: error });
  }
}

function deep(n) {
  return deep(n + 1) + 1;
}

async function fetched(status) {
  await null;
  throw Object.assign(new TypeError(`request failed: ${status}`), { code: "E_HTTP", status });
}

module.exports = { CartError, total, parse, deep, fetched };
"""
_found = shutil.which("mocha") or shutil.which("jest") or shutil.which("vitest")
_MODULES = str(Path(_found).parent.parent) if _found else "node_modules"
_SHARED = {
    "package.json": json.dumps({"name": "shop", "version": "1.0.0"}),
    "cart.js": _CART,
    "node_modules": f"->{_MODULES}",
}

# In the tongue of node's own assert, which every runner reports in its own way.
_ASSERTS = {
    "equal": "assert.strictEqual(cart.total([1, 2]), 4);",
    "equal other line": "assert.strictEqual(cart.total([2, 2, 1]), 6);",
    "equal message": "assert.strictEqual(cart.total([1, 2]), 4, 'the sum is wrong');",
    "deep": "assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] });",
    "text": "assert.strictEqual('a\\nb\\nc', 'a\\nB\\nc');",
    "ok": "assert.ok(cart.total([]));",
    "throws": "assert.throws(() => cart.total([1]));",
    "rejects": "await assert.rejects(Promise.resolve(1));",
    "match": "assert.match('hello', /world/);",
}
_EXPECTS = {
    "equal": "expect(cart.total([1, 2])).toBe(4);",
    "equal other line": "expect(cart.total([2, 2, 1])).toBe(6);",
    "deep": "expect({ a: 1, b: [1, 2] }).toEqual({ a: 1, b: [1, 3] });",
    "text": "expect('a\\nb\\nc').toBe('a\\nB\\nc');",
    "ok": "expect(cart.total([])).toBeTruthy();",
    "throws": "expect(() => cart.total([1])).toThrow();",
    "throws other": "expect(() => cart.total([-1])).toThrow('zero');",
    "contain": "expect([1, 2, 3]).toContain(4);",
}
_RAISES = {
    "helper": "cart.total([-1]);",
    "cause": "cart.parse('{bad');",
    "type": "undefined.nothing();",
    "reference": "nothing();",
    "recursion": "cart.deep(0);",
    "rejection 404": "await cart.fetched(404);",
    "rejection own": "await Promise.reject(new RangeError('out of range'));",
    "string": "throw 'just text';",
    "bare": "throw new Error();",
    "lines": "throw new SyntaxError('first\\nsecond\\n\\nthird');",
    "printed": "console.log('Error: noise at', process.pid); console.error('    at x (y.js:1:1)'); throw new Error('after noise');",
}


def _within(body: str) -> str:
    return f"  test('adds up', async () => {{\n    const x = 1;\n    {body}\n  }});\n"


def _suite(name: str, head: str, text: str, *, file: str = "cart.test.js", test: str = "total") -> Failing:
    return Failing(name=name, files={file: f"{head}\n%PAD%\n{text}"}, test=test)


def _suites(head: str, bodies: dict[str, str], *, file: str, before: str = "beforeEach") -> tuple[Failing, ...]:
    def one(name: str, text: str, *, head: str = head, test: str = "total") -> Failing:
        return _suite(name, head, text, file=file, test=test)

    told = [one(n, f"describe('cart', () => {{\n%MORE%\n{_within(b)}}});\n") for n, b in bodies.items()]
    fine = "  test('adds up', () => {});\n"
    return (
        *told,
        one("before", f"describe('cart', () => {{\n  {before}(() => {{ cart.total([-2]); }});\n{fine}}});\n"),
        one(
            "nested",
            f"describe('cart', () => {{\n  describe('deep', () => {{\n%MORE%\n{_within('cart.total([-4]);')}  }});\n}});\n",
            test="nested",
        ),
        one(
            "nested other",
            f"describe('cart', () => {{\n  describe('deep', () => {{\n%MORE%\n{_within('nothing();')}  }});\n}});\n",
            test="nested",
        ),
        one(
            "two",
            f"describe('cart', () => {{\n{_within('cart.total([-5]);')}  test('has a rate', () => {{ throw new RangeError('rate'); }});\n}});\n",
        ),
        one(
            "callback",
            "describe('cart', () => {\n  test('adds up', (t, done) => setTimeout(() => { throw new Error('late'); }, 5));\n});\n"
            if file == "n.test.js"
            else f"describe('cart', () => {{\n{_within('await new Promise((r, j) => setTimeout(() => j(new Error(String(1) + `late`)), 5));')}}});\n",
        ),
        one("top level", f"%MORE%\n{_within('cart.total([-6]);')}", test="top"),
        one(
            "slashes",
            f"%MORE%\n{_within('cart.total([-6]);').replace('adds up', 'GET /a > b: 1) works (2 ms)')}",
            test="slashes",
        ),
        one("import", "test('adds up', () => {});\n", head=f"{head}\nrequire('./not-there');", test="module"),
        one("syntax", "test('adds up', () => {\n  const = 1;\n});\n", test="module"),
        one("at import", "cart.total([-7]);\ntest('adds up', () => {});\n", test="module"),
    )


_NODE_HEAD = "const { test, describe, beforeEach } = require('node:test');\nconst assert = require('node:assert');\nconst cart = require('./cart');"
_NODE = ("node", "--test")
_NODE_TOOL = Tool(
    name="node:test",
    needs=("node",),
    families={
        "": (
            Style(name="base", command=(*_NODE, "--test-reporter=spec", "n.test.js")),
            Style(name="tap", command=(*_NODE, "--test-reporter=tap", "n.test.js")),
            Style(name="colour", command=(*_NODE, "--test-reporter=spec", "n.test.js"), env={"FORCE_COLOR": "1"}),
        ),
    },
    failing=_suites(_NODE_HEAD, {**_ASSERTS, **_RAISES}, file="n.test.js"),
    comment="//",
    more="  test('is beside it', () => {});\n",
    beside={"m.test.js": "require('node:test').test('more', () => { console.log('not ok 1 - noise'); });\n"},
    shared=_SHARED,
)
_MOCHA_HEAD = "const assert = require('assert');\nconst cart = require('../cart');\nconst test = it;"


def _mocha(name: str, *options: str, **env: str) -> Style:
    return Style(name=name, command=("mocha", *options), env=env)


_MOCHA_TOOL = Tool(
    name="mocha",
    needs=("mocha",),
    families={
        "": (
            _mocha("base"),
            _mocha("dot", "--reporter", "dot"),
            _mocha("min", "--reporter", "min", "--colors"),
            _mocha("list", "--reporter", "list"),
            _mocha("trace", "--full-trace"),
        ),
        "tap": (_mocha("base", "--reporter", "tap"),),
    },
    failing=_suites(_MOCHA_HEAD, {**_ASSERTS, **_RAISES}, file="test/cart.js"),
    comment="//",
    more="  test('is beside it', () => {});\n",
    beside={"test/a.js": "it('more', () => {});\n"},
    shared=_SHARED,
)
_JEST_HEAD = "const cart = require('./cart');"
_SNAPSHOT = {"snapshot": "expect({ a: 1 }).toMatchInlineSnapshot(`{}`);"}
_EACH = "test.each([[1, 1], [2, 3]])('adds %i to %i', (a, b) => {\n  expect(a).toBe(b);\n});\n"


def _jest(name: str, *options: str, **env: str) -> Style:
    return Style(name=name, command=("jest", "--ci", "--watchman=false", *options), env=env)


JEST = Tool(
    name="jest",
    needs=("jest",),
    families={
        "": (
            _jest("base"),
            _jest("verbose", "--verbose", "--runInBand"),
            _jest("colour", "--color"),
            _jest("coverage", "--coverage", "--coverageDirectory=/tmp/cov-jest"),
            _jest("silent", "--silent", "--no-color", "-w2"),
            _jest("expand", "--expand"),
        ),
    },
    failing=(
        *_suites(_JEST_HEAD, {**_EXPECTS, **_SNAPSHOT, **_RAISES}, file="cart.test.js"),
        _suite("each", _JEST_HEAD, _EACH, test="each"),
        _suite("timeout", _JEST_HEAD, "test('adds up', () => new Promise(() => {}), 50);\n", test="top"),
    ),
    comment="//",
    more="  test('is beside it', () => {});\n",
    beside={"a.test.js": "test('more', () => { console.error('● noise'); });\n"},
    shared={**_SHARED, "jest.config.json": '{"testEnvironment": "node"}'},
)
_VITEST_HEAD = "import { test, expect, describe, beforeEach } from 'vitest';\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nconst cart = require('./cart.js');"


def _vitest(name: str, *options: str, **env: str) -> Style:
    return Style(name=name, command=("vitest", "run", *options), env=env)


VITEST = Tool(
    name="vitest",
    needs=("vitest",),
    families={
        "": (
            _vitest("base"),
            _vitest("verbose", "--reporter=verbose"),
            _vitest("colour", FORCE_COLOR="1"),
            _vitest("dot", "--reporter=dot"),
        ),
        "tap": (_vitest("base", "--reporter=tap"),),
    },
    failing=(
        *_suites(_VITEST_HEAD, {**_EXPECTS, **_SNAPSHOT, **_RAISES}, file="cart.test.js"),
        _suite("each", _VITEST_HEAD, _EACH, test="each"),
        _suite("timeout", _VITEST_HEAD, "test('adds up', () => new Promise(() => {}), 50);\n", test="top"),
    ),
    comment="//",
    more="  test('is beside it', () => {});\n",
    beside={"a.test.js": "import { test } from 'vitest';\ntest('more', () => { console.error('FAIL  noise'); });\n"},
    shared=_SHARED,
)


def _plain(name: str, head: str, call: str, body: str, file: str, *, test: str = "total") -> Failing:
    text = f"{head}\n%PAD%\n%MORE%\n{call % body}"
    return Failing(name=name, files={file: text}, test=test)


_AVA_HEAD = "const test = require('ava');\nconst cart = require('./cart');"
_AVA = {
    "equal": "t.is(cart.total([1, 2]), 4);",
    "equal other line": "t.is(cart.total([2, 2]), 5);",
    "deep": "t.deepEqual({ a: 1, b: [1] }, { a: 1, b: [2] });",
    "true": "t.true(cart.total([]) > 0);",
    "throws": "t.throws(() => cart.total([1]));",
    "none": "",
    **_RAISES,
}
_AVA_TOOL = Tool(
    name="ava",
    needs=("ava",),
    families={
        "": (
            Style(name="base", command=("ava", "cart.test.js")),
            Style(name="colour", command=("ava", "cart.test.js"), env={"FORCE_COLOR": "1"}),
            Style(name="serial", command=("ava", "--serial", "cart.test.js")),
        ),
        "tap": (Style(name="base", command=("ava", "--tap", "cart.test.js")),),
    },
    failing=tuple(
        _plain(n, _AVA_HEAD, "test('adds up', async (t) => {\n  const x = 1;\n  %s\n});\n", b, "cart.test.js")
        for n, b in _AVA.items()
    ),
    comment="//",
    more="test('is beside it', (t) => t.pass());\n",
    shared=_SHARED,
)
_TAPE_HEAD = "const test = require('tape');\nconst cart = require('./cart');"
_TAPE = {
    "equal": "t.equal(cart.total([1, 2]), 4);",
    "equal other": "t.equal(cart.total([2, 2]), 5);",
    "equal message": "t.equal(cart.total([1, 2]), 4, 'the sum');",
    "deep": "t.deepEqual({ a: 1, b: [1] }, { a: 1, b: [2] });",
    "ok": "t.ok(cart.total([]));",
    "throws": "t.throws(() => cart.total([1]));",
    "fail": "t.fail('not yet');",
    "helper": "cart.total([-1]);",
}
_TAPE_TOOL = Tool(
    name="tape",
    needs=("tape",),
    families={"": (Style(name="base", command=("tape", "cart.test.js")),)},
    failing=tuple(
        _plain(n, _TAPE_HEAD, "test('adds up', (t) => {\n  const x = 1;\n  %s\n  t.end();\n});\n", b, "cart.test.js")
        for n, b in _TAPE.items()
    ),
    comment="//",
    more="test('is beside it', (t) => { t.pass(); t.end(); });\n",
    shared=_SHARED,
)
_JASMINE = {k: v for k, v in {**_EXPECTS, **_RAISES}.items() if k not in {"throws other", "string"}}
_JASMINE_HEAD = "const cart = require('../cart');\nconst test = it;"
_JASMINE_TOOL = Tool(
    name="jasmine",
    needs=("jasmine",),
    families={
        "": (
            Style(name="base", command=("jasmine", "--no-color", "--random=false", "spec/*.spec.js")),
            Style(name="random", command=("jasmine", "--color", "spec/*.spec.js")),
        )
    },
    failing=_suites(_JASMINE_HEAD, _JASMINE, file="spec/cart.spec.js"),
    comment="//",
    more="  test('is beside it', () => { expect(1).toBe(1); });\n",
    shared=_SHARED,
)
_PLAYWRIGHT_HEAD = "const { test, expect } = require('@playwright/test');\nconst { describe, beforeEach } = test;\nconst cart = require('./cart');"
_PLAYWRIGHT = ("playwright", "test", "--output", "%ROOT%/out")
_PLAYWRIGHT_TOOL = Tool(
    name="playwright",
    needs=("playwright",),
    families={
        "": (
            Style(name="base", command=(*_PLAYWRIGHT, "--reporter=line")),
            Style(name="list", command=(*_PLAYWRIGHT, "--reporter=list")),
            Style(name="colour", command=(*_PLAYWRIGHT, "--reporter=list"), env={"FORCE_COLOR": "1"}),
            Style(name="dot", command=(*_PLAYWRIGHT, "--reporter=dot")),
        )
    },
    failing=_suites(_PLAYWRIGHT_HEAD, {**_EXPECTS, **_RAISES}, file="cart.spec.js", before="beforeEach"),
    comment="//",
    more="  test('is beside it', () => {});\n",
    shared=_SHARED,
)
_BUN_HEAD = "import { test, expect, describe, beforeEach } from 'bun:test';\nconst cart = require('./cart.js');"
_BUN_TOOL = Tool(
    name="bun",
    needs=("bun",),
    families={
        "": (
            Style(name="base", command=("bun", "test")),
            Style(name="colour", command=("bun", "test"), env={"FORCE_COLOR": "1"}),
        )
    },
    failing=_suites(_BUN_HEAD, {**_EXPECTS, **_RAISES}, file="cart.test.js"),
    comment="//",
    more="  test('is beside it', () => {});\n",
    shared=_SHARED,
)
_DENO_HEAD = "import assert from 'node:assert';\nimport { createRequire } from 'node:module';\nconst cart = createRequire(import.meta.url)('./cart.cjs');"
_DENO_TOOL = Tool(
    name="deno",
    needs=("deno",),
    families={
        "": (
            Style(name="base", command=("deno", "test", "-A", "--no-check", "cart.test.mjs"), env={"NO_COLOR": "1"}),
            Style(
                name="colour", command=("deno", "test", "-A", "--no-check", "cart.test.mjs"), env={"FORCE_COLOR": "1"}
            ),
        )
    },
    failing=tuple(
        _plain(n, _DENO_HEAD, "Deno.test('adds up', async () => {\n  const x = 1;\n  %s\n});\n", b, "cart.test.mjs")
        for n, b in {**_ASSERTS, **_RAISES}.items()
    ),
    comment="//",
    more="Deno.test('is beside it', () => {});\n",
    shared={"cart.cjs": _CART},
)

TOOLS = (
    _NODE_TOOL,
    JEST,
    VITEST,
    _MOCHA_TOOL,
    _AVA_TOOL,
    _TAPE_TOOL,
    _JASMINE_TOOL,
    _PLAYWRIGHT_TOOL,
    _BUN_TOOL,
    _DENO_TOOL,
)
