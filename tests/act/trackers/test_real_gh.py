"""The real `gh` takes the words that we say to it: it gets as far as the network, which is not there."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from trueup.act.trackers import GitHubTracker, Issue, IssueState, TrackerError
from trueup.config.tracker import TrackerSettings

GH = shutil.which("gh")
NOWHERE = "http://127.0.0.1:9"

pytestmark = pytest.mark.skipif(GH is None, reason="the program gh is not installed")


@pytest.fixture
def real(tmp_path: Path) -> GitHubTracker:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://github.com/acme/shop"], cwd=tmp_path, check=True)
    proxies = dict.fromkeys(("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"), NOWHERE)
    environ = {**os.environ, **proxies, "NO_PROXY": "", "no_proxy": "", "GH_TOKEN": "none", "HOME": str(tmp_path)}
    return GitHubTracker(tmp_path, TrackerSettings(), environ, living=lambda _: None)


ISSUE = Issue(id="42", item="issue-42", title="A", url="https://github.com/acme/shop/issues/42")
OFFER = {"head": "trueup/issue-42", "base": "main", "title": "--web", "body": "text"}


@pytest.mark.parametrize(
    "ask",
    [
        lambda t: t.check(),
        lambda t: t.get("42"),
        lambda t: t.ready(),
        lambda t: t.holder(ISSUE),
        lambda t: t.claim(ISSUE, "00aa11"),
        lambda t: t.comment(ISSUE, "text", mark="1"),
        lambda t: t.pull_request(ISSUE, **OFFER),
        lambda t: t._gh.run("issue", "edit", "42", "--add-label=in progress", "--remove-label=ready"),
        lambda t: t._gh.run("pr", "create", "--head=b", "--base=main", "--title=--web", "--body-file=-", feed=b"x"),
        lambda t: t._gh.run(*t._api(ISSUE, "PATCH", "comments/1"), "--input=-", feed=b"{}"),
        lambda t: t._delete(ISSUE, 1),
        lambda t: t.move(ISSUE, IssueState.DONE),
    ],
)
def test_every_command_is_understood(real: Any, ask: Any) -> None:
    with pytest.raises(TrackerError, match="cannot be reached"):
        ask(real)
