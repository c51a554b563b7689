"""What of a check's result may be kept? Texts without secrets, and ids by which a test is found again all the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256

from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult

Redact = Callable[[str], str]


def without_secrets(result: CheckResult, redact: Redact, ids: dict[str, str]) -> CheckResult:
    """The result as it may be kept. `ids` learns which id of a runner's own stands behind one that was changed."""
    renamed = _renamed(result, redact)
    ids.update({kept: id_ for id_, kept in renamed.items()})

    def all_known(those: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(renamed.get(id_, id_) for id_ in those)

    return replace(
        result,
        failures=tuple(_failure(f, renamed, redact) for f in result.failures),
        advice=tuple(_failure(f, renamed, redact) for f in result.advice),
        passed=all_known(result.passed),
        skipped=all_known(result.skipped),
        inventory=None if result.inventory is None else all_known(result.inventory),
        places=tuple(replace(p, id=renamed.get(p.id, p.id)) for p in result.places),
        reason=redact(result.reason),
    )


def _renamed(result: CheckResult, redact: Redact) -> dict[str, str]:
    """Ids that hold a secret, and what they are called without it."""
    subjects, places = (f.subject for f in result.failures), (p.id for p in result.places)
    every = {*(result.inventory or ()), *result.passed, *result.skipped, *subjects, *places}
    together = "\n".join(every)
    if redact(together) == together:  # nearly always; one look at ten thousand ids at once costs little
        return {}
    return {id_: kept for id_ in every if (kept := kept_id(id_, redact)) != id_}


def kept_id(id_: str, redact: Redact) -> str:
    """The file that holds a test stays: protection goes by it. A digest keeps apart what differs only in its secret."""
    file, colons, name = id_.partition("::")
    if not colons:
        file, name = "", id_
    kept = redact(name)
    if kept == name:
        return id_
    return f"{file}{colons}{kept}#{sha256(id_.encode('utf-8', 'surrogatepass')).hexdigest()[:4]}"


def _failure(failure: Failure, renamed: Mapping[str, str], redact: Redact) -> Failure:
    return replace(
        failure,
        subject=renamed.get(failure.subject, failure.subject),
        message=redact(failure.message),
        excerpt=redact(failure.excerpt),
        source_line=None if failure.source_line is None else redact(failure.source_line),
        repro=None if failure.repro is None else redact(failure.repro),
    )
