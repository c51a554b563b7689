"""How is Qwen Code driven?

Cost: it tells the tokens of the whole session so far in its last event, and those of each answer as it comes:
interrupted, these are what is known. An error of its provider is a message like the model's that used no tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from trueup.act.agents.base import AgentCall
from trueup.act.agents.chat import Chat, Ran, settings
from trueup.act.agents.claude import ClaudeReader
from trueup.act.agents.own_file import own_folder
from trueup.act.agents.program import Dialect, Invocation, Maker, Options, session_words
from trueup.act.agents.reasons import reason, reason_of_http
from trueup.act.agents.tokens import Spending, Used
from trueup.act.agents.untrusted import part, parts, text
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

_API_ERROR = "[API Error: "
_NOT_THESE = ("web_fetch", "web_search", "ask_user_question", "monitor")
_WRITING = ("run_shell_command", "edit", "write_file", "notebook_edit", "task", "agent")
_SETTINGS = (
    "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
    "/etc/qwen-code/system-defaults.json",
    # Else a request that is refused for its rate is repeated for the better part of an hour, without a word.
    {"model": {"generationConfig": {"maxRetries": 0}}, "general": {"enableAutoUpdate": False}},
)
_LOG = "debug/{name}.txt"
_REPEATED = re.compile(r"\[RETRY\] Attempt \d+ failed with status (\d{3})\b")
_CHAT = "projects/*/chats/{name}.jsonl"
_OWN_WORDS = (
    ("Connection error", AgentStatus.OVERLOADED),
    ("Request timed out", AgentStatus.OVERLOADED),
    ("Range of input length should be", AgentStatus.CONTEXT_FULL),
)


def invocation(program: str, call: AgentCall, options: Options) -> Invocation:
    argv = [program, "--output-format", "stream-json"]
    # Not yolo: nobody is asked either way, and what is not allowed here is refused.
    mode = ["default"] if call.read_only else ["auto-edit", "--allowed-tools", "run_shell_command"]
    excluded = (*_NOT_THESE, *(_WRITING if call.read_only else ()))
    argv += ["--approval-mode", *mode, *(word for tool in excluded for word in ("--exclude-tools", tool))]
    return Invocation(argv=(*argv, *session_words(call), *options.words), env=settings(call, *_SETTINGS))


class QwenReader(ClaudeReader):
    """Lines of `--output-format stream-json`, which are much like Claude Code's."""

    doings: ClassVar[Mapping[str, Doing]] = {
        "run_shell_command": Doing.RUN,
        **dict.fromkeys(("edit", "write_file"), Doing.EDIT),
        **dict.fromkeys(("read_file", "list_directory", "glob", "grep_search"), Doing.READ),
    }

    def __init__(self, call: AgentCall, options: Options) -> None:
        super().__init__()
        self._spending = Spending(self.told, options)
        self._model = options.model
        self._resumed = bool(call.session)
        self.told.name_session(call.session)
        home = own_folder(call, "QWEN_HOME", ".qwen")
        self._chat = Chat(Path(call.env.get("QWEN_RUNTIME_DIR") or home), _CHAT)
        self._ran = Ran(self._chat)
        self._refusal = ""
        """The latest message, if it is an error of the provider."""

    def event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        yield from self._ran.known_now(self.told.session)
        yield from super().event(event)

    def finish(self) -> Iterator[Turn]:
        yield from self._ran.known_now(self.told.session)
        if self.told.ends == 0:
            self._spending.cut_short()
            self._why_nothing()
        yield from super().finish()

    def answered(self, name: str, turn: Turn) -> Iterator[Turn]:
        """A command that failed is no error; its exit code is told to the model alone."""
        yield from self._ran.take(name, turn)

    def _why_nothing(self) -> None:
        """It repeats refused requests without a word; only its log tells."""
        repeated = () if self.told.worked else _REPEATED.findall(self._chat.log(_LOG, self.told.session))
        for code in repeated[-1:]:
            self.told.status = reason_of_http(int(code))
            self.told.complain(f"HTTP {code}")

    def _assistant(self, message: Mapping[str, Any]) -> Iterator[Turn]:
        used = _used(part(message, "usage"))
        said = "".join(text(block, "text") for block in parts(message, "content"))
        # Providers that tell no usage are paid all the same: only an error is free.
        self._refusal = said if said.startswith(_API_ERROR) and not (used and used.total) else ""
        worked = self.told.worked
        yield from super()._assistant(message)
        if self._refusal:
            self.told.worked = worked
        else:
            self._model = text(message, "model") or self._model
            self._spending.step(self._model, used)

    def _result(self, event: Mapping[str, Any]) -> None:
        self._spending.bill({self._model: _used(part(event, "usage"))}, of_session=self._resumed)
        final = text(event, "result") or text(event, "error", "message")
        refused = bool(final) and final == self._refusal
        if refused or event.get("is_error") is not False:
            self.told.complain(final)
            self.told.status = reason(final, _OWN_WORDS) or AgentStatus.FAILED


def _used(usage: Mapping[str, Any]) -> Used | None:
    return Used.told(usage, "input_tokens", "cache_read_input_tokens", "output_tokens", "total_tokens")


QWEN = Dialect(
    program="qwen",
    get="npm install -g @qwen-code/qwen-code",
    checked="0.15.10",
    permissions="edits files and runs any command without asking; no web tools",
    read_only="it has tools for reading only",
    invocation=invocation,
    reader=QwenReader,
    exits={41: AgentStatus.CREDENTIALS, 53: AgentStatus.DONE},  # no way to its model; its own limit of turns
)
make = Maker(dialect=QWEN, counts_tokens=True)
