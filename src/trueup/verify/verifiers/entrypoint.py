"""Does it start and answer? As its own files say it is started, on a copy, behind walls, on a free port."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from trueup.act.process import Cancelled
from trueup.verify.verifiers.base import Bench, Reach, Verdict
from trueup.verify.verifiers.entry_errors import about
from trueup.verify.verifiers.plan_targets import missing
from trueup.verify.verifiers.plans import Plan
from trueup.verify.verifiers.stage import Stage, chosen_plans

NAME = "entrypoint"


@dataclass(frozen=True, slots=True)
class Entrypoint:
    name: str = NAME
    question: str = "does it start and answer?"
    reach: Reach = Reach.STARTS
    needs: tuple[str, ...] = ("smoke",)

    def verify(self, bench: Bench) -> Verdict:
        plans = chosen_plans(bench)
        if not plans:
            return Verdict(skipped="nothing says how it is started")
        found = list(_tried(plans, bench))
        failures = tuple(dict.fromkeys(failure for one in found for failure in one.failures))
        advice = tuple(dict.fromkeys(advice for one in found for advice in one.advice))
        tried = sum(one.looked_at for one in found)
        errors = list(dict.fromkeys(one.error for one in found if one.error))
        if errors and not failures:
            return Verdict(error="; ".join(errors), advice=advice)
        if not tried and not failures:
            reasons = "; ".join(dict.fromkeys(one.skipped for one in found if one.skipped))
            return Verdict(skipped=reasons or "what it starts cannot be told from its files", advice=advice)
        return Verdict(failures=failures, advice=advice, looked_at=tried)


def _tried(plans: tuple[Plan, ...], bench: Bench) -> Iterator[Verdict]:
    """What can be seen without starting anything comes first."""
    stage = Stage(bench)
    rest: list[Plan] = []
    for plan in plans:
        gone = missing(plan, bench.files, partial(stage.has_module, plan))
        if gone is None:
            rest.append(plan)
            continue
        failure = about(NAME, plan, gone.kind, gone.message, line=True)
        certain = plan.start.image.certain and gone.certain
        yield Verdict(failures=(failure,), looked_at=1) if certain else Verdict(advice=(failure,))
    for plan in rest:
        if bench.processes.cancelled:
            raise Cancelled
        yield stage.tried(plan)
