"""Which trackers are there? GitHub's issues, and folders of markdown files."""

from trueup.act.trackers.base import BEAT, Claim, Issue, IssueState, Living, Tracker, TrackerError
from trueup.act.trackers.folder import SUFFIX, FolderTracker
from trueup.act.trackers.github import GitHubTracker

__all__ = [
    "BEAT",
    "SUFFIX",
    "Claim",
    "FolderTracker",
    "GitHubTracker",
    "Issue",
    "IssueState",
    "Living",
    "Tracker",
    "TrackerError",
]
