"""A program of one's own, driven as the known ones are: real processes, real files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trueup.act.agents.base import AgentCall, AgentResult
from trueup.act.agents.claude import ClaudeReader
from trueup.act.agents.program import Dialect, Invocation, Options, ProgramAgent
from trueup.act.agents.told import JsonReader, Told
from trueup.act.agents.untrusted import part, parts, record, text, whole
from trueup.act.process import Processes
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

Run = Callable[..., AgentResult]


class PlainReader(JsonReader):
    def event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        self.told.name_session(event.get("session"))
        if "step" in event:
            self.told.answered()
            self.told.spend(usd=event["step"])
        if "usd" in event:
            self.told.bill(usd=event["usd"], tokens=event.get("tokens"))
        if said := text(event, "status"):
            self.told.status = AgentStatus(said)
        if said := text(event, "error"):
            self.told.complain(said)
        if said := text(event, "say"):
            yield Turn(doing=Doing.SAY, args=said)


def invocation(program: str, _call: AgentCall, options: Options) -> Invocation:
    return Invocation(
        argv=(program, "-c", *options.args),
        env={"ADDED": "ours", "KEPT": "ours"},
        unset=("GONE",),
    )


PLAIN = Dialect(
    program="plain-agent",
    get="make plain-agent",
    checked="1",
    permissions="none",
    invocation=invocation,
    reader=lambda _call, _options: PlainReader(),
    exits={41: AgentStatus.CREDENTIALS},
)


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes() as running:
        yield running


@pytest.fixture
def call(tmp_path: Path) -> AgentCall:
    scratch, workspace = tmp_path / "scratch", tmp_path / "workspace"
    scratch.mkdir()
    workspace.mkdir()
    return AgentCall(
        prompt="fix it",
        prompt_file=scratch / "prompt.md",
        workspace=workspace,
        attempt=1,
        seconds=120,
        usd=None,
        env={"PATH": os.environ["PATH"], "KEPT": "the user's", "GONE": "here"},
        scratch=scratch,
    )


@pytest.fixture
def run(call: AgentCall, processes: Processes) -> Run:
    def run(code: str, seen: list[str] | None = None, **changes: object) -> AgentResult:
        options = Options(program=(sys.executable, "-S"), args=(code,))
        agent = ProgramAgent(name="plain", dialect=PLAIN, options=options)
        shown = [] if seen is None else seen
        return agent.run(replace(call, **changes), processes, shown.append)  # type: ignore[arg-type]

    return run


def prints(*events: dict[str, object], then: str = "") -> str:
    lines = "".join(f"print({json.dumps(event)!r}, flush=True)\n" for event in events)
    return f"import os, signal, sys, time\n{lines}{then}"


def test_turns_are_shown_as_they_come_and_kept_with_the_bill(run: Run) -> None:
    seen: list[str] = []
    result = run(prints({"session": "s1"}, {"say": "hello"}, {"usd": 0.5, "tokens": 7}), seen)
    assert (result.status, result.exit_code) == (AgentStatus.DONE, 0)
    assert (result.claimed_usd, result.tokens, result.session) == (0.5, 7, "s1")
    assert [turn.args for turn in result.turns] == ["hello"]
    assert seen == ["hello"]
    assert result.note == "hello"
    assert b"hello" in result.transcript


def test_the_users_own_variables_stay_and_the_prompt_comes_on_standard_input(run: Run, call: AgentCall) -> None:
    run("import os, sys; open('seen', 'w').write(repr((sys.stdin.read(), dict(os.environ))))")
    prompt, variables = eval((call.workspace / "seen").read_text())
    assert prompt == "fix it"
    assert (variables["ADDED"], variables["KEPT"]) == ("ours", "the user's")
    assert "GONE" not in variables


def test_the_bill_so_far_is_on_the_disk_while_the_program_still_works(run: Run, call: AgentCall) -> None:
    read = "print(open(os.environ['PWD'] + '/../scratch/result.json').read())"
    wait = "while not os.path.exists(os.environ['PWD'] + '/../scratch/result.json'): time.sleep(0.01)\n"
    result = run(prints({"session": "s1", "usd": 0.25}, then=wait + read))
    assert json.loads(result.transcript.decode().strip().splitlines()[-1]) == {"usd": 0.25, "session": "s1"}


def test_a_planted_link_in_place_of_the_bill_is_replaced_not_followed(run: Run, call: AgentCall) -> None:
    victim = call.workspace / "victim"
    victim.write_text("mine")
    (call.scratch / "result.json").symlink_to(victim)
    run(prints({"usd": 0.25}))
    assert victim.read_text() == "mine"
    assert json.loads((call.scratch / "result.json").read_text()) == {"usd": 0.25}


@pytest.mark.parametrize(
    ("events", "end", "status"),
    [
        ([{"status": "credentials"}], "", AgentStatus.CREDENTIALS),
        ([{"error": "HTTP 429 too many requests"}], "sys.exit(1)", AgentStatus.RATE_LIMITED),
        ([{"error": "HTTP 429 too many requests"}], "", AgentStatus.DONE),
        ([], "sys.exit('prompt is too long')", AgentStatus.CONTEXT_FULL),
        ([], "sys.exit(3)", AgentStatus.FAILED),
        ([], "os.kill(os.getpid(), signal.SIGKILL)", AgentStatus.FAILED),
    ],
)
def test_how_it_ended_is_told_by_what_the_program_reports_of_itself(
    run: Run, events: list[dict[str, object]], end: str, status: AgentStatus
) -> None:
    assert run(prints(*events, then=end)).status is status


def test_a_session_whose_context_is_full_is_not_gone_on_with(run: Run) -> None:
    assert run(prints({"session": "s1", "status": "context_full"})).session == ""


def test_whoever_waits_for_a_provider_until_the_time_is_up_was_refused_by_it(run: Run) -> None:
    waiting = run(prints({"status": "rate_limited"}, then="time.sleep(600)"), seconds=2.0)
    assert waiting.status is AgentStatus.RATE_LIMITED
    assert run(prints({"say": "x"}, then="time.sleep(600)"), seconds=2.0).status is AgentStatus.TIMEOUT


def test_so_was_one_that_says_so_on_standard_error_and_never_got_an_answer(run: Run) -> None:
    says = "print('Attempt 4 failed with status 429. Retrying', file=sys.stderr, flush=True)\ntime.sleep(600)"
    assert run(prints(then=says), seconds=2.0).status is AgentStatus.RATE_LIMITED


def test_a_program_that_did_not_wait_for_its_prompt_was_started_on_a_busy_machine(run: Run) -> None:
    says = "No input provided via stdin. Input can be provided by piping data into gemini or using the --prompt option."
    result = run(f"import sys; print({says!r}, file=sys.stderr); sys.exit(42)")
    assert (result.status, result.worked) == (AgentStatus.OVERLOADED, False)


def test_an_exit_code_that_the_program_is_known_to_use_says_why(run: Run) -> None:
    assert run("import sys; sys.exit(41)").status is AgentStatus.CREDENTIALS
    assert run("import sys; sys.exit(42)").status is AgentStatus.FAILED


def interrupted(event: dict[str, Any]) -> str:
    """The program's last words when it is interrupted.

    Not by print: the signal may come while one is under way, which Python does not allow twice.
    """
    last = (json.dumps(event) + "\n").encode()
    return f"import os, signal\nsignal.signal(signal.SIGINT, lambda *_: (os.write(1, {last!r}), os._exit(1)))\n"


def test_a_program_that_goes_round_in_circles_is_ended_and_still_sends_its_bill(run: Run) -> None:
    say_bill = interrupted({"usd": 0.75})
    seen: list[Turn] = []

    def watch(turn: Turn) -> str:
        seen.append(turn)
        return "the same again" if len(seen) == 2 else ""

    circles = prints({"say": "1"}, {"say": "2"}, then="time.sleep(600)")
    result = run(say_bill + circles, watch=watch)
    assert (result.status, result.detail, result.claimed_usd) == (AgentStatus.HALTED, "the same again", 0.75)
    assert [turn.args for turn in seen] == ["1", "2"]


def test_one_that_goes_round_because_its_context_is_full_is_told_so(run: Run) -> None:
    """Then the next attempt begins a new session, which it would not do for circles alone."""
    # What it says after the order to stop, such as that its summary is there, changes nothing about that.
    late = interrupted({"status": "done"})
    full = prints({"session": "s-1", "status": "context_full"}, {"say": "1"}, then="time.sleep(600)")
    result = run(late + full, watch=lambda _: "the same again")
    assert (result.status, result.detail, result.session) == (AgentStatus.CONTEXT_FULL, "the same again", "")


def test_a_program_that_has_cost_more_than_it_may_is_ended_while_it_works(run: Run) -> None:
    result = run(prints({"step": 1.0}, {"step": 1.5}, then="time.sleep(600)"), usd=2.0)
    assert (result.status, result.claimed_usd, result.detail) == (AgentStatus.OVERSPENT, 2.5, "$2.50 of $2.00")
    assert run(prints({"step": 1.0}, {"step": 1.0}), usd=2.0).status is AgentStatus.DONE
    assert run(prints({"step": 1.0}, {"step": 1.5})).status is AgentStatus.DONE


def test_so_is_one_whose_cost_is_no_longer_known(run: Run) -> None:
    result = run(prints({"step": 1.5}, {"step": None}, {"step": 1.5}, then="time.sleep(600)"), usd=2.0)
    assert (result.status, result.claimed_usd, result.least_usd) == (AgentStatus.OVERSPENT, None, 3.0)


def test_who_has_sent_the_final_bill_is_let_end_by_itself(run: Run) -> None:
    result = run(prints({"usd": 3.0}, then="time.sleep(0.5)"), usd=2.0)
    assert (result.status, result.claimed_usd) == (AgentStatus.DONE, 3.0)


def test_a_bill_is_not_believed_when_the_model_answers_after_it(run: Run) -> None:
    result = run(prints({"usd": 0.5}, {"step": 0.25}))
    assert (result.claimed_usd, result.least_usd, result.worked) == (None, 0.75, True)
    assert result.claim_problem == "the agent went on after it had reported its cost"


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "sys.exit(137)"])
def test_a_bill_is_not_believed_of_a_program_that_somebody_else_killed(run: Run, end: str) -> None:
    result = run(prints({"usd": 0.0001}, then=end))
    assert (result.claimed_usd, result.least_usd) == (None, 0.0001)
    assert result.claim_problem == "the agent was killed after it had reported its cost"
    assert run(prints({"step": 0.5}, then=end)).claimed_usd == 0.5


def test_who_was_refused_after_answers_is_known_to_have_worked(run: Run) -> None:
    refused = run(prints({"step": None}, {"status": "rate_limited"}, then="time.sleep(600)"), seconds=2.0)
    assert (refused.status, refused.worked) == (AgentStatus.RATE_LIMITED, True)
    assert not run(prints({"status": "rate_limited"})).worked


def test_a_missing_program_says_how_to_get_it(call: AgentCall, processes: Processes) -> None:
    agent = ProgramAgent(name="plain", dialect=PLAIN)
    result = agent.run(call, processes, lambda _: None)
    assert (result.status, result.began) == (AgentStatus.MISSING, False)
    assert result.detail == "plain-agent was not found; get it with: make plain-agent"
    assert agent.describe().missing == result.detail


def test_a_prompt_that_fits_into_no_argument_is_refused_before_the_start(run: Run, call: AgentCall) -> None:
    result = run("#" * 200_000)
    assert (result.status, result.began) == (AgentStatus.FAILED, False)


def test_a_line_that_never_ends_is_not_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueup.act.agents.program._LONGEST_LINE", 1000)
    result = run(prints(then="print('{\"say\": \"' + 'x' * 5000 + '\"}')\nprint('{\"say\": \"short\"}', end='')"))
    assert [turn.args for turn in result.turns] == ["short"]


def test_what_is_kept_for_the_transcript_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueup.act.agents.told._MOST_KEPT", 100_000)
    told = Told()
    for _ in range(60):
        told.keep(Turn(doing=Doing.RUN, args="cat big", output="x" * 9_000_000))
    told.complain("y" * 9_000_000)
    assert 60_000 < sum(len(turn.output) for turn in told.turns) <= 100_000
    assert len(told.errors[0]) < 30_000


@pytest.mark.parametrize("most", ["_MOST_ASKED", "_MOST_KEPT"])
def test_calls_that_are_never_answered_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch, most: str) -> None:
    monkeypatch.setattr(f"trueup.act.agents.told.{most}", 2)
    reader = ClaudeReader()
    for number in range(5):
        tool = {"type": "tool_use", "id": str(number), "name": "Bash", "input": {"command": "1"}}
        list(reader.read(json.dumps({"type": "assistant", "message": {"model": "m", "content": [tool]}})))
    assert list(reader.asked) == ["3", "4"]


def test_the_highest_figure_that_was_told_outlives_its_contradiction() -> None:
    twice = Told()
    twice.bill(usd=30.0)
    twice.bill(usd=20.0)
    assert (twice.usd, twice.least_usd) == (None, 30.0)
    totals = Told()
    totals.bill(total=30.0)
    totals.bill(total=20.0)
    assert (totals.total_usd, totals.least_total_usd, totals.least_usd) == (None, 30.0, 0.0)
    falls = Told()
    falls.sum_up(30.0)
    falls.sum_up(1.0)
    assert (falls.usd, falls.least_usd) == (None, 30.0)


def test_what_is_no_object_is_nothing() -> None:
    assert record("[1]") == record("{") == record("text") == record("") == {}
    assert record(' {"a": {"b": 1}}') == {"a": {"b": 1}}
    value = {"a": {"b": "x", "n": 3, "l": [{"c": 1}, 2]}}
    assert (text(value, "a", "b"), text(value, "a", "n"), text(3, "a")) == ("x", "", "")
    assert (whole(value, "a", "n"), whole(value, "a", "b"), whole({"n": True}, "n")) == (3, None, None)
    assert (part(value, "a", "b"), parts(value, "a", "l"), parts(value, "a")) == ({}, [{"c": 1}], [])
