"""What does it cost to start trueup when there is nothing to do?"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
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
try:
    main()
except SystemExit:
    pass
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
    yield from _hooks(trueup, env)
    note = "a command with options: typer and pydantic are loaded"
    yield Row(what="trueup fingerprint on an empty file", value=fingerprint - bare, bare=bare, note=note)


def _hooks(trueup: str, env: Mapping[str, str]) -> Iterator[Row]:
    """A session that did not ask, and an edit in one that did: each hook is a process that somebody waits for."""
    with tempfile.TemporaryDirectory(prefix="trueup-bench-") as folder:
        told = Path(folder) / "told.json"
        given = {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "tool_response": {"filePath": "a.py"}}
        told.write_text(json.dumps({"session_id": "bench", "cwd": folder, **given}))
        plain = {**env, "HOME": folder, "XDG_STATE_HOME": folder}
        guarded = {**plain, "TRUEUP_GUARD": "1"}
        hook, bare = (trueup, "hook", "claude", "PostToolUse"), (sys.executable, "-c", "pass")
        with told.open("rb") as file:
            ran(hook, guarded, stdin=file.fileno())  # the session begins
        costs = [_turns(told, ((bare, plain), (hook, plain), (hook, guarded))) for _ in range(ROUNDS)]
    least = [min(cost) for cost in zip(*costs, strict=True)]
    yield Row(what="trueup hook, not asked for, above bare Python", value=least[1] - least[0], limit=BAR, bare=least[0])
    yield Row(what="trueup hook after an edit, above bare Python", value=least[2] - least[0], limit=BAR, bare=least[0])


def _turns(told: Path, calls: Iterable[tuple[tuple[str, ...], Mapping[str, str]]]) -> list[float]:
    costs = []
    for argv, env in calls:
        with told.open("rb") as file:
            costs.append(ran(argv, env, stdin=file.fileno()).cpu)
    return costs


def heavy_modules(word: str, env: Mapping[str, str]) -> str:
    """Which libraries that nobody needs for this word are loaded; "no library" as it should be."""
    argv = [sys.executable, "-c", f"{_LOADED.format(word=word, heavy=HEAVY)}"]
    said = quick([*argv], env=env, check=False).decode()
    code = ran(argv, env).code
    return "no library" if code == 0 and said else "libraries that it does not need"
