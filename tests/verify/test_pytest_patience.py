"""A test that never ends is ended alone, where a limit for each test is given: those after it are seen as well."""

from __future__ import annotations

from typing import Any

import pytest

from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckStatus

LIMIT = {"tests": 2.0}
HANGING = {
    "loops.py": """
        def drain(n):
            while n:
                n ^= n - 1
            return 0
    """,
    "test_loops.py": """
        import time

        from loops import drain

        def test_ends():
            assert drain(0) == 0

        def test_hangs():
            assert drain(5) == 0

        def test_sleeps():
            time.sleep(3600)

        def test_fails():
            assert drain(0) == 1
    """,
}


def test_what_hangs_fails_by_itself_and_what_follows_is_seen(lab: Any) -> None:
    result = lab.check(HANGING, patience=LIMIT)
    assert result.status is CheckStatus.FAILED
    assert result.passed == ("test_loops.py::test_ends",)
    kinds = {f.subject.partition("::")[2]: f.kind for f in result.failures}
    assert kinds == {"test_hangs": "timeout", "test_sleeps": "timeout", "test_fails": "AssertionError"}
    hanging = next(f for f in result.failures if f.subject.endswith("test_hangs"))
    assert (hanging.message, hanging.file) == ("not finished in time", "loops.py")
    assert hanging.repro == "pytest test_loops.py::test_hangs"


def test_wherever_it_was_ended_it_is_the_same_failure(lab: Any) -> None:
    first, second = (lab.check(HANGING, patience=LIMIT) for _ in range(2))
    assert [fingerprint(f) for f in first.failures] == [fingerprint(f) for f in second.failures]


STUBBORN = {
    "swallows": "while True:\n        try:\n            time.sleep(0.01)\n        except Exception:\n            pass",
    "swallows all": """for n in range(10**9):
        try:
            time.sleep(0.01)
        except BaseException:
            if n < 5:
                continue
            raise""",
    "awaits": "asyncio.run(asyncio.Event().wait())",
    "joins": "thread = threading.Thread(target=time.sleep, args=(30,), daemon=True); thread.start(); thread.join()",
    "in a fixture": "forever",
}


@pytest.mark.parametrize("body", STUBBORN.values(), ids=STUBBORN.keys())
def test_it_is_ended_whatever_it_waits_for(lab: Any, body: str) -> None:
    wanted, body = ("forever", "pass") if body == "forever" else ("", body)
    text = (
        "import asyncio, threading, time\nimport pytest\n\n"
        "@pytest.fixture\ndef forever():\n    while True:\n        pass\n\n"
        f"def test_it({wanted}):\n    {body}\n\ndef test_next():\n    pass\n"
    )
    result = lab.check({"test_a.py": text}, patience=LIMIT)
    assert [(f.subject, f.kind) for f in result.failures] == [("test_a.py::test_it", "timeout")]
    assert result.passed == ("test_a.py::test_next",)


def test_an_alarm_of_the_tests_own_is_left_alone(lab: Any) -> None:
    files = {
        "test_a.py": """
            import signal

            rung = []

            def test_alarm():
                signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                signal.pause()
                assert rung == [1]

            def test_still_theirs():
                assert signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL
                signal.signal(signal.SIGALRM, signal.SIG_DFL)

            def test_free_again():
                pass
        """
    }
    result = lab.check(files, patience=LIMIT)
    assert result.status is CheckStatus.PASSED, result.failures


def test_without_a_limit_a_test_sees_no_alarm_of_ours(lab: Any) -> None:
    files = {
        "test_a.py": """
            import signal

            def test_alarm():
                assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
                assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        """
    }
    assert lab.check(files).status is CheckStatus.PASSED
    assert lab.check(files, patience=LIMIT).status is CheckStatus.FAILED, "with one it does"
