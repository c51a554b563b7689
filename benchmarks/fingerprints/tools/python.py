"""How do Python's test runners fail?"""

# ruff: noqa: E501 - whole files of other languages stand on one line

from __future__ import annotations

from benchmarks.fingerprints.shape import Failing, Style, Tool

_SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": '''"""A cart."""
%PAD%

class CartError(Exception):
    pass


def total(prices, rate=0):
    if any(p < 0 for p in prices):
        raise CartError(f"negative price in {prices}")
    return sum(prices) + rate


def parse(text):
    try:
        return int(text)
    except ValueError as error:
        raise CartError("no number: " + text) from error


def both():
    raise ExceptionGroup("two", [ValueError("first"), KeyError("second")])


def deep(n):
    return deep(n + 1) + 1
''',
}
_HEAD = "import pytest\n%PAD%\nfrom shop import cart\n\n%MORE%\n"


def _pytest(name: str, body: str, *, head: str = _HEAD, test: str = "total", coarse: str = "", **files: str) -> Failing:
    more = {key.replace("__", "/") + ".py": text for key, text in files.items()}
    return Failing(name=name, files={"tests/test_cart.py": head + body, **more}, test=test, coarse=coarse)


_LINES = "def test_total():\n    prices = [1, 2]\n"
_PYTEST = (
    _pytest("int", _LINES + "    assert cart.total(prices) == 4\n"),
    _pytest("int other line", _LINES + "    assert cart.total(prices, 1) == 5\n"),
    _pytest("int message", _LINES + "    assert cart.total(prices) == 4, 'the sum is wrong'\n"),
    _pytest(
        "dict", "def test_total():\n    assert {'a': 1, 'b': [1, 2], 'c': 'x'} == {'a': 1, 'b': [1, 3], 'd': 'x'}\n"
    ),
    _pytest("list", "def test_total():\n    assert [1, 2, 3] == [1, 2, 4]\n"),
    _pytest("str", "def test_total():\n    assert 'hello world' == 'hello there'\n"),
    _pytest("text", "def test_total():\n    assert 'a\\nb\\nc\\n' == 'a\\nB\\nc\\n'\n"),
    _pytest(
        "expression over lines",
        "def test_total():\n    assert cart.total(\n        [1, 2],\n    ) == len(\n        'abcd'\n    )\n",
    ),
    _pytest("raises in helper", "def test_total():\n    cart.total([-1])\n", coarse="total"),
    _pytest("helper above", "def check(x):\n    assert x == 5\n\n\ndef test_total():\n    check(cart.total([1]))\n"),
    _pytest("from", "def test_total():\n    cart.parse('x')\n"),
    _pytest("while handling", "def test_total():\n    try:\n        {}['a']\n    except KeyError:\n        [][1]\n"),
    _pytest("group", "def test_total():\n    cart.both()\n"),
    _pytest("recursion", "def test_total():\n    cart.deep(0)\n"),
    _pytest("did not raise", "def test_total():\n    with pytest.raises(ValueError):\n        cart.total([1])\n"),
    _pytest(
        "raises other",
        "def test_total():\n    with pytest.raises(ValueError):\n        cart.total([-1])\n",
        coarse="total",
    ),
    _pytest(
        "match", "def test_total():\n    with pytest.raises(cart.CartError, match='zero'):\n        cart.total([-1])\n"
    ),
    _pytest("fail", "def test_total():\n    pytest.fail('not yet')\n"),
    _pytest("status 404", "def test_total():\n    status = 404\n    assert status == 200\n", coarse="status"),
    _pytest("status 500", "def test_total():\n    status = 500\n    assert status == 200\n", coarse="status"),
    _pytest("approx", "def test_total():\n    assert 0.1 + 0.3 == pytest.approx(0.3)\n"),
    _pytest("key", "def test_total():\n    assert {}['missing'] == 1\n"),
    _pytest("key empty message", "def test_total():\n    raise RuntimeError\n"),
    _pytest(
        "own class", "class Odd(Exception):\n    pass\n\n\ndef test_total():\n    raise Odd('it is\\nover two lines')\n"
    ),
    _pytest(
        "captured",
        "def test_total(capsys=None):\n    import logging, sys\n    print('start at', id(object()))\n    logging.getLogger('x').warning('slow: %d', id([]))\n    print('E   ValueError: noise', file=sys.stderr)\n    assert cart.total([2]) == 3\n",
    ),
    _pytest(
        "warning as error",
        "@pytest.mark.filterwarnings('error')\ndef test_total():\n    import warnings\n    warnings.warn('old', DeprecationWarning)\n",
    ),
    _pytest(
        "setup", "@pytest.fixture\ndef base():\n    raise OSError('no base')\n\n\ndef test_total(base):\n    pass\n"
    ),
    _pytest(
        "teardown",
        "@pytest.fixture\ndef base():\n    yield\n    raise OSError('no end')\n\n\ndef test_total(base):\n    pass\n",
    ),
    _pytest("no fixture", "def test_total(nothing_here):\n    pass\n"),
    _pytest(
        "conftest fixture",
        "def test_total(given):\n    pass\n",
        tests__conftest="import pytest\n\n\n@pytest.fixture\ndef given():\n    return {}['given']\n",
    ),
    _pytest(
        "class",
        "class TestCart:\n    class TestDeep:\n        def test_total(self):\n            assert cart.total([1]) == 2\n",
        test="class",
    ),
    _pytest(
        "parameters",
        "@pytest.mark.parametrize('a, b', [(1, 1), (2, 3), ('x - y', 'z]'), (4, 4)])\ndef test_total(a, b):\n    assert a == b\n",
        test="parameters",
    ),
    _pytest(
        "parameters other",
        "@pytest.mark.parametrize('a, b', [(1, 1), (2, 3), ('x - y', 'z]'), (4, 4)])\ndef test_total(a, b):\n    assert not a != b\n",
        test="parameters",
    ),
    _pytest(
        "long parameters",
        "@pytest.mark.parametrize('text', ['a' * 150 + ' ' + 'b' * 60])\ndef test_total(text):\n    assert len(text) == 3\n",
        test="long",
    ),
    _pytest("import", "", head="%PAD%import pytest\nimport not_there\n", test="module"),
    _pytest("import name", "", head="%PAD%from shop.cart import not_there\n", test="module"),
    _pytest("syntax", "def test_total(:\n    pass\n", test="module"),
    _pytest("indent", "def test_total():\n    x = 1\n      y = 2\n", test="module"),
    _pytest("at import", "VALUE = cart.total([-3])\n", test="module"),
    _pytest(
        "async",
        "@pytest.mark.asyncio\nasync def test_total():\n    import asyncio\n    await asyncio.sleep(0)\n    assert cart.total([7]) == 8\n",
    ),
    _pytest("timeout", "@pytest.mark.timeout(1)\ndef test_total():\n    import time\n    time.sleep(5)\n"),
    _pytest(
        "hypothesis",
        "from hypothesis import given, settings, strategies as st\n\n\n@settings(database=None)\n@given(st.integers())\ndef test_total(n):\n    assert n < 100\n",
    ),
    _pytest(
        "mock",
        "def test_total():\n    from unittest.mock import Mock\n    m = Mock()\n    m(1, b=2)\n    m.assert_called_once_with(1, b=3)\n",
    ),
    _pytest("exit", "def test_total():\n    import sys\n    sys.exit(3)\n"),
    _pytest("strict xfail", "@pytest.mark.xfail(strict=True, reason='known')\ndef test_total():\n    assert True\n"),
    _pytest(
        "unittest class",
        "import unittest\n\n\nclass CartTest(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual({'a': 1}, {'a': 2})\n",
        test="ut",
    ),
    _pytest(
        "subtests",
        "import unittest\n\n\nclass CartTest(unittest.TestCase):\n    def test_total(self):\n        for n in range(3):\n            with self.subTest(n=n):\n                self.assertEqual(n, 1)\n",
        test="ut",
    ),
    _pytest("two tests", "def test_total():\n    assert 1 == 2\n\n\ndef test_rate():\n    raise LookupError('rate')\n"),
    _pytest("doctest", '"""Doc.\n\n>>> 1 + 1\n3\n"""\n', head="%PAD%", test="doc"),
    _pytest("unicode", "def test_total():\n    assert 'naïve ✓ 日本' == 'naive ✓ 日本'\n"),
    _pytest("large", "def test_total():\n    assert list(range(300)) == list(range(299))\n"),
    _pytest("object", "class Thing:\n    pass\n\n\ndef test_total():\n    assert Thing() is Thing()\n"),
    _pytest("set", "def test_total():\n    assert {'a', 'b', 'c', 'd'} == {'a', 'x', 'y', 'd'}\n"),
    _pytest("tmp path", "def test_total(tmp_path):\n    (tmp_path / 'no' / 'file.txt').read_text()\n"),
    _pytest("exec", "def test_total():\n    exec(compile('1/0', '<made>', 'exec'))\n"),
    _pytest("library", "def test_total():\n    import json\n    json.loads('{bad')\n"),
)
_P = ("python", "-m", "pytest", "-p", "no:cacheprovider", "--doctest-modules")
_FEW = frozenset(
    {
        *("int", "int other line", "raises in helper", "from", "setup", "class", "parameters", "import", "syntax"),
        *("dict", "recursion", "key", "status 404", "fail"),
    }
)


def _p(name: str, *options: str, columns: str = "80", few: bool = False) -> Style:
    return Style(name=name, command=(*_P, *options), env={"COLUMNS": columns}, failing=_FEW if few else frozenset())


PYTEST = Tool(
    name="pytest",
    needs=("python", "pytest"),
    families={
        "": (
            _p("base", "-q"),
            _p("verbose_short", "-vv", "--tb=short", "-rA"),
            _p("native", "--tb=native", columns="140"),
            _p("xdist", "-n2", "--color=yes"),
            _p("narrow", columns="50"),
            _p("locals", "-l", "-q"),
            _p("full trace", "--full-trace", "-q"),
        ),
        "--tb=line": (_p("base", "--tb=line", "-q", few=True), _p("verbose", "--tb=line", "-v", few=True)),
        "--tb=no": (_p("base", "--tb=no", "-q", columns="200", few=True),),
        "--no-summary": (
            _p("base", "--no-summary", few=True),
            _p("short", "--no-summary", "-v", "--tb=short", few=True),
        ),
        "-rN": (_p("base", "-rN", "-v", few=True),),
    },
    failing=_PYTEST,
    more="def test_beside():\n    assert cart.total([1]) == 1\n\n\n",
    beside={"tests/test_a_more.py": "def test_more():\n    print('ERROR: nothing')\n"},
    shared={
        **_SHOP,
        "conftest.py": "",
        "pytest.ini": "[pytest]\npythonpath = .\nasyncio_mode = strict\nasyncio_default_fixture_loop_scope = function\n",
    },
)

_UHEAD = "import unittest\n%PAD%\nfrom shop import cart\n\n\nclass CartTest(unittest.TestCase):\n%MORE%"


def _unittest(name: str, body: str, *, test: str = "total", head: str = _UHEAD) -> Failing:
    return Failing(name=name, files={"test_cart.py": head + body}, test=test)


_DEF = "    def test_total(self):\n"
_UNITTEST = (
    _unittest("equal", _DEF + "        self.assertEqual(cart.total([1]), 2)\n"),
    _unittest("docstring", _DEF + '        """The total is right."""\n        self.assertEqual(cart.total([4]), 2)\n'),
    _unittest("message", _DEF + "        self.assertEqual(cart.total([1]), 2, 'sum')\n"),
    _unittest("dict", _DEF + "        self.assertEqual({'a': 1, 'b': 2}, {'a': 1, 'b': 3})\n"),
    _unittest("text", _DEF + "        self.assertEqual('a\\n\\nb\\nc\\n', 'a\\n\\nB\\nc\\n')\n"),
    _unittest("list", _DEF + "        self.assertListEqual([1, 2, 3], [1, 2])\n"),
    _unittest("true", _DEF + "        self.assertTrue(cart.total([]))\n"),
    _unittest("raises in helper", _DEF + "        cart.total([-1])\n"),
    _unittest("from", _DEF + "        cart.parse('x')\n"),
    _unittest("group", _DEF + "        cart.both()\n"),
    _unittest("recursion", _DEF + "        cart.deep(0)\n"),
    _unittest("did not raise", _DEF + "        with self.assertRaises(ValueError):\n            cart.total([])\n"),
    _unittest("bare", _DEF + "        raise RuntimeError\n"),
    _unittest("setup", "    def setUp(self):\n        raise OSError('no base')\n\n" + _DEF + "        pass\n"),
    _unittest(
        "setup class",
        "    @classmethod\n    def setUpClass(cls):\n        raise OSError('no base')\n\n" + _DEF + "        pass\n",
        test="class",
    ),
    _unittest("tear down", "    def tearDown(self):\n        raise OSError('no end')\n\n" + _DEF + "        pass\n"),
    _unittest(
        "subtests",
        _DEF
        + "        for n in range(3):\n            with self.subTest('part', n=n):\n                self.assertEqual(n, 1)\n",
    ),
    _unittest(
        "subtests other",
        _DEF
        + "        for n in range(3):\n            with self.subTest('part', n=n):\n                self.assertIs(n, 1)\n",
    ),
    _unittest("import", "", head="%PAD%import not_there\n", test="module"),
    _unittest("syntax", "    def test_total(self:\n        pass\n", test="module"),
    _unittest("unexpected success", "    @unittest.expectedFailure\n" + _DEF + "        pass\n"),
    _unittest(
        "async",
        "    pass\n\n\nclass Async(unittest.IsolatedAsyncioTestCase):\n    async def test_total(self):\n        self.assertIn(3, [1])\n",
        test="async",
    ),
    _unittest("printed", _DEF + "        print('ERROR: noise')\n        self.assertEqual(1, 3)\n"),
)
_UMORE = "    def test_beside(self):\n        self.assertEqual(1, 1)\n\n"
_U = ("python", "-m", "unittest")
_UNITTEST_TOOL = Tool(
    name="unittest",
    needs=("python",),
    families={
        "": (
            Style(name="base", command=_U),
            Style(name="verbose", command=(*_U, "-v")),
            Style(name="buffer", command=(*_U, "discover", "-b", "-s", ".")),
            Style(name="locals", command=(*_U, "--locals")),
        )
    },
    failing=_UNITTEST,
    more=_UMORE,
    beside={
        "test_a_more.py": "import unittest\n\n\nclass More(unittest.TestCase):\n    def test_more(self):\n        pass\n"
    },
    shared=_SHOP,
)
_NOSE_TOOL = Tool(
    name="nose2",
    needs=("python", "nose2"),
    families={"": (Style(name="base", command=("nose2",)), Style(name="verbose", command=("nose2", "-v")))},
    failing=tuple(f for f in _UNITTEST if f.name != "unexpected success"),
    more=_UMORE,
    shared=_SHOP,
)


def _doc(name: str, text: str, *, test: str = "mod.total") -> Failing:
    source = f'"""A module."""\n%PAD%\n\ndef total(xs):\n    """Adds.\n\n{text}    """\n    return sum(xs)\n%MORE%'
    return Failing(name=name, files={"mod.py": source}, test=test)


_DOCTEST_TOOL = Tool(
    name="doctest",
    needs=("python",),
    families={
        "": (
            Style(name="base", command=("python", "-m", "doctest", "mod.py")),
            Style(name="verbose", command=("python", "-m", "doctest", "-v", "mod.py")),
        )
    },
    failing=(
        _doc("value", "    >>> total([1, 2])\n    4\n"),
        _doc("other example", "    >>> total([1, 2, 3])\n    7\n"),
        _doc("raises", "    >>> total(None)\n    1\n"),
        _doc("raises other", "    >>> {}['a']\n    1\n"),
        _doc("lines", "    >>> print('a\\\\nb')\n    a\n    c\n"),
        _doc("name", "    >>> nothing()\n    1\n"),
        _doc("two", "    >>> total([1, 2])\n    4\n    >>> total([2, 2])\n    5\n"),
    ),
    more='\n\ndef beside():\n    """Fine.\n\n    >>> 1\n    1\n    """\n',
)


def _feature(name: str, step: str, code: str, *, test: str = "adds up") -> Failing:
    steps = "from behave import given, then, when\n%PAD%\n\n@given('a cart')\ndef _(context):\n    context.cart = [1, 2]\n\n\n"
    return Failing(
        name=name,
        files={
            "features/cart.feature": f"%PAD%Feature: cart\n\n%MORE%\n  Scenario: adds up\n    Given a cart\n    Then {step}\n",
            "features/steps/steps.py": f"{steps}@then('it adds up')\ndef _(context):\n    {code}\n",
        },
        test=test,
    )


_BEHAVE_TOOL = Tool(
    name="behave",
    needs=("behave",),
    families={
        "": (
            Style(name="base", command=("behave", "--no-color")),
            Style(name="verbose", command=("behave", "-f", "pretty", "--no-capture", "--no-color")),
        )
    },
    failing=(
        _feature("assert", "it adds up", "assert sum(context.cart) == 4, f'got {sum(context.cart)}'"),
        _feature("assert other", "it adds up", "assert len(context.cart) == 4, 'length'"),
        _feature("raises", "it adds up", "context.cart.nothing()"),
        _feature("raises other", "it adds up", "int('x')"),
        _feature("undefined", "it is not there", "pass"),
    ),
    more="  Scenario: fine\n    Given a cart\n",
)


def _robot(name: str, steps: str, *, test: str = "Adds Up") -> Failing:
    text = f"*** Settings ***\nLibrary    Collections\n%PAD%\n*** Test Cases ***\n%MORE%\nAdds Up\n{steps}\n*** Keywords ***\nCheck Total\n    [Arguments]    ${{a}}\n    Should Be Equal As Integers    ${{a}}    5\n"
    return Failing(name=name, files={"cart.robot": text}, test=test)


_ROBOT = ("robot", "--output", "NONE", "--log", "NONE", "--report", "NONE", "--pythonpath", ".")
_ROBOT_TOOL = Tool(
    name="robot",
    needs=("robot",),
    families={
        "": (
            Style(name="base", command=(*_ROBOT, "cart.robot")),
            Style(name="narrow", command=(*_ROBOT, "-W", "60", "cart.robot")),
            Style(name="colour", command=(*_ROBOT, "-C", "on", "cart.robot")),
            Style(name="dotted", command=(*_ROBOT, "--dotted", "cart.robot")),
        )
    },
    failing=(
        _robot("equal", "    Should Be Equal    a    b\n"),
        _robot("equal other", "    Should Be Equal    a    c\n"),
        _robot("contain", "    Should Contain    abc    x    msg=no x in it\n"),
        _robot("keyword", "    Check Total    ${4}\n"),
        _robot("no keyword", "    Not There    1\n"),
        _robot(
            "dict",
            "    ${a}=    Create Dictionary    a=1\n    ${b}=    Create Dictionary    a=2\n    Dictionaries Should Be Equal    ${a}    ${b}\n",
        ),
        _robot("evaluate", "    Evaluate    1/0\n"),
        _robot("fail", "    Fail    not yet\n"),
    ),
    more="Fine\n    Log    ERROR: nothing\n",
)

TOOLS = (PYTEST, _UNITTEST_TOOL, _NOSE_TOOL, _DOCTEST_TOOL, _BEHAVE_TOOL, _ROBOT_TOOL)
