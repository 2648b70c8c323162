"""The handler of the benchmarks: does nothing, through the whole path of a real one."""

from foliot import Ctx, job


@job(name="noop", overlap="allow")
async def noop(ctx: Ctx) -> None:
    """Nothing."""
