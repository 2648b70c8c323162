"""What explanations need to know of a run, read from its row."""

from typing import Final

from foliot.domain.fire import is_backfill, is_of_schedule, is_test, retry_of
from foliot.domain.run import RunState, format_run_id
from foliot.domain.why.facts import RunFacts
from foliot.ports.store.lookups import RunRow

ERROR_SHOWN_MAX: Final = 200


def run_facts(run: RunRow) -> RunFacts:
    """Return what explanations need to know of a run."""
    of_backfill = is_backfill(run.fire_key, run.triggered_by)
    return RunFacts(
        id=format_run_id(run.run_id),
        job=run.job,
        state=RunState(run.state),
        kind=run.kind,
        due_at=run.due_at,
        created_at=run.created_at,
        not_before=run.not_before,
        leased_at=run.leased_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
        cancel_at=run.cancel_at,
        cancelled_by=run.cancelled_by,
        cancel_reason=run.cancel_reason,
        waits_for=run.waits.what if run.waits else None,
        waits_since=run.waits.since if run.waits else None,
        by_callback=run.by_callback_at is not None,
        attempt=run.attempt,
        deaths=run.deaths,
        node=run.node,
        error=error_text(run.error, run.error_type),
        is_scheduled=is_of_schedule(run.fire_key) and not of_backfill,
        is_backfill=of_backfill,
        retry_of=retry_of(run.fire_key),
        is_test=is_test(run.fire_key),
        is_in_line=run.place is not None,
        catch_up=run.catch_up,
        is_surplus=run.is_surplus,
        triggered_by=run.triggered_by,
        reason=run.reason,
        shard=run.shard if run.shard >= 0 else None,
        is_own=run.is_own,
        parent=format_run_id(run.parent_id) if run.parent_id is not None else None,
    )


def error_text(error: str | None, error_type: str | None) -> str | None:
    """Return the first line of an error with its type, cut at `ERROR_SHOWN_MAX` characters."""
    if not error and not error_type:
        return None
    line = (error or "").strip().partition("\n")[0]
    error_type = (error_type or "").partition(",")[0]  # the rest are the classes it is one of, for retry policies
    if error_type and not line.startswith(error_type):
        line = f"{error_type}: {line}" if line else error_type
    return line if len(line) <= ERROR_SHOWN_MAX else f"{line[:ERROR_SHOWN_MAX]}…"
