"""What a check decided counts only as one JSON object of this very run, or as a word on a line of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trueup.evidence.decision import (
    LARGEST,
    Decision,
    NoDecisionError,
    decision_of_file,
    decision_of_words,
    failures_of,
    refuse_time,
)
from trueup.evidence.fingerprint import evidence_id, fingerprint

NONCE = "5f0c"
PASS: dict[str, Any] = {"decision": "pass", "check_id": "tests", "nonce": NONCE}
FAIL: dict[str, Any] = {**PASS, "decision": "fail"}


def decided(content: object) -> Decision:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return decision_of_file(raw, check="tests", nonce=NONCE)


# --- the file ------------------------------------------------------------------------------------------------


def test_an_object_with_the_nonce_of_this_run_decides() -> None:
    assert decided(PASS) == Decision(passed=True)
    assert decided({**PASS, "reasons": ["all 12 pages render"]}) == Decision(
        passed=True, reasons=("all 12 pages render",)
    )
    assert decided(FAIL) == Decision(passed=False)
    assert decided({**FAIL, "reasons": ["a", "b"], "fingerprints": ["x:1", "y"]}) == Decision(
        passed=False, reasons=("a", "b"), fingerprints=("x:1", "y")
    )
    assert decided({**FAIL, "fingerprints": ["x"]}).fingerprints == ("x",)
    assert decided(json.dumps(FAIL, indent=2).encode() + b"\n\n") == Decision(passed=False)


WRONG: dict[str, tuple[object, str]] = {
    "another nonce": ({**PASS, "nonce": "5f0d"}, "its nonce is not that of this run"),
    "a nonce that is no text": ({**PASS, "nonce": 5}, "its nonce is not that of this run"),
    "no nonce": ({"decision": "pass", "check_id": "tests"}, "it has no nonce"),
    "another check": ({**PASS, "check_id": "types"}, "its check_id is another check's"),
    "no check": ({"decision": "pass", "nonce": NONCE}, "it has no check_id"),
    "no decision": ({"check_id": "tests", "nonce": NONCE}, 'its decision is neither "pass" nor "fail"'),
    "another word": ({**PASS, "decision": "PASS"}, 'its decision is neither "pass" nor "fail"'),
    "yes": ({**PASS, "decision": True}, 'its decision is neither "pass" nor "fail"'),
    "another key": ({**PASS, "confidence": 0.9}, "it has other keys than"),
    "a list": ([PASS], "it is not a JSON object"),
    "a text": (b'"pass"', "it is not a JSON object"),
    "fenced": (b"```json\n" + json.dumps(PASS).encode() + b"\n```\n", "it is fenced in markdown"),
    "prose before it": (b"Here it is: " + json.dumps(PASS).encode(), "it is not JSON"),
    "prose after it": (json.dumps(PASS).encode() + b"\nThat is all.", "it is not JSON"),
    "two objects": (json.dumps(FAIL).encode() + json.dumps(PASS).encode(), "it is not JSON"),
    "cut off": (json.dumps(PASS).encode()[:-1], "it ends too early"),
    "cut off in a text": (json.dumps(PASS).encode()[:-3], "it ends too early"),
    "empty": (b"", "it is empty"),
    "blank": (b" \n", "it is empty"),
    "no text": (b"\xff\xfe", "it is not UTF-8 text"),
    "too large": (json.dumps(PASS).encode() + b" " * LARGEST, "it is larger than 1 MB"),
    "too deep": (b"[" * 100_000, "it is not JSON that can be read"),
    "an endless number": (b'{"decision": ' + b"9" * 10_000 + b"}", "it is not JSON that can be read"),
    "no number": (b'{"decision": NaN}', "it holds a number that JSON does not have"),
    "two answers": (json.dumps(FAIL).encode()[:-1] + b', "decision": "pass"}', "it contradicts itself: a key comes twice"),
    "reasons that are a text": ({**FAIL, "reasons": "all of it"}, "its reasons are not a list"),
    "a blank reason": ({**FAIL, "reasons": [" "]}, "its reasons are not a list"),
    "a reason that is a number": ({**FAIL, "reasons": [5]}, "its reasons are not a list"),
    "a reason that cannot be written": (b'{"nonce":"5f0c","check_id":"tests","decision":"fail","reasons":["\\ud800"]}', "its reasons"),
    "a reason as long as a book": ({**FAIL, "reasons": ["x" * 8001]}, "its reasons are not a list"),
    "too many reasons": ({**FAIL, "reasons": ["x"] * 501}, "its reasons are not a list"),
    "fingerprints that are a text": ({**FAIL, "fingerprints": "x"}, "its fingerprints are not a list"),
    "a fingerprint with a line end": ({**FAIL, "fingerprints": ["a\nb"]}, "its fingerprints are not a list"),
    "a fingerprint that is a number": ({**FAIL, "fingerprints": [7]}, "its fingerprints are not a list"),
    "too many fingerprints": ({**FAIL, "fingerprints": ["x"] * 501}, "its fingerprints are not a list"),
    "more reasons than fingerprints": ({**FAIL, "reasons": ["a", "b"], "fingerprints": ["x"]}, "it has not as many"),
    "a pass with failures": ({**PASS, "fingerprints": ["x"]}, "it contradicts itself: a pass with fingerprints"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_anything_else_decides_nothing_and_has_a_reason(case: str) -> None:
    content, why = WRONG[case]
    with pytest.raises(NoDecisionError, match=f"^{why.replace('(', '.')}"):
        decided(content)


def test_a_file_counts_only_if_it_was_written_while_the_check_ran() -> None:
    refuse_time(5, began=5, ended=5)
    refuse_time(6, began=5, ended=7)
    with pytest.raises(NoDecisionError, match="it was written before the check started"):
        refuse_time(4, began=5, ended=7)
    with pytest.raises(NoDecisionError, match="it is dated in the future"):
        refuse_time(8, began=5, ended=7)


# --- the words -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "passed"),
    [
        ("PASS", True),
        ("checking\nCOMPLETE\n", True),
        ("PASS\r\nbye", True),
        ("PASS  \t\n", True),
        ("FAIL", False),
        ("INCOMPLETE\n", False),
        ("PASS\nFAIL\n", False),
        ("FAIL\nPASS\n", False),
        ("COMPLETE\nPASS", True),
    ],
)
def test_a_word_on_a_line_of_its_own_decides_and_one_fail_outweighs_any_pass(said: str, *, passed: bool) -> None:
    assert decision_of_words(said, whole=True) == Decision(passed=passed)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Complete the remaining work: 3 tests fail",
        "PASS rate 90%",
        "I cannot say LGTM",
        "pass",
        "Pass",
        "PASS.",
        "PASSED",
        "`PASS`",
        "**PASS**",
        "> PASS",
        "- PASS",
        " PASS",
        "Verdict: PASS",
        "PASS FAIL",
        "progress\rPASS",
        "\x1b[32mPASS\x1b[0m",
        "PASS\x0bFAIL",
        "PASS\u2028",
    ],
)
def test_prose_decides_nothing(said: str) -> None:
    with pytest.raises(NoDecisionError, match="no line of its output is just PASS, COMPLETE, FAIL, INCOMPLETE"):
        decision_of_words(said, whole=True)


def test_of_an_output_that_was_cut_a_fail_counts_and_a_pass_does_not() -> None:
    assert decision_of_words("FAIL\n", whole=False) == Decision(passed=False)
    with pytest.raises(NoDecisionError, match="too long to be read as a whole"):
        decision_of_words("PASS\n", whole=False)


# --- failures ------------------------------------------------------------------------------------------------


def fails(*reasons: str, prints: tuple[str, ...] = ()) -> tuple[Any, ...]:
    return failures_of(Decision(passed=False, reasons=reasons, fingerprints=prints), check="tests")


def test_a_pass_has_no_failures_and_a_bare_fail_leaves_it_to_the_output() -> None:
    assert failures_of(Decision(passed=True, reasons=("fine",)), check="tests") == ()
    assert fails() == ()


def test_the_checks_own_fingerprint_is_the_identity_however_the_reason_is_worded() -> None:
    (first,) = fails("The header overlaps the logo.", prints=("header-overlap",))
    (second,) = fails("Logo and header collide at 320 px!", prints=("header-overlap",))
    (other,) = fails("The header overlaps the logo.", prints=("footer-overlap",))
    assert fingerprint(first) == fingerprint(second) != fingerprint(other)
    assert first.key == second.key != other.key
    assert evidence_id(first) != evidence_id(second), "something about it moved"
    assert not first.test


def test_without_fingerprints_a_value_in_the_reason_makes_the_same_key_and_another_fingerprint() -> None:
    (first,) = fails("the page takes 320 ms, at most 200 are allowed")
    (second,) = fails("the page takes 240 ms, at most 200 are allowed")
    (other,) = fails("the page has no title")
    assert first.key == second.key != other.key
    assert fingerprint(first) != fingerprint(second)
    assert fingerprint(first) == fingerprint(*fails("the page takes 320 ms, at most 200 are allowed"))


def test_digits_in_names_tell_two_reasons_apart() -> None:
    assert fails("E501 in test_2")[0].key != fails("E502 in test_2")[0].key


def test_what_differs_by_time_and_place_only_is_the_same() -> None:
    (first,) = fails("at 2026-01-02 10:00:00 /tmp/abc123/x.py is wrong")
    (second,) = fails("at 2026-01-03 11:30:12 /tmp/zzz999/x.py is wrong")
    assert first.key == second.key


def test_long_reasons_get_short_keys_that_tell_them_apart() -> None:
    (first,), (second,) = fails("word " * 400 + "one"), fails("word " * 400 + "two")
    assert first.key != second.key
    assert max(len(first.subject), len(second.subject)) < 130
    assert first.message != second.message, "nothing is cut from what is told"


def test_a_fingerprint_without_a_reason_says_so() -> None:
    (failure,) = fails(prints=("x",))
    assert failure.message == "no reason given"


def test_secrets_and_colours_do_not_get_into_a_failure() -> None:
    decision = Decision(passed=False, reasons=("\x1b[31mtoken hunter2 is wrong\x1b[0m",))
    (failure,) = failures_of(decision, check="tests", redact=lambda text: text.replace("hunter2", "[redacted]"))
    assert "hunter2" not in f"{failure.subject}{failure.message}"
    assert "[redacted]" in failure.message
    assert "\x1b" not in failure.message


def test_the_same_reason_twice_is_counted_twice() -> None:
    assert len({f.key for f in fails("a", "a")}) == 1
    assert len(fails("a", "a")) == 2
