"""A manifest is mixed by key: what steers the checks from the start, the rest from the agent."""

from __future__ import annotations

import json
import tomllib

import pytest

from trueup.act.manifests import is_manifest, restore_keys

PYPROJECT = b"""\
# the shop
[project]
name = "shop"
dependencies = ["requests"]  # http

[tool.pytest.ini_options]
addopts = "-q"  # quiet
testpaths = ["tests"]

[tool.ruff]
line-length = 100
"""


def test_an_unchanged_file_and_an_unknown_file_are_returned_as_they_are() -> None:
    assert restore_keys("pyproject.toml", PYPROJECT, PYPROJECT) == (PYPROJECT, ())
    assert restore_keys("notes.toml", b"a = 1", b"a = 2") == (b"a = 2", ())


def test_an_added_dependency_alone_leaves_the_bytes_untouched() -> None:
    now = PYPROJECT.replace(b'["requests"]', b'[ "requests","rich" ]')
    assert restore_keys("pyproject.toml", PYPROJECT, now) == (now, ())


def test_runner_keys_go_back_while_the_added_dependency_and_comments_stay() -> None:
    now = PYPROJECT.replace(b'["requests"]', b'["requests", "rich"]').replace(
        b'"-q"', b'"-q --deselect tests/test_a.py"'
    )
    mixed, keys = restore_keys("pyproject.toml", PYPROJECT, now)
    assert keys == ("tool.pytest",)
    assert mixed == PYPROJECT.replace(b'["requests"]', b'["requests", "rich"]')


def test_added_runner_tables_are_taken_out_and_deleted_ones_come_back() -> None:
    now = b'[project]\nname = "shop"\ndependencies = ["requests"]\n\n[tool.coverage.run]\nomit = ["*"]\n'
    mixed, keys = restore_keys("pyproject.toml", PYPROJECT, now)
    assert keys == ("tool.coverage", "tool.pytest", "tool.ruff")
    assert tomllib.loads(mixed.decode()) == tomllib.loads(PYPROJECT.decode())


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("[tool.pytest]\naddopts = ['-x']", "tool.pytest"),
        ("[tool.hatch.envs.test.scripts]\nrun = 'true'", "tool.hatch.envs"),
        ("[tool.mypy]\nignore_errors = true", "tool.mypy"),
        ("[tool.trueup]\ngoal = 'no-new-failures'", "tool.trueup"),
        ("[tool.poe.tasks]\ntest = 'true'", "tool.poe"),
        ("[tool.pdm.scripts]\ntest = 'true'", "tool.pdm.scripts"),
        ("[tool.pixi.feature.dev.tasks]\ntest = 'true'", "tool.pixi.feature.dev.tasks"),
        ("[project.entry-points.pytest11]\nevil = 'evil'", "project.entry-points.pytest11"),
        ("[tool.poetry.plugins.pytest11]\nevil = 'evil'", "tool.poetry.plugins.pytest11"),
        ("[project.scripts]\npytest = 'evil:main'", "project.scripts.pytest"),
        ("[tool.uv.sources]\npytest = { path = 'evil' }", "tool.uv.sources.pytest"),
    ],
)
def test_every_table_that_steers_the_checks_is_taken_out_when_it_was_added(table: str, key: str) -> None:
    start = b'[build-system]\nrequires = ["hatchling"]\n'
    mixed, keys = restore_keys("pyproject.toml", start, start + b"\n" + table.encode() + b"\n")
    assert keys == (key,)
    assert key.rpartition(".")[2] not in mixed.decode()
    assert tomllib.loads(mixed.decode())["build-system"] == {"requires": ["hatchling"]}


def test_a_script_of_the_project_stays_while_one_named_like_the_runner_goes() -> None:
    start = b'[project]\nname = "shop"\n'
    now = start + b'\n[project.scripts]\nshop = "shop:main"\npytest = "shop:fake"\n'
    mixed, keys = restore_keys("pyproject.toml", start, now)
    assert keys == ("project.scripts.pytest",)
    assert tomllib.loads(mixed.decode())["project"]["scripts"] == {"shop": "shop:main"}


@pytest.mark.parametrize(
    "now",
    [
        b'tool.pytest.ini_options.addopts = "-x"\n[project]\nname = "shop"\n',
        b'tool = {pytest = {ini_options = {addopts = "-x"}}}\n[project]\nname = "shop"\n',
        b'[tool]\npytest.ini_options.addopts = "-x"\n[project]\nname = "shop"\n[tool.a]\nb = 1\n',
        b'[tool."pytest".ini_options]\naddopts = "-x"\n[project]\nname = "shop"\n[tool.a]\nb = 1\n',
    ],
)
def test_no_way_of_writing_a_key_hides_it(now: bytes) -> None:
    mixed, keys = restore_keys("pyproject.toml", PYPROJECT, now)
    assert keys
    parsed = tomllib.loads(mixed.decode())
    assert parsed["tool"]["pytest"] == {"ini_options": {"addopts": "-q", "testpaths": ["tests"]}}
    assert parsed["tool"]["ruff"] == {"line-length": 100}


def test_tables_out_of_order_are_mixed_without_losing_others() -> None:
    now = (
        PYPROJECT.replace(b'"-q"', b'"-x"')
        + b'\n[dependency-groups]\ndev = ["rich"]\n\n[tool.black]\nline-length = 9\n'
    )
    mixed, keys = restore_keys("pyproject.toml", PYPROJECT, now)
    assert keys == ("tool.pytest",)
    parsed = tomllib.loads(mixed.decode())
    assert parsed["tool"]["pytest"]["ini_options"]["addopts"] == "-q"
    assert parsed["dependency-groups"] == {"dev": ["rich"]}
    assert parsed["tool"]["black"] == {"line-length": 9}


def test_windows_line_ends_survive_the_mixing() -> None:
    start = PYPROJECT.replace(b"\n", b"\r\n")
    now = start.replace(b'"-q"', b'"-x"').replace(b'["requests"]', b'["rich"]')
    mixed, keys = restore_keys("pyproject.toml", start, now)
    assert keys == ("tool.pytest",)
    assert mixed == start.replace(b'["requests"]', b'["rich"]')


def test_a_file_that_no_longer_parses_goes_back_as_a_whole() -> None:
    assert restore_keys("pyproject.toml", PYPROJECT, b"[project\n") == (PYPROJECT, ("*",))
    assert restore_keys("pyproject.toml", None, b"[project\n") == (b"", ("*",))
    assert restore_keys("package.json", b'{"name": "a"}', b"{") == (b'{"name": "a"}', ("*",))
    assert restore_keys("package.json", b"{}", b"[1]") == (b"{}", ("*",))
    assert restore_keys("setup.cfg", b"[metadata]\nname = a\n", b"name = a\n") == (b"[metadata]\nname = a\n", ("*",))


def test_an_agent_may_repair_a_start_that_does_not_parse_but_not_its_runner_tables() -> None:
    broken = PYPROJECT.replace(b'["requests"]', b'["requests"')
    assert restore_keys("pyproject.toml", broken, PYPROJECT) == (PYPROJECT, ())
    mixed, keys = restore_keys("pyproject.toml", broken, PYPROJECT.replace(b'"-q"', b'"-x"'))
    assert (mixed, keys) == (PYPROJECT, ("tool.pytest.ini_options",))
    sneaky = b"tool.mypy.ignore_errors = true\n" + PYPROJECT
    assert restore_keys("pyproject.toml", broken, sneaky) == (broken, ("*",))


def test_an_added_pyproject_keeps_all_but_the_runner_keys() -> None:
    mixed, keys = restore_keys("sub/pyproject.toml", None, PYPROJECT)
    assert keys == ("tool.pytest", "tool.ruff")
    assert "pytest" not in mixed.decode()
    assert b'dependencies = ["requests"]  # http' in mixed


# --- package.json --------------------------------------------------------------------------------------

PACKAGE = b"""\
{
  "name": "shop",
  "scripts": {
    "test": "jest",
    "lint": "eslint ."
  },
  "files": ["dist", "LICENSE"],
  "dependencies": { "left-pad": "1.0.0" }
}
"""


def test_the_test_script_goes_back_and_the_dependency_stays() -> None:
    now = PACKAGE.replace(b'"jest"', b'"exit 0"').replace(b'"1.0.0" }', b'"1.0.0", "lodash": "4.0.0" }')
    mixed, keys = restore_keys("package.json", PACKAGE, now)
    assert keys == ("scripts",)
    assert mixed == PACKAGE.replace(b'"1.0.0" }', b'"1.0.0", "lodash": "4.0.0" }')


def test_added_runner_keys_are_taken_out_and_everything_else_keeps_its_bytes() -> None:
    now = PACKAGE.replace(b'  "files"', b'  "jest": {"testMatch": []},\n  "files"')
    assert restore_keys("package.json", PACKAGE, now) == (PACKAGE, ("jest",))
    first = PACKAGE.replace(b'  "name"', b'  "mocha": {"spec": ""},\n  "name"')
    assert restore_keys("package.json", PACKAGE, first) == (PACKAGE, ("mocha",))


def test_a_deleted_key_comes_back_with_the_file_s_own_indent() -> None:
    now = b'{\n\t"name": "shop",\n\t"dependencies": {}\n}'
    mixed, keys = restore_keys("package.json", b'{"scripts": {"test": "jest"}}', now)
    assert keys == ("scripts",)
    assert mixed == b'{\n\t"name": "shop",\n\t"dependencies": {},\n\t"scripts": {"test": "jest"}\n}'
    assert restore_keys("package.json", b'{"scripts": {}}', b"{}") == (b'{"scripts": {}}', ("scripts",))


def test_a_key_that_is_written_twice_is_replaced_twice() -> None:
    now = b'{"scripts": {"test": "jest"}, "name": "a", "scripts": {"test": "exit 0"}}'
    mixed, keys = restore_keys("package.json", b'{"scripts": {"test": "jest"}}', now)
    assert keys == ("scripts",)
    assert b"exit 0" not in mixed
    assert json.loads(mixed) == {"scripts": {"test": "jest"}, "name": "a"}


def test_non_ascii_text_and_a_byte_order_mark_survive() -> None:
    now = '\ufeff{"name": "café — menù", "scripts": {"test": "exit 0"}}'.encode()
    mixed, _ = restore_keys("package.json", b'{"scripts": {"test": "jest"}}', now)
    assert mixed == '\ufeff{"name": "café — menù", "scripts": {"test": "jest"}}'.encode()


def test_a_repaired_package_json_may_say_about_the_checks_only_what_the_broken_one_said() -> None:
    escaped = PACKAGE.replace(b"\n", b"\\n").replace(b'"', b'\\"')
    assert restore_keys("package.json", escaped, PACKAGE) == (PACKAGE, ())
    cheated = PACKAGE.replace(b'"jest"', b'"exit 0"')
    assert restore_keys("package.json", escaped, cheated) == (escaped, ("*",))


# --- setup.cfg, tox.ini, Cargo.toml ----------------------------------------------------------------------

SETUP = b"""\
[metadata]
name = shop

# how the tests run
[tool:pytest]
addopts = -q
; quiet

[options]
install_requires =
    requests
"""


def test_a_section_of_the_runner_goes_back_with_its_comments_and_dependencies_stay() -> None:
    wanted = SETUP.replace(b"    requests\n", b"    requests\n    rich\n")
    now = wanted.replace(b"addopts = -q\n; quiet", b"addopts = -q --ignore=tests")
    assert restore_keys("setup.cfg", SETUP, now) == (wanted, ("tool:pytest",))


@pytest.mark.parametrize(
    "section",
    [
        "[pytest]\naddopts = -x",
        "[coverage:run]\nomit = *",
        "[flake8]\nignore = E",
        "[mypy-shop.*]\nignore_errors = True",
        "[DEFAULT]\nx = 1",
        "[testenv:py]\ncommands = true",
    ],
)
def test_an_added_section_that_steers_the_checks_is_taken_out(section: str) -> None:
    mixed, keys = restore_keys("setup.cfg", SETUP, SETUP + b"\n" + section.encode() + b"\n")
    assert keys == (section.partition("]")[0].lstrip("["),)
    assert mixed.strip() == SETUP.strip()


def test_a_deleted_section_comes_back() -> None:
    now = b"[metadata]\nname = shop"
    mixed, keys = restore_keys("setup.cfg", SETUP, now)
    assert keys == ("tool:pytest",)
    assert mixed.startswith(b"[metadata]\nname = shop\n[tool:pytest]\naddopts = -q\n; quiet")


def test_a_plugin_entry_point_goes_back_and_a_console_script_stays() -> None:
    entry = b"[options.entry_points]\nconsole_scripts =\n    shop = shop:main\npytest11 =\n    evil = evil\n"
    mixed, keys = restore_keys("setup.cfg", SETUP, SETUP + entry)
    assert keys == ("options.entry_points.pytest11",)
    assert mixed == SETUP + b"[options.entry_points]\nconsole_scripts =\n    shop = shop:main\n"
    own = SETUP + b"[options.entry_points]\npytest11 =\n    shop = shop.plugin\n"
    assert restore_keys("setup.cfg", own, SETUP + entry)[0].endswith(b"shop:main\npytest11 =\n    shop = shop.plugin\n")


@pytest.mark.parametrize("hidden", [b"# note\x0c[pytest]\x0caddopts = -x\n", b"[x]\n  [pytest]\n  addopts = -x\n"])
def test_a_section_that_only_some_parsers_see_sends_the_whole_file_back(hidden: bytes) -> None:
    assert restore_keys("setup.cfg", SETUP, hidden + SETUP) == (SETUP, ("*",))


def test_all_of_tox_ini_belongs_to_the_checks() -> None:
    start = b"[testenv]\ncommands = pytest\n\n[base]\ndeps = pytest\n"
    now = start.replace(b"commands = pytest", b"commands = true").replace(b"deps = pytest", b"deps = evil")
    mixed, keys = restore_keys("tox.ini", start, now)
    assert (mixed, keys) == (start, ("testenv", "base"))
    assert restore_keys("tox.ini", None, b"[pytest]\naddopts = -x\n") == (b"", ("pytest",))


def test_cargo_keeps_the_agent_s_dependencies_and_the_start_s_test_targets() -> None:
    start = b'[package]\nname = "shop"\n\n[lib]\nname = "shop"\n\n[[test]]\nname = "all"\n'
    now = b'[package]\nname = "shop"\nautotests = false\n\n[lib]\nname = "shop"\ntest = false\n\n[dependencies]\nserde = "1"\n'
    mixed, keys = restore_keys("crates/shop/Cargo.toml", start, now)
    assert keys == ("lib.test", "package.autotests", "test")
    parsed = tomllib.loads(mixed.decode())
    assert parsed == {
        "package": {"name": "shop"},
        "lib": {"name": "shop"},
        "dependencies": {"serde": "1"},
        "test": [{"name": "all"}],
    }


def test_manifests_are_known_by_name_at_any_depth() -> None:
    assert is_manifest("packages/a/package.json")
    assert not is_manifest("package.json.md")
