"""Users' code as a type checker sees it: each wrong use is an error, or else its `type: ignore` is unused."""

from datetime import date
from typing import Any, assert_type

from foliot import AsyncFoliot, AsyncRun, Ctx, Foliot, JobFunction, Retry, Run, cron, ctx, every, job
from foliot.misfire import latest
from foliot.testing import run_inline


@job
def greet(name: str = "world", shout: bool = False) -> str:
    return name.upper() if shout else name


@job(cron("0 2 * * *"), every("1h"), retries=Retry(3, on=(ConnectionError,)), misfire=latest(within="6h"))
def settle(ctx: Ctx, day: date, *, dry_run: bool = False) -> dict[str, int]:
    return {"day": day.day, "dry": dry_run}


@job(timeout="5m")
async def refund(order_id: int, reason: str = "") -> str:
    return f"{order_id} {reason}"


@job(shards=4)
def split(ctx: Ctx) -> int:
    for number, item in enumerate(ctx.track(["a", "b"], note=str.upper)):
        assert_type(number, int)
        assert_type(item, str)
    assert_type(ctx.shard.mine([date(2026, 1, 31)]), list[date])
    return 1


@split.merge
def together(parts: list[int]) -> int:
    return sum(parts)


@job
def anything(payload: Any) -> None: ...


def deeper() -> int:
    return ctx().attempt


# -- calls keep their types


def call() -> None:
    assert_type(greet("x"), str)
    assert_type(greet(name="x", shout=True), str)
    assert_type(together([1]), int)
    assert_type(greet, JobFunction[[str, bool], [str, bool], str])  # type: ignore[assert-type]  # names count as well

    greet(7)  # type: ignore[arg-type]
    greet(nam="x")  # type: ignore[call-arg]
    _ = greet("x").day  # type: ignore[attr-defined]
    together("x")  # type: ignore[arg-type]


def call_with_ctx(here: Ctx) -> None:
    assert_type(settle(here, date(2026, 1, 31)), dict[str, int])
    settle(here, "2026-01-31")  # type: ignore[arg-type]
    settle(date(2026, 1, 31))  # type: ignore[call-arg, arg-type]


# -- triggers take the same parameters, without the Ctx


def trigger() -> None:
    assert_type(greet.trigger(name="x"), Run)
    assert_type(settle.trigger(date(2026, 1, 31), dry_run=True), Run)
    assert_type(refund.options(key="refund-7", delay="5m").trigger(order_id=7), Run)
    assert_type(split.trigger(), Run)
    anything.trigger({"a": 1})

    greet.trigger(name=7)  # type: ignore[arg-type]
    settle.trigger()  # type: ignore[call-arg]
    settle.trigger(day="2026-01-31")  # type: ignore[arg-type]
    settle.trigger(day=date(2026, 1, 31), dry=True)  # type: ignore[call-arg]
    refund.trigger("7")  # type: ignore[arg-type]
    refund.options(keys="x")  # type: ignore[call-arg]
    refund.options(overlap="skip")  # type: ignore[arg-type]
    refund.options().trigger()  # type: ignore[call-arg]


async def asynchronously(client: AsyncFoliot) -> None:
    assert_type(await refund(7), str)
    assert_type(await refund.trigger_async(7), AsyncRun)
    assert_type(await (await refund.trigger_async(7)).wait("1m"), AsyncRun)
    assert_type(await client.jobs.trigger("refund", {"order_id": 7}), AsyncRun)
    async for line in client.runs.logs("r-1", follow=True):
        assert_type(line, str)
    await refund.trigger_async("7")  # type: ignore[arg-type]


def plainly(client: Foliot) -> None:
    assert_type(client.jobs.trigger("refund"), Run)
    assert_type([run.state for run in client.runs.list(state="FAILED")], list[str])
    assert_type(client.runs.wait("r-1", 60).result, Any)
    for line in client.runs.logs("r-1"):
        assert_type(line, str)
    assert_type(client.jobs.get("refund").version, int)
    assert_type(client.nodes.drain("w-1", reason="update"), dict[str, Any])
    for event in client.events.follow(["runs"]):
        assert_type(event.kind, str)
    client.nodes.drain("w-1", because="update")  # type: ignore[call-arg]
    client.jobs.delete("refund")  # type: ignore[call-arg]  # which version was seen?


# -- options are checked


@job(overlap="sometimes")  # type: ignore[call-overload, untyped-decorator]
def wrong_word() -> None: ...


@job("10s")  # type: ignore[call-overload, untyped-decorator]
def wrong_trigger() -> None: ...


# -- tests give what a trigger would, in Python's or in JSON's words


def test() -> None:
    assert_type(run_inline(settle, day="2026-01-31").result, Any)
