"""A check that decides: the file of this very run counts, and only as one more condition beside its exit code."""

from __future__ import annotations

import os
from typing import Any

import pytest

from trueup.decide.task import CheckSpec
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.report.seen import decision_words, ignored_decisions

FILE = "build/decision.json"
DECIDE = """\
import json, os, sys
told = {"decision": sys.argv[1], "check_id": os.environ["TRUEUP_CHECK_ID"], "nonce": os.environ["TRUEUP_DECISION_NONCE"]}
told.update(json.loads(sys.argv[2]) if len(sys.argv) > 2 else {})
open(os.environ["TRUEUP_DECISION_FILE"], "w").write(json.dumps(told))
"""
FILES = {"decide.py": DECIDE, "main.txt": "hello\n"}
PASS, FAIL = "python -S decide.py pass", "python -S decide.py fail"
OLD = '{"decision": "pass", "check_id": "tests", "nonce": "00"}'


def asked(lab: Any, command: str, files: Any = None, **more: Any) -> CheckResult:
    (result,) = reported(lab, command, files, **more).results
    assert isinstance(result, CheckResult)
    return result


def reported(lab: Any, command: str, files: Any = None, *, words: bool = False, file: str | None = FILE) -> Report:
    check = CheckSpec(name="tests", run=command, decision_file=file, decision_words=words)
    report = lab.report({**FILES, **(files or {})}, check)
    assert isinstance(report, Report)
    return report


# --- a decision is one more condition ------------------------------------------------------------------------


def test_a_pass_with_exit_code_0_passes_and_is_told(lab: Any) -> None:
    report = reported(lab, PASS)
    (result,) = report.results
    assert (result.status, result.decision) == (CheckStatus.PASSED, "pass (build/decision.json)")
    assert decision_words(result) == "decision: pass (build/decision.json)"
    assert list(ignored_decisions(report)) == []
    assert report.void == ""
    assert not report.void
    assert all(r.ran for r in report.results)
    assert (lab.base / "logs" / result.log).read_text().endswith("[trueup] decision: pass (build/decision.json)\n")


def test_a_fail_fails_although_the_exit_code_is_0_with_its_reasons_as_failures(lab: Any) -> None:
    result = asked(lab, f"""{FAIL} '{{"reasons": ["the page has no title", "the logo is missing"]}}'""")
    assert (result.status, result.exit_code) == (CheckStatus.FAILED, 0)
    assert [f.message for f in result.failures] == ["the page has no title", "the logo is missing"]
    assert result.decision == "fail, 2 reasons (build/decision.json)"


def test_a_fail_without_a_reason_is_explained_by_the_output(lab: Any) -> None:
    result = asked(lab, f"echo 'the page has no title' && {FAIL}")
    assert result.status is CheckStatus.FAILED
    (failure,) = result.failures
    assert "the page has no title" in failure.excerpt
    assert result.decision == "fail, no reason given (build/decision.json)"


@pytest.mark.parametrize("how", ["file", "words", "both"])
def test_a_pass_never_turns_a_red_check_green(how: str, lab: Any) -> None:
    said = {"file": PASS, "words": "echo PASS", "both": f"{PASS}; echo PASS"}[how]
    report = reported(lab, f"{said}; exit 3", words=True)
    (result,) = report.results
    assert (result.status, result.exit_code) == (CheckStatus.FAILED, 3)
    assert result.failures
    assert decision_words(result).endswith("; what failed outweighs it")
    assert list(ignored_decisions(report)) == [f"tests: {decision_words(result)}"]


def test_a_pass_outweighs_no_failing_test(lab: Any) -> None:
    """pytest is seen through, whatever the command says in the end."""
    files = {"test_a.py": "def test_a(): assert 1 == 2\ndef test_b(): pass\n"}
    result = asked(lab, f"pytest -q -p no:cacheprovider; {PASS}", files)
    assert result.status is CheckStatus.FAILED
    assert [f.subject for f in result.failures] == ["test_a.py::test_a"]


def test_a_fail_joins_what_a_runner_saw(lab: Any) -> None:
    files = {"test_a.py": "def test_a(): assert 1 == 2\ndef test_b(): pass\n"}
    command = f"""pytest -q -p no:cacheprovider; {FAIL} '{{"reasons": ["too slow"], "fingerprints": ["slow"]}}'"""
    result = asked(lab, command, files)
    assert [f.subject for f in result.failures] == ["test_a.py::test_a", "decision:slow"]


def test_a_fail_makes_green_tests_red(lab: Any) -> None:
    files = {"test_b.py": "def test_b(): pass\n"}
    result = asked(lab, f"""pytest -q -p no:cacheprovider && {FAIL} '{{"reasons": ["too slow"]}}'""", files)
    assert (result.status, result.passed) == (CheckStatus.FAILED, ("test_b.py::test_b",))
    assert [f.message for f in result.failures] == ["too slow"]


def test_the_reasons_of_a_check_that_timed_out_are_kept(lab: Any) -> None:
    command = f"""{FAIL} '{{"reasons": ["too slow"]}}' && sleep 60"""
    check = CheckSpec(name="tests", run=command, decision_file=FILE, timeout=8.0)
    (result,) = lab.report(FILES, check).results
    assert result.status is CheckStatus.TIMEOUT
    assert [f.message for f in result.failures] == ["too slow", "not finished in time"]


def test_the_same_fingerprints_are_the_same_failure_in_other_words(lab: Any) -> None:
    told = [
        asked(lab, f"""{FAIL} '{{"reasons": ["{words}"], "fingerprints": ["no-title"]}}'""")
        for words in ("no title", "the title is still not there")
    ]
    first, second = (fingerprint(result.failures[0]) for result in told)
    assert first == second


# --- what is ignored, and why --------------------------------------------------------------------------------

WRITE = f"mkdir -p build && cat > {FILE}"
IGNORED = {
    "nothing written": ("true", "the check did not write build/decision.json"),
    "an old nonce": (f"cp old.json {FILE}", "its nonce is not that of this run"),
    "no nonce": (f"""echo '{{"decision": "pass", "check_id": "tests"}}' > {FILE}""", "it has no nonce"),
    "before the start": (f"{PASS} && touch -d '1 hour ago' {FILE}", "it was written before the check started"),
    "from the future": (f"{PASS} && touch -d '1 hour' {FILE}", "it is dated in the future"),
    "fenced": (f"{PASS} && printf '```json\\n%s\\n```\\n' \"$(cat {FILE})\" > {FILE}", "it is fenced in markdown"),
    "truncated": (f"{PASS} && truncate -s -1 {FILE}", "it ends too early"),
    "too large": (f"{PASS} && head -c 1000001 /dev/zero | tr '\\0' ' ' >> {FILE}", "it is larger than 1 MB"),
    "a link": (f"{PASS} && mv {FILE} x && ln -s ../x {FILE}", "it is a link, a pipe or a folder"),
    "a pipe": (f"mkfifo {FILE}", "it is a link, a pipe or a folder"),
    "a folder": (f"mkdir {FILE}", "it is a link, a pipe or a folder"),
    "a folder that is a link": (f"{PASS} && mv build away && ln -s away build", "links are not followed"),
}


@pytest.mark.parametrize("case", IGNORED)
def test_what_is_no_decision_of_this_run_is_ignored_with_its_reason_and_is_no_pass(case: str, lab: Any) -> None:
    command, why = IGNORED[case]
    report = reported(lab, command, {"old.json": OLD})
    (result,) = report.results
    assert result.status is CheckStatus.ERROR, "exit code 0 and no decision: unknown is never a pass"
    assert result.decision.startswith("none: ")
    assert why in result.decision
    assert why in result.reason
    assert not report.all_passed
    assert why in (lab.base / "logs" / result.log).read_text()


def test_of_a_red_check_the_ignored_decision_is_shown_beside_its_failure(lab: Any) -> None:
    report = reported(lab, f"cp old.json {FILE}; echo broken; exit 1", {"old.json": OLD})
    (result,) = report.results
    assert result.status is CheckStatus.FAILED
    assert list(ignored_decisions(report)) == [
        "tests: decision: none: build/decision.json was ignored: its nonce is not that of this run"
    ]


def test_a_file_that_lies_there_before_is_removed_and_put_back_afterwards(lab: Any) -> None:
    """Of the tree: what is handed back has it as it was."""
    report = reported(lab, f"test ! -e {FILE}", {FILE: OLD})
    assert "the check did not write build/decision.json" in report.results[0].reason
    assert (lab.bench.folder / FILE).read_text() == OLD
    report = reported(lab, PASS, {FILE: OLD})
    assert (report.results[0].status, report.void) == (CheckStatus.PASSED, "")
    assert (lab.bench.folder / FILE).read_text() == OLD


def test_the_file_of_one_check_says_nothing_about_the_next(lab: Any) -> None:
    first = CheckSpec(name="first", run=PASS, decision_file=FILE)
    second = CheckSpec(name="second", run="true", decision_file=FILE)
    one, two = lab.report(FILES, first, second).results
    assert (one.status, two.status) == (CheckStatus.PASSED, CheckStatus.ERROR)
    assert not (lab.bench.folder / FILE).exists()


def test_every_run_has_a_nonce_of_its_own_and_only_declared_checks_are_told_it(lab: Any) -> None:
    shows = "env | grep ^TRUEUP_ | sort; true"
    checks = [
        CheckSpec(name="decides", run=shows, decision_file=FILE),
        CheckSpec(name="again", run=shows, decision_file=FILE),
        CheckSpec(name="speaks", run=shows, decision_words=True),
        CheckSpec(name="plain", run=shows),
    ]
    logs = [(lab.base / "logs" / r.log).read_text() for r in lab.report(FILES, *checks).results]
    told = [dict(line.split("=", 1) for line in log.splitlines() if line.startswith("TRUEUP_")) for log in logs]
    assert told[0]["TRUEUP_DECISION_FILE"] == os.fspath(lab.bench.folder / FILE)
    assert told[0]["TRUEUP_CHECK_ID"] == "decides"
    assert len({told[0]["TRUEUP_DECISION_NONCE"], told[1]["TRUEUP_DECISION_NONCE"]}) == 2
    assert told[2] == {"TRUEUP_CHECK_ID": "speaks"}
    assert told[3] == {}


# --- the words -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("echo PASS", CheckStatus.PASSED),
        ("echo COMPLETE", CheckStatus.PASSED),
        ("echo looking; echo FAIL", CheckStatus.FAILED),
        ("echo INCOMPLETE", CheckStatus.FAILED),
        ("echo PASS; echo FAIL", CheckStatus.FAILED),
        ("echo 'PASS rate 90%'", CheckStatus.ERROR),
        ("echo 'Complete the remaining work: 3 tests fail'", CheckStatus.ERROR),
        ("echo 'I cannot say LGTM'", CheckStatus.ERROR),
        ("true", CheckStatus.ERROR),
        ("yes PASS | head -c 9000000", CheckStatus.ERROR),
    ],
)
def test_words_count_as_whole_lines_of_a_check_that_was_declared(lab: Any, command: str, status: CheckStatus) -> None:
    assert asked(lab, command, words=True, file=None).status is status


@pytest.mark.parametrize("word", ["FAIL", "INCOMPLETE"])
def test_words_of_a_check_that_was_not_declared_are_words(lab: Any, word: str) -> None:
    result = asked(lab, f"echo {word}", file=None)
    assert (result.status, result.decision) == (CheckStatus.PASSED, "")


def test_the_file_goes_first_and_words_do_not_make_up_for_a_wrong_one(lab: Any) -> None:
    assert asked(lab, f"{FAIL}; echo PASS", words=True).status is CheckStatus.FAILED
    assert asked(lab, f"cp old.json {FILE}; echo PASS", {"old.json": OLD}, words=True).status is CheckStatus.ERROR
    result = asked(lab, "echo PASS", words=True)
    assert (result.status, result.decision) == (CheckStatus.PASSED, "pass (its output)"), "there is no file"
