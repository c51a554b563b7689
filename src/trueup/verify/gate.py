"""Do the checks hold on this tree? Every check of a stage is run; a stage that fails stops the later ones."""

from __future__ import annotations

import re
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from trueup.act.bench import Bench
from trueup.act.bytecode import Filled, emptied
from trueup.act.command_line import parse_command, show_command
from trueup.act.commands import commands_behind
from trueup.act.compiling import KEEP_NOTHING, loaded_modules
from trueup.act.process import BRIEF_GRACES, Cancelled, Completed, Processes
from trueup.act.protection import is_cache_path, is_control_path
from trueup.act.source_files import SourceFiles
from trueup.decide.task import CheckSpec, stages
from trueup.errors import UnverifiableError
from trueup.evidence.failure import Sources
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.verify.compiled import compiled_for_proof
from trueup.verify.conclude import conclude
from trueup.verify.decisions import Heard, ask, with_decision
from trueup.verify.discretion import without_secrets
from trueup.verify.own_files import own_files
from trueup.verify.reading import evidence_of
from trueup.verify.request import GateRequest
from trueup.verify.runners import Evidence, RunContext, runners
from trueup.verify.runners.report_files import report_stamps, with_report
from trueup.verify.verifiers.base import Verdict
from trueup.verify.verifiers.running import Workshop, result_of, settings_of, verify_one
from trueup.verify.wording import OURS, describe, swapped, void

_DEFAULT_TIMEOUT = 60 * 60.0
_LARGEST_SCRIPT = 1_000_000
_PYTHON_TEST = re.compile(r"(?:test_.*|.*_test)\.py$")
_JAVASCRIPT_TEST = re.compile(r".*[._-](?:test|spec)\.[cm]?[jt]sx?$|test\.[cm]?[jt]sx?$|test-.*\.[cm]?[jt]s$")
_TEST_FILES = {
    "pytest": _PYTHON_TEST,
    "unittest": _PYTHON_TEST,
    **dict.fromkeys(("jest", "vitest", "mocha", "node:test"), _JAVASCRIPT_TEST),
}
"""Files that each tool can be given, out of those that an agent added."""


@dataclass(slots=True, kw_only=True)
class _Gate:
    """One pass through the checks on one bench."""

    request: GateRequest
    bench: Bench
    processes: Processes
    sources: Sources
    tell: Callable[[str], None]
    written: dict[str, str] = field(default_factory=dict)
    """File of the tree -> the check that wrote it."""
    foreign: dict[str, str] = field(default_factory=dict)
    """File that was not the tree's own -> the check that saw it."""
    created: set[str] = field(default_factory=set)
    reruns: list[tuple[CheckResult, tuple[str, ...]]] = field(default_factory=list)
    """Checks whose runner can run single files, and how."""
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """What the built-in verifiers said, by their own names."""
    files: SourceFiles | None = None
    """What they read, once for all of them."""

    def run(self) -> tuple[CheckResult, ...]:
        depth = stages(self.request.checks)
        results: dict[str, CheckResult] = {}
        stopped = ""
        for stage in sorted(set(depth.values())):
            checks = [c for c in self.request.checks if depth[c.name] == stage and self._is_wanted(c)]
            for check in checks:
                hindered = stopped and not check.builtin  # these know themselves what they need
                results[check.name] = self._skip(check, stopped) if hindered else self._check(check)
            bad = [
                c.name for c in checks if results[c.name].applies and results[c.name].status is not CheckStatus.PASSED
            ]
            if bad and not self.request.every_stage and not stopped:
                stopped = f"{', '.join(bad)} did not pass"
        self._add_extra(results)
        return tuple(results[c.name] for c in self.request.checks if c.name in results)

    def advised(self) -> tuple[CheckResult, ...]:
        """After everything that counts. They look at files alone."""
        return tuple(self._verifier(check) for check in self.request.advisers)

    def _is_wanted(self, check: CheckSpec) -> bool:
        return self.request.select is None or check.name in self.request.select

    def _skip(self, check: CheckSpec, why: str) -> CheckResult:
        command = show_command(parse_command(check.run))
        return CheckResult(check=check.name, status=CheckStatus.SKIPPED, reason=f"not run: {why}", command=command)

    # --- one check -------------------------------------------------------------------------------------------

    def _check(self, check: CheckSpec) -> CheckResult:
        if check.builtin:
            return self._verifier(check)
        argv, select = self._selected(check)
        self.tell(f"{check.name}: {show_command(argv)}")
        result, evidence = self._sealed(check.name, argv, select)
        if result.status is CheckStatus.PASSED and result.inventory is None and self.request.ignore:
            result = self._without_new_tests(check.name, argv, select)
        if evidence.rerun:
            self.reruns.append((result, evidence.rerun))
        self.tell(f"{check.name}: {describe(result)}")
        return result

    def _verifier(self, check: CheckSpec) -> CheckResult:
        """A built-in verifier on the same bench, under the same seal."""
        self.tell(check.name)
        started = time.monotonic()
        with self._watching(check.name):
            verdict = verify_one(check.builtin, self._source_files(), self._workshop(check), self.verdicts)
        self.verdicts[check.builtin] = verdict
        self._keep(verdict.files)
        duration = time.monotonic() - started
        command = show_command(parse_command(check.run))
        result = result_of(check.builtin, verdict, check=check.name, command=command, duration=duration)
        result = without_secrets(result, self.request.redact, self.request.ids)
        self.tell(f"{check.name}: {describe(result)}")
        return result

    def _keep(self, files: Mapping[str, bytes]) -> None:
        """What a verifier has to show lies beside the outputs of the other checks."""
        for name, content in files.items():
            self.request.logs.mkdir(parents=True, exist_ok=True)
            (self.request.logs / Path(name).name).write_bytes(content)

    def _source_files(self) -> SourceFiles:
        if self.files is None:
            ids = self.bench.file_ids()
            self.files = SourceFiles(self.bench.folder, tuple(sorted(ids)), ids=ids, facts=self.request.facts)
        return self.files

    def _workshop(self, check: CheckSpec) -> Workshop:
        timeout = self.request.timeouts.get(check.name) if check.timeout else None
        settings = settings_of(check.settings) | ({"timeout": timeout} if timeout else {})
        return Workshop(
            processes=self.processes,
            env=self._environment(),
            scratch=self.bench.tmp / "verifiers",
            cache=self.request.cache or self.bench.cache,
            settings={check.builtin: settings},
            network=bool(settings.get("network")),
            tell=lambda text: self.tell(f"{check.name}: {text}"),
        )

    def _without_new_tests(self, name: str, argv: tuple[str, ...], select: tuple[str, ...] | None) -> CheckResult:
        """A command that cannot be told to leave files out has run the agent's tests in the midst of the others.

        What they can do to these (patch the product, end the process) must not be why the check passes.
        """
        self.tell(f"{name}: once more, without {len(self.request.ignore)} new test files")
        for path in self.request.ignore:
            (self.bench.folder / path).unlink(missing_ok=True)
        result, _ = self._sealed(name, argv, select, hidden=self.request.ignore)
        self.bench.put_back(self.request.ignore)
        return result

    def _sealed(
        self, name: str, argv: tuple[str, ...], select: tuple[str, ...] | None, *, hidden: tuple[str, ...] = ()
    ) -> tuple[CheckResult, Evidence]:
        """Run it, and see what was written meanwhile. `hidden`: files of the tree that were taken away for it."""
        planted = self._compiled(name, argv)
        with self._watching(name, planted=planted, hidden=hidden):
            return self._run(name, argv, select=select, ignore=self.request.ignore)

    @contextmanager
    def _watching(
        self, name: str, *, planted: Callable[[], tuple[str, ...]] = tuple, hidden: tuple[str, ...] = ()
    ) -> Iterator[None]:
        """What is written to the bench meanwhile is noted, and put back."""
        with self.bench.listening() as moved:
            seal = self.bench.seal(self.request.sealed)
            yield
            written = self.bench.written_since(seal, moved())
        own = self._decision_file(name)  # in its place the check wrote, as it was told to
        written = tuple(path for path in written if path not in own)
        foreign = self.bench.unlike_tree(seal, besides=(*written, *hidden, *own))
        self.foreign.update(dict.fromkeys(foreign, name))
        for module in planted():
            self.written.setdefault(module, name)
        self.created.update(path for path in self.bench.added() if not is_cache_path(path))
        for path in (*written, *filter(self._is_planted, self.created)):
            self.written.setdefault(path, name)
        if written or foreign or own:
            self.bench.put_back((*written, *foreign, *own))

    def _decision_file(self, name: str) -> tuple[str, ...]:
        return tuple(c.decision_file for c in self.request.checks if c.name == name and c.decision_file)

    def _compiled(self, name: str, argv: tuple[str, ...]) -> Callable[[], tuple[str, ...]]:
        """Lay out what is compiled already. Ask after the check: compiled code that only an attacker writes."""
        filled = emptied(self.bench.bytecode, self.request.bytecode)
        if self.request.keeps_compiled:
            return lambda: self._replaced(name, filled)
        linked = (f for f in self.request.sealed if f.is_relative_to(self.request.checkout))
        fixed = compiled_for_proof(
            self.request.loaded.get(name, ()),
            bench=self.bench,
            behind=commands_behind((argv,), self._content),
            packages=(
                *self.request.sealed,
                *(self.bench.folder / f.relative_to(self.request.checkout) for f in linked),
            ),
            rewritten=self.request.rewritten,
            processes=self.processes,
            env=self._environment(),
        )
        root = f"{self.bench.folder}/"
        return lambda: tuple(f"compiled code of {source.removeprefix(root)}" for source in fixed.planted())

    def _replaced(self, name: str, filled: Filled) -> tuple[str, ...]:
        known = self.request.loaded.get(name, frozenset())
        self.request.loaded[name] = known | loaded_modules(self.bench.bytecode, self.bench.folder)
        return ("compiled modules of other packages",) if filled.changed() else ()

    def _is_planted(self, path: str) -> bool:
        """A new file that steers the checks themselves; those that they add already at the start are known."""
        return is_control_path(path) and path not in self.request.created

    def _selected(self, check: CheckSpec) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
        """The command, and the ids that its runner has to choose itself; None = everything is run."""
        argv = parse_command(check.run)
        ids = (self.request.select or {}).get(check.name)
        if not ids or "" in ids:
            return argv, None
        ids = tuple(self.request.ids.get(id_, id_) for id_ in ids)
        runner = next(r for r in runners() if r.recognises(argv))
        chosen = runner.select(argv, ids)
        return (argv if chosen is None else chosen), ids

    def _run(
        self,
        name: str,
        argv: tuple[str, ...],
        *,
        select: tuple[str, ...] | None,
        ignore: tuple[str, ...],
        decides: bool = True,
    ) -> tuple[CheckResult, Evidence]:
        log = self._log_file(name)
        env = self._environment()
        with self._scratch() as scratch:
            run = RunContext(
                check=name,
                argv=argv,
                folder=self.bench.folder,
                scratch=scratch,
                nonce=secrets.token_hex(6),
                checkout=self.request.checkout,
                env=env,
                sources=self.sources,
                select=select,
                ignore=ignore,
                keep_going=self.request.keep_going,
                test_limit=self.request.test_limits.get(name),
                redact=self.request.redact,
                report=next((c.report or "" for c in self.request.checks if c.name == name), ""),
                decides=decides,
                behind=commands_behind((argv,), self._content),
            )
            before = report_stamps(run)
            run.records.mkdir()
            added = {key: value for runner in runners() for key, value in runner.prepare(run).items()}
            with own_files(scratch, writable=run.records, bytecode=self.bench.bytecode) as ours:
                completed, heard = self._execute(run, {**env, **added}, log)
                if any(runner.hindered(run, completed) for runner in runners()):
                    run = replace(run, nonce="")
                    completed, heard = self._execute(run, env, log)
                if ours.touched():
                    self.written.setdefault(OURS, name)
            evidence = with_report(run, completed, evidence_of(run, completed), before)
            evidence = with_decision(run, completed, evidence, heard)
            _note(log, evidence.decision)
            result = without_secrets(conclude(run, completed, evidence), self.request.redact, self.request.ids)
            return replace(result, log=log.name), evidence

    def _content(self, path: str) -> bytes | None:
        """What a recipe or script of the bench holds; None for what nobody would have written."""
        file = self.bench.folder / path
        try:
            return file.read_bytes() if file.is_file() and file.stat().st_size <= _LARGEST_SCRIPT else None
        except OSError:
            return None

    def _execute(self, run: RunContext, env: Mapping[str, str], log: Path) -> tuple[Completed, Heard]:
        check = next(c for c in self.request.checks if c.name == run.check)
        timeout = self.request.timeouts.get(run.check) or check.timeout or _DEFAULT_TIMEOUT
        question = ask(check, self.bench.folder)
        env = {**env, **question.variables}
        completed = self.processes.run(
            run.argv, cwd=self.bench.folder, env=env, timeout=timeout, output_file=log, graces=BRIEF_GRACES
        )
        if completed.cancelled:
            raise Cancelled
        return completed, question.answer(completed)

    def _environment(self) -> dict[str, str]:
        """The bench's own folders. Its bytecode folder is empty for each tree: two versions of a file that are written
        within one second look the same to Python's cache."""
        temporary = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(self.bench.short_tmp))
        kept = {} if self.request.keeps_compiled else KEEP_NOTHING
        return {**self.request.env, **temporary, **kept, "PYTHONPYCACHEPREFIX": str(self.bench.bytecode)}

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        self.bench.tmp.mkdir(exist_ok=True)  # an earlier check may have cleaned up too well
        with tempfile.TemporaryDirectory(prefix="probe-", dir=self.bench.tmp, ignore_cleanup_errors=True) as folder:
            yield Path(folder)

    def _log_file(self, name: str) -> Path:
        stem = re.sub(r"[^\w.-]", "_", name)[:80]
        self.request.logs.mkdir(parents=True, exist_ok=True)
        number = 1
        while (path := self.request.logs / f"{stem}{f'-{number}' if number > 1 else ''}.txt").exists():
            number += 1
        return path

    # --- the agent's own new tests -------------------------------------------------------------------------

    def _add_extra(self, results: dict[str, CheckResult]) -> None:
        """After everything that counts, so that nothing they do can reach it. Each file is run by one check."""
        left = () if self.request.select is not None else self.request.ignore
        for result, prefix in self.reruns:
            form = _TEST_FILES.get(result.tool, _PYTHON_TEST)
            files = tuple(p for p in left if form.match(PurePosixPath(p).name))
            if files:
                left = tuple(p for p in left if p not in files)
                results[result.check] = replace(
                    results[result.check], extra=(self._alone(result.check, prefix, files),)
                )

    def _alone(self, name: str, prefix: tuple[str, ...], files: tuple[str, ...]) -> CheckResult:
        self.tell(f"{name}: {len(files)} new test files")
        seal = self.bench.seal(self.request.sealed)
        paths = (f"./{file}" if file.startswith("-") else file for file in files)  # no file is an option
        extra, _ = self._run(name, (*prefix, *paths), select=None, ignore=(), decides=False)
        self.bench.put_back(self.bench.written_since(seal))
        return extra


def run_checks(
    request: GateRequest,
    *,
    bench: Bench,
    tree: str,
    processes: Processes,
    sources: Sources,
    on_output: Callable[[str], None] | None = None,
) -> Report:
    """Run the checks on what the bench holds, which is `tree`. Raises `Cancelled` when a check was cancelled.

    `report.rewritten` lists every file of the tree that a check wrote; those that the request does not know
    make the report void.
    """
    if not request.checks:
        raise UnverifiableError(
            "there is no check to run", do="Give one with --check, for example --check 'pytest -q'."
        )
    started = time.monotonic()
    gate = _Gate(request=request, bench=bench, processes=processes, sources=sources, tell=on_output or (lambda _: None))
    results = gate.run()
    advisers = gate.advised()
    return Report(
        tree=tree,
        results=results,
        void=void(gate.written, request.rewritten)
        or swapped(gate.foreign)
        or ("" if results else "none of the chosen checks exists"),
        duration=time.monotonic() - started,
        rewritten=tuple(sorted(gate.written)),
        created=tuple(sorted(gate.created)),
        advisers=advisers,
    )


def _note(log: Path, decision: str) -> None:
    """What a check decided is written below what it said."""
    if decision:
        with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"\n[trueup] decision: {decision}\n")
