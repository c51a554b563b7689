"""Every event has its place in the stream, and nobody misses one (L5)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from trueup.decide.moves import MoveFailed, RunAttempt, TakeBaseline, TreeVerified, VerifyTree
from trueup.decide.state import Class, Judgement, State
from trueup.report.events import (
    Activity,
    Envelope,
    Judged,
    MoveDone,
    MoveStarted,
    Notice,
    RunStarted,
    Stream,
    to_json,
)


class Tape:
    def __init__(self) -> None:
        self.heard: list[Envelope] = []

    def __call__(self, envelope: Envelope, state: State | None) -> None:
        self.heard.append(envelope)


def ticking() -> Callable[[], float]:
    moments = iter(range(100, 100_000))
    return lambda: float(next(moments))


def test_every_event_has_run_attempt_number_time_and_schema(move: Callable[..., RunAttempt]) -> None:
    tape = Tape()
    stream = Stream("7f3a", clock=ticking(), sinks=[tape])
    stream.emit(MoveStarted(move=TakeBaseline()))
    stream.emit(MoveStarted(move=move(1)))
    stream.emit(Activity(text="editing a.py"))
    stream.emit(Judged(attempt=1, judgement=Judgement(kind=Class.STUCK)))
    assert [(e.schema, e.run, e.seq, e.time, e.attempt) for e in tape.heard] == [
        (1, "7f3a", 1, 100.0, 0),
        (1, "7f3a", 2, 101.0, 1),
        (1, "7f3a", 3, 102.0, 1),
        (1, "7f3a", 4, 103.0, 1),
    ]


def test_a_late_reader_gets_everything_and_then_goes_on_without_a_gap() -> None:
    stream = Stream("r", clock=ticking())
    for n in range(5):
        stream.emit(Activity(text=str(n)))
    late = Tape()
    stream.subscribe(late)
    stream.emit(Notice(text="after"))
    assert [e.seq for e in late.heard] == [1, 2, 3, 4, 5, 6]


def test_a_replay_does_not_subscribe() -> None:
    stream = Stream("r", clock=ticking())
    stream.emit(Notice(text="one"))
    once = Tape()
    stream.replay_to(once)
    stream.emit(Notice(text="two"))
    assert [e.seq for e in once.heard] == [1]


def test_events_from_many_threads_are_neither_lost_nor_reordered() -> None:
    tape = Tape()
    stream = Stream("r", clock=ticking(), sinks=[tape])
    threads = [threading.Thread(target=lambda: [stream.emit(Activity(text="x")) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [e.seq for e in tape.heard] == list(range(1, 801))


def test_an_event_that_a_sink_emits_comes_after_the_one_that_is_being_told() -> None:
    tape = Tape()

    def echo(envelope: Envelope, state: State | None) -> None:
        if isinstance(envelope.event, Activity):
            stream.emit(Notice(text="from a sink"))

    stream = Stream("r", clock=ticking(), sinks=[echo, tape])
    stream.emit(Activity(text="x"))
    assert [(e.seq, type(e.event).__name__) for e in tape.heard] == [(1, "Activity"), (2, "Notice")]


def test_a_second_sitting_goes_on_counting() -> None:
    assert Stream("r", clock=ticking(), after=41).emit(Notice(text="back")).seq == 42


def test_json_is_one_line_with_the_kind_of_event_move_and_record(header: Any, report: Any, failure: Any) -> None:
    stream = Stream("r", clock=ticking())
    first = to_json(stream.emit(RunStarted(header=header())))
    record = TreeVerified(tree="t", report=report("t", [failure()]))
    second = to_json(stream.emit(MoveDone(move=VerifyTree(tree="t", attempt=2), record=record)))
    assert "\n" not in first + second
    assert json.loads(first)["event"]["header"]["project"] == "~/shop"
    told = json.loads(second)
    assert (told["kind"], told["attempt"]) == ("move_done", 2)
    assert (told["event"]["move"]["kind"], told["event"]["record"]["kind"]) == ("verify_tree", "tree_verified")
    result = told["event"]["record"]["report"]["results"][0]
    assert (result["inventory"], result["passed"], result["failures"][0]["message"]) == (140, 139, "assert 90 == 85")


def test_json_is_redacted_before_it_is_escaped() -> None:
    secret = 'pa"ss\\word'
    envelope = Stream("r", clock=ticking()).emit(Notice(text=f"it is {secret}!"))
    line = to_json(envelope, redact=lambda text: text.replace(secret, "[redacted]"))
    assert json.loads(line)["event"]["text"] == "it is [redacted]!"


def test_bytes_that_are_no_text_do_not_stop_the_stream() -> None:
    record = MoveFailed(move="m", problem="file \udcff.py")
    envelope = Stream("r", clock=ticking()).emit(MoveDone(move=TakeBaseline(), record=record))
    assert "\\\\udcff" in to_json(envelope)
