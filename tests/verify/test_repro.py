"""The command that shows one failure again: in its folder, with its variables and options, and nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import pytest

from trueup.verify.runners.repro import options

BAD = {
    "sub/tests/test_a.py": """
        import os, warnings

        def test_bad():
            warnings.warn("careful", DeprecationWarning)
            assert os.environ.get("MODE") == "no"

        def test_other():
            assert False
        """,
    "sub/a.ini": "[pytest]\n",
    "none/test_none.py": "def test_none(): pass\n",
    "sub/Makefile": "check:\n\tMODE='a b' pytest -q -x -W error -k bad\n",
}


@pytest.mark.parametrize(
    ("command", "repro"),
    [
        ("pytest -q sub", "pytest sub/tests/test_a.py::test_bad"),
        ("cd sub && pytest -q", "cd sub && pytest tests/test_a.py::test_bad"),
        ("MODE='a b' pytest", "MODE='a b' pytest sub/tests/test_a.py::test_bad"),
        ("env MODE=a pytest", "env MODE=a pytest sub/tests/test_a.py::test_bad"),
        ("sh -c 'cd sub; python -m pytest -q'", "cd sub && python -m pytest tests/test_a.py::test_bad"),
        ("pytest -x -W error --maxfail 1 -k bad sub", "pytest -W error sub/tests/test_a.py::test_bad"),
        (
            "pytest -Werror --import-mode importlib",
            "pytest -Werror --import-mode importlib sub/tests/test_a.py::test_bad",
        ),
        ("pytest --doctest-modules sub", "pytest --doctest-modules sub/tests/test_a.py::test_bad"),
        ("MODE=$HOME pytest", "pytest sub/tests/test_a.py::test_bad"),
        ("pytest --rootdir sub -c sub/a.ini", "pytest --rootdir sub -c sub/a.ini sub/tests/test_a.py::test_bad"),
        ("pytest -W error none; MODE=a pytest sub", "MODE=a pytest sub/tests/test_a.py::test_bad"),
        ("cd none && pytest -W error; cd ..; MODE=a pytest sub", "MODE=a pytest sub/tests/test_a.py::test_bad"),
        ("pytest -q sub; pytest sub/tests", "pytest sub/tests/test_a.py::test_bad"),
    ],
)
def test_a_test_runs_alone_as_the_command_ran_it(lab: Any, command: str, repro: str) -> None:
    result = lab.check(BAD, command)
    assert result.failures[0].repro == repro


def test_none_is_told_where_two_commands_may_have_run_it_in_another_way(lab: Any) -> None:
    assert lab.check(BAD, "pytest -q sub; MODE=a pytest sub/tests").failures[0].repro is None


def test_the_same_holds_for_unittest(lab: Any) -> None:
    case = "import unittest\n\nclass A(unittest.TestCase):\n    def test_bad(self):\n        self.fail()\n"
    files = {"test_a.py": case, "other/test_b.py": "import unittest\n"}
    twice = lab.check(files, "python -m unittest; MODE=a python -m unittest").failures
    assert {f.repro for f in twice} == {None}
    alone = lab.check(files, "(cd other && python -m unittest -v); MODE=a python -m unittest").failures
    assert {f.repro for f in alone} == {"MODE=a python -m unittest test_a.A.test_bad"}


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_what_a_recipe_says_is_kept_and_shows_just_this_failure(lab: Any) -> None:
    (failure,) = lab.check(BAD, "make -C sub check").failures
    assert failure.repro == "cd sub && MODE='a b' pytest -W error tests/test_a.py::test_bad"
    lab.load(BAD)
    ended = subprocess.run(
        failure.repro, shell=True, cwd=lab.bench.folder, env=lab.env, capture_output=True, text=True, check=False
    )
    assert "DeprecationWarning: careful" in ended.stdout
    assert "1 failed in" in ended.stdout


def test_options_keep_their_values_and_operands_are_none() -> None:
    flags, valued = re.compile("--fast"), re.compile("--mode(?:=.*)?|--extra")
    words = (
        "--fast",
        "a",
        "--mode",
        "x",
        "--mode=y",
        "--extra",
        "path",
        "--extra",
        "-q",
        "--other",
        "z",
        "--mode",
        "$X",
    )
    kept = options(words, flags, valued, is_operand=lambda _option, word: word == "path")
    assert kept == ("--fast", "--mode", "x", "--mode=y", "--extra", "--extra")
    assert options((), flags, valued) == ()
