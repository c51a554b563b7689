"""Hooks in an agent's own settings: nothing of it is lost, and taken back it is as it was, byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TRUEUP = Path(sys.executable).parent / "trueup"
OWN = '{ "model": "opus",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]} }'
FILES = {
    "claude": ".claude/settings.local.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
}

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


@pytest.fixture
def cli(project: Path, tmp_path: Path) -> Cli:
    def cli(*words: str) -> subprocess.CompletedProcess[str]:
        environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
        return subprocess.run([TRUEUP, "guard", *words], cwd=project, env=environ, capture_output=True, text=True)

    return cli


def commands(content: dict[str, Any], event: str) -> list[str]:
    return [hook["command"] for entry in content["hooks"][event] for hook in entry["hooks"]]


@pytest.mark.parametrize("agent", FILES)
def test_what_is_there_stays_and_comes_back_exactly(agent: str, project: Path, cli: Cli) -> None:
    file = project / FILES[agent]
    file.parent.mkdir()
    file.write_text(OWN)
    file.chmod(0o600)
    done = cli("install", agent)
    assert done.returncode == 0, done.stderr
    content = json.loads(file.read_text())
    assert content["model"] == "opus"
    stop = "AfterAgent" if agent == "gemini" else "Stop"
    added = [line for line in done.stdout.splitlines() if line.startswith("+")]
    assert any(f'"command": "{TRUEUP} hook {agent} {stop}"' in line for line in added)
    assert "say done" in commands(content, "Stop")
    assert f"{TRUEUP} hook {agent} {stop}" in commands(content, stop)
    assert file.stat().st_mode & 0o777 == 0o600
    assert cli("uninstall", agent).returncode == 0
    assert file.read_text() == OWN


def test_a_file_that_was_not_there_is_gone_again(project: Path, cli: Cli) -> None:
    cli("install", "claude")
    cli("install", "claude", "--always")
    file = project / FILES["claude"]
    assert commands(json.loads(file.read_text()), "Stop") == [f"{TRUEUP} hook claude Stop --always"]
    cli("uninstall", "claude")
    assert not file.exists()


def test_what_was_changed_since_is_kept_and_only_ours_goes(project: Path, cli: Cli) -> None:
    cli("install", "claude")
    file = project / FILES["claude"]
    content = json.loads(file.read_text())
    content["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "mine"}]})
    content["theme"] = "dark"
    file.write_text(json.dumps(content))
    cli("uninstall", "claude")
    assert json.loads(file.read_text()) == {
        "theme": "dark",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]},
    }


def test_a_dry_run_shows_and_writes_nothing(project: Path, cli: Cli) -> None:
    done = cli("install", "claude", "--dry-run")
    assert "+++ " in done.stdout
    assert "nothing was written" in done.stdout
    assert not (project / ".claude").exists()


def test_times_are_in_the_programs_own_unit(project: Path, cli: Cli) -> None:
    cli("install", "claude")
    cli("install", "gemini")
    claude, gemini = (json.loads((project / FILES[agent]).read_text())["hooks"] for agent in ("claude", "gemini"))
    assert claude["Stop"][0]["hooks"][0]["timeout"] == 600
    assert gemini["AfterAgent"][0]["hooks"][0]["timeout"] == 600_000


def test_copilot_has_a_file_of_its_own_in_the_home_folder(tmp_path: Path, cli: Cli) -> None:
    cli("install", "copilot")
    file = tmp_path / "home" / ".copilot/hooks/trueup.json"
    assert json.loads(file.read_text())["hooks"]["agentStop"][0]["bash"] == f"{TRUEUP} hook copilot agentStop"
    cli("uninstall", "copilot")
    assert not file.exists()


@pytest.mark.parametrize("text", ["// a comment\n{}", "[1]", '{"hooks": 3}', '{"hooks": {"Stop": "x"}}'])
def test_a_file_in_an_unknown_form_is_left_alone(text: str, project: Path, cli: Cli) -> None:
    file = project / FILES["claude"]
    file.parent.mkdir()
    file.write_text(text)
    done = cli("install", "claude")
    assert done.returncode == 2
    assert str(file) in done.stderr
    assert file.read_text() == text


def test_an_unknown_agent_or_action_is_named_with_those_that_are(cli: Cli) -> None:
    done = cli("install", "emacs")
    assert done.returncode == 2
    assert "claude, codex, gemini, qwen, copilot" in done.stderr
    assert cli("destroy", "claude").returncode == 2


def test_codex_needs_trust_and_that_is_said(cli: Cli) -> None:
    assert "only after you trusted them" in cli("install", "codex").stdout


def test_status_shows_what_fails_and_that_it_is_owed(project: Path, tmp_path: Path, cli: Cli) -> None:
    from trueup.guard.hook import respond

    assert "no guarded session" in cli("status").stdout
    (project / "trueup.toml").write_text('[[check]]\nname = "tests"\nrun = "python3 t.py"\n')
    environ = {"HOME": str(tmp_path / "home")}
    base: dict[str, object] = {"session_id": "s-7", "cwd": str(project)}
    failed = {
        "tool_name": "Bash",
        "tool_input": {"command": "python3 t.py"},
        "error": "Exit code 1\nAssertionError: 1 != 2",
    }
    respond("claude", "PostToolUseFailure", base | failed, environ)
    edited = {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "tool_response": {"filePath": "a.py"}}
    respond("claude", "PostToolUse", base | edited, environ)
    said = cli("status").stdout
    assert "s-7" in said
    assert "fails    tests" in said
    assert "owed" in said
    (session,) = json.loads(cli("status", "--json").stdout)["sessions"]
    assert session["verification_owed"] is True
    assert session["current_failures"][0]["streak"] == 1


def test_what_was_added_between_two_installations_survives(project: Path, cli: Cli) -> None:
    cli("install", "claude")
    file = project / FILES["claude"]
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"permissions": {"allow": ["Bash"]}}))
    cli("install", "claude", "--always")
    cli("uninstall", "claude")
    assert json.loads(file.read_text()) == {"permissions": {"allow": ["Bash"]}}


def test_a_link_stays_a_link(project: Path, tmp_path: Path, cli: Cli) -> None:
    file = project / FILES["claude"]
    file.parent.mkdir()
    dotfile = tmp_path / "dotfiles.json"
    dotfile.write_text(OWN)
    file.symlink_to(dotfile)
    cli("install", "claude")
    assert file.is_symlink()
    assert "hook claude Stop" in dotfile.read_text()
    cli("uninstall", "claude")
    assert file.is_symlink()
    assert dotfile.read_text() == OWN


def test_what_is_kept_is_for_its_owner_alone(project: Path, tmp_path: Path, cli: Cli) -> None:
    cli("install", "claude")
    state = tmp_path / "home" / ".local/state/trueup/guard"
    assert state.stat().st_mode & 0o777 == 0o700
    assert (project / FILES["claude"]).stat().st_mode & 0o777 == 0o600
