"""A linter says the same in all its forms: for people, grouped, for GitHub, as pylint does, as JSON."""

from __future__ import annotations

import json

import pytest

from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text


def identities(text: str) -> set[str]:
    return {fingerprint(f) for f in failures_from_text("lint", text, exit_code=1, sources=lambda _: None)}


CONCISE = "src/desk.py:30:12: F401 [*] `os` imported but unused\nFound 1 error.\n"


def test_ruff_is_the_same_grouped_by_file() -> None:
    grouped = "src/desk.py:\n  30:12 F401 [*] `os` imported but unused\n\nFound 1 error.\n[*] 1 fixable with `--fix`.\n"
    assert identities(grouped) == identities(CONCISE)
    assert len(identities("src/desk.py:\n  30:12 F401 [*] a\n  31:1 E722 b\nsrc/a.py:\n  1:1 E722 b\n")) == 3


def test_a_place_without_a_file_above_it_is_no_complaint_of_a_group() -> None:
    assert identities("  30:12 F401 a\nsrc/desk.py:\n  fine\n") != identities("src/desk.py:\n  30:12 F401 a\n")


def test_ruff_is_the_same_as_pylint_says_it() -> None:
    assert identities("src/desk.py:30: [F401] `os` imported but unused\n") == identities(CONCISE)


def test_ruff_is_the_same_as_an_annotation() -> None:
    note = "::error title=ruff (F401),file=/srv/ci/src/desk.py,line=31,col=12::src/desk.py:31:12: F401 `os` imported but unused"
    assert identities(note) == identities(f"{note}%0A  help: Remove unused import: `os`") == identities(CONCISE)


def test_the_label_that_ruff_shows_stands_behind_the_message_of_its_short_form() -> None:
    whole = (
        "F811 Redefinition of unused `a` from line 28\n  --> desk.py:30:9\n   |\n30 | def a(): pass\n"
        "   |     ^ `a` redefined here\n   |\n\nFound 1 error.\n"
    )
    short = "desk.py:30:9: F811 Redefinition of unused `a` from line 28: `a` redefined here\nFound 1 error.\n"
    assert identities(whole) == identities(short)


def test_eslint_drops_the_full_stop_in_its_report_for_people() -> None:
    stylish = (
        "/srv/ci/desk.js\n  5:3  error  Unexpected console statement  no-console\n\n✖ 1 problem (1 error, 0 warnings)\n"
    )
    told = '[{"filePath":"/srv/ci/desk.js","messages":[{"ruleId":"no-console","severity":2,"message":"Unexpected console statement.","line":5}]}]'
    assert identities(stylish) == identities(told)


def test_bats_is_the_same_in_both_of_its_kinds_of_tap() -> None:
    plain = "1..1\nnot ok 1 lends\n# (in test file test/a.bats, line 10)\n#   `[ 1 -eq 0 ]' failed\n# overdue: 40\n"
    yaml = (
        "TAP version 13\n1..1\nnot ok 1 lends\n  ---\n  message: |\n    (in test file test/a.bats, line 12)\n"
        "      `[ 1 -eq 0 ]' failed\n    overdue: 40\n  ...\n"
    )
    assert identities(plain) == identities(yaml)


def test_maven_tells_below_which_symbol_it_cannot_find() -> None:
    text = "[ERROR] /srv/ci/lib/Desk.java:[12,5] cannot find symbol\n{0}  symbol:   method {1}()\n{0}  location: class lib.Desk\n"
    assert identities(text.format("", "lend")) == identities(text.format("[ERROR] ", "lend"))
    assert identities(text.format("", "lend")) != identities(text.format("", "renew"))
    bare = "[ERROR] /srv/ci/lib/Desk.java:[12,5] cannot find symbol"
    assert identities(bare) == identities(f"{bare}\n[INFO] 1 error\n")


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ({"line": 3}, 3),
        ({"location": {"row": 3, "column": 8}}, 3),
        ({"loc": {"start": {"line": 3}}}, 3),
        ({"range": {"start": {"line": 2, "character": 0}}}, 3),
        ({"location": {"start_line": 3}}, 3),
        ({"start_line_no": 3}, 3),
        ({"location": {"start": {"begin": {"line": 3}}}}, None),
        ({"location": "a.py"}, None),
        ({"line": True}, None),
        ({"line": -4}, None),
        ({}, None),
    ],
)
def test_the_line_of_a_finding_in_json_stands_beside_it_or_in_its_place(
    place: dict[str, object], line: int | None
) -> None:
    said = json.dumps([{"code": "F401", "filename": "a.py", "message": "unused", **place}])
    (failure,) = failures_from_text("lint", said, exit_code=1, sources=lambda _path: None)
    assert (failure.subject, failure.line) == ("a.py F401", line)
