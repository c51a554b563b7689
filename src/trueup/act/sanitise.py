"""What is left of an attempt when everything that the agent may not decide has gone back?

The raw tree stays in the store; the candidate made here is what is verified, compared and handed back. Tests,
control files and the checks' keys come from the start; what lies outside the allowed paths comes from the tree
that the attempt began with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from trueup.act.commands import follow
from trueup.act.manifests import is_manifest, restore_keys
from trueup.act.protection import Protection, is_cache_path
from trueup.act.store import Entry, Store
from trueup.act.trees import LINK
from trueup.decide.moves import PutBack, PutBackWhy

_MOST_NAMED = 50
"""How many paths are named when all of a large change goes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sanitised:
    tree: str
    put_back: tuple[PutBack, ...]


@dataclass(slots=True, kw_only=True)
class _Work:
    """The candidate while it is being made."""

    store: Store
    protection: Protection
    start: dict[str, Entry]
    origin: dict[str, Entry]
    raw: dict[str, Entry]
    now: dict[str, Entry]
    put_back: dict[str, PutBack] = field(default_factory=dict)
    firm: set[str] = field(default_factory=set)
    """Paths that came back and that nothing may stand in the way of."""

    def set(self, path: str, entry: Entry | None, why: PutBackWhy, detail: str) -> None:
        if entry is None:
            self.now.pop(path, None)
        else:
            self.now[path] = entry
            self.firm.add(path)
        self.put_back[path] = PutBack(path=path, why=why, detail=detail)


def sanitise(store: Store, *, start: str, origin: str, raw: str, protection: Protection) -> Sanitised:
    """The candidate tree of an attempt, and a note for every change that went back.

    Contract: `origin` is the start or an earlier candidate. Nothing but changes is ever touched: with
    `raw == origin` the answer is `origin` and no note.
    """
    if raw == origin:
        return Sanitised(tree=origin, put_back=())
    entries = store.entries(raw)
    work = _Work(
        store=store,
        protection=protection,
        start=store.entries(start),
        origin=store.entries(origin),
        raw=entries,
        now=dict(entries),
    )
    for path in _changed(work.start, work.origin, work.raw):
        _judge(work, path)
    _put_links_back(work)
    _clear_the_way(work)
    tree = store.edit(raw, _edits(work.raw, work.now))
    notes = tuple(_without_cache_noise(work.put_back.values()))
    return _within_budget(work, Sanitised(tree=tree, put_back=notes), origin)


def _changed(*trees: Mapping[str, Entry]) -> list[str]:
    start, origin, raw = trees
    paths = {p for other in (start, origin) for p in other.keys() | raw.keys() if other.get(p) != raw.get(p)}
    return sorted(paths)


def _judge(work: _Work, path: str) -> None:
    """Undo what one changed path may not become. The first rule that speaks decides."""
    back = work.protection.why_back(path)
    if back is None and _is_new_link(work, path):
        back = work.protection.why_link_back(path)
    if back is not None:
        _restore(work, path, work.start.get(path), *back)
    elif not work.protection.in_scope(path):
        _restore(work, path, work.origin.get(path), PutBackWhy.SCOPE, "outside the paths that may change")
    elif is_manifest(path):
        _mix_manifest(work, path)


def _is_new_link(work: _Work, path: str) -> bool:
    entry = work.raw.get(path)
    return entry is not None and entry.mode == LINK and entry != work.start.get(path)


def _restore(work: _Work, path: str, entry: Entry | None, why: PutBackWhy, detail: str) -> None:
    if work.raw.get(path) != entry:
        work.set(path, entry, why, detail)


def _edits(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> dict[str, Entry | None]:
    return {p: after.get(p) for p in before.keys() | after.keys() if before.get(p) != after.get(p)}


# --- manifests --------------------------------------------------------------------------------------


def _mix_manifest(work: _Work, path: str) -> None:
    ours, theirs = work.start.get(path), work.raw.get(path)
    if theirs is None or theirs.mode == LINK or (ours is not None and ours.mode == LINK):
        _restore(work, path, ours, PutBackWhy.CONTROL, "a manifest that was deleted, or is a link")
        return
    blobs = work.store.blobs([entry.oid for entry in (ours, theirs) if entry is not None])
    content, keys = restore_keys(path, blobs[ours.oid] if ours else None, blobs[theirs.oid])
    if not keys:
        return
    if ours is None and not content.strip():
        work.set(path, None, PutBackWhy.KEYS, ", ".join(keys))
    else:
        work.set(path, replace(theirs, oid=work.store.put(content)), PutBackWhy.KEYS, ", ".join(keys))


# --- links ------------------------------------------------------------------------------------------


def _put_links_back(work: _Work) -> None:
    """New and changed links that lead out of the project, or that make an old one lead out, go back."""
    changed = [p for p, entry in work.now.items() if entry.mode == LINK and entry != work.origin.get(p)]
    if not changed:
        return
    before, now = _targets(work.store, work.origin), _targets(work.store, work.now)
    outside = {path for path in now if follow(path, now)[0] is None}
    bent = [p for p in outside.difference(changed) if follow(p, before)[0] is not None]
    for path in changed if bent else outside.intersection(changed):
        work.set(path, work.origin.get(path), PutBackWhy.SCOPE, "a link that leads out of the project")


def _targets(store: Store, entries: Mapping[str, Entry]) -> dict[str, str]:
    links = {path: entry.oid for path, entry in entries.items() if entry.mode == LINK}
    blobs = store.blobs(links.values())
    return {path: blobs[oid].decode("utf-8", "surrogateescape") for path, oid in links.items()}


# --- folders and files in each other's place ----------------------------------------------------------


def _clear_the_way(work: _Work) -> None:
    """A folder planted where a file came back, or a file where its folder was, has to go."""
    folders = {folder for path in work.raw for folder in _above(path)}
    for path in sorted(work.firm):
        reason = work.put_back[path]
        inside = [p for p in work.now if p.startswith(f"{path}/")] if path in folders else []
        for blocker in (*(p for p in _above(path) if p in work.now), *inside):
            work.set(blocker, None, reason.why, f"in the place of {path}")


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


# --- the report ---------------------------------------------------------------------------------------


def _without_cache_noise(notes: Iterable[PutBack]) -> Iterator[PutBack]:
    """Caches appear by the hundred whenever an agent runs the tests: one note for all of them."""
    caches = []
    for note in sorted(notes, key=lambda note: note.path):
        if is_cache_path(note.path):
            caches.append(note)
        else:
            yield note
    if caches:
        more = f", and {len(caches) - 1} more" if len(caches) > 1 else ""
        yield replace(caches[0], detail=f"{caches[0].detail}{more}")


def _within_budget(work: _Work, made: Sanitised, origin: str) -> Sanitised:
    """More changed files than allowed: everything goes back."""
    most = work.protection.max_files
    changed = sorted(_edits(work.origin, work.now))
    if most is None or len(changed) <= most:
        return made
    detail = f"{len(changed)} files changed, {most} allowed"
    notes = tuple(PutBack(path=p, why=PutBackWhy.TOO_MANY, detail=detail) for p in changed[:_MOST_NAMED])
    return Sanitised(tree=origin, put_back=made.put_back + notes)
