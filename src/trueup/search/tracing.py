"""Which lines of the project does a piece of work run?"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

_TOOL = 4
Known = Callable[[str], str]


class Tracer:
    """Notes lines of the files that `known` has a name for; "" means another's file."""

    def __init__(self, known: Known) -> None:
        self.lines: set[tuple[str, int]] = set()
        self._known = known
        self._names: dict[str, str] = {}
        self._once: Any = None
        """What makes the interpreter report each line only once."""

    def name(self, file: str) -> str:
        if file not in self._names:
            self._names[file] = self._known(file)
        return self._names[file]

    def start(self) -> None:
        if sys.version_info >= (3, 12):
            monitoring = sys.monitoring
            self._once = monitoring.DISABLE
            monitoring.use_tool_id(_TOOL, "trueup")
            monitoring.register_callback(_TOOL, monitoring.events.LINE, self._on_line)
            monitoring.set_events(_TOOL, monitoring.events.LINE)
        else:
            sys.settrace(self._on_call)

    def stop(self) -> None:
        if sys.version_info >= (3, 12):
            sys.monitoring.set_events(_TOOL, 0)
            sys.monitoring.free_tool_id(_TOOL)
        else:
            sys.settrace(None)

    def _on_line(self, code: CodeType, line: int) -> Any:
        name = self.name(code.co_filename)
        if name:
            self.lines.add((name, line))
        return self._once

    def _on_call(self, frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG002 - as `settrace` asks
        name = self.name(frame.f_code.co_filename)
        if not name:
            return None

        def local(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001 - as above
            if event == "line":
                self.lines.add((name, frame.f_lineno))
            return local

        return local
