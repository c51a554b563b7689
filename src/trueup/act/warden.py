"""Who ends everything that a command started, whatever becomes of trueup itself?

This file runs as a small process of its own, beside the program that uses trueup: a sub-reaper, so that every orphan
of a command comes to it and "no children left" is exactly "the tree is empty". It has one thread and needs nothing
but the standard library. When its line to the host closes, it kills what it owns and goes.

Outside Linux there is no sub-reaper: only the command's own process group is ended.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import selectors
import signal
import socket
import subprocess  # noqa: TID251 - the warden is the process owner's other half
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Any

Message = dict[str, Any]

SETTLE = 0.2
"""What outlives the main process may end by itself for so long: helpers that notice a closed pipe do."""
GIVE_UP = 10.0
"""After so many seconds of SIGKILL a process is beyond us (uninterruptible, or of another user)."""
KILL_AGAIN = 0.02
FREEZES = 5
"""So many looks for processes that were started meanwhile, before those that are known are killed."""
MOST_NAMED = 20
LONGEST_NAME = 200

LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


def prctl(option: int, value: int) -> bool:
    """Set an attribute of this process; whether the kernel did. Outside Linux there is nothing to set."""
    if not LINUX:
        return True
    import ctypes

    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


# The line between host and warden: a length, then JSON; file descriptors travel with the length.


def send(line: socket.socket, message: Message, fds: Sequence[int] = ()) -> None:
    body = json.dumps(message).encode()
    socket.send_fds(line, [len(body).to_bytes(4, "big")], fds)
    line.sendall(body)


def receive(line: socket.socket) -> tuple[Message, list[int]] | None:
    """The next message and its file descriptors; None when the other side is gone."""
    try:
        header, fds, _, _ = socket.recv_fds(line, 4, 3)
        body = _exactly(line, int.from_bytes(header, "big")) if len(header) == 4 else b""  # noqa: PLR2004 - as sent
    except ConnectionError:
        return None
    return (json.loads(body), fds) if body else None


def _exactly(line: socket.socket, size: int) -> bytes:
    received = bytearray()
    while len(received) < size:
        chunk = line.recv(size - len(received))
        if not chunk:
            return b""
        received += chunk
    return bytes(received)


def to_wire(text: str | os.PathLike[str]) -> str:
    """Names and values are bytes that need not be UTF-8; JSON carries them one character per byte."""
    return os.fsencode(text).decode("latin-1")


def from_wire(text: str) -> bytes:
    return text.encode("latin-1")


# The tree, as the kernel shows it.


def descendants(root: int) -> list[int]:
    """Pids of all processes below `root`, parents first. A snapshot: repeat it until nothing is left."""
    known = os.path.exists(f"/proc/{root}/task/{root}/children")  # noqa: PTH110 - False where we may not look
    children = _children if known else _children_by_scan()
    found: dict[int, None] = {}
    todo = [root]
    while todo:
        born = [pid for pid in children(todo.pop()) if pid not in found]
        found |= dict.fromkeys(born)
        todo += born
    return list(found)


def frozen_tree(root: int) -> list[int]:
    """All of them, stopped first: what is stopped starts nothing behind our back."""
    stopped: set[int] = set()
    for _ in range(FREEZES):
        new = set(descendants(root)) - stopped
        if not new:
            break
        for pid in new:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGSTOP)
        stopped |= new
    return list(stopped)


def _children(pid: int) -> list[int]:
    return [int(word) for text in _task_children(pid) for word in text.split()]


def _task_children(pid: int) -> Iterator[str]:
    with contextlib.suppress(OSError):  # it ended while we looked
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                yield (task / "children").read_text()


def _children_by_scan() -> Callable[[int], list[int]]:
    """The same for kernels without `children` files, from one look at every process."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name in parentheses may hold anything, so count from its end.
            parent = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
            parents.setdefault(parent, []).append(int(folder.name))
    return lambda pid: parents.get(pid, [])


def command_line(pid: int) -> str:
    """How a living process was started; "" for one that has ended."""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        return b" ".join(words).decode(errors="replace")[:LONGEST_NAME]
    return ""


def signal_each(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
            os.kill(pid, signal.SIGCONT)  # a stopped process hears INT and TERM only when it goes on


# One command, from its start until nothing of it is left.


class Stage(Enum):
    RUNNING = auto()
    INTERRUPTING = auto()
    SETTLING = auto()
    TERMINATING = auto()
    KILLING = auto()


class Command:
    """A command and all that it started. `advance` moves it along: INT, then TERM, then KILL until it is gone."""

    def __init__(self, main: int, request: Message) -> None:
        self.main = main
        self.exit_code: int | None = None
        self.timed_out = self.cancelled = self.empty = False
        self.cpu_seconds = 0.0
        self.leftovers: dict[int, str] = {}
        self._spared = main if request.get("spare_main") else None
        self._interrupt_grace: float = request["interrupt"]
        self._terminate_grace: float = request["terminate"]
        self._enter(Stage.RUNNING, math.inf if request["timeout"] is None else request["timeout"])

    def _enter(self, stage: Stage, seconds: float) -> None:
        self.stage, self.until = stage, time.monotonic() + seconds

    def reap(self) -> None:
        """Collect who ended. No child at all means no descendant: orphans become our children."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                self.empty = LINUX or not _group_lives(self.main)
                return
            if pid == 0:
                return
            self.cpu_seconds += usage.ru_utime + usage.ru_stime
            if pid == self.main:
                self.exit_code = os.waitstatus_to_exitcode(status)

    def advance(self) -> None:
        late = time.monotonic() >= self.until
        match self.stage:
            case Stage.RUNNING | Stage.INTERRUPTING if self.exit_code is not None:
                self._enter(Stage.SETTLING, SETTLE)
            case Stage.RUNNING if late:
                self.timed_out = True
                self._interrupt()
            case Stage.INTERRUPTING | Stage.SETTLING if late:
                self._signal(signal.SIGTERM)
                self._enter(Stage.TERMINATING, self._terminate_grace)
            case Stage.TERMINATING if late:
                self.kill()
            case Stage.KILLING:
                self._signal(signal.SIGKILL)

    def cancel(self) -> None:
        """The first time the command may still say good-bye; asked again, it may not."""
        if self.stage is not Stage.RUNNING:
            self.kill()
        elif self.exit_code is None:
            self.cancelled = True
            self._interrupt()

    def kill(self) -> None:
        if self.stage is not Stage.KILLING:
            self._enter(Stage.KILLING, GIVE_UP)
        self._signal(signal.SIGKILL)

    def _interrupt(self) -> None:
        self._signal(signal.SIGINT)
        self._enter(Stage.INTERRUPTING, self._interrupt_grace)

    def _signal(self, number: signal.Signals) -> None:
        if not LINUX:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.main, number)
            return
        tree = frozen_tree(os.getpid()) if number is signal.SIGKILL else descendants(os.getpid())
        if self.exit_code is not None:
            self.leftovers |= {pid: name for pid in tree if (name := command_line(pid))}
        if number is not signal.SIGKILL:  # a sandbox around the command would end it before it can say good-bye
            tree = [pid for pid in tree if pid != self._spared]
        signal_each(tree, number)

    @property
    def over(self) -> bool:
        return self.empty or (self.stage is Stage.KILLING and time.monotonic() >= self.until)

    @property
    def pause(self) -> float | None:
        """How long nothing needs doing unless something happens; None for as long as it takes."""
        if self.stage is Stage.KILLING:
            return KILL_AGAIN
        return None if math.isinf(self.until) else max(0.0, self.until - time.monotonic())

    def report(self) -> Message:
        survivors = [] if self.empty else [f"{pid} {command_line(pid)}" for pid in descendants(os.getpid())]
        return {
            "exit_code": self.exit_code,
            "timed_out": self.timed_out,
            "cancelled": self.cancelled,
            "cpu_seconds": self.cpu_seconds,
            "leftovers": list(self.leftovers.values())[:MOST_NAMED],
            "survivors": survivors[:MOST_NAMED],
        }


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


# The process itself.


class Host:
    """The program that we work for: its requests, and the news that it is gone."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.gone = False
        self.requests: list[tuple[Message, list[int]]] = []
        self._ready = selectors.DefaultSelector()
        self._ready.register(line, selectors.EVENT_READ, self._on_line)
        self._ready.register(_wake_on_child(), selectors.EVENT_READ, self._on_child)
        if LINUX:
            # A forked copy of the host may hold its end of the line open; the pid tells the truth.
            with contextlib.suppress(OSError):
                self._ready.register(os.pidfd_open(os.getppid()), selectors.EVENT_READ, self._on_end)

    def wait(self, seconds: float | None) -> None:
        """Until a request, the end of a child or of the host, or the time is up."""
        for key, _ in self._ready.select(seconds):
            key.data(key.fd)

    def _on_line(self, _: int) -> None:
        request = receive(self.line)
        if request is None:
            self._on_end()
        else:
            self.requests.append(request)

    def _on_child(self, fd: int) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(fd, 4096)

    def _on_end(self, _: int = 0) -> None:
        self.gone = True
        self._ready.close()
        self._ready = selectors.DefaultSelector()  # what is readable for ever would keep `wait` from waiting

    def tell(self, message: Message) -> None:
        with contextlib.suppress(ConnectionError):  # noticed at the next wait
            send(self.line, message)


def _wake_on_child() -> int:
    """A descriptor that becomes readable whenever a child ends."""
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _heed_nothing)
    return readable


def _heed_nothing(number: int, frame: object) -> None:
    """Unlike SIG_IGN a handler is not inherited, so commands start with the usual dispositions."""


def take_office() -> None:
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _heed_nothing)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    prctl(PR_SET_DUMPABLE, 0)
    if not prctl(PR_SET_CHILD_SUBREAPER, 1):
        sys.exit("the kernel does not let us adopt orphans, so nothing could be ended reliably")


def spawn(request: Message, fds: list[int]) -> int:
    """Start the command in a session of its own; its pid. OSError or ValueError when it cannot be started."""
    process = subprocess.Popen(
        [from_wire(word) for word in request["argv"]],
        cwd=from_wire(request["cwd"]),
        env={from_wire(name): from_wire(value) for name, value in request["env"].items()},
        stdin=fds[0],
        stdout=fds[1],
        stderr=fds[2],
        start_new_session=True,
        preexec_fn=lambda: _belong(request.get("mark", 0)),  # noqa: PLW1509 - the warden has one thread
    )
    process.returncode = 0  # `Command.reap` waits for it, not this object
    return process.pid


def _belong(mark: int) -> None:
    """Die with the warden; and pass on a mark by which the rest is found if somebody kills the warden."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if mark:
        resource.setrlimit(resource.RLIMIT_RTTIME, (mark, mark))


def serve(host: Host, request: Message, fds: list[int]) -> None:
    """Run one command; answer when its whole tree is gone."""
    try:
        main = spawn(request, fds)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        host.tell({"not_started": _reason(error, request)})
        return
    finally:
        for fd in fds:
            os.close(fd)
    host.tell({"started": main})
    command = Command(main, request)
    while not command.over:
        host.wait(command.pause)
        command.reap()
        _heed(host, command)
        if not command.over:
            command.advance()
    host.tell(command.report())


def _heed(host: Host, command: Command) -> None:
    if host.gone:
        command.kill()
    for _ in host.requests:  # while a command runs, the only request is to cancel it
        command.cancel()
    host.requests.clear()


def _reason(error: Exception, request: Message) -> str:
    program, folder = (os.fsdecode(from_wire(text)) for text in (request["argv"][0], request["cwd"]))
    if not isinstance(error, OSError):
        return f"{program}: {error}"
    if error.filename == os.fsencode(folder):
        return f"{folder}: {error.strerror} (the working directory)"
    if not _exists(program, folder, request["env"].get("PATH", os.defpath)):
        return f"{program}: command not found"
    if isinstance(error, FileNotFoundError):
        return f"{program}: its interpreter was not found"
    return f"{program}: {error.strerror}"


def _exists(program: str, folder: str, path: str) -> bool:
    """Asked because a folder on PATH that we may not enter makes a missing program look forbidden."""
    places = [""] if "/" in program else os.fsdecode(from_wire(path)).split(os.pathsep)
    # Unlike Path.exists, this is False, not an error, where we may not look.
    return any(os.path.exists(os.path.join(folder, place, program)) for place in places)  # noqa: PTH110, PTH118 - see above


def main() -> None:
    take_office()
    host = Host(socket.socket(fileno=int(sys.argv[1])))
    while not host.gone:
        host.wait(None)
        while host.requests:
            request, fds = host.requests.pop(0)
            if "argv" in request:  # a cancel that crossed the end of its command has nothing left to end
                serve(host, request, fds)


if __name__ == "__main__":
    main()
