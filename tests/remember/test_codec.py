from __future__ import annotations

import math
import typing
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trueup.decide.moves import AgentStatus, Attempted, Move, Record
from trueup.decide.outcome import Outcome, ProofSummary, Status
from trueup.decide.task import Task
from trueup.errors import UnverifiableError
from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus, Report, Strength
from trueup.remember.codec import decode, decode_as, encode

short = st.text(max_size=8)
numbers = st.floats(allow_nan=False)
failures = st.builds(Failure, check=short, subject=short, kind=short, message=short, source_line=st.none() | short)
passed = st.builds(
    CheckResult,
    check=short,
    status=st.just(CheckStatus.PASSED),
    exit_code=st.just(0),
    inventory=st.none() | st.just(("a", "b")),
    duration=numbers,
)
failed = st.builds(
    CheckResult,
    check=short,
    status=st.just(CheckStatus.FAILED),
    failures=st.tuples(failures),
    extra=st.just(()) | st.tuples(passed),
)
broken = st.builds(CheckResult, check=short, status=st.just(CheckStatus.ERROR), reason=st.just("no such program"))
reports = st.builds(Report, tree=short, results=st.tuples(passed | failed | broken), duration=numbers)
not_passed = st.builds(
    Outcome,
    status=st.sampled_from([s for s in Status if s is not Status.PASSED]),
    reason=short,
    tree=short,
    usd=st.none() | numbers,
    remaining=st.lists(short, max_size=2).map(tuple),
)
proven = st.builds(
    Outcome,
    status=st.just(Status.PASSED),
    reason=short,
    tree=st.just("t"),
    proof=st.builds(
        ProofSummary,
        tree=st.just("t"),
        strength=st.sampled_from(Strength),
        passed=st.integers(),
        collected=st.integers(),
        twins=st.integers(),
        commands=st.just(("pytest -q",)),
    ),
)
SPECIAL: dict[Any, st.SearchStrategy[Any]] = {
    Report: reports,
    Report | None: st.none() | reports,
    Outcome: not_passed | proven,
    float: numbers,
    float | None: st.none() | numbers,
}


def values_of(kind: type) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{name: SPECIAL.get(hint, st.from_type(hint)) for name, hint in hints.items()})


@pytest.mark.parametrize("kind", [*get_args(Move), *get_args(Record), Task], ids=lambda kind: kind.__name__)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_kind_of_entry_comes_back_as_it_was(kind: type, data: st.DataObject) -> None:
    value = data.draw(values_of(kind))
    again = decode(kind.__name__, encode(value))
    assert type(again) is kind
    assert repr(again) == repr(value)  # exact, and NaN is like itself


@settings(max_examples=25, deadline=None)
@given(not_passed | proven)
def test_an_outcome_comes_back_as_it_was(outcome: Outcome) -> None:
    assert decode_as(Outcome, encode(outcome)) == outcome


def test_file_names_that_are_no_text_and_costs_that_are_no_number_survive() -> None:
    record = Attempted(
        number=1,
        agent=AgentStatus.DONE,
        raw="a",
        candidate="b",
        changed=(b"caf\xe9".decode(errors="surrogateescape"),),
        claimed_usd=math.nan,
    )
    again = decode("Attempted", encode(record))
    assert isinstance(again, Attempted)
    assert again.changed == record.changed
    assert again.claimed_usd is not None
    assert math.isnan(again.claimed_usd)


def test_an_unknown_kind_is_said_to_come_from_a_newer_version() -> None:
    with pytest.raises(UnverifiableError, match="Teleported") as caught:
        decode("Teleported", "{}")
    assert "written by a newer trueup" in str(caught.value)


@pytest.mark.parametrize(
    "body",
    ["{", "[]", '{"seconds": "long"}', "{}", "[" * 100_000],
)
def test_a_body_that_does_not_fit_is_refused(body: str) -> None:
    with pytest.raises(UnverifiableError, match="Waited that cannot be read"):
        decode("Waited", body)


def test_a_stored_value_that_breaks_its_own_rules_is_refused() -> None:
    with pytest.raises(UnverifiableError, match="passed without a proof"):
        decode("RunFinished", '{"outcome": {"status": "passed", "reason": "proof"}}')
