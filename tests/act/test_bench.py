"""The bench holds exactly one tree, and its seal sees whatever is written there meanwhile."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trueup.act.bench import Bench
from trueup.act.files import FileRules
from trueup.act.stamps import CLOCK_STEP
from trueup.act.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def bench(tmp_path: Path, store: Store) -> Iterator[Bench]:
    with Bench(tmp_path / "benches", store, keep=lambda path: path == ".venv") as bench:
        yield bench


def put(root: Path, path: str, content: bytes = b"x\n") -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def tree_of(store: Store, tmp_path: Path, **contents: bytes) -> str:
    """A tree with these files; `__` in a name is a slash."""
    folder = tmp_path / "source"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in contents.items():
        put(folder, name.replace("__", "/") + ".py", content)
    return store.snapshot(folder, FileRules(), index=tmp_path / f"{len(contents)}.index").tree


@pytest.fixture
def tree(store: Store, tmp_path: Path) -> str:
    return tree_of(store, tmp_path, a=b"a = 1\n", src__b=b"b = 1\n", src__deep__c=b"c = 1\n")


def listing(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}


def test_a_bench_has_a_name_nobody_can_guess_and_no_repository(tmp_path: Path, store: Store, tree: str) -> None:
    with Bench(tmp_path / "b", store) as one, Bench(tmp_path / "b", store) as two:
        assert one.folder != two.folder
        one.load(tree)
        assert listing(one.folder) == {"a.py", "src/b.py", "src/deep/c.py"}
        assert {one.folder.parent, one.tmp.parent, one.cache.parent, one.bytecode.parent} == {one.folder.parent}
    assert listing(tmp_path / "b") == set()


def test_loading_another_tree_leaves_only_that_tree_and_what_is_kept(
    bench: Bench, store: Store, tree: str, tmp_path: Path
) -> None:
    bench.load(tree)
    put(bench.folder, ".venv/lib.py")
    put(bench.folder, "left/over.txt")
    put(bench.folder, "src/__pycache__/b.cpython-311.pyc")
    put(bench.tmp, "old/file")
    put(bench.bytecode, "old.pyc")
    put(bench.cache, "tool/state")
    (bench.folder / "a.py").chmod(0o755)
    other = tree_of(store, tmp_path, src=b"now a file\n", a=b"a = 1\n")
    bench.load(other)
    assert listing(bench.folder) == {"a.py", "src.py", ".venv/lib.py"}
    assert not os.access(bench.folder / "a.py", os.X_OK)
    assert listing(bench.tmp) == listing(bench.bytecode) == set()
    assert listing(bench.cache) == {"tool/state"}


def test_stale_bytecode_is_never_kept(tmp_path: Path, store: Store, tree: str) -> None:
    with Bench(tmp_path / "b", store, keep=lambda _path: True) as bench:
        bench.load(tree)
        put(bench.folder, "src/__pycache__/b.pyc")
        put(bench.folder, "src/old.pyc")
        put(bench.folder, "note")
        bench.load(tree)
        assert listing(bench.folder) == {"a.py", "src/b.py", "src/deep/c.py", "note"}


def test_a_load_repairs_a_file_whose_size_and_time_were_put_back(bench: Bench, tree: str) -> None:
    bench.load(tree)
    target = bench.folder / "a.py"
    before = target.stat()
    target.write_bytes(b"a = 2\n")
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    bench.load(tree)
    assert target.read_bytes() == b"a = 1\n"


def test_nothing_written_is_nothing_reported(bench: Bench, tree: str) -> None:
    bench.load(tree)
    seal = bench.seal()
    (bench.folder / "a.py").read_bytes()
    put(bench.folder, "src/__pycache__/b.pyc")
    put(bench.folder, "report.xml")
    (bench.folder / "src/__pycache__/b.pyc").unlink()
    assert bench.written_since(seal) == ()


def write(path: Path) -> None:
    path.write_bytes(b"b = 2\n")


def write_same_bytes(path: Path) -> None:
    path.write_bytes(path.read_bytes())


def delete(path: Path) -> None:
    path.unlink()


def make_executable(path: Path) -> None:
    path.chmod(0o755)


def swap_and_put_back(path: Path) -> None:
    aside = path.with_name("aside")
    path.rename(aside)
    path.write_bytes(b"b = 2\n")
    aside.replace(path)


def write_and_put_everything_back(path: Path) -> None:
    before, content = path.stat(), path.read_bytes()
    path.write_bytes(b"b = 2\n")
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def write_through_another_name(path: Path) -> None:
    other = path.with_name("other-name")
    os.link(path, other)
    other.write_bytes(b"b = 2\n")
    other.unlink()


def replace_by_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("../a.py")


def swap_the_folder_and_put_it_back(path: Path) -> None:
    folder = path.parent
    aside = folder.with_name("aside")
    folder.rename(aside)
    put(folder, path.name, b"b = 2\n")
    shutil.rmtree(folder)
    aside.rename(folder)


def replace_the_folder(path: Path) -> None:
    folder = path.parent
    shutil.copytree(folder, folder.with_name("copy"))
    shutil.rmtree(folder)
    folder.with_name("copy").rename(folder)


@pytest.mark.parametrize(
    "tamper",
    [
        write,
        write_same_bytes,
        delete,
        make_executable,
        swap_and_put_back,
        write_and_put_everything_back,
        write_through_another_name,
        replace_by_link,
    ],
)
def test_the_seal_sees_a_file_that_was_written_and_put_back(bench: Bench, tree: str, tamper: object) -> None:
    bench.load(tree)
    seal = bench.seal()
    assert callable(tamper)
    tamper(bench.folder / "src/b.py")
    assert bench.written_since(seal) == ("src/b.py",)


@pytest.mark.parametrize("tamper", [swap_the_folder_and_put_it_back, replace_the_folder])
def test_the_seal_sees_a_folder_that_was_swapped(bench: Bench, tree: str, tamper: object) -> None:
    bench.load(tree)
    seal = bench.seal()
    assert callable(tamper)
    tamper(bench.folder / "src/b.py")
    assert bench.written_since(seal) == ("src/b.py", "src/deep/c.py")


def test_the_seal_sees_the_whole_bench_being_swapped(bench: Bench, tree: str) -> None:
    bench.load(tree)
    seal = bench.seal()
    aside = bench.folder.with_name("aside")
    bench.folder.rename(aside)
    shutil.copytree(aside, bench.folder)
    shutil.rmtree(bench.folder)
    aside.rename(bench.folder)
    assert bench.written_since(seal) == ("a.py", "src/b.py", "src/deep/c.py")


def test_environment_folders_are_sealed_and_new_files_in_them_count(bench: Bench, tree: str, tmp_path: Path) -> None:
    environment = tmp_path / "env"
    module = put(environment, "lib/module.py")
    cached = put(environment, "lib/__pycache__/module.pyc")
    bench.load(tree)
    seal = bench.seal([environment])
    put(environment, "lib/__pycache__/other.pyc")
    cached.write_bytes(b"recompiled")
    assert bench.written_since(seal) == ()
    planted = put(environment, "lib/evil.pth")
    module.write_bytes(b"changed\n")
    assert bench.written_since(seal) == (str(planted), str(module))


def test_put_back_restores_single_files_and_a_new_seal_holds(bench: Bench, tree: str, tmp_path: Path) -> None:
    victim = put(tmp_path, "victim/c.py", b"theirs\n")
    bench.load(tree)
    seal = bench.seal()
    put(bench.folder, "a.py", b"generated\n")
    (bench.folder / "src/b.py").unlink()
    shutil.rmtree(bench.folder / "src/deep")
    (bench.folder / "src/deep").symlink_to(victim.parent)
    bench.put_back([*bench.written_since(seal), "/not/ours", "unknown"])
    again = bench.seal()
    assert (bench.folder / "a.py").read_bytes() == b"a = 1\n"
    assert listing(bench.folder) == {"a.py", "src/b.py", "src/deep/c.py"}
    assert (bench.folder / "src/deep/c.py").read_bytes() == b"c = 1\n"
    assert bench.written_since(again) == ()
    assert victim.read_bytes() == b"theirs\n"


def test_planted_links_lead_a_load_nowhere(bench: Bench, tree: str, tmp_path: Path) -> None:
    victim = put(tmp_path, "victim/b.py", b"theirs\n").parent
    bench.load(tree)
    shutil.rmtree(bench.folder / "src")
    (bench.folder / "src").symlink_to(victim)
    shutil.rmtree(bench.tmp)
    bench.tmp.symlink_to(victim)
    bench.load(tree)
    assert listing(bench.folder) == {"a.py", "src/b.py", "src/deep/c.py"}
    shutil.rmtree(bench.folder)
    bench.folder.symlink_to(victim)
    bench.load(tree)
    assert listing(victim) == {"b.py"}
    assert (victim / "b.py").read_bytes() == b"theirs\n"


def test_closing_removes_read_only_folders_and_may_be_repeated(tmp_path: Path, store: Store, tree: str) -> None:
    victim = put(tmp_path, "victim/precious").parent
    bench = Bench(tmp_path / "b", store)
    bench.load(tree)
    (bench.folder / "link").symlink_to(victim)
    (bench.folder / "src/deep").chmod(0o500)
    (bench.folder / "src").chmod(0)
    bench.close()
    bench.close()
    assert list((tmp_path / "b").iterdir()) == []
    assert (victim / "precious").exists()


# What lay there before the seal.


def test_a_bench_as_it_was_written_is_like_its_tree(bench: Bench, store: Store, tmp_path: Path) -> None:
    source = tmp_path / "odd"
    put(source, "plain.py", b"")
    put(source, "big.bin", bytes(2_500_000))
    put(source, "run.sh").chmod(0o755)
    (source / "link").symlink_to("plain.py")
    (source / "nowhere").symlink_to("gone")
    bench.load(store.snapshot(source, FileRules(), index=tmp_path / "odd.index").tree)
    assert bench.unlike_tree(bench.seal()) == ()


@pytest.mark.parametrize("tamper", [write, delete, make_executable, replace_by_link])
def test_a_file_that_was_swapped_between_writing_and_sealing_is_unlike_the_tree(
    tamper: Callable[[Path], None], bench: Bench, tree: str
) -> None:
    bench.load(tree)
    tamper(bench.folder / "src/b.py")
    seal = bench.seal()
    assert bench.written_since(seal) == ()
    assert bench.unlike_tree(seal) == ("src/b.py",)
    assert bench.unlike_tree(seal) == ("src/b.py",), "what is wrong is never taken for granted"
    bench.put_back(["src/b.py"])
    assert bench.unlike_tree(bench.seal()) == ()


def test_what_was_written_meanwhile_need_not_be_read(bench: Bench, tree: str) -> None:
    bench.load(tree)
    write(bench.folder / "src/b.py")
    assert bench.unlike_tree(bench.seal(), besides=["src/b.py"]) == ()


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(bench: Bench, tree: str) -> None:
    bench.load(tree)
    (bench.folder / "a.py").unlink()
    os.mkfifo(bench.folder / "a.py")
    assert bench.unlike_tree(bench.seal()) == ("a.py",)


def test_a_file_that_was_right_once_is_read_again_after_any_write(bench: Bench, tree: str) -> None:
    bench.load(tree)
    time.sleep(2 * CLOCK_STEP / 1e9)
    assert bench.unlike_tree(bench.seal()) == ()
    write_and_put_everything_back(bench.folder / "src/b.py")
    before = (bench.folder / "src/b.py").stat()
    (bench.folder / "src/b.py").write_bytes(b"b = 2\n")
    os.utime(bench.folder / "src/b.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert bench.unlike_tree(bench.seal()) == ("src/b.py",)


def test_what_we_rewrote_ourselves_is_what_has_to_lie_there(bench: Bench, tree: str) -> None:
    bench.load(tree)
    assert bench.read("src/b.py") == b"b = 1\n"
    bench.rewrite("src/b.py", b"b = 3\n")
    assert (bench.folder / "src/b.py").read_bytes() == b"b = 3\n"
    assert bench.unlike_tree(bench.seal()) == ()
    write(bench.folder / "src/b.py")
    assert bench.unlike_tree(bench.seal()) == ("src/b.py",)
    bench.load(tree)
    assert bench.unlike_tree(bench.seal()) == ()


def test_a_file_is_read_from_the_tree_and_never_written_through_a_planted_link(
    bench: Bench, tree: str, tmp_path: Path
) -> None:
    victim = put(tmp_path, "victim")
    bench.load(tree)
    (bench.folder / "a.py").unlink()
    (bench.folder / "a.py").symlink_to(victim)
    assert bench.read("a.py") == b"a = 1\n"
    bench.rewrite("a.py", b"a = 9\n")
    assert victim.read_bytes() == b"x\n"
    assert (bench.folder / "a.py").read_bytes() == b"a = 9\n"
    assert bench.read("../../victim") is None


def test_a_link_of_the_tree_is_followed_inside_the_tree(bench: Bench, store: Store, tmp_path: Path) -> None:
    source = tmp_path / "linked"
    put(source, "src/real.py", b"r = 1\n")
    (source / "alias.py").symlink_to("src/real.py")
    (source / "circle").symlink_to("circle")
    bench.load(store.snapshot(source, FileRules(), index=tmp_path / "linked.index").tree)
    assert bench.read("alias.py") == b"r = 1\n"
    assert bench.read("circle") is None
    bench.rewrite("alias.py", b"r = 2\n")
    assert (bench.folder / "src/real.py").read_bytes() == b"r = 2\n"
    assert (bench.folder / "alias.py").is_symlink()


@pytest.mark.parametrize("folder", ["src", "src/deep", ".", ".."])
def test_a_folder_that_was_moved_away_and_back_and_made_to_look_innocent_is_seen(
    folder: str, bench: Bench, tree: str
) -> None:
    bench.load(tree)
    place = Path(os.path.normpath(bench.folder / folder))
    with bench.listening() as moved:
        seal = bench.seal()
        assert moved() == ()
        place.rename(place.with_name("aside"))
        place.with_name("aside").rename(place)
        put(place, "note").unlink()
        assert "src/deep/c.py" in bench.written_since(seal, moved())


def test_the_content_of_a_tree_is_read_once(bench: Bench, store: Store, tmp_path: Path) -> None:
    source = tmp_path / "many"
    for number in range(2_000):
        put(source, f"d{number % 50}/f{number}.py", b"%d\n" % number + bytes(4_000))
    bench.load(store.snapshot(source, FileRules(), index=tmp_path / "many.index").tree)
    time.sleep(2 * CLOCK_STEP / 1e9)
    seal = bench.seal()
    first = cpu(lambda: bench.unlike_tree(seal))
    again = min(cpu(lambda: bench.unlike_tree(seal)) for _ in range(3))
    assert again < first / 4


def cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    assert work() == ()
    return time.process_time() - began
