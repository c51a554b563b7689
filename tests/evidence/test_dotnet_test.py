"""`dotnet test` of version 3.1, as it was seen: by verbosity, on a terminal, with an exception that says nothing."""

from __future__ import annotations

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text

ADDS_UP = """  X Shop.Tests.CartTests.AddsUp [12ms]
  Error Message:
   System.Exception : Assert.Equal() Failure
Expected: 4
Actual:   3
  Stack Trace:
     at Shop.Tests.Assert.Equal(Int32 a, Int32 b) in /w/a/Shop/CartTests.cs:line 5
   at Shop.Tests.CartTests.AddsUp() in /w/a/Shop/CartTests.cs:line 15
"""
SILENT = """  X Shop.Tests.CartTests.Silent [12ms]
  Error Message:
   System.Exception :
  Stack Trace:
     at Shop.Tests.CartTests.Silent() in /w/a/Shop/CartTests.cs:line 28
"""
HEAD = "A total of 1 test files matched the specified pattern.\nsaid\n"
END = "\nTest Run Failed.\nTotal tests: 3\n     Passed: 1\n     Failed: 2\n Total time: 1.4423 Seconds\n"
PLAIN = HEAD + ADDS_UP + SILENT + END


def _read(text: str) -> tuple[Failure, ...]:
    return failures_from_text("test", text, exit_code=1, sources=lambda _path: None)


def _known(text: str) -> list[str]:
    return [fingerprint(f) for f in _read(text)]


def test_each_failing_test_is_told_with_its_class_and_place() -> None:
    assert [(f.subject, f.kind, f.message, f.file, f.line) for f in _read(PLAIN)] == [
        (
            "Shop.Tests.CartTests.AddsUp",
            "Exception",
            "Assert.Equal() Failure\nExpected: 4\nActual:   3",
            "CartTests.cs",
            5,
        ),
        ("Shop.Tests.CartTests.Silent", "Exception", "", "CartTests.cs", 28),
    ]


def test_on_a_terminal_they_are_the_same() -> None:
    first = ADDS_UP.replace("  X ", "\x1b[6n\x1b[1;1H\x1b[39;49m\x1b[31m  X \x1b[39;49m")
    second = SILENT.replace("  X ", "\x1b[39;49mTest run in progress.\x1b[6n\x1b[1;1H\x1b[31m  X \x1b[39;49m")
    assert _known((HEAD + first + second + END).replace("\n", "\r\n")) == _known(PLAIN)


def test_tests_that_pass_or_are_skipped_are_no_part_of_a_message() -> None:
    bare = "  X Shop.Tests.CartTests.Bare [1ms]\n  Error Message:\n   not like this\n"
    others = "  √ Shop.Tests.CartTests.Fine [12ms]\n", "  ! Shop.Tests.CartTests.Later [1ms]\n"
    for other in others:
        (failure,) = _read(HEAD + bare + other + END)
        assert (failure.subject, failure.message) == ("Shop.Tests.CartTests.Bare", "not like this")


def test_a_test_project_that_does_not_compile_is_a_complaint_of_the_compiler() -> None:
    text = "CartTests.cs(15,23): error CS0103: The name 'nowhere' does not exist [/w/c/Shop/Shop.csproj]\n"
    assert [(f.subject, f.test) for f in _read(text)] == [("CartTests.cs CS0103", False)]
