"""How do the test runners of compiled languages fail?"""

# ruff: noqa: E501 - whole files of other languages stand on one line

from __future__ import annotations

from benchmarks.fingerprints.shape import Failing, Style, Tool

_GO_CART = """package shop

import (
	"errors"
	"fmt"
)
%PAD%
var ErrEmpty = errors.New("the cart is empty")

func Total(prices []int) int {
	sum := 0
	for _, p := range prices {
		sum += p
	}
	return sum
}

func First(prices []int) int { return prices[0] }

func Parse(s string) (int, error) {
	if s == "" {
		return 0, fmt.Errorf("parse %q: %w", s, ErrEmpty)
	}
	return len(s), nil
}

type Cart struct{ Name string }

func (c *Cart) Label() string { return c.Name }
"""


def _go(name: str, body: str, *, head: str = "", test: str = "TestTotal") -> Failing:
    used = "var _ = fmt.Sprint\nvar _ = os.Exit\nvar _ = time.Now\nvar _ = reflect.DeepEqual\nvar _ = debug.SetMaxStack\nvar _ testing.TB\n"
    imports = (
        'package shop\n\nimport (\n\t"fmt"\n\t"os"\n\t"reflect"\n\t"runtime/debug"\n\t"testing"\n\t"time"\n)\n%PAD%\n'
    )
    return Failing(name=name, files={"cart_test.go": f"{imports}{used}%MORE%\n{head}{body}"}, test=test)


def _go_test(name: str, body: str, *, head: str = "", test: str = "TestTotal") -> Failing:
    return _go(name, f"func TestTotal(t *testing.T) {{\n{body}\n}}\n", head=head, test=test)


_TABLE = """	for _, c := range []struct {
		name string
		in   []int
		want int
	}{{"one", []int{1}, 1}, {"two items", []int{1, 2}, 4}, {"slash/name", []int{3}, 5}} {
		t.Run(c.name, func(t *testing.T) {
			%s
			if got := Total(c.in); got != c.want {
				t.Errorf("Total(%%v) = %%d, want %%d", c.in, got, c.want)
			}
		})
	}"""
_HELPER = 'func check(t *testing.T, got, want int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Fatalf("got %d, want %d", got, want)\n\t}\n}\n\n'
_GO = (
    _go_test("errorf", '\tif got := Total([]int{1, 2}); got != 4 {\n\t\tt.Errorf("Total = %d, want %d", got, 4)\n\t}'),
    _go_test(
        "errorf other",
        '\tif got := Total([]int{1, 2, 3}); got != 7 {\n\t\tt.Errorf("Total3 = %d, want %d", got, 7)\n\t}',
    ),
    _go_test("fatal", '\t_, err := Parse("")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}'),
    _go_test("fail now", "\tt.FailNow()"),
    _go_test("lines", '\tt.Errorf("diff:\\n-%s\\n+%s", "a", "b")'),
    _go_test("two errors", '\tt.Error("first")\n\tt.Error("second")'),
    _go_test("log and error", '\tt.Log("started")\n\tt.Errorf("DeepEqual: %v", reflect.DeepEqual(1, 2))'),
    _go_test("helper", "\tcheck(t, Total([]int{2}), 3)", head=_HELPER),
    _go_test("index", "\tFirst(nil)"),
    _go_test("nil", "\tvar c *Cart\n\tc.Label()"),
    _go_test("nil map", '\tvar m map[string]int\n\tm["a"] = 1'),
    _go_test("panic", '\tpanic("not yet")'),
    _go_test("panic error", "\tpanic(ErrEmpty)"),
    _go_test("panic other", '\tpanic(fmt.Sprintf("bad state %d", 7))'),
    _go_test("goroutine", '\tgo func() { panic("in the background") }()\n\ttime.Sleep(time.Second)'),
    _go_test("deadlock", "\tch := make(chan int)\n\t<-ch"),
    _go_test(
        "recursion",
        "\tdebug.SetMaxStack(1 << 20)\n\tvar f func(int) int\n\tf = func(n int) int { return f(n+1) + 1 }\n\tf(0)",
    ),
    _go_test("exit", "\tos.Exit(3)"),
    _go_test("table", _TABLE % "", test="table"),
    _go_test(
        "table parallel",
        _TABLE.replace("if got", "if got, c := Total(c.in), c; false {\n\t\t\t\tt.Error(got, c)\n\t\t\t}\n\t\t\tif got")
        % "t.Parallel()",
        test="table",
    ),
    _go_test("cleanup", '\tt.Cleanup(func() { t.Error("not closed") })'),
    _go_test("printed", '\tfmt.Println("--- not a result")\n\tfmt.Println("panic: noise")\n\tt.Error("after noise")'),
    _go(
        "nested",
        'func TestTotal(t *testing.T) {\n\tt.Run("a", func(t *testing.T) {\n\t\tt.Run("b", func(t *testing.T) {\n\t\t\tt.Fatal("deep")\n\t\t})\n\t})\n}\n',
        test="nested",
    ),
    _go("example", "func ExampleTotal() {\n\tfmt.Println(Total([]int{1}))\n\t// Output: 2\n}\n", test="example"),
    _go(
        "fuzz",
        'func FuzzTotal(f *testing.F) {\n\tf.Add(3)\n\tf.Fuzz(func(t *testing.T, n int) {\n\t\tif n == 3 {\n\t\t\tt.Error("three")\n\t\t}\n\t})\n}\n',
        test="fuzz",
    ),
    _go_test("compile undefined", "\tNothing()", test="build"),
    _go_test("compile type", '\tvar n int = "x"\n\t_ = n', test="build"),
    _go_test("compile unused", "\tx := 1", test="build"),
    _go_test("syntax", "\tx := := 1", test="build"),
    _go("test main", 'func TestMain(m *testing.M) {\n\tfmt.Println("no database")\n\tos.Exit(1)\n}\n', test="main"),
)
_GO_TEST = ("go", "test", "-count=1", "-timeout=8s")
GO = Tool(
    name="go test",
    needs=("go",),
    families={
        "": (
            Style(name="base", command=(*_GO_TEST, "./...")),
            Style(name="verbose", command=(*_GO_TEST, "-v", "./...")),
            Style(name="json", command=(*_GO_TEST, "-json", "./...")),
            Style(name="shuffle", command=(*_GO_TEST, "-shuffle=on", "-p=1", "./...")),
        ),
    },
    failing=_GO,
    comment="//",
    more='func TestBeside(t *testing.T) {\n\tt.Log("ok")\n}\n\n',
    beside={"sub/a_test.go": 'package sub\n\nimport "testing"\n\nfunc TestMore(t *testing.T) {}\n'},
    shared={"go.mod": "module example.com/shop\n\ngo 1.19\n", "cart.go": _GO_CART},
)


def _cargo(
    name: str, body: str, *, attribute: str = "", signature: str = "fn adds_up()", test: str = "adds_up"
) -> Failing:
    text = f"use super::*;\n%PAD%\n%MORE%\n#[test]\n{attribute}{signature} {{\n    {body}\n}}\n"
    lib = f"//! A cart.\n%PAD%\npub fn total(p: &[i32]) -> i32 {{ p.iter().sum() }}\npub fn first(p: &[i32]) -> i32 {{ p[0] }}\n#[derive(Debug, PartialEq)]\npub struct Cart {{ pub name: String, pub n: u8 }}\n#[cfg(test)]\nmod tests {{\n{text}}}\n"
    return Failing(name=name, files={"src/lib.rs": lib}, test=test)


_RUST = (
    _cargo("eq", "assert_eq!(total(&[1, 2]), 4);"),
    _cargo("eq other", "assert_eq!(total(&[1, 2, 2]), 6);"),
    _cargo("eq message", 'assert_eq!(total(&[1, 2]), 4, "the sum of {}", 2);'),
    _cargo("ne", "assert_ne!(total(&[1, 2]), 3);"),
    _cargo("assert", "assert!(total(&[]) > 0);"),
    _cargo("struct", 'assert_eq!(Cart { name: "a".into(), n: 1 }, Cart { name: "b".into(), n: 1 });'),
    _cargo("text", 'assert_eq!("a\\nb", "a\\nc");'),
    _cargo("index", "first(&[]);"),
    _cargo("unwrap none", "None::<i32>.unwrap();"),
    _cargo("unwrap err", 'let r: Result<i32, String> = Err("boom".into()); r.unwrap();'),
    _cargo("expect", '"x".parse::<i32>().expect("a number");'),
    _cargo("panic", 'panic!("not yet");'),
    _cargo("panic lines", 'panic!("first\\nsecond");'),
    _cargo("todo", "todo!();"),
    _cargo("overflow", "let x: u8 = total(&[255]) as u8; let y = total(&[1]) as u8; let _ = x + y;"),
    _cargo("zero", "let z = total(&[]); let _ = 1 / z;"),
    _cargo("no panic", "total(&[]);", attribute="#[should_panic]\n"),
    _cargo("wrong panic", 'panic!("other");', attribute='#[should_panic(expected = "this")]\n'),
    _cargo(
        "result",
        'let n: i32 = "x".parse()?; assert_eq!(n, 1); Ok(())',
        signature="fn adds_up() -> Result<(), std::num::ParseIntError>",
    ),
    _cargo("thread", 'std::thread::spawn(|| panic!("in the background")).join().unwrap();'),
    _cargo("borrow", "let b = std::cell::RefCell::new(1); let _a = b.borrow_mut(); let _c = b.borrow_mut();"),
    _cargo("printed", 'println!("test x ... FAILED"); eprintln!("error: noise"); assert_eq!(total(&[5]), 6);'),
    _cargo("compile name", "nothing();", test="build"),
    _cargo("compile type", 'let n: i32 = "x";', test="build"),
    _cargo("compile borrow", 'let v = vec![1]; drop(v); println!("{:?}", v);', test="build"),
    _cargo("syntax", "let = 1;", test="build"),
)
_CARGO = ("cargo", "test", "--offline")
CARGO = Tool(
    name="cargo test",
    needs=("cargo",),
    families={
        "": (
            Style(name="base", command=_CARGO),
            Style(name="quiet", command=(*_CARGO, "-q")),
            Style(name="uncaptured", command=(*_CARGO, "--", "--nocapture", "--test-threads=1")),
            Style(name="colour", command=(*_CARGO, "--color", "always")),
            Style(name="backtrace", command=_CARGO, env={"RUST_BACKTRACE": "1"}),
        )
    },
    failing=_RUST,
    comment="//",
    more="#[test]\nfn beside() {}\n",
    shared={"Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'},
)
_CPP_CART = '#pragma once\n#include <stdexcept>\n#include <string>\n#include <vector>\n%PAD%\ninline int total(std::vector<int> p) {\n  int s = 0;\n  for (int x : p) {\n    if (x < 0) throw std::invalid_argument("negative price");\n    s += x;\n  }\n  return s;\n}\n'


def _cpp(name: str, head: str, text: str, *, test: str = "total") -> Failing:
    return Failing(name=name, files={"cart_test.cpp": f'{head}\n#include "cart.h"\n%PAD%\n%MORE%\n{text}'}, test=test)


def _built(name: str, *arguments: str, libraries: str = "", compiler: str = "g++ -O0 -w") -> Style:
    script = f"{compiler} -std=c++17 -o t cart_test.cpp {libraries} && ./t {' '.join(arguments)}"
    return Style(name=name, command=("sh", "-c", script))


_GTEST = {
    "eq": "EXPECT_EQ(total({1, 2}), 4);",
    "eq other": "EXPECT_EQ(total({1, 2, 2}), 6);",
    "eq message": 'EXPECT_EQ(total({1, 2}), 4) << "the sum";',
    "two": "EXPECT_EQ(total({1}), 2);\n  EXPECT_TRUE(total({}));",
    "true": "ASSERT_TRUE(total({}) > 0);",
    "str": 'EXPECT_EQ(std::string("a\\nb"), "a\\nc");',
    "near": "EXPECT_NEAR(0.1, 0.3, 0.01);",
    "throws": "total({-1});",
    "no throw": "EXPECT_THROW(total({1}), std::invalid_argument);",
    "fail": 'FAIL() << "not yet";',
    "crash": "int* p = nullptr; *(volatile int*)p = 1;",
    "abort": "abort();",
    "vector": "EXPECT_EQ((std::vector<int>{1, 2}), (std::vector<int>{1, 3}));",
}
_GTEST_LIBRARIES = "-lgtest -lgtest_main -lpthread"
_GTEST_TOOL = Tool(
    name="GoogleTest",
    needs=("g++", "/usr/include/gtest/gtest.h"),
    families={
        "": (
            _built("base", libraries=_GTEST_LIBRARIES),
            _built("colour", "--gtest_color=yes", libraries=_GTEST_LIBRARIES),
            _built("shuffle", "--gtest_shuffle --gtest_print_time=0", libraries=_GTEST_LIBRARIES),
        ),
        "--gtest_brief": (_built("base", "--gtest_brief=1", libraries=_GTEST_LIBRARIES),),
    },
    failing=(
        *(_cpp(n, "#include <gtest/gtest.h>", f"TEST(Cart, AddsUp) {{\n  {b}\n}}\n") for n, b in _GTEST.items()),
        _cpp(
            "parameters",
            "#include <gtest/gtest.h>",
            "class P : public testing::TestWithParam<int> {};\nTEST_P(P, Small) { EXPECT_LT(GetParam(), 3); }\nINSTANTIATE_TEST_SUITE_P(All, P, testing::Values(1, 5, 7));\n",
            test="p",
        ),
        _cpp(
            "set up",
            "#include <gtest/gtest.h>",
            'class Cart : public testing::Test { void SetUp() override { FAIL() << "no base"; } };\nTEST_F(Cart, AddsUp) {}\n',
        ),
    ),
    comment="//",
    more="TEST(Beside, Fine) {}\n",
    shared={"cart.h": _CPP_CART},
)
_CATCH = {
    "eq": "REQUIRE(total({1, 2}) == 4);",
    "eq other": "REQUIRE(total({1, 2, 2}) == 6);",
    "check two": "CHECK(total({1}) == 2);\n  CHECK(total({}) == 1);",
    "throws": "total({-1});",
    "no throw": "REQUIRE_THROWS(total({1}));",
    "fail": 'FAIL("not yet");',
    "str": 'REQUIRE(std::string("a") == "b");',
    "section": 'SECTION("inner") { REQUIRE(total({7}) == 8); }',
    "info": 'INFO("n is 3"); CHECK(total({3}) == 4);',
    "crash": "int* p = nullptr; *(volatile int*)p = 1;",
}
_CATCH_LIBRARIES = "-I. -lCatch2Main -lCatch2"
_CATCH_TOOL = Tool(
    name="Catch2",
    needs=("g++", "/usr/include/catch2/catch_test_macros.hpp"),
    families={
        "": (
            _built("base", libraries=_CATCH_LIBRARIES),
            _built("colour", "--colour-mode ansi", libraries=_CATCH_LIBRARIES),
            _built("order", "--order rand -d yes", libraries=_CATCH_LIBRARIES),
        ),
        "compact": (_built("base", "-r compact", libraries=_CATCH_LIBRARIES),),
    },
    failing=tuple(
        _cpp(n, "#include <catch2/catch_test_macros.hpp>", f'TEST_CASE("cart adds up", "[cart]") {{\n  {b}\n}}\n')
        for n, b in _CATCH.items()
    ),
    comment="//",
    more='TEST_CASE("beside") { REQUIRE(true); }\n',
    shared={"cart.h": _CPP_CART},
)
_BOOST = {
    "eq": "BOOST_CHECK_EQUAL(total({1, 2}), 4);",
    "eq other": "BOOST_CHECK_EQUAL(total({1, 2, 2}), 6);",
    "test": "BOOST_TEST(total({1}) == 2);",
    "require": "BOOST_REQUIRE(total({}) > 0);",
    "throws": "total({-1});",
    "no throw": "BOOST_CHECK_THROW(total({1}), std::invalid_argument);",
    "fail": 'BOOST_FAIL("not yet");',
    "two": "BOOST_TEST(total({1}) == 3);\n  BOOST_TEST(total({}) == 1);",
    "crash": "int* p = nullptr; *(volatile int*)p = 1;",
}
_BOOST_TOOL = Tool(
    name="Boost.Test",
    needs=("g++", "/usr/include/boost/test/included/unit_test.hpp"),
    families={
        "": (
            _built("base", libraries="-lboost_unit_test_framework"),
            _built("suite", "--log_level=test_suite --color_output=yes", libraries="-lboost_unit_test_framework"),
        )
    },
    failing=tuple(
        _cpp(
            n,
            "#define BOOST_TEST_MODULE shop\n#define BOOST_TEST_DYN_LINK\n#include <boost/test/unit_test.hpp>",
            f"BOOST_AUTO_TEST_SUITE(cart)\nBOOST_AUTO_TEST_CASE(adds_up) {{\n  {b}\n}}\nBOOST_AUTO_TEST_SUITE_END()\n",
        )
        for n, b in _BOOST.items()
    ),
    comment="//",
    more="BOOST_AUTO_TEST_CASE(beside) { BOOST_TEST(true); }\n",
    shared={"cart.h": _CPP_CART},
)


def _ctest(name: str, code: str) -> Failing:
    text = f"#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n%PAD%\nint main(void) {{\n  {code}\n}}\n"
    return Failing(name=name, files={"adds.c": text}, test="adds")


_CTEST_TOOL = Tool(
    name="ctest",
    needs=("ctest", "cmake", "gcc"),
    families={
        "": (
            Style(
                name="base",
                command=(
                    "sh",
                    "-c",
                    "cmake -S . -B b >/dev/null && cmake --build b >/dev/null && cd b && ctest --output-on-failure",
                ),
            ),
            Style(
                name="verbose",
                command=("sh", "-c", "cmake -S . -B b >/dev/null && cmake --build b >/dev/null && cd b && ctest -V"),
            ),
            Style(
                name="parallel",
                command=(
                    "sh",
                    "-c",
                    "cmake -S . -B b >/dev/null && cmake --build b >/dev/null && cd b && ctest -j2 --output-on-failure --schedule-random",
                ),
            ),
        ),
        "plain": (
            Style(
                name="base",
                command=("sh", "-c", "cmake -S . -B b >/dev/null && cmake --build b >/dev/null && cd b && ctest"),
            ),
        ),
    },
    failing=(
        _ctest("assert", "assert(1 + 1 == 3);"),
        _ctest("assert other", "assert(2 + 2 == 5);"),
        _ctest("exit", 'puts("expected 3, got 4"); return 1;'),
        _ctest("exit other", 'puts("expected 5, got 4"); return 1;'),
        _ctest("crash", "*(volatile int*)0 = 1;"),
        _ctest("timeout", "sleep(9);"),
    ),
    comment="//",
    shared={
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\nenable_testing()\nadd_executable(adds adds.c)\nadd_test(NAME adds COMMAND adds)\nset_tests_properties(adds PROPERTIES TIMEOUT 1)\nadd_executable(fine fine.c)\nadd_test(NAME fine COMMAND fine)\n",
        "fine.c": "int main(void) { return 0; }\n",
    },
)

TOOLS = (GO, CARGO, _GTEST_TOOL, _CATCH_TOOL, _BOOST_TOOL, _CTEST_TOOL)
