"""Which tests failed, as `cargo test` and nextest print it, and where did a Rust program panic?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trueup.evidence.parsers.found import Found, Lines, before, trimmed
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import Frame
from trueup.evidence.told import Phase

_RESULT = Pattern(r"test (.{1,1000}?)(?: - should panic)? \.\.\. ?(.{0,400}+)$")
_SECTION = Pattern(r"---- (.{1,1000}) (?:stdout|stderr) ----$")
_LISTED = Pattern(r" {4}(\S.{0,1000})$")
_NEXTEST = Pattern(
    r"\s{1,12}(?:FAIL|TIMEOUT|SIGABRT|SIGSEGV|TRY \d{1,3} FAIL) \[[^\]\n]{1,20}\] "
    r"(?:\([^)\n]{1,40}\) )?\s{0,4}\S{1,200} (\S{1,1000})$"
)
_PANIC = Pattern(r"thread '([^'\n]{0,1000})'(?: \(\d{1,12}\))? panicked at (.+)$")
_PLACE = Pattern(r"(.{1,500}):(\d{1,9}):\d{1,9}:?$")
_OLD = Pattern(r"'(.{0,1500})', (.{1,500}):(\d{1,9}):\d{1,9}$")
_DOC_LINE = Pattern(r" \(line \d{1,9}\)")
_ENDS = ("note: ", "stack backtrace:", "FAILED", "test ", "failures:", "---- ", "thread '")
_RERUN = Pattern(r"error: test failed, to rerun pass [`'](.{1,400})[`']$")
_EXITED = Pattern(
    r"\s{1,8}process didn't exit successfully: .{1,1800} "
    r"\((?:signal: \d{1,3}, (\w{1,20})|(exit (?:status|code): \d{1,10}))"
)
_OVERFLOWED = Pattern(r"thread '([^'\n]{1,1000})'(?: \(\d{1,12}\))? has overflowed its stack$")
_SNAPSHOT = Pattern(r"[\s\d]{1,24}│[-+]")
"""insta shows what differs above its panic, and no more than the test's name in it."""
_ALSO_SAID = ("Expression: ", " expected substring: ")
"""insta's expression; which panic was expected, where it was another one."""
_TRIED = ("successes: ", "local rejects: ", "global rejects: ")
"""proptest: how many inputs went well before is chance."""
_ABOVE = 12
_MESSAGE_LINES = 40
_OUTCOMES = frozenset({"ok", "FAILED", "ignored", "bench"})


class _Seen:
    """What one look through the output collects."""

    def __init__(self) -> None:
        self.failed: dict[str, int] = {}
        # The first panic of each thread; a test's thread has its name …
        self.named: dict[str, Found] = {}
        # … unless all tests share one: then it belongs to the test that was running.
        self.running: dict[str, Found] = {}
        self.said: dict[str, list[str]] = {}
        self.current = ""
        self.inside = ""
        self.listing = False


def cargo_test(lines: Lines) -> Iterator[Found]:
    seen = _Seen()
    for number, line in enumerate(lines):
        if not line:
            continue
        if line[0] not in " t-f" or not (_result(seen, number, line) or _heading(seen, number, line)):
            _other(seen, lines, number)
    for name, number in seen.failed.items():
        panic = seen.named.get(name) or seen.running.get(name)
        yield _failure(name, panic, seen.said.get(name, []), number)
    if not seen.failed and not seen.named:
        yield from _ended(lines)


def _result(seen: _Seen, number: int, line: str) -> bool:
    """`test x ... FAILED`, a line of the list at the end, or nextest's own form."""
    result = _RESULT.match(line)
    if result:
        # What is not captured stands between the test's name and its result.
        streamed = bool(result[2]) and result[2].split(",")[0] not in _OUTCOMES
        seen.current, seen.inside, seen.listing = result[1], result[1] if streamed else "", False
        if streamed:
            seen.said.setdefault(result[1], []).append(result[2])
        failed = result[1] if result[2] == "FAILED" else ""
    else:
        match = (seen.listing and _LISTED.match(line)) or ("] " in line and _NEXTEST.match(line)) or None
        failed = match[1] if match else ""
    if failed:
        seen.failed.setdefault(failed, number)
    return bool(failed or result)


def _heading(seen: _Seen, number: int, line: str) -> bool:
    section = _SECTION.match(line)
    if section:
        seen.current = seen.inside = section[1]
        seen.listing = False
        seen.failed.setdefault(section[1], number)
    elif line == "failures:":
        seen.inside, seen.listing = "", True
    return section is not None or line == "failures:"


def _other(seen: _Seen, lines: Lines, number: int) -> None:
    seen.listing = False
    panic = _PANIC.match(lines[number])
    if panic:
        found = _panic(lines, number, panic)
        seen.named.setdefault(panic[1], found)
        seen.running.setdefault(seen.current, found)
    elif seen.inside:
        seen.said.setdefault(seen.inside, []).append(lines[number])


def _failure(name: str, panic: Found | None, section: list[str], number: int) -> Found:
    subject = _DOC_LINE.sub("", name)
    if panic:
        more = trimmed(line for line in section if line.startswith(_ALSO_SAID) or _SNAPSHOT.match(line))
        return panic.but(name=subject, test=True, message="\n".join([panic.message, *more]))
    return Found(
        name=subject,
        kind="FAILED",
        message="\n".join(_returned(trimmed(section))),
        excerpt="\n".join([name, *section]),
        span=(number,),
    )


def _ended(lines: Lines) -> Iterator[Found]:
    """The program with the tests was ended by a signal or left early: no test has a result then."""
    for number, line in enumerate(lines):
        exited = _EXITED.match(line) if "process didn't exit" in line else None
        above = lines[max(0, number - _ABOVE) : number] if exited else ()
        rerun = next((m[1] for m in map(_RERUN.search, reversed(above)) if m), "")
        if exited and rerun:
            thread = next((m[1] for m in map(_OVERFLOWED.match, above) if m), "")
            said = [told for told in above if told.startswith("fatal runtime error: ")]
            yield Found(
                name=thread or rerun,
                kind="stack overflow" if thread else exited[1] or exited[2],
                message="\n".join(said),
                phase=Phase.RUN if thread else Phase.COLLECT,
                excerpt="\n".join([*above, line]),
                test=bool(thread),
                span=(number,),
            )


def _returned(said: list[str]) -> list[str]:
    """The error that the test returned; what it printed before says less, and is not always shown."""
    start = max((n for n, line in enumerate(said) if line.startswith("Error: ")), default=0)
    return [line for line in said[start:] if line not in _OUTCOMES]


def _panic(lines: Lines, start: int, match: re.Match[str]) -> Found:
    """New: the place, and the message below. Old: `'message', place`."""
    old = _OLD.match(match[2])
    place = _PLACE.match(match[2])
    below = before(lines[start + 1 : start + _MESSAGE_LINES], lambda line: not line or line.startswith(_ENDS))
    frame = None
    message = [match[2]]
    if old:
        frame, message = Frame(path=old[2], line=int(old[3]), source=None), [old[1], *below]
    elif place:
        frame, message = Frame(path=place[1], line=int(place[2]), source=None), list(below)
    return Found(
        kind="panic",
        message="\n".join(line for line in trimmed(message) if not line.startswith(_TRIED)),
        frame=frame,
        excerpt="\n".join([lines[start], *below]),
        span=range(start, start + 1 + len(below)),
        test=False,
    )


def rust_panic(lines: Lines) -> Iterator[Found]:
    """A program that panicked outside a test."""
    for number, line in enumerate(lines):
        match = _PANIC.match(line)
        if match:
            yield _panic(lines, number, match)
            return
