"""How are GitHub's issues worked on? Through the `gh` program, with labels as states and a comment as the claim."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.act.trackers.base import SILENCE, Claim, Issue, IssueState, Living, TrackerError, body_of, title_of
from trueup.act.trackers.gh import Gh, NoSuchIssueError
from trueup.config.tracker import TrackerSettings
from trueup.errors import TrueupError, UsageError

MOST = 1000
"""Issues of one label that are looked at."""
FIELDS = "number,title,body,labels,state,createdAt,url"
FRESH = 15 * 60.0
"""Seconds from a claim to its label, at most: an older claim on an issue that is not in progress was left behind."""
_LOOKS = 5
"""So often we look for our own comment, in case an answer is older than it."""
_CLAIM = re.compile(r"<!-- trueup: claim run=([A-Za-z0-9]{4,64}) -->")
_COMMENT_ID = re.compile(r"#issuecomment-([0-9]{1,20})")
_NUMBER = re.compile(r"(?:#|https?://[A-Za-z0-9./:_-]+/issues/)?([1-9][0-9]{0,9})")
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z")
_ADDRESS = re.compile(r"https?://([A-Za-z0-9.:-]+)/([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+)/issues/[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comment:
    number: int
    """GitHub counts them up: the lower one was written first."""
    body: str
    created: float
    updated: float
    """Both by GitHub's clock."""

    @property
    def run(self) -> str:
        """The run that claims the issue with it; "" for any other comment."""
        found = _CLAIM.search(self.body)
        return found[1] if found else ""


class GitHubTracker:
    """The issues of the repository that `gh` finds from the project's folder."""

    def __init__(self, root: Path, settings: TrackerSettings, environ: Mapping[str, str], *, living: Living) -> None:
        self._gh = Gh(root, environ)
        self._living = living
        self._beats = 0
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
        issue = self._issue(self._gh.json("issue", "view", number[1], f"--json={FIELDS}"))
        if wanted.startswith("http") and wanted.casefold() != issue.url.casefold():
            raise UsageError(f"{wanted} is in another repository", why=f"Here, issue {number[1]} is {issue.url}.")
        if f"/pull/{number[1]}" in issue.url:
            raise UsageError(f"{number[1]} is a pull request", do="Name an issue.")
        if issue.closed:
            raise UsageError(f"issue {number[1]} is closed", do="Open it again, or name another one.")
        return issue

    def find(self, issue: str) -> Issue | None:
        try:
            return self._issue(self._gh.json("issue", "view", issue, f"--json={FIELDS}"))
        except NoSuchIssueError:
            return None

    def ready(self) -> list[Issue]:
        return self._with(IssueState.READY)

    def claimed(self) -> list[Issue]:
        return self._with(IssueState.IN_PROGRESS)

    def holder(self, issue: Issue) -> Claim | None:
        now = time.time()
        told = [Claim(run=c.run, alive=self._counts(c, now, issue.state)) for c in self._claims(issue)]
        return next((claim for claim in told if claim.alive), told[0] if told else None)

    def claim(self, issue: Issue, run: str) -> bool:
        """The earliest living claim wins. Who comes second takes the own comment away and leaves the labels alone."""
        mine = self._write(issue, _claim_text(run))
        try:
            won = self._is_won(issue, run, mine)
        except TrueupError:
            with suppress(TrueupError):  # what went wrong first is what is said
                self._delete(issue, mine)
            raise
        for comment in self._claims(issue) if won else ():
            if comment.number < mine:  # left behind, or an earlier one of this very run
                self._delete(issue, comment.number)
        if not won:
            self._delete(issue, mine)
        return won

    def _is_won(self, issue: Issue, run: str, mine: int) -> bool:
        if not self._is_as_chosen(issue) or not self._is_first(issue, run, mine):
            return False
        self.move(issue, IssueState.IN_PROGRESS)
        # Once more: the first look may have been answered by a server that was a little behind.
        return self._is_first(issue, run, mine)

    def beat(self, issue: Issue, run: str) -> None:
        """An edit with the same text would not count as one."""
        self._beats += 1
        for comment in self._claims(issue):
            if comment.run == run:
                body = json.dumps({"body": _claim_text(run, self._beats)}).encode()
                self._gh.run(*self._api(issue, "PATCH", f"comments/{comment.number}"), "--input=-", feed=body)

    def release(self, issue: Issue, run: str) -> None:
        for comment in self._claims(issue):
            if comment.run == run:
                self._delete(issue, comment.number)

    def move(self, issue: Issue, state: IssueState) -> None:
        told = self._gh.json("issue", "view", issue.id, f"--json={FIELDS}")
        there = {label.casefold() for label in _labels(told)}
        label = self._labels.get(state, "")
        off = [one for one in self._labels.values() if one != label and one.casefold() in there]
        on = [label] if label and label.casefold() not in there else []
        if off or on:
            changes = [*(f"--add-label={one}" for one in on), *(f"--remove-label={one}" for one in off)]
            self._gh.run("issue", "edit", issue.id, *changes)

    def comment(self, issue: Issue, text: str, *, mark: str) -> None:
        sign = f"<!-- trueup: {mark} -->"
        if not any(sign in comment.body for comment in self._comments(issue)):
            self._write(issue, f"{text}\n\n{sign}\n")

    def pull_request(self, issue: Issue, *, head: str, base: str, title: str, body: str) -> str:
        name = head.rpartition(":")[2]
        open_ = self._gh.json("pr", "list", f"--head={name}", "--state=open", "--json=url", "--limit=1")
        for row in _rows(open_):
            return _url(row.get("url"))
        into = [f"--base={base}"] if base else []
        closing = f"{body}\n\nFixes #{issue.id}\n"
        said = self._gh.run(
            "pr", "create", f"--head={head}", *into, f"--title={title}", "--body-file=-", feed=closing.encode()
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
            title=title_of(str(told.get("title") or "")) or f"issue {number}",
            body=body_of(str(told.get("body") or "")),
            state=self._state(_labels(told)),
            created=f"{told.get('createdAt', '')} {number:012}",
            url=_url(told.get("url")),
            closed=str(told.get("state", "")).upper() != "OPEN",
        )

    def _state(self, labels: list[str]) -> IssueState:
        there = {label.casefold() for label in labels}
        found = [state for state, label in self._labels.items() if label.casefold() in there]
        return found[0] if len(found) == 1 else IssueState.OTHER

    def _claims(self, issue: Issue) -> list[_Comment]:
        return [comment for comment in self._comments(issue) if comment.run]

    def _comments(self, issue: Issue) -> list[_Comment]:
        """The oldest first. `gh issue view` does not tell when a comment was edited, so GitHub itself is asked."""
        told = self._gh.jsons(*self._api(issue, "GET", f"{issue.id}/comments?per_page=100"), "--paginate")
        found = [comment for page in told for comment in _comments(page)]
        return sorted(found, key=lambda comment: comment.number)

    def _is_as_chosen(self, issue: Issue) -> bool:
        now = self._issue(self._gh.json("issue", "view", issue.id, f"--json={FIELDS}"))
        return not now.closed and now.state is issue.state

    def _is_first(self, issue: Issue, run: str, mine: int) -> bool:
        """Whether no living claim is older than ours."""
        for _ in range(_LOOKS):
            comments = self._comments(issue)
            ours = next((comment for comment in comments if comment.number == mine), None)
            if ours is not None:
                before = [c for c in comments if c.run and c.number < mine and c.run != run]
                return not any(self._counts(c, ours.updated, issue.state) for c in before)
            threading.Event().wait(1.0)
        return False

    def _counts(self, claim: _Comment, now: float, state: IssueState) -> bool:
        """Whoever wrote it: trust in authors would not be the same for all who look, and they must agree."""
        living = self._living(claim.run)
        if living is not None:
            return living
        if state is IssueState.IN_PROGRESS:
            return now - claim.updated < SILENCE
        return now - claim.created < FRESH

    # --- writing ----------------------------------------------------------------------------------------------------

    def _write(self, issue: Issue, text: str) -> int:
        said = self._gh.run("issue", "comment", issue.id, "--body-file=-", feed=text.encode("utf-8", "replace"))
        found = _COMMENT_ID.search(said.decode("utf-8", "replace"))
        if found is None:
            raise self._gh.unexpected("no address of the new comment")
        return int(found[1])

    def _delete(self, issue: Issue, comment: int) -> None:
        """One that is gone already is fine."""
        try:
            self._gh.run(*self._api(issue, "DELETE", f"comments/{comment}"), "--silent")
        except NoSuchIssueError:
            if any(one.number == comment for one in self._comments(issue)):
                raise

    def _api(self, issue: Issue, method: str, path: str) -> tuple[str, ...]:
        """In the repository that the issue itself names."""
        found = _ADDRESS.fullmatch(issue.url)
        if found is None:
            raise self._gh.unexpected(f"issue {issue.id} has no address")
        host, owner, name = found.groups()
        return ("api", f"--hostname={host}", f"--method={method}", f"repos/{owner}/{name}/issues/{path}")


def _claim_text(run: str, beats: int = 0) -> str:
    said = f"trueup works on this (run `{run}`). This comment goes away when it is done."
    return f"{said}\n\n<!-- trueup: claim run={run} -->\n" + (f"<!-- still at work: {beats} -->\n" if beats else "")


def _rows(told: Any) -> list[dict[str, Any]]:
    if not isinstance(told, list) or not all(isinstance(row, dict) for row in told):
        raise TrackerError("gh answered with something else than a list")
    return told


def _labels(told: Mapping[str, Any]) -> list[str]:
    return [str(row.get("name", "")) for row in _rows(told.get("labels") or [])]


def _comments(told: Any) -> Iterator[_Comment]:
    for row in _rows(told):
        number = row.get("id")
        if isinstance(number, int) and not isinstance(number, bool):
            created = _seconds(str(row.get("created_at", "")))
            updated = max(_seconds(str(row.get("updated_at", ""))), created)
            yield _Comment(number=number, body=str(row.get("body") or ""), created=created, updated=updated)


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
