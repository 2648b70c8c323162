"""A job whose runs no live worker would take, and why: before one of them waits."""

from foliot.domain.errors import InvalidInput
from foliot.domain.why.facts import Hold
from foliot.domain.why.holds import hold_of_job
from foliot.operations.services import Services
from foliot.operations.trigger import lane_of_job
from foliot.ports.store.lookups import JobRow


async def unserved(services: Services, job: JobRow) -> Hold | None:
    """What would hold its runs; None: a worker takes them, or only a newer Foliot reads what the job executes.

    The live workers are known for some seconds, so that a page that shows such a job costs no look at all nodes.
    """
    try:
        lane = lane_of_job(job)
    except InvalidInput:
        return None
    if any(not worker.is_draining for worker in await services.offers.fitting(lane)):
        return None
    return hold_of_job(lane, [worker.facts() for worker in await services.offers.workers(job.namespace)])
