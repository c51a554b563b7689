"""Which turns does a recorded session hold? One reader per form; the form is told by what stands in the file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.act.agents.untrusted import part, parts, record, text, texts, whole
from trueup.decide.session import Doing, Turn
from trueup.errors import UsageError

KNOWN = (
    "trueup's JSON lines (one transcript per line), Claude Code (a session's transcript, or stream-json), "
    "Codex (a rollout, or `codex exec --json`), mini-swe-agent (its trajectory)"
)
_LOOKED_AT = 500
"""Records at the beginning of a file that are asked for their form."""
_CUT = 1_200
"""Recorded runs may hold no more than this of a call. Two calls that were cut cannot be told to be the same."""
_EDITS = frozenset({"edit", "create", "insert", "append", "str_replace", "str_replace_editor", "apply_patch", "write"})
_READS = frozenset(
    {"open", "view", "goto", "scroll_up", "scroll_down", "search_dir", "search_file", "search_repo", "find_file"}
)
_SHELLS = frozenset({"bash", "sh", "shell", "Bash", "execute_bash", "run"})
_ENDS = frozenset({"submit", "exit", "exit_cost", "exit_context", "exit_format", "exit_api", "exit_error"})
"""Tools of the agents in such records that are no shell command."""
_MINI = "mini-swe-agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    id: str
    turns: tuple[Turn, ...]
    numbers: tuple[int, ...] = ()
    """What the record itself calls each turn; counted from zero when it does not say."""

    def number(self, place: int) -> int:
        return self.numbers[place] if self.numbers else place


def transcripts(path: Path) -> Iterator[Transcript]:
    """All that a file holds, one after the other, so that a long file is never in memory."""
    try:
        whole_file = _one_document(path)
        if whole_file is not None:
            yield from _documents(path, whole_file)
            return
        form = _form(path)
        if form is None:
            yield from _neutral_lines(path)
        else:
            yield Transcript(id=path.stem, turns=tuple(form(_lines(path))))
    except OSError as error:
        raise UsageError(f"{path} cannot be read", why=str(error), do="name a file that is there") from error


def _lines(path: Path) -> Iterator[str]:
    with path.open("r", encoding="utf-8", errors="replace") as file:
        yield from file


def _one_document(path: Path) -> Mapping[str, Any] | None:
    """A file that is one JSON object over many lines; None for JSON lines."""
    with path.open("r", encoding="utf-8", errors="replace") as file:
        first = next((line for line in file if line.strip()), "")
        if not first.lstrip().startswith("{") or record(first):
            return None
    return record(path.read_text("utf-8", "replace")) or None


def _documents(path: Path, document: Mapping[str, Any]) -> Iterator[Transcript]:
    if "turns" in document:
        yield _neutral(document, path.stem)
    elif _is_mini(document):
        yield _mini(path, document)
    else:
        raise _unknown(path)


def _form(path: Path) -> Callable[[Iterable[str]], Iterator[Turn]] | None:
    """The reader for the whole file; None when each line is a transcript of its own."""
    for number, line in enumerate(_lines(path)):
        found = record(line)
        if "turns" in found or _is_mini(found):
            return None
        for name, known in _FORMS.items():
            if known(found):
                return _READERS[name]
        if number > _LOOKED_AT:
            break
    raise _unknown(path)


def _unknown(path: Path) -> UsageError:
    return UsageError(f"{path} is no transcript that trueup can read", why=f"It reads {KNOWN}.")


_FORMS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "claude": lambda one: text(one, "type") in {"assistant", "user"} and bool(part(one, "message")),
    "codex": lambda one: text(one, "type").partition(".")[0] in {"thread", "turn", "item"},
    "rollout": lambda one: text(one, "type") in {"session_meta", "response_item"} and bool(part(one, "payload")),
}


def _claude(lines: Iterable[str]) -> Iterator[Turn]:
    from trueup.act.agents.claude import ClaudeReader

    reader = ClaudeReader()
    for line in lines:
        yield from reader.read(line)
    yield from reader.finish()


def _codex(lines: Iterable[str]) -> Iterator[Turn]:
    from trueup.act.agents.base import AgentCall
    from trueup.act.agents.codex import CODEX
    from trueup.act.agents.program import Options

    nowhere = Path("/nonexistent")
    call = AgentCall(
        prompt="",
        prompt_file=nowhere,
        workspace=nowhere,
        attempt=1,
        seconds=0,
        usd=None,
        env={"CODEX_HOME": str(nowhere)},
        scratch=nowhere,
    )
    reader = CODEX.reader(call, Options())
    for line in lines:
        yield from reader.read(line)
    yield from reader.finish()


def _rollout(lines: Iterable[str]) -> Iterator[Turn]:
    from trueup.cli.rollouts import rollout_turns

    yield from rollout_turns(lines)


_READERS: dict[str, Callable[[Iterable[str]], Iterator[Turn]]] = {
    "claude": _claude,
    "codex": _codex,
    "rollout": _rollout,
}


def _is_mini(document: Mapping[str, Any]) -> bool:
    return text(document, "trajectory_format").startswith(_MINI)


def _mini(path: Path, document: Mapping[str, Any]) -> Transcript:
    from trueup.act.agents.mini import MiniReader
    from trueup.act.agents.program import Options

    turns = MiniReader(path.resolve(), Options()).finish()
    return Transcript(id=text(document, "instance_id") or path.stem, turns=tuple(turns))


def _neutral_lines(path: Path) -> Iterator[Transcript]:
    """Line by line; one that holds no transcript is named, and the others are read."""
    for number, line in enumerate(_lines(path), start=1):
        found = record(line)
        if "turns" in found:
            yield _neutral(found, f"{path.stem}:{number}")
        elif _is_mini(found):
            yield _mini(path, found)
        elif line.strip():
            print(f"line {number} of {path} is no transcript, and is left out", file=sys.stderr)


def _neutral(document: Mapping[str, Any], otherwise: str) -> Transcript:
    turns = parts(document, "turns")
    numbers = tuple(whole(turn, "i") for turn in turns)
    named = tuple(number for number in numbers if number is not None)
    return Transcript(
        id=text(document, "id") or otherwise,
        turns=tuple(_neutral_turn(turn, place) for place, turn in enumerate(turns)),
        numbers=named if len(named) == len(turns) else (),
    )


def _neutral_turn(turn: Mapping[str, Any], place: int) -> Turn:
    tool, args, kind = text(turn, "tool"), _text_of(turn.get("args")), text(turn, "kind")
    failed, wrote = _flag(turn, "failed"), _flag(turn, "wrote")
    doing = _doing(tool, args, kind)
    if doing is Doing.RUN and kind == "edit" and wrote is None:
        wrote = failed is not True
    return Turn(
        doing=doing,
        tool=tool,
        args=args if len(args) != _CUT else f"{args}\n[turn {place}]",
        paths=tuple(texts(turn, "paths")),
        output=_text_of(turn.get("out")),
        failed=failed,
        exit_code=whole(turn, "exit"),
        tokens=whole(turn, "tok"),
        wrote=wrote,
        verify=turn.get("verify") is True,
        inner=turn.get("inner") is True,
        forgot=turn.get("forgot") is True,
    )


def _flag(turn: Mapping[str, Any], name: str) -> bool | None:
    value = turn.get(name)
    return value if isinstance(value, bool) else None


def _doing(tool: str, args: str, kind: str) -> Doing:
    """`kind` says what a turn was about; a shell command may be about anything, and its tool tells that it is one."""
    known = ((_EDITS, Doing.EDIT), (_READS, Doing.READ), (_ENDS, Doing.OTHER), (_SHELLS, Doing.RUN))
    for tools, doing in known:
        if tool in tools:
            return doing
    if tool and args.startswith(tool):  # a command line, by its first word
        return Doing.RUN
    return Doing(kind) if kind in set(Doing) else Doing.RUN


def _text_of(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
