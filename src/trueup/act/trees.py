"""What is in a tree, and what leads from one tree to another, in git's own words?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from trueup.errors import UnverifiableError

FILE = "100644"
EXECUTABLE = "100755"
LINK = "120000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a tree says about one path."""

    mode: str
    oid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    path: str
    kind: Literal["added", "deleted", "modified"]
    added: int | None
    """Lines; None for a binary file."""
    removed: int | None
    old: Entry | None
    new: Entry | None


def parse_tree(output: bytes) -> Iterator[tuple[str, Entry]]:
    for record in output.split(b"\0"):
        if record:
            meta, path = record.split(b"\t", 1)
            mode, _kind, oid = meta.decode().split(" ")
            yield os.fsdecode(path), Entry(mode=mode, oid=oid)


def parse_blobs(output: bytes) -> dict[str, bytes]:
    """What `cat-file --batch` printed."""
    found: dict[str, bytes] = {}
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        oid, kind, *size = output[at:end].decode().split(" ")
        if kind != "blob":
            raise UnverifiableError(f"the object {oid} is not a file", why=f"git says: {kind}")
        at = end + 1 + int(size[0])
        found[oid] = output[end + 1 : at]
        at += 1
    return found


def index_line(path: str, entry: Entry | None) -> bytes:
    mode, oid = (entry.mode, entry.oid) if entry else ("0", "0" * 40)
    return f"{mode} {oid} 0\t".encode() + os.fsencode(path) + b"\0"


def parse_diff(output: bytes) -> Iterator[Change]:
    fields = output.split(b"\0")
    raw = list(parse_changes(fields))
    counts = _parse_counts(fields[2 * len(raw) :])
    for path, old, new in raw:
        added, removed = counts.get(path, (0, 0))
        yield Change(path=path, kind=_kind(old, new), added=added, removed=removed, old=old, new=new)


def parse_changes(fields: Sequence[bytes]) -> Iterator[tuple[str, Entry | None, Entry | None]]:
    """Path, old and new entry, from the fields of `diff-tree --raw -z`; what follows them is left alone."""
    at = 0
    while at < len(fields) and fields[at].startswith(b":"):
        old_mode, new_mode, old_oid, new_oid, _status = fields[at].decode()[1:].split(" ")
        yield os.fsdecode(fields[at + 1]), _entry(old_mode, old_oid), _entry(new_mode, new_oid)
        at += 2


def changed(before: Mapping[str, Entry], changes: Iterable[tuple[str, Entry | None, Entry | None]]) -> dict[str, Entry]:
    """The entries after the changes, in git's order."""
    after = dict(before)
    for path, _old, new in changes:
        if new is None:
            del after[path]
        else:
            after[path] = new
    if after.keys() - before.keys():
        return {path: after[path] for path in sorted(after, key=os.fsencode)}
    return after


def _parse_counts(fields: Sequence[bytes]) -> dict[str, tuple[int | None, int | None]]:
    counts: dict[str, tuple[int | None, int | None]] = {}
    for record in fields:
        if record:
            added, removed, path = record.split(b"\t", 2)
            counts[os.fsdecode(path)] = (_count(added), _count(removed))
    return counts


def _count(text: bytes) -> int | None:
    return None if text == b"-" else int(text)


def _entry(mode: str, oid: str) -> Entry | None:
    return None if mode == "000000" else Entry(mode=mode, oid=oid)


def _kind(old: Entry | None, new: Entry | None) -> Literal["added", "deleted", "modified"]:
    if old is None:
        return "added"
    return "deleted" if new is None else "modified"
