"""How is a dependency added to, changed in or taken out of each kind of manifest, with all else byte for byte?"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, Protocol

import tomlkit
from packaging.requirements import Requirement
from tomlkit.exceptions import TOMLKitError

from trueup.act.poetry_versions import requirement_of
from trueup.act.remedies.requirement_text import Change, name_of, version_of
from trueup.act.requirement_lines import canonical

_COMMENT = re.compile(r"(?:^|\s)#.*$")
_OPTION_TAIL = re.compile(r"\s--?[A-Za-z].*$")


class Format(Protocol):
    """Contract: texts in, texts out, with the line breaks of the text given. None when it cannot be done safely."""

    def asked(self, text: str) -> Iterator[str]:
        """The requirements that it names itself, as PEP 508 has them."""

    def added(self, text: str, requirement: str) -> str | None: ...

    def changed(self, text: str, change: Change) -> str | None:
        """Every requirement through `change`; None when nothing changes."""


def eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# --- lines ------------------------------------------------------------------------------------------------------


class RequirementLines:
    """A requirements file."""

    def asked(self, text: str) -> Iterator[str]:
        yield from (said for line in text.splitlines() if (said := _said(line)))

    def added(self, text: str, requirement: str) -> str | None:
        if "--hash" in text or re.search(r"^\s*--require-hashes", text, re.MULTILINE):
            return None
        body = text if not text or text.endswith("\n") else text + eol(text)
        return f"{body}{requirement}{eol(text)}"

    def changed(self, text: str, change: Change) -> str | None:
        lines = text.splitlines(keepends=True)
        new = [_changed_line(line, change) for line in lines]
        return "".join(new) if new != lines else None


def _said(line: str) -> str:
    """The requirement of a line, without comment and options; "" for what is none by name."""
    said = _OPTION_TAIL.sub("", _COMMENT.sub("", line)).rstrip(" \t\r\n\\").strip()
    return said if not said.startswith("-") and name_of(said) else ""


def _changed_line(line: str, change: Change) -> str:
    said = _said(line)
    if not said or "--hash" in line or line.rstrip().endswith("\\"):
        return line
    new = change(said)
    return "" if new is None else line.replace(said, new, 1)


class SetupCfg:
    """`install_requires` of `[options]`, one on each line."""

    _SECTION = re.compile(r"^\[options\][^\n]*\n(?P<body>(?:(?!\[)[^\n]*(?:\n|\Z))*?(?=\[|\Z))", re.MULTILINE)
    _KEY = re.compile(
        r"^install_requires[ \t]*[=:][ \t]*(?P<first>[^\r\n]*)\r?\n(?P<lines>(?:[ \t]+[^\r\n]*(?:\r?\n|\Z))*)",
        re.MULTILINE,
    )

    def _place(self, text: str) -> tuple[int, int] | None:
        section = self._SECTION.search(text)
        key = self._KEY.search(text, section.start("body"), section.end("body")) if section else None
        return None if key is None or key["first"].strip() else key.span("lines")

    def asked(self, text: str) -> Iterator[str]:
        place = self._place(text)
        if place:
            yield from RequirementLines().asked(text[slice(*place)])

    def added(self, text: str, requirement: str) -> str | None:
        place = self._place(text)
        if place is None:
            return None
        lines = text[slice(*place)]
        indent = re.match(r"[ \t]+", lines)
        body = lines if not lines or lines.endswith("\n") else lines + eol(text)
        return f"{text[: place[0]]}{body}{indent[0] if indent else '    '}{requirement}{eol(text)}{text[place[1] :]}"

    def changed(self, text: str, change: Change) -> str | None:
        place = self._place(text)
        new = RequirementLines().changed(text[slice(*place)], change) if place else None
        return None if place is None or new is None else text[: place[0]] + new + text[place[1] :]


class SetupPy:
    """`install_requires=[…]` of texts. Nothing is executed; anything cleverer is left alone."""

    def _list(self, text: str) -> ast.List | None:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None
        lists = [
            word.value
            for call in ast.walk(tree)
            if isinstance(call, ast.Call)
            for word in call.keywords
            if word.arg == "install_requires" and isinstance(word.value, ast.List)
        ]
        return lists[0] if len(lists) == 1 and text.isascii() else None

    def asked(self, text: str) -> Iterator[str]:
        found = self._list(text)
        yield from (one.value for one in _texts(found) if isinstance(one.value, str)) if found else ()

    def added(self, text: str, requirement: str) -> str | None:
        found = self._list(text)
        if found is None or not found.elts:
            return None
        last = found.elts[-1]
        at = _offset(text, last.end_lineno or 0, last.end_col_offset or 0)
        gap = f"{eol(text)}{' ' * last.col_offset}" if last.lineno > found.lineno else " "
        return f'{text[:at]},{gap}"{requirement}"{text[at:]}'

    def changed(self, text: str, change: Change) -> str | None:
        found = self._list(text)
        new = text
        for one in reversed(list(_texts(found)) if found else []):
            instead = change(str(one.value))
            if instead is None:
                return None
            if instead != one.value:
                start = _offset(text, one.lineno, one.col_offset)
                new = new[:start] + f'"{instead}"' + new[_offset(text, one.end_lineno or 0, one.end_col_offset or 0) :]
        return new if new != text else None


def _texts(found: ast.List) -> Iterator[ast.Constant]:
    yield from (one for one in found.elts if isinstance(one, ast.Constant) and isinstance(one.value, str))


def _offset(text: str, line: int, column: int) -> int:
    return sum(map(len, text.splitlines(keepends=True)[: line - 1])) + column


# --- TOML -------------------------------------------------------------------------------------------------------

Document = MutableMapping[str, Any]


class Project:
    """`project.dependencies` of a pyproject.toml (PEP 621; uv, Hatch, PDM, setuptools)."""

    def asked(self, text: str) -> Iterator[str]:
        listed = _loaded(text).get("project", {}).get("dependencies", [])
        yield from (one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()

    def added(self, text: str, requirement: str) -> str | None:
        def add(document: Document) -> None:
            project = document["project"]
            if "dependencies" in project:
                project["dependencies"].append(requirement)
            else:
                project["dependencies"] = [requirement]

        if "project" not in _loaded(text) or "dependencies" in _loaded(text)["project"].get("dynamic", []):
            return None
        return _edited(text, add)

    def changed(self, text: str, change: Change) -> str | None:
        def through(document: Document) -> None:
            listed = document["project"]["dependencies"]
            for number in reversed(range(len(listed))):
                new = change(str(listed[number]))
                if new is None:
                    del listed[number]
                elif new != listed[number]:
                    listed[number] = new

        return _edited(text, through) if any(True for _ in self.asked(text)) else None


class Poetry:
    """A table of names and versions: `tool.poetry.dependencies`, or the `packages` of a Pipfile."""

    def __init__(self, *where: str) -> None:
        self.where = where

    def _table(self, document: Document) -> Document | None:
        table: Any = document
        for key in self.where:
            table = table.get(key) if isinstance(table, MutableMapping) else None
        return table if isinstance(table, MutableMapping) else None

    def asked(self, text: str) -> Iterator[str]:
        for name, value in (self._table(_loaded(text)) or {}).items():
            said = requirement_of(name, value) if name != "python" else None
            if said:
                yield said

    def added(self, text: str, requirement: str) -> str | None:
        def add(document: Document) -> None:
            table = self._table(document)
            if table is not None:
                table[Requirement(requirement).name] = _poetry_value(requirement)

        return _edited(text, add)

    def changed(self, text: str, change: Change) -> str | None:
        def through(document: Document) -> None:
            table = self._table(document)
            for name in list(table or {}):
                said = requirement_of(name, table[name]) if table and name != "python" else None
                if table is not None and said is not None:
                    _poetry_changed(table, name, said, change(said))

        return _edited(text, through)


def _poetry_changed(table: Document, name: str, said: str, new: str | None) -> None:
    if new == said:
        return
    if new is None:
        del table[name]
    elif canonical(name) != name_of(new):
        value = table[name]
        del table[name]
        table[Requirement(new).name] = value if version_of(new) == version_of(said) else _poetry_value(new)
    elif isinstance(table[name], MutableMapping):
        table[name]["version"] = version_of(new) or "*"
    else:
        table[name] = version_of(new) or "*"


def _poetry_value(requirement: str) -> Any:
    asked = Requirement(requirement)
    version = str(asked.specifier) or "*"
    if not asked.extras:
        return version
    table = tomlkit.inline_table()
    table.update({"version": version, "extras": sorted(asked.extras)})
    return table


def _loaded(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def _edited(text: str, edit: Callable[[Document], None]) -> str | None:
    """Read back by another parser: what it says then is what was meant, and nothing else."""
    try:
        document = tomlkit.parse(text)
        edit(document)
        new = tomlkit.dumps(document)
        if "\r\n" in text and not re.search(r"(?<!\r)\n", text):
            new = re.sub(r"(?<!\r)\n", "\r\n", new)
        meant = tomlkit.parse(text).unwrap()
        edit(meant)
        return new if tomllib.loads(new) == meant and new != text else None
    except (TOMLKitError, KeyError, TypeError, ValueError, RecursionError):
        return None
