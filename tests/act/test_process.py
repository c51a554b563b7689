"""Commands end on time, keep what they said, and leave nothing behind."""

from __future__ import annotations

import contextlib
import os
import resource
import shlex
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.act import orphans, output, process, warden
from trueup.act.command_line import parse_command, show_command, which
from trueup.act.output import Captured
from trueup.act.process import (
    DEFAULT_GRACES,
    Cancelled,
    Completed,
    Graces,
    Processes,
    ToolFailed,
    make_undumpable,
    quick,
)
from trueup.errors import TrueupError, UnverifiableError, UsageError
from trueup.evidence.gap import Gap

MARK = "TRUEUP_TEST_MARK"
AT_ONCE = Graces(interrupt=0.2, terminate=0.2)
SEIZE = "import ctypes, sys, time; ctypes.CDLL(None).ptrace(0x4206, int(sys.argv[1]), 0, 0); time.sleep(1000)"
"""Takes hold of a process (PTRACE_SEIZE) without stopping it."""
HANG = 60.0

SOURCE = Path(process.__file__).parents[2]


class Marked:
    """Runs commands whose processes, wherever they went, are recognised by a variable in their environment."""

    def __init__(self, processes: Processes, folder: Path) -> None:
        self.processes = processes
        self.folder = folder
        self.env = {"PATH": os.environ["PATH"], MARK: uuid.uuid4().hex}

    def run(self, command: str | tuple[str, ...], **options: object) -> Completed:
        given = {"cwd": self.folder, "env": self.env, "timeout": HANG, "graces": AT_ONCE} | options
        return self.processes.run(parse_command(command), **given)  # type: ignore[arg-type]

    def python(self, code: str, **options: object) -> Completed:
        return self.run((sys.executable, "-c", textwrap.dedent(code)), **options)

    def alive(self) -> list[str]:
        return alive(self.env[MARK])


def alive(mark: str) -> list[str]:
    return [warden.command_line(pid) for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if has(pid, mark)]


def has(pid: int, mark: str) -> bool:
    with contextlib.suppress(OSError):
        return f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False


def eventually(condition: object, *, within: float = HANG) -> bool:
    """For what happens in another process; `within` is only a guard against hanging."""
    assert callable(condition)
    until = time.monotonic() + within
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def change_warden(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, seconds: float) -> None:
    """Let new wardens have another value for one of their times."""
    source = Path(warden.__file__).read_text()
    changed = source.replace(f"\n{name} = {getattr(warden, name)}\n", f"\n{name} = {seconds}\n")
    assert changed != source
    (folder / "changed_warden.py").write_text(changed)
    monkeypatch.setattr(warden, "__file__", str(folder / "changed_warden.py"))


@pytest.fixture
def processes() -> Iterator[Processes]:
    with Processes() as owner:
        yield owner


@pytest.fixture
def marked(processes: Processes, tmp_path: Path) -> Marked:
    return Marked(processes, tmp_path)


# Commands as the user wrote them.


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("pytest -q", ("pytest", "-q")),
        ("  pytest\t-q\n", ("pytest", "-q")),
        ("pytest 'a b' \"c d\" e\\ f", ("pytest", "a b", "c d", "e f")),
        ("pytest -k 'a or b' 'x;y' \"p|q\"", ("pytest", "-k", "a or b", "x;y", "p|q")),
        ("grep '$HOME' \"a * b\" \\$x", ("grep", "$HOME", "a * b", "$x")),
        ("pytest tests/test_x.py::test_y[1-2]", ("pytest", "tests/test_x.py::test_y[1-2]")),
        ("git diff HEAD~1 a#b --x=y", ("git", "diff", "HEAD~1", "a#b", "--x=y")),
        ('say "it\'s"', ("say", "it's")),
        ("exitcode 1", ("exitcode", "1")),
    ],
)
def test_a_plain_command_is_an_argv_without_a_shell(text: str, argv: tuple[str, ...]) -> None:
    assert parse_command(text) == argv


@pytest.mark.parametrize(
    "text",
    [
        "a && b",
        "a & b",
        "a | b",
        "a; b",
        "a < b",
        "a > b",
        "echo $HOME",
        'echo "$HOME"',
        "echo `date`",
        'echo "`date`"',
        'echo "\\$x"',
        "ls *.py",
        "ls a?",
        "(a)",
        "{ a; }",
        "ls ~/x",
        "~/bin/check",
        "a # why",
        "a\nb",
        "a \\\n b",
        "CI=1 pytest",
        " A_1= b",
        "! grep x y",
        "exit 3",
        "cd src",
        "exec pytest",
    ],
)
def test_shell_syntax_outside_quotes_gets_a_shell(text: str) -> None:
    assert parse_command(text) == ("/bin/sh", "-c", text)


@pytest.mark.parametrize("text", ["", "  \n", "# pytest -q", "\n # a\n\n#b", "''", (), ("",)])
def test_an_empty_command_is_a_usage_error(text: str | tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="empty"):
        parse_command(text)


def test_an_open_quote_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        parse_command("pytest 'a")


def test_an_argv_stays_as_it_is() -> None:
    assert parse_command(("a b", "&&", "*")) == ("a b", "&&", "*")


@given(st.lists(st.text(st.characters(exclude_characters="\0")), min_size=1).filter(lambda words: bool(words[0])))
def test_a_shown_argv_means_the_same_argv(words: list[str]) -> None:
    shown = show_command(words)
    parsed = parse_command(shown)
    assert parsed == tuple(words) or tuple(shlex.split(parsed[2])) == tuple(words)


def test_a_shell_command_is_shown_as_it_was_written() -> None:
    assert show_command(parse_command("a && b 'c'")) == "a && b 'c'"
    assert show_command(("pytest", "a b")) == "pytest 'a b'"


def test_and_pipes_and_quotes_run_as_the_user_wrote_them(marked: Marked) -> None:
    assert marked.run("echo 'a  b' | tr a-z A-Z && echo \"$0\"").stdout.text() == "A  B\n/bin/sh\n"
    assert marked.run("false && echo no").exit_code == 1
    assert marked.run("printf '%s|' 'a && b' \"*\"").stdout.text() == "a && b|*|"


def test_words_of_an_argv_meet_no_shell(marked: Marked, tmp_path: Path) -> None:
    done = marked.run(("printf", "%s|", "$(touch owned)", "; touch owned", "caf\udce9"))
    assert done.stdout.head == b"$(touch owned)|; touch owned|caf\xe9|"
    assert list(tmp_path.iterdir()) == []


# Results.


def test_exit_code_output_and_the_working_directory_come_back(marked: Marked, tmp_path: Path) -> None:
    done = marked.run("pwd; echo $PWD; echo oops >&2; exit 3")
    assert done.exit_code == 3
    assert done.stdout.text() == f"{tmp_path}\n{tmp_path}\noops\n"
    assert (done.stderr, done.not_started, done.timed_out, done.cancelled) == (Captured(), "", False, False)
    assert done.leftovers == ()


def test_the_command_gets_exactly_the_given_environment(marked: Marked, tmp_path: Path) -> None:
    env = {"A": "1", "B": "caf\udce9", "PATH": os.environ["PATH"]}
    lines = set(marked.run(("env", "-0"), env=env).stdout.head.split(b"\0"))
    assert lines == {
        b"A=1",
        b"B=caf\xe9",
        os.fsencode(f"PATH={env['PATH']}"),
        os.fsencode(f"PWD={tmp_path}"),
        b"",
    }


def test_stderr_can_be_kept_apart(marked: Marked) -> None:
    done = marked.run("echo out; echo err >&2", merge_stderr=False)
    assert (done.stdout.text(), done.stderr.text()) == ("out\n", "err\n")


def test_standard_input_is_what_was_given_or_nothing(marked: Marked) -> None:
    prompt = b"x" * 300_000
    assert marked.run(("wc", "-c"), stdin=prompt).stdout.text().strip() == "300000"
    assert marked.run(("true",), stdin=prompt).exit_code == 0
    assert marked.run(("wc", "-c")).stdout.text().strip() == "0"


def test_a_signal_is_a_negative_exit_code(marked: Marked) -> None:
    assert marked.run("kill -SEGV $$").exit_code == -signal.SIGSEGV


def test_the_cpu_time_of_the_whole_tree_is_counted(marked: Marked) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    done = marked.run(("/bin/sh", "-c", f"{sys.executable} -c '{burn}'; true"))
    assert done.cpu_seconds >= 0.3


def test_a_missing_program_is_not_started(marked: Marked) -> None:
    done = marked.run("no-such-program --x")
    assert (done.exit_code, done.not_started) == (None, "no-such-program: command not found")


def test_a_program_that_may_not_run_says_why(marked: Marked, tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    assert marked.run("./tool").not_started == "./tool: Permission denied"
    (tmp_path / "tool").chmod(0o755)
    assert marked.run("./tool").exit_code == 0


def test_a_script_without_its_interpreter_says_so(marked: Marked, tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("#!/no/such/interpreter\n")
    (tmp_path / "tool").chmod(0o755)
    assert marked.run("./tool").not_started == "./tool: its interpreter was not found"


def test_a_missing_working_directory_is_named(marked: Marked, tmp_path: Path) -> None:
    done = marked.run("true", cwd=tmp_path / "gone")
    assert done.not_started == f"{tmp_path}/gone: No such file or directory (the working directory)"


def test_a_word_that_no_program_can_be_given_is_not_started(marked: Marked) -> None:
    assert "null byte" in marked.run(("echo", "a\0b")).not_started


def test_commands_start_with_the_usual_signal_dispositions_whatever_the_host_has_done(tmp_path: Path) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGUSR2])
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Processes() as owner:
            done = Marked(owner, tmp_path).python(
                """
                import signal
                ignored = [number.name for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN]
                print(ignored, signal.pthread_sigmask(0, []))
                """
            )
    finally:
        signal.signal(signal.SIGINT, interrupt)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert done.stdout.text() == "['SIGPIPE', 'SIGXFSZ'] set()\n"  # these two are Python's own


def test_commands_have_no_descriptor_but_the_standard_three(marked: Marked) -> None:
    done = marked.python("import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])")
    assert done.stdout.text() == "[0, 1, 2]\n"


def test_it_works_from_a_thread_that_is_not_the_main_one_and_after_it_ended(marked: Marked) -> None:
    results: list[Completed] = []
    for word in ("one", "two"):
        thread = threading.Thread(target=lambda word=word: results.append(marked.run(("echo", word))))
        thread.start()
        thread.join(HANG)
    assert [done.stdout.text() for done in results] == ["one\n", "two\n"]


def test_two_threads_take_turns(marked: Marked, tmp_path: Path) -> None:
    script = "mkdir busy && sleep 0.2 && rmdir busy"
    codes: list[int | None] = []
    threads = [threading.Thread(target=lambda: codes.append(marked.run(script).exit_code)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    assert codes == [0, 0, 0]


# Output.


def test_output_is_passed_on_while_the_command_runs(marked: Marked, tmp_path: Path) -> None:
    heard: list[bytes] = []

    def answer(chunk: bytes) -> None:
        heard.append(chunk)
        (tmp_path / "go").touch()

    done = marked.run("echo first; until [ -e go ]; do sleep 0.02; done; echo second", on_output=answer)
    assert (done.exit_code, b"".join(heard)) == (0, b"first\nsecond\n")


def test_much_output_does_not_grow_our_memory_and_the_omission_is_stated(marked: Marked, tmp_path: Path) -> None:
    size, keep = 200_000_000, 100_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = marked.run(f"echo first; head -c {size} /dev/zero; echo; echo last", keep=keep, output_file=tmp_path / "log")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < 60_000_000
    assert done.stdout.bytes_total == size + 12
    assert len(done.stdout.head) + len(done.stdout.tail) == keep
    text = done.stdout.text()
    assert text.startswith("first\n")
    assert text.endswith("\nlast\n")
    whole_words = keep - 2 * 4096  # a word of at most that length is left out on each side
    assert f"\n… {size + 12 - whole_words} bytes left out …\n" in text
    assert (tmp_path / "log").stat().st_size < output.FILE_HEAD + output.FILE_TAIL + 100
    with (tmp_path / "log").open("rb") as log:
        assert log.read(6) == b"first\n"
        log.seek(-5, os.SEEK_END)
        assert log.read() == b"last\n"


def test_output_in_single_bytes_is_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "_SEGMENT", 8)
    recorder = output.Recorder(20)
    for number in range(1000):
        recorder.feed(b"%d" % (number % 10))
    captured = recorder.captured()
    assert captured == Captured(head=b"0123456789", tail=b"0123456789", omitted=980)


NOISE = b"".join(b"request %07d was handled\n" % number for number in range(40_000))
BROKEN = b"src/shop.py:7:5: error: wrong type  [return-value]\n"


@pytest.mark.parametrize("size", [1, 997, 262_144])
def test_a_failure_in_the_middle_of_a_flood_is_kept_with_what_surrounds_it(size: int) -> None:
    """Whatever the pieces in which it comes: the same lines, once, at their place."""
    noise = NOISE if size > 1 else NOISE[: NOISE.index(b"\n", 80_000) + 1]
    stream = noise + BROKEN + noise
    recorder = output.Recorder(20_000)
    for at in range(0, len(stream), size):
        recorder.feed(stream[at : at + size])
    captured = recorder.captured()
    ((at, piece),) = captured.remarkable
    assert stream[at : at + len(piece)] == piece
    lines = piece.splitlines(keepends=True)
    assert (lines.index(BROKEN), len(lines)) == (20, 80)
    assert captured.text().count(BROKEN.decode()) == 1
    assert captured.text().count("bytes left out") == 2


def test_a_flood_of_failures_keeps_only_some_and_none_of_them_twice() -> None:
    recorder = output.Recorder(10_000)
    lines = [b"a.py:%d:1: error: wrong\n" % number for number in range(100_000)]
    recorder.feed(b"".join(lines))
    kept = sum(len(piece) for _, piece in recorder.captured().remarkable)
    assert 0 < kept <= output._MOST_REMARKABLE
    said = [line for line in recorder.captured().text().splitlines(keepends=True) if line.startswith("a.py")]
    assert len(said) == len(set(said))
    assert {line.encode() for line in said} <= {*lines, lines[-1]}


@pytest.mark.parametrize(
    ("lines", "gap"),
    [
        ([BROKEN], Gap.NONE),
        ([NOISE, BROKEN, NOISE], Gap.QUIET),
        ([NOISE, *[BROKEN] * 10_000, NOISE], Gap.LOUD),
        ([NOISE, *[BROKEN] * 10_000], Gap.LOUD),
        ([NOISE, *[BROKEN] * 300], Gap.QUIET),
    ],
    ids=["nothing is left out", "all is kept", "not all is kept", "at the end", "what is not kept is in the tail"],
)
def test_whether_failures_were_left_out_is_known(lines: list[bytes], gap: Gap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "_MOST_REMARKABLE", 10_000)
    recorder = output.Recorder(40_000)
    for line in lines:
        recorder.feed(line)
    assert recorder.captured().gap is gap


def test_no_half_of_a_line_is_remarkable() -> None:
    """Neither of the one in which the beginning ends, nor of one that is too long to wait for."""
    recorder = output.Recorder(20)
    stream = b"x" * 15 + b" error: half\n" + b"y" * 200_000 + b" error half\n" + b"error whole\n" + b"z" * 50
    for at in range(0, len(stream), 50_000):
        recorder.feed(stream[at : at + 50_000])
    assert [piece for _, piece in recorder.captured().remarkable] == [b"error whole\n"]


@given(st.lists(st.binary(max_size=40)), st.integers(0, 60))
def test_head_omission_and_tail_always_add_up(chunks: list[bytes], keep: int) -> None:
    recorder = output.Recorder(keep)
    for chunk in chunks:
        recorder.feed(chunk)
    whole, captured = b"".join(chunks), recorder.captured()
    assert captured.bytes_total == len(whole)
    assert whole.startswith(captured.head)
    assert whole.endswith(captured.tail)
    assert len(captured.head) + len(captured.tail) == min(keep, len(whole))


def test_a_character_cut_by_nothing_stays_whole_and_bad_bytes_are_shown() -> None:
    assert Captured(head=b"caf\xc3", tail=b"\xa9").text() == "café"
    assert Captured(head=b"\xff").text() == "�"


def test_the_output_file_is_written_while_the_command_runs(marked: Marked, tmp_path: Path) -> None:
    done = marked.run("echo early; until grep -q early log; do sleep 0.02; done", output_file=tmp_path / "log")
    assert done.exit_code == 0
    assert (tmp_path / "log").read_text() == "early\n"


# Ending.


def test_a_grandchild_that_holds_stdout_in_its_own_session_does_not_delay_the_deadline(marked: Marked) -> None:
    done = marked.run("setsid sleep 1000 & echo partial; sleep 1000", timeout=1)
    assert done.timed_out
    assert done.stdout.text() == "partial\n"
    assert done.duration < HANG
    assert marked.alive() == []


def test_partial_output_of_a_killed_command_is_kept(marked: Marked) -> None:
    script = "trap 'echo not INT' INT; trap 'echo not TERM' TERM; echo begun; while :; do sleep 0.05; done"
    done = marked.run(script, timeout=1, graces=Graces(interrupt=0.5, terminate=0.5), merge_stderr=False)
    assert (done.exit_code, done.timed_out) == (-signal.SIGKILL, True)
    assert done.stdout.text() == "begun\nnot INT\nnot TERM\n"


def test_an_interrupted_command_may_say_what_it_cost(marked: Marked) -> None:
    script = "trap 'echo cost; exit 7' INT; echo begun; while :; do sleep 0.05; done"
    done = marked.run(script, timeout=1, graces=Graces(interrupt=HANG, terminate=HANG))
    assert (done.exit_code, done.timed_out, done.stdout.text()) == (7, True, "begun\ncost\n")


def test_a_stopped_process_hears_that_it_is_to_end(marked: Marked) -> None:
    script = "trap 'echo woken; exit 5' INT; kill -STOP $$; echo never"
    done = marked.run(script, timeout=1, graces=Graces(interrupt=HANG, terminate=HANG))
    assert (done.timed_out, done.exit_code, done.stdout.text()) == (True, 5, "woken\n")


DAEMON = """
import os, sys, time, signal
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        open("daemon", "w").close()
        while True: time.sleep(1)
    os._exit(0)
while not os.path.exists("daemon"): time.sleep(0.01)
print("main done")
"""


def test_a_daemon_is_gone_before_the_result_is_there(marked: Marked) -> None:
    done = marked.python(DAEMON)
    assert marked.alive() == []
    assert (done.exit_code, done.timed_out, done.stdout.text()) == (0, False, "main done\n")
    assert len(done.leftovers) == 1
    assert "os.setsid()" in done.leftovers[0]


def test_helpers_that_end_by_themselves_are_no_leftovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_warden(tmp_path, monkeypatch, "SETTLE", HANG)
    with Processes() as owner:
        helper = "import subprocess; subprocess.Popen(['cat'], stdin=subprocess.PIPE)"
        done = Marked(owner, tmp_path).run((sys.executable, "-W", "ignore", "-c", helper))
    assert (done.exit_code, done.leftovers) == (0, ())
    assert done.duration < HANG


def test_a_chain_of_processes_that_fork_and_exit_is_caught(marked: Marked) -> None:
    done = marked.python(
        """
        import os, signal, time
        for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)
        while True:
            if os.fork(): os._exit(0)
            os.setsid()
            time.sleep(0.001)
        """
    )
    assert done.exit_code == 0
    assert marked.alive() == []


def test_a_bundle_of_stubborn_descendants_in_many_sessions_is_ended(marked: Marked) -> None:
    script = "trap '' INT TERM HUP; for i in 1 2 3 4 5; do setsid sh -c 'trap \"\" INT TERM; sleep 1000; sleep 1000' & done; wait"
    done = marked.run(script, timeout=1)
    assert (done.timed_out, marked.alive()) == (True, [])


def test_a_process_outside_the_tree_that_holds_stdout_does_not_delay_us(marked: Marked, tmp_path: Path) -> None:
    """Another server may have been handed the pipe: here this very process opens it."""
    holding: list[int] = []

    def open_it(chunk: bytes) -> None:
        if not holding:
            holding.append(os.open(f"/proc/{int(chunk)}/fd/1", os.O_WRONLY))
            (tmp_path / "go").touch()

    try:
        done = marked.run("echo $$; until [ -e go ]; do sleep 0.02; done; echo end", on_output=open_it)
        assert done.stdout.text().endswith("\nend\n")
        assert holding
    finally:
        for fd in holding:
            os.close(fd)


# Cancelling.


def test_cancel_from_another_thread_ends_the_command_and_refuses_the_next(marked: Marked) -> None:
    done = marked.run(
        "setsid sleep 1000 & echo begun; sleep 1000",
        timeout=None,
        on_output=lambda _: threading.Thread(target=marked.processes.cancel).start(),
    )
    assert (done.cancelled, done.timed_out, done.stdout.text()) == (True, False, "begun\n")
    assert marked.alive() == []
    with pytest.raises(Cancelled):
        marked.run("echo no")


def test_cancel_twice_skips_the_graces(marked: Marked) -> None:
    def twice(_: bytes) -> None:
        marked.processes.cancel()
        marked.processes.cancel()

    done = marked.run(
        "trap '' INT TERM; echo begun; while :; do sleep 1; done",
        timeout=None,
        on_output=twice,
        graces=Graces(interrupt=1000, terminate=1000),
    )
    assert (done.cancelled, done.exit_code) == (True, -signal.SIGKILL)
    assert marked.alive() == []


def test_cancel_before_the_start_starts_nothing(marked: Marked, tmp_path: Path) -> None:
    marked.processes.cancel()
    with pytest.raises(Cancelled):
        marked.run("touch started")
    assert list(tmp_path.iterdir()) == []


def test_cancel_works_from_a_signal_handler(marked: Marked) -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: marked.processes.cancel())
    try:
        done = marked.run(f"echo begun; kill -USR1 {os.getpid()}; sleep 1000", timeout=None)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert done.cancelled
    assert done.stdout.text() == "begun\n"


def test_an_exception_out_of_the_output_callback_ends_the_tree_first(marked: Marked) -> None:
    def fail(_: bytes) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        marked.run("setsid sleep 1000 & echo begun; sleep 1000", on_output=fail)
    assert marked.alive() == []
    assert marked.run("echo again").stdout.text() == "again\n"


def test_a_keyboard_interrupt_in_the_host_ends_the_tree_first(marked: Marked) -> None:
    # A test run in the background of a script inherits an ignored SIGINT.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            marked.run(f"setsid sleep 1000 & kill -INT {os.getpid()}; sleep 1000", timeout=None)
    finally:
        signal.signal(signal.SIGINT, before)
    assert marked.alive() == []


def test_leaving_the_context_ends_what_another_thread_still_runs(tmp_path: Path) -> None:
    begun = threading.Event()
    results: list[Completed] = []
    with Processes() as owner:
        marked = Marked(owner, tmp_path)
        thread = threading.Thread(
            target=lambda: results.append(marked.run("echo; sleep 1000", timeout=None, on_output=lambda _: begun.set()))
        )
        thread.start()
        assert begun.wait(HANG)
    thread.join(HANG)
    assert [done.cancelled for done in results] == [True]
    assert marked.alive() == []


# The host and its warden.

HOST = """
import os, sys, time
from pathlib import Path
from trueup.act.process import Processes
with Processes() as owner:
    {first}
    owner.run(("/bin/sh", "-c", "trap '' INT TERM HUP; setsid sleep 1000 & echo $$; sleep 1000"),
              cwd=Path("."), env=dict(os.environ), timeout=None,
              on_output=lambda chunk: (sys.stdout.buffer.write(chunk), sys.stdout.flush()))
"""


@contextlib.contextmanager
def a_host(folder: Path, mark: str, *, first: str = "pass") -> Iterator[subprocess.Popen[bytes]]:
    env = {**os.environ, MARK: mark, "PYTHONPATH": str(SOURCE)}
    code = HOST.format(first=first)
    with subprocess.Popen([sys.executable, "-c", code], cwd=folder, env=env, stdout=subprocess.PIPE) as host:
        assert host.stdout
        assert int(host.stdout.readline())  # the command runs
        try:
            yield host
        finally:
            host.kill()


def test_kill_9_of_the_host_takes_the_command_and_the_warden_with_it(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    with a_host(tmp_path, mark) as host:
        [watcher] = warden.descendants(host.pid)[:1]
        assert eventually(lambda: len(alive(mark)) == 4), alive(mark)
        host.kill()
        host.wait(HANG)
        assert eventually(lambda: not alive(mark)), alive(mark)
        assert eventually(lambda: not warden.command_line(watcher))


def test_a_forked_copy_of_the_host_does_not_keep_a_dead_hosts_command_alive(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    copy = (
        "if os.fork() == 0: os.environ.clear() or os.close(1) or os.execv(sys.executable, [sys.executable, '-c', ''])"
    )
    copy = "copy = os.fork()\n    if copy == 0: os.close(1); time.sleep(1000)\n    Path('copy').write_text(str(copy))"
    with a_host(tmp_path, mark, first=copy) as host:
        copied = int((tmp_path / "copy").read_text())
        try:
            host.kill()
            host.wait(HANG)
            assert eventually(lambda: len(alive(mark)) == 1), alive(mark)  # the copy itself
        finally:
            os.kill(copied, signal.SIGKILL)


def test_terminal_signals_do_not_reach_the_command_behind_the_hosts_back(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    with a_host(tmp_path, mark) as host:
        watcher, *tree = warden.descendants(host.pid)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(watcher, number)
        sessions = {os.getsid(pid) for pid in (watcher, *tree)}
        assert os.getsid(host.pid) not in sessions
        assert watcher in warden.descendants(host.pid)


def test_a_killed_warden_is_an_error_that_says_so_and_the_next_command_gets_a_new_one(
    marked: Marked, tmp_path: Path
) -> None:
    def go_on_when_started(_: bytes) -> None:
        owner = marked.processes._warden
        if owner is not None and owner._main:
            (tmp_path / "go").touch()

    with pytest.raises(TrueupError, match="watches over the running command was lost"):
        marked.run(
            "until [ -e go ]; do echo tick; sleep 0.02; done; kill -KILL $PPID; sleep 1000",
            on_output=go_on_when_started,
        )
    assert eventually(lambda: not marked.alive())
    assert marked.run("echo again").stdout.text() == "again\n"


def test_a_killed_warden_sets_nobody_free(marked: Marked) -> None:
    """Neither in a session of its own, nor with an empty environment, nor while it goes on forking."""
    forking = "while :; do sleep 0.05; done"
    with pytest.raises(UnverifiableError, match=r"process\(es\) of the command were found and ended") as lost:
        marked.run(
            f"setsid sleep 1000 & env -i setsid sleep 999.25 & setsid sh -c '{forking}' & sleep 0.3; kill -KILL $PPID"
        )
    assert "--sandbox" in lost.value.do
    assert marked.alive() == []
    assert not any("999.25" in warden.command_line(int(pid)) for pid in os.listdir("/proc") if pid.isdigit())


def test_nobody_but_the_command_carries_the_mark_and_nothing_of_it_is_in_its_environment(marked: Marked) -> None:
    code = "import os, resource; print(resource.getrlimit(resource.RLIMIT_RTTIME)[0], *os.environ.values())"
    mark, *values = marked.python(code).stdout.text().split()
    owner = marked.processes._warden
    assert owner is not None
    assert int(mark) == owner._mark > 2**40
    assert not any(mark in value for value in values)
    assert list(orphans.marked(owner._mark)) == []
    assert resource.getrlimit(resource.RLIMIT_RTTIME)[0] != owner._mark, "the host is not altered"
    assert orphans.new_mark() != owner._mark


@pytest.mark.parametrize(
    "hold",
    [
        "kill -STOP $PPID",
        pytest.param(
            f"{sys.executable} -S -c '{SEIZE}' $PPID",
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="the kernel lets nobody but root do that"),
        ),
    ],
)
def test_a_warden_that_is_kept_from_its_work_is_lost_long_before_the_deadline(hold: str, marked: Marked) -> None:
    with pytest.raises(UnverifiableError, match="somebody"):
        marked.run(f"setsid sleep 1000 & {hold} & sleep 1000", timeout=HANG * 10)
    assert marked.alive() == []


def test_many_processes_that_go_on_forking_are_all_ended(marked: Marked) -> None:
    """Each one that is killed is replaced by another, as long as one is left."""
    code = """
        import os, signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for _ in range(60):  # few and slow enough not to use up the process numbers of a busy machine
            if os.fork() == 0:
                os.setsid()
                while True:
                    time.sleep(0.5)
                    if os.fork():
                        os._exit(0)
        print("all there", flush=True)
        time.sleep(1000)
    """
    done = marked.python(textwrap.dedent(code), timeout=3)
    assert done.timed_out
    assert marked.alive() == []


def test_a_stopped_warden_does_not_stop_the_deadline(marked: Marked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_UNANSWERED", 0.3)
    monkeypatch.setattr(warden, "GIVE_UP", 0.2)
    with pytest.raises(TrueupError, match=r"did not answer in time|watches over the running command was lost"):
        marked.run("setsid sleep 1000 & kill -STOP $PPID; sleep 1000", timeout=1)
    assert eventually(lambda: not marked.alive())


def test_a_warden_that_cannot_start_passes_its_complaint_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.py").write_text("raise SystemExit('no such kernel')")
    monkeypatch.setattr(warden, "__file__", str(tmp_path / "broken.py"))
    with Processes() as owner, pytest.raises(TrueupError, match="no such kernel"):
        Marked(owner, tmp_path).run("true")


def test_what_cannot_be_ended_is_an_error_with_its_pid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_warden(tmp_path, monkeypatch, "GIVE_UP", 0.0)
    with Processes() as owner:
        marked = Marked(owner, tmp_path)
        with pytest.raises(TrueupError, match=r"1 process\(es\) of the command cannot be ended\nstill there.*: \d+ "):
            marked.run("trap '' INT TERM; echo; while :; do :; done", timeout=1)
    assert eventually(lambda: not marked.alive())


def test_the_host_is_not_altered(tmp_path: Path) -> None:
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    with Processes() as owner:
        Marked(owner, tmp_path).run("setsid sleep 1000 & exit 0")
        assert {number: signal.getsignal(number) for number in signal.valid_signals()} == handlers
        assert attribute_of_this_process(37) == 0
        assert attribute_of_this_process(3) == 1
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == (threads, descriptors)
    assert warden.descendants(os.getpid()) == []


def attribute_of_this_process(option: int) -> int:
    """37: sub-reaper, written to an int; 3: dumpable, returned."""
    import ctypes

    value = ctypes.c_int(0)
    returned = ctypes.CDLL(None).prctl(option, ctypes.byref(value), 0, 0, 0)
    return value.value if option == 37 else int(returned)


def test_an_undumpable_program_is_one_whose_memory_the_kernel_closes(marked: Marked) -> None:
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n" + textwrap.dedent(
        f"""
        import ctypes
        from trueup.act.process import {make_undumpable.__name__}
        dumpable = lambda: ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)
        print(dumpable()); make_undumpable(); print(dumpable())
        """
    )
    assert marked.run((sys.executable, "-c", code)).stdout.text() == "1\n0\n"


# Short programs of our own.


def test_quick_returns_the_output_and_feeds_the_input(tmp_path: Path) -> None:
    assert quick(["tr", "a-z", "A-Z"], input=b"abc") == b"ABC"
    assert quick(["pwd"], cwd=tmp_path) == f"{tmp_path}\n".encode()
    assert quick(["env"], env={"PATH": os.environ["PATH"], "A": "1"}).splitlines()[-1] == b"A=1"


def test_quick_says_which_program_failed_and_its_last_words() -> None:
    with pytest.raises(ToolFailed) as caught:
        quick(["sh", "-c", "seq 100 >&2; exit 3"])
    assert (caught.value.argv[0], caught.value.returncode) == ("sh", 3)
    assert caught.value.why == "\n".join(map(str, range(91, 101)))
    assert caught.value.exit_code == TrueupError.exit_code
    assert quick(["sh", "-c", "echo all the same; exit 3"], check=False) == b"all the same\n"


def test_quick_says_when_a_program_is_missing_or_slow() -> None:
    with pytest.raises(ToolFailed, match="No such file"):
        quick(["no-such-program"], check=False)
    with pytest.raises(ToolFailed, match=r"longer than 0\.2 s"):
        quick(["sh", "-c", "sleep 1000; true"], timeout=0.2)
    assert warden.descendants(os.getpid()) == []


def test_which_looks_only_at_absolute_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tool").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    assert which("tool", f"here::.:{tmp_path}/there") == str(tmp_path / "there" / "tool")
    assert which("tool", "here") is None
    assert which("tool", "") is None


@pytest.mark.parametrize("seconds", [0.2, 3.0, 20.0, 900.0])
def test_a_command_that_must_be_gone_at_its_deadline_is_asked_to_end_before_it(seconds: float) -> None:
    begin, graces = DEFAULT_GRACES.within(seconds)
    assert begin + graces.interrupt + graces.terminate == pytest.approx(seconds)
    assert begin >= seconds * 0.85 - 1e-9
    assert graces.interrupt <= Graces().interrupt
    assert graces.terminate <= Graces().terminate
