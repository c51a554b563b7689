"""A heading without what usually stands below it: told without the part that lacks, or not at all."""

from __future__ import annotations

from trueup.evidence.parsers import diagnostics, javascript, python
from trueup.evidence.parsers.found import Found, harmless


def test_a_failure_of_jest_without_a_stack_has_no_place() -> None:
    (found,) = javascript.jest(["FAIL a.test.js", "  ● adds", "", "    it is broken"])
    assert (found.owner, found.message, found.frame) == ("a.test.js", "it is broken", None)


def test_a_heading_of_vitest_with_nothing_below_it_tells_nothing() -> None:
    assert list(javascript.vitest([" FAIL  a.test.ts > adds"])) == []


def test_a_heading_of_unittest_without_a_traceback_tells_nothing() -> None:
    assert list(python.unittest(["FAIL: test_a (tests.Case)", "nothing more"])) == []


def test_warnings_are_told_only_when_there_is_nothing_worse() -> None:
    warned, wrong = "a.c:1:1: warning: old [-Wold]", "a.c:2:1: error: bad"
    assert [found.message for found in diagnostics.diagnostics([warned, wrong])] == ["bad"]
    assert [found.message for found in diagnostics.diagnostics([warned])] == ["old"]


def test_what_an_exception_says_about_a_file_is_no_level_of_the_stack() -> None:
    section = ["tests/test_a.py:1: in <module>", "    import b", "E   ImportError: no b", "E     lib/c.py:7: in helper"]
    frames = python.python_frames(section)
    assert [(frame.path, frame.line, frame.source) for frame in frames] == [("tests/test_a.py", 1, "import b")]


def test_what_a_document_hides_behind_its_escapes_is_harmless_also_without_a_place() -> None:
    told = harmless(Found(kind="Odd\x9b1m", message="one\x1b[31m\ntwo\x07"))
    assert (told.kind, told.message, told.frame) == ("Odd", "one\ntwo\ufffd", None)
