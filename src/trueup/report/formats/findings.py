"""What is there to tell about one look at the checks, whatever the format?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from trueup.decide.comparison import Comparison, Found, Newness
from trueup.decide.moves import PutBack, PutBackWhy
from trueup.evidence.failure import Key, check_of
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.report.lines import tally
from trueup.report.quote import clip
from trueup.report.text import Redact, block, name_list, one_line, plain, plural, shorten, wording

_ORDER = (Newness.NEW, None, Newness.CHANGED, Newness.KNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """A report, what of it is new, and what decided that."""

    report: Report
    comparison: Comparison
    exit_code: int
    base: str = ""
    """The revision that it is compared with, as the user wrote it; "" without one."""
    put_back: tuple[PutBack, ...] = ()
    """Changes that were left out of the check, because the base decides about these files."""
    home: str = ""
    """The file that configures the checks: the place of a failure that has no place of its own. "" without one."""
    time: float = 0.0
    flaky: tuple[Key, ...] = ()
    """New failures that passed when they were run again."""

    @property
    def ordered(self) -> tuple[Found, ...]:
        """New failures first."""
        return tuple(sorted(self.comparison.found, key=lambda found: _ORDER.index(found.newness)))

    def of(self, check: str) -> tuple[Found, ...]:
        return tuple(found for found in self.ordered if found.failure.check == check)

    def vanished(self, check: str) -> tuple[Key, ...]:
        return tuple(key for key in self.comparison.vanished if check_of(key) == check)

    @property
    def not_run(self) -> tuple[CheckResult, ...]:
        unknown = {CheckStatus.ERROR, CheckStatus.SKIPPED}
        return tuple(r for r in self.report.results if r.status in unknown and r.applies)


@dataclass(frozen=True, slots=True)
class Voice:
    """Text from outside, neutralised first and then without secrets: colours could hide one."""

    redact: Redact

    def line(self, text: str, limit: int = 300) -> str:
        return shorten(self.redact(one_line(text, sys.maxsize)), limit)

    def name(self, text: str) -> str:
        return self.redact(plain(text))

    def block(self, text: str, limit: int) -> str:
        return clip(self.redact(block(text)).strip("\n"), limit)

    def wording(self, found: Found, limit: int = 300) -> str:
        """The failing line itself, behind the word that says whether it is new."""
        said = shorten(self.redact(wording(found.failure.kind, found.failure.message, sys.maxsize)), limit)
        return f"{found.newness}: {said}" if found.newness else said


def outcome(result: CheckResult) -> str:
    """`6 passed, 2 failed`; of a check that does not tell its tests, how it ended."""
    if result.inventory is None:
        return result.reason or (f"exit code {result.exit_code}" if result.failures else str(result.status))
    counts = ((result.passed, "passed"), ({f.key for f in result.failures}, "failed"), (result.skipped, "skipped"))
    said = ", ".join(f"{len(those)} {word}" for those, word in counts if those)
    return " · ".join(part for part in (said, result.reason) if part)


def headline(findings: Findings) -> str:
    """`2 new failures against main`, `failing · 8 tests, 2 fail`: the answer in one line."""
    if findings.report.void:
        return f"no answer · {one_line(findings.report.void)}"
    words = {0: "passed", 1: "failing"}
    if not findings.base:
        return f"{words.get(findings.exit_code, 'could not be checked')} · {tally(findings.report)}"
    words = {0: "nothing new", 1: _new(findings.comparison)}
    said = words.get(findings.exit_code, "could not be checked")
    return f"{said} against {plain(findings.base)} · {tally(findings.report)}"


def _new(comparison: Comparison) -> str:
    new, gone = len(comparison.new), len(comparison.vanished)
    failures = [plural(new, "new failure")] if new else []
    return " and ".join([*failures, *([f"{plural(gone, 'test')} gone"] if gone else [])])


def remarks(findings: Findings) -> Iterator[str]:
    """What a person should know about the comparison itself."""
    base = plain(findings.base)
    for check in findings.comparison.uncompared if base else ():
        yield (
            f"{plain(check)} could not be checked on {base}: "
            "whatever fails in it counts as new, and a test that is gone would not be noticed"
        )
    if findings.flaky:
        names = name_list(findings.flaky)
        yield f"flaky, not counted: {names} failed once and then passed, and does so on unchanged files, too"
    for item in findings.put_back:
        yield put_back_remark(item, base)


def put_back_remark(item: PutBack, base: str) -> str:
    what = plain(item.path)
    if item.why is PutBackWhy.KEYS:
        return f"{what} was checked with these settings of {base}: {plain(item.detail)}"
    return f"{what} was checked as it is in {base}: {plain(item.detail)}"
