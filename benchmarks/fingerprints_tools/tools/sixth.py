"""A sixth set, of tools that no other set has: runners, linters and builds from the package registries, none of them with a parser of its own."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from benchmarks.fingerprints_tools.program import Program, Tool

_STORE = "¶\ndef find(stock, name):\n    if name not in stock:\n        raise LookupError(f'no {name}')\n    return stock[name]\n"
_FAULTS = {
    "equal": "self.assertEqual(find({'a': 3}, 'a'), 4)",
    "other": "self.assertIn('pear', ['apple'])",
    "thrown": "find({}, 'pear')",
    "type": "find(None, 'pear')",
    "raises": "self.assertRaises(LookupError, find, {'a': 1}, 'a')",
}


def _cases(base: str, imported: str) -> Program:
    return Program(
        files={
            "store.py": _STORE,
            "test_store.py": f"{imported}\n¶\nfrom store import find\n\n\nclass TestStore({base}):\n    def test_fine(self):\n        pass\n\n    def test_price(self):\n        §\n",
            "test_more.py": f"{imported}\n\n\nclass TestMore({base}):\n    def test_more(self):\n        pass\n",
            ".stestr.conf": "[DEFAULT]\ntest_path=.\n",
        },
        faults=_FAULTS,
        targets=("test_store", "test_more"),
    )


_SPEC = {
    "equal": "expect(find({'a': 3}, 'a')).to(equal(4))",
    "contain": "expect(['apple']).to(contain('pear'))",
    "thrown": "find({}, 'pear')",
    "type": "find(None, 'pear')",
    "assert": "assert find({'a': 3}, 'a') == 4",
}
_STEPS = {
    "equal": "assert find({'a': 3}, 'a') == 4",
    "said": "assert 3 > 7, 'too cheap'",
    "thrown": "find({}, 'pear')",
    "type": "find(None, 'pear')",
}
_EXAMPLES = {
    "value": ">>> find({'a': 3}, 'a')\n    4",
    "thrown": ">>> find({}, 'pear')\n    4",
    "type": ">>> find(None, 'pear')\n    4",
    "text": ">>> find({'a': 'x'}, 'a')\n    'y'",
}
_RUNNERS = (
    Tool(
        name="testtools",
        argv=("python3", "-m", "testtools.run", "{files}"),
        programs={"store": _cases("TestCase", "from testtools import TestCase")},
    ),
    Tool(
        name="stestr",
        argv=("sh", "-c", "stestr init >/dev/null 2>&1; stestr run --concurrency 1"),
        needs=("stestr",),
        programs={"store": _cases("TestCase", "from unittest import TestCase")},
        forms={},
    ),
    Tool(
        name="zope-testrunner",
        argv=("zope-testrunner", "--path=.", "--tests-pattern=^test_"),
        programs={"store": _cases("TestCase", "from unittest import TestCase")},
        colour=("--color",),
        forms={"verbose": ("-vv",), "one by one": ("--shuffle",)},
    ),
    Tool(
        name="trial",
        argv=("trial", "test_store", "test_more"),
        programs={"store": _cases("TestCase", "from twisted.trial.unittest import TestCase")},
        env={"PYTHONPATH": "."},
    ),
    Tool(
        name="mamba",
        argv=("mamba", "store_spec.py"),
        programs={
            "store": Program(
                files={
                    "store.py": _STORE,
                    "store_spec.py": "from expects import contain, equal, expect\nfrom mamba import description, it\n¶\nfrom store import find\n\nwith description('a store') as self:\n    with it('is fine'):\n        pass\n\n    with it('finds a price'):\n        §\n",
                },
                faults=_SPEC,
            )
        },
        forms={"documentation": ("--format", "documentation")},
    ),
    Tool(
        name="radish",
        argv=("radish", "-b", "steps", "features"),
        programs={
            "store": Program(
                files={
                    "store.py": _STORE,
                    "steps/steps.py": "import sys\nsys.path.insert(0, '.')\nfrom radish import given, then\n¶\nfrom store import find\n\n\n@given('a store')\ndef a_store(step):\n    pass\n\n\n@then('a price is found')\ndef a_price(step):\n    §\n",
                    "features/store.feature": "Feature: a store\n\n    Scenario: fine\n        Given a store\n\n    Scenario: a price\n        Given a store\n        Then a price is found\n",
                },
                faults=_STEPS,
            )
        },
        forms={"traceback": ("--with-traceback",)},
    ),
    Tool(
        name="xdoctest",
        argv=("xdoctest", "store.py"),
        programs={
            "store": Program(
                files={
                    "store.py": _STORE.replace("):\n    if", '):\n    """\n    Example:\n    §\n    """\n    if', 1)
                },
                faults={
                    name: text.replace("\n    ", "\n        ").replace(">>>", "    >>>")
                    for name, text in _EXAMPLES.items()
                },
            )
        },
    ),
)


def _checked(name: str, text: str, faults: dict[str, str], **more: str) -> dict[str, Program]:
    files = {name: text, **{path.replace("__", "."): other for path, other in more.items()}}
    return {"file": Program(files=files, faults=faults, targets=(name,))}


_PY = "¶\nimport os\n\n\ndef first():\n    return os.name\n\n\n§\n"
_LINTERS = (
    Tool(
        name="pycodestyle",
        argv=("pycodestyle", "{files}"),
        programs=_checked(
            "cart.py",
            _PY,
            {"blank": "x=1", "long": "x = '" + 90 * "a" + "'", "compare": "x = first() == None", "name": "l = 1"},
        ),
        forms={"shown": ("--show-source",), "statistics": ("--statistics",)},
    ),
    Tool(
        name="pyflakes",
        argv=("pyflakes", "{files}"),
        programs=_checked(
            "cart.py",
            _PY,
            {"undefined": "x = totl", "unused": "import sys", "again": "def first(): pass", "syntax": "x = ("},
        ),
    ),
    Tool(
        name="codespell",
        argv=("codespell", "{files}"),
        programs=_checked(
            "cart.md",
            "¶\nThe cart.\n\n§\n",
            {"the": "Find teh price.", "receive": "We recieve it.", "two": "An occured seperate thing."},
        ),
        colour=("--enable-colors",),
        forms={"context": ("-C", "0")},
    ),
    Tool(
        name="typos",
        argv=("typos", "{files}"),
        programs=_checked(
            "cart.md",
            "¶\nThe cart.\n\n§\n",
            {"the": "Find teh price.", "receive": "We recieve it.", "two": "An occured seperate thing."},
        ),
        colour=("--color", "always"),
        forms={"brief": ("--format", "brief")},
    ),
    Tool(
        name="doc8",
        argv=("doc8", "{files}"),
        comment="..",
        programs=_checked(
            "cart.rst",
            "¶\n\nA cart\n======\n\n§\n",
            {"long": 30 * "word ", "blank": "word ", "title": "Title\n===", "tab": "\tword"},
        ),
        forms={"verbose": ("-v",)},
    ),
    Tool(
        name="rstcheck",
        argv=("rstcheck", "{files}"),
        comment="..",
        programs=_checked(
            "cart.rst",
            "¶\n\nA cart\n======\n\n§\n",
            {"title": "Title\n===", "role": ":rol:`x`", "directive": ".. nothing::", "target": "see cart_"},
        ),
    ),
    Tool(
        name="djlint",
        argv=("djlint", "--lint", "{files}"),
        comment="",
        programs=_checked(
            "cart.html",
            '<!DOCTYPE html>\n<html lang="en">\n<head><title>x</title></head>\n<body>\n§\n</body>\n</html>\n',
            {
                "img": '<img src="a.png">',
                "style": '<b style="x">y</b>',
                "quote": "<a href='x'>y</a>",
                "upper": "<DIV>x</DIV>",
            },
        ),
    ),
    Tool(
        name="pymarkdown",
        argv=("pymarkdown", "scan", "{files}"),
        comment="",
        programs=_checked(
            "cart.md",
            "# Cart\n\nA cart.\n\n§\n",
            {"level": "### Deep", "blank": "word   ", "list": "* a\n+ b", "url": "see http://a.example/b"},
        ),
    ),
    Tool(
        name="interrogate",
        argv=("interrogate", "-vv", "-f", "100", "{files}"),
        programs=_checked(
            "cart.py",
            '"""Cart."""\n¶\n\n\ndef first():\n    """First."""\n\n\n§\n',
            {"one": "def pear(): pass", "two": "class Pear: pass"},
        ),
    ),
    Tool(
        name="xenon",
        argv=("xenon", "--max-absolute", "A", "{files}"),
        programs=_checked(
            "cart.py",
            "¶\n\n\n§\n",
            {
                "one": "def pear(a):\n" + "".join(f"    if a == {n}: return {n}\n" for n in range(8)),
                "two": "def apple(a):\n" + "".join(f"    if a == {n}: return {n}\n" for n in range(8)),
            },
        ),
    ),
    Tool(
        name="cpplint",
        argv=("cpplint", "{files}"),
        comment="//",
        programs=_checked(
            "cart.cc",
            "// Copyright 2026 shop\n¶\n#include <string>\n\nint first() {\n  §\n}\n",
            {
                "if": "if(1) return 2;",
                "tab": "\treturn 1;",
                "cast": "return (int)2.0;",
                "long": "return 1;" + 90 * " " + "// x",
            },
        ),
    ),
    Tool(
        name="refurb",
        argv=("refurb", "{files}"),
        programs=_checked(
            "cart.py",
            _PY,
            {
                "open": "with open('x') as f:\n    y = f.read()",
                "in": "x = 1\nif x == 1 or x == 2:\n    print(x)",
                "print": "print('')",
            },
        ),
    ),
    Tool(
        name="basedpyright",
        argv=("basedpyright", "{files}"),
        programs=_checked(
            "cart.py",
            _PY,
            {"type": "x: int = 'a'", "name": "x = totl", "attribute": "x = os.nothing", "call": "x = first(1)"},
        ),
    ),
    Tool(
        name="check-jsonschema",
        argv=("check-jsonschema", "--schemafile", "schema.json", "cart.json"),
        comment="",
        programs={
            "file": Program(
                files={
                    "schema.json": '{"type": "object", "properties": {"price": {"type": "integer", "maximum": 9}}, "required": ["name"]}\n',
                    "cart.json": "{\n  §\n}\n",
                },
                faults={
                    "type": '"name": "a", "price": "x"',
                    "required": '"price": 1',
                    "most": '"name": "a", "price": 10',
                    "syntax": '"name"',
                },
            )
        },
        colour=("--color", "always"),
        forms={"verbose": ("-v",)},
    ),
    Tool(
        name="zizmor",
        argv=("zizmor", "--offline", ".github/workflows/ci.yml"),
        programs={
            "file": Program(
                files={
                    ".github/workflows/ci.yml": "¶\non: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      §\n"
                },
                faults={
                    "persist": "- uses: actions/checkout@v4",
                    "inject": "- run: echo ${{ github.event.issue.title }}",
                    "unpinned": "- uses: shop/act@main",
                },
            )
        },
        colour=("--color", "always"),
    ),
    Tool(
        name="lint-imports",
        argv=("lint-imports",),
        programs={
            "file": Program(
                files={
                    ".importlinter": "[importlinter]\nroot_package = shop\n\n[importlinter:contract:a]\nname = layers\ntype = layers\nlayers =\n    shop.top\n    shop.low\n",
                    "shop/__init__.py": "",
                    "shop/top.py": "x = 1\n",
                    "shop/mid.py": "from shop import top\n",
                    "shop/low.py": "¶\n§\n",
                },
                faults={"direct": "from shop import top", "indirect": "from shop import mid"},
            )
        },
    ),
    Tool(
        name="deptry",
        argv=("deptry", "."),
        programs={
            "file": Program(
                files={
                    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\ndependencies = ["click"]\n',
                    "cart.py": "¶\nimport click\n§\n",
                },
                faults={
                    "missing": "import nowhere",
                    "other": "import elsewhere",
                    "two": "import nowhere\nimport elsewhere",
                },
            )
        },
    ),
)
_BUILDS = (
    Tool(
        name="scons",
        argv=("scons",),
        programs={
            "build": Program(
                files={"SConstruct": "¶\n§\n", "cart.c": "int main(void) { return 0; }\n"},
                faults={
                    "source": "Program('cart', 'pear.c')",
                    "name": "Program(totl)",
                    "syntax": "Program('cart'",
                    "command": "Command('out', 'cart.c', 'exit 3')",
                },
            )
        },
        forms={"quiet": ("-Q",)},
    ),
    Tool(
        name="invoke",
        argv=("invoke", "check"),
        programs={
            "build": Program(
                files={"tasks.py": "from invoke import task\n¶\n\n\n@task\ndef check(c):\n    §\n"},
                faults={
                    "command": "c.run('echo no price for pear; exit 3')",
                    "other": "c.run('cat nowhere.txt')",
                    "thrown": "raise LookupError('no pear')",
                },
            )
        },
        forms={"echo": ("--echo",)},
    ),
    Tool(
        name="doit",
        argv=("doit",),
        programs={
            "build": Program(
                files={
                    "dodo.py": "¶\n\n\ndef task_check():\n    return {'actions': [§], 'verbosity': 2}\n\n\ndef find(name):\n    raise LookupError(f'no {name}')\n"
                },
                faults={
                    "command": "'cat nowhere.txt'",
                    "other": "'echo no price for pear; exit 3'",
                    "thrown": "(find, ['pear'])",
                },
            )
        },
    ),
    Tool(
        name="sphinx-build",
        argv=("sphinx-build", "-W", "--keep-going", "-b", "html", ".", "_build"),
        comment="..",
        programs={
            "docs": Program(
                files={"conf.py": "project = 'shop'\n", "index.rst": "¶\n\nShop\n====\n\n§\n"},
                faults={
                    "ref": "See :doc:`nowhere`.",
                    "title": "Title\n===",
                    "directive": ".. nothing::",
                    "role": ":rol:`x`",
                },
            )
        },
        colour=("--color",),
        forms={"quiet": ("-q",), "verbose": ("-v",)},
    ),
    Tool(
        name="mkdocs",
        argv=("mkdocs", "build", "--strict"),
        comment="",
        programs={
            "docs": Program(
                files={"mkdocs.yml": "site_name: shop\nnav:\n  - index.md\n", "docs/index.md": "# Shop\n\n§\n"},
                faults={"link": "[x](nowhere.md)", "other": "[x](elsewhere.md)"},
            )
        },
    ),
    Tool(
        name="clippy",
        argv=("cargo", "clippy", "--offline", "--", "-D", "warnings"),
        comment="//",
        programs={
            "build": Program(
                files={
                    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
                    "src/main.rs": "¶\nfn main() {\n    let prices = vec![1, 2];\n    §\n}\n",
                },
                faults={
                    "len": 'if prices.len() == 0 { println!("none") }',
                    "unused": "let _x = 1; let y = prices[0];",
                    "loop": 'for i in 0..prices.len() { println!("{}", prices[i]) }',
                    "error": "prices.totl();",
                },
            )
        },
    ),
    Tool(
        name="rake",
        argv=("rake",),
        programs={
            "build": Program(
                files={"Rakefile": "¶\ntask default: :check\n\ntask :check do\n  §\nend\n"},
                faults={
                    "command": "sh 'cat nowhere.txt'",
                    "thrown": "raise ArgumentError, 'no pear'",
                    "name": "totl",
                    "missing": "Rake::Task[:nowhere].invoke",
                },
            )
        },
        forms={"trace": ("--trace",)},
    ),
)
TOOLS = (*_RUNNERS, *_LINTERS, *_BUILDS)
