"""What failed, as `go test` prints it, plain or as JSON events?"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from trueup.evidence.parsers.found import Found, Lines, frames, trimmed
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame, first_own
from trueup.evidence.told import Phase
from trueup.evidence.values import Value

_RESULT = Pattern(r" {0,40}--- (FAIL|PASS|SKIP): (\S{1,1000}) \(\d[\d.]{0,12}s\)$")
_RUNNING = Pattern(r"=== (?:RUN|CONT|NAME|PAUSE)\s{1,4}(\S{0,1000})$")
_SAID = Pattern(r"\s{1,40}(?P<path>[\w.+@/-]{1,300}\.go):(?P<line>\d{1,9}): ?(.*)$")
_STACK = Pattern(r"^\t(?P<path>[^\s:]{1,500}\.go):(?P<line>\d{1,9})(?: \+0x[0-9a-f]{1,16})?$")
_TEST_IN_STACK = Pattern(r"[\w./-]{1,300}\.((?:Test|Fuzz|Example)\w{0,200})(?:\.func[\d.]{1,20})?\(")
_RECOVERED = Pattern(r" \[recovered[^\]]{0,40}\]$")
_MARKS = ("=== ", "--- ", "ok  \t", "?   \t", "FAIL", "PASS", "exit status ", "-test.shuffle ", "# ")
_ENDS = frozenset(("FAIL", "PASS"))
_LAST_WORDS = 20
_MOST_ENDED, _LAST_LINES, _LONGEST_WORDS = 100, 60, 400
"""Packages, lines and characters of a line in which last words are chosen: more of them want to keep us busy."""
_NEAR = 50
_BELOW_A_PANIC = ("goroutine ", "runtime stack:", "exit status 2")
# testify prints where and in which test, which is known already.
_KNOWN_ALREADY = ("Error Trace:", "Test:")


class _Failed(Value):
    name: str
    at: int
    said: list[int]
    """The numbers of its lines: above the result when they were streamed, else below it."""


def go_test(lines: Lines) -> Iterator[Found]:
    """One look through the lines: what each test said, how it ended, and which package came to an end after it."""
    running: dict[str, list[int]] = {}
    said: list[int] | None = None
    failed: list[_Failed] = []
    packages: list[tuple[int, str]] = []
    panicking = _panicking(lines)
    for number, line in enumerate(lines):
        if line.startswith("=== ") and (run := _RUNNING.match(line)):
            said = running.setdefault(run[1], [])
        elif "--- " in line and (result := _result(line)):
            said = running.pop(result[2], [])
            if result[1] == "FAIL":
                failed.append(_Failed(name=result[2], at=number, said=said))
        elif line.startswith(("FAIL\t", "ok  \t")):
            packages.append((number, line.split("\t")[1].partition(" ")[0]))
            said = None
        elif line in _ENDS or line.startswith("exit status ") or number in panicking:
            said = None
        elif said is not None and (line[:1] in {" ", "\t"} or _of_an_example(line, failed)):
            said.append(number)
    panics = _panics(lines, panicking)
    yield from _failures(lines, failed, packages, panics)
    yield from _ended(lines, failed, packages, panics)


def _result(line: str) -> re.Match[str] | None:
    """What a test printed last may have no end of its own: `half a line--- FAIL: …`."""
    behind = line.rfind("--- FAIL: ") if line[-2:] == "s)" else -1
    return _RESULT.match(line[behind:] if behind > 0 and line[:behind].strip() else line)


def _of_an_example(line: str, failed: list[_Failed]) -> bool:
    """What an example printed and should have printed stands below its result, as it is."""
    return bool(failed) and failed[-1].name.startswith("Example") and line != ""


def _ended(
    lines: Lines, failed: list[_Failed], packages: list[tuple[int, str]], panics: list[Found]
) -> Iterator[Found]:
    """A package that failed without a failing test, a panic or an error of the build: its program left early."""
    told = sorted([*(one.at for one in failed), *(panic.span[0] for panic in panics)])
    start = number = 0
    for end, package in packages:
        said = lines[start:end]
        alone = bisect_left(told, start) == bisect_left(told, end)
        if lines[end].startswith("FAIL\t") and not lines[end].endswith(" failed]") and alone:
            printed = [line for line in trimmed(said) if not line.startswith(_MARKS)]
            yield Found(
                name=package,
                kind="FAIL",
                message="\n".join(_last_words(printed) if number < _MOST_ENDED else printed[-_LAST_WORDS:]),
                excerpt="\n".join([*said[-_LAST_WORDS:], lines[end]]).strip(),
                phase=Phase.COLLECT,
                test=False,
                span=(end,),
            )
            number += 1
        start = end + 1


def _last_words(printed: list[str]) -> Sequence[str]:
    """Those that speak of an error, if any do: what stands above the first package may be of whoever started it."""
    from trueup.evidence.fallback import evidence_in  # its patterns are many, and few outputs need them here

    evidence = evidence_in([line[:_LONGEST_WORDS] for line in printed[-_LAST_LINES:]])
    return evidence.said[-_LAST_WORDS:] if evidence.known else printed[-_LAST_WORDS:]


def _failures(
    lines: Lines, failed: list[_Failed], packages: list[tuple[int, str]], panics: list[Found]
) -> Iterator[Found]:
    inner = {one.name.rpartition("/")[0] for one in failed}
    ends = [at for at, _ in packages]
    panicked: dict[int, Found] = {}
    alone: list[Found] = []
    for panic in panics:
        number = bisect_left(ends, panic.span[0])
        one = _panicked(panic, failed, inner, after=ends[number - 1] if number else -1)
        if one:
            panicked[one.at] = panic
        elif panic.name:
            alone.append(_named(panic, _package(packages, number), panic.name))
    for one in failed:
        package = _package(packages, bisect_right(ends, one.at))
        if one.at in panicked:
            yield _named(panicked[one.at], package, one.name)
        elif one.name not in inner:
            yield _said_by(package, one, lines)
    yield from alone


def _package(packages: list[tuple[int, str]], number: int) -> str:
    return packages[number][1] if number < len(packages) else ""


def _panicked(panic: Found, failed: list[_Failed], inner: set[str], *, after: int) -> _Failed | None:
    """The test whose result stands above the panic: the innermost one, as the stack only names the outermost."""
    last = bisect_left(failed, panic.span[0], key=lambda one: one.at)
    near = [
        one
        for one in failed[max(0, last - _NEAR) : last]
        if one.at > after and (panic.name in {"", one.name} or one.name.startswith(f"{panic.name}/"))
    ]
    leaves = [one for one in near if one.name not in inner]
    return next(iter((leaves or near)[::-1]), None)


def _said_by(package: str, one: _Failed, lines: Lines) -> Found:
    text = [lines[n] for n in one.said]
    told = [_SAID.match(line) if ".go:" in line else None for line in text]
    message = [match[3] if match else line for line, match in zip(text, told, strict=True)]
    place = next(filter(None, told), None)
    return Found(
        name=f"{package}.{one.name}" if package else one.name,
        kind="FAIL",
        message="\n".join(line for line in trimmed(message) if not line.startswith(_KNOWN_ALREADY)),
        frame=Frame(path=place["path"], line=int(place["line"]), source=None) if place else None,
        excerpt="\n".join([lines[one.at].strip(), *text]),
        span=[*one.said, one.at],
    )


def _named(panic: Found, package: str, name: str) -> Found:
    full = f"{package}.{name}" if package else name
    return panic.but(name=full, test=True)


def _panics(lines: Lines, panicking: AbstractSet[int]) -> list[Found]:
    """A process panics once; what follows up to the end of the package is its stack."""
    found = []
    inside = False
    for number, line in enumerate(lines) if panicking else ():
        if line.startswith("FAIL\t"):
            inside = False
        elif not inside and number in panicking:
            inside = True
            found.append(_panic(lines, number))
    return found


def _panicking(lines: Lines) -> set[int]:
    """Where a panic begins. A test may print such a line, too: a panic has a stack below it, or ends the program."""
    said = [number for number, line in enumerate(lines) if line.startswith(("panic: ", "fatal error: "))]
    return {n for n in said if any(line.startswith(_BELOW_A_PANIC) for line in lines[n + 1 : n + 1 + _NEAR])}


def _panic(lines: Lines, start: int) -> Found:
    end = next((n for n in range(start, len(lines)) if lines[n].startswith(("FAIL\t", "exit status "))), len(lines))
    text = lines[start:end]
    message = _RECOVERED.sub("", text[0].partition(": ")[2])
    timeout = message.startswith("test timed out after")
    tests = [m[1] for m in map(_TEST_IN_STACK.match, text) if m]
    return Found(
        name=tests[0] if tests else "",
        kind="timeout" if timeout else text[0].partition(":")[0],
        message=message,
        frame=first_own(frames(text, _STACK, mark=".go:")),
        excerpt="\n".join(text),
        span=range(start, end),
        test=bool(tests),
    )


def go_panic(lines: Lines) -> Iterator[Found]:
    """A program that panicked outside a test."""
    for panic in _panics(lines, _panicking(lines))[:1]:
        if any(line.startswith("goroutine ") for line in lines):
            yield Found(
                kind=panic.kind,
                message=panic.message,
                frame=panic.frame,
                excerpt=panic.excerpt,
                span=panic.span,
                test=False,
            )


def from_events(text: str) -> str:
    """The plain output of `go test -json`: tests that ran side by side are put one after another."""
    packages: dict[str, dict[str, list[str]]] = {}
    others: list[str] = []
    for line in text.split("\n"):
        event = _event(line)
        if event is None:
            others.append(f"{line}\n")
        elif isinstance(event.get("Output"), str):
            package = str(event.get("Package") or event.get("ImportPath") or "").partition(" ")[0]
            tests = packages.setdefault(package, {})
            tests.setdefault(str(event.get("Test") or ""), []).append(str(event["Output"]))
    # The lines of the package itself (its result) come last, as they do in plain output.
    ordered = (said for tests in packages.values() for _, said in sorted(tests.items(), reverse=True))
    return "".join(piece for said in [others, *ordered] for piece in said)


def _event(line: str) -> dict[str, object] | None:
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None
