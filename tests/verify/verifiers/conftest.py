"""Verifiers on real files in a temporary folder, with real processes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from trueup.act.facts import Facts
from trueup.act.files import FileRules
from trueup.act.process import Processes
from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure
from trueup.verify.verifiers.base import Verdict
from trueup.verify.verifiers.running import Workshop, verify_tree


@dataclass
class Folder:
    """A folder to write into; `ask` lets verifiers look at it as it is now."""

    root: Path
    processes: Processes
    facts: Facts = field(default_factory=Facts)

    def write(self, files: Mapping[str, str | bytes]) -> Folder:
        for path, content in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def files(self) -> SourceFiles:
        walk = FileRules().walk(self.root)
        return SourceFiles(self.root, walk.paths, facts=self.facts)

    def workshop(self, **settings: Mapping[str, Any]) -> Workshop:
        base = self.root.parent
        env = {"PATH": os.environ["PATH"], "HOME": str(base), "LANG": "C.UTF-8"}
        return Workshop(
            processes=self.processes, env=env, scratch=base / "scratch", cache=base / "cache", settings=settings
        )

    def ask(self, *names: str, **settings: Mapping[str, Any]) -> dict[str, Verdict]:
        return verify_tree(self.files(), names, self.workshop(**settings))

    def say(self, name: str, **settings: Mapping[str, Any]) -> Verdict:
        verdict = self.ask(name, **settings)[name]
        assert not verdict.error, verdict.error
        return verdict


def told(failures: tuple[Failure, ...]) -> list[tuple[str, str | None]]:
    """Kinds and files, sorted: what most tests are about."""
    return sorted((f.kind, f.file) for f in failures)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    (tmp_path / "tree").mkdir()
    with Processes() as processes:
        yield Folder(tmp_path / "tree", processes)
