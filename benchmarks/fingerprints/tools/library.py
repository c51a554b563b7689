"""How do mainstream runners fail in a library's code, in kinds of failures and options that no other set has?

Written after all other sets. What they scored at the first try stands in docs/fingerprints.md.
"""

# ruff: noqa: E501, SLF001 - whole files of other languages stand on one line; the same tools with other failures

from __future__ import annotations

from dataclasses import replace

from benchmarks.fingerprints.shape import Failing, Style, Tool
from benchmarks.fingerprints.tools import compiled, javascript, python, scripts

_LOANS = '''"""Who has which book."""
%PAD%
import asyncio
import subprocess
import sys
from dataclasses import dataclass, field


class LoanError(Exception):
    """A loan that cannot be."""


class Overdue(LoanError):
    def __init__(self, title, days):
        super().__init__(f"{title!r} is {days} days overdue")


@dataclass
class Book:
    title: str
    copies: int = 1
    marks: dict = field(default_factory=dict)


def lend(book, days=14):
    if days > 30:
        raise Overdue(book.title, days)
    if not book.copies:
        raise LoanError("no copy left")
    return {"title": book.title, "days": days, "until": [days, days + 1]}


async def fetch(title):
    await asyncio.sleep(0)
    raise ConnectionError(f"catalogue: {title}")


def shelf(code):
    return subprocess.check_output([sys.executable, "-c", code], stderr=subprocess.STDOUT, text=True)


def find(books, title):
    try:
        return {book.title: book for book in books}[title]
    except KeyError as error:
        raise LookupError(f"no such book: {title}") from error
'''
_P_HEAD = "import asyncio\nimport warnings\nfrom unittest import mock\n\nimport pytest\n%PAD%\nfrom library import loans\nfrom library.loans import Book\n\n%MORE%\n"


_ONE_LINE = {
    **dict.fromkeys(("custom", "multi line call", "fixture in conftest", "throws class"), "overdue"),
    **dict.fromkeys(("async", "gather", "await", "all", "settled"), "fetched"),
    **dict.fromkeys(("no warning", "wrong warning"), "warns"),
    **dict.fromkeys(("table", "table in parallel"), "table"),
    **dict.fromkeys(("timeout", "deadlock"), "never ends"),
}
"""They surface in one line of source, with one class of exception: only what led there differs. And tests without end."""


def _py(name: str, body: str, *, test: str = "test_lends", **more: str) -> Failing:
    files = {"library/__init__.py": "", "library/loans.py": _LOANS, "tests/unit/test_loans.py": _P_HEAD + body}
    more_files = {n.replace("__", "/") + ".py": t for n, t in more.items()}
    return Failing(name=name, files={**files, **more_files}, test=test, coarse=_ONE_LINE.get(name, ""))


def _t(line: str, *, head: str = "") -> str:
    return f"{head}def test_lends():\n    book = Book('Momo', 2)\n    {line}\n"


_CONF = "import pytest\n%PAD%\nfrom library.loans import Book, lend\n\n\n"
_PYTEST = (
    _py("nested dict", _t("assert loans.lend(book) == {'title': 'Momo', 'days': 14, 'until': [14, 16]}")),
    _py("nested dataclass", _t("assert book == Book('Momo', 2, {'a': [1, {'b': 2}]})")),
    _py("long text", _t("assert 'x' * 200 + 'a' + 'y' * 200 == 'x' * 200 + 'b' + 'y' * 200")),
    _py("many lines", _t("assert '\\n'.join(map(str, range(30))) == '\\n'.join(map(str, range(1, 31)))")),
    _py("approx dict", _t("assert {'a': 0.1 + 0.2, 'b': 1} == pytest.approx({'a': 0.31, 'b': 1})")),
    _py("message of lines", _t("assert book.copies == 3, f'wanted:\\n  3\\ngot:\\n  {book.copies}'")),
    _py("custom", _t("loans.lend(book, days=44)")),
    _py("custom base", _t("loans.lend(Book('Momo', 0))")),
    _py(
        "chain of three",
        _t(
            "try:\n        loans.find([book], 'Jim')\n    except LookupError as error:\n        raise loans.LoanError('not lent') from error"
        ),
    ),
    _py("chain of two", _t("loans.find([book], 'Jim')")),
    _py("process", _t("loans.shelf('import sys; print(\"E   assert 0\"); sys.exit(3)')")),
    _py(
        "process traceback",
        _t("out = loans.shelf('print(\"Traceback (most recent call last):\\\\n  boom\")')\n    assert out == ''"),
    ),
    _py("group", _t("raise ExceptionGroup('two', [ValueError('one'), ExceptionGroup('in', [KeyError('k')])])")),
    _py("notes", _t("error = ValueError('odd')\n    error.add_note('seen at the desk')\n    raise error")),
    _py(
        "calls",
        _t("m = mock.Mock(); m.lend(1); m.lend(2)\n    m.assert_has_calls([mock.call.lend(2), mock.call.lend(1)])"),
    ),
    _py(
        "mock side effect",
        _t("with mock.patch('library.loans.lend', side_effect=PermissionError('closed')):\n        loans.lend(book)"),
    ),
    _py(
        "log text",
        "def test_lends(caplog):\n    import logging\n    logging.getLogger('library').error('ERROR: lost %s', 'Momo')\n    assert 'found' in caplog.text\n",
    ),
    _py(
        "printed text",
        "def test_lends(capsys):\n    print('lent: 1')\n    assert capsys.readouterr().out == 'lent: 2\\n'\n",
    ),
    _py("async", "@pytest.mark.asyncio\nasync def test_lends():\n    await loans.fetch('Momo')\n"),
    _py(
        "gather",
        "@pytest.mark.asyncio\nasync def test_lends():\n    await asyncio.gather(asyncio.sleep(0), loans.fetch('Jim'))\n",
    ),
    _py(
        "wait for",
        "@pytest.mark.asyncio\nasync def test_lends():\n    await asyncio.wait_for(asyncio.sleep(3), 0.01)\n",
    ),
    _py(
        "unawaited",
        "def test_lends():\n    coroutine = loans.fetch('x')\n    try:\n        assert coroutine == 'book'\n    finally:\n        coroutine.close()\n",
    ),
    _py(
        "fixture in conftest",
        "def test_lends(book):\n    pass\n",
        tests__conftest=_CONF + "@pytest.fixture\ndef book():\n    return lend(Book('Jim'), days=50)\n",
    ),
    _py(
        "fixture of a fixture",
        "def test_lends(reader):\n    pass\n",
        tests__conftest=_CONF
        + "@pytest.fixture\ndef book():\n    return Book('Jim').title_page\n\n\n@pytest.fixture\ndef reader(book):\n    return book\n",
    ),
    _py(
        "teardown in conftest",
        "def test_lends(book):\n    assert book\n",
        tests__conftest=_CONF + "@pytest.fixture\ndef book():\n    yield 1\n    assert [] == ['left open']\n",
    ),
    _py(
        "test and teardown",
        "def test_lends(book):\n    assert book == 2\n",
        tests__conftest=_CONF + "@pytest.fixture\ndef book():\n    yield 1\n    raise OSError('desk is gone')\n",
    ),
    _py(
        "indirect",
        "@pytest.fixture\ndef book(request):\n    return loans.lend(Book('m', request.param))\n\n\n@pytest.mark.parametrize('book', [1, 0], indirect=True)\ndef test_lends(book):\n    pass\n",
        test="indirect",
    ),
    _py(
        "odd ids",
        "@pytest.mark.parametrize('n', ['a/b', '[x] - y', 'a::b', 'line\\nbreak', 'é ß', ''])\ndef test_lends(n):\n    assert n.startswith('q')\n",
        test="odd ids",
    ),
    _py(
        "odd ids other",
        "@pytest.mark.parametrize('n', ['a/b', '[x] - y', 'a::b', 'line\\nbreak', 'é ß', ''])\ndef test_lends(n):\n    assert n.endswith('q')\n",
        test="odd ids",
    ),
    _py(
        "class parameters",
        "@pytest.mark.parametrize('days', [14, 31])\nclass TestDesk:\n    @pytest.mark.parametrize('title', ['a b', 'c-d'])\n    def test_lends(self, title, days):\n        assert loans.lend(Book(title), days)['days'] == 14\n",
        test="class parameters",
    ),
    _py(
        "setup class",
        "class TestDesk:\n    @classmethod\n    def setup_class(cls):\n        cls.book = loans.find([], 'Momo')\n\n    def test_lends(self):\n        pass\n",
        test="desk",
    ),
    _py(
        "two classes",
        "class TestA:\n    def test_lends(self):\n        assert loans.lend(Book('a'))['days'] == 13\n\n\nclass TestB:\n    def test_lends(self):\n        assert loans.lend(Book('b'))['days'] == 15\n",
        test="two classes",
    ),
    _py("warned", "@pytest.mark.filterwarnings('error::UserWarning')\n" + _t("warnings.warn('the desk closes')")),
    _py("no warning", _t("with pytest.warns(UserWarning, match='closes'):\n        pass")),
    _py("wrong warning", _t("with pytest.warns(UserWarning, match='closes'):\n        warnings.warn('it opens')")),
    _py(
        "scope",
        "@pytest.fixture\ndef book():\n    return 1\n\n\n@pytest.fixture(scope='session')\ndef desk(book):\n    return book\n\n\ndef test_lends(desk):\n    pass\n",
        test="desk scope",
    ),
    _py(
        "loop of fixtures",
        "@pytest.fixture\ndef a(b):\n    return 1\n\n\n@pytest.fixture\ndef b(a):\n    return 1\n\n\ndef test_lends(a):\n    pass\n",
        test="loop",
    ),
    _py(
        "parameters mismatch",
        "@pytest.mark.parametrize('a, b', [(1, 2), (3,)])\ndef test_lends(a, b):\n    pass\n",
        test="module",
    ),
    _py("at import", "BOOK = loans.find([], 'at import')\n", test="module"),
    _py("import of a module", "import library.desk\n", test="module"),
    _py(
        "circular",
        "import library.one\n",
        test="module",
        library__one="from library.two import b\n\na = 1\n",
        library__two="from library.one import a\n\nb = 2\n",
    ),
    _py("bad conftest", "def test_lends():\n    pass\n", test="conftest", tests__conftest="import library.nothing\n"),
    _py("timeout", "@pytest.mark.timeout(0.3)\ndef test_lends():\n    import time\n    time.sleep(4)\n"),
    _py(
        "generator",
        _t(
            "def titles():\n        yield book.title\n        raise RuntimeError('end of the shelf')\n\n    assert sorted(titles()) == []"
        ),
    ),
    _py("comprehension", _t("assert [t for t in (b.title for b in [book, None])] == []")),
    _py("multi line call", _t("loans.lend(\n        Book(\n            'Jim',\n        ),\n        days=99,\n    )")),
    _py(
        "repr fails",
        "class Odd:\n    def __repr__(self):\n        raise ValueError('no repr')\n\n\n" + _t("assert Odd() == book"),
    ),
    _py(
        "doctest of a module",
        "",
        test="doc",
        library__shelf='"""A shelf.\n\n>>> from library.loans import Book\n>>> Book("a").copies\n2\n>>> {}["x"]\n1\n"""\n',
    ),
    _py(
        "unittest class",
        "import unittest\n\n\nclass Desk(unittest.TestCase):\n    def setUp(self):\n        self.book = Book('x')\n\n    def test_lends(self):\n        with self.subTest(days=1):\n            self.assertEqual(self.book.copies, 2)\n",
        test="unittest",
    ),
    _py(
        "decorated",
        "import functools\n\n\ndef at_desk(f):\n    @functools.wraps(f)\n    def inner(*a, **k):\n        return f(*a, **k)\n    return inner\n\n\n@at_desk\ndef test_lends():\n    assert loans.lend(Book('z')) is None\n",
    ),
    _py("skip is fine", _t("pytest.importorskip('json')\n    assert 'Momo' in ['Jim', 'Punch']")),
)


def _p(name: str, *options: str, **env: str) -> Style:
    command = ("python", "-m", "pytest", "-p", "no:cacheprovider", *options)
    return Style(name=name, command=command, env={"COLUMNS": "80", **env})


_STILL = ("-p", "no:randomly")
_PYTEST_TOOL = replace(
    python.PYTEST,
    name="pytest (library)",
    families={
        "": (
            _p("base", *_STILL),
            _p("short", *_STILL, "-v", "--tb=short"),
            _p("native", *_STILL, "--tb=native", "-rA", COLUMNS="120"),
            _p("workers", *_STILL, "-n2", "-v"),
            _p("random", "--color=yes"),
            _p("locals", *_STILL, "-vv", "--showlocals", "-s"),
            _p("reruns", *_STILL, "--reruns=1", "-rR"),
            _p("very quiet", *_STILL, "-qq", "--disable-warnings"),
            _p("counts", *_STILL, "-o", "console_output_style=count", "-rfE", "--setup-show", COLUMNS="60"),
            _p("no header", *_STILL, "--no-header", "--show-capture=no", "--maxfail=9"),
            _p("import mode", *_STILL, "--import-mode=importlib", "-vvv", "--durations=2", COLUMNS="200"),
            _p("loadscope", *_STILL, "-n2", "--dist=loadscope", "-q", "--tb=long"),
        ),
        "--tb=line": (_p("base", *_STILL, "--tb=line"), _p("verbose", *_STILL, "--tb=line", "-v", COLUMNS="160")),
        "sugar": (_p("base", *_STILL, "-p", "sugar"), _p("verbose", *_STILL, "-p", "sugar", "-v", "--color=yes")),
    },
    failing=_PYTEST,
    more="def test_beside():\n    assert Book('b').copies == 1\n\n\ndef test_beside_too(capsys):\n    print('ERROR: fine')\n\n",
    beside={
        "tests/unit/test_a_desk.py": "import pytest\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_opens(n):\n    print('FAILED')\n\n\n@pytest.mark.skip\ndef test_closed():\n    assert 0\n"
    },
    shared={
        "pytest.ini": "[pytest]\npythonpath = .\naddopts = --doctest-modules -p no:sugar\nasyncio_mode = strict\nasyncio_default_fixture_loop_scope = function\n"
    },
    surroundings=True,
)


def _u(name: str, body: str, *, test: str = "lends", head: str = "", tail: str = "", top: str = "") -> Failing:
    text = f"import asyncio\nimport unittest\n%PAD%\nfrom library import loans\nfrom library.loans import Book\n\n{top}\nclass Desk(unittest.TestCase):\n%MORE%{head}    def test_lends(self):\n        book = Book('Momo')\n        {body}\n{tail}"
    return Failing(name=name, files={"test_loans.py": text}, test=test)


_UNITTEST_TOOL = replace(
    python._UNITTEST_TOOL,
    name="unittest (library)",
    families={
        "": (
            Style(name="base", command=("python", "-m", "unittest")),
            Style(name="one", command=("python", "-m", "unittest", "-v", "test_loans")),
            Style(
                name="buffered",
                command=("python", "-W", "error", "-m", "unittest", "discover", "-b", "-p", "test_*.py"),
            ),
            Style(name="locals", command=("python", "-m", "unittest", "--locals", "-v")),
        )
    },
    failing=(
        _u(
            "sub tests",
            "for n in (1, 2, 3):\n            with self.subTest(title=book.title, n=n):\n                self.assertEqual(n % 2, 0)",
        ),
        _u("sub test raises", "with self.subTest('loan [a]: (b)'):\n            loans.lend(book, 40)"),
        _u(
            "sub test and test",
            "with self.subTest(n=1):\n            self.fail('one')\n        self.assertTrue(book.copies > 4)",
        ),
        _u(
            "class set up",
            "pass",
            head="    @classmethod\n    def setUpClass(cls):\n        cls.book = loans.find([], 'Jim')\n\n",
            test="class",
        ),
        _u(
            "class tear down",
            "pass",
            head="    @classmethod\n    def tearDownClass(cls):\n        loans.lend(Book('t', 0))\n\n",
            test="class",
        ),
        _u("module set up", "pass", top="\ndef setUpModule():\n    loans.find([], 'module')\n\n", test="module"),
        _u(
            "tear down",
            "self.assertEqual(book.copies, 3)",
            head="    def tearDown(self):\n        raise OSError('desk is gone')\n\n",
        ),
        _u("inherited", "self.assertIn('x', book.title)", tail="\n\nclass Other(Desk):\n    pass\n", test="inherited"),
        _u(
            "async",
            "pass",
            tail="\n\nclass Async(unittest.IsolatedAsyncioTestCase):\n    async def asyncSetUp(self):\n        self.x = 1\n\n    async def test_fetches(self):\n        await loans.fetch('Momo')\n",
            test="async",
        ),
        _u(
            "async equal",
            "pass",
            tail="\n\nclass Async(unittest.IsolatedAsyncioTestCase):\n    async def test_fetches(self):\n        self.assertEqual(await asyncio.sleep(0, 3), 4)\n",
            test="async",
        ),
        _u("documented", '"""Lends: a book.\n\n        More.\n        """\n        self.assertLess(5, 3)'),
        _u("set", "self.assertSetEqual({1, 2}, {2, 3})"),
        _u("long", "self.assertEqual('a' * 120, 'a' * 119 + 'b', 'titles differ')"),
        _u("sequence", "self.assertSequenceEqual([{'a': 1}] * 3, [{'a': 1}] * 2 + [{'a': 2}])"),
        _u("raises", "with self.assertRaises(loans.Overdue) as caught:\n            loans.lend(book, 20)"),
        _u("warns", "with self.assertWarns(DeprecationWarning):\n            loans.lend(book)"),
        _u("not implemented", "raise NotImplementedError('renewal')"),
        _u("group", "raise ExceptionGroup('both', [ValueError('a'), TypeError('b')])"),
        _u("printed", "print('FAIL: test_lends (nothing)'); print('=' * 70); self.assertIs(book, None)"),
        _u("exit", "import sys; sys.exit('closed')"),
        _u("process", "loans.shelf('raise SystemExit(2)')"),
    ),
    more="    def test_beside(self):\n        self.assertTrue(Book('b'))\n\n    @unittest.skip('later')\n    def test_skipped(self):\n        self.fail()\n\n",
    beside={
        "test_a_desk.py": "import unittest\n\n\nclass Opens(unittest.TestCase):\n    def test_opens(self):\n        print('ERROR: fine')\n"
    },
    shared={"library/__init__.py": "", "library/loans.py": _LOANS},
    surroundings=True,
)

_JS_LOANS = "'use strict';\n%PAD%\nclass Overdue extends Error {\n  constructor(title, days) { super(`${title} is ${days} days overdue`); this.name = 'Overdue'; this.code = 'E_LATE'; }\n}\nfunction lend(book, days = 14) {\n  if (days > 30) throw new Overdue(book.title, days);\n  return { title: book.title, days, until: [days, days + 1] };\n}\nconst later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));\nasync function fetched(title) {\n  await later(1);\n  throw Object.assign(new Error(`catalogue: ${title}`), { status: 503 });\n}\nmodule.exports = { Overdue, lend, later, fetched };\n"
_JS_ALL = {
    "custom": "loans.lend(book, 44);",
    "await": "await loans.fetched('Momo');",
    "all": "await Promise.all([loans.later(1), loans.fetched('Jim')]);",
    "settled": "const [r] = await Promise.allSettled([loans.fetched('x')]); if (r.reason) throw r.reason;",
    "cause": "try { loans.lend(book, 90); } catch (e) { throw new TypeError('not lent', { cause: e }); }",
    "undefined deep": "book.reader.name.first;",
    "not a function": "loans.renew(book);",
    "console": "console.error('Error: noise\\n    at nowhere (x.js:1:1)'); console.log('● a › b\\n\\n  1) no'); throw new RangeError('after the noise');",
    "message of lines": "throw new Error('wanted:\\n  - 1\\n\\ngot:\\n  + 2');",
    "no message": "throw new TypeError();",
    "number": "throw 42;",
    "undefined": "throw undefined;",
    "not iterable": "const [a] = 5;",
    "spread": "new Map([1]);",
    "timer": "await new Promise((_, no) => setTimeout(() => no(new Error('timer')), 2));",
}
_JS_EXPECT = {
    **_JS_ALL,
    "equal": "expect(loans.lend(book)).toEqual({ title: 'Momo', days: 14, until: [14, 16] });",
    "long text": "expect('x'.repeat(150) + 'a').toBe('x'.repeat(150) + 'b');",
    "many lines": "expect([...Array(25).keys()].join('\\n')).toBe([...Array(26).keys()].join('\\n'));",
    "array": "expect([1, 2, { a: 3 }]).toEqual(expect.arrayContaining([{ a: 4 }]));",
    "throws class": "expect(() => loans.lend(book, 44)).toThrow(RangeError);",
    "throws nothing": "expect(() => loans.lend(book)).toThrow(/late/);",
    "not to be": "expect(book).not.toEqual({ title: 'Momo' });",
    "null": "expect(loans.lend(book)).toBeNull();",
    "nan": "expect(NaN).toBeLessThan(3);",
    "set": "expect(new Set([1, 2])).toEqual(new Set([2, 3]));",
    "rejects": "await expect(loans.fetched('a')).rejects.toMatchObject({ status: 404 });",
    "snapshot inline": 'expect(loans.lend(book)).toMatchInlineSnapshot(`\n        {\n          "days": 15,\n        }\n      `);',
    "two lines": "expect(\n        loans.lend(book).days,\n      ).toBe(\n        15,\n      );",
    "helper": "const check = (b) => { expect(b.copies).toBeDefined(); };\n      check(book);",
}
_JS_ASSERT = {
    **_JS_ALL,
    "equal": "assert.deepStrictEqual(loans.lend(book), { title: 'Momo', days: 14, until: [14, 16] });",
    "loose": "assert.equal(loans.lend(book).days, '15');",
    "long text": "assert.strictEqual('x'.repeat(150) + 'a', 'x'.repeat(150) + 'b');",
    "many lines": "assert.strictEqual([...Array(25).keys()].join('\\n'), [...Array(26).keys()].join('\\n'));",
    "ok": "assert(loans.lend(book).days > 20, 'too short');",
    "ok bare": "assert(loans.lend(book).days > 20);",
    "rejects": "await assert.rejects(loans.fetched('a'), { status: 404 });",
    "does not throw": "assert.doesNotThrow(() => loans.lend(book, 77), 'lends');",
    "match": "assert.match(book.title, /^J/);",
    "set": "assert.deepStrictEqual(new Set([1]), new Set([2]));",
}


def _js(head: str, bodies: dict[str, str], wholes: dict[str, str], file: str) -> tuple[Failing, ...]:
    def one(name: str, body: str) -> Failing:
        text = f"{head}\n%PAD%\ndescribe('desk', () => {{\n%MORE%  describe('when open', () => {{\n    it('lends a book', async () => {{\n      const book = {{ title: 'Momo' }};\n      {body}\n    }});\n  }});\n}});\n"
        return Failing(name=name, files={file: text}, test="lends", coarse=_ONE_LINE.get(name, ""))

    return (
        *(one(name, body) for name, body in bodies.items()),
        *(Failing(name=n, files={file: f"{head}\n%PAD%\n{t}"}, test=n.split(":")[0]) for n, t in wholes.items()),
    )


_FINE = "  it('lends a book', () => {});\n"
_JS_WHOLE = {
    "hooks: before each": f"describe('desk', () => {{\n  beforeEach(async () => {{ await loans.fetched('before'); }});\n{_FINE}}});\n",
    "hooks: before each other": f"describe('desk', () => {{\n  beforeEach(() => {{ loans.lend({{ title: 'h' }}, 60); }});\n{_FINE}}});\n",
    "hooks: after each": f"describe('desk', () => {{\n  afterEach(() => {{ throw new Error('desk is gone'); }});\n{_FINE}}});\n",
    "both": "describe('desk', () => {\n  afterEach(() => { throw new Error('desk is gone'); });\n  it('lends a book', () => { loans.lend({ title: 'both' }, 61); });\n});\n",
    "two": "describe('desk', () => {\n%MORE%  it('lends', () => { loans.lend({ title: 'a' }, 50); });\n  it('takes back', () => { throw new Error('not back'); });\n});\ndescribe('shelf', () => {\n  it('lends', () => { throw new Error('no shelf'); });\n});\n",
    "odd names": "describe('GET /loans?a=1&b=[2]', () => {\n%MORE%  it('returns \"200\" > 1) it\\'s #3 (fast) ✓ › ok', () => { throw new Error('odd name'); });\n});\n",
    "at load": "loans.lend({ title: 'load' }, 70);\nit('lends', () => {});\n",
    "no module": "require('./no-such-module');\nit('lends', () => {});\n",
    "syntax": "it('lends', () => {\n  const a = {;\n});\n",
}
_JEST_WHOLE = {
    **_JS_WHOLE,
    "hooks: before all": f"describe('desk', () => {{\n  beforeAll(() => {{ throw new Error('no database'); }});\n{_FINE}}});\n",
    "hooks: after all": f"describe('desk', () => {{\n  afterAll(async () => {{ await loans.fetched('after'); }});\n{_FINE}}});\n",
    "timeout": "describe('desk', () => {\n%MORE%  it('lends a book', () => new Promise(() => {}), 60);\n});\n",
    "each table": "describe.each([{ title: 'a', days: 3 }, { title: 'b', days: 40 }])('book $title', ({ title, days }) => {\n%MORE%  it.each([1, 2])('lends %d', (n) => { expect(loans.lend({ title }, days).days).toBe(n + 2); });\n});\n",
    "each text": "describe('desk', () => {\n%MORE%  it.each`\n    days  | want\n    ${3}  | ${3}\n    ${40} | ${40}\n  `('lends $days', ({ days, want }) => { expect(loans.lend({ title: 't' }, days).days).toBe(want); });\n});\n",
    "snapshot file": "describe('desk', () => {\n%MORE%  it('lends', () => { expect(loans.lend({ title: 's' })).toMatchSnapshot(); });\n});\n",
    "extended": "expect.extend({ toBeLent(b) { return { pass: false, message: () => `${b.title} is not lent` }; } });\ndescribe('desk', () => {\n%MORE%  it('lends', () => { expect({ title: 'e' }).toBeLent(); });\n});\n",
}
_SNAPSHOT = '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`desk lends 1`] = `\n{\n  "days": 15,\n  "title": "s",\n}\n`;\n'
_JS_MORE = "  it('is beside it', () => { console.log('fine'); });\n"
_JEST_TOOL = replace(
    javascript.JEST,
    name="jest (library)",
    more=_JS_MORE,
    families={
        "": (
            Style(name="base", command=("jest", "--ci", "--watchman=false")),
            Style(name="verbose", command=("jest", "--ci", "--watchman=false", "--verbose", "-i")),
            Style(name="silent", command=("jest", "--ci", "--watchman=false", "--silent", "--colors")),
            Style(
                name="random", command=("jest", "--ci", "--watchman=false", "--randomize", "-w2"), env={"COLUMNS": "50"}
            ),
            Style(
                name="github",
                command=("jest", "--ci", "--watchman=false", "--reporters=default", "--reporters=github-actions"),
                env={"GITHUB_ACTIONS": "true"},
            ),
            Style(
                name="coverage",
                command=("jest", "--ci", "--watchman=false", "--coverage", "--coverageReporters=text", "--expand"),
            ),
            Style(
                name="open handles",
                command=("jest", "--ci", "--watchman=false", "--detectOpenHandles", "--logHeapUsage"),
            ),
        )
    },
    failing=_js("const loans = require('./loans');", _JS_EXPECT, _JEST_WHOLE, "desk.test.js"),
    beside={"a.test.js": "test('opens', () => { console.warn('● desk › fails'); });\n"},
    shared={"loans.js": _JS_LOANS, "package.json": '{"name": "library"}', "__snapshots__/desk.test.js.snap": _SNAPSHOT},
    surroundings=True,
)
_VITEST_TOOL = replace(
    javascript.VITEST,
    name="vitest (library)",
    more=_JS_MORE,
    families={
        "": (
            Style(name="base", command=("vitest", "run", "--globals")),
            Style(name="verbose", command=("vitest", "run", "--globals", "--reporter=verbose", "--silent")),
            Style(
                name="shuffled",
                command=("vitest", "run", "--globals", "--sequence.shuffle", "--pool=threads"),
                env={"FORCE_COLOR": "1"},
            ),
            Style(name="dot", command=("vitest", "run", "--globals", "--reporter=dot", "--no-isolate")),
            Style(
                name="github", command=("vitest", "run", "--globals", "--reporter=default", "--reporter=github-actions")
            ),
            Style(
                name="hidden",
                command=("vitest", "run", "--globals", "--hideSkippedTests", "--retry=1"),
                env={"COLUMNS": "60"},
            ),
        )
    },
    failing=_js(
        "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nconst loans = require('./loans.js');",
        _JS_EXPECT,
        _JEST_WHOLE,
        "desk.test.js",
    ),
    beside={"a.test.js": "test('opens', () => { console.warn(' FAIL  desk > fails'); });\n"},
    shared={
        "loans.js": _JS_LOANS,
        "__snapshots__/desk.test.js.snap": _SNAPSHOT.replace("desk lends 1", "desk > lends 1").replace(
            "Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing",
            "Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html",
        ),
    },
    surroundings=True,
)
_MOCHA_TOOL = replace(
    javascript._MOCHA_TOOL,
    name="mocha (library)",
    more=_JS_MORE,
    families={
        "": (
            Style(name="base", command=("mocha",)),
            Style(name="dot", command=("mocha", "--reporter", "dot", "--colors")),
            Style(name="list", command=("mocha", "--reporter", "list", "--parallel")),
            Style(name="slow", command=("mocha", "--slow", "0", "--check-leaks", "--sort")),
            Style(name="nyan", command=("mocha", "--reporter", "nyan")),
            Style(name="inline", command=("mocha", "--reporter", "landing", "--async-only=false")),
        ),
    },
    failing=_js(
        "const assert = require('assert');\nconst loans = require('../lib/loans');",
        _JS_ASSERT,
        {
            **{k: v.replace("'./no", "'../no") for k, v in _JS_WHOLE.items()},
            "hooks: before": f"describe('desk', () => {{\n  before(() => {{ throw new Error('no database'); }});\n{_FINE}}});\n",
            "hooks: after": f"describe('desk', () => {{\n  after(async () => {{ await loans.fetched('after'); }});\n{_FINE}}});\n",
            "timeout": "describe('desk', () => {\n%MORE%  it('lends a book', () => new Promise(() => {})).timeout(60);\n});\n",
            "done twice": "describe('desk', () => {\n%MORE%  it('lends a book', (done) => { done(); done(); });\n});\n",
            "done error": "describe('desk', () => {\n%MORE%  it('lends a book', (done) => { setTimeout(() => done(new Error('not lent')), 2); });\n});\n",
        },
        "test/desk.js",
    ),
    beside={"test/a.js": "it('opens', () => { console.log('  1) fails:'); });\n"},
    shared={"lib/loans.js": _JS_LOANS, "package.json": '{"name": "library"}'},
    surroundings=True,
)
_NODE_TOOL = replace(
    javascript._NODE_TOOL,
    name="node:test (library)",
    more=_JS_MORE,
    families={
        "": (
            Style(name="base", command=("node", "--test", "--test-reporter=spec")),
            Style(name="tap", command=("node", "--test", "--test-reporter=tap")),
            Style(
                name="colour",
                command=("node", "--test", "--test-reporter=spec", "desk.test.js"),
                env={"FORCE_COLOR": "1"},
            ),
            Style(name="alone", command=("node", "desk.test.js"), failing=frozenset(_JS_ASSERT)),
        )
    },
    failing=_js(
        "const { describe, it, test, before, after, beforeEach, afterEach } = require('node:test');\nconst assert = require('node:assert');\nconst loans = require('./loans');",
        _JS_ASSERT,
        {
            **_JS_WHOLE,
            "hooks: before": f"describe('desk', () => {{\n  before(() => {{ throw new Error('no database'); }});\n{_FINE}}});\n",
            "hooks: after": f"describe('desk', () => {{\n  after(async () => {{ await loans.fetched('after'); }});\n{_FINE}}});\n",
            "timeout": "describe('desk', () => {\n%MORE%  it('lends a book', { timeout: 40 }, () => new Promise((r) => setTimeout(r, 4000)));\n});\n",
            "sub tests": "test('desk', async (t) => {\n  await t.test('opens', () => {});\n  await t.test('lends', async (t) => {\n    await t.test('one', () => { loans.lend({ title: 'sub' }, 66); });\n    await t.test('two', () => { assert.strictEqual(1, 2); });\n  });\n});\n",
            "diagnostic": "test('desk', (t) => {\n  t.diagnostic('not ok 7 - noise');\n  assert.strictEqual(loans.lend({ title: 'd' }).days, 15);\n});\n",
            "late": "test('desk', () => {\n  setTimeout(() => { throw new Error('too late'); }, 5);\n});\n",
            "rejection": "test('desk', async () => {\n  loans.fetched('nobody waits');\n  await loans.later(20);\n});\n",
        },
        "desk.test.js",
    ),
    beside={"a.test.js": "require('node:test').it('opens', () => { console.log('✖ fails'); });\n"},
    shared={"loans.js": _JS_LOANS},
    surroundings=True,
)

_GO_LOANS = 'package loans\n\nimport (\n\t"errors"\n\t"fmt"\n)\n%PAD%\nvar ErrNone = errors.New("no copy left")\n\ntype Book struct {\n\tTitle string\n\tCopies int\n}\n\nfunc Lend(b *Book, days int) (int, error) {\n\tif b.Copies == 0 {\n\t\treturn 0, fmt.Errorf("lend %s: %w", b.Title, ErrNone)\n\t}\n\treturn days, nil\n}\n\nfunc Page(pages []string, n int) string { return pages[n] }\n\nfunc Must(v int, err error) int {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn v\n}\n'
_GO_HEAD = 'package loans\n\nimport (\n\t"context"\n\t"fmt"\n\t"os"\n\t"sync"\n\t"testing"\n\t"time"\n)\n%PAD%\nvar _ = fmt.Sprint\nvar _ = os.Exit\nvar _ sync.Mutex\nvar _ = time.Now\nvar _ = context.TODO\n\n%MORE%\n'


def _g(name: str, body: str, *, rest: str = "", test: str = "TestLend", **more: str) -> Failing:
    text = f'{_GO_HEAD}{rest}func TestLend(t *testing.T) {{\n\tb := &Book{{"Momo", 1}}\n\t_ = b\n\t{body}\n}}\n'
    return Failing(
        name=name,
        files={"loans_test.go": text, **{n.replace("__", "/") + ".go": t for n, t in more.items()}},
        test=test,
        coarse=_ONE_LINE.get(name, ""),
    )


_G_TABLE = 'for _, c := range []struct {\n\t\tname string\n\t\tcopies, want int\n\t}{{"none left", 0, 0}, {"one/two", 1, 3}, {"", 2, 4}, {"a b\\tc", 1, 5}} {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\t%s\n\t\t\tgot, err := Lend(&Book{c.name, c.copies}, 14)\n\t\t\tif err != nil {\n\t\t\t\tt.Fatalf("unexpected: %%v", err)\n\t\t\t}\n\t\t\tif got != c.want {\n\t\t\t\tt.Errorf("Lend() = %%d, want %%d", got, c.want)\n\t\t\t}\n\t\t})\n\t}'
_GO_TOOL = replace(
    compiled.GO,
    name="go test (library)",
    families={
        "": (
            Style(name="base", command=("go", "test", "-timeout=5s", "./...")),
            Style(name="verbose", command=("go", "test", "-timeout=5s", "-v", "./...")),
            Style(name="json", command=("go", "test", "-timeout=5s", "-json", "./...")),
            Style(name="shuffled", command=("go", "test", "-timeout=5s", "-shuffle=on", "-v", "./...")),
            Style(name="twice", command=("go", "test", "-timeout=9s", "-count=2", "./...")),
            Style(name="race", command=("go", "test", "-timeout=5s", "-race", "-cpu=1,2", "./...")),
            Style(
                name="trimmed",
                command=("go", "test", "-timeout=5s", "-trimpath", "-coverprofile=c.out", "-parallel=1", "./..."),
            ),
        )
    },
    failing=(
        _g("wrapped", "b.Copies = 0\n\tif _, err := Lend(b, 3); err != nil {\n\t\tt.Fatal(err)\n\t}"),
        _g("must", "b.Copies = 0\n\tMust(Lend(b, 3))"),
        _g("logs", 'for i := 0; i < 3; i++ {\n\t\tt.Logf("step %d of error", i)\n\t}\n\tt.Errorf("lost %q", b.Title)'),
        _g(
            "logs other",
            'for i := 0; i < 3; i++ {\n\t\tt.Logf("step %d of error", i)\n\t}\n\tt.Errorf("torn %q", b.Title)',
        ),
        _g("table", _G_TABLE % "", test="table"),
        _g(
            "table in parallel",
            _G_TABLE.replace("t.Run(", "c := c\n\t\tt.Run(") % "t.Parallel()\n\t\t\ttime.Sleep(time.Millisecond)",
            test="table",
        ),
        _g(
            "sub panic",
            't.Run("shelf", func(t *testing.T) {\n\t\tt.Run("page 3", func(t *testing.T) { Page(nil, 3) })\n\t})',
            test="sub",
        ),
        _g(
            "sub nil",
            't.Run("shelf", func(t *testing.T) {\n\t\tt.Run("page 3", func(t *testing.T) {\n\t\t\tvar n *Book\n\t\t\tLend(n, 1)\n\t\t})\n\t})',
            test="sub",
        ),
        _g(
            "in a goroutine",
            'var wg sync.WaitGroup\n\twg.Add(1)\n\tgo func() {\n\t\tdefer wg.Done()\n\t\tt.Error("from the goroutine")\n\t}()\n\twg.Wait()',
        ),
        _g(
            "goroutine panics",
            "done := make(chan int)\n\tgo func() {\n\t\tdefer close(done)\n\t\tPage([]string{}, 1)\n\t}()\n\t<-done",
        ),
        _g(
            "recovered",
            'defer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tt.Fatalf("recovered: %v", r)\n\t\t}\n\t}()\n\tPage(nil, 7)',
        ),
        _g("deferred", 'defer t.Log("closing")\n\tdefer func() { t.Errorf("left open: %v", b.Copies) }()'),
        _g("timeout", "time.Sleep(20 * time.Second)"),
        _g("deadlock", "var mu sync.Mutex\n\tmu.Lock()\n\tmu.Lock()"),
        _g(
            "context",
            'ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)\n\tdefer cancel()\n\t<-ctx.Done()\n\tt.Fatalf("fetch: %v", ctx.Err())',
        ),
        _g("struct", 't.Errorf("got %+v\\nwant %+v", *b, Book{"Momo", 2})'),
        _g(
            "printed",
            'fmt.Println("FAIL\\tother\\t0.1s")\n\tfmt.Fprintln(os.Stderr, "goroutine 1 [running]:")\n\tt.Fatal("after print")',
        ),
        _g("no newline", 'fmt.Print("half a line")\n\tt.Error("behind it")'),
        _g("exit", "os.Exit(4)"),
        _g(
            "skip and fail",
            't.Run("skipped", func(t *testing.T) { t.Skip("later") })\n\tt.Run("fails", func(t *testing.T) { t.Error("now") })',
            test="skip",
        ),
        _g(
            "example",
            "",
            rest='func ExampleLend() {\n\tfmt.Println("lent")\n\tfmt.Println("Momo")\n\t// Output:\n\t// lent\n\t// Jim\n}\n\n',
            test="example",
        ),
        _g(
            "two packages",
            't.Error("in the first")',
            test="two packages",
            desk__desk_test='package desk\n\nimport "testing"\n\nfunc TestLend(t *testing.T) { t.Error("in the second") }\n',
        ),
        _g(
            "build of one",
            't.Error("runs")',
            test="build of one",
            desk__desk_test='package desk\n\nimport "testing"\n\nfunc TestLend(t *testing.T) { Nothing() }\n',
        ),
        _g("build: many", "x := 1\n\tvar s string = 3\n\tb.Shelf()\n\treturn 4", test="build"),
        _g("build: import", "loans.Nothing()", test="build"),
        _g("build: arguments", "Lend(b)", test="build"),
        _g("build: interface", "var _ fmt.Stringer = b", test="build"),
        _g(
            "build: library",
            "",
            test="build",
            more__broken="package more\n\nfunc F() int { return }\n",
            more__m_test='package more\n\nimport "testing"\n\nfunc TestM(t *testing.T) {}\n',
        ),
        _g("init", "", rest="func init() { Page(nil, 1) }\n\n", test="init"),
        _g(
            "main",
            "",
            rest='func TestMain(m *testing.M) {\n\tfmt.Fprintln(os.Stderr, "catalogue: connection refused")\n\tos.Exit(2)\n}\n\n',
            test="main",
        ),
    ),
    more='func TestBeside(t *testing.T) {\n\tt.Log("fine")\n\tt.Run("sub", func(t *testing.T) {})\n}\n\n',
    beside={
        "beside/a_test.go": 'package beside\n\nimport "testing"\n\nfunc TestMore(t *testing.T) { t.Skip("panic: no") }\n'
    },
    shared={"go.mod": "module example.org/library\n\ngo 1.19\n", "loans.go": _GO_LOANS},
    surroundings=True,
)

_RUST_LIB = '//! Loans.\n%PAD%\n//! ```\n//! assert_eq!(library::days(1), %DOC%);\n//! ```\nuse std::collections::HashMap;\n#[derive(Debug, Clone, PartialEq)]\npub struct Book { pub title: String, pub copies: u32 }\n#[derive(Debug)]\npub enum LoanError { None(String), Late { days: u32 } }\nimpl std::fmt::Display for LoanError {\n    fn fmt(&self, f: &mut std::fmt::Formatter<\'_>) -> std::fmt::Result { write!(f, "loan: {:?}", self) }\n}\nimpl std::error::Error for LoanError {}\npub fn book() -> Book { Book { title: "Momo".into(), copies: 1 } }\npub fn days(n: u32) -> u32 { n + 13 }\npub fn lend(b: &Book, n: u32) -> Result<u32, LoanError> {\n    if b.copies == 0 { return Err(LoanError::None(b.title.clone())); }\n    if n > 30 { return Err(LoanError::Late { days: n }); }\n    Ok(n)\n}\npub fn shelf() -> HashMap<&\'static str, u32> { HashMap::new() }\n#[macro_export]\nmacro_rules! lent { ($b:expr, $n:expr) => { assert_eq!($crate::lend(&$b, $n).unwrap(), $n + 1, "lent {}", $b.title) }; }\n'


def _r(
    name: str, body: str, *, head: str = "", sign: str = "fn lends()", test: str = "lends", doc: str = "14"
) -> Failing:
    inside = f"#[cfg(test)]\nmod desk {{\n    use super::*;\n%PAD%\n%MORE%\n    {head}#[test]\n    {sign} {{\n        let b = book();\n        let _ = &b;\n        {body}\n    }}\n}}\n"
    return Failing(name=name, files={"src/lib.rs": _RUST_LIB.replace("%DOC%", doc) + inside}, test=test)


def _ri(name: str, body: str, *, test: str = "integration") -> Failing:
    text = (
        f"use library::*;\n%PAD%\n#[test]\nfn whole_desk() {{\n    let b = book();\n    let _ = &b;\n    {body}\n}}\n"
    )
    return Failing(name=name, files={"src/lib.rs": _RUST_LIB.replace("%DOC%", "14"), "tests/desk.rs": text}, test=test)


_CARGO_TOOL = replace(
    compiled.CARGO,
    name="cargo test (library)",
    families={
        "": (
            Style(name="base", command=("cargo", "test", "--offline")),
            Style(name="all", command=("cargo", "test", "--offline", "--no-fail-fast", "--workspace")),
            Style(name="output", command=("cargo", "test", "--offline", "-v", "--", "--show-output")),
            Style(
                name="one thread",
                command=("cargo", "test", "--offline", "--color=always", "--", "--test-threads=1", "--nocapture"),
            ),
            Style(name="full", command=("cargo", "test", "--offline", "-j1"), env={"RUST_BACKTRACE": "full"}),
            Style(name="quiet", command=("cargo", "test", "-q", "--offline")),
        )
    },
    failing=(
        _r("macro", "lent!(b, 3);"),
        _r("macro unwrap", "lent!(b, 33);"),
        _r("struct", 'assert_eq!(b, Book { title: "Jim".into(), copies: 2 }, "books\\ndiffer");'),
        _r("pretty", 'panic!("{:#?}", b);'),
        _r("index map", 'let _ = shelf()["Momo"];'),
        _r("result", "lend(&b, 31)?; Ok(())", sign="fn lends() -> Result<(), LoanError>"),
        _r("result none", "lend(&Book { copies: 0, ..b }, 31)?; Ok(())", sign="fn lends() -> Result<(), LoanError>"),
        _r("boxed", "lend(&b, 40)?; Ok(())", sign="fn lends() -> Result<(), Box<dyn std::error::Error>>"),
        _r("text error", 'Err("closed".to_string())', sign="fn lends() -> Result<(), String>"),
        _r("should panic", "lend(&b, 3).unwrap();", head="#[should_panic]\n    "),
        _r("should panic other", "lend(&b, 33).unwrap();", head='#[should_panic(expected = "no copy")]\n    '),
        _r(
            "should panic not a string", "std::panic::panic_any(7);", head='#[should_panic(expected = "no copy")]\n    '
        ),
        _r(
            "thread",
            'let t = std::thread::Builder::new().name("reader".into()).spawn(|| { lend(&book(), 34).unwrap(); }).unwrap(); t.join().expect("the reader");',
        ),
        _r("scope", "std::thread::scope(|s| { s.spawn(|| { assert!(days(1) > 20); }); });"),
        _r(
            "drop",
            'struct D; impl Drop for D { fn drop(&mut self) { eprintln!("thread closed, error: no"); } } let _d = D; assert_ne!(days(1), 14);',
        ),
        _r(
            "printed",
            'println!("---- desk::other stdout ----"); println!("test other ... FAILED"); println!("failures:"); assert!(b.copies > 3, "too few: {}", b.copies);',
        ),
        _r("no newline", 'print!("half a line"); assert!(b.title.is_empty());'),
        _r("exit", "std::process::exit(7);", test="exit"),
        _r("abort", "std::process::abort();", test="exit"),
        _r("recursion", "fn f(n: u64) -> u64 { if n == 0 { 0 } else { 1 + f(n + 1) } } assert!(f(1) > 0);"),
        _r("shift", "let n = b.copies; let _ = 1u8 << (n + 9);"),
        _r("slice", "let v: Vec<u32> = vec![1, 2]; let n = b.copies as usize; let _ = &v[n + 2..1];"),
        _r("char", 'let _ = "straße".split_at(5);'),
        _r("parse", '"9x".parse::<u8>().unwrap();'),
        _r("parse other", '"999".parse::<u8>().unwrap();'),
        _r("documentation", "", test="doc", doc="15"),
        _r("documentation fails to build", "", test="doc", doc="nothing()"),
        _ri("integration", "assert_eq!(lend(&b, 3).unwrap(), 4);"),
        _ri("integration unwrap", "lend(&b, 39).unwrap();"),
        _ri("integration build", "lend(b, 3);", test="build"),
        _r("build: many", 'let x: u32 = "a"; lend(&b); b.pages; nothing!();', test="build"),
        _r("build: lifetime", 'let r; { let c = book(); r = &c; } println!("{:?}", r);', test="build"),
        _r("build: trait", "let mut v = vec![b]; v.sort();", test="build"),
        _r("build: match", "match lend(&b, 3) { Ok(_) => {} }", test="build"),
        _r("build: macro", "lent!(b);", test="build"),
        _r("build: unclosed", "let x = (1;", test="build"),
        _r("build: denied", "let unused = 1;", head="#[deny(unused_variables)]\n    ", test="build"),
    ),
    more='    #[test]\n    fn beside() { println!("fine"); }\n    #[test]\n    #[ignore]\n    fn ignored() {}\n',
    shared={"Cargo.toml": '[package]\nname = "library"\nversion = "0.2.0"\nedition = "2021"\n'},
    surroundings=True,
)

_CPP_LOANS = '#pragma once\n#include <map>\n#include <memory>\n#include <stdexcept>\n#include <string>\n#include <vector>\n%PAD%\nstruct Overdue : std::logic_error { using std::logic_error::logic_error; };\nstruct Book { std::string title; int copies; bool operator==(const Book& o) const { return title == o.title && copies == o.copies; } };\ninline int lend(const Book& b, int days) {\n  if (days > 30) throw Overdue(b.title + " is overdue");\n  return b.copies + days;\n}\n'


def _gt(name: str, text: str, *, test: str = "Lends") -> Failing:
    head = '#include <gmock/gmock.h>\n#include <gtest/gtest.h>\n#include "loans.h"\n%PAD%\n%MORE%\n'
    return Failing(name=name, files={"cart_test.cpp": head + text}, test=test)


def _gb(name: str, body: str) -> Failing:
    return _gt(name, f'TEST(Desk, Lends) {{\n  Book b{{"Momo", 1}};\n  {body}\n}}\n')


_GMOCK = "-lgmock_main -lgmock -lgtest -lpthread"
_GTEST_TOOL = replace(
    compiled._GTEST_TOOL,
    name="GoogleTest (library)",
    families={
        "": (
            compiled._built("base", libraries=_GMOCK),
            compiled._built("shuffled", "--gtest_shuffle --gtest_color=yes --gtest_print_time=0", libraries=_GMOCK),
            compiled._built("fails fast", "--gtest_fail_fast --gtest_also_run_disabled_tests", libraries=_GMOCK),
        )
    },
    failing=(
        _gb("matcher", 'EXPECT_THAT(b.title, testing::HasSubstr("Jim"));'),
        _gb("elements", "EXPECT_THAT((std::vector<int>{1, 2, 3}), testing::ElementsAre(1, 5, 3));"),
        _gb("bytes", 'EXPECT_EQ(b, (Book{"Jim", 2}));'),
        _gb("scoped", 'SCOPED_TRACE("reader 4"); EXPECT_EQ(lend(b, 3), 5) << "line one\\nline two";'),
        _gb("throws wrong", "EXPECT_THROW(lend(b, 50), std::runtime_error);"),
        _gb(
            "throws text",
            'EXPECT_THROW({ try { lend(b, 60); } catch (const Overdue& e) { EXPECT_STREQ("late", e.what()); throw; } }, Overdue);',
        ),
        _gb("raised", "lend(b, 70);"),
        _gb("map", 'std::map<std::string, int> m; EXPECT_GT(m.at("x"), 1);'),
        _gb("two", "EXPECT_LT(lend(b, 9), 3);\n  ASSERT_FALSE(b.copies) << b.title;\n  FAIL();"),
        _gb("pointer", "std::unique_ptr<Book> p; ASSERT_NE(p, nullptr);"),
        _gb("float", "EXPECT_FLOAT_EQ(0.1f + 0.2f, 0.31f);"),
        _gb("lines", 'EXPECT_EQ("a\\nb\\nc", std::string("a\\nx\\nc"));'),
        _gb("printed", 'printf("[  FAILED  ] Other.Test\\n"); printf("x.cpp:3: Failure\\n"); EXPECT_EQ(b.copies, 7);'),
        _gb("death", 'EXPECT_DEATH({ lend(b, 1); }, "gone");'),
        _gb("segfault", "volatile int* p = nullptr; *p = b.copies;"),
        _gt(
            "fixture",
            'class Shelf : public testing::Test { protected: void SetUp() override { ASSERT_EQ(lend({"a", 0}, 1), 2); } };\nTEST_F(Shelf, Lends) {}\n',
        ),
        _gt(
            "tear down",
            'class Shelf : public testing::Test { protected: void TearDown() override { ADD_FAILURE() << "left open"; } };\nTEST_F(Shelf, Lends) {}\n',
        ),
        _gt(
            "typed",
            "template <class T> class Typed : public testing::Test {};\nusing Kinds = testing::Types<int, double>;\nTYPED_TEST_SUITE(Typed, Kinds);\nTYPED_TEST(Typed, Lends) { EXPECT_EQ(sizeof(TypeParam), 4u); }\n",
        ),
        _gt(
            "named parameters",
            'class P : public testing::TestWithParam<std::string> {};\nTEST_P(P, Lends) { EXPECT_EQ(GetParam().size(), 3u); }\nINSTANTIATE_TEST_SUITE_P(Titles, P, testing::Values("abc", "a b", "Momo"), [](const auto& i) { return "n" + std::to_string(i.index); });\n',
        ),
        _gt(
            "mock",
            "struct Desk { virtual ~Desk() = default; virtual int lend(int) = 0; };\nstruct MockDesk : Desk { MOCK_METHOD(int, lend, (int), (override)); };\nTEST(Mocked, Lends) { MockDesk d; EXPECT_CALL(d, lend(3)).Times(2); d.lend(3); }\n",
        ),
        _gt(
            "mock unexpected",
            "struct Desk { virtual ~Desk() = default; virtual int lend(int) = 0; };\nstruct MockDesk : Desk { MOCK_METHOD(int, lend, (int), (override)); };\nTEST(Mocked, Lends) { MockDesk d; EXPECT_CALL(d, lend(3)).WillOnce(testing::Return(1)); d.lend(3); d.lend(4); }\n",
        ),
    ),
    more="TEST(Beside, Fine) {}\nTEST(Beside, DISABLED_Later) {}\n",
    shared={"loans.h": _CPP_LOANS},
    surroundings=True,
)

_C_MAIN = '#include <algorithm>\n#include <functional>\n#include <iostream>\n#include "loans.h"\n%PAD%\n#define LENT(b, n) ((b).lent == (n))\ntemplate <class T> auto twice(T t) { return t + t; }\ntemplate <class T> struct Shelf { T first; int size() const { return first.count(); } };\nint main() {\n  Book b{"Momo", 1};\n  %FAULT%\n  return 0;\n}\n'
_CPP_FAULTS = {
    "macro": "if (LENT(b, 3)) return 1;",
    "template": "auto x = twice(b);",
    "member of a template": "Shelf<int> s; s.size();",
    "no overload": 'lend(b, "three");',
    "arguments": "lend(b);",
    "constant": "const Book c = b; c.copies = 4;",
    "private": "struct S { private: int n; } s; s.n = 1;",
    "abstract": "struct A { virtual void f() = 0; }; A a;",
    "conversion": "std::string s = b;",
    "algorithm": "std::vector<Book> v; std::sort(v.begin(), v.end());",
    "two": "int x = nothing; std::string y = 4.5f * b.title;",
    "missing": "int x = 3\n  int y = 4;",
    "brace": "if (true) { int x = 1;",
    "deleted": "std::unique_ptr<Book> p; auto q = p;",
    "lambda": "std::function<int(int)> f = [](std::string s) { return s.size(); };",
    "auto": "auto x = {1, 2.5};",
    "static": 'static_assert(sizeof(int) == 8, "small");',
    "include": '#include "no/such.h"',
    "return": "return b;",
    "cast": "int* p = static_cast<int*>(&b);",
}


def _compiler(name: str, program: str, forms: dict[str, str]) -> Tool:
    styles = {"base": "", **forms}
    return Tool(
        name=name,
        needs=(program,),
        families={
            "": tuple(
                Style(name=n, command=("sh", "-c", f"{program} -std=c++17 -Wall -c {o} main.cpp"))
                for n, o in styles.items()
            )
        },
        failing=tuple(
            Failing(name=n, files={"main.cpp": _C_MAIN.replace("%FAULT%", f)}, test="main")
            for n, f in _CPP_FAULTS.items()
        ),
        comment="//",
        beside={"other.cpp": "int other() { return 1; }\n"},
        shared={"loans.h": _CPP_LOANS},
        surroundings=True,
    )


_GXX_TOOL = _compiler(
    "g++ (library)",
    "g++",
    {
        "colour": "-fdiagnostics-color=always",
        "plain": "-fdiagnostics-plain-output",
        "extra": "-Wextra -O2 -fdiagnostics-show-template-tree",
        "absolute": '-I. "$PWD/main.cpp" -o /dev/null; true; g++ -std=c++17 -c "$PWD/main.cpp" || exit 1; :',
    },
)
_CLANG_TOOL = _compiler(
    "clang (library)",
    "clang++",
    {
        "colour": "-fcolor-diagnostics",
        "numbers": "-fdiagnostics-print-source-range-info",
        "extra": "-Wextra -O2 -fdiagnostics-show-template-tree -ferror-limit=3",
        "no line": "-fno-show-source-location -fshow-source-location",
    },
)

_PY_TYPED = "from __future__ import annotations\n\nfrom collections.abc import Iterable\nfrom dataclasses import dataclass\nfrom typing import Protocol, TypedDict\n%PAD%\n\nclass Row(TypedDict):\n    title: str\n    days: int\n\n\nclass Lender(Protocol):\n    def lend(self, title: str) -> int: ...\n\n\n@dataclass\nclass Book:\n    title: str\n    copies: int = 1\n\n\ndef find(books: Iterable[Book], title: str) -> Book | None:\n    return next((book for book in books if book.title == title), None)\n\n\ndef use(book: Book) -> str:\n    %FAULT%\n    return book.title\n\n\nclass Desk:\n    def lend(self, title: int) -> str:\n        return str(title)\n"
_TYPE_FAULTS = {
    "optional": "return find([book], 'x').title",
    "protocol": "lender: Lender = Desk()",
    "typed dict": "row: Row = {'title': 'a', 'dayz': 3}",
    "attribute": "book.pages += 1",
    "call": "Book('a', copies='2', pages=3)",
    "return": "return book.copies",
    "operator": "total = book.copies + 'a'",
    "index": "first = book[0]",
    "import": "import nothing_here",
    "name": "return titel",
    "unpack": "a, b = book.copies, 1, 2",
    "override": "class Other(Desk):\n        def lend(self, title: str, days: int) -> int:\n            return days\n",
    "two": "book.copies = 'x'; book.titel = 3",
    "iterable": "for page in book.copies:\n        print(page)",
    "await": "await book.title",
    "generic": "names: list[int] = [book.title]",
    "comparison": "if book.copies < 'a':\n        return ''",
}
_MYPY_TOOL = Tool(
    name="mypy (library)",
    needs=("mypy",),
    families={
        "": (
            Style(name="base", command=("mypy", "--cache-dir=/dev/null", "desk.py")),
            Style(
                name="strict",
                command=("mypy", "--cache-dir=/dev/null", "--show-column-numbers", "--show-error-end", "."),
            ),
            Style(
                name="pretty", command=("mypy", "--cache-dir=/dev/null", "--pretty", "desk.py"), env={"COLUMNS": "200"}
            ),
            Style(
                name="context",
                command=("mypy", "--cache-dir=/dev/null", "--show-error-context", "--no-error-summary", "desk.py"),
            ),
            Style(
                name="absolute",
                command=("mypy", "--cache-dir=/dev/null", "--show-absolute-path", "--color-output", "desk.py"),
                env={"MYPY_FORCE_COLOR": "1", "TERM": "xterm"},
            ),
            Style(name="links", command=("mypy", "--cache-dir=/dev/null", "--show-error-code-links", "desk.py")),
            Style(
                name="narrow", command=("mypy", "--cache-dir=/dev/null", "--pretty", "desk.py"), env={"COLUMNS": "60"}
            ),
        )
    },
    failing=tuple(
        Failing(name=n, files={"desk.py": _PY_TYPED.replace("%FAULT%", f)}, test="desk.py")
        for n, f in _TYPE_FAULTS.items()
    ),
    beside={"other.py": "def other() -> int:\n    return 1\n"},
    surroundings=True,
)
_PYRIGHT_TOOL = Tool(
    name="pyright (library)",
    needs=("pyright",),
    families={
        "": (
            Style(name="base", command=("pyright", "desk.py")),
            Style(name="all", command=("pyright",)),
            Style(name="level", command=("pyright", "--level", "error", "--stats", "desk.py")),
        )
    },
    failing=_MYPY_TOOL.failing,
    beside=_MYPY_TOOL.beside,
    surroundings=True,
)
_RUFF_FAULTS = {
    "import": "import os",
    "import from": "from typing import List, Dict",
    "name": "return titel",
    "assigned": "unused = book.copies",
    "comparison": "if book.copies == None:\n        return ''",
    "except": "try:\n        pass\n    except:\n        pass",
    "default": "def inner(x=[]):\n        return x",
    "f string": "print(f'none')",
    "loop": "for i in range(3):\n        fns = lambda: i",
    "format": "print('%s %s' % (book,))",
    "star": "from os import *",
    "redefined": "def a(): pass\n    def a(): pass",
    "assert": "assert (book, 'x')",
    "long": f"x = '{'y' * 120}'",
    "syntax": "if book\n        pass",
    "two": "import sys; l = 3",
    "complex": "return [x for x in [y for y in [book]]] == True",
}
_RUFF_TOOL = Tool(
    name="ruff (library)",
    needs=("ruff",),
    families={
        "": (
            Style(name="base", command=("ruff", "check", "--no-cache")),
            Style(name="concise", command=("ruff", "check", "--no-cache", "--output-format=concise")),
            Style(name="grouped", command=("ruff", "check", "--no-cache", "--output-format=grouped")),
            Style(name="github", command=("ruff", "check", "--no-cache", "--output-format=github")),
            Style(name="pylint", command=("ruff", "check", "--no-cache", "--output-format=pylint")),
            Style(
                name="colour",
                command=("ruff", "check", "--no-cache", "--show-files", "--preview"),
                env={"FORCE_COLOR": "1"},
            ),
            Style(name="quiet", command=("ruff", "check", "--no-cache", "-q", "desk.py"), env={"CLICOLOR_FORCE": "1"}),
            Style(name="json", command=("ruff", "check", "--no-cache", "--output-format=json-lines")),
            Style(name="statistics", command=("ruff", "check", "--no-cache", "-v", "desk.py")),
        )
    },
    failing=tuple(
        Failing(name=n, files={"desk.py": _PY_TYPED.replace("%FAULT%", f)}, test="desk.py")
        for n, f in _RUFF_FAULTS.items()
    ),
    beside=_MYPY_TOOL.beside,
    shared={"ruff.toml": 'line-length = 100\n[lint]\nselect = ["E", "F", "B", "UP006", "C4"]\n'},
    surroundings=True,
)
_TS = 'import { readFileSync } from "node:fs";\n%PAD%\ninterface Book { title: string; copies?: number; kind: "novel" | "atlas" }\ntype Row<T> = { [K in keyof T]: T[K][] };\nabstract class Desk { abstract lend(book: Book): number; }\nfunction find(books: Book[], title: string): Book | undefined { return books.find((b) => b.title === title); }\nexport function use(book: Book): number {\n  %FAULT%\n  return book.copies ?? 0;\n}\nexport const read = (path: string) => readFileSync(path, "utf8");\n'
_TS_FAULTS = {
    "optional": "return book.copies + 1;",
    "undefined": "return find([book], 'x').title.length;",
    "literal": "const b: Book = { title: 'a', kind: 'map' };",
    "excess": "const b: Book = { title: 'a', kind: 'atlas', pages: 3 };",
    "missing property": "const rows: Row<Book> = { title: ['a'], copies: [1] };",
    "abstract": "class Small extends Desk {}",
    "override": "class Small extends Desk { lend(book: string): number { return 1; } }",
    "any": "const f = (x) => x; f(1);",
    "overload": "[1, 2].reduce((a, b) => a + b, { n: 1 });",
    "name": "return titel;",
    "module": "const x = require('./nothing'); type Y = import('./nothing').Y;",
    "call": "use(book, 3); use();",
    "unreachable type": "const n: never = book;",
    "promise": "const p: Promise<number> = book.title;",
    "const": "const c = 1; c = 2;",
    "syntax": "const a = { b: ;",
    "two": "const s: string = 3; book.pages;",
    "generic": "const m = new Map<string, number>(); m.set(1, 'a');",
    "narrow": "if (book.kind === 'comic') return 1;",
}
_TSC = ("tsc", "-p", ".")
_TSC_TOOL = Tool(
    name="tsc (library)",
    needs=("tsc",),
    families={
        "": (
            Style(name="base", command=_TSC),
            Style(name="pretty", command=(*_TSC, "--pretty")),
            Style(name="incremental", command=(*_TSC, "--pretty", "false", "--incremental", "false")),
            Style(name="listed", command=("tsc", "-p", ".", "--listFiles", "--diagnostics")),
            Style(
                name="whole",
                command=(*_TSC, "--noErrorTruncation", "--pretty"),
                env={"COLUMNS": "50"},
            ),
        )
    },
    failing=tuple(
        Failing(name=n, files={"desk.ts": _TS.replace("%FAULT%", f)}, test="desk.ts") for n, f in _TS_FAULTS.items()
    ),
    comment="//",
    beside={"other.ts": "export const other = 1;\n"},
    shared={
        "node.d.ts": 'declare module "node:fs" { export function readFileSync(path: string, encoding: string): string; }\ndeclare function require(name: string): unknown;\n',
        "tsconfig.json": '{"compilerOptions": {"noEmit": true, "strict": true, "target": "es2022", "module": "nodenext", "types": []}, "include": ["*.ts"]}\n',
        "package.json": '{"name": "library"}',
    },
    surroundings=True,
)
_ES = "import { lend } from './loans.js';\n%PAD%\nexport function use(book) {\n  %FAULT%\n  return lend(book);\n}\n"
_ES_FAULTS = {
    "unused": "const pages = 3;",
    "unused argument": "book.each((page, n) => 1);",
    "undefined": "report(book);",
    "equality": "if (book.copies == 1) return null;",
    "console": "console.log(book);",
    "redeclared": "var a = 1; var a = 2;",
    "unreachable": "return 1; lend(book);",
    "fallthrough": "switch (book.kind) { case 1: lend(book); case 2: return 2; }",
    "empty": "try { lend(book); } catch (e) {}",
    "condition": "while (true) { if (book) break; }",
    "assign": "if (book.copies = 2) return 1;",
    "duplicate": "return { a: 1, a: 2 };",
    "regexp": "return /a  b/.test(book) || new RegExp('[');",
    "syntax": "const = 3;",
    "three": "let x = 1; debugger; if (x == 2) foo();",
    "prototype": "return book.hasOwnProperty('a');",
    "sparse": "return [1, , 2];",
    "self": "book = book;",
}
_ESLINT_TOOL = Tool(
    name="eslint (library)",
    needs=("eslint",),
    families={
        "": (
            Style(name="base", command=("eslint", ".")),
            Style(name="colour", command=("eslint", "--color", ".")),
            Style(name="quiet", command=("eslint", "--quiet", "desk.js")),
            Style(name="warnings", command=("eslint", "--max-warnings=0", ".")),
            Style(name="json", command=("eslint", "-f", "json", ".")),
            Style(name="stats", command=("eslint", "--stats", "--no-inline-config", "desk.js", "loans.js")),
        )
    },
    failing=tuple(
        Failing(name=n, files={"desk.js": _ES.replace("%FAULT%", f)}, test="desk.js") for n, f in _ES_FAULTS.items()
    ),
    comment="//",
    beside={"other.js": "export const other = 1;\n"},
    shared={
        "loans.js": "export const lend = (book) => book.title;\n",
        "eslint.config.mjs": "export default [{ languageOptions: { ecmaVersion: 2022, sourceType: 'module' }, rules: Object.fromEntries(['no-unused-vars', 'no-undef', 'eqeqeq', 'no-console', 'no-redeclare', 'no-unreachable', 'no-fallthrough', 'no-empty', 'no-constant-condition', 'no-cond-assign', 'no-dupe-keys', 'no-regex-spaces', 'no-invalid-regexp', 'no-debugger', 'no-prototype-builtins', 'no-sparse-arrays', 'no-self-assign'].map((r) => [r, 'error'])) }];\n",
        "package.json": '{"name": "library", "type": "module"}',
    },
    surroundings=True,
)
_J_LOANS = 'package lib;\n%PAD%\npublic class Loan {\n  public static class Overdue extends RuntimeException {\n    public Overdue(String t, Throwable c) { super(t + " is overdue", c); }\n  }\n  public static int lend(String title, int days) {\n    if (days > 30) throw new Overdue(title, days > 60 ? new IllegalStateException("very late") : null);\n    return days;\n  }\n  public static int first(int[] a) { return a[a.length]; }\n}\n'
_J_BODIES = {
    "equals": 'assertEquals(15, Loan.lend("Momo", 14));',
    "equals other": 'assertEquals("a b  c", "a b c");',
    "cause": 'Loan.lend("Momo", 70);',
    "late": 'Loan.lend("Momo", 40);',
    "index": "Loan.first(new int[] {1, 2});",
    "null": "String s = null; s.trim();",
    "lambda": 'java.util.stream.Stream.of(1, 50).map(n -> Loan.lend("s", n)).forEach(n -> {});',
    "thread": 'java.util.concurrent.CompletableFuture.supplyAsync(() -> Loan.lend("f", 99)).get();',
    "lines": 'throw new IllegalStateException("first line\\n  at the desk\\nlast line");',
    "error": 'throw new AssertionError("plain");',
    "checked": 'throw new java.io.IOException("disk: /var/lib/x");',
    "suppressed": 'Exception e = new Exception("main"); e.addSuppressed(new RuntimeException("close")); throw e;',
    "number": 'Integer.parseInt("9x");',
    "map": 'java.util.Map.of("a", 1).put("b", 2);',
    "printed": 'System.out.println("FAILURES!!!\\nTests run: 3,  Failures: 1"); System.err.println("java.lang.Error: no\\n\\tat x.Y.z(Y.java:3)"); fail("after print");',
}


def _j(name: str, imports: str, body: str, *, head: str = "", test: str = "lends", shown: str = "public ") -> Failing:
    text = f"package lib;\n{imports}\n%PAD%\npublic class DeskTest {{\n%MORE%\n{head}  @Test\n  {shown}void lends() throws Exception {{\n    int n = 1;\n    {body}\n  }}\n}}\n"
    return Failing(name=name, files={"lib/DeskTest.java": text}, test=test)


_J_BUILD = "javac -nowarn -d out -cp {path} lib/*.java && java -cp out:{path} {run}"
_J4_MORE = 'assertThat("Momo", org.hamcrest.CoreMatchers.containsString("Jim"));'
_JUNIT4_TOOL = replace(
    scripts._JUNIT4_TOOL,
    name="JUnit 4 (library)",
    families={
        "": (
            Style(
                name="base",
                command=(
                    "sh",
                    "-c",
                    _J_BUILD.format(path=scripts._PATH4, run="org.junit.runner.JUnitCore lib.DeskTest"),
                ),
            ),
            Style(
                name="two classes",
                command=(
                    "sh",
                    "-c",
                    _J_BUILD.format(path=scripts._PATH4, run="org.junit.runner.JUnitCore lib.Opens lib.DeskTest"),
                ),
            ),
            Style(
                name="german",
                command=(
                    "sh",
                    "-c",
                    _J_BUILD.format(
                        path=scripts._PATH4,
                        run="-Duser.language=de -Dfile.encoding=UTF-8 org.junit.runner.JUnitCore lib.DeskTest lib.Opens",
                    ),
                ),
            ),
        )
    },
    failing=(
        *(_j(n, scripts._I4, b) for n, b in _J_BODIES.items()),
        _j("hamcrest", scripts._I4, _J4_MORE),
        _j("same", scripts._I4, 'assertSame(new String("a"), "a");'),
        _j("arrays", scripts._I4, 'assertArrayEquals("rows", new int[][] {{1}, {2}}, new int[][] {{1}, {3}});'),
        _j(
            "expected",
            scripts._I4,
            "",
            head='  @Test(expected = IllegalStateException.class) public void late() { Loan.lend("e", 1); }\n',
            test="late",
        ),
        _j(
            "expected other",
            scripts._I4,
            "",
            head='  @Test(expected = IllegalStateException.class) public void late() { Loan.lend("e", 31); }\n',
            test="late",
        ),
        _j(
            "timeout",
            scripts._I4,
            "",
            head="  @Test(timeout = 50) public void late() throws Exception { Thread.sleep(5000); }\n",
            test="late",
        ),
        _j(
            "before class",
            scripts._I4,
            "",
            head='  @BeforeClass public static void up() { Loan.lend("up", 45); }\n',
            test="class",
        ),
        _j(
            "after class",
            scripts._I4,
            "",
            head='  @AfterClass public static void down() { throw new Error("left open"); }\n',
            test="class",
        ),
        _j("tear down", scripts._I4, "fail();", head='  @After public void down() { throw new Error("left open"); }\n'),
        Failing(
            name="parameters",
            files={
                "lib/DeskTest.java": 'package lib;\nimport static org.junit.Assert.*;\nimport org.junit.*;\nimport org.junit.runner.RunWith;\nimport org.junit.runners.Parameterized;\n%PAD%\n@RunWith(Parameterized.class)\npublic class DeskTest {\n  @Parameterized.Parameters(name = "{index}: {0} days")\n  public static Object[] data() { return new Object[] {1, 2, 50}; }\n  @Parameterized.Parameter public int days;\n  @Test public void lends() { assertTrue(Loan.lend("p", days) < 2); }\n}\n'
            },
            test="parameters",
        ),
        _j(
            "rule",
            scripts._I4,
            "",
            head='  @Rule public org.junit.rules.ErrorCollector all = new org.junit.rules.ErrorCollector();\n  @Test public void collects() { all.addError(new Throwable("one")); all.addError(new Throwable("two")); }\n',
            test="rule",
        ),
        _j("build: symbol", scripts._I4, "Loan.renew(n);", test="build"),
        _j("build: types", scripts._I4, 'int x = Loan.lend(3, "a");', test="build"),
        _j("build: unreported", scripts._I4, "Runnable r = () -> Thread.sleep(1);", test="build"),
        _j("build: missing", scripts._I4, "int x = 3", test="build"),
        _j("build: two", scripts._I4, "nothing(); String s = 3;", test="build"),
        _j("build: abstract", scripts._I4, "Comparable<String> c = new Comparable<>() {};", test="build"),
        _j("build: generic", scripts._I4, "java.util.List<String> l = java.util.List.of(1, 2);", test="build"),
    ),
    more='  @Test\n  public void beside() { System.out.println("fine"); }\n  @Ignore @Test public void later() { fail(); }\n',
    shared={
        "lib/Loan.java": _J_LOANS,
        "lib/Opens.java": "package lib;\npublic class Opens {\n  @org.junit.Test public void opens() {}\n}\n",
    },
    surroundings=True,
)
_J5_HEADS = (
    ("all", 'assertAll("loan", () -> assertEquals(1, 2), () -> Loan.lend("a", 41));', "", "lends"),
    ("throws", 'assertThrows(IllegalStateException.class, () -> Loan.lend("t", 42));', "", "lends"),
    ("lines match", 'assertLinesMatch(java.util.List.of("a"), java.util.List.of("b"));', "", "lends"),
    ("iterable", "assertIterableEquals(java.util.List.of(1, 2), java.util.List.of(1, 3));", "", "lends"),
    ("supplied", 'assertTrue(n > 3, () -> "n is " + n);', "", "lends"),
    ("preempted", "assertTimeoutPreemptively(java.time.Duration.ofMillis(20), () -> Thread.sleep(900));", "", "lends"),
    (
        "csv",
        "",
        '  @ParameterizedTest(name = "{0} for {1} days") @CsvSource({"Momo, 3", "Jim, 33", "\'a, b\', 44"}) void csv(String t, int d) { Loan.lend(t, d); }\n',
        "csv",
    ),
    (
        "methods",
        "",
        '  static java.util.stream.Stream<Arguments> rows() { return java.util.stream.Stream.of(Arguments.of("x", 1), Arguments.of("y", 2)); }\n  @ParameterizedTest @MethodSource("rows") void rows(String t, int d) { assertEquals(1, d); }\n',
        "rows",
    ),
    (
        "repeated",
        "",
        "  @RepeatedTest(3) void again(RepetitionInfo i) { assertNotEquals(2, i.getCurrentRepetition()); }\n",
        "again",
    ),
    (
        "dynamic",
        "",
        '  @TestFactory java.util.List<DynamicTest> made() { return java.util.List.of(DynamicTest.dynamicTest("first", () -> {}), DynamicTest.dynamicTest("second [x]", () -> fail("made"))); }\n',
        "made",
    ),
    (
        "nested",
        "",
        '  @Nested @DisplayName("when: open") class Open { @Nested class Late { @Test @DisplayName("lends → a book") void lends() { Loan.lend("n", 46); } } }\n',
        "nested",
    ),
    ("named", "", '  @Test @DisplayName("lends (a) book: 1") void named() { assertEquals("a", "b"); }\n', "named"),
    ("before all", "", '  @BeforeAll static void up() { Loan.lend("up", 45); }\n', "class"),
    ("tear down", "", '  @AfterEach void down() { throw new IllegalStateException("left open"); }\n', "lends"),
    ("extension", "", "  @Test void injected(String wrong) {}\n", "injected"),
)
_J5_FAILING = tuple(_j(n, scripts._I5, b, shown="") for n, b in _J_BODIES.items()) + tuple(
    _j(n, scripts._I5, b, head=h, test=t, shown="") for n, b, h, t in _J5_HEADS
)


def _j5(name: str, *options: str) -> Style:
    run = " ".join(("org.junit.platform.console.ConsoleLauncher", "--scan-class-path", "out", *options))
    return Style(name=name, command=("sh", "-c", _J_BUILD.format(path=scripts._PATH5, run=run)))


_JUNIT5_TOOL = replace(
    scripts._JUNIT5_TOOL,
    name="JUnit 5 (library)",
    families={
        "": (
            _j5("base", "--disable-banner", "--disable-ansi-colors"),
            _j5("verbose", "--details=verbose", "--disable-ansi-colors"),
            _j5("summary", "--details=summary"),
            _j5("flat", "--details=flat", "--disable-ansi-colors"),
        )
    },
    failing=_J5_FAILING,
    more='  @Test\n  void beside() { System.out.println("fine"); }\n  @Disabled @Test void later() { fail(); }\n',
    shared={"lib/Loan.java": _J_LOANS},
    surroundings=True,
)
_POM = '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>lib</groupId><artifactId>lib</artifactId><version>1</version>\n<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>\n<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version><scope>test</scope></dependency></dependencies>\n<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin></plugins></build></project>\n'


def _mvn(failing: Failing) -> Failing:
    return replace(failing, files={f"src/test/java/{n}": t for n, t in failing.files.items()})


_MVN = ("mvn", "-o", "test")
_J5_BUILDS = (
    _j("build: symbol", scripts._I5, "Loan.renew(n);", test="build"),
    _j("build: types", scripts._I5, 'int x = Loan.lend(3, "a");', test="build"),
    _j("build: missing", scripts._I5, "int x = 3", test="build"),
    _j("build: two", scripts._I5, "nothing(); String s = 3;", test="build"),
)
_MAVEN_TOOL = Tool(
    name="Maven (library)",
    needs=("mvn", "javac"),
    families={
        "": (
            Style(name="base", command=(*_MVN, "-B")),
            Style(name="quiet", command=(*_MVN, "-q", "-Dstyle.color=always")),
            Style(name="trimmed", command=(*_MVN, "-B", "-DtrimStackTrace=true", "-Dsurefire.runOrder=random")),
            Style(name="no summary", command=(*_MVN, "-B", "-ntp", "-e", "-Dsurefire.reportFormat=plain")),
            Style(name="rerun", command=(*_MVN, "-B", "-fae", "-Dsurefire.rerunFailingTestsCount=1")),
        )
    },
    failing=tuple(map(_mvn, (*_J5_FAILING, *_J5_BUILDS))),
    comment="//",
    more=_JUNIT5_TOOL.more,
    beside={
        "src/test/java/lib/OpensTest.java": "package lib;\nclass OpensTest {\n  @org.junit.jupiter.api.Test void opens() {}\n}\n"
    },
    shared={"src/main/java/lib/Loan.java": _J_LOANS, "pom.xml": _POM},
    surroundings=True,
)
_FULL = "apply plugin: 'java'\ndependencies { testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar') }\ntest { testLogging { exceptionFormat = 'full' } }\n"
_GRADLE = ("gradle", "--offline", "--no-daemon", "test")
_GRADLE_TOOL = Tool(
    name="Gradle (library)",
    needs=("gradle", "javac"),
    families={
        "": (
            Style(name="base", command=_GRADLE),
            Style(name="continued", command=(*_GRADLE, "--continue", "--console=plain", "--stacktrace")),
        )
    },
    failing=tuple(
        _mvn(f)
        for f in _JUNIT4_TOOL.failing
        if f.name
        in {
            "equals",
            "equals other",
            "cause",
            "late",
            "lambda",
            "null",
            "hamcrest",
            "parameters",
            "before class",
            "after",
            "build: symbol",
            "build: two",
            "timeout",
        }
    ),
    comment="//",
    more=_JUNIT4_TOOL.more,
    shared={"src/main/java/lib/Loan.java": _J_LOANS, "build.gradle": _FULL},
    surroundings=True,
)
_JAVAC_TOOL = Tool(
    name="javac (library)",
    needs=("javac",),
    families={
        "": (
            Style(name="base", command=("sh", "-c", f"javac -d out -cp {scripts._PATH4} lib/*.java")),
            Style(name="lint", command=("sh", "-c", f"javac -Xlint:all -d out -cp {scripts._PATH4} lib/*.java")),
            Style(
                name="absolute", command=("sh", "-c", f'javac -nowarn -d out -cp {scripts._PATH4} "$PWD"/lib/*.java')
            ),
        )
    },
    failing=tuple(f for f in _JUNIT4_TOOL.failing if f.name.startswith("build"))
    + tuple(
        _j(f"build: {n}", scripts._I4, b, test="build")
        for n, b in {
            "final": "final int x = 1; x = 2;",
            "unreachable": "return; int y = 1;",
            "sealed switch": 'Object o = 1; String s = switch (o.hashCode()) { case 1 -> "a"; };',
            "uninitialised": "int y; System.out.println(y);",
            "cast": 'Integer i = (Integer) "a";',
            "duplicate": "int n = 2;",
            "package": "new nothing.here.Desk();",
            "no constructor": 'new Loan("a", 1);',
            "quote": 'String s = "open;',
        }.items()
    ),
    comment="//",
    more=_JUNIT4_TOOL.more,
    shared={"lib/Loan.java": _J_LOANS},
    surroundings=True,
)
_RB_LOANS = '# loans\n%PAD%\nmodule Library\n  class Overdue < StandardError\n    def initialize(title, days) = super("#{title} is #{days} days overdue")\n  end\n\n  Book = Struct.new(:title, :copies, keyword_init: true)\n\n  def self.lend(book, days = 14)\n    raise Overdue.new(book.title, days) if days > 30\n    { title: book.title, days: days }\n  end\n\n  def self.find(books, title)\n    books.to_h { |b| [b.title, b] }.fetch(title)\n  rescue KeyError\n    raise ArgumentError, "no such book: #{title}"\n  end\nend\n'
_RB_BODIES = {
    "late": "Library.lend(book, 44)",
    "cause": "Library.find([book], 'Jim')",
    "no method": "book.pages.first",
    "lines": 'raise "wanted:\\n  1\\n\\ngot:\\n  2"',
    "no message": "raise ArgumentError",
    "printed": "warn 'Failures:'; puts '  1) Other test'; puts '     Failure/Error: no'; raise IOError, 'after print'",
    "exit": "Integer('0b2')",
    "block": "[1, 50].each { |n| Library.lend(book, n) }",
    "frozen": "book.title.freeze.upcase!",
}
_RSPEC = {
    **_RB_BODIES,
    "eq hash": "expect(Library.lend(book)).to eq(title: 'Momo', days: 15)",
    "long": "expect('x' * 300 + 'a').to eq('x' * 300 + 'b')",
    "many lines": 'expect((1..20).to_a.join("\\n")).to eq((2..21).to_a.join("\\n"))',
    "match array": "expect([1, 2]).to match_array([2, 3])",
    "predicate": "expect('').not_to be_empty",
    "within": "expect(0.3).to be_within(0.001).of(0.31)",
    "raise": "expect { Library.lend(book) }.to raise_error(Library::Overdue)",
    "double": "d = double('desk'); d.lend(3)",
    "received": "d = spy('desk'); d.lend(3); expect(d).to have_received(:lend).with(4)",
    "allow": "allow(Library).to receive(:lend).and_raise(IOError, 'closed'); Library.lend(book)",
    "aggregate": "aggregate_failures('loan') { expect(1).to eq(2); expect(book.copies).to be_nil; Library.lend(book, 51) }",
    "yields": "expect { |b| [].each(&b) }.to yield_control",
    "described": "expect(book).to have_attributes(title: a_string_starting_with('J'), copies: (be > 3))",
    "custom message": 'expect(book.copies).to eq(9), lambda { "copies: \\n#{book.copies}" }',
}
_RSPEC_WHOLE = {
    "shared": "  shared_examples 'a lender' do |days|\n    it \"lends for #{days}\" do\n      expect(Library.lend(Library::Book.new(title: 's'), days)[:days]).to eq(days + 1)\n    end\n  end\n  it_behaves_like 'a lender', 3\n  context('when late') { it_behaves_like 'a lender', 40 }\n",
    "let": "  let(:book) { Library.find([], 'let') }\n  it('lends') { expect(book.title).to eq('a') }\n",
    "subject": "  subject { Library.lend(Library::Book.new(title: 'q'), 3) }\n  it { is_expected.to include(days: 4) }\n",
    "before all": "  before(:all) { Library.find([], 'all') }\n  it('lends') { }\n",
    "after": "  after { raise 'left open' }\n  it('lends') { expect(1).to eq(2) }\n",
    "around": "  around { |ex| ex.run; Library.lend(Library::Book.new(title: 'r'), 52) }\n  it('lends') { }\n",
    "fixed": "  it('lends') { pending('later'); expect(1).to eq(1) }\n",
    "same names": "  context('a') { it('lends') { expect(1).to eq(2) } }\n  context('b') { it('lends') { expect(1).to eq(2) } }\n",
    "no description": "  specify { expect(Library::Book.new(title: 'z').copies).to eq(1) }\n",
    "odd names": "  it('GET /a?b=[1] \"x\" # 3) (ok): it\\'s') { raise 'odd name' }\n",
}
_RSPEC_TOOL = replace(
    scripts._RSPEC_TOOL,
    name="RSpec (library)",
    families={
        "": (
            Style(name="base", command=("rspec", "--no-color")),
            Style(name="documentation", command=("rspec", "-fd", "--order", "random", "--force-color")),
            Style(name="backtrace", command=("rspec", "-b", "--deprecation-out", "/dev/null")),
            Style(name="profile", command=("rspec", "--profile", "--no-fail-fast", "-w", "--seed", "11")),
            Style(name="aggregated", command=("rspec", "-fp", "-fd"), env={"COLUMNS": "50"}),
        )
    },
    failing=(
        *(
            Failing(
                name=n,
                files={
                    "spec/desk_spec.rb": f"require_relative '../loans'\n%PAD%\nRSpec.describe Library do\n%MORE%\n  describe '#lend' do\n    context 'when open' do\n      it 'lends a book' do\n        book = Library::Book.new(title: 'Momo', copies: 1)\n        {b}\n      end\n    end\n  end\nend\n"
                },
                test="lends",
            )
            for n, b in _RSPEC.items()
        ),
        *(
            Failing(
                name=n,
                files={
                    "spec/desk_spec.rb": f"require_relative '../loans'\n%PAD%\nRSpec.describe Library do\n{'' if n in {'before all', 'after', 'around'} else '%MORE%'}\n{b}end\n"
                },
                test=n,
            )
            for n, b in _RSPEC_WHOLE.items()
        ),
    ),
    shared={"loans.rb": _RB_LOANS},
    surroundings=True,
)
_MINITEST = {
    **_RB_BODIES,
    "eq hash": "assert_equal({ title: 'Momo', days: 15 }, Library.lend(book))",
    "long": "assert_equal 'x' * 300 + 'a', 'x' * 300 + 'b'",
    "many lines": 'assert_equal (1..20).to_a.join("\\n"), (2..21).to_a.join("\\n")',
    "empty": "assert_empty [book.title]",
    "kind": "assert_kind_of Hash, book",
    "respond": "assert_respond_to book, :pages",
    "same": "assert_same 'a'.dup, 'a'.dup",
    "predicate": "assert_predicate book.title, :empty?, 'has a title'",
    "output": "assert_output(\"a\\n\") { puts 'b' }",
    "raises": "assert_raises(Library::Overdue) { Library.lend(book) }",
    "raises other": "assert_raises(Library::Overdue) { Library.find([], 'x') }",
    "mock": "m = Minitest::Mock.new; m.expect(:lend, 1, [3]); m.verify",
    "pass then": "assert_equal 1, 1\n    assert_nil book.title\n    flunk",
}
_MINITEST_TOOL = replace(
    scripts._MINITEST_TOOL,
    name="minitest (library)",
    families={
        "": (
            Style(name="base", command=("ruby", "desk_test.rb")),
            Style(name="verbose", command=("ruby", "desk_test.rb", "--verbose", "--seed", "3")),
            Style(name="warned", command=("ruby", "-W2", "desk_test.rb", "-n", "/lends|beside/")),
        )
    },
    failing=(
        *(
            Failing(
                name=n,
                files={
                    "desk_test.rb": f"require 'minitest/autorun'\nrequire 'minitest/mock'\nrequire_relative 'loans'\n%PAD%\nclass DeskTest < Minitest::Test\n%MORE%\n  def test_lends\n    book = Library::Book.new(title: 'Momo', copies: 1)\n    {b}\n  end\nend\n"
                },
                test="lends",
            )
            for n, b in _MINITEST.items()
        ),
        Failing(
            name="spec",
            files={
                "desk_test.rb": "require 'minitest/autorun'\nrequire_relative 'loans'\n%PAD%\ndescribe 'desk' do\n  describe 'when open' do\n    it 'lends: \"a\" book' do\n      _(Library.lend(Library::Book.new(title: 'q'))[:days]).must_equal 15\n    end\n  end\nend\n"
            },
            test="spec",
        ),
        Failing(
            name="tear down",
            files={
                "desk_test.rb": "require 'minitest/autorun'\nrequire_relative 'loans'\n%PAD%\nclass DeskTest < Minitest::Test\n  def teardown = raise('left open')\n  def test_lends = assert_equal(1, 2)\nend\n"
            },
            test="lends",
        ),
    ),
    shared={"loans.rb": _RB_LOANS},
    surroundings=True,
)
_PHP_BODIES = {
    "same": "$this->assertSame(['title' => 'Momo', 'days' => 15], lend('Momo'));",
    "text": '$this->assertSame("a\\nb\\nc\\n", "a\\nx\\nc\\n");',
    "long": "$this->assertEquals(str_repeat('x', 200) . 'a', str_repeat('x', 200) . 'b');",
    "late": "lend('Momo', 44);",
    "previous": "find('Jim');",
    "type": "lend([], 'a');",
    "null": "$x = null; $x->title;  $x->lend();",
    "undefined": "lent('x');",
    "index": "$a = [1]; $this->assertNull($a[3]);",
    "division": "$n = 0; echo 1 % $n;",
    "that": "$this->assertThat('Momo', $this->logicalAnd($this->stringContains('o'), $this->stringStartsWith('J')));",
    "array key": "$this->assertArrayHasKey('pages', lend('Momo'), 'no pages');",
    "object": "$this->assertEquals(new ArrayObject([1]), new ArrayObject([2]));",
    "mock": "$m = $this->createMock(Countable::class); $m->expects($this->exactly(2))->method('count'); $m->count();",
    "mock with": "$m = $this->getMockBuilder(ArrayAccess::class)->getMock(); $m->expects($this->once())->method('offsetGet')->with('a'); $m->offsetGet('b');",
    "file": "$this->assertFileExists('/no/such/file.txt');",
    "no exception": "$this->expectException(Overdue::class); lend('Momo');",
    "code": "$this->expectExceptionCode(7); lend('Momo', 55);",
    "printed": "echo \"There was 1 failure:\\n\\n1) Other::test\\n\"; $this->fail('after print');",
    "error": "throw new Error('plain error');",
    "warning": "file_get_contents('/no/such/file.txt');",
    "user": "trigger_error('old desk', E_USER_DEPRECATED);",
}
_PHP_WHOLE = {
    "provider": "    public static function rows(): iterable { yield 'one book' => [1, 1]; yield 'two \"books\"' => [2, 3]; yield [4, 5]; yield '#3 a/b' => [6, 7]; }\n    /** @dataProvider rows */\n    public function testRows(int $a, int $b): void { $this->assertSame($a, $b); }\n",
    "provider fails": "    public static function rows(): array { throw new RuntimeException('no rows'); }\n    /** @dataProvider rows */\n    public function testRows(int $a): void {}\n",
    "before class": "    public static function setUpBeforeClass(): void { lend('up', 45); }\n    public function testLends(): void { $this->assertTrue(true); }\n",
    "tear down": "    protected function tearDown(): void { throw new LogicException('left open'); }\n    public function testLends(): void { $this->assertTrue(true); }\n",
    "depends": "    public function testFirst(): void { $this->assertSame(1, 2); }\n    /** @depends testFirst */\n    public function testSecond(): void {}\n",
    "risky": "    public function testLends(): void { $this->assertCount(2, [1]); }\n    public function testNothing(): void {}\n",
}
_PHP_TOOL = replace(
    scripts._PHP_TOOL,
    name="PHPUnit (library)",
    families={
        "": (
            Style(name="base", command=("phpunit", "--do-not-cache-result", ".")),
            Style(name="verbose", command=("phpunit", "--do-not-cache-result", "-v", "--colors=always", ".")),
            Style(
                name="random", command=("phpunit", "--do-not-cache-result", "--order-by=random", "--columns=40", ".")
            ),
            Style(
                name="isolated",
                command=(
                    "phpunit",
                    "--do-not-cache-result",
                    "--reverse-list",
                    "--no-interaction",
                    "--disallow-test-output=0",
                    ".",
                ),
            ),
        ),
        "--testdox": (
            Style(name="base", command=("phpunit", "--do-not-cache-result", "--testdox", ".")),
            Style(
                name="colour",
                command=("phpunit", "--do-not-cache-result", "--testdox", "--colors=always", "--verbose", "."),
            ),
        ),
    },
    failing=(
        *(
            Failing(
                name=n,
                files={
                    "DeskTest.php": f"<?php\nuse PHPUnit\\Framework\\TestCase;\nrequire_once __DIR__ . '/loans.php';\n%PAD%\nfinal class DeskTest extends TestCase\n{{\n%MORE%\n    public function testLends(): void\n    {{\n        $n = 1;\n        {b}\n    }}\n}}\n"
                },
                test="lends",
            )
            for n, b in _PHP_BODIES.items()
        ),
        *(
            Failing(
                name=n,
                files={
                    "DeskTest.php": f"<?php\nuse PHPUnit\\Framework\\TestCase;\nrequire_once __DIR__ . '/loans.php';\n%PAD%\nfinal class DeskTest extends TestCase\n{{\n{'' if n in {'tear down', 'before class'} else '%MORE%'}\n{b}}}\n"
                },
                test=n,
            )
            for n, b in _PHP_WHOLE.items()
        ),
    ),
    shared={
        "loans.php": "<?php\n%PAD%\nclass Overdue extends RuntimeException {}\nfunction lend(string $title, int $days = 14): array\n{\n    if ($days > 30) {\n        throw new Overdue(\"$title is overdue\", 3);\n    }\n    return ['title' => $title, 'days' => $days];\n}\nfunction find(string $title): void\n{\n    try {\n        lend($title, 99);\n    } catch (Overdue $e) {\n        throw new LogicException('no such book', 0, $e);\n    }\n}\n"
    },
    surroundings=True,
)
_BATS_TOOL = replace(
    scripts._BATS_TOOL,
    name="bats (library)",
    failing=(
        *(
            Failing(
                name=n,
                files={
                    "test/desk.bats": f'#!/usr/bin/env bats\n%PAD%\nload helper\n\n%MORE%\n@test "lends: a \\"book\\" (1)" {{\n  title=Momo\n  {b}\n}}\n'
                },
                test="lends",
            )
            for n, b in {
                "equal": '[ "$(lend 3)" = "lent 4" ]',
                "equal other": '[[ "$(lend 3)" =~ ^taken ]]',
                "run": 'run lend 40\n  echo "$output"\n  [ "$status" -eq 0 ]',
                "lines": 'run lend 3\n  [ "${lines[0]}" = "x" ]',
                "helper": 'assert_same "a" "b c"',
                "not found": "renew 3",
                "pipe": "lend 3 | grep -q taken",
                "unset": 'set -u; echo "$nothing_here"',
                "negated": "run ! true",
                "file": "cat /no/such/file",
                "printed": 'echo "not ok 3 noise"; echo "# (in test file x.bats, line 3)"; false',
            }.items()
        ),
        Failing(
            name="set up",
            files={
                "test/desk.bats": '#!/usr/bin/env bats\n%PAD%\nload helper\n\nsetup() {\n  lend 41\n}\n\n@test "lends" {\n  true\n}\n'
            },
            test="set up",
        ),
        Failing(
            name="set up file",
            files={
                "test/desk.bats": '#!/usr/bin/env bats\n%PAD%\nload helper\n\nsetup_file() {\n  lend 42\n}\n\n@test "lends" {\n  true\n}\n'
            },
            test="set up file",
        ),
        Failing(
            name="tear down",
            files={
                "test/desk.bats": '#!/usr/bin/env bats\n%PAD%\nload helper\n\nteardown() {\n  lend 43\n}\n\n@test "lends" {\n  true\n}\n'
            },
            test="tear down",
        ),
    ),
    families={
        "": (
            Style(name="base", command=("bats", "--formatter", "tap", "test")),
            Style(name="pretty", command=("bats", "--formatter", "pretty", "test")),
            Style(name="timing", command=("bats", "-T", "--print-output-on-failure", "--formatter", "tap", "test")),
            Style(name="tap13", command=("bats", "--formatter", "tap13", "test/desk.bats")),
        )
    },
    shared={
        "test/helper.bash": 'lend() {\n  if [ "$1" -gt 30 ]; then\n    echo "overdue: $1" >&2\n    return 3\n  fi\n  echo "lent $1"\n}\n\nassert_same() {\n  if [ "$1" != "$2" ]; then\n    echo "expected: $1"\n    echo "actual:   $2"\n    return 1\n  fi\n}\n'
    },
    surroundings=True,
)

TOOLS = (
    *(_PYTEST_TOOL, _UNITTEST_TOOL, _JEST_TOOL, _VITEST_TOOL, _MOCHA_TOOL, _NODE_TOOL, _GO_TOOL, _CARGO_TOOL),
    *(_GTEST_TOOL, _GXX_TOOL, _CLANG_TOOL, _MYPY_TOOL, _PYRIGHT_TOOL, _RUFF_TOOL, _TSC_TOOL, _ESLINT_TOOL),
    *(_JUNIT4_TOOL, _JUNIT5_TOOL, _MAVEN_TOOL, _GRADLE_TOOL, _JAVAC_TOOL),
    *(_RSPEC_TOOL, _MINITEST_TOOL, _PHP_TOOL, _BATS_TOOL),
)
