"""How do commands talk to people and machines?"""

from __future__ import annotations

import json
import sys
from typing import Any

from trueup.errors import TrueupError


def show_error(error: TrueupError) -> None:
    """What happened, why we think so, what to do next."""
    labels = (("", error.what), ("  why   ", error.why), ("  do    ", error.do))
    for label, text in labels:
        if text:
            first, *rest = text.splitlines() or [""]
            print(f"{label or 'trueup: '}{first}", file=sys.stderr)
            for line in rest:
                print(f"        {line}", file=sys.stderr)


def print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def say(text: str, *, as_json: bool = False) -> None:
    """For people: on stdout, or on stderr when stdout belongs to a machine."""
    print(text, file=sys.stderr if as_json else sys.stdout)
