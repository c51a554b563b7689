"""Two edits are joined when each repairs a part, and never when they touch the same place."""

from __future__ import annotations

from trueup.search.pairs import joined, pairs
from trueup.search.text import Edit
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
