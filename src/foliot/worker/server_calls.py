"""Calls of the server: the worker waits for every answer within a limit, and no answer is an outcome, not a crash."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from foliot.domain.errors import Conflict, FoliotError, InvalidInput, NotFound
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock

T = TypeVar("T")

NO_ANSWER: Final = (FoliotError, OSError, TimeoutError)
"""What a link raises when no answer came, or one that a later try may change: the outcome is unknown (R5).

A refused token is among them: it can be put right while results wait, and they must not be lost for it.
"""

_ABANDON_WITHIN_S: Final = 1.0
_REFUSALS: Final = frozenset({400, 409, 411, 415, 422})
_TOO_LARGE: Final = 413


class NoAnswer(Exception):
    """No answer came: it may or may not have happened. Repeat the same call."""


class NotTaken(Exception):
    """The server answered and will not take this, now or later: repeating it does not help."""

    def __init__(self, error: FoliotError) -> None:
        super().__init__(error.code)
        self.code: str = error.code
        self.kind = type(error).__name__


async def answer_of(
    call: Coroutine[Any, Any, T], *, clock: Clock, within_s: float, name: str, give_up: asyncio.Event | None = None
) -> T:
    """The answer. `NoAnswer` when none came in time or `give_up` was set first, and the call is abandoned; `NotTaken`.

    `give_up` is for this call alone: it is set when the call ends, too.
    """
    task = asyncio.create_task(call, name=name)
    wake = give_up if give_up is not None else asyncio.Event()
    task.add_done_callback(lambda _: wake.set())
    try:
        await clock.wait(wake, for_s=within_s)
        if not task.done():
            raise NoAnswer(f"none within {within_s:g} s" if give_up is None or not wake.is_set() else "given up")
        if task.cancelled():
            raise NoAnswer("cancelled inside")
        return task.result()
    except FoliotError as error:
        if _is_refusal(error):
            raise NotTaken(error) from error
        raise NoAnswer(type(error).__name__) from error
    except NO_ANSWER as error:
        raise NoAnswer(type(error).__name__) from error
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_ABANDON_WITHIN_S)


def _is_refusal(error: FoliotError) -> bool:
    """Whether a server refused the call for what is in it, and would again.

    Whatever stands between may say no as well, for reasons of its own and for a moment: only an answer with a code of
    ours is a server's. But a proxy may say "too large" as a server does: smaller parts may get through.
    """
    if isinstance(error, InvalidInput | NotFound | Conflict):
        return True
    status = error.data.get("status")
    return status == _TOO_LARGE or (status in _REFUSALS and str(error.data.get("code")).startswith("FOL-"))


class GrowingRest:
    """How long to rest before asking again: doubling from `first_s` to `most_s`, with jitter."""

    def __init__(self, chance: Chance, *, first_s: float, most_s: float) -> None:
        self._chance = chance
        self._first_s = first_s
        self._most_s = most_s
        self._next_s = first_s

    def next_s(self) -> float:
        """The rest before the next try."""
        rest = self._next_s
        self._next_s = min(self._next_s * 2, self._most_s)
        return rest * (0.5 + self._chance.fraction() / 2)

    def reset(self) -> None:
        """An answer came."""
        self._next_s = self._first_s
