"""What would trueup do if the agent did exactly this? An agent that follows a script, one step for each attempt."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from trueup.act.agents.base import AgentContext, AgentReport
from trueup.errors import UsageError
from trueup.testing import scripted_command

Edit = Callable[[Path, str], object]
"""Called with the workspace and the prompt."""


@dataclass(frozen=True, slots=True)
class Say:
    """A step that changes nothing and claims something."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Everything an attempt can do, in this order."""

    writes: Mapping[str, str | None] = field(default_factory=dict)
    """Path in the workspace, and its new text; None deletes it."""
    shell: Sequence[str] = ()
    """Commands, run in the workspace; only in the command form."""
    say: str = ""
    usd: float | None = None
    sleep: float = 0.0
    exit_code: int = 0


class ScriptedExitError(Exception):
    """The step asked for a non-zero exit code."""


class ScriptedAgent:
    """Give it to the Python API as a function, or run it as a real process through `as_command`.

    A step is a `Step`, a mapping of paths to texts, a `Say`, or a function of the workspace and the prompt. `usd` is
    the cost of each step that names none. After the last step, `then="nothing"` does nothing and `then="repeat"`
    repeats that step.
    """

    def __init__(
        self,
        *steps: Step | Mapping[str, str | None] | Say | Edit,
        then: Literal["repeat", "nothing"] = "nothing",
        usd: float | None = None,
    ) -> None:
        self._steps = [_as_step(step, usd) for step in steps]
        self._then = then
        self._folder: Path | None = None
        self._prompts: list[str] = []

    @property
    def prompts(self) -> tuple[str, ...]:
        """What the function form was asked, in order."""
        return tuple(self._prompts)

    def __call__(self, context: AgentContext) -> AgentReport:
        self._prompts.append(context.prompt)
        step = self._chosen(context.attempt)
        if not isinstance(step, Step):
            step(context.workspace, context.prompt)
            return AgentReport()
        if step.shell:
            raise UsageError("a scripted agent runs shell commands only as a process", do="Use `as_command`.")
        for path, text in step.writes.items():
            scripted_command.write(context.workspace / path, text)
        time.sleep(step.sleep)
        if step.exit_code:
            raise ScriptedExitError(f"exit code {step.exit_code}: {step.say}")
        return AgentReport(usd=step.usd, note=step.say)

    def as_command(self, folder: Path) -> str:
        """Write the script into a folder outside the project; the command for `--agent-cmd`."""
        steps = [asdict(step) for step in self._steps if isinstance(step, Step)]
        if len(steps) != len(self._steps):
            raise UsageError("a Python function cannot be a step of a command", do="Use `Step(writes=…, shell=…)`.")
        folder.mkdir(parents=True, exist_ok=True)
        script = folder / "scripted_agent.py"
        shutil.copyfile(scripted_command.__file__, script)
        (folder / "steps.json").write_text(json.dumps({"steps": steps, "then": self._then}), encoding="utf-8")
        self._folder = folder
        known = shlex.join([sys.executable, "-S", str(script), str(folder)])
        return f"{known} {{attempt}} {{prompt_file}} {{result_file}}"

    def read_prompts(self) -> tuple[str, ...]:
        """What the command form was asked, in order."""
        files = sorted(self._folder.glob("prompt-*.txt")) if self._folder else []
        return tuple(file.read_text(encoding="utf-8") for file in files)

    def _chosen(self, attempt: int) -> Step | Edit:
        if attempt <= len(self._steps):
            return self._steps[attempt - 1]
        return self._steps[-1] if self._steps and self._then == "repeat" else Step()


def _as_step(step: Step | Mapping[str, str | None] | Say | Edit, usd: float | None) -> Step | Edit:
    if isinstance(step, Say):
        return Step(say=step.text, usd=usd)
    if isinstance(step, Mapping):
        return Step(writes=step, usd=usd)
    if isinstance(step, Step):
        return step if step.usd is not None else Step(**{**asdict(step), "usd": usd})
    return step
