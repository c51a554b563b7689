"""How is the outcome of a check, and why a report is void, said to people?"""

from __future__ import annotations

from collections.abc import Mapping

from trueup.evidence.report import CheckResult, CheckStatus

OURS = "trueup's own probe"
"""Programs and plug-ins that look into the check. No start is known to rewrite them: one that does has no proof."""


def void(written: Mapping[str, str], known: frozenset[str]) -> str:
    unknown = sorted(path for path in written if path not in known or path == OURS)
    if not unknown:
        return ""
    more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""  # noqa: PLR2004 - three are enough to see
    return f"written while {written[unknown[0]]} ran: {', '.join(unknown[:3])}{more}"


def swapped(foreign: Mapping[str, str]) -> str:
    if not foreign:
        return ""
    named = ", ".join(sorted(foreign)[:3]) + (f" and {len(foreign) - 3} more" if len(foreign) > 3 else "")  # noqa: PLR2004 - as above
    return f"somebody else wrote to {named} just before {foreign[min(foreign)]} ran"


def describe(result: CheckResult) -> str:
    """One short line for people."""
    if result.builtin:
        return _of_verifier(result)
    if result.inventory is None:
        return result.reason or f"{result.status}, exit code {result.exit_code}"
    failed = len({f.key for f in result.failures})
    counts = ((len(result.passed), "passed"), (failed, "failed"), (len(result.skipped), "skipped"))
    said = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f"{said} ({result.reason})" if said and result.reason else said or result.reason


def _of_verifier(result: CheckResult) -> str:
    if result.failures:
        return f"{len(result.failures)} found"
    if not result.applies:
        return f"skipped: {result.reason}"
    return (
        f"{'not run' if result.status is CheckStatus.SKIPPED else 'error'}: {result.reason}" if result.reason else "ok"
    )
