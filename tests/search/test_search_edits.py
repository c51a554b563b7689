"""Each kind of edit, as text before and after: what is not edited keeps every byte."""

from __future__ import annotations

import ast

import pytest

from trueup.search.generate import proposals

REPAIRS = {
    "a comparison": ("def f(a, b):\n    return a < b  # why\n", "def f(a, b):\n    return a <= b  # why\n"),
    "a word as comparison": ("def f(a, b):\n    return a is not b\n", "def f(a, b):\n    return a != b\n"),
    "operands": ("def f(a, b):\n    return a - b\n", "def f(a, b):\n    return b - a\n"),
    "arithmetic": ("def f(a, b):\n    return a  /  b\n", "def f(a, b):\n    return a  //  b\n"),
    "an operand too many": ("def f(a):\n    return g(len(a) - 1)\n", "def f(a):\n    return g(len(a))\n"),
    "grouping": ("def f(a, b, c):\n    return a + b * c\n", "def f(a, b, c):\n    return (a + b) * c\n"),
    "boolean structure": ("def f(a, b):\n    return a and b\n", "def f(a, b):\n    return a or b\n"),
    "a condition too many": ("def f(a, b):\n    if a and b:\n        g()\n", "def f(a, b):\n    if b:\n        g()\n"),
    "a missing not": ("def f(a):\n    if a:\n        g()\n", "def f(a):\n    if not a:\n        g()\n"),
    "a missing condition": (
        "def f(a, b):\n    if a:\n        g()\n",
        "def f(a, b):\n    if a and b is not None:\n        g()\n",
    ),
    "a sign": ("def f(a):\n    return -a\n", "def f(a):\n    return a\n"),
    "off by one": ("def f(a):\n    return a[1]\n", "def f(a):\n    return a[0]\n"),
    "off by one without a constant": ("def f(n):\n    return g(n)\n", "def f(n):\n    return g(n + 1)\n"),
    "a truth value": ("def f():\n    return True\n", "def f():\n    return False\n"),
    "a text": ("def f(a):\n    return ''.join(a)\n", "def f(a):\n    return ' '.join(a)\n"),
    "a date's code": (
        'def f(a):\n    return a.strftime("%Y-%m-%M")\n',
        'def f(a):\n    return a.strftime("%Y-%m-%m")\n',
    ),
    "a name": (
        "def f(first, second):\n    return first + first\n",
        "def f(first, second):\n    return first + second\n",
    ),
    "a built-in": ("def f(a):\n    return min(a)\n", "def f(a):\n    return max(a)\n"),
    "an attribute": ("def f(a):\n    return a.upper()\n", "def f(a):\n    return a.lower()\n"),
    "a missing self": (
        "class A:\n    def f(self):\n        self.n = 1\n    def g(self):\n        return n\n",
        "class A:\n    def f(self):\n        self.n = 1\n    def g(self):\n        return self.n\n",
    ),
    "a local instead of self": (
        "class A:\n    n = 0\n    def g(self):\n        n = 1\n",
        "class A:\n    n = 0\n    def g(self):\n        self.n = 1\n",
    ),
    "arguments swapped": ("def f(a, b):\n    g(a, b)\n", "def f(a, b):\n    g(b, a)\n"),
    "an argument too many": ("def f(a, b):\n    g(a, b)\n", "def f(a, b):\n    g(a)\n"),
    "an argument missing": ("def f(a, b):\n    g(a)\n", "def f(a, b):\n    g(a, b)\n"),
    "a keyword missing": ("def f(a):\n    return sorted(a)\n", "def f(a):\n    return sorted(a, reverse=True)\n"),
    "a range": ("def f(n):\n    return list(range(n))\n", "def f(n):\n    return list(range(1, n))\n"),
    "a range's end": ("def f(n):\n    return list(range(n))\n", "def f(n):\n    return list(range(n + 1))\n"),
    "a slice": ("def f(a):\n    return a[1:]\n", "def f(a):\n    return a[:1]\n"),
    "a slice's bound": ("def f(a, n):\n    return a[:n]\n", "def f(a, n):\n    return a[:n + 1]\n"),
    "an index": ("def f(a, i, j):\n    return a[i][j]\n", "def f(a, i, j):\n    return a[j][i]\n"),
    "a missing key": ("def f(a, k):\n    return a[k]\n", "def f(a, k):\n    return a.get(k, 0)\n"),
    "an empty guard": (
        "def f(a):\n    return a[0]\n",
        "def f(a):\n    if not a:\n        return None\n    return a[0]\n",
    ),
    "a statement too many": ("def f(a):\n    g()\n    h()\n", "def f(a):\n    h()\n"),
    "statements in the wrong order": ("def f(a):\n    g()\n    h()\n", "def f(a):\n    h()\n    g()\n"),
    "a return inside of the loop": (
        "def f(a):\n    for x in a:\n        g(x)\n        return a\n",
        "def f(a):\n    for x in a:\n        g(x)\n    return a\n",
    ),
    "a statement outside of the loop": (
        "def f(a):\n    for x in a:\n        g(x)\n    h(x)\n",
        "def f(a):\n    for x in a:\n        g(x)\n        h(x)\n",
    ),
    "a statement copied": (
        "def f(a):\n    n += 1\n    g()\n    h()\n",
        "def f(a):\n    n += 1\n    g()\n    n += 1\n    h()\n",
    ),
    "a missing step": (
        "def f(n):\n    while n:\n        g(n)\n",
        "def f(n):\n    while n:\n        g(n)\n        n -= 1\n",
    ),
    "a missing return": ("def f(a):\n    g(a)\n", "def f(a):\n    return g(a)\n"),
    "a result that is dropped": ("def f(a):\n    a.strip()\n", "def f(a):\n    a = a.strip()\n"),
    "another value returned": ("def f(a, b):\n    return a\n", "def f(a, b):\n    return b\n"),
    "a shared default": (
        "def f(x, a=[]):\n    a.append(x)\n    return a\n",
        "def f(x, a=None):\n    if a is None:\n        a = []\n    a.append(x)\n    return a\n",
    ),
    "a wrong default": ("def f(x, a=0):\n    return x + a\n", "def f(x, a=1):\n    return x + a\n"),
    "an exception": (
        "def f(a):\n    try:\n        g()\n    except KeyError:\n        h()\n",
        "def f(a):\n    try:\n        g()\n    except ValueError:\n        h()\n",
    ),
    "an exception raised": (
        "def f(a):\n    raise KeyError('x')\n",
        "def f(a):\n    raise ValueError('x')\n",
    ),
    "a missing await": ("async def f(a):\n    return g(a)\n", "async def f(a):\n    return await g(a)\n"),
    "an initial value": ("def f(a):\n    seen = {}\n    g(seen)\n", "def f(a):\n    seen = set()\n    g(seen)\n"),
    "a jump": (
        "def f(a):\n    for x in a:\n        if x:\n            break\n",
        "def f(a):\n    for x in a:\n        if x:\n            continue\n",
    ),
    "yield from": ("def f(a):\n    yield a\n", "def f(a):\n    yield from a\n"),
    "branches": ("def f(a):\n    return 1 if a else 2\n", "def f(a):\n    return 2 if a else 1\n"),
    "an assignment that should add": ("def f(a, n):\n    n = a\n", "def f(a, n):\n    n += a\n"),
    "an elif": (
        "def f(a):\n    if a:\n        g()\n    if not a:\n        h()\n",
        "def f(a):\n    if a:\n        g()\n    elif not a:\n        h()\n",
    ),
    "a filter": ("def f(a):\n    return [x for x in a]\n", "def f(a):\n    return [x for x in a if x]\n"),
    "a constant of the module": ("LIMIT = 3\n", "LIMIT = 4\n"),
    "super": (
        "class A(B):\n    def __init__(self, n):\n        self.n = n\n",
        "class A(B):\n    def __init__(self, n):\n        super().__init__(n)\n        self.n = n\n",
    ),
}


@pytest.mark.parametrize("name", REPAIRS)
def test_this_kind_of_bug_is_within_reach_of_one_edit(name: str) -> None:
    before, after = REPAIRS[name]
    assert after in [text for _, text in proposals(before)]


ODD = '''\
"""Ünïcode before code, so that bytes and characters differ."""
from __future__ import annotations


class Größe:  # a comment: ü
    def fläche(self, breite, höhe=[]):
        """A docstring."""
        wert = f"{breite!r:>10} ü {höhe}" + 'ß'; rest = 1
        if (breite
                > 0  # inside
                and höhe):
            return (breite
                    * len(höhe))
        elif rest: return wert
        else:
            pass
        with open(wert) as file, self as me:
            yield from (x for x in file if x)
        return {**me, "a": [1, 2][::-1], (yield): lambda *a, **k: a[0]}
'''


def test_edits_of_odd_text_are_python_and_leave_the_rest_alone() -> None:
    """A few are not, such as `{**not me}`: they are left out before anything runs."""
    found = proposals(ODD)
    assert len([text for _, text in found if _is_python(text)]) > 0.98 * len(found) > 1000
    assert all("# a comment: ü" in text for _, text in found)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def test_the_order_is_the_same_every_time() -> None:
    text = "def f(a, b):\n    if a < b:\n        return a\n    return b\n"
    assert proposals(text) == proposals(text)


def test_adding_nothing_is_not_tried() -> None:
    texts = [text for _, text in proposals("def f(a):\n    return len(a) - 1\n")]
    assert not any("- 0" in text for text in texts)


IDLE = {
    "what follows a jump": (
        "def f(a):\n    b = g(a)\n    h(b)\n    return b\n",
        ("    return a\n    h(b)\n", "    return b\n    h(b)\n"),
    ),
    "what is overwritten at once": (
        "def f(a):\n    b = 0\n    c = g(b)\n    b = a\n    return b, c\n",
        ("    b = a\n    b = 0\n", "    b = 0\n    b = a\n", "    c = g(b)\n    c = a\n"),
    ),
}


@pytest.mark.parametrize(("text", "unwanted"), IDLE.values(), ids=IDLE.keys())
def test_a_statement_that_makes_another_idle_is_not_added(text: str, unwanted: tuple[str, ...]) -> None:
    added = [found for _, found in proposals(text) if len(found.splitlines()) > len(text.splitlines())]
    assert added
    assert not [found for found in added if any(part in found for part in unwanted)]


def test_a_value_that_is_used_before_it_is_replaced_is_not_idle() -> None:
    texts = [text for _, text in proposals("def f(a):\n    a += 1\n    return a\n")]
    assert "def f(a):\n    a = 0\n    a += 1\n    return a\n" in texts
