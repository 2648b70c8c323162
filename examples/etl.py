"""A small nightly pipeline over files: split into shards that retry on their own and can be stopped, then merged.

foliot up etl.py, then  foliot job trigger import_sales -p folder=sales
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from foliot import Ctx, Retry, cron, job
from foliot.misfire import latest


@dataclass
class Sale:
    """One line of a file."""

    shop: str
    amount: Decimal


@dataclass
class ShopTotals:
    """What one shard found. A dataclass says what its fields are, so that amounts stay exact in JSON."""

    sales: int
    totals: dict[str, Decimal]


@job(
    cron("30 1 * * *", tz="Europe/Berlin"),
    shards=4,
    retries=Retry(3, backoff="10s..5m", on=(OSError,)),
    timeout="30m",
    overlap="queue",
    misfire=latest(within="12h"),
    tags={"team": "data"},
)
def import_sales(ctx: Ctx, folder: str = "sales", day: date | None = None) -> ShopTotals:
    """Sums up this shard's files of a day."""
    wanted = day or ctx.due.date()
    files = ctx.shard.mine(sorted(Path(folder).glob(f"{wanted:%Y-%m-%d}*.csv")), key=lambda file: file.name)
    found = ShopTotals(sales=0, totals={})
    for file in ctx.track(files, note=lambda file: file.name):
        if ctx.cancelled:
            break
        for sale in sales_in(file):
            found.sales += 1
            found.totals[sale.shop] = found.totals.get(sale.shop, Decimal(0)) + sale.amount
    ctx.log.info("imported", day=wanted, files=len(files), sales=found.sales)
    return found


@import_sales.merge
def day_of_sales(ctx: Ctx, parts: list[ShopTotals], day: date | None = None) -> ShopTotals:
    """Once, after every shard succeeded: what they returned, in their order; its result is the run's."""
    whole = ShopTotals(sales=sum(part.sales for part in parts), totals={})
    for part in parts:
        for shop, amount in part.totals.items():
            whole.totals[shop] = whole.totals.get(shop, Decimal(0)) + amount
    ctx.log.info("merged", day=day or ctx.due.date(), sales=whole.sales, shops=len(whole.totals))
    return whole


def sales_in(file: Path) -> Iterator[Sale]:
    """The lines of a file with the columns shop and amount."""
    with file.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            yield Sale(shop=row["shop"], amount=Decimal(row["amount"]))
