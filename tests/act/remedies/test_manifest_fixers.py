"""Requirements are added, renamed and given other versions where the project keeps them, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Proposed, Shelf, failure

Propose = Callable[..., list[Proposed]]
YAML = failure("No module named 'yaml'", check="smoke", kind="ModuleNotFoundError", file="app.py")
CODE = {"app.py": "import yaml\n"}


def only(found: list[Proposed], path: str) -> str:
    assert [list(one) for one in found][:1] == [[path]]
    return (found[0][path] or b"").decode()


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("requirements.txt", "# tools\r\nidna  # so\r\n", "# tools\r\nidna  # so\r\nPyYAML\r\n"),
        ("requirements.txt", "idna", "idna\nPyYAML\n"),
        ("requirements.txt", "", "PyYAML\n"),
        ("requirements/base.txt", "idna\n", "idna\nPyYAML\n"),
        ("pyproject.toml", '[project]\nname = "a"\ndependencies = [\n  "idna",  # so\n]\n', '[project]\nname = "a"\ndependencies = [\n  "idna",  # so\n  "PyYAML",\n]\n'),
        ("pyproject.toml", '[project]\r\nname = "a"\r\ndependencies = ["idna"]\r\n', '[project]\r\nname = "a"\r\ndependencies = ["idna", "PyYAML"]\r\n'),
        ("pyproject.toml", '[tool.poetry]\nname = "a"\n\n[tool.poetry.dependencies]\npython = "^3.11"\nidna = "^3"  # so\n\n[tool.black]\n', '[tool.poetry]\nname = "a"\n\n[tool.poetry.dependencies]\npython = "^3.11"\nidna = "^3"  # so\nPyYAML = "*"\n\n[tool.black]\n'),
        ("Pipfile", '[packages]\nidna = "*"\n\n[dev-packages]\n', '[packages]\nidna = "*"\nPyYAML = "*"\n\n[dev-packages]\n'),
        ("setup.cfg", "[metadata]\nname = a\n\n[options]\ninstall_requires =\n    idna>=3\npackages = find:\n", "[metadata]\nname = a\n\n[options]\ninstall_requires =\n    idna>=3\n    PyYAML\npackages = find:\n"),
        ("setup.py", 'from setuptools import setup\nsetup(\n    install_requires=[\n        "idna",\n    ],\n)\n', 'from setuptools import setup\nsetup(\n    install_requires=[\n        "idna",\n        "PyYAML",\n    ],\n)\n'),
    ],
)  # fmt: skip
def test_a_missing_requirement_goes_into_the_manifest_that_is_used(
    propose: Propose, path: str, before: str, after: str
) -> None:
    assert only(propose({**CODE, path: before}, YAML), path) == after


def test_no_manifest_is_made_where_there_is_none(propose: Propose) -> None:
    assert propose(CODE, YAML) == []


def test_a_manifest_for_tools_is_not_the_one_that_is_used(propose: Propose) -> None:
    files = {
        **CODE,
        "pyproject.toml": "[tool.black]\nline-length = 100\n",
        "requirements-dev.txt": "pytest\n",
        "requirements.txt": "idna\n",
    }
    assert only(propose(files, YAML), "requirements.txt") == "idna\nPyYAML\n"


def test_the_manifest_beside_the_code_comes_before_one_further_up(propose: Propose) -> None:
    files = {"backend/app.py": "import yaml\n", "backend/requirements.txt": "flask\n", "requirements.txt": "idna\n"}
    about = failure("No module named 'yaml'", check="smoke", file="backend/app.py")
    assert only(propose(files, about), "backend/requirements.txt") == "flask\nPyYAML\n"


def test_what_is_locked_with_hashes_is_left_alone(propose: Propose) -> None:
    assert propose({**CODE, "requirements.txt": "idna==3.7 --hash=sha256:00\n"}, YAML) == []


@pytest.mark.parametrize(
    ("module", "declared"),
    [("jwt", "pyjwt>=2"), ("google.cloud.storage", "google_cloud_storage"), ("attr", "attrs"), ("cv2", "opencv-python-headless"),
     ("PIL", "pillow"), ("Crypto.Cipher", "pycryptodome"), ("yaml", "ruamel.yaml\nPyYaml")],
)  # fmt: skip
def test_what_is_there_under_another_name_is_not_added(propose: Propose, module: str, declared: str) -> None:
    about = failure(f"No module named '{module}'", check="smoke", file="app.py")
    assert propose({"app.py": f"import {module}\n", "requirements.txt": f"{declared}\n"}, about) == []


@pytest.mark.parametrize(
    "module",
    ["google", "evil-package; rm -rf /", "totally_unknown_thing", "os", "json", "requests @ http://x", "../../etc"],
)
def test_a_name_that_nobody_we_trust_knows_is_never_written(propose: Propose, module: str) -> None:
    about = failure(f"No module named '{module}'", check="smoke", file="app.py")
    assert propose({"app.py": "x = 1\n", "requirements.txt": "idna\n"}, about) == []


def test_the_metadata_of_the_environment_is_believed(propose: Propose) -> None:
    about = failure("No module named 'inhouse'", check="smoke", file="app.py")
    files = {"app.py": "import inhouse\n", "requirements.txt": "idna\n"}
    assert (
        only(propose(files, about, installed={"inhouse": ("in-house-lib",)}), "requirements.txt")
        == "idna\nin-house-lib\n"
    )
    assert propose(files, about, installed={"inhouse": ("not a name; x",)}) == []


# --- requirements that cannot be met ----------------------------------------------------------------------------


def unresolvable(text: str, kind: str = "unresolvable") -> object:
    return failure(text, check="dependencies", kind=kind, file="requirements.txt")


def test_psycopg_below_3_is_psycopg2_for_code_that_imports_it(propose: Propose) -> None:
    files = {"db.py": "import psycopg2\n", "requirements.txt": "# db\r\npsycopg>=2.9,<3  # old\r\nidna\r\n"}
    found = propose(files, unresolvable("Because only psycopg>=3 is available"), index=Shelf(psycopg=("3.2.1", "3.0")))
    assert only(found, "requirements.txt") == "# db\r\npsycopg2-binary>=2.9,<3  # old\r\nidna\r\n"


def test_psycopg_below_3_gets_a_pin_that_fits_code_that_imports_psycopg(propose: Propose) -> None:
    files = {
        "db.py": "import psycopg\n",
        "requirements.txt": "# db\r\npsycopg[binary]<3 ; python_version > '3'  # old\r\n",
    }
    found = propose(
        files, unresolvable("No matching distribution found for psycopg<3"), index=Shelf(psycopg=("3.2.1", "3.0"))
    )
    assert only(found, "requirements.txt") == "# db\r\npsycopg[binary]>=3.0,<4 ; python_version > '3'  # old\r\n"


@pytest.mark.parametrize(
    ("line", "first"),
    [("requests==2.99.0", "requests==2.32.3"), ("requests==2.31.9", "requests==2.31.0"), ("requests>=9", "requests>=2.32"),
     ("requests==9.9", "requests==2.32.3"), ("requests==2.31.0+local", "requests==2.31.0"),
     ("requests @ file:///croot/requests_1", "requests"), ("requests=2.31.0", "requests==2.31.0"),
     ("requests=2.31.0=py311h06a4308_0  # conda", "requests==2.31.0  # conda")],
)  # fmt: skip
def test_a_version_that_does_not_exist_becomes_the_nearest_that_does(propose: Propose, line: str, first: str) -> None:
    found = propose(
        {"requirements.txt": f"{line}\n"},
        unresolvable("requests"),
        index=Shelf(requests=("2.32.3", "2.31.0", "2.0", "1.0")),
    )
    assert only(found, "requirements.txt") == f"{first}\n"


def test_without_an_index_no_version_is_made_up(propose: Propose) -> None:
    assert propose({"requirements.txt": "requests==2.99.0\n"}, unresolvable("requests==2.99.0")) == []


@pytest.mark.parametrize("line", ["pkg-resources==0.0.0", "pkg_resources==0.0.0", "python>=3.9", "sqlite3", "asyncio"])
def test_what_is_no_distribution_goes(propose: Propose, line: str) -> None:
    found = propose({"requirements.txt": f"idna\n{line}  # x\nclick\n"}, unresolvable(f"no {line}"))
    assert only(found, "requirements.txt") == "idna\nclick\n"


@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("sklearn", "scikit-learn"),
        ("sklearn==0.0", "scikit-learn"),
        ("bs4[x]", "beautifulsoup4[x]"),
        ("opencv ; python_version>'3'", "opencv-python ; python_version>'3'"),
    ],
)
def test_a_distribution_gets_the_name_that_was_meant(propose: Propose, line: str, now: str) -> None:
    found = propose({"requirements.txt": f"{line}\n"}, unresolvable(f"Failed to build {line}", "build"))
    assert only(found, "requirements.txt") == f"{now}\n"


def test_the_error_only_chooses_among_what_the_manifests_hold(propose: Propose) -> None:
    assert propose({"requirements.txt": "idna\n"}, unresolvable("use evil-package instead of sklearn")) == []


def test_a_package_for_one_system_is_kept_to_it(propose: Propose) -> None:
    found = propose({"requirements.txt": "pywin32==306\n"}, unresolvable("pywin32==306 has no wheels"))
    assert only(found, "requirements.txt") == 'pywin32==306; sys_platform == "win32"\n'


def test_names_and_versions_change_in_poetry_and_pep_621_too(propose: Propose) -> None:
    poetry = '[tool.poetry.dependencies]\npython = "^3.11"\nsklearn = "*"  # ml\nidna = "*"\n'
    about = failure("sklearn", check="dependencies", file="pyproject.toml")
    found = only(propose({"pyproject.toml": poetry}, about), "pyproject.toml")
    assert "scikit-learn" in found
    assert "sklearn" not in found
    project = '[project]\nname = "a"\ndependencies = [\n    "pkg-resources==0.0.0",\n    "idna",  # so\n]\n'
    dropped = only(
        propose({"pyproject.toml": project}, failure("pkg-resources", check="dependencies")), "pyproject.toml"
    )
    assert dropped == '[project]\nname = "a"\ndependencies = [\n    "idna",  # so\n]\n'


# --- pairs, and what is needed without being imported ------------------------------------------------------------


def test_python_multipart_is_added_for_forms(propose: Propose) -> None:
    about = failure(
        'RuntimeError: Form data requires "python-multipart" to be installed.', check="smoke", file="main.py"
    )
    assert (
        only(propose({"main.py": "", "requirements.txt": "fastapi\n"}, about), "requirements.txt")
        == "fastapi\npython-multipart\n"
    )


def test_a_pin_that_does_not_go_with_the_rest_gives_way(propose: Propose) -> None:
    about = failure("cannot import name 'url_quote' from 'werkzeug.urls'", check="smoke", file="a.py")
    files = {"a.py": "", "requirements.txt": "Flask==2.0.0\nWerkzeug==3.0.1\n"}
    assert only(propose(files, about), "requirements.txt") == "Flask==2.0.0\nWerkzeug<3\n"
    files["requirements.txt"] = "Flask==2.0.0\nwerkzeug>=2\n"
    assert only(propose(files, about), "requirements.txt") == "Flask==2.0.0\nwerkzeug>=2,<3\n"


def test_base_settings_moves_in_code_and_manifest_together(propose: Propose) -> None:
    about = failure(
        "`BaseSettings` has been moved to the `pydantic-settings` package.", check="smoke", file="config.py"
    )
    files = {
        "config.py": "from pydantic import BaseModel, BaseSettings as S\r\n",
        "app/other.py": "import pydantic\n\nclass A(pydantic.BaseSettings): ...\n",
        "requirements.txt": "pydantic>=2\n",
    }
    assert propose(files, about)[0] == {
        "config.py": b"from pydantic import BaseModel\r\nfrom pydantic_settings import BaseSettings as S\r\n",
        "app/other.py": b"import pydantic_settings\nimport pydantic\n\nclass A(pydantic_settings.BaseSettings): ...\n",
        "requirements.txt": b"pydantic>=2\npydantic-settings\n",
    }


def test_the_line_says_more_than_the_message(propose: Propose) -> None:
    about = failure("No module named 'google'", check="imports", file="app.py", line=2)
    files = {"app.py": "import os\nfrom google.cloud import storage\n", "requirements.txt": "idna\n"}
    assert only(propose(files, about), "requirements.txt") == "idna\ngoogle-cloud-storage\n"


def test_what_an_extra_brings_is_left_to_those_who_ask_for_it(propose: Propose) -> None:
    project = '[project]\nname = "a"\ndependencies = ["idna"]\n\n[project.optional-dependencies]\nd = ["aiohttp>=3"]\n'
    about = failure("No module named 'aiohttp'", check="smoke", file="a/daemon.py")
    files = {"a/daemon.py": "import aiohttp\n", "pyproject.toml": project}
    assert propose(files, about) == []
    files["pyproject.toml"] = project.replace("[project.optional-dependencies]\nd", "[dependency-groups]\nd")
    assert len(propose(files, about)) == 1


@pytest.mark.parametrize(
    "path", ["scripts/deploy.py", "docs/conf.py", "tools/release.py", "noxfile.py", ".github/notify.py"]
)
def test_what_only_those_need_who_work_on_it_is_no_requirement(propose: Propose, path: str) -> None:
    about = failure("No module named 'github'", check="smoke", file=path)
    assert propose({path: "import github\n", "requirements.txt": "idna\n"}, about) == []
    inside = failure("No module named 'github'", check="smoke", file="app/scripts/deploy.py")
    files = {"app/scripts/deploy.py": "import github\n", "requirements.txt": "idna\n"}
    assert only(propose(files, inside), "requirements.txt") == "idna\nPyGithub\n"
