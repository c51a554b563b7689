"""The warden's own parts: the line to the host, the tree as the kernel shows it, its office."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.act import warden

HANG = 60.0


@pytest.fixture
def line() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


Line = tuple[socket.socket, socket.socket]


def test_a_message_arrives_with_its_descriptors(line: Line) -> None:
    readable, writable = os.pipe()
    warden.send(line[0], {"argv": ["a"]}, [writable])
    warden.send(line[0], {"cancel": True})
    os.close(writable)
    received = warden.receive(line[1])
    assert received is not None
    assert received[0] == {"argv": ["a"]}
    os.write(received[1][0], b"through")
    os.close(received[1][0])
    assert os.read(readable, 100) == b"through"
    os.close(readable)
    assert warden.receive(line[1]) == ({"cancel": True}, [])


def test_a_closed_line_is_no_message(line: Line) -> None:
    line[0].close()
    assert warden.receive(line[1]) is None


def test_half_a_message_is_no_message(line: Line) -> None:
    line[0].sendall((100).to_bytes(4, "big") + b'{"argv": ')
    line[0].close()
    assert warden.receive(line[1]) is None


@given(st.binary().filter(lambda name: b"\0" not in name))
def test_names_that_are_no_utf_8_survive_the_line(name: bytes) -> None:
    assert warden.from_wire(warden.to_wire(os.fsdecode(name))) == name


@contextlib.contextmanager
def a_tree() -> Iterator[subprocess.Popen[bytes]]:
    """A shell with a child in its session and a grandchild in another, ready when it has said so."""
    script = "sleep 1000 & setsid sh -c 'echo; sleep 1000; :' & wait"
    with subprocess.Popen(["/bin/sh", "-c", script], stdout=subprocess.PIPE) as top:
        assert top.stdout
        top.stdout.readline()
        try:
            yield top
        finally:
            warden.signal_each([*warden.descendants(top.pid), top.pid], signal.SIGKILL)


def test_descendants_are_found_in_every_session() -> None:
    with a_tree() as top:
        until = time.monotonic() + HANG
        while (names := sorted(map(warden.command_line, warden.descendants(top.pid)))) != [
            "sh -c echo; sleep 1000; :",
            "sleep 1000",
            "sleep 1000",
        ]:
            assert time.monotonic() < until, names
        by_scan = warden._children_by_scan()
        children = by_scan(top.pid)
        assert sorted(children) == sorted(warden._children(top.pid))
        assert sorted(children + [pid for child in children for pid in by_scan(child)]) == sorted(
            warden.descendants(top.pid)
        )


def test_an_ended_process_has_no_descendants_and_no_command_line() -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    assert warden.descendants(gone.pid) == []
    assert warden.command_line(gone.pid) == ""
    warden.signal_each([gone.pid], signal.SIGTERM)


def test_a_long_command_line_is_cut() -> None:
    with subprocess.Popen(["sleep", "1000", *["0"] * 1000]) as sleeper:
        assert len(warden.command_line(sleeper.pid)) <= warden.LONGEST_NAME
        sleeper.kill()


def test_in_office_it_adopts_orphans_and_keeps_its_memory_to_itself() -> None:
    code = (
        f"import sys; sys.path.insert(0, {os.path.dirname(warden.__file__)!r}); import ctypes, warden, signal, os\n"
        "warden.take_office(); value = ctypes.c_int(); libc = ctypes.CDLL(None)\n"
        "libc.prctl(37, ctypes.byref(value), 0, 0, 0)\n"
        "for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): os.kill(os.getpid(), number)\n"
        "print(value.value, libc.prctl(3, 0, 0, 0, 0))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=HANG)
    assert (done.stdout, done.stderr) == ("1 0\n", "")


def test_it_goes_when_the_line_closes(line: Line) -> None:
    ours, theirs = line
    argv = [sys.executable, "-I", "-S", warden.__file__, str(theirs.fileno())]
    with subprocess.Popen(argv, pass_fds=[theirs.fileno()]) as process:
        theirs.close()
        ours.close()
        assert process.wait(HANG) == 0


def a_request(*argv: str) -> warden.Message:
    return {"argv": argv, "cwd": "/", "env": {}, "timeout": None, "interrupt": 1, "terminate": 1}


def report_from(line: socket.socket) -> warden.Message:
    started, ended = warden.receive(line), warden.receive(line)
    assert started is not None
    assert ended is not None
    assert started[0]["started"] > 0
    return ended[0]


def test_it_starts_without_anything_but_the_standard_library_and_answers(line: Line) -> None:
    ours, theirs = line
    argv = [sys.executable, "-I", "-S", warden.__file__, str(theirs.fileno())]
    request = a_request("sh", "-c", "exit 3")
    with subprocess.Popen(argv, pass_fds=[theirs.fileno()]), open(os.devnull, "r+b") as nothing:
        theirs.close()
        warden.send(ours, request, [nothing.fileno()] * 3)
        report = report_from(ours)
        assert (report["exit_code"], report["survivors"]) == (3, [])
        ours.close()


def test_a_cancel_that_comes_after_the_end_does_not_harm_the_next_command(line: Line) -> None:
    ours, theirs = line
    argv = [sys.executable, "-I", "-S", warden.__file__, str(theirs.fileno())]
    request = a_request("true")
    with subprocess.Popen(argv, pass_fds=[theirs.fileno()]), open(os.devnull, "r+b") as nothing:
        theirs.close()
        warden.send(ours, {"cancel": True})
        warden.send(ours, request, [nothing.fileno()] * 3)
        report = report_from(ours)
        assert (report["exit_code"], report["cancelled"]) == (0, False)
        ours.close()


@pytest.mark.skipif(os.getuid() == 0, reason="root may look everywhere")
def test_a_path_folder_that_may_not_be_entered_hides_no_reason(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    assert not warden._exists("tool", "/", warden.to_wire(tmp_path / "closed"))


def test_a_program_is_looked_for_as_the_command_would(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tool").touch()
    for program, path in (("tool", f"/nowhere:{tmp_path}/bin"), ("tool", "bin"), ("bin/tool", "")):
        assert warden._exists(program, str(tmp_path), path)
    assert not warden._exists("bin/other", str(tmp_path), "bin")
