"""Do the services of a compose file fit each other, and the code that they are built from?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath
from typing import Any

from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure
from trueup.verify.verifiers.findings import finding, is_aside

SERVICE, HOST, VARIABLE, CONTEXT = "unknown-service", "unknown-host", "ignored-variable", "missing-path"
_COMPOSE = re.compile(r"(?:docker-)?compose(?:[.-][\w-]+)?\.ya?ml$")
_CODE = (
    ".py",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".tsx",
    ".jsx",
    ".go",
    ".rb",
    ".php",
    ".java",
    ".kt",
    ".rs",
    ".prisma",
    ".cs",
)
_MENTIONED_IN = (
    *_CODE,
    ".sh",
    ".toml",
    ".ini",
    ".cfg",
    ".yml",
    ".yaml",
    ".json",
    ".conf",
    ".env",
    ".properties",
    ".tmpl",
)
_DATABASE = re.compile(
    r"\b(?P<scheme>postgres(?:ql)?(?:\+\w+)?|mysql(?:\+\w+)?|mariadb|mongodb(?:\+srv)?|sqlite(?:\+\w+)?|mssql|oracle"
    r"|rediss?|amqps?)://(?:[^@/\s\"'`]*@)?(?P<host>[A-Za-z0-9_.-]*)[^\s\"'`]*"
)
_HOST = re.compile(r"^\w[\w+.-]*://(?:[^@/\s]*@)?(?P<host>[A-Za-z0-9_-]+)(?::\d+)?(?:/|$)")
_READS_BY_ITSELF = re.compile(
    r"dj_database_url|environ\.Env\(|from environs|decouple|dynaconf|\bENV\b\.fetch|getenv\(\)"
)
_READS = re.compile(r"environ|getenv|settings|\bconfig\b|\benv\(|dotenv|secrets|process\.env", re.IGNORECASE)
_DEFINES = re.compile(r"(?:^|/)\.env(?:\.[\w-]+)?$")
"""What a variable is set in; that is no reading."""
_MOST_READ = 3_000
_HERE = frozenset({"localhost", "0", "host"})


def is_compose(path: str) -> bool:
    return bool(_COMPOSE.match(path.rpartition("/")[2]))


def compose_files(files: SourceFiles) -> Iterator[tuple[str, dict[str, Any]]]:
    """Those that hold services, as plain values."""
    for path in filter(is_compose, files.paths):
        table = _loaded(files.text(path) or "")
        if isinstance(table.get("services"), dict) and not is_aside(path):
            yield path, table


def _loaded(text: str) -> dict[str, Any]:
    import yaml

    try:
        table = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - the safe one
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        return {}
    return table if isinstance(table, dict) else {}


def build_contexts(files: SourceFiles) -> dict[str, list[str]]:
    """Dockerfile -> the folders that it is built from, as compose files say."""
    found: dict[str, list[str]] = {}
    for path, table in compose_files(files):
        for service in table["services"].values():
            if (build := build_of(path, service)) is not None:
                found.setdefault(build[1], []).append(build[0])
    return found


def build_of(path: str, service: Any) -> tuple[str, str] | None:
    """The folder that a service of a compose file is built from, and its Dockerfile; None when it is not built here."""
    context = _context(path, service)
    if context is None:
        return None
    build = service.get("build")
    name = build.get("dockerfile") if isinstance(build, dict) else None
    return context, normpath(join(context, str(name or "Dockerfile")))


def _context(path: str, service: Any) -> str | None:
    """The folder that a service is built from; None when it is not, or from elsewhere."""
    build = service.get("build") if isinstance(service, dict) else None
    named = build.get("context", ".") if isinstance(build, dict) else build
    if not isinstance(named, str) or "$" in named or "://" in named or "git@" in named:
        return None
    place = normpath(join(dirname(path), named))
    return None if place.startswith(("..", "/")) else "" if place == "." else place


def services(files: SourceFiles) -> Iterator[tuple[Failure, bool]]:
    """What a service is built from and depends on."""
    for path, table in compose_files(files):
        names = set(table["services"])
        whole = not (table.get("include") or PurePosixPath(path).name.count(".") > 1)
        for name, service in table["services"].items():
            if not isinstance(service, dict):
                continue
            context = _context(path, service)
            if context and not any(one.startswith(f"{context}/") for one in files.paths):
                message = f"service {name} is built from {context}, which is not in the tree"
                yield _found(files, path, CONTEXT, message, f"{name} {context}", context), whole
            depends = service.get("depends_on") or ()
            for other in depends if isinstance(depends, list | dict) else ():
                if str(other) not in names:
                    message = f"service {name} depends on undefined service {other}: invalid compose project"
                    yield _found(files, path, SERVICE, message, f"{name} {other}", str(other)), whole
            yield from _hosts(files, path, table, str(name), service)


def _hosts(
    files: SourceFiles, path: str, table: Mapping[str, Any], name: str, service: Mapping[str, Any]
) -> Iterator[tuple[Failure, bool]]:
    known = {str(one) for one in table["services"]}
    known |= {str(one.get("container_name") or one.get("hostname") or "") for one in table["services"].values() if one}
    odd = any(key in service for key in ("extra_hosts", "links", "external_links", "network_mode"))
    outside = "external" in str(table.get("networks") or "")
    for variable, value in environment(service):
        found = _HOST.match(value)
        if found and found["host"] not in known | _HERE and not odd and not outside:
            message = f"{variable} of service {name} names the host {found['host']!r}, which is no service"
            yield _found(files, path, HOST, message, f"{name} {variable}", variable), False


def environment(service: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """In either of its two forms."""
    given = service.get("environment")
    if isinstance(given, dict):
        yield from ((str(key), str(value)) for key, value in given.items() if value is not None)
    for line in given if isinstance(given, list) else ():
        key, equals, value = str(line).partition("=")
        if equals:
            yield key, value


def ignored_variables(files: SourceFiles) -> Iterator[tuple[Failure, bool]]:
    """A service is told its database, and the code has another one written into it."""
    for path, table in compose_files(files):
        for name, service in table["services"].items():
            context = _context(path, service)
            if context is None:
                continue
            for variable, value in environment(service):
                told = _DATABASE.search(value)
                if told and (fixed := _fixed_database(files, context, variable, told, set(table["services"]))):
                    file, line, source, used = fixed
                    message = (
                        f"{variable} is set to a {told['scheme']} database for service {name} in {path};"
                        f" {file} ignores it and uses {used}"
                    )
                    one = finding("coherence", VARIABLE, message, file=file, line=line, source_line=source)
                    yield one, True


def _fixed_database(
    files: SourceFiles, context: str, variable: str, told: re.Match[str], names: set[str]
) -> tuple[str, int, str, str] | None:
    """Where another database is written into the code; None when anything of the service may read the variable."""
    inside = [p for p in files.paths if (not context or p.startswith(f"{context}/")) and p.endswith(_MENTIONED_IN)]
    first: tuple[str, int, str, str] | None = None
    for path in inside[:_MOST_READ]:
        if is_compose(path) or _DEFINES.search(path):
            continue
        text = files.text(path) or ""
        if _may_read(path, text, variable):
            return None
        if first is None and path.endswith(_CODE) and not is_aside(path):
            first = _written_in(path, text, told, names)
    return first if len(inside) <= _MOST_READ else None


def _written_in(path: str, text: str, told: re.Match[str], names: set[str]) -> tuple[str, int, str, str] | None:
    for found in _DATABASE.finditer(text):
        if used := _another(told, found, names):
            line = text.count("\n", 0, found.start()) + 1
            return path, line, text.split("\n")[line - 1].strip()[:200], used
    return None


def _may_read(path: str, text: str, variable: str) -> bool:
    """A name that is only assigned to in Python is a name, and no variable of the environment."""
    if _READS_BY_ITSELF.search(text):
        return True
    if variable.lower() not in text.lower():
        return False
    quoted = re.search(rf"[\"'{{$]{re.escape(variable)}\b", text, re.IGNORECASE)
    return not path.endswith(".py") or bool(quoted or _READS.search(text))


def _another(told: re.Match[str], found: re.Match[str], names: set[str]) -> str:
    """What the code uses, if that is not what it is told; "" when it may be the same, or something else as well."""
    kinds = {_family(found["scheme"]), _family(told["scheme"])}
    if len(kinds) > 1:
        return "" if kinds & _BESIDE_A_DATABASE else str(found["scheme"])
    elsewhere = told["host"] in names and found["host"] in _THIS_CONTAINER
    return f"{found['scheme']}://{found['host']}, where there is none in the container" if elsewhere else ""


_BESIDE_A_DATABASE = frozenset({"redis", "rediss", "amqp", "amqps"})
"""A program that uses one of these may use a database, too."""
_THIS_CONTAINER = frozenset({"localhost", "127.0.0.1"})


def _family(scheme: str) -> str:
    plain = scheme.partition("+")[0]
    return "postgres" if plain.startswith("postgres") else plain


def _found(files: SourceFiles, path: str, kind: str, message: str, subject: str, word: str) -> Failure:
    lines = (files.text(path) or "").split("\n")
    line = next((n for n, text in enumerate(lines, 1) if word in text), None)
    source = lines[line - 1].strip()[:200] if line else None
    return finding("coherence", kind, message, file=path, line=line, source_line=source, subject=f"{path} {subject}")
