"""Rows of the store's tables, for tests that look inside."""

from typing import Any

from foliot.ports.store.lookups import JobRow
from tests.sql.world import World


async def runs_of(world: World, name: str = "tick") -> list[dict[str, Any]]:
    """Every run of a job, in the order of its line."""
    rows = await world.rows(
        "SELECT r.* FROM runs r JOIN jobs j ON j.id = r.job_id WHERE j.name = :name AND j.namespace = 'default' "
        "ORDER BY CASE WHEN r.place IS NULL THEN 1 ELSE 0 END, r.place, r.shard, r.id",
        name=name,
    )
    return [dict(row) for row in rows]


async def run_of(world: World, run_id: int) -> dict[str, Any]:
    """One run."""
    return dict((await world.rows("SELECT * FROM runs WHERE id = :id", id=run_id))[0])


async def states_of(world: World, name: str = "tick") -> list[str]:
    """The states of a job's runs, in the order they were made."""
    return [run["state"] for run in sorted(await runs_of(world, name), key=lambda run: int(run["id"]))]


async def attempts_of(world: World, run_id: int) -> list[dict[str, Any]]:
    """The attempts of a run that ended without success."""
    rows = await world.rows("SELECT * FROM attempts WHERE run_id = :id ORDER BY attempt", id=run_id)
    return [dict(row) for row in rows]


async def cursor_of(world: World, job: JobRow) -> dict[str, Any]:
    """A job's cursor."""
    return dict((await world.rows("SELECT * FROM cursors WHERE job_id = :id", id=job.job_id))[0])


async def skips_of(world: World, job: JobRow) -> list[dict[str, Any]]:
    """A job's skips, oldest first."""
    rows = await world.rows("SELECT * FROM skips WHERE job_id = :id ORDER BY from_at", id=job.job_id)
    return [dict(row) for row in rows]
