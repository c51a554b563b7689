"""Programs that compilers and linkers refuse."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from benchmarks.fingerprints_tools.program import Program, Tool

_C = """\
#include <stdio.h>
#include "cart.h"
¶
static int price(struct item *one) { return one->price; }

int total(struct item *items, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        §
        sum += price(&items[i]);
    }
    return sum;
}
"""
_C_HEADER = """\
#ifndef CART_H
#define CART_H
struct item { int price; const char *name; };
#define CHECKED(x) do { if (!(x)) sum = missing_handler(#x); } while (0)
int total(struct item *items, int count);
#endif
"""
_C_FAULTS = {
    "undeclared": "sum += discount;",
    "undeclared_other": "sum += voucher;",
    "syntax": "sum += 1",
    "member": "sum += items[i].weight;",
    "macro": "CHECKED(items[i].price > 0);",
    "argument": "sum += price(i);",
    "werror": "int unused = 3;",
    "werror_other": 'printf("%s", sum);',
}
_CPP = """\
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <algorithm>
¶
template <typename T> struct Box { T value; int size() const { return value.size(); } };
struct Item { std::string name; int price; };
int describe(const std::vector<Item>& items) {
    int count = 0;
    §
    return count + static_cast<int>(items.size());
}
"""
_CPP_FAULTS = {
    "template": "Box<int> box{3}; count += box.size();",
    "conversion": 'int wrong = std::string("x"); count += wrong;',
    "sort": "std::vector<Item> copy = items; std::sort(copy.begin(), copy.end());",
    "copy": "std::unique_ptr<Item> a; std::unique_ptr<Item> b = a;",
    "nomember": "count += items.length();",
    "const": "items.push_back(Item{});",
    "overload": "count += std::max(1, 2.0);",
}
_LINK = {
    "main.c": "#include <stdio.h>\n¶\nint load(void);\nint main(void) {\n    §\n    return load();\n}\n",
    "load.c": "int load(void) { return 3; }\n",
}
_LINK_FAULTS = {
    "reference": "extern int store(int); store(3);",
    "reference_other": "extern int publish(int); publish(3);",
}
_RUST = """\
use std::collections::HashMap;
¶
#[derive(Debug)]
struct Item { name: String, price: u32 }

fn total(items: &Vec<Item>) -> u32 {
    let mut sum = 0;
    for item in items.iter() { sum += item.price; }
    §
    sum
}

fn main() {
    let items = vec![Item { name: String::from("a"), price: 3 }];
    let seen: HashMap<u32, u32> = HashMap::new();
    println!("{} {}", total(&items), seen.len());
}
"""
_RUST_FAULTS = {
    "moved": 'let a = String::from("x"); let b = a; println!("{} {}", a, b);',
    "moved_other": 'let c = String::from("x"); let d = c; println!("{} {}", c, d);',
    "borrowed": 'let mut v = vec![1]; let first = &v[0]; v.push(2); println!("{}", first);',
    "trait": 'println!("{}", items[0]);',
    "types": 'let n: u32 = "three";',
    "macro": 'println!("{} {}", sum);',
    "unresolved": "sum += discount(3);",
    "syntax": "let x = ;",
    "lifetime": 'let r; { let x = 5; r = &x; } println!("{}", r);',
}
_GO = {
    "go.mod": "module shop\n\ngo 1.19\n",
    "cart/cart.go": """\
package cart

import "fmt"
¶
type Item struct{ Name string; Price int }

func Total(items []Item) int {
\tsum := 0
\tfor _, item := range items {
\t\tsum += item.Price
\t}
\t§
\tfmt.Println("total")
\treturn sum
}
""",
    "main.go": 'package main\n\nimport "shop/cart"\n\nfunc main() {\n\tcart.Total(nil)\n}\n',
}
_GO_FAULTS = {
    "undefined": "sum += discount(3)",
    "undefined_other": "sum += voucher(3)",
    "unused": "left := 3",
    "type": 'sum += "three"',
    "field": "sum += items[0].Weight",
    "syntax": "sum +=",
}
_JAVA = """\
package shop;

import java.util.List;
¶
public class Cart {
    private final List<Integer> prices;

    public Cart(List<Integer> prices) { this.prices = prices; }

    public int total() {
        int sum = 0;
        for (int price : prices) { sum += price; }
        §
        return sum;
    }
}
"""
_JAVA_FAULTS = {
    "symbol": "sum += discount(3);",
    "symbol_other": "sum += voucher(3);",
    "types": 'int wrong = "three";',
    "syntax": "sum += 3",
    "unreported": 'Class.forName("x");',
    "unreachable": "while (true) { }",
    "package": "shop.missing.Thing thing = null;",
}
_TS = {
    "tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2020", "lib": ["es2020"],'
    ' "module": "es2020", "moduleResolution": "bundler", "types": []}, "include": ["src"]}\n',
    "src/cart.ts": """\
import { price } from "./price";
¶
export interface Item { name: string; cost: number }

export function total(items: Item[]): number {
  let sum = 0;
  for (const item of items) sum += price(item);
  §
  return sum;
}
""",
    "src/price.ts": 'import type { Item } from "./cart";\nexport const price = (item: Item): number => item.cost;\n',
}
_TS_FAULTS = {
    "assign": 'sum = "three";',
    "assign_other": "const label: string = sum; void label;",
    "property": "sum += items[0].weight;",
    "property_other": "sum += items[0].size;",
    "call": "sum += price();",
    "nested": 'const odd: Item[] = [{ name: 3, cost: "x" }]; void odd;',
    "undefined": "sum += discount(3);",
    "syntax": "sum += ;",
    "nullable": "const found = items.find(i => i.cost); sum += found.cost;",
}
_REFERENCES = {
    "tsconfig.json": '{"files": [], "references": [{"path": "./core"}, {"path": "./app"}]}\n',
    "core/tsconfig.json": '{"compilerOptions": {"composite": true, "strict": true, "types": [], "outDir": "../out/core"}}\n',
    "core/core.ts": "¶\nexport const rate: number = 3;\n",
    "app/tsconfig.json": '{"compilerOptions": {"strict": true, "types": [], "outDir": "../out/app"},'
    ' "references": [{"path": "../core"}]}\n',
    "app/app.ts": 'import { rate } from "../core/core";\n¶\nexport const doubled: number = rate * 2;\n§\n',
}

TOOLS = (
    Tool(
        name="gcc",
        argv=("gcc", "-c", "-Wall", "-Werror", "-O1", "-o", "out.o", "{files}"),
        comment="//",
        colour=("-fdiagnostics-color=always",),
        programs={
            "cart": Program(files={"cart.c": _C, "cart.h": _C_HEADER}, targets=("cart.c",), faults=_C_FAULTS),
        },
    ),
    Tool(
        name="clang",
        argv=("clang", "-c", "-Wall", "-Werror", "-o", "out.o", "{files}"),
        comment="//",
        colour=("-fcolor-diagnostics",),
        forms={"absolute": ("-fdiagnostics-absolute-paths",)},
        programs={
            "cart": Program(files={"cart.c": _C, "cart.h": _C_HEADER}, targets=("cart.c",), faults=_C_FAULTS),
        },
    ),
    Tool(
        name="g++",
        argv=("g++", "-std=c++17", "-c", "-o", "out.o", "{files}"),
        comment="//",
        colour=("-fdiagnostics-color=always",),
        forms={"width": ("-fmessage-length=60",)},
        programs={"items": Program(files={"items.cpp": _CPP}, faults=_CPP_FAULTS)},
    ),
    Tool(
        name="clang++",
        argv=("clang++", "-std=c++17", "-c", "-o", "out.o", "{files}"),
        comment="//",
        colour=("-fcolor-diagnostics",),
        programs={"items": Program(files={"items.cpp": _CPP}, faults=_CPP_FAULTS)},
    ),
    Tool(
        name="ld",
        argv=("gcc", "-o", "out.o", "{files}"),
        comment="//",
        programs={"main": Program(files=_LINK, faults=_LINK_FAULTS)},
    ),
    Tool(
        name="ld of clang",
        argv=("clang", "-g", "-o", "out.o", "{files}"),
        comment="//",
        programs={"main": Program(files=_LINK, faults=_LINK_FAULTS)},
    ),
    Tool(
        name="rustc",
        argv=("rustc", "--edition", "2021", "--emit=metadata", "--out-dir", "{dir}", "{files}"),
        comment="//",
        colour=("--color=always",),
        programs={"main": Program(files={"main.rs": _RUST}, faults=_RUST_FAULTS)},
    ),
    Tool(
        name="cargo build",
        argv=("cargo", "build", "--offline"),
        comment="//",
        colour=("--color=always",),
        forms={"verbose": ("-v",)},
        programs={
            "main": Program(
                files={
                    "src/main.rs": _RUST,
                    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
                },
                faults={name: _RUST_FAULTS[name] for name in ("moved", "moved_other", "trait", "unresolved")},
            )
        },
    ),
    Tool(
        name="go build",
        argv=("go", "build", "./..."),
        comment="//",
        programs={"cart": Program(files=_GO, faults=_GO_FAULTS)},
    ),
    Tool(
        name="go vet",
        argv=("go", "vet", "./..."),
        comment="//",
        programs={
            "cart": Program(
                files=_GO,
                faults={
                    "printf": 'fmt.Printf("%d", "x")',
                    "printf_other": 'fmt.Printf("%s %s", "x")',
                    "assign": "sum = sum",
                    "undefined": "sum += discount(3)",
                },
            )
        },
    ),
    Tool(
        name="javac",
        argv=("javac", "-d", "{dir}/out", "{files}"),
        comment="//",
        programs={
            "cart": Program(
                files={"src/shop/Cart.java": _JAVA, "src/shop/Other.java": "package shop;\nclass Other { }\n"},
                faults=_JAVA_FAULTS,
            )
        },
    ),
    Tool(
        name="tsc",
        argv=("tsc", "-p", "tsconfig.json"),
        comment="//",
        colour=("--pretty", "true"),
        programs={"cart": Program(files=_TS, faults=_TS_FAULTS)},
    ),
    Tool(
        name="tsc --build",
        argv=("tsc", "--build"),
        comment="//",
        colour=("--pretty", "true"),
        forms={"verbose": ("--verbose",)},
        programs={
            "app": Program(
                files=_REFERENCES,
                faults={"assign": "export const x: string = rate;", "missing": "export const y = rates;"},
            )
        },
    ),
)
