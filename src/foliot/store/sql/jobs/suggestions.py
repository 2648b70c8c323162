"""When a name is not there: which one was probably meant."""

from typing import Final

from foliot.domain.errors import JobNotFound
from foliot.domain.names import nearest
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement

_NEIGHBOURS: Final = 200  # on either side, so the cost does not grow with the number of jobs

NAMES_NEAR: Final = Statement(
    """
    SELECT name FROM (SELECT name FROM jobs WHERE namespace = :namespace AND deleted_at = 0 AND name >= :name
                      ORDER BY {one_namespace} name LIMIT :limit) after_it
    UNION ALL
    SELECT name FROM (SELECT name FROM jobs WHERE namespace = :namespace AND deleted_at = 0 AND name < :name
                      ORDER BY {one_namespace_back} name DESC LIMIT :limit) before_it
    """
)


def not_found(tx: Tx, namespace: str, name: str) -> JobNotFound:
    """The error that says so, with the nearest of the names around it."""
    rows = tx.tuples(NAMES_NEAR, {"namespace": namespace, "name": name, "limit": _NEIGHBOURS})
    names = [found for (found,) in rows]
    return JobNotFound(name, namespace=namespace, nearest=nearest(name, names))
