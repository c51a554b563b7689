"""Fixtures: a state folder, an open database in it, and child processes that can be killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trueup.decide.outcome import Outcome, Status
from trueup.remember.database import Database

Child = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "project"


@pytest.fixture
def db(folder: Path) -> Iterator[Database]:
    with Database(folder) as database:
        yield database


@pytest.fixture
def child(folder: Path) -> Iterator[Child]:
    """Start Python on a script; `folder` is its argument. Whatever is left is killed at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(script: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def stuck() -> Outcome:
    return Outcome(status=Status.STUCK, reason="ladder", tree="t1", start="t0", partial=True, attempts=4)
