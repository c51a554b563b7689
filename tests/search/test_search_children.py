"""Whatever a tried program does, the search goes on, and nobody believes a program that ended early."""

from __future__ import annotations

import mmap
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from trueup.search.children import Nursery, Said, Voice, descendants
from trueup.search.copyguard import CopyGuard

LIMIT = 0.2
"""Seconds of processor time for each child."""


def _run(work: Callable[[Voice], None]) -> Said:
    nursery = Nursery(1)
    nursery.start(work, LIMIT, None)
    (said,) = [said for said, _ in nursery.wait()]
    nursery.close()
    return said


def test_what_a_child_says_comes_back() -> None:
    said = _run(lambda voice: voice.say("1 0"))
    assert said.whole
    assert said.lines == ["1 0"]


def test_an_endless_loop_is_ended() -> None:
    def work(voice: Voice) -> None:
        voice.say("1 0")
        while True:
            pass

    said = _run(work)
    assert not said.whole
    assert said.lines == ["1 0"]
    assert said.cpu < 10


def test_a_program_that_waits_for_ever_is_ended() -> None:
    assert not _run(lambda _: time.sleep(3600)).whole


def test_a_huge_allocation_fails_inside_of_the_child() -> None:
    def work(voice: Voice) -> None:
        try:
            bytearray(1 << 40)
        except MemoryError:
            voice.say("refused")

    assert _run(work).lines == ["refused"]


def test_memory_is_bounded() -> None:
    def work(voice: Voice) -> None:
        try:
            mmap.mmap(-1, 2 << 30)  # would be given, because nothing is written there yet
        except OSError:
            voice.say("refused")

    assert _run(work).lines == ["refused"]


def test_an_early_exit_is_no_result() -> None:
    said = _run(lambda _: os._exit(0))
    assert not said.whole
    assert not said.lines


def test_a_copy_of_the_process_cannot_speak_for_it() -> None:
    def work(voice: Voice) -> None:
        if os.fork() == 0:
            voice.say("1 0")
            voice.end()
            os._exit(0)
        os.wait()
        os._exit(0)

    said = _run(work)
    assert not said.whole
    assert not said.lines


def test_what_is_written_without_the_word_is_not_heard() -> None:
    def work(voice: Voice) -> None:
        os.write(voice._pipe, b"1 0\nend 0.1\n")
        os._exit(0)

    said = _run(work)
    assert not said.whole
    assert not said.lines


def test_many_processes_are_ended_with_the_child() -> None:
    """Bounded: a program that starts processes without end is ended in the same way, before it has many."""

    def work(_voice: Voice) -> None:
        for _ in range(150):
            if os.fork() == 0:
                time.sleep(3600)
                os._exit(0)
        time.sleep(3600)

    assert not _run(work).whole
    assert descendants(os.getpid()) == []


def test_a_process_that_leaves_its_session_is_ended_too() -> None:
    def work(voice: Voice) -> None:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(3600)
            os._exit(0)
        os.wait()
        voice.say("1 0")

    assert _run(work).whole
    assert descendants(os.getpid()) == []


def test_deleted_and_changed_files_of_the_copy_are_put_back(tmp_path: Path) -> None:
    origin, copy = tmp_path / "origin", tmp_path / "copy"
    (origin / "inner").mkdir(parents=True)
    (origin / "inner" / "data.txt").write_text("kept")
    (origin / "module.py").write_text("x = 1\n")
    shutil.copytree(origin, copy)
    guard = CopyGuard(str(copy), str(origin))
    guard.remember()
    assert not guard.mend()
    shutil.rmtree(copy / "inner")
    (copy / "module.py").write_text("x = 22\n")
    (copy / "litter").write_text("new")
    assert guard.mend()
    assert (copy / "inner" / "data.txt").read_text() == "kept"
    assert (copy / "module.py").read_text() == "x = 1\n"
    assert not (copy / "litter").exists()
    assert not guard.mend()


def test_a_deleted_copy_is_put_back(tmp_path: Path) -> None:
    origin, copy = tmp_path / "origin", tmp_path / "copy"
    origin.mkdir()
    (origin / "module.py").write_text("x = 1\n")
    shutil.copytree(origin, copy)
    guard = CopyGuard(str(copy), str(origin))
    guard.remember()
    shutil.rmtree(copy)
    assert guard.mend()
    assert (copy / "module.py").read_text() == "x = 1\n"


def test_a_child_that_only_waits_is_ended_soon() -> None:
    nursery = Nursery(1)
    nursery.patience = 0.3
    began = time.monotonic()
    nursery.start(lambda _voice: time.sleep(60), 30.0, "asleep")
    ((said, tag),) = nursery.wait()
    assert tag == "asleep"
    assert not said.whole
    assert time.monotonic() - began < 30
