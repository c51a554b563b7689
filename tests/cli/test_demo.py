"""The demo tells the truth: real runs that end as its stories say, and an exit code that depends on it."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import tomllib
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from trueup.cli import demo, demo_bugs
from trueup.cli.demo_stories import CART, FILES, STORIES, TESTS, Blind, BlindLoop, Story, Told, demo_environment
from trueup.decide.outcome import Outcome, Status
from trueup.errors import UnverifiableError, UsageError
from trueup.testing import SHOP_FAILING

BUGS = Path(__file__).parents[2] / "benchmarks" / "search_bugs"
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command()(demo.command)


def the_demo(*args: str) -> Result:
    return CliRunner().invoke(app, args)


def story(name: str) -> Story:
    return next(s for s in STORIES if s.name == name)


def told(name: str, *, status: Status | None = None, failing: int | None = None, exit_code: int | None = None) -> Told:
    """A story that ended as it has to, but for what is given."""
    of = story(name)
    return Told(
        story=of,
        outcome=Outcome(status=status or of.ends, reason="ladder", attempts=of.attempts, usd=0.5),
        start=2,
        tests=6,
        failing=of.failing if failing is None else failing,
        said="All tests pass.",
        blind=BlindLoop(
            kind=of.blind, attempts=1, usd=0.1, failing=2, ships="2 failing tests", text="…", exit_code=exit_code
        )
        if of.blind
        else None,
    )


def row(screen: str, name: str) -> list[str]:
    """The cells of the closing table."""
    line = next(line for line in screen.splitlines() if line.startswith(f"{name} "))
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


# --- real runs -----------------------------------------------------------------------------------------------------


def test_the_agent_that_deletes_tests_is_caught_and_its_project_can_be_kept(tmp_path: Path) -> None:
    result = the_demo("--json", "--story", "deleted-test", "--keep", str(tmp_path / "kept"))

    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    (one,) = answer["stories"]
    assert answer["as_expected"] is True
    assert (one["name"], one["status"], one["exit_code"], one["attempts"]) == ("deleted-test", "stuck", 1, 2)
    assert (one["tests"], one["failing_at_start"], one["failing"]) == (6, 2, 2)
    assert (one["blind_loop"]["exit_code"], one["blind_loop"]["failing"]) == (0, 2)
    assert f"the agent changed {TESTS}: put back" in result.stderr

    project = tmp_path / "kept" / "deleted-test" / "shop"
    assert {name: (project / name).read_text() for name in (CART, TESTS)} == {n: FILES[n] for n in (CART, TESTS)}
    assert len(list((project / ".trueup" / "runs").iterdir())) == 1
    assert list((tmp_path / "kept" / "state" / "trueup").iterdir())
    assert f"XDG_STATE_HOME={tmp_path / 'kept' / 'state'} trueup explain" in result.stderr


def test_the_liar_is_not_believed_and_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    result = the_demo("--story", "liar")

    assert result.exit_code == 0, result.output
    assert "All tests pass now." in result.stdout
    assert "stuck · two attempts in a row changed nothing" in result.stdout
    assert "believes the agent ships after attempt 1, for $0.12, with 2 failing tests" in result.stdout
    ended, exit_code, attempts, price, failing, blind, *_, ships = row(result.stdout, "liar")[1:]
    assert (ended, exit_code, attempts, price, failing) == ("stuck", "1", "3", "$0.28", "2 → 2")
    assert (blind, ships) == ("believes", "2 failing tests")
    assert list(tmp_path.iterdir()) == []


def test_the_search_repairs_a_bug_and_its_diff_is_shown() -> None:
    result = the_demo("--story", "search")

    assert result.exit_code == 0, result.output
    assert "$0: no model is asked" in result.stdout
    assert "look at  plausible, passes 7 tests" in result.stdout
    assert "           +++ b/shares.py" in result.stdout.splitlines()
    assert row(result.stdout, "search")[1:] == ["passed", "0", "1", "$0.00", "2 → 0", "–", "–", "–", "–"]


def test_a_bug_out_of_reach_ends_with_what_was_learned_also_without_a_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for program in ("git", "sh"):
        (tmp_path / program).symlink_to(shutil.which(program) or "")
    monkeypatch.setenv("PATH", str(tmp_path))
    result = the_demo("--json", "--story", "out-of-reach")

    assert result.exit_code == 0, result.output
    (one,) = json.loads(result.stdout)["stories"]
    assert (one["status"], one["reason"], one["exit_code"], one["failing"]) == ("stuck", "exhausted", 1, 2)
    assert (one["blind_loop"], one["patch"]) == (None, "")
    assert "its trials are not sandboxed, as search_unsandboxed allows: bubblewrap does not work" in result.stderr
    assert "learned  suspicious lines" in result.stderr
    assert "schedule.py:21" in result.stderr


def test_the_bugs_of_the_search_are_those_of_the_bug_set_by_a_fixed_rule() -> None:
    """Nobody wrote them for the demo: one in one place that takes a few hundred edits; and of those out of reach, the
    first for which nothing is found. (For `far_coin_change` there is a patch that passes its tests and is wrong.)"""
    bugs = {path.stem: tomllib.loads(path.read_text()) for path in sorted(BUGS.glob("*.toml"))}
    single = [name for name, bug in bugs.items() if bug["places"] == "single" and bug["reach"] == "near"]
    far = [name for name, bug in bugs.items() if bug["reach"] == "far" and name != "far_coin_change"]
    assert demo_bugs.REPAIRED in single
    assert far[0] == demo_bugs.OUT_OF_REACH
    for name, files in ((demo_bugs.REPAIRED, demo_bugs.REPAIRED_FILES), (far[0], demo_bugs.OUT_OF_REACH_FILES)):
        tests = [text for path, text in files.items() if path.startswith("test_")]
        assert tests == [bugs[name]["tests"]["given"]]
        assert {path: text for path, text in files.items() if text not in tests} == bugs[name]["files"]


# --- the verdict ---------------------------------------------------------------------------------------------------


def test_every_story_as_told_is_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo._verdict([told("liar"), told("thrashing")]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "other",
    [
        told("liar", status=Status.OUT_OF_BUDGET),
        told("liar", failing=0),
        told("liar", exit_code=1),
    ],
    ids=["another outcome", "another count", "the blind loop was not fooled"],
)
def test_a_story_that_ends_otherwise_is_named_and_fails_the_demo(
    other: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo._verdict([told("thrashing"), other]) == 1
    assert capsys.readouterr().err == "trueup: not every story ended as it has to: liar\n"
    assert any("has to end stuck after 3 attempts" in line for line in demo._closing(other))


def test_the_closing_table_has_a_row_for_each_story_and_says_what_is_arithmetic() -> None:
    screen = "\n".join(demo._summary([told("liar"), told("worse")]))

    assert row(screen, "liar")[1:4] == ["stuck", "1", "3"]
    assert row(screen, "worse")[1:4] == ["out of budget", "3", "3"]
    assert "arithmetic" in screen


# --- what it needs -------------------------------------------------------------------------------------------------


def test_without_pytest_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pytest.py").write_text("raise ImportError('not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    result = the_demo("--story", "liar")

    assert isinstance(result.exception, UnverifiableError)
    assert result.exception.exit_code == 4
    assert "-m pip install pytest" in result.exception.do
    assert result.stdout == ""


def test_an_unknown_story_is_refused_with_the_names_of_all() -> None:
    result = the_demo("--story", "hero")

    assert isinstance(result.exception, UsageError)
    assert all(s.name in result.exception.do for s in STORIES)


def test_a_folder_that_exists_is_not_written_into(tmp_path: Path) -> None:
    result = the_demo("--story", "liar", "--keep", str(tmp_path))

    assert isinstance(result.exception, UsageError)
    assert list(tmp_path.iterdir()) == []


def test_settings_of_the_user_do_not_change_the_stories(tmp_path: Path) -> None:
    host = {"PATH": "/bin", "TRUEUP_RUN": "a1", "TRUEUP_MAX_USD": "0.01", "PYTEST_ADDOPTS": "-x"}

    assert demo_environment(host, tmp_path) == {
        "PATH": "/bin",
        "XDG_STATE_HOME": str(tmp_path),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def test_a_terminal_that_lacks_a_character_gets_another() -> None:
    bytes_ = io.BytesIO()
    stream = io.TextIOWrapper(bytes_, encoding="ascii")
    demo._show(stream, ["── 1 of 6"])

    assert bytes_.getvalue() == b"?? 1 of 6\n"


# --- the scripts ---------------------------------------------------------------------------------------------------


def test_the_deleting_agents_remove_exactly_the_failing_tests() -> None:
    names = {nodeid.rpartition("::")[2] for nodeid in SHOP_FAILING}
    for name in ("deleted-test", "fixed-and-deleted"):
        left = story(name).steps[0].writes[TESTS]
        assert left is not None
        assert not any(gone in left for gone in names)
        assert left.count("def test_") == FILES[TESTS].count("def test_") - len(names)


def test_no_scripted_edit_leaves_the_project_as_it_was() -> None:
    for each in STORIES:
        for step in each.steps:
            assert all(text != FILES[path] for path, text in step.writes.items()), each.name


def test_each_kind_of_blind_loop_is_compared_with() -> None:
    assert {s.blind for s in STORIES if s.steps} == set(Blind)
