"""What Qwen Code printed, and what it keeps of a conversation, read as turns, a bill and a reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.act.agents.base import AgentCall
from trueup.act.agents.program import Options
from trueup.act.agents.qwen import QwenReader, invocation
from trueup.act.agents.told import Told
from trueup.config.prices import Price
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

SAMPLES = Path(__file__).parent / "samples"
PRICED = Options(price=Price(input=1.0, cached=0.1, output=10.0), model="qwen3-coder-plus")
SESSION = "b0365f39-bed4-4746-ad9c-7ed324ddbf91"
"""Of the sample with exit codes."""


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
    reader = QwenReader(call, options)
    turns = [turn for line in lines for turn in reader.read(line)]
    return reader.told, [*turns, *reader.finish()]


def lines_of(name: str) -> list[str]:
    return (SAMPLES / f"qwen_{name}.jsonl").read_text(encoding="utf-8").splitlines()


def keep_chat(runtime: Path) -> Path:
    folder = runtime / "projects" / "-home-dev-ws" / "chats"
    folder.mkdir(parents=True)
    file = folder / f"{SESSION}.jsonl"
    shutil.copy(SAMPLES / "qwen_exit_codes_chat.jsonl", file)
    return file


def says(words: str, **usage: object) -> str:
    message = {"model": "qwen3-coder-plus", "content": [{"type": "text", "text": words}], "usage": usage}
    return json.dumps({"type": "assistant", "session_id": SESSION, "message": message})


def result(final: str, **usage: object) -> str:
    event = {"type": "result", "session_id": SESSION, "is_error": False, "result": final, "usage": usage}
    return json.dumps(event)


def near(usd: float) -> object:
    return pytest.approx(usd)


def test_what_it_did_comes_as_turns_in_order_each_with_its_result(call: AgentCall) -> None:
    told, turns = read(lines_of("fixed"), call)
    assert [(turn.doing, turn.paths) for turn in turns] == [
        (Doing.SAY, ()),
        (Doing.RUN, ()),
        (Doing.READ, ("/home/dev/ws/calc.py",)),
        (Doing.SAY, ()),
        (Doing.EDIT, ("/home/dev/ws/calc.py",)),
        (Doing.RUN, ()),
        (Doing.SAY, ()),
    ]
    assert turns[1].args == "python3 -m unittest -q 2>&1 | tail -20"
    assert "FAIL: test_add" in turns[1].output
    assert (told.status, told.worked, told.usd, told.tokens) == (None, True, near(0.01), 5500)
    assert told.session == "3ae1f7ac-7e0c-435b-b375-d8a1971fdaa9"


def test_a_commands_exit_code_is_what_the_model_was_told(call: AgentCall, tmp_path: Path) -> None:
    keep_chat(tmp_path / ".qwen")
    _, turns = read(lines_of("exit_codes"), call)
    assert [(turn.args, turn.exit_code, turn.failed) for turn in turns if turn.doing is Doing.RUN] == [
        ("echo hi; exit 3", 3, True),
        ("exit 4", 4, True),
        ("nonexistent_cmd_x", 127, True),
    ]


def test_without_the_conversations_record_an_exit_code_is_known_only_if_nothing_else_was_printed(
    call: AgentCall,
) -> None:
    _, turns = read(lines_of("exit_codes"), call)
    assert [(turn.exit_code, turn.failed) for turn in turns if turn.doing is Doing.RUN] == [
        (None, None),
        (4, True),
        (None, None),
    ]


@pytest.mark.parametrize("variable", ["QWEN_HOME", "QWEN_RUNTIME_DIR"])
def test_the_record_is_found_where_the_users_variable_says(call: AgentCall, tmp_path: Path, variable: str) -> None:
    keep_chat(tmp_path / "elsewhere")
    env = {"HOME": str(tmp_path), variable: str(tmp_path / "elsewhere")}
    _, turns = read(lines_of("exit_codes"), replace(call, env=env))
    assert turns[0].exit_code == 3


def test_an_edit_that_failed_says_why(call: AgentCall) -> None:
    _, turns = read(lines_of("exit_codes"), call)
    edit = next(turn for turn in turns if turn.doing is Doing.EDIT)
    assert edit.failed
    assert edit.output.startswith("Failed to edit")


def test_what_it_asked_for_besides_is_in_the_last_account(call: AgentCall) -> None:
    told, _ = read(lines_of("no_change"), call)
    assert (told.usd, told.tokens) == (near(0.004), 2200)


def test_of_a_resumed_conversation_it_tells_the_whole_cost(call: AgentCall) -> None:
    resumed = replace(call, session=SESSION, fresh_session=False)
    told, _ = read(
        [says("Hi.", input_tokens=10, output_tokens=0), result("Hi.", input_tokens=5000, output_tokens=0)], resumed
    )
    assert (told.usd, told.total_usd, told.tokens) == (None, near(0.005), 10)
    assert told.session == SESSION


def test_the_bill_grows_with_each_answer_so_that_a_kill_charges_it(call: AgentCall) -> None:
    reader = QwenReader(call, PRICED)
    bills = []
    for line in lines_of("fixed")[:-1]:
        list(reader.read(line))
        bills.append(reader.told.usd)
    assert bills[2] == pytest.approx(0.002)
    assert bills[-1] == pytest.approx(0.010)


def test_an_answer_that_was_cut_short_is_taken_to_cost_as_much_as_the_dearest(call: AgentCall) -> None:
    told, _ = read(lines_of("fixed")[:4], call)
    assert (told.usd, told.tokens) == (near(0.004), 1100)


def test_cached_input_costs_less(call: AgentCall) -> None:
    used = {"input_tokens": 1000, "cache_read_input_tokens": 600, "output_tokens": 100, "total_tokens": 1100}
    told, _ = read([says("Hi.", **used), result("Hi.", **used)], call)
    assert told.usd == pytest.approx((400 * 1.0 + 600 * 0.1 + 100 * 10.0) / 1e6)


def test_without_a_price_the_tokens_are_told_and_where_to_set_it(call: AgentCall) -> None:
    told, _ = read(lines_of("fixed"), call, Options())
    assert (told.usd, told.tokens) == (None, 5500)
    assert "trueup.toml" in told.problem


def test_two_bills_contradict_each_other(call: AgentCall) -> None:
    told, _ = read([*lines_of("fixed"), lines_of("fixed")[-1]], call)
    assert (told.usd, told.problem) == (None, "the agent reported its cost twice")


@pytest.mark.parametrize("count", [-1, "12", None, True, 10**20, float("nan")])
def test_tokens_that_are_no_count_give_no_bill(call: AgentCall, count: object) -> None:
    told, _ = read([says("Hi.", input_tokens=1), result("Hi.", input_tokens=count)], call)
    assert (told.usd, told.problem) == (None, "the reported tokens are not a count")


def test_no_tokens_although_the_model_worked_is_not_believed(call: AgentCall) -> None:
    told, _ = read([says("Hi.", input_tokens=1, output_tokens=0), result("Hi.", input_tokens=0, output_tokens=0)], call)
    assert told.usd is None
    assert "zero" in told.problem


@pytest.mark.parametrize("usage", [{}, {"input_tokens": 0, "output_tokens": 0}, {"output_tokens": 5}])
def test_a_provider_that_tells_no_usage_is_not_free(call: AgentCall, usage: dict[str, object]) -> None:
    tool = {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a"}}
    message = {"model": "qwen3-coder-plus", "content": [tool], "usage": usage}
    asks = json.dumps({"type": "assistant", "session_id": SESSION, "message": message})
    for lines in ([asks, result("Done.", **usage)], [asks]):
        told, _ = read(lines, call)
        assert told.worked
        assert (told.usd, told.total_usd) == (None, None)


def test_a_price_that_the_user_set_goes_before_what_is_known_of_the_model(call: AgentCall) -> None:
    used = {"input_tokens": 1_000_000, "output_tokens": 0}
    mine = Options(price=Price(input=50.0, output=1.0, own=True))
    told, _ = read([says("Hi.", **used), result("Hi.", **used)], call, mine)
    assert told.usd == 50.0
    told, _ = read([says("Hi.", **used), result("Hi.", **used)], call, Options(price=Price(input=50.0, output=1.0)))
    assert told.usd == 1.0


def test_a_refused_login_is_a_message_that_used_no_tokens(call: AgentCall) -> None:
    told, _ = read(lines_of("401"), call)
    assert (told.status, told.worked, told.usd, told.tokens) == (AgentStatus.CREDENTIALS, False, 0.0, 0)


def test_a_model_that_writes_such_a_message_decides_nothing(call: AgentCall) -> None:
    words = "[API Error: 401 invalid x-api-key]"
    told, _ = read([says(words, input_tokens=10, output_tokens=9), result(words, input_tokens=10)], call)
    assert told.status is None


def test_a_model_that_wrote_such_a_message_before_decides_nothing(call: AgentCall) -> None:
    words = "[API Error: 401 invalid x-api-key]"
    told, _ = read([says(words), says("Done.", input_tokens=10), result(words, input_tokens=10)], call)
    assert told.status is None


def test_refused_after_it_had_worked_it_was_refused_all_the_same(call: AgentCall) -> None:
    words, used = "[API Error: 429 Too many requests]", {"input_tokens": 10, "output_tokens": 0}
    told, _ = read([says("I begin.", **used), says(words), result(words, **used)], call)
    assert (told.status, told.worked, told.usd) == (AgentStatus.RATE_LIMITED, True, near(1e-5))


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("[API Error: 503 overloaded]", AgentStatus.OVERLOADED),
        ("[API Error: Connection error. (cause: fetch failed)]", AgentStatus.OVERLOADED),
        ("[API Error: 400 This model's maximum context length is 1000 tokens.]", AgentStatus.CONTEXT_FULL),
        ("[API Error: 400 Range of input length should be [1, 9]]", AgentStatus.CONTEXT_FULL),
        ("[API Error: 400 bad request]", AgentStatus.FAILED),
    ],
)
def test_an_error_of_the_provider_says_why(call: AgentCall, words: str, status: AgentStatus) -> None:
    told, _ = read([says(words), result(words)], call)
    assert (told.status, told.errors) == (status, [words])


def test_an_error_event_counts_by_itself(call: AgentCall) -> None:
    told, _ = read([result("it broke").replace("false", "true")], call)
    assert (told.status, told.errors) == (AgentStatus.FAILED, ["it broke"])


def test_while_it_repeats_a_refused_request_only_its_log_tells(call: AgentCall, tmp_path: Path) -> None:
    log = tmp_path / ".qwen" / "debug" / f"{SESSION}.txt"
    log.parent.mkdir(parents=True)
    log.write_text(
        "2026-11-16T06:31:00.451Z [WARN] [RETRY] Attempt 3 failed with status 503. Retrying with backoff...\n"
        "2026-11-16T06:31:05.451Z [WARN] [RETRY] Attempt 4 failed with status 429. Retrying with backoff...\n",
        encoding="utf-8",
    )
    init = json.dumps({"type": "system", "subtype": "init", "session_id": SESSION})
    told, _ = read([init], call)
    assert (told.status, told.errors) == (AgentStatus.RATE_LIMITED, ["HTTP 429"])
    told, _ = read([init, says("Hi.", input_tokens=1)], call)
    assert told.status is None


def test_a_fresh_conversation_may_edit_and_run_but_not_use_the_web(call: AgentCall) -> None:
    asked = invocation("qwen", call, Options(model="qwen3-coder-plus", args=("--debug",)))
    assert "yolo" not in asked.argv
    assert asked.argv[5:7] == ("--allowed-tools", "run_shell_command")
    assert "web_fetch" in asked.argv
    assert asked.argv[asked.argv.index("--model") + 1] == "qwen3-coder-plus"
    assert "--session-id" in asked.argv
    assert (asked.argv[-1], asked.asks) == ("--debug", True)


def test_it_does_not_repeat_a_refused_request_for_an_hour_unless_somebody_set_that(call: AgentCall) -> None:
    settings = Path(invocation("qwen", call, Options()).env["QWEN_CODE_SYSTEM_DEFAULTS_PATH"])
    assert settings.parent == call.scratch
    assert json.loads(settings.read_text(encoding="utf-8"))["model"]["generationConfig"]["maxRetries"] == 0


def test_a_conversation_is_gone_on_with_by_its_name(call: AgentCall) -> None:
    argv = invocation("qwen", replace(call, session=SESSION), Options()).argv
    assert argv[-2:] == ("--resume", SESSION)
    assert "--session-id" not in argv


@given(st.lists(st.one_of(st.text(), st.sampled_from(lines_of("fixed")), st.binary().map(repr)), max_size=8))
def test_garbage_never_raises(lines: list[str]) -> None:
    read(lines, a_call(Path("/nonexistent")))


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)
)
messages = st.dictionaries(
    st.sampled_from(["model", "content", "usage"]),
    anything
    | st.just([{"type": "tool_use", "id": "1", "name": "run_shell_command", "input": 3}])
    | st.just([{"type": "tool_result", "tool_use_id": "1", "content": 3}])
    | st.just({"input_tokens": -1}),
)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["system", "assistant", "user", "result"]),
            st.dictionaries(
                st.sampled_from(["session_id", "message", "usage", "result", "is_error", "errors", "error"]),
                anything | messages,
            ),
        ),
        max_size=4,
    )
)
def test_events_of_any_shape_never_raise(events: list[tuple[str, dict[str, object]]]) -> None:
    read([json.dumps({"type": kind, **about}) for kind, about in events], a_call(Path("/nonexistent")))
