"""Which check does a shell command run?"""

from __future__ import annotations

import pytest

from trueup.decide.commands import Declared, Ran, ran
from trueup.decide.shell import steps_of

TESTS = (Declared(name="tests", command="pytest -q"),)
WHOLE, PART = Ran(check="tests"), Ran(check="tests", part=True)
HIDDEN = Ran(check="tests", speaks=False)
FOLLOWED = Ran(check="tests", speaks=False, last=False)
IF_PASSED = Ran(check="tests", speaks=False, if_passed=True, last=False)

DECLARED: list[tuple[str, Ran | None]] = [
    ("pytest -q", WHOLE),
    ("pytest", WHOLE),
    ("pytest -q --tb=short -v", WHOLE),
    ("cd /work && pytest -q", WHOLE),
    ("cd . && pytest -q", WHOLE),
    ("A=1 B='x y' pytest -q", WHOLE),
    ("env A=1 pytest -q", WHOLE),
    ("timeout 60 pytest -q", WHOLE),
    ("timeout -k 5 2m pytest -q", WHOLE),
    ("nice -n 10 time pytest -q", WHOLE),
    ("sudo -u me pytest -q", WHOLE),
    ("uv run pytest -q", WHOLE),
    ("uv run --with x --frozen pytest -q", WHOLE),
    ("poetry run python -m pytest -q", WHOLE),
    ("coverage run -m pytest -q", WHOLE),
    ("conda run -n env pytest -q", WHOLE),
    (".venv/bin/pytest -q", WHOLE),
    ("python3.11 -u -W error -m pytest -q", WHOLE),
    ("bash -lc 'cd /work && pytest -q'", WHOLE),
    ("/bin/bash -lc \"bash -c 'pytest -q'\"", WHOLE),
    ("pytest -q > out.txt", WHOLE),
    ("pytest \\\n  -q", WHOLE),
    ("echo first\npytest -q", WHOLE),
    ("(cd /work; pytest -q)", WHOLE),
    ("set -o pipefail; pytest -q 2>&1 | tee log", WHOLE),
    ("pytest -q 2>&1 | tail -20", HIDDEN),
    ("bash -lc 'pytest -q' | tail -3", HIDDEN),
    ("pytest -q; echo done", FOLLOWED),
    ("pytest -q || true", FOLLOWED),
    ("pytest -q &", HIDDEN),
    ("true || pytest -q", HIDDEN),
    ("pytest -q && ruff check", IF_PASSED),
    ("pytest -q && echo ok && ls", IF_PASSED),
    ("pytest -q && echo ok; ls", FOLLOWED),
    ("pytest -q tests/test_a.py", PART),
    ("pytest -q -k name", PART),
    ("pytest -q -x", PART),
    ("pytest -q --maxfail=1", PART),
    ("pytest -q --help", PART),
    ("pytest -q --version", PART),
    ("pytest -q --collect-only", PART),
    ("pytest -q --an-option-that-nobody-knows", PART),
    ("pytest -q -vv -rA -n4 --color=yes --durations=5 --no-header", WHOLE),
    ("cd sub && pytest -q", PART),
    ("pytest -q tests/a.py; pytest -q", WHOLE),
    ("pytest -q; pytest -q tests/a.py", PART),
    ("cat pytest.ini", None),
    ("echo 'pytest -q'", None),
    ("pip install pytest", None),
    ("cat > run.sh <<'EOF'\npytest -q\nEOF", None),
    ("cat <<EOF > a; pytest -q\ntext pytest\nEOF", WHOLE),
    ("bash run.sh pytest", None),
    ("python -c 'import pytest'", None),
    ("python", None),
    ("ls", None),
    ("", None),
    ("pytest 'unfinished", WHOLE),
    ("uv pytest", None),
    ("npx", None),
    ("; pytest -q", WHOLE),
    ("# don't worry\npytest -q", WHOLE),
    ("(cd /work && pytest -q) &", HIDDEN),
    ("(pytest -q) ; ls", FOLLOWED),
    ("{ pytest -q; } | tail -3", HIDDEN),
    ("if pytest -q; then echo fine; fi", FOLLOWED),
    ("! pytest -q", None),
    ("echo $(pytest -q)", HIDDEN),
    ("echo `pytest -q`", None),
    ("cd $(git rev-parse --show-toplevel) && pytest -q", HIDDEN),
    ("bash", None),
    ("A=1; pytest -q", WHOLE),
    ("cd /work && cd && pytest -q; cd /", FOLLOWED),
]


@pytest.mark.parametrize(("command", "expected"), DECLARED)
def test_a_declared_check_is_recognised_behind_what_wraps_it(command: str, expected: Ran | None) -> None:
    assert ran(command, TESTS) == expected


def test_a_check_in_another_folder_is_only_a_part_when_the_folder_is_known() -> None:
    assert ran("cd /elsewhere && pytest -q", TESTS, root="/work") == PART
    assert ran("cd /work/ && pytest -q", TESTS, root="/work") == WHOLE


def test_a_check_that_moves_itself_is_the_whole_check_there() -> None:
    backend = (Declared(name="tests", command="cd backend && pytest -q"),)
    assert ran("cd backend && pytest -q", backend) == WHOLE
    assert ran("cd frontend && pytest -q", backend) == PART


def test_a_place_inside_what_was_declared_is_a_part() -> None:
    declared = (Declared(name="tests", command="pytest tests"),)
    assert ran("pytest tests", declared) == WHOLE
    assert ran("pytest tests/test_a.py", declared) == PART
    assert ran("pytest tests::x", declared) == PART
    assert ran("pytest other", declared) is None


def test_a_check_of_several_commands_needs_all_of_them() -> None:
    both = (Declared(name="all", command="ruff check . && pytest -q"),)
    assert ran("ruff check . && pytest -q", both) == Ran(check="all")
    assert ran("pytest -q", both) is None
    assert ran("pytest -q && ruff check .", both) is None


def test_of_two_checks_the_one_that_ran_in_full_counts() -> None:
    two = (Declared(name="some", command="pytest tests/a"), Declared(name="these", command="pytest tests/a tests/b"))
    assert ran("pytest tests/a tests/b", two) == Ran(check="these")
    assert ran("pytest tests/a", two) == Ran(check="some")


def test_a_program_has_one_name_however_it_is_called() -> None:
    script = (Declared(name="own", command="./check.sh"),)
    assert ran("bash check.sh", script) == Ran(check="own")
    assert ran("sh ./tools/check.sh", script) is None
    assert ran("/work/check.sh", script) == Ran(check="own")
    python = (Declared(name="own", command="/usr/bin/python3 -S check.py"),)
    assert ran("python3.12 check.py", python) == Ran(check="own")


def test_a_script_is_the_same_with_or_without_run() -> None:
    declared = (Declared(name="js", command="npm test"),)
    assert ran("npm run test", declared) == Ran(check="js")
    assert ran("npm run build", declared) is None


@pytest.mark.parametrize(
    ("command", "called", "part"),
    [
        ("python3 -S check.py", "python3 -S check.py --help", True),
        ("python3 -S check.py", "python3 -S check.py -v", True),
        ("python3 -S check.py", "python3 -S check.py --verbose", False),
        ("make test", "make -n test", True),
        ("make test", "make -q test", True),
        ("make test", "make -j4 test", False),
        ("cargo test", "cargo test --no-run", True),
        ("cargo test", "cargo test -v", False),
        ("go test ./...", "go test -n ./...", True),
        ("go test ./...", "go test -v -count=1 ./...", False),
        ("tsc -p .", "tsc -v -p .", True),
        ("npm test", "npm test -- --silent", False),
    ],
)
def test_an_option_that_nobody_asked_for_makes_a_pass_a_part_unless_it_only_shows(
    command: str, called: str, part: bool
) -> None:
    found = ran(called, (Declared(name="own", command=command),))
    assert found is not None
    assert found.part is part


def test_a_check_that_only_sets_something_is_never_recognised() -> None:
    assert ran("cd x", (Declared(name="odd", command="cd x"),)) is None


COMMON = [
    ("python -m unittest -q 2>&1 | tail -20", "unittest -q"),
    ("./mvnw compile", "mvnw compile"),
    ("cd app && npm run test -- -t x", "npm test -- -t x"),
    ("yarn build", "yarn build"),
    ("npx jest", "jest"),
    ("go test ./...", "go test ./..."),
    ("cargo clippy", "cargo clippy"),
    ("python tests/runtests.py admin", "python tests/runtests.py admin"),
    ("make", "make"),
    ("ruff check .", "ruff check ."),
    ("pytest && ls", "pytest"),
]


@pytest.mark.parametrize(("command", "check"), COMMON)
def test_common_commands_are_checks_where_none_is_declared(command: str, check: str) -> None:
    found = ran(command)
    assert found is not None
    assert found.check == check


@pytest.mark.parametrize(
    "command", ["ls", "echo make it", "grep test x", "git checkout main", "npm install", "vi test.py"]
)
def test_other_commands_are_none(command: str) -> None:
    assert ran(command) is None


def test_shells_in_shells_are_looked_into_only_so_far() -> None:
    command = "pytest"
    for _ in range(5):
        command = f"bash -c {command!r}" if "'" not in command else f'bash -c "{command}"'
    assert [step.words[0] for step in steps_of("bash -c 'bash -c pytest'")] == ["pytest"]
    assert all(step.words[0] in {"bash", "pytest"} for step in steps_of(command))


def test_a_very_long_command_is_looked_at_only_in_its_beginning() -> None:
    assert ran("echo " + "x" * 10_000 + "; pytest -q", TESTS) is None
