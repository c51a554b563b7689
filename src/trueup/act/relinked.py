"""Was a file written, or did an installer only make one more link to it?

uv and others share the files of a package between environments by hard links. Each further link moves the ctime of the
file in all of them, as a write does. For a file of an installed package the difference can be told: its package's list
(RECORD) names the digest of what it has to hold.
"""

from __future__ import annotations

import csv
import hashlib
import os
import stat
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterator, Mapping

from trueup.act.stamps import CLOCK_STEP

Looks = tuple[int, ...]
"""Begins with size, mtime and ctime."""
CTIME = 2
_OF_A_LINK = 6
"""A link's looks have more: those of what it leads to."""
_LIST = ".dist-info/RECORD"
_ALGORITHM = "sha256="
_PIECE = 1 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def only_linked(folder: str, before: Mapping[str, Looks], now: Mapping[str, Looks], *, until: int) -> frozenset[str]:
    """Names of files whose ctime alone has moved, and which hold what their package was published with.

    Contract: such a file held just that at any time from `until` (nanoseconds) on: a later write, put back or not,
    would have moved its ctime again. Lists that are not as they were are not asked.
    """
    moved = {name for name, looks in now.items() if _is_moved(before.get(name), looks) and looks[CTIME] < until}
    if not moved:
        return frozenset()
    lists = [name for name, looks in now.items() if name.endswith(_LIST) and before.get(name) == looks]
    told: dict[str, set[str]] = {}
    for name, digest in (pair for one in lists for pair in _digests(folder, one, moved)):
        told.setdefault(name, set()).add(digest)
    return frozenset(name for name, digests in told.items() if digests == {_digest(f"{folder}/{name}", now[name])})


def as_at_start(listing: Mapping[str, Looks], at: int, digest: str, without_times: str) -> dict[str, Looks] | None:
    """The listing of the start, from what was noted then (`digest_of`, `timeless`); None when it cannot be told.

    Where only ctimes differ, those that are younger than the start become 0, which no file has.
    """
    if digest == digest_of(listing):
        return dict(listing)
    if not without_times or without_times != timeless(listing):
        return None
    old = at - CLOCK_STEP
    return {name: looks if looks[CTIME : CTIME + 1] < (old,) else _timeless(looks) for name, looks in listing.items()}


def digest_of(listing: Mapping[str, Looks]) -> str:
    return hashlib.sha256(repr(sorted(listing.items())).encode("utf-8", "surrogateescape")).hexdigest()


def timeless(listing: Mapping[str, Looks]) -> str:
    """The same without the files' own ctimes."""
    return digest_of({name: _timeless(looks) for name, looks in listing.items()})


def _timeless(looks: Looks) -> Looks:
    return (*looks[:CTIME], 0, *looks[CTIME + 1 :]) if len(looks) > CTIME else looks


def _is_moved(before: Looks | None, now: Looks) -> bool:
    if before is None or before == now or not CTIME < len(now) < _OF_A_LINK:
        return False
    return _timeless(before) == _timeless(now)


def _digests(folder: str, record: str, wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    """What the list says about these files, by their names in the folder."""
    site = record.rpartition("/")[0].rpartition("/")[0]
    try:
        with open(f"{folder}/{record}", encoding="utf-8", newline="") as file:  # noqa: PTH123 - text, as in listings
            rows = list(csv.reader(file))
    except (OSError, ValueError, csv.Error):
        return
    for row in rows:
        name = f"{site}/{row[0]}".lstrip("/") if row else ""
        if name in wanted and len(row) > 1 and row[1].startswith(_ALGORITHM):
            yield name, row[1].removeprefix(_ALGORITHM)


def _digest(path: str, looks: Looks) -> str | None:
    """Of the content that the file had when it looked like this; None when it does no longer."""
    try:
        handle = os.open(path, _READ)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        seen = os.fstat(handle)
        if not stat.S_ISREG(seen.st_mode) or (seen.st_size, seen.st_ctime_ns) != (looks[0], looks[CTIME]):
            return None
        sha = hashlib.sha256()
        while piece := file.read(_PIECE):
            sha.update(piece)
        return urlsafe_b64encode(sha.digest()).decode().rstrip("=")
