"""When has an agent gone round in circles for long enough?

What it does is followed turn by turn, by the same fold as in a guarded session (`decide/turns.py`). An attempt that is
ended here is verified and judged like any other: nothing is concluded from this but that its money is better kept.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable

from trueup.decide.commands import Declared
from trueup.decide.live import Live, Watch
from trueup.decide.session import Turn
from trueup.decide.task import CheckSpec
from trueup.decide.turns import follow


def watcher(checks: Iterable[CheckSpec], root: str) -> Callable[[Turn], str]:
    """A function that is told each turn and says why it is enough, or ""."""
    watch = Watch(checks=tuple(Declared(name=check.name, command=_text(check.run)) for check in checks), root=root)
    live = Live()

    def see(turn: Turn) -> str:
        nonlocal live
        live = follow(live, turn, watch)
        return live.stop

    return see


def neutral(name: str, turns: Iterable[Turn]) -> str:
    """One line, as `trueup replay` reads it."""
    told = [
        {
            "i": number,
            "tool": turn.tool or str(turn.doing),
            "args": turn.args,
            "kind": str(turn.doing),
            "paths": turn.paths,
            "exit": turn.exit_code,
            "failed": turn.failed,
            "out": turn.output,
            "tok": turn.tokens,
            **({"inner": True} if turn.inner else {}),
            **({"forgot": True} if turn.forgot else {}),
        }
        for number, turn in enumerate(turns)
    ]
    return json.dumps({"id": name, "turns": told}, ensure_ascii=False) + "\n"


def _text(run: str | tuple[str, ...]) -> str:
    return run if isinstance(run, str) else shlex.join(run)
