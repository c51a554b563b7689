"""Does any text break a reader of evidence? Every target of tests/fuzz for a while; needs the package registry once.

`make fuzz` gives each target SECONDS=10. It tells where the input lies that broke one: copied into
tests/fuzz/findings/<target>/, it is replayed by every run of the tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess  # noqa: TID251 - a tool for developers, not part of trueup
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".tools" / "fuzz"
TARGETS = ROOT / "tests" / "fuzz"
BROKEN = HOME / "broken"
_EXECUTED = re.compile(r"stat::number_of_executed_units:\s+(\d+)")
_SHORTEST_SAMPLE, _LONGEST_SAMPLE = 12, 8000


def main() -> None:
    asked = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    asked.add_argument("--seconds", type=int, default=10, help="for each target")
    asked.add_argument("targets", nargs="*", help="by default all of them")
    given = asked.parse_args()
    python = _python()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(TARGETS), str(ROOT / "src")))}
    names = _asked(python, env, "print(*fuzz_targets.TARGETS)").split()
    _write_seeds(python, env)
    broken, executions = [], 0
    for name in given.targets or names:
        count, found = _fuzz(python, env, name, given.seconds)
        executions += count
        broken += [name] if found else []
        sys.stdout.write(f"{name:24} {count:>9,} executions  {'BROKEN: ' + found if found else 'nothing found'}\n")
        sys.stdout.flush()
    sys.stdout.write(f"\n{executions:,} executions, {len(broken)} targets broken\n")
    raise SystemExit(bool(broken))


def _python() -> Path:
    """An interpreter with atheris and with what trueup needs."""
    python = HOME / "bin" / "python"
    if not (HOME / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", HOME], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "atheris", "-e", ROOT], check=True)
        (HOME / "done").touch()
    return python


def _asked(python: Path, env: Mapping[str, str], code: str, *, said: str = "") -> str:
    argv = [str(python), "-c", f"import fuzz_targets; {code}"]
    done = subprocess.run(argv, env=env, input=said, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def _write_seeds(python: Path, env: Mapping[str, str]) -> None:
    """The texts in the tests of the readers."""
    folder = HOME / "seeds"
    folder.mkdir(exist_ok=True)
    code = (
        "import json, pathlib, sys; told = json.load(sys.stdin); folder = pathlib.Path(told['folder']);"
        "every = [*fuzz_targets.seeds(told['samples']), *fuzz_targets.event_seeds(), *fuzz_targets.answer_seeds()];"
        "[(folder / f'{number:05}').write_bytes(seed) for number, seed in enumerate(every)]"
    )
    _asked(python, env, code, said=json.dumps({"folder": str(folder), "samples": list(_samples())}))


def _samples() -> Iterator[str]:
    for path in sorted((ROOT / "tests" / "evidence").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and _SHORTEST_SAMPLE < len(text) < _LONGEST_SAMPLE:
                yield text


def _fuzz(python: Path, env: Mapping[str, str], name: str, seconds: int) -> tuple[int, str]:
    """How often it ran, and the input that broke it."""
    kept, corpus = BROKEN / name, HOME / "corpus" / name
    kept.mkdir(parents=True, exist_ok=True)
    corpus.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        "-max_len=8192",
        "-timeout=10",
        "-print_final_stats=1",
        f"-artifact_prefix={kept}/",
    ]
    argv = [str(word) for word in (python, TARGETS / "fuzz_parsers.py", name, *options, corpus, HOME / "seeds")]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, errors="replace", check=False)
    count = _EXECUTED.search(done.stderr)
    found = re.search(r"Test unit written to (\S+)", done.stderr)
    if done.returncode and not found:
        sys.stderr.write(done.stderr[-2000:])
    wrong = (found[1] if found else f"exit code {done.returncode}") if done.returncode else ""
    return int(count[1]) if count else 0, wrong


if __name__ == "__main__":
    main()
