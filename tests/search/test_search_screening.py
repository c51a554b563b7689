"""Many edits share a child at first: what comes of each is known, whatever one of them does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest

from trueup.search.children import Nursery, drained
from trueup.search.facing import Plan
from trueup.search.screening import Batch, Screening
from trueup.search.spectrum import Look
from trueup.search.trial import Finding, Trial
from trueup.search.waiting import Job

STATE: list[int] = []


def doubled(value: int) -> int:
    return value


def _two() -> None:
    assert not STATE
    assert doubled(2) == 4


def _three() -> None:
    assert doubled(3) == 6


def _zero() -> None:
    assert doubled(0) == 0


def _item(function: Callable[[], None]) -> Any:
    return SimpleNamespace(
        name=function.__name__,
        iter_markers=lambda: (),
        fixturenames=[],
        cls=None,
        obj=function,
        path=Path(__file__),
    )


ITEMS = {function.__name__: _item(function) for function in (_two, _three, _zero)}
PLAN = Plan(["_two"], ["_three"], ["_zero"], 0.5, 1.0)


def _line(function: FunctionType, number: int) -> int:
    return function.__code__.co_firstlineno + number


@pytest.fixture
def screening() -> Screening:
    looks = {
        "_two": Look("_two", False, frozenset(), error="AssertionError", reached=_line(_two, 2)),  # type: ignore[arg-type]  # a function
        "_three": Look("_three", False, frozenset(), error="AssertionError", reached=_line(_three, 1)),  # type: ignore[arg-type]  # as above
        "_zero": Look("_zero", True, frozenset()),
    }
    found = Screening(ITEMS, looks, set())
    nursery = Nursery(1)
    nursery.start(lambda voice: found.prepare(list(ITEMS), voice), 5.0, None)
    for said, _ in drained(nursery):
        found.use(list(ITEMS), said.lines)
    assert found.quick(list(ITEMS))
    return found


def _job(text: str) -> Job:
    names: dict[str, Any] = {}
    exec(f"def doubled(value):\n    {text}", names)
    assert isinstance(doubled, FunctionType)
    return Job(Trial({}, "name", 1, 1.0), PLAN, [(doubled, names["doubled"].__code__)])


def _found(screening: Screening, *texts: str) -> list[Finding | None]:
    batch = Batch.of([_job(text) for text in texts])
    nursery = Nursery(1)
    nursery.start(screening.work(batch), 1.5, batch, whole=10.0)
    assert list(drained(nursery))
    return batch.findings()


def test_each_edit_is_told_apart(screening: Screening) -> None:
    nothing, part, breaking, whole = _found(
        screening,
        "return 7",
        "return 4 if value else 0",
        "return 4 + 2 * (value - 2) + (not value)",
        "return value * 2",
    )
    assert nothing == Finding()
    assert part == Finding(repaired=frozenset({"_two"}))
    assert breaking is not None
    assert breaking.broken
    assert whole is None  # it gets a child of its own


def test_an_endless_loop_costs_little_and_the_next_ones_are_tried(screening: Screening) -> None:
    assert _found(screening, "while True: pass", "return value * 2") == [Finding(late=True), None]


def test_the_end_of_the_process_leaves_the_rest_unseen(screening: Screening) -> None:
    texts = ("return 1", "import os; os._exit(0)", "return value * 2")
    assert _found(screening, *texts) == [Finding()]


def test_an_edit_that_changes_something_else_is_the_last_of_its_child(screening: Screening) -> None:
    disturbing = f"import sys; sys.modules[{__name__!r}].STATE.append(1); return 5"
    texts = ("return 1", disturbing, "return value * 2")
    assert len(_found(screening, *texts)) == 2
