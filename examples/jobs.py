"""Jobs to look at. In this folder:  foliot up  and then  foliot run logs -f --job tick"""

from datetime import date
from pathlib import Path

from foliot import Ctx, Retry, cron, every, job


@job(every("10s"))
def tick(ctx: Ctx) -> int:
    """Counts to five slowly so that you can watch it."""
    for i in ctx.track(range(5)):
        ctx.log.info("tick", i=i)
        ctx.sleep(1)
    return 5


@job
def greet(name: str = "world", shout: bool = False) -> str:
    """Runs when somebody asks: foliot job trigger greet -p name=Foliot"""
    return f"HELLO {name.upper()}" if shout else f"hello {name}"


@job(every("30s"), retries=Retry(3, backoff="1s..30s", on=(ConnectionError,)), timeout="20s")
def flaky(ctx: Ctx) -> str:
    """Fails twice, then succeeds: attempts, pauses and the final result are on the run's page."""
    if ctx.attempt < 3:
        raise ConnectionError(f"attempt {ctx.attempt}: nobody answers")
    return f"succeeded at attempt {ctx.attempt}"


@job(cron("0 2 * * *", tz="Asia/Shanghai", calendar="cn-workdays"), overlap="queue", owner="data-team")
def nightly(ctx: Ctx, day: date | None = None) -> dict[str, str]:
    """At two in the morning of Chinese working days, for the day it stands for rather than for "today"."""
    wanted = day or ctx.due.date()
    ctx.log.info("settled", day=wanted)
    return {"day": wanted.isoformat()}


@job(isolation="thread", timeout="10m")
def count_words(ctx: Ctx, folder: str = ".", pattern: str = "*.py") -> int:
    """Shows its progress, and goes on where it was when its worker was lost."""
    files = sorted(Path(folder).glob(pattern))
    total = int(ctx.checkpoint.get("total", 0))
    start = int(ctx.checkpoint.get("files", 0))
    for done, file in enumerate(ctx.track(files[start:], note=lambda file: file.name), start + 1):
        total += len(file.read_text("utf-8", errors="replace").split())
        ctx.checkpoint.update(files=done, total=total)
    return total
