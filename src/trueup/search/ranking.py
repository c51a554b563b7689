"""Which of several patches that pass is the best guess?

Fewest edits first; what only takes behaviour away comes last. Then patches that behave alike on inputs near to those
of the tests count as one guess, and the guess that most likely edits lead to wins.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from .probe import BORDER
from .trial import Finding, Trial

DELETING = frozenset(
    {"delete statement", "condition is constant", "early return", "unwrap", "condition dropped", "filter dropped"}
)
"""Kinds that take behaviour away."""
_INVENTED = frozenset({"constant", "text"})
_TYPICAL = {
    "jump": 1.2,
    **dict.fromkeys(("name", "attribute", "self", "arguments swapped", "names exchanged", "late binding", "key"), 1.2),
    **dict.fromkeys(("comparison", "boolean", "await", "sorting", "rounding", "shared default"), 1.1),
    **dict.fromkeys(("around", "arithmetic", "constant", "variable"), 0.9),
    **dict.fromkeys(("returned value", "condition added", "statement added", "guard"), 0.85),
    "operand dropped": 0.65,
    **dict.fromkeys(("call dropped", "expression", "condition replaced", "index dropped", "argument dropped"), 0.75),
}
"""Kinds that pass the tests mostly because they are right, and kinds that can be bent to pass almost any test."""
_CRASHING, _STIFF = 0.3, 0.3
"""What is left of a guess that raises where the original did not, or that gives one answer to everything."""
_ANSWER = 0.2
"""What is left of a guess that writes down what a test expects."""
_OFTEN = 0.15
_CHANGING = 0.6
"""What a guess loses that changes everything near to what passing tests do."""
_SPECIAL = 0.5
"""What is left of an edit that writes a value nobody would think of: it may be the answer to one test."""
_LIKELY = 0.3
_AGREEING = 0.25
"""What others that behave alike add to the likeliest one: they may be the same edit, written in another way."""

Behaviour = Sequence[str]
"""One word for each input; one that begins with `!` names an exception."""


@dataclass(frozen=True)
class Guess:
    trial: Trial
    finding: Finding
    share: float
    """How much of the likelihood of all guesses it has, together with those that behave like it."""
    number: int = 0
    """Those that behave alike have the same."""
    next_best: float = 0.0
    """The largest share of those that behave in another way."""
    answer: bool = False
    """It writes down a value that a failing test expects, and that the program did not know."""


def ranked(
    plausible: Sequence[tuple[Trial, Finding]],
    behaviours: Mapping[int, Behaviour] | None = None,
    original: Behaviour = (),
    answers: Container[int] = (),
) -> list[Guess]:
    """`behaviours` by the trial's number in `plausible`; one without is a guess of its own.

    `answers`: the numbers of those that write down a value which the failing tests expect.
    """
    known = behaviours or {}
    weights: dict[object, list[float]] = {}
    for number, (trial, _) in enumerate(plausible):
        trust = _trust(known.get(number, ()), original) * (_ANSWER if number in answers else 1.0)
        weights.setdefault(_guess(number, trial, known), []).append(trust * (trial.score * _weight(trial)) ** 2)
    masses = {guess: max(found) + _AGREEING * (sum(found) - max(found)) for guess, found in weights.items()}
    whole = sum(masses.values())
    numbers = {guess: number for number, guess in enumerate(masses)}
    guesses = []
    for number, pair in enumerate(plausible):
        mine = _guess(number, pair[0], known)
        others = max((mass for guess, mass in masses.items() if guess != mine), default=0.0)
        guesses.append(Guess(*pair, masses[mine] / whole, numbers[mine], others / whole, answer=number in answers))
    return sorted(guesses, key=_order)


def _guess(number: int, trial: Trial, known: Mapping[int, Behaviour]) -> object:
    """What behaves alike; where that is not known, the same text put before or after a line is one guess, too."""
    if number in known:
        return tuple(known[number])
    edits = [(path, edit) for path, found in trial.edits.items() for edit in found]
    added = all(edit.start == edit.end for _, edit in edits)
    return tuple((path, edit.new.strip()) for path, edit in edits) if added else number


def _weight(trial: Trial) -> float:
    parts = trial.parts or (trial,)
    special = any(part.kind in _INVENTED and part.score < _LIKELY for part in parts)
    return math.prod(_TYPICAL.get(part.kind, 1.0) for part in parts) * (_SPECIAL if special else 1.0)


def _trust(behaviour: Behaviour, original: Behaviour) -> float:
    if not behaviour or len(behaviour) != len(original):
        return 1.0
    crashes = sum(new[0] == "!" and old[0] != "!" for new, old in zip(behaviour, original, strict=True))
    trust = _CRASHING if crashes > _OFTEN * len(original) else 1.0
    border = original.index(BORDER) if BORDER in original else 0
    changed = sum(new != old for new, old in zip(behaviour[:border], original[:border], strict=True))
    trust *= 1.0 - _CHANGING * changed / border if border else 1.0
    answers = (set(behaviour) - {BORDER}, set(original) - {BORDER})
    return trust * (_STIFF if len(answers[0]) == 1 < len(answers[1]) else 1.0)


def _order(guess: Guess) -> tuple[object, ...]:
    trial = guess.trial
    deletes = any(part.kind in DELETING for part in trial.parts or (trial,))
    likelihood = (-round(guess.share, 6), -round(trial.score, 6))
    return (trial.size, guess.answer, deletes, *likelihood, _written(trial), str(trial.key()))


def _written(trial: Trial) -> int:
    return sum(len(edit.new) for edits in trial.edits.values() for edit in edits)
