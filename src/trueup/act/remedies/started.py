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
            yield Started(start=at + 1, end=at + 1 + len(target), module=found["module"], name=found["name"])


def started(text: str) -> Iterator[Started]:
    """All that a Dockerfile, Procfile, compose file or script starts of the project's own, as they are written."""
    for found in _TARGET.finditer(text):
        module = found["module"].replace("/", ".")
        yield Started(start=found.start("module"), end=found.end("name"), module=module, name=found["name"])
    for pattern in (_MODULE, _FLASK, _CELERY):
        for found in pattern.finditer(text):
            if found["module"] not in _TOOLS:
                name = found.groupdict().get("name") or ""
                end = found.end("name") if name else found.end("module")
                yield Started(start=found.start("module"), end=end, module=found["module"], name=name)
    for found in _SCRIPT.finditer(text):
        yield Started(start=found.start("path"), end=found.end("path"), path=found["path"])
