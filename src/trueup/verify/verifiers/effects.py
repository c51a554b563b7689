"""Does a module do something when it is imported, besides defining things? Then it is a script, and not for importing.

Only what plainly acts counts: writing and deleting, other programs, servers and loops, the network, reading from a
person or a command line, and calling its own main function. Registering, configuring and computing are what modules do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

_FUNCTIONS = frozenset({"input", "exit", "quit", "breakpoint"})
_MODULES = {
    "os": frozenset({
        "remove", "unlink", "rmdir", "removedirs", "rename", "renames", "replace", "system", "popen", "kill",
        "killpg", "truncate", "execv", "execvp", "execl", "execlp", "fork", "abort", "_exit", "chmod", "chown",
        "posix_spawn", "spawnv", "startfile",
    }),
    "shutil": frozenset({"rmtree", "move", "copy", "copy2", "copyfile", "copytree", "make_archive", "unpack_archive"}),
    "subprocess": frozenset({"run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput"}),
    "sys": frozenset({"exit"}),
    "asyncio": frozenset({"run"}),
    "requests": frozenset({"get", "post", "put", "delete", "patch", "head", "request"}),
    "httpx": frozenset({"get", "post", "put", "delete", "patch", "head", "request"}),
    "uvicorn": frozenset({"run"}),
}  # fmt: skip
_METHODS = frozenset({
    "write_text", "write_bytes", "unlink", "rmtree", "parse_args", "parse_known_args", "commit", "execute",
    "executemany", "executescript", "drop_all", "drop", "delete_many", "delete_one", "insert_one", "insert_many",
    "serve_forever", "run_forever", "run_until_complete", "mainloop", "sendmail", "send_message", "to_csv", "to_sql",
    "to_excel", "to_parquet", "to_pickle", "savefig", "urlopen", "urlretrieve", "truncate", "rmdir", "touch",
    "writelines", "start_polling", "run_polling", "infinity_polling", "start_server", "launch", "fit", "train",
})  # fmt: skip
_BARE_METHODS = frozenset({"run", "start", "serve", "main", "save", "delete", "write", "dump", "rename", "replace"})
"""Only where nobody looks at what they return: `Path.rename` acts, `text.replace` computes."""
_MAIN = frozenset({"main", "run", "cli", "start", "execute", "_main", "launch"})
_WRITING = frozenset("wax+")
_DEEPEST = 4


def has_effects(tree: ast.Module) -> bool:
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return _acts(tree.body, functions, depth=0)


def _acts(
    body: Iterable[ast.stmt], functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef], *, depth: int
) -> bool:
    for node in _statements(body):
        if isinstance(node, ast.While) and not depth:
            return True
        bare = node.value if isinstance(node, ast.Expr) else None
        if isinstance(bare, ast.Await | ast.Yield):
            bare = getattr(bare, "value", None)
        for call in _calls(node):
            if _is_an_act(call, bare=call is bare) or (not depth and call is bare and _name(call.func) in _MAIN):
                return True
            own = functions.get(_name(call.func))
            if own is not None and depth < _DEEPEST and _acts(own.body, functions, depth=depth + 1):
                return True
    return False


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """What is carried out when the body is, but for what a main guard or a type checker alone sees."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and _is_guard(node.test):
            yield from _statements(node.orelse)
            continue
        yield node
        for part in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, part, ()))
        for handler in getattr(node, "handlers", ()):
            yield from _statements(handler.body)


def _is_guard(test: ast.expr) -> bool:
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    return "__name__" in names or "TYPE_CHECKING" in names


def _calls(node: ast.stmt) -> Iterator[ast.Call]:
    """Of the statement itself: its inner statements come on their own, and what is only defined does nothing."""
    pending: list[ast.AST] = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
    while pending:
        inner = pending.pop()
        if isinstance(inner, ast.Call):
            yield inner
        if not isinstance(inner, ast.Lambda | ast.ExceptHandler):
            pending += [child for child in ast.iter_child_nodes(inner) if not isinstance(child, ast.stmt)]


def _is_an_act(call: ast.Call, *, bare: bool) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in _FUNCTIONS or (function.id == "open" and _writes(call, 1)) or function.id == "Popen"
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in _MODULES.get(_name(function.value), ()):
        return True
    if function.attr == "open" and _writes(call, 0):
        return True
    return function.attr in _METHODS or (bare and function.attr in _BARE_METHODS)


def _writes(call: ast.Call, place: int) -> bool:
    modes = [k.value for k in call.keywords if k.arg == "mode"] or call.args[place : place + 1]
    values = (mode.value for mode in modes if isinstance(mode, ast.Constant))
    return any(isinstance(value, str) and len(value) <= len("rb+t") and _WRITING & set(value) for value in values)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
