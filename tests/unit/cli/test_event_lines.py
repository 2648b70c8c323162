"""`foliot cluster events -f`: one line for each change, with its time in front."""

from datetime import UTC, datetime

from foliot.cli.cluster import event_line
from foliot.cli.times import Times
from foliot.client.streams import StreamEvent

NOON = Times("Asia/Shanghai", chinese=False, now=datetime(2026, 3, 2, 4, tzinfo=UTC))


def test_a_change_is_told_with_its_time_in_the_readers_zone() -> None:
    data = {"subject": "tick", "namespace": "default", "at": "2026-03-02T03:59:58.5Z", "by": "anne", "topic": "jobs",
            "reason": "moving", "until": None}  # fmt: skip
    assert event_line(NOON, StreamEvent(id="7", kind="job.paused", data=data)) == (
        "11:59:58  job.paused        tick  by=anne  reason=moving"
    )


def test_a_run_is_told_by_its_id_as_well() -> None:
    data = {"subject": "tick", "namespace": "default", "at": "2026-03-01T16:00:01Z", "id": "r-8k2f", "job": "tick",
            "state": "RUNNING"}  # fmt: skip
    assert event_line(NOON, StreamEvent(id="8", kind="run.started", data=data)) == (
        "00:00:01  run.started       tick  id=r-8k2f  state=RUNNING"
    )


def test_a_change_without_a_time_is_told_all_the_same() -> None:
    """An older server says none of runs; and `reset` is no change of anything."""
    assert event_line(NOON, StreamEvent(id="9", kind="reset", data={})) == "-         reset"


def test_a_list_is_told_with_commas() -> None:
    data = {"subject": "r-7", "shards": 2, "workers": ["w-1", "w-2"]}
    assert event_line(NOON, StreamEvent(id="9", kind="run.cut", data=data)) == (
        "-         run.cut           r-7  shards=2  workers=w-1,w-2"
    )
