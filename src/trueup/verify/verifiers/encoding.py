"""Is the text of the files what their bytes say?"""

from __future__ import annotations

from typing import Any

from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure
from trueup.verify.verifiers.base import Bench, Reach, Verdict
from trueup.verify.verifiers.findings import finding, is_sample
from trueup.verify.verifiers.text_rules import Sort, oddities, sort_of

VERSION = 2
_SHOWN = 200


class Encoding:
    name = "encoding"
    question = "is the text what its bytes say?"
    reach = Reach.STATIC
    needs: tuple[str, ...] = ()

    def verify(self, bench: Bench) -> Verdict:
        failures: list[Failure] = []
        advice: list[Failure] = []
        looked_at = 0
        for path in bench.files.paths:
            sort = sort_of(path)
            if sort is None or is_sample(path):
                continue
            looked_at += 1
            for kind, message, line, certain, source in _odd(bench.files, path, sort):
                found = finding(self.name, kind, message, file=path, line=line, source_line=source)
                (failures if certain else advice).append(found)
        if not looked_at:
            return Verdict(skipped="no text that a program reads")
        return Verdict(failures=tuple(failures), advice=tuple(advice), looked_at=looked_at)


def _odd(files: SourceFiles, path: str, sort: Sort) -> list[list[Any]]:
    found: list[list[Any]] = files.fact(f"encoding/{VERSION}:{sort}", path, lambda one: _found(files, one, sort))
    return found


def _found(files: SourceFiles, path: str, sort: Sort) -> list[list[Any]]:
    content = files.content(path) or b""
    if _is_plain(content, sort):
        return []
    lines = content.splitlines()

    def source(line: int) -> str | None:
        return lines[line - 1].decode("utf-8", "backslashreplace").strip()[:_SHOWN] if line <= len(lines) else None

    return [[o.kind, o.message[: 2 * _SHOWN], o.line, o.certain, source(o.line)] for o in oddities(content, sort)]


def _is_plain(content: bytes, sort: Sort) -> bool:
    """Nearly every file: nothing in it can be wrong."""
    marks = (b"\0", b"\\n", b"```")
    return (
        sort is not Sort.SHELL
        and content.isascii()
        and b"<" not in content[:4096]
        and not any(mark in content for mark in marks)
    )
