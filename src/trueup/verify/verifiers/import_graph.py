"""Which modules of a tree import which, and what happens when one of them is imported first?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers.first_party import FirstParty
from trueup.verify.verifiers.python_facts import TRIED, PythonFacts, Step, python_facts

_ENTRIES = 12
"""Of one circle; a larger one has more ways in than are worth trying."""
_CIRCLES = 100


@dataclass(frozen=True, slots=True)
class Target:
    """What an import means in the tree."""

    root: str
    name: str
    file: str | None
    """"" = a folder that is a package without a file; None = it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """A name that is asked for before its module has defined it."""

    file: str
    line: int
    name: str
    module: str
    way: tuple[str, ...]
    """The files that are being imported at that moment, the first one first."""


@dataclass
class ImportGraph:
    files: SourceFiles
    paths: tuple[str, ...]
    places: FirstParty = field(init=False)
    _facts: dict[str, PythonFacts] = field(init=False, default_factory=dict)
    _targets: dict[tuple[str, bool, str, int], Target | None] = field(init=False, default_factory=dict)
    _named: dict[str, frozenset[str] | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.places = FirstParty(self.files)

    def facts(self, path: str) -> PythonFacts:
        if path not in self._facts:
            self._facts[path] = python_facts(self.files, path)
        return self._facts[path]

    def target(self, path: str, step: Step) -> Target | None:
        """None when it means nothing in the tree: another distribution, or the standard library."""
        folder, _, file = path.rpartition("/")
        key = (folder, file == "__init__.py", step["module"], step["level"])
        if key not in self._targets:
            self._targets[key] = self._target(path, step)
        return self._targets[key]

    def _target(self, path: str, step: Step) -> Target | None:
        if step["level"]:
            found = self.places.absolute(path, step["module"], step["level"])
            if found is None:
                return None
            root, name = found
        else:
            name = step["module"]
            at = self.places.top(path, name.partition(".")[0])
            if at is None:
                return None
            root = at
        return Target(root, name, self.places.module(root, name))

    def names_of(self, file: str) -> frozenset[str] | None:
        """All that a module defines; None when that cannot be seen."""
        if file not in self._named:
            facts = self.facts(file)
            taken = (name for step in facts["steps"] for name in step["names"])
            hidden = facts["dynamic"] or facts["error"]
            self._named[file] = None if hidden else frozenset((*taken, *facts["maybe"], *_ALWAYS))
        return self._named[file]

    def submodule(self, target: Target, name: str) -> str | None:
        return self.places.module(target.root, f"{target.name}.{name}")

    # --- edges ------------------------------------------------------------------------------------------------

    @cached_property
    def edges(self) -> dict[str, tuple[str, ...]]:
        """What is imported for certain when a file is."""
        return {path: tuple(dict.fromkeys(self._loads(path))) for path in self.paths}

    def _loads(self, path: str) -> Iterator[str]:
        yield from self._parents(*self.places.name_of(path))
        for step in self.facts(path)["steps"]:
            if step["does"] == "define" or step["how"] not in {"", TRIED}:
                continue
            target = self.target(path, step)
            if target is not None:
                yield from self.loaded_by(target, step)

    def loaded_by(self, target: Target, step: Step) -> Iterator[str]:
        yield from self._parents(target.root, target.name)
        if target.file:
            yield target.file
        names = step["names"] if step["does"] == "from" else ()
        yield from (file for name in names if (file := self.submodule(target, name)))

    def _parents(self, root: str, name: str) -> Iterator[str]:
        parts = name.split(".")
        for depth in range(1, len(parts)):
            if file := self.places.module(root, ".".join(parts[:depth])):
                yield file

    def reachable(self, starts: Iterator[str]) -> frozenset[str]:
        seen: set[str] = set()
        pending = list(starts)
        while pending:
            path = pending.pop()
            if path not in seen:
                seen.add(path)
                pending += self.edges.get(path, ())
        return frozenset(seen)

    # --- circles ----------------------------------------------------------------------------------------------

    def stuck(self) -> Iterator[Stuck]:
        """Circles that fail whichever way they are entered."""
        for circle in list(self._circles())[:_CIRCLES]:
            first: Stuck | None = None
            for entry in self._ways_in(circle):
                found = self._imported_first(entry)
                if found is None:
                    break
                first = first or found
            else:
                yield from [first] if first else []

    def _ways_in(self, circle: frozenset[str]) -> list[str]:
        outside = (path for path in self.paths if path not in circle)
        entered = {file for path in outside for file in self.edges[path] if file in circle}
        return sorted(entered or circle)[:_ENTRIES]

    def _imported_first(self, entry: str) -> Stuck | None:
        try:
            return _Import(self).first(entry)
        except RecursionError:  # a chain of a thousand modules: nothing is claimed about it
            return None

    def _circles(self) -> Iterator[frozenset[str]]:
        """Tarjan's algorithm, without recursion."""
        index: dict[str, int] = {}
        low: dict[str, int] = {}
        stack: list[str] = []
        on_stack: set[str] = set()
        for start in self.paths:
            if start in index:
                continue
            work = [(start, iter(self.edges[start]))]
            index[start] = low[start] = len(index)
            stack.append(start)
            on_stack.add(start)
            while work:
                node, edges = work[-1]
                following = next((e for e in edges if e in self.edges and e not in index), None)
                if following is not None:
                    index[following] = low[following] = len(index)
                    stack.append(following)
                    on_stack.add(following)
                    work.append((following, iter(self.edges[following])))
                    continue
                work.pop()
                low[node] = min([low[node], *(low[e] for e in self.edges[node] if e in on_stack)])
                if low[node] == index[node]:
                    circle = _popped(stack, node, on_stack)
                    if len(circle) > 1:
                        yield circle


_ALWAYS = (
    "__name__",
    "__file__",
    "__doc__",
    "__path__",
    "__spec__",
    "__loader__",
    "__package__",
    "__dict__",
    "__all__",
)


def _popped(stack: list[str], until: str, on_stack: set[str]) -> frozenset[str]:
    circle: set[str] = set()
    while until not in circle:
        circle.add(stack.pop())
    on_stack -= circle
    return frozenset(circle)


class _Import:
    """One module is imported first, in a fresh interpreter: which names are asked for too early?"""

    def __init__(self, graph: ImportGraph) -> None:
        self._graph = graph
        self._names: dict[str, set[str]] = {}
        self._running: list[str] = []
        self._stuck: Stuck | None = None

    def first(self, entry: str) -> Stuck | None:
        for file in (*self._graph._parents(*self._graph.places.name_of(entry)), entry):  # noqa: SLF001 - its other half
            self._load(file)
        return self._stuck

    def _load(self, file: str) -> None:
        if file in self._names or self._stuck:
            return
        self._names[file] = set()
        self._running.append(file)
        for step in self._graph.facts(file)["steps"]:
            self._take(file, step)
            self._names[file].update(step["names"])
        self._running.pop()

    def _take(self, file: str, step: Step) -> None:
        if step["does"] == "define" or step["how"] not in {"", TRIED}:
            return
        target = self._graph.target(file, step)
        if target is None:
            return
        for one in list(self._graph.loaded_by(target, {**step, "names": []})):
            self._load(one)
        if step["does"] != "from" or not target.file:
            return
        for name in step["names"]:
            self._name(file, step, target, name)

    def _name(self, file: str, step: Step, target: Target, name: str) -> None:
        assert target.file
        submodule = self._graph.submodule(target, name)
        if name in self._names.get(target.file, ()) or submodule is not None:
            if submodule and name not in self._names.get(target.file, ()):
                self._load(submodule)
            return
        defined = self._graph.names_of(target.file)
        early = target.file in self._running and defined is not None and name in defined
        if early and step["how"] == "" and not self._stuck:
            way = (*self._running[self._running.index(target.file) :], target.file)
            self._stuck = Stuck(file=file, line=step["line"], name=name, module=target.name, way=way)
