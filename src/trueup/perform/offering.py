"""When is a result offered as a pull request? Proven, and begun from a commit that others have; never otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trueup.act.command_line import which
from trueup.act.process import ToolFailed
from trueup.act.project import Project, revision_tree
from trueup.act.publish import Remote, is_known_there, is_published, push, push_remote
from trueup.act.store import Store
from trueup.act.trackers import SUFFIX, Issue, Tracker
from trueup.decide.outcome import Status
from trueup.errors import TrueupError
from trueup.report.events import ChangedFile
from trueup.report.issue import Told, as_words, pull_request_body
from trueup.report.text import one_line, path_list


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    url: str = ""
    why_not: str = ""
    """Half a sentence; "" when the offer was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What may be offered, and all that decides about it."""

    told: Told
    title: str
    project: Project
    """With the commit and the branch that the run began from."""
    store: Store
    start: str
    environ: Mapping[str, str]
    wanted: bool = True
    folder: str = ""
    """Of a tracker that is a folder: nobody has to be asked, nothing is pushed."""


def offer(tracker: Tracker, issue: Issue, result: Result) -> Offer:
    """Contract: may be repeated. What cannot be offered stays a branch, and the reason is told."""
    why_not = _refusal(result)
    if why_not:
        return Offer(why_not=why_not)
    if result.folder:
        _ask(tracker, issue, result, head=result.told.branch, base=result.project.branch or "")
        return Offer()
    remote = push_remote(result.project.root, result.project.branch)
    if remote is None:
        return Offer(why_not="it is not clear which remote to push to")
    if not is_published(result.project.root, remote, result.project.head or ""):
        return Offer(why_not=f"the run began from a commit that is not at {remote.name}")
    return _pushed_and_asked(tracker, issue, result, remote)


def _refusal(result: Result) -> str:
    told = result.told
    if told.outcome.status is not Status.PASSED:
        return "nothing is proven"
    if not result.wanted:
        return "none was wanted"
    if not told.branch or result.project.head is None:
        return "there is no branch"
    loose = _uncommitted(result)
    return f"the run began from files that are in no commit ({path_list(loose)})" if loose else ""


def _uncommitted(result: Result) -> list[str]:
    """Where the start differs from the commit. The issues' own folder does not count: no run can change it."""
    committed = revision_tree(result.project, result.store, result.project.head or "")
    changes = [change.path for change in result.store.diff(committed, result.start)]
    return [path for path in changes if not _is_an_issue(result, path)]


def _is_an_issue(result: Result, path: str) -> bool:
    file = result.project.root / path
    return bool(result.folder) and file.parent == Path(result.folder) and file.suffix == SUFFIX


def _pushed_and_asked(tracker: Tracker, issue: Issue, result: Result, remote: Remote) -> Offer:
    root, branch = result.project.root, result.told.branch
    names = (branch, f"{branch}-{result.told.run}")  # another machine's result may have the first one already
    gh = which("gh", result.environ.get("PATH", ""))
    try:
        name = push(root, remote, branch, names, result.environ, gh=gh)
    except ToolFailed as failed:
        return Offer(why_not=_because(result, "the push failed", failed))
    base = result.project.branch or ""
    try:
        url = _ask(
            tracker,
            issue,
            result,
            head=_head(remote, issue, name),
            base=base if base and is_known_there(root, remote, base) else "",
        )
    except TrueupError as error:
        return Offer(why_not=_because(result, f"it was refused (the branch is pushed as {name})", error))
    return Offer(url=url)


def _because(result: Result, what: str, error: TrueupError) -> str:
    why = " ".join(line for line in error.why.splitlines() if not line.startswith("hint:"))
    return result.told.redact(one_line(f"{what}: {why or error.what}", 300))


def _ask(tracker: Tracker, issue: Issue, result: Result, *, head: str, base: str) -> str:
    told = result.told
    changes = result.store.diff(result.start, told.outcome.tree)
    notes = {"added": "new", "deleted": "deleted"}
    changed = [ChangedFile(path=c.path, added=c.added, removed=c.removed, note=notes.get(c.kind, "")) for c in changes]
    return tracker.pull_request(
        issue,
        head=head,
        base=base,
        title=told.redact(as_words(result.title)),
        body=pull_request_body(told, changed),
    )


def _head(remote: Remote, issue: Issue, branch: str) -> str:
    """`owner:branch` when the push went to a fork."""
    there = f"/{remote.owner}/{remote.repository}/issues/".casefold()
    return f"{remote.owner}:{branch}" if remote.owner and there not in issue.url.casefold() else branch
