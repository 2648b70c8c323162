"""A store that records its history, and a cluster on it."""

import asyncio
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import pytest

from tests.cluster.cluster import SEED, Cluster
from tests.cluster.recording import record, record_sqlite
from tests.servers.fixtures import MakeDatabase
from tests.servers.sql import apart
from tests.sql.world import migrate

ENGINES = ["sqlite", *(pytest.param(name, marks=pytest.mark.services) for name in ("postgresql", "mariadb"))]


@pytest.fixture(params=ENGINES)
def recorded_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A migrated store with the recording triggers in place."""
    if request.param == "sqlite":
        path = tmp_path / "foliot.db"
        apart(lambda: asyncio.wait_for(migrate(f"sqlite:///{path}"), 30))
        record_sqlite(str(path))
        return f"sqlite:///{path}"
    databases = {"postgresql": "postgres_database", "mariadb": "mariadb_database"}
    make: MakeDatabase = request.getfixturevalue(databases[request.param])
    url = make(migrate)
    record(url)
    return url


Size = Literal["short", "full"]
SIZES = ["short", pytest.param("full", marks=pytest.mark.matrix)]


SERVICES = ("postgresql", "mariadb")
STORES = ("sqlite", *SERVICES)


def on(*short: str, full: Sequence[str] = STORES) -> pytest.MarkDecorator:
    """Run a fault test short on these stores, in every `make test`, and at full size on all that are promised."""
    cases = [(store, "short") for store in short] + [(store, "full") for store in full]
    marked = [
        pytest.param(
            *case,
            marks=[
                *([pytest.mark.services] if case[0] in SERVICES else []),
                *([pytest.mark.matrix] if case[1] == "full" else []),
            ],
        )
        for case in cases
    ]
    return pytest.mark.parametrize(("recorded_url", "size"), marked, indirect=True)


def mostly_on(*stores: str) -> pytest.MarkDecorator:
    """Run a test that has one size on these stores in every `make test`, and on the others with the matrix."""
    marked = [
        pytest.param(
            store,
            marks=[
                *([pytest.mark.services] if store in SERVICES else []),
                *([pytest.mark.matrix] if store not in stores else []),
            ],
        )
        for store in STORES
    ]
    return pytest.mark.parametrize("recorded_url", marked, indirect=True)


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest) -> Size:
    """How much of a fault: enough to see it in every `make test`, or all that is promised, in `make faults`."""
    chosen: Size = request.param
    return chosen


@pytest.fixture(autouse=True)
def same_choices(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short test breaks the same things every time, so that a change alone turns it red; the matrix tries others."""
    if not request.node.get_closest_marker("matrix"):
        own = zlib.crc32(request.node.name.encode())
        monkeypatch.setenv(SEED, os.environ.get(SEED) or str(own))


@pytest.fixture
def cluster(recorded_url: str, tmp_path: Path) -> Iterator[Cluster]:
    """No process yet: the test starts what it needs."""
    with Cluster(recorded_url, tmp_path) as cluster:
        yield cluster
