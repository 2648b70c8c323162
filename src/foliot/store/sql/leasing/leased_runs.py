"""Leased runs as their workers get them; and again, when the answer to a poll was lost.

Most of a leased run is the same for all runs of a job version. So the first lease of a version makes a form, which
stays with the cached version. Each run is a copy of the form with its own values: a copy takes a fifth of the time.
"""

from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from foliot.domain.instants import Instant
from foliot.domain.job import OnLost
from foliot.domain.own_parameters import usual_params
from foliot.domain.traces import split_reason
from foliot.ports.worker_link import LeasedRun
from foliot.store.sql.firing.follow import MERGE
from foliot.store.sql.jobs.definitions import StoredJob
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement
from foliot.store.sql.leasing.candidates import Candidate
from foliot.store.sql.leasing.merge_input import with_parts

REPEATED: Final = Statement(
    """
    SELECT r.session_id, r.request_no, r.id, r.job_id, r.version, r.attempt, r.lease_id, r.fence, r.leased_at, r.shard,
           r.follow, r.due_at, r.params, r.checkpoint, r.reason
    FROM {d} JOIN runs r ON r.{held_by} = d.session AND r.request_no = d.request_no AND r.state = 'RUNNING'
    """,
    RowSet("d", session=TEXT, request_no=BIGINT),
)


class RepeatedRun(NamedTuple):
    """A row of `REPEATED`: a run that is RUNNING under a request."""

    session: str
    request_no: int
    id: int
    job_id: int
    version: int
    attempt: int
    lease_id: str
    fence: int
    leased_at: Instant
    shard: int
    follow: int
    due_at: Instant
    params: str | None
    checkpoint: str | None
    reason: str | None


def leased_run(
    run: Candidate | RepeatedRun,
    job: StoredJob,
    attempt: int,
    lease_id: str,
    fence: int,
    leased_at: Instant,
    parts: str | None,
    shards: int | None = None,
) -> LeasedRun:
    """The run as its worker gets it. `parts`: what the shards returned, for their merge run.

    `shards`: of how many it is one, where the version does not say.
    """
    form = job.lease_form or _made_form(job)
    params = run.params if run.params is not None else form.params
    if run.follow & MERGE:
        form = _of_merge(form, job)
        params = params if parts is None else with_parts(params, parts)
    reason, trace = split_reason(run.reason) if run.reason else (None, "")
    return replace(
        form,
        run_id=run.id,
        params=params,
        attempt=attempt,
        lease_id=lease_id,
        fence=fence,
        due_at=run.due_at,
        leased_at=leased_at,
        shard=run.shard,
        shards=form.shards if shards is None else shards,
        checkpoint=run.checkpoint,
        reason=reason or "",
        trace=trace,
    )


def _made_form(job: StoredJob) -> LeasedRun:
    """What every run of this version has in common; the values of one run stand empty. The version keeps it."""
    definition = job.definition
    params = usual_params(definition)
    form = LeasedRun(
        run_id=0,
        job_id=job.job_id,
        namespace=job.namespace,
        job=job.name,
        version=job.version,
        handler=definition.handler.offer,
        options=definition.handler.options_text(),
        params=msgspec.json.encode(params).decode() if params else None,
        attempt=0,
        lease_id="",
        fence=0,
        due_at=0,
        leased_at=0,
        timeout_us=definition.timeout_us,
        grace_us=definition.grace_us,
        at_most_once=definition.on_lost is OnLost.FAIL,
        exclusive=definition.exclusive,
        isolation=str(definition.isolation) if definition.isolation else None,
        shards=definition.cut_into,
        tz=job.tz,
    )
    job.keep_form(form)
    return form


def _of_merge(form: LeasedRun, job: StoredJob) -> LeasedRun:
    """The form of a run that merges shards: it may have another handler."""
    merge = job.definition.merge
    return form if merge is None else replace(form, handler=merge.offer, options=merge.options_text())
