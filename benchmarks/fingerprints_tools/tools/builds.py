"""Build files that build tools and bundlers cannot follow."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from benchmarks.fingerprints_tools.program import Program, Tool

_MAKE = "all: app\n¶\napp: main.o §\n\techo linking\n\nmain.o:\n\techo compiling\n"
_MAKE_RECIPE = "¶\nall:\n\t@echo building\n\t§\n"
_CMAKE = "cmake_minimum_required(VERSION 3.10)\nproject(shop NONE)\n¶\n§\nadd_custom_target(all_of_it ALL)\n"
_BUNDLE = {
    "src/index.js": 'import { price } from "./price.js";\n¶\nexport function total(items) {\n  return items.map(price);\n}\n§\n',
    "src/price.js": "export const price = (item) => item.cost;\n",
    "package.json": '{"name": "shop", "version": "1.0.0", "type": "module"}\n',
}
_BUNDLE_FAULTS = {
    "missing": 'import "./missing.js";',
    "missing_other": 'import "./absent.js";',
    "package": 'import thing from "not-installed-thing"; console.log(thing);',
    "syntax": "const = 3;",
    "export": 'import { weight } from "./price.js"; console.log(weight);',
}
_CARGO = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n¶\n[dependencies]\n§\n'
_POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>shop</groupId><artifactId>shop</artifactId><version>1</version>
  ¶
  §
</project>
"""

TOOLS = (
    Tool(
        name="make",
        argv=("make", "all"),
        programs={
            "rules": Program(
                files={"Makefile": _MAKE}, faults={"rule": "missing.o", "rule_other": "absent.o", "two": "a.o b.o"}
            ),
            "recipe": Program(
                files={"Makefile": _MAKE_RECIPE},
                faults={"false": "false", "command": "no-such-command --x", "script": "cat missing.txt"},
            ),
        },
    ),
    Tool(
        name="cmake",
        argv=("cmake", "-S", ".", "-B", "build"),
        programs={
            "project": Program(
                files={"CMakeLists.txt": _CMAKE},
                faults={
                    "package": "find_package(Absent REQUIRED)",
                    "package_other": "find_package(Missing REQUIRED)",
                    "command": "no_such_command(x)",
                    "message": 'message(FATAL_ERROR "The version is too old")',
                    "subdirectory": "add_subdirectory(absent)",
                    "syntax": "set(x",
                },
            )
        },
    ),
    Tool(
        name="esbuild",
        argv=("esbuild", "--bundle", "--outfile=out.js", "src/index.js"),
        comment="//",
        colour=("--color=true",),
        programs={"index": Program(files=_BUNDLE, faults={k: v for k, v in _BUNDLE_FAULTS.items() if k != "export"})},
    ),
    Tool(
        name="rollup",
        argv=("rollup", "src/index.js", "--file", "{dir}/out.js"),
        comment="//",
        programs={"index": Program(files=_BUNDLE, faults={k: v for k, v in _BUNDLE_FAULTS.items() if k != "package"})},
    ),
    Tool(
        name="webpack",
        argv=("webpack", "--mode", "production", "--entry", "./src/index.js", "--output-path", "{dir}/out"),
        comment="//",
        colour=("--color",),
        programs={"index": Program(files=_BUNDLE, faults={k: v for k, v in _BUNDLE_FAULTS.items() if k != "export"})},
    ),
    Tool(
        name="vite build",
        argv=("vite", "build"),
        comment="//",
        programs={
            "index": Program(
                files={**_BUNDLE, "index.html": '<script type="module" src="/src/index.js"></script>\n'},
                faults=_BUNDLE_FAULTS,
            )
        },
    ),
    Tool(
        name="npm install",
        argv=("npm", "install", "--offline", "--no-audit", "--cache", "{dir}/cache"),
        comment="",
        programs={
            "package": Program(
                files={"package.json": '{"name": "shop", "version": "1.0.0", §}\n'},
                faults={
                    "missing": '"dependencies": {"not-installed-thing": "^3.0.0"}',
                    "missing_other": '"dependencies": {"absent-thing": "^3.0.0"}',
                    "syntax": '"dependencies": {,}',
                },
            )
        },
    ),
    Tool(
        name="pip install",
        argv=(
            "python3",
            "-m",
            "pip",
            "install",
            "--no-index",
            "--no-input",
            "--target",
            "{dir}/out",
            "-r",
            "requirements.txt",
        ),
        programs={
            "requirements": Program(
                files={"requirements.txt": "¶\n§\n"},
                faults={"missing": "not-there-at-all==3.0", "missing_other": "absent-thing>=2", "syntax": "== 3"},
            )
        },
    ),
    Tool(
        name="cargo (dependencies)",
        argv=("cargo", "build", "--offline"),
        comment="#",
        colour=("--color=always",),
        programs={
            "manifest": Program(
                files={"Cargo.toml": _CARGO, "src/main.rs": "fn main() {}\n"},
                faults={
                    "missing": 'not-there-at-all = "3"',
                    "missing_other": 'absent-thing = "3"',
                    "path": 'near = { path = "../near" }',
                    "syntax": "near = = 3",
                },
            )
        },
    ),
    Tool(
        name="mvn",
        argv=("mvn", "-o", "-B", "-Dmaven.repo.local={dir}/repo", "compile"),
        comment="",
        programs={
            "pom": Program(
                files={"pom.xml": _POM},
                moved={"<modelVersion>": "<!-- a shop -->\n\n\n  <modelVersion>"},
                faults={
                    "parent": "<parent><groupId>x</groupId><artifactId>absent</artifactId><version>1</version></parent>",
                    "syntax": "<dependencies>",
                    "element": "<oddity/>",
                },
            )
        },
    ),
)
