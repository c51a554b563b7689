"""How do the most used runners fail in ways that no parser was written with in mind?

These failures were made up after the parsers. What they scored at the first try stands in docs/fingerprints.md.
"""

# ruff: noqa: E501 - whole files of other languages stand on one line

from __future__ import annotations

from dataclasses import replace

from benchmarks.fingerprints.shape import Failing
from benchmarks.fingerprints.tools import compiled, javascript, python

_STOCK = '''"""What is in stock."""
import functools
import subprocess
import sys
%PAD%
from dataclasses import dataclass


@dataclass
class Item:
    name: str
    price: float
    tags: tuple = ()


class OutOfStock(LookupError):
    def __init__(self, item, wanted):
        super().__init__(f"{item.name}: {wanted} wanted")
        self.item = item


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@logged
def take(item, count):
    if count > 3:
        raise OutOfStock(item, count)
    return item.price * count


def run(code):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


class Shelf:
    def __getattr__(self, name):
        raise AttributeError(f"no {name} on the shelf")
'''
_TEST = "import pytest\nfrom decimal import Decimal\n%PAD%\nfrom stock import Item, Shelf, run, take\n\n%MORE%\n"


def _py(name: str, body: str, *, test: str = "take", conftest: str = "", head: str = _TEST) -> Failing:
    files = {"stock.py": _STOCK, "tests/unit/test_stock.py": head + body}
    return Failing(name=name, files={**files, **({"tests/conftest.py": conftest} if conftest else {})}, test=test)


_PYTEST = (
    _py("dataclass", "def test_take():\n    assert Item('nail', 1.5, ('a',)) == Item('nail', 2.5, ('b',))\n"),
    _py("decorated", "def test_take():\n    take(Item('nail', 1), 9)\n"),
    _py("process", "def test_take():\n    run('raise SystemExit(4)')\n"),
    _py("attribute", "def test_take():\n    Shelf().hammer\n"),
    _py(
        "any",
        "def test_take():\n    items = [Item('a', 1), Item('b', 2)]\n    assert any(i.price > 5 for i in items)\n",
    ),
    _py("in text", "def test_take():\n    text = 'one two three ' * 30\n    assert 'four' in text\n"),
    _py("not in", "def test_take():\n    assert 'two' not in 'one\\ntwo\\nthree'\n"),
    _py("decimal", "def test_take():\n    assert Decimal('1.10') + Decimal('2.20') == Decimal('3.31')\n"),
    _py(
        "walrus",
        "def test_take():\n    if (n := take(Item('x', 2), 2)) != 5:\n        raise ValueError(f'bad total {n}')\n",
    ),
    _py(
        "method setup",
        "class TestStock:\n    def setup_method(self):\n        self.item = Item('x')\n\n    def test_take(self):\n        pass\n",
        test="class",
    ),
    _py(
        "ids",
        "@pytest.mark.parametrize('path', ['/a/b::c', 'x y', 'é'], ids=['GET /a::b', 'x y', 'é'])\ndef test_take(path):\n    assert path == ''\n",
        test="ids",
    ),
    _py(
        "session fixture",
        "def test_take(base):\n    pass\n\n\ndef test_give(base):\n    pass\n",
        conftest="import pytest\n\n\n@pytest.fixture(scope='session')\ndef base():\n    raise ConnectionError('127.0.0.1:5432 refused')\n",
    ),
    _py(
        "task group",
        "import asyncio\n\n\ndef test_take():\n    async def bad(n):\n        raise ValueError(n)\n\n    async def main():\n        async with asyncio.TaskGroup() as group:\n            group.create_task(bad(1))\n            group.create_task(bad(2))\n\n    asyncio.run(main())\n",
    ),
    _py("file", "def test_take(tmp_path):\n    open(tmp_path / 'stock.csv').read()\n"),
    _py(
        "conftest",
        "def test_take():\n    pass\n",
        conftest="import pytest\nimport stock\n\nstock.nothing\n",
        test="conftest",
    ),
    _py(
        "lambda",
        "CHECKS = [lambda x: x > 1, lambda x: x > 9]\n\n\ndef test_take():\n    for check in CHECKS:\n        assert check(3)\n",
    ),
    _py(
        "two chained",
        "def test_take():\n    try:\n        take(Item('n', 1), 8)\n    except LookupError as error:\n        raise RuntimeError('no stock') from error\n",
    ),
    _py("keyboard", "def test_take():\n    raise KeyboardInterrupt\n"),
    _py("bytes", "def test_take():\n    assert b'\\x00\\x01abc' == b'\\x00\\x02abc'\n"),
    _py("none", "def test_take():\n    item = None\n    item.price += 1\n"),
)

_LEDGER = """'use strict';
%PAD%
class LedgerError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'LedgerError';
  }
}
const book = (entries) => {
  for (const entry of entries) {
    if (!entry.account.id) throw new LedgerError(`entry ${entry.n} has no account`, { cause: new TypeError('id') });
  }
  return { entries, sum: entries.reduce((a, e) => a + e.amount, 0) };
};
class Account {
  constructor(id) { this.id = id; }
}
const all = () => Promise.any([Promise.reject(new Error('one')), Promise.reject(new Error('two'))]);
module.exports = { LedgerError, book, Account, all };
"""


_SAME_LINE = {"own class": "no account", "after each": "no account"}
"""Raised in one line of a helper that both call: only the values differ."""


def _js(name: str, body: str, *, head: str, whole: str = "", test: str = "books") -> Failing:
    within = f"describe('ledger', () => {{\n%MORE%\n  it('books', async () => {{\n    {body}\n  }});\n}});\n"
    text = f"{head}\n%PAD%\n{whole or within}"
    return Failing(
        name=name,
        files={"src/ledger.js": _LEDGER, "src/ledger.test.js": text},
        test=test,
        coarse=_SAME_LINE.get(name, ""),
    )


def _ledger(head: str, mock: str) -> tuple[Failing, ...]:
    bodies = {
        "match object": "expect({ a: { b: 1, c: 2 } }).toMatchObject({ a: { b: 2 } });",
        "called with": f"const f = {mock}.fn(); f(1, 'x'); expect(f).toHaveBeenCalledWith(2, 'x');",
        "called times": f"const f = {mock}.fn(); f(); expect(f).toHaveBeenCalledTimes(2);",
        "strict class": "expect(new ledger.Account(1)).toStrictEqual({ id: 1 });",
        "resolves": "await expect(Promise.reject(new Error('no'))).resolves.toBe(1);",
        "rejects": "await expect(Promise.resolve(3)).rejects.toThrow('no');",
        "assertions": "expect.assertions(2);\n    expect(1).toBe(1);",
        "own class": "ledger.book([{ n: 7, account: {} }]);",
        "undefined deep": "ledger.book([{ n: 1 }]);",
        "any": "await ledger.all();",
        "object": "throw { code: 7, reason: 'plain object' };",
        "json": "JSON.parse('{\"a\": tru}');",
        "length": "expect([1, 2, 3]).toHaveLength(2);",
        "close": "expect(0.1 + 0.2).toBeCloseTo(0.4, 5);",
        "not": "expect('abc').not.toMatch(/b/);",
        "soft message": "expect(new Map([['a', 1]])).toEqual(new Map([['a', 2]]));",
        "snapshot": "expect({ sum: 3 }).toMatchSnapshot();",
        "node assert": "require('node:assert').deepEqual([1, 2], [1, 3], 'lists');",
    }
    wholes = {
        "before all": "describe('ledger', () => {\n  beforeAll(() => { throw new Error('no connection'); });\n  it('books', () => {});\n});\n",
        "after each": "describe('ledger', () => {\n  afterEach(() => { ledger.book([{ n: 2, account: {} }]); });\n  it('books', () => {});\n});\n",
        "table": "describe.each([['eur', 1], ['usd', 2]])('in %s', (name, n) => {\n%MORE%\n  it.each([{ x: 1 }, { x: 3 }])('books $x', ({ x }) => { expect(x).toBe(n); });\n});\n",
        "same name": "describe('a', () => { it('books', () => { expect(1).toBe(2); }); });\ndescribe('b', () => { it('books', () => { expect(1).toBe(2); }); });\n",
        "concurrent": "it.concurrent('books', async () => { expect(4).toBeGreaterThan(5); });\nit.concurrent('books more', async () => {});\n",
        "describe throws": "describe('ledger', () => { ledger.book([{ n: 3, account: {} }]); it('books', () => {}); });\n",
        "no tests": "const x = ledger.book([]);\n",
    }
    return (
        *(_js(n, b, head=head) for n, b in bodies.items()),
        *(_js(n, "", head=head, whole=w, test=n) for n, w in wholes.items()),
    )


_JEST = _ledger("const ledger = require('./ledger');", "jest")
_VITEST = _ledger(
    "import { describe, it, test, expect, vi, beforeAll, afterEach } from 'vitest';\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nconst ledger = require('./ledger.js');",
    "vi",
)

_GO_HEAD = 'package bank\n\nimport (\n\t"errors"\n\t"os"\n\t"strings"\n\t"testing"\n)\n%PAD%\nvar _ = errors.New\nvar _ = os.Open\nvar _ = strings.Repeat\n\n%MORE%\n'
_GO_BANK = """package bank

import "fmt"
%PAD%
type Overdrawn struct{ By int }

func (o Overdrawn) Error() string { return fmt.Sprintf("overdrawn by %d", o.By) }

type Account struct{ Balance int }

func (a *Account) Pay(n int) error {
	if n > a.Balance {
		return Overdrawn{n - a.Balance}
	}
	a.Balance -= n
	return nil
}

func Part(s []int, n int) []int { return s[1:n] }

func Share(n, by int) int { return n / by }
"""


def _go(name: str, body: str, *, head: str = _GO_HEAD, rest: str = "", test: str = "TestPay", **files: str) -> Failing:
    text = f"{head}{rest}func TestPay(t *testing.T) {{\n{body}\n}}\n"
    more = {key.replace("__", "/") + ".go": value for key, value in files.items()}
    return Failing(name=name, files={"bank/bank.go": _GO_BANK, "bank/bank_test.go": text, **more}, test=test)


_GO = (
    _go(
        "diff",
        '\tt.Errorf("mismatch (-want +got):\\n%s", "  bank.Account{\\n-\\tBalance: 1,\\n+\\tBalance: 2,\\n  }\\n")',
    ),
    _go("own error", '\ta := &Account{1}\n\tif err := a.Pay(4); err != nil {\n\t\tt.Fatalf("Pay: %v", err)\n\t}'),
    _go("panic own error", "\tpanic(Overdrawn{3})"),
    _go("panic wrapped", "\tpanic(errors.Join)", test="panic"),
    _go("slice", "\tPart([]int{1}, 5)"),
    _go("zero", "\tShare(4, len(os.Args)-len(os.Args))"),
    _go("assertion", '\tvar x interface{} = "s"\n\t_ = x.(int)'),
    _go("closed", "\tc := make(chan int)\n\tclose(c)\n\tclose(c)"),
    _go("temp dir", '\tif _, err := os.Open(t.TempDir() + "/none.txt"); err != nil {\n\t\tt.Fatal(err)\n\t}'),
    _go(
        "subtest panic",
        '\tt.Run("inner case", func(t *testing.T) {\n\t\tvar a *Account\n\t\ta.Pay(1)\n\t})',
        test="inner",
    ),
    _go(
        "subtest helper",
        '\tfor _, n := range []int{1, 2, 3} {\n\t\tt.Run(strings.Repeat("x", n), func(t *testing.T) {\n\t\t\tmust(t, n < 2)\n\t\t})\n\t}',
        rest='func must(t *testing.T, ok bool) {\n\tt.Helper()\n\tif !ok {\n\t\tt.Errorf("must hold")\n\t}\n}\n\n',
        test="helper",
    ),
    _go(
        "skip and fail",
        '\tt.Run("a", func(t *testing.T) { t.Skip("later") })\n\tt.Run("b", func(t *testing.T) { t.Fatal("now") })',
        test="b",
    ),
    _go("json", '\tt.Errorf("got {\\"a\\": %d}\\nwant {\\"a\\": 2}", 1)'),
    _go("long", '\tt.Errorf("got  %q\\nwant %q", strings.Repeat("ab ", 200), "x")'),
    _go(
        "goexit",
        '\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tt.Fatalf("recovered: %v", r)\n\t\t}\n\t}()\n\tvar m map[string]int\n\tm["x"]++',
    ),
    _go(
        "other package",
        '\tt.Log("fine here")',
        other__other_test='package other\n\nimport "testing"\n%PAD%\nfunc TestOther(t *testing.T) {\n\tt.Error("wrong there")\n}\n',
        test="other",
    ),
    _go(
        "two packages",
        '\tt.Error("wrong here")',
        other__other_test='package other\n\nimport "testing"\n%PAD%\nfunc TestPay(t *testing.T) {\n\tt.Error("wrong here")\n}\n',
        test="two",
    ),
    _go("init", "\t_ = 1", rest='func init() {\n\tpanic("no config")\n}\n\n', test="init"),
    _go(
        "missing import", "\t_ = 1", head=_GO_HEAD.replace('"errors"', '"errors"\n\t"example.com/none/x"'), test="build"
    ),
    _go("missing method", "\t(&Account{}).Close()", test="build"),
    _go("arguments", "\tShare(1)", test="build"),
    _go("no return", "\t_ = f()", rest="func f() int {\n}\n\n", test="build"),
)

_RUST_LIB = """//! A queue.
%PAD%
use std::collections::HashMap;
use std::fmt;

#[derive(Debug)]
pub enum Bad { Empty, Full(usize) }

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "bad queue: {:?}", self) }
}

impl std::error::Error for Bad {}

pub fn pop(v: &mut Vec<i32>) -> Result<i32, Bad> { v.pop().ok_or(Bad::Empty) }

pub fn price(map: &HashMap<&str, i32>, key: &str) -> i32 { map[key] }

pub fn front(v: &[i32]) -> i32 { *v.first().expect("a front") }

pub struct Guard;

impl Drop for Guard {
    fn drop(&mut self) { panic!("dropped") }
}
"""


def _rust(
    name: str, body: str, *, signature: str = "fn pops()", test: str = "pops", lib: str = "", **files: str
) -> Failing:
    text = f"use queue::*;\n%PAD%\nmod inner {{\n    use super::*;\n    #[test]\n    {signature} {{\n        {body}\n    }}\n}}\n%MORE%\n"
    more = {key.replace("__", "/") + ".rs": value for key, value in files.items()}
    own = {"Cargo.toml": '[package]\nname = "queue"\nversion = "0.1.0"\nedition = "2021"\n'}
    return Failing(name=name, files={**own, "src/lib.rs": _RUST_LIB + lib, "tests/queue.rs": text, **more}, test=test)


_BOXED = "fn pops() -> Result<(), Box<dyn std::error::Error>>"
_CARGO = (
    _rust("boxed", "pop(&mut vec![])?; Ok(())", signature=_BOXED),
    _rust("boxed text", 'Err("no luck")?; Ok(())', signature=_BOXED),
    _rust("matches", "assert!(matches!(pop(&mut vec![1]), Err(Bad::Full(_))));"),
    _rust("map key", 'price(&Default::default(), "pear");'),
    _rust("in library", "front(&[]);"),
    _rust("range", "let v = vec![1, 2]; let n = v.len() + 3; let _ = &v[1..n];"),
    _rust("char", 'let s = String::from("é"); let _ = &s[0..1];'),
    _rust("drop", "let _g = Guard;"),
    _rust("unreachable", 'unreachable!("state {}", 4);'),
    _rust("long message", 'assert!(false, "first line\\n  second {}\\n\\nfourth", 2);'),
    _rust("vectors", "assert_eq!((1..40).collect::<Vec<i32>>(), (1..41).collect::<Vec<i32>>());"),
    _rust("pretty", 'panic!("{:#?}", vec![Some(1), None]);'),
    _rust("file", 'std::fs::read_to_string("/none/such/file").unwrap();'),
    _rust(
        "doc test",
        "",
        lib="/// ```\n/// assert_eq!(queue::front(&[1]), 2);\n/// ```\npub fn documented() {}\n",
        test="doc",
    ),
    _rust("abort", "std::process::abort();", test="abort"),
    _rust("exit", "std::process::exit(3);", test="exit"),
    _rust(
        "overflow of the stack",
        "fn f(n: u64) -> u64 { if n == u64::MAX { 0 } else { f(n + 1) + std::hint::black_box(n) } } f(0);",
        test="stack",
    ),
    _rust(
        "unit test",
        "",
        lib='#[cfg(test)]\nmod unit {\n    mod deep {\n        #[test]\n        fn holds() { assert_ne!(1 + 1, 2, "sum"); }\n    }\n}\n',
        test="unit",
    ),
    _rust("compile trait", "let n: i32 = pop(&mut vec![]) + 1;", test="build"),
    _rust("compile match", "match pop(&mut vec![]) { Ok(_) => {} }", test="build"),
    _rust("compile import", "use queue::nothing; nothing();", test="build"),
    _rust("compile lifetime", 'let r; { let x = 5; r = &x; } println!("{}", r);', test="build"),
    _rust("compile macro", "assert_eq!(1);", test="build"),
)

_NAME = "{} (unseen)"
TOOLS = tuple(
    replace(tool, name=_NAME.format(tool.name), failing=failing, beside=beside, more=more or tool.more)
    for tool, failing, more, beside in (
        (
            python.PYTEST,
            _PYTEST,
            "def test_beside():\n    pass\n\n\n",
            {"tests/test_a_more.py": "def test_more():\n    pass\n"},
        ),
        (javascript.JEST, _JEST, "", {"src/a.test.js": "test('more', () => {});\n"}),
        (
            javascript.VITEST,
            _VITEST,
            "",
            {"src/a.test.js": "import { test } from 'vitest';\ntest('more', () => {});\n"},
        ),
        (
            compiled.GO,
            _GO,
            "",
            {"more/a_test.go": 'package more\n\nimport "testing"\n\nfunc TestMore(t *testing.T) {}\n'},
        ),
        (compiled.CARGO, _CARGO, "", {"tests/more.rs": "#[test]\nfn more() {}\n"}),
    )
)
