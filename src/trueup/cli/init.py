"""`trueup init`: write a first `trueup.toml` from what is found."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trueup.cli.options import HERE, Directory, Json

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.errors import UsageError
    from trueup.verify.detect import Detected


def command(directory: Directory = HERE, json: Json = False) -> None:
    """Write a commented trueup.toml with the checks that this project seems to have. Never overwrites one.

    \b
      trueup init
      trueup check
    """
    from trueup.act.command_line import which
    from trueup.act.project import find_project
    from trueup.cli.shelf import show, show_json
    from trueup.config import starter_config
    from trueup.report.text import unchanged
    from trueup.verify.detect import detect_checks

    root = find_project(directory).root
    path = _free(root)
    found = detect_checks(root, lambda name: which(name, os.environ.get("PATH", "")))
    _write(path, starter_config([d.spec for d in found], ()))
    if json:
        checks = [{"name": d.spec.name, "run": d.spec.run, "origin": d.origin} for d in found]
        show_json({"path": str(path), "checks": checks}, unchanged)
    else:
        show(_lines(path, found), unchanged)


def _free(root: Path) -> Path:
    from trueup.config.file import FILE, load_config

    path = root / FILE
    if os.path.lexists(path):
        raise _there(str(path))
    source = load_config(root).source
    if source is not None:
        raise _there(f"[tool.trueup] in {source}")
    return path


def _there(what: str) -> UsageError:
    from trueup.errors import UsageError

    return UsageError(f"{what} is there already", why="It is never overwritten.", do="Edit it, or remove it first.")


def _write(path: Path, text: str) -> None:
    from trueup.errors import UnverifiableError

    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise _there(str(path)) from error
    except OSError as error:
        raise UnverifiableError(f"{path} cannot be written", why=str(error.strerror)) from error


def _lines(path: Path, found: tuple[Detected, ...]) -> list[str]:
    from trueup.act.command_line import parse_command, show_command
    from trueup.report.text import labelled, plain

    checks = [f"{plain(show_command(parse_command(d.spec.run)))}   {plain(d.origin)}" for d in found]
    checks = checks or ["none found: write yours into the file"]
    return [
        f"wrote {plain(str(path))}",
        *(labelled("checks" if i == 0 else "", text) for i, text in enumerate(checks)),
        labelled("next", "trueup check      run the checks once, as trueup runs them"),
        labelled("", "trueup doctor     see what is there and what works"),
    ]
