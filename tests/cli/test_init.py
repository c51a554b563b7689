from __future__ import annotations

from typing import Any

from trueup.config import Overrides, build_task, load_config


def test_the_file_holds_the_checks_that_were_found(empty: Any, cli: Any) -> None:
    said = cli(empty, "init")
    assert said.code == 0
    assert "from pyproject.toml" in said.out
    task = build_task(load_config(empty.project).values, Overrides(), {})
    assert [c.name for c in task.checks] == ["tests"]
    assert "pytest -q" in str(task.checks[0].run)


def test_a_file_that_is_there_is_never_overwritten(empty: Any, cli: Any) -> None:
    (empty.project / "trueup.toml").write_text("# mine\n")
    said = cli(empty, "init")
    assert said.code == 2
    assert "never overwritten" in said.err
    assert (empty.project / "trueup.toml").read_text() == "# mine\n"


def test_a_link_that_leads_nowhere_is_not_written_through(empty: Any, cli: Any) -> None:
    (empty.project / "trueup.toml").symlink_to(empty.project.parent / "elsewhere")
    assert cli(empty, "init").code == 2
    assert not (empty.project.parent / "elsewhere").exists()


def test_a_configuration_in_pyproject_counts_as_well(empty: Any, cli: Any) -> None:
    with (empty.project / "pyproject.toml").open("a") as file:
        file.write('\n[tool.trueup]\ngoal = "green"\n')
    said = cli(empty, "init")
    assert said.code == 2
    assert "[tool.trueup]" in said.err
    assert not (empty.project / "trueup.toml").exists()


def test_without_a_check_the_file_says_where_to_write_one(empty: Any, cli: Any) -> None:
    for name in ("pyproject.toml", "tests/test_cart.py", "tests/test_prices.py"):
        (empty.project / name).unlink()
    said = cli(empty, "init", "--json")
    assert said.json["checks"] == []
    assert '# run = "pytest -q"' in (empty.project / "trueup.toml").read_text()
