"""Is it the same failure, and did anything about it move?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from json.encoder import encode_basestring_ascii

from trueup.evidence.normalize import normalize
from trueup.evidence.patterns import Pattern
from trueup.evidence.told import Phase, Told

TYPE_CHECKING = False  # as checkers of types know it: who reads an output needs no more than what it told
if TYPE_CHECKING:
    from typing import Protocol

    from trueup.evidence.failure import Failure

    class Hash(Protocol):
        def hexdigest(self) -> str: ...


VERSION = 1
"""Part of every fingerprint: identities of two versions never meet."""

FORM = Pattern(r"f\d{1,4}n?:[0-9a-f]{16}")
"""Of a fingerprint, of any version."""

_NO_STABLE_FRAME = frozenset(
    {
        "timeout",
        "timeouterror",
        "timeoutexpired",
        "recursionerror",
        "memoryerror",
        "stackoverflowerror",
        "outofmemoryerror",
    }
)


def first_of(modules: Iterable[str], name: str) -> Callable[[bytes], Hash]:
    """The function as the first of these modules has it that this Python knows."""
    for module in modules:
        try:
            found: Callable[[bytes], Hash] = getattr(__import__(module), name)
        except ImportError:
            continue
        return found
    raise ImportError(f"no module has {name}")


_sha256 = first_of(("_sha2", "_sha256", "hashlib"), "sha256")
"""As the standard library's `random` does it: `hashlib` loads OpenSSL, which takes longer than thirty outputs."""

_normal = lru_cache(maxsize=256)(normalize)
"""The same message is asked about again and again: for both identities, and in every attempt."""

_NO_CODE = frozenset({"error", "fatal error", "warning"})


def fingerprint(failure: Failure | Told) -> str:
    """`f1:…`; `f1n:…` when a source line belongs into it and none is known. The two never compare equal."""
    if not (failure.test or failure.named):
        return _of_a_complaint(failure)
    if _has_no_stable_frame(failure):
        return _digest("f", failure.key, failure.kind)
    if failure.source_line is None:  # the message has to tell the places of one test apart
        return _digest("f", failure.key, failure.kind, _normal(failure.message), mark="n")
    return _digest("f", failure.key, failure.kind, failure.source_line.strip())


def _of_a_complaint(failure: Failure | Told) -> str:
    """A compiler's message without a code fits many programs: the line it is about tells them apart."""
    said = (failure.key, failure.kind, _normal(failure.message))
    if failure.phase is not Phase.BUILD or failure.kind not in _NO_CODE:
        return _digest("f", *said)
    if failure.source_line is None:
        return _digest("f", *said, mark="n")
    return _digest("f", *said, " ".join(failure.source_line.split()))


def evidence_id(failure: Failure | Told) -> str:
    """Another value in the same failure makes another evidence id, and only that."""
    return _digest("e", fingerprint(failure), _normal(failure.message))


def _has_no_stable_frame(failure: Failure | Told) -> bool:
    """Where such a failure surfaces is chance. pytest-timeout reports `Failed: Timeout >3.0s`."""
    kind = failure.kind.rpartition(".")[2].lower()
    return kind in _NO_STABLE_FRAME or (kind == "failed" and failure.message.lstrip().startswith(_TIMEOUT_MESSAGES))


_TIMEOUT_MESSAGES = ("Timeout >", "Timeout (>", "Failed: Timeout >", "Failed: Timeout (>")


def _digest(letter: str, *parts: str, mark: str = "") -> str:
    # A JSON list keeps the borders between the parts, and takes lone surrogates.
    listed = ", ".join(map(encode_basestring_ascii, parts))
    hashed = _sha256(f"[{listed}]".encode("ascii")).hexdigest()
    return f"{letter}{VERSION}{mark}:{hashed[:16]}"
