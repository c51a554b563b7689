"""How are trials judged by the project's own tests, in children of one warm pytest process?

Two processes wait with everything loaded. One has collected the tests: an edit inside of functions is exchanged there
in a child. The other has loaded pytest and other people's packages alone: its children import the edited project.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from . import anew, swap
from .children import Nursery, Said, Voice, drained
from .coldline import ColdLine
from .copyguard import CopyGuard
from .facing import Plan, TooLongError, face, outcome, run_item
from .screening import Batch, Screening
from .spectrum import Look
from .text import Source, apply, is_python, read
from .tracing import Tracer
from .trial import Finding, Trial
from .waiting import Job, Queue

_FIRST_LOOK = 1.2
"""Seconds of processor time for a test at the start."""
_LEAST = 0.25
_PATIENCE = 0.5
"""Seconds for which a trial may sleep, besides what the tests take."""
_TOGETHER, _TOGETHER_QUICKLY = 16, 64
"""Trials that share a child at first: forking costs more than most tests, and much more than a mere call of one."""
_MOST_TESTS, _PREPARING = 500, 5.0
"""Tests that are tried without pytest around them, and the seconds of processor time for that."""
_MOST_POLLUTED = 3
"""So often may trials that share a child disturb each other; then each gets its own."""


@dataclass
class Session:
    """The process that has collected the tests."""

    root: str
    items: dict[str, Any]
    cold: ColdLine
    guard: CopyGuard
    editable: Callable[[str], bool]
    workers: int
    sources: dict[str, Source] = field(default_factory=dict)
    looks: dict[str, Look] = field(default_factory=dict)
    slow: set[str] = field(default_factory=set)
    trials: int = 0

    def __post_init__(self) -> None:
        self.nursery = Nursery(self.workers)
        self.screening = Screening(self.items, self.looks, self.slow)
        self._together, self._polluted, self._longest = _TOGETHER, 0, 0.0
        self._paths: dict[str, str] = {}
        self._functions: dict[str, list[FunctionType]] = {}
        self._pieces: dict[str, list[swap.Piece]] = {}
        self._old: dict[tuple[str, int], CodeType | None] = {}
        self._modules: dict[str, ModuleType] = {}
        self._covering: dict[tuple[str, int], list[str]] = {}

    # --- the first look ----------------------------------------------------------------------------------------------

    def name(self, file: str) -> str:
        """A file's name in the project; "" for what is not the project's, or may not be changed."""
        if file not in self._paths:
            real = os.path.realpath(file)
            inside = real.startswith(self.root + os.sep) and real.endswith(".py")
            path = os.path.relpath(real, self.root) if inside else ""
            self._paths[file] = path if path and self.editable(path) else ""
        return self._paths[file]

    def look(self) -> None:
        """Run every test once, each in a child of its own, and note what it runs."""
        gc.collect()
        waiting = iter(self.items)
        self._run_all(
            ((lambda voice, test=test: self._observe(test, voice)), _FIRST_LOOK * 1.5, test)  # type: ignore[misc]  # a default binds it
            for test in waiting
        )
        for path in {path for look in self.looks.values() for path, _ in look.lines}:
            with open(os.path.join(self.root, path), "rb") as file:  # noqa: PTH118, PTH123 - text, as everywhere here
                source = read(path, file.read())
            if source is not None:
                self.sources[path] = source
                self._pieces[path] = swap.pieces(source)
        known = {file: path for file, path in self._paths.items() if path in self.sources}
        names = {code: self.name(code) for code in swap.code_files()}
        self._functions = swap.functions_of({**known, **{c: n for c, n in names.items() if n in self.sources}})
        self._modules = anew.modules_of({file: self.name(file) for file in _module_files()})
        gc.freeze()
        self.nursery.patience = min(_PATIENCE + 2 * self._longest, self.nursery.patience)

    def _run_all(self, works: Iterator[tuple[Callable[[Voice], None], float, str]]) -> None:
        pending = True
        while pending:
            while self.nursery.free and pending:
                work = next(works, None)
                if work is None:
                    pending = False
                else:
                    self.nursery.start(*work)
            for said, test in self.nursery.wait():
                self._note(str(test), said)
                self.guard.mend()
        for said, test in drained(self.nursery):
            self._note(str(test), said)
        self.guard.mend()

    def _observe(self, test: str, voice: Voice) -> None:
        tracer = Tracer(self.name)
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, _FIRST_LOOK)
        began, clock = time.process_time(), time.monotonic()
        tracer.start()
        late = False
        try:
            passed, error, reached = run_item(self.items[test])
        except TooLongError:
            passed, error, reached, late = False, "TooLong", 0, True
        late = late or error == "TooLongError"
        tracer.stop()
        signal.setitimer(signal.ITIMER_PROF, 0)
        told = [
            passed,
            error,
            reached,
            time.process_time() - began,
            sorted(tracer.lines),
            late,
            time.monotonic() - clock,
        ]
        voice.say(json.dumps(told))

    def _note(self, test: str, said: Said) -> None:
        passed, error, reached, seconds, lines, late, waited = (
            json.loads(said.lines[0]) if said.whole and said.lines else (False, "Crash", 0, _FIRST_LOOK, [], False, 0.0)
        )
        if late:
            self.slow.add(test)
        if passed:
            self._longest = max(self._longest, waited)
        ran = frozenset((path, line) for path, line in lines)
        self.looks[test] = Look(test, passed, ran, seconds, error, reached)

    def prepare(self, first: list[str]) -> None:
        """These failing tests every trial meets first."""
        tests = [*first, *(test for test in self.items if test not in first)][:_MOST_TESTS]
        self.nursery.start(lambda voice: self.screening.prepare(tests, voice), _PREPARING, None)
        for said, _ in drained(self.nursery):
            self.screening.use(tests, said.lines)
        self._together = _TOGETHER_QUICKLY if self.screening.quick(first) else _TOGETHER

    # --- trials ------------------------------------------------------------------------------------------------------

    def judge(
        self, trials: Iterable[Trial], plan: Callable[[list[str]], Plan]
    ) -> Generator[tuple[Trial, Finding], None, None]:
        """What comes of each trial, in their order. Those that are no Python, or change nothing, are left out."""
        queue = Queue(trials)
        try:
            while True:
                while self.nursery.free and self._begin(queue, plan):
                    pass
                if not queue.open:
                    return
                for said, tag in self.nursery.wait():
                    self._hear(queue, said, tag)
                    self.guard.mend()
                yield from queue.ready()
        finally:
            self.nursery.close()

    def _begin(self, queue: Queue, plan: Callable[[list[str]], Plan]) -> bool:
        """Start the next child; False when nothing waits for one."""
        if queue.alone:
            job = queue.alone.pop(0)
            if not job.swaps:
                return self._import(job) or self._begin(queue, plan)
            self.nursery.start(lambda voice: self._try(job, voice), job.plan.short + job.plan.long, job)
            return True
        while len(queue.several) < self._together and (trial := next(queue.waiting, None)) is not None:
            exchanged = self.exchange(trial)
            if exchanged is None:
                continue
            found, covering = exchanged
            new = Job(trial, plan(covering), found) if found else self._anew(trial, plan(list(self.items)))
            if new is not None:
                self.trials += 1
                queue.opened(new)
                (queue.several if new.swaps or new.anew else queue.alone).append(new)
        batch, queue.several = queue.several[: self._together], queue.several[self._together :]
        if not batch:
            return False
        if self._together == 1:
            queue.alone += batch
            return self._begin(queue, plan)
        limit = max(job.plan.short + job.plan.long for job in batch)
        together = Batch.of(batch)
        self.nursery.start(self.screening.work(together), limit, together, whole=limit * len(batch))
        return True

    def _hear(self, queue: Queue, said: Said, tag: object) -> None:
        if isinstance(tag, Job):
            queue.close(tag, outcome(tag.plan, said))
            return
        assert isinstance(tag, Batch)
        findings = tag.findings()
        if said.whole and said.lines[-1:] == ["s 0"]:
            # one of them changed what the next ones found: each in a child of its own
            self._polluted += 1
            self._together = max(self._together // 4, 1) if self._polluted >= _MOST_POLLUTED else self._together
            queue.alone += tag.jobs
            return
        disturbed = said.whole and not said.lines
        for job, finding in zip(tag.jobs, findings, strict=False):
            if finding is None:
                queue.alone.append(job)
            else:
                queue.close(job, finding)
        rest = tag.jobs[len(findings) :]
        if rest and not disturbed:
            queue.close(rest.pop(0), Finding(late=True))  # it was the end of the child
        queue.several = [*rest, *queue.several]

    def _try(self, job: Job, voice: Voice) -> None:
        for function, code in job.swaps:
            function.__code__ = code
        face(job.plan, self.items, voice.say)

    def _anew(self, trial: Trial, plan: Plan) -> Job | None:
        """For an edit outside of functions; None for no valid change."""
        texts = self.texts(trial)
        if texts is None:
            return None
        known = [self._modules.get(path) for path in texts]
        modules = [module for module in known if module is not None]
        codes = [swap.whole(text, os.path.join(self.root, path)) for path, text in texts.items()]  # noqa: PTH118 - text
        return Job(trial, plan, [], list(zip(modules, codes, strict=True)) if len(modules) == len(codes) else [])

    def _import(self, job: Job) -> bool:
        """Try it with everything imported anew."""
        texts = self.texts(job.trial)
        if texts is not None:
            self.nursery.adopt(self.cold.ask(texts, job.plan), job)
        return texts is not None

    def confirm(self, trial: Trial, plan: Plan) -> Finding:
        """The same trial with everything imported anew."""
        if not self._import(Job(trial, plan)):
            return Finding()
        for said, _ in drained(self.nursery):
            self.guard.mend()
            return outcome(plan, said)
        return Finding()

    def functions(self) -> list[FunctionType]:
        """Those of the project that may be changed."""
        return [one for found in self._functions.values() for one in found]

    def texts(self, trial: Trial) -> dict[str, bytes] | None:
        """The edited files; None if one is no Python then."""
        found = {}
        for path, edits in trial.edits.items():
            text = apply(self.sources[path].data, edits)
            if text is None or not is_python(text) or text == self.sources[path].data:
                return None
            found[path] = text
        return found

    def exchange(self, trial: Trial) -> tuple[swap.Swaps | None, list[str]] | None:
        """What to exchange (None: it has to be imported) and whom it concerns; None for no valid change at all."""
        swaps: swap.Swaps = []
        covering: dict[str, None] = {}
        for path, edits in trial.edits.items():
            parts = swap.by_piece(self._pieces[path], edits)
            if parts is None:
                return None, []
            for piece, inside in parts.items():
                new = swap.compiled(self.sources[path], piece, inside, os.path.join(self.root, path))  # noqa: PTH118 - text
                old = self._original(path, piece)
                if new is None or old is None or new == old:
                    return None
                mine = swap.swaps(self._functions.get(path, ()), old, new)
                if not mine:
                    return None, []
                swaps += mine
                covering |= dict.fromkeys(self._tests_of(path, piece))
        return swaps, list(covering)

    def _original(self, path: str, piece: swap.Piece) -> CodeType | None:
        key = (path, piece.first)
        if key not in self._old:
            self._old[key] = swap.compiled(self.sources[path], piece, (), os.path.join(self.root, path))  # noqa: PTH118
        return self._old[key]

    def _tests_of(self, path: str, piece: swap.Piece) -> list[str]:
        """The tests that run the edited function."""
        key, source = (path, piece.first), self.sources[path]
        if key not in self._covering:
            span = {(path, line) for line in range(*map(source.line_of, piece.body))}
            self._covering[key] = [test for test, look in self.looks.items() if not span.isdisjoint(look.lines)]
        return self._covering[key]


def _module_files() -> set[str]:
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {file for file in files if isinstance(file, str)}


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TooLongError
