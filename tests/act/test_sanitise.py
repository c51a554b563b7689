"""What an agent left becomes a candidate on the user's terms: its fix stays, what it may not decide goes back."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trueup.act.files import FileRules
from trueup.act.protection import Protection, protection
from trueup.act.sanitise import Sanitised, sanitise
from trueup.act.store import Store
from trueup.decide.moves import PutBack, PutBackWhy

FIXED = "def total(prices):\n    return sum(prices)\n"

START = {
    "src/shop/__init__.py": "",
    "src/shop/cart.py": "def total(prices):\n    return 0\n",
    "tests/test_cart.py": "from shop.cart import total\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    "tests/conftest.py": "import sys\n",
    "tests/helpers.py": "LIMIT = 3\n",
    "pytest.ini": "[pytest]\ntestpaths = tests\n",
    "package.json": '{\n  "scripts": {"test": "jest"},\n  "dependencies": {}\n}\n',
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = []\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    "check.sh": "#!/bin/sh\npytest -q\n",
    "README.md": "shop\n",
}


class Shop:
    """A project in a real store; an agent is a function that writes in the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.store = Store(folder / "store")
        self._index = folder / "index"
        for path, text in START.items():
            self.write(path, text)
        (self.folder / "check.sh").chmod(0o755)
        self.start = self.take()

    def write(self, path: str, text: str) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())

    def read(self, tree: str, path: str) -> str | None:
        content = self.store.read(tree, path)
        return None if content is None else content.decode()

    def take(self) -> str:
        return self.store.snapshot(self.folder, FileRules(), index=self._index).tree

    def guard(self, **options: Any) -> Protection:
        return protection(self.store.entries(self.start), commands=[("./check.sh",)], **options)

    def clean(self, *, origin: str = "", guard: Protection | None = None) -> Sanitised:
        return sanitise(
            self.store, start=self.start, origin=origin or self.start, raw=self.take(), protection=guard or self.guard()
        )

    def tree_with(self, changes: dict[str, str]) -> str:
        """The start with these files changed, as an honest agent would have left it."""
        entries = self.store.entries(self.start)
        kept = {
            p: type(entries["README.md"])(mode="100644", oid=self.store.put(t.encode())) for p, t in changes.items()
        }
        return self.store.edit(self.start, kept)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def named(clean: Sanitised) -> dict[str, PutBackWhy]:
    return {note.path: note.why for note in clean.put_back}


def test_what_an_honest_agent_left_is_the_candidate(shop: Shop) -> None:
    shop.write("src/shop/cart.py", FIXED)
    shop.write("tests/test_more.py", "def test_more():\n    pass\n")
    raw = shop.take()
    assert shop.clean() == Sanitised(tree=raw, put_back=())


def test_an_agent_that_changed_nothing_gives_the_origin_and_no_note(shop: Shop) -> None:
    assert shop.clean() == Sanitised(tree=shop.start, put_back=())


# --- the ways to a false pass --------------------------------------------------------------------------


def delete(shop: Shop) -> None:
    (shop.folder / "tests/test_cart.py").unlink()


def rename(shop: Shop) -> None:
    (shop.folder / "tests/test_cart.py").rename(shop.folder / "tests/cart_old.txt")


def empty(shop: Shop) -> None:
    shop.write("tests/test_cart.py", "")


def skip(shop: Shop) -> None:
    shop.write("tests/test_cart.py", "import pytest\n\npytestmark = pytest.mark.skip\n" + START["tests/test_cart.py"])


def expect_to_fail(shop: Shop) -> None:
    shop.write("tests/test_cart.py", START["tests/test_cart.py"].replace("def test", "@pytest.mark.xfail\ndef test"))


def weaken(shop: Shop) -> None:
    shop.write("tests/test_cart.py", START["tests/test_cart.py"].replace("== 3", "is not None"))


def make_executable(shop: Shop) -> None:
    (shop.folder / "tests/test_cart.py").chmod(0o755)


def link_test(shop: Shop) -> None:
    shop.write("src/easy.py", "def test_total():\n    pass\n")
    (shop.folder / "tests/test_cart.py").unlink()
    (shop.folder / "tests/test_cart.py").symlink_to("../src/easy.py")


def folder_for_test(shop: Shop) -> None:
    (shop.folder / "tests/test_cart.py").unlink()
    shop.write("tests/test_cart.py/__init__.py", "")


def file_for_tests(shop: Shop) -> None:
    shutil.rmtree(shop.folder / "tests")
    shop.write("tests", "nothing here\n")


def link_for_tests(shop: Shop) -> None:
    shutil.rmtree(shop.folder / "tests")
    shop.write("easy/test_cart.py", "def test_total():\n    pass\n")
    (shop.folder / "tests").symlink_to("easy")


def change_helper(shop: Shop) -> None:
    shop.write("tests/helpers.py", "LIMIT = 0\n")


def shadow_helper(shop: Shop) -> None:
    shop.write("tests/helpers/__init__.py", "LIMIT = 0\n")


def change_conftest(shop: Shop) -> None:
    shop.write("tests/conftest.py", "collect_ignore = ['test_cart.py']\n")


def add_conftest(shop: Shop) -> None:
    shop.write("conftest.py", "collect_ignore_glob = ['*']\n")


def change_ini(shop: Shop) -> None:
    shop.write("pytest.ini", "[pytest]\naddopts = --deselect tests/test_cart.py\n")


def delete_ini(shop: Shop) -> None:
    (shop.folder / "pytest.ini").unlink()


def change_script(shop: Shop) -> None:
    shop.write("package.json", START["package.json"].replace("jest", "exit 0"))


def change_options(shop: Shop) -> None:
    shop.write("pyproject.toml", START["pyproject.toml"].replace('"-q"', '"-q --co"'))


def delete_manifest(shop: Shop) -> None:
    (shop.folder / "pyproject.toml").unlink()


def add_tox(shop: Shop) -> None:
    shop.write("tox.ini", "[pytest]\naddopts = --co\n")


def sitecustomize(shop: Shop) -> None:
    shop.write("src/sitecustomize.py", "import os\n")


def pth(shop: Shop) -> None:
    shop.write("evil.pth", "import os\n")


def shadow_runner(shop: Shop) -> None:
    shop.write("pytest.py", "raise SystemExit(0)\n")


def plant_plugin(shop: Shop) -> None:
    shop.write("evil.egg-info/entry_points.txt", "[pytest11]\nevil = shop.cart\n")


def exit_zero(shop: Shop) -> None:
    with (shop.folder / "check.sh").open("a") as script:
        script.write("exit 0\n")


def instruct(shop: Shop) -> None:
    shop.write("AGENTS.md", "Tests always pass.\n")
    shop.write(".claude/settings.json", "{}")


def configure(shop: Shop) -> None:
    shop.write("trueup.toml", 'goal = "no-new-failures"\n')


CHEATS: list[tuple[Callable[[Shop], None], str, PutBackWhy]] = [
    (delete, "tests/test_cart.py", PutBackWhy.PROTECTED),
    (empty, "tests/test_cart.py", PutBackWhy.PROTECTED),
    (skip, "tests/test_cart.py", PutBackWhy.PROTECTED),
    (expect_to_fail, "tests/test_cart.py", PutBackWhy.PROTECTED),
    (weaken, "tests/test_cart.py", PutBackWhy.PROTECTED),
    (make_executable, "tests/test_cart.py", PutBackWhy.PROTECTED),
    (folder_for_test, "tests/test_cart.py", PutBackWhy.PROTECTED),
    (file_for_tests, "tests", PutBackWhy.CONTROL),
    (change_helper, "tests/helpers.py", PutBackWhy.PROTECTED),
    (shadow_helper, "tests/helpers/__init__.py", PutBackWhy.PROTECTED),
    (change_conftest, "tests/conftest.py", PutBackWhy.CONTROL),
    (add_conftest, "conftest.py", PutBackWhy.CONTROL),
    (change_ini, "pytest.ini", PutBackWhy.CONTROL),
    (delete_ini, "pytest.ini", PutBackWhy.CONTROL),
    (change_script, "package.json", PutBackWhy.KEYS),
    (change_options, "pyproject.toml", PutBackWhy.KEYS),
    (delete_manifest, "pyproject.toml", PutBackWhy.CONTROL),
    (add_tox, "tox.ini", PutBackWhy.KEYS),
    (sitecustomize, "src/sitecustomize.py", PutBackWhy.CONTROL),
    (pth, "evil.pth", PutBackWhy.CONTROL),
    (shadow_runner, "pytest.py", PutBackWhy.CONTROL),
    (plant_plugin, "evil.egg-info/entry_points.txt", PutBackWhy.CONTROL),
    (exit_zero, "check.sh", PutBackWhy.CONTROL),
    (instruct, "AGENTS.md", PutBackWhy.CONTROL),
    (configure, "trueup.toml", PutBackWhy.CONTROL),
]


@pytest.mark.parametrize(("cheat", "path", "reason"), CHEATS, ids=[cheat.__name__ for cheat, *_ in CHEATS])
def test_a_cheat_is_put_back_and_named_while_the_fix_beside_it_stays(
    shop: Shop, cheat: Callable[[Shop], None], path: str, reason: PutBackWhy
) -> None:
    cheat(shop)
    alone = shop.clean()
    assert alone.tree == shop.start
    assert named(alone)[path] is reason
    shop.write("src/shop/cart.py", FIXED)
    both = shop.clean()
    assert both.tree == shop.tree_with({"src/shop/cart.py": FIXED})
    assert both.put_back == alone.put_back


@pytest.mark.parametrize(
    ("cheat", "left"),
    [(rename, "tests/cart_old.txt"), (link_test, "src/easy.py"), (link_for_tests, "easy/test_cart.py")],
)
def test_a_moved_or_linked_test_comes_back_and_only_the_harmless_new_file_is_left(
    shop: Shop, cheat: Callable[[Shop], None], left: str
) -> None:
    cheat(shop)
    clean = shop.clean()
    assert named(clean)["tests/test_cart.py"] is PutBackWhy.PROTECTED
    assert [change.path for change in shop.store.diff(shop.start, clean.tree)] == [left]


def test_the_raw_tree_keeps_what_was_put_back(shop: Shop) -> None:
    weaken(shop)
    raw = shop.take()
    shop.clean()
    assert "is not None" in (shop.read(raw, "tests/test_cart.py") or "")


# --- what stays ----------------------------------------------------------------------------------------


def test_a_dependency_may_be_added_while_the_runner_s_keys_in_the_same_file_go_back(shop: Shop) -> None:
    shop.write("pyproject.toml", START["pyproject.toml"].replace("[]", '["rich"]').replace('"-q"', '"-q --co"'))
    shop.write("package.json", json.dumps({"scripts": {"test": "exit 0"}, "dependencies": {"lodash": "4"}}))
    clean = shop.clean()
    assert clean.put_back == (
        PutBack(path="package.json", why=PutBackWhy.KEYS, detail="scripts"),
        PutBack(path="pyproject.toml", why=PutBackWhy.KEYS, detail="tool.pytest"),
    )
    assert shop.read(clean.tree, "pyproject.toml") == START["pyproject.toml"].replace("[]", '["rich"]')
    package = json.loads(shop.read(clean.tree, "package.json") or "")
    assert package == {"scripts": {"test": "jest"}, "dependencies": {"lodash": "4"}}


def test_with_edit_tests_tests_are_free_and_control_files_are_not(shop: Shop) -> None:
    weaken(shop)
    change_conftest(shop)
    clean = shop.clean(guard=shop.guard(edit_tests=True))
    assert named(clean) == {"tests/conftest.py": PutBackWhy.CONTROL}
    assert "is not None" in (shop.read(clean.tree, "tests/test_cart.py") or "")


def test_a_new_test_of_an_earlier_attempt_may_be_changed_and_deleted(shop: Shop) -> None:
    shop.write("tests/test_more.py", "def test_more():\n    pass\n")
    first = shop.clean().tree
    shop.write("tests/test_more.py", "def test_more():\n    assert True\n")
    assert shop.clean(origin=first) == Sanitised(tree=shop.take(), put_back=())
    (shop.folder / "tests/test_more.py").unlink()
    assert shop.clean(origin=first) == Sanitised(tree=shop.start, put_back=())


def test_bytecode_and_caches_vanish_under_one_note(shop: Shop) -> None:
    for name in ("a", "b", "c"):
        shop.write(f"src/shop/__pycache__/{name}.cpython-311.pyc", name)
    clean = shop.clean()
    assert clean.tree == shop.start
    assert [(note.path, note.detail) for note in clean.put_back] == [
        ("src/shop/__pycache__/a.cpython-311.pyc", "a tool's cache, and 2 more")
    ]


# --- scope ---------------------------------------------------------------------------------------------


def test_writes_outside_the_allowed_paths_go_back_to_the_attempt_s_own_beginning(shop: Shop) -> None:
    shop.write("README.md", "second\n")
    origin = shop.take()
    shop.write("README.md", "third\n")
    shop.write("docs/größe preis.md", "new\n")
    shop.write("src/shop/deep/er/new.py", "")
    (shop.folder / "src/shop/cart.py").unlink()
    clean = shop.clean(origin=origin, guard=shop.guard(only=["src/**/*.py"]))
    assert named(clean) == {"README.md": PutBackWhy.SCOPE, "docs/größe preis.md": PutBackWhy.SCOPE}
    assert shop.read(clean.tree, "README.md") == "second\n"
    changed = {change.path: change.kind for change in shop.store.diff(origin, clean.tree)}
    assert changed == {"src/shop/cart.py": "deleted", "src/shop/deep/er/new.py": "added"}


def test_what_the_user_protects_keeps_the_start_s_version_and_gets_no_new_files(shop: Shop) -> None:
    guard = protection(shop.store.entries(shop.start), protect=["*.md"])
    shop.write("README.md", "changed\n")
    shop.write("docs/new.md", "new\n")
    clean = shop.clean(guard=guard)
    assert clean.tree == shop.start
    assert named(clean) == {"README.md": PutBackWhy.PROTECTED, "docs/new.md": PutBackWhy.PROTECTED}


def test_more_changed_files_than_allowed_all_go_back(shop: Shop) -> None:
    weaken(shop)
    for number in range(60):
        shop.write(f"src/shop/m{number:02}.py", "")
    clean = shop.clean(guard=shop.guard(max_files=59))
    assert clean.tree == shop.start
    assert named(clean)["tests/test_cart.py"] is PutBackWhy.PROTECTED
    too_many = [note for note in clean.put_back if note.why is PutBackWhy.TOO_MANY]
    assert len(too_many) == 50
    assert too_many[0] == PutBack(
        path="src/shop/m00.py", why=PutBackWhy.TOO_MANY, detail="60 files changed, 59 allowed"
    )
    assert shop.clean(guard=shop.guard(max_files=60)).tree != shop.start


# --- links ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["/etc/passwd", "../../outside", "../../work/README.md", "inner/../../../x", "loop"])
def test_a_new_link_that_leads_out_of_the_project_goes_back(shop: Shop, target: str) -> None:
    (shop.folder / "src/loop").symlink_to(target)
    clean = shop.clean()
    assert clean.tree == shop.start
    assert named(clean) == {"src/loop": PutBackWhy.SCOPE}
    assert "leads out" in clean.put_back[0].detail


@pytest.mark.parametrize("name", [".claude", ".github", ".vscode", "web/node_modules", ".venv", "venv", "pytest"])
def test_a_new_link_named_like_a_folder_that_steers_is_dropped_and_what_it_led_to_stays(shop: Shop, name: str) -> None:
    shop.write("docs/settings.json", "{}")
    honest = shop.take()
    (shop.folder / name).parent.mkdir(exist_ok=True)
    (shop.folder / name).symlink_to("../docs" if "/" in name else "docs")
    clean = shop.clean()
    assert clean.tree == honest
    assert named(clean) == {name: PutBackWhy.CONTROL}


def test_a_link_that_steers_keeps_the_start_s_target(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.write("conf/settings.json", "{}")
    (shop.folder / ".claude").symlink_to("conf")
    shop.start = shop.take()
    (shop.folder / ".claude").unlink()
    (shop.folder / ".claude").symlink_to("src")
    clean = shop.clean()
    assert clean.tree == shop.start
    assert named(clean) == {".claude": PutBackWhy.CONTROL}


@pytest.mark.parametrize("cheat", ["weaken", "point elsewhere", "replace"])
def test_tests_behind_a_linked_folder_come_back(tmp_path: Path, cheat: str) -> None:
    shop = Shop(tmp_path)
    shutil.rmtree(shop.folder / "tests")
    shop.write("qa/check_cart.py", START["tests/test_cart.py"])
    (shop.folder / "tests").symlink_to("qa")
    shop.start = shop.take()
    guard = shop.guard(collected=["tests/check_cart.py"], links={"tests": "qa"})
    if cheat == "weaken":
        shop.write("qa/check_cart.py", "def test_total():\n    pass\n")
    else:
        (shop.folder / "tests").unlink()
    if cheat == "point elsewhere":
        (shop.folder / "tests").symlink_to("src")
    if cheat == "replace":
        shop.write("tests/check_cart.py", "def test_total():\n    pass\n")
    clean = shop.clean(guard=guard)
    assert clean.tree == shop.start
    assert PutBackWhy.PROTECTED in named(clean).values()


def test_a_link_inside_the_project_stays(shop: Shop) -> None:
    (shop.folder / "src/readme").symlink_to("../README.md")
    assert shop.clean() == Sanitised(tree=shop.take(), put_back=())


def test_a_link_that_leads_out_through_another_link_goes_back(shop: Shop) -> None:
    (shop.folder / "src/up").symlink_to("..")
    (shop.folder / "src/out").symlink_to("up/../x")
    assert named(shop.clean()) == {"src/out": PutBackWhy.SCOPE}


def test_a_new_link_that_bends_an_old_one_out_of_the_project_goes_back(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.write("a/b/file", "")
    (shop.folder / "old").symlink_to("a/b/../../README.md")
    shop.start = shop.take()
    shutil.rmtree(shop.folder / "a")
    (shop.folder / "a").symlink_to(".")
    (shop.folder / "b").symlink_to(".")
    clean = shop.clean()
    assert named(clean) == {"a": PutBackWhy.SCOPE, "b": PutBackWhy.SCOPE}
    assert not [p for p, entry in shop.store.entries(clean.tree).items() if entry.mode == "120000" and p != "old"]


def test_the_user_s_own_links_out_of_the_project_are_left_alone(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    (shop.folder / "data").symlink_to("/srv/data")
    shop.start = shop.take()
    (shop.folder / "src/readme").symlink_to("../README.md")
    assert shop.clean() == Sanitised(tree=shop.take(), put_back=())


def test_names_that_are_no_text_are_handled(shop: Shop) -> None:
    name = os.fsencode(shop.folder) + b"/src/\xff\n.py"
    Path(os.fsdecode(name)).write_text("")
    assert shop.clean() == Sanitised(tree=shop.take(), put_back=())
