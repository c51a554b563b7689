"""How does a branch of ours get to where others can see it? As the user's own push would, without hooks or force."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trueup.act.git import git, git_line, git_program
from trueup.act.process import ToolFailed, quick

_TIMEOUT = 300.0
_REDIRECTING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE")
_NAME = re.compile(r"(?!-)[A-Za-z0-9._/-]{1,100}")
_OWNER = re.compile(r"[:/]([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?\Z")
_REFUSED = "[rejected]"
"""Somebody else's commits are there; a server's own refusal is `[remote rejected]`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    name: str
    owner: str = ""
    repository: str = ""
    """As its address says; "" where it does not look like one of a forge."""


def push_remote(root: Path, branch: str | None) -> Remote | None:
    """Where the user's own `git push` from that branch would go; None when that is not clear."""
    own = (f"branch.{branch}.pushRemote", f"branch.{branch}.remote") if branch else ("", "")
    asked = [key for key in (own[0], "remote.pushDefault", own[1]) if key]
    there = (git_line("remote", cwd=root) or "").split("\n")
    wanted = [git_line("config", "--get", key, cwd=root, user_config=True) for key in asked]
    only = there[0] if len(there) == 1 else None
    name = next((name for name in (*wanted, "origin", only) if name and name in there), None)
    if name is None or not _NAME.fullmatch(name):
        return None
    address = git_line("remote", "get-url", "--push", "--", name, cwd=root, user_config=True) or ""
    # A path of this machine names nobody.
    found = None if address.startswith(("/", ".", "file:")) else _OWNER.search(address)
    return Remote(name=name, owner=found[1], repository=found[2]) if found else Remote(name=name)


def is_published(root: Path, remote: Remote, commit: str) -> bool:
    """Whether one of the branches that were last seen there holds the commit."""
    args = ("for-each-ref", "--count=1", f"--contains={commit}", "--format=%(refname)", f"refs/remotes/{remote.name}/")
    try:
        return bool(git(*args, cwd=root).strip())
    except ToolFailed:
        return False


def is_known_there(root: Path, remote: Remote, branch: str) -> bool:
    ref = f"refs/remotes/{remote.name}/{branch}"
    return git_line("rev-parse", "--verify", "--quiet", "--end-of-options", ref, cwd=root) is not None


def push(
    root: Path, remote: Remote, branch: str, names: tuple[str, ...], environ: Mapping[str, str], *, gh: str | None
) -> str:
    """Push a branch under the first of these names that takes it; never by force. Returns the name.

    Raises `ToolFailed`. `gh` is asked for a login where the user's own configuration has none.
    """
    env = {k: v for k, v in environ.items() if k not in _REDIRECTING} | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    helper = ("-c", f"credential.helper=!{shlex.quote(gh)} auth git-credential") if gh else ()
    quiet = ("-c", f"core.hooksPath={os.devnull}", "-c", "push.gpgSign=false", *helper)
    how = ("push", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", remote.name)
    for name in names:
        refs = f"refs/heads/{branch}:refs/heads/{name}"
        try:
            quick([git_program(), *quiet, *how, refs], cwd=root, env=env, timeout=_TIMEOUT)
        except ToolFailed as failed:
            if name == names[-1] or _REFUSED not in failed.why:
                raise
            continue
        break
    return name
