"""A value is its parts: it cannot be changed, and two with the same parts are the same."""

from __future__ import annotations

import pytest

from trueup.evidence.told import Phase, Told
from trueup.evidence.values import Value


class Place(Value):
    path: str
    line: int = 0


class Other(Value):
    path: str
    line: int = 0


def test_values_with_the_same_parts_are_the_same_whether_a_part_was_given_or_is_usual() -> None:
    assert Place(path="a.py") == Place(path="a.py", line=0)
    assert hash(Place(path="a.py")) == hash(Place(path="a.py", line=0))
    assert len({Place(path="a.py"), Place(path="a.py", line=0), Place(path="a.py", line=1)}) == 2


def test_another_part_or_another_class_is_another_value() -> None:
    assert Place(path="a.py") != Place(path="b.py")
    assert Place(path="a.py") != Other(path="a.py")


def test_a_value_cannot_be_changed_only_made_again_with_other_parts() -> None:
    place = Place(path="a.py", line=3)
    with pytest.raises(AttributeError, match=r"Place\.line cannot be changed"):
        place.line = 4
    assert place.but(line=4) == Place(path="a.py", line=4)
    assert place.line == 3


def test_a_value_shows_its_parts() -> None:
    assert repr(Place(path="a.py")) == "Place(path='a.py', line=0)"


def test_what_was_told_has_the_key_of_its_failure() -> None:
    told = Told(check="tests", subject="a.py::b", kind="KeyError", message="", excerpt="", test=True)
    assert (told.key, told.phase) == ("tests a.py::b", Phase.RUN)
