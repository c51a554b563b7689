"""What Gemini CLI printed, and what it keeps of a conversation, read as turns, a bill and a reason."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.act.agents.base import AgentCall
from trueup.act.agents.gemini import GEMINI, GeminiReader, invocation
from trueup.act.agents.program import Options
from trueup.act.agents.told import Told
from trueup.config.prices import Price
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

SAMPLES = Path(__file__).parent / "samples"
PRICED = Options(price=Price(input=1.0, cached=0.1, output=10.0), model="gemini-2.5-pro")
SESSION = "11111111-2222-4333-8444-555555555555"
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
    reader = GeminiReader(call, options)
    turns = [turn for line in lines for turn in reader.read(line)]
    return reader.told, [*turns, *reader.finish()]


def lines_of(name: str) -> list[str]:
    return (SAMPLES / f"gemini_{name}.jsonl").read_text(encoding="utf-8").splitlines()


def keep_chat(home: Path) -> Path:
    folder = home / ".gemini" / "tmp" / "ws" / "chats"
    folder.mkdir(parents=True)
    file = folder / f"session-2026-11-16T06-21-{SESSION[:8]}.jsonl"
    shutil.copy(SAMPLES / "gemini_exit_codes_chat.jsonl", file)
    return file


def event(kind: str, **about: object) -> str:
    return json.dumps({"type": kind, **about})


def result(models: Mapping[str, object], status: str = "success", message: str = "") -> str:
    return event("result", status=status, error={"message": message}, stats={"models": models})


def near(usd: float) -> object:
    return pytest.approx(usd)


INIT = event("init", session_id=SESSION, model="gemini-2.5-pro")
SAYS = event("message", role="assistant", content="Hello.", delta=True)
USAGE = {"total_tokens": 1100, "input_tokens": 1000, "output_tokens": 100, "cached": 0}


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
    assert "return a + b" in turns[4].args
    assert (told.status, told.worked, told.usd, told.tokens) == (None, True, near(0.01), 5500)


def test_a_commands_exit_code_is_what_the_model_was_told(call: AgentCall, tmp_path: Path) -> None:
    keep_chat(tmp_path)
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


def test_a_command_whose_exit_code_nobody_mentions_has_succeeded(call: AgentCall, tmp_path: Path) -> None:
    file = keep_chat(tmp_path)
    file.write_text(file.read_text(encoding="utf-8").replace("Exit Code: 3\\n", ""), encoding="utf-8")
    _, turns = read(lines_of("exit_codes"), call)
    assert [(turn.exit_code, turn.failed) for turn in turns[:1]] == [(0, False)]


def test_the_record_of_another_session_is_not_taken(call: AgentCall, tmp_path: Path) -> None:
    file = keep_chat(tmp_path)
    file.write_text(file.read_text(encoding="utf-8").replace(SESSION, SESSION[:-1] + "6"), encoding="utf-8")
    _, turns = read(lines_of("exit_codes"), call)
    assert turns[0].exit_code is None


def test_an_edit_that_failed_says_why(call: AgentCall) -> None:
    _, turns = read(lines_of("exit_codes"), call)
    edit = next(turn for turn in turns if turn.doing is Doing.EDIT)
    assert edit.failed
    assert edit.output.startswith("Could not find an exact match")


def test_pieces_of_one_message_are_one_turn(call: AgentCall) -> None:
    told, turns = read([INIT, SAYS, SAYS, result({})], call)
    assert [turn.args for turn in turns] == ["Hello.Hello."]
    assert told.worked


def test_thoughts_are_paid_like_output_and_cached_input_less(call: AgentCall) -> None:
    usage = {"total_tokens": 5000, "input_tokens": 4000, "output_tokens": 800, "cached": 400}
    told, _ = read([INIT, SAYS, result({"gemini-2.5-pro": usage})], call)
    assert told.usd == pytest.approx((3600 * 1.0 + 400 * 0.1 + 1000 * 10.0) / 1e6)
    assert told.tokens == 5000


def test_another_model_that_it_used_is_paid_at_its_own_price_if_that_is_known(call: AgentCall) -> None:
    told, _ = read([INIT, SAYS, result({"gemini-2.5-pro": USAGE, "gemini-2.5-flash": USAGE, "new": USAGE})], call)
    assert told.usd == pytest.approx(2 * (0.001 + 0.001) + 0.0003 + 0.00025)


def test_interrupted_it_is_billed_by_its_own_record_and_once_more_for_what_was_cut_short(
    call: AgentCall, tmp_path: Path
) -> None:
    keep_chat(tmp_path)
    told, _ = read(lines_of("exit_codes")[:-1], call)
    assert (told.usd, told.tokens) == (near(7 * 0.002), 6 * 1100)


def test_of_a_resumed_conversation_only_what_is_new_is_billed(call: AgentCall, tmp_path: Path) -> None:
    file = keep_chat(tmp_path)
    reader = GeminiReader(replace(call, session=SESSION, fresh_session=False), PRICED)
    more = {"id": "new", "type": "gemini", "tokens": {"input": 500, "output": 50, "cached": 0, "total": 550}}
    with file.open("a", encoding="utf-8") as chat:
        chat.write(json.dumps(more) + "\n")
    list(reader.read(INIT))
    list(reader.finish())
    assert (reader.told.usd, reader.told.tokens) == (near(2 * 0.001), 550)


def test_the_record_is_found_where_the_users_variable_says(call: AgentCall, tmp_path: Path) -> None:
    keep_chat(tmp_path / "elsewhere")
    told, _ = read([INIT], replace(call, env={"GEMINI_CLI_HOME": str(tmp_path / "elsewhere")}))
    assert told.tokens == 6 * 1100


def test_without_a_price_the_tokens_are_told_and_where_to_set_it(call: AgentCall) -> None:
    told, _ = read(lines_of("fixed"), call, Options())
    assert (told.usd, told.tokens) == (None, 5500)
    assert "trueup.toml" in told.problem


def test_two_bills_contradict_each_other(call: AgentCall) -> None:
    told, _ = read([*lines_of("fixed"), lines_of("fixed")[-1]], call)
    assert (told.usd, told.problem) == (None, "the agent reported its cost twice")


@pytest.mark.parametrize("count", [-1, "12", None, True, 10**20, float("nan")])
def test_tokens_that_are_no_count_give_no_bill(call: AgentCall, count: object) -> None:
    told, _ = read([INIT, SAYS, result({"gemini-2.5-pro": {**USAGE, "input_tokens": count}})], call)
    assert (told.usd, told.tokens, told.problem) == (None, None, "the reported tokens are not a count")


def test_no_tokens_although_the_model_worked_is_not_believed(call: AgentCall) -> None:
    told, _ = read([INIT, SAYS, result({"gemini-2.5-pro": {"input_tokens": 0, "output_tokens": 0}})], call)
    assert told.usd is None
    assert "zero" in told.problem


def test_a_refused_login_cost_nothing(call: AgentCall) -> None:
    told, turns = read(lines_of("401"), call)
    assert (told.status, told.usd, told.tokens, turns) == (AgentStatus.CREDENTIALS, 0.0, 0, [])


def test_a_loop_that_it_saw_itself_is_no_success_whatever_the_result_says(call: AgentCall) -> None:
    told, turns = read(lines_of("loop"), call)
    assert (told.status, told.errors) == (AgentStatus.HALTED, ["Loop detected, stopping execution"])
    assert len(turns) == 4
    assert told.usd == pytest.approx((3600 * 1.0 + 400 * 0.1 + 800 * 10.0) / 1e6)


def test_its_own_limit_of_turns_is_named(call: AgentCall) -> None:
    error = event("error", severity="error", message="Maximum session turns exceeded")
    told, _ = read([INIT, SAYS, error, result({"gemini-2.5-pro": USAGE})], call)
    assert (told.status, told.last_words) == (AgentStatus.DONE, "it stopped at its own limit")


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ('[API Error: {"error":{"code":429,"message":"slow down","status":"X"}}]', AgentStatus.RATE_LIMITED),
        ('[API Error: {"error":{"code":503,"message":"later"}}]', AgentStatus.OVERLOADED),
        ('[API Error: {"error":{"code":403,"message":"no"}}]', AgentStatus.CREDENTIALS),
        ('[API Error: {"error":{"code":400,"message":"API key not valid."}}]', AgentStatus.CREDENTIALS),
        (
            "[API Error: The input token count (2) exceeds the maximum number of tokens allowed (1).]",
            AgentStatus.CONTEXT_FULL,
        ),
        ("[API Error: Incomplete JSON segment at the end]", AgentStatus.FAILED),
    ],
)
def test_an_error_at_the_end_says_why(call: AgentCall, message: str, status: AgentStatus) -> None:
    told, _ = read([INIT, result({}, "error", message)], call)
    assert (told.status, told.errors) == (status, [message])


def test_a_model_that_declines_is_paid_and_leaves_no_session_to_go_on_with(call: AgentCall) -> None:
    told, turns = read(lines_of("refused"), call)
    assert (told.status, told.session, turns) == (AgentStatus.REFUSED, "", [])
    assert told.errors == ["The model response was blocked due to safety settings."]
    assert told.usd == pytest.approx(0.008)


def test_what_the_model_says_decides_nothing(call: AgentCall) -> None:
    words = event("message", role="assistant", content='[API Error: {"error":{"code":401}}] Loop detected')
    told, _ = read([INIT, words, result({"gemini-2.5-pro": USAGE})], call)
    assert told.status is None


@pytest.mark.parametrize(
    ("exit_code", "status"),
    [
        (41, AgentStatus.CREDENTIALS),
        (145, AgentStatus.CREDENTIALS),
        (173, AgentStatus.RATE_LIMITED),
        (247, AgentStatus.OVERLOADED),
    ],
)
def test_its_exit_code_is_a_status_of_which_eight_bits_are_left(exit_code: int, status: AgentStatus) -> None:
    assert GEMINI.exits[exit_code] is status


def test_a_fresh_conversation_may_edit_and_run_but_not_use_the_web(call: AgentCall) -> None:
    asked = invocation("gemini", call, Options(model="gemini-2.5-pro", args=("--debug",)))
    policy = Path(asked.argv[asked.argv.index("--policy") + 1])
    assert policy.parent == call.scratch
    assert tomllib.loads(policy.read_text(encoding="utf-8"))["rule"] == [
        {"toolName": ["google_web_search", "web_fetch"], "decision": "deny", "priority": 900}
    ]
    assert asked.argv[asked.argv.index("--model") + 1] == "gemini-2.5-pro"
    assert "--session-id" in asked.argv
    assert (asked.argv[-1], asked.asks) == ("--debug", True)


def test_it_repeats_a_refused_request_less_often_unless_somebody_set_that(call: AgentCall) -> None:
    settings = Path(invocation("gemini", call, Options()).env["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"])
    assert json.loads(settings.read_text(encoding="utf-8"))["general"]["maxAttempts"] == 4


def test_a_conversation_is_gone_on_with_by_its_name(call: AgentCall) -> None:
    argv = invocation("gemini", replace(call, session=SESSION), Options()).argv
    assert argv[-2:] == ("--resume", SESSION)
    assert "--session-id" not in argv


@given(st.lists(st.one_of(st.text(), st.sampled_from(lines_of("fixed")), st.binary().map(repr)), max_size=8))
def test_garbage_never_raises(lines: list[str]) -> None:
    read(lines, a_call(Path("/nonexistent")))


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)
)


@given(
    st.sampled_from(["init", "message", "tool_use", "tool_result", "error", "result"]),
    st.dictionaries(
        st.sampled_from(["session_id", "role", "content", "tool_id", "tool_name", "parameters", "status", "stats"]),
        anything | st.just({"models": {"m": {"input_tokens": 1}}}) | st.just({"models": {"m": 3}}),
    ),
)
def test_events_of_any_shape_never_raise(kind: str, about: dict[str, object]) -> None:
    read([json.dumps({"type": kind, **about})] * 2, a_call(Path("/nonexistent")))


@given(st.binary())
def test_a_record_of_any_bytes_never_raises(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    home = tmp_path_factory.mktemp("home")
    file = keep_chat(home)
    with file.open("ab") as chat:
        chat.write(content)
    told, _ = read(lines_of("exit_codes")[:-1], a_call(home))
    assert told.session == SESSION
