"""How does a person run one test again of a tool that we only read? The same command, with one name more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath

from trueup.evidence.failure import Failure
from trueup.verify.runners.base import RunContext
from trueup.verify.runners.repro import UNKNOWN, Written, written

_LONGEST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    programs: frozenset[str]
    names: Callable[[str], tuple[str, ...]]
    """The words that choose the test with this subject; () when they are not known."""
    needs: frozenset[str] = frozenset()
    """One of these words stands behind the program: `gradle test`, and not `gradle assemble`."""

    def prefix(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Up to the program itself, also behind `bundle exec` or `php`."""
        at = next((n for n, word in enumerate(words[:4]) if PurePath(word).name in self.programs), None)
        if at is None or (self.needs and not self.needs.intersection(words[at + 1 :])):
            return ()
        return words[: at + 1]


def _literal(name: str) -> str:
    """As a pattern that every one of these tools understands."""
    return re.sub(r"([\\^$.*+?()\[\]{}|])", r"\\\1", name)


def _exactly(name: str) -> str:
    return f"^{_literal(name)}$"


def _rspec(subject: str) -> tuple[str, ...]:
    return ("-e", subject.rpartition("::")[2])


def _phpunit(subject: str) -> tuple[str, ...]:
    """A set of data is known by its number or name; the values behind it are cut off somewhere."""
    name = re.fullmatch(r"(?:.*\\)?(\w+::\w+)((?: with data set (?:#\d+|\"[^\"]*\"))?).*", subject)
    return ("--filter", f"/{_literal(name[1] + name[2]).replace('/', '.')}$/") if name else ()


def _ctest(subject: str) -> tuple[str, ...]:
    return ("-R", _exactly(subject.rpartition("::")[2]))


def _bats(subject: str) -> tuple[str, ...]:
    return ("-f", _exactly(subject.rpartition("::")[2]))


def _maven(subject: str) -> tuple[str, ...]:
    found = _class_and_method(subject)
    return (f"-Dtest={found[0]}#{found[1]}",) if found else ()


def _gradle(subject: str) -> tuple[str, ...]:
    found = _class_and_method(subject)
    return ("--tests", f"{found[0]}.{found[1]}") if found else ()


def _class_and_method(subject: str) -> tuple[str, str] | None:
    found = re.fullmatch(r"([\w$.]+)(?:::| > |\.)(\w+)(?:\(\)|\[.*\])?", subject)
    return (found[1], found[2]) if found else None


_TOOLS = (
    _Tool(programs=frozenset({"rspec"}), names=_rspec),
    _Tool(programs=frozenset({"phpunit", "phpunit.phar"}), names=_phpunit),
    _Tool(programs=frozenset({"ctest"}), names=_ctest),
    _Tool(programs=frozenset({"bats"}), names=_bats),
    _Tool(programs=frozenset({"mvn", "mvnw"}), names=_maven, needs=frozenset({"test", "verify", "package", "install"})),
    _Tool(programs=frozenset({"gradle", "gradlew"}), names=_gradle, needs=frozenset({"test"})),
)


def with_repro(run: RunContext, failures: tuple[Failure, ...]) -> tuple[Failure, ...]:
    """Those of tests that have none yet; none of them, when no tool or more than one can be seen in the command."""
    if all(f.repro or not _is_test(f) for f in failures):
        return failures
    seen = list(_seen(run))
    if len(seen) != 1:
        return failures
    tool, how = seen[0]
    return tuple(replace(f, repro=_repro(tool, how, f)) if not f.repro and _is_test(f) else f for f in failures)


def _is_test(failure: Failure) -> bool:
    return failure.test or failure.named


def _seen(run: RunContext) -> Iterator[tuple[_Tool, Written]]:
    for tool in _TOOLS:
        how = written(run, tool.prefix, ())
        if how.prefix and not any(map(UNKNOWN.search, how.arguments)):
            yield tool, how


def _repro(tool: _Tool, how: Written, failure: Failure) -> str | None:
    words = tool.names(failure.subject) if failure.subject.isprintable() else ()
    shown = how.again(*how.arguments, *words)
    return shown if words and len(shown) <= _LONGEST else None
