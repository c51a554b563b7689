"""Which tool printed this, and what does it say? One table; each parser reads the marks of its own tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from trueup.evidence.parsers.diagnostics import ranked, strict_diagnostics
from trueup.evidence.parsers.found import Found, Lines, harmless, listed
from trueup.evidence.parsers.marks import Marks, loud, searchable

TYPE_CHECKING = False  # as checkers of types know it
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Found", "found_in_lines", "found_in_report"]


class _Parser:
    """`name` is `module.function`, loaded when it is asked, and it is asked only when one of the marks occurs.

    Most outputs come from one tool, and loading the parsers of all of them takes longer than one output.
    """

    def __init__(self, marks: tuple[str, ...], name: str) -> None:
        self.marks = marks
        self.name = name

    @property
    def read(self) -> Callable[[Lines], Iterator[Found]]:
        return _loaded(self.name)


@cache
def _loaded(name: str) -> Callable[[Lines], Any]:
    module, _, function = name.partition(".")
    # `importlib` would be one more module to load at every start.
    parser: Callable[[Lines], Any] = getattr(__import__(f"{__name__}.{module}", fromlist=[function]), function)
    return parser


_PYTEST = _Parser(("= FAILURES =", "= ERRORS =", "\nFAILED ", "\nERROR "), "python.pytest")
_TESTS = (
    _PYTEST,
    _Parser(("\nFAIL: ", "\nERROR: "), "python.unittest"),
    _Parser(("--- FAIL: ", "\nFAIL\t"), "go.go_test"),
    _Parser(
        ("test result: FAILED", " stdout ----", " ... FAILED", "panicked at ", "error: test failed, to "),
        "rust.cargo_test",
    ),
    _Parser(("● ",), "javascript.jest"),
    _Parser(("FAIL  ", "FAIL |"), "javascript.vitest"),
    _Parser((" failing",), "javascript.mocha"),
    _Parser(("✖ failing tests:",), "javascript.node_spec"),
    _Parser(("› ",), "js_runners.playwright"),
    _Parser(("\n  Message:\n",), "js_runners.jasmine"),
    _Parser(("✘ [fail]: ",), "js_runners.ava"),
    _Parser(("\n(fail) ", "\n✗ "), "js_runners.bun"),
    _Parser(("\n ERRORS\n",), "js_runners.deno"),
    _Parser(("*** FAILED ***",), "more_runners.scalatest"),
    _Parser((" [E]\n",), "more_runners.dart"),
    _Parser(("• [FAILED]", "• [PANICKED]", "• [TIMEDOUT]"), "more_runners.ginkgo"),
    _Parser(("\n     stacktrace:\n", "\n     code: "), "more_runners.exunit"),
    _Parser(("\n  Failed at ",), "more_runners.ward"),
    _Parser(("\nFailure: ", "\nError: "), "more_runners.test_unit"),
    _Parser(("Failed test", "Test Summary Report"), "shells.prove"),
    _Parser(("not ok",), "tap.tap"),
    _Parser((" ✗ ",), "shells.bats"),
    _Parser(("\nFailure -> ", "\nError -> ", "\nFailure → ", "\nError → "), "shells.busted"),
    _Parser(("Failure:\n", "Error:\n"), "minitest.minitest"),
    _Parser(("\nFailed example:",), "doctest.doctest"),
    _Parser(("\nFailing scenarios:", "\nErrored scenarios:"), "scenarios.behave"),
    _Parser(("| FAIL |", "\nFAIL: "), "scenarios.robot"),
    _Parser(("Failure/Error", " FIXED\n"), "rspec.rspec"),
    _Parser(("FAILURES!!!", "JUnit version"), "java.junit_text"),
    _Parser(("Source [className = ",), "java.junit_console"),
    _Parser((" caught: ",), "java.junit_tree"),
    _Parser((" => Exception: ",), "java.junit_flat"),
    _Parser(("<<< FAILURE!", "<<< ERROR!"), "java.surefire"),
    _Parser((" FAILED\n",), "java.gradle"),
    _Parser(("PHPUnit", "FAILURES!\n", "ERRORS!\n"), "phpunit.phpunit"),
    _Parser(("PHP Fatal error:", "Fatal error: Uncaught"), "phpunit.uncaught"),
    _Parser(("Error Message:", "Stack Trace:"), "dotnet.dotnet_test"),
    _Parser(("[  FAILED  ]", "[ RUN      ]"), "native.googletest"),
    _Parser((": FAILED:", ": FAILED\n", ": failed:", ": failed\n"), "cpp.catch2"),
    _Parser(("\nTEST CASE:  ",), "cpp.doctest_cpp"),
    _Parser(("!!!FAILURES!!!",), "c_tests.cppunit"),
    _Parser(("\n  Line   ",), "tables.phpstan"),
    _Parser(("System check identified some",), "tables.django_check"),
    _Parser((": error: Failure in ",), "c_tests.cpputest"),
    _Parser(("%: Checks: ",), "c_tests.check"),
    _Parser((":FAIL: ", ":FAIL\n"), "c_tests.unity"),
    _Parser(("\n[FAIL] ", "\n[CRASH!] "), "c_tests.criterion"),
    _Parser((': error: in "', ': fatal error: in "'), "cpp.boost_test"),
    _Parser(("The following tests FAILED:", " Test #", " Test  #", " Test   #"), "native.ctest"),
    _Parser(("Assertion `", "Assertion '", "Assertion ‘", "Assertion failed: ("), "native.failed_assert"),
)
_CRASHES = (
    _Parser(("Sanitizer: ",), "sanitizers.sanitizer"),
    _Parser(("==    at 0x",), "sanitizers.valgrind"),
    _Parser(("Traceback (most recent call last)",), "python.crash"),
    _Parser(("goroutine ",), "go.go_panic"),
    _Parser(("panicked at ",), "rust.rust_panic"),
    _Parser(("Exception in thread ",), "java.java_crash"),
    _Parser(("    at ",), "crashes.node_crash"),
    _Parser((":in `", ":in '"), "scripts.ruby_crash"),
    _Parser(("Fatal error: ", "Parse error: "), "scripts.php_crash"),
    _Parser((" line ", ".sh: "), "scripts.script_errors"),
)


_OTHER_TESTS = _TESTS[1:]
_OTHER_MARKS = Marks(parser.marks for parser in _OTHER_TESTS)
_CRASH_MARKS = Marks(parser.marks for parser in _CRASHES)


def found_in_report(text: str) -> list[Found] | None:
    """The failures of a document in a machine format; None for other texts."""
    head = text[:4096].lstrip("\ufeff \t\r\n")
    if head.startswith("<"):
        from trueup.evidence.parsers.junit_xml import junit_xml as read
    elif head.startswith("{") and '"runs"' in text:
        from trueup.evidence.parsers.sarif import sarif as read
    else:
        return None
    found = read(text)
    return None if found is None else list(map(harmless, found))


def found_in_lines(lines: Lines, whole: Lines = ()) -> list[Found]:
    """All test runners that speak, and the compilers beside them; a crash only when nobody else explains the end."""
    text = searchable(lines)
    if "{" in text and '\n{"' in text and '"Action":' in text:
        lines = _from_go_events(text)
        text = searchable(lines)
    left = list(lines)
    found = _told_by_tests(left, text)
    if found:
        return found + _beside(found, left) if any(left) else found
    if "\n{" in text or "\n[" in text:
        found = _from_json(whole or left)
    if found:
        return found
    errors, warnings = ranked(left, text)
    return errors or _first((_CRASHES[number] for number in _CRASH_MARKS.rows(text)), left) or warnings


def _beside(found: Sequence[Found], left: Lines) -> list[Found]:
    """What compilers say beside the tests. A runner also annotates its own failures for GitHub, with their names."""
    others = list(strict_diagnostics(left))
    if not any(line.startswith("::error ") for line in left):
        return others
    names = {(one.name or one.owner).replace(" ", "-") for one in found} - {""}
    return [one for one in others if not {one.name, one.name.partition("->-")[2]} & names]


def _told_by_tests(left: list[str], text: str) -> list[Found]:
    """What the runners tell; they take their lines out of what is left."""
    found = _told_by_pytest(left) if any(mark in text for mark in _PYTEST.marks) else []
    if found and not any(left):
        return found
    text = searchable(left) if found else text
    for number in _OTHER_MARKS.rows(text, searchable(loud(filter(None, left)))):
        found += _taken(_OTHER_TESTS[number], left)
    return found


def _told_by_pytest(left: list[str]) -> list[Found]:
    """First, for it says the most, and much of it is source text: nobody looks for the marks of all others there."""
    found = _taken(_PYTEST, left)
    if found:
        _clear(left, _loaded("python.asides")(left))
        if _loaded("python.is_all_of_pytest")(left):
            left.clear()
    return found


def _taken(parser: _Parser, left: list[str]) -> list[Found]:
    """What one parser has read belongs to it: a compiler's error inside a failing test is the test's."""
    found = listed(parser.read(left))
    _clear(left, (one.span for one in found))
    return found


def _clear(left: list[str], spans: Iterable[Sequence[int]]) -> None:
    for span in spans:
        if type(span) is range:
            left[span.start : span.stop] = [""] * (min(span.stop, len(left)) - span.start)
        else:
            for number in span:
                left[number] = ""


def _from_go_events(text: str) -> list[str]:
    from trueup.evidence.normalize import neutralise
    from trueup.evidence.parsers.go import from_events

    return neutralise(from_events(text)).split("\n")


def _from_json(lines: Lines) -> list[Found]:
    from trueup.evidence.parsers.json_report import json_report

    return list(map(harmless, json_report(lines)))


def _first(parsers: Iterable[_Parser], lines: Lines) -> list[Found]:
    return next((found for found in (listed(p.read(lines)) for p in parsers) if found), [])
