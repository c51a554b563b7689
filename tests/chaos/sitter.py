"""Sits through one run after another, each in a forked child that may be killed at an exact place.

A program of its own, started by `conftest.py`: it has one thread, so that it may fork, and has imported trueup once for
all. Each line of its input is one order, each line of its output the answer: a pickled dictionary in hexadecimal.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_skew = 0.0
_wall, _wall_ns = time.time, time.time_ns
time.time = lambda: _wall() + _skew
time.time_ns = lambda: _wall_ns() + int(_skew * 1e9)
# Only now: defaults such as `clock=time.time` are bound when trueup is imported.

import trueup.cli.app  # noqa: E402 - see above
import trueup.cli.sitting  # noqa: E402, F401 - so that no child has to import it
from trueup.act.process import Processes  # noqa: E402
from trueup.act.project import find_project  # noqa: E402
from trueup.decide.fold import fold  # noqa: E402
from trueup.decide.moves import AgentStatus, Attempted, Record  # noqa: E402
from trueup.decide.needs import undecided  # noqa: E402
from trueup.decide.review import ReviewVerdict  # noqa: E402
from trueup.decide.state import Class  # noqa: E402
from trueup.decide.task import PERSON  # noqa: E402
from trueup.errors import TrueupError  # noqa: E402
from trueup.loop import run  # noqa: E402
from trueup.perform import opening  # noqa: E402
from trueup.perform.ending import changed_files  # noqa: E402
from trueup.perform.opening import new_run, resumed_run  # noqa: E402
from trueup.perform.performers import PERFORMERS  # noqa: E402
from trueup.perform.setting import Setting  # noqa: E402
from trueup.remember.database import Database  # noqa: E402
from trueup.remember.journal import Journal  # noqa: E402
from trueup.report.events import RunEnded  # noqa: E402
from trueup.testing.drive import environment  # noqa: E402

Order = dict[str, Any]
TOUCHES = frozenset(
    {
        *("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.link", "os.symlink", "os.truncate"),
        *("os.utime", "os.scandir", "subprocess.Popen", "sqlite3.connect", "chaos.sleep"),
    }
)
"""What counts as one step inside a move: whatever looks at or changes something outside this process."""


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()


# --- what goes wrong -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Misfortune:
    """Follows the journal as it is written, and strikes where it was told to."""

    order: Order
    processes: Processes
    rows: list[tuple[str, str]] = field(default_factory=list)
    looks: list[int] = field(default_factory=list)
    """How many checks had been started when each row was written."""
    touches: Counter[tuple[str, int]] = field(default_factory=Counter)
    """(kind of move, which one of its kind) -> how many steps it took."""
    seen: Counter[str] = field(default_factory=Counter)
    where: tuple[str, int] = ("", 0)
    statements: int = 0
    """That wrote the memory of a work item."""

    def watch_the_journal(self) -> None:
        write, misfortune = Journal._append, self

        def append(journal: Journal, role: str, value: Any, *, refers: int | None) -> int:
            if role == "move":
                misfortune.announce(journal, type(value).__name__)
            seq = write(journal, role, value, refers=refers)
            misfortune.written(role, type(value).__name__)
            return seq

        Journal._append = append  # type: ignore[method-assign, assignment]

    def announce(self, journal: Journal, kind: str) -> None:
        """For agent and checks, which follow a script: what happens now, and for which time."""
        made = [r for _, r in journal.history if isinstance(r, Attempted) and r.agent is not AgentStatus.INTERRUPTED]
        self._say("move", kind)
        self._say("step", str(1 + len(made)))

    def written(self, role: str, kind: str) -> None:
        self.rows.append((role, kind))
        self.looks.append(_lines(self._told("looks")))
        self._say("warden", str(_warden_of(self.processes)))
        if self.order.get("kill_row") == len(self.rows):
            die()
        if role == "move":
            self.seen[kind] += 1
            self.where = (kind, self.seen[kind])
            self._flood(kind)
            if self.order.get("cancel_in") == kind:
                self.processes.cancel()
        else:
            self.where = ("", 0)
        self._turn_the_clock(len(self.rows))

    def count_touches(self) -> None:
        """Every file that is opened, every folder that is made: the place where it is to be killed is one of them."""
        place, number = self.order.get("kill_touch", (None, 0))
        place = tuple(place) if place else None

        def touched(event: str, _args: tuple[Any, ...]) -> None:
            if self.where[0] and event in TOUCHES:
                self.touches[self.where] += 1
                if self.where == place and self.touches[self.where] == number:
                    die()

        sys.addaudithook(touched)

    def watch_the_memory(self) -> None:
        """Of the work item: killed before the given statement of its writing."""
        execute, misfortune = Database.execute, self

        def watched(db: Database, sql: str, *values: Any) -> int:
            if (" items " in sql or " item_failures " in sql) and sql.startswith(("INSERT", "DELETE")):
                misfortune.statements += 1
                if misfortune.order.get("kill_memory") == misfortune.statements:
                    die()
            return execute(db, sql, *values)

        Database.execute = watched  # type: ignore[method-assign, assignment]

    def break_performers(self) -> None:
        for kind, performer in list(PERFORMERS.items()):
            if kind.__name__ == self.order.get("break"):
                PERFORMERS[kind] = _broken(performer)

    def _flood(self, kind: str) -> None:
        """Use up the room on a disk."""
        when, path = self.order.get("flood", ("", ""))
        if kind == when:
            with contextlib.suppress(OSError), Path(path).open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))

    def _turn_the_clock(self, row: int) -> None:
        global _skew  # noqa: PLW0603 - it is the clock of this process
        _skew = self.order.get("clock", {}).get(row, _skew)

    def _told(self, name: str) -> Path:
        return Path(self.order["chaos"], name)

    def _say(self, name: str, text: str) -> None:
        self._told(name).write_text(f"{text}\n")


def _broken(_performer: Callable[..., Record]) -> Callable[..., Record]:
    def fail(*_: Any) -> Record:
        raise OSError(28, "No space left on device")

    return fail


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _warden_of(processes: Processes) -> int:
    return processes._warden._process.pid if processes._warden else 0


# --- one sitting -----------------------------------------------------------------------------------------------------


def sit(order: Order) -> dict[str, Any]:
    """A whole run, or (without a task) the rest of one."""
    processes = Processes()
    misfortune = Misfortune(order, processes)
    misfortune.watch_the_journal()
    misfortune.watch_the_memory()
    misfortune.break_performers()
    misfortune.count_touches()
    opening._sleeper = lambda _: _quick_sleep  # type: ignore[assignment]
    events: list[Any] = []
    setting = Setting(
        project=find_project(Path(order["project"])),
        environ=environment(Path(order["state"]), order["environ"]),
        sinks=(lambda envelope, _: events.append((envelope.seq, envelope.time, type(envelope.event).__name__)),),
        processes=processes,
    )
    task = order.get("task")
    misfortune.where = ("opening", 1)
    word = _approval if order.get("approve") else None
    with (
        new_run(setting, task) if task else resumed_run(setting, order.get("run"), lambda old: old, answer=word)
    ) as opened:
        context, journal = opened
        misfortune.where = ("", 0)
        record, state = run(context, journal)
        changed = changed_files(context, state, record.outcome)
        ended = RunEnded(outcome=record.outcome, branch=record.branch, branch_note=record.branch_note, changed=changed)
        context.stream.emit(ended, state)
        return {
            "run": context.run,
            "outcome": record.outcome,
            "branch": record.branch,
            "branch_note": record.branch_note,
            "classes": [v.judgement.kind if v.judgement else Class.INVALID for v in state.attempts],
            "charges": [v.charged_usd for v in state.attempts],
            "history": journal.history,
            "active": state.active_seconds,
            "events": events,
            "rows": misfortune.rows,
            "looks": misfortune.looks,
            "touches": dict(misfortune.touches),
            "statements": misfortune.statements,
        }


def _approval(journal: Journal) -> ReviewVerdict:
    view = undecided(fold(journal.task, journal.history))
    assert view is not None, "nothing waits for a person"
    return ReviewVerdict(approved=True, feedback="fine", reviewer=PERSON, tree=view.record.candidate)


def _quick_sleep(_seconds: float) -> bool:
    sys.audit("chaos.sleep")
    return True


def command_line(order: Order) -> dict[str, Any]:
    """`trueup …` as a user calls it, without a new interpreter."""
    from trueup.cli import main as trueup

    os.environ.clear()
    os.environ.update(environment(Path(order["state"]), order["environ"]))
    sys.argv = ["trueup", *order["argv"]]
    Misfortune(order, Processes()).watch_the_journal()
    try:
        trueup()
    except SystemExit as ended:
        return {"code": int(ended.code or 0)}
    return {"code": 0}


# --- forking ---------------------------------------------------------------------------------------------------------


def child(order: Order) -> None:
    """Never returns."""
    global _skew  # noqa: PLW0603 - it is the clock of this process
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for number in (1, 2):
        os.dup2(log, number)
    Path(order["chaos"], "pid").write_text(f"{os.getpid()}\n")
    _skew = order.get("skew", 0.0)
    if order.get("powerless"):
        _drop_capabilities()
    try:
        answer = command_line(order) if "argv" in order else sit(order)
    except TrueupError as error:
        answer = {"error": (error.exit_code, error.what, error.why, error.do)}
    except Exception:
        answer = {"crash": traceback.format_exc()}
    sys.stdout.flush()
    sys.stderr.flush()
    Path(order["answer"]).write_bytes(pickle.dumps(answer))
    os._exit(0)


def _drop_capabilities() -> None:
    """The super-user without its powers: mode bits count again."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None, use_errno=True).capset(header, nothing) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def obey(order: Order) -> dict[str, Any]:
    if "shell" in order:
        done = subprocess.run(["sh", "-c", order["shell"]], capture_output=True, text=True, check=False)
        return {"code": done.returncode, "said": done.stdout + done.stderr}
    if "wait" in order:
        pid = order["wait"]
    else:
        pid = os.fork()
        if pid == 0:
            child(order)
        if order.get("background"):
            return {"pid": pid}
    _, status = os.waitpid(pid, 0)
    return {"died": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}


def main() -> None:
    for line in sys.stdin:
        answer = obey(pickle.loads(bytes.fromhex(line)))
        print(pickle.dumps(answer).hex(), flush=True)


if __name__ == "__main__":
    main()
