"""What is a tool here, and which broken programs is it shown?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FAULT = "§"
"""Where the fault goes in a file of a program: faults of one program are different failures of one subject."""
SHIFT = "¶"
"""A line with a comment, which becomes several when the lines below are to be shifted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Files that are right but for one place."""

    files: Mapping[str, str]
    faults: Mapping[str, str]
    targets: tuple[str, ...] = ()
    """The files that the tool is asked about; all when none is named."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """What else stands in a file when the lines are shifted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """How it is called: `{files}` are its targets, `{dir}` the folder, `{modules}` where npm put its packages."""

    name: str
    argv: tuple[str, ...]
    programs: Mapping[str, Program]
    comment: str = "#"
    needs: tuple[str, ...] = ()
    """Programs or files that must be there besides the first word."""
    colour: tuple[str, ...] = ()
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other ways to call it in which the same failure is still the same."""
    env: Mapping[str, str] = field(default_factory=dict)
