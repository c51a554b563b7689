"""Environments are shared with the bench, copied for the agent, and first-party code comes from their own tree."""

from __future__ import annotations

import json
import os
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from trueup.act.dependencies import (
    copy_for_agent,
    dependency_folders,
    detect_setup,
    editable_sources,
    environment_changed,
    environment_seal,
    link_for_bench,
    manifest_digest,
    python_path,
)
from trueup.act.process import quick


def write(path: Path, text: str, *, mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def site_packages(folder: Path) -> Path:
    return folder / ".venv" / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


def finder(mapping: dict[str, str]) -> str:
    """As much of setuptools' editable finder as importing needs."""
    return (
        "from __future__ import annotations\nimport sys\nfrom importlib.machinery import PathFinder\n"
        "from pathlib import Path\n"
        f"MAPPING: dict[str, str] = {mapping!r}\nNAMESPACES: dict[str, list[str]] = {{}}\n"
        "class Finder:\n    @classmethod\n    def find_spec(cls, name, path=None, target=None):\n"
        "        place = MAPPING.get(name)\n"
        "        return PathFinder.find_spec(name, [str(Path(place).parent)]) if place else None\n"
        "def install():\n    sys.meta_path.append(Finder)\n"
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a real virtual environment that imports from it in two ways."""
    root = tmp_path_factory.mktemp("home") / "shop"
    write(root / "src/shop/__init__.py", "WHERE = __file__\n")
    write(root / "tool/gears/__init__.py", "WHERE = __file__\n")
    venv.create(root / ".venv", with_pip=False, symlinks=True)
    site = site_packages(root)
    write(site / "shop.pth", f"# shop\n{root}/src\n\n/usr/share/elsewhere\n{root}-2/src\n")
    write(site / "__editable___gears_1_0_finder.py", finder({"gears": f"{root}/tool/gears", "odd": f"{root}/x/y"}))
    write(site / "__editable__.gears-1.0.pth", "import __editable___gears_1_0_finder as f; f.install()\n")
    write(
        root / ".venv/bin/shop",
        f"#!{root}/.venv/bin/python\nimport shop, gears\nprint(shop.WHERE, gears.WHERE)\n",
        mode=0o755,
    )
    return root


def run_shop(folder: Path, program: str = ".venv/bin/shop", **env: str) -> list[Path]:
    output = quick([str(folder / program)], cwd=folder, env={"PATH": "/usr/bin:/bin", **env})
    return [Path(line) for line in output.decode().split()]


def test_environment_folders_are_found_at_the_top_and_node_modules_below(tmp_path: Path) -> None:
    write(tmp_path / ".venv/pyvenv.cfg", "")
    write(tmp_path / "py311/pyvenv.cfg", "")
    write(tmp_path / "env/settings.py", "")
    write(tmp_path / "src/venv/pyvenv.cfg", "")
    for folder in (
        "node_modules/a",
        "web/node_modules/a/node_modules/b",
        "packages/ui/node_modules/c",
        "a/b/c/node_modules",
    ):
        (tmp_path / folder).mkdir(parents=True)
    expected = (".venv", "node_modules", "packages/ui/node_modules", "py311", "web/node_modules")
    assert dependency_folders(tmp_path) == expected
    assert dependency_folders(tmp_path / "gone") == ()


def test_editable_installs_are_read_without_running_them(checkout: Path) -> None:
    assert editable_sources(checkout, [".venv"]) == ("src", "tool")


def test_an_editable_install_without_a_known_path_is_found_by_its_origin(tmp_path: Path) -> None:
    root = tmp_path / "with space"
    (root / "lib/src").mkdir(parents=True)
    write(
        site_packages(root) / "a-1.dist-info/direct_url.json",
        json.dumps({"url": (root / "lib").as_uri(), "dir_info": {"editable": True}}),
    )
    write(site_packages(root) / "b-1.dist-info/direct_url.json", json.dumps({"url": root.as_uri(), "dir_info": {}}))
    assert editable_sources(root, [".venv"]) == ("lib/src",)


def test_the_checkout_itself_can_be_the_source_and_its_environment_never_is(tmp_path: Path) -> None:
    site = site_packages(tmp_path)
    write(site / "flat.pth", f"{tmp_path}\n{site}/vendored\n../vendored\n")
    write(site / "__editable___broken_finder.py", "MAPPING = {")
    assert editable_sources(tmp_path, [".venv"]) == ("",)
    assert python_path(tmp_path / "bench", ("", "src")) == f"{tmp_path}/bench{os.pathsep}{tmp_path}/bench/src"
    assert python_path(tmp_path, ()) == ""


def test_the_bench_imports_its_own_sources_although_the_environment_points_at_the_checkout(
    checkout: Path, tmp_path: Path
) -> None:
    bench = tmp_path / "bench"
    for path in ("src/shop/__init__.py", "tool/gears/__init__.py"):
        write(bench / path, (checkout / path).read_text())
    link_for_bench(checkout, bench, [".venv"])
    link_for_bench(checkout, bench, [".venv"])
    assert run_shop(bench) == [checkout / "src/shop/__init__.py", checkout / "tool/gears/__init__.py"]
    sources = python_path(bench, editable_sources(checkout, [".venv"]))
    assert run_shop(bench, PYTHONPATH=sources) == [bench / "src/shop/__init__.py", bench / "tool/gears/__init__.py"]


def test_workspace_packages_are_the_bench_s_own(tmp_path: Path) -> None:
    root, bench = tmp_path / "shop", tmp_path / "bench"
    modules = root / "node_modules"
    write(modules / "lodash/index.js", "lodash")
    write(modules / "@types/node/index.d.ts", "types")
    for place in (root, bench):
        write(place / "packages/ui/cli.js", place.name)
    (modules / "@shop").mkdir()
    (modules / "@shop/ui").symlink_to("../../packages/ui")
    (modules / ".bin").mkdir()
    (modules / ".bin/ui").symlink_to("../@shop/ui/cli.js")
    (modules / ".bin/lodash").symlink_to("../lodash/index.js")
    link_for_bench(root, bench, ["node_modules"])
    link_for_bench(root, bench, ["node_modules"])
    read = {
        name: (bench / "node_modules" / name).read_text()
        for name in ("@shop/ui/cli.js", ".bin/ui", ".bin/lodash", "@types/node/index.d.ts")
    }
    assert read == {
        "@shop/ui/cli.js": "bench",
        ".bin/ui": "bench",
        ".bin/lodash": "lodash",
        "@types/node/index.d.ts": "types",
    }


def test_a_folder_of_the_bench_s_own_tree_is_not_replaced(tmp_path: Path) -> None:
    write(tmp_path / "shop/node_modules/a.js", "installed")
    own = write(tmp_path / "bench/node_modules/a.js", "committed")
    link_for_bench(tmp_path / "shop", tmp_path / "bench", ["node_modules"])
    assert own.read_text() == "committed"


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_folder_whose_place_is_taken_is_not_linked(tmp_path: Path, kind: str) -> None:
    root, bench = tmp_path / "shop", tmp_path / "bench"
    write(root / "web/node_modules/a.js", "installed")
    write(root / "app/node_modules/a.js", "installed")
    docs = write(bench / "docs/a.md", "").parent
    if kind == "file":
        write(bench / "web", "gone")
    else:
        (bench / "web").symlink_to("docs")
    link_for_bench(root, bench, ["web/node_modules", "app/node_modules"])
    assert [path.name for path in docs.iterdir()] == ["a.md"]
    assert (bench / "web").is_symlink() is (kind == "link")
    assert (bench / "app/node_modules/a.js").read_text() == "installed"


def test_the_agent_s_copy_is_its_own_and_points_at_its_own_workspace(checkout: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    for path in ("src/shop/__init__.py", "tool/gears/__init__.py"):
        write(workspace / path, (checkout / path).read_text())
    before = environment_seal(checkout, [".venv"])
    copy_for_agent(checkout, workspace, [".venv"])
    assert run_shop(workspace) == [workspace / "src/shop/__init__.py", workspace / "tool/gears/__init__.py"]
    prefix = quick(
        ["/bin/sh", "-c", '. .venv/bin/activate && python -c "import sys; print(sys.prefix)"'],
        cwd=workspace,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert prefix.decode().strip() == str(workspace / ".venv")
    copied = site_packages(workspace) / "shop.pth"
    assert copied.read_text() == f"# shop\n{workspace}/src\n\n/usr/share/elsewhere\n{checkout}-2/src\n"
    assert copied.stat().st_nlink == 1
    assert environment_changed(before) == ()


def test_scripts_with_a_very_long_interpreter_path_still_run(checkout: Path, tmp_path: Path) -> None:
    workspace = tmp_path / ("long" * 30) / ("er" * 60)
    write(workspace / "src/shop/__init__.py", "WHERE = __file__\n")
    write(workspace / "tool/gears/__init__.py", "WHERE = __file__\n")
    copy_for_agent(checkout, workspace, [".venv"])
    assert run_shop(workspace)[0] == workspace / "src/shop/__init__.py"


def test_a_linked_environment_is_copied_and_absolute_links_are_re_pointed(tmp_path: Path) -> None:
    root, workspace = tmp_path / "shop", tmp_path / "workspace"
    write(tmp_path / "elsewhere/pkg/index.js", "installed")
    root.mkdir()
    (tmp_path / "elsewhere/ui").symlink_to(root / "packages/ui")
    (root / "node_modules").symlink_to(tmp_path / "elsewhere")
    copy_for_agent(root, workspace, ["node_modules"])
    assert not (workspace / "node_modules").is_symlink()
    write(workspace / "node_modules/pkg/index.js", "changed")
    assert (root / "node_modules/pkg/index.js").read_text() == "installed"
    assert (workspace / "node_modules/ui").readlink() == workspace / "packages/ui"


# --- seal ------------------------------------------------------------------------------------------------


def add_file(root: Path) -> None:
    write(root / "env/lib/evil.pth", "import os")


def change_bytes_and_put_the_time_back(root: Path) -> None:
    path = root / "env/lib/a.py"
    stat = path.stat()
    path.write_text("b = 2\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def remove_file(root: Path) -> None:
    (root / "env/lib/a.py").unlink()


@pytest.mark.parametrize(
    ("act", "path"),
    [
        (add_file, "env/lib/evil.pth"),
        (change_bytes_and_put_the_time_back, "env/lib/a.py"),
        (remove_file, "env/lib/a.py"),
    ],
)
def test_a_write_to_the_environment_breaks_its_seal(tmp_path: Path, act: Callable[[Path], None], path: str) -> None:
    write(tmp_path / "env/lib/a.py", "a = 1\n")
    seal = environment_seal(tmp_path, ["env", "gone"])
    assert environment_changed(seal) == ()
    act(tmp_path)
    assert environment_changed(seal) == (path,)


def test_bytecode_and_tool_caches_do_not_break_the_seal(tmp_path: Path) -> None:
    write(tmp_path / "node_modules/.bin/a", "")
    seal = environment_seal(tmp_path, ["node_modules", ".venv"])
    write(tmp_path / ".venv/lib/__pycache__/a.pyc", "")
    write(tmp_path / "node_modules/.cache/babel/a.json", "")
    assert environment_changed(seal) == ()
    write(tmp_path / "node_modules/.bin/jest", "exit 0")
    assert environment_changed(seal) == ("node_modules/.bin/jest",)


# --- set-up ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "tools", "command"),
    [
        (["uv.lock"], {"uv"}, "uv sync"),
        (["uv.lock"], set(), None),
        (["uv.lock", "poetry.lock"], {"poetry"}, "poetry install --no-interaction"),
        (["uv.lock", "package-lock.json"], {"uv", "npm"}, "uv sync && npm ci"),
        (["pnpm-lock.yaml"], {"pnpm"}, "pnpm install --frozen-lockfile"),
        (["yarn.lock"], {"yarn"}, "yarn install --frozen-lockfile"),
        (["yarn.lock", ".yarnrc.yml"], {"yarn"}, "yarn install --immutable"),
        (["requirements.txt"], {"uv", "pip"}, None),
    ],
)
def test_the_set_up_is_what_the_lock_file_and_the_tools_say(
    tmp_path: Path, files: list[str], tools: set[str], command: str | None
) -> None:
    for name in files:
        write(tmp_path / name, "")
    assert detect_setup(tmp_path, lambda tool: f"/usr/bin/{tool}" if tool in tools else None) == command


# --- digest ------------------------------------------------------------------------------------------------

FILES = {
    "pyproject.toml": b'[project]\nname = "shop"\ndependencies = ["rich"]\n[tool.ruff]\nline-length = 80\n',
    "package.json": b'{"scripts": {"test": "jest"}, "dependencies": {"a": "1"}}',
    "uv.lock": b"version = 1\n",
    "requirements.txt": b"-r deps/base.txt\nrich\n",
    "deps/base.txt": b"-c ../limits.txt\nattrs\n",
    "limits.txt": b"attrs<24\n",
    "packages/ui/package.json": b'{"dependencies": {}}',
    "README.md": b"shop\n",
}


def digest(**changes: bytes) -> str:
    files = FILES | {name.replace("__", "/").replace("_", "."): content for name, content in changes.items()}
    return manifest_digest(files.get, files)


@pytest.mark.parametrize(
    "changes",
    [
        {"pyproject_toml": FILES["pyproject.toml"].replace(b'"rich"', b'"rich", "attrs"')},
        {"package_json": FILES["package.json"].replace(b'"1"', b'"2"')},
        {"uv_lock": b"version = 2\n"},
        {"deps__base_txt": b"attrs==23\n"},
        {"limits_txt": b"attrs<25\n"},
        {"packages__ui__package_json": b'{"dependencies": {"b": "1"}}'},
        {"go_sum": b""},
        {"pyproject_toml": b"[project"},
    ],
)
def test_another_dependency_asks_for_another_environment(changes: dict[str, bytes]) -> None:
    assert digest(**changes) != digest()


def test_other_changes_share_the_environment() -> None:
    assert digest(README_md=b"more\n") == digest()
    assert digest(package_json=b'{"dependencies": {"a": "1"},  "scripts": {}}') == digest()
    assert digest(pyproject_toml=FILES["pyproject.toml"].replace(b"80", b"90") + b"# note\n") == digest()


def test_requirements_that_include_each_other_or_leave_the_project_come_to_an_end() -> None:
    files = {
        "requirements.txt": b"-r requirements-dev.txt\n-r ../../etc/passwd\n-r /etc/passwd\n",
        "requirements-dev.txt": b"-r requirements.txt\n",
    }
    asked: list[str] = []

    def read(path: str) -> bytes | None:
        asked.append(path)
        return files.get(path)

    assert manifest_digest(read) == manifest_digest(files.get)
    assert not [path for path in asked if "passwd" in path]
