"""`trueup doctor` knows where the guard is installed, and `--hooks` proves that it works, or says what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trueup.guard.install import Installed, adding, carry_out, entries_of, installed
from trueup.guard.trust import own_trust

TRUEUP = Path(sys.executable).parent / "trueup"
OBEYS = """\
import json, os, pathlib, subprocess, urllib.request

def ask(text):
    body = json.dumps({"model": "m", "messages": text}).encode()
    urllib.request.urlopen(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", data=body, timeout=60).read()

def hook(event):
    command = json.loads(pathlib.Path(".claude/settings.local.json").read_text())["hooks"][event][0]["hooks"][0]["command"]
    said = json.dumps({"session_id": "s-1", "cwd": os.getcwd()})
    return subprocess.run(command, shell=True, input=said, stdout=subprocess.PIPE, text=True).stdout

if "--version" not in os.sys.argv:
    hook("SessionStart")
    ask("begin")
    answer = hook("Stop")
"""
BLOCKS = OBEYS + "    ask(answer)\n"
OTHERS = {"type": "command", "command": "say done"}


class Place:
    def __init__(self, root: Path) -> None:
        self.root, self.project, self.home, self.bin = root, root / "project", root / "home", root / "bin"
        for folder in (self.project, self.home, self.bin):
            folder.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)
        (self.project / "trueup.toml").write_text('[[check]]\nname = "tests"\nrun = "true"\n')

    def put(self, name: str, script: str) -> None:
        (self.bin / name).write_text(f"#!{sys.executable}\n{script}")
        (self.bin / name).chmod(0o755)

    def trueup(self, *words: str) -> subprocess.CompletedProcess[str]:
        environ = {"PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin", "HOME": str(self.home)}
        return subprocess.run([TRUEUP, *words], cwd=self.project, env=environ, capture_output=True, text=True)

    def guards(self, *flags: str) -> tuple[int, list[dict[str, Any]]]:
        done = self.trueup("doctor", "--json", *flags)
        assert done.stdout, done.stderr
        return done.returncode, [one for one in json.loads(done.stdout)["findings"] if one["what"] == "guard claude"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_an_installed_guard_is_named_and_nothing_is_started(place: Place) -> None:
    place.put("claude", f"open({str(place.root / 'started')!r}, 'a').write(str(__import__('sys').argv[1:]))")
    assert place.guards() == (0, [])
    place.trueup("guard", "install", "claude")
    code, (found,) = place.guards()
    assert code == 0
    assert found["works"] is None
    assert str(place.project / ".claude/settings.local.json") in found["text"]
    assert "trueup doctor --hooks" in found["text"]
    assert set((place.root / "started").read_text().split("]")) == {"['--version'", ""}


def test_a_guard_that_holds_its_agent_back_is_proved(place: Place) -> None:
    place.put("claude", BLOCKS)
    place.trueup("guard", "install", "claude")
    code, (found,) = place.guards("--hooks")
    assert code == 0
    assert found["works"] is True, found["text"]
    assert "the reason reached the model" in found["text"]


def test_an_installed_guard_that_is_ignored_is_broken_and_one_that_is_not_installed_is_only_told(place: Place) -> None:
    place.put("claude", OBEYS)
    code, (found,) = place.guards("--hooks")
    assert (code, found["works"]) == (0, None)
    assert "ignored the answer (not installed here)" in found["text"]
    place.trueup("guard", "install", "claude")
    code, (found,) = place.guards("--hooks")
    assert (code, found["works"]) == (1, False)


def test_a_guard_that_could_not_be_tried_is_not_called_fine(place: Place) -> None:
    place.put("claude", "print('please log in')")
    place.trueup("guard", "install", "claude")
    code, (found,) = place.guards("--hooks")
    assert (code, found["works"]) == (1, False)
    assert "could not be tried" in found["text"]
    assert "please log in" in found["text"]


def test_hooks_that_somebody_took_out_are_missed(place: Place) -> None:
    place.put("claude", BLOCKS)
    place.trueup("guard", "install", "claude")
    file = place.project / ".claude/settings.local.json"
    content = json.loads(file.read_text())
    del content["hooks"]["Stop"]
    file.write_text(json.dumps(content))
    code, (found,) = place.guards("--hooks")
    assert (code, found["works"]) == (1, False)
    assert "lacks hooks (Stop)" in found["text"]


def test_without_its_program_nothing_is_tried(place: Place) -> None:
    place.trueup("guard", "install", "claude", "--user")
    code, (found,) = place.guards("--hooks")
    assert (code, found["works"]) == (0, None)
    assert "not here" in found["text"]


# --- what stands in the settings, and what the user has confirmed ------------------------------------------------


def put(path: Path, agent: str) -> Installed:
    carry_out(adding(agent, path, entries_of(agent, "/opt/trueup", always=False)))
    found = installed(agent, path)
    assert found is not None
    return found


def test_our_hooks_are_found_beside_others(tmp_path: Path) -> None:
    path = tmp_path / "hooks.json"
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [OTHERS]}], "Other": "?"}}))
    assert installed("codex", path) is None
    found = put(path, "codex")
    assert found.positions == {"SessionStart": 0, "PostToolUse": 0, "Stop": 1}
    assert found.entries == entries_of("codex", "/opt/trueup", always=False)
    assert found.missing == ()


@pytest.mark.parametrize("text", ["// a comment\n{}", "[]", '{"hooks": []}', '{"hooks": {"Stop": 1}}', ""])
def test_a_file_that_cannot_be_understood_holds_none_of_ours(text: str, tmp_path: Path) -> None:
    (tmp_path / "hooks.json").write_text(text)
    assert installed("claude", tmp_path / "hooks.json") is None


def test_what_codex_was_told_to_trust_is_carried_over_hook_by_hook(tmp_path: Path) -> None:
    home, path = tmp_path / "home", tmp_path / "project" / ".codex" / "hooks.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [OTHERS]}]}}))
    found = put(path, "codex")
    assert own_trust("codex", found, project=tmp_path / "project", home=home).files == {".codex/config.toml": ""}
    (home / ".codex").mkdir(parents=True)
    (home / ".codex" / "config.toml").write_text(
        f'[projects."{tmp_path}/project"]\ntrust_level = "trusted"\n'
        f'[hooks.state."{path}:stop:0:0"]\ntrusted_hash = "sha256:other"\n'
        f'[hooks.state."{path}:stop:1:0"]\ntrusted_hash = "sha256:ours"\n'
        f'[hooks.state."{path}:post_tool_use:0:0"]\nenabled = true\n'
    )
    trust = own_trust("codex", found, project=tmp_path / "project", home=home)
    assert trust.files[".codex/config.toml"] == (
        '[projects."{project}"]\ntrust_level = "trusted"\n'
        '[hooks.state."{hooks}:stop:0:0"]\ntrusted_hash = "sha256:ours"\n'
    )


@pytest.mark.parametrize(
    ("file", "text", "trusted"),
    [
        ("trustedFolders.json", '{"/work/shop": "TRUST_FOLDER"}', True),
        ("trustedFolders.json", '{"/work": "TRUST_FOLDER"}', True),
        ("trustedFolders.json", '{"/work/other": "TRUST_PARENT"}', True),
        ("trustedFolders.json", '{"/work/shop": "DO_NOT_TRUST"}', False),
        ("trustedFolders.json", '{"/work/sho": "TRUST_FOLDER"}', False),
        ("trustedFolders.json", "no JSON", False),
        ("settings.json", '{"security": {"folderTrust": {"enabled": false}}}', True),
        ("settings.json", '{"security": {"folderTrust": {"enabled": true}}}', False),
        ("settings.json", '{"security": []}', False),
    ],
)
def test_folders_that_gemini_was_told_to_trust_are_known(file: str, text: str, trusted: bool, tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / file).write_text(text)
    found = Installed(path=tmp_path / "settings.json", entries={}, positions={})
    trust = own_trust("gemini", found, project=Path("/work/shop"), home=tmp_path)
    assert bool(trust.files) is trusted
