"""The bugs that the search is measured on: well-formed, different from each other, and what they are said to be."""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
SINGLE, TWO_PLACE, FAR_SHARE = 60, 15, 0.1
SAMPLE = ("leap_calendar", "two_range_bounds")


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.search_bugs")


@pytest.fixture
def bugs(package: ModuleType) -> tuple[Any, ...]:
    loaded: tuple[Any, ...] = package.load()
    return loaded


def test_there_are_enough_bugs_of_each_group(bugs: tuple[Any, ...]) -> None:
    places = Counter(bug.places for bug in bugs)
    assert places["single"] >= SINGLE
    assert places["two-place"] >= TWO_PLACE
    assert FAR_SHARE <= sum(bug.reach == "far" for bug in bugs) / len(bugs) <= 2 * FAR_SHARE


def test_the_kinds_of_bugs_are_many_and_none_dominates(bugs: tuple[Any, ...]) -> None:
    kinds = Counter(bug.kind for bug in bugs)
    assert len(kinds) >= 25
    assert max(kinds.values()) <= len(bugs) / 8


def test_every_project_is_python_with_and_without_its_fix(bugs: tuple[Any, ...]) -> None:
    for bug in bugs:
        for texts in (bug.sources(fixed=False), bug.sources(fixed=True), {"given": bug.given, "holdout": bug.holdout}):
            for path, text in texts.items():
                ast.parse(text, f"{bug.name}/{path}")


def test_a_fix_changes_meaning_and_not_only_layout(bugs: tuple[Any, ...]) -> None:
    for bug in bugs:
        before, after = bug.sources(fixed=False), bug.sources(fixed=True)
        assert any(ast.dump(ast.parse(before[path])) != ast.dump(ast.parse(after[path])) for path in before), bug.name


def test_a_bug_in_two_places_has_two_edits(bugs: tuple[Any, ...]) -> None:
    assert [bug.name for bug in bugs if bug.places == "two-place" and len(bug.fix) != 2] == []
    assert [bug.name for bug in bugs if bug.group == "single" and len(bug.fix) != 1] == []


def test_projects_are_small_but_not_a_single_function(bugs: tuple[Any, ...]) -> None:
    for bug in bugs:
        lines = sum(len(text.splitlines()) for text in bug.files.values())
        assert 30 <= lines <= 120, (bug.name, lines)
        functions = [node for text in bug.files.values() for node in ast.walk(ast.parse(text)) if _is_function(node)]
        assert len(functions) >= 3, bug.name


def test_hold_out_tests_ask_other_things_than_the_given_ones(bugs: tuple[Any, ...]) -> None:
    for bug in bugs:
        given, holdout = _bodies(bug.given), _bodies(bug.holdout)
        assert given
        assert holdout
        assert not given & holdout, bug.name


def test_no_source_says_what_is_wrong(bugs: tuple[Any, ...]) -> None:
    words = ("bug", "fixme", "todo", "wrong on purpose")
    told = [bug.name for bug in bugs for text in bug.files.values() if any(word in text.lower() for word in words)]
    assert told == []


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_is_what_it_says(package: ModuleType, name: str) -> None:
    validate = importlib.import_module("benchmarks.search_bugs.validate")
    (bug,) = (bug for bug in package.load() if bug.name == name)
    assert validate.complaints_about(bug) == []


def test_hold_out_tests_that_do_not_notice_the_bug_are_complained_about(bugs: tuple[Any, ...]) -> None:
    validate = importlib.import_module("benchmarks.search_bugs.validate")
    (bug,) = (bug for bug in bugs if bug.name == SAMPLE[0])
    blind = "".join(f"def test_{number}():\n    assert True\n" for number in range(5))
    assert validate.complaints_about(replace(bug, holdout=blind)) == [
        f"{bug.name}: with the bug, no hold-out test fails"
    ]


def test_a_fix_that_does_not_fit_is_refused(package: ModuleType) -> None:
    edit = package.Edit(path="a.py", old="x", new="y")
    with pytest.raises(package.BadBugError):
        edit.applied("xx")
    with pytest.raises(package.BadBugError):
        edit.applied("")
    assert edit.applied("ax") == "ay"


def test_a_file_that_lacks_a_key_is_refused(package: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text('about = "x"\n')
    with pytest.raises(package.BadBugError):
        package.read(path)


def test_hold_out_tests_are_written_only_when_asked_for(bugs: tuple[Any, ...], tmp_path: Path) -> None:
    bugs[0].write(tmp_path / "without", fixed=False, holdout=False)
    bugs[0].write(tmp_path / "with", fixed=True, holdout=True)
    names = {path.name for path in (tmp_path / "without").iterdir()}
    assert names == {*bugs[0].files, "test_given.py"}
    assert {path.name for path in (tmp_path / "with").iterdir()} == names | {"test_holdout.py"}


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _bodies(text: str) -> set[str]:
    """Each test, by what it does."""
    tests = [
        node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]
    return {ast.dump(ast.Module(body=[*test.decorator_list, *test.body], type_ignores=[])) for test in tests}  # type: ignore[list-item]  # expressions and statements are dumped alike
