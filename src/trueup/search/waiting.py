"""Which trials wait, which are on their way, and whose results are told next?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, ModuleType

from . import swap
from .facing import Plan
from .trial import Finding, Trial


@dataclass
class Job:
    """A trial on its way."""

    trial: Trial
    plan: Plan
    swaps: swap.Swaps = field(default_factory=list)
    anew: list[tuple[ModuleType, CodeType]] = field(default_factory=list)
    """Modules that have to be run anew; neither for one that imports the edited project."""
    number: int = 0


class Queue:
    """Trials by number, so that results come in the order of the trials, whoever ends first."""

    def __init__(self, trials: Iterable[Trial]) -> None:
        self.waiting = iter(trials)
        self.several: list[Job] = []
        """To be tried one after the other in one child."""
        self.alone: list[Job] = []
        """To be tried in a child of its own."""
        self._open: dict[int, Job] = {}
        self._done: dict[int, tuple[Trial, Finding]] = {}
        self._opened = self._told = 0

    @property
    def open(self) -> bool:
        return bool(self._open)

    def opened(self, job: Job) -> Job:
        job.number = self._opened
        self._open[job.number] = job
        self._opened += 1
        return job

    def close(self, job: Job, finding: Finding) -> None:
        del self._open[job.number]
        self._done[job.number] = (job.trial, finding)

    def ready(self) -> Iterator[tuple[Trial, Finding]]:
        while self._told in self._done:
            self._told += 1
            yield self._done.pop(self._told - 1)
