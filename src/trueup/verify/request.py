"""What is asked of the gate: which checks, how, and what they may see?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trueup.act.bytecode import Bytecode
from trueup.act.compiling import Module
from trueup.act.facts import Facts
from trueup.decide.task import CheckSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest:
    """Which checks, how, and what they may see."""

    checks: tuple[CheckSpec, ...]
    every_stage: bool = False
    """Run later stages even when an earlier one failed (the baseline does)."""
    timeouts: Mapping[str, float] = field(default_factory=dict)
    """Seconds for each check; its own limit, or an hour, where nothing is said."""
    test_limits: Mapping[str, float] = field(default_factory=dict)
    """Seconds for each single test of a check, where its runner can end one alone; no limit where nothing is said."""
    select: Mapping[str, tuple[str, ...]] | None = None
    """Only these ids; checks that are absent are not run. "" stands for the whole check."""
    ignore: tuple[str, ...] = ()
    """New test files: not collected by the checks, but run afterwards in a process of their own."""
    rewritten: frozenset[str] = frozenset()
    """Files that a check is known to rewrite: put back after it, not a void."""
    created: frozenset[str] = frozenset()
    """Files that a check is known to add, whatever they are called."""
    keep_going: bool = False
    """See every failure, although the command says to stop at the first one."""
    bytecode: Bytecode | None = None
    """Compiled modules that each check may start with."""
    loaded: dict[str, frozenset[Module]] = field(default_factory=dict)
    """Written by the gate: check -> the modules that it loaded so far."""
    keeps_compiled: bool = True
    """Python keeps what it compiles for the check's next step. In a proof it does not: what is there was planted."""
    redact: Callable[[str], str] = str
    """Blots out secrets in everything that is kept of a check."""
    ids: dict[str, str] = field(default_factory=dict)
    """Written by the gate: ids as they are kept -> as the runner knows them, where a secret makes the difference."""
    checkout: Path
    """The user's checkout; project code that is loaded from there is an error."""
    env: Mapping[str, str]
    sealed: tuple[Path, ...] = ()
    """Environment folders: what changes there while a check runs makes the report void, too."""
    logs: Path
    """Folder for the full outputs; `CheckResult.log` is a file name in it."""
    facts: Facts = field(default_factory=Facts)
    """What built-in verifiers know about files already."""
    cache: Path | None = None
    """Where they keep what they make; none = nothing is kept."""
    advisers: tuple[CheckSpec, ...] = ()
    """Built-in verifiers that are asked as well: what they say is told, and never counts."""
