"""Which parts of a manifest belong to the checks, and how do they go back without losing the rest?

A manifest is control file and dependency list at once. The runner's and trueup's keys come from the start,
all other keys from the agent. Every edit is read back with an independent parser; when the outcome is not
exactly that mixture, the start's whole file is used and the key is named `*`.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from copy import deepcopy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

KeyPath = tuple[str, ...]

WHOLE = ("*",)
"""Named when a file could not be mixed and went back as a whole."""

RUNNER_PROGRAMS = (
    "pytest", "py.test", "python*", "coverage", "tox", "nox", "mypy", "dmypy", "ruff", "pyright",
    "basedpyright", "flake8", "pylint", "hatch", "poe", "task", "make", "trueup", "uv", "pip*",
)  # fmt: skip
"""Programs that a project must not replace by a script of its own."""

RUNNER_PACKAGES = (
    "pytest*",
    "pluggy",
    "iniconfig",
    "coverage",
    "tox",
    "nox",
    "mypy",
    "ruff",
    "pyright",
    "trueup",
)

_PYPROJECT_TOOLS = (
    "pytest*", "coverage", "tox", "nox", "mypy", "mypy-*", "ruff", "pyright", "basedpyright", "pyrefly", "ty",
    "pylint", "flake8", "bandit", "importlinter", "poe", "taskipy", "trueup",
)  # fmt: skip

_PYPROJECT: tuple[KeyPath, ...] = (
    *(("tool", name) for name in _PYPROJECT_TOOLS),
    ("tool", "hatch", "envs"),
    ("tool", "pdm", "scripts"),
    ("tool", "rye", "scripts"),
    ("tool", "pixi", "tasks"),
    ("tool", "pixi", "feature", "*", "tasks"),
    ("project", "entry-points", "pytest11"),
    ("tool", "poetry", "plugins", "pytest11"),
    ("tool", "flit", "entrypoints", "pytest11"),
    ("tool", "pdm", "entry-points", "pytest11"),
    *(("project", "scripts", name) for name in RUNNER_PROGRAMS),
    *(("project", "gui-scripts", name) for name in RUNNER_PROGRAMS),
    *(("tool", "poetry", "scripts", name) for name in RUNNER_PROGRAMS),
    *(("tool", "uv", "sources", name) for name in RUNNER_PACKAGES),
)

_CARGO: tuple[KeyPath, ...] = (
    ("profile", "test"),
    ("test",),
    ("package", "autotests"),
    ("lib", "test"),
    ("lib", "harness"),
    ("lib", "doctest"),
    ("lints",),
    ("workspace", "lints"),
)

_PACKAGE_JSON = (
    "scripts", "jest", "mocha", "vitest", "ava", "tap", "jasmine", "nyc", "c8", "eslintConfig",
    "eslintIgnore", "xo", "standard", "babel", "wireit", "lint-staged", "husky", "trueup",
)  # fmt: skip

_DEPENDENCY_KEYS = (
    "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "overrides", "resolutions",
)  # fmt: skip
_JS_RUNNERS = (
    "jest", "jest-*", "@jest/*", "ts-jest", "babel-jest", "vitest", "@vitest/*", "mocha", "ava", "jasmine*", "tap",
    "karma*", "nyc", "c8", "cypress", "playwright", "@playwright/*", "eslint", "typescript", "tsc", "biome",
    "@biomejs/*", "tsx", "node",
)  # fmt: skip

_SETUP_CFG = (
    "tool:pytest", "pytest", "coverage:*", "flake8*", "mypy*", "pylint*", "pycodestyle", "tox*", "testenv*",
    "aliases", "trueup", "DEFAULT", "nosetests", "behave", "unittest",
)  # fmt: skip


def restore_keys(path: str, start: bytes | None, now: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The agent's manifest with the start's control keys, and the names of the keys that went back.

    Bytes are returned unchanged when nothing has to go back. `start` None = the agent added the file: its
    control keys are taken out. `(b"", ("*",))` then means that nothing of the file can be kept.
    """
    restorer = _RESTORERS.get(PurePosixPath(path).name)
    if restorer is None or start == now:
        return now, ()
    mixed = restorer(start, now)
    return mixed if mixed is not None else (start or b"", WHOLE)


def is_manifest(path: str) -> bool:
    """Whether the file is manifest and control at once, so that it goes back by key."""
    return PurePosixPath(path).name in _RESTORERS


Mixed = tuple[bytes, tuple[str, ...]] | None
"""None when the file cannot be mixed safely."""

# --- TOML -----------------------------------------------------------------------------------------


def _toml(patterns: tuple[KeyPath, ...]) -> Callable[[bytes | None, bytes], Mixed]:
    def restore(start: bytes | None, now: bytes) -> Mixed:
        ours, theirs = load_toml(start or b""), load_toml(now)
        if theirs is None:
            return None
        if ours is None:
            # The agent may repair a start that does not parse; the checks' tables stay as they are written.
            return _restore_tables(patterns, start or b"", now)
        names = _differing(patterns, ours, theirs)
        if not names:
            return now, ()
        edited = _edit_toml(start or b"", now, names)
        if edited is None or load_toml(edited) != _mixture(ours, theirs, names):
            return None
        return edited, tuple(".".join(name) for name in names)

    return restore


def load_toml(content: bytes) -> dict[str, Any] | None:
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError):  # not only what TOML itself calls an error: numbers can be too long, too
        return None


def _differing(patterns: Iterable[KeyPath], ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[KeyPath, ...]:
    found = {key for pattern in patterns for key in (*_expand(pattern, ours), *_expand(pattern, theirs))}
    return tuple(sorted(key for key in found if _get(ours, key) != _get(theirs, key)))


def _expand(pattern: KeyPath, table: Any) -> Iterator[KeyPath]:
    if not pattern:
        yield ()
    elif isinstance(table, Mapping):
        for name in table:
            if fnmatchcase(name, pattern[0]):
                yield from ((name, *rest) for rest in _expand(pattern[1:], table[name]))


def _get(table: Any, key: KeyPath) -> Any:
    for name in key:
        if not isinstance(table, Mapping) or name not in table:
            return None
        table = table[name]
    return table


def _mixture(ours: dict[str, Any], theirs: dict[str, Any], names: Iterable[KeyPath]) -> dict[str, Any]:
    mixed = deepcopy(theirs)
    for key in names:
        _put(mixed, key, _get(ours, key), dict)
    return mixed


def _put(table: MutableMapping[str, Any], key: KeyPath, value: Any, new_table: Callable[[], Any]) -> None:
    """Set a value, or (None) take it out together with the tables that it leaves empty."""
    name, *rest = key
    if not rest and value is None:
        table.pop(name, None)
    elif not rest:
        table[name] = deepcopy(value)
    else:
        if not isinstance(table.get(name), MutableMapping):
            table[name] = new_table()
        _put(table[name], tuple(rest), value, new_table)
        if not table[name]:
            del table[name]


def _edit_toml(start: bytes, now: bytes, names: Iterable[KeyPath]) -> bytes | None:
    """tomlkit keeps comments and layout; whether it also kept the meaning is for the caller to check."""
    try:
        ours, theirs = tomlkit.parse(start.decode()), tomlkit.parse(now.decode())
        for key in names:
            _put(theirs, key, _get(ours, key), lambda: tomlkit.table(is_super_table=True))
        return tomlkit.dumps(theirs).encode()
    except (TOMLKitError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _restore_tables(patterns: tuple[KeyPath, ...], start: bytes, now: bytes) -> Mixed:
    sections = tuple(".".join(p) + tail for p in patterns for tail in ("", ".*"))
    content, names = _replace_sections(sections, _text(start), _text(now))
    written = "".join(text for name, text in _blocks(_HEADER, _text(start))[1] if _any(sections, name))
    ours, mixed = load_toml(written.encode("utf-8", "surrogateescape")), load_toml(content)
    if ours is None or mixed is None or _differing(patterns, ours, mixed):
        return None
    return content, names


# --- JSON -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """One `"name": value` of the outermost object; offsets into the text."""

    name: str
    begin: int
    value: int
    end: int


def _json(names: tuple[str, ...]) -> Callable[[bytes | None, bytes], Mixed]:
    def restore(start: bytes | None, now: bytes) -> Mixed:
        ours, theirs = load_json(start or b"{}"), load_json(now)
        if theirs is None or not _own_runners(theirs) <= _own_runners(ours or {}):
            return None
        if ours is None:
            return (now, ()) if _written_in(_text(start or b""), theirs, names) else None
        wanted = tuple(n for n in names if ours.get(n) != theirs.get(n) or (n in ours) != (n in theirs))
        if not wanted:
            return now, ()
        edited = _edit_json(_text(start or b"{}"), _text(now), wanted)
        mixed = {k: v for k, v in theirs.items() if k not in wanted} | {n: ours[n] for n in wanted if n in ours}
        return (edited, wanted) if load_json(edited) == mixed else None

    return restore


def _own_runners(manifest: Mapping[str, Any]) -> frozenset[str]:
    """Runners that do not come from a registry under their own name: a folder, an archive, an alias, an own program."""
    found = {f"bin {name}" for name in _table(manifest, "bin") if _any(_JS_RUNNERS, name)}
    sections = [*(_table(manifest, name) for name in _DEPENDENCY_KEYS), _table(manifest, "pnpm", "overrides")]
    for name, source in (item for section in sections for item in section.items()):
        if _any(_JS_RUNNERS, name.rpartition(">")[2]) and not re.fullmatch(r"[\w.^~<>=|* -]*", str(source)):
            found.add(f"{name} {source}")
    return frozenset(found)


def _table(manifest: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    found = _get(manifest, names)
    return found if isinstance(found, Mapping) else {}


def load_json(content: bytes) -> dict[str, Any] | None:
    try:
        loaded = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return loaded if isinstance(loaded, dict) else None


def _written_in(start: str, parsed: dict[str, Any], names: Iterable[str]) -> bool:
    """Whether a repaired manifest says about the checks only what the broken start already said."""
    said = _squeezed(start)
    members = (
        item
        for name in names
        if name in parsed
        for item in (parsed[name].items() if isinstance(parsed[name], dict) else [(name, parsed[name])])
    )
    return all(_squeezed(f"{json.dumps(key)}:{_compact(part)}") in said for key, part in members)


def _squeezed(text: str) -> str:
    """Without white space and without the escapes of a file that was escaped once too often."""
    return re.sub(r"\s|\\[nrt]", "", text).replace('\\"', '"')


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _edit_json(start: str, now: str, names: Iterable[str]) -> bytes:
    """Splice the start's own text of each value, so that the rest of the file keeps its bytes."""
    kept = {m.name: start[m.value : m.end] for m in _members(start)}
    for name in names:
        now = _splice(now, name, kept.get(name))
    return now.encode("utf-8", "surrogateescape")


def _splice(text: str, name: str, value: str | None) -> str:
    members = _members(text)
    places = [i for i, member in enumerate(members) if member.name == name]
    for i in reversed(places):
        if value is not None:
            text = text[: members[i].value] + value + text[members[i].end :]
        elif i > 0:
            text = text[: members[i - 1].end] + text[members[i].end :]
        else:
            text = text[: members[0].begin] + text[members[1].begin if len(members) > 1 else members[0].end :]
        members = _members(text)
    return text if places or value is None else _append(text, name, value)


def _append(text: str, name: str, value: str) -> str:
    members = _members(text)
    item = f"{json.dumps(name)}: {value}"
    if not members:
        brace = text.index("{") + 1
        return f"{text[:brace]}{item}{text[brace:]}"
    before = text[: members[-1].begin]
    gap = before[len(before.rstrip(" \t\r\n")) :]
    return f"{text[: members[-1].end]},{gap}{item}{text[members[-1].end :]}"


def _members(text: str) -> list[_Member]:
    decoder, found, at = json.JSONDecoder(), [], _blank(text, text.index("{") + 1)
    while text[at] != "}":
        name, colon = decoder.raw_decode(text, at)
        value = _blank(text, _blank(text, colon) + 1)
        _, end = decoder.raw_decode(text, value)
        found.append(_Member(name=name, begin=at, value=value, end=end))
        at = _blank(text, end)
        at = _blank(text, at + 1) if text[at] == "," else at
    return found


def _blank(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


# --- INI ------------------------------------------------------------------------------------------

_HEADER = re.compile(r"^\[(?P<name>[^\]\r\n]+)\]", re.MULTILINE)
_OPTION = re.compile(r"^(?P<name>[^\s#;\[=:][^=:\r\n]*?)[ \t]*[=:]", re.MULTILINE)
_ODD_BREAKS = re.compile("\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Line breaks for some INI parsers and not for others: a place to hide a section in."""


def _ini(sections: tuple[str, ...]) -> Callable[[bytes | None, bytes], Mixed]:
    def restore(start: bytes | None, now: bytes) -> Mixed:
        ours, theirs = _load_ini(start or b""), _load_ini(now)
        if theirs is None or _ODD_BREAKS.search(_text(now)):
            return None
        content, names = _replace_sections(sections, _text(start or b""), _text(now))
        content, plugins = _restore_plugins(_text(start or b""), _text(content))
        mixed = _load_ini(content)
        if mixed is None or (ours is not None and _control(sections, ours) != _control(sections, mixed)):
            return None
        return content, names + plugins

    return restore


def _load_ini(content: bytes) -> dict[str, dict[str, str | None]] | None:
    parser = configparser.ConfigParser(interpolation=None, allow_no_value=True, strict=False, default_section="\0")
    try:
        parser.read_string(content.decode())
    except (UnicodeDecodeError, configparser.Error):
        return None
    return {name: dict(parser[name]) for name in parser.sections()}


def _control(sections: tuple[str, ...], parsed: dict[str, dict[str, str | None]]) -> dict[str, Any]:
    control: dict[str, Any] = {name: values for name, values in parsed.items() if _any(sections, name)}
    plugins = parsed.get("options.entry_points", {}).get("pytest11")
    return control | ({"pytest11": plugins} if plugins is not None else {})


def _replace_sections(patterns: tuple[str, ...], start: str, now: str) -> tuple[bytes, tuple[str, ...]]:
    """The start's text of every section that matches, in the place where the agent's file has it."""
    ours, (head, theirs) = dict(_blocks(_HEADER, start)[1]), _blocks(_HEADER, now)
    out, names, seen = [head], [], set()
    for name, text in theirs:
        wanted = text if not _any(patterns, name) else ours.get(name, "") if name not in seen else ""
        if wanted.strip() != text.strip():
            names.append(name)
            text = wanted  # noqa: PLW2901 - the start's words take the place of the agent's
        seen.add(name)
        out.append(text)
    for name, text in ours.items():
        if _any(patterns, name) and name not in seen:
            names.append(name)
            out.append(_on_a_new_line(out, text))
    return "".join(out).encode("utf-8", "surrogateescape"), tuple(dict.fromkeys(names))


def _restore_plugins(start: str, now: str) -> tuple[bytes, tuple[str, ...]]:
    """`pytest11` of `[options.entry_points]`: one option of a section that otherwise belongs to the agent."""
    section = "options.entry_points"
    ours = dict(_blocks(_OPTION, dict(_blocks(_HEADER, start)[1]).get(section, ""))[1]).get("pytest11", "")
    head, blocks = _blocks(_HEADER, now)
    changed = False
    for i, (name, text) in enumerate(blocks):
        if name == section:
            kept, options = _blocks(_OPTION, text)
            others = kept + "".join(body for option, body in options if option != "pytest11")
            theirs = "".join(body for option, body in options if option == "pytest11")
            if theirs.strip() != ours.strip():
                blocks[i], changed = (name, others + _on_a_new_line([others], ours)), True
    content = head + "".join(text for _, text in blocks)
    return content.encode("utf-8", "surrogateescape"), (f"{section}.pytest11",) if changed else ()


def _blocks(header: re.Pattern[str], text: str) -> tuple[str, list[tuple[str, str]]]:
    """What comes before the first header, then each header's name with its text up to the next one."""
    found = list(header.finditer(text))
    if not found:
        return text, []
    ends = [m.start() for m in found[1:]] + [len(text)]
    return text[: found[0].start()], [
        (m["name"].strip(), text[m.start() : e]) for m, e in zip(found, ends, strict=True)
    ]


def _on_a_new_line(before: list[str], text: str) -> str:
    last = next((part for part in reversed(before) if part), "\n")
    return text if last.endswith("\n") or not text else "\n" + text


def _any(patterns: Iterable[str], name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


_RESTORERS: dict[str, Callable[[bytes | None, bytes], Mixed]] = {
    "pyproject.toml": _toml(_PYPROJECT),
    "Cargo.toml": _toml(_CARGO),
    "package.json": _json(_PACKAGE_JSON),
    "composer.json": _json(("scripts",)),
    "deno.json": _json(("tasks", "test", "lint")),
    "setup.cfg": _ini(_SETUP_CFG),
    "tox.ini": _ini(("*",)),
}
