"""What mini-swe-agent wrote into its trajectory, read as turns, a bill and a reason."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trueup.act.agents.base import AgentCall
from trueup.act.agents.mini import MiniReader, invocation
from trueup.act.agents.program import Options
from trueup.act.agents.told import Told
from trueup.config.prices import Price
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

SAMPLES = Path(__file__).parent / "samples"


def read(path: Path, price: Price | None = None) -> tuple[Told, list[Turn]]:
    reader = MiniReader(path, Options(price=price))
    turns = [*reader.read("mini-swe-agent (step 1, $0.00):"), *reader.finish()]
    return reader.told, turns


def trajectory(path: Path, *messages: dict[str, Any], cost: object = 0.5) -> Path:
    path.write_text(json.dumps({"info": {"model_stats": {"instance_cost": cost}}, "messages": messages}))
    return path


def said(words: str, *commands: str, cost: float = 0.5) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    extra = {"actions": [{"command": c} for c in commands], "cost": cost, "response": {"usage": usage}}
    return {"role": "assistant", "content": words, "extra": extra}


def answered(code: int, output: str = "", problem: str = "") -> dict[str, Any]:
    return {"role": "tool", "extra": {"returncode": code, "raw_output": output, "exception_info": problem}}


def ended(why: str, text: str = "") -> dict[str, Any]:
    return {"role": "exit", "content": text, "extra": {"exit_status": why}}


def test_what_it_did_comes_as_turns_in_order_each_with_its_result() -> None:
    told, turns = read(SAMPLES / "mini_fix.json")
    assert [(turn.doing, turn.exit_code, turn.failed) for turn in turns] == [
        (Doing.SAY, None, None),
        (Doing.RUN, 0, False),
        (Doing.SAY, None, None),
        (Doing.RUN, 0, False),
        (Doing.RUN, 0, False),
        (Doing.SAY, None, None),
        (Doing.RUN, None, None),
    ]
    assert turns[1].args == "python3 -m unittest -q 2>&1 | tail -20"
    assert "FAIL: test_add" in turns[1].output
    assert told.usd == pytest.approx(0.014)
    assert (told.tokens, told.status, told.problem) == (4400, None, "")


def test_each_answer_belongs_to_its_command(tmp_path: Path) -> None:
    steps = (said("", "a", "b"), answered(3, "A"), answered(-1, "B", "timed out"), said("", "c"))
    _, turns = read(trajectory(tmp_path / "t", *steps))
    assert [(turn.args, turn.output, turn.exit_code, turn.failed) for turn in turns] == [
        ("a", "A", 3, True),
        ("b", "B", None, True),
    ]


@pytest.mark.parametrize(("finish", "status"), [("content_filter", AgentStatus.REFUSED), ("stop", AgentStatus.FAILED)])
def test_a_model_that_declines_is_not_one_that_forgets_its_tools(
    tmp_path: Path, finish: str, status: AgentStatus
) -> None:
    response = {"choices": [{"finish_reason": finish}], "usage": {"prompt_tokens": 10, "completion_tokens": 2}}
    asked_again = {"role": "user", "content": "No tool calls found", "extra": {"response": response}}
    told, _ = read(trajectory(tmp_path / "t", asked_again, ended("RepeatedFormatError", "RepeatedFormatError")))
    assert (told.status, told.usd) == (status, 0.5)


def test_it_is_read_while_it_grows_each_thing_once(tmp_path: Path) -> None:
    path = tmp_path / "t"
    reader = MiniReader(path, Options())
    assert list(reader.read("nothing there yet")) == []
    first = (said("one", "a"), answered(0))
    trajectory(path, *first, cost=0.1)
    assert [turn.line for turn in reader.read("")] == ["one", "$ a"]
    assert reader.told.usd == pytest.approx(0.1)
    assert list(reader.read("")) == []
    path.write_text('{"info": {"mod')
    assert list(reader.read("half written")) == []
    trajectory(path, *first, said("two", "b"), answered(0), cost=0.25)
    assert [turn.line for turn in reader.finish()] == ["two", "$ b"]
    assert reader.told.usd == pytest.approx(0.25)


def test_a_bill_that_falls_is_none(tmp_path: Path) -> None:
    reader = MiniReader(trajectory(tmp_path / "t", said("x"), cost=0.5), Options())
    list(reader.read(""))
    trajectory(tmp_path / "t", said("x"), said("yy"), cost=0.4)
    list(reader.finish())
    assert (reader.told.usd, reader.told.problem) == (None, "the agent's reported cost went down")


@pytest.mark.parametrize("cost", [float("nan"), -1, "1", True, 1e400, None, []])
def test_a_cost_that_is_no_amount_is_unknown(tmp_path: Path, cost: object) -> None:
    told, _ = read(trajectory(tmp_path / "t", said("x"), cost=cost))
    assert told.usd is None
    assert told.problem


def test_a_model_without_a_price_is_not_free(tmp_path: Path) -> None:
    told, _ = read(trajectory(tmp_path / "t", said("x"), cost=0.0))
    assert (told.usd, told.problem) == (None, "the agent reported a cost of zero although its model worked")


def test_a_model_without_a_price_is_counted_by_the_one_that_we_know(tmp_path: Path) -> None:
    price = Price(input=1_000_000.0, cached=100_000.0, output=10_000_000.0)
    told, _ = read(trajectory(tmp_path / "t", said("x"), said("y"), cost=0.0), price)
    assert told.usd == pytest.approx(2 * (6 + 0.4 + 20))
    assert told.tokens == 24


def test_a_record_that_grew_too_large_does_not_make_the_rest_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = trajectory(tmp_path / "t", said("x"), cost=0.5)
    reader = MiniReader(path, Options())
    list(reader.read("line"))
    assert reader.told.least_usd == 0.5
    path.write_text(path.read_text() + " " * 10)
    monkeypatch.setattr("trueup.act.agents.own_file._LARGEST", path.stat().st_size - 1)
    list(reader.finish())
    assert (reader.told.usd, reader.told.least_usd) == (None, 0.5)
    assert "too large" in reader.told.problem


def test_a_refused_key_is_named_and_has_cost_nothing() -> None:
    told, turns = read(SAMPLES / "mini_401.json")
    assert (told.status, told.usd, turns) == (AgentStatus.CREDENTIALS, 0.0, [])
    assert "invalid x-api-key" in told.errors[0]


@pytest.mark.parametrize(
    ("why", "words", "status"),
    [
        ("Submitted", "", None),
        ("LimitsExceeded", "LimitsExceeded", AgentStatus.DONE),
        ("TimeExceeded", "TimeExceeded", AgentStatus.DONE),
        ("RateLimitError", "slow down", AgentStatus.RATE_LIMITED),
        ("RateLimitError", "insufficient_quota", AgentStatus.CREDENTIALS),
        ("ServiceUnavailableError", "", AgentStatus.OVERLOADED),
        ("InternalServerError", "", AgentStatus.OVERLOADED),
        ("ContextWindowExceededError", "", AgentStatus.CONTEXT_FULL),
        ("BadRequestError", "maximum context length is 5", AgentStatus.CONTEXT_FULL),
        ("ContentPolicyViolationError", "", AgentStatus.REFUSED),
        ("RepeatedFormatError", "", AgentStatus.FAILED),
        ("EOFError", "", None),
    ],
)
def test_how_it_ended_is_told_by_its_last_message(
    tmp_path: Path, why: str, words: str, status: AgentStatus | None
) -> None:
    told, _ = read(trajectory(tmp_path / "t", said("x", "ls"), answered(0), ended(why, words)))
    assert told.status is status


def test_interrupted_before_the_first_answer_its_cost_is_unknown(tmp_path: Path) -> None:
    told, _ = read(trajectory(tmp_path / "t", ended("EOFError"), cost=0.0))
    assert (told.usd, told.problem) == (None, "")


@pytest.mark.parametrize("kind", ["link", "folder", "nothing"])
def test_only_a_file_of_its_own_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t"
    if kind == "link":
        path.symlink_to(trajectory(tmp_path / "other", said("x")))
    elif kind == "folder":
        path.mkdir()
    told, turns = read(path)
    assert (told.usd, turns) == (None, [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("assistant"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "extra", "actions", "command", "returncode", "response", "usage"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON, JSON, st.binary(max_size=40))
def test_nothing_that_it_writes_can_upset_us(tmp_path: Path, messages: object, cost: object, noise: bytes) -> None:
    path = tmp_path / "t"
    reader = MiniReader(path, Options(price=Price(input=1.0, output=1.0)))
    for content in (noise, json.dumps({"info": {"model_stats": {"instance_cost": cost}}, "messages": messages})):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        list(reader.read("line"))
    list(reader.finish())
    assert reader.told.usd is None or reader.told.usd >= 0


@pytest.fixture
def call(tmp_path: Path) -> AgentCall:
    return AgentCall(
        prompt='fix "it": {{now}} ü',
        prompt_file=tmp_path / "prompt.md",
        workspace=tmp_path / "work",
        attempt=1,
        seconds=60,
        usd=1.5,
        env={},
        scratch=tmp_path,
    )


def test_the_prompt_is_in_a_file_of_settings_and_the_cap_is_what_is_left(call: AgentCall) -> None:
    asked = invocation("/bin/mini", call, Options(model="openai/gpt-4o", args=("-c", "agent.step_limit=5")))
    assert call.prompt not in " ".join(asked.argv)
    assert json.loads((call.scratch / "task.yaml").read_text())["run"]["task"] == call.prompt
    words = " ".join(asked.argv)
    assert f"--config ../config/mini.yaml --config {call.scratch}/task.yaml --cost-limit 1.5000" in words
    assert words.endswith("--model openai/gpt-4o -c agent.step_limit=5")


def test_no_cap_leaves_its_own_and_nothing_left_is_not_no_cap(call: AgentCall) -> None:
    assert "--cost-limit" not in invocation("/bin/mini", replace(call, usd=None), Options()).argv
    argv = invocation("/bin/mini", replace(call, usd=0.0), Options()).argv
    assert argv[argv.index("--cost-limit") + 1] == "0.0100"


def test_the_users_own_settings_stay(call: AgentCall) -> None:
    asked = invocation("/bin/mini", replace(call, env={"MSWEA_MINI_CONFIG_PATH": "/mine.yaml"}), Options())
    assert asked.argv[asked.argv.index("--config") + 1] == "/mine.yaml"


def test_a_model_whose_price_only_we_know_does_not_end_it(call: AgentCall) -> None:
    assert "MSWEA_COST_TRACKING" not in invocation("/bin/mini", call, Options()).env
    priced = invocation("/bin/mini", call, Options(price=Price(input=1.0, output=1.0)))
    assert priced.env["MSWEA_COST_TRACKING"] == "ignore_errors"
