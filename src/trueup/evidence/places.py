"""Where did it fail, in terms of the tree that was checked?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trueup.evidence.failure import Failure, Sources

LONGEST_MESSAGE = 4000
LONGEST_EXCERPT = 6000


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One level of a stack, as the output names it."""

    path: str
    line: int
    source: str | None


_FOREIGN = re.compile(r"(?:^|/)(?:site-packages|dist-packages|node_modules|lib/python3[^/]{0,8})/|^<|/_pytest/")


def foreign(path: str) -> bool:
    """Whether a path belongs to a library or to the interpreter."""
    return _FOREIGN.search(path) is not None


def deepest_own(frames: Sequence[Frame]) -> Frame | None:
    """The innermost frame of the project; a library's only when there is nothing else."""
    own = [f for f in frames if not foreign(f.path)] or frames
    return own[-1] if own else None


def in_tree(path: str, sources: Sources) -> str:
    """The path inside the tree. An absolute one is cut from the left until the tree knows it."""
    parts = [p for p in path.replace("\\", "/").split("/") if p not in {"", "."}]
    if not path.startswith("/") and not re.match(r"[A-Za-z]:[\\/]", path):
        return "/".join(parts)
    for cut in range(len(parts)):
        candidate = "/".join(parts[cut:])
        if sources(candidate) is not None:
            return candidate
    return parts[-1] if parts else path


def source_at(path: str, line: int, sources: Sources) -> str | None:
    text = sources(path)
    lines = text.split("\n") if text is not None else []
    return lines[line - 1].strip() if 0 < line <= len(lines) else None


def located(failure: Failure, frame: Frame | None, sources: Sources) -> Failure:
    """The failure with its place. What the tree says comes before what the output shows."""
    if frame is None:
        return failure
    path = in_tree(frame.path, sources)
    source = source_at(path, frame.line, sources) or frame.source
    return replace(failure, file=path, line=frame.line, source_line=source)


def shorten(text: str, limit: int = LONGEST_EXCERPT) -> str:
    """Head and tail, with what was left out said between them."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"
