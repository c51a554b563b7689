"""How does a verifier say what it found, and where does it speak more quietly?"""

from __future__ import annotations

import re
from functools import cache

from trueup.evidence.failure import Failure, Phase

_TESTS = frozenset({"test", "tests", "testing", "spec", "specs", "__tests__", "e2e"})
_SAMPLES = frozenset({
    "fixture", "fixtures", "testdata", "test_data", "test-data", "testfiles", "test_files", "data_test", "__fixtures__",
    "corpus", "snapshots", "__snapshots__", "golden", "goldens", "cassettes", "mocks", "invalid", "malformed", "broken",
})  # fmt: skip
_ASIDE = frozenset({
    "doc", "docs", "documentation", "example", "examples", "sample", "samples", "demo", "demos", "tutorial",
    "tutorials", "benchmark", "benchmarks", "bench", "perf", "template", "templates", "vendor", "_vendor", "vendored",
    "_vendored", "third_party", "thirdparty", "third-party", "external", "extern", "contrib", "misc", "archive",
    "attic", "old", "legacy", "deprecated", "notebooks", "playground", "scratch", "cookiecutter", "skeleton",
    "scaffold", "boilerplate", "lab", "labs", "experiments", "site-packages", "node_modules", "bower_components",
})  # fmt: skip
_COLLECTED = re.compile(r"(?:test_.*|.*_test|conftest|__init__)\.py$|.*[._](?:test|spec)\.[cm]?[jt]sx?$")


def finding(
    check: str,
    kind: str,
    message: str,
    *,
    file: str,
    line: int | None = None,
    source_line: str | None = None,
    subject: str = "",
    phase: Phase = Phase.BUILD,
) -> Failure:
    """By default one subject for each file and kind: several in a file are counted."""
    return Failure(
        check=check,
        subject=subject or f"{file} {kind}",
        phase=phase,
        kind=kind,
        message=message,
        file=file,
        line=line,
        source_line=source_line,
        test=False,
    )


def is_sample(path: str) -> bool:
    """Files that may be broken on purpose: data of tests, templates, what belongs to somebody else."""
    folders, name = _split(path)
    if "{{" in path or "{%" in path or folders & (_SAMPLES | _ASIDE):
        return True
    return bool(folders & _TESTS) and not _COLLECTED.fullmatch(name)


def is_aside(path: str) -> bool:
    """Files that the program runs without: tests, documents, examples, scripts that build it."""
    folders, name = _split(path)
    if folders & (_TESTS | _SAMPLES | _ASIDE | {"scripts", "tools", "ci", "bin", "script", "build_tools", "packaging"}):
        return True
    return bool(_COLLECTED.fullmatch(name) and name != "__init__.py") or name in _BUILD_FILES


_BUILD_FILES = frozenset({
    "setup.py", "noxfile.py", "fabfile.py", "dodo.py", "wscript", "SConstruct", "versioneer.py", "ez_setup.py",
    "gulpfile.js", "Gruntfile.js", "bootstrap.py", "hatch_build.py", "build.py", "_build.py",
})  # fmt: skip


def _split(path: str) -> tuple[frozenset[str], str]:
    folder, _, name = path.rpartition("/")
    return folder_names(folder), name


@cache
def folder_names(folder: str) -> frozenset[str]:
    """What the folders of a path are called; `typing-examples` and `integration_tests` are also their last word."""
    names = folder.lower().split("/")
    last = (re.split(r"[-_]", name)[-1] for name in names)
    return frozenset(names) | (_PLURALS & frozenset(last))


_PLURALS = frozenset({"tests", "examples", "samples", "docs", "benchmarks", "fixtures", "demos", "tutorials"})
