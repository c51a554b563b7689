"""Small projects on a real bench, checked with real test tools from `.tools` (see scripts/test_tools.py)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent

import pytest

from trueup.act.bench import Bench
from trueup.act.process import Processes
from trueup.act.store import Entry, Store
from trueup.decide.task import CheckSpec
from trueup.evidence.report import CheckResult
from trueup.verify.gate import run_checks
from trueup.verify.request import GateRequest

collect_ignore_glob = [] if os.environ.get("TRUEUP_TEST_RUNNERS") else ["test_*.py"]
"""They take minutes and install packages: only `make test-runners` asks for them."""

TOOLS = Path(__file__).parents[2] / ".tools"
Files = Mapping[str, str]


@dataclass
class ToolLab:
    """A bench whose surroundings hold the packages of one folder of `.tools`; `check` runs one command on files."""

    base: Path
    processes: Processes
    store: Store
    bench: Bench
    path: tuple[str, ...]

    def check(self, files: Files, command: str, **more: object) -> CheckResult:
        texts = {path: dedent(text).lstrip("\n") for path, text in files.items()}
        oids = self.store.put_many([text.encode() for text in texts.values()])
        entries = {path: Entry(mode="100644", oid=oid) for path, oid in zip(texts, oids, strict=True)}
        tree = self.store.edit(self.store.empty_tree(), entries)
        self.bench.load(tree)
        request = GateRequest(
            checks=(CheckSpec(name="tests", run=command),),
            checkout=self.base / "checkout",
            env={"PATH": os.pathsep.join((*self.path, "/usr/bin", "/bin")), "HOME": str(self.base), "LANG": "C.UTF-8"},
            logs=self.base / "logs",
            timeouts={"tests": 300.0},
        )
        report = run_checks(
            replace(request, **more),  # type: ignore[arg-type]
            bench=self.bench,
            tree=tree,
            processes=self.processes,
            sources=self.sources,
        )
        assert not report.void, report.void
        return report.results[0]

    def sources(self, path: str) -> str | None:
        file = self.bench.folder / path
        return file.read_text() if file.is_file() else None

    def output(self) -> str:
        """What the last command printed."""
        return max((self.base / "logs").iterdir(), key=lambda p: p.stat().st_mtime_ns).read_text()


@pytest.fixture(scope="session")
def tool_processes() -> Iterator[Processes]:
    with Processes() as owner:
        yield owner


@pytest.fixture
def tool_lab(tool_processes: Processes, tmp_path: Path) -> Iterator[Callable[[str], ToolLab]]:
    """`tool_lab("node")`: a lab in which the packages of `.tools/node` are found."""
    made: list[ToolLab] = []

    def make(folder: str) -> ToolLab:
        packages = TOOLS / folder / "node_modules"
        assert packages.is_dir(), f"{packages} is missing: run `make test-runners`"
        base = tmp_path / f"lab{len(made)}"
        (base / "checkout").mkdir(parents=True)
        (base / "node_modules").symlink_to(packages)
        store = Store(base / "store")
        lab = ToolLab(
            base=base,
            processes=tool_processes,
            store=store,
            bench=Bench(base / "benches", store),
            path=(str(packages / ".bin"),),
        )
        made.append(lab)
        return lab

    yield make
    for lab in made:
        lab.bench.close()


@pytest.fixture
def plain_lab(tool_processes: Processes, tmp_path: Path) -> Iterator[Callable[..., ToolLab]]:
    """`plain_lab("/usr/local/bin")`: a lab with these folders first on its PATH, for tools that the system has."""
    made: list[ToolLab] = []

    def make(*path: str) -> ToolLab:
        base = tmp_path / f"plain{len(made)}"
        (base / "checkout").mkdir(parents=True)
        store = Store(base / "store")
        made.append(
            ToolLab(base=base, processes=tool_processes, store=store, bench=Bench(base / "benches", store), path=path)
        )
        return made[-1]

    yield make
    for lab in made:
        lab.bench.close()


@pytest.fixture(scope="module")
def module_lab(tool_processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., ToolLab]]:
    """`module_lab("/usr/bin", packages=...)`: as `plain_lab`, for all tests of a module; packages of Node beside it."""
    made: list[ToolLab] = []

    def make(*path: str, packages: Path | None = None) -> ToolLab:
        base = tmp_path_factory.mktemp("lab")
        (base / "checkout").mkdir()
        if packages is not None:
            (base / "node_modules").symlink_to(packages / "node_modules")
        store = Store(base / "store")
        made.append(
            ToolLab(base=base, processes=tool_processes, store=store, bench=Bench(base / "benches", store), path=path)
        )
        return made[-1]

    yield make
    for lab in made:
        lab.bench.close()


SHORT = {"fails": 26, "shifted": 9, "otherwise": 11, "fixed": 14, "broken": 17, "nothing": 9, "missing": 9, "late": 20}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of tests/runners/test_matrix.py: every tool, every situation, what became of it."""
    cells: dict[str, dict[str, str]] = {}
    unseen: dict[str, str] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "matrix":
                    tool, situation, text = value
                    cells.setdefault(tool, {})[situation] = text
                elif name == "recorded":
                    unseen[value[0]] = value[1]
    if not cells:
        return
    terminalreporter.section("tools and situations")
    terminalreporter.line(f"{'':28}" + "".join(f"{name:{width}}" for name, width in SHORT.items()))
    for tool, row in cells.items():
        terminalreporter.line(f"{tool:28}" + "".join(f"{row.get(name, ''):{width}}" for name, width in SHORT.items()))
    for tool, why in unseen.items():
        terminalreporter.line(f"{tool:28}recorded output only: {why}")
