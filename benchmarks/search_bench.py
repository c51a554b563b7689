"""How many small Python bugs does `--agent search` repair, and are its repairs right? `make bench-search`.

Each bug of benchmarks/search_bugs is put into a repository of its own and given to `trueup run`. What was accepted is
then held against tests that the search never saw: `wrong` means accepted by the given tests, refused by those.
Exit code 0 unless trueup could not be run at all.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from benchmarks.measure import environment
from benchmarks.search_bugs import GIVEN, GROUPS, HOLDOUT, SETS, Bug, Group, SetName, load
from benchmarks.search_bugs.suite import tested
from trueup.act.process import Completed, Processes, quick

Verdict = Literal["right", "wrong", "none", "error"]
"""Accepted and right; accepted, but the hold-out tests fail; nothing accepted; the run itself went wrong."""
SPARE = 180.0
"""Seconds of wall time for what is not the search: copies, the first check, the proof."""
SLOWNESS = 4.0
"""Wall seconds for each second of CPU, at most: the machine has other work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    agent: tuple[str, ...]
    cpu: float
    scratch: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    name: str
    group: Group
    kind: str
    verdict: Verdict
    given: bool
    """Accepted, and the given tests pass when we run them ourselves."""
    holdout: bool
    cpu: float
    """CPU seconds of trueup and of everything that it started."""
    wall: float
    outcome: str
    """trueup's own word for the end, or the last line that it wrote."""
    patch: str


def main() -> None:
    asked = _arguments()
    bugs = _chosen(asked.set, asked.half, asked.only)
    with tempfile.TemporaryDirectory(prefix="trueup-search-", ignore_cleanup_errors=True) as folder:
        ask = Ask(agent=_agent(asked), cpu=asked.cpu, scratch=Path(folder).resolve())
        with ThreadPoolExecutor(asked.jobs) as pool:
            results = list(pool.map(partial(measured, ask), bugs))
    sys.stdout.write(in_json(results) if asked.json else in_words(results, patches=asked.patches))
    sys.exit(1 if all(result.verdict == "error" for result in results) else 0)


def _agent(asked: argparse.Namespace) -> tuple[str, ...]:
    if asked.agent_cmd:
        return "--agent-cmd", asked.agent_cmd
    return "--agent", "search", "--search-cpu", f"{asked.cpu:g}"


def _arguments() -> argparse.Namespace:
    asked = argparse.ArgumentParser(prog="make bench-search", description=__doc__)
    asked.add_argument("--set", choices=SETS, default="projects", help="which bugs [default: projects]")
    asked.add_argument("--half", choices=("odd", "even"), help="every other bug; the odd ones were used for tuning")
    asked.add_argument("--only", action="append", default=[], metavar="NAME", help="a bug or a group; repeatable")
    asked.add_argument("--jobs", type=int, default=2, help="how many at the same time [default: 2]")
    asked.add_argument("--cpu", type=float, default=60.0, help="CPU seconds for each search [default: 60]")
    asked.add_argument("--agent-cmd", metavar="CMD", help="another agent on the same bugs, for comparison")
    asked.add_argument("--patches", action="store_true", help="show what was accepted")
    asked.add_argument("--json", action="store_true", help="everything as JSON on standard output")
    return asked.parse_args()


def _chosen(name: SetName, half: str | None, only: Sequence[str]) -> list[Bug]:
    bugs = [bug for bug in load(name) if not only or bug.name in only or bug.group in only]
    if half is not None:
        near = [bug for bug in load(name) if bug.group != "far"]
        wanted = {bug.name for bug in near[half == "odd" :: 2]}
        bugs = [bug for bug in bugs if bug.name in wanted]
    if not bugs:
        sys.exit(f"there is no bug and no group of the name {', '.join(only)}")
    return bugs


# --- one bug ------------------------------------------------------------------------------------------------------


def measured(ask: Ask, bug: Bug) -> Result:
    root = ask.scratch / bug.name / "project"
    bug.write(root, fixed=False, holdout=False)
    env = environment(root.parent) | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": _path()}
    del env["PYTHONPYCACHEPREFIX"]  # else trueup and pytest would be compiled anew for each bug
    _committed(root, env)
    done = _run(ask, root, env)
    result = _result(bug, root, env, done)
    sys.stderr.write(f"  {result.verdict:5}  {result.cpu:6.1f} s  {bug.name}\n")
    return result


def _path() -> str:
    """The tools beside this Python come first: the checks say just `pytest`."""
    return f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"


def _committed(root: Path, env: Mapping[str, str]) -> None:
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "commit.gpgsign=false")
    (root / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n.report.xml\n")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-q", "-m", "start")):
        quick(["git", *words], cwd=root, env=env)


def _run(ask: Ask, root: Path, env: Mapping[str, str]) -> Completed:
    trueup = str(Path(sys.executable).with_name("trueup"))
    argv = (trueup, "run", *ask.agent, "--check", "pytest -q", "--apply", "--json")
    with Processes() as processes:
        return processes.run(argv, cwd=root, env=env, timeout=ask.cpu * SLOWNESS + SPARE, merge_stderr=False)


def _result(bug: Bug, root: Path, env: Mapping[str, str], done: Completed) -> Result:
    patch = quick(["git", "diff", "HEAD"], cwd=root, env=env).decode(errors="replace")
    given, holdout = _judged(bug, root) if done.exit_code == 0 else (False, False)
    return Result(
        name=bug.name,
        group=bug.group,
        kind=bug.kind,
        verdict=_verdict(done, holdout=given and holdout),
        given=given,
        holdout=holdout,
        cpu=round(done.cpu_seconds, 2),
        wall=round(done.duration, 2),
        outcome=_outcome(done),
        patch=patch,
    )


def _judged(bug: Bug, root: Path) -> tuple[bool, bool]:
    """Do the given and the hold-out tests pass? They are written anew: nobody could have changed them."""
    for name, text in ((GIVEN, bug.given), (HOLDOUT, bug.holdout)):
        (root / name).write_text(text, encoding="utf-8")
    outcomes = tested(root, (GIVEN, HOLDOUT))
    return outcomes[GIVEN].green, outcomes[HOLDOUT].green


def _verdict(done: Completed, *, holdout: bool) -> Verdict:
    if done.exit_code == 0:
        return "right" if holdout else "wrong"
    return "error" if done.timed_out or done.exit_code is None or done.exit_code == USAGE else "none"


USAGE = 2


def _outcome(done: Completed) -> str:
    """Tolerant, because only people read it."""
    if done.timed_out:
        return "timed out"
    for line in reversed(done.stdout.text().splitlines()):
        if told := _detail(line):
            return told
    lines = (done.stderr.text() or done.stdout.text()).strip().splitlines()
    return done.not_started or (lines[-1] if lines else f"exit code {done.exit_code}")


def _detail(line: str) -> str:
    """What the event of the end says; "" for other lines."""
    try:
        told = json.loads(line)
        return str(told["event"]["outcome"]["detail"])
    except (ValueError, LookupError, TypeError):
        return ""


# --- all of them --------------------------------------------------------------------------------------------------


def in_json(results: Sequence[Result]) -> str:
    totals = {name: _counted(part) for name, part in _parts(results)}
    return json.dumps({"totals": totals, "bugs": [asdict(result) for result in results]}, indent=2) + "\n"


def in_words(results: Sequence[Result], *, patches: bool) -> str:
    width = max(len(result.name) for result in results)
    lines = [_line(result, width) for result in results]
    shown = [f"\n--- {result.name}: {result.verdict}\n{result.patch}" for result in results if patches and result.patch]
    return "\n".join([*lines, *shown, "", *(_total(name, part) for name, part in _parts(results))]) + "\n"


def _line(result: Result, width: int) -> str:
    what = f"{result.verdict:5}  {result.name:{width}}  {result.group:9}"
    return f"{what}  {result.cpu:6.1f} s  {result.kind}; {result.outcome}"


def _parts(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    groups = [(str(group), [result for result in results if result.group == group]) for group in GROUPS]
    return [(name, part) for name, part in (*groups, ("all", list(results))) if part]


def _counted(results: Sequence[Result]) -> dict[str, float]:
    repaired = [result.cpu for result in results if result.verdict == "right"]
    return {
        "bugs": len(results),
        "repaired_given": sum(result.given for result in results),
        "repaired_holdout": len(repaired),
        "wrong_patches": sum(result.verdict == "wrong" for result in results),
        "errors": sum(result.verdict == "error" for result in results),
        "median_cpu": round(statistics.median(result.cpu for result in results), 2),
        "median_cpu_repaired": round(statistics.median(repaired), 2) if repaired else 0.0,
    }


def _total(name: str, results: Sequence[Result]) -> str:
    count = _counted(results)
    return (
        f"{name:9}  {count['bugs']} bugs: {count['repaired_given']} repaired by the given tests, "
        f"{count['repaired_holdout']} by the hold-out tests too, {count['wrong_patches']} wrong, "
        f"{count['errors']} errors; median CPU {count['median_cpu']:g} s, "
        f"of the repaired {count['median_cpu_repaired']:g} s"
    )


if __name__ == "__main__":
    main()
