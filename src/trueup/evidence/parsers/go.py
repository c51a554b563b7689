"""What failed, as `go test` prints it, plain or as JSON events?"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from trueup.evidence.parsers.found import Found, Lines, frames, trimmed
from trueup.evidence.places import first_own

_RESULT = re.compile(r" {0,40}--- (FAIL|PASS|SKIP): (\S{1,1000}) \(\d[\d.]{0,12}s\)$")
_RUNNING = re.compile(r"=== (?:RUN|CONT|NAME|PAUSE)\s{1,4}(\S{0,1000})$")
_SAID = re.compile(r"\s{1,40}(?P<path>[\w.+@/-]{1,300}\.go):(?P<line>\d{1,9}): ?(.*)$")
_STACK = re.compile(r"^\t(?P<path>[^\s:]{1,500}\.go):(?P<line>\d{1,9})(?: \+0x[0-9a-f]{1,16})?$")
_TEST_IN_STACK = re.compile(r"[\w./-]{1,300}\.((?:Test|Fuzz|Example)\w{0,200})(?:\.func[\d.]{1,20})?\(")
_RECOVERED = re.compile(r" \[recovered[^\]]{0,40}\]$")
# testify prints where and in which test, which is known already.
_KNOWN_ALREADY = ("Error Trace:", "Test:")


@dataclass(frozen=True, slots=True)
class _Failed:
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
    for number, line in enumerate(lines):
        if line.startswith("=== ") and (run := _RUNNING.match(line)):
            said = running.setdefault(run[1], [])
        elif "--- " in line and (result := _RESULT.match(line)):
            said = running.pop(result[2], [])
            if result[1] == "FAIL":
                failed.append(_Failed(result[2], number, said))
        elif line.startswith(("FAIL\t", "ok  \t")):
            packages.append((number, line.split("\t")[1].partition(" ")[0]))
            said = None
        elif line.startswith(("panic: ", "fatal error: ", "exit status ")):
            said = None
        elif said is not None and line[:1] in {" ", "\t"}:
            said.append(number)
    yield from _failures(lines, failed, packages)


def _failures(lines: Lines, failed: list[_Failed], packages: list[tuple[int, str]]) -> Iterator[Found]:
    names = {one.name for one in failed}
    inner = {name.rpartition("/")[0] for name in names}
    panics = deque(_panics(lines))
    ends = [at for at, _ in packages]
    for one in failed:
        after = bisect_right(ends, one.at)
        package = packages[after][1] if after < len(packages) else ""
        if panics and (panics[0].name in {one.name, ""} or one.name.startswith(f"{panics[0].name}/")):
            yield _named(panics.popleft(), package, one.name)
        elif one.name not in inner:
            yield _said_by(package, one, lines)
    for panic in panics:
        if panic.name and panic.name not in names:
            yield _named(panic, packages[-1][1] if packages else "", panic.name)


def _said_by(package: str, one: _Failed, lines: Lines) -> Found:
    text = [lines[n] for n in one.said]
    message = [m[3] if (m := _SAID.match(line)) else line for line in text]
    return Found(
        name=f"{package}.{one.name}" if package else one.name,
        kind="FAIL",
        message="\n".join(line for line in trimmed(message) if not line.startswith(_KNOWN_ALREADY)),
        frame=next(iter(frames(text, _SAID)), None),
        excerpt="\n".join([lines[one.at].strip(), *text]),
        span=[*one.said, one.at],
    )


def _named(panic: Found, package: str, name: str) -> Found:
    full = f"{package}.{name}" if package else name
    return replace(panic, name=full, test=True)


def _panics(lines: Lines) -> list[Found]:
    """A process panics once; what follows up to the end of the package is its stack."""
    found = []
    inside = False
    for number, line in enumerate(lines):
        if line.startswith("FAIL\t"):
            inside = False
        elif not inside and line.startswith(("panic: ", "fatal error: ")):
            inside = True
            found.append(_panic(lines, number))
    return found


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
        frame=first_own(frames(text, _STACK)),
        excerpt="\n".join(text),
        span=range(start, end),
        test=bool(tests),
    )


def go_panic(lines: Lines) -> Iterator[Found]:
    """A program that panicked outside a test."""
    for panic in _panics(lines)[:1]:
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
