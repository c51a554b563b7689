"""A repair service: several projects at once, one thread each, and a JSON line with a patch for every one.

    .venv/bin/python examples/three.py

One of the projects cannot be repaired by this agent: its line says so, and why. A real service would put its own agent
in place of `MEND`, and open a pull request from the branch or the patch.
"""
# ruff: noqa: INP001, T201 - a script that prints

from __future__ import annotations

import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from trueup import Agent, Task, TrueupError, run
from trueup.testing import python_project

BROKEN = {"parser": "int(text, 8)", "client": "int(text) + 1", "server": "undefined(text)"}
CHECK = "import sys\nsys.path.insert(0, '.')\nfrom lib import read\nassert read('10') == 10\n"
MEND = """\
import pathlib, sys
prompt, file = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path("lib.py")
if "undefined" in file.read_text():
    sys.exit("I give up")
file.write_text("def read(text):\\n    return int(text)\\n")
"""


def repair(project: Path, agent: Path, state: Path) -> dict[str, Any]:
    """Any command can be the agent; here it is a script that gets the prompt as a file."""
    mender = Agent("mender", command=[sys.executable, "-S", str(agent), "{prompt_file}"])
    task = Task("read() is wrong", agent=mender, checks=[f"{sys.executable} -S check.py"], max_attempts=2)
    try:
        result = run(task, project, state=state)
    except TrueupError as error:  # it could not even begin: another run works on it, no check, no git …
        return {"project": project.name, "status": "error", "why": str(error)}
    return {
        "project": project.name,
        "status": result.status,
        "branch": result.branch,
        "patch": result.diff(),
        "failures": [f"{failure.kind}: {failure.message}" for failure in result.failures],
        "full": json.loads(result.to_json()),
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        here = Path(folder)
        agent = here / "mend.py"
        agent.write_text(MEND, encoding="utf-8")
        projects = [
            python_project(here / name, files={"lib.py": f"def read(text):\n    return {wrong}\n", "check.py": CHECK})
            for name, wrong in BROKEN.items()
        ]
        for answer in pool.map(lambda project: repair(project, agent, here / "state"), projects):
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
