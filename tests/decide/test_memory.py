"""What is remembered of a run: what was tried, what was met, what was said; within bounds, and without a change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from trueup.decide.fold import fold
from trueup.decide.memory import (
    MOST_RUNS,
    Circumstances,
    ItemMemory,
    Met,
    RunMemory,
    Tried,
    bounded,
    checks_digest,
    is_mark,
    is_over,
    merged,
    remembered,
)
from trueup.decide.moves import AskReview, Attempted, ReviewStatus, TreeReviewed
from trueup.decide.review import Aspect, Point, ReviewVerdict
from trueup.decide.state import State
from trueup.decide.task import CheckSpec, Goal, GoalKind, Limits, ReviewerSpec, Task
from trueup.evidence.fingerprint import fingerprint
from trueup.testing.world import Effort, Verdict, World, efforts, play, report_of, simple_task

ABOUT = Circumstances(run="r1", started=10.0, ended=20.0, base="start", head="commit", entries=7)
ALL = frozenset({"a", "b", "c"})


def failing(tree: str, *subjects: str, **more: object) -> Verdict:
    return Verdict(tree=tree, failing=dict.fromkeys(subjects, 1), passing=ALL - set(subjects), **more)  # type: ignore[arg-type]


def after(
    *verdicts: Verdict, task: Task | None = None, start: Verdict | None = None, usd: float | None = None
) -> State:
    """A whole run from a start where `a` and `b` fail."""
    wanted = task or simple_task()
    script = iter([Effort(verdict=v, usd=usd) for v in verdicts])
    world = World(start=start or failing("start", "a", "b"), efforts=script)
    return fold(wanted, play(wanted, world))


def run_memory(name: str = "r1", **more: object) -> RunMemory:
    return RunMemory(**{"run": name, "task": "t", "started": 1.0, "base": "t0", "checks": "c", **more})  # type: ignore[arg-type]


def test_a_passed_run_is_remembered_with_its_attempts_and_what_they_repaired() -> None:
    memory = remembered(after(failing("t1", "b"), failing("t2")), ABOUT)
    assert (memory.run, memory.status, memory.base, memory.head, memory.best) == (
        "r1",
        "passed",
        "start",
        "commit",
        "t2",
    )
    assert (memory.started, memory.ended, memory.entries, memory.attempts) == (10.0, 20.0, 7, 2)
    assert [(t.attempt, t.kind, t.before, t.after, t.fixed) for t in memory.tried] == [
        (1, "progress", 2, 1, ("late a",)),
        (2, "green", 1, 0, ("late b",)),
    ]
    assert [t.strike for t in memory.tried] == [False, False]
    assert [(m.key, m.fixed_by, m.last, m.attempts) for m in memory.failures] == [
        ("late a", 1, False, (1,)),
        ("late b", 2, False, (1, 2)),
    ]
    assert is_over(memory)


def test_what_fails_in_the_best_state_comes_first_with_its_words_and_its_fingerprint() -> None:
    memory = remembered(after(failing("t1", "b"), *[failing(f"t{n}", "b") for n in range(2, 6)]), ABOUT)
    assert memory.status == "stuck"
    assert not is_over(memory)
    first, second = memory.failures
    (failure,) = (f for f in report_of(failing("t1", "b")).failures)
    assert (first.key, first.last, first.fixed_by, first.message) == ("late b", True, None, "b is wrong")
    assert first.fingerprint == fingerprint(failure)
    assert first.attempts == (1, 2, 3, 4, 5)
    assert (second.key, second.last, second.fixed_by) == ("late a", False, 1)
    assert [t.strike for t in memory.tried] == [False, True, True, True, True]
    assert memory.partial


def test_what_an_attempt_broke_is_remembered_once() -> None:
    memory = remembered(
        after(failing("t1", "a", "b", "c"), task=simple_task(limits=Limits(usd=None, attempts=1))), ABOUT
    )
    (tried,) = memory.tried
    assert (tried.kind, tried.broke, tried.strike) == ("worse", ("late c",), True)


def test_a_repair_that_was_undone_repaired_nothing() -> None:
    """Mixed: `a` passed for a moment, in files that were given up."""
    state = after(failing("t1", "b", "c"), task=simple_task(limits=Limits(usd=None, attempts=1)))
    memory = remembered(state, ABOUT)
    assert [t.kind for t in memory.tried] == ["mixed"]
    (a,) = (m for m in memory.failures if m.key == "late a")
    assert (a.fixed_by, a.last) == (None, True)


def test_a_run_that_was_killed_before_anything_was_known_has_nothing_to_tell() -> None:
    memory = remembered(fold(simple_task(), ()), replace(ABOUT, ended=None))
    assert (memory.status, memory.attempts, memory.best, memory.partial) == ("", 0, "start", False)
    assert (memory.tried, memory.failures, memory.usd) == ((), (), None)


def test_a_killed_run_that_got_further_is_remembered_as_such() -> None:
    wanted = simple_task()
    world = World(start=failing("start", "a", "b"), efforts=efforts(failing("t1", "b"), failing("t2")))
    history = play(wanted, world)
    ends = next(n for n, (_, r) in enumerate(history) if isinstance(r, Attempted) and r.number == 2)
    memory = remembered(fold(wanted, history[: ends + 1]), ABOUT)
    assert (memory.status, memory.best, memory.partial) == ("", "t1", True)
    assert [t.kind for t in memory.tried] == ["progress", ""], "the second one was not judged yet"


def test_a_cost_that_was_told_is_remembered() -> None:
    from trueup.decide.task import AgentSpec

    task = simple_task(agents=(AgentSpec(name="scripted", reports_cost=True),), limits=Limits(usd=5.0, attempts=9))
    assert remembered(after(failing("t1"), task=task, usd=0.5), ABOUT).usd == pytest.approx(0.5)


def test_a_check_that_could_not_run_is_met_with_its_reason() -> None:
    from trueup.decide.moves import BaselineTaken, TakeBaseline
    from trueup.evidence.report import CheckResult, CheckStatus, Report

    result = CheckResult(check="late", status=CheckStatus.ERROR, reason="no such program")
    taken = BaselineTaken(tree="start", report=Report(tree="start", results=(result,)))
    memory = remembered(fold(simple_task(), ((TakeBaseline(), taken),)), ABOUT)
    (met,) = memory.failures
    assert (met.kind, met.message, met.last) == ("error", "no such program", True)
    assert is_mark(met.fingerprint)


def test_verdicts_are_remembered_and_a_rejected_attempt_counts_as_one_that_led_nowhere() -> None:
    verdict = ReviewVerdict(approved=False, feedback="no", reviewer="critic", tree="t1")

    def says_no(move: AskReview) -> TreeReviewed:
        return TreeReviewed(tree=move.tree, status=ReviewStatus.ANSWERED, verdict=verdict, began=False)

    task = simple_task(reviewer=ReviewerSpec(), review_rounds=1)
    world = World(start=failing("start", "a"), efforts=efforts(failing("t1")), review=says_no)
    memory = remembered(fold(task, play(task, world)), ABOUT)
    assert memory.verdicts == (verdict,)
    assert [(t.kind, t.strike) for t in memory.tried] == [("rejected", True)]
    assert memory.trees == {"start", "t1"}


# --- several runs --------------------------------------------------------------------------------------------


def test_of_one_run_what_knows_more_of_its_journal_stays() -> None:
    first = merged(ItemMemory(item="i"), [run_memory(entries=5, status="stuck", branch="trueup/i")])
    assert merged(first, [run_memory(entries=4, status="passed")]).runs[0].status == "stuck"
    later = merged(first, [run_memory(entries=6, status="")]).runs
    assert [(r.status, r.branch) for r in later] == [("", "trueup/i")], "its branch is there all the same"
    assert merged(first, [run_memory(entries=5, branch="trueup/i-2")]).runs[0].branch == "trueup/i-2"


def test_runs_of_one_name_that_began_at_other_times_are_two_and_the_oldest_comes_first() -> None:
    both = merged(ItemMemory(item="i"), [run_memory(started=2.0), run_memory(started=1.0)])
    assert [run.started for run in both.runs] == [1.0, 2.0]


def test_the_oldest_runs_go_but_never_one_with_a_verdict() -> None:
    verdict = ReviewVerdict(approved=False, feedback="no")
    many = [run_memory(f"r{n}", started=float(n), verdicts=(verdict,) if n == 0 else ()) for n in range(MOST_RUNS + 5)]
    kept = merged(ItemMemory(item="i"), many).runs
    assert len(kept) == MOST_RUNS + 1
    assert [run.run for run in kept][:2] == ["r0", "r5"]


# --- what counts as done -------------------------------------------------------------------------------------


def digests() -> Iterator[tuple[str, Task]]:
    check = CheckSpec(name="tests", run="pytest")
    yield "plain", Task(checks=(check,))
    yield "command", Task(checks=(replace(check, run="pytest -q"),))
    yield "name", Task(checks=(replace(check, name="unit"),))
    yield "stage", Task(checks=(check, CheckSpec(name="types", run="mypy", after=("tests",))))
    yield "report", Task(checks=(replace(check, report="junit:a.xml"),))
    yield "decision", Task(checks=(replace(check, decision_file="d.json"),))
    yield "words", Task(checks=(replace(check, decision_words=True),))
    yield "goal", Task(checks=(check,), goal=Goal(kind=GoalKind.NO_NEW_FAILURES))


def test_other_checks_or_another_goal_make_another_digest() -> None:
    found = {checks_digest(task): name for name, task in digests()}
    assert sorted(found.values()) == sorted(name for name, _ in digests())


def test_circumstances_of_a_check_and_all_that_is_not_about_being_done_make_the_same_digest() -> None:
    check = CheckSpec(name="tests", run="pytest")
    plain = checks_digest(Task(checks=(check,)))
    assert checks_digest(Task(checks=(replace(check, timeout=5.0, hermetic=False),))) == plain
    assert checks_digest(Task(checks=(check,), text="other words", limits=Limits(attempts=1))) == plain


# --- bounds --------------------------------------------------------------------------------------------------


def test_texts_from_outside_are_cut_to_size_and_what_is_left_out_is_said() -> None:
    point = Point(aspect=Aspect.APPROACH, demand="d" * 3000, subject="s" * 300, file="f" * 300)
    verdict = ReviewVerdict(approved=False, feedback="x" * 30_000, points=(point,) * 50)
    tried = Tried(
        attempt=1, kind="stuck", files=("f" * 300,) * 9, note="n" * 900, fixed=("k" * 300,) * 20, broke=("b",)
    )
    met = Met(
        fingerprint="f1:" + "0" * 16, key="k" * 900, kind="K" * 900, message="m " * 900, attempts=tuple(range(99))
    )
    odd = Met(fingerprint="error:" + "k" * 900, key="k")
    run = run_memory(
        task="t" * 9000, detail="d" * 9000, verdicts=(verdict,), tried=(tried,) * 50, failures=(met, odd) * 50
    )
    small = bounded(run)
    assert len(small.task) == len(small.detail) == 2000
    (told,) = small.verdicts
    assert len(told.feedback) <= 20_000
    assert told.feedback.endswith("[… 10050 characters left out …]")
    assert (len(told.points), len(told.points[0].subject) < 300, len(told.points[0].file) < 300) == (40, True, True)
    assert len(told.points[0].demand) <= 2000
    assert (len(small.tried), len(small.tried[0].files), len(small.tried[0].fixed)) == (40, 5, 10)
    assert max(map(len, (*small.tried[0].files, *small.tried[0].fixed, small.tried[0].note))) == 200
    first, second = small.failures[:2]
    assert (len(small.failures), len(first.key), len(first.kind), len(first.message)) == (60, 400, 200, 200)
    assert (first.fingerprint, len(first.attempts), len(second.fingerprint)) == (met.fingerprint, 40, 400)
    assert bounded(small) == small, "cutting again changes nothing"


def test_a_short_memory_stays_word_for_word() -> None:
    verdict = ReviewVerdict(
        approved=False, feedback="two\n  lines", points=(Point(aspect=Aspect.APPROACH, demand="a\nb"),)
    )
    run = run_memory(verdicts=(verdict,))
    assert bounded(run).verdicts == (verdict,)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("f1:0123456789abcdef", True),
        ("f1n:0123456789abcdef", True),
        ("error:tests ", True),
        ("unstable:tests a", True),
        ("", False),
        ("f1:0123", False),
        ("anything else", False),
        ("f1:0123456789abcdef and more", False),
    ],
)
def test_a_fingerprint_is_known_by_its_form(text: str, *, known: bool) -> None:
    assert is_mark(text) is known
