"""Files of a run: complete, private, redacted, and never written through a link."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from trueup.decide.moves import BaselineTaken, TakeBaseline
from trueup.decide.outcome import Status
from trueup.decide.state import Class
from trueup.errors import InvariantError
from trueup.evidence.redact import Redactor
from trueup.report.artifacts import Artifacts, events_so_far, file_name, latest_run
from trueup.report.events import Judged, MoveDone, Notice, RunEnded, RunStarted, Stream


def at(project: Path, **more: Any) -> Artifacts:
    return Artifacts(project / ".trueup" / "runs" / "7f3a", **more)


def play(artifacts: Artifacts, told: Any, header: Any) -> None:
    stream = Stream("7f3a", clock=lambda: 1.0, sinks=[artifacts])
    stream.emit(RunStarted(header=header))
    stream.emit(MoveDone(move=TakeBaseline(), record=told.state.baseline), told.state)
    for view in told.state.attempts:
        stream.emit(Judged(attempt=view.number, judgement=view.judgement), told.state)
    stream.emit(RunEnded(outcome=told.ends(Status.STUCK, "ladder", "no way on")), told.state)


def read(project: Path, name: str) -> Any:
    return json.loads((project / ".trueup/runs/7f3a" / name).read_text())


def test_a_run_leaves_every_readable_file(tmp_path: Path, story: Any, failure: Any, header: Any) -> None:
    told = story().start(failure()).attempt(Class.STUCK, failure())
    play(at(tmp_path), told, header())
    baseline = read(tmp_path, "baseline_failures.json")
    assert (baseline["schema"], baseline["run"]) == (1, "7f3a")
    assert baseline["failures"][0]["key"] == "tests tests/test_cart.py::test_bulk"
    assert baseline["failures"][0]["fingerprint"].startswith("f1:")
    assert baseline["checks"][0]["tests"] == 140
    assert read(tmp_path, "current_failures.json")["failures"][0]["streak"] == 2
    history = read(tmp_path, "failure_fingerprint_history.json")["verdicts"]
    assert [(v["attempt"], v["class"]) for v in history] == [(0, "start"), (1, "stuck")]
    assert history[0]["fingerprints"] == history[1]["fingerprints"]
    reasons = read(tmp_path, "completion_reasons.json")
    assert (reasons["exit_code"], reasons["outcome"]["status"]) == (1, "stuck")
    assert reasons["attempts"][0]["reason"] == "edited cart.py → the same failure"
    events = (tmp_path / ".trueup/runs/7f3a/events.jsonl").read_text().splitlines()
    assert [json.loads(e)["seq"] for e in events] == [1, 2, 3, 4]
    assert "<pre>" in (tmp_path / ".trueup/runs/7f3a/report.html").read_text()


def test_the_folder_ignores_itself_and_points_to_the_latest_run(tmp_path: Path, story: Any, header: Any) -> None:
    assert latest_run(tmp_path) is None
    play(at(tmp_path), story().start(), header())
    assert (tmp_path / ".trueup/.gitignore").read_text() == "*\n"
    assert latest_run(tmp_path) == "7f3a"


def test_a_pointer_that_somebody_forged_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / ".trueup").mkdir()
    (tmp_path / ".trueup/latest").write_text("../../etc\n")
    assert latest_run(tmp_path) is None


def test_prompts_transcripts_logs_and_patches_have_their_places(tmp_path: Path) -> None:
    artifacts = at(tmp_path)
    names = [
        artifacts.prompt(1, "p"),
        artifacts.transcript(1, "t"),
        artifacts.put_back(2, "--- a\n+++ b\n"),
        artifacts.check_log("unit", "log", label="attempt-1"),
    ]
    assert names == [
        "prompts/attempt-1.md",
        "transcripts/attempt-1.txt",
        "put-back/attempt-2.patch",
        "checks/attempt-1-unit.log",
    ]
    assert [(artifacts.folder / n).read_text() for n in names] == ["p", "t", "--- a\n+++ b\n", "log"]
    assert (artifacts.folder / names[0]).stat().st_mode & 0o077 == 0


def test_line_ends_are_written_as_they_came(tmp_path: Path) -> None:
    artifacts = at(tmp_path)
    artifacts.put_back(1, "a\r\nb\n")
    assert (artifacts.folder / "put-back/attempt-1.patch").read_bytes() == b"a\r\nb\n"


def test_names_of_checks_cannot_leave_the_folder_nor_meet(tmp_path: Path) -> None:
    artifacts = at(tmp_path)
    one = artifacts.check_log("../../evil", "1", label="start")
    two = artifacts.check_log("_._evil", "2", label="start")
    assert one != two
    assert sorted(p.name for p in (artifacts.folder / "checks").iterdir()) == sorted(
        n.removeprefix("checks/") for n in (one, two)
    )
    with pytest.raises(InvariantError):
        artifacts.save("../outside", "x")


def test_different_texts_get_different_file_names() -> None:
    assert len({file_name(t) for t in ("a/b", "a_b", "a b", ".a_b", "", "x" * 80, "x" * 81)}) == 7


@pytest.mark.parametrize("where", [".trueup", ".trueup/runs", ".trueup/runs/7f3a"])
def test_a_planted_link_is_refused_with_one_notice(tmp_path: Path, where: str, story: Any, header: Any) -> None:
    project, victim = tmp_path / "project", tmp_path / "victim"
    victim.mkdir()
    (project / where).parent.mkdir(parents=True)
    (project / where).symlink_to(victim)
    notices: list[str] = []
    artifacts = at(project, notice=notices.append)
    play(artifacts, story().start(), header())
    artifacts.prompt(1, "text")
    assert list(victim.iterdir()) == []
    assert len(notices) == 1
    assert "links are not followed" in notices[0]


@pytest.mark.parametrize("name", ["events.jsonl", "prompts/attempt-1.md"])
def test_a_link_in_the_place_of_a_file_is_not_written_through(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    artifacts = at(tmp_path)
    (artifacts.folder / name).parent.mkdir(parents=True)
    (artifacts.folder / name).symlink_to(victim)
    artifacts.prompt(1, "text")
    Stream("7f3a", clock=lambda: 1.0, sinks=[artifacts]).emit(Notice(text="x"))
    assert victim.read_text() == "precious"


def test_a_pipe_in_the_place_of_the_events_does_not_hang_the_run(tmp_path: Path) -> None:
    artifacts = at(tmp_path)
    artifacts.folder.mkdir(parents=True)
    os.mkfifo(artifacts.folder / "events.jsonl")
    Stream("7f3a", clock=lambda: 1.0, sinks=[artifacts]).emit(Notice(text="x"))
    assert "events.jsonl" in artifacts.problem


def test_a_folder_that_cannot_be_written_is_said_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / ".trueup").write_text("a file in the way")
    heard: list[int] = []
    stream = Stream("7f3a", clock=lambda: 1.0)
    artifacts = at(tmp_path, notice=lambda text: heard.append(stream.emit(Notice(text=text)).seq))
    stream.subscribe(artifacts)
    assert [stream.emit(Notice(text="go on")).seq, stream.emit(Notice(text="still")).seq] == [1, 3]
    assert heard == [2]


def test_no_secret_reaches_any_file(tmp_path: Path, story: Any, failure: Any, header: Any) -> None:
    secret = 'p"ss<w&rd\\1'
    evil = failure(f"t.py::test[{secret}]", f"bad {secret}", excerpt=f"x {secret}", source_line=secret)
    told = story(text=f"use {secret} and ghp_0123456789abcdef0123").start(evil).attempt(Class.STUCK, evil, note=secret)
    artifacts = at(tmp_path, redact=Redactor([secret]).redact)
    play(artifacts, told, header(setup=secret))
    artifacts.prompt(1, secret)
    artifacts.transcript(1, secret)
    written = [p.read_text() for p in artifacts.folder.rglob("*") if p.is_file()]
    assert len(written) == 8
    escaped = (secret, json.dumps(secret)[1:-1], "p&quot;ss&lt;w&amp;rd", "ghp_0123456789")
    assert [form for text in written for form in escaped if form in text] == []


def test_a_second_sitting_can_go_on_counting_events(tmp_path: Path, story: Any, header: Any) -> None:
    artifacts = at(tmp_path)
    assert events_so_far(artifacts.folder) == 0
    play(artifacts, story().start(), header())
    assert events_so_far(artifacts.folder) == 3


def test_a_left_over_of_a_crash_does_not_block_a_file(tmp_path: Path) -> None:
    artifacts = at(tmp_path)
    artifacts.prompt(1, "old")
    (artifacts.folder / f"prompts/.attempt-1.md.{os.getpid()}.partial").write_text("half")
    artifacts.prompt(1, "new")
    assert [p.name for p in (artifacts.folder / "prompts").iterdir()] == ["attempt-1.md"]
    assert (artifacts.folder / "prompts/attempt-1.md").read_text() == "new"


def test_a_start_that_could_not_be_measured_is_written_with_its_problem(tmp_path: Path) -> None:
    record = BaselineTaken(tree="t", report=None, problem="uv sync failed")
    stream = Stream("7f3a", clock=lambda: 1.0, sinks=[at(tmp_path)])
    stream.emit(MoveDone(move=TakeBaseline(), record=record))
    assert read(tmp_path, "baseline_failures.json")["problem"] == "uv sync failed"


def test_a_file_that_cannot_be_replaced_leaves_no_rest(tmp_path: Path) -> None:
    artifacts = at(tmp_path)
    (artifacts.folder / "prompts/attempt-1.md/inside").mkdir(parents=True)
    artifacts.prompt(1, "text")
    assert artifacts.problem
    assert [p.name for p in (artifacts.folder / "prompts").iterdir()] == ["attempt-1.md"]
