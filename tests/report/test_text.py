"""Text from outside must not draw on the screen; amounts and names must read well."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.evidence.failure import make_key
from trueup.report.text import (
    block,
    cells,
    clock,
    cut,
    labelled,
    name_list,
    one_line,
    packed,
    plain,
    short_name,
    span,
    wording,
)

FORBIDDEN = {
    *map(chr, range(32)),
    *map(chr, range(0x7F, 0xA0)),
    *"\u200b\u200e\u200f\u2028\u2029\u202a\u202d\u202e\u2066\u2069\ufeff",
}


@given(st.text())
def test_no_control_or_reordering_character_survives_on_one_line(text: str) -> None:
    assert not FORBIDDEN & set(plain(text))
    assert not FORBIDDEN & set(one_line(text))


@given(st.text())
def test_several_lines_keep_only_line_breaks_and_tabs(text: str) -> None:
    assert not (FORBIDDEN - {"\n", "\t"}) & set(block(text))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;owned\x07title", "title"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;never closed", "\\x1b]52;c;never closed"),
        ("a\u202egpj.exe", "a\\u202egpj.exe"),
        ("two\nlines", "two\\nlines"),
        ("lone \udc80 byte", "lone \\udc80 byte"),
    ],
)
def test_colours_go_and_everything_else_becomes_visible(raw: str, shown: str) -> None:
    assert plain(raw) == shown


def test_a_wide_character_takes_two_columns_when_a_line_is_cut() -> None:
    assert cells("日本") == 4
    assert cut("日本語テキスト", 7) == "日本語…"
    assert cut("short", None) == "short"


@given(st.text(), st.integers(min_value=1, max_value=60))
def test_a_cut_line_never_needs_more_columns_than_there_are(text: str, width: int) -> None:
    assert cells(cut(text, width)) <= width


@pytest.mark.parametrize(
    ("seconds", "text"), [(6, "6 s"), (90, "90 s"), (2700, "45 min"), (5400, "1 h 30 min"), (3600, "1 h")]
)
def test_a_span_reads_like_speech(seconds: float, text: str) -> None:
    assert span(seconds) == text


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (91, "1:31"), (59.6, "1:00"), (3723, "1:02:03")])
def test_a_clock_counts_minutes_and_hours(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_a_test_is_named_without_its_folders_and_with_its_values() -> None:
    assert (
        short_name(make_key("tests", "tests/unit/test_a.py::TestX::test_y[a::b/c]"))
        == "test_a.py::TestX::test_y[a::b/c]"
    )
    assert short_name(make_key("lint", "")) == "lint"


def test_a_bare_name_is_used_only_while_it_is_unique() -> None:
    keys = [make_key("t", "tests/test_a.py::test_x"), make_key("t", "tests/test_b.py::test_x")]
    assert name_list(keys[:1]) == "test_x"
    assert name_list(keys) == "test_a.py::test_x, test_b.py::test_x"


def test_a_long_list_of_names_is_counted_to_fit_its_room() -> None:
    keys = [make_key("t", f"tests/test_a.py::test_{n}") for n in range(9)]
    assert name_list(keys) == "test_0, test_1, test_2 and 6 more"
    assert name_list(keys, room=20) == "test_0 and 8 more"
    assert name_list(keys, room=5) == "9 tests"


@pytest.mark.parametrize(
    ("kind", "message", "text"),
    [
        ("AssertionError", "assert 90 == 85\n  + where 90 = total()", "assert 90 == 85"),
        ("AssertionError", "AssertionError: assert 1 == 2", "assert 1 == 2"),
        ("KeyError", "'discount'", "KeyError: 'discount'"),
        ("KeyError", "KeyError: 'discount'", "KeyError: 'discount'"),
        ("timeout", "", "timeout"),
    ],
)
def test_a_failure_is_quoted_by_its_own_line(kind: str, message: str, text: str) -> None:
    assert wording(kind, message) == text


def test_items_are_broken_only_between_two_items() -> None:
    rows = packed("tried", ["a" * 40, "b" * 40, "c" * 40], gap=" · ", width=100)
    assert rows == [labelled("tried", f"{'a' * 40} · {'b' * 40}"), labelled("", "c" * 40)]
