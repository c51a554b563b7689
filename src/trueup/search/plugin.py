"""What happens inside the check's own pytest session? It collects the tests; then the search begins instead of a run.

Loaded by `-p`, before anything of the project is. `order.json` beside the package says what is wanted.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any

import pytest

from .children import Voice, adopt_orphans, confine
from .coldline import ColdLine, others_packages, serve_cold
from .copyguard import CopyGuard
from .facing import Plan, face
from .overlay import install
from .session import Session

_SCREEN = os.dup(1)  # pytest will soon catch what is printed
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - text, as everywhere here


class _State:
    """What this process is: the one that collects and searches, or a child with a job."""

    order: dict[str, Any]
    line: socket.socket
    job: dict[str, Any] | None = None
    voice: Voice
    failed_files: list[str]


def _read_order() -> dict[str, Any]:
    with open(os.path.join(_HERE, "order.json"), encoding="utf-8") as file:  # noqa: PTH118, PTH123 - text
        found: dict[str, Any] = json.load(file)
        return found


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any, parser: Any, args: list[str]) -> None:  # noqa: ARG001 - pytest's
    """The last moment before the project's own code is imported."""
    order = _State.order = _read_order()
    _State.failed_files = []
    sys.dont_write_bytecode = True
    _see_the_copy(order["workspace"], order["copy"])
    manager = early_config.pluginmanager
    if manager.hasplugin("xdist"):
        args += ["-n", "0"]
    if manager.hasplugin("pytest_cov"):
        args += ["--no-cov"]
    adopt_orphans()
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        _State.line = theirs
        return
    theirs.close()
    asked = serve_cold(ours)
    assert asked is not None
    job, pipe = asked
    _State.job, _State.voice = job, Voice(pipe, job["word"])
    confine(job["limit"])
    install({os.path.join(order["copy"], path): text.encode() for path, text in job["texts"].items()})  # noqa: PTH118


def _see_the_copy(workspace: str, copy: str) -> None:
    """Sources come from the copy, also where packages are installed by a link to the folder that was copied."""

    def moved(entry: str) -> str:
        inside = entry == workspace or entry.startswith(workspace + os.sep)
        return copy + entry[len(workspace) :] if inside and "site-packages" not in entry else entry

    sys.path[:] = [moved(entry) for entry in sys.path]
    sources = os.path.join(copy, "src")  # noqa: PTH118 - text
    if os.path.isdir(sources) and sources not in sys.path and _has_packages(sources):  # noqa: PTH112 - text
        sys.path.insert(1, sources)


def _has_packages(folder: str) -> bool:
    return not os.path.exists(os.path.join(folder, "__init__.py"))  # noqa: PTH110, PTH118 - text


def pytest_ignore_collect(collection_path: Any) -> bool | None:
    """A child with a job collects only the files of its tests."""
    if _State.job is None or collection_path.is_dir():
        return None
    plan = _State.job["plan"]
    wanted = {test.partition("::")[0] for group in ("first", "rest", "others") for test in plan[group]}
    path = os.path.relpath(str(collection_path), _State.order["copy"])
    return None if not wanted or _in(path, wanted) else True


def _in(path: str, wanted: set[str]) -> bool:
    return any(path == one or path.endswith("/" + one) or one.endswith("/" + path) for one in wanted)


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        _State.failed_files.append(report.nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: Any) -> bool:
    items = {item.nodeid: item for item in session.items}
    if _State.job is not None:
        face(Plan(**_State.job["plan"]), items, _State.voice.say)
        _State.voice.end()
        os._exit(0)
    _search(items)
    os._exit(0)


def _search(items: dict[str, Any]) -> None:
    from .hunt import hunt

    order = _State.order
    cold = ColdLine(_State.line, order["out"])
    cold.preload(others_packages(order["copy"]))
    guard = CopyGuard(order["copy"], order["workspace"])
    guard.remember()
    frozen = frozenset(order["frozen"])
    root = os.path.realpath(order["copy"])
    session = Session(root, items, cold, guard, editable=lambda path: path not in frozen, workers=order["workers"])
    report = hunt(session, cpu=order["cpu"], seconds=order["seconds"], broken=_State.failed_files, say=_say)
    place = os.path.join(order["out"], f"result-{os.getpid()}.json")  # noqa: PTH118 - text
    with open(place + ".part", "w", encoding="utf-8") as file:  # noqa: PTH123 - text
        json.dump({"word": order["word"], **report}, file)
    os.replace(place + ".part", place)  # noqa: PTH105 - text


def _say(text: str) -> None:
    os.write(_SCREEN, f"{_State.order['word']} {text}\n".encode())
