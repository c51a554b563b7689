"""Making room."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueup.act.clean import DAY, clean

Places = tuple[Path, Path]
NOW = 1_800_000_000.0


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return tmp_path / "state", tmp_path / "artefacts"


def fill(places: Places, run: str, size: int = 4096) -> None:
    for place in places:
        (place / run / "inner").mkdir(parents=True)
        (place / run / "inner" / "file").write_bytes(b"x" * size)


def left(places: Places) -> set[str]:
    return {folder.name for place in places for folder in place.iterdir()}


def test_ended_runs_go_after_the_days_to_keep(places: Places) -> None:
    for run in ("old", "young"):
        fill(places, run)

    cleaned = clean(*places, keep_days=14, runs=[("young", NOW - 13 * DAY), ("old", NOW - 15 * DAY)], now=NOW)

    assert cleaned.runs == ("old",)
    assert cleaned.freed >= 2 * 4096
    assert left(places) == {"young"}


def test_an_active_run_stays_however_old_and_large(places: Places) -> None:
    fill(places, "busy")

    cleaned = clean(*places, max_bytes=1, active={"busy"}, runs=[("busy", NOW - 99 * DAY)], now=NOW)

    assert cleaned.runs == ()
    assert left(places) == {"busy"}


def test_over_the_quota_the_oldest_go_first_and_no_more_than_needed(places: Places) -> None:
    for run in ("a", "b", "c"):
        fill(places, run, 1_000_000)

    runs = [("c", NOW - 1), ("a", NOW - 3), ("b", NOW - 2)]
    cleaned = clean(*places, max_bytes=4_500_000, runs=runs, now=NOW)

    assert cleaned.runs == ("a",)
    assert cleaned.freed >= 2_000_000
    assert left(places) == {"b", "c"}


def test_active_runs_count_for_the_quota(places: Places) -> None:
    for run in ("busy", "ended"):
        fill(places, run, 1_000_000)

    cleaned = clean(*places, max_bytes=3_000_000, active={"busy"}, runs=[("ended", NOW)], now=NOW)

    assert cleaned.runs == ("ended",)


def test_folders_that_no_run_names_are_left_alone(places: Places) -> None:
    fill(places, "somebody-elses")

    assert clean(*places, max_bytes=0, runs=[("other", NOW - 99 * DAY)], now=NOW).freed == 0
    assert left(places) == {"somebody-elses"}


@pytest.mark.parametrize("identity", ["", ".", "..", "../outside", "/", "a/b"])
def test_an_id_that_is_no_plain_name_removes_nothing(places: Places, identity: str, tmp_path: Path) -> None:
    fill(places, "a")
    (tmp_path / "outside").mkdir()

    cleaned = clean(*places, max_bytes=0, runs=[(identity, 0.0)], now=NOW)

    assert cleaned.runs == ()
    assert left(places) == {"a"}
    assert (tmp_path / "outside").is_dir()


def test_links_are_removed_and_not_followed(places: Places, tmp_path: Path) -> None:
    fill(places, "run")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("mine")
    (places[0] / "run" / "link").symlink_to(outside)
    (places[0] / "linked-run").symlink_to(outside)

    cleaned = clean(*places, runs=[("run", 0.0), ("linked-run", 0.0)], now=NOW)

    assert set(cleaned.runs) == {"run", "linked-run"}
    assert (outside / "precious").read_text() == "mine"


def test_read_only_folders_of_package_caches_go_too(places: Places) -> None:
    fill(places, "run")
    (places[0] / "run" / "inner").chmod(0o500)
    (places[0] / "run").chmod(0o500)

    assert clean(*places, runs=[("run", 0.0)], now=NOW).runs == ("run",)
    assert left(places) == set()


def test_a_run_whose_folders_are_gone_already_can_be_forgotten(places: Places) -> None:
    assert clean(*places, runs=[("vanished", 0.0)], now=NOW).runs == ("vanished",)
