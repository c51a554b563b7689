"""Which parts of a text must never be stored, prompted or published?"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

MARK = "[redacted]"

_SHORTEST_VALUE = 4
"""Shorter values are parts of ordinary words; redacting them would destroy the text."""
_SHORTEST_ENCODED = 6
_SHORTEST_LINE = 16
_ORDINARY = frozenset({"true", "false", "none", "null", "test", "admin", "root", "user", "password", "secret", "token"})

# Each pattern starts at a fixed text and has bounded or always succeeding repetitions: linear time.
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\,:.]*(?:-(?!----)[A-Za-z0-9+/=\s\\,:.]*)*"
            r"(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
        ),
        MARK,
    ),
    (re.compile(r"(?<![A-Za-z0-9])sk-(?:(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_-]{8,}|[A-Za-z0-9_-]{16,})"), MARK),
    (re.compile(r"(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"), MARK),
    (re.compile(r"(?<![A-Za-z0-9])gh[oprsu]_[A-Za-z0-9]{10,}"), MARK),
    (re.compile(r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{10,}"), MARK),
    (re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{12,}"), MARK),
    (re.compile(r"(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{8,}"), MARK),
    (re.compile(r"(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{20,}"), MARK),
    (re.compile(r"(?<![A-Za-z0-9])glpat-[0-9A-Za-z_-]{8,}"), MARK),
    (re.compile(r"(?<![\w-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*"), MARK),
    (re.compile(r"(://[^\s:/@'\"]{0,256}):[^\s/'\"]{1,512}@"), rf"\1:{MARK}@"),
    (re.compile(r"://[^\s:/@'\"]{20,256}@"), f"://{MARK}@"),
    (
        re.compile(
            r"(authorization['\"]?\s{0,3}[:=]\s{0,3}['\"]?(?:bearer|basic|token)\s{1,3})[^\s'\",;]{4,}",
            re.IGNORECASE,
        ),
        rf"\1{MARK}",
    ),
    (re.compile(r"\b(Bearer\s{1,3})[A-Za-z0-9._~+/=-]{16,}"), rf"\1{MARK}"),
)


class Redactor:
    """Replaces known secret values, also encoded ones, and what looks like a secret."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values for form in _forms(value.strip())}
        # Longest first: a short form must not cut a longer one into pieces that are then not found.
        self._forms = sorted(forms, key=lambda form: (-len(form), form))

    def redact(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, MARK)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        return text


def _forms(value: str) -> Iterator[str]:
    if len(value) < _SHORTEST_VALUE or value.lower() in _ORDINARY:
        return
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield from _url_forms(value)
    if len(value) >= _SHORTEST_ENCODED:
        yield from _base64_forms(value.encode("utf-8", "surrogatepass"))
    yield from (line.strip() for line in value.splitlines() if len(line.strip()) >= _SHORTEST_LINE)


def _url_forms(value: str) -> Iterator[str]:
    for quoted in (
        quote(value, safe="", errors="surrogatepass"),
        quote(value, errors="surrogatepass"),
        quote_plus(value, errors="surrogatepass"),
    ):
        yield quoted
        yield re.sub(r"%[0-9A-F]{2}", lambda match: match.group().lower(), quoted)


def _base64_forms(value: bytes) -> Iterator[str]:
    """The characters that depend on the value alone, wherever it starts within a group of three bytes."""
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + value).decode("ascii")
        first = -(-before * 8 // 6)
        last = (before + len(value)) * 8 // 6
        inner = encoded[first:last]
        yield inner
        yield inner.replace("+", "-").replace("/", "_")
