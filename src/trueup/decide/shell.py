"""Which programs does a shell command run, one after the other, without what only wraps them?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LONGEST = 4_000
"""Characters of a command that are looked at: what people call a check is short."""
_DEEPEST = 3
"""Shells in shells that are looked into."""
_OPERATORS = ";&|\n()<>"
_OPERATORS_ONLY = re.compile(f"[{re.escape(_OPERATORS)}]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_AMOUNT = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_HERE = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_PYTHON = re.compile(r"(?:python|pypy)(?:\d(?:\.\d+)?)?")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_DASH_C = re.compile(r"-[a-z]*c")
_WRAPPERS = frozenset(
    {"env", "time", "timeout", "gtimeout", "nice", "ionice", "nohup", "command", "exec", "sudo", "stdbuf", "xvfb-run"}
    | {"if", "then", "else", "elif", "do", "while", "until", "{", "}"}
)
"""What stands before a program and is not it. Not `!`, which turns its exit code round."""
_RUNNERS: dict[str, frozenset[str]] = {
    "uv": frozenset({"run"}),
    "poetry": frozenset({"run"}),
    "pipenv": frozenset({"run"}),
    "pdm": frozenset({"run"}),
    "hatch": frozenset({"run"}),
    "rye": frozenset({"run"}),
    "conda": frozenset({"run"}),
    "mamba": frozenset({"run"}),
    "coverage": frozenset({"run"}),
    "bundle": frozenset({"exec"}),
    "npm": frozenset({"exec"}),
    "pnpm": frozenset({"exec", "dlx"}),
    "yarn": frozenset({"exec", "dlx"}),
    "bun": frozenset({"x"}),
    "npx": frozenset(),
    "bunx": frozenset(),
    "uvx": frozenset(),
}
"""Programs that run the one named after such a word; those without a word name it at once."""
_SCRIPTS = frozenset({"npm", "pnpm", "yarn", "bun"})
"""With or without `run`, they run the same script."""
_WITH_A_VALUE = re.compile(r"-[nkscpu]|--(?:with|extra|group|python|package|name|directory|env-file|user|signal)")
_PYTHON_WITH_A_VALUE = re.compile(r"-[WX]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One program in a shell command."""

    words: tuple[str, ...]
    before: str = ""
    after: str = ""
    """The operators around it: `&&`, `||`, `;`, `|`, `&`, or nothing."""


def steps_of(command: str, depth: int = 0) -> Iterator[Step]:
    before = ""
    for words, after in _simple(_without_here_documents(command[:LONGEST])):
        bare = unwrapped(words)
        inner = _inner(bare) if depth < _DEEPEST else None
        if inner is not None:
            yield from _nested(tuple(steps_of(inner, depth + 1)), before, after)
        elif bare:
            yield Step(words=bare, before=before, after=after)
        before = after


def unwrapped(words: Sequence[str]) -> tuple[str, ...]:
    """The program itself, by its bare name: `env A=1 timeout 60 uv run /x/bin/pytest -q` is `pytest -q`."""
    rest = list(words)
    while rest:
        name = _program(rest[0])
        if _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif name in _WRAPPERS:
            rest = _after_options(rest[1:], _WITH_A_VALUE, amounts=True)
        elif _runs_another(name, rest):
            rest = _after_options(rest[2 if _RUNNERS[name] else 1 :], _WITH_A_VALUE)
        elif module := _module(name, rest):
            rest = module
        elif name in _SHELLS and rest[1:] and not rest[1].startswith("-"):
            rest = rest[1:]
        else:
            return _named(name, rest[1:])
    return ()


def _program(word: str) -> str:
    """By its bare name where a folder only says which one of them it is; a script of the project by its place."""
    is_installed = word.startswith("/") or "bin/" in word
    return word.rpartition("/")[2] if is_installed else word.removeprefix("./")


def _named(name: str, arguments: list[str]) -> tuple[str, ...]:
    """One name for one program, however it is called."""
    if name in _SCRIPTS and arguments[:1] == ["run"]:
        return (name, *arguments[1:])
    return ("python" if _PYTHON.fullmatch(name) else name, *arguments)


def _runs_another(name: str, words: Sequence[str]) -> bool:
    verbs = _RUNNERS.get(name)
    return verbs is not None and (not verbs or (len(words) > 1 and words[1] in verbs))


def _module(name: str, words: list[str]) -> list[str]:
    """What `python -m` runs; nothing when it runs something else."""
    if not _PYTHON.fullmatch(name):
        return []
    rest = _after_options(words[1:], _PYTHON_WITH_A_VALUE)
    return rest if words[-len(rest) - 1] == "-m" else []


def _after_options(words: list[str], with_a_value: re.Pattern[str], *, amounts: bool = False) -> list[str]:
    while words and (words[0].startswith("-") or (amounts and _AMOUNT.fullmatch(words[0]))):
        if words[0] == "-m":
            return words[1:]
        words = words[2:] if with_a_value.fullmatch(words[0]) else words[1:]
    return words


def _nested(steps: Sequence[Step], before: str, after: str) -> Iterator[Step]:
    """The steps of an inner shell between the operators around that shell."""
    for number, step in enumerate(steps):
        yield Step(
            words=step.words,
            before=step.before if number else before,
            after=step.after if number + 1 < len(steps) else (after or step.after),
        )


def _inner(bare: Sequence[str]) -> str | None:
    """What `bash -lc '…'` is given."""
    is_shell = len(bare) > 2 and bare[0] in _SHELLS and _DASH_C.fullmatch(bare[1])  # noqa: PLR2004 - shell, -c, text
    return bare[2] if is_shell else None


def _without_here_documents(command: str) -> str:
    """Nor comments: an apostrophe in one is no quote."""
    kept: list[str] = []
    end = ""
    for line in command.split("\n"):
        if end:
            end = "" if line.strip() == end else end
            continue
        started = _HERE.search(line)
        kept += [] if line.lstrip().startswith("#") else [_HERE.sub("", line, count=1)]
        end = started[2] if started else ""
    return "\n".join(kept).replace("\\\n", " ")


def _simple(command: str) -> Iterator[tuple[list[str], str]]:
    """The words of each simple command, and the operator after it."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    done: tuple[list[str], str] | None = None
    words: list[str] = []
    is_target = False
    for token in _readable(lexer):
        if not _OPERATORS_ONLY.fullmatch(token):
            words, is_target = (words if is_target else [*words, token]), False
        elif "<" in token or ">" in token:  # `2>&1`: neither the number nor the target is a word of the command
            words, is_target = (words[:-1] if words and words[-1].isdecimal() else words), True
        elif words:
            yield from [done] if done else []
            done, words, is_target = (words, _operator(token)), [], False
        elif done and done[1] == ";":  # `(…) &`: what follows a bracket says more than the bracket
            done = (done[0], _operator(token))
    yield from [done] if done else []
    yield from [(words, "")] if words else []


def _readable(tokens: Iterable[str]) -> Iterator[str]:
    """Up to where no shell could read it."""
    iterator = iter(tokens)
    while True:
        try:
            yield next(iterator)
        except (StopIteration, ValueError):  # ValueError: a quote that never ends
            return


def _operator(token: str) -> str:
    return next((operator for operator in ("&&", "||", "|", "&") if operator in token), ";")
