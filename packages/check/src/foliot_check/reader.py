"""Reading a history: the store's tables and recorded changes, and the journals beside it (one JSON object per line)."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from foliot_check.history import Bounds, Change, History, Line, Row

TABLES: Final = ("jobs", "job_versions", "cursors", "runs", "skips", "attempts", "nodes", "leases", "lanes", "limits",
                 "store_meta")  # fmt: skip
CHANGES: Final = "foliot_history"

Ask = Callable[[str], Sequence[dict[str, Any]]]


def read_history(
    url: str,
    *,
    workers: Iterable[Path] = (),
    nemesis: Iterable[Path] = (),
    clients: Iterable[Path] = (),
    resources: Iterable[Path] = (),
    figures: Row | None = None,
    bounds: Bounds | None = None,
) -> History:
    """Everything there is to look at."""
    tables, changes = _tables(url)
    return History(
        jobs=tables["jobs"],
        versions=[{**row, "definition": json.loads(row["definition"])} for row in tables["job_versions"]],
        cursors=tables["cursors"],
        runs=tables["runs"],
        skips=tables["skips"],
        attempts=tables["attempts"],
        nodes=tables["nodes"],
        leases=tables["leases"],
        lanes=tables["lanes"],
        limits=tables["limits"],
        meta=tables["store_meta"],
        changes=[_change(row) for row in changes],
        worker_lines=_lines(workers),
        nemesis_lines=_lines(nemesis),
        client_lines=_lines(clients),
        resource_lines=_lines(resources),
        figures=figures or {},
        bounds=bounds or Bounds(),
    )


def _change(row: Mapping[str, Any]) -> Change:
    return Change(seq=row["seq"], at=row["at"], table=row["table_name"], op=row["op"], row=json.loads(row["body"]))


def _lines(paths: Iterable[Path]) -> list[Line]:
    """Journal lines; a last line cut off by a kill is left out."""
    lines = []
    for path in paths:
        for text in path.read_text("utf-8", errors="replace").splitlines():
            try:
                data = json.loads(text)
            except ValueError:
                continue
            if isinstance(data.get("run"), str):
                data["run"] = run_number(data["run"])
            lines.append(Line(source=path.name, what=data.pop("what"), mono=float(data.pop("mono", 0)), data=data))
    return lines


def run_number(shown: str) -> int:
    """The id behind `r-8k2f`."""
    number = 0
    for letter in shown.removeprefix("r-"):
        number = number * 32 + "0123456789abcdefghjkmnpqrstvwxyz".index(letter)
    return number


Tables = tuple[Mapping[str, Sequence[dict[str, Any]]], Sequence[dict[str, Any]]]


def _tables(url: str) -> Tables:
    scheme = url.partition("://")[0].partition("+")[0]
    if scheme == "sqlite":
        return _from_sqlite(url)
    if scheme in ("postgresql", "postgres"):
        return asyncio.run(_from_postgresql(url))
    if scheme in ("mysql", "mariadb"):
        return _from_mysql(url)
    raise SystemExit(f"foliot-check: {scheme} is not a store it can read")


def _from_sqlite(url: str) -> Tables:
    connection = sqlite3.connect(url.partition(":///")[2])
    connection.row_factory = sqlite3.Row

    def ask(statement: str) -> Sequence[dict[str, Any]]:
        return [dict(row) for row in connection.execute(statement)]

    try:
        recorded = ask(f"SELECT name FROM sqlite_master WHERE name = '{CHANGES}'")  # noqa: S608  a constant
        return _asked(ask, has_changes=bool(recorded))
    finally:
        connection.close()


async def _from_postgresql(url: str) -> Tables:
    import asyncpg

    # Of several hosts the primary, unless the URL says otherwise: a standby may be behind.
    asked_for = None if "target_session_attrs" in url else "read-write"
    url, schema = _without_schema(url)
    path = {} if schema is None else {"search_path": '"' + schema.replace('"', '""') + '"'}
    connection = await asyncpg.connect(url, target_session_attrs=asked_for, server_settings=path)
    try:
        names = [*TABLES]
        if await connection.fetchval("SELECT to_regclass($1)", CHANGES) is not None:
            names.append(CHANGES)
        found = {name: [dict(row) for row in await connection.fetch(f"SELECT * FROM {name}")] for name in names}  # noqa: S608
    finally:
        await connection.close()
    return {name: found[name] for name in TABLES}, found.get(CHANGES, [])


def _without_schema(url: str) -> tuple[str, str | None]:
    """The URL as the driver takes it, and the schema that it names for Foliot alone."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    schema = options.pop("schema", None)
    return urlunsplit(parts._replace(query=urlencode(options))), schema


def _from_mysql(url: str) -> Tables:
    import pymysql

    connection = _first_mysql(url, cursorclass=pymysql.cursors.DictCursor)

    def ask(statement: str) -> Sequence[dict[str, Any]]:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    try:
        return _asked(ask, has_changes=bool(ask(f"SHOW TABLES LIKE '{CHANGES}'")))
    finally:
        connection.close()


def _first_mysql(url: str, **options: Any) -> Any:
    """The first of the hosts that lets us in."""
    import pymysql

    parts = urlsplit(url)
    account, _, hosts = parts.netloc.rpartition("@")
    user, _, password = account.partition(":")
    listed = hosts.split(",")
    for host in listed:
        name, _, port = host.partition(":")
        try:
            return pymysql.connect(
                host=name or "127.0.0.1",
                port=int(port or 3306),
                user=unquote(user),
                password=unquote(password),
                database=parts.path.removeprefix("/"),
                **options,
            )
        except pymysql.err.OperationalError:
            if host == listed[-1]:
                raise
    raise AssertionError("unreachable")


def _asked(ask: Ask, *, has_changes: bool) -> Tables:
    tables = {name: ask(f"SELECT * FROM {name}") for name in TABLES}  # noqa: S608  names are constants
    return tables, ask(f"SELECT * FROM {CHANGES}") if has_changes else []  # noqa: S608
