"""Broken workspaces as agents leave them, with real packages: what is wrong is found, what was repaired is not accused.

Needs a package registry, so it is a suite of its own: `make test-gate`.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Mapping
from typing import Any

import pytest

from trueup.verify.verifiers.base import Verdict

if not os.environ.get("TRUEUP_TEST_GATE"):
    pytest.skip("needs a package registry: run `make test-gate`", allow_module_level=True)

Files = Mapping[str, str]
CHAIN = ("dependencies", "smoke", "entrypoint")
FASTAPI = (
    "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get('/health')\ndef health():\n    return {'ok': True}\n"
)
FLASK = "from flask import Flask\n\napp = Flask(__name__)\n"
DOCKER = "FROM python:3.12-slim\nWORKDIR /srv\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n"
UVICORN = "fastapi\nuvicorn\n"


@pytest.fixture
def registry(gate: Any) -> Any:
    """The index that this machine is configured for."""
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_CONFIG_FILE"):
        del gate.env[name]
    told = re.compile(r"PIP_|UV_|SSL_|REQUESTS_CA|https?_proxy|no_proxy|NODE_EXTRA|npm_config", re.IGNORECASE)
    gate.env |= {name: value for name, value in os.environ.items() if told.match(name)}
    gate.env["HOME"] = os.environ.get("HOME", gate.env["HOME"])
    return gate


def chain(gate: Any, files: Files) -> tuple[str, Verdict]:
    """The first that does not pass, as the gate has them follow each other."""
    tree = gate.tree(files)
    for name in CHAIN:
        verdict = gate.verify(name, tree)
        assert not verdict.error, verdict.error
        if verdict.failures:
            return name, verdict
    return "", verdict


BROKEN: dict[str, tuple[Files, Files, str]] = {
    "a pin that was never released": (
        {"requirements.txt": "requests==99.1.0\n", "a.py": "import requests\n"},
        {"requirements.txt": "requests\n", "a.py": "import requests\n"},
        "No matching distribution found for requests==99.1.0",
    ),
    "a distribution that does not exist": (
        {"requirements.txt": "click\npkg-resources==0.0.0\n"},
        {"requirements.txt": "click\n"},
        "pkg-resources",
    ),
    "a deprecated dummy that refuses to build": (
        {"requirements.txt": "sklearn\n"},
        {"requirements.txt": "joblib\n"},
        "deprecated, use 'scikit-learn'",
    ),
    "pins that exclude each other": (
        {"pyproject.toml": "[project]\nname='a'\nversion='1'\ndependencies=['flask==2.3.0', 'werkzeug==2.0.0']\n"},
        {"pyproject.toml": "[project]\nname='a'\nversion='1'\ndependencies=['flask==2.3.0', 'werkzeug>=2.3']\n"},
        "werkzeug",
    ),
    "a pair that resolves and does not fit": (
        {"requirements.txt": "Flask==2.0.0\n", "app.py": FLASK},
        {"requirements.txt": "Flask==2.0.0\nWerkzeug==2.0.3\n", "app.py": FLASK},
        "cannot import name 'url_quote'",
    ),
    "a name that moved to another package": (
        {"requirements.txt": "pydantic>=2\n", "app/settings.py": "from pydantic import BaseSettings\n"},
        {
            "requirements.txt": "pydantic>=2\npydantic-settings\n",
            "app/settings.py": "from pydantic_settings import BaseSettings\n",
        },
        "BaseSettings",
    ),
    "a package that nothing imports": (
        {
            "requirements.txt": "fastapi\n",
            "m.py": "from fastapi import FastAPI, File\napp = FastAPI()\n\n@app.post('/')\ndef up(f: bytes = File()):\n    ...\n",
        },
        {
            "requirements.txt": "fastapi\npython-multipart\n",
            "m.py": "from fastapi import FastAPI, File\napp = FastAPI()\n\n@app.post('/')\ndef up(f: bytes = File()):\n    ...\n",
        },
        "python-multipart",
    ),
    "a missing requirement": (
        {"requirements.txt": "click\n", "core/db.py": "import click\nimport dotenv\n"},
        {"requirements.txt": "click\npython-dotenv\n", "core/db.py": "import click\nimport dotenv\n"},
        "No module named 'dotenv'",
    ),
    "a Dockerfile whose copy flattens the package": (
        {
            "requirements.txt": UVICORN,
            "Dockerfile": DOCKER + 'COPY server .\nCMD ["uvicorn", "server.main:app"]\n',
            "server/main.py": FASTAPI,
        },
        {
            "requirements.txt": UVICORN,
            "Dockerfile": DOCKER + 'COPY server .\nCMD ["uvicorn", "main:app"]\n',
            "server/main.py": FASTAPI,
        },
        "server.main",
    ),
    "a Procfile with the wrong module": (
        {
            "requirements.txt": "flask\ngunicorn\n",
            "Procfile": "web: gunicorn main:app\n",
            "web/app.py": FLASK,
            "web/__init__.py": "",
        },
        {
            "requirements.txt": "flask\ngunicorn\n",
            "Procfile": "web: gunicorn web.app:app\n",
            "web/app.py": FLASK,
            "web/__init__.py": "",
        },
        "main",
    ),
    "a server that nobody declared": (
        {"requirements.txt": "fastapi\n", "Procfile": "web: uvicorn main:app --port $PORT\n", "main.py": FASTAPI},
        {"requirements.txt": UVICORN, "Procfile": "web: uvicorn main:app --port $PORT\n", "main.py": FASTAPI},
        "uvicorn",
    ),
    "an application that fails when it begins to serve": (
        {
            "requirements.txt": UVICORN,
            "docker-compose.yml": "services:\n  web:\n    build: .\n    command: uvicorn main:app --host 0.0.0.0\n    ports: ['80:80']\n",
            "main.py": "from fastapi import FastAPI\n\n\nasync def begin(app):\n    raise ValueError('no model')\n    yield\n\n\napp = FastAPI(lifespan=begin)\n",
        },
        {
            "requirements.txt": UVICORN,
            "docker-compose.yml": "services:\n  web:\n    build: .\n    command: uvicorn main:app --host 0.0.0.0\n    ports: ['80:80']\n",
            "main.py": FASTAPI,
        },
        "no model",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_named_and_what_was_repaired_is_not_accused(registry: Any, name: str) -> None:
    broken, fixed, expected = BROKEN[name]
    failed, verdict = chain(registry, broken)
    assert failed
    assert expected in " ".join(f.message for f in verdict.failures)
    assert chain(registry, fixed)[0] == ""


def test_django_starts(registry: Any) -> None:
    settings = "SECRET_KEY='x'\nDEBUG=True\nROOT_URLCONF='site_.urls'\nALLOWED_HOSTS=['*']\n"
    manage = "import os, sys\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site_.settings')\n"
    manage += "if __name__ == '__main__':\n    from django.core.management import execute_from_command_line\n    execute_from_command_line(sys.argv)\n"
    files = {
        "requirements.txt": "django\n",
        "manage.py": manage,
        "site_/__init__.py": "",
        "site_/settings.py": settings,
        "site_/urls.py": "urlpatterns = []\n",
        "Procfile": "web: python manage.py runserver 0.0.0.0:$PORT\n",
    }
    assert chain(registry, files)[0] == ""


@pytest.mark.parametrize("version", ["^1.0.0", "^99.0.0"])
def test_npm_answers_for_its_packages(registry: Any, version: str) -> None:
    if not shutil.which("npm", path=registry.env["PATH"]):
        pytest.skip("npm is not installed on this machine")
    verdict = registry.verify(
        "dependencies", {"package.json": '{"name": "a", "dependencies": {"ms": "' + version + '"}}'}
    )
    assert not verdict.error
    assert bool(verdict.failures) == (version == "^99.0.0")
    assert all("ms@^99.0.0" in failure.message for failure in verdict.failures)


# --- the browser ---------------------------------------------------------------------------------------------


@pytest.fixture
def browser(registry: Any) -> Any:
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("Playwright is not installed: pip install 'trueup[browser]'")
    if not shutil.which("chromium", path=registry.env["PATH"]):
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    return registry


PAGES = [
    ("<h1>Welcome</h1>", []),
    ("", ["empty-page"]),
    ("<h1>Welcome</h1><script>missing()</script>", ["page-error"]),
    ("<h1>Welcome</h1><script>console.error('broken')</script>", ["console"]),
    ("<h1>Welcome</h1><img src=/gone.png>", ["request"]),
    ("<h1>Goodbye</h1>", ["text"]),
]


@pytest.mark.parametrize(("body", "kinds"), PAGES)
def test_what_is_wrong_with_a_page_is_seen(browser: Any, body: str, kinds: list[str]) -> None:
    app = f"from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get('/')\ndef index():\n    return {f'<body>{body}</body>'!r}\n"
    files = {"requirements.txt": "flask\n", "Procfile": "web: flask --app app run --port $PORT\n", "app.py": app}
    wanted = {"text": "Welcome"} if kinds == ["text"] else {}
    verdict = browser.verify("browser", files, **wanted)
    assert not verdict.error
    assert [failure.kind for failure in verdict.failures] == kinds
    assert verdict.files["browser.png"].startswith(b"\x89PNG")


def test_a_page_without_a_program_is_served(browser: Any) -> None:
    assert browser.verify("browser", {"index.html": "<h1>Hello</h1>"}).passed
    assert browser.verify("browser", {"readme.txt": "x"}).skipped
