"""Which runner understands what a check left, and what does it say?"""

from __future__ import annotations

from dataclasses import replace

from trueup.act.process import Completed
from trueup.evidence.tools import tool_of_text
from trueup.verify.runners import Evidence, RunContext, Runner, runners


def evidence_of(run: RunContext, completed: Completed) -> Evidence:
    """What the first runner says that knows something, with the name of the tool."""
    runner, evidence = next((r, e) for r in runners() if (e := r.read(run, completed)) is not None)
    chosen = evidence.selects or _selects(runner, run, evidence.inventory or ())
    evidence = replace(evidence, selects=chosen)
    if evidence.tool:
        return evidence
    if runner is not runners()[-1]:
        return replace(evidence, tool=runner.name)
    return replace(evidence, tool=tool_of_text(completed.stdout.text()) or _tool_behind(run))


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
