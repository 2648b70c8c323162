"""Which checkpoints a beat carries: changed ones first, and never more than a beat can carry without being late.

The store passes over a run that another transaction is writing, and does not say so: it may have lost a checkpoint that
was sent. So the worker sends checkpoints again and again, a few with each beat, the one sent longest ago first.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from foliot.worker.attempt import Attempt

NEWS_MAX: Final = 1024 * 1024
"""Letters of changed checkpoints in one beat: some milliseconds for whoever reads and keeps them."""
AGAIN_MAX: Final = 128 * 1024
"""Letters of unchanged ones: all there are, in most workers."""


class _Told(NamedTuple):
    text: str | None
    turn: int


_NOTHING: Final = _Told(None, 0)


class Checkpoints:
    """What of its attempts' checkpoints a worker has told. Used by the beat's thread alone."""

    def __init__(self, *, news_max: int = NEWS_MAX, again_max: int = AGAIN_MAX) -> None:
        self._news_max = news_max
        self._again_max = again_max
        self._told: dict[str, _Told] = {}
        self._turn = 0

    def choose(self, attempts: Iterable[Attempt]) -> dict[str, str]:
        """What to tell now, by lease id: at least one if there is any."""
        news: list[tuple[int, str, str]] = []
        again: list[tuple[int, str, str]] = []
        known: dict[str, _Told] = {}
        for attempt in attempts:
            text = attempt.checkpoint  # once: it may change meanwhile
            if text is None:
                continue
            lease_id = attempt.run.lease_id
            told = known[lease_id] = self._told.get(lease_id, _NOTHING)
            (again if told.text == text else news).append((told.turn, lease_id, text))
        self._told = known  # what is no longer held is forgotten
        return _within(self._news_max, news) | _within(self._again_max, again)

    def answered(self, chosen: Mapping[str, str]) -> None:
        """The beat that carried these was answered."""
        self._turn += 1
        self._told.update((lease_id, _Told(text, self._turn)) for lease_id, text in chosen.items())


def _within(letters_max: int, waiting: list[tuple[int, str, str]]) -> dict[str, str]:
    """Those that wait longest, as many as fit; always one, however long it is."""
    chosen: dict[str, str] = {}
    waiting.sort(key=lambda one: one[0])
    for _, lease_id, text in waiting:
        letters_max -= len(text)
        if letters_max < 0 and chosen:
            break
        chosen[lease_id] = text
    return chosen
