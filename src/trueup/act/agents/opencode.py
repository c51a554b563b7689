"""How is opencode driven?

Cost: each step reports its own as it ends; stopped by a signal it reports nothing more. A model without a price in
opencode's own list costs zero there: then its tokens are counted, if their price is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from trueup.act.agents.base import AgentCall, believable_tokens
from trueup.act.agents.program import Dialect, Invocation, Maker, Options
from trueup.act.agents.reasons import reason, reason_of_http
from trueup.act.agents.tokens import Spending, Used
from trueup.act.agents.told import JsonReader, tool_call
from trueup.act.agents.untrusted import part, text, whole
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

_DOINGS = {
    "bash": Doing.RUN,
    **dict.fromkeys(("edit", "multiedit", "write", "patch", "apply_patch"), Doing.EDIT),
    **dict.fromkeys(("read", "glob", "grep", "list"), Doing.READ),
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
    # What a sub-agent costs is told nowhere.
    denied = dict.fromkeys((_SUB_AGENT, *(_WRITING if call.read_only else ())), "deny")
    env = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_PERMISSION": json.dumps(denied)}
    return Invocation(argv=(*argv, *options.words), env=env)


class OpencodeReader(JsonReader):
    """Lines of `opencode run --format json`."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._spending = Spending(self.told, options)
        self._counted: set[str] = set()
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
        if self._unfinished:
            self._spending.cut_short()
        else:
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
        self._spending.step("", _used(part(about, "tokens")), about.get("cost"))

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
    """A command that failed is «completed» like any other."""
    code = whole(state, "metadata", "exit")
    failed = text(state, "status") == "error" or bool(code)
    asked = tool_call(_DOINGS, tool, part(state, "input"), "filePath", "path")
    return replace(asked, output=text(state, "output") or text(state, "error"), failed=failed, exit_code=code)


OPENCODE = Dialect(
    program="opencode",
    get="npm install -g opencode-ai",
    checked="1.18.33",
    permissions="edits files, runs commands and uses the web without asking; what its own settings deny stays denied",
    read_only="its own permissions deny it to write and to run commands",
    invocation=invocation,
    reader=lambda _call, options: OpencodeReader(options),
)
make = Maker(dialect=OPENCODE, reports_cost=True)
