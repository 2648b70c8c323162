"""Triggers that a full job refuses: the answer says so, and the journal has one line a job and minute."""

from typing import Final

from foliot.domain.access import Principal
from foliot.domain.instants import MINUTE, to_instant
from foliot.domain.queue_limits import QueueFull
from foliot.operations.notes import note_job
from foliot.operations.services import Services
from foliot.ports.store.runs import Triggered, TriggerRequest

KIND: Final = "job.queue_full"


async def queue(services: Services, who: Principal, request: TriggerRequest) -> Triggered:
    """Ask the store for the run. `QueueFull` goes on to whoever asked, after it was noted."""
    try:
        return await services.store.runs.trigger(request)
    except QueueFull as full:
        minute = to_instant(services.clock.now()) // MINUTE
        if services.refusals.is_first(request.namespace, request.job, minute):
            await note_job(services, who, KIND, request.namespace, request.job, key=str(minute), most=full.data["most"])
        raise
