"""A web application that hands slow work to Foliot.

With `foliot up fastapi_app.py` running in this folder:  uvicorn fastapi_app:app --workers 4

The application is a client: however many processes serve it, none of them fires or runs a job.
"""

from typing import Annotated

from fastapi import FastAPI, HTTPException, Path

import foliot
from foliot import AsyncFoliot, Ctx, FoliotError, job

app = FastAPI(title="Receipts", lifespan=foliot.lifespan(role="client"))


@job(timeout="1m", retries=3)
async def send_receipt(ctx: Ctx, order_id: int, to: str) -> str:
    """Runs in a worker. The web process only asks for it."""
    ctx.log.info("sending", order=order_id)
    await ctx.sleep_async(0.1)  # stands for talking to a mail server
    return f"receipt of order {order_id} sent to {to}"


@app.post("/orders/{order_id}/receipt", status_code=202)
async def ask_for_receipt(order_id: Annotated[int, Path(ge=1)], to: str) -> dict[str, str]:
    """The same order asked for twice is one run: the key says so."""
    try:
        run = await send_receipt.options(key=f"receipt-{order_id}").trigger_async(order_id=order_id, to=to)
    except FoliotError as error:
        raise HTTPException(503, str(error)) from error
    return {"run": run.id, "state": run.state}


@app.get("/receipts/{run_id}")
async def look_at_receipt(run_id: str) -> dict[str, str | None]:
    """How far it is."""
    async with AsyncFoliot() as client:
        run = await client.runs.get(run_id)
    return {"run": run.id, "state": run.state, "error": run.error}
