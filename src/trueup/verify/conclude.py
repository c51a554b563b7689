"""What does one ended command amount to? Unknown is never a pass; a failure always has a name."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

from trueup.act.command_line import SHELL, show_command
from trueup.act.process import Completed
from trueup.evidence.failure import Failure, Phase, known_by_name
from trueup.evidence.no_tests import says_no_tests
from trueup.evidence.normalize import neutralise
from trueup.evidence.report import CheckResult, CheckStatus, SeenBy
from trueup.evidence.text import GUESSED, failures_from_text
from trueup.evidence.tools import LOOKED_INTO
from trueup.verify.runners.base import Evidence, RunContext
from trueup.verify.runners.repro_of_text import with_repro

_CANNOT_RUN = frozenset({126, 127})
_NOT_FOUND = re.compile(
    r"^(?:.*?: )?(?:line \d+: |\d+: )?(?P<name>[^\s:]+): (?:command not found|not found|No such file or directory"
    r"|Permission denied|cannot execute.*|bad interpreter.*)$",
    re.MULTILINE,
)
_MAKE_FAILED = 2
_MAKE_ERROR = re.compile(r"^\S*make(?:\[\d+\])?: \*\*\* \[[^\n]*\] Error (\d+)$", re.MULTILINE)
"""How make tells the exit code of a recipe; its own is that of any failure."""
_NOT_UNDERSTOOD = re.compile(
    rf"{re.escape(SHELL[0])}: (?:-c: )?(?:line )?\d+: "
    r"(?P<why>syntax error.*|.*bad substitution|set: (?:illegal option|invalid option|\S+: invalid option).*)",
    re.IGNORECASE,
)
_LAST_WORDS = 2
"""Lines; bash repeats the one that it could not read."""
_NO_TESTS = "no tests were collected"


def conclude(run: RunContext, completed: Completed, evidence: Evidence) -> CheckResult:
    """The first rule that applies says what the status is."""
    if completed.timed_out:
        return _timeout(run, completed, evidence)
    reason = _could_not_run(run, completed, evidence) or evidence.problem
    if reason:
        return _result(run, completed, evidence, CheckStatus.ERROR, reason=reason)
    if evidence.failures or evidence.refused:
        return _result(run, completed, evidence, CheckStatus.FAILED, failures=_seen(run, completed, evidence))
    if evidence.inventory is not None and not evidence.inventory and completed.exit_code in {0, 5}:
        return _result(run, completed, evidence, CheckStatus.ERROR, reason=_NO_TESTS)
    if completed.exit_code != 0:
        return _result(run, completed, evidence, CheckStatus.FAILED, failures=_from_text(run, completed, evidence))
    reason = _NO_TESTS if _ran_nothing(completed, evidence) else _not_really_run(evidence)
    if reason:
        return _result(run, completed, evidence, CheckStatus.ERROR, reason=reason)
    return _result(run, completed, evidence, CheckStatus.PASSED)


def _timeout(run: RunContext, completed: Completed, evidence: Evidence) -> CheckResult:
    told = f"not finished after {completed.duration:.0f} s"
    during = f", while {', '.join(evidence.running[:3])} ran" if evidence.running else ""
    seen = evidence.failures or tuple(
        f for f in _from_text(run, completed, evidence) if f.kind not in {*GUESSED, "KeyboardInterrupt"}
    )  # the last one is what our own signal does to Python
    seen += evidence.decided
    # The message stays the same however long it took: it is part of the failure's identity.
    late = Failure(
        check=run.check, subject="", kind="timeout", message="not finished in time", excerpt=told + during, test=False
    )
    return _result(run, completed, evidence, CheckStatus.TIMEOUT, failures=(*seen, late), reason=told + during)


def _seen(run: RunContext, completed: Completed, evidence: Evidence) -> tuple[Failure, ...]:
    """What a runner saw, and what the check decided. A text that nobody understands adds nothing to given reasons."""
    told = evidence.failures
    if not told and (completed.exit_code != 0 or not evidence.decided):
        told = _from_text(run, completed, evidence)
        told = tuple(f for f in told if f.kind not in GUESSED) if evidence.decided else told
    return told + evidence.decided


def _could_not_run(run: RunContext, completed: Completed, evidence: Evidence) -> str:
    """Why the tool itself did not run; "" when it did."""
    if completed.not_started:
        return f"{run.argv[0]} could not be started: {completed.not_started}"
    if evidence.inventory is not None and evidence.failures:
        return ""
    said = completed.stdout.text()
    if run.argv[: len(SHELL)] == SHELL and evidence.inventory is None and not evidence.failures and completed.exit_code:
        last = "\n".join(said.splitlines()[-_LAST_WORDS:])
        if refused := _NOT_UNDERSTOOD.search(last):
            return f"{SHELL[0]} does not understand the command: {refused['why']}"
    missing = [found["name"] for found in _NOT_FOUND.finditer(said)]
    code = 127 if completed.exit_code == _MAKE_FAILED and _make_missed(said) else completed.exit_code
    if code in _CANNOT_RUN and (missing or evidence.inventory is None) and not evidence.failures:
        return f"{missing[-1] if missing else run.argv[0]} could not be run (exit code {code})"
    if evidence.inventory is not None:
        return ""
    module = _module_of(run.argv)
    if completed.exit_code == 1 and module and re.search(rf"No module named '?{re.escape(module)}'?\s*$", said):
        return f"{run.argv[0]} has no module {module}"
    return ""


def _make_missed(said: str) -> bool:
    """Whether all that failed is a program that is not there (2: of a make inside make). Tests print what they like:
    what make itself says of a test that failed stands beside it."""
    codes = set(_MAKE_ERROR.findall(said))
    return "127" in codes and codes <= {"127", "2"}


def _module_of(argv: tuple[str, ...]) -> str:
    """`pytest` for `python3 -m pytest -q`."""
    if not PurePath(argv[0]).name.startswith(("python", "pypy")) or "-m" not in argv[:-1]:
        return ""
    return argv[argv.index("-m") + 1]


def _ran_nothing(completed: Completed, evidence: Evidence) -> bool:
    """Content, but of nothing: where the tests themselves are not seen, the tool's own count is asked."""
    unseen = not evidence.inventory and evidence.seen_by is not SeenBy.STRUCTURE
    return unseen and not completed.stdout.omitted and says_no_tests(completed.stdout.text())


def _not_really_run(evidence: Evidence) -> str:
    """Exit code 0, but tests that were collected did not come to an end."""
    if evidence.inventory is None:
        return ""
    if not evidence.passed:
        there = len(evidence.inventory)
        how = f"{len(evidence.skipped)} of {there} were skipped" if evidence.skipped else f"{there} were only collected"
        return f"no test ran: {how}"
    known = {*evidence.passed, *evidence.skipped}
    missing = [i for i in evidence.inventory if i not in known]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""  # noqa: PLR2004 - three are enough to see
        return f"exit code 0, but collected tests have no result: {', '.join(missing[:3])}{more}"
    return ""


def _from_text(run: RunContext, completed: Completed, evidence: Evidence) -> tuple[Failure, ...]:
    """A test that only its failure text names can never be seen passing: it is gone when the text is gone."""
    said = run.redact(neutralise(run.as_seen(completed.stdout.text())))  # before any cut can halve a secret
    gap = completed.stdout.gap
    code = completed.exit_code or None  # 0 explains nothing: the check itself decided that it fails
    found = failures_from_text(run.check, said, exit_code=code, sources=run.sources, gap=gap)
    named = known_by_name(found, frozenset(evidence.inventory or ()))
    if not _never_began(run, evidence):
        return named
    return tuple(f if f.subject else replace(f, phase=Phase.COLLECT) for f in named)


def _never_began(run: RunContext, evidence: Evidence) -> bool:
    """A tool that names its tests named none: whatever stopped it (settings that it cannot read) hides them all."""
    if evidence.inventory is not None or run.report:
        return not evidence.inventory
    return evidence.tool in LOOKED_INTO


def _result(
    run: RunContext,
    completed: Completed,
    evidence: Evidence,
    status: CheckStatus,
    *,
    failures: tuple[Failure, ...] = (),
    reason: str = "",
) -> CheckResult:
    return CheckResult(
        check=run.check,
        status=status,
        failures=with_repro(run, failures, evidence.tool),
        passed=evidence.passed,
        skipped=evidence.skipped,
        inventory=evidence.inventory,
        places=evidence.places,
        exit_code=completed.exit_code,
        reason=reason,
        duration=completed.duration,
        strength=evidence.strength,
        seen_by=evidence.seen_by,
        tool=evidence.tool,
        selects=evidence.selects,
        decision=evidence.decision,
        command=show_command(run.argv),
    )
