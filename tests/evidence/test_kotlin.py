"""kotlinc, by itself and under Gradle: the lines of a message, the line of code below it, and warnings."""

from __future__ import annotations

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text

ABSTRACT = """src/calc.kt:2:1: error: class 'C' is not abstract and does not implement abstract members:
fun f(): Unit
fun g(): Unit
class C : I
^^^^^^^
"""
CANDIDATES = """src/calc.kt:5:14: error: none of the following candidates is applicable:

fun a(x: Int): Unit:
  Argument type mismatch: actual type is 'Double', but 'Int' was expected.

fun a(x: String): Unit:
  Argument type mismatch: actual type is 'Double', but 'String' was expected.
fun main() { a(1.0); a() }
             ^
"""
FIRST = "fun a(x: Int): Unit: Argument type mismatch: actual type is 'Double', but 'Int' was expected."
SECOND = "fun a(x: String): Unit: Argument type mismatch: actual type is 'Double', but 'String' was expected."
UNRESOLVED = """src/sub/order.kt:5:36: error: unresolved reference 'nowhere'.
    fun other(): Int = elsewhere + nowhere
                                   ^^^^^^^
"""
GRADLE = """e: file:///w/src/calc.kt:2:1 Class 'C' is not abstract and does not implement abstract members:
fun f(): Unit
fun g(): Unit
e: file:///w/src/calc.kt:5:14 None of the following candidates is applicable:

fun a(x: Int): Unit:
  Argument type mismatch: actual type is 'Double', but 'Int' was expected.

fun a(x: String): Unit:
  Argument type mismatch: actual type is 'Double', but 'String' was expected.
e: file:///w/src/calc.kt:7:12 No value passed for parameter 'b'.
> Task :compileKotlin FAILED
"""


def _read(text: str) -> tuple[Failure, ...]:
    return failures_from_text("build", text, exit_code=1, sources=lambda _path: None)


def _known(text: str) -> list[str]:
    return [fingerprint(f) for f in _read(text)]


def test_the_lines_above_the_code_belong_to_the_message() -> None:
    assert [(f.message, f.source_line) for f in _read(ABSTRACT + CANDIDATES + UNRESOLVED)] == [
        (
            "class 'C' is not abstract and does not implement abstract members: fun f(): Unit fun g(): Unit",
            "class C : I",
        ),
        (
            f"none of the following candidates is applicable: {FIRST} {SECOND}",
            "fun main() { a(1.0); a() }",
        ),
        ("unresolved reference 'nowhere'.", "fun other(): Int = elsewhere + nowhere"),
    ]


def test_another_missing_function_is_another_failure() -> None:
    assert _known(ABSTRACT) != _known(ABSTRACT.replace("fun g()", "fun h()"))


def test_the_same_complaint_in_colour_and_on_another_line_is_the_same() -> None:
    moved = ABSTRACT.replace(":2:1: error: class", ":9:1: \x1b[1;31merror: \x1b[0;1mclass")
    assert _known(moved) == _known(ABSTRACT)


def test_code_at_the_beginning_of_a_line_is_shown_code() -> None:
    java = "Calc.java:1: error: class Other is public\npublic class Other {\n       ^\n"
    assert [f.source_line for f in _read(java)] == ["public class Other {"]


def test_under_gradle_the_paragraph_behind_a_colon_belongs_to_the_message() -> None:
    assert [(f.subject, f.line, f.message) for f in _read(GRADLE)] == [
        (
            "calc.kt",
            2,
            "Class 'C' is not abstract and does not implement abstract members: fun f(): Unit fun g(): Unit",
        ),
        (
            "calc.kt",
            5,
            f"None of the following candidates is applicable: {FIRST}",
        ),
        ("calc.kt", 7, "No value passed for parameter 'b'."),
    ]


WARNINGS = """e: warnings found and -Werror specified
w: file:///w/warn.kt:2:30 'fun old(): Unit' is deprecated. old.
w: file:///w/warn.kt:2:78 Cast is redundant.
"""


def test_warnings_are_told_where_there_is_nothing_worse() -> None:
    assert [(f.kind, f.message) for f in _read(WARNINGS)] == [
        ("warning", "'fun old(): Unit' is deprecated. old."),
        ("warning", "Cast is redundant."),
    ]
    assert [f.line for f in _read(WARNINGS + GRADLE)] == [2, 5, 7]
