"""Files that RSpec and PHPUnit cannot load, and PHPUnit's report, as the tools write them."""

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_report, failures_from_text

SOURCES = {
    "spec/calc_spec.rb": 'require "calc"\n',
    "calc.php": "<?php\nfunction add($a, $b {\n",
    "tests/CalcTest.php": "<?php\n\n\n  $this->assertSame(0, 1);\n",
}


def read(text: str) -> tuple[Failure, ...]:
    return failures_from_text("tests", text, exit_code=1, sources=SOURCES.get)


RSPEC = """
An error occurred while loading ./spec/calc_spec.rb.
Failure/Error: require "calc"

SyntaxError:
  /home/ci/a/calc.rb:2: syntax error, unexpected local variable or method, expecting ')'
# ./spec/calc_spec.rb:1:in `<top (required)>'
No examples found.


Finished in 0.00007 seconds (files took 0.62378 seconds to load)
0 examples, 0 failures, 1 error occurred outside of examples
"""


def test_a_spec_that_cannot_be_loaded_hides_its_examples() -> None:
    (failure,) = read(RSPEC)
    assert (failure.subject, failure.phase, failure.kind) == ("spec/calc_spec.rb", Phase.COLLECT, "SyntaxError")
    assert "calc.rb:2" in failure.message
    assert (failure.file, failure.line, failure.test) == ("spec/calc_spec.rb", 1, False)
    (other,) = read(
        "  1) no failure below\n     (nothing)\n\nFailure/Error\nAn error occurred while loading ./spec/calc_spec.rb.\nout of luck\n"
    )
    assert (other.kind, other.message, other.phase) == ("error", "out of luck", Phase.COLLECT)


PHP = r"""PHP Fatal error:  Uncaught ParseError: syntax error, unexpected token "{", expecting ")" in /home/ci/a/calc.php:2
Stack trace:
#0 /usr/share/php/PHPUnit/Util/FileLoader.php(66): include_once()
#1 {main}

Next PHPUnit\TextUI\RuntimeException: syntax error in /usr/share/php/PHPUnit/TextUI/Command.php:99
Stack trace:
#0 /usr/bin/phpunit(82): PHPUnit\TextUI\Command::main()
  thrown in /usr/share/php/PHPUnit/TextUI/Command.php on line 99
"""


def test_php_that_does_not_parse_is_a_failure_of_the_file() -> None:
    (failure,) = read(PHP)
    assert (failure.subject, failure.phase, failure.kind) == ("calc.php ParseError", Phase.COLLECT, "ParseError")
    assert (failure.file, failure.line) == ("calc.php", 2)
    assert all(f.phase is Phase.RUN for f in read(PHP.replace("PHPUnit", "Other").replace("ParseError", "Sorry")))


PHPUNIT = r"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="CalcTest" tests="1" failures="1">
  <testcase name="testA" class="CalcTest" classname="CalcTest" file="/home/ci/a/tests/CalcTest.php" line="3">
    <failure type="PHPUnit\Framework\ExpectationFailedException">CalcTest::testA
Failed asserting that 1 is identical to 0.

/home/ci/a/tests/CalcTest.php:4</failure>
  </testcase></testsuite></testsuites>
"""


def test_a_report_of_phpunit_tells_the_place_and_what_was_wrong() -> None:
    found = failures_from_report("tests", PHPUNIT, sources=SOURCES.get)
    assert found is not None
    (failure,) = found
    assert (failure.subject, failure.kind) == ("CalcTest::testA", "ExpectationFailedException")
    assert (failure.file, failure.line) == ("tests/CalcTest.php", 4)
    assert failure.message == "Failed asserting that 1 is identical to 0."


GOOGLETEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="Calc" tests="1" failures="1"><testcase name="Adds" classname="Calc">
  <failure message="tests/calc_test.cc:7&#x0A;Expected equality of these values:&#x0A;  add(1, 2)" type=""><![CDATA[tests/calc_test.cc:7
Expected equality of these values:
  add(1, 2)]]></failure>
</testcase></testsuite></testsuites>
"""


def test_a_report_of_googletest_tells_the_place() -> None:
    source = {"tests/calc_test.cc": "\n" * 6 + "  EXPECT_EQ(add(1, 2), 3);\n"}
    found = failures_from_report("tests", GOOGLETEST, sources=source.get)
    assert found is not None
    (failure,) = found
    assert (failure.file, failure.line, failure.source_line) == ("tests/calc_test.cc", 7, "EXPECT_EQ(add(1, 2), 3);")


SPEC = """\
Failures:

  1) Library#lend lends a book
     Failure/Error:
       book = Book.new(title: 'Momo')
       {0}{1}
       #<Double "desk"> received :lend
     # ./spec/desk_spec.rb:9:in `block (4 levels) in <top (required)>'

Finished in 0.02 seconds
"""


def test_all_the_lines_of_source_that_rspec_shows_are_the_failing_ones() -> None:
    def of(code: str, blank: str = "\n") -> Failure:
        (failure,) = failures_from_text("t", SPEC.format(code, blank), exit_code=1, sources=lambda _: None)
        return failure

    assert of("d.lend(3)\n").source_line == "book = Book.new(title: 'Momo') d.lend(3)"
    assert of("d.lend(3)\n").message == '#<Double "desk"> received :lend'
    assert of("d.lend(3)", "").source_line == "book = Book.new(title: 'Momo')"


def test_a_pending_example_that_works_is_a_failure_of_its_own() -> None:
    text = "Failures:\n\n  1) Library lends FIXED\n{0}     # ./spec/a_spec.rb:5\n\n{1}Finished in 0.02 seconds\n"
    said = "     Expected pending 'later' to fail. No error was raised.\n"
    slow = "Top 1 slowest examples (0.00061 seconds, 1.8% of total time):\n  Library lends\n"
    for told, message in ((text.format(said, ""), said.strip()), (text.format(said, slow), said.strip())):
        (failure,) = failures_from_text("t", told, exit_code=1, sources=lambda _: None)
        assert (failure.subject, failure.message, failure.source_line) == ("Library lends", message, None)
    (failure,) = failures_from_text("t", text.format("", ""), exit_code=1, sources=lambda _: None)
    assert (failure.subject, failure.message) == ("Library lends", "")


DOX = """\
PHPUnit 9.6.7 by Sebastian Bergmann and contributors.

Desk
 ✔ Opens
 ✘ Lends{0}

Time: 00:00.005, Memory: 6.00 MB

FAILURES!
Tests: 1, Assertions: 1, Failures: 1.
"""
PLAIN = """
   │
   │ Failed asserting that two strings are identical.
   │ --- Expected
   │ +++ Actual
   │ -b
   │
   │ /srv/here/DeskTest.php:11
   │
"""
COLOURED = """  2 ms
   ┐
   ├ Failed asserting that two strings are identical.
   ┊ ---·Expected
   ┊ +++·Actual
   ┊ -b
   │
   ╵ /srv/there/DeskTest.php:12
   ┴
"""


def test_phpunit_tells_the_same_failure_as_a_sentence_with_and_without_colours() -> None:
    told = [
        failures_from_text("t", DOX.format(body), exit_code=1, sources=lambda _: None) for body in (PLAIN, COLOURED)
    ]
    ((plain,), (coloured,)) = told
    assert (plain.subject, plain.kind, plain.file, plain.line) == (
        "Desk > Lends",
        "AssertionFailed",
        "DeskTest.php",
        11,
    )
    assert fingerprint(plain) == fingerprint(coloured)
