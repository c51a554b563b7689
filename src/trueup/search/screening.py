"""Which of many edits are worth a child of their own? Several share one, in which the tests are merely called.

Nothing that is said here is believed further than that: what passes gets a child of its own.
"""

from __future__ import annotations

import mmap
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from . import anew
from .children import Voice
from .facing import Plan, TooLongError, run_item
from .quick import Call, quick_call, run_quickly
from .spectrum import Look
from .trial import Finding
from .waiting import Job

_UNSEEN, _FAILED, _LATE, _FURTHER, _BROKEN, _PARTLY, _PASSED = range(7)
_BITS = 8
_ROW = 1 + _BITS
_GRACE = 0.1
"""Seconds of processor time after which a test is ended that cannot be told that its time is over."""
_AT_LEAST, _TIMES = 0.004, 20
"""Seconds, and how many times as long as usual, for tests that are merely called."""
_ENDLESS, _LONGEST = 0.1, 2.0
"""Seconds for a test that took too long under pytest, and for another, to see whether it can be called without."""
_EVERY = 8
"""So often that is arranged anew: asking the kernel costs as much as a short test."""


@dataclass
class Batch:
    """Trials that share a child, and where it notes what came of each."""

    jobs: list[Job]
    board: mmap.mmap

    @classmethod
    def of(cls, jobs: list[Job]) -> Batch:
        return cls(jobs, mmap.mmap(-1, _ROW * len(jobs)))

    def note(self, number: int, status: int, bits: int) -> None:
        """The status comes last: what has none was not finished."""
        self.board[number * _ROW + 1 : (number + 1) * _ROW] = bits.to_bytes(_BITS, "little")
        self.board[number * _ROW] = status

    def findings(self) -> list[Finding | None]:
        """What came of those that were finished; None for what deserves a child of its own."""
        noted = bytes(self.board)
        self.board.close()
        rows = [noted[at : at + _ROW] for at in range(0, len(noted), _ROW)]
        ended = next((number for number, row in enumerate(rows) if row[0] == _UNSEEN), len(rows))
        return [_finding(job.plan, row) for job, row in zip(self.jobs, rows[:ended], strict=False)]


def _finding(plan: Plan, row: bytes) -> Finding | None:
    status, bits = row[0], int.from_bytes(row[1:], "little")
    if status == _PASSED:
        return None
    failing = [*plan.first, *plan.rest][: 8 * _BITS]
    repaired = frozenset(test for number, test in enumerate(failing) if bits >> number & 1)
    return Finding(
        repaired=repaired,
        broken=frozenset({"?"}) if status == _BROKEN else frozenset(),
        further=status == _FURTHER,
        late=status == _LATE,
    )


class Screening:
    """The tests as every edit meets them first."""

    def __init__(self, items: Mapping[str, Any], looks: Mapping[str, Look], slow: set[str]) -> None:
        self._items, self._looks, self._slow = items, looks, slow
        self._calls: dict[str, Call] = {}
        self._took: dict[str, float] = {}
        self._usual = 0.0
        self._timed = False
        self.patient = False
        """What came to no end in a short time gets more."""
        self._files = {test: str(item.path) for test, item in items.items()}

    def prepare(self, tests: Sequence[str], voice: Voice) -> None:
        """In a child: which of them can be called without pytest, and say the same then?"""
        signal.signal(signal.SIGPROF, self._too_long)
        for number, test in enumerate(tests):
            call = quick_call(self._items[test])
            seconds = self._agrees(test, call) if call is not None else None
            if seconds is not None:
                voice.say(f"{number} {seconds:.6f}")

    def _agrees(self, test: str, call: Call) -> float | None:
        """How long it takes, if it says the same as under pytest; 0 for what comes to no end in both."""
        look, self._timed = self._looks[test], True
        signal.setitimer(signal.ITIMER_PROF, _ENDLESS if test in self._slow else _LONGEST)
        try:
            told = run_quickly(call, self._files[test])
            if test in self._slow:
                return 0.0 if told[1] == TooLongError.__name__ else None
            began = time.process_time()
            again = run_quickly(call, self._files[test])
            same = told == again == (look.passed, look.error, look.reached)
            return time.process_time() - began if same else None
        except TooLongError:
            return None
        finally:
            self._timed = False
            signal.setitimer(signal.ITIMER_PROF, 0)

    def use(self, tests: Sequence[str], lines: Sequence[str]) -> None:
        """What `prepare` said."""
        for line in lines:
            number, seconds = line.split()
            call = quick_call(self._items[tests[int(number)]])
            if call is not None:
                self._calls[tests[int(number)]] = call
                self._took[tests[int(number)]] = float(seconds)
        self._usual = sorted(self._took.values())[len(self._took) // 2] if self._took else 0.0

    def quick(self, tests: Sequence[str]) -> bool:
        return all(test in self._calls for test in tests)

    def work(self, batch: Batch) -> Callable[[Voice], None]:
        """Each job with the old code put back in between; then a look whether anything else was changed."""

        def work(voice: Voice) -> None:
            signal.signal(signal.SIGPROF, self._too_long)
            signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
            self._is_disturbed(batch.jobs[0])  # the first call in a new process takes longer
            for number, job in enumerate(batch.jobs):
                if number % _EVERY == 0:
                    limits = self._limit(job.plan.first, job.plan.short), self._limit(job.plan.others, job.plan.long)
                    signal.setitimer(signal.ITIMER_VIRTUAL, _EVERY * sum(limits) + _GRACE)
                batch.note(number, *self._tried(job))
                if self._is_disturbed(job):  # the rest needs another child
                    return
            signal.setitimer(signal.ITIMER_PROF, 0)
            voice.say(f"s {int(self._as_before(batch.jobs))}")

        return work

    def _limit(self, tests: Sequence[str], usual: float) -> float:
        """Seconds of processor time: an endless loop costs as much as hundreds of other trials."""
        if self.patient or not self.quick(tests):
            return usual
        expected = sum(max(self._took[test], self._usual) for test in tests)
        return min(usual, _AT_LEAST + _TIMES * expected)

    def _too_long(self, _number: int, _frame: FrameType | None) -> None:
        if self._timed:
            raise TooLongError

    def _tried(self, job: Job) -> tuple[int, int]:
        before = [(function, function.__code__) for function, _ in job.swaps]
        undo: anew.Undo = []
        try:
            self._timed = True
            signal.setitimer(signal.ITIMER_PROF, self._limit(job.plan.first, job.plan.short))
            for function, code in job.swaps:
                function.__code__ = code
            for module, code in job.anew:
                undo += anew.put(module, code)
            return self._faced(job.plan)
        except TooLongError:
            return _LATE, 0
        except Exception:  # noqa: BLE001 - a module of the project may raise anything
            return _FAILED, 0
        finally:
            self._timed = False
            for function, code in before:
                function.__code__ = code
            for step in reversed(undo):
                step()

    def _is_disturbed(self, job: Job) -> bool:
        """Does the original no longer fail, or pass, as it did?"""
        tests = (*job.plan.first, *job.plan.others)
        test = next((test for test in tests if test in self._calls and test not in self._slow), None)
        if test is None:
            return False
        look = self._looks[test]
        return run_quickly(self._calls[test], self._files[test]) != (look.passed, look.error, look.reached)

    def _faced(self, plan: Plan) -> tuple[int, int]:
        best, bits = _FAILED, 0
        for number, test in enumerate(plan.first):
            passed, line = self._met(test)
            bits |= passed << number
            best = _FURTHER if line > self._looks[test].reached > 0 else best
        if not bits:
            return best, 0
        signal.setitimer(signal.ITIMER_PROF, self._limit([*plan.rest, *plan.others], plan.long))
        try:
            for number, test in enumerate(plan.rest, start=len(plan.first)):
                bits |= self._met(test)[0] << number
            if all(self._met(test)[0] for test in plan.others):
                complete = bits + 1 == 1 << (len(plan.first) + len(plan.rest))
                return (_PASSED if complete else _PARTLY), bits & _MASK
        except TooLongError:
            pass
        return _BROKEN, bits & _MASK

    def _met(self, test: str) -> tuple[bool, int]:
        call = self._calls.get(test)
        passed, error, line = run_quickly(call, self._files[test]) if call else run_item(self._items[test])
        if error == "TooLongError":
            raise TooLongError
        return passed, line

    def _as_before(self, jobs: Sequence[Job]) -> bool:
        """Does the original still fail and pass as it did? If not, one of them changed what the next ones found."""
        again = [test for test in jobs[0].plan.first if test not in self._slow]
        example = jobs[-1].plan.others[:1]
        as_before = all(run_item(self._items[test])[:2] == (False, self._looks[test].error) for test in again)
        return as_before and all(run_item(self._items[test])[0] for test in example)


_MASK = (1 << 8 * _BITS) - 1
