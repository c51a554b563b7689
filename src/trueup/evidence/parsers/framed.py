"""Which complaints have their place on one line and their text on another?

Read are miette's frames (oxlint), biome, esbuild, webpack, shellcheck, bandit, sqlfluff, cmake, and the files that a
formatter would change (black, ruff, prettier, isort).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from trueup.evidence.parsers.complaint import Complaint
from trueup.evidence.parsers.found import Lines, before, trimmed
from trueup.evidence.parsers.marks import Marks
from trueup.evidence.patterns import Pattern

_PATH = r"([^\s:()\[][^:()\n]{0,500}?)"
_LOOK = 12
_Read = Callable[[Lines, int, re.Match[str]], Iterator[Complaint]]
_WARNS = {"!", "⚠", "▲", "warning", "info", "style", "WARNING"}


class _Form:
    """One of its marks is in every line that the heading matches."""

    def __init__(self, marks: tuple[str, ...], heading: Pattern, read: _Read) -> None:
        self.marks = marks
        self.heading = heading
        self.read = read


def framed_forms(text: str) -> list[_Form]:
    """Those whose marks occur. `text`: the lines as one."""
    return [_FORMS[row] for row in _MARKS.rows(text)]


def framed_complaints(lines: Lines, forms: Sequence[_Form]) -> Iterator[Complaint]:
    for number, line in enumerate(lines) if forms else ():
        for form in forms:
            heading = form.heading.match(line)
            if heading:
                yield from form.read(lines, number, heading)


def _severity(sign: str) -> str:
    return "warning" if sign in _WARNS else "error"


_SIGNED = Pattern(r"\s{0,8}([x×✖!⚠]) (.+)$")
_RULE = Pattern(r"([\w@-]{1,40}(?:\([\w/@-]{1,80}\))): (.+)$")


def _miette(lines: Lines, number: int, place: re.Match[str]) -> Iterator[Complaint]:
    """The text stands above; it may go on over several lines."""
    above = [lines[n] for n in range(max(0, number - 4), number)]
    start = next((n for n in range(len(above) - 1, -1, -1) if _SIGNED.match(above[n])), None)
    signed = _SIGNED.match(above[start]) if start is not None else None
    if signed and start is not None:
        said = " ".join(trimmed([signed[2], *(line.lstrip(" │|") for line in above[start + 1 :])]))
        rule = _RULE.match(said)
        yield Complaint(
            path=place[1],
            line=int(place[2]),
            column=int(place[3]),
            severity=_severity(signed[1]),
            code=rule[1] if rule else "",
            message=rule[2] if rule else said,
            at=number,
        )


def _biome(lines: Lines, number: int, place: re.Match[str]) -> Iterator[Complaint]:
    signed = next((m for m in map(_SIGNED.match, lines[number + 1 : number + 4]) if m), None)
    if signed:
        yield Complaint(
            path=place[1],
            line=int(place[2] or 0),
            column=int(place[3] or 0),
            severity=_severity(signed[1]),
            code=place[4],
            message=signed[2],
            at=number,
        )


_BELOW = Pattern(rf"\s{{1,8}}{_PATH}:(\d{{1,9}}):(\d{{1,9}}):$")
_ESBUILD_PLUGIN = Pattern(r" \[plugin [^\]\n]{1,80}\]")


def _esbuild(lines: Lines, number: int, heading: re.Match[str]) -> Iterator[Complaint]:
    place = next((m for m in map(_BELOW.match, lines[number + 1 : number + 4]) if m), None)
    if place:
        yield Complaint(
            path=place[1],
            line=int(place[2]),
            column=int(place[3]),
            severity="warning" if heading[1] == "WARNING" else "error",
            code="",
            message=_ESBUILD_PLUGIN.sub("", heading[2]),
            source=_framed_source(lines, number, int(place[2])),
            compiler=True,
            at=number,
        )


_FRAMED = Pattern(r"\s{0,8}>?\s{0,8}(\d{1,9}) [│|] ?(.*)$")


def _framed_source(lines: Lines, number: int, line: int) -> str | None:
    shown = map(_FRAMED.match, lines[number + 1 : number + _LOOK])
    return next((m[2].strip() for m in shown if m and int(m[1]) == line), None)


_POSITION = Pattern(r" \(\d{1,9}:\d{1,9}\)")


def _webpack(lines: Lines, number: int, heading: re.Match[str]) -> Iterator[Complaint]:
    said = before(lines[number + 1 : number + 3], lambda line: not line.strip())
    if said:
        yield Complaint(
            path=heading[2].removeprefix("./"),
            line=int(heading[3] or 0),
            severity="warning" if heading[1] == "WARNING" else "error",
            code="webpack",
            message=_POSITION.sub("", said[0].strip()),
            at=number,
        )


_SHELLCHECK = Pattern(r"\s{0,1000}\^-{0,1000}\^? (SC\d{1,6}) \((\w{1,12})\): (.+)$")


def _shellcheck(lines: Lines, number: int, heading: re.Match[str]) -> Iterator[Complaint]:
    """The line, and below it one or more complaints about it; one may be long."""
    source = lines[number + 1].strip() if number + 1 < len(lines) else ""
    for below in range(number + 2, min(len(lines), number + _LOOK)):
        told = _SHELLCHECK.match(lines[below])
        if not lines[below]:
            return
        if told:
            severity = _severity(told[2])
            yield Complaint(
                path=heading[1],
                line=int(heading[2]),
                severity=severity,
                code=told[1],
                message=f"{told[3]}: {source}",
                at=below,
            )


_LOCATION = Pattern(rf"\s{{0,8}}Location: {_PATH}:(\d{{1,9}})(?::(\d{{1,9}}))?$")


def _bandit(lines: Lines, number: int, heading: re.Match[str]) -> Iterator[Complaint]:
    below = lines[number + 1 : number + _LOOK]
    place = next((m for m in map(_LOCATION.match, below) if m), None)
    if place:
        shown = [line.partition("\t")[2].strip() for line in below if line.startswith(f"{place[2]}\t")]
        yield Complaint(
            path=place[1],
            line=int(place[2]),
            column=int(place[3] or 0),
            severity="error",
            code=heading[1],
            message=": ".join([heading[2], *shown]),
            at=number,
        )


_VIOLATION = Pattern(r"L: {1,6}(\d{1,9}) \| P: {1,6}(\d{1,9}) \| {0,8}(\w{1,8}) \| (.+)$")
_WRAPPED = Pattern(r"\s{10,60}\| (.+)$")


def _sqlfluff(lines: Lines, number: int, heading: re.Match[str]) -> Iterator[Complaint]:
    for at in range(number + 1, len(lines)):
        told = _VIOLATION.match(lines[at])
        if told:
            more = before(lines[at + 1 : at + _LOOK], lambda line: not _WRAPPED.match(line))
            said = [told[4], *(line.partition("| ")[2] for line in more)]
            yield Complaint(
                path=heading[1],
                line=int(told[1]),
                column=int(told[2]),
                severity="error",
                code=told[3],
                message=" ".join(trimmed(said)),
                at=at,
            )
        elif not _WRAPPED.match(lines[at]):
            return


def _cmake(lines: Lines, number: int, heading: re.Match[str]) -> Iterator[Complaint]:
    """Its text is indented, with empty lines between the paragraphs."""
    said = before(lines[number + 1 : number + 40], lambda line: bool(line) and line[0] != " ")
    yield Complaint(
        path=heading[2] or "CMakeLists.txt",
        line=int(heading[3] or 0),
        severity=_severity(heading[1].lower()),
        code=heading[4] or "cmake",
        message=" ".join(trimmed([heading[5] or "", *said])),
        compiler=True,
        at=number,
    )


_POINTERS = frozenset("12^")
_ABOVE = Pattern(rf"{_PATH}:(\d{{1,9}}):(\d{{1,9}}):$")


def _gfortran(lines: Lines, number: int, heading: re.Match[str]) -> Iterator[Complaint]:
    """The place, an empty line, the code, a mark below it, and then the text."""
    marked = number > 0 and lines[number - 1][-1:] in _POINTERS
    above = range(number - 1, max(-1, number - _LOOK // 2), -1) if marked else ()
    place = next(((at, m) for at in above if (m := _ABOVE.match(lines[at]))), None)
    if place:
        at, told = place
        yield Complaint(
            path=told[1],
            line=int(told[2]),
            column=int(told[3]),
            severity=heading[1].lower(),
            code="",
            message=heading[2],
            source=_framed_source(lines, at, int(told[2])),
            compiler=True,
            at=number,
        )


def _unformatted(lines: Lines, number: int, heading: re.Match[str]) -> Iterator[Complaint]:  # noqa: ARG001 - one line tells it
    path = next(group for group in heading.groups() if group)
    yield Complaint(path=path, line=0, severity="error", code="format", message="the file is not formatted", at=number)


def _unreadable(lines: Lines, number: int, heading: re.Match[str]) -> Iterator[Complaint]:
    """prettier and black: the file and its error on the first line, a frame below."""
    shown = [line.removeprefix("[error]").strip() for line in lines[number + 1 : number + 6]]
    pointed = next((line for line in shown if line.startswith(">")), "")
    yield Complaint(
        path=heading[1],
        line=int(heading[3]),
        severity="error",
        code="syntax",
        message=f"{heading[2]}: {pointed.partition('|')[2].strip()}",
        at=number,
    )


_FORMS = (
    _Form((",-[", "╭─["), Pattern(rf"\s{{0,8}}(?:,-|╭─)\[{_PATH}:(\d{{1,9}}):(\d{{1,9}})\]$"), _miette),
    _Form(
        ("━━━",),
        Pattern(rf"(?:\./)?{_PATH}(?::(\d{{1,9}}):(\d{{1,9}}))? ([a-z]\w{{1,20}}(?:/\w{{1,60}}){{0,3}}) .{{0,40}}━━━"),
        _biome,
    ),
    _Form(("[ERROR]", "[WARNING]"), Pattern(r"[✘X▲>] \[(ERROR|WARNING)\] (.+)$"), _esbuild),
    _Form(
        ("ERROR in ", "WARNING in "),
        Pattern(rf"(ERROR|WARNING) in {_PATH}(?: (\d{{1,9}}):\d{{1,9}}(?:-\d{{1,9}})?(?::\d{{1,9}})?)?$"),
        _webpack,
    ),
    _Form((" SC",), Pattern(rf"In {_PATH} line (\d{{1,9}}):$"), _shellcheck),
    _Form((">> Issue: [",), Pattern(r">> Issue: \[([A-Z]\d{1,6}):[\w-]{1,100}\] (.+)$"), _bandit),
    _Form(("] FAIL\n",), Pattern(rf"== \[{_PATH}\] FAIL$"), _sqlfluff),
    _Form(
        ("CMake ",),
        Pattern(rf"CMake (Error|Warning)(?: at {_PATH}:(\d{{1,9}})(?: \((\w{{1,80}})\))?)?: ?(.+)?$"),
        _cmake,
    ),
    _Form(
        ("ould reformat", "[warn] ", "incorrectly sorted"),
        Pattern(
            rf"[Ww]ould reformat:? {_PATH}$|\[warn\] (\S{{1,500}}\.\w{{1,8}})$"
            rf"|ERROR: {_PATH} Imports are incorrectly sorted"
        ),
        _unformatted,
    ),
    _Form(("\nError: ", "\nFatal Error: ", "\nWarning: "), Pattern(r"((?:Fatal )?Error|Warning): (.+)$"), _gfortran),
    _Form(("[error] ",), Pattern(rf"\[error\] {_PATH}: (.{{1,1000}}) \((\d{{1,9}}):\d{{1,9}}\)$"), _unreadable),
)
_MARKS = Marks(form.marks for form in _FORMS)
