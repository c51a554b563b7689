"""What does a check cost that prints a gigabyte, and is its failure still found?"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.measure import MEGABYTE, Row, cpu_now, ran, started, waited
from trueup.act.files import FileRules
from trueup.act.process import Processes, quick
from trueup.act.store import Store
from trueup.decide.task import CheckSpec
from trueup.perform.lab import Ask, Lab

BAR = 150.0
SIZE = 1_000_000_000
_FLOOD = """\
import os, sys
block = b"".join(b"2026-01-01 12:00:00 INFO request %07d was handled in 5 ms\\n" % n for n in range(18000))
failure = b"src/shop.py:%d:5: error: Incompatible return value type  [return-value]\\n"
def put(data):
    while data:
        data = data[os.write(1, data):]
wanted, size = int(sys.argv[1]), 0
put(failure % 1)
while size < wanted:
    if size <= wanted // 2 < size + len(block):
        put(failure % 2)
    put(block)
    size += len(block)
put(failure % 3)
sys.exit(1)
"""


def rows(scratch: Path, env: Mapping[str, str]) -> Iterator[Row]:
    folder = scratch / "flood"
    folder.mkdir()
    (folder / "flood.py").write_text(_FLOOD)
    flood = (sys.executable, "-S", str(folder / "flood.py"), str(SIZE))
    bare = ran(flood, env).cpu
    cat = _read_by_cat(flood, env)
    told = json.loads(quick([sys.executable, "-m", "benchmarks.output", str(folder)], env=_with_us(env), timeout=600))
    lines = told["lines"]
    note = f"of the failures at the beginning, in the middle and at the end it names {len(lines)}: lines {lines}"
    yield Row(what="a check that prints 1 GB: memory", unit="MB", value=told["peak"], limit=BAR, note=note)
    note = f"our process; the check itself {bare:.2f} s, `cat` of it {cat:.2f} s (the ratio)"
    yield Row(what="a check that prints 1 GB: CPU", value=told["cpu"], bare=cat, note=note)


def _with_us(env: Mapping[str, str]) -> dict[str, str]:
    return {**env, "PYTHONPATH": os.pathsep.join(sys.path)}


def _read_by_cat(flood: tuple[str, ...], env: Mapping[str, str]) -> float:
    reading, writing = os.pipe()
    source = started(flood, env, stdin=None, stdout=writing)
    os.close(writing)
    cat = waited(started((shutil.which("cat") or "/bin/cat",), env, stdin=reading, stdout=None))
    os.close(reading)
    waited(source)
    return cat.cpu


def drive(folder: Path) -> dict[str, object]:
    """In a process of its own, so that its memory is ours alone: run the check as a run would."""
    root = folder / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "shop.py").write_text("a = 1\nb = 2\nc = 3\n")
    (root / "flood.py").write_text(_FLOOD)
    store = Store(folder / "store.git")
    start = store.snapshot(root, FileRules.of(root), index=folder / "index").tree
    check = CheckSpec(name="check", run=(sys.executable, "-S", "flood.py", str(SIZE)))
    with Processes() as processes:
        lab = Lab(
            store=store,
            processes=processes,
            folder=folder / "copies",
            checkout=root,
            start=start,
            host_env=os.environ,
            allow_env=(),
            setup=None,
            setup_given=False,
            dependencies=(),
            logs=folder / "logs",
            on_output=lambda _: None,
            on_notice=lambda _: None,
        )
        before = cpu_now()
        report = lab.check(Ask(tree=start, checks=(check,)))
        cpu = (cpu_now() - before).own
        lab.close()
    return {"peak": _peak(), "cpu": cpu, "lines": [failure.line for failure in report.failures]}


def _peak() -> float:
    """In megabytes. The kernel's high-water mark of this program, not of the one that started it."""
    status = Path("/proc/self/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(kilobytes) * 1024 / MEGABYTE


if __name__ == "__main__":
    sys.stdout.write(json.dumps(drive(Path(sys.argv[1]))))
