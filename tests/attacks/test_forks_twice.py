"""A process forks twice, so that its parents are gone, ignores every signal that can be ignored, and sleeps."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step

DAEMON = """\
import os, pathlib, signal, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
os.chdir("/")
os.umask(0)
for number in range(3):
    os.close(number)
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
time.sleep(300)
"""


def test_a_process_without_parents_is_found_and_ended(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "daemon.py").write_text(DAEMON)
    pid = tmp_path / "pid"
    shell = [f"{quick[0]} -S {tmp_path}/daemon.py {pid}", f"while [ ! -s {pid} ]; do sleep 0.05; done"]
    attack(Step(shell=shell, writes={"README.md": "x\n"}), check=quick, attempts=1, command=True)
    assert not Path(f"/proc/{pid.read_text()}").exists()
