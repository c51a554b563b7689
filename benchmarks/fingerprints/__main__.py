"""How well are the failures of real test runners known again?

`python -m benchmarks.fingerprints [TOOL …]` makes each installed tool fail in many ways and prints a table.
`--keep FILE` keeps the runs; `--read FILE` scores kept ones; `--misses N` names pairs that were judged wrongly.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from benchmarks.fingerprints.run import Record, missing, records
from benchmarks.fingerprints.score import Pair, scores, table
from benchmarks.fingerprints.tools import TOOLS


def main() -> None:
    asked = _asked()
    found = scores(_read(asked.read, asked.tools) if asked.read else list(_kept(_made(asked.tools), asked.keep)))
    sys.stdout.write("\n".join(table(found)) + "\n")
    for score in found.values():
        _tell("not known again", score.split[: asked.misses])
        _tell("taken for one", score.mixed[: asked.misses])


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", metavar="TOOL")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--read", type=Path, metavar="FILE")
    parser.add_argument("--misses", type=int, default=0, metavar="N")
    return parser.parse_args()


def _made(names: Sequence[str]) -> Iterator[Record]:
    for tool in TOOLS:
        if names and tool.name not in names:
            continue
        lacking = missing(tool)
        if lacking:
            sys.stderr.write(f"{tool.name} is left out: {lacking} is not here\n")
            continue
        with tempfile.TemporaryDirectory(prefix="fingerprints-") as scratch:
            yield from records(tool, Path(scratch))


def _kept(made: Iterable[Record], path: Path | None) -> Iterator[Record]:
    """Each as soon as it is there: a long run can be looked into."""
    with path.open("w") if path else nullcontext() as file:
        for record in made:
            if file:
                file.write(json.dumps(record.told()) + "\n")
                file.flush()
            yield record


def _read(path: Path, names: Sequence[str]) -> list[Record]:
    kept = (_record(json.loads(line)) for line in path.read_text().splitlines())
    return [record for record in kept if not names or record.tool in names]


def _record(told: dict[str, object]) -> Record:
    return Record(**{**told, "failure_ids": tuple(told["failure_ids"])})  # type: ignore[arg-type]  # as it was kept


def _tell(what: str, pairs: Sequence[Pair]) -> None:
    for one, other in pairs:
        sys.stdout.write(f"{what}: {one.id} | {other.id}\n")


if __name__ == "__main__":
    main()
