"""Install the real test tools that `make test-runners` drives, into `.tools` (done once, git-ignored).

Usage: python scripts/test_tools.py [FOLDER...]
"""

from __future__ import annotations

import json
import subprocess  # noqa: TID251 - a script for developers, no part of the product
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[1] / ".tools"
NODE: dict[str, dict[str, str]] = {
    "node": {"jest": "30.2.0", "vitest": "4.1.12", "mocha": "12.0.3", "chai": "6.3.0"},
    "node-older": {"jest": "29.7.0", "vitest": "2.1.9", "mocha": "10.8.2", "node": "22.21.1"},
}
"""Folder -> npm packages and versions; `node` itself comes from there, too."""


def main(folders: list[str]) -> int:
    for folder in folders or list(NODE):
        install(TOOLS / folder, NODE[folder])
    return 0


def install(folder: Path, packages: dict[str, str]) -> None:
    """Nothing is done when the folder already holds just these versions."""
    manifest = json.dumps({"private": True, "dependencies": packages}, indent=2) + "\n"
    done = folder / "installed.json"
    if done.is_file() and done.read_text(encoding="utf-8") == manifest:
        return
    sys.stdout.write(f"installing {', '.join(f'{name} {version}' for name, version in packages.items())}\n")
    sys.stdout.flush()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(manifest, encoding="utf-8")
    subprocess.run(("npm", "install", "--no-audit", "--no-fund", "--loglevel=error"), cwd=folder, check=True)
    done.write_text(manifest, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
