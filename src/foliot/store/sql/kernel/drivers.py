"""Drivers of databases. They are not installed with Foliot itself: each comes with an extra of its package."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from foliot.domain.errors import ClusterTrouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """What one kind of database needs."""

    database: str
    extra: str  # of Foliot's package
    modules: tuple[str, ...]  # that the extra installs


_POSTGRESQL: Final = Driver(database="PostgreSQL", extra="postgres", modules=("asyncpg",))
_MARIADB: Final = Driver(database="MariaDB or MySQL", extra="mysql", modules=("asyncmy", "cryptography"))

DRIVERS: Final[Mapping[str, Driver]] = {
    "postgresql": _POSTGRESQL,
    "postgres": _POSTGRESQL,
    "mariadb": _MARIADB,
    "mysql": _MARIADB,
}
"""By the scheme of a store's URL. SQLite comes with Python."""


class DriverMissing(ClusterTrouble):
    """A store whose driver is not installed."""

    code = "FOL-5033"

    def __init__(self, driver: Driver, module: str) -> None:
        package = f"foliot[{driver.extra}]"
        super().__init__(
            f"A store on {driver.database} needs the package {module}, which is not installed.",
            hint=f'pip install "{package}"',
            database=driver.database,
            module=module,
            package=package,
        )


def demand_driver(scheme: str) -> None:
    """Raise `DriverMissing` unless what a store of this kind needs is installed."""
    driver = DRIVERS.get(scheme)
    if driver is None:
        return
    for module in driver.modules:
        if find_spec(module) is None:
            raise DriverMissing(driver, module)
