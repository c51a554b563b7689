"""Which tests did a JavaScript tool run, and what became of each? Asked by a file that Node loads first.

All four tools share one probe and one way to read it. Each runner answers for what its own tool did: a command may well
run several of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from trueup.act.process import Completed
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.report import SeenBy, Strength
from trueup.verify.runners.additions import node_home, others, preload_name, preload_option
from trueup.verify.runners.base import Evidence, RunContext
from trueup.verify.runners.javascript_events import Session, read_sessions
from trueup.verify.runners.javascript_failures import other_failure, test_failure
from trueup.verify.runners.repro import Written, every_written, options, shown_once
from trueup.verify.runners.stand_ins import keep_variables

_WRAPPERS = frozenset(
    {"npx", "pnpx", "pnpm", "yarn", "bunx", "env", "cross-env", "c8", "nyc", "dotenv", "time", "nice", "xvfb-run"}
)
_EXEC = frozenset({("npm", "exec"), ("npm", "x")})
_NODE = re.compile(r"(?:node|nodejs)[\d.]*$")
_OVERRIDES = ("NODE_OPTIONS=",)
_FLAGS = re.compile(r"--(?:experimental|no-experimental)-.+")
_OPTIONS = re.compile(
    r"-[cr]|--(?:config|root|rootDir|dir|env|environment|testEnvironment|project|projects|selectProjects|require|import"
    r"|loader|ui|timeout|testTimeout)(?:=.*)?"
)
"""Options that may change what a test does."""
_SPECIAL, _ESCAPED = r"([\\^$.*+?()\[\]{}|])", r"\\\1"
_NO_TESTS = re.compile(r"^(?:Error: )?No test(?:s| files) found", re.MULTILINE)
_NONE = "no tests were collected"
_FILES = ("tell", "jest", "jest_reporter", "vitest", "mocha", "node_test", "eslint", "eslint_formatter")


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaScriptRunner:
    """One tool. The sub-modules say what is different about each."""

    name: str
    programs: frozenset[str]
    packages: frozenset[str]
    """Packages whose files are the tool's main program, for `node node_modules/…`."""
    alone: tuple[str, ...]
    """How the tool is started when the command does not show it."""
    one_test: tuple[str, ...]
    """Words before a test's name, to run just that one."""
    once: tuple[str, ...] = ()
    """What keeps the tool from waiting for changes."""
    by_pattern: bool = False
    """Whether a name is looked for as a regular expression."""
    by_path: tuple[str, ...] = ()
    """What makes it take the words that follow for paths, and not for patterns."""

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return bool(self.prefix(argv)) and not any(word.startswith(_OVERRIDES) for word in argv)

    def prepare(self, run: RunContext) -> Mapping[str, str]:
        return prepare_probe(run)

    def hindered(self, run: RunContext, completed: Completed) -> bool:
        """Node could not load the probe: too old for it, or forbidden to read there."""
        if completed.exit_code == 0 or not run.nonce or any(s.ran for s in _sessions(run)):
            return False
        return preload_name(run) in completed.stdout.text()

    def read(self, run: RunContext, completed: Completed) -> Evidence | None:
        if run.nonce:
            sessions = tuple(s for s in _sessions(run) if s.tool == self.name)
            if any(s.ran or s.role in {"", "parent"} for s in sessions):
                return self._evidence(run, completed, sessions)
        if not self.recognises(run.argv):
            return None
        return _without_report(completed)

    def select(self, argv: tuple[str, ...], ids: tuple[str, ...]) -> tuple[str, ...] | None:  # noqa: ARG002 - by the probe
        return argv

    def prefix(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        """The beginning of the command that starts the tool; () when it is something else."""
        first = PurePath(argv[0]).name if argv else ""
        if first in self.programs:
            return argv[:1]
        wrapped = first in _WRAPPERS or (first, *argv[1:2]) in _EXEC
        for index, word in enumerate(argv[1:], start=1):
            if wrapped and PurePath(word).name in self.programs:
                return argv[: index + 1]
            if _NODE.match(first) and not word.startswith("-"):
                return argv[: index + 1] if self._is_main(word) else ()
        return ()

    def _is_main(self, script: str) -> bool:
        parts = PurePath(script).parts
        return PurePath(script).name in self.programs or any(
            parts[n : n + 1] == ("node_modules",) and parts[n + 1] in self.packages for n in range(len(parts) - 1)
        )

    # --- evidence ------------------------------------------------------------------------------------------------

    def _evidence(self, run: RunContext, completed: Completed, sessions: tuple[Session, ...]) -> Evidence:
        if not any(s.ran or s.broken or s.files for s in sessions):
            return _never_ran(self.name, completed)
        seen = _Seen.of(run, sessions)
        failures = (*self._failures(run, seen), *self._crashes(run, completed, seen))
        nothing = not seen.ids and not failures and all(s.ended for s in sessions if s.ran)
        return Evidence(
            failures=failures,
            passed=seen.passed,
            skipped=seen.skipped,
            inventory=seen.ids,
            strength=Strength.INVENTORY,
            seen_by=SeenBy.STRUCTURE,
            problem=_NONE if nothing else "",
            running=tuple(dict.fromkeys(i for s in seen.unfinished for i in seen.running(s))),
            rerun=self._rerun(run),
        )

    def _rerun(self, run: RunContext) -> tuple[str, ...]:
        """Behind a script the tool is the project's own; nothing is fetched that is not there."""
        start = self.prefix(run.argv) or self.alone
        start = (*start[:1], "--no-install", *start[1:]) if start == ("npx", self.name) else start
        return (*start, *self.once, *self.by_path)

    def _failures(self, run: RunContext, seen: _Seen) -> Iterator[Failure]:
        for session in seen.sessions:
            for file, event in session.broken.items():
                yield other_failure(run, file, event.error, Phase.COLLECT, self._repro(run, file))
        for test_id in seen.failed:
            event = next(s.results[test_id] for s in seen.sessions if seen.fails(s, test_id))
            yield test_failure(run, test_id, event.error, self._repro(run, test_id))
        for session in seen.sessions:
            for subject, event in session.troubles.items():
                yield other_failure(run, subject, event.error, Phase.RUN, self._repro(run, subject))
            for file, event in session.file_results.items():
                yield from self._failed_file(run, file, event.when, event.outcome, seen=seen, session=session)

    def _failed_file(
        self, run: RunContext, file: str, when: str, outcome: str, *, seen: _Seen, session: Session
    ) -> Iterator[Failure]:
        """Node's parent process says how a file's process ended; the tests in it have spoken for themselves."""
        own = [s for s in seen.sessions if s.role == "child" and s.file == file]
        told = when == "subtestsFailed" or any(s in seen.unfinished or s.troubles for s in own)
        if outcome == "failed" and not (told and own):
            phase = Phase.RUN if any(s.ran for s in own) else Phase.COLLECT
            error = session.file_results[file].error
            yield other_failure(run, file, error, phase, self._repro(run, file))

    def _crashes(self, run: RunContext, completed: Completed, seen: _Seen) -> Iterator[Failure]:
        """A process ended in the middle of its tests, whatever exit code it had."""
        if completed.timed_out:
            return
        for session in seen.unfinished:
            ended = f"the test process ended before {session.tool} did"
            running = seen.running(session)
            phase = Phase.RUN if session.ran and (session.collected or running) else Phase.COLLECT
            for subject in running:
                message = f"{ended}, while this ran"
                yield _crash(run, subject, message, repro=self._repro(run, subject), test="::" in subject, phase=phase)
            if not running and not session.broken and not _left_on_purpose(completed, session):
                yield _crash(run, session.file, ended, repro=None, test=False, phase=phase)

    def _repro(self, run: RunContext, subject: str) -> str | None:
        file, _, name = subject.partition("::")
        if not file:
            return None
        names = re.sub(r" \(\d+\)$", "", name).replace(" > ", " ")
        if self.by_pattern:
            names = f"^{re.sub(_SPECIAL, _ESCAPED, names)}$"
        one = (*self.one_test, names) if name and self.one_test else ()

        def again(how: Written) -> str:
            if PurePath(how.prefix[0]).name in self.programs and self.alone[0] == "npx":
                how = replace(how, prefix=self.alone)  # behind a script, and nowhere else, the project's own is found
            kept = options(how.arguments, _FLAGS, _OPTIONS)
            once = () if how.prefix[-len(self.once) :] == self.once else self.once
            return how.again(*once, *kept, *one, *(self.by_path if one else ()), how.path(file))

        every = every_written(run, self.prefix, self.alone)
        return shown_once([how for how in every if not how.path(file).startswith("..")] or every, again)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """All sessions of one command, taken together."""

    sessions: tuple[Session, ...]
    unfinished: tuple[Session, ...]
    ids: tuple[str, ...]
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    skipped: tuple[str, ...]

    @staticmethod
    def of(run: RunContext, sessions: tuple[Session, ...]) -> _Seen:
        outcomes: dict[str, set[str]] = {}
        for session in sessions:
            for test_id in session.collected:
                outcomes.setdefault(test_id, set())
            for test_id, event in session.results.items():
                outcomes[test_id].add(event.outcome)
        for file, outcome in _plain_files(sessions):
            outcomes.setdefault(file, set()).add(outcome)
        # A test that two sessions ran has passed if one saw it passing and none saw it failing.
        failed = [i for i, said in outcomes.items() if "failed" in said]
        passed = [i for i, said in outcomes.items() if "passed" in said and "failed" not in said]
        skipped = [i for i, said in outcomes.items() if said == {"skipped"} and _is_wanted(run, i)]
        others = [i for i, said in outcomes.items() if not said]
        kept = {*failed, *passed, *skipped, *others}
        return _Seen(
            sessions=sessions,
            unfinished=tuple(s for s in sessions if (s.ran or s.files) and not s.ended),
            ids=tuple(i for i in outcomes if i in kept),
            passed=tuple(passed),
            failed=tuple(failed),
            skipped=tuple(skipped),
        )

    def running(self, session: Session) -> tuple[str, ...]:
        """Files that have a process of their own speak there."""
        own = {s.file for s in self.sessions if s.role == "child"}
        return tuple(subject for subject in session.running() if subject not in own or session.role == "child")

    @staticmethod
    def fails(session: Session, test_id: str) -> bool:
        return test_id in session.results and session.results[test_id].outcome == "failed"


def _plain_files(sessions: Iterable[Session]) -> Iterator[tuple[str, str]]:
    """To Node, a file without any test is a test itself."""
    with_tests = {s.file for s in sessions if s.role == "child" and (s.ran or s.left_out)}
    for session in sessions:
        for file, event in session.file_results.items():
            if file not in with_tests and event.outcome in {"passed", "skipped"}:
                yield file, event.outcome


def _is_wanted(run: RunContext, test_id: str) -> bool:
    """What was not chosen is skipped by the tool, and was no part of the question."""
    return run.select is None or test_id in run.select


def _crash(run: RunContext, subject: str, message: str, *, repro: str | None, test: bool, phase: Phase) -> Failure:
    return Failure(
        check=run.check,
        subject=subject,
        kind="crash",
        message=message,
        excerpt=message,
        repro=repro,
        phase=phase,
        test=test,
    )


def _never_ran(tool: str, completed: Completed) -> Evidence:
    """The tool was started, and ended before it ran a test."""
    if _NO_TESTS.search(completed.stdout.text()):
        return Evidence(problem=_NONE)
    return Evidence(problem=f"{tool} ended with exit code 0 before it ran a test" if completed.exit_code == 0 else "")


def _left_on_purpose(completed: Completed, session: Session) -> bool:
    """`after(() => process.exit())` is how a file of node:test closes what it opened: every test had its end.

    Tests that a process keeps from being reached in this way are not in the inventory, and are missed there.
    """
    over = session.results and not session.begun and all(i in session.results for i in session.collected)
    return session.role == "child" and completed.exit_code == 0 and bool(over)


def _without_report(completed: Completed) -> Evidence:
    if _NO_TESTS.search(completed.stdout.text()):
        return Evidence(problem=_NONE)
    # Nothing of ours was loaded (`env -i`, npm's own node-options): the exit code is all there is. Where the start had
    # an inventory, tests that are not seen now still count as failing.
    return Evidence()


# --- the probe ---------------------------------------------------------------------------------------------------


def prepare_probe(run: RunContext) -> Mapping[str, str]:
    """Written once for all tools; added to the user's own NODE_OPTIONS. It takes itself away where tests are run."""
    home, events = node_home(run), run.records / "javascript-events"
    preload = home / preload_name(run)
    had = run.env.get("NODE_OPTIONS")
    added = preload_option(run)
    if not preload.exists():
        home.mkdir(parents=True)
        events.mkdir(parents=True)
        told = {
            "events": str(events),
            "complaints": str(run.records / "complaints"),
            "bench": str(run.folder),
            "ignore": run.ignore,
            "select": run.select,
            "keep_going": run.keep_going,
            "added": added,
            "had": had is not None,
            "others": others(run, ("NODE_OPTIONS",)),
        }
        (home / "probe.json").write_text(json.dumps(told), encoding="utf-8")
        source = Path(__file__).with_name("javascript_probe")
        for name in _FILES:
            (home / f"{name}.cjs").write_bytes((source / f"{name}.cjs").read_bytes())
        preload.write_bytes((source / "preload.cjs").read_bytes())
    kept = keep_variables(run, ("node",), ("NODE_OPTIONS",))
    return {"NODE_OPTIONS": f"{had or ''} {added}".strip(), **kept}


def _sessions(run: RunContext) -> tuple[Session, ...]:
    return read_sessions(run.records / "javascript-events")
