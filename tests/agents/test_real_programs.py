"""Each real program in each situation: the outcome, the exit code, the bill, the prompts, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

TEST = {"bash": "python3 -m unittest -q 2>&1 | tail -20"}
FIX = {"edit": "calc.py", "old": "return a - b", "new": "return a + b"}
NOTE = {"edit": "calc.py", "old": "# note 0", "new": "# note 1"}
_SECONDS = 60.0
"""Enough to start any of them on a machine that is not idle, and to reach the model."""
ALWAYS = ("# Task\nmake the checks pass", "- `python3 -m unittest -q`", "test_calc.py::TestCalc::test_add", "-1 != 5")
"""In every prompt: the task, the check, and what fails how."""
LATER = ("# Attempt 1, the last one", "# What was tried\n- attempt 1", "Do not repeat what led nowhere.")
"""In the prompt of the second attempt: what came of the first."""
UNCHANGED = (*LATER, "It changed nothing that may stay.")
STOPPED = frozenset({"halted", "timeout"})
EVERYWHERE = ("aider", "claude", "codex", "gemini", "mini", "opencode", "qwen")


def patience() -> float:
    """Seconds for an attempt that ends only because its time is up: more where many others work, too."""
    crowd = os.getloadavg()[0] / (os.cpu_count() or 1) / 3
    return _SECONDS * min(max(crowd, 1.0), 3.0)


def says(*turns: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"turns": list(turns), **more}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    name: str
    script: dict[str, Any]
    status: str
    exit_code: int
    flags: tuple[str, ...] = ()
    short: bool = False
    """An attempt ends only because its time is up."""
    endless: bool = False
    """So does the run."""
    attempts: tuple[int, int] = (1, 6)
    ends: tuple[str, ...] = ("done",)
    """How trueup may understand the end of the program, in each attempt."""
    ends_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Programs that tell it otherwise."""
    second: tuple[str, ...] = LATER
    """Words that have to reach the model in the first request of the second attempt."""
    anew: bool = False
    """The second attempt begins a new conversation."""
    changed: tuple[str, ...] = ()
    unbilled: tuple[str, ...] = ()
    """Programs that do not get to tell what it cost: the reservation is charged."""
    perhaps_unbilled: tuple[str, ...] = ()
    """Whether they do is a matter of moments."""
    not_for: Mapping[str, str] = field(default_factory=dict)
    """Programs that cannot be in this situation, and why."""


@dataclass(frozen=True, kw_only=True)
class Meter:
    """What the model's side knows of one attempt, and what trueup knows of its end."""

    answers: int
    """In full."""
    open: int
    """Requests that were neither answered in full nor refused."""
    aside: int = 0
    """Answers to what the program asked on its own account: it tells of them at its end, if at all."""
    agent: str
    reserved: float
    unbilled: bool
    """Whether no bill of the program's own was to be had."""


def right_charges(meter: Meter, price: float, *, charges_cut: str = "") -> set[float]:
    """What may be charged for an attempt: one figure, but for an answer that crosses the order to stop on its way.

    A model that was asked in vain, or refused, costs nothing. Each answer that it gave costs its price. What nobody
    can know costs what was reserved: where the program was ended before its bill, or has no answer in full to bill
    while one was on its way.
    """
    if not meter.answers and not meter.open:
        return {0.0}
    if meter.unbilled or not meter.answers:
        return {meter.reserved}
    ended = meter.agent in STOPPED or meter.open > 0
    is_one_more = {"open": meter.open > 0, "ended": ended, "": False}[charges_cut]
    counts = {meter.answers + is_one_more}
    if ended:
        counts |= {count - meter.aside for count in counts}
    if meter.agent in {"halted", "context_full"}:  # ended by us in the middle of a conversation
        counts |= {count - 1 for count in counts}
    if charges_cut == "open" and meter.agent == "halted":  # it had said that it asks, and had not asked yet
        counts.add(meter.answers + 1)
    if charges_cut == "open" and meter.agent == "failed":  # killed before it could say that it asks
        counts.add(meter.answers)
    return {price * count for count in counts}


@pytest.mark.parametrize(
    ("meter", "cut", "right"),
    [
        (Meter(answers=0, open=0, agent="credentials", reserved=0.5, unbilled=False), "", {0.0}),
        (Meter(answers=0, open=0, agent="rate_limited", reserved=0.5, unbilled=True), "ended", {0.0}),
        (Meter(answers=3, open=0, agent="done", reserved=0.5, unbilled=False), "ended", {0.75}),
        (Meter(answers=3, open=0, agent="failed", reserved=0.5, unbilled=True), "ended", {0.5}),
        (Meter(answers=0, open=1, agent="timeout", reserved=0.5, unbilled=False), "ended", {0.5}),
        (Meter(answers=1, open=1, agent="timeout", reserved=0.5, unbilled=False), "", {0.25}),
        (Meter(answers=1, open=1, agent="failed", reserved=0.5, unbilled=False), "ended", {0.5}),
        (Meter(answers=1, open=0, agent="timeout", reserved=2.0, unbilled=False), "ended", {0.5}),
        (Meter(answers=1, open=0, agent="timeout", reserved=2.0, unbilled=False), "open", {0.25}),
        (Meter(answers=1, open=1, agent="timeout", reserved=2.0, unbilled=False), "open", {0.5}),
        (Meter(answers=3, open=0, agent="halted", reserved=2.0, unbilled=False), "", {0.5, 0.75}),
        (Meter(answers=3, open=0, agent="halted", reserved=2.0, unbilled=False), "open", {0.5, 0.75, 1.0}),
        (Meter(answers=3, open=1, agent="failed", reserved=2.0, unbilled=False), "open", {0.75, 1.0}),
        (Meter(answers=3, open=0, agent="context_full", reserved=2.0, unbilled=False), "", {0.5, 0.75}),
        (Meter(answers=3, open=1, agent="halted", reserved=2.0, unbilled=False), "ended", {0.75, 1.0}),
        (Meter(answers=4, open=1, aside=2, agent="timeout", reserved=2.0, unbilled=False), "", {0.5, 1.0}),
    ],
)
def test_the_right_charge(meter: Meter, cut: str, right: set[float]) -> None:
    assert right_charges(meter, 0.25, charges_cut=cut) == right


SCENARIOS = (
    Scenario(
        name="fixes it at the first attempt",
        script=says({"do": [TEST]}, {"do": [FIX]}, {"do": [TEST]}, {"say": "Fixed."}),
        status="passed",
        exit_code=0,
        attempts=(1, 1),
        changed=("calc.py",),
    ),
    Scenario(
        name="fixes it at the second attempt",
        script={"runs": [says({"do": [NOTE]}, {"say": "Done."}), says({"do": [FIX]}, {"say": "Now it is."})]},
        status="passed",
        exit_code=0,
        attempts=(2, 2),
        second=(*LATER, "- Still failing: `test_calc.py::TestCalc::test_add`"),
        changed=("calc.py",),
    ),
    Scenario(
        name="knows the fix only from the evidence",
        script={
            "runs": [
                {"when": {"prompt": "-1 != 5"}, **says({"do": [FIX]}, {"say": "As the evidence says."})},
                says({"do": [NOTE]}, {"say": "I improved the code."}),
            ]
        },
        status="passed",
        exit_code=0,
        attempts=(1, 1),
        changed=("calc.py",),
    ),
    Scenario(
        name="goes round in circles within one process",
        script=says(
            {
                "repeat": 30,
                "turns": [
                    {"say": "Attempt {{i}}.", "do": [TEST]},
                    {"do": [{"edit": "calc.py", "old": "# note {{i-1}}", "new": "# note {{i}}"}]},
                ],
            },
            {"say": "I could not fix it."},
        ),
        status="stuck",
        exit_code=1,
        attempts=(2, 6),
        ends=("halted", "done"),  # aider runs nothing: it cannot see that it goes round
        perhaps_unbilled=("claude",),
    ),
    Scenario(
        name="goes round in circles across attempts",
        script=says({"do": [{"bash": "printf '# tried {{run}}\\n' >> calc.py"}]}, {"say": "Done."}),
        status="stuck",
        exit_code=1,
        attempts=(4, 6),
        not_for={"aider": "it runs no commands"},
    ),
    Scenario(
        name="claims to be done",
        script=says({"do": [NOTE]}, {"say": "All tests pass. Done."}),
        status="stuck",
        exit_code=1,
        attempts=(2, 6),
    ),
    Scenario(
        name="deletes the test",
        script=says({"do": [{"delete": "test_calc.py"}]}, {"say": "No test fails any more."}),
        status="stuck",
        exit_code=1,
        second=(*UNCHANGED, "# What was put back\n- `test_calc.py`: it is a test or protected"),
        not_for={"aider": "it cannot delete files"},
    ),
    Scenario(
        name="weakens the test",
        script=says(
            {"do": [{"edit": "test_calc.py", "old": "calc.add(2, 3), 5", "new": "calc.add(2, 3), -1"}]},
            {"say": "The tests pass."},
        ),
        status="stuck",
        exit_code=1,
        second=(*UNCHANGED, "# What was put back\n- `test_calc.py`: it is a test or protected"),
    ),
    Scenario(
        name="fixes it and writes where it may not",
        script=says(
            {"do": [FIX]},
            {"do": [{"edit": "other/config.ini", "old": "level = 1", "new": "level = 99"}]},
            {"do": [{"write": "NOTES.txt", "content": "left behind\n"}]},
            {"say": "Fixed, and tidied up."},
        ),
        flags=("--only", "calc.py"),
        status="passed",
        exit_code=0,
        attempts=(1, 1),
        changed=("calc.py",),
    ),
    Scenario(
        name="hangs",
        script=says({"do": [TEST]}, {"fault": "hang", "seconds": 3600}, on_end="repeat_last"),
        short=True,
        status="stuck",
        exit_code=1,
        ends=("timeout",),
        second=UNCHANGED,
        unbilled=("aider",),
        perhaps_unbilled=("claude",),
    ),
    Scenario(
        name="hangs inside a tool",
        script=says({"do": [{"bash": "sleep 3600"}]}, {"say": "Done."}),
        short=True,
        status="stuck",
        exit_code=1,
        ends=("timeout", "done"),  # some give up a command that hangs by themselves
        second=UNCHANGED,
        unbilled=("opencode",),
        perhaps_unbilled=("claude",),
        not_for={"aider": "it runs no commands"},
    ),
    Scenario(
        name="stalls in the middle of an answer",
        script=says({"fault": "stall", "seconds": 3600}, on_end="repeat_last"),
        short=True,
        status="stuck",
        exit_code=1,
        ends=("timeout",),
        second=UNCHANGED,
        perhaps_unbilled=EVERYWHERE,
    ),
    Scenario(
        name="is not let in (401)",
        script=says({"fault": "http", "status": 401, "message": "invalid x-api-key"}, on_end="repeat_last"),
        status="blocked",
        exit_code=5,
        attempts=(1, 1),
        ends=("credentials",),
    ),
    Scenario(
        name="meets a rate limit for ever (429)",
        script=says({"fault": "http", "status": 429, "message": "slow down", "retry_after": 1}, on_end="repeat_last"),
        short=True,
        endless=True,
        status="blocked",
        exit_code=5,
        attempts=(1, 9),  # as many as there is time for
        ends=("rate_limited",),
        second=(),  # a limit is no attempt: there is nothing to tell of it
        perhaps_unbilled=EVERYWHERE,
    ),
    Scenario(
        name="meets an outage that passes",
        script=says(
            {"fault": "http", "status": 503, "times": 2, "message": "overloaded"}, {"do": [FIX]}, {"say": "Fixed."}
        ),
        status="passed",
        exit_code=0,
        attempts=(1, 1),
        changed=("calc.py",),
    ),
    Scenario(
        name="crashes",
        script=says({"do": [TEST]}, {"fault": "kill_client", "signal": "KILL"}),
        status="stuck",
        exit_code=1,
        ends=("failed",),
        second=UNCHANGED,
        unbilled=("aider", "claude", "codex"),
    ),
    Scenario(
        name="has its answer cut off",
        script=says({"say": "I will now", "stop": "max_tokens"}),
        status="stuck",
        exit_code=1,
        ends=("done", "failed"),
        second=UNCHANGED,
        unbilled=("aider",),
    ),
    Scenario(
        name="changes nothing",
        script=says({"say": "I looked at it and everything seems fine."}),
        status="stuck",
        exit_code=1,
        second=UNCHANGED,
    ),
    Scenario(
        name="its context is full",
        script={
            "runs": [
                says({"do": [TEST]}, {"fault": "too_long"}),
                says({"do": [FIX]}, {"say": "Fixed."}),
            ],
            "on_end": "repeat_last",
        },
        status="passed",
        exit_code=0,
        attempts=(2, 2),
        ends=("context_full", "done"),
        second=UNCHANGED,
        anew=True,
        changed=("calc.py",),
    ),
    Scenario(
        name="refuses",
        script=says({"say": "I cannot help with that.", "stop": "refusal"}, on_end="repeat_last"),
        status="stuck",
        exit_code=1,
        ends=("refused",),
        ends_of={"aider": ("done",), "qwen": ("done",)},  # they do not tell why an answer ended
        second=UNCHANGED,
        unbilled=("codex",),
    ),
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_real_program(stage: Any, scenario: Scenario, note: Callable[..., None]) -> None:
    name, row = stage.program.name, SCENARIOS.index(scenario)
    if name in scenario.not_for:
        note(name, scenario.name, "n/a", row=row)
        pytest.skip(scenario.not_for[name])
    seconds = patience()
    limits = ["--agent-timeout", f"{seconds:.0f}s"] if scenario.short else []
    limits += ["--max-time", f"{2 * seconds:.0f}s"] if scenario.endless else []
    ran = stage.run(scenario.script, *scenario.flags, *limits)
    outcome, attempts = ran.outcome, _begun(ran.attempts)
    came = f"{outcome['status']} {ran.exit_code}, {outcome['attempts']}×, {_dollars(outcome)}"
    note(name, scenario.name, came, row=row)
    assert (outcome["status"], ran.exit_code) == (scenario.status, scenario.exit_code), outcome["detail"]
    assert ran.left == []
    least, most = scenario.attempts
    assert least <= len(attempts) <= most, outcome
    assert {attempt.agent for attempt in attempts} <= {*scenario.ends_of.get(name, scenario.ends)}, attempts
    _the_prompts_reached_the_model(scenario, attempts)
    _the_charges_are_right(scenario, stage.program, outcome, attempts)
    assert _checkout(ran.project) == ""
    if scenario.changed:
        assert _handed_back(ran.project) == list(scenario.changed)


def _dollars(outcome: Mapping[str, Any]) -> str:
    return "cost not known" if outcome["usd"] is None else f"${outcome['usd']:.3f}"


def _begun(attempts: list[Any]) -> list[Any]:
    """On a crowded machine Gemini CLI and Qwen Code give up before they have read their prompt: that is no attempt."""
    never = [attempt for attempt in attempts if attempt.agent == "overloaded" and not attempt.asked]
    assert all(attempt.charged == 0 for attempt in never)
    return [attempt for attempt in attempts if attempt not in never]


def _the_prompts_reached_the_model(scenario: Scenario, attempts: list[Any]) -> None:
    """Each one whole, as it was written; also where the model never answers."""
    for attempt in attempts:
        assert attempt.prompt.strip() in attempt.arrived
        assert all(words in attempt.arrived for words in ALWAYS), attempt.arrived
    for attempt in attempts[1:2]:
        assert all(words in attempt.arrived for words in scenario.second), attempt.arrived
        assert not (scenario.anew and attempts[0].prompt.strip() in attempt.past)


def _the_charges_are_right(scenario: Scenario, program: Any, outcome: Mapping[str, Any], attempts: list[Any]) -> None:
    if program.usd_per_request is None:
        assert outcome["usd"] is None
        return
    for attempt in attempts:
        unbilled = program.name in scenario.unbilled
        if program.name in scenario.perhaps_unbilled:
            unbilled = bool(attempt.unbilled)
        meter = Meter(
            answers=attempt.answers,
            open=attempt.open,
            aside=attempt.aside,
            agent=attempt.agent,
            reserved=attempt.reserved,
            unbilled=unbilled,
        )
        right = right_charges(meter, program.usd_per_request, charges_cut=program.charges_cut)
        assert any(attempt.charged == pytest.approx(usd, abs=1e-6) for usd in right), (right, attempt)
    assert outcome["usd"] == pytest.approx(sum(attempt.charged for attempt in attempts))


def _checkout(project: Any) -> str:
    words = ["git", "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(words, cwd=project, capture_output=True, text=True, check=True).stdout


def _handed_back(project: Any) -> list[str]:
    words = ["git", "diff", "--name-only", "HEAD", "trueup/make-the-checks-pass"]
    return subprocess.run(words, cwd=project, capture_output=True, text=True, check=True).stdout.split()
