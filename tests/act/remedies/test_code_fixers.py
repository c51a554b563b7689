"""Names that moved, modules with another name, entry points with another module."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Proposed, failure

Propose = Callable[..., list[Proposed]]


@pytest.mark.parametrize(
    ("message", "before", "after"),
    [
        ("cannot import name 'Mapping' from 'collections'", "from collections import Mapping, OrderedDict\n", "from collections import OrderedDict\nfrom collections.abc import Mapping\n"),
        ("module 'collections' has no attribute 'Mapping'", "import collections\n\nx = (collections.Mapping, collections.OrderedDict)\n", "import collections.abc\nimport collections\n\nx = (collections.abc.Mapping, collections.OrderedDict)\n"),
        ("cannot import name 'gcd' from 'fractions'", "def f():\n    from fractions import gcd as g\n    return 'ü', g\n", "def f():\n    from math import gcd as g\n    return 'ü', g\n"),
        ("module 'time' has no attribute 'clock'", "import time as t\né = t.clock(); ö = t.clock()\n", "import time as t\né = t.perf_counter(); ö = t.perf_counter()\n"),
        ("module 'numpy' has no attribute 'float'", "import numpy as np\nx = np.zeros(3, np.float)\n", "import numpy as np\nx = np.zeros(3, float)\n"),
        ("cannot import name 'izip' from 'itertools'", "from itertools import izip, chain\n", "from itertools import chain\nizip = zip\n"),
        ("No module named 'urlparse'", "from urlparse import urljoin\n", "from urllib.parse import urljoin\n"),
        ("cannot import name 'ugettext_lazy' from 'django.utils.translation'", "from django.utils.translation import ugettext_lazy as _\n", "from django.utils.translation import gettext_lazy as _\n"),
        ("cannot import name 'url' from 'django.conf.urls'", "from django.conf.urls import include, url\n", "from django.conf.urls import include\nfrom django.urls import re_path as url\n"),
    ],
)  # fmt: skip
def test_a_name_is_found_in_its_new_place(propose: Propose, message: str, before: str, after: str) -> None:
    about = failure(message, check="smoke", kind="ImportError", file="a.py")
    assert propose({"a.py": before}, about)[0] == {"a.py": after.encode()}


def test_an_import_that_may_fail_is_left_alone(propose: Propose) -> None:
    code = "try:\n    from collections import Mapping\nexcept ImportError:\n    from collections.abc import Mapping\n"
    about = failure("cannot import name 'Mapping' from 'collections'", check="smoke", file="a.py")
    assert propose({"a.py": code}, about) == []


def test_a_folder_becomes_a_package(propose: Propose) -> None:
    about = failure("No module named 'app.core'", check="smoke", file="main.py")
    files = {"main.py": "import app.core.x\n", "app/core/x.py": "", "app/__init__.py": ""}
    assert propose(files, about)[0] == {"app/core/__init__.py": b""}


APP = "from fastapi import FastAPI\napp = FastAPI()\n"


@pytest.mark.parametrize(
    ("files", "path", "after"),
    [
        ({"Procfile": "web: uvicorn main:app --port $PORT\n", "src/main.py": APP, "src/__init__.py": ""}, "Procfile", "web: uvicorn src.main:app --port $PORT\n"),
        ({"Procfile": "web: gunicorn -w 4 -k uvicorn.workers.UvicornWorker main:app\n", "service.py": APP}, "Procfile", "web: gunicorn -w 4 -k uvicorn.workers.UvicornWorker service:app\n"),
        ({"Dockerfile": 'FROM python\nWORKDIR /app\nCOPY backend .\nCMD ["uvicorn", "app.main:app", "--port", "80"]\n', "backend/main.py": APP}, "Dockerfile", 'FROM python\nWORKDIR /app\nCOPY backend .\nCMD ["uvicorn", "main:app", "--port", "80"]\n'),
        ({"Dockerfile": "FROM python\nWORKDIR /code\nCOPY ./app /code/app\nCMD uvicorn main:app\n", "app/main.py": APP}, "Dockerfile", "FROM python\nWORKDIR /code\nCOPY ./app /code/app\nCMD uvicorn app.main:app\n"),
        ({"docker-compose.yml": "services:\n  web:\n    command: python server.py\n", "src/server.py": "x = 1\n"}, "docker-compose.yml", "services:\n  web:\n    command: python src/server.py\n"),
        ({"Procfile": "worker: celery -A tasks worker\n", "jobs/tasks.py": "from celery import Celery\napp = Celery()\n"}, "Procfile", "worker: celery -A jobs.tasks worker\n"),
        ({"Procfile": "web: python -m server\n", "pkg/server.py": ""}, "Procfile", "web: python -m pkg.server\n"),
        ({"Procfile": "web: gunicorn app:app\n", "app.py": "from flask import Flask\napplication = Flask(__name__)\n"}, "Procfile", "web: gunicorn app:application\n"),
        ({"package.json": '{"scripts": {"start": "node server.js"}}', "src/server.js": ""}, "package.json", '{"scripts": {"start": "node src/server.js"}}'),
        ({"pyproject.toml": '[project]\nname = "a"\n[project.scripts]\na = "a.main:run"\n', "src/a/cli/main.py": "def run(): ...\n"}, "pyproject.toml", '[project]\nname = "a"\n[project.scripts]\na = "a.cli.main:run"\n'),
    ],
)  # fmt: skip
def test_an_entry_point_names_the_module_that_is_there(
    propose: Propose, files: dict[str, str], path: str, after: str
) -> None:
    about = failure("No module named 'main'", check="entrypoint", file=path)
    assert propose(files, about) == [{path: after.encode()}]


@pytest.mark.parametrize(
    "files",
    [
        {"Procfile": "web: uvicorn main:app\n", "main.py": APP},
        {"Procfile": "web: uvicorn main:app\n", "one.py": APP, "two.py": APP},
        {"Procfile": "web: uvicorn main:app\n", "tests/main.py": APP},
        {"Procfile": "web: uvicorn main:app\n", "helper.py": "app = 3\n"},
        {"Procfile": "web: node index.js\n", "a/index.js": "", "b/index.js": ""},
        {"Procfile": "web: python -m http.server\n"},
        {"Procfile": "web: python /opt/run.py\n", "run.py": ""},
    ],
)
def test_an_entry_point_that_is_right_or_unclear_stays(propose: Propose, files: dict[str, str]) -> None:
    about = failure("it does not start", check="entrypoint", file="Procfile")
    assert propose(files, about) == []


MAIN = "def main():\n    print(1)\n\n\nif __name__ == '__main__':\n    main()\n"
WSGI = "from django.core.wsgi import get_wsgi_application\n\napplication = get_wsgi_application()\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "more"),
    [
        ("Procfile", "worker: python main.py\n", "worker: python job.py\n", {"job.py": MAIN, "util.py": "x = 1\n"}),
        ("Dockerfile", 'CMD ["python", "main.py"]\n', 'CMD ["python", "app.py"]\n', {"app.py": "print(1)\n"}),
        (
            "package.json",
            '{"scripts": {"start": "node server.js"}}',
            '{"scripts": {"start": "node index.js"}}',
            {"index.js": ""},
        ),
        ("Procfile", "web: gunicorn config.wsgi\n", "web: gunicorn site.wsgi\n", {"site/wsgi.py": WSGI}),
        (
            "Procfile",
            "web: gunicorn -k uvicorn.workers.UvicornWorker config.wsgi --log-file -\n",
            "web: gunicorn -k uvicorn.workers.UvicornWorker site.wsgi --log-file -\n",
            {"site/wsgi.py": WSGI},
        ),
        (
            "pyproject.toml",
            "[project]\nname = 'x'\n[project.scripts]\nx = 'x.cli:main'\n",
            "[project]\nname = 'x'\n[project.scripts]\nx = 'x.__main__:main'\n",
            {"x/__init__.py": "", "x/__main__.py": MAIN},
        ),
        (
            "pyproject.toml",
            "[project]\nname = 'x'\n[project.scripts]\nx = 'x.cli:run'\n",
            "[project]\nname = 'x'\n[project.scripts]\nx = 'x.cli:main'\n",
            {"x/__init__.py": "", "x/cli.py": "def helper(path): ...\n\n\ndef main(argv=None): ...\n"},
        ),
        (
            "Procfile",
            "worker: python -m shop.server\n",
            "worker: python -m shop.job\n",
            {"shop/job.py": MAIN, "shop/util.py": ""},
        ),
        (
            "docker-compose.yml",
            "services:\n  api:\n    build: .\n    command: uvicorn src.main:app\n  db:\n    image: postgres\n",
            "services:\n  api:\n    build: .\n    command: uvicorn main:app\n  db:\n    image: postgres\n",
            {"Dockerfile": "FROM python\nWORKDIR /code\nCOPY src /code\n", "src/main.py": APP},
        ),
        (
            "docker-compose.yml",
            "services:\n  api:\n    build: {context: api, dockerfile: web.dockerfile}\n    command: uvicorn main:app\n",
            "services:\n  api:\n    build: {context: api, dockerfile: web.dockerfile}\n    command: uvicorn app.main:app\n",
            {"api/web.dockerfile": "FROM python\nWORKDIR /srv\nCOPY app app\n", "api/app/main.py": APP},
        ),
    ],
)
def test_a_command_names_the_one_program_that_is_there(
    propose: Propose, path: str, before: str, after: str, more: dict[str, str]
) -> None:
    about = failure("there is none", check="entrypoint", kind="missing-file", file=path)
    assert {path: after.encode()} in propose({path: before, **more}, about)


@pytest.mark.parametrize("code", ["def main(argv): ...\n", "main = 3\n", "def main(): ...\n\n\ndef cli(): ...\n"])
def test_a_console_script_gets_no_function_that_cannot_be_meant(propose: Propose, code: str) -> None:
    about = failure("cannot import name 'go'", check="coherence", kind="missing-entry-point", file="pyproject.toml")
    manifest = "[project]\nname = 'x'\n[project.scripts]\nx = 'x.cli:go'\n"
    assert propose({"pyproject.toml": manifest, "x/__init__.py": "", "x/cli.py": code}, about) == []


def test_where_two_could_be_meant_nothing_is_proposed(propose: Propose) -> None:
    about = failure("there is none", check="entrypoint", kind="missing-file", file="Procfile")
    assert propose({"Procfile": "web: python main.py\n", "a.py": MAIN, "b.py": MAIN}, about) == []
