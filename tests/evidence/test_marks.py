"""Whichever way a mark is looked for: a row is asked exactly when one of its marks is in the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from trueup.evidence import parsers
from trueup.evidence.parsers import framed
from trueup.evidence.parsers.marks import Marks, loud, searchable

TABLES = [
    [parser.marks for parser in parsers._TESTS],
    [parser.marks for parser in parsers._CRASHES],
    [form.marks for form in framed._FORMS],
]
PIECES = sorted({mark for table in TABLES for marks in table for mark in marks})
TEXTS = st.lists(st.sampled_from([*PIECES, *(piece.strip() for piece in PIECES), " ", "\n", "\t", "x", "\x85", "\xa0"]), max_size=8)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(TEXTS.map("".join), st.sampled_from(TABLES))
def test_a_row_is_asked_when_one_of_its_marks_occurs_and_only_then(text: str, table: list[tuple[str, ...]]) -> None:
    lines = text.split("\n")
    whole = searchable(lines)
    expected = [number for number, marks in enumerate(table) if any(mark in whole for mark in marks)]
    assert Marks(table).rows(whole, searchable(loud(lines))) == expected
    assert Marks(table).rows(whole) == expected


def test_every_parser_of_the_table_can_be_loaded() -> None:
    for parser in (*parsers._TESTS, *parsers._CRASHES):
        assert list(parser.read(["nothing that any tool prints"])) == []
