"""What a server does when another one wakes it, and that it wakes nobody in turn."""

import pytest

from foliot.app.server import Server
from foliot.app.server_wakeups import woken
from foliot.domain.wakeups import CHANGED, DUE, LOCKS, MISSED, READY, STOP, TOPICS
from foliot.engine.loop import Duty
from foliot.ports.coordinator import ELECTION
from tests.engine.conftest import MakeServer

pytestmark = pytest.mark.anyio


def woken_by(server: Server, topic: str) -> set[str]:
    """The duties that a wake-up wakes."""
    duties: list[Duty] = [server.pulsing, server.leasing, server.lock_waiting, server.leading, server.presence]
    for duty in duties:
        duty.wake.clear()
    woken(server, topic)
    return {duty.name for duty in duties if duty.wake.is_set()}


async def test_each_topic_wakes_the_duties_it_is_for(server: Server) -> None:
    assert woken_by(server, DUE) == {"pulse"}
    assert woken_by(server, STOP) == {"leasing"}
    assert woken_by(server, LOCKS) == {"locks"}
    assert woken_by(server, MISSED) == {"pulse", "leasing", "locks"}
    assert woken_by(server, ELECTION) == {"pulse", "leading", "presence"}
    assert woken_by(server, "lock:ofAnotherServer") == set()
    assert woken_by(server, "a word of a newer server") == set()
    heard: list[str] = []
    server.on_change.append(lambda: heard.append("a user's change"))
    assert woken_by(server, CHANGED) == set()
    assert heard == ["a user's change"], "those who watch at this server look at once"
    server.tide.ready = False
    woken_by(server, READY)
    assert server.tide.ready, "the next poll of a worker is answered"


async def test_hearing_sends_nothing_and_both_are_counted(
    make_server: MakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = make_server("s1")
    sent: list[str] = []
    monkeypatch.setattr(server._coordinator, "send", sent.append)
    for topic in (*TOPICS, "lock:a", "a word of a newer server"):
        woken(server, topic)
    assert sent == []
    server.services.cursors_moved()
    server.changed()
    server.lock_waiting.granted(["a", "b"])
    assert sent == [DUE, CHANGED, "lock:a", "lock:b"]
    count = server.metrics.registry.get_sample_value
    assert count("foliot_wakeups_heard_total", {"topic": LOCKS}) == 2
    assert count("foliot_wakeups_sent_total", {"topic": LOCKS}) == 2
    shown = server.metrics.render().decode()
    assert "newer" not in shown, "what others say makes no new series"
