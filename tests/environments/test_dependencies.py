"""The real resolver answers, its explanation is the evidence, and lines from outside do no harm."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from trueup.act.resolving import Uv
from trueup.verify.verifiers import shop as shop_module


def test_a_range_that_no_release_is_in_is_named_with_its_line(gate: Any, installer: str) -> None:
    gate.offer("psycopg", "3.1")
    (failure,) = gate.verify(
        "dependencies", {"requirements.txt": "# db\npsycopg>=2.9,<3\n"}, installer=installer
    ).failures
    assert "No matching distribution found for psycopg<3,>=2.9" in failure.message
    assert (failure.file, failure.line, failure.source_line) == ("requirements.txt", 2, "psycopg>=2.9,<3")
    assert (failure.subject, failure.kind, failure.test) == ("requirements.txt psycopg", "unresolvable", False)


def test_two_that_exclude_each_other_are_named(gate: Any, installer: str) -> None:
    gate.offer("flask", "2.0", requires=("werkzeug>=2",))
    gate.offer("werkzeug", "1.0")
    gate.offer("werkzeug", "2.0")
    (failure,) = gate.verify("dependencies", {"requirements.txt": "flask\nwerkzeug<2\n"}, installer=installer).failures
    assert "flask" in failure.message
    assert "werkzeug" in failure.message


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": "[project]\nname='a'\nversion='1'\ndependencies=['gone']\n"},
        {"pyproject.toml": "[tool.poetry]\nname='a'\n[tool.poetry.dependencies]\ngone='^1'\n"},
        {"pyproject.toml": "[project]\nname='a'\nversion='1'\n[dependency-groups]\ndev=['gone']\n"},
        {"pyproject.toml": "[project]\nname='a'\nversion='1'\n[project.optional-dependencies]\nx=['gone']\n"},
        {"Pipfile": "[packages]\ngone='*'\n"},
        {"setup.cfg": "[metadata]\nname=a\n[options]\ninstall_requires=\n  gone\n"},
        {"backend/requirements.txt": "gone\n"},
        {"requirements.txt": "sober\n", "requirements-dev.txt": "gone\n"},
        {"requirements.txt": "-r deep/base.txt\n", "deep/base.txt": "gone\n"},
    ],
)
def test_it_is_found_in_whatever_manifest_it_stands(gate: Any, files: dict[str, str]) -> None:
    gate.offer("sober")
    (failure,) = gate.verify("dependencies", files).failures
    assert "gone" in failure.message
    assert "gone" in (failure.source_line or "")


def test_a_constraint_is_honoured(gate: Any, installer: str) -> None:
    gate.offer("sober", "2.0")
    files = {"requirements.txt": "sober\n-c limits.txt\n", "limits.txt": "sober<2\n"}
    assert gate.verify("dependencies", files, installer=installer).failures


def test_extras_and_groups_are_asked_about_at_once(gate: Any) -> None:
    gate.offer("sober")
    gate.offer("other")
    text = "[project]\nname='a'\nversion='1'\ndependencies=['sober']\n[project.optional-dependencies]\nx=['other']\n"
    assert gate.verify("dependencies", {"pyproject.toml": text}).passed


def test_nothing_declared_does_not_apply(gate: Any) -> None:
    assert gate.verify("dependencies", {"main.py": "", "requirements.txt": ""}).skipped


def test_what_was_refused_is_asked_again_and_what_was_found_is_not(gate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = Uv.resolve

    def counted(self: Uv, *args: Any, **kwargs: Any) -> Any:
        asked.append("")
        return real(self, *args, **kwargs)

    monkeypatch.setattr(Uv, "resolve", counted)
    files = {"requirements.txt": "sober\n"}
    assert gate.verify("dependencies", files).failures
    gate.offer("sober")
    assert gate.verify("dependencies", files).passed
    before = len(asked)
    assert gate.verify("dependencies", files).passed
    assert len(asked) == before
    monkeypatch.setattr(shop_module, "_FRESH", 0.0)
    assert gate.verify("dependencies", files).passed
    assert len(asked) == before + 1


@pytest.mark.parametrize("url", ["http://u:hunter2@{}:9/simple", "https://u:hunter2@{}:9/simple"])
@pytest.mark.parametrize("host", ["packages.invalid", "127.0.0.1"])
def test_an_index_that_does_not_answer_is_no_failure_of_the_project(
    gate: Any, installer: str, url: str, host: str
) -> None:
    del gate.env["PIP_NO_INDEX"]
    gate.env["PIP_INDEX_URL"] = url.format(host)
    verdict = gate.verify("dependencies", {"requirements.txt": "sober\n"}, installer=installer, seconds=90)
    assert not verdict.failures
    assert "could not answer" in verdict.error
    assert "hunter2" not in str(verdict)
    assert host not in str(verdict)


def test_it_is_back_on_time(gate: Any) -> None:
    began = time.monotonic()
    slow = gate.base / "slow"
    slow.mkdir()
    (slow / "uv").write_text("#!/bin/sh\nsleep 600\n")
    (slow / "uv").chmod(0o755)
    gate.env["PATH"] = f"{slow}:{gate.env['PATH']}"
    verdict = gate.verify("dependencies", {"requirements.txt": "sober\n"}, seconds=2)
    assert "did not finish in time" in verdict.error
    assert time.monotonic() - began < 15


# --- hostile lines -------------------------------------------------------------------------------------------

HOSTILE = [
    "--index-url http://127.0.0.1:9/evil",
    "--extra-index-url http://127.0.0.1:9/evil",
    "-f /etc",
    "-e git+file:///etc#egg=evil",
    "evil @ file:///etc/passwd",
    "-r /etc/passwd",
    "-r ../../../../etc/passwd",
    "--no-binary :all:",
    "--config-settings=--global-option=x",
    "sober --global-option=x",
    "$(touch marker)",
    "; touch marker",
    "`touch marker`",
    "sober==1.0; touch marker",
    "-e ../evil",
    "--require-hashes",
]


@pytest.mark.parametrize("line", HOSTILE)
def test_a_hostile_line_reaches_no_installer(gate: Any, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    real = Uv._run

    def watched(self: Uv, argv: Any, place: Any, **how: Any) -> Any:
        for word in argv:
            if str(word).endswith(".txt"):
                seen.append(Path(word).read_text())
        return real(self, argv, place, **how)

    monkeypatch.setattr(Uv, "_run", watched)
    gate.offer("sober")
    (gate.base / "evil").mkdir()
    (gate.base / "evil/setup.py").write_text(f"open({str(gate.base / 'marker')!r}, 'w')\n")
    verdict = gate.verify("dependencies", {"requirements.txt": f"sober\n{line}\n"})
    assert not (gate.base / "marker").exists()
    assert "crashed" not in verdict.error
    assert set("".join(seen).splitlines()) <= {"sober", "sober==1.0"}


def test_an_index_of_the_trees_own_is_not_asked_and_what_it_may_hold_is_not_judged(gate: Any) -> None:
    verdict = gate.verify("dependencies", {"requirements.txt": "-i http://127.0.0.1:9/x\nonly-there\n"})
    assert not verdict.failures
    assert "another index" in verdict.advice[0].message


def test_code_of_a_package_runs_only_behind_walls(gate: Any, sandbox: None) -> None:
    """A source distribution whose build looks around."""
    import tarfile

    source = gate.base / "evil-1.0"
    source.mkdir()
    gate.env["DEPLOY_TOKEN"] = "hunter2-hunter2"
    (gate.base / "home/.netrc").write_text("hunter2")
    (source / "PKG-INFO").write_text("Metadata-Version: 1.0\nName: evil\nVersion: 1.0\n")
    (source / "pyproject.toml").write_text(
        "[build-system]\nrequires = []\nbuild-backend = 'back'\nbackend-path = ['.']\n"
    )
    (source / "back.py").write_text(
        "import os\n"
        f"seen = os.path.exists({str(gate.base / 'home/.netrc')!r}) or 'hunter2' in str(dict(os.environ))\n"
        f"try:\n    open({str(gate.base / 'marker')!r}, 'w')\n    open({str(gate.cache / 'uv/planted')!r}, 'w')\n"
        "except OSError:\n    pass\n"
        "raise SystemExit(f'looked around: {seen}')\n"
    )
    with tarfile.open(gate.wheels / "evil-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "evil-1.0")
    (failure,) = gate.verify("dependencies", {"requirements.txt": "evil\n"}).failures
    assert failure.kind == "build"
    assert "looked around: False" in failure.message
    assert not (gate.base / "marker").exists()
    assert not (gate.cache / "uv/planted").exists()


def test_without_a_sandbox_nothing_is_built(gate: Any, no_sandbox: None) -> None:
    import tarfile

    source = gate.base / "evil-1.0"
    source.mkdir()
    (source / "setup.py").write_text(f"open({str(gate.base / 'marker')!r}, 'w')\n")
    (source / "PKG-INFO").write_text("Metadata-Version: 1.0\nName: evil\nVersion: 1.0\n")
    with tarfile.open(gate.wheels / "evil-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "evil-1.0")
    verdict = gate.verify("dependencies", {"requirements.txt": "evil\n"})
    assert not (gate.base / "marker").exists()
    assert not verdict.failures
    assert "no sandbox to build it in" in verdict.advice[0].message


@pytest.mark.parametrize(
    "files",
    [
        {"requirements.txt": "tiny @ file:///croot/tiny_1690232220950/work\n"},
        {"pyproject.toml": "[project]\nname='a'\nversion='1'\ndependencies=['tiny @ file:///home/me/tiny']\n"},
    ],
)
def test_a_file_of_another_machine_is_a_failure(gate: Any, files: dict[str, str]) -> None:
    (failure,) = gate.verify("dependencies", files).failures
    assert failure.kind == "outside"
    assert "leads out of the project" in failure.message
