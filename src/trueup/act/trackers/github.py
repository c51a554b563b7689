"""How are GitHub's issues worked on? Through the `gh` program, with labels as states and a comment as the claim."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.act.trackers.base import LONGEST_BODY, LONGEST_TITLE, Claim, Issue, IssueState, Living, TrackerError
from trueup.act.trackers.gh import Gh
from trueup.config.tracker import TrackerSettings
from trueup.errors import UsageError

MOST = 1000
"""Issues of one label that are looked at."""
FIELDS = "number,title,body,labels,state,createdAt,url"
TRUSTED = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
"""Anybody can comment on a public issue; only those who may change labels can claim one."""
FRESH = 15 * 60
"""Seconds from a claim to its label: an older claim on an issue that is not in progress was left behind."""
_LOOKS = 5
"""So often we look for our own comment, in case an answer is older than it."""
_CLAIM = re.compile(r"<!-- trueup: claim run=([A-Za-z0-9]{4,64}) -->")
_COMMENT_ID = re.compile(r"#issuecomment-([0-9]{1,20})")
_NUMBER = re.compile(r"#?([1-9][0-9]{0,9})")
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comment:
    number: int
    """GitHub counts them up: the lower one was written first."""
    body: str
    trusted: bool
    seconds: float
    """By GitHub's clock."""

    @property
    def run(self) -> str:
        """The run that claims the issue with it; "" for any other comment."""
        found = _CLAIM.search(self.body) if self.trusted else None
        return found[1] if found else ""


class GitHubTracker:
    """The issues of the repository that `gh` finds from the project's folder."""

    def __init__(self, root: Path, settings: TrackerSettings, environ: Mapping[str, str], *, living: Living) -> None:
        self._gh = Gh(root, environ)
        self._living = living
        self._labels: Mapping[IssueState, str] = {
            IssueState.READY: settings.ready,
            IssueState.IN_PROGRESS: settings.in_progress,
            IssueState.STALLED: settings.stalled,
            IssueState.DONE: settings.done,
        }

    @property
    def name(self) -> str:
        return "GitHub"

    def check(self) -> None:
        """Labels are never made here: which a repository has is up to its people."""
        told = self._gh.json("label", "list", "--json=name", f"--limit={MOST}")
        there = {str(row.get("name", "")).casefold() for row in _rows(told)}
        missing = [label for label in self._labels.values() if label.casefold() not in there]
        if missing:
            make = "; ".join(f'gh label create "{label}"' for label in missing)
            raise UsageError(
                f"the repository has no label {', '.join(map(repr, missing))}",
                why="Labels say which issues are ready, in progress, stalled or done.",
                do=f"Make them ({make}), or name yours under [tracker] in trueup.toml.",
            )

    def get(self, wanted: str) -> Issue:
        number = _NUMBER.fullmatch(wanted)
        if number is None:
            raise UsageError(f"{wanted!r} is not the number of an issue", do="For example: --issue 42")
        told = self._gh.json("issue", "view", number[1], f"--json={FIELDS}")
        issue = self._issue(told)
        if f"/pull/{number[1]}" in issue.url:
            raise UsageError(f"{number[1]} is a pull request", do="Name an issue.")
        if str(told.get("state", "")).upper() != "OPEN":
            raise UsageError(f"issue {number[1]} is closed", do="Open it again, or name another one.")
        return issue

    def ready(self) -> list[Issue]:
        return self._with(IssueState.READY)

    def claimed(self) -> list[Issue]:
        return self._with(IssueState.IN_PROGRESS)

    def listing(self) -> list[Issue]:
        found = [issue for state in self._labels for issue in self._with(state)]
        return sorted(found, key=lambda issue: issue.created)

    def holder(self, issue: Issue) -> Claim | None:
        for comment in self._claims(issue):
            living = self._living(comment.run)
            return Claim(run=comment.run, alive=living is not False, ours=living is False)
        return None

    def claim(self, issue: Issue, run: str) -> bool:
        """The earliest living claim wins. Who comes second takes the own comment away and leaves the labels alone."""
        mine = self._write(issue, _claim_text(run))
        won = False
        try:
            won = self._is_first(issue, run, mine, issue.state)
            if won:
                self.move(issue, IssueState.IN_PROGRESS)
                # Once more: the first look may have been answered by a server that was a little behind.
                won = self._is_first(issue, run, mine, IssueState.IN_PROGRESS)
            if won:
                self._delete_claims(issue, besides=mine)
        finally:
            if not won:
                self._delete(mine)
        return won

    def release(self, issue: Issue, run: str) -> None:
        for comment in self._claims(issue):
            if comment.run == run:
                self._delete(comment.number)

    def move(self, issue: Issue, state: IssueState) -> None:
        told = self._gh.json("issue", "view", issue.id, f"--json={FIELDS}")
        there = {label.casefold() for label in _labels(told)}
        label = self._labels.get(state, "")
        off = [one for one in self._labels.values() if one != label and one.casefold() in there]
        on = [label] if label and label.casefold() not in there else []
        if off or on:
            changes = [*(f"--add-label={one}" for one in on), *(f"--remove-label={one}" for one in off)]
            self._gh.run("issue", "edit", issue.id, *changes)

    def comment(self, issue: Issue, text: str, *, run: str) -> None:
        mark = f"<!-- trueup: run {run} -->"
        if not any(mark in comment.body for comment in self._comments(issue) if comment.trusted):
            self._write(issue, f"{text}\n\n{mark}\n")

    def pull_request(self, issue: Issue, *, branch: str, base: str, title: str, body: str) -> str:
        open_ = self._gh.json("pr", "list", f"--head={branch}", "--state=open", "--json=url", "--limit=1")
        for row in _rows(open_):
            return _url(row.get("url"))
        into = [f"--base={base}"] if base else []
        closing = f"{body}\n\nFixes #{issue.id}\n"
        said = self._gh.run(
            "pr", "create", f"--head={branch}", *into, f"--title={title}", "--body-file=-", feed=closing.encode()
        )
        return _url(said.decode("utf-8", "replace").strip().rpartition("\n")[2])

    # --- reading ----------------------------------------------------------------------------------------------------

    def _with(self, state: IssueState) -> list[Issue]:
        asked = (f"--label={self._labels[state]}", "--state=open", f"--json={FIELDS}", f"--limit={MOST}")
        found = [self._issue(row) for row in _rows(self._gh.json("issue", "list", *asked))]
        return sorted((issue for issue in found if issue.state is state), key=lambda issue: issue.created)

    def _issue(self, told: Any) -> Issue:
        number = told.get("number") if isinstance(told, dict) else None
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise self._gh.unexpected("an issue without a number")
        return Issue(
            id=str(number),
            item=f"issue-{number}",
            title=" ".join(str(told.get("title") or "").split())[:LONGEST_TITLE] or f"issue {number}",
            body=str(told.get("body") or "").replace("\r\n", "\n").strip()[:LONGEST_BODY],
            state=self._state(_labels(told)),
            created=f"{told.get('createdAt', '')} {number:012}",
            url=_url(told.get("url")),
        )

    def _state(self, labels: list[str]) -> IssueState:
        there = {label.casefold() for label in labels}
        found = [state for state, label in self._labels.items() if label.casefold() in there]
        return found[0] if len(found) == 1 else IssueState.OTHER

    def _claims(self, issue: Issue) -> list[_Comment]:
        return [comment for comment in self._comments(issue) if comment.run]

    def _comments(self, issue: Issue) -> list[_Comment]:
        told = self._gh.json("issue", "view", issue.id, "--json=comments")
        return sorted(_comments(told), key=lambda comment: comment.number)

    def _is_first(self, issue: Issue, run: str, mine: int, expected: IssueState) -> bool:
        """Whether the issue is as it was when it was chosen, and no living claim is older than ours."""
        for _ in range(_LOOKS):
            told = self._gh.json("issue", "view", issue.id, f"--json={FIELDS},comments")
            comments = sorted(_comments(told), key=lambda comment: comment.number)
            ours = next((comment for comment in comments if comment.number == mine), None)
            if ours is not None:
                is_open = str(told.get("state", "")).upper() == "OPEN"
                state = self._state(_labels(told))
                before = [c for c in comments if c.run and c.number < mine and c.run != run]
                taken = any(self._counts(c, ours, state) for c in before)
                return is_open and state is expected and not taken
            threading.Event().wait(1.0)
        return False

    def _counts(self, claim: _Comment, ours: _Comment, state: IssueState) -> bool:
        living = self._living(claim.run)
        if living is not None:
            return living
        # Somebody else's. One that was left behind blocks nobody once a person has moved the issue.
        return state is IssueState.IN_PROGRESS or ours.seconds - claim.seconds < FRESH

    # --- writing ----------------------------------------------------------------------------------------------------

    def _write(self, issue: Issue, text: str) -> int:
        said = self._gh.run("issue", "comment", issue.id, "--body-file=-", feed=text.encode("utf-8", "replace"))
        found = _COMMENT_ID.search(said.decode("utf-8", "replace"))
        if found is None:
            raise self._gh.unexpected("no address of the new comment")
        return int(found[1])

    def _delete(self, comment: int) -> None:
        self._gh.run("api", "--method=DELETE", f"repos/{{owner}}/{{repo}}/issues/comments/{comment}", "--silent")

    def _delete_claims(self, issue: Issue, *, besides: int) -> None:
        """What dead runs of this project left, and what was left behind before a person moved the issue."""
        for comment in self._claims(issue):
            if comment.number < besides:
                self._delete(comment.number)


def _claim_text(run: str) -> str:
    said = f"trueup works on this (run `{run}`). This comment goes away when it is done."
    return f"{said}\n\n<!-- trueup: claim run={run} -->\n"


def _rows(told: Any) -> list[dict[str, Any]]:
    if not isinstance(told, list) or not all(isinstance(row, dict) for row in told):
        raise TrackerError("gh answered with something else than a list")
    return told


def _labels(told: Mapping[str, Any]) -> list[str]:
    return [str(row.get("name", "")) for row in _rows(told.get("labels") or [])]


def _comments(told: Any) -> Iterator[_Comment]:
    for row in _rows(told.get("comments") or []) if isinstance(told, dict) else ():
        number = _COMMENT_ID.search(str(row.get("url", "")))
        if number is not None:
            yield _Comment(
                number=int(number[1]),
                body=str(row.get("body") or ""),
                trusted=row.get("viewerDidAuthor") is True or row.get("authorAssociation") in TRUSTED,
                seconds=_seconds(str(row.get("createdAt", ""))),
            )


def _seconds(stamp: str) -> float:
    import datetime as dt

    found = _TIME.fullmatch(stamp)
    try:
        return dt.datetime(*map(int, found.groups()), tzinfo=dt.UTC).timestamp() if found else 0.0  # type: ignore[misc,arg-type]
    except ValueError:
        return 0.0


def _url(told: Any) -> str:
    """Only what can be shown and stored as it is."""
    text = str(told or "")
    return text if re.fullmatch(r"https?://[A-Za-z0-9._~:/#%-]{1,300}", text) else ""
