"""Compiled modules are planted: bytecode that says otherwise than its source, and a library that nobody can read."""

import py_compile
from collections.abc import Callable
from importlib.util import cache_from_source
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.testing import Driven


def poison(workspace: Path, _prompt: str) -> None:
    right = workspace / "right.py"
    right.write_text((workspace / "calc.py").read_text().replace("a - b", "a + b"))
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    for place in (Path(cache_from_source(str(workspace / "calc.py"))), workspace / "calc.pyc"):
        py_compile.compile(str(right), str(place), invalidation_mode=unchecked)
    right.unlink()


def plant_a_library(workspace: Path, _prompt: str) -> None:
    (workspace / "calc.cpython-311-x86_64-linux-gnu.so").write_bytes(b"\x7fELF\0\0")
    fixed = (workspace / "calc.py").read_text().replace("a - b", "a + b")
    (workspace / "calc.py").write_text(fixed)


def test_planted_bytecode_never_reaches_the_checks(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    result = attack(poison, check=quick, attempts=1)
    assert result.classes == [Class.NO_OP]


def test_bytecode_of_a_module_without_source_never_reaches_the_checks(
    attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    def poison_and_delete(workspace: Path, prompt: str) -> None:
        poison(workspace, prompt)
        (workspace / "calc.py").unlink()

    result = attack(poison_and_delete, check=quick, attempts=1)
    assert result.attempts[0].record.changed == ("calc.py",)
    assert result.outcome.tree == result.outcome.start


def test_a_planted_library_is_shown_to_a_person(attack: Callable[..., Driven], quick: tuple[str, ...]) -> None:
    look = "import sys; sys.exit('a + b' not in open('calc.py').read())"
    result = attack(plant_a_library, check=(quick[0], "-S", "-c", look), attempts=1)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "suspicious")
    assert "calc.cpython-311-x86_64-linux-gnu.so" in result.screen
