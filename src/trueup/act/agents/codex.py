"""How is Codex driven?

Cost: it tells the tokens of the whole thread so far when it ends well. Interrupted or refused it tells none: then they
are read from what it keeps of the thread.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from trueup.act.agents.base import AgentCall
from trueup.act.agents.own_file import OwnFile, own_folder
from trueup.act.agents.program import Dialect, Invocation, Maker, Options
from trueup.act.agents.reasons import reason
from trueup.act.agents.tokens import Spending, Used
from trueup.act.agents.told import JsonReader, call_text
from trueup.act.agents.untrusted import part, parts, record, text, whole
from trueup.decide.moves import AgentStatus
from trueup.decide.session import Doing, Turn

_THREAD = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHELL_WORDS = 3
_NO_SANDBOX = re.compile(r"(?:bwrap|codex-linux-sandbox|thread 'main' panicked.*linux-sandbox).*")
_BARRED = (
    "its own sandbox does not work here ({}); where something else confines it, switch it off: "
    """args = ["-c", 'sandbox_mode="danger-full-access"'] under [[agent]] in trueup.toml"""
)
_OWN_WORDS = (
    ("reason: content_filter", AgentStatus.REFUSED),  # first: it calls that a disconnected stream, too
    ("ran out of room in the model's context window", AgentStatus.CONTEXT_FULL),
    ("sign in again", AgentStatus.CREDENTIALS),
    ("model is at capacity", AgentStatus.OVERLOADED),
    ("stream disconnected before completion", AgentStatus.OVERLOADED),
    ("error sending request", AgentStatus.OVERLOADED),
    ("has been flagged for", AgentStatus.REFUSED),
    ("content was flagged for", AgentStatus.REFUSED),
)


def invocation(program: str, call: AgentCall, options: Options) -> Invocation:
    argv = [program, "exec", "--json", "--skip-git-repo-check"]
    # By -c and not by -s: what the user gives after it goes before.
    mode = "danger-full-access" if call.sandboxed else "read-only" if call.read_only else "workspace-write"
    argv += ["-c", 'approval_policy="never"', "-c", f'sandbox_mode="{mode}"']
    argv += options.words
    argv += ["resume", call.session] if call.session else []
    return Invocation(argv=(*argv, "-"))


class CodexReader(JsonReader):
    """Lines of `codex exec --json`."""

    def __init__(self, call: AgentCall, options: Options) -> None:
        super().__init__()
        self._spending = Spending(self.told, options)
        self._home = own_folder(call, "CODEX_HOME", ".codex")
        self.told.name_session(call.session)
        self._before = self._kept() if call.session else Used()
        """What the thread had used already; None if that is not known."""
        self._barred = ""
        """How its own sandbox failed, until something worked in it."""

    def event(self, event: Mapping[str, Any]) -> Iterator[Turn]:
        match text(event, "type"):
            case "thread.started":
                self.told.name_session(event.get("thread_id"))
            case "item.started":
                self._begin(part(event, "item"))
            case "item.completed":
                yield from self._item(part(event, "item"))
            case "turn.completed":
                self.told.status = None
                self._bill(_used(part(event, "usage")))
                if self._barred:
                    self._error(_BARRED.format(self._barred), AgentStatus.FAILED)
            case "error":  # also while it tries again
                self._error(text(event, "message"), None)
            case "turn.failed":
                self._error(text(event, "error", "message"), AgentStatus.FAILED)

    def finish(self) -> Iterator[Turn]:
        kept = self._kept() if self.told.ends == 0 else None
        if kept is not None and kept != self._before:
            self._bill(kept)
        yield from super().finish()

    def _begin(self, item: Mapping[str, Any]) -> None:
        if text(item, "type") == "command_execution":
            self.asked[text(item, "id")] = Turn(doing=Doing.RUN, tool="shell", args=_command(item))

    def _item(self, item: Mapping[str, Any]) -> Iterator[Turn]:
        self.asked.pop(text(item, "id"), None)
        if text(item, "type") == "error":  # a warning, such as one about its configuration
            return
        self.told.answered()
        turn = _turn(item)
        if turn is not None:
            self._look_for_bars(turn)
            yield turn

    def _look_for_bars(self, turn: Turn) -> None:
        if turn.doing is Doing.RUN and turn.failed:
            self._barred = self._barred or (_NO_SANDBOX.match(turn.output) or [""])[0]
        elif turn.failed is False:
            self._barred = ""

    def _error(self, message: str, otherwise: AgentStatus | None) -> None:
        self.told.status = reason(message, _OWN_WORDS) or otherwise
        self.told.errors = [message]  # each one says again what the ones before it said

    def _bill(self, used: Used | None) -> None:
        self._spending.bill({"": used}, of_session=True)
        if used is not None and self._before is not None:
            self.told.tokens = used.total - self._before.total

    def _kept(self) -> Used | None:
        """What the thread has used, by the program's own record of it."""
        thread = self.told.session
        if not _THREAD.fullmatch(thread):
            return None
        for file in self._home.glob(f"sessions/*/*/*/rollout-*-{thread}.jsonl"):
            for line in reversed(OwnFile(file).news().splitlines()):
                usage = part(record(line), "payload", "info", "total_token_usage") if '"token_count"' in line else {}
                if usage and not _is_full(usage):
                    return _used(usage)
        return None


def _used(usage: Mapping[str, Any]) -> Used | None:
    return Used.told(usage, "input_tokens", "cached_input_tokens", "output_tokens")


def _is_full(usage: Mapping[str, Any]) -> bool:
    """It notes a full context as a total that is the sum of nothing."""
    used = _used(usage)
    return used is not None and used.total == 0 and bool(whole(usage, "total_tokens"))


def _turn(item: Mapping[str, Any]) -> Turn | None:
    status = text(item, "status")
    match text(item, "type"):
        case "agent_message" if text(item, "text").strip():
            return Turn(doing=Doing.SAY, args=text(item, "text"))
        case "command_execution":
            exit_code = whole(item, "exit_code")
            return Turn(
                doing=Doing.RUN,
                tool="shell",
                args=_command(item),
                output=text(item, "aggregated_output"),
                failed=status != "completed" or bool(exit_code),
                exit_code=exit_code,
            )
        case "file_change":
            changes = parts(item, "changes")
            paths = tuple(path for path in (text(change, "path") for change in changes) if path)
            args = call_text([dict(change) for change in changes])
            return Turn(doing=Doing.EDIT, tool="apply_patch", args=args, paths=paths, failed=status != "completed")
        case "agent_message" | "reasoning" | "todo_list" | "":
            return None
        case other:
            args = call_text({name: value for name, value in item.items() if name not in {"id", "type", "status"}})
            return Turn(doing=Doing.OTHER, tool=other, args=args, failed=status == "failed")


def _command(item: Mapping[str, Any]) -> str:
    """As the model asked for it: without the shell that it is wrapped in."""
    command = text(item, "command")
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    wrapped = len(words) == _SHELL_WORDS and words[1] in {"-lc", "-c"}
    return words[2] if wrapped else command


CODEX = Dialect(
    program="codex",
    get="npm install -g @openai/codex",
    checked="0.166.0",
    permissions="edits files and runs any command without asking; its own sandbox lets it write only in its workspace "
    "and in temporary folders, and gives its commands no network; its provider may search the web for it",
    read_only="its own sandbox lets it write nothing",
    invocation=invocation,
    reader=CodexReader,
)
make = Maker(dialect=CODEX, counts_tokens=True)
