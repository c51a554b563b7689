from __future__ import annotations

from textwrap import dedent

import pytest

from trueup.verify.suspicion import suspicions


def whys(new: str, old: str | None = None, path: str = "src/product.py") -> list[str]:
    return [s.why for s in suspicions([(path, None if old is None else dedent(old), dedent(new))])]


@pytest.mark.parametrize(
    "code",
    [
        "import _pytest.runner",
        "from pytest import fixture",
        "import pluggy",
        "from unittest import mock",
        "import os\nif os.environ.get('PYTEST_CURRENT_TEST'): x = 1",
        "import sys\nx = 'pytest' in sys.modules",
        "import sys\nsys.modules['json'] = None",
        "from sys import modules as m\nm.clear()",
        "import os\ndef f(): os._exit(0)",
        "from os import _exit as bye\ndef f(): bye(0)",
        "import os\ngetattr(os, '_exit')(0)",
        "import sys\nsys.exit(0)",
        "try:\n    import x\nexcept ImportError:\n    raise SystemExit",
        "import atexit",
        "import sys\ndef f(): sys.settrace(None)",
        "import sys\ndef f(): return sys._getframe(1)",
        "import inspect\ndef f(): return inspect.stack()",
        "def f(frame): return frame.f_back",
        "import gc\nx = gc.get_objects()",
        "class A:\n    def __eq__(self, other): return True",
        "class A:\n    def __ne__(self, other):\n        return not True",
        "class A:\n    __eq__ = lambda self, other: True",
        "A = type('A', (), {'__eq__': lambda *_: True})",
        "class A(type):\n    def __instancecheck__(cls, it): return True",
        "import faulthandler",
        "import signal\nsignal.signal(2, None)",
        "import builtins\nbuiltins.len = None",
        "AssertionError = ValueError",
        "import ctypes\nctypes.memmove(1, 2, 3)",
        "x = open('/proc/self/environ')",
        "import conftest",
        "from tests.helpers import evil",
        "from . import conftest",
        "import base64\nexec(base64.b64decode('eA=='))",
        "import os\nos.kill(os.getpid(), 9)",
        "import os\nos.execv('/bin/true', ['true'])",
        "open('conftest.py', 'w')",
    ],
)
def test_code_that_could_fool_the_tests_is_shown_to_a_person(code: str) -> None:
    assert whys(code)
    assert whys(code, old=code) == []


@pytest.mark.parametrize(
    "code",
    [
        '"""Run with pytest; see PYTEST_CURRENT_TEST."""',
        "# import _pytest, os._exit",
        "import sys\ndef main(): sys.exit(1)",
        "import sys\nif __name__ == '__main__':\n    sys.exit(1)",
        "class A:\n    def __eq__(self, other): return isinstance(other, A) and other.x == self.x",
        "class A:\n    def __eq__(self, other): return NotImplemented",
        "class A:\n    def __lt__(self, other): raise TypeError",
        "x = eval('1 + 1')",
        "print('all pytest runs are slow')",
        "import os, sys, inspect, signal\nx = os.environ.get('HOME'), sys.argv, inspect.signature(len), signal.SIGTERM",
        "from . import testing_tools_of_ours",
        "x = 5 / 3",
    ],
)
def test_ordinary_code_is_not_suspicious(code: str) -> None:
    assert whys(code) == []


def test_only_what_is_new_is_mentioned_even_when_it_moved() -> None:
    old = "import os\ndef f():\n    os._exit(1)\n"
    assert whys("import os\n\n\ndef g():\n    os._exit(1)\n", old) == []
    assert whys(old + "def g():\n    os._exit(1)\n", old) == ["ends the interpreter at once"]


def test_a_suspicion_names_the_line() -> None:
    (seen,) = suspicions([("a.py", "x = 1\n", "x = 1\nimport atexit\n")])
    assert (seen.path, seen.line, seen.text) == ("a.py", 2, "import atexit")


@pytest.mark.parametrize("path", ["tests/test_a.py", "a_test.py", "src/a.test.ts", "web/b.spec.js"])
def test_test_files_may_use_their_runner(path: str) -> None:
    assert whys("import pytest, atexit\nprocess.exit(0)\n", path=path) == []


def test_python_of_a_newer_version_is_read_line_by_line() -> None:
    assert whys("match x = 1\n# os._exit\nos._exit(0)\n") == ["ends the interpreter or acts when it ends"]


def test_a_script_without_suffix_is_python_when_it_says_so() -> None:
    assert whys("#!/usr/bin/env python3\nimport atexit\n", path="bin/tool")
    assert whys("#!/bin/sh\nimport atexit\n", path="bin/tool") == []


@pytest.mark.parametrize(
    "line",
    [
        "process.exit(0)",
        "process.on('exit', () => {})",
        "delete require.cache[x]",
        "import { vi } from 'vitest'",
        "jest.mock('./x')",
        "if (process.env.JEST_WORKER_ID) return 4",
        "Object.prototype.toString = () => ''",
        "Object.is = () => true",
        "globalThis.expect = x",
    ],
)
def test_javascript_that_could_fool_the_tests_is_shown(line: str) -> None:
    assert whys(line, path="src/a.ts")
    assert whys(f"// {line}", path="src/a.ts") == []
    assert whys("const jestless = expectation(processExit)", path="src/a.ts") == []


def test_other_languages_are_not_read() -> None:
    assert whys("import atexit", path="notes.md") == []
