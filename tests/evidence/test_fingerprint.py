"""The same failure keeps its fingerprint; another one gets another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.evidence.failure import Failure, Phase, known_by_name
from trueup.evidence.fingerprint import evidence_id, fingerprint

TEST = Failure(
    check="tests",
    subject="tests/test_cart.py::test_total",
    kind="AssertionError",
    message="assert 72.0 == 79.9 at 0x7f3a1c2d4e50",
    file="tests/test_cart.py",
    line=12,
    source_line="    assert cart.total() == 72.0",
)
LINT = Failure(
    check="lint",
    subject="cart.py F401",
    kind="F401",
    message="`os` imported but unused",
    file="cart.py",
    line=1,
    source_line="import os",
    test=False,
)
BUILD = replace(LINT, check="build", subject="a.cpp", kind="error", phase=Phase.BUILD, message="‘vector’ is no type")


@pytest.mark.parametrize(
    "seen_again",
    [
        replace(TEST, line=40),
        replace(TEST, source_line="assert cart.total() == 72.0\r"),
        replace(TEST, message="assert 72.0 == 80.0"),
        replace(TEST, message="reworded by a reviewer"),
        replace(TEST, excerpt="other context", repro="pytest x", file="/tmp/other/tests/test_cart.py"),
    ],
    ids=["line number", "indentation and line end", "value", "wording", "context"],
)
def test_the_same_failure_seen_again_has_the_same_fingerprint(seen_again: Failure) -> None:
    assert fingerprint(seen_again) == fingerprint(TEST)


@pytest.mark.parametrize(
    "other",
    [
        replace(TEST, check="unit"),
        replace(TEST, subject="tests/test_cart.py::test_count"),
        replace(TEST, kind="NameError"),
        replace(TEST, source_line="assert cart.count() == 3"),
        replace(TEST, source_line="assert cart.total() == 73.0"),
    ],
    ids=["check", "test", "exception class", "failing place", "expected value in the source"],
)
def test_another_failure_has_another_fingerprint(other: Failure) -> None:
    assert fingerprint(other) != fingerprint(TEST)


def test_another_value_moves_the_evidence_and_not_the_fingerprint() -> None:
    moved = replace(TEST, message="assert 72.0 == 75.0 at 0x7f3a1c2d4e50")
    assert fingerprint(moved) == fingerprint(TEST)
    assert evidence_id(moved) != evidence_id(TEST)


def test_another_address_moves_nothing() -> None:
    assert evidence_id(replace(TEST, message="assert 72.0 == 79.9 at 0x7fffdeadbeef")) == evidence_id(TEST)


def test_a_fingerprint_made_without_source_says_so_and_never_equals_one_that_had_it() -> None:
    without = fingerprint(replace(TEST, source_line=None))
    assert without.startswith("f1n:")
    assert fingerprint(TEST).startswith("f1:")
    assert without.partition(":")[2] != fingerprint(TEST).partition(":")[2]


def test_an_empty_source_line_is_not_an_unknown_one() -> None:
    assert fingerprint(replace(TEST, source_line="")) != fingerprint(replace(TEST, source_line=None))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("timeout", ""),
        ("RecursionError", "maximum recursion depth exceeded"),
        ("MemoryError", ""),
        ("java.lang.StackOverflowError", ""),
        ("Failed", "Timeout >3.0s"),
    ],
)
def test_failures_without_a_stable_frame_leave_the_source_line_out(kind: str, message: str) -> None:
    here = replace(TEST, kind=kind, message=message, source_line="while True:")
    there = replace(here, source_line="    i += 1")
    nowhere = replace(here, source_line=None)
    assert fingerprint(here) == fingerprint(there) == fingerprint(nowhere)


def test_an_ordinary_failed_keeps_its_source_line() -> None:
    one = replace(TEST, kind="Failed", message="DID NOT RAISE")
    assert fingerprint(one) != fingerprint(replace(one, source_line="other()"))


@pytest.mark.parametrize("failure", [LINT, BUILD], ids=["lint", "build"])
def test_what_is_not_a_test_is_known_by_its_message(failure: Failure) -> None:
    assert fingerprint(replace(failure, source_line="import  os", line=9)) == fingerprint(failure)
    assert fingerprint(replace(failure, message="`re` imported but unused")) != fingerprint(failure)


def test_a_test_that_can_never_be_seen_passing_keeps_its_identity() -> None:
    told, other = known_by_name((TEST, LINT), frozenset())
    assert (told.test, told.named, other) == (False, True, LINT)
    assert fingerprint(told) == fingerprint(TEST)
    assert known_by_name((TEST,), {TEST.subject}) == (TEST,)


def test_a_message_without_a_test_is_normalised_first() -> None:
    one = replace(BUILD, message="cannot open /tmp/tmpab12cd34/a.h")
    assert fingerprint(one) == fingerprint(replace(one, message="cannot open /tmp/tmpzz12cd99/a.h"))


def test_identities_have_a_version_and_sixteen_hex_digits() -> None:
    letter, _, digits = fingerprint(TEST).partition(":")
    assert letter == "f1"
    assert len(digits) == 16
    assert int(digits, 16) >= 0
    assert evidence_id(TEST).startswith("e1:")


def test_identities_never_change_by_accident() -> None:
    """Stored fingerprints are compared across releases: a change of these needs a new VERSION."""
    assert fingerprint(TEST) == "f1:18dcad8af18861b7"
    assert fingerprint(LINT) == "f1:e095a5c03b458cd7"


@given(st.text(), st.text(), st.text(), st.none() | st.text(), st.booleans())
def test_any_failure_has_an_identity(subject: str, kind: str, message: str, source: str | None, test: bool) -> None:
    failure = Failure(check="c", subject=subject, kind=kind, message=message, source_line=source, test=test)
    assert fingerprint(failure) == fingerprint(replace(failure))
    assert evidence_id(failure) == evidence_id(replace(failure))


def test_lone_surrogates_do_not_break_identities() -> None:
    assert fingerprint(replace(TEST, subject="a\udc80", source_line="\ud800")).startswith("f1:")
