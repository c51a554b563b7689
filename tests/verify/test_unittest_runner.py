"""What is seen of unittest, whoever starts it, and that nothing else notices."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from trueup.evidence.failure import make_key
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.report import CheckStatus, SeenBy, Strength
from trueup.verify.runners.unittest_runner import UnittestRunner
from trueup.verify.twin import run_twin

ADD = "def add(a, b):\n    return a - b\n"
TESTS = """
    import unittest
    from calc import add

    class AddTest(unittest.TestCase):
        def test_add(self):
            self.assertEqual(add(1, 2), 3)

        def test_fine(self):
            pass

        @unittest.skip("not today")
        def test_later(self):
            pass

        @unittest.expectedFailure
        def test_known(self):
            self.fail("known")

        @unittest.expectedFailure
        def test_wrongly_known(self):
            pass

        def test_parts(self):
            for n in range(3):
                with self.subTest(n=n):
                    self.assertNotEqual(n % 2, 0)

    class Unready(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            raise RuntimeError("no database")

        def test_it(self):
            pass

    class Absent(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            raise unittest.SkipTest("not here")

        def test_it(self):
            pass

    class Untidy(unittest.TestCase):
        @classmethod
        def tearDownClass(cls):
            raise OSError("still open")

        def test_it(self):
            pass

    if __name__ == "__main__":
        unittest.main()
"""
PROJECT = {"calc.py": ADD, "tests/__init__.py": "", "tests/test_calc.py": TESTS}
HOME = "tests/test_calc.py"
SMALL = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "test_small.py": """
        import unittest
        from calc import add

        class T(unittest.TestCase):
            def test_a(self):
                self.assertEqual(add(1, 2), 3)

            def test_b(self):
                pass

        if __name__ == "__main__":
            unittest.main()
    """,
}


def test_each_outcome_of_unittest_has_its_place(lab: Any) -> None:
    result = lab.check(PROJECT, "python -m unittest")
    assert (result.status, result.strength, result.seen_by) == (
        CheckStatus.FAILED,
        Strength.INVENTORY,
        SeenBy.STRUCTURE,
    )
    names = ("test_add", "test_fine", "test_known", "test_later", "test_parts", "test_wrongly_known")
    every = {f"{HOME}::AddTest::{n}" for n in names} | {
        f"{HOME}::{c}::test_it" for c in ("Unready", "Absent", "Untidy")
    }
    assert set(result.inventory) == every
    assert set(result.passed) == {f"{HOME}::AddTest::test_fine", f"{HOME}::Untidy::test_it"}
    assert set(result.skipped) == {
        f"{HOME}::AddTest::test_later",
        f"{HOME}::AddTest::test_known",
        f"{HOME}::Absent::test_it",
    }
    assert sorted((f.subject, f.phase.value, f.kind, f.message, f.test) for f in result.failures) == sorted(
        [
            (f"{HOME}::Unready", "collect", "RuntimeError", "no database", False),
            (f"{HOME}::Untidy", "run", "OSError", "still open", False),
            (f"{HOME}::AddTest::test_add", "run", "AssertionError", "-1 != 3", True),
            (f"{HOME}::AddTest::test_parts", "run", "AssertionError", "(n=0) 0 == 0", True),
            (f"{HOME}::AddTest::test_parts", "run", "AssertionError", "(n=2) 0 == 0", True),
            (
                f"{HOME}::AddTest::test_wrongly_known",
                "run",
                "UnexpectedSuccess",
                "expected to fail, but passed",
                True,
            ),
        ]
    )
    (failure,) = (f for f in result.failures if f.subject.endswith("test_add"))
    assert (failure.file, failure.source_line) == (HOME, "self.assertEqual(add(1, 2), 3)")
    assert "failureException" not in failure.excerpt
    assert failure.repro == "python -m unittest tests.test_calc.AddTest.test_add"
    assert (HOME, "test_add") in {(p.file, p.name) for p in result.places}


def test_what_the_user_sees_and_the_exit_code_stay_as_they_are(lab: Any) -> None:
    seen = lab.check(PROJECT, "python -m unittest -v")
    without = lab.check(PROJECT, "env -u PYTHONPATH python -m unittest -v")
    assert without.seen_by is SeenBy.TEXT
    assert seen.exit_code == without.exit_code == 1
    first, second = ((lab.base / "logs" / r.log).read_text() for r in (seen, without))
    assert _timeless(first) == _timeless(second)
    assert "(n=2)" in first


def _timeless(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("Ran ")]


@pytest.mark.parametrize(
    "command", ["python test_small.py", "python -m unittest test_small", "sh -c 'python -m unittest -q'"]
)
def test_whoever_starts_it_is_listened_to(lab: Any, command: str) -> None:
    result = lab.check(SMALL, command)
    assert result.status is CheckStatus.PASSED
    assert result.inventory == result.passed == ("test_small.py::T::test_a", "test_small.py::T::test_b")


def test_a_runner_with_results_of_its_own_is_listened_to(lab: Any) -> None:
    script = """
        import unittest

        class Quiet(unittest.TestResult):
            def addFailure(self, test, err):
                super().addFailure(test, err)

        result = Quiet()
        unittest.defaultTestLoader.loadTestsFromName("test_small").run(result)
        raise SystemExit(not result.wasSuccessful())
    """
    broken = {**SMALL, "calc.py": ADD, "manage.py": script}
    result = lab.check(broken, "python manage.py test")
    assert [f.subject for f in result.failures] == ["test_small.py::T::test_a"]
    assert result.passed == ("test_small.py::T::test_b",)


def test_coverage_measures_nothing_of_ours(lab: Any) -> None:
    result = lab.check(SMALL, "coverage run -m unittest -q && coverage report")
    assert result.status is CheckStatus.PASSED
    assert result.seen_by is SeenBy.STRUCTURE
    said = (lab.base / "logs" / result.log).read_text()
    assert "test_small.py" in said
    assert "sitecustomize" not in said
    assert "trueup" not in said


def test_pytest_counts_its_unittest_cases_once(lab: Any) -> None:
    result = lab.check(SMALL, "pytest -q -p no:cacheprovider")
    assert result.inventory == result.passed == ("test_small.py::T::test_a", "test_small.py::T::test_b")


def test_a_program_that_only_imports_unittest_is_no_test_run(lab: Any) -> None:
    result = lab.check(SMALL, "python -c 'import unittest, unittest.mock'")
    assert (result.status, result.inventory) == (CheckStatus.PASSED, None)


def test_the_sitecustomize_of_the_environment_still_runs(lab: Any) -> None:
    theirs = {"site/sitecustomize.py": "import sys\nsys.greeting = 'hello'\n"}
    env = {**lab.env, "PYTHONPATH": "site"}
    command = "python -c 'import sys, sitecustomize; print(sys.greeting, sitecustomize.__file__)'"
    result = lab.check({**SMALL, **theirs}, command, env=env)
    assert result.status is CheckStatus.PASSED
    assert "hello" in (lab.base / "logs" / result.log).read_text()
    assert "site/sitecustomize.py" in (lab.base / "logs" / result.log).read_text()


def test_test_runs_that_a_test_starts_are_its_own_affair(lab: Any) -> None:
    inner = """
        import subprocess, sys, unittest

        class Outer(unittest.TestCase):
            def test_tool(self):
                inner = "import unittest\\nclass I(unittest.TestCase):\\n def test_i(self): self.fail()\\nunittest.main()"
                done = subprocess.run([sys.executable, "-c", inner], capture_output=True)
                self.assertEqual(done.returncode, 1)
    """
    result = lab.check({"test_outer.py": inner}, "python -m unittest")
    assert result.status is CheckStatus.PASSED
    assert result.inventory == ("test_outer.py::Outer::test_tool",)


def test_a_module_that_cannot_be_imported_hides_its_tests(lab: Any) -> None:
    result = lab.check({**SMALL, "test_broken.py": "import nothing_like_this\n"}, "python -m unittest")
    (failure,) = result.failures
    assert (failure.subject, failure.phase, failure.kind) == ("test_broken.py", "collect", "ModuleNotFoundError")
    assert (failure.file, failure.line, failure.test) == ("test_broken.py", 1, False)
    assert result.passed == ("test_small.py::T::test_a", "test_small.py::T::test_b")


@pytest.mark.parametrize(
    ("calc", "status", "reason"),
    [
        ("import os\ndef add(a, b): os._exit(0)\n", CheckStatus.FAILED, ""),
        ("import os\nos._exit(0)\n", CheckStatus.ERROR, "left no report"),
    ],
)
def test_a_process_that_ends_in_the_middle_never_passes(lab: Any, calc: str, status: CheckStatus, reason: str) -> None:
    result = lab.check({**SMALL, "calc.py": calc}, "python -m unittest")
    assert (result.status, result.passed) == (status, ())
    assert reason in result.reason
    assert [f.kind for f in result.failures] == (["crash"] if status is CheckStatus.FAILED else [])


def test_no_tests_are_no_pass(lab: Any) -> None:
    result = lab.check({"calc.py": ADD}, "python -m unittest")
    assert (result.status, result.reason) == (CheckStatus.ERROR, "no tests were collected")


def test_a_time_limit_names_the_test_that_ran(lab: Any) -> None:
    slow = {**SMALL, "calc.py": "import time\ndef add(a, b):\n    open('reached', 'w').close()\n    time.sleep(600)\n"}
    for seconds in (4.0, 20.0, 60.0):
        result = lab.check(slow, "python -m unittest", timeouts={"tests": seconds})
        if (lab.bench.folder / "reached").exists():
            break
    assert result.status is CheckStatus.TIMEOUT
    assert "test_small.py::T::test_a" in result.reason
    assert [f.kind for f in result.failures] == ["timeout"]


def test_new_test_files_are_not_even_imported_and_run_afterwards(lab: Any) -> None:
    new = {"test_new.py": "import unittest\nclass N(unittest.TestCase):\n    def test_n(self): self.fail('new')\n"}
    result = lab.check({**SMALL, **new}, "python -m unittest", ignore=("test_new.py",))
    assert result.status is CheckStatus.PASSED
    assert "test_new.py::N::test_n" not in result.inventory
    (extra,) = result.extra
    assert [f.subject for f in extra.failures] == ["test_new.py::N::test_n"]
    ending = lab.check(
        {**SMALL, "test_new.py": "import os\nos._exit(0)\n"}, "python -m unittest", ignore=("test_new.py",)
    )
    assert ending.passed == ("test_small.py::T::test_a", "test_small.py::T::test_b")


def test_single_tests_can_be_looked_at(lab: Any) -> None:
    result = lab.check(SMALL, "python -m unittest", select={"tests": ("test_small.py::T::test_b",)})
    assert result.inventory == result.passed == ("test_small.py::T::test_b",)


def test_every_failure_is_seen_although_the_command_says_failfast(lab: Any) -> None:
    bad = {
        "test_two.py": "import unittest\nclass T(unittest.TestCase):\n"
        + "".join(f"    def test_{n}(self): self.fail('{n}')\n" for n in range(2))
    }
    assert len(lab.check(bad, "python -m unittest -f").failures) == 1
    assert len(lab.check(bad, "python -m unittest -f", keep_going=True).failures) == 2


def test_code_of_the_users_checkout_is_not_the_tree_under_test(lab: Any) -> None:
    package = lab.checkout / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("price = 1\n")
    test = (
        "import unittest, shop\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual(shop.price, 1)\n"
    )
    env = {**lab.env, "PYTHONPATH": str(lab.checkout)}
    result = lab.check({"test_shop.py": test}, "python -m unittest", env=env)
    assert result.status is CheckStatus.ERROR
    assert "shop" in result.reason


def test_a_shifted_line_is_the_same_failure(lab: Any) -> None:
    broken = {**SMALL, "calc.py": ADD}
    (first,) = lab.check(broken, "python -m unittest").failures
    shifted = {**broken, "test_small.py": "\n        # more\n\n" + SMALL["test_small.py"]}
    (second,) = lab.check(shifted, "python -m unittest").failures
    assert second.line == first.line + 3
    assert fingerprint(second) == fingerprint(first)


@pytest.mark.parametrize(
    ("argv", "recognised"),
    [
        (("python", "-m", "unittest", "discover"), True),
        ((sys.executable, "-W", "error", "-m", "unittest"), True),
        (("coverage", "run", "-m", "unittest"), True),
        (("python", "-S", "-m", "unittest"), False),
        (("python", "-I", "-m", "unittest"), False),
        (("python", "unittest.py"), False),
        (("python", "-m", "pytest"), False),
        (("echo", "-m", "unittest"), False),
        (("env", "PYTHONPATH=", "python", "-m", "unittest"), False),
        ((), False),
    ],
)
def test_only_plain_unittest_commands_are_recognised(argv: tuple[str, ...], recognised: bool) -> None:
    assert UnittestRunner().recognises(argv) is recognised


FORGING = """
    import unittest.case

    def quietly(self, test_case, isTest=False, original=unittest.case._Outcome.testPartExecutor):
        with original(self, test_case, isTest):
            try:
                yield
            except AssertionError:
                pass

    import contextlib
    unittest.case._Outcome.testPartExecutor = contextlib.contextmanager(quietly)

    def add(a, b):
        return 0
"""


@pytest.mark.parametrize(("product", "fate"), [(SMALL["calc.py"], "as_told"), (FORGING, "passed")])
def test_a_product_that_hides_failures_is_convicted_by_tests_that_were_made_to_fail(
    lab: Any, product: str, fate: str
) -> None:
    files = {**SMALL, "calc.py": product}
    result = lab.check(files, "python -m unittest")
    assert result.status is CheckStatus.PASSED
    tree = lab.load(files)
    key = make_key("tests", "test_small.py::T::test_a")
    answers = run_twin(
        bench=lab.bench,
        tree=tree,
        request=lab.request("python -m unittest"),
        places={"tests": result.places},
        keys=[key],
        nonce="5f3a9c77d01b",
        processes=lab.processes,
        sources=lab.sources,
    )
    assert answers == {key: fate}


def test_a_test_with_a_skipped_part_is_skipped_and_the_run_is_no_error(lab: Any) -> None:
    parts = (
        "import unittest\n\n\nclass Parts(unittest.TestCase):\n    def test_parts(self):\n"
        "        for number in range(2):\n            with self.subTest(number=number):\n"
        "                if number:\n                    self.skipTest('not here')\n"
    )
    result = lab.check(
        {**SMALL, "calc.py": "def add(a, b):\n    return a + b\n", "test_parts.py": parts}, "python -m unittest"
    )
    assert result.status is CheckStatus.PASSED
    assert "test_parts.py::Parts::test_parts" in result.skipped


def test_a_command_that_throws_our_environment_away_counts_by_its_exit_code(lab: Any) -> None:
    result = lab.check(
        {**SMALL, "calc.py": "def add(a, b):\n    return a + b\n"}, f"env -u PYTHONPATH {sys.executable} -m unittest"
    )
    assert (result.status, result.inventory) == (CheckStatus.PASSED, None)


def test_product_code_cannot_end_a_test_by_unittests_own_exception(lab: Any) -> None:
    calc = (
        "def add(a, b):\n    for kind in Exception.__subclasses__():\n"
        "        if kind.__name__ == '_ShouldStop':\n            raise kind\n    return a - b\n"
    )
    result = lab.check({**SMALL, "calc.py": calc}, "python -m unittest")
    assert result.status is CheckStatus.FAILED
    assert "test_small.py::T::test_a" not in result.passed


def test_a_failing_part_under_failfast_is_the_failure_itself(lab: Any) -> None:
    parts = (
        "import unittest\n\n\nclass Parts(unittest.TestCase):\n    def test_parts(self):\n"
        "        for number in range(3):\n            with self.subTest(number=number):\n"
        "                self.assertEqual(number, 0)\n"
    )
    result = lab.check({"test_parts.py": parts}, "python -m unittest -f")
    assert {f.kind for f in result.failures} == {"AssertionError"}
    assert not any("unittest's own" in f.message for f in result.failures)


def test_each_doctest_has_an_id_of_its_own(lab: Any) -> None:
    files = {
        "calc.py": '''
            def add(a, b):
                """
                >>> add(1, 2)
                3
                """
                return a + b

            def sub(a, b):
                """
                >>> sub(1, 2)
                7
                """
                return a - b
            ''',
        "test_docs.py": """
            import doctest, calc

            def load_tests(loader, tests, pattern):
                return doctest.DocTestSuite(calc)
            """,
    }
    result = lab.check(files, "python -m unittest")
    assert result.inventory == ("calc.py::calc.add", "calc.py::calc.sub")
    assert result.passed == ("calc.py::calc.add",)
    assert [f.subject for f in result.failures] == ["calc.py::calc.sub"]
    chosen = lab.check(files, "python -m unittest", select={"tests": ("calc.py::calc.sub",)})
    assert chosen.inventory == ("calc.py::calc.sub",)


def test_classes_that_a_function_makes_under_one_name_are_told_apart(lab: Any) -> None:
    made = """
        import unittest

        def make(expected):
            class Made(unittest.TestCase):
                def test_it(self):
                    self.assertEqual(expected, 2)
            return Made

        One, Two, Three = make(1), make(2), make(3)
        """
    result = lab.check({"test_made.py": made}, "python -m unittest")
    name = "test_made.py::make::<locals>::Made::test_it"
    assert result.inventory == (name, f"{name} (2)", f"{name} (3)")
    assert [f.subject for f in result.failures] == [name, f"{name} (2)"]  # unittest loads `One`, `Three`, `Two`
    chosen = lab.check({"test_made.py": made}, "python -m unittest", select={"tests": (f"{name} (3)",)})
    assert chosen.inventory == chosen.passed == (f"{name} (3)",)


def test_a_module_that_is_not_there_is_not_placed_in_unittests_own_code(lab: Any) -> None:
    (failure,) = lab.check({"a.py": "x = 1\n"}, "python -m unittest gone").failures
    assert (failure.subject, failure.kind, failure.file) == ("gone", "ModuleNotFoundError", None)
