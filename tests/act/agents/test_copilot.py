"""What Copilot printed, and the receipts that it keeps with its session, read as turns, a bill and a reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.act.agents import known_agents
from trueup.act.agents.base import AgentCall
from trueup.act.agents.copilot import CopilotReader, invocation
from trueup.act.agents.own_file import TOO_LARGE
from trueup.act.agents.program import Options
from trueup.act.agents.told import Told
from trueup.config.prices import Price
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

SAMPLES = Path(__file__).parent / "samples"
PRICED = Options(price=Price(input=1.0, cached=0.1, output=10.0), model="scripted-model")
SESSION = "11111111-2222-4333-8444-555555555555"
EACH = 0.002
"""Dollars: a thousand tokens in and a hundred out."""

Receipts = Callable[[Iterable[str]], None]


def a_call(folder: Path) -> AgentCall:
    return AgentCall(
        prompt="Fix it.",
        prompt_file=folder / "prompt.md",
        workspace=folder,
        attempt=1,
        seconds=60.0,
        usd=None,
        env={"HOME": str(folder)},
        scratch=folder,
        session=SESSION,
    )


@pytest.fixture
def call(tmp_path: Path) -> AgentCall:
    return a_call(tmp_path)


def events_file(call: AgentCall) -> Path:
    file = Path(call.env["HOME"]) / ".copilot" / "session-state" / SESSION / "events.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def sample(name: str, call: AgentCall, options: Options = PRICED) -> tuple[Told, list[Turn]]:
    reader = CopilotReader(call, options)
    shutil.copy(SAMPLES / f"copilot_{name}_events.jsonl", events_file(call))
    return read(reader, (SAMPLES / f"copilot_{name}.jsonl").read_text(encoding="utf-8").splitlines())


def read(reader: CopilotReader, lines: Iterable[str]) -> tuple[Told, list[Turn]]:
    turns = [turn for line in lines for turn in reader.read(line)]
    return reader.told, [*turns, *reader.finish()]


def event(kind: str, **about: Any) -> str:
    return json.dumps({"type": kind, "data": about})


def receipt(name: str, **usage: Any) -> str:
    used = {"model": "scripted-model", "inputTokens": 1000, "outputTokens": 100, "cacheReadTokens": 0}
    used |= {"interactionType": "conversation-agent", **usage}
    return json.dumps({"type": "session.usage_record", "id": name, "data": {"usage": used}})


ASKED = event("model.call_start", turnId="0")
ANSWERED = event("model.call_finished", outcome="success")


def test_what_it_did_comes_as_turns_in_order_each_with_its_result(call: AgentCall) -> None:
    _, turns = sample("fixed", call)
    assert [(turn.doing, turn.failed, turn.exit_code) for turn in turns] == [
        (Doing.RUN, False, 0),
        (Doing.RUN, True, 3),
        (Doing.EDIT, False, None),
        (Doing.SAY, None, None),
    ]
    assert turns[1].args == "exit 3"
    assert turns[2].paths == ("/home/dev/ws/calc.py",)
    assert "FAILED (failures=1)" in turns[0].output


@pytest.mark.parametrize(
    ("name", "status", "answers"),
    [
        ("fixed", None, 4),
        ("context_full", AgentStatus.CONTEXT_FULL, 1),
        ("refused", AgentStatus.REFUSED, 1),
        ("unauthorized", AgentStatus.CREDENTIALS, 0),
    ],
)
def test_each_answer_is_billed_by_its_receipt_and_an_error_says_why(
    call: AgentCall, name: str, status: AgentStatus | None, answers: int
) -> None:
    told, _ = sample(name, call)
    assert (told.status, told.session) == (status, SESSION)
    assert told.usd == pytest.approx(answers * EACH)


def test_receipts_from_before_are_paid_already(call: AgentCall) -> None:
    events_file(call).write_text(receipt("old") + "\n")
    reader = CopilotReader(call, PRICED)
    events_file(call).write_text(f"{receipt('old')}\n{receipt('new')}\n")
    told, _ = read(reader, [ASKED, ANSWERED])
    assert told.usd == pytest.approx(EACH)


def test_an_answer_without_a_receipt_was_cut_short_and_counts_as_much_as_the_dearest(call: AgentCall) -> None:
    reader = CopilotReader(call, PRICED)
    events_file(call).write_text(receipt("one") + "\n")
    told, _ = read(reader, [ASKED, ANSWERED, event("assistant.turn_end"), ASKED])
    assert told.usd == pytest.approx(2 * EACH)


def test_what_it_asked_besides_is_paid_besides(call: AgentCall) -> None:
    reader = CopilotReader(call, PRICED)
    events_file(call).write_text(f"{receipt('one')}\n{receipt('two', interactionType='compaction')}\n")
    told, _ = read(reader, [ASKED, ANSWERED, event("assistant.turn_end"), ASKED])
    assert told.usd == pytest.approx(3 * EACH)


def test_the_first_answer_without_a_receipt_has_no_price_and_is_not_free(call: AgentCall) -> None:
    told, _ = read(CopilotReader(call, PRICED), [ASKED])
    assert told.usd is None


def test_what_github_charges_in_credits_goes_before_a_list_price_and_after_the_users(call: AgentCall) -> None:
    for own, usd in ((False, 0.05), (True, EACH)):
        price = Price(input=1.0, cached=0.1, output=10.0, own=own)
        reader = CopilotReader(call, Options(price=price, model="scripted-model"))
        events_file(call).write_text(receipt(f"own {own}", copilotUsage={"totalNanoAiu": 5_000_000_000}) + "\n")
        assert read(reader, [ASKED, ANSWERED])[0].usd == pytest.approx(usd)


def test_without_a_price_the_cost_is_not_known(call: AgentCall) -> None:
    told, _ = sample("fixed", call, Options())
    assert told.usd is None
    assert "set its price" in told.problem


def test_a_record_that_became_too_large_is_no_bill(call: AgentCall) -> None:
    reader = CopilotReader(call, PRICED)
    with events_file(call).open("wb") as file:
        file.truncate(200_000_000)
    told, _ = read(reader, [ASKED, ANSWERED])
    assert (told.usd, told.problem) == (None, TOO_LARGE)


@pytest.mark.parametrize(
    ("about", "status"),
    [
        ({"statusCode": 429}, AgentStatus.RATE_LIMITED),
        ({"statusCode": 503}, AgentStatus.OVERLOADED),
        ({"failureKind": "transport"}, AgentStatus.OVERLOADED),
        ({"statusCode": 400}, AgentStatus.FAILED),
    ],
)
def test_what_a_failed_request_means(call: AgentCall, about: dict[str, object], status: AgentStatus) -> None:
    told, _ = read(CopilotReader(call, PRICED), [ASKED, event("model.call_failure", **about)])
    assert (told.status, told.usd) == (status, 0.0)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("authentication", AgentStatus.CREDENTIALS),
        ("quota", AgentStatus.CREDENTIALS),
        ("rate_limit", AgentStatus.RATE_LIMITED),
        ("context_limit", AgentStatus.CONTEXT_FULL),
    ],
)
def test_what_its_last_error_means(call: AgentCall, kind: str, status: AgentStatus) -> None:
    told, _ = read(CopilotReader(call, PRICED), [event("session.error", errorType=kind, message="no")])
    assert (told.status, told.errors) == (status, ["no"])


def test_an_error_that_passed_is_forgotten(call: AgentCall) -> None:
    lines = [ASKED, event("model.call_failure", statusCode=503), ASKED, ANSWERED]
    assert read(CopilotReader(call, PRICED), lines)[0].status is None


def test_a_command_that_still_runs_has_no_exit_code(call: AgentCall) -> None:
    start = event("tool.execution_start", toolCallId="1", toolName="bash", arguments={"command": "sleep 600"})
    done = event("tool.execution_complete", toolCallId="1", success=True, result={"content": "still running"})
    _, (turn,) = read(CopilotReader(call, PRICED), [start, done])
    assert (turn.args, turn.failed, turn.exit_code) == ("sleep 600", None, None)


def test_a_helpers_turns_are_told_apart(call: AgentCall) -> None:
    line = json.dumps({"type": "assistant.message", "agentId": "a-1", "data": {"content": "I look."}})
    _, (turn,) = read(CopilotReader(call, PRICED), [line])
    assert turn.inner


def test_a_conversation_that_was_shortened_is_told(call: AgentCall) -> None:
    _, (turn,) = read(CopilotReader(call, PRICED), [event("session.compaction_complete")])
    assert turn.forgot


def test_it_may_edit_and_run_but_not_use_the_web_and_begins_a_session_by_name(call: AgentCall) -> None:
    asked = invocation("/bin/copilot", replace(call, session=""), Options(model="gpt-5", args=("--banner",)))
    words = " ".join(asked.argv)
    assert asked.asks
    assert "--no-ask-user --allow-all-tools --allow-all-paths" in words
    assert "--excluded-tools web_fetch" in words
    assert words.endswith("--model gpt-5 --banner")
    again = invocation("/bin/copilot", replace(call, session=""), Options())
    assert asked.argv[4] == again.argv[4] != SESSION
    assert invocation("/bin/copilot", call, Options()).argv[4] == SESSION


def test_it_is_known_by_its_name_and_tells_tokens() -> None:
    assert known_agents()["copilot"].counts_tokens


@given(
    kind=st.sampled_from(["model.call_failure", "session.error", "assistant.message", "tool.execution_start"]),
    about=st.dictionaries(
        st.sampled_from(["statusCode", "message", "content", "toolName", "arguments", "toolCallId", "errorType"]),
        st.none() | st.integers() | st.text() | st.lists(st.integers()) | st.dictionaries(st.text(), st.integers()),
    ),
)
def test_events_of_any_shape_never_raise(
    tmp_path_factory: pytest.TempPathFactory, kind: str, about: dict[str, object]
) -> None:
    reader = CopilotReader(a_call(tmp_path_factory.getbasetemp()), PRICED)
    read(reader, [json.dumps({"type": kind, "data": about}), json.dumps(about), "x"])
