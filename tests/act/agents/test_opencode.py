"""What opencode printed, read as turns, a bill and a reason."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.act.agents.base import AgentCall
from trueup.act.agents.opencode import OpencodeReader, invocation
from trueup.act.agents.program import Options
from trueup.act.agents.told import Told
from trueup.config.prices import Price
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

SAMPLES = Path(__file__).parent / "samples"


def read(lines: Iterable[str], price: Price | None = None) -> tuple[Told, list[Turn]]:
    reader = OpencodeReader(Options(price=price))
    turns = [turn for line in lines for turn in reader.read(line)]
    return reader.told, [*turns, *reader.finish()]


def lines_of(name: str) -> list[str]:
    return (SAMPLES / f"opencode_{name}.jsonl").read_text(encoding="utf-8").splitlines()


def step(cost: object, name: str = "", reason: str = "stop", **tokens: object) -> str:
    part = {"id": name, "reason": reason, "cost": cost, "tokens": tokens}
    return json.dumps({"type": "step_finish", "sessionID": "ses_1", "part": part})


def error(name: str, **about: object) -> str:
    return json.dumps({"type": "error", "sessionID": "ses_1", "error": {"name": name, "data": about}})


START = json.dumps({"type": "step_start", "sessionID": "ses_1", "part": {}})


def test_what_it_did_comes_as_turns_in_order_each_with_its_result() -> None:
    told, turns = read(lines_of("fix"))
    assert [(turn.doing, turn.paths, turn.exit_code, turn.failed) for turn in turns] == [
        (Doing.SAY, (), None, None),
        (Doing.RUN, (), 0, False),
        (Doing.READ, ("/home/dev/ws/calc.py",), None, False),
        (Doing.SAY, (), None, None),
        (Doing.EDIT, ("/home/dev/ws/calc.py",), None, False),
        (Doing.RUN, (), 0, False),
        (Doing.SAY, (), None, None),
    ]
    assert turns[1].args == "python3 -m unittest -q 2>&1 | tail -20"
    assert "FAIL: test_add" in turns[1].output
    assert "return a + b" in turns[4].args
    assert told.usd == pytest.approx(0.0225)
    assert (told.tokens, told.status, told.problem) == (5500, None, "")
    assert told.session == "ses_e1f6e1483ffetz8TmmTjSQjyPw"


def test_a_completed_command_has_failed_if_its_exit_code_says_so() -> None:
    _, turns = read(lines_of("exit_3"))
    assert [(turn.args, turn.exit_code, turn.failed) for turn in turns[:1]] == [("echo hi; exit 3", 3, True)]


def test_a_tool_that_could_not_do_it_says_why() -> None:
    state = {"status": "error", "input": {"filePath": "a.py"}, "error": "Could not find oldString"}
    _, turns = read([json.dumps({"type": "tool_use", "part": {"tool": "edit", "state": state}})])
    assert [(turn.doing, turn.failed, turn.output) for turn in turns] == [
        (Doing.EDIT, True, "Could not find oldString")
    ]


def test_the_bill_grows_with_each_step_so_that_a_kill_charges_it() -> None:
    reader = OpencodeReader(Options())
    bills = []
    for line in lines_of("exit_3"):
        list(reader.read(line))
        bills.append(reader.told.usd)
    assert bills == [None, None, 0.00573, 0.00573, 0.00573, pytest.approx(0.01146)]


def test_a_step_that_was_cut_short_is_paid_like_the_dearest_one() -> None:
    told, _ = read([START, step(0.1, "a"), START, step(0.3, "b"), START])
    assert told.usd == pytest.approx(0.7)


def test_a_first_step_that_was_cut_short_has_an_unknown_cost() -> None:
    told, _ = read([START])
    assert (told.usd, told.problem) == (None, "")


def test_a_step_that_is_told_twice_is_paid_once() -> None:
    told, _ = read([step(0.1, "a"), step(0.1, "a"), step(0.2, "b")])
    assert told.usd == pytest.approx(0.3)


@pytest.mark.parametrize("cost", ["NaN", "-0.1", '"1"', "true", "1e400", "null", "[]"])
def test_after_a_step_whose_cost_is_no_amount_nothing_is_known(cost: str) -> None:
    odd = step("?", "b").replace('"?"', cost)
    told, _ = read([step(0.1, "a"), odd, step(0.1, "c")])
    assert told.usd is None
    assert told.problem


def test_a_model_without_a_price_is_not_free() -> None:
    told, _ = read([step(0, "a", input=10, output=5)])
    assert (told.usd, told.problem) == (None, "the agent reported a cost of zero although its model worked")


def test_a_model_without_a_price_is_counted_by_the_one_that_we_know() -> None:
    price = Price(input=1_000_000.0, cached=100_000.0, output=10_000_000.0)
    told, _ = read([step(0, "a", input=1, output=2, reasoning=3, cache={"read": 4, "write": 5})], price)
    assert told.usd == pytest.approx(1 + 5 + 0.4 + 50)
    assert told.tokens == 15


def test_what_a_sub_agent_costs_is_told_nowhere_so_the_cost_is_not_known(call: AgentCall) -> None:
    task = json.dumps({"type": "tool_use", "part": {"tool": "task", "state": {"status": "completed"}}})
    told, _ = read([START, task, step(0.5), START, step(0.25)])
    assert (told.usd, told.least_usd) == (None, 0.75)
    assert "another one" in told.problem
    permission = invocation("/bin/opencode", call, Options()).env["OPENCODE_PERMISSION"]
    assert json.loads(permission) == {"task": "deny"}


def test_a_step_without_its_cost_does_not_make_the_others_cheaper() -> None:
    told, _ = read([START, step(30.0), START, step(None)])
    assert (told.usd, told.least_usd) == (None, 30.0)


def test_a_refused_key_is_named_and_has_cost_nothing() -> None:
    told, turns = read(lines_of("401"))
    assert (told.status, told.usd) == (AgentStatus.CREDENTIALS, 0.0)
    assert told.errors == ["APIError: invalid x-api-key"]
    assert [(turn.tool, turn.output, turn.failed) for turn in turns] == [("error", "invalid x-api-key", True)]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (error("APIError", message="slow down", statusCode=429), AgentStatus.RATE_LIMITED),
        (error("APIError", message="x", statusCode=529), AgentStatus.OVERLOADED),
        (error("ProviderAuthError", message="x"), AgentStatus.CREDENTIALS),
        (error("ContextOverflowError", message="x"), AgentStatus.CONTEXT_FULL),
        (error("ContentFilterError", message="x"), AgentStatus.REFUSED),
        (error("APIError", message="prompt is too long", statusCode=400), AgentStatus.CONTEXT_FULL),
        (error("UnknownError", message="Model not found"), AgentStatus.FAILED),
        (step(0.1, reason="content-filter"), AgentStatus.REFUSED),
    ],
)
def test_what_its_errors_mean(line: str, status: AgentStatus) -> None:
    told, _ = read([line])
    assert told.status is status


def test_an_error_that_passed_is_forgotten() -> None:
    told, _ = read([error("APIError", message="x", statusCode=503), START, step(0.1)])
    assert told.status is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tool", "state", "input", "output", "metadata", "exit", "cost", "tokens", "cache", "id"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(["step_start", "text", "tool_use", "step_finish", "error"]), JSON, st.binary(max_size=40))
def test_nothing_that_it_prints_can_upset_us(kind: str, content: object, noise: bytes) -> None:
    line = json.dumps({"type": kind, "part": content, "error": content, "sessionID": content})
    price = Price(input=1.0, output=1.0)
    told, _ = read([line, line, noise.decode("utf-8", "replace"), "{", "\0", "[1]"], price)
    assert told.usd is None or told.usd >= 0


@pytest.fixture
def call(tmp_path: Path) -> AgentCall:
    return AgentCall(
        prompt="fix it",
        prompt_file=tmp_path / "prompt.md",
        workspace=tmp_path / "work",
        attempt=3,
        seconds=60,
        usd=1.5,
        env={},
        scratch=tmp_path,
    )


def test_the_prompt_is_no_argument_and_the_folder_is_named(call: AgentCall) -> None:
    asked = invocation("/bin/opencode", call, Options(model="a/b", args=("--agent", "plan")))
    assert asked.asks
    assert asked.argv[:7] == ("/bin/opencode", "run", "--format", "json", "--auto", "--dir", str(call.workspace))
    assert asked.argv[7:10] == ("--print-logs", "--log-level", "ERROR")
    assert asked.argv[10:] == ("--title", "trueup: attempt 3", "--model", "a/b", "--agent", "plan")


def test_an_earlier_session_is_resumed(call: AgentCall) -> None:
    asked = invocation("/bin/opencode", replace(call, session="ses_1"), Options())
    assert asked.argv[-2:] == ("--session", "ses_1")
