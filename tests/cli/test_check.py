from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from trueup.cli.check import LOOKS
from trueup.perform.laboratory import FOLDER
from trueup.testing import write_files

CHECK = f"{sys.executable} -m pytest -q"


@pytest.fixture
def counted(tmp_path: Path) -> tuple[str, Path]:
    """A check that passes and counts how often it ran."""
    counter = tmp_path / "ran"
    counter.touch()
    return f"sh -c 'echo x >> {counter}'", counter


def times(counter: Path) -> int:
    return len(counter.read_text().splitlines())


def test_failures_come_with_place_message_and_identity(empty: Any, cli: Any) -> None:
    said = cli(empty, "check", "--check", CHECK, "--json")
    assert said.code == 1
    assert said.json["passed"] is False
    assert said.json["checks"][0]["tests"] == 8
    first, second = said.json["failures"]
    assert (first["file"], first["line"]) == ("tests/test_cart.py", 26)
    assert f"{first['check']} {first['subject']}" == first["key"]
    assert first["source_line"].startswith("assert ")
    assert first["fingerprint"].startswith("f1:")
    assert first["evidence_id"].startswith("e1:")
    assert first["fingerprint"] != second["fingerprint"]
    shown = cli(empty, "check", "--check", CHECK).out
    assert "6 passed, 2 failed" in shown
    assert "assert 79.9 == 72.0  tests/test_cart.py:26" in shown
    assert "unchanged since 20" in shown


def test_what_a_run_found_at_its_start_answers_a_check(played: Any, cli: Any) -> None:
    said = cli(played, "check", "--check", CHECK, "--json")
    assert said.code == 1
    assert said.json["remembered"] is True
    assert len(said.json["failures"]) == 2


def test_passing_checks_end_with_zero_and_are_remembered(empty: Any, cli: Any, counted: Any) -> None:
    check, counter = counted
    assert cli(empty, "check", "--check", check).code == 0
    said = cli(empty, "check", "--check", check)
    assert said.code == 0
    assert "unchanged since" in said.out
    assert times(counter) == 1


def test_fresh_runs_them_anyway(empty: Any, cli: Any, counted: Any) -> None:
    check, counter = counted
    cli(empty, "check", "--check", check)
    assert "unchanged" not in cli(empty, "check", "--check", check, "--fresh").out
    assert times(counter) == 2


def test_a_changed_file_is_checked_anew(empty: Any, cli: Any, counted: Any) -> None:
    check, counter = counted
    cli(empty, "check", "--check", check)
    (empty.project / "new.txt").write_text("new\n")
    cli(empty, "check", "--check", check)
    assert times(counter) == 2


def test_the_look_of_the_files_finds_an_answer_and_never_decides_what_is_checked(
    empty: Any, cli: Any, counted: Any
) -> None:
    check, counter = counted
    looks = empty.state / LOOKS
    cli(empty, "check", "--check", check)
    cli(empty, "check", "--check", check)
    kept = json.loads(looks.read_text())
    looks.write_text(json.dumps({**kept, "tree": "0" * 40}))  # planted: the files are said to be others
    again = cli(empty, "check", "--check", check)
    assert again.code == 0
    assert "unchanged since" in again.out
    assert times(counter) == 1
    assert json.loads(looks.read_text()) == kept


def test_a_check_that_depends_on_more_than_the_files_is_never_remembered(empty: Any, cli: Any, counted: Any) -> None:
    check, counter = counted
    (empty.project / "trueup.toml").write_text(f'[[check]]\nrun = "{check}"\nhermetic = false\n')
    cli(empty, "check")
    cli(empty, "check")
    assert times(counter) == 2


def test_uncommitted_files_are_part_of_it_and_the_checkout_stays_as_it_is(empty: Any, cli: Any) -> None:
    (empty.project / "new.txt").write_text("new\n")
    assert cli(empty, "check", "--check", "sh -c 'test -f new.txt && touch made.txt && rm -f shop/none'").code == 0
    assert not (empty.project / "made.txt").exists()
    assert list((empty.state / FOLDER).iterdir()) == []


def test_a_command_without_structure_shows_its_last_words(empty: Any, cli: Any) -> None:
    said = cli(empty, "check", "--check", "echo one; echo two; exit 3")
    assert said.code == 1
    assert "      │ two" in said.out
    log = Path(said.out.partition("output: ")[2].split("\n")[0])
    assert log.read_text() == "one\ntwo\n"


def test_a_check_that_cannot_run_is_not_a_failure_and_not_a_pass(empty: Any, cli: Any) -> None:
    said = cli(empty, "check", "--check", "no-such-program --at-all")
    assert said.code == 4
    assert "could not be checked" in said.out
    assert cli(empty, "check", "--check", "no-such-program --at-all", "--json").json["remembered"] is False


def test_a_known_failure_counts_even_if_another_check_cannot_run(empty: Any, cli: Any) -> None:
    assert cli(empty, "check", "--check", "false", "--check", "no-such-program").code == 1


def test_a_check_that_writes_into_the_project_gives_the_same_answer_with_the_file_put_back(
    empty: Any, cli: Any
) -> None:
    said = cli(empty, "check", "--check", "sh -c 'echo x >> shop/prices.py'", "--json")
    assert said.code == 0
    assert said.json["void"] == ""


def test_a_hidden_variable_that_a_failure_names_is_pointed_out(empty: Any, cli: Any) -> None:
    environ = {**empty.environ, "SHOP_TOKEN": "tok-1234567890"}
    place = type(empty)(project=empty.project, environ=environ)
    said = cli(place, "check", "--check", "sh -c 'test -n \"$SHOP_TOKEN\" || { echo SHOP_TOKEN is not set; exit 1; }'")
    assert said.code == 1
    assert "SHOP_TOKEN is named there and hidden from the checks" in said.out


def test_a_set_up_that_fails_is_said_and_nothing_is_claimed(empty: Any, cli: Any) -> None:
    (empty.project / "trueup.toml").write_text('setup = "false"\n[[check]]\nrun = "true"\n')
    said = cli(empty, "check")
    assert said.code == 4
    assert "set-up command failed" in said.err


def test_an_empty_folder_holds_nothing_to_check(tmp_path: Path, empty: Any, cli: Any) -> None:
    (tmp_path / "bare").mkdir()
    said = cli(type(empty)(project=tmp_path / "bare", environ=empty.environ), "check", "--check", "true")
    assert said.code == 4
    assert "nothing here to check" in said.err


def test_a_test_that_makes_a_socket_in_the_temporary_folder_passes_and_nothing_is_left_there(
    empty: Any, cli: Any
) -> None:
    test = "def test_shared():\n    with multiprocessing.Manager() as shared:\n        assert shared.list([1])[0]\n"
    write_files(empty.project, {"tests/test_shared.py": f"import multiprocessing\n\n{test}"})
    said = cli(empty, "check", "--check", f"{sys.executable} -m pytest -q tests/test_shared.py")
    assert said.code == 0, said.out
    links = (folder / "t" for folder in Path(tempfile.gettempdir()).glob("tu-*"))
    assert not [link for link in links if link.is_symlink() and link.readlink().is_relative_to(empty.state)]
