"""What a project declares is read from whatever manifest it has; lines from outside are understood or left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from trueup.act.declared import Needs, nearest, needs_of
from trueup.act.poetry_versions import requirement_of
from trueup.act.requirement_lines import read_requirements
from trueup.act.source_files import SourceFiles


def tree(root: Path, files: Mapping[str, str | bytes]) -> SourceFiles:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content if isinstance(content, bytes) else dedent(content).lstrip("\n").encode())
    return SourceFiles(root, tuple(sorted(files)))


def needs(root: Path, files: Mapping[str, str | bytes]) -> Needs:
    (found,) = needs_of(tree(root, files))
    return found


def running(found: Needs) -> list[str]:
    return [line.text for line in found.running.requirements]


# --- requirements files --------------------------------------------------------------------------------------


def test_a_requirements_file_with_everything_that_pip_allows(tmp_path: Path) -> None:
    text = """
        # a comment
        Flask==2.0.0  # and another
        requests[socks] >= 2 ; python_version > "3"
        idna==3.7 \\
            --hash=sha256:abc \\
            --hash=sha256:def
        --pre
        -r more.txt
        -climits.txt
    """
    asked = read_requirements(
        tree(tmp_path, {"requirements.txt": text, "more.txt": "click\n", "limits.txt": "idna<4\n"}), "requirements.txt"
    )
    assert [line.text for line in asked.requirements] == [
        "Flask==2.0.0",
        'requests[socks]>=2; python_version > "3"',
        "idna==3.7",
        "click",
    ]
    assert [line.text for line in asked.constraints] == ["idna<4"]
    assert asked.prereleases
    assert not asked.problems
    first = asked.requirements[0]
    assert (first.file, first.line, first.source) == ("requirements.txt", 2, "Flask==2.0.0  # and another")


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_a_byte_order_mark_decides_as_for_pip(tmp_path: Path, codec: str) -> None:
    content = "idna==3.7\r\n".encode(codec)
    content = b"\xfe\xff" + content if codec == "utf-16-be" else content
    assert running(needs(tmp_path, {"requirements.txt": content})) == ["idna==3.7"]


@pytest.mark.parametrize(
    "line",
    [
        "-e git+https://evil.example/x.git#egg=evil",
        "evil @ https://evil.example/evil.whl",
        "git+ssh://git@evil.example/x",
        "https://evil.example/evil.tar.gz",
        "${SECRET}",
        "evil==${VERSION}",
        "-r https://evil.example/requirements.txt",
        "-r ${HOME}/requirements.txt",
    ],
)
def test_what_comes_from_elsewhere_is_fetched_by_nobody(tmp_path: Path, line: str) -> None:
    asked = read_requirements(tree(tmp_path, {"requirements.txt": f"idna\n{line}\n"}), "requirements.txt")
    assert [one.text for one in asked.requirements] == ["idna"]
    assert len(asked.unchecked) == 1
    assert not asked.problems


@pytest.mark.parametrize(
    "line",
    [
        *("-r ../secret.txt", "-c /etc/passwd", "-r a/../../x", "../outside", "-e ../..", "/etc"),
        "evil @ file:///etc/passwd",
    ],
)
def test_what_leads_out_of_the_tree_is_a_problem(tmp_path: Path, line: str) -> None:
    (tmp_path / "secret.txt").write_text("secret\n")
    asked = read_requirements(tree(tmp_path / "tree", {"requirements.txt": f"{line}\n"}), "requirements.txt")
    assert [problem.kind for problem in asked.problems] == ["outside"]
    assert not asked.requirements


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://evil.example/simple",
        "-i https://x",
        "--extra-index-url=https://x",
        "--find-links /",
        "--trusted-host x",
    ],
)
def test_an_index_that_the_tree_names_is_noted_and_not_asked(tmp_path: Path, line: str) -> None:
    asked = read_requirements(tree(tmp_path, {"requirements.txt": f"{line}\nidna\n"}), "requirements.txt")
    assert asked.other_index
    assert [one.text for one in asked.requirements] == ["idna"]


@pytest.mark.parametrize("line", ["idna=3.7", "idna==", "==1", "flask >> 2", "not a requirement", "x;y z"])
def test_a_line_that_nobody_understands_is_a_problem_with_its_place(tmp_path: Path, line: str) -> None:
    asked = read_requirements(tree(tmp_path, {"requirements.txt": f"idna\n{line}\n"}), "requirements.txt")
    (problem,) = asked.problems
    assert (problem.kind, problem.line, problem.source) == ("invalid-requirement", 2, line)


def test_files_that_include_each_other_and_files_that_are_not_there(tmp_path: Path) -> None:
    files = tree(tmp_path, {"a.txt": "-r b.txt\nidna\n", "b.txt": "-r a.txt\nclick\n-r gone.txt\n"})
    asked = read_requirements(files, "a.txt")
    assert [line.text for line in asked.requirements] == ["click", "idna"]
    assert [problem.message for problem in asked.problems] == ["Could not open requirements file: gone.txt"]


def test_a_local_project_brings_what_it_needs(tmp_path: Path) -> None:
    project = "[project]\nname='a'\ndependencies=['idna']\n[project.optional-dependencies]\nx=['click']\ny=['flask']\n"
    files = {"requirements.txt": "-e ./lib[x]\n", "lib/pyproject.toml": project}
    every = needs_of(tree(tmp_path, files))
    assert running(every[0]) == ["idna", "click"]


# --- which file is for what ----------------------------------------------------------------------------------


def test_the_plain_file_runs_and_the_others_are_groups(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "idna\n",
        "requirements-dev.txt": "-r requirements.txt\npytest\n",
    }
    found = needs(tmp_path, files)
    assert running(found) == ["idna"]
    assert found.elsewhere == {"pytest"}


def test_a_folder_of_files_has_a_base(tmp_path: Path) -> None:
    found = needs(tmp_path, {"requirements/base.txt": "idna\n", "requirements/test.txt": "-r base.txt\npytest\n"})
    assert (found.folder, running(found), set(found.elsewhere)) == ("", ["idna"], {"pytest"})


def test_folders_of_tests_documents_and_examples_are_not_projects(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = dict.fromkeys(
        ("docs/requirements.txt", "tests/requirements.txt", "examples/a/Pipfile"), "idna\n"
    )
    assert needs_of(tree(tmp_path, files)) == ()


def test_the_nearest_manifest_holds(tmp_path: Path) -> None:
    every = needs_of(tree(tmp_path, {"requirements.txt": "a\n", "backend/requirements.txt": "b\n"}))
    assert running(nearest(every, "backend/app/main.py")) == ["b"]
    assert running(nearest(every, "main.py")) == ["a"]
    assert running(nearest(every[1:], "elsewhere/main.py")) == ["b"]
    assert not nearest((), "main.py").declares


# --- pyproject, Poetry, uv, Pipenv, setuptools ---------------------------------------------------------------


def test_pep_621_with_extras_and_groups(tmp_path: Path) -> None:
    text = """
        [project]
        name = "a"
        requires-python = ">=3.9"
        dependencies = ["idna>=3", "broken=1", "there @ https://x/y.whl"]
        [project.optional-dependencies]
        fast = ["click"]
        all = ["a[fast]"]
        [dependency-groups]
        dev = ["pytest", {include-group = "lint"}]
        lint = ["ruff"]
    """
    found = needs(tmp_path, {"pyproject.toml": text})
    assert running(found) == ["idna>=3"]
    assert (found.python, found.installable, set(found.elsewhere)) == (">=3.9", True, {"click", "pytest", "ruff"})
    assert [(p.kind, p.line) for p in found.running.problems] == [("invalid-requirement", 4)]
    assert [line.text for line in found.running.unchecked] == ["there"]


def test_poetry(tmp_path: Path) -> None:
    text = """
        [tool.poetry]
        name = "a"
        [tool.poetry.dependencies]
        python = "^3.9"
        idna = "^3.4"
        click = {version = "~8.1", extras = ["x"], python = ">=3.8"}
        mine = {path = "../mine"}
        maybe = {version = "*", optional = true}
        psycopg = "3.1.*"
        [tool.poetry.group.dev.dependencies]
        pytest = "*"
    """
    found = needs(tmp_path, {"pyproject.toml": text})
    assert running(found) == ["idna<4,>=3.4", 'click[x]<8.2,>=8.1; python_version >= "3.8"', "psycopg==3.1.*"]
    assert found.python == "<4,>=3.9"
    assert [line.text for line in found.running.unchecked] == ["mine"]
    assert found.running.requirements[0].source == 'idna = "^3.4"'
    assert found.elsewhere == {"pytest"}


@pytest.mark.parametrize(
    ("version", "meant"),
    [
        ("^1.2.3", "<2,>=1.2.3"),
        ("^0.2.3", "<0.3,>=0.2.3"),
        ("^0.0.3", "<0.0.4,>=0.0.3"),
        ("^1", "<2,>=1"),
        ("~1.2.3", "<1.3,>=1.2.3"),
        ("~1", "<2,>=1"),
        ("1.2", "==1.2"),
        ("*", ""),
        (">=1,<2", "<2,>=1"),
        (">=1 <2", "<2,>=1"),
        ("^2.0 || ^3.0", ""),
    ],
)
def test_versions_as_poetry_writes_them(version: str, meant: str) -> None:
    assert requirement_of("a", version) == f"a{meant}"


def test_uv_sources_are_fetched_by_nobody(tmp_path: Path) -> None:
    text = "[project]\nname='a'\ndependencies=['idna', 'mine']\n[tool.uv.sources]\nmine={path='../mine'}\n[tool.uv]\ndev-dependencies=['pytest']\n"
    found = needs(tmp_path, {"pyproject.toml": text})
    assert running(found) == ["idna"]
    assert [line.text for line in found.running.unchecked] == ["mine"]
    assert found.elsewhere == {"pytest"}


def test_a_pipfile(tmp_path: Path) -> None:
    text = """
        [[source]]
        url = "https://pypi.org/simple"
        [packages]
        idna = "*"
        click = {version = ">=8", markers = "sys_platform == 'linux'"}
        mine = {git = "https://x/y.git"}
        [dev-packages]
        pytest = "==8.0"
        [requires]
        python_version = "3.11"
    """
    found = needs(tmp_path, {"Pipfile": text})
    assert running(found) == ["idna", 'click>=8; sys_platform == "linux"']
    assert (found.python, found.running.other_index) == ("==3.11.*", False)


def test_setup_cfg_and_setup_py_are_read_and_never_run(tmp_path: Path) -> None:
    cfg = "[metadata]\nname = a\n[options]\npython_requires = >=3.8\ninstall_requires =\n    idna\n    click>=8\n[options.extras_require]\nx = flask\n"
    found = needs(tmp_path / "cfg", {"setup.cfg": cfg})
    assert (running(found), found.python, set(found.elsewhere)) == (["idna", "click>=8"], ">=3.8", {"flask"})
    code = "import os\nos.abort()\nfrom setuptools import setup\nREQ = ['idna']\nsetup(name='a', install_requires=REQ, extras_require={'x': 'flask'})\n"
    found = needs(tmp_path / "py", {"setup.py": code})
    assert (running(found), found.installable) == (["idna"], True)


@pytest.mark.parametrize(
    "text", ["[project", "[project]\ndependencies = 3\n", "[tool]\npoetry = 1\n", "\0", "[tool.poetry]\nsource = 5\n"]
)
def test_no_manifest_is_too_broken_to_be_read(tmp_path: Path, text: str) -> None:
    assert needs_of(tree(tmp_path, {"pyproject.toml": text, "requirements.txt": "idna\n", "Pipfile": text}))[0].sets
