"""Ways to reach by a detour what can fool a test, and plain code that takes none."""

import pytest

from trueup.verify.suspicion import suspicions


def whys(new: str, old: str | None = None, *, opaque: bool = False, path: str = "src/product.py") -> list[str]:
    return [s.why for s in suspicions([(path, old, new)], opaque=opaque)]


@pytest.mark.parametrize(
    "code",
    [
        "import pathlib\npathlib.os._exit(0)",
        "import prices\nprices.sys.modules.clear()",
        "from random import _os as system",
        "from . import prices\nprices.os._exit(0)",
        "import shutil\nshutil.os.execv('/bin/true', ['true'])",
        "import logging\nlogging.__dict__[name]",
        "import os\nos.__getattribute__(name)(0)",
        "print.__self__.exit(0)",
        "object.__subclasses__()",
        "().__class__.__mro__[1].__subclasses__()",
        "warn.__globals__['os']",
        "add.__code__ = double.__code__",
        "from json.encoder import JSONEncoder\nJSONEncoder.encode = f",
        "class A(int):\n    __eq__: object = same",
        "class A(int):\n    for __eq__ in [same]:\n        pass",
        "class A(int):\n    from other import same as __eq__",
        "class A(int):\n    (__eq__ := same)",
        "class A(int):\n    class __eq__:\n        pass",
        "setattr(A, '__%s__' % name, same)",
        "setattr(A, '__{}__'.format(name), same)",
        "setattr(A, f'__{name}__', same)",
        "setattr(A, '__' + name + '__', same)",
        "import sys\nsys.path.insert(0, '/tmp/x')",
        "import sys\nsys.path += [home]",
        "import sys\nsys.path.insert(0, __file__ + '/../a.zip')",
        "import site\nsite.addsitedir('x')",
        "__path__.append('/tmp/x')",
        "import importlib\nimportlib.import_module('unittest.mock')",
        "import timeit\ntimeit.timeit('import os; os._exit(0)')",
        "import cProfile\ncProfile.run(\"__import__('os')\")",
        "def f() -> \"__import__('os').x\": ...",
        "import code",
        "spec.loader.exec_module(module)",
        "from shop import test_tricks",
        "def load_tests(loader, tests, pattern): return tests",
        "TEST_RUNNER = 'shop.Runner'",
        "HANDLER = {'()': 'posix._exit'}",
        "import os\nx = os.environ.get('PYTHONPYCACHEPREFIX')",
        "import os\nx = any(n.startswith('PYTE') for n in os.environ)",
        "setup(entry_points={'pytest11': ['x = x']})",
    ],
)
def test_a_detour_is_shown_to_a_person(code: str) -> None:
    assert whys(code)
    assert whys(code, old=code) == []


@pytest.mark.parametrize(
    "code",
    [
        "import signal, inspect\nx = signal.SIGTERM, inspect.signature(f)",
        "import os.path, importlib.util\nx = os.path.join(a, b), importlib.util.find_spec('x')",
        "import scipy\nx = scipy.signal.lfilter(a, b, c)",
        "import sqlalchemy as sa\nx = sa.inspect(engine)",
        "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))",
        "import sys\nfrom pathlib import Path\nhere = Path(__file__).parent\nsys.path.append(str(here / 'lib'))",
        "import sys\nsys.path.insert(0, 'src')",
        "from pkgutil import extend_path\n__path__ = extend_path(__path__, __name__)",
        "x = Plugin.__subclasses__()",
        "x = f.__code__.co_argcount, f.__self__, self.__dict__",
        "import timeit\nx = timeit.default_timer()",
        "def f(x: 'list[int] | None') -> 'Shop': ...",
        "import importlib\nimportlib.import_module('plugins.csv')",
        "from latest import protest, contest_results",
        "x = name.startswith('__') and name.split('__')",
        "def __exit__(self, *error): return None",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    eq: int = 1",
    ],
)
def test_plain_code_takes_no_detour(code: str) -> None:
    assert whys(code) == []


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nbye = sys.exit",
        "class Done(SystemExit): pass",
        "def f(parser): parser.exit()",
        "def f(parser): parser.parse_args(['--help'])",
        "x = {'()': 'sys.exit'}",
    ],
)
def test_where_only_an_exit_code_is_seen_every_way_to_an_exit_counts(code: str) -> None:
    assert whys(code, opaque=True) == ["ends the interpreter"]
    assert whys(code) == []


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    f()\nexcept SystemExit:\n    pass",
        "def f(parser, argv): parser.parse_args(argv)",
        "class A:\n    def __eq__(self, other):\n        return isinstance(other, A) and self.x == other.x",
        "class A:\n    def __eq__(self, other):\n        return self is other or self.x == other.x",
    ],
)
def test_plain_code_is_plain_there_as_well(code: str) -> None:
    assert whys(code, opaque=True) == []


def test_an_equality_that_weighs_the_other_itself_is_shown_where_only_an_exit_code_is_seen() -> None:
    code = "class A:\n    def __eq__(self, other):\n        return self.x <= other\n"
    assert (whys(code, opaque=True), whys(code)) == (["decides what equality means"], [])


@pytest.mark.parametrize("line", ["import { add } from './sum.spec'", "require('../__tests__/sum')"])
def test_javascript_that_leans_on_its_tests_is_shown(line: str) -> None:
    assert whys(line, path="src/a.ts") == ["imports the tests"]
    assert whys("import { latest } from './latest'", path="src/a.ts") == []
