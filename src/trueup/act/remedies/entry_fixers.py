"""Which module did an entry point mean that names one which is not there?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from trueup.act.remedies.base import Ask, Idea, edit_of
from trueup.act.remedies.image_files import built_by, image_of, module_name
from trueup.act.remedies.started import Started, console_scripts, started
from trueup.act.source_files import SourceFiles

_NAMES = ("Dockerfile", "Containerfile", "Procfile", "docker-compose.yml", "docker-compose.yaml", "compose.yml",
          "compose.yaml", "start.sh", "run.sh", "entrypoint.sh", "Makefile", "render.yaml", "fly.toml", "railway.toml",
          "railway.json", "nixpacks.toml", "app.yaml", "package.json", "pyproject.toml")  # fmt: skip
_APPS = re.compile(
    r"^(FastAPI|Flask|Starlette|Sanic|Quart|Bottle|Litestar|Celery|Dash|Blacksheep|Application|get_wsgi_application|get_asgi_application)$"
)
_PROGRAMS = frozenset(
    {"main", "app", "run", "server", "index", "start", "bot", "cli", "manage", "wsgi", "asgi", "__main__"}
)
_BESIDE = frozenset({"tests", "test", "docs", "examples", "example", "scripts", "build", "dist", "migrations"})


def entry_module(ask: Ask) -> Iterable[Idea]:
    """The command of an entry point, with the one module of the project that it can mean."""
    for path in _places(ask):
        text = ask.files.text(path)
        if text is None:
            continue
        new, changes = _corrected(ask.files, path, text)
        if changes:
            yield edit_of(path, new, f"{path}: {', '.join(changes)}")


def _places(ask: Ask) -> list[str]:
    if ask.file and (PurePosixPath(ask.file).name in _NAMES or _is_dockerfile(ask.file)):
        return [ask.file]
    return [path for path in ask.files.paths if PurePosixPath(path).name in _NAMES or _is_dockerfile(path)]


def _is_dockerfile(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.startswith("Dockerfile") or name.endswith(".dockerfile")


def _corrected(files: SourceFiles, path: str, text: str) -> tuple[str, list[str]]:
    view = _View.of(files, path)
    new, changes = text, []
    found = console_scripts(text) if path.endswith("pyproject.toml") else started(text)
    for one in sorted(found, key=lambda one: one.start, reverse=True):
        meant = view.meant(one)
        if meant is not None:
            new = new[: one.start] + meant + new[one.end :]
            changes.append(f"{text[one.start : one.end]} → {meant}")
    return new, changes


class _View:
    """The project's modules and scripts as the program finds them that the file starts."""

    def __init__(self, files: SourceFiles, modules: Mapping[str, str], scripts: Mapping[str, str]) -> None:
        self.files = files
        self.modules = modules
        self.scripts = scripts

    @classmethod
    def of(cls, files: SourceFiles, path: str) -> _View:
        folder = str(PurePosixPath(path).parent)
        prefix = "" if folder == "." else f"{folder}/"
        here = "" if folder == "." else folder
        image = image_of(files, path, here) if _is_dockerfile(path) else built_by(files, path)
        if image is not None:
            return cls(files, image.importable(), image.scripts())
        inside = {one.removeprefix(prefix): one for one in files.paths if one.startswith(prefix)}
        installed = path.endswith("pyproject.toml")
        modules = {
            module_name(one.removeprefix("src/") if installed else one): whole
            for one, whole in inside.items()
            if one.endswith(".py")
        }
        return cls(files, modules, inside)

    def meant(self, one: Started) -> str | None:
        """What has to be written; None when it is right, or when it is not clear."""
        return self._script(one) if one.path else self._module(one)

    def _script(self, one: Started) -> str | None:
        if one.path.removeprefix("./") in self.scripts or one.path.startswith("/"):
            return None
        place = PurePosixPath(one.path)
        alike = [path for path in self.scripts if PurePosixPath(path).name == place.name and not _is_beside(path)]
        there = [
            path
            for path in self.scripts
            if PurePosixPath(path).parent == place.parent and PurePosixPath(path).suffix == place.suffix
        ]
        programs = [path for path in there if not _is_beside(path) and self._is_program(path)]
        return next((found[0] for found in (alike, programs) if len(found) == 1), None)

    def _is_program(self, path: str) -> bool:
        """Something that is started: by its name, or by what it says itself."""
        if PurePosixPath(path).stem in _PROGRAMS:
            return True
        return "__main__" in (self.files.text(self.scripts[path]) or "") and path.endswith(".py")

    def _module(self, one: Started) -> str | None:
        if self._defines(one.module, one.name):
            return None
        if one.module in self.modules:
            return self._other_name(one)
        last = one.module.rpartition(".")[2]
        able = [name for name in self.modules if not _is_beside(self.modules[name]) and self._defines(name, one.name)]
        alike = [name for name in able if name.rpartition(".")[2] == last]
        apps = [name for name in able if one.name and self._is_app(name, one.name)]
        package = one.module.partition(".")[0]
        near = [name for name in able if one.console and name.partition(".")[0] == package]
        run = [name for name in able if one.program and name.partition(".")[0] == package and self._runs(name)]
        for found in (alike, apps, near, run):
            if len(found) == 1:
                return f"{found[0]}:{one.name}" if one.name and one.named else found[0]
        return None

    def _other_name(self, one: Started) -> str | None:
        """The module is right; the one application in it, or the one function to start, has another name."""
        names = _defined(self.files, self.modules[one.module])
        apps = [name for name in names if self._is_app(one.module, name)]
        if one.console:
            apps = [name for name in names if name in _PROGRAMS and self._is_function(one.module, name)]
        return f"{one.module}:{apps[0]}" if one.name and one.named and len(apps) == 1 else None

    def _is_function(self, module: str, name: str) -> bool:
        """That can be called without arguments; decorators may give it some."""
        tree = self.files.python(self.modules[module])
        body = tree.body if isinstance(tree, ast.Module) else ()
        found = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == name]
        wanted = (node.args for node in found if not node.decorator_list)
        return bool(found) and not any(len(a.posonlyargs) + len(a.args) > len(a.defaults) for a in wanted)

    def _runs(self, module: str) -> bool:
        return "__main__" in (self.files.text(self.modules[module]) or "")

    def _defines(self, module: str, name: str) -> bool:
        if module not in self.modules:
            return False
        return not name or name in _defined(self.files, self.modules[module])

    def _is_app(self, module: str, name: str) -> bool:
        value = _defined(self.files, self.modules[module]).get(name)
        called = value.func if isinstance(value, ast.Call) else None
        word = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        return bool(_APPS.match(word)) or word.startswith(("create_", "make_", "get_", "build_"))


def _is_beside(path: str) -> bool:
    return bool(_BESIDE & set(PurePosixPath(path).parts[:-1])) or PurePosixPath(path).name.startswith("test_")


def _defined(files: SourceFiles, path: str) -> dict[str, ast.AST | None]:
    """Names that the module has when it was imported, with the value that they were given."""
    tree = files.python(path)
    return dict(_names(tree.body)) if isinstance(tree, ast.Module) else {}


def _names(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST | None]]:
    for node in body:
        if isinstance(node, ast.Assign):
            yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node.value
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, None
        elif isinstance(node, ast.ImportFrom | ast.Import):
            yield from ((alias.asname or alias.name, None) for alias in node.names)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _names(node.body)
