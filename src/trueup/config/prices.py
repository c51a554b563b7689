"""What do a model's tokens cost? For programs that tell tokens and no dollars.

List prices in dollars for a million tokens, as published at the end of 2025. They change: `price` of an [[agent]] in
trueup.toml goes before this table, and a model that is in neither has an unknown cost.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass

_MILLION = 1_000_000
_DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|preview.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Input that the provider had kept; None = as any other input."""
    own: bool = False
    """Set by the user: it goes before what is known of any model."""

    def of(self, *, fresh: int, cached: int, output: int) -> float:
        kept = self.input if self.cached is None else self.cached
        return (fresh * self.input + cached * kept + output * self.output) / _MILLION


def _price(fresh: float, cached: float, output: float) -> Price:
    return Price(input=fresh, cached=cached, output=output)


PRICES = {
    "gpt-5": _price(1.25, 0.125, 10.0),
    "gpt-5-codex": _price(1.25, 0.125, 10.0),
    "gpt-5.1": _price(1.25, 0.125, 10.0),
    "gpt-5.1-codex": _price(1.25, 0.125, 10.0),
    "gpt-5-mini": _price(0.25, 0.025, 2.0),
    "gpt-5-nano": _price(0.05, 0.005, 0.4),
    "gpt-4.1": _price(2.0, 0.5, 8.0),
    "gpt-4.1-mini": _price(0.4, 0.1, 1.6),
    "gpt-4o": _price(2.5, 1.25, 10.0),
    "gpt-4o-mini": _price(0.15, 0.075, 0.6),
    "o3": _price(2.0, 0.5, 8.0),
    "o4-mini": _price(1.1, 0.275, 4.4),
    "claude-opus-4-1": _price(15.0, 1.5, 75.0),
    "claude-opus-4-5": _price(5.0, 0.5, 25.0),
    "claude-sonnet-4": _price(3.0, 0.3, 15.0),
    "claude-sonnet-4-5": _price(3.0, 0.3, 15.0),
    "claude-haiku-4-5": _price(1.0, 0.1, 5.0),
    # A long conversation is charged at the dearer rate of two: nothing tells how long a single request was.
    "gemini-2.5-pro": _price(2.5, 0.25, 15.0),
    "gemini-2.5-flash": _price(0.3, 0.03, 2.5),
    "qwen3-coder-plus": _price(1.0, 0.1, 5.0),
}


def known_price(model: str) -> Price | None:
    """By the model's name, also behind a provider (`openai/gpt-4o`) or with a date at its end; None = not known."""
    name = model.rpartition("/")[2].lower()
    return PRICES.get(name) or PRICES.get(_DATED.sub("", name))


def write_price(price: Price) -> str:
    """As an option of an agent."""
    return json.dumps(asdict(price))


def read_price(written: str) -> Price | None:
    return Price(**json.loads(written)) if written else None
