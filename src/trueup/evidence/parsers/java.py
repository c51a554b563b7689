"""What failed, as JUnit's text runner, Maven's surefire and Gradle print it?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from trueup.evidence.parsers.found import Block, Found, Lines, before, blocks, kind_and_message, starting
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame

_STACK = Pattern(
    r"\s{0,40}at (?:[\w.$@-]{0,100}/{1,2}){0,3}(?P<where>[\w$.<>]{1,600})\.[\w$<>]{1,200}"
    r"\((?P<file>[\w$-]{1,200}\.\w{1,8}):(?P<line>\d{1,9})\)"
)
_LIBRARY = Pattern(
    r"(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|hamcrest|opentest4j|assertj|testng|mockito|gradle|apache\.maven|"
    r"codehaus|springframework))\.|junit\.framework\."
)
_JUNIT4 = Pattern(r"\d{1,6}\) ([\w$\[\]., -]{1,400})\(([\w$.]{1,400})\)$")
_SUREFIRE = Pattern(
    r"(?:\[ERROR\] )?\s{0,4}(?:([\w$\[\]{}., =-]{1,400})\(([\w$.]{1,400})\)|([\w$.]{1,600}\.[\w$\[\]{}(), =-]{1,300}?))"
    r"(?: {1,4}--)? {1,4}Time elapsed: .{1,40}<<< (?:FAILURE|ERROR)!"
)
_GRADLE = Pattern(r"([\w$.]{1,400}(?: > .{1,400})) FAILED$")
# By default Gradle tells no message: `java.lang.AssertionError at CartTest.java:12`, a file beside the test's class.
_GRADLE_SHORT = Pattern(r" {1,8}[\w$.]{1,400} at ([\w$-]{1,200}\.\w{1,8}):(\d{1,9})$")


def java_frames(lines: Lines) -> list[Frame]:
    """Own frames first: a library is known by its package, as the path is not printed."""
    found = [m for m in map(_STACK.match, lines) if m]
    return [_frame(m) for m in found if not _LIBRARY.match(m["where"])] or [_frame(m) for m in found]


def _frame(match: re.Match[str]) -> Frame:
    package = match["where"].rpartition(".")[0].replace(".", "/")
    path = f"{package}/{match['file']}" if package else match["file"]
    return Frame(path=path, line=int(match["line"]), source=None)


def junit_text(lines: Lines) -> Iterator[Found]:
    ends = starting("FAILURES!!!", "Tests run:")
    for block in blocks(lines, _JUNIT4, ends):
        yield _failure(f"{block.heading[2]}.{block.heading[1]}", block)


def surefire(lines: Lines) -> Iterator[Found]:
    ends = starting("[INFO]", "[ERROR]", "Results", "Tests run:", "Running ")
    for block in blocks(lines, _SUREFIRE, lambda line: not line or ends(line)):
        method, owner, whole = block.heading[1], block.heading[2], block.heading[3]
        yield _failure(f"{owner}.{method.strip()}" if owner else whole.strip(), block)


def gradle(lines: Lines) -> Iterator[Found]:
    ends = starting("FAILURE: ", "> Task ", "BUILD ")
    for block in blocks(lines, _GRADLE, ends):
        body = before(block.body, lambda line: bool(line) and not line.startswith(" "))
        failure = _failure(block.heading[1], Block(heading=block.heading, body=body, start=block.start))
        short = _GRADLE_SHORT.match(body[0]) if body else None
        if short:
            folder = "/".join(block.heading[1].partition(" > ")[0].split(".")[:-1])
            path = f"{folder}/{short[1]}" if folder else short[1]
            failure = failure.but(frame=Frame(path=path, line=int(short[2]), source=None))
        yield failure


def _failure(name: str, block: Block) -> Found:
    kind, message = kind_and_message(_said(block.body), "failure")
    return Found(
        name=name,
        kind=kind,
        message=message,
        frame=next(iter(java_frames(before(block.body, starting("Caused by:")) or block.body)), None),
        excerpt=block.text(),
        span=block.span,
    )


def _said(text: Lines) -> list[str]:
    """Without the stack, but with what caused it: what wraps all kinds of causes says the same about each."""
    said = list(before(text, _is_stack))
    for line, below in pairwise([*text, ""]):
        if "Caused by:" in line and line.lstrip().startswith("Caused by:"):
            said.append(line.strip() if line.strip() != "Caused by:" else f"Caused by: {below.strip()}")  # Gradle
    return said


def _is_stack(line: str) -> bool:
    return line.lstrip().startswith(("at ", "... ", "Caused by:"))


_UNCAUGHT = Pattern(r'Exception in thread "[^"\n]{0,200}" (.+)$')


def java_crash(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _UNCAUGHT, lambda line: not line):
        kind, message = kind_and_message([block.heading[1], *before(block.body, _is_stack)], "Exception")
        frame = next(iter(java_frames(block.body)), None)
        yield Found(kind=kind, message=message, frame=frame, excerpt=block.text(), span=block.span, test=False)
        return


_CONSOLE_SOURCE = Pattern(r"\s{4}(?:Method|Class|Engine|ClassTemplate)Source \[className = '([\w$.]{1,400})'")
_CONSOLE_STACK = Pattern(r"\s{6,9}[\w.$@/-]{1,600}\.[\w$<>]{1,200}\([^()\n]{1,200}\)$")
_CONSOLE_ENDS = Pattern(r"\s{5,9}(?:\[\.\.\.\]|Caused by:|Suppressed:)")


def junit_console(lines: Lines) -> Iterator[Found]:
    """JUnit 5: the name above, the source, `=> class: message`, and a stack without `at`."""
    for block in blocks(lines, _CONSOLE_SOURCE, starting("Test run finished")):
        said = before(block.body, lambda line: _CONSOLE_ENDS.match(line) or _CONSOLE_STACK.match(line))
        at = next((n for n, line in enumerate(said) if line.startswith("    => ")), None)
        if at is not None and block.start:
            causes = [line for line in block.body if line.lstrip().startswith("Caused by: ")]
            said = [said[at].strip().removeprefix("=> "), *said[at + 1 :], *causes]
            kind, message = kind_and_message(said, "failure")
            stack = [f"at {line.strip()}" for line in block.body if _CONSOLE_STACK.match(line)]
            yield Found(
                name=lines[block.start - 1].strip().partition(":")[2],
                kind=kind,
                message=message,
                frame=next(iter(java_frames(stack)), None),
                excerpt=block.text(),
                span=range(block.start - 1, block.span.stop),
            )


_BRANCH = Pattern(r"([│ ]{0,200})[├└]─ (.{1,800})$")
_CAUGHT = Pattern(r"[│ ]{1,200}caught: (.+)$")
_TREE_ENDS = Pattern(r"[│ ]{1,200}(?:duration|status|caught): ")
_LONGEST_STACK = 300


def junit_tree(lines: Lines) -> Iterator[Found]:
    """JUnit 5 with `--details=verbose`: a tree, and what was caught as a field of the test."""
    around: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        branch = _BRANCH.match(line)
        caught = _CAUGHT.match(line)
        if branch:
            around = [*(outer for outer in around if outer[0] < len(branch[1])), (len(branch[1]), branch[2])]
        elif caught:
            below = before(lines[number + 1 : number + _LONGEST_STACK], _TREE_ENDS.match)
            text = [caught[1], *(part.lstrip("│ ") for part in below)]
            kind, message = kind_and_message(_said(text), "failure")
            yield Found(
                name=":".join(name for _, name in around[1:]),
                kind=kind,
                message=message,
                frame=next(iter(java_frames(text)), None),
                excerpt="\n".join(text),
                span=range(number, number + 1 + len(below)),
            )


_FLAT = Pattern(r"(Started|Finished): {1,8}(.{1,800}) \((\[engine:.{1,1000}\])\)$")
_FLAT_CAUGHT = "=> Exception: "


def junit_flat(lines: Lines) -> Iterator[Found]:
    """JUnit 5 with `--details=flat`: what starts and ends, each with its path; below its end what a test threw."""
    names: dict[str, str] = {}
    for block in blocks(lines, _FLAT, starting("Test execution finished"), mark="ed: "):
        names[block.heading[3]] = block.heading[2]
        text = [line.strip().removeprefix(_FLAT_CAUGHT) for line in block.body]
        if block.heading[1] == "Finished" and block.body and block.body[0].lstrip().startswith(_FLAT_CAUGHT):
            kind, message = kind_and_message(_said(text), "failure")
            yield Found(
                name=":".join(filter(None, map(names.get, _outer_paths(block.heading[3])))),
                kind=kind,
                message=message,
                frame=next(iter(java_frames(before(text, starting("Caused by:")))), None),
                excerpt=block.text(),
                span=block.span,
            )


def _outer_paths(path: str) -> Iterator[str]:
    """Of all that it belongs to below the engine, and its own."""
    at = path.find("]/")
    while at >= 0:
        at = path.find("]/", at + 1)
        yield path[: at + 1] if at >= 0 else path
