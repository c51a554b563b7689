"""How is aider driven?

It prints text only. What it did is read from the chat history that it writes, where its own lines begin with `> `; what
it cost, and whether a model answered at all, from its log of events (kept by us alone: nothing is sent). Its exit code
is 0 whatever happens. Cost: each answered message is logged with the sum so far.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trueup.act.agents.base import AgentCall, believable_tokens
from trueup.act.agents.own_file import TOO_LARGE, OwnFile
from trueup.act.agents.program import Dialect, Invocation, Maker, Options
from trueup.act.agents.reasons import reason_of_litellm
from trueup.act.agents.tokens import Spending, Used
from trueup.act.agents.told import Told
from trueup.act.agents.untrusted import number, part, record, text
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

_QUIET = (
    *("--no-auto-commits", "--no-dirty-commits", "--no-gitignore"),
    *("--no-check-update", "--no-show-release-notes", "--no-show-model-warnings", "--no-notifications"),
    *("--no-pretty", "--no-stream", "--no-fancy-input", "--no-analytics"),
    *("--no-suggest-shell-commands", "--no-detect-urls", "--disable-playwright"),
)
_OWN = "> "
_END = "  "
"""Of the last line of what is aider's own: only the first one has the mark."""
_ASKED = "####"
_HEADING = "# aider chat started at "
_EDITED = re.compile(r"Applied edit to (.+)")
_ADDED = "Add file to the chat?"
_ERROR = re.compile(r"litellm\.(?:exceptions\.)?(\w+): (.*)")
_TOO_MUCH = "has hit a token limit!"
_NOT_EDITED = "The LLM did not conform to the edit format."
_CUT_OFF = "an answer was cut off at its limit, and the agent does not report what that cost"


def invocation(program: str, call: AgentCall, options: Options) -> Invocation:
    argv = [program, "--message-file", str(call.prompt_file), "--yes-always", *_QUIET]
    argv += ["--analytics-log", str(_log(call)), "--chat-history-file", str(_chat(call))]
    argv += ["--input-history-file", str(call.scratch / "input-history")]
    argv += ["--chat-mode", "ask", "--dry-run"] if call.read_only else []
    # It says yes to itself when it offers to open a web page about an error.
    return Invocation(argv=(*argv, *options.words), asks=False, env={"BROWSER": "true"})


def _log(call: AgentCall) -> Path:
    return call.scratch / "events.jsonl"


def _chat(call: AgentCall) -> Path:
    return call.scratch / "chat.md"


class AiderReader:
    """The two files, looked at again whenever a line is printed."""

    def __init__(self, log: Path, chat: Path, options: Options) -> None:
        self.told = Told()
        self._log, self._chat = OwnFile(log), OwnFile(chat)
        self._spending = Spending(self.told, options)
        self._read = 0
        self._said: list[str] = []
        self._message = ""
        self._last = ""
        self._goes_on = False
        self._error: AgentStatus | None = None
        self._too_much = False
        self._sent: int | None = None
        """Messages to the model; None while there is no log that could tell."""
        self._answered = 0
        self._logged: list[Mapping[str, Any]] = []
        """Messages whose cost is in the log."""

    def read(self, line: str) -> Iterator[Turn]:  # noqa: ARG002 - only a sign of life
        yield from self._look()

    def finish(self) -> Iterator[Turn]:
        yield from self._look()
        if self._logged and not self._too_much:
            self._pay(self._logged)
        if self._sent == 0:
            self.told.complain(self._last)  # nothing else says why
        self.told.close()

    def _look(self) -> Iterator[Turn]:
        chat = self._chat.news()
        whole_lines = chat.rfind("\n") + 1
        for line in chat[self._read : whole_lines].split("\n")[:-1]:
            yield from self._line(line)
        self._read = max(self._read, whole_lines)
        log = self._log.news()
        if log:
            self._bill(log)
        if self._log.too_large:
            self.told.doubt(TOO_LARGE)
        self.told.status = self._error if (self._sent or 0) > self._answered else None
        self._look_for_a_cut()

    def _look_for_a_cut(self) -> None:
        """The same words for two things: what did not fit into the model is in the log, an answer cut off is not."""
        if self._too_much and (self._sent or 0) > len(self._logged):
            self.told.worked, self.told.status = True, AgentStatus.FAILED
            self.told.doubt(_CUT_OFF)

    def _line(self, line: str) -> Iterator[Turn]:
        if line.startswith(_OWN):
            yield from self._words()
            own = line.removeprefix(_OWN).strip()
            yield from self._own(own)
            self._last = own or self._last
            self._goes_on = not line.endswith(_END)
        elif self._goes_on:
            self._goes_on = not line.endswith(_END)
        elif line.startswith(_ASKED):
            self._said = []
        else:
            self._said.append(line)

    def _words(self) -> Iterator[Turn]:
        """What the model wrote before this line of aider's own."""
        said = "\n".join(self._said).strip()
        self._said = []
        if said and not said.startswith(_HEADING):
            self._message = said
            yield Turn(doing=Doing.SAY, args=said)

    def _own(self, line: str) -> Iterator[Turn]:
        if edited := _EDITED.fullmatch(line):
            yield Turn(doing=Doing.EDIT, tool="edit", args=self._message, paths=(edited[1],), failed=False)
        elif line == _NOT_EDITED:
            yield Turn(doing=Doing.EDIT, tool="edit", args=self._message, output=line, failed=True)
        elif line.startswith(_ADDED):
            yield Turn(doing=Doing.READ, tool="add", paths=(self._last,))
        elif error := _ERROR.match(line):
            self._error = reason_of_litellm(error[1], error[2]) or AgentStatus.FAILED
            self.told.complain(line)
        elif line.endswith(_TOO_MUCH):
            self._error, self._too_much = AgentStatus.CONTEXT_FULL, True
            self.told.complain(line)

    def _bill(self, log: str) -> None:
        events = [record(line) for line in log.splitlines()]
        self._logged = [part(event, "properties") for event in events if text(event, "event") == "message_send"]
        self._sent = sum(text(event, "event") == "message_send_starting" for event in events)
        self._answered = sum(_used(answer).output > 0 for answer in self._logged)
        if self._logged:
            self.told.worked = self._answered > 0
            self._pay([answer for answer in self._logged if _used(answer).output])

    def _pay(self, answers: list[Mapping[str, Any]]) -> None:
        """What did not fit into the model is logged as an answer of nothing, with a cost that aider reckons itself."""
        total = self._logged[-1].get("total_cost")
        free = sum(number(answer, "cost") or 0 for answer in self._logged if answer not in answers)
        cost = total - free if free and isinstance(total, int | float) else total
        self._spending.sum_up(sum(map(_used, answers), Used()), cost)


def _used(answer: Mapping[str, Any]) -> Used:
    """What the provider had kept is told by nobody: it counts as any other input."""
    sent, received = (believable_tokens(answer.get(name)) or 0 for name in ("prompt_tokens", "completion_tokens"))
    return Used(fresh=sent, output=received)


AIDER = Dialect(
    program="aider",
    get="pipx install aider-chat",
    checked="0.86.2",
    permissions="edits files without asking; runs no command but its own linter",
    read_only="it only answers, and writes nothing (--chat-mode ask --dry-run)",
    invocation=invocation,
    reader=lambda call, options: AiderReader(_log(call), _chat(call), options),
    litter=(".aider.tags.cache.v3", ".aider.tags.cache.v4"),
)
make = Maker(dialect=AIDER, reports_cost=True)
