"""What must be known about a test runner, so that its results can be seen one by one?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from trueup.act.commands import forgiven_programs
from trueup.act.process import Completed
from trueup.evidence.failure import Failure, Sources
from trueup.evidence.report import SeenBy, Strength, TestPlace
from trueup.report.text import Redact, unchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """One command of one check, before and after it ran."""

    check: str
    argv: tuple[str, ...]
    folder: Path
    """The bench: where the command runs."""
    scratch: Path
    """A fresh folder outside the bench, for whatever the runner needs; removed after `read`.

    What lies there when the command starts, but for `records`, has to be the same when it has ended: code of the tree
    could otherwise replace what a later step loads or runs.
    """
    nonce: str
    """Random letters and digits, for names that nothing else can have."""
    checkout: Path
    """The user's own checkout, which no check may load code from."""
    env: Mapping[str, str]
    """The environment without anything of ours."""
    sources: Sources
    select: tuple[str, ...] | None = None
    """Only these test ids; None = all."""
    ignore: tuple[str, ...] = ()
    """Files of the bench that must not be collected."""
    keep_going: bool = False
    """Do not stop at the first failure although the command asks for it: everything has to be seen."""
    test_limit: float | None = None
    """Seconds after which a single test counts as failed, where the runner can end it alone; None = as it likes."""
    redact: Redact = unchanged
    """Takes secrets out of a text; asked before the text is shortened, so that no cut leaves the half of one."""
    report: str = ""
    """Which report files the check writes, such as `junit:reports/*.xml`; "" when it was not said."""
    decides: bool = True
    """Whether a decision of the check counts: it does not for an agent's own tests."""
    behind: tuple[tuple[str, ...], ...] = ()
    """The command, and those that are written in the recipes and scripts which it runs, as far as they can be read."""

    @property
    def records(self) -> Path:
        """The part of `scratch` that the probes write to while the command runs; nothing is loaded from there."""
        return self.scratch / "records"

    def as_seen(self, text: str) -> str:
        """Nobody but us knows the bench: its paths are the project's own."""
        return text.replace(f"{self.folder.resolve()}/", "").replace(f"{self.folder}/", "")

    def shows(self, form: re.Pattern[str]) -> bool:
        """Whether the command, or one behind it, can be seen to be of this form."""
        return any(form.search(text) for argv in (self.argv, *self.behind) for text in (*argv, " ".join(argv)))

    def forgives(self, *programs: str) -> bool:
        """Whether the command says that one of these programs (or any) may fail: `mypy . || true; pytest`."""
        forgiven = forgiven_programs((self.argv, *self.behind))
        return not forgiven.isdisjoint(programs) if programs else bool(forgiven)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a runner saw. The gate turns it into a status; a runner never says `passed`."""

    failures: tuple[Failure, ...] = ()
    passed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    inventory: tuple[str, ...] | None = None
    """Every collected id; None when the runner cannot be looked into."""
    places: tuple[TestPlace, ...] = ()
    strength: Strength = Strength.EXIT_CODE
    problem: str = ""
    """Why this is no evidence about the tree, whatever the exit code; "" otherwise."""
    running: tuple[str, ...] = ()
    """What had begun and not ended when the command did."""
    rerun: tuple[str, ...] = ()
    """How files with tests are run on their own: this argv followed by their paths; () = not possible."""
    seen_by: SeenBy = SeenBy.TEXT
    """STRUCTURE when the tool itself told it, and not its text."""
    tool: str = ""
    """Which tool was seen; "" leaves it to the gate, which knows the runner that answered, and the text."""
    selects: bool = False
    """Whether some of its tests can be run alone; the gate asks `Runner.select` where this was not said."""
    decision: str = ""
    """What the check itself decided, or why that was ignored; the gate adds it."""
    refused: bool = False
    """The check itself decided that the files do not pass."""
    decided: tuple[Failure, ...] = ()
    """The reasons that it gave; () = its output has to explain it."""


class Runner(Protocol):
    """A kind of test runner.

    Contract:
    - No method raises for what a command, a repository or an output contains.
    - `prepare` may write into `run.scratch` only (what the command itself writes goes to `run.records`), and
      returns the environment variables to add or replace. It is called for *every* command, because the runner may be
      hidden behind `make test`; what it adds must not alter a command that does not use this runner, nor any exit
      code, report file, selection or order. Variables of several runners are merged; where two set the same one, the
      later in the table wins.
    - `prepare` also passes `run.ignore` (new test files that must not be collected) and `run.select` on to its tool; a
      runner that cannot do so leaves them alone, and the files then count like any other.
    - `completed.stdout` holds standard output and error together, cut in the middle when it is long: look at
      `stdout.omitted` before trusting that a line is not there.
    - Ids have the form `file::name` where the tool has files; the subject of a failure that hides tests (phase
      COLLECT) is a prefix of the ids it hides.
    - `read` returns None when nothing of this runner was seen and the command is not plainly this runner's: the
      next one in the table is asked. An id is in `passed` only if it was seen passing to its very end.
    - `hindered` is True when what `prepare` added kept the command from running; it is then run once more
      without any addition, and `read` is asked with a context whose `nonce` is "".
    - `select` returns the argv that runs just these ids, the argv unchanged when `prepare` takes care of
      `run.select`, or None when the runner cannot choose: the whole check is then run.
    - `recognises` looks at the argv only; a shell text is recognised only if it cannot be anything else.
    """

    @property
    def name(self) -> str: ...

    def recognises(self, argv: tuple[str, ...]) -> bool: ...

    def prepare(self, run: RunContext) -> Mapping[str, str]: ...

    def hindered(self, run: RunContext, completed: Completed) -> bool: ...

    def read(self, run: RunContext, completed: Completed) -> Evidence | None: ...

    def select(self, argv: tuple[str, ...], ids: tuple[str, ...]) -> tuple[str, ...] | None: ...
