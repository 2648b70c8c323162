"""A team's sixty jobs, for pictures of the console: most succeed, some fail, one is slow, one has many shards."""

import random
from collections.abc import Mapping
from typing import Any, Final

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


@job(cron("0 2 * * *", tz="Asia/Shanghai", calendar="cn-workdays"), owner="data", isolation="thread")
def nightly_report() -> str:
    """Writes the report of the day."""
    return "written"


@job(cron("*/15 * * * *"), owner="ops", isolation="thread")
def rotate_keys() -> str:
    """Gives each shop a fresh key."""
    return "rotated"


@job(cron("0 9 * * 1-5", tz="Europe/Berlin"), owner="ops", isolation="thread")
def morning_digest() -> str:
    """Tells the team what happened over night."""
    return "sent"


@job(every("5s"), owner="ops", isolation="thread")
def heartbeat() -> str:
    """Says that it is alive."""
    return "alive"


@job(every("15s"), owner="search", isolation="thread")
def reindex_catalogue(ctx: Ctx) -> int:
    """Brings new articles into the search."""
    return _work(ctx, 2, 0.4)


@job(every("45s"), owner="search", isolation="thread")
def warm_cache() -> str:
    """Reads the front pages once."""
    return "warm"


@job(owner="ops", isolation="thread")
def greet(name: str = "world", shout: bool = False) -> str:
    """Runs when somebody asks."""
    return f"HELLO {name.upper()}" if shout else f"hello {name}"


@job(every("25s"), owner="payments", isolation="thread", overlap="allow", concurrency={"books-db": 2})
def close_books(ctx: Ctx) -> int:
    """Closes the books of one shop after the other."""
    with ctx.lock("books:2026"):
        return _work(ctx, 30, 1.0)


@job(every("2m"), owner="数据组", shards=16, isolation="thread", overlap="skip", retries=Retry(1, backoff="1s"))
def settle_accounts(ctx: Ctx) -> int:
    """每个分片结算一部分账户。"""
    steps = 10 + 7 * ctx.shard.index
    if ctx.shard.index == 7 and ctx.attempt == 1:
        ctx.log.error("account 88-1204 is locked", shard=ctx.shard.index)
        raise ConnectionError("ledger.example.org closed the connection")
    if ctx.shard.index == 11:
        ctx.log.warning("the ledger answers slowly", seconds=3.1)
    return _work(ctx, steps, 0.8 + random.random() / 5)


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


@job(cron("*/5 * * * *"), owner="ops", isolation="thread")
def check_certificates() -> int:
    """Looks how long the certificates last."""
    return 61


@job(owner="ops", isolation="thread")
def batch(ctx: Ctx, steps: int = 2) -> int:
    """Works through some batches."""
    return _work(ctx, steps, random.uniform(0.1, 0.5))


def _other(owner: str, says: str, **schedule: str) -> Mapping[str, Any]:
    run = {"python": f"{__name__}:batch"}
    return {"run": run, "schedule": schedule, "owner": owner, "description": says}


OTHERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "archive_invoices": _other("finance", "Moves invoices of last year to cold storage.", cron="30 1 * * *"),
    "audit_refunds": _other("finance", "Compares refunds with the bank.", cron="0 6 * * 1-5"),
    "backup_catalogue": _other("search", "Copies the search index.", cron="15 3 * * *"),
    "bank_statements": _other("finance", "Fetches yesterday's statements.", cron="20 5 * * 1-6"),
    "billing_reminders": _other("mail", "Reminds those who have not paid.", cron="0 8 * * 1-5"),
    "bounce_report": _other("mail", "Which addresses are dead.", every="3m"),
    "build_sitemap": _other("web", "Writes the map of all pages.", cron="0 */6 * * *"),
    "carrier_prices": _other("warehouse", "What each carrier asks today.", cron="40 4 * * *"),
    "cart_reminders": _other("mail", "Reminds of what was left in a cart.", every="4m"),
    "clean_sessions": _other("web", "Forgets sessions that are over.", every="2m"),
    "clean_uploads": _other("web", "Deletes uploads nobody kept.", cron="5 * * * *"),
    "close_tickets": _other("support", "Closes what was answered a week ago.", cron="0 7 * * *"),
    "compress_logs": _other("ops", "Packs logs of yesterday.", cron="10 0 * * *"),
    "cost_of_clouds": _other("finance", "What the machines of yesterday cost.", cron="0 5 * * *"),
    "customer_export": _other("data", "Gives new customers to the warehouse of data.", every="5m"),
    "daily_figures": _other("data", "Sales, returns, stock.", cron="0 4 * * *"),
    "disk_usage": _other("ops", "Measures every volume.", every="90s"),
    "dns_records": _other("ops", "Compares records with what they should be.", cron="*/10 * * * *"),
    "exchange_rates": _other("finance", "The central bank's rates.", cron="5 16 * * 1-5"),
    "fraud_model": _other("风控", "训练风控模型。", cron="0 3 * * 0"),
    "geo_database": _other("风控", "Brings the table of addresses up to date.", cron="0 2 * * 3"),
    "import_orders": _other("stock", "Orders of the market places.", every="75s"),
    "label_printers": _other("warehouse", "Looks whether each printer answers.", every="80s"),
    "licence_report": _other("ops", "Which licences end soon.", cron="0 9 1 * *"),
    "mail_queue": _other("mail", "Sends what waits.", every="50s"),
    "merge_customers": _other("data", "Finds customers that are one.", cron="0 1 * * *"),
    "night_tests": _other("web", "Walks through the shop.", cron="30 2 * * *"),
    "parcel_tracking": _other("warehouse", "Asks carriers where parcels are.", every="100s"),
    "partner_feeds": _other("web", "Writes the feeds of partners.", cron="*/20 * * * *"),
    "payouts": _other("finance", "Pays the sellers.", cron="0 10 * * 1-5"),
    "price_rules": _other("stock", "Prices of the day.", cron="0 0 * * *"),
    "product_images": _other("web", "Makes small pictures of large ones.", every="110s"),
    "quarantine": _other("风控", "复核被隔离的订单。", every="70s"),
    "rebuild_views": _other("data", "Computes the views of reports.", cron="45 * * * *"),
    "return_labels": _other("warehouse", "Labels for what comes back.", every="130s"),
    "review_mails": _other("mail", "Asks how the customer liked it.", cron="0 12 * * *"),
    "seller_ratings": _other("data", "Ratings of sellers.", cron="0 */4 * * *"),
    "stock_forecast": _other("stock", "What has to be bought.", cron="30 4 * * *"),
    "supplier_orders": _other("stock", "Orders what is short.", cron="0 11 * * 1-5"),
    "tax_reports": _other("finance", "The report of the month.", cron="0 3 1 * *"),
    "token_report": _other("ops", "Which tokens nobody used.", cron="0 8 * * 1"),
    "vacuum_tables": _other("ops", "Tidies the database.", cron="0 4 * * 0"),
}
"""Jobs that one function serves; they are made over the API."""
