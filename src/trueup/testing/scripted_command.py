"""How does a scripted agent run as a real process? This file is copied beside its steps and run on its own.

    python scripted_agent.py FOLDER ATTEMPT PROMPT_FILE RESULT_FILE

It imports nothing of trueup, so that it behaves like a foreign program.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any


def main(folder: Path, attempt: int, prompt_file: Path, result_file: Path) -> int:
    script = json.loads((folder / "steps.json").read_text(encoding="utf-8"))
    shutil.copyfile(prompt_file, folder / f"prompt-{attempt:04d}-{time.time_ns()}.txt")
    step = choose(script["steps"], attempt, script["then"])
    return perform(step, result_file) if step is not None else 0


def choose(steps: list[dict[str, Any]], attempt: int, then: str) -> dict[str, Any] | None:
    if attempt <= len(steps):
        return steps[attempt - 1]
    return steps[-1] if steps and then == "repeat" else None


def perform(step: dict[str, Any], result_file: Path) -> int:
    for path, text in step["writes"].items():
        write(Path(path), text)
    for command in step["shell"]:
        sys.stdout.flush()
        os.system(command)  # noqa: S605 - the commands are the test author's own
    print(step["say"], flush=True)  # noqa: T201 - what the agent says is its output
    if step["usd"] is not None:
        result_file.write_text(json.dumps({"usd": step["usd"], "note": step["say"]}), encoding="utf-8")
    time.sleep(step["sleep"])
    return int(step["exit_code"])


def write(path: Path, text: str | None) -> None:
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    elif path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])))
