from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from trueup.act.remedies.base import Around, Index
from trueup.act.remedies.registry import Registry, registry
from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure, Phase

Files = Mapping[str, str | bytes]
Proposed = dict[str, bytes | None]


class Shelf:
    """A package index that has what it is told."""

    def __init__(self, **versions: tuple[str, ...]) -> None:
        self.known = {name.replace("_", "-"): listed for name, listed in versions.items()}

    def versions(self, distribution: str) -> tuple[str, ...] | None:
        return self.known.get(distribution)


def failure(
    message: str = "", *, check: str = "syntax", kind: str = "x", file: str | None = None, line: int | None = None
) -> Failure:
    return Failure(
        check=check,
        subject=f"{file} {kind}",
        phase=Phase.BUILD,
        kind=kind,
        message=message,
        file=file,
        line=line,
        test=False,
    )


def source_files(root: Path, files: Files) -> SourceFiles:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    return SourceFiles(root, tuple(sorted(files)))


@pytest.fixture
def propose(tmp_path: Path) -> Callable[..., list[Proposed]]:
    """What the rows propose for one failure in these files: each proposal as path -> new content."""

    def ask(
        files: Files,
        about: Failure,
        *,
        index: Index | None = None,
        rows: Registry | None = None,
        installed: Mapping[str, tuple[str, ...]] | None = None,
    ) -> list[Proposed]:
        around = Around(index=index or Shelf(), installed=installed or {})
        found = (rows or registry()).proposals([about], source_files(tmp_path, files), around)
        return [{edit.path: edit.content for edit in one.edits} for one in found]

    return ask
