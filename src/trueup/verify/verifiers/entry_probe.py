"""Run beside a program that is being tried, behind the same walls: does it start, and does anything answer?

One JSON object comes on standard input, one goes out. The program is ended in any case, with all that it started. With
`then`, another command runs while it answers, with its address in place of `{address}`. Needs Python 3.8 and its
standard library.
"""

# ruff: noqa: PTH115, PTH123, PTH208, T201
# Importing pathlib takes longer than much of the work.
from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess  # noqa: TID251 - it is started by, and belongs to, the process owner
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

KEPT = 60_000
LOOK = 0.05
LISTENING = "0A"
LARGEST_FILE = 1 << 30


class Output:
    """The last of what it printed."""

    def __init__(self, pipe: Any) -> None:
        self.text = b""
        self._pipe = pipe
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._pipe.fileno(), 65_536):
                self.text = (self.text + chunk)[-KEPT:]

    def all(self) -> str:
        self._thread.join(0.5)
        return self.text.decode("utf-8", "replace")


# --- who listens? ------------------------------------------------------------------------------------------------


def tree(pid: int) -> list[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{name}/stat") as file:
                children.setdefault(int(file.read().rpartition(")")[2].split()[1]), []).append(int(name))
    found, pending = [], [pid]
    while pending:
        found.append(pending.pop())
        pending += children.get(found[-1], [])
    return found


def ports(pid: int) -> list[int]:
    """On which it listens."""
    if not os.path.isdir("/proc/self/fd"):  # noqa: PTH112 - text
        return []
    sockets = set()
    for process in tree(pid):
        with contextlib.suppress(OSError):
            for fd in os.listdir(f"/proc/{process}/fd"):
                with contextlib.suppress(OSError):
                    sockets.add(os.readlink(f"/proc/{process}/fd/{fd}"))
    return sorted({port for port, inode in listeners() if f"socket:[{inode}]" in sockets})


def listeners() -> Iterator[tuple[int, str]]:
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError), open(table) as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if fields[3] == LISTENING:
                    yield int(fields[1].rpartition(":")[2], 16), fields[9]


def ask(port: int, path: str) -> int | None:
    """The status of any HTTP answer; None when there is none."""
    for host in ("127.0.0.1", "::1"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            with socket.create_connection((host, port), timeout=5.0) as line:
                line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n".encode())
                said = line.recv(4_096)
            if said.startswith(b"HTTP/"):
                return int(said.split(None, 2)[1])
    return None


# --- the trial ---------------------------------------------------------------------------------------------------


def watch(process: subprocess.Popen[bytes], asked: dict[str, Any]) -> dict[str, Any]:
    began = time.monotonic()
    listened = False
    while time.monotonic() - began < asked["patience"]:
        if process.poll() is not None:
            return {"exit": process.returncode, "listened": listened}
        for port in ports(process.pid):
            listened = True
            status = ask(port, asked["path"])
            if status is not None:
                return {"answered": status, "port": port}
        if not asked["serves"] and not listened and time.monotonic() - began > asked["settle"]:
            return {"alive": True}
        time.sleep(LOOK)
    return {"late": True, "listened": listened}


def afterwards(asked: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    """What the other command says about it."""
    if not asked.get("then") or "answered" not in seen:
        return {}
    argv = [word.replace("{address}", f"http://127.0.0.1:{seen['port']}") for word in asked["then"]]
    try:
        done = subprocess.run(
            argv,
            env=asked["then_env"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=asked["then_seconds"],
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"then": {"exit": None, "out": "", "err": f"{type(error).__name__}: {error}"[-2_000:]}}
    out, err = done.stdout[-KEPT:].decode("utf-8", "replace"), done.stderr[-4_000:].decode("utf-8", "replace")
    return {"then": {"exit": done.returncode, "out": out, "err": err}}


def end(process: subprocess.Popen[bytes]) -> None:
    for kill in (signal.SIGTERM, signal.SIGKILL):
        for pid in tree(process.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, kill)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    asked = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    port = str(free_port())
    argv = [word.replace("\0port\0", port) for word in asked["argv"]]
    try:
        process = subprocess.Popen(
            argv,
            cwd=asked["cwd"],
            env={**asked["env"], "PORT": port},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        print(json.dumps({"exit": 127, "output": f"{type(error).__name__}: {error}"}))
        return
    output = Output(process.stdout)
    try:
        seen = watch(process, asked)
        seen.update(afterwards(asked, seen))
    finally:
        end(process)
    print(json.dumps({**seen, "output": output.all()}))


if __name__ == "__main__":
    main()
