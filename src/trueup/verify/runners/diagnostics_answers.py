"""What did compilers and linters answer, and which failures is that? Anybody may have written the answers."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import msgspec

from trueup.act.command_line import show_command
from trueup.evidence.failure import Failure
from trueup.evidence.normalize import neutralise
from trueup.evidence.places import LONGEST_MESSAGE, shorten, source_at
from trueup.verify.runners.additions import clang_log
from trueup.verify.runners.base import RunContext
from trueup.verify.runners.diagnostics_tools import TOOLS, Complaint, Tool

_LARGEST_FILE = 128 * 1024 * 1024
_MOST_FILES = 2000
_MESSAGE_LINES = 60
_UNSEEN = re.compile(r"[\0-\x1f\x7f\ud800-\udfff]")
SEVERITIES = frozenset({"error", "fatal error", "warning", "error: internal compiler error"})
_MOST_LINES = 10_000_000
_LONGEST_REPRO = 2000
_CODE = re.compile(r"[\w@./=+:-]{0,120}")


def answers_folder(run: RunContext) -> Path:
    return run.records / "answers"


class _Record(msgspec.Struct, kw_only=True, frozen=True):
    tool: str
    said: str
    folder: str = ""
    ran: list[str] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    tool: Tool
    ran: tuple[str, ...]
    folder: str
    """Where the tool was started, inside the tree; "" is the tree itself."""
    complaint: Complaint
    path: str
    """Inside the tree."""


def complaints_seen(run: RunContext) -> Iterator[Seen]:
    """Each complaint once, as far as it is about a file of the tree."""
    once: set[tuple[object, ...]] = set()
    root = os.path.realpath(run.folder)
    inside = cache(partial(_inside, run, root))
    for record in _records(run):
        tool = TOOLS.get(record.tool)
        if tool and run.forgives(tool.name, *tool.programs):
            continue
        for complaint in _complaints(tool, record) if tool else ():
            path = inside(record.folder, complaint.path, complaint.base)
            place = (path, complaint.line, complaint.column, complaint.code, complaint.message)
            if tool and path and place not in once:
                once.add(place)
                folder = os.path.relpath(record.folder or root, root)  # where a path of `repro` begins
                yield Seen(tool=tool, ran=tuple(record.ran), folder=folder, complaint=complaint, path=path)


def _records(run: RunContext) -> Iterator[_Record]:
    decode = msgspec.json.Decoder(_Record).decode
    homes = (answers_folder(run), run.records / "complaints")
    files = sorted(path for home in homes for path in home.glob("*.json"))
    for path in files[:_MOST_FILES]:
        try:
            yield decode(_content(path))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue  # not to its end, or not by us
    log = _content(clang_log(run))
    if log:
        yield _Record(tool="clang", said=log.decode(errors="replace"))


def _content(path: Path) -> bytes:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_FILE:
            return b""
        return path.read_bytes()
    except OSError:
        return b""


def _complaints(tool: Tool, record: _Record) -> list[Complaint]:
    """All or nothing: an answer that cannot be read to its end is none."""
    try:
        found = list(tool.read(record.said))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return []
    return [c for c in found if _is_sound(c)]


def _is_sound(complaint: Complaint) -> bool:
    """Tools may be of any version, and code of the tree may answer in their place."""
    texts = (complaint.path, complaint.message, complaint.excerpt, complaint.base)
    numbers = (complaint.line, complaint.column)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(number, int) and 0 <= number < _MOST_LINES for number in numbers)
        and complaint.severity in SEVERITIES
        and isinstance(complaint.code, str)
        and _CODE.fullmatch(complaint.code) is not None
    )


def _inside(run: RunContext, root: str, folder: str, given: str, base: str) -> str | None:
    """The path as the tree knows it; None for what is not in the tree."""
    for home in (folder or root, *_upwards(base)):
        try:
            whole = os.path.realpath(os.path.join(home, neutralise(given)))  # noqa: PTH118 - may be absolute
        except (OSError, ValueError):  # no name that a file can have
            return None
        path = os.path.relpath(whole, root)
        if not path.startswith("..") and run.sources(path) is not None:
            return path
    return None


def _upwards(folder: str) -> Iterator[str]:
    """Cargo names files from the root of a workspace, wherever in it one is."""
    if folder:
        yield folder
        yield from map(str, list(Path(folder).parents)[:4])


def failure_of(run: RunContext, one: Seen) -> Failure:
    complaint = one.complaint
    message = _plain(run, complaint.message)
    code = complaint.code
    source = source_at(one.path, complaint.line, run.sources)
    place = f"{one.path}:{complaint.line}" if complaint.line else one.path
    plain = f"{place}: {message}" + (f" [{code}]" if code else "") + (f"\n    {source}" if source else "")
    return Failure(
        check=run.check,
        subject=f"{one.path} {code}" if code else one.path,
        phase=complaint.phase,
        kind=code or complaint.severity,
        message=shorten("\n".join(message.split("\n")[:_MESSAGE_LINES]), LONGEST_MESSAGE),
        file=one.path,
        line=complaint.line or None,
        source_line=source,
        excerpt=shorten(_plain(run, complaint.excerpt) or plain),
        repro=_repro(run, one, code),
        test=False,
    )


def _plain(run: RunContext, text: str) -> str:
    return run.redact(neutralise(text.encode(errors="replace").decode()))  # JSON may hold halves of characters


def _repro(run: RunContext, one: Seen, code: str) -> str | None:
    """Whoever forged an answer does not choose what people are told to run."""
    path = one.path if one.folder == "." else os.path.relpath(one.path, one.folder)
    words = one.tool.repro(path, code, one.ran)
    known = bool(words) and words[0] in (*one.tool.programs, one.tool.name, "npx") and not one.folder.startswith("..")
    if not known or any(map(_UNSEEN.search, (*words, one.folder))):
        return None
    if tuple(words) == one.ran and not _is_written(run, one.ran):
        return None
    shown = show_command(tuple(words))
    whole = shown if one.folder == "." else f"cd {shlex.quote(one.folder)} && {shown}"
    return whole if len(whole) <= _LONGEST_REPRO else None


def _is_written(run: RunContext, words: tuple[str, ...]) -> bool:
    """Whether the command, or one behind it, can be seen to say these words."""
    text = f" {' '.join(words)} "
    return any(text in f" {' '.join(argv)} " for argv in (run.argv, *run.behind))
