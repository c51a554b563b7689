"""In which order are edits tried, when is it enough, and what is told at the end?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from typing import Any

from .answers import answers
from .facing import Plan
from .generate import edits_of
from .likeness import behaviours
from .pairs import pairs
from .ranking import Guess, ranked
from .session import Session
from .spectrum import Line, Look, representatives, suspicion
from .trial import Finding, Learned, Trial

_AFTERWARDS = 1200
"""So many trials follow a first plausible one at least: a better one may be among them."""
_AGAIN = 2
"""The later the first one came, the less likely it is: so many times its number follow."""
_SHARE = 0.5
"""Of the budget; once that is used, a plausible one is enough."""
_ENOUGH = 60
"""Plausible ones; more are not looked for."""
_OF_A_KIND = 3
"""Plausible ones of the same kind in the same line; more of them say nothing new."""
_SINGLES = 0.35
"""Of the budget; once that is used without success, two edits at a time are tried before the rest."""
_STILL = 0.1
"""Of the budget; so much is looked further at most when the first plausible one came late."""
_FOR_A_SECOND = 50
"""Trials for each second of the budget that follow at least: who gives more time wants a better answer."""
_CONFIRMED = 6
_ALIKE = 2
"""Of those that behave alike, more are not told."""
_LEAD = 1.1
"""What is chosen is so many times as likely as what behaves in another way."""
_MOSTLY, _LIKELY = 0.6, 0.25
"""It has such a share of all guesses, or is such a usual edit in such a suspicious place."""
_USUAL = 0.3
"""A single edit less usual than that, even in the most suspicious line, is told and not chosen, though it passes. Two
that only together repair everything are seldom a coincidence."""
_AT_LEAST = 0.02
"""Seconds of processor time that a trial may take for the first tests, however short they are."""
_MOST_LATE = 300
_TOLD_LINES = 12
_TOLD_PARTS = 5
_EVERY = 0.5
_MOST_TESTS = 400
"""Passing tests that a trial has to face here; the check itself runs all of them afterwards."""


class Hunt:
    def __init__(self, session: Session, cpu: float, seconds: float, say: Callable[[str], None]) -> None:
        self._session, self._cpu, self._seconds, self._say = session, cpu, seconds, say
        self._began = self._told = time.monotonic()
        self._best = ""
        self._late: list[Trial] = []
        """Those with which the first tests came to no end in a short time."""
        self._plans: dict[tuple[str, ...], Plan] = {}
        self.learned = Learned()
        self.failing: list[str] = []
        self.guesses: list[Guess] = []
        """What is proposed, the best first."""
        self.suspicion: dict[Line, float] = {}

    # --- the course of it --------------------------------------------------------------------------------------------

    def run(self) -> None:
        session = self._session
        session.look()
        looks = self._looks()
        self.failing = [look.test for look in looks if not look.passed]
        if not self.failing:
            return
        self.suspicion = {k: v for k, v in suspicion(looks).items() if k[0] in session.sources}
        self._first = representatives(looks)
        session.prepare(self._first)
        singles = edits_of(session.sources, self.suspicion, {look.error for look in looks if not look.passed})
        waiting = iter(singles)
        self._try(waiting, _SINGLES)
        if not self.learned.plausible:
            self._try(self._pairs(singles), 1.0)
        if not self.learned.plausible:
            self._try(waiting, 1.0)
        if not self.learned.plausible:
            session.screening.patient = True
            self._try(self._late, 1.0)
        self.guesses = self._confirmed()

    def _looks(self) -> list[Look]:
        """A test that takes too long counts as failing only when no other fails: it may be the bug, or be slow."""
        looks = list(self._session.looks.values())
        slow = self._session.slow
        if any(not look.passed and look.test not in slow for look in looks):
            return [look for look in looks if look.test not in slow]
        return looks

    def _plan(self, covering: list[str]) -> Plan:
        key = tuple(covering)
        if key not in self._plans:
            self._plans[key] = self._planned(covering)
        return self._plans[key]

    def _planned(self, covering: list[str]) -> Plan:
        looks = self._session.looks
        rest = [test for test in self.failing if test not in self._first]
        others = [test for test in covering if looks[test].passed][:_MOST_TESTS]
        short = _AT_LEAST + 2 * sum(map(self._seconds_of, self._first))
        return Plan(self._first, rest, others, short, 0.5 + 4 * sum(map(self._seconds_of, (*rest, *others))))

    def _seconds_of(self, test: str) -> float:
        """What a test takes; one that came to no end, or soon to a bad one, may take what others take."""
        usual = min(self._usual, 0.5)
        return usual if test in self._session.slow else max(min(self._session.looks[test].seconds, 0.5), usual)

    @cached_property
    def _usual(self) -> float:
        found = sorted(look.seconds for look in self._session.looks.values() if look.passed)
        return found[len(found) // 2] if found else _AT_LEAST

    def _pairs(self, singles: list[Trial]) -> Iterator[Trial]:
        learned = self.learned
        return pairs(
            learned.partial,
            self.failing,
            singles,
            further=learned.further,
            relevance=self._relevance,
            sources=self._session.sources,
        )

    def _relevance(self, missing: frozenset[str]) -> dict[Line, float]:
        """The suspicion, if only these tests failed."""
        return suspicion(look for look in self._looks() if look.passed or look.test in missing)

    def _try(self, trials: Iterable[Trial], share: float) -> None:
        with closing(self._session.judge(self._within_budget(trials, share), self._plan)) as judged:
            last, enough = 0, 0.0
            for trial, finding in judged:
                self._learn(trial, finding)
                if self.learned.plausible and not last:
                    last = self.learned.tried * (1 + _AGAIN) + max(_AFTERWARDS, int(_FOR_A_SECOND * self._cpu))
                    enough = max(_SHARE * self._cpu, self.spent + _STILL * self._cpu)
                if last and (self.learned.tried >= last or self.spent > enough):
                    break
                if len(self.learned.plausible) >= _ENOUGH:
                    break

    def _learn(self, trial: Trial, finding: Finding) -> None:
        self.learned.tried += 1
        if finding.complete and self._is_one_too_many(trial):
            return
        if finding.complete:
            self.learned.plausible.append((trial, finding))
            self._best = self._best or f"{trial.kind} in {next(iter(trial.edits))}:{trial.line}"
        elif finding.repaired and not finding.broken:
            self.learned.partial.append((trial, finding))
        elif finding.late and len(self._late) < _MOST_LATE:
            self._late.append(trial)
        elif finding.further:
            self.learned.further.append(trial)
        self._tell()

    def _is_one_too_many(self, trial: Trial) -> bool:
        def what(one: Trial) -> tuple[object, ...]:
            return one.kind, *(part.line for part in one.parts or (one,)), *one.edits

        return sum(what(one) == what(trial) for one, _ in self.learned.plausible) >= _OF_A_KIND

    def _within_budget(self, trials: Iterable[Trial], share: float) -> Iterator[Trial]:
        for trial in trials:
            if self.spent >= self._cpu or time.monotonic() - self._began > self._seconds:
                self.learned.spent = True
                return
            if self.spent >= share * self._cpu and not self.learned.plausible:
                return
            yield trial

    @property
    def spent(self) -> float:
        return time.process_time() + self._session.nursery.cpu

    def _confirmed(self) -> list[Guess]:
        """The best ones, each seen once more with everything imported anew."""
        plan = self._plan(list(self._session.looks))
        found: list[Guess] = []
        if not self.learned.plausible:
            return found
        alike, original = behaviours(self._session, [trial for trial, _ in self.learned.plausible])
        trials = [trial for trial, _ in self.learned.plausible]
        told = answers(trials, self._session.sources, (self._session.items[test] for test in self.failing))
        for guess in ranked(self.learned.plausible, alike, original, told):
            if sum(one.number == guess.number for one in found) >= _ALIKE:
                continue
            finding = self._session.confirm(guess.trial, plan)
            if finding.complete:
                found.append(replace(guess, finding=finding))
            if len(found) >= _CONFIRMED:
                break
        return found

    # --- what is told ------------------------------------------------------------------------------------------------

    def _tell(self) -> None:
        now = time.monotonic()
        if now - self._told < _EVERY:
            return
        self._told = now
        learned = self.learned
        partly = max((len(f.repaired) for _, f in learned.partial), default=0)
        best = f"best so far repairs {partly} of {len(self.failing)}" if partly else "nothing repaired yet"
        best = f"found: {self._best}; looking for a better one" if self._best else best
        rate = learned.tried / (now - self._began)
        self._say(f"tried {learned.tried:,} edits, {rate:,.0f} a second; {best}")

    def report(self) -> dict[str, Any]:
        session, learned = self._session, self.learned
        lines = sorted(self.suspicion.items(), key=lambda pair: (-pair[1], pair[0]))[:_TOLD_LINES]
        partial = sorted(learned.partial, key=lambda pair: (-len(pair[1].repaired), -pair[0].score))[:_TOLD_PARTS]
        return {
            "failing": self.failing,
            "tests": len(session.items),
            "tried": learned.tried,
            "cpu": round(self.spent, 2),
            "spent": learned.spent,
            "suspicious": [[path, line, round(score, 3)] for (path, line), score in lines],
            "plausible": [
                {**self._shown(one.trial, one.finding), "share": round(one.share, 3), "sure": self._is_sure(one)}
                for one in self.guesses
            ],
            "partial": [self._shown(trial, finding) for trial, finding in partial],
        }

    def _is_sure(self, guess: Guess) -> bool:
        """It stands out among all that pass."""
        best = self.guesses[0]
        if guess.number != best.number:
            return False
        leads = best.share >= _LEAD * best.next_best
        usual = best.trial.size > 1 or best.trial.score >= _USUAL * math.sqrt(max(self.suspicion.values(), default=0.0))
        return leads and usual and not best.answer and (best.share >= _MOSTLY or best.trial.score >= _LIKELY)

    def _shown(self, trial: Trial, finding: Finding) -> dict[str, Any]:
        texts = self._session.texts(trial) or {}
        return {
            "kind": trial.kind,
            "line": trial.line,
            "edits": trial.size,
            "score": round(trial.score, 4),
            "repaired": sorted(finding.repaired),
            "texts": {path: text.decode() for path, text in texts.items()},
        }


def hunt(
    session: Session, *, cpu: float, seconds: float, broken: list[str], say: Callable[[str], None]
) -> dict[str, Any]:
    """The whole search, and its report. `cpu` and `seconds` bound the trials: processor time, and time."""
    search = Hunt(session, cpu, seconds, say)
    search.run()
    session.nursery.close()
    return {**search.report(), "not_collected": broken}
