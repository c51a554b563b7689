"""The command that shows one failure again, of tools that only print: the check's own, with one name more."""

from __future__ import annotations

from typing import Any

import pytest

RSPEC = """\
F

Failures:

  1) Cart adds (twice)
     Failure/Error: expect(add(1, 2)).to eq(3)

       expected: 3
            got: -1
     # ./spec/cart_spec.rb:7:in `block (2 levels) in <top (required)>'

1 example, 1 failure
"""
PHPUNIT = """\
PHPUnit 9.5.28

There was 1 failure:

1) Shop\\CartTest::testAdds with data set #1 (1, 2, 3)
Failed asserting that -1 matches expected 3.

tests/CartTest.php:9

FAILURES!
Tests: 2, Assertions: 2, Failures: 1.
"""
CTEST = """\
Test project build
    Start 1: adds.up
1/1 Test #1: adds.up ..........................***Failed    0.01 sec

0% tests passed, 1 tests failed out of 1

The following tests FAILED:
\t  1 - adds.up (Failed)
Errors while running CTest
"""
GRADLE = "CartTest > adds FAILED\n    java.lang.AssertionError at CartTest.java:9\n\n1 test completed, 1 failed\n"


def repro(lab: Any, program: str, said: str, command: str) -> str | None:
    """Of the one failure that a program of this name tells, called by this command."""
    files = {f"bin/{program}": "cat said.txt; exit 1\n", "said.txt": said}
    (failure,) = lab.check(files, f"chmod +x bin/*; {command}").failures
    found: str | None = failure.repro
    return found


@pytest.mark.parametrize(
    ("program", "said", "command", "shown"),
    [
        ("rspec", RSPEC, "bin/rspec -I lib spec", "bin/rspec -I lib spec -e 'Cart adds (twice)'"),
        ("rspec", RSPEC, "MODE=a bin/rspec", "MODE=a bin/rspec -e 'Cart adds (twice)'"),
        (
            "phpunit",
            PHPUNIT,
            "bin/phpunit tests",
            "bin/phpunit tests --filter '/CartTest::testAdds with data set #1$/'",
        ),
        ("ctest", CTEST, "bin/ctest --test-dir build", "bin/ctest --test-dir build -R '^adds\\.up$'"),
        ("gradlew", GRADLE, "bin/gradlew -q test", "bin/gradlew -q test --tests CartTest.adds"),
    ],
)
def test_the_command_names_the_one_test(lab: Any, program: str, said: str, command: str, shown: str) -> None:
    assert repro(lab, program, said, command) == shown


def test_what_only_a_shell_understands_is_not_repeated(lab: Any) -> None:
    assert repro(lab, "rspec", RSPEC, 'bin/rspec "$PWD"') is None


def test_where_two_tools_may_have_said_it_nobody_guesses(lab: Any) -> None:
    assert repro(lab, "rspec", RSPEC, "true || ctest; bin/rspec") is None


def test_another_task_than_the_tests_has_no_such_command(lab: Any) -> None:
    assert repro(lab, "gradlew", GRADLE, "bin/gradlew assemble") is None


MINITEST = """\
  1) Failure:
CartTest#test_adds [test/cart_test.rb:9]:
Expected: 3
  Actual: -1

2 runs, 2 assertions, 1 failures, 0 errors, 0 skips
"""
GTEST = """\
[==========] Running 1 test from 1 test suite.
[ RUN      ] Cart.Adds
cart_test.cc:9: Failure
Expected equality of these values:
  add(1, 2)
    Which is: -1
  3
[  FAILED  ] Cart.Adds (0 ms)
[==========] 1 test from 1 test suite ran. (0 ms total)
[  PASSED  ] 0 tests.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Cart.Adds

 1 FAILED TEST
"""
JAVAC = "Cart.java:3: error: cannot find symbol\n        return nowhere;\n               ^\n1 error\n"
KOTLINC = "cart.kt:3:10: error: unresolved reference 'nowhere'.\n    return nowhere\n           ^^^^^^^\n"
MSBUILD = "Cart.cs(3,10): error CS0103: The name 'nowhere' does not exist [/w/Shop.csproj]\n"
TSC = "cart.ts(3,10): error TS2304: Cannot find name 'nowhere'.\n"


@pytest.mark.parametrize(
    ("program", "said", "command", "shown"),
    [
        ("ruby", MINITEST, "bin/ruby -Itest test/cart_test.rb", "bin/ruby -Itest test/cart_test.rb -n 'CartTest#test_adds'"),
        ("ruby", MINITEST, "bin/ruby -Itest -e 1", None),
        ("cart_test", GTEST, "bin/cart_test --gtest_shuffle", "bin/cart_test --gtest_shuffle --gtest_filter=Cart.Adds"),
        ("cart_test", GTEST, "true || bin/others; bin/cart_test", None),
        ("cart_test", GTEST, "bin/cart_test $FLAGS", None),
        ("javac", JAVAC, "bin/javac -d out Cart.java", "bin/javac -d out Cart.java"),
        ("javac", JAVAC, "true || bin/javac Other.java; bin/javac Cart.java", None),
        ("javac", JAVAC, "bin/javac *.java", None),
        ("tsc", TSC, "cd bin && cat ../said.txt; cd .. && bin/tsc -p .", "bin/tsc -p ."),
        ("tsc", JAVAC, "bin/tsc -p .", None),
        ("kotlinc", KOTLINC, "bin/kotlinc cart.kt -d out", "bin/kotlinc cart.kt -d out"),
        ("dotnet", MSBUILD, "bin/dotnet build -v q", "bin/dotnet build -v q"),
        ("dotnet", MSBUILD, "bin/dotnet restore || true; bin/dotnet build", None),
    ],
)  # fmt: skip
def test_programs_of_tests_and_compilers_are_called_as_the_check_calls_them(
    lab: Any, program: str, said: str, command: str, shown: str | None
) -> None:
    assert repro(lab, program, said, command) == shown


def test_where_two_commands_may_have_told_a_failure_none_is_shown(lab: Any) -> None:
    assert repro(lab, "rspec", RSPEC, "true || bin/rspec spec/b; bin/rspec spec/a") is None
    assert repro(lab, "rspec", RSPEC, "false && bin/rspec; bin/rspec") == "bin/rspec -e 'Cart adds (twice)'"
