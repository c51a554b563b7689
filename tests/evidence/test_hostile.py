"""Whatever a program prints: every parser comes back, in linear time, and nothing acts on a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueup.evidence.fingerprint import evidence_id, fingerprint
from trueup.evidence.parsers import (  # fmt: skip
    c_tests,
    cpp,
    crashes,
    diagnostics,
    dotnet,
    found_in_lines,
    found_in_report,
    go,
    java,
    javascript,
    junit_xml,
    more_runners,
    native,
    phpunit,
    python,
    rspec,
    rust,
    sarif,
    tables,
    tap,
)
from trueup.evidence.text import failures_from_text

PARSERS: dict[str, tuple[Callable[[list[str]], object], tuple[str, ...]]] = {
    "pytest": (python.pytest, ("=== FAILURES ===", "___ t ___", "E   KeyError: 1", "> x", "a.py:1: in f", "FAILED a.py::t[", "ERROR a.py - x", 'File "a.py", line 1')),
    "unittest": (python.unittest, ("FAIL: t (m.C)", "ERROR: t (m.C.t) (i=1)", "Traceback (most recent call last):", "KeyError: 1", "======", "Ran 1")),
    "crash": (python.crash, ("Traceback (most recent call last):", '  File "a.py", line 1', "    x", "KeyError")),
    "go": (go.go_test, ("--- FAIL: TestA (0.00s)", "    --- FAIL: TestA/b (0.00s)", "=== RUN   TestA", "    a_test.go:1: x", "panic: x", "goroutine 1 [running]:", "\t/a.go:1 +0x1", "FAIL\tp\t1s", "p.TestA(0x0)", "exit status 1")),
    "go panic": (go.go_panic, ("panic: x", "goroutine 1 [running]:", "\t/a.go:1 +0x1", "FAIL\tp")),
    "cargo": (rust.cargo_test, ("test a ... FAILED", "---- a stdout ----", "thread 'a' panicked at a.rs:1:1:", "thread 'main' panicked at 'x', a.rs:1:1", "failures:", "    a", "test a ... ", "        FAIL [ 0.1s] c a")),
    "rust": (rust.rust_panic, ("thread 'a' panicked at a.rs:1:1:", "note: x", "thread '' panicked at ")),
    "jest": (javascript.jest, ("FAIL a.test.js", "  ● a › b", "    > 1 | x", "      at f (a.js:1:1)", "Test Suites: 1", "  ● Test suite failed to run", "TypeError: x")),
    "vitest": (javascript.vitest, (" FAIL  a.test.ts > b", " FAIL  a.ts [ a.ts ]", " ❯ a.ts:1:1", "  1|  x", "⎯⎯", "Error: x")),
    "mocha": (javascript.mocha, ("  1 failing", "  1) a", "       b:", "      Error: x", "      at f (a.js:1:1)", "x")),
    "node spec": (javascript.node_spec, ("✖ failing tests:", "test at a.js:1:1", "✖ a (1ms)", "  Error: x", "      at f (a.js:1:1)")),
    "tap": (tap.tap, ("not ok 1 - a", "ok 2 - b", "# Subtest: a", "    # Subtest: b", "  ---", "  error: |-", "  location: '/a.js:1:1'", "  stack: |-", "    f (/a.js:1:1)", "  ...", "# at t line 3.")),
    "junit": (java.junit_text, ("1) a(b.C)", "java.lang.E: x", "\tat b.C.a(C.java:1)", "FAILURES!!!")),
    "surefire": (java.surefire, ("[ERROR] a(b.C)  Time elapsed: 1 s  <<< FAILURE!", "[ERROR] b.C.a -- Time elapsed: 1 s <<< ERROR!", "\tat b.C.a(C.java:1)", "Caused by: x", "[INFO]")),
    "gradle": (java.gradle, ("C > a FAILED", "    x.E: y", "        at b.C.a(C.java:1)", "BUILD FAILED", "x")),
    "java crash": (java.java_crash, ('Exception in thread "main" a.E: x', "\tat b.C.a(C.java:1)")),
    "rspec": (rspec.rspec, ("  1) a", "     Failure/Error: x", "     Failure/Error:", "     NoMethodError:", "     # ./a.rb:1:in `x'", "Finished in 1")),
    "phpunit": (phpunit.phpunit, ("1) A::b", "Error: x", "/a.php:1", "--", "FAILURES!")),
    "msbuild": (diagnostics.diagnostics, ("A.cs(1,2): error CS1: x [/a/A.csproj]", "A.cs(1,2): error CS1:  x [/a/A.csproj]", "  2>CSC : error CS2: x [/a/A.csproj]", "MSBUILD : error MSB1: x", "Switch: x", "A.cs(1", "): error ")),
    "kotlin": (diagnostics.diagnostics, ("a.kt:1:2: error: x:", "fun f()", "", "   ^^^", "e: file:///a.kt:1:2 X:", "w: file:///a.kt:1:2 X")),
    "dotnet": (dotnet.dotnet_test, ("  Failed A.b [1 ms]", "  Error Message:", "  Stack Trace:", "     at A.b() in /a.cs:line 1", "  Passed c [1 ms]")),
    "googletest": (native.googletest, ("[ RUN      ] A.b", "a.cc:1: Failure", "[  FAILED  ] A.b (0 ms)", "[       OK ] A.b")),
    "scalatest": (more_runners.scalatest, ("[info] A:", "[info] - b *** FAILED ***", "- b *** FAILED *** (1 ms)", "[info]   x (A.scala:1)", "  x")),
    "dart": (more_runners.dart, ("00:01 +1 -1: a.dart: b [E]", "00:01 +1: c", "  Expected: 1", "  a.dart 1:2  main.<fn>", "  package:matcher  expect")),
    "ginkgo": (more_runners.ginkgo, ("• [FAILED] [1 seconds]", "A [It] b", "  [FAILED] x", "  In [It] at: /a.go:1 @ 1", "------------------------------")),
    "exunit": (more_runners.exunit, ("  1) test a (B)", "     a.exs:1", "     ** (E) x", "     code: x", "     stacktrace:", "       a.exs:2: (test)")),
    "ward": (more_runners.ward, ("── a ──", "  Failed at a.py:1", "    ❱ 1 x", "  E: x", "╭──")),
    "test-unit": (more_runners.test_unit, ("Failure: a(B)", "Error: a(B): E: x", "a.rb:1:in `a'", "  => 1: x", "=====")),
    "cppunit": (c_tests.cppunit, ("1) test: A::b (F) line: 1 /a.cpp", "1) test: A::b (E)", "- x")),
    "cpputest": (c_tests.cpputest, ("/a.cpp:1: error: Failure in TEST(A, b)", "\tx failed", "/a.cpp:1: error:")),
    "check": (c_tests.check, ("a.c:1:F:A:b:0: x", "a.c:1:E:A:b:2: x")),
    "doctest": (cpp.doctest_cpp, ("TEST CASE:  a", "  b", "a.cpp:1: ERROR: CHECK( x ) is NOT correct!", "a.cpp:1: SUCCESS: x", "  values: x")),
    "boost": (cpp.boost_test, ('a.cpp(1): error: in "b": check x', "a.cpp(1): Entering test x", "Mismatch at position 1", "    x")),
    "phpstan": (tables.phpstan, ("  Line   a.php", "  1      x", "         🪪  a.b", " ------")),
    "django": (tables.django_check, ("a.B.c: (fields.E300) x", "ERRORS:")),
    "ctest": (native.ctest, ("1/2 Test #1: a ....***Failed 0.1 sec", "    Start 1: a", "The following tests FAILED:", "\t  1 - a (Failed)")),
    "assert": (native.failed_assert, ("a: a.c:1: int main(): Assertion `x' failed.", "Assertion failed: (x), function f, file a.c, line 1.")),
    "node crash": (crashes.node_crash, ("/a.js:1", "  x", "  ^", "", "Error: x", "    at f (/a.js:1:1)")),
    "diagnostics": (diagnostics.diagnostics, ("a.py:1:2: F401 x", "a.ts(1,2): error TS1: x", "a.ts:1:2 - error TS1: x", "error[E0001]: x", " --> a.rs:1:2", "1 | x", "  | ^^^ y", "/a.js", "  1:2  error  x  r", "::error file=a,line=1::x", "a.c:(.text+0x1): undefined reference to `x'", "  ^~~", "[ERROR] /A.java:[1,2] x")),
}  # fmt: skip
WHOLE = tuple(piece for _, pieces in PARSERS.values() for piece in pieces)


def lines_of(pieces: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    """Lines of one tool, parts of them, glued together and with anything between them."""
    part = st.sampled_from(pieces) | st.text(st.characters(exclude_characters="\n\r"), max_size=6)
    cut = st.sampled_from(pieces).flatmap(lambda p: st.integers(0, len(p)).map(lambda n: p[:n]))
    return st.lists(part | cut | st.tuples(part, part).map("".join), max_size=25)


@pytest.mark.parametrize("name", PARSERS)
def test_no_text_breaks_a_parser(name: str) -> None:
    parse, pieces = PARSERS[name]

    @settings(max_examples=60, deadline=None)
    @given(lines_of(pieces))
    def holds(lines: list[str]) -> None:
        for found in parse(lines):  # type: ignore[attr-defined]
            assert found.kind
            assert all(0 <= number < len(lines) for number in found.span)

    holds()


@settings(max_examples=150, deadline=None)
@given(lines_of(WHOLE).map("\n".join), st.none() | st.integers(-9, 300))
def test_any_mixture_of_tools_gives_failures_with_identities(output: str, exit_code: int | None) -> None:
    failures = failures_from_text("c", output, exit_code=exit_code, sources=lambda path: None)
    assert failures
    for failure in failures:
        assert fingerprint(failure)
        assert evidence_id(failure)
        assert not {"\x1b", "\x9b", "\x07", "\r"} & set(failure.subject + failure.message + failure.excerpt)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_bytes_that_are_no_text_are_readable(raw: bytes) -> None:
    output = "FAILED a.py::test_x - KeyError: " + raw.decode("utf-8", "replace")
    failures = failures_from_text("c", output, exit_code=1, sources=lambda path: None)
    assert all("\x1b" not in f.subject + f.message + f.excerpt for f in failures)


XML_PIECES = ["<testsuite>", "</testsuite>", "<testcase name='a'>", "</testcase>", "<failure>", "</failure>", "&lt;", "<!DOCTYPE x>", "<![CDATA[", "]]>", "x"]  # fmt: skip
JSON_PIECES = ['{"runs":', "[", "]", "{", "}", '"results":', '"ruleId": "a"', ",", "1", '"locations":', "null"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(XML_PIECES) | st.text(max_size=4), max_size=20).map("".join))
def test_no_document_breaks_the_reader_of_xml(text: str) -> None:
    assert junit_xml.junit_xml(text) is None or isinstance(junit_xml.junit_xml(text), list)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(JSON_PIECES), max_size=25).map("".join))
def test_no_document_breaks_the_reader_of_sarif(text: str) -> None:
    assert sarif.sarif(text) is None or isinstance(sarif.sarif(text), list)


@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"runs": ' + "[" * 200_000, "<a>" * 100_000, '{"Action":' + "[" * 200_000]
)
def test_depth_breaks_nothing(text: str) -> None:
    assert found_in_report(text) is None
    assert found_in_lines(text.split("\n")) == []
    assert failures_from_text("c", text, exit_code=1, sources=lambda path: None)


def of_size(piece: str, size: int) -> str:
    return piece * (size // len(piece))


HOSTILE = {
    **{f"lines of {name}": "".join(f"{piece}\n" for piece in pieces) for name, (_, pieces) in PARSERS.items()},
    **{f"one line of {name}": "".join(pieces) for name, (_, pieces) in PARSERS.items()},
    "blanks": " ",
    "carets": "  | ^^^^",
    "dots": "a.c.",
    "colours": "\x1b[1m",
    "open colour": "\x1b[",
    "title": "\x1b]0;",
    "stylish": "/a.js\n  1:2  error  " + " " * 500 + "\n",
    "arrows": " --> a.rs:1:1\n",
    "many tests": "=== RUN   TestA\n    a_test.go:1: x\n=== RUN   TestB\n    b_test.go:1: x\n",
    "one test, again and again": "--- FAIL: TestA (0.00s)\n    a_test.go:1: x\n",
    "one test in many packages": "--- FAIL: TestA (0.00s)\n    a_test.go:1: x\nFAIL\tp\t0.1s\n",
    "many panics": "--- FAIL: TestA (0.00s)\npanic: x\ngoroutine 1 [running]:\np.TestA(0x0)\nFAIL\tp\t0.1s\n",
    "json": '{"Action":"output","Package":"p","Test":"T","Output":"--- FAIL: T (0.00s)\\n"}\n',
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_the_time_grows_with_the_size_of_the_text(
    piece: str, linear: Callable[[Callable[[int], object]], bool]
) -> None:
    texts = {times: of_size(piece, 50_000 * times) for times in (1, 16)}
    assert linear(lambda times: failures_from_text("c", texts[times], exit_code=1, sources=lambda path: None))


def test_growth_with_the_square_is_noticed(linear: Callable[[Callable[[int], object]], bool]) -> None:
    assert not linear(lambda times: re.search("a*b", "a" * (1_500 * times)))
