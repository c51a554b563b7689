"""What does MSBuild (`dotnet build`) complain about?

`Calc.cs(9,20): error CS0103: text [/home/me/App/App.csproj]`: a path is relative to the folder of the project at the
end of the line, unless full paths were asked for. With `-v n` and more the number of the project stands before it
(`2>`, `2:6>`), and the summary, which repeats everything, is indented. Complaints about no line name the tool:
`CSC : error CS5001: text [project]`. Each line of a longer message begins with the place again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trueup.evidence.parsers.complaint import Complaint
from trueup.evidence.parsers.found import Lines
from trueup.evidence.patterns import Pattern

_MARKS = ("): error ", " : error ", "): fatal error ", " : fatal error ", "): warning ", " : warning ")
_LINE = Pattern(
    r"\s{0,40}(?P<project>\d{1,6}(?::\d{1,6})?>)?\s{0,40}"
    r"(?P<origin>(?:[A-Za-z]:)?[^\s:()\[][^:()\n]{0,500}?)"
    r"(?:\((?P<line>\d{1,9})(?:,(?P<column>\d{1,9}))?(?:,\d{1,9}){0,2}\): | : )"
    r"(?P<severity>(?:fatal )?error|warning)(?: (?P<code>[A-Za-z]{1,12}\d{1,6}))? ?: ?(?P<text>.*)$"
)
_PROJECT = Pattern(r" ?\[([^\[\]\n]{1,500}\.(?:[a-z]{0,10}proj|slnx?|slnf))(?:::[^\[\]\n]{0,300})?\]$")
_OWN_FILES = Pattern(r"\.(?:[a-z]{0,10}proj|slnx?|slnf|targets|props)$")
_SOURCES = Pattern(r"\.(?:cs|vb|fs|razor|cshtml|xaml)$")
_ABSOLUTE = Pattern(r"[\\/]|[A-Za-z]:")
_INSTALLED = Pattern(r"[\\/](?:sdk[\\/]\d|\.nuget[\\/]|MSBuild[\\/])")
"""Where the targets are that come with the SDK or with a package."""
_TOOLS = frozenset(("MSBUILD", "CSC", "VBC", "FSC", "LINK", "EXEC"))


def says_msbuild(text: str) -> bool:
    return any(mark in text for mark in _MARKS)


def msbuild_complaints(lines: Lines) -> Iterator[tuple[Complaint, int]]:
    """Each with the number of the first line behind it."""
    told: Complaint | None = None
    end = 0
    for number, line in enumerate(lines):
        match = _LINE.match(line) if says_msbuild(line) else None
        read = _read(match, lines, number) if match else None
        if told and read and number == end and _continues(told, read):
            told = told.but(message=f"{told.message}\n{read.message.strip()}")
        else:
            if told:
                yield told, end
            told = read
        end = number + 1 if read else end
    if told:
        yield told, end


def _read(match: re.Match[str], lines: Lines, number: int) -> Complaint | None:
    origin, text = match["origin"], match["text"]
    end = _PROJECT.search(text)
    project = end[1] if end else ""
    of_a_tool = origin in _TOOLS
    known = project or match["project"] or of_a_tool or _SOURCES.search(origin) or _OWN_FILES.search(origin)
    if not known:
        return None  # others write in this form, too
    placed = not of_a_tool and not _INSTALLED.search(origin)
    return Complaint(
        path=_from_project(origin, project) if placed else project,
        line=int(match["line"] or 0) if placed else 0,
        column=int(match["column"] or 0) if placed else 0,
        severity="warning" if match["severity"] == "warning" else "error",
        code=match["code"] or "",
        message=(text[: end.start()] if end else text) + _switch(lines, number),
        compiler=True,
        at=number,
    )


def _continues(told: Complaint, more: Complaint) -> bool:
    """The further lines of a message are indented. (Two complaints can have one place and one code.)"""
    return more.message[:1] in {"", " "} and more.identity[:4] == told.identity[:4]


def _from_project(path: str, project: str) -> str:
    """`/./` ends the project's folder: what follows is told where no tree knows more."""
    if not project or _OWN_FILES.search(path):
        return path
    folder = project[: max(project.rfind("/"), project.rfind("\\")) + 1]
    below = path.removeprefix(folder) if folder else path
    return path if below == path and _ABSOLUTE.match(path) else f"{folder}./{below}"


def _switch(lines: Lines, number: int) -> str:
    """Which argument was wrong stands below what is wrong with it."""
    below = lines[number + 1] if number + 1 < len(lines) else ""
    return f"\n{below}" if below.startswith("Switch: ") else ""
