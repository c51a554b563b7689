"""The live guard: is an agent that people sit beside going anywhere, and is it done when it says so?

    from trueup.guard import Guard

    guard = Guard(checks={"tests": "pytest -q"})
    for step in my_agent:
        said = guard.ran(step.command, step.output, exit_code=step.code)
        if said:
            my_agent.tell(said)      # once per stuck episode: what did not change, and what was tried
    answer = guard.ends()            # None: it may; a text: why not yet

The fold behind it is pure (`decide/turns.py`) and the same that watches the agents of `trueup run`; what it follows is
told turn by turn in docs/guard.md.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as checkers of types know it; a hook has no time to load `typing`
if TYPE_CHECKING:
    from trueup.guard.library import Guard as Guard

__all__ = ["Guard"]


def __getattr__(name: str) -> object:
    """Loaded when it is asked for: each hook is a process of its own, and needs none of it when it is off."""
    if name != "Guard":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from trueup.guard.library import Guard

    return Guard
