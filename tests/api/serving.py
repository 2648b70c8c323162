"""The API behind a real socket, in a thread of its own."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from foliot.api.app import build_api
from foliot.domain.access import Grant, Scope
from foliot.operations.tokens import create_token
from tests.api.stage import ROOT, Stage, opened_stage
from tests.eventually import soon


@dataclass(frozen=True, kw_only=True)
class Served:
    """Where it is, and a token that may do everything."""

    url: str
    token: str
    stage: Stage


@contextmanager
def served(template: Path, folder: Path) -> Iterator[Served]:
    """Serve the API over a stage until the block ends."""
    ready: list[Served] = []
    began = threading.Event()
    loop_of: list[asyncio.AbstractEventLoop] = []
    servers: list[uvicorn.Server] = []

    async def run() -> None:
        loop_of.append(asyncio.get_running_loop())
        async with opened_stage(template, folder) as stage:
            issued = await create_token(stage.services, ROOT, "root", Grant(scopes=frozenset({Scope.ADMIN})))
            config = uvicorn.Config(build_api(stage.services), port=0, log_config=None, lifespan="off")
            server = uvicorn.Server(config)
            servers.append(server)
            task = asyncio.create_task(server.serve())
            await soon(lambda: server.started, within_s=50, what="uvicorn started")
            port = server.servers[0].sockets[0].getsockname()[1]
            ready.append(Served(url=f"http://127.0.0.1:{port}", token=issued.secret, stage=stage))
            began.set()
            await task

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert began.wait(60), "the server did not start"
    try:
        yield ready[0]
    finally:
        servers[0].should_exit = True
        thread.join(60)
