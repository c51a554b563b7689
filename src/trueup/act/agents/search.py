"""How are small Python bugs repaired by search? The agent that needs no model, no key and no network.

The search itself (`trueup.search`) runs inside the check's own pytest session, on a copy, in a sandbox. Only the text
of changed files comes back; it is written into the workspace, and proven by the loop like anybody's work.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import trueup.search
from trueup.act.agents.base import Agent, AgentCall, AgentFunction, AgentInfo, AgentResult, Ground, shown
from trueup.act.command_line import parse_command
from trueup.act.dependencies import dependency_folders
from trueup.act.process import DEFAULT_GRACES, Cancelled, Completed, Processes
from trueup.act.protection import is_cache_path
from trueup.decide.moves import AgentStatus
from trueup.decide.task import AgentSpec
from trueup.errors import UsageError
from trueup.report.quote import DATA, fenced
from trueup.report.text import plural

CPU = 60.0
"""Seconds of processor time for one search, unless the user says otherwise."""
_PACKAGE = "_trueup_search"
_LARGEST_RESULT = 20_000_000
_LARGEST_COPY = 500_000_000
_LONGEST_EVIDENCE = 6_000
_LONGEST_LESSON = 200
_TOLD_PLACES = 5
_TOLD_PARTS = 3
_AGREE = "search_unsandboxed = true in trueup.toml lets altered versions of your program run with your rights"


def make(spec: AgentSpec, callables: Mapping[str, AgentFunction]) -> SearchAgent:  # noqa: ARG001 - as every factory
    return SearchAgent(
        name=spec.name,
        cpu=float(spec.options.get("cpu", CPU)),
        unsandboxed=spec.options.get("unsandboxed") == "true",
    )


make.usd_per_attempt = 0.0  # type: ignore[attr-defined]  # what `known_agents` asks


@dataclass(slots=True, kw_only=True)
class SearchAgent:
    name: str
    cpu: float = CPU
    unsandboxed: bool = False
    _known: dict[str, AgentResult] = field(default_factory=dict)
    """What came of a search, by the files that it began with: the same search finds the same."""

    def describe(self) -> AgentInfo:
        permissions = "tries small edits of Python code with your tests; asks no model"
        return AgentInfo(version="built in", permissions=permissions)

    def run(self, call: AgentCall, processes: Processes, on_activity: Callable[[str], None]) -> AgentResult:
        started = time.monotonic()
        if call.ground is None or not call.ground.checks:
            return _refused(AgentStatus.EXHAUSTED, "there is no check that it could search with")
        digest = _digest(call.workspace)
        if digest in self._known:
            result = replace(self._known[digest], status=AgentStatus.EXHAUSTED)
        else:
            on_activity("looking which lines the failing tests run")
            result = self._search(call, call.ground, processes, on_activity)
            if result.status in {AgentStatus.DONE, AgentStatus.EXHAUSTED}:
                self._known[digest] = result
        return replace(result, duration=time.monotonic() - started)

    def _search(
        self, call: AgentCall, ground: Ground, processes: Processes, on_activity: Callable[[str], None]
    ) -> AgentResult:
        place = call.scratch / "search"
        shutil.rmtree(place, ignore_errors=True)
        try:
            inside = ground.sealed((place,), (call.workspace,))
        except UsageError as error:
            if not self.unsandboxed:
                return _refused(AgentStatus.MISSING, f"{error.what}: {error.why}; {_AGREE}")
            inside = processes
        order = _prepare(place, call, ground, self.cpu)
        reports, last = [], None
        for check in ground.checks:
            try:
                last = _run_check(parse_command(check.run), place, order, call, ground, inside, on_activity)
            except Cancelled:
                return AgentResult(status=AgentStatus.CANCELLED)
            if last.cancelled:
                return AgentResult(status=AgentStatus.CANCELLED)
            reports += list(_reports(place / "out", order["word"]))
            if any(report["failing"] for report in reports):
                break
        shutil.rmtree(place, ignore_errors=True)
        return _result(reports, last, call, ground)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFirst:
    """Another agent with a search before its first attempt: it is asked only if nothing is found, and told why not."""

    agent: Agent
    search: SearchAgent

    @property
    def name(self) -> str:
        return self.agent.name

    def describe(self) -> AgentInfo:
        return self.agent.describe()

    def run(self, call: AgentCall, processes: Processes, on_activity: Callable[[str], None]) -> AgentResult:
        if call.attempt > 1:
            return self.agent.run(call, processes, on_activity)
        before = _digest(call.workspace)
        found = self.search.run(call, processes, on_activity)
        if found.status is AgentStatus.CANCELLED:
            return found
        if _digest(call.workspace) != before:
            return replace(found, claimed_usd=0.0)
        told = _with_evidence(call, found)
        result = self.agent.run(told, processes, on_activity)
        learned = (*found.learned, *result.learned)
        return replace(result, learned=learned, duration=result.duration + found.duration)


def _with_evidence(call: AgentCall, found: AgentResult) -> AgentCall:
    """What the search learned, as data at the end of the prompt; and the time that is left."""
    evidence = found.transcript.decode(errors="replace")[:_LONGEST_EVIDENCE]
    if not evidence:
        return call
    heading = f"# What a search by small edits learned\nNo model was involved; its guesses may be wrong. {DATA}"
    prompt = f"{call.prompt}\n{heading}\n{fenced(evidence)}\n"
    call.prompt_file.write_text(prompt, encoding="utf-8")
    return replace(call, prompt=prompt, seconds=max(call.seconds - found.duration, 1.0))


# --- before ------------------------------------------------------------------------------------------------------


def _digest(workspace: Path) -> str:
    """Of all Python files, by content."""
    found = hashlib.sha256()
    for path in sorted(_files(workspace)):
        if path.endswith(".py"):
            with suppress(OSError):
                found.update(path.encode(errors="surrogateescape") + b"\0")
                found.update(hashlib.sha256((workspace / path).read_bytes()).digest())
    return found.hexdigest()


def _files(workspace: Path) -> Iterator[str]:
    skipped = {".git", *dependency_folders(workspace)}
    for folder, folders, names in os.walk(workspace):
        inside = os.path.relpath(folder, workspace)
        at = "" if inside == "." else f"{inside}/"
        folders[:] = sorted(one for one in folders if f"{at}{one}" not in skipped and one != "__pycache__")
        yield from (f"{at}{name}" for name in sorted(names))


def _prepare(place: Path, call: AgentCall, ground: Ground, cpu: float) -> dict[str, Any]:
    """The copy, the package that searches, and what it is told."""
    copy, engine = place / "copy", place / "engine"
    for folder in (copy, place / "out", place / "home", place / "tmp", engine):
        folder.mkdir(parents=True, mode=0o700)
    paths = [path for path in _files(call.workspace) if not is_cache_path(path)]
    _copy(call.workspace, copy, paths)
    for name in dependency_folders(call.workspace):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).symlink_to(call.workspace / name)
    package = Path(trueup.search.__file__).parent
    shutil.copytree(package, engine / _PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
    order = {
        "workspace": os.path.realpath(call.workspace),
        "copy": os.path.realpath(copy),
        "out": os.path.realpath(place / "out"),
        "frozen": [path for path in paths if path.endswith(".py") and not ground.may_change(path)],
        "workers": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "cpu": cpu,
        "seconds": call.seconds * 0.8,
        "word": secrets.token_hex(8),
    }
    (engine / "order.json").write_text(json.dumps(order), encoding="utf-8")
    return order


def _copy(workspace: Path, copy: Path, paths: list[str]) -> None:
    left = _LARGEST_COPY
    for path in paths:
        target = copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):
            left -= (workspace / path).lstat().st_size
            if left > 0:
                shutil.copy2(workspace / path, target, follow_symlinks=False)


# --- meanwhile ---------------------------------------------------------------------------------------------------


def _run_check(
    argv: tuple[str, ...],
    place: Path,
    order: Mapping[str, Any],
    call: AgentCall,
    ground: Ground,
    processes: Processes,
    on_activity: Callable[[str], None],
) -> Completed:
    seconds, graces = DEFAULT_GRACES.within(call.seconds)
    heard = _Heard(order["word"], on_activity)
    return processes.run(
        argv,
        cwd=place / "copy",
        env=_environment(place, ground.check_env),
        timeout=seconds,
        graces=graces,
        on_output=heard.feed,
    )


def _environment(place: Path, given: Mapping[str, str]) -> dict[str, str]:
    engine = os.fspath(place / "engine")
    path = os.pathsep.join(part for part in (engine, given.get("PYTHONPATH")) if part)
    options = f"{given.get('PYTEST_ADDOPTS', '')} -p {_PACKAGE}.plugin --assert=plain".strip()
    temporary = {name: os.fspath(place / "tmp") for name in ("TMPDIR", "TMP", "TEMP")}
    own = {"HOME": os.fspath(place / "home"), "PYTHONPATH": path, "PYTEST_ADDOPTS": options, **temporary}
    return {**given, **own, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}


class _Heard:
    """Passes on what the search says of itself, and nothing else that is printed."""

    def __init__(self, word: str, on_activity: Callable[[str], None]) -> None:
        self._word, self._on_activity, self._partial = word.encode(), on_activity, b""

    def feed(self, chunk: bytes) -> None:
        *lines, self._partial = (self._partial + chunk).split(b"\n")
        self._partial = self._partial[:4096]
        mine = [line for line in lines if line.startswith(self._word + b" ")]
        if mine:
            self._on_activity(shown(mine[-1][len(self._word) + 1 :].decode("utf-8", "replace")))


def _reports(out: Path, word: str) -> Iterator[dict[str, Any]]:
    """Whatever else lies there: only a report of this search counts, and only as a proposal."""
    for path in sorted(out.glob("result-*.json")):
        try:
            if path.is_symlink() or path.stat().st_size > _LARGEST_RESULT:
                continue
            report = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(report, dict) and report.get("word") == word:
            yield report


# --- afterwards --------------------------------------------------------------------------------------------------


def _refused(status: AgentStatus, detail: str) -> AgentResult:
    return AgentResult(status=status, began=False, detail=detail)


def _result(reports: list[dict[str, Any]], last: Completed | None, call: AgentCall, ground: Ground) -> AgentResult:
    if not reports:
        late = last is not None and last.timed_out
        said = shown(last.stdout.text().strip()[-300:], 300) if last is not None else ""
        detail = f"a search works with pytest, and {_checks_named(ground)} did not start one"
        status = AgentStatus.TIMEOUT if late else AgentStatus.EXHAUSTED
        return AgentResult(status=status, note=detail, detail=detail, transcript=f"{detail}\n{said}\n".encode())
    report = max(reports, key=lambda one: (bool(one["plausible"]), len(one["failing"])))
    chosen = next(
        (one for one in report["plausible"] if one["sure"] and fits(one["texts"], call.workspace, ground.may_change)),
        None,
    )
    told, learned = story(report, call.workspace), lessons(report, call.workspace)
    if chosen is not None:
        for path, text in chosen["texts"].items():
            (call.workspace / path).write_bytes(text.encode())
    first = told.splitlines()[0]
    return AgentResult(
        status=AgentStatus.EXHAUSTED if chosen is None else AgentStatus.DONE,
        exit_code=0,
        note=first,
        detail="" if chosen else first,
        learned=learned,
        transcript=told.encode(),
    )


def _checks_named(ground: Ground) -> str:
    names = " and ".join(shown(check.name) for check in ground.checks[:3])
    return f"the check {names}" if len(ground.checks) == 1 else f"the checks {names}"


def fits(texts: Mapping[str, str], workspace: Path, may_change: Callable[[str], bool]) -> bool:
    """Only files of the workspace itself are written: tried programs can put any path into a report."""
    root = os.path.realpath(workspace)
    own = all(
        path.endswith(".py")
        and not path.startswith("/")
        and os.path.realpath(os.path.join(root, path)) == os.path.join(root, path)  # noqa: PTH118 - pathlib folds `..` and `//`
        for path in texts
    )
    return bool(texts) and own and all((workspace / path).is_file() and may_change(path) for path in texts)


def story(report: Mapping[str, Any], workspace: Path) -> str:
    """What the search came to, for the report and for the next agent. The first line says it all."""
    return "\n".join(_story(report, workspace))


def _story(report: Mapping[str, Any], workspace: Path) -> Iterator[str]:
    failing, plausible = len(report["failing"]), report["plausible"]
    effort = f"{report['tried']:,} edits tried in {report['cpu']:.1f} s of processor time"
    if plausible and not plausible[0]["sure"]:
        several = f"{len(plausible)} patches pass, but they do different things, and none stands out"
        yield f"{several if plausible[1:] else 'a patch passes, but it is not a likely one'}; {effort}"
    elif plausible:
        best = plausible[0]
        yield f"plausible, passes {report['tests']} tests: {best['kind']}; {effort}"
    elif not failing and report["not_collected"]:
        files = ", ".join(map(str, report["not_collected"][:5]))
        yield f"test files cannot be loaded ({files}): a search needs tests that run"
    elif not failing:
        yield "no test failed here: nothing to search for"
    else:
        why = "the budget ended it" if report["spent"] else "there was nothing left to try"
        yield f"nothing found for {plural(failing, 'failing test')}; {effort}; {why}"
    if report["suspicious"]:
        yield "Suspicious lines (1 = run by every failing test and by no passing one):"
        yield from (f"  {path}:{line}  {score:.2f}" for path, line, score in report["suspicious"])
    for number, one in enumerate(plausible):
        chosen = one["sure"] and not number
        yield f"{'The chosen patch' if chosen else 'A patch that passes, not chosen'}: {one['kind']}"
        yield from _difference(one["texts"], workspace)
    for one in report["partial"] if not plausible else ():
        yield f"Repairs only {', '.join(one['repaired'][:5])}: {one['kind']}"
        yield from _difference(one["texts"], workspace)


def lessons(report: Mapping[str, Any], workspace: Path) -> tuple[str, ...]:
    """The same in a few short lines, the most useful first."""
    return tuple(shown(line, _LONGEST_LESSON) for line in _lessons(report, workspace))


def _lessons(report: Mapping[str, Any], workspace: Path) -> Iterator[str]:
    failing, plausible = len(report["failing"]), report["plausible"]
    chosen = bool(plausible) and plausible[0]["sure"]
    if chosen:
        yield f"plausible, passes {report['tests']} tests: {_change(plausible[0]['texts'], workspace)}"
    for one in plausible[1 if chosen else 0 :]:
        yield f"passes as well, not chosen: {_change(one['texts'], workspace)}"
    for one in report["partial"][:_TOLD_PARTS] if not plausible else ():
        names = ", ".join(test.rpartition("::")[2] for test in one["repaired"][:3])
        more = f" and {len(one['repaired']) - 3} more" if len(one["repaired"]) > 3 else ""  # noqa: PLR2004 - as above
        yield f"repairs {len(one['repaired'])} of {failing} ({names}{more}): {_change(one['texts'], workspace)}"
    if report["suspicious"] and not chosen:
        rows = ", ".join(f"{path}:{line} {score:.2f}" for path, line, score in report["suspicious"][:_TOLD_PLACES])
        yield f"suspicious lines (1 = run by all failing tests and no other): {rows}"
    if report["not_collected"]:
        yield f"test files that cannot be loaded: {', '.join(map(str, report['not_collected'][:5]))}"


def _change(texts: Mapping[str, str], workspace: Path) -> str:
    """`shop.py:3: items[len(items)] → items[-1]`, line by line."""
    return "; ".join(part for path, text in sorted(texts.items()) for part in _changes(path, text, workspace))


def _changes(path: str, text: str, workspace: Path) -> Iterator[str]:
    try:
        before = (workspace / path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        return
    after = text.splitlines()
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        old, new = (" ⏎ ".join(filter(None, map(str.strip, part))) for part in (before[i:j], after[k:m]))
        if tag == "replace":
            yield f"{path}:{i + 1}: {old} → {new}"
        elif tag == "insert":
            yield f"{path}:{i + 1}: added {new}"
        elif tag == "delete":
            yield f"{path}:{i + 1}: without {old}"


def _difference(texts: Mapping[str, str], workspace: Path) -> Iterator[str]:
    for path, text in sorted(texts.items()):
        try:
            before = (workspace / path).read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            continue
        lines = difflib.unified_diff(before.splitlines(), text.splitlines(), path, path, n=1, lineterm="")
        yield from (f"  {line}" for line in lines)
