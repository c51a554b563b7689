"""What does a command say that no other runner knows? Its exit code, and its text when it failed."""

from __future__ import annotations

from collections.abc import Mapping

from trueup.act.process import Completed
from trueup.verify.runners.base import Evidence, RunContext


class GenericRunner:
    """The last one in the table: knows every command, and nothing about any."""

    name = "generic"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        return bool(argv)

    def prepare(self, run: RunContext) -> Mapping[str, str]:  # noqa: ARG002 - nothing is added
        return {}

    def hindered(self, run: RunContext, completed: Completed) -> bool:  # noqa: ARG002 - nothing was added
        return False

    def read(self, run: RunContext, completed: Completed) -> Evidence:  # noqa: ARG002 - the gate reads the text
        return Evidence()

    def select(self, argv: tuple[str, ...], ids: tuple[str, ...]) -> None:  # noqa: ARG002 - it cannot choose
        return None
