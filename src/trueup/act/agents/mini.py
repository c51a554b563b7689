"""How is mini-swe-agent driven?

Cost: its trajectory file has that of the whole invocation, rewritten after each step, also when it is interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trueup.act.agents.base import AgentCall, believable_tokens
from trueup.act.agents.own_file import TOO_LARGE, OwnFile
from trueup.act.agents.program import Dialect, Invocation, Maker, Options
from trueup.act.agents.reasons import reason_of_litellm
from trueup.act.agents.tokens import Spending, Used
from trueup.act.agents.told import Told
from trueup.act.agents.untrusted import part, parts, record, text, whole
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

_LEAST_USD = 0.01
"""Zero means to mini that there is no limit."""
_OWN_LIMITS = frozenset({"LimitsExceeded", "TimeExceeded"})
_NO_REASON = frozenset({"Submitted", "EOFError"})
"""Well ended, and interrupted: after SIGINT it asks what to do, and there is nobody."""
_WITHHELD = "content_filter"
"""Why an answer ended: the provider or the model declined."""
_NOT_EXECUTED = "action was not executed"
"""The answer to the command by which it says that it is done."""
_NO_CODE = -1
"""Of a command that did not end by itself."""
_ITS_DEFAULT = "../config/mini.yaml"
"""Its own settings by a name that is looked up beside its package, and cannot be a file of the project."""


def invocation(program: str, call: AgentCall, options: Options) -> Invocation:
    argv = [program, "--yolo", "--exit-immediately", "--output", str(_trajectory(call))]
    argv += ["--config", call.env.get("MSWEA_MINI_CONFIG_PATH") or _ITS_DEFAULT, "--config", str(_write_task(call))]
    argv += ["--cost-limit", f"{max(call.usd, _LEAST_USD):.4f}"] if call.usd is not None else []
    env = {"MSWEA_CONFIGURED": "true", "MSWEA_SILENT_STARTUP": "1", "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "4"}
    # A model whose price it does not know ends it, unless it is told not to mind: then we count.
    counted = {"MSWEA_COST_TRACKING": "ignore_errors"} if options.price is not None else {}
    return Invocation(argv=(*argv, *options.words), asks=False, env=env | counted)


def _trajectory(call: AgentCall) -> Path:
    return call.scratch / "trajectory.json"


def _write_task(call: AgentCall) -> Path:
    """The prompt as settings (JSON is YAML): an argument would be in everybody's list of processes."""
    path = call.scratch / "task.yaml"
    path.write_text(json.dumps({"run": {"task": call.prompt}}), encoding="utf-8")
    return path


class MiniReader:
    """The trajectory, looked at again whenever a line is printed. The lines are for people: they are not read."""

    def __init__(self, trajectory: Path, options: Options) -> None:
        self.told = Told()
        self._file = OwnFile(trajectory)
        self._spending = Spending(self.told, options)
        self._taken = 0

    def read(self, line: str) -> Iterator[Turn]:  # noqa: ARG002 - only a sign of life
        yield from self._look()

    def finish(self) -> Iterator[Turn]:
        yield from self._look()
        self.told.close()

    def _look(self) -> Iterator[Turn]:
        content = record(self._file.news())  # nothing while it is half written: the next line is soon enough
        if self._file.too_large:
            self.told.doubt(TOO_LARGE)
        if content:
            messages = parts(content, "messages")
            yield from _turns(messages[self._taken :])
            self._taken = max(self._taken, len(messages))
            self._bill(content, messages)
            self._end(messages)

    def _bill(self, content: Mapping[str, Any], messages: list[Mapping[str, Any]]) -> None:
        used = sum((_used(part(message, "extra", "response", "usage")) for message in messages), Used())
        self._spending.sum_up(used, part(content, "info", "model_stats").get("instance_cost"))
        self.told.worked = used.output > 0

    def _end(self, messages: list[Mapping[str, Any]]) -> None:
        for message in messages[-1:]:
            why = text(message, "extra", "exit_status")
            if text(message, "role") != "exit" or why in _NO_REASON:
                self.told.status = None
            elif why in _OWN_LIMITS:
                self.told.status, self.told.last_words = AgentStatus.DONE, "it stopped at its own limit"
            else:
                self.told.complain(f"{why}: {text(message, 'content')}")
                known = AgentStatus.REFUSED if _declined(messages) else reason_of_litellm(why, text(message, "content"))
                self.told.status = known or AgentStatus.FAILED


def _declined(messages: list[Mapping[str, Any]]) -> bool:
    """Its latest answer is kept with whatever mini made of it; an answer without a command is asked for again."""
    answers = [answer for message in messages if (answer := part(message, "extra", "response"))]
    latest = answers[-1] if answers else {}
    return any(text(choice, "finish_reason") == _WITHHELD for choice in parts(latest, "choices"))


def _used(usage: Mapping[str, Any]) -> Used:
    kept = _count(usage, "prompt_tokens_details", "cached_tokens")
    fresh = max(_count(usage, "prompt_tokens") - kept, 0)
    return Used(fresh=fresh, cached=kept, output=_count(usage, "completion_tokens"))


def _count(usage: Mapping[str, Any], *path: str) -> int:
    return believable_tokens(whole(usage, *path)) or 0


def _turns(messages: list[Mapping[str, Any]]) -> Iterator[Turn]:
    """A step is the model's words with its commands, then one answer for each of them."""
    commands: list[str] = []
    for message in messages:
        extra = part(message, "extra")
        if "actions" in extra:  # what else a model's message looks like depends on its provider
            commands = [text(action, "command") for action in parts(extra, "actions")]
            if text(message, "content").strip():
                yield Turn(doing=Doing.SAY, args=text(message, "content"))
        elif commands and whole(extra, "returncode") is not None:
            yield _answered(commands.pop(0), extra)


def _answered(command: str, extra: Mapping[str, Any]) -> Turn:
    code = whole(extra, "returncode")
    skipped = text(extra, "exception_info") == _NOT_EXECUTED
    return Turn(
        doing=Doing.RUN,
        tool="bash",
        args=command,
        output=text(extra, "raw_output"),
        failed=None if skipped else code != 0,
        exit_code=None if code == _NO_CODE else code,
    )


MINI = Dialect(
    program="mini",
    get="pipx install mini-swe-agent",
    checked="2.4.6",
    permissions="runs any command without asking",
    invocation=invocation,
    reader=lambda call, options: MiniReader(_trajectory(call), options),
)
make = Maker(dialect=MINI, reports_cost=True)
