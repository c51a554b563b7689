"""How does a person see one failure again of a tool that we only read? By the same command, with one name more."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath

from trueup.evidence.failure import Failure, Phase
from trueup.verify.runners.base import RunContext
from trueup.verify.runners.repro import UNKNOWN, Written, every_written, shown_once

_LONGEST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    programs: frozenset[str]
    names: Callable[[str], tuple[str, ...]]
    """The words that choose the test with this subject; () when they are not known."""
    needs: str = ""
    """A word of this form stands behind the program: `gradle test`, and not `gradle assemble`."""

    def prefix(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Up to the program itself, also behind `bundle exec` or `php`."""
        at = next((n for n, word in enumerate(words[:4]) if PurePath(word).name in self.programs), None)
        if at is None or (self.needs and not any(re.fullmatch(self.needs, word) for word in words[at + 1 :])):
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


def _minitest(subject: str) -> tuple[str, ...]:
    return ("-n", subject) if "#" in subject else ()


_TOOLS = (
    _Tool(programs=frozenset({"rspec"}), names=_rspec),
    _Tool(programs=frozenset({"phpunit", "phpunit.phar"}), names=_phpunit),
    _Tool(programs=frozenset({"ctest"}), names=_ctest),
    _Tool(programs=frozenset({"bats"}), names=_bats),
    _Tool(programs=frozenset({"ruby"}), names=_minitest, needs=r".+\.rb"),
    _Tool(programs=frozenset({"mvn", "mvnw"}), names=_maven, needs="test|verify|package|install"),
    _Tool(programs=frozenset({"gradle", "gradlew"}), names=_gradle, needs="test"),
)


_GOOGLETEST = re.compile(r"\s--gtest_\w")


def with_repro(run: RunContext, failures: tuple[Failure, ...], tool: str) -> tuple[Failure, ...]:
    """Those that have none yet, where it is clear which command told them. `tool`: whose words were recognised."""
    if all(f.repro for f in failures):
        return failures
    of_test = _of_programs(run) if tool == "googletest" or run.shows(_GOOGLETEST) else _of_tools(run)
    of_complaint = _of_compilers(run)

    def completed(failure: Failure) -> Failure:
        if failure.repro or not failure.subject.isprintable():
            return failure
        return replace(failure, repro=_short(of_test if _is_test(failure) else of_complaint, failure))

    return tuple(map(completed, failures))


def _is_test(failure: Failure) -> bool:
    return failure.test or failure.named


def _short(repro: Callable[[Failure], str], failure: Failure) -> str | None:
    shown = repro(failure)
    return shown if 0 < len(shown) <= _LONGEST else None


def _of_tools(run: RunContext) -> Callable[[Failure], str]:
    every = ((tool, every_written(run, tool.prefix)) for tool in _TOOLS)
    seen = [(tool, commands) for tool, commands in every if all(map(_is_plain, commands))]
    if len(seen) != 1:
        return _nobody
    tool, commands = seen[0]

    def again(failure: Failure) -> str:
        words = tool.names(failure.subject)
        return (words and shown_once(commands, lambda how: how.again(*how.arguments, *words))) or ""

    return again


def _of_programs(run: RunContext) -> Callable[[Failure], str]:
    """GoogleTest is part of a program of the project's own: the one that is called by its path."""
    how, *others = every_written(run, lambda words: words[:1] if "/" in words[0] else ())
    if others or not _is_plain(how):
        return _nobody

    def again(failure: Failure) -> str:
        name = failure.subject.rpartition("::")[2] if "." in failure.subject else failure.subject.replace("::", ".")
        return how.again(*how.arguments, f"--gtest_filter={name}") if re.fullmatch(r"[\w/]+\.[\w/]+", name) else ""

    return again


_COMPILERS = (
    (
        re.compile(r"clang(?:\+\+)?(?:-\d+)?"),
        frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".m", ".mm"}),
    ),
    (re.compile("javac"), frozenset({".java"})),
    (re.compile("tsc"), frozenset({".ts", ".tsx", ".mts", ".cts"})),
    (re.compile(r"kotlinc(?:-jvm|-js)?"), frozenset({".kt", ".kts"})),
    (re.compile("dotnet"), frozenset({".cs", ".vb", ".fs", ".csproj", ".vbproj", ".fsproj"})),
)


def _of_compilers(run: RunContext) -> Callable[[Failure], str]:
    """Compilers that are called once for all files show a complaint only together with the others."""
    called: dict[str, Written] = {}
    for name, endings in _COMPILERS:
        how, *others = every_written(run, partial(_up_to, name))
        called |= {} if others or not _is_plain(how) else dict.fromkeys(endings, how)

    def again(failure: Failure) -> str:
        how = called.get(PurePath(failure.file or "").suffix) if failure.phase is Phase.BUILD else None
        return how.again(*how.arguments) if how else ""

    return again


def _up_to(name: re.Pattern[str], words: tuple[str, ...]) -> tuple[str, ...]:
    """The program itself, also behind `npx`."""
    at = next((n for n, word in enumerate(words[:2]) if name.fullmatch(PurePath(word).name)), None)
    return () if at is None else words[: at + 1]


def _is_plain(how: Written) -> bool:
    return bool(how.prefix) and not any(map(UNKNOWN.search, how.arguments))


def _nobody(failure: Failure) -> str:  # noqa: ARG001 - where it is not clear, none is told
    return ""
