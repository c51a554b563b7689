"""Does the sandbox hold? A program inside tries what it must not do; the result is looked at from outside."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.act.process import Completed, Processes
from trueup.act.sandbox import Reach, Sandbox

_SECONDS = 30.0
_ATTEMPTS = """\
import glob, json, socket, sys
asked = json.load(sys.stdin)
def attempt(deed):
    try:
        return deed()
    except OSError as error:
        return f"refused: {error.strerror or error}"
def write(path):
    with open(path, "w") as file:
        file.write("x")
    return "done"
def command(path):
    with open(path, "rb") as file:
        return file.read().decode(errors="replace")
print(json.dumps({
    "write": [attempt(lambda: write(path)) for path in asked["write"]],
    "read": attempt(lambda: open(asked["read"]).read()),
    "connect": attempt(lambda: socket.create_connection(("127.0.0.1", asked["port"]), 5) and "done"),
    "commands": [attempt(lambda: command(path)) for path in glob.glob("/proc/[0-9]*/cmdline")],
}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    tried: str
    holds: bool
    text: str = ""
    """What happened instead; "" when it holds."""


def try_sandbox(
    sandbox: Sandbox, processes: Processes, environ: Mapping[str, str], checkout: Path
) -> tuple[Trial, ...]:
    """Everything that a check must not do, tried as a check."""
    mark = secrets.token_hex(8)
    name = f".trueup-doctor-{mark}"
    places = [os.path.join(folder, name) for folder in (os.fspath(checkout), *sandbox.homes, "/usr")]  # noqa: PTH118 - text
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trueup-doctor-")))
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        listener.setblocking(False)
        secret = stack.enter_context(_secret(sandbox.homes[0], mark))
        asked = {"write": places, "read": secret, "port": listener.getsockname()[1]}
        inside = processes.confined(sandbox.around(Reach(writable=(scratch,))))
        argv = (sys.executable, "-I", "-S", "-c", _ATTEMPTS, mark)
        done = inside.run(argv, cwd=scratch, env=environ, timeout=_SECONDS, stdin=json.dumps(asked).encode())
        said = _answers(done)
        if said is None:
            why = done.not_started or done.stdout.text().strip()[-300:] or f"exit code {done.exit_code}"
            return (Trial(tried="to run a program inside", holds=False, text=why),)
        return tuple(_judged(said, mark, places, secret, listener))


@contextlib.contextmanager
def _secret(home: str, mark: str) -> Iterator[str]:
    """A file in the home folder, for a moment; "" where none can be written."""
    try:
        file = tempfile.NamedTemporaryFile("w", prefix=".trueup-doctor-", dir=home)  # noqa: SIM115 - closed below
    except OSError:
        yield ""
        return
    with file:
        file.write(mark)
        file.flush()
        yield file.name


def _answers(done: Completed) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError):
        answers = json.loads(done.stdout.text())
        return answers if isinstance(answers, dict) and done.exit_code == 0 else None
    return None


def _judged(
    said: dict[str, Any], mark: str, places: list[str], secret: str, listener: socket.socket
) -> Iterator[Trial]:
    written = [place for place in places if _was_written(place)]
    yield Trial(tried="a write outside", holds=not written, text=", ".join(written))
    if secret:
        yield Trial(tried="a read in the home folder", holds=said["read"] != mark, text=secret)
    yield Trial(
        tried="the network from a check", holds=not _was_called(listener), text="it reached a server of the host"
    )
    others = [words.replace("\0", " ").strip() for words in said["commands"] if mark not in words]
    yield Trial(tried="to see other processes", holds=not others, text="; ".join(others)[:200])


def _was_written(place: str) -> bool:
    there = os.path.lexists(place)
    if there:
        os.unlink(place)  # noqa: PTH108 - text
    return there


def _was_called(listener: socket.socket) -> bool:
    try:
        connection, _ = listener.accept()
    except BlockingIOError:
        return False
    connection.close()
    return True
