"""Texts made from a parser's own patterns: none breaks it, and twice as much of one takes about twice as long."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueup.evidence.parsers import found_in_report
from trueup.evidence.parsers.found import MOST_FAILURES, Found, harmless
from trueup.evidence.places import Frame
from trueup.evidence.text import failures_from_text

sys.path.insert(0, str(Path(__file__).parent.parent.parent))
from benchmarks.adversary import hard_lines, readers

sys.path.pop(0)

READERS = readers()


def seconds(name: str, lines: list[str]) -> float:
    started = time.process_time()
    for _ in islice(READERS[name][0](lines), MOST_FAILURES):
        pass
    return time.process_time() - started


@pytest.mark.parametrize("name", READERS)
def test_no_mixture_of_what_its_patterns_nearly_match_breaks_a_parser(name: str) -> None:
    read, marks = READERS[name]
    line = st.sampled_from(hard_lines(read, marks))

    @settings(max_examples=8, deadline=None)
    @given(st.lists(line | line.map(lambda text: f"    {text}") | st.just(""), max_size=20))
    def holds(lines: list[str]) -> None:
        for found in read(lines):
            assert found.kind
            assert all(0 <= number < len(lines) for number in found.span)

    holds()


@pytest.mark.parametrize("name", READERS)
def test_the_hardest_texts_take_time_in_proportion_to_their_size(
    name: str, linear: Callable[[Callable[[int], object]], bool]
) -> None:
    pieces = hard_lines(*READERS[name])
    texts = [[piece] * (2_000 // (len(piece) + 1)) for piece in pieces] + [pieces, [f"    {piece}" for piece in pieces]]
    hardest = max(texts, key=lambda lines: seconds(name, lines))
    assert linear(lambda times: seconds(name, hardest * (2 * times)))


def nothing(path: str) -> None:
    return None


SARIF = '{"runs": [{"results": [{"ruleId": "R\\u009b31m1", "message": {"text": "a\\u001b]0;t\\u0007b\\r"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a%1bcb.py"}, "region": {"snippet": {"text": "x\\u202e = 1"}}}}]}]}]}'  # fmt: skip
JUNIT = "<testsuite><testcase classname='a&#155;31m' name='t&#8238;x'><failure type='E&#127;' message='m&#133;'>b</failure></testcase></testsuite>"
GO = '{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\\n    a_test.go:1: \\u001b[31mred\\u0000\\n"}'
JSON = '[\n{"file": "a.py", "line": 1, "severity": "error", "message": "m\\u001b[2J", "code": "C1"}\n]'


@pytest.mark.parametrize("text", [SARIF, JUNIT, GO, JSON], ids=["sarif", "junit", "go", "json"])
def test_what_a_document_hides_behind_its_own_escapes_does_not_act_on_a_terminal(text: str) -> None:
    (failure,) = failures_from_text("c", text, exit_code=1, sources=nothing)
    assert failure.kind != "unparsed"
    said = (
        failure.subject,
        failure.kind,
        failure.message,
        failure.excerpt,
        failure.file or "",
        failure.source_line or "",
    )
    assert not {"\x1b", "\x9b", "\x07", "\r", "\x00", "\x7f", "\x85", "\u202e"} & set("".join(said))


def test_a_failure_without_anything_that_acts_is_left_as_it_is() -> None:
    plain = Found(kind="E", message="one\ntwo", frame=Frame(path="a.py", line=1, source=None))
    assert harmless(plain) is plain
    acting = Found(kind="E", message="one\x07", frame=Frame(path="a\x00.py", line=1, source=None))
    assert harmless(acting).message == "one\ufffd"
    assert harmless(acting).frame == Frame(path="a\ufffd.py", line=1, source=None)
    assert harmless(Found(kind="E\x07")).frame is None


@pytest.mark.parametrize("encoding", ["utf-4", "rot13", "utf-16", "latin-1", "idna", ""])
def test_what_a_report_says_about_its_encoding_is_void(encoding: str) -> None:
    """The text is decoded already; an encoding that does not exist was once an error of ours."""
    text = f"<?xml version='1.0' encoding='{encoding}'?><testsuite><testcase name='é'><failure/></testcase></testsuite>"
    found = found_in_report(text)
    assert found is None if not encoding else found is not None and found[0].name == "é"


@pytest.mark.parametrize(
    "head",
    [
        "<!DOCTYPE testsuite>",
        "<!DOCTYPE t [<!ENTITY a 'aaaa'>]>",
        "<!DOCTYPE t [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE t SYSTEM 'http://127.0.0.1/x.dtd'>",
        "<!DOCTYPE t [<!ENTITY % a 'b'> %a;]>",
    ],
)
def test_a_report_that_declares_types_or_entities_is_refused(head: str) -> None:
    assert found_in_report(f"<?xml version='1.0'?>{head}<testsuite><testcase name='a'><failure>&a;</failure></testcase></testsuite>") is None  # fmt: skip
