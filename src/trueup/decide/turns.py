"""What happens inside an agent's session, turn by turn: is it getting anywhere, and is a verification owed?

One counter says how far the turns that brought nothing new are ahead of those that brought something. A result that is
the same failure again takes back what the edits before it had earned, and without an edit, or after many, it counts as
nothing itself. Only results of checks move the failures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from trueup.decide.live import Ending, Live, LiveFailure, Nudge, Watch
from trueup.decide.novelty import Look, Memory, Nothing, has_written, look
from trueup.decide.results import MOST_REFUSED, taken
from trueup.decide.session import Turn
from trueup.decide.verification import Checked, checked

_RECENT = 10
_REASONS = 8
_MISSING = 20
_TRIED = 5
_LONGEST_LINE = 120
_SWINGS = 6
_PATIENCE = 6
"""So often a failure may be met again after an edit: work in many steps has one acceptance test, red until the last."""
_IF_ASKED_AGAIN = frozenset({Nothing.KNOWN, Nothing.REPEATED, Nothing.EMPTY})


def follow(live: Live, turn: Turn, watch: Watch) -> Live:
    """The state after one more turn."""
    now = replace(live, turns=live.turns + 1, nudge=None, stop="")
    if turn.forgot:
        return replace(now, memory=Memory(), recent=(), missing=())
    result = checked(turn, watch.checks, watch.root)
    if turn.inner:
        return _by_a_helper(now, turn, result)
    seen, memory = look(turn, live.memory)
    now = replace(now, memory=memory)
    now = _after_a_write(now, turn) if seen.wrote else now
    before = now
    now = _checked(now, result, wrote=seen.wrote) if result else now
    seen = _judged(seen, result, before, now) if result else _unless_long_ago(seen, now)
    now = _noted(_weighed(now, seen, settles=result is not None), seen)
    failed = result is not None and not result.passed
    return _spoken(now, _same_failure(now, watch) if failed else "", seen, turn, watch)


def followed(turns: Iterable[Turn], watch: Watch) -> Live:
    live = Live()
    for turn in turns:
        live = follow(live, turn, watch)
    return live


def at_the_end(live: Live, watch: Watch) -> Ending:
    """What an agent hears that says it is done."""
    if not live.owed:
        return Ending.ALLOW
    return Ending.VERIFY if live.answered < watch.max_verify_attempts else Ending.RELEASE


def answered(live: Live, results: Iterable[Checked]) -> Live:
    """The state after the agent's end was answered by running the checks: results like any other, only ours."""
    now = replace(live, answered=live.answered + 1)
    # Failures first: two checks that fail in turn are never over, and a pass of one must not look like the end of all.
    for result in sorted(results, key=lambda one: one.passed):
        now = _checked(now, result, wrote=False)
    if not now.failures:
        return now
    refused = live.refused + 1
    return replace(
        now, refused=refused, answered=max(now.answered, refused) if refused >= MOST_REFUSED else now.answered
    )


def _by_a_helper(live: Live, turn: Turn, result: Checked | None) -> Live:
    """What it wrote and what its checks said are facts. What is new to it is not what is new to the agent."""
    wrote = has_written(turn)
    now = _after_a_write(live, turn) if wrote else live
    return _checked(now, result, wrote=wrote) if result else now


def _after_a_write(live: Live, turn: Turn) -> Live:
    return replace(live, wrote_at=live.turns, tried=(*live.tried, turn.line[:_LONGEST_LINE])[-_TRIED:])


def _checked(live: Live, result: Checked, *, wrote: bool) -> Live:
    """Takes in a result. A write in the same command may have come after it, unless the check was its last word."""
    at = live.turns - 1 if wrote and not result.last else live.turns
    return taken(live, result, at)


def _judged(seen: Look, result: Checked, before: Live, after: Live) -> Look:
    """A result says more than its lines: the same failure is nothing new; another is, and a pass after a write too."""
    if result.passed and result.part:  # good news, whatever the whole check says; once
        return replace(seen, nothing=None, counts=not seen.known)
    old, new = _of(before, result.check), _of(after, result.check)
    if old and new and (old.fingerprints, old.evidence) == (new.fingerprints, new.evidence):
        is_patient = old.seen < (before.wrote_at or 0) and new.streak <= _PATIENCE
        return replace(seen, nothing=Nothing.UNMOVED if is_patient else Nothing.SAME_FAILURE, counts=True)
    is_first_look = (before.wrote_at or 0) > (before.checked_at or 0)
    return replace(seen, nothing=None) if old or new or is_first_look else _unless_long_ago(seen, after)


def _unless_long_ago(seen: Look, live: Live) -> Look:
    """Known or empty output counts only soon after the same call with the same result. Who asks something else learns
    something by it, and who was elsewhere meanwhile has a reason to look again.
    """
    return replace(seen, counts=False) if seen.nothing in _IF_ASKED_AGAIN and seen.call not in live.recent else seen


def _of(live: Live, check: str) -> LiveFailure | None:
    return next((one for one in live.failures if one.check == check), None)


def _weighed(live: Live, seen: Look, *, settles: bool) -> Live:
    if not seen.counts:
        return live
    level = max(0, live.level - 1)
    if seen.nothing in {Nothing.SAME_FAILURE, Nothing.UNMOVED}:  # the edits in between earned nothing after all
        level = max(live.level, live.settled) + (seen.nothing is Nothing.SAME_FAILURE)
    elif seen.nothing:
        level = live.level + 1
    reasons = (*live.reasons, seen.nothing.value)[-_REASONS:] if seen.nothing else live.reasons
    settled = level if settles else live.settled
    return replace(live, level=level, settled=settled, reasons=reasons if level or settled else ())


def _noted(live: Live, seen: Look) -> Live:
    recent = (*live.recent, seen.call)[-_RECENT:] if seen.call else live.recent
    missing = (*live.missing, seen.missing)[-_MISSING:] if seen.missing else live.missing
    return replace(live, recent=recent, missing=missing)


def _spoken(live: Live, about_the_check: str, seen: Look, turn: Turn, watch: Watch) -> Live:
    stuck = _longest(live) >= watch.same_failure
    nudged = live.nudged and (stuck or live.level > 0)
    reason = "" if nudged else about_the_check or _reason(live, seen, turn, watch)
    failure = live.failure
    nudge = Nudge(
        turn=live.turns,
        reason=reason,
        evidence=failure.excerpt if failure else turn.output[-_LONGEST_LINE:],
        tried=live.tried,
    )
    return replace(
        live,
        nudged=nudged or bool(reason),
        nudge=nudge if reason else None,
        stop=_nothing_new(live) if live.level >= watch.stop_at else "",
    )


def _longest(live: Live) -> int:
    return max((failure.streak for failure in live.failures), default=0)


def _same_failure(live: Live, watch: Watch) -> str:
    """Said with the result that is one too many; "" otherwise."""
    failure = live.failures[-1]
    if failure.streak == watch.same_failure:
        return f"{failure.check} has failed {failure.streak} times in the same way, whatever was changed"
    if live.met[-1][1] == watch.same_failure:
        return f"{failure.check} goes round in circles: this failure was there {watch.same_failure} times"
    return ""


def _reason(live: Live, seen: Look, turn: Turn, watch: Watch) -> str:
    """Why the agent is spoken to now; "" = it is not."""
    if seen.nothing is Nothing.REJECTED and seen.known:
        return "the same edit was rejected again"
    if seen.missing and live.missing.count(seen.missing) == watch.repeats:
        return f"{seen.missing} is not there, and was asked for {watch.repeats} times"
    if seen.call and live.recent.count(seen.call) == watch.repeats and seen.nothing:
        return f"the same call had the same result {watch.repeats} times: {turn.line[:_LONGEST_LINE]}"
    if _swings(live.recent):
        return "two calls take turns, and neither has a new result"
    if live.level >= watch.nudge_at:
        return _nothing_new(live)
    return ""


def _swings(recent: tuple[int, ...]) -> bool:
    last = recent[-_SWINGS:]
    return len(last) == _SWINGS and len(set(last)) == 2 and len(set(last[::2])) == len(set(last[1::2])) == 1  # noqa: PLR2004 - two that take turns


def _nothing_new(live: Live) -> str:
    said = ", ".join(f"{reason} ({times}x)" for reason, times in Counter(live.reasons).most_common())
    return f"the last turns brought nothing new: {said}"
