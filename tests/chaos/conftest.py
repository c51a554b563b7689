"""Small runs with scripted agents and checks, killed at exact places, and what must hold afterwards."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from trueup.act.process import quick
from trueup.act.project import Project
from trueup.cli.shelf import Shelf
from trueup.decide.moves import AgentStatus, Attempted, ReviewStatus, RunAttempt, TreeReviewed
from trueup.decide.outcome import Outcome
from trueup.decide.state import Class
from trueup.decide.task import AgentSpec, CheckSpec, Limits, ReviewerSpec, Task
from trueup.evidence.redact import Redactor
from trueup.perform.laboratory import VERIFIERS
from trueup.remember import workitems
from trueup.remember.database import Database
from trueup.remember.leases import start_time
from trueup.testing import python_project, task_for

PATIENCE = 60.0
"""Seconds; only a hang is longer."""
USD = 20.0
RESERVED = USD / 3
COST = 0.25

START, HALF, FIXED = "A = 1\nB = 1\n", "A = 2\nB = 1\n", "A = 2\nB = 2\n"
UNIT = """\
import subprocess
import unittest


class Values(unittest.TestCase):
    def test_code(self):
        self.assertEqual(subprocess.call(["sh", "check.sh", "code"]), 0)

    def test_nothing(self):
        pass
"""
FILES = {"code.py": START, "README.md": "Two values.\n", ".gitignore": "*.secret\n", "test_code.py": UNIT}

# `deadly-look` and `deadly-call` hold the number of the check or agent call that kills trueup and then hangs.
CHECK = """\
echo >> "$CHAOS/looks"
read -r deadly < "$CHAOS/deadly-look"
if [ "$(wc -l < "$CHAOS/looks")" -eq "$deadly" ]; then
    read -r pid < "$CHAOS/pid"; kill -9 "$pid"; exec sleep 600
fi
read -r move < "$CHAOS/move"
code=$(cat code.py)
if [ "$1" = net ]; then  # gives two answers about the same files, in the same moves of each run
    case "$move" in VerifyTree) exit 1;; ConfirmKeys) case "$code" in *"A = 1"*) exit 1;; esac;; esac
    exit 0
fi
wrong=0
case "$code" in *broken*) echo "frobnicate: not found"; exit 127;; esac
case "$code" in *"A = 2"*) ;; *) echo "code.py:1: error: A is wrong [E1]"; wrong=1;; esac
case "$code" in *"B = 2"*) ;; *) echo "code.py:2: error: B is wrong [E2]"; wrong=1;; esac
exit $wrong
"""
AGENT = """\
echo >> "$CHAOS/calls"
read -r step < "$CHAOS/step"
read -r deadly < "$CHAOS/deadly-call"
if [ "$(wc -l < "$CHAOS/calls")" -eq "$deadly" ]; then
    echo half > half.txt
    [ ! -e "$CHAOS/paid" ] || echo '{"usd": 1.5}' > "$1"
    read -r pid < "$CHAOS/pid"; kill -9 "$pid"; exec sleep 600
fi
. "$CHAOS/step-$step.sh"
"""
# Turns down what lacks a third value. `deadly-review` holds the number of the call that kills trueup and then hangs.
CRITIC = """\
echo >> "$CHAOS/reviews"
read -r deadly < "$CHAOS/deadly-review"
[ ! -e "$CHAOS/paid" ] || echo '{"usd": 1.5}' > "$1"
if [ "$(wc -l < "$CHAOS/reviews")" -eq "$deadly" ]; then
    read -r pid < "$CHAOS/pid"; kill -9 "$pid"; exec sleep 600
fi
case "$(cat code.py)" in *"C = 3"*) said='"approved": true';; *) said='"approved": false, "feedback": "C is missing"';; esac
echo "{\\"nonce\\": \\"$TRUEUP_REVIEW_NONCE\\", $said}" > "$TRUEUP_REVIEW_FILE"
"""
PAID = f'echo \'{{"usd": {COST}}}\' > "$1"\n'


def writes(text: str) -> str:
    return f"printf '%s' '{text}' > code.py\n{PAID}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    name: str
    steps: tuple[str, ...]
    """What the agent does, one shell script for each attempt that is not cut short."""
    checks: tuple[str, ...] = ("code",)
    attempts: int = 10
    focus_above: float = 3600.0
    cancel_in: str = ""
    """The first sitting is cancelled in the first move of this kind."""
    broken: str = ""
    """Moves of this kind can never be performed."""
    rules: bool = False
    """Rules repair what they can."""
    reviewer: str = ""
    """`critic`, a program, or `person`, who approves in a second sitting."""

    @property
    def sittings(self) -> int:
        """That come to their end, when nothing goes wrong."""
        return 2 if self.cancel_in or self.reviewer == "person" else 1

    @property
    def task(self) -> Task:
        agent = AgentSpec(
            name="scripted", command="sh -c '. \"$CHAOS/agent.sh\"' agent {result_file}", reports_cost=True
        )
        return task_for(
            agents=(agent,),
            checks=tuple(
                CheckSpec(name=name, run=COMMANDS.get(name, ("sh", "check.sh", name))) for name in self.checks
            ),
            limits=Limits(usd=USD, time=3600.0, attempts=self.attempts),
            focus_above=self.focus_above,
            reviewer=REVIEWERS.get(self.reviewer),
            fix_first=self.rules,
        )


REVIEWERS = {
    "person": ReviewerSpec(),
    "critic": ReviewerSpec(
        agent=AgentSpec(name="critic", command="sh -c '. \"$CHAOS/critic.sh\"' critic {result_file}", reports_cost=True)
    ),
}
COMMANDS = {"unit": (sys.executable, "-m", "unittest", "-q", "test_code")}
"""A tool that can select its tests."""
RATE_LIMITED = "echo '429 Too Many Requests'; exit 1\n"
SCENARIOS = {
    s.name: s
    for s in (
        Scenario(name="second-try", steps=(writes(HALF), writes(FIXED))),
        Scenario(name="worse", steps=(writes("broken\n"), writes(HALF)), attempts=2),
        Scenario(name="flaky", steps=(writes(FIXED),), checks=("code", "net")),
        Scenario(name="rate-limited", steps=(RATE_LIMITED, writes(HALF)), attempts=1),
        Scenario(name="stuck", steps=(PAID, PAID)),
        Scenario(name="focused", steps=(writes(f"{START}C = 1\n"), writes(FIXED)), checks=("unit",), focus_above=0.0),
        Scenario(name="rules", steps=(writes(f"{FIXED}C = “x”\n"),), rules=True),
        Scenario(name="impossible", steps=(writes(FIXED),), broken="VerifyTree"),
        Scenario(name="cancelled", steps=(writes(FIXED),), cancel_in="VerifyTree"),
        Scenario(name="reviewed", steps=(writes(FIXED), writes(f"{FIXED}C = 3\n")), reviewer="critic"),
        Scenario(name="person", steps=(writes(FIXED),), reviewer="person"),
    )
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scenario" in metafunc.fixturenames:
        metafunc.parametrize("scenario", SCENARIOS.values(), ids=list(SCENARIOS))


@pytest.fixture
def scenarios() -> tuple[str, ...]:
    return tuple(SCENARIOS)


# --- the helper process ----------------------------------------------------------------------------------------------


class Sitter:
    """Starts sittings in forked children; see `sitter.py`."""

    def __init__(self, *prefix: str) -> None:
        argv = [*prefix, sys.executable, str(Path(__file__).with_name("sitter.py"))]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **order: Any) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(pickle.dumps(order).hex() + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the sitter is gone"
        answer: dict[str, Any] = pickle.loads(bytes.fromhex(line))
        return answer

    def shell(self, script: str) -> str:
        answer = self.ask(shell=script)
        assert answer["code"] == 0, answer["said"]
        return str(answer["said"])

    def close(self) -> None:
        self._process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="session")
def sitter() -> Iterator[Sitter]:
    helper = Sitter()
    yield helper
    helper.close()


@pytest.fixture(scope="session")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sitter]:
    """A helper that may mount: what it mounts is seen by nobody else, and is gone with it."""
    probe = tmp_path_factory.mktemp("probe")
    for prefix in (("unshare", "-rm"), ("unshare", "-m")):
        argv = [*prefix, "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(probe)]
        if shutil.which("unshare") and subprocess.run(argv, capture_output=True, check=False).returncode == 0:
            helper = Sitter(*prefix)
            yield helper
            helper.close()
            return
    pytest.skip("this system lets nobody mount a small disk (unshare -m is not allowed)")


# --- one run, from its start to its end ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of one sitting."""

    died: int = 0
    """Signal that ended it; 0 = it came to an end by itself."""
    code: int | None = None
    """Of a command line."""
    said: str = ""
    error: tuple[int, str, str, str] | None = None
    run: str = ""
    outcome: Outcome | None = None
    branch: str = ""
    branch_note: str = ""
    classes: list[Class] = field(default_factory=list)
    charges: list[float | None] = field(default_factory=list)
    history: Any = ()
    active: float = 0.0
    events: list[tuple[int, float, str]] = field(default_factory=list)
    rows: list[tuple[str, str]] = field(default_factory=list)
    looks: list[int] = field(default_factory=list)
    touches: dict[tuple[str, int], int] = field(default_factory=dict)
    statements: int = 0

    @property
    def end(self) -> Outcome:
        assert self.outcome is not None, f"no outcome: {self.error} {self.said}"
        return self.outcome


class Stage:
    """A project of its own with its state folder beside it, and the sittings on it."""

    def __init__(self, sitter: Sitter, scenario: Scenario, template: Path, folder: Path) -> None:
        self.scenario = scenario
        self.sitter = sitter
        self.folder = folder
        self.project = folder / "project"
        self.state = folder / "state"
        self.chaos = folder / "chaos"
        self.programs = template.parent / "bin"
        self.chaos.mkdir(parents=True)
        shutil.copytree(template, self.project, symlinks=True)
        (self.chaos / "agent.sh").write_text(AGENT)
        (self.chaos / "critic.sh").write_text(CRITIC + PAID)
        for number, step in enumerate(scenario.steps, 1):
            (self.chaos / f"step-{number}.sh").write_text(step)
        self.deadly(look=0, call=0)
        self.before = checkout(self.project)

    @property
    def environ(self) -> dict[str, str]:
        """A PATH with the few programs that the scripts need: what lies on it is looked at again and again."""
        return {"CHAOS": str(self.chaos), "PATH": str(self.programs)}

    @property
    def kept(self) -> Path:
        """Where trueup keeps what it knows about the project."""
        (folder,) = (p for p in (self.state / "trueup").iterdir() if p.is_dir() and p.name != VERIFIERS)
        return folder

    def deadly(self, *, look: int = 0, call: int = 0, review: int = 0) -> None:
        (self.chaos / "deadly-look").write_text(f"{look}\n")
        (self.chaos / "deadly-call").write_text(f"{call}\n")
        (self.chaos / "deadly-review").write_text(f"{review}\n")

    def calls(self, of: str = "calls") -> int:
        """How often an agent was started; of `reviews`: a reviewer."""
        return (self.chaos / of).read_text().count("\n") if (self.chaos / of).exists() else 0

    def order(self, **more: Any) -> dict[str, Any]:
        places = {"project": str(self.project), "state": str(self.state), "chaos": str(self.chaos)}
        answers = {"log": str(self.folder / "log"), "answer": str(self.folder / "answer")}
        return {**places, **answers, "environ": self.environ, "break": self.scenario.broken, **more}

    def start(self, **misfortune: Any) -> Told:
        cancel = {"cancel_in": self.scenario.cancel_in}
        return self._sit(**{"task": self.scenario.task, **cancel, **misfortune})

    def resume(self, **misfortune: Any) -> Told:
        return self._sit(**misfortune)

    def approve(self, **misfortune: Any) -> Told:
        """A person's word, and what the run does with it."""
        return self._sit(approve=True, **misfortune)

    def to_the_end(self) -> Told:
        """An undisturbed run; one that is cancelled is resumed, and one that waits for a person gets the word."""
        told = self.start()
        if self.scenario.cancel_in:
            return replace(self.resume(), rows=told.rows, looks=told.looks)
        if self.scenario.reviewer == "person":
            return replace(self.approve(), rows=told.rows, looks=told.looks)
        return told

    def rest(self) -> Told:
        """What comes after a kill in the first sitting."""
        told = self.resume()
        return self.approve() if self.scenario.reviewer == "person" else told

    def trueup(self, *argv: str, **misfortune: Any) -> Told:
        """The command line."""
        return self._sit(argv=[*argv, "-C", str(self.project)], **misfortune)

    def run_argv(self, *more: str) -> list[str]:
        """`trueup run …`, as the scenario's task says it."""
        checks = [word for name in self.scenario.checks for word in ("--check", f"sh check.sh {name}")]
        agent = f"sh {self.chaos}/agent.sh {{result_file}}"
        return ["run", "make the checks pass", "--item", "work", "--agent-cmd", agent, *checks, *more]

    def says_what_is_wrong(self, told: Told, code: int, *words: str) -> None:
        """Three lines, the right exit code, nothing paid, nothing touched."""
        assert told.code == code, told.said
        lines = told.said.splitlines()
        (what,) = (n for n, line in enumerate(lines) if line.startswith("trueup: "))
        assert any(line.startswith("  do ") for line in lines[what:]), told.said
        assert "a bug in trueup" not in told.said
        for word in words:
            assert word in told.said
        self.the_checkout_is_untouched()

    def _sit(self, **more: Any) -> Told:
        (self.folder / "answer").unlink(missing_ok=True)
        ended = self.sitter.ask(**self.order(**more))
        return self.told(ended.get("died", 0)) if "died" in ended else Told(code=ended["pid"])

    def told(self, died: int) -> Told:
        said = (self.folder / "log").read_text()
        if died:
            return Told(died=died, said=said)
        answer = pickle.loads((self.folder / "answer").read_bytes())
        assert "crash" not in answer, f"trueup crashed\n{answer['crash']}"
        return Told(said=said, **answer)

    # --- what must hold --------------------------------------------------------------------------------------------

    def nothing_is_left(self) -> None:
        """No process, no bench, no temporary file, no half-written one."""
        self.no_process_is_left()
        kept = {"scratch", "workspace", "workspace.ready", "checkout.index", "user-index"}
        with self.shelf() as shelf:
            known = {row[0] for row in shelf.db.query("SELECT id FROM runs")}
        assert {path.name for path in (self.kept / "store.git" / "refs" / "trueup").glob("*")} <= known
        for folder in (self.kept / "runs").iterdir():
            assert folder.name in known, f"nobody knows the run {folder.name}"
            extra = {p.name for p in folder.iterdir() if not p.name.startswith("begun-")} - kept
            assert not extra, f"left in the run's folder: {sorted(extra)}"
        store = {path.name for path in (self.kept / "store.git").iterdir()}
        assert store <= {"HEAD", "config", "info", "objects", "refs", "packed-refs"}, f"left in the store: {store}"
        loose = [p for where in (self.kept, self.project / ".trueup") for p in where.rglob("*")]
        odd = [str(p) for p in loose if p.name.endswith((".lock", ".partial", ".new"))]
        assert not odd, f"left behind: {odd}"

    def an_hour_passes(self) -> None:
        """For what is only removed when it is certain that nobody uses it any more."""
        for folder in (self.kept / "store.git").glob("*-*"):
            os.utime(folder, (time.time() - 4000, time.time() - 4000))

    def no_process_is_left(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while left := self._processes():
            assert time.monotonic() < deadline, f"still running: {left}"
            time.sleep(0.01)

    def _processes(self) -> list[int]:
        warden = self.chaos / "warden"
        watched = int(warden.read_text()) if warden.exists() else 0
        return [*processes_of(self.folder), *([watched] if watched and start_time(watched) else [])]

    def the_checkout_is_untouched(self) -> None:
        now = checkout(self.project)
        both = self.before.keys() | now.keys()
        assert not (changed := sorted(p for p in both if self.before.get(p) != now.get(p))), f"changed: {changed}"
        if (self.project / ".trueup" / "runs").exists():
            assert (self.project / ".trueup" / ".gitignore").read_text() == "*\n"

    def branches(self) -> dict[str, int]:
        """Every branch besides the user's, and how many commits it is ahead."""
        names = git(self.project, "for-each-ref", "--format=%(refname)").split()
        return {n: int(git(self.project, "rev-list", "--count", f"HEAD..{n}")) for n in names if n != "refs/heads/main"}

    @contextmanager
    def shelf(self) -> Iterator[Shelf]:
        """What `trueup runs` and the like read. Without git's help, which would cost more than all the rest."""
        with Database(self.kept) as db:
            yield Shelf(
                project=Project(root=self.project), environ=self.environ, state=self.kept, db=db, redactor=Redactor([])
            )

    def entries(self) -> list[tuple[str, str]]:
        """The journal: role and kind of each row of the only run."""
        with self.shelf() as shelf:
            return shelf.db.query("SELECT role, kind FROM entries ORDER BY seq")

    def shown(self) -> str:
        """How `trueup runs` lists the latest run."""
        with self.shelf() as shelf:
            return shelf.run(None).status

    def stored(self, tree: str, path: str) -> bytes | None:
        with self.shelf() as shelf:
            return shelf.store().read(tree, path)

    def events_are_in_order(self) -> None:
        (file,) = (self.project / ".trueup" / "runs").glob("*/events.jsonl")
        events = [json.loads(line) for line in file.read_text().splitlines()]
        assert [e["seq"] for e in events] == list(range(1, len(events) + 1))

    def the_item_is_remembered(self, calm: Told) -> None:
        """Written when the sitting ended: nobody has to look first."""
        with self.shelf() as shelf:
            memory = workitems.read(shelf.db, "work")
            assert memory is not None, "nothing is remembered"
            assert workitems.asides(shelf.db, "work") == ()
        (run,) = memory.runs
        assert (run.status, run.branch) == (str(calm.end.status), calm.branch)
        assert (run.base, run.best, run.partial) == (calm.end.start, calm.end.tree, calm.end.partial)
        assert run.entries == len(self.entries())

    def holds(self, calm: Told, told: Told, *, ends: int = 1, as_calm: bool = True) -> None:
        """All that is the same however often it was killed. `ends`: sittings that came to their end."""
        self.the_checkout_is_untouched()
        self.nothing_is_left()
        assert [kind for _, kind in self.entries()].count("RunFinished") == ends
        assert self.shown() == str(calm.end.status)
        # What waits for a person is handed back as such, and once more with the approval.
        commits = 2 if self.scenario.reviewer == "person" else 1
        assert self.branches() == ({"refs/heads/trueup/work": commits} if calm.branch else {})
        self.events_are_in_order()
        self.the_item_is_remembered(calm)
        assert (told.branch, told.branch_note) == (calm.branch, calm.branch_note)
        if as_calm:
            assert replace(told.end, seconds=0) == replace(calm.end, seconds=0)
            assert told.classes == calm.classes
            assert told.charges == calm.charges

    def holds_with_a_review_more(self, calm: Told, told: Told, *, charge: float) -> None:
        """The same result; the reviewer was asked once more, and both times are charged."""
        assert told.end.usd is not None
        assert calm.end.usd is not None
        assert told.end.usd == pytest.approx(calm.end.usd + charge)
        assert sorted(reviews(told)) == sorted([*reviews(calm), ReviewStatus.INTERRUPTED])
        self.holds(calm, replace(told, outcome=replace(told.end, usd=calm.end.usd)))

    def holds_with_an_interruption(self, calm: Told, told: Told, *, charge: float) -> None:
        """The same result; one attempt more, which was charged and is no strike."""
        self.holds(calm, told, as_calm=False)
        mine, theirs = told.end, calm.end
        parts = (
            "status",
            "reason",
            "detail",
            "limit",
            "tree",
            "start",
            "partial",
            "proof",
            "fixed",
            "new",
            "remaining",
        )
        for part in (*parts, "flaky", "usd_limit"):
            assert getattr(mine, part) == getattr(theirs, part), part
        records = [(m, r) for m, r in told.history if isinstance(r, Attempted)]
        cut = [n for n, (_, r) in enumerate(records) if r.agent is AgentStatus.INTERRUPTED]
        assert len(cut) == 1, f"interrupted: {cut}"
        (number,) = cut
        assert told.charges[number] == pytest.approx(charge)
        assert [c for n, c in enumerate(told.classes) if n != number] == calm.classes
        assert told.classes[number] is Class.INTERRUPTED
        assert theirs.usd is not None
        assert mine.usd == pytest.approx(theirs.usd + charge)
        assert mine.attempts == theirs.attempts + 1
        (cut_short, _), (repeated, _) = records[number : number + 2]
        assert isinstance(cut_short, RunAttempt)
        assert isinstance(repeated, RunAttempt)
        same = ("rung", "agent", "nudge", "origin", "max_files")
        assert [getattr(cut_short, s) for s in same] == [getattr(repeated, s) for s in same]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project: committed files, and beside them one that is not, and an ignored one."""
    folder = python_project(tmp_path_factory.mktemp("template") / "project", files={**FILES, "check.sh": CHECK})
    shutil.rmtree(folder / ".git" / "hooks", ignore_errors=True)
    (folder / "my.secret").write_text("mine\n")
    programs = folder.with_name("bin")
    programs.mkdir()
    for name in ("cat", "dd", "git", "sh", "sleep", "wc"):
        (programs / name).symlink_to(shutil.which(name) or name)
    return folder


NewStage = Callable[..., Stage]


@pytest.fixture
def stage_of(sitter: Sitter, template: Path, tmp_path: Path) -> NewStage:
    """A fresh stage for a scenario, by its name."""

    def make(name: str = "second-try", *, folder: Path | None = None, helper: Sitter | None = None) -> Stage:
        place = folder or tmp_path / f"{len(list(tmp_path.iterdir()))}-{name}"
        return Stage(helper or sitter, SCENARIOS[name], template, place)

    return make


Calm = Callable[[str], Told]


@pytest.fixture(scope="session")
def calm(sitter: Sitter, template: Path, tmp_path_factory: pytest.TempPathFactory) -> Calm:
    """The undisturbed run of a scenario; made once."""
    made: dict[str, Told] = {}

    def run(name: str) -> Told:
        if name not in made:
            stage = Stage(sitter, SCENARIOS[name], template, tmp_path_factory.mktemp("calm") / name)
            told = stage.to_the_end()
            stage.holds(told, told, ends=stage.scenario.sittings)
            made[name] = told
        return made[name]

    return run


def all_of(points: Iterable[Any], attempt: Callable[[Any], None]) -> None:
    """Try every point, then say which of them failed and how."""
    failed, tried = [], 0
    for point in points:
        tried += 1
        try:
            attempt(point)
        except AssertionError as error:
            failed.append(f"--- {point}\n{error}")
    assert tried, "there was nothing to try"
    assert not failed, f"{len(failed)} of {tried} points\n" + "\n".join(failed)


@pytest.fixture
def each() -> Callable[[Iterable[Any], Callable[[Any], None]], None]:
    return all_of


def reviews(told: Told) -> list[ReviewStatus]:
    return [record.status for _, record in told.history if isinstance(record, TreeReviewed)]


# --- what is looked at -----------------------------------------------------------------------------------------------


def git(folder: Path, *args: str) -> str:
    return quick(["git", *args], cwd=folder).decode()


def checkout(project: Path) -> Mapping[str, tuple[int, bytes]]:
    """Every file with mode and bytes: work tree, index, references, stash, configuration and hooks.

    What trueup may write is left out: its readable files, its one branch, and objects.
    """
    ours = (".trueup/", ".git/objects/", ".git/refs/heads/trueup/", ".git/logs/refs/heads/trueup/")
    found: dict[str, tuple[int, bytes]] = {}
    for folder, names, files in os.walk(project):
        for name in (*names, *files):
            path = Path(folder, name)
            relative = path.relative_to(project).as_posix()
            if not f"{relative}/".startswith(ours):
                mode = path.lstat().st_mode
                found[relative] = mode, _content(path, mode)
    return found


def _content(path: Path, mode: int) -> bytes:
    if stat.S_ISLNK(mode):
        return os.fsencode(path.readlink())
    return path.read_bytes() if stat.S_ISREG(mode) else b""


def processes_of(folder: Path) -> list[int]:
    """Whatever was started with this folder in its environment or its command line."""
    mark = os.fsencode(f"{folder}/")
    numbers = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [n for n in numbers if n != os.getpid() and any(mark in _proc(n, what) for what in ("environ", "cmdline"))]


def _proc(number: int, what: str) -> bytes:
    try:
        return Path(f"/proc/{number}/{what}").read_bytes()
    except OSError:
        return b""
