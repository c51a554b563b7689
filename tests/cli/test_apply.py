from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trueup.remember.database import Database
from trueup.remember.leases import Lease
from trueup.testing import ScriptedAgent, python_project

CART = "shop/cart.py"


def files(project: Path) -> dict[str, bytes]:
    found = (p for p in project.rglob("*") if p.is_file() and not {".git", ".trueup"} & set(p.parts))
    return {str(p.relative_to(project)): p.read_bytes() for p in found}


def test_the_result_comes_in_and_goes_out_again(own: Any, cli: Any) -> None:
    before = files(own.project)
    said = cli(own, "apply", own.passed)
    assert said.code == 0
    after = files(own.project)
    assert {p for p in after if after[p] != before.get(p)} == {CART, "notes.txt", "Makefile"}
    assert after["notes.txt"] == b"caf\xe9\r\n"
    assert "merged since" not in said.out
    assert cli(own, "apply", "--undo").code == 0
    assert files(own.project) == before


def test_files_that_run_by_themselves_are_listed_first(own: Any, cli: Any) -> None:
    lines = cli(own, "apply", own.passed).out.splitlines()
    assert lines[1].startswith("  look at  Makefile")
    assert lines[2].startswith("  changed")


def test_a_second_time_nothing_is_written(own: Any, cli: Any) -> None:
    cli(own, "apply", own.passed)
    said = cli(own, "apply", own.passed)
    assert said.code == 0
    assert "already" in said.out


def test_a_checkout_that_moved_on_is_merged_and_has_to_be_checked(own: Any, cli: Any) -> None:
    (own.project / "README.md").write_text("mine\n")
    said = cli(own, "apply", own.passed)
    assert said.code == 0
    assert "merged since: run your checks" in said.out
    assert (own.project / "README.md").read_text() == "mine\n"


@pytest.fixture
def conflicting(own: Any) -> Any:
    cart = own.project / CART
    cart.write_text(cart.read_text().replace("full - BULK_DISCOUNT", "full - 1"))
    return own


def test_a_conflict_writes_nothing_and_names_the_files(conflicting: Any, cli: Any) -> None:
    before = files(conflicting.project)
    said = cli(conflicting, "apply", conflicting.passed)
    assert said.code == 1
    assert CART in said.err
    assert files(conflicting.project) == before
    assert cli(conflicting, "apply", "--undo").code == 2


def test_a_conflict_is_machine_readable(conflicting: Any, cli: Any) -> None:
    said = cli(conflicting, "apply", conflicting.passed, "--json")
    assert said.code == 1
    assert said.json["applied"] is False
    assert said.json["conflicts"] == [CART]


def test_an_unproven_result_needs_partial(own: Any, cli: Any) -> None:
    refused = cli(own, "apply", own.stuck)
    assert refused.code == 2
    assert "--partial" in refused.err
    assert "stuck" in refused.err
    said = cli(own, "apply", own.stuck, "--partial", "--json")
    assert said.code == 0
    assert said.json["proven"] is False
    assert said.json["files"] == [CART]
    assert "round(full" in (own.project / CART).read_text()


def test_undo_takes_the_latest_or_the_one_that_is_named(own: Any, cli: Any) -> None:
    cli(own, "apply", own.stuck, "--partial")
    assert cli(own, "apply", "--undo", own.passed).code == 2
    assert cli(own, "apply", "--undo", own.stuck, "--json").json["run"] == own.stuck
    assert cli(own, "apply", "--undo").code == 2


def test_undo_does_not_destroy_later_work(own: Any, cli: Any) -> None:
    cli(own, "apply", own.passed)
    (own.project / CART).write_text("later work\n")
    said = cli(own, "apply", "--undo")
    assert said.code == 1
    assert CART in said.err
    assert (own.project / CART).read_text() == "later work\n"
    assert (own.project / "notes.txt").exists()


def test_what_could_not_be_written_is_not_remembered_as_applied(own: Any, cli: Any) -> None:
    (own.project / "notes.txt").mkdir()
    (own.project / "notes.txt" / "mine").write_text("in the way\n")
    assert cli(own, "apply", own.passed).code == 1
    assert cli(own, "apply", "--undo").code == 2


def test_a_run_that_goes_on_cannot_be_applied(own: Any, cli: Any) -> None:
    with Database(own.state) as db, Lease.acquire(db, "half-way", own.stuck):
        said = cli(own, "apply", own.stuck, "--partial")
    assert said.code == 5
    assert "still going on" in said.err


def test_run_with_apply_brings_a_passed_result_in(tmp_path: Path, empty: Any, cli: Any) -> None:
    project = python_project(tmp_path / "small", files={"README.md": "small\n"})
    agent = ScriptedAgent({"fixed.txt": "yes\n"}).as_command(tmp_path / "agent")
    place = type(empty)(project=project, environ=empty.environ)
    said = cli(place, "run", "--agent-cmd", agent, "--check", "test -f fixed.txt", "--apply", "--json")
    assert said.code == 0, said
    assert (project / "fixed.txt").read_text() == "yes\n"
    assert json.loads(said.out.splitlines()[-1])["files"] == ["fixed.txt"]
