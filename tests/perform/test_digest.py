"""An answer is remembered for the same verifiers: another release of a plug-in may say otherwise."""

from __future__ import annotations

import os
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path

import pytest

from trueup.perform import digest
from trueup.verify.verifiers import GROUP


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plug-in as it is installed: a package, and its metadata."""
    (tmp_path / "own_gate_plugin").mkdir()
    (tmp_path / "own_gate_plugin/__init__.py").write_text("raise RuntimeError('nobody imports it for that')\n")
    (tmp_path / "own_gate_plugin/inner.py").write_text("class Shebangs: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def stamp(site: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> str:
    info = site / "own_gate_plugin.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: own-gate-plugin\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nshebangs = own_gate_plugin.inner:Shebangs\n")
    points: dict[str, EntryPoint] = {one.name: one for one in Distribution.at(info).entry_points}
    monkeypatch.setattr(digest, "found", lambda _: points)
    return digest.brought_by_plugin("shebangs")


def test_another_release_is_another_verifier(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = stamp(site, "1.0", monkeypatch)
    assert "own-gate-plugin 1.0" in first
    assert stamp(site, "1.0", monkeypatch) == first
    assert stamp(site, "1.1", monkeypatch) != first


def test_so_is_another_file_of_the_same_release(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = stamp(site, "1.0", monkeypatch)
    (site / "own_gate_plugin/inner.py").write_text("class Shebangs: changed = True\n")
    os.utime(site / "own_gate_plugin/inner.py", (1, 1))
    assert stamp(site, "1.0", monkeypatch) != first


def test_one_that_is_gone_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest, "found", lambda _: {})
    assert digest.brought_by_plugin("shebangs") == "shebangs missing"
