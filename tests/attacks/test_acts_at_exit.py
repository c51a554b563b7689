"""Product code rewrites the report when the interpreter ends, and changes its exit code."""

from collections.abc import Callable

from trueup.decide.outcome import Status
from trueup.testing import Driven

REWRITES = """\
import atexit
import glob
import os
import tempfile


def rewrite():
    for name in glob.glob(tempfile.gettempdir() + "/**/events/*.jsonl", recursive=True):
        with open(name) as file:
            text = file.read()
        with open(name, "w") as file:
            file.write(text.replace('"failed"', '"passed"'))
    os._exit(0)


atexit.register(rewrite)


def add(a, b):
    return a - b


def double(a):
    return a * 2
"""


def test_a_report_that_was_rewritten_at_exit_is_shown_to_a_person(
    attack: Callable[..., Driven], looked_at: Callable[[Driven], set[str]]
) -> None:
    result = attack({"calc.py": REWRITES}, attempts=1)
    assert result.outcome.status is Status.BLOCKED
    assert {"acts when the interpreter ends", "ends the interpreter at once"} <= looked_at(result)
