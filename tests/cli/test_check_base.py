"""`trueup check --base REV`: the base decides how to check, and only what is new counts."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from trueup.testing import commit_all, python_project, write_files

LINES = """\
import pathlib, sys
bad = [f"{p}:{n}:1: E1 {text}" for p in sorted(pathlib.Path("src").glob("*.txt"))
       for n, text in enumerate(p.read_text().splitlines(), 1) if "bad" in text]
print("\\n".join(bad))
sys.exit(bool(bad))
"""
CONFIG = f"""\
[[check]]
name = "lint"
run = ["{sys.executable}", "-S", "lint.py"]
"""
PYTEST = f"{sys.executable} -m pytest -q"
TESTED = {
    "product.py": "CASES = [1, 2]\n\ndef double(x):\n    return 2 * x\n",
    "tests/test_double.py": (
        "import pytest, product\n\n"
        "@pytest.mark.parametrize('x', product.CASES)\n"
        "def test_double(x):\n    assert product.double(x) == x + x\n"
    ),
}


@pytest.fixture
def repository(empty: Any, tmp_path: Path) -> Callable[[Mapping[str, str]], Any]:
    """A project with a committed base, called `main`, and a checkout on a branch of its own."""

    def make(files: Mapping[str, str]) -> Any:
        project = python_project(tmp_path / "project", files=files)
        return type(empty)(project=project, environ=empty.environ)

    return make


@pytest.fixture
def linted(repository: Any) -> Any:
    """One known failure."""
    return repository({"trueup.toml": CONFIG, "lint.py": LINES, "src/a.txt": "good\nbad one\n"})


def test_what_fails_on_the_base_as_well_does_not_count(linted: Any, cli: Any) -> None:
    write_files(linted.project, {"src/a.txt": "good\ngood\ngood\nbad one\n"})
    said = cli(linted, "check", "--base", "main")
    assert said.code == 0
    assert "checking main first" in said.err
    assert "known  " in said.out
    assert "nothing new against main" in said.out
    again = cli(linted, "check", "--base", "main")
    assert again.code == 0
    assert "checking" not in again.err
    assert "unchanged since 20" in again.out


def test_one_more_failure_counts_whether_it_is_committed_or_not(linted: Any, cli: Any) -> None:
    write_files(linted.project, {"src/a.txt": "bad one\nbad two\n", "src/b.txt": "bad\n"})
    said = cli(linted, "check", "--base", "main", "--json")
    assert said.code == 1
    about = said.json["base"]
    assert (len(about["new"]), len(about["known"]), about["nothing_new"]) == (2, 1, False)
    assert said.json["passed"] is False
    commit_all(linted.project, "on main itself")
    shown = cli(linted, "check", "--base", "HEAD~1").out
    assert "2 new failures against HEAD~1" in shown
    assert shown.index("new  ") < shown.index("known  ")


def test_the_same_place_failing_in_another_way_is_listed_as_changed_and_does_not_count(linted: Any, cli: Any) -> None:
    write_files(linted.project, {"src/a.txt": "good\nbad in another way\n"})
    said = cli(linted, "check", "--base", "main", "--json")
    assert said.code == 0
    assert [len(said.json["base"][word]) for word in ("new", "changed", "known")] == [0, 1, 0]


def test_a_tool_that_fails_in_words_that_nobody_knows_counts_beside_an_old_failure(repository: Any, cli: Any) -> None:
    files = {
        "tests/test_old.py": "def test_old():\n    assert False\n",
        "policy.sh": "test ! -e banned.txt || { echo 'that will not do'; exit 1; }\n",
    }
    project = repository(files)
    write_files(project.project, {"banned.txt": "\n"})
    said = cli(project, "check", "--base", "main", "--json", "--check", f"{PYTEST}; sh policy.sh")
    assert said.code == 1
    assert [f["message"] for f in said.json["base"]["new"]] == ["exit code 1, and 0 with the same failures before"]


@pytest.mark.parametrize("end", ["raise KeyboardInterrupt", "__import__('pytest').exit('enough')"])
def test_a_test_whose_turn_never_came_counts_beside_an_old_failure(repository: Any, cli: Any, end: str) -> None:
    files = {
        "product.py": "def double(x):\n    return 2 * x\n",
        "tests/test_a.py": "def test_old():\n    assert False\n",
        "tests/test_b.py": "import product\n\ndef test_b():\n    assert product.double(1) == 2\n\ndef test_c(): pass\n",
    }
    project = repository(files)
    write_files(project.project, {"product.py": f"def double(x):\n    {end}\n"})
    said = cli(project, "check", "--base", "main", "--json", "--check", PYTEST)
    assert said.code == 1
    assert said.json["base"]["vanished"] == ["pytest tests/test_b.py::test_b", "pytest tests/test_b.py::test_c"]


def test_what_was_repaired_is_said(linted: Any, cli: Any) -> None:
    write_files(linted.project, {"src/a.txt": "good\n"})
    said = cli(linted, "check", "--base", "main")
    assert said.code == 0
    assert "fixed since main: " in said.out


def test_settings_and_check_scripts_come_from_the_base_and_what_was_put_back_is_said(linted: Any, cli: Any) -> None:
    write_files(
        linted.project,
        {"trueup.toml": '[[check]]\nname = "lint"\nrun = "true"\n', "lint.py": "", "src/b.txt": "bad\n"},
    )
    commit_all(linted.project, "everything is fine now")
    said = cli(linted, "check", "--base", "HEAD~1")
    assert said.code == 1
    assert "1 new failure against HEAD~1" in said.out
    assert "trueup.toml was checked as it is in HEAD~1" in said.out
    assert "lint.py was checked as it is in HEAD~1" in said.out
    assert cli(linted, "check").code == 0


def test_settings_in_pyproject_come_from_the_base(repository: Any, cli: Any) -> None:
    ours = '[project]\nname = "x"\n[[tool.trueup.check]]\nname = "lint"\nrun = "{}"\n'
    place = repository({"pyproject.toml": ours.format("false"), "a.txt": "a\n"})
    write_files(place.project, {"pyproject.toml": ours.format("true")})
    said = cli(place, "check", "--base", "main", "--json")
    assert said.code == 0  # known, not gone
    assert len(said.json["base"]["known"]) == 1


def test_a_deleted_or_weakened_test_is_judged_as_the_base_has_it(repository: Any, cli: Any) -> None:
    place = repository({**TESTED, "tests/test_more.py": "import product\n\ndef test_it():\n    assert product.CASES\n"})
    (place.project / "tests/test_more.py").unlink()
    write_files(
        place.project,
        {
            "tests/test_double.py": "def test_nothing():\n    pass\n",
            "tests/conftest.py": "collect_ignore_glob = ['*']\n",
            "product.py": "CASES = [1, 2]\n\ndef double(x):\n    return 0\n",
        },
    )
    said = cli(place, "check", "--base", "main", "--check", PYTEST, "--json")
    assert said.code == 1
    about = said.json["base"]
    assert [new["key"].rpartition("::")[2] for new in about["new"]] == ["test_double[1]", "test_double[2]"]
    assert {item["path"] for item in about["put_back"]} == {
        "tests/conftest.py", "tests/test_double.py", "tests/test_more.py",
    }  # fmt: skip
    assert about["vanished"] == []


def test_a_test_that_vanishes_counts_as_new(repository: Any, cli: Any) -> None:
    place = repository(TESTED)
    write_files(place.project, {"product.py": TESTED["product.py"].replace("[1, 2]", "[1]")})
    said = cli(place, "check", "--base", "main", "--check", PYTEST)
    assert said.code == 1
    assert "1 test of main does not run here: test_double[2]" in said.out
    assert "1 test gone against main" in said.out
    told = cli(place, "check", "--base", "main", "--check", PYTEST, "--format", "junit")
    assert told.code == 1
    assert [
        case.get("name") for case in ET.fromstring(told.raw).iter("testcase") if case.find("error") is not None
    ] == ["test_double[2]"]


def test_a_new_test_that_fails_is_a_new_failure_and_one_that_passes_is_none(repository: Any, cli: Any) -> None:
    place = repository(TESTED)
    write_files(place.project, {"tests/test_new.py": "def test_new():\n    assert True\n"})
    assert cli(place, "check", "--base", "main", "--check", PYTEST).code == 0
    write_files(place.project, {"tests/test_new.py": "def test_new():\n    assert 1 == 2\n"})
    said = cli(place, "check", "--base", "main", "--check", PYTEST)
    assert said.code == 1
    assert "1 new failure against main" in said.out
    assert "test_new.py::test_new" in said.out


def test_a_failure_in_an_early_check_does_not_hide_a_new_one_in_a_later_check(repository: Any, cli: Any) -> None:
    after = f'[[check]]\nname = "first"\nrun = "false"\n{CONFIG}after = ["first"]\n'
    place = repository({"trueup.toml": after, "lint.py": LINES, "src/a.txt": "good\n"})
    write_files(place.project, {"src/a.txt": "bad\n"})
    said = cli(place, "check", "--base", "main")
    assert said.code == 1
    assert "1 new failure against main" in said.out


def test_a_check_that_cannot_run_is_neither_a_pass_nor_a_new_failure(repository: Any, cli: Any) -> None:
    place = repository({"tool.sh": "#!/bin/sh\nexit 0\n", "a.txt": "a\n"})
    said = cli(place, "check", "--base", "main", "--check", "no-such-program")
    assert said.code == 4
    assert "could not be checked against main" in said.out
    assert "no-such-program could not be checked on main" in said.out


def test_ignored_files_that_the_checks_need_are_there_for_both(repository: Any, cli: Any) -> None:
    config = 'include = [".env.test"]\n[[check]]\nname = "env"\nrun = "test -f .env.test"\n'
    place = repository({"trueup.toml": config, ".gitignore": ".env.test\n", "a.txt": "a\n"})
    write_files(place.project, {".env.test": "x=1\n", "a.txt": "b\n"})
    said = cli(place, "check", "--base", "main", "--json")
    assert said.code == 0
    assert said.json["passed"] is True
    assert said.json["base"]["fixed"] == []


def test_checks_are_detected_in_the_base(repository: Any, cli: Any) -> None:
    place = repository({**TESTED, "conftest.py": ""})
    write_files(place.project, {"product.py": TESTED["product.py"].replace("2 * x", "x")})
    (place.project / "tests/test_double.py").unlink()
    assert cli(place, "check").code == 4  # nothing is left that looks like a check
    said = cli(place, "check", "--base", "main", "--json")
    assert said.code == 1
    assert len(said.json["base"]["new"]) == 2


@pytest.mark.parametrize("form", ["junit", "sarif", "github"])
def test_every_format_marks_what_is_new(form: str, linted: Any, cli: Any) -> None:
    write_files(linted.project, {"src/a.txt": "bad one\n", "src/b.txt": "bad\n"})
    said = cli(linted, "check", "--base", "main", "--format", form)
    assert said.code == 1
    if form == "junit":
        marks = [e.get("message", "").partition(":")[0] for e in ET.fromstring(said.raw).iter("failure")]
        assert marks == ["new", "known"]
    elif form == "sarif":
        results = json.loads(said.out)["runs"][0]["results"]
        assert [r["baselineState"] for r in results] == ["new", "unchanged"]
    else:
        assert [line.split(" ")[0] for line in said.out.splitlines()] == ["::error", "::warning", "::notice"]


def test_an_unknown_revision_is_refused_with_a_suggestion(linted: Any, cli: Any) -> None:
    said = cli(linted, "check", "--base", "mian")
    assert said.code == 2
    assert "Did you mean 'main'?" in said.err


@pytest.mark.parametrize("rev", ["--output=x", "-x", "", "main..HEAD", "HEAD:src", "\n"])
def test_a_revision_is_a_commit_or_nothing(rev: str, linted: Any, cli: Any) -> None:
    said = cli(linted, "check", "--base", rev)
    assert said.code == 2
    assert "no commit" in said.err
    assert not (linted.project / "x").exists()


def test_without_a_repository_there_is_no_base(tmp_path: Path, empty: Any, cli: Any) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.txt").write_text("a\n")
    said = cli(type(empty)(project=tmp_path / "plain", environ=empty.environ), "check", "--base", "main")
    assert said.code == 2
    assert "is not a git repository" in said.err


def test_fresh_runs_both_again(linted: Any, cli: Any) -> None:
    cli(linted, "check", "--base", "main")
    again = cli(linted, "check", "--base", "main", "--fresh")
    assert "checking main first" in again.err
    assert "unchanged since" not in again.out


def _sometimes(counted: Path, fails_at: tuple[int, ...]) -> dict[str, str]:
    """A test that fails the n-th time it is run, whatever the files are."""
    return {
        "product.py": "WORD = 'one'\n",
        "tests/test_moody.py": (
            "def test_moody():\n"
            f"    with open({str(counted)!r}, 'a+') as file:\n"
            "        file.write('x')\n"
            "        file.seek(0)\n"
            f"        assert len(file.read()) not in {fails_at}\n\n"
            "def test_steady():\n    import product\n    assert product.WORD\n"
        ),
    }


MOODY = "pytest tests/test_moody.py::test_moody"
# The looks: 1 the base, 2 the change, 3 the test alone, 4 everything again, from 5 on the test alone on the base.


def test_a_new_failure_that_is_gone_again_and_comes_on_the_base_too_is_flaky_and_not_new(
    repository: Any, cli: Any, tmp_path: Path
) -> None:
    counted = tmp_path / "count"
    project = repository(_sometimes(counted, (2, 6)))
    write_files(project.project, {"product.py": "WORD = 'two'\n"})
    said = cli(project, "check", "--base", "main", "--check", PYTEST, "--json")
    about = json.loads(said.out)
    assert (said.code, about["base"]["new"], about["base"]["nothing_new"]) == (0, [], True)
    assert about["base"]["flaky"] == [MOODY]
    assert len(counted.read_text()) == 6
    assert [flip["key"] for flip in cli(project, "flaky", "--json").json["flaky"]] == [MOODY]
    again = cli(project, "check", "--base", "main", "--check", PYTEST)
    assert again.code == 0
    assert "unchanged since" not in again.out  # what was flaky is asked again, not remembered


def test_a_flaky_failure_is_told_on_the_screen(repository: Any, cli: Any, tmp_path: Path) -> None:
    project = repository(_sometimes(tmp_path / "count", (2, 5)))
    write_files(project.project, {"product.py": "WORD = 'two'\n"})
    said = cli(project, "check", "--base", "main", "--check", PYTEST)
    assert said.code == 0
    assert "flaky, not counted: test_moody failed once and then passed, and does so on unchanged files, too" in said.out


@pytest.mark.parametrize("fails_at", [(1,), (2,)], ids=["on the base", "now"])
def test_another_result_on_the_very_same_files_is_flaky_neither_fixed_nor_new(
    repository: Any, cli: Any, tmp_path: Path, fails_at: tuple[int, ...]
) -> None:
    project = repository(_sometimes(tmp_path / "count", fails_at))
    said = cli(project, "check", "--base", "main", "--check", PYTEST, "--json")
    about = json.loads(said.out)["base"]
    assert (said.code, about["new"], about["fixed"], about["flaky"]) == (0, [], [], [MOODY])
    assert [flip["key"] for flip in cli(project, "flaky", "--json").json["flaky"]] == [MOODY]


def test_another_result_of_a_fresh_look_is_flaky(repository: Any, cli: Any, tmp_path: Path) -> None:
    project = repository(_sometimes(tmp_path / "count", (2,)))
    assert cli(project, "check", "--check", PYTEST).code == 0
    again = cli(project, "check", "--check", PYTEST, "--fresh")
    assert again.code == 1
    assert "flaky: test_moody came out differently before, on the same files" in again.err
    assert [flip["times"] for flip in cli(project, "flaky", "--json").json["flaky"]] == [1]


@pytest.mark.parametrize("fails_at", [(2, 3), (2, 4), (2,)], ids=["alone", "in its suite", "never on the base"])
def test_a_new_failure_that_fails_once_more_or_never_fails_on_the_base_is_new(
    repository: Any, cli: Any, tmp_path: Path, fails_at: tuple[int, ...]
) -> None:
    project = repository(_sometimes(tmp_path / "count", fails_at))
    write_files(project.project, {"product.py": "WORD = 'two'\n"})
    said = cli(project, "check", "--base", "main", "--check", PYTEST, "--json")
    about = json.loads(said.out)["base"]
    assert (said.code, [f["key"] for f in about["new"]]) == (1, [MOODY])
    assert about["flaky"] == []


def test_a_test_that_the_change_breaks_only_in_its_suite_is_new(repository: Any, cli: Any) -> None:
    """Alone it passes each time; after the other one it fails each time, since the product remembers."""
    tests = "import product\n\n\ndef test_first():\n    assert product.seen(1) == [1]\n\n\n"
    tests += "def test_second():\n    assert product.seen(2) == [2]\n"
    project = repository({"product.py": "def seen(x):\n    return [x]\n", "tests/test_leak.py": tests})
    write_files(project.project, {"product.py": "SEEN = []\n\n\ndef seen(x):\n    SEEN.append(x)\n    return SEEN\n"})
    said = cli(project, "check", "--base", "main", "--check", PYTEST, "--json")
    about = json.loads(said.out)["base"]
    assert (said.code, [f["key"] for f in about["new"]]) == (1, ["pytest tests/test_leak.py::test_second"])
