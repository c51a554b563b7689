"""How is a command run so that it ends on time, keeps what it said, and leaves nothing behind?"""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import shlex
import signal
import socket
import subprocess  # noqa: TID251 - this is the module that starts processes
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

from trueup.act import orphans, warden
from trueup.act.output import Captured, Recorder, bounded_file
from trueup.errors import TrueupError, UnverifiableError

_UNANSWERED = 30.0
"""So long after the last moment at which the warden should have answered, it counts as lost."""
_LOOK = 1.0
"""So often we see whether the warden is at work."""
_OUTSIDER = 1.0
"""So long is read from a pipe that somebody outside the ended tree still holds open and fills."""
_READ = 262_144


class Cancelled(Exception):  # noqa: N818 - it is a request that was carried out, not an error
    """`Processes.cancel` was called before the command could be started."""


class ToolFailed(TrueupError):  # noqa: N818 - says what happened
    """A program that trueup itself needs did not do its work.

    `returncode` is that program's; `exit_code` stays what trueup's own command line returns.
    """

    def __init__(self, argv: Sequence[str], returncode: int | None, why: str) -> None:
        how = "did not finish" if returncode is None else f"ended with exit code {returncode}"
        super().__init__(f"{shlex.join(argv)[:300]} {how}", why=why)
        self.argv = tuple(argv)
        self.returncode = returncode


def make_undumpable() -> None:
    """Keep other processes of the same user from reading our memory and environment. For whole programs only."""
    warden.prctl(warden.PR_SET_DUMPABLE, 0)


# How it ends.


@dataclass(frozen=True, slots=True, kw_only=True)
class Graces:
    """Seconds between INT and TERM, and between TERM and KILL. The first one is over as soon as the main process is."""

    interrupt: float = 2.0
    terminate: float = 1.0

    def within(self, seconds: float) -> tuple[float, Graces]:
        """For a command that has to be gone at its deadline: when to begin with INT, and the graces until then."""
        shorter = Graces(interrupt=min(self.interrupt, seconds * 0.1), terminate=min(self.terminate, seconds * 0.05))
        return seconds - shorter.interrupt - shorter.terminate, shorter


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A command that is over, with everything that it started."""

    argv: tuple[str, ...]
    exit_code: int | None = None
    """Negative for a signal; None if it was not started."""
    not_started: str = ""
    """Why it could not be started; "" if it was."""
    timed_out: bool = False
    cancelled: bool = False
    stdout: Captured = field(default_factory=Captured)
    stderr: Captured = field(default_factory=Captured)
    """Empty when it was merged into stdout."""
    duration: float = 0.0
    cpu_seconds: float = 0.0
    """Of the whole tree."""
    leftovers: tuple[str, ...] = ()
    """Command lines of processes that outlived the main one and were ended."""


DEFAULT_GRACES = Graces()
BRIEF_GRACES = Graces(interrupt=0.4, terminate=0.2)
"""For what has nothing to save: its whole tree is gone within a second of its deadline, or of a cancel."""


class _Lost(Exception):  # noqa: N818 - says what happened
    """The warden is dead or does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remains:
    """What a warden left."""

    complaints: str = ""
    ended: tuple[str, ...] = ()
    """Command lines of processes that it lost and that were ended from here."""
    left: tuple[str, ...] = ()
    """Those that cannot be ended."""


class _Warden:
    """Our side of the warden process. Closing the line makes it end everything that it owns."""

    def __init__(self) -> None:
        self.line, theirs = socket.socketpair()
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", warden.__file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._complaints,
                start_new_session=True,
                cwd="/",
                # Only what an interpreter may need to find its own libraries: no secrets, nothing that steers it.
                env={name: os.environ[name] for name in ("LD_LIBRARY_PATH", "PATH") if name in os.environ},
            )
        self.line.settimeout(_UNANSWERED)
        self._main = 0
        """The running command's process, which leads a group of the same number."""
        self._mark = orphans.new_mark()

    def tell(self, message: warden.Message, fds: Sequence[int] = ()) -> None:
        try:
            warden.send(self.line, {**message, "mark": self._mark}, fds)
        except OSError as error:
            raise _Lost(str(error)) from error

    def answer(self) -> warden.Message:
        try:
            received = warden.receive(self.line)
        except TimeoutError as error:
            raise _Lost("it stopped in the middle of an answer") from error
        if received is None:
            raise _Lost("it ended without an answer")
        self._main = received[0].get("started", 0)
        return received[0]

    def look(self) -> None:
        """Raise if somebody keeps it from its work."""
        if hindrance := orphans.hindrance(self._process.pid):
            raise _Lost(hindrance)

    def stop(self) -> _Remains:
        """End it and its tree, and wait until both are gone."""
        self.line.close()
        try:
            self._process.wait(warden.GIVE_UP + _UNANSWERED)
        except subprocess.TimeoutExpired:
            self._kill_tree()
        # One that was killed has ended nothing.
        ended, left = self._end_orphans() if self._process.returncode < 0 else ((), ())
        with self._complaints as file:
            file.seek(0)
            return _Remains(complaints=file.read().decode(errors="replace").strip(), ended=ended, left=left)

    def replace(self) -> _Remains:
        """Do the work of a warden that is lost."""
        ended = self._kill_tree()
        remains = self.stop()
        return replace(remains, ended=(*ended, *remains.ended))

    def _end_orphans(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if self._main:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._main, signal.SIGKILL)
        return orphans.end_marked(self._mark, patience=warden.GIVE_UP)

    def _kill_tree(self) -> tuple[str, ...]:
        """As long as it is there, orphans come to it, even if it is stopped. The command lines of its tree."""
        ended: dict[int, str] = {}
        until = time.monotonic() + warden.GIVE_UP
        while self._process.poll() is None and time.monotonic() < until:
            tree = {pid: name for pid in warden.frozen_tree(self._process.pid) if (name := warden.command_line(pid))}
            if not tree:
                break
            ended |= tree
            warden.signal_each(list(tree), signal.SIGKILL)
            time.sleep(warden.KILL_AGAIN)
        self._process.kill()
        self._process.wait()
        return tuple(ended.values())


class _Pipes:
    """The command's standard streams: its ends, to hand over, and ours, to read."""

    def __init__(
        self, stack: contextlib.ExitStack, stdin: bytes | None, enough: Callable[[], bool] | None = None
    ) -> None:
        self._stack = stack
        self._enough = enough
        self._handing_over = stack.enter_context(contextlib.ExitStack())
        self._theirs = [self._handing_over.enter_context(_input(stdin)).fileno()]
        self._sinks: dict[int, tuple[Callable[[bytes], object], ...]] = {}

    def read_into(self, *sinks: Callable[[bytes], object]) -> None:
        """The next output stream. With one, stdout and stderr are the same."""
        ours, theirs = os.pipe()
        self._stack.callback(os.close, ours)
        self._handing_over.callback(os.close, theirs)
        os.set_blocking(ours, False)
        self._theirs.append(theirs)
        self._sinks[ours] = sinks

    def hand_over(self, owner: _Warden, request: warden.Message) -> None:
        stdin, stdout, *stderr = self._theirs
        owner.tell(request, [stdin, stdout, *(stderr or [stdout])])
        self._handing_over.close()  # else we would never see their end

    def ours(self) -> Iterable[int]:
        return self._sinks

    def read(self, fd: int) -> bool:
        """Pass on what is there; False at the end of the stream."""
        chunk = os.read(fd, _READ)
        for sink in self._sinks[fd] if chunk else ():
            sink(chunk)
        return bool(chunk)

    def have_enough(self) -> bool:
        """True once: when whoever reads them wants no more."""
        if self._enough is None or not self._enough():
            return False
        self._enough = None
        return True

    def drain(self) -> None:
        """Read what an ended tree left in the pipes. Somebody else may hold them open, so nothing is waited for."""
        until = time.monotonic() + _OUTSIDER
        for fd in self._sinks:
            with contextlib.suppress(BlockingIOError):
                while self.read(fd) and time.monotonic() < until:
                    pass


def _input(stdin: bytes | None) -> IO[bytes]:
    """A file rather than a pipe: nobody has to feed it, and a command that never reads it cannot block us."""
    if stdin is None:
        return Path(os.devnull).open("rb")
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(stdin)
    file.seek(0)
    return file


class Processes:
    """Runs commands, one at a time, from any thread, and owns all that they start.

    Contract: when `run` returns, nothing of the command runs any more, except what it had another server start
    for it. When this process ends, in whatever way, the running command's tree is killed. The host process itself
    is not altered: no signal handler, no sub-reaper, no attribute.
    """

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._warden: _Warden | None = None
        self._cancelled = False
        self._awaken: socket.socket | None = None
        """Wakes up whoever waits for the warden's answer; there is one while the context is open."""

    def __enter__(self) -> Self:
        self._awaken, self._awoken = socket.socketpair()
        self._awaken.setblocking(False)
        self._warden = _Warden()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()
        with self._one_at_a_time:
            self._stop()
            if self._awaken is not None:
                self._awaken.close()
                self._awoken.close()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called; nothing is started any more."""
        return self._cancelled

    def cancel(self) -> None:
        """End the running command and start no other. Asked again, it skips the graces.

        May be called from any thread and from a signal handler: it sets a flag and sends one byte.
        """
        self._cancelled = True
        if self._awaken is not None:
            with contextlib.suppress(OSError):  # full: enough was said; closed: nothing runs
                self._awaken.send(b"!")

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout: float | None,
        stdin: bytes | None = None,
        merge_stderr: bool = True,
        on_output: Callable[[bytes], None] | None = None,
        output_file: Path | None = None,
        keep: int = 4_000_000,
        graces: Graces = DEFAULT_GRACES,
        spare_main: bool = False,
        enough: Callable[[], bool] | None = None,
    ) -> Completed:
        """Run a command to its end and to the end of all that it started.

        `env` is its whole environment (with `PWD` set to `cwd`, because programs believe it). `on_output` and
        `output_file` get stdout as it comes, with stderr in it when merged. At most `keep` bytes of each stream are
        returned. With `spare_main`, INT and TERM go only to what the main process, a wrapper, started. `enough` is
        asked after each piece of output: once it says so, the command is ended, with its graces, as `cancelled`.

        Raises `Cancelled` if `cancel` came first, `TrueupError` if the warden is lost or something cannot be ended;
        what `on_output` raises is passed on, after the tree has been ended.
        """
        with self._one_at_a_time, contextlib.ExitStack() as stack:
            if self._cancelled:
                raise Cancelled
            file = stack.enter_context(bounded_file(output_file))
            stdout, stderr = Recorder(keep), Recorder(keep)
            pipes = _Pipes(stack, stdin, enough)
            pipes.read_into(*(sink for sink in (stdout.feed, file, on_output) if sink))
            if not merge_stderr:
                pipes.read_into(stderr.feed)
            started = time.monotonic()
            request = _request(argv, cwd, env, timeout, graces) | {"spare_main": spare_main}
            report = self._perform(request, pipes)
            return Completed(
                argv=tuple(argv),
                stdout=stdout.captured(),
                stderr=stderr.captured(),
                duration=time.monotonic() - started,
                **report,
            )

    def confined(self, enclosure: Enclosure) -> Processes:
        """The same processes, for commands that see and reach only what the enclosure lets them."""
        return _Confined(self, enclosure)

    def hurried(self) -> Processes:
        """The same processes, for commands that have nothing to save: gone within a second of being told to end."""
        return _Hurried(self)

    def _perform(self, request: warden.Message, pipes: _Pipes) -> dict[str, Any]:
        """Let the warden do it; what it reported, without what nobody wants to see in a result."""
        owner = self._warden = self._warden or _Warden()
        try:
            pipes.hand_over(owner, request)
            report = self._await_answer(owner, request, pipes)
            pipes.drain()
        except _Lost as lost:
            self._warden = None
            raise _lost_warden(lost, owner.replace()) from lost
        except BaseException:
            self._stop()
            raise
        if survivors := report.pop("survivors", ()):
            self._stop()
            raise _cannot_end(survivors)
        return {**report, "leftovers": tuple(report.get("leftovers", ()))}

    def _await_answer(self, owner: _Warden, request: warden.Message, pipes: _Pipes) -> warden.Message:
        """Read the output and pass cancellation on until the warden says that the tree is gone."""
        patience = request["interrupt"] + request["terminate"] + warden.SETTLE + warden.GIVE_UP + _UNANSWERED
        latest = math.inf if request["timeout"] is None else time.monotonic() + request["timeout"] + patience
        looked = time.monotonic()
        with selectors.DefaultSelector() as ready:
            for fd in (owner.line.fileno(), self._awoken.fileno(), *pipes.ours()):
                ready.register(fd, selectors.EVENT_READ)
            while True:
                events = ready.select(min(_LOOK, max(0.0, latest - time.monotonic())))
                looked = _looked(owner, looked)
                readable = {key.fd for key, _ in events}
                if owner.line.fileno() in readable and "started" not in (answer := owner.answer()):
                    return answer
                if not readable and time.monotonic() >= latest:
                    raise _Lost("it did not answer in time")
                if self._awoken.fileno() in readable:
                    latest = min(latest, time.monotonic() + patience)
                    self._pass_on_cancel(owner)
                for fd in readable.intersection(pipes.ours()):
                    if not pipes.read(fd):
                        ready.unregister(fd)
                if pipes.have_enough():
                    latest = min(latest, time.monotonic() + patience)
                    owner.tell({"cancel": True})

    def _pass_on_cancel(self, owner: _Warden) -> None:
        for _ in self._awoken.recv(16):
            owner.tell({"cancel": True})

    def _stop(self) -> None:
        owner, self._warden = self._warden, None
        if owner:
            owner.stop()


class Enclosure(Protocol):
    """A sandbox around a command."""

    def enclosed(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], status: Path
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        """The command that runs this one inside, and its variables. `status` is an empty file for its own notes."""

    def not_started(self, done: Completed, env: Mapping[str, str], notes: bytes) -> str:
        """Why the command inside never began; "" if it did. `notes` is what `status` holds."""


class _View(Processes):
    """Other processes, seen in some way: one warden, one command at a time, one cancel for both."""

    def __init__(self, inner: Processes) -> None:
        super().__init__()
        self._inner = inner

    @property
    def cancelled(self) -> bool:
        return self._inner.cancelled

    def cancel(self) -> None:
        self._inner.cancel()


class _Hurried(_View):
    def run(self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], **how: Any) -> Completed:
        return self._inner.run(argv, cwd=cwd, env=env, **{"graces": BRIEF_GRACES, **how})


class _Confined(_View):
    def __init__(self, inner: Processes, enclosure: Enclosure) -> None:
        super().__init__(inner)
        self._enclosure = enclosure

    def run(self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], **how: Any) -> Completed:
        with tempfile.NamedTemporaryFile(prefix="trueup-") as status:
            outer, variables = self._enclosure.enclosed(argv, cwd=cwd, env=env, status=Path(status.name))
            done = self._inner.run(outer, cwd=cwd, env=variables, **how, spare_main=True)
            done = replace(done, argv=tuple(argv))
            if done.timed_out or done.cancelled or done.exit_code == 0:
                return done
            why = done.not_started or self._enclosure.not_started(done, env, status.read())
        return replace(done, exit_code=None, not_started=why) if why else done


def _request(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], timeout: float | None, graces: Graces
) -> warden.Message:
    folder = os.path.abspath(cwd)  # noqa: PTH100 - a symlink in the working directory stays as it was given
    return {
        "argv": [warden.to_wire(word) for word in argv],
        "cwd": warden.to_wire(folder),
        "env": {warden.to_wire(name): warden.to_wire(value) for name, value in {**env, "PWD": folder}.items()},
        "timeout": timeout,
        "interrupt": graces.interrupt,
        "terminate": graces.terminate,
    }


def _looked(owner: _Warden, last: float) -> float:
    """When the warden was last seen at work, which is asked for now and then."""
    now = time.monotonic()
    if now - last < _LOOK:
        return last
    owner.look()
    return now


def _lost_warden(lost: _Lost, remains: _Remains) -> TrueupError:
    found = f"{len(remains.ended)} process(es) of the command were found and ended" if remains.ended else ""
    stuck = f"{len(remains.left)} cannot be ended: {'; '.join(remains.left)}" if remains.left else ""
    return UnverifiableError(
        "the process that watches over the running command was lost: the command, or somebody else, ended it",
        why="; ".join(filter(None, (str(lost), remains.complaints[-500:], found, stuck))),
        do="A process that hides on purpose may be left: look for it, then `trueup resume`. --sandbox prevents that.",
    )


def _cannot_end(survivors: Sequence[str]) -> TrueupError:
    return TrueupError(
        f"{len(survivors)} process(es) of the command cannot be ended",
        why="still there after SIGKILL: " + "; ".join(survivors),
        do="end them, then resume the run",
    )


# Programs that trueup itself needs.


def quick(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    input: bytes = b"",  # noqa: A002 - as in subprocess.run
    timeout: float = 120.0,
    check: bool = True,
) -> bytes:
    """The output of a short, trusted program, such as git, run in a session of its own.

    Raises `ToolFailed` if it cannot be started or takes too long, and, with `check`, if its exit code is not 0.
    """
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(argv, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise ToolFailed(argv, None, str(error)) from error
    with process:
        output, complaints = _communicate(process, argv, input, timeout)
    if check and process.returncode:
        raise ToolFailed(argv, process.returncode, _last_lines(complaints))
    return output


def _communicate(
    process: subprocess.Popen[bytes], argv: Sequence[str], stdin: bytes, timeout: float
) -> tuple[bytes, bytes]:
    try:
        return process.communicate(stdin, timeout)
    except subprocess.TimeoutExpired as error:
        raise ToolFailed(argv, None, f"it took longer than {timeout:g} s") from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _last_lines(complaints: bytes, count: int = 10) -> str:
    return "\n".join(complaints.decode(errors="replace").strip().splitlines()[-count:])
