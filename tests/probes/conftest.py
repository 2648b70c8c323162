"""One `foliot up` for all probes, in a folder that others could write to, started for the second time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.probes.scene import Up, running_up

CANARY = "canary-5a1d"
LEAK = "leakleakleak"
JOBS = '''
import os

from foliot import Ctx, job


@job
def environment() -> str:
    """What a job sees of the worker's environment."""
    return str(dict(os.environ))


@job
def leaky(ctx: Ctx) -> None:
    """Fails as a driver of a database does, with the address it was given."""
    address = "postgresql://app:" + "leak" * 3 + "@db:5432/prod?password=" + "leak" * 3
    print(address)
    ctx.log.warning("trying", address=address)
    raise ConnectionError(f"no connection to {address}")
'''


@pytest.fixture(scope="session")
def token_of_before() -> list[str]:
    """The token of the `foliot up` that ran in the folder before."""
    return []


@pytest.fixture(scope="session")
def up(tmp_path_factory: pytest.TempPathFactory, token_of_before: list[str]) -> Iterator[Up]:
    folder: Path = tmp_path_factory.mktemp("probes")
    (folder / "jobs.py").write_text(JOBS)
    (folder / ".foliot").mkdir()
    (folder / ".foliot").chmod(0o777)
    with running_up(folder) as before:
        token_of_before.append(before.began["token"])
    with running_up(folder, PGPASSWORD=CANARY, FOLIOT_SECRET=CANARY) as up:
        yield up
