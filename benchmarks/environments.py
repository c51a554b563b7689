"""What does it cost to verify a small project with its dependencies: for the first time, again, and with one more?"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row
from trueup.act.process import quick

MODULES = 50
DEPENDENCIES = 5
PARTS = 12
_REPEATS = 3
CHAIN = ("syntax", "imports", "dependencies", "smoke")
_BARS = {"cold": 1.0, "warm": 0.2, "one dependency more": 0.3}


def rows(scratch: Path, env: dict[str, str]) -> Iterator[Row]:
    """CPU seconds of the verifiers and of all that they start; starting Python and importing trueup is not in it."""
    seen: dict[str, list[float]] = {name: [] for name in _BARS}
    for number in range(_REPEATS):
        base = scratch / f"environments{number}"
        _offer(base / "wheels")
        for name in _BARS:
            project = _project(base / f"project {name}", DEPENDENCIES + (name == "one dependency more"))
            said = quick((sys.executable, "-m", "benchmarks.environments", str(project), str(base)), env=env)
            seen[name].append(float(json.loads(said)["cpu"]))
    what = f"{MODULES} modules + {DEPENDENCIES} dependencies: resolved, installed, imported"
    for name, limit in _BARS.items():
        yield Row(what=f"{what}, {name}", value=min(seen[name]), limit=limit)


# --- the project ---------------------------------------------------------------------------------------------


def _project(root: Path, dependencies: int) -> Path:
    """What is more than the usual is imported by one module: so much is edited when a dependency is added."""
    names = [f"dependency{n}" for n in range(dependencies)]
    root.mkdir(parents=True)
    (root / "requirements.txt").write_text("".join(f"{name}>=1\n" for name in names))
    for number in range(MODULES):
        imports = "".join(f"import {name}\n" for name in (names if not number else names[:DEPENDENCIES]))
        other = f"import module{number - 1}\n" if number % 5 else ""
        (root / f"module{number}.py").write_text(f"import json\n{imports}{other}\n\n{_body('own', 5)}")
    return root


def _body(name: str, functions: int) -> str:
    one = "def {0}{1}(value):\n    result = [value + n for n in range({1})]\n"
    one += "    if result:\n        return {{'a': result}}\n    return None\n\n\n"
    return "".join(one.format(name, n) for n in range(functions))


def _offer(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number in range(DEPENDENCIES + 1):
        name = f"dependency{number}"
        parts = {f"{name}/part{part}.py": _body("part", 40) for part in range(PARTS)}
        first = "".join(f"from {name}.part{part} import part1 as p{part}\n" for part in range(PARTS))
        _wheel(folder, name, {f"{name}/__init__.py": first, **parts})


def _wheel(folder: Path, name: str, modules: dict[str, str]) -> None:
    info = f"{name}-1.0.dist-info"
    content = modules | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},sha256={_digest(text)},{len(text)}\n" for path, text in content.items())
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        for path, text in {**content, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            archive.writestr(path, text)


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


# --- one measurement, in a process of its own ----------------------------------------------------------------


def main() -> None:
    import resource

    from trueup.act.facts import Facts
    from trueup.act.process import Completed, Processes
    from trueup.act.source_files import SourceFiles
    from trueup.verify.verifiers.running import Workshop, verifier, verify_tree

    root, base = Path(sys.argv[1]), Path(sys.argv[2])
    spent = 0.0

    class Counted(Processes):
        def run(self, *args: object, **how: object) -> Completed:
            nonlocal spent
            done = super().run(*args, **how)  # type: ignore[arg-type]
            spent += done.cpu_seconds
            if os.environ.get("BENCH_SHOW"):
                sys.stderr.write(f"{done.cpu_seconds:.3f} {done.argv[:3]}\n")
            return done

    def own() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    if not os.environ.get("BENCH_INDEX"):
        env |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(base / "wheels"), "PIP_CONFIG_FILE": os.devnull}
    else:
        env |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "UV_"))}
    for name in CHAIN:
        verifier(name)
    paths = tuple(sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()))
    with Counted() as processes:
        facts = Facts(base / "facts.json")
        workshop = Workshop(processes=processes, env=env, scratch=base / "scratch", cache=base / "cache")
        before = own()
        verdicts = verify_tree(SourceFiles(root, paths, facts=facts), CHAIN, workshop)
        facts.keep()
        used = own() - before + spent
    bad = {name: verdict for name, verdict in verdicts.items() if not verdict.passed}
    if bad:
        raise SystemExit(str(bad))
    sys.stdout.write(json.dumps({"cpu": used}))


if __name__ == "__main__":
    main()
