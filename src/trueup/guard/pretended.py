"""What does a model hear, on this machine, that only ever says that it is done?"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from trueup.guard.wires import JSON, answer

_LARGEST = 50_000_000
DONE = "I am done."
REALLY_DONE = "Really done."


class PretendedModel:
    """Listens on loopback while its context is open.

    `on_asked` is called at the first question and `on_heard` when `token` first comes with one, each once and before
    the answer is given.
    """

    def __init__(self, token: str, *, on_asked: Callable[[], None], on_heard: Callable[[], None]) -> None:
        self.asked = 0
        self.heard = False
        self._token = token.encode()
        self._on_asked, self._on_heard = on_asked, on_heard
        self._one_at_a_time = threading.Lock()

    def __enter__(self) -> Self:
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def hear(self, question: bytes) -> str:
        """One question to the model, and what it says."""
        with self._one_at_a_time:
            if not self.asked:
                self._on_asked()
            self.asked += 1
            if self._token in question and not self.heard:
                self.heard = True
                self._on_heard()
            return REALLY_DONE if self.heard else DONE


class _Server(ThreadingHTTPServer):
    def __init__(self, model: PretendedModel) -> None:
        super().__init__(("127.0.0.1", 0), _Line)
        self.model = model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A program that was ended in the middle of a question is no news for the screen."""


class _Line(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Nobody reads it."""

    def do_GET(self) -> None:
        """Programs ask which models there are."""
        known = self.path.partition("?")[0].endswith("/models")
        self._send(200 if known else 404, JSON, json.dumps({"object": "list", "data": [], "models": []}).encode())

    def do_CONNECT(self) -> None:
        """Asked as a proxy: the way to ourselves is this line, and there is no other way."""
        if self.path == f"127.0.0.1:{self.server.server_port}":
            self.send_response(200)
            self.end_headers()
            self.close_connection = False
        else:
            self._send(403, JSON, b"{}")

    def do_POST(self) -> None:
        body = self._body()
        if answer(self.path, {}, "") is None:
            self._send(404, JSON, b'{"error": {"message": "nobody is here"}}')
            return
        try:
            question = json.loads(body)
        except ValueError:
            question = None
        said = answer(self.path, question, self._said(body)) if isinstance(question, dict) else None
        if said is None:
            self._send(400, JSON, b'{"error": {"message": "that cannot be read"}}')
        else:
            self._send(200, *said)

    def _said(self, body: bytes) -> str:
        return "" if "okens" in self.path else self.server.model.hear(body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(iter(self._chunk, b""))
        size = self.headers.get("Content-Length", "")
        return self.rfile.read(min(int(size), _LARGEST)) if size.isdecimal() else b""

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline(100).partition(b";")[0].strip() or b"0", 16)
        piece = self.rfile.read(min(size, _LARGEST))
        self.rfile.readline(100)
        return piece

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = True
