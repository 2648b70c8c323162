"""Locks with a whole cluster around them: programs and runs, one holder at the fenced resource, deadlocks that end."""

import asyncio
from dataclasses import replace
from pathlib import Path

from foliot.app.slots import Slots
from foliot.client.awaited.foliot import AsyncFoliot
from foliot.domain.locks import LockTaken, LockWaitOver
from tests.app.test_all_in_one import Listener, running, settings
from tests.eventually import soon

CLIENTS, TIMES = 20, 5

JOBS = """
from pathlib import Path
from foliot import Ctx, job

@job
async def cross(ctx: Ctx, first: str, second: str, folder: str) -> str:
    async with ctx.lock(first):
        Path(folder, f"has-{first}").touch()
        while not Path(folder, f"has-{second}").exists():
            await ctx.sleep_async(0.02)
        async with ctx.lock(second):
            return first

@job
async def keep(ctx: Ctx, begun: str) -> None:
    await ctx.lock("kept").__aenter__()  # never given back by its code
    Path(begun).touch()
    await ctx.sleep_async("1h")
"""


class FencedTable:
    """What a lock protects: it refuses a token that is not above every one it has seen."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.writers = 0

    async def write(self, token: int) -> None:
        self.writers += 1
        assert self.writers == 1, "two hold the lock"
        assert not self.tokens or token > self.tokens[-1], "an old token"
        await asyncio.sleep(0)  # others get their turn in the middle of the write
        self.tokens.append(token)
        self.writers -= 1


async def client_of(listener: Listener) -> AsyncFoliot:
    await soon(lambda: listener.url, within_s=60, what="the server is up")
    return AsyncFoliot(listener.url, listener.token, namespace="default")


async def test_programs_and_runs_hold_locks_one_after_the_other_and_deadlocks_end(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(JOBS)
    async with (
        running(replace(settings(tmp_path), slots=Slots(shared=8))) as listener,
        await client_of(listener) as client,
    ):
        kept = await client.locks.acquire("web", ttl="12s")
        first_until = kept.trust.until
        await crowd(client)
        await tries(client)
        await deadlock(client, tmp_path, ["a", "b"])
        await deadlock(client, tmp_path, ["c", "d", "e"])
        await end_of_a_run(client, tmp_path)
        await soon(lambda: kept.trust.until > first_until, within_s=60, what="the client renews it in the background")
        assert not kept.lost
        await kept.release()


async def crowd(client: AsyncFoliot) -> None:
    """Never two holders, and tokens rise (I9)."""
    table = FencedTable()

    async def one() -> None:
        for _ in range(TIMES):
            async with await client.locks.acquire("till", ttl="30s") as lock:
                await table.write(lock.token)

    await asyncio.gather(*(one() for _ in range(CLIENTS)))
    assert len(table.tokens) == CLIENTS * TIMES


async def tries(client: AsyncFoliot) -> None:
    async with await client.locks.acquire("door", ttl="30s") as lock:
        for wait, refusal in (("0s", LockTaken), ("100ms", LockWaitOver)):
            try:
                await client.locks.acquire("door", wait=wait)
            except refusal:
                continue
            raise AssertionError("two hold the door")
        await lock.renew()
        assert not lock.lost
        assert (await client.locks.get("door"))["waiters"] == []
    assert lock.lost


async def deadlock(client: AsyncFoliot, folder: Path, names: list[str]) -> None:
    """Each run has one lock and wants the next one's: one run fails, the others end well."""
    pairs = list(zip(names, [*names[1:], names[0]], strict=True))
    runs = [
        await client.jobs.trigger("cross", {"first": first, "second": second, "folder": str(folder)})
        for first, second in pairs
    ]
    ended = [await run.wait("1m") for run in runs]
    assert sorted(run.state for run in ended) == ["FAILED", *["SUCCEEDED"] * (len(names) - 1)]
    (failed,) = [run for run in ended if run.state == "FAILED"]
    assert "would never end" in str(failed.raw["error"])
    events = await client.events.list(limit=50)
    (event,) = [one for one in events.raw["items"] if one["kind"] == "lock.deadlock" and one["subject"] in names]
    assert event["data"]["cycle"].count("waits for") == len(names)


async def end_of_a_run(client: AsyncFoliot, folder: Path) -> None:
    """A run that is cancelled gives back what its code did not."""
    begun = folder / "begun"
    run = await client.jobs.trigger("keep", {"begun": str(begun)})
    await soon(begun.exists, within_s=60, what="the run has its lock")
    held = await client.locks.get("kept")
    assert [one["owner"] for one in held["holders"]] == [run.id]
    await run.cancel()
    async with await client.locks.acquire("kept", wait="30s") as lock:
        assert lock.token > int(held["holders"][0]["token"])
