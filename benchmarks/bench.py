"""What does trueup cost, against its bars? `python -m benchmarks.bench [--json]`, or `make bench`.

Exit code 0 also when a bar is missed: how loaded the machine is decides too much for a gate. It says MISSED.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from benchmarks import attempts, deadline, environments, identities, output, remembered, startup, static_verifiers
from benchmarks.measure import Row, environment, said, table
from trueup.act.process import quick


def main() -> None:
    asked = argparse.ArgumentParser(prog="make bench", description=__doc__)
    asked.add_argument("--json", action="store_true", help="the same as JSON on standard output")
    as_json = asked.parse_args().json
    facts = machine()
    begun = time.monotonic()
    rows = measured()
    facts["seconds"] = round(time.monotonic() - begun)
    sys.stdout.write(in_json(facts, rows) if as_json else in_words(facts, rows))


def measured() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="trueup-bench-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder).resolve()
        env = environment(scratch)
        parts: tuple[tuple[str, Callable[[], Iterable[Row]]], ...] = (
            ("starting", lambda: startup.rows(env)),
            ("asking again", lambda: remembered.rows(scratch, env)),
            ("attempts on 5,000 and 50,000 files", lambda: attempts.rows(scratch, env)),
            ("a gigabyte of output", lambda: output.rows(scratch, env)),
            ("telling failures apart", lambda: identities.rows(scratch, env)),
            ("ending process trees", lambda: deadline.rows(scratch, env)),
            ("files that are read", lambda: static_verifiers.rows(scratch, env)),
            ("dependencies and imports", lambda: environments.rows(scratch, env)),
        )
        rows: list[Row] = []
        for name, part in parts:
            with said(name):
                rows.extend(part())
    return rows


def machine() -> dict[str, object]:
    cores = len(os.sched_getaffinity(0))
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "git": quick(["git", "--version"]).decode().split()[2],
        "cores": cores,
        "load": round(os.getloadavg()[0], 1),
    }


def in_words(facts: dict[str, object], rows: list[Row]) -> str:
    about = " · ".join(f"{name} {value}" for name, value in facts.items())
    missed = [row.what for row in rows if row.missed]
    last = f"\nMISSED: {'; '.join(missed)}\n" if missed else "\nevery bar is held\n"
    return f"{table(rows)}\n\n{about}\nCPU seconds, least of several; the ratio is to the bare command\n{last}"


def in_json(facts: dict[str, object], rows: list[Row]) -> str:
    lines = [{**asdict(row), "ratio": row.ratio, "verdict": row.verdict} for row in rows]
    return json.dumps({"machine": facts, "rows": lines}, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    main()
