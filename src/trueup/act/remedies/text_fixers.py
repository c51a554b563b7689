"""How does a file that does not parse become one that does, when it is clear how it was meant?

Single repairs come first, then two of them together. A file that parses is never touched.
"""

from __future__ import annotations

import codecs as marks
import itertools
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from xml.etree import ElementTree as ET

import yaml

from trueup.act.remedies import codecs, json_text, text_repairs
from trueup.act.remedies.base import Ask, Edit, Idea, edit_of
from trueup.act.remedies.strings import LiteralEnd, in_javascript, in_json, in_python, parts

_DEEPEST = 2
"""Repairs that are combined for one file."""
_HIDING = (b"<!DOCTYPE", b"<!ENTITY")
"""An XML with declarations of its own is not ours to parse."""


def reencode(ask: Ask) -> Iterable[Idea]:
    """As UTF-8, without a mark, in the place of UTF-16 or of an old encoding that only one reading makes sense of."""
    content = ask.files.content(ask.file or "")
    if not ask.file or not content or (codecs.is_utf8(content) and b"\0" not in content):
        return
    text = codecs.decoded(content)
    if text is not None and "\0" not in text and _parses_or_unknown(ask.file, text):
        yield edit_of(ask.file, text, f"{ask.file} is saved as UTF-8")


def strip_mark(ask: Ask) -> Iterable[Idea]:
    """Without the byte order mark at the beginning."""
    content = ask.files.content(ask.file or "")
    if ask.file and content and content.startswith(marks.BOM_UTF8):
        yield edit_of(ask.file, content.removeprefix(marks.BOM_UTF8), f"{ask.file} begins without a byte order mark")


def undo_mojibake(ask: Ask) -> Iterable[Idea]:
    """UTF-8 that was read as Windows-1252 and saved again: only if all that is not ASCII turns back."""
    text = ask.files.text(ask.file or "")
    try:
        meant = (text or "").encode("cp1252").decode("utf-8")
    except UnicodeError:
        return
    if ask.file and text and meant != text and _parses_or_unknown(ask.file, meant):
        yield edit_of(ask.file, meant, f"{ask.file} is decoded once, not twice")


def unix_line_ends(ask: Ask) -> Iterable[Idea]:
    """For a script that is started by its first line."""
    content = ask.files.content(ask.file or "")
    if ask.file and content and content.startswith(b"#!") and b"\r\n" in content:
        why = f"{ask.file}: its lines end as the system expects it of scripts"
        yield edit_of(ask.file, content.replace(b"\r\n", b"\n"), why)


def repair_text(ask: Ask) -> Iterable[Idea]:
    """Literal `\\n`, chat fences, stray conflict markers, curly quotes, tabs, JSON's commas and comments."""
    text = ask.files.text(ask.file or "")
    if not ask.file or text is None:
        return
    kind = kind_of(ask.file)
    if kind is not None and not kind.parses(text):
        for why, new in _found(text, kind):
            yield edit_of(ask.file, new, f"{ask.file}: {why}")
            return
    if kind is None:
        yield from _unchecked(ask.file, text)


def _unchecked(path: str, text: str) -> Iterator[Idea]:
    """Files that we cannot parse: only what leaves no doubt; whether it helps, the verification says."""
    for why, new in _unescaped(text, in_json):
        yield edit_of(path, new, f"{path}: {why}")
        return
    new_text = text_repairs.unmarked(text)
    if new_text is not None:
        yield edit_of(path, new_text, f"{path}: {_MARKERS}")
    elif path.endswith(_SCRIPTS) and not _has_typographic_pattern(text):
        straight = text_repairs.straightened(text, in_javascript)
        if straight is not None:
            yield edit_of(path, straight, f"{path}: {_PLAIN}")


_SCRIPTS = (".js", ".mjs", ".cjs")
_PATTERN = re.compile(r"/[^/\n]*[“”‘’„‟‚‛][^/\n]*/")


def _has_typographic_pattern(text: str) -> bool:
    """A regular expression that looks for such quotes is right as it is."""
    return any(part.code and _PATTERN.search(part.text) for part in parts(text, in_javascript))


# --- what a file is ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    parses: Callable[[str], bool]
    literal_end: LiteralEnd
    more: tuple[tuple[str, Callable[[str], str | None]], ...] = ()
    """Repairs of this kind alone."""


def _parses_python(text: str) -> bool:
    return text_repairs.program(text) is not None


def _parses_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _parses_yaml(text: str) -> bool:
    """Structured: a text without structure is YAML, too."""
    try:
        documents = list(yaml.compose_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except (yaml.YAMLError, RecursionError, ValueError):
        return False
    return all(not isinstance(one, yaml.ScalarNode) and not _has_broken_key(one) for one in documents)


def _has_broken_key(document: yaml.Node | None) -> bool:
    """`services:\\n  web` as a key: lines that were written as one are a mapping for YAML, and for nobody else."""
    keys = (key for key, _ in document.value) if isinstance(document, yaml.MappingNode) else ()
    return any(isinstance(key, yaml.ScalarNode) and not key.style and "\\n" in key.value for key in keys)


def _yaml_meaning(text: str) -> str | None:
    if not _parses_yaml(text):
        return None
    return "\n".join(map(yaml.serialize, yaml.compose_all(text, Loader=yaml.SafeLoader)))


def _parses_xml(text: str) -> bool:
    if any(word.decode() in text for word in _HIDING):
        return True
    try:
        ET.fromstring(text)  # noqa: S314 - without declarations there is nothing to expand
    except (ET.ParseError, ValueError, RecursionError):
        return False
    return True


_TABS = ("its tabs are spaces", text_repairs.untabbed)
_COMMAS = ("its commas, comments and quotes are as JSON has them", json_text.repaired)
_PYTHON = Kind(parses=_parses_python, literal_end=in_python, more=(_TABS,))
_JSON = Kind(parses=json_text.is_json, literal_end=in_json, more=(_COMMAS,))
_TOML = Kind(parses=_parses_toml, literal_end=in_python)
_YAML = Kind(
    parses=_parses_yaml,
    literal_end=in_python,
    more=(("its tabs are spaces", lambda text: text_repairs.untabbed(text, _yaml_meaning)),),
)
_XML = Kind(parses=_parses_xml, literal_end=in_json)
_KINDS = {
    ".py": _PYTHON, ".pyi": _PYTHON, ".pyw": _PYTHON, ".json": _JSON, ".webmanifest": _JSON, ".ipynb": _JSON,
    ".toml": _TOML, ".yaml": _YAML, ".yml": _YAML, ".xml": _XML, ".svg": _XML,
}  # fmt: skip
_NAMED = {"Pipfile": ".toml", "uv.lock": ".toml", "poetry.lock": ".toml", "Pipfile.lock": ".json", ".babelrc": ".json"}


def kind_of(path: str) -> Kind | None:
    name = PurePosixPath(path).name
    return _KINDS.get(_NAMED.get(name, PurePosixPath(path).suffix.lower()))


def _parses_or_unknown(path: str, text: str) -> bool:
    kind = kind_of(path)
    return kind is None or kind.parses(text)


# --- repairs, alone and together --------------------------------------------------------------------------------

_MARKERS = "without the stray marker of a merge conflict"
_PLAIN = "plain quotes, dashes and spaces in its code"


def _found(text: str, kind: Kind) -> Iterator[tuple[str, str]]:
    """Every text that parses and is one or two repairs away, fewest repairs first."""
    level = [("", text)]
    for _ in range(_DEEPEST):
        level = [
            (f"{why}, {more}" if why else more, new)
            for why, before in level
            for more, new in _steps(before, kind)
            if new != before
        ]
        yield from ((why, new) for why, new in level if kind.parses(new))


def _steps(text: str, kind: Kind) -> Iterator[tuple[str, str]]:
    single: Iterable[tuple[str, str | None]] = (
        ("without the fences of a chat answer", text_repairs.unfenced(text)),
        (_MARKERS, text_repairs.unmarked(text)),
        (_PLAIN, text_repairs.straightened(text, kind.literal_end)),
        ("without the byte order mark", text.removeprefix("\ufeff")),
        *((why, repair(text)) for why, repair in kind.more),
    )
    yield from ((why, new) for why, new in single if new is not None)
    yield from _unescaped(text, kind.literal_end)


def _unescaped(text: str, literal_end: LiteralEnd) -> Iterator[tuple[str, str]]:
    ways = itertools.islice(text_repairs.unescaped(text, literal_end), 2)
    yield from (("its line breaks are line breaks", new) for new in ways)


# --- modes and folders ------------------------------------------------------------------------------------------


def make_executable(ask: Ask) -> Iterable[Idea]:
    """For a script that is started by its name."""
    named = (ask.groups.get("file", "").removeprefix("./"), ask.file)
    path = next((one for one in named if one and one in ask.files), None)
    content = ask.files.content(path) if path else None
    if path and content and content.startswith(b"#!"):
        yield f"{path} may be executed", (Edit(path=path, content=content, executable=True),)
