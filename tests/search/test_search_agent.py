"""`--agent search`: a small bug is repaired without a model; what is out of reach ends with what was learned."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from trueup.act.agents import known_agents, make_agent, search_before, search_options
from trueup.act.agents.base import AgentCall, AgentInfo, AgentResult, Ground
from trueup.act.agents.search import SearchAgent, make
from trueup.act.process import Processes
from trueup.act.project import find_project
from trueup.act.sandbox import Reach, make_sandbox
from trueup.decide.moves import AgentStatus
from trueup.decide.task import AgentSpec, CheckSpec
from trueup.errors import UsageError

CHECK = f"{sys.executable} -m pytest -q -p no:cacheprovider"
MODULE = """\
def last(items):
    \"\"\"The last one.\"\"\"
    return items[len(items)]  # from the end


def first(items):
    return items[0]
"""
TESTS = """\
from shop import first, last


def test_last():
    assert last([1, 2, 3]) == 3


def test_last_of_one():
    assert last(["a"]) == "a"


def test_first():
    assert first([1, 2]) == 1
"""


def _environ(tmp_path: Path) -> dict[str, str]:
    wanted = ("PATH", "LD_LIBRARY_PATH", "LANG")
    own = {name: os.environ[name] for name in wanted if name in os.environ}
    return {**own, "HOME": str(tmp_path / "home"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _project(tmp_path: Path, files: Mapping[str, str]) -> Path:
    root = tmp_path / "project"
    (tmp_path / "home").mkdir()
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for command in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "start")):
        subprocess.run(("git", *command), cwd=root, check=True, env=_environ(tmp_path))
    return root


def _ask(
    tmp_path: Path, root: Path, *, sealed: bool = False, agent: SearchAgent | None = None, attempt: int = 1
) -> AgentResult:
    """The agent alone, on the project itself as its workspace."""
    environ = _environ(tmp_path)
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    agent = agent or SearchAgent(name="search", cpu=5.0, unsandboxed=not sealed)
    with Processes() as processes:

        def enclose(writable: tuple[Path, ...], readable: tuple[Path, ...]) -> Processes:
            if not sealed:
                raise UsageError("there is no sandbox on this machine", why="it is a test")
            sandbox = make_sandbox(find_project(root), environ, state=tmp_path / "state", files=[sys.executable])
            return processes.confined(sandbox.around(Reach(writable=writable, readable=readable)))

        call = AgentCall(
            prompt="repair it",
            prompt_file=tmp_path / "prompt.md",
            workspace=root,
            attempt=attempt,
            seconds=240.0,
            usd=None,
            env=environ,
            scratch=scratch,
            ground=Ground(
                checks=(CheckSpec(name="tests", run=CHECK),),
                check_env=environ,
                may_change=lambda path: not path.startswith("test_"),
                sealed=enclose,
            ),
        )
        return agent.run(call, processes, lambda _: None)


def _trueup(tmp_path: Path, root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**_environ(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "COLUMNS": "200"}
    command = (sys.executable, "-m", "trueup", *words)
    return subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, timeout=500)


def test_a_small_bug_is_repaired_and_proven(tmp_path: Path) -> None:
    root = _project(tmp_path, {"shop.py": MODULE, "test_shop.py": TESTS})
    (root / "trueup.toml").write_text("search_unsandboxed = true\n")
    done = _trueup(tmp_path, root, "run", "--agent", "search", "--check", CHECK, "--search-cpu", "10")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "$0.00" in done.stdout
    diff = _trueup(tmp_path, root, "diff").stdout
    assert "-    return items[len(items)]  # from the end" in diff
    added = [line for line in diff.splitlines() if line.startswith("+ ")]
    assert len(added) == 1
    assert added[0].endswith("# from the end")


def test_a_bug_that_makes_tests_hang_is_repaired(tmp_path: Path) -> None:
    """No `timeout` is set: the first check would take an hour, and those tests that follow would not be seen."""
    loop = "def bits(n):\n    count = 0\n    while n:\n        n ^= n - 1\n        count += 1\n    return count\n"
    tests = (
        "import pytest\nfrom shop import bits\n\n\n"
        "@pytest.mark.parametrize(('n', 'want'), [(127, 7), (128, 1), (0, 0), (3005, 9)])\n"
        "def test_bits(n, want):\n    assert bits(n) == want\n"
    )
    root = _project(tmp_path, {"shop.py": loop, "test_shop.py": tests})
    (root / "trueup.toml").write_text("search_unsandboxed = true\n")
    done = _trueup(tmp_path, root, "run", "--agent", "search", "--check", CHECK, "--search-cpu", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 tests, 3 fail" in done.stdout
    assert "not finished in time" in done.stdout
    assert "+        n &= n - 1" in _trueup(tmp_path, root, "diff").stdout


def test_what_is_out_of_reach_ends_with_exit_code_1_and_a_diagnosis(tmp_path: Path) -> None:
    hard = "def total(items):\n    return 0\n"
    tests = "from shop import total\n\n\ndef test_it():\n    assert total('x') == 'an answer of another world' * 3\n"
    root = _project(tmp_path, {"shop.py": hard, "test_shop.py": tests})
    (root / "trueup.toml").write_text("search_unsandboxed = true\n")
    done = _trueup(tmp_path, root, "run", "--agent", "search", "--check", CHECK, "--search-cpu", "1")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "stuck" in done.stdout
    assert "test_it" in done.stdout
    assert "nothing found for 1 failing test;" in done.stdout
    assert "learned  suspicious lines" in done.stdout
    assert "2        " not in done.stdout  # asked again, it would find the same


def test_the_evidence_of_a_search_without_success_is_told(tmp_path: Path) -> None:
    hard = "def total(items):\n    return 0\n"
    tests = "from shop import total\n\n\ndef test_it():\n    assert total('x') == 'an answer of another world' * 3\n"
    root = _project(tmp_path, {"shop.py": hard, "test_shop.py": tests})
    agent = SearchAgent(name="search", cpu=0.5, unsandboxed=True)
    result = _ask(tmp_path, root, agent=agent)
    assert result.status is AgentStatus.EXHAUSTED
    assert "shop.py:2" in result.transcript.decode()
    assert result.note.startswith("nothing found for 1 failing test")
    assert (root / "shop.py").read_text() == hard
    assert _ask(tmp_path, root, agent=agent, attempt=2).duration < 1.0  # the same search finds the same


def test_two_places_in_two_files_are_repaired_together(tmp_path: Path) -> None:
    files = {
        "low.py": "def double(n):\n    return n * 3\n",
        "high.py": "from low import double\n\n\ndef area(a, b):\n    return a - b\n\n\ndef twice(n):\n    return double(n)\n",
        "test_all.py": "from high import area, twice\n\n\ndef test_area():\n    assert area(2, 3) == 6\n    assert area(1, 5) == 5\n"
        "\n\ndef test_twice():\n    assert twice(4) == 8\n    assert twice(1) == 2\n    assert twice(0) == 0\n",
    }
    root = _project(tmp_path, files)
    result = _ask(tmp_path, root)
    assert "return a * b" in (root / "high.py").read_text(), result.transcript.decode()
    assert (root / "low.py").read_text() != files["low.py"]


def test_a_constant_of_a_module_takes_effect_although_it_was_imported(tmp_path: Path) -> None:
    files = {
        "limits.py": "LIMIT = 3\n",
        "shop.py": "from limits import LIMIT\n\n\ndef fits(n):\n    return n <= LIMIT\n",
        "test_shop.py": "from shop import fits\n\n\ndef test_fits():\n    assert fits(4)\n\n\ndef test_too_many():\n    assert not fits(5)\n"
        "    assert not fits(6)\n    assert fits(1)\n",
    }
    root = _project(tmp_path, files)
    result = _ask(tmp_path, root)
    assert result.status is AgentStatus.DONE
    changed = (root / "limits.py").read_text() + (root / "shop.py").read_text()
    assert "LIMIT = 4" in changed or "LIMIT + 1" in changed or "n - 1 <=" in changed or "n < 5" in changed, changed


def test_tests_and_protected_files_are_never_touched(tmp_path: Path) -> None:
    root = _project(tmp_path, {"test_shop.py": "def f():\n    return 1\n\n\ndef test_it():\n    assert f() == 2\n"})
    before = (root / "test_shop.py").read_bytes()
    result = _ask(tmp_path, root)
    assert result.status is AgentStatus.EXHAUSTED
    assert (root / "test_shop.py").read_bytes() == before


def test_without_a_sandbox_and_without_consent_nothing_runs(tmp_path: Path) -> None:
    root = _project(tmp_path, {"shop.py": MODULE, "test_shop.py": TESTS})
    result = _ask(tmp_path, root, agent=SearchAgent(name="search", cpu=5.0, unsandboxed=False))
    assert result.status is AgentStatus.MISSING
    assert not result.began
    assert "search_unsandboxed = true" in result.detail


REACHING = """\
import os
import socket
from pathlib import Path

OUTSIDE, PORT = Path({outside!r}), {port}


def reach():
    for deed in (lambda: OUTSIDE.unlink(), lambda: socket.create_connection(("127.0.0.1", PORT), 2)):
        try:
            deed()
        except OSError:
            pass
    return 1 + 2
"""


def test_a_program_that_is_tried_deletes_nothing_and_has_no_network(tmp_path: Path) -> None:
    if not _has_bubblewrap(tmp_path):
        pytest.skip("bubblewrap does not work here")
    outside = tmp_path / "home" / "precious.txt"
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        text = REACHING.format(outside=str(outside), port=server.getsockname()[1])
        tests = "from shop import reach\n\n\ndef test_it():\n    assert reach() == 2\n"
        root = _project(tmp_path, {"shop.py": text, "test_shop.py": tests})
        outside.write_text("precious")
        result = _ask(tmp_path, root, sealed=True)
        assert result.status is AgentStatus.DONE
        assert (root / "shop.py").read_text() != text, result.transcript.decode()
        assert outside.read_text() == "precious"
        with pytest.raises(BlockingIOError):
            server.accept()


def _has_bubblewrap(tmp_path: Path) -> bool:
    from trueup.act.sandbox import find_bubblewrap

    try:
        find_bubblewrap(_environ(tmp_path))
    except UsageError:
        return False
    return True


DEEDS = """\
import os
import shutil
import time


def _noted(deed):
    with open({diary!r}, "a") as file:
        file.write(deed + "\\n")


def loop():
    _noted("loop")
    while True:
        pass


def allocate():
    _noted("allocate")
    return bytearray(1 << 40)


def multiply():
    _noted("multiply")
    for _ in range(6):  # 63 processes, each started by another one
        os.fork()
    time.sleep(3600)


def delete():
    _noted("delete")
    shutil.rmtree(os.getcwd())


def leave():
    _noted("leave")
    os._exit(0)
"""
ROGUE = """\
import os

import test_deeds as deeds


def size(items):
    if os.environ.get("LOOP"):
        deeds.loop()
    if os.environ.get("ALLOCATE"):
        deeds.allocate()
    if os.environ.get("MULTIPLY"):
        deeds.multiply()
    if os.environ.get("DELETE"):
        deeds.delete()
    if os.environ.get("LEAVE"):
        deeds.leave()
    return len(items) + 1
"""


def test_tried_programs_that_loop_allocate_multiply_delete_or_leave_hurt_nothing(tmp_path: Path) -> None:
    """Each deed is one negated condition away. It happens, is survived, and the repair is found all the same."""
    diary = tmp_path / "diary.txt"
    tests = "from shop import size\n\n\ndef test_size():\n    assert size([1]) == 1\n    assert size([]) == 0\n"
    files = {"shop.py": ROGUE, "test_shop.py": tests, "test_deeds.py": DEEDS.format(diary=str(diary))}
    root = _project(tmp_path, files)
    result = _ask(tmp_path, root, agent=SearchAgent(name="search", cpu=20.0, unsandboxed=True))
    assert set(diary.read_text().split()) == {"loop", "allocate", "multiply", "delete", "leave"}
    changed = (root / "shop.py").read_text()
    assert changed == ROGUE.replace("return len(items) + 1", "return len(items)"), result.transcript.decode()
    assert {path: (root / path).read_text() for path in files} == {**files, "shop.py": changed}
    assert _at_work_in(tmp_path) == []


def _at_work_in(folder: Path) -> list[str]:
    """Processes that were started below this folder and still run."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            where = (process / "cwd").readlink()
        except OSError:  # it has ended, or is another user's
            continue
        if str(where).startswith(str(folder)):
            found.append(f"{process.name}: {where}")
    return found


def test_a_check_that_is_not_pytest_is_refused_in_plain_words(tmp_path: Path) -> None:
    root = _project(tmp_path, {"shop.py": MODULE})
    call_check = CheckSpec(name="other", run=(sys.executable, "-c", "raise SystemExit(1)"))
    environ = _environ(tmp_path)
    (tmp_path / "scratch").mkdir()
    with Processes() as processes:
        ground = Ground(
            checks=(call_check,), check_env=environ, may_change=lambda _: True, sealed=lambda _w, _r: processes
        )
        call = AgentCall(
            prompt="",
            prompt_file=tmp_path / "p",
            workspace=root,
            attempt=1,
            seconds=60,
            usd=None,
            env=environ,
            scratch=tmp_path / "scratch",
            ground=ground,
        )
        result = SearchAgent(name="search").run(call, processes, lambda _: None)
        assert result.status is AgentStatus.EXHAUSTED
        assert result.detail == "a search works with pytest, and the check other did not start one"
        without = SearchAgent(name="search").run(replace(call, ground=None), processes, lambda _: None)
        assert without.status is AgentStatus.EXHAUSTED
        assert not without.began


def test_tests_that_cannot_be_loaded_are_named(tmp_path: Path) -> None:
    root = _project(tmp_path, {"shop.py": "raise NameError\n", "test_shop.py": TESTS})
    result = _ask(tmp_path, root)
    assert result.status is AgentStatus.EXHAUSTED
    assert result.note == "test files cannot be loaded (test_shop.py): a search needs tests that run"
    assert result.detail == result.note


def test_without_a_failing_test_there_is_nothing_to_search_for(tmp_path: Path) -> None:
    good = MODULE.replace("items[len(items)]", "items[-1]")
    root = _project(tmp_path, {"shop.py": good, "test_shop.py": TESTS})
    result = _ask(tmp_path, root)
    assert (result.status, result.detail) == (AgentStatus.EXHAUSTED, "no test failed here: nothing to search for")
    assert (root / "shop.py").read_text() == good


def test_it_is_known_by_name_and_costs_nothing() -> None:
    spec = known_agents()["search"]
    assert spec.usd_per_attempt == 0.0
    assert make_agent(spec).name == "search"


def test_its_options_come_from_the_task() -> None:
    options = search_options(cpu=7.0, unsandboxed=True)
    agent = make(AgentSpec(name="search", kind="search", options=options), {})
    assert (agent.cpu, agent.unsandboxed) == (7.0, True)


def test_search_first_asks_the_paid_agent_only_if_nothing_is_found(tmp_path: Path) -> None:
    asked: list[str] = []

    class Paid:
        name = "paid"

        def describe(self) -> AgentInfo:
            raise AssertionError

        def run(self, call: AgentCall, processes: Processes, on_activity: Callable[[str], None]) -> AgentResult:
            asked.append(call.prompt)
            return AgentResult(status=AgentStatus.DONE, claimed_usd=1.0)

    options = search_options(cpu=1.0, unsandboxed=True)
    (first,) = search_before((Paid(),), options)
    root = _project(tmp_path, {"shop.py": MODULE, "test_shop.py": TESTS})
    found = _ask(tmp_path, root, agent=first)  # type: ignore[arg-type]  # any agent will do
    assert found.claimed_usd == 0.0
    assert not asked
    (root / "shop.py").write_text(MODULE.replace("items[len(items)]", "print(items)"))
    (root / "test_shop.py").write_text(TESTS.replace('"a"', "'an answer'").replace("== 3", "== 'of another world'"))
    missed = _ask(tmp_path, root, agent=first)  # type: ignore[arg-type]  # as above
    assert missed.claimed_usd == 1.0
    assert "repair it" in asked[0]
    assert "What a search by small edits learned" in asked[0]
    assert "shop.py:3" in asked[0]


def test_the_same_search_finds_the_same(tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        root = _project(tmp_path / name, {"shop.py": MODULE, "test_shop.py": TESTS})
        result = _ask(tmp_path / name, root)
        told = result.transcript.decode().partition(";")[0], result.transcript.decode().partition("\n")[2]
        found.append((told, (root / "shop.py").read_text()))
    assert found[0] == found[1]
