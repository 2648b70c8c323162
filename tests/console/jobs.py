"""Jobs for the walks through the console: one ticks, one takes a form, one never ends, one writes markup."""

from foliot import Ctx, every, job

MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


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
async def endless(ctx: Ctx) -> None:
    """Runs until somebody cancels it."""
    while True:
        await ctx.sleep_async(1)


@job(description=MARKUP, isolation="thread")
def markup(ctx: Ctx, text: str = "") -> None:
    """Writes markup everywhere it can."""
    ctx.log.info(MARKUP)
    raise ValueError(MARKUP)
