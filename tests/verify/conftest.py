"""Small projects on a real bench: written to a real store, checked by real processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import dedent

import pytest

from trueup.act.bench import Bench
from trueup.act.bytecode import Bytecode
from trueup.act.process import Processes
from trueup.act.store import Entry, Store
from trueup.decide.task import CheckSpec
from trueup.evidence.report import CheckResult, Report
from trueup.verify.gate import run_checks
from trueup.verify.request import GateRequest

Files = Mapping[str, str]

_FEW_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@dataclass
class Lab:
    """A store, a bench and an environment; `check` runs commands on files."""

    base: Path
    processes: Processes
    store: Store
    bench: Bench
    warm: Bytecode
    """Of pytest itself: compiling it again for each of these checks would take most of the time."""
    said: list[str] = field(default_factory=list)

    @property
    def checkout(self) -> Path:
        return self.base / "checkout"

    @property
    def env(self) -> dict[str, str]:
        path = os.pathsep.join((str(Path(sys.executable).parent), "/usr/bin", "/bin"))
        return {"PATH": path, "HOME": str(self.base), "LANG": "C.UTF-8", **_FEW_PLUGINS}

    def request(self, *commands: str | CheckSpec) -> GateRequest:
        checks = tuple(
            c if isinstance(c, CheckSpec) else CheckSpec(name="tests" if not number else f"tests{number}", run=c)
            for number, c in enumerate(commands)
        )
        return GateRequest(
            checks=checks, checkout=self.checkout, env=self.env, logs=self.base / "logs", bytecode=self.warm
        )

    def load(self, files: Files) -> str:
        texts = {path: dedent(text).lstrip("\n") for path, text in files.items()}
        oids = self.store.put_many([text.encode() for text in texts.values()])
        entries = {path: Entry(mode="100644", oid=oid) for path, oid in zip(texts, oids, strict=True)}
        tree = self.store.edit(self.store.empty_tree(), entries)
        self.bench.load(tree)
        return tree

    def sources(self, path: str) -> str | None:
        file = self.bench.folder / path
        return file.read_text() if file.is_file() else None

    def run(self, tree: str, request: GateRequest) -> Report:
        return run_checks(
            request,
            bench=self.bench,
            tree=tree,
            processes=self.processes,
            sources=self.sources,
            on_output=self.said.append,
        )

    def report(self, files: Files, *commands: str | CheckSpec, **more: object) -> Report:
        request = replace(self.request(*commands), **more)  # type: ignore[arg-type]
        return self.run(self.load(files), request)

    def check(self, files: Files, command: str = "pytest -q -p no:cacheprovider", **more: object) -> CheckResult:
        (result,) = self.report(files, command, **more).results
        return result


@pytest.fixture(scope="session")
def processes() -> Iterator[Processes]:
    with Processes() as owner:
        yield owner


@pytest.fixture(scope="session")
def warm(processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> Bytecode:
    base = tmp_path_factory.mktemp("warm")
    (base / "test_nothing.py").write_text("import asyncio, unittest, xdist.remote\ndef test_nothing(): assert 1\n")
    env = {"PATH": "/usr/bin:/bin", "PYTHONPYCACHEPREFIX": str(base / "bytecode"), **_FEW_PLUGINS}
    argv = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "xdist.plugin",
        "-n1",
        "-p",
        "no:cacheprovider",
        "test_nothing.py",
    )
    done = processes.run(argv, cwd=base, env=env, timeout=120)
    assert done.exit_code == 0, done.stdout.text()
    seed = Bytecode.saved(base / "bytecode", base / "seed", without=base)
    assert seed is not None
    return seed


@pytest.fixture(scope="module")
def new_lab(
    processes: Processes, warm: Bytecode, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], Lab]]:
    made: list[Lab] = []

    def make() -> Lab:
        base = tmp_path_factory.mktemp("lab")
        (base / "checkout").mkdir()
        store = Store(base / "store")
        bench = Bench(base / "benches", store)
        made.append(Lab(base=base, processes=processes, store=store, bench=bench, warm=warm))
        return made[-1]

    yield make
    for lab in made:
        lab.bench.close()


@pytest.fixture
def lab(new_lab: Callable[[], Lab]) -> Lab:
    return new_lab()
