"""Connections to MariaDB and MySQL: the first writable of several hosts, with the settings every promise rests on."""

import asyncio
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from foliot.store.sql.kernel.hosts import Host, Hosts, NoWritableHost

PORT: Final = 3306
SQL_MODE: Final = "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO"
USER_TIMEOUT_MS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a store is and how to be let in."""

    hosts: Sequence[Host]  # tried in this order: the first writable one serves
    user: str
    password: str
    database: str
    connect_s: float
    tls: str = ""  # "", require, verify-ca, verify-full


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLimits:
    """Time limits of a session, in seconds (R11). 0: none."""

    statement_s: float
    lock_s: float
    idle_s: float
    reads_only: bool = False  # a host that takes no writes will do


async def connect(target: Target, limits: SessionLimits) -> Any:
    """A connection to the first host that takes writes, set up for use."""

    async def to(at: Host) -> Any:
        return await _connect_to(*at, target, limits)

    return await Hosts(
        target.hosts, to, discard=lambda late: late.close(), is_final=lambda error: not _is_elsewhere(error)
    ).first()


async def _connect_to(host: str, port: int, target: Target, limits: SessionLimits) -> Any:
    import asyncmy

    async with asyncio.timeout(target.connect_s):
        connection = await asyncmy.connect(
            host=host,
            port=port,
            sock=await _socket(host, port),
            user=target.user,
            password=target.password,
            database=target.database or None,
            charset="utf8mb4",
            ssl=_tls(target.tls),
            binary_prefix=True,
            connect_timeout=max(1, round(target.connect_s)),
        )
        try:
            async with connection.cursor() as cursor:
                await _set_up(cursor, connection.get_server_info(), limits)
        except BaseException:
            connection.close()
            raise
        return connection


async def _socket(host: str, port: int) -> socket.socket:
    loop = asyncio.get_running_loop()
    family, kind, protocol, _, address = (await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))[0]
    found = socket.socket(family, kind, protocol)
    try:
        found.setblocking(False)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEPALIVE.items():
            found.setsockopt(socket.IPPROTO_TCP, option, value)
        await loop.sock_connect(found, address)
    except BaseException:
        found.close()
        raise
    return found


_KEEPALIVE: Final[Mapping[int, int]] = {
    getattr(socket, name): value
    for name, value in (
        ("TCP_KEEPIDLE", 5),
        ("TCP_KEEPINTVL", 2),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", USER_TIMEOUT_MS),
    )
    if hasattr(socket, name)  # Linux has them all
}


async def _set_up(cursor: Any, version: str, limits: SessionLimits) -> None:
    """Session settings in one statement; then whether it takes writes."""
    is_mariadb = "MariaDB" in version
    isolation = "tx_isolation" if is_mariadb else "transaction_isolation"
    settings: dict[str, str] = {
        "time_zone": "'+00:00'",
        isolation: "'READ-COMMITTED'",
        "sql_mode": f"'{SQL_MODE}{',SIMULTANEOUS_ASSIGNMENT' if is_mariadb else ''}'",
        "innodb_lock_wait_timeout": str(max(1, round(limits.lock_s))),
        "lock_wait_timeout": str(max(1, round(limits.lock_s))),
    }
    if is_mariadb:
        settings["max_statement_time"] = str(limits.statement_s)
        settings["idle_transaction_timeout"] = str(round(limits.idle_s))
    else:  # MySQL limits reads alone, and no idle transaction
        settings["max_execution_time"] = str(round(limits.statement_s * 1000))
    if limits.reads_only:
        settings["tx_read_only" if is_mariadb else "transaction_read_only"] = "1"
    await cursor.execute("SET SESSION " + ", SESSION ".join(f"{name} = {value}" for name, value in settings.items()))
    await cursor.execute(f"SELECT @@read_only, @foliot_isolation := @@{isolation}")
    (read_only, _) = await cursor.fetchone()
    if read_only and not limits.reads_only:
        raise NoWritableHost("it is read-only: a replica, or a primary that was stepped down")
    cluster = await _mind_the_cluster(cursor) if is_mariadb else ""
    await _introduce(cursor, cluster, "information_schema" if is_mariadb else "performance_schema")


async def _mind_the_cluster(cursor: Any) -> str:
    """Galera: a node that lost its cluster takes nothing; one that has it waits until it has seen what others wrote.

    Which cluster in which formation; "": none.
    """
    await cursor.execute("SELECT @@wsrep_on")
    if not (await cursor.fetchone())[0]:
        return ""
    status = await _status(cursor, "wsrep_%")
    if status.get("wsrep_ready") != "ON":
        raise NoWritableHost("its Galera node is not ready")
    await cursor.execute("SET SESSION wsrep_sync_wait = 7")
    return f"{status['wsrep_cluster_state_uuid']}.{status['wsrep_cluster_conf_id']}"


async def _introduce(cursor: Any, cluster: str, told_by: str) -> None:
    """What the epoch is judged by (R6): host, server id, start, and of Galera the cluster and its formation.

    The start is now less the uptime, in whole seconds; two starts within one are told apart by the part of a UUID
    that each start draws anew.
    """
    status = await _status(cursor, "%connected") | await _status(cursor, "Rpl_semi%")
    started_at = (
        f"UNIX_TIMESTAMP() - (SELECT variable_value FROM {told_by}.global_status WHERE variable_name = 'Uptime')"
    )
    await cursor.execute(
        "SET @foliot_fingerprint = CONCAT_WS('/', 'mariadb', @@hostname, @@port, @@server_id, "
        f"CAST({started_at} AS SIGNED), SUBSTRING_INDEX(SUBSTRING_INDEX(UUID(), '-', 4), '-', -1), %s), "
        "@foliot_lossy = %s",
        (cluster, _lossy(status, cluster)),
    )


def _lossy(status: Mapping[str, str], cluster: str) -> str:
    if cluster:
        return "Galera may lose commits it has acknowledged"
    has_replicas = int(status.get("Slaves_connected", "0")) > 0
    waits = "ON" in (status.get("Rpl_semi_sync_master_status"), status.get("Rpl_semi_sync_source_status"))
    return "its replicas are not semi-synchronous" if has_replicas and not waits else ""


async def _status(cursor: Any, like: str) -> dict[str, str]:
    await cursor.execute("SHOW GLOBAL STATUS LIKE %s", (like,))
    return dict(await cursor.fetchall())


def _is_elsewhere(error: Exception) -> bool:
    """Whether another host may do better: not so when it knew us and refused the password or the database."""
    number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    return number not in (1044, 1045, 1049, 1698)


def _tls(mode: str) -> ssl.SSLContext | None:
    match mode:
        case "" | "disable":
            return None
        case "require":
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            return context
        case "verify-ca":
            context = ssl.create_default_context()
            context.check_hostname = False
            return context
        case _:
            return ssl.create_default_context()
