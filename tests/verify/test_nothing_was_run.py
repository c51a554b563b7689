"""A tool that is content with nothing: its own count is asked where its tests are not seen."""

import shutil
from typing import Any

import pytest

from trueup.evidence.report import CheckStatus

NOTHING = ("0 examples, 0 failures", "No tests executed!", "1..0", "No tests were found!!!")


@pytest.mark.parametrize("said", NOTHING)
def test_exit_code_0_with_no_test_at_all_is_no_pass(lab: Any, said: str) -> None:
    result = lab.check({"said.txt": f"{said}\n"}, "cat said.txt")
    assert (result.status, result.reason) == (CheckStatus.ERROR, "no tests were collected")


def test_one_tool_without_tests_beside_another_with_some_is_a_pass(lab: Any) -> None:
    result = lab.check({"said.txt": "[INFO] No tests to run.\n[INFO] Tests run: 3, Failures: 0\n"}, "cat said.txt")
    assert result.status is CheckStatus.PASSED


def test_a_tool_that_fails_before_its_first_test_is_a_failure_to_repair(lab: Any) -> None:
    said = {"said.txt": "calc.rb:2: syntax error\n0 examples, 0 failures, 1 error occurred outside of examples\n"}
    result = lab.check(said, "sh -c 'cat said.txt; exit 1'")
    assert result.status is CheckStatus.FAILED


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_program_that_is_missing_behind_make_is_an_error_with_its_name(lab: Any) -> None:
    result = lab.check({"Makefile": "check:\n\tno-such-linter --all\n"}, "make check")
    assert (result.status, result.reason) == (CheckStatus.ERROR, "no-such-linter could not be run (exit code 127)")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_what_a_test_prints_does_not_turn_its_failure_into_a_missing_program(lab: Any) -> None:
    printed = "/bin/sh: 1: tool: not found\nmake: *** [Makefile:2: check] Error 127\nnot ok 1 - adds\n1..1\n"
    result = lab.check({"Makefile": "check:\n\t@cat said.txt; exit 1\n", "said.txt": printed}, "make check")
    assert (result.status, [f.subject for f in result.failures]) == (CheckStatus.FAILED, ["adds"])


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_failure_beside_a_missing_program_is_a_failure(lab: Any) -> None:
    makefile = "check: lint tests\nlint:\n\tno-such-linter\ntests:\n\t@echo 'not ok 1 - adds'; echo 1..1; exit 1\n"
    result = lab.check({"Makefile": makefile}, "make -k check")
    assert (result.status, [f.subject for f in result.failures]) == (CheckStatus.FAILED, ["adds"])


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_program_that_is_missing_behind_make_behind_make_is_an_error_too(lab: Any) -> None:
    files = {"Makefile": "check:\n\t$(MAKE) -C sub\n", "sub/Makefile": "all:\n\tno-such-linter\n"}
    assert lab.check(files, "make check").reason == "no-such-linter could not be run (exit code 127)"


@pytest.mark.parametrize("command", ["pytest -q (", "echo begun; set -o no-such-option; pytest -q"])
def test_a_command_that_the_shell_does_not_understand_is_an_error(lab: Any, command: str) -> None:
    result = lab.check({"test_a.py": "def test_a(): pass\n"}, command)
    assert result.status is CheckStatus.ERROR
    assert result.reason.startswith("/bin/sh does not understand the command: ")


def test_a_script_of_the_project_that_a_shell_does_not_understand_is_a_failure_to_repair(lab: Any) -> None:
    result = lab.check({"check.sh": "echo (\n"}, "cd . && sh check.sh")
    assert result.status is CheckStatus.FAILED


def test_a_program_that_is_missing_behind_tests_that_pass_is_an_error_with_its_name(lab: Any) -> None:
    result = lab.check({"test_a.py": "def test_a(): pass\n"}, "pytest -q && no-such-linter")
    assert (result.status, result.reason) == (CheckStatus.ERROR, "no-such-linter could not be run (exit code 127)")


def test_tests_that_fail_count_although_a_program_behind_them_is_missing(lab: Any) -> None:
    result = lab.check({"test_a.py": "def test_a(): assert 0\n"}, "pytest -q; no-such-linter")
    assert [f.subject for f in result.failures] == ["test_a.py::test_a"]


def test_tests_that_were_only_collected_are_told_as_such(lab: Any) -> None:
    result = lab.check({"test_a.py": "def test_a(): pass\n"}, "pytest --collect-only")
    assert (result.status, result.reason) == (CheckStatus.ERROR, "no test ran: 1 were only collected")


def test_what_was_ended_by_a_signal_is_told_by_its_name(lab: Any) -> None:
    (failure,) = lab.check({"a": "x\n"}, "sh -c 'kill -KILL $$'").failures
    assert (failure.kind, failure.message) == ("unparsed", "ended by SIGKILL")


def test_paths_of_the_copy_are_told_as_paths_of_the_project(lab: Any) -> None:
    program = "import pathlib; print(f'error: {pathlib.Path(\"sub/x.cfg\").resolve()} is broken'); exit(1)\n"
    (failure,) = lab.check({"say.py": program}, "python say.py").failures
    assert failure.excerpt == "error: sub/x.cfg is broken"
