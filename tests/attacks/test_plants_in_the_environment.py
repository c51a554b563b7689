"""A .pth file is planted in the environment that the checks run in, inside the checkout or outside."""

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


@pytest.mark.xfail(strict=True, reason="only environments inside the checkout are sealed")
def test_a_planted_file_outside_the_checkout_that_knows_its_own_tree_is_seen_through(
    attack: Callable[..., Driven], tmp_path: Path
) -> None:
    packages = environment(tmp_path / "env")
    attack(planter(packages, THERE), check=(f"{tmp_path}/env/bin/python", "check.py"), attempts=1)
