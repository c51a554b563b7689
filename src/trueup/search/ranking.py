"""Which of several patches that pass is the best guess?

Fewest edits first; what only takes behaviour away comes last. Then patches that behave alike on inputs near to those
of the tests count as one guess, and the guess that most likely edits lead to wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .probe import BORDER
from .trial import Finding, Trial

DELETING = frozenset({"delete statement", "condition is constant", "early return", "unwrap", "condition dropped"})
"""Kinds that take behaviour away."""
_INVENTED = frozenset({"constant", "text"})
_CRASHING, _STIFF = 0.3, 0.3
"""What is left of a guess that raises where the original did not, or that gives one answer to everything."""
_OFTEN = 0.15
_CHANGING = 0.6
"""What a guess loses that changes everything near to what passing tests do."""
_SPECIAL = 0.5
"""What is left of an edit that writes a value nobody would think of: it may be the answer to one test."""
_LIKELY = 0.3

Behaviour = Sequence[str]
"""One word for each input; one that begins with `!` names an exception."""


@dataclass(frozen=True)
class Guess:
    trial: Trial
    finding: Finding
    share: float
    """How much of the likelihood of all guesses it has, together with those that behave like it."""


def ranked(
    plausible: Sequence[tuple[Trial, Finding]],
    behaviours: Mapping[int, Behaviour] | None = None,
    original: Behaviour = (),
) -> list[Guess]:
    """`behaviours` by the trial's number in `plausible`; one without is a guess of its own."""
    known = behaviours or {}
    masses: dict[object, float] = {}
    for number, (trial, _) in enumerate(plausible):
        guess, trust = _guess(number, known), _trust(known.get(number, ()), original)
        masses[guess] = masses.get(guess, 0.0) + trust * (trial.score * _weight(trial)) ** 2
    shares = [masses[_guess(number, known)] / sum(masses.values()) for number in range(len(plausible))]
    guesses = [Guess(*pair, share) for pair, share in zip(plausible, shares, strict=True)]
    return sorted(guesses, key=_order)


def _guess(number: int, known: Mapping[int, Behaviour]) -> object:
    return tuple(known[number]) if number in known else number


def _weight(trial: Trial) -> float:
    special = any(part.kind in _INVENTED and part.score < _LIKELY for part in trial.parts or (trial,))
    return _SPECIAL if special else 1.0


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
    return (trial.size, deletes, -round(guess.share, 6), -round(trial.score, 6), _written(trial), str(trial.key()))


def _written(trial: Trial) -> int:
    return sum(len(edit.new) for edits in trial.edits.values() for edit in edits)
