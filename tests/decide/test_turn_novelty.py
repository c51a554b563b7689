"""Did a turn bring anything new?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from trueup.decide import novelty
from trueup.decide.novelty import Look, Memory, Nothing, Seen, look
from trueup.decide.session import Doing, Turn

READ = Turn(doing=Doing.READ, tool="Read", args="a.py", output="1: import os\n2: print()")


def run(args: str, output: str = "", *, wrote: bool | None = None) -> Turn:
    return Turn(doing=Doing.RUN, tool="bash", args=args, output=output, wrote=wrote)


def edit(args: str, output: str = "", *, failed: bool | None = None) -> Turn:
    return Turn(doing=Doing.EDIT, tool="edit", args=args, output=output, failed=failed)


def other(tool: str, args: str, output: str) -> Turn:
    return Turn(doing=Doing.OTHER, tool=tool, args=args, output=output)


def after(*turns: Turn) -> Look:
    memory, seen = Memory(), Look()
    for turn in turns:
        seen, memory = look(turn, memory)
    return seen


ROWS: list[tuple[str, list[Turn], Nothing | None, bool]] = [
    # what, turns, in which way the last one brought nothing, whether it counts
    ("a first look", [READ], None, True),
    ("the same look", [READ, READ], Nothing.REPEATED, True),
    ("another look at the same", [READ, run("cat a.py", "import os\nprint()")], Nothing.KNOWN, True),
    ("the same look with one new line", [READ, Turn(doing=Doing.READ, tool="Read", args="a.py", output="x\nimport os")], None, True),
    ("only numbers of lines differ", [run("x", "a.sh: line 12: oh"), run("y", "a.sh: line 99: oh")], Nothing.KNOWN, True),
    ("a look that shows nothing", [run("grep -r x . 2>/dev/null | head")], Nothing.EMPTY, True),
    ("a search tool that shows nothing", [Turn(doing=Doing.READ, tool="Grep", args="x")], Nothing.EMPTY, True),
    ("a silent command may have done something", [run("mkdir -p a && chmod +x b")], None, True),
    ("so may one that writes what it shows", [run("cat a > b")], None, True),
    ("a change of the folder is no look", [run("cd src")], None, True),
    ("a silent tool", [other("Note", "x", "")], None, True),
    ("a command that is not there", [run("javac A.java", "/bin/bash: line 7: javac: command not found")], Nothing.MISSING, True),
    ("a file that is not there", [run("cat x", "cat: x: No such file or directory")], Nothing.MISSING, True),
    ("not there, and something else", [run("x", "x: command not found\nbut this")], None, True),
    ("an edit", [edit("1", "ok")], None, True),
    ("another edit with the same answer", [edit("1", "ok"), edit("2", "ok")], None, True),
    ("the same edit with the same answer", [edit("1", "ok"), edit("1", "ok")], Nothing.REPEATED, True),
    ("the same silent edit: nobody can tell", [edit("1"), edit("1")], None, True),
    ("an edit that failed", [edit("1", "no", failed=True)], Nothing.REJECTED, True),
    ("one that failed by its flag, and was applied", [edit("1", "The file has been edited. error", failed=True)], None, True),
    ("one that says so itself", [edit("1", "No replacement was performed", failed=False)], Nothing.REJECTED, True),
    ("a shell's write with a known answer", [run("x", "ok"), run("sed -i", "ok", wrote=True)], None, True),
    ("a list of things to do", [other("Todo", "1", "noted"), other("Todo", "2", "noted")], Nothing.KNOWN, False),
    ("the same list again", [other("Todo", "1", "noted"), other("Todo", "1", "noted")], Nothing.REPEATED, True),
    ("a tool that waits", [other("BashOutput", "1", "running"), other("BashOutput", "1", "running")], Nothing.REPEATED, False),
    ("a command that waits", [run("sleep 9; cat log", "x"), run("sleep 9; cat log", "x")], Nothing.REPEATED, False),
    ("a command that waited for something", [run("sleep 9; cat log", "x"), run("sleep 9; cat log", "y")], None, True),
    ("words", [Turn(doing=Doing.SAY, args="I am done")], None, False),
    ("words that say that nothing fits any more", [Turn(doing=Doing.SAY, args="Prompt is too long")], Nothing.FULL, True),
    ("words about it", [Turn(doing=Doing.SAY, args="I think the prompt is too long")], None, False),
    ("an error that says so", [other("x", "y", "This model's maximum context length is 8192 tokens")], Nothing.FULL, True),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "nothing", "counts"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_turn_is_held_against_all_that_was_seen(turns: list[Turn], nothing: Nothing | None, counts: bool) -> None:
    seen = after(*turns)
    assert (seen.nothing, seen.counts) == (nothing, counts)


def test_the_command_that_is_not_there_is_named() -> None:
    assert after(run("x", "/bin/bash: line 7: javac: command not found")).missing == "javac"
    assert after(run("x", "ls: cannot access 'y': No such file or directory")).missing == ""


def test_what_was_seen_is_kept_up_to_a_bound_and_the_oldest_goes_first() -> None:
    seen = Seen()
    for number in range(20_000):
        seen = seen.with_these(frozenset({number}))
        assert number in seen
    assert 0 not in seen
    assert sum(map(len, seen.layers)) <= novelty._REMEMBERED
    assert 19_000 in seen
    assert len(seen.layers) < 20
    assert seen.with_these(frozenset()) is seen


def test_what_was_forgotten_is_new_again() -> None:
    _, memory = look(READ, Memory())
    assert look(READ, memory)[0].nothing is Nothing.REPEATED
    assert look(READ, replace(memory, lines=Seen()))[0].nothing is None


def test_one_turn_with_more_than_can_be_remembered_is_taken_whole() -> None:
    seen = Seen().with_these(frozenset({1})).with_these(frozenset(range(10, 30_000)))
    assert 1 not in seen
    assert 29_999 in seen


def test_a_flood_is_looked_at_in_its_beginning_and_its_end() -> None:
    lines = [f"number {n}" for n in range(40_000)]
    first, memory = look(run("x", "\n".join(lines)), Memory())
    assert first.nothing is None
    assert sum(map(len, memory.lines.layers)) <= novelty._MOST_LINES
    again, _ = look(run("y", "number 1\nnumber 39999"), memory)
    assert again.nothing is Nothing.KNOWN


def test_text_that_is_no_valid_unicode_is_read_all_the_same() -> None:
    assert after(run("x", "\udcff\ud800")).nothing is None
