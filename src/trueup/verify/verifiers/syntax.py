"""Does every source file parse? Was a merge left unfinished?"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from trueup.act.remedies.strings import in_javascript, parts
from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure
from trueup.verify.verifiers import native_syntax
from trueup.verify.verifiers.base import Bench, Reach, Verdict
from trueup.verify.verifiers.conflicts import conflict_markers
from trueup.verify.verifiers.data_syntax import is_template, language_of, reader_of
from trueup.verify.verifiers.findings import finding, is_sample
from trueup.verify.verifiers.python_facts import python_facts
from trueup.verify.verifiers.python_versions import is_newer_python, is_python_2, may_be_python_2, newer_than_ours
from trueup.verify.verifiers.text_rules import QUOTES

CONFLICT = "merge-conflict"
VERSION = 3
_PYTHON = (".py", ".pyi", ".pyw")
_PROSE = (".md", ".markdown", ".rst", ".txt", ".adoc", ".html", ".htm", ".tex", ".org")
_NO_TEXT = (
    ".png", ".jpg", ".jpeg", ".gif", ".ico", ".webp", ".bmp", ".pdf", ".zip", ".gz", ".bz2", ".xz", ".tar", ".whl",
    ".jar", ".so", ".dll", ".dylib", ".exe", ".o", ".a", ".pyc", ".class", ".woff", ".woff2", ".ttf", ".otf", ".eot",
    ".mp3", ".mp4", ".wav", ".ogg", ".mov", ".db", ".sqlite", ".sqlite3", ".npy", ".npz", ".pkl", ".pickle",
    ".parquet", ".bin", ".dat", ".patch", ".diff", ".orig", ".rej", ".map", ".csv", ".tsv", ".lock", ".po", ".mo",
    ".pot", ".min.js",
)  # fmt: skip
_LARGEST = 1_000_000
_SHOWN = 200


class Syntax:
    name = "syntax"
    question = "does every source file parse?"
    reach = Reach.STATIC
    needs: tuple[str, ...] = ()

    def verify(self, bench: Bench) -> Verdict:
        seen = _Seen(bench=bench)
        seen.look()
        if not seen.looked_at:
            return Verdict(skipped="no file that a parser knows")
        counts = [f for f in seen.found if not is_sample(f.file or "") and not seen.excused(f)]
        advice = [f for f in seen.found if f not in counts and not is_sample(f.file or "")]
        return Verdict(failures=tuple(counts), advice=tuple(advice), looked_at=seen.looked_at)


@dataclass(slots=True, kw_only=True)
class _Seen:
    bench: Bench
    found: list[Failure] = field(default_factory=list)
    looked_at: int = 0
    _newer: bool | None = None
    _older: bool | None = None

    def look(self) -> None:
        files = self.bench.files
        native: dict[str, list[str]] = {}
        for path in files.paths:
            if path.endswith(_PYTHON):
                self._add(path, _python(files, path))
            elif language := language_of(path):
                self._add(path, files.fact(f"syntax/{VERSION}:{language}", path, lambda one: _data(files, one)))
            elif tool := _tool_named(path):
                native.setdefault(tool, []).append(path)
            elif not path.endswith(_NO_TEXT):
                self._add(path, _markers(files, path), counts=False)
        for tool, paths in native.items():
            self._native(next(t for t in native_syntax.TOOLS if t.program == tool), paths)

    def excused(self, failure: Failure) -> bool:
        """What our own Python is too old for, or too new."""
        if not (failure.file or "").endswith(_PYTHON) or failure.kind == CONFLICT:
            return False
        if is_newer_python(failure.message, failure.source_line or ""):
            return True
        if self._newer is None:
            self._newer = newer_than_ours(self.bench.files)
            self._older = may_be_python_2(self.bench.files) and any(is_python_2(f.message) for f in self.found)
        return self._newer or bool(self._older)

    def _add(self, path: str, problems: Iterable[list[Any]], *, counts: bool = True) -> None:
        self.looked_at += counts
        for kind, message, line, source in problems:
            self.found.append(finding("syntax", kind, message, file=path, line=line, source_line=source))

    def _native(self, tool: native_syntax.Tool, paths: list[str]) -> None:
        """What is known already is not asked again; what the tool cannot say is not kept."""
        files = self.bench.files
        known = {path: files.known_fact(f"syntax/{VERSION}:{tool.program}", path) for path in paths}
        fresh = [path for path, fact in known.items() if fact is None]
        wanted = [path for path in fresh if native_syntax.tool_for(path, files.content(path))]
        until = time.monotonic() + self.bench.seconds * 0.8
        said = native_syntax.problems(self.bench, tool, wanted, until) if wanted else {}
        for path in paths:
            fact = known[path]
            if fact is None:
                problem = (said or {}).get(path)
                fact = list(_with_cause(_with_source(files, path, [problem] if problem else [])))
                fact = fact or list(_markers(files, path))
                fact = [] if problem and tool.program != "php" and is_template(files.text(path) or "") else fact
                if said is not None:
                    files.keep_fact(f"syntax/{VERSION}:{tool.program}", path, fact)
            self._add(path, fact, counts=said is not None or known[path] is not None)


def _with_cause(problems: Iterable[list[Any]]) -> Iterator[list[Any]]:
    """Tools of other languages say that a token is invalid, and not which one."""
    for kind, message, line, source in problems:
        code = "".join(part.text for part in parts(source or "", in_javascript) if part.code)
        quotes = sorted(QUOTES & set(code))
        yield [kind, f"{message}: typographic quotes {' '.join(quotes)}" if quotes else message, line, source]


def _tool_named(path: str) -> str:
    return next((tool.program for tool in native_syntax.TOOLS if path.endswith(tool.suffixes)), "")


def _python(files: SourceFiles, path: str) -> list[list[Any]]:
    error = python_facts(files, path)["error"]
    if error is None:
        return []
    text = files.text(path) or ""
    if marks := conflict_markers(text, lonely=True):
        return [_conflict(marks, prefix="SyntaxError: ")]
    if "{{" in text and "{%" in text:
        return []
    kind, message, line, source = error
    return [[kind, f"{kind}: {message}", line, source]]


def _data(files: SourceFiles, path: str) -> list[list[Any]]:
    content, reader = files.content(path), reader_of(path)
    problem = reader(content) if content is not None and reader else None
    if problem is None or content is None:
        return []
    text = content.decode("utf-8", "replace")
    if marks := conflict_markers(text, lonely=True):
        return [_conflict(marks, prefix=f"{problem[0]}: ")]
    if is_template(text):
        return []
    return _with_source(files, path, [problem])


def _markers(files: SourceFiles, path: str) -> list[list[Any]]:
    prose = path.lower().endswith(_PROSE) or "." not in path.rpartition("/")[2]
    found: list[list[Any]] = files.fact(
        f"conflict/{VERSION}:{'prose' if prose else 'code'}",
        path,
        lambda one: list(_conflicts(files, one, prose=prose)),
    )
    return found


def _conflicts(files: SourceFiles, path: str, *, prose: bool) -> Iterator[list[Any]]:
    content = files.content(path)
    if content is None or len(content) > _LARGEST or b"\0" in content[:4096]:
        return
    if b"<<<<<<<" in content and (marks := conflict_markers(content.decode("utf-8", "replace"), prose=prose)):
        yield _conflict(marks)


def _conflict(marks: list[tuple[int, str]], prefix: str = "") -> list[Any]:
    line, text = marks[0]
    return [CONFLICT, f"{prefix}merge conflict marker {text[:40]!r}", line, text[:_SHOWN]]


def _with_source(files: SourceFiles, path: str, problems: Iterable[tuple[str, str, int | None]]) -> list[list[Any]]:
    lines = (files.content(path) or b"").splitlines()

    def source(line: int | None) -> str | None:
        return (
            lines[line - 1].decode("utf-8", "backslashreplace").strip()[:_SHOWN]
            if line and line <= len(lines)
            else None
        )

    return [[kind, message[: 2 * _SHOWN], line, source(line)] for kind, message, line in problems]
