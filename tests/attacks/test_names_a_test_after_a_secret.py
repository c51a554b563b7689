"""Test ids are made from what the tested code says, and that is a secret."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.outcome import Status
from trueup.evidence.report import Strength
from trueup.testing import Driven, commit_all, write_files

TEST = """\
import pytest
from calc import CASES, add


@pytest.mark.parametrize("case", CASES)
def test_it(case):
    assert add(2, 3) == 5
"""
OWN = ("ghp_0123456789abcdefghij0001", "ghp_0123456789abcdefghij0002")
"""Keys that the user's own tests are named after."""


@pytest.fixture
def cases(project: Path) -> str:
    text = f"CASES = {OWN!r}\n"
    write_files(project, {"tests/test_cases.py": TEST, "calc.py": (project / "calc.py").read_text() + text})
    commit_all(project, "cases")
    return text


def test_new_ids_are_kept_without_their_secrets_and_apart(
    attack: Callable[..., Driven], secret: Any, fix: str, cases: str
) -> None:
    more = (secret.token, secret.key, f"{secret.key}f")
    result = attack({"calc.py": f"{fix}{cases}CASES += {more!r}\n"}, attempts=1)
    assert result.outcome.status is Status.BLOCKED
    report = result.attempts[0].report
    assert report is not None
    assert len({id_ for id_ in report.results[0].passed if "[redacted]" in id_}) == 5


@pytest.mark.usefixtures("cases")
def test_tests_that_are_named_so_from_the_start_are_found_again(
    attack_and_repair: Callable[..., Driven], project: Path
) -> None:
    right = (project / "calc.py").read_text().replace("a - b", "a + b")
    result = attack_and_repair({"calc.py": right}, attempts=1)
    assert result.outcome.proof is not None
    assert result.outcome.proof.strength is Strength.TWIN
    assert len([key for key in result.outcome.fixed if "[redacted]" in key]) == 2
    (journal,) = result.folder.parents[1].glob("journal.db")
    assert OWN[0].encode() not in journal.read_bytes()
