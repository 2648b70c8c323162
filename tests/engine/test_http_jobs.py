"""Jobs that call a URL, from the definition to the end of their runs: retries, fences, timeouts, cancels."""

from collections.abc import AsyncIterator, Iterator

import pytest

from foliot.app.handler_kinds import beside_python
from foliot.operations.cancel import cancel
from foliot.ports.store.lookups import RunRow
from tests.conformance.working import run_of, trigger
from tests.engine.test_handler_kinds import ROOT, Scene
from tests.eventually import soon
from tests.servers.web_site import WebSite
from tests.sql.world import World


@pytest.fixture(scope="module")
def site() -> Iterator[WebSite]:
    site = WebSite()
    yield site
    site.close()


@pytest.fixture
async def scene(world: World) -> AsyncIterator[Scene]:
    """A server, and a worker whose user enabled the kind."""
    scene = Scene(world)
    async with scene.working(beside_python({"http": {"allow": ["loopback"]}}).kinds):
        yield scene


async def ended(scene: Scene, run_id: int) -> RunRow:
    """Let the server lease until the run is over."""

    async def over() -> bool:
        await scene.server.pulsing.step()
        scene.server.leasing.hint()
        await scene.server.leasing.step()
        return (await run_of(scene.world, run_id)).ended_at is not None

    await soon(over, within_s=60)
    return await run_of(scene.world, run_id)


async def test_a_run_is_tried_again_by_the_name_of_its_error(scene: Scene, site: WebSite) -> None:
    retries = {"max": 2, "backoff": "1ms", "on": ["HttpStatus5xx"]}
    await scene.create("flaky", run={"http": {"url": f"{site.url}/fails-once"}}, retries=retries)
    await scene.create("gone", run={"http": {"url": f"{site.url}/none"}}, retries=retries)
    (flaky,), (gone,) = await trigger(scene.world, "flaky"), await trigger(scene.world, "gone")

    run = await ended(scene, flaky)
    assert (run.state, run.attempt) == ("SUCCEEDED", 2)
    first, second = (seen.headers for seen in site.requests("/fails-once"))
    assert first["idempotency-key"] == second["idempotency-key"]
    assert int(first["foliot-fence"]) < int(second["foliot-fence"])
    assert (first["foliot-attempt"], second["foliot-attempt"]) == ("1", "2")

    run = await ended(scene, gone)
    assert (run.state, run.attempt) == ("FAILED", 1)
    assert "answered 404; 2xx was expected" in str(run.error)


async def test_a_timeout_and_a_cancel_close_the_connection(scene: Scene, site: WebSite) -> None:
    await scene.create("slow", run={"http": {"url": f"{site.url}/hang"}}, timeout="2s")
    await scene.create("endless", run={"http": {"url": f"{site.url}/dribble"}})
    (slow,), (endless,) = await trigger(scene.world, "slow"), await trigger(scene.world, "endless")

    run = await ended(scene, slow)
    assert (run.state, run.kind) == ("FAILED", "timeout")
    await soon(lambda: "/hang" in site.log.gone, within_s=60)

    await soon(lambda: site.requests("/dribble"), within_s=60)
    await cancel(scene.server.services, ROOT, [endless])
    assert (await ended(scene, endless)).state == "CANCELLED"
    await soon(lambda: "/dribble" in site.log.gone, within_s=60)


async def test_what_does_not_fit_is_rejected_and_never_sent(scene: Scene, site: WebSite) -> None:
    retries = {"max": 5, "backoff": "1ms"}
    await scene.create(
        "path", run={"http": {"url": f"{site.url}/a/${{params.id}}"}}, params={"id": ".."}, retries=retries
    )
    await scene.create("metadata", run={"http": {"url": "http://169.254.169.254/latest/"}}, retries=retries)
    before = len(site.log.seen)
    for name, word in {
        "path": "run.http.url cannot be used in this run",
        "metadata": "This worker does not call",
    }.items():
        (run_id,) = await trigger(scene.world, name)
        run = await ended(scene, run_id)
        assert (run.state, run.kind, run.attempt) == ("FAILED", "rejected", 1)
        assert word in str(run.error)
    assert len(site.log.seen) == before
