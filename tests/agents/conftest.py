"""The real agent programs, driven by trueup against a model that plays a script (see scripts/test_agents.py)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PROGRAMS = HERE.parents[1] / ".tools" / "agents"
TRUEUP = Path(sys.executable).parent / "trueup"
MARK = "SCENE_MARK"
ROWS: pytest.StashKey[dict[tuple[str, str], str]] = pytest.StashKey()

collect_ignore_glob = [] if os.environ.get("TRUEUP_TEST_AGENTS") else ["test_*.py"]
"""They take minutes and install a few gigabytes: only `make test-agents` asks for them."""

CALC = '"""A very small calculator."""\n# note 0\n\n\ndef add(a, b):\n    return a - b\n'
TESTS = """\
import unittest

import calc


class TestCalc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(2, 3), 5)

    def test_add_zero(self):
        self.assertEqual(calc.add(4, 0), 4)
"""


@dataclass(frozen=True, kw_only=True)
class Program:
    """What one file of `programs/` says: how this program finds the scripted model, and what a request costs."""

    name: str
    program: str
    usd_per_request: float | None = None
    """None: it tells nobody what it costs."""
    charges_open_step: bool = False
    """Ended in the middle of its work, it is charged one answer more than it told of."""
    direct: tuple[str, ...] = ()
    """Its own command line, as a person without trueup would give it; {prompt} is filled in."""
    adapter: bool = True
    """Whether trueup has an adapter of that name; otherwise only its hooks are tried."""
    guard: str = ""
    """Where its hooks are installed: `project`, `user`, or nowhere."""
    agent: Mapping[str, Any] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return PROGRAMS / self.program


def programs() -> list[Program]:
    chosen = os.environ.get("AGENTS", "").split()
    files = sorted((HERE / "programs").glob("*.toml"))
    return [
        Program(name=file.stem, **tomllib.loads(file.read_text(encoding="utf-8")))
        for file in files
        if not chosen or file.stem in chosen
    ]


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What trueup made of one attempt, and what the model saw of it meanwhile."""

    agent: str
    """How the program ended, as trueup understood it."""
    charged: float | None
    reserved: float
    unbilled: str
    """Why the program's own bill was not taken; "" when it was."""
    prompt: str
    """As trueup keeps it."""
    asked: list[dict[str, Any]]
    """What reached the model, in order, each with its `answer`. What the program asked on its own account is there."""

    @property
    def arrived(self) -> str:
        """All that was new to the model in the first request."""
        news = [str(request["news"]) for request in self.asked if request["kind"] == "main"]
        return news[0] if news else ""

    @property
    def remembers(self) -> bool:
        """Whether the first request brought an earlier conversation along."""
        first = next(request for request in self.asked if request["kind"] == "main")
        return str(first["prompt"]) != str(first["first_prompt"])

    @property
    def answers(self) -> int:
        """That the model gave in full."""
        return sum(_is_whole(request["answer"]) for request in self.asked)

    @property
    def open(self) -> int:
        """Requests that were neither answered in full nor refused: what they cost, nobody knows."""
        return sum(not _is_whole(one["answer"]) and not _is_refused(one["answer"]) for one in self.asked)


def _is_whole(answer: Mapping[str, Any]) -> bool:
    return answer.get("status") == HTTPStatus.OK and "fault" not in answer


def _is_refused(answer: Mapping[str, Any]) -> bool:
    return (answer.get("status") or 0) >= HTTPStatus.BAD_REQUEST


@dataclass(frozen=True, kw_only=True)
class Ran:
    """One `trueup run`, over."""

    exit_code: int
    events: list[dict[str, Any]]
    asked: list[dict[str, Any]]
    """What reached the model, each with its `answer`; of kind `side` is what the program asked on its own account."""
    left: list[str]
    """Processes of the run that are still there."""
    project: Path
    errors: str

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [request for request in self.asked if request["kind"] == "main"]

    @property
    def outcome(self) -> dict[str, Any]:
        ended = [event["event"]["outcome"] for event in self.events if event["kind"] == "run_ended"]
        assert ended, self.errors
        return dict(ended[-1])

    @property
    def attempts(self) -> list[Attempt]:
        """One works at a time: what the model saw between its beginning and its end is the attempt's."""
        (kept,) = (self.project / ".trueup" / "runs").glob("*/completion_reasons.json")
        charged = {row["attempt"]: row["usd"] for row in json.loads(kept.read_text())["attempts"]}
        moves = [event for event in self.events if event["event"].get("move", {}).get("kind") == "run_attempt"]
        began = {event["attempt"]: event["time"] for event in moves if event["kind"] == "move_started"}
        return [
            Attempt(
                agent=event["event"]["record"]["agent"],
                charged=charged[event["attempt"]],
                reserved=event["event"]["move"]["reserve_usd"] or 0.0,
                unbilled=event["event"]["record"]["claim_problem"],
                prompt=(kept.parent / "prompts" / f"attempt-{event['attempt']}.md").read_text(encoding="utf-8"),
                asked=[one for one in self.asked if began[event["attempt"]] <= one["ts"] <= event["time"]],
            )
            for event in moves
            if event["kind"] == "move_done"
        ]


@dataclass(kw_only=True)
class Stage:
    """A project with a bug, a home folder, and a model that plays a script."""

    root: Path
    program: Program

    def run(self, script: Mapping[str, Any], *flags: str, seconds: float = 600) -> Ran:
        project = self._project()
        with self._model(script) as (url, log):
            done = subprocess.run(
                [TRUEUP, "run", "--agent", self.program.name, "--check", "python3 -m unittest -q", "--json", *flags],
                cwd=project,
                env=self._environment(url),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=seconds,
            )
            records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        return Ran(
            exit_code=done.returncode,
            events=[json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")],
            asked=_asked(records),
            left=self.left(),
            project=project,
            errors=done.stderr,
        )

    def guarded(self, script: Mapping[str, Any], *, on: bool, install: bool = True, seconds: float = 300) -> Ran:
        """The program alone, as a person starts it, with our hooks in its settings."""
        project = self._project()
        (project / "trueup.toml").write_text('[[check]]\nname = "tests"\nrun = "python3 -m unittest -q"\n')
        with self._model(script) as (url, log):
            env = self._environment(url)
            where = ["--user"] if self.program.guard == "user" else []
            if install:
                words = [str(TRUEUP), "guard", "install", self.program.name, *where]
                subprocess.run(words, cwd=project, env=env, check=True, capture_output=True)
            done = subprocess.run(
                [
                    self.program.path,
                    *(word.replace("{prompt}", "Fix the failing test.") for word in self.program.direct),
                ],
                cwd=project,
                env=env | ({"TRUEUP_GUARD": "1"} if on else {}),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=seconds,
            )
            records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        return Ran(
            exit_code=done.returncode,
            events=[],
            asked=_asked(records),
            left=self.left(),
            project=project,
            errors=done.stdout[-3000:] + done.stderr[-3000:],
        )

    def doctor(self, *flags: str, seconds: float = 300) -> dict[str, Any]:
        """What `trueup doctor` says where this program is the only one; no model but its own is there."""
        project = self._project()
        done = subprocess.run(
            [TRUEUP, "doctor", "--json", *flags],
            cwd=project,
            env=self._environment("http://127.0.0.1:9"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        assert done.stdout, done.stderr
        return dict(json.loads(done.stdout))

    @property
    def mark(self) -> str:
        return f"{self.root.name}-{self._id}"

    def __post_init__(self) -> None:
        self._id = uuid.uuid4().hex

    def left(self) -> list[str]:
        wanted = f"{MARK}={self.mark}".encode()
        found = []
        for place in Path("/proc").glob("[0-9]*/environ"):
            try:
                if wanted in place.read_bytes():
                    found.append(place.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                continue
        return found

    def _project(self) -> Path:
        """Made once: a second run finds it as the first one left it."""
        project = self.root / "project"
        if project.exists():
            return project
        (project / "other").mkdir(parents=True)
        (project / "calc.py").write_text(CALC)
        (project / "test_calc.py").write_text(TESTS)
        (project / "other" / "config.ini").write_text("[log]\nlevel = 1\n")
        (project / "trueup.toml").write_text(self._settings())
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
            who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
            subprocess.run(["git", *who, *command], cwd=project, check=True, capture_output=True)
        return project

    def _settings(self) -> str:
        agent = {"name": self.program.name, **self.program.agent}
        # Small, so that an attempt whose bill is lost does not use up what the others need.
        limits = "[limits]\nmax_usd_per_attempt = 0.5\n"
        return limits + "[[agent]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in agent.items())

    def _environment(self, url: str) -> dict[str, str]:
        home = self.root / "home"
        for folder in (".config", ".local/share", ".cache", ".local/state", "tmp"):
            (home / folder).mkdir(parents=True, exist_ok=True)

        def filled(text: str) -> str:
            return text.replace("{url}", url).replace("{home}", str(home))

        for name, text in self.program.files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(filled(text))
        return {
            "PATH": os.pathsep.join((str(self.program.path.parent), os.environ["PATH"])),
            "HOME": str(home),
            "TMPDIR": str(home / "tmp"),
            "LANG": "C.UTF-8",
            "CI": "1",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "DO_NOT_TRACK": "1",
            MARK: self.mark,
            **{name: filled(value) for name, value in self.program.env.items()},
        }

    def _model(self, script: Mapping[str, Any]) -> _Model:
        return _Model(self.root, script)


class _Model:
    """The scripted model as a process of its own: an address, and a file with all that it was asked."""

    def __init__(self, root: Path, script: Mapping[str, Any]) -> None:
        self._script, self._log = root / "script.json", root / "requests.jsonl"
        self._script.write_text(json.dumps(script))
        self._log.touch()

    def __enter__(self) -> tuple[str, Path]:
        server = HERE / "scripted_model" / "server.py"
        words = ["--scenario", self._script, "--log", self._log, "--allow-kill", "--side-model", "weak"]
        self._process = subprocess.Popen(
            [sys.executable, *map(str, (server, *words))], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())["url"], self._log

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=30)


def _asked(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    answers = {record["seq"]: record for record in records if record["event"] == "response"}
    return [
        {**record, "answer": answers.get(record["seq"], {})}
        for record in records
        if record["event"] == "request" and record["kind"] in {"main", "side"}
    ]


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value)


@pytest.fixture(params=programs(), ids=lambda program: program.name)
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    program: Program = request.param
    if not program.path.exists():
        pytest.skip(f"{program.name} is not installed: python scripts/test_agents.py {program.name}")
    yield Stage(root=tmp_path, program=program)
    shutil.rmtree(tmp_path / "home", ignore_errors=True)  # some of them leave hundreds of megabytes


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Callable[[str, str, str], None]:
    """For the table that is printed at the end."""
    rows = request.config.stash.setdefault(ROWS, {})

    def put(program: str, scenario: str, seen: str) -> None:
        rows[program, scenario] = seen

    return put


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    rows = config.stash.get(ROWS, {})
    if not rows:
        return
    names = sorted({program for program, _ in rows})
    terminalreporter.section("real agents: what came out")
    terminalreporter.write_line("| scenario | " + " | ".join(names) + " |")
    terminalreporter.write_line("|---|" + "---|" * len(names))
    for scenario in dict.fromkeys(scenario for _, scenario in rows):
        cells = [rows.get((name, scenario), "not run") for name in names]
        terminalreporter.write_line(f"| {scenario} | " + " | ".join(cells) + " |")
