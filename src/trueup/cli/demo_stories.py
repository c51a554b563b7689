"""Which stories does the demo tell, and how does each end? The real loop, on real projects.

The agents follow a script; in the last two stories, it is the search that comes with trueup.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from trueup.act.agents import known_agents
from trueup.act.process import ToolFailed, quick
from trueup.act.project import find_project
from trueup.cli.demo_bugs import OUT_OF_REACH_FILES, REPAIRED_FILES
from trueup.config import Overrides, build_task
from trueup.decide.moves import RunFinished
from trueup.decide.outcome import Outcome, Status
from trueup.decide.state import AttemptView, State
from trueup.decide.task import Task
from trueup.errors import UnverifiableError
from trueup.loop import run as run_loop
from trueup.perform.context import Context
from trueup.perform.ending import changed_files
from trueup.perform.opening import new_run
from trueup.perform.setting import Setting
from trueup.report.events import RunEnded, Sink
from trueup.report.text import money, plural
from trueup.testing.projects import SHOP_FILES, SHOP_FIX, SHOP_HALF_FIX, python_project, write_files
from trueup.testing.scripted import ScriptedAgent, Step

CHECK = (sys.executable, "-m", "pytest", "-q")
BLIND_ATTEMPTS = 50
"""How often a loop that only counts its rounds is taken to try."""
MAX_USD = 2.0


class Blind(StrEnum):
    """The loop without evidence that each story is compared with."""

    BELIEVES = "believes"
    """Stops when the agent says that it is done."""
    RETRIES = "retries"
    """Goes on until the tests pass or its rounds are used up."""
    SAME_FOLDER = "same-folder"
    """Runs the tests itself, but on the agent's own copy of them."""
    KEEPS_LAST = "keeps-last"
    """Hands back whatever the last attempt left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    name: str
    title: str
    agent: str
    """What the agent does, for people."""
    steps: tuple[Step, ...] = ()
    blind: Blind | None = None
    """None for the search: nobody takes its word for anything."""
    ends: Status
    attempts: int
    failing: int
    """How many tests fail in what is handed back."""
    max_attempts: int = 10
    bug: Mapping[str, str] | None = None
    """Another project than the shop, for the search; it gets `search_cpu` seconds of processor time."""
    search_cpu: float = 0.0

    @property
    def folder(self) -> str:
        """Of its project."""
        return "shop" if self.bug is None else "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindLoop:
    """What a loop without evidence would have done with the same agent. Its dollars are the script's prices."""

    kind: Blind
    attempts: int
    usd: float
    failing: int
    """How many of the user's tests fail on what it hands back; measured by trueup's own runs."""
    ships: str
    """What that is, in a few words."""
    text: str
    exit_code: int | None = None
    """What the user's command says in the agent's own folder, if it was run there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    story: Story
    outcome: Outcome
    start: int
    """How many tests failed at the start."""
    tests: int
    failing: int
    """How many tests fail in what is handed back."""
    said: str
    """The agent's last words."""
    blind: BlindLoop | None
    patch: str = ""
    """What the search changed, if that is what is handed back."""

    @property
    def as_expected(self) -> bool:
        story, outcome = self.story, self.outcome
        ended = (outcome.status, outcome.attempts, self.failing)
        as_blind = self.blind is None or not self.blind.exit_code
        return ended == (story.ends, story.attempts, story.failing) and as_blind


# --- the project and the scripts -----------------------------------------------------------------------------------

CART, TESTS = "shop/cart.py", "tests/test_cart.py"
FILES = {path: text for path, text in SHOP_FILES.items() if path != "tests/test_prices.py"}
"""A shop with six tests, two of which fail: the bulk discount is wrong."""
FIXED, HALF_FIXED, BROKEN = SHOP_FIX[CART], SHOP_HALF_FIX[CART], FILES[CART]
MISCOUNTS = HALF_FIXED.replace("sum(self._items.values())", "len(self._items)")
_WRONG = "return full - BULK_DISCOUNT"


def _without_failing_tests() -> str:
    """The test file as an agent leaves it that makes it green by deleting what fails."""
    kept = [part for part in FILES[TESTS].split("\n\n\n") if "bulk" not in part]
    return "\n\n\n".join(kept)


DONE = "Done! I fixed the bulk discount. All tests pass now."

STORIES = (
    Story(
        name="second-try",
        title="a fix at the second try",
        agent="repairs half of it and says that it is done; sent back with the failing test, it repairs the rest",
        steps=(
            Step(writes={CART: HALF_FIXED}, say=DONE, usd=0.14),
            Step(writes={CART: FIXED}, say="The discount has to start at ten, not after it.", usd=0.11),
        ),
        blind=Blind.BELIEVES,
        ends=Status.PASSED,
        attempts=2,
        failing=0,
    ),
    Story(
        name="thrashing",
        title="an agent that thrashes, stopped with a diagnosis",
        agent="swaps one wrong formula for another and back, and would do so for ever",
        steps=tuple(
            Step(writes={CART: BROKEN.replace(_WRONG, wrong)}, say="Found it: the formula was wrong.", usd=0.2)
            for wrong in ("return full - 10 * BULK_DISCOUNT", "return full - 10") * 2
        ),
        blind=Blind.RETRIES,
        ends=Status.STUCK,
        attempts=4,
        failing=2,
    ),
    Story(
        name="liar",
        title="a liar, caught",
        agent="adds a comment, says that all tests pass, and goes on saying so",
        steps=(
            Step(writes={CART: BROKEN.replace(_WRONG, f"{_WRONG}  # fixed")}, say=DONE, usd=0.12),
            Step(say=DONE, usd=0.08),
        ),
        blind=Blind.BELIEVES,
        ends=Status.STUCK,
        attempts=3,
        failing=2,
    ),
    Story(
        name="deleted-test",
        title="a deleted test, caught",
        agent="deletes the two tests that fail and says that all tests pass",
        steps=(Step(writes={TESTS: _without_failing_tests()}, say=DONE, usd=0.09),),
        blind=Blind.SAME_FOLDER,
        ends=Status.STUCK,
        attempts=2,
        failing=2,
    ),
    Story(
        name="fixed-and-deleted",
        title="the same, but the bug is repaired as well",
        agent="repairs the discount and deletes the two tests all the same",
        steps=(Step(writes={CART: FIXED, TESTS: _without_failing_tests()}, say=DONE, usd=0.15),),
        blind=Blind.SAME_FOLDER,
        ends=Status.PASSED,
        attempts=1,
        failing=0,
    ),
    Story(
        name="worse",
        title="an agent that makes it worse, rolled back",
        agent="repairs half of it, then breaks more with each further idea",
        steps=(
            Step(writes={CART: HALF_FIXED}, say="One down.", usd=0.14),
            Step(writes={CART: MISCOUNTS}, say=DONE, usd=0.18),
            Step(writes={CART: MISCOUNTS.replace("return full\n", "return round(full, -1)\n")}, say=DONE, usd=0.17),
        ),
        blind=Blind.KEEPS_LAST,
        ends=Status.OUT_OF_BUDGET,
        attempts=3,
        failing=1,
        max_attempts=3,
    ),
    Story(
        name="search",
        title="a small bug, repaired without any model",
        agent="is the search that comes with trueup: it tries small edits where failing tests pass by",
        ends=Status.PASSED,
        attempts=1,
        failing=0,
        bug=REPAIRED_FILES,
        search_cpu=30.0,
    ),
    Story(
        name="out-of-reach",
        title="a bug that no small edit repairs, stopped with what was learned",
        agent="is the same search, with a small budget; here, a whole part of the code is missing",
        ends=Status.STUCK,
        attempts=1,
        failing=2,
        bug=OUT_OF_REACH_FILES,
        search_cpu=3.0,
    ),
)


# --- telling -------------------------------------------------------------------------------------------------------


def demo_environment(host: Mapping[str, str], state: Path) -> dict[str, str]:
    """The user's variables, but for those that would make these runs differ from machine to machine."""
    foreign = ("TRUEUP_", "PYTEST_")
    own = {name: value for name, value in host.items() if not name.startswith(foreign)}
    return own | {"XDG_STATE_HOME": os.fspath(state), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def require_pytest(environ: Mapping[str, str]) -> None:
    """Checks run without the user's own site-packages, so that asking this interpreter alone would not do."""
    try:
        quick((*CHECK, "--version"), env={**environ, "PYTHONNOUSERSITE": "1"})
    except ToolFailed as failed:
        raise UnverifiableError(
            "the demo needs pytest: its projects are checked with it",
            why=f"{shlex.join(CHECK)} cannot run: {failed.why}",
            do=f"Install it beside trueup, for example: {shlex.quote(sys.executable)} -m pip install pytest",
        ) from failed


def tell(story: Story, folder: Path, environ: Mapping[str, str], sink: Sink) -> Told:
    """Make the project, let the agent loose on it, and see how the run ends."""
    root = python_project(folder / story.folder, files=FILES if story.bug is None else story.bug)
    task = _scripted(story, folder) if story.bug is None else _searching(story)
    setting = Setting(project=find_project(root), environ=environ, sinks=(sink,))
    with new_run(setting, task) as (context, journal):
        record, state = run_loop(context, journal)
        _say_how_it_ended(context, record, state)
        searched = story.bug is not None and record.outcome.tree != state.start
        patch = context.store.patch(state.start, record.outcome.tree).decode(errors="replace") if searched else ""
    return replace(_told(story, folder, environ, record.outcome, state), patch=patch)


def _scripted(story: Story, folder: Path) -> Task:
    command = ScriptedAgent(*story.steps, then="repeat").as_command(folder / "agent")
    wishes = Overrides(
        task="the bulk discount is wrong",
        agent_cmd=command,
        check=(shlex.join(CHECK),),
        max_usd=MAX_USD,
        max_attempts=story.max_attempts,
    )
    task = build_task({}, wishes, {})
    return replace(task, agents=(replace(task.agents[0], name="scripted agent"),))


def _searching(story: Story) -> Task:
    """Where bubblewrap does not work, the demo agrees for its own two projects: no edit of them reaches a file."""
    wishes = Overrides(agent=("search",), check=(shlex.join(CHECK),), search_cpu=story.search_cpu)
    return build_task({"search_unsandboxed": True}, wishes, {}, known_agents=known_agents())


def _say_how_it_ended(context: Context, record: RunFinished, state: State) -> None:
    ended = RunEnded(
        outcome=record.outcome,
        branch=record.branch,
        branch_note=record.branch_note,
        changed=changed_files(context, state, record.outcome),
    )
    context.stream.emit(ended, state)


def _told(story: Story, folder: Path, environ: Mapping[str, str], outcome: Outcome, state: State) -> Told:
    return Told(
        story=story,
        outcome=outcome,
        start=_failing(state, state.start),
        tests=len(state.start_snapshot.collected) if state.start_snapshot else 0,
        failing=_failing(state, outcome.tree),
        said=state.attempts[-1].record.note if state.attempts else "",
        blind=_blind(story, folder, environ, state),
    )


def _failing(state: State, tree: str) -> int:
    """How many tests fail on a tree. An attempt that was not checked left a tree that had been before."""
    snapshots = (state.start_snapshot, *(view.snapshot for view in state.attempts))
    seen = next((s for s in snapshots if s is not None and s.tree == tree), None)
    return sum(seen.failing.values()) if seen else 0


# --- the blind loop ------------------------------------------------------------------------------------------------


def _blind(story: Story, folder: Path, environ: Mapping[str, str], state: State) -> BlindLoop | None:
    if story.blind is None:
        return None
    if not state.attempts:
        return BlindLoop(kind=story.blind, attempts=0, usd=0.0, failing=0, ships="", text="no attempt was made")
    match story.blind:
        case Blind.BELIEVES:
            return _believes(state)
        case Blind.RETRIES:
            return _retries(state)
        case Blind.SAME_FOLDER:
            return _same_folder(story, state, folder / "blind", environ)
        case Blind.KEEPS_LAST:
            return _keeps_last(state)


def _left(state: State, view: AttemptView) -> int:
    return _failing(state, view.record.candidate)


def _price(*views: AttemptView) -> float:
    return sum(view.record.claimed_usd or 0.0 for view in views)


def _believes(state: State) -> BlindLoop:
    first = state.attempts[0]
    usd, failing = _price(first), _left(state, first)
    ships = plural(failing, "failing test")
    text = f"a loop that believes the agent ships after attempt 1, for {money(usd)}, with {ships}"
    return BlindLoop(kind=Blind.BELIEVES, attempts=1, usd=usd, failing=failing, ships=ships, text=text)


def _retries(state: State) -> BlindLoop:
    each = _price(*state.attempts) / len(state.attempts)
    usd, failing = BLIND_ATTEMPTS * each, _left(state, state.attempts[-1])
    ships = plural(failing, "failing test")
    text = (
        f"a loop that only retries goes on to its limit: {BLIND_ATTEMPTS} × {money(each)} = {money(usd)}, still {ships}"
    )
    return BlindLoop(kind=Blind.RETRIES, attempts=BLIND_ATTEMPTS, usd=usd, failing=failing, ships=ships, text=text)


def _same_folder(story: Story, state: State, folder: Path, environ: Mapping[str, str]) -> BlindLoop:
    """Not arithmetic: the user's command really runs in the project as the agent left it."""
    written = {path: text for path, text in story.steps[0].writes.items() if text is not None}
    write_files(folder, {**FILES, **written})
    exit_code = _exit_code(CHECK, folder, environ)
    usd, failing = _price(state.attempts[0]), _left(state, state.attempts[0])
    ships = f"2 tests deleted, {'the bug still there' if failing else 'nobody told'}"
    text = (
        f"a loop that runs the tests in the agent's folder sees exit code {exit_code} after attempt 1, "
        f"for {money(usd)}: {ships}"
    )
    return BlindLoop(
        kind=Blind.SAME_FOLDER, attempts=1, usd=usd, failing=failing, ships=ships, text=text, exit_code=exit_code
    )


def _exit_code(argv: tuple[str, ...], folder: Path, environ: Mapping[str, str]) -> int:
    try:
        quick(argv, cwd=folder, env=environ)
    except ToolFailed as failed:
        return failed.returncode or 1
    return 0


def _keeps_last(state: State) -> BlindLoop:
    last = state.attempts[-1]
    usd, failing = _price(*state.attempts), _left(state, last)
    ships = plural(failing, "failing test")
    text = f"a loop that keeps the last state hands back attempt {last.number}, for {money(usd)}, with {ships}"
    return BlindLoop(
        kind=Blind.KEEPS_LAST, attempts=len(state.attempts), usd=usd, failing=failing, ships=ships, text=text
    )
