"""`python -m benchmarks.fingerprints_tools [--only TOOL,…] [--write FILE | --read FILE] [--errors N]`.

Runs every tool that is installed on broken programs, and prints how well their failures are known again. A tool
that is missing is named and left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.fingerprints_tools.runs import Record, missing, records
from benchmarks.fingerprints_tools.score import Score, score, table, together
from benchmarks.fingerprints_tools.tools import TOOLS
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.fingerprints_tools", description=__doc__)
    asked.add_argument("--only", default="", help="names of tools, with commas between them")
    asked.add_argument("--write", type=Path, help="keep the runs as JSON lines")
    asked.add_argument("--read", type=Path, help="judge runs that were kept, and run nothing")
    asked.add_argument("--errors", type=int, default=0, help="name so many pairs per tool that are told wrong")
    given = asked.parse_args()
    only = set(filter(None, given.only.split(",")))
    runs = [r for r in (_kept(given.read) if given.read else _new(only)) if not only or r["tool"] in only]
    if given.write:
        given.write.write_text("".join(json.dumps(run) + "\n" for run in runs))
    sys.stdout.write(_report(runs, given.errors))


def _kept(path: Path) -> Iterator[Record]:
    with path.open() as lines:
        yield from map(json.loads, lines)


def _new(only: set[str]) -> Iterator[Record]:
    for tool in TOOLS:
        if only and tool.name not in only:
            continue
        absent = missing(tool)
        sys.stderr.write(f"{tool.name}: {'left out, no ' + ', '.join(absent) if absent else 'running'}\n")
        if not absent:
            with tempfile.TemporaryDirectory(prefix="trueup-fingerprints-", ignore_cleanup_errors=True) as scratch:
                yield from records(tool, Path(scratch).resolve())


def prints(run: Record) -> frozenset[str]:
    code = run["exit_code"]
    failures = failures_from_text(
        "log", str(run["output"]), exit_code=code if isinstance(code, int) else None, sources=lambda _: None
    )
    return frozenset(map(fingerprint, failures))


def _report(runs: Sequence[Record], errors: int) -> str:
    known = [prints(run) for run in runs]
    rows: list[tuple[str, Score]] = []
    wrong: list[str] = []
    for name in dict.fromkeys(str(run["tool"]) for run in runs):
        mine = [n for n, run in enumerate(runs) if run["tool"] == name]
        judged = score([runs[n] for n in mine], [known[n] for n in mine])
        rows.append((name, judged))
        wrong += _named([runs[n] for n in mine], judged, errors)
    rows.append(("**all**", together([judged for _, judged in rows])))
    return "\n".join([table(rows), *wrong, ""])


def _named(runs: Sequence[Record], judged: Score, errors: int) -> Iterable[str]:
    for what, pairs in (("MERGED", judged.merged), ("SPLIT", judged.split)):
        yield from (f"{what} {runs[a]['id']} | {runs[b]['id']}" for a, b in list(pairs)[:errors])


if __name__ == "__main__":
    main()
