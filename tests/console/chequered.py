"""Yesterday of a job that met everything: a run, an earlier one, a calendar, a pause, a miss, a clock that jumped."""

import json
from collections.abc import Mapping
from datetime import datetime, time
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from foliot.domain.fire import SkipReason, schedule_key
from foliot.domain.instants import DAY, HOUR, SECOND, Instant, to_instant
from foliot.domain.skips import PAUSED, POLICY, SkipCause, SkipKind
from foliot.store.sql.kernel import tables
from foliot.store.sql.kernel.tables_for_people import events

ZONE: Final = ZoneInfo("Asia/Shanghai")  # of the browser's windows
SCHEDULE: Final = {"cron": "0 */3 * * *", "timezone": ZONE.key}
SKIPS: Final = (
    (SkipReason.OVERLAP, SkipCause(SkipKind.OPEN_RUN)),
    (SkipReason.CALENDAR, SkipCause(SkipKind.CLOSED, text="weekend")),
    (SkipReason.MISFIRE, POLICY),
    (SkipReason.PAUSED, PAUSED),
)
"""Three hours apart, behind the run of three o'clock."""


def write_yesterday(file: Path, job: str) -> None:
    """Into the store of a running server: nobody waits for a day to pass."""
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        _write(connection, job, _midnight() - DAY)
    engine.dispose()


def _midnight() -> Instant:
    """When the day began in the zone of the browsers."""
    return to_instant(datetime.combine(datetime.now(ZONE).date(), time(), ZONE))


def _write(connection: sa.Connection, job: str, day: Instant) -> None:
    jobs, runs, versions = tables.jobs, tables.runs, tables.job_versions
    job_id = connection.execute(sa.select(jobs.c.id).where(jobs.c.name == job)).scalar_one()
    connection.execute(sa.update(versions).where(versions.c.job_id == job_id).values(created_at=day - DAY))
    due_at = day + 3 * HOUR
    done = {"job_id": job_id, "version": 1, "fire_key": schedule_key(due_at), "due_at": due_at, "not_before": due_at}
    times = {"created_at": due_at, "started_at": due_at, "leased_at": due_at, "ended_at": due_at + SECOND}
    connection.execute(sa.insert(runs), [{**_pattern(connection), **done, **times}])
    connection.execute(
        sa.insert(tables.skips),
        [
            {
                "job_id": job_id, "version": 1, "fire_key": schedule_key(at), "from_at": at, "to_at": at, "count": 1,
                "reason": reason, "why": "", "cause": cause.to_json(), "decided_at": at + SECOND,
            }
            for at, (reason, cause) in zip(range(due_at + 3 * HOUR, day + DAY, 3 * HOUR), SKIPS, strict=False)
        ],
    )  # fmt: skip
    stepped = {"kind": "clock.stepped_back", "topic": "cluster", "subject": "store", "made_by": "s-1"}
    oldest = {"id": 0, "event_key": "chequered", "at": day + 5 * HOUR, "data": json.dumps({"step_s": 7.0})}
    connection.execute(sa.insert(events), [{**stepped, **oldest}])


def _pattern(connection: sa.Connection) -> Mapping[str, Any]:
    """A run that succeeded, as the server wrote it."""
    runs = tables.runs
    found = sa.select(runs).where(runs.c.state == "SUCCEEDED", runs.c.shard == -1, runs.c.attempt == 1).limit(1)
    row = dict(connection.execute(found).mappings().one())
    del row["id"]
    return row
