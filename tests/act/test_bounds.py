"""More than anybody could read is not stored, and nothing of it is lost."""

from pathlib import Path

import pytest

from trueup.act.bounds import Bounds
from trueup.act.files import FileRules
from trueup.act.store import Store
from trueup.errors import UnverifiableError


def test_what_changed_since_the_last_look_is_bounded_in_number_and_size(tmp_path: Path) -> None:
    folder, store, index = tmp_path / "work", Store(tmp_path / "store.git"), tmp_path / "index"
    folder.mkdir()
    (folder / "old").write_bytes(b"x" * 1000)
    rules, bounds = FileRules.of(folder), Bounds(files=2, size=100)
    store.write(store.snapshot(folder, rules, index=index).tree, folder, index=index)
    (folder / "one").write_text("1")
    (folder / "two").write_text("2")
    assert "two" in store.entries(store.snapshot(folder, rules, index=index, bounds=bounds).tree)
    (folder / "large").write_bytes(b"x" * 101)
    with pytest.raises(UnverifiableError, match="most of it in large"):
        store.snapshot(folder, rules, index=index, bounds=Bounds(files=9, size=100))
    with pytest.raises(UnverifiableError, match="new or changed files"):
        store.snapshot(folder, rules, index=index, bounds=Bounds(files=0))
    assert (folder / "large").exists()


def test_what_nobody_has_seen_before_is_stored_whatever_it_is(tmp_path: Path) -> None:
    """The user's own files, at the start of a run."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "mine").write_bytes(b"x" * 1000)
    store = Store(tmp_path / "store.git")
    taken = store.snapshot(folder, FileRules.of(folder), index=tmp_path / "index", bounds=Bounds(files=0, size=0))
    assert "mine" in store.entries(taken.tree)
