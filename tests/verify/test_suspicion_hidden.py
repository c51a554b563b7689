"""Ways around the plain names of what can fool a test."""

from textwrap import dedent

import pytest

from trueup.verify.suspicion import suspicions


def whys(new: str, old: str | None = None, *, opaque: bool = False, path: str = "src/product.py") -> list[str]:
    return [s.why for s in suspicions([(path, None if old is None else dedent(old), dedent(new))], opaque=opaque)]


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os')._exit(0)",
        "import os\ngetattr(os, '_ex' + 'it')(0)",
        "import os\ngetattr(os, name)(0)",
        "import os\nvars(os)[name](0)",
        "import os\nos.__dict__[name](0)",
        "import os as o\nm = o\ngetattr(m, name)(0)",
        "import os, functools\nfunctools.reduce(getattr, names, os)",
        "from os import *\n_exit(0)",
        "import ctypes\nctypes.CDLL(None).exit(0)",
        "from posix import kill",
        "import __main__\n__main__.pytest",
        "import importlib\nimportlib.import_module(name)",
        "from importlib import import_module\nimport_module('_py' + 'test')",
        "import pkgutil\npkgutil.resolve_name(name)",
        "exec(open('data.txt').read())",
        "eval(text)",
        "exec('import os; os._exit(0)')",
        "import pickle\npickle.loads(b'cos\\n_exit\\n(I0\\ntR.')",
        "import runpy",
        "import types\ntypes.FunctionType(code, {})",
        "import os\nos.ftruncate(7, 0)",
        "import os\nos.dup2(1, 7)",
        "import os\npid = os.fork()",
        "import os\nos.listdir('/dev/fd')",
        "x = attrgetter('f_back')",
        "x = 'kcab_f'[::-1]",
        "import json\njson.dumps = str",
        "import json\nsetattr(json, 'dumps', str)",
        "def pytest_runtest_logreport(report): report.outcome = 'passed'",
        "class Plug:\n    def pytest_pyfunc_call(self): return True",
        "x = open('tests/test_calc.py')",
        "x = 'tests/test_calc.py::test_add'",
        "class A:\n    def __eq__(self, other): return other == other",
        "class A:\n    def __eq__(self, other): return isinstance(other, int)",
        "class A:\n    def __eq__(self, other): return self.x == other.x or True",
        "class A(int):\n    def __eq__(self, other): return self.x == other.x",
        "def same(a, b): return True\nclass A:\n    __eq__ = same",
        "class A: pass\nA.__eq__ = object.__ne__",
        "class A:\n    def __sub__(self, other): return 0",
        "A = type('A', (int,), {'__e' + 'q__': f})",
        "A = type('A', (int,), {f'__eq__': f})",
        "# coding: unicode_escape\n# \\nimport os; os._exit(0)",
        "#!/usr/bin/env python\n# -*- coding: utf_7 -*-",
    ],
)
def test_what_hides_is_shown_to_a_person(code: str) -> None:
    assert whys(code)
    assert whys(code, old=code) == []


@pytest.mark.parametrize(
    "code",
    [
        "# -*- coding: utf-8 -*-\nx = 1",
        "import os, sys\nx = hasattr(os, 'fork') and getattr(sys, 'frozen', False)",
        "import logging\nx = getattr(logging, level.upper())",
        "import importlib\nimportlib.import_module('plugins.' 'csv')",
        "import re\nx = re.compile(pattern)",
        "import sys\nsys.stdout = sys.stderr = stream",
        "import os\nos.environ['HOME'] = '/'",
        "import pickle\nx = pickle.loads(data)",
        "class A:\n    def __eq__(self, other):\n        return isinstance(other, A) and other.x == self.x",
        "class A:\n    def __eq__(self, other):\n        if not isinstance(other, A): return NotImplemented\n        return self.x == other.x",
        "class A(B):\n    def __eq__(self, other): return super().__eq__(other)",
        "class A:\n    def __add__(self, other): return A(self.x + other.x)\n    __radd__ = __add__",
        "class A(dict):\n    def get(self, key): return self[key]",
        "def assert_positive(x):\n    assert x > 0",
        '"""Looks at tests/test_calc.py and `pytest_plugins`."""',
        "x = 'latest_version.py of the test'",
        "import sys\ndef main(): sys.exit(run())",
    ],
)
def test_plain_code_is_not_suspicious(code: str) -> None:
    assert whys(code) == []


def test_an_assertion_that_tests_fail_by_may_not_change_unseen() -> None:
    old = "def assert_same(a, b):\n    assert a == b\n\n\ndef other():\n    assert x\n"
    assert whys(old.replace("assert a == b", "a == b"), old) == ["changes what assert_same finds out"]
    assert whys("def other():\n    assert x\n", old) == ["changes what assert_same finds out"]
    assert whys(old.replace("assert x", "return x"), old) == []


def test_where_only_an_exit_code_is_seen_every_exit_and_every_lost_assertion_counts() -> None:
    old = "import sys\n\n\ndef main():\n    assert ready\n"
    exits = old + "    sys.exit(code)\n"
    assert whys(exits, old) == []
    assert whys(exits, old, opaque=True) == ["ends the interpreter"]
    assert whys(old + "    raise SystemExit\n", old, opaque=True) == ["ends the interpreter"]
    assert whys(old.replace("assert ready", "return ready"), old, opaque=True) == ["takes an assertion away"]
    assert whys(old + "\n\nif __name__ == '__main__':\n    sys.exit(main())\n", old, opaque=True) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.go", "os.Exit(0)"),
        ("src/a.rs", "std::process::exit(0);"),
        ("A.java", "System.exit(0);"),
        ("a.c", "_exit(0);"),
        ("a.rb", "at_exit { exit! 0 }"),
    ],
)
def test_other_languages_must_not_end_as_if_all_were_well(path: str, line: str) -> None:
    assert whys(line, path=path) == ["ends the process as if all were well"]
    assert whys(line, line, path=path) == []
    assert (
        whys(line.replace("0", "1").replace("exit!", "").replace("at_", "").replace("_exit", "exit"), path=path) == []
    )


def test_the_line_of_what_hides_is_named() -> None:
    (found,) = suspicions([("a.py", "x = 1\n", "x = 1\nexec(y)\n")])
    assert (found.line, found.text) == (2, "exec(y)")
