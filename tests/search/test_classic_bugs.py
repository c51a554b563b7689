"""The textbook algorithms that the search is measured on: each is Python, and its fix changes one place."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
FEWEST = 40


@pytest.fixture
def bugs(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    monkeypatch.syspath_prepend(str(ROOT))
    loaded: tuple[Any, ...] = importlib.import_module("benchmarks.search_bugs").load("classics")
    return loaded


def test_there_are_enough_of_them(bugs: tuple[Any, ...]) -> None:
    assert len(bugs) >= FEWEST
    assert {bug.group for bug in bugs} == {"single"}


def test_each_has_one_fix_that_changes_what_it_means(bugs: tuple[Any, ...]) -> None:
    for bug in bugs:
        assert len(bug.fix) == 1, bug.name
        before, after = bug.sources(fixed=False), bug.sources(fixed=True)
        assert [ast.dump(ast.parse(text)) for text in before.values()] != [
            ast.dump(ast.parse(text)) for text in after.values()
        ], bug.name


def test_with_the_fix_all_cases_are_right_and_with_the_bug_one_of_each_kind_is_wrong(bugs: tuple[Any, ...]) -> None:
    """In this process, for a few that come to an end also with the bug."""
    ending = {"quick_sort", "kadane", "leap_days", "rotated_list", "interval_union"}
    chosen = [bug for bug in bugs if bug.name in ending]
    assert len(chosen) == len(ending)
    for bug in chosen:
        for tests in (bug.given, bug.holdout):
            assert all(_outcomes(bug.sources(fixed=True), tests)), bug.name
            assert not all(_outcomes(bug.sources(fixed=False), tests)), bug.name


def _outcomes(sources: dict[str, str], tests: str) -> list[bool]:
    (text,) = sources.values()
    names: dict[str, Any] = {}
    exec(text, names)
    tree = ast.parse(tests)
    function = next(one for one in tree.body if isinstance(one, ast.FunctionDef))
    mark = function.decorator_list[0]
    assert isinstance(mark, ast.Call)
    (called,) = (one.names[0].name for one in tree.body if isinstance(one, ast.ImportFrom))
    return [names[called](*given) == expected for given, expected in ast.literal_eval(mark.args[1])]
