"""`foliot cluster failovers` and `foliot cluster policy`."""

import sqlite3
from contextlib import closing

import pytest

from tests.cli.conftest import Shell

ROW = {
    "occurrence": "session:x",
    "type": "worker_crash",
    "subject": "w-1",
    "began_at": 100_000_000,
    "detected_at": 117_000_000,
    "last_at": 117_000_000,
    "evidence": '{"silent_us": 17000000}',
    "affected": '{"runs": 2, "jobs": ["pay"]}',
    "action": "immediate_failover",
    "attempts": 1,
    "session_id": "",
    "ver": 1,
    "outcome": "recovered",
    "done": '{"returned": 2, "lost": 0}',
    "ended_at": 118_000_000,
}
CHINESE = {"LANG": "zh_CN.UTF-8", "LC_ALL": "zh_CN.UTF-8"}


@pytest.fixture
def number(foliot: Shell) -> int:
    """A worker's crash in the store of `foliot up`; its id."""
    (file,) = (foliot.folder / ".foliot").glob("*.db")
    with closing(sqlite3.connect(file, timeout=60)) as connection, connection:
        places = ", ".join("?" * len(ROW))
        cursor = connection.execute(f"REPLACE INTO failovers ({', '.join(ROW)}) VALUES ({places})", [*ROW.values()])
        assert cursor.lastrowid is not None
        return cursor.lastrowid


def test_what_failed_is_a_table_and_one_failure_a_page(foliot: Shell, number: int) -> None:
    listed = foliot("cluster", "failovers", "--type", "worker_crash").out
    assert "w-1" in listed
    assert "no beat for 17 s" in listed
    shown = foliot("cluster", "failovers", str(number)).out
    for piece in ("worker_crash", "pay", "returned 2, lost 0", "recovered", "18 s"):
        assert piece in shown
    assert "没有心跳" in foliot("cluster", "failovers", str(number), **CHINESE).out
    assert foliot("cluster", "failovers", "--open", "--type", "worker_crash", "-o", "json").json["items"] == []
    missing = foliot("cluster", "failovers", "999999")
    assert missing.code != 0
    assert "FOL-2021" in missing.err


def test_a_policy_is_shown_and_set(foliot: Shell) -> None:
    shown = foliot("cluster", "policy").out
    for piece in ("worker_crash", "immediate_failover", "failover timeout", "heartbeat interval"):
        assert piece in shown
    said = foliot("cluster", "policy", "clock_step", "--escalate-after", "2m", "--channel", "ops")
    assert "clock_step: escalated after 2 m, level critical, channel ops" in said.err
    (one,) = [row for row in foliot("cluster", "policy", "-o", "json").json["items"] if row["type"] == "clock_step"]
    assert (one["timeout_s"], one["channel"]) == (120.0, "ops")
    tight = foliot("cluster", "policy", "worker_crash", "--escalate-after", "1s")
    assert (tight.code != 0, "FOL-1176" in tight.err) == (True, True)
    which = foliot("cluster", "policy", "--level", "low")
    assert "Say which policy is to change" in which.err
