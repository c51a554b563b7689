"""How does a program run trueup: at once, step by step, or inside an event loop?

A run has a thread of its own, so that an interrupt of the caller never meets it in the middle of something: the caller
only reads events, and asks it to end.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

from trueup.act.process import Processes
from trueup.api.exact import Asked
from trueup.api.result import Result
from trueup.api.wishes import Agents, NoLimit, Resume, Task
from trueup.errors import UsageError
from trueup.report.events import Envelope

Folder = str | PathLike[str]
OnEvent = Callable[[Envelope], object]

_LOOK = 0.1
"""How often the caller's `cancel` is looked at, in seconds."""


def run(
    task: Task | Resume,
    project: Folder = ".",
    *,
    on_event: OnEvent | None = None,
    cancel: threading.Event | None = None,
    state: Folder | None = None,
    environ: Mapping[str, str] | None = None,
) -> Result:
    """Let an agent work until the checks prove that the task is done; whatever comes of it is returned.

    `on_event` is called with every event, in order, in the calling thread. When `cancel` is set, the run ends cleanly
    with status CANCELLED. An exception in `on_event`, and KeyboardInterrupt, end it too, and are raised when the last
    child is gone; `resume` goes on. `state` is the folder for everything that is kept (by default as for the command
    line), `environ` the environment for agents and checks (by default that of this process).

    Raises `TrueupError`: `UsageError` for what cannot be carried out as written, `UnverifiableError` when there is
    nothing to check or nowhere to write, `BlockedError` when another run works on the same item.
    """
    with start(task, project, state=state, environ=environ) as handle:
        for envelope in handle.events(cancel):
            if on_event is not None:
                on_event(envelope)
        return handle.result()


async def run_async(
    task: Task | Resume,
    project: Folder = ".",
    *,
    on_event: Callable[[Envelope], Awaitable[object] | object] | None = None,
    state: Folder | None = None,
    environ: Mapping[str, str] | None = None,
) -> Result:
    """The same without blocking the event loop. `on_event` may be asynchronous.

    When the awaiting task is cancelled, the run ends cleanly first, with all its children; then the cancellation
    goes on. So `asyncio.timeout` and `asyncio.TaskGroup` work as with anything else.
    """
    async with start(task, project, state=state, environ=environ) as handle:
        async for envelope in handle:
            said = on_event(envelope) if on_event is not None else None
            if inspect.isawaitable(said):
                await said
        return await handle


def resume(
    run_id: str | None = None,
    project: Folder = ".",
    *,
    agent: Agents = (),
    max_usd: float | NoLimit | None = None,
    max_time: float | str | None = None,
    max_attempts: int | None = None,
    on_event: OnEvent | None = None,
    cancel: threading.Event | None = None,
    state: Folder | None = None,
    environ: Mapping[str, str] | None = None,
) -> Result:
    """Go on with a run, by default the latest. Short for `run(Resume(…))`, which `run_async` and `start` take too."""
    wanted = Resume(run_id, agent=agent, max_usd=max_usd, max_time=max_time, max_attempts=max_attempts)
    return run(wanted, project, on_event=on_event, cancel=cancel, state=state, environ=environ)


def start(
    task: Task | Resume,
    project: Folder = ".",
    *,
    state: Folder | None = None,
    environ: Mapping[str, str] | None = None,
) -> Run:
    """Begin a run and return at once. Use it in a `with` or `async with` block."""
    wanted = task if isinstance(task, Resume) else task.asked()
    if not isinstance(wanted, Resume) and not wanted.task.agents:
        raise UsageError(
            "no agent was given",
            why="trueup never starts a paid agent by itself",
            do='Give one, for example Task(…, agent="claude -p --dangerously-skip-permissions"), or a function.',
        )
    state_home = None if state is None else Path(state).absolute()
    environment = dict(os.environ if environ is None else environ)
    return Run(wanted, Path(project).absolute(), state_home=state_home, environ=environment)


class Run:
    """A run that is under way.

    Iterate over it, with `for` or `async for`, to get its events; each iteration begins with the first, and none is
    left out. It ends with the run, and raises what the run raised. Leaving the `with` block cancels what still goes
    on, and waits until all its processes are gone.
    """

    def __init__(
        self, wanted: Asked | Resume, folder: Path, *, state_home: Path | None, environ: Mapping[str, str]
    ) -> None:
        """Use `start`."""
        from trueup.api.conduct import Sitting, conduct

        self._processes = Processes()
        self._news = threading.Condition()
        self._events: list[Envelope] = []
        self._listeners: list[Callable[[], None]] = []
        self._result: Result | None = None
        self._error: BaseException | None = None
        self._over = self._told = False
        sitting = Sitting(
            wanted=wanted,
            folder=folder,
            state_home=state_home,
            environ=environ,
            processes=self._processes,
            on_event=self._tell,
        )
        target = contextvars.copy_context().run
        # A daemon: a program that ends without waiting leaves a run that can be resumed, and no process.
        self._thread = threading.Thread(
            target=target, args=(self._work, lambda: conduct(sitting)), name="trueup-run", daemon=True
        )
        self._thread.start()

    # --- for the one who started it --------------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._over

    def cancel(self) -> None:
        """Ask it to end cleanly, from any thread; asked again, its children are given no time to say good-bye."""
        self._processes.cancel()

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the end. `TimeoutError` when it does not come in so many seconds; the run then goes on."""
        with self._news:
            if not self._news.wait_for(lambda: self._over, timeout):
                raise TimeoutError(f"the run is still going on after {timeout:g} s")
        return self._outcome()

    def events(self, cancel: threading.Event | None = None) -> Iterator[Envelope]:
        """Every event, from the first one. When `cancel` is set meanwhile, the run is cancelled."""
        read = 0
        while True:
            fresh, over = self._since(read, None if cancel is None else _LOOK)
            if cancel is not None and cancel.is_set() and not self._processes.cancelled:
                self.cancel()
            yield from fresh
            read += len(fresh)
            if over and not fresh:
                self._raise_error()
                return

    def _since(self, read: int, seconds: float | None) -> tuple[list[Envelope], bool]:
        """What is new, as soon as there is something, and whether it is over."""
        with self._news:
            self._news.wait_for(lambda: len(self._events) > read or self._over, seconds)
            return self._events[read:], self._over

    def __iter__(self) -> Iterator[Envelope]:
        return self.events()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        if kind is None:
            self._raise_error(again=False)

    # --- the same in an event loop -----------------------------------------------------------------------------------

    async def __aiter__(self) -> AsyncIterator[Envelope]:
        read = 0
        while read < len(self._events) or not self._over:
            await self._change(read)
            if read < len(self._events):
                read += 1
                yield self._events[read - 1]
        self._raise_error()

    def __await__(self) -> Generator[object, None, Result]:
        return self._awaited().__await__()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._over:
            self.cancel()
        await self._gone()
        if kind is None:
            self._raise_error(again=False)

    async def _awaited(self) -> Result:
        await self._gone()
        return self._outcome()

    async def _gone(self) -> None:
        """Until it is over. A cancellation of the waiting task is passed on to the run, and then goes on itself."""
        cancelled: asyncio.CancelledError | None = None
        while not self._over:
            try:
                await self._change(len(self._events))
            except asyncio.CancelledError as error:
                cancelled = error
                self.cancel()
        self._thread.join()
        if cancelled is not None:
            raise cancelled

    async def _change(self, known: int) -> None:
        """Until there are more events than that, or it is over."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # that loop is closed: nobody waits there any more
                loop.call_soon_threadsafe(changed.set)

        with self._listening(wake):
            if len(self._events) <= known and not self._over:
                await changed.wait()

    # --- for the run itself ----------------------------------------------------------------------------------------

    def _work(self, conduct: Callable[[], Result]) -> None:
        try:
            self._result = conduct()
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
            self._error = error
        self._tell(over=True)

    def _tell(self, *events: Envelope, over: bool = False) -> None:
        with self._news:
            self._events += events
            self._over = self._over or over
            self._news.notify_all()
            for wake in self._listeners:
                wake()

    @contextmanager
    def _listening(self, wake: Callable[[], None]) -> Iterator[None]:
        with self._news:
            self._listeners.append(wake)
        try:
            yield
        finally:
            with self._news:
                self._listeners.remove(wake)

    # --- its end -----------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """Until its last process is gone. Ctrl-C meanwhile ends them at once, and is raised afterwards."""
        interrupt: KeyboardInterrupt | None = None
        asked = self._over
        while True:
            try:
                if not asked:
                    asked = True
                    self.cancel()
                self._thread.join()
                break
            except KeyboardInterrupt as error:
                interrupt, asked = error, False
        if interrupt is not None:
            raise interrupt

    def _outcome(self) -> Result:
        self._raise_error()
        assert self._result is not None
        return self._result

    def _raise_error(self, *, again: bool = True) -> None:
        if self._error is not None and (again or not self._told):
            self._told = True
            raise self._error
