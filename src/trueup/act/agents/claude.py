"""How is Claude Code driven?

Cost: each invocation reports its own in its last event, also of a resumed session; interrupted by SIGINT it still does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from trueup.act.agents.base import AgentCall
from trueup.act.agents.program import Dialect, Invocation, Maker, Options, session_words
from trueup.act.agents.reasons import reason, reason_of_http
from trueup.act.agents.told import JsonReader, tool_call
from trueup.act.agents.untrusted import part, parts, text, texts, whole
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

_TOOLS = "Bash,Edit,MultiEdit,Write,NotebookEdit,Read,Glob,Grep,Task,TodoWrite"
_READING = "Read,Glob,Grep,TodoWrite"
_WRITING = "Bash,Edit,MultiEdit,Write,NotebookEdit,Task,WebFetch,WebSearch"
_DOINGS = {
    "Bash": Doing.RUN,
    **dict.fromkeys(("Edit", "MultiEdit", "Write", "NotebookEdit"), Doing.EDIT),
    **dict.fromkeys(("Read", "Glob", "Grep"), Doing.READ),
}
_PATHS = ("file_path", "notebook_path", "path")
_OWN_LIMITS = frozenset({"error_max_turns", "error_max_budget_usd"})
_SYNTHETIC = "<synthetic>"
"""The model of messages that the program wrote itself, such as the text of an API error."""
_LEAST_USD = 0.01
_DECLINED = "refusal"
_CUT_SHORT = "aborted_streaming"
_NOT_COUNTED = "the agent was interrupted while its model answered, and did not count that"
_BACKGROUND = "Command running in background with ID"


def invocation(program: str, call: AgentCall, options: Options) -> Invocation:
    argv = [program, "-p", "--output-format", "stream-json", "--verbose"]
    # Not --dangerously-skip-permissions: that is refused to root, and allows more than an attempt needs.
    if call.read_only:  # not `plan`: that asks for a plan instead of an answer
        argv += ["--permission-mode", "default", "--allowedTools", _READING, "--disallowedTools", _WRITING]
    else:
        argv += ["--permission-mode", "acceptEdits", "--allowedTools", _TOOLS]
    argv += ["--max-budget-usd", f"{max(call.usd, _LEAST_USD):.4f}"] if call.usd is not None else []
    return Invocation(
        argv=(*argv, *session_words(call), *options.words),
        env={"CLAUDE_CODE_MAX_RETRIES": "3", "DISABLE_AUTOUPDATER": "1"},
        unset=("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"),  # else it takes itself for a nested one
    )


class ClaudeReader(JsonReader):
    """Lines of `--output-format stream-json`; also what Claude Code keeps as a session's transcript."""

    doings: ClassVar[Mapping[str, Doing]] = _DOINGS
    """What its tools do."""
    _inner = False
    """Whether the event is of a sub-agent: those come among the others, and name the call that began it."""

    def event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        self.told.name_session(event.get("session_id") or event.get("sessionId"))
        self._inner = bool(text(event, "parent_tool_use_id")) or event.get("isSidechain") is True
        match text(event, "type"):
            case "assistant":
                yield from self._assistant(part(event, "message"))
            case "user":
                yield from self._answers(part(event, "message"))
            case "system" if text(event, "subtype") == "compact_boundary":
                yield Turn(doing=Doing.OTHER, tool="compaction", forgot=True)
            case "system" if text(event, "subtype") == "api_retry":
                self.told.status = reason_of_http(whole(event, "error_status") or 0)
                self.told.complain(f"HTTP {whole(event, 'error_status')}: {text(event, 'error')}")
            case "result":
                self._result(event)

    def _assistant(self, message: Mapping[str, Any]) -> Iterator[Turn]:
        if text(message, "model") != _SYNTHETIC:
            self.told.answered()
        for block in parts(message, "content"):
            if text(block, "type") == "text" and text(block, "text").strip():
                yield Turn(doing=Doing.SAY, args=text(block, "text"), inner=self._inner)
            elif text(block, "type") == "tool_use":
                asked = tool_call(self.doings, text(block, "name"), part(block, "input"), *_PATHS, inner=self._inner)
                self.asked[text(block, "id")] = asked

    def _answers(self, message: Mapping[str, Any]) -> Iterator[Turn]:
        for block in parts(message, "content"):
            name = text(block, "tool_use_id")
            asked = self.asked.pop(name, None)
            if asked is not None:
                yield from self.answered(name, _answered(asked, block))

    def answered(self, name: str, turn: Turn) -> Iterator[Turn]:  # noqa: ARG002 - for programs that say more elsewhere
        """What came of a tool call, by the program's name for it."""
        yield turn

    def _result(self, event: Mapping[str, Any]) -> None:
        tokens = sum(_tokens(usage) for usage in part(event, "modelUsage").values())
        self.told.bill(usd=event.get("total_cost_usd"), tokens=tokens)
        if text(event, "terminal_reason") == _CUT_SHORT and self.told.usd == 0:
            self.told.doubt(_NOT_COUNTED)
        final = text(event, "result")
        if text(event, "subtype") in _OWN_LIMITS:
            self.told.status = AgentStatus.DONE
            self.told.last_words = "it stopped at its own limit"
        elif event.get("is_error") is not False or text(event, "stop_reason") == _DECLINED:
            complaints = [final, *texts(event, "errors")]
            for complaint in filter(None, complaints):
                self.told.complain(complaint)
            self.told.status = _why(event, complaints)
        else:
            self.told.status = None


def _why(event: Mapping[str, Any], complaints: list[str]) -> AgentStatus:
    if text(event, "stop_reason") == _DECLINED:
        return AgentStatus.REFUSED
    by_code = reason_of_http(whole(event, "api_error_status") or 0)
    return by_code or reason("\n".join(complaints)) or AgentStatus.FAILED


def _tokens(usage: object) -> int:
    names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    return sum(max(whole(usage, name) or 0, 0) for name in names)


def _answered(asked: Turn, block: Mapping[str, Any]) -> Turn:
    content = block.get("content")
    output = content if isinstance(content, str) else "\n".join(text(one, "text") for one in parts(block, "content"))
    failed = block.get("is_error") is True
    return replace(
        asked,
        output=output,
        failed=failed,
        exit_code=_exit_code(output, failed=failed) if asked.doing is Doing.RUN else None,
    )


def _exit_code(output: str, *, failed: bool) -> int | None:
    """A failed command's output begins with `Exit code 3`; one that was sent to the background has none yet."""
    if not failed:
        return None if output.startswith(_BACKGROUND) else 0
    first = output.partition("\n")[0]
    number = first.removeprefix("Exit code ")
    return int(number) if number != first and number.isdecimal() else None


CLAUDE = Dialect(
    program="claude",
    get="npm install -g @anthropic-ai/claude-code",
    checked="2.1.197",
    permissions="edits files and runs any command in its workspace without asking; no web tools",
    read_only="it has tools for reading only",
    invocation=invocation,
    reader=lambda _call, _options: ClaudeReader(),
)
make = Maker(dialect=CLAUDE, reports_cost=True)
