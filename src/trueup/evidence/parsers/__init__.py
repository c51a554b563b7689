"""Which tool printed this, and what does it say? One table; each parser reads the marks of its own tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from trueup.evidence.parsers import (
    crashes,
    diagnostics,
    dotnet,
    go,
    java,
    javascript,
    junit_xml,
    native,
    phpunit,
    python,
    rspec,
    rust,
    sarif,
    tap,
)
from trueup.evidence.parsers.found import Found, Lines

__all__ = ["Found", "found_in_lines", "found_in_report"]


@dataclass(frozen=True, slots=True)
class _Parser:
    marks: tuple[str, ...]
    """The parser is asked only when one of them occurs: most outputs come from one tool."""
    read: Callable[[Lines], Iterator[Found]]


_TESTS = (
    _Parser(("\nFAILED ", "\nERROR ", "= FAILURES =", "= ERRORS ="), python.pytest),
    _Parser(("\nFAIL: ", "\nERROR: "), python.unittest),
    _Parser(("--- FAIL: ", "\nFAIL\t"), go.go_test),
    _Parser(("test result: FAILED", " stdout ----", " ... FAILED", "panicked at "), rust.cargo_test),
    _Parser(("● ",), javascript.jest),
    _Parser(("FAIL  ", "FAIL |"), javascript.vitest),
    _Parser((" failing",), javascript.mocha),
    _Parser(("✖ failing tests:",), javascript.node_spec),
    _Parser(("not ok",), tap.tap),
    _Parser(("Failure/Error",), rspec.rspec),
    _Parser(("FAILURES!!!", "JUnit version"), java.junit_text),
    _Parser(("<<< FAILURE!", "<<< ERROR!"), java.surefire),
    _Parser((" FAILED\n",), java.gradle),
    _Parser(("PHPUnit", "FAILURES!", "ERRORS!"), phpunit.phpunit),
    _Parser(("Error Message:", "Stack Trace:"), dotnet.dotnet_test),
    _Parser(("[  FAILED  ]",), native.googletest),
    _Parser(("The following tests FAILED:", " Test #", " Test  #", " Test   #"), native.ctest),
    _Parser(("Assertion `", "Assertion '", "Assertion ‘", "Assertion failed: ("), native.failed_assert),
)
_CRASHES = (
    _Parser(("Traceback (most recent call last)",), python.crash),
    _Parser(("goroutine ",), go.go_panic),
    _Parser(("panicked at ",), rust.rust_panic),
    _Parser(("Exception in thread ",), java.java_crash),
    _Parser(("    at ",), crashes.node_crash),
)


def found_in_report(text: str) -> list[Found] | None:
    """The failures of a document in a machine format; None for other texts."""
    head = text[:4096].lstrip("\ufeff \t\r\n")
    if head.startswith("<"):
        return junit_xml.junit_xml(text)
    return sarif.sarif(text) if head.startswith("{") and '"runs"' in text else None


def found_in_lines(lines: Lines) -> list[Found]:
    """All test runners that speak, and the compilers beside them; a crash only when nobody else explains the end."""
    text = "\n".join(["", *lines, ""])
    if '\n{"' in text and '"Action":' in text:
        lines = go.from_events(text).split("\n")
        text = "\n".join(["", *lines, ""])
    left = list(lines)
    found: list[Found] = []
    for parser in _asked(_TESTS, text):
        new = list(parser.read(left))
        _take(left, new)
        found += new
    if found:
        return found + list(diagnostics.strict_diagnostics(left))
    return list(diagnostics.diagnostics(left)) or _first(_asked(_CRASHES, text), left)


def _asked(parsers: Iterable[_Parser], text: str) -> list[_Parser]:
    """Plain loops: this runs for every output, and the search itself takes next to nothing."""
    asked = []
    for parser in parsers:
        for mark in parser.marks:
            if mark in text:
                asked.append(parser)
                break
    return asked


def _take(left: list[str], found: Iterable[Found]) -> None:
    """What one parser has read belongs to it: a compiler's error inside a failing test is the test's."""
    for number in (number for one in found for number in one.span):
        left[number] = ""


def _first(parsers: Iterable[_Parser], lines: Lines) -> list[Found]:
    return next((found for found in (list(p.read(lines)) for p in parsers) if found), [])
