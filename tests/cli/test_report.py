from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from trueup.decide.task import Task
from trueup.remember.database import Database
from trueup.remember.journal import Journal


def test_the_path_of_the_page_is_printed(played: Any, cli: Any) -> None:
    said = cli(played, "report", played.passed)
    path = Path(said.out.strip())
    assert path == played.project.resolve() / ".trueup" / "runs" / played.passed / "report.html"
    assert "passed" in path.read_text()


def test_a_page_that_is_gone_is_made_again_from_the_journal(own: Any, cli: Any) -> None:
    before = (own.project / ".trueup" / "runs" / own.passed / "report.html").read_text()
    shutil.rmtree(own.project / ".trueup")
    said = cli(own, "report", own.passed, "--json").json
    after = Path(said["path"]).read_text()
    assert said["written"] is True
    assert f"run {own.passed}" in after
    assert "bulk discount" in after
    assert "shop/cart.py" in after
    assert after.count("<section>") == before.count("<section>")
    assert cli(own, "report", own.passed, "--json").json["written"] is False


def test_a_run_without_an_end_has_no_page(empty: Any, cli: Any) -> None:
    with Database(empty.state) as db:
        Journal.create(db, run="dead01", task=Task(), project="p", facts={"start": "0" * 40})
    said = cli(empty, "report", "dead01")
    assert said.code == 2
    assert "has no report yet" in said.err
