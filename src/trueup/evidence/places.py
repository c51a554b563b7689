"""Where did it fail, in terms of the tree that was checked?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from trueup.evidence.patterns import Pattern
from trueup.evidence.told import Sources
from trueup.evidence.values import Value

LONGEST_MESSAGE = 4000
LONGEST_EXCERPT = 6000


class Frame(Value):
    """One level of a stack, as the output names it."""

    path: str
    line: int
    source: str | None


_FOREIGN = Pattern(
    r"(?:^|[/\\])(?:site-packages|dist-packages|node_modules|lib[/\\]python3[^/\\]{0,8}|\.cargo[/\\]registry|gems|vendor)[/\\]"
    r"|^<|[/\\]_pytest[/\\]|^node:|^internal/|^/rustc/|^/usr/(?:local/)?(?:lib/)?go[^/]{0,12}/src/"
    r"|/src/(?:testing/testing|runtime/[a-z0-9_]{1,40})\.go$|/go/pkg/mod/"
)
_DRIVE = Pattern(r"[A-Za-z]:[\\/]")
_UNTIDY = Pattern(r"^(?:/|file:|[A-Za-z]:)|\\|//|(?:^|/)\.?(?:/|$)")
# Java tells the class and not the folder: the usual layouts are tried.
_SOURCE_ROOTS = ("", "src/test/java/", "src/main/java/", "src/test/kotlin/", "src/main/kotlin/")


@lru_cache(maxsize=256)
def foreign(path: str) -> bool:
    """Whether a path belongs to a library or to the interpreter."""
    return _FOREIGN.search(path) is not None


def deepest_own(frames: Sequence[Frame]) -> Frame | None:
    """The innermost (last) frame of the project; a library's only when there is nothing else."""
    return first_own(reversed(frames))


def first_own(frames: Iterable[Frame]) -> Frame | None:
    """The same for stacks that are printed innermost first: no further than needed."""
    innermost: Frame | None = None
    for frame in frames:
        if not foreign(frame.path):
            return frame
        innermost = innermost or frame
    return innermost


def in_tree(path: str, sources: Sources) -> str:
    """The path inside the tree. An absolute one is cut from the left until the tree knows it.

    Where no tree does, its name is left, or what follows `/./`: a parser writes that behind the folder of a project.
    """
    if _is_tidy(path):
        return _below_a_root(path, sources)
    path = path.removeprefix("file://")
    parts = [p for p in path.replace("\\", "/").split("/") if p not in {"", "."}]
    if not path.startswith("/") and not _DRIVE.match(path):
        return _below_a_root("/".join(parts), sources)
    for cut in range(len(parts)):
        candidate = "/".join(parts[cut:])
        if sources(candidate) is not None:
            return candidate
    _, folder, below = path.replace("\\", "/").rpartition("/./")
    return (below if folder and below else parts[-1]) if parts else path


@lru_cache(maxsize=256)
def _is_tidy(path: str) -> bool:
    return not _UNTIDY.search(path)


def _below_a_root(path: str, sources: Sources) -> str:
    if not path.endswith((".java", ".kt")):
        return path
    return next((root + path for root in _SOURCE_ROOTS if sources(root + path) is not None), path)


def source_at(path: str, line: int, sources: Sources) -> str | None:
    text = sources(path)
    lines = text.split("\n") if text is not None else []
    return lines[line - 1].strip() if 0 < line <= len(lines) else None


def shorten(text: str, limit: int = LONGEST_EXCERPT) -> str:
    """Head and tail, with what was left out said between them."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"
