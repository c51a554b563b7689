"""The agent prints without end: bytes that are no text, all on one line, and goes on after it has ended."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step

MEGABYTES = 100


def test_a_flood_of_output_is_cut_and_says_so(
    attack: Callable[..., Driven], quick: tuple[str, ...], project: Path
) -> None:
    shell = [f"head -c {MEGABYTES}M /dev/zero | tr '\\0' '\\377'", "(setsid sh -c 'while :; do echo more; done' &)"]
    result = attack(Step(shell=shell, writes={"README.md": "x\n"}), check=quick, attempts=1, command=True)
    kept = project / f".trueup/runs/{result.run}/transcripts/attempt-1.txt"
    assert kept.stat().st_size < MEGABYTES * 2**20 / 4
    assert "bytes left out" in kept.read_text()
