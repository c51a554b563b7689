"""CASES G: money and time are reserved before they are spent, charged exactly once, and survive every way out."""

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from trueup.act.process import Processes
from trueup.decide import patience
from trueup.decide.budget import least_seconds
from trueup.decide.moves import AgentStatus, Attempted, History, ProveTree, RunFinished
from trueup.decide.outcome import Status
from trueup.decide.task import AgentSpec, Limits, Task
from trueup.errors import UsageError
from trueup.report.events import Activity, Envelope, MoveDone, MoveStarted
from trueup.testing import Driven, drive, drive_on, environment, python_project, task_for

BROKEN, FIXED = "A = 1\nB = 1\n", "A = 2\nB = 2\n"
CHECK = """\
import pathlib
text = pathlib.Path("code.py").read_text()
wrong = [f"code.py:{n}: error: {x} is wrong [E{n}]" for n, x in ((1, "A"), (2, "B")) if f"{x} = 2" not in text]
print("\\n".join(wrong))
raise SystemExit(bool(wrong))
"""
COUNT = 'echo call >> "$CALLS"\n'
FIX_A, FIX_B = "sed -i 's/A = 1/A = 2/' code.py\n", "sed -i 's/B = 1/B = 2/' code.py\n"
FIX = FIX_A + FIX_B
NOISE = "echo x >> code.py\n"


def claim(text: str) -> str:
    return f"printf '%s' '{text}' > \"$1\"\n"


def usd(amount: float) -> str:
    return claim(f'{{"usd": {amount}}}')


class Till:
    """A small project, an agent that is a shell script, and whole runs of both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {"CALLS": str(folder / "calls"), "OUTSIDE": str(folder)}
        self.project = python_project(folder / "project", files={"code.py": BROKEN, "check.py": CHECK})

    @property
    def calls(self) -> int:
        """How often the agent was really started."""
        place = self.folder / "calls"
        return len(place.read_text().splitlines()) if place.exists() else 0

    def command(self, script: str) -> str:
        path = self.folder / "agent.sh"
        path.write_text(COUNT + script)
        return f"sh {path} {{result_file}} {{attempt}} {{session}}"

    def task(self, script: str, *, price: float | None = None, **limits: object) -> Task:
        own = {"usd": 3.0, "time": 3600.0, "attempts": 10} | limits
        spec = AgentSpec(
            name="sh", command=self.command(script), reports_cost=price is None, usd_per_attempt=price or None
        )
        return task_for((sys.executable, "-S", "check.py"), agents=(spec,), limits=Limits(**own))  # type: ignore[arg-type]

    def run(self, script: str, *, watch: Callable[[Envelope], object] = lambda _: None, **limits: object) -> Driven:
        task = self.task(script, **limits)  # type: ignore[arg-type]
        return drive(self.project, state=self.folder / "state", task=task, environ=self.environ, watch=watch)

    def resume(self, script: str | None = None, limits: Callable[[Limits], Limits] = lambda old: old) -> Driven:
        if script is not None:
            self.command(script)
        return drive_on(self.project, state=self.folder / "state", environ=self.environ, limits=limits)

    def trueup(self, *words: str) -> "subprocess.Popen[str]":
        env = environment(self.folder / "state", self.environ)
        argv = [sys.executable, "-m", "trueup", *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(argv, cwd=self.project, env=env, text=True, stdout=pipe, stderr=subprocess.STDOUT)

    def says(self, *words: str) -> tuple[int, str]:
        child = self.trueup(*words)
        output, _ = child.communicate(timeout=120)
        return child.returncode, output


@pytest.fixture
def till(tmp_path: Path) -> Till:
    return Till(tmp_path)


def charges(history: Driven) -> list[float | None]:
    return [view.charged_usd for view in history.attempts]


def endings(history: History) -> list[Status]:
    return [record.outcome.status for _, record in history if isinstance(record, RunFinished)]


def steps(*scripts: str) -> str:
    """One script for each attempt, by its number; the last one for all further ones."""
    cases = "".join(f"{n}) {script};;\n" for n, script in enumerate(scripts[:-1], 1))
    return f'case "$2" in\n{cases}*) {scripts[-1]};;\nesac\n'


# --- G1: what does not fit is not begun ---------------------------------------------------------------------------


def test_an_attempt_is_refused_when_what_is_left_cannot_hold_the_dearest_so_far(till: Till) -> None:
    result = till.run(FIX_A + usd(0.6), usd=1.0)
    assert (result.outcome.status, result.outcome.limit) == (Status.OUT_OF_BUDGET, "usd")
    assert (till.calls, result.outcome.usd, result.outcome.partial) == (1, 0.6, True)
    assert result.attempts[0].move.reserve_usd == pytest.approx(1 / 3)
    assert "$0.40 of $1.00 is left, the next attempt may need $0.60" in result.outcome.detail


def test_an_attempt_is_refused_when_what_is_left_cannot_hold_the_cap_per_attempt(till: Till) -> None:
    result = till.run(NOISE + usd(0.1), usd=1.0, max_usd_per_attempt=0.85)
    assert (result.outcome.limit, till.calls) == ("usd", 2)
    assert [view.move.reserve_usd for view in result.attempts] == [0.85, 0.9 - 0.05]


def test_an_attempt_of_a_known_price_is_refused_when_the_price_does_not_fit(till: Till) -> None:
    result = till.run(NOISE, usd=1.0, price=0.4)
    assert (result.outcome.limit, till.calls) == ("usd", 2)
    assert charges(result) == [view.move.reserve_usd for view in result.attempts] == [0.4, 0.4]


def test_an_attempt_is_refused_when_the_time_cannot_hold_agent_checks_and_proof(till: Till) -> None:
    first = till.run(NOISE + usd(0.1), attempts=1)
    enough = least_seconds(first.state) + 0.5  # the second run remembers the same baseline
    result = till.run("sleep 1\n" + NOISE + usd(0.1), time=enough)
    assert result.state.baseline is not None
    assert result.state.baseline.remembered
    assert (result.outcome.status, result.outcome.limit, till.calls) == (Status.OUT_OF_BUDGET, "time", 2)
    assert result.attempts[0].report is not None


def test_a_time_limit_that_cannot_hold_one_attempt_is_a_usage_error_before_anything_is_paid(till: Till) -> None:
    result = till.run(FIX + usd(0.1), time=4.0)
    assert (result.outcome.status, result.outcome.reason, till.calls) == (Status.USAGE, "max_time", 0)
    assert "cannot hold one attempt" in result.outcome.detail


def test_the_number_of_attempts_is_never_exceeded(till: Till) -> None:
    result = till.run(NOISE + usd(0.1), attempts=2)
    assert (result.outcome.status, result.outcome.limit, till.calls) == (Status.OUT_OF_BUDGET, "attempts", 2)


# --- G2: what was paid is verified --------------------------------------------------------------------------------


def test_a_paid_attempt_far_over_the_limit_is_proven_and_the_overrun_is_said(till: Till) -> None:
    result = till.run(FIX + usd(99), usd=0.01)
    assert (result.outcome.status, result.outcome.usd) == (Status.PASSED, 99.0)
    assert "$99.00 of $0.01, over the limit" in result.screen


def test_a_paid_attempt_far_over_the_limit_that_is_not_green_ends_the_run(till: Till) -> None:
    result = till.run(FIX_A + usd(99), usd=0.01)
    assert (result.outcome.status, result.outcome.limit, result.outcome.usd) == (Status.OUT_OF_BUDGET, "usd", 99.0)
    assert result.attempts[0].report is not None
    assert (result.outcome.partial, till.calls) == (True, 1)


# --- G3: what cannot be believed ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (claim('{"usd": 0, "tokens": 900}'), "used tokens"),
        (claim('{"usd": 1' + "0" * 400 + "}"), "not an amount"),
        (claim('{"usd": 0.1, "total_usd": 0.2, "session": "s"}'), "contradict"),
        (claim('{"total_usd": 0.2}'), "no name"),
        ("", "no result file"),
    ],
    ids=["tokens-for-nothing", "endless", "contradictory", "a-total-of-nothing", "missing"],
)
def test_a_cost_that_cannot_be_believed_is_charged_as_reserved(till: Till, said: str, why: str) -> None:
    result = till.run(FIX + said)
    assert (result.outcome.status, result.outcome.usd) == (Status.PASSED, 1.0)
    assert why in result.attempts[0].charge_note
    assert why in result.screen


def test_a_cap_that_the_user_set_for_an_agent_without_a_price_is_refused_with_the_ways_out(till: Till) -> None:
    check = f"{sys.executable} -S check.py"
    code, output = till.says("run", "--max-usd", "1", "--check", check, "--agent-cmd", f"sh {till.folder}/agent.sh")
    assert (code, till.calls) == (2, 0)
    for way in ("usd_per_attempt", "{result_file}", "--max-usd none"):
        assert way in output


def test_the_default_cap_is_not_applied_to_an_agent_without_a_price_and_the_first_screen_says_so(till: Till) -> None:
    till.command(FIX)
    check = f"{sys.executable} -S check.py"
    code, output = till.says("run", "--check", check, "--agent-cmd", f"sh {till.folder}/agent.sh")
    assert code == 0
    assert "the cost is not known: the agent does not report it" in output
    assert "$5.00" not in output


def test_a_cap_for_an_agent_without_a_price_is_refused_on_resume_too(till: Till) -> None:
    till.command(NOISE)
    spec = AgentSpec(name="sh", command=f"sh {till.folder}/agent.sh")
    task = replace(till.task(NOISE, usd=None, attempts=1), agents=(spec,))
    drive(till.project, state=till.folder / "state", task=task, environ=till.environ)
    with pytest.raises(UsageError, match="does not report what it costs"):
        till.resume(limits=lambda old: replace(old, usd=5.0, attempts=2))
    assert till.calls == 1


# --- G4: sessions that go on --------------------------------------------------------------------------------------

SESSION = 'echo "$2 $3" >> "$OUTSIDE/sessions"\n'


def total(amount: float) -> str:
    return claim(f'{{"total_usd": {amount}, "session": "s1"}}')


def test_the_cost_of_a_session_that_goes_on_is_charged_as_a_difference(till: Till) -> None:
    result = till.run(SESSION + steps(NOISE + total(0.5), NOISE + total(0.75), FIX + total(1.0)))
    assert (result.outcome.status, result.outcome.usd) == (Status.PASSED, 1.0)
    assert charges(result) == [0.5, 0.25, 0.25]
    assert (till.folder / "sessions").read_text() == "1 \n2 s1\n3 s1\n"


def test_the_cost_of_a_session_that_falls_is_unknown_and_nothing_is_given_back(till: Till) -> None:
    result = till.run(steps(NOISE + total(0.5), NOISE + total(0.25), FIX + total(0.75)))
    assert charges(result) == [0.5, 1.0, 0.25]
    assert "fell from $0.50 to $0.25" in result.attempts[1].charge_note
    assert result.outcome.usd == 1.75


def test_a_session_is_known_again_after_a_resume(till: Till) -> None:
    processes = Processes()

    def stop(envelope: Envelope) -> None:
        if isinstance(envelope.event, MoveDone) and isinstance(envelope.event.record, Attempted):
            processes.cancel()

    task = till.task(SESSION + steps(NOISE + total(0.5), FIX + total(0.75)))
    state = till.folder / "state"
    first = drive(till.project, state=state, task=task, environ=till.environ, processes=processes, watch=stop)
    assert first.outcome.status is Status.CANCELLED
    result = till.resume()
    assert (result.outcome.status, charges(result)) == (Status.PASSED, [0.5, 0.25])
    assert (till.folder / "sessions").read_text() == "1 \n2 s1\n"


# --- G5: refused before any work ----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["API Error: 401 {}", "You are not logged in"])
def test_refused_credentials_block_the_run_after_one_call(till: Till, words: str) -> None:
    result = till.run(f"echo '{words}'; exit 1\n", attempts=1)
    assert (result.outcome.status, result.outcome.reason, till.calls) == (Status.BLOCKED, "credentials", 1)
    assert (result.outcome.usd, result.outcome.exit_code) == (0.0, 5)
    logged_in = till.resume(FIX + usd(0.25))  # the only attempt is still there
    assert (logged_in.outcome.status, logged_in.outcome.usd) == (Status.PASSED, 0.25)


@pytest.mark.parametrize("words", ["429 Too Many Requests", "HTTP 503 Service Unavailable"])
def test_rate_limits_and_outages_are_waited_for_and_consume_no_attempt(
    till: Till, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "BACK_OFFS", (0.01, 0.01))
    refused = f"echo '{words}'; exit 1"
    result = till.run(steps(refused, refused, FIX + usd(0.25)), attempts=1)
    assert (result.outcome.status, result.outcome.usd, till.calls) == (Status.PASSED, 0.25, 3)


def test_a_provider_that_keeps_refusing_blocks_the_run(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "BACK_OFFS", (0.01, 0.01))
    result = till.run("echo 'rate limit reached'; exit 1\n")
    assert (result.outcome.status, result.outcome.reason, till.calls) == (Status.BLOCKED, "rate_limited", 3)
    assert result.outcome.usd == 0.0


def test_no_wait_begins_after_which_no_attempt_would_fit(till: Till) -> None:
    first = till.run("echo 'rate limit reached'; exit 1\n", time=least_seconds_of(till) + patience.BACK_OFFS[0] - 0.001)
    assert (first.outcome.status, first.outcome.reason, till.calls) == (Status.BLOCKED, "rate_limited", 2)
    assert "no time is left to wait" in first.outcome.detail


def least_seconds_of(till: Till) -> float:
    """What one attempt needs: a first run measures the checks, the next one remembers them."""
    return least_seconds(till.run("exit 1\n", attempts=1).state)


def test_an_agent_that_worked_and_was_refused_afterwards_is_charged_and_verified(till: Till) -> None:
    result = till.run(FIX + usd(0.5) + "echo 'rate limit reached'; exit 1\n")
    assert (result.outcome.status, result.outcome.usd) == (Status.PASSED, 0.5)


# --- G6: a dead agent ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ['{"usd": 0, "tokens": 0}', '{"usd": 0}'])
def test_an_agent_that_used_no_model_and_changed_nothing_is_dead_not_finished(till: Till, said: str) -> None:
    result = till.run(f"echo 'All tests pass. Done.'; {claim(said)}")
    assert (result.outcome.status, result.outcome.reason, till.calls) == (Status.STUCK, "no_change", 2)
    assert {view.record.agent for view in result.attempts} == {AgentStatus.DEAD}
    assert "did no work at all" in result.screen


# --- G7: every way out --------------------------------------------------------------------------------------------


def broken_sink(envelope: Envelope) -> None:
    if isinstance(envelope.event, Activity) and envelope.event.text == "now":
        raise RuntimeError("a bug")


def test_an_exception_while_the_agent_works_leaves_its_bill_and_one_end(till: Till) -> None:
    with pytest.raises(RuntimeError, match="a bug"):
        till.run(NOISE + usd(0.25) + "echo now; sleep 600\n", watch=broken_sink)
    result = till.resume(FIX + usd(0.5))
    assert endings(result.history) == [Status.UNVERIFIABLE, Status.PASSED]
    assert (charges(result), result.outcome.usd) == ([0.25, 0.5], 0.75)


def test_an_exception_while_a_check_runs_leaves_one_end_and_is_not_paid_twice(till: Till) -> None:
    shows: list[str] = []

    def bug(envelope: Envelope) -> None:
        if isinstance(envelope.event, MoveStarted) and isinstance(envelope.event.move, ProveTree):
            shows.append("the proof began")
        if shows and isinstance(envelope.event, Activity):
            raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        till.run(FIX + usd(0.25), watch=bug)
    result = till.resume()
    assert endings(result.history) == [Status.UNVERIFIABLE, Status.PASSED]
    assert (charges(result), till.calls) == ([0.25], 1)


@pytest.mark.parametrize(("said", "charged"), [(usd(0.25), 0.25), ("", 1.0)], ids=["reported", "unknown"])
def test_a_cancel_while_the_agent_works_leaves_its_bill_and_one_end(till: Till, said: str, charged: float) -> None:
    processes = Processes()

    def stop(envelope: Envelope) -> None:
        if isinstance(envelope.event, Activity) and envelope.event.text == "now":
            processes.cancel()

    task, state = till.task(NOISE + said + "echo now; sleep 600\n", attempts=1), till.folder / "state"
    first = drive(till.project, state=state, task=task, environ=till.environ, processes=processes, watch=stop)
    assert (first.outcome.status, first.outcome.usd) == (Status.CANCELLED, charged)
    result = till.resume(FIX + usd(0.5))
    assert endings(result.history) == [Status.CANCELLED, Status.PASSED]
    assert (charges(result), result.outcome.usd) == ([charged, 0.5], charged + 0.5)


def wait_for(place: Path, child: "subprocess.Popen[str]") -> None:
    for _ in range(1200):
        if place.exists():
            return
        assert child.poll() is None, "ended too early"
        time.sleep(0.1)
    raise AssertionError("it did not get there")


def test_a_sigterm_while_the_agent_works_leaves_its_bill_and_one_end(till: Till) -> None:
    command = till.command(NOISE + usd(0.25) + 'touch "$OUTSIDE/now"; sleep 600\n')
    child = till.trueup("run", "--check", f"{sys.executable} -S check.py", "--agent-cmd", command)
    wait_for(till.folder / "now", child)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=120)
    assert child.returncode == 130
    result = till.resume(FIX + usd(0.5))
    assert endings(result.history) == [Status.CANCELLED, Status.PASSED]
    assert (charges(result), result.outcome.usd) == ([0.25, 0.5], 0.75)


DRIVER = """
import os, pickle, signal, sys
from trueup.testing import drive
project, state, task, environ, moves = pickle.loads(bytes.fromhex(sys.stdin.read()))

def watch(envelope):
    if [type(envelope.event).__name__, type(getattr(envelope.event, "move", None)).__name__] == moves:
        os.kill(os.getpid(), signal.SIGKILL)

drive(project, state=state, task=task, environ=environ, watch=watch)
"""


def killed(till: Till, script: str, moves: Sequence[str] = ()) -> "subprocess.Popen[str]":
    """A run in a process of its own, which is killed at this event if there is one."""
    facts = (till.project, till.folder / "state", till.task(script, attempts=1), till.environ, list(moves))
    child = subprocess.Popen([sys.executable, "-c", DRIVER], stdin=subprocess.PIPE, text=True)
    assert child.stdin is not None
    child.stdin.write(pickle.dumps(facts).hex())
    child.stdin.close()
    return child


def test_a_kill_before_the_agent_was_started_costs_nothing(till: Till) -> None:
    child = killed(till, FIX + usd(0.25), ["MoveStarted", "RunAttempt"])
    assert child.wait(120) == -signal.SIGKILL
    result = till.resume()
    assert endings(result.history) == [Status.PASSED]
    assert (charges(result), till.calls) == ([0.25], 1)


def test_a_kill_while_the_agent_works_leaves_one_end_and_charges_its_money_and_its_time(till: Till) -> None:
    child = killed(till, NOISE + usd(0.25) + 'sleep 1; touch "$OUTSIDE/now"; sleep 600\n')
    wait_for(till.folder / "now", child)
    os.kill(child.pid, signal.SIGKILL)
    child.wait(60)
    result = till.resume(FIX + usd(0.5))
    assert endings(result.history) == [Status.PASSED]
    assert (charges(result), result.outcome.usd) == ([0.25, 0.5], 0.75)
    cut, made = result.attempts
    assert cut.record.agent is AgentStatus.INTERRUPTED
    assert (made.move.rung, made.move.nudge, made.move.fresh_session) == (cut.move.rung, cut.move.nudge, True)
    assert 1.0 <= cut.record.duration <= cut.move.seconds
    assert result.outcome.seconds >= cut.record.duration + made.record.duration


def test_the_time_between_a_kill_and_the_resume_is_not_the_agents(till: Till) -> None:
    """It says something after a second, and nothing in the three seconds before it is killed."""
    child = killed(
        till,
        NOISE
        + usd(0.25)
        + 'touch "$OUTSIDE/begun"; sleep 1.2; echo working; sleep 3; touch "$OUTSIDE/now"; sleep 600\n',
    )
    wait_for(till.folder / "now", child)
    os.kill(child.pid, signal.SIGKILL)
    child.wait(60)
    killed_at = time.time()
    cut = till.resume(FIX + usd(0.5)).attempts[0]
    whole = killed_at - (till.folder / "begun").stat().st_mtime
    assert 1.0 <= cut.record.duration <= whole - 2.0


def test_totals_on_resume_are_new_totals_and_less_than_was_used_is_refused(till: Till) -> None:
    first = till.run(NOISE + usd(0.75), attempts=1)
    assert first.outcome.limit == "attempts"
    for less in ({"usd": 0.5}, {"attempts": 0}, {"time": first.outcome.seconds / 2}):
        with pytest.raises(UsageError, match="already"):
            till.resume(limits=lambda old, less=less: replace(old, **less))  # type: ignore[misc]
    result = till.resume(FIX + usd(0.5), limits=lambda old: replace(old, usd=1.5, attempts=2))
    assert (result.outcome.status, result.outcome.usd, result.outcome.usd_limit) == (Status.PASSED, 1.25, 1.5)
