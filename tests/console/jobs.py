"""Jobs for the walks: they tick, take a form, never end, write markup, hold a lock, have a past."""

from threading import Event

from foliot import Ctx, cron, every, job

MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
LONG = 4500  # lines: more than two looks of the console


@job(every("5s"))
def tick(ctx: Ctx) -> int:
    """Writes a line every five seconds."""
    ctx.log.info("tick")
    return 1


@job(isolation="thread")
def slow(ctx: Ctx, name: str = "world", shout: bool = False) -> str:
    """Takes a form, and long enough to be seen."""
    for done in ctx.track(range(3)):
        ctx.log.info("hello", name=name, done=done)
        ctx.sleep(1)
    return f"hello {name}"


@job
async def endless(ctx: Ctx, name: str = "") -> None:
    """Runs until somebody cancels it; its runs can be told apart by a name."""
    while True:
        await ctx.sleep_async(1)


@job(description=MARKUP, isolation="thread")
def markup(ctx: Ctx, text: str = "") -> None:
    """Writes markup everywhere it can."""
    ctx.log.info(MARKUP)
    raise ValueError(MARKUP)


@job(isolation="thread")
def marked(ctx: Ctx, text: str = "") -> dict[str, str]:
    """Says markup of its progress, and returns it."""
    ctx.progress(1, 2, note=text)
    return {text: text}


@job(overlap="allow")
async def holder(ctx: Ctx) -> None:
    """Holds a lock until somebody takes it away."""
    async with ctx.lock("acct:42"):
        while True:
            await ctx.sleep_async(1)


@job(cron("0 2 * * *"))
def daily() -> str:
    """Has a past that can be filled."""
    return "done"


@job(shards=3, owner="数据组", description="把当天的订单装入仓库")
def load_orders(ctx: Ctx) -> int:
    """One of its shards fails."""
    if ctx.shard.index == 1:
        ctx.log.error("shard has no file")
        raise FileNotFoundError("orders-1.csv")
    return ctx.shard.index


@job(alert={"failed": True}, isolation="thread")
def charge(ctx: Ctx) -> None:
    """Fails, and people are told of it."""
    ctx.log.error("the card gateway answers no more", order=4711)
    raise ConnectionError("pay.example.org refused the connection")


@job(isolation="thread")
def counter(ctx: Ctx) -> int:
    """Writes numbered lines, slowly enough that a server dies between two of them."""
    for number in range(40):
        ctx.log.info("line", number=number)
        ctx.sleep(0.25)
    return 40


@job(isolation="thread", overlap="allow", concurrency={"ledger-db": 1})
def posting(ctx: Ctx) -> None:
    """Holds a limit until somebody cancels it; the next one waits."""
    while not ctx.cancelled:
        ctx.sleep(0.2)


@job(cron("0 1 * * *"), group="nights")
def nightly() -> str:
    """One of a group."""
    return "done"


@job(cron("30 1 * * *"), group="nights")
def nightly_too() -> str:
    """Another one of it."""
    return "done"


@job(shards=2, overlap="allow")
async def fan(ctx: Ctx) -> None:
    """Its shards run until somebody cancels them."""
    while True:
        await ctx.sleep_async(1)


@job(overlap="allow")
def stubborn() -> None:
    """Looks at nothing for a while, not even whether it is to stop."""
    Event().wait(20)


@job(isolation="thread", overlap="allow")
def deep(ctx: Ctx) -> None:
    """Fails some calls down."""
    ctx.log.warning("going down")
    one_down()


def one_down() -> None:
    """The first call of some."""
    two_down()


def two_down() -> None:
    """The next one."""
    raise ValueError("no ground")


@job(isolation="thread", overlap="allow")
def chatty(ctx: Ctx) -> None:
    """Writes a long log, then a line now and then until somebody cancels it."""
    number = 0
    while not ctx.cancelled:
        if number >= LONG:
            ctx.sleep(0.2)
        ctx.log.info("line", number=number)
        number += 1
