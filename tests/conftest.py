"""What every test can ask for."""

import pytest

pytest_plugins = ["tests.servers.fixtures"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run every async test on asyncio, the only loop Foliot knows."""
    return "asyncio"
