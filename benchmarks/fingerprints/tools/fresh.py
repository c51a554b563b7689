"""How do fourteen runners fail in ways and styles that were made up last, and never shown to a parser before?

Another domain, other sources of failures, other options. What they scored at the first try stands in
docs/fingerprints.md.
"""

# ruff: noqa: E501, SLF001 - whole files of other languages stand on one line; the same tools with other failures

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from benchmarks.fingerprints.shape import Failing, Style, Tool
from benchmarks.fingerprints.tools import compiled, javascript, python, scripts

_CLOCK = '''"""When a train leaves."""
%PAD%
import json
from enum import Enum


class Track(Enum):
    NORTH = 1
    SOUTH = 2


class Late(Exception):
    def __init__(self, train, minutes):
        super().__init__(train, minutes)
        self.train = train

    def __str__(self):
        return f"{self.train} is late"


def minutes(text):
    hours, _, rest = text.partition(":")
    return int(hours) * 60 + int(rest)


def depart(train, *, track=Track.NORTH, delay=0):
    if delay > 5:
        raise Late(train, delay)
    return {"train": train, "track": track.name, "delay": delay}


def board(trains):
    yield from (json.loads(train) for train in trains)
'''
_P_HEAD = "import re\nimport warnings\nimport pytest\n%PAD%\nfrom rail import clock\n\n%MORE%\n"


def _py(name: str, body: str, *, test: str = "test_leaves", **more: str) -> Failing:
    files = {"rail/__init__.py": "", "rail/clock.py": _CLOCK, "checks/test_rail.py": _P_HEAD + body}
    return Failing(name=name, files={**files, **{n.replace("__", "/") + ".py": t for n, t in more.items()}}, test=test)


def _t(line: str) -> str:
    return f"def test_leaves():\n    train = 'IC 7'\n    {line}\n"


_PYTEST = (
    _py("late", _t("clock.depart(train, delay=9)")),
    _py("late with a message", _t("assert clock.depart(train)['delay'] > 0, f'{train} left {[1, 2]}'")),
    _py("enum", _t("assert clock.Track.NORTH is clock.Track.SOUTH")),
    _py("set", _t("assert {'a', 'b'} == {'b', 'c'}")),
    _py("long list", _t("assert list(range(40)) == [*range(39), 41]")),
    _py("approx", _t("assert [0.1 + 0.2, 1] == pytest.approx([0.4, 1])")),
    _py("startswith", _t("assert train.startswith('ICE')")),
    _py("all", _t("assert all(n < 3 for n in [1, 2, 3])")),
    _py("isinstance", _t("assert isinstance(train, bytes)")),
    _py("bytes", _t("assert b'\\x00\\xff' == b'\\x00\\xfe'")),
    _py("match", _t("with pytest.raises(clock.Late, match='early'):\n        clock.depart(train, delay=7)")),
    _py("generator", _t("list(clock.board(['{}', '{oops']))")),
    _py("unpack", _t("a, b = clock.minutes('1:2'), *[1, 2]; c, d = [1, 2, 3]")),
    _py("key", _t("clock.depart(train)['gate']")),
    _py("unicode", _t("'straße'.encode('ascii')")),
    _py("exit", _t("raise SystemExit('closed')")),
    _py("stop", _t("next(iter([]))")),
    _py("warning", "@pytest.mark.filterwarnings('error')\n" + _t("warnings.warn('old timetable', DeprecationWarning)")),
    _py("strict xfail", "@pytest.mark.xfail(strict=True, reason='known')\n" + _t("assert True")),
    _py(
        "fixture teardown",
        "@pytest.fixture\ndef gate():\n    yield 1\n    raise OSError('gate stuck')\n\n\ndef test_leaves(gate):\n    assert gate == 1\n",
        test="gate",
    ),
    _py("missing fixture", "def test_leaves(platform):\n    pass\n", test="fixture"),
    _py(
        "nested class",
        "class TestRail:\n    class TestNorth:\n        def test_leaves(self):\n            assert clock.minutes('1:30') == 80\n",
        test="nested",
    ),
    _py(
        "nested class other",
        "class TestRail:\n    class TestNorth:\n        def test_leaves(self):\n            clock.minutes('noon')\n",
        test="nested",
    ),
    _py(
        "parameters",
        "@pytest.mark.parametrize('text, want', [('1:00', 60), ('0:05', 6), ('2:00', 121)])\ndef test_leaves(text, want):\n    assert clock.minutes(text) == want\n",
        test="parameters",
    ),
    _py("lines", _t("assert (\n        clock.minutes('1:00')\n        + clock.minutes('2:00')\n    ) == 181")),
    _py(
        "suppressed",
        _t("try:\n        clock.minutes('x')\n    except ValueError:\n        raise clock.Late(train, 1) from None"),
    ),
    _py("during", _t("try:\n        clock.minutes('x')\n    except ValueError:\n        {}['gate']")),
    _py(
        "noise",
        _t("print('E   assert 1 == 2'); print('FAILED checks/test_rail.py::test_x - no'); assert train == 'RE 1'"),
    ),
    _py(
        "helper assert",
        "from checks.helpers import same\n\n\n" + _t("same(train, 'RE 2')"),
        checks____init__="",
        checks__helpers="def same(a, b):\n    __tracebackhide__ = True\n    assert a == b, 'other train'\n",
    ),
    _py("import name", "from rail.clock import arrive\n", test="module"),
)


def _p(name: str, *options: str, **env: str) -> Style:
    command = ("python", "-m", "pytest", "-p", "no:cacheprovider", *options)
    return Style(name=name, command=command, env={"COLUMNS": "80", "PYTHONPATH": ".", **env})


_PYTEST_FRESH = replace(
    python.PYTEST,
    name="pytest (fresh)",
    families={
        "": (
            _p("base", "-q"),
            _p("locals", "-l", "-vv"),
            _p("bare", "-q", "--no-header", "-rN"),
            _p("durations", "--durations=3", "-ra", "--color=yes"),
            _p("narrow", COLUMNS="47"),
            _p("wide", "-v", COLUMNS="210"),
            _p("uncaptured", "-s", "--tb=auto", "-x"),
            _p("logged", "-o", "log_cli=true", "--log-level=DEBUG", "--strict-markers"),
            _p("rootdir", "--rootdir=..", "-rA"),
        )
    },
    failing=_PYTEST,
    more="def test_beside():\n    assert True\n\n",
    beside={"checks/test_a.py": "def test_more():\n    print('noise: error')\n"},
    shared={},
)


def _u(name: str, body: str, *, test: str = "leaves", head: str = "") -> Failing:
    text = f"import unittest\nfrom unittest import mock\n%PAD%\nfrom rail import clock\n\n\nclass Rail(unittest.TestCase):\n    maxDiff = None\n\n%MORE%{head}    def test_leaves(self):\n        train = 'IC 7'\n        {body}\n"
    return Failing(name=name, files={"test_rail.py": text}, test=test)


_UNITTEST_FRESH = replace(
    python._UNITTEST_TOOL,
    name="unittest (fresh)",
    families={
        "": (
            Style(name="base", command=("python", "-m", "unittest", "test_rail")),
            Style(name="verbose", command=("python", "-m", "unittest", "discover", "-v")),
            Style(name="failfast", command=("python", "-X", "dev", "-m", "unittest", "-f", "-c")),
        )
    },
    failing=(
        _u("late", "clock.depart(train, delay=9)"),
        _u("dict", "self.assertDictEqual(clock.depart(train), {'train': train, 'track': 'SOUTH', 'delay': 0})"),
        _u("count", "self.assertCountEqual([1, 1, 2], [1, 2, 2])"),
        _u("almost", "self.assertAlmostEqual(0.1 + 0.2, 0.31, places=3, msg='drift')"),
        _u("regex", "self.assertRegex(train, r'^RE \\d')"),
        _u(
            "raises regex",
            "with self.assertRaisesRegex(clock.Late, 'early'):\n            clock.depart(train, delay=8)",
        ),
        _u("lines", "self.assertMultiLineEqual('a\\nb\\n' * 8, 'a\\nc\\n' * 8)"),
        _u("mock", "m = mock.Mock(); m(1, a=2); m.assert_called_once_with(1, a=3)"),
        _u("mock never", "mock.Mock(name='bell').assert_called()"),
        _u("logs", "with self.assertLogs('rail', 'INFO'):\n            pass"),
        _u("none", "self.assertIsNone(clock.depart(train))"),
        _u("greater", "self.assertGreater(clock.minutes('0:30'), 40)"),
        _u("cleanup", "self.addCleanup(clock.minutes, 'x')"),
        _u(
            "chained",
            "try:\n            clock.minutes('x')\n        except ValueError as e:\n            raise clock.Late(train, 2) from e",
        ),
    ),
    shared={"rail/__init__.py": "", "rail/clock.py": _CLOCK},
)

_JS_RAIL = "'use strict';\n%PAD%\nclass Late extends Error {\n  constructor(train, minutes) { super(`${train} is late`); this.name = 'Late'; this.minutes = minutes; }\n}\nfunction minutes(text) {\n  const [h, m] = text.split(':').map(Number);\n  if (Number.isNaN(m)) throw new TypeError(`no time: ${text}`);\n  return h * 60 + m;\n}\nasync function depart(train, delay = 0) {\n  await null;\n  if (delay > 5) throw new Late(train, delay);\n  return { train, delay, stops: ['A', 'B'] };\n}\nmodule.exports = { Late, minutes, depart };\n"
_JS_ANY = {
    "late": "await rail.depart('IC 7', 9);",
    "type": "rail.minutes('noon');",
    "aggregate": "await Promise.any([Promise.reject(new Error('a')), Promise.reject(new Error('b'))]);",
    "cause": "throw new Error('no departure', { cause: new RangeError('track 12') });",
    "json": "JSON.parse('{\"a\": }');",
    "null": "const t = null; t.stops.length;",
    "object": "throw { code: 'E_TRACK', track: 4 };",
    "regexp": "new RegExp('(');",
    "constant": "const c = 1; c = 2;",
    "date": "new Date(NaN).toISOString();",
    "file": "require('node:fs').readFileSync('timetable.csv');",
    "odd text": "throw new Error('expected: 1) [FAIL] ✖ \"x\" at line 3:4');",
}
_JS_ASSERT = {
    "strict": "assert.strictEqual(rail.minutes('1:30'), 80);",
    "strict other": "assert.strictEqual(rail.minutes('2:30'), 80, 'half past two');",
    "deep": "assert.deepStrictEqual(await rail.depart('IC 7'), { train: 'IC 7', delay: 1, stops: ['A'] });",
    "map": "assert.deepStrictEqual(new Map([[1, 'a']]), new Map([[1, 'b']]));",
    "not": "assert.notStrictEqual(1, 1);",
    "throws": "assert.throws(() => rail.minutes('x'), { name: 'Late' });",
    "if error": "assert.ifError(new Error('track closed'));",
    "fail": "assert.fail('no platform');",
}
_JS_EXPECT = {
    "strict": "expect(rail.minutes('1:30')).toBe(80);",
    "strict other": "expect(rail.minutes('2:30')).toBeGreaterThan(200);",
    "deep": "expect(await rail.depart('IC 7')).toStrictEqual({ train: 'IC 7', delay: 1, stops: ['A'] });",
    "match object": "expect({ a: { b: 1 } }).toMatchObject({ a: { b: 2 } });",
    "rejects": "await expect(rail.depart('IC 7')).rejects.toThrow('late');",
    "resolves": "await expect(rail.depart('IC 7', 8)).resolves.toBeDefined();",
    "close": "expect(0.1 + 0.2).toBeCloseTo(0.31, 5);",
    "length": "expect(['a', 'b']).toHaveLength(3);",
    "property": "expect({ a: 1 }).toHaveProperty('b.c', 2);",
    "instance": "expect(new Error('x')).toBeInstanceOf(rail.Late);",
    "asymmetric": "expect({ id: 7, at: 'now' }).toEqual({ id: expect.any(String), at: expect.stringContaining('n') });",
}


_JS_MORE = "    it('is beside it', () => {});\n"


def _js(head: str, bodies: dict[str, str], file: str) -> tuple[Failing, ...]:
    def one(name: str, body: str) -> Failing:
        text = f"{head}\n%PAD%\ndescribe('rail', () => {{\n  describe('north', () => {{\n%MORE%    it('leaves on time', async () => {{\n      const train = 'IC 7';\n      {body}\n    }});\n  }});\n}});\n"
        return Failing(name=name, files={file: text}, test="leaves")

    return tuple(one(name, body) for name, body in bodies.items())


_NODE_FRESH = replace(
    javascript._NODE_TOOL,
    name="node:test (fresh)",
    more=_JS_MORE,
    families={
        "": (
            Style(name="base", command=("node", "--test", "--test-reporter=spec")),
            Style(name="tap", command=("node", "--test", "--test-reporter=tap", "--test-concurrency=1")),
            Style(name="one file", command=("node", "--test-reporter=spec", "rail.test.js")),
            Style(name="maps", command=("node", "--enable-source-maps", "--test", "--test-reporter=spec")),
        )
    },
    failing=_js(
        "const { describe, it } = require('node:test');\nconst assert = require('node:assert/strict');\nconst rail = require('./rail');",
        {**_JS_ASSERT, **_JS_ANY},
        "rail.test.js",
    ),
    beside={"a.test.js": "require('node:test').it('more', () => {});\n"},
    shared={"rail.js": _JS_RAIL},
)
_MOCHA_FRESH = replace(
    javascript._MOCHA_TOOL,
    name="mocha (fresh)",
    more=_JS_MORE,
    families={
        "": (
            Style(name="base", command=("mocha", "--reporter", "spec")),
            Style(name="no diff", command=("mocha", "--no-diff", "--sort")),
            Style(name="parallel", command=("mocha", "--parallel", "--colors")),
            Style(name="landing", command=("mocha", "--reporter", "progress")),
        )
    },
    failing=_js(
        "const assert = require('assert');\nconst rail = require('../rail');", {**_JS_ASSERT, **_JS_ANY}, "test/rail.js"
    ),
    shared={"rail.js": _JS_RAIL},
)
_JEST_FRESH = replace(
    javascript.JEST,
    name="jest (fresh)",
    more=_JS_MORE,
    families={
        "": (
            Style(name="base", command=("jest", "--ci", "--watchman=false")),
            Style(name="bail", command=("jest", "--ci", "--watchman=false", "--bail", "--verbose=false", "--colors")),
            Style(
                name="trace off",
                command=("jest", "--ci", "--watchman=false", "--noStackTrace=false", "--errorOnDeprecated"),
            ),
            Style(name="narrow", command=("jest", "--ci", "--watchman=false", "--randomize"), env={"COLUMNS": "40"}),
        )
    },
    failing=_js("const rail = require('./rail');", {**_JS_EXPECT, **_JS_ANY}, "rail.test.js"),
    shared={"rail.js": _JS_RAIL, "package.json": '{"name": "rail"}'},
)
_VITEST_FRESH = replace(
    javascript.VITEST,
    name="vitest (fresh)",
    more=_JS_MORE,
    families={
        "": (
            Style(name="base", command=("vitest", "run", "--globals")),
            Style(
                name="forks",
                command=("vitest", "run", "--globals", "--pool=forks", "--no-file-parallelism", "--reporter=verbose"),
            ),
            Style(name="tree", command=("vitest", "run", "--globals", "--reporter=tree"), env={"FORCE_COLOR": "1"}),
        )
    },
    failing=_js(
        "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nconst rail = require('./rail.js');",
        {**_JS_EXPECT, **_JS_ANY},
        "rail.test.js",
    ),
    shared={"rail.js": _JS_RAIL},
)
_AVA = {
    "is": "t.is(rail.minutes('1:30'), 80);",
    "is other": "t.is(rail.minutes('2:30'), 80, 'half past two');",
    "like": "t.like({ a: 1, b: 2 }, { a: 2 });",
    "regex": "t.regex('IC 7', /^RE/);",
    "throws": "await t.throwsAsync(rail.depart('IC 7'));",
    "throws other": "t.throws(() => rail.minutes('x'), { instanceOf: RangeError });",
    "not throws": "t.notThrows(() => rail.minutes('x'));",
    "assert": "t.assert(rail.minutes('0:30') > 40);",
    "fail": "t.fail('no platform');",
    "plan": "t.plan(2); t.pass();",
    **_JS_ANY,
}
_AVA_FRESH = replace(
    javascript._AVA_TOOL,
    name="AVA (fresh)",
    families={
        "": (
            Style(name="base", command=("ava", "rail.test.js")),
            Style(
                name="fast", command=("ava", "--fail-fast", "--concurrency=1", "rail.test.js"), env={"FORCE_COLOR": "1"}
            ),
            Style(name="verbose", command=("ava", "--timeout=20s", "rail.test.js"), env={"COLUMNS": "60"}),
        )
    },
    failing=tuple(
        Failing(
            name=name,
            files={
                "rail.test.js": f"const test = require('ava');\nconst rail = require('./rail');\n%PAD%\n%MORE%\ntest('leaves on time', async t => {{\n  const train = 'IC 7';\n  {body}\n}});\n"
            },
            test="leaves",
        )
        for name, body in _AVA.items()
    ),
    more="test('is beside it', t => t.pass());\n",
    shared={
        "rail.js": _JS_RAIL,
        "package.json": '{"name": "rail"}',
        "node_modules": f"->{Path(shutil.which('ava') or '/x/y/z').parent.parent}",
    },
)

_GO_RAIL = 'package rail\n\nimport (\n\t"fmt"\n\t"strconv"\n\t"strings"\n)\n%PAD%\ntype Late struct{ Train string }\n\nfunc (l *Late) Error() string { return l.Train + " is late" }\n\nfunc Minutes(text string) (int, error) {\n\th, m, _ := strings.Cut(text, ":")\n\thours, err := strconv.Atoi(h)\n\tif err != nil {\n\t\treturn 0, fmt.Errorf("minutes of %q: %w", text, err)\n\t}\n\trest, err := strconv.Atoi(m)\n\treturn hours*60 + rest, err\n}\n\nfunc Depart(delay int) error {\n\tif delay > 5 {\n\t\treturn &Late{"IC 7"}\n\t}\n\treturn nil\n}\n\nfunc Stop(stops []string, n int) string { return stops[n] }\n'
_GO_HEAD = 'package rail\n\nimport (\n\t"errors"\n\t"os"\n\t"strings"\n\t"testing"\n)\n%PAD%\nvar _ = errors.New\nvar _ = os.Exit\nvar _ = strings.Repeat\n\n%MORE%\n'


def _g(name: str, body: str, *, rest: str = "") -> Failing:
    text = f"{_GO_HEAD}{rest}func TestLeaves(t *testing.T) {{\n\t{body}\n}}\n"
    return Failing(name=name, files={"rail_test.go": text}, test="TestLeaves")


_GO_FRESH = replace(
    compiled.GO,
    name="go test (fresh)",
    families={
        "": (
            Style(name="base", command=("go", "test", "./...")),
            Style(name="cover", command=("go", "test", "-cover", "-v", "./...")),
            Style(name="count", command=("go", "test", "-count=1", "-failfast", "-parallel=2", "./...")),
            Style(name="json", command=("go", "test", "-json", "-short", "./...")),
        )
    },
    failing=(
        _g("fatal", 'm, err := Minutes("noon")\n\tif err != nil {\n\t\tt.Fatal(m, err)\n\t}'),
        _g("late", 'if err := Depart(9); err != nil {\n\t\tt.Fatalf("Depart(9) = %v, want nil", err)\n\t}'),
        _g("as", 'var late *Late\n\tif !errors.As(Depart(1), &late) {\n\t\tt.Error("want a *Late")\n\t}'),
        _g("index", "_ = Stop(nil, 3)"),
        _g(
            "helper",
            "same(t, 80, 90)",
            rest='func same(t *testing.T, got, want int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Errorf("got %d, want %d", got, want)\n\t}\n}\n\n',
        ),
        _g("cleanup", 't.Cleanup(func() { t.Error("gate left open") })'),
        _g("diff", 't.Errorf("board:\\n--- want\\n+++ got\\n-%s\\n+%s", "IC 7", "RE 1")'),
        _g("twice", 't.Error("first")\n\tt.Error("second")'),
        _g(
            "deep",
            't.Run("north", func(t *testing.T) {\n\t\tt.Run("track=4", func(t *testing.T) { t.Fatal("closed") })\n\t})',
        ),
        _g(
            "deep other",
            't.Run("north", func(t *testing.T) {\n\t\tt.Run("track=4", func(t *testing.T) { t.Fatal("flooded") })\n\t})',
        ),
        _g(
            "parallel",
            'for _, n := range []string{"a", "b"} {\n\t\tn := n\n\t\tt.Run(n, func(t *testing.T) {\n\t\t\tt.Parallel()\n\t\t\tt.Errorf("%s closed", n)\n\t\t})\n\t}',
        ),
        _g("panic error", "panic(Depart(7))"),
        _g("nil map", 'var m map[string]int\n\tm["a"] = 1'),
        _g("close", "c := make(chan int)\n\tclose(c)\n\tclose(c)"),
        _g("exit", "os.Exit(3)"),
        _g("unused", "x := 1"),
        _g("undefined", "Arrive()"),
        _g("noise", 'os.Stdout.WriteString("--- FAIL: TestOther (0.00s)\\npanic: no\\n")\n\tt.Error("after noise")'),
    ),
    shared={**{k: v for k, v in compiled.GO.shared.items() if k.startswith("go.")}, "rail.go": _GO_RAIL},
)


def _rust(name: str, body: str, *, head: str = "", ending: str = "fn leaves()", test: str = "leaves") -> Failing:
    lib = f'//! Trains.\n%PAD%\n#[derive(Debug)]\npub struct Late(pub String);\nimpl std::fmt::Display for Late {{\n    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {{ write!(f, "{{}} is late", self.0) }}\n}}\nimpl std::error::Error for Late {{}}\npub fn depart(delay: u8) -> Result<u8, Late> {{ if delay > 5 {{ Err(Late("IC 7".into())) }} else {{ Ok(delay) }} }}\npub fn stop(stops: &[&str], n: usize) -> String {{ stops[n].to_string() }}\n#[cfg(test)]\nmod north {{\n    mod track {{\n        use crate::*;\n%PAD%\n%MORE%\n        #[test]\n        {head}{ending} {{\n            {body}\n        }}\n    }}\n}}\n'
    return Failing(name=name, files={"src/lib.rs": lib}, test=test)


_CARGO_FRESH = replace(
    compiled.CARGO,
    name="cargo test (fresh)",
    failing=(
        _rust("unwrap", "depart(9).unwrap();"),
        _rust("unwrap err", "depart(1).unwrap_err();"),
        _rust("expect", 'depart(7).expect("on time");'),
        _rust("question", "depart(8)?; Ok(())", ending="fn leaves() -> Result<(), Box<dyn std::error::Error>>"),
        _rust("bounds", 'stop(&["a"], 4);'),
        _rust("matches", 'assert!(matches!(depart(2), Err(_)), "{} departed", 2);'),
        _rust("slices", "assert_eq!([1, 2, 3].as_slice(), &[1, 2]);"),
        _rust("option", 'assert_eq!(Some("x"), None);'),
        _rust("unreachable", 'unreachable!("track {}", 4);'),
        _rust("unimplemented", "unimplemented!();"),
        _rust("utf", "String::from_utf8(vec![0xff]).unwrap();"),
        _rust("slice text", 'let s = String::from("straße"); let _ = &s[..5];'),
        _rust("debug", "debug_assert!(depart(1).is_err());"),
        _rust("any", "std::panic::panic_any(42);"),
        _rust("mutex", 'let m = std::sync::Mutex::new(1); let _g = m.lock().unwrap(); panic!("held");'),
        _rust("missing trait", 'let _ = Late("x".into()) == Late("y".into());', test="build"),
        _rust("moved", 'let l = Late("x".into()); drop(l); println!("{:?}", l);', test="build"),
    ),
    more="        #[test]\n        fn beside() {}\n",
)

_CPP_RAIL = '#pragma once\n#include <memory>\n#include <optional>\n#include <stdexcept>\n#include <string>\n#include <vector>\n%PAD%\nstruct Late : std::runtime_error { using std::runtime_error::runtime_error; };\ninline int minutes(const std::string& t) { return std::stoi(t) * 60 + std::stoi(t.substr(t.find(":") + 1)); }\ninline int depart(int delay) {\n  if (delay > 5) throw Late("IC 7 is late");\n  return delay;\n}\n'


def _c(name: str, head: str, text: str) -> Failing:
    return Failing(
        name=name, files={"cart_test.cpp": f'{head}\n#include "rail.h"\n%PAD%\n%MORE%\n{text}'}, test="leaves"
    )


_GTEST = {
    "ne": "EXPECT_NE(depart(2), 2);",
    "le": 'ASSERT_LE(minutes("2:10"), 100) << "two ten";',
    "optional": "EXPECT_TRUE(std::optional<int>().has_value());",
    "double": "EXPECT_DOUBLE_EQ(0.1 + 0.2, 0.31);",
    "late": "depart(9);",
    "stoi": 'minutes("noon");',
    "any throw": "EXPECT_ANY_THROW(depart(1));",
    "no throw": "EXPECT_NO_THROW(depart(8));",
    "unknown": "throw 7;",
    "pred": "EXPECT_PRED2([](int a, int b) { return a < b; }, 5, depart(1));",
    "case": 'EXPECT_STRCASEEQ("IC", "re");',
    "add failure": 'ADD_FAILURE() << "track " << 4;',
    "add failure at": 'ADD_FAILURE_AT("timetable.csv", 7) << "odd row";',
    "fatal in helper": "[] { ASSERT_EQ(depart(1), 3); }();",
}
_GTEST_FRESH = replace(
    compiled._GTEST_TOOL,
    name="GoogleTest (fresh)",
    families={
        "": (
            compiled._built("base", libraries="-lgtest -lgtest_main -lpthread"),
            compiled._built(
                "filter", "--gtest_filter='Rail*:Beside*' --gtest_color=yes", libraries="-lgtest -lgtest_main -lpthread"
            ),
            compiled._built(
                "repeat", "--gtest_repeat=2 --gtest_print_utf8=0", libraries="-lgtest -lgtest_main -lpthread"
            ),
        )
    },
    failing=tuple(_c(n, "#include <gtest/gtest.h>", f"TEST(Rail, Leaves) {{\n  {b}\n}}\n") for n, b in _GTEST.items()),
    shared={"rail.h": _CPP_RAIL},
)
_CATCH = {
    "ne": "CHECK(depart(2) != 2);",
    "range": 'REQUIRE(minutes("2:10") < 100);',
    "late": "depart(9);",
    "stoi": 'minutes("noon");',
    "no throw": "REQUIRE_NOTHROW(depart(8));",
    "throws with": 'REQUIRE_THROWS_WITH(depart(9), "early");',
    "unknown": "throw 7;",
    "nested": 'SECTION("north") { SECTION("track 4") { CHECK(depart(3) == 4); } }',
    "warn": 'WARN("slow"); CHECK(depart(1) > 4);',
    "fail check": 'FAIL_CHECK("track 4"); CHECK(true);',
    "unscoped": 'UNSCOPED_INFO("gate"); REQUIRE(std::string("IC") + " 7" == "IC 8");',
}
_CATCH_FRESH = Tool(
    name="Catch2 (fresh)",
    needs=("g++", "/usr/include/catch2/catch.hpp"),
    families={
        "": (
            compiled._built("base"),
            compiled._built("durations", "-d yes --use-colour yes"),
            compiled._built("random", "--order rand --abort"),
        )
    },
    failing=tuple(
        _c(
            n,
            "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>",
            f'TEST_CASE("a train leaves", "[rail]") {{\n  {b}\n}}\n',
        )
        for n, b in _CATCH.items()
    ),
    comment="//",
    more='TEST_CASE("is beside it") {}\n',
    shared={"rail.h": _CPP_RAIL},
)
_BOOST = {
    "ne": "BOOST_TEST(depart(2) != 2);",
    "ge": 'BOOST_REQUIRE_GE(minutes("0:10"), 100);',
    "late": "depart(9);",
    "stoi": 'minutes("noon");',
    "throw": "BOOST_CHECK_THROW(depart(1), Late);",
    "no throw": "BOOST_CHECK_NO_THROW(depart(8));",
    "message": 'BOOST_CHECK_MESSAGE(depart(1) > 4, "track " << 4);',
    "error": 'BOOST_ERROR("no platform");',
    "unknown": "throw 7;",
    "close": "BOOST_CHECK_CLOSE(1.0, 1.2, 0.1);",
    "context": 'BOOST_TEST_CONTEXT("gate " << 3) { BOOST_TEST(depart(3) == 4); }',
    "collections": "std::vector<int> a{1, 2}, b{1, 3}; BOOST_CHECK_EQUAL_COLLECTIONS(a.begin(), a.end(), b.begin(), b.end());",
}
_BOOST_FRESH = replace(
    compiled._BOOST_TOOL,
    name="Boost.Test (fresh)",
    families={
        "": (
            compiled._built("base", libraries="-lboost_unit_test_framework"),
            compiled._built("all", "--log_level=all --color_output=no", libraries="-lboost_unit_test_framework"),
            compiled._built(
                "random", "--random=7 --report_level=short --color_output=yes", libraries="-lboost_unit_test_framework"
            ),
        )
    },
    failing=tuple(
        _c(
            n,
            "#define BOOST_TEST_MODULE rail\n#define BOOST_TEST_DYN_LINK\n#include <boost/test/unit_test.hpp>",
            f"BOOST_AUTO_TEST_CASE(leaves) {{\n  {b}\n}}\n",
        )
        for n, b in _BOOST.items()
    ),
    shared={"rail.h": _CPP_RAIL},
    more="BOOST_AUTO_TEST_CASE(beside) { BOOST_TEST(true); }\n",
)

_RUBY_RAIL = '# trains\n%PAD%\nmodule Rail\n  class Late < StandardError\n    def initialize(train) = super("#{train} is late")\n  end\n\n  Stop = Struct.new(:name, :track)\n\n  def self.minutes(text)\n    hours, rest = text.split(":").map { |part| Integer(part) }\n    hours * 60 + rest\n  end\n\n  def self.depart(delay) = delay > 5 ? raise(Late, "IC 7") : delay\nend\n'
_RUBY_ANY = {
    "late": "Rail.depart(9)",
    "integer": "Rail.minutes('noon')",
    "nil": "Rail.minutes('7')",
    "key": "{ a: 1 }.fetch(:b)",
    "frozen": "'IC 7'.freeze << '!'",
    "argument": "Rail.depart",
    "type": "1 + 'a'",
    "load": "require 'rail/not_there'",
    "throw": "throw :track",
}
_RSPEC = {
    "be": "expect(Rail.minutes('1:30')).to be > 100",
    "match": "expect('IC 7').to match(/^RE/)",
    "change": "x = 1; expect { x += 1 }.to change { x }.by(2)",
    "contain": "expect([1, 2, 3]).to contain_exactly(1, 2, 4)",
    "attributes": "expect(Rail::Stop.new('A', 4)).to have_attributes(track: 5)",
    "all": "expect([1, 2, 3]).to all(be < 3)",
    "compound": "expect('IC').to start_with('I').and end_with('E')",
    "output": "expect { print 'late' }.to output('on time').to_stdout",
    "receive": "expect(Rail).to receive(:depart).with(1)",
    "negative": "expect(Rail.depart(1)).not_to eq(1)",
    "raise message": "expect { Rail.depart(9) }.to raise_error(Rail::Late, /early/)",
    **_RUBY_ANY,
}
_RSPEC_FRESH = replace(
    scripts._RSPEC_TOOL,
    name="RSpec (fresh)",
    families={
        "": (
            Style(name="base", command=("rspec",)),
            Style(name="tree", command=("rspec", "-f", "documentation", "--profile", "2", "--force-color")),
            Style(name="fast", command=("rspec", "--fail-fast", "--seed", "7", "-w")),
        )
    },
    failing=tuple(
        Failing(
            name=n,
            files={
                "spec/rail_spec.rb": f"require_relative '../rail'\n%PAD%\nRSpec.describe Rail do\n%MORE%\n  describe '.depart' do\n    it 'leaves on time' do\n      train = 'IC 7'\n      {b}\n    end\n  end\nend\n"
            },
            test="leaves",
        )
        for n, b in _RSPEC.items()
    ),
    shared={"rail.rb": _RUBY_RAIL},
)
_MINITEST = {
    "in delta": "assert_in_delta 0.1 + 0.2, 0.31",
    "includes": "assert_includes [1, 2], 3",
    "nil": "assert_nil Rail.depart(1)",
    "match": "assert_match(/^RE/, 'IC 7')",
    "operator": "assert_operator Rail.minutes('0:30'), :>, 40, 'too early'",
    "refute": "refute_equal 1, Rail.depart(1)",
    "silent": "assert_silent { puts 'late' }",
    "throws": "assert_throws(:track) { Rail.depart(1) }",
    "flunk": "flunk 'no platform'",
    "struct": "assert_equal Rail::Stop.new('A', 4), Rail::Stop.new('A', 5)",
    **{f"{n} raised": b for n, b in _RUBY_ANY.items()},
}
_MINITEST_FRESH = replace(
    scripts._MINITEST_TOOL,
    name="minitest (fresh)",
    families={
        "": (
            Style(name="base", command=("ruby", "rail_test.rb")),
            Style(name="seeded", command=("ruby", "-w", "rail_test.rb", "--seed", "7", "-v")),
        )
    },
    failing=tuple(
        Failing(
            name=n,
            files={
                "rail_test.rb": f"require 'minitest/autorun'\nrequire_relative 'rail'\n%PAD%\nclass RailTest < Minitest::Test\n%MORE%\n  def test_leaves\n    train = 'IC 7'\n    {b}\n  end\nend\n"
            },
            test="leaves",
        )
        for n, b in _MINITEST.items()
    ),
    shared={"rail.rb": _RUBY_RAIL},
)
_PHP = {
    "count": "$this->assertCount(3, [1, 2]);",
    "contains": "$this->assertStringContainsString('RE', 'IC 7');",
    "instance": "$this->assertInstanceOf(Late::class, new Exception('x'));",
    "json": "$this->assertJsonStringEqualsJsonString('{\"a\":1}', '{\"a\":2}');",
    "delta": "$this->assertEqualsWithDelta(0.3, 0.32, 0.01, 'drift');",
    "object": "$a = new stdClass; $a->x = 1; $b = new stdClass; $b->x = 2; $this->assertEquals($a, $b);",
    "regular": "$this->assertMatchesRegularExpression('/^RE/', 'IC 7');",
    "late": "depart(9);",
    "type": "depart('x');",
    "null": "$n = null; $n->stop();",
    "missing": "(new Late('x'))->track();",
    "mock": "$m = $this->createMock(Countable::class); $m->expects($this->once())->method('count');",
    "message": "$this->expectExceptionMessage('early'); depart(9);",
    "output": "$this->expectOutputString('late'); echo 'on time';",
}
_PHP_FRESH = replace(
    scripts._PHP_TOOL,
    name="PHPUnit (fresh)",
    families={
        "": (
            Style(name="base", command=("phpunit", "--do-not-cache-result", ".")),
            Style(name="stop", command=("phpunit", "--do-not-cache-result", "--stop-on-failure", "--columns=max", ".")),
            Style(
                name="reverse", command=("phpunit", "--do-not-cache-result", "--reverse-list", "--colors=always", ".")
            ),
        )
    },
    failing=tuple(
        Failing(
            name=n,
            files={
                "RailTest.php": f"<?php\nuse PHPUnit\\Framework\\TestCase;\nrequire_once __DIR__ . '/rail.php';\n%PAD%\nfinal class RailTest extends TestCase\n{{\n%MORE%\n    public function testLeaves(): void\n    {{\n        $train = 'IC 7';\n        {b}\n    }}\n}}\n"
            },
            test="leaves",
        )
        for n, b in _PHP.items()
    ),
    shared={
        "rail.php": "<?php\n%PAD%\nclass Late extends RuntimeException {}\nfunction depart(int $delay): int\n{\n    if ($delay > 5) {\n        throw new Late('IC 7 is late');\n    }\n    return $delay;\n}\n"
    },
)

TOOLS = (
    *(_PYTEST_FRESH, _UNITTEST_FRESH, _NODE_FRESH, _MOCHA_FRESH, _JEST_FRESH, _VITEST_FRESH, _AVA_FRESH),
    *(_GO_FRESH, _CARGO_FRESH, _GTEST_FRESH, _CATCH_FRESH, _BOOST_FRESH),
    *(_RSPEC_FRESH, _MINITEST_FRESH, _PHP_FRESH),
)
