"""How does somebody's own agent loop use the guard?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trueup.decide.commands import Declared
from trueup.decide.live import Live, Watch
from trueup.decide.session import Doing, Turn
from trueup.decide.turns import answered, follow
from trueup.decide.verification import checked
from trueup.guard.words import not_looked_at, not_yet, nudge_text, released


class Guard:
    """Follows one session. It runs nothing itself: what your loop ran and edited is told to it.

    Each method returns a text for the agent, or None when there is nothing to say. `guard.state` is the fold's state
    after the last turn; `guard.stop` says why the attempt should be ended, or "".
    """

    def __init__(
        self, checks: Mapping[str, str] | None = None, *, root: str = "", max_verify_attempts: int = 3
    ) -> None:
        declared = tuple(Declared(name=name, command=command) for name, command in (checks or {}).items())
        self._watch = Watch(checks=declared, root=root, max_verify_attempts=max_verify_attempts)
        self.state = Live()

    @property
    def stop(self) -> str:
        return self.state.stop

    @property
    def verified(self) -> bool:
        """Every check that failed has passed again, after the last edit."""
        return self.state.verified

    def ran(self, command: str, output: str = "", *, exit_code: int | None = None) -> str | None:
        """The agent ran a command. One of the declared checks moves the state; any other is only a step."""
        failed = None if exit_code is None else exit_code != 0
        return self.saw(
            Turn(doing=Doing.RUN, tool="shell", args=command, output=output, failed=failed, exit_code=exit_code)
        )

    def edited(self, what: str, *, paths: Sequence[str] = (), rejected: bool = False, output: str = "") -> str | None:
        """The agent edited a file, or tried to. `what` is the edit itself: the same one again is recognised."""
        turn = Turn(doing=Doing.EDIT, tool="edit", args=what, paths=tuple(paths), output=output, failed=rejected)
        return self.saw(turn)

    def saw(self, turn: Turn) -> str | None:
        """Anything else that happened."""
        self.state = follow(self.state, turn, self._watch)
        return nudge_text(self.state.nudge) if self.state.nudge else None

    def ends(self) -> str | None:
        """The agent says that it is done. A text: not yet, and why; run the checks and tell `verify` what came out.

        After `max_verify_attempts` such answers without progress it is None: `handed_back` then says what is open.
        """
        if not self._is_open or self.state.answered >= self._watch.max_verify_attempts:
            return None
        self.state = answered(self.state, ())
        return not_yet(self.state, ours=False) if self.state.failures else not_looked_at()

    def verify(self, command: str, output: str, *, exit_code: int) -> str | None:
        """You ran a check because the agent said that it was done. None: it passes, or enough was asked."""
        turn = Turn(doing=Doing.RUN, args=command, output=output, failed=exit_code != 0, exit_code=exit_code)
        result = checked(turn, self._watch.checks, self._watch.root)
        before = self.state.answered
        self.state = answered(self.state, () if result is None else (result,))
        self.state = replace(self.state, answered=min(self.state.answered, before))  # `ends` has counted it
        if not self.state.failures or self.state.answered >= self._watch.max_verify_attempts:
            return None
        return not_yet(self.state, ours=True)

    @property
    def _is_open(self) -> bool:
        """A check fails, or files were changed that none of the declared ones has looked at."""
        state = self.state
        unseen = state.wrote_at is not None and state.wrote_at > (state.checked_at or 0)
        return bool(state.failures) or (bool(self._watch.checks) and unseen)

    def handed_back(self) -> str:
        """The last word, for people: "" when nothing is open."""
        return released(self.state) if self._is_open else ""
