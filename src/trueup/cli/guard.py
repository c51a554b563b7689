"""`trueup guard`: hooks that keep an interactive agent honest, installed, removed and looked at."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueup.cli.options import HERE, Directory, Json
from trueup.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.guard.install import Change
    from trueup.guard.kept import Session

ACTIONS = ("install", "uninstall", "status")


def command(
    action: Annotated[str, typer.Argument(help="install, uninstall or status.")],
    agent: Annotated[str, typer.Argument(help="claude, codex, gemini, qwen or copilot.")] = "",
    directory: Directory = HERE,
    user: Annotated[bool, typer.Option("--user", help="For all projects of yours, not for this one.")] = False,
    always: Annotated[bool, typer.Option("--always", help="Guard every session, not only those that ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change and write nothing.")] = False,
    json: Json = False,
) -> None:
    """Keep an interactive agent honest: when it says that it is done, your checks answer.

    Sessions that are started with TRUEUP_GUARD=1 are guarded, all others are left alone. The checks are those of
    trueup.toml. Your settings file is shown as a diff; `uninstall` gives it back exactly as it was.

    \b
      trueup guard install claude
      TRUEUP_GUARD=1 claude
      trueup guard status
      trueup guard uninstall claude

    Exit code: 0, or 2 when something cannot be done.
    """
    if action == "status":
        _status(json=json)
        return
    from trueup.guard.install import PLACES

    if action not in ACTIONS or agent not in PLACES:
        raise UsageError(
            f"trueup guard {' '.join(filter(None, (action, agent)))} is not known",
            why=f"It is one of: {', '.join(ACTIONS)}; with one of: {', '.join(PLACES)}.",
            do="For example: trueup guard install claude",
        )
    if action == "install":
        change = _install(agent, directory, user=user, always=always, write=not dry_run)
    else:
        change = _uninstall(agent, directory, user=user, write=not dry_run)
    _show(change, action, agent, dry_run=dry_run, always=always, json=json)


def _install(agent: str, directory: Path, *, user: bool, always: bool, write: bool) -> Change:
    from trueup.guard.install import carry_out, installing, record_of

    path = _file(agent, directory, user=user)
    change = installing(agent, path, own_program(), always=always)
    record = _record(path)
    if write and change.is_one:
        record.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        record.parent.mkdir(mode=0o700, exist_ok=True)
        earlier = record.read_text(encoding="utf-8") if record.exists() else ""
        record.write_text(record_of(change, earlier), encoding="utf-8")
        carry_out(change)
    return change


def _uninstall(agent: str, directory: Path, *, user: bool, write: bool) -> Change:
    from trueup.guard.install import carry_out, uninstalling

    path = _file(agent, directory, user=user)
    record = _record(path)
    change = uninstalling(path, record.read_text(encoding="utf-8") if record.exists() else "")
    if write:
        if change.is_one:
            carry_out(change)
        record.unlink(missing_ok=True)
    return change


def _file(agent: str, directory: Path, *, user: bool) -> Path:
    from trueup.act.project import find_project
    from trueup.guard.install import file_of

    home = Path(os.environ.get("HOME", "/nonexistent"))
    return file_of(agent, project=find_project(directory).root, home=home, user=user)


def _record(path: Path) -> Path:
    import hashlib

    from trueup.guard.sessions import Sessions

    name = hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:32]
    return Sessions(os.environ).folder / "installed" / f"{name}.json"


def own_program() -> str:
    """By its full path: an agent's hooks may have another PATH."""
    import shutil

    own = Path(sys.argv[0])
    found = str(own) if own.name == "trueup" and own.is_file() else shutil.which("trueup")
    return os.path.abspath(found) if found else "trueup"  # noqa: PTH100 - a link stays a link


def _show(change: Change, action: str, agent: str, *, dry_run: bool, always: bool, json: bool) -> None:
    from trueup.cli.shelf import show, show_json
    from trueup.report.text import unchanged

    if json:
        written = change.is_one and not dry_run
        show_json({"file": str(change.path), "changed": change.is_one, "written": written}, unchanged)
        return
    show(_lines(change, action, agent, dry_run=dry_run, always=always), unchanged)


def _lines(change: Change, action: str, agent: str, *, dry_run: bool, always: bool) -> Iterator[str]:
    import difflib

    from trueup.guard.install import PLACES

    old, new = ((text or b"").decode(errors="replace").splitlines() for text in (change.before, change.after))
    yield from difflib.unified_diff(old, new, str(change.path), str(change.path), lineterm="")
    if not change.is_one:
        yield f"nothing to do: {change.path} is as it should be"
    elif dry_run:
        yield "nothing was written (--dry-run)"
    elif action == "install":
        yield f"installed; {'every session is guarded' if always else f'guard a session with: TRUEUP_GUARD=1 {agent}'}"
        yield PLACES[agent].hint or f"take it back with: trueup guard uninstall {agent}"
    else:
        yield "removed" if change.after is not None else f"removed; {change.path} was ours alone and is gone"


def _status(*, json: bool) -> None:
    from trueup.cli.shelf import show, show_json
    from trueup.guard.sessions import Sessions
    from trueup.report.text import unchanged

    sessions = Sessions(os.environ).all()
    if json:
        show_json({"sessions": [_told(session) for session in sessions]}, unchanged)
    else:
        show(_overview(sessions), unchanged)


def _told(session: Session) -> dict[str, object]:
    live = session.live
    failures = [
        {"check": one.check, "subject": one.subject, "kind": one.kind, "fingerprint": one.fingerprints[0]}
        | {"excerpt": one.excerpt, "streak": one.streak, "since_turn": one.since}
        for one in live.failures
    ]
    return {
        "agent": session.agent,
        "session": session.session,
        "folder": session.folder,
        "checks": [check.command for check in session.checks],
        "turns": live.turns,
        "current_failures": failures,
        "verification_owed": live.owed,
        "unverified": session.released,
    }


def _overview(sessions: list[Session]) -> Iterator[str]:
    from trueup.report.text import one_line

    if not sessions:
        yield "no guarded session is known"
    for session in sessions:
        live = session.live
        yield f"{session.agent} {session.session}  {session.folder}  {live.turns} turns"
        checks = ", ".join(check.command for check in session.checks)
        yield f"  checks   {checks or 'none in trueup.toml: nothing is run at the end'}"
        for failure in live.failures:
            what = one_line(f"{failure.check}: {failure.subject or failure.kind}, {failure.streak} in a row")
            yield f"  fails    {what}"
        if live.owed:
            yield "  owed     files were changed since the check last failed"
        if session.released:
            yield f"  {session.released}"
        if not live.failures and not live.owed:
            yield "  fine     no check is known to fail"
