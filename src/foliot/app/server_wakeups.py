"""What a server does when another one wakes it."""

from typing import TYPE_CHECKING

from foliot.domain.wakeups import (
    CHANGED,
    DUE,
    LOCKS,
    MISSED,
    NOTICES,
    READY,
    ROLES,
    STOP,
    claim_of_topic,
    subject_of,
)
from foliot.ports.coordinator import ELECTION

if TYPE_CHECKING:
    from foliot.app.server import Server


def woken(server: "Server", topic: str) -> None:
    """Do what a wake-up is for. Nothing here sends one, so servers never wake each other in circles."""
    server.metrics.woken(subject_of(topic))
    if topic in (READY, MISSED):
        server.leasing.hint()
    if topic in (DUE, MISSED):
        server.pulsing.wake.set()
    if topic in (STOP, MISSED):
        server.leasing.call_for_beats()
    if topic in (LOCKS, MISSED):
        server.lock_waiting.look_at_all()
    if topic == ROLES:
        server.presence.wake.set()
    if topic == ELECTION:
        for duty in (server.pulsing, server.leading, server.presence):
            duty.wake.set()
    if topic in (CHANGED, MISSED):
        for listener in server.on_change:
            listener()
    if topic == NOTICES:
        server.delivery.wake.set()
    claim = claim_of_topic(topic)
    if claim is not None:
        server.lock_waiting.heard(claim)
