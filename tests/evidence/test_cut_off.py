"""When more failures exist than are listed, that is a failure of its own; fewer of very many are fewer."""

from __future__ import annotations

from collections import Counter

import pytest

from trueup.evidence.failure import CUT_OFF, Failure
from trueup.evidence.gap import Gap
from trueup.evidence.parsers import diagnostics as parser_of_diagnostics
from trueup.evidence.parsers import found as shared
from trueup.evidence.parsers import found_in_lines
from trueup.evidence.parsers.diagnostics import diagnostics, ranked, strict_diagnostics
from trueup.evidence.parsers.found import MORE
from trueup.evidence.text import failures_from_text

LINT = "src/m{0}.py:{1}:1: F401 `name{1}` imported but unused"
TAP = "not ok {1} - test {1}"
GCC = "src/m{0}.c:{1}:5: error: 'name{1}' undeclared"
CRASH = "run.sh: line {1}: tool{1}: command not found"
MOST = 20


def said(line: str, count: int) -> str:
    return "\n".join(line.format(number % 7, number) for number in range(1, count + 1))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many that it takes seconds to read them are listed otherwise."""
    assert shared.MOST_FAILURES >= 10_000
    for module in (shared, parser_of_diagnostics):
        monkeypatch.setattr(module, "MOST_FAILURES", MOST)


def read(text: str, gap: Gap = Gap.NONE) -> tuple[Failure, ...]:
    return failures_from_text("c", text, exit_code=1, sources=lambda path: None, gap=gap)


def keys(text: str) -> Counter[str]:
    return Counter(failure.key for failure in read(text))


@pytest.mark.parametrize("line", [LINT, TAP, GCC], ids=["lint", "tests", "compiler"])
def test_six_thousand_failures_and_five_thousand_five_hundred_are_not_the_same(line: str) -> None:
    """Each is counted by its key, so that those that are gone can be told from those that came."""
    before, after = keys(said(line, 6_000)), keys(said(line, 5_500))
    assert (before.total(), after.total()) == (6_000, 5_500)
    assert (before - after).total() == 500
    assert not after - before


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("line", [LINT, TAP, GCC, CRASH], ids=["lint", "tests", "compiler", "crash"])
def test_whatever_is_not_listed_any_more_is_told_in_one_more_failure(line: str) -> None:
    whole, cut = read(said(line, MOST)), read(said(line, MOST + 1))
    assert len(whole) == MOST
    assert CUT_OFF not in {failure.subject for failure in whole}
    assert cut[:-1] == whole
    assert (cut[-1].subject, cut[-1].kind, cut[-1].test) == (CUT_OFF, "cut off", False)
    assert "not listed" in cut[-1].message


@pytest.mark.usefixtures("few")
def test_two_tools_that_were_both_cut_off_are_told_once_and_last() -> None:
    text = f"{said(TAP, MOST + 1)}\n{said('FAILED a.py::t{1} - KeyError: 1', MOST + 1)}"
    assert [one is MORE for one in found_in_lines(text.split("\n"))].count(True) == 2
    assert [failure.subject == CUT_OFF for failure in read(text)] == [False] * 2 * MOST + [True]


@pytest.mark.usefixtures("few")
def test_complaints_that_are_not_listed_count_as_errors_beside_errors_and_as_warnings_beside_warnings() -> None:
    few = said(GCC, 1)
    many = said("src/m{0}.c:{1}:5: warning: unused variable 'name{1}'", MOST)
    errors, warnings = ranked(f"{few}\n{many}".split("\n"))
    assert errors[1:] == [MORE]
    assert MORE not in warnings
    assert list(strict_diagnostics(f"{few}\n{many}".split("\n")))[1:] == [MORE]
    assert list(diagnostics([*many.split("\n"), *many.split("\n")]))[-1] is MORE


@pytest.mark.parametrize(
    ("gap", "text", "told"),
    [
        (Gap.NONE, said(LINT, 2), False),
        (Gap.QUIET, said(LINT, 2), True),
        (Gap.QUIET, said(GCC, 2), False),
        (Gap.QUIET, said(TAP, 2), False),
        (Gap.LOUD, said(GCC, 2), True),
        (Gap.LOUD, said(TAP, 2), True),
    ],
)
def test_what_was_left_out_of_an_output_may_hold_more(gap: Gap, text: str, *, told: bool) -> None:
    """Of tools that call an error an error, a part without that word holds none; a linter's code needs no word."""
    assert [failure.subject for failure in read(text, gap)][2:] == [CUT_OFF] * told


def test_a_check_that_nobody_understands_stays_one_failure() -> None:
    (only,) = read("something went wrong", Gap.LOUD)
    assert (only.subject, only.kind) == ("", "exit")


def test_of_events_the_lines_are_not_those_that_were_printed() -> None:
    """A place that does not exist in the printed text counts as one without a word."""
    events = '{"Action":"output","Package":"p","Output":"a.go:1:2: undefined: fail\\na.go:2:2: undefined: y\\n"}'
    subjects = [failure.subject for failure in read(events, Gap.QUIET)]
    assert subjects[-1] == CUT_OFF


@pytest.mark.parametrize(("between", "told"), [("nothing", False), ("not ok 3 - between", True)])
def test_of_very_many_lines_those_between_are_named_when_they_speak_of_failures(between: str, *, told: bool) -> None:
    lines = ["not ok 1 - first", *["nothing"] * 210_000, "not ok 2 - last"]
    lines[105_000] = between
    assert [failure.subject for failure in read("\n".join(lines))] == ["first", "last", *[CUT_OFF] * told]
