"""How does a program run as if nothing stood before it, and how is it asked again when it has failed?

This file is not imported by trueup. Its text, with a first line that names the interpreter and a last one that calls
`main`, is written under the name of a program into a folder that comes first on the PATH. It uses the standard library
only, without `site`. The real program gets the words, the environment (but for that folder), the descriptors and the
signals that were meant for it, and whoever waits for it sees how it ended.
"""

# It has to start quickly: nothing but these modules, and the plain functions of `os`.
# ruff: noqa: PTH123, S606

# What `signal` is made of: that would add its enumerations, and as much time again as all of this takes.
import _signal as signal  # type: ignore[import-not-found]  # no stub knows it
import os
import sys

_NO_PROGRAM = 8
"""ENOEXEC: a script without a first line, which a shell would run itself."""
_HANDED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def environment(home: str) -> dict[bytes, bytes]:
    """As it was given: Python itself adds a variable where there is no locale, and a shell drops odd names."""
    try:
        with open("/proc/self/environ", "rb") as file:
            entries = file.read().split(b"\0")
    except OSError:
        entries = [name + b"=" + value for name, value in os.environb.items()]
    found: dict[bytes, bytes] = {}
    for entry in entries:
        name, equals, value = entry.partition(b"=")
        if equals:
            found.setdefault(name, value)
    if b"PATH" in found:
        found[b"PATH"] = b":".join(part for part in found[b"PATH"].split(b":") if part != os.fsencode(home))
    return found


def completed(words: list[str], more: dict[str, list[str]]) -> list[str]:
    """What is added goes behind the sub-command; the words before it begin with `+`."""
    at = 1 if words[:1] and words[0].startswith("+") else 0
    added = more.get(words[at], []) if len(words) > at else []
    return [*words[: at + 1], *added, *words[at + 1 :]]


def with_ours(env: dict[bytes, bytes], home: str, variables: dict[str, str]) -> None:
    """A command that gives a variable a value of its own (`PYTHONPATH=src pytest`) has thrown away what we put there.

    The folder stays on the PATH: what this program starts may do the same.
    """
    if not variables:
        return
    env[b"PATH"] = b":".join((os.fsencode(home), *(part for part in (env.get(b"PATH"),) if part)))
    for name, ours in variables.items():
        theirs, added = env.get(name.encode(), b""), os.fsencode(ours)
        if added not in theirs:
            parts = (added, theirs) if name == "PYTHONPATH" else (theirs, added)
            env[name.encode()] = (b":" if name == "PYTHONPATH" else b" ").join(part for part in parts if part)


def become(argv: list[str], env: dict[bytes, bytes]) -> None:
    for number in _IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(argv[0], argv, env)
    except OSError as error:
        if error.errno != _NO_PROGRAM:
            raise
    os.execve("/bin/sh", ["sh", *argv], env)


def run(argv: list[str], env: dict[bytes, bytes], *, unseen: bool = False) -> int:
    """Start it, hand on what others signal, and return how it ended, as the system tells it.

    Signals are waited for, not handled: Python would see one that comes just before `waitpid` only after it.
    """
    theirs = {number for number in _HANDED_ON if signal.getsignal(number) != signal.SIG_IGN}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would never come
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, theirs | {signal.SIGCHLD})
    nothing = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in (0, 1, 2)] if unseen else []

    def start(words: list[str]) -> int:
        return os.posix_spawn(
            words[0], words, env, file_actions=nothing, setsigmask=masked, setsigdef=_IGNORED_BY_PYTHON
        )

    try:
        child = start(argv)
    except OSError as error:
        if error.errno != _NO_PROGRAM:
            raise
        child = start(["/bin/sh", *argv])
    ended, status = 0, 0
    while not ended:
        number = signal.sigwait(theirs | {signal.SIGCHLD})
        if number == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
        else:
            os.kill(child, number)
    for number in theirs:
        signal.signal(number, lambda *_: None)  # it has ended already, and this is how
    signal.pthread_sigmask(signal.SIG_SETMASK, masked)
    return status


def end_like(status: int) -> None:
    if os.WIFSIGNALED(status):
        import resource

        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (number,))
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def main(
    real: str,
    home: str,
    *,
    more: dict[str, list[str]],
    modules: list[str] | None,
    ask: list[str],
    codes: list[int],
    variables: dict[str, str],
) -> None:
    """`variables`: what has to be in them. `ask`: the program that asks again.

    `modules`: those for which an interpreter is asked; None when it is none.
    """
    env, words = environment(home), sys.argv[1:]
    with_ours(env, home, variables)
    argv = [real, *completed(words, more)]
    if not ask or (modules is not None and (words[:1] != ["-m"] or words[1:2] == [] or words[1] not in modules)):
        become(argv, env)
    status = run(argv, env)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) in codes and os.access(ask[0], os.X_OK):
        run([*ask, str(os.WEXITSTATUS(status)), *words], env, unseen=True)
    end_like(status)
