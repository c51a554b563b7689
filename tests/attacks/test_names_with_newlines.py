"""Names that no list of lines can hold: line ends, tabs, quotes, options, bytes that are no text, 255 of them."""

import os
from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven

NAMES = [
    b"a\nb", b"\n", b"--output=x", b"-rf", b"a\tb", b'"quoted"', b"back\\slash", b" blank ", b"\xff\xfe", b"*", b":(glob)x",
    b"caf\xc3\xa9", b"cafe\xcc\x81", b"x" * 255, b"a\rb", b"$(touch owned)", b"M\t100644", b"...", b"\xe2\x80\xaegnp",
]  # fmt: skip


def test_every_name_is_stored_as_it_is_and_shown_harmlessly(
    attack: Callable[..., Driven], quick: tuple[str, ...]
) -> None:
    def leave(workspace: Path, _prompt: str) -> None:
        for name in NAMES:
            (workspace / os.fsdecode(name)).write_text("x\n")

    result = attack(leave, {"README.md": "2\n"}, check=quick)
    assert {os.fsencode(path) for path in result.attempts[0].record.changed} == set(NAMES)
    left = result.store.entries(result.attempts[0].record.raw)
    assert set(NAMES) <= {os.fsencode(path) for path in left}
    assert all(line.isprintable() for line in result.screen.splitlines())
