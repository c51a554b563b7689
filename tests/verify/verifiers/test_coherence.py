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
