"""Who reviews? A flag, a variable, the file; one reviewer, whose cost counts like any other's."""

from typing import Any

import pytest

from trueup.config import Overrides, build_task
from trueup.config.file import validate
from trueup.decide.task import PERSON, AgentSpec, Task, paid_agents
from trueup.errors import UsageError

KNOWN = {
    name: AgentSpec(
        name=name, kind=name, reports_cost=name != "mute", usd_per_attempt=0.0 if name == "search" else None
    )
    for name in ("claude", "codex", "search", "mute")
}


def task(config: dict[str, Any] | None = None, environ: dict[str, str] | None = None, **flags: Any) -> Task:
    wishes = Overrides(agent=("claude",), **flags) if "agent" not in flags else Overrides(**flags)
    return build_task(validate(config or {}, "trueup.toml"), wishes, environ or {}, known_agents=KNOWN)


def reviewer(*args: Any, **flags: Any) -> str:
    found = task(*args, **flags).reviewer
    return found.name if found else "nobody"


def test_nobody_reviews_unless_somebody_is_named() -> None:
    assert reviewer() == "nobody"
    assert task().review_rounds == 3
    assert task({"review_rounds": 5}).review_rounds == 5


def test_a_person_an_agent_with_its_model_or_any_command() -> None:
    assert reviewer(reviewer=PERSON) == "person"
    assert task(reviewer=PERSON).reviewer is not None
    assert paid_agents(task(reviewer=PERSON)) == task().agents
    assert reviewer(reviewer="codex:gpt-5") == "codex:gpt-5"
    own = task(reviewer_cmd="./review.sh --strict")
    assert own.reviewer is not None
    assert own.reviewer.agent is not None
    assert own.reviewer.agent.command == "./review.sh --strict"
    assert [a.name for a in paid_agents(own)] == ["claude", own.reviewer.name]


def test_a_flag_goes_before_a_variable_and_that_before_the_file() -> None:
    file, variable = {"reviewer": "claude"}, {"TRUEUP_REVIEWER": "codex"}
    assert reviewer(file) == "claude"
    assert reviewer(file, variable) == "codex"
    assert reviewer(file, variable, reviewer=PERSON) == "person"
    assert reviewer({"reviewer": "claude"}, reviewer_cmd="review") == "review"
    assert reviewer({"reviewer_cmd": "review"}, reviewer="codex") == "codex"


@pytest.mark.parametrize(
    ("config", "flags", "what"),
    [
        ({}, {"reviewer": "codex", "reviewer_cmd": "review"}, "--reviewer and --reviewer-cmd are both given"),
        ({"reviewer": "codex", "reviewer_cmd": "review"}, {}, "are both given"),
        ({}, {"reviewer": "cody"}, "agent 'cody' is not known"),
        ({}, {"reviewer": "search"}, "cannot review"),
        ({"review_rounds": 0}, {}, "review_rounds"),
        ({}, {"reviewer": "mute", "max_usd": "2"}, "agent 'mute' does not report what it costs"),
    ],
)
def test_what_cannot_be_meant_is_refused(config: dict[str, Any], flags: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        task(config, **flags)


def test_a_reviewer_whose_cost_is_not_known_lifts_the_default_limit_and_a_price_keeps_it() -> None:
    assert task(reviewer="codex").limits.usd == 5.0
    assert task(reviewer="mute").limits.usd is None
    assert task({"usd_per_attempt": 0.1}, reviewer="mute").limits.usd == 5.0


def test_a_configured_reviewer_does_not_work_on_the_task_unless_nobody_else_would() -> None:
    both = {"agent": [{"name": "claude"}, {"name": "strict", "command": "strict"}], "reviewer": "strict"}
    assert [a.name for a in task(both, agent=None).agents] == ["claude"]
    assert reviewer(both, agent=None) == "strict"
    assert [a.name for a in task(both, agent=("strict",)).agents] == ["strict"]
    alone = {"agent": [{"name": "claude"}], "reviewer": "claude"}
    assert [a.name for a in task(alone, agent=None).agents] == ["claude"]
