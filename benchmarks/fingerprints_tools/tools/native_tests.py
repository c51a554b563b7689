"""Tests in C and C++ that fail: GoogleTest, Catch2, doctest, Boost.Test, CppUnit, CppUTest, Check, cmocka."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.fingerprints_tools.program import Program, Tool

_CART = """\
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
¶
inline int total(const std::vector<int>& prices) {
  int sum = 0;
  for (int price : prices) sum += price;
  return sum;
}
inline int price_of(const std::map<std::string, int>& prices, const std::string& name) { return prices.at(name); }
inline void charge(int cents) {
  if (cents < 0) throw std::invalid_argument("negative amount");
}
"""
_BUILD = (
    # The same program is built once: it stays beside the folder of the run.
    "key=$(cat {dir}/*.h {dir}/*.c* | sha1sum | cut -c1-16); bin={dir}/../bin-$key/cart_test; mkdir -p {dir}/../bin-$key; "
    'test -x "$bin" || %s -w -o "$bin" {dir}/cart_test.%s %s 1>&2 || exit 9; exec "$bin" "$@"'
)


def _cpp(test: str, faults: Mapping[str, str], *, more: Mapping[str, str] | None = None) -> Program:
    return Program(files={"cart.h": _CART, "cart_test.cpp": test, **(more or {})}, faults=faults)


def _tool(
    name: str,
    programs: Mapping[str, Program],
    libraries: str,
    *,
    header: str,
    args: tuple[str, ...] = (),
    colour: tuple[str, ...] = (),
    forms: Mapping[str, tuple[str, ...]] | None = None,
    c: bool = False,
    first: str = "",
) -> Tool:
    build = first + _BUILD % (("gcc", "c", libraries) if c else ("g++ -std=c++17", "cpp", libraries))
    return Tool(
        name=name,
        argv=("sh", "-c", build, "cart_test", *args),
        needs=("gcc" if c else "g++", header),
        programs=programs,
        comment="//",
        colour=colour,
        forms=forms or {},
    )


_GTEST_HEAD = '#include "cart.h"\n#include <gmock/gmock.h>\n#include <gtest/gtest.h>\n¶\n'
_GTEST = _cpp(
    _GTEST_HEAD
    + "using ::testing::ElementsAre;\nTEST(Cart, Empty) { EXPECT_EQ(total({}), 0); }\nTEST(Cart, Total) {\n  §\n}\nTEST(Other, Fine) { SUCCEED(); }\n",
    {
        "equal": "EXPECT_EQ(total({1, 2}), 4);",
        "equal_other": "EXPECT_EQ(total({1, 2, 3}), 7);",
        "fatal": "ASSERT_EQ(total({1, 2}), 5);",
        "near": "EXPECT_NEAR(total({1, 2}) * 0.1, 0.35, 1e-6);",
        "text": 'EXPECT_STREQ("apple", std::string("apples").c_str());',
        "true": 'EXPECT_TRUE(total({1}) > 2) << "cart " << 3 << " is too cheap";',
        "throws": "EXPECT_THROW(charge(3), std::invalid_argument);",
        "thrown": "charge(-3);",
        "thrown_other": 'price_of({{"apple", 3}}, "pear");',
        "matcher": "EXPECT_THAT((std::vector<int>{1, 2}), ElementsAre(1, 3));",
        "lines": 'EXPECT_EQ(std::string("one\\ntwo\\nthree"), std::string("one\\n2\\nthree"));',
        "fail": 'FAIL() << "not written yet";',
        "two": "EXPECT_EQ(total({1, 2}), 4);\n  EXPECT_LT(total({5}), 2);",
        "trace": 'SCOPED_TRACE("round one");\n  EXPECT_EQ(total({9}), 4);',
        "abort": "abort();",
        "segv": "int* nothing = nullptr;\n  *nothing = total({1});",
        "death": 'EXPECT_DEATH(charge(3), "negative");',
    },
)
_GTEST_PARAM = _cpp(
    _GTEST_HEAD
    + "class Sum : public ::testing::TestWithParam<int> {};\nTEST_P(Sum, IsSmall) { EXPECT_LT(total({GetParam(), §}), 9); }\nINSTANTIATE_TEST_SUITE_P(Prices, Sum, ::testing::Values(1, 2, 8));\n"
    "class Base : public ::testing::Test {\n protected:\n  void SetUp() override { charge(1); }\n};\nTEST_F(Base, Fine) { SUCCEED(); }\n",
    {"one": "0 + 2", "two": "0 + 7"},
)

_CATCH_HEAD = '#include <catch2/catch.hpp>\n#include "cart.h"\n¶\n'
_CATCH = _cpp(
    _CATCH_HEAD
    + 'TEST_CASE("an empty cart costs nothing") { CHECK(total({}) == 0); }\nTEST_CASE("the total of a cart", "[cart]") {\n  §\n}\n',
    {
        "equal": "REQUIRE(total({1, 2}) == 4);",
        "equal_other": "REQUIRE(total({1, 2, 3}) == 7);",
        "check": "CHECK(total({1, 2}) == 5);",
        "text": 'REQUIRE(std::string("apple") == "apples");',
        "throws": "REQUIRE_THROWS_AS(charge(3), std::invalid_argument);",
        "thrown": "charge(-3);",
        "thrown_other": 'price_of({{"apple", 3}}, "pear");',
        "vector": "REQUIRE(std::vector<int>{1, 2} == std::vector<int>{1, 3});",
        "info": 'INFO("cart of two");\n  CAPTURE(total({2}));\n  REQUIRE(total({2}) == 3);',
        "fail": 'FAIL("not written yet");',
        "section": 'SECTION("with one item") {\n    REQUIRE(total({1}) == 1);\n  }\n  SECTION("with two items") {\n    REQUIRE(total({1, 2}) == 1);\n  }',
        "two": "CHECK(total({1, 2}) == 4);\n  CHECK(total({5}) < 2);",
        "false": "REQUIRE_FALSE(total({1}) == 1);",
        "lines": 'REQUIRE(std::string("one\\ntwo\\nthree") == "one\\n2\\nthree");',
        "segv": "int* nothing = nullptr;\n  *nothing = total({1});",
        "generated": "auto n = GENERATE(1, 2, 3);\n  REQUIRE(total({n}) < 3);",
    },
)
_CATCH_FEW = replace(_CATCH, faults={k: _CATCH.faults[k] for k in ("equal", "thrown", "info", "section", "two")})
_CATCH_HEADER = "/usr/include/catch2/catch.hpp"
_CATCH_MAIN = (
    "test -f {dir}/../main.o || printf '#define CATCH_CONFIG_MAIN\\n#include <catch2/catch.hpp>\\n' "
    "| g++ -std=c++17 -w -x c++ -c -o {dir}/../main.o - || exit 9; "
)
_CATCH_BDD = _cpp(
    _CATCH_HEAD
    + 'SCENARIO("paying for a cart", "[pay]") {\n  GIVEN("a cart with an apple") {\n    WHEN("it is paid") {\n      THEN("it is empty") { REQUIRE(total({3}) == §); }\n    }\n  }\n}\n',
    {"nothing": "0", "one": "1 + 0"},
)
_DOCTEST = _cpp(
    '#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n#include "cart.h"\n¶\n'
    'TEST_CASE("an empty cart") { CHECK(total({}) == 0); }\nTEST_CASE("the total of a cart") {\n  §\n}\n',
    {
        "equal": "REQUIRE(total({1, 2}) == 4);",
        "equal_other": "REQUIRE(total({1, 2, 3}) == 7);",
        "check": "CHECK_EQ(total({1, 2}), 5);",
        "thrown": "charge(-3);",
        "thrown_other": 'price_of({{"apple", 3}}, "pear");',
        "throws": "CHECK_THROWS_AS(charge(3), std::invalid_argument);",
        "message": 'CHECK_MESSAGE(total({1}) > 2, "too cheap");',
        "fail": 'FAIL("not written yet");',
        "two": "CHECK(total({1, 2}) == 4);\n  CHECK(total({5}) < 2);",
        "subcase": 'SUBCASE("one") { CHECK(total({1}) == 1); }\n  SUBCASE("two") { CHECK(total({1, 2}) == 1); }',
        "segv": "int* nothing = nullptr;\n  *nothing = total({1});",
    },
)
_BOOST = _cpp(
    '#define BOOST_TEST_MODULE shop\n#define BOOST_TEST_DYN_LINK\n#include <boost/test/unit_test.hpp>\n#include "cart.h"\n¶\n'
    "BOOST_AUTO_TEST_SUITE(cart)\nBOOST_AUTO_TEST_CASE(empty) { BOOST_TEST(total({}) == 0); }\nBOOST_AUTO_TEST_CASE(sum) {\n  §\n}\nBOOST_AUTO_TEST_SUITE_END()\n",
    {
        "equal": "BOOST_TEST(total({1, 2}) == 4);",
        "equal_other": "BOOST_TEST(total({1, 2, 3}) == 7);",
        "check": "BOOST_CHECK_EQUAL(total({1, 2}), 5);",
        "require": "BOOST_REQUIRE_EQUAL(total({1, 2}), 6);",
        "plain": "BOOST_CHECK(total({1}) > 2);",
        "close": "BOOST_CHECK_CLOSE(0.1 * total({1, 2}), 0.4, 0.001);",
        "throws": "BOOST_CHECK_THROW(charge(3), std::invalid_argument);",
        "thrown": "charge(-3);",
        "thrown_other": 'price_of({{"apple", 3}}, "pear");',
        "fail": 'BOOST_FAIL("not written yet");',
        "error": 'BOOST_ERROR("odd cart");',
        "message": 'BOOST_TEST(total({1}) > 2, "cart is too cheap");',
        "vector": "std::vector<int> a{1, 2}, b{1, 3};\n  BOOST_CHECK_EQUAL_COLLECTIONS(a.begin(), a.end(), b.begin(), b.end());",
        "two": "BOOST_CHECK_EQUAL(total({1, 2}), 4);\n  BOOST_CHECK(total({5}) < 2);",
        "context": 'BOOST_TEST_CONTEXT("round " << 1) { BOOST_TEST(total({9}) == 4); }',
        "segv": "volatile int* nothing = nullptr;\n  *nothing = total({1});",
    },
)
_CPPUNIT = _cpp(
    "#include <cppunit/extensions/HelperMacros.h>\n#include <cppunit/ui/text/TestRunner.h>\n#include <cppunit/extensions/TestFactoryRegistry.h>\n"
    '#include <cppunit/CompilerOutputter.h>\n#include "cart.h"\n¶\nclass CartTest : public CppUnit::TestFixture {\n  CPPUNIT_TEST_SUITE(CartTest);\n  CPPUNIT_TEST(testEmpty);\n  CPPUNIT_TEST(testTotal);\n  CPPUNIT_TEST_SUITE_END();\n\n'
    " public:\n  void testEmpty() { CPPUNIT_ASSERT_EQUAL(0, total({})); }\n  void testTotal() {\n    §\n  }\n};\nCPPUNIT_TEST_SUITE_REGISTRATION(CartTest);\n"
    "int main(int argc, char** argv) {\n  CppUnit::TextUi::TestRunner runner;\n  runner.addTest(CppUnit::TestFactoryRegistry::getRegistry().makeTest());\n  return runner.run() ? 0 : 1;\n}\n",
    {
        "equal": "CPPUNIT_ASSERT_EQUAL(4, total({1, 2}));",
        "equal_other": "CPPUNIT_ASSERT_EQUAL(7, total({1, 2, 3}));",
        "plain": "CPPUNIT_ASSERT(total({1}) > 2);",
        "message": 'CPPUNIT_ASSERT_MESSAGE("too cheap", total({1}) > 3);',
        "thrown": "charge(-3);",
        "thrown_other": 'price_of({{"apple", 3}}, "pear");',
        "throws": "CPPUNIT_ASSERT_THROW(charge(3), std::invalid_argument);",
        "fail": 'CPPUNIT_FAIL("not written yet");',
    },
)
_CPPUTEST = _cpp(
    '#include "cart.h"\n#include <CppUTest/CommandLineTestRunner.h>\n#include <CppUTest/TestHarness.h>\n¶\n'
    "TEST_GROUP(Cart){};\nTEST(Cart, Empty) { LONGS_EQUAL(0, total({})); }\nTEST(Cart, Total) {\n  §\n}\nint main(int argc, char** argv) { return RUN_ALL_TESTS(argc, argv); }\n",
    {
        "equal": "LONGS_EQUAL(4, total({1, 2}));",
        "equal_other": "LONGS_EQUAL(7, total({1, 2, 3}));",
        "plain": "CHECK(total({1}) > 2);",
        "text": 'STRCMP_EQUAL("apple", "apples");',
        "message": 'CHECK_TEXT(total({1}) > 3, "too cheap");',
        "fail": 'FAIL("not written yet");',
    },
)
_C_TEST = """\
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
%s
¶
static int total(int a, int b) { return a + b; }
"""
_CHECK = Program(
    files={
        "cart.h": "",
        "cart_test.c": _C_TEST
        % "#include <check.h>"
        + "START_TEST(test_empty) { ck_assert_int_eq(total(0, 0), 0); }\nEND_TEST\nSTART_TEST(test_total) {\n  §\n}\nEND_TEST\n"
        'int main(void) {\n  Suite* suite = suite_create("Cart");\n  TCase* core = tcase_create("Core");\n  tcase_add_test(core, test_empty);\n  tcase_add_test(core, test_total);\n  suite_add_tcase(suite, core);\n'
        "  SRunner* runner = srunner_create(suite);\n  srunner_run_all(runner, CK_ENV);\n  int failed = srunner_ntests_failed(runner);\n  srunner_free(runner);\n  return failed != 0;\n}\n",
    },
    faults={
        "equal": "ck_assert_int_eq(total(1, 2), 4);",
        "equal_other": "ck_assert_int_eq(total(3, 3), 7);",
        "text": 'ck_assert_str_eq("apple", "apples");',
        "plain": "ck_assert(total(1, 0) > 2);",
        "message": 'ck_assert_msg(total(1, 0) > 2, "cart %d is too cheap", 7);',
        "abort": 'ck_abort_msg("not written yet");',
        "segv": "volatile int* nothing = NULL;\n  *nothing = total(1, 1);",
        "exit": "exit(3);",
    },
)
_CMOCKA = Program(
    files={
        "cart.h": "",
        "cart_test.c": _C_TEST
        % "#include <cmocka.h>"
        + "static void test_empty(void** state) { assert_int_equal(total(0, 0), 0); }\nstatic void test_total(void** state) {\n  §\n}\n"
        "int main(void) {\n  const struct CMUnitTest tests[] = {cmocka_unit_test(test_empty), cmocka_unit_test(test_total)};\n  return cmocka_run_group_tests(tests, NULL, NULL);\n}\n",
    },
    faults={
        "equal": "assert_int_equal(total(1, 2), 4);",
        "equal_other": "assert_int_equal(total(3, 3), 7);",
        "text": 'assert_string_equal("apple", "apples");',
        "plain": "assert_true(total(1, 0) > 2);",
        "null": "assert_non_null((void*)(intptr_t)total(0, 0));",
        "fail": 'fail_msg("not written %s", "yet");',
        "segv": "volatile int* nothing = NULL;\n  *nothing = total(1, 1);",
    },
)

TOOLS = (
    _tool(
        "googletest",
        {"cart": _GTEST, "param": _GTEST_PARAM},
        "-lgmock -lgtest -lgtest_main -lpthread",
        header="/usr/include/gtest/gtest.h",
        colour=("--gtest_color=yes",),
        forms={
            "shuffle": ("--gtest_shuffle",),
            "brief": ("--gtest_brief=1",),
            "no_time": ("--gtest_print_time=0",),
            "filtered": ("--gtest_filter=*Total*:*Sum*",),
        },
    ),
    _tool(
        "catch2",
        {"cart": _CATCH, "bdd": _CATCH_BDD},
        "-x none {dir}/../main.o",
        header=_CATCH_HEADER,
        first=_CATCH_MAIN,
        colour=("--use-colour", "yes"),
        forms={
            "random": ("--order", "rand", "--rng-seed", "7"),
            "durations": ("-d", "yes"),
            "all": ("-s",),
            "filenames": ("-#",),
        },
    ),
    _tool(
        "catch2-compact",
        {"cart": _CATCH_FEW},
        "-x none {dir}/../main.o",
        header=_CATCH_HEADER,
        first=_CATCH_MAIN,
        args=("-r", "compact"),
    ),
    _tool(
        "doctest-cpp",
        {"cart": _DOCTEST},
        "",
        header="/usr/include/doctest/doctest.h",
        colour=("--force-colors=true",),
        forms={"random": ("--order-by=rand",), "durations": ("-d=true",), "all": ("-s=true",)},
    ),
    _tool(
        "boost-test",
        {"cart": _BOOST},
        "-lboost_unit_test_framework",
        header="/usr/include/boost/test/unit_test.hpp",
        colour=("--color_output=yes",),
        forms={
            "suites": ("--log_level=test_suite",),
            "detailed": ("--report_level=detailed",),
            "random": ("--random=5",),
            "all": ("--log_level=all",),
        },
    ),
    _tool("cppunit", {"cart": _CPPUNIT}, "-lcppunit", header="/usr/include/cppunit/TestCase.h"),
    _tool(
        "cpputest",
        {"cart": _CPPUTEST},
        "-lCppUTest",
        header="/usr/include/CppUTest/TestHarness.h",
        colour=("-c",),
        forms={"verbose": ("-v",), "shuffle": ("-s5",)},
    ),
    _tool(
        "check",
        {"cart": _CHECK},
        "-lcheck -lsubunit -lrt -lm -lpthread",
        header="/usr/include/check.h",
        c=True,
    ),
    _tool("cmocka", {"cart": _CMOCKA}, "-lcmocka", header="/usr/include/cmocka.h", c=True),
)
