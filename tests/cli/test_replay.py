"""`trueup replay`, called as a user calls it, on hand-made transcripts of each form."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from trueup.cli.replay import played
from trueup.cli.transcripts import Transcript, transcripts
from trueup.decide.live import Watch
from trueup.decide.session import Doing
from trueup.errors import UsageError

RED = "FAILED tests/test_a.py::test_a - assert 1 == 2\n1 failed in 0.12s\n"


def call(*args: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "trueup", "replay", *args]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)


def lines(path: Path, records: Iterable[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def neutral(number: int, **more: object) -> dict[str, object]:
    return {"i": number, "tool": "bash", "args": "ls", "kind": "read", "verify": False, "exit": 0, "out": "a", **more}


def stuck(name: str = "stuck", first: int = 0) -> dict[str, object]:
    return {"id": name, "turns": [neutral(first + number, tok=10) for number in range(12)]}


def fine(name: str = "fine") -> dict[str, object]:
    return {"id": name, "turns": [neutral(number, args=f"cat {number}", out=f"text {number}") for number in range(9)]}


def claude(number: int, tool: str, given: dict[str, str], output: str, *, failed: bool = False) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": given}
    answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": failed}
    return [
        {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
        {"type": "user", "message": {"role": "user", "content": [answer]}},
    ]


def test_each_transcript_is_one_line_of_json(tmp_path: Path) -> None:
    file = lines(tmp_path / "runs.jsonl", [stuck(), fine(), stuck("later", first=40)])
    said = call("--json", "-C", str(tmp_path), file.name)
    assert said.returncode == 0, said.stderr
    assert [json.loads(line) for line in said.stdout.splitlines()] == [
        {"id": "stuck", "nudges": [2], "stop": 9},
        {"id": "fine", "nudges": [], "stop": None},
        {"id": "later", "nudges": [42], "stop": 49},
    ]


def test_people_read_where_it_would_have_spoken_and_why(tmp_path: Path) -> None:
    failing = [neutral(n, tool=t, args=a, out=o, kind=k, exit=c) for n, (t, a, o, k, c) in enumerate(
        turn for edit in range(3) for turn in (("edit", f"edit {edit}", "ok", "edit", None), ("bash", "pytest -q", RED, "run", 1))
    )]  # fmt: skip
    file = lines(
        tmp_path / "runs.jsonl", [stuck(), fine(), {"turns": [*failing, neutral(6, tool="edit", args="last")]}]
    )
    said = call(str(file), "--check", "pytest -q")
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines() == [
        "stuck: 12 turns",
        "  turn 2     would speak   the same call had the same result 3 times: $ ls",
        "  turn 9     would end it  the last turns brought nothing new: the same call with the same result (8x)",
        "                          2 turns came after that, 20 tokens",
        "",
        "fine: 9 turns",
        "  nothing to say",
        "",
        "runs:3: 7 turns",
        "  turn 5     would speak   pytest -q has failed 3 times in the same way, whatever was changed",
        "                          tried: edit edit 1",
        "                          tried: edit edit 2",
        "  at the end pytest -q failed: AssertionError tests/test_a.py::test_a (3 times in a row)",
        "  files were changed after that, and no check ran again: unverified",
        "",
        "3 transcripts: would have spoken in 2, ended 1 early",
    ]


def test_of_many_transcripts_only_the_remarkable_ones_are_shown(tmp_path: Path) -> None:
    file = lines(tmp_path / "runs.jsonl", [*(fine(f"fine {number}") for number in range(30)), stuck()])
    said = call(str(file))
    assert said.stdout.splitlines()[0] == "stuck: 12 turns"
    assert said.stdout.splitlines()[-1] == "31 transcripts: would have spoken in 1, ended 1 early"


def test_a_session_of_claude_code_is_read(tmp_path: Path) -> None:
    records = [
        {"type": "summary", "summary": "x"},
        *claude(1, "Bash", {"command": "pytest -q"}, f"Exit code 1\n{RED}", failed=True),
        *claude(
            2, "Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "The file a.py has been updated."
        ),
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "All tests pass."}]}},
    ]
    (one,) = transcripts(lines(tmp_path / "session.jsonl", records))
    assert (one.id, [turn.doing for turn in one.turns]) == ("session", [Doing.RUN, Doing.EDIT, Doing.SAY])
    end = played(one, Watch()).end
    assert end.owed
    assert end.failure is not None
    assert end.failure.subject == "tests/test_a.py::test_a"


@pytest.mark.parametrize("mark", [{"parent_tool_use_id": "toolu_1"}, {"isSidechain": True}])
def test_a_sub_agent_that_reads_what_the_agent_has_read_is_not_ended(tmp_path: Path, mark: dict[str, object]) -> None:
    def look(number: int) -> list[dict[str, Any]]:
        return claude(number, "Read", {"file_path": "a.py"}, "the same text")

    mine = look(0)
    theirs = [{**event, **mark} for number in range(1, 13) for event in look(number)]
    words = {"type": "assistant", **mark, "message": {"content": [{"type": "text", "text": "found it"}]}}
    (one,) = transcripts(lines(tmp_path / "session.jsonl", [*mine, *theirs, words, *look(20)[:1]]))
    assert [turn.inner for turn in one.turns] == [False, *[True] * 13, False]
    assert (played(one, Watch()).stop, played(one, Watch()).nudges) == (None, ())
    own = [event for number in range(12) for event in look(number)]
    (other,) = transcripts(lines(tmp_path / "own.jsonl", own))
    assert played(other, Watch()).stop == 9


def test_after_a_compaction_claude_code_may_read_everything_again(tmp_path: Path) -> None:
    reads = [event for n in range(4) for event in claude(n, "Read", {"file_path": f"{n}.py"}, f"text {n}")]
    boundary = {"type": "system", "subtype": "compact_boundary", "compact_metadata": {"trigger": "auto"}}
    (one,) = transcripts(lines(tmp_path / "session.jsonl", [*reads, boundary, *reads]))
    assert [turn.forgot for turn in one.turns] == [False] * 4 + [True] + [False] * 4
    assert played(one, Watch()).end.level == 0


def test_the_output_of_codex_exec_is_read(tmp_path: Path) -> None:
    ran = {
        "id": "i1",
        "type": "command_execution",
        "command": "/bin/bash -lc 'pytest -q | tail -3'",
        "status": "completed",
    }
    records = [
        {"type": "thread.started", "thread_id": "01a1e091-d05f-70b3-9896-7197241541a9"},
        {"type": "item.completed", "item": {**ran, "aggregated_output": RED, "exit_code": 0}},
        {"type": "item.completed", "item": {"id": "i2", "type": "file_change", "changes": [{"path": "a.py"}], "status": "completed"}},
    ]  # fmt: skip
    (one,) = transcripts(lines(tmp_path / "exec.jsonl", records))
    assert [turn.doing for turn in one.turns] == [Doing.RUN, Doing.EDIT]
    assert played(one, Watch()).end.owed


def test_a_rollout_of_codex_is_read(tmp_path: Path) -> None:
    def item(**payload: object) -> dict[str, object]:
        return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}

    def asked(number: str, name: str, arguments: object) -> dict[str, object]:
        return item(type="function_call", name=name, arguments=json.dumps(arguments), call_id=number)

    def answer(number: str, output: object) -> dict[str, object]:
        return item(type="function_call_output", call_id=number, output=output)

    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
    records = [
        {"type": "session_meta", "payload": {"id": "x"}},
        item(type="message", role="user", content=[{"type": "input_text", "text": "fix it"}]),
        item(type="message", role="assistant", content=[{"type": "output_text", "text": "I will"}]),
        item(type="message", role="assistant", content=[]),
        asked("1", "exec_command", {"cmd": "pytest -q"}),
        answer("1", f"Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n{RED}"),
        item(type="custom_tool_call", name="apply_patch", input=patch, call_id="2"),
        item(type="custom_tool_call_output", call_id="2", output=json.dumps({"output": "Success", "metadata": {"exit_code": 0}})),
        asked("3", "shell", {"command": ["bash", "-lc", "ls -a"]}),
        answer("3", json.dumps({"output": "a.py", "metadata": {"exit_code": 0}})),
        asked("4", "shell", {"command": ["apply_patch", patch]}),
        answer("4", [{"type": "text", "text": "done"}]),
        asked("5", "update_plan", {"plan": []}),
        answer("5", "Plan updated"),
        answer("6", "nobody asked"),
        asked("7", "shell", {"command": 1}),
        item(type="reasoning", summary=[]),
        {"type": "compacted", "payload": {"message": "so far"}},
    ]  # fmt: skip
    (one,) = transcripts(lines(tmp_path / "rollout-1.jsonl", records))
    told = [(turn.doing, turn.args[:20], turn.exit_code, turn.failed, turn.paths) for turn in one.turns]
    assert told == [
        (Doing.SAY, "I will", None, None, ()),
        (Doing.RUN, "pytest -q", 1, True, ()),
        (Doing.EDIT, patch[:20], None, False, ("a.py",)),
        (Doing.RUN, "ls -a", 0, False, ()),
        (Doing.EDIT, "apply_patch *** Begi", None, None, ("a.py",)),
        (Doing.OTHER, '{"plan": []}', None, None, ()),
        (Doing.OTHER, "", None, None, ()),
        (Doing.RUN, '{"command": 1}', None, None, ()),
    ]
    assert one.turns[1].output == RED
    assert one.turns[3].output == "a.py"
    assert [turn.forgot for turn in one.turns] == [turn.tool == "compaction" for turn in one.turns]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_trajectory_of_mini_swe_agent_is_read(tmp_path: Path, indent: int | None) -> None:
    document = {
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "demo-1",
        "info": {"exit_status": "Submitted"},
        "messages": [
            {"role": "system", "content": "x"},
            {"role": "assistant", "content": "", "extra": {"actions": [{"command": "pytest -q"}]}},
            {"role": "user", "content": "…", "extra": {"returncode": 1, "raw_output": RED}},
        ],
    }
    (tmp_path / "t.traj.json").write_text(json.dumps(document, indent=indent))
    (one,) = transcripts(tmp_path / "t.traj.json")
    assert (one.id, len(one.turns)) == ("demo-1", 1)
    assert played(one, Watch()).end.failure is not None


def test_one_transcript_over_many_lines_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(stuck(), indent=1))
    (one,) = transcripts(tmp_path / "t.json")
    assert played(one, Watch()).stop == 9


def test_calls_that_were_cut_are_never_called_the_same(tmp_path: Path) -> None:
    turns = [neutral(number, args="x" * 1_200) for number in range(9)]
    (one,) = transcripts(lines(tmp_path / "cut.jsonl", [{"turns": turns}]))
    assert len({turn.args for turn in one.turns}) == 9


def test_a_turn_without_its_parts_is_read_all_the_same(tmp_path: Path) -> None:
    turns = [
        {},
        {"args": {"b": 1, "a": 2}, "failed": "?"},
        {"kind": "say", "args": "hi"},
        {"kind": "edit", "tool": "bash"},
        {"paths": 5, "out": ["x"], "inner": 1, "forgot": "yes"},
        7,
    ]
    (one,) = transcripts(lines(tmp_path / "odd.jsonl", [{"turns": turns}]))
    assert [(turn.doing, turn.args, turn.wrote) for turn in one.turns] == [
        (Doing.RUN, "", None),
        (Doing.RUN, '{"a": 2, "b": 1}', None),
        (Doing.SAY, "hi", None),
        (Doing.RUN, "", True),
        (Doing.RUN, "", None),
    ]
    assert (one.turns[4].paths, one.turns[4].inner, one.turns[4].forgot) == ((), False, False)
    assert one.number(3) == 3


@pytest.mark.parametrize(
    ("tool", "args", "kind", "doing", "wrote"),
    [
        ("Edit", "{}", "edit", Doing.EDIT, None),
        ("edit", "edit 1:1", "edit", Doing.EDIT, None),
        ("Grep", "{}", "read", Doing.READ, None),
        ("Todo", "{}", "other", Doing.OTHER, None),
        ("submit", "submit", "other", Doing.OTHER, None),
        ("javac", "javac A.java", "edit", Doing.RUN, True),
        ("grep", "grep x", "read", Doing.RUN, None),
        ("Bash", "pytest", "run", Doing.RUN, None),
    ],
)
def test_what_a_turn_did_is_told_by_its_tool_and_its_kind(
    tmp_path: Path, tool: str, args: str, kind: str, doing: Doing, wrote: bool | None
) -> None:
    turn = neutral(0, tool=tool, args=args, kind=kind, paths=["a.py", 7])
    (one,) = transcripts(lines(tmp_path / "t.jsonl", [{"turns": [turn]}]))
    assert (one.turns[0].doing, one.turns[0].wrote, one.turns[0].paths) == (doing, wrote, ("a.py",))


def test_what_a_run_of_ours_wrote_down_is_read_as_it_was(tmp_path: Path) -> None:
    from trueup.decide.session import Turn
    from trueup.perform.watching import neutral as written

    turns = (
        Turn(doing=Doing.RUN, tool="Bash", args="pytest -q", output=RED, failed=True, exit_code=1),
        Turn(doing=Doing.EDIT, tool="Edit", args="{}", paths=("a.py",), output="ok", failed=False),
        Turn(doing=Doing.SAY, args="done"),
        Turn(doing=Doing.RUN, args="ls", output="a"),
        Turn(doing=Doing.RUN, args="ls", output="a", inner=True),
        Turn(doing=Doing.OTHER, tool="compaction", forgot=True),
    )
    (tmp_path / "turns.jsonl").write_text(written("attempt 1", turns))
    (one,) = transcripts(tmp_path / "turns.jsonl")
    assert [(turn.doing, turn.args, turn.paths) for turn in one.turns] == [(t.doing, t.args, t.paths) for t in turns]
    assert [(turn.inner, turn.forgot) for turn in one.turns] == [(t.inner, t.forgot) for t in turns]


def test_a_broken_line_is_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_text(json.dumps(stuck()) + "\n{broken\n\n" + json.dumps(fine()) + "\n")
    said = call("--json", str(tmp_path / "runs.jsonl"))
    assert said.returncode == 0
    assert len(said.stdout.splitlines()) == 2
    assert "line 2 of" in said.stderr


@pytest.mark.parametrize("content", ["", "hello\n", "{}\n" * 600, '{\n"a": 1\n}', '{"type": "message"}\n'])
def test_what_is_no_transcript_is_refused_with_what_could_be_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.jsonl").write_text(content)
    with pytest.raises(UsageError, match="no transcript") as refused:
        list(transcripts(tmp_path / "x.jsonl"))
    assert "Claude Code" in refused.value.why


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    said = call(str(tmp_path / "none.jsonl"))
    assert said.returncode == 2
    assert "cannot be read" in said.stderr


def test_after_a_stop_nothing_more_would_have_been_said(tmp_path: Path) -> None:
    twice = [
        *[neutral(n) for n in range(10)],
        *[neutral(10 + n, args=f"cat {n}", out=f"{n} x") for n in range(9)],
        *[neutral(19 + n) for n in range(6)],
    ]
    (one,) = transcripts(lines(tmp_path / "t.jsonl", [{"turns": twice}]))
    assert [place for place, _ in played(one, Watch()).nudges] == [2]
    assert played(Transcript(id="none", turns=()), Watch()).stop is None
