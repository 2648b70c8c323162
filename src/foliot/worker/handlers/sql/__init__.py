"""SQL jobs: statements on databases that the worker has named connections to.

    job        run: {sql: {connection: reports, query: "DELETE FROM sessions WHERE ended_at < :due"}}
    worker     [handlers.sql.connections.reports]  url = "postgresql://cleaner@db/shop"

One run takes one connection of the pool, executes its statements there and gives it back as good as new. In a thread
or a child process, where the pool's event loop is not, it opens a connection of its own.
"""

import asyncio
import json
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from typing import Any, Final

from foliot import __version__
from foliot.ports.secrets import NO_SECRETS, Secrets
from foliot.ports.worker_link import HandlerOffer, LeasedRun
from foliot.sdk.ctx import Ctx
from foliot.worker.handlers.options import options_schema
from foliot.worker.handlers.sql.errors import (
    BadSqlParameter,
    ConnectionLost,
    ConnectionNotAllowed,
    DatabaseAway,
    StatementRefused,
    leads_to_own_store,
)
from foliot.worker.handlers.sql.execution import SqlExecution, SqlPlan
from foliot.worker.handlers.sql.options import (
    GIVEN,
    KIND,
    MEANINGS,
    SqlOptions,
    named_parameters,
    read_sql_options,
    sql_options_of,
)
from foliot.worker.handlers.sql.pool import SqlPool
from foliot.worker.handlers.sql.session import Manner, SqlSession
from foliot.worker.handlers.sql.settings import (
    SqlConnection,
    SqlSettings,
    SqlTarget,
    check_connection,
    family_of,
    seconds,
    written_url,
)
from foliot.worker.handlers.sql.statement import STANDARD, WITH_BACKSLASHES, names_in, only_reads, shortened

_DATABASES: Final[Mapping[str, str]] = {
    "postgresql": "foliot.worker.handlers.sql.postgresql:connect",
    "mariadb": "foliot.worker.handlers.sql.mariadb:connect",
    "sqlite": "foliot.worker.handlers.sql.sqlite:connect",
    "": "foliot.worker.handlers.sql.others:connect",
}


class SqlHandlers:
    """The kind `sql` (`ports.handler.HandlerKind`)."""

    kind = KIND
    version = __version__
    options_schema: Final[Mapping[str, Any]] = options_schema(SqlOptions, MEANINGS)
    secret_fields: Final = ()  # the connections of a worker name secrets, the options of a job do not

    def __init__(self) -> None:
        self.settings = SqlSettings()
        self.secrets: Secrets = NO_SECRETS
        self._home: asyncio.AbstractEventLoop | None = None  # the worker's loop, where the pools are
        self._pools: dict[SqlTarget, SqlPool] = {}

    def validate(self, options: Any) -> None:
        """Names, statements and limits, without a look at any database."""
        read_sql_options(options)

    def parameters_in(self, options: Any) -> Iterable[tuple[str, str]]:
        """Those that statements bind."""
        return named_parameters(read_sql_options(options))

    def describe(self, options: Any) -> str:
        """`reports: DELETE FROM sessions …`."""
        if not isinstance(options, Mapping):
            return KIND
        texts = [options["query"]] if options.get("query") else options.get("statements") or [""]
        more = f" (+{len(texts) - 1})" if len(texts) > 1 else ""
        return f"{options.get('connection', '')}: {shortened(str(texts[0]), 80)}{more}"

    def offers(self) -> Sequence[HandlerOffer]:
        """One for each connection, whether or not its database answers now."""
        for name, connection in self.settings.connections.items():
            check_connection(name, connection)
        return [HandlerOffer(name=f"{KIND}:{name}") for name in self.settings.connections]

    def handler_of(self, run: LeasedRun) -> "SqlCall | None":
        name = run.handler.partition(":")[2]
        connection = self.settings.connections.get(name)
        if connection is None or run.options is None:
            return None
        with suppress(RuntimeError):  # a child process asks before it has a loop
            self._home = asyncio.get_running_loop()
        return SqlCall(self, name, connection, sql_options_of(run.options), run)

    async def close(self) -> None:
        pools, self._pools = self._pools, {}
        await asyncio.gather(*(pool.close() for pool in pools.values()))

    async def target(self, name: str, namespace: str) -> SqlTarget:
        """Where a connection leads, with its secrets filled in. Files are read each time: a password may change."""
        connection = self.settings.connections[name]
        has_files = connection.url_file or connection.password_file
        written = await asyncio.to_thread(written_url, name, connection) if has_files else written_url(name, connection)
        url, password = written
        filled = await self._filled({"url": url, "password": password}, namespace)
        return SqlTarget(
            name=name,
            url=filled["url"],
            password=filled["password"],
            connect_s=seconds(name, connection.connect_timeout),
            read_only=connection.read_only,
        )

    async def _filled(self, value: Any, namespace: str) -> Any:
        """Secrets belong to the worker's loop; a run in a thread asks there."""
        filling = self.secrets.filled(value, namespace=namespace)
        if self._home is None or self._home is asyncio.get_running_loop():
            return await filling
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(filling, self._home))

    def pool_of(self, target: SqlTarget) -> SqlPool:
        """The pool in the worker's loop; elsewhere one for this run alone."""
        connection = self.settings.connections[target.name]
        is_home = asyncio.get_running_loop() is self._home
        pool = self._pools.get(target) if is_home else None
        if pool is None:
            pool = SqlPool(
                partial(_fresh, target), size=connection.pool_size, idle_s=seconds(target.name, connection.idle)
            )
        if is_home:
            self._pools[target] = pool
        return pool

    async def done_with(self, pool: SqlPool) -> None:
        """A pool that is not kept goes with its run."""
        if pool not in self._pools.values():
            await pool.close()


@dataclass(frozen=True, slots=True)
class SqlCall:
    """What executes one run (`ports.handler.Invocable`)."""

    kind: SqlHandlers
    name: str
    connection: SqlConnection
    options: SqlOptions
    run: LeasedRun

    @property
    def title(self) -> str:
        return f"{KIND}:{self.name}"

    @property
    def is_async(self) -> bool:
        """Drivers that block have threads of their own."""
        return True

    def bind(self, params: str | None, ctx: Ctx) -> Callable[[], Any]:
        """Refuse what this connection does not take before anything starts."""
        allowed = self.connection.namespaces
        if allowed and self.run.namespace not in allowed:
            raise ConnectionNotAllowed(self.name, f"jobs of the namespace {self.run.namespace} may not use it")
        if self.connection.read_only and not all(map(only_reads, self.options.texts)):
            raise ConnectionNotAllowed(
                self.name, "it is for reading, and a statement does not begin like one that reads"
            )
        values = self._values(params, ctx)
        return partial(self._execute, values, ctx)

    def _values(self, params: str | None, ctx: Ctx) -> dict[str, Any]:
        """What stands behind each name: parameters of the run, and what Foliot knows of it."""
        given = json.loads(params or "{}") or {}
        for name in sorted(GIVEN & given.keys()):
            raise BadSqlParameter(name, "it is a name that Foliot gives a value itself")
        grammar = WITH_BACKSLASHES if family_of(self.connection.url) == "mariadb" else STANDARD
        known = given | {
            "run_id": ctx.run_id,
            "due": ctx.due.astimezone(UTC),
            "attempt": ctx.attempt,
            "fence": ctx.fencing_token,
        }
        wanted = {name for text in self.options.texts for name in names_in(text, grammar)}
        for name in sorted(wanted - known.keys()):
            raise BadSqlParameter(name, "the run has no such parameter")
        return known

    async def _execute(self, values: Mapping[str, Any], ctx: Ctx) -> dict[str, Any]:
        target = await self.kind.target(self.name, self.run.namespace)
        plan = self._plan(values)
        if plan.manner.read_only and not target.family:
            raise ConnectionNotAllowed(self.name, "its kind of database has no read-only transactions Foliot knows of")
        pool = self.kind.pool_of(target)

        def hidden(text: str) -> str:
            return self.kind.secrets.hidden(target.hidden(text))

        try:
            session = await pool.take()
        except (ConnectionLost, StatementRefused) as error:  # refused: another process locks the file, say
            raise DatabaseAway(self.name, hidden(str(error))) from None
        try:
            result = await SqlExecution(plan, session, ctx, hidden).whole()
        except BaseException:
            await pool.abandon(session)
            raise
        else:
            await pool.give_back(session)
        finally:
            await self.kind.done_with(pool)
        return result

    def _plan(self, values: Mapping[str, Any]) -> SqlPlan:
        options, connection = self.options, self.connection
        ceiling_s = seconds(self.name, connection.timeout_max)
        wanted_s = options.timeout_s or seconds(self.name, connection.timeout)
        is_read_only = options.read_only or connection.read_only
        return SqlPlan(
            connection=self.name,
            options=options,
            values=values,
            manner=Manner(
                read_only=is_read_only,
                looks_harmless=all(map(only_reads, options.texts)),
                is_transaction=is_read_only or options.mode == "transaction",
                timeout_s=min(wanted_s, ceiling_s),
                isolation=options.isolation,
            ),
            rows_max=_least(options.rows_max, connection.rows_max),
            bytes_max=_least(options.bytes_max, connection.bytes_max),
        )


async def _fresh(target: SqlTarget) -> SqlSession:
    """A new connection; never one to a store of Foliot's own (SEC-13)."""
    connect = pkgutil.resolve_name(_DATABASES[target.family])
    session: SqlSession = await connect(target)
    try:
        if await session.is_own_store():
            raise leads_to_own_store(target.name)
    except BaseException:  # also of a run that is asked to stop meanwhile
        session.cut()
        raise
    return session


def _least(wanted: int | None, ceiling: int) -> int:
    return ceiling if wanted is None else min(wanted, ceiling)
