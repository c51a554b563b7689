"""What does a user get when trueup itself is broken? A report on disk, ready to paste, without secrets."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path

import trueup


def report_crash(error: Exception) -> None:
    from trueup.act.environment import secret_values
    from trueup.evidence.redact import Redactor

    text = Redactor(secret_values(os.environ)).redact(_report(error))
    path = _save(text)
    print(f"trueup: a bug in trueup: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"  why   {path or 'the report could not be saved'}", file=sys.stderr)
    print("  do    Please send that file with a bug report. Your checkout was not changed.", file=sys.stderr)


def _report(error: Exception) -> str:
    lines = [
        f"trueup {trueup.__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {' '.join(sys.argv)}",
        "",
        *traceback.format_exception(error),
    ]
    return "\n".join(lines)


def _save(text: str) -> Path | None:
    from trueup.act.project import state_root

    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (state_root(os.environ), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / name).write_text(text, encoding="utf-8")
        except OSError:
            continue
        return folder / name
    return None
