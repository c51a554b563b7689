"""Formats for other programs: whatever a test is called or prints, the document stays a document."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest

from trueup.decide.comparison import Comparison, compare, findings
from trueup.decide.moves import PutBack, PutBackWhy
from trueup.evidence.failure import Failure
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.redact import Redactor
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.report.formats.findings import Findings, headline, remarks
from trueup.report.formats.github import SUMMARY_BYTES, summary, workflow_commands
from trueup.report.formats.junit import junit
from trueup.report.formats.sarif import sarif

NASTY = "tests/a,b:c.py::test_x[<&\"'>\x00\x1b[31m\ud800\uffff\n::error::]"
SECRET = "s3cr3t-value-of-mine"


def failure(subject: str = "tests/test_a.py::T::test_one", **more: Any) -> Failure:
    given = {"kind": "AssertionError", "message": "assert 1 == 2", "file": "tests/test_a.py", "line": 7}
    given |= {
        "source_line": "    assert f() == 2",
        "excerpt": "def test_one():\n>   assert f() == 2\nE   assert 1 == 2",
    }
    return Failure(check="tests", subject=subject, **{**given, **more})


def failed(*failures: Failure, **more: Any) -> CheckResult:
    return CheckResult(check="tests", status=CheckStatus.FAILED, failures=failures, exit_code=1, **more)


def about(*results: CheckResult, before: Report | None = None, **more: Any) -> Findings:
    report = Report(tree="t", results=results, void=more.pop("void", ""))
    comparison = compare(before, report) if before else Comparison(found=findings(report))
    return Findings(report=report, comparison=comparison, base="main" if before else "", **{"exit_code": 1, **more})


def with_all() -> Findings:
    """A known, a changed and a new failure, a test that is gone, and a check that could not run."""
    old = failed(failure("k"), failure("c"), inventory=("k", "c", "gone"), passed=("gone",))
    now = failed(
        failure("k"),
        failure("c", source_line="else"),
        failure("n"),
        inventory=("k", "c", "n", "p", "s"),
        passed=("p",),
        skipped=("s",),
        command="pytest -q",
        duration=1.5,
    )
    dead = CheckResult(check="types", status=CheckStatus.ERROR, reason="mypy is not installed", command="mypy")
    idle = CheckResult(check="e2e", status=CheckStatus.SKIPPED, reason="not run: types did not pass")
    back = PutBack(path="conftest.py", why=PutBackWhy.CONTROL, detail="steers the checks")
    return about(now, dead, idle, before=Report(tree="b", results=(old,)), put_back=(back,))


# --- JUnit -------------------------------------------------------------------------------------------------------


def test_junit_has_a_suite_for_each_check_and_counts_that_fit() -> None:
    root = ET.fromstring(junit(with_all()))
    assert [suite.get("name") for suite in root] == ["tests", "types", "e2e"]
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        for word, plural in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert suite.get(plural) == str(sum(case.find(word) is not None for case in cases))
    tests, types, e2e = root
    assert [case.get("name") for case in tests.findall("testcase")] == ["n", "c", "k", "gone", "s", "p"]
    assert [e.get("message") for e in tests.iter("failure")] == [
        "new: assert 1 == 2",
        "changed: assert 1 == 2",
        "known: assert 1 == 2",
    ]
    assert [e.get("message") for e in types.iter("error")] == ["mypy is not installed"]
    assert e2e.find("testcase/skipped") is not None


def test_junit_follows_the_order_and_attributes_of_the_usual_schemas() -> None:
    suite = ET.fromstring(junit(with_all()))[0]
    order = [child.tag for child in suite]
    assert order == ["properties", *["testcase"] * 6, "system-out", "system-err"]
    assert set(suite.keys()) == {
        "name", "package", "id", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname",
    }  # fmt: skip
    assert all(set(case.keys()) == {"name", "classname", "time"} for case in suite.iter("testcase"))
    assert re.fullmatch(r"\d+\.\d{3}", suite.get("time") or "")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp") or "")


def test_junit_splits_test_ids_as_its_readers_expect() -> None:
    case = ET.fromstring(junit(about(failed(failure("tests/test_a.py::T::test_one[a::b/c]"))))).find(".//testcase")
    assert case is not None
    assert (case.get("classname"), case.get("name")) == ("tests.test_a.T", "test_one[a::b/c]")
    whole = ET.fromstring(junit(about(CheckResult(check="lint", status=CheckStatus.PASSED, exit_code=0))))
    assert [(c.get("classname"), c.get("name"), len(c)) for c in whole.iter("testcase")] == [("lint", "lint", 0)]


def test_junit_shows_place_excerpt_and_identity() -> None:
    one = failure(repro="pytest x")
    text = ET.fromstring(junit(about(failed(one)))).findtext(".//failure") or ""
    assert text.splitlines()[0] == "tests/test_a.py:7"
    assert ">   assert f() == 2" in text
    assert "run it alone: pytest x" in text
    assert text.endswith(f"fingerprint: {fingerprint(one)}")


def test_new_test_files_are_in_the_suite_of_their_check() -> None:
    extra = failed(failure("new"), inventory=("new", "fine"), passed=("fine",))
    now = CheckResult(check="tests", status=CheckStatus.PASSED, exit_code=0, inventory=("a",), passed=("a",))
    said = about(replace(now, extra=(extra,)), before=Report(tree="b", results=(now,)))
    assert [c.get("name") for c in ET.fromstring(junit(said)).iter("testcase")] == ["new", "a", "fine"]


@pytest.mark.parametrize("form", [junit, sarif, workflow_commands, summary])
def test_a_void_report_is_told_and_never_looks_like_a_pass(form: Any) -> None:
    said = form(about(void="written while tests ran: a.py", exit_code=4))
    assert "written while tests ran" in said
    if form is junit:
        assert ET.fromstring(said)[0].get("errors") == "1"


# --- SARIF -------------------------------------------------------------------------------------------------------


def test_sarif_has_what_the_standard_requires() -> None:
    said = json.loads(sarif(with_all()))
    assert said["version"] == "2.1.0"
    (run,) = said["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "trueup"
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == ["tests/AssertionError", "tests/vanished"]
    for result in run["results"]:
        assert result["message"]["text"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"error", "warning"}
        assert list(result["partialFingerprints"]) == ["trueup/v1"]
    assert [r["baselineState"] for r in run["results"]] == ["new", "updated", "unchanged", "new"]


def test_sarif_says_which_checks_could_not_run() -> None:
    (run,) = json.loads(sarif(with_all()))["runs"]
    tests, types, e2e = run["invocations"]
    assert (tests["executionSuccessful"], tests["exitCode"], tests["commandLine"]) == (True, 1, "pytest -q")
    assert "toolExecutionNotifications" not in tests
    assert types["executionSuccessful"] is False
    assert "exitCode" not in types
    assert types["toolExecutionNotifications"][0]["message"]["text"] == "types: mypy is not installed"
    assert e2e["executionSuccessful"] is False


def test_sarif_places_are_relative_uris_with_line_and_snippet() -> None:
    one = failure(file="src/a b%c#é.py", line=3)
    (result,) = json.loads(sarif(about(failed(one))))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "src/a%20b%25c%23%C3%A9.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "snippet": {"text": "    assert f() == 2"}}
    assert result["partialFingerprints"]["trueup/v1"] == fingerprint(one)
    assert "baselineState" not in result


def test_a_failure_without_a_place_is_shown_at_the_file_that_configures_the_checks() -> None:
    nowhere = failure("", file=None, line=None, test=False)
    (result,) = json.loads(sarif(about(failed(nowhere), home="trueup.toml")))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "trueup.toml"
    (result,) = json.loads(sarif(about(failed(nowhere))))["runs"][0]["results"]
    assert "physicalLocation" not in result["locations"][0]
    assert result["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "tests"}]


# --- GitHub ------------------------------------------------------------------------------------------------------


def test_annotations_say_new_failures_as_errors_first_and_old_ones_as_warnings() -> None:
    lines = workflow_commands(with_all()).splitlines()
    assert lines[0] == "::error file=tests/test_a.py,line=7,title=n::new: assert 1 == 2"
    assert lines[1] == "::error title=gone::new: main has this test, here it does not run"
    assert lines[2] == "::error title=types could not run::mypy is not installed"
    assert [line.split(" ")[0] for line in lines[3:]] == ["::error", "::warning", "::warning", "::notice"]


def test_no_more_than_ten_errors_and_ten_warnings_and_the_rest_is_counted() -> None:
    old = [failure(f"old{n}") for n in range(15)]
    new = [failure(f"new{n}") for n in range(15)]
    dead = CheckResult(check="types", status=CheckStatus.ERROR, reason="gone")
    said = about(failed(*old, *new), dead, before=Report(tree="b", results=(failed(*old),)))
    lines = workflow_commands(said).splitlines()
    errors = [line for line in lines if line.startswith("::error ")]
    assert len(errors) == 10
    assert "title=new8::" in errors[8]
    assert "types could not run" in errors[9]
    assert sum(line.startswith("::warning ") for line in lines) == 10
    assert "; 11 more findings in the summary of this step" in lines[-1]
    assert all(f"`old{n}" in summary(said) and f"`new{n}`" in summary(said) for n in range(15))


def test_nothing_in_a_name_or_message_ends_a_workflow_command_or_begins_another() -> None:
    hostile = failure(NASTY, message="50%\r\n::stop-commands::x\n##[error]", file="a,b:c%.py")
    lines = workflow_commands(about(failed(hostile))).split("\n")
    assert len(lines) == 3  # the failure, the ending, and nothing behind the last line break
    properties, _, message = lines[0].removeprefix("::error ").partition("::")
    assert properties.startswith("file=a%2Cb%3Ac%25.py,line=7,title=")
    assert properties.count(",") == 2
    assert ":" not in properties
    assert message == "50%25%0A::stop-commands::x%0A##[error]"


def test_the_summary_shows_new_failures_first_and_what_was_put_back() -> None:
    said = summary(with_all())
    titles = re.findall(r"^##+ (.*)", said, re.MULTILINE)
    assert titles == [
        "trueup: 1 new failure and 1 test gone against main · 5 tests, 3 fail",
        "New failures",
        "Gone: main has these tests, here they do not run",
        "Failing on main as well, in another way",
        "Failing on main as well",
        "To know",
    ]
    assert "conftest.py was checked as it is in main: steers the checks" in said


def test_an_excerpt_cannot_close_its_fence_and_a_name_cannot_leave_its_cell() -> None:
    hostile = failure("a|b`c", excerpt="````\n# not a title\n```")
    said = summary(about(failed(hostile, command="x | y `z`")))
    fence = re.search(r"^(`{3,})text\n(.*?)^\1$", said, re.MULTILINE | re.DOTALL)
    assert fence is not None
    assert fence[2] == "````\n# not a title\n```\n"
    row = next(line for line in said.splitlines() if line.startswith("| `tests`"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 5


def test_the_summary_stays_within_githubs_limit_and_says_what_is_left_out() -> None:
    many = [failure(f"é{n}", excerpt="é" * 5000) for n in range(400)]
    said = summary(about(failed(*many)))
    assert SUMMARY_BYTES - 12_000 < len(said.encode()) <= SUMMARY_BYTES
    assert "more left out" in said
    assert said.count("```") % 2 == 0
    assert summary(about(failed(*many)), room=10) == ""


# --- all of them -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [junit, sarif, workflow_commands, summary])
def test_hostile_names_and_texts_never_break_a_document_nor_draw_on_a_terminal(form: Any) -> None:
    hostile = failure(NASTY, message=NASTY, file=NASTY, source_line=NASTY, excerpt=NASTY, kind=NASTY, repro=NASTY)
    said = form(about(failed(hostile, reason=NASTY, command=NASTY, inventory=(NASTY,))))
    said.encode()  # no lone surrogate is left
    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", said) is None
    if form is junit:
        assert "\uffff" not in said
        assert len(ET.fromstring(said).findall(".//failure")) == 1
    if form is sarif:
        assert len(json.loads(said)["runs"][0]["results"]) == 1


@pytest.mark.parametrize("form", [junit, sarif, workflow_commands, summary])
def test_secrets_are_in_no_format_not_even_behind_colours(form: Any) -> None:
    hidden = f"{SECRET[:8]}\x1b[0m{SECRET[8:]}"
    leaky = failure(
        f"t[{hidden}]", message=hidden, file=f"{SECRET}.py", source_line=hidden, excerpt=hidden, kind=hidden
    )
    said = about(failed(leaky, command=hidden), void=hidden, home=SECRET)
    assert SECRET not in form(said, redact=Redactor([SECRET]).redact)
    assert SECRET in form(said)  # the test would notice


def test_the_headline_says_what_is_new_or_that_nothing_is() -> None:
    fine = CheckResult(check="lint", status=CheckStatus.PASSED, exit_code=0)
    assert headline(about(fine, exit_code=0)) == "passed · 1 check, none fails"
    against = about(fine, before=Report(tree="b", results=(fine,)), exit_code=0)
    assert headline(against) == "nothing new against main · 1 check, none fails"
    assert headline(replace(against, exit_code=4)).startswith("could not be checked against main")


def test_a_check_that_could_not_be_compared_is_remarked() -> None:
    dead = CheckResult(check="tests", status=CheckStatus.ERROR, reason="gone")
    keys = PutBack(path="pyproject.toml", why=PutBackWhy.KEYS, detail="tool.pytest")
    said = list(remarks(about(failed(failure()), before=Report(tree="b", results=(dead,)), put_back=(keys,))))
    assert said[0].startswith("tests could not be checked on main: whatever fails in it counts as new")
    assert said[1] == "pyproject.toml was checked with these settings of main: tool.pytest"
