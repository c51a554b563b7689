"""What are checks and work items called, and which name did the user probably mean?"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterable
from itertools import takewhile

CHECK_NAME = re.compile(r"[A-Za-z0-9_.-]+")
ITEM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SLUG_LENGTH = 40

_LAUNCHERS = (
    ("uv", "run"),
    ("poetry", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("pipx", "run"),
    ("bundle", "exec"),
    ("npx",),
    ("uvx",),
    ("env",),
)
_WITH_A_VERB = frozenset(
    {"make", "just", "npm", "pnpm", "yarn", "bun", "cargo", "go", "dotnet", "mvn", "gradle", "tox", "nox", "mix"}
)


_PREPARING = frozenset({"cd", "pushd", "set", "export", "source", "."})
"""What a shell does first, before the program that the check is about."""


def suggest(word: str, known: Iterable[str]) -> str:
    """The known word that is nearest to this one; "" when none is near."""
    import difflib

    return next(iter(difflib.get_close_matches(word, list(known), n=1)), "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    nearest = suggest(word, known)
    return f"Did you mean {nearest!r}?" if nearest else ""


_INTERPRETERS = r"python[0-9.]*|node|deno|bun|ruby|perl|sh|bash|zsh"


def check_name(command: str | tuple[str, ...], taken: Iterable[str] = ()) -> str:
    """A name for a check that has none: its program, with the verb where that says more; numbered when equal."""
    words = _unwrapped(_words(command))
    name = _program(words[0]) if words else ""
    if name in _WITH_A_VERB:
        own = takewhile(lambda word: not set(word) <= set(";&|"), words[1:])
        name = "-".join([name, *(word for word in own if CHECK_NAME.fullmatch(word) and word[0] != "-")][:3])
    return numbered(re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-") or "check", set(taken))


def agent_name(command: str) -> str:
    """What a command is called on the screen: its program, or the script that an interpreter runs."""
    words = _unwrapped(_words(command))
    if words and re.fullmatch(_INTERPRETERS, _program(words[0])):
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        words = [words[0] if "-c" in words or not script else script]
    name = _program(words[0]).partition(".")[0] if words else ""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-") or "command"


def item_name(text: str) -> str:
    """A work item's name for a task's text: readable, ASCII, valid in a branch name, and its own.

    What differs only in case and spacing gets the same name; a hash tells apart what was shortened or altered.
    """
    words = " ".join(text.lower().split())
    if len(words) <= SLUG_LENGTH and re.fullmatch(r"[a-z0-9]+( [a-z0-9]+)*", words):
        return words.replace(" ", "-")
    slug = re.sub(r"[^a-z0-9]+", "-", _ascii(words)).strip("-")
    digest = hashlib.sha256(words.encode(errors="surrogatepass")).hexdigest()[:6]
    return f"{slug[:SLUG_LENGTH].strip('-') or 'task'}-{digest}"


def is_item_name(name: str) -> bool:
    """Whether `trueup/<name>` is a branch that git takes, on every file system."""
    return bool(ITEM_NAME.fullmatch(name)) and ".." not in name and not name.endswith((".", ".lock"))


def _ascii(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFKD", text).encode("ascii", errors="ignore").decode()


def _words(command: str | tuple[str, ...]) -> list[str]:
    """With what joins commands as words of their own, and without brackets around them."""
    if not isinstance(command, str):
        return list(command)
    reader = shlex.shlex(command, posix=True, punctuation_chars="();&|")
    reader.whitespace_split, reader.commenters = True, ""
    try:
        return [word for word in reader if word.strip("(){}")]
    except ValueError:
        return command.split()


def _unwrapped(words: list[str]) -> list[str]:
    """Without what only starts the real program: `cd sub &&`, variables, `uv run`, `python -m`."""
    while words:
        launcher = next((one for one in _LAUNCHERS if tuple(words[: len(one)]) == one), None)
        if launcher and len(words) > len(launcher):
            words = words[len(launcher) :]
        elif words[0] in _PREPARING and (rest := _behind_the_first(words)):
            words = rest
        elif "=" in words[0] or (words[0].startswith("-") and len(words) > 1):
            words = words[1:]
        elif re.fullmatch(r"python[0-9.]*", _program(words[0])) and words[1:2] == ["-m"]:
            words = words[2:]
        else:
            break
    return words


def _behind_the_first(words: list[str]) -> list[str]:
    """The words behind the first command of several."""
    return words[next((at for at, word in enumerate(words, start=1) if word in {"&&", ";"}), len(words)) :]


def _program(word: str) -> str:
    return word.replace("\\", "/").rstrip("/").rpartition("/")[2]


def numbered(name: str, taken: set[str]) -> str:
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}-{number}"
    return candidate
