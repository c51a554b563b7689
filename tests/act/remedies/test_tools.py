"""Programs that rewrite a file: the real ones, on a copy, with our own arguments."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from trueup.act.process import Processes
from trueup.act.remedies.base import Around, Tools
from trueup.act.remedies.registry import registry
from trueup.act.remedies.tools import TOOLS, OwnTools

from .conftest import failure, source_files

BESIDE = Path(sys.executable).parent
USER = Path.home()
UNSORTED = b"import sys\nimport os\n\n\nprint( os.name,sys.path )\n"


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[Tools]:
    path = f"{tmp_path / 'programs'}:{BESIDE}:{os.environ['PATH']}:{USER / '.cargo/bin'}"
    env = {"PATH": path, "HOME": str(USER), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    env |= {name: os.environ[name] for name in ("RUSTUP_HOME",) if name in os.environ}
    env["npm_config_userconfig"] = os.devnull
    env["npm_config_registry"] = "http://127.0.0.1:9/"  # nobody answers there
    with Processes() as processes:
        yield OwnTools(processes, env, scratch=tmp_path / "scratch")


def needs(name: str) -> None:
    if shutil.which(name, path=f"{BESIDE}:{os.environ['PATH']}:{USER / '.cargo/bin'}") is None:
        pytest.skip(f"{name} is not installed on this machine")


def test_ruff_removes_what_its_rules_forbid(tools: Tools) -> None:
    needs("ruff")
    content = b"import os\nimport sys\n\nprint(sys.path)\n"
    assert tools.run("ruff-fix", {"pkg/a.py": content}, "pkg/a.py") == {"pkg/a.py": b"import sys\n\nprint(sys.path)\n"}


def test_ruff_sees_the_projects_own_settings(tools: Tools) -> None:
    needs("ruff")
    files = {"a.py": b"import os\n", "pyproject.toml": b"[tool.ruff.lint]\nignore = ['F401']\n"}
    assert tools.run("ruff-fix", files, "a.py") == {}


def test_ruff_formats_and_sorts(tools: Tools) -> None:
    needs("ruff")
    formatted = tools.run("ruff-format", {"a.py": UNSORTED}, "a.py")
    assert formatted == {"a.py": b"import sys\nimport os\n\n\nprint(os.name, sys.path)\n"}
    sorted_ = tools.run("ruff-imports", {"a.py": UNSORTED}, "a.py")
    assert sorted_ == {"a.py": b"import os\nimport sys\n\nprint( os.name,sys.path )\n"}


def test_gofmt_formats(tools: Tools) -> None:
    needs("gofmt")
    assert tools.run("gofmt", {"a.go": b"package a\nfunc  f() { }\n"}, "a.go") == {
        "a.go": b"package a\n\nfunc f() {}\n"
    }


def test_uv_writes_the_lock_anew(tools: Tools) -> None:
    needs("uv")
    manifest = b"[project]\nname = 'app'\nversion = '2'\nrequires-python = '>=3.11'\n"
    old = b'version = 1\nrequires-python = ">=3.11"\n\n[[package]]\nname = "app"\nversion = "1"\nsource = { virtual = "." }\n'
    made = tools.run("uv-lock", {"pyproject.toml": manifest, "uv.lock": old}, "uv.lock")
    assert made is not None
    assert set(made) == {"uv.lock"}
    assert b'version = "2"' in made["uv.lock"]


RUST = b"mod elsewhere;\n\nasync  fn f( ) { }\n"


def test_rustfmt_formats_a_file_whose_modules_are_elsewhere(tools: Tools) -> None:
    needs("rustfmt")
    assert tools.run("rustfmt", {"src/lib.rs": RUST}, "src/lib.rs") == {
        "src/lib.rs": b"mod elsewhere;\n\nasync fn f() {}\n"
    }
    assert tools.run("rustfmt", {"a.rs": b"fn f() {}\n"}, "a.rs") == {}
    assert tools.run("rustfmt", {"a.rs": b"fn f( {\n"}, "a.rs") is None


NPM_LOCK = b"""{
  "name": "app",
  "version": "1.0.0",
  "lockfileVersion": 3,
  "requires": true,
  "packages": {
    "": {"name": "app", "version": "1.0.0", "dependencies": {"left": "file:left"}},
    "left": {"version": "1.0.0"},
    "node_modules/left": {"resolved": "left", "link": true}
  }
}
"""


def test_npm_writes_the_lock_anew_and_runs_no_script(tools: Tools, tmp_path: Path) -> None:
    needs("npm")
    script = f'"scripts": {{"install": "touch {tmp_path}/ran", "prepare": "touch {tmp_path}/ran"}}'
    files = {
        "package.json": f'{{"name": "app", "version": "2.0.0", {script}, "dependencies": {{"right": "file:right"}}}}'.encode(),
        "right/package.json": f'{{"name": "right", "version": "3.1.0", {script}}}'.encode(),
        "package-lock.json": NPM_LOCK,
    }
    made = tools.run("npm-lock", files, "package-lock.json")
    assert made is not None
    assert set(made) == {"package-lock.json"}
    packages = json.loads(made["package-lock.json"])["packages"]
    assert packages[""]["version"] == "2.0.0"
    assert packages["right"]["version"] == "3.1.0"
    assert "node_modules/left" not in packages
    assert not (tmp_path / "ran").exists()


POETRY_STAND_IN = """#!/bin/sh
# Stands in for Poetry where it is not installed: checks its words, and locks the manifest that lies in the folder.
[ "$1 $2 $3 $4" = "lock --quiet --no-interaction --directory" ] || exit 2
grep -q '^name = "app"' "$5/pyproject.toml" && echo '# locked anew' > "$5/poetry.lock"
"""
POETRY_MANIFEST = b'[tool.poetry]\nname = "app"\nversion = "2"\ndescription = ""\nauthors = []\n\n[tool.poetry.dependencies]\npython = ">=3.11"\n'


def test_poetry_writes_the_lock_anew(tools: Tools) -> None:
    needs("poetry")
    old = b'package = []\n\n[metadata]\nlock-version = "2.0"\npython-versions = ">=3.8"\ncontent-hash = "0"\n'
    made = tools.run("poetry-lock", {"pyproject.toml": POETRY_MANIFEST, "poetry.lock": old}, "poetry.lock")
    assert made is not None
    assert set(made) == {"poetry.lock"}
    assert b'python-versions = ">=3.11"' in made["poetry.lock"]


def test_poetry_is_asked_in_the_folder_of_the_lock_by_a_stand_in(tools: Tools, tmp_path: Path) -> None:
    program = tmp_path / "programs" / "poetry"
    program.parent.mkdir()
    program.write_text(POETRY_STAND_IN)
    program.chmod(0o755)
    files = {"service/pyproject.toml": POETRY_MANIFEST, "service/poetry.lock": b"# old\n"}
    assert tools.run("poetry-lock", files, "service/poetry.lock") == {"service/poetry.lock": b"# locked anew\n"}


def test_what_a_tool_cannot_do_is_nothing(tools: Tools) -> None:
    needs("gofmt")
    assert tools.run("gofmt", {"a.go": b"package ("}, "a.go") is None
    assert tools.run("rm", {"a.go": b""}, "a.go") is None
    assert tools.run("ruff-fix", {"a.py": b"x = 1\n"}, "a.py") in ({}, None)


def test_none_of_them_meets_a_shell_or_gets_words_of_the_project() -> None:
    for tool in TOOLS.values():
        assert "/" not in tool.argv[0]
        assert {word for word in tool.argv if "{" in word} <= {"{file}", "{folder}"}


def test_a_row_may_let_a_tool_repair_a_finding(tools: Tools, tmp_path: Path) -> None:
    needs("ruff")
    row = b"- name: lint\n  check: lint\n  kind: F401\n  fix: run-tool\n  with: {tool: ruff-fix}\n"
    files = source_files(tmp_path / "tree", {"a.py": "import os\nx = 1\n"})
    about = failure("`os` imported but unused", check="lint", kind="F401", file="a.py", line=1)
    (proposal,) = registry([("own.yaml", row)]).proposals([about], files, Around(tools=tools))
    assert [(edit.path, edit.content) for edit in proposal.edits] == [("a.py", b"x = 1\n")]
