"""What do Gemini CLI and its descendants keep of a conversation, and where do their settings come from?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from trueup.act.agents.base import AgentCall
from trueup.act.agents.own_file import OwnFile
from trueup.act.agents.untrusted import part, parts, record, text
from trueup.decide.session import Doing, Turn
from trueup.decide.verification import told_exit_code

_SESSION = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
_TRAILER = 200
"""Characters at the end of what the model was told about a command, where its exit code is."""


def settings(call: AgentCall, variable: str, usual: str, content: Mapping[str, Any]) -> dict[str, str]:
    """Settings that hold where nobody has set others: named by a variable, unless they are in the usual place, too."""
    file = call.scratch / f"{variable.lower()}.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return {} if Path(usual).exists() else {variable: str(file)}


class Ran:
    """Commands that are over, until their exit code can be known: it is written down when the model answers."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._turns: dict[str, Turn] = {}

    def take(self, call: str, turn: Turn) -> Iterator[Turn]:
        """Whatever is no command, or could not be run, is known at once."""
        if turn.doing is Doing.RUN and not turn.failed:
            self._turns[call] = turn
        else:
            yield turn

    def known_now(self, session: str) -> Iterator[Turn]:
        for call, turn in self._turns.items():
            code = self._chat.exit_code(session, call, turn.output)
            yield replace(turn, exit_code=code, failed=None if code is None else bool(code))
        self._turns = {}


class Chat:
    """Read while the program writes it. What is not there, or not as expected, is not known."""

    def __init__(self, home: Path, place: str) -> None:
        """`place` is a pattern below `home` with the session's name, `{name}`, or the beginning of it, `{short}`."""
        self._home = home
        self._place = place

    def log(self, place: str, session: str) -> str:
        """Another file of the session."""
        return OwnFile(self._home / place.format(name=session)).news() if _SESSION.fullmatch(session) else ""

    def lines(self, session: str) -> list[str]:
        if not _SESSION.fullmatch(session):  # anything else could be a pattern of its own
            return []
        files = sorted(self._home.glob(self._place.format(name=session, short=session[:8])))
        chats = (OwnFile(file).news().splitlines() for file in files)
        mine = (chat for chat in chats if chat and text(record(chat[0]), "sessionId") == session)
        return [line for chat in mine for line in chat]  # one that is gone on with may have several

    def exit_code(self, session: str, call: str, output: str) -> int | None:
        """Of a command that is over, from what the model was told about it: in the program's output it is shown only
        when there is no other. Zero may be left out there."""
        lines = (record(line) for line in reversed(self.lines(session)) if call in line)
        answer = next((told for line in lines for told in _answers(line, call)), "")
        told = told_exit_code(answer[-_TRAILER:] or output)
        return 0 if told is None and answer else told


def _answers(line: Mapping[str, Any], call: str) -> Iterator[str]:
    for one in (*parts(line, "content"), *parts(line, "message", "parts")):
        response = part(one, "functionResponse")
        if text(response, "id") == call and text(response, "response", "output"):
            yield text(response, "response", "output")
