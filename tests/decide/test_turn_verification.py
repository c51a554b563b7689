"""What did a turn prove about a check?"""

from __future__ import annotations

import pytest

from trueup.decide.commands import Declared
from trueup.decide.session import Doing, Turn
from trueup.decide.verification import checked, exit_code_of, told_exit_code

TESTS = (Declared(name="tests", command="pytest -q"),)
FAILED = "FAILED tests/test_a.py::test_a - assert 1 == 2\n1 failed, 2 passed in 0.12s\n"
PASSED = "3 passed in 0.10s\n"

RESULTS: list[tuple[str, str, str, int | None, bool | None, bool | None]] = [
    # what, command, output, exit code, failed, passed (None: nobody can tell)
    ("the exit code speaks", "pytest -q", PASSED, 0, False, True),
    ("also when it is not zero", "pytest -q", FAILED, 1, True, False),
    ("a failure that nobody can read is one", "pytest -q", "boom", 3, True, False),
    ("no test at all is no pass", "pytest -q", "no tests ran in 0.01s\n0 passed", 0, False, None),
    ("the tool is missing", "pytest -q", "bash: pytest: command not found", 127, True, None),
    ("and its exit code is not told", "pytest -q", "bash: line 3: pytest: command not found\n", None, True, None),
    ("only told to have failed", "pytest -q", FAILED, None, True, False),
    ("told nothing: the text decides", "pytest -q", FAILED, None, None, False),
    ("told nothing: the text passes", "pytest -q", PASSED, None, None, True),
    ("told nothing, by nobody known", "pytest -q", "hello", None, None, None),
    ("a success that is only claimed", "pytest -q", FAILED, None, False, False),
    ("a pipe hides a failure", "pytest -q | tail -20", FAILED, 0, False, False),
    ("a pipe hides a pass", "pytest -q | tail -20", PASSED, 0, False, True),
    ("only the count is left of it", "pytest -q | tail -1", "1 failed, 2 passed in 0.12s\n", 0, False, False),
    ("nothing is left of it", "pytest -q | tail -0", "", 0, False, None),
    ("nothing ran, behind a pipe", "pytest -q | cat", "no tests ran in 0.01s\n0 passed in 0.1s", 0, False, None),
    ("or true", "pytest -q || true", FAILED, 0, False, False),
    ("and then something else that fails", "pytest -q && false", PASSED, 1, True, True),
    ("and then something else that passes", "pytest -q && ls", "", 0, False, True),
    ("another command", "ls", PASSED, 0, False, None),
    ("Claude Code tells it in the text", "pytest -q", f"Exit code 1\n{FAILED}", None, True, False),
    ("Gemini calls it a success", "pytest -q", f"Output: {FAILED}\nExit Code: 1\n", None, False, False),
    ("mini", "pytest -q", f"<returncode>0</returncode>\n<output>\n{PASSED}</output>", None, None, True),
    ("Codex", "pytest -q", f"Process exited with code 1\nOutput:\n{FAILED}", None, None, False),
]


@pytest.mark.parametrize("row", RESULTS, ids=[row[0] for row in RESULTS])
def test_a_result_is_read_as_each_agent_reports_it(
    row: tuple[str, str, str, int | None, bool | None, bool | None],
) -> None:
    _, command, output, code, failed, passed = row
    turn = Turn(doing=Doing.RUN, args=command, output=output, exit_code=code, failed=failed)
    result = checked(turn, TESTS)
    assert (result.passed if result else None) is passed
    assert result is None or result.check == "tests"


def test_only_a_command_can_be_a_check() -> None:
    for doing in (Doing.SAY, Doing.READ, Doing.EDIT, Doing.OTHER):
        assert checked(Turn(doing=doing, args="pytest -q", output=PASSED, exit_code=0), TESTS) is None


def test_a_record_may_call_any_command_a_check_where_none_is_declared() -> None:
    turn = Turn(doing=Doing.RUN, args="python  repro.py", output="Traceback\nValueError: x", exit_code=1, verify=True)
    result = checked(turn)
    assert result is not None
    assert (result.check, result.passed) == ("python repro.py", False)
    assert checked(turn, TESTS) is None


def test_a_failure_keeps_the_identity_that_a_run_would_give_it() -> None:
    from trueup.evidence.fingerprint import fingerprint
    from trueup.evidence.text import failures_from_text

    result = checked(Turn(doing=Doing.RUN, args="pytest -q | tail", output=FAILED, exit_code=0), TESTS)
    assert result is not None
    wanted = failures_from_text("tests", FAILED, exit_code=1, sources=lambda _: None)
    assert [fingerprint(one) for one in result.failures] == [fingerprint(one) for one in wanted]


def test_an_exit_code_in_the_middle_of_an_output_is_not_the_command_s() -> None:
    assert exit_code_of(Turn(doing=Doing.RUN, output="it said\nExit code 3\n")) is None
    assert exit_code_of(Turn(doing=Doing.RUN, output="Exit code 3\nboom")) == 3


TOLD: list[tuple[str, int | None]] = [
    ("Exit code 3\nboom", 3),
    ("Exit code: 3", 3),
    ("Error: Exit code 3\nboom", 3),
    ("Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nExit Code: 0", 1),
    ("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nx", 2),
    ("<returncode>4</returncode>\n<output>\nx</output>", 4),
    ("Output: x\nExit Code: 5\nSignal: 0", 5),
    ("Exit Code: 0\nmore\nExit Code: 5", 5),
    ("boom\nCommand exited with code: 6", 6),
    ("boom\nexited with code 7", 7),
    ("boom\n<exited with exit code 8>", 8),
    ("boom\n<shellId: 4 completed with exit code 1>", 1),
    ("boom\n<shellId: dev_server exited with exit code 2>", 2),
    ("<command started in background with shellId: 4>", None),
    ("INFO worker exited with code 0", None),
    ("worker: Exit Code: 0", None),
    ("Exit Code: 0 of the worker", None),
    ("it said\nExit code 3", None),
    ("x <returncode>0</returncode>", None),
    ("Exit code 1234", None),
    ("", None),
]


@pytest.mark.parametrize(("output", "code"), TOLD)
def test_an_exit_code_is_read_from_words_only_where_a_program_puts_it(output: str, code: int | None) -> None:
    assert told_exit_code(output) == code
