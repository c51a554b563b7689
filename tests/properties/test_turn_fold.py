"""Laws of the turn fold, for any session."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from trueup.decide.commands import Declared
from trueup.decide.live import Live, Watch
from trueup.decide.session import Doing, Turn
from trueup.decide.turns import follow, followed

WATCH = Watch(checks=(Declared(name="tests", command="pytest -q"),))
TEXT = st.text(max_size=60) | st.sampled_from(
    [
        "pytest -q",
        "pytest -q | tail",
        "ls 'x",
        "1 failed in 0.1s",
        "3 passed in 0.1s",
        "x: command not found",
        "E assert 1",
    ]
)
TURNS = st.builds(
    Turn,
    doing=st.sampled_from(Doing),
    tool=st.sampled_from(["bash", "edit", "Read"]),
    args=TEXT,
    output=TEXT,
    failed=st.none() | st.booleans(),
    exit_code=st.none() | st.integers(0, 255),
    wrote=st.none() | st.booleans(),
    verify=st.booleans(),
)
NO_CHECK = TURNS.filter(lambda turn: "pytest" not in turn.args)
FAILS = Turn(
    doing=Doing.RUN, args="pytest -q", output="FAILED t.py::test_a - assert 1 == 2\n1 failed in 0.1s", exit_code=1
)


@settings(max_examples=60, deadline=None)
@given(st.lists(TURNS, max_size=12))
def test_any_session_can_be_followed_kept_and_followed_again(turns: list[Turn]) -> None:
    live = Live()
    for turn in turns:
        kept = msgspec.json.decode(msgspec.json.encode(live), type=Live)
        live = follow(live, turn, WATCH)
        assert follow(kept, turn, WATCH) == live
        assert live.level >= 0
        assert not live.owed or live.failures


@settings(max_examples=60, deadline=None)
@given(st.lists(NO_CHECK, max_size=8))
def test_nothing_but_a_check_moves_a_failure(turns: list[Turn]) -> None:
    before = followed([FAILS], WATCH)
    after = before
    for turn in turns:
        after = follow(after, turn, WATCH)
    assert after.failures == before.failures
    again = follow(after, FAILS, WATCH).failure
    assert again is not None
    assert again.streak == 2
