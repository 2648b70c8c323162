"""What tests of the surfaces for people can ask for."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.api.asking import Api, opened_api
from tests.api.stage import Stage, opened_stage
from tests.sql.conftest import migrated_sqlite as migrated_sqlite  # noqa: PLC0414  a fixture


@pytest.fixture
async def stage(migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[Stage]:
    """The real store with driven time."""
    async with opened_stage(migrated_sqlite, tmp_path) as stage:
        yield stage


@pytest.fixture
async def api(stage: Stage) -> AsyncIterator[Api]:
    """The whole API over the stage, asked with an admin token."""
    async with opened_api(stage) as api:
        yield api
