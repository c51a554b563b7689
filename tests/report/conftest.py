"""Builders of folded state, so that each test says only what it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from trueup.decide.moves import (
    AgentStatus,
    Attempted,
    BaselineTaken,
    PutBack,
    RunAttempt,
    Rung,
    TreeProved,
)
from trueup.decide.outcome import Outcome, ProofSummary, Status
from trueup.decide.state import AttemptView, Class, Judgement, Snapshot, State
from trueup.decide.task import AgentSpec, CheckSpec, Limits, Task
from trueup.evidence.failure import Failure, Key, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, Report, Strength
from trueup.report import diagnosis
from trueup.report.events import AgentLine, CheckLine, Header

OTHERS = tuple(f"tests/test_other.py::test_{n}" for n in range(139))


def a_failure(name: str = "tests/test_cart.py::test_bulk", message: str = "assert 90 == 85", **more: Any) -> Failure:
    fields: dict[str, Any] = {
        "check": "tests",
        "subject": name,
        "kind": "AssertionError",
        "message": message,
        "file": "src/shop/cart.py",
        "line": 41,
        "source_line": f"line of {name}: {message}",
    }
    return Failure(**(fields | more))


def a_report(tree: str, failures: Sequence[Failure], passed: Sequence[str] = OTHERS, **more: Any) -> Report:
    ids = tuple(dict.fromkeys((*passed, *(f.subject for f in failures if f.test))))
    status = CheckStatus.FAILED if failures else CheckStatus.PASSED
    fields: dict[str, Any] = {
        "check": "tests",
        "status": status,
        "failures": tuple(failures),
        "passed": tuple(passed),
        "inventory": ids,
        "exit_code": 1 if failures else 0,
        "strength": Strength.TWIN,
        "command": "pytest -q",
    }
    return Report(tree=tree, results=(CheckResult(**(fields | more)),), duration=6.0)


def a_snapshot(report: Report) -> Snapshot:
    failing: dict[Key, int] = {}
    prints: dict[Key, tuple[str, ...]] = {}
    for f in report.failures:
        failing[f.key] = failing.get(f.key, 0) + 1
        prints[f.key] = (*prints.get(f.key, ()), fingerprint(f))
    passing = frozenset(k for r in report.results for k in r.keys(r.passed))
    tests = frozenset(f.key for f in report.failures if f.test)
    blockers = sum(f.phase is not Phase.RUN for f in report.failures)
    return Snapshot(tree=report.tree, failing=failing, prints=prints, passing=passing, tests=tests, blockers=blockers)


@dataclass
class Story:
    """A run, told one fact after another."""

    task: Task
    state: State
    fixed_so_far: list[str] = field(default_factory=list)

    def start(self, *failures: Failure, **more: Any) -> Story:
        report = a_report("tree-0", failures, **more)
        snapshot = a_snapshot(report)
        self.state = replace(
            self.state,
            baseline=BaselineTaken(tree="tree-0", report=report, duration=6.0),
            start="tree-0",
            start_snapshot=snapshot,
            start_judgement=Judgement(kind=Class.PROGRESS, required=dict(snapshot.failing), prints=snapshot.prints),
            best="tree-0",
            best_snapshot=snapshot,
            tip="tree-0",
            universe=snapshot.collected,
        )
        return self

    def attempt(
        self,
        kind: Class | None,
        *failures: Failure,
        fixed: Sequence[Failure] = (),
        broke: Sequence[Failure] = (),
        unveiled: Sequence[Failure] = (),
        changed: tuple[str, ...] = ("src/shop/cart.py",),
        put_back: tuple[PutBack, ...] = (),
        rung: Rung = Rung.NORMAL,
        agent: AgentStatus = AgentStatus.DONE,
        same_as: int | None = None,
        seconds: float = 85.0,
        usd: float | None = 0.24,
        note: str = "",
        detail: str = "",
        proof: TreeProved | None = None,
        **more: Any,
    ) -> Story:
        number = len(self.state.attempts) + 1
        checked = kind not in {Class.NO_OP, Class.REVISIT, Class.INTERRUPTED, None}
        tree = f"tree-{number}" if changed else self.state.tip
        report = a_report(tree, failures, (*OTHERS, *(f.subject for f in fixed)), **more) if checked else None
        snapshot = a_snapshot(report) if report else None
        judgement = kind and Judgement(
            kind=kind,
            required=dict(snapshot.failing) if snapshot else {},
            prints=snapshot.prints if snapshot else {},
            fixed=tuple(f.key for f in fixed),
            regressed=tuple(f.key for f in broke),
            new=tuple(f.key for f in (*broke, *unveiled)),
            unveiled=tuple(f.key for f in unveiled),
            before=sum(self.state.best_snapshot.failing.values()) if self.state.best_snapshot else 0,
            same_as=same_as,
            detail=detail,
        )
        view = AttemptView(
            move=a_move(number, rung=rung, origin=self.state.tip),
            record=Attempted(
                number=number,
                agent=agent,
                raw=tree,
                candidate=tree,
                changed=changed,
                put_back=put_back,
                note=note,
                duration=seconds,
            ),
            judgement=judgement or None,
            report=report,
            snapshot=None if kind is Class.INVALID else snapshot,
            proof=proof,
            charged_usd=usd,
        )
        self.state = replace(self.state, attempts=(*self.state.attempts, view))
        if kind in {Class.PROGRESS, Class.GREEN}:
            self.state = replace(self.state, best=tree, best_attempt=number, best_snapshot=snapshot, tip=tree)
        return self

    def ends(self, status: Status, reason: str = "", detail: str = "", **more: Any) -> Outcome:
        fields: dict[str, Any] = {
            "status": status,
            "reason": reason,
            "detail": detail,
            "tree": self.state.best,
            "start": self.state.start,
            "partial": self.state.best != self.state.start and status is not Status.PASSED,
            "current_failures": () if status is Status.PASSED else diagnosis.current_failures(self.state),
            "attempts": len(self.state.attempts),
            "best_attempt": self.state.best_attempt,
            "usd": sum(v.charged_usd or 0.0 for v in self.state.attempts),
            "usd_limit": 2.0,
            "seconds": 370.0,
        }
        if status is Status.PASSED:
            fields["proof"] = ProofSummary(
                tree=self.state.best,
                strength=Strength.TWIN,
                passed=142,
                collected=142,
                twins=3,
                commands=("pytest -q",),
            )
        return Outcome(**(fields | more))


def a_move(number: int = 1, **more: Any) -> RunAttempt:
    fields: dict[str, Any] = {
        "number": number,
        "rung": Rung.NORMAL,
        "nudge": False,
        "agent": 0,
        "fresh_session": False,
        "origin": "tree-0",
        "reserve_usd": None,
        "seconds": 900.0,
        "max_files": None,
    }
    return RunAttempt(**(fields | more))


def a_task(**more: Any) -> Task:
    fields: dict[str, Any] = {
        "text": "bulk discount is wrong",
        "checks": (CheckSpec(name="tests", run="pytest -q"),),
        "agents": (AgentSpec(name="claude", reports_cost=True),),
        "limits": Limits(usd=2.0),
    }
    return Task(**(fields | more))


def a_header(**more: Any) -> Header:
    fields: dict[str, Any] = {
        "run": "7f3a",
        "version": "0.1.0",
        "project": "~/shop",
        "branch": "main",
        "head": "4c1e9d2",
        "dirty": 3,
        "agents": (
            AgentLine(
                name="claude", version="2.1.197", permissions="your login, edits and runs commands without asking"
            ),
        ),
        "sandbox": "not sandboxed: it can do what you can do\n(--sandbox: bubblewrap found)",
        "checks": (CheckLine(name="tests", command="pytest -q", origin="pyproject.toml"),),
        "setup": "uv sync",
        "files": (".env.test copied (.worktreeinclude)",),
        "withheld": ("STRIPE_KEY", "DATABASE_URL"),
        "usd": 2.0,
        "seconds": 2700.0,
        "attempts": 10,
    }
    return Header(**(fields | more))


@pytest.fixture
def story() -> Callable[..., Story]:
    def begin(**task: Any) -> Story:
        made = a_task(**task)
        return Story(task=made, state=State(task=made, limits=made.limits))

    return begin


@pytest.fixture
def failure() -> Callable[..., Failure]:
    return a_failure


@pytest.fixture
def quote_failure() -> Failure:
    return a_failure("tests/test_api.py::test_quote", "'discount'", kind="KeyError", file="src/shop/api.py", line=88)


@pytest.fixture
def move() -> Callable[..., RunAttempt]:
    return a_move


@pytest.fixture
def report() -> Callable[..., Report]:
    return a_report


@pytest.fixture
def header() -> Callable[..., Header]:
    return a_header
