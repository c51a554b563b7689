"""`trueup demo`: the loop on small real projects, with agents that follow a script; no key, no network."""

from __future__ import annotations

import typer


def command() -> None:
    """Watch trueup at work: small real projects, agents that follow a script, no key, no network."""
    from importlib.util import find_spec

    if find_spec("pytest") is None:
        from trueup.errors import UnverifiableError

        raise UnverifiableError("the demo's checks need pytest", do="Install it beside trueup: pip install pytest")
    raise typer.Exit
