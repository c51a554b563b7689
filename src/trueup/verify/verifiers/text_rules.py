"""Is this text what its bytes say? One function for each way in which it is not; each says what it sees, and where."""

from __future__ import annotations

import ast
import codecs
import json
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from trueup.act.remedies.text_repairs import unfenced


class Sort(StrEnum):
    """What reads such a file decides what hurts it."""

    PYTHON = "python"
    JSON = "json"
    TOML = "toml"
    YAML = "yaml"
    SHELL = "shell"
    SCRIPT = "script"
    """JavaScript and its relatives, style sheets."""
    LIST = "list"
    """Requirements, variables, ignore files: a tool reads them line by line."""
    SETUP = "setup"
    """Dockerfile, Procfile, Makefile, INI files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddity:
    kind: str
    message: str
    line: int = 1
    certain: bool = True
    """False = it can be meant so."""


_BY_SUFFIX = {
    **dict.fromkeys((".py", ".pyi", ".pyw"), Sort.PYTHON),
    **dict.fromkeys((".json", ".webmanifest"), Sort.JSON),
    ".toml": Sort.TOML,
    **dict.fromkeys((".yml", ".yaml"), Sort.YAML),
    **dict.fromkeys((".sh", ".bash"), Sort.SHELL),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".css", ".scss", ".go", ".rs", ".rb"), Sort.SCRIPT),
    **dict.fromkeys((".cfg", ".ini", ".mk", ".dockerfile"), Sort.SETUP),
    ".env": Sort.LIST,
}
_BY_NAME = (
    (re.compile(r"(?:.*requirements?.*|constraints?.*|reqs?)\.(?:txt|in)$", re.IGNORECASE), Sort.LIST),
    (re.compile(r"\.env(?:\..+)?$|\.dockerignore$|\.gitignore$|\.flaskenv$|runtime\.txt$"), Sort.LIST),
    (re.compile(r"(?:Docker|Container)file(?:\..+)?$|Procfile(?:\..+)?$|GNUmakefile$|[Mm]akefile$"), Sort.SETUP),
    (re.compile(r"Pipfile$|poetry\.lock$|uv\.lock$"), Sort.TOML),
)
_ESCAPED = re.compile(r"\\r?\\n|\\n")
_LITERAL_BREAK = re.compile(r"(?:^|[;{}\[\](),:>\"'\w])\\n(?=[ \t]*[\w\"'{}\[\]<@#./-]|\\n|$)")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`")
_MANY = 3
QUOTES = frozenset("“”‘’„‟‚‛«»")
_INVISIBLE = re.compile("[\u00a0\u200b-\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\ufeff]")
_GARBLED = re.compile(
    "[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc"
    "\u2013-\u2026\u2030\u2039\u203a\u20ac\u2122]{1,3}"
)
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL)
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_UTF16 = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
_STRICT = frozenset({Sort.PYTHON, Sort.JSON, Sort.TOML, Sort.LIST})
"""What reads them insists on UTF-8."""


def sort_of(path: str) -> Sort | None:
    """None for what nobody but people reads, or what may be in any codec."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    suffix = name[dot:].lower() if dot > 0 else ""
    if suffix == ".py":
        return Sort.PYTHON
    by_name = next((sort for pattern, sort in _BY_NAME if pattern.match(name)), None)
    return by_name or _BY_SUFFIX.get(suffix)


def oddities(content: bytes, sort: Sort) -> Iterator[Oddity]:
    """At most a few. What is not text at all has no further faults."""
    first = _other_codec(content, sort)
    if first is not None:
        yield first
        return
    text = content.decode("utf-8", "replace")
    for rule in RULES:
        yield from rule(content, text, sort)


# --- bytes --------------------------------------------------------------------------------------------------------


def _other_codec(content: bytes, sort: Sort) -> Oddity | None:
    said = _decode_error(content)
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return Oddity(kind="utf-32", message=f"{said}: it is UTF-32")
    if content[:2] in _UTF16 or _looks_wide(content):
        return Oddity(kind="utf-16", message=f"{said or 'NUL bytes'}: it is UTF-16", certain=sort is not Sort.YAML)
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        return Oddity(
            kind="nul-bytes", message="source code cannot contain null bytes", line=line, certain=sort in _STRICT
        )
    if not said or (sort is Sort.PYTHON and _declared_codec_fits(content)):
        return None
    position = _error_at(content)
    line = content[:position].count(b"\n") + 1
    return Oddity(
        kind="wrong-codec", message=f"{said}: it is not UTF-8", line=line, certain=sort in {*_STRICT, Sort.YAML}
    )


def _decode_error(content: bytes) -> str:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return str(error)
    return ""


def _error_at(content: bytes) -> int:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _looks_wide(content: bytes) -> bool:
    """Latin text in UTF-16 without a mark: every second byte is zero."""
    head = content[:512]
    return len(head) >= 8 and (not any(head[1::2]) or not any(head[::2])) and any(head)  # noqa: PLR2004 - four letters


def _declared_codec_fits(content: bytes) -> bool:
    for line in content.split(b"\n", 2)[:2]:
        if found := _CODING.match(line):
            try:
                content.decode(found[1].decode())
            except (LookupError, UnicodeError):
                return False
            return True
    return False


# --- text ---------------------------------------------------------------------------------------------------------


def _html(content: bytes, _: str, sort: Sort) -> Iterator[Oddity]:
    if _HTML.match(content[:4096].removeprefix(codecs.BOM_UTF8)):
        yield Oddity(kind="html", message=f"SyntaxError: an HTML page under the name of a {sort} file")


def _fenced(_: bytes, text: str, sort: Sort) -> Iterator[Oddity]:
    """An answer of a model, saved with the fence around it."""
    head = text.lstrip("\ufeff \t\r\n")
    if head.startswith("```") and sort is not Sort.SCRIPT:
        yield Oddity(kind="fenced", message="SyntaxError: a Markdown fence ``` around the whole file")
    elif sort in {Sort.PYTHON, Sort.JSON} and "\n```" in text and unfenced(text) and _parses(text, sort) is False:
        line = text.count("\n", 0, text.index("\n```")) + 2
        yield Oddity(kind="fenced", message="SyntaxError: a chat answer, with Markdown fences ```", line=line)


def _bom(content: bytes, _: str, sort: Sort) -> Iterator[Oddity]:
    if not content.startswith(codecs.BOM_UTF8):
        return
    shebang = content[3:5] == b"#!"
    if shebang or sort in {Sort.JSON, Sort.TOML, Sort.LIST, Sort.SHELL}:
        reason = "the system does not see the #! behind it" if shebang else f"what reads {sort} files trips over it"
        yield Oddity(kind="bom", message=f"byte order mark (U+FEFF) at the beginning: {reason}")


def _carriage(content: bytes, _: str, sort: Sort) -> Iterator[Oddity]:
    first = content.split(b"\n", 1)[0]
    if sort is Sort.SHELL and first.startswith(b"#!") and first.endswith(b"\r"):
        yield Oddity(kind="crlf", message="the #! line ends with a carriage return: bad interpreter")


def _escaped(_: bytes, text: str, sort: Sort) -> Iterator[Oddity]:
    """The whole file on one line, with `\\n` where the ends of lines should be."""
    body = text.strip("\ufeff \t\r\n")
    if body.count("\n") > 1 or len(_ESCAPED.findall(body)) < _MANY - 1:
        return
    if sort is Sort.PYTHON or sort is Sort.JSON:
        certain = _parses(body, sort) is False and _parses(unescaped(body), sort) is True
    else:
        outside = _STRING.sub('""', body) if sort is Sort.SCRIPT else body
        certain = len(_LITERAL_BREAK.findall(outside)) >= _MANY - (sort is Sort.LIST)
    if certain:
        count = len(_ESCAPED.findall(body))
        yield Oddity(kind="escaped-newlines", message=rf"over-escaped: {count} literal \n instead of line breaks")


def unescaped(text: str) -> str:
    """What was meant, if it was escaped once too often."""
    plain = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\(.)", lambda m: plain.get(m[1], m[1] if m[1] in "\"'\\" else m[0]), text)


def _parses(text: str, sort: Sort) -> bool | None:
    """None: it cannot be said."""
    try:
        if sort is Sort.JSON:
            json.loads(text)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
    except (SyntaxError, json.JSONDecodeError):
        return False
    except (ValueError, RecursionError, MemoryError):
        return None
    return True


def _typographic(content: bytes, text: str, sort: Sort) -> Iterator[Oddity]:
    """Typographic quotes and invisible characters matter where they stand for real ones: in what does not parse."""
    if sort not in {Sort.PYTHON, Sort.JSON} or not (_INVISIBLE.search(text) or any(q in text for q in QUOTES)):
        return
    try:
        if sort is Sort.JSON:
            json.loads(text.removeprefix("\ufeff"))
        else:
            ast.parse(content)
    except (SyntaxError, json.JSONDecodeError) as error:
        yield from _at_fault(text, error)
    except (ValueError, RecursionError, MemoryError):
        return


def _at_fault(text: str, error: SyntaxError | json.JSONDecodeError) -> Iterator[Oddity]:
    line = error.lineno or 1
    lines = text.split("\n")
    here = lines[line - 1] if line <= len(lines) else ""
    said = f"SyntaxError: {error.msg}" if isinstance(error, SyntaxError) else f"JSONDecodeError: {error}"
    quotes = sorted({c for c in here if c in QUOTES})
    if quotes:
        yield Oddity(kind="smart-quotes", message=f"{said}: typographic quotes {' '.join(quotes)}", line=line)
    elif found := _INVISIBLE.search(here):
        yield Oddity(kind="invisible-character", message=f"{said}: U+{ord(found[0]):04X}", line=line)


def _garbled(_: bytes, text: str, _sort: Sort) -> Iterator[Oddity]:
    """UTF-8 that was read as Windows-1252 and written again. Certain if the whole text can be read back."""
    found = _GARBLED.search(text)
    if found is None:
        return
    hits = [m for m in _GARBLED.finditer(text) if _repaired(m[0])]
    if not hits:
        return
    line = text.count("\n", 0, hits[0].start()) + 1
    example = f"{hits[0][0]!r} for {_repaired(hits[0][0])!r}"
    whole = bool(_repaired(text.removeprefix("\ufeff")))
    yield Oddity(kind="mojibake", message=f"mojibake: {example}, {len(hits)} times", line=line, certain=whole)


def _repaired(text: str) -> str:
    """ "" when it cannot be read that way."""
    try:
        return b"".join(_as_byte(c) for c in text).decode("utf-8")
    except (UnicodeError, ValueError):
        return ""


def _as_byte(character: str) -> bytes:
    """Windows-1252, with the five bytes that it leaves out as they are."""
    return bytes([ord(character)]) if ord(character) <= 0x9F else character.encode("cp1252")  # noqa: PLR2004 - C1


RULES: tuple[Callable[..., Iterator[Oddity]], ...] = (_html, _fenced, _bom, _carriage, _escaped, _typographic, _garbled)
