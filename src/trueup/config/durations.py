"""How long is `1h30m`, and how is that many seconds shown?"""

from __future__ import annotations

import math
import re

LONGEST = 365 * 86400.0
"""Longer ones are typing errors, and some systems cannot wait for them."""
ALLOWED = 'a duration such as "45s", "10m" or "1h30m", or a number of seconds'

_UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"
_PATTERN = re.compile("".join(rf"(?:{_NUMBER}\s*{unit}\s*)?" for unit, _ in _UNITS), re.ASCII)


def parse_duration(value: object) -> float:
    """Seconds. `ValueError` with what is allowed for anything that is not a positive, sensible duration."""
    seconds = _written(value.strip()) if isinstance(value, str) else _plain(value)
    if not 0 < seconds <= LONGEST:
        raise ValueError(ALLOWED)
    return seconds


def show_duration(seconds: float) -> str:
    """The shortest form that `parse_duration` reads, to the millisecond: `1h30m`, `45s`, `0.25s`."""
    left = round(seconds, 3)
    parts = []
    for unit, size in _UNITS[:-1]:
        count, left = divmod(left, size)
        parts.append(f"{int(count)}{unit}" if count else "")
    rest = f"{left:.3f}".rstrip("0").rstrip(".")
    return "".join(parts) + (f"{rest}s" if rest != "0" or not any(parts) else "")


def _written(text: str) -> float:
    if re.fullmatch(_NUMBER, text, re.ASCII):
        return float(text)
    match = _PATTERN.fullmatch(text)
    if not match or not text:
        raise ValueError(ALLOWED)
    pairs = zip(match.groups(), _UNITS, strict=True)
    return math.fsum(float(number) * size for number, (_, size) in pairs if number)


def _plain(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(ALLOWED)  # noqa: TRY004 - one kind of refusal for every wrong value
    return float(value) if abs(value) <= LONGEST else math.inf
