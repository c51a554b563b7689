"""Programs and texts that linters and formatters complain about."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from benchmarks.fingerprints_tools.program import Program, Tool

_ESLINT = """\
export default [{ languageOptions: { ecmaVersion: 2022, sourceType: "module" }, rules: {
  "no-unused-vars": "error", "no-undef": "error", eqeqeq: "error", "prefer-const": "warn", "no-empty": "error" } }];
"""
_JS = """\
import { price } from "./price.js";
¶
export function total(items) {
  let sum = 0;
  for (const item of items) sum += price(item);
  §
  return sum;
}
"""
_JS_FILES = {
    "eslint.config.mjs": _ESLINT,
    "src/cart.js": _JS,
    "src/price.js": "export const price = (item) => item.cost;\n",
}
_JS_FAULTS = {
    "unused": "const left = 3;",
    "unused_other": "const right = 3;",
    "undef": "sum += discount;",
    "equal": "if (sum == 3) sum += 1;",
    "empty": "if (sum > 3) {}",
    "syntax": "sum += ;",
    "two": "const left = 3; if (sum == 3) sum += 1;",
}
_CSS = {
    ".stylelintrc.json": '{"rules": {"color-no-invalid-hex": true, "block-no-empty": true,'
    ' "property-no-unknown": true, "unit-no-unknown": true}}\n',
    "site.css": "¶\na { color: red; }\n\n.cart {\n  §\n  margin: 3px;\n}\n",
}
_MARKDOWN = {
    ".markdownlint.json": '{"MD013": false}\n',
    "README.md": "# Shop\n¶\nA shop.\n\n§\n",
}
_YAML = {".yamllint": "extends: default\n", "deploy.yml": "---\n¶\nservices:\n  web:\n    image: shop\n§\n"}
_SHELL = '#!/bin/bash\n¶\nset -eu\nfor file in src/*; do\n  echo "$file"\ndone\n§\n'
_SHELL_FAULTS = {
    "quote": "echo $HOME/x",
    "quote_other": "rm $target",
    "unused": "left=3",
    "cd": "cd src",
    "syntax": "if true; then echo 3",
}
_RUBY = "# frozen_string_literal: true\n¶\n# A cart.\nclass Cart\n  def total(items)\n    §\n    items.sum(&:price)\n  end\nend\n"
_DOCKER = 'FROM debian:12\n¶\nWORKDIR /app\n§\nCMD ["true"]\n'
_SQL = "¶\nSELECT\n    id,\n    price\nFROM items\n§\n"

TOOLS = (
    Tool(
        name="eslint",
        argv=("eslint", "{files}"),
        comment="//",
        colour=("--color",),
        programs={"cart": Program(files=_JS_FILES, targets=("src/cart.js", "src/price.js"), faults=_JS_FAULTS)},
    ),
    Tool(
        name="eslint -f unix",
        argv=("eslint", "-f", "{modules}/eslint-formatter-unix/index.js", "{files}"),
        comment="//",
        programs={"cart": Program(files=_JS_FILES, targets=("src/cart.js", "src/price.js"), faults=_JS_FAULTS)},
    ),
    Tool(
        name="eslint -f compact",
        argv=("eslint", "-f", "{modules}/eslint-formatter-compact/index.js", "{files}"),
        comment="//",
        programs={"cart": Program(files=_JS_FILES, targets=("src/cart.js", "src/price.js"), faults=_JS_FAULTS)},
    ),
    Tool(
        name="eslint -f json",
        argv=("eslint", "-f", "json", "{files}"),
        comment="//",
        programs={"cart": Program(files=_JS_FILES, targets=("src/cart.js", "src/price.js"), faults=_JS_FAULTS)},
    ),
    Tool(
        name="oxlint",
        argv=("oxlint", "--deny-warnings", "{files}"),
        comment="//",
        programs={
            "cart": Program(
                files={k: v for k, v in _JS_FILES.items() if k.startswith("src")},
                faults={
                    "unused": "const left = 3;",
                    "unused_other": "const right = 3;",
                    "compare": "if (sum === sum) sum += 1;",
                    "syntax": "sum += ;",
                },
            )
        },
    ),
    Tool(
        name="biome",
        argv=("biome", "lint", "{files}"),
        comment="//",
        colour=("--colors=force",),
        programs={
            "cart": Program(
                files={k: v for k, v in _JS_FILES.items() if k.startswith("src")},
                faults={
                    "equal": "if (sum == 3) sum += 1;",
                    "debugger": "debugger;",
                    "compare": "if (sum === sum) sum += 1;",
                    "syntax": "sum += ;",
                },
            )
        },
    ),
    Tool(
        name="prettier --check",
        argv=("prettier", "--check", "{files}"),
        comment="//",
        colour=("--color",),
        programs={
            "cart": Program(
                files={"cart.js": "¶\nconst a = 3;\n§\n", "b.js": "const b = 3;\n"},
                faults={"style": "const  c = 3", "syntax": "const = 3;"},
            ),
            "both": Program(
                files={"cart.js": "¶\nconst a = 3;\n§\n", "b.js": "const  b = 3;\n"}, faults={"style": "const  c = 3"}
            ),
        },
    ),
    Tool(
        name="stylelint",
        argv=("stylelint", "{files}"),
        comment="",
        colour=("--color",),
        forms={"unix": ("--formatter", "unix"), "compact": ("--formatter", "compact")},
        programs={
            "site": Program(
                files=_CSS,
                targets=("site.css",),
                moved={".cart {": "/* a cart */\n\n\n.cart {"},
                faults={
                    "hex": "color: #ab;",
                    "hex_other": "color: #zzz;",
                    "property": "colr: red;",
                    "unit": "width: 3pixels;",
                    "syntax": "color red;",
                },
            )
        },
    ),
    Tool(
        name="markdownlint",
        argv=("markdownlint-cli2", "{files}"),
        comment="",
        programs={
            "readme": Program(
                files=_MARKDOWN,
                targets=("README.md",),
                moved={"A shop.": "A shop.\n\nMore of it."},
                faults={"level": "### Deep", "url": "See http://shop.example", "emphasis": "text * x *y*"},
            )
        },
    ),
    Tool(
        name="yamllint",
        argv=("yamllint", "{files}"),
        colour=("-f", "colored"),
        forms={"parsable": ("-f", "parsable")},
        programs={
            "deploy": Program(
                files=_YAML,
                targets=("deploy.yml",),
                moved={"services:": "# a comment\nservices:"},
                faults={
                    "indent": "  db:\n      image: x",
                    "duplicate": "  web:\n    image: y",
                    "syntax": "  - [",
                    "colon": "  db:  \n    image: x",
                },
            )
        },
    ),
    Tool(
        name="shellcheck",
        argv=("shellcheck", "{files}"),
        colour=("--color=always",),
        programs={"run": Program(files={"run.sh": _SHELL}, faults=_SHELL_FAULTS)},
    ),
    Tool(
        name="shellcheck -f gcc",
        argv=("shellcheck", "-f", "gcc", "{files}"),
        programs={"run": Program(files={"run.sh": _SHELL}, faults=_SHELL_FAULTS)},
    ),
    Tool(
        name="hadolint",
        argv=("hadolint", "{files}"),
        programs={
            "image": Program(
                files={"Dockerfile": _DOCKER},
                faults={
                    "apt": "RUN apt-get install curl",
                    "cd": "RUN cd /tmp && ls",
                    "add": "ADD a.txt /a.txt",
                    "user": "RUN sudo ls",
                },
            )
        },
    ),
    Tool(
        name="rubocop",
        argv=("rubocop", "--cache", "false", "{files}"),
        colour=("--color",),
        forms={"emacs": ("--format", "emacs"), "clang": ("--format", "clang")},
        programs={
            "cart": Program(
                files={"cart.rb": _RUBY, ".rubocop.yml": "AllCops:\n  NewCops: disable\n"},
                targets=("cart.rb",),
                faults={
                    "quotes": 'puts "three"',
                    "unused": "left = 3",
                    "unused_other": "right = 3",
                    "syntax": "items.each do",
                },
            )
        },
    ),
    Tool(
        name="sqlfluff",
        argv=("sqlfluff", "lint", "--dialect", "ansi", "{files}"),
        comment="--",
        programs={
            "items": Program(
                files={"items.sql": _SQL},
                faults={"case": "where id = 3", "space": "WHERE id=3", "syntax": "WHERE ( AND"},
            )
        },
    ),
    Tool(
        name="php -l",
        argv=("php", "-l", "{files}"),
        comment="//",
        programs={
            "cart": Program(
                files={"cart.php": "<?php\n¶\nfunction total($items) {\n    $sum = 0;\n    §\n    return $sum;\n}\n"},
                faults={"brace": "$sum += ;", "brace_other": "if ($sum {", "string": "$sum = $items foreach;"},
            )
        },
    ),
    Tool(
        name="perl -c",
        argv=("perl", "-c", "{files}"),
        programs={
            "cart": Program(
                files={"cart.pl": "use strict;\nuse warnings;\n¶\nmy $sum = 0;\n§\nprint $sum;\n"},
                faults={
                    "global": "$total = 3;",
                    "global_other": "$left = 3;",
                    "syntax": "if ($sum {",
                    "module": "use Shop::Missing;",
                },
            )
        },
    ),
)
