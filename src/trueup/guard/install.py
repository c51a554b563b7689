"""How do an agent's hooks come into its configuration, and out again without a trace?

What is there stays. The bytes from before are kept, so that `uninstall` gives back exactly the file that was there; if
somebody has changed it since, only our own entries are taken out.
"""

from __future__ import annotations

import base64
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.errors import UsageError
from trueup.guard.hook import ALWAYS

_WAIT = 600
"""Seconds that a program is to wait for the answer when its agent says that it is done: the checks run meanwhile."""
_SHORT = 30

Entry = dict[str, Any]
"""One hook, in the form of its program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a program reads its hooks, and in which form."""

    project: str
    """Below the project's folder; "" where only those of the user count."""
    user: str
    """Below the home folder."""
    events: Mapping[str, int]
    """Event -> seconds."""
    milliseconds: bool = False
    flat: bool = False
    """Copilot's own form."""
    hint: str = ""
    """What else is needed, in plain words."""


_CLAUDE = {"SessionStart": _SHORT, "PostToolUse": _SHORT, "PostToolUseFailure": _SHORT, "Stop": _WAIT}
PLACES = {
    "claude": Place(project=".claude/settings.local.json", user=".claude/settings.json", events=_CLAUDE),
    "codex": Place(
        project=".codex/hooks.json",
        user=".codex/hooks.json",
        events={"SessionStart": _SHORT, "PostToolUse": _SHORT, "Stop": _WAIT},
        hint="Codex runs hooks only after you trusted them: open codex once and confirm them with /hooks",
    ),
    "gemini": Place(
        project=".gemini/settings.json",
        user=".gemini/settings.json",
        events={"SessionStart": _SHORT, "AfterTool": _SHORT, "AfterAgent": _WAIT},
        milliseconds=True,
    ),
    "qwen": Place(
        project=".qwen/settings.json",
        user=".qwen/settings.json",
        # Without a person at its screen it begins no session: the first prompt has to do.
        events={"SessionStart": _SHORT, "UserPromptSubmit": _SHORT, "PostToolUse": _SHORT, "Stop": _WAIT},
        milliseconds=True,
    ),
    "copilot": Place(
        project="",
        user=".copilot/hooks/trueup.json",
        events={"sessionStart": _SHORT, "postToolUse": _SHORT, "postToolUseFailure": _SHORT, "agentStop": _WAIT},
        flat=True,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file, before and after."""

    path: Path
    before: bytes | None
    """None: there was no such file."""
    after: bytes | None
    """None: it goes away."""

    @property
    def is_one(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """Our hooks, as they stand in a settings file."""

    path: Path
    entries: Mapping[str, Entry]
    positions: Mapping[str, int]
    """Event -> which of its entries is ours."""
    missing: tuple[str, ...] = ()
    """Events that `installing` would put there today."""


def installed(agent: str, path: Path) -> Installed | None:
    """None: they are not there, or nobody can read the file."""
    try:
        hooks = _parsed(_read(path), path).get("hooks")
    except UsageError:
        return None
    entries = {
        event: (position, entry)
        for event, listed in (hooks.items() if isinstance(hooks, dict) else ())
        for position, entry in enumerate(listed if isinstance(listed, list) else ())
        if event in PLACES[agent].events and _is_ours(entry)
    }
    if not entries:
        return None
    return Installed(
        path=path,
        entries={event: entry for event, (_, entry) in entries.items()},
        positions={event: position for event, (position, _) in entries.items()},
        missing=tuple(event for event in PLACES[agent].events if event not in entries),
    )


def file_of(agent: str, *, project: Path, home: Path, user: bool) -> Path:
    place = PLACES[agent]
    if not place.project or user:
        return home / place.user
    return project / place.project


def installing(agent: str, path: Path, program: str, *, always: bool) -> Change:
    """Our hooks beside whatever else is there. Installed again, they replace themselves."""
    return adding(agent, path, entries_of(agent, program, always=always))


def entries_of(agent: str, program: str, *, always: bool) -> dict[str, Entry]:
    place = PLACES[agent]
    return {
        event: _entry(place, agent, event, program, seconds, always=always) for event, seconds in place.events.items()
    }


def adding(agent: str, path: Path, entries: Mapping[str, Entry]) -> Change:
    """These entries instead of ours that are there, if any are."""
    before = _read(path)
    content = _parsed(before, path)
    _without_ours(content)
    place = PLACES[agent]
    hooks = content.setdefault("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(hooks.get(event, []), list) for event in place.events):
        raise UsageError(f"{path} holds hooks in a form that is not known", do="Add the hooks by hand: docs/guard.md.")
    for event, entry in entries.items():
        hooks.setdefault(event, []).append(entry)
    if place.flat:
        content.setdefault("version", 1)
    return Change(path=path, before=before, after=_written(content, before))


def uninstalling(path: Path, record: str) -> Change:
    """Back to the bytes from before; what somebody changed since is kept, and only ours goes."""
    now = _read(path)
    kept = json.loads(record) if record else {}
    if now is not None and kept.get("after") == _encoded(now):
        return Change(path=path, before=now, after=_decoded(kept.get("before")))
    if now is None:
        return Change(path=path, before=None, after=None)
    content = _parsed(now, path)
    changed = _without_ours(content)
    return Change(path=path, before=now, after=_written(content, now) if changed else now)


def record_of(change: Change, earlier: str = "") -> str:
    """What `uninstalling` needs. Installed again, the bytes from before the first time count, if nobody wrote since."""
    kept = json.loads(earlier) if earlier else {}
    before = change.before
    if earlier and kept.get("after") == _encoded(before):
        before = _decoded(kept.get("before"))
    elif earlier:
        before = uninstalling(change.path, "").after
    return json.dumps({"path": str(change.path), "before": _encoded(before), "after": _encoded(change.after)})


def carry_out(change: Change) -> None:
    """Whole or not at all. Where the file is a link, what it leads to is written, and it stays a link."""
    path = change.path.resolve()
    if change.after is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if change.before is not None else 0o600
    fresh = path.with_name(path.name + ".trueup-new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with os.fdopen(handle, "wb") as file:
        os.fchmod(handle, mode)  # whatever the umask is
        file.write(change.after)
    fresh.replace(path)


def _entry(place: Place, agent: str, event: str, program: str, seconds: int, *, always: bool) -> Entry:
    command = shlex.join([program, "hook", agent, event, *([ALWAYS] if always else [])])
    if place.flat:
        return {"type": "command", "bash": command, "timeoutSec": seconds}
    hook = {"type": "command", "command": command, "timeout": seconds * 1000 if place.milliseconds else seconds}
    matcher = {"matcher": "*"} if "Tool" in event else {}
    return {**matcher, "hooks": [hook]}


def _without_ours(content: dict[str, Any]) -> bool:
    """Takes our entries out, and what becomes empty by that; says whether there were any."""
    hooks = content.get("hooks")
    if not isinstance(hooks, dict):
        return False
    found = False
    for event, entries in list(hooks.items()):
        others = [entry for entry in entries if not _is_ours(entry)] if isinstance(entries, list) else entries
        if others != entries:
            found = True
            hooks[event] = others
            if not others:
                del hooks[event]
    if found and not hooks:
        del content["hooks"]
    return found


def _is_ours(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    inner = entry.get("hooks", [entry])
    commands = [one.get("command") or one.get("bash") for one in inner if isinstance(one, dict)]
    return bool(commands) and all(_calls_us(command) for command in commands)


def _calls_us(command: object) -> bool:
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    return len(words) > 2 and Path(words[0]).name == "trueup" and words[1] == "hook"  # noqa: PLR2004 - program, hook, agent


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read", why=str(error)) from error


def _parsed(text: bytes | None, path: Path) -> dict[str, Any]:
    try:
        content = json.loads(text or b"{}")
    except ValueError as error:
        raise UsageError(
            f"{path} is not plain JSON", why=str(error), do="Repair it, or add the hooks by hand: docs/guard.md."
        ) from error
    if not isinstance(content, dict):
        raise UsageError(f"{path} does not hold an object", do="Repair it, or add the hooks by hand: docs/guard.md.")
    return content


def _written(content: dict[str, Any], before: bytes | None) -> bytes | None:
    if not content and before is None:
        return None
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def _encoded(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
