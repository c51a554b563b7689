"""What do a bug's tests say about a folder? pytest runs there, in a process of its own."""

from __future__ import annotations

import os
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trueup.act.process import Completed, Processes

TIMEOUT = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The ids of the tests of one file. Neither passed nor failed (a module that cannot be imported): broken."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    broken: bool

    @property
    def green(self) -> bool:
        return bool(self.passed) and not self.failed and not self.broken


def tested(folder: Path, files: Sequence[str]) -> dict[str, Outcome]:
    """One pytest process for all `files`; without a readable report each of them is broken."""
    report = folder / ".report.xml"
    quiet = ("-q", "--tb=no", "-p", "no:cacheprovider", f"--junitxml={report}", "-o", "junit_family=xunit1")
    with Processes() as processes:
        argv = (sys.executable, "-m", "pytest", *quiet, *files)
        done = processes.run(argv, cwd=folder, env=_environment(), timeout=TIMEOUT)
    cases = _cases(report, done)
    return {file: _outcome(file, cases) for file in files}


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "TRUEUP_"))}
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def _cases(report: Path, done: Completed) -> list[ET.Element]:
    if done.timed_out or not report.exists():
        return []
    return list(ET.parse(report).getroot().iter("testcase"))  # noqa: S314 - written by pytest, from tests of this repository


def _outcome(file: str, cases: Sequence[ET.Element]) -> Outcome:
    mine = [case for case in cases if case.get("file") == file]
    failed = tuple(case.get("name", "") for case in mine if case.find("failure") is not None)
    passed = tuple(case.get("name", "") for case in mine if not len(case))
    return Outcome(passed=passed, failed=failed, broken=not mine or len(passed) + len(failed) != len(mine))
