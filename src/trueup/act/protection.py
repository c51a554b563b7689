"""Which paths are tests, which steer the checks, and where may the agent write? Decided from the start alone.

Tests and control files of the start keep the start's bytes. Added control files are dropped. Everything here is
a pure function of paths and commands; nothing is read from disk.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from posixpath import basename, dirname, splitext

from pathspec import GitIgnoreSpec

from trueup.act.commands import Start, follow, named_by
from trueup.act.manifests import is_manifest
from trueup.decide.moves import PutBackWhy

_JS = ("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte")

_TEST_NAMES = (
    "test_*.py", "*_test.py", "tests.py", "test.py", "*_test.go", "tests.rs", "*_test.rs", "test_*.rs",
    *(f"*{mark}.{ext}" for ext in _JS for mark in (".test", ".spec", ".cy", "_test", "-test")),
    *(f"{name}.{ext}" for ext in ("js", "mjs", "cjs", "ts") for name in ("test", "test-*")),
    "*_spec.rb", "*_test.rb", "test_*.rb", "*_test.exs", "*_test.dart", "*.bats", "*.snap", "*.ambr", "*.feature",
    *(f"*{mark}.{ext}" for ext in ("java", "kt", "scala", "groovy", "cs", "swift", "php")
      for mark in ("Test", "Tests", "TestCase")),
    "*IT.java", "*IT.kt", "*Spec.kt", "*Spec.scala", "*Spec.groovy", "*Spec.swift",
    "*_test.c", "*_test.cc", "*_test.cpp", "*_unittest.cc", "*_unittest.cpp",
)  # fmt: skip

_TEST_PLACES = re.compile(
    r"(^|/)(__tests__|__snapshots__|__fixtures__|__mocks__|testdata)/"
    r"|(^|/)src/(test|androidTest|integrationTest|testFixtures)/"
    r"|(^|/)tests/(.*/)?[^/]+\.(rs|php)$|(^|/)spec/(.*/)?[^/]+\.rb$|^test/(.*/)?[^/]+\.[mc]?[jt]sx?$|(^|/)t/[^/]+\.t$"
)
"""Where a file is a test or a test's fixture by the place alone."""

_TEST_FOLDERS = frozenset({
    "tests", "test", "spec", "specs", "e2e", "integration_tests", "integration-tests", "unit_tests", "test_suite",
})  # fmt: skip

_CODE = frozenset(
    f".{ext}" for ext in (*_JS, "py", "pyi", "pyx", "go", "rs", "rb", "java", "kt", "scala", "groovy", "cs", "swift",
    "php", "ex", "exs", "dart", "c", "cc", "cpp", "h", "hpp", "sh", "lua", "pl", "hs", "ml", "clj", "zig")
)  # fmt: skip

_CONTROL_NAMES = (
    # Python runners and whatever the interpreter runs before them
    "conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "noxfile.py", "tox.toml",
    "sitecustomize.py",
    "usercustomize.py", "*.pth", "*.egg-link", ".coveragerc", ".coveragerc.toml", "pyvenv.cfg", "nose2.cfg",
    "unittest.cfg", ".noserc", ".stestr.conf", "behave.ini", ".behaverc",
    # which interpreter runs the checks, and where its packages come from
    ".python-version", ".python-versions", ".tool-versions", ".node-version", ".nvmrc", ".ruby-version",
    ".java-version", "rust-toolchain", "rust-toolchain.toml", "uv.toml", "pip.conf", "poetry.toml",
    # linters and type checkers
    ".flake8", "mypy.ini", ".mypy.ini", "ruff.toml", ".ruff.toml", "pyrightconfig.json", ".pylintrc", "pylintrc",
    ".eslintrc*",
    "eslint.config.*", ".eslintignore", "biome.json*", ".golangci.*", "clippy.toml", ".clippy.toml", ".rubocop.yml",
    ".pre-commit-config.yaml", "phpstan.neon*",
    # JavaScript and other runners
    "jest.config.*", "jest.setup.*", "vitest.config.*", "vitest.workspace.*", "vitest.setup.*", "setupTests.*",
    ".mocharc*",
    "karma.conf*", "ava.config.*", ".nycrc*", ".c8rc*", "cypress.config.*", "cypress.json", "playwright.config.*",
    "wdio.conf.*", "jasmine.json", ".taprc", "bunfig.toml", ".npmrc", ".yarnrc*", ".pnpmfile.*", ".rspec",
    "phpunit.xml*",
    # trueup's own
    "trueup.toml", ".worktreeinclude",
    # instructions and settings of coding agents
    "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "AGENT.md", "GEMINI.md", "QWEN.md",
    ".cursorrules",
    ".windsurfrules", ".clinerules", ".roomodes", ".goosehints", ".mcp.json", ".aider*", "opencode.json*",
    "crush.json",
    # files that run when a folder is entered, opened or pushed
    ".envrc", "mise.toml", ".mise.toml", ".gitlab-ci.yml", "Jenkinsfile", "lefthook.yml", ".lefthook.yml",
)  # fmt: skip

_CONTROL_FOLDERS = frozenset({
    ".trueup", ".claude", ".codex", ".gemini", ".qwen", ".cursor", ".windsurf", ".clinerules", ".roo", ".kilocode",
    ".continue",
    ".opencode", ".crush", ".amazonq", ".kiro", ".junie", ".vscode", ".idea", ".devcontainer", ".husky", ".githooks",
    ".circleci", ".cargo", ".mvn", "node_modules", "site-packages", ".venv",
})  # fmt: skip

_CONTROL_PLACES = re.compile(
    r"(^|/)\.github/(workflows|actions|instructions)/|(^|/)\.github/copilot-instructions\.md$"
    r"|(^|/)([^/]+\.(?i:egg|dist)-(?i:info)|(?i:egg-info))/|(^|/)gradle/wrapper/|(^|/)mise/config\.toml$"
)

_LINKED_FOLDERS = frozenset({".github", "gradle", "venv"})
"""Folders of which only some files are control, or only when they are a link to something else."""

_PLACE_NAMES = _TEST_FOLDERS | _CONTROL_FOLDERS | frozenset({
    ".github", "__tests__", "__snapshots__", "__fixtures__", "__mocks__", "testdata",
})  # fmt: skip
"""Names of folders that say what the files in them are."""

_WITH_DEPENDENCIES = (
    "pom.xml", "*.gradle", "*.gradle.kts", "*.csproj", "*.fsproj", "*.vbproj", "Directory.Packages.props", "mix.exs",
    "Package.swift",
)  # fmt: skip
"""Build files that are programs: what belongs to the checks cannot be told from the dependencies in them."""

_CACHE_FOLDERS = frozenset({
    "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".hypothesis", ".eslintcache",
})  # fmt: skip

_SHADOWS = (
    "sitecustomize",
    "usercustomize",
    "pytest",
    "_pytest",
    "pytest_*",
    "pluggy",
    "iniconfig",
    "xdist",
    "execnet",
)
"""Python modules that would take the place of a runner's, wherever modules are imported from."""

_ROOT_SHADOWS = (
    *_SHADOWS, "unittest", "doctest", "coverage", "nose", "nose2", "tox", "nox", "mypy", "ruff", "pyright", "flake8",
    "pylint", "trueup",
)  # fmt: skip
"""Likewise; but words that a project uses itself inside its folders."""

_IMPORT_ROOTS = frozenset({"", "src/", "lib/", "python/"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """What the start says about every path. `why_back` answers for one that changed."""

    start: frozenset[str]
    tests: frozenset[str]
    """Paths of the start that are tests, or fixtures and helpers of tests."""
    control: frozenset[str]
    """Paths of the start that steer the checks or the agent."""
    runs: tuple[str, ...] = ()
    """Patterns of the files that the check commands read to know what to do."""
    doors: tuple[tuple[str, str], ...] = ()
    """(folder, link): a link of the start whose name says what the files of the folder are."""
    only: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    edit_tests: bool = False
    max_files: int | None = None

    def why_back(self, path: str) -> tuple[PutBackWhy, str] | None:
        """The reason for which a change of this path goes back to the start's version, or None."""
        if path in self.control:
            return PutBackWhy.CONTROL, f"steers the checks{_by_hand(path)}"
        if is_cache_path(path):
            return PutBackWhy.CONTROL, "a tool's cache"
        if path not in self.start and self._is_added_control(path):
            return PutBackWhy.CONTROL, f"steers the checks; added{_by_hand(path)}"
        if matches(self.protect, path):
            return PutBackWhy.PROTECTED, "protect"
        if path in self.tests and not self.edit_tests:
            return PutBackWhy.PROTECTED, "a test, or a file that tests use"
        stands_for = self._stands_for(path)
        if stands_for:
            return PutBackWhy.PROTECTED, f"would be loaded instead of {stands_for}"
        return None

    def why_link_back(self, path: str) -> tuple[PutBackWhy, str] | None:
        """Likewise for a new link, which is a folder to whoever looks for one: `.claude -> docs`."""
        package = f"{path}/__init__.py"
        if is_control_link(path) or self._is_added_control(package):
            return PutBackWhy.CONTROL, "a link in the place of a folder that steers the checks"
        stands_for = self._stands_for(package)
        return (PutBackWhy.PROTECTED, f"would be loaded instead of {stands_for}") if stands_for else None

    def in_scope(self, path: str) -> bool:
        return not self.only or matches(self.only, path)

    def _is_added_control(self, path: str) -> bool:
        return (
            any(_is_plain_control(name) for name in _names(path, self.doors))
            or matches(self.runs, path)
            or self._shadows_a_runner(path)
            or self._shadows_the_interpreter(path)
        )

    def _shadows_a_runner(self, path: str) -> bool:
        """A module of that name that was there at the start is the project's own; so is one inside a package."""
        return any(
            _is_shadow(place, name) and self._imports_from(place) and not self._has_module(place, name)
            for place, name in _modules_on(path)
        )

    def _shadows_the_interpreter(self, path: str) -> bool:
        """A new `enum.py` where modules are imported from is loaded by the runner itself."""
        place, name = _importable(path)
        found = name in sys.stdlib_module_names and (place in _IMPORT_ROOTS or self._holds_tests(place))
        return found and not self._has_module(place, name)

    def _holds_tests(self, place: str) -> bool:
        """A folder that runners put before all others on the path, because tests lie in it and it is no package."""
        inside = (p for p in self.tests if p.endswith(".py") and p.rpartition("/")[0] == place[:-1])
        return bool(place) and f"{place}__init__.py" not in self.start and any(is_test_path(p) for p in inside)

    def _imports_from(self, place: str) -> bool:
        if f"{place}__init__.py" in self.start:
            return False
        return place in _IMPORT_ROOTS or any(
            p.endswith(".py") and p.rpartition("/")[0] == place[:-1] for p in self.start
        )

    def _has_module(self, place: str, name: str) -> bool:
        return f"{place}{name}.py" in self.start or any(p.startswith(f"{place}{name}/") for p in self.start)

    def _stands_for(self, path: str) -> str:
        """An added package or compiled module wins over `helpers.py`, an added `helpers.js` over `helpers.ts`."""
        if path in self.start:
            return ""
        kept = self.control if self.edit_tests else self.control | self.tests
        stem, ext = splitext(path)
        module = (
            dirname(path)
            if basename(stem) == "__init__"
            else path.removesuffix(basename(path)) + basename(path).split(".")[0]
        )
        if ext in {".py", ".so", ".pyd"} and f"{module}.py" in kept:
            return f"{module}.py"
        hidden = self._hides_product(path)
        if hidden and not self.edit_tests:
            return hidden
        if ext[1:] in _JS and not is_test_path(path):
            return next((f"{stem}.{other}" for other in _JS if f"{stem}.{other}" in kept), "")
        return ""

    def _hides_product(self, path: str) -> str:
        """`tests/shop.py` is what tests import as `shop`, whatever the product's own `shop.py` does."""
        place, name = _importable(path)
        if not name or not self._holds_tests(place):
            return ""
        ways = (f"{root}{name}{end}" for root in sorted(_IMPORT_ROOTS) for end in (".py", "/__init__.py"))
        return next((way for way in ways if way in self.start), "")


def protection(
    paths_of_start: Iterable[str],
    *,
    collected: Iterable[str] = (),
    commands: Iterable[tuple[str, ...]] = (),
    runner_patterns: Iterable[str] = (),
    only: Iterable[str] = (),
    protect: Iterable[str] = (),
    edit_tests: bool = False,
    max_files: int | None = None,
    links: Mapping[str, str] | None = None,
) -> Protection:
    """What the start protects.

    `collected`: files in which runners collected tests (see `files_of_tests`; product source that holds doctests or
    inline unit tests is not one). `runner_patterns`: the runners' own file rules, gitignore-style
    (`python_files`, `testMatch`). `commands`: argument lists of checks and set-up, see `commands_behind`. `links`:
    the start's links and their targets as they are written. A file is protected under each name that it has, and
    so are the links on the way.
    """
    start = Start(paths=frozenset(paths_of_start), links=dict(links or {}))
    doors = _doors(start)
    names = {name: path for path in start.paths for name in _names(path, doors)}
    named, runs = named_by(commands, start)
    tests = _tests(start, names, collected, tuple(runner_patterns))
    control = {p for name, p in names.items() if _is_plain_control(name) or (runs and matches(runs, name))}
    control |= named - tests
    control |= _behind_links(start, (p for p in start.links if p in control or is_manifest(p)))
    return Protection(
        start=start.paths,
        tests=frozenset(p for p in tests - control if not (is_manifest(p) and not _test_folder(p, tests))),
        control=frozenset(p for p in control if not is_manifest(p)),
        runs=runs,
        doors=doors,
        only=tuple(only),
        protect=tuple(protect),
        edit_tests=edit_tests,
        max_files=max_files,
    )


def _tests(
    start: Start, names: Mapping[str, str], collected: Iterable[str], patterns: tuple[str, ...]
) -> frozenset[str]:
    tests = {p for name, p in names.items() if is_test_path(name) or matches(patterns, name)}
    tests.update(*(start.at(path) for path in collected))
    tests |= _behind_links(start, tests.intersection(start.links))
    companions = _companions(frozenset(names), frozenset(name for name, p in names.items() if p in tests))
    return frozenset(tests | {names[name] for name in companions})


def files_of_tests(ids: Iterable[str]) -> frozenset[str]:
    """The files in which tests were collected, without those that hold only doctests: they are product source."""
    return frozenset(file for file, _, name in (test.partition("::") for test in ids) if not _is_doctest(file, name))


def _is_doctest(file: str, name: str) -> bool:
    """Doctests are named by their module (`pkg.calc.add`, `calc`); no test function has a dot in its name."""
    bare = name.partition("[")[0].partition("::")[0]
    return file.endswith(".py") and ("." in bare or bare == splitext(basename(file))[0])


def is_test_path(path: str) -> bool:
    """Whether the usual patterns call this file a test (or a fixture by its place), whoever wrote it."""
    return bool(_one_of(_TEST_NAMES)(basename(path)) or _TEST_PLACES.search(path))


def is_control_path(path: str) -> bool:
    """Whether the file steers checks or agents, judged by its path alone."""
    if _is_plain_control(path) or is_cache_path(path):
        return True
    return any(place in _IMPORT_ROOTS and _is_shadow(place, name) for place, name in _modules_on(path))


def is_control_link(path: str) -> bool:
    """Whether a link of that name stands for a folder that steers checks or agents, or for installed packages."""
    lowered = path.lower()  # some file systems do not tell them apart
    return basename(lowered) in _LINKED_FOLDERS or _is_plain_control(f"{lowered}/-")


def is_cache_path(path: str) -> bool:
    """What a tool left for its next run; a poisoned one changes what that run says."""
    return not _CACHE_FOLDERS.isdisjoint(path.split("/")) or path.endswith((".pyc", ".pyo", ".tsbuildinfo"))


def matches(patterns: tuple[str, ...], path: str) -> bool:
    """Gitignore-style; the last pattern that matches decides."""
    # A line break is no border for a pattern, although it is one for `.` in a regular expression.
    return bool(patterns) and _spec(patterns).match_file(re.sub(r"[\r\n]", "_", path))


@functools.lru_cache(maxsize=64)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(patterns)


@functools.cache
def _one_of(names: tuple[str, ...]) -> Callable[[str], re.Match[str] | None]:
    return re.compile("|".join(translate(name) for name in names)).match


def _is_plain_control(path: str) -> bool:
    parts = path.split("/")
    if _one_of(_CONTROL_NAMES)(parts[-1]) or not _CONTROL_FOLDERS.isdisjoint(parts[:-1]):
        return True
    # Agents keep their state in folders named like their files (`.aider.tags.cache.v4/`).
    return any(part.startswith(".aider") for part in parts[:-1]) or bool(_CONTROL_PLACES.search(path))


def _by_hand(path: str) -> str:
    return "; dependencies have to be added to it by hand" if _one_of(_WITH_DEPENDENCIES)(basename(path)) else ""


def _modules_on(path: str) -> Iterator[tuple[str, str]]:
    """(place, module) for each Python module that this path may be a part of; the place ends with a slash."""
    place, _, name = path.rpartition("/")
    yield f"{place}/" if place else "", name.split(".")[0] if name.endswith((".py", ".so", ".pyd")) else "/"
    while place:
        above, _, package = place.rpartition("/")
        yield f"{above}/" if above else "", package
        place = above


def _importable(path: str) -> tuple[str, str]:
    """(place, module) of a file that makes a module importable from that place; ("", "") for other files."""
    stem, ext = splitext(path)
    if ext not in {".py", ".so", ".pyd"}:
        return "", ""
    module = dirname(path) if basename(stem) == "__init__" else stem
    place, slash, name = module.rpartition("/")
    return place + slash, name.split(".")[0]


def _is_shadow(place: str, module: str) -> bool:
    return any(fnmatchcase(module, name) for name in (_ROOT_SHADOWS if place in _IMPORT_ROOTS else _SHADOWS))


# --- links of the start -----------------------------------------------------------------------------


def _doors(start: Start) -> tuple[tuple[str, str], ...]:
    """A link called `tests` makes tests of what it leads to; one inside `tests` may lead to the product."""
    named = ((follow(link, start.links)[0], link) for link in sorted(start.links) if basename(link) in _PLACE_NAMES)
    return tuple((folder, link) for folder, link in named if folder)


def _names(path: str, doors: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The path, and the names that links give to it."""
    yield path
    yield from (link + path[len(folder) :] for folder, link in doors if path.startswith(f"{folder}/"))


def _behind_links(start: Start, links: Iterable[str]) -> frozenset[str]:
    """What these links lead to. What is installed may lead to the product: packages of a workspace do."""
    own = [link for link in links if {"node_modules", "site-packages", ".venv"}.isdisjoint(link.split("/"))]
    return frozenset().union(*(start.at(link) for link in own))


# --- companions of tests ---------------------------------------------------------------------------


def _companions(start: frozenset[str], tests: frozenset[str]) -> frozenset[str]:
    """Helpers, fixtures and snapshots: all of a tests folder, and the data in a folder whose code is all tests."""
    homes = {folder for test in tests for folder in _folders(test)}
    product = {folder for path in start - tests if _is_product_code(path) for folder in _folders(path)}
    pure = homes - product
    found = set()
    for path in start - tests:
        named = [f for f in _folders(path) if basename(f) in _TEST_FOLDERS and f in homes]
        is_data = splitext(path)[1] not in _CODE and any(f in pure for f in _folders(path))
        if is_data or (named and not _lies_beside_its_test(path, named[0], tests)):
            found.add(path)
    return frozenset(found)


def _folders(path: str) -> list[str]:
    """The folders above a path, outermost first; never the root."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _is_product_code(path: str) -> bool:
    return splitext(path)[1] in _CODE and basename(path) not in {"__init__.py", "conftest.py"}


def _lies_beside_its_test(path: str, home: str, tests: frozenset[str]) -> bool:
    """`src/commands/test/index.ts` beside `index.test.ts`: a folder of the product that is called `test`."""
    inside_product = not {"src", "lib", "app", "internal"}.isdisjoint(_folders(dirname(home))[:1])
    if basename(home) not in {"test", "spec"} or not inside_product:
        return False
    stem, ext = splitext(path)
    return bool(ext in _CODE and not tests.isdisjoint({f"{stem}.test{ext}", f"{stem}.spec{ext}", f"{stem}_test{ext}"}))


def _test_folder(path: str, tests: frozenset[str]) -> bool:
    return path in tests and any(basename(folder) in _TEST_FOLDERS for folder in _folders(path))
