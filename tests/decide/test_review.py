"""Demands have fingerprints: the same demand in other words is the same, and a circle of demands is one."""

from trueup.decide.review import Aspect, Point, ReviewVerdict, distinct, fingerprints, point_fingerprint, repeated

A = Point(
    aspect=Aspect.CORRECTNESS, demand="an empty cart has a total of 0", subject="total of nothing", file="cart.py"
)
B = Point(aspect=Aspect.APPROACH, demand="use the cart's own currency", subject="currency", file="cart.py")


def said(
    *points: Point, tree: str = "t1", approved: bool = False, feedback: str = "no", **more: object
) -> ReviewVerdict:
    return ReviewVerdict(approved=approved, feedback=feedback, points=points, tree=tree, **more)  # type: ignore[arg-type]


def told(demand: str, **more: str) -> str:
    return point_fingerprint(Point(aspect=Aspect.CORRECTNESS, demand=demand, **more))


def test_other_words_about_the_same_subject_are_the_same_demand() -> None:
    one = told("an empty cart has a total of 0", subject="total of nothing", file="cart.py")
    assert told("Nothing in it costs nothing!", subject="Total  of nothing", file="CART.py") == one
    assert told("an empty cart has a total of 0", subject="total of one", file="cart.py") != one
    assert told("an empty cart has a total of 0", subject="total of nothing", file="shop.py") != one


def test_the_aspect_belongs_to_the_demand() -> None:
    points = [Point(aspect=aspect, demand="d", subject="s") for aspect in Aspect]
    assert len(set(map(point_fingerprint, points))) == len(Aspect)


def test_without_a_subject_the_words_tell_whatever_their_order_and_the_fillers() -> None:
    one = told("Total must not be None")
    assert told("the total should not be none, please") == one
    assert told("Total must be None") != one, "`not` says something"
    assert told("Total must not be 12") != told("Total must not be 13")


def test_two_demands_about_one_file_are_two() -> None:
    assert told("close the file", file="cart.py") != told("round to cents", file="cart.py")


def test_a_rejection_without_points_is_one_demand() -> None:
    assert fingerprints(said(feedback="use the currency")) == fingerprints(said(feedback="Use the currency."))
    assert fingerprints(said(feedback="use the currency")) != fingerprints(said(feedback="round to cents"))


def test_a_demand_that_is_made_again_of_other_files_is_a_repetition() -> None:
    first = said(A, tree="t1")
    assert repeated([first], said(A, tree="t2")) is first
    assert repeated([first], said(A, B, tree="t2")) is first, "with something else on top, it is still not met"


def test_what_was_met_in_part_is_none() -> None:
    assert repeated([said(A, B, tree="t1")], said(A, tree="t2")) is None
    assert repeated([said(A, tree="t1")], said(B, tree="t2")) is None


def test_the_same_files_may_be_turned_down_again_and_an_approval_demands_nothing() -> None:
    assert repeated([said(A, tree="t1")], said(A, tree="t1")) is None
    assert repeated([said(tree="t1", approved=True)], said(tree="t2")) is None


def test_flipping_between_two_demands_is_a_repetition() -> None:
    first, second = said(A, tree="t1", round=1), said(B, tree="t2", round=2)
    assert repeated([first], second) is None
    assert repeated([first, second], said(A, tree="t3")) is first


def test_verdicts_that_say_the_same_are_told_once_by_the_latest_of_them() -> None:
    first, other, again = said(A, tree="t1"), said(B, tree="t2"), said(A, tree="t3", feedback=" no ")
    assert distinct([first, other, again]) == (other, again)
    assert distinct([]) == ()
