"""What do the verifiers cost that read files alone: the first time, again, with twice the files, and asked again?"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.measure import Row, ran, side_by_side
from trueup.act.process import quick

FILES = 2_000
MODULES = 50
STATIC = ("syntax", "encoding", "imports", "coherence")
_IN_A_FOLDER = 50
_REPEATS = 3
_BAR = 0.5
_UNCHANGED = 0.05
_MODULE = '''\
"""Module {number}."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

import yaml

from pkg.part{other}.module{other_number} import LIMIT as OTHER

LIMIT = {number}
HOME = os.environ.get("HOME", "")


@dataclass
class Order{number}:
    amount: int
    discount: int = 0

    def price(self) -> int:
        if self.discount > LIMIT:
            raise ValueError(self.discount)
        return self.amount * LIMIT - self.discount


def load(text: str) -> list[Order{number}]:
    """What is written there, as orders."""
    found = []
    for line in text.splitlines():
        if line.strip():
            found.append(Order{number}(**json.loads(line)))
    return found


def dump(orders: list[Order{number}]) -> str:
    return yaml.safe_dump([order.amount + OTHER for order in orders])
'''


def rows(scratch: Path, env: Mapping[str, str]) -> Iterator[Row]:
    """CPU seconds of walking, reading and verifying; starting Python and importing trueup is not in it."""
    one = _tree(scratch / "static", FILES)
    cold, warm = _measured(one, env)
    yield Row(what=f"static verifiers, {FILES:,} Python files, warm", value=warm, limit=_BAR)
    yield Row(what=f"static verifiers, {FILES:,} Python files, first time", value=cold)
    _, twice = _measured(_tree(scratch / "static twice", 2 * FILES), env)
    note = f"{twice / warm:.1f} times as much for twice the files"
    yield Row(what=f"static verifiers, {2 * FILES:,} Python files, warm", value=twice, note=note)
    nothing = scratch / "nothing"
    nothing.mkdir()
    (nothing / "a.py").write_text("x = 1\n")
    yield _asked_again(_tree(scratch / "static few", MODULES), nothing, env, MODULES, limit=_UNCHANGED)
    yield _asked_again(one, nothing, env, FILES)


def _tree(root: Path, files: int) -> Path:
    for number in range(files):
        other = number - 1 if number else 0
        place = root / "pkg" / f"part{number // _IN_A_FOLDER}" / f"module{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        text = _MODULE.format(number=number, other=other // _IN_A_FOLDER, other_number=other)
        place.write_text(text if number else text.replace("from pkg.part0.module0 import LIMIT as OTHER", "OTHER = 0"))
    for part in {place.parent for place in root.rglob("*.py")} | {root / "pkg"}:
        (part / "__init__.py").touch()
    (root / "requirements.txt").write_text("PyYAML\n")
    return root


def _measured(root: Path, env: Mapping[str, str]) -> tuple[float, float]:
    """Each in a process of its own; what was found out the first time lies on the disk."""
    facts = root.with_name(f"{root.name}.facts")
    command = (sys.executable, "-m", "benchmarks.static_verifiers", str(root), str(facts))
    spent = [float(json.loads(quick(command, env=dict(env)))["cpu"]) for _ in range(_REPEATS + 1)]
    return spent[0], min(spent[1:])


def _asked_again(root: Path, nothing: Path, env: Mapping[str, str], files: int, limit: float | None = None) -> Row:
    trueup = str(Path(sys.executable).with_name("trueup"))
    words = [word for name in STATIC for word in ("--verifier", name)]
    ask = (trueup, "check", "--builtin", *words, "-C", str(root))
    small = (trueup, "check", "--builtin", *words, "-C", str(nothing))
    for _ in range(2):  # the first looks, the second sees files that are old enough to be trusted
        for command in (ask, small):
            if code := ran(command, env).code:
                raise RuntimeError(f"exit code {code} of {' '.join(command)}")
    started, asked = side_by_side((small, ask), env, times=5)
    note = f"above {started:.3f} s for a folder with one file"
    return Row(what=f"check --builtin, unchanged, {files:,} files", value=asked - started, limit=limit, note=note)


def _main(root: Path, facts_file: Path) -> None:
    from trueup.act.facts import Facts
    from trueup.act.files import FileRules
    from trueup.act.process import Processes
    from trueup.act.source_files import SourceFiles
    from trueup.verify.verifiers.running import Workshop, verifier, verify_tree

    for name in STATIC:
        verifier(name)
    with Processes() as processes, tempfile.TemporaryDirectory() as scratch:
        kept = Path(scratch)
        workshop = Workshop(processes=processes, env=dict(os.environ), scratch=kept / "own", cache=kept / "kept")
        began = time.process_time()
        facts = Facts(facts_file)
        files = SourceFiles(root, FileRules().walk(root).paths, facts=facts)
        verdicts = verify_tree(files, STATIC, workshop)
        facts.keep()
        spent = time.process_time() - began
    wrong = [failure.message for verdict in verdicts.values() for failure in verdict.failures]
    if wrong:
        raise RuntimeError(wrong[0])
    sys.stdout.write(json.dumps({"cpu": spent}))


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Path(sys.argv[2]))
