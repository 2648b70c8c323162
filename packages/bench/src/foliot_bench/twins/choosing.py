"""Which twin a database has."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from foliot_bench.ground import Ground
from foliot_bench.places import connection_to, kind_of, sqlite_file
from foliot_bench.twins.mariadb import MariaDbTwin
from foliot_bench.twins.postgresql import PostgresTwin
from foliot_bench.twins.raw import RawTwin
from foliot_bench.twins.sqlite import SqliteTwin


@asynccontextmanager
async def twin_of(url: str, place: Ground) -> AsyncIterator[RawTwin]:
    """The twin on a database that holds the same jobs as Foliot's."""
    traits = {"lane": place.lane, "serial": place.serial, "follow": place.follow}
    if kind_of(url) == "sqlite":
        raw = SqliteTwin(str(sqlite_file(url)), **traits)
        try:
            yield raw
        finally:
            raw.close()
        return
    async with connection_to(url) as connection:
        yield PostgresTwin(connection, **traits) if kind_of(url) == "postgresql" else MariaDbTwin(connection, **traits)
