"""A process that survived elsewhere swaps files of the bench: while the check runs, and before it begins."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from trueup.decide.outcome import Status
from trueup.testing import Driven, commit_all, write_files

WRONG, RIGHT = "return a - b", "return a + b"


@contextlib.contextmanager
def server(swap: Callable[[Path], None], state: Path) -> Iterator[Callable[[Path, str], None]]:
    """The agent's edit; it wakes a helper that is no child of the agent and looks at all benches again and again."""
    over = threading.Event()

    def serve() -> None:
        while not over.wait(0.0005):
            for bench in state.glob("trueup/*/runs/*/benches/*/work"):
                with contextlib.suppress(OSError):
                    swap(bench)

    helper = threading.Thread(target=serve)

    def edit(workspace: Path, _prompt: str) -> None:
        text = (workspace / "calc.py").read_text()
        (workspace / "calc.py").write_text(f"{text}# mine\n")
        helper.start()

    try:
        yield edit
    finally:
        over.set()
        helper.join()


def is_candidate(bench: Path) -> bool:
    return (bench / "calc.py").read_text().endswith("# mine\n")


def test_a_file_that_was_swapped_while_the_check_ran_makes_no_evidence(
    attack: Callable[..., Driven], quick: tuple[str, ...], project: Path, tmp_path: Path
) -> None:
    slow = (
        f"import pathlib, time\npathlib.Path('running').touch()\ntime.sleep(0.3)\n{(project / 'check.py').read_text()}"
    )
    write_files(project, {"check.py": slow})
    commit_all(project, "slow")

    def swap(bench: Path) -> None:
        if is_candidate(bench) and (bench / "running").exists():
            text = (bench / "calc.py").read_text()
            (bench / "calc.py").write_text(text.replace(WRONG, RIGHT))

    with server(swap, tmp_path / "state") as edit:
        result = attack(edit, check=quick, attempts=1)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "calc.py" in result.outcome.detail


def test_a_file_that_was_swapped_before_the_check_began_makes_no_evidence(
    attack: Callable[..., Driven], quick: tuple[str, ...], tmp_path: Path
) -> None:
    def swap(bench: Path) -> None:
        text = (bench / "calc.py").read_text()
        if is_candidate(bench) and WRONG in text:
            (bench / "calc.py").write_text(text.replace(WRONG, RIGHT))

    with server(swap, tmp_path / "state") as edit:  # a race: it may lose, but winning must not help it
        attack(edit, check=quick, attempts=1)
