"""What may a sandboxed command see and reach? Made once per sitting, from facts that no agent can alter.

Around each command there is bubblewrap: the file system is read-only, home folders, the checkout and trueup's own
state are empty, and of them only what the command needs is put back. Nothing is weakened in silence: where
bubblewrap cannot do its work, there is no sandbox, and a run that asks for one is refused.
"""

from __future__ import annotations

import os
import pwd
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from trueup.act.command_line import which
from trueup.act.git import git_line
from trueup.act.process import Completed, ToolFailed, quick
from trueup.act.programs import is_below, needed_places
from trueup.act.project import Project
from trueup.errors import UsageError

_STATUS_FD = "9"
_WITH_STATUS = ("/bin/sh", "-c", f'exec "$@" {_STATUS_FD}>"$0"')
"""Only bubblewrap holds this descriptor, so what it writes there cannot be forged from inside."""
_STARTED = re.compile(rb'"exit-code"')
_NAMESPACES = (
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--new-session",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
)
_NO_NETWORK = "--unshare-net"
_SYSTEM = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
_PRIVATE = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - to be replaced by private ones
_OUTSIDE = re.compile(
    r"SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|GNOME_KEYRING_\w+|DISPLAY|WAYLAND_\w+|XAUTHORITY|ICEAUTHORITY"
    r"|SESSION_MANAGER|DBUS_\w+|XDG_RUNTIME_DIR|DOCKER_HOST|CONTAINER_HOST|PULSE_SERVER|NOTIFY_SOCKET|TMUX|TMUX_PANE|STY"
    r"|VSCODE_\w*IPC\w*|VSCODE_GIT_\w+|KRB5CCNAME|CREDENTIALS_DIRECTORY"
)
"""Ways to servers of the user's session, which act with the user's rights."""
_TOOL_CACHES = (".cache", ".vite", ".vitest")
"""In `node_modules`: tools insist on writing there."""
_TRY_SECONDS = 20.0


class View(Enum):
    """How a folder looks from inside."""

    HIDDEN = auto()
    """Empty, and read-only, so that nobody believes to have written there."""
    PRIVATE = auto()
    """Empty, writable, gone afterwards."""
    READABLE = auto()
    WRITABLE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What one kind of command needs."""

    writable: tuple[Path, ...]
    readable: tuple[Path, ...] = ()
    """Also inside what is writable."""
    network: bool = False
    agent: bool = False
    """It gets the folders that the user shares with the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubblewrap:
    program: str
    options: tuple[str, ...]
    """Namespaces and rights, as far as they work here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    bubblewrap: Bubblewrap
    homes: tuple[str, ...]
    hidden: tuple[str, ...]
    """The checkout, its repository, trueup's state: whatever the homes show, these stay hidden."""
    needed: tuple[str, ...]
    """Parts of the homes without which programs do not run, and what the user lets all commands read."""
    parts: tuple[str, ...]
    """Parts of the checkout and its repository that are read: installed packages, git objects."""
    shared: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    """Hidden folders as they are written, and where they really are."""

    def around(self, reach: Reach) -> Walls:
        """The sandbox for one kind of command."""
        return Walls(bubblewrap=self.bubblewrap, views=self._views(reach), network=reach.network)

    def _views(self, reach: Reach) -> dict[str, View]:
        """Later lines go before earlier ones for the same folder; otherwise the innermost folder decides."""
        views = dict.fromkeys((*_PRIVATE, *self.homes), View.PRIVATE)
        views |= dict.fromkeys(self._named(self.needed), View.READABLE)
        views |= dict.fromkeys(_resolver(), View.READABLE) if reach.network else {}
        views |= dict.fromkeys(self._named(self.shared), View.WRITABLE) if reach.agent else {}
        views |= dict.fromkeys(self.hidden, View.HIDDEN)
        views |= dict.fromkeys(self._named(self.parts), View.READABLE)
        views |= dict.fromkeys(_caches(self.parts), View.PRIVATE)
        views |= dict.fromkeys(self._named(map(os.fspath, reach.writable)), View.WRITABLE)
        views |= dict.fromkeys(self._named(map(os.fspath, reach.readable)), View.READABLE)
        return views

    def _named(self, paths: Iterable[str]) -> Iterator[str]:
        """Each path without links, and also through those that only the hidden folders hold."""
        for path in paths:
            yield os.path.realpath(path)
            for written, real in self.aliases:
                if is_below(path, written):
                    yield real + path[len(written) :]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """Satisfies `Enclosure`."""

    bubblewrap: Bubblewrap
    views: Mapping[str, View]
    network: bool

    def enclosed(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], status: Path
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        wrapper = (
            *_WITH_STATUS,
            os.fspath(status),
            self.bubblewrap.program,
            *("--json-status-fd", _STATUS_FD),
            *self.bubblewrap.options,
            *(() if self.network else (_NO_NETWORK,)),
            *mounts(self.views),
            *("--chdir", os.path.abspath(cwd)),  # noqa: PTH100 - links stay as they were given
            "--",
        )
        return (*wrapper, *argv), {name: value for name, value in env.items() if not _OUTSIDE.fullmatch(name)}

    def not_started(self, done: Completed, env: Mapping[str, str], notes: bytes) -> str:
        """An exit code is noted only for a command that began: what the command prints decides nothing."""
        if _STARTED.search(notes):
            return ""
        said = (done.stdout.text() + done.stderr.text()).strip()[-500:]
        program = done.argv[0]
        if f"execvp {program}:" not in said:
            return f"the sandbox could not be built: {said or f'exit code {done.exit_code}'}"
        there = which(program, env.get("PATH", ""))
        return f"{there} is not visible in the sandbox" if there else f"{program}: command not found"


def mounts(views: Mapping[str, View]) -> Iterator[str]:
    """Outer folders first. What would not change anything is left out, and so is what does not exist."""
    yield from _SYSTEM
    for path in sorted(views, key=lambda p: p.split("/")):
        if not os.path.exists(path) or _is_shown_already(path, views):  # noqa: PTH110 - text; False where we may not look
            continue
        match views[path]:
            case View.HIDDEN | View.PRIVATE:
                yield from ("--perms", "0700" if path not in _PRIVATE else "1777", "--tmpfs", path)
            case View.READABLE:
                yield from ("--ro-bind", path, path)
            case View.WRITABLE:
                yield from ("--bind", path, path)
    for path, view in views.items():
        if view is View.HIDDEN and os.path.exists(path):  # noqa: PTH110 - as above
            yield from ("--remount-ro", path)


def _is_shown_already(path: str, views: Mapping[str, View]) -> bool:
    around = os.path.dirname(path)  # noqa: PTH120 - text
    while around not in views and around != "/":
        around = os.path.dirname(around)  # noqa: PTH120 - text
    return views[path] is views.get(around, View.READABLE) and views[path] in {View.READABLE, View.WRITABLE}


def _resolver() -> list[str]:
    """The file that says how names become addresses may lie in a folder that is private inside."""
    return [os.path.realpath("/etc/resolv.conf")]


def _caches(parts: Iterable[str]) -> Iterator[str]:
    modules = (part for part in parts if part.endswith("/node_modules"))
    return (f"{folder}/{name}" for folder in modules for name in _TOOL_CACHES)


# --- making one --------------------------------------------------------------------------------------------------


def make_sandbox(
    project: Project,
    environ: Mapping[str, str],
    *,
    state: Path,
    dependencies: Iterable[str] = (),
    files: Iterable[str] = (),
    read: Iterable[str] = (),
    share: Iterable[str] = (),
) -> Sandbox:
    """The sandbox for work on a project; a `UsageError` where there can be none.

    `state` is where trueup keeps everything. `dependencies`: environment folders of the checkout. `files`: absolute
    paths that the commands name. `read` and `share` are the user's paths, absolute or beginning with `~/`.
    """
    bubblewrap = find_bubblewrap(environ)
    written = _homes(environ)
    homes = tuple(dict.fromkeys(map(os.path.realpath, written)))
    hidden = tuple(os.path.realpath(p) for p in (project.root, project.git_dir, state) if p)
    _refuse_the_system((*homes, *hidden))
    packages = [os.path.realpath(project.root / name) for name in dependencies]
    opened = {key: _opened(key, paths, homes, hidden, environ) for key, paths in (("read", read), ("share", share))}
    folders = environ.get("PATH", "").split(os.pathsep)
    found = needed_places(folders, (sys.executable, *files), packages, (*homes, *_PRIVATE))
    return Sandbox(
        bubblewrap=bubblewrap,
        homes=homes,
        hidden=hidden,
        needed=(*(p for p in found if not any(is_below(p, h) for h in hidden)), *opened["read"]),
        parts=(*packages, *_object_folders(project)),
        shared=opened["share"],
        aliases=tuple(dict.fromkeys(zip(map(os.path.normpath, written), map(os.path.realpath, written), strict=True))),
    )


def _homes(environ: Mapping[str, str]) -> list[str]:
    """The one that programs are told, and the one that the system knows. What is not there needs no hiding."""
    try:
        known = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        known = ""
    given = environ.get("HOME") or known
    if os.path.realpath(given or "/") == "/":
        raise UsageError(
            "the sandbox cannot hide the home folder",
            why=f"HOME is {given!r}",
            do="Set HOME to a folder of your own, or run without --sandbox.",
        )
    return [home for home in (given, known) if os.path.isabs(home) and os.path.realpath(home) != "/"]  # noqa: PTH117


def _refuse_the_system(hidden: Iterable[str]) -> None:
    broad = next((path for path in hidden if any(is_below(one, path) for one in ("/usr/bin", "/etc", "/dev"))), None)
    if broad:
        raise UsageError(
            f"{broad} cannot be hidden in a sandbox",
            why="it holds programs that every command needs",
            do="Put the project into a folder of its own, or run without --sandbox.",
        )


def _opened(
    key: str, paths: Iterable[str], homes: Sequence[str], hidden: Sequence[str], environ: Mapping[str, str]
) -> tuple[str, ...]:
    """What the user lets through. It has to be there, and must not undo what the sandbox is for."""
    found = []
    for path in paths:
        place = environ.get("HOME", "") + path[1:] if path.startswith("~/") else path
        real = os.path.realpath(place)
        if not os.path.isabs(place) or not os.path.exists(real):  # noqa: PTH110, PTH117 - text
            raise _cannot_be_opened(key, path, "it does not exist")
        if any(is_below(one, real) for one in (*homes, *hidden)) or any(is_below(real, one) for one in hidden):
            raise _cannot_be_opened(key, path, "it would open your checkout, home folder or trueup's own state")
        found.append(os.path.normpath(place))
    return tuple(found)


def _cannot_be_opened(key: str, path: str, why: str) -> UsageError:
    return UsageError(f"sandbox_{key}: {path} cannot be let through", why=why, do="Name a narrower path, or none.")


def _object_folders(project: Project) -> tuple[str, ...]:
    """Where git finds the history that the agent's copy refers to, with the folders that these refer to."""
    if project.git_dir is None:
        return ()
    found: dict[str, None] = {}
    pending = [
        os.path.realpath(project.root / (git_line("rev-parse", "--git-path", "objects", cwd=project.root) or ""))
    ]
    while pending:
        folder = pending.pop()
        if folder not in found and os.path.isdir(folder):  # noqa: PTH112 - text
            found[folder] = None
            pending += _alternates(folder)
    return tuple(found)


def _alternates(objects: str) -> list[str]:
    try:
        lines = Path(objects, "info/alternates").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
    return [os.path.realpath(os.path.join(objects, line)) for line in lines if line and line[0] not in '#"']  # noqa: PTH118


# --- is it there? ------------------------------------------------------------------------------------------------


_TRIAL = {"/tmp": View.PRIVATE, "/usr/share": View.HIDDEN}  # noqa: S108 - a private one


def find_bubblewrap(environ: Mapping[str, str]) -> Bubblewrap:
    """bubblewrap, after it ran a program here; a `UsageError` that says why it cannot, and what to do."""
    if sys.platform != "linux":
        raise _unavailable(f"bubblewrap needs Linux, this is {sys.platform}", "Run without --sandbox.")
    program = which("bwrap", environ.get("PATH", os.defpath))
    if program is None:
        raise _unavailable(
            "bubblewrap (bwrap) was not found on PATH", "Install it, for example `apt-get install bubblewrap`."
        )
    refused = ""
    for options in (("--unshare-user", *_NAMESPACES), _NAMESPACES):
        try:
            quick((program, *options, _NO_NETWORK, *mounts(_TRIAL), "--", "/bin/sh", "-c", ":"), timeout=_TRY_SECONDS)
        except ToolFailed as failed:
            refused = refused or failed.why
            continue
        return Bubblewrap(program=program, options=options)
    raise _unavailable(
        f"{program} cannot build one here: {refused}",
        "Let it create namespaces (sysctl kernel.unprivileged_userns_clone=1, or"
        " kernel.apparmor_restrict_unprivileged_userns=0; in a container, more privileges), or run without --sandbox.",
    )


def _unavailable(why: str, do: str) -> UsageError:
    return UsageError("there is no sandbox on this machine", why=why, do=do)
