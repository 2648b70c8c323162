"""The log of a run with many shards: all lines in one order, read a window at a time."""

import asyncio
import zlib
from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from foliot.domain.instants import MILLISECOND, SECOND, to_datetime
from foliot.domain.run import parse_run_id
from foliot.domain.verdict import Cause
from foliot.operations import shard_log
from foliot.ports.store.shard_logs import ShardPiece
from foliot.ports.worker_link import LogChunk
from foliot.store.sql.kernel import tables
from foliot.store.sql.kernel.database import Tx
from tests.api.asking import Api
from tests.api.stage import START, Stage, StageWorker
from tests.api.test_runs import parsed

SHARDS = 1000
WAVES = 4  # each shard writes so often; ten shards share a worker
LINES = 3


def written_in(wave: int, shard: int) -> int:
    """Workers write one after the other; between two waves is a long pause."""
    return START + wave * 900 * SECOND + (shard // 10) * 20 * MILLISECOND


def stamped(at: int, text: str, level: str = "INFO") -> str:
    return f"{to_datetime(at):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + f"Z  {level}  {text}"


def texts_of(wave: int, shard: int) -> list[str]:
    """Lines whose own times go in turns with those of the worker's other shards."""
    at = written_in(wave, shard) - 200 * MILLISECOND
    return [
        stamped(at + (10 * n + shard % 10) * MILLISECOND, f"w{wave} n{n}", "ERROR" if shard == 500 else "INFO")
        for n in range(LINES)
    ]


def in_order() -> list[str]:
    """Every line, as it has to be read."""
    lines = [
        (written_in(wave, shard), text, shard)
        for wave in range(WAVES)
        for shard in range(SHARDS)
        for text in texts_of(wave, shard)
    ]
    return [f"#{shard:02d} {text}" for _, text, shard in sorted(lines)]


def fill(tx: Tx, parent: int) -> None:
    ids = sa.select(tables.runs.c.id, tables.runs.c.shard).where(tables.runs.c.parent_id == parent)
    rows: list[dict[str, Any]] = []
    for run_id, shard in tx.connection.execute(ids).all():
        offset = 0
        for wave in range(WAVES):
            body = "".join(f"{line}\n" for line in texts_of(wave, shard)).encode()
            row = {"at_offset": offset, "size": len(body), "written_at": written_in(wave, shard)}
            rows.append({"run_id": run_id, "attempt": 1, "body": zlib.compress(body), **row})
            offset += len(body)
    tx.connection.execute(sa.insert(tables.run_logs), rows)


@pytest.fixture
async def run(api: Api, stage: Stage) -> str:
    """A run with a thousand shards, each of which has written."""
    await api.create_job("tick", shards=SHARDS)
    made = str((await api.post("/jobs/tick:trigger")).json()["id"])
    await stage.store.database.transact(lambda tx: fill(tx, parse_run_id(made)))
    return made


@pytest.fixture
def looked(stage: Stage) -> list[int]:
    """How many pieces the store named, look by look."""
    counted: list[int] = []
    pieces = stage.services.store.lookups.shard_log_pieces

    async def counting(*how: Any, **more: Any) -> Sequence[ShardPiece]:
        found = await pieces(*how, **more)
        counted.append(len(found))
        return found

    object.__setattr__(stage.services.store.lookups, "shard_log_pieces", counting)
    return counted


async def test_the_lines_of_a_thousand_shards_are_read_in_one_order_window_by_window(
    api: Api, run: str, looked: list[int]
) -> None:
    every = in_order()
    path = f"/runs/{run}/lines"
    tail = (await api.get(path, limit=500)).json()
    assert [one["text"] for one in tail["items"]] == every[-500:]
    assert (tail["is_begin"], tail["is_end"], tail["search_on"]) == (False, True, None)
    assert tail["items"][-1]["shard"] == 999
    assert sum(looked) <= shard_log.PIECES_MAX, "a tail is read from near the end"

    found, window = tail["items"], tail
    while not window["is_begin"]:
        window = (await api.get(path, before=found[0]["position"], limit=5000)).json()
        found = window["items"] + found
    assert [one["text"] for one in found] == every

    onward: list[str] = [found[0]["text"]]
    window = {"is_end": False, "items": found[:1]}
    while not window["is_end"]:
        window = (await api.get(path, after=window["items"][-1]["position"], limit=5000)).json()
        onward += [one["text"] for one in window["items"]]
    assert onward == every
    assert max(looked) <= shard_log.PIECES_MAX


async def test_the_log_of_a_thousand_shards_is_filtered(api: Api, run: str) -> None:
    every, path = in_order(), f"/runs/{run}/lines"
    of_one = [line for line in every if line.startswith("#500 ")]
    assert [one["text"] for one in (await api.get(path, level="error")).json()["items"]] == of_one
    assert [one["text"] for one in (await api.get(path, shard=500)).json()["items"]] == [
        line.removeprefix("#500 ") for line in of_one
    ]
    wave = [line for line in every if line.endswith("w1 n2")]
    assert [one["text"] for one in (await api.get(path, grep="W1 N2", limit=5000)).json()["items"]] == wave
    assert (await api.get(f"/runs/{run}/logs")).text.splitlines() == every
    assert (await api.get(f"/runs/{run}/logs", tail=7)).text.splitlines() == every[-7:]
    assert (await api.get(f"/runs/{run}/logs", tail=7, grep="w1 n2")).text.splitlines() == wave[-7:]
    wrong = await api.get(path, before="1:40")
    assert (wrong.status_code, wrong.json()["detail"]) == (400, "This position is not one of this log.")


async def test_a_search_that_finds_nothing_ends_and_goes_on(
    api: Api, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_log, "SEARCHED_BYTES_MAX", 50_000)
    monkeypatch.setattr(shard_log, "TEXT_BYTES", 20_000)
    path, asked, before = f"/runs/{run}/lines", 0, None
    found: list[dict[str, Any]] = []
    while True:
        window = (await api.get(path, grep="#500 ", before=before)).json()
        asked, found, before = asked + 1, window["items"] + found, window["search_on"]
        if window["is_begin"]:
            break
        assert before is not None
    assert asked > 3
    assert len(found) == WAVES * LINES
    assert (await api.get(f"/runs/{run}/logs", tail=5, grep="#500 ")).text.count("\n") == 5


async def write(stage: Stage, worker: StageWorker, *pieces: tuple[int, int, str]) -> None:
    """One call of a worker: (which of its runs, offset, text)."""
    chunks = [
        LogChunk(
            run_id=worker.held[at].run_id,
            lease_id=worker.held[at].lease_id,
            attempt=worker.held[at].attempt,
            offset=offset,
            text=text,
        )
        for at, offset, text in pieces
    ]
    await stage.store.runs.write_logs(worker.session, chunks)


async def test_the_log_of_shards_is_followed_and_goes_on_where_it_broke(api: Api, stage: Stage) -> None:
    await api.create_job("tick", shards=2)
    worker = await stage.worker("w-1", ["python:jobs:tick"])
    run = (await api.post("/jobs/tick:trigger")).json()["id"]
    for _ in range(2):
        assert await worker.lease() is not None
    shards = [leased.shard for leased in worker.held]
    first, second = (f"#{shard:02d} " for shard in shards)
    at = "2026-03-02T06:02"
    one, two, three = f"{at}:01.000Z  INFO  one", f"{at}:02.000Z  INFO  two", f"{at}:03.000Z  INFO  three"
    await write(stage, worker, (0, 0, f"{one}\n  more\n{three}\nha"), (1, 0, f"{two}\n"))
    before = [first + one, first + "  more", second + two, first + three]
    assert (await api.get(f"/runs/{run}/logs")).text.splitlines() == before, "the last line may still grow"
    following = asyncio.create_task(api.get(f"/runs/{run}/logs", follow=1))
    await asyncio.sleep(0)
    stage.elapse("1m")
    length = len(f"{one}\n  more\n{three}\nha")
    await write(stage, worker, (0, length, "lf\n"), (1, len(two) + 1 + 7, "after a gap"))
    after = [
        first + "half",
        second + "… 7 bytes of the log are missing here",
        second + "after a gap",
    ]
    for _ in shards:
        await worker.end(Cause.SUCCEEDED, after_us=SECOND)
    told = parsed((await asyncio.wait_for(following, 30)).text)
    assert sorted(event["data"] for event in told[:-1]) == sorted([*before, *after])
    assert told[-1]["event"] == "end"
    read = (await api.get(f"/runs/{run}/logs")).text.splitlines()
    assert read == [*before, *sorted(after, key=lambda text: text[:4])]
    tail = parsed((await api.get(f"/runs/{run}/logs", follow=1, tail=4)).text)
    assert [event.get("data") for event in tail] == [*read[-4:], ""]
    assert [event.get("data") for event in parsed((await api.get(f"/runs/{run}/logs", follow=1, tail=0)).text)] == [""]
    rest = await api.ask("GET", f"/runs/{run}/logs", follow=1, headers={"Last-Event-ID": tail[1]["id"]})
    again = parsed(rest.text)
    assert [event.get("data") for event in again] == [*read[-3:], ""], "the last seconds come again"
    assert [event.get("id") for event in again[:-1]] == [event["id"] for event in tail[1:-1]], "with the ids they had"
