"""Values that equal what they cannot equal, seen from inside a rewritten test."""

import ast
from typing import Any

import pytest

from trueup.verify.strangers import with_strangers

NONCE = "abc123"


class Anything:
    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]  # it equals everything


class AtMost:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return bool(self.value <= other)

    __hash__ = None  # type: ignore[assignment]  # as above


class Once:
    """True for the second one that asks."""

    asked = 0

    def __eq__(self, other: object) -> bool:
        Once.asked += 1
        return Once.asked % 2 == 0

    __hash__ = None  # type: ignore[assignment]  # as above


class Odd:
    def __eq__(self, other: object) -> bool:
        raise TypeError("cannot be compared")

    __hash__ = None  # type: ignore[assignment]  # as above


class Case:
    def assertEqual(self, left: object, right: object) -> None:
        assert left == right


def lied(source: str, **names: Any) -> bool:
    """Run the rewritten body; whether something in it equalled a stranger."""
    body, found = with_strangers(ast.parse(source).body, NONCE)
    assert found is not None
    module = ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))
    space: dict[str, Any] = {"self": Case(), **names}
    exec(ast.unparse(module), space)
    return bool(space[ast.unparse(found)])


@pytest.mark.parametrize(
    ("value", "expected"), [(Anything(), 5), ([Anything()], [5]), ({"a": Anything()}, {"a": 5}), ((Anything(),), (5,))]
)
def test_a_value_that_equals_everything_is_found_wherever_it_lies(value: Any, expected: Any) -> None:
    assert lied("assert x == expected", x=value, expected=expected)


def test_one_honest_part_is_enough_to_differ_from_a_stranger() -> None:
    assert not lied("assert x == (1, 5)", x=(1, Anything()))


@pytest.mark.parametrize(
    "source",
    [
        "assert x == 5",
        "assert 5 == x",
        "assert not x != 5",
        "assert True and (x == 5)",
        "if x != 5:\n    raise ValueError",
        "self.assertEqual(x, 5)",
        "self.assertEqual(5, x)",
    ],
)
def test_it_is_found_in_every_kind_of_assertion(source: str) -> None:
    assert lied(source, x=Anything())
    assert not lied(source, x=5)


def test_a_value_that_equals_too_much_is_found_by_a_neighbour() -> None:
    assert lied("assert x == 5", x=AtMost(-1))
    assert lied("assert x == 'b'", x=AtMost("a"))


def test_counting_the_comparisons_does_not_help() -> None:
    assert lied("try:\n    assert x == 5\nexcept AssertionError:\n    pass", x=Once())


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("assert x == float('inf')", {"x": float("inf")}),
        ("assert x == 1e300", {"x": 1e300}),
        ("assert x == []", {"x": []}),
        ("assert x == pytest.approx(0.3)", {"x": 0.1 + 0.2, "pytest": pytest}),
        ("assert x == any_of_them", {"x": 5, "any_of_them": Anything()}),
        ("assert x == {'a': any_of_them}", {"x": {"a": 5}, "any_of_them": Anything()}),
        ("try:\n    assert x == 5\nexcept TypeError:\n    pass", {"x": Odd()}),
        ("type = object = len = None\nassert x == 5", {"x": 5}),
    ],
)
def test_honest_values_and_matchers_of_the_tests_are_not_blamed(source: str, names: dict[str, Any]) -> None:
    assert not lied(source, **names)


@pytest.mark.parametrize(
    "source", ["x = column == 5", "assert x < 5", "assert x", "f(lambda c: c == 5)", "assert a == b == c"]
)
def test_what_decides_nothing_or_compares_otherwise_is_left_alone(source: str) -> None:
    module = ast.parse(source)
    before = ast.unparse(module)
    assert with_strangers(module.body, NONCE) == (module.body, None)
    assert ast.unparse(module) == before
