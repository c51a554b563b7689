"""What does a hook answer? Nothing at all unless its session asked to be guarded; and nothing when something breaks.

Each call is a process of its own while somebody waits, so that what an event does not need is not imported for it.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as checkers of types know it: loading `typing` would cost more than most answers
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trueup.decide.live import Live, Watch
    from trueup.decide.session import Turn
    from trueup.decide.verification import Checked
    from trueup.guard.heard import Heard
    from trueup.guard.kept import Session
    from trueup.guard.sessions import Slot

ASKED = "TRUEUP_GUARD"
"""`1`: the session that this variable was set for is guarded. `0`: it is not, whatever the hook was installed with."""
ALWAYS = "--always"
_LARGEST = 4_000_000


def main(words: Sequence[str]) -> None:
    """`trueup hook AGENT EVENT [--always]`, called by the agent's program."""
    if not is_on(words, os.environ):
        return
    try:
        import json

        said = json.loads(sys.stdin.buffer.read(_LARGEST))
        answer = respond(words[0], words[1], said if isinstance(said, dict) else {}, os.environ)
    except Exception as error:  # noqa: BLE001 - a guard that breaks never breaks the session
        _log(error, words)
        return
    if answer:
        sys.stdout.write(answer + "\n")


def is_on(words: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Whether this session asked. An agent that `trueup run` drives is watched already."""
    if "TRUEUP_RUN" in environ or environ.get(ASKED) == "0":
        return False
    return environ.get(ASKED) == "1" or ALWAYS in words


def respond(agent: str, event: str, said: Mapping[str, object], environ: Mapping[str, str]) -> str:
    """What the program is to read; "" = nothing."""
    from trueup.guard.heard import Kind, heard

    told = heard(event, said)
    if not told.session or told.kind in {Kind.OTHER, Kind.END}:
        return ""
    from trueup.guard.sessions import Sessions

    sessions = Sessions(environ)
    with sessions.opened(agent, told.session) as slot:
        if slot.old is None:
            sessions.sweep()
        session = _with_prompt(slot.old or _begun(agent, told), told)
        slot.new = session
        if told.kind is Kind.START:
            return ""
        if told.kind is Kind.TURN:
            return _after_turn(slot, session, told, event)
        answer = _at_stop(slot, session)
    if answer is not None:
        return answer
    checked = _run(session, environ)  # minutes, perhaps: hooks of other tools do not wait for it
    with sessions.opened(agent, told.session) as slot:
        return _answered(slot, slot.old or session, checked)


def _with_prompt(session: Session, told: Heard) -> Session:
    """What was refused for one wish of the person says nothing about the next."""
    if not told.prompt or told.prompt == session.prompt:
        return session
    from dataclasses import replace

    first = not session.prompt
    live = session.live if first else replace(session.live, answered=0)
    return replace(session, prompt=told.prompt, live=live, released=session.released if first else "")


def _begun(agent: str, told: Heard) -> Session:
    from dataclasses import replace
    from pathlib import Path

    from trueup.errors import TrueupError
    from trueup.guard.files import digest
    from trueup.guard.kept import Session

    session = Session(agent=agent, session=told.session, folder=told.folder or ".")
    try:
        session = _configured(session)
    except TrueupError as error:  # what the agent writes there later does not count
        session = replace(session, broken=" ".join(str(error).split()))
    return replace(session, tree=digest(Path(session.folder)))


def _configured(session: Session) -> Session:
    """With the project's own checks, from its configuration; none when it has none."""
    import shlex
    from dataclasses import replace
    from pathlib import Path

    from trueup.act.project import find_project
    from trueup.config import Overrides, build_task, load_config
    from trueup.decide.commands import Declared

    root = find_project(Path(session.folder)).root
    values = load_config(root).values
    task = build_task({key: values[key] for key in ("check", "max_verify_attempts") if key in values}, Overrides(), {})
    plain = {check.name: check.run if isinstance(check.run, str) else shlex.join(check.run) for check in task.checks}
    checks = tuple(Declared(name=name, command=command) for name, command in plain.items())
    return replace(session, folder=str(root), checks=checks, most=task.max_verify_attempts)


def _after_turn(slot: Slot, session: Session, told: Heard, event: str) -> str:
    from dataclasses import replace

    from trueup.decide.turns import follow
    from trueup.guard.answers import say

    assert told.turn is not None
    live = follow(session.live, _placed(told, session), _watch(session))
    slot.new = replace(session, live=live)
    if live.checked_at == live.turns:
        from pathlib import Path

        from trueup.guard.files import digest

        slot.new = replace(slot.new, live=_discreet(live), tree=digest(Path(session.folder), session.tree), released="")
    if live.nudge is None:
        return ""
    from trueup.guard.words import nudge_text

    return say(session.agent, event, nudge_text(live.nudge))


def _placed(told: Heard, session: Session) -> Turn:
    """A check that ran in another folder than the project's is not the declared one."""
    from dataclasses import replace

    turn = told.turn
    assert turn is not None
    if not told.folder or os.path.realpath(told.folder) == os.path.realpath(session.folder):
        return turn
    import shlex

    return replace(turn, args=f"cd {shlex.quote(told.folder)} && {turn.args}") if str(turn.doing) == "run" else turn


def _discreet(live: Live) -> Live:
    """Secrets in what a tool printed are not kept."""
    from dataclasses import replace

    from trueup.evidence.redact import Redactor

    redact = Redactor(()).redact
    failures = tuple(replace(one, excerpt=redact(one.excerpt)) for one in live.failures)
    return replace(live, failures=failures, tried=tuple(map(redact, live.tried)))


def _at_stop(slot: Slot, session: Session) -> str | None:
    """Allowed, refused by what is known, or let go; None: the checks have to be run first."""
    from dataclasses import replace
    from pathlib import Path

    from trueup.decide.turns import answered
    from trueup.guard.answers import let_go, refuse
    from trueup.guard.files import digest
    from trueup.guard.words import could_not_run, not_yet, released

    tree = digest(Path(session.folder), session.tree)
    changed = tree != session.tree or _wrote(session)
    if session.broken and changed:
        slot.new = replace(session, tree=tree)
        return let_go(session.agent, could_not_run(session.broken))
    if not session.live.failures and not (changed and session.checks):
        return ""
    if session.live.answered >= session.most:
        warning = released(session.live)
        slot.new = replace(session, released=warning, tree=tree)
        return let_go(session.agent, warning) if tree != session.tree or warning != session.released else ""
    if changed and session.checks:
        return None
    live = answered(session.live, ())
    slot.new = replace(session, live=live)
    return refuse(session.agent, not_yet(live, ours=False))


def _run(session: Session, environ: Mapping[str, str]) -> list[Checked] | str:
    """The results, or why there are none."""
    from pathlib import Path

    from trueup.guard.checking import NotRun, run_checks

    try:
        return run_checks(session.checks, Path(session.folder), environ)
    except NotRun as error:
        return str(error)


def _answered(slot: Slot, session: Session, checked: list[Checked] | str) -> str:
    from dataclasses import replace
    from pathlib import Path

    from trueup.decide.turns import answered
    from trueup.guard.answers import let_go, refuse
    from trueup.guard.files import digest
    from trueup.guard.words import could_not_run, not_yet

    tree = digest(Path(session.folder), session.tree)
    if isinstance(checked, str):
        slot.new = replace(session, released=could_not_run(checked), tree=tree)
        return let_go(session.agent, could_not_run(checked))
    live = _discreet(answered(session.live, checked))
    slot.new = replace(session, live=live, tree=tree, released="")
    return refuse(session.agent, not_yet(live, ours=True)) if live.failures else ""


def _wrote(session: Session) -> bool:
    """Whether the agent's own tools changed a file since the last result, or without any."""
    live = session.live
    return live.wrote_at is not None and live.wrote_at > (live.checked_at or 0)


def _watch(session: Session) -> Watch:
    from trueup.decide.live import Watch

    return Watch(checks=session.checks, root=session.folder, max_verify_attempts=session.most)


def _log(error: Exception, words: Sequence[str]) -> None:
    import contextlib

    from trueup.guard.sessions import Sessions

    with contextlib.suppress(Exception):
        Sessions(os.environ).log(f"{' '.join(words)}: {type(error).__name__}: {error}")
