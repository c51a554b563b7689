"""Which programs may rewrite a file? Those of this list, with these arguments, on a copy in a folder of its own."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trueup.act.command_line import which
from trueup.act.indexes import index_of
from trueup.act.process import Processes

_SECONDS = 120.0
_LARGEST = 20_000_000
_REGISTRY = re.compile(
    r"npm_config_(?:registry|userconfig|cafile|proxy|https_proxy)|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    argv: tuple[str, ...]
    """`{file}` and `{folder}` stand for the copy of the file that it is asked about."""
    network: bool = False
    """Whether it asks a package index; it is then told which one."""
    fine: tuple[int, ...] = (0,)
    """Exit codes after which its work is taken. What it made of the file is verified in any case."""
    piped: bool = False
    """Whether it reads the file from standard input and says what becomes of it."""
    rustup: bool = False
    """Whether it is often rustup's, which looks for the real one in the user's own folder."""


TOOLS: Mapping[str, Tool] = {
    "ruff-fix": Tool(argv=("ruff", "check", "--fix", "--no-cache", "--quiet", "{file}"), fine=(0, 1)),
    "ruff-format": Tool(argv=("ruff", "format", "--no-cache", "--quiet", "{file}")),
    "ruff-imports": Tool(
        argv=("ruff", "check", "--select", "I", "--fix", "--no-cache", "--quiet", "{file}"), fine=(0, 1)
    ),
    "gofmt": Tool(argv=("gofmt", "-w", "{file}")),
    # By name it would also open the modules that the file declares, which are not here.
    "rustfmt": Tool(argv=("rustfmt", "--quiet", "--edition", "2021"), piped=True, rustup=True),
    "uv-lock": Tool(argv=("uv", "lock", "--quiet", "--directory", "{folder}", "--no-build"), network=True),
    "poetry-lock": Tool(
        argv=("poetry", "lock", "--quiet", "--no-interaction", "--directory", "{folder}"), network=True
    ),
    "npm-lock": Tool(
        argv=(
            "npm",
            "install",
            "--package-lock-only",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefix",
            "{folder}",
        ),
        network=True,
    ),
}
"""None of them runs code of the project: no plug-ins, no scripts, no configuration in code."""


class OwnTools:
    """Contract: as `Tools`."""

    def __init__(self, processes: Processes, env: Mapping[str, str], *, scratch: Path) -> None:
        self._processes = processes
        self._env = env
        self._scratch = scratch

    def run(self, tool: str, files: Mapping[str, bytes], path: str) -> Mapping[str, bytes] | None:
        known = TOOLS.get(tool)
        program = which(known.argv[0], self._env.get("PATH", "")) if known else None
        if known is None or program is None:
            return None
        self._scratch.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._scratch, prefix="tool-") as place:
            root = Path(place) / "files"
            for name, content in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(content)
            return self._made(known, program, root, files, path)

    def _made(
        self, tool: Tool, program: str, root: Path, files: Mapping[str, bytes], path: str
    ) -> Mapping[str, bytes] | None:
        where = {"{file}": str(root / path), "{folder}": str((root / path).parent)}
        argv = [program, *(where.get(word, word) for word in tool.argv[1:])]
        done = self._processes.run(
            argv,
            cwd=root,
            env=self._variables(tool, root),
            timeout=_SECONDS,
            stdin=files[path] if tool.piped else None,
            merge_stderr=not tool.piped,
            keep=_LARGEST,
        )
        if done.exit_code not in tool.fine or done.timed_out or done.stdout.omitted:
            return None
        if tool.piped:
            (root / path).write_bytes(done.stdout.head + done.stdout.tail)
        return _changed(root, files)

    def _variables(self, tool: Tool, root: Path) -> dict[str, str]:
        home = root.parent / "home"
        home.mkdir(exist_ok=True)
        env = {"PATH": self._env.get("PATH", os.defpath), "HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1"}
        own = self._env.get("HOME", "")
        if tool.rustup:
            return env | {"RUSTUP_HOME": self._env.get("RUSTUP_HOME") or f"{own}/.rustup", "RUSTUP_AUTO_INSTALL": "0"}
        if not tool.network:
            return env
        index = index_of(self._env)
        npm = {"npm_config_userconfig": f"{own}/.npmrc"} if own else {}
        told = {name: value for name, value in self._env.items() if _REGISTRY.fullmatch(name)}
        return env | index.uv_variables() | index.pip_variables() | npm | told


def _changed(root: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Plain files only; of new ones, only lock files beside those that were given."""
    found: dict[str, bytes] = {}
    for name, content in files.items():
        place = root / name
        if place.is_file() and not place.is_symlink() and place.stat().st_size <= _LARGEST:
            new = place.read_bytes()
            if new != content:
                found[name] = new
    return found
