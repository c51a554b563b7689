"""pytest tells one failure in many styles: in progress lines of workers, in one line each, as a doctest's example."""

from __future__ import annotations

from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text


def read(text: str) -> tuple[Failure, ...]:
    return failures_from_text("tests", text, exit_code=1, sources=lambda _path: None)


def identities(text: str) -> set[str]:
    return {fingerprint(failure) for failure in read(text)}


SECTION = """\
=================================== FAILURES ===================================
__________________________________ test_lends __________________________________
[gw1] linux -- Python 3.11.7 /usr/bin/python

    def test_lends():
>       lend("Momo", 44)
E       loans.Overdue: 'Momo' is 44 days overdue

tests/test_loans.py:15: Overdue
"""
SUMMARY = """\
=========================== short test summary info ============================
FAILED tests/test_loans.py::test_lends - loans.Overdue: 'Momo' i...
============================== 1 failed in 0.61s ===============================
"""


def test_what_a_worker_tells_while_it_runs_is_not_told_twice() -> None:
    running = "[gw1] [100%] FAILED tests/test_loans.py::test_lends \n\n"
    assert identities(running + SECTION + SUMMARY) == identities(SECTION + SUMMARY)
    assert len(read(running + SECTION + SUMMARY)) == 1


def test_without_a_summary_the_lines_of_the_workers_name_the_tests() -> None:
    running = "[gw1] [100%] FAILED tests/test_loans.py::test_lends \n\n"
    assert [f.subject for f in read(running + SECTION)] == ["tests/test_loans.py::test_lends"]


def test_a_summary_that_was_cut_off_above_is_read() -> None:
    assert len(read("FAILED tests/test_loans.py::test_lends - KeyError: 1\n")) == 1


IN_LINES = """\
=================================== FAILURES ===================================
{0}
=========================== short test summary info ============================
{1}
============================== 2 failed in 0.61s ===============================
"""
PLACES = """\
E   loans.Overdue: 'Momo' is 44 days overdue
/srv/ci/library/loans.py:29: loans.Overdue: 'Momo' is 44 days overdue
/srv/ci/tests/test_loans.py:9: AssertionError: assert 1 == 2"""
CUT = "FAILED tests/test_loans.py::test_a - loans.Ov...\nFAILED tests/test_loans.py::test_b - Asser..."
WHOLE = (
    "FAILED tests/test_loans.py::test_a - loans.Overdue: 'Momo' is 44 days overdue\n"
    "FAILED tests/test_loans.py::test_b - AssertionError: assert 1 == 2"
)


def test_a_failure_in_one_line_has_its_place_and_its_words_from_there() -> None:
    one, other = read(IN_LINES.format(PLACES, CUT))
    assert (one.subject, one.kind, one.message, one.line) == (
        "tests/test_loans.py::test_a",
        "Overdue",
        "'Momo' is 44 days overdue",
        29,
    )
    assert (other.kind, other.message, other.file, other.line) == (
        "AssertionError",
        "assert 1 == 2",
        "test_loans.py",
        9,
    )


def test_failures_in_one_line_do_not_depend_on_the_terminal() -> None:
    assert identities(IN_LINES.format(PLACES, CUT)) == identities(IN_LINES.format(PLACES, WHOLE))


def test_lines_that_cannot_be_told_whose_they_are_belong_to_none() -> None:
    one, _other = read(IN_LINES.format("/srv/ci/library/loans.py:29: ValueError: x", WHOLE))
    assert (one.kind, one.line) == ("Overdue", None)


def test_brackets_and_a_dash_inside_an_id_do_not_end_it() -> None:
    told = {
        "a.py::t[[x] - y] - AssertionError: assert [1]": ("a.py::t[[x] - y]", "assert [1]"),
        "a.py::t[[x] - y]": ("a.py::t[[x] - y]", ""),
        "a.py::t[a] - assert 1": ("a.py::t[a]", "assert 1"),
        "a.py::t[[a] - assert 1": ("a.py::t[[a]", "assert 1"),
        "a.py::t[a - b] - assert 1": ("a.py::t[a - b]", "assert 1"),
        "a.py::t[[x] - [y] - z] - assert 1": ("a.py::t[[x] - [y] - z]", "assert 1"),
    }
    for line, (subject, message) in told.items():
        (failure,) = read(f"FAILED {line}\n")
        assert (failure.subject, failure.message) == (subject, message)


COLLECTED = """\
==================================== ERRORS ====================================
___________________ ERROR collecting tests/test_loans.py ___________________
tests/test_loans.py::test_lends: in "parametrize" the number of names (2):
  ['a', 'b']
must be equal to the number of values ({0}):
=========================== short test summary info ============================
ERROR tests/test_loans.py{1}
"""


def test_what_pytest_says_in_plain_words_does_not_depend_on_its_summary() -> None:
    words = ' - Failed: tests/test_loans.py::test_lends: in "parametrize" the number of names (2):'
    assert identities(COLLECTED.format(1, "")) == identities(COLLECTED.format(1, words))
    assert identities(COLLECTED.format(1, words)) != identities(COLLECTED.format(3, words))


DOCTEST = """\
=================================== FAILURES ===================================
___________________________ [doctest] library.shelf ____________________________
{0}001 A shelf.
003 >>> book = Book("a")
004 >>> {1}
Expected:
    2
Got:
    1

/srv/ci/library/shelf.py:4: DocTestFailure
=========================== short test summary info ============================
FAILED library/shelf.py::library.shelf
"""


def test_an_example_of_a_doctest_is_known_by_its_source() -> None:
    (failure,) = read(DOCTEST.format("", "book.copies"))
    assert (failure.subject, failure.kind, failure.source_line, failure.message) == (
        "library/shelf.py::library.shelf",
        "DocTestFailure",
        "book.copies",
        "Expected:\n2\nGot:\n1",
    )
    assert identities(DOCTEST.format("", "book.copies")) != identities(DOCTEST.format("", "len(book)"))


def test_a_doctest_without_an_example_is_known_by_what_it_says() -> None:
    (failure,) = read(DOCTEST.format("", "x").replace(">>> ", ""))
    assert (failure.kind, failure.source_line) == ("DocTestFailure", None)


def test_what_another_tool_says_right_below_a_failure_in_one_line_is_read() -> None:
    text = (
        "=================================== FAILURES ===================================\n"
        "/srv/ci/shop/test_a.py:5: AssertionError: assert 3 == 4\n"
        "--- FAIL: TestOther (0.00s)\n"
        "=========================== short test summary info ============================\n"
        "FAILED test_a.py::test_total - AssertionError: assert 3 == 4\n"
        "============================== 1 failed in 0.12s ===============================\n"
    )
    found = failures_from_text("tests", text, exit_code=1, sources=lambda _path: None)
    assert [f.subject for f in found] == ["test_a.py::test_total", "TestOther"]
