"""Is everything that is imported declared, and importable?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from trueup.act.remedies.distributions import PROVES_NOTHING, distributions_of
from trueup.act.requirement_lines import canonical
from trueup.evidence.failure import Failure
from trueup.verify.verifiers.base import Bench, Reach, Verdict
from trueup.verify.verifiers.findings import finding, is_aside, is_sample
from trueup.verify.verifiers.import_graph import ImportGraph, Target
from trueup.verify.verifiers.known_packages import (
    Installed,
    Packages,
    brought_by,
    installed_beside,
    may_be_brought,
    packages_of,
)
from trueup.verify.verifiers.python_facts import Step
from trueup.verify.verifiers.python_versions import least_python
from trueup.verify.verifiers.standard_library import gone_in, is_standard

MISSING, MODULE, NAME, CIRCLE, GONE = (
    "missing-requirement",
    "missing-module",
    "missing-name",
    "circular-import",
    "gone-from-python",
)
_GENERATED = ("version", "_version", "__version__", "parsetab", "lextab", "_generated", "_build_info", "_buildinfo")
_BUILT = (".pyx", ".pxd", ".c", ".cpp", ".cc", ".rs", ".f90", ".so", ".pyd", ".proto")
_BUILD_SYSTEMS = ("Cargo.toml", "CMakeLists.txt", "meson.build", "BUILD", "BUILD.bazel", "SConstruct", "binding.gyp")


class Imports:
    name = "imports"
    question = "is everything that is imported declared, and importable?"
    reach = Reach.STATIC
    needs: tuple[str, ...] = ()

    def verify(self, bench: Bench) -> Verdict:
        paths = tuple(path for path in bench.files.ending(".py") if not is_sample(path))
        if not paths:
            return Verdict(skipped="no Python file")
        look = _Look(bench=bench, graph=ImportGraph(bench.files, paths))
        found = list(look.findings())
        return Verdict(
            failures=tuple(one for one, certain in found if certain),
            advice=tuple(one for one, certain in found if not certain),
            looked_at=len(paths),
        )


@dataclass(kw_only=True)
class _Look:
    bench: Bench
    graph: ImportGraph
    told: set[tuple[str, str]] = field(default_factory=set)
    """Distribution or module, and the folder whose manifest lacks it: said once, at its first place."""
    _there: set[tuple[str, str]] = field(default_factory=set)
    _known: dict[str, tuple[Installed, frozenset[str]]] = field(default_factory=dict)

    def findings(self) -> Iterator[tuple[Failure, bool]]:
        """Each with whether it is certain."""
        for path in self.graph.paths:
            for step in self.graph.facts(path)["steps"]:
                if step["does"] != "define" and step["how"] == "":
                    yield from self._import(path, step)
        for stuck in self.graph.stuck():
            way = " → ".join(stuck.way)
            message = (
                f"cannot import name {stuck.name!r} from partially initialized module {stuck.module!r}"
                f" (most likely due to a circular import): {way}"
            )
            found = finding("imports", CIRCLE, message, file=stuck.file, line=stuck.line)
            yield found, self._counts(stuck.file)

    def _import(self, path: str, step: Step) -> Iterator[tuple[Failure, bool]]:
        top = step["module"].partition(".")[0]
        target = self.graph.target(path, step)
        if target is not None:
            yield from self._own(path, step, target)
        elif step["level"] or not top:
            return
        elif is_standard(top):
            if version := gone_in(top, self._least):
                message = f"No module named {top!r}: Python {version[0]}.{version[1]} dropped it"
                yield finding("imports", GONE, message, file=path, line=step["line"]), self._counts(path)
        elif not self.graph.places.is_beside(path, top):
            yield from self._foreign(path, step, top)

    # --- from the tree ------------------------------------------------------------------------------------------

    def _own(self, path: str, step: Step, target: Target) -> Iterator[tuple[Failure, bool]]:
        if target.file is None:
            if not self._may_come_about(target):
                message = f"No module named {target.name!r}: {path} imports it, and it is not in the tree"
                yield finding("imports", MODULE, message, file=path, line=step["line"]), self._counts(path)
        elif step["does"] == "from" and target.file:
            names = self.graph.names_of(target.file)
            for name in step["names"] if names is not None else ():
                if name not in (names or ()) and self.graph.submodule(target, name) is None:
                    message = f"cannot import name {name!r} from {target.name!r} ({target.file})"
                    yield finding("imports", NAME, message, file=path, line=step["line"]), self._counts(path)

    def _may_come_about(self, target: Target) -> bool:
        """A module that a build writes, that another distribution adds to the package, or that a package makes up."""
        *packages, last = target.name.split(".")
        if last.endswith(("_pb2", "_pb2_grpc")) or last in _GENERATED or self._is_built:
            return True
        places = self.graph.places
        for depth in range(1, len(packages) + 1):
            package = places.module(target.root, ".".join(packages[:depth]))
            if package == "" or package is None:
                return depth == 1 or package == ""
            facts = self.graph.facts(package)
            if facts["dynamic"] or facts["error"] or "__path__" in (self.bench.files.text(package) or ""):
                return True
        return not packages

    @cached_property
    def _is_built(self) -> bool:
        files = self.bench.files
        return any(True for _ in files.ending(*_BUILT)) or any(True for _ in files.called(*_BUILD_SYSTEMS))

    @cached_property
    def _least(self) -> tuple[int, int] | None:
        return least_python(self.bench.files)

    # --- from elsewhere -------------------------------------------------------------------------------------------

    def _foreign(self, path: str, step: Step, top: str) -> Iterator[tuple[Failure, bool]]:
        packages = next((one for one in self._packages if _holds(one.folder, path)), None)
        if packages is None or (top, packages.folder) in self.told or not (packages.declared or packages.manifest):
            return
        if (step["module"], packages.folder) in self._there or _is_declared_by_name(top, packages):
            return
        installed, there = self._around(packages)
        bringers = self._bringers(step, installed)
        known = {canonical(one) for one in bringers} or {canonical(top)}
        if known & there or _alike(top, there):
            self._there.add((step["module"], packages.folder))
            return
        self.told.add((top, packages.folder))
        certain = (
            bool(bringers)
            and not packages.unsure
            and not any(may_be_brought(one, packages.declared, installed) for one in bringers if not packages.complete)
            and self._counts(path)
        )
        brings = f"; {bringers[0]} brings it" if bringers else ""
        lacks = f"{packages.manifest or 'no manifest'} does not ask for it{brings}"
        message = f"No module named {top!r}: {path} imports it, and {lacks}"
        yield finding("imports", MISSING, message, file=path, line=step["line"], subject=f"{top} {MISSING}"), certain

    def _bringers(self, step: Step, installed: Installed) -> tuple[str, ...]:
        """Of the longest name that somebody knows: `from google.cloud import storage` means google.cloud.storage."""
        if step["does"] == "from":
            for name in step["names"]:
                if found := distributions_of(f"{step['module']}.{name}", installed.modules):
                    return found
        return distributions_of(step["module"], installed.modules)

    @cached_property
    def _packages(self) -> tuple[Packages, ...]:
        return packages_of(self.bench.files)

    def _around(self, packages: Packages) -> tuple[Installed, frozenset[str]]:
        """What is installed beside it, and all that it will have."""
        if packages.folder not in self._known:
            installed = installed_beside(self.bench.files.root, packages.folder)
            whole = packages.declared | brought_by(packages.declared, installed)
            self._known[packages.folder] = installed, whole
        return self._known[packages.folder]

    # --- what counts ------------------------------------------------------------------------------------------------

    def _counts(self, path: str) -> bool:
        """In a program every file does. Of a library, what is imported with it: the rest may need what is optional."""
        if is_aside(path):
            return False
        packages = next((one for one in self._packages if _holds(one.folder, path)), None)
        return packages is None or not packages.installable or path in self._with_the_library

    @cached_property
    def _with_the_library(self) -> frozenset[str]:
        tops = (path for path in self.graph.paths if path.endswith("/__init__.py") and not is_aside(path))
        places = self.graph.places
        return self.graph.reachable(path for path in tops if "." not in places.name_of(path)[1])


def _is_declared_by_name(top: str, packages: Packages) -> bool:
    """Most are, and then no table has to be read; a name that many distributions share says nothing."""
    return canonical(top) in packages.declared and top not in PROVES_NOTHING


def _holds(folder: str, path: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _alike(top: str, there: frozenset[str]) -> bool:
    """A distribution of nearly the same name probably brings it: `python-foo`, `pyfoo`, `foo-python`, `django-foo`."""
    name = canonical(top)
    plain = name.replace("-", "")
    for other in there:
        bare = other.replace("-", "")
        if plain in {bare, f"py{bare}", f"python{bare}"} or bare in {f"py{plain}", f"python{plain}", f"{plain}py"}:
            return True
        if other.startswith(f"{name}-") or other.endswith(f"-{name}") or name.startswith(f"{other}-"):
            return True
    return False
