"""What does it cost to start trueup when there is nothing to do?"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.measure import Row, ran, side_by_side
from trueup.act.process import quick

BAR = 0.1
ROUNDS = 10
HEAVY = ("sqlite3", "typer", "rich", "pydantic", "psutil", "msgspec", "pathspec", "tomlkit", "subprocess", "asyncio")
_LOADED = """\
import sys
sys.argv = ["trueup", {word!r}]
from trueup.cli import main
main()
sys.stderr.write(" ".join(name for name in {heavy!r} if name in sys.modules))
raise SystemExit(any(name in sys.modules for name in {heavy!r}))
"""


def rows(env: Mapping[str, str]) -> Iterator[Row]:
    """Above a bare interpreter of the same installation."""
    trueup = str(Path(sys.executable).with_name("trueup"))
    words = (("--help",), ("--version",), ("fingerprint", "/dev/null"))
    commands = [(sys.executable, "-c", "pass"), *((trueup, *word) for word in words)]
    for argv in commands:  # compiles the modules
        ran(argv, env)
    bare, help_, version, fingerprint = side_by_side(commands, env, times=ROUNDS)
    loads = heavy_modules("--help", env)
    yield Row(what="trueup --help, above bare Python", value=help_ - bare, limit=BAR, bare=bare, note=f"loads {loads}")
    yield Row(what="trueup --version, above bare Python", value=version - bare, limit=BAR, bare=bare)
    yield Row(what="trueup hook on a no-op event", limit=BAR)
    note = "a command with options: typer and pydantic are loaded"
    yield Row(what="trueup fingerprint on an empty file", value=fingerprint - bare, bare=bare, note=note)


def heavy_modules(word: str, env: Mapping[str, str]) -> str:
    """Which libraries that nobody needs for this word are loaded; "no library" as it should be."""
    argv = [sys.executable, "-c", f"{_LOADED.format(word=word, heavy=HEAVY)}"]
    said = quick([*argv], env=env, check=False).decode()
    code = ran(argv, env).code
    return "no library" if code == 0 and said else "libraries that it does not need"
