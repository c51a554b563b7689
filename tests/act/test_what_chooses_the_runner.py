"""Files and keys that choose with what, and as what, the checks are run."""

import json

import pytest

from trueup.act.manifests import WHOLE, restore_keys
from trueup.act.protection import protection


@pytest.mark.parametrize("path", [".python-version", "sub/.tool-versions", "uv.toml", ".nvmrc", "rust-toolchain.toml"])
def test_what_chooses_the_interpreter_is_dropped_when_it_is_added(path: str) -> None:
    assert protection(["calc.py"]).why_back(path) is not None


def test_a_file_of_variables_belongs_to_the_checks_when_their_program_reads_it() -> None:
    plain = protection(["calc.py"], commands=[("pytest", "-q")])
    reads = protection(["calc.py"], commands=[("pipenv", "run", "pytest")])
    assert plain.why_back(".env") is None
    assert reads.why_back(".env") is not None


@pytest.mark.parametrize("name", ["sitecustomize/__init__.py", "usercustomize/__init__.py", "src/sitecustomize.so"])
def test_what_the_interpreter_runs_by_itself_is_dropped_in_every_form(name: str) -> None:
    assert protection(["calc.py"]).why_back(name) is not None


@pytest.mark.parametrize("table", ["project.entry-points", "tool.flit.entrypoints", "tool.pdm.entry-points"])
def test_a_plugin_is_not_announced_by_any_tool_s_table(table: str) -> None:
    now = f'[project]\nname = "calc"\n\n[{table}.pytest11]\nfine = "fine"\n'.encode()
    content, keys = restore_keys("pyproject.toml", b'[project]\nname = "calc"\n', now)
    assert keys == (f"{table}.pytest11",)
    assert b"fine" not in content


@pytest.mark.parametrize(
    "more",
    [
        {"devDependencies": {"jest": "npm:not-jest@1"}},
        {"dependencies": {"@vitest/runner": "https://example.invalid/a.tgz"}},
        {"resolutions": {"a>mocha": "file:x"}},
        {"pnpm": {"overrides": {"vitest": "link:x"}}},
        {"bin": {"jest": "x.js"}},
    ],
)
def test_a_runner_that_comes_from_elsewhere_sends_the_manifest_back(more: dict[str, object]) -> None:
    start = b'{"name": "calc"}'
    assert restore_keys("package.json", start, json.dumps({"name": "calc", **more}).encode()) == (start, WHOLE)


@pytest.mark.parametrize(
    "more", [{"devDependencies": {"jest": "^30.0.0 || 31.x", "a": "file:a"}}, {"bin": {"calc": "x"}}]
)
def test_other_dependencies_and_versions_stay(more: dict[str, object]) -> None:
    now = json.dumps({"name": "calc", **more}).encode()
    assert restore_keys("package.json", b'{"name": "calc"}', now) == (now, ())
