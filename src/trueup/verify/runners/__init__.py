"""Which test runners can be looked into? One table; the first that has something to say is believed."""

from __future__ import annotations

from trueup.verify.runners.base import Evidence, RunContext, Runner
from trueup.verify.runners.generic import GenericRunner
from trueup.verify.runners.pytest_runner import PytestRunner

RUNNERS: tuple[Runner, ...] = (
    PytestRunner(),
    GenericRunner(),  # stays last: it answers for every command
)

__all__ = ["RUNNERS", "Evidence", "RunContext", "Runner"]
