"""What Claude Code printed, read as turns, a bill and a reason."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.act.agents.base import AgentCall
from trueup.act.agents.claude import ClaudeReader, invocation
from trueup.act.agents.program import Options
from trueup.act.agents.told import Told
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

SAMPLES = Path(__file__).parent / "samples"


def read(lines: Iterable[str]) -> tuple[Told, list[Turn]]:
    reader = ClaudeReader()
    turns = [turn for line in lines for turn in reader.read(line)]
    return reader.told, [*turns, *reader.finish()]


def sample(name: str) -> tuple[Told, list[Turn]]:
    return read((SAMPLES / f"claude_{name}.jsonl").read_text(encoding="utf-8").splitlines())


def test_what_it_did_comes_as_turns_in_order_each_with_its_result() -> None:
    told, turns = sample("fix")
    done = [(turn.doing, turn.paths, turn.exit_code) for turn in turns]
    assert done == [
        (Doing.SAY, (), None),
        (Doing.RUN, (), 0),
        (Doing.READ, ("/home/dev/ws/calc.py",), None),
        (Doing.SAY, (), None),
        (Doing.EDIT, ("/home/dev/ws/calc.py",), None),
        (Doing.RUN, (), 0),
        (Doing.SAY, (), None),
    ]
    assert turns[1].args == "python3 -m unittest -q 2>&1 | tail -20"
    assert "FAIL: test_add" in turns[1].output
    assert told.usd == pytest.approx(0.0225)
    assert (told.tokens, told.status, told.problem) == (5500, None, "")
    assert told.session == "0a6eed14-2486-4585-a648-a603936b4d29"


@pytest.mark.parametrize(
    ("name", "status", "usd"),
    [
        ("401", AgentStatus.CREDENTIALS, 0.0),
        ("429", AgentStatus.RATE_LIMITED, 0.0),
        ("max_budget", AgentStatus.DONE, 0.024),
        ("max_turns", AgentStatus.DONE, None),
        ("interrupted", AgentStatus.FAILED, 0.006),
        ("refused", AgentStatus.REFUSED, 0.0045),
        ("terminated", None, None),
    ],
)
def test_how_it_ended_is_told_by_its_last_event_not_by_its_word_success(
    name: str, status: AgentStatus | None, usd: float | None
) -> None:
    told, _ = sample(name)
    assert told.status is status
    if usd is not None or name == "terminated":
        assert told.usd == (usd if usd is None else pytest.approx(usd))


def test_interrupted_in_its_first_answer_it_has_not_worked_for_nothing() -> None:
    told, _ = sample("stalled")
    assert (told.usd, told.status) == (None, AgentStatus.FAILED)
    assert told.problem == "the agent was interrupted while its model answered, and did not count that"


def test_a_call_without_an_answer_is_a_turn_without_a_result() -> None:
    _, turns = sample("terminated")
    assert [(turn.args, turn.output, turn.failed) for turn in turns] == [("sleep 30", "", None)]


def event(**content: object) -> str:
    return json.dumps(content)


def asked(command: str, answer: str, *, error: bool) -> list[str]:
    use = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": answer, "is_error": error}
    return [
        event(type="assistant", message={"model": "m", "content": [use]}),
        event(type="user", message={"content": [result]}),
    ]


@pytest.mark.parametrize(
    ("answer", "code"), [("Exit code 3\nhi", 3), ("The user doesn't want to proceed", None), ("Exit code x", None)]
)
def test_a_failed_commands_exit_code_is_in_its_text(answer: str, code: int | None) -> None:
    _, turns = read(asked("false", answer, error=True))
    assert [(turn.failed, turn.exit_code) for turn in turns] == [(True, code)]


def test_a_command_in_the_background_has_no_exit_code_yet() -> None:
    _, turns = read(asked("pytest &", "Command running in background with ID: b1", error=False))
    assert [turn.exit_code for turn in turns] == [None]


def test_two_bills_are_none() -> None:
    bill = event(type="result", subtype="success", is_error=False, total_cost_usd=0.5)
    told, _ = read([bill, bill])
    assert (told.usd, told.problem) == (None, "the agent reported its cost twice")


def test_a_bill_after_which_the_model_goes_on_is_not_the_end() -> None:
    bill = event(type="result", is_error=False, total_cost_usd=0.0001)
    told, _ = read([*asked("ls", "", error=False), bill, *asked("ls", "", error=False)])
    assert (told.usd, told.problem) == (None, "the agent went on after it had reported its cost")


def test_a_bill_of_zero_after_work_is_not_believed() -> None:
    told, _ = read([*asked("ls", "", error=False), event(type="result", is_error=False, total_cost_usd=0)])
    assert told.usd is None
    assert "zero although its model worked" in told.problem


@pytest.mark.parametrize("claim", ["NaN", "-1", '"1"', "true", "1e400", "null"])
def test_a_cost_that_is_no_amount_is_unknown(claim: str) -> None:
    told, _ = read([f'{{"type": "result", "is_error": false, "total_cost_usd": {claim}}}'])
    assert told.usd is None


def test_a_refusal_is_named() -> None:
    told, _ = read([event(type="result", is_error=False, stop_reason="refusal", total_cost_usd=0.1)])
    assert told.status is AgentStatus.REFUSED


def test_a_full_context_is_named() -> None:
    told, _ = read([event(type="result", is_error=True, result="Prompt is too long", total_cost_usd=0.1)])
    assert told.status is AgentStatus.CONTEXT_FULL


def test_an_overload_that_passed_is_forgotten() -> None:
    retry = event(type="system", subtype="api_retry", error_status=529, error="overloaded")
    told, _ = read([retry])
    assert told.status is AgentStatus.OVERLOADED
    told, _ = read([retry, *asked("ls", "", error=False)])
    assert told.status is None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["assistant", "tool_use", "text"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "message", "content", "id", "input", "tool_use_id", "modelUsage", "errors", "model"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.just("type"), st.sampled_from(["assistant", "user", "result", "system"])), JSON)
def test_nothing_that_it_prints_can_upset_us(kind: dict[str, str], content: object) -> None:
    read([json.dumps({**(content if isinstance(content, dict) else {"message": content}), **kind}), "{", "\0", "[1]"])


@pytest.fixture
def call(tmp_path: Path) -> AgentCall:
    return AgentCall(
        prompt="fix it",
        prompt_file=tmp_path / "prompt.md",
        workspace=tmp_path,
        attempt=1,
        seconds=60,
        usd=1.5,
        env={},
        scratch=tmp_path,
    )


def test_the_prompt_is_no_argument_and_the_cap_is_what_is_left(call: AgentCall) -> None:
    asked = invocation("/bin/claude", call, Options(model="opus", args=("--mcp-config", "x")))
    assert asked.asks
    assert "fix it" not in asked.argv
    words = " ".join(asked.argv)
    assert "--max-budget-usd 1.5000 --session-id " in words
    assert words.endswith(" --model opus --mcp-config x")
    assert words.endswith("--mcp-config x")


def test_an_earlier_session_is_resumed(call: AgentCall) -> None:
    from dataclasses import replace

    asked = invocation("/bin/claude", replace(call, session="abc", usd=None), Options())
    assert asked.argv[-2:] == ("--resume", "abc")
    assert "--max-budget-usd" not in asked.argv
