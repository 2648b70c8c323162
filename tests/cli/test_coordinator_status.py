"""How a coordination service is, in `foliot cluster status`, and what `foliot cluster doctor` makes of a bad beat."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.cli.conftest import Shell


class Beside:
    """Another server in the store of `foliot up`, which says that it elects by Redis."""

    def __init__(self, foliot: Shell) -> None:
        (self._file,) = (foliot.folder / ".foliot").glob("*.db")

    def says(self, load: dict[str, float]) -> None:
        """It has beaten with this load."""
        with closing(sqlite3.connect(self._file, timeout=60)) as connection, connection:
            connection.row_factory = sqlite3.Row
            found = connection.execute("SELECT * FROM nodes WHERE kind = 'server' AND name <> 'beside'").fetchone()
            row: dict[str, Any] = dict(found)
            changed = {"id": "beside", "name": "beside", "labels": '{"coordinator":"redis"}', "load": json.dumps(load)}
            row |= changed
            row["until"] += 600_000_000  # nobody beats for it: it must not die while the test looks
            places = ", ".join("?" * len(row))
            connection.execute(f"INSERT OR REPLACE INTO nodes ({', '.join(row)}) VALUES ({places})", [*row.values()])

    def go(self) -> None:
        with closing(sqlite3.connect(self._file, timeout=60)) as connection, connection:
            connection.execute("DELETE FROM nodes WHERE id = 'beside'")


@pytest.fixture
def beside(foliot: Shell) -> Iterator[Beside]:
    server = Beside(foliot)
    yield server
    server.go()


def test_the_status_shows_how_the_coordination_service_is(foliot: Shell, beside: Beside) -> None:
    beside.says({"coordinator_up": 1.0, "coordinator_latency_s": 0.0008, "coordinator_outages": 0.0})
    status = foliot("cluster", "status").out
    assert "redis, 1 of 1 server reaches it, it answers in 0.8 ms" in status
    assert "FOL-5047" not in status
    (seen,) = foliot("cluster", "status", "-o", "json").json["coordinators"]
    assert seen == {"name": "redis", "servers": 1, "reached_by": 1, "latency_s": 0.0008}

    beside.says({"coordinator_up": 0.0, "coordinator_latency_s": 0.0008, "coordinator_outages": 1.0})
    status = foliot("cluster", "status").out
    assert "redis, 0 of 1 server reaches it\n" in status
    assert "1 of 1 servers cannot reach the coordinator redis; the store holds elections meanwhile" in status
    chinese = foliot("cluster", "status", LANG="zh_CN.UTF-8", LC_ALL="zh_CN.UTF-8").out
    assert "1 个服务器中有 1 个无法连到协调后端 redis" in chinese
    assert "redis，1 个服务器中 0 个能连到它" in chinese


def test_the_doctor_names_what_is_wrong_with_the_next_step_and_ends_by_the_worst_level(
    foliot: Shell, beside: Beside
) -> None:
    beside.says({"coordinator_up": 0.0, "disk": 0.99, "certificate_left_s": 40 * 86_400.0})

    told = foliot("cluster", "doctor")

    assert told.code == 2
    assert "99 % of the disk of beside is full." in told.out
    assert "make room on beside" in told.out
    assert "1 of 1 servers do not reach redis; the store holds elections." in told.out
    assert "critical: act now." in told.err
    assert "The certificate of beside is good for 40 d." in told.out
    answer = foliot("cluster", "doctor", "-o", "json").json
    assert answer["level"] == "CRITICAL"
    assert answer["findings"][0]["family"] == "database"
    chinese = foliot("cluster", "doctor", LANG="zh_CN.UTF-8", LC_ALL="zh_CN.UTF-8").out
    assert "beside 的磁盘已满 99 %。" in chinese

    fixed = foliot("cluster", "doctor", "--fix", "--yes", "--reason", "3 a.m.", "-o", "json").json
    assert {one["fix"] for one in fixed["fixes"]} == {"cursors", "limits", "locks", "write_ahead_log"}
    refused = foliot("cluster", "doctor", "--fix")
    assert "Free locks whose time is over." in refused.err
    assert "--yes" in refused.err
    (event,) = foliot("cluster", "events", "--subject", "cluster", "-o", "json").json["items"][:1]
    assert (event["kind"], event["data"]["reason"]) == ("health.fixed", "3 a.m.")
