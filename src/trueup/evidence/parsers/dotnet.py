"""Which tests failed, as `dotnet test` prints it?"""

from __future__ import annotations

from collections.abc import Iterator

from trueup.evidence.parsers.found import Found, Lines, before, blocks, frames, kind_and_message, starting
from trueup.evidence.patterns import Pattern
from trueup.evidence.places import first_own

# On a terminal the line tells first that the run goes on.
_HEADING = Pattern(r"(?:Test run in progress\.{1,3})?\s{0,8}(?:Failed|X) (\S.{0,1000}?) \[[<\d][^\]\n]{0,30}\]$")
_STACK = Pattern(r"^\s{0,20}at .{1,600} in (?P<path>.{1,500}):line (?P<line>\d{1,9})$")
_ENDS = (
    *("Passed ", "Skipped ", "√ ", "! ", "Failed! ", "Passed! ", "Test Run ", "Total tests:"),
    *("Standard Output Messages:", "Test run in progress."),
)


def dotnet_test(lines: Lines) -> Iterator[Found]:
    for block in blocks(lines, _HEADING, lambda line: line.lstrip().startswith(_ENDS)):
        said = [line for line in before(block.body, _is_stack) if line.strip() != "Error Message:"]
        kind, message = kind_and_message(said, "Failed")
        yield Found(
            name=block.heading[1],
            kind=kind,
            message=message,
            frame=first_own(frames(block.body, _STACK)),
            excerpt=block.text(),
            span=block.span,
        )


def _is_stack(line: str) -> bool:
    return line.strip() == "Stack Trace:" or starting("at ")(line.lstrip())
