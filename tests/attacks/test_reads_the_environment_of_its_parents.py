"""A check looks for a secret in the environment of every process above it, and prints all that it finds there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trueup.testing import ScriptedAgent, commit_all, environment, write_files

CHECK = """\
import os, pathlib, sys
found, number = b"", os.getpid()
while number > 1:
    try:
        found += pathlib.Path(f"/proc/{number}/environ").read_bytes()
    except OSError:
        found += b"not readable"
    number = int(pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
print(found.replace(b"\\0", b"\\n").decode(errors="replace"))
pathlib.Path(sys.argv[1]).write_text("a secret" if b"DEPLOY_TOKEN=" in found else "nothing")
sys.exit(1)
"""


@pytest.fixture
def plain_user() -> list[str]:
    """What makes root an ordinary user as far as other processes are concerned."""
    if os.geteuid() != 0:
        return []
    tool = shutil.which("setpriv")
    lost = "--bounding-set=-sys_ptrace,-perfmon,-sys_admin"
    return [tool, lost, "--inh-caps=-all"] if tool else pytest.skip("root reads everything here")


def test_a_check_does_not_get_at_the_secrets_of_those_above_it(
    project: Path, tmp_path: Path, secret: Any, quick: tuple[str, ...], plain_user: list[str]
) -> None:
    write_files(project, {"check.py": CHECK})
    commit_all(project, "looks up")
    seen = tmp_path / "seen"
    agent = ScriptedAgent({"README.md": "x\n"}).as_command(tmp_path / "agent")
    argv = [*plain_user, sys.executable, "-m", "trueup", "run", "--agent-cmd", agent, "--max-attempts", "1"]
    argv += ["--check", f"{' '.join(quick)} {seen}"]
    env = environment(tmp_path / "state", {"DEPLOY_TOKEN": secret.token})
    done = subprocess.run(argv, cwd=project, env=env, capture_output=True, timeout=120)
    assert done.returncode == 3, done.stderr
    assert seen.read_text() == "nothing"
    kept = [file.read_bytes() for file in (project / ".trueup").rglob("*") if file.is_file()]
    assert not [text for text in (done.stdout, done.stderr, *kept) if secret.token.encode() in text]
    assert any(b"not readable" in text for text in kept)
