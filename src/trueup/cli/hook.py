"""`trueup hook`: what a guarded agent's program calls. People have no use for it."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    agent: Annotated[str, typer.Argument(help="Whose hook this is.")],
    event: Annotated[str, typer.Argument(help="The hook's name, as the program calls it.")],
    always: Annotated[bool, typer.Option("--always", help="Guard every session, not only those that ask.")] = False,
) -> None:
    """Answer an agent's hook: what happened is read from standard input, and the answer is what the program expects.

    Installed by `trueup guard install`. It says nothing unless the session asked for it (TRUEUP_GUARD=1, or --always),
    and it never fails: what goes wrong is noted in the guard's log.

    \b
      echo '{"session_id": "1", "cwd": "."}' | TRUEUP_GUARD=1 trueup hook claude Stop
    """
    from trueup.guard.hook import ALWAYS, main

    main((agent, event, *([ALWAYS] if always else [])))
