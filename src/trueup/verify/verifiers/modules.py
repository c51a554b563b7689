"""Which modules does a project have, by which names are they imported, and which of them only when they are run?"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import dirname, join

from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers.effects import has_effects
from trueup.verify.verifiers.findings import folder_names

_NOT_MEANT = frozenset({
    "test", "tests", "testing", "testdata", "doc", "docs", "example", "examples", "sample", "samples", "fixtures",
    "vendor", "third_party", "node_modules", "migrations", "alembic", "benchmarks", "benchmark", "notebooks",
    "templates", "site-packages", "__pycache__", "cookiecutter", "contrib", "demo", "demos", "build", "dist",
})  # fmt: skip
_NOT_NAMED = re.compile(
    r"(?:test_.*|.*_tests?|tests?|conftest|setup|noxfile|fabfile|locustfile|__main__|gunicorn.*conf.*|conf|Snakefile)\.py"
)
_SCRIPTS = frozenset({"scripts", "script", "bin", "tools", "tool", "ci", "hack", "dev"})
MOST = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    file: str
    name: str
    root: str
    """The folder that it is imported from."""
    whole: bool
    """False: it acts when it is imported, so only its own imports are tried."""
    top: bool
    """Whether it lies directly in the folder that it is imported from."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a module's text says, whatever its name. Known by content: it is read once and for all."""

    imports: list[tuple[int, str, list[str]]]
    """Dots, module and names of every import in it."""
    first: list[str]
    """Modules that are imported as soon as it is."""
    acts: bool

    @property
    def dots(self) -> int:
        """How many packages its relative imports need around it."""
        return max((level for level, _, _ in self.imports), default=0)


def modules_of(files: SourceFiles, entries: Iterable[str] = ()) -> tuple[Module, ...]:
    """Those that others do not import first: they bring the others with them. `entries` are files that are started."""
    facts = {path: known for path in files.ending(".py") if _is_meant(path) and (known := _facts(files, path))}
    imported = {path: frozenset(_imported(files, path, known)) for path, known in facts.items()}
    importers: dict[str, list[str]] = {}
    for path, names in imported.items():
        for name in names:
            importers.setdefault(name, []).append(path)
    started = frozenset(entries)
    found = [_module(files, path, known, importers, started) for path, known in facts.items()]
    used = frozenset(name for module in found for name in imported[module.file] - {module.name})
    return tuple(sorted(found, key=lambda m: (m.name in used, not m.top, m.file)))[:MOST]


def third_party(files: SourceFiles, modules: Iterable[Module]) -> frozenset[str]:
    """Names that the modules import from elsewhere: to be loaded once, before them."""
    own = {module.name.partition(".")[0] for module in modules}
    known = (_facts(files, module.file) for module in modules)
    names = {name for facts in known if facts for name in facts.first}
    return frozenset(name for name in names if name.partition(".")[0] not in own)


def _facts(files: SourceFiles, path: str) -> _Facts | None:
    told = files.fact("module-1", path, lambda path: _found_out(files.python(path)))
    return None if told is None else _Facts([(i[0], i[1], i[2]) for i in told[0]], told[1], told[2])


def _found_out(tree: ast.Module | SyntaxError | None) -> list[object] | None:
    if not isinstance(tree, ast.Module):
        return None
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return [[one for node in nodes for one in _raw(node)], list(_absolute(tree.body)), has_effects(tree)]


def _raw(node: ast.Import | ast.ImportFrom) -> Iterator[list[object]]:
    if isinstance(node, ast.Import):
        yield from ([0, alias.name, []] for alias in node.names)
    else:
        yield [node.level, node.module or "", [alias.name for alias in node.names]]


def _is_meant(path: str) -> bool:
    place = PurePosixPath(path)
    if _NOT_MEANT & folder_names(dirname(path)) or any(p.startswith(".") or "{{" in p for p in place.parts[:-1]):
        return False
    return not _NOT_NAMED.fullmatch(place.name)


def _module(
    files: SourceFiles, path: str, known: _Facts, importers: Mapping[str, list[str]], entries: frozenset[str]
) -> Module:
    root, name = _named(files, path, known.dots, importers)
    used = name in importers or path in entries
    scripted = bool(_SCRIPTS & set(PurePosixPath(path).parts[:-1])) and not used
    importable = all(part.isidentifier() for part in name.split("."))
    return Module(
        file=path,
        name=name,
        root=root,
        whole=importable and not scripted and (used or not known.acts),
        top="." not in name,
    )


def _named(files: SourceFiles, path: str, dots: int, importers: Mapping[str, list[str]]) -> tuple[str, str]:
    """The root and the name by which others import it; else by its packages."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    outermost = _depth(files, path, dots)
    for depth in range(len(parts)):  # from the tree's own folder on
        root, name = "/".join(parts[:depth]), ".".join(parts[depth:])
        around = path.count("/") - depth
        if name in importers and (depth <= outermost or (dots <= around and _is_beside(root, name, path, importers))):
            return root, name
    return "/".join(parts[:outermost]), ".".join(parts[outermost:]) or PurePosixPath(path).stem


def _depth(files: SourceFiles, path: str, dots: int) -> int:
    """How many folders lie above its outermost package; one without a marker is a package if dots lead through it."""
    folder = dirname(path)
    while folder and join(folder, "__init__.py") in files:
        folder = dirname(folder)
    return max(0, min(len(PurePosixPath(folder).parts), len(PurePosixPath(path).parts) - 1 - dots))


def _is_beside(root: str, name: str, path: str, importers: Mapping[str, list[str]]) -> bool:
    """Whether a part of a package is imported as if its folder were none: `from models import User` in `app/main.py`.

    `import rich` in `tqdm/rich.py` means the distribution.
    """
    if name.partition(".")[0] in sys.stdlib_module_names:
        return False
    return any(one != path and one.startswith(f"{root}/") for one in importers[name])


def _imported(files: SourceFiles, path: str, known: _Facts) -> Iterator[str]:
    """Full names that a module imports anywhere in it, relative ones from the outermost package on."""
    package = PurePosixPath(path).parts[_depth(files, path, known.dots) : -1]
    for level, module, names in known.imports:
        base = module
        if level:
            base = ".".join([*package[: len(package) - level + 1], *([module] if module else [])])
        yield from _prefixes(base)
        yield from (f"{base}.{name}" if base else name for name in names)


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    yield from (".".join(parts[:depth]) for depth in range(1, len(parts) + 1) if name)


def _absolute(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module
