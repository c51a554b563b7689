"""Which parts of a text must never be stored, prompted or published?"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

MARK = "[redacted]"

_SHORTEST_VALUE = 4
"""Shorter values are parts of ordinary words; redacting them would destroy the text."""
_SHORTEST_ENCODED = 6
_SHORTEST_LINE = 16
_SHORTEST_TELLING = 8
_NARROWEST = 40
"""Shorter forms fit into a line of any tool that breaks lines."""
_ORDINARY = frozenset({"true", "false", "none", "null", "test", "admin", "root", "user", "password", "secret", "token"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    """What a secret looks like."""

    needles: tuple[str, ...]
    """One of these is in every text that the pattern can match; looking for them first is what makes it quick."""
    pattern: re.Pattern[str]
    replacement: str = MARK
    key: int = 0
    """For access keys, which anyone who reads them can use: how many different characters a real one has at least. A
    stand-in such as `ghp_xxxxxxxxxxxx` has fewer; so has the first line of a private key without the key."""

    def keys_in(self, text: str) -> Iterator[str]:
        found = self.pattern.findall(text) if self.key else ()
        return (key for key in found if len(set(key)) >= self.key)


def _key(pattern: str, *needles: str) -> _Pattern:
    return _Pattern(needles=needles, pattern=re.compile(rf"(?<![A-Za-z0-9]){pattern}"), key=8)


# Each pattern starts at a fixed text and has bounded or always succeeding repetitions: linear time.
_PATTERNS = (
    _Pattern(
        needles=("PRIVATE KEY",),
        pattern=re.compile(
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\,:.]*(?:-(?!----)[A-Za-z0-9+/=\s\\,:.]*)*"
            r"(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
        ),
        key=24,
    ),
    _key(r"sk-(?:(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_-]{8,}|[A-Za-z0-9_-]{16,})", "sk-"),
    _key(r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}", "k_live_", "k_test_"),
    _key(r"gh[oprsu]_[A-Za-z0-9]{10,}", "gho_", "ghp_", "ghr_", "ghs_", "ghu_"),
    _key(r"github_pat_[A-Za-z0-9_]{10,}", "github_pat_"),
    _key(r"(?:AKIA|ASIA)[0-9A-Z]{12,}", "AKIA", "ASIA"),
    _key(r"xox[abeoprs]-[A-Za-z0-9-]{8,}", "xox"),
    _key(r"AIza[0-9A-Za-z_-]{20,}", "AIza"),
    _key(r"glpat-[0-9A-Za-z_-]{8,}", "glpat-"),
    _Pattern(
        needles=("eyJ",), pattern=re.compile(r"(?<![\w-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*")
    ),
    _Pattern(
        needles=("://",),
        pattern=re.compile(r"(://[^\s:/@'\"]{0,256}):[^\s/'\"]{1,512}@"),
        replacement=rf"\1:{MARK}@",
    ),
    _Pattern(needles=("://",), pattern=re.compile(r"://[^\s:/@'\"]{20,256}@"), replacement=f"://{MARK}@"),
    _Pattern(
        needles=("authorization",),
        pattern=re.compile(
            r"(authorization['\"]?\s{0,3}[:=]\s{0,3}['\"]?(?:bearer|basic|token)\s{1,3})[^\s'\",;]{4,}",
            re.IGNORECASE,
        ),
        replacement=rf"\1{MARK}",
    ),
    _Pattern(
        needles=("Bearer",),
        pattern=re.compile(r"\b(Bearer\s{1,3})[A-Za-z0-9._~+/=-]{16,}"),
        replacement=rf"\1{MARK}",
    ),
)


class Redactor:
    """Replaces known secret values, also encoded ones, and what looks like a secret.

    Known values are found as they are, as JSON and URLs write them, in base64 (at any offset, in both alphabets, in
    lines) and in hex. Reversed, compressed, encrypted or cut into pieces they are not found.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        known = {value.strip() for value in values}
        # Longest first: a short form must not cut a longer one into pieces that are then not found.
        self._forms = _longest_first(form for value in known for form in _forms(value))
        self._telling = _longest_first(form for value in known if _is_telling(value) for form in _forms(value))
        self._wrapped = [(form[:8], form[8:16], _in_lines(form)) for form in self._forms if len(form) > _NARROWEST]

    def redact(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, MARK)
        for begins, goes_on, wrapped in self._wrapped:
            if begins in text or goes_on in text:
                text = wrapped.sub(MARK, text)
        for pattern in _possible(text):
            text = pattern.pattern.sub(pattern.replacement, text)
        return text

    def secrets_in(self, text: str) -> frozenset[str]:
        """Known values, in whatever form, and access keys. Values that could be ordinary words are not told apart
        from them, and are left out."""
        known = (form for form in self._telling if form in text)
        return frozenset((*known, *(key for pattern in _possible(text) for key in pattern.keys_in(text))))


def _longest_first(forms: Iterable[str]) -> list[str]:
    return sorted(set(forms), key=lambda form: (-len(form), form))


def _possible(text: str) -> Iterator[_Pattern]:
    lowered = text.lower()
    for pattern in _PATTERNS:
        if any(needle in text or needle in lowered for needle in pattern.needles):
            yield pattern


def _is_telling(value: str) -> bool:
    """`postgres` may be a password and is a word; nobody writes `x7Kp-20q` by chance."""
    mixed = not value.isalpha() and not value.isdigit()
    return len(value) >= (_SHORTEST_TELLING if mixed else _SHORTEST_LINE)


def _in_lines(form: str) -> re.Pattern[str]:
    """As `base64` prints it: broken into lines."""
    return re.compile(r"(?:\r?\n)?".join(map(re.escape, form)))


def _forms(value: str) -> Iterator[str]:
    if len(value) < _SHORTEST_VALUE or value.lower() in _ORDINARY:
        return
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield from _url_forms(value)
    if len(value) >= _SHORTEST_ENCODED:
        encoded = value.encode("utf-8", "surrogatepass")
        yield from _base64_forms(encoded)
        yield from (encoded.hex(), encoded.hex().upper())
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
