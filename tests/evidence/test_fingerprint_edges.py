"""What tells two failures apart, on the edges: complaints without a code, times that ran out, the parts of a digest."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from trueup.evidence import fingerprint as identities
from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import evidence_id, fingerprint, first_of

NO_CODE = Failure(check="c", subject="a.c", phase=Phase.BUILD, kind="error", message="expected ';'", source_line="int x = 1", test=False)  # fmt: skip
TEST = Failure(check="c", subject="a.py::t", kind="Failed", message="Timeout >3.0s", source_line="x()")


@pytest.mark.parametrize("kind", ["error", "fatal error", "warning"])
def test_a_complaint_of_a_compiler_without_a_code_is_told_apart_by_its_line(kind: str) -> None:
    one = replace(NO_CODE, kind=kind)
    assert fingerprint(one) != fingerprint(replace(one, source_line="int y = 2"))
    assert fingerprint(one) == fingerprint(replace(one, source_line="  int  x = 1 "))
    assert fingerprint(one) != fingerprint(replace(one, message="expected ')'"))


def test_a_complaint_without_a_code_and_without_a_line_says_so() -> None:
    unknown = fingerprint(replace(NO_CODE, source_line=None))
    assert unknown.startswith("f1n:")
    assert fingerprint(NO_CODE).startswith("f1:")


def test_a_code_or_a_linter_makes_the_line_unimportant() -> None:
    for one in (replace(NO_CODE, kind="E0425"), replace(NO_CODE, phase=Phase.RUN)):
        assert fingerprint(one) == fingerprint(replace(one, source_line="int y = 2"))
        assert fingerprint(replace(one, source_line=None)).startswith("f1:")


@pytest.mark.parametrize(
    "message", ["Timeout >3.0s", "Timeout (>3.0s)", "  Failed: Timeout >3.0s", "Failed: Timeout (>3s)"]
)
def test_where_the_time_ran_out_does_not_matter(message: str) -> None:
    one = replace(TEST, message=message)
    assert fingerprint(one) == fingerprint(replace(one, source_line="y()"))
    assert fingerprint(replace(one, kind="Other")) != fingerprint(replace(one, kind="Other", source_line="y()"))


@pytest.mark.parametrize(
    "kind",
    ["timeout", "TimeoutError", "subprocess.TimeoutExpired", "RecursionError", "MemoryError", "StackOverflowError", "OutOfMemoryError"],
)  # fmt: skip
def test_what_surfaces_anywhere_is_known_by_its_kind(kind: str) -> None:
    one = replace(TEST, kind=kind, message="m")
    assert fingerprint(one).startswith("f1:")
    assert fingerprint(one) != fingerprint(replace(one, kind="ValueError"))
    assert fingerprint(one) != fingerprint(replace(one, subject="a.py::u"))
    assert fingerprint(one) == fingerprint(replace(one, source_line="y()", message="n"))
    assert evidence_id(one) != evidence_id(replace(one, message="n"))


def test_the_borders_between_the_parts_count() -> None:
    one = replace(TEST, kind="ab", source_line="c")
    assert fingerprint(one) != fingerprint(replace(one, kind="a", source_line="bc"))
    assert len(fingerprint(one)) == len("f1:") + 16


def test_an_identity_stays_the_same_from_one_release_to_the_next() -> None:
    """What is stored in a project's state is compared with what a newer trueup computes."""
    failure = Failure(
        check="c",
        subject="a.c error",
        phase=Phase.BUILD,
        kind="error",
        message="bad",
        source_line="x =  1;",
        test=False,
    )
    assert fingerprint(failure) == "f1:d50336641b53e740"
    assert evidence_id(failure) == "e1:71ba131d27176d17"


def test_the_hash_comes_from_the_first_module_that_has_it() -> None:
    expected = hashlib.sha256(b"x").hexdigest()
    assert first_of(("no_such_module", "hashlib"), "sha256")(b"x").hexdigest() == expected
    with pytest.raises(ImportError, match="no module has sha256"):
        first_of(("no_such_module",), "sha256")


@pytest.mark.parametrize("text", ["f1:0123456789abcdef", "f1n:0123456789abcdef", "f1234:0123456789abcdef"])
def test_a_fingerprint_of_any_version_is_known_by_its_form(text: str) -> None:
    assert identities.FORM.fullmatch(text)


@pytest.mark.parametrize(
    "text",
    [
        "f:0123456789abcdef",
        "fx:0123456789abcdef",
        "f1:0123456789abcdeg",
        "f1:0123",
        "f12345:0123456789abcdef",
        "e1:0123456789abcdef",
    ],
)
def test_other_words_are_no_fingerprint(text: str) -> None:
    assert not identities.FORM.fullmatch(text)
