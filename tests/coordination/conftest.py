"""The store of the servers that elect, and the services that they elect by."""

from tests.sql.conftest import migrated_sqlite

__all__ = ["migrated_sqlite"]
