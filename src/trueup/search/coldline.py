"""How are edits tried that need an import of their own? In children of a process that has imported nothing of them."""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from .children import Child, new_word
from .facing import Plan

_PATIENCE = 10.0
"""Seconds for what is left at the end."""


class ColdLine:
    """The way to it."""

    def __init__(self, line: socket.socket, folder: str) -> None:
        self._line, self._folder, self._number = line, folder, 0

    def preload(self, modules: list[str]) -> None:
        self._send({"preload": modules})
        self._line.recv(64)

    def ask(self, texts: dict[str, bytes], plan: Plan) -> Child:
        ours, theirs = os.pipe()
        word, limit = new_word(), plan.short + plan.long + 2.0
        job = {"texts": {path: text.decode() for path, text in texts.items()}, "plan": vars(plan), "word": word}
        self._send({**job, "limit": limit}, theirs)
        os.close(theirs)
        return Child(pid=int(self._line.recv(64)), pipe=ours, word=word, limit=limit, ours=False)

    def _send(self, job: dict[str, Any], *fds: int) -> None:
        self._number += 1
        path = os.path.join(self._folder, f"job-{self._number}.json")  # noqa: PTH118 - text
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - text
            json.dump(job, file)
        socket.send_fds(self._line, [path.encode()], list(fds))


def serve_cold(line: socket.socket) -> tuple[dict[str, Any], int] | None:
    """Waits for jobs; returns in each child with its job and its pipe, and in the process itself never."""
    import importlib

    while True:
        message, fds, _, _ = socket.recv_fds(line, 4096, 4)
        if not message:
            _await_children()
            os._exit(0)
        _reap()
        with open(message, encoding="utf-8") as file:  # noqa: PTH123 - text
            job = json.load(file)
        os.unlink(message)  # noqa: PTH108 - text
        for module in job.get("preload", ()):
            try:
                importlib.import_module(module)
            except Exception:  # noqa: BLE001, S112 - another's package; then each child imports it
                continue
        if "preload" in job:
            gc.freeze()
            line.send(b"0")
            continue
        pid = os.fork()
        if pid == 0:
            line.close()
            return job, fds[0]
        for fd in fds:
            os.close(fd)
        line.send(str(pid).encode())


def _reap() -> bool:
    """Take note of children that ended, so that their processor time counts; whether there may be more."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _await_children() -> None:
    """The search itself is a child, too; it ends now, and has ended its own."""
    until = time.monotonic() + _PATIENCE
    while _reap() and time.monotonic() < until:
        time.sleep(0.02)


def others_packages(root: str) -> list[str]:
    """Modules that are loaded here and are not the project's."""
    found = []
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and not os.path.realpath(file).startswith(root + os.sep) and "__main__" not in name:
            found.append(name)
    return found
