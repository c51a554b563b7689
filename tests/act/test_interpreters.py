"""Which libraries are behind a command: its interpreter's, an environment's origin's, those behind a shim."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueup.act.interpreters import Libraries, libraries_behind, pythons_behind

VERSION = "lib/python3.11"


def interpreter(prefix: Path) -> Path:
    """Something that looks like an installed Python."""
    (prefix / VERSION / "site-packages").mkdir(parents=True)
    return script(prefix / "bin/python3", "\x7fELF")


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def environment(folder: Path, origin: Path, *, system: bool = False) -> Path:
    (folder / VERSION / "site-packages").mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(origin)
    words = str(system).lower()
    (folder / "pyvenv.cfg").write_text(f"home = {origin.parent}\ninclude-system-site-packages = {words}\n")
    return folder / "bin/python"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return interpreter(tmp_path / "usr")


def behind(*command: str, path: Path, root: Path | str = "/") -> Libraries:
    return libraries_behind([command], [str(path)], root=str(root))


def test_an_interpreter_has_its_own_library(system: Path, tmp_path: Path) -> None:
    found = behind(str(system), "-m", "pytest", path=tmp_path)
    assert found == Libraries(folders=(str(tmp_path / "usr" / VERSION),), unused=frozenset())


def test_an_environment_takes_only_the_standard_library_from_its_origin(system: Path, tmp_path: Path) -> None:
    found = behind(str(environment(tmp_path / "env", system)), path=tmp_path)
    assert found.folders == (str(tmp_path / "env" / VERSION), str(tmp_path / "usr" / VERSION))
    assert str(tmp_path / "usr" / VERSION / "site-packages") in found.unused
    assert not any(place.startswith(str(tmp_path / "env")) for place in found.unused)


def test_an_environment_that_sees_the_systems_packages_uses_them(system: Path, tmp_path: Path) -> None:
    found = behind(str(environment(tmp_path / "env", system, system=True)), path=tmp_path)
    assert found.folders == (str(tmp_path / "env" / VERSION), str(tmp_path / "usr" / VERSION))
    assert found.unused == frozenset()


@pytest.mark.parametrize(
    "first", ["#!{python}", "#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''", "#! {python} -sP"]
)
def test_a_script_leads_to_its_interpreter_also_through_links(first: str, system: Path, tmp_path: Path) -> None:
    python = environment(tmp_path / "env", system)
    real = script(tmp_path / "env/bin/pytest", f"{first.format(python=python)}\nimport sys\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/pytest").symlink_to(real)
    found = behind("pytest", "-q", path=tmp_path / "bin")
    assert str(tmp_path / "env" / VERSION) in found.folders


def test_a_shell_or_make_may_start_whatever_python_is_on_the_path(system: Path, tmp_path: Path) -> None:
    library = str(tmp_path / "usr" / VERSION)
    script(system.parent / "make", "\x7fELF")
    assert behind("/bin/sh", "-c", "cd x && ./run", path=system.parent).folders == (library,)
    assert behind("make", "test", path=system.parent).folders == (library,)
    script(system.parent / "runner", "#!/usr/bin/env python3\n")
    assert behind("/bin/sh", "-c", "runner | tee log", path=system.parent).folders == (library,)


def test_a_relative_program_is_one_of_the_project(system: Path, tmp_path: Path) -> None:
    environment(tmp_path / "project/env", system)
    found = behind("env/bin/python", "check.py", path=tmp_path, root=tmp_path / "project")
    assert str(tmp_path / "project/env" / VERSION) in found.folders


def test_behind_pyenv_is_the_version_that_the_project_or_pyenv_names(tmp_path: Path) -> None:
    home = tmp_path / "pyenv"
    script(home / "shims/python", "#!/usr/bin/env bash\nexec pyenv exec python\n")
    for version in ("3.10.1", "3.11.7", "3.12.0"):
        script(interpreter(home / "versions" / version).with_name("python"), "\x7fELF")
    (home / "version").write_text("3.11.7\n")
    (tmp_path / "project").mkdir()
    (tmp_path / "project/.python-version").write_text("3.12.0\n")
    found = behind("python", "check.py", path=home / "shims", root=tmp_path / "project")
    assert found.folders == tuple(str(home / "versions" / v / VERSION) for v in ("3.11.7", "3.12.0"))


def test_nothing_is_behind_a_command_without_any_python(tmp_path: Path) -> None:
    script(tmp_path / "bin/go", "\x7fELF")
    assert behind("go", "test", path=tmp_path / "bin") == Libraries(folders=(), unused=frozenset())


def test_scripts_that_name_each_other_are_followed_once(tmp_path: Path) -> None:
    one, two = tmp_path / "bin/python-one", tmp_path / "bin/python-two"
    script(one, f"#!{two}\n")
    script(two, f"#!{one}\n")
    assert behind("python-one", path=tmp_path / "bin").folders == ()


def test_the_interpreters_of_commands_are_named_or_written_in_the_first_line(tmp_path: Path, system: Path) -> None:
    own = environment(tmp_path / "venv", system)
    tool = script(tmp_path / "venv/bin/tool", f"#!{own}\n")
    path, root = [str(tmp_path / "venv/bin"), str(system.parent)], str(tmp_path)
    assert pythons_behind([(str(system), "-m", "pytest"), ("tool",)], path, root=root) == (str(system), str(own))
    assert pythons_behind([("make", "check")], path, root=root) == (str(own), str(system))
    assert pythons_behind([(str(tool),)], [], root=root) == (str(own),)
    assert pythons_behind([("make", "check")], [], root=root) == ()
