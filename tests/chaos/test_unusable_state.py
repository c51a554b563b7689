"""A state folder or journal that cannot be used is said before anything is spent, and left as it is."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.chaos.conftest import Calm, NewStage, Sitter, Stage

Each = Callable[[Any, Callable[[Any], None]], None]
HALFWAY = 6
"""Lines of the journal after which the run is killed."""


def test_a_read_only_state_folder_is_said_and_works_again_once_it_is_writable(
    apart: Sitter, calm: Calm, stage_of: NewStage
) -> None:
    stage, undisturbed = stage_of("second-try", helper=apart), calm("second-try")
    assert stage.start(kill_row=HALFWAY).died == signal.SIGKILL
    paid = stage.calls()
    apart.shell(f"mount --bind {stage.state} {stage.state}; mount -o remount,ro,bind {stage.state}")
    for argv in (["resume"], stage.run_argv("--item", "other")):
        stage.says_what_is_wrong(stage.trueup(*argv), 4, "XDG_STATE_HOME")
    assert stage.calls() == paid
    apart.shell(f"umount {stage.state}")
    stage.holds(undisturbed, stage.resume())


def test_a_file_in_the_place_of_the_state_folder_is_said(stage_of: NewStage) -> None:
    stage = stage_of()
    stage.state.mkdir()
    (stage.state / "trueup").write_text("mine\n")
    stage.says_what_is_wrong(stage.trueup(*stage.run_argv()), 4, "XDG_STATE_HOME")
    assert (stage.state / "trueup").read_text() == "mine\n"
    assert stage.calls() == 0


def test_a_state_folder_without_permission_is_said(stage_of: NewStage) -> None:
    stage = stage_of()
    (stage.state / "home").mkdir(parents=True)
    stage.state.chmod(0o500)
    stage.says_what_is_wrong(stage.trueup(*stage.run_argv(), powerless=True), 4, "XDG_STATE_HOME")
    assert stage.calls() == 0
    stage.state.chmod(0o700)
    assert stage.trueup(*stage.run_argv()).code == 0


# --- a damaged journal -----------------------------------------------------------------------------------------------


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 100])


def garbage(path: Path) -> None:
    path.write_bytes(b"\x00\xff nonsense \n" * 2000)


def overwritten(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def of_the_future(path: Path) -> None:
    _pragma(path, "user_version = 999")


def of_another_program(path: Path) -> None:
    _pragma(path, "application_id = 42")


def _pragma(path: Path, pragma: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA {pragma}")
    connection.close()


@pytest.fixture
def killed(stage_of: NewStage) -> Stage:
    """A run that was killed half-way; everything that it wrote is in the one file of the journal."""
    stage = stage_of("second-try")
    assert stage.start(kill_row=HALFWAY).died == signal.SIGKILL
    connection = sqlite3.connect(stage.kept / "journal.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    assert not (stage.kept / "journal.db-wal").exists()
    return stage


def test_a_damaged_or_foreign_journal_is_refused_and_left_as_it_is(killed: Stage, calm: Calm, each: Each) -> None:
    journal = killed.kept / "journal.db"
    good, paid = journal.read_bytes(), killed.calls()

    def damage(how: Callable[[Path], None]) -> None:
        journal.write_bytes(good)
        how(journal)
        bad = journal.read_bytes()
        for argv in (["resume"], killed.run_argv()):
            told = killed.trueup(*argv)
            killed.says_what_is_wrong(told, 4, "aside", str(journal))
            assert journal.read_bytes() == bad, "it was changed"
        assert killed.calls() == paid

    each((truncated, garbage, overwritten, emptied, of_the_future, of_another_program), damage)
    journal.write_bytes(good)
    killed.holds(calm("second-try"), killed.resume())


def test_the_advice_for_a_damaged_journal_works_and_the_kept_trees_stay(killed: Stage) -> None:
    garbage(killed.kept / "journal.db")
    said = killed.trueup("resume").said
    advice = next(line for line in said.splitlines() if line.lstrip().startswith("do "))
    for command in advice.partition("set it aside: ")[2].split("; "):
        subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    (run,) = (killed.kept / "runs").iterdir()
    assert killed.trueup(*killed.run_argv()).code == 0
    assert (run / "workspace").is_dir()
    assert (killed.kept / "store.git" / "refs" / "trueup" / run.name / "attempt-1" / "raw").exists()


def test_a_journal_whose_latest_part_was_deleted_is_no_reason_to_crash(stage_of: NewStage) -> None:
    """Without its `-wal` file the journal is an older one, or none: what it does not know, it does not claim."""
    stage = stage_of("second-try")
    assert stage.start(kill_row=HALFWAY).died == signal.SIGKILL
    for companion in ("journal.db-wal", "journal.db-shm"):
        (stage.kept / companion).unlink()
    stage.says_what_is_wrong(stage.trueup("resume"), 2, "no run")
    (run,) = (stage.kept / "runs").iterdir()
    shutil.rmtree(stage.project / ".trueup")
    assert stage.trueup(*stage.run_argv()).code == 0
    assert (run / "workspace").is_dir()
    stage.the_checkout_is_untouched()
