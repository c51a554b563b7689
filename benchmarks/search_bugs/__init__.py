"""Which small Python bugs is `--agent search` measured on?

One TOML file per bug: the project with the bug in it, the tests that the search sees (`given`), tests that it never
sees (`holdout`), and the known fix. `python -m benchmarks.search_bugs.validate` shows that each is what it says.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

Places = Literal["single", "two-place"]
Reach = Literal["near", "far"]
Group = Literal["single", "two-place", "far"]
GROUPS: tuple[Group, ...] = get_args(Group)
SetName = Literal["projects", "classics"]
SETS: tuple[SetName, ...] = get_args(SetName)
_FOLDERS: Mapping[SetName, str] = {"projects": "search_bugs", "classics": "search_classics"}
"""`projects`: small modules; `classics`: textbook algorithms, each with a slip in one line, never used for tuning."""
GIVEN, HOLDOUT = "test_given.py", "test_holdout.py"
_KEYS = {"about", "kind", "places", "reach", "files", "fix", "tests"}


class BadBugError(ValueError):
    """A bug's file does not say what it has to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """`old`, which occurs exactly once in the file, becomes `new`."""

    path: str
    old: str
    new: str

    def applied(self, text: str) -> str:
        if text.count(self.old) != 1 or self.old == self.new:
            raise BadBugError(f"{self.path}: {self.old!r} occurs {text.count(self.old)} times, or nothing changes")
        return text.replace(self.old, self.new)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    name: str
    about: str
    """What is wrong, in one sentence."""
    kind: str
    places: Places
    reach: Reach
    """`far`: no small edit repairs it; it is in the set to show what the search cannot do."""
    files: Mapping[str, str]
    fix: tuple[Edit, ...]
    given: str
    holdout: str

    @property
    def group(self) -> Group:
        return "far" if self.reach == "far" else self.places

    def sources(self, *, fixed: bool) -> dict[str, str]:
        """Path → text of everything but the tests. Raises `BadBugError` if the fix does not fit."""
        texts = dict(self.files)
        for edit in self.fix if fixed else ():
            if edit.path not in texts:
                raise BadBugError(f"{self.name}: the fix changes {edit.path}, which is not there")
            texts[edit.path] = edit.applied(texts[edit.path])
        return texts

    def write(self, folder: Path, *, fixed: bool, holdout: bool) -> None:
        """The project and its given tests in `folder`; with `holdout`, those tests beside them."""
        texts = self.sources(fixed=fixed) | {GIVEN: self.given}
        for path, text in (texts | {HOLDOUT: self.holdout} if holdout else texts).items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


def load(name: SetName = "projects") -> tuple[Bug, ...]:
    """All bugs of a set, by name. Raises `BadBugError` if one is not well-formed."""
    return tuple(read(path) for path in sorted((Path(__file__).parent.parent / _FOLDERS[name]).glob("*.toml")))


def read(path: Path) -> Bug:
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadBugError(f"{path.name}: {error}") from error
    if set(told) != _KEYS or set(told["tests"]) != {"given", "holdout"}:
        raise BadBugError(f"{path.name}: it has the keys {sorted(told)}; wanted are {sorted(_KEYS)}")
    return _bug(path.stem, told)


def _bug(name: str, told: Mapping[str, Any]) -> Bug:
    if told["places"] not in get_args(Places) or told["reach"] not in get_args(Reach):
        raise BadBugError(f"{name}: places is {told['places']!r}, reach is {told['reach']!r}")
    return Bug(
        name=name,
        about=told["about"],
        kind=told["kind"],
        places=told["places"],
        reach=told["reach"],
        files=told["files"],
        fix=tuple(Edit(path=edit["path"], old=edit["old"], new=edit["new"]) for edit in told["fix"]),
        given=told["tests"]["given"],
        holdout=told["tests"]["holdout"],
    )
