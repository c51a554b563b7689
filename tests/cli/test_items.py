"""`trueup items` and `trueup item`: what is remembered, shown, forgotten, and taken to another machine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.memory import ItemMemory, RunMemory, Tried
from trueup.decide.review import ReviewVerdict
from trueup.remember import workitems
from trueup.remember.database import Database
from trueup.remember.leases import Lease

TREE = "0123456789abcdef0123456789abcdef01234567"
RUN = RunMemory(
    run="ab12cd",
    task="fix the \x1b[31mcart",
    status="blocked",
    reason="review_rounds",
    started=1_700_000_000.0,
    base=TREE,
    checks="00ff",
    branch="trueup/cart",
    attempts=2,
    usd=0.5,
    verdicts=(ReviewVerdict(approved=False, feedback="No tables.\nCompute it.", reviewer="critic", tree=TREE),),
    tried=(Tried(attempt=1, kind="stuck", files=("cart.py",), note="It was the cache.", strike=True),),
    entries=3,
)


@pytest.fixture
def remembered(empty: Any) -> Any:
    """A project that remembers one item, without a run."""
    keep(empty, RUN)
    return empty


def keep(place: Any, *runs: RunMemory, item: str = "cart") -> None:
    with Database(place.state) as db:
        workitems.merge(db, ItemMemory(item=item, runs=runs), project="shop")


# --- items ---------------------------------------------------------------------------------------------------


def test_an_empty_project_says_how_to_begin(empty: Any, cli: Any) -> None:
    said = cli(empty, "items")
    assert (said.code, "no work item in this project yet" in said.out) == (0, True)
    assert cli(empty, "items", "--json").json == {"items": [], "notes": []}


def test_the_items_of_real_runs_are_listed_with_state_attempts_cost_and_branch(own: Any, cli: Any) -> None:
    said = cli(own, "items")
    assert said.code == 0
    late, early = said.out.splitlines()
    assert late.startswith("half-way       stuck   1 run  ")
    assert "$0.25" in early
    assert "passed" in early
    assert early.endswith("trueup/bulk-discount")
    items = cli(own, "items", "--json").json["items"]
    assert [(i["item"], i["state"], i["runs"], i["branch"]) for i in items] == [
        ("half-way", "stuck", 1, "trueup/half-way"),
        ("bulk-discount", "passed", 1, "trueup/bulk-discount"),
    ]
    assert items[1]["usd"] == pytest.approx(0.25)


def test_a_cost_that_is_known_in_part_is_not_told_as_the_whole(remembered: Any, cli: Any) -> None:
    assert "$0.50" in cli(remembered, "items").out
    keep(remembered, replace(RUN, run="ff00", started=1_700_000_001.0, usd=None))
    assert "at least $0.50" in cli(remembered, "items").out
    told = cli(remembered, "items", "--json").json["items"][0]
    assert (told["usd"], told["usd_complete"]) == (0.5, False)
    keep(remembered, replace(RUN, run="ff01", usd=None), item="free")
    assert "cost not known" in cli(remembered, "items").out


def test_an_item_at_work_and_one_whose_run_was_killed(remembered: Any, cli: Any) -> None:
    keep(remembered, replace(RUN, status="", reason=""), item="killed")
    assert "crashed" in cli(remembered, "items").out
    with Database(remembered.state) as db, Lease.acquire(db, "killed", "ab12cd"):
        assert "running" in cli(remembered, "items").out


def test_a_damaged_memory_is_said_once_and_kept(remembered: Any, cli: Any) -> None:
    with Database(remembered.state) as db, db.write():
        db.execute("UPDATE items SET body = '{'")
    assert "what was remembered of cart cannot be read and was set aside: it is damaged" in cli(remembered, "items").out
    assert "set aside" not in cli(remembered, "items").out


# --- item show and forget ------------------------------------------------------------------------------------


def test_show_tells_every_run_with_what_was_tried_and_every_verdict_word_for_word(remembered: Any, cli: Any) -> None:
    said = cli(remembered, "item", "show", "cart")
    assert said.code == 0
    for words in (
        "cart · blocked · 1 run · 2 attempts · $0.50 · 1 verdict · trueup/cart",
        "run ab12cd",
        "blocked (review_rounds)",
        "attempt 1: edited cart.py → the same failures; its words: It was the cache.",
        "rejected by critic, round 1",
        "No tables.",
        "Compute it.",
    ):
        assert words in said.out
    assert "\x1b" not in said.out


def test_show_as_json_has_the_whole_memory(remembered: Any, cli: Any) -> None:
    told = cli(remembered, "item", "show", "cart", "--json").json
    assert (told["item"], told["state"], told["notes"], told["set_aside"]) == ("cart", "blocked", [], [])
    assert told["memory"]["runs"][0]["verdicts"][0]["feedback"] == "No tables.\nCompute it."


def test_show_takes_in_what_a_killed_run_could_not_write(own: Any, cli: Any) -> None:
    with Database(own.state) as db, db.write():
        db.execute("DELETE FROM items")
    assert "passed" in cli(own, "item", "show", "bulk-discount").out


def test_what_was_set_aside_is_shown_as_long_as_it_is_there(own: Any, cli: Any) -> None:
    with Database(own.state) as db, db.write():
        db.execute("UPDATE items SET body = 'x' WHERE item = 'half-way'")
    cli(own, "items")
    said = cli(own, "item", "show", "half-way")
    assert "because it could not be read: it is damaged" in said.out
    assert "stuck" in said.out, "the journal told it again"


def test_forget_forgets_the_memory_and_leaves_the_runs(own: Any, cli: Any) -> None:
    said = cli(own, "item", "forget", "bulk-discount")
    assert said.code == 0
    assert said.out == "forgotten: what 1 run left for bulk-discount; runs and branches are as they were\n"
    assert "bulk-discount" not in cli(own, "items").out
    assert own.passed in cli(own, "runs").out
    again = cli(own, "item", "show", "bulk-discount")
    assert (again.code, "nothing is remembered of 'bulk-discount'" in again.err) == (2, True)


def test_a_name_that_nobody_knows_is_a_usage_error_with_a_suggestion(remembered: Any, cli: Any) -> None:
    for action in ("show", "forget", "export"):
        said = cli(remembered, "item", action, "carts")
        assert said.code == 2
        assert "Did you mean 'cart'?" in said.err


@pytest.mark.parametrize("argv", [("destroy", "cart"), ("show", "cart", "file"), ("import", "a", "b")])
def test_another_action_is_refused_with_those_there_are(remembered: Any, cli: Any, argv: tuple[str, ...]) -> None:
    said = cli(remembered, "item", *argv)
    assert said.code == 2
    assert "show, forget, export, import" in said.err


@pytest.mark.parametrize("argv", [("forget", "cart"), ("import", "x.json")])
def test_an_agent_inside_a_run_cannot_change_what_is_remembered(
    remembered: Any, cli: Any, argv: tuple[str, ...]
) -> None:
    inside = replace(remembered, environ={**remembered.environ, "TRUEUP_RUN": "ab12cd"})
    assert cli(inside, "item", *argv).code == 2
    assert "cart" in cli(remembered, "items").out


def test_clean_removes_the_runs_and_not_what_is_remembered_of_them(own: Any, cli: Any) -> None:
    with Database(own.state) as db, db.write():
        db.execute("DELETE FROM items WHERE item = 'half-way'")  # as if it had been killed before it could write
    assert cli(own, "clean", "--all").code == 0
    assert own.passed not in cli(own, "runs").out
    items = cli(own, "items", "--json").json["items"]
    assert {i["item"]: i["state"] for i in items} == {"half-way": "stuck", "bulk-discount": "passed"}


# --- to another machine --------------------------------------------------------------------------------------


def test_an_item_is_exported_and_imported_on_another_machine(remembered: Any, cli: Any, tmp_path: Path) -> None:
    other = replace(remembered, environ={**remembered.environ, "XDG_STATE_HOME": str(tmp_path / "another")})
    file = tmp_path / "cart.json"
    said = cli(remembered, "item", "export", "cart", str(file))
    assert (said.code, said.out) == (0, f"written: {file}\n")
    assert json.loads(file.read_text())["version"] == 1
    assert cli(other, "items", "--json").json["items"] == []
    said = cli(other, "item", "import", str(file))
    assert (said.code, said.out) == (0, "imported: cart; remembered of it now: 1 run\n")
    assert "No tables." in cli(other, "item", "show", "cart").out
    assert cli(other, "item", "export", "cart").json["runs"] == json.loads(file.read_text())["runs"]
    assert cli(other, "item", "import", str(file), "--json").json == {"item": "cart", "runs": 1}


def test_an_export_without_a_file_is_the_json_alone(remembered: Any, cli: Any) -> None:
    assert cli(remembered, "item", "export", "cart").json["item"] == "cart"


def test_a_file_that_cannot_be_written_or_read_is_an_error(remembered: Any, cli: Any, tmp_path: Path) -> None:
    said = cli(remembered, "item", "export", "cart", str(tmp_path / "no" / "folder.json"))
    assert (said.code, "cannot be written" in said.err) == (2, True)
    for name, content in (("absent.json", None), ("binary.json", b"\xff\xfe")):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        said = cli(remembered, "item", "import", str(tmp_path / name))
        assert (said.code, "cannot be read" in said.err) == (2, True)


def test_an_import_that_is_refused_changes_nothing(remembered: Any, cli: Any, tmp_path: Path) -> None:
    before = cli(remembered, "items", "--json").json
    file = tmp_path / "bad.json"
    file.write_text('{"version": 1, "item": "../../x", "runs": []}')
    said = cli(remembered, "item", "import", str(file))
    assert said.code == 2
    assert "this is no work item that can be imported" in said.err
    assert "is no name of a work item" in said.err
    assert cli(remembered, "items", "--json").json == before


@pytest.mark.parametrize("secret", ["hunter2-hunter2", 'qu"o\\te-hunter2', "ünï-hunter2-☃"])
def test_a_secret_of_this_machine_neither_leaves_nor_enters(
    remembered: Any, cli: Any, tmp_path: Path, secret: str
) -> None:
    verdict = ReviewVerdict(approved=False, feedback=f"use {secret} here", tree=TREE)
    keep(remembered, replace(RUN, run="ff00", verdicts=(verdict,)), item="leaky")
    knows = replace(remembered, environ={**remembered.environ, "DEPLOY_TOKEN": secret})
    told = cli(knows, "item", "export", "leaky").json
    assert told["runs"][0]["verdicts"][0]["feedback"] == "use [redacted] here"
    assert secret not in cli(knows, "item", "show", "leaky").out

    file = tmp_path / "leaky.json"
    file.write_bytes(cli(remembered, "item", "export", "leaky").raw)
    assert secret in json.loads(file.read_text())["runs"][0]["verdicts"][0]["feedback"]
    assert cli(remembered, "item", "forget", "leaky").code == 0
    assert cli(knows, "item", "import", str(file)).code == 0
    with Database(remembered.state) as db:
        memory = workitems.read(db, "leaky")
    assert memory is not None
    assert memory.runs[0].verdicts[0].feedback == "use [redacted] here"
