"""How do commands talk to people and machines?"""

from __future__ import annotations

import json
import sys
from typing import Any

from trueup.errors import TrueupError


def show_error(error: TrueupError, *, as_json: bool = False) -> None:
    """What happened, why we think so, what to do next."""
    labels = (("", error.what), ("  why   ", error.why), ("  do    ", error.do))
    for label, text in labels:
        if text:
            first, *rest = text.splitlines() or [""]
            _complain(f"{label or 'trueup: '}{first}")
            for line in rest:
                _complain(f"        {line}")
    if as_json:
        fields = {"what": error.what, "why": error.why, "do": error.do, "exit_code": error.exit_code}
        print(json.dumps({"error": fields}))


def _complain(line: str) -> None:
    """A poor terminal gets `?`, not another error."""
    encoding = sys.stderr.encoding or "utf-8"
    print(line.encode(encoding, "replace").decode(encoding), file=sys.stderr)


def print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))
