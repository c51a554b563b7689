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
from trueup.verify.runners.additions import additions, programs_home
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
    variables: Mapping[str, str] | None = None,
) -> None:
    """`more`: words to add behind a sub-command. For the others see `main` in `stand_in.py`."""
    told = {
        "more": {name: list(words) for name, words in (more or {}).items()},
        "modules": None if modules is None else list(modules),
        "ask": list(ask),
        "codes": list(codes),
        "variables": dict(variables or {}),
    }
    source = Path(__file__).with_name("stand_in.py").read_text(encoding="utf-8")
    call = f"main({real!r}, {str(file.parent)!r}, **{told!r})\n"
    write_program(file, f"{source}\n\n{call}")


def keep_variables(run: RunContext, names: tuple[str, ...], variables: tuple[str, ...]) -> Mapping[str, str]:
    """Stand-ins for these programs that put back what was added to the variables, where the command sets one anew."""
    assigned = re.compile(rf"(?:^|[\s;&|('\"])(?:{'|'.join(variables)})=")
    real = {name: found for name in names if run.shows(assigned) and (found := program_behind(run, name))}
    if not real:
        return {}
    home = programs_home(run)
    home.mkdir(exist_ok=True)
    added = {name: ours for name, ours in additions(run).items() if name in variables}
    for name, program in real.items():
        write_stand_in(home / name, program, variables=added)
    return {"PATH": os.pathsep.join(part for part in (str(home), run.env.get("PATH", "")) if part)}


def write_program(file: Path, source: str) -> None:
    file.write_text(f"#!{interpreter()} -IS\n{source}", encoding="utf-8")
    file.chmod(0o755)
