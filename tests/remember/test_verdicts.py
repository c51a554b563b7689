from __future__ import annotations

import pytest

from trueup.decide.task import CheckSpec
from trueup.evidence.failure import Failure
from trueup.evidence.report import CheckResult, CheckStatus, Report
from trueup.remember import verdicts
from trueup.remember.database import Database

TESTS = CheckSpec(name="tests", run="pytest -q")
FAILED = CheckResult(
    check="tests",
    status=CheckStatus.FAILED,
    failures=(Failure(check="tests", subject="test_a", kind="AssertionError"),),
    passed=("test_b",),
    inventory=("test_a", "test_b"),
    exit_code=1,
)
REPORT = Report(tree="t0", results=(FAILED,), environment="e")


def test_a_verdict_is_found_again_for_the_same_tree_checks_and_environment(db: Database) -> None:
    key = verdicts.cache_key("t0", (TESTS,), "e")
    assert verdicts.load(db, key) is None
    verdicts.save(db, key, REPORT)
    assert verdicts.load(db, verdicts.cache_key("t0", (TESTS,), "e")) == REPORT


@pytest.mark.parametrize(
    ("tree", "checks", "environment"),
    [
        ("t1", (TESTS,), "e"),
        ("t0", (TESTS,), "f"),
        ("t0", (), "e"),
        ("t0", (TESTS, CheckSpec(name="types", run="mypy .")), "e"),
        ("t0", (CheckSpec(name="tests", run="pytest -q -x"),), "e"),
        ("t0", (CheckSpec(name="tests", run=("pytest -q",)),), "e"),
        ("t0", (CheckSpec(name="tests", run="pytest -q", timeout=5.0),), "e"),
        ("t0", (CheckSpec(name="tests", run="pytest -q", after=("types",)),), "e"),
        ("t0", (CheckSpec(name="unit", run="pytest -q"),), "e"),
    ],
)
def test_whatever_differs_makes_another_key(tree: str, checks: tuple[CheckSpec, ...], environment: str) -> None:
    assert verdicts.cache_key(tree, checks, environment) != verdicts.cache_key("t0", (TESTS,), "e")


@pytest.mark.parametrize(
    "report",
    [
        Report(tree="t0", results=(FAILED,), void="a.py was written while the check ran"),
        Report(tree="t0", results=(FAILED, CheckResult(check="x", status=CheckStatus.ERROR, reason="missing"))),
        Report(
            tree="t0",
            results=(
                CheckResult(
                    check="tests",
                    status=CheckStatus.TIMEOUT,
                    reason="10 s",
                    failures=(Failure(check="tests", subject="", kind="timeout"),),
                ),
            ),
        ),
    ],
    ids=["void", "error", "timeout"],
)
def test_what_is_no_verdict_is_not_kept(db: Database, report: Report) -> None:
    verdicts.save(db, "key", report)
    assert verdicts.load(db, "key") is None


def test_a_later_verdict_replaces_the_earlier_one(db: Database) -> None:
    verdicts.save(db, "key", REPORT)
    verdicts.save(db, "key", Report(tree="t0", results=(FAILED,), duration=2.0))
    again = verdicts.load(db, "key")
    assert again
    assert again.duration == 2.0
    assert db.query("SELECT COUNT(*) FROM verdicts") == [(1,)]


def test_only_the_newest_are_kept(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "KEEP", 3)
    for name in ("a", "b", "b", "b", "c", "d"):
        verdicts.save(db, name, REPORT)
    assert [name for name in "abcd" if verdicts.load(db, name)] == ["b", "c", "d"]


@pytest.mark.parametrize("body", [b"", b"junk", b"x\x9cK\xcb\xcf\x07\x00\x02\x82\x01E"])
def test_an_entry_that_cannot_be_read_is_just_not_known(db: Database, body: bytes) -> None:
    verdicts.save(db, "key", REPORT)
    with db.write():
        db.execute("UPDATE verdicts SET report = ?", body)
    assert verdicts.load(db, "key") is None


def test_a_check_that_is_not_hermetic_switches_the_cache_off() -> None:
    assert verdicts.cacheable((TESTS,))
    assert not verdicts.cacheable((TESTS, CheckSpec(name="api", run="curl", hermetic=False)))
