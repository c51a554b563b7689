"""`trueup run --issue` with a folder of markdown files: the same, without a network and without `gh`."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

READY = "---\nstate: ready\n---\n"


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def local(place: Any, gh: Any) -> Any:
    """Without a remote, and with a `gh` that must not be asked."""
    (gh.bin / "gh").unlink()
    git(place.project, "remote", "remove", "origin")
    (place.project / "issues").mkdir()
    return place


def write(
    place: Any, stem: str, text: str = f"{READY}# The sum is wrong\n\n2 + 2 is 4.\n", *, commit: bool = True
) -> None:
    (place.project / "issues" / f"{stem}.md").write_text(text)
    if commit:
        git(place.project, "add", "issues")
        git(place.project, "-c", "user.name=me", "-c", "user.email=me@example.com", "commit", "-qm", "an issue")


def read(place: Any, stem: str) -> str:
    return Path(place.project / "issues" / f"{stem}.md").read_text()


def claims(place: Any) -> list[str]:
    return [path.name for path in (place.project / "issues" / ".trueup" / "claims").glob("*.json")]


def test_the_oldest_ready_file_is_claimed_fixed_and_told(local: Any) -> None:
    write(local, "10-later")
    write(local, "2-sum")
    seen = f'cp "{local.project}/issues/2-sum.md" "$NOTES/during.md"; printf "2 + 2 = 4\\n" > sum.txt'
    said = local.work("next", agent=f"{seen}; echo cheat >> issues/2-sum.md; echo cheat > issues/new.md")
    assert said.code == 0, said.all
    assert "state: in progress\n" in (local.notes / "during.md").read_text()
    told = read(local, "2-sum")
    assert told.startswith("---\nstate: done\n---\n# The sum is wrong\n\n2 + 2 is 4.\n")
    for part in ("To be merged: `trueup/2-sum` into `main`", "## The proof", "`sh check.sh`", "**passed**"):
        assert part in told, part
    assert claims(local) == []
    assert "state: ready" in read(local, "10-later")
    assert git(local.project, "diff", "--name-only", "main", "trueup/2-sum").split() == ["sum.txt"]
    assert "2 + 2 is 4." in local.prompt


def test_what_the_tracker_itself_wrote_keeps_no_later_result_from_being_offered(local: Any) -> None:
    """The folder is part of the checkout, and its changes are uncommitted."""
    write(local, "1-a")
    write(local, "2-b")
    assert local.work("next").code == 0
    assert local.work("next").code == 0
    assert "To be merged: `trueup/2-b`" in read(local, "2-b")
    (local.project / "loose.txt").write_text("uncommitted\n")
    write(local, "3-c", commit=False)
    said = local.work("next")
    assert said.code == 0, said.all
    assert "To be merged" not in read(local, "3-c")
    assert "files that are in no commit (loose.txt)" in read(local, "3-c")


def test_a_stuck_run_stalls_the_issue_and_the_next_one_knows_what_was_tried(local: Any) -> None:
    write(local, "2-sum")
    said = local.work("next", agent="echo '2 + 2 = 6' > sum.txt")
    assert said.code in {1, 3}, said.all
    told = read(local, "2-sum")
    assert told.startswith("---\nstate: stalled\n")
    assert "Still failing" in told
    assert "A person should decide" in told
    assert "nothing to do" in local.work("next").err
    again = local.work("issues/2-sum.md")
    assert again.code == 0, again.all
    assert "# Earlier" in local.prompt or "earlier" in local.prompt.lower()
    assert "A person should decide" not in local.prompt
    assert read(local, "2-sum").startswith("---\nstate: done\n")


@pytest.mark.parametrize("name", ["it's --all; $(touch pwned)", "größe der summe"])
def test_any_name_of_a_file_is_a_name_and_nothing_else(local: Any, name: str) -> None:
    write(local, name)
    said = local.work(f"issues/{name}.md")
    assert said.code == 0, said.all
    assert not list(local.project.rglob("pwned"))
    assert "state: done" in read(local, name)


def test_a_file_outside_the_project_without_a_state_gets_one(local: Any, tmp_path: Path) -> None:
    (tmp_path / "wishes").mkdir()
    (tmp_path / "wishes" / "sum.md").write_text("# The sum is wrong\n")
    said = local.work(str(tmp_path / "wishes" / "sum.md"))
    assert said.code == 0, said.all
    assert (tmp_path / "wishes" / "sum.md").read_text().startswith("---\nstate: done\n---\n# The sum is wrong\n")


def test_a_link_is_no_issue(local: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# private\n")
    (local.project / "issues" / "link.md").symlink_to(tmp_path / "secret.md")
    said = local.work("issues/link.md")
    assert said.code == 2
    assert "plain file" in said.err
    assert (tmp_path / "secret.md").read_text() == "# private\n"


def test_without_a_folder_and_without_gh_both_ways_are_shown(local: Any) -> None:
    (local.project / "issues").rmdir()
    said = local.work("next")
    assert said.code == 2
    assert "gh" in said.err
    assert "docs/issues.md" in said.err


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_gives_the_file_back(local: Any, times: int) -> None:
    """At once the first time; whoever is in a hurry and presses it again leaves that to the next run."""
    write(local, "2-sum")
    deaf = 'trap "" INT TERM; touch "$NOTES/begun"; while :; do sleep 1; done'
    process = local.start(*local.run_args("next", agent=deaf if times > 1 else 'touch "$NOTES/begun"; exec sleep 600'))
    local.wait_for("begun", process)
    assert "state: in progress" in read(local, "2-sum")
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, out + err
    if times == 1:
        assert read(local, "2-sum").startswith(READY)
        assert claims(local) == []
    said = local.work("next")
    assert said.code == 0, said.all
    assert read(local, "2-sum").startswith("---\nstate: done\n")
    assert read(local, "2-sum").count("**passed**") == 1
    assert claims(local) == []


def test_a_long_run_gives_signs_of_life(local: Any) -> None:
    """Each ten minutes, or others would take its issue over; here more often."""
    write(local, "2-sum")
    claim = f'"{local.project}"/issues/.trueup/claims/*.json'
    agent = local.agent(
        f'cp -p {claim} "$NOTES/first"; until [ {claim} -nt "$NOTES/first" ]; do sleep 0.05; done\n'
        'printf "2 + 2 = 4\\n" > sum.txt'
    )
    often = (
        "import runpy, trueup.perform.issues as issues; issues.BEAT = 0.2; runpy.run_module('trueup', {}, '__main__')"
    )
    args = ["run", "--issue", "next", "--agent-cmd", agent, "--check", "sh check.sh", "-C", str(local.project)]
    ended = subprocess.run(
        [sys.executable, "-c", often, *args],
        env=local.environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (local.notes / "first").exists()
    assert claims(local) == []


@pytest.mark.parametrize("way", ["resume", "next"])
def test_killed_in_the_middle_it_is_picked_up_again(local: Any, way: str) -> None:
    write(local, "2-sum")
    script = '[ -e "$NOTES/begun" ] || { touch "$NOTES/begun"; exec sleep 600; }; printf "2 + 2 = 4\\n" > sum.txt'
    process = local.start(*local.run_args("next", agent=script))
    local.wait_for("begun", process)
    process.kill()
    process.communicate(timeout=300)
    assert len(claims(local)) == 1
    again = local.trueup("resume") if way == "resume" else local.work("next", agent=script)
    assert again.code == 0, again.all
    told = read(local, "2-sum")
    assert told.startswith("---\nstate: done\n")
    assert told.count("**passed**") == 1
    assert claims(local) == []


def test_two_workers_in_one_checkout_take_two_issues(local: Any) -> None:
    for stem in ("1-a", "2-b"):
        write(local, stem)
    wait = 'while [ ! -e "$NOTES/go" ]; do sleep 0.05; done; printf "2 + 2 = 4\\n" > sum.txt'
    args = local.run_args("next", agent=wait)
    workers = [local.start(*args) for _ in range(3)]
    while not any(worker.poll() is not None for worker in workers):
        time.sleep(0.05)  # the third one finds nothing to do
    (local.notes / "go").touch()
    ended = [worker.communicate(timeout=300) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0], ended
    for stem in ("1-a", "2-b"):
        told = read(local, stem)
        assert told.startswith("---\nstate: done\n"), ended
        assert told.count("**passed**") == 1
    assert local.calls == 2


def test_items_and_runs_show_the_issue(local: Any) -> None:
    write(local, "2-sum")
    assert local.work("next").code == 0
    listed = local.trueup("items")
    assert "2-sum" in listed.out
    assert "issues/2-sum.md" in listed.out
