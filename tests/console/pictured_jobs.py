"""A team's jobs, for pictures of the console: most succeed, some fail, one is slow, one has many shards."""

import random

from foliot import Ctx, Retry, cron, every, job


def _work(ctx: Ctx, steps: int, each_s: float) -> int:
    for step in ctx.track(range(steps)):
        ctx.log.info("batch done", batch=step, rows=1000 + 37 * step)
        ctx.sleep(each_s)
    return steps


@job(every("10s"), owner="payments", description="Settles the accounts of the European shops.", isolation="thread")
def settle_eu(ctx: Ctx, day: str = "", dry_run: bool = False) -> dict[str, object]:
    """Settles the accounts of the European shops."""
    return {"batches": _work(ctx, 4 + ctx.attempt, 0.3), "day": day, "dry_run": dry_run}


@job(every("7s"), owner="stock", isolation="thread")
def sync_stock(ctx: Ctx) -> int:
    """Brings the stock of all shops together."""
    return _work(ctx, 3, 0.2)


@job(every("20s"), owner="mail", retries=Retry(2, backoff="1s..5s"), isolation="thread")
def send_invoices(ctx: Ctx) -> None:
    """Sends what was settled."""
    if ctx.attempt < 2:
        raise ConnectionError("mail.example.org refused the connection")


@job(every("12s"), owner="payments", alert={"failed": True, "recover": True}, isolation="thread")
def refund_requests(ctx: Ctx) -> None:
    """Pays back what customers sent back."""
    ctx.log.warning("the gateway answers slowly", seconds=2.4)
    raise ValueError("account 88-1204 has no IBAN")


@job(every("30s"), owner="data", isolation="thread", overlap="skip")
def etl_orders(ctx: Ctx) -> int:
    """Loads the day's orders into the warehouse."""
    return _work(ctx, 40, 1.0)


@job(cron("0 2 * * *", tz="Asia/Shanghai", calendar="cn-workdays"), owner="data")
def nightly_report() -> str:
    """Writes the report of the day."""
    return "written"


@job(cron("*/15 * * * *"), owner="ops")
def rotate_keys() -> str:
    """Gives each shop a fresh key."""
    return "rotated"


@job(cron("0 9 * * 1-5", tz="Europe/Berlin"), owner="ops")
def morning_digest() -> str:
    """Tells the team what happened over night."""
    return "sent"


@job(every("5s"), owner="ops")
def heartbeat() -> str:
    """Says that it is alive."""
    return "alive"


@job(every("15s"), owner="search", isolation="thread")
def reindex_catalogue(ctx: Ctx) -> int:
    """Brings new articles into the search."""
    return _work(ctx, 2, 0.4)


@job(every("45s"), owner="search")
def warm_cache() -> str:
    """Reads the front pages once."""
    return "warm"


@job(owner="ops")
def greet(name: str = "world", shout: bool = False) -> str:
    """Runs when somebody asks."""
    return f"HELLO {name.upper()}" if shout else f"hello {name}"


@job(every("25s"), owner="payments", isolation="thread", overlap="allow", concurrency={"books-db": 2})
def close_books(ctx: Ctx) -> int:
    """Closes the books of one shop after the other."""
    with ctx.lock("books:2026"):
        return _work(ctx, 30, 1.0)


@job(every("60s"), owner="数据组", shards=16, isolation="thread", retries=Retry(1, backoff="1s"))
def settle_accounts(ctx: Ctx) -> int:
    """每个分片结算一部分账户。"""
    if ctx.shard.index == 7 and ctx.attempt == 1:
        ctx.log.error("account 88-1204 is locked", shard=ctx.shard.index)
        raise ConnectionError("ledger.example.org closed the connection")
    return _work(ctx, random.randint(3, 9), 0.6)


@job(every("18s"), owner="风控", isolation="thread", concurrency={"risk-api": 3})
def score_orders(ctx: Ctx) -> int:
    """给新订单打分。"""
    return _work(ctx, random.randint(2, 8), 0.3)


@job(every("40s"), owner="warehouse", alert={"failed": True}, isolation="thread")
def print_labels(ctx: Ctx) -> int:
    """Prints the labels of the next parcels."""
    if random.random() < 0.2:
        raise TimeoutError("printer 4 does not answer")
    return _work(ctx, random.randint(1, 4), 0.4)


@job(cron("*/5 * * * *"), owner="ops")
def check_certificates() -> int:
    """Looks how long the certificates last."""
    return 61
