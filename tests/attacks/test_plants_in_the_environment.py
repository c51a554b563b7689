"""A .pth file is planted in the environment that the checks run in, inside the checkout or outside."""

import importlib.util
import py_compile
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.decide.outcome import Status
from trueup.testing import Driven

PATCH = "import os\nif os.path.exists('check.py') and {when}:\n    os._exit(0)\n"
ALWAYS, THERE = "True", "'done' in open('README.md').read()"


def environment(folder: Path) -> Path:
    """A virtual environment without pip; where its packages are."""
    packages = folder / f"lib/python{sysconfig.get_python_version()}/site-packages"
    packages.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(Path(sys.executable).resolve())
    (folder / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\n")
    return packages


def planter(packages: Path, when: str) -> Callable[[Path, str], None]:
    def plant(workspace: Path, _prompt: str) -> None:
        (packages / "planted.py").write_text(PATCH.format(when=when))
        (packages / "planted.pth").write_text("import planted\n")
        (workspace / "README.md").write_text("done\n")

    return plant


def test_packages_of_the_checkout_that_were_changed_make_no_evidence(
    attack: Callable[..., Driven], project: Path, tmp_path: Path
) -> None:
    """Whoever plants it there changes the checkout: that is not ours to prevent, but nothing is believed."""
    (project / ".gitignore").write_text("env/\n")
    packages = environment(project / "env")
    with pytest.raises(AssertionError, match="the checkout was changed"):
        attack(planter(packages, THERE), check=("env/bin/python", "check.py"), attempts=1)
    assert "unverifiable" in next(tmp_path.glob("calc/.trueup/runs/*/report.html")).read_text()


def test_an_environment_that_makes_the_start_pass_too_makes_no_evidence(
    attack: Callable[..., Driven], tmp_path: Path
) -> None:
    packages = environment(tmp_path / "env")
    check = (f"{tmp_path}/env/bin/python", "check.py")
    result = attack(planter(packages, ALWAYS), check=check, attempts=1)
    assert result.outcome.status is Status.UNVERIFIABLE


def test_a_planted_file_outside_the_checkout_that_knows_its_own_tree_is_seen_through(
    attack: Callable[..., Driven], tmp_path: Path
) -> None:
    packages = environment(tmp_path / "env")
    result = attack(planter(packages, THERE), check=(f"{tmp_path}/env/bin/python", "check.py"), attempts=1)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "`site-packages/planted.pth` was added to" in result.outcome.detail


def test_a_changed_standard_library_is_seen_through(attack: Callable[..., Driven], tmp_path: Path) -> None:
    """The environment's origin: whatever is imported from there is imported by every check."""
    packages = environment(tmp_path / "env")
    own = packages.parent / "helper.py"
    own.write_text("")
    (packages / "uses.pth").write_text(f"import sys; sys.path.insert(0, {str(own.parent)!r}); import helper\n")

    def plant(workspace: Path, _prompt: str) -> None:
        own.write_text(PATCH.format(when=THERE))
        (workspace / "README.md").write_text("done\n")

    result = attack(plant, check=(f"{tmp_path}/env/bin/python", "check.py"), attempts=1)
    assert result.outcome.status is Status.UNVERIFIABLE
    assert "`helper.py` in" in result.outcome.detail


def test_planted_bytecode_is_not_read(attack: Callable[..., Driven], tmp_path: Path) -> None:
    """Compiled modules outside the checkout come and go as anybody uses them, so they must not matter."""
    packages = environment(tmp_path / "env")
    (packages / "helper.py").write_text("")
    (packages / "uses.pth").write_text("import helper\n")
    compiled = Path(importlib.util.cache_from_source(packages / "helper.py"))
    evil = tmp_path / "evil.py"
    evil.write_text(PATCH.format(when=THERE))

    def plant(workspace: Path, _prompt: str) -> None:
        compiled.parent.mkdir(exist_ok=True)
        py_compile.compile(str(evil), str(compiled), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        (workspace / "README.md").write_text("done\n")

    python = f"{tmp_path}/env/bin/python"
    result = attack(plant, check=(python, "check.py"), attempts=1)
    assert result.outcome.status is Status.OUT_OF_BUDGET, "it was neither believed nor held against the agent"
    misled = subprocess.run([python, "check.py"], cwd=result.folder / "workspace/calc", check=False)
    assert misled.returncode == 0, "without our folder for bytecode it would have been read"
