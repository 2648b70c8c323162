"""Databases that SQL jobs use, empty and one of each kind."""

import sqlite3
from pathlib import Path

import pytest

from tests.servers.fixtures import MakeDatabase

DATABASES = [
    "sqlite",
    pytest.param("postgresql", marks=pytest.mark.services),
    pytest.param("mariadb", marks=pytest.mark.services),
]


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database that goes with the test."""
    if request.param == "sqlite":
        file = Path(request.getfixturevalue("tmp_path")) / "shop.db"
        sqlite3.connect(file).close()
        file.touch()
        return f"sqlite:///{file}"
    maker = {"postgresql": "postgres_database", "mariadb": "mariadb_database"}[request.param]
    make: MakeDatabase = request.getfixturevalue(maker)
    return make()
