"""Every module is imported with its real dependencies, and none gets to do any harm by that."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

NONE = {"requirements.txt": ""}


def kinds(verdict: Any) -> list[str]:
    assert not verdict.error, verdict.error
    return [failure.kind for failure in verdict.failures]


def test_a_dependency_that_is_not_declared_is_named_with_its_line(gate: Any) -> None:
    gate.offer("sober")
    verdict = gate.verify("smoke", {"requirements.txt": "sober\n", "app.py": "import sober\n\nimport absent.part\n"})
    (failure,) = verdict.failures
    assert failure.message == "ModuleNotFoundError: No module named 'absent'"
    assert (failure.file, failure.line, failure.source_line) == ("app.py", 3, "import absent.part")
    assert (failure.check, failure.subject, failure.test) == ("smoke", "app.py ModuleNotFoundError", False)


def test_a_name_that_the_installed_version_no_longer_has_is_named(gate: Any) -> None:
    gate.offer("sober", "2.0", sober="def quote(): ...\n")
    verdict = gate.verify("smoke", {"requirements.txt": "sober\n", "app.py": "from sober import url_quote\n"})
    assert verdict.failures[0].message == "ImportError: cannot import name 'url_quote' from 'sober' (sober.py)"


def test_what_a_dependency_misses_is_shown_where_the_project_imports_it(gate: Any) -> None:
    gate.offer("sober", sober="from departed import gone\n")
    verdict = gate.verify("smoke", {"requirements.txt": "sober\n", "app.py": "x = 1\nimport sober\n"})
    assert (verdict.failures[0].file, verdict.failures[0].line) == ("app.py", 2)


def test_each_cause_is_told_once(gate: Any) -> None:
    files = {**NONE, "a.py": "import shared\n", "b.py": "import shared\n", "shared.py": "raise ValueError('broken')\n"}
    verdict = gate.verify("smoke", files)
    assert [(f.file, f.message) for f in verdict.failures] == [("shared.py", "ValueError: broken")]


def test_parts_of_packages_count_in_an_application(gate: Any) -> None:
    files = {**NONE, "app/__init__.py": "", "app/main.py": "", "app/routes/users.py": "import absent\n"}
    assert kinds(gate.verify("smoke", files)) == ["ModuleNotFoundError"]


def test_a_part_of_a_library_may_need_more_than_the_library(gate: Any) -> None:
    project = (
        "[project]\nname = 'lib'\nversion = '1'\ndependencies = []\n[project.optional-dependencies]\npg = ['drv']\n"
    )
    files = {"pyproject.toml": project, "src/lib/__init__.py": "", "src/lib/pg.py": "import drv\n"}
    verdict = gate.verify("smoke", files)
    assert kinds(verdict) == []
    assert "only an extra" in verdict.advice[0].message


LIBRARY = "[project]\nname = 'lib'\nversion = '1'\ndependencies = []\n[project.optional-dependencies]\npg = ['drv']\n"
OTHER_SYSTEM = [
    "import sys\n\nassert sys.platform == 'win32'\nimport msvcrt\n",
    "import os\n\nif os.name != 'nt':\n    raise ImportError('Windows only')\n",
    "import builtins\n\n\nclass Error(builtins.WindowsError): ...\n",
    "import ctypes\n\nkernel = ctypes.windll.kernel32\n",
]


def test_a_module_that_a_build_writes_is_not_judged(gate: Any) -> None:
    project = "[project]\nname = 'lib'\nversion = '1'\n[tool.setuptools_scm]\nwrite_to = 'src/lib/_version.py'\n"
    files = {
        "pyproject.toml": project,
        "src/lib/__init__.py": "from lib._version import version\n",
        "src/other/__init__.py": "from other._missing import version\n",
    }
    verdict = gate.verify("smoke", files)
    assert "it is written when the project is built" in verdict.advice[0].message
    assert [f.file for f in verdict.failures] == ["src/other/__init__.py"]


@pytest.mark.parametrize("text", OTHER_SYSTEM)
def test_a_module_for_another_system_is_not_judged(gate: Any, text: str) -> None:
    verdict = gate.verify("smoke", {**NONE, "app.py": "", "console.py": text})
    assert kinds(verdict) == []
    assert "it is for another system" in verdict.advice[0].message


def test_what_fails_in_the_branch_for_this_system_counts(gate: Any) -> None:
    text = "import sys\nif sys.platform != 'win32':\n    from json import nothing\n"
    assert kinds(gate.verify("smoke", {**NONE, "app.py": text})) == ["ImportError"]


REFUSES = "try:\n    import drv\nexcept ImportError as error:\n    raise {}('please install lib[pg]') from None\n"


@pytest.mark.parametrize("kind", ["ImportError", "RuntimeError"])
def test_a_library_that_says_in_its_own_words_that_an_extra_is_needed_is_right(gate: Any, kind: str) -> None:
    files = {"pyproject.toml": LIBRARY, "src/lib/__init__.py": "", "src/libd/__init__.py": REFUSES.format(kind)}
    verdict = gate.verify("smoke", files)
    assert kinds(verdict) == []
    assert "only an extra" in verdict.advice[0].message


def test_a_library_may_ask_for_its_own_version(gate: Any) -> None:
    text = "from importlib.metadata import version\n\n__version__ = version('lib')\n"
    verdict = gate.verify("smoke", {"pyproject.toml": LIBRARY, "src/lib/__init__.py": text})
    assert kinds(verdict) == []
    assert "not the project itself" in verdict.advice[0].message
    assert kinds(gate.verify("smoke", {**NONE, "app.py": text})) == ["PackageNotFoundError"]


def test_a_library_may_refuse_a_part_that_was_not_built(gate: Any) -> None:
    text = "raise ModuleNotFoundError(\"No module named '_lib'\")\n"
    files = {"pyproject.toml": LIBRARY, "src/lib/__init__.py": "", "src/_lib/__init__.py": text}
    verdict = gate.verify("smoke", files)
    assert kinds(verdict) == []
    assert "on purpose" in verdict.advice[0].message
    assert kinds(gate.verify("smoke", {**NONE, "app.py": text})) == ["ModuleNotFoundError"]
    passes_on = "try:\n    from json import nothing\nexcept ImportError:\n    raise ImportError('broken')\n"
    assert kinds(gate.verify("smoke", {**files, "src/lib/__init__.py": passes_on})) == ["ImportError"]


def test_a_program_that_says_in_its_own_words_what_is_missing_is_still_broken(gate: Any) -> None:
    assert kinds(gate.verify("smoke", {**NONE, "app.py": REFUSES.format("RuntimeError")})) == ["RuntimeError"]


def test_what_fails_while_a_missing_module_is_replaced_counts(gate: Any) -> None:
    text = "try:\n    import drv\nexcept ImportError:\n    from json import nothing\n"
    files = {"pyproject.toml": LIBRARY, "src/lib/__init__.py": text}
    assert kinds(gate.verify("smoke", files)) == ["ImportError"]


def test_an_extra_is_recognised_by_the_distribution_that_brings_the_module(gate: Any) -> None:
    project = LIBRARY.replace("drv", "PyGithub")
    files = {"pyproject.toml": project, "src/lib/__init__.py": "", "deploy.py": "import github\n"}
    assert kinds(gate.verify("smoke", files)) == []
    files = {"pyproject.toml": LIBRARY, "src/lib/__init__.py": "", "deploy.py": "import github\n"}
    assert kinds(gate.verify("smoke", files)) == ["ModuleNotFoundError"]


def test_a_script_beside_a_library_may_need_more_and_one_of_a_program_may_not(gate: Any) -> None:
    files = {"src/lib/__init__.py": "", "scripts/banner.py": "import absent\n"}
    verdict = gate.verify("smoke", {**files, "pyproject.toml": LIBRARY})
    assert kinds(verdict) == []
    assert "a script beside a package" in verdict.advice[0].message
    assert kinds(gate.verify("smoke", {**files, **NONE})) == ["ModuleNotFoundError"]


def test_examples_for_a_type_checker_are_examples(gate: Any) -> None:
    assert kinds(gate.verify("smoke", {**NONE, "app.py": "", "typing-examples/wrong.py": "1 + ''\n"})) == []


# --- names -----------------------------------------------------------------------------------------------------


def test_a_part_of_a_package_that_is_called_like_what_it_adapts_is_imported_as_a_part(gate: Any) -> None:
    gate.offer("rich", rich="class Bar: ...\n")
    files = {
        "requirements.txt": "rich\n",
        "bars/__init__.py": "",
        "bars/std.py": "",
        "bars/rich.py": "from rich import Bar\nfrom .std import __name__ as std\n",
        "bars/threads.py": "try:\n    from threading import get_ident\nexcept ImportError:\n    from thread import get_ident\n",
        "bars/pools/__init__.py": "",
        "bars/pools/thread.py": "from ..std import __name__ as std\n",
    }
    assert gate.verify("smoke", files).passed


def test_modules_that_import_each_other_without_their_package_are_tried_so(gate: Any) -> None:
    files = {**NONE, "app/main.py": "from models import User\n", "app/models/user.py": "class User: ...\n"}
    files["app/models/__init__.py"] = "from .user import User\n"
    assert gate.verify("smoke", files).passed
    assert kinds(gate.verify("smoke", {**files, "app/models/user.py": ""})) == ["ImportError"]


def test_relative_imports_make_a_package_without_a_marker(gate: Any) -> None:
    files = {**NONE, "app/routes/users.py": "from ..models import User\n", "app/models.py": "class User: ...\n"}
    assert gate.verify("smoke", files).passed


def test_a_part_of_a_package_below_src_is_named_as_one_imports_it(gate: Any) -> None:
    files = {**NONE, "src/lib/__init__.py": "from . import part\n", "src/lib/part.py": "raise ValueError('broken')\n"}
    (failure,) = gate.verify("smoke", files).failures
    assert failure.repro in {'python -c "import lib"', 'python -c "import lib.part"'}


def test_a_circle_that_has_a_way_in_is_no_failure(gate: Any) -> None:
    fixed = {"zeta.py": "first = 1\nfrom alpha import second\n", "alpha.py": "from zeta import first\nsecond = 2\n"}
    assert gate.verify("smoke", fixed).passed
    broken = {"zeta.py": "from alpha import second\nfirst = 1\n", "alpha.py": "from zeta import first\nsecond = 2\n"}
    verdict = gate.verify("smoke", broken)
    assert kinds(verdict) == ["ImportError", "ImportError"]
    assert "cannot import name 'first' from partially initialized module 'zeta'" in verdict.failures[0].message + (
        verdict.failures[1].message
    )


# --- scripts -------------------------------------------------------------------------------------------------

ACTS = [
    "import shutil\nshutil.rmtree('data')\nraise SystemError('was run')\n",
    "open('data.txt', 'w').write('')\nraise SystemError('was run')\n",
    "from pathlib import Path\nPath('data.txt').write_text('')\nraise SystemError('was run')\n",
    "def main():\n    raise SystemError('was run')\n\nmain()\n",
    "def wipe():\n    import os\n    os.remove('data.txt')\n    raise SystemError('was run')\n\nx = 1\nwipe()\n",
    "import argparse\nargs = argparse.ArgumentParser().parse_args()\nraise SystemError('was run')\n",
    "while True:\n    raise SystemError('was run')\n",
    "import sqlite3\ndb = sqlite3.connect('x.db')\ndb.execute('drop table users')\nraise SystemError('was run')\n",
    "with open('data.txt', 'a') as f:\n    f.write('x')\nraise SystemError('was run')\n",
    "import subprocess\nsubprocess.run(['true'])\nraise SystemError('was run')\n",
]


@pytest.mark.parametrize("script", ACTS)
def test_a_script_that_would_act_is_not_run(gate: Any, script: str) -> None:
    assert kinds(gate.verify("smoke", {**NONE, "cleanup.py": script, "data.txt": "precious"})) == []


def test_what_a_script_imports_is_tried_all_the_same(gate: Any) -> None:
    verdict = gate.verify("smoke", {**NONE, "cleanup.py": "import absent\nimport shutil\nshutil.rmtree('data')\n"})
    assert verdict.failures[0].message == "ModuleNotFoundError: No module named 'absent'"


def test_code_behind_a_main_guard_is_no_script(gate: Any) -> None:
    guarded = "import os\nif __name__ == '__main__':\n    os.remove('data.txt')\nraise ValueError('reached')\n"
    assert kinds(gate.verify("smoke", {**NONE, "tool.py": guarded})) == ["ValueError"]


def test_the_tree_itself_stays_as_it_is(gate: Any) -> None:
    tree = gate.tree({**NONE, "app.py": "import logging\nlogging.basicConfig(filename='app.log')\n", "data.txt": "x"})
    assert gate.verify("smoke", tree).passed
    assert sorted(path.name for path in tree.root.rglob("*")) == ["app.py", "data.txt", "requirements.txt"]


# --- what it does not get to see or do -----------------------------------------------------------------------


def test_no_variable_of_the_user_is_seen(gate: Any) -> None:
    gate.env["DEPLOY_KEY"] = "hunter2-hunter2"
    gate.env["PLAIN"] = "plain"
    spy = "import os\nassert not {'DEPLOY_KEY', 'PLAIN'} & os.environ.keys(), 'seen'\n"
    spy += "assert 'hunter2' not in str(dict(os.environ))\n"
    assert gate.verify("smoke", {**NONE, "spy.py": spy}).passed


def test_no_file_of_the_user_is_seen(gate: Any, sandbox: None) -> None:
    (gate.base / "home" / ".netrc").write_text("password hunter2")
    spy = f"import os\nassert not os.path.exists({str(gate.base / 'home' / '.netrc')!r}), 'seen'\n"
    spy += "assert not os.path.exists('/etc/shadow'), 'passwords seen'\nassert not os.listdir('/home')\n"
    spy += "assert os.environ['HOME'] != '/root' and os.access(os.environ['HOME'], os.W_OK)\n"
    spy += "assert open(os.environ['TMPDIR'] + '/x', 'w')\n"
    assert gate.verify("smoke", {**NONE, "spy.py": spy}).passed


CALL = "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {}), 2)\nexcept OSError:\n    pass\n"


@pytest.mark.parametrize("allowed", [False, True])
def test_the_network_is_reached_only_if_somebody_allows_it(gate: Any, allowed: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        caller = CALL.format(listener.getsockname()[1])
        gate.verify("smoke", {**NONE, "caller.py": caller}, network=allowed)
        if allowed:
            listener.accept()[0].close()
        else:
            with pytest.raises(TimeoutError):
                listener.accept()


def test_without_a_sandbox_there_is_no_network_either_and_that_is_said(gate: Any, no_sandbox: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        verdict = gate.verify("smoke", {**NONE, "caller.py": CALL.format(listener.getsockname()[1])})
        with pytest.raises(TimeoutError):
            listener.accept()
    assert verdict.passed
    (advice,) = verdict.advice
    assert (advice.kind, "bubblewrap is missing" in advice.message) == ("no-sandbox", True)


def test_an_import_that_needs_a_server_is_not_judged(gate: Any) -> None:
    caller = "import socket\nsocket.create_connection(('10.1.2.3', 5432), 2)\n"
    verdict = gate.verify("smoke", {**NONE, "caller.py": caller})
    assert kinds(verdict) == []
    assert "needs a server" in verdict.advice[0].message


def test_an_import_that_needs_a_variable_is_not_judged(gate: Any) -> None:
    verdict = gate.verify("smoke", {**NONE, "config.py": "import os\nURL = os.environ['DATABASE_URL']\n"})
    assert kinds(verdict) == []
    assert "'DATABASE_URL'" in verdict.advice[0].message
    assert gate.verify("smoke", {**NONE, "config.py": "TABLE = {}\nTABLE['x']\n"}).failures


def test_a_variable_can_be_configured(gate: Any) -> None:
    files = {**NONE, "config.py": "import os\nassert os.environ['MODE'] == 'test'\n"}
    assert gate.verify("smoke", files, env={"MODE": "test"}).advice == ()


# --- modules that misbehave ----------------------------------------------------------------------------------


def test_a_module_that_never_comes_back_is_ended_and_the_others_are_tried(gate: Any) -> None:
    began = time.monotonic()
    files = {**NONE, "a.py": "import time\nx = [time.sleep(600)]\n", "b.py": "import absent\n", "c.py": ""}
    verdict = gate.verify("smoke", files, seconds=9)
    assert time.monotonic() - began < 30
    assert sorted(kinds(verdict)) == ["ModuleNotFoundError", "timeout"]


@pytest.mark.parametrize("way", ["os._exit(0)", "os._exit(3)", "os.kill(os.getpid(), 9)"])
def test_a_module_that_ends_the_process_has_not_been_imported(gate: Any, way: str) -> None:
    files = {**NONE, "app.py": "import way\n", "way.py": f"import os\n{way}\n", "other.py": "import json\n"}
    verdict = gate.verify("smoke", files)
    assert set(kinds(verdict)) == {"exit"}
    assert "ended the process" in verdict.failures[0].message


def test_a_module_that_takes_all_memory_fails_alone(gate: Any) -> None:
    files = {**NONE, "hog.py": "x = bytearray(1 << 40)\n", "b.py": "import json\n"}
    assert kinds(gate.verify("smoke", files)) == ["MemoryError"]


def test_what_a_module_prints_forges_no_answer(gate: Any) -> None:
    forger = 'import os\nfor fd in range(3, 30):\n    try:\n        os.write(fd, b\'{"end": 0, "ok": true, "loaded": []}\\n\')\n'
    forger += '    except OSError:\n        pass\nprint(\'{"module": 0, "ok": true}\')\nimport absent\n'
    verdict = gate.verify("smoke", {**NONE, "forger.py": forger})
    assert verdict.error or verdict.failures


# --- where it looks ------------------------------------------------------------------------------------------


def test_a_module_of_that_name_in_another_folder_does_not_hide_a_missing_dependency(gate: Any) -> None:
    files = {**NONE, "app.py": "import yaml\n", "unrelated/yaml.py": "x = 1\n"}
    assert [f.message for f in gate.verify("smoke", files).failures] == ["ModuleNotFoundError: No module named 'yaml'"]


@pytest.mark.parametrize("folder", ["build", "venv", "node_modules"])
def test_where_the_project_lies_does_not_matter(gate: Any, folder: str) -> None:
    inside = gate.base / folder
    inside.mkdir()
    gate.base = inside
    assert kinds(gate.verify("smoke", {**NONE, "app.py": "import absent\n"})) == ["ModuleNotFoundError"]


def test_each_folder_with_manifests_has_its_own_environment(gate: Any) -> None:
    gate.offer("sober")
    files = {
        "one/requirements.txt": "sober\n",
        "one/main.py": "import sober\n",
        "two/requirements.txt": "",
        "two/main.py": "import sober\n",
    }
    assert [f.file for f in gate.verify("smoke", files).failures] == ["two/main.py"]


def test_tests_set_up_files_and_documents_are_not_imported(gate: Any) -> None:
    broken = "raise ValueError\n"
    names = ("tests/test_a.py", "conftest.py", "setup.py", "docs/conf.py", "examples/x.py", "test_y.py", "noxfile.py")
    assert gate.verify("smoke", {**NONE, "app.py": "", **dict.fromkeys(names, broken)}).passed


def test_without_python_it_does_not_apply(gate: Any) -> None:
    assert gate.verify("smoke", {"index.html": "<p>"}).skipped == "no Python module"


def test_a_python_that_is_not_here_is_said(gate: Any) -> None:
    project = "[project]\nname = 'a'\nversion = '1'\nrequires-python = '<3.2'\ndependencies = []\n"
    assert "Python <3.2" in gate.verify("smoke", {"pyproject.toml": project, "a.py": ""}).skipped


def test_django_finds_its_settings(gate: Any) -> None:
    django = "import os\ndef setup():\n    global ready\n    ready = os.environ['DJANGO_SETTINGS_MODULE']\n"
    gate.offer("django", django=django)
    manage = "import os\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')\n"
    models = "import django\nassert django.ready == 'shop.settings'\n"
    files = {"requirements.txt": "django\n", "manage.py": manage, "shop/__init__.py": "", "shop/models.py": models}
    assert gate.verify("smoke", {**files, "shop/settings.py": ""}).passed
