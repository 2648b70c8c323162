"""Versions that this server cannot compile: what it still reads of them, so that their runs end as they should.

As in a rolling upgrade: a newer server saved a field that this one does not know, and a worker reports to this one.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from foliot.domain.definition import of_ending
from foliot.domain.errors import InvalidInput
from foliot.domain.handler import NO_HANDLER
from foliot.domain.job import Definition, Lane, LoadedJob, OnLost
from foliot.store.sql.ending.locked_runs import Seen
from foliot.store.sql.jobs.definitions import VERSIONS, Key
from foliot.store.sql.jobs.lanes import Lanes
from foliot.store.sql.kernel.database import Tx

_LIMITED: Final = 1  # any number: that there is a limit says the lane, how much it allows says the row of the limit


def remains(tx: Tx, lanes: Lanes, runs: Mapping[Key, Seen]) -> dict[Key, LoadedJob]:
    """What stands for the versions of these runs: their retries where these can be read, their limits, their merge."""
    versions = tx.rows(VERSIONS, d=list(runs))
    rows = {(row.job_id, row.version): row for row in versions}
    wanted = {run.lane for run in runs.values()}
    known = lanes.find(tx, wanted)
    found: dict[Key, LoadedJob] = {}
    for key, run in runs.items():
        found[key] = _bare(run, known[run.lane], rows.get(key))
    return found


def _bare(run: Seen, lane: Lane, row: Any) -> LoadedJob:
    read = _read(row.definition) if row is not None else Definition(handler=NO_HANDLER)
    definition = Definition(
        handler=NO_HANDLER,
        retry=read.retry,
        max_lost=read.max_lost,
        on_lost=OnLost.FAIL if lane.at_most_once else OnLost.RERUN,
        max_running=_LIMITED if lane.limits else None,
    )
    return LoadedJob(
        job_id=run.job_id,
        version=run.version,
        namespace="",
        name="",
        definition=definition,
        lane_id=run.lane,
        merge_lane_id=row.merge_lane_id if row is not None else None,
    )


def _read(document: str) -> Definition:
    with suppress(InvalidInput, ValueError):
        return of_ending(json.loads(document))
    return Definition(handler=NO_HANDLER)
