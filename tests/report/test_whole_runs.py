"""Whatever decide makes of a run, every reader can follow it: screens, prompts, files."""

from __future__ import annotations

import io
import json
import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from trueup.decide.fold import fold, step
from trueup.decide.moves import RunAttempt, RunFinished
from trueup.decide.policy import next_move
from trueup.decide.state import State
from trueup.report.artifacts import Artifacts
from trueup.report.console import Console, JsonLines
from trueup.report.diagnosis import tried
from trueup.report.events import Judged, MoveDone, MoveStarted, RunEnded, Stream
from trueup.report.explain import explain_lines
from trueup.report.prompt import LIMIT, write_prompt
from trueup.testing.world import Effort, Verdict, World, simple_task

SUBJECTS = ("a.py::test_a", "a.py::test_b", "a.py::test_c")


@st.composite
def verdicts(draw: st.DrawFn, tree: str) -> Verdict:
    failing = draw(st.sets(st.sampled_from(SUBJECTS)))
    kinds = {s: f"{s}-{draw(st.integers(0, 1))}" for s in failing}
    return Verdict(
        tree=tree, failing=dict.fromkeys(sorted(failing), 1), kinds=kinds, passing=frozenset(SUBJECTS) - failing
    )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    start = draw(verdicts("t0"))
    count = draw(st.integers(1, 6))
    made = [draw(verdicts(f"t{n}")) for n in range(1, count + 1)]
    again = draw(st.lists(st.sampled_from([start, *made]), max_size=4))
    order = [*made, *again]
    return World(start=start, efforts=iter([Effort(verdict=order[n % len(order)]) for n in range(60)]))


def follow(world: World, stream: Stream, prompts: list[tuple[State, str]]) -> State:
    """The loop, with every event that a run emits."""
    task = simple_task()
    state = fold(task, ())
    while True:
        move = next_move(state)
        if isinstance(move, RunAttempt):
            prompts.append((state, write_prompt(task, state, move, lambda _: None)))
        stream.emit(MoveStarted(move=move), state)
        record = world.perform(move)
        before = state.current.number if state.current else len(state.attempts) + 1
        state = step(state, move, record)
        stream.emit(MoveDone(move=move, record=record), state)
        judged = [v for v in state.attempts if v.number == before and v.judgement]
        for view in judged:
            assert view.judgement is not None
            stream.emit(Judged(attempt=view.number, judgement=view.judgement), state)
        if isinstance(record, RunFinished):
            stream.emit(RunEnded(outcome=record.outcome), state)
            return state


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_every_run_can_be_followed_to_its_end(world: World) -> None:
    out, lines, prompts = io.StringIO(), io.StringIO(), list[tuple[State, str]]()
    with tempfile.TemporaryDirectory() as folder:
        artifacts = Artifacts(Path(folder) / ".trueup" / "runs" / "r1")
        stream = Stream("r1", clock=lambda: 0.0, sinks=[Console(out, environ={}), JsonLines(lines), artifacts])
        state = follow(world, stream, prompts)
        written = (artifacts.folder / "events.jsonl").read_text()
        assert artifacts.problem == ""
        assert "</html>" in (artifacts.folder / "report.html").read_text()
    assert written == lines.getvalue()
    assert [json.loads(line)["seq"] for line in written.splitlines()] == list(range(1, written.count("\n") + 1))
    told = out.getvalue()
    assert all(re.search(rf"^  {view.number} ", told, re.MULTILINE) for view in state.attempts)
    assert len(tried(state)) == len(state.attempts)
    assert explain_lines(state)
    for before, text in prompts:
        assert len(text) <= LIMIT
        assert text.count("```") % 2 == 0
        failing = before.start_judgement.required if before.start_judgement and not before.attempts else {}
        assert all(key.partition(" ")[2] in text for key in failing)
