"""What happened inside an agent's session, one thing at a time, whatever program it was?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Doing(StrEnum):
    EDIT = "edit"
    RUN = "run"
    READ = "read"
    SAY = "say"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that an agent did, with what came of it. Nothing in it is evidence about the work."""

    doing: Doing
    tool: str = ""
    """As the program calls it."""
    args: str = ""
    """What was asked for: the command, the edit, the words. Asked again, the text is the same."""
    paths: tuple[str, ...] = ()
    """The files that were edited or read, as far as the program tells."""
    output: str = ""
    failed: bool | None = None
    """Whether the tool reported a failure; None when the program does not tell."""
    exit_code: int | None = None
    tokens: int | None = None
    """Of this turn alone, where it is told."""
    wrote: bool | None = None
    """Whether files changed by it, where somebody looked: a shell's writes are seen through the files."""
    verify: bool = False
    """Whether the record itself calls it a run of the checks. Commands of checks are recognised without."""
    inner: bool = False
    """Whether a helper of the agent did it, which knows nothing of what the agent has seen."""
    forgot: bool = False
    """Nothing was done: the program has shortened what the agent has before it, and it has to look again."""

    @property
    def line(self) -> str:
        """For the live line: what is being done, without what came of it."""
        match self.doing:
            case Doing.EDIT | Doing.READ if self.paths:
                return f"{self.doing} {', '.join(self.paths)}"
            case Doing.RUN:
                return f"$ {self.args}"
            case Doing.SAY:
                return self.args
            case _:
                return f"{self.tool} {self.args}".strip()
