"""Cases E: fixes that need no model, on real files, by the command that people type."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trueup.act.git import git
from trueup.cli.app import application
from trueup.remember.database import Database
from trueup.remember.remedies import ENOUGH

Files = Mapping[str, bytes]
STATIC = ("syntax", "encoding", "imports")


@dataclass
class Checkout:
    root: Path

    def fix(self, *more: str, verifiers: tuple[str, ...] = STATIC) -> tuple[int, dict[str, Any]]:
        """`trueup check --builtin --fix --json`: its exit code and what it says."""
        chosen = [word for name in verifiers for word in ("--verifier", name)]
        words = ["check", "--builtin", *chosen, "--fix", "--json", "-C", str(self.root), *more]
        done = CliRunner().invoke(application(words), words)
        return done.exit_code, json.loads(done.stdout) if done.stdout else {"stderr": str(done.exception)}

    def trueup(self, *words: str) -> tuple[int, str]:
        done = CliRunner().invoke(application(words), [*words, "-C", str(self.root)])
        return done.exit_code, f"{done.output}{done.exception or ''}"

    def bytes(self) -> dict[str, bytes]:
        plain = (path for path in self.root.rglob("*") if path.is_file() and ".trueup" not in path.parts)
        return {str(path.relative_to(self.root)): path.read_bytes() for path in plain}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Files], Checkout]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def make(files: Files) -> Checkout:
        root = tmp_path / "project"
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        return Checkout(root)

    return make


Make = Callable[[Files], Checkout]

SMART = "print(“café — menù”)\r\n".encode()
PLAIN = 'print("café — menù")\r\n'.encode()


def test_e1_what_stays_is_written_and_undo_brings_back_bytes_modes_and_links(checkout: Make) -> None:
    project = checkout({"a.py": SMART, "run.sh": b"#!/bin/sh\r\n", "b.json": b'\xef\xbb\xbf{"a": 1,}'})
    (project.root / "a.py").chmod(0o750)
    os.symlink("a.py", project.root / "link.py")
    before = project.bytes()
    code, told = project.fix()
    assert code == 0
    assert (project.root / "a.py").read_bytes() == PLAIN
    assert (project.root / "b.json").read_bytes() == b'{"a": 1}'
    assert stat.S_IMODE((project.root / "a.py").stat().st_mode) == 0o750
    assert os.readlink(project.root / "link.py") == "a.py"
    assert (project.root / "run.sh").read_bytes() == b"#!/bin/sh\n"
    assert sorted(told["fixes"]["written"]) == ["a.py", "b.json", "run.sh"]
    assert project.trueup("apply", "--undo")[0] == 0
    assert project.bytes() == before
    assert stat.S_IMODE((project.root / "a.py").stat().st_mode) == 0o750


def test_rescue_copies_of_fixes_are_swept_and_young_ones_are_not(checkout: Make, tmp_path: Path) -> None:
    project = checkout({"a.py": SMART, "b.py": b"x = 1\n"})
    assert project.fix()[0] == 0
    store = next((tmp_path / "state").rglob("store.git"))

    def kept() -> list[str]:
        return git("for-each-ref", "--format=%(refname)", "refs/trueup/fix", git_dir=store).decode().split()

    first = kept()
    assert any("before-apply-1" in name for name in first)
    assert project.trueup("clean")[0] == 0
    assert kept() == first
    _age_the_notes(store.parent)
    (project.root / "b.py").write_bytes(SMART)
    assert project.fix()[0] == 0
    assert project.trueup("clean")[0] == 0
    assert [name.rpartition("/")[2] for name in kept() if "permissions" not in name] == [
        "after-apply-2",
        "before-apply-2",
    ]
    assert project.trueup("apply", "--undo")[0] == 0
    assert (project.root / "b.py").read_bytes() == SMART
    assert project.trueup("clean", "--all")[0] == 0
    assert kept() == []
    assert "nothing to take back" in project.trueup("apply", "--undo")[1]


def _age_the_notes(state: Path) -> None:
    with Database(state) as db, db.write():
        db.execute("UPDATE applied SET time = time - ?", 30 * 86400.0)


def test_e1_a_fix_that_brings_another_failure_is_taken_back(checkout: Make) -> None:
    """A row of one's own that repairs one file by breaking another."""
    row = b"- name: own\n  check: syntax\n  file: a.py\n  fix: replace\n  with: {file: b.py, find: '1', put: '('}\n"
    files = {"a.py": b"x = (\r\n", "b.py": b"y = 1\r\n", "trueup.toml": b'remedies = ["own.yaml"]\n', "own.yaml": row}
    project = checkout(files)
    code, told = project.fix()
    assert code == 1
    assert [one["remedy"] for one in told["fixes"]["taken_back"]] == ["own"]
    assert project.bytes() == dict(files)


def test_e1_three_fixes_on_one_file_of_which_one_is_wrong(checkout: Make) -> None:
    rows = b"""
- name: one
  check: imports
  message: "No module named 'pkg.one'"
  fix: replace
  with: {find: "from pkg import one", put: "import one"}
- name: two
  check: imports
  message: "No module named 'pkg.two'"
  fix: replace
  with: {find: "from pkg import two", put: "import (("}
- name: three
  check: imports
  message: "No module named 'pkg.three'"
  fix: replace
  with: {find: "from pkg import three", put: "import three"}
"""
    code = b"from pkg import one\r\nfrom pkg import two\r\nfrom pkg import three\r\n# caf\xc3\xa9\r\n"
    names = {f"{name}.py": b"" for name in ("one", "three")}
    project = checkout(
        {"a.py": code, "pkg/__init__.py": b"", **names, "own.yaml": rows, "trueup.toml": b'remedies = ["own.yaml"]\n'}
    )
    (project.root / "a.py").chmod(0o755)
    told = project.fix()[1]["fixes"]
    kept = {one["remedy"] for one in told["kept"]}
    text = (project.root / "a.py").read_bytes()
    assert "two" not in kept
    assert b"from pkg import two\r\n" in text
    assert b"((" not in text
    assert text.endswith(b"# caf\xc3\xa9\r\n")
    assert stat.S_IMODE((project.root / "a.py").stat().st_mode) == 0o755


def test_e2_a_fix_that_unveils_a_later_failure_is_kept(checkout: Make) -> None:
    project = checkout({"a.py": "import nowhere_at_all\nprint(“x”)\n".encode(), "requirements.txt": b"idna\n"})
    _, told = project.fix()
    assert [one["files"] for one in told["fixes"]["kept"]] == [["a.py"]]
    assert (project.root / "a.py").read_bytes() == b'import nowhere_at_all\nprint("x")\n'


def test_e3_only_what_vanished_is_called_removed_and_a_no_op_is_no_fix(checkout: Make) -> None:
    row = b"- name: own\n  check: syntax\n  fix: replace\n  with: {find: 'x', put: 'x'}\n"
    project = checkout(
        {"a.py": b"x = (\n", "b.json": b"[1,]", "own.yaml": row, "trueup.toml": b'remedies = ["own.yaml"]\n'}
    )
    code, told = project.fix()
    assert code == 1
    assert [one["files"] for one in told["fixes"]["kept"]] == [["b.json"]]
    assert {f["file"] for one in told["fixes"]["kept"] for f in one["removed"]} == {"b.json"}
    assert told["fixes"]["taken_back"] == []


OVER_ESCAPED = '{\\n  "name": "menü",\\n  "description": "café — menù"\\n}\\n'
WRITTEN_OUT = '{\n  "name": "menü",\n  "description": "café — menù"\n}\n'


def test_e4_over_escaped_files_are_repaired_and_files_that_parse_are_not_touched(checkout: Make) -> None:
    parses = {"ok.json": b'{"a": "x\\ny"}', "ok.py": 'x = "“\\n”"\n'.encode(), "café.py": "# menù\nx = '—'\n".encode()}
    module = 'def f():\\n    return "café — menù"\\n'
    project = checkout({"package.json": OVER_ESCAPED.encode(), "m.py": module.encode(), **parses})
    assert project.fix()[0] == 0
    after = project.bytes()
    assert after["package.json"] == WRITTEN_OUT.encode()
    assert after["m.py"] == 'def f():\n    return "café — menù"\n'.encode()
    assert {path: after[path] for path in parses} == parses


MANIFESTS = {
    "requirements.txt": (b"# web\r\nidna\r\n", b"# web\r\nidna\r\nPyYAML\r\n"),
    "pyproject.toml": (b'[project]\nname = "a"\nversion = "1"\ndependencies = ["idna"]  # so\n', b'[project]\nname = "a"\nversion = "1"\ndependencies = ["idna", "PyYAML"]  # so\n'),
}  # fmt: skip


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_e6_a_missing_requirement_goes_into_the_manifest_that_is_there(checkout: Make, manifest: str) -> None:
    before, after = MANIFESTS[manifest]
    code = b"import yaml\n\nyaml.safe_load('')\n"
    project = checkout({"app/__init__.py": code, manifest: before})
    done, told = project.fix()
    assert (done, told["fixes"]["written"]) == (0, [manifest])
    assert project.bytes() == {"app/__init__.py": code, manifest: after}


@pytest.mark.parametrize(
    ("code", "declared"),
    [
        ("import jwt\n", "PyJWT\n"),
        ("import attr\n", "attrs\n"),
        ("from google.cloud import storage\n", "google-cloud-storage\n"),
        ("import google\n", "idna\n"),
        ("from google.cloud import storage\n", "google-cloud-storage>=2 ; python_version > '3'\n"),
        ("import evil_thing_nobody_knows\n", "idna\n"),
    ],
)
def test_e7_names_come_from_metadata_or_our_table(checkout: Make, code: str, declared: str) -> None:
    files = {"app.py": code.encode(), "requirements.txt": declared.encode()}
    project = checkout(files)
    project.fix()
    assert project.bytes() == files


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import yaml\nexcept ImportError:\n    yaml = None\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import yaml\n",
    ],
)
def test_e8_an_optional_import_is_not_a_missing_dependency(checkout: Make, code: str) -> None:
    files = {"app.py": code.encode(), "requirements.txt": b"idna\n"}
    project = checkout(files)
    assert project.fix()[0] == 0
    assert project.bytes() == files


def test_e9_nothing_is_written_outside_or_through_a_link(checkout: Make, tmp_path: Path) -> None:
    victim = tmp_path / "victim.py"
    victim.write_bytes(SMART)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.json").write_bytes(b"[1,]")
    project = checkout({"c.py": SMART})
    os.symlink(victim, project.root / "a.py")
    os.symlink(outside, project.root / "folder")
    project.fix()
    assert victim.read_bytes() == SMART
    assert (outside / "b.json").read_bytes() == b"[1,]"
    assert (project.root / "a.py").is_symlink()
    assert (project.root / "c.py").read_bytes() == PLAIN


def test_a_dry_run_shows_the_change_and_writes_nothing(checkout: Make) -> None:
    project = checkout({"a.py": SMART})
    code, text = project.trueup("check", "--builtin", "--verifier", "syntax", "--fix", "--dry-run")
    assert code == 1
    assert '+print("café — menù")' in text
    assert "nothing was written" in text
    assert project.bytes() == {"a.py": SMART}


def test_every_kept_fix_is_told_with_the_failure_that_it_removed(checkout: Make) -> None:
    project = checkout({"a.py": SMART})
    code, text = project.trueup("check", "--builtin", "--verifier", "syntax", "--fix")
    assert code == 0
    assert "fixed: a.py: plain quotes" in text
    assert "removed syntax: " in text
    assert "(a.py)" in text
    assert "trueup apply --undo" in text


def test_a_rule_that_keeps_being_taken_back_is_switched_off_here_and_told(checkout: Make) -> None:
    row = b"- name: own\n  check: syntax\n  fix: replace\n  with: {find: '1', put: '2'}\n"
    project = checkout({"a.py": b"x = ( 1\n", "own.yaml": row, "trueup.toml": b'remedies = ["own.yaml"]\n'})
    for _ in range(ENOUGH):
        told = project.fix(verifiers=("syntax",))[1]["fixes"]
        assert (len(told["taken_back"]), told["off"]) == (1, [])
    told = project.fix(verifiers=("syntax",))[1]["fixes"]
    assert (told["taken_back"], told["off"]) == ([], ["own"])
    text = project.trueup("check", "--builtin", "--verifier", "syntax", "--fix")[1]
    assert "off: own" in text
    assert len(project.fix("--fresh", verifiers=("syntax",))[1]["fixes"]["taken_back"]) == 1


def test_what_the_user_protects_is_not_edited(checkout: Make) -> None:
    project = checkout({"mine/a.py": SMART, "trueup.toml": b'protect = ["mine/**"]\n'})
    assert project.fix()[0] == 1
    assert (project.root / "mine/a.py").read_bytes() == SMART


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        (b'remedies = ["none.yaml"]\n', "there is no none.yaml"),
        (b'remedies = ["rows.txt"]\n', "a list of YAML files"),
        (b'remedies = "rows.yaml"\n', "a list of YAML files"),
        (b'remedys = ["rows.yaml"]\n', "Did you mean 'remedies'?"),
        (b'remedies = ["link.yaml"]\n', "link.yaml"),
    ],
)
def test_rows_of_ones_own_that_cannot_be_read_are_refused(checkout: Make, toml: bytes, words: str) -> None:
    project = checkout({"a.py": b"", "trueup.toml": toml})
    os.symlink("/etc/hostname", project.root / "link.yaml")
    code, text = project.trueup("check", "--builtin", "--verifier", "syntax", "--fix")
    assert code != 0
    assert words in text


def test_fix_and_base_do_not_go_together_and_dry_run_needs_fix(checkout: Make) -> None:
    project = checkout({"a.py": b""})
    assert "--dry-run is about what --fix would write" in project.trueup("check", "--builtin", "--dry-run")[1]
    assert "--fix and --base" in project.trueup("check", "--builtin", "--fix", "--base", "HEAD")[1]
