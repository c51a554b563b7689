"""One live line at a terminal, plain lines elsewhere, and nothing from outside that could draw."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import Any

from trueup.decide.moves import AgentStatus, MoveFailed, Rung, TakeBaseline, VerifyTree, Wait
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.report.console import Console, JsonLines
from trueup.report.events import (
    Activity,
    Judged,
    MoveDone,
    MoveStarted,
    Notice,
    RunEnded,
    RunStarted,
    Stream,
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Screen:
    """A stream with a console on it, and what came out."""

    def __init__(self, **options: Any) -> None:
        self.out = io.StringIO()
        self.clock = Clock()
        self.console = Console(self.out, **({"environ": {}} | options))
        self.stream = Stream("7f3a", clock=self.clock, sinks=[self.console])

    def emit(self, event: Any, state: Any = None, *, at: float | None = None) -> Screen:
        self.clock.now = self.clock.now if at is None else at
        self.stream.emit(event, state)
        return self

    @property
    def text(self) -> str:
        return self.out.getvalue()

    @property
    def visible(self) -> list[str]:
        """What a person still sees: each line after its last redraw."""
        return [re.sub(r"\x1b\[[\d;]*m", "", line.rpartition("\x1b[2K")[2]) for line in self.text.split("\n")]


def test_a_whole_run_reads_like_the_first_five_minutes(story: Any, failure: Any, header: Any, move: Any) -> None:
    a = failure()
    told = story().start(a)
    screen = Screen()
    screen.emit(RunStarted(header=header()))
    screen.emit(MoveStarted(move=TakeBaseline()), told.state)
    screen.emit(MoveDone(move=TakeBaseline(), record=told.state.baseline), told.state)
    told.attempt(Class.STUCK, a)
    screen.emit(MoveStarted(move=move(1)), told.state)
    screen.emit(Judged(attempt=1, judgement=told.state.attempts[0].judgement), told.state)
    screen.emit(MoveStarted(move=move(2, rung=Rung.RETHINK, nudge=True)), told.state)
    told.attempt(Class.GREEN, fixed=[a])
    screen.emit(Judged(attempt=2, judgement=told.state.attempts[1].judgement), told.state)
    screen.emit(RunEnded(outcome=told.ends(Status.PASSED), branch="trueup/x"), told.state)
    starts = [line[:34].rstrip() for line in screen.text.split("\n")[10:]]
    assert starts == [
        "  start    140 tests, 1 fails",
        "           test_cart.py::test_bulk",
        "  1        1 → 1 failing    same f",
        "  2        asking for a different",
        "  2        1 → 0 failing    fixed",
        "",
        "passed · 2 attempts · 6:10 · $0.48",
        "  proven   142 of 142 tests pass o",
        "  branch   trueup/x",
        "  next     trueup diff      show i",
        "           trueup apply     bring",
        "",
    ]


def test_without_a_terminal_there_is_no_escape_and_no_cut(story: Any, failure: Any) -> None:
    told = story().start(failure("tests/test_x.py::test_" + "long" * 60))
    screen = Screen().emit(MoveDone(move=TakeBaseline(), record=told.state.baseline), told.state)
    assert "\x1b" not in screen.text
    assert "\r" not in screen.text
    assert "long" * 60 in screen.text


def test_without_a_terminal_activity_is_told_at_most_every_thirty_seconds(story: Any, move: Any) -> None:
    screen = Screen().emit(MoveStarted(move=move(1)), story().state, at=0)
    for second in range(0, 70, 5):
        screen.emit(Activity(text=f"editing {second}.py", usd=0.11), at=second)
    assert [line.split() for line in screen.text.splitlines()] == [
        ["1", "claude:", "editing", "0.py", "0:00", "$0.11"],
        ["1", "claude:", "editing", "30.py", "0:30", "$0.11"],
        ["1", "claude:", "editing", "60.py", "1:00", "$0.11"],
    ]


def test_at_a_terminal_one_live_line_is_redrawn_and_then_gone(story: Any, failure: Any, move: Any) -> None:
    told = story().start(failure()).attempt(Class.STUCK, failure())
    screen = Screen(terminal=True, width=100).emit(MoveStarted(move=move(1)), told.state, at=0)
    screen.emit(Activity(text="editing src/shop/cart.py", usd=0.11), at=47)
    assert screen.visible[-1].split() == ["1", "claude:", "editing", "src/shop/cart.py", "0:47", "$0.11"]
    screen.console.refresh(50.0)
    assert "0:50" in screen.visible[-1]
    screen.emit(Judged(attempt=1, judgement=told.state.attempts[0].judgement), told.state)
    assert [line[:24] for line in screen.visible] == ["  1        1 → 1 failing", ""]


def test_a_live_line_never_wraps(story: Any, move: Any) -> None:
    screen = Screen(terminal=True, width=60).emit(MoveStarted(move=move(1)), story().state)
    screen.emit(Activity(text="日本語 " * 60, usd=1.0))
    line = screen.visible[-1]
    assert sum(2 if ord(c) > 0x2FFF else 1 for c in line) < 60
    assert "…" in line
    assert "$1.00" in line


def test_lines_are_cut_only_on_a_terminal_of_known_width() -> None:
    text = "word " * 60
    assert Screen(terminal=True, width=80).emit(Notice(text=text)).visible[0].endswith("…")
    assert text.strip() in Screen().emit(Notice(text=text)).text


def test_colour_is_left_out_when_it_is_not_wanted(story: Any, failure: Any) -> None:
    told = story().start(failure()).attempt(Class.STUCK, failure())
    ended = RunEnded(outcome=told.ends(Status.STUCK, "ladder", "no way on"))
    coloured = Screen(terminal=True, width=100).emit(ended, told.state)
    assert "\x1b[1;31mstuck\x1b[0m · no way on" in coloured.text
    for environ in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b[1;31m" not in Screen(terminal=True, width=100, environ=environ).emit(ended, told.state).text


def test_a_dumb_terminal_gets_no_escape_at_all(story: Any, move: Any) -> None:
    screen = Screen(terminal=True, width=100, environ={"TERM": "dumb"}).emit(MoveStarted(move=move(1)), story().state)
    screen.emit(Activity(text="working")).emit(Notice(text="hello"))
    assert "\x1b" not in screen.text


ATTACK = "\x1b[2J\x1b]0;owned\x07\u202egnp\r\n\x9b31m\x00"


def test_nothing_from_outside_draws_on_the_screen(story: Any, failure: Any, header: Any, move: Any) -> None:
    evil = failure(f"tests/{ATTACK}.py::test", ATTACK, kind=ATTACK, file=f"src/{ATTACK}.py", excerpt=ATTACK)
    told = story(text=ATTACK).start(evil).attempt(Class.STUCK, evil, changed=(f"a{ATTACK}.py",), note=ATTACK)
    screen = Screen()
    screen.emit(RunStarted(header=header(project=ATTACK, branch=ATTACK, notes=(ATTACK,), setup=ATTACK)))
    screen.emit(MoveStarted(move=move(1)), told.state)
    screen.emit(Activity(text=ATTACK))
    screen.emit(MoveDone(move=TakeBaseline(), record=told.state.baseline), told.state)
    screen.emit(MoveDone(move=TakeBaseline(), record=MoveFailed(move="m", problem=ATTACK)), told.state)
    screen.emit(Judged(attempt=1, judgement=told.state.attempts[0].judgement), told.state)
    screen.emit(Notice(text=ATTACK))
    screen.emit(RunEnded(outcome=told.ends(Status.STUCK, "x", ATTACK), branch=ATTACK, branch_note=ATTACK), told.state)
    assert not set(screen.text) & set("\x1b\x07\x9b\x00\r\u202e")


def test_other_moves_have_words_of_their_own(story: Any) -> None:
    screen = Screen(terminal=True, width=100)
    screen.emit(MoveStarted(move=VerifyTree(tree="t", attempt=2)))
    assert "running the checks" in screen.visible[-1]
    screen.emit(MoveStarted(move=Wait(seconds=60, why=AgentStatus.RATE_LIMITED)))
    assert "waiting 1 min" in screen.visible[-1]


def test_secrets_are_redacted_on_the_screen() -> None:
    screen = Screen(redact=lambda text: text.replace("s3cret", "[redacted]")).emit(Notice(text="token s3cret"))
    assert "token [redacted]" in screen.text


class Closed(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_a_reader_that_went_away_does_not_stop_the_run() -> None:
    stream = Stream("r", clock=Clock(), sinks=[Console(Closed(), environ={}), JsonLines(Closed())])
    assert [stream.emit(Notice(text="x")).seq for _ in range(2)] == [1, 2]


def test_a_stream_that_cannot_show_an_arrow_gets_a_question_mark(story: Any, failure: Any) -> None:
    told = story().start(failure()).attempt(Class.STUCK, failure())
    raw = io.BytesIO()
    console = Console(io.TextIOWrapper(raw, encoding="ascii"), environ={})
    stream = Stream("r", clock=Clock(), sinks=[console])
    stream.emit(Judged(attempt=1, judgement=told.state.attempts[0].judgement), told.state)
    assert b"1 ? 1 failing" in raw.getvalue()


def test_json_lines_hold_every_event(story: Any, failure: Any) -> None:
    out = io.StringIO()
    told = story().start(failure())
    stream = Stream("r", clock=Clock(), sinks=[JsonLines(out, redact=lambda text: text.replace("s3cret", "…"))])
    stream.emit(MoveDone(move=TakeBaseline(), record=replace(told.state.baseline, problem="s3cret")), told.state)
    for n in range(3):
        stream.emit(Activity(text=str(n)))
    told_lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(t["seq"], t["kind"]) for t in told_lines] == [
        (1, "move_done"),
        (2, "activity"),
        (3, "activity"),
        (4, "activity"),
    ]
    assert told_lines[0]["event"]["record"]["problem"] == "…"
