"""Ctx: what a handler knows of its run, says about it, and how it learns that it should stop."""

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfoNotFoundError

import pytest

from foliot.domain.run import format_run_id
from foliot.ports.worker_link import LeasedRun
from foliot.sdk.checkpoint import BadCheckpoint
from foliot.sdk.ctx import Ctx, OutsideRun, SleepBlocksLoop, ctx, current
from foliot.sdk.log import Level, render
from foliot.sdk.stop_signal import Cancelled, StopSignal
from tests.unit.sdk.ports import Listening, ctx_of


def test_it_knows_its_run() -> None:
    leased = LeasedRun(
        run_id=7, job_id=1, namespace="prod", job="settle", version=3, handler="python:jobs:settle", params=None,
        attempt=2, lease_id="l", fence=9182, due_at=1_769_878_800_000_000, leased_at=0, shard=3, shards=16,
        checkpoint='{"i":5}', reason="rerun",
    )  # fmt: skip
    known = Ctx(leased, Listening())
    assert (known.run_id, known.job, known.namespace, known.attempt) == (format_run_id(7), "settle", "prod", 2)
    assert (known.fencing_token, known.reason, known.checkpoint["i"]) == (9182, "rerun", 5)
    assert (known.shard.index, known.shard.count) == (3, 16)


def test_due_is_aware_and_can_be_read_in_the_jobs_zone() -> None:
    known = ctx_of(Listening(), due_at=1_769_882_400_000_000)
    assert known.due == datetime(2026, 1, 31, 18, tzinfo=UTC)
    known.in_zone("Asia/Shanghai")
    assert known.due == datetime(2026, 1, 31, 18, tzinfo=UTC)
    assert known.due.date().isoformat() == "2026-02-01"


def test_the_zone_of_the_schedule_counts_more_than_the_codes() -> None:
    known = ctx_of(Listening(), due_at=1_769_882_400_000_000, tz="America/New_York")
    known.in_zone("Asia/Shanghai")
    assert (known.due.hour, known.due.date().isoformat()) == (13, "2026-01-31")
    known = ctx_of(Listening(), due_at=1_769_882_400_000_000, tz="UTC")
    known.in_zone("Asia/Shanghai")
    assert known.due.hour == 18


def test_a_zone_this_machine_does_not_know_harms_only_who_asks_for_it() -> None:
    known = ctx_of(Listening(), due_at=1_769_882_400_000_000, tz="Moon/Tranquility")
    known.in_zone("UTC")
    assert known.job
    with pytest.raises(ZoneInfoNotFoundError, match="Moon/Tranquility"):
        _ = known.due


def test_a_run_that_is_not_sharded_owns_everything() -> None:
    assert ctx_of(Listening()).shard.mine(range(5)) == [0, 1, 2, 3, 4]


def test_log_lines_carry_level_event_and_fields_and_what_was_bound() -> None:
    port = Listening()
    log = ctx_of(port).log.bind(account=88)
    log.debug("looked")
    log.info("settled", n=3)
    log.warning("odd")
    log.error("broken")
    assert port.lines == [
        (Level.DEBUG, "looked", {"account": 88}),
        (Level.INFO, "settled", {"account": 88, "n": 3}),
        (Level.WARNING, "odd", {"account": 88}),
        (Level.ERROR, "broken", {"account": 88}),
    ]


def test_an_exception_is_logged_with_its_traceback() -> None:
    port = Listening()
    try:
        raise ValueError("no")
    except ValueError:
        ctx_of(port).log.exception("failed", n=1)
    level, event, fields = port.lines[0]
    assert (level, event, fields["n"]) == (Level.ERROR, "failed", 1)
    assert fields["traceback"].rstrip().endswith("ValueError: no")


class Unspeakable:
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, "tick"),
        ({"i": 0, "day": "2026-01-31"}, "tick  i=0 day=2026-01-31"),
        ({"name": "two words"}, 'tick  name="two words"'),
        ({"name": ""}, 'tick  name=""'),
        ({"name": 'a "b"\nc\r'}, 'tick  name="a \\"b\\"\\nc\\r"'),
        ({"name": "结算"}, "tick  name=结算"),
        ({"thing": Unspeakable()}, 'tick  thing="<Unspeakable, str() raised RuntimeError>"'),
    ],
)
def test_a_line_reads_well_and_stays_one_line(fields: dict[str, object], line: str) -> None:
    assert render("tick", fields) == line


def test_an_endless_line_is_cut_and_says_so() -> None:
    line = render("tick", {"text": "x" * 100_000})
    assert len(line) < 20_000
    assert line.endswith("more characters)")


CANARY = "s3cret-canary-of-a-run"


def without_canary(text: str, is_cut: bool) -> str:
    """Hide a secret that is whole; and its beginning, where the text was cut before."""
    text = text.replace(CANARY, "***")
    return text.replace(CANARY[:8], "***") if is_cut else text


@pytest.mark.parametrize("before", [16_360, 16_366])
def test_a_line_is_cut_after_its_secrets_are_hidden(before: int) -> None:
    line = render("tick", {"text": "x" * before + CANARY + "y" * 600_000}, without_canary)
    assert CANARY[:4] not in line
    assert line.endswith("more characters)")
    address = "postgresql://app:" + CANARY + "@db/shop"
    line = render("tick", {"text": "x" * (before - 12) + " " + address + " " * 600_000})
    assert CANARY[:4] not in line


@pytest.mark.parametrize("after", [16_380, 16_370, 10])
def test_of_a_traceback_the_end_is_kept_after_its_secrets_are_hidden(after: int) -> None:
    trace = "Traceback (most recent call last):\n" + "line\n" * 200_000 + CANARY + "y" * after
    line = render("failed", {"traceback": trace}, without_canary)
    assert line.startswith("failed\n…\n")
    assert line.endswith("y" * 10)
    assert CANARY[-4:] not in line
    assert len(line) < 20_000


# -- progress


def test_track_reports_how_far_it_is() -> None:
    port = Listening()
    assert list(ctx_of(port).track(["a", "b"], note=str.upper)) == ["a", "b"]
    assert port.progress == [(0, 2, "A"), (1, 2, "B"), (2, 2, "")]


def test_track_of_something_without_length() -> None:
    port = Listening()
    assert list(ctx_of(port).track(iter("ab"), note="letters")) == ["a", "b"]
    assert port.progress == [(0, None, "letters"), (1, None, "letters"), (2, None, "")]
    list(ctx_of(port).track(iter("ab"), total=2))
    assert port.progress[-1] == (2, 2, "")


async def test_track_of_an_async_iterable() -> None:
    async def letters() -> AsyncIterator[str]:
        for letter in "ab":
            yield letter

    port = Listening()
    assert [letter async for letter in ctx_of(port).track(letters())] == ["a", "b"]
    assert [done for done, _, _ in port.progress] == [0, 1, 2]


# -- stopping


def test_track_hands_out_one_more_item_and_then_stops() -> None:
    port = Listening()
    seen: list[tuple[int, bool]] = []
    here = ctx_of(port)

    def job() -> None:
        for i in here.track(range(10)):
            seen.append((i, here.cancelled))
            if i == 2:
                port.stop.ask()

    with pytest.raises(Cancelled):
        job()
    assert seen == [(0, False), (1, False), (2, False), (3, True)]


async def test_track_of_an_async_iterable_stops_likewise() -> None:
    async def numbers() -> AsyncIterator[int]:
        for i in range(10):
            yield i

    port = Listening()
    seen = []

    async def job() -> None:
        async for i in ctx_of(port).track(numbers()):
            seen.append(i)
            port.stop.ask()

    with pytest.raises(Cancelled):
        await job()
    assert seen == [0, 1]


def test_a_loop_that_looks_leaves_tidily() -> None:
    port = Listening()
    here = ctx_of(port)
    port.stop.ask()
    rounds = 0
    while not here.cancelled:
        rounds += 1
    for _ in here.track(range(5)):
        if here.cancelled:
            break
    assert rounds == 0


def test_sleep_wakes_when_asked_and_the_next_one_raises() -> None:
    port = Listening()
    here = ctx_of(port)
    threading.Timer(0.02, port.stop.ask).start()
    assert here.sleep("1m") is False
    with pytest.raises(Cancelled):
        here.sleep(60)


def test_sleep_in_full_says_so() -> None:
    assert ctx_of(Listening()).sleep(0) is True


async def test_sleep_async_wakes_when_asked_from_another_thread_and_the_next_one_raises() -> None:
    port = Listening()
    here = ctx_of(port)
    threading.Timer(0.02, port.stop.ask).start()
    assert await here.sleep_async("1m") is False
    with pytest.raises(Cancelled):
        await here.sleep_async(60)


async def test_sleep_async_in_full_says_so() -> None:
    assert await ctx_of(Listening()).sleep_async(0.001) is True


async def test_blocking_sleep_in_a_loop_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(SleepBlocksLoop) as refused:
        ctx_of(Listening()).sleep(1)
    assert refused.value.hint == "await ctx.sleep_async(1)"


def test_cancelled_is_not_swallowed_by_a_jobs_own_except() -> None:
    assert not issubclass(Cancelled, Exception)


async def test_a_signal_reaches_every_waiter_and_forgets_those_who_left() -> None:
    signal = StopSignal()
    early = asyncio.create_task(signal.wait_async(0.001))
    waiting = [asyncio.create_task(signal.wait_async()) for _ in range(3)]
    assert await early is False
    threading.Thread(target=signal.ask).start()
    assert await asyncio.gather(*waiting) == [True, True, True]
    assert await signal.wait_async() is True


def test_a_signal_survives_a_closed_loop() -> None:
    signal = StopSignal()
    loop = asyncio.new_event_loop()
    waiter = loop.create_task(signal.wait_async())
    loop.call_soon(loop.stop)
    loop.run_forever()
    waiter.cancel()
    loop.run_until_complete(asyncio.gather(waiter, return_exceptions=True))
    loop.close()
    signal.ask()
    assert signal.is_asked


# -- checkpoint


def test_each_assignment_saves_and_reads_back_what_a_later_attempt_will() -> None:
    port = Listening()
    kept = ctx_of(port, checkpoint='{"i":4}').checkpoint
    assert kept["i"] == 4
    kept["day"] = datetime(2026, 1, 31, tzinfo=UTC)
    kept.update(i=5, files=("a", "b"))
    del kept["day"]
    assert port.saved == [
        '{"day":"2026-01-31T00:00:00Z","i":4}',
        '{"day":"2026-01-31T00:00:00Z","files":["a","b"],"i":5}',
        '{"files":["a","b"],"i":5}',
    ]
    assert kept["files"] == ["a", "b"]
    assert dict(kept) == {"i": 5, "files": ["a", "b"]}
    kept.clear()
    assert (port.saved[-1], len(kept)) == ("{}", 0)


def test_a_checkpoint_that_cannot_be_kept_leaves_the_one_before() -> None:
    port = Listening()
    kept = ctx_of(port, checkpoint='{"i":4}').checkpoint
    with pytest.raises(BadCheckpoint, match='a "PosixPath" is not JSON'):
        kept["file"] = Path("here")
    with pytest.raises(BadCheckpoint, match="larger than 64 KiB"):
        kept["text"] = "x" * 70_000
    with pytest.raises(KeyError):
        del kept["nothing"]
    assert (dict(kept), port.saved) == ({"i": 4}, [])


# -- found from deeper code


def test_deeper_code_finds_the_ctx_of_its_run() -> None:
    here = ctx_of(Listening())
    with current(here):
        assert ctx() is here
    with pytest.raises(OutsideRun):
        ctx()


async def test_each_task_finds_its_own() -> None:
    async def found(here: Ctx) -> bool:
        with current(here):
            await asyncio.sleep(0)
            return ctx() is here

    assert all(await asyncio.gather(*(found(ctx_of(Listening())) for _ in range(5))))
