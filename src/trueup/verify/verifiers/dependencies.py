"""Can the declared set be resolved? The real resolver is asked; its explanation is the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from trueup.act.declared import Declared, Needs, needs_of
from trueup.act.process import Cancelled
from trueup.act.refusals import Refused, Why
from trueup.act.requirement_lines import Line, Problem, canonical
from trueup.evidence.failure import Failure
from trueup.evidence.told import Phase
from trueup.verify.verifiers.base import Bench, Reach, Verdict
from trueup.verify.verifiers.other_languages import other_languages
from trueup.verify.verifiers.shop import Shop, shop_for

NAME = "dependencies"
_MACHINE = {Why.UNREACHABLE, Why.LATE, Why.OTHER}
_UNKNOWN = {
    Why.NEEDS_BUILD: "it has to be built, and there is no sandbox to build it in",
    Why.TOOLS: "it cannot be built here",
}
_REQUIRED = re.compile(
    r"(?:you require|requirement|found for|Failed to (?:download and )?build)\s+`?([A-Za-z0-9][\w.-]*)"
)
_NAMES = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Dependencies:
    name: str = NAME
    question: str = "can the declared set be resolved?"
    reach: Reach = Reach.NETWORK
    needs: tuple[str, ...] = ()

    def verify(self, bench: Bench) -> Verdict:
        every = needs_of(bench.files)
        found = [_judge(needs, bench) for needs in every if needs.sets]
        found += other_languages(bench)
        if not found:
            return Verdict(skipped="no manifest declares a dependency")
        errors = list(dict.fromkeys(one.error for one in found if one.error))
        failures = tuple(failure for one in found for failure in one.failures)
        if errors and not failures:
            return Verdict(error="; ".join(errors))
        return Verdict(
            failures=tuple(dict.fromkeys(failures)),
            advice=tuple(dict.fromkeys(advice for one in found for advice in one.advice)),
            looked_at=sum(one.looked_at for one in found),
        )


# --- one project ---------------------------------------------------------------------------------------------


def _judge(needs: Needs, bench: Bench) -> Verdict:
    problems = tuple(dict.fromkeys(_problem(p) for one in needs.sets for p in one.problems))
    unread = tuple(dict.fromkeys(_unread(line) for one in needs.sets for line in one.unchecked))
    shop = shop_for(needs, bench)
    if shop is None:
        unfit = Failure(
            check=NAME,
            subject=f"{needs.sets[0].manifest} python",
            kind="python",
            message=f"not looked at: it runs on Python {needs.python}, and there is none on this machine",
            file=needs.sets[0].manifest,
            test=False,
        )
        return Verdict(failures=problems, advice=(unfit, *unread), looked_at=1)
    failures, advice, errors = _resolved(needs, shop, bench)
    return Verdict(
        failures=(*problems, *failures), advice=(*advice, *unread), error="; ".join(errors), looked_at=len(needs.sets)
    )


def _resolved(needs: Needs, shop: Shop, bench: Bench) -> tuple[list[Failure], list[Failure], list[str]]:
    """All sets at once: if there is a solution for all, there is one for each. Only else is each looked at alone."""
    failures: list[Failure] = []
    advice: list[Failure] = []
    errors: list[str] = []
    whole = needs.running.with_(one for one in needs.sets if one.group)
    sets = [needs.running] if needs.running.requirements else []
    sets += [needs.running.with_([one]) for one in needs.sets if one.group]
    if len(sets) > 1 and not isinstance(shop.resolve(whole), Refused):
        sets = sets[:1] if needs.running.requirements else []  # the environment to come needs its own answer
    broken: set[str] = set()
    for one in sets:
        if bench.processes.cancelled:
            raise Cancelled
        bench.tell(f"resolving {one.manifest}")
        refused = shop.resolve(one)
        if not isinstance(refused, Refused):
            continue
        if refused.why in _MACHINE:
            errors.append(f"{shop.installer.name} could not answer for {one.manifest}: {refused.text[:300]}")
            continue
        failure = _failure(one, refused)
        if failure.message in broken:  # the same reason, seen through another group
            continue
        broken.add(failure.message)
        counts = refused.why not in _UNKNOWN and not one.other_index and not shop.resolves_elsewhere(one)
        (failures if counts else advice).append(failure if counts else _doubtful(failure, one, refused))
    return failures, advice, list(dict.fromkeys(errors))


# --- as evidence ---------------------------------------------------------------------------------------------


def _failure(one: Declared, refused: Refused) -> Failure:
    named = list(_blamed(one, refused.text))
    line = named[0] if named else None
    subject = line.name if line else (one.group or "set")
    return Failure(
        check=NAME,
        subject=f"{line.file if line else one.manifest} {subject}",
        phase=Phase.BUILD,
        kind=refused.why.value,
        message=_message(refused, named),
        file=line.file if line else one.manifest,
        line=line.line if line else None,
        source_line=line.source if line else None,
        test=False,
    )


def _message(refused: Refused, named: list[Line]) -> str:
    if refused.why is Why.NO_SOLUTION and len(named) == 1 and "No matching distribution" not in refused.text:
        return f"No matching distribution found for {named[0].text}: {refused.text}"
    return refused.text


def _blamed(one: Declared, text: str) -> Iterator[Line]:
    """The lines that the resolver names, those that it says it was given first."""
    required = {canonical(name) for name in _REQUIRED.findall(text)}
    mentioned = {canonical(name.rstrip(".")) for name in _NAMES.findall(text)}
    mentioned |= {canonical(re.split(r"[<>=!~]", name)[0]) for name in _NAMES.findall(text)}
    lines = sorted(one.requirements, key=lambda line: (line.name not in required, line.line or 0))
    found = [line for line in lines if line.name in required]
    yield from found or (line for line in lines if line.name in mentioned)


def _doubtful(failure: Failure, one: Declared, refused: Refused) -> Failure:
    why = _UNKNOWN.get(refused.why) or (
        "the manifest names another index, which is not asked" if one.other_index else "another Python is meant"
    )
    return replace(failure, message=f"not judged, because {why}: {failure.message}")


def _problem(problem: Problem) -> Failure:
    return Failure(
        check=NAME,
        subject=f"{problem.file} {problem.kind}",
        phase=Phase.BUILD,
        kind=problem.kind,
        message=problem.message,
        file=problem.file,
        line=problem.line,
        source_line=problem.source,
        test=False,
    )


def _unread(line: Line) -> Failure:
    return Failure(
        check=NAME,
        subject=f"{line.file} unchecked",
        kind="unchecked",
        message=f"not looked at: {line.text or 'a requirement'} comes from a URL, a repository or a variable",
        file=line.file,
        line=line.line,
        source_line=line.source,
        test=False,
    )
