from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from trueup.cli import doctor


def with_program(place: Any, name: str, script: str) -> Any:
    """The same place with one more program on PATH."""
    folder = place.project.parent / "bin"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    path = f"{folder}{os.pathsep}{place.environ['PATH']}"
    return type(place)(project=place.project, environ={**place.environ, "PATH": path})


def finding(said: Any, what: str) -> Any:
    return next(f for f in said.json["findings"] if f["what"] == what)


def test_what_runs_need_is_tried_and_works(empty: Any, cli: Any) -> None:
    said = cli(empty, "doctor", "--json")
    assert said.code == 0
    assert said.json["healthy"] is True
    assert "both are gone" in finding(said, "processes")["text"]
    assert "written and read back" in finding(said, "state folder")["text"]
    assert "pytest" in finding(said, "check tests")["text"]
    assert not list(empty.state.glob("doctor-*"))


def test_an_agent_on_the_path_is_asked_for_its_version(empty: Any, cli: Any) -> None:
    place = with_program(empty, "claude", 'test "$1" = --version && echo "9.8.7 (Pretended)"')
    said = cli(place, "doctor")
    assert said.code == 0
    assert "9.8.7 (Pretended)" in said.out


def test_what_a_program_says_before_its_version_is_not_its_version(empty: Any, cli: Any) -> None:
    place = with_program(empty, "copilot", "echo 'Package extraction took 5124ms'; echo 'Pretended 9.8.7'")
    assert "copilot: Pretended 9.8.7 (tried with" in finding(cli(place, "doctor", "--json"), "copilot")["text"]


def test_a_program_that_does_not_answer_is_not_waited_for(
    empty: Any, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PATIENCE", 1.0)
    said = cli(with_program(empty, "codex", "exec sleep 600"), "doctor", "--json")
    assert "did not tell its version within 1 s" in finding(said, "codex")["text"]


def test_a_sandbox_that_is_there_and_does_not_work_is_not_praised(empty: Any, cli: Any) -> None:
    place = with_program(empty, "bwrap", 'echo "no permissions to create a namespace" >&2\nexit 1')
    said = cli(place, "doctor", "--json")
    assert said.code == 0
    assert finding(said, "sandbox")["works"] is None
    assert "not available" in finding(said, "sandbox")["text"]
    assert "no permissions to create a namespace" in finding(said, "sandbox")["text"]
    (empty.project / "trueup.toml").write_text("sandbox = true\n")
    assert cli(place, "doctor", "--json").code == 1


def test_a_sandbox_is_praised_for_what_was_tried_in_it(empty: Any, cli: Any) -> None:
    said = cli(empty, "doctor", "--json")
    text = finding(said, "sandbox")["text"]
    if "not available" in text:
        pytest.skip(text)
    for deed in ("a write outside", "a read in the home folder", "the network from a check", "to see other processes"):
        assert deed in text
    assert not [path for path in Path(empty.environ["HOME"]).iterdir() if "doctor" in path.name]


def test_a_state_folder_that_cannot_be_written_is_broken(tmp_path: Path, empty: Any, cli: Any) -> None:
    (tmp_path / "file").write_text("")
    place = type(empty)(project=empty.project, environ={**empty.environ, "XDG_STATE_HOME": str(tmp_path / "file")})
    said = cli(place, "doctor", "--json")
    assert said.code == 1
    assert finding(said, "state folder")["works"] is False
    assert finding(said, "git")["works"] is True


def test_a_configured_agent_that_cannot_run_is_broken(empty: Any, cli: Any) -> None:
    (empty.project / "trueup.toml").write_text('[[agent]]\nname = "mine"\ncommand = "no-such-agent {prompt_file}"\n')
    said = cli(empty, "doctor", "--json")
    assert said.code == 1
    assert "no-such-agent was not found" in finding(said, "agent mine")["text"]


def test_a_configured_agent_that_is_there_is_fine(empty: Any, cli: Any) -> None:
    (empty.project / "trueup.toml").write_text('[[agent]]\nname = "mine"\ncommand = "cat {prompt_file}"\n')
    assert finding(cli(empty, "doctor", "--json"), "agent mine")["works"] is True


def test_a_broken_configuration_is_said_and_the_rest_is_still_looked_at(empty: Any, cli: Any) -> None:
    (empty.project / "trueup.toml").write_text("gaol = 'green'\n")
    said = cli(empty, "doctor")
    assert said.code == 1
    assert "unknown key 'gaol'" in said.out
    assert "processes" in said.out
