"""Hooks, in the clone's own folder and by `core.hooksPath`, wait for the next git command that we give."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step

HOOKS = "post-checkout post-index-change pre-commit reference-transaction post-commit pre-auto-gc fsmonitor-watchman"


def test_no_hook_is_run(attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path) -> None:
    ran, hooks = tmp_path / "code-was-run", tmp_path / "hooks"
    plant = Step(
        writes={"README.md": "first\n"},
        shell=[
            f"mkdir -p {hooks} .git/hooks",
            f"for hook in {HOOKS}; do printf '#!/bin/sh\\ntouch {ran}\\n' > {hooks}/$hook; done; chmod +x {hooks}/*",
            f"cp {hooks}/* .git/hooks/; printf '[core]\\nhooksPath = {hooks}\\n' >> .git/config",
        ],
    )
    attack(plant, {"README.md": "second\n"}, check=quick, command=True)
    assert not ran.exists()
