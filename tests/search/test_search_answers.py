"""A patch that writes down what a test expects is told apart from one that computes it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from trueup.search.answers import answers
from trueup.search.ranking import ranked
from trueup.search.text import Edit, Source
from trueup.search.trial import Finding, Trial

SOURCE = Source("m.py", b"LONG = 40\n\ndef f(x):\n    return x\n")


def _trial(new: bytes, score: float = 0.5) -> Trial:
    return Trial({"m.py": (Edit(40, 41, new),)}, "constant", 4, score)


def _item(folder: Path, body: str, **parameters: object) -> SimpleNamespace:
    path = folder / "test_it.py"
    path.write_text(f"def test_it():\n    {body}\n")
    return SimpleNamespace(name="test_it", path=path, callspec=SimpleNamespace(params=parameters))


def test_a_value_of_a_failing_test_is_an_answer(tmp_path: Path) -> None:
    item = _item(tmp_path, "assert f(5) == 37")
    assert answers([_trial(b"37"), _trial(b"x + 1"), _trial(b"38")], {"m.py": SOURCE}, [item]) == {0}


def test_a_parameter_of_a_failing_test_is_one_too(tmp_path: Path) -> None:
    item = _item(tmp_path, "pass", given=[("word", 6)])
    assert answers([_trial(b'"word"'), _trial(b"6"), _trial(b"x")], {"m.py": SOURCE}, [item]) == {0, 1}


def test_usual_values_and_those_of_the_program_are_not(tmp_path: Path) -> None:
    item = _item(tmp_path, "assert f(0) == 40 + 1 + 100")
    assert answers([_trial(b"40"), _trial(b"1"), _trial(b"100")], {"m.py": SOURCE}, [item]) == set()


def test_an_answer_comes_behind_everything_else_that_passes() -> None:
    answer, other = _trial(b"37", 0.9), Trial({"m.py": (Edit(5, 6, b"x"),)}, "delete statement", 4, 0.1)
    best = ranked([(answer, Finding()), (other, Finding())], answers={0})
    assert [guess.trial for guess in best] == [other, answer]
    assert [guess.answer for guess in best] == [False, True]
