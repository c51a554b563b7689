"""`trueup doctor --hooks`: where is the guard installed, and does it hold its agents back?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.cli.doctor import Finding, Place

if TYPE_CHECKING:
    from trueup.guard.install import Installed
    from trueup.guard.rehearsal import Cast, Rehearsal


def guards(place: Place) -> Iterator[Finding]:
    """Those of this project and of the user; nothing is tried."""
    from trueup.guard.install import PLACES

    for agent in PLACES:
        for _, found in _installed(place, agent):
            text = f"installed in {found.path}; try it with: trueup doctor --hooks"
            yield Finding(what=f"guard {agent}", text=text, works=None)


def rehearsals(place: Place) -> Iterator[Finding]:
    """Every program that is here, with each of its installed guards, or else as one would be installed."""
    from trueup.guard.stages import STAGES

    for agent in STAGES:
        program = place.which(agent)
        installed = _installed(place, agent)
        if program is None:
            text = "the program is not here; nothing was tried"
            yield from (Finding(what=f"guard {agent}", text=text, works=None) for _ in installed)
            continue
        if not installed:
            yield _possible(place, agent, program)
        for user, found in installed:
            yield _actual(place, agent, program, found, user=user)


def _possible(place: Place, agent: str, program: str) -> Finding:
    """No guard is installed: what comes out is good to know, and nothing is broken."""
    from trueup.cli.guard import own_program
    from trueup.guard.install import entries_of
    from trueup.guard.rehearsal import Cast

    seen = _rehearse(place, Cast(agent=agent, program=program, hooks=entries_of(agent, own_program(), always=False)))
    return Finding(what=f"guard {agent}", text=f"{seen.text} (not installed here)", works=seen.works or None)


def _actual(place: Place, agent: str, program: str, found: Installed, *, user: bool) -> Finding:
    from trueup.guard.rehearsal import Cast
    from trueup.guard.trust import own_trust

    if found.missing:
        again = f"trueup guard install {agent}{' --user' if user else ''}"
        text = f"{found.path} lacks hooks ({', '.join(found.missing)}); put them there with: {again}"
        return Finding(what=f"guard {agent}", text=text, works=False)
    own = own_trust(agent, found, project=_root(place), home=_home(place))
    cast = Cast(agent=agent, program=program, hooks=found.entries, user=user, own=own)
    seen = _rehearse(place, cast)
    return Finding(what=f"guard {agent}", text=f"{seen.text} (installed in {found.path})", works=bool(seen.works))


def _rehearse(place: Place, cast: Cast) -> Rehearsal:
    from trueup.guard.rehearsal import rehearse

    return rehearse(cast, place.processes, place.environ)


def _installed(place: Place, agent: str) -> list[tuple[bool, Installed]]:
    """Whether they are the user's, and what stands there."""
    from trueup.guard.install import file_of, installed

    paths = {file_of(agent, project=_root(place), home=_home(place), user=user): user for user in (True, False)}
    return [(user, found) for path, user in paths.items() if (found := installed(agent, path))]


def _root(place: Place) -> Path:
    from trueup.act.project import find_project

    return find_project(place.directory).root


def _home(place: Place) -> Path:
    return Path(place.environ.get("HOME", "/nonexistent"))
