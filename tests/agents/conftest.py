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
TOOLS = (
    *("sh", "bash", "env", "node", "git", "ps", "which"),
    *("cat", "ls", "rm", "mv", "cp", "mkdir", "head", "tail", "sleep", "printf", "uname", "dirname", "basename"),
    *(
        "tee",
        "mktemp",
        "readlink",
        "realpath",
        "grep",
        "sed",
        "tr",
        "cut",
        "sort",
        "test",
        "true",
        "chmod",
        "touch",
        "find",
    ),
)
SEEN = "seen"
"""What a test tells of its run, beside its report."""

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
    charges_cut: str = ""
    """One answer more than it told of is charged: `ended`, whenever it was ended in the middle of its work; `open`, if it
    waited for an answer; "", never."""
    direct: tuple[str, ...] = ()
    """Its own command line, as a person without trueup would give it; {prompt} is filled in."""
    command: str = ""
    """Where trueup has no adapter for it: the recipe, as the docs have it."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What a recipe says about provider and model, and what is put there; {home} is filled in."""
    before: tuple[str, ...] = ()
    """What a person does with the program once, before all else; {url} is filled in."""
    guard: str = ""
    """Where its hooks are installed: `project`, `user`, or nowhere."""
    agent: Mapping[str, Any] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return PROGRAMS / self.program


def programs(folder: str) -> list[Program]:
    chosen = os.environ.get("AGENTS", "").split()
    files = sorted((HERE / folder).glob("*.toml"))
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
    def past(self) -> str:
        """The conversation that the first request went on with."""
        past = [str(request["past"]) for request in self.asked if request["kind"] == "main"]
        return past[0] if past else ""

    @property
    def answers(self) -> int:
        """That the model gave in full."""
        return sum(_is_whole(request["answer"]) for request in self.asked)

    @property
    def aside(self) -> int:
        """Those among them that were none of the conversation's."""
        return sum(_is_whole(request["answer"]) and request["kind"] == "side" for request in self.asked)

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

    @staticmethod
    def prompts(request: dict[str, Any]) -> str:
        """The first of a conversation, which is some programs' own, and the latest."""
        return f"{request['first_prompt']}\n{request['prompt']}"

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
    tools: Path
    """All that is on the PATH besides the program."""

    def run(self, script: Mapping[str, Any], *flags: str, seconds: float = 1800) -> Ran:
        project = self._project()
        agent = [] if self.program.command else ["--agent", self.program.name]
        with self._model(script) as (url, log):
            env = self._environment(url)
            if self.program.before:
                words = [word.replace("{url}", url) for word in self.program.before]
                subprocess.run([self.program.path, *words], cwd=self.root, env=env, check=True, capture_output=True)
            done = subprocess.run(
                [TRUEUP, "run", *agent, "--check", "python3 -m unittest -q", "--json", *flags],
                cwd=project,
                env=env,
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

    def guarded(self, script: Mapping[str, Any], *, on: bool, install: bool = True, seconds: float = 1800) -> Ran:
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

    def doctor(self, *flags: str, seconds: float = 1800) -> dict[str, Any]:
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
        agent = {"name": self.program.name, **self.program.agent}
        self.settings = "" if self.program.command else self.settings_of(agent)

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
        (project / "trueup.toml").write_text(self.settings)
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
            who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
            subprocess.run(["git", *who, *command], cwd=project, check=True, capture_output=True)
        return project

    def recipe(self, command: str) -> str:
        """As the docs have it, with another provider and model."""
        for said, put in self.program.words.items():
            command = command.replace(said, put.replace("{home}", str(self.root / "home")))
        return command

    def settings_of(self, agent: Mapping[str, Any]) -> str:
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
            "PATH": os.pathsep.join(map(str, (self.program.path.parent, self.tools))),
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


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Links to what everybody has. Not the PATH of whoever tests: a check is void if something is installed meanwhile."""
    folder = tmp_path_factory.mktemp("tools")
    for name in (*TOOLS, "jq"):
        place = shutil.which(name, path=os.defpath) or shutil.which(name)
        if place is None and name == "jq":  # its recipes are skipped
            continue
        assert place, f"{name} is needed"
        (folder / name).symlink_to(Path(place).resolve() if name == "node" else place)
    (folder / "python3").symlink_to(Path(sys.executable).resolve())
    return folder


@pytest.fixture(params=programs("programs"), ids=lambda program: program.name)
def stage(request: pytest.FixtureRequest, tmp_path: Path, tools: Path) -> Iterator[Stage]:
    yield from _staged(request.param, tmp_path, tools)


@pytest.fixture(params=programs("recipes"), ids=lambda program: program.name)
def kitchen(request: pytest.FixtureRequest, tmp_path: Path, tools: Path) -> Iterator[Stage]:
    """The same for programs that are driven by a command."""
    yield from _staged(request.param, tmp_path, tools)


def _staged(program: Program, tmp_path: Path, tools: Path) -> Iterator[Stage]:
    if not program.path.exists():
        folder = program.program.partition("/")[0]
        pytest.skip(f"{program.name} is not installed: python scripts/test_agents.py {folder}")
    yield Stage(root=tmp_path, program=program, tools=tools)
    shutil.rmtree(tmp_path / "home", ignore_errors=True)  # some of them leave hundreds of megabytes


@pytest.fixture
def note(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """For the table that is printed at the end; told with the test's report, because another process prints it."""

    def put(program: str, scenario: str, seen: str, *, row: int = 1000) -> None:
        record_property(SEEN, (program, row, scenario, seen))

    return put


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [report for some in terminalreporter.stats.values() for report in some]
    told = (value for report in reports for name, value in getattr(report, "user_properties", ()) if name == SEEN)
    cells = {(program, (number, scenario)): seen for program, number, scenario, seen in told}
    if not cells:
        return
    programs_seen = sorted({program for program, _ in cells})
    terminalreporter.section("real agents: what came out")
    terminalreporter.write_line("| situation | " + " | ".join(programs_seen) + " |")
    terminalreporter.write_line("|---|" + "---|" * len(programs_seen))
    for row in sorted({row for _, row in cells}):
        line = [row[1], *(cells.get((program, row), "not run") for program in programs_seen)]
        terminalreporter.write_line("| " + " | ".join(line) + " |")
