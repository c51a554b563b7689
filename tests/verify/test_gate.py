"""How the gate turns commands into a report."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from trueup.act.process import Cancelled, Processes
from trueup.decide.task import CheckSpec
from trueup.errors import UnverifiableError
from trueup.evidence.report import CheckStatus, Strength
from trueup.verify.gate import run_checks
from trueup.verify.wording import describe

PROJECT = {"main.txt": "hello\n"}
BAD = "sh -c 'echo cannot do it; exit 3'"


def test_a_check_that_exits_with_0_passes_with_the_weakest_strength(lab: Any) -> None:
    report = lab.report(PROJECT, "cat main.txt")
    (result,) = report.results
    assert result.status is CheckStatus.PASSED
    assert (result.strength, result.inventory, result.exit_code) == (Strength.EXIT_CODE, None, 0)
    assert result.command == "cat main.txt"
    assert (lab.base / "logs" / result.log).read_text() == "hello\n"
    assert report.all_passed
    assert not report.void
    assert all(r.ran for r in report.results)
    assert lab.said == ["tests: cat main.txt", "tests: passed, exit code 0"]


def test_a_failed_check_that_nobody_understands_has_one_failure(lab: Any) -> None:
    result = lab.check(PROJECT, "sh -c 'echo blub; exit 3'")
    assert result.status is CheckStatus.FAILED
    assert result.exit_code == 3
    (failure,) = result.failures
    assert (failure.subject, failure.test) == ("", False)
    assert "blub" in failure.excerpt


def test_a_shell_text_runs_as_the_user_wrote_it(lab: Any) -> None:
    result = lab.check(PROJECT, "test -f main.txt && echo $((40 + 2)) | grep -q 42")
    assert result.status is CheckStatus.PASSED


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("no-such-tool --all", "no-such-tool"),
        ("no-such-tool | cat; exit 127", "no-such-tool"),
        ("./main.txt", "main.txt"),
        ("python -m no_such_module", "no_such_module"),
        ("sh -c 'exit 127'", "sh"),
    ],
)
def test_a_tool_that_is_missing_is_an_error_that_names_it(lab: Any, command: str, named: str) -> None:
    report = lab.report(PROJECT, command)
    (result,) = report.results
    assert result.status is CheckStatus.ERROR
    assert named in result.reason
    assert result.failures == ()
    assert not result.ran


def test_a_pytest_that_is_not_installed_is_an_error(lab: Any) -> None:
    env = {**lab.env, "PATH": "/usr/bin:/bin"}
    result = lab.check(PROJECT, "pytest -q", env=env)
    assert result.status is CheckStatus.ERROR
    assert "pytest" in result.reason


@pytest.mark.parametrize(
    ("files", "command", "reason"),
    [
        ({"test_a.py": "x = 1\n"}, "pytest -q", "no tests were collected"),
        ({"test_a.py": "x = 1\n"}, "pytest -q; true", "no tests were collected"),
        ({"test_a.py": "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n"}, "pytest -q", "no test ran"),
        ({"test_a.py": "def test_a(): pass\n"}, "pytest -q --collect-only", "no test ran"),
    ],
)
def test_exit_code_0_without_a_test_that_ran_is_an_error(
    lab: Any, files: dict[str, str], command: str, reason: str
) -> None:
    result = lab.check(files, command)
    assert result.status is CheckStatus.ERROR
    assert reason in result.reason


def test_a_pytest_that_leaves_no_report_is_an_error_although_it_exits_with_0(lab: Any) -> None:
    fake = lab.base / "bin" / "pytest"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho '1 passed'\n")
    fake.chmod(0o755)
    result = lab.check(PROJECT, "pytest -q", env={**lab.env, "PATH": f"{fake.parent}:/usr/bin:/bin"})
    assert result.status is CheckStatus.ERROR
    assert "no report" in result.reason


def test_a_usage_error_of_pytest_is_a_failure_to_repair(lab: Any) -> None:
    result = lab.check({"test_a.py": "def test_a(): pass\n"}, "pytest -q no_such_folder")
    assert result.status is CheckStatus.FAILED
    assert "no_such_folder" in result.failures[0].excerpt


def test_a_failure_after_the_tests_passed_is_not_lost(lab: Any) -> None:
    result = lab.check({"test_a.py": "def test_a(): pass\n"}, "pytest -q && echo 'error: no coverage' && exit 2")
    assert result.status is CheckStatus.FAILED
    assert result.passed == ("test_a.py::test_a",)
    assert len(result.failures) == 1


def test_a_timeout_keeps_what_was_seen_and_adds_itself(lab: Any) -> None:
    files = {
        "test_a.py": """
            import time
            def test_bad(): assert False
            def test_good(): pass
            def test_slow():
                open("reached", "w").close()
                time.sleep(600)
        """
    }
    for seconds in (4.0, 15.0, 60.0):  # the last test must have been reached, however busy the machine is
        result = lab.check(files, timeouts={"tests": seconds})
        if (lab.bench.folder / "reached").exists():
            break
    assert result.status is CheckStatus.TIMEOUT
    assert "test_slow" in result.reason
    assert [(f.subject, f.kind) for f in result.failures] == [
        ("test_a.py::test_bad", "AssertionError"),
        ("", "timeout"),
    ]
    assert not result.failures[-1].test
    assert result.passed == ("test_a.py::test_good",)


def test_a_timeout_of_an_unknown_command_has_one_failure(lab: Any) -> None:
    result = lab.check(PROJECT, "sh -c 'echo waiting; sleep 600'", timeouts={"tests": 0.3})
    assert result.status is CheckStatus.TIMEOUT
    assert [(f.kind, f.message) for f in result.failures] == [("timeout", "not finished in time")]


def test_all_checks_of_a_stage_run_and_a_failing_stage_stops_the_later_ones(lab: Any) -> None:
    checks = (
        CheckSpec(name="types", run=BAD),
        CheckSpec(name="lint", run="true"),
        CheckSpec(name="tests", run="true", after=("types",)),
        CheckSpec(name="slow", run="true", after=("tests",)),
    )
    report = lab.report(PROJECT, *checks)
    assert [(r.check, r.status.value) for r in report.results] == [
        ("types", "failed"),
        ("lint", "passed"),
        ("tests", "skipped"),
        ("slow", "skipped"),
    ]
    assert "types did not pass" in report.results[2].reason
    assert not report.results[2].ran
    everything = lab.report(PROJECT, *checks, every_stage=True)
    assert [r.status.value for r in everything.results] == ["failed", "passed", "passed", "passed"]


def test_only_the_chosen_checks_run(lab: Any) -> None:
    checks = (CheckSpec(name="types", run=BAD), CheckSpec(name="tests", run="true", after=("types",)))
    report = lab.report(PROJECT, *checks, select={"tests": ("",)})
    assert [(r.check, r.status.value) for r in report.results] == [("tests", "passed")]
    assert lab.report(PROJECT, *checks, select={"gone": ("",)}).void


def test_a_file_of_the_tree_that_is_written_during_a_check_voids_the_report(lab: Any) -> None:
    report = lab.report(PROJECT, "sh -c 'echo bye > main.txt; echo new > other.txt'")
    assert report.void == "written while tests ran: main.txt"
    assert report.rewritten == ("main.txt",)
    assert not report.all_passed


def test_a_file_that_was_swapped_and_put_back_voids_the_report(lab: Any) -> None:
    swap = "cp -p main.txt kept; echo bad > main.txt; cat kept > main.txt; touch -r kept main.txt"
    assert "main.txt" in lab.report(PROJECT, swap).void


def test_a_file_that_was_swapped_before_the_check_began_voids_the_report_and_is_put_back(lab: Any) -> None:
    tree = lab.load(PROJECT)
    (lab.bench.folder / "main.txt").write_text("bad\n")
    report = lab.run(tree, lab.request("grep -q bad main.txt", "grep -q hello main.txt"))
    assert report.void == "somebody else wrote to main.txt just before tests ran"
    assert [result.status for result in report.results] == [CheckStatus.PASSED, CheckStatus.PASSED]
    again = lab.run(tree, lab.request("grep -q hello main.txt"))
    assert again.void == ""


def test_a_file_that_was_swapped_before_one_check_and_put_back_before_the_next_is_seen(lab: Any) -> None:
    """The second check takes a new look, and must not see only what lies there by then."""
    tree = lab.load(PROJECT)
    main = lab.bench.folder / "main.txt"
    right = main.read_bytes()
    main.write_text("bad\n")

    def put_back(text: str) -> None:
        if text.startswith("tests: passed"):
            main.write_bytes(right)

    report = run_checks(
        lab.request("grep -q bad main.txt", "true"),
        bench=lab.bench,
        tree=tree,
        processes=lab.processes,
        sources=lab.sources,
        on_output=put_back,
    )
    assert "main.txt" in report.void


def test_a_folder_that_was_exchanged_and_put_back_with_its_times_moved_on_voids_the_report(lab: Any) -> None:
    files = {**PROJECT, "src/calc.txt": "wrong\n"}
    swap = "mv src aside; mkdir src; echo right > src/calc.txt; grep -q right src/calc.txt || exit 1"
    back = "rm -r src; mv aside src; touch src/new; rm src/new"
    assert "src/calc.txt" in lab.report(files, f"{swap}; {back}").void


def test_a_file_that_is_known_to_be_rewritten_is_put_back_before_the_next_check(lab: Any) -> None:
    report = lab.report(
        PROJECT, "sh -c 'echo bye > main.txt'", "grep -q hello main.txt", rewritten=frozenset({"main.txt"})
    )
    assert report.void == ""
    assert report.rewritten == ("main.txt",)
    assert report.all_passed


def test_an_environment_folder_that_changes_voids_the_report(lab: Any) -> None:
    site = lab.base / "site"
    site.mkdir()
    report = lab.report(PROJECT, f"touch {site}/planted.pth", sealed=(site,))
    assert "planted.pth" in report.void


@pytest.mark.parametrize(
    "touch",
    [
        "cd $TMPDIR/probe-*/probe && touch ruff.py",
        "for f in $TMPDIR/probe-*/probe/sitecustomize.py; do cp -p $f kept; echo >> $f; cat kept > $f; done",
        "for d in $TMPDIR/probe-*; do mkdir $d/x; rmdir $d/x; done",
        "mv $TMPDIR ../aside; mv ../aside $TMPDIR",
        "for f in $(find ../bytecode -name 'probe-*'); do rm $f; mkdir $f; done",
        "rm -r $TMPDIR/probe-*",
    ],
    ids=["planted", "written and restored", "added and removed", "moved", "bytecode", "removed"],
)
def test_touching_what_we_laid_beside_a_check_voids_the_report_whatever_is_known(lab: Any, touch: str) -> None:
    mine = "trueup's own probe"
    report = lab.report(PROJECT, touch, rewritten=frozenset({mine}))
    assert report.void == f"written while tests ran: {mine}"


def test_what_probes_record_and_temporary_files_void_nothing(lab: Any) -> None:
    report = lab.report(PROJECT, "touch $TMPDIR/mine; mkdir $TMPDIR/more; cd $TMPDIR/probe-*/records && touch x")
    assert (report.void, report.rewritten, report.all_passed) == ("", (), True)


def test_python_that_keeps_bytecode_beside_its_sources_keeps_none_of_ours(lab: Any) -> None:
    code = "import os, sitecustomize; print(sitecustomize.__file__)"
    report = lab.report(PROJECT, f"unset PYTHONPYCACHEPREFIX; python -c '{code}'")
    assert report.void == ""


def test_a_new_test_file_is_never_an_option(lab: Any) -> None:
    files = {"test_a.py": "def test_a(): pass\n", "--collect-only/test_b.py": "def test_b(): pass\n"}
    result = lab.check(files, ignore=("--collect-only/test_b.py",))
    (extra,) = result.extra
    assert extra.passed == ("--collect-only/test_b.py::test_b",)


def test_checks_use_the_benchs_own_temporary_and_bytecode_folders(lab: Any) -> None:
    result = lab.check(PROJECT, 'test "$TMPDIR" -ef ../tmp && test "$PYTHONPYCACHEPREFIX" -ef ../bytecode')
    assert result.status is CheckStatus.PASSED


def test_without_a_check_nothing_can_be_verified(lab: Any) -> None:
    with pytest.raises(UnverifiableError):
        lab.report(PROJECT)


def test_a_cancelled_check_makes_no_report(lab: Any) -> None:
    own = Processes()
    with own:
        tree = lab.load(PROJECT)
        request = replace(lab.request("sh -c 'touch began; sleep 600'"))

        def cancel_when_it_runs() -> None:
            while not (lab.bench.folder / "began").exists():
                threading.Event().wait(0.01)
            own.cancel()

        other = threading.Thread(target=cancel_when_it_runs)
        other.start()
        with pytest.raises(Cancelled):
            run_checks(request, bench=lab.bench, tree=tree, processes=own, sources=lab.sources)
        other.join()


def test_the_summary_of_a_result_counts_tests_once(lab: Any) -> None:
    result = lab.check({"test_a.py": "def test_a(): assert 0\ndef test_b(): pass\n"})
    assert describe(result) == "1 passed, 1 failed"
