"""`trueup demo`: the loop on small real projects, with scripted agents and the search; no key, no network."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from trueup.cli.options import Json

if TYPE_CHECKING:
    from trueup.cli.demo_stories import Story, Told

HONESTY = (
    "The runs and their tests are real, and their numbers are measured. The blind loops are worked out from the same "
    "attempts and were not run, but for the tests of `same folder`, which were. The dollars are arithmetic on the "
    "prices in the scripts: nothing was paid, no model was asked. The search is the real one; its two bugs are from "
    "trueup's own bug set: the one that took it the fewest edits, and the first for which it finds nothing."
)


def command(
    story: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Tell only this story; repeatable. [default: all]")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the projects and their runs in this new folder.")
    ] = None,
    json: Json = False,
) -> None:
    """Watch trueup at work on small real projects: no key, no network.

    Six stories with agents that follow a script: a fix at the second try, an agent that thrashes, a liar, a deleted
    test, a deleted test beside a real fix, and an agent that makes it worse. Two with the search that needs no model: a
    bug that it repairs, and one that it cannot. Exit code 0 means that every story ended as it has to.

      trueup demo --story liar
    """
    raise typer.Exit(_demo(tuple(story or ()), keep, as_json=json))


def _demo(names: tuple[str, ...], keep: Path | None, *, as_json: bool) -> int:
    from trueup.act.environment import secret_values
    from trueup.cli.demo_stories import demo_environment, require_pytest, tell
    from trueup.evidence.redact import Redactor
    from trueup.report.console import Console

    stories = _chosen(names)
    redact = Redactor(secret_values(os.environ)).redact
    screen = sys.stderr if as_json else sys.stdout
    with _folder(keep) as folder:
        environ = demo_environment(os.environ, folder / "state")
        require_pytest(environ)
        told = []
        for number, story in enumerate(stories, 1):
            _show(screen, _opening(story, number, len(stories)))
            told.append(tell(story, folder / story.name, environ, Console(screen, environ=environ, redact=redact)))
            _show(screen, _closing(told[-1]))
    _show(screen, _summary(told))
    if keep:
        _show(screen, _where(keep, stories))
    if as_json:
        from trueup.cli.screen import print_json

        print_json(_as_json(told))
    return _verdict(told)


def _chosen(names: tuple[str, ...]) -> tuple[Story, ...]:
    from trueup.cli.demo_stories import STORIES
    from trueup.errors import UsageError

    unknown = sorted(set(names) - {story.name for story in STORIES})
    if unknown:
        known = ", ".join(story.name for story in STORIES)
        raise UsageError(f"the demo has no story {unknown[0]!r}", do=f"There are: {known}.")
    return tuple(story for story in STORIES if not names or story.name in names)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    from trueup.errors import UsageError

    if keep is None:
        with tempfile.TemporaryDirectory(prefix="trueup-demo-", ignore_cleanup_errors=True) as name:
            yield Path(name).resolve()
        return
    try:
        keep.mkdir(parents=True)
    except FileExistsError as error:
        raise UsageError(f"{keep} exists already", do="Give the name of a new folder.") from error
    except OSError as error:
        raise UsageError(f"the folder {keep} cannot be made", why=str(error)) from error
    yield keep.resolve()


def _show(stream: TextIO, lines: Sequence[str]) -> None:
    """A terminal that cannot show a character gets another one, never a traceback."""
    encoding = stream.encoding or "utf-8"
    for line in lines:
        print(line.encode(encoding, "replace").decode(encoding), file=stream, flush=True)


# --- what is shown -------------------------------------------------------------------------------------------------


def _opening(story: Story, number: int, count: int) -> list[str]:
    title = f"── {number} of {count} · {story.name}: {story.title} "
    return ["", title + "─" * max(3, 100 - len(title)), f"   the agent {story.agent}", ""]


def _closing(told: Told) -> list[str]:
    from trueup.report.text import plain

    lines = [
        "",
        f"   said    {plain(told.said)}",
        f"   so      {_ended(told)}, exit code {told.outcome.exit_code}; {_handed_back(told)}",
        *([f"   blind   {told.blind.text}"] if told.blind else []),
        *_patch(told.patch),
    ]
    return lines if told.as_expected else [*lines, f"   WRONG   {_expected(told.story)}"]


def _patch(patch: str) -> list[str]:
    """From the first place on: which file it is stands above it."""
    from trueup.report.text import plain

    body = [line for line in patch.splitlines() if not line.startswith(("diff ", "index "))]
    return [f"   {'changed' if i == 0 else '':<7} {plain(line)}" for i, line in enumerate(body)]


def _ended(told: Told) -> str:
    from trueup.report.text import plural

    return f"{told.outcome.status.replace('_', ' ')} after {plural(told.outcome.attempts, 'attempt')}"


def _handed_back(told: Told) -> str:
    from trueup.report.text import plural

    return f"handed back with {plural(told.failing, 'failing test')} of {told.tests} ({told.start} at the start)"


def _expected(story: Story) -> str:
    return f"this story has to end {story.ends} after {story.attempts} attempts with {story.failing} failing tests"


def _summary(told: Sequence[Told]) -> list[str]:
    from trueup.report.text import table

    titles = (
        "story",
        "ended",
        "exit",
        "attempts",
        "price",
        "failing",
        "a blind loop",
        "attempts",
        "price",
        "hands back",
    )
    return ["", *table([titles, *map(_row, told)]), "", *_wrapped(HONESTY)]


def _row(told: Told) -> tuple[str, ...]:
    from trueup.report.text import money

    outcome, blind = told.outcome, told.blind
    return (
        told.story.name,
        outcome.status.replace("_", " "),
        str(outcome.exit_code),
        str(outcome.attempts),
        money(outcome.usd or 0.0),
        f"{told.start} → {told.failing}",
        *((blind.kind.replace("-", " "), str(blind.attempts), money(blind.usd), blind.ships) if blind else "––––"),
    )


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width=100)


def _where(keep: Path, stories: Sequence[Story]) -> list[str]:
    import shlex

    state = shlex.quote(str(keep.resolve() / "state"))
    project = shlex.quote(str(keep / stories[0].name / stories[0].folder))
    return [
        "",
        f"kept in {keep}; look around with, for example:",
        f"  XDG_STATE_HOME={state} trueup explain -C {project}",
    ]


def _as_json(told: Sequence[Told]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "as_expected": all(one.as_expected for one in told),
        "note": HONESTY,
        "stories": [
            {
                "name": one.story.name,
                "title": one.story.title,
                "status": one.outcome.status,
                "reason": one.outcome.reason,
                "exit_code": one.outcome.exit_code,
                "attempts": one.outcome.attempts,
                "best_attempt": one.outcome.best_attempt,
                "tests": one.tests,
                "failing_at_start": one.start,
                "failing": one.failing,
                "scripted_usd": one.outcome.usd,
                "as_expected": one.as_expected,
                "blind_loop": asdict(one.blind) if one.blind else None,
                "patch": one.patch,
            }
            for one in told
        ],
    }


def _verdict(told: Sequence[Told]) -> int:
    wrong = [one.story.name for one in told if not one.as_expected]
    if wrong:
        print(f"trueup: not every story ended as it has to: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0
