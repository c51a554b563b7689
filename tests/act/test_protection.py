"""Which paths are protected, judged from the start's paths and the check commands alone."""

from __future__ import annotations

import pytest

from trueup.act.commands import commands_behind
from trueup.act.protection import (
    Protection,
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


@pytest.mark.parametrize(
    "script",
    [
        "source scripts/lib.sh",
        ". ./scripts/lib.sh",
        '. "$(dirname "$0")/../scripts/lib.sh"',
        ". $(dirname $0)/../scripts/lib.sh",
        'ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"; source "$ROOT/scripts/lib.sh"',
        'source "${BASH_SOURCE%/*}/../scripts/lib.sh"',
        "test -f scripts/lib.sh && . scripts/lib.sh",
        "cd scripts && . ./lib.sh",
    ],
)
def test_what_a_script_sources_is_control_and_what_that_runs(script: str) -> None:
    files = {
        "ci/check.sh": f"#!/bin/bash\nset -e\n{script}\nrun_tests\n".encode(),
        "scripts/lib.sh": b"run_tests() {\n  python ci/run.py\n}\n",
        "ci/run.py": b"import app\n",
        "lib.sh": b"",
        "app.py": b"",
    }
    found = commands_behind([("bash", "ci/check.sh")], files.get)
    control = protection(files, commands=found).control
    assert control >= {"ci/check.sh", "scripts/lib.sh"}
    assert control.isdisjoint({"lib.sh", "app.py"})
    assert ("ci/run.py" in control) is not script.startswith("cd")


def test_what_lies_beside_a_script_is_found_after_it_went_there() -> None:
    files = {"ci/check.sh": b'cd "$(dirname "$0")"\n. ./lib.sh\n', "ci/lib.sh": b"", "lib.sh": b""}
    found = commands_behind([("./ci/check.sh",)], files.get)
    assert "ci/lib.sh" in protection(files, commands=found).control


def test_a_file_that_would_be_sourced_or_included_cannot_be_added() -> None:
    files = {"check.sh": b"[ -f ci/local.sh ] && . ci/local.sh\n", "Makefile": b"-include local.inc\ntest:\n\tpytest\n"}
    guard = protection(files, commands=commands_behind([("./check.sh",), ("make", "test")], files.get))
    assert why(guard, "ci/local.sh") is PutBackWhy.CONTROL
    assert why(guard, "local.inc") is PutBackWhy.CONTROL
    assert why(guard, "src/local.inc") is None
    assert why(guard, "src/ci/local.sh") is None


@pytest.mark.parametrize("line", ["include rules.inc", "-include rules.inc # all", "sinclude more.inc rules.inc", "include $(TOP)/rules.inc", "include *.inc", "-include $(wildcard rules.inc)"])  # fmt: skip
def test_what_a_makefile_includes_is_control(line: str) -> None:
    files = {
        "Makefile": f"{line}\n\ntest: unit\n".encode(),
        "rules.inc": b"unit:\n\tpython ci/run.py\n",
        "ci/run.py": b"",
    }
    found = commands_behind([("make", "test")], files.get)
    control = protection((*files, "app.py"), commands=found).control
    assert control >= {"Makefile", "rules.inc"}
    assert "app.py" not in control
    assert ("ci/run.py" in control) is ("*" not in line)


def test_what_a_justfile_imports_is_control() -> None:
    files = {"justfile": b"import 'ci/rules'\nimport? 'mine'\n", "ci/rules": b"import 'deep'\n", "ci/deep": b"test:\n  ./check\n", "check": b""}  # fmt: skip
    found = commands_behind([("just", "test")], files.get)
    guard = protection((*files, "deep"), commands=found)
    assert guard.control == {"justfile", "ci/rules", "ci/deep", "check"}
    assert why(guard, "mine") is PutBackWhy.CONTROL


@pytest.mark.parametrize(
    ("argv", "control"),
    [
        (("npm", "--prefix", "sub", "test"), {"sub/ci/check.js"}),
        (("npm", "test", "--prefix=sub"), {"sub/ci/check.js"}),
        (("npm", "test", "-w", "sub"), {"sub/ci/check.js"}),
        (("yarn", "--cwd", "sub", "test"), {"sub/ci/check.js"}),
        (("sh", "-c", "cd sub && npm test"), {"sub/ci/check.js"}),
        (("sh", "-c", "(cd sub && npm test) && ci/all.sh"), {"sub/ci/check.js", "ci/all.sh"}),
        (("make", "-C", "sub", "unit"), {"sub/Makefile", "sub/ci/unit.sh"}),
        (("make", "-Csub", "unit"), {"sub/Makefile", "sub/ci/unit.sh"}),
        (("make", "-C", "sub", "-f", "other", "unit"), {"sub/Makefile", "sub/other", "sub/ci/check.js"}),
        (("pytest", "--rootdir", "sub", "-c", "sub/other"), {"sub/other"}),
        (("sh", "-c", "cd sub; pytest -c other"), {"sub/other"}),
    ],
)
def test_commands_are_followed_into_other_folders(argv: tuple[str, ...], control: set[str]) -> None:
    files = {
        "sub/package.json": b'{"scripts": {"test": "node ci/check.js"}}',
        "sub/Makefile": b"run:\n\t./app.js\nunit:\n\tci/unit.sh\n",
        "sub/other": b"unit:\n\tnode ci/check.js\n",
        "sub/ci/check.js": b"",
        "sub/ci/unit.sh": b"",
        "sub/app.js": b"",
        "ci/check.js": b"",
        "ci/unit.sh": b"",
        "ci/all.sh": b"",
    }
    assert protection(files, commands=commands_behind([argv], files.get)).control == control


@pytest.mark.parametrize(
    ("argv", "control"),
    [
        (("mvn", "-q", "test"), {"pom.xml", "core/pom.xml"}),
        (("./gradlew", "test"), {"gradlew", "build.gradle", "app/build.gradle.kts", "settings.gradle.kts", "gradle.properties"}),
        (("sh", "-c", "cmake -B build && ctest --test-dir build"), {"CMakeLists.txt", "cmake/tests.cmake"}),
        (("make", "-C", "build", "test"), {"CMakeLists.txt", "cmake/tests.cmake"}),
        (("mix", "test"), {"mix.exs"}),
        (("dotnet", "test"), {"App.csproj", "Directory.Build.props", "App.sln"}),
        (("swift", "test"), {"Package.swift"}),
        (("bundle", "exec", "rake", "test"), {"Rakefile"}),
        (("pytest",), set()),
        (("npm", "test"), set()),
    ],
)  # fmt: skip
def test_build_files_that_decide_what_is_tested_are_control_where_their_tool_is_used(
    argv: tuple[str, ...], control: set[str]
) -> None:
    start = (
        "pom.xml", "core/pom.xml", "gradlew", "build.gradle", "app/build.gradle.kts", "settings.gradle.kts", "gradle.properties",
        "CMakeLists.txt", "cmake/tests.cmake", "mix.exs", "App.csproj", "Directory.Build.props", "App.sln", "Package.swift",
        "Rakefile", "src/main/java/App.java", "src/app.cpp", "lib/app.ex", "App.cs", "Sources/App.swift",
    )  # fmt: skip
    assert protection(start, commands=[argv]).control == control


def test_a_project_s_own_makefile_leaves_its_other_build_files_alone() -> None:
    assert protection(("Makefile", "CMakeLists.txt"), commands=[("make", "test")]).control == {"Makefile"}


@pytest.mark.parametrize(
    ("argv", "path", "by_hand"),
    [
        (("mvn", "test"), "pom.xml", True),
        (("mvn", "test"), "new/pom.xml", True),
        (("gradle", "test"), "build.gradle.kts", True),
        (("dotnet", "test"), "App.csproj", True),
        (("mix", "test"), "mix.exs", True),
        (("make", "test"), "Makefile", False),
    ],
)
def test_build_files_that_go_back_say_that_dependencies_are_added_by_hand(
    argv: tuple[str, ...], path: str, *, by_hand: bool
) -> None:
    start = ("pom.xml", "build.gradle.kts", "App.csproj", "mix.exs", "Makefile")
    back = protection(start, commands=[argv]).why_back(path)
    assert back is not None
    assert back[0] is PutBackWhy.CONTROL
    assert ("dependencies have to be added to it by hand" in back[1]) is by_hand


# --- links of the start -----------------------------------------------------------------------------------


def test_tests_that_are_collected_through_a_link_are_protected_at_both_ends() -> None:
    start = ("tests", "qa/check_calc.py", "qa/tool.py", "qa/data.json", "calc.py")
    guard = protection(start, collected=["tests/check_calc.py"], links={"tests": "qa"})
    for path in ("tests", "qa/check_calc.py", "qa/tool.py", "qa/data.json"):
        assert why(guard, path) is PutBackWhy.PROTECTED
    assert why(guard, "calc.py") is None


@pytest.mark.parametrize("target", ["../../qa", "./../../qa/", "../../way", "../lib/../../qa"])
def test_links_are_followed_as_the_system_does(target: str) -> None:
    start = ("pkg/lib/deep", "qa/check.py", "way", "other/qa/check.py")
    guard = protection(start, collected=["pkg/lib/deep/check.py"], links={"pkg/lib/deep": target, "way": "qa"})
    assert guard.tests >= {"pkg/lib/deep", "qa/check.py"}
    assert "other/qa/check.py" not in guard.tests


@pytest.mark.parametrize("links", [{"tests": "/srv/qa"}, {"tests": "../qa"}, {"tests": "tests"}, {"tests": "gone"}])
def test_links_that_lead_nowhere_in_the_project_protect_themselves_only(links: dict[str, str]) -> None:
    guard = protection(("tests", "qa/check.py"), collected=["tests/check.py"], links=links)
    assert guard.tests == {"tests"}


def test_links_to_the_product_do_not_make_tests_of_it() -> None:
    links = {"tests/data/app.py": "../../src/app.py", "tests/lib": "../src", "node_modules/ui": "../ui"}
    start = (*links, "tests/test_a.py", "src/app.py", "ui/index.js")
    guard = protection(start, collected=["tests/test_a.py"], links=links)
    assert why(guard, "src/app.py") is None
    assert why(guard, "ui/index.js") is None
    assert why(guard, "tests/lib") is PutBackWhy.PROTECTED


def test_a_test_or_control_file_that_is_a_link_is_protected_where_it_leads() -> None:
    links = {"tests/test_a.py": "../qa/a.py", "conftest.py": "ci/hooks.py", "package.json": "ci/npm.json"}
    guard = protection((*links, "qa/a.py", "qa/b.py", "ci/hooks.py", "ci/npm.json", "ci/other.py"), links=links)
    assert guard.tests == {"tests/test_a.py", "qa/a.py"}
    assert guard.control == {"conftest.py", "ci/hooks.py", "ci/npm.json"}


def test_a_folder_behind_a_link_that_steers_agents_is_control_and_gets_no_new_files() -> None:
    guard = protection((".claude", "conf/agent/settings.json", "conf/app.json"), links={".claude": "conf/agent"})
    assert why(guard, "conf/agent/settings.json") is PutBackWhy.CONTROL
    assert why(guard, "conf/agent/hooks/new.sh") is PutBackWhy.CONTROL
    assert why(guard, "conf/app.json") is None


@pytest.mark.parametrize(
    ("argv", "control"),
    [
        (("sh", "bin/check.sh"), {"bin/check.sh", "scripts/real.sh", "ci/run.py"}),
        (("bin/check.sh",), {"bin/check.sh", "scripts/real.sh", "ci/run.py"}),
        (("sh", "tools/real.sh"), {"tools", "scripts/real.sh", "ci/run.py"}),
        (("pytest", "-c", "tools/ini"), {"tools", "scripts/ini"}),
        (("sh", "-c", ". tools/real.sh"), {"tools", "scripts/real.sh", "ci/run.py"}),
        (("eslint", "tools"), {"tools"}),
        (("eslint", "scripts"), set()),
    ],
)
def test_a_script_that_is_a_link_is_read_and_protected_where_it_leads(argv: tuple[str, ...], control: set[str]) -> None:
    links = {"bin/check.sh": "../scripts/real.sh", "tools": "scripts"}
    files = {"scripts/real.sh": b"#!/bin/sh\npython ci/run.py\n", "ci/run.py": b"", "scripts/ini": b"", "app.py": b""}
    files |= {path: target.encode() for path, target in links.items()}
    found = commands_behind([argv], files.get, links=links)
    assert protection(files, commands=found, links=links).control == control


@pytest.mark.parametrize(
    "path",
    [".claude", "sub/.claude", ".github", ".github/workflows", ".vscode", "node_modules", ".venv", "venv", ".Claude", "a.egg-info", "pytest", "src/enum"],
)  # fmt: skip
def test_a_new_link_in_the_place_of_a_folder_that_steers_is_control(path: str) -> None:
    back = protection(PYTHON).why_link_back(path)
    assert back is not None
    assert back[0] is PutBackWhy.CONTROL


def test_a_new_link_in_the_place_of_a_module_that_tests_load_goes_back() -> None:
    guard = protection(PYTHON)
    assert guard.why_link_back("tests/helpers") == (PutBackWhy.PROTECTED, "would be loaded instead of tests/helpers.py")
    for path in ("docs/readme", "src/shop/venvs", "latest", "tests/more", ".github/FUNDING.yml", "README"):
        assert guard.why_link_back(path) is None


# --- scripts that are none ----------------------------------------------------------------------------------


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
