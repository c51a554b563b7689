"""How is any command run as an agent?

The command gets the prompt on standard input, or through a placeholder: `{prompt_file}`, `{prompt}`; further ones
are `{workspace}`, `{attempt}`, `{result_file}`, where it may leave its cost as JSON, and `{session}`: what it named
there as its session at an earlier attempt, empty when a new one is to begin. Its exit code and its words are never
evidence about the work; they only tell how the process ended.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trueup.act.agents.base import AgentCall, AgentFunction, AgentInfo, AgentResult, shown
from trueup.act.agents.claims import Claim, read_claim
from trueup.act.agents.reasons import LAST_WORDS, reason
from trueup.act.agents.template import CommandTemplate, read_template
from trueup.act.command_line import which
from trueup.act.process import DEFAULT_GRACES, Cancelled, Completed, Processes
from trueup.decide.moves import AgentStatus
from trueup.decide.task import AgentSpec
from trueup.errors import UsageError
from trueup.evidence.normalize import neutralise

_LONGEST_ARGUMENT = 120_000
"""Linux refuses a single argument of 128 KiB."""
_DETAIL_LENGTH = 500
_PARTIAL_LINE = 4_000
_NOT_FOUND = 127


def make(spec: AgentSpec, callables: Mapping[str, AgentFunction]) -> CommandAgent:  # noqa: ARG001 - the factories' shape
    if not spec.command:
        raise UsageError(
            f"the agent {spec.name!r} has no command",
            do="Give one with --agent-cmd, or as `command` in the configuration.",
        )
    shell = spec.options.get("shell") == "true"
    return CommandAgent(name=spec.name, template=read_template(spec.command, shell=shell))


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAgent:
    name: str
    template: CommandTemplate

    def describe(self) -> AgentInfo:
        return AgentInfo(
            permissions="what it asks before acting is up to the command",
            missing=self._missing(),
        )

    def run(self, call: AgentCall, processes: Processes, on_activity: Callable[[str], None]) -> AgentResult:
        result_file = call.scratch / "result.json"
        result_file.unlink(missing_ok=True)
        argv = self.template.fill(_values(call, result_file))
        if max(len(os.fsencode(word)) for word in argv) > _LONGEST_ARGUMENT:
            detail = "the prompt is too long for an argument; use {prompt_file}"
            return AgentResult(status=AgentStatus.FAILED, began=False, detail=detail)
        lines = _LastLine(on_activity)
        seconds, graces = DEFAULT_GRACES.within(call.seconds)  # it may report its cost, and is gone in time
        try:
            completed = processes.run(
                argv,
                cwd=call.workspace,
                env=call.env,
                timeout=seconds,
                graces=graces,
                stdin=None if self.template.names & {"prompt", "prompt_file"} else _encoded(call.prompt),
                merge_stderr=True,
                on_output=lines.feed,
            )
        except Cancelled:
            return AgentResult(status=AgentStatus.CANCELLED, began=False)
        claim = read_claim(result_file) if "result_file" in self.template.names else Claim()
        return _result(completed, claim)

    def _missing(self) -> str:
        """Only the first word can be looked up; what a script calls shows when it runs."""
        program = self.template.words[0]
        found = which(program, os.environ.get("PATH", os.defpath))
        return "" if found else f"{program} was not found"


def _values(call: AgentCall, result_file: Path) -> dict[str, str]:
    return {
        "prompt": call.prompt.encode("utf-8", "replace").decode(),
        "prompt_file": str(call.prompt_file),
        "workspace": str(call.workspace),
        "attempt": str(call.attempt),
        "result_file": str(result_file),
        "session": call.session,
    }


def _encoded(prompt: str) -> bytes:
    return prompt.encode("utf-8", "replace")


def _result(completed: Completed, claim: Claim) -> AgentResult:
    text = completed.stdout.text()
    status = _status(completed, text)
    last = _last_lines(text)
    return AgentResult(
        status=status,
        exit_code=completed.exit_code,
        claimed_usd=claim.usd,
        total_usd=claim.total_usd,
        claim_problem=claim.problem,
        session=claim.session,
        tokens=claim.tokens,
        note=claim.note or shown(last[-1] if last else "", _DETAIL_LENGTH),
        said=text,
        detail="" if status is AgentStatus.DONE else _detail(completed, last),
        transcript=text.encode("utf-8", "replace"),
        duration=completed.duration,
    )


def _status(completed: Completed, text: str) -> AgentStatus:
    if completed.not_started:
        return AgentStatus.MISSING
    if completed.cancelled:
        return AgentStatus.CANCELLED
    if completed.timed_out:
        return AgentStatus.TIMEOUT
    if completed.exit_code == 0:
        return AgentStatus.DONE
    if completed.exit_code == _NOT_FOUND and "not found" in text[-LAST_WORDS:]:
        return AgentStatus.MISSING
    return reason(text) or AgentStatus.FAILED


def _detail(completed: Completed, last: list[str]) -> str:
    return shown(completed.not_started or " / ".join(last[-3:]) or f"exit code {completed.exit_code}", _DETAIL_LENGTH)


def _last_lines(text: str) -> list[str]:
    last = text[-LAST_WORDS:]
    whole = re.sub(r"\A\S*", "", last) if len(last) < len(text) else last  # the half of a secret looks like none
    return [line for line in neutralise(whole).split("\n") if line.strip()]


class _LastLine:
    """Passes on the newest complete line of a stream of pieces."""

    def __init__(self, on_activity: Callable[[str], None]) -> None:
        self._on_activity = on_activity
        self._partial = b""

    def feed(self, chunk: bytes) -> None:
        *complete, partial = (self._partial + chunk).split(b"\n")
        # A program that never ends its line must not make us keep it all.
        self._partial = partial[:_PARTIAL_LINE]
        lines = (shown(line[:_PARTIAL_LINE].decode("utf-8", "replace")) for line in reversed(complete))
        newest = next((line for line in lines if line), "")
        if newest:
            self._on_activity(newest)
