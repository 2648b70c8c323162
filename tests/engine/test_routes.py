"""Routes on a server: what an installed package brings arrives at the planner."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from foliot.app.server import Server
from foliot.app.settings import ServerSettings
from foliot.app.system import SystemClock
from foliot.domain.planner import Planner
from foliot.domain.routing import FittingWorker, Ready, Routed
from tests.installing import make_package
from tests.sql.world import CHANCE, World


def last_by_name(ready: Ready, candidates: Sequence[FittingWorker]) -> Routed:
    """A route as a package would bring it."""
    last = max(candidates, key=lambda candidate: candidate.name)
    return Routed([last.session] * len(ready.fire_keys), f"last {last.name}")


async def test_a_route_of_an_installed_package_arrives_at_the_planner(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = make_package(
        tmp_path, group="foliot.routes", name="last_by_name", target="tests.engine.test_routes:last_by_name"
    )
    monkeypatch.syspath_prepend(str(packages))
    settings = ServerSettings(store_url=world.url, node_name="s1")
    planner = Server(settings, world.store, clock=SystemClock(), chance=CHANCE).services.plans
    assert isinstance(planner, Planner)
    assert {*planner.routes.names()} == {"any", "last_by_name"}
    candidates = [FittingWorker("s-b", "bert", 1), FittingWorker("s-a", "anne", 1)]
    ready = Ready(job_id=1, fire_keys=("s:1",), state=None)
    assert planner.route("last_by_name", ready, candidates) == Routed(["s-b"], "last bert")
