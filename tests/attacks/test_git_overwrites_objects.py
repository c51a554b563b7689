"""Objects of the clone, and of the repository that it shares them with, are overwritten with other bytes."""

from collections.abc import Callable
from pathlib import Path

from trueup.testing import Driven, Step

OVERWRITE = """\
import pathlib, subprocess, zlib
oid = subprocess.check_output(["git", "rev-parse", "HEAD:calc.py"], text=True).strip()
text = pathlib.Path("calc.py").read_bytes().replace(b"a - b", b"a + b")
body = zlib.compress(b"blob %d\\0" % len(text) + text)
place = pathlib.Path(".git/objects") / oid[:2] / oid[2:]
place.parent.mkdir(exist_ok=True)
place.unlink(missing_ok=True)
place.write_bytes(body)
pathlib.Path("README.md").write_text("overwritten\\n")
"""


def test_objects_of_the_clone_are_not_what_is_checked_or_handed_back(
    attack: Callable[..., Driven], quick: tuple[str, ...], project: Path, tmp_path: Path
) -> None:
    (tmp_path / "overwrite.py").write_text(OVERWRITE)
    wrong = (project / "calc.py").read_bytes()
    plant = Step(shell=[f"{quick[0]} -S {tmp_path}/overwrite.py"])
    result = attack(plant, {"README.md": "second\n"}, check=quick, command=True)
    assert [view.record.changed for view in result.attempts] == [("README.md",), ("README.md",)]
    assert result.store.read(result.outcome.start, "calc.py") == wrong
    assert (result.read("calc.py") or "").encode() == wrong
