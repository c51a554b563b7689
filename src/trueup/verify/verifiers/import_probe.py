"""Run by a project's interpreter, on a copy, behind walls: which of its modules can be imported?

One JSON object comes on standard input, one JSON line per answer goes out. All modules are imported one after the other
in a forked process, after the packages that they share. One that fails, hangs or ends the process is tried again in
a process of its own that has nothing else loaded; only that counts. Needs Python 3.8 and its standard library.
"""

# ruff: noqa: PTH100, PTH120, PTH123, BLE001
# Whatever the code of a project raises is an answer. Importing pathlib takes longer than importing many a project.
from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from typing import Any

MEMORY = 4 << 30
LARGEST_FILE = 1 << 30
LONGEST = 2_000
MOST_FRAMES = 60
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
GUARDED = frozenset({"socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.gethostbyname", "socket.bind"})


# --- walls, where nobody has built any ---------------------------------------------------------------------------


def without_network() -> str:
    """A namespace without a network, or at least a guard in this interpreter. How it was done."""
    import ctypes

    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0:
        return "namespace"

    def refuse(event: str, _: Any) -> None:
        if event in GUARDED:
            raise PermissionError(f"trueup: no network while modules are imported ({event})")

    sys.addaudithook(refuse)
    return "guard"


def limit(seconds: float) -> None:
    for what, most in (
        (resource.RLIMIT_DATA, MEMORY),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, int(seconds) + 1),
    ):
        with contextlib.suppress(OSError, ValueError):
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


# --- one module --------------------------------------------------------------------------------------------------


def attempt(module: dict[str, Any]) -> dict[str, Any]:
    sys.path[:] = [*module["path"], *BARE_PATH]
    try:
        if module["whole"]:
            importlib.import_module(module["name"])
        else:
            only_imports(module)
    except BaseException as error:
        return {"error": told(error)}
    return {"ok": True}


def only_imports(module: dict[str, Any]) -> None:
    """The import statements of a script, one by one, and nothing else of it."""
    import ast

    with open(module["file"], "rb") as file:
        tree = ast.parse(file.read(), module["file"])
    scope = {"__name__": module["name"], "__file__": module["file"], "__package__": module["name"].rpartition(".")[0]}
    kept = ast.Module(
        body=[node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))], type_ignores=[]
    )
    exec(compile(kept, module["file"], "exec", dont_inherit=True), scope)  # noqa: S102 - that is the question


def told(error: BaseException) -> dict[str, Any]:
    try:
        message = str(error)[:LONGEST]
    except BaseException as second:
        message = f"(its message cannot be shown: {type(second).__name__})"
    return {
        "kind": type(error).__name__,
        "message": message,
        "name": getattr(error, "name", None) if isinstance(error, ImportError) else None,
        "chain": chain(error),
        "missing": missing(error),
        "frames": frames(error),
        "errno": getattr(error, "errno", None),
    }


def chain(error: BaseException | None) -> list[str]:
    names: list[str] = []
    while error is not None and len(names) < MOST_FRAMES:
        names.append(f"{type(error).__module__}.{type(error).__name__}: {error!s:.300}")
        error = error.__cause__ or error.__context__
    return names


def missing(error: BaseException | None) -> list[str]:
    """Modules whose absence led to it: many say it in words of their own."""
    names: list[str] = []
    for _ in range(MOST_FRAMES):
        if isinstance(error, ModuleNotFoundError) and error.name:
            names.append(str(error.name))
        error = error and (error.__cause__ or error.__context__)
    return names


def frames(error: BaseException) -> list[tuple[str, int, str]]:
    found = [(f.filename, f.lineno or 0, f.name) for f in traceback.extract_tb(error.__traceback__, -MOST_FRAMES)]
    if isinstance(error, SyntaxError) and error.filename:
        found.append((error.filename, error.lineno or 0, ""))
    return found


# --- many --------------------------------------------------------------------------------------------------------


def say(to: int, answer: dict[str, Any]) -> None:
    os.write(to, json.dumps(answer).encode() + b"\n")


def loaded(root: str) -> list[str]:
    """Files of the tree that were imported to the end."""
    found = []
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.startswith(root):
            found.append(file)
    return found


def work(asked: dict[str, Any], numbers: list[int], preload: list[str], to: int, mark: str) -> None:
    """In a process of its own: answer for these, in their order. What is said without the mark is nobody's word."""

    def say(answer: dict[str, Any]) -> None:
        os.write(to, json.dumps([mark, answer]).encode() + b"\n")

    os.setsid()
    silence()
    if asked.get("django"):
        set_up_django(asked)
    for name in preload:
        with contextlib.suppress(BaseException):  # whoever needs it will say so
            importlib.import_module(name)
    say({"ready": True})
    for number in numbers:
        say({"begin": number})
        answer = attempt(asked["modules"][number])
        say({"end": number, "loaded": loaded(asked["root"]) if "ok" in answer else [], **answer})
    say({"over": True})
    os._exit(0)


def silence() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)


def set_up_django(asked: dict[str, Any]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", asked["django"])
    sys.path[:] = [*asked["modules"][0]["path"], *BARE_PATH]
    with contextlib.suppress(BaseException):  # the modules that need it will say so
        importlib.import_module("django").setup()


class Worker:
    """A forked process that answers for some modules."""

    def __init__(self, asked: dict[str, Any], numbers: list[int], preload: list[str]) -> None:
        self.ours, theirs = os.pipe()
        self.mark = os.urandom(16).hex()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.ours)
            try:
                work(asked, numbers, preload, theirs, self.mark)
            finally:
                os._exit(1)
        os.close(theirs)
        self.buffer = b""

    def answer(self, until: float) -> dict[str, Any] | None:
        """The next one; None when the process ended, or time is up."""
        while True:
            while b"\n" not in self.buffer:
                wait = until - time.monotonic()
                if wait <= 0 or not select.select([self.ours], [], [], wait)[0]:
                    return None
                chunk = os.read(self.ours, 65_536)
                if not chunk:
                    return None
                self.buffer += chunk
            line, _, self.buffer = self.buffer.partition(b"\n")
            with contextlib.suppress(ValueError, TypeError):
                mark, answer = json.loads(line)
                if mark == self.mark and isinstance(answer, dict):
                    return answer

    def end(self) -> int:
        """Everything of it; its status."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        os.close(self.ours)
        return os.waitpid(self.pid, 0)[1]


def together(asked: dict[str, Any]) -> tuple[dict[int, dict[str, Any]], set[str]]:
    """Answers of modules that share processes, and the files that were imported by those that succeeded.

    Only those that are found in the same folders share one: elsewhere the same name is another module.
    """
    answers: dict[int, dict[str, Any]] = {}
    files: set[str] = set()
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, module in enumerate(asked["modules"]):
        groups.setdefault(tuple(module["path"]), []).append(number)
    for waiting in groups.values():
        preload = asked["preload"]
        while waiting:
            ended, began = batch(asked, waiting, preload, answers, files)
            if ended:
                break
            if began is not None:
                answers[began] = {"error": None}
                waiting.remove(began)
            elif preload:
                preload = []  # one of them ends or blocks the process
            else:
                break
    return answers, files


def batch(
    asked: dict[str, Any], waiting: list[int], preload: list[str], answers: dict[int, dict[str, Any]], files: set[str]
) -> tuple[bool, int | None]:
    """One process for all that wait. Whether it came to its end; else the module that it did not get over."""
    worker = Worker(asked, list(waiting), preload)
    began: int | None = None
    while True:
        answer = worker.answer(time.monotonic() + asked["seconds"])
        if answer is None or "over" in answer:
            break
        if "begin" in answer:
            began = answer["begin"]
        elif "end" in answer:
            answers[answer["end"]] = answer
            files.update(answer["loaded"])
            waiting.remove(answer["end"])
            began = None
    worker.end()
    return answer is not None, began


def alone(asked: dict[str, Any], number: int) -> dict[str, Any]:
    worker = Worker(asked, [number], [])
    until = time.monotonic() + asked["seconds"]
    answer: dict[str, Any] | None = {}
    while answer is not None and "end" not in answer:
        answer = worker.answer(until)
    late = time.monotonic() >= until
    status = worker.end()
    if answer is not None:
        return answer
    kind = "timeout" if late else "exit"
    how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {os.WEXITSTATUS(status)}"
    message = (
        f"the import did not finish within {asked['seconds']:g} s" if late else f"the import ended the process: {how}"
    )
    return {"error": {"kind": kind, "message": message, "name": None, "chain": [], "frames": [], "errno": None}}


def main() -> None:
    asked = json.load(sys.stdin)
    answers = os.dup(1)
    silence()
    limit(asked["limit"])
    say(answers, {"network": without_network() if asked["guard"] else "walls"})
    gc.disable()
    sys.dont_write_bytecode = True
    os.chdir(asked["cwd"])
    first, files = together(asked)
    for number in range(len(asked["modules"])):
        answer = first.get(number)
        if answer is None or "ok" not in answer:
            answer = alone(asked, number)
            files.update(answer.get("loaded", ()))
        say(answers, {"module": number, "ok": "ok" in answer, "error": answer.get("error")})
    say(answers, {"files": sorted(files)})


BARE_PATH = [entry for entry in sys.path if entry and entry != os.path.dirname(os.path.abspath(__file__))]

if __name__ == "__main__":
    main()
