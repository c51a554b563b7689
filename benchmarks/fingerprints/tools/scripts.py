"""How do the test runners of Ruby, PHP, Perl, the shell, Lua and Java fail?"""

# ruff: noqa: E501 - whole files of other languages stand on one line

from __future__ import annotations

from pathlib import Path

from benchmarks.fingerprints.shape import Failing, Style, Tool

_RUBY_CART = '# a cart\n%PAD%\nclass CartError < StandardError; end\n\ndef total(prices)\n  raise CartError, "negative price in #{prices}" if prices.any?(&:negative?)\n  prices.sum\nend\n\ndef parse(text)\n  Integer(text)\nrescue ArgumentError\n  raise CartError, "no number"\nend\n\ndef deep(n)\n  deep(n + 1) + 1\nend\n'
_RUBY_RAISES = {
    "helper": "total([-1])",
    "cause": "parse('x')",
    "no method": "nil.nothing",
    "name": "nothing_here",
    "zero": "1 / total([])",
    "bare": "raise",
    "lines": 'raise "first\\nsecond"',
    "recursion": "deep(0)",
    "printed": "puts 'Failure: noise'; raise IOError, 'after noise'",
}


def _rspec(name: str, body: str, *, test: str = "total", around: str = "%s") -> Failing:
    inner = f"  it 'adds up' do\n    x = 1\n    {body}\n  end\n"
    return Failing(
        name=name,
        files={
            "spec/cart_spec.rb": f"require_relative '../cart'\n%PAD%\nRSpec.describe 'cart' do\n%MORE%\n{around % inner}end\n"
        },
        test=test,
    )


_RSPEC = (
    _rspec("eq", "expect(total([1, 2])).to eq(4)"),
    _rspec("eq other", "expect(total([1, 2, 2])).to eq(6)"),
    _rspec("eq message", "expect(total([1, 2])).to eq(4), 'the sum'"),
    _rspec("hash", "expect({ a: 1, b: [1] }).to eq({ a: 1, b: [2] })"),
    _rspec("text", 'expect("a\\nb\\nc").to eq("a\\nB\\nc")'),
    _rspec("include", "expect([1, 2]).to include(3)"),
    _rspec("raise error", "expect { total([1]) }.to raise_error(CartError)"),
    _rspec("raise other", "expect { nil.foo }.to raise_error(CartError)"),
    _rspec("lines of source", "expect(\n      total([1, 2])\n    ).to eq(\n      5\n    )"),
    *(_rspec(n, b) for n, b in _RUBY_RAISES.items()),
    _rspec("before", "", around="  before { total([-3]) }\n%s"),
    _rspec("context", "expect(1).to eq(2)", around="  context 'when deep' do\n%s  end\n", test="context"),
    _rspec("aggregate", "aggregate_failures { expect(1).to eq(2); expect(3).to eq(4) }"),
    Failing(name="load", files={"spec/cart_spec.rb": "%PAD%require 'not_there'\n"}, test="module"),
    Failing(
        name="syntax",
        files={"spec/cart_spec.rb": "%PAD%RSpec.describe 'x' do\n  it 'a' do\n    x = )\n  end\nend\n"},
        test="module",
    ),
)
_RSPEC_TOOL = Tool(
    name="RSpec",
    needs=("rspec",),
    families={
        "": (
            Style(name="base", command=("rspec",)),
            Style(name="doc", command=("rspec", "-f", "doc", "--force-color")),
            Style(name="random", command=("rspec", "--order", "rand", "-p")),
            Style(name="backtrace", command=("rspec", "-b")),
        )
    },
    failing=_RSPEC,
    more="  it 'is beside it' do\n    expect(1).to eq(1)\n  end\n",
    shared={"cart.rb": _RUBY_CART},
)


def _minitest(name: str, body: str, *, head: str = "") -> Failing:
    text = f"require 'minitest/autorun'\nrequire_relative 'cart'\n%PAD%\nclass CartTest < Minitest::Test\n%MORE%\n{head}  def test_total\n    x = 1\n    {body}\n  end\nend\n"
    return Failing(name=name, files={"cart_test.rb": text})


_MINITEST = (
    _minitest("eq", "assert_equal 4, total([1, 2])"),
    _minitest("eq other", "assert_equal 6, total([1, 2, 2])"),
    _minitest("eq message", "assert_equal 4, total([1, 2]), 'the sum'"),
    _minitest("hash", "assert_equal({ a: 1, b: [1] }, { a: 1, b: [2] })"),
    _minitest("text", 'assert_equal "a\\nb\\nc\\n", "a\\nB\\nc\\n"'),
    _minitest("assert", "assert total([]).positive?"),
    _minitest("raises", "assert_raises(CartError) { total([1]) }"),
    _minitest("raises other", "assert_raises(CartError) { nil.foo }"),
    *(_minitest(n, b) for n, b in _RUBY_RAISES.items()),
    _minitest("set up", "", head="  def setup\n    total([-3])\n  end\n"),
)
_MINITEST_TOOL = Tool(
    name="minitest",
    needs=("ruby", "/usr/share/doc/ruby-minitest"),
    families={
        "": (
            Style(name="base", command=("ruby", "cart_test.rb")),
            Style(name="verbose", command=("ruby", "cart_test.rb", "-v")),
        )
    },
    failing=_MINITEST,
    more="  def test_beside\n    assert true\n  end\n",
    shared={"cart.rb": _RUBY_CART},
)


def _php(name: str, body: str, *, head: str = "", test: str = "total") -> Failing:
    text = f"<?php\nuse PHPUnit\\Framework\\TestCase;\nrequire_once __DIR__ . '/cart.php';\n%PAD%\nfinal class CartTest extends TestCase\n{{\n%MORE%\n{head}    public function testTotal(): void\n    {{\n        {body}\n    }}\n}}\n"
    return Failing(name=name, files={"CartTest.php": text}, test=test)


_PHP = (
    _php("same", "$this->assertSame(4, total([1, 2]));"),
    _php("same other", "$this->assertSame(6, total([1, 2, 2]));"),
    _php("message", "$this->assertSame(4, total([1, 2]), 'the sum');"),
    _php("array", "$this->assertEquals(['a' => 1, 'b' => [1]], ['a' => 1, 'b' => [2]]);"),
    _php("text", '$this->assertSame("a\\nb\\nc", "a\\nB\\nc");'),
    _php("true", "$this->assertTrue(total([]) > 0);"),
    _php("helper", "total([-1]);"),
    _php("previous", "parse('x');"),
    _php("type", "total('x');"),
    _php("undefined", "nothing_here();"),
    _php("zero", "intdiv(1, total([]));"),
    _php("expected exception", "$this->expectException(LogicException::class); total([1]);"),
    _php("expected other", "$this->expectException(LogicException::class); total([-1]);"),
    _php("fail", "$this->fail('not yet');"),
    _php("warning", "$a = []; $this->assertSame(1, $a['x']);"),
    _php(
        "set up",
        "",
        head="    protected function setUp(): void { throw new LogicException('no base'); }\n",
        test="class",
    ),
    _php(
        "provider",
        "",
        head="    public static function pairs(): array { return ['first' => [1, 1], 'second' => [2, 3], [4, 5]]; }\n    /** @dataProvider pairs */\n    public function testPairs(int $a, int $b): void { $this->assertSame($a, $b); }\n",
        test="provider",
    ),
    Failing(
        name="syntax",
        files={
            "CartTest.php": "<?php\n%PAD%\nfinal class CartTest extends PHPUnit\\Framework\\TestCase { function testA() { $x = ; } }\n"
        },
        test="module",
    ),
)
_PHPUNIT = ("phpunit", "--do-not-cache-result")
_PHP_TOOL = Tool(
    name="PHPUnit",
    needs=("phpunit",),
    families={
        "": (
            Style(name="base", command=(*_PHPUNIT, ".")),
            Style(name="debug", command=(*_PHPUNIT, "--verbose", "--debug", ".")),
            Style(name="colour", command=(*_PHPUNIT, "--colors=always", ".")),
            Style(name="random", command=(*_PHPUNIT, "--order-by=random", ".")),
        ),
        "--testdox": (Style(name="base", command=(*_PHPUNIT, "--testdox", ".")),),
    },
    failing=_PHP,
    comment="//",
    more="    public function testBeside(): void { $this->assertTrue(true); }\n",
    shared={
        "cart.php": "<?php\n%PAD%\nclass CartError extends Exception {}\nfunction total(array $prices): int\n{\n    foreach ($prices as $p) {\n        if ($p < 0) {\n            throw new CartError('negative price');\n        }\n    }\n    return array_sum($prices);\n}\nfunction parse(string $s): int\n{\n    try {\n        throw new ValueError('odd');\n    } catch (ValueError $e) {\n        throw new CartError('no number', 3, $e);\n    }\n}\n"
    },
)


def _perl(name: str, body: str, *, test: str = "adds up") -> Failing:
    text = f'use strict;\nuse warnings;\nuse Test::More;\n%PAD%\nsub total {{ my $s = 0; for (@_) {{ die "negative price\\n" if $_ < 0; $s += $_ }} return $s }}\n%MORE%\n{body}\ndone_testing();\n'
    return Failing(name=name, files={"t/cart.t": text}, test=test)


_PERL_TOOL = Tool(
    name="prove",
    needs=("prove",),
    families={
        "": (
            Style(name="base", command=("prove", "t")),
            Style(name="jobs", command=("prove", "-j2", "--timer", "t")),
            Style(name="verbose", command=("prove", "-v", "t")),
            Style(name="merge", command=("prove", "-v", "-m", "t")),
        ),
    },
    failing=(
        _perl("is", "is(total(1, 2), 4, 'adds up');"),
        _perl("is other", "is(total(1, 2, 2), 6, 'adds up');"),
        _perl("unnamed", "is(total(1, 2), 4);"),
        _perl("ok", "ok(total(), 'adds up');"),
        _perl("like", "like('hello', qr/world/, 'adds up');"),
        _perl("deep", "is_deeply([1, { a => 2 }], [1, { a => 3 }], 'adds up');"),
        _perl("dies", "total(-1);", test="script"),
        _perl("dies other", "die 'not yet';", test="script"),
        _perl("undefined", "nothing();", test="script"),
        _perl("syntax", "my $x = ;", test="script"),
        _perl("subtest", "subtest 'cart' => sub { is(total(3), 4, 'adds up'); };"),
        _perl("plan", "plan tests => 3; ok(1, 'a');", test="script"),
        _perl("two", "is(1, 2, 'one'); is(3, 4, 'three');"),
    ),
    more="ok(1, 'beside');\n",
    beside={"t/a.t": "use Test::More tests => 1;\nok(1, 'more');\n"},
)


def _bats(name: str, body: str, *, test: str = "adds up", head: str = "", coarse: str = "") -> Failing:
    text = f'#!/usr/bin/env bats\n%PAD%\ntotal() {{ echo $(( $1 + $2 )); }}\n{head}\n%MORE%\n@test "adds up" {{\n  {body}\n}}\n'
    return Failing(name=name, files={"cart.bats": text}, test=test, coarse=coarse)


_BATS_TOOL = Tool(
    name="bats",
    needs=("bats",),
    families={
        "": (
            Style(name="base", command=("bats", "--formatter", "pretty", ".")),
            Style(name="tap", command=("bats", "--formatter", "tap", ".")),
            Style(name="timing", command=("bats", "--formatter", "tap", "--timing", ".")),
        )
    },
    failing=(
        _bats("test", '[ "$(total 1 2)" -eq 4 ]'),
        _bats("test other", '[[ "$(total 1 2)" == 5 ]]'),
        _bats("status", "false"),
        _bats("run", 'run ls /not-there\n  [ "$status" -eq 0 ]'),
        _bats("printed", 'echo "got $(total 1 2)"\n  return 1', coarse="return"),
        _bats("printed other", 'echo "got nothing"\n  return 1', coarse="return"),
        _bats("not found", "nothing_here"),
        _bats("set up", "true", head="setup() { [ -f /not-there ]; }"),
        _bats("helper", "check 3", head='check() {\n  [ "$1" -eq 4 ]\n}'),
    ),
    more='@test "beside" {\n  true\n}\n',
)


def _busted(name: str, body: str, *, test: str = "adds up") -> Failing:
    text = f"local cart = require('cart')\n%PAD%\ndescribe('cart', function()\n%MORE%\n  it('adds up', function()\n    {body}\n  end)\nend)\n"
    return Failing(name=name, files={"spec/cart_spec.lua": text}, test=test)


_BUSTED_TOOL = Tool(
    name="busted",
    needs=("busted",),
    families={
        "": (
            Style(name="base", command=("busted", "-o", "plainTerminal")),
            Style(name="coloured", command=("busted", "-o", "utfTerminal")),
            Style(name="verbose", command=("busted", "-o", "plainTerminal", "-v", "--shuffle")),
        ),
        "tap": (Style(name="base", command=("busted", "-o", "TAP")),),
    },
    failing=(
        _busted("equal", "assert.are.equal(4, cart.total({1, 2}))"),
        _busted("equal other", "assert.are.equal(6, cart.total({1, 2, 2}))"),
        _busted("same", "assert.are.same({a = 1}, {a = 2})"),
        _busted("truthy", "assert.is_true(cart.total({}) > 0)"),
        _busted("error", "cart.total({-1})"),
        _busted("nil", "local x = nil; return x.y"),
        _busted("error table", "error({code = 3})"),
        _busted("has error", "assert.has_error(function() cart.total({}) end)"),
        Failing(name="syntax", files={"spec/cart_spec.lua": "%PAD%describe('x', function( end)\n"}, test="module"),
    ),
    comment="--",
    more="  it('is beside it', function() assert.is_true(true) end)\n",
    shared={
        "cart.lua": "-- a cart\n%PAD%\nlocal M = {}\nfunction M.total(p)\n  local s = 0\n  for _, x in ipairs(p) do\n    if x < 0 then error('negative price') end\n    s = s + x\n  end\n  return s\nend\nreturn M\n"
    },
)
_JARS = Path("/usr/share/java")
_JUNIT5 = (
    "junit-platform-console",
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-commons",
    "junit-platform-engine",
    "junit-platform-launcher",
    "junit-platform-reporting",
    "opentest4j",
    "picocli",
    "apiguardian-api",
    "univocity-parsers",
)
_PATH5 = ":".join(str(_JARS / f"{jar}.jar") for jar in _JUNIT5)
_PATH4 = f"{_JARS}/junit4.jar:{_JARS}/hamcrest-core.jar:{_JARS}/hamcrest-all.jar"
_JAVA_CART = 'package shop;\n%PAD%\npublic class Cart {\n  public static int total(int... prices) {\n    int s = 0;\n    for (int p : prices) {\n      if (p < 0) throw new IllegalArgumentException("negative price");\n      s += p;\n    }\n    return s;\n  }\n  public static int parse(String s) {\n    try {\n      return Integer.parseInt(s);\n    } catch (NumberFormatException e) {\n      throw new IllegalStateException("no number", e);\n    }\n  }\n  public static int deep(int n) { return deep(n + 1) + 1; }\n}\n'
_JAVA = {
    "equals": "assertEquals(4, Cart.total(1, 2));",
    "equals other": "assertEquals(6, Cart.total(1, 2, 2));",
    "message": "%MESSAGE%",
    "true": "assertTrue(Cart.total() > 0);",
    "array": "assertArrayEquals(new int[] {1, 2}, new int[] {1, 3});",
    "text": 'assertEquals("a\\nb", "a\\nc");',
    "helper": "Cart.total(-1);",
    "cause": 'Cart.parse("x");',
    "null": "String s = null; s.length();",
    "recursion": "Cart.deep(0);",
    "throws": "assertThrows(IllegalArgumentException.class, () -> Cart.total(1));",
    "throws other": 'assertThrows(IllegalArgumentException.class, () -> Cart.parse("x"));',
    "fail": 'fail("not yet");',
    "cast": 'Object o = "x"; Integer i = (Integer) o;',
    "lines": 'throw new RuntimeException("first\\nsecond");',
    "bare": "throw new RuntimeException();",
}


def _java(name: str, imports: str, body: str, *, head: str = "", test: str = "total") -> Failing:
    text = f"package shop;\n{imports}\n%PAD%\npublic class CartTest {{\n%MORE%\n{head}  @Test\n  public void addsUp() throws Exception {{\n    int x = 1;\n    {body}\n  }}\n}}\n"
    return Failing(name=name, files={"shop/CartTest.java": text}, test=test)


_I5 = "import static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.*;\nimport org.junit.jupiter.params.*;\nimport org.junit.jupiter.params.provider.*;"
_I4 = "import static org.junit.Assert.*;\nimport org.junit.*;"
_BUILD = "javac -nowarn -d out -cp {path} shop/*.java && java -cp out:{path} {run}"


def _junit5(name: str, *options: str) -> Style:
    run = " ".join(
        ("org.junit.platform.console.ConsoleLauncher", "--scan-class-path", "out", "--disable-banner", *options)
    )
    return Style(name=name, command=("sh", "-c", _BUILD.format(path=_PATH5, run=run)))


_JUNIT5_TOOL = Tool(
    name="JUnit 5",
    needs=("javac", f"{_JARS}/junit-jupiter-api.jar", f"{_JARS}/junit-platform-console.jar"),
    families={
        "": (
            _junit5("base", "--disable-ansi-colors"),
            _junit5("summary", "--details=summary"),
            _junit5("ascii", "--details-theme=ascii"),
        )
    },
    failing=(
        *(
            _java(n, _I5, b.replace("%MESSAGE%", 'assertEquals(4, Cart.total(1, 2), "the sum");'))
            for n, b in _JAVA.items()
        ),
        _java("all", _I5, "assertAll(() -> assertEquals(1, 2), () -> assertTrue(false));"),
        _java("timeout", _I5, "assertTimeout(java.time.Duration.ofMillis(1), () -> Thread.sleep(30));"),
        _java(
            "parameters",
            _I5,
            "",
            head="  @ParameterizedTest @ValueSource(ints = {1, 5, 7}) void small(int n) { assertTrue(n < 3); }\n",
            test="p",
        ),
        _java("nested", _I5, "", head="  @Nested class Deep { @Test void deep() { assertEquals(1, 2); } }\n", test="n"),
        _java("set up", _I5, "", head="  @BeforeEach void up() { Cart.total(-3); }\n"),
        _java("set up all", _I5, "", head="  @BeforeAll static void up() { Cart.total(-3); }\n", test="class"),
    ),
    comment="//",
    more="  @Test\n  public void beside() {}\n",
    shared={"shop/Cart.java": _JAVA_CART},
)
_JUNIT4_TOOL = Tool(
    name="JUnit 4",
    needs=("javac", f"{_JARS}/junit4.jar"),
    families={
        "": (
            Style(
                name="base",
                command=("sh", "-c", _BUILD.format(path=_PATH4, run="org.junit.runner.JUnitCore shop.CartTest")),
            ),
        )
    },
    failing=(
        *(
            _java(n, _I4, b.replace("%MESSAGE%", 'assertEquals("the sum", 4, Cart.total(1, 2));'))
            for n, b in _JAVA.items()
        ),
        _java("set up", _I4, "", head="  @Before public void up() { Cart.total(-3); }\n"),
        _java("compile", _I4, "nothing();", test="build"),
        _java("compile type", _I4, 'int n = "x";', test="build"),
    ),
    comment="//",
    more="  @Test\n  public void beside() {}\n",
    shared={"shop/Cart.java": _JAVA_CART},
)

TOOLS = (_RSPEC_TOOL, _MINITEST_TOOL, _PHP_TOOL, _PERL_TOOL, _BATS_TOOL, _BUSTED_TOOL, _JUNIT5_TOOL, _JUNIT4_TOOL)
