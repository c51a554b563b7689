"""Which programs may fail, as a command is written?"""

from __future__ import annotations

import pytest

from trueup.act.command_line import parse_command
from trueup.act.commands import forgiven_programs


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("mypy . || true; pytest", {"mypy"}),
        ("mypy . ||:;pytest", {"mypy"}),
        ("(cd sub && mypy .)||true; pytest", {"mypy"}),
        ("mypy . || true\npytest", {"mypy"}),
        ("mypy . || true && pytest", {"mypy"}),
        ("mypy . | tee log || true; pytest", {"mypy"}),
        ("X=1 uv run python -m mypy . || true", {"mypy"}),
        ("g++ a.cc || true; pytest", {"g++"}),
        ("if mypy . || true; then pytest; fi", {"mypy"}),
    ],
)
def test_a_program_may_fail_before_or_true(command: str, programs: set[str]) -> None:
    assert forgiven_programs((parse_command(command),)) == programs


@pytest.mark.parametrize(
    "command",
    [
        "mypy a || true; mypy b",
        "pip install mypy || true; mypy .",
        "which mypy || true; mypy .",
        "echo 'mypy . || true'; mypy .",
        "mypy . # || true",
        "mypy . || truely",
        "mypy . || true story",
        "mypy . || exit 1",
        "mypy . ||",
        "rm -r out || true; mypy .",
        "mypy .",
    ],
)
def test_it_may_not_where_another_command_or_a_text_says_so(command: str) -> None:
    assert forgiven_programs((parse_command(command),)) == frozenset()


def test_a_recipe_that_minds_outweighs_one_that_does_not() -> None:
    assert forgiven_programs((("mypy", "a", "||", "true"), ("mypy", "b"))) == frozenset()
