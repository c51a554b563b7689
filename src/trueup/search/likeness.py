"""Which patches behave alike on inputs near to those of the tests, and how did the original behave there?"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType

from . import probe, swap
from .children import Voice, drained
from .facing import run_item
from .session import Session
from .trial import Trial

_MOST_TESTS = 20
"""Tests from which inputs are taken."""
_SECONDS = 3.0
_MOST_OUTCOMES = 300


def behaviours(session: Session, trials: list[Trial]) -> tuple[dict[int, list[str]], list[str]]:
    """How patched programs behave, by the trial's number; and the original.

    Called are the functions that tests call, and the one that is changed if every trial changes the same.
    """
    jobs: list[tuple[int, swap.Swaps]] = []
    tests: dict[str, None] = {}
    for number, trial in enumerate(trials):
        exchanged = session.exchange(trial)
        if exchanged and exchanged[0]:
            jobs.append((number, exchanged[0]))
            tests |= dict.fromkeys(exchanged[1])
    known: dict[int, list[str]] = {}
    if not jobs:
        return known, []
    changed = {swaps[0][0] for _, swaps in jobs}
    inner = next(iter(changed)) if len(changed) == 1 else None
    chosen = sorted(tests, key=lambda test: session.looks[test].passed)[:_MOST_TESTS]
    for number, swaps in [(-1, []), *jobs]:
        session.nursery.start(_probing(session, inner, swaps, chosen), _SECONDS, number)
        for said, tag in drained(session.nursery):
            if said.whole and said.lines:
                known[int(str(tag))] = json.loads(said.lines[0])
    session.guard.mend()
    return known, known.pop(-1, [])


def _probing(
    session: Session, inner: FunctionType | None, swaps: swap.Swaps, tests: list[str]
) -> Callable[[Voice], None]:
    def work(voice: Voice) -> None:
        functions = {one.__code__: one for one in session.functions() if probe.can_be_called(one.__code__)}
        heard = {passed: _heard(session, functions, inner, tests, passed=passed) for passed in (True, False)}
        for function, code in swaps:
            function.__code__ = code
        signal.signal(signal.SIGPROF, _too_long)
        kept, other = (_outcomes(functions, heard[passed]) for passed in (True, False))
        voice.say(json.dumps([*kept, probe.BORDER, *other]))

    return work


def _outcomes(functions: dict[CodeType, FunctionType], heard: dict[CodeType, list[probe.Input]]) -> list[str]:
    share = _MOST_OUTCOMES // max(len(heard), 1)
    found: list[str] = []
    for code, inputs in heard.items():
        found += probe.behaviour(functions[code], probe.nearby(inputs)[:share])
    return found


def _heard(
    session: Session,
    functions: dict[CodeType, FunctionType],
    inner: FunctionType | None,
    tests: list[str],
    *,
    passed: bool,
) -> dict[CodeType, list[probe.Input]]:
    """With what the tests call the project's functions, and with what the changed one is called."""
    wanted = [test for test in tests if session.looks[test].passed is passed]
    with probe.Listener(*functions, known=session.name) as outer:
        for test in wanted:
            run_item(session.items[test])
    if inner is None or inner.__code__ not in functions or inner.__code__ in outer.heard:
        return outer.heard
    with probe.Listener(inner.__code__) as listener:
        for test in wanted:
            run_item(session.items[test])
    return {**listener.heard, **outer.heard}


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise probe.TooLongError
