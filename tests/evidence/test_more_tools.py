"""Linters, build tools, sanitizers, scripts and tools that nobody knows: is their failure known again, and told apart?"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from trueup.evidence.failure import Failure, Phase
from trueup.evidence.fingerprint import fingerprint
from trueup.evidence.text import failures_from_text, plain_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    text: str
    subject: str = ""
    kind: str
    again: Mapping[str, str] = field(default_factory=dict)
    """What another run in another place, after an edit above, prints instead."""
    other: Mapping[str, str]
    """What makes another failure of it."""


def read(text: str) -> tuple[Failure, ...]:
    return failures_from_text("check", text, exit_code=1, sources=lambda _: None)


def identities(text: str) -> Counter[str]:
    return Counter(map(fingerprint, read(text)))


def replaced(text: str, changes: Mapping[str, str]) -> str:
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


SHELLCHECK = """
In run.sh line 7:
rm $target
   ^-----^ SC2154 (warning): target is referenced but not assigned.
   ^-----^ SC2086 (info): Double quote to prevent globbing and word splitting.

Did you mean:
rm "$target"

For more information:
  https://www.shellcheck.net/wiki/SC2154 -- target is referenced but not assi...
"""
BANDIT = """\
Run started:2026-11-16 02:49:31.454892+00:00

Test results:
>> Issue: [B307:blacklist] Use of possibly insecure function - consider using safer ast.literal_eval.
   Severity: Medium   Confidence: High
   CWE: CWE-78 (https://cwe.mitre.org/data/definitions/78.html)
   More Info: https://bandit.readthedocs.io/en/1.9.4/blacklists/blacklist_calls.html#b307-eval
   Location: ./a.py:5:4
4\tdef run(x):
5\t    eval(x)
6\t    return x

--------------------------------------------------

Code scanned:
\tTotal lines of code: 4
Run metrics:
\tTotal issues (by severity):
\t\tUndefined: 0
"""
OXLINT = """
  ! eslint(no-unused-vars): Variable 'left' is declared but never used. Unused variables should start with a '_'.
   ,-[c.js:4:8]
 3 |   if (sum == 3) sum += 1;
 4 |  const left = 3; debugger;
   :        ^^|^
   :          `-- 'left' is declared here
 5 |   return sum;
   `----
  help: Consider removing this declaration.

Found 1 warning and 0 errors.
Finished in 326ms on 2 files with 96 rules using 2 threads.
"""
OXLINT_SYNTAX = """
  x Unexpected token
   ,-[s.js:2:10]
 1 | export function total(items) {
 2 |   sum += ;
   :          ^
   `----

Found 0 warnings and 1 error.
"""
BIOME = """\
c.js:3:11 lint/suspicious/noDoubleEquals  FIXABLE  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━

  × Using == may be unsafe if you are relying on type coercion.

  > 3 │   if (sum == 3) sum += 1;
      │           ^^

  i Unsafe fix: Use === instead.

Checked 2 files in 8ms. No fixes applied.
Found 1 error.
lint ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━

  × Some errors were emitted while running checks.
"""
ESBUILD = """\
✘ [ERROR] Could not resolve "./missing.js"

    i.js:1:7:
      1 │ import "./missing.js";
        ╵        ~~~~~~~~~~~~~~

1 error
"""
WEBPACK = """\
assets by status 280 bytes [cached] 1 asset
./i.js + 1 modules 178 bytes [built] [code generated]

WARNING in ./i.js 3:12-13
export 'a' (imported as 'a') was not found in './c.js' (possible exports: total)

ERROR in ./i.js 1:0-22
Module not found: Error: Can't resolve './missing.js' in '/home/ci/work/shop'
resolve './missing.js' in '/home/ci/work/shop'

webpack 5.112.2 compiled with 1 error and 1 warning in 2194 ms
"""
CMAKE = """\
CMake Error at CMakeLists.txt:3 (find_package):
  By not providing "FindAbsent.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file provided by "Absent", but
  CMake did not find one.

  Could not find a package configuration file provided by "Absent" with any
  of the following names:

    AbsentConfig.cmake

-- Configuring incomplete, errors occurred!
See also "/home/ci/work/shop/b/CMakeFiles/CMakeOutput.log".
"""
SQLFLUFF = """\
== [q.sql] FAIL
L:   1 | P:   1 | LT09 | Select targets should be on a new line unless there is
                       | only one select target. [layout.select_targets]
All Finished!
"""
YAMLLINT = """\
deploy.yml
  6:3       error    duplication of key "web" in mapping  (key-duplicates)

"""
STYLELINT_UNIX = """\
/home/ci/work/shop/site.css:5:10: Invalid hex color "#ab" (color-no-invalid-hex) [error]

1 problem (1 error, 0 warnings)
"""
COMPACT = '/home/ci/work/shop/site.css: line 5, col 10, error - Unknown property "colr" (property-no-unknown)\n'
HADOLINT = "Dockerfile:4 DL3003 warning: Use WORKDIR to switch to a directory\n"
HADOLINT_INFO = "Dockerfile:4 DL3059 info: Multiple consecutive `RUN` instructions.\n"
MARKDOWNLINT = 'README.md:4:5 error MD034/no-bare-urls Bare URL used [Context: "http://x.y"]\nSummary: 1 error(s)\n'
RUBOCOP = """\
Offenses:

c.rb:3:4: W: Lint/UselessAssignment: Useless assignment to variable - left.
   left = 3
   ^^^^

1 file inspected, 1 offense detected, 0 offenses autocorrectable
"""
SHELLCHECK_GCC = "run.sh:7:6: note: Double quote to prevent globbing and word splitting. [SC2086]\n"
MYPY_PRETTY = """\
c.py:5: error: Argument 2 to "get" of "dict" has incompatible type "str";
expected "int"  [arg-type]
        return items.get("a", "b")
                              ^~~
Found 1 error in 1 file (checked 1 source file)
"""
BLACK = """\
would reformat a.py

Oh no! 💥 💔 💥
1 file would be reformatted.
"""
PRETTIER = """\
Checking formatting...
[error] s.js: SyntaxError: Unexpected token (2:10)
[error]   1 | export function total(items) {
[error] > 2 |   sum += ;
[error]     |          ^
Error occurred when checking code style in the above file.
"""
FORTRAN = "src/solve.f77:12:5: error: Symbol 'x' at (1) has no IMPLICIT type\n"
ASAN = """\
=================================================================
==24459==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000020 at pc 0x55c4aff53299 bp 0x7ffcbdc95dd0
WRITE of size 4 at 0x602000000020 thread T0
    #0 0x7fe4c28b89cf in memset ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x55c4aff53298 in total /home/ci/work/shop/main.c:18
    #2 0x55c4aff532d5 in main /home/ci/work/shop/main.c:25

SUMMARY: AddressSanitizer: heap-buffer-overflow /home/ci/work/shop/main.c:18 in total
==24459==ABORTING
"""
TSAN = """\
==================
WARNING: ThreadSanitizer: data race (pid=25290)
  Read of size 4 at 0x555555558054 by thread T2:
    #0 work /home/ci/work/shop/main.c:5 (app+0x11d0)

  Location is global 'shared' of size 4 at 0x555555558054 (app+0x4054)

SUMMARY: ThreadSanitizer: data race /home/ci/work/shop/main.c:5 in work
==================
ThreadSanitizer: reported 1 warnings
"""
VALGRIND = """\
==26043== Memcheck, a memory error detector
==26043== Command: ./app
==26043==
==26043== 16 bytes in 1 blocks are definitely lost in loss record 1 of 1
==26043==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==26043==    by 0x10918D: total (main.c:14)
==26043==
==26043== LEAK SUMMARY:
==26043==    definitely lost: 16 bytes in 1 blocks
==26043==
==26043== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)
"""
RUBY = """\
run.rb:16:in `main': undefined method `discount' for main:Object (NoMethodError)

  discount(3)
  ^^^^^^^^
\tfrom run.rb:19:in `<main>'
"""
PHP = """\
PHP Warning:  Undefined variable $x in /home/ci/work/shop/run.php on line 2
PHP Fatal error:  Uncaught RuntimeException: the cart is empty in /home/ci/work/shop/run.php:4
Stack trace:
#0 /home/ci/work/shop/run.php(7): total()
#1 {main}
  thrown in /home/ci/work/shop/run.php on line 4
"""
PERL = "the cart is empty at run.pl line 6.\n"
BASH = "starting\nrun.sh: line 5: no-such-command: command not found\n"
JSON_LOG = (
    "\n".join(
        json.dumps(line)
        for line in (
            {"ts": 1794797473.18, "level": "info", "msg": "step done", "failed": False, "run": "e4697e26"},
            {"ts": 1794797473.19, "level": "error", "msg": "step is unknown", "file": "/home/ci/work/shop/steps.txt"},
            {"ts": 1794797473.20, "level": "warn", "msg": "slow"},
        )
    )
    + "\n"
)
ESLINT_JSON = (
    json.dumps(
        [
            {
                "filePath": "/home/ci/work/shop/src/cart.js",
                "messages": [
                    {"ruleId": "eqeqeq", "severity": 2, "message": "Expected '===' and instead saw '=='.", "line": 8},
                    {"ruleId": "prefer-const", "severity": 1, "message": "'sum' is never reassigned.", "line": 4},
                ],
                "source": "// a file is shown whole\n" * 200,
            }
        ]
    )
    + "\n"
)
BANNERS = """\
===============================================
  ACME Deploy Checker v4.2.1  (build 81e087a0, pid 20618)
===============================================
Started at 2026-11-16 02:51:08.956 in /home/ci/work/shop
[0/6] checking errors of shard 0 ... ok (1.28s)
  ERROR: certificate of gateway is expired
Finished in 3.84s, 1 problem found
"""
LOGGER = """\
2026-11-16 02:51:11.473 [INFO] loader (worker-4): row 0 ok, error rate 0.0%
2026-11-16 02:51:11.473 [WARN] loader (worker-6): missing hint
2026-11-16 02:51:11.473 [ERROR] loader (worker-9): column price is no number
2026-11-16 02:51:11.473 [INFO] main (worker-4): shutting down after 7.03s
"""
TABLE = """\
+--------------+--------+--------+---------------------------+
| schema       | OK     | 1.76s  | -                         |
| migrations   | FAIL   | 6.28s  | migration 0004 is absent  |
+--------------+--------+--------+---------------------------+
"""
TERRAFORM = """\
╷
│ Error: Invalid value for variable
│
│   on main.tf line 12, in resource "shop_bucket" "carts":
│   12:   region = var.region
│
│ The given value is not suitable.
╵
"""
MAKE = "echo compiling\ncompiling\nmake: *** No rule to make target 'absent.o', needed by 'app'.  Stop.\n"
QUIET = "shopctl 3.1\nloaded 41 plugins in 5.39s\nconnecting to the warehouse\nthe warehouse is closed today\n"
SYSLOG = """\
Nov 16 03:22:01 node3 shopd[812]: request served
Nov 16 03:22:02 node3 shopd[812]: lease was lost to node 4711
"""
LOGFMT = """\
time=1794797473.18 level=info caller=main.go:31 msg="retry after error" n=1
time=1794797473.19 level=error caller=main.go:31 msg="volume is read-only" after 12ms, all in 0.31s
"""
KILLED = "worker 21528 started\nOut of memory: Killed process 21528 (shop) total-vm:21528kB\n"

SAMPLES = {
    "shellcheck": Sample(
        text=SHELLCHECK,
        subject="run.sh SC2154",
        kind="SC2154",
        again={"line 7": "line 9"},
        other={"rm $target": "cp $target"},
    ),
    "shellcheck -f gcc": Sample(
        text=SHELLCHECK_GCC, subject="run.sh SC2086", kind="SC2086", again={":7:6": ":9:1"}, other={"SC2086": "SC2046"}
    ),
    "bandit": Sample(
        text=BANDIT,
        subject="a.py B307",
        kind="B307",
        again={"./a.py:5:4": "./a.py:9:4", "5\t    eval": "9\t    eval", "02:49:31": "03:11:12"},
        other={"eval(x)": "eval(y)"},
    ),
    "oxlint": Sample(
        text=OXLINT,
        subject="c.js eslint(no-unused-vars)",
        kind="eslint(no-unused-vars)",
        again={"c.js:4:8": "c.js:9:8", "326ms": "12ms"},
        other={"'left'": "'right'"},
    ),
    "oxlint, a syntax error": Sample(
        text=OXLINT_SYNTAX, subject="s.js", kind="error", again={":2:10": ":5:10"}, other={"Unexpected": "Expected `;`"}
    ),
    "biome": Sample(
        text=BIOME,
        subject="c.js lint/suspicious/noDoubleEquals",
        kind="lint/suspicious/noDoubleEquals",
        again={"c.js:3:11": "c.js:8:11", "> 3 │": "> 8 │"},
        other={"Using == may": "Using != may"},
    ),
    "esbuild": Sample(
        text=ESBUILD,
        subject="i.js",
        kind="error",
        again={"i.js:1:7": "i.js:4:7", "      1 │": "      4 │"},
        other={"./missing.js": "./absent.js"},
    ),
    "webpack": Sample(
        text=WEBPACK,
        subject="i.js webpack",
        kind="webpack",
        again={"1:0-22": "4:0-22", "/home/ci/work/shop": "/builds/other/shop", "2194 ms": "88 ms"},
        other={"./missing.js": "./absent.js"},
    ),
    "cmake": Sample(
        text=CMAKE,
        subject="CMakeLists.txt find_package",
        kind="find_package",
        again={"CMakeLists.txt:3": "CMakeLists.txt:8"},
        other={"Absent": "Missing"},
    ),
    "sqlfluff": Sample(
        text=SQLFLUFF, subject="q.sql LT09", kind="LT09", again={"L:   1": "L:  12"}, other={"LT09": "LT01"}
    ),
    "yamllint": Sample(
        text=YAMLLINT,
        subject="deploy.yml key-duplicates",
        kind="key-duplicates",
        again={"6:3 ": "9:3 "},
        other={'"web"': '"db"'},
    ),
    "stylelint, unix": Sample(
        text=STYLELINT_UNIX,
        subject="site.css color-no-invalid-hex",
        kind="color-no-invalid-hex",
        again={":5:10": ":8:10", "/home/ci/work": "/builds/7"},
        other={"#ab": "#zz"},
    ),
    "compact": Sample(
        text=COMPACT,
        subject="site.css property-no-unknown",
        kind="property-no-unknown",
        again={"line 5, col 10": "line 7, col 1"},
        other={"colr": "widht"},
    ),
    "hadolint": Sample(
        text=HADOLINT, subject="Dockerfile DL3003", kind="DL3003", again={":4": ":9"}, other={"DL3003": "DL3004"}
    ),
    "hadolint, a remark": Sample(
        text=HADOLINT_INFO, subject="Dockerfile DL3059", kind="DL3059", again={":4": ":9"}, other={"DL3059": "DL3015"}
    ),
    "markdownlint": Sample(
        text=MARKDOWNLINT, subject="README.md MD034", kind="MD034", again={":4:5": ":8:5"}, other={"x.y": "y.z"}
    ),
    "rubocop": Sample(
        text=RUBOCOP,
        subject="c.rb Lint/UselessAssignment",
        kind="Lint/UselessAssignment",
        again={":3:4": ":9:4"},
        other={"- left": "- right"},
    ),
    "mypy --pretty": Sample(
        text=MYPY_PRETTY,
        subject="c.py arg-type",
        kind="arg-type",
        again={"c.py:5": "c.py:9", 'type "str";\nexpected': 'type\n"str"; expected'},
        other={'expected "int"': 'expected "bytes"'},
    ),
    "black": Sample(text=BLACK, subject="a.py format", kind="format", other={"a.py": "b.py"}),
    "prettier": Sample(
        text=PRETTIER,
        subject="s.js syntax",
        kind="syntax",
        again={"(2:10)": "(5:10)", "> 2 |": "> 5 |"},
        other={"sum += ;": "sum -= ;"},
    ),
    "an unknown compiler": Sample(
        text=FORTRAN, subject="src/solve.f77", kind="error", again={":12:5": ":20:5"}, other={"'x'": "'y'"}
    ),
    "AddressSanitizer": Sample(
        text=ASAN,
        subject="main.c::total",
        kind="AddressSanitizer",
        again={"24459": "777", "0x602000000020": "0x602000000440", "main.c:18": "main.c:22"},
        other={"heap-buffer-overflow": "heap-use-after-free"},
    ),
    "ThreadSanitizer": Sample(
        text=TSAN,
        subject="main.c::work",
        kind="ThreadSanitizer",
        again={"25290": "31", "main.c:5": "main.c:9", "0x555555558054": "0x555555558abc"},
        other={"'shared'": "'other'"},
    ),
    "valgrind": Sample(
        text=VALGRIND,
        subject="main.c::total",
        kind="memory error",
        again={"26043": "31", "main.c:14": "main.c:20", "0x10918D": "0x10928D"},
        other={"16 bytes in 1 blocks are": "Invalid write of size 4, 8 bytes are"},
    ),
    "ruby": Sample(
        text=RUBY,
        kind="NoMethodError",
        again={"run.rb:16": "run.rb:20", "run.rb:19": "run.rb:23"},
        other={"`discount'": "`voucher'"},
    ),
    "php": Sample(
        text=PHP,
        kind="RuntimeException",
        again={"/home/ci/work/shop": "/builds/team/42", ":4\n": ":8\n", "on line 4": "on line 8"},
        other={"cart is empty": "cart is full"},
    ),
    "perl": Sample(text=PERL, subject="run.pl", kind="error", again={"line 6": "line 9"}, other={"empty": "full"}),
    "bash": Sample(
        text=BASH, subject="run.sh", kind="error", again={"line 5": "line 9"}, other={"no-such-command": "no-other-one"}
    ),
    "JSON lines": Sample(
        text=JSON_LOG,
        subject="steps.txt",
        kind="error",
        again={"1794797473": "1794797999", "e4697e26": "00000000", "/home/ci/work": "/builds/7"},
        other={"step is unknown": "step is empty"},
    ),
    "eslint -f json": Sample(
        text=ESLINT_JSON,
        subject="cart.js eqeqeq",
        kind="eqeqeq",
        again={'"line": 8': '"line": 9', "/home/ci/work": "/builds/7"},
        other={"eqeqeq": "no-undef"},
    ),
    "banners": Sample(
        text=BANNERS,
        kind="exit",
        again={
            "81e087a0": "dff862cc",
            "20618": "31",
            "shard 0 ... ok (1.28s)": "shard 1 ... ok (7.00s)",
            "3.84s": "2s",
        },
        other={"expired": "revoked"},
    ),
    "a logger": Sample(
        text=LOGGER,
        kind="exit",
        again={"02:51:11.473": "09:00:00.001", "worker-9": "worker-2", "row 0": "row 7", "missing": "another missing"},
        other={"price": "name"},
    ),
    "a table": Sample(
        text=TABLE,
        kind="exit",
        again={"6.28s  | migration 0004 is absent  |": "0.10s  | migration 0004 is absent         |", "1.76s": "2.00s"},
        other={"0004": "0005"},
    ),
    "terraform": Sample(
        text=TERRAFORM, kind="exit", again={"line 12": "line 31", "│   12:": "│   31:"}, other={"Invalid": "Missing"}
    ),
    "make": Sample(text=MAKE, kind="exit", again={"echo compiling\n": ""}, other={"absent.o": "missing.o"}),
    "no word for it": Sample(
        text=QUIET,
        kind="unparsed",
        again={"3.1\n": "3.1 on another host\n", "5.39s": "2.00s"},
        other={"closed": "open"},
    ),
    "syslog": Sample(
        text=SYSLOG,
        kind="unparsed",
        again={"03:22": "04:11", "node3": "node7", "[812]": "[31]"},
        other={"lost": "sold"},
    ),
    "logfmt": Sample(
        text=LOGFMT,
        kind="exit",
        again={"179479": "179480", "main.go:31": "main.go:77", "12ms": "9 ms", "0.31s\n": "2.0s\n"},
        other={"read-only": "full"},
    ),
    "out of memory": Sample(text=KILLED, kind="exit", again={"21528": "31"}, other={"(shop)": "(cart)"}),
}


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_one_failure_is_read_with_its_subject_and_kind(sample: Sample) -> None:
    (failure,) = [f for f in read(sample.text) if f.subject == sample.subject]
    assert failure.kind == sample.kind
    assert not failure.test


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_it_is_the_same_elsewhere_and_after_an_edit_above(sample: Sample) -> None:
    assert identities(replaced(sample.text, sample.again)) == identities(sample.text)


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_another_failure_of_the_same_file_is_another(sample: Sample) -> None:
    assert identities(replaced(sample.text, sample.other)) != identities(sample.text)


def _stamped(text: str, form: str) -> str:
    return "\n".join(form.format(n, line) for n, line in enumerate(text.split("\n"), start=10))


LOGS = {
    "Jenkins": "[2026-03-02T11:22:{0}.123Z] {1}",
    "clock": "11:22:{0} {1}",
    "docker build": "#9 1.2{0} {1}",
    "a log in a docker build in a log": "[2026-03-02T11:22:{0}.123Z] #9 1.2{0} 2026-03-02 11:22:{0},001 {1}",
}


@pytest.mark.parametrize("form", LOGS.values(), ids=LOGS)
@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_what_a_log_writes_before_each_line_changes_nothing(sample: Sample, form: str) -> None:
    assert identities(_stamped(sample.text, form)) == identities(sample.text)


AROUND = {
    "npm": (
        "\n> shop@1.4.2 check\n> node scripts/check.js\n\n",
        "npm error Lifecycle script `check` failed with error:\nnpm error code 2\nnpm error path /home/ci/work/shop\n",
    ),
    "workflow": ("##[group]Run ./check.sh\n##[endgroup]\n", "##[error]Process completed with exit code 2.\n"),
    "docker": (
        "#1 [internal] load build definition\n#1 DONE 0.0s\n",
        '#9 ERROR: process "x" did not complete successfully\n',
    ),
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_what_a_build_tool_says_about_the_step_changes_nothing(sample: Sample, around: tuple[str, str]) -> None:
    assert identities(around[0] + sample.text + around[1]) == identities(sample.text)


def test_a_recipe_that_fails_without_a_word_is_known_by_its_target_and_what_came_last() -> None:
    def told(target: str, line: int, said: str = "building") -> str:
        return f"{said}\nfalse\nmake: *** [Makefile:{line}: {target}] Error 1\n"

    assert identities(told("all", 4)) == identities(told("all", 19))
    assert identities(told("all", 4)) != identities(told("docs", 4))
    assert identities(told("all", 4)) != identities(told("all", 4, "the warehouse is closed"))


def test_what_says_nothing_is_known_by_how_it_ended() -> None:
    (failure,) = read("\n \n")
    assert (failure.kind, failure.message) == ("unparsed", "exit code 1")


def test_only_what_a_build_tool_says_is_better_than_nothing() -> None:
    (failure,) = read("npm error code 2\nnpm error path /home/ci\n")
    assert failure.kind == "unparsed"
    assert "npm error code 2" in failure.message


def test_what_a_program_says_all_the_time_tells_nothing_about_its_end() -> None:
    few, many = ("".join(f"request {n} served in {n * 7}ms\n" for n in range(count)) for count in (2, 9))
    assert identities(few + "the volume went away\n") == identities(many + "the volume went away\n")


def test_plain_lines_have_no_colours_no_stamps_and_an_end() -> None:
    assert plain_lines("\x1b[31m11:22:33 red\x1b[0m  \r\n" + "x" * 9000) == ["red", "x" * 2000]


def test_a_summary_alone_is_what_came_last() -> None:
    (failure,) = read("3 problems\n")
    assert (failure.kind, failure.message) == ("unparsed", "3 problems")


def test_what_follows_a_colon_or_stands_deeper_belongs_to_the_error_and_frames_do_not() -> None:
    text = "Error: no plan:\nstep two\n  at load (a.js:3:4)\nall else\n"
    (failure,) = read(text)
    assert "step two" in failure.message
    assert "load" not in failure.message
    assert "all else" not in failure.message


def test_warnings_count_when_nothing_calls_itself_an_error() -> None:
    assert identities("WARN: the key is unknown\n") != identities("WARN: the lock is unknown\n")


def test_a_crash_after_a_compilers_warning_is_the_failure() -> None:
    warned = "a.c:3:7: warning: unused variable 'x' [-Wunused-variable]\nx.py:4: DeprecationWarning: old\n"
    crashed = warned + 'Traceback (most recent call last):\n  File "run.py", line 3, in f\n    g()\nKeyError: 1\n'
    assert [f.kind for f in read(crashed)] == ["KeyError"]
    assert {f.kind for f in read(warned)} == {"-Wunused-variable", "warning"}


def test_a_stack_of_php_is_no_list_of_compile_errors() -> None:
    assert [f.kind for f in read(PHP)] == ["RuntimeException"]
    assert [f.kind for f in read("PHP Warning:  Odd in /a/run.php on line 2\nFatal error: all is lost\n")] == ["exit"]


PYRIGHT = """\
/home/ci/work/shop/cart.py
  /home/ci/work/shop/cart.py:9:14 - error: Type "str" is not assignable to declared type "int"
    "str" is not assignable to "int" (reportAssignmentType)
1 error, 0 warnings, 0 informations
"""


def test_what_pyright_explains_below_its_message_belongs_to_it() -> None:
    (failure,) = read(PYRIGHT)
    assert failure.kind == "reportAssignmentType"
    assert failure.message.endswith('"str" is not assignable to "int"')
    (bare,) = read("  /home/a/cart.py:9:14 - error: odd\n    more of it")
    assert bare.message == "odd\nmore of it"


def test_a_message_of_mypy_that_has_no_code_is_left_alone() -> None:
    listed = read("c.py:5: error: One\nc.py:6: error: Two\n")
    assert [f.message for f in listed] == ["One", "Two"]
    assert [f.message for f in read("c.py:5: error: One\n    shown = 1\n")] == ["One"]
    assert [f.message for f in read("c.py:5: error: One\nFound 1 error")] == ["One"]
    long = "c.py:5: error: One\n" + "more\n" * 20 + "end [misc]\n"
    assert [f.message for f in read(long)] == ["One"]


def test_the_ends_of_colours_that_name_a_character_set_are_dropped() -> None:
    plain = 'c.py:5: error: Incompatible types (expression has type "str")  [assignment]\n'
    painted = plain.replace("error:", "\x1b[1m\x1b[31merror:\x1b(B\x1b[m").replace('"str"', '\x1b[1m"str"\x1b(B\x1b[m')
    assert identities(painted) == identities(plain)


def test_a_code_of_mypy_that_is_wrapped_alone_is_still_its_code() -> None:
    assert [f.kind for f in read('c.py:5: error: List item 0 is "str"\n [list-item]\n')] == ["list-item"]


def test_places_of_one_line_are_one_complaint() -> None:
    (failure,) = read("a.c:3:7: error: redefined, see b.c:4:5\n")
    assert failure.phase is Phase.BUILD


def test_a_project_that_cmake_cannot_configure_hides_its_tests() -> None:
    assert [f.phase for f in read(CMAKE)] == [Phase.BUILD]


UNFINISHED = {
    "a frame without its message": "nothing\n   ,-[s.js:2:10]\nerror: odd\n",
    "a heading of biome alone": "c.js:3:11 lint/x/y ━━━━━\n\nerror: odd\n",
    "an error of esbuild without a place": "✘ [ERROR] odd\n\nfar away\n",
    "webpack, cut off": "ERROR in ./i.js 1:0-22\n",
    "shellcheck, cut off": "In run.sh line 7:\n SC",
    "shellcheck, only the line": "In run.sh line 7:\n rm x\n odd SC1\nerror\n",
    "bandit, cut off": ">> Issue: [B307:blacklist] odd error\n",
    "ruby, no class": "run.rb:16:in `main': an odd error\n",
    "sqlfluff, cut off": "== [q.sql] FAIL",
    "node, no error": "    at odd error\n",
    "valgrind, a sentence": "==1== odd error\n==1== next\n==    at 0x\n",
    "a sanitizer without frames": "==1==ERROR: LeakSanitizer: detected memory leaks\n",
}


@pytest.mark.parametrize("text", UNFINISHED.values(), ids=UNFINISHED)
def test_a_log_that_was_cut_off_is_still_one_failure(text: str) -> None:
    (failure,) = read(text)
    assert failure.message


def test_an_object_counts_by_what_it_says_of_itself() -> None:
    def kinds(*objects: object) -> list[str]:
        return [f.kind for f in read("\n".join(map(json.dumps, objects)))]

    assert kinds({"level": 50, "msg": "lost"}, {"level": 40, "msg": "slow"}) == ["error"]
    assert kinds({"level": 40, "msg": "slow"}, {"level": 30, "msg": "fine"}) == ["error"]
    assert kinds({"code": "E1", "message": "odd"}) == ["E1"]
    assert kinds({"code": "S1", "level": "remark", "message": "odd"}) == ["S1"]
    assert kinds({"level": "info", "msg": "an error in words"}) == ["exit"]
    assert kinds({"status": True, "msg": "an error in words"}) == ["exit"]
    assert kinds({"level": "error", "msg": "lost", "file": "a\nb"}) == ["error"]


def test_a_document_over_many_lines_is_found_between_other_lines() -> None:
    document = json.dumps(
        {"results": [{"filename": "a.py", "issue_text": "odd", "test_id": "B1", "line_number": 3}]}, indent=1
    )
    (failure,) = read(f"> lint\n{document}\ndone\n")
    assert (failure.subject, failure.line) == ("a.py B1", 3)


def test_text_in_brackets_is_no_document() -> None:
    (failure,) = read("[1/2] error [x]\n{ error }\n")
    assert failure.kind == "exit"


def test_deep_and_wide_documents_are_read_in_bounded_time() -> None:
    assert read("[" * 100_000 + "]" * 100_000)[0].kind == "unparsed"
    wide = json.dumps([[n] for n in range(150_000)])
    assert read(wide)[0].kind == "unparsed"


HOSTILE = {
    "perl": "x at " * 400 + "line ",
    "php": "Fatal error: " + " in a" * 400,
    "ruby": "a.rb:1:in `x': " + "': (X" * 400,
    "frames": "    #0 " + "a " * 900,
    "biome": "a" * 400 + " b" * 400 + " ━━━ ",
    "brackets": "a.c:1:2: [error] " + "(x " * 600,
    "stamps": "11:22:33 " * 200,
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_twice_the_hostile_text_takes_about_twice_the_time_and_ends(line: str) -> None:
    assert read(f"Sanitizer: \n==    at 0x\n{line}\n" * 300)
