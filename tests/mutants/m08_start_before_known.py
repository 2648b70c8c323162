"""M8: the commit of a lease never reaches the store, and the server cannot know that."""

import contextlib
from urllib.parse import urlsplit

from foliot.ports.store.errors import OutcomeUnknown
from tests.conformance.building import ask, save
from tests.eventually import soon
from tests.mutants.stage import WITHIN_S, Stage
from tests.servers.proxy import FaultProxy

COMMIT = b"COMMIT;"


async def play(stage: Stage) -> None:
    await save(stage.world, "pay", overlap="allow", on_lost="fail")
    await stage.world.store.runs.trigger(ask("pay"))
    port = urlsplit(stage.url).port
    assert port is not None
    with FaultProxy(port) as proxy:
        far = await stage.worker(await stage.world.open(proxy.url(stage.url)))
        near = await stage.worker()
        poll = await far.poll()
        ambush = proxy.ambush(COMMIT, lose="request", then="reset")
        stage.nemesis.write("cut", place="commit of a lease")
        started = []
        with contextlib.suppress(OutcomeUnknown):
            granted = await far.store.runs.lease([poll], limit=10)
            started = list(granted.grants[0].runs)
        assert ambush.sprung == 1
        for run in started:
            await far.start(run)

        async def leased() -> bool:
            """Another worker gets the run once the database has noticed that the first one's server is gone."""
            for run in await near.lease(1):
                await near.execute(run)
                return True
            return False

        await soon(leased, within_s=WITHIN_S, what="the run is leased by another")
        for run in started:
            await far.end(run)
