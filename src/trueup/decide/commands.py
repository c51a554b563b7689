"""Which check did a shell command run, and does the command's exit code speak for that check?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from trueup.decide.shell import LONGEST, Step, steps_of

_QUIET = frozenset({"cd", "pushd", "popd", "export", "set", "source", ".", "unset", "ulimit", "umask", "true", ":"})
"""What stands before a check without being part of it."""
_ONLY_SHOWS = re.compile(r"--(?:verbose|quiet|silent|no-colou?r|colou?r(?:=\w+)?)|--")
_PYTEST = re.compile(
    r"-[vqsl]+|-r[A-Za-z]+|-n(?:\d+|auto)|--(?:tb|durations|numprocesses)=\w+|--no-header|--no-summary"
)
_TOOL_ONLY_SHOWS = {
    "pytest": _PYTEST,
    "py.test": _PYTEST,
    "unittest": re.compile(r"-[vqb]+|--locals|--buffer"),
    "go": re.compile(r"-v|-race|-json|-count=1"),
    "cargo": re.compile(r"-[vq]+|-j\d+"),
    "make": re.compile(r"-j\d*"),
    "ctest": re.compile(r"-V+|-j\d+|--output-on-failure"),
}
"""Options with which a check still looks at all. Any other may make it look at less, or only print its help: -n is the
number of processes here and "do nothing" there, -v is more words or only the version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A check by the name and the command that its owner gave it."""

    name: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    check: str
    part: bool = False
    """It looked at less than the declared check does, or elsewhere: a pass says nothing about the rest."""
    speaks: bool = True
    """Whether the exit code of the whole command is the check's own."""
    if_passed: bool = False
    """Zero means that it passed; any other code may be somebody else's."""
    last: bool = True
    """Whether nothing came after it but what reads its output."""


def ran(command: str, declared: Sequence[Declared] = (), root: str = "") -> Ran | None:
    """The last check in a command. Without declared ones, the common test, build and lint commands count."""
    if not _mentions(command, declared):
        return None
    steps = tuple(steps_of(command))
    for last in range(len(steps) - 1, -1, -1):
        found = _declared_at(steps[: last + 1], declared, root) if declared else _common(steps[last])
        if found:
            return _ran(*found, steps, last, command)
    return None


def _mentions(command: str, declared: Sequence[Declared]) -> bool:
    """Most commands are no check: a cheap look before the parts are taken apart."""
    if not declared:
        return _COMMON_WORD.search(command[:LONGEST]) is not None
    return any(words[0] in command for one in declared for words in _parts(one.command))


@lru_cache(maxsize=64)
def _parts(command: str) -> tuple[tuple[str, ...], ...]:
    return tuple(step.words for step in steps_of(command))


def _declared_at(steps: Sequence[Step], declared: Sequence[Declared], root: str) -> tuple[str, bool] | None:
    """The check whose last step is the last of these, and whether it was only a part of it."""
    matches = [(one, _match(steps, one.command)) for one in declared]
    found = [(one, part) for one, part in matches if part is not None]
    if not found:
        return None
    one, part = min(found, key=lambda match: match[1])
    return one.name, part or _elsewhere(steps, one.command, root)


def _match(steps: Sequence[Step], command: str) -> bool | None:
    """Whether it was only a part; None when it was something else."""
    wanted = [words for words in _parts(command) if words[0] not in _QUIET]
    seen = [step.words for step in steps if step.words[0] not in _QUIET][-len(wanted) :]
    if not wanted or len(seen) != len(wanted) or steps[-1].words[0] in _QUIET:
        return None
    if not all(map(_covers, wanted, seen)):
        return None
    return any(map(_narrower, wanted, seen))


def _covers(want: Sequence[str], have: Sequence[str]) -> bool:
    """The same program with at least what was asked for, or a place inside it; options may differ."""
    needed = [word for word in want[1:] if not word.startswith("-")]
    return want[0] == have[0] and all(any(_within(one, word) for one in have) for word in needed)


def _within(have: str, want: str) -> bool:
    return have == want or have.startswith((want.rstrip("/") + "/", want + "::"))


def _narrower(want: Sequence[str], have: Sequence[str]) -> bool:
    own = _TOOL_ONLY_SHOWS.get(want[0], _ONLY_SHOWS)
    extra = [word for word in have[1:] if word not in want]
    return not all(_ONLY_SHOWS.fullmatch(word) or own.fullmatch(word) for word in extra)


def _elsewhere(steps: Sequence[Step], command: str, root: str) -> bool:
    """Whether it ran in another folder than its owner means. Without a known root, an absolute one is believed."""
    asked = {words for words in _parts(command) if words[0] == "cd"}
    moves = [step.words[1] for step in steps if step.words[0] == "cd" and step.words not in asked and step.words[1:]]
    return any(_is_elsewhere(folder, root) for folder in moves)


def _is_elsewhere(folder: str, root: str) -> bool:
    absolute = folder.startswith(("/", "~", "$"))
    return (folder not in {".", "./"}) if not absolute else bool(root) and folder.rstrip("/") != root.rstrip("/")


def _common(step: Step) -> tuple[str, bool] | None:
    command = " ".join(step.words)
    return (command, False) if _COMMON.match(command) else None


def _ran(name: str, part: bool, steps: Sequence[Step], last: int, command: str) -> Ran:  # noqa: FBT001 - as found
    here, after = steps[last], {step.before for step in steps[last + 1 :]}
    # After `||` it may not have run at all, and inside `$(…)` nobody hears its exit code.
    own = here.before in {"", "&&", ";"} and not _SUBSTITUTION.search(command)
    alone = not after or (after == {"|"} and "pipefail" in command)
    return Ran(
        check=name,
        part=part,
        speaks=own and alone and here.after != "&",
        if_passed=own and after == {"&&"},
        last=after <= {"|"},
    )


_SUBSTITUTION = re.compile(r"\$\(|`")
_SCRIPTS = r"(?:t|test|tests|build|lint|check|typecheck|type-check|tsc|ci|verify)(?::\S+)?"
_COMMON = re.compile(
    r"(?:pytest|py\.test|unittest|nose2?|tox|nox|mypy|pyright|basedpyright|flake8|pylint|tsc|eslint|jest|vitest|mocha"
    r"|ava|ctest|rspec|phpunit|rubocop|golangci-lint|javac|rustc|make|ninja|mvnw?|gradlew?|bazel|sbt|runtests\.py"
    r"|swiftlint|shellcheck|stylelint|phpstan|psalm)(?:\s|$)"
    r"|ruff (?:check|format --check)|black --check|prettier --check|biome (?:check|ci|lint)"
    rf"|(?:npm|pnpm|yarn|bun) (?:--\S+ )*{_SCRIPTS}(?:\s|$)"
    r"|go (?:test|build|vet)|cargo (?:\+\S+ )?(?:test|t|build|b|check|c|clippy|nextest)(?:\s|$)"
    r"|dotnet (?:test|build)|swift (?:test|build)|mix test|rake(?: test| spec|$)|rails test|deno (?:test|check|lint)"
    r"|node (?:--\S+ )*--test|cmake --build|python\S* (?:-\S+ )*(?:\S*/)?(?:runtests\.py|manage\.py test)(?:\s|$)"
)
"""Test, build and lint commands, for sessions without declared checks."""
_COMMON_WORD = re.compile(
    r"test|nose|tox|nox|mypy|pyright|flake8|lint|tsc|jest|mocha|ava|rspec|phpunit|rubocop|rustc|make|ninja|mvn|gradle"
    r"|bazel|sbt|check|build|go |cargo|clippy|dotnet|swift|rake|rails|deno|prettier|black|biome|ruff|phpstan|psalm|npm"
)
