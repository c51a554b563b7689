"""What does a command start: which module, which name in it, which script, and where in the text does it say so?"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

_SERVERS = r"uvicorn|gunicorn|hypercorn|daphne|granian|waitress-serve|uwsgi|functions-framework"
_GAP = r"[\"']?\s*,?\s*[\"']?"
_WORDS = r"(?:(?![;&|\n]).){0,300}?"
_TARGET = re.compile(
    rf"\b(?:{_SERVERS})\b(?P<between>{_WORDS})(?<=[\s\"',=])(?P<module>[A-Za-z_]\w*(?:[./][A-Za-z_]\w*)*):(?P<name>[A-Za-z_]\w*)(?:\(\))?(?=[\s\"',\]]|$)"
)
_MODULE = re.compile(rf"\bpython[0-9.]*{_GAP}(?:-[uOB]+{_GAP})*-m{_GAP}(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_SCRIPT = re.compile(
    rf"\b(?:python[0-9.]*|streamlit{_GAP}run|fastapi{_GAP}(?:run|dev)|node){_GAP}(?:-[uOB]+{_GAP})*(?P<path>[\w./-]+\.(?:py|js|mjs))"
)
_FLASK = re.compile(
    r"(?:--app[\s=,\"']+|FLASK_APP[\s=:\"']+)(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?::(?P<name>\w+))?(?![\w./])"
)
_CELERY = re.compile(rf"\bcelery\b{_WORDS}(?:-A|--app)[\s=,\"']+(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_CONSOLE = re.compile(r"(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):(?P<name>[A-Za-z_]\w*)")
_WSGI = re.compile(r"\b(?:gunicorn|uwsgi|daphne)\b(?P<words>[^;&|\n]{0,400})")
_DOTTED = re.compile(r"(?<=[\s\"',])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?=[\s\"',\]]|$)")
"""A module without a name: what is served is called `application`."""
_VALUE = re.compile(r"(?:-k|-c|--[\w-]+)[=\s\"',]+$")
_TOOLS = frozenset({
    "uvicorn", "gunicorn", "hypercorn", "flask", "streamlit", "pip", "http.server", "pytest", "venv", "celery",
    "unittest", "daphne", "alembic", "gradio", "debugpy", "coverage", "build", "uv", "poetry", "fastapi", "django",
    "black", "ruff", "mypy",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Something that a command starts; `start` and `end` are where it is written: `module:name`, or a path."""

    start: int
    end: int
    module: str = ""
    name: str = ""
    """What the module has to define; "" when nothing."""
    path: str = ""
    named: bool = True
    """Whether the name is written, too."""
    console: bool = False
    """Whether it is a function that gets installed as a program."""
    program: bool = False
    """Whether the module is run: `python -m package.module`."""


def console_scripts(text: str) -> Iterator[Started]:
    """What a pyproject.toml installs as programs."""
    try:
        project = tomllib.loads(text).get("project", {})
    except (ValueError, RecursionError):
        return
    for target in (str(one) for key in ("scripts", "gui-scripts") for one in dict(project.get(key, {})).values()):
        found = _CONSOLE.fullmatch(target)
        at = next((text.find(f"{quote}{target}{quote}") for quote in "\"'" if f"{quote}{target}{quote}" in text), -1)
        if found and at >= 0:
            end = at + 1 + len(target)
            yield Started(start=at + 1, end=end, module=found["module"], name=found["name"], console=True)


def started(text: str) -> Iterator[Started]:
    """All that a Dockerfile, Procfile, compose file or script starts of the project's own, as they are written."""
    for found in _TARGET.finditer(text):
        module = found["module"].replace("/", ".")
        yield Started(start=found.start("module"), end=found.end("name"), module=module, name=found["name"])
    yield from _served(text)
    for pattern in (_MODULE, _FLASK, _CELERY):
        for found in pattern.finditer(text):
            if found["module"] not in _TOOLS:
                name = found.groupdict().get("name") or ""
                end = found.end("name") if name else found.end("module")
                run = pattern is _MODULE
                yield Started(start=found.start("module"), end=end, module=found["module"], name=name, program=run)
    for found in _SCRIPT.finditer(text):
        yield Started(start=found.start("path"), end=found.end("path"), path=found["path"])


def _served(text: str) -> Iterator[Started]:
    """`gunicorn site.wsgi`: the word that is no option's value."""
    for command in _WSGI.finditer(text):
        for word in _DOTTED.finditer(text, *command.span("words")):
            if not _VALUE.search(text[: word.start()]) and not word[0].endswith((".py", ".ini", ".toml", ".sock")):
                yield Started(start=word.start(), end=word.end(), module=word[0], name="application", named=False)
