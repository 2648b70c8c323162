"""Jobs for scenes of alerts: two that fail, each by a cause of its own, and one that answers to alerts."""

from foliot import Ctx, job


@job
async def settle(ctx: Ctx) -> None:
    raise ConnectionError("no route to db-1")


@job
async def bill(ctx: Ctx) -> None:
    raise PermissionError("the key of the bank has ended")


@job
async def mend(ctx: Ctx) -> None:
    ctx.log.info("mended")
