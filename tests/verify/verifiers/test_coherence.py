"""Do the parts refer to things that exist?"""

from __future__ import annotations

import pytest

from .conftest import Folder

COMPOSE = """
services:
  backend:
    build: .
    environment:
      DATABASE_URL: postgresql://u:p@db:5432/tasks
  db:
    image: postgres
"""


def test_a_database_that_is_written_into_the_code_ignores_the_one_that_is_told(folder: Folder) -> None:
    folder.write({"docker-compose.yml": COMPOSE, "database.py": 'URL = "sqlite:///./tasks.db"\n'})

    [failure] = folder.say("coherence").failures
    assert (failure.kind, failure.file, failure.line) == ("ignored-variable", "database.py", 1)
    assert "DATABASE_URL is set to a postgresql database for service backend" in failure.message


@pytest.mark.parametrize(
    "code",
    [
        'import os\nURL = os.environ.get("DATABASE_URL", "sqlite:///x")\n',
        'class Settings(BaseSettings):\n    database_url: str = "sqlite:///x"\n',
        'import dj_database_url\nURL = dj_database_url.config(default="sqlite:///x")\n',
        'URL = "postgres://db/tasks"\n',
        "x = 1\n",
    ],
)
def test_code_that_may_read_it_contradicts_nothing(folder: Folder, code: str) -> None:
    assert folder.write({"compose.yaml": COMPOSE, "database.py": code}).say("coherence").failures == ()


@pytest.mark.parametrize(
    ("files", "kind", "counts"),
    [
        ({"Dockerfile": "FROM x\nCOPY requirements.txt .\n"}, "missing-path", True),
        ({"Dockerfile": 'FROM x\nCOPY ["main.py", "/app/"]\n'}, "missing-path", True),
        ({"Dockerfile": "FROM x\nCOPY .env .\n"}, "missing-path", False),
        ({"Dockerfile": "FROM x\nCOPY secret.py .\n", ".gitignore": "secret.py\n"}, "missing-path", False),
        ({"Dockerfile": "FROM x\nCOPY dist/app.js .\n"}, "missing-path", False),
        ({"compose.yml": "services:\n  a:\n    build: ./gone\n"}, "missing-path", True),
        ({"compose.yml": "services:\n  a:\n    image: x\n    depends_on: [b]\n"}, "unknown-service", True),
        (
            {"compose.yml": "services:\n  a:\n    image: x\n    environment: ['R=redis://cache:1/0']\n"},
            "unknown-host",
            False,
        ),
        ({"package.json": '{"scripts": {"start": "node server.js"}}'}, "missing-path", True),
        ({"package.json": '{"scripts": {"a": "npm run b"}}'}, "unknown-script", False),
        (
            {".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: python scripts/x.py\n"},
            "missing-path",
            False,
        ),
        (
            {"pyproject.toml": '[project]\nname = "p"\n[project.scripts]\np = "p.cli:main"\n', "p/__init__.py": ""},
            "missing-entry-point",
            True,
        ),
        (
            {
                "pyproject.toml": '[project]\nname = "p"\n[project.scripts]\np = "p:main"\n',
                "p/__init__.py": "def start(): ...\n",
            },
            "missing-entry-point",
            True,
        ),
    ],
)
def test_what_is_named_and_not_there_is_found(folder: Folder, files: dict[str, str], kind: str, counts: bool) -> None:
    verdict = folder.write(files).say("coherence")

    assert [f.kind for f in verdict.failures] == ([kind] if counts else [])
    assert [f.kind for f in verdict.advice] == ([] if counts else [kind])


@pytest.mark.parametrize(
    "files",
    [
        {
            "Dockerfile": "FROM x AS b\nFROM y\nCOPY --from=b /out/main.py .\nCOPY . .\nCOPY $FILES .\nCOPY --chown=1 a.py /a\n",
            "a.py": "",
        },
        {
            "docker/Dockerfile": "FROM x\nCOPY a.py .\n",
            "a.py": "",
            "compose.yml": "services:\n  a:\n    build: {context: ., dockerfile: docker/Dockerfile}\n",
        },
        {"docker/Dockerfile": "FROM x\nCOPY a.py .\n", "a.py": ""},
        {"Dockerfile": "FROM x\nCOPY package*.json src ./\nADD https://x/y.py /\nCOPY ../out.py .\n", "src/a.js": ""},
        {"compose.override.yml": "services:\n  a:\n    depends_on: [b]\n"},
        {"package.json": '{"scripts": {"start": "node dist/server.js", "a": "npm run b --if-present"}}'},
        {"pyproject.toml": '[project]\nname = "p"\n[project.scripts]\np = "elsewhere.cli:main"\n'},
        {"compose.yml": "services: [broken"},
        {"compose.yml": "services:\n  a: &a [*a]\n"},
        {"compose.yml": "services:\n  a:\n    build: ../../../etc\n    environment: 3\n    depends_on: yes\n"},
        {"Dockerfile": 'FROM x\nCOPY ["unfinished\nCOPY\nCOPY "a\n'},
    ],
)
def test_what_is_there_or_cannot_be_known_is_left_alone(folder: Folder, files: dict[str, str]) -> None:
    assert folder.write(files).say("coherence").failures == ()


def test_one_kind_can_be_switched_off(folder: Folder) -> None:
    folder.write({"docker-compose.yml": COMPOSE, "database.py": 'URL = "sqlite:///./tasks.db"\n'})

    assert folder.say("coherence", coherence={"off": ["ignored-variable"]}).failures == ()


def test_where_nothing_refers_to_anything_it_is_skipped(folder: Folder) -> None:
    assert folder.write({"a.py": "x = 1\n"}).say("coherence").skipped


# --- ports --------------------------------------------------------------------------------------------------------

IMAGE = "FROM python:3.12\nCOPY . .\n"
SERVICE = "services:\n  web:\n    build: .\n    ports:\n      - '{0}'\n"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"Dockerfile": f"{IMAGE}EXPOSE 80\nCMD uvicorn main:app --port 8000\n"},
            "exposes 80, and its command listens on 8000",
        ),
        (
            {"Dockerfile": f"{IMAGE}CMD uvicorn main:app --port 8000\n", "compose.yml": SERVICE.format("8080:80")},
            "publishes its port 80, and its command listens on 8000",
        ),
        (
            {
                "Dockerfile": f'{IMAGE}CMD ["gunicorn", "-b", "0.0.0.0:5000", "a:b"]\n',
                "compose.yml": SERVICE.format("8000"),
            },
            "publishes its port 8000, and its command listens on 5000",
        ),
        (
            {
                "Dockerfile": f"{IMAGE}CMD flask run --host 0.0.0.0\n",
                "compose.yml": SERVICE.format("127.0.0.1:80:80/tcp"),
            },
            "publishes its port 80, and its command listens on 5000",
        ),
        (
            {"Dockerfile": f"{IMAGE}EXPOSE 3000/tcp\nCMD ./start\n", "compose.yml": SERVICE.format("80:8000")},
            "publishes its port 8000, and its image exposes 3000",
        ),
        (
            {
                "Dockerfile": f"{IMAGE}",
                "compose.yml": SERVICE.format("80:80") + "    command: python manage.py runserver 0.0.0.0:8000\n",
            },
            "publishes its port 80, and its command listens on 8000",
        ),
    ],
)
def test_ports_that_do_not_fit_are_advice(folder: Folder, files: dict[str, str], words: str) -> None:
    verdict = folder.write(files | {"main.py": "x = 1\n"}).say("coherence")

    assert [f.kind for f in verdict.advice if f.kind == "port-mismatch"] == ["port-mismatch"]
    assert any(words in f.message for f in verdict.advice)
    assert not [f for f in verdict.failures if f.kind == "port-mismatch"]


@pytest.mark.parametrize(
    "files",
    [
        {
            "Dockerfile": f"{IMAGE}EXPOSE 8000\nCMD uvicorn main:app --host 0.0.0.0\n",
            "compose.yml": SERVICE.format("80:8000"),
        },
        {"Dockerfile": f"{IMAGE}EXPOSE 80\nCMD uvicorn main:app --port $PORT\n"},
        {
            "Dockerfile": f"{IMAGE}ENV PORT=80\nEXPOSE $PORT\nCMD uvicorn main:app\n",
            "compose.yml": SERVICE.format("80:80"),
        },
        {"Dockerfile": f"{IMAGE}EXPOSE 80\nCMD gunicorn -c conf.py main:app\n"},
        {"Dockerfile": f"{IMAGE}CMD uvicorn main:app\n", "compose.yml": SERVICE.format("${WEB:-80}:${WEB:-80}")},
        {"Dockerfile": f"{IMAGE}CMD uvicorn main:app\n", "compose.yml": SERVICE.format("3000-3005:3000-3005")},
        {"Dockerfile": f"{IMAGE}EXPOSE 80 8000\nCMD supervisord\n", "compose.yml": SERVICE.format("8000:8000")},
        {"compose.yml": "services:\n  db:\n    image: postgres\n    ports: ['5432:5432']\n"},
    ],
)
def test_ports_that_fit_or_that_nobody_knows_are_not_spoken_of(folder: Folder, files: dict[str, str]) -> None:
    verdict = folder.write(files | {"main.py": "x = 1\n"}).say("coherence")

    assert not [f for f in (*verdict.advice, *verdict.failures) if f.kind == "port-mismatch"]


# --- databases that are told and not read -----------------------------------------------------------------------------

REDIS = (
    "services:\n  web:\n    build: .\n    environment: {CACHE: 'redis://cache:6379/0'}\n  cache:\n    image: redis\n"
)


def test_a_server_that_is_looked_for_in_the_same_container_is_not_the_one_that_is_told(folder: Folder) -> None:
    folder.write({"compose.yml": REDIS, "worker.py": "CLIENT = 'redis://localhost:6379/0'\n"})
    [failure] = folder.say("coherence").failures
    assert (failure.kind, failure.file) == ("ignored-variable", "worker.py")
    assert "redis://localhost" in failure.message
    reading = "import os\nCLIENT = os.environ.get('CACHE', 'redis://localhost:6379/0')\n"
    assert folder.write({"worker.py": reading}).say("coherence").failures == ()


def test_a_cache_and_a_database_are_not_the_same_thing(folder: Folder) -> None:
    code = "URL = 'postgresql://localhost/x'\n"
    assert folder.write({"compose.yml": REDIS, "database.py": code}).say("coherence").failures == ()


def test_a_python_name_that_is_called_like_the_variable_reads_nothing(folder: Folder) -> None:
    code = "from sqlalchemy import create_engine\n\nDATABASE_URL = 'sqlite:///./a.db'\nengine = create_engine(DATABASE_URL)\n"
    folder.write({"compose.yml": COMPOSE, "database.py": code, ".env": "DATABASE_URL=postgresql://x@db/y\n"})
    [failure] = folder.say("coherence").failures
    assert failure.kind == "ignored-variable"
    settings = (
        "from pydantic_settings import BaseSettings\n\nclass S(BaseSettings):\n    database_url: str = 'sqlite:///x'\n"
    )
    assert folder.write({"database.py": settings}).say("coherence").failures == ()


@pytest.mark.parametrize(("source", "counts"), [("src/", 1), ("backend", 1), ("dist", 0), ("data/", 0)])
def test_a_folder_of_code_that_is_copied_has_to_be_there(folder: Folder, source: str, counts: int) -> None:
    folder.write({"Dockerfile": f"FROM python:3.12\nCOPY {source} /srv/\n", "main.py": "x = 1\n"})
    assert len(folder.say("coherence").failures) == counts
