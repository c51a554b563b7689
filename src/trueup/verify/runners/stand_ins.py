"""Can a script of ours stand first on the PATH under the name of a program, and what is written there?"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from itertools import takewhile
from pathlib import Path

from trueup.act.command_line import which
from trueup.verify.runners.base import RunContext

_LONGEST_FIRST_LINE = 120
"""Older kernels cut the first line of a script there."""


def program_behind(run: RunContext, name: str) -> str | None:
    """The program that a stand-in would run; None where there can be no stand-in for it.

    Behind a relative entry of the PATH none is looked for: what is meant depends on the folder at that moment. And our
    interpreter has to be one that a first line can name, outside of the checkout, which checks may not see.
    """
    python = interpreter()
    if re.search(r"\s", python) or len(python) > _LONGEST_FIRST_LINE or Path(python).is_relative_to(run.checkout):
        return None
    entries = run.env.get("PATH", "").split(os.pathsep)
    return which(name, os.pathsep.join(takewhile(lambda entry: entry.startswith("/"), entries)))


@cache
def interpreter() -> str:
    """The one below any environment: nothing but the standard library is needed."""
    return os.path.realpath(sys.executable)


def write_stand_in(
    file: Path,
    real: str,
    *,
    more: Mapping[str, tuple[str, ...]] | None = None,
    modules: tuple[str, ...] | None = None,
    ask: tuple[str, ...] = (),
    codes: tuple[int, ...] = (),
) -> None:
    """`more`: words to add behind a sub-command. For the others see `main` in `stand_in.py`."""
    told = {
        "more": {name: list(words) for name, words in (more or {}).items()},
        "modules": None if modules is None else list(modules),
        "ask": list(ask),
        "codes": list(codes),
    }
    source = Path(__file__).with_name("stand_in.py").read_text(encoding="utf-8")
    call = f"main({real!r}, {str(file.parent)!r}, **{told!r})\n"
    write_program(file, f"{source}\n\n{call}")


def write_program(file: Path, source: str) -> None:
    file.write_text(f"#!{interpreter()} -IS\n{source}", encoding="utf-8")
    file.chmod(0o755)
