"""Python's test runners with what people put on top of them: plugins, other runners, frameworks."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from collections.abc import Mapping

from benchmarks.fingerprints_tools.program import Program, Tool

_STORE = '''"""A store."""
¶
class Missing(KeyError):
    pass


def find(stock, name):
    if name not in stock:
        raise Missing(name)
    return stock[name]


async def fetch(name):
    raise ConnectionError(f"no answer for {name}")
'''
_FAULTS = {
    "equal": "assert find({'a': 3}, 'a') == 4",
    "equal_other": "assert find({'a': 3}, 'a') > 8",
    "thrown": "find({}, 'pear')",
    "builtin": "int('pear')",
    "list": "assert [1, 2, 3, find({'a': 4}, 'a')] == [1, 2, 4, 4]",
    "dict": "assert {'name': 'apple', 'price': 3, 'tags': ['x'] * 3} == {'name': 'apple', 'price': 4, 'tags': ['x'] * 3}",
    "text": "assert 'one\\ntwo\\nthree\\n' == 'one\\n2\\nthree\\n'",
    "message": "assert find({'a': 0}, 'a'), 'the store is\\nempty and\\nclosed'",
    "long": "assert ', '.join(f'item {n}' for n in range(40)) == ', '.join(f'item {n}' for n in range(41))",
    "raises": "with pytest.raises(ValueError, match='no pear'):\n        raise ValueError('no apple')",
    "no_raise": "with pytest.raises(ValueError):\n        find({'a': 1}, 'a')",
    "approx": "assert 0.1 + 0.2 == pytest.approx(0.31)",
    "none": "find({'a': None}, 'a').price",
}
_PLAIN = Program(
    files={
        "store.py": _STORE,
        "test_store.py": "import pytest\n¶\nfrom store import Missing, fetch, find\n\n\ndef test_fine():\n    assert find({'a': 1}, 'a') == 1\n\n\ndef test_find():\n    §\n\n\ndef test_also_fine():\n    pass\n",
    },
    faults=_FAULTS,
    targets=("test_store.py",),
)
_PARAM = Program(
    files={
        "store.py": _STORE,
        "test_store.py": "import pytest\n¶\nfrom store import find\n\n\n@pytest.mark.parametrize('name, price', [§])\ndef test_price(name, price):\n    assert find({'a': 1, 'b c': 2, '': 3, 'ü[1]': 4}, name) == price\n",
    },
    faults={
        "blank": "('a', 1), ('b c', 7)",
        "empty": "('a', 1), ('', 7)",
        "brackets": "('a', 1), ('ü[1]', 7)",
        "named": "pytest.param('a', 9, id='GET /a?b=c - d')",
        "object": "('a', object())",
        "two": "('a', 5), ('b c', 7)",
        "slash": "pytest.param('a/b::c', 9)",
    },
    targets=("test_store.py",),
)
_FIXTURES = Program(
    files={
        "store.py": _STORE,
        "conftest.py": "import pytest\n¶\n\n@pytest.fixture\ndef store():\n    §\n",
        "test_store.py": "import pytest\n¶\n\ndef test_first(store):\n    assert store\n\n\nclass TestSecond:\n    def test_inner(self, store):\n        assert store\n",
    },
    faults={
        "setup": "raise ConnectionRefusedError(111, 'database is down')",
        "setup_other": "return open('/nonexistent/db.sqlite')",
        "teardown": "yield {1: 2}\n    assert 1 == 2, 'not closed'",
        "unknown": "return pytest.missing_thing",
        "value": "return {}",
    },
    targets=("test_store.py",),
)
_ASYNC = Program(
    files={
        "store.py": _STORE,
        "test_store.py": "import asyncio\nimport pytest\n¶\nfrom store import fetch, find\n\npytestmark = pytest.mark.asyncio\n\n\nasync def test_fetch():\n    §\n",
    },
    faults={
        "thrown": "await fetch('pear')",
        "gather": "await asyncio.gather(fetch('a'), asyncio.sleep(0))",
        "timeout": "await asyncio.wait_for(asyncio.sleep(3), 0.01)",
        "equal": "assert await asyncio.sleep(0, 3) == 4",
    },
    targets=("test_store.py",),
)
_HYPOTHESIS = Program(
    files={
        "store.py": _STORE,
        "test_store.py": "from hypothesis import given, settings, strategies as st\n¶\nfrom store import find\n\n\n@settings(database=None)\n@given(st.integers(), st.text())\ndef test_any(n, name):\n    §\n",
    },
    faults={
        "value": "assert n < 100",
        "thrown": "find({'a': 1}, name)",
        "both": "assert n < 7 or len(name) < 2",
        "division": "assert 10 // (n - 3) is not None",
    },
    targets=("test_store.py",),
)
_SUBTESTS = Program(
    files={
        "store.py": _STORE,
        "test_store.py": "import unittest\n¶\nfrom store import find\n\n\nclass StoreTest(unittest.TestCase):\n    def test_fine(self):\n        self.assertTrue(find({'a': 1}, 'a'))\n\n    def test_prices(self):\n        §\n",
    },
    faults={
        "sub": "for n in range(4):\n            with self.subTest('a price', n=n):\n                self.assertNotEqual(n, 2)",
        "subs": "for n in range(4):\n            with self.subTest(n=n, name='x y'):\n                self.assertLess(n, 2)",
        "sub_error": "for n in (1, 0):\n            with self.subTest(n=n):\n                self.assertTrue(1 / n)",
        "dict": "self.assertEqual({'a': 1, 'b': [1, 2]}, {'a': 1, 'b': [1, 3]})",
        "lines": "self.assertMultiLineEqual('one\\ntwo\\n', 'one\\n2\\n')",
        "raises": "with self.assertRaises(ValueError):\n            find({'a': 1}, 'a')",
        "message": "self.assertIn('b', {'a': 1}, 'no b\\nanywhere')",
        "thrown": "find({}, 'pear')",
        "almost": "self.assertAlmostEqual(0.1, 0.2, places=3)",
        "setup": "self.addCleanup(lambda: find({}, 'late'))",
    },
    targets=("test_store.py",),
)
_BDD = Program(
    files={
        "store.py": _STORE,
        "store.feature": "Feature: Store\n    Scenario: Buying a pear\n        Given a store with 3 pears\n        When I buy 2\n        Then 1 is left\n",
        "test_store.py": "from pytest_bdd import given, parsers, scenarios, then, when\n¶\nfrom store import find\n\nscenarios('store.feature')\n\n\n@given('a store with 3 pears', target_fixture='store')\ndef store():\n    return {'pears': 3}\n\n\n@when(parsers.parse('I buy {n:d}'))\ndef buy(store, n):\n    store['pears'] -= n\n\n\n@then('1 is left')\ndef left(store):\n    §\n",
    },
    faults={
        "equal": "assert store['pears'] == 2",
        "thrown": "find(store, 'apples')",
    },
    targets=("test_store.py",),
)
_WARD = Program(
    files={
        "store.py": _STORE,
        "test_store.py": "from ward import test, raises, fixture\n¶\nfrom store import find\n\n\n@test('a store is fine')\ndef _():\n    assert find({'a': 1}, 'a') == 1\n\n\n@test('a price is found')\ndef _():\n    §\n",
    },
    faults={
        "equal": "assert find({'a': 3}, 'a') == 4",
        "greater": "assert find({'a': 3}, 'a') > 8",
        "thrown": "find({}, 'pear')",
        "dict": "assert {'a': 1, 'b': 2} == {'a': 1, 'b': 3}",
        "builtin": "int('pear')",
    },
    targets=("test_store.py",),
)
_TESTSLIDE = Program(
    files={
        "store.py": _STORE,
        "store_test.py": "from testslide.dsl import context\n¶\nfrom store import find\n\n\n@context('a store')\ndef _(context):\n    @context.example('finds a price')\n    def finds(self):\n        §\n",
    },
    faults={
        "equal": "self.assertEqual(find({'a': 3}, 'a'), 4)",
        "thrown": "find({}, 'pear')",
        "builtin": "int('pear')",
    },
    targets=("store_test.py",),
)
_DJANGO = {
    "manage.py": "import os, sys\n¶\nos.environ['DJANGO_SETTINGS_MODULE'] = 'settings'\nfrom django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n",
    "settings.py": "SECRET_KEY = 'x'\nUSE_TZ = True\nDEFAULT_AUTO_FIELD = 'django.db.models.AutoField'\nINSTALLED_APPS = ['shop']\nDATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}}\nROOT_URLCONF = 'urls'\n",
    "urls.py": "urlpatterns = []\n",
    "shop/__init__.py": "",
}
_DJANGO_MODELS = Program(
    files={
        **_DJANGO,
        "shop/models.py": "from django.db import models\n¶\n\nclass Item(models.Model):\n    name = models.CharField(max_length=9)\n    §\n",
    },
    faults={
        "length": "title = models.CharField()",
        "relation": "owner = models.ForeignKey('shop.Owner', on_delete=models.CASCADE)",
        "clash": "a = models.ForeignKey('self', on_delete=models.CASCADE)\n    b = models.ForeignKey('self', on_delete=models.CASCADE)",
        "import": "price = models.PriceField()",
        "decimal": "price = models.DecimalField(max_digits=2, decimal_places=4)",
    },
)
_DJANGO_TESTS = Program(
    files={
        **_DJANGO,
        "shop/models.py": "from django.db import models\n\n\nclass Item(models.Model):\n    name = models.CharField(max_length=9)\n",
        "shop/migrations/__init__.py": "",
        "shop/migrations/0001_initial.py": "from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n    initial = True\n    operations = [migrations.CreateModel('Item', [('id', models.AutoField(primary_key=True)), ('name', models.CharField(max_length=9))])]\n",
        "shop/tests.py": "from django.test import TestCase\n¶\nfrom shop.models import Item\n\n\nclass ItemTest(TestCase):\n    def test_item(self):\n        §\n",
    },
    faults={
        "count": "self.assertEqual(Item.objects.count(), 1)",
        "missing": "Item.objects.get(name='pear')",
        "status": "self.assertEqual(self.client.get('/items/').status_code, 200)",
        "field": "Item.objects.filter(price=3)",
        "null": "Item.objects.create(name=None)",
        "queries": "with self.assertNumQueries(2):\n            list(Item.objects.all())",
    },
)
_ALEMBIC = Program(
    files={
        "alembic.ini": "[alembic]\nscript_location = migrations\nsqlalchemy.url = sqlite://\n[loggers]\nkeys = root\n[handlers]\nkeys = console\n[formatters]\nkeys = generic\n[logger_root]\nlevel = INFO\nhandlers = console\n[handler_console]\nclass = StreamHandler\nargs = (sys.stderr,)\nformatter = generic\n[formatter_generic]\nformat = %(levelname)-5.5s [%(name)s] %(message)s\n",
        "migrations/env.py": "from logging.config import fileConfig\nfrom alembic import context\nfrom sqlalchemy import create_engine\n¶\nfileConfig(context.config.config_file_name)\nengine = create_engine('sqlite://')\nwith engine.connect() as connection:\n    context.configure(connection=connection)\n    with context.begin_transaction():\n        context.run_migrations()\n",
        "migrations/versions/a1_items.py": "from alembic import op\nimport sqlalchemy as sa\n¶\nrevision = 'a1'\ndown_revision = None\n\n\ndef upgrade():\n    op.create_table('items', sa.Column('id', sa.Integer, primary_key=True))\n",
        "migrations/versions/b2_price.py": "from alembic import op\nimport sqlalchemy as sa\n¶\nrevision = 'b2'\n§\n",
    },
    faults={
        "again": "down_revision = 'a1'\n\n\ndef upgrade():\n    op.create_table('items', sa.Column('id', sa.Integer))",
        "parent": "down_revision = 'zz'",
        "table": "down_revision = 'a1'\n\n\ndef upgrade():\n    op.add_column('orders', sa.Column('price', sa.Integer))",
        "sql": "down_revision = 'a1'\n\n\ndef upgrade():\n    op.execute('SELEC 1')",
        "heads": "down_revision = None\n\n\ndef upgrade():\n    pass",
    },
)
_BARE = {"COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _pytest(
    name: str,
    programs: Mapping[str, Program],
    *plugins: str,
    args: tuple[str, ...] = (),
    forms: Mapping[str, tuple[str, ...]] | None = None,
) -> Tool:
    loaded = (word for plugin in plugins for word in ("-p", plugin))
    return Tool(
        name=name,
        argv=("pytest", "-p", "no:cacheprovider", *loaded, *args, "{files}"),
        programs=programs,
        colour=("--color=yes",),
        forms={"verbose": ("-v",)} if forms is None else forms,
        env=_BARE,
    )


TOOLS = (
    _pytest(
        "pytest-styles",
        {"plain": _PLAIN, "param": _PARAM, "fixtures": _FIXTURES},
        forms={
            "workers": ("-p", "xdist.plugin", "-n", "2"),
            "all_outcomes": ("-rA", "-l"),
            "no_header": ("--no-header", "--no-summary"),
        },
    ),
    _pytest(
        "pytest-sugar",
        {"plain": _PLAIN, "param": _PARAM, "fixtures": _FIXTURES},
        "pytest_sugar",
        args=("--force-sugar",),
    ),
    _pytest("pytest-clarity", {"plain": _PLAIN}, "pytest_clarity.plugin"),
    _pytest("pytest-pretty", {"plain": _PLAIN, "param": _PARAM}, "pytest_pretty"),
    _pytest(
        "pytest-rerunfailures", {"plain": _PLAIN, "fixtures": _FIXTURES}, "pytest_rerunfailures", args=("--reruns", "2")
    ),
    _pytest("pytest-asyncio", {"async": _ASYNC}, "pytest_asyncio.plugin"),
    _pytest(
        "pytest-hypothesis", {"any": _HYPOTHESIS}, "_hypothesis_pytestplugin", forms={"seed": ("--hypothesis-seed=5",)}
    ),
    _pytest("pytest-bdd", {"bdd": _BDD}, "pytest_bdd.plugin", forms={"gherkin": ("--gherkin-terminal-reporter",)}),
    _pytest("pytest-subtests", {"sub": _SUBTESTS}, forms={"workers": ("-p", "xdist.plugin", "-n", "2")}),
    Tool(
        name="unittest-sub",
        argv=("python", "-m", "unittest", "{files}"),
        programs={"sub": _SUBTESTS},
        forms={"verbose": ("-v",), "buffer": ("-b",), "locals": ("--locals",)},
    ),
    Tool(
        name="green",
        argv=("green", "{files}"),
        programs={"sub": _SUBTESTS},
        colour=("-t",),
        forms={"verbose": ("-vvv",), "one": ("-s", "1")},
    ),
    Tool(name="nose2", argv=("nose2", "test_store"), programs={"sub": _SUBTESTS}, forms={"verbose": ("-v",)}),
    Tool(
        name="ward",
        argv=("ward", "--path", "."),
        programs={"ward": _WARD},
        forms={"dots": ("--test-output-style", "dots-global"), "random": ("--order", "random")},
    ),
    Tool(
        name="testslide",
        argv=("testslide", "--force-color", "{files}"),
        programs={"slide": _TESTSLIDE},
        forms={"long": ("--format", "long"), "shuffle": ("--shuffle",)},
    ),
    Tool(
        name="django-check",
        argv=("python", "manage.py", "check", "--fail-level", "WARNING"),
        programs={"models": _DJANGO_MODELS},
        colour=("--force-color",),
    ),
    Tool(
        name="django-test",
        argv=("python", "manage.py", "test"),
        programs={"tests": _DJANGO_TESTS},
        forms={"verbose": ("-v", "2"), "shuffle": ("--shuffle",)},
    ),
    Tool(name="alembic", argv=("alembic", "upgrade", "head"), programs={"versions": _ALEMBIC}),
)
