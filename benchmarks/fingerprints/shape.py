"""What is a tool, in how many styles does it print, and which failures is it made to have?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

PAD = "%PAD%"
"""Where an edit above the failure puts lines."""
MORE = "%MORE%"
"""Where another test, one that passes, stands beside the failing one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """One failure: all its runs should be known as the same."""

    name: str
    files: Mapping[str, str]
    test: str = "total"
    """Failures of one test are the ones that are hard to tell apart."""
    coarse: str = ""
    """Failures of one tool with one such name differ in values only: whether they are the same is a free choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One way to call the tool."""

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    failing: frozenset[str] = frozenset()
    """Only these; all when empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    name: str
    needs: tuple[str, ...]
    """Programs, or files of installed packages, without which it is left out."""
    families: Mapping[str, tuple[Style, ...]]
    """Styles of one family print the same facts, so that one failure must be the same in all of them."""
    failing: tuple[Failing, ...]
    comment: str = "#"
    more: str = ""
    """The passing test that stands at MORE."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Files of the tests that pass beside it."""
    shared: Mapping[str, str] = field(default_factory=dict)
    """Files that each run has."""
    surroundings: bool = False
    """Whether each failure is also seen inside the log of whoever started the tool."""
