"""M3: a server dies with fires in its memory."""

from foliot.domain.instants import SECOND
from tests.conformance.building import every
from tests.mutants.stage import Stage
from tests.sql.rows import cursor_of


async def play(stage: Stage) -> None:
    job = await every(stage.world, interval="1s", overlap="allow")
    with stage.processes() as cluster:
        stage.nemesis.write("kill", node="s1", place="firing.taken")
        server = cluster.start_server("s1", fault="kill:firing.taken:2")
        await cluster.wait_dead([server])
        assert not server.has_failed, cluster.tail("s1")  # it was killed, as asked for
    undecided = (await cursor_of(stage.world, job))["next_due_at"]
    await stage.until(undecided + SECOND)  # others go on from where the cursor stands
