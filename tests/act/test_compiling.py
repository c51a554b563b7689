"""Modules that a check will load are compiled from their sources before a proof; whatever is compiled then is planted."""

import importlib.util
import marshal
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trueup.act.compiling import Fixed, Module, compile_ahead, loaded_modules
from trueup.act.process import Processes

TAG = sys.implementation.cache_tag or ""
PYTHON = os.path.realpath(sys.executable)


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes() as owner:
        yield owner


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "calc.py").write_text("add = 1\n")
    (folder / "broken.py").write_text("def\n")
    return folder


@pytest.fixture
def ahead(bench: Path, tmp_path: Path, processes: Processes) -> Callable[..., list[str]]:
    """Compile these; what is there then."""

    def run(*modules: Module, pythons: tuple[str, ...] = (PYTHON,), besides: frozenset[str] = frozenset()) -> list[str]:
        folder = tmp_path / "bytecode"
        compile_ahead(
            modules,
            bytecode=folder,
            bench=bench,
            besides=besides,
            pythons=lambda: pythons,
            processes=processes,
            env=dict(os.environ),
        )
        return sorted(path.name for path in folder.rglob("*.pyc"))

    return run


def compiled(tmp_path: Path, source: Path) -> Path:
    return Path(f"{tmp_path}/bytecode{source.with_suffix('')}.{TAG}.pyc")


def test_what_python_compiled_tells_which_modules_a_check_loaded(tmp_path: Path, bench: Path) -> None:
    env = {"PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode"), "PATH": os.defpath}
    subprocess.run((PYTHON, "-S", "-c", "import calc, pyclbr"), cwd=bench, env=env, check=True)
    found = loaded_modules(tmp_path / "bytecode", bench)
    spec = importlib.util.find_spec("pyclbr")
    assert spec is not None
    assert {Module("calc.py", TAG), Module(str(spec.origin), TAG)} <= found
    assert all(module.tag == TAG for module in found)


def test_rewritten_tests_and_other_files_are_no_such_modules(tmp_path: Path, bench: Path) -> None:
    place = Path(f"{tmp_path}/bytecode{bench}")
    place.mkdir(parents=True)
    for name in (f"test_a.{TAG}-pytest-9.0.pyc", f"b.{TAG}.opt-1.pyc", "c.pyc", f"d.{TAG}.pyc.123", f"e.{TAG}.pyc"):
        (place / name).write_bytes(b"")
    assert loaded_modules(tmp_path / "bytecode", bench) == {Module("e.py", TAG)}


def test_a_module_that_was_compiled_ahead_is_what_python_loads(
    tmp_path: Path, bench: Path, ahead: Callable[..., list[str]]
) -> None:
    assert ahead(Module("calc.py", TAG)) == [f"calc.{TAG}.pyc"]
    file = compiled(tmp_path, bench / "calc.py")
    head, code = file.read_bytes()[:16], compile("add = 2", "calc.py", "exec")
    file.write_bytes(head + marshal.dumps(code))  # the same stamp: Python takes it for the source's own
    env = {"PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode"), "PATH": os.defpath}
    show = (PYTHON, "-S", "-c", "import calc; print(calc.add)")
    assert subprocess.run(show, cwd=bench, env=env, check=True, capture_output=True, text=True).stdout == "2\n"


def test_no_module_is_run_when_it_is_compiled(bench: Path, ahead: Callable[..., list[str]]) -> None:
    (bench / "calc.py").write_text("open('ran', 'w')\n")
    (bench / "py_compile.py").write_text("open('ran', 'w')\n")
    assert ahead(Module("calc.py", TAG)) == [f"calc.{TAG}.pyc"]
    assert not (bench / "ran").exists()


def test_what_is_gone_broken_endless_or_rewritten_by_the_check_is_passed_over(
    bench: Path, ahead: Callable[..., list[str]]
) -> None:
    os.mkfifo(bench / "pipe.py")
    (bench / "zero.py").symlink_to("/dev/zero")
    (bench / "made.py").write_text("made = 1\n")
    names = ("gone.py", "broken.py", "pipe.py", "zero.py", "made.py", "calc.py")
    found = ahead(*(Module(name, TAG) for name in names), besides=frozenset({"made.py"}))
    assert found == [f"calc.{TAG}.pyc"]


def test_the_first_interpreter_of_the_right_version_compiles(
    tmp_path: Path, bench: Path, ahead: Callable[..., list[str]]
) -> None:
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\ncat > /dev/null\nexit 3\n")
    other.chmod(0o755)
    pythons = (str(tmp_path / "absent"), str(other), PYTHON)
    assert ahead(Module("calc.py", TAG), pythons=pythons) == [f"calc.{TAG}.pyc"]
    assert ahead(Module("calc.py", "cpython-27"), pythons=(PYTHON,)) == [f"calc.{TAG}.pyc"]
    assert bench.is_dir()


# --- what nobody has a reason to write ---------------------------------------------------------------------------


@pytest.fixture
def fixed(tmp_path: Path) -> Fixed:
    """`/lib/known.py` is compiled; `/free/` may be written, but for what is called `kept`."""
    for name in ("lib/known", "free/mine"):
        (tmp_path / "bytecode" / name).parent.mkdir(parents=True)
        (tmp_path / "bytecode" / f"{name}.{TAG}.pyc").write_bytes(b"code")
    wait_for_the_clock(tmp_path)
    return Fixed.now(tmp_path / "bytecode", lambda source: source.startswith("/free/") and "kept" not in source)


def wait_for_the_clock(folder: Path) -> None:
    """Two writes within one step of the file system's clock look the same; no process starts as fast as that."""
    (folder / "first").touch()
    while True:
        (folder / "later").touch()
        if (folder / "later").stat().st_ctime_ns > (folder / "first").stat().st_ctime_ns:
            return


def test_nothing_is_planted_where_only_free_modules_were_compiled(tmp_path: Path, fixed: Fixed) -> None:
    (tmp_path / f"bytecode/free/mine.{TAG}.pyc").write_bytes(b"another")
    (tmp_path / f"bytecode/free/more.{TAG}.pyc").write_bytes(b"new")
    assert fixed.planted() == ()


@pytest.mark.parametrize("name", ["lib/new", "lib/known", "lib/deep/er/new", "elsewhere/new", "top", "free/kept"])
def test_a_module_that_was_written_elsewhere_is_named(tmp_path: Path, fixed: Fixed, name: str) -> None:
    file = tmp_path / f"bytecode/{name}.{TAG}.pyc"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"evil")
    assert fixed.planted() == (f"/{name}.py",)


def test_a_module_that_was_there_for_a_while_is_told_by_its_folder(tmp_path: Path, fixed: Fixed) -> None:
    file = tmp_path / f"bytecode/lib/new.{TAG}.pyc"
    file.write_bytes(b"evil")
    before = file.parent.stat()
    file.unlink()
    os.utime(file.parent, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert fixed.planted() == ("/lib/",)


def test_a_module_that_was_put_back_is_told_by_what_cannot_be_put_back(tmp_path: Path, fixed: Fixed) -> None:
    file = tmp_path / f"bytecode/lib/known.{TAG}.pyc"
    before, content = file.stat(), file.read_bytes()
    file.write_bytes(b"evil")
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert fixed.planted() == ("/lib/known.py",)


def test_a_folder_that_was_taken_away_is_noticed(tmp_path: Path, fixed: Fixed) -> None:
    (tmp_path / "bytecode/lib").rename(tmp_path / "away")
    assert fixed.planted() == ("/lib/known.py",)
    (tmp_path / "away").rename(tmp_path / "bytecode/lib")
    assert fixed.planted() == ("/", "/lib/")
