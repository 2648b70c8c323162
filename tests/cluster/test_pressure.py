"""Fifty people on a small pool, deadlocks, time limits, locks held by others: renewals are never late (F23)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import asyncpg
import pymysql
import pytest

from tests.cluster.api import Api, lasting, people_of
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import Size
from tests.cluster.timing import SESSION_TTL_S
from tests.servers.mariadb import connected

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.anyio]

PEOPLE = 50  # on the five connections that a server has for people
LASTS_S: dict[Size, float] = {"short": 8.0, "full": 60.0}
TURNS_MIN = 3  # of each, however slow the machine is
TAKEN = {200, 201}
LATER = {429, 503}  # too many at once; too busy: both say that another try may work
SHARE = 0.005  # of the rows written meanwhile are victims of each kind

POSTGRESQL = """
    CREATE FUNCTION victim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF random() < {share} THEN RAISE EXCEPTION 'forced deadlock' USING ERRCODE = '40P01'; END IF;
        IF random() < {share} THEN RAISE EXCEPTION 'forced time limit' USING ERRCODE = '57014'; END IF;
        IF random() < {share} THEN RAISE EXCEPTION 'forced conflict' USING ERRCODE = '40001'; END IF;
        RETURN NEW; END $$;
"""
POSTGRESQL_TRIGGERS = (
    "CREATE TRIGGER victim_of_runs BEFORE INSERT OR UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION victim()",
    "CREATE TRIGGER victim_of_cursors BEFORE UPDATE ON cursors FOR EACH ROW EXECUTE FUNCTION victim()",
)
POSTGRESQL_HEALED = ("DROP TRIGGER victim_of_runs ON runs", "DROP TRIGGER victim_of_cursors ON cursors")
MARIADB = """
    CREATE TRIGGER victim_of_{table}_{op} BEFORE {op} ON {table} FOR EACH ROW BEGIN
        IF RAND() < {share} THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'forced'; END IF;
        IF RAND() < {share} THEN SIGNAL SQLSTATE '70100' SET MYSQL_ERRNO = 1969, MESSAGE_TEXT = 'forced'; END IF;
        IF RAND() < {share} THEN SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1205, MESSAGE_TEXT = 'forced'; END IF;
    END
"""
WRITES = (("runs", "INSERT"), ("runs", "UPDATE"), ("cursors", "UPDATE"))


@pytest.mark.parametrize(
    ("recorded_url", "size"),
    [
        ("postgresql", "short"),
        *(pytest.param(store, "full", marks=pytest.mark.matrix) for store in ("postgresql", "mariadb")),
    ],
    indirect=True,
)
async def test_f23_locks_and_pools_under_pressure(cluster: Cluster, size: Size) -> None:
    cluster.start_server("s1")
    cluster.start_worker("w1", jobs="tests.cluster.workload")
    cluster.start_worker("w2", jobs="tests.cluster.payloads")
    for job in ("each_second", "echo"):
        await cluster.declared(job)
    await cluster.wait_for_runs(10)
    async with people_of(cluster) as api:
        cluster.note("pressure")
        async with victims(cluster.url):
            await asyncio.gather(
                hold_locks(cluster.url, LASTS_S[size]),
                *(somebody(api, number, LASTS_S[size]) for number in range(PEOPLE)),
            )
        cluster.note("healed")
        cluster.figures["answers"] = dict(api.statuses)
        cluster.check_processes()
    await cluster.judged("F23")
    rest_s = cluster.figures["longest_rest_between_beats_s"]
    print("answers", dict(api.statuses), "longest rest between beats", rest_s)
    assert set(api.statuses) <= TAKEN | LATER, api.statuses
    assert api.statuses[200] > PEOPLE, api.statuses
    assert api.statuses[201] > 0, api.statuses
    assert cluster.figures["store_troubles"].get("retried", 0) > 0, cluster.figures["store_troubles"]
    assert await cluster.count("kind = 'worker' AND beat_no > 0", of="nodes") == 2, "nobody was taken for dead"
    assert rest_s < SESSION_TTL_S * (1 if size == "full" else 1.5), "a renewal was late"


async def somebody(api: Api, number: int, for_s: float) -> None:
    """Looks at lists and runs something now and then, without rest."""
    async for turn in lasting(for_s, every_s=0.05, at_least=TURNS_MIN):
        if (number + turn) % 5 == 0:
            await api.trigger("echo", {"value": turn})
        else:
            await api.get("/api/v1/runs?limit=100" if turn % 2 else "/api/v1/jobs?limit=100")


# --------------------------------------------------------------------------------------------- what the database does


@contextlib.asynccontextmanager
async def victims(url: str) -> AsyncIterator[None]:
    """While it lasts, transactions that write are now and then chosen as the victim of a deadlock or a time limit."""
    if url.startswith("mysql"):
        ops = [(f"victim_of_{table}_{op}", MARIADB.format(table=table, op=op, share=SHARE)) for table, op in WRITES]
        await asyncio.to_thread(_mariadb, url, [text for _, text in ops])
        yield
        await asyncio.to_thread(_mariadb, url, [f"DROP TRIGGER {name}" for name, _ in ops])
        return
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(POSTGRESQL.format(share=SHARE))
        for statement in POSTGRESQL_TRIGGERS:  # each by itself: who locks one table waits for the other with none
            await connection.execute(statement)
        yield
        for statement in POSTGRESQL_HEALED:
            await connection.execute(statement)
    finally:
        await connection.close()


async def hold_locks(url: str, for_s: float) -> None:
    """Somebody else's transaction that keeps every cursor locked for longer than anybody waits for a lock."""
    statement = "SELECT job_id FROM cursors ORDER BY job_id DESC FOR UPDATE"
    async for _ in lasting(for_s, every_s=4.0):
        if url.startswith("mysql"):
            with contextlib.suppress(pymysql.err.OperationalError):
                await asyncio.to_thread(_mariadb, url, ["BEGIN", statement, "SELECT SLEEP(1.5)", "ROLLBACK"])
            continue
        connection = await asyncpg.connect(url)
        try:
            with contextlib.suppress(asyncpg.DeadlockDetectedError):  # in the wrong order: it may hit us or them
                async with connection.transaction():
                    await connection.execute(statement)
                    await connection.execute("SELECT pg_sleep(1.5)")
        finally:
            await connection.close()


def _mariadb(url: str, statements: list[str]) -> None:
    connection = connected(url, autocommit=True)
    with connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
