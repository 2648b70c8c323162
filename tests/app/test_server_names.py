"""Servers on one machine have different names by default, and nodes of one name can be told apart."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from structlog.testing import capture_logs

from foliot.app.server_process import serve
from foliot.app.settings import ServerSettings
from foliot.client.awaited.foliot import AsyncFoliot
from tests.app.test_tls import TOKEN
from tests.cli.conftest import Shell
from tests.eventually import soon
from tests.sql.world import migrate
from tests.unit.client.answering import Answer, Asked, answering


async def test_two_servers_on_one_machine_have_two_names(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'foliot.db'}"
    await migrate(store)
    stop, urls = asyncio.Event(), list[str]()

    async def run() -> None:
        settings = ServerSettings(store_url=store, node_name="", port=0)
        await serve(settings, stop, bootstrap_token=TOKEN, started=lambda url, _: urls.append(url))

    async with AsyncExitStack() as ending:
        for _ in range(2):
            task = asyncio.create_task(run())
            ending.push_async_callback(asyncio.wait, [task])
            ending.callback(stop.set)
        await soon(lambda: len(urls) == 2, within_s=60)
        async with AsyncFoliot(urls[0], TOKEN) as client:

            async def names() -> set[str]:
                return {node["name"] for node in await client.nodes.list()}

            async def has_both() -> bool:
                return len(await names()) == 2

            await soon(has_both, within_s=60)
            assert {name.rpartition("-")[2] for name in await names()} == {url.rpartition(":")[2] for url in urls}


async def test_a_server_says_that_its_first_token_came_too_late(tmp_path: Path) -> None:
    """Two servers start together on an empty store, and the one without the file was first."""
    store = f"sqlite:///{tmp_path / 'foliot.db'}"
    await migrate(store)

    async def told(given: str | None) -> tuple[str | None, list[str]]:
        stop, tokens = asyncio.Event(), list[str | None]()

        def started(_url: str, made: str | None) -> None:
            tokens.append(made)
            stop.set()

        settings = ServerSettings(store_url=store, node_name="a", port=0)
        with capture_logs() as lines:
            await serve(settings, stop, bootstrap_token=given, started=started)
        return tokens[0], [line["why"] for line in lines if line["event"] == "bootstrap.not_used"]

    first, said = await told(None)
    assert first is not None
    assert said == []
    _, said = await told(TOKEN)
    assert [why.partition(" (")[0] for why in said] == [
        "The store has had a first token before, and the one of --bootstrap-token-file is not known to it."
    ]
    _, said = await told(first)
    assert said == [], "the usual restart"


def test_a_name_of_several_nodes_is_told(tmp_path: Path) -> None:
    node = {
        "name": "box", "kind": "server", "health": "ONLINE", "state": "live", "beat_age_s": 1, "group": "",
        "labels": {}, "slots": 0, "running": 0, "drained_by": None, "host": "box", "pid": 1, "version": "1",
        "is_leader": False, "started_at": "2026-01-01T00:00:00Z", "clock_offset_s": None, "handlers": [], "runs": [],
        "load": {},
    }  # fmt: skip
    nodes = [{**node, "id": "n1"}, {**node, "id": "n2", "kind": "worker"}, {**node, "id": "n3", "health": "DEAD"}]

    def answer(asked: Asked) -> Answer:
        return Answer(body={"items": nodes} if asked.path.endswith("/nodes") else nodes[0])

    shell = Shell(folder=tmp_path, config=tmp_path / "config")
    with answering() as server:
        server.say(answer)
        said = shell("node", "show", "box", "--server", server.url)
        assert "2 live nodes are called box: this one is n1, others are worker n2; ask by id" in said.out + said.err
        nodes.pop(1)
        assert "live nodes are called" not in shell("node", "show", "box", "--server", server.url).err
