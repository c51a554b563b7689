"""`trueup check --builtin`, as people type it: on any folder, without git, without a command of their own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from subprocess import CompletedProcess, run
from xml.etree import ElementTree as ET

import pytest

STATIC = ("--verifier", "syntax", "--verifier", "encoding", "--verifier", "imports", "--verifier", "coherence")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "requirements.txt").write_text("idna\n")
    (root / "a.py").write_text("import yaml\n")
    return root


def trueup(root: Path, *words: str) -> CompletedProcess[str]:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(root.parent),
        "XDG_STATE_HOME": str(root.parent / "state"),
        "LANG": "C.UTF-8",
    }
    command = [sys.executable, "-m", "trueup", "check", *words]
    return run(command, cwd=root, env=env, capture_output=True, text=True, stdin=-3)


def test_a_failure_is_exit_1_with_the_cause_and_what_does_not_apply_is_said(project: Path) -> None:
    done = trueup(project, "--builtin", *STATIC)

    assert done.returncode == 1, done.stderr
    assert "No module named 'yaml'" in done.stdout
    assert "coherence  skipped: nothing that refers to anything else" in done.stdout
    assert "failing · 3 checks, 1 fails" in done.stdout


def test_a_folder_in_which_all_is_well_is_exit_0_and_remembered(project: Path) -> None:
    (project / "a.py").write_text("import idna\n")

    first = trueup(project, "--builtin", *STATIC)
    again = trueup(project, "--builtin", *STATIC)

    assert (first.returncode, again.returncode) == (0, 0)
    assert "unchanged since" in again.stdout


def test_json_has_failures_and_advice_apart(project: Path) -> None:
    (project / "test_a.py").write_text("from a import planned\n")

    found = json.loads(trueup(project, "--builtin", "--verifier", "imports", "--json").stdout)

    assert [f["kind"] for f in found["failures"]] == ["missing-requirement"]
    assert [(f["check"], f["kind"]) for f in found["advice"]] == [("imports", "missing-name")]
    assert found["exit_code"] == 1


def test_the_formats_of_other_programs_carry_what_was_found(project: Path) -> None:
    junit = trueup(project, "--builtin", *STATIC, "--format", "junit").stdout
    sarif = json.loads(trueup(project, "--builtin", *STATIC, "--format", "sarif").stdout)

    cases = ET.fromstring(junit).iter("testcase")
    assert [c.get("classname") or c.get("name") for c in cases if c.find("failure") is not None]
    assert sarif["runs"][0]["results"][0]["message"]["text"].count("yaml")


def test_the_configuration_switches_off_and_requires(project: Path) -> None:
    (project / "trueup.toml").write_text(
        '[builtin]\noff = ["imports.missing-requirement", "dependencies", "smoke", "entrypoint"]\n'
    )
    assert trueup(project, "--builtin").returncode == 0

    (project / "trueup.toml").write_text('[builtin]\nrequired = ["imports"]\n')
    done = trueup(project, "--check", "true")
    assert done.returncode == 1
    assert "No module named 'yaml'" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--builtin", "--verifier", "sintax"), "syntax"),
        (("--verifier", "syntax"), "Add --builtin"),
    ],
)
def test_a_wrong_name_is_refused_with_the_right_one(project: Path, words: tuple[str, ...], said: str) -> None:
    done = trueup(project, *words)

    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('required = ["nothing"]', "there is no verifier 'nothing'"),
        ('required = "syntax"', "is not a list of names"),
        ('requires = ["syntax"]', "unknown key 'requires'"),
        ('required = ["syntax"]\noff = ["syntax"]', "'syntax' is required and off"),
        ("syntax = 1", "[builtin.syntax] is not a table"),
        ("[builtin.syntax]\ncolour = 1", "unknown key 'colour'"),
        ("[builtin.syntax]\ntimeout = 'soon'", "cannot be used"),
    ],
)
def test_a_table_that_nobody_could_follow_is_refused(project: Path, table: str, said: str) -> None:
    (project / "trueup.toml").write_text(f"[builtin]\n{table}\n")

    done = trueup(project, "--builtin")

    assert done.returncode == 2
    assert said in done.stderr


def test_against_a_base_only_what_is_new_counts(project: Path) -> None:
    def git(*words: str) -> None:
        run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *words], cwd=project, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "start")
    assert trueup(project, "--builtin", *STATIC, "--base", "HEAD").returncode == 0

    (project / "b.py").write_text("def f(:\n")
    done = trueup(project, "--builtin", *STATIC, "--base", "HEAD")
    assert done.returncode == 1
    assert "1 new failure against HEAD" in done.stdout
