"""Which recipes of make failed without a word that anybody understood? Beside failing tests nobody would miss them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trueup.act.commands import commands_behind
from trueup.evidence.failure import Failure
from trueup.verify.runners.base import RunContext

_FAILED = re.compile(
    r"^\S*make(?:\[\d+\])?: \*\*\* \[(?:[^\n\]]{1,500}:\d+: )?([^\s\]]{1,200})\] Error (\d+)$", re.MULTILINE
)
_MAKE_INSIDE = re.compile(r"\bg?make\b", re.IGNORECASE)
_FEWEST = 2
"""Where one recipe failed, it is the one whose tool told its failures."""
_LARGEST_FILE = 1_000_000


def untold_recipes(run: RunContext, said: str, tools: Iterable[str]) -> Iterator[Failure]:
    """One failure for each that failed (`make -k`, `make -j`) and uses none of the tools that told failures."""
    failed = dict(_FAILED.findall(said))
    told = re.compile("|".join(map(re.escape, tools)) or "$^", re.IGNORECASE)
    for name, code in failed.items() if len(failed) >= _FEWEST else ():
        recipe = [" ".join(argv) for argv in commands_behind((("make", name),), lambda path: _content(run, path))][1:]
        if recipe and not any(told.search(line) or _MAKE_INSIDE.search(line) for line in recipe):
            message = f"make {name}: exit code {code}"
            yield Failure(
                check=run.check, subject=f"make {name}", kind="exit", message=message, excerpt=message, test=False
            )


def _content(run: RunContext, path: str) -> bytes | None:
    file = run.folder / path
    try:
        return file.read_bytes() if file.is_file() and file.stat().st_size <= _LARGEST_FILE else None
    except OSError:
        return None
