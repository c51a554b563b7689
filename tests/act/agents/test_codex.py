"""What Codex printed, and what it keeps of a thread, read as turns, a bill and a reason."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.act.agents.base import AgentCall
from trueup.act.agents.codex import CODEX, CodexReader, invocation
from trueup.act.agents.program import Options, ProgramAgent
from trueup.act.agents.told import Told
from trueup.act.process import Processes
from trueup.config.prices import Price
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

SAMPLES = Path(__file__).parent / "samples"
PRICED = Options(price=Price(input=1.0, cached=0.1, output=10.0))
FULL = "Codex ran out of room in the model's context window. Start a new thread or clear earlier history."
THREAD = "01a1e07c-3494-78f3-8c75-0eec9fcc898f"
"""Of the interrupted sample."""


@pytest.fixture
def call(tmp_path: Path) -> AgentCall:
    return a_call(tmp_path)


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
    )


def read(lines: Iterable[str], call: AgentCall, options: Options = PRICED) -> tuple[Told, list[Turn]]:
    reader = CodexReader(call, options)
    turns = [turn for line in lines for turn in reader.read(line)]
    return reader.told, [*turns, *reader.finish()]


def lines_of(name: str) -> list[str]:
    return (SAMPLES / f"codex_{name}.jsonl").read_text(encoding="utf-8").splitlines()


def keep_thread(home: Path, *, thread: str = THREAD) -> Path:
    folder = home / ".codex" / "sessions" / "2026" / "11" / "16"
    folder.mkdir(parents=True)
    file = folder / f"rollout-2026-11-16T06-12-27-{thread}.jsonl"
    shutil.copy(SAMPLES / "codex_thread.jsonl", file)
    return file


def started(thread: str = THREAD) -> str:
    return json.dumps({"type": "thread.started", "thread_id": thread})


def completed(**usage: object) -> str:
    return json.dumps({"type": "turn.completed", "usage": usage})


def failed(message: str) -> str:
    return json.dumps({"type": "turn.failed", "error": {"message": message}})


def near(usd: float) -> object:
    return pytest.approx(usd)


SAYS = json.dumps({"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "Hello."}})


def test_what_it_did_comes_as_turns_in_order_each_with_its_result(call: AgentCall) -> None:
    told, turns = read(lines_of("fixed"), call)
    assert [(turn.doing, turn.paths, turn.exit_code, turn.failed) for turn in turns] == [
        (Doing.SAY, (), None, None),
        (Doing.RUN, (), 0, False),
        (Doing.SAY, (), None, None),
        (Doing.EDIT, ("/home/dev/ws/calc.py",), None, False),
        (Doing.RUN, (), 0, False),
        (Doing.SAY, (), None, None),
    ]
    assert turns[1].args == "python3 -m unittest -q 2>&1 | tail -20"
    assert "FAIL: test_add" in turns[1].output
    assert (told.session, told.status, told.worked) == ("01a1e091-d05f-70b3-9896-7197241541a9", None, True)


def test_a_commands_exit_code_is_taken_from_the_event(call: AgentCall) -> None:
    _, turns = read(lines_of("exit_codes"), call)
    assert [(turn.args, turn.exit_code, turn.failed) for turn in turns if turn.doing is Doing.RUN] == [
        ("echo hi; exit 3", 3, True),
        ("exit 4", 4, True),
        ("nonexistent_cmd_x", 127, True),
    ]


def test_its_tokens_are_those_of_the_whole_thread_and_cached_ones_cost_less(call: AgentCall) -> None:
    told, _ = read(lines_of("resumed"), call)
    assert told.usd is None
    assert told.total_usd == pytest.approx((55_800 * 1.0 + 6_200 * 0.1 + 12_400 * 10.0) / 1e6)


def test_a_resumed_threads_tokens_count_from_what_it_had_used_before(call: AgentCall, tmp_path: Path) -> None:
    keep_thread(tmp_path)
    resumed = replace(call, session=THREAD, fresh_session=False)
    told, _ = read([started(), SAYS, completed(input_tokens=3000, output_tokens=400)], resumed)
    assert (told.total_usd, told.tokens) == (near(0.007), 3400 - 1100)


def test_without_the_threads_record_only_the_total_of_a_resumed_one_is_known(call: AgentCall) -> None:
    resumed = replace(call, session=THREAD, fresh_session=False)
    told, _ = read([started(), SAYS, completed(input_tokens=3000, output_tokens=400)], resumed)
    assert (told.total_usd, told.tokens) == (near(0.007), None)


def test_interrupted_it_is_billed_by_what_it_keeps_of_the_thread(call: AgentCall, tmp_path: Path) -> None:
    keep_thread(tmp_path)
    told, turns = read(lines_of("interrupted"), call)
    assert (told.total_usd, told.tokens) == (near(0.002), 1100)
    assert [(turn.doing, turn.args, turn.exit_code) for turn in turns] == [(Doing.RUN, "sleep 31", None)]


def test_a_thread_that_used_nothing_more_before_it_was_interrupted_tells_no_cost(
    call: AgentCall, tmp_path: Path
) -> None:
    keep_thread(tmp_path)
    told, _ = read([started()], replace(call, session=THREAD, fresh_session=False))
    assert (told.total_usd, told.tokens, told.ends) == (None, None, 0)


def test_a_full_thread_keeps_its_name_as_long_as_it_is_billed_by_it(call: AgentCall, tmp_path: Path) -> None:
    keep_thread(tmp_path)
    script = tmp_path / "codex.py"
    script.write_text(f"print({started()!r})\nprint({failed(FULL)!r})\nraise SystemExit(1)\n", encoding="utf-8")
    options = replace(PRICED, program=(sys.executable, "-S", str(script)))
    with Processes() as processes:
        agent = ProgramAgent(name="codex", dialect=CODEX, options=options)
        result = agent.run(replace(call, env={**call.env, "PATH": os.environ["PATH"]}), processes, lambda _: None)
    assert (result.status, result.session) == (AgentStatus.CONTEXT_FULL, THREAD)
    assert result.total_usd == pytest.approx(0.002)


def test_the_record_is_found_where_the_users_variable_says(call: AgentCall, tmp_path: Path) -> None:
    keep_thread(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / ".codex").rename(elsewhere)
    told, _ = read(lines_of("interrupted"), replace(call, env={"CODEX_HOME": str(elsewhere)}))
    assert told.total_usd == pytest.approx(0.002)


@pytest.mark.parametrize("name", ["*", "../../etc", "01a1e07c-3494-78f3-8c75-0eec9fcc898?"])
def test_a_thread_with_a_strange_name_has_no_record(call: AgentCall, tmp_path: Path, name: str) -> None:
    keep_thread(tmp_path)
    told, _ = read([started(name)], call)
    assert told.total_usd is None


def test_a_link_in_place_of_the_record_is_not_followed(call: AgentCall, tmp_path: Path) -> None:
    file = keep_thread(tmp_path)
    file.rename(tmp_path / "secret")
    file.symlink_to(tmp_path / "secret")
    told, _ = read(lines_of("interrupted"), call)
    assert told.total_usd is None


def test_without_a_price_the_tokens_are_told_and_where_to_set_it(call: AgentCall) -> None:
    told, _ = read(lines_of("fixed"), call, Options())
    assert (told.total_usd, told.usd, told.tokens) == (None, None, 4400)
    assert "trueup.toml" in told.problem


def test_two_bills_contradict_each_other(call: AgentCall) -> None:
    told, _ = read([*lines_of("fixed"), completed(input_tokens=5000, output_tokens=1)], call)
    assert (told.total_usd, told.problem) == (None, "the agent reported its cost twice")


@pytest.mark.parametrize("count", [-1, "12", None, True, 10**20, float("nan"), [1]])
def test_tokens_that_are_no_count_give_no_bill(call: AgentCall, count: object) -> None:
    told, _ = read([started(), SAYS, completed(input_tokens=count, output_tokens=1)], call)
    assert (told.total_usd, told.tokens, told.problem) == (None, None, "the reported tokens are not a count")


def test_no_tokens_although_the_model_worked_is_not_believed(call: AgentCall) -> None:
    told, _ = read([started(), SAYS, completed(input_tokens=0, output_tokens=0)], call)
    assert told.total_usd is None
    assert "zero" in told.problem


def test_a_thread_without_a_name_cannot_be_billed(call: AgentCall) -> None:
    told, _ = read([SAYS, completed(input_tokens=10, output_tokens=1)], call)
    assert told.total_usd is None
    assert "no name" in told.problem


@pytest.mark.parametrize(
    ("sample", "status"), [("401", AgentStatus.CREDENTIALS), ("429", AgentStatus.RATE_LIMITED), ("fixed", None)]
)
def test_what_its_end_means(call: AgentCall, sample: str, status: AgentStatus | None) -> None:
    told, _ = read(lines_of(sample), call)
    assert told.status is status


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (FULL, AgentStatus.CONTEXT_FULL),
        ("unexpected status 503 Service Unavailable: overloaded, url: http://x", AgentStatus.OVERLOADED),
        ("Selected model is at capacity. Please try a different model.", AgentStatus.OVERLOADED),
        ("stream disconnected before completion: stream closed", AgentStatus.OVERLOADED),
        ("You've hit your usage limit. Try again later.", AgentStatus.RATE_LIMITED),
        ("Your access token could not be refreshed. Please log out and sign in again.", AgentStatus.CREDENTIALS),
        ("This request has been flagged for possible cybersecurity risk.", AgentStatus.REFUSED),
        ("Incomplete response returned, reason: content_filter", AgentStatus.REFUSED),
        ("Incomplete response returned, reason: max_output_tokens", AgentStatus.FAILED),
    ],
)
def test_a_failed_turn_says_why(call: AgentCall, message: str, status: AgentStatus) -> None:
    told, _ = read([started(), failed(message)], call)
    assert (told.status, told.errors) == (status, [message])


def test_an_error_that_it_recovered_from_is_over(call: AgentCall) -> None:
    again = json.dumps({"type": "error", "message": "Reconnecting... 1/2 (unexpected status 503)"})
    reader = CodexReader(call, PRICED)
    list(reader.read(again))
    assert reader.told.status is AgentStatus.OVERLOADED
    list(reader.read(SAYS))
    assert reader.told.status is None


def test_a_warning_is_no_answer_of_the_model(call: AgentCall) -> None:
    told, turns = read(lines_of("429")[:2], call)
    assert (turns, told.worked, told.status) == ([], False, None)


def ran(output: str, exit_code: int) -> str:
    status = "failed" if exit_code else "completed"
    item = {"type": "command_execution", "command": "ls", "aggregated_output": output, "exit_code": exit_code}
    return json.dumps({"type": "item.completed", "item": {**item, "status": status}})


def test_a_sandbox_of_its_own_that_does_not_work_is_named_with_the_way_out(call: AgentCall) -> None:
    barred = ran("bwrap: setting up uid map: Operation not permitted\n", 1)
    told, _ = read([started(), barred, SAYS, completed(input_tokens=9, output_tokens=1)], call)
    assert told.status is AgentStatus.FAILED
    assert "bwrap: setting up uid map: Operation not permitted" in told.errors[0]
    assert "danger-full-access" in told.errors[0]
    told, _ = read([started(), barred, ran("", 0), completed(input_tokens=9, output_tokens=1)], call)
    assert told.status is None


def test_in_trueups_sandbox_it_makes_none_of_its_own(call: AgentCall) -> None:
    argv = invocation("codex", replace(call, sandboxed=True), Options()).argv
    assert 'sandbox_mode="danger-full-access"' in argv
    assert 'sandbox_mode="workspace-write"' not in argv


def test_what_the_model_says_decides_nothing(call: AgentCall) -> None:
    words = {"type": "agent_message", "text": "unexpected status 401 Unauthorized"}
    told, _ = read([started(), json.dumps({"type": "item.completed", "item": words}), completed(input_tokens=9)], call)
    assert told.status is None


def test_other_tools_are_turns_too(call: AgentCall) -> None:
    item = {"id": "1", "type": "web_search", "query": "python", "status": "completed"}
    _, turns = read([json.dumps({"type": "item.completed", "item": item})], call)
    assert [(turn.doing, turn.tool, turn.args) for turn in turns] == [
        (Doing.OTHER, "web_search", '{"query": "python"}')
    ]


def test_a_fresh_thread_reads_the_prompt_from_standard_input_in_its_own_sandbox(call: AgentCall) -> None:
    asked = invocation("codex", call, Options(model="gpt-5.1-codex", args=("-c", 'sandbox_mode="danger-full-access"')))
    assert asked.argv[:4] == ("codex", "exec", "--json", "--skip-git-repo-check")
    assert asked.argv[-3:] == ("-c", 'sandbox_mode="danger-full-access"', "-")
    assert asked.argv.index('sandbox_mode="workspace-write"') < asked.argv.index('sandbox_mode="danger-full-access"')
    assert asked.argv[8:10] == ("--model", "gpt-5.1-codex")
    assert (asked.asks, asked.env) == (True, {})


def test_a_thread_is_gone_on_with_by_its_name(call: AgentCall) -> None:
    asked = invocation("codex", replace(call, session=THREAD), Options())
    assert asked.argv[-3:] == ("resume", THREAD, "-")


@given(st.lists(st.one_of(st.text(), st.sampled_from(lines_of("fixed")), st.binary().map(repr)), max_size=8))
def test_garbage_never_raises(lines: list[str]) -> None:
    read(lines, a_call(Path("/nonexistent")))


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)
)
pieces = st.dictionaries(
    st.sampled_from(["id", "type", "command", "exit_code", "status", "changes", "text", "message", "input_tokens"]),
    anything | st.sampled_from(["command_execution", "file_change", "agent_message", "error"]),
)


@given(
    st.sampled_from(["thread.started", "item.started", "item.completed", "turn.completed", "turn.failed", "error"]),
    st.sampled_from(["item", "usage", "error", "thread_id", "message"]),
    pieces | anything,
)
def test_events_of_any_shape_never_raise(kind: str, key: str, value: object) -> None:
    read([json.dumps({"type": kind, key: value})] * 2, a_call(Path("/nonexistent")))
