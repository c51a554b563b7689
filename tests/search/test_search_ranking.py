"""Which patch is the best guess, when several pass?"""

from __future__ import annotations

from trueup.search.probe import BORDER, Listener, behaviour, can_be_called, nearby
from trueup.search.ranking import ranked
from trueup.search.text import Edit
from trueup.search.trial import Finding, Trial


def _trial(kind: str = "name", score: float = 0.5, start: int = 0, parts: tuple[Trial, ...] = ()) -> Trial:
    return Trial({"m.py": (Edit(start, start + 1, b"x"),)}, kind, 1, score, parts)


def _best(*trials: Trial, known: dict[int, list[str]] | None = None, original: tuple[str, ...] = ()) -> Trial:
    return ranked([(trial, Finding()) for trial in trials], known, original)[0].trial


def test_fewer_edits_go_first() -> None:
    two = _trial(score=1.0, parts=(_trial(), _trial(start=5)))
    one = _trial(score=0.1, start=9)
    assert _best(two, one) is one


def test_what_only_takes_behaviour_away_goes_last() -> None:
    deleting, other = _trial("delete statement", 1.0), _trial(score=0.1, start=5)
    assert _best(deleting, other) is other
    assert _best(deleting) is deleting


def test_patches_that_behave_alike_are_one_guess() -> None:
    alone, one, other = _trial(score=0.54), _trial(score=0.5, start=5), _trial(score=0.5, start=9)
    assert _best(alone, one, other) is alone
    known = {0: ["a", "b"], 1: ["a", "c"], 2: ["a", "c"]}
    assert _best(alone, one, other, known=known) is one


def test_an_answer_to_one_test_alone_goes_behind_a_likely_edit() -> None:
    invented, likely = _trial("constant", 0.28), _trial("comparison", 0.25, start=5)
    assert _best(invented, likely) is likely


def test_raising_where_the_original_did_not_counts_against_a_patch() -> None:
    crashing, other = _trial(score=0.6), _trial(score=0.5, start=5)
    known = {0: ["!TypeError", "b"], 1: ["a", "c"]}
    assert _best(crashing, other, known=known, original=("a", "b")) is other


def test_changing_what_passing_tests_do_nearby_counts_against_a_patch() -> None:
    broad, narrow = _trial(score=0.6), _trial(score=0.5, start=5)
    known = {0: ["x", "y", BORDER, "z"], 1: ["a", "b", BORDER, "z"]}
    assert _best(broad, narrow, known=known, original=("a", "b", BORDER, "c")) is narrow


def test_inputs_are_taken_from_calls_and_varied() -> None:
    def function(n: int, text: str) -> str:
        return n * text

    assert can_be_called(function.__code__)
    with Listener(function.__code__) as heard:
        function(2, "ab")
    assert heard.inputs == [[2, "ab"]]
    inputs = nearby(heard.inputs)
    assert [2, "ab"] in inputs
    assert [3, "ab"] in inputs
    assert [2, ""] in inputs


def test_behaviour_tells_results_exceptions_and_changed_arguments_apart() -> None:
    def change(items: list[int]) -> int:
        items.append(1)
        return items[1]

    def keep(items: list[int]) -> int:
        return [*items, 1][1]

    same, raised = behaviour(change, [[[5, 6]], [[]]])
    other, also_raised = behaviour(keep, [[[5, 6]], [[]]])
    assert same != other
    assert raised == also_raised == "!IndexError"


class _Tank:
    def __init__(self, litres: int) -> None:
        self.litres = litres

    def half(self) -> float:
        return self.litres / 2


def test_objects_are_varied_by_what_they_hold() -> None:
    with Listener(_Tank.half.__code__) as heard:
        _Tank(4).half()
    found = [tank.litres for (tank,) in nearby(heard.inputs)]
    assert {4, 5, 3} <= set(found)


def test_only_calls_from_outside_are_heard_where_that_is_asked() -> None:
    def inner(n: int) -> int:
        return n

    def outer(n: int) -> int:
        return inner(n + 1)

    def inside(file: str) -> bool:
        return file == __file__

    with Listener(outer.__code__, inner.__code__, known=inside) as heard:
        outer(1)
    assert heard.inputs == []
    with Listener(outer.__code__, inner.__code__, known=lambda _: "") as heard:
        outer(1)
    assert heard.inputs == [[1], [2]]


def test_a_guess_knows_how_likely_the_next_other_one_is() -> None:
    trials = [_trial(score=0.5), _trial(score=0.4, start=5), _trial(score=0.3, start=9)]
    known = {0: ["a"], 1: ["a"], 2: ["b"]}
    first, second, third = ranked([(trial, Finding()) for trial in trials], known, ("c",))
    assert first.number == second.number != third.number
    assert first.next_best == third.share
    assert third.next_best == first.share


def test_the_same_line_added_in_two_places_is_one_guess_where_nothing_is_known() -> None:
    one, other = (Trial({"m.py": (Edit(at, at, b"    a()\n"),)}, "statement added", 1, 0.5) for at in (0, 9))
    alone = _trial(score=0.3, start=20)
    guesses = ranked([(trial, Finding()) for trial in (one, other, alone)])
    assert guesses[0].number == guesses[1].number != guesses[2].number
    assert guesses[0].share > 1.1 * guesses[0].next_best
