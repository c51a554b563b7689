"""Which paths are protected, judged from the start's paths and the check commands alone."""

from __future__ import annotations

import pytest

from trueup.act.protection import (
    Protection,
    commands_behind,
    files_of_tests,
    is_control_path,
    is_test_path,
    matches,
    protection,
)
from trueup.decide.moves import PutBackWhy

PYTHON = ("src/shop/__init__.py", "src/shop/cart.py", "tests/test_cart.py", "tests/helpers.py", "tests/data/cart.json")


def why(guard: Protection, path: str) -> PutBackWhy | None:
    back = guard.why_back(path)
    return back[0] if back else None


@pytest.mark.parametrize(
    "path",
    [
        "test_a.py", "pkg/a_test.py", "shop/tests.py", "a_test.go", "web/a.test.ts", "web/a.spec.tsx", "web/__tests__/a.js",
        "src/test/java/shop/Anything.java", "src/test/resources/a.xml", "shop/CartTest.java", "spec/models/cart_spec.rb",
        "spec/spec_helper.rb", "src/cart/tests.rs", "tests/all.rs", "web/__snapshots__/a.test.ts.snap", "pkg/testdata/in.txt",
        "test/cart.js", "lib/cart_test.exs", "ÄÖ/test_größe preis.py",
    ],
)  # fmt: skip
def test_the_usual_patterns_call_these_files_tests(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    ["src/shop/testing.py", "src/contest.py", "latest.go", "src/attest.ts", "src/KeySpec.java", "django/test/client.py", "src/protest.py", "docs/openapi_spec.js"],
)  # fmt: skip
def test_these_files_only_sound_like_tests(path: str) -> None:
    assert not is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "conftest.py", "tests/unit/conftest.py", "pytest.ini", ".pytest.ini", "noxfile.py", "sitecustomize.py", "usercustomize.py",
        "src/evil.pth", "pytest.py", "src/pytest/__init__.py", "_pytest/runner.py", "pluggy/__init__.py", "unittest/__init__.py",
        "coverage.py", "xdist/plugin.py", "jest.config.js", "vitest.config.mts", ".mocharc.json", "karma.conf.js", "trueup.toml",
        ".worktreeinclude", "CLAUDE.md", "sub/AGENTS.md", "GEMINI.md", ".claude/settings.json", ".codex/config.toml",
        ".gemini/settings.json", ".cursor/rules/a.mdc", ".aider.conf.yml", ".aider.tags.cache.v4/cache.db", ".mcp.json",
        ".github/workflows/ci.yml", ".coveragerc", ".envrc", ".vscode/tasks.json", "evil.egg-info/entry_points.txt",
        "evil-1.0.dist-info/entry_points.txt", "node_modules/jest/index.js", ".npmrc", "mypy.ini", "eslint.config.js",
        "__pycache__/a.cpython-311.pyc", ".mypy_cache/3.11/a.json",
    ],
)  # fmt: skip
def test_these_files_steer_checks_or_agents(path: str) -> None:
    assert is_control_path(path)


@pytest.mark.parametrize(
    "path",
    ["src/shop/cart.py", "src/shop/coverage.py", "README.md", "docs/agents.md", "src/pytesting.py", ".github/CODEOWNERS", "app/unittest/a.py"],
)  # fmt: skip
def test_ordinary_files_do_not(path: str) -> None:
    assert not is_control_path(path)


def test_helpers_and_data_in_a_tests_folder_are_protected_and_product_source_is_not() -> None:
    guard = protection(PYTHON)
    assert guard.tests == {"tests/test_cart.py", "tests/helpers.py", "tests/data/cart.json"}


def test_product_source_beside_a_test_is_never_protected() -> None:
    start = (
        "cart.go",
        "cart_test.go",
        "web/cart.ts",
        "web/cart.test.ts",
        "web/cart.json",
        "src/commands/test/index.ts",
        "src/commands/test/index.test.ts",
    )
    guard = protection(start)
    assert guard.tests == {"cart_test.go", "web/cart.test.ts", "src/commands/test/index.test.ts"}


def test_a_folder_called_test_that_holds_no_test_belongs_to_the_product() -> None:
    assert protection(("django/test/client.py", "django/test/html.py")).tests == set()


def test_data_in_a_folder_whose_code_is_all_tests_is_protected() -> None:
    start = ("checks/test_a.py", "checks/golden.txt", "checks/__init__.py", "checks/pyproject.toml", "app.py")
    assert protection(start).tests == {"checks/test_a.py", "checks/golden.txt"}


def test_files_that_a_runner_collected_or_its_rules_name_are_tests_whatever_they_are_called() -> None:
    start = ("verify/check_a.py", "verify/check_b.py", "verify/tool.py")
    guard = protection(start, collected=["verify/check_a.py", "gone.py"], runner_patterns=["check_*.py"])
    assert guard.tests == {"verify/check_a.py", "verify/check_b.py"}


def test_doctests_do_not_make_product_source_a_test() -> None:
    ids = [
        "src/shop/cart.py::shop.cart.add",
        "calc.py::calc",
        "odd/check.py::test_a[1.5]",
        "odd/more.py::TestB::test_c",
        "README.md::README.md",
    ]
    assert files_of_tests(ids) == {"odd/check.py", "odd/more.py", "README.md"}


def test_changed_tests_and_control_files_go_back_and_new_tests_stay() -> None:
    guard = protection((*PYTHON, "tests/conftest.py"))
    assert why(guard, "tests/test_cart.py") is PutBackWhy.PROTECTED
    assert why(guard, "tests/conftest.py") is PutBackWhy.CONTROL
    assert why(guard, "conftest.py") is PutBackWhy.CONTROL
    assert why(guard, "tests/test_new.py") is None
    assert why(guard, "tests/new_helpers.py") is None
    assert why(guard, "src/shop/cart.py") is None


def test_with_edit_tests_only_control_files_and_the_user_s_own_patterns_stay_protected() -> None:
    guard = protection((*PYTHON, "tests/conftest.py", "golden/a.txt"), edit_tests=True, protect=["golden/**"])
    assert why(guard, "tests/test_cart.py") is None
    assert why(guard, "tests/conftest.py") is PutBackWhy.CONTROL
    assert why(guard, "golden/a.txt") is PutBackWhy.PROTECTED
    assert why(guard, "golden/added.txt") is PutBackWhy.PROTECTED


@pytest.mark.parametrize(
    "path", ["tests/helpers/__init__.py", "tests/helpers.abi3.so", "tests/test_cart/__init__.py", "tests/test_cart.so"]
)
def test_an_added_module_that_would_be_imported_instead_of_a_protected_one_goes_back(path: str) -> None:
    back = protection(PYTHON).why_back(path)
    assert back is not None
    assert "instead of tests/" in back[1]


def test_an_added_script_that_would_be_resolved_before_a_protected_one_goes_back() -> None:
    guard = protection(("tests/helpers.ts", "tests/a.test.ts"))
    assert why(guard, "tests/helpers.js") is PutBackWhy.PROTECTED
    assert why(guard, "tests/a.test.js") is None
    assert why(guard, "tests/other.js") is None


def test_folders_of_recorded_data_beside_a_test_are_no_package() -> None:
    assert why(protection(PYTHON), "tests/test_cart/expected.yml") is None


@pytest.mark.parametrize(
    "path", ["pytest.py", "src/_pytest/__init__.py", "tests/pluggy.py", "coverage/__init__.py", "pytest_cov/plugin.py"]
)
def test_an_added_module_that_shadows_a_runner_is_control(path: str) -> None:
    assert why(protection(PYTHON), path) is PutBackWhy.CONTROL


@pytest.mark.parametrize("path", ["operator.py", "src/enum/__init__.py", "tests/difflib.py", "json.abi3.so"])
def test_an_added_module_that_shadows_the_interpreter_s_own_is_control(path: str) -> None:
    assert why(protection(PYTHON), path) is PutBackWhy.CONTROL


@pytest.mark.parametrize(
    "path", ["src/shop/types.py", "src/queue/index.ts", "docs/calendar/a.md", "tests/unit/types.py"]
)
def test_names_of_the_interpreter_s_modules_are_free_where_nothing_imports_them(path: str) -> None:
    assert why(protection(PYTHON), path) is None


@pytest.mark.parametrize("path", ["tests/shop.py", "tests/shop/__init__.py", "tests/shop.abi3.so"])
def test_an_added_module_that_tests_would_import_instead_of_the_product_goes_back(path: str) -> None:
    back = protection(PYTHON).why_back(path)
    assert back is not None
    assert "instead of src/shop/__init__.py" in back[1]


@pytest.mark.parametrize("path", ["tests/shop/test_new.py", "tests/shops.py", "tests/deep/shop.py"])
def test_new_files_beside_tests_that_hide_nothing_stay(path: str) -> None:
    assert why(protection(PYTHON), path) is None


def test_tests_in_a_package_hide_nothing_of_the_product() -> None:
    assert why(protection((*PYTHON, "tests/__init__.py")), "tests/shop.py") is None


@pytest.mark.parametrize("path", ["shop.Dist-Info/entry_points.txt", "a/shop.EGG-INFO/x", "shop.egg/EGG-INFO/x"])
def test_package_metadata_is_control_however_it_is_spelled(path: str) -> None:
    assert why(protection(PYTHON), path) is PutBackWhy.CONTROL


def test_the_project_s_own_modules_do_not_count_as_shadows() -> None:
    guard = protection(
        ("src/_pytest/__init__.py", "src/_pytest/runner.py", "src/shop/__init__.py", "unittest/test_a.py")
    )
    for path in (
        "src/_pytest/runner.py",
        "src/_pytest/new.py",
        "src/shop/coverage.py",
        "src/new/coverage.py",
        "unittest/test_b.py",
    ):
        assert why(guard, path) is None


# --- scope -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("src/**/*.ts", "src/a.ts"), ("src/**/*.ts", "src/x/y/a.ts"), ("**/*.md", "README.md"), ("**/*.md", "docs/größe preis.md"), ("src/**", "src/a b.py"), ("src/", "src/a/b.py"), ("golden/**", "golden/a\nb")],
)  # fmt: skip
def test_patterns_are_gitignore_style(pattern: str, path: str) -> None:
    assert matches((pattern,), path)


def test_later_patterns_take_exceptions_back() -> None:
    guard = protection((), only=["src/**", "!src/generated/**"])
    assert guard.in_scope("src/a.py")
    assert not guard.in_scope("src/generated/a.py")
    assert not guard.in_scope("other.py")
    assert protection(()).in_scope("anything")


# --- what commands run ------------------------------------------------------------------------------------

FILES = (
    "check.sh", "ci/run.py", "ci/pytest.ini", "Makefile", "src/app.py", "src/pkg/selftest.py", "tools/plugin.py", "justfile",
    "tsconfig.json", "requirements.txt", "package.json", "tests/test_a.py", "jest.ci.js",
)  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "control"),
    [
        (("./check.sh",), {"check.sh"}),
        (("bash", "-e", "check.sh"), {"check.sh"}),
        (("sh", "-c", "cd . && ./check.sh; true"), {"check.sh"}),
        (("bash", "-euo", "pipefail", "check.sh", "src/app.py"), {"check.sh"}),
        (("sh", "-c", "cd ci && python run.py ../src/app.py"), {"ci/run.py"}),
        (("sh", "-c", "cd ci; ../check.sh"), {"check.sh"}),
        (("python", "-c", "import app", "src/app.py"), set()),
        (("python", "-Im", "pkg.selftest"), {"src/pkg/selftest.py"}),
        (("env", "CI=1", "timeout", "60", "./check.sh"), {"check.sh"}),
        (("uv", "run", "--with", "rich", "python", "-X", "dev", "ci/run.py", "src/app.py"), {"ci/run.py"}),
        (("python", "-m", "pkg.selftest"), {"src/pkg/selftest.py"}),
        (("make", "test"), {"Makefile"}),
        (("just", "test"), {"justfile"}),
        (("npx", "tsc", "--noEmit"), {"tsconfig.json"}),
        (("jest", "--config=jest.ci.js"), {"jest.ci.js"}),
        (("pytest", "-c", "ci/pytest.ini", "-p", "tools.plugin", "tests/test_a.py"), {"ci/pytest.ini", "tools/plugin.py"}),
        (("mypy", "-p", "pkg.selftest", "src/app.py"), set()),
        (("uv", "run", "--frozen", "ruff", "check", "src/app.py"), set()),
        (("pip", "install", "-r", "requirements.txt"), set()),
        (("npm", "test"), set()),
    ],
)  # fmt: skip
def test_what_a_check_command_runs_is_control_and_what_it_looks_at_is_not(
    argv: tuple[str, ...], control: set[str]
) -> None:
    assert protection(FILES, commands=[argv]).control - {"ci/pytest.ini"} == control - {"ci/pytest.ini"}


def test_a_makefile_that_make_would_prefer_cannot_be_added() -> None:
    guard = protection(FILES, commands=[("make", "test")])
    assert why(guard, "GNUmakefile") is PutBackWhy.CONTROL
    assert why(protection(FILES, commands=[("pytest",)]), "GNUmakefile") is None


def test_a_test_named_by_the_command_stays_a_test() -> None:
    guard = protection(FILES, commands=[("python", "tests/test_a.py")], edit_tests=True)
    assert why(guard, "tests/test_a.py") is None


def test_scripts_behind_scripts_are_found() -> None:
    files = {
        "package.json": b'{"scripts": {"pretest": "node ci/prepare.js", "test": "make unit", "start": "node server.js"}}',
        "Makefile": b"run:\n\tpython app.py\n\nunit: lint\n\t@./check.sh \\\n\t  --all\n\nlint:\n\truff check\n",
        "check.sh": b"#!/bin/sh\nset -e\nif true; then bash -o errexit ci/steps; fi\n",
        "ci/steps": b"python ci/run.py\n",
        "ci/run.py": b"#!/usr/bin/env python\nimport app\n",
    }
    found = commands_behind([("npm", "test")], files.get)
    start = (*files, "ci/prepare.js", "server.js", "app.py")
    assert protection(start, commands=found).control == {
        "ci/prepare.js",
        "Makefile",
        "check.sh",
        "ci/steps",
        "ci/run.py",
    }


def test_scripts_that_cannot_be_read_are_passed_over() -> None:
    files = {"package.json": b"{", "check.sh": b"\x7fELF\0\xff", "Makefile": b""}
    commands = [("npm", "t"), ("./check.sh",), ("make",), ("./gone.sh",)]
    assert commands_behind(commands, files.get) == tuple(commands)


def test_a_tool_s_cache_goes_back_because_a_poisoned_one_changes_the_next_verdict() -> None:
    guard = protection((*PYTHON, ".mypy_cache/3.11/shop.json"))
    for path in (
        ".mypy_cache/3.11/shop.json",
        "tests/__pycache__/test_cart.cpython-311-pytest-8.pyc",
        "web/a.tsbuildinfo",
    ):
        assert why(guard, path) is PutBackWhy.CONTROL
