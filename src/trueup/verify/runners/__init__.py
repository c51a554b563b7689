"""Which test runners can be looked into? One table; the first that has something to say is believed."""

from __future__ import annotations

from functools import cache
from typing import cast

from trueup.plugins import load
from trueup.verify.runners.base import Evidence, RunContext, Runner
from trueup.verify.runners.cargo_runner import CargoRunner
from trueup.verify.runners.diagnostics_runner import DiagnosticsRunner
from trueup.verify.runners.generic import GenericRunner
from trueup.verify.runners.go_runner import GoRunner
from trueup.verify.runners.jest import JEST
from trueup.verify.runners.mocha import MOCHA
from trueup.verify.runners.node_test import NODE_TEST
from trueup.verify.runners.pytest_runner import PytestRunner
from trueup.verify.runners.unittest_runner import UnittestRunner
from trueup.verify.runners.vitest import VITEST

GROUP = "trueup.runners"
"""Entry points of this group name a class that satisfies `Runner`; they are asked before the built-in ones."""

RUNNERS: tuple[Runner, ...] = (
    PytestRunner(),
    UnittestRunner(),
    GoRunner(),
    JEST,
    VITEST,
    MOCHA,
    NODE_TEST,
    CargoRunner(),  # by its text: after all that ask for more
    DiagnosticsRunner(),  # says why a command failed: after all that see tests
    GenericRunner(),  # stays last: it answers for every command
)


@cache
def runners() -> tuple[Runner, ...]:
    """Installed ones, then our own. A broken plug-in is an error that names it."""
    return (*(cast("type[Runner]", factory)() for factory in load(GROUP).values()), *RUNNERS)


__all__ = ["RUNNERS", "Evidence", "RunContext", "Runner", "runners"]
