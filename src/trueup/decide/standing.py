"""What is known of a tree that an attempt began from?"""

from __future__ import annotations

from trueup.decide.state import Class, Judgement, State


def standing(state: State, tree: str) -> Judgement:
    """The judgement that describes a tree: the start's own, or that of the attempt which left it."""
    for view in reversed(state.attempts):
        if view.judgement and view.snapshot and view.record.candidate == tree:
            return view.judgement
    return state.start_judgement or Judgement(kind=Class.PROGRESS)
