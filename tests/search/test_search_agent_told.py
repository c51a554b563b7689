"""What people, reports and the next agent are told about a search."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import trueup
from trueup.act.agents.search import fits, lessons, story
from trueup.decide.task import AgentSpec, Task
from trueup.perform.confinement import search_line
from trueup.report.events import Header
from trueup.report.lines import header_lines

CHECK = f"{sys.executable} -m pytest -q -p no:cacheprovider"
SHOP = """\
def last(items):
    return items[len(items)]


def total(items):
    return 0
"""
TESTS = """\
from shop import last, total


def test_last():
    assert last([1, 2, 3]) == 3
    assert last([4]) == 4


def test_total():
    assert total("x") == "an answer of another world" * 3
"""
REPORT: dict[str, Any] = {
    "failing": ["test_shop.py::test_last", "test_shop.py::test_total"],
    "tests": 9,
    "tried": 1234,
    "cpu": 3.21,
    "spent": True,
    "suspicious": [["shop.py", 2, 0.707], ["shop.py", 6, 0.5]],
    "plausible": [],
    "partial": [],
    "not_collected": [],
}


def _patch(new: str, *, sure: bool = True) -> dict[str, Any]:
    text = SHOP.replace("items[len(items)]", new)
    return {"kind": "index", "sure": sure, "repaired": ["test_shop.py::test_last"], "texts": {"shop.py": text}}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


# --- in a few words ------------------------------------------------------------------------------------------------


def test_what_was_learned_is_told_in_short_lines(shop: Path) -> None:
    report = {**REPORT, "partial": [_patch(f"items[-{n}]") for n in range(1, 6)]}
    assert lessons(report, shop) == (
        "repairs 1 of 2 (test_last): shop.py:2: return items[len(items)] → return items[-1]",
        "repairs 1 of 2 (test_last): shop.py:2: return items[len(items)] → return items[-2]",
        "repairs 1 of 2 (test_last): shop.py:2: return items[len(items)] → return items[-3]",
        "suspicious lines (1 = run by all failing tests and no other): shop.py:2 0.71, shop.py:6 0.50",
    )
    assert story(report, shop).startswith(
        "nothing found for 2 failing tests; 1,234 edits tried in 3.2 s of processor time; the budget ended it\n"
    )


def test_a_patch_that_passes_is_plausible_and_the_others_are_listed(shop: Path) -> None:
    report = {**REPORT, "plausible": [_patch("items[-1]"), _patch("items[len(items) - 1]", sure=False)]}
    assert lessons(report, shop) == (
        "plausible, passes 9 tests: shop.py:2: return items[len(items)] → return items[-1]",
        "passes as well, not chosen: shop.py:2: return items[len(items)] → return items[len(items) - 1]",
    )
    told = story(report, shop)
    assert told.startswith("plausible, passes 9 tests: index;")
    assert "A patch that passes, not chosen: index" in told
    assert "  +    return items[len(items) - 1]" in told.splitlines()


def test_what_does_not_stand_out_is_not_called_chosen(shop: Path) -> None:
    report = {**REPORT, "plausible": [_patch("items[-1]", sure=False)]}
    assert lessons(report, shop)[0].startswith("passes as well, not chosen: ")
    assert story(report, shop).startswith("a patch passes, but it is not a likely one;")


def test_test_files_that_cannot_be_loaded_are_named_beside_what_was_learned(shop: Path) -> None:
    report = {**REPORT, "not_collected": ["test_other.py"]}
    assert lessons(report, shop)[-1] == "test files that cannot be loaded: test_other.py"


def test_a_line_that_is_added_or_taken_away_is_named(shop: Path) -> None:
    added = {"shop.py": SHOP.replace("    return 0", "    items = 1\n    return 0")}
    gone = {"shop.py": SHOP.replace("    return 0\n", "")}
    partial = [{"kind": "", "repaired": ["t"], "texts": texts} for texts in (added, gone)]
    said = lessons({**REPORT, "partial": partial}, shop)
    assert said[0] == "repairs 1 of 2 (t): shop.py:6: added items = 1"
    assert said[1] == "repairs 1 of 2 (t): shop.py:6: without return 0"


# --- the first screen ----------------------------------------------------------------------------------------------


def test_the_first_screen_says_what_to_do_where_bubblewrap_does_not_work(tmp_path: Path) -> None:
    nowhere = {"PATH": str(tmp_path)}
    said = search_line(Task(), None, nowhere)
    assert said.startswith("its trials need a sandbox, and bubblewrap does not work here (")
    assert "search_unsandboxed = true in trueup.toml" in said.splitlines()[1]
    agreed = search_line(Task(search_unsandboxed=True), None, nowhere)
    assert agreed.startswith("its trials are not sandboxed, as search_unsandboxed allows: ")


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_the_first_screen_says_that_trials_are_sandboxed() -> None:
    said = search_line(Task(agents=(AgentSpec(name="search", kind="search"),)), None, os.environ)
    assert said == "its trials run in a sandbox: on a copy, without network, without your home folder"


def test_a_run_that_asks_no_model_has_no_dollar_limit_on_its_first_screen() -> None:
    lines = header_lines(Header(run="a1", version="1", project="~/shop", usd=5.0, attempts=10, free=True))
    assert "  limits   $0: no model is asked · 10 attempts" in lines
    assert not any("$5" in line for line in lines)


# --- whole runs ----------------------------------------------------------------------------------------------------


def _trueup(folder: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environ = {
        "PATH": path or os.environ["PATH"],
        "HOME": str(folder / "home"),
        "XDG_STATE_HOME": str(folder / "state"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "COLUMNS": "100",
    }
    environ |= {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "LANG") if name in os.environ}
    command = (sys.executable, "-m", "trueup", *words)
    return subprocess.run(command, cwd=folder / "project", env=environ, capture_output=True, text=True, timeout=500)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "home").mkdir()
    (root / "shop.py").write_text(SHOP)
    (root / "test_shop.py").write_text(TESTS)
    subprocess.run(("git", "init", "-q"), cwd=root, check=True)
    return root


def test_what_was_learned_reaches_the_last_screen_the_report_and_the_next_agent(tmp_path: Path, project: Path) -> None:
    (project / "trueup.toml").write_text("search_unsandboxed = true\n")
    copy = tmp_path / "copy.py"
    copy.write_text(f"import shutil, sys\nshutil.copy(sys.argv[1], {str(tmp_path / 'seen.md')!r})\n")
    agents = ("--agent", "search", "--agent-cmd", f"{sys.executable} -S {copy} {{prompt_file}}")
    done = _trueup(tmp_path, "run", *agents, "--check", CHECK, "--search-cpu", "3", "--max-attempts", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    learned = done.stdout.partition("  learned  ")[2]
    assert re.match(r"repairs 1 of 2 \(test_last\): shop\.py:2: return items\[len\(items\)\] → return items\[", learned)
    assert "suspicious lines (1 = run by all failing tests and no other): " in " ".join(learned.split())
    assert max(map(len, learned.splitlines())) <= 100
    prompt = (tmp_path / "seen.md").read_text()
    assert "# What an earlier attempt found out about these files" in prompt
    assert "repairs 1 of 2 (test_last): shop.py:2" in prompt
    (run,) = (project / ".trueup" / "runs").iterdir()
    first, second = json.loads((run / "completion_reasons.json").read_text())["attempts"]
    assert first["learned"][0].startswith("repairs 1 of 2 (test_last)")
    assert second["learned"] == []
    assert "suspicious lines" in (run / "report.html").read_text()
    assert "Repairs only test_shop.py::test_last" in (run / "transcripts" / "attempt-1.txt").read_text()
    explained = _trueup(tmp_path, "explain", "1").stdout
    assert "  learned  repairs 1 of 2 (test_last)" in explained


def test_without_bubblewrap_the_run_is_blocked_and_says_what_to_do(tmp_path: Path, project: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("git", "sh"):
        (programs / name).symlink_to(shutil.which(name) or "")
    done = _trueup(tmp_path, "run", "--agent", "search", "--check", CHECK, path=str(programs))
    assert done.returncode == 5, done.stdout + done.stderr
    assert "its trials need a sandbox, and bubblewrap does not work here" in done.stdout
    assert "  do       install or repair bubblewrap, then: trueup resume" in done.stdout
    assert "search_unsandboxed = true into trueup.toml" in done.stdout
    assert (project / "shop.py").read_text() == SHOP


def test_a_check_without_pytest_ends_with_a_clear_word(tmp_path: Path, project: Path) -> None:
    (project / "trueup.toml").write_text("search_unsandboxed = true\n")
    (project / "check.py").write_text("raise SystemExit('no')\n")
    done = _trueup(tmp_path, "run", "--agent", "search", "--check", f"{sys.executable} -S check.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(
        r"^stuck · a search works with pytest, and the check .* did not start one", done.stdout, re.MULTILINE
    )


def test_only_files_of_the_workspace_itself_are_written(tmp_path: Path) -> None:
    """A tried program can put any path into the report, and the project may hold links."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.py").write_text("")
    workspace = tmp_path / "workspace"
    (workspace / "shop").mkdir(parents=True)
    (workspace / "shop" / "a.py").write_text("")
    (workspace / "link").symlink_to(tmp_path / "outside")
    (workspace / "a.py").symlink_to(tmp_path / "outside" / "a.py")
    allowed = {
        path: fits({path: "x = 1\n"}, workspace, lambda _: True)
        for path in ("shop/a.py", "link/a.py", "a.py", "../outside/a.py", str(tmp_path / "outside/a.py"), "new.py")
    }
    assert [path for path, yes in allowed.items() if yes] == ["shop/a.py"]
    assert not fits({"shop/a.py": ""}, workspace, lambda path: not path.startswith("shop/"))
    assert not fits({}, workspace, lambda _: True)


def test_a_program_that_uses_trueup_reads_what_was_learned(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    task = trueup.Task(
        "make it green",
        agent=trueup.Agent("search"),
        checks=[trueup.Check(CHECK)],
        search_cpu=3,
        search_unsandboxed=True,
    )
    result = trueup.run(task, project)
    assert not result.passed
    (attempt,) = result.attempts
    assert attempt.learned[0].startswith("repairs 1 of 2 (test_last): shop.py:2: return items[len(items)] → ")
    assert attempt.learned[-1].startswith("suspicious lines (1 = run by all failing tests and no other): ")
