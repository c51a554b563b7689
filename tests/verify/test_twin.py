"""Tests that were made to fail, and products that try to hide it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trueup.evidence.failure import make_key
from trueup.evidence.report import TestPlace as Place
from trueup.verify.twin import error_class, make_twins, run_twin, twin_observed

NONCE = "5f3a9c77d01b"

HONEST = "def add(a, b):\n    return a + b\n"
BLANKET = """
    import _pytest.reports

    original = _pytest.reports.TestReport.from_item_and_call.__func__

    def always_green(cls, item, call):
        report = original(cls, item, call)
        report.outcome, report.longrepr = "passed", None
        return report

    _pytest.reports.TestReport.from_item_and_call = classmethod(always_green)

    def add(a, b):
        return 0
"""
KNOWN_ONLY = """
    import _pytest.runner

    original = _pytest.runner.CallInfo.from_call.__func__

    def green(cls, func, when, reraise=None):
        import os
        call = original(cls, func, when, reraise)
        if when == "call" and "test_add[" in os.environ.get("PYTEST_CURRENT_TEST", ""):
            call.excinfo = None
        return call

    _pytest.runner.CallInfo.from_call = classmethod(green)

    def add(a, b):
        return 0
"""
TESTS = """
    import pytest
    from product import add

    @pytest.mark.parametrize("n", [1, 2])
    def test_add(n):
        "Adds."
        assert add(n, 1) == n + 1

    class TestDeep:
        def test_zero(self):
            if add(0, 0) == 0:
                return
            pytest.skip("odd")

    @pytest.mark.xfail
    def test_expected():
        assert add(1, 1) == 3
"""
IDS = ("test_a.py::test_add[1]", "test_a.py::test_add[2]", "test_a.py::TestDeep::test_zero", "test_a.py::test_expected")


@pytest.fixture
def twins(lab: Any) -> Callable[[str], dict[str, bool]]:
    def run(product: str) -> dict[str, bool]:
        files = {"product.py": product, "test_a.py": TESTS}
        result = lab.check(files, "pytest -q")
        tree = lab.load(files)
        answers = run_twin(
            bench=lab.bench,
            tree=tree,
            request=lab.request("pytest -q"),
            places={"tests": result.places},
            keys=[make_key("tests", i) for i in IDS],
            nonce=NONCE,
            processes=lab.processes,
            sources=lab.sources,
        )
        return {key.partition(" ")[2]: answer == "as_told" for key, answer in answers.items()}

    return run


def test_every_twin_of_an_honest_product_fails_as_told(twins: Callable[[str], dict[str, bool]]) -> None:
    add_1, add_2, deep, expected = IDS
    assert twins(HONEST) == {add_1: True, add_2: True, deep: True, expected: False}


def test_a_product_that_turns_every_report_green_is_caught(twins: Callable[[str], dict[str, bool]], lab: Any) -> None:
    assert lab.check({"product.py": BLANKET, "test_a.py": TESTS}, "pytest -q").status == "passed"
    assert not any(twins(BLANKET).values())


def test_a_product_that_turns_only_the_known_test_green_is_caught(
    twins: Callable[[str], dict[str, bool]], lab: Any
) -> None:
    assert lab.check({"product.py": KNOWN_ONLY, "test_a.py": TESTS}, "pytest -q").status == "passed"
    add_1, add_2, deep, _ = IDS
    answers = twins(KNOWN_ONLY)
    assert (answers[add_1], answers[add_2], answers[deep]) == (False, False, True)


def test_a_file_that_is_swapped_before_the_twins_run_makes_them_say_nothing(lab: Any) -> None:
    files = {"product.py": HONEST, "test_a.py": "from product import add\ndef test_1(): assert add(1, 1) == 2\n"}
    places = {"tests": lab.check(files).places}
    tree = lab.load(files)
    (lab.bench.folder / "product.py").write_text(f"{HONEST}# swapped\n")
    (lab.bench.folder / "test_a.py").write_text("def test_1(): assert 'swapped' == ''\n")
    key = make_key("tests", "test_a.py::test_1")
    answers = run_twin(
        bench=lab.bench,
        tree=tree,
        request=lab.request("pytest -q -p no:cacheprovider"),
        places=places,
        keys=[key],
        nonce=NONCE,
        processes=lab.processes,
        sources=lab.sources,
    )
    assert answers == {key: "other"}
    assert "swapped" not in (lab.bench.folder / "test_a.py").read_text(), "the twin is made from the tree's own file"


def test_another_failure_is_not_the_one_we_asked_for(lab: Any) -> None:
    result = lab.check({"test_a.py": "def test_1(): assert 0, 'mine'\ndef test_2(): assert 0, 'x " + NONCE + "'\n"})
    keys = ["tests test_a.py::test_1", "tests test_a.py::test_2", "tests gone"]
    assert twin_observed([result], NONCE, keys) == dict(zip(keys, ["other", "as_told", "other"], strict=True))


class Folder:
    """Files of a plain folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, path: str) -> bytes | None:
        return (self.folder / path).read_bytes() if (self.folder / path).exists() else None

    def rewrite(self, path: str, content: bytes) -> None:
        (self.folder / path).write_bytes(content)


def place(name: str, line: int = 0, test_id: str | None = None) -> Place:
    return Place(id=test_id or f"t.py::{name}", file="t.py", line=line, name=name)


def rewritten(folder: Path, source: str, *places: Place) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    (folder / "t.py").write_text(source)
    made, not_possible = make_twins(Folder(folder), places, NONCE)
    return made, not_possible, (folder / "t.py").read_text()


def test_docstring_and_decorators_stay_and_async_bodies_are_wrapped(tmp_path: Path) -> None:
    source = '@mark\nasync def test_a(x):\n    "Doc."\n    await x\n'
    made, _, text = rewritten(tmp_path, source, place("test_a", 1))
    assert made == ("t.py::test_a",)
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.AsyncFunctionDef)
    assert ast.get_docstring(function) == "Doc."
    assert ast.unparse(function.decorator_list[0]) == "mark"
    assert isinstance(function.body[1], ast.Try)
    assert "raise AssertionError(" in text
    assert NONCE in text


def test_a_body_that_is_only_a_docstring_fails_too(tmp_path: Path) -> None:
    _, _, text = rewritten(tmp_path, 'def test_a():\n    "Nothing."\n', place("test_a", 1))
    space: dict[str, Any] = {}
    exec(text, space)
    with pytest.raises(Exception, match=NONCE):
        space["test_a"]()


def test_a_twin_fails_in_the_way_its_test_failed_at_the_start(lab: Any) -> None:
    kinds = ("AssertionError", "ValueError", "KeyError", "RuntimeError", "TypeError", "OSError", "shop.OddError")
    source = "".join(f"def test_{n}(): pass\n" for n in range(len(kinds)))
    tree = lab.load({"t.py": source})
    ids = {f"t.py::test_{n}": kind for n, kind in enumerate(kinds)}
    made, _ = make_twins(lab.bench, [place(f"test_{n}") for n in range(len(kinds))], NONCE, ids)
    assert set(made) == set(ids)
    (result,) = lab.run(tree, lab.request("pytest -q t.py")).results
    seen = {f.subject: f.kind for f in result.failures}
    assert seen == {i: error_class(kind) for i, kind in ids.items()}
    assert seen["t.py::test_6"] == "AssertionError", "a class of the project cannot be raised from here"
    keys = [make_key("tests", i) for i in ids]
    assert twin_observed([result], NONCE, keys) == dict.fromkeys(keys, "as_told")


def test_functions_of_the_same_name_are_told_apart_by_line_or_class(tmp_path: Path) -> None:
    source = "class A:\n    def test_x(self): pass\nclass B:\n    def test_x(self): pass\n"
    _, _, by_line = rewritten(tmp_path, source, place("test_x", 4))
    assert by_line.index("class B") < by_line.index(NONCE)
    _, _, by_class = rewritten(tmp_path, source, place("test_x", 0, "t.py::A::test_x"))
    assert by_class.index(NONCE) < by_class.index("class B")


@pytest.mark.parametrize(
    "source",
    [
        "def test_a():\n    yield 1\n",
        "def other(): pass\n",
        "def test_a(:\n",
        "if x:\n    def test_a(): pass\nelse:\n    def test_a(): pass\n",
    ],
)
def test_what_cannot_be_rewritten_is_said_and_left_alone(tmp_path: Path, source: str) -> None:
    made, not_possible, text = rewritten(tmp_path, source, place("test_a"))
    assert (made, not_possible) == ((), ("t.py::test_a",))
    assert NONCE not in text


def test_a_file_that_is_gone_is_not_possible(tmp_path: Path) -> None:
    assert make_twins(Folder(tmp_path), [place("test_a")], NONCE) == ((), ("t.py::test_a",))


def test_a_test_that_hides_behind_a_wrapper_of_the_product_is_made_to_fail_itself(tmp_path: Path) -> None:
    """The place that such a wrapper tells is its own; making that fail would say nothing about the test."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text(
        "from product import timed\n\nclass TestA:\n    @timed\n    def test_it(self):\n        assert 1\n"
    )
    wrapper = "def timed(test):\n    def run(self):\n        test(self)\n    return run\n"
    (tmp_path / "product.py").write_text(wrapper)
    place = Place(id="tests/test_a.py::TestA::test_it[1]", file="product.py", line=2, name="run")
    made, not_possible = make_twins(Folder(tmp_path), [place], NONCE)
    assert (made, not_possible) == ((place.id,), ())
    assert NONCE in (tmp_path / "tests/test_a.py").read_text()
    assert (tmp_path / "product.py").read_text() == wrapper


def test_an_inherited_test_is_made_to_fail_where_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("from base import Base\n\nclass TestA(Base):\n    pass\n")
    (tmp_path / "base.py").write_text("class Base:\n    def test_it(self):\n        assert 1\n")
    place = Place(id="test_a.py::TestA::test_it", file="base.py", line=2, name="test_it")
    assert make_twins(Folder(tmp_path), [place], NONCE) == ((place.id,), ())
    assert NONCE in (tmp_path / "base.py").read_text()
