"""What does a command start, how do we start the same, and does what it names exist?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from posixpath import basename, join, splitext

from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers.start_words import PORT
from trueup.verify.verifiers.starts import Start, starts_of

PYTHON = "\0python\0"
"""Stands for the interpreter that it will get."""
HOST = "127.0.0.1"
_TARGET = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)(\(.*\))?")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_PYTHONS = re.compile(r"(?:/\S*/)?python[\d.]*")
_KEPT = {
    "uvicorn": ("--factory", "--app-dir"),
    "gunicorn": ("-k", "--worker-class", "--chdir", "--pythonpath"),
    "hypercorn": (),
    "daphne": (),
    "waitress-serve": ("--call",),
}
_FLAGS = frozenset({"--factory", "--call"})
_FOLDERS = ("--app-dir", "--chdir", "--pythonpath")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How one start is carried out."""

    start: Start
    argv: tuple[str, ...] = ()
    """With `PYTHON` and `PORT` in it; () when it is only looked at."""
    module: str = ""
    attribute: str = ""
    path: str = ""
    """A file, as the command names it."""
    roots: tuple[str, ...] = ("",)
    """Where modules are looked for, from the folder in which it starts."""
    serves: bool = False
    helps: bool = False
    """Whether it is asked for its help only."""
    why_not: str = ""

    @property
    def told(self) -> str:
        shown = " ".join(self.start.words) or self.start.entry
        return shown.replace(PORT, "$PORT")

    @property
    def file(self) -> str | None:
        """The file of the tree that it starts."""
        if self.path:
            return self.start.image.find(self.path)
        return self.start.image.module(self.module, self.roots) if self.module else None


def plan_of(start: Start, files: SourceFiles) -> Plan:
    if start.entry:
        return _console(start)
    if start.why_not or not start.words:
        return Plan(start=start, why_not=start.why_not or "the command is empty")
    program = basename(start.words[0])
    if _PYTHONS.fullmatch(start.words[0]):
        return _python(start, start.words[1:], files)
    known = _PROGRAMS.get(program)
    return known(start, start.words[1:], files) if known else _script(start, program)


def plans_of(files: SourceFiles) -> tuple[Plan, ...]:
    return tuple(plan_of(start, files) for start in starts_of(files))


def started_files(files: SourceFiles) -> tuple[str, ...]:
    """Files that some command starts or serves: they are imported as they are."""
    return tuple(file for plan in plans_of(files) if plan.attribute and (file := plan.file) is not None)


# --- the known forms -----------------------------------------------------------------------------------------


def _server(program: str) -> Callable[[Start, Sequence[str], SourceFiles], Plan]:
    def plan(start: Start, words: Sequence[str], _: SourceFiles) -> Plan:
        target = _target(words)
        if target is None:
            return Plan(start=start, why_not=f"{program} is not told what to serve")
        kept = tuple(_kept(words, _KEPT[program]))
        folders = [kept[at + 1] for at, word in enumerate(kept) if word in _FOLDERS]
        named = ":".join(target) if target[1] else target[0]
        return Plan(
            start=start,
            argv=(PYTHON, "-m", *_ARGUMENTS[program], *kept, named),
            module=target[0],
            attribute=target[1] or "application",
            roots=_roots(start, folders),
            serves=True,
        )

    return plan


_ARGUMENTS = {
    "uvicorn": ("uvicorn", "--host", HOST, "--port", PORT),
    "gunicorn": ("gunicorn", "--bind", f"{HOST}:{PORT}", "--workers", "1"),
    "hypercorn": ("hypercorn", "--bind", f"{HOST}:{PORT}"),
    "daphne": ("daphne", "-b", HOST, "-p", PORT),
    "waitress-serve": ("waitress", f"--listen={HOST}:{PORT}"),
}


def _target(words: Sequence[str]) -> tuple[str, str] | None:
    for word in words:
        if match := _TARGET.fullmatch(word):
            return match[1], match[2]
    before = ""
    for word in words:
        if _DOTTED.fullmatch(word) and not (before.startswith("-") and "=" not in before):
            return word, ""
        before = word
    return None


def _kept(words: Sequence[str], options: Iterable[str]) -> Iterator[str]:
    wanted = frozenset(options)
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name not in wanted:
            continue
        if name in _FLAGS:
            yield name
        elif equals:
            yield from (name, value)
        elif at + 1 < len(words):
            yield from (name, words[at + 1])


def _roots(start: Start, folders: Iterable[str] = ()) -> tuple[str, ...]:
    told = [entry for entry in start.env.get("PYTHONPATH", "").split(":") if entry]
    return tuple(dict.fromkeys(("", *folders, *told, *(("src",) if start.image.installed else ()))))


def _python(start: Start, words: Sequence[str], files: SourceFiles) -> Plan:
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] not in {"-m", "-c", "-"}:
        rest = rest[1:]
    if rest[:1] == ["-m"] and len(rest) > 1:
        known = _PROGRAMS.get({"waitress": "waitress-serve"}.get(rest[1], rest[1]))
        if known:
            return known(start, rest[2:], files)
        argv = (PYTHON, "-m", *rest[1:])
        return Plan(start=start, argv=argv, module=rest[1], roots=_roots(start), serves=start.serves)
    if not rest or rest[0].startswith("-"):
        return Plan(start=start, why_not="it runs a text, not a file of the project")
    if basename(rest[0]) == "manage.py" and rest[1:2] == ["runserver"]:
        argv = (PYTHON, rest[0], "runserver", "--noreload", f"{HOST}:{PORT}")
        return Plan(start=start, argv=argv, path=rest[0], serves=True)
    return Plan(start=start, argv=(PYTHON, *rest), path=rest[0], serves=start.serves)


def _flask(start: Start, words: Sequence[str], _: SourceFiles) -> Plan:
    told = [words[at + 1] for at, word in enumerate(words[:-1]) if word in {"--app", "-A"}]
    told += [word.partition("=")[2] for word in words if word.startswith("--app=")]
    app = (told or [start.env.get("FLASK_APP", "")])[0]
    if "run" not in words:
        return Plan(start=start, why_not="of flask only `run` is started")
    module, _colon, attribute = app.partition(":")
    if not app:
        module = next((name for name in ("wsgi", "app") if start.image.find(f"{name}.py")), "app")
    path = module if module.endswith(".py") else ""
    argv = (PYTHON, "-m", "flask", "--app", app or module, "run", "--host", HOST, "--port", PORT, "--no-reload")
    return Plan(
        start=start,
        argv=argv,
        module="" if path else module,
        path=path,
        attribute=attribute if _DOTTED.fullmatch(attribute) else "",
        roots=_roots(start),
        serves=True,
    )


def _fastapi(start: Start, words: Sequence[str], _: SourceFiles) -> Plan:
    path = next((word for word in words[1:] if word.endswith(".py")), "")
    if not words or words[0] not in {"run", "dev"}:
        return Plan(start=start, why_not="of fastapi only `run` and `dev` are started")
    named = path or next(
        (name for name in ("main.py", "app.py", "api.py", "app/main.py") if start.image.find(name)), ""
    )
    argv = (PYTHON, "-m", "fastapi", "run", *((named,) if named else ()), "--host", HOST, "--port", PORT)
    return Plan(start=start, argv=argv, path=named or "main.py", serves=True)


def _streamlit(start: Start, words: Sequence[str], _: SourceFiles) -> Plan:
    path = next((word for word in words[1:] if word.endswith(".py")), "")
    if "run" not in words[:1] or not path:
        return Plan(start=start, why_not="of streamlit only `run FILE` is started")
    options = ("--server.headless", "true", "--server.port", PORT, "--server.address", HOST)
    argv = (PYTHON, "-m", "streamlit", "run", path, *options, "--browser.gatherUsageStats", "false")
    return Plan(start=start, argv=argv, path=path, serves=True)


def _celery(start: Start, words: Sequence[str], _: SourceFiles) -> Plan:
    told = [words[at + 1] for at, word in enumerate(words[:-1]) if word in {"-A", "--app"}]
    module, _colon, attribute = (told or [""])[0].partition(":")
    return Plan(
        start=start,
        module=module,
        attribute=attribute if attribute and module.count(".") else "",
        roots=_roots(start),
        why_not="a worker needs its broker",
    )


def _node(start: Start, words: Sequence[str], _: SourceFiles) -> Plan:
    path = next((word for word in words if not word.startswith("-")), "")
    if not path:
        return Plan(start=start, why_not="node is not told what to run")
    written = path if splitext(path)[1] or start.image.find(path) else f"{path}.js"
    if start.image.find(written) is None and start.image.find(join(path, "index.js")):
        written = join(path, "index.js")
    return Plan(start=start, argv=("node", *words), path=written, serves=start.serves)


def _npm(start: Start, words: Sequence[str], _: SourceFiles) -> Plan:
    return Plan(start=start, why_not="what npm starts is looked at by itself" if words else "npm does nothing here")


def _console(start: Start) -> Plan:
    match = _TARGET.fullmatch(start.entry.partition("[")[0].strip())
    if not match:
        return Plan(start=start, why_not="it is not written as `module:function`")
    module, attribute = match[1], match[2]
    first, _, rest = attribute.partition(".")
    called = f"f.{rest}" if rest else "f"
    code = f"import sys; from {module} import {first} as f; sys.argv[0] = 'it'; sys.exit({called}())"
    return Plan(
        start=start,
        argv=(PYTHON, "-c", code, "--help"),
        module=module,
        attribute=first,
        roots=("", "src"),
        helps=True,
    )


def _script(start: Start, program: str) -> Plan:
    path = start.words[0] if "/" in start.words[0] or program.endswith((".sh", ".py")) else ""
    own = path.startswith(start.image.folder.rstrip("/") + "/") or not path.startswith("/")
    return Plan(
        start=start,
        path=path if own else "",
        why_not=f"{program} is none of the programs that are started",
    )


_PROGRAMS: dict[str, Callable[[Start, Sequence[str], SourceFiles], Plan]] = {
    **{name: _server(name) for name in _KEPT},
    "flask": _flask,
    "fastapi": _fastapi,
    "streamlit": _streamlit,
    "celery": _celery,
    "node": _node,
    "nodejs": _node,
    "npm": _npm,
    "yarn": _npm,
    "pnpm": _npm,
}
