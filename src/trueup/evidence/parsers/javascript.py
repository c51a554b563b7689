"""What failed, as jest, vitest, mocha and node's own runner print it for people?"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from trueup.evidence.parsers.found import (
    Block,
    Found,
    Lines,
    before,
    blocks,
    frames,
    kind_and_message,
    raised,
    starting,
    trimmed,
    until_the_end,
)
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame, first_own, foreign
from trueup.evidence.told import Phase

_PLACE = r"(?P<path>(?:[A-Za-z]:[\\/]|file://)?[^\s:()][^:()\n]{0,500}):(?P<line>\d{1,9}):\d{1,9}"
STACK = Pattern(rf"^\s{{0,40}}(?:at |❯ )(?:[^()\n]{{0,400}}\()?{_PLACE}\)?$")
_VITEST_PLACE = Pattern(rf"^\s{{0,40}}❯ (?:[^\s:()]{{1,200}} )?{_PLACE}$")
_POINTED = Pattern(r"\s{0,40}> {1,8}(\d{1,9}) \|(.*)$")
_NUMBERED = Pattern(r"\s{0,40}(?:> {1,8})?(\d{1,9}) ?\|(.*)$")
_DURATION = Pattern(r" \(?\d[\d.]{0,12} ?m?s\)?$")


def js_frames(lines: Lines) -> Iterator[Frame]:
    vitest = list(
        frames(lines, _VITEST_PLACE, mark="❯ ")
    )  # a function's name stands before the place, without brackets
    yield from vitest or frames(lines, STACK)


def is_stack(line: str) -> bool:
    return STACK.match(line) is not None or line.lstrip().startswith(("at ", "❯ "))


_JEST_FILE = Pattern(r"\s{0,4}FAIL\s{1,4}(?:\S{1,100} )?(\S{1,500}\.\w{1,8})(?: \(\d[^)]{0,20}\))?$")
_JEST_HEADING = Pattern(r"\s{0,3}● (.{1,1000})$")  # what a test printed stands further in
_JEST_ENDS = Pattern(
    r"\s{0,4}(?:FAIL|PASS)\s|(?:Test Suites|Seed|Snapshot Summary|Summary of all failing tests)\b|-{20,}\|"
    r"|(?:A worker process has failed to exit|Force exiting Jest|Jest did not exit)\b"
)
_SUITE = "Test suite failed to run"
_AT_COLUMN = Pattern(r"(?<=\S) \(\d{1,9}:\d{1,9}\)$", re.MULTILINE)
_LATE = 'thrown: "Exceeded timeout'


def jest(lines: Lines) -> Iterator[Found]:
    seen: set[tuple[str, str, str, str]] = set()
    files = deque((n, m[1]) for n, line in enumerate(lines) if "FAIL" in line and (m := _JEST_FILE.match(line)))
    file = ""
    is_jest = bool(files) or any(line.startswith("Test Suites:") for line in lines)
    for block in blocks(lines, _JEST_HEADING, lambda line: _JEST_ENDS.match(line) is not None, mark="● "):
        while files and files[0][0] < block.start:
            file = files.popleft()[1]
        name = block.heading[1].strip()
        # Console output has a heading, too. Without files only the configuration can be wrong: `Validation Error:`.
        if name != "Console" and (is_jest or name.endswith(":")) and trimmed(block.body):
            failure = _jest_failure(file, name, block)
            told = (file, name, failure.kind, failure.message)
            if told not in seen:  # the summary of a long run repeats all failures
                seen.add(told)
                yield failure


def _jest_failure(file: str, name: str, block: Block) -> Found:
    suite = name == _SUITE
    kind, message = kind_and_message(before(block.body, is_code_or_stack), "Error")
    frame = with_source(first_own(js_frames(block.body)), block.body)
    if suite:
        message = _AT_COLUMN.sub("", message)
    if frame and message.startswith("thrown: ") and not message.startswith(_LATE):
        frame = None  # no error was thrown, so that nobody knows where: jest points at the beginning of the test
    return Found(
        owner=file,
        name="" if suite else name.replace(" › ", " > "),  # as jest's own reporters know it, and the other tools
        kind=kind,
        message=message,
        phase=Phase.COLLECT if suite else Phase.RUN,
        test=not suite,
        frame=frame,
        excerpt=block.text(),
        span=block.span,
    )


def is_code_or_stack(line: str) -> bool:
    return _NUMBERED.match(line) is not None or is_stack(line)


def with_source(frame: Frame | None, body: Lines) -> Frame | None:
    """The line that the code frame points at; without a pointer, the one with the number of the frame."""
    if frame is None:
        return None
    pointed = next((m[2] for m in map(_POINTED.match, body) if m), None)
    if pointed is None:
        pointed = next((m[2] for m in map(_NUMBERED.match, body) if m and int(m[1]) == frame.line), None)
    return frame.but(source=pointed.strip() if pointed is not None else None)


_VITEST_HEADING = Pattern(
    r"\s{0,4}FAIL {1,4}(?:\|[^|]{1,100}\| |\S{1,60} {1,4})?(\S{1,500}\.\w{1,8})(?: (> .{1,1000}|\[ .{1,1000} \]))$"
)


def vitest(lines: Lines) -> Iterator[Found]:
    """Tests that fail with one and the same error share its text: the headings stand above it, one below another."""
    waiting: list[Block] = []
    for block in blocks(lines, _VITEST_HEADING, lambda line: line.startswith((" Test Files ", "⎯⎯")), mark="FAIL "):
        waiting.append(block)
        if trimmed(block.body):
            yield from (_vitest_failure(one, block.body) for one in waiting)
            waiting = []


def _vitest_failure(block: Block, body: Lines) -> Found:
    suite = block.heading[2].startswith("[")
    kind, message = kind_and_message(before(body, is_code_or_stack), "Error")
    return Found(
        owner=block.heading[1],
        name="" if suite else _DURATION.sub("", block.heading[2].removeprefix("> ")),
        kind=kind,
        message=message,
        phase=Phase.COLLECT if suite else Phase.RUN,
        test=not suite,
        frame=_shown(body) or with_source(first_own(js_frames(body)), body),
        excerpt="\n".join([block.heading.string.strip(), *body]).rstrip(),
        span=block.span,
    )


_BARE_NUMBER = Pattern(r" {1,12}(\d{1,9})\|(.*)$")


def _shown(body: Lines) -> Frame | None:
    """vitest shows the code of one level of the stack, right below that level, which need not be the first."""
    numbered = next((n for n, line in enumerate(body) if "|" in line and _BARE_NUMBER.match(line)), 0)
    level = list(frames(body[numbered - 1 : numbered], _VITEST_PLACE)) if numbered else []
    if not level or foreign(level[0].path):
        return None
    code = filter(None, map(_BARE_NUMBER.match, body[numbered:]))
    source = next((m[2].strip() for m in code if int(m[1]) == level[0].line), None)
    return level[0].but(source=source)


_MOCHA_COUNT = Pattern(r"\s{0,8}\d{1,9} failing\b")
_MOCHA_HEADING = Pattern(r"  \d{1,6}\) (.{1,1000})$")
_MOCHA_TEST = Pattern(rf"^\s{{0,40}}at (?:async )?Context\.[^()\s]{{1,200}} \({_PLACE}\)$")
"""The frame of the test itself: mocha calls it with a context. It is the only place that names the file."""


def mocha(lines: Lines) -> Iterator[Found]:
    """Names stand below one another, each deeper than the last; the whole ends with a colon."""
    start = next((n for n, line in enumerate(lines) if _MOCHA_COUNT.match(line)), len(lines))
    home = _mocha_home(lines[start:])
    for block in blocks(
        lines[start:], _MOCHA_HEADING, starting("npm ERR!", "npm error", "error Command failed", "-----")
    ):
        more = _mocha_names(block)
        rest = block.body[len(more) :]
        kind, message = kind_and_message(_above_the_stack(rest), "Error")
        frame = first_own(js_frames(rest))
        yield Found(
            owner=next((m["path"] for m in map(_MOCHA_TEST.match, reversed(rest)) if m), "").removeprefix(home),
            name=" > ".join(trimmed([block.heading[1], *more])).removesuffix(":"),
            kind=kind,
            message=message,
            frame=frame.but(path=frame.path.removeprefix(home)) if frame else None,
            excerpt=block.text(),
            span=range(start + block.start, start + block.span.stop),
        )


def _above_the_stack(body: Lines) -> Lines:
    """What has no stack goes on until somebody else speaks."""
    said = before(body, is_stack)
    return said if len(said) < len(body) else until_the_end(body)


def _mocha_home(lines: Lines) -> str:
    """With `--full-trace` all paths are whole; its own frames say where the project is. "" without them.

    Modules are named by an address (`file:///…`), with and without: those stay.
    """
    own = next((line for line in lines if "/mocha/lib/" in line and is_stack(line)), "")
    above, found, _ = own.replace("file://", "").partition("/node_modules/")
    return f"/{above.partition('/')[2]}/" if found else ""


def _mocha_names(block: Block) -> Lines:
    """A name has one line or more; the error may stand directly below the last one."""
    if block.heading[1].endswith(":"):
        return []
    last = next((n for n, line in enumerate(block.body) if line.endswith(":") or not line), 0)
    return block.body[: last + 1]


_NODE_LINE = Pattern(r"( {0,80})([▶✖]) (.{1,1000})$")
_NODE_PLACE = Pattern(r"test at (?P<path>\S.{0,500}):\d{1,9}:\d{1,9}$")


def node_spec(lines: Lines) -> Iterator[Found]:
    """After `✖ failing tests:` each has its place, its name and its error; what it belongs to stands above that."""
    start = next((n for n, line in enumerate(lines) if line.endswith("✖ failing tests:")), len(lines))
    paths = _node_paths(lines[:start])
    for block in blocks(lines[start:], _NODE_PLACE, starting("\0"), mark="test at "):
        named = trimmed(block.body[:1])
        if named and named[0].startswith("✖ "):
            kind, message = _thrown_kind(before(block.body[1:], _is_further_out))
            name = _DURATION.sub("", named[0].removeprefix("✖ "))
            if name.endswith(block.heading["path"]):
                yield node_file(name, lines[:start], (message, block))
                continue
            yield Found(
                owner=block.heading["path"],
                name=paths[name].popleft() if paths.get(name) else name,
                kind=kind,
                message=message,
                frame=first_own(js_frames(block.body)),
                excerpt=block.text(),
                span=range(start + block.start, start + block.span.stop),
            )


def _is_further_out(line: str) -> bool:
    """Whether whoever started the tests speaks: all that the report says about a test is indented."""
    return line[:1] not in {"", " "}


def _thrown_kind(body: Lines) -> tuple[str, str]:
    """An error with a stack is told with its class, whatever that is called: `Overdue: text`."""
    said = _thrown_text(_above_the_stack(body))
    named = raised(said[0]) if said and any(map(is_stack, body)) else None
    return (named[0], "\n".join([named[1], *said[1:]]).strip()) if named else kind_and_message(said, "Error")


_INSPECTED = Pattern(r"\[(?:Error \[)?(\w{1,100})\]?: (.{1,1500})\](?: \{)?$")


def _thrown_text(said: Lines) -> list[str]:
    """A text that was thrown is shown as a value, and so is an error without a stack; the other report has it bare."""
    text = trimmed(said)
    error = _INSPECTED.match(text[0]) if text and text[0][0] == "[" else None
    if error:
        return [f"{error[1]}: {error[2]}"]
    quoted = len(text) == 1 and len(text[0]) > 1 and text[0][0] == text[0][-1] == "'"
    return [text[0][1:-1]] if quoted else text


_AFTER_THE_END = Pattern(r'activity after the test ended\. This activity created the error "(.{1,1500}?)" and ')
NEAR = 200
"""How many lines above its result a file's last words are looked for."""


def node_file(path: str, above: Lines, told: tuple[str, Block]) -> Found:
    """A file that ended before its tests: the report only says so, what the program printed tells why."""
    named = next(
        (n for n, line in enumerate(above) if path in line and line.lstrip().startswith(("✖", "not ok"))), len(above)
    )
    said = [line.removeprefix("# ") for line in above[max(0, named - NEAR) : named]]
    thrown = [n for n, line in enumerate(said) if _is_thrown(said, n, line)]
    late = "" if thrown else next((m[1] for m in map(_AFTER_THE_END.search, said) if m), "")
    kind, message = kind_and_message(before(said[thrown[-1] :], is_stack) if thrown else [late or told[0]], "Error")
    return Found(
        owner=path,
        kind=kind,
        message=message,
        phase=Phase.COLLECT,
        test=False,
        excerpt="\n".join([*said[thrown[-1] :], told[1].text()]) if thrown else told[1].text(),
        span=(),
    )


def _is_thrown(said: Lines, number: int, line: str) -> bool:
    named = raised(line)
    below = 12 if named and named[0].endswith("Error") else 1
    return named is not None and any(map(is_stack, said[number + 1 : number + 1 + below]))


def _node_paths(lines: Lines) -> dict[str, deque[str]]:
    """Name of a failing test -> its name with those around it, once for each time that it failed.

    `▶` begins a group, `✖` (in older versions `▶` again) with the same name ends it; any other `✖` is a test.
    """
    paths: dict[str, deque[str]] = {}
    around: list[tuple[int, str]] = []
    for match in filter(None, map(_NODE_LINE.match, lines)):
        depth, name = len(match[1]), _DURATION.sub("", match[3])
        ends = (depth, name) in around
        around = [one for one in around if one[0] < depth]
        if match[2] == "▶" and not ends:
            around.append((depth, name))
        elif not ends:
            paths.setdefault(name, deque()).append(" > ".join([*(outer for _, outer in around), name]))
    return paths
