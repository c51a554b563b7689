"""What a run is told of earlier ones: what still counts, what no longer does, and where else a failure was met."""

from __future__ import annotations

from typing import Any

from trueup.decide.memory import ItemMemory, Met, RunMemory, Tried
from trueup.decide.prior import OTHER_CHECKS, OTHER_FILES, Prior, elsewhere, prior
from trueup.decide.review import ReviewVerdict

BASE, CHECKS = "base", "checks"
NO = ReviewVerdict(approved=False, feedback="not like this", reviewer="critic", tree="t1")
STUCK = Tried(attempt=1, kind="stuck", files=("calc.py",), strike=True)
MET = Met(fingerprint="f1:a", key="tests a", message="wrong", attempts=(1,), last=True)


def a_run(name: str = "r1", **more: Any) -> RunMemory:
    fields = {
        "run": name,
        "task": "t",
        "status": "stuck",
        "started": 1.0,
        "base": BASE,
        "checks": CHECKS,
        "attempts": 1,
    }
    return RunMemory(**{**fields, **more})


def told(*runs: RunMemory, base: str = BASE, checks: str = CHECKS) -> Prior:
    found = prior(ItemMemory(item="work", runs=runs), base=base, checks=checks)
    assert found is not None
    return found


def test_an_item_without_a_past_is_told_nothing() -> None:
    assert prior(None, base=BASE, checks=CHECKS) is None
    assert prior(ItemMemory(item="work"), base=BASE, checks=CHECKS) is None


def test_a_run_in_which_nobody_worked_is_no_past() -> None:
    idle = a_run(status="unverifiable", attempts=0, failures=(MET,))
    assert prior(ItemMemory(item="work", runs=(idle,)), base=BASE, checks=CHECKS) is None


def test_a_run_that_passed_without_a_word_from_anybody_is_no_past() -> None:
    done = a_run(status="passed", tried=(STUCK,))
    assert prior(ItemMemory(item="work", runs=(done,)), base=BASE, checks=CHECKS) is None


def test_verdicts_failures_hypotheses_and_the_branch_are_told() -> None:
    found = told(a_run(verdicts=(NO,), tried=(STUCK,), failures=(MET,), branch="trueup/work"))
    assert (found.item, found.runs, found.attempts, found.status) == ("work", 1, 1, "stuck")
    assert (found.verdicts, found.expired) == ((NO,), ())
    assert (found.failing, found.stale) == ((MET,), "")
    assert [(h.run, h.tried, h.stale) for h in found.rejected] == [("r1", STUCK, "")]
    assert found.branch == "trueup/work"


def test_what_got_further_is_no_rejected_hypothesis() -> None:
    assert told(a_run(tried=(Tried(attempt=1, kind="progress"), STUCK))).rejected[0].tried is STUCK
    assert told(a_run(tried=(Tried(attempt=1, kind="progress"),))).rejected == ()


def test_the_same_words_of_two_runs_are_told_once_and_other_words_of_both() -> None:
    again = ReviewVerdict(approved=False, feedback="not  like\nthis", reviewer="critic", tree="t2", round=3)
    other = ReviewVerdict(approved=False, feedback="nor like this", tree="t3")
    found = told(a_run(verdicts=(NO, other)), a_run("r2", verdicts=(again,)))
    assert [v.feedback for v in found.verdicts] == ["nor like this", "not  like\nthis"]


def test_a_verdict_on_other_files_expires_and_says_so() -> None:
    found = told(a_run(verdicts=(NO,), tried=(STUCK,), failures=(MET,)), base="changed")
    assert found.verdicts == ()
    assert [(e.run, e.round, e.reviewer, e.why) for e in found.expired] == [("r1", 1, "critic", OTHER_FILES)]
    assert found.stale == OTHER_FILES
    assert [h.stale for h in found.rejected] == [OTHER_FILES]


def test_a_verdict_under_other_checks_expires_and_says_so() -> None:
    found = told(a_run(verdicts=(NO,)), checks="changed")
    assert (found.verdicts, [e.why for e in found.expired]) == ((), [OTHER_CHECKS])


def test_an_expired_verdict_alone_is_worth_telling() -> None:
    """Visibly: a run that passed, whose verdict no longer counts."""
    found = told(a_run(status="passed", verdicts=(NO,)), base="changed")
    assert [e.why for e in found.expired] == [OTHER_FILES]


def test_who_begins_with_a_result_of_an_earlier_run_stands_in_its_line() -> None:
    """`--from trueup/work`, or a merge of it: what was said on the way there counts."""
    first = a_run(verdicts=(NO,), best="t1")
    second = a_run("r2", base="t1", best="t5", started=2.0)
    assert told(first, second, base="t5").verdicts == (NO,)
    assert told(first, base="t1").verdicts == (NO,), "the very files that were turned down"
    assert told(first, second, base="t6").verdicts == ()


def test_a_run_on_other_files_in_between_does_not_cut_the_line() -> None:
    other = a_run("r2", base="elsewhere", started=2.0, verdicts=(ReviewVerdict(approved=False, feedback="x"),))
    found = told(a_run(verdicts=(NO,)), other)
    assert found.verdicts == (NO,)
    assert [e.run for e in found.expired] == ["r2"]


def test_what_led_nowhere_before_the_last_pass_is_over_and_its_demands_are_not() -> None:
    found = told(a_run(tried=(STUCK,), verdicts=(NO,)), a_run("r2", status="passed", started=2.0, failures=(MET,)))
    assert (found.rejected, found.failing) == ((), ())
    assert found.verdicts == (NO,)
    later = told(a_run("r1", status="passed"), a_run("r2", tried=(STUCK,), started=2.0))
    assert [h.run for h in later.rejected] == ["r2"]


def test_only_what_failed_at_the_end_of_the_latest_run_is_told() -> None:
    gone = Met(fingerprint="f1:b", key="tests b", fixed_by=1)
    found = told(
        a_run(failures=(Met(fingerprint="f1:c", key="tests c", last=True),)), a_run("r2", failures=(gone, MET))
    )
    assert found.failing == (MET,)


def test_the_branch_of_the_latest_run_that_left_one_is_told() -> None:
    assert told(a_run(branch="trueup/a"), a_run("r2", branch="trueup/b"), a_run("r3")).branch == "trueup/b"


def test_the_lists_are_not_endless() -> None:
    tried = tuple(Tried(attempt=n, kind="stuck", strike=True) for n in range(1, 40))
    failures = tuple(Met(fingerprint=f"f1:{n}", key=f"tests {n}", last=True) for n in range(40))
    found = told(a_run(tried=tried, failures=failures))
    assert [h.tried.attempt for h in found.rejected] == list(range(28, 40)), "the latest"
    assert len(found.failing) == 12


# --- across items --------------------------------------------------------------------------------------------


def other_item(*runs: RunMemory, item: str = "other") -> ItemMemory:
    return ItemMemory(item=item, runs=runs)


def test_a_failure_is_found_by_its_fingerprint_in_the_latest_run_that_met_it() -> None:
    early = a_run("r1", failures=(MET,), tried=(STUCK,))
    late = a_run("r2", started=2.0, status="passed", failures=(Met(fingerprint="f1:a", key="tests a", fixed_by=2),))
    (found,) = elsewhere([other_item(early, late)], {"f1:a", "f1:z"})
    assert (found.item, found.run, found.status, found.fixed_by, found.because) == ("other", "r2", "passed", 2, "")
    assert elsewhere([other_item(early)], {"f1:z"}) == ()


def test_it_comes_with_what_was_tried_against_it_and_why_the_result_was_turned_down() -> None:
    tried = (STUCK, Tried(attempt=2, kind="stuck"), Tried(attempt=3, kind="rejected"))
    yes = ReviewVerdict(approved=True, feedback="fine")
    later = ReviewVerdict(approved=False, feedback="still not")
    met = Met(fingerprint="f1:a", key="tests a", attempts=(1, 3))
    (found,) = elsewhere([other_item(a_run(failures=(met,), tried=tried, verdicts=(NO, later, yes)))], {"f1:a"})
    assert [t.attempt for t in found.tried] == [1, 3]
    assert found.because == "still not"


def test_each_item_tells_it_once_and_only_a_few_do() -> None:
    many = [other_item(a_run(failures=(MET, MET)), item=f"item-{n}") for n in range(9)]
    assert [one.item for one in elsewhere(many, {"f1:a"})] == [f"item-{n}" for n in range(5)]
