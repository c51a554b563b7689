"""What failed, as a Python program printed it: pytest's sections, unittest's, a plain traceback."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from trueup.evidence.parsers.found import Found, Lines, before, blocks, raised, starting, trimmed
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame, deepest_own, foreign
from trueup.evidence.told import Phase
from trueup.evidence.values import Value

_FILE_LINE = Pattern(r'\s{0,200}File "([^"]{1,1000})", line (\d{1,9})')
_TELLING = frozenset("_=FE")
"""How headings, rules and the lines of the summary begin."""
_INDENTED = frozenset(("", " ", "\t"))
_LOCATION = Pattern(r"([^\s:][^:]{0,1000}\.\w{1,8}):(\d{1,9}): ?(.{0,200})")


def native_frames(lines: Lines) -> Iterator[Frame]:
    for number in [number for number, line in enumerate(lines) if 'File "' in line]:
        match = _FILE_LINE.match(lines[number])
        if match:
            following = lines[number + 1].strip() if number + 1 < len(lines) else ""
            is_source = bool(following) and not _FILE_LINE.match(lines[number + 1])
            yield Frame(path=match[1], line=int(match[2]), source=following if is_source else None)


def _outer(lines: Lines) -> list[int]:
    """Where lines begin at the margin: most of a section is source text."""
    indented = _INDENTED
    return [number for number, line in enumerate(lines) if line[:1] not in indented]


def _pytest_frames(lines: Lines, outer: Iterable[int]) -> list[Frame]:
    """Long style: `> source` … `path:12: …`. Short style: `path:12: in f`, and the source below it."""
    source: str | None = None
    frames = []
    for number in outer:  # a plain loop: this runs for every line of every failure
        line = lines[number]
        if line[:2] == "> ":
            source = line[1:].strip()
        elif line[:3] != "E  " and line[(colon := line.find(":") + 1) : colon + 1].isdecimal():
            # Looking behind the first colon costs little, and most lines have no number there.
            match = _LOCATION.match(line)
            if match and match[3][:3] == "in " and number + 1 < len(lines):
                frames.append(Frame(path=match[1], line=int(match[2]), source=lines[number + 1].strip() or None))
            elif match:
                frames.append(Frame(path=match[1], line=int(match[2]), source=source))
                source = None
    return frames


_IN_GROUP = Pattern(r"( {1,200})([|+]) ?(.*)$")


def ungrouped(lines: Lines) -> Lines:
    """An exception group as a plain traceback: the exceptions in it are lines of its message."""
    if not any(line.endswith("Exception Group Traceback (most recent call last):") for line in lines):
        return lines
    plain: list[str] = []
    depth = 0
    for line in lines:
        match = _IN_GROUP.match(line)
        if not match:
            depth = 0
            plain.append(line)
        elif match[3].startswith("Exception Group Traceback ") and not depth:
            depth = len(match[1])
            plain.append("Traceback (most recent call last):")
        elif match[2] == "|" and len(match[1]) == depth:
            plain.append(match[3])
        elif match[2] == "|" and raised(match[3]):
            plain.append(f"  {match[3]}")
    return plain


def python_frames(section: Lines) -> list[Frame]:
    return [*_pytest_frames(section, _outer(section)), *native_frames(section)]


_COLLECT_ERROR = "_pytest.nodes.Collector.CollectError"
"""What pytest makes of an error while it collects; with `--full-trace` it is told as well."""


def exception(lines: Lines) -> tuple[str, str]:
    """Class and message of the last exception in a section."""
    evidence: Lines = [line[1:].strip() for line in lines if line[:3] == "E  "]
    if any(_COLLECT_ERROR in line for line in evidence):
        evidence = before(evidence, starting(_COLLECT_ERROR))
    if not evidence:
        # Below a traceback the first one: its message may go on with lines that look like another.
        start = max((n for n, line in enumerate(lines) if line.startswith("Traceback ")), default=-1)
        unindented = [r for r in map(raised, lines[start + 1 :]) if r]
        return unindented[0 if start >= 0 else -1] if unindented else ("", "")
    first = raised(evidence[0])
    if first:
        return first[0], "\n".join([first[1], *evidence[1:]]).strip()
    return _class_below(evidence, lines), "\n".join(evidence)


_CLASSES = ("Error", "Exception", "Failure", "Warning", "Exit", "Interrupt", "Group")
"""How a class ends; `HINT: …` is none."""


def _class_below(evidence: Lines, lines: Lines) -> str:
    """`assert …` names no class. A syntax error names it last, below the text that it could not read."""
    if evidence[0].startswith("assert"):
        return "AssertionError"
    places = [m[3] for m in map(_LOCATION.match, lines) if m]
    named = [r[0] for r in map(raised, [*places, *evidence]) if r and r[0].endswith(_CLASSES)]
    return named[-1] if named else "AssertionError"


class _Section(Value):
    name: str
    start: int
    lines: Lines
    size: int = 0
    """In lines of the output, where they are others than these below a heading."""

    @property
    def span(self) -> range:
        return range(self.start, self.start + (self.size or 1 + len(self.lines)))


_RULE_HEADING = Pattern(r"_{1,400} (.{1,1800}) _{1,400}$")
_PYTEST_FILE = Pattern(r"[^\s:]{1,1000}\.py(?=$| - |::)")
# What the test printed may look like anything, also like another failure.
_CAPTURED = Pattern(r"-{3,400} Captured \w{1,40} \w{1,40} -{3,400}$")
_PARTS = frozenset(("FAILURES", "ERRORS"))
_COLLECTING = "ERROR collecting "
_SUBTEST = Pattern(r"(?<=[\w\]]) \([^()\n]{1,400}\)$")
_FIXTURE_ERROR = Pattern(r"ERROR at (?:setup|teardown) of ")


def pytest(lines: Lines) -> Iterator[Found]:
    heads = _TELLING
    telling = [number for number, line in enumerate(lines) if line[:1] in heads]
    sections = list(_pytest_sections(lines, telling))
    waiting: dict[str, deque[_Section]] = {}
    for section in sections:
        waiting.setdefault(section.name, deque()).append(section)
    told: list[tuple[int, str, str, _Section | None]] = []
    for number, summary in _summaries(lines, telling):
        subject, message = _split_summary(summary)
        # The same name in two files comes in the order of the summary.
        found = waiting.get(_renamed(subject.partition("::")[2], "::", ".") or subject)
        told.append((number, subject, message, found.popleft() if found else None))
    lacking = [number for number, _, _, its in told if its is None and lines[number][0] == "F"]
    crashed = dict(zip(lacking, _of_one_line(lines, telling, len(lacking)), strict=False)) if lacking else {}
    for number, subject, message, its in told:
        bare = _Section(name="", start=number, lines=[])
        yield _pytest_failure(subject, message, its or crashed.get(number, bare))
    if not told:
        yield from _without_summary(sections)


_ANNOUNCED = "= short test summary info ="


def _summaries(lines: Lines, telling: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Where a summary is announced, only its lines: workers tell `FAILED …` before it, too, as soon as it happens."""
    announced = [at for at, number in enumerate(telling) if _ANNOUNCED in lines[number]]
    inside = not announced
    for number in telling[announced[0] :] if announced else telling:
        line = lines[number]
        if announced and line[:3] == "===":
            inside = _ANNOUNCED in line
        elif inside and line.startswith(("FAILED ", "ERROR ")):
            subject = line.partition(" ")[2]
            if _PYTEST_FILE.match(subject):
                yield number, subject


def _of_one_line(lines: Lines, telling: Iterable[int], count: int) -> list[_Section]:
    """`--tb=line` tells each failure in one line, the place and the exception, in the order of the summary."""
    rules = [number for number in telling if lines[number][:3] == "==="]
    found: list[_Section] = []
    for start, end in pairwise([*rules, len(lines)]):
        if lines[start].strip("= ") == "FAILURES":
            places = ((number, _LOCATION.match(lines[number])) for number in range(start + 1, end))
            found += [
                _Section(name="", start=number, lines=[f"E   {lines[number][place.start(3) :]}", place[0]], size=1)
                for number, place in places
                if place and place[3] and lines[number][:3] != "E  "
            ]
    return found if len(found) == count else []


def asides(lines: Lines) -> Iterator[range]:
    """What pytest says about the run: its heading up to the first test, its warnings, and the summary up to the counts.

    In the summary a message may go on over many lines, and hold anything.
    """
    rules = [number for number, line in enumerate(lines) if line and line[-3:] == "===" and line[0] == "="]
    for start, end in pairwise([*rules, len(lines)]):
        title = lines[start].strip("= ")
        if title == "test session starts":
            yield range(start, next((number for number in range(start, end) if not lines[number]), end))
        elif title.startswith("warnings summary"):
            yield range(start, end)
        elif title == "short test summary info":
            yield range(start, _counts(lines, start, end))


_COUNTS = Pattern(r"(?:={3,400} )?\d{1,9} (?:failed|passed|error|warning|skipped|deselected|xfailed|xpassed)")
_COUNTING = frozenset("=123456789")


def _counts(lines: Lines, start: int, rule: int) -> int:
    """The line behind a summary that counts, no further than the next rule; if there is none, the summary's start."""
    for number in range(start + 1, min(rule + 1, len(lines))):
        line = lines[number]
        if line[:1] in _COUNTING and _COUNTS.match(line):
            return number
    return start


_SAID_BY_PYTEST = Pattern(
    r"(?:FAILED|ERROR) [^\s:]{1,1000}\.py(?:$| - |::)|ERROR: (?:found no collectors for|not found:) "
    r"|(?:\S{1,1000}\.py(?:::.{1,1000})? )?(?:[.FEsxX]{1,400}|PASSED|FAILED|ERROR|SKIPPED)\s{0,400}\[ {0,2}\d{1,3}%\]$"
    r"|\d{1,9} (?:failed|passed|errors?|warnings?|skipped|deselected),? .{0,99}\bin \d{1,9}\.\d\ds(?: \([\d:]{1,9}\))?$"
)


def is_all_of_pytest(lines: Iterable[str]) -> bool:
    """Whether nobody else speaks in these lines: rules, progress, the summary and the counts."""
    return all(_is_rule(line) or _SAID_BY_PYTEST.match(line) for line in lines if line)


def _is_rule(line: str) -> bool:
    return line[:3] == "===" == line[-3:]


def _without_summary(sections: Iterable[_Section]) -> Iterator[Found]:
    """With `--no-summary` the first frame tells the file of a test."""
    for section in sections:
        own = [f for f in python_frames(section.lines) if not foreign(f.path)]
        if _PYTEST_FILE.match(section.name):
            yield _pytest_failure(section.name, "", section)
        elif own:
            yield _pytest_failure(f"{own[0].path}::{_renamed(section.name, '.', '::')}", "", section)


def _renamed(name: str, old: str, new: str) -> str:
    """Only in the names of classes and functions: parameters are values and may hold anything."""
    function, bracket, parameters = name.partition("[")
    return function.replace(old, new) + bracket + parameters


def _pytest_sections(lines: Lines, telling: Iterable[int]) -> Iterator[_Section]:
    name: str | None = None
    start = 0
    inside = False
    for number in telling:
        line = lines[number]
        if _is_rule(line):
            begun, inside = None, line.strip("= ") in _PARTS
        elif not inside or line[0] != "_" or (begun := _heading_name(line)) is None:
            continue
        if name is not None:
            yield _Section(name=name, start=start, lines=lines[start + 1 : number])
        name, start = begun, number
    if name is not None:
        yield _Section(name=name, start=start, lines=lines[start + 1 :])


def _heading_name(line: str) -> str | None:
    """The test that a heading names; a rule between two levels of a stack names none."""
    heading = _RULE_HEADING.match(line) if line.strip("_ ") else None
    if heading is None or not heading[1].strip("_ "):
        return None
    name = heading[1]
    name = _FIXTURE_ERROR.sub("", name).removeprefix(_COLLECTING) if "ERROR " in name else name
    return name.removeprefix("[doctest] ").strip()


def _split_summary(text: str) -> tuple[str, str]:
    """The id may hold ` - ` inside its parameters, so a closing bracket must come first: the one that closes all."""
    bracket = text.find("[")
    dash = text.find(" - ")
    if 0 <= bracket < dash:
        closing = _closing(text, bracket)
        if closing < 0:
            return (text, "") if text.endswith("]") else (text[:dash], text[dash + 3 :])
        dash = closing + 1
    return (text, "") if dash < 0 else (text[:dash], text[dash + 3 :])


def _closing(text: str, bracket: int) -> int:
    """Where `] - ` closes as many brackets as were opened; the first, when none does."""
    first = closing = text.find("] - ", bracket)
    deep = text.count("[", bracket, closing)
    while closing >= 0:
        deep -= text.count("]", bracket, closing + 1)
        if deep <= 0:
            return closing
        bracket, closing = closing + 1, text.find("] - ", closing + 1)
        deep += text.count("[", bracket, closing)
    return -1 if text.endswith("]") and text.count("[") == text.count("]") else first


def _unquoted(subtest: re.Match[str]) -> str:
    """A parallel run prints the values of a subtest as text: `(n='0')` for `(n=0)`."""
    return subtest[0].replace("'", "").replace('"', "")


def _pytest_failure(subject: str, message: str, section: _Section) -> Found:
    whole = "\n".join(section.lines)
    said = before(section.lines, _CAPTURED.match) if " Captured " in whole else section.lines
    said = ungrouped(said) if "Exception Group " in whole else said
    outer = _outer(said)
    kind, text = exception([said[number] for number in outer])
    frame = deepest_own([*_pytest_frames(said, outer), *(native_frames(said) if 'File "' in whole else ())])
    if frame and ": DocTestFailure" in whole:
        kind, text, example = _failed_example(trimmed(said))
        frame = frame.but(source=example)
    elif not kind:
        kind, text = _without_exception(trimmed(said), message)
    path, _, name = subject.partition("::")
    return Found(
        owner=path,
        name=_SUBTEST.sub(_unquoted, name) if " (" in name else name,
        phase=Phase.RUN if name else Phase.COLLECT,
        kind=kind,
        message=text,
        frame=frame,
        excerpt=whole or message,
        test=bool(name),
        span=section.span,
    )


_EXAMPLE = Pattern(r"\d{3,6} {1,200}>>> (.*)$")


def _failed_example(said: Lines) -> tuple[str, str, str | None]:
    """Of a doctest: what was expected and what came, and the example's source, which is the last one shown."""
    examples = [(number, match[1]) for number, line in enumerate(said) if (match := _EXAMPLE.match(line))]
    start, source = examples[-1] if examples else (-1, None)
    return "DocTestFailure", "\n".join(said[start + 1 : -1]), source


def _without_exception(said: Lines, message: str) -> tuple[str, str]:
    """What pytest says in plain words; else the summary's words, which may be cut off at the terminal's width."""
    if said:
        return "error", "\n".join(said)
    kind, text = raised(message) or ("AssertionError" if message.startswith("assert") else "error", message)
    return kind, "" if text.endswith("...") else text


_UNITTEST_HEADING = Pattern(r"(?:FAIL|ERROR): (\w{1,200}) \(([\w.]{1,400})\)(.{0,200})$")
_NOT_LOADED = "unittest.loader._FailedTest"


def unittest(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _UNITTEST_HEADING, starting("======", "Ran ")):
        body = ungrouped(block.body)
        if any(line.startswith("Traceback ") for line in body):
            yield _unittest_failure(block.heading, _traceback("", body, span=block.span, test=True), body)


def _unittest_failure(heading: re.Match[str], told: Found, body: Lines) -> Found:
    """Its id as the files have it, `tests/test_a.py::Case::test_b`, which is also how a structured report names it."""
    method, dotted, part = heading[1], heading[2], heading[3]
    if dotted.startswith(_NOT_LOADED):
        return told.but(owner=f"{method}.py", phase=Phase.COLLECT, test=False)
    parts = dotted.removesuffix(f".{method}").split(".")
    length = _module_length(parts, [frame.path.replace("\\", "/") for frame in native_frames(body)])
    owner = "/".join(parts[:length]) + ".py" if length else ""
    return told.but(owner=owner, name="::".join([*parts[length:], method]) + part)


def _module_length(parts: Lines, paths: Lines) -> int:
    """How many names are the module's: a frame shows its file; otherwise classes are written in capitals."""
    shown = (
        n for n in range(len(parts), 0, -1) if any(f"/{path}".endswith(f"/{'/'.join(parts[:n])}.py") for path in paths)
    )
    classes = (n for n, part in enumerate(parts) if part.lstrip("_")[:1].isupper())
    return next(shown, 0) or next(classes, 0)


_RUNNERS_HEADING = Pattern(
    r"[=*-]{10,}$|\[\w{1,12}\]$|(?:Failure|Error|FAIL|ERROR|FAILED)\b:?(?: in)?(?: test)? ?(.{0,400})$"
)


def crash(lines: Lines) -> Iterator[Found]:
    """The last traceback: of a chain, it is the exception that came through. All of them, where each has a heading."""
    lines = ungrouped(lines)
    starts = [n for n, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")]
    ends = [*starts[1:], len(lines)][: len(starts)]
    told = [(start, end) for start, end in zip(starts, ends, strict=True) if not _goes_on(lines, end)]
    headings = [_heading(lines, start) for start, _ in told]
    if None in headings:
        told, headings = told[-1:], [""]
    for (start, end), heading in zip(told, headings, strict=True):
        if any(map(raised, lines[start + 1 : end])):
            yield _traceback(heading or "", lines[start:end], span=range(start, end), test=False)


def _goes_on(lines: Lines, number: int) -> bool:
    """Whether the next traceback is one that this one led to."""
    return any(" above exception" in line for line in lines[max(0, number - 3) : number])


def _heading(lines: Lines, number: int) -> str | None:
    """What a runner says right above a traceback: which test it was, or just that it failed. None: nobody says so."""
    above = next(filter(None, (lines[n].strip() for n in range(number - 1, max(-1, number - 4), -1))), "")
    match = _RUNNERS_HEADING.match(above)
    return match[1] or "" if match else None


def _traceback(name: str, section: Lines, *, span: range, test: bool) -> Found:
    start = max((n for n, line in enumerate(section) if line.startswith("Traceback ")), default=0)
    body = section[start + 1 :]
    end = next((n for n, line in enumerate(body) if raised(line)), len(body))
    kind, message = (raised(body[end]) if end < len(body) else None) or ("error", "")
    return Found(
        name=name,
        kind=kind,
        message="\n".join([message, *_until_blank(body[end + 1 :])]).strip(),
        frame=deepest_own(list(native_frames(body))),
        excerpt="\n".join(section),
        test=test,
        span=span,
    )


def _until_blank(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if not line or line.startswith(("----", "====")):
            return
        yield line
