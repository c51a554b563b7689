"""One more hard link to an installed file is no write; whatever else moves its ctime is taken for one."""

from __future__ import annotations

import hashlib
import json
import os
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.act.packages import Packages
from trueup.act.stamps import CLOCK_STEP
from trueup.act.surroundings import Places, Surroundings

CODE = b"ANSWER = 42\n"
SITE = ".venv/lib/python3.11/site-packages"


def digest(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def pause() -> None:
    time.sleep(2 * CLOCK_STEP / 1e9)  # what is older than that is old


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A checkout's environment, as uv installs into it."""
    site = tmp_path / "shop" / SITE
    for name, content in {
        "answers/__init__.py": CODE,
        "answers/unlisted.py": CODE,
        "answers/without_digest.py": CODE,
        "answers/empty_digest.py": CODE,
        "answers/disputed.py": CODE,
        "answers-1.0.dist-info/RECORD": (
            f"answers/__init__.py,sha256={digest(CODE)},{len(CODE)}\n"
            "answers/without_digest.py,,\nanswers-1.0.dist-info/RECORD,,\n\n"
            f"answers/empty_digest.py,sha256=,\nanswers/disputed.py,sha256={digest(CODE)},\n"
            f"answers/disputed.py,sha256={digest(b'other')},\n"
        ).encode(),
    }.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(content)
    pause()
    return site


Same = Callable[[], bool]


def packages(site: Path, *, later: bool) -> Same:
    root = site.parents[3]
    found = Packages.now(root, [".venv"])
    if later:
        found = Packages.from_facts(root, [".venv"], json.loads(json.dumps(found.facts())))
    return found.are_as_they_were


def around(site: Path, *, later: bool) -> Same:
    found = Surroundings.now(Places(programs=(), libraries=(os.fspath(site.parent),)))
    if later:
        found = Surroundings.from_facts(found.places, json.loads(json.dumps(found.facts())))
    return lambda: found.differences() == ()


@pytest.fixture(params=[packages, around])
def look(request: pytest.FixtureRequest, site: Path) -> Callable[[bool], Same]:
    return lambda later: request.param(site, later=later)


def link(path: Path) -> None:
    """As uv does in another project."""
    os.link(path, path.parents[5] / f"elsewhere-{time.time_ns()}")
    pause()


def rewrite(path: Path, content: bytes) -> None:
    """With its times put back; and linked, so that a link would explain the ctime."""
    times = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    link(path)


@pytest.mark.parametrize("later", [False, True])
def test_a_link_to_a_file_of_a_package_is_no_write(look: Callable[[bool], Same], site: Path, later: bool) -> None:
    same = look(later)
    for _ in range(2):
        link(site / "answers/__init__.py")
        assert same()


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize(
    "name",
    [
        "answers/unlisted.py",
        "answers/without_digest.py",
        "answers/empty_digest.py",
        "answers/disputed.py",
        "answers-1.0.dist-info/RECORD",
    ],
)
def test_a_file_of_which_nobody_knows_what_it_held_is_taken_for_written(
    look: Callable[[bool], Same], site: Path, later: bool, name: str
) -> None:
    same = look(later)
    link(site / name)
    assert not same()


@pytest.mark.parametrize("later", [False, True])
def test_another_content_of_the_same_size_and_time_is_a_write(
    look: Callable[[bool], Same], site: Path, later: bool
) -> None:
    same = look(later)
    rewrite(site / "answers/__init__.py", CODE.replace(b"42", b"43"))
    assert not same()


@pytest.mark.parametrize("later", [False, True])
def test_a_list_that_was_rewritten_as_well_is_not_believed(
    look: Callable[[bool], Same], site: Path, later: bool
) -> None:
    same = look(later)
    forged = CODE.replace(b"42", b"43")
    record = site / "answers-1.0.dist-info/RECORD"
    rewrite(record, record.read_bytes().replace(digest(CODE).encode(), digest(forged).encode()))
    rewrite(site / "answers/__init__.py", forged)
    assert not same()


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("how", ["added", "removed", "swapped for a link"])
def test_a_link_hides_nothing_else(look: Callable[[bool], Same], site: Path, later: bool, how: str) -> None:
    same = look(later)
    link(site / "answers/__init__.py")
    match how:
        case "added":
            (site / "evil.pth").write_text("import evil\n")
        case "removed":
            (site / "answers/unlisted.py").unlink()
        case _:
            (site / "answers/unlisted.py").unlink()
            (site / "answers/unlisted.py").symlink_to("__init__.py")
    assert not same()


def test_a_file_that_was_swapped_and_put_back_while_the_checks_ran_is_seen(site: Path) -> None:
    around = Surroundings.now(Places(programs=(), libraries=(os.fspath(site.parent),)))
    link(site / "answers/__init__.py")
    began = time.time_ns()
    assert around.differences(since=began) == ()
    rewrite(site / "answers/__init__.py", CODE.replace(b"42", b"43"))
    rewrite(site / "answers/__init__.py", CODE)
    assert [d.name for d in around.differences(since=began)] == ["site-packages/answers/__init__.py"]


def test_a_run_of_an_older_version_knows_a_digest_only(site: Path) -> None:
    root = site.parents[3]
    kept = Packages.now(root, [".venv"]).digest
    assert Packages.from_facts(root, [".venv"], kept).are_as_they_were()
    link(site / "answers/__init__.py")
    assert not Packages.from_facts(root, [".venv"], kept).are_as_they_were()


def test_where_nothing_was_installed_nothing_can_change(tmp_path: Path) -> None:
    found = Packages.now(tmp_path, [])
    assert found.digest == ""
    assert Packages.from_facts(tmp_path, [], "").are_as_they_were()
