"""Plug-ins come through entry points of real, installed distributions."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueup.errors import UsageError
from trueup.plugins import found, load, load_one

GROUP = "trueup.test_plugins"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution on the path with one sound and one broken entry point."""
    (tmp_path / "plug_in_sound.py").write_text("def make():\n    return 'sound'\n")
    (tmp_path / "plug_in_broken.py").write_text("raise ImportError('needs a newer thing')\n")
    metadata = tmp_path / "plug_in-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plug-in\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[{GROUP}]\nsound = plug_in_sound:make\nbroken = plug_in_broken:make\nlen = plug_in_sound:make\n"
        f"[{GROUP}.good]\nsound = plug_in_sound:make\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("installed")
def test_everything_installed_is_loaded_by_name() -> None:
    loaded = load(f"{GROUP}.good")
    assert list(loaded) == ["sound"]
    assert callable(loaded["sound"])


@pytest.mark.usefixtures("installed")
def test_a_broken_plug_in_is_an_error_that_names_it() -> None:
    with pytest.raises(UsageError, match=r"'broken'[\s\S]*needs a newer thing"):
        load(GROUP)


@pytest.mark.usefixtures("installed")
def test_a_broken_plug_in_harms_only_those_who_ask_for_it() -> None:
    assert callable(load_one(GROUP, "sound"))
    with pytest.raises(UsageError, match="'broken'"):
        load_one(GROUP, "broken")


@pytest.mark.usefixtures("installed")
def test_a_plug_in_cannot_take_a_built_in_name() -> None:
    assert load_one(GROUP, "len", {"len": "builtins:len"}) is len
    assert set(found(GROUP, {"len": "builtins:len"})) == {"sound", "broken", "len"}


def test_an_unknown_name_lists_what_is_known() -> None:
    with pytest.raises(UsageError, match=r"Known are: command[\s\S]*Did you mean 'command'"):
        load_one("trueup.nothing", "commnd", {"command": "builtins:len"})


def test_nothing_installed_is_nothing() -> None:
    assert load("trueup.nothing_at_all") == {}
