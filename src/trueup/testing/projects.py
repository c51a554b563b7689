"""How does one get a small real project to try things on? Real files, a real repository, real failing tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from trueup.act.process import quick

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Test Author",
    "GIT_AUTHOR_EMAIL": "author@example.invalid",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00+00:00",
    "GIT_COMMITTER_NAME": "Test Author",
    "GIT_COMMITTER_EMAIL": "author@example.invalid",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00+00:00",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
"""The same files make the same commit everywhere, whatever the user's own git configuration says."""


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def python_project(path: Path, *, files: Mapping[str, str], commit: bool = True) -> Path:
    """A git repository with these files, committed unless told otherwise."""
    path.mkdir(parents=True, exist_ok=True)
    _git(path, "init", "--quiet", "--initial-branch=main")
    _git(path, "config", "user.name", _IDENTITY["GIT_AUTHOR_NAME"])
    _git(path, "config", "user.email", _IDENTITY["GIT_AUTHOR_EMAIL"])
    write_files(path, files)
    if commit:
        commit_all(path, "start")
    return path


def commit_all(path: Path, message: str) -> str:
    """Commit everything; the id of the commit."""
    _git(path, "add", "--all")
    _git(path, "commit", "--quiet", "--allow-empty", f"--message={message}")
    return _git(path, "rev-parse", "HEAD").decode("ascii").strip()


def shop(path: Path) -> Path:
    """A shop whose bulk discount is wrong: two tests fail, the others pass. `SHOP_FIX` repairs it."""
    return python_project(path, files=SHOP_FILES)


def _git(folder: Path, *args: str) -> bytes:
    # Inherited GIT_DIR and the like would lead git into another repository.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return quick([shutil.which("git") or "git", *args], cwd=folder, env={**inherited, **_IDENTITY})


_CART = '''\
"""What is in the cart, and what does it cost?"""

from shop.prices import price_of

BULK_FROM = 10
BULK_DISCOUNT = 0.1


class Cart:
    def __init__(self):
        self._items = {}

    def add(self, name, count=1):
        if count < 1:
            raise ValueError(f"cannot add {count} of {name}")
        self._items[name] = self._items.get(name, 0) + count

    def count(self):
        return sum(self._items.values())

    def total(self):
        return sum(self._line(name, count) for name, count in self._items.items())

    def _line(self, name, count):
        full = price_of(name) * count
        if count > BULK_FROM:
            return full - BULK_DISCOUNT
        return full
'''

_RIGHT_LINE = """\
        if count >= BULK_FROM:
            return round(full * (1 - BULK_DISCOUNT), 2)
"""

_WRONG_LINE = """\
        if count > BULK_FROM:
            return full - BULK_DISCOUNT
"""

_TEST_CART = """\
import pytest

from shop.cart import Cart


def test_an_empty_cart_costs_nothing():
    assert Cart().total() == 0


def test_a_single_item_costs_its_price():
    cart = Cart()
    cart.add("tea")
    assert cart.total() == 4.0


def test_items_are_counted():
    cart = Cart()
    cart.add("tea", 2)
    cart.add("cup")
    assert cart.count() == 3


def test_bulk_gets_a_discount():
    cart = Cart()
    cart.add("tea", 20)
    assert cart.total() == 72.0


def test_bulk_starts_at_ten():
    cart = Cart()
    cart.add("cup", 10)
    assert cart.total() == 67.5


def test_nothing_less_than_one_can_be_added():
    with pytest.raises(ValueError, match="cannot add 0"):
        Cart().add("tea", 0)
"""

SHOP_FILES: Mapping[str, str] = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.0"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
    "shop/__init__.py": "",
    "shop/cart.py": _CART,
    "shop/prices.py": (
        'PRICES = {"tea": 4.0, "cup": 7.5}\n\n\n'
        "def price_of(name):\n"
        "    if name not in PRICES:\n"
        '        raise KeyError(f"no price for {name}")\n'
        "    return PRICES[name]\n"
    ),
    "tests/test_cart.py": _TEST_CART,
    "tests/test_prices.py": (
        "import pytest\n\nfrom shop.prices import price_of\n\n\n"
        "def test_a_known_name_has_a_price():\n"
        '    assert price_of("cup") == 7.5\n\n\n'
        "def test_an_unknown_name_is_refused():\n"
        '    with pytest.raises(KeyError, match="no price for hat"):\n'
        '        price_of("hat")\n'
    ),
}

SHOP_FIX: Mapping[str, str] = {"shop/cart.py": _CART.replace(_WRONG_LINE, _RIGHT_LINE)}
"""Makes every test pass."""

SHOP_HALF_FIX: Mapping[str, str] = {"shop/cart.py": SHOP_FIX["shop/cart.py"].replace(">= BULK_FROM", "> BULK_FROM")}
"""Makes one of the two failing tests pass."""

SHOP_FAILING = ("tests/test_cart.py::test_bulk_gets_a_discount", "tests/test_cart.py::test_bulk_starts_at_ten")
"""What fails at the start."""
