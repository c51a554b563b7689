"""What do the declared checks say, run now, where the session works?

This is no proof: it happens in the agent's own folder, and only answers the agent's own claim to be done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trueup.act.command_line import parse_command
from trueup.act.process import Processes
from trueup.decide.commands import Declared
from trueup.decide.session import Doing, Turn
from trueup.decide.verification import Checked, checked

SECONDS = 540.0
"""For all checks together: an agent's program waits ten minutes for its hook."""
_HIDDEN = ("TRUEUP_GUARD",)
"""A check that starts agents itself is not guarded."""


class NotRun(Exception):  # noqa: N818 - says what happened
    """Why there is no result."""


def run_checks(checks: Sequence[Declared], folder: Path, environ: Mapping[str, str]) -> list[Checked]:
    """One result for each. Raises `NotRun` when one of them has none: that is neither a pass nor a failure."""
    env = {name: value for name, value in environ.items() if name not in _HIDDEN}
    results = []
    with Processes() as processes:
        left = SECONDS
        for check in checks:
            done = processes.run(parse_command(check.command), cwd=folder, env=env, timeout=left)
            left = max(1.0, left - done.duration)
            if done.not_started or done.timed_out:
                raise NotRun(f"{check.name}: {done.not_started or 'it took too long'}")
            turn = Turn(doing=Doing.RUN, args=check.command, output=done.stdout.text(), exit_code=done.exit_code)
            result = checked(turn, (check,))
            if result is None:
                raise NotRun(f"{check.name}: its result cannot be told")
            results.append(result)
    return results
