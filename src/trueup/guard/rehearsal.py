"""Does the guard's hook really keep an agent program from ending? Only a try can tell.

Programs silently ignore an answer that lacks a field, hooks that nobody confirmed, a file that they do not read. So the
real program is started in an empty home folder and an empty project, with our hooks installed as `trueup guard install`
does it and a check that fails, and its model is one on loopback that says «I am done.» It is asked a second time, with
the check's own words, or the hook does not block.
"""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trueup.act.process import DEFAULT_GRACES, Completed, Processes
from trueup.guard.hook import ASKED
from trueup.guard.install import Entry, adding, carry_out, file_of
from trueup.guard.pretended import PretendedModel
from trueup.guard.sessions import Sessions
from trueup.guard.stages import STAGES, Trust

SECONDS = 120.0
"""For one try: the slowest program needs fifteen on a machine that is not idle, and a minute on a crowded one."""
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "VOLTA_HOME", "ASDF_DATA_DIR", "MISE_DATA_DIR", "NVM_DIR", "FNM_DIR")
"""What finds a program and its interpreter. Keys, settings and proxies of the user stay outside."""
_INDOORS = {
    **dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"), "{url}"),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
}
"""Whoever wants to reach anything but the model is led to it, and turned away there."""
_CHECK = 'cat "$1" || exit 0; touch "$2"; exit 1'
"""Fails with what the secret file says, and notes that it did; passes once the file is gone."""
_LETTERS = "abcdefghijkmnpqrstuvwxyz"
_SHOWN = 300
_BLOCKS = "blocks: its end was refused, and the reason reached the model"
_IGNORES = "does not block: it ended although a check fails"
_UNTRIED = "could not be tried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    works: bool | None
    """None: it could not be tried."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who plays: an agent's program, and the hooks as they are installed, or would be."""

    agent: str
    program: str
    hooks: Mapping[str, Entry]
    user: bool = False
    """They are the user's, not of a project."""
    own: Trust | None = None
    """What the user has confirmed already; None: nothing is installed that could be."""
    seconds: float = SECONDS


def rehearse(cast: Cast, processes: Processes, environ: Mapping[str, str]) -> Rehearsal:
    """Start the program once; if it ignores its hooks, once more with all the trust that there is.

    No file of the user is written, no key of theirs is used, and nothing of the program is left when this returns.
    """
    stage = STAGES[cast.agent]
    first = _tried(cast, cast.own or Trust(), processes, environ)
    if first.works is not False or stage.trust is None:
        return first
    trusted = _tried(cast, stage.trust, processes, environ)
    if not trusted.works:
        return trusted
    if cast.own is None:
        return Rehearsal(works=True, text=f"{_BLOCKS}. Hooks without your trust it ignores: {stage.by_hand}")
    untrusted = "it ignores these hooks without a word until you trust them"
    return Rehearsal(works=False, text=f"does not block: {untrusted}: {stage.by_hand}. Trusted, they block")


def _tried(cast: Cast, trust: Trust, processes: Processes, environ: Mapping[str, str]) -> Rehearsal:
    stage = STAGES[cast.agent]
    with _scene() as scene, scene.model() as model:
        hooks = file_of(cast.agent, project=scene.project, home=scene.home, user=cast.user)
        for files in (stage.files, trust.files):
            scene.furnish(files, url=model.url, hooks=hooks)
        carry_out(adding(cast.agent, hooks, cast.hooks))
        argv = (cast.program, *stage.words, *trust.words)
        env = scene.environment(environ)
        env |= {name: value.replace("{url}", model.url) for name, value in (_INDOORS | stage.env).items()}
        timeout, graces = DEFAULT_GRACES.within(cast.seconds)
        done = processes.run(argv, cwd=scene.project, env=env, timeout=timeout, graces=graces)
        return _judged(done, model) or Rehearsal(works=False, text=f"{_IGNORES}; {scene.how_far(env)}")


def _judged(done: Completed, model: PretendedModel) -> Rehearsal | None:
    """None: it came to its end, and nobody held it back."""
    if model.heard:
        return Rehearsal(works=True, text=_BLOCKS)
    if done.not_started:
        return Rehearsal(works=None, text=f"could not be started: {done.not_started}")
    if done.timed_out:
        problem = f"it {'did not end' if model.asked else 'asked its model nothing'} within {done.duration:.0f} s"
    elif not model.asked:
        problem = "it ended without asking its model anything"
    elif done.exit_code != 0:
        problem = f"it ended with exit code {done.exit_code}"
    else:
        return None
    return Rehearsal(works=None, text=f"{_UNTRIED}: {problem}; {_last_words(done)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """A home folder and a project that nobody else has, gone afterwards."""

    root: Path
    token: str

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def secret(self) -> Path:
        """What the failing check says lies where no agent looks."""
        return self.root / "secret"

    @property
    def answered(self) -> Path:
        """There once the check has failed."""
        return self.root / "answered"

    def build(self) -> None:
        for folder in (self.project, self.home / "tmp"):
            folder.mkdir(parents=True)
        self.secret.write_text(f"{self.token}\n")
        run = json.dumps(["/bin/sh", "-c", _CHECK, "check", str(self.secret), str(self.answered)], ensure_ascii=False)
        (self.project / "trueup.toml").write_text(f'[[check]]\nname = "rehearsal"\nrun = {run}\n')

    def model(self) -> PretendedModel:
        return PretendedModel(self.token, on_asked=self._work, on_heard=self._repair)

    def _work(self) -> None:
        """A file changes while the model thinks, as if the agent had written it: now its end has to be checked."""
        (self.project / "work.txt").write_text("begun\n")

    def _repair(self) -> None:
        self.secret.unlink()
        (self.project / "work.txt").write_text("finished\n")

    def furnish(self, files: Mapping[str, str], *, url: str, hooks: Path) -> None:
        """The program's own settings."""
        for name, text in files.items():
            filled = text.replace("{url}", url).replace("{project}", str(self.project)).replace("{hooks}", str(hooks))
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(filled)

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        return {name: environ[name] for name in _PASSED_ON if name in environ} | {
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "CI": "1",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "DO_NOT_TRACK": "1",
            ASKED: "1",
        }

    def how_far(self, env: Mapping[str, str]) -> str:
        """What became of the hooks of a program that was not held back."""
        if self.answered.exists():
            return "it called the hook at its end and ignored the answer"
        guard = Sessions(env).folder
        if not guard.is_dir():
            return "it called no hook, or the hook could not answer"
        log = guard / "guard.log"
        broken = f" ({_short(log.read_text(errors='replace'))})" if log.exists() else ""
        return f"hooks were called, but none that refuses its end{broken}"


@contextmanager
def _scene() -> Iterator[_Scene]:
    token = "".join(secrets.choice(_LETTERS) for _ in range(24))
    with tempfile.TemporaryDirectory(prefix="trueup-rehearsal-", ignore_cleanup_errors=True) as root:
        scene = _Scene(root=Path(root).resolve(), token=token)
        scene.build()
        yield scene


def _last_words(done: Completed) -> str:
    lines = [line for line in done.stdout.text().splitlines() if line.strip()]
    return f"its last words: {_short(lines[-1])}" if lines else "it printed nothing"


def _short(text: str) -> str:
    return " ".join(text.split())[:_SHOWN]
