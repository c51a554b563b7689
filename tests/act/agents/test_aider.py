"""What aider left in its chat history and its log, read as turns, a bill and a reason."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trueup.act.agents.aider import AIDER, AiderReader, invocation
from trueup.act.agents.base import AgentCall
from trueup.act.agents.program import Options, ProgramAgent
from trueup.act.agents.told import Told
from trueup.act.process import Processes
from trueup.config.prices import Price
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

SAMPLES = Path(__file__).parent / "samples"
STARTING = {"event": "message_send_starting", "properties": {}}


def sample(name: str) -> tuple[Told, list[Turn]]:
    return read(AiderReader(SAMPLES / f"aider_{name}.events.jsonl", SAMPLES / f"aider_{name}.chat.md", Options()))


def read(reader: AiderReader) -> tuple[Told, list[Turn]]:
    turns = [*reader.read("Aider v0.86.2"), *reader.finish()]
    return reader.told, turns


def answer(total: object, sent: object = 1000, received: object = 100, cost: object = None) -> Mapping[str, object]:
    about = {"prompt_tokens": sent, "completion_tokens": received, "cost": cost, "total_cost": total}
    return {"event": "message_send", "properties": about}


class Record:
    """The two files, as aider would write them."""

    def __init__(self, folder: Path) -> None:
        self.log, self.chat = folder / "events.jsonl", folder / "chat.md"

    def put(self, *events: Mapping[str, object], chat: str = "") -> Record:
        with self.log.open("a") as log:
            log.writelines(json.dumps(event) + "\n" for event in events)
        with self.chat.open("a") as file:
            file.write(chat)
        return self

    def reader(self, price: Price | None = None) -> AiderReader:
        return AiderReader(self.log, self.chat, Options(price=price))


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path)


def test_what_it_did_comes_as_turns_in_order() -> None:
    told, turns = sample("fix")
    assert [(turn.doing, turn.paths, turn.failed) for turn in turns] == [
        (Doing.READ, ("test_calc.py",), None),
        (Doing.SAY, (), None),
        (Doing.READ, ("calc.py",), None),
        (Doing.SAY, (), None),
        (Doing.EDIT, ("calc.py",), False),
    ]
    assert turns[1].args.startswith("The sign is wrong.")
    assert turns[3].args.endswith(">>>>>>> REPLACE\n```")
    assert turns[4].args == turns[3].args
    assert (told.usd, told.tokens, told.status, told.problem) == (0.007, 2200, None, "")


def test_a_refused_key_is_named_although_it_exits_with_0() -> None:
    told, _ = sample("401")
    assert (told.status, told.usd) == (AgentStatus.CREDENTIALS, 0.0)
    assert told.errors[-1].startswith("litellm.AuthenticationError: ")


def test_a_rate_limit_is_named() -> None:
    told, _ = sample("429")
    assert (told.status, told.usd) == (AgentStatus.RATE_LIMITED, 0.0)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("litellm.ServiceUnavailableError: x", AgentStatus.OVERLOADED),
        ("litellm.InternalServerError: x", AgentStatus.OVERLOADED),
        ("litellm.RateLimitError: You exceeded your quota: insufficient_quota", AgentStatus.CREDENTIALS),
        ("litellm.ContentPolicyViolationError: x", AgentStatus.REFUSED),
        ("litellm.BadRequestError: no such model", AgentStatus.FAILED),
    ],
)
def test_what_its_errors_mean(record: Record, line: str, status: AgentStatus) -> None:
    told, _ = read(record.put(STARTING, chat=f"#### fix it\n> {line}  \n").reader())
    assert told.status is status


FULL = "> Tokens: 2.5k sent, 0 received.  \n> Model openai/gpt-4o has hit a token limit!  \n"


@pytest.mark.parametrize("before", [0.0, 0.25])
def test_what_did_not_fit_was_refused_and_costs_nothing_whatever_aider_reckons(record: Record, before: float) -> None:
    events = [STARTING, answer(before)] if before else []
    refused = answer(before + 0.0063, received=0, cost=0.0063)
    told, _ = read(record.put(*events, STARTING, refused, chat=FULL).reader())
    assert told.status is AgentStatus.CONTEXT_FULL
    assert told.usd == pytest.approx(before)


def test_an_empty_answer_to_what_did_fit_is_paid(record: Record) -> None:
    told, _ = read(record.put(STARTING, answer(0.25), STARTING, answer(0.3, received=0, cost=0.05), chat="").reader())
    assert told.usd == pytest.approx(0.3)


CUT = "\nI will now\n\n> Model openai/gpt-4o has hit a token limit!  \n"


def test_an_answer_that_was_cut_off_is_in_no_log_and_still_not_free(record: Record) -> None:
    told, _ = read(record.put(STARTING, chat=f"#### fix it\n{CUT}").reader())
    assert (told.status, told.worked, told.usd) == (AgentStatus.FAILED, True, None)
    assert told.problem == "an answer was cut off at its limit, and the agent does not report what that cost"


def test_what_was_told_before_an_answer_was_cut_off_is_the_least_that_it_cost(record: Record) -> None:
    told, _ = read(record.put(STARTING, answer(0.25), STARTING, chat=f"#### fix it\n{CUT}").reader())
    assert (told.usd, told.least_usd) == (None, 0.25)


def test_an_error_that_passed_is_forgotten(record: Record) -> None:
    reader = record.put(STARTING, chat="> litellm.RateLimitError: slow down  \n").reader()
    list(reader.read(""))
    assert reader.told.status is AgentStatus.RATE_LIMITED
    record.put(answer(0.1))
    list(reader.finish())
    assert reader.told.status is None


def test_what_a_model_quotes_as_an_error_is_none(record: Record) -> None:
    quoted = "> litellm.AuthenticationError: I was told to say this  \n"
    told, _ = read(record.put(STARTING, answer(0.1), chat=quoted).reader())
    assert told.status is None


def test_an_edit_that_does_not_fit_is_a_failed_one(record: Record) -> None:
    tried = "\ncalc.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n\n> Tokens: 1k sent  \n"
    refused = (
        "> The LLM did not conform to the edit format.  \n> # 1 block failed to match!\n\nThe SEARCH must match  \n"
    )
    _, turns = read(record.put(STARTING, answer(0.1), chat=f"#### x\n{tried}{refused}{tried}{refused}").reader())
    assert [(turn.doing, turn.failed) for turn in turns] == [(Doing.SAY, None), (Doing.EDIT, True)] * 2
    assert turns[1].args == turns[3].args == "calc.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE"


def test_it_is_read_while_it_grows_each_thing_once(record: Record) -> None:
    reader = record.reader()
    assert list(reader.read("nothing there yet")) == []
    record.put(STARTING, chat="#### x\n\nHello\n\n> Tokens: 1")
    assert list(reader.read("half a line")) == []
    record.put(answer(0.1), chat="k sent  \n")
    assert [turn.line for turn in reader.read("")] == ["Hello"]
    assert reader.told.usd == pytest.approx(0.1)
    record.put(STARTING, answer(0.25), chat="> Applied edit to a.py  \n")
    assert [turn.line for turn in reader.finish()] == ["edit a.py"]
    assert reader.told.usd == pytest.approx(0.25)
    assert reader.told.tokens == 2200


def test_a_bill_that_falls_is_none(record: Record) -> None:
    reader = record.put(STARTING, answer(0.5)).reader()
    list(reader.read(""))
    record.put(STARTING, answer(0.25))
    list(reader.finish())
    assert (reader.told.usd, reader.told.problem) == (None, "the agent's reported cost went down")


@pytest.mark.parametrize("cost", [float("nan"), -1, "1", True, 1e400, None, []])
def test_a_cost_that_is_no_amount_is_unknown(record: Record, cost: object) -> None:
    told, _ = read(record.put(STARTING, answer(cost)).reader())
    assert told.usd is None
    assert told.problem


def test_a_model_without_a_price_is_not_free(record: Record) -> None:
    told, _ = read(record.put(STARTING, answer(0)).reader())
    assert (told.usd, told.problem) == (None, "the agent reported a cost of zero although its model worked")


def test_a_model_without_a_price_is_counted_by_the_one_that_we_know(record: Record) -> None:
    price = Price(input=1000.0, output=10_000.0)
    told, _ = read(record.put(STARTING, answer(0.0), STARTING, answer(0.0)).reader(price))
    assert told.usd == pytest.approx(4.0)
    assert told.tokens == 2200


def test_a_log_that_grew_too_large_does_not_make_the_rest_free(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = record.put(STARTING, answer(0.5)).reader()
    list(reader.read("line"))
    assert reader.told.least_usd == 0.5
    monkeypatch.setattr("trueup.act.agents.own_file._LARGEST", 10)
    list(reader.finish())
    assert (reader.told.usd, reader.told.least_usd) == (None, 0.5)
    assert "too large" in reader.told.problem


def test_what_never_asked_a_model_has_cost_nothing_and_says_why(record: Record) -> None:
    launched = {"event": "launched", "properties": {}}
    told, _ = read(record.put(launched, chat="> Unable to read git repository, it may be corrupt?  \n").reader())
    assert (told.usd, told.errors) == (0.0, ["Unable to read git repository, it may be corrupt?"])


def test_a_question_without_an_answer_has_an_unknown_cost(record: Record) -> None:
    told, _ = read(record.put(STARTING).reader())
    assert (told.usd, told.status) == (None, None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["prompt_tokens", "completion_tokens", "total_cost", "properties"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON, st.binary(max_size=60), st.lists(st.sampled_from(["> ", "####", "Applied edit to ", "litellm.X: ", "\n"])))
def test_nothing_that_it_writes_can_upset_us(tmp_path: Path, about: object, noise: bytes, chat: list[str]) -> None:
    record = Record(tmp_path)
    reader = record.reader(Price(input=1.0, output=1.0))
    for content in (noise, json.dumps({"event": "message_send", "properties": about}).encode() + b"\n"):
        record.log.write_bytes(content)
        record.chat.write_bytes(noise + "".join(chat).encode())
        list(reader.read("line"))
    list(reader.finish())
    assert reader.told.usd is None or reader.told.usd >= 0


@pytest.fixture
def call(tmp_path: Path) -> AgentCall:
    scratch, workspace = tmp_path / "scratch", tmp_path / "work"
    scratch.mkdir()
    workspace.mkdir()
    return AgentCall(
        prompt="fix it",
        prompt_file=scratch / "prompt.md",
        workspace=workspace,
        attempt=1,
        seconds=120,
        usd=1.5,
        env={"PATH": os.environ["PATH"]},
        scratch=scratch,
    )


def test_the_prompt_is_a_file_and_what_it_keeps_for_itself_is_not_in_the_workspace(call: AgentCall) -> None:
    asked = invocation("/bin/aider", call, Options(model="openai/gpt-4o", args=("calc.py",)))
    assert asked.argv[:4] == ("/bin/aider", "--message-file", str(call.prompt_file), "--yes-always")
    for name in ("--chat-history-file", "--input-history-file", "--analytics-log"):
        assert Path(asked.argv[asked.argv.index(name) + 1]).parent == call.scratch
    assert {"--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-analytics"} <= set(asked.argv)
    assert asked.argv[-3:] == ("--model", "openai/gpt-4o", "calc.py")


def test_its_cache_is_no_part_of_its_work(call: AgentCall, tmp_path: Path) -> None:
    """A cache that was there before is the project's, and a link is not followed."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "file").touch()
    (call.workspace / ".aider.tags.cache.v3").mkdir()
    code = (
        "import os; os.mkdir('.aider.tags.cache.v4'); open('.aider.tags.cache.v4/cache.db', 'w').close();"
        "open('.aider.tags.cache.v3/x', 'w').close(); open('a.py', 'w').close()"
    )
    agent = ProgramAgent(name="aider", dialect=AIDER, options=Options(program=(sys.executable, "-c", code)))
    with Processes() as processes:
        assert agent.run(call, processes, lambda line: None).exit_code == 0
        assert sorted(os.listdir(call.workspace)) == [".aider.tags.cache.v3", "a.py"]
        linking = f"import os; os.symlink({str(mine)!r}, '.aider.tags.cache.v4')"
        agent = replace(agent, options=Options(program=(sys.executable, "-c", linking)))
        assert agent.run(call, processes, lambda line: None).exit_code == 0
    assert (mine / "file").exists()
