"""Small wheels instead of an index, and a bench for verifiers: real environments, made without a network."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from trueup.act.declared import nearest, needs_of
from trueup.act.environments import Environment
from trueup.act.isolation import Isolation, isolation
from trueup.act.process import Processes
from trueup.act.removal import remove
from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers import shop as shop_module
from trueup.verify.verifiers.base import Bench, Verdict
from trueup.verify.verifiers.running import verifier
from trueup.verify.verifiers.shop import Shop, shop_for

PYTHON = str(Path(sys.executable).parent)


def make_wheel(
    folder: Path, name: str, version: str, modules: Mapping[str, str], requires: tuple[str, ...] = ()
) -> Path:
    """A wheel as an index would have it."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {one}\n" for one in requires)
    content = {path: dedent(text) for path, text in modules.items()}
    content |= {
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},{_digest(text)},{len(text.encode())}\n" for path, text in content.items())
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in content.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return wheel


def _digest(text: str) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


@dataclass
class Gate:
    """One folder of wheels instead of an index, one cache, and trees to verify."""

    base: Path
    processes: Processes
    env: dict[str, str]
    number: int = 0
    said: list[str] = field(default_factory=list)

    @property
    def wheels(self) -> Path:
        return self.base / "wheels"

    @property
    def cache(self) -> Path:
        return self.base / "cache"

    def offer(self, name: str, version: str = "1.0", *, requires: tuple[str, ...] = (), **modules: str) -> None:
        """A distribution; without modules it has one of its own name."""
        files = {f"{module}.py": text for module, text in modules.items()} or {f"{name}.py": f"VERSION = {version!r}\n"}
        make_wheel(self.wheels, name, version, files, requires)

    def tree(self, files: Mapping[str, str | bytes]) -> SourceFiles:
        self.number += 1
        root = self.base / f"tree{self.number}"
        for path, content in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else dedent(content).lstrip("\n").encode())
        root.mkdir(exist_ok=True)
        return SourceFiles(root, tuple(sorted(files)))

    def bench(self, tree: SourceFiles, *, seconds: float = 120.0, network: bool = False, **settings: Any) -> Bench:
        scratch = self.base / f"scratch{self.number}-{len(self.said)}"
        self.said.append("")
        scratch.mkdir()
        return Bench(
            files=tree,
            scratch=scratch,
            cache=self.cache,
            processes=self.processes,
            env=self.env,
            seconds=seconds,
            settings=settings,
            network=network,
        )

    def verify(self, name: str, files: Mapping[str, str | bytes] | SourceFiles, **how: Any) -> Verdict:
        tree = files if isinstance(files, SourceFiles) else self.tree(files)
        return verifier(name).verify(self.bench(tree, **how))

    def environment(self, files: Mapping[str, str | bytes], imports: tuple[str, ...] = (), **how: Any) -> Environment:
        """The one that `smoke` would use."""
        tree = self.tree(files)
        shop = self.shop(tree, **how)
        made = shop.environment(nearest(needs_of(tree), "main.py").running, imports)
        assert isinstance(made, Environment), made
        return made

    def shop(self, tree: SourceFiles, **how: Any) -> Shop:
        shop = shop_for(nearest(needs_of(tree), "main.py"), self.bench(tree, **how))
        assert shop is not None
        return shop

    def run_in(self, made: Environment, code: str) -> str:
        return subprocess.run(
            [made.python, "-I", "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    for name in ("wheels", "cache", "home"):
        (tmp_path / name).mkdir()
    env = {
        "PATH": os.pathsep.join((PYTHON, "/usr/local/bin", "/usr/bin", "/bin")),
        "HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path / "wheels"),
    }
    with Processes() as processes:
        yield Gate(base=tmp_path, processes=processes, env=env)
    remove(tmp_path / "cache")


@pytest.fixture(params=["uv", "pip"])
def installer(request: pytest.FixtureRequest) -> str:
    """Each of the two that there may be."""
    return str(request.param)


@pytest.fixture
def sandbox() -> None:
    """For what holds only behind walls."""
    found = isolation({"PATH": "/usr/bin:/bin"})
    if not found:
        pytest.skip(f"no sandbox on this machine: {found.why_not}")


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without bubblewrap."""
    monkeypatch.setattr(shop_module, "isolation", lambda _: Isolation(bubblewrap=None, why_not="bubblewrap is missing"))
