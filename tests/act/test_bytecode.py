"""Compiled modules that were made before any agent ran are shared, and nothing else."""

from pathlib import Path

from trueup.act.bytecode import Bytecode, emptied


def kept(tmp_path: Path) -> Bytecode:
    made, bench = tmp_path / "made", tmp_path / "bench"
    for name in ("usr/lib/pytest.pyc", f"{bench.relative_to('/')}/work/calc.pyc"):
        (made / name).parent.mkdir(parents=True)
        (made / name).write_bytes(b"code")
    seed = Bytecode.saved(made, tmp_path / "seed", without=bench)
    assert seed is not None
    return seed


def test_modules_of_the_project_itself_are_not_kept(tmp_path: Path) -> None:
    seed = kept(tmp_path)
    assert [p.name for p in seed.folder.rglob("*.pyc")] == ["pytest.pyc"]


def test_each_check_begins_with_what_was_kept_and_nothing_of_the_one_before(tmp_path: Path) -> None:
    seed, here = kept(tmp_path), tmp_path / "here"
    filled = emptied(here, seed)
    (here / "left.pyc").write_bytes(b"left by a check")
    assert not filled.changed(), "a check may compile more"
    emptied(here, seed)
    assert sorted(p.name for p in here.rglob("*.pyc")) == ["pytest.pyc"]


def test_a_check_that_replaces_a_module_is_noticed(tmp_path: Path) -> None:
    here = tmp_path / "here"
    filled = emptied(here, kept(tmp_path))
    (here / "usr/lib/pytest.pyc").write_bytes(b"evil")
    assert filled.changed()


def test_kept_modules_that_somebody_touched_are_not_used(tmp_path: Path) -> None:
    seed, here = kept(tmp_path), tmp_path / "here"
    (seed.folder / "usr/lib/pytest.pyc").write_bytes(b"evil")
    emptied(here, seed)
    assert list(here.rglob("*.pyc")) == []


def test_nothing_compiled_is_nothing_kept(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    assert Bytecode.saved(tmp_path / "made", tmp_path / "seed", without=tmp_path / "bench") is None
