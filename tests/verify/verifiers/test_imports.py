"""Is everything that is imported declared, and importable?"""

from __future__ import annotations

import pytest

from .conftest import Folder, told

LIBRARY = '[project]\nname = "lib"\nversion = "1"\ndependencies = ["idna"]\n'


def test_an_undeclared_distribution_is_named_with_who_brings_it(folder: Folder) -> None:
    [failure] = folder.write({"requirements.txt": "idna\n", "a.py": "import yaml\n"}).say("imports").failures

    assert failure.kind == "missing-requirement"
    assert failure.message == (
        "No module named 'yaml': a.py imports it, and requirements.txt does not ask for it; PyYAML brings it"
    )


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import yaml\nexcept ImportError:\n    yaml = None\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import yaml\n",
        "import sys\nif sys.platform == 'win32':\n    import yaml\n",
        "def f():\n    import yaml\n",
        "import contextlib\nwith contextlib.suppress(ImportError):\n    import yaml\n",
        "if __name__ == '__main__':\n    import yaml\n",
    ],
)
def test_an_import_that_may_fail_or_happens_later_is_no_missing_dependency(folder: Folder, code: str) -> None:
    verdict = folder.write({"requirements.txt": "idna\n", "a.py": code}).say("imports")

    assert (verdict.failures, verdict.advice) == ((), ())


@pytest.mark.parametrize(
    ("requirements", "code"),
    [
        ("PyJWT", "import jwt\n"),
        ("attrs", "import attr\n"),
        ("google-cloud-storage", "from google.cloud import storage\n"),
        ("protobuf", "from google.protobuf import message\n"),
        ("fastapi", "from starlette.requests import Request\nimport pydantic\n"),
        ("Flask", "import werkzeug, jinja2, click\n"),
        ("python-foo", "import foo\n"),
        ("-r base.txt", "import yaml\n"),
        ("opencv-python-headless", "import cv2\n"),
        ("some-framework", "import numpy\n"),
    ],
)
def test_what_a_declared_distribution_brings_is_declared(folder: Folder, requirements: str, code: str) -> None:
    files = {"requirements.txt": f"{requirements}\n", "base.txt": "PyYAML\n", "a.py": code}

    assert folder.write(files).say("imports").failures == ()


def test_a_module_of_that_name_in_an_unrelated_folder_hides_nothing(folder: Folder) -> None:
    folder.write({"requirements.txt": "idna\n", "a.py": "import yaml\n", "other/deep/yaml.py": "", "old/yaml/x.py": ""})

    assert told(folder.say("imports").failures) == [("missing-requirement", "a.py")]


def test_a_workspace_below_a_folder_called_build_or_venv_is_looked_at(tmp_path: object, folder: Folder) -> None:
    folder.root = folder.root.parent / "venv" / "build" / "tests"
    folder.root.mkdir(parents=True)

    assert told(folder.write({"requirements.txt": "idna\n", "a.py": "import yaml\n"}).say("imports").failures) == [
        ("missing-requirement", "a.py")
    ]


@pytest.mark.parametrize(
    "files",
    [
        {
            "src/pkg/__init__.py": "",
            "src/pkg/a.py": "from pkg import b\nimport pkg.b\nfrom . import b\n",
            "src/pkg/b.py": "",
        },
        {"a.py": "import b\nfrom sub import c\n", "b.py": "", "sub/c.py": ""},
        {
            "backend/app/__init__.py": "",
            "backend/app/m.py": "x = 1\n",
            "backend/tests/test_m.py": "from app.m import x\n",
        },
        {"pkg/__init__.py": "", "pkg/main.py": "import helper\n", "pkg/helper.py": ""},
        {"pkg/__init__.py": "", "pkg/html.py": "import html\nfrom html import escape\n"},
        {"a.py": "from fast import speed\n", "fast.pyx": ""},
        {"pkg/__init__.py": "from pkg.native import x\n", "pkg/native.c": ""},
        {"pkg/__init__.py": "from pkg._version import v\n"},
        {"pkg/__init__.py": "def __getattr__(name): ...\n", "a.py": "from pkg import anything\n"},
        {"pkg/__init__.py": "from .a import *\n", "pkg/a.py": "x = 1\n", "b.py": "from pkg import x\n"},
        {"a.py": "import tomllib, asyncio, distutils\n"},
    ],
)
def test_modules_of_the_project_itself_are_found_where_python_finds_them(folder: Folder, files: dict[str, str]) -> None:
    verdict = folder.write({"requirements.txt": "idna\n", **files}).say("imports")

    assert (verdict.failures, verdict.advice) == ((), ())


def test_a_module_of_the_project_that_is_not_there_is_missing(folder: Folder) -> None:
    verdict = folder.write({"app/__init__.py": "", "app/main.py": "from app.models import User\n"}).say("imports")

    assert told(verdict.failures) == [("missing-module", "app/main.py")]
    assert verdict.failures[0].message.startswith("No module named 'app.models'")


def test_a_name_that_was_removed_from_its_module_is_missing(folder: Folder) -> None:
    folder.write({"a.py": "from b import here, gone\n", "b.py": "def here(): ...\n"})

    [failure] = folder.say("imports").failures
    assert failure.message == "cannot import name 'gone' from 'b' (b.py)"
    assert (failure.kind, failure.line) == ("missing-name", 1)


def test_what_a_test_asks_for_and_nobody_wrote_yet_is_advice(folder: Folder) -> None:
    folder.write({"test_b.py": "from b import planned\n", "b.py": "x = 1\n"})

    verdict = folder.say("imports")
    assert verdict.failures == ()
    assert told(verdict.advice) == [("missing-name", "test_b.py")]


def test_of_a_library_only_what_is_imported_with_it_counts(folder: Folder) -> None:
    folder.write(
        {
            "pyproject.toml": LIBRARY,
            "src/lib/__init__.py": "from lib import core\n",
            "src/lib/core.py": "import yaml\n",
            "src/lib/contrib_django.py": "import django\n",
        }
    )

    verdict = folder.say("imports")
    assert told(verdict.failures) == [("missing-requirement", "src/lib/core.py")]
    assert told(verdict.advice) == [("missing-requirement", "src/lib/contrib_django.py")]


def test_what_only_running_setup_py_would_tell_is_not_judged(folder: Folder) -> None:
    setup = "from setuptools import setup\nsetup(name='x', install_requires=open('r.in').read().split())\n"

    assert folder.write({"setup.py": setup, "x/__init__.py": "import yaml\n"}).say("imports").failures == ()


def test_without_a_manifest_nothing_can_be_undeclared(folder: Folder) -> None:
    verdict = folder.write({"a.py": "import yaml\n"}).say("imports")

    assert (verdict.failures, verdict.advice) == ((), ())


def test_names_come_from_the_environment_beside_the_project(folder: Folder) -> None:
    site = ".venv/lib/python3.11/site-packages"
    folder.write(
        {
            "requirements.txt": "strange-name\n",
            "a.py": "import oddly_called\nimport brought_along\n",
            f"{site}/strange_name-1.dist-info/METADATA": "Name: strange-name\nRequires-Dist: other-one\n",
            f"{site}/strange_name-1.dist-info/RECORD": "oddly_called/__init__.py,,\n",
            f"{site}/other_one-1.dist-info/METADATA": "Name: other-one\n",
            f"{site}/other_one-1.dist-info/top_level.txt": "brought_along\n",
        }
    )

    verdict = folder.say("imports")
    assert [(f.kind, f.message) for f in (*verdict.failures, *verdict.advice) if f.file == "a.py"] == []


def test_a_module_that_python_dropped_is_missing_where_no_older_one_will_do(folder: Folder) -> None:
    folder.write(
        {
            "pyproject.toml": LIBRARY.replace("version", 'requires-python = ">=3.13"\nversion'),
            "lib/__init__.py": "import cgi\n",
        }
    )

    assert told(folder.say("imports").failures) == [("gone-from-python", "lib/__init__.py")]


# --- circles -------------------------------------------------------------------------------------------------------


def test_a_circle_that_fails_whichever_way_it_is_entered_is_found(folder: Folder) -> None:
    folder.write({"a.py": "from b import y\nx = 1\n", "b.py": "from a import x\ny = 2\n"})

    [failure] = folder.say("imports").failures
    assert failure.kind == "circular-import"
    assert "cannot import name 'x' from partially initialized module 'a'" in failure.message


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "x = 1\nfrom b import y\n", "b.py": "from a import x\ny = 2\n"},
        {"a.py": "import b\nx = 1\n", "b.py": "import a\ny = 2\n"},
        {"a.py": "from b import y\nx = 1\n", "b.py": "def y():\n    from a import x\n"},
        {
            "a.py": "from b import y\nx = 1\n",
            "b.py": "try:\n    from a import x\nexcept ImportError:\n    x = 0\ny = 2\n",
        },
        {"p/__init__.py": "from p import a, b\n", "p/a.py": "from p import b\n", "p/b.py": "from p import a\n"},
        {"main.py": "import a\n", "a.py": "x = 1\nfrom b import y\n", "b.py": "from a import x\ny = 2\n"},
    ],
)
def test_a_circle_that_works_one_way_is_left_alone(folder: Folder, files: dict[str, str]) -> None:
    assert folder.write(files).say("imports").failures == ()


def test_a_chain_of_a_thousand_modules_is_followed_or_let_go(folder: Folder) -> None:
    chain = {f"m{n}.py": f"from m{n + 1} import x\nx = 1\n" for n in range(1500)}

    verdict = folder.write({**chain, "m1500.py": "from m0 import x\n"}).ask("imports")["imports"]

    assert not verdict.error
