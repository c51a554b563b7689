"""Install the real test tools that `make test-runners` drives, into `.tools` (done once, git-ignored).

Usage: python scripts/test_tools.py [FOLDER...]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess  # noqa: TID251 - a script for developers, no part of the product
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[1] / ".tools"
NODE: dict[str, dict[str, str]] = {
    "node": {
        "jest": "30.2.0",
        "vitest": "4.1.12",
        "mocha": "12.0.3",
        "chai": "6.3.0",
        "pnpm": "9.8.0",
        "yarn": "1.22.22",
    },
    "lint": {"eslint": "10.14.0", "pyright": "1.1.414", "typescript": "7.0.2"},
    "kotlin": {"kotlin-compiler": "2.4.20"},
    "node-older": {"jest": "29.7.0", "vitest": "2.1.9", "mocha": "10.8.2", "node": "22.21.1"},
}
"""Folder -> npm packages and versions; `node` itself comes from there, too."""
PYTHON: dict[str, dict[str, str]] = {
    "python": {
        "pytest": "9.2.0",
        "tox": "4.67.13",
        "nox": "2026.10.20",
        "poetry": "2.5.1",
        "uv": "0.13.7",
        "rust-just": "1.59.0",
    },
}
"""Folder -> packages of a virtual environment."""
DEBIAN = (
    *("golang-go", "cmake", "gcc", "g++", "clang", "libgtest-dev", "perl", "bats"),
    *("ruby-rspec", "ruby-minitest", "phpunit", "php-xml", "php-mbstring"),
    *("default-jdk-headless", "junit4", "junit5", "gradle", "maven"),
    *("libsurefire-java", "libmaven-compiler-plugin-java", "libmaven-resources-plugin-java"),
)
PROGRAMS = {"default-jdk-headless": "javac", "golang-go": "go", "ruby-rspec": "rspec"}
"""Tools that come from the system's own packages; a test whose tool is missing is skipped and says what to install."""


def main(folders: list[str]) -> int:
    for folder in folders or [*NODE, *PYTHON]:
        if folder in PYTHON:
            install_python(TOOLS / folder, PYTHON[folder])
        else:
            install(TOOLS / folder, NODE[folder])
    if not folders:
        install_debian(DEBIAN)
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


def install_python(folder: Path, packages: dict[str, str]) -> None:
    """A virtual environment with just these versions."""
    wanted = [f"{name}=={version}" for name, version in packages.items()]
    done = folder / "installed.txt"
    if done.is_file() and done.read_text(encoding="utf-8").split() == wanted:
        return
    sys.stdout.write(f"installing {', '.join(wanted)}\n")
    sys.stdout.flush()
    subprocess.run((sys.executable, "-m", "venv", "--clear", folder), check=True)
    subprocess.run((folder / "bin" / "python", "-m", "pip", "install", "--quiet", *wanted), check=True)
    done.write_text("\n".join(wanted) + "\n", encoding="utf-8")


def install_debian(packages: tuple[str, ...]) -> None:
    """Only root may; anybody else is told what to ask for. What cannot be had is skipped by its tests."""
    apt, dpkg = shutil.which("apt-get"), shutil.which("dpkg-query")
    if apt is None or dpkg is None:
        sys.stdout.write("no apt-get here: tools that only the system offers are tested if they are installed\n")
        return
    missing = [name for name in packages if not _is_installed(dpkg, name)]
    if not missing:
        return
    command = (apt, "install", "-y", "-qq", "--no-install-recommends", *missing)
    if os.geteuid() != 0:
        sys.stdout.write(f"for more tools: sudo {' '.join(command)}\n")
        return
    sys.stdout.write(f"installing {', '.join(missing)}\n")
    sys.stdout.flush()
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if subprocess.run(command, env=env, check=False, stdout=subprocess.DEVNULL).returncode != 0:
        sys.stdout.write("apt-get could not install all of them; `apt-get update` may help\n")


def _is_installed(dpkg: str, name: str) -> bool:
    told = subprocess.run((dpkg, "-W", "-f=${Status}", name), check=False, capture_output=True, text=True)
    return told.stdout == "install ok installed" or shutil.which(PROGRAMS.get(name, name)) is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
