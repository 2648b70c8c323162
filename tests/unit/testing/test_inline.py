"""run_inline: one run here and now, as a worker would do it."""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from foliot import Ctx, cron, ctx, job
from foliot.domain.parameters import BadParameters
from foliot.testing import run_inline, run_inline_async
from foliot.testing.inline import InlineRunFailed


@job(cron("0 2 * * *", tz="Asia/Shanghai"), shards=16, params={"region": "eu"})
def settle(ctx: Ctx, day: date | None = None, dry_run: bool = False, region: str = "") -> dict[str, Any]:
    day = day or ctx.due.date()
    orders = ctx.shard.mine(range(10_000))
    start = ctx.checkpoint.get("i", 0)
    for i, _order in enumerate(ctx.track(orders[start:], note=str), start):
        if ctx.cancelled:
            return {"done": i, "stopped": True}
        ctx.checkpoint["i"] = i + 1
    ctx.log.info("settled", day=day, n=len(orders))
    return {"orders": len(orders), "from": start, "day": day, "region": region}


def test_the_example_of_the_documentation() -> None:
    r = run_inline(settle, day="2026-01-31", shard=(0, 16), cancel_after=100)
    assert r.state == "CANCELLED"
    assert r.result == {"done": 100, "stopped": True}
    assert "settled" not in r.log_text
    assert r.checkpoint == {"i": 100}
    assert r.progress is not None
    assert r.progress[0] == 100


def test_a_later_attempt_goes_on_where_the_first_stopped() -> None:
    first = run_inline(settle, day="2026-01-31", shard=(3, 16), cancel_after=100)
    second = run_inline(settle, day=date(2026, 1, 31), shard=(3, 16), attempt=2, checkpoint=first.checkpoint)
    assert (second.state, second.result["from"], second.result["day"]) == ("SUCCEEDED", 100, "2026-01-31")
    assert "INFO  settled  day=2026-01-31 n=" in second.log_text


def test_all_shards_together_do_everything_once() -> None:
    parts = [run_inline(settle, shard=(i, 16)).result["orders"] for i in range(16)]
    assert sum(parts) == 10_000
    assert min(parts) > 400


def test_due_is_the_same_in_every_test_run_and_in_the_jobs_zone() -> None:
    assert run_inline(settle, shard=(0, 16)).result["day"] == "2026-01-01"
    assert run_inline(settle, shard=(0, 16), due="2026-01-30T18:00:00Z").result["day"] == "2026-01-31"
    assert run_inline(settle, shard=(0, 16), due=datetime(2026, 1, 30, 18, tzinfo=UTC)).result["day"] == "2026-01-31"


def test_a_jobs_own_parameters_count() -> None:
    assert run_inline(settle, shard=(0, 16)).result["region"] == "eu"
    assert run_inline(settle, shard=(0, 16), region="us").result["region"] == "us"


def test_wrong_parameters_raise_as_a_trigger_does() -> None:
    with pytest.raises(BadParameters, match='day="2026-13-01" is not a date; dry-run is unknown'):
        run_inline(settle, day="2026-13-01", params={"dry-run": True})


@job
def clash(due: str, shard: int) -> list[Any]:
    return [due, shard]


def test_parameters_whose_names_are_taken() -> None:
    assert run_inline(clash, params={"due": "x", "shard": 7}).result == ["x", 7]
    assert run_inline(clash, "x", 7).result == ["x", 7]


# -- what it says


@job
def chatty(ctx: Ctx) -> None:
    ctx.log.warning("careful", step=1)
    print("printed", end="")
    print(" here")
    logging.getLogger("library").info("logged %d", 7)
    nested()


def nested() -> None:
    ctx().log.info("deeper")


def test_everything_written_is_in_the_log_and_what_is_printed_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run = run_inline(chatty)
    assert run.log_text == ("WARNING  careful  step=1\nOUT  printed here\nINFO  library: logged 7\nINFO  deeper\n")
    assert capsys.readouterr().out == "printed here\n"
    assert run.lines[0].fields == {"step": 1}


# -- how it ends


class TooLate(Exception):
    pass


@job
def fails(n: int = 1) -> None:
    raise TooLate(f"by {n}")


def test_a_failure_is_an_end_with_its_error() -> None:
    run = run_inline(fails)
    assert (run.state, run.kind, run.error) == ("FAILED", "error", "TooLate: by 1")
    assert isinstance(run.exception, TooLate)
    assert "raise TooLate" in (run.traceback or "")
    assert "ERROR  TooLate: by 1" in run.log_text


def test_asking_a_failed_run_for_its_result_shows_the_jobs_own_error() -> None:
    with pytest.raises(InlineRunFailed, match="fails failed: TooLate: by 1") as refused:
        _ = run_inline(fails).result
    assert isinstance(refused.value.__cause__, TooLate)


@job
def unkept() -> Any:
    return object()


def test_a_result_that_cannot_be_kept_is_said() -> None:
    run = run_inline(unkept)
    assert (run.state, run.result) == ("SUCCEEDED", None)
    assert 'unkept returned an "object", which is not JSON' in run.log_text


# -- time and stopping


@job
def patient(ctx: Ctx) -> int:
    rounds = 0
    while not ctx.cancelled and rounds < 100:
        ctx.sleep("1h")
        rounds += 1
    return rounds


def test_sleeping_takes_no_time_and_is_added_up() -> None:
    run = run_inline(patient)
    assert (run.result, run.slept_s) == (100, 360_000.0)


@pytest.mark.parametrize(("after", "rounds"), [("150m", 3), (timedelta(hours=3), 3), ("0s", 0)])
def test_a_run_can_be_asked_to_stop_after_so_much_sleep(after: Any, rounds: int) -> None:
    run = run_inline(patient, cancel_after=after)
    assert (run.state, run.result) == ("CANCELLED", rounds)


@job
def deaf(ctx: Ctx) -> None:
    for _ in ctx.track(range(1000)):
        ctx.sleep(1)


def test_a_run_that_never_looks_is_stopped_all_the_same() -> None:
    run = run_inline(deaf, cancel_after="10s")
    assert (run.state, run.result, run.slept_s) == ("CANCELLED", None, 10.0)


@job
async def waits(ctx: Ctx, hours: int = 100) -> int:
    for i in ctx.track(range(hours)):
        await ctx.sleep_async("1h")
        if i == hours:
            break
    return hours


def test_async_jobs_run_inline_too() -> None:
    run = run_inline(waits, hours=3)
    assert (run.state, run.result, run.slept_s) == ("SUCCEEDED", 3, 10_800.0)
    assert run_inline(waits, cancel_after=5).state == "CANCELLED"


async def test_in_an_async_test_they_share_its_loop() -> None:
    loops: list[Any] = []

    @job
    async def where() -> AsyncIterator[None] | None:
        loops.append(asyncio.get_running_loop())
        return None

    assert (await run_inline_async(where)).state == "SUCCEEDED"
    assert loops == [asyncio.get_running_loop()]
    assert (await run_inline_async(waits, cancel_after=5)).state == "CANCELLED"
    assert (await run_inline_async(settle, shard=(0, 16), cancel_after=100)).result["stopped"]


@job(shards=2, params={"unit": "kg"})
def weigh(shard_weight: int = 3, unit: str = "g") -> int:
    return shard_weight if unit == "kg" else 0


@weigh.merge
def total(ctx: Ctx, parts: list[int], unit: str) -> str:
    ctx.log.info("merging", parts=len(parts))
    return f"{sum(parts)} {unit}"


def test_a_merge_is_called_with_what_the_shards_returned() -> None:
    parts = [run_inline(weigh, shard_weight=n, shard=(n, 2)).result for n in range(2)]
    merged = run_inline(weigh, merge=parts)
    assert (merged.result, "merging  parts=2" in merged.log_text) == ("1 kg", True)
    assert run_inline(weigh, merge=["heavy"]).kind == "rejected"


async def test_a_merge_is_awaited_in_async_tests() -> None:
    assert (await run_inline_async(weigh, merge=[1, 2, 3])).result == "6 kg"


def test_what_has_no_merge_cannot_be_merged() -> None:
    with pytest.raises(ValueError, match="settle has no merge function"):
        run_inline(settle, merge=[])
