"""A worker compares its wall clock with the store's at each beat, says how far it is off, and goes by neither (C2)."""

from typing import cast

import structlog

from foliot.domain.instants import HOUR, SECOND, to_instant
from foliot.ports.worker_link import Beat, BeatAnswer, Welcome, WorkerLink
from foliot.worker.figures import Figures
from foliot.worker.heartbeat import Heartbeat
from foliot.worker.locks import RunLocks
from foliot.worker.session import Session
from foliot.worker.surroundings import Surroundings
from tests.clocks import CountingChance, DrivenClock


class Store:
    """Answers beats with its own time."""

    def __init__(self, clock: DrivenClock) -> None:
        self._clock = clock
        self.tells_time = True
        self.ahead_us = 0
        self.beats: list[Beat] = []

    def beat(self, beat: Beat) -> BeatAnswer:
        self.beats.append(beat)
        now = to_instant(self._clock.now()) + self.ahead_us
        return BeatAnswer(alive=True, store_now=now if self.tells_time else 0)


class Nobody:
    """Listens to beats, and does nothing about them."""

    def heard(self, session: Session, answer: BeatAnswer) -> None: ...

    def beat_missed(self) -> None: ...

    def broke_in_thread(self, error: BaseException) -> None: ...


class NoLocks:
    def claims(self, _session: str) -> tuple[str, ...]:
        return ()

    def answered(self, _answer: object, *, sent_at: float) -> None: ...


def heartbeat(clock: DrivenClock, store: Store) -> Heartbeat:
    welcome = Welcome(session_ttl_us=4 * SECOND, beat_every_us=SECOND, margin_us=SECOND, store_now=0)
    return Heartbeat(
        Surroundings(cast("WorkerLink", store), clock, CountingChance(), Figures(), 1.0),
        Session("s", welcome, sent_at=clock.monotonic()),
        Nobody(),
        load=dict,
        is_draining=lambda: False,
        is_syncing=lambda: False,
        locks=cast("RunLocks", NoLocks()),
    )


def test_each_beat_tells_what_the_one_before_it_showed() -> None:
    clock = DrivenClock()
    store = Store(clock)
    beating = heartbeat(clock, store)
    with structlog.testing.capture_logs() as logs:
        beating.beat()
        store.ahead_us = HOUR
        beating.beat()
        beating.beat()
        store.ahead_us = -HOUR
        beating.beat()
        store.ahead_us = 0
        beating.beat()
        beating.beat()
    assert [beat.clock_offset_us for beat in store.beats] == [None, 0, -HOUR, -HOUR, HOUR, 0]
    assert [(line["event"], line["log_level"]) for line in logs] == [("clock.off", "warning"), ("clock.right", "info")]


def test_a_server_that_does_not_tell_the_time_is_not_guessed_at() -> None:
    clock = DrivenClock()
    store = Store(clock)
    store.tells_time = False
    beating = heartbeat(clock, store)
    beating.beat()
    beating.beat()
    assert [beat.clock_offset_us for beat in store.beats] == [None, None]
