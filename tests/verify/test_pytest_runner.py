"""What the probe sees of real pytest sessions."""

from __future__ import annotations

import ast
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.report import CheckResult, CheckStatus, Strength
from trueup.verify.runners import pytest_plugin, pytest_runner
from trueup.verify.runners.base import RunContext
from trueup.verify.runners.pytest_runner import PytestRunner, head_and_tail, pytest_prefix

MIXED = {
    "calc.py": """
        def half(n):
            return n / 0
    """,
    "test_mixed.py": """
        import unittest

        import pytest
        from calc import half

        @pytest.mark.parametrize("value", [1, 12, "ünï codé", "a::b[c]"])
        def test_values(value):
            assert value != 12, "twelve"

        def test_deep():
            assert half(2) == 1

        @pytest.fixture
        def broken():
            raise LookupError("no fixture for you")

        def test_setup(broken):
            pass

        @pytest.fixture
        def dirty():
            yield
            raise OSError("cannot clean up")

        def test_teardown(dirty):
            pass

        @pytest.mark.skip(reason="later")
        def test_skipped():
            pass

        @pytest.mark.xfail
        def test_expected():
            assert False

        class TestUnit(unittest.TestCase):
            def test_method(self):
                self.assertEqual(1, 1)

            def test_bad_method(self):
                self.assertEqual([1], [2])

        class TestPlain:
            class TestInner:
                async def test_not_awaited(self):
                    pass

                def test_inner(self):
                    pass

        def test_own_error():
            class Odd(Exception):
                pass
            raise Odd("line one\\nline two")

        def test_missing(no_such_fixture):
            pass
    """,
}


@pytest.fixture(scope="module")
def mixed(new_lab: Callable[[], Any]) -> CheckResult:
    result: CheckResult = new_lab().check(MIXED)
    return result


def failure(result: CheckResult, subject: str) -> Failure:
    return next(f for f in result.failures if f.subject == subject)


def test_every_collected_test_is_in_the_inventory_with_its_full_id(mixed: CheckResult) -> None:
    assert mixed.status is CheckStatus.FAILED
    assert mixed.strength is Strength.INVENTORY
    assert mixed.inventory is not None
    assert set(mixed.inventory) >= {
        "test_mixed.py::test_values[1]",
        "test_mixed.py::test_values[12]",
        "test_mixed.py::test_values[a::b[c]]",
        "test_mixed.py::TestUnit::test_method",
        "test_mixed.py::TestPlain::TestInner::test_inner",
    }
    assert len([i for i in mixed.inventory if i.startswith("test_mixed.py::test_values[")]) == 4


def test_passed_means_seen_passing_to_the_end(mixed: CheckResult) -> None:
    assert "test_mixed.py::test_values[1]" in mixed.passed
    assert "test_mixed.py::TestUnit::test_method" in mixed.passed
    failing = {f.subject for f in mixed.failures}
    assert failing >= {"test_mixed.py::test_setup", "test_mixed.py::test_teardown", "test_mixed.py::test_values[12]"}
    assert not failing & set(mixed.passed)
    assert set(mixed.skipped) >= {"test_mixed.py::test_skipped", "test_mixed.py::test_expected"}


def test_a_failure_names_the_innermost_line_of_the_project(mixed: CheckResult) -> None:
    deep = failure(mixed, "test_mixed.py::test_deep")
    assert (deep.file, deep.line, deep.source_line) == ("calc.py", 2, "return n / 0")
    assert (deep.kind, deep.message) == ("ZeroDivisionError", "division by zero")
    assert "assert half(2) == 1" in deep.excerpt
    assert deep.repro == "pytest -p no:cacheprovider test_mixed.py::test_deep"
    assert deep.test
    assert deep.phase is Phase.RUN


def test_the_exception_class_and_message_are_the_tests_own(mixed: CheckResult) -> None:
    assert failure(mixed, "test_mixed.py::test_setup").kind == "LookupError"
    assert failure(mixed, "test_mixed.py::test_teardown").message == "cannot clean up"
    assert failure(mixed, "test_mixed.py::TestUnit::test_bad_method").kind == "AssertionError"
    odd = failure(mixed, "test_mixed.py::test_own_error")
    assert odd.kind.endswith("Odd")
    assert odd.message == "line one\nline two"
    missing = failure(mixed, "test_mixed.py::test_missing")
    assert missing.message == "fixture 'no_such_fixture' not found"
    assert missing.source_line == "def test_missing(no_such_fixture):"


def test_places_are_known_for_functions_of_the_project(mixed: CheckResult) -> None:
    places = {p.id: p for p in mixed.places}
    inner = places["test_mixed.py::TestPlain::TestInner::test_inner"]
    assert (inner.file, inner.name) == ("test_mixed.py", "test_inner")
    assert places["test_mixed.py::test_values[1]"].line == places["test_mixed.py::test_values[12]"].line


def test_workers_of_xdist_tell_the_same_as_a_single_process(lab: Any) -> None:
    files = {
        "test_a.py": """
            import pytest
            @pytest.mark.parametrize("n", range(4))
            def test_n(n):
                assert n != 3
            @pytest.mark.xdist_group("one")
            def test_grouped():
                pass
        """,
        "test_new.py": "def test_new(): assert False\n",
    }
    alone = lab.check(files, ignore=("test_new.py",))
    many = lab.check(files, "pytest -q -p xdist.plugin -n 2 --dist loadgroup", ignore=("test_new.py",))
    assert many.inventory == alone.inventory
    assert many.passed == alone.passed
    assert many.places == alone.places
    (one,), (two,) = alone.failures, many.failures
    assert (one.subject, one.kind, one.message, one.line) == (two.subject, two.kind, two.message, two.line)


def test_the_group_that_xdist_adds_to_an_id_is_taken_off_again(tmp_path: Path) -> None:
    told: dict[str, object] = {
        "bench": str(tmp_path),
        "checkout": "/nowhere",
        "own": "/nowhere",
        "events": "",
        "ignore": [],
        "select": None,
    }
    (tmp_path / "probe.json").write_text(json.dumps(told))
    probe = pytest_plugin._Probe(str(tmp_path))
    assert probe.id_of("a.py::test_x@one") == "a.py::test_x@one"
    probe.grouped = True
    assert probe.id_of("a.py::test_x[u@v]@one") == "a.py::test_x[u@v]"
    assert probe.id_of("a.py::test_x[u@v]") == "a.py::test_x[u@v]"


def test_a_module_that_cannot_be_imported_is_a_collection_failure_of_its_file(lab: Any) -> None:
    result = lab.check(
        {
            "test_a.py": "from product import thing\n",
            "test_b.py": "def test_b(): pass\n",
            "product.py": "import no_such_module\n",
        }
    )
    assert result.status is CheckStatus.FAILED
    (broken,) = result.failures
    assert (broken.subject, broken.phase, broken.test) == ("test_a.py", Phase.COLLECT, False)
    assert (broken.kind, broken.file, broken.line) == ("ModuleNotFoundError", "product.py", 1)
    assert result.inventory == ("test_b.py::test_b",)
    assert result.passed == ()


def test_a_syntax_error_names_the_line_that_cannot_be_read(lab: Any) -> None:
    result = lab.check({"test_a.py": "import product\n", "product.py": "x = 1\ndef broken(:\n"})
    (broken,) = result.failures
    assert (broken.kind, broken.file, broken.line) == ("SyntaxError", "product.py", 2)


def test_a_conftest_that_cannot_be_imported_is_a_collection_failure(lab: Any) -> None:
    result = lab.check(
        {"conftest.py": "import product\n", "product.py": "1 / 0\n", "test_a.py": "def test_a(): pass\n"}
    )
    assert result.status is CheckStatus.FAILED
    (broken,) = result.failures
    assert (broken.subject, broken.kind, broken.phase) == ("conftest.py", "ZeroDivisionError", Phase.COLLECT)
    assert broken.file == "product.py"
    assert "1 / 0" in broken.excerpt
    assert str(lab.bench.folder) not in broken.excerpt


def test_tests_that_did_not_run_because_of_x_are_not_passed(lab: Any) -> None:
    files = {"test_a.py": "def test_1(): assert False\ndef test_2(): pass\n"}
    result = lab.check(files, "pytest -x -q")
    assert result.inventory == ("test_a.py::test_1", "test_a.py::test_2")
    assert [f.subject for f in result.failures] == ["test_a.py::test_1"]
    assert result.passed == ()


def test_failures_count_although_the_command_ends_with_0(lab: Any) -> None:
    result = lab.check({"test_a.py": "def test_1(): assert False\n"}, "pytest -q; exit 0")
    assert result.status is CheckStatus.FAILED
    assert [f.subject for f in result.failures] == ["test_a.py::test_1"]
    assert result.exit_code == 0


def test_the_users_own_options_reports_and_selection_are_untouched(lab: Any) -> None:
    files = {
        "pytest.ini": "[pytest]\naddopts = --strict-markers\n",
        "test_a.py": "def test_yes(): pass\ndef test_no(): pass\n",
    }
    log = lab.base / "out.xml"
    env = {**lab.env, "PYTEST_ADDOPTS": f"--junit-xml={log}"}
    result = lab.check(files, "pytest -q -k yes", env=env)
    assert result.status is CheckStatus.PASSED
    assert result.inventory == ("test_a.py::test_yes",)
    assert 'tests="1"' in log.read_text()
    assert "trueup" not in log.read_text()
    assert "trueup" not in (lab.base / "logs" / result.log).read_text()


def test_a_process_that_ends_itself_in_the_middle_is_a_crash_of_the_running_test(lab: Any) -> None:
    files = {
        "test_a.py": """
            import os
            def test_1(): pass
            def test_2(): os._exit(0)
            def test_3(): pass
        """
    }
    result = lab.check(files)
    assert result.status is CheckStatus.FAILED
    assert result.exit_code == 0
    (crash,) = result.failures
    assert (crash.subject, crash.kind) == ("test_a.py::test_2", "crash")
    assert result.passed == ("test_a.py::test_1",)


def test_a_process_that_ends_itself_while_cleaning_up_has_not_passed(lab: Any) -> None:
    files = {
        "test_a.py": """
            import os, pytest
            @pytest.fixture
            def last():
                yield
                os._exit(0)
            def test_1(last): pass
        """
    }
    result = lab.check(files)
    assert [(f.subject, f.kind) for f in result.failures] == [("test_a.py::test_1", "crash")]
    assert result.passed == ()


def test_a_process_that_ends_itself_while_collecting_is_not_passed(lab: Any) -> None:
    result = lab.check({"test_a.py": "import os\nos._exit(0)\n"})
    assert result.status is CheckStatus.FAILED
    (crash,) = result.failures
    assert (crash.kind, crash.phase, crash.test) == ("crash", Phase.COLLECT, False)


def test_pytest_runs_that_a_test_starts_are_not_counted(lab: Any) -> None:
    files = {
        "inner/test_inner.py": "def test_inner(): assert False\n",
        "test_outer.py": """
            import os, subprocess, sys
            def test_outer():
                assert "PYTEST_ADDOPTS" not in os.environ and "PYTHONPATH" not in os.environ
                argv = [sys.executable, "-m", "pytest", "inner"]
                assert subprocess.run(argv, capture_output=True).returncode == 1
        """,
    }
    result = lab.check(files, "pytest -q test_outer.py")
    assert result.status is CheckStatus.PASSED
    assert result.inventory == ("test_outer.py::test_outer",)


def test_tests_that_replace_open_and_close_all_descriptors_are_still_seen(lab: Any) -> None:
    files = {
        "test_a.py": """
            import json, os
            def test_patched(monkeypatch):
                monkeypatch.setattr("builtins.open", None)
                monkeypatch.setattr(os, "write", None)
                monkeypatch.setattr(json, "dumps", None)
            def test_closed():
                os.closerange(3, 256)
        """
    }
    result = lab.check(files, "pytest -q -s")
    assert result.passed == ("test_a.py::test_patched", "test_a.py::test_closed")


@pytest.mark.parametrize("command", ["unset PYTHONPATH; pytest -q", "python -I -m pytest -q"])
def test_without_the_probe_the_text_and_the_exit_code_still_count(lab: Any, command: str) -> None:
    bad = lab.check({"test_a.py": "def test_1(): assert 1 == 2\n"}, command)
    assert (bad.status, bad.strength, bad.inventory) == (CheckStatus.FAILED, Strength.EXIT_CODE, None)
    assert [f.subject for f in bad.failures] == ["test_a.py::test_1"]
    assert "_trueup_probe" not in (lab.base / "logs" / bad.log).read_text()


def test_without_the_probe_a_pass_is_as_strong_as_an_exit_code(lab: Any) -> None:
    good = lab.check({"test_a.py": "def test_1(): pass\n"}, "python -I -m pytest -q")
    assert (good.status, good.strength, good.inventory) == (CheckStatus.PASSED, Strength.EXIT_CODE, None)
    empty = lab.check({"test_a.py": ""}, "python -I -m pytest -q")
    assert (empty.status, empty.reason) == (CheckStatus.ERROR, "no tests were collected")


def test_ids_are_relative_to_the_bench_when_the_project_lies_deeper(lab: Any) -> None:
    files = {
        "backend/pyproject.toml": "[tool.pytest.ini_options]\n",
        "backend/tests/test_a.py": "def test_1(): assert False\ndef test_2(): pass\n",
    }
    result = lab.check(files, "cd backend && pytest -q")
    assert result.inventory == ("backend/tests/test_a.py::test_1", "backend/tests/test_a.py::test_2")
    (failed,) = result.failures
    assert (failed.file, failed.source_line) == ("backend/tests/test_a.py", "def test_1(): assert False")
    again = lab.check(files, "cd backend && pytest -q", select={"tests": ("backend/tests/test_a.py::test_2",)})
    assert again.inventory == ("backend/tests/test_a.py::test_2",)


def test_only_the_selected_tests_run(lab: Any) -> None:
    files = {
        "test_a.py": """
            import pytest
            @pytest.mark.parametrize("n", [1, 11])
            def test_n(n): pass
            def test_other(): pass
        """,
        "test_b.py": "def test_b(): pass\n",
    }
    result = lab.check(files, "sh -c 'pytest -q'", select={"tests": ("test_a.py::test_n[1]", "test_b.py")})
    assert result.inventory == ("test_a.py::test_n[1]", "test_b.py::test_b")
    assert result.passed == result.inventory


def test_a_project_module_from_the_users_checkout_is_an_error(lab: Any) -> None:
    (lab.checkout / "src").mkdir()
    (lab.checkout / "src" / "product.py").write_text("def f(): return 1\n")
    files = {
        "src/product.py": "def f(): return 2\n",
        "test_a.py": "import product\ndef test_f(): assert product.f() == 1\n",
    }
    env = {**lab.env, "PYTHONPATH": str(lab.checkout / "src")}
    result = lab.check(files, env=env)
    assert result.status is CheckStatus.ERROR
    assert str(lab.checkout / "src" / "product.py") in result.reason


def test_an_installed_copy_of_the_projects_own_package_is_an_error(lab: Any) -> None:
    copy = lab.base / "lib" / "site-packages" / "product"
    copy.mkdir(parents=True)
    (copy / "__init__.py").write_text("VALUE = 1\n")
    files = {
        "src/product/__init__.py": "VALUE = 2\n",
        "test_a.py": "import product\ndef test_f(): assert product.VALUE == 1\n",
    }
    result = lab.check(files, env={**lab.env, "PYTHONPATH": str(copy.parent)})
    assert result.status is CheckStatus.ERROR
    assert str(copy) in result.reason


def test_libraries_of_an_environment_inside_the_checkout_are_no_project_code(lab: Any) -> None:
    library = lab.checkout / ".venv" / "lib" / "python3" / "site-packages"
    library.mkdir(parents=True)
    (library / "thing.py").write_text("VALUE = 1\n")
    files = {"test_a.py": "import thing\ndef test_f(): assert thing.VALUE == 1\n"}
    result = lab.check(files, env={**lab.env, "PYTHONPATH": str(library)})
    assert result.status is CheckStatus.PASSED


def test_new_test_files_run_on_their_own_and_count_for_nothing(lab: Any) -> None:
    files = {
        "test_old.py": "def test_old(): pass\n",
        "tests/test_new.py": "from pathlib import Path\ndef test_new():\n    Path('test_old.py').write_text('')\n    assert False\n",
    }
    report = lab.report(files, "pytest -q", ignore=("tests/test_new.py", "tests/notes.txt"))
    (result,) = report.results
    assert result.status is CheckStatus.PASSED
    assert result.inventory == ("test_old.py::test_old",)
    (extra,) = result.extra
    assert [f.subject for f in extra.failures] == ["tests/test_new.py::test_new"]
    assert report.all_passed
    assert report.void == ""
    assert (lab.bench.folder / "test_old.py").read_text() == files["test_old.py"]


def test_failing_subtests_are_counted_one_by_one(lab: Any) -> None:
    files = {
        "test_a.py": """
            def test_parts(subtests):
                for n in range(3):
                    with subtests.test(n=n):
                        assert n == 0
        """
    }
    result = lab.check(files)
    assert [f.message.splitlines()[0] for f in result.failures] == ["assert 1 == 0", "assert 2 == 0"]
    assert result.passed == ()


@pytest.fixture
def context(lab: Any) -> Callable[..., RunContext]:
    """What the gate would hand to the runner for these files."""

    def make(files: dict[str, str], *argv: str, **more: Any) -> RunContext:
        lab.load(files)
        scratch = lab.bench.tmp / "scratch"
        scratch.mkdir()
        return RunContext(
            check="tests",
            argv=argv,
            folder=lab.bench.folder,
            scratch=scratch,
            nonce="0123456789ab",
            checkout=lab.checkout,
            env=lab.env,
            sources=lab.sources,
            **more,
        )

    return make


COVERED = {
    "product.py": "def double(n):\n    return n + n\n",
    "test_a.py": "from product import double\n\ndef test_a():\n    assert double(1) == 2\n",
}


@pytest.mark.parametrize("options", ["", "--branch", "--branch --source=."])
def test_coverage_does_not_measure_the_probe_nor_miss_it_later(lab: Any, options: str) -> None:
    measure = f"coverage run {options} -m pytest -q && coverage report --fail-under=100"
    first, second = lab.report(COVERED, measure, "coverage report --fail-under=100").results
    assert (first.status, first.passed) == (CheckStatus.PASSED, ("test_a.py::test_a",))
    assert second.status is CheckStatus.PASSED
    for result in (first, second):
        said = (lab.base / "logs" / result.log).read_text()
        assert "product.py" in said
        assert "trueup" not in said


@pytest.mark.parametrize("core", ["ctrace", "pytrace"])
def test_a_coverage_that_knows_no_foreign_environments_does_not_keep_the_probe(
    lab: Any, context: Callable[..., RunContext], core: str
) -> None:
    run = context(COVERED, "coverage", "run", "--branch", "-m", "pytest", "-q")
    env = {**run.env, **PytestRunner().prepare(run), "COVERAGE_CORE": core}
    (run.scratch / "pyvenv.cfg").unlink()
    done = lab.processes.run(run.argv, cwd=run.folder, env=env, timeout=60)
    evidence = PytestRunner().read(run, done)
    assert evidence is not None
    assert evidence.passed == ("test_a.py::test_a",)
    shutil.rmtree(run.scratch)
    report = lab.processes.run(("coverage", "report"), cwd=run.folder, env=run.env, timeout=60)
    assert report.exit_code == 0, report.stdout.text()
    assert "trueup" not in report.stdout.text()


BY_NAME = {
    "tests/test_old.py": "def test_old(): pass\n",
    "tests/test_new.py": "def test_new(): assert False\n",
    "tests/test_unreadable.py": "import no_such_module\n",
}
NEW = ("tests/test_new.py", "tests/test_unreadable.py")


@pytest.mark.parametrize("options", ["-q", "-q -p xdist.plugin -n 1", "-q --doctest-modules"])
def test_new_test_files_that_the_command_names_are_not_collected_either(lab: Any, options: str) -> None:
    result = lab.check(BY_NAME, f"sh -c 'pytest {options} tests/test_*.py'", ignore=NEW)
    assert (result.status, result.exit_code) == (CheckStatus.PASSED, 0)
    assert result.inventory == result.passed == ("tests/test_old.py::test_old",)
    said = (lab.base / "logs" / result.log).read_text()
    assert "deselected" not in said
    assert "test_new" not in said


def test_a_new_test_that_the_command_names_by_its_id_is_left_out(lab: Any) -> None:
    result = lab.check(BY_NAME, "pytest -q tests/test_old.py tests/test_new.py::test_new", ignore=NEW)
    assert (result.status, result.exit_code) == (CheckStatus.PASSED, 0)
    assert result.inventory == ("tests/test_old.py::test_old",)


def test_hooks_of_the_project_do_not_see_what_is_left_out(lab: Any) -> None:
    conftest = "def pytest_collection_modifyitems(items):\n    assert [i.name for i in items] == ['test_old']\n"
    files = {**BY_NAME, "conftest.py": conftest}
    result = lab.check(files, "pytest -q tests/test_old.py tests/test_new.py::test_new", ignore=NEW)
    assert result.status is CheckStatus.PASSED


def test_a_command_that_names_only_new_test_files_collects_nothing(lab: Any) -> None:
    result = lab.check(BY_NAME, "pytest -q tests/test_new.py", ignore=NEW)
    assert (result.status, result.exit_code) == (CheckStatus.ERROR, 5)
    assert result.reason == "no tests were collected"


def test_odd_objects_among_the_modules_do_not_look_like_a_crash(lab: Any) -> None:
    (lab.checkout / "elsewhere.py").write_text("")
    files = {
        "test_a.py": """
            import importlib.util, sys

            class Lazy:
                def __getattr__(self, name):
                    raise ImportError(name)

            class Nowhere:
                __file__ = "\\0"

            sys.modules["a_lazy_one"] = Lazy()
            sys.modules["nowhere"] = Nowhere()
            sys.modules[5] = Lazy()

            spec = importlib.util.find_spec("explosive")
            spec.loader = importlib.util.LazyLoader(spec.loader)
            sys.modules["explosive"] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules["explosive"])

            def test_a(): pass
        """,
        "explosive.py": "from pathlib import Path\nPath('exploded').touch()\n",
    }
    result = lab.check(files)
    assert (result.status, result.failures) == (CheckStatus.PASSED, ())
    assert not (lab.bench.folder / "exploded").exists()
    files["test_b.py"] = "import elsewhere\ndef test_b(): pass\n"
    foreign = lab.check(files, env={**lab.env, "PYTHONPATH": str(lab.checkout)})
    assert foreign.status is CheckStatus.ERROR
    assert "elsewhere" in foreign.reason


def test_an_item_that_cannot_be_looked_into_does_not_hide_the_others(lab: Any) -> None:
    files = {
        "conftest.py": """
            import pytest
            from unittest.mock import MagicMock

            class Odd(pytest.Item):
                @property
                def obj(self):
                    raise ImportError("not now")

                def runtest(self):
                    pass

            class Everything(pytest.Item):
                obj = MagicMock(__code__=MagicMock(), __wrapped__=None)
                del obj.__wrapped__

                def runtest(self):
                    pass

            class Text(pytest.File):
                def collect(self):
                    yield Odd.from_parent(self, name="odd")
                    yield Everything.from_parent(self, name="everything")

            def pytest_collect_file(file_path, parent):
                return Text.from_parent(parent, path=file_path) if file_path.suffix == ".txt" else None
        """,
        "a.txt": "",
        "test_a.py": "def test_a(): pass\n",
    }
    result = lab.check(files)
    assert result.inventory == result.passed == ("a.txt::odd", "a.txt::everything", "test_a.py::test_a")
    assert [p.id for p in result.places] == ["test_a.py::test_a"]


SECRET = "hunter2-and-a-half"


@pytest.mark.parametrize("before", [0, 490, 1990, 99_990])
def test_secrets_are_taken_out_before_a_text_is_shortened(
    lab: Any, context: Callable[..., RunContext], before: int
) -> None:
    source = f"def test_a():\n    raise ValueError('.' * {before} + '{SECRET}' + '.' * 5000)  # {SECRET}\n"
    run = context({"test_a.py": source}, "pytest", "-q", redact=lambda text: text.replace(SECRET, "[gone]"))
    done = lab.processes.run(run.argv, cwd=run.folder, env={**run.env, **PytestRunner().prepare(run)}, timeout=60)
    evidence = PytestRunner().read(run, done)
    assert evidence is not None
    (failed,) = evidence.failures
    assert failed.source_line is not None
    assert failed.source_line.endswith("# [gone]")
    for text in (failed.message, failed.excerpt, failed.source_line):
        assert "hunter" not in text
        assert "half" not in text


@pytest.mark.parametrize(
    ("argv", "prefix"),
    [
        (("pytest", "-q"), ("pytest",)),
        ((".venv/bin/pytest",), (".venv/bin/pytest",)),
        (("python3.12", "-X", "dev", "-m", "pytest", "-x"), ("python3.12", "-X", "dev", "-m", "pytest")),
        (("uv", "run", "pytest", "-q"), ("uv", "run", "pytest")),
        (("coverage", "run", "-m", "pytest"), ("coverage", "run", "-m", "pytest")),
        (("make", "test"), ()),
        (("/bin/sh", "-c", "pytest -q"), ()),
        (("python", "run_tests.py", "pytest"), ()),
        ((), ()),
    ],
)
def test_a_pytest_command_is_recognised_by_its_beginning(argv: tuple[str, ...], prefix: tuple[str, ...]) -> None:
    assert pytest_prefix(argv) == prefix
    assert PytestRunner().recognises(argv) == bool(prefix)


def test_a_command_that_sets_the_probes_variables_itself_is_not_plainly_pytest() -> None:
    assert not PytestRunner().recognises(("env", "PYTEST_ADDOPTS=-x", "pytest"))


def test_a_long_excerpt_keeps_its_ends_and_says_what_is_missing() -> None:
    text = "\n".join(str(n) for n in range(100))
    assert head_and_tail(text, 4).splitlines() == ["0", "1", "[… 96 lines left out …]", "98", "99"]
    assert head_and_tail("a\nb", 4) == "a\nb"


def test_a_session_whose_events_were_deleted_is_not_passed(lab: Any) -> None:
    files = {
        "test_a.py": """
            import os, sys
            def test_a():
                (probe,) = [m for name, m in sys.modules.items() if name.startswith("_trueup_probe_")]
                events = probe._probe.told["events"]
                for name in os.listdir(events):
                    os.unlink(os.path.join(events, name))
                os.rmdir(events)
        """
    }
    result = lab.check(files)
    assert result.status is CheckStatus.ERROR
    assert "no report" in result.reason


def test_garbage_among_the_events_does_not_hide_a_failure(lab: Any) -> None:
    files = {
        "test_a.py": """
            import os, sys
            def test_a():
                (probe,) = [m for name, m in sys.modules.items() if name.startswith("_trueup_probe_")]
                events = probe._probe.told["events"]
                with open(os.path.join(events, "0.jsonl"), "w") as file:
                    file.write('{"ev": 5}\\nnot json\\n{"ev": "report", "id": "test_a.py::test_a", "when": "call", '
                               '"outcome": "passed"}\\n{"ev": "end"}\\n')
                assert False
        """
    }
    result = lab.check(files)
    assert result.status is CheckStatus.FAILED
    assert result.passed == ()


def test_the_probe_is_readable_for_the_oldest_python_that_it_promises() -> None:
    plugin = Path(pytest_runner.__file__).with_name("pytest_plugin.py")
    module = ast.parse(plugin.read_text(), feature_version=(3, 8))
    imported = {
        str(node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).partition(".")[0]
        for node in ast.walk(module)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported - sys.stdlib_module_names == {"pytest"}


def test_the_interpreter_of_a_hidden_pytest_runs_the_new_files(lab: Any) -> None:
    files = {
        "Makefile": f"test:\n\t{sys.executable} -m pytest -q\n",
        "test_old.py": "def test_old(): pass\n",
        "test_new.py": "def test_new(): pass\n",
    }
    result = lab.check(files, "sh -c 'python -m pytest -q'", ignore=("test_new.py",))
    (extra,) = result.extra
    assert extra.status is CheckStatus.PASSED
    assert extra.passed == ("test_new.py::test_new",)


def test_everything_is_seen_although_the_command_stops_at_the_first_failure(lab: Any) -> None:
    files = {"test_a.py": "def test_1(): assert 0\ndef test_2(): assert 0\ndef test_3(): pass\n"}
    request = replace(lab.request("pytest -q -x"), keep_going=True)
    (result,) = lab.run(lab.load(files), request).results
    assert len(result.failures) == 2
    assert result.passed == ("test_a.py::test_3",)
    assert len(lab.check(files, "pytest -q -x").failures) == 1, "the command as it is"


def test_a_module_that_leaves_while_it_is_collected_is_named_with_its_line(lab: Any) -> None:
    result = lab.check({"test_a.py": "import sys\nsys.exit(0)\n", "test_b.py": "def test_b(): pass\n"}, "pytest -q")
    (failure,) = result.failures
    assert (failure.kind, failure.file, failure.line, failure.phase) == ("SystemExit", "test_a.py", 2, Phase.COLLECT)
    assert failure.source_line == "sys.exit(0)"


def test_a_test_that_kills_its_process_is_named_with_its_place_and_the_signal(lab: Any) -> None:
    files = {"test_a.py": "import os\n\ndef test_a(): os.kill(os.getpid(), 11)\n"}
    (failure,) = lab.check(files, "pytest -q").failures
    assert (failure.kind, failure.file, failure.line) == ("crash", "test_a.py", 3)
    assert failure.message == "the test process ended before pytest did (ended by SIGSEGV), while this test ran"


def test_a_module_that_leaves_hides_tests_although_others_were_collected(lab: Any) -> None:
    files = {
        "test_a.py": "def test_a(): pass\n",
        "test_b.py": "import product\n",
        "product.py": "raise SystemExit(0)\n",
    }
    (failure,) = lab.check(files, "pytest -q").failures
    assert (failure.file, failure.phase, failure.test) == ("product.py", Phase.COLLECT, False)
