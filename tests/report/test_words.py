"""Words of the design page never reach a person's screen."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from trueup.decide.moves import AgentStatus, PutBack, PutBackWhy, Rung, Suspicion, TreeProved, TwinRun
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.evidence.report import Observation, Seen, Strength
from trueup.report.endings import outcome_lines
from trueup.report.explain import explain_lines
from trueup.report.lines import asking_line, attempt_lines, baseline_lines, header_lines, proof_line
from trueup.report.prompt import write_prompt

INTERNAL = re.compile(
    r"\b(rungs?|bench(es)?|candidates?|universe|twins?|trees?|strikes?|sanitis\w*|fold(ed)?|episode)\b", re.IGNORECASE
)


def every_screen(story: Any, failure: Any, header: Any, move: Any, report: Any) -> list[str]:
    a, b = failure(), failure("tests/test_b.py::test_b")
    told = story(edit_tests=True).start(a)
    backs = tuple(PutBack(path=f"f{n}", why=why) for n, why in enumerate(PutBackWhy))
    proof = TreeProved(
        tree="x",
        report=report("x", [b]),
        twin=TwinRun(survived=("tests t::a",)),
        suspicions=(Suspicion(path="a.py", line=1, text="x", why="y"),),
        start=(Observation(key="tests t::b", seen=Seen.PASSED),),
        strength=Strength.TWIN,
    )
    for kind in Class:
        told.attempt(kind, a, b, broke=[b], put_back=backs, same_as=1, rung=Rung.FRESH, proof=proof)
    for agent in AgentStatus:
        told.attempt(Class.NO_OP, changed=(), agent=agent)
    state = replace(told.state, proof=proof)
    lines = [*header_lines(header()), *baseline_lines(state.baseline, state), proof_line(proof)]
    for view in state.attempts:
        lines += [*attempt_lines(view, state), *explain_lines(state, view.number)]
    lines += [asking_line(move(1, rung=rung, nudge=True)) or "" for rung in Rung]
    for status in Status:
        for limit in ("", "usd", "time", "attempts"):
            lines += outcome_lines(told.ends(status, "suspicious" if limit else "x", limit=limit), state, "b")
    return [*lines, *explain_lines(state), *explain_lines(state, failure="test_b")]


def test_no_screen_uses_a_word_of_the_design_page(
    story: Any, failure: Any, header: Any, move: Any, report: Any
) -> None:
    lines = every_screen(story, failure, header, move, report)
    assert len(lines) > 200
    assert [line for line in lines if INTERNAL.search(line)] == []


def test_every_screen_fits_into_a_hundred_columns_with_ordinary_names(
    story: Any, failure: Any, header: Any, move: Any, report: Any
) -> None:
    lines = every_screen(story, failure, header, move, report)
    assert [line for line in lines if len(line) > 100 and not line.startswith("  proof")] == []


def test_every_class_has_a_sentence_in_the_next_prompt(story: Any, failure: Any, move: Any) -> None:
    a, b = failure(), failure("tests/test_b.py::test_b")
    sentences = set()
    for kind in Class:
        told = story().start(a)
        told.attempt(kind, a, b, broke=[b], same_as=1)
        prompt = write_prompt(told.state.task, told.state, move(2), lambda _: None)
        sentences.add(prompt)
    assert len(sentences) == len(Class)
