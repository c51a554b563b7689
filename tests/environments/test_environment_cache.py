"""Environments come from a cache by content, and nobody that runs there can change what others get."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from trueup.act import environments
from trueup.act.environments import is_intact
from trueup.act.removal import remove

MAIN = {"main.py": "import sober\n"}


def test_a_version_that_does_not_exist_fails_cold_and_warm(gate: Any, installer: str) -> None:
    gate.offer("idna", "3.7")
    broken = {"requirements.txt": "idna==999.0\n", "main.py": "import idna\n"}
    fixed = {"requirements.txt": "idna==3.7\n", "main.py": "import idna\n"}
    assert "999.0" in gate.verify("dependencies", broken, installer=installer).failures[0].message
    assert gate.verify("dependencies", fixed, installer=installer).passed
    assert gate.verify("smoke", fixed, installer=installer).passed
    assert "999.0" in gate.verify("dependencies", broken, installer=installer).failures[0].message
    assert "idna==999.0" in gate.verify("smoke", broken, installer=installer).error.replace(" ", "")


def test_the_same_set_is_installed_once(gate: Any, installer: str) -> None:
    gate.offer("sober")
    first = gate.environment({"requirements.txt": "sober\n"}, installer=installer)
    second = gate.environment({"requirements.txt": "# again\nsober\n", "other.py": ""}, installer=installer)
    assert (first.reused, second.reused) == (False, True)
    assert first.folder == second.folder
    assert gate.run_in(second, "import sober; print(sober.VERSION)") == "1.0"


def test_another_version_another_index_and_another_constraint_are_other_environments(gate: Any) -> None:
    gate.offer("sober", "1.0")
    gate.offer("sober", "2.0")
    newest = gate.environment({"requirements.txt": "sober\n"})
    older = gate.environment({"requirements.txt": "sober<2\n"})
    limited = gate.environment({"requirements.txt": "sober\n-c limits.txt\n", "limits.txt": "sober<2\n"})
    assert gate.run_in(newest, "import sober; print(sober.VERSION)") == "2.0"
    assert gate.run_in(older, "import sober; print(sober.VERSION)") == "1.0"
    assert limited.pins == ("sober==1.0",)
    elsewhere = gate.base / "elsewhere"
    elsewhere.mkdir()
    os.link(gate.wheels / "sober-1.0-py3-none-any.whl", elsewhere / "sober-1.0-py3-none-any.whl")
    gate.env["PIP_FIND_LINKS"] = str(elsewhere)
    other = gate.environment({"requirements.txt": "sober<2\n"})
    assert other.pins == older.pins
    assert other.folder != older.folder


def test_a_marker_decides_what_is_installed(gate: Any) -> None:
    gate.offer("sober")
    made = gate.environment({"requirements.txt": 'sober; python_version < "3"\n'})
    assert made.pins == ()
    assert gate.run_in(made, "import importlib.util as u; print(u.find_spec('sober'))") == "None"


@pytest.mark.parametrize(
    "files",
    [
        {"requirements.txt": ""},
        {"requirements.txt": "# nothing yet\n\n"},
        {"requirements.txt": "-r base.txt\n", "base.txt": "sober\n"},
        {"requirements.txt": "-r deep/base.txt", "deep/base.txt": "-r more.txt\n", "deep/more.txt": "sober==1.0\n"},
    ],
)
def test_requirements_that_are_empty_or_elsewhere_work(gate: Any, installer: str, files: dict[str, str]) -> None:
    gate.offer("sober")
    needs = "sober" in "".join(files.values())
    tree = {**files, "main.py": "import sober\n" if needs else "import json\n"}
    verdict = gate.verify("dependencies", tree, installer=installer)
    assert not verdict.failures
    assert not verdict.error
    assert gate.verify("smoke", tree, installer=installer).passed


# --- poisoning -----------------------------------------------------------------------------------------------

POISON = """
    import os, sys
    import sober

    place = sober.__file__
    for act in (
        lambda: os.chmod(place, 0o777),
        lambda: os.chmod(os.path.dirname(place), 0o777),
        lambda: open(place, "a").write("\\nPOISONED = True\\n"),
        lambda: open(os.path.join(os.path.dirname(place), "evil.pth"), "w").write("import evil"),
        lambda: os.unlink(place),
        lambda: os.rename(os.path.dirname(place), "/tmp/gone"),
    ):
        try:
            act()
        except OSError:
            pass
"""


def test_code_of_one_workspace_cannot_reach_the_environment_of_another(gate: Any, sandbox: None) -> None:
    gate.offer("sober")
    victim = {"requirements.txt": "sober\n", "main.py": "import sober\nassert not hasattr(sober, 'POISONED')\n"}
    made = gate.environment(victim)
    content = (made.site / "sober.py").read_bytes()
    gate.verify("smoke", {"requirements.txt": "sober\n", "attacker.py": POISON})
    assert (made.site / "sober.py").read_bytes() == content
    assert is_intact(made.folder)
    assert gate.verify("smoke", victim).passed


def test_the_cache_itself_is_not_to_be_seen_from_inside(gate: Any, sandbox: None) -> None:
    gate.offer("sober")
    spy = f"import os\nimport sober\nassert not os.path.exists({str(gate.cache / 'uv')!r})\n"
    spy += f"assert os.listdir({str(gate.cache)!r}) == ['environments']\n"
    spy += f"assert len(os.listdir({str(gate.cache / 'environments')!r})) == 1\n"
    gate.environment({"requirements.txt": ""})
    assert gate.verify("smoke", {"requirements.txt": "sober\n", "spy.py": spy}).passed


def test_without_a_sandbox_a_write_to_the_environment_is_seen_and_thrown_away(gate: Any, no_sandbox: None) -> None:
    gate.offer("sober")
    verdict = gate.verify("smoke", {"requirements.txt": "sober\n", "attacker.py": POISON})
    assert "tampered" in [f.kind for f in verdict.failures]  # its owner may give himself the right to write
    victim = {"requirements.txt": "sober\n", "main.py": "import sober\nassert not hasattr(sober, 'POISONED')\n"}
    assert gate.verify("smoke", victim).passed


def test_without_a_sandbox_nothing_is_shared_with_the_installers_cache(gate: Any, no_sandbox: None) -> None:
    gate.offer("sober")
    made = gate.environment({"requirements.txt": "sober\n"})
    assert (made.site / "sober.py").stat().st_nlink == 1


def _poison(path: Path) -> None:
    before = path.stat()
    path.parent.chmod(0o755)
    path.chmod(0o644)
    path.write_text("VERSION = '6.6'\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    path.chmod(before.st_mode)


def test_what_somebody_changed_is_not_used_even_if_it_looks_the_same(gate: Any) -> None:
    """Same length, same times but the one that nobody can set."""
    gate.offer("sober", "1.0")
    made = gate.environment({"requirements.txt": "sober\n"}, ("sober",))
    _poison(made.site / "sober.py")
    again = gate.environment({"requirements.txt": "sober\n"}, ("sober",))
    assert again.folder == made.folder
    assert not again.reused
    assert gate.run_in(again, "import sober; print(sober.VERSION)") == "1.0"


@pytest.mark.parametrize("name", ["planted.pth", "sitecustomize.py", "__pycache__/sober.cpython-399.pyc"])
def test_what_somebody_added_is_not_used(gate: Any, name: str) -> None:
    gate.offer("sober")
    made = gate.environment({"requirements.txt": "sober\n"})
    made.site.chmod(0o755)
    (made.site / name).parent.mkdir(exist_ok=True)
    (made.site / name).write_text("import os")
    again = gate.environment({"requirements.txt": "sober\n"})
    assert not again.reused
    assert not (again.site / name).exists()


def test_a_link_that_leads_elsewhere_is_seen(gate: Any) -> None:
    made = gate.environment({"requirements.txt": ""})
    (made.folder / "bin").chmod(0o755)
    Path(made.python).unlink()
    Path(made.python).symlink_to("/bin/true")
    assert not is_intact(made.folder)


def test_a_forged_note_about_a_resolution_is_not_believed(gate: Any) -> None:
    gate.offer("sober")
    gate.environment({"requirements.txt": "sober\n"})
    (note,) = (gate.cache / "resolved").iterdir()
    note.write_text(note.read_text().replace("sober==1.0", "-e /etc"))
    assert gate.environment({"requirements.txt": "sober\n"}).pins == ("sober==1.0",)


def test_files_are_read_only_and_compiled_for_what_is_imported(gate: Any) -> None:
    gate.offer("sober", sober="import helper\n", helper="def later():\n    import unused\n", unused="")
    made = gate.environment({"requirements.txt": "sober\n"}, ("sober",))
    assert (made.site / "sober.py").stat().st_mode & 0o222 == 0
    compiled = {path.name.partition(".")[0] for path in made.site.glob("__pycache__/*.pyc")}
    assert compiled == {"sober", "helper"}


def test_an_environment_that_was_linked_to_by_another_one_stays_good(gate: Any) -> None:
    gate.offer("sober")
    gate.offer("other")
    first = gate.environment({"requirements.txt": "sober\n"}, ("sober",))
    gate.environment({"requirements.txt": "sober\nother\n"}, ("sober",))
    assert gate.environment({"requirements.txt": "sober\n"}, ("sober",)).reused
    assert is_intact(first.folder)


def test_the_one_that_nobody_used_for_long_makes_room(gate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "KEPT", 1)
    gate.offer("sober")
    old = gate.environment({"requirements.txt": ""})
    past = time.time() - 100_000
    os.utime(old.folder.with_name(f"{old.folder.name}.seal"), (past, past))
    new = gate.environment({"requirements.txt": "sober\n"})
    assert not old.folder.exists()
    assert new.folder.exists()


def test_an_installation_that_fails_leaves_nothing(gate: Any, installer: str) -> None:
    gate.offer("sober")
    tree = gate.tree({"requirements.txt": "sober\n"})
    shop = gate.shop(tree, installer=installer)
    remove(gate.wheels)
    gate.wheels.mkdir()
    from trueup.act.environments import environment
    from trueup.act.refusals import Refused

    assert isinstance(environment(("sober==1.0",), shop.installer, shop.place, builds=False), Refused)
    assert list((gate.cache / "environments").iterdir()) == []
