"""When would the fold have spoken in runs whose outcome is known, and when would it have ended them?

    python -m benchmarks.trajectories RUNS.jsonl

Each line is a run in trueup's JSON lines with `resolved`, `source` and `task`. The rule is measured as a whole, and by
shaping its one number on some of the runs and scoring it on the others.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trueup.cli.transcripts import transcripts
from trueup.decide.live import Live, Watch
from trueup.decide.session import Turn
from trueup.decide.turns import follow

MARGIN = 6
"""How far above all that a run with a good end ever reached a stop has to be."""
SPLITS = 200
_NEVER = 10**9
_CAP = 2_000
"""Tokens that one turn counts at most in the second figure: a few giant outputs make up much of the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    id: str
    source: str
    task: str
    resolved: bool
    turns: tuple[Turn, ...]
    levels: tuple[int, ...]
    nudges: tuple[int, ...]

    @property
    def repaired(self) -> int | None:
        """The place where a check passes that had failed before, by the record's own marks."""
        failed: set[str] = set()
        for place, turn in enumerate(self.turns):
            if turn.verify and turn.failed:
                failed.add(turn.args)
            elif turn.verify and turn.failed is False and turn.args in failed:
                return place
        return None

    @property
    def any_pass(self) -> int | None:
        """The same with any check: the marks call some failures a pass, so this is the harsher figure."""
        first = next((place for place, turn in enumerate(self.turns) if turn.verify and turn.failed), _NEVER)
        later = (place for place, turn in enumerate(self.turns) if turn.verify and turn.failed is False)
        return next((place for place in later if place > first), None)


Rule = Callable[[Run], int | None]


def read(path: Path) -> list[Run]:
    facts = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [_run(fact, one.turns) for fact, one in zip(facts, transcripts(path), strict=True)]


def _run(fact: dict[str, object], turns: tuple[Turn, ...]) -> Run:
    live, watch = Live(), Watch()
    levels: list[int] = []
    nudges: list[int] = []
    for place, turn in enumerate(turns):
        live = follow(live, turn, watch)
        levels.append(live.level)
        nudges += [place] if live.nudge else []
    return Run(
        id=str(fact["id"]),
        source=str(fact["source"]),
        task=str(fact["task"]),
        resolved=fact["resolved"] is True,
        turns=turns,
        levels=tuple(levels),
        nudges=tuple(nudges),
    )


def at_level(level: int) -> Rule:
    """Ends a run where the level is reached; at its last turn there is nothing left to end."""
    return lambda run: next((place for place, one in enumerate(run.levels[:-1]) if one >= level), None)


def same_action_thrice(run: Run) -> int | None:
    """The same call three times within ten."""
    for place in range(len(run.turns) - 1):
        window = [turn.args for turn in run.turns[max(0, place - 9) : place + 1]]
        if window.count(window[-1]) >= 3:  # noqa: PLR2004 - the rule's name
            return place
    return None


def repeats_and_swings(run: Run) -> int | None:
    """Four times the same call and result, three times the same failing call, or two that take turns three times."""
    for place in range(len(run.turns) - 1):
        seen = [(turn.args, turn.output) for turn in run.turns[: place + 1]]
        last = run.turns[max(0, place - 2) : place + 1]
        same = len(seen) > 3 and len(set(seen[-4:])) == 1  # noqa: PLR2004 - four
        failing = len(last) == 3 and len({turn.args for turn in last}) == 1 and all(turn.failed for turn in last)  # noqa: PLR2004 - three
        swings = len(seen) > 5 and len(set(seen[-6::2])) == len(set(seen[-5::2])) == 1  # noqa: PLR2004 - six
        if same or failing or swings:
            return place
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a rule does to some runs."""

    saved: int = 0
    spent: int = 0
    capped_saved: int = 0
    capped_spent: int = 0
    ended: int = 0
    unresolved: int = 0
    touched: int = 0
    resolved: int = 0
    too_early: int = 0
    repaired: int = 0
    too_early_any: int = 0
    any_pass: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(**{name: getattr(self, name) + getattr(other, name) for name in Score.__slots__})

    def cells(self) -> tuple[str, ...]:
        return (
            _share(self.saved, self.spent),
            _share(self.capped_saved, self.capped_spent),
            f"{self.ended} of {self.unresolved}",
            f"{self.touched} of {self.resolved}",
            f"{self.too_early} of {self.repaired}",
            f"{self.too_early_any} of {self.any_pass}",
        )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def score(runs: Iterable[Run], rule: Rule) -> Score:
    return sum((_scored(run, rule(run)) for run in runs), Score())


def _scored(run: Run, stop: int | None) -> Score:
    early = [place is not None and stop is not None and stop < place for place in (run.repaired, run.any_pass)]
    repairs = Score(
        too_early=early[0],
        repaired=run.repaired is not None,
        too_early_any=early[1],
        any_pass=run.any_pass is not None,
    )
    if run.resolved:
        return repairs + Score(resolved=1, touched=stop is not None)
    tokens = [turn.tokens or 0 for turn in run.turns]
    after = _NEVER if stop is None else stop + 1
    return repairs + Score(
        unresolved=1,
        ended=stop is not None,
        spent=sum(tokens),
        saved=sum(tokens[after:]),
        capped_spent=sum(min(one, _CAP) for one in tokens),
        capped_saved=sum(min(one, _CAP) for one in tokens[after:]),
    )


def shaped(runs: Iterable[Run]) -> int:
    """The level for a stop, as these runs suggest it."""
    return max((max(run.levels) for run in runs if run.resolved and run.levels), default=0) + MARGIN


def by_source(runs: Sequence[Run]) -> Iterator[str]:
    """Each source scored with the number that the other sources suggest."""
    total = Score()
    for source in sorted({run.source for run in runs}):
        level = shaped(run for run in runs if run.source != source)
        part = score((run for run in runs if run.source == source), at_level(level))
        yield _row(f"{source}, shaped on the others (level {level})", part)
        total += part
    yield _row("**each source by the others**", total)


def by_task(runs: Sequence[Run]) -> Iterator[str]:
    """Half of the tasks suggest the number, the other half is scored; many times."""
    tasks = sorted({run.task for run in runs})
    scores: list[Score] = []
    levels: Counter[int] = Counter()
    for seed in range(SPLITS):
        half = set(random.Random(seed).sample(tasks, len(tasks) // 2))  # noqa: S311 - no secret
        level = shaped(run for run in runs if run.task in half)
        levels[level] += 1
        scores.append(score((run for run in runs if run.task not in half), at_level(level)))
    saved = sorted(100 * one.saved / max(1, one.spent) for one in scores)
    low, median, high = (saved[int(share * (SPLITS - 1))] for share in (0.05, 0.5, 0.95))
    total = sum(scores, Score())
    yield f"{SPLITS} splits by task; levels chosen: {dict(sorted(levels.items()))}"
    yield f"  tokens saved: median {median:.1f} %, from {low:.1f} % to {high:.1f} % in nine of ten"
    yield f"  resolved touched: {_share(total.touched, total.resolved)}"
    yield f"  repaired, ended before: {_share(total.too_early, total.repaired)}"
    yield f"  any later pass, ended before: {_share(total.too_early_any, total.any_pass)}"


def table(runs: Sequence[Run]) -> Iterator[str]:
    stop_at = Watch().stop_at
    rule = at_level(stop_at)
    yield f"| {' | '.join(_HEADS)} |"
    yield f"|{'---|' * len(_HEADS)}"
    for source in sorted({run.source for run in runs}):
        yield _row(source, score((run for run in runs if run.source == source), rule))
    yield _row(f"**all (level {stop_at})**", score(runs, rule))
    most = max(runs, key=lambda run: score([run], rule).saved)
    yield _row("all, without the run that saves most", score((run for run in runs if run is not most), rule))
    for level in range(stop_at - 2, stop_at + 4):
        yield _row(f"level {level}", score(runs, at_level(level)))
    yield _row("the same call 3 times in 10", score(runs, same_action_thrice))
    yield _row("repeats and swings", score(runs, repeats_and_swings))
    yield from by_source(runs)


def spoken(runs: Sequence[Run]) -> Iterator[str]:
    for name in ("resolved", "unresolved"):
        some = [run for run in runs if run.resolved is (name == "resolved")]
        reached = Counter(max(run.levels, default=0) for run in some)
        nudged = sum(bool(run.nudges) for run in some)
        yield f"{name}: spoken to in {nudged} of {len(some)}; highest level {dict(sorted(reached.items()))}"


_HEADS = ("", "tokens saved", "a turn at most 2,000", "unresolved ended", "resolved touched", "repaired, before", "any")


def _row(name: str, scored: Score) -> str:
    return f"| {name} | {' | '.join(scored.cells())} |"


def main(path: Path) -> None:
    runs = read(path)
    sys.stdout.writelines(f"{line}\n" for line in (*table(runs), "", *by_task(runs), "", *spoken(runs)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
