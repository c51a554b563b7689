"""Each rule of normalising, by what exactly it leaves: on its edges, just beyond them, and next to other things."""

from __future__ import annotations

import pytest

from trueup.evidence.normalize import neutralise, normalize, strip_prefixes

BECOMES = [
    # the terminal's width
    ("====", "===="), ("=====", "===="), ("===", "==="), ("~~~~~ ━━━━━━ ─────", "~~~~ ━━━━ ────"), ("*****#####", "****####"), ("═════ ―――――", "════ ――――"),
    ("_____", "____"), ("-------", "----"), ("_ _ _ _ x", "_ x"), ("_ _ _ x", "_ _ _ x"), ("- - - - - x", "_ x"),
    # times
    ("2026-01-02T03:04:05 x", "<time> x"), ("2026-01-02 03:04:05.123456Z x", "<time> x"), ("2026-01-02 03:04:05,1 UTC", "<time>"),
    ("2026-01-02 03:04:05 GMT", "<time>"), ("2026-01-02T03:04:05+0100", "<time>"), ("2026-01-02T03:04:05 -01:00", "<time>"),
    ("at 12:34:56!", "at <time>!"), ("12:34:56.789", "<time>"), ("112:34:56", "112:34:56"), ("1:12:34:56", "1:12:34:56"),
    ("12:34:567", "12:34:567"), ("12:34:56:7", "12:34:56:7"), ("1.12:34:56", "1.12:34:56"), ("12:34", "12:34"), ("2026-01-02", "2026-01-02"),
    ("(3ms)", "(<duration>)"), ("(0.01 s)", "(<duration>)"), ("(3 apples)", "(3 apples)"), ("(1.5 minutes)", "(<duration>)"),
    ("3ms)", "3ms)"), ("(3ms", "(3ms"), ("x 1.5s", "x <duration>"), ("x 1.5 seconds", "x <duration>"), ("x 1.5sx", "x 1.5sx"),
    ("v1.5s", "v1.5s"), ("1.1.5s", "1.1.5s"), ("x 15s", "x 15s"), ("x 2.5h y", "x <duration> y"), ("x 1.5 µs", "x <duration>"),
    ("in 3s", "in <duration>"), ("In 3 sec", "In <duration>"), ("took: 5ms", "took: <duration>"), ("took=5ms", "took=<duration>"), ("took=  5ms", "took=  <duration>"),
    ("after 3 minutes", "after <duration>"), ("within 10s", "within <duration>"), ("elapsed 1h", "elapsed <duration>"), ("time 3 m", "time <duration>"),
    ("duration: 7ns", "duration: <duration>"), ("begin 3s", "begin 3s"), ("in 3sx", "in 3sx"), ("in 3 places", "in 3 places"),
    ("duration_ms 12", "duration_ms <duration>"), ("duration_ms: 1.25 x", "duration_ms: <duration> x"), ("xduration_ms: 1", "xduration_ms: 1"),
    ("Time: 3.2", "Time: <duration>"), ("a\nTime: 3", "a\nTime: <duration>"), ("a Time: 3", "a Time: 3"), ("Time: x", "Time: x"),
    # places in memory and in the system
    ("0b7c5f0e-8d0c-4f39-9c4b-0c0b7f1f2a11", "<uuid>"), ("0B7C5F0E-8D0C-4F39-9C4B-0C0B7F1F2A11.", "<uuid>."),
    ("g0b7c5f0e-8d0c-4f39-9c4b-0c0b7f1f2a11", "g0b7c5f0e-8d0c-4f39-9c4b-0c0b7f1f2a11"), ("0b7c5f0e-8d0c-4f39-9c4b-0c0b7f1f2a112", "0b7c5f0e-8d0c-4f39-9c4b-0c0b7f1f2a112"),
    ("at 0x1f", "at <address>"), ("at 0x7FFF>", "at <address>>"), ("bat 0x1f", "bat 0x1f"), ("at 0x1fg", "at 0x1fg"),
    ("0x123456789", "<address>"), ("0x12345678", "0x12345678"), ("a0x123456789", "a0x123456789"), ("0xABCDEF123 x", "<address> x"), ("0x123456789g", "0x123456789g"),
    ("id=123456789", "id=<address>"), ("id='1234567890'", "id=<address>"), ('id="123456789"', "id=<address>"), ("id=12345678", "id=12345678"),
    ("id='123456789\"", "id='123456789\""), ("void=123456789", "void=123456789"),
    ("shop-0123456789abcdef", "shop-<hash>"), ("shop 0123456789abcdef", "shop 0123456789abcdef"), ("shop-0123456789abcdefa", "shop-0123456789abcdefa"), ("-0123456789abcdef", "-0123456789abcdef"),
    ("#<directory (x) 7fce8d138c80>", "#<directory (x) <address>>"), ("#<a 7fce8d…>", "#<a <address>…>"), ("#<a 7fce8>", "#<a 7fce8>"), ("#<a 7fce8d x>", "#<a 7fce8d x>"), ("<a 7fce8d>", "<a 7fce8d>"),
    ("#<a 0123456789abcdef0>", "#<a 0123456789abcdef0>"), ("#< 7fce8d>", "#< 7fce8d>"), ("#<A {1001348003}>", "#<A <address>>"), ("{10013480}>", "<address>>"), ("{1001348}>", "{1001348}>"), ("{1001348003}", "{1001348003}"), ("{1001348003} x}>", "{1001348003} x}>"), ("{00112233445566778}>", "{00112233445566778}>"),
    ("[emerg] 218#0: x", "[emerg] x"), ("218#21: x", "x"), ("9#9: x", "x"), ("a218#21: x", "a218#21: x"), ("218#21 x", "218#21 x"), ("#21: x", "#21: x"), ("218#: 1 x", "218#: 1 x"),
    ("pid 12", "pid <n>"), ("PID: 12", "PID: <n>"), ("tid=4", "tid=<n>"), ("ppid#7", "ppid#<n>"), ("goroutine 34 [running]", "goroutine <n> [running]"),
    ("process id 9", "process id <n>"), ("pid(12)", "pid(<n>)"), ("pid12", "pid12"), ("rapid 12", "rapid 12"), ("pid 12x", "pid 12x"),
    ("Process 4711 exited", "Process <n> exited"), ("process 47 died", "process <n> died"), ("process 47 crashed", "process <n> crashed"),
    ("process 47 was", "process <n> was"), ("process 47 terminated", "process <n> terminated"), ("process 4 exited", "process 4 exited"), ("process 47 ran", "process 47 ran"), ("reprocess 47 was", "reprocess 47 was"),
    ("==12==x", "==<n>==x"), ("a\n==12==x", "a\n==<n>==x"), ("a ==12==x", "a ==12==x"),
    ("thread 'a' (12) x", "thread 'a' x"), ("a\nthread '' (1) x", "a\nthread '' x"), ("a thread 'a' (12) x", "a thread 'a' (12) x"),
    ("localhost:80", "localhost:<port>"), ("127.0.0.1:65535/x", "127.0.0.1:<port>/x"), ("0.0.0.0:8080", "0.0.0.0:<port>"), ("[::1]:8080", "[::1]:<port>"), ("::1:8080", "::1:<port>"),
    ("localhost:8", "localhost:8"), ("localhost:123456", "localhost:123456"), ("9127.0.0.1:8080", "9127.0.0.1:8080"), ("10.0.0.1:8080", "10.0.0.1:8080"),
    ("port 8080", "port <port>"), ("Port: 80", "port: <port>"), ("PORT=65535.", "port=<port>."), ("port 8", "port 8"), ("report 80", "report 80"), ("port 80x", "port 80x"),
    ("seed 1", "seed <seed>"), ("Seed: 12", "Seed: <seed>"), ("random_seed=5", "random_seed=<seed>"), ("my-seed 5", "my-seed <seed>"), ("reseed 5", "reseed 5"), ("seed 5x", "seed 5x"), ("seed5", "seed5"),
    # paths
    ('File "/a/b/c.py"', 'File "c.py"'), ('File "C:\\a\\c.py"', 'File "c.py"'), ('File "a/c.py"', 'File "a/c.py"'), ('Profile "/a/c.x"', 'Profile "/a/c.x"'),
    ("/home/ada/x.bin", "x.bin"), ("/etc/passwd", "passwd"), ("/tmp/tmpabcdef12", "<tmp>"), ("/tmp/pytest-12", "<tmp>"), ("/tmp/a-b1c2d3e4", "<tmp>"), ("/tmp/0123abcd", "<tmp>"),
    ("/tmp/out", "out"), ("/tmp/tmpabcdef12/", "<tmp>"), ("/home/ada/tmpabcdef12", "tmpabcdef12"), ("/var/folders/zz/tmpabcdef12", "<tmp>"), ("/usr/temp/tmpabcdef12", "<tmp>"),
    ("/Users/ada/Temp/tmpabcdef12", "<tmp>"), ("x/home/ada", "x/home/ada"), ("/api/users", "/api/users"), ("/home", "/home"), ("a:/home/b", "a:/home/b"),
    ("/bench/x/a.go", "a.go"), ("/a.go", "/a.go"), ("/b/a.gox", "/b/a.gox"), ("/b/a.go/x", "/b/a.go/x"), ("/b/c/d.unknown", "/b/c/d.unknown"), ("/b/c/d.less.", "d.less."), ("/b/c/d.so: x", "d.so: x"), ("/b/c/d.c x", "d.c x"), ("/b/c.py/", "/b/c.py/"), ("/b/d.py#L5", "d.py#L5"), ("/b/d.pyx_", "/b/d.pyx_"), ("(/b/c/d.rs)", "(d.rs)"),
    ("C:\\a\\b.py x", "b.py x"), ("xC:\\a\\b.py", "xC:\\a\\b.py"), ("C:\\b.py", "C:\\b.py"), ("C:\\a\\b", "C:\\a\\b"), ("C:\\Temp\\x\\b.txt", "b.txt"),
    # line numbers
    ("a.py:12", "a.py"), ("a.py:12:3: x", "a.py: x"), ("a.py:12:3:4", "a.py:4"), ("a.py:1x", "a.py:1x"), ("a.com:12", "a.com:12"), ("a.py:x", "a.py:x"),
    ("a.vala:7.7-12.9: x", "a.vala: x"), ("a.y:5.1-4: x", "a.y: x"), ("a.y:5.1: x", "a.y: x"), ("a.y:5.12-14.16: x", "a.y: x"), ("a.py:5-7", "a.py"), ("a.properties:5", "a.properties"), ("a.nim(5, 6) x", "a.nim x"), ("a.nim(5,  6)", "a.nim(5,  6)"),
    ("a.ts(1)", "a.ts"), ("a.ts(1,22) x", "a.ts x"), ("a.ts(1,2,3)", "a.ts(1,2,3)"), ("a.co(1)", "a.co(1)"),
    ("node:internal/a:12:3)", "node:internal/a)"), ("node:fs:5", "node:fs"), ("xnode:fs:5", "xnode:fs:5"),
    ("line 5", "line <n>"), ("Lines 5-7", "Lines <n>"), ("column: 5", "column: <n>"), ("col 5.", "col <n>."), ("columns 1", "columns <n>"), ("inline 5", "inline 5"), ("line 5x", "line 5x"), ("line5", "line5"),
    ("12 | x", " | x"), ("  > 12 | x", "  >  | x"), ("12| x", "| x"), ("a\n 3 | x", "a\n  | x"), ("a 12 | x", "a 12 | x"),
    ("@@ -1 +2 @@ f", "@@ f"), ("@@ -1,2 +3,44 @@", "@@"), ("a\n@@ -1 +2 @@", "a\n@@"), ("a @@ -1 +2 @@", "a @@ -1 +2 @@"),
    # the order in which things ran
    ("x [ 5%]", "x"), ("[100%] x", " x"), ("[50 %]", "[50 %]"), ("ok 3 - a", "ok - a"), ("  not ok 12", "  not ok"), ("a\nok 3", "a\nok"), ("book 3", "book 3"), ("ok 3x", "ok 3x"),
    ("1) a", "a"), ("  12) a", "  a"), ("a\n3) b", "a\nb"), ("a 3) b", "a 3) b"), ("3)b", "3)b"), ("[1/3] x", "[] x"), ("(12/345)", "()"), ("1/3", "1/3"), ("[1/x]", "[1/x]"),
    # on the edges: the shortest and the longest that a rule takes
    ("at 0x1", "at <address>"), ("0x1234567890ab", "<address>"), ("==1==x", "==<n>==x"), ("x127.0.0.1:80", "x127.0.0.1:80"), (":::80", ":::<port>"), ("a-seed 1", "a-seed <seed>"),
    ('File "C:\\a b\\c.py", x', 'File "c.py", x'), ('File "/srv/x y/b.py", line', 'File "b.py", line'), ('File "/a" x', 'File "a" x'), ('File "\\a\\b c.py"', 'File "b c.py"'),
    ('xFile "/a b/c.py"', 'xFile "/a b/c.py"'), ('File "/a b/c.py', 'File "/a b/c.py'), ("C:\\a\\.py", ".py"), ("C:\\a\\b.c", "b.c"), ("C:\\a\\b.toml x", "b.toml x"),
    ("node:a:12", "node:a"), ("line 1-23", "line <n>"), ("@@ -1,12 +1 @@", "@@"), ("(1/2) [1/2] {1/2}", "() [] {1/2}"), ("x 12.25s", "x <duration>"), ("x 3ms)", "x 3ms)"),
    ("duration_ms:  5", "duration_ms:  <duration>"), ("Time:  5", "Time:  <duration>"), ("x/a/b.py", "x/a/b.py"), ("/a/b.py", "b.py"), ("after 3s", "after <duration>"),
    ("/tmp/tmpabcdef", "<tmp>"), ("/tmp/ab-abcdef", "<tmp>"), ("/tmp/0123456789ab", "<tmp>"), ("/tmp/a=b/c.py", "a=b/c.py"),
    ("(3μs)", "(<duration>)"), ("wait(limit, 15m)", "wait(limit, 15m)"), ("0x12345 in f", "<address> in f"), ("0xabcdef in f", "<address> in f"), ("0x12345678 in f", "<address> in f"),
    ("0x1234 in f", "0x1234 in f"), ("0x12345 x", "0x12345 x"), ("a0x12345 in f", "a0x12345 in f"), ("10.0.0.0:8080", "10.0.0.0:8080"), ("/home/a^b/c", "c"),
    ("a.py:10-12 x", "a.py x"), ("a.py:1-2", "a.py"), ("a.py:1-x", "a.py-x"), ("a.graphql:3", "a.graphql"), ("a.ps1:3", "a.ps1"), ("a.R:3", "a.R"), ("a.feature(3)", "a.feature"),
    ("a.1:3", "a.1:3"), ("a.localhost:80", "a.localhost:<port>"),
    # the rest
    ("‘a’ “b”", "'a' \"b\""), ("a  \nb\t", "a\nb"), ("\n\na\n\n", "a"), ("  a", "  a"), ("XaX", "XaX"), ("/home/ada/abX", "abX"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "left"), BECOMES, ids=[text for text, _ in BECOMES])
def test_a_rule_leaves_exactly_this(text: str, left: str) -> None:
    assert normalize(text) == left


ROOTS = [
    "builds",
    "etc",
    "github",
    "home",
    "mnt",
    "nix",
    "opt",
    "private",
    "root",
    "srv",
    "tmp",
    "Users",
    "usr",
    "var",
    "Volumes",
    "workspace",
    "workspaces",
    "__w",
]
ENDINGS = [
    "bash",
    "cc",
    "cjs",
    "cpp",
    "cs",
    "css",
    "cts",
    "cxx",
    "c",
    "dart",
    "erl",
    "exs",
    "ex",
    "go",
    "hh",
    "hpp",
    "hs",
    "html",
    "h",
    "ini",
    "java",
    "json",
    "jsx",
    "js",
    "jl",
    "kts",
    "kt",
    "lua",
    "md",
    "mjs",
    "mm",
    "mts",
    "m",
    "php",
    "pl",
    "proto",
    "pyi",
    "pyx",
    "py",
    "rb",
    "rs",
    "scala",
    "scss",
    "sh",
    "sql",
    "svelte",
    "swift",
    "toml",
    "tsx",
    "ts",
    "txt",
    "vue",
    "xml",
    "yaml",
    "yml",
    "zig",
    *[
        "astro",
        "bzl",
        "clj",
        "cljs",
        "cmake",
        "cr",
        "cue",
        "elm",
        "erb",
        "feature",
        "fs",
        "gleam",
        "gradle",
        "graphql",
        "groovy",
        "haml",
        "hcl",
        "jsonnet",
        "lean",
        "less",
        "lock",
        "mk",
    ],
    *[
        "ml",
        "mli",
        "nim",
        "nix",
        "prisma",
        "ps1",
        "purs",
        "rego",
        "res",
        "rkt",
        "rst",
        "r",
        "R",
        "sass",
        "sol",
        "sv",
        "tex",
        "tf",
        "vb",
        "vhd",
        "vhdl",
        "v",
    ],
]


@pytest.mark.parametrize("root", ROOTS)
def test_a_path_below_a_usual_folder_is_shortened(root: str) -> None:
    assert normalize(f"/{root}/ada/thing") == "thing"
    assert normalize(f"/{root}x/ada/thing") == f"/{root}x/ada/thing" or root == "workspace"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_number_behind_a_source_file_is_a_line(ending: str) -> None:
    assert normalize(f"a.{ending}:12:3 x") == f"a.{ending} x"
    assert normalize(f"a.{ending}(12) x") == f"a.{ending} x"


UNITS = ("ns", "us", "µs", "μs", "ms", "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute", "minutes", "h", "hour", "hours")  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit_of_time_is_one(unit: str) -> None:
    assert normalize(f"took 3 {unit}") == "took <duration>"


PREFIXES = [
    ("2026-01-02T03:04:05Z boom", "boom"), ("2026-01-02T03:04:05.1234567Z boom", "boom"), ("\ufeff2026-01-02T03:04:05Zboom", "boom"),
    ("a\n2026-01-02T03:04:05Z b", "a\nb"), ("a 2026-01-02T03:04:05Z b", "a 2026-01-02T03:04:05Z b"), ("Z 2026", "Z 2026"),
    ("[gw0] FAILED a", "FAILED a"), ("[gw12] [ 50%] PASSED a", "PASSED a"), ("[gw1] XFAIL a", "XFAIL a"), ("[gw1] hello", "[gw1] hello"), ("a [gw1] FAILED b", "a [gw1] FAILED b"),
    ("[gw0] ERROR a\n[gw1] SKIPPED b\n[gw1] XPASS c", "ERROR a\nSKIPPED b\nXPASS c"),
    ("[gw0] [  5%] PASSED x", "PASSED x"), ("[gw0] [100%] FAILED x", "FAILED x"), ("[gw12] x -- Python \nx", "x"),
    ("2026-01-02T03:04:05Z 01O boom", "boom"), ("2026-01-02T03:04:05.1Z 00E+boom", "boom"), ("2026-01-02T03:04:05Z 01X b", "01X b"), ("2026-01-02T03:04:05Z 01O-b", "01O-b"),
    ("2026-01-02T03:04:05Z xyO b", "xyO b"), ("2026-01-02T03:04:05Z 1xO b", "1xO b"), (f"[gw0] x -- Python {401 * 'y'}", f"[gw0] x -- Python {401 * 'y'}"),
    ("[gw0] linux -- Python 3.11.7 /usr/bin/python\nx", "x"), ("a\n[gw0] linux -- Python 3.11.7 /x", "a\n"), ("a [gw0] linux -- Python 3", "a [gw0] linux -- Python 3"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "left"), PREFIXES, ids=[text for text, _ in PREFIXES])
def test_what_a_log_or_a_parallel_runner_writes_before_a_line_goes(text: str, left: str) -> None:
    assert strip_prefixes(text) == left


ESCAPES = [
    ("\x1b[mx\x9bm", "x"),
    ("\x1b[1;31mx\x1b[0m", "x"), ("\x1b[?25lx", "x"), ("\x1b[2 qx", "x"), ("\x9b31mx", "x"), ("\x9b2 qx", "x"), ("\x1b]0;title\x07x", "x"), ("\x1b]8;;u\x1b\\x", "x"),
    ("\x1b]\x07x", "x"), ("\x1b^x", "x"), ("\x1b^y\x07x", "x"), ("\x1bXy\x07x", "x"), ("\x1b_y\x1b\\x", "x"), ("\x1bPy\x07x", "x"), ("\x1b(Bx", "x"), ("\x1b(0x", "x"), ("\x1b)ax", "\ufffd)ax"),
    ("\x1bcx", "x"), ("\x1b=x", "x"), ("\x1b7x\x1b8", "x"), ("\x1bMx", "x"), ("\x1b[12", "\ufffd[12"), ("\x1b]0;open", "\ufffd]0;open"), ("\x1b]0;a\nb\x07", "\ufffd]0;a\nb\ufffd"), ("\x9b", "\ufffd"),
    ("a\r\nb\rc", "a\nb\nc"), ("a\tb", "a\tb"), ("\x00\x08\x0b\x0c\x0e\x1f\x7f", "\ufffd" * 7), ("é\x00\x08\x0b\x0c\x0e\x1f\x7f\x80\x9f", "é" + "\ufffd" * 9),
    ("\u061c\u200b\u200e\u200f\u2028\u202e\u2060\u2069\ufeff", "\ufffd" * 9), ("\u00a0\u200d\u202f\u206a é", "\u00a0\u200d\u202f\u206a é"),
    ("é\x1b[31m\t\n", "é\t\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "left"), ESCAPES, ids=[repr(text) for text, _ in ESCAPES])
def test_nothing_acts_on_a_terminal_and_the_rest_is_as_it_was(text: str, left: str) -> None:
    assert neutralise(text) == left


@pytest.mark.parametrize("code", [*range(0x100), *range(0x2000, 0x2100), 0x061C, 0xFEFF, 0x1F600])
def test_a_character_is_neutralised_beside_ascii_as_beside_anything_else(code: int) -> None:
    alone, beside = neutralise(chr(code)), neutralise(f"é{chr(code)}")
    assert beside == f"é{alone}"
