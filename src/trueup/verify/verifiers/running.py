"""What do the verifiers say about a tree? Each runs after those that it needs, has a deadline, harms only itself."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from trueup.act.process import Cancelled, Processes
from trueup.act.source_files import SourceFiles
from trueup.errors import TrueupError, UsageError
from trueup.evidence.failure import Failure
from trueup.evidence.report import BUILTIN as BUILTIN_TOOL
from trueup.evidence.report import CheckResult, CheckStatus, Report, SeenBy
from trueup.plugins import found, load_one
from trueup.verify.verifiers import BUILTIN, GROUP, NEEDS
from trueup.verify.verifiers.base import Bench, Reach, Verdict, Verifier

DEADLINES = {Reach.STATIC: 600.0, Reach.NETWORK: 300.0, Reach.STARTS: 300.0}
"""Seconds, where nobody says otherwise."""
_LOOK = 0.1
"""So often we see whether the run was cancelled while a verifier is at work."""
_LATE = 3.0
"""A verifier that minds its deadline ends what it started by then; one that does not is left behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What verifiers work with, from one tree to the next."""

    processes: Processes
    env: Mapping[str, str]
    """Without secrets."""
    scratch: Path
    """Where each of them gets a folder of its own, removed afterwards."""
    cache: Path
    """Kept between runs; code of the project never gets to write there."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By name of the verifier. Common to all: `timeout` in seconds, `off` with kinds that nobody wants to hear of."""
    network: bool = False
    tell: Callable[[str], None] = lambda _: None


# --- which there are ----------------------------------------------------------------------------------------------


@cache
def verifier(name: str) -> Verifier:
    """One of them, built-in or installed. Raises `UsageError` when it is not known or cannot be loaded."""
    made = load_one(GROUP, name, BUILTIN)
    if not callable(made):
        raise UsageError(f"the verifier {name!r} is not a class", do="Its entry point has to name one.")
    try:
        return cast("Verifier", made())
    except Exception as error:
        raise UsageError(
            f"the verifier {name!r} cannot be made",
            why=f"{type(error).__name__}: {error}",
            do="Repair or uninstall the package that brings it.",
        ) from error


def known() -> tuple[str, ...]:
    """All that are there, the built-in ones first, in their order. Nothing is loaded."""
    return (*BUILTIN, *sorted(found(GROUP).keys() - BUILTIN.keys()))


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """These and all that they need, each after what it needs. One that cannot be loaded needs nothing."""
    ordered: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise UsageError(f"verifiers wait for each other: {' → '.join((*above, name))}")
        for needed in needs(name):
            visit(needed, (*above, name))
        ordered[name] = None

    for name in names:
        visit(name, ())
    return tuple(ordered)


def needs(name: str) -> tuple[str, ...]:
    """Of our own ones it is known without loading them: an answer from memory needs none."""
    if name in NEEDS:
        return NEEDS[name]
    try:
        return tuple(verifier(name).needs)
    except UsageError:
        return ()


# --- running them -------------------------------------------------------------------------------------------------


def verify_tree(files: SourceFiles, names: Iterable[str], workshop: Workshop) -> dict[str, Verdict]:
    """The verdicts of these verifiers and of those that they need, by name, in the order in which they ran.

    Contract: raises `Cancelled`, and nothing else; a verifier that cannot be loaded, raises or is late is an `error`.
    May be called again and again: what is known about a file's content is not found out twice if the `SourceFiles`
    of the calls share their `Facts`.
    """
    verdicts: dict[str, Verdict] = {}
    for name in in_order(names):
        verdicts[name] = verify_one(name, files, workshop, verdicts)
    return verdicts


def verify_one(name: str, files: SourceFiles, workshop: Workshop, earlier: Mapping[str, Verdict]) -> Verdict:
    """One verifier, if those that it needs are among `earlier` and did not fail."""
    try:
        chosen = verifier(name)
        needed = {one: earlier.get(one) or Verdict(blocked="not run") for one in chosen.needs}
    except UsageError as error:
        return Verdict(error=f"{error.what}: {error.why}" if error.why else error.what)
    hindrance = next((one for one, verdict in needed.items() if not (verdict.passed or verdict.skipped)), None)
    if hindrance is not None:
        return Verdict(blocked=f"needs {hindrance}, which {_said(needed[hindrance])}")
    workshop.scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{name}-", dir=workshop.scratch, ignore_cleanup_errors=True) as scratch:
        bench = _bench(chosen, files, workshop, needed, Path(scratch))
        return _wanted(_in_time(chosen, bench), workshop.settings.get(name, {}))


def _bench(
    chosen: Verifier, files: SourceFiles, workshop: Workshop, needed: Mapping[str, Verdict], scratch: Path
) -> Bench:
    settings = workshop.settings.get(chosen.name, {})
    return Bench(
        files=files,
        scratch=scratch,
        cache=workshop.cache,
        processes=workshop.processes.hurried(),
        env=workshop.env,
        seconds=float(settings.get("timeout") or DEADLINES[Reach(chosen.reach)]),
        settings=settings,
        earlier=needed,
        network=workshop.network,
        tell=workshop.tell,
    )


def _in_time(chosen: Verifier, bench: Bench) -> Verdict:
    """In a thread of its own, so that neither a cancelled run nor its deadline waits for it."""
    said: list[Verdict] = []
    work = threading.Thread(target=lambda: said.append(_tried(chosen, bench)), name=chosen.name, daemon=True)
    latest = time.monotonic() + bench.seconds + _LATE
    work.start()
    while work.is_alive() and time.monotonic() < latest:
        work.join(_LOOK)
        if bench.processes.cancelled:
            raise Cancelled
    return said[0] if said else Verdict(error=f"did not finish within {bench.seconds:g} s")


def _tried(chosen: Verifier, bench: Bench) -> Verdict:
    try:
        verdict = chosen.verify(bench)
    except Cancelled:
        return Verdict(error="cancelled")
    except TrueupError as error:
        return Verdict(error=f"{error.what}: {error.why}" if error.why else error.what)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in it is its own affair, and is told
        return Verdict(error=f"crashed: {type(error).__name__}: {error}")
    if not isinstance(verdict, Verdict):
        return Verdict(error=f"answered with a {type(verdict).__name__} instead of a Verdict")
    return verdict


def _wanted(verdict: Verdict, settings: Mapping[str, Any]) -> Verdict:
    off = frozenset(settings.get("off", ()))
    if not off:
        return verdict

    def rest(failures: tuple[Failure, ...]) -> tuple[Failure, ...]:
        return tuple(failure for failure in failures if failure.kind not in off)

    return replace(verdict, failures=rest(verdict.failures), advice=rest(verdict.advice))


def _said(verdict: Verdict) -> str:
    if verdict.failures:
        return "failed"
    return "could not be run" if verdict.error else "was not run"


def settings_of(text: str) -> dict[str, Any]:
    """Of the settings of a check, which are JSON; nothing when there are none."""
    return dict(json.loads(text)) if text else {}


# --- as results of checks -----------------------------------------------------------------------------------------


def result_of(name: str, verdict: Verdict, *, check: str = "", command: str = "", duration: float = 0.0) -> CheckResult:
    """The same, as a check says it."""
    check = check or name

    def ours(failures: tuple[Failure, ...]) -> tuple[Failure, ...]:
        return tuple(replace(failure, check=check) if failure.check != check else failure for failure in failures)

    status, reason = _status(verdict)
    return CheckResult(
        check=check,
        status=status,
        failures=ours(verdict.failures) if status is CheckStatus.FAILED else (),
        advice=ours(verdict.advice),
        exit_code={CheckStatus.PASSED: 0, CheckStatus.FAILED: 1}.get(status),
        reason=reason,
        applies=not verdict.skipped,
        duration=duration,
        command=command,
        seen_by=SeenBy.STRUCTURE,
        tool=BUILTIN_TOOL,
    )


def _status(verdict: Verdict) -> tuple[CheckStatus, str]:
    if verdict.error:
        return CheckStatus.ERROR, verdict.error
    if verdict.skipped or verdict.blocked:
        return CheckStatus.SKIPPED, verdict.skipped or verdict.blocked
    return (CheckStatus.FAILED if verdict.failures else CheckStatus.PASSED), ""


def report_of(tree: str, verdicts: Mapping[str, Verdict]) -> Report:
    return Report(tree=tree, results=tuple(result_of(name, verdict) for name, verdict in verdicts.items()))
