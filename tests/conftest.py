"""What every test can ask for."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck, settings

os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost,::1"  # servers of tests are on this machine

pytest_plugins = ["tests.servers.fixtures", "tests.reruns"]

# The same examples every time, so that a change alone turns a test red; HYPOTHESIS_PROFILE=search looks for new ones.
# That a crowded machine draws them slowly says nothing about them.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The full matrix takes most of an hour: only who asks for it gets it (`-m matrix`)."""
    if "matrix" in str(config.option.markexpr):
        return
    left_out = [item for item in items if item.get_closest_marker("matrix")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run every async test on asyncio, the only loop Foliot knows."""
    return "asyncio"


@pytest.fixture(autouse=True)
def logs_as_they_were() -> Iterator[None]:
    """A command that ran inside the test's process has set up the logs: the next test reads lines of its own."""
    yield
    if structlog.is_configured():
        structlog.reset_defaults()


@pytest.fixture(autouse=True)
def no_modules_of_others(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test wrote into its folder and imported from there goes with it: the next has a `jobs` of its own."""
    if "tmp_path" not in request.fixturenames:
        yield
        return
    folder = str(Path(request.getfixturevalue("tmp_path")))
    yield
    for name, module in sys.modules.copy().items():
        if (getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]
