"""How is opencode driven?

Cost: each step reports its own as it ends; stopped by a signal it reports nothing more. A model without a price in
opencode's own list costs zero there: then its tokens are counted, if their price is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from trueup.act.agents.base import AgentCall, AgentFunction, believable_tokens
from trueup.act.agents.program import Dialect, Invocation, Options, ProgramAgent
from trueup.act.agents.reasons import reason, reason_of_http
from trueup.act.agents.tokens import Used
from trueup.act.agents.told import JsonReader, call_text
from trueup.act.agents.untrusted import part, text, whole
from trueup.config.prices import Price
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn
from trueup.decide.task import AgentSpec

_DOINGS = {
    "bash": Doing.RUN,
    "edit": Doing.EDIT,
    "multiedit": Doing.EDIT,
    "write": Doing.EDIT,
    "patch": Doing.EDIT,
    "apply_patch": Doing.EDIT,
    "read": Doing.READ,
    "glob": Doing.READ,
    "grep": Doing.READ,
    "list": Doing.READ,
}
_ERRORS = {
    "ProviderAuthError": AgentStatus.CREDENTIALS,
    "ContextOverflowError": AgentStatus.CONTEXT_FULL,
    "ContentFilterError": AgentStatus.REFUSED,
}
_REFUSED = "content-filter"
_SUB_AGENT = "task"
_WRITING = ("edit", "bash")
"""Permissions: that to edit is also that to write and to patch."""
_NOT_TOLD = "the agent let another one work, and does not report what that costs"


def invocation(program: str, call: AgentCall, options: Options) -> Invocation:
    argv = [program, "run", "--format", "json", "--auto", "--dir", str(call.workspace)]
    # A refusal that it will not accept, such as a rate limit, is told nowhere else, and it asks again for ever.
    argv += ["--print-logs", "--log-level", "ERROR"]
    # Without a title it asks a model for one, and tells nobody what that costs.
    argv += ["--session", call.session] if call.session else ["--title", f"trueup: attempt {call.attempt}"]
    argv += ["--model", options.model] if options.model else []
    # What a sub-agent costs is told nowhere.
    denied = dict.fromkeys((_SUB_AGENT, *(_WRITING if call.read_only else ())), "deny")
    return Invocation(
        argv=(*argv, *options.args),
        stdin=call.prompt.encode("utf-8", "replace"),  # as an argument it would be sent in quotation marks
        env={"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_PERMISSION": json.dumps(denied)},
    )


class OpencodeReader(JsonReader):
    """Lines of `opencode run --format json`."""

    def __init__(self, price: Price | None = None) -> None:
        super().__init__()
        self._price = price
        self._counted: set[str] = set()
        self._dearest = 0.0
        self._unfinished = False

    def event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        self.told.name_session(event.get("sessionID"))
        about = part(event, "part")
        match text(event, "type"):
            case "step_start":
                self.told.worked = self._unfinished = True
            case "text" if text(about, "text").strip():
                yield Turn(doing=Doing.SAY, args=text(about, "text"))
            case "tool_use":
                if text(about, "tool") == _SUB_AGENT:
                    self.told.doubt(_NOT_TOLD)
                yield _turn(text(about, "tool"), part(about, "state"))
            case "step_finish":
                self._step(about)
            case "error":
                yield self._error(part(event, "error"))

    def finish(self) -> Iterator[Turn]:
        """A step that was cut short is paid for too: it is taken to have cost as much as the dearest one."""
        if self._unfinished and self._dearest:
            self.told.spend(usd=self._dearest)
        if not self._unfinished:
            self.told.close()
        yield from super().finish()

    def _step(self, about: Mapping[str, Any]) -> None:
        """Told twice, a step has still been paid once."""
        name = text(about, "id")
        if name and name in self._counted:
            return
        self._counted.add(name)
        self.told.worked, self._unfinished = True, False
        self.told.status = AgentStatus.REFUSED if text(about, "reason") == _REFUSED else None
        used = _used(part(about, "tokens"))
        cost = about.get("cost")
        if cost == 0 and self._price is not None:
            cost = used.usd(self._price)
        self._dearest = max(self._dearest, self.told.spend(usd=cost, tokens=used.total))

    def _error(self, error: Mapping[str, Any]) -> Turn:
        """Not always the end: a conversation that is full is made shorter, again and again if that does not help."""
        name, message = text(error, "name"), text(error, "data", "message")
        self.told.complain(f"{name}: {message}")
        known = _ERRORS.get(name) or reason_of_http(whole(error, "data", "statusCode") or 0)
        said = f"{message}\n{text(error, 'data', 'responseBody')}"
        self.told.status = known or reason(said) or AgentStatus.FAILED
        return Turn(doing=Doing.OTHER, tool="error", args=name, output=message, failed=True)


def _used(tokens: Mapping[str, Any]) -> Used:
    return Used(
        fresh=_count(tokens, "input") + _count(tokens, "cache", "write"),
        cached=_count(tokens, "cache", "read"),
        output=_count(tokens, "output") + _count(tokens, "reasoning"),
    )


def _count(tokens: Mapping[str, Any], *path: str) -> int:
    return believable_tokens(whole(tokens, *path)) or 0


def _turn(tool: str, state: Mapping[str, Any]) -> Turn:
    given = part(state, "input")
    path = text(given, "filePath") or text(given, "path")
    # A command that failed is «completed» like any other.
    exit_code = whole(state, "metadata", "exit")
    return Turn(
        doing=_DOINGS.get(tool, Doing.OTHER),
        tool=tool,
        args=text(given, "command") if tool == "bash" else call_text(dict(given)),
        paths=(path,) if path else (),
        output=text(state, "output") or text(state, "error"),
        failed=text(state, "status") == "error" or bool(exit_code),
        exit_code=exit_code,
    )


OPENCODE = Dialect(
    program="opencode",
    get="npm install -g opencode-ai",
    checked="1.18.33",
    permissions="edits files, runs commands and uses the web without asking; what its own settings deny stays denied",
    read_only="its own permissions deny it to write and to run commands",
    invocation=invocation,
    reader=lambda _call, options: OpencodeReader(options.price),
)


def make(spec: AgentSpec, callables: Mapping[str, AgentFunction]) -> ProgramAgent:  # noqa: ARG001 - the factories' shape
    return ProgramAgent(name=spec.name, dialect=OPENCODE, options=Options.of(spec))


make.reports_cost = True  # type: ignore[attr-defined]  # read by the table of agents
