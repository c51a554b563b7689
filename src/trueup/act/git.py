"""How is git called without running anybody's code but git's own?"""

from __future__ import annotations

import functools
import os
import re
import shutil
from pathlib import Path

from trueup.act.process import ToolFailed, quick
from trueup.errors import UnverifiableError

_ALWAYS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.sshCommand=false",
    "core.pager=cat",
    "credential.helper=",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.directory=*",
)
"""Given on the command line: there they win over whatever a repository's own configuration says."""

_USER = ("HOME", "XDG_CONFIG_HOME", "PATH")
_TIMEOUT = 1800.0
"""The first copy of a very large checkout takes minutes, never half an hour."""


@functools.cache
def git_program() -> str:
    """The git of the PATH at first use, which is before any agent runs."""
    found = shutil.which("git")
    if found is None:
        raise UnverifiableError("git is not installed", why="no `git` on the PATH", do="Install git 2.31 or newer.")
    return os.path.realpath(found)


@functools.cache
def git_version() -> tuple[int, ...]:
    """(2, 39, 5); () when it does not say."""
    found = re.search(rb"(\d+)\.(\d+)(?:\.(\d+))?", git("version"))
    return tuple(int(part) for part in found.groups(b"0")) if found else ()


def git(
    *args: str,
    git_dir: Path | None = None,
    work_tree: Path | None = None,
    index: Path | None = None,
    cwd: Path | None = None,
    input: bytes = b"",  # noqa: A002 - named like the parameter of every process API
    check: bool = True,
    user_config: bool = False,
) -> bytes:
    """Standard output of one git command. Raises `ToolFailed` when it fails and `check` is on.

    `user_config` also reads the user's own configuration (for their ignore file and their filters); hooks and
    file-system monitors stay off.
    """
    env = _environment(user_config=user_config)
    places = {"GIT_DIR": git_dir, "GIT_WORK_TREE": work_tree, "GIT_INDEX_FILE": index}
    env.update({name: os.fspath(path) for name, path in places.items() if path is not None})
    options = [part for setting in _ALWAYS for part in ("-c", setting)]
    argv = [git_program(), "--no-pager", "--literal-pathspecs", *options, *args]
    return quick(argv, cwd=cwd or git_dir, env=env, input=input, timeout=_TIMEOUT, check=check)


def git_line(*args: str, cwd: Path | None = None, git_dir: Path | None = None, user_config: bool = False) -> str | None:
    """The one line that a question to git answers, or None when it has no answer."""
    try:
        answer = git(*args, cwd=cwd, git_dir=git_dir, user_config=user_config)
    except ToolFailed:
        return None
    return os.fsdecode(answer.removesuffix(b"\n")) or None


def z_list(output: bytes) -> list[str]:
    """The names of a NUL-terminated listing."""
    return [os.fsdecode(name) for name in output.split(b"\0") if name]


def z_input(names: list[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\0" for name in names)


def _environment(*, user_config: bool) -> dict[str, str]:
    # Built from nothing: an inherited GIT_DIR, GIT_INDEX_FILE or GIT_CONFIG_* would redirect every call.
    env = {
        "PATH": f"{Path(git_program()).parent}{os.pathsep}{os.defpath}",
        "LC_ALL": "C",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }
    if user_config:
        return env | {name: os.environ[name] for name in _USER if name in os.environ}
    nothing = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
    return env | nothing | {"GIT_CONFIG_GLOBAL": os.devnull, "HOME": os.devnull}
