"""Slips with a usual repair, as text before and after; and what is not proposed because nobody would mean it."""

from __future__ import annotations

import pytest

from trueup.search.generate import edits_of, proposals
from trueup.search.text import apply, read

CLASS = "class A:\n    def __init__(self, x):\n        self.x = x\n        self.seen = []\n"
REPAIRS = {
    "a fixed value for a variable": (
        "def f(rows):\n    for row in rows:\n        g([0])\n",
        "def f(rows):\n    for row in rows:\n        g([row])\n",
    ),
    "what a call groups is to be sorted": (
        "def f(rows, name):\n    return groupby(rows, key=name)\n",
        "def f(rows, name):\n    return groupby(sorted(rows, key=name), key=name)\n",
    ),
    "the rest after a loop": (
        "def f(a):\n    part = []\n    for x in a:\n        yield part\n",
        "def f(a):\n    part = []\n    for x in a:\n        yield part\n    if part:\n        yield part\n",
    ),
    "the larger of two": (
        "def f(found, end):\n    found[-1] = (found[0], end)\n",
        "def f(found, end):\n    found[-1] = (found[0], max(end, found[0]))\n",
    ),
    "what another method does": (
        (
            f"{CLASS}\n    def f(self):\n        g()\n\n    def h(self, key):\n        self.seen.remove(key)\n\n"
            "    def i(self, key):\n        return key\n"
        ),
        (
            f"{CLASS}\n    def f(self):\n        g()\n\n    def h(self, key):\n        self.seen.remove(key)\n\n"
            "    def i(self, key):\n        self.seen.remove(key)\n        return key\n"
        ),
    ),
    "the class above with what it wants": (
        f"{CLASS}\nclass B(A):\n    def __init__(self, x, y):\n        self.y = y\n",
        f"{CLASS}\nclass B(A):\n    def __init__(self, x, y):\n        super().__init__(x)\n        self.y = y\n",
    ),
    "one of several exceptions": (
        "def f():\n    try:\n        g()\n    except (KeyError, IndexError):\n        h()\n",
        "def f():\n    try:\n        g()\n    except (KeyError, TimeoutError):\n        h()\n",
    ),
    "a class of letters, many times": (
        'def f(a):\n    return re.sub("[^a-z]", "", a)\n',
        'def f(a):\n    return re.sub("[^a-z]+", "", a)\n',
    ),
    "rounding up": ("def f(a, b):\n    return a // b\n", "def f(a, b):\n    return -(-a // b)\n"),
    "rounding up by adding": ("def f(a, b):\n    return a // b\n", "def f(a, b):\n    return (a + b - 1) // b\n"),
    "sort gives nothing back": (
        "def f(a):\n    return list(a).sort(key=len)\n",
        "def f(a):\n    return sorted(list(a), key=len)\n",
    ),
    "sorted changes nothing": ("def f(a):\n    sorted(a, key=len)\n", "def f(a):\n    a.sort(key=len)\n"),
    "reverse gives nothing back": ("def f(a):\n    return a.reverse()\n", "def f(a):\n    return a[::-1]\n"),
    "late binding": (
        "def f(a):\n    return [lambda: g(x) for x in a]\n",
        "def f(a):\n    return [lambda x=x: g(x) for x in a]\n",
    ),
    "late binding with parameters": (
        "def f(a):\n    return [lambda y, *, z: g(x) for x in a]\n",
        "def f(a):\n    return [lambda y, *, z, x=x: g(x) for x in a]\n",
    ),
    "a key that forgets a part": (
        "def f(cache, a, b):\n    return cache[a]\n",
        "def f(cache, a, b):\n    return cache[(a, b)]\n",
    ),
    "a key that is looked for": (
        "def f(cache, a, b):\n    return cache.get(a)\n",
        "def f(cache, a, b):\n    return cache.get((a, b))\n",
    ),
    "two names in each other's place": (
        "def f(x, y, n):\n    return x * n + y\n",
        "def f(x, y, n):\n    return y * n + x\n",
    ),
    "an index that runs over the end": (
        "def f(a, n):\n    a[0] = 1\n    return int(n)\n",
        "def f(a, n):\n    a[0] = 1\n    return min(int(n), len(a) - 1)\n",
    ),
    "a bound for an equality": (
        "def f(a):\n    if len(a) == 0:\n        return a\n",
        "def f(a):\n    if len(a) <= 1:\n        return a\n",
    ),
    "an answer that depends on something": (
        "def f(depth):\n    return True\n",
        "def f(depth):\n    return depth == 0\n",
    ),
    "a value that may be missing": (
        CLASS + "    def f(self, y):\n        return self.x < y\n",
        CLASS + "    def f(self, y):\n        return self.x is not None and self.x < y\n",
    ),
    "another target": (
        "def f(a, b, i, j):\n    b[j] = 1\n    a[i] = 2\n",
        "def f(a, b, i, j):\n    b[j] = 1\n    b[j] = 2\n",
    ),
    "an else of a loop": (
        "def f(a):\n    for x in a:\n        g(x)\n    else:\n        h()\n        i()\n",
        "def f(a):\n    for x in a:\n        g(x)\n    h()\n    i()\n",
    ),
    "a range forwards": (
        "def f(n):\n    return list(range(n - 1, -1, -1))\n",
        "def f(n):\n    return list(range(n))\n",
    ),
    "a prefix": ("def f(a):\n    return a.lstrip('x')\n", "def f(a):\n    return a.removeprefix('x')\n"),
    "a square": ("def f(a):\n    return a\n", "def f(a):\n    return a ** 2\n"),
    "what is put into a new set": (
        "def f(x):\n    seen = set()\n    g()\n",
        "def f(x):\n    seen = set()\n    seen.add(x)\n    g()\n",
    ),
    "a field reset to another": (
        CLASS + "    def f(self):\n        return self\n",
        CLASS + "    def f(self):\n        self.seen = self.x\n        return self\n",
    ),
    "a guard for a missing field": (
        CLASS + "    def f(self):\n        return f'{self.x}'\n",
        CLASS + "    def f(self):\n        if self.x is None:\n            return ''\n        return f'{self.x}'\n",
    ),
    "not both zero": (
        "def f(n):\n    for i in n:\n        for j in n:\n            yield i, j\n",
        "def f(n):\n    for i in n:\n        for j in n:\n            if i or j:\n                yield i, j\n",
    ),
}


@pytest.mark.parametrize("name", REPAIRS)
def test_this_slip_is_within_reach_of_one_edit(name: str) -> None:
    before, after = REPAIRS[name]
    assert after in [text for _, text in proposals(before)]


def _scores(text: str, errors: set[str] | None = None) -> dict[str, float]:
    """What is written after the edit -> how likely it is."""
    source = read("m.py", text.encode())
    assert source is not None
    lines = {("m.py", number): 1.0 for number in range(1, text.count("\n") + 2)}
    found: dict[str, float] = {}
    for trial in edits_of({"m.py": source}, lines, errors or set()):
        after = apply(source.data, trial.edits["m.py"])
        assert after is not None
        found.setdefault(after.decode(), trial.score)
    return found


def test_methods_are_not_taken_for_values() -> None:
    text = CLASS + "    def go(self):\n        if self.x:\n            return 1\n    def stop(self):\n        pass\n"
    found = "\n".join(_scores(text))
    assert "if self.x and self.seen" in found
    assert "if self.x and self.stop:" not in found
    assert "self.stop += 1" not in found
    assert "self.stop()" in found


def test_one_more_is_likelier_where_things_are_counted() -> None:
    found = _scores("def f(a, n):\n    g(n)\n    return a[n]\n")
    counted, other = (
        found["def f(a, n):\n    g(n)\n    return a[n + 1]\n"],
        found["def f(a, n):\n    g(n + 1)\n    return a[n]\n"],
    )
    assert counted > 2 * other


def test_what_is_combined_with_itself_is_likely_meant_to_be_another() -> None:
    double = _scores("def f(a, b):\n    return min(a, a)\n")["def f(a, b):\n    return min(a, b)\n"]
    single = _scores("def f(a, b, c):\n    return min(a, c)\n")["def f(a, b, c):\n    return min(a, b)\n"]
    assert double > single


def test_a_guard_against_none_is_likelier_when_something_was_none() -> None:
    text = "def f(a):\n    return a.b\n"
    after = "def f(a):\n    if a is None:\n        return None\n    return a.b\n"
    assert _scores(text, {"AttributeError"})[after] > _scores(text, {"ValueError"})[after]


def test_a_guard_returns_what_the_function_returns_elsewhere() -> None:
    found = _scores("def f(a):\n    return f'{a}'\n")
    text, number = (
        "def f(a):\n    if not a:\n        return " + value + "\n    return f'{a}'\n" for value in ("''", "0")
    )
    assert found[text] > found[number]


def test_multiplying_by_zero_is_not_tried() -> None:
    assert "def f(a):\n    return a * 0\n" not in _scores("def f(a):\n    return a * 3\n")
