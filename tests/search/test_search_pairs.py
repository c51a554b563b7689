"""Two edits are joined when each repairs a part, and never when they touch the same place."""

from __future__ import annotations

from trueup.search.pairs import joined, pairs, twins
from trueup.search.spectrum import Line
from trueup.search.text import Edit, Source, read
from trueup.search.trial import Finding, Trial


def _trial(start: int, path: str = "m.py", new: bytes = b"x") -> Trial:
    return Trial({path: (Edit(start, start + 2, new),)}, "name", 1, 1.0)


def test_two_that_together_repair_everything_come_first() -> None:
    one, other, third = _trial(0), _trial(10, "n.py"), _trial(20)
    partial = [(one, Finding(frozenset("a"))), (third, Finding(frozenset("a"))), (other, Finding(frozenset("b")))]
    first = next(iter(pairs(partial, ["a", "b"], [])))
    assert dict(first.edits) == {"m.py": one.edits["m.py"], "n.py": other.edits["n.py"]}
    assert first.size == 2


def test_edits_of_the_same_place_are_not_joined() -> None:
    assert joined(_trial(0), _trial(1)) is None
    assert joined(_trial(0), _trial(0, new=b"y")) is None
    both = joined(_trial(0), _trial(2))
    assert both is not None
    assert len(both.edits["m.py"]) == 2


def test_without_a_partial_repair_the_likeliest_are_tried_two_at_a_time() -> None:
    singles = [_trial(0), _trial(10), _trial(20)]
    found = list(pairs([], ["a"], singles))
    assert len(found) == 3
    assert dict(found[0].edits)["m.py"] == (*singles[0].edits["m.py"], *singles[1].edits["m.py"])


def _source(text: bytes) -> Source:
    found = read("m.py", text)
    assert found is not None
    return found


def _twin(start: int, end: int, new: bytes, score: float = 0.5) -> Trial:
    return Trial({"m.py": (Edit(start, end, new),)}, "await", 1, score)


def test_the_same_slip_at_two_places_is_tried_together() -> None:
    source = _source(b"f(a)\ng(b)\n")
    one, other, odd = _twin(0, 4, b"await f(a)"), _twin(5, 9, b"await g(b)"), _twin(5, 9, b"g(a)")
    found = twins([one, odd, other], {"m.py": source})
    assert [trial.edits["m.py"] for trial in found] == [(*one.edits["m.py"], *other.edits["m.py"])]


def test_the_same_slip_everywhere_is_tried_too() -> None:
    source = _source(b"a\na\na\n")
    found = twins([_twin(place, place + 1, b"b") for place in (0, 2, 4)], {"m.py": source})
    assert sorted(len(trial.edits["m.py"]) for trial in found) == [2, 2, 2, 3]


def test_a_partial_repair_is_joined_with_what_concerns_the_other_tests() -> None:
    base = Trial({"m.py": (Edit(0, 1, b"x"),)}, "name", 1, 1.0)
    near = Trial({"m.py": (Edit(4, 5, b"x"),)}, "name", 3, 0.2)
    far = Trial({"m.py": (Edit(8, 9, b"x"),)}, "name", 5, 0.9)

    def relevance(missing: frozenset[str]) -> dict[Line, float]:
        return {("m.py", 3): 1.0} if missing == {"b"} else {}

    found = list(pairs([(base, Finding(frozenset("a")))], ["a", "b"], [far, near], relevance=relevance))
    assert found[0].edits["m.py"] == (*base.edits["m.py"], *near.edits["m.py"])


def test_what_lets_a_test_come_further_is_a_base_too() -> None:
    further = Trial({"m.py": (Edit(0, 1, b"x"),)}, "name", 1, 0.1)
    likely = [Trial({"m.py": (Edit(place, place + 1, b"y"),)}, "name", place, 0.9) for place in (10, 20, 30)]
    first = next(iter(pairs([], ["a"], likely, further=[further])))
    assert further.edits["m.py"][0] in first.edits["m.py"]
