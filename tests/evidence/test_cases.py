"""What report files tell about single tests."""

from __future__ import annotations

import pytest

from trueup.evidence.cases import read_cases

JUNIT = """<testsuites><testsuite name="s" failures="1" errors="x">
<testcase classname="a.B" name="good"/>
<testcase classname="a.B" name="bad"><failure type="AssertionError" message="1 != 2">text</failure></testcase>
<testcase classname="a.B" name="later"><skipped/></testcase>
<testcase classname="src/a.js" name="near"/>
<testcase classname="gtest" name="off" status="notrun"/>
<testcase classname="a.B" name="again"/>
<testcase classname="a.B" name="again"><error message="second time"/></testcase>
<skipped/>
</testsuite></testsuites>"""


def _none(_: str) -> str | None:
    return None


def test_every_case_of_a_junit_report_is_in_the_inventory() -> None:
    cases = read_cases("t", "junit", JUNIT, sources=_none)
    assert cases is not None
    assert cases.inventory == ("a.B::good", "a.B::bad", "a.B::later", "src/a.js::near", "gtest::off", "a.B::again")
    assert cases.passed == ("a.B::good", "src/a.js::near")
    assert cases.skipped == ("a.B::later", "gtest::off")
    assert [(f.subject, f.kind, f.message) for f in cases.failures] == [
        ("a.B::bad", "AssertionError", "1 != 2"),
        ("a.B::again", "failure", "second time"),
    ]


def test_failures_that_are_counted_but_not_named_are_failures() -> None:
    text = '<testsuite failures="2" tests="1"><testcase name="good"/></testsuite>'
    cases = read_cases("t", "junit", text, sources=_none)
    assert cases is not None
    assert [(f.subject, f.kind, f.test) for f in cases.failures] == [("", "report", False)]
    assert "2 failures" in cases.failures[0].message


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("junit", ""),
        ("junit", "<testsuite><testcase name='a'>"),
        ("junit", "<html/>"),
        ("junit", '<!DOCTYPE x [<!ENTITY e "x">]><testsuite/>'),
        ("junit", '{"runs": []}'),
        ("sarif", "{"),
        ("sarif", "<testsuite/>"),
        ("sarif", "{}"),
        ("sarif", '{"runs": []}'),
        ("tap", ""),
        ("tap", "ok 1 - no plan\n"),
        ("tap", "1..0\n"),
        ("tap", "1..3\nok 1\nok 2\n"),
    ],
)
def test_what_is_no_whole_report_is_none(kind: str, text: str) -> None:
    assert read_cases("t", kind, text, sources=_none) is None


def test_sarif_tells_complaints_and_no_inventory() -> None:
    result = '{"ruleId": "R1", "level": "error", "message": {"text": "bad"}}'
    cases = read_cases("t", "sarif", f'{{"runs": [{{"results": [{result}]}}]}}', sources=_none)
    assert cases is not None
    assert [f.kind for f in cases.failures] == ["R1"]
    assert cases.inventory is None


def test_tap_tells_failures_and_no_inventory() -> None:
    good = read_cases("t", "tap", "TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b # TODO later\n", sources=_none)
    assert good is not None
    assert (good.failures, good.inventory) == ((), None)
    bad = read_cases("t", "tap", "ok 1 - a\nnot ok 2 - b\n1..2\n", sources=_none)
    assert bad is not None
    assert [f.subject for f in bad.failures] == ["b"]


def test_tap_that_skipped_everything_names_what_was_skipped() -> None:
    cases = read_cases("t", "tap", "1..2\nok 1 - a # SKIP no database\nok 2 b # skip\n", sources=_none)
    assert cases is not None
    assert (cases.skipped, cases.inventory, cases.passed) == (("a", "b"), ("a", "b"), ())


def test_tap_that_was_given_up_is_a_failure_beside_those_that_it_names() -> None:
    cases = read_cases("t", "tap", "1..3\nok 1 - a\nnot ok 2 - b\nBail out! no database\n", sources=_none)
    assert cases is not None
    assert [(f.subject, f.message) for f in cases.failures][1:] == [("", "the tests were given up: no database")]
    assert cases.failures[0].subject == "b"


@pytest.mark.parametrize(
    ("invocations", "messages"),
    [
        ('[{"executionSuccessful": false}]', ["the tool says that its run did not succeed"]),
        ('[{"executionSuccessful": true}, 5]', []),
        ("5", []),
    ],
)
def test_sarif_of_a_run_that_did_not_succeed_is_a_failure(invocations: str, messages: list[str]) -> None:
    text = f'{{"runs": [{{"invocations": {invocations}, "results": []}}, 7]}}'
    cases = read_cases("t", "sarif", text, sources=_none)
    assert cases is not None
    assert [f.message for f in cases.failures] == messages
