"""What is an issue, and what does a tracker have to be able to do with one?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from trueup.errors import UnverifiableError
from trueup.report.text import block, one_line

Living = Callable[[str], bool | None]
"""Whether a process works on this run right now; None when the run is not known here."""

LONGEST_TITLE = 300
LONGEST_BODY = 100_000
"""Characters of an issue that are taken in at all."""
BEAT = 10 * 60.0
"""Seconds between two signs of life of a claim."""
SILENCE = 60 * 60.0
"""After so many seconds without one, a claim from which nothing else is known keeps nobody away any more."""


class IssueState(StrEnum):
    READY = "ready"
    IN_PROGRESS = "in progress"
    STALLED = "stalled"
    DONE = "done"
    OTHER = "other"
    """None of the four, or more than one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """Title and body are whatever somebody wrote: bounded, otherwise unchecked."""

    id: str
    """As the tracker knows it: `42`, or the stem of a file. Checked, so that it can stand in a command and a path."""
    item: str
    """The work item's name, and therefore the branch's: `issue-42`, or the stem."""
    title: str
    body: str = ""
    state: IssueState = IssueState.OTHER
    created: str = ""
    """Sorts by age, oldest first, among the issues of one tracker."""
    url: str = ""
    """"" for a file."""
    closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Who works on an issue, as it is written there."""

    run: str
    alive: bool
    """False: it is certain, or silent for so long, that nobody works on it any more."""


def title_of(written: str) -> str:
    """One line, bounded, every control character made visible."""
    return one_line(written[: 4 * LONGEST_TITLE], LONGEST_TITLE)


def body_of(written: str) -> str:
    return block(written[:LONGEST_BODY]).strip()


class TrackerError(UnverifiableError):
    """The tracker did not answer, or not as it should; nothing was claimed because of this call."""


class Tracker(Protocol):
    """A place with issues.

    Contract: every call that needs somebody else (a network, a program) raises a `TrueupError` when that fails.
    `move`, `release`, `comment` and `pull_request` may be repeated: what is there already is not done twice.
    """

    @property
    def name(self) -> str:
        """`GitHub`, or the folder as the user knows it."""

    def check(self) -> None:
        """Raise, in words that help, when this tracker cannot be worked with; nothing is changed."""

    def get(self, wanted: str) -> Issue:
        """The issue as it is now. `UsageError` when there is none that can be worked on."""

    def find(self, issue: str) -> Issue | None:
        """The same for one that was there before: also a closed one; None when it is gone."""

    def ready(self) -> list[Issue]:
        """What may be begun, oldest first; [] when there is nothing."""

    def claimed(self) -> list[Issue]:
        """What is in progress, oldest first."""

    def holder(self, issue: Issue) -> Claim | None:
        """The claim that counts, a living one before one that was left behind; None when nobody claims it."""

    def claim(self, issue: Issue, run: str) -> bool:
        """Take it for this run and move it to `in progress`. False: somebody else has it, and nothing of ours stays.

        Contract: of all who claim an issue at the same time at most one gets True. A claim of the same run is renewed.
        """

    def beat(self, issue: Issue, run: str) -> None:
        """A sign of life of the claim that this run holds."""

    def release(self, issue: Issue, run: str) -> None:
        """Remove the claim of this run; the state stays."""

    def move(self, issue: Issue, state: IssueState) -> None:
        """Give it this state; OTHER takes all four away."""

    def comment(self, issue: Issue, text: str, *, mark: str) -> None:
        """Add a comment, once for each mark: letters and digits that nobody can guess."""

    def pull_request(self, issue: Issue, *, head: str, base: str, title: str, body: str) -> str:
        """Offer a branch (`name`, or `owner:name`) for merging into `base` ("" = the default one).

        Its address, or "" where there is none.
        """
