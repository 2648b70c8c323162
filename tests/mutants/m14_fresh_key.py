"""M14: the answer to a trigger is lost on its way, and the client asks again."""

from foliot.client.awaited.foliot import AsyncFoliot
from foliot.client.errors import ServerAway
from tests.cluster.cluster import Cluster
from tests.conformance.building import save
from tests.eventually import soon
from tests.mutants.stage import WITHIN_S, Stage
from tests.servers.proxy import FaultProxy


async def play(stage: Stage) -> None:
    await save(stage.world, "tick", overlap="allow")
    with stage.processes() as cluster:
        server = cluster.start_server("s1")
        with FaultProxy(cluster.port_of("s1")) as proxy:
            async with AsyncFoliot(f"http://127.0.0.1:{proxy.port}", cluster.token, timeout="30s") as client:
                await soon(lambda: answers(client, cluster), within_s=WITHIN_S, what="the server answers")
                ambush = proxy.ambush(b":trigger", lose="answer")
                stage.client.write("asked", job="tick")
                run = await client.jobs.trigger("tick")
                stage.client.write("acknowledged", job="tick", run=run.id)
                assert ambush.sprung == 1
        server.stop()


async def answers(client: AsyncFoliot, cluster: Cluster) -> bool:
    assert cluster.processes["s1"].is_alive, cluster.tail("s1")
    try:
        await client.jobs.get("tick")
    except ServerAway:
        return False
    return True
