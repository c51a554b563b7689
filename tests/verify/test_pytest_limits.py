"""A test that never ends is ended alone, where a limit for each test is given: those after it are seen as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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
    result = lab.check(HANGING, test_limits=LIMIT)
    assert result.status is CheckStatus.FAILED
    assert result.passed == ("test_loops.py::test_ends",)
    kinds = {f.subject.partition("::")[2]: f.kind for f in result.failures}
    assert kinds == {"test_hangs": "timeout", "test_sleeps": "timeout", "test_fails": "AssertionError"}
    hanging = next(f for f in result.failures if f.subject.endswith("test_hangs"))
    assert (hanging.message, hanging.file) == ("not finished in time", "loops.py")
    assert hanging.repro == "pytest -p no:cacheprovider test_loops.py::test_hangs"
    elsewhere = replace(hanging, line=1, source_line="while n:")
    assert fingerprint(elsewhere) == fingerprint(hanging), "where it was ended is chance"


STUBBORN = {
    "test_a.py": """
        import asyncio

        import pytest

        @pytest.fixture
        def forever():
            while True:
                pass

        def test_fixture(forever):
            pass

        def test_excepts():
            while True:
                try:
                    sum(range(1000))
                except Exception:
                    pass

        def test_excepts_everything_for_a_while():
            caught = 0
            while True:
                try:
                    sum(range(1000))
                except BaseException:
                    caught += 1
                    if caught == 2:
                        raise

        def test_awaits():
            asyncio.run(asyncio.Event().wait())

        def test_next():
            pass
    """
}


def test_it_is_ended_whatever_it_waits_for(lab: Any) -> None:
    result = lab.check(STUBBORN, test_limits=LIMIT)
    assert {f.kind for f in result.failures} == {"timeout"}
    assert len(result.failures) == 4
    assert result.passed == ("test_a.py::test_next",)


def test_what_takes_the_interruption_for_its_own_has_not_passed(lab: Any) -> None:
    files = {
        "test_a.py": """
            import pytest

            def forever():
                while True:
                    pass

            def test_swallowed():
                try:
                    forever()
                except BaseException:
                    pass

            def test_expected():
                with pytest.raises(BaseException):
                    forever()

            def test_skipped():
                try:
                    forever()
                except BaseException:
                    pytest.skip("too slow")

            def test_next():
                pass
        """
    }
    result = lab.check(files, test_limits=LIMIT)
    found = [(f.subject, f.kind, f.message) for f in result.failures]
    names = ("test_swallowed", "test_expected", "test_skipped")
    assert found == [(f"test_a.py::{name}", "timeout", "not finished in time") for name in names]
    assert (result.passed, result.exit_code) == (("test_a.py::test_next",), 1)


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
    result = lab.check(files, test_limits=LIMIT)
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
    assert lab.check(files, test_limits=LIMIT).status is CheckStatus.FAILED, "with one it does"
