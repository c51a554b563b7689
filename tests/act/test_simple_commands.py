"""Which commands does a line run, each in which folder?"""

from __future__ import annotations

import pytest

from trueup.act.commands import simple_commands


@pytest.mark.parametrize(
    ("line", "placed"),
    [
        ("pytest -q", [(".", "pytest -q")]),
        ("cd sub && pytest; ruff check .", [(".", "cd sub"), ("sub", "pytest"), ("sub", "ruff check .")]),
        ("(cd sub && pytest); ruff check .", [(".", "cd sub"), ("sub", "pytest"), (".", "ruff check .")]),
        ("cd a; (cd b; x); y; cd ..; z", [(".", "cd a"), ("a", "cd b"), ("a/b", "x"), ("a", "y"), ("a", "cd .."), (".", "z")]),
        ("((cd q && r)); t", [(".", "cd q"), ("q", "r"), (".", "t")]),
        (") x", [(".", "x")]),
        ("cd /elsewhere && x", [(".", "cd /elsewhere"), (".", "x")]),
    ],
)  # fmt: skip
def test_what_cd_does_between_brackets_ends_with_them(line: str, placed: list[tuple[str, str]]) -> None:
    assert [(folder, " ".join(words)) for folder, words in simple_commands([("sh", "-c", line)])] == placed
