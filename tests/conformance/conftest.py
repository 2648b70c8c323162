"""Each store under test as a fixture."""

from tests.sql.conftest import migrated_sqlite, postgres_world, store, store_url, world

__all__ = ["migrated_sqlite", "postgres_world", "store", "store_url", "world"]
