"""Tools that nobody knows: banners, progress, stamps, tables, JSON lines, YAML reports."""

# ruff: noqa: E501 - the programs are kept in one piece
from __future__ import annotations

from benchmarks.fingerprints_tools.program import Program, Tool

_PRELUDE = """\
import datetime, os, random, sys, tempfile, time, uuid
now = lambda: datetime.datetime.now().isoformat(sep=" ", timespec="milliseconds")
took = lambda: f"{random.uniform(0.1, 9):.2f}s"
root = os.getcwd()
"""
_BANNERS = (
    _PRELUDE
    + """
print("=" * random.randint(40, 100))
print(f"  ACME Deploy Checker v4.2.1  (build {uuid.uuid4().hex[:8]}, pid {os.getpid()})")
print("=" * 60)
print(f"Started at {now()} in {root}")
for step in range(random.randint(3, 6)):
    print(f"[{step}/6] checking shard {step} ... ok ({took()})")
print("  §")
print(f"Finished in {took()}, 1 problem found")
sys.exit(3)
"""
)
_LOGGER = (
    _PRELUDE
    + """
def log(level, name, text): print(f"{now()} [{level}] {name} (worker-{random.randint(1, 9)}): {text}")
log("INFO", "loader", f"reading {root}/data.csv")
for n in range(random.randint(2, 5)): log("INFO", "loader", f"row {n} ok, error rate 0.0%")
log("WARN", "loader", "slow disk")
log("ERROR", "loader", "§")
log("INFO", "main", f"shutting down after {took()}")
sys.exit(1)
"""
)
_JSON_LINES = (
    _PRELUDE
    + """
import json
def log(level, text, **more):
    print(json.dumps({"ts": time.time(), "level": level, "msg": text, "run": str(uuid.uuid4()), **more}))
log("info", "starting", errors=0)
for n in range(random.randint(2, 5)): log("info", "step done", step=n, failed=False, ms=random.randint(1, 900))
log("error", "§", file=f"{root}/steps.txt", ms=random.randint(1, 900))
log("info", "finished", ok=False)
sys.exit(1)
"""
)
_TABLE = (
    _PRELUDE
    + """
rows = [("schema", "OK", "-"), ("migrations", "FAIL", "§"), ("fixtures", "OK", "-")]
random.shuffle(rows)
width = random.randint(70, 120)
print("+" + "-" * 14 + "+" + "-" * 8 + "+" + "-" * 8 + "+" + "-" * width + "+")
for name, state, why in rows: print(f"| {name:12} | {state:6} | {took():6} | {why:{width - 2}} |")
print("+" + "-" * 14 + "+" + "-" * 8 + "+" + "-" * 8 + "+" + "-" * width + "+")
sys.exit(1)
"""
)
_YAML = (
    _PRELUDE
    + """
print(f"report:\\n  id: {uuid.uuid4()}\\n  date: {now()}\\n  host: {random.choice(['alpha', 'beta'])}-{random.randint(1, 99)}.example")
print("  checks:")
checks = [("schema", "passed", ""), ("routes", "failed", "§"), ("keys", "passed", "")]
random.shuffle(checks)
for name, state, why in checks:
    print(f"    - name: {name}\\n      status: {state}\\n      seconds: {random.uniform(0, 3):.3f}")
    if why: print(f"      reason: {why}")
sys.exit(1)
"""
)
_PROGRESS = (
    _PRELUDE
    + """
for percent in range(0, 100, random.randint(7, 20)):
    sys.stdout.write(f"\\rUploading [{'#' * (percent // 5):20}] {percent}% ETA {random.randint(1, 60)}s")
print("\\n§")
sys.exit(2)
"""
)
_SEVERAL = (
    _PRELUDE
    + """
problems = ["E: unknown key 'colour' in section [shop]", "E: value of 'retries' is not a number", "§"]
random.shuffle(problems)
for n, problem in enumerate(problems, 1):
    print(f"{n:>3}. {problem}")
    if n < 3: print(f"     (after {took()})")
print(f"{len(problems)} problems in {root}/shop.conf")
sys.exit(1)
"""
)
_QUIET = (
    _PRELUDE
    + """
print(f"shopctl 3.1 on {random.choice(['alpha', 'beta'])}, {now()}")
print(f"loaded 41 plugins in {took()}")
print("connecting to the warehouse")
print("§")
sys.exit(5)
"""
)
_DOCKER = """\
#!/bin/sh
d() { echo "$(( $(date +%N | sed 's/^0*//;s/^$/0/') % 90 / 10 )).$(( $$ % 10 ))s"; }
echo "#1 [internal] load build definition from Dockerfile"
echo "#1 sha256:$(head -c 20000 /dev/urandom | sha256sum | cut -c1-64)"
echo "#1 DONE $(d)"
echo "#6 [2/5] RUN §"
echo "#6 $(d | tr -d s)21 /bin/sh: 1: §: not found"
echo "#6 ERROR: process \\"/bin/sh -c §\\" did not complete successfully: exit code: 127"
echo "------"
echo " > [2/5] RUN §:"
echo "$(d | tr -d s)21 /bin/sh: 1: §: not found"
echo "------"
echo "ERROR: failed to solve: process \\"/bin/sh -c §\\" did not complete successfully: exit code: 127"
exit 1
"""
_TERRAFORM = """\
#!/bin/sh
cat <<'END'
╷
│ Error: §
│
│   on main.tf line 12, in resource "shop_bucket" "carts":
│   12:   region = var.region
│
│ The given value is not suitable.
╵
END
exit 1
"""
_TERRAFORM_MOVED = {"line 12": "line 31", "│   12:": "│   31:"}
_KILLED = '#!/bin/sh\n¶\necho "worker $$ started"\n§\nexit 137\n'


def _script(name: str, text: str, faults: dict[str, str], moved: dict[str, str] | None = None) -> Tool:
    program = "sh" if text.startswith("#!") else "python3"
    return Tool(
        name=name,
        argv=(program, "tool"),
        programs={"tool": Program(files={"tool": text}, faults=faults, moved=moved or {})},
    )


_SAID = {
    "one": "ERROR: certificate of gateway is expired",
    "two": "ERROR: certificate of gateway is revoked",
    "three": "FATAL: cannot reach the registry: connection refused",
    "four": "problem: the manifest lists a file that is absent",
}
TOOLS = (
    _script("own format: banners", _BANNERS, _SAID),
    _script(
        "own format: logger",
        _LOGGER,
        {"one": "column price is no number", "two": "column name is empty", "three": "timeout after reading"},
    ),
    _script(
        "own format: JSON lines",
        _JSON_LINES,
        {"one": "step is unknown", "two": "step is empty", "three": "lock was lost"},
    ),
    _script(
        "own format: table",
        _TABLE,
        {"one": "migration 0004 is absent", "two": "migration 0004 is twice there", "three": "no connection"},
    ),
    _script(
        "own format: YAML report",
        _YAML,
        {"one": "route /a has two owners", "two": "route /b has two owners", "three": "no routes"},
    ),
    _script(
        "own format: progress",
        _PROGRESS,
        {"one": "Upload failed: 403 Forbidden", "two": "Upload failed: 500 Server Error", "three": "quota exceeded"},
    ),
    _script(
        "own format: list",
        _SEVERAL,
        {
            "one": "E: section [cart] is twice there",
            "two": "E: section [pay] is twice there",
            "three": "W: nothing to do",
        },
    ),
    _script(
        "own format: no error words",
        _QUIET,
        {
            "one": "the warehouse is closed today",
            "two": "the warehouse wants another key",
            "three": "stock of 12 items is below zero",
        },
    ),
    _script("docker build text", _DOCKER, {"one": "pip-tool", "two": "make-it"}),
    _script(
        "terraform text",
        _TERRAFORM,
        {
            "one": "Invalid value for variable",
            "two": "Reference to undeclared resource",
            "three": "Unsupported argument",
        },
        _TERRAFORM_MOVED,
    ),
    _script(
        "killed",
        _KILLED,
        {
            "killed": "echo Killed",
            "memory": "echo 'Out of memory: Killed process '$$' (shop) total-vm:'$$'kB'",
            "limit": "echo 'Terminated: time limit reached'",
        },
    ),
)
