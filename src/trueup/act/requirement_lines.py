"""What does a requirements file ask for? Its lines are text from outside: only what is understood is passed on."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath

from packaging.requirements import InvalidRequirement, Requirement

from trueup.act.source_files import SourceFiles

_CONTINUED = re.compile(r"\\\r?\n")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_ITEM = re.compile(r"-\s")
_OPTION_TAIL = re.compile(r"\s--?[A-Za-z].*$")
_OPTION = re.compile(r"(--[A-Za-z][\w-]*|-[A-Za-z])[\s=]*(.*)$", re.DOTALL)
_VARIABLE = re.compile(r"\$\{\w+\}")
_LOCAL = re.compile(r"(\.{1,2}(?:/.*?)?|[\w.-]*/[^:@]*?)(\[[\w,\s.-]+\])?$")
_URL = re.compile(r"(?:[a-z][a-z0-9.+-]*:)?//|^(?:git|hg|svn|bzr)\+|^file:", re.IGNORECASE)
ELSEWHERE = re.compile(r"(?:^|@\s*)file:/", re.IGNORECASE)
"""An absolute path, as `conda` and `pip freeze` write it: it is right on one machine, if at all."""
_EGG = re.compile(r"#egg=([A-Za-z0-9][\w.-]*)")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_FOLLOW = {"-r": False, "--requirement": False, "-c": True, "--constraint": True}
_EDITABLE = ("-e", "--editable")
_INDEX = frozenset({"-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--no-index", "--trusted-host"})
LEADS_OUT = "leads out of the project, to a file of the machine that it was written on"
_DEEPEST = 20
_MOST = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One requirement, and where it is written."""

    text: str
    """As PEP 508 has it; it was parsed."""
    file: str
    line: int | None = None
    source: str | None = None

    @property
    def name(self) -> str:
        return canonical(Requirement(self.text).name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A line that no installer could follow, or that leads out of the tree."""

    kind: str
    message: str
    file: str
    line: int | None = None
    source: str | None = None


@dataclass(slots=True, kw_only=True)
class Asked:
    """What some lines ask for, in their order."""

    requirements: list[Line] = field(default_factory=list)
    constraints: list[Line] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unchecked: list[Line] = field(default_factory=list)
    """From a URL, a repository or a variable: nothing is fetched from there, so nothing is known about it."""
    local: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """Folders of the tree that are to be installed, with their extras."""
    prereleases: bool = False
    other_index: bool = False
    """It names a package index. That is text from the tree: it is not asked."""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def read_requirements(files: SourceFiles, path: str) -> Asked:
    """One file with all that it includes."""
    asked = Asked()
    _read(files, path, asked, seen=set(), constraint=False)
    return asked


def decoded(content: bytes) -> str | None:
    """As pip reads it: a byte order mark decides."""
    for mark, codec in _BOMS:
        if content.startswith(mark):
            return _decode(content[len(mark) :], codec)
    return _decode(content, "utf-8")


def _decode(content: bytes, codec: str) -> str | None:
    try:
        return content.decode(codec)
    except UnicodeDecodeError:
        return None


def _read(files: SourceFiles, path: str, asked: Asked, *, seen: set[str], constraint: bool) -> None:
    if path in seen or len(seen) > _DEEPEST:
        return
    seen.add(path)
    text = decoded(files.content(path) or b"")
    if text is None:
        asked.problems.append(Problem(kind="encoding", message=f"{path} is not text that pip can read", file=path))
        return
    for number, written, line in logical_lines(text):
        _take(files, asked, _Place(path, number, written), line, seen=seen, constraint=constraint)


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    line: int
    source: str


def logical_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Number and text of the line as it begins, and what it says without comments and with its continuation."""
    number = 1
    for joined in _joined(text)[:_MOST]:
        line = _COMMENT.sub("", joined.replace("\\\n", " ")).strip()
        if line:
            yield number, joined.split("\n")[0].strip(), line
        number += joined.count("\n") + 1


def _joined(text: str) -> list[str]:
    marked = _CONTINUED.sub("\0", text.replace("\r\n", "\n").replace("\0", ""))
    return [line.replace("\0", "\\\n") for line in marked.split("\n")]


def _take(files: SourceFiles, asked: Asked, place: _Place, line: str, *, seen: set[str], constraint: bool) -> None:
    if _ITEM.match(line):
        why = "a list item; pip takes what begins with - for an option"
        asked.problems.append(_problem("invalid-requirement", f"Invalid requirement: {line[:200]!r}: {why}", place))
    elif line.startswith("-"):
        _take_option(files, asked, place, line, seen=seen, constraint=constraint)
    else:
        _take_requirement(files, asked, place, _OPTION_TAIL.sub("", line), constraint=constraint)


def _take_option(
    files: SourceFiles, asked: Asked, place: _Place, line: str, *, seen: set[str], constraint: bool
) -> None:
    match = _OPTION.match(line)
    name, value = (match[1], _unquoted(match[2])) if match else (line, "")
    if name in _FOLLOW and value:
        inside = constraint or _FOLLOW[name]
        if (target := _file_of_the_tree(files, asked, place, value)) is not None:
            _read(files, target, asked, seen=seen, constraint=inside)
    elif name in _EDITABLE and value:
        _take_requirement(files, asked, place, value, constraint=constraint)
    elif name in _INDEX:
        asked.other_index = True
    elif name == "--pre":
        asked.prereleases = True


def _file_of_the_tree(files: SourceFiles, asked: Asked, place: _Place, value: str) -> str | None:
    """None, with a problem noted, when it is not there or not inside."""
    target = normpath(join(dirname(place.file), value))
    if _VARIABLE.search(value) or _URL.search(value):
        asked.unchecked.append(_unread(place, value))
    elif target.startswith(("/", "../")) or target == "..":
        asked.problems.append(_problem("outside", f"{place.source} leads out of the project", place))
    elif target in files:
        return target
    else:
        asked.problems.append(_problem("missing-file", f"Could not open requirements file: {target}", place))
    return None


def _take_requirement(files: SourceFiles, asked: Asked, place: _Place, text: str, *, constraint: bool) -> None:
    text = _unquoted(text)
    if _VARIABLE.search(text) or _URL.search(text):
        asked.unchecked.append(_unread(place, text))
        if ELSEWHERE.search(text) and not _VARIABLE.search(text):
            asked.problems.append(_problem("outside", f"{place.source} {LEADS_OUT}", place))
    elif local := _LOCAL.match(text):
        _take_local(files, asked, place, *local.groups())
    else:
        try:
            requirement = Requirement(text)
        except InvalidRequirement as error:
            why = str(error).splitlines()[0]
            asked.problems.append(_problem("invalid-requirement", f"Invalid requirement: {text[:200]!r}: {why}", place))
            return
        line = Line(text=str(requirement), file=place.file, line=place.line, source=place.source)
        (asked.constraints if constraint else asked.requirements).append(line)


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _take_local(files: SourceFiles, asked: Asked, place: _Place, path: str, extras: str | None) -> None:
    target = normpath(join(dirname(place.file), path))
    if target.startswith(("/", "../")) or target == "..":
        asked.problems.append(_problem("outside", f"{place.source} leads out of the project", place))
        return
    names = tuple(name.strip() for name in (extras or "").strip("[]").split(",") if name.strip())
    folder = "" if target == "." else target
    if target in files:  # a wheel or an archive in the tree: opened by no one here
        asked.unchecked.append(_unread(place, path))
    elif not any(known.startswith(f"{folder}/" if folder else "") for known in files.paths):
        asked.problems.append(_problem("missing-file", f"{path} is not a folder of the project", place))
    else:
        asked.local.append((folder, names))


def _unread(place: _Place, text: str) -> Line:
    """`text` is the name, where one can be told, else ""."""
    egg = _EGG.search(text)
    named = re.match(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*@", text)
    name = (egg or named or [None, ""])[1] or ""
    return Line(text=name, file=place.file, line=place.line, source=place.source)


def _problem(kind: str, message: str, place: _Place) -> Problem:
    return Problem(kind=kind, message=message, file=place.file, line=place.line, source=place.source)
