"""`trueup fingerprint`, called as a user calls it: with a file, through a pipe, record by record."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LOG = "FAILED tests/test_cart.py::test_total - AssertionError: assert 3 == 4\n"
XML = (
    "<testsuite><testcase classname='tests.test_cart' name='test_total'><failure message='AssertionError: assert 3 == 4'>"
    "E   AssertionError: assert 3 == 4</failure></testcase></testsuite>"
)
PASSING_XML = "<testsuite><testcase classname='tests.test_cart' name='test_total'/></testsuite>"


def call(*args: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    argv = [sys.executable, "-m", "trueup", "fingerprint", *args]
    return subprocess.run(argv, input=given, capture_output=True, timeout=120, check=False)


def told(*args: str, given: bytes = b"") -> list[dict[str, Any]]:
    done = call(*args, given=given)
    assert done.returncode == 0, done.stderr.decode()
    failures: list[dict[str, Any]] = json.loads(done.stdout)["failures"]
    return failures


def test_a_log_is_told_with_its_identities(tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text(LOG)
    (failure,) = told("build.log", "-C", str(tmp_path), "--json")
    assert failure["subject"] == "tests/test_cart.py::test_total"
    assert (failure["kind"], failure["phase"], failure["test"]) == ("AssertionError", "run", True)
    assert failure["fingerprint"].startswith("f1n:")
    assert failure["evidence_id"].startswith("e1:")


def test_standard_input_is_read_and_need_not_be_utf_8() -> None:
    (failure,) = told(given=LOG.encode() + b"\xff\xfe caf\xe9\n")
    assert failure["subject"] == "tests/test_cart.py::test_total"


@pytest.mark.parametrize(("text", "subjects"), [(XML, ["tests.test_cart::test_total"]), (PASSING_XML, [])])
def test_a_report_is_known_by_its_shape_and_may_hold_nothing(text: str, subjects: list[str]) -> None:
    assert [f["subject"] for f in told(given=text.encode())] == subjects


def test_a_file_that_is_not_there_is_an_error_of_use(tmp_path: Path) -> None:
    done = call("nothing.log", "-C", str(tmp_path))
    assert done.returncode == 2
    assert b"nothing.log cannot be read" in done.stderr


def test_each_record_gets_one_line_in_its_order() -> None:
    records: list[bytes] = [
        json.dumps({"command": "pytest", "exit_code": 1, "output": LOG}).encode(),
        b"{broken",
        b'{"command": "x"}',
        json.dumps({"command": "pytest", "exit_code": 0, "output": "1 passed"}).encode(),
        json.dumps({"exit_code": 1, "output": "moon\n", "junit_xml": XML}).encode(),
        json.dumps({"exit_code": 1, "output": LOG, "junit_xml": PASSING_XML}).encode(),
        json.dumps({"exit_code": "odd", "output": LOG, "junit_xml": 3}).encode(),
        b"[" * 100_000,
    ]
    done = call("--jsonl", given=b"\n".join(records) + b"\n")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    log, *_ = answers
    assert done.returncode == 0
    assert [len(answer) for answer in answers] == [1, 0, 0, 0, 1, 1, 1, 0]
    assert answers[4] != log
    assert answers[5] == answers[6] == log, "a report without failures explains no exit code"
    assert done.stderr.decode().count("line ") >= 3
    assert "line 2: no JSON" in done.stderr.decode()


def test_without_xml_the_text_speaks() -> None:
    record = json.dumps({"exit_code": 1, "output": LOG, "junit_xml": XML}).encode()
    plain = json.dumps({"exit_code": 1, "output": LOG}).encode()
    assert call("--jsonl", "--no-xml", given=record).stdout == call("--jsonl", given=plain).stdout
    assert call("--jsonl", given=record).stdout != call("--jsonl", given=plain).stdout


def test_answers_come_before_the_next_record_is_asked() -> None:
    argv = [sys.executable, "-m", "trueup", "fingerprint", "--jsonl"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({"exit_code": 1, "output": LOG}).encode() + b"\n")
        process.stdin.flush()
        assert len(json.loads(process.stdout.readline())) == 1
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_records_longer_than_what_is_read_at_once_and_one_without_a_line_end_are_whole() -> None:
    long = json.dumps({"exit_code": 1, "output": "x" * 600_000 + "\n" + LOG}).encode()
    short = json.dumps({"exit_code": 1, "output": LOG}).encode()
    done = call("--jsonl", given=b"\n".join([short, long, b"", short]))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers == [answers[0], answers[0], [], answers[0]]
    assert len(answers[0]) == 1
    assert "line 3: no JSON" in done.stderr.decode()
    assert call("--jsonl", given=b"").stdout == b""


def test_the_same_text_again_gets_the_same_answer_and_another_exit_code_its_own() -> None:
    stamped = "".join(f"2026-11-18T10:00:0{n}.1234567Z {line}\n" for n, line in enumerate(LOG.splitlines()))
    outputs = [(LOG, 1), (f"\x1b[31m{LOG}\x1b[0m", 1), (LOG.replace("\n", "\r\n"), 1), (stamped, 1), ("", 1), ("", 2)]
    records = [json.dumps({"exit_code": code, "output": output}) for output, code in (*outputs, *outputs)]
    done = call("--jsonl", given="\n".join(records).encode())
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[:6] == answers[6:]
    assert answers[0] == answers[1] == answers[2] == answers[3]
    assert answers[4] != answers[5], "nothing but the exit code tells these two apart"


def test_a_line_with_two_values_is_no_record() -> None:
    record = json.dumps({"exit_code": 1, "output": LOG})
    done = call("--jsonl", given=f"{record} {record}\n".encode())
    assert done.stdout == b"[]\n"
    assert b"line 1: no JSON: more than one value" in done.stderr


@pytest.mark.parametrize("more", [(), ("-C", ".")], ids=["as a filter", "with other options"])
def test_a_file_without_any_record_is_a_usage_error(more: tuple[str, ...]) -> None:
    done = call("--jsonl", *more, given=b"a log\nof two lines\n")
    assert done.returncode == 2
    assert done.stdout == b"[]\n[]\n"
    assert b"trueup: no line is a record" in done.stderr


def test_a_dash_is_standard_input() -> None:
    assert call("-", given=LOG.encode()).stdout == call(given=LOG.encode()).stdout
