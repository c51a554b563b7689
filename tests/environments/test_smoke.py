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
