"""A server that ran before swaps a file while the check reads it, and puts it back with its old size and time."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, commit_all, write_files

SLOW = """\
import pathlib, time
pathlib.Path("begun").touch()
end = time.monotonic() + 5
while "# mine" in pathlib.Path("calc.py").read_text() and not pathlib.Path("swapped").exists() and time.monotonic() < end:
    time.sleep(0.01)
{check}
pathlib.Path("ended").touch()
while pathlib.Path("swapped").exists() and not pathlib.Path("restored").exists() and time.monotonic() < end:
    time.sleep(0.01)
"""


def swap(bench: Path) -> None:
    """Another content for as long as the check runs; then the old one again, with its time."""
    file = bench / "calc.py"
    old, was = file.read_bytes(), file.stat()
    if not (bench / "begun").exists() or (bench / "swapped").exists() or b"# mine" not in old:
        return
    file.write_bytes(old.replace(b"a - b", b"a + b"))
    (bench / "swapped").touch()
    while not (bench / "ended").exists():
        threading.Event().wait(0.01)
    file.write_bytes(old)
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    (bench / "restored").touch()


@contextlib.contextmanager
def server(state: Path) -> Iterator[None]:
    over = threading.Event()

    def serve() -> None:
        while not over.wait(0.01):
            for bench in state.glob("trueup/*/runs/*/benches/*/work"):
                with contextlib.suppress(OSError):
                    swap(bench)

    helper = threading.Thread(target=serve)
    helper.start()
    try:
        yield
    finally:
        over.set()
        helper.join()


def test_a_file_that_was_swapped_and_put_back_makes_no_evidence(
    attack: Callable[..., Driven], quick: tuple[str, ...], project: Path, tmp_path: Path
) -> None:
    write_files(project, {"check.py": SLOW.format(check=(project / "check.py").read_text())})
    commit_all(project, "slow")
    with server(tmp_path / "state"):
        mine = (project / "calc.py").read_text() + "# mine\n"
        result = attack({"calc.py": mine}, check=quick, attempts=1)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "calc.py" in result.outcome.detail
