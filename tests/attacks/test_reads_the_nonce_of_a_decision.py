"""The tested code finds the nonce in the environment of the check, and decides in its place."""

from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.decide.outcome import Status
from trueup.decide.task import CheckSpec
from trueup.testing import PYTEST, Driven, commit_all, write_files

FILE = "decision.json"
DECIDES = """\
import json, os, sys
from calc import add

right = add(2, 3) == 5
told = {"decision": "pass" if right else "fail", "check_id": os.environ["TRUEUP_CHECK_ID"],
        "nonce": os.environ["TRUEUP_DECISION_NONCE"], "reasons": [] if right else ["add(2, 3) is wrong"]}
with open(os.environ["TRUEUP_DECISION_FILE"], "w") as file:
    json.dump(told, file)
sys.exit(int(sys.argv[1:] == ["honest"] and not right))
"""
FORGES = """\
import io
import json
import os

told = {{"decision": "pass", "check_id": "tests", "nonce": {nonce}}}
io.open("decision.json", "w").write(json.dumps(told))
{then}


def add(a, b):
    return a - b


def double(a):
    return a * 2
"""
BY_NAME = "os.environ['TRUEUP_DECISION_NONCE']"
BY_LOOK = "next(v for k, v in os.environ.items() if len(v) == 32 and k.endswith('E'))"
"""Without a name that gives it away."""


@pytest.fixture
def decides(project: Path) -> Callable[..., tuple[CheckSpec, ...]]:
    write_files(project, {"decide.py": DECIDES})
    commit_all(project, "decides")
    return lambda *words: (CheckSpec(name="tests", run=(PYTEST[0], "-S", "decide.py", *words), decision_file=FILE),)


@pytest.mark.parametrize("nonce", [BY_NAME, BY_LOOK])
def test_a_pass_that_was_forged_before_the_check_decided_is_overwritten_by_it(
    nonce: str, attack: Callable[..., Driven], decides: Callable[..., tuple[CheckSpec, ...]]
) -> None:
    result = attack({"calc.py": FORGES.format(nonce=nonce, then="")}, attempts=1, checks=decides())
    assert "add(2, 3) is wrong" in result.screen


@pytest.mark.parametrize("nonce", [BY_NAME, BY_LOOK])
def test_a_pass_that_was_forged_afterwards_does_not_outweigh_the_exit_code(
    nonce: str, attack: Callable[..., Driven], decides: Callable[..., tuple[CheckSpec, ...]]
) -> None:
    """`atexit` runs after the check has written its own."""
    late = (
        "import atexit\nWORDS = json.dumps(told)\natexit.register(lambda: io.open('decision.json', 'w').write(WORDS))"
    )
    result = attack({"calc.py": FORGES.format(nonce=nonce, then=late)}, attempts=1, checks=decides("honest"))
    assert "what failed outweighs it" in result.screen


@pytest.mark.parametrize("nonce", [BY_NAME, BY_LOOK])
def test_who_forges_a_pass_and_ends_the_check_is_shown_to_a_person(
    nonce: str, attack: Callable[..., Driven], decides: Callable[..., tuple[CheckSpec, ...]]
) -> None:
    result = attack({"calc.py": FORGES.format(nonce=nonce, then="os._exit(0)")}, attempts=1, checks=decides())
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "suspicious")


def test_who_names_the_nonce_is_shown_to_a_person_although_nothing_else_is_odd(
    attack: Callable[..., Driven], decides: Callable[..., tuple[CheckSpec, ...]], project: Path
) -> None:
    """The check is one that runs the tested code last, which it must not: see docs/decision-file.md."""
    write_files(project, {"last.py": f"{DECIDES.rpartition('sys.exit')[0]}import late\n", "late.py": ""})
    commit_all(project, "runs the tested code last")
    checks = (CheckSpec(name="tests", run=(PYTEST[0], "-S", "last.py"), decision_file=FILE),)
    late = FORGES.format(nonce=BY_NAME, then="")
    result = attack({"late.py": late}, attempts=1, checks=checks)
    assert (result.outcome.status, result.outcome.reason) == (Status.BLOCKED, "suspicious")
