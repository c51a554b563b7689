"""trueup in an asyncio program: events with `async for`, a time limit of the program's own, and going on afterwards.

    .venv/bin/python examples/two.py

The agent, an asynchronous function, hangs at its first attempt. The program loses patience and cancels the run; nothing
is left behind, and the run is resumed where it was.
"""
# ruff: noqa: INP001, T201 - a script that prints

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from trueup import AgentContext, Resume, Task, events, run_async, start
from trueup.testing import python_project

FILES = {
    "greeting.py": 'def greet(name):\n    return "Hello" + name\n',
    "check.py": "import sys\nsys.path.insert(0, '.')\nfrom greeting import greet\nassert greet('Ada') == 'Hello Ada'\n",
}


async def agent(context: AgentContext) -> None:
    """Runs in an event loop of its own, and is cancelled when its attempt ends."""
    if context.attempt == 1:
        context.say("waiting for a model that never answers")
        await asyncio.sleep(3600)
    (context.workspace / "greeting.py").write_text('def greet(name):\n    return f"Hello {name}"\n', encoding="utf-8")


async def first_try(task: Task, project: Path, state: Path) -> str:
    """Leave after the agent has been silent for a while; the run's id, to go on with."""
    async with start(task, project, state=state) as run:
        async for envelope in run:
            match envelope.event:
                case events.Activity(text=text) if "never answers" in text:
                    print(f"  {text}")
                    try:
                        async with asyncio.timeout(0.5):
                            await asyncio.Event().wait()
                    except TimeoutError:
                        print("  enough; leaving the block ends the run")
                        break
                case events.MoveStarted(move=move):
                    print(f"  {type(move).__name__}")
                case _:
                    pass
    result = await run
    print(f"run {result.run}: {result.status} after {len(result.attempts)} attempt")
    return result.run


async def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        project, state = python_project(Path(folder) / "greeting", files=FILES), Path(folder) / "state"
        task = Task("greet with a blank", agent=agent, checks=[f"{sys.executable} -S check.py"])
        run_id = await first_try(task, project, state)

        # A whole run in one call; asyncio.timeout around it would end it cleanly too.
        async with asyncio.timeout(600):
            result = await run_async(Resume(run_id, agent=agent), project, state=state)
        print(f"run {result.run}: {result.status} after {len(result.attempts)} attempts")
        return result.exit_code


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
