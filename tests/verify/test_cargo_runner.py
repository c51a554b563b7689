"""What is made of the lines of cargo and nextest; the real tool is driven in tests/runners."""

from __future__ import annotations

import os
import stat
from typing import Any

import pytest

from trueup.evidence.report import CheckStatus, SeenBy, Strength
from trueup.verify.runners import cargo_runner
from trueup.verify.runners.cargo_runner import CargoRunner

PROJECT = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
    "crates/one/Cargo.toml": '[package]\nname = "crate-one"\n',
    "crates/one/src/lib.rs": "fn a() {}\nassert!(false);\n",
    "crates/one/tests/it.rs": "\n",
    "crates/two/Cargo.toml": '[package]\nname = "two"\n',
    "crates/two/src/lib.rs": "\n",
    "crates/broken/Cargo.toml": "not [ toml",
}
ONE = """\
     Running unittests src/lib.rs (target/debug/deps/crate_one-0123456789abcdef)

running 3 tests
test tests::bad ... FAILED
test tests::good ... ok
test tests::later ... ignored, slow

failures:

---- tests::bad stdout ----

thread 'tests::bad' (123) panicked at crates/one/src/lib.rs:2:5:
assertion failed: false
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    tests::bad

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s

"""
TWO = """\
     Running unittests src/lib.rs (target/debug/deps/two-0123456789abcdef)

running 1 test
test tests::good ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)

running 1 test
test whole - should panic ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests two

running 1 test
test crates/two/src/lib.rs - add (line 4) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.13s

"""
NEXTEST = """\
    Starting 2 tests across 1 binary (1 test skipped)
        PASS [   0.005s] two tests::good
        FAIL [   0.004s] two tests::bad
  stdout ───
    test tests::bad ... FAILED
    thread 'tests::bad' panicked at crates/one/src/lib.rs:2:5:
    assertion failed: false
────────────
     Summary [   0.010s] 2 tests run: 1 passed, 1 failed, 1 skipped
        FAIL [   0.004s] two tests::bad
error: test run failed
"""


@pytest.fixture
def cargo(lab: Any) -> Any:
    home = lab.base / "bin"
    home.mkdir()

    def run(said: str, code: int, command: str = "cargo test", **more: Any) -> Any:
        (home / "said").write_text(said)
        (home / "cargo").write_text(f'#!/bin/sh\necho "$@" > {home}/asked\ncat {home}/said\nexit {code}\n')
        (home / "cargo").chmod(stat.S_IRWXU)
        env = {**lab.env, "PATH": os.pathsep.join((str(home), lab.env["PATH"]))}
        result = lab.check(PROJECT, command, env=env, **more)
        run.asked = (home / "asked").read_text().split()  # type: ignore[attr-defined]
        return result

    return run


def test_every_program_of_a_workspace_is_told_apart_by_its_file(cargo: Any) -> None:
    result = cargo(ONE + TWO, 101)
    assert (result.status, result.strength, result.seen_by) == (CheckStatus.FAILED, Strength.INVENTORY, SeenBy.TEXT)
    assert result.inventory == (
        "crates/one/src/lib.rs::tests::bad",
        "crates/one/src/lib.rs::tests::good",
        "crates/one/src/lib.rs::tests::later",
        "crates/two/src/lib.rs::tests::good",
        "crates/one/tests/it.rs::whole",
        "crates/two/src/lib.rs - add",
    )
    assert len(result.passed) == 4
    assert result.skipped == ("crates/one/src/lib.rs::tests::later",)
    (failure,) = result.failures
    assert (failure.subject, failure.kind, failure.message) == (
        "crates/one/src/lib.rs::tests::bad",
        "panic",
        "assertion failed: false",
    )
    assert (failure.source_line, failure.test) == ("assert!(false);", True)
    assert failure.repro == "cargo test -p crate-one --lib -- --exact tests::bad"


def test_a_pass_needs_every_announced_test(cargo: Any) -> None:
    assert cargo(TWO, 0).status is CheckStatus.PASSED
    cut = cargo(TWO.replace("test tests::good ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored;", "", 1), 0)
    assert cut.status is CheckStatus.FAILED
    assert [(f.subject, f.kind, f.test) for f in cut.failures] == [("crates/two/src/lib.rs", "crash", False)]
    assert cut.passed == ("crates/one/tests/it.rs::whole", "crates/two/src/lib.rs - add")


@pytest.mark.parametrize("said", [TWO.replace("test tests::good ... ok", "."), TWO.replace("1 test\n", "2 tests\n")])
def test_lines_that_do_not_add_up_are_no_inventory(cargo: Any, said: str) -> None:
    result = cargo(said, 0)
    assert (result.status, result.inventory, result.strength) == (CheckStatus.PASSED, None, Strength.EXIT_CODE)


def test_no_tests_are_no_pass(cargo: Any) -> None:
    none = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
    result = cargo(none, 0)
    assert (result.status, result.reason) == (CheckStatus.ERROR, "no tests were collected")


def test_nextest_is_read_as_well(cargo: Any) -> None:
    result = cargo(NEXTEST, 100, "cargo nextest run")
    assert result.inventory == ("two::tests::good", "two::tests::bad")
    assert result.passed == ("two::tests::good",)
    assert [f.subject for f in result.failures] == ["two::tests::bad"]
    cut = cargo(NEXTEST.partition("     Summary")[0], 0, "cargo nextest run")
    assert cut.status is CheckStatus.FAILED


def test_a_build_error_stays_the_compilers(cargo: Any) -> None:
    said = "error[E0425]: cannot find function `x`\n --> crates/one/src/lib.rs:1:1\n  |\n\nerror: could not compile\n"
    result = cargo(said, 101)
    assert ("E0425", "build") in {(f.kind, f.phase.value) for f in result.failures}
    assert result.inventory is None


def test_all_programs_run_only_where_everything_has_to_be_seen(cargo: Any) -> None:
    cargo(TWO, 0)
    assert cargo.asked == ["test"]
    cargo(TWO, 0, "cargo +nightly test --all -- --nocapture", keep_going=True)
    assert cargo.asked == ["+nightly", "test", "--no-fail-fast", "--all", "--", "--nocapture"]
    cargo(TWO, 0, "cargo build", keep_going=True)
    assert cargo.asked == ["build"]


@pytest.mark.parametrize(
    ("argv", "ids", "chosen"),
    [
        (("cargo", "test"), ("src/lib.rs::tests::a",), ("cargo", "test", "--", "--exact", "tests::a")),
        (
            ("cargo", "test", "--all", "--", "--nocapture"),
            ("src/lib.rs::a", "tests/it.rs::a"),
            ("cargo", "test", "--all", "--", "--nocapture", "--exact", "a"),
        ),
        (("cargo", "test"), ("src/lib.rs - add",), None),
        (("cargo", "nextest", "run"), ("two::a",), None),
        (("make", "test"), ("src/lib.rs::a",), None),
    ],
)
def test_single_tests_are_chosen_by_their_exact_names(argv: Any, ids: Any, chosen: Any) -> None:
    assert CargoRunner().select(argv, ids) == chosen


@pytest.mark.parametrize(
    ("argv", "recognised"),
    [
        (("cargo", "test"), True),
        (("/home/me/.cargo/bin/cargo", "+nightly", "t"), True),
        (("cargo", "nextest", "run"), True),
        (("cargo", "nextest", "list"), False),
        (("cargo", "build"), False),
        ((), False),
    ],
)
def test_only_test_runs_are_recognised(argv: tuple[str, ...], recognised: bool) -> None:
    assert CargoRunner().recognises(argv) is recognised


def test_failing_tests_of_one_name_in_two_programs_count_twice_also_where_cargo_is_quiet(cargo: Any) -> None:
    kept = [line for line in ONE.split("\n") if not line.startswith(("     Running", "test tests::"))]
    quiet = "\n".join(kept).replace("running 3 tests", "running 3 tests\n.i\ntests::bad --- FAILED")
    result = cargo(quiet + quiet.replace("crates/one", "crates/two"), 101, "cargo test -q --no-fail-fast")
    assert [(f.subject, f.file) for f in result.failures] == [
        ("tests::bad", "crates/one/src/lib.rs"),
        ("tests::bad", "crates/two/src/lib.rs"),
    ]


@pytest.mark.parametrize(
    ("owner", "target"),
    [
        ("src/lib.rs", ("--lib",)),
        ("tests/api.rs", ("--test", "api")),
        ("tests/api/main.rs", ("--test", "api")),
        ("src/bin/tool.rs", ("--bin", "tool")),
        ("examples/show.rs", ("--example", "show")),
        ("src/main.rs", ()),
    ],
)
def test_the_program_of_a_test_is_named(owner: str, target: tuple[str, ...]) -> None:
    assert cargo_runner._target(owner) == target
