"""The coordinator of a server, chosen by the scheme of a URL; and what is said when there is none."""

from pathlib import Path

import pytest

from foliot.app.coordinators import make_coordinator
from foliot.app.plugins import PartNotLoaded, UnknownPart
from foliot.app.settings import ServerSettings
from foliot.coordination.store import StoreCoordinator
from foliot.domain.errors import InvalidInput
from foliot.ports.coordinator import Coordinator, ElectionParts
from tests.installing import make_package
from tests.sql.world import CHANCE, CLOCK, World

SECRET = "s3cret"


class Picky(StoreCoordinator):
    """A backend that takes one URL, and is not friendly about others."""

    def __init__(self, parts: ElectionParts, *, url: str) -> None:
        super().__init__(parts)
        if "refused" in url:
            raise InvalidInput("The path is missing.", hint="picky://HOST/PATH")
        if "good" not in url:
            raise ValueError(f"no good: {url}")


def making(world: World, url: str) -> Coordinator:
    settings = ServerSettings(store_url=world.url, node_name="s1", coordinator_url=url)
    return make_coordinator(world.store, settings, clock=CLOCK, chance=CHANCE)


async def test_the_store_elects_unless_another_is_named(world: World) -> None:
    made = making(world, "store")
    assert type(made) is StoreCoordinator


@pytest.mark.parametrize("url", [f"etc://:{SECRET}@cache/0", f"etc:{SECRET}", "etc"])
async def test_a_backend_that_nobody_brings_is_refused_by_its_scheme_alone(world: World, url: str) -> None:
    with pytest.raises(UnknownPart, match=r'There is no coordinator "etc".*known are: etcd, file, ') as refused:
        making(world, url)
    assert SECRET not in str(refused.value)


async def test_a_backend_of_a_package_is_made_with_its_url(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = make_package(
        tmp_path, group="foliot.coordinators", name="picky", target="tests.engine.test_coordinators:Picky"
    )
    monkeypatch.syspath_prepend(str(package))
    assert isinstance(making(world, "picky://good"), Picky)
    with pytest.raises(InvalidInput, match="The path is missing"):
        making(world, "picky://refused")
    with pytest.raises(PartNotLoaded, match=r'The coordinator "picky" .* cannot be loaded: ValueError') as broken:
        making(world, f"picky://{SECRET}")
    assert SECRET not in str(broken.value)
