"""The fold over the turns of a session, one row per transition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest

from trueup.decide.commands import Declared
from trueup.decide.live import Ending, Live, Watch
from trueup.decide.session import Doing, Turn
from trueup.decide.turns import answered, at_the_end, follow, followed
from trueup.decide.verification import Checked, checked
from trueup.evidence.failure import Failure

WATCH = Watch(checks=(Declared(name="tests", command="pytest -q"), Declared(name="lint", command="ruff check")))


def failing(*names: str, value: str = "1", line: int = 3) -> str:
    blocks = "".join(
        f"____ {name} ____\n\n    def {name}():\n>       assert {value} == 2\nE       assert {value} == 2\n\n"
        f"tests/test_x.py:{line}: AssertionError\n"
        for name in names
    )
    summary = "".join(f"FAILED tests/test_x.py::{name} - assert {value} == 2\n" for name in names)
    return f"==== FAILURES ====\n{blocks}==== short test summary info ====\n{summary}{len(names)} failed in 0.12s\n"


def run(command: str, output: str = "", code: int | None = 0) -> Turn:
    return Turn(doing=Doing.RUN, tool="bash", args=command, output=output, exit_code=code)


def fails(*names: str, value: str = "1", line: int = 3) -> Turn:
    return run("pytest -q", failing(*names, value=value, line=line), 1)


def edits(number: int) -> Turn:
    return Turn(doing=Doing.EDIT, tool="Edit", args=f"edit {number}", paths=(f"src/m{number}.py",), output="done")


def reads(number: int) -> Turn:
    return Turn(doing=Doing.READ, tool="Read", args=f"read {number}", output=f"text of file {number}")


A, B, AB, ABC = fails("test_a"), fails("test_b"), fails("test_a", "test_b"), fails("test_a", "test_b", "test_c")
PASS = run("pytest -q", "3 passed in 0.10s")
LINT_FAILS = run("ruff check", "src/a.py:1:1: F401 `os` imported but unused\nFound 1 error.", 1)
LINT_PASSES = run("ruff check", "All checks passed!")
E1, E2, E3, E4, E5 = (edits(number) for number in range(1, 6))
READ = reads(1)


def rejected(number: int) -> Turn:
    said = "Your edit has introduced new syntax error(s)"
    return Turn(doing=Doing.EDIT, tool="edit", args=f"edit {number}:1 x", output=said)


REJECTED = rejected(1)
UNCHANGED = Turn(
    doing=Doing.EDIT, tool="Edit", args="e", failed=True, output="old_string and new_string are exactly the same"
)

STREAKS: list[tuple[str, list[Turn], int, bool]] = [
    ("a first failure", [A], 1, False),
    ("the same failure across edits: edits never reset it", [A, E1, A, E2, A], 3, False),
    ("another failure starts at one", [A, E1, B], 1, False),
    ("A, A, B", [A, A, B], 1, False),
    ("a pass clears everything", [A, E1, A, E2, PASS], 0, False),
    ("and begins anew", [A, A, PASS, A], 1, False),
    ("an edit on a live failure: verification is owed", [A, E1], 1, True),
    ("a read and a successful command pay nothing back", [A, E1, READ, run("ls", "src")], 1, True),
    ("neither does another check that passes", [A, E1, LINT_PASSES], 1, True),
    ("the check itself does", [A, E1, A], 2, False),
    ("an edit that was rejected is no edit", [A, REJECTED], 1, False),
    ("nor is one that changed nothing", [A, UNCHANGED], 1, False),
    ("a shell's write is seen through the files", [A, Turn(doing=Doing.RUN, args="sed -i s/a/b/ x", wrote=True)], 1, True),
    ("and a shell that wrote nothing too", [A, Turn(doing=Doing.RUN, args="sed -i s/a/b/ x", wrote=False)], 1, False),
    ("an edit without a live failure owes nothing", [E1, PASS, E2], 0, False),
    ("fewer failures are progress", [ABC, E1, ABC, E2, AB], 1, False),
    ("one that stays while others change", [AB, E1, fails("test_a", "test_c"), E2, fails("test_a", "test_d")], 3, False),
    ("line numbers alone are the same failure", [A, E1, fails("test_a", line=17)], 2, False),
    ("another value is another failure", [A, E1, fails("test_a", value="5")], 1, False),
    ("a part that passes clears nothing", [A, E1, run("pytest -q tests/test_y.py", "1 passed in 0.1s")], 1, True),
    ("a part that fails in the same way counts", [AB, E1, run("pytest -q -k a", failing("test_a"), 1)], 2, False),
    ("a part that fails elsewhere is added", [A, E1, run("pytest -q tests/test_z.py", failing("test_z"), 1)], 1, False),
    ("words never pass", [A, E1, Turn(doing=Doing.SAY, args="All tests pass. Done.")], 1, True),
    ("a check in another project is no pass", [A, E1, run("cd other && pytest -q", "1 passed in 0.1s")], 1, True),
    ("a write after the check in one command", [A, Turn(doing=Doing.RUN, args="pytest -q | tail -1; sed -i s/a/b/ x",
                                                        output="3 passed in 0.1s", exit_code=0, wrote=True)], 0, False),
    ("fails, and writes after it in one command", [A, Turn(doing=Doing.RUN, args="pytest -q; sed -i s/a/b/ x",
                                                           output=failing("test_a"), exit_code=0, wrote=True)], 2, True),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "streak", "owed"), [row[1:] for row in STREAKS], ids=[row[0] for row in STREAKS])
def test_results_of_checks_and_nothing_else_move_the_failure(turns: list[Turn], streak: int, owed: bool) -> None:
    live = followed(turns, WATCH)
    assert (live.failure.streak if live.failure else 0, live.owed) == (streak, owed)


NUDGES: list[tuple[str, list[Turn], list[int]]] = [
    ("at the third time, once", [A, E1, A, E2, A, E3, A, E4, A], [5]),
    ("never for failures that change", [A, E1, B, E2, fails("test_c"), E3, fails("test_d")], []),
    ("never while they become fewer", [ABC, E1, AB, E2, A, E3, PASS], []),
    ("again after progress", [A, E1, A, E2, A, E3, PASS, E4, A, E5, A, edits(6), A], [5, 13]),
    ("again when fewer fail", [AB, E1, AB, E2, AB, E3, A, E4, A, E5, A], [5, 11]),
    ("for a circle, at the third visit", [A, E1, B, E2, A, E3, B, E4, A], [9]),
    ("a circle that was spoken of, with something else in between", [A, A, A, E1, B, E2, B], [3]),
    ("for the same edit rejected again", [REJECTED, READ, REJECTED], [3]),
    ("for the same call with the same result", [reads(1), reads(1), reads(2), E1, reads(1)], [5]),
    ("not for three passes in a row after edits", [PASS, E1, PASS, E2, PASS], []),
    (
        "for a command that is not there",
        [run(f"javac {n}", "bash: javac: command not found", 127) for n in range(3)],
        [3],
    ),
    ("for turns that bring nothing", [reads(1), reads(2), reads(3), reads(1), reads(2), reads(3)], [6]),
    ("not again before they bring something", [reads(n) for n in (1, 2, 3, 1, 2, 3, 4, 4)], [6]),
    ("again when fewer fail, although nothing was edited", [AB, AB, AB, A, A, A], [3, 6]),
    ("again after a pass, although something else fails", [LINT_FAILS, A, A, A, PASS, A, A, A], [4, 8]),
    ("again after a pass, for something else", [LINT_FAILS, A, A, A, rejected(1), PASS, rejected(2)], [4, 7]),
    ("a pass begins a new count of visits", [LINT_FAILS, A, E1, B, E2, A, E3, PASS, E4, A], []),
    (
        "not for turns that bring something now and then",
        [reads(1), reads(1), reads(2), reads(2), reads(3), reads(3)],
        [],
    ),
]


@pytest.mark.parametrize(("turns", "spoken"), [row[1:] for row in NUDGES], ids=[row[0] for row in NUDGES])
def test_the_agent_is_spoken_to_at_the_turn_that_reaches_the_threshold(turns: list[Turn], spoken: list[int]) -> None:
    live, said = Live(), []
    for turn in turns:
        live = follow(live, turn, WATCH)
        said += [live.nudge.turn] if live.nudge else []
    assert said == spoken


def test_two_calls_that_take_turns_are_named() -> None:
    swinging = [run("git log", "the same"), run("git diff", "as ever")] * 3
    live = followed(swinging, Watch(nudge_at=9, repeats=9))
    assert live.nudge is not None
    assert live.nudge.reason == "two calls take turns, and neither has a new result"


def test_a_nudge_quotes_the_evidence_and_names_what_was_tried() -> None:
    live = followed([E5, A, E1, A, E2, A], WATCH)
    assert live.nudge is not None
    assert live.nudge.reason == "tests has failed 3 times in the same way, whatever was changed"
    assert "assert 1 == 2" in live.nudge.evidence
    assert live.nudge.tried == ("edit src/m1.py", "edit src/m2.py")


def test_without_a_failure_the_nudge_quotes_the_last_output() -> None:
    live = followed([REJECTED, REJECTED], WATCH)
    assert live.nudge is not None
    assert "syntax error" in live.nudge.evidence


LEVELS: list[tuple[str, list[Turn], int]] = [
    ("new output", [READ], 0),
    ("the same again", [READ, READ], 1),
    ("and something new", [READ, READ, E1], 0),
    ("an edit that is rejected", [REJECTED], 1),
    ("the same failure after an edit is no step back", [A, E1, A, E2, A], 0),
    ("but takes back what edits earned", [A, A, A, E1, E2, A], 2),
    ("and what was read, and without an edit it is nothing new", [A, A, A, reads(1), reads(2), A], 3),
    ("nor is it after many edits", [A, *(turn for n in range(6) for turn in (edits(n), A))], 1),
    ("an edit before the last result is none since it", [A, E1, A, A], 1),
    ("a part that passes is good news", [A, A, run("pytest -q tests/test_y.py", "1 passed in 0.1s")], 0),
    (
        "also with known output",
        [
            A,
            A,
            run("pytest -q tests/test_y.py", "1 passed in 0.1s"),
            A,
            run("pytest -q tests/test_z.py", "1 passed in 0.2s"),
        ],
        0,
    ),
    ("the same part once more is neither", [A, A, A, *[run("pytest -q tests/test_y.py", "1 passed in 0.1s")] * 3], 1),
    ("a test run often to see whether it is flaky", [run("pytest -q tests/x.py", "1 passed in 0.1s")] * 9, 0),
    ("known output of another call is neither", [reads(1), reads(1), run("cat 1", "text of file 1")], 1),
    ("a look that finds nothing is neither", [reads(1), reads(1), *(run(f"grep x{n} .") for n in range(5))], 1),
    ("the same one again is nothing", [run("grep x ."), run("grep x ."), run("grep x .")], 2),
    ("a look again after ten others is neither", [*(reads(n) for n in range(12)), reads(0)], 0),
    ("after nine it is nothing", [*(reads(n) for n in range(10)), reads(0)], 1),
    ("a pass that was seen long ago is neither", [PASS, *(reads(n) for n in range(12)), PASS], 0),
    ("another failure is something new", [A, A, E1, B], 0),
    ("a pass clears it", [A, A, A, PASS], 0),
    ("but not the pass of another check", [A, E1, A, E2, A, LINT_FAILS, LINT_PASSES], 0),
    ("words do not count", [READ, READ, Turn(doing=Doing.SAY, args="hm")], 1),
    ("a pass that was there before, without a write", [PASS, PASS, PASS], 2),
    ("a pass after a write is new", [PASS, E1, PASS], 0),
    ("so is a failure that had been gone", [READ, READ, READ, A, PASS, A], 0),
    ("the same failure counts even behind a wait", [A, run("sleep 5; pytest -q", failing("test_a"), 1)], 1),
]


@pytest.mark.parametrize(("turns", "level"), [row[1:] for row in LEVELS], ids=[row[0] for row in LEVELS])
def test_the_level_says_how_far_nothing_is_ahead_of_something(turns: list[Turn], level: int) -> None:
    assert followed(turns, WATCH).level == level


def test_an_attempt_that_brings_nothing_is_ended_with_the_reason() -> None:
    live = followed([READ, *[READ] * 7], WATCH)
    live = follow(live, REJECTED, WATCH)
    assert live.stop == ""
    live = follow(live, REJECTED, WATCH)
    assert live.stop == (
        "the last turns brought nothing new: the same call with the same result (6x), an edit was rejected (2x)"
    )


def test_ever_new_edits_with_the_same_failure_are_ended_too() -> None:
    turns = [turn for number in range(20) for turn in (edits(number), A)]
    lives = [followed(turns[:count], WATCH) for count in range(len(turns) + 1)]
    assert next(count for count, live in enumerate(lives) if live.stop) == 30
    assert "the check failed in the same way (8x)" in lives[30].stop


PART = (edits, lambda n: run(f"pytest -q tests/test_{n}.py", f"{n + 1} passed in 0.1s"))
HONEST: list[tuple[str, list[Turn]]] = [
    ("eight files, the check after each", [t for n in range(8) for t in (edits(n), A)]),
    ("fifty files, the check after every five", [t for n in range(10) for t in (*map(edits, range(5 * n, 5 * n + 5)), A)]),
    ("test first: each step green by its own test", [t for n in range(12) for t in (*(f(n) for f in PART), A)]),
    ("edit, status, test", [t for n in range(10) for t in (edits(n), run("git status --short", " M app.py"), A)]),
    ("waiting for a server without a pause", [run("curl -s localhost", "curl: (7) Failed to connect", 7)] * 8),
    ("looking for what is not there", [run(f"grep -rn foo{n} src", "", 1) for n in range(12)]),
    ("a linter, file by file", [run(f"mypy src/m{n}.py", "Success: no issues found in 1 source file") for n in range(12)]),
    ("the same six files once more", [*map(reads, range(6)), E1, run("git log", "abc first"), *map(reads, range(6))]),
]  # fmt: skip


@pytest.mark.parametrize("turns", [row[1] for row in HONEST], ids=[row[0] for row in HONEST])
def test_honest_work_is_not_ended(turns: list[Turn]) -> None:
    live = Live()
    for turn in turns:
        live = follow(live, turn, WATCH)
        assert live.stop == ""


def test_what_a_helper_of_the_agent_does_is_neither_new_nor_nothing() -> None:
    before = followed([reads(1), reads(1)], WATCH)
    after = before
    for turn in [READ] * 12:
        after = follow(after, replace(turn, inner=True), WATCH)
    assert (after.level, after.stop, after.recent, after.memory) == (1, "", before.recent, before.memory)
    assert after.turns == 14


def test_what_a_helper_wrote_and_what_its_checks_said_are_facts() -> None:
    live = followed([A, replace(E1, inner=True)], WATCH)
    assert live.owed
    assert follow(live, replace(PASS, inner=True), WATCH).verified


def test_an_agent_whose_context_was_shortened_looks_again() -> None:
    shortened = Turn(doing=Doing.OTHER, tool="compaction", forgot=True)
    live = followed([*map(reads, range(5)), READ, shortened, *map(reads, range(5))], WATCH)
    assert live.level == 0
    assert followed([*map(reads, range(5)), READ, *map(reads, range(5))], WATCH).level == 6


def test_twenty_failures_repaired_one_by_one_are_never_ended_nor_spoken_of() -> None:
    names = [f"test_{number}" for number in range(20)]
    live = Live()
    for left in range(20, 0, -1):
        for turn in (fails(*names[:left]), edits(left)):
            live = follow(live, turn, WATCH)
            assert (live.nudge, live.stop) == (None, "")


def test_a_session_without_declared_checks_knows_the_common_ones() -> None:
    live = followed([run("cd /w && python -m pytest -x 2>&1 | tail -5", failing("test_a"), 0)], Watch())
    assert live.failure is not None
    assert (live.failure.check, live.failure.subject) == ("pytest -x", "tests/test_x.py::test_a")
    assert live.failure.kind == "AssertionError"


def test_a_failure_says_since_when_it_is_there() -> None:
    live = followed([READ, A, E1, A], WATCH)
    assert live.failure is not None
    assert live.failure.since == 2
    moved = followed([READ, A, E1, B], WATCH)
    assert moved.failure is not None
    assert moved.failure.since == 4


def test_each_check_has_a_failure_of_its_own() -> None:
    live = followed([A, LINT_FAILS], WATCH)
    assert [one.check for one in live.failures] == ["tests", "lint"]
    live = follow(live, LINT_PASSES, WATCH)
    assert [one.check for one in live.failures] == ["tests"]
    assert not live.verified
    assert follow(live, PASS, WATCH).verified


def test_a_pass_is_void_after_another_write() -> None:
    live = followed([A, E1, PASS], WATCH)
    assert live.verified
    assert not follow(live, E2, WATCH).verified
    assert not Live().verified


RED = Checked(check="tests", failures=(Failure(check="tests", subject="t", kind="AssertionError", message="no"),))
GREEN = Checked(check="tests")


def test_the_end_of_an_agent_is_answered_by_the_check_at_most_so_often() -> None:
    watch = Watch(checks=WATCH.checks, max_verify_attempts=2)
    live = followed([A], watch)
    assert at_the_end(live, watch) is Ending.ALLOW
    live = follow(live, E1, watch)
    assert at_the_end(live, watch) is Ending.VERIFY
    live = answered(live, [RED])
    assert at_the_end(live, watch) is Ending.ALLOW
    live = answered(follow(live, E2, watch), [RED])
    live = follow(live, E3, watch)
    assert at_the_end(live, watch) is Ending.RELEASE
    assert live.owed


def test_a_green_answer_ends_the_episode() -> None:
    live = answered(followed([A, E1], WATCH), [GREEN])
    assert at_the_end(live, WATCH) is Ending.ALLOW
    assert (live.failure, live.answered, live.verified) == (None, 0, True)


def test_progress_begins_a_new_count_of_answers() -> None:
    result = checked(AB, WATCH.checks)
    assert result is not None
    live = follow(answered(followed([AB, E1], WATCH), [result]), E2, WATCH)
    assert live.answered == 1
    assert follow(live, A, WATCH).answered == 0
    assert follow(live, AB, WATCH).answered == 1


def _refused(results: Callable[[int], list[Checked]], first: Turn = AB) -> int:
    """How often an agent that edits and ends is refused, when the checks say this each time."""
    live = followed([first], WATCH)
    for number in range(60):
        live = follow(live, edits(number), WATCH)
        if at_the_end(live, WATCH) is not Ending.VERIFY:
            return number
        live = answered(live, results(number))
    return 60


def _red(*names: str, check: str = "tests", part: bool = False) -> Checked:
    failures = tuple(Failure(check=check, subject=name, kind="AssertionError", message="no") for name in names)
    return Checked(check=check, failures=failures, part=part)


def test_a_set_of_failures_that_flips_is_no_progress() -> None:
    flips = [[_red("a")], [_red("a", "b")]]
    assert _refused(lambda number: flips[number % 2]) <= 5


def test_two_checks_that_fail_in_turn_are_never_the_end_of_an_episode() -> None:
    flips = [[GREEN, _red("x", check="lint")], [_red("a"), Checked(check="lint")]]
    assert _refused(lambda number: flips[number % 2]) == 3


def test_failures_that_really_become_fewer_may_be_answered_more_often() -> None:
    names = [f"t{number}" for number in range(30)]
    assert _refused(lambda number: [_red(*names[number // 2 :])], first=LINT_FAILS) == 10


def test_whatever_flips_a_session_is_refused_ten_times_at_most() -> None:
    live = Live()
    for number in range(40):
        live = follow(followed_on(live, [A, edits(number)]), edits(-number - 1), WATCH)
        if at_the_end(live, WATCH) is Ending.RELEASE:
            break
        live = follow(answered(live, [_red("a")]), PASS, WATCH)  # green by chance, each time
    assert live.refused == 10


def followed_on(live: Live, turns: list[Turn]) -> Live:
    for turn in turns:
        live = follow(live, turn, WATCH)
    return live


def test_a_green_answer_is_no_refusal() -> None:
    assert answered(followed([A, E1], WATCH), [GREEN]).refused == 0
    assert answered(followed([A, E1], WATCH), [RED]).refused == 1


def test_how_few_failures_there_were_is_told_by_whole_runs_only() -> None:
    live = answered(followed([run("pytest -q -k a", failing("test_a"), 1), E1], WATCH), [_red("a", "b", "c")])
    assert live.failure is not None
    assert live.failure.fewest == 3
    part = answered(live, [_red("a", part=True)])
    assert part.failure is not None
    assert part.failure.fewest == 3


def test_the_state_can_be_kept_between_two_hooks() -> None:
    live = followed([READ, A, E1, REJECTED, A, LINT_FAILS, E2, A], WATCH)
    kept = msgspec.json.decode(msgspec.json.encode(live), type=Live)
    assert kept == live
    assert follow(kept, A, WATCH) == follow(live, A, WATCH)


def test_a_long_session_stays_small() -> None:
    live = Live()
    for number in range(150):
        live = follow(live, run(f"cat {number}", "\n".join(f"{number} {line}" for line in range(60))), WATCH)
        live = follow(live, run("pytest -q", failing(f"test_{number}"), 1), WATCH)
    assert len(msgspec.json.encode(live)) < 200_000
    assert (live.level, live.nudged) == (0, False)


def test_what_a_turn_did_is_one_line() -> None:
    assert E1.line == "edit src/m1.py"
    assert A.line == "$ pytest -q"
    assert Turn(doing=Doing.SAY, args="hello").line == "hello"
    assert Turn(doing=Doing.OTHER, tool="Todo", args="x").line == "Todo x"
    assert Turn(doing=Doing.READ, tool="Grep", args="x").line == "Grep x"
