"""A Python function as the agent, with everything that happens printed as it happens.

    .venv/bin/python examples/one.py

It makes a small shop with a wrong discount in a temporary folder, and lets a function repair it. The function's first
idea is half right: trueup sees that, keeps what is better, and asks again with the evidence.
"""
# ruff: noqa: INP001, T201 - a script that prints

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from trueup import AgentContext, Check, Task, events, run
from trueup.testing import SHOP_FIX, SHOP_HALF_FIX, shop, write_files


def repair(context: AgentContext) -> float:
    """An agent: it reads `context.prompt`, changes files in `context.workspace`, and returns what that cost."""
    context.say(f"reading {len(context.prompt)} characters of evidence")
    write_files(context.workspace, SHOP_HALF_FIX if context.attempt == 1 else SHOP_FIX)
    return 0.04


def show(envelope: events.Envelope) -> None:
    match envelope.event:
        case events.RunStarted(header=header):
            print(f"run {header.run} on {header.branch}: {', '.join(check.command for check in header.checks)}")
        case events.Activity(text=text):
            print(f"    {text}")
        case events.MoveDone(record=events.BaselineTaken(report=report)) if report:
            print(f"  at the start {len(report.failures)} tests fail")
        case events.Judged(attempt=number, judgement=judgement):
            left = sum(judgement.required.values())
            print(f"  attempt {number}: {judgement.kind}, {len(judgement.fixed)} fixed, {left} left")
        case _:
            pass


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        project = shop(Path(folder) / "shop")
        tests = Check([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], name="tests")
        task = Task("the bulk discount is wrong", agent=repair, checks=[tests], max_attempts=5, max_usd=1)
        result = run(task, project, on_event=show, state=Path(folder) / "state")

        print()
        print(result.explanation)
        print()
        print(result.diff())
        if result.passed:
            result.apply()
            print("applied: the checkout now holds", ", ".join(file.path for file in result.changed))
        return result.exit_code


if __name__ == "__main__":
    sys.exit(main())
