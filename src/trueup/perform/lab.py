"""Where do checks run? On benches that are written from the store, with the start's dependencies, sealed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from trueup.act.bench import Bench
from trueup.act.bytecode import Bytecode
from trueup.act.command_line import parse_command, show_command
from trueup.act.compiling import Module
from trueup.act.dependencies import (
    editable_sources,
    link_for_bench,
    looks_like_environment,
    manifest_digest,
    packages_stamp,
    python_path,
)
from trueup.act.environment import check_environment
from trueup.act.facts import Facts
from trueup.act.packages import Packages
from trueup.act.process import Cancelled, Completed, Processes
from trueup.act.protection import is_control_path, is_test_path
from trueup.act.removal import remove
from trueup.act.sandbox import Reach, Sandbox
from trueup.act.store import Store
from trueup.act.surroundings import Surroundings, watched
from trueup.decide.task import CheckSpec, with_prerequisites
from trueup.errors import UnverifiableError
from trueup.evidence.failure import Failure, Key, Phase, Sources, check_of, subject_of
from trueup.evidence.normalize import neutralise
from trueup.evidence.report import CheckResult, CheckStatus, Report, TestPlace
from trueup.perform.hanging import PerTestLimits
from trueup.verify.gate import run_checks
from trueup.verify.request import GateRequest
from trueup.verify.twin import Fate, run_twin
from trueup.verify.unexplained import with_unexplained_end

BASELINE_TIMEOUT = 3600.0
LAST_WORDS = 2000
"""Bytes of an output that stand for a failure which nobody understood."""
LEAST_TIMEOUT = 600.0
SLOWER_THAN_BASELINE = 3.0
SETUP_TIMEOUT = 1800.0
SETUP_EXCERPT = 800
SETUP_MESSAGE_LINES = 3
LOG_BYTES = 1_000_000
UNSEEN = "In the sandbox it does not see your home folder; sandbox_read lets paths through."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Which checks, on which tree, under which conditions."""

    tree: str
    checks: tuple[CheckSpec, ...]
    every_stage: bool = False
    select: Mapping[str, tuple[str, ...]] | None = None
    fresh: bool = False
    """On a bench that nothing ran on before, removed afterwards, and without compiled modules from step to step."""
    exact: bool = False
    """The command as it is, also where it says to stop at the first failure."""
    doing: str = ""
    """Said before the live line, where "2 failed" alone would alarm."""
    decides: bool = True
    """Something may be concluded from this look by itself, so that what lies outside the tree must be as it was."""
    alone: bool = True
    """What lies outside the tree is compared when the checks have run; else the caller does so, for several at once."""
    label: str = "again"
    """What this run of the checks is called among the stored outputs: `start`, `attempt-2`, `proof-2`."""


@dataclass(slots=True, kw_only=True)
class Lab:
    """Runs checks on trees. Remembers how long checks take and which files they rewrite, learnt from the baseline."""

    store: Store
    processes: Processes
    folder: Path
    checkout: Path
    start: str
    host_env: Mapping[str, str]
    allow_env: tuple[str, ...]
    setup: str | tuple[str, ...] | None
    setup_given: bool
    dependencies: tuple[str, ...]
    logs: Path
    on_output: Callable[[str], None]
    on_notice: Callable[[str], None]
    keep_log: Callable[[str, str, str], str] = lambda _check, _label, _text: ""
    """Stores the output of a check for people: (check, label, text) -> its path relative to the run's artefacts."""
    timeouts: dict[str, float] = field(default_factory=dict)
    test_limits: PerTestLimits = field(default_factory=PerTestLimits)
    before: dict[str, CheckResult] = field(default_factory=dict)
    """What each check said of the start."""
    rewritten: frozenset[str] = frozenset()
    created: frozenset[str] = frozenset()
    redact: Callable[[str], str] = str
    sandbox: Sandbox | None = None
    edit_tests: bool = False
    """The task is about tests: new ones count like the others."""
    trusted: bool = True
    """No agent has run in this sitting yet."""
    packages: Packages | None = None
    """The checkout's installed packages at the start of the run."""
    facts: Facts = field(default_factory=Facts)
    """What is known about the contents of files; never used for a proof."""
    cache: Path | None = None
    """Where built-in verifiers keep environments and the like, from project to project."""
    advisers: tuple[CheckSpec, ...] = ()
    """Built-in verifiers that look at every tree whose checks are all run."""
    _ids: dict[str, str] = field(default_factory=dict)
    """Test ids without their secrets -> the runner's own; never stored."""
    surroundings: Surroundings | None = None
    """Programs and libraries outside the checkout, as they were at the start of the run."""
    compiled: Bytecode | None = None
    """Compiled modules that the first check begins with."""
    _seed: Bytecode | None = None
    """Those that every other check begins with: what the start's own run left."""
    _loaded: dict[str, frozenset[Module]] = field(default_factory=dict)
    _benches: dict[str, Bench] = field(default_factory=dict)
    _made: dict[Path, frozenset[str]] = field(default_factory=dict)
    _ready: dict[Path, str] = field(default_factory=dict)

    def close(self) -> None:
        for bench in self._benches.values():
            bench.close()
        self._benches.clear()

    # --- checks ------------------------------------------------------------------------------------------------

    def check(self, ask: Ask) -> Report:
        """The checks on exactly this tree. Raises Cancelled when the run is being stopped."""
        try:
            with self._bench(ask.tree, fresh=ask.fresh) as bench:
                return self._run(bench, ask)
        except SetUpFailedError as failed:
            return self._not_set_up(ask, failed)

    def measure(self, ask: Ask) -> Report:
        """A check that rewrites files of the tree already now is run again with those files put back each time."""
        report = self.check(ask)
        if not report.void:
            return report
        self.learn(report)
        again = self.check(ask)
        return replace(
            again,
            rewritten=tuple(sorted({*report.rewritten, *again.rewritten})),
            created=tuple(sorted({*report.created, *again.created})),
        )

    def look(
        self,
        tree: str,
        keys: tuple[Key, ...],
        checks: tuple[CheckSpec, ...],
        tests: frozenset[Key],
        *,
        doing: str = "",
        label: str = "again",
        decides: bool = False,
    ) -> Report:
        """A look at some keys alone: selected tests where the tool can select, whole checks otherwise."""
        select: dict[str, tuple[str, ...]] = {}
        for key in keys:
            ids = select.get(check_of(key), ())
            select[check_of(key)] = (*ids, subject_of(key) if key in tests else "")
        doing = doing or ("once more on the start: " if tree == self.start else "once more: ")
        whole = with_prerequisites(checks, select)
        return self.check(
            Ask(tree=tree, checks=checks, every_stage=True, select=whole, doing=doing, label=label, decides=decides)
        )

    def twins(
        self,
        tree: str,
        places: Mapping[str, tuple[TestPlace, ...]],
        keys: tuple[Key, ...],
        checks: tuple[CheckSpec, ...],
        *,
        nonce: str,
        kinds: Mapping[Key, str],
    ) -> dict[Key, Fate]:
        """What becomes of these tests when their bodies are made to fail. `places` is by check."""
        try:
            with self._bench(tree, fresh=True) as bench:
                return run_twin(
                    bench=bench,
                    tree=tree,
                    request=self._request(bench, Ask(tree=tree, checks=checks)),
                    places=places,
                    keys=keys,
                    nonce=nonce,
                    kinds=kinds,
                    processes=self._processes(bench),
                    sources=sources_of(self.store, tree),
                )
        except SetUpFailedError:
            return {}

    def learn(self, report: Report) -> None:
        """Time limits, rewritten files and what explains an exit code come from the baseline."""
        for result in report.results:
            self.before[result.check] = result
            self.timeouts[result.check] = max(LEAST_TIMEOUT, SLOWER_THAN_BASELINE * result.duration)
        self.test_limits.learn(report)
        self.created = frozenset(report.created)
        self.rewritten = frozenset(p for p in report.rewritten if not is_test_path(p) and not is_control_path(p))

    def limit_tests(self, ask: Ask, report: Report) -> bool:
        """Set a limit for each test where one never ended. Whether that was done, so that more would be seen now."""
        new = self.test_limits.set_for(report, self._timeouts(ask))
        for name, seconds in new.items():
            self.on_notice(f"a test of {name} does not end: once more, with at most {seconds:.3g} s for each test")
        return bool(new)

    def new_tests(self, tree: str) -> tuple[str, ...]:
        """Test files that the start does not have: reported, never counted."""
        known = self.store.entries(self.start)
        return tuple(sorted(p for p in self.store.entries(tree) if p not in known and is_test_path(p)))

    def watch(self) -> Callable[[Report], Report]:
        """From now on; makes a report void if anything outside the tree changed that checks use."""
        return watched(self.surroundings, lambda: self.rewritten, home=self.host_env.get("HOME", ""))

    def _run(self, bench: Bench, ask: Ask) -> Report:
        judged = self.watch()
        report = self._checked(bench, ask)
        # One more look at some tests is no evidence by itself: what it adds to is judged as a whole.
        return judged(report) if ask.alone and ask.decides else report

    def _checked(self, bench: Bench, ask: Ask) -> Report:
        changed = self._changed_packages()
        report = run_checks(
            self._request(bench, ask),
            bench=bench,
            tree=ask.tree,
            processes=self._processes(bench),
            sources=sources_of(self.store, ask.tree),
            on_output=lambda text: self.on_output(f"{ask.doing}{text}"),
        )
        if self.trusted and self._seed is None:
            self._seed = Bytecode.saved(bench.bytecode, self.folder / "bytecode", without=bench.folder)
        explained = (self._explained(r, ask) for r in report.results)
        report = replace(report, results=tuple(self._with_log(r, ask.label) for r in explained))
        return replace(report, void=changed) if changed and not report.void else report

    def _explained(self, result: CheckResult, ask: Ask) -> CheckResult:
        """When all of its tests were run: some of them may well end in another way."""
        whole = ask.select is None or "" in ask.select.get(result.check, ())
        before = self.before.get(result.check)
        return with_unexplained_end(result, before, partial(self._last_words, result)) if whole else result

    def _last_words(self, result: CheckResult) -> str:
        """Whole lines only: half a secret would not be recognised."""
        if not result.log:
            return ""
        with (self.logs / result.log).open("rb") as log:
            log.seek(-min(os.fstat(log.fileno()).st_size, LAST_WORDS), os.SEEK_END)
            cut, said = log.tell() > 0, log.read()
        said = said[said.find(b"\n") + 1 :] if cut else said
        return self.redact(neutralise(said.decode("utf-8", errors="replace"))).strip("\n")

    def _with_log(self, result: CheckResult, label: str) -> CheckResult:
        """The output in a place that people find; only its beginning and end if it is long."""
        if not result.log:
            return result
        with (self.logs / result.log).open("rb") as log:
            head = log.read(LOG_BYTES)
            rest = max(os.fstat(log.fileno()).st_size - len(head), 0)
            log.seek(-min(rest, LOG_BYTES), os.SEEK_END)
            tail = log.read()[-min(rest, LOG_BYTES) :] if rest else b""
        (self.logs / result.log).unlink()
        if rest:  # whole lines only: half a secret would not be recognised
            head, tail = head[: head.rfind(b"\n") + 1], tail[tail.find(b"\n") + 1 :]
        gap = f"\n… {rest - len(tail)} bytes left out …\n".encode() if rest > len(tail) else b""
        text = (head + gap + tail).decode("utf-8", errors="replace")
        return replace(result, log=self.keep_log(result.check, label, text))

    def _changed_packages(self) -> str:
        """The environment of the start decides; packages that were installed or planted since make no evidence."""
        if self.setup is not None or self.packages is None or self.packages.are_as_they_were():
            return ""
        return "the installed packages of your checkout were changed since the start"

    def _request(self, bench: Bench, ask: Ask) -> GateRequest:
        return GateRequest(
            checks=ask.checks,
            every_stage=ask.every_stage,
            timeouts=self._timeouts(ask),
            test_limits=self.test_limits(at_the_start=ask.tree == self.start),
            select=ask.select,
            ignore=self.new_tests(ask.tree) if ask.tree != self.start and not self.edit_tests else (),
            rewritten=self.rewritten,
            created=self.created,
            keep_going=not ask.exact,
            redact=self.redact,
            ids=self._ids,
            bytecode=self._seed or self.compiled,
            loaded=self._loaded,
            keeps_compiled=not ask.fresh,
            checkout=self.checkout,
            env=self._environment(bench),
            sealed=self._sealed(bench),
            logs=self.logs,
            facts=Facts() if ask.fresh else self.facts,
            cache=self.cache,
            advisers=self.advisers if ask.select is None and not ask.fresh else (),
        )

    def _timeouts(self, ask: Ask) -> dict[str, float]:
        return {c.name: c.timeout or self.timeouts.get(c.name, BASELINE_TIMEOUT) for c in ask.checks}

    def _sealed(self, bench: Bench) -> tuple[Path, ...]:
        """Environment folders: those of the checkout that are used, and those that the set-up made on the bench."""
        used = [self.checkout / name for name in self._in_checkout(bench)]
        names = {*self.dependencies, *self._environments(bench)} if self.setup is not None else ()
        return tuple(f for f in (*used, *(bench.folder / name for name in sorted(names))) if f.is_dir())

    def _in_checkout(self, bench: Bench) -> tuple[str, ...]:
        """Environment folders that the bench takes from the checkout: those that no set-up makes."""
        if self.setup is None:
            return self.dependencies
        made = self._made[bench.folder]
        return tuple(n for n in self.dependencies if not _kept(n, made) and not (bench.folder / n).is_dir())

    def _environments(self, bench: Bench) -> tuple[str, ...]:
        """Environment folders that the set-up made, whether or not the checkout has them, too."""
        return tuple(sorted(n for n in self._made[bench.folder] if looks_like_environment(bench.folder / n)))

    def _environment(self, bench: Bench) -> dict[str, str]:
        elsewhere = self._in_checkout(bench)
        env = self._variables(bench, elsewhere)
        # Bytecode goes to a folder of the bench's own: writing it is harmless, compiling pytest each time is not.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        ours = python_path(bench.folder, editable_sources(self.checkout, elsewhere))
        given = [self._on_bench(bench, entry) for entry in env.pop("PYTHONPATH", "").split(os.pathsep)]
        path = os.pathsep.join(entry for entry in (ours, *given) if entry)
        return {**env, "PYTHONPATH": path} if path else env

    def _on_bench(self, bench: Bench, entry: str) -> str:
        """A search path into the checkout leads to the same place on the bench; installed packages stay."""
        place = Path(os.path.realpath(entry)) if entry.startswith("/") else None
        if place is None or not place.is_relative_to(self.checkout):
            return entry
        inside = place.relative_to(self.checkout)
        kept = any(inside.is_relative_to(name) for name in self.dependencies)
        return entry if kept else os.fspath(bench.folder / inside)

    def _variables(self, bench: Bench, elsewhere: tuple[str, ...]) -> dict[str, str]:
        """With a set-up, what is activated in the checkout is the bench's own, except for the folders `elsewhere`."""
        root, moves = os.fspath(self.checkout), dict[str, str]()
        if self.setup is not None:
            moves = {root: os.fspath(bench.folder)} | {f"{root}/{name}": f"{root}/{name}" for name in elsewhere}
        return check_environment(
            self.host_env, allow=self.allow_env, tmp=bench.short_tmp, cache=bench.cache, rewrite=moves
        ).variables

    def _processes(self, bench: Bench, *, setup: bool = False) -> Processes:
        """In a sandbox, only a set-up has a network, and only a set-up writes to the packages."""
        if self.sandbox is None:
            return self.processes
        made = [bench.folder / name for name in self._environments(bench)]
        # Tools insist on a cache in `node_modules`; the seal watches over the rest of it.
        fixed = [p for p in made if not setup and not p.is_symlink() and p.name != "node_modules"]
        own = (bench.folder, bench.tmp, bench.cache, bench.bytecode)
        return self.processes.confined(self.sandbox.around(Reach(writable=own, readable=tuple(fixed), network=setup)))

    # --- benches -----------------------------------------------------------------------------------------------

    @contextmanager
    def _bench(self, tree: str, *, fresh: bool) -> Iterator[Bench]:
        if not fresh:
            yield self._resident(tree)
            return
        bench = self._new_bench()
        try:
            self._prepare(bench, tree)
            yield bench
        finally:
            bench.close()

    def _resident(self, tree: str) -> Bench:
        """One bench for each set of dependencies, reused from tree to tree."""
        digest = self._digest(tree)
        if digest not in self._benches:
            self._benches[digest] = self._new_bench()
        bench = self._benches[digest]
        self._prepare(bench, tree)
        return bench

    def _digest(self, tree: str) -> str:
        if self.setup is None:
            return ""
        return manifest_digest(lambda path: self.store.read(tree, path), self.store.entries(tree))

    def _new_bench(self) -> Bench:
        made = self._made
        bench = Bench(self.folder, self.store, keep=lambda path: _kept(path, made.get(bench.folder, frozenset())))
        if self.sandbox is None:
            bench.shorten()
        made[bench.folder] = frozenset(self.dependencies)
        return bench

    def _prepare(self, bench: Bench, tree: str) -> None:
        bench.load(tree)
        if self.setup is None:
            link_for_bench(self.checkout, bench.folder, self.dependencies)
        elif self._ready.get(bench.folder) != self._condition(bench, tree):
            self._set_up(bench, tree)

    def _condition(self, bench: Bench, tree: str) -> str:
        """What has to be installed, and what is: an environment that a check wrote to is not used again."""
        return f"{self._digest(tree)} {packages_stamp(bench.folder, self._environments(bench))}"

    def _set_up(self, bench: Bench, tree: str) -> None:
        """Run the set-up command; what it made stays on the bench, what it rewrote of the tree goes back."""
        assert self.setup is not None
        argv = parse_command(self.setup)
        self.on_output(f"set-up: {show_command(argv)}")
        self._strip(bench, tree)
        env = self._variables(bench, ())
        done = self._processes(bench, setup=True).run(argv, cwd=bench.folder, env=env, timeout=SETUP_TIMEOUT)
        if done.cancelled:
            raise Cancelled
        if done.exit_code != 0 or done.timed_out or done.not_started:
            self._set_up_failed(bench, tree, done)
            return
        self._made[bench.folder] = _made_by_setup(bench.folder, frozenset(self.store.entries(tree)))
        bench.load(tree)
        self._ready[bench.folder] = self._condition(bench, tree)

    def _strip(self, bench: Bench, tree: str) -> None:
        """Nothing but the tree: neither half of an environment, nor downloads that a check could have touched."""
        self._ready.pop(bench.folder, None)
        self._made[bench.folder] = frozenset()
        remove(bench.cache)
        bench.load(tree)

    def _set_up_failed(self, bench: Bench, tree: str, done: Completed) -> None:
        """At the start: unverifiable, or on with the installed packages. Later: that candidate's own failure."""
        if tree != self.start:
            self._set_up_failed_later(bench, tree, done)
            return
        failed = SetUpFailedError(done)
        if self.setup_given:
            raise UnverifiableError(
                failed.what, why=failed.why, do=f"{failed.do}{' ' + UNSEEN if self.sandbox else ''}"
            )
        command = show_command(done.argv)
        self.on_notice(f"{command} failed; the checks use the installed packages of your checkout")
        self.setup = None
        self._fall_back(bench, tree)

    def _set_up_failed_later(self, bench: Bench, tree: str, done: Completed) -> None:
        """A candidate is to blame only if the start can be set up: a resumed run may not have tried that yet."""
        known = f"{self._digest(self.start)} "
        if not any(condition.startswith(known) for condition in self._ready.values()):
            self._resident(self.start)
        if self.setup is None:
            self._fall_back(bench, tree)
        elif bench.folder in self._ready:  # the start's own bench: the candidate needs nothing else
            bench.load(tree)
        else:
            raise SetUpFailedError(done)

    def _fall_back(self, bench: Bench, tree: str) -> None:
        self._strip(bench, tree)
        self._made[bench.folder] = frozenset(self.dependencies)
        link_for_bench(self.checkout, bench.folder, self.dependencies)

    def _not_set_up(self, ask: Ask, failed: SetUpFailedError) -> Report:
        """Every check fails on a tree of which nothing could be installed."""
        wanted = [c for c in ask.checks if ask.select is None or c.name in ask.select]
        results = tuple(
            CheckResult(
                check=check.name,
                status=CheckStatus.FAILED,
                failures=(failed.as_failure(check.name, self.redact),),
                exit_code=failed.done.exit_code,
                duration=failed.done.duration,
                command=show_command(failed.done.argv),
                log=self.keep_log(check.name, ask.label, failed.output),
            )
            for check in wanted
        )
        return Report(tree=ask.tree, results=results, duration=failed.done.duration)


class SetUpFailedError(UnverifiableError):
    """The set-up command failed on a tree of which the checks can say nothing, therefore."""

    def __init__(self, done: Completed) -> None:
        late = f"it did not end within {SETUP_TIMEOUT / 60:.0f} minutes" if done.timed_out else ""
        said = (done.stdout.text().strip(), done.not_started, late)
        self.done = done
        self.output = "\n".join(text for text in said if text) or f"exit code {done.exit_code}, without a word"
        super().__init__(
            f"the set-up command failed: {show_command(done.argv)}",
            why=self.output[-SETUP_EXCERPT:].strip(),
            do="Run it in a fresh copy of the project, or set another one with --setup.",
        )

    def as_failure(self, check: str, redact: Callable[[str], str]) -> Failure:
        """What a check that needs the environment says of it."""
        lines = redact(self.output).splitlines()
        return Failure(
            check=check,
            subject="",
            phase=Phase.BUILD,
            kind="setup",
            message="\n".join(lines[-SETUP_MESSAGE_LINES:]),
            excerpt=f"{redact(self.what)}\n" + "\n".join(lines)[-SETUP_EXCERPT:],
            test=False,
        )


def sources_of(store: Store, tree: str) -> Sources:
    """Text of a path in a tree, or None when it is not there or not text."""

    def text(path: str) -> str | None:
        content = store.read(tree, path)
        if content is None or b"\0" in content:
            return None
        return content.decode("utf-8", errors="replace")

    return text


def _kept(path: str, made: frozenset[str]) -> bool:
    parts = path.split("/")
    return any("/".join(parts[:n]) in made for n in range(1, len(parts) + 1))


def _made_by_setup(folder: Path, tree: frozenset[str]) -> frozenset[str]:
    """Paths that are not in the tree, whole folders where the tree has nothing inside."""
    folders = {"/".join(p.split("/")[:n]) for p in tree for n in range(1, p.count("/") + 1)}
    made = set()
    waiting = [""]
    while waiting:
        here = waiting.pop()
        with os.scandir(folder / here) as entries:
            for entry in entries:
                path = f"{here}/{entry.name}" if here else entry.name
                if entry.is_dir(follow_symlinks=False) and path in folders:
                    waiting.append(path)
                elif path not in tree:
                    made.add(path)
    return frozenset(made)
