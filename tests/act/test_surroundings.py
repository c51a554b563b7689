"""Programs on the PATH and libraries of interpreters: what was added, replaced or removed since the start is seen."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.act.stamps import CLOCK_STEP
from trueup.act.surroundings import MOST_FILES, Places, Surroundings, tell, watched
from trueup.evidence.report import CheckResult, CheckStatus, Report


def put(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def own(tmp_path: Path) -> Path:
    put(tmp_path / "own/tool")
    return tmp_path / "own"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    put(tmp_path / "lib/python3.11/site-packages/pkg/__init__.py")
    put(tmp_path / "lib/python3.11/os.py")
    return tmp_path / "lib/python3.11"


@pytest.fixture
def around(own: Path, library: Path, tmp_path: Path) -> Surroundings:
    time.sleep(2 * CLOCK_STEP / 1e9)  # what is older than that is old
    return Surroundings.now(Places(programs=(str(own), str(tmp_path / "later")), libraries=(str(library),)))


def told(around: Surroundings) -> list[str]:
    return [difference.tell(lambda path: Path(path).name) for difference in around.differences()]


def in_another_sitting(around: Surroundings) -> Surroundings:
    return Surroundings.from_facts(around.places, json.loads(json.dumps(around.facts())))


def nothing(_own: Path) -> None:
    pass


def add(own: Path) -> None:
    put(own / "pytest")


def replace(own: Path) -> None:
    put(own / "new", "#!/bin/true\n").replace(own / "tool")


def write_in_place_and_set_the_time_back(own: Path) -> None:
    before = (own / "tool").stat()
    (own / "tool").write_text("#!/bin/xx\n")
    os.utime(own / "tool", ns=(before.st_atime_ns, before.st_mtime_ns))


def forbid(own: Path) -> None:
    (own / "tool").chmod(0o644)


def remove(own: Path) -> None:
    (own / "tool").unlink()


CHANGES = [
    (nothing, []),
    (add, ["`pytest` was added to own since the start"]),
    (replace, ["`tool` in own was replaced since the start"]),
    (write_in_place_and_set_the_time_back, ["`tool` in own was replaced since the start"]),
    (forbid, ["`tool` in own was replaced since the start"]),
    (remove, ["`tool` was removed from own since the start"]),
]


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_a_program_that_is_not_as_it_was_is_named(
    change: Callable[[Path], None], said: list[str], around: Surroundings, own: Path
) -> None:
    change(own)
    assert told(around) == said


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_a_later_sitting_sees_the_same_and_tells_names_by_their_times(
    change: Callable[[Path], None], said: list[str], around: Surroundings, own: Path
) -> None:
    change(own)
    later = told(in_another_sitting(around))
    assert bool(later) == bool(said)
    if change is add:
        assert later == said
    if change is remove:
        assert later == ["something was removed from own since the start"]


def test_a_later_sitting_remembers_what_it_has_seen_to_be_right(around: Surroundings, own: Path) -> None:
    later = in_another_sitting(around)
    assert told(later) == []
    remove(own)
    assert told(later) == ["`tool` was removed from own since the start"]


def test_a_folder_that_appears_on_the_path_is_full_of_additions(around: Surroundings, tmp_path: Path) -> None:
    put(tmp_path / "later/pytest")
    assert told(around) == ["`pytest` was added to later since the start"]
    assert told(in_another_sitting(around)) == ["`pytest` was added to later since the start"]


def test_a_path_that_the_user_has_another_day_is_no_change_but_what_is_young_there_is(
    around: Surroundings, tmp_path: Path
) -> None:
    old = put(tmp_path / "other/old")
    time.sleep(2 * CLOCK_STEP / 1e9)
    start = Surroundings.now(around.places)
    elsewhere = Places(programs=(str(old.parent),), libraries=())
    later = Surroundings.from_facts(elsewhere, start.facts())
    assert told(later) == []
    put(old.parent / "young")
    assert told(later) == ["`young` was added to other since the start"]


def test_a_link_whose_target_was_replaced_is_another_program(own: Path, tmp_path: Path) -> None:
    target = put(tmp_path / "store/v1/tool")
    (own / "linked").symlink_to(target)
    around = Surroundings.now(Places(programs=(str(own),), libraries=()))
    target.write_text("#!/bin/false\n")
    assert told(around) == ["`linked` in own was replaced since the start"]


def test_a_link_to_a_folder_of_programs_that_is_led_elsewhere_is_seen(tmp_path: Path) -> None:
    for version in ("v1", "v2"):
        put(tmp_path / version / "tool")
    (tmp_path / "current").symlink_to("v1")
    around = Surroundings.now(Places(programs=(str(tmp_path / "current"),), libraries=()))
    assert told(around) == []
    (tmp_path / "current").unlink()
    (tmp_path / "current").symlink_to("v2")
    assert "current leads to another folder since the start" in told(around)


def test_links_that_lead_nowhere_or_in_a_circle_are_listed_like_the_others(own: Path) -> None:
    (own / "nowhere").symlink_to("gone")
    (own / "circle").symlink_to("circle")
    around = Surroundings.now(Places(programs=(str(own),), libraries=()))
    assert told(around) == []
    put(own / "gone")
    assert told(around) == [
        "`gone` was added to own since the start",
        "`nowhere` in own was replaced since the start",
    ]


def test_agents_that_replace_their_own_program_change_nothing_unless_a_check_runs_them(own: Path) -> None:
    variables = {"PATH": str(own)}
    usual = Surroundings.now(Places.of([("tool",)], variables, root="/"))
    checked = Surroundings.now(Places.of([("/bin/sh", "-c", "x"), ("claude", "--version")], variables, root="/"))
    put(own / "claude")
    assert told(usual) == []
    assert told(checked) == ["`claude` was added to own since the start"]


def test_folders_that_are_no_programs_do_not_count(around: Surroundings, own: Path) -> None:
    (own / "folder").mkdir()
    assert told(around) == []


def test_pyenv_goes_by_a_file_beside_its_programs(tmp_path: Path) -> None:
    put(tmp_path / "pyenv/shims/python")
    version = put(tmp_path / "pyenv/version", "3.11.7\n")
    around = Surroundings.now(Places(programs=(str(tmp_path / "pyenv/shims"),), libraries=()))
    version.write_text("3.12.0\n")
    assert told(around) == ["`../version` in shims was replaced since the start"]


def test_a_planted_file_of_a_library_is_named_and_bytecode_is_not_looked_at(
    around: Surroundings, library: Path
) -> None:
    put(library / "__pycache__/os.cpython-311.pyc")
    put(library / "site-packages/pkg/__pycache__/__init__.cpython-311.pyc")
    assert told(around) == []
    put(library / "site-packages/evil.pth")
    put(library / "os.py", "import evil\n")
    put(library / "site-packages/pkg/old.pyc")
    assert told(around) == [
        "`os.py` in python3.11 was replaced since the start",
        "`site-packages/evil.pth` was added to python3.11 since the start",
        "`site-packages/pkg/old.pyc` was added to python3.11 since the start",
    ]


def test_a_folder_with_a_whole_world_in_it_is_looked_at_one_level_deep(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_FILES > 10_000
    monkeypatch.setattr("trueup.act.surroundings.MOST_FILES", 1)
    around = Surroundings.now(Places(programs=(), libraries=(str(library),)))
    put(library / "site-packages/pkg/deep.py")
    assert told(around) == []
    put(library / "sitecustomize.py")
    assert told(around) == ["`sitecustomize.py` was added to python3.11 since the start"]


def test_what_came_and_went_while_the_checks_ran_is_seen(around: Surroundings, own: Path, library: Path) -> None:
    glance = around.glance()
    assert around.differences(glance) == ()
    put(own / "pytest").unlink()
    put(library / "site-packages/evil.pth").unlink()
    assert told(around) == []
    said = [difference.tell(str) for difference in around.differences(glance)]
    assert said == [
        f"something came to {place} and was gone again while the checks ran"
        for place in (own, library / "site-packages")
    ]


def test_what_checks_rewrite_by_themselves_is_no_difference(around: Surroundings, own: Path) -> None:
    glance = around.glance()
    replace(own)
    assert around.differences(glance, known={str(own / "tool")}) == ()


def report() -> Report:
    return Report(tree="t", results=(CheckResult(check="tests", status=CheckStatus.PASSED, exit_code=0),))


def test_a_report_is_void_with_what_was_found_and_what_to_do(around: Surroundings, own: Path) -> None:
    judged = watched(around, set, home=str(own.parent))
    assert judged(report()) == report()
    add(own)
    voided = judged(report())
    assert voided.void == (
        "`pytest` was added to ~/own since the start; the checks may have used it: "
        "remove it and `trueup resume`, or start again with --sandbox"
    )
    assert voided.rewritten == (str(own / "pytest"),)
    assert watched(around, lambda: {str(own / "pytest")})(report()) == report()
    assert watched(None, set)(report()) == report()


def test_many_differences_are_counted_and_a_replaced_program_needs_a_new_run(around: Surroundings, own: Path) -> None:
    replace(own)
    for number in range(4):
        put(own / f"x{number}")
    said = tell(around.differences())
    assert ", and 2 more; " in said
    assert "start a new run" in said
    assert tell(()) == ""


def test_places_leave_out_what_is_sealed_and_what_comes_from_the_tree(tmp_path: Path, own: Path) -> None:
    root = tmp_path / "project"
    for folder in (".venv/bin", "src", "tools"):
        (root / folder).mkdir(parents=True)
    shared = tmp_path / "shared"
    put(shared / "module.py")
    path = os.pathsep.join(map(str, (root / ".venv/bin", root / "tools", own, own)))
    search = os.pathsep.join((str(root / "src"), str(shared), str(shared), "relative", ""))
    places = Places.of(
        [("tool",)], {"PATH": f"{path}:.:", "PYTHONPATH": search}, root=str(root), sealed=[str(root / ".venv")]
    )
    assert places.programs == (str(root / "tools"), str(own))
    assert places.libraries == (str(shared),)


def test_looking_costs_a_small_multiple_of_what_the_kernel_takes(tmp_path: Path) -> None:
    names = [f"{tmp_path}/p{number}" for number in range(300)]
    for name in names:
        Path(name).touch()
    around = Surroundings.now(Places(programs=(str(tmp_path),), libraries=()))

    def cpu(work: Callable[[], object]) -> float:
        began = time.process_time()
        for _ in range(10):
            work()
        return time.process_time() - began

    rounds = [cpu(around.differences) / cpu(lambda: [os.lstat(name) for name in names]) for _ in range(5)]
    assert min(rounds) < 5


def test_a_folder_that_was_removed_altogether_is_seen(around: Surroundings, own: Path) -> None:
    shutil.rmtree(own)
    assert told(around) == ["`tool` was removed from own since the start"]
