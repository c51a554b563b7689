"""`trueup replay`: where would trueup have spoken in a session that is over, and where would it have ended it?"""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueup.cli.options import HERE, Directory, Json

if TYPE_CHECKING:
    from trueup.cli.transcripts import Transcript
    from trueup.decide.live import Live, Nudge, Watch

_MOST_SHOWN = 20
"""Of more transcripts than these, only those are shown in which something would have been said."""
_WIDEST = 110


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Recorded sessions.")],
    checks: Annotated[
        list[str] | None,
        typer.Option(
            "--check", metavar="CMD", help="Your check; repeatable. Otherwise common test commands are recognised."
        ),
    ] = None,
    directory: Directory = HERE,
    json: Json = False,
) -> None:
    """Show where trueup would have spoken to the agent in a recorded session, and where it would have ended it.

    Nothing is run and nothing is changed. It reads what Claude Code (~/.claude/projects/*/*.jsonl, or its stream-json
    output), Codex (rollout-*.jsonl, or codex exec --json) and mini-swe-agent keep of a session, and trueup's own JSON
    lines. With --json each transcript is one line: {"id", "nudges": [turn...], "stop": turn or null}; turns are
    numbered as the record numbers them, otherwise from zero.

    \b
      trueup replay ~/.claude/projects/my-project/1b9d6bcd.jsonl
      trueup replay --check "pytest -q" session.jsonl
      trueup replay --json sessions.jsonl
    """
    from trueup.decide.commands import Declared
    from trueup.decide.live import Watch

    declared = tuple(Declared(name=one, command=one) for one in checks or ())
    played = _played([directory / file for file in files], Watch(checks=declared))
    _show_json(played) if json else _show(played)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What the fold would have said, and when."""

    transcript: Transcript
    nudges: tuple[tuple[int, Nudge], ...]
    stop: int | None
    """Its place among the turns."""
    why: str
    end: Live
    """After the last turn: nobody was there to end it."""

    @property
    def spared(self) -> tuple[int, int]:
        """Turns after the stop, and their tokens as far as they are told."""
        after = self.transcript.turns[self.stop + 1 :] if self.stop is not None else ()
        return len(after), sum(turn.tokens or 0 for turn in after)


def played(transcript: Transcript, watch: Watch) -> Played:
    from trueup.decide.live import Live
    from trueup.decide.turns import follow

    live, nudges, stop, why = Live(), [], None, ""
    for place, turn in enumerate(transcript.turns):
        live = follow(live, turn, watch)
        if live.nudge and stop is None:
            nudges.append((place, live.nudge))
        if live.stop and stop is None:
            stop, why = place, live.stop
    return Played(transcript=transcript, nudges=tuple(nudges), stop=stop, why=why, end=live)


def _played(paths: list[Path], watch: Watch) -> Iterator[Played]:
    from trueup.cli.transcripts import transcripts

    for path in paths:
        for transcript in transcripts(path):
            yield played(transcript, watch)


def _show_json(every: Iterator[Played]) -> None:
    for one in every:
        number = one.transcript.number
        told = {
            "id": one.transcript.id,
            "nudges": [number(place) for place, _ in one.nudges],
            "stop": None if one.stop is None else number(one.stop),
        }
        sys.stdout.write(json_format.dumps(told) + "\n")


def _show(every: Iterator[Played]) -> None:
    from trueup.cli.shelf import show
    from trueup.report.text import unchanged

    kept: list[Played] = []
    count = 0
    for count, one in enumerate(every, start=1):
        if count <= _MOST_SHOWN or one.nudges or one.stop is not None:
            kept.append(one)
    shown = kept if count <= _MOST_SHOWN else [one for one in kept if one.nudges or one.stop is not None]
    lines = [line for one in shown for line in (*_lines(one), "")]
    show([*lines, _sum(count, kept)], unchanged)


def _lines(one: Played) -> Iterator[str]:
    from trueup.report.text import one_line, plain, plural

    yield f"{plain(one.transcript.id)}: {plural(len(one.transcript.turns), 'turn')}"
    for place, nudge in one.nudges:
        yield _at(one, place, "would speak", nudge.reason)
        yield from (f"{'':26}tried: {one_line(tried, _WIDEST)}" for tried in nudge.tried[-3:])
    if one.stop is not None:
        turns, tokens = one.spared
        yield _at(one, one.stop, "would end it", one.why)
        told = f", {tokens:,} tokens" if tokens else ""
        yield f"{'':26}{plural(turns, 'turn')} came after that{told}"
    if not one.nudges and one.stop is None:
        yield "  nothing to say"
    yield from _at_the_end(one.end)


def _at(one: Played, place: int, what: str, why: str) -> str:
    from trueup.report.text import one_line

    return f"  turn {one.transcript.number(place):<5} {what:<13} {one_line(why, 3 * _WIDEST)}"


def _at_the_end(end: Live) -> Iterator[str]:
    from trueup.report.text import one_line, plural

    for failure in end.failures:
        name = one_line(f"{failure.kind} {failure.subject}".strip(), _WIDEST)
        yield f"  at the end {one_line(failure.check, 60)} failed: {name} ({plural(failure.streak, 'time')} in a row)"
    if end.owed:
        yield "  files were changed after that, and no check ran again: unverified"


def _sum(count: int, kept: list[Played]) -> str:
    from trueup.report.text import plural

    spoke = sum(bool(one.nudges) for one in kept)
    ended = sum(one.stop is not None for one in kept)
    return f"{plural(count, 'transcript')}: would have spoken in {spoke}, ended {ended} early"
