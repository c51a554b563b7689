"""Report files as evidence: only those that this very run wrote, and only from the bench."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from trueup import Check
from trueup.config.file import parse_config
from trueup.config.starter import starter_config
from trueup.decide.task import CheckSpec
from trueup.errors import UsageError
from trueup.evidence.report import CheckStatus, SeenBy, Strength

GOOD = "<testsuite><testcase classname='a' name='one'/><testcase classname='a' name='two'/></testsuite>"
BAD = GOOD.replace("name='two'/>", "name='two'><failure message='no'>src/a.c:1: no</failure></testcase>")
WRITE = """
    import pathlib, sys
    code, *reports = sys.argv[1:]
    for number, text in enumerate(reports):
        path = pathlib.Path(f"out/{number}.xml")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    print("error: something went wrong" if code != "0" else "fine")
    sys.exit(int(code))
"""


def _check(lab: Any, code: int, *reports: str, files: dict[str, str] | None = None, kind: str = "junit") -> Any:
    run = (sys.executable, "-S", "write.py", str(code), *reports)
    spec = CheckSpec(name="tests", run=run, report=f"{kind}:out/*.xml")
    (result,) = lab.report({"write.py": WRITE, **(files or {})}, spec).results
    return result


def test_a_report_of_this_run_is_the_inventory(lab: Any) -> None:
    result = _check(lab, 0, GOOD, GOOD.replace("'a'", "'b'"))
    assert (result.status, result.strength, result.seen_by) == (
        CheckStatus.PASSED,
        Strength.INVENTORY,
        SeenBy.REPORT,
    )
    assert result.inventory == result.passed == ("a::one", "a::two", "b::one", "b::two")


@pytest.mark.parametrize("code", [0, 1])
def test_a_failure_in_the_report_counts_whatever_the_exit_code_says(lab: Any, code: int) -> None:
    result = _check(lab, code, BAD)
    assert result.status is CheckStatus.FAILED
    assert [(f.subject, f.message, f.test) for f in result.failures] == [("a::two", "no", True)]
    assert result.passed == ("a::one",)


def test_an_exit_code_that_the_report_does_not_explain_is_read_from_the_text(lab: Any) -> None:
    result = _check(lab, 2, GOOD)
    assert result.status is CheckStatus.FAILED
    assert "something went wrong" in result.failures[0].excerpt
    assert result.passed == ("a::one", "a::two")


def test_without_a_report_exit_code_0_means_nothing_and_another_one_is_a_failure(lab: Any) -> None:
    silent = _check(lab, 0)
    assert silent.status is CheckStatus.ERROR
    assert "wrote no report file (out/*.xml)" in silent.reason
    failed = _check(lab, 1)
    assert (failed.status, failed.seen_by) == (CheckStatus.FAILED, SeenBy.TEXT)


def test_a_report_from_before_is_no_evidence(lab: Any) -> None:
    result = _check(lab, 0, files={"out/0.xml": GOOD})
    assert result.status is CheckStatus.ERROR
    assert "no report file" in result.reason
    assert _check(lab, 1, files={"out/0.xml": BAD}).failures[0].subject == ""


@pytest.mark.parametrize("text", ["", "<testsuite>", "<!DOCTYPE a><testsuite/>", "<html/>"])
def test_a_report_that_cannot_be_read_is_no_pass(lab: Any, text: str) -> None:
    result = _check(lab, 0, GOOD, text)
    assert result.status is CheckStatus.ERROR
    assert "out/1.xml" in result.reason
    assert _check(lab, 1, BAD, text).failures[0].subject == "a::two"


def test_a_report_without_tests_is_no_pass(lab: Any) -> None:
    result = _check(lab, 0, "<testsuite/>")
    assert (result.status, result.reason) == (CheckStatus.ERROR, "no tests were collected")


def test_files_outside_the_project_are_never_read(lab: Any, tmp_path: Path) -> None:
    (tmp_path / "0.xml").write_text(GOOD)
    link = f"import os; os.mkdir('out'); os.symlink({str(tmp_path / '0.xml')!r}, 'out/0.xml')"
    spec = CheckSpec(name="tests", run=(sys.executable, "-S", "-c", link), report="junit:out/*.xml")
    (result,) = lab.report({"a.txt": "a"}, spec).results
    assert result.status is CheckStatus.ERROR
    folder = f"import os; os.symlink({str(tmp_path)!r}, 'out')"
    spec = CheckSpec(name="tests", run=(sys.executable, "-S", "-c", folder), report="junit:out/*.xml")
    (result,) = lab.report({"a.txt": "a"}, spec).results
    assert result.status is CheckStatus.ERROR


def test_sarif_and_tap_tell_failures_without_an_inventory(lab: Any) -> None:
    complaint = '{"runs": [{"results": [{"ruleId": "R1", "level": "error", "message": {"text": "bad"}}]}]}'
    result = _check(lab, 0, complaint, kind="sarif")
    assert (result.status, result.inventory, result.seen_by) == (CheckStatus.FAILED, None, SeenBy.REPORT)
    assert [f.kind for f in result.failures] == ["R1"]
    fine = _check(lab, 0, "1..1\nok 1 - a\n", kind="tap")
    assert (fine.status, fine.strength) == (CheckStatus.PASSED, Strength.EXIT_CODE)


def test_secrets_in_a_report_are_taken_out_of_names_and_messages(lab: Any) -> None:
    text = BAD.replace("name='two'", "name='two[hunter22]'").replace("message='no'", "message='hunter22'")
    spec = CheckSpec(name="tests", run=(sys.executable, "-S", "write.py", "1", text), report="junit:out/*.xml")
    (result,) = lab.report({"write.py": WRITE}, spec, redact=lambda said: said.replace("hunter22", "•")).results
    assert "hunter22" not in repr((result.failures, result.inventory, result.passed))


def test_what_pytest_tells_by_itself_stays_and_the_report_is_owed_all_the_same(lab: Any) -> None:
    files = {"test_a.py": "def test_a(): pass\n"}
    spec = CheckSpec(name="tests", run="pytest -q -p no:cacheprovider --junitxml=out/a.xml", report="junit:out/*.xml")
    (result,) = lab.report(files, spec).results
    assert (result.passed, result.seen_by) == (("test_a.py::test_a",), SeenBy.STRUCTURE)
    owed = CheckSpec(name="tests", run="pytest -q -p no:cacheprovider", report="junit:out/*.xml")
    (missing,) = lab.report(files, owed).results
    assert missing.status is CheckStatus.ERROR


def test_a_report_adds_failures_to_what_a_runner_saw(lab: Any) -> None:
    files = {"test_a.py": "def test_a(): pass\n", "write.py": WRITE}
    run = f"pytest -q -p no:cacheprovider && python -S write.py 0 '{BAD.replace(chr(39), chr(34))}'"
    (result,) = lab.report(files, CheckSpec(name="tests", run=run, report="junit:out/*.xml")).results
    assert result.status is CheckStatus.FAILED
    assert [f.subject for f in result.failures] == ["a::two"]


def test_a_report_of_another_tool_is_heard_beside_failing_tests(lab: Any) -> None:
    """`pytest; other-tool`: an old failure in pytest hid all that the other tool's report says."""
    files = {"test_a.py": "def test_a(): pass\ndef test_old(): assert 0\n", "write.py": WRITE}
    run = f"pytest -q -p no:cacheprovider; python -S write.py 0 '{BAD.replace(chr(39), chr(34))}'"
    (result,) = lab.report(files, CheckSpec(name="tests", run=run, report="junit:out/*.xml")).results
    assert [(f.subject, f.test) for f in result.failures] == [("test_a.py::test_old", True), ("a::two", True)]
    assert result.inventory == ("test_a.py::test_a", "test_a.py::test_old", "a::two", "a::one")
    assert (result.passed, result.strength) == (("test_a.py::test_a", "a::one"), Strength.INVENTORY)


def test_a_report_beside_complaints_names_its_tests(lab: Any) -> None:
    run = f"ruff check --isolated a.py; python -S write.py 1 '{GOOD.replace(chr(39), chr(34))}'"
    files = {"a.py": "import os\n", "write.py": WRITE}
    (result,) = lab.report(files, CheckSpec(name="tests", run=run, report="junit:out/*.xml")).results
    assert [f.subject for f in result.failures] == ["a.py F401"]
    assert (result.inventory, result.strength) == (("a::one", "a::two"), Strength.INVENTORY)


def test_a_complaint_about_a_file_hides_no_failing_test_of_that_name(lab: Any) -> None:
    run = f"ruff check --isolated a/two.py; python -S write.py 1 '{BAD.replace(chr(39), chr(34))}'"
    files = {"a/two.py": "import os\n", "write.py": WRITE}
    (result,) = lab.report(files, CheckSpec(name="tests", run=run, report="junit:out/*.xml")).results
    assert [f.subject for f in result.failures] == ["a/two.py F401", "a::two"]


def test_complaints_in_a_report_are_heard_beside_failing_tests(lab: Any) -> None:
    place = '{"physicalLocation":{"artifactLocation":{"uri":"test_a.py"},"region":{"startLine":1}}}'
    found = f'{{"ruleId":"R1","level":"error","message":{{"text":"no"}},"locations":[{place}]}}'
    sarif = f'{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"x"}}}},"results":[{found}]}}]}}'
    files = {"test_a.py": "def test_old(): assert 0\n", "write.py": WRITE}
    run = f"pytest -q -p no:cacheprovider; python -S write.py 1 '{sarif}'"
    (result,) = lab.report(files, CheckSpec(name="tests", run=run, report="sarif:out/*.xml")).results
    assert [f.subject for f in result.failures] == ["test_a.py::test_old", "test_a.py R1"]
    assert result.inventory == ("test_a.py::test_old",)


OWN = """
    import pytest, unittest

    @pytest.mark.parametrize("x", ["1-2", "a b/c.d", "é"])
    def test_p(x): assert x != "1-2"

    class TestK:
        def test_m(self): assert 0
        @pytest.mark.xfail
        def test_x(self): assert 0

    class TestU(unittest.TestCase):
        @unittest.skip("no")
        def test_s(self): pass

    @pytest.fixture
    def bad():
        yield
        assert 0

    def test_cleaning_up(bad): pass
"""


def test_the_report_that_pytest_itself_wrote_adds_nothing(lab: Any) -> None:
    files = {"sub/test_a.py": OWN, "sub/test_b.py": "import nothing_like_it\n"}
    run = "cd sub && pytest -q -p no:cacheprovider --continue-on-collection-errors"
    (alone,) = lab.report(files, CheckSpec(name="tests", run=run)).results
    spec = CheckSpec(name="tests", run=f"{run} --junitxml=../out/a.xml", report="junit:out/*.xml")
    (both,) = lab.report(files, spec).results
    assert len(alone.failures) == 4
    assert [f.subject for f in both.failures] == [f.subject for f in alone.failures]
    assert (both.inventory, both.passed, both.skipped) == (alone.inventory, alone.passed, alone.skipped)


# --- how it is asked for ---------------------------------------------------------------------------------------


def test_the_configuration_and_the_library_take_a_report() -> None:
    text = b'[[check]]\nrun = "make test"\nreport = "junit:build/**/TEST-*.xml"\n'
    assert parse_config(text, "trueup.toml")["check"][0]["report"] == "junit:build/**/TEST-*.xml"
    assert Check("make test", report="sarif:out.json").report == "sarif:out.json"
    starter = starter_config([CheckSpec(name="t", run="make", report="tap:a.tap")], ())
    assert 'report = "tap:a.tap"' in starter


@pytest.mark.parametrize(
    "value",
    [
        *("junit", "junit:", "xml:a.xml", "junit:/etc/passwd", "junit:../a.xml", "junit:~/a.xml", "junit:a/../b.xml"),
        *("junit:a\\b.xml", "junit:a**.xml", "junit:a//b.xml", "junit: ", ":a.xml", "junit:a\0b"),
    ],
)
def test_a_report_elsewhere_or_of_an_unknown_kind_is_refused(value: str) -> None:
    with pytest.raises(UsageError, match="report"):
        Check("make test", report=value)
