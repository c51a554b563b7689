"""How does `trueup run --issue` find its issue, and become an ordinary run on it?"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from trueup.act.environment import secret_values
from trueup.act.process import Processes
from trueup.act.trackers import SUFFIX, Issue, IssueState, Tracker
from trueup.cli.sitting import prepared, sit, sketch
from trueup.config import Overrides, load_config
from trueup.config.tracker import TrackerKind, TrackerSettings, tracker_settings
from trueup.decide.task import IssueText, Task
from trueup.errors import UsageError
from trueup.evidence.redact import Redactor
from trueup.perform.issue_desk import put_issues_right, tracker_of
from trueup.perform.issue_source import Source
from trueup.perform.issues import TakenError
from trueup.perform.setting import Setting, refuse_nested
from trueup.remember.leases import ItemHeldError
from trueup.report.events import Sink
from trueup.report.issue import as_words
from trueup.report.text import Redact

NEXT = "next"
_NUMBER = re.compile(r"#?[0-9]+|https?://\S+")
_SPECIAL = re.compile(r"([\\*?\[\]!# ])")
"""In a gitignore pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which issue, and where."""

    name: str
    """`next`, a number, or the stem of a file."""
    settings: TrackerSettings
    folder: str = ""
    """"" = GitHub."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """An ordinary run, but for its issue."""

    task: Task
    setting: Setting
    console: Sink
    words: str
    """What the user said besides."""
    redact: Redact


def start_on_issue(directory: Path, wishes: Overrides, environ: Mapping[str, str], *, as_json: bool) -> int:
    """The exit code of the run; 0 when there is nothing to begin."""
    refuse_nested(environ)
    _refuse_item(wishes)
    plan = bool(wishes.plan)
    task, setting, console = prepared(directory, wishes, environ, as_json=as_json, needs_agent=not plan)
    wanted = _wanted(wishes, directory, setting)
    redact = Redactor(secret_values(environ)).redact
    sitting = Sitting(task=task, setting=setting, console=console, words=wishes.task or "", redact=redact)
    with tracker_of(setting, wanted.folder, wanted.settings) as tracker:
        tracker.check()
        if not plan:
            for note in put_issues_right(setting):
                print(f"trueup: {note}", file=sys.stderr)
        issues = _candidates(tracker, wanted)
    for issue in issues:
        if plan:
            return sketch(_task(sitting, wanted, issue), setting, console)
        try:
            run, code = sit(*_about(sitting, wanted, issue), console)
        except (TakenError, ItemHeldError) as taken:
            if wanted.name != NEXT:
                raise
            print(f"trueup: {taken.what}; the next one is tried", file=sys.stderr)
            continue
        return _applied(directory, wishes, environ, run, code, as_json=as_json)
    print(f"trueup: no issue is ready in {_where(tracker, wanted)}: nothing to do", file=sys.stderr)
    return 0


def _refuse_item(wishes: Overrides) -> None:
    if wishes.item is not None:
        raise UsageError(
            "--item and --issue are both given",
            why="The issue names the work item, and so its branch.",
            do="Leave --item out.",
        )


def _applied(
    directory: Path, wishes: Overrides, environ: Mapping[str, str], run: str, code: int, *, as_json: bool
) -> int:
    if code or not wishes.apply:
        return code
    from trueup.cli.apply import apply_run

    return apply_run(directory, run, environ, partial=False, as_json=as_json)


def _where(tracker: Tracker, wanted: Wanted) -> str:
    named = "the state" if wanted.folder else "the label"
    return f"{tracker.name} ({named} {wanted.settings.ready!r})"


# --- which one ------------------------------------------------------------------------------------------------------


def _wanted(wishes: Overrides, directory: Path, setting: Setting) -> Wanted:
    settings = tracker_settings(load_config(setting.project.root).values)
    if wishes.no_pr:
        settings = replace(settings, pull_request=False)
    given = (wishes.issue or "").strip()
    if not given:
        raise UsageError("--issue says nothing", do="Give a number, a markdown file, or: --issue next")
    if given.endswith(SUFFIX) and not given.startswith(("http:", "https:")):
        # The last part may be a link to refuse, so only the folder is resolved.
        path = directory / given
        return Wanted(name=path.name.removesuffix(SUFFIX), settings=settings, folder=str(path.parent.resolve()))
    folder = setting.project.root / settings.folder
    kind = settings.kind or _kind(given, folder)
    return Wanted(name=given, settings=settings, folder=str(folder) if kind is TrackerKind.FOLDER else "")


def _kind(given: str, folder: Path) -> TrackerKind:
    """Where nothing is configured: a number is GitHub's, a name a file's, and `next` the folder's if there is one."""
    if _NUMBER.fullmatch(given):
        return TrackerKind.GITHUB
    return TrackerKind.FOLDER if given != NEXT or any(folder.glob(f"*{SUFFIX}")) else TrackerKind.GITHUB


def _candidates(tracker: Tracker, wanted: Wanted) -> list[Issue]:
    """The named one, or all that may be begun, oldest first: also those whose worker has been silent for too long."""
    if wanted.name != NEXT:
        return [tracker.get(wanted.name)]
    return sorted([*tracker.ready(), *_left_behind(tracker)], key=lambda issue: issue.created)


def _left_behind(tracker: Tracker) -> Iterator[Issue]:
    for issue in tracker.claimed():
        holder = tracker.holder(issue)
        if holder is not None and not holder.alive:
            yield issue


# --- as a task ------------------------------------------------------------------------------------------------------


def _about(sitting: Sitting, wanted: Wanted, issue: Issue) -> tuple[Task, Setting]:
    was = IssueState.READY if issue.state is IssueState.IN_PROGRESS else issue.state
    source = Source(
        id=issue.id,
        item=issue.item,
        url=issue.url,
        was=was.value,
        settings=wanted.settings,
        folder=wanted.folder,
    )
    facts = {"issue": source.as_fact()}
    return _task(sitting, wanted, issue), replace(sitting.setting, facts=facts, processes=Processes())


def _task(sitting: Sitting, wanted: Wanted, issue: Issue) -> Task:
    """What the issue says is text and nothing else: options, checks and limits come from the user alone."""
    task, redact = sitting.task, sitting.redact
    title = redact(issue.title)
    text = IssueText(id=issue.id, title=title, body=redact(issue.body), url=issue.url, words=redact(sitting.words))
    protect = (*task.protect, *_protected(sitting.setting.project.root, wanted, issue))
    return replace(task, text=text.words or as_words(title), item=issue.item, issue=text, protect=protect)


def _protected(root: Path, wanted: Wanted, issue: Issue) -> tuple[str, ...]:
    """An agent has no business in the tracker."""
    folder = Path(wanted.folder or "/")
    if not wanted.folder or not folder.is_relative_to(root):
        return ()
    inside = folder.relative_to(root).as_posix()
    return (f"/{_literal(issue.id + SUFFIX)}",) if inside == "." else (f"/{_literal(inside)}/**",)


def _literal(path: str) -> str:
    return _SPECIAL.sub(r"\\\1", path)
