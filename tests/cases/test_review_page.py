"""What docs/review.md shows works as it is shown."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.decide.review import Aspect
from trueup.decide.review_answer import answer_of_file
from trueup.decide.state import Class
from trueup.decide.task import AgentSpec, ReviewerSpec
from trueup.report.review_prompt import _QUESTIONS
from trueup.testing import Driven, ScriptedAgent, task_for

PAGE = (Path(__file__).parents[2] / "docs" / "review.md").read_text()
FIXED = "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return a * 2\n"


def shown(language: str) -> str:
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(block)


def test_the_answer_on_the_page_is_one() -> None:
    answer = answer_of_file(shown("json"), json.loads(shown("json"))["nonce"])
    assert not answer.approved
    assert answer.points[0].aspect is Aspect.CORRECTNESS


def test_the_aspects_are_asked_for_in_the_order_of_the_page() -> None:
    assert re.findall(r"^\d\. `(\w+)`", PAGE, re.MULTILINE) == list(Aspect) == list(_QUESTIONS)


def test_the_command_on_the_page_reviews(plain: Callable[..., Path], go: Callable[..., Driven], tmp_path: Path) -> None:
    script = tmp_path / "review.py"
    script.write_text(shown("python"))
    assert len(shown("python").splitlines()) <= 15
    reviewer = ReviewerSpec(agent=AgentSpec(name="review", command=f"{sys.executable} -S {script}"))
    author = ScriptedAgent({"calc.py": FIXED}, {"CHANGELOG.md": "- add adds\n"})
    task = replace(task_for(check=(sys.executable, "-S", "check.py")), reviewer=reviewer)
    result = go(plain(), author, task)
    assert result.outcome.status is Status.PASSED, result.screen
    assert result.classes == [Class.REJECTED, Class.GREEN]
    assert "- completeness (CHANGELOG.md, changelog): Say in CHANGELOG.md" in author.prompts[1]
