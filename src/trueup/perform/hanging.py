"""How long may a single test take? As long as it likes, until one of them never ends: then the others must be seen."""

from __future__ import annotations

from dataclasses import dataclass, field

from trueup.decide.task import Task
from trueup.evidence.report import CheckResult, CheckStatus, Report

SEARCHED = 20.0
"""Seconds for a test when nobody but the search works, and the check has no `timeout`."""
_SHARE = 4
"""Of a check's time a single test gets this part; of that, what is known to hang gets this part."""


@dataclass(slots=True)
class PerTestLimits:
    """Seconds for each single test, by check; no limit for a check that is not there."""

    seconds: dict[str, float] = field(default_factory=dict)
    hanging: set[str] = field(default_factory=set)
    """Checks with a test that hangs at the start."""

    def __call__(self, *, at_the_start: bool) -> dict[str, float]:
        """That a test of the start hangs needs to be learnt only once: later looks at it are shorter."""
        known = self.hanging if at_the_start else frozenset[str]()
        return {check: s / _SHARE if check in known else s for check, s in self.seconds.items()}

    def set_for(self, report: Report, timeouts: dict[str, float]) -> dict[str, float]:
        """Limits where a test that never ended hid those after it. Those that are new."""
        late = [r for r in report.results if r.status is CheckStatus.TIMEOUT and r.tool == "pytest" and r.inventory]
        new = {r.check: timeouts[r.check] / _SHARE for r in late if r.check not in self.seconds}
        self.seconds |= new
        return new

    def learn(self, start: Report) -> None:
        """What the report of the start tells, also to a run that is resumed."""
        for result in start.results:
            if hangs(result):
                self.seconds.setdefault(result.check, result.duration)
                self.hanging.add(result.check)


def limits_of(task: Task) -> PerTestLimits:
    """A search could do nothing with a test that takes long, and bugs in loops are its daily bread."""
    alone = all(agent.kind == "search" for agent in task.agents)
    return PerTestLimits({c.name: SEARCHED for c in task.checks if alone and c.timeout is None})


def hangs(seen: Report | CheckResult) -> bool:
    """Whether a single test was ended because it took too long."""
    return any(f.test and f.kind == "timeout" for f in seen.failures)
