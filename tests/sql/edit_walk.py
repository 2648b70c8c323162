"""A job that is edited again and again while its runs live: whatever the dice say, what an edit promises must hold."""

import random
from contextlib import suppress
from typing import Any

from foliot.domain.instants import SECOND
from foliot.domain.verdict import Cause
from foliot.ports.store.errors import StoreUnavailable
from foliot.ports.worker_link import LeasedRun
from foliot.store.sql import job_store
from foliot.store.sql.firing.follow import FIXED_DELAY
from tests.conformance.building import NS, PERSON, fire, save
from tests.conformance.working import Worker, trigger, worker
from tests.sql.world import World

SERIAL = ("skip", "queue", "queue_all", "replace")
EVERY: dict[str, Any] = {"every": "20s"}
FROM_END: dict[str, Any] = {"every": "7s", "from_end": True}
ENDS = [Cause.SUCCEEDED] * 5 + [Cause.ERROR, Cause.ERROR, Cause.RELEASED]
Row = dict[str, Any]


class EditWalk:
    """One job, some workers, and a person who cannot stop editing."""

    def __init__(self, world: World, seed: int, monkeypatch: Any) -> None:
        self.world = world
        self.dice = random.Random(seed)
        self.monkeypatch = monkeypatch
        self.workers: list[Worker] = []
        self.held: list[tuple[Worker, LeasedRun]] = []
        self.begun: dict[int, tuple[int, int]] = {}  # run: version and place at its first lease
        self.pinned: dict[int, int] = {}
        self.highest = 0  # fence of an exclusive version
        self.documents: dict[int, dict[str, Any]] = {}
        self.edits = 0

    async def begin(self) -> None:
        await self.edit()
        self.workers = [await worker(self.world) for _ in range(3)]

    async def step(self) -> None:
        often = [self.ask, self.lease, self.lease, self.report, self.report, self.sweep]
        seldom = [self.edit, self.edit, self.half_an_edit, self.ask_later, self.ask_version, self.wait, self.cancel]
        await self.dice.choice([*often, *seldom])()
        await self.check()

    # -- what may happen ------------------------------------------------------------------------------------------

    def _document(self) -> dict[str, Any]:
        exclusive = self.dice.random() < 0.3
        shards = self.dice.choice([0, 0, 2, 3])
        document: dict[str, Any] = {
            "overlap": self.dice.choice(SERIAL) if exclusive else self.dice.choice([*SERIAL, "allow", "allow"]),
            "retries": {"max": 2, "backoff": "3s", "jitter": False},
            "params": {"n": self.edits},
            "place": {"priority": self.dice.randint(3, 7)},
        }
        if exclusive:
            document |= {"exclusive": True, "isolation": "process"}
        if shards:
            document |= {"shards": shards, **self.dice.choice([{}, {"merge": "python:jobs:join"}])}
        schedule = self.dice.choice([None, EVERY, FROM_END, FROM_END])
        return document | ({"schedule": schedule} if schedule else {})

    async def edit(self) -> None:
        self.edits += 1
        document = self._document()
        saved = await save(self.world, **document)
        self.documents[saved.version] = document

    async def half_an_edit(self) -> None:
        """The server dies between the edit and what it means for waiting runs."""

        async def die(*_: Any, **__: Any) -> int:
            raise StoreUnavailable("the server is gone")

        self.edits += 1
        document = self._document()
        with self.monkeypatch.context() as patch, suppress(StoreUnavailable):
            patch.setattr(job_store, "move_waiting", die)
            await save(self.world, **document)
        self.documents[(await self.world.store.lookups.job(NS, "tick")).version] = document

    async def ask(self) -> None:
        overlaps = self.dice.random() < 0.2 and not self._newest().get("exclusive")
        await trigger(
            self.world, n=self.dice.randint(1, 2), allow_overlap=overlaps, priority=self.dice.choice([None, 9])
        )

    async def ask_later(self) -> None:
        await trigger(self.world, delay_us=self.dice.randint(5, 90) * SECOND)

    async def ask_version(self) -> None:
        version = self.dice.choice(list(self.documents))
        if self._newest().get("exclusive") and not self.documents[version].get("exclusive"):
            return
        (run_id,) = await trigger(self.world, version=version)
        self.pinned[run_id] = version

    async def lease(self) -> None:
        one = self.dice.choice(self.workers)
        before = {row["id"]: row for row in await self._runs()}
        leased = await one.lease(self.dice.randint(1, 4))
        for run in leased:
            self.held.append((one, run))
            self._check_leased(run, before)
        self._check_fences([run.fence for run in leased if run.exclusive])
        await self._check_line(leased, before)

    async def report(self) -> None:
        if self.held:
            one, run = self.held.pop(self.dice.randrange(len(self.held)))
            await one.complete(run, cause=self.dice.choice(ENDS), error="x", started_us_ago=0)

    async def sweep(self) -> None:
        await fire(self.world)
        await self.world.store.firing.admit(limit=100)
        await self.world.store.firing.unpark(limit=100)
        if self.dice.random() < 0.3:
            await self.world.store.jobs.repair(limit=100)

    async def wait(self) -> None:
        await self.world.elapse(self.dice.randint(1, 15) * SECOND)
        for one in self.workers:
            await one.beat(*(run for holder, run in self.held if holder is one))

    async def cancel(self) -> None:
        waiting = [row["id"] for row in await self._runs() if row["state"] == "PENDING" and row["parent_id"] is None]
        if waiting and self.dice.random() < 0.5:
            await self.world.store.runs.cancel(self.dice.sample(waiting, 1), by=PERSON)

    # -- what must hold -------------------------------------------------------------------------------------------

    def _newest(self) -> dict[str, Any]:
        return self.documents[max(self.documents)]

    async def _runs(self) -> list[Row]:
        return [dict(row) for row in await self.world.rows("SELECT * FROM runs ORDER BY id")]

    def _check_leased(self, run: LeasedRun, before: dict[int, Row]) -> None:
        document, row = self.documents[run.version], before[run.run_id]
        shards = document.get("shards", 0)
        is_merge = row["parent_id"] is not None and row["shard"] < 0
        assert (run.shard >= 0) == (bool(shards) and not is_merge), (run, document)  # whole, or a part of so many
        assert run.shards == shards
        assert row["place"] is not None, row
        if row["attempt"] == 0:
            self.begun[run.run_id] = (run.version, row["place"])
        assert self.begun[run.run_id] == (run.version, row["place"]), row  # begun is begun

    def _check_fences(self, fences: list[int]) -> None:
        assert len(set(fences)) == len(fences), fences
        assert not fences or min(fences) > self.highest, (fences, self.highest)
        self.highest = max([self.highest, *fences])

    async def _check_line(self, leased: tuple[LeasedRun, ...], was: dict[int, Row]) -> None:
        """Who may not overlap was leased when nothing live stood before it; in an exclusive job nobody is in hands."""
        rows = {row["id"]: row for row in await self._runs()}
        live = [row for row in rows.values() if row["state"] in ("PENDING", "RUNNING")]
        in_line = [row for row in live if row["shard"] < 0 and row["place"] is not None]
        for run in leased:
            row = rows[run.run_id]
            mine = (row["place"], row["parent_id"] or row["id"])
            before = [other for other in in_line if (other["place"], other["id"]) < mine]
            assert not row["serial"] or not before, (row, before)
            if self._newest().get("exclusive") and self.documents[run.version].get("exclusive"):
                in_hands = {other["parent_id"] or other["id"] for other in live if other["lease_id"] is not None}
                assert _had_begun(row, was) or in_hands <= {row["parent_id"] or row["id"]}, (row, in_hands)

    async def check(self) -> None:
        rows = await self._runs()
        live = [row for row in rows if row["state"] in ("PENDING", "RUNNING")]
        for row in live:
            if row["id"] in self.pinned and row["version"] != self.pinned[row["id"]]:
                assert self.documents[row["version"]].get("exclusive"), row
                del self.pinned[row["id"]]
        await self._check_cursor(live)

    async def _check_cursor(self, live: list[Row]) -> None:
        job = await self.world.store.lookups.job(NS, "tick")
        now = await self.world.now()
        if self._newest()["overlap"] != "allow":
            early = [row for row in live if row["fire_key"].startswith("m:") and row["not_before"] > now + SECOND]
            assert all(row["place"] is None or row["attempt"] or row["parent_id"] for row in early), early
        if self._newest().get("schedule") == FROM_END and job.next_at is None:
            waited_for = [row for row in live if row["fire_key"].startswith("s:") and row["shard"] < 0]
            assert any(row["follow"] & FIXED_DELAY for row in waited_for), live

    async def calm(self) -> None:
        """Nobody edits any more: all that was asked for comes to its end."""
        await save(self.world, overlap="queue_all")
        for _ in range(200):
            await self.world.elapse(5 * SECOND)
            await self.world.store.jobs.repair(limit=100)
            await self.sweep()
            self.workers = [await worker(self.world)]
            runs = [*(run for _, run in self.held), *await self.workers[0].lease(50)]
            self.held = []
            await self.workers[0].complete(*runs)
            if not await self.world.value("SELECT count(*) FROM runs WHERE state IN ('PENDING', 'RUNNING')"):
                return
        left = await self.world.rows("SELECT * FROM runs WHERE state IN ('PENDING', 'RUNNING')")
        raise AssertionError(f"never ended: {[dict(row) for row in left]}")


def _had_begun(row: Row, was: dict[int, Row]) -> bool:
    """Whether the run, or another part of it, had been leased before."""
    family = [other for other in was.values() if row["parent_id"] and other["parent_id"] == row["parent_id"]]
    return any(other["attempt"] > 0 for other in [was[row["id"]], *family])
