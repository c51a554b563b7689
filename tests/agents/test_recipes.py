"""The recipes of docs/agents/others.md, as they stand there: real programs that trueup drives by a command."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

DOCS = (Path(__file__).parents[2] / "docs" / "agents" / "others.md").read_text(encoding="utf-8")
TEST = {"bash": "python3 -m unittest -q 2>&1 | tail -20"}
FIX = {"edit": "calc.py", "old": "return a - b", "new": "return a + b"}
FIXES = {"turns": [{"do": [TEST]}, {"do": [FIX]}, {"do": [TEST]}, {"say": "Fixed."}]}
REFUSED = {"turns": [{"fault": "http", "status": 401, "message": "invalid x-api-key"}], "on_end": "repeat_last"}


def blocks() -> dict[str, dict[str, Any]]:
    """The agents that the page configures, by name."""
    found = (tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", DOCS, re.DOTALL))
    return {agent["name"]: agent for block in found for agent in block["agent"]}


def with_cost(kitchen: Any) -> None:
    """The agent of the page that tells its cost, as the project's own."""
    agent = blocks().get(kitchen.program.name)
    if agent is None:
        pytest.skip("the page has no recipe with its cost")
    if not (kitchen.tools / "jq").exists():
        pytest.skip("the recipe needs jq")
    command = agent["command"]
    said = kitchen.recipe(command) if isinstance(command, str) else [kitchen.recipe(word) for word in command]
    kitchen.settings = kitchen.settings_of({**agent, "command": said})


def arrived(ran: Any) -> str:
    return "\n".join(str(request["news"]) for request in ran.requests)


def test_it_fixes_the_bug_and_its_cost_is_not_known(kitchen: Any) -> None:
    assert f"`{kitchen.program.command}`" in DOCS
    ran = kitchen.run(FIXES, "--agent-cmd", kitchen.recipe(kitchen.program.command))
    outcome = ran.outcome
    assert (outcome["status"], ran.exit_code, outcome["usd"]) == ("passed", 0, None), outcome["detail"]
    assert "-1 != 5" in arrived(ran)
    assert ran.left == []


def test_a_refused_key_ends_the_run(kitchen: Any) -> None:
    ran = kitchen.run(REFUSED, "--agent-cmd", kitchen.recipe(kitchen.program.command))
    outcome = ran.outcome
    assert (outcome["status"], ran.exit_code, outcome["attempts"]) == ("blocked", 5, 1), outcome["detail"]
    assert ran.left == []


def test_with_its_cost_that_is_charged(kitchen: Any) -> None:
    with_cost(kitchen)
    ran = kitchen.run(FIXES)
    outcome = ran.outcome
    assert (outcome["status"], ran.exit_code) == ("passed", 0), outcome["detail"]
    each = kitchen.program.usd_per_request
    (attempt,) = ran.attempts
    # A model without a price is reported as free, which is not believed.
    right = attempt.reserved if each is None else each * attempt.answers
    assert outcome["usd"] == pytest.approx(right)
