"""What a tool prints when it had nothing to run, as it was seen; and what it prints when it had."""

import pytest

from trueup.evidence.no_tests import says_no_tests

NOTHING = {
    "rspec": "No examples found.\n\n\nFinished in 0.0008 seconds (files took 0.6 seconds to load)\n0 examples, 0 failures\n",
    "minitest": "Finished in 0.0005s, 0.0 runs/s.\n\n0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n",
    "phpunit": "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n\x1b[30;43mNo tests executed!\x1b[0m\n",
    "junit 4": "JUnit version 4.13.2\n\nTime: 0.004\n\nOK (0 tests)\n",
    "surefire": "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n",
    "surefire, no folder": "[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n",
    "ctest": "Test project /tmp/build\nNo tests were found!!!\n",
    "googletest": "[==========] Running 0 tests from 0 test suites.\n[==========] 0 tests from 0 test suites ran. (0 ms total)\n[  PASSED  ] 0 tests.\n",
    "junit 5": "[         0 tests found           ]\r\n[         0 tests failed          ]\r\n",
    "prove": "Files=0, Tests=0,  0 wallclock secs ( 0.00 usr +  0.00 sys =  0.00 CPU)\nResult: NOTESTS\n",
    "tap": "1..0\n",
    "tap, all left out": "1..0 # SKIP no database\n",
    "dotnet": "No test is available in /w/bin/Shop.dll. Make sure that test discoverer & executors are registered\n",
    "dotnet, filter": "No test matches the given testcase filter `Name=Gone` in /w/bin/Shop.dll\n",
}
SOMETHING = {
    "rspec": "2 examples, 0 failures\n",
    "minitest": "1 runs, 1 assertions, 0 failures, 0 errors, 0 skips\n",
    "phpunit": "OK (10 tests, 20 assertions)\n",
    "ctest": "100% tests passed, 0 tests failed out of 10\n",
    "googletest": "[==========] 1 test from 1 test suite ran. (0 ms total)\n",
    "prove": "Files=1, Tests=10,  0 wallclock secs\nResult: PASS\n",
    "test-unit": "1 test, 1 assertion, 0 failures, 0 errors\n",
    "dotnet": "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12\n",
    "dotnet 3.1": "Test Run Successful.\nTotal tests: 1\n     Passed: 1\n",
    "cargo": "test result: ok. 14 passed; 0 failed; 0 ignored\n",
    "automake": "# TOTAL: 2\n# PASS:  2\n",
    "unittest": "Ran 3 tests in 0.002s\n\nOK\n",
    "pytest": "3 passed in 0.12s\n",
    "jest": "Tests:       1 skipped, 4 passed, 5 total\n",
    "mocha": "  2 passing (5ms)\n",
}


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_a_tool_that_ran_nothing_says_so(text: str) -> None:
    assert says_no_tests(text)


@pytest.mark.parametrize("text", SOMETHING.values(), ids=SOMETHING)
def test_one_that_ran_something_does_not(text: str) -> None:
    assert not says_no_tests(text)


@pytest.mark.parametrize("name", SOMETHING)
def test_a_module_without_tests_beside_one_with_tests_is_nothing_to_speak_of(name: str) -> None:
    for nothing in NOTHING.values():
        assert not says_no_tests(nothing + SOMETHING[name])
        assert not says_no_tests(SOMETHING[name] + nothing)


def test_prose_about_tests_and_silence_say_nothing() -> None:
    assert not says_no_tests("")
    assert not says_no_tests("checked 12 files, 0 tests, no tests executed\n")
