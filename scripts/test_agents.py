"""Install the real agent programs that `make test-agents` drives, into `.tools/agents` (done once, git-ignored).

Usage: python scripts/test_agents.py [PROGRAM...]
"""

from __future__ import annotations

import os
import shutil
import subprocess  # noqa: TID251 - a script for developers, no part of the product
import sys
from pathlib import Path

AGENTS = Path(__file__).resolve().parents[1] / ".tools" / "agents"
NODE = {
    "claude": ("@anthropic-ai/claude-code@2.1.197",),
    "codex": ("@openai/codex@0.166.0",),
    "gemini": ("@google/gemini-cli@0.61.0",),
    "qwen": ("@qwen-code/qwen-code@0.15.10",),
    "opencode": ("opencode-ai@1.18.33",),
    "copilot": ("@github/copilot@1.0.102",),
    "pi": ("@mariozechner/pi-coding-agent@0.73.1",),
    "cn": ("@continuedev/cli@1.5.47",),
    "cline-cli": ("cline@3.0.65",),  # npm installs nothing into a folder of the package's own name
}
PYTHON = {
    "aider": ("aider-chat==0.86.2",),
    "mini": ("mini-swe-agent==2.4.6", "mcp"),
    "vibe": ("mistral-vibe==3.0.2",),
}
"""Program -> packages. Without `mcp`, the model library of the second cannot be loaded."""
NEWER = {"vibe": "python3.12"}
"""Programs that need another interpreter than ours."""


def main(chosen: list[str]) -> int:
    for name in chosen or [*NODE, *PYTHON]:
        if name not in NODE | PYTHON:
            sys.stderr.write(f"{name} is not known; there are: {', '.join([*NODE, *PYTHON])}\n")
            return 2
        install(name)
    return 0


def install(name: str) -> None:
    """Nothing is done when just these versions are there. What cannot be had is said, and its tests are skipped."""
    packages = NODE.get(name) or PYTHON[name]
    folder = AGENTS / name
    done = folder / "installed.txt"
    if done.is_file() and done.read_text(encoding="utf-8").split() == [*packages]:
        return
    sys.stdout.write(f"installing {', '.join(packages)}\n")
    sys.stdout.flush()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        if name in NODE:
            subprocess.run(("npm", "install", "--no-audit", "--no-fund", "--prefix", folder, *packages), check=True)
        else:
            subprocess.run((_interpreter(name), "-m", "venv", folder), check=True)
            subprocess.run((folder / "bin" / "python", "-m", "pip", "install", "--quiet", *packages), check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stdout.write(f"{name} cannot be installed here ({error}): its tests are skipped\n")
        shutil.rmtree(folder, ignore_errors=True)
        return
    done.write_text("\n".join(packages) + "\n", encoding="utf-8")


def _interpreter(name: str) -> str:
    wanted = NEWER.get(name)
    if wanted is None:
        return sys.executable
    kept = sorted(Path.home().glob(f".pyenv/versions/{wanted.removeprefix('python')}.*/bin/{wanted}"))
    return shutil.which(wanted, path=os.defpath) or (str(kept[-1]) if kept else wanted)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
