"""Does what failed already at the start explain how a command ended now? If not, something else failed unseen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus

_ORDINARY = frozenset({1, 2})
"""Exit codes that one tool uses for the same failures, by how far it came."""


def with_unexplained_end(
    now: CheckResult, start: CheckResult | None, last_words: Callable[[], str] = str
) -> CheckResult:
    """With one failure more for the whole check, where an old failure would hide that another program failed.

    `pytest; ./policy` ends with 0 as long as `./policy` does, whatever the tests say. When it ends with 3 and nothing
    fails that did not fail before, nobody understood what `./policy` printed: its last words are the evidence.
    """
    if start is None or now.status is not CheckStatus.FAILED or start.status is not CheckStatus.FAILED:
        return now
    before, after = (Counter(f.key for f in result.failures) for result in (start, now))
    codes = {start.exit_code, now.exit_code}
    if not now.exit_code or len(codes) == 1 or after - before:
        return now
    if start.exit_code != 0 and (after != before or codes <= _ORDINARY):
        return now  # fewer failures may well end in another way
    message = f"exit code {now.exit_code}, and {start.exit_code} with the same failures before"
    excerpt = "\n".join(part for part in (message, last_words()) if part)
    unseen = Failure(check=now.check, subject="", kind="exit", message=message, excerpt=excerpt, test=False)
    return replace(now, failures=(*now.failures, unseen))
