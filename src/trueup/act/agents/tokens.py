"""What do the tokens that a program tells cost? For programs that tell no dollars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trueup.act.agents.base import believable_tokens
from trueup.act.agents.program import Options
from trueup.act.agents.told import Told
from trueup.config.prices import Price, known_price

NO_PRICE = (
    "it tells tokens and no dollars, and what its model's tokens cost is not known: "
    "name its model, or set its price, under [[agent]] in trueup.toml"
)
NO_NAME = "the reported tokens are those of a whole session, and the session has no name"
NO_COUNT = "the reported tokens are not a count"


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """Tokens of one model. `cached` was input that the provider had kept."""

    fresh: int = 0
    cached: int = 0
    output: int = 0

    @classmethod
    def told(cls, usage: Mapping[str, Any], every: str, cached: str, output: str, total: str = "") -> Used | None:
        """By the program's names for all input, the cached part of it, and output; None if they are no counts.

        A provider that tells neither input nor output has not told that they were none.

        What is in its `total` besides, such as thoughts, is paid like output.
        """
        told = {cached: 0, total: 0, **usage}
        counts = [believable_tokens(told.get(name)) for name in (every, cached, output, total)]
        match counts:
            case [int(given), int(kept), int(written), int(everything)]:
                return cls(fresh=max(given - kept, 0), cached=kept, output=max(written, everything - given))
            case _:
                return None

    @property
    def total(self) -> int:
        return self.fresh + self.cached + self.output

    def __add__(self, other: Used) -> Used:
        return Used(
            fresh=self.fresh + other.fresh, cached=self.cached + other.cached, output=self.output + other.output
        )

    def usd(self, price: Price | None) -> float | None:
        return None if price is None else price.of(fresh=self.fresh, cached=self.cached, output=self.output)


class Spending:
    """What one invocation costs: step by step as far as that is told, and the final account, which counts instead."""

    def __init__(self, told: Told, options: Options) -> None:
        self._told = told
        self._options = options
        self._dearest = 0.0

    def step(self, model: str, used: Used | None, usd: object = None) -> None:
        """If the program is ended before it gives an account, this is what is charged.

        `usd`: what the program itself says it costs, which goes before a price that the user has not set. Zero is what
        it says of a model whose price it does not know.
        """
        price = self._options.price
        if usd is None or (price is not None and (price.own or usd == 0)):
            self._explain((used,))
            usd = self._usd(model, used)
        added = self._told.spend(usd=usd, tokens=None if used is None else used.total)
        self._dearest = max(self._dearest, added)

    def sum_up(self, used: Used, usd: object) -> None:
        """The program's own sum so far; of a model whose price it does not know, it is zero."""
        price = self._options.price
        self._told.sum_up(used.usd(price) if usd == 0 and price is not None else usd)
        self._told.tokens = used.total

    def cut_short(self) -> None:
        """A step that nothing was told about is paid for too: it is taken to cost as much as the dearest one."""
        if self._dearest:
            self._told.spend(usd=self._dearest)

    def bill(self, by_model: Mapping[str, Used | None], *, of_session: bool = False) -> None:
        """The final account, of this invocation or of its whole session so far."""
        self._explain(by_model.values())
        nameless = of_session and not self._told.session
        self._told.problem = self._told.problem or (NO_NAME if nameless else "")
        known = [used for used in by_model.values() if used is not None]
        costs = [self._usd(model, used) for model, used in by_model.items()]
        is_known = bool(by_model) and None not in costs and not nameless
        usd = sum(cost for cost in costs if cost is not None) if is_known else None
        tokens = sum(used.total for used in known) if len(known) == len(costs) else None
        if of_session:
            self._told.bill(total=usd)
        else:
            self._told.bill(usd=usd, tokens=tokens)

    def _usd(self, model: str, used: Used | None) -> float | None:
        """A price that is known for another model than the chosen one is that model's own, unless the user set one."""
        price = self._options.price
        if price is None or used is None:
            return None
        mine = price.own or model in {"", self._options.model}
        return used.usd(price if mine else known_price(model) or price)

    def _explain(self, told: Iterable[Used | None]) -> None:
        problem = NO_COUNT if None in told else NO_PRICE if self._options.price is None else ""
        self._told.problem = self._told.problem or problem
