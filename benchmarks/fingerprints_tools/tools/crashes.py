"""Programs that end badly: uncaught errors, signals, what sanitizers and valgrind say."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from benchmarks.fingerprints_tools.program import Program, Tool

_PYTHON = {
    "run.py": "import shop.cart\n\nshop.cart.main()\n",
    "shop/__init__.py": "",
    "shop/cart.py": """\
import json
import threading
¶

class CartError(Exception):
    pass


def parse(text):
    return json.loads(text)


def chained():
    try:
        parse("{")
    except ValueError as error:
        raise CartError("cannot read the cart") from error


def during():
    try:
        {}["key"]
    except KeyError:
        raise CartError("no such key")


def in_thread():
    def work():
        raise CartError("inside a thread")
    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    raise SystemExit(1)


def main():
    §
""",
}
_NODE = {
    "run.mjs": 'import { main } from "./cart.mjs";\n\nmain();\n',
    "cart.mjs": """\
import { readFileSync } from "node:fs";
¶
class CartError extends Error {}

function parse(text) {
  return JSON.parse(text);
}

function wrapped() {
  try {
    parse("{");
  } catch (cause) {
    throw new CartError("cannot read the cart", { cause });
  }
}

export function main() {
  console.log("starting");
  §
}
""",
}
_RUBY = """\
require "json"
¶
class CartError < StandardError; end

def parse(text)
  JSON.parse(text)
end

def wrapped
  parse("{")
rescue JSON::ParserError
  raise CartError, "cannot read the cart"
end

def main
  §
end

main
"""
_BASH = "#!/bin/bash\n¶\nset -euo pipefail\nstep() {\n  §\n}\necho starting\nstep\necho done\n"
_PERL = "use strict;\nuse warnings;\n¶\nsub total {\n    my ($items) = @_;\n    §\n    return 3;\n}\ntotal([1, 2]);\n"
_PHP = "<?php\n¶\nfunction total($items) {\n    §\n    return 3;\n}\ntotal([1, 2]);\n"
_GO = {
    "go.mod": "module shop\n\ngo 1.19\n",
    "main.go": 'package main\n\nimport "os"\n¶\ntype cart struct{ items []int; next *cart }\n\nfunc total(c *cart) int {\n'
    "\t§\n\treturn len(c.items) + len(os.Args)\n}\n\nfunc main() {\n\ttotal(&cart{})\n}\n",
}
_JAVA = """\
import java.util.List;
¶
public class Cart {
    static int parse(String text) { return Integer.parseInt(text); }
    static int total(List<String> items) {
        int sum = 0;
        §
        return sum;
    }
    public static void main(String[] args) { total(List.of("3")); }
}
"""
_RUST = 'use std::collections::HashMap;\n¶\nfn total(items: &[u32]) -> u32 {\n    §\n    items.len() as u32\n}\n\nfn main() {\n    let m: HashMap<u32, u32> = HashMap::new();\n    println!("{}", total(&[1]) + m.len() as u32);\n}\n'
_C = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <limits.h>
¶
struct item { int price; struct item *next; };

static int first(struct item *one) {
    return one->price;
}

int total(int count) {
    int *prices = malloc(sizeof(int) * 4);
    struct item *none = NULL;
    int sum = count;
    memset(prices, 0, sizeof(int) * 4);
    §
    free(prices);
    return sum + (none != NULL);
}

int main(int argc, char **argv) {
    (void)argv;
    printf("total %d\\n", total(argc));
    return 0;
}
"""
_C_FAULTS = {
    "overflow": "prices[count + 3] = 1;",
    "after_free": "free(prices); sum += prices[0]; prices = NULL;",
    "twice": "free(prices);",
    "null": "sum += first(none);",
}
_BUILD_AND_RUN = "exec 3>&1; gcc -g -O0 {} -o app main.c -lpthread && ./app"
_THREADS = """\
#include <pthread.h>
#include <stdio.h>
¶
int shared, other;
void *work(void *x) { (void)x; §; return 0; }
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
"""


def _c(name: str, flags: str, faults: dict[str, str], **more: object) -> Tool:
    script = f"gcc -g -O0 {flags} -o app main.c && exec ./app"
    return Tool(
        name=name,
        argv=("bash", "-c", script),
        needs=("gcc",),
        comment="//",
        programs={"main": Program(files={"main.c": _C}, faults=faults)},
        **more,  # type: ignore[arg-type] # keywords of Tool
    )


TOOLS = (
    Tool(
        name="python (crash)",
        argv=("python3", "run.py"),
        programs={
            "run": Program(
                files=_PYTHON,
                faults={
                    "chained": "chained()",
                    "during": "during()",
                    "thread": "in_thread()",
                    "plain": 'parse("[")',
                    "key": 'return {}["key"]',
                    "import": "import shop.absent",
                    "exit": 'raise SystemExit("the cart is empty")',
                    "group": 'raise ExceptionGroup("many", [ValueError("one"), KeyError("two")])',
                    "recursion": "main()",
                },
            )
        },
    ),
    Tool(
        name="node (crash)",
        argv=("node", "run.mjs"),
        comment="//",
        programs={
            "run": Program(
                files=_NODE,
                faults={
                    "wrapped": "wrapped();",
                    "parse": 'parse("[");',
                    "type": "null.items;",
                    "type_other": "undefined.items;",
                    "reference": "missing();",
                    "file": 'readFileSync("absent.json");',
                    "rejection": 'Promise.reject(new CartError("rejected"));',
                    "reason": 'Promise.reject("only text");',
                    "string": 'throw "only text";',
                    "import": 'import("./absent.mjs");',
                    "syntax": "const = 3;",
                    "exit": 'console.error("the cart is empty"); process.exit(3);',
                },
            )
        },
    ),
    Tool(
        name="ruby (crash)",
        argv=("ruby", "run.rb"),
        programs={
            "run": Program(
                files={"run.rb": _RUBY},
                faults={
                    "wrapped": "wrapped",
                    "name": "discount(3)",
                    "name_other": "voucher(3)",
                    "nil": "nil.items",
                    "key": "{}.fetch(:key)",
                    "require": 'require "absent"',
                    "abort": 'abort "the cart is empty"',
                    "syntax": "if then",
                },
            )
        },
    ),
    Tool(
        name="bash (script)",
        argv=("bash", "run.sh"),
        programs={
            "run": Program(
                files={"run.sh": _BASH},
                faults={
                    "command": "no-such-command --x",
                    "command_other": "another-missing-one",
                    "unbound": 'echo "$missing"',
                    "file": "cat absent.txt",
                    "said": 'echo "deploy: target is not reachable" >&2; exit 4',
                    "said_other": 'echo "deploy: the key has expired" >&2; exit 4',
                    "silent": "false",
                    "syntax": "if true; then",
                },
            )
        },
    ),
    Tool(
        name="perl (crash)",
        argv=("perl", "run.pl"),
        programs={
            "run": Program(
                files={"run.pl": _PERL},
                faults={
                    "die": 'die "the cart is empty";',
                    "die_other": 'die "the cart is full";',
                    "undefined": "discount(3);",
                    "method": '"x"->price;',
                },
            )
        },
    ),
    Tool(
        name="php (crash)",
        argv=("php", "-d", "display_errors=stderr", "-d", "log_errors=0", "run.php"),
        comment="//",
        programs={
            "run": Program(
                files={"run.php": _PHP},
                faults={
                    "throw": 'throw new RuntimeException("the cart is empty");',
                    "throw_other": 'throw new RuntimeException("the cart is full");',
                    "function": "discount(3);",
                    "null": "$none = null; $none->price();",
                    "type": "strlen([]);",
                },
            )
        },
    ),
    Tool(
        name="go (panic)",
        argv=("go", "run", "."),
        comment="//",
        programs={
            "run": Program(
                files=_GO,
                faults={
                    "index": "_ = c.items[len(os.Args)]",
                    "nil": "_ = c.next.items",
                    "said": 'panic("the cart is empty")',
                    "map": 'var m map[string]int; m["a"] = 1',
                    "deadlock": "<-make(chan int)",
                },
            )
        },
    ),
    Tool(
        name="java (crash)",
        argv=("java", "Cart.java"),
        comment="//",
        programs={
            "run": Program(
                files={"Cart.java": _JAVA},
                faults={
                    "number": 'sum += parse("x");',
                    "index": "sum += items.get(7).length();",
                    "null": "String none = null; sum += none.length();",
                    "cause": 'try { parse("x"); } catch (RuntimeException e) { throw new IllegalStateException("no total", e); }',
                    "thrown": 'if (true) throw new IllegalStateException("the cart is empty");',
                },
            )
        },
    ),
    Tool(
        name="rust (panic)",
        argv=("bash", "-c", "rustc -g --edition 2021 -o app main.rs 2>/dev/null && exec ./app"),
        needs=("rustc",),
        comment="//",
        programs={
            "run": Program(
                files={"main.rs": _RUST},
                faults={
                    "index": "let at = items.len() + 3; let _ = items[at];",
                    "unwrap": "let none: Option<u32> = items.get(9).copied(); none.unwrap();",
                    "expect": 'let bad: Result<u32, _> = "x".parse::<u32>(); bad.expect("a number");',
                    "said": 'panic!("the cart is empty");',
                },
            )
        },
    ),
    _c(
        "C (signals)",
        "",
        {
            "null": "sum += first(none);",
            "abort": "abort();",
            "assert": "assert(sum > 100);",
            "assert_other": "assert(count > 100);",
        },
    ),
    _c("ASan", "-fsanitize=address", {**_C_FAULTS, "leak": "prices = malloc(12);"}),
    _c(
        "UBSan",
        "-fsanitize=undefined -fno-sanitize-recover=all",
        {
            "overflow": "sum += INT_MAX;",
            "shift": "sum <<= (count + 40);",
            "null": "sum += first(none);",
            "divide": "sum /= (count - 1);",
        },
    ),
    Tool(
        name="TSan",
        argv=("bash", "-c", "gcc -g -O0 -fsanitize=thread -o app main.c && exec setarch -R ./app"),
        needs=("gcc", "setarch"),
        comment="//",
        programs={"main": Program(files={"main.c": _THREADS}, faults={"shared": "shared++", "other": "other++"})},
    ),
    Tool(
        name="valgrind",
        argv=("bash", "-c", "gcc -g -O0 -o app main.c && exec valgrind --error-exitcode=9 --leak-check=full ./app"),
        needs=("gcc", "valgrind"),
        comment="//",
        programs={
            "main": Program(
                files={"main.c": _C},
                faults={
                    "overflow": "prices[count + 3] = 1;",
                    "after_free": "free(prices); sum += prices[0]; prices = NULL;",
                    "leak": "prices = malloc(12);",
                },
            )
        },
    ),
)
