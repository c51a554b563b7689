"""Requirements that rules repair, by the command that people type: real wheels, resolved, installed and imported."""

from __future__ import annotations

import json
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trueup.cli.app import application


@pytest.fixture
def project(gate: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, with the gate's wheels as the index of this machine."""
    for name, value in {**gate.env, "XDG_STATE_HOME": str(tmp_path / "state")}.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "project"
    root.mkdir()
    return root


def fix(root: Path, files: Mapping[str, bytes], *verifiers: str) -> tuple[int, dict[str, Any]]:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    chosen = [word for name in verifiers for word in ("--verifier", name)]
    words = ["check", "--builtin", *chosen, "--fix", "--json", "-C", str(root)]
    done = CliRunner().invoke(application(words), words)
    assert done.stdout, done.exception
    return done.exit_code, json.loads(done.stdout)


# --- psycopg below 3 ------------------------------------------------------------------------------------------------

LINES = {
    "a comment and Windows line breaks": (
        "# web\r\nidna\r\n\r\npsycopg<3  # the old one\r\n",
        "# web\r\nidna\r\n\r\npsycopg>=3.1,<4  # the old one\r\n",
    ),
    "two borders and a marker": (
        "psycopg>=2.9,<3 ; python_version > '3'\nidna\n",
        "psycopg>=3.1,<4 ; python_version > '3'\nidna\n",
    ),
    "no line break at the end": ("idna\npsycopg<3", "idna\npsycopg>=3.1,<4"),
}


@pytest.mark.parametrize("form", LINES)
def test_e5_psycopg_below_3_gets_a_pin_that_resolves_and_fits_code_that_imports_psycopg(
    gate: Any, project: Path, form: str
) -> None:
    before, after = LINES[form]
    gate.offer("idna", "3.7")
    for version in ("3.1", "3.2"):
        gate.offer("psycopg", version, psycopg="def connect(): ...\n")
    files = {"db.py": b"import psycopg\n\nopen_ = psycopg.connect\n", "requirements.txt": before.encode()}
    code, told = fix(project, files, "dependencies", "smoke")
    assert (code, told["failures"]) == (0, [])
    assert told["fixes"]["written"] == ["requirements.txt"]
    assert (project / "requirements.txt").read_bytes() == after.encode()
    assert (project / "db.py").read_bytes() == files["db.py"]
    (kept,) = told["fixes"]["kept"]
    assert "psycopg<3" in kept["removed"][0]["message"]


def test_e5_psycopg_below_3_is_the_older_distribution_for_code_that_imports_psycopg2(gate: Any, project: Path) -> None:
    gate.offer("psycopg", "3.2")
    gate.offer("psycopg2_binary", "2.9.9", psycopg2="def connect(): ...\n")
    files = {"db.py": b"import psycopg2\n", "requirements.txt": b"psycopg>=2.9,<3  # db\r\n"}
    code, told = fix(project, files, "dependencies", "smoke")
    assert (code, told["failures"]) == (0, [])
    assert (project / "requirements.txt").read_bytes() == b"psycopg2-binary>=2.9,<3  # db\r\n"


# --- lines of another language ---------------------------------------------------------------------------------------


def test_list_items_and_pins_of_conda_become_what_pip_reads(gate: Any, project: Path) -> None:
    gate.offer("idna", "3.7")
    gate.offer("click", "8.1.7")
    files = {"app.py": b"import click\nimport idna\n", "requirements.txt": b"# needed\n- idna\n- click>=8\n"}
    code, told = fix(project, files, "imports", "dependencies", "smoke")
    assert (code, told["failures"]) == (0, [])
    assert (project / "requirements.txt").read_bytes() == b"# needed\nidna\nclick>=8\n"
    files["requirements.txt"] = b"idna=3.7\nclick=8.1\n"
    code, told = fix(project, files, "imports", "dependencies", "smoke")
    assert (code, told["failures"]) == (0, [])
    assert (project / "requirements.txt").read_bytes() == b"idna==3.7\nclick==8.1.*\n"


# --- what is installed ----------------------------------------------------------------------------------------------


def installed(root: Path, name: str, record: str, *, top_level: str = "") -> None:
    """As pip leaves it in the environment of the project."""
    venv.create(root / ".venv")
    (site,) = (root / ".venv").glob("lib/python3*/site-packages")
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text(record)
    if top_level:
        (info / "top_level.txt").write_text(top_level)


APP = {"app.py": b"import frob\n", "requirements.txt": b"idna\n"}


def test_a_name_that_no_table_knows_comes_from_the_metadata_of_the_projects_environment(project: Path) -> None:
    installed(project, "Tools-of_Frob", "frob/__init__.py,,\ntools_of_frob-1.0.dist-info/METADATA,,\n")
    code, told = fix(project, APP, "imports")
    assert (code, told["fixes"]["written"]) == (0, ["requirements.txt"])
    assert (project / "requirements.txt").read_bytes() == b"idna\ntools-of-frob\n"


def test_of_a_module_that_nothing_installed_brings_nothing_is_added(project: Path) -> None:
    installed(project, "another", "another.py,,\n", top_level="another\n")
    _, told = fix(project, APP, "imports")
    assert told["fixes"]["written"] == []
    assert (project / "requirements.txt").read_bytes() == b"idna\n"


def test_what_is_installed_and_declared_under_another_name_is_not_added(project: Path) -> None:
    installed(project, "tools_of_frob", "", top_level="frob\n")
    code, told = fix(project, {**APP, "requirements.txt": b"tools.of-frob>=1\n"}, "imports")
    assert (code, told["failures"], told["fixes"]["written"]) == (0, [], [])


def test_metadata_with_a_name_that_is_none_is_not_believed(project: Path) -> None:
    installed(project, "frob --index-url=evil", "frob/__init__.py,,\n")
    _, told = fix(project, APP, "imports")
    assert told["fixes"]["written"] == []
    assert (project / "requirements.txt").read_bytes() == b"idna\n"
