"""From a URL as people write it to a `Database`: how it is to be opened, and by which dialect (R3, R11)."""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from foliot.domain.errors import InvalidInput
from foliot.domain.instants import Instant
from foliot.ports.chance import Chance
from foliot.ports.clock import Clock
from foliot.store.sql.kernel.database import Database, GreenletRunner, Pool
from foliot.store.sql.kernel.dialects import DIALECTS, Dialect
from foliot.store.sql.kernel.drivers import demand_driver

POOL_SIZES: Final[Mapping[Pool, int]] = {Pool.RENEW: 1, Pool.CONTROL: 4, Pool.ENDING: 3, Pool.API: 5}

OF_DUTIES: Final = (Pool.CONTROL, Pool.ENDING)
"""Whose locks others wait for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimits:
    """What a transaction may take before somebody ends it (R11). 0: no limit of the database's."""

    acquire_s: float = 2.0
    statement_s: float = 5.0
    lock_s: float = 1.0
    idle_control_s: float = 1.0  # in a transaction of a duty: its row locks delay others
    idle_s: float = 10.0
    transaction_s: float = 5.0  # by the node's clock; then the connection is ended and the outcome is unknown
    connect_s: float = 3.0


DEFAULT_LIMITS: Final = TimeLimits()
PATIENT: Final = TimeLimits(statement_s=0, lock_s=60, idle_control_s=0, idle_s=0, transaction_s=3600)
"""For schema upgrades: a table may take long to change, and is changed once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a database is to be opened; each dialect takes from it what concerns it."""

    clock: Clock
    chance: Chance
    wall: Callable[[], Instant] | None  # store time on SQLite; None: the host's clock
    pool_sizes: Mapping[Pool, int]
    limits: TimeLimits
    create: bool  # make SQLite's file if there is none
    reads_only: bool  # a replica: any host that answers will do, and nothing is written
    dialect: Dialect | None  # a variant of the URL's own, in tests
    point: Callable[[str], None] | None  # called at the named places of transactions, in tests


def on_engines(engines: Mapping[Pool, AsyncEngine], dialect: Dialect, how: Opening) -> Database:
    """A database across a network, with a pool of connections for each of its users."""
    runner = GreenletRunner(engines, dialect, limit_s=how.limits.transaction_s, point=how.point)
    return Database(dialect=dialect, runner=runner, clock=how.clock, chance=how.chance)


class BadStoreUrl(InvalidInput):
    """A store URL that cannot be used."""

    code = "FOL-1020"

    def __init__(self, url: str, why: str) -> None:
        shown = redacted(url)
        super().__init__(
            f'"{shown}" is not a store Foliot can use: {why}.',
            hint="sqlite:///FILE, postgresql://USER@HOST/DB or mariadb://USER@HOST/DB",
            url=shown,
        )


def redacted(url: str) -> str:
    """The URL without its password."""
    access, at, rest = url.rpartition("@")
    if not at:
        return url
    scheme, slashes, user = access.partition("://")
    if not slashes:
        # Somebody left out the scheme: all that stands before the host is user and password.
        scheme, user = "", access
    return f"{scheme}{slashes}{user.partition(':')[0]}@{rest}"


def scheme_of(url: str) -> str:
    """`postgresql` of `postgresql+asyncpg://host/db`."""
    return url.partition("://")[0].partition("+")[0].lower()


def open_database(
    url: str,
    *,
    clock: Clock,
    chance: Chance,
    wall: Callable[[], Instant] | None = None,
    pool_sizes: Mapping[Pool, int] = POOL_SIZES,
    limits: TimeLimits = DEFAULT_LIMITS,
    create: bool = True,
    reads_only: bool = False,
    dialect: Dialect | None = None,
    point: Callable[[str], None] | None = None,
) -> Database:
    """Open the database behind a URL, by the dialect that `DIALECTS` has for its scheme. Nothing is connected yet.

    `wall` is store time on SQLite (the host's clock unless a test drives it); the others have their own. `create`: make
    SQLite's file if there is none. `reads_only`: a replica will do. `dialect`: a variant of the URL's own.
    """
    scheme = scheme_of(url)
    if scheme not in DIALECTS:
        raise BadStoreUrl(url, f'"{scheme}" is not a known kind of store')
    demand_driver(scheme)
    how = Opening(
        clock=clock,
        chance=chance,
        wall=wall,
        pool_sizes=pool_sizes,
        limits=limits,
        create=create,
        reads_only=reads_only,
        dialect=dialect,
        point=point,
    )
    opener: Callable[[str, Opening], Database] = pkgutil.resolve_name(DIALECTS[scheme])
    return opener(url, how)
