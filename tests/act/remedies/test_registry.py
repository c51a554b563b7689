"""Rows of YAML: read, refused, matched; templates that cannot be slow."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from trueup.act.remedies.registry import bundled, read_rows, registry
from trueup.act.remedies.templates import Template, filled
from trueup.errors import UsageError

from .conftest import Proposed, failure

Propose = Callable[..., list[Proposed]]

ROW = b"""
- name: own
  check: [lint, "t*"]
  kind: E1*
  file: "*.txt"
  message: "say {old} instead of {new:name}"
  fix: replace
  with: {find: "{old}", put: "{new}"}
"""


def test_a_row_of_ones_own_leads_from_a_message_to_an_edit(propose: Propose) -> None:
    rows = registry([("own.yaml", ROW)])
    about = failure('say "x" instead of', check="types", kind="E123", file="a.txt")
    assert propose({"a.txt": "x y x"}, about, rows=rows) == []
    about = failure("say x instead of y-z.", check="types", kind="E123", file="a.txt")
    assert propose({"a.txt": "x y x"}, about, rows=rows) == [{"a.txt": b"y-z y y-z"}]


@pytest.mark.parametrize(
    "about",
    [
        failure("say x instead of y", check="lint", kind="W1", file="a.txt"),
        failure("say x instead of y", check="smoke", kind="E1", file="a.txt"),
        failure("say x instead of y", check="lint", kind="E1", file="a.py"),
        failure("say x", check="lint", kind="E1", file="a.txt"),
        failure("say x instead of y", check="lint", kind="E1"),
    ],
)
def test_a_row_is_about_nothing_else(propose: Propose, about: object) -> None:
    rows = registry([("own.yaml", ROW)])
    own = type(rows)(rows=rows.rows[:1])
    assert propose({"a.txt": "x", "a.py": "x"}, about, rows=own) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"- name: a\n  fix: replace\n  with: {find: a, put: b}\n  chek: x\n", "Did you mean 'check'"),
        (b"- name: a\n  fix: repalce\n", "Did you mean 'replace'"),
        (b"- name: a\n  fix: replace\n  with: {fnd: a, put: b}\n", "Did you mean 'find'"),
        (b"- name: a\n  fix: replace\n  with: {find: a}\n", "needs 'put'"),
        (b"- name: a\n  fix: replace\n  with: [1]\n", "'with' is not a table"),
        (b"- name: a\n  fix: repair-text\n  message: 'x {a:number}'\n", "not 'number'"),
        (b"- name: a\n  fix: repair-text\n  message: '{a} {a}'\n", "twice"),
        (b"- name: a\n  fix: repair-text\n  message: ' '\n", "a text that a message can hold"),
        (b"- name: a\n  fix: repair-text\n  check: 3\n", "a list of texts"),
        (b"- name: a\n  fix: repair-text\n- name: a\n  fix: repair-text\n", "two remedies are named 'a'"),
        (b"- fix: repair-text\n", "has no 'name'"),
        (b"- text\n", "is not a table"),
        (b"a: 1\n", "is not a list of remedies"),
        (b"a: [\n", "is not valid YAML"),
        (b"- !!python/object/apply:os.system [true]\n", "is not valid YAML"),
        (b"#" * 1_000_001, "larger than"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_a_way_out(content: bytes, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_rows(content, "own.yaml")
    assert words in str(caught.value)
    assert "own.yaml" in str(caught.value)


def test_a_row_with_the_name_of_a_bundled_one_replaces_it_and_none_switches_it_off() -> None:
    name = bundled()[0].name
    other = registry([("own.yaml", f"- name: {name}\n  fix: delete-line\n".encode())])
    assert [row.fix for row in other.rows if row.name == name] == ["delete-line"]
    off = registry([("own.yaml", f"- name: {name}\n  fix: none\n".encode())])
    assert name not in [row.name for row in off.rows]
    assert len(off.rows) == len(bundled()) - 1


def test_all_that_is_bundled_is_named_once() -> None:
    names = [row.name for row in bundled()]
    assert len(names) == len(set(names)) > 60


# --- templates --------------------------------------------------------------------------------------------------


def test_quotes_and_spaces_of_a_template_stand_for_any() -> None:
    template = Template("No module named '{module}'")
    assert template.match('No  module\nnamed "a.b_c"') == {"module": "a.b_c"}
    assert template.match("No module named 'a.b.'") is None
    assert Template("{all:text} at {line:version} and {rest:text}").match("x: y at 3.1 and so on\nnot") == {
        "all": "x: y",
        "line": "3.1",
        "rest": "so on",
    }


def test_no_message_makes_a_template_slow() -> None:
    template = Template("{a:text}: {b:text}: {c:text}; {d:path} {e} {f}!")
    began = time.process_time()
    for text in (": " * 4000, "a" * 8000, "a-" * 4000, "/" * 8000, "a: " * 3000 + ";"):
        assert template.match(text) is None
    assert time.process_time() - began < 2.0


def test_a_placeholder_of_a_parameter_that_nobody_knows_stays_as_written() -> None:
    assert filled("{a} {b}", {"a": "x"}) == "x {b}"


# --- declarative fixers -----------------------------------------------------------------------------------------


def row(fix: str, **parameters: object) -> list[tuple[str, bytes]]:
    import json

    return [("own.yaml", json.dumps([{"name": "own", "fix": fix, "with": parameters}]).encode())]


@pytest.mark.parametrize(
    ("fix", "parameters", "after"),
    [
        ("replace", {"find": "b", "put": "x"}, "a\r\nx\r\nx"),
        ("replace", {"find": "b", "put": "x", "once": True}, "a\r\nx\r\nb"),
        ("insert", {"line": "x", "after": "a"}, "a\r\nx\r\nb\r\nb"),
        ("insert", {"line": "x", "before": "b"}, "a\r\nx\r\nb\r\nb"),
        ("insert", {"line": "x", "at": "start"}, "x\r\na\r\nb\r\nb"),
        ("insert", {"line": "x"}, "a\r\nb\r\nb\r\nx\r\n"),
        ("insert", {"line": "b"}, None),
        ("insert", {"line": "x", "after": "nowhere"}, None),
        ("delete-line", {"line": "b"}, "a\r\n"),
        ("delete-line", {"holding": "a"}, "b\r\nb"),
        ("delete-line", {}, "a\r\nb"),
        ("delete-line", {"line": "nowhere"}, None),
        ("replace", {"find": "nowhere", "put": "x"}, None),
        ("replace", {"find": "b", "put": "x", "file": "../other.txt"}, None),
        ("run-tool", {"tool": "rm"}, None),
    ],
)
def test_what_a_row_can_say_about_a_file(
    propose: Propose, fix: str, parameters: dict[str, object], after: str | None
) -> None:
    about = failure("x", check="lint", file="a.txt", line=2)
    found = propose({"a.txt": "a\r\nb\r\nb"}, about, rows=registry(row(fix, **parameters)))
    assert found == ([] if after is None else [{"a.txt": after.encode()}])
