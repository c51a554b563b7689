"""What is tried with an import of its own counts as processor time of the search, and is waited for."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

from trueup.search.coldline import ColdLine, serve_cold
from trueup.search.facing import Plan

BURNT = 0.4


def test_the_processor_time_of_children_that_imported_anew_is_counted(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    server = os.fork()
    if server == 0:
        try:
            theirs.close()
            asked = serve_cold(ours)
            while asked is not None and time.process_time() < BURNT:
                pass
        finally:
            os._exit(0)
    ours.close()
    line = ColdLine(theirs, str(tmp_path))
    child = line.ask({}, Plan([], [], [], 0.1, 0.1))
    assert os.read(child.pipe, 1) == b""  # its end
    theirs.close()
    _, status, used = os.wait4(server, 0)
    os.close(child.pipe)
    assert status == 0
    assert used.ru_utime + used.ru_stime >= BURNT
