"""Which runners understand what a check left, and what do they say together?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from trueup.act.commands import programs_run
from trueup.act.process import Completed
from trueup.evidence.failure import Failure, known_by_name
from trueup.evidence.normalize import neutralise
from trueup.evidence.report import SeenBy
from trueup.evidence.text import GUESSED, failures_from_text
from trueup.evidence.tools import tool_of_text
from trueup.verify.recipes import untold_recipes
from trueup.verify.runners import Evidence, RunContext, Runner, runners

_PROGRAMS = {"node:test": "node", "gcc": "CC"}
"""What stands for a tool in a recipe, where that is not its name."""


def evidence_of(run: RunContext, completed: Completed) -> Evidence:
    """What the runners say that know something, with the names of their tools.

    One command may run several tools (`make -k check`, `ruff check .; pytest`): what one of them tells must not hide
    the failures, nor the tests, of another.
    """
    every = runners()[:-1]  # the last one answers for every command, and knows nothing
    told = [_named(r, run, e) for r in every if (e := r.read(run, completed)) is not None]
    if not told:
        return replace(Evidence(), tool=tool_of_text(completed.stdout.text()) or _tool_behind(run))
    seen = [told[0], *(e for e in told[1:] if e.inventory is not None or e.seen_by is SeenBy.STRUCTURE)]
    evidence = _joined(seen) if len(seen) > 1 else seen[0]
    complaints = any(one.inventory is None and one.seen_by is SeenBy.STRUCTURE for one in seen)
    if not complaints:  # who tells complaints has read the text
        evidence = _with_text(run, completed, evidence)
    return _with_recipes(run, completed, evidence, [one.tool for one in seen if one.failures])


def _named(runner: Runner, run: RunContext, evidence: Evidence) -> Evidence:
    chosen = evidence.selects or _selects(runner, run, evidence.inventory or ())
    return replace(evidence, selects=chosen, tool=evidence.tool or runner.name)


def _selects(runner: Runner, run: RunContext, ids: tuple[str, ...]) -> bool:
    """Whether these tests can be run alone: by other words in the command, or by what the runner adds to any."""
    chosen = runner.select(run.argv, ids) if ids else None
    return chosen is not None and (chosen == run.argv or runner.recognises(run.argv))


def _tool_behind(run: RunContext) -> str:
    """The one whose command can be seen; "" when there is none, or more than one."""
    every, last = runners()[:-1], runners()[-1]
    known = {next((r for r in every if r.recognises(argv)), last) for argv in run.behind}
    named = [runner.name for runner in known if runner is not last]
    return named[0] if len(named) == 1 else ""


# --- several tools -------------------------------------------------------------------------------------------


def _joined(seen: list[Evidence]) -> Evidence:
    """Those that name their tests first: what was also read from a text about the same tests adds nothing."""
    failures: tuple[Failure, ...] = ()
    for evidence in sorted(seen, key=lambda one: one.inventory is None):
        failures += tuple(_besides(failures, evidence.failures, seen))
    named = [one for one in seen if one.inventory is not None]
    not_passed = {*(f.subject for f in failures), *(i for one in named for i in (*one.skipped, *one.running))}
    first = named[0] if named else seen[0]
    return replace(
        first,
        failures=failures,
        passed=_all(i for one in named for i in one.passed if i not in not_passed),
        skipped=_all(i for one in named for i in one.skipped),
        inventory=_all(i for one in named for i in one.inventory or ()) if named else None,
        places=tuple(place for one in named for place in one.places),
        strength=min((one.strength for one in named or seen), key=lambda strength: strength.rank),
        problem=next((one.problem for one in seen if one.problem), ""),
        running=_all(i for one in seen for i in one.running),
        tool=", ".join(_all(one.tool for one in seen)),
        selects=bool(named) and all(one.selects for one in named),
    )


def _all(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _with_text(run: RunContext, completed: Completed, evidence: Evidence) -> Evidence:
    """What a tool that only prints says beside one that tells: `tsc; jest` in one command, both failing."""
    alone = len(programs_run(run.behind)) < 2 or run.forgives()  # noqa: PLR2004
    if not evidence.failures or not completed.exit_code or completed.timed_out or alone:
        return evidence
    said = run.redact(neutralise(run.as_seen(completed.stdout.text())))
    found = failures_from_text(run.check, said, exit_code=completed.exit_code, sources=run.sources)
    named = known_by_name((f for f in found if f.kind not in GUESSED), frozenset())
    return replace(evidence, failures=(*evidence.failures, *_besides(evidence.failures, named, [evidence])))


def _with_recipes(run: RunContext, completed: Completed, evidence: Evidence, tools: list[str]) -> Evidence:
    if not evidence.failures or not completed.exit_code or completed.timed_out:
        return evidence
    names = [_PROGRAMS.get(name, name) for tool in tools for name in tool.split(", ")]
    untold = untold_recipes(run, completed.stdout.text(), names)
    return replace(evidence, failures=(*evidence.failures, *untold))


def _besides(told: tuple[Failure, ...], more: Iterable[Failure], seen: list[Evidence]) -> Iterator[Failure]:
    """Failures that are about something else. Text names a file from where its tool was, and a test by its file."""
    ids = {i for one in seen for i in one.inventory or ()} if told else set()
    files = {i.partition("::")[0] for i in ids} | {f.file for f in told if f.test}
    subjects, places = ids | {f.subject for f in told}, {(f.file, f.line) for f in told if f.file and not f.test}
    for failure in more:
        known = failure.subject in subjects or any(i.endswith(f"/{failure.subject}") for i in ids)
        within = failure.named and failure.file in files
        if failure.test or not (known or within or (failure.file, failure.line) in places):
            yield failure
