"""Why did an installer refuse? Whose fault is it: the project's, the machine's, or nobody's that we know?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from trueup.act.indexes import without_addresses
from trueup.act.process import Completed

_LONGEST = 900


class Why(StrEnum):
    """Why there is no resolution."""

    NO_SOLUTION = "unresolvable"
    NEEDS_BUILD = "needs-build"
    """A package has no wheel for this machine; whether it can be built was not tried."""
    BUILD = "build"
    TOOLS = "tools"
    """It cannot be built here: a compiler or a library of the system is missing."""
    UNREACHABLE = "unreachable"
    LATE = "late"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    why: Why
    text: str


_UNREACHABLE = re.compile(
    r"error sending request|Failed to fetch|dns error|Connection (?:refused|reset|aborted)|Could not connect|timed out"
    r"|name resolution|not a trusted or secure host|Could not fetch URL|Name or service not known"
    r"|NewConnectionError|Network is unreachable|certificate|ConnectTimeout|ReadTimeout|ProxyError",
    re.IGNORECASE,
)
_NEEDS_BUILD = re.compile(
    r"no usable wheels|--no-build|building from source is disabled|no matching wheels|no wheels", re.IGNORECASE
)
_BUILD = re.compile(r"Failed to (?:download and )?build|subprocess-exited|metadata-generation-failed|build backend")
_TOOLS = re.compile(
    r"pg_config|mysql_config|pkg-config|command not found|fatal error: \S+\.h|swig|Read-only file system|xcrun"
    r"|No such file or directory: '(?:gcc|cc|c\+\+|g\+\+|cmake|cargo|rustc)|install build dependencies did not run"
    r"|[Uu]nable to find (?:a )?(?:C |C\+\+ )?compiler|gcc.{0,40}failed|CMake must be installed"
    r"|[Rr]ust (?:toolchain|compiler)",
)
_NO_SOLUTION = re.compile(
    r"No solution found|unsatisfiable|No matching distribution|ResolutionImpossible|conflicting"
    r"|Could not find a version"
)


def refused(done: Completed, *, builds: bool) -> Refused:
    text = explanation((done.stderr.text() or "") + ("" if done.stderr.text() else done.stdout.text()))
    if done.timed_out:
        return Refused(why=Why.LATE, text="the resolver did not finish in time")
    if done.not_started:
        return Refused(why=Why.OTHER, text=done.not_started)
    return Refused(why=_why(done.stderr.text() + done.stdout.text(), builds=builds), text=text)


def _why(said: str, *, builds: bool) -> Why:
    if _UNREACHABLE.search(said):
        return Why.UNREACHABLE
    if not builds and _NEEDS_BUILD.search(said):
        return Why.NEEDS_BUILD
    if _BUILD.search(said):
        return Why.TOOLS if _TOOLS.search(said) else Why.BUILD
    return Why.NO_SOLUTION if _NO_SOLUTION.search(said) else Why.OTHER


_VERSIONS = re.compile(r"\(from versions: [^)]{60,}?, ((?:[^,)]+, ){4}[^,)]+)\)")
"""Of a long list the newest are enough."""
_NOISE = re.compile(r"^(?:error:|ERROR:|cause:|Caused by:|[×╰─▶│├\s]+)+\s*")
_UNSAID = re.compile(
    r"^(?:WARNING|\[notice\]|Looking in|INFO|note:|More information|×)|^\[(?:stderr|stdout)\]$", re.IGNORECASE
)


def explanation(said: str) -> str:
    """What the resolver says, on one line, without its ornaments and without addresses."""
    lines = (_NOISE.sub("", line.strip()) for line in said.splitlines())
    told = " ".join(line for line in lines if line and not _UNSAID.match(line))
    told = _VERSIONS.sub(lambda found: f"(from versions: … {found[1]})", re.sub(r"\s+", " ", told))
    return without_addresses(told)[:_LONGEST].strip()
