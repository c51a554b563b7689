"""Which file of the tree does an import mean, if it means one of them?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from posixpath import dirname, join

from trueup.act.source_files import SourceFiles

COMPILED = (
    ".pyx",
    ".so",
    ".pyd",
    ".c",
    ".cpp",
    ".cc",
    ".rs",
    ".pyi",
    ".pxd",
    ".f90",
    ".f",
    ".cu",
    ".in",
    ".tmpl",
    ".jinja",
)
"""A module that is made when the project is built has one of these in its place."""
_SOURCES = ("src", "lib", "python", "source")
_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg")


@dataclass(slots=True)
class FirstParty:
    """Names are looked up where Python would: beside the importing file, above it, and where a project keeps its code.

    A folder elsewhere that has the name by chance is no answer.
    """

    files: SourceFiles
    _folders: frozenset[str] = field(init=False)
    _places: frozenset[str] = field(init=False)
    """All modules and packages, as paths without an ending."""
    _known: dict[tuple[str, str], str | None] = field(init=False, default_factory=dict)
    _modules: dict[tuple[str, str], str | None] = field(init=False, default_factory=dict)
    _roots: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict)
    _names: dict[str, tuple[str, str]] = field(init=False, default_factory=dict)
    _projects: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        python = [path for path in self.files.paths if path.endswith((".py", *COMPILED))]
        folders = {path.rpartition("/")[0] for path in python}
        self._folders = frozenset(above for folder in folders for above in _above(folder))
        self._places = self._folders | {path.rpartition(".")[0] for path in python}
        self._projects = tuple(sorted({dirname(path) for path in self.files.called(*_PROJECTS)}))

    def roots(self, path: str) -> tuple[str, ...]:
        """Where an import of this file begins to look, nearest first. A package is not looked up inside itself."""
        folder = path.rpartition("/")[0]
        if folder not in self._roots:
            self._roots[folder] = tuple(self._looked_up(path))
        return self._roots[folder]

    def _looked_up(self, path: str) -> Iterator[str]:
        seen: set[str] = set()
        for folder in (*_above(self.name_of(path)[0]), *self._projects):
            for root in (folder, *(join(folder, name) for name in _SOURCES)):
                if root not in seen and (root in self._folders or not root):
                    seen.add(root)
                    yield root

    def top(self, path: str, name: str) -> str | None:
        """The root below which the first part of a name lies; None when it lies nowhere."""
        key = (path.rpartition("/")[0], name)
        if key not in self._known:
            self._known[key] = next((root for root in self.roots(path) if self._is_there(join(root, name))), None)
        return self._known[key]

    def is_beside(self, path: str, name: str) -> bool:
        """Whether it lies in the same folder: found when a module of a package is started as a script."""
        return self._is_there(join(dirname(path), name))

    def module(self, root: str, name: str) -> str | None:
        """The file of a module, `""` for a folder without one that is a package all the same; None = not there."""
        key = (root, name)
        if key not in self._modules:
            self._modules[key] = self._module(join(root, name.replace(".", "/")))
        return self._modules[key]

    def _module(self, place: str) -> str | None:
        if place not in self._places:
            return None
        return next((file for file in (f"{place}/__init__.py", f"{place}.py") if file in self.files), "")

    def absolute(self, path: str, module: str, level: int) -> tuple[str, str] | None:
        """Root and full name of a relative import; None when it leads out of the tree."""
        folder = dirname(path)
        for _ in range(level - 1):
            if not folder:
                return None
            folder = dirname(folder)
        root, inside = self.package_of(folder)
        name = ".".join(part for part in (inside, module) if part)
        return (root, name) if name else None

    def package_of(self, folder: str) -> tuple[str, str]:
        """The root above the outermost package that holds this folder, and the package's name from there."""
        root, parts = folder, list[str]()
        while root and (join(root, "__init__.py") in self.files or not parts):
            root, name = dirname(root), root.rpartition("/")[2]
            parts.insert(0, name)
        return root, ".".join(parts)

    def name_of(self, path: str) -> tuple[str, str]:
        """Root and name by which a file is imported."""
        if path not in self._names:
            self._names[path] = self._named(path)
        return self._names[path]

    def _named(self, path: str) -> tuple[str, str]:
        folder, file = dirname(path), path.rpartition("/")[2].removesuffix(".py")
        if join(folder, "__init__.py") not in self.files:
            return folder, file
        root, package = self.package_of(folder)
        return root, package if file == "__init__" else f"{package}.{file}"

    def is_package(self, root: str, name: str) -> bool:
        return f"{join(root, name.replace('.', '/'))}/__init__.py" in self.files

    def _is_there(self, place: str) -> bool:
        return place in self._places


def _above(folder: str) -> Iterable[str]:
    """A folder and all above it, the tree's own last."""
    while folder:
        yield folder
        folder = dirname(folder)
    yield ""
