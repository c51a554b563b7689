"""A tool that is content with nothing: its own count is asked where its tests are not seen."""

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
