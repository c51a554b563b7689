"""Can this memory have been written by trueup? It may come from another machine, or from an agent that found the file.

What is said in a prompt outside of a fence, compared, counted or looked up has to have the form that trueup gives it;
everything else is text, which is cut to size and fenced.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from trueup.decide.memory import ItemMemory, Met, RunMemory, Tried, is_mark
from trueup.decide.outcome import Status
from trueup.decide.review import ReviewVerdict
from trueup.decide.state import Class

_RUN = re.compile(r"[A-Za-z0-9]{1,32}")
_TREE = re.compile(r"[0-9a-f]{0,64}")
_BRANCH = re.compile(r"(?:trueup/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?")
_REASON = re.compile(r"[a-z_]{0,60}")
_STATUSES = frozenset({"", *Status})
_CLASSES = frozenset({"", *Class})
_MOST = 10**9
_LATEST = 10**11
"""Seconds; some thousand years from now."""


def implausible(memory: ItemMemory) -> str:
    """What trueup would not have written; "" when all of it can be so."""
    found = (flaw for run in memory.runs for flaw in _of_run(run))
    return next(found, "")


def _of_run(run: RunMemory) -> Iterator[str]:
    if not _RUN.fullmatch(run.run):
        yield f"{run.run!r:.40} is no run"
    if run.status not in _STATUSES or not _REASON.fullmatch(run.reason):
        yield f"{run.status!r:.40} ({run.reason!r:.40}) is no outcome of a run"
    if not all(map(_TREE.fullmatch, (run.base, run.head, run.checks, run.best))):
        yield "its files or checks are not told by their hashes"
    if not _BRANCH.fullmatch(run.branch):
        yield f"{run.branch!r:.40} is no branch of trueup"
    if not _is_time(run.started) or not _is_time(run.ended or 0.0):
        yield "it did not begin or end at any time that there is"
    if not (_is_count(run.attempts) and _is_count(run.entries) and _is_amount(run.usd)):
        yield "its attempts, entries or cost are no such number"
    for one in run.verdicts:
        yield from _of_verdict(one)
    for tried in run.tried:
        yield from _of_attempt(tried)
    for met in run.failures:
        yield from _of_failure(met)


def _of_verdict(one: ReviewVerdict) -> Iterator[str]:
    if not (_TREE.fullmatch(one.tree) and _is_time(one.time) and _is_count(one.round)):
        yield "a verdict has a round, a time and files that cannot be"


def _of_attempt(one: Tried) -> Iterator[str]:
    if one.kind not in _CLASSES or not all(map(_is_count, (one.attempt, one.before, one.after))):
        yield "an attempt came to something that trueup does not know"


def _of_failure(one: Met) -> Iterator[str]:
    numbers = (*one.attempts, one.fixed_by or 0)
    if not (is_mark(one.fingerprint) and all(map(_is_count, numbers))):
        yield f"{one.fingerprint!r:.40} is no fingerprint of a failure"


def _is_count(number: int) -> bool:
    return 0 <= number < _MOST


def _is_amount(usd: float | None) -> bool:
    return usd is None or (math.isfinite(usd) and 0 <= usd < _MOST)


def _is_time(seconds: float) -> bool:
    return math.isfinite(seconds) and 0 <= seconds < _LATEST
