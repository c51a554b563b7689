"""How soon after its deadline is a whole process tree gone?"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.measure import Row, cpu_now
from trueup.act.process import BRIEF_GRACES, DEFAULT_GRACES, Completed, Graces, Processes

BAR = 1.0
TREE = 200
DEADLINE = 3.0
_STUBBORN = """\
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
pids = [os.getpid()]
for _ in range({size}):
    pid = os.fork()
    if pid == 0:
        os.setsid()
        while True:
            signal.pause()
    pids.append(pid)
with open(sys.argv[1], "w") as file:
    file.write(" ".join(map(str, pids)))
while True:
    signal.pause()
"""


def rows(scratch: Path, env: Mapping[str, str]) -> Iterator[Row]:
    folder = scratch / "deadline"
    folder.mkdir()
    yield _row("a check's", folder, env, timeout=DEADLINE, graces=BRIEF_GRACES)
    seconds, graces = DEFAULT_GRACES.within(DEADLINE)
    yield _row("an agent's", folder, env, timeout=seconds, graces=graces)


def _row(whose: str, folder: Path, env: Mapping[str, str], *, timeout: float, graces: Graces) -> Row:
    late, cpu = _late(folder, env, timeout, graces)
    what = f"{whose} deadline: {TREE} stubborn processes gone after it"
    return Row(what=what, value=late, limit=BAR, note=f"wall time; {cpu:.2f} s of CPU, the watching process included")


def _late(folder: Path, env: Mapping[str, str], timeout: float, graces: Graces) -> tuple[float, float]:
    """Seconds from the deadline until nothing of the tree was left."""
    program, pids = folder / "stubborn.py", folder / "pids"
    program.write_text(_STUBBORN.format(size=TREE))
    before = cpu_now()
    with Processes() as processes:
        argv = (sys.executable, "-S", str(program), str(pids))
        done = processes.run(argv, cwd=folder, env=env, timeout=timeout, graces=graces)
        _all_gone(done, [int(pid) for pid in pids.read_text().split()])
    cost = cpu_now() - before
    return done.duration - DEADLINE, cost.total


def _all_gone(done: Completed, pids: list[int]) -> None:
    alive = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    if alive or not done.timed_out or len(pids) != TREE + 1:
        raise RuntimeError(f"{len(alive)} of {len(pids)} processes are still there: {done}")
