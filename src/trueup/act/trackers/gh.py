"""How is the `gh` program asked, and what does it mean when it refuses?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trueup.act.command_line import which
from trueup.act.process import ToolFailed, quick
from trueup.act.trackers.base import TrackerError
from trueup.errors import TrueupError, UsageError

TIMEOUT = 120.0
LARGEST = 64_000_000
NOT_LOGGED_IN = 4
"""Its documented exit code for that."""
_QUIET = {
    "GH_PROMPT_DISABLED": "1",
    "GH_NO_UPDATE_NOTIFIER": "1",
    "GH_PAGER": "cat",
    "NO_COLOR": "1",
    "GIT_TERMINAL_PROMPT": "0",
}
_NOISY = ("GH_FORCE_TTY", "GH_DEBUG", "DEBUG", "CLICOLOR_FORCE", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
_OFFLINE = (
    *("error connecting to", "no such host", "could not resolve host", "network is unreachable", "timed out"),
    *("connection refused", "connection reset", "i/o timeout", "tls handshake", "http 502", "http 503"),
)
_REPOSITORY = ("no git remotes", "none of the git remotes", "no default remote repository", "not a git repository")


class NoSuchIssueError(UsageError):
    """GitHub says that what was asked about is not there."""


class Gh:
    """One repository, seen through `gh`, with the user's own login. Arguments are never a command line."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        program = which("gh", environ.get("PATH", ""))
        if program is None:
            raise UsageError(
                "GitHub's issues are read with the program `gh`, which is not installed",
                why="no `gh` on the PATH",
                do="Install it (https://cli.github.com) and log in: gh auth login. Without a network: a folder of"
                " markdown issues, see docs/issues.md.",
            )
        self._program = program
        self._root = root
        self._environ = {k: v for k, v in environ.items() if k not in _NOISY} | _QUIET

    def run(self, *args: str, feed: bytes = b"") -> bytes:
        """Standard output of one command."""
        try:
            return quick([self._program, *args], cwd=self._root, env=self._environ, input=feed, timeout=TIMEOUT)
        except ToolFailed as failed:
            raise _meant(failed, " ".join(args[:2])) from failed

    def json(self, *args: str) -> Any:
        answer = self.run(*args)
        try:
            return json.loads(answer[:LARGEST])
        except (ValueError, RecursionError) as error:
            raise self.unexpected(f"`gh {' '.join(args[:2])}` gave no JSON") from error

    def jsons(self, *args: str) -> list[Any]:
        """Of several pages: they come one after another, or (from newer versions) as one."""
        answer, found, place = self.run(*args)[:LARGEST].decode("utf-8", "replace").strip(), [], 0
        try:
            while place < len(answer):
                page, place = json.JSONDecoder().raw_decode(answer, place)
                found.append(page)
                place += len(answer[place:]) - len(answer[place:].lstrip())
        except (ValueError, RecursionError) as error:
            raise self.unexpected(f"`gh {' '.join(args[:1])}` gave no JSON") from error
        return found

    @staticmethod
    def unexpected(why: str) -> TrackerError:
        return TrackerError("gh answered in a way that is not understood", why=why, do="Update it: `gh --version`.")


def _meant(failed: ToolFailed, asked: str) -> TrueupError:
    why = failed.why.strip() or f"exit code {failed.returncode}"
    lowered = why.lower()
    if failed.returncode == NOT_LOGGED_IN or "gh auth login" in lowered or "http 401" in lowered:
        return TrackerError("gh is not logged in to GitHub", why=_first(why), do="Log in: gh auth login")
    if failed.returncode is None or any(word in lowered for word in _OFFLINE):
        return TrackerError(
            "GitHub cannot be reached", why=_first(why), do="Try again when the network is back; nothing was begun."
        )
    if any(word in lowered for word in _REPOSITORY):
        return UsageError(
            "gh does not know which repository this is", why=_first(why), do="Try: gh repo set-default, or gh repo view"
        )
    if "could not resolve to an issue" in lowered or "http 404" in lowered:
        return NoSuchIssueError("GitHub has no such issue", why=_first(why), do="`gh issue list` shows what there is.")
    if "http 403" in lowered or "resource not accessible" in lowered:
        return TrackerError(
            f"GitHub does not allow `gh {asked}`",
            why=_first(why),
            do="The login needs to write issues (and, for pull requests, contents and pull requests): docs/issues.md.",
        )
    return TrackerError(f"`gh {asked}` failed", why=_first(why), do="Try the same command by hand.")


def _first(why: str) -> str:
    return "\n".join(why.splitlines()[:3])[:500]
