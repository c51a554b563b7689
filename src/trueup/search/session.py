"""How are trials judged by the project's own tests, in children of one warm pytest process?

Two processes wait with everything loaded. One has collected the tests: an edit inside of functions is exchanged there
in a child. The other has loaded pytest and other people's packages alone: its children import the edited project.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType
from typing import Any

from . import probe, swap
from .children import Child, Nursery, Said, Voice, new_word
from .copyguard import CopyGuard
from .spectrum import Look
from .text import Edit, Source, apply, read
from .tracing import Tracer
from .trial import Finding, Trial

_FIRST_LOOK = 2.0
"""Seconds of processor time for a test at the start."""
_LEAST = 0.25
_TOGETHER = 16
"""Trials that share a child at first: forking costs more than most tests."""
_MOST_PROBED = 20
"""Tests from which inputs are taken."""
_MOST_POLLUTED = 3
"""So often may trials that share a child disturb each other; then each gets its own."""


class TooLongError(BaseException):
    """Raised inside of a test that uses too much processor time, at the first look at it."""


@dataclass
class Plan:
    """Which tests a trial has to face, in which order."""

    first: list[str]
    """Failing ones; if none of them passes, that is all."""
    rest: list[str]
    """The other failing ones."""
    others: list[str]
    """Passing ones; the first that fails is the last."""
    short: float
    long: float


def run_item(item: Any) -> tuple[bool, str]:
    """Whether it passes, or is skipped as it should; and the kind of exception if not."""
    from _pytest.runner import runtestprotocol

    kinds: list[str] = []

    def told_shortly(excinfo: Any, *_: Any, **__: Any) -> str:  # building a traceback costs more than most tests
        kinds.append(excinfo.typename)
        return "failed"

    item.repr_failure = told_shortly
    item._repr_failure_py = told_shortly  # noqa: SLF001 - what pytest asks in set-up and tear-down
    reports = runtestprotocol(item, log=False, nextitem=None)
    passed = not any(report.failed for report in reports)
    return passed, kinds[0] if kinds and not passed else ""


def face(plan: Plan, items: dict[str, Any], say: Callable[[str], None]) -> None:
    """Run the tests of a plan and tell each result: `1` or `0` and the test's number."""
    number = 0

    def run(test: str) -> bool:
        nonlocal number
        passed = test in items and run_item(items[test])[0]
        say(f"{int(passed)} {number}")
        number += 1
        return passed

    signal.setitimer(signal.ITIMER_PROF, plan.short)
    if not any([run(test) for test in plan.first]):  # noqa: C419 - each of them is to be run
        return
    signal.setitimer(signal.ITIMER_PROF, plan.long)
    for test in plan.rest:
        run(test)
    for test in plan.others:
        if not run(test):
            return


def outcome(plan: Plan, said: Said) -> Finding:
    tests = [*plan.first, *plan.rest, *plan.others]
    failing = {*plan.first, *plan.rest}
    results = {tests[int(number)]: passed == "1" for passed, number in (line.split() for line in said.lines)}
    repaired = frozenset(test for test, passed in results.items() if passed and test in failing)
    broken = frozenset(test for test, passed in results.items() if not passed and test not in failing)
    if not said.whole and repaired and not broken:  # it ended in the midst of a test
        unheard = [test for test in tests if test not in results]
        broken = frozenset(unheard[:1]) - failing
    looked = said.whole and len(results) == len(tests)
    return Finding(repaired, broken, looked, complete=looked and repaired == failing and not broken)


@dataclass
class Job:
    """A trial on its way."""

    trial: Trial
    plan: Plan
    swaps: swap.Swaps
    """Nothing for one that imports the edited project."""
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
        self._together, self._polluted = _TOGETHER, 0
        self._paths: dict[str, str] = {}
        self._functions: dict[str, list[FunctionType]] = {}
        self._pieces: dict[str, list[swap.Piece]] = {}
        self._old: dict[tuple[str, int], CodeType | None] = {}
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
        names = {code: self.name(code) for code in _code_files()}
        self._functions = swap.functions_of({**known, **{c: n for c, n in names.items() if n in self.sources}})
        gc.freeze()

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
        for said, test in _drained(self.nursery):
            self._note(str(test), said)
        self.guard.mend()

    def _observe(self, test: str, voice: Voice) -> None:
        tracer = Tracer(self.name)
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, _FIRST_LOOK)
        began = time.process_time()
        tracer.start()
        late = False
        try:
            passed, error = run_item(self.items[test])
        except TooLongError:
            passed, error, late = False, "TooLong", True
        late = late or error == "TooLongError"
        tracer.stop()
        signal.setitimer(signal.ITIMER_PROF, 0)
        told = [passed, error, time.process_time() - began, sorted(tracer.lines), late]
        voice.say(json.dumps(told))

    def _note(self, test: str, said: Said) -> None:
        passed, error, seconds, lines, late = (
            json.loads(said.lines[0]) if said.whole and said.lines else (False, "Crash", _FIRST_LOOK, [], False)
        )
        if late:
            self.slow.add(test)
        self.looks[test] = Look(test, passed, frozenset((path, line) for path, line in lines), seconds, error)

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
            self.nursery.start(lambda voice: self._try(job, voice), job.plan.short + job.plan.long, job)
            return True
        while len(queue.several) < self._together and (trial := next(queue.waiting, None)) is not None:
            exchanged = self._exchange(trial)
            if exchanged is None:
                continue
            found, covering = exchanged
            if found is None:
                if self.start_cold(trial, plan(list(self.items)), queue):
                    return True
                continue
            queue.several.append(queue.opened(Job(trial, plan(covering), found)))
            self.trials += 1
        batch, queue.several = queue.several[: self._together], queue.several[self._together :]
        if not batch:
            return False
        if self._together == 1:
            queue.alone += batch
            return self._begin(queue, plan)
        limit = max(job.plan.short for job in batch)
        self.nursery.start(lambda voice: self._try_several(batch, voice), limit, batch, whole=limit * len(batch))
        return True

    def _hear(self, queue: Queue, said: Said, tag: object) -> None:
        if isinstance(tag, Job):
            queue.close(tag, outcome(tag.plan, said))
            return
        assert isinstance(tag, list)
        ended = [line.split() for line in said.lines if line.startswith("e ")]
        clean = said.whole and said.lines[-1] == "s 1"
        if said.whole and not clean:  # one of them changed what the next ones found: each in a child of its own
            self._polluted += 1
            self._together = 1 if self._polluted >= _MOST_POLLUTED else self._together
            queue.alone += tag
            return
        for job, (_, _, passed) in zip(tag, ended, strict=False):
            if passed == "1":
                queue.alone.append(job)
            else:
                queue.close(job, Finding())
        if len(ended) < len(tag):
            queue.close(tag[len(ended)], Finding())  # it was the end of the child
            queue.several = [*tag[len(ended) + 1 :], *queue.several]

    def _try_several(self, batch: list[Job], voice: Voice) -> None:
        """Only the first tests of each, with the old code put back in between."""
        for number, job in enumerate(batch):
            signal.setitimer(signal.ITIMER_PROF, job.plan.short)
            before = [(function, function.__code__) for function, _ in job.swaps]
            for function, code in job.swaps:
                function.__code__ = code
            passed = any([run_item(self.items[test])[0] for test in job.plan.first])  # noqa: C419 - each of them
            for function, code in before:
                function.__code__ = code
            voice.say(f"e {number} {int(passed)}")
        signal.setitimer(signal.ITIMER_PROF, batch[0].plan.short + _LEAST)
        as_before = all(run_item(self.items[test]) == (False, self.looks[test].error) for test in batch[0].plan.first)
        example = batch[-1].plan.others[:1]
        voice.say(f"s {int(as_before and all(run_item(self.items[test])[0] for test in example))}")

    def _try(self, job: Job, voice: Voice) -> None:
        for function, code in job.swaps:
            function.__code__ = code
        face(job.plan, self.items, voice.say)

    def start_cold(self, trial: Trial, plan: Plan, queue: Queue) -> bool:
        texts = self.texts(trial)
        if texts is None:
            return False
        self.trials += 1
        self.nursery.adopt(self.cold.ask(texts, plan), queue.opened(Job(trial, plan, [])))
        return True

    def confirm(self, trial: Trial, plan: Plan) -> Finding:
        """The same trial with everything imported anew."""
        if not self.start_cold(trial, plan, Queue(())):
            return Finding()
        for said, _ in _drained(self.nursery):
            self.guard.mend()
            return outcome(plan, said)
        return Finding()

    def behaviours(self, trials: list[Trial]) -> tuple[dict[int, list[str]], list[str]]:
        """How patched functions behave on inputs near to those of the tests, by number; and the original.

        Only trials inside of the same function can be compared: that of the first one.
        """
        subject: FunctionType | None = None
        jobs: list[tuple[int, swap.Swaps]] = []
        tests: list[str] = []
        for number, trial in enumerate(trials):
            exchanged = self._exchange(trial)
            found = exchanged[0] if exchanged else None
            if not found or not probe.can_be_called(found[0][0].__code__):
                continue
            if subject is None:
                subject, tests = found[0][0], exchanged[1][:_MOST_PROBED] if exchanged else []
            if found[0][0] is subject:
                jobs.append((number, found))
        known: dict[int, list[str]] = {}
        if subject is None:
            return known, []
        for number, swaps in [(-1, []), *jobs]:
            self.nursery.start(self._probing(subject, swaps, tests), _FIRST_LOOK, number)
            for said, tag in _drained(self.nursery):
                if said.whole and said.lines:
                    known[int(str(tag))] = json.loads(said.lines[0])
        self.guard.mend()
        return known, known.pop(-1, [])

    def _probing(self, subject: FunctionType, swaps: swap.Swaps, tests: list[str]) -> Callable[[Voice], None]:
        def work(voice: Voice) -> None:
            heard: dict[bool, list[probe.Input]] = {}
            for passed in (True, False):
                with probe.Listener(subject.__code__) as listener:
                    for test in tests:
                        if self.looks[test].passed is passed:
                            run_item(self.items[test])
                heard[passed] = probe.nearby(listener.inputs)
            for function, code in swaps:
                function.__code__ = code
            kept, other = (probe.behaviour(subject, heard[passed]) for passed in (True, False))
            voice.say(json.dumps([*kept, probe.BORDER, *other]))

        return work

    def texts(self, trial: Trial) -> dict[str, bytes] | None:
        """The edited files; None if one is no Python then."""
        found = {}
        for path, edits in trial.edits.items():
            text = apply(self.sources[path].data, edits)
            if text is None or not _is_python(text) or text == self.sources[path].data:
                return None
            found[path] = text
        return found

    def _exchange(self, trial: Trial) -> tuple[swap.Swaps | None, list[str]] | None:
        """What to exchange (None: it has to be imported) and whom it concerns; None for no valid change at all."""
        swaps: swap.Swaps = []
        covering: dict[str, None] = {}
        for path, edits in trial.edits.items():
            piece = swap.piece_around(self._pieces[path], edits)
            if piece is None:
                return None, []
            new = swap.compiled(self.sources[path], piece, edits, os.path.join(self.root, path))  # noqa: PTH118 - text
            old = self._original(path, piece)
            if new is None or old is None or new == old:
                return None
            mine = swap.swaps(self._functions.get(path, ()), old, new)
            if not mine:
                return None, []
            swaps += mine
            covering |= dict.fromkeys(self._tests_of(path, piece, edits))
        return swaps, list(covering)

    def _original(self, path: str, piece: swap.Piece) -> CodeType | None:
        key = (path, piece.first)
        if key not in self._old:
            self._old[key] = swap.compiled(self.sources[path], piece, (), os.path.join(self.root, path))  # noqa: PTH118
        return self._old[key]

    def _tests_of(self, path: str, piece: swap.Piece, edits: Iterable[Edit]) -> list[str]:
        """The tests that run one of the edited functions."""
        found: dict[str, None] = {}
        source = self.sources[path]
        for edit in edits:
            start, end = next((a, b) for a, b in piece.bodies if a <= edit.start and edit.end <= b)
            key = (path, start)
            if key not in self._covering:
                span = {(path, line) for line in range(source.line_of(start), source.line_of(end) + 1)}
                self._covering[key] = [test for test, look in self.looks.items() if not span.isdisjoint(look.lines)]
            found |= dict.fromkeys(self._covering[key])
        return list(found)


def _drained(nursery: Nursery) -> Iterator[tuple[Said, object]]:
    while batch := list(nursery.wait()):
        yield from batch


def _code_files() -> set[str]:
    return {one.__code__.co_filename for one in gc.get_objects() if type(one) is FunctionType}


def _is_python(text: bytes) -> bool:
    try:
        compile(text, "edited", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return True


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise TooLongError


# --- the process that has imported nothing of the project ----------------------------------------------------------


class ColdLine:
    """The way to it."""

    def __init__(self, line: socket.socket, folder: str) -> None:
        self._line, self._folder, self._number = line, folder, 0

    def preload(self, modules: list[str]) -> None:
        self._send({"preload": modules})
        self._line.recv(64)

    def ask(self, texts: dict[str, bytes], plan: Plan) -> Child:
        ours, theirs = os.pipe()
        word, limit = new_word(), plan.short + plan.long + 2.0
        job = {"texts": {path: text.decode() for path, text in texts.items()}, "plan": vars(plan), "word": word}
        self._send({**job, "limit": limit}, theirs)
        os.close(theirs)
        return Child(pid=int(self._line.recv(64)), pipe=ours, word=word, limit=limit, ours=False)

    def _send(self, job: dict[str, Any], *fds: int) -> None:
        self._number += 1
        path = os.path.join(self._folder, f"job-{self._number}.json")  # noqa: PTH118 - text
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - text
            json.dump(job, file)
        socket.send_fds(self._line, [path.encode()], list(fds))


def serve_cold(line: socket.socket) -> tuple[dict[str, Any], int] | None:
    """Waits for jobs; returns in each child with its job and its pipe, and in the process itself never."""
    import importlib

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        message, fds, _, _ = socket.recv_fds(line, 4096, 4)
        if not message:
            os._exit(0)
        with open(message, encoding="utf-8") as file:  # noqa: PTH123 - text
            job = json.load(file)
        os.unlink(message)  # noqa: PTH108 - text
        for module in job.get("preload", ()):
            try:
                importlib.import_module(module)
            except Exception:  # noqa: BLE001, S112 - another's package; then each child imports it
                continue
        if "preload" in job:
            gc.freeze()
            line.send(b"0")
            continue
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            line.close()
            return job, fds[0]
        for fd in fds:
            os.close(fd)
        line.send(str(pid).encode())


def others_packages(root: str) -> list[str]:
    """Modules that are loaded here and are not the project's."""
    found = []
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and not os.path.realpath(file).startswith(root + os.sep) and "__main__" not in name:
            found.append(name)
    return found
