"""What can a row say about a file by itself: replace a text, insert or delete a line, run a tool of our list?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from trueup.act.remedies.base import Ask, Edit, Idea, edit_of
from trueup.act.remedies.templates import filled

_TOOL_CONFIGURATION = (
    "pyproject.toml",
    "ruff.toml",
    ".ruff.toml",
    "setup.cfg",
    ".editorconfig",
    "package.json",
    ".prettierrc",
)


def replace(ask: Ask) -> Iterable[Idea]:
    """`find` → `put`, in `file` (the failure's own without it); `once`: only where it is first."""
    path, text = _file(ask)
    find, put = (filled(str(ask.parameters[key]), ask.groups) for key in ("find", "put"))
    if text is not None and find and find in text:
        new = text.replace(find, put, 1 if ask.parameters.get("once") else -1)
        yield edit_of(path, new, _why(ask, f"{path}: {_short(find)} → {_short(put)}"))


def insert(ask: Ask) -> Iterable[Idea]:
    """`line` before or after the first line that holds a text (`before`, `after`), else `at` the start or the end."""
    path, text = _file(ask)
    if text is None:
        return
    line = filled(str(ask.parameters["line"]), ask.groups)
    lines = text.splitlines(keepends=True)
    at = _where(lines, ask)
    if at is None or any(one.rstrip("\r\n") == line for one in lines):
        return
    eol = "\r\n" if "\r\n" in text else "\n"
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += eol
    yield edit_of(path, "".join((*lines[:at], line, eol, *lines[at:])), _why(ask, f"{path}: {_short(line)} added"))


def _where(lines: list[str], ask: Ask) -> int | None:
    for key, beyond in (("before", 0), ("after", 1)):
        if key in ask.parameters:
            wanted = filled(str(ask.parameters[key]), ask.groups)
            return next((number + beyond for number, one in enumerate(lines) if wanted in one), None)
    return 0 if ask.parameters.get("at") == "start" else len(lines)


def delete_line(ask: Ask) -> Iterable[Idea]:
    """Every line that is exactly `line`, or `holding` a text; without both, the line that the failure names."""
    path, text = _file(ask)
    if text is None:
        return
    lines = text.splitlines(keepends=True)
    kept = [one for number, one in enumerate(lines, 1) if not _is_meant(ask, number, one.rstrip("\r\n"))]
    if kept != lines:
        yield edit_of(path, "".join(kept), _why(ask, f"{path}: without {_short(_gone(lines, kept))}"))


def _is_meant(ask: Ask, number: int, line: str) -> bool:
    if "line" in ask.parameters:
        return line == filled(str(ask.parameters["line"]), ask.groups)
    if "holding" in ask.parameters:
        return filled(str(ask.parameters["holding"]), ask.groups) in line
    return number == ask.failure.line


def run_tool(ask: Ask) -> Iterable[Idea]:
    """What a tool of our list makes of `file`, on a copy; `more` are other files that it needs to see."""
    path, text = _file(ask)
    if text is None:
        return
    names = (*_TOOL_CONFIGURATION, *_list(ask.parameters.get("more")))
    beside = [one for one in ask.files.called(*names) if path.startswith(one.rpartition("/")[0])]
    files = {one: content for one in (path, *beside) if (content := ask.files.content(one)) is not None}
    tool = str(ask.parameters["tool"])
    made = ask.around.tools.run(tool, files, path)
    edits = tuple(Edit(path=one, content=content) for one, content in sorted((made or {}).items()))
    if edits:
        yield _why(ask, f"what {tool} makes of {path}"), edits


def _list(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value or ()))


def _file(ask: Ask) -> tuple[str, str | None]:
    """The row's file or the failure's; only one that the tree has."""
    path = filled(str(ask.parameters["file"]), ask.groups) if "file" in ask.parameters else ask.file or ""
    return path, ask.files.text(path) if path in ask.files else None


def _why(ask: Ask, otherwise: str) -> str:
    return str(ask.parameters.get("why", otherwise))


def _short(text: str) -> str:
    shown = re.sub(r"\s+", " ", text).strip()
    return f"“{shown[:40]}…”" if len(shown) > 40 else f"“{shown}”"  # noqa: PLR2004 - enough to recognise it


def _gone(lines: list[str], kept: list[str]) -> str:
    return next((one for one in lines if one not in kept), "")
