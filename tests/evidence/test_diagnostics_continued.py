"""Compilers and linters whose text has to be read so that it is the same failure as in their machine format."""

from __future__ import annotations

from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text


def _read(text: str) -> list[tuple[str, str, int | None, str]]:
    found = failures_from_text("lint", text, exit_code=1, sources=lambda _path: None)
    return [(f.subject, f.kind, f.line, f.message) for f in found]


def test_what_stands_below_a_message_of_pyright_belongs_to_it() -> None:
    text = (
        "/w/a.py\n"
        '  /w/a.py:1:10 - error: Type "str" is not assignable to declared type "int"\n'
        '  \u00a0 \u00a0 "str" is not assignable to "int" (reportAssignmentType)\n'
        '  /w/a.py:3:1 - error: "b" is not defined (reportUndefinedVariable)\n'
        "  /w/a.py:4:1 - error: Expected expression\n"
        "2 errors, 0 warnings, 0 informations \n"
    )
    assert _read(text) == [
        (
            "a.py reportAssignmentType",
            "reportAssignmentType",
            1,
            'Type "str" is not assignable to declared type "int"\n"str" is not assignable to "int"',
        ),
        ("a.py reportUndefinedVariable", "reportUndefinedVariable", 3, '"b" is not defined'),
        ("a.py", "error", 4, "Expected expression"),
    ]


def test_an_explanation_without_a_rule_is_kept() -> None:
    text = "  a.py:1:1 - error: One\n    Two\n    a.py:2:1 - error: Three\n"
    assert _read(text) == [("a.py", "error", 1, "One\nTwo"), ("a.py", "error", 2, "Three")]


def test_a_warning_that_counts_as_an_error_has_the_code_of_the_warning() -> None:
    for said in ("[-Wunused-variable]", "[-Werror,-Wunused-variable]"):
        assert _read(f"a.c:1:20: error: unused variable 'a' {said}\n") == [
            ("a.c -Wunused-variable", "-Wunused-variable", 1, "unused variable 'a'")
        ]


GCC = """a.cpp:4:11: error: cannot convert ‘std::vector<int>’ to ‘int’ in initialization
    4 |   int x = v;
      |           ^
"""
GCC_WRAPPED = """a.cpp:4:11: error:
   cannot convert ‘std::vector<int>’
   to ‘int’ in initialization
    4 |   int x = v;
      |           ^
"""


def _known(text: str) -> list[str]:
    return [fingerprint(f) for f in failures_from_text("c", text, exit_code=1, sources=lambda _path: None)]


def test_a_message_that_gcc_wraps_is_the_same_message() -> None:
    assert _known(GCC_WRAPPED) == _known(GCC)
    assert _read(GCC_WRAPPED)[0][3] == "cannot convert ‘std::vector<int>’ to ‘int’ in initialization"


def test_what_stands_below_a_message_without_a_line_of_code_is_not_its_end() -> None:
    for below in ("", "   indented\n" * 20, "   indented\nnot indented\n", "other\n    4 |   int x = v;\n"):
        assert _read(f"a.cpp:4:11: error: cannot convert\n{below}")[0][3] == "cannot convert"
    assert _read("a.go:4:11: cannot use x\n   as y\n    4 |  x\n")[0][3] == "cannot use x"
