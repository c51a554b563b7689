"""Do the ports fit together: what a compose file publishes, what an image exposes, what its command listens on?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename
from typing import Any

from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure
from trueup.verify.verifiers.compose_rules import build_of, compose_files, environment
from trueup.verify.verifiers.findings import finding, is_aside
from trueup.verify.verifiers.images import images_of
from trueup.verify.verifiers.path_rules import is_dockerfile
from trueup.verify.verifiers.start_words import words_of

KIND = "port-mismatch"
_DEFAULTS = {"uvicorn": 8000, "gunicorn": 8000, "hypercorn": 8000, "fastapi": 8000, "flask": 5000, "streamlit": 8501}
_LONG = ("--port", "--server.port")
_ADDRESS = ("--bind", "-b")
_SHORT = frozenset({"flask", "waitress-serve", "daphne"})
"""Programs whose `-p` is a port; elsewhere it may be anything."""
_NUMBER = re.compile(r"(?:.*:)?(\d{2,5})")


def ports(files: SourceFiles) -> Iterator[tuple[Failure, bool]]:
    """Advice alone: what is published may be meant for another process in the same container."""
    built: set[str] = set()
    for path, table in compose_files(files):
        for name, service in table["services"].items():
            build = build_of(path, service)
            image = images_of(files, build[1], build[0]) if build and build[1] in files else None
            if build is None or image is None:
                continue
            built.add(build[1])
            env = {**image.env, **dict(environment(service))}
            heard = listens(service.get("command") or image.command, env)
            yield from _published(files, path, str(name), service, heard, image.ports)
    for path in filter(is_dockerfile, files.paths):
        image = None if is_aside(path) else images_of(files, path, path.rpartition("/")[0])
        heard = listens(image.command, image.env) if image else None
        if image and image.ports and heard and heard not in image.ports and path not in built:
            message = f"the image exposes {_listed(image.ports)}, and its command listens on {heard}"
            yield _told(files, path, message, f"{heard}"), False


def _published(
    files: SourceFiles, path: str, name: str, service: Mapping[str, Any], heard: int | None, exposed: Sequence[int]
) -> Iterator[tuple[Failure, bool]]:
    inside = published(service)
    if not inside:
        return
    if heard and heard not in inside:
        message = f"service {name} publishes its port {_listed(inside)}, and its command listens on {heard}"
    elif not heard and exposed and not set(inside) & set(exposed):
        message = f"service {name} publishes its port {_listed(inside)}, and its image exposes {_listed(exposed)}"
    else:
        return
    yield _told(files, path, message, name), False


def published(service: Mapping[str, Any]) -> tuple[int, ...]:
    """Ports inside of the container, in either form; () when one of them is a range or a variable."""
    given = service.get("ports")
    found: list[int] = []
    for one in given if isinstance(given, list) else ():
        target = one.get("target") if isinstance(one, dict) else str(one).partition("/")[0].rpartition(":")[2]
        if not str(target).isdecimal():
            return ()
        found.append(int(str(target)))
    return tuple(dict.fromkeys(found))


def listens(command: Any, env: Mapping[str, str]) -> int | None:
    """The port that a well-known server is told to use, or uses when it is told nothing; None when nobody knows."""
    if not isinstance(command, str | Sequence) or not command:
        return None
    words, _ = words_of(command if isinstance(command, str) else [str(word) for word in command], env)
    if not words:
        return None
    program = words[2] if basename(words[0]).startswith("python") and words[1:2] == ("-m",) and words[2:] else words[0]
    program = basename(program)
    told = _told_port(program, words)
    if told or any("PORT" in name.upper() or name.endswith("_ARGS") for name in env):
        return told
    if any(word.partition("=")[0] in {*_LONG, *_ADDRESS, "-c", "--config", "--fd", "--uds"} for word in words):
        return None
    return _DEFAULTS.get(program)


def _told_port(program: str, words: Sequence[str]) -> int | None:
    for word, following in zip(words, (*words[1:], ""), strict=True):
        option, equals, value = word.partition("=")
        takes = option in (*_LONG, *_ADDRESS) or (option == "-p" and program in _SHORT)
        if takes and (number := _NUMBER.fullmatch(value if equals else following)):
            return int(number[1])
        if word == "runserver":
            number = _NUMBER.fullmatch(following)
            return int(number[1]) if number else None
    return None


def _listed(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))


def _told(files: SourceFiles, path: str, message: str, subject: str) -> Failure:
    lines = (files.text(path) or "").split("\n")
    line = next((n for n, text in enumerate(lines, 1) if re.search(r"^\s*(?:ports:|EXPOSE\b)", text)), None)
    source = lines[line - 1].strip()[:200] if line else None
    return finding("coherence", KIND, message, file=path, line=line, source_line=source, subject=f"{path} {subject}")
