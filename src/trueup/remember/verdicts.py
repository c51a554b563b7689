"""Has exactly this tree been checked before, with the same checks in the same environment?

A cached report saves time; it is never part of a proof.
"""

from __future__ import annotations

import hashlib
import zlib

from trueup.decide.task import CheckSpec
from trueup.errors import UnverifiableError
from trueup.evidence.report import CheckStatus, Report
from trueup.remember.codec import decode_as, encode, encode_json
from trueup.remember.database import Database

KEEP = 500
VERSION = 3
"""Part of the key: raise it when an old report must not be believed any more."""


def cache_key(tree: str, checks: tuple[CheckSpec, ...], environment: str) -> str:
    specs = [[c.name, c.run, c.after, c.timeout, c.report, c.decision_file, c.decision_words] for c in checks]
    specs += [[c.builtin, c.settings] for c in checks if c.builtin]
    return hashlib.sha256(encode_json([VERSION, tree, specs, environment]).encode()).hexdigest()


def cacheable(checks: tuple[CheckSpec, ...]) -> bool:
    """`hermetic = false` on any check switches the cache off."""
    return all(check.hermetic for check in checks)


def load(db: Database, key: str) -> Report | None:
    """None when it is not known, or was written in a form that this version does not read."""
    rows = db.query("SELECT report FROM verdicts WHERE key = ?", key)
    if not rows:
        return None
    try:
        return decode_as(Report, zlib.decompress(rows[0][0]).decode())
    except (UnverifiableError, zlib.error):
        return None


def save(db: Database, key: str, report: Report) -> None:
    """Keep a verdict. A report in which something could not run is no verdict, and is not kept."""
    if not _conclusive(report):
        return
    with db.write():
        db.execute("DELETE FROM verdicts WHERE key = ?", key)
        body = zlib.compress(encode(report).encode(), level=1)
        db.execute("INSERT INTO verdicts (key, report) VALUES (?, ?)", key, body)
        db.execute(
            "DELETE FROM verdicts WHERE number <= (SELECT number FROM verdicts ORDER BY number DESC LIMIT 1 OFFSET ?)",
            KEEP,
        )


def _conclusive(report: Report) -> bool:
    unsure = {CheckStatus.ERROR, CheckStatus.TIMEOUT}
    return not report.void and not any(r.status in unsure for r in report.results)
