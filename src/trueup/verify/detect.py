"""Which checks does this project seem to have? Offered to the user, with the reason; never run unasked."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trueup.decide.task import CheckSpec

Which = Callable[[str], str | None]

_TEST_FOLDERS = ("tests", "test")
_DEPTH = 4
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MAKE_TEST = re.compile(r"^test\s*:(?!=)", re.MULTILINE)
_NPM_DEFAULT = "no test specified"
_LARGEST = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    spec: CheckSpec
    origin: str
    """Why we think so: "from pyproject.toml"."""


def detect_checks(root: Path, which: Which) -> tuple[Detected, ...]:
    """What the files say, each tool once. `which` tells whether a program is installed."""
    found = [d for d in (_pytest(root, which), _npm(root), _cargo(root), _go(root)) if d is not None]
    if not found:
        found = [d for d in (_make(root),) if d is not None]
    return tuple(_named_apart(found))


def _named_apart(found: list[Detected]) -> Iterator[Detected]:
    """`tests` when there is one check; the tool's own name when there are several."""
    for detected in found:
        name = "tests" if len(found) == 1 else detected.spec.name
        yield Detected(spec=CheckSpec(name=name, run=detected.spec.run), origin=detected.origin)


def _pytest(root: Path, which: Which) -> Detected | None:
    origin = _pytest_origin(root)
    if not origin:
        return None
    for environment in (".venv", "venv"):
        if (root / environment / "bin" / "pytest").is_file():
            return _detected("pytest", f"{environment}/bin/pytest -q", origin)
    return _detected("pytest", "pytest -q" if which("pytest") else "python3 -m pytest -q", origin)


def _pytest_origin(root: Path) -> str:
    pyproject = _toml(root / "pyproject.toml")
    tool = pyproject.get("tool")
    if isinstance(tool, dict) and "pytest" in tool:
        return "from pyproject.toml"
    if (root / "pytest.ini").is_file() or (root / "pytest.toml").is_file():
        return "from pytest.ini" if (root / "pytest.ini").is_file() else "from pytest.toml"
    for name, section in (("setup.cfg", "[tool:pytest]"), ("tox.ini", "[pytest]")):
        if section in _text(root / name):
            return f"from {name}"
    for folder in _TEST_FOLDERS:
        if _has_tests(root / folder):
            return f"from the folder {folder}"
    return "from test_*.py" if _has_tests(root, depth=0) else ""


def _has_tests(folder: Path, *, depth: int = _DEPTH) -> bool:
    if not folder.is_dir():
        return False
    if any(any(folder.glob(pattern)) for pattern in ("test_*.py", "*_test.py")):
        return True
    return depth > 0 and any(_has_tests(sub, depth=depth - 1) for sub in _folders(folder))


def _folders(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink() and not entry.name.startswith((".", "__")):
            yield entry


def _npm(root: Path) -> Detected | None:
    try:
        package = json.loads(_text(root / "package.json") or "{}")
    except ValueError:
        return None
    scripts = package.get("scripts") if isinstance(package, dict) else None
    test = scripts.get("test") if isinstance(scripts, dict) else None
    if not isinstance(test, str) or not test.strip() or _NPM_DEFAULT in test:
        return None
    return _detected("npm", "npm test", "from the test script in package.json")


def _cargo(root: Path) -> Detected | None:
    return _detected("cargo", "cargo test", "from Cargo.toml") if (root / "Cargo.toml").is_file() else None


def _go(root: Path) -> Detected | None:
    return _detected("go", "go test ./...", "from go.mod") if (root / "go.mod").is_file() else None


def _make(root: Path) -> Detected | None:
    for name in _MAKEFILES:
        if _MAKE_TEST.search(_text(root / name)):
            return _detected("make", "make test", f"from the test target in {name}")
    return None


def _detected(name: str, command: str, origin: str) -> Detected:
    return Detected(spec=CheckSpec(name=name, run=command), origin=origin)


def _text(path: Path) -> str:
    """ "" when there is no such file, or nothing that a person would have written."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError:
        return {}
