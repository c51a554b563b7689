from __future__ import annotations

import json
from pathlib import Path

import pytest

from trueup.verify.detect import detect_checks


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def found(root: Path, *installed: str) -> list[tuple[str, object, str]]:
    detected = detect_checks(root, lambda name: f"/usr/bin/{name}" if name in installed else None)
    return [(d.spec.name, d.spec.run, d.origin) for d in detected]


@pytest.mark.parametrize(
    ("files", "run", "origin"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pytest -q", "from pyproject.toml"),
        ({"pytest.ini": "[pytest]\n"}, "pytest -q", "from pytest.ini"),
        ({"setup.cfg": "[tool:pytest]\n"}, "pytest -q", "from setup.cfg"),
        ({"tests/unit/test_a.py": ""}, "pytest -q", "from the folder tests"),
        ({"test_a.py": ""}, "pytest -q", "from test_*.py"),
        ({"package.json": '{"scripts": {"test": "vitest"}}'}, "npm test", "from the test script in package.json"),
        ({"Cargo.toml": "[package]\n"}, "cargo test", "from Cargo.toml"),
        ({"go.mod": "module x\n"}, "go test ./...", "from go.mod"),
        ({"Makefile": "all: x\ntest: all\n\ttrue\n"}, "make test", "from the test target in Makefile"),
    ],
)
def test_the_files_of_a_project_tell_its_check(tmp_path: Path, files: dict[str, str], run: str, origin: str) -> None:
    write(tmp_path, files)
    assert found(tmp_path, "pytest") == [("tests", run, origin)]


def test_a_pytest_in_the_projects_environment_comes_first_then_the_path_then_the_interpreter(tmp_path: Path) -> None:
    write(tmp_path, {"pytest.ini": ""})
    assert found(tmp_path)[0][1] == "python3 -m pytest -q"
    assert found(tmp_path, "pytest")[0][1] == "pytest -q"
    write(tmp_path, {".venv/bin/pytest": ""})
    assert found(tmp_path, "pytest")[0][1] == ".venv/bin/pytest -q"


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"package.json": json.dumps({"scripts": {"test": 'echo "Error: no test specified" && exit 1'}})},
        {"package.json": "{not json"},
        {"package.json": '["scripts"]'},
        {"pyproject.toml": "not = [toml"},
        {"pyproject.toml": "[project]\nname = 'x'\n"},
        {"Makefile": "test := 1\nbuild:\n"},
        {"tests/readme.md": "", "tests/.hidden/test_a.py": ""},
    ],
)
def test_what_is_not_there_or_unreadable_is_not_detected(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path, files)
    assert found(tmp_path, "pytest") == []


def test_several_tools_get_names_of_their_own_and_make_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"go.mod": "", "pytest.ini": "", "Makefile": "test:\n\tpytest\n"})
    assert [name for name, _, _ in found(tmp_path, "pytest")] == ["pytest", "go"]
