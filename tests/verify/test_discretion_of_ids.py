"""Results are kept without secrets, and tests are found again all the same."""

from trueup.evidence.failure import Failure
from trueup.evidence.redact import Redactor
from trueup.evidence.report import CheckResult, CheckStatus, TestPlace
from trueup.verify.discretion import kept_id, without_secrets

REDACT = Redactor(["hunter-22", "hunter-33"]).redact


def test_ids_that_differ_only_in_their_secret_stay_apart_and_lead_back() -> None:
    ids = ("t.py::test_a[hunter-22]", "t.py::test_a[hunter-33]", "t.py::test_b")
    failure = Failure(check="tests", subject=ids[0], kind="E", message="hunter-22", repro=f"pytest {ids[0]}")
    place = TestPlace(id=ids[0], file="t.py", line=1, name="test_a")
    result = CheckResult(
        check="tests", status=CheckStatus.FAILED, failures=(failure,), passed=ids[1:], inventory=ids, places=(place,)
    )
    known: dict[str, str] = {}
    kept = without_secrets(result, REDACT, known)
    assert kept.inventory is not None
    assert len(set(kept.inventory)) == 3
    assert [known.get(id_, id_) for id_ in kept.inventory] == list(ids)
    assert kept.failures[0].subject == kept.places[0].id == kept.inventory[0]
    assert "hunter" not in repr(kept)


def test_the_file_of_a_test_stays_and_nothing_changes_twice() -> None:
    once = kept_id("hunter-22/t.py::test[hunter-22]", REDACT)
    assert once.startswith("hunter-22/t.py::test[[redacted]]#")
    assert kept_id(once, REDACT) == once
    assert "hunter" not in kept_id("Suite > hunter-22", REDACT)
