"""`/cluster/doctor`: how the cluster is, check by check, and the repairs that are safe."""

from typing import Final

from fastapi import APIRouter

from foliot.api.models.checkup import CheckupOut, FixedOut, MaybeFixCluster
from foliot.api.request_parts import PREFIX, READS, WRITES, Admin, Reader, Services, Speaks
from foliot.api.route import FoliotRoute
from foliot.operations.checkup import check_up, fix

router: Final = APIRouter(prefix=PREFIX, tags=["cluster"], route_class=FoliotRoute)


@router.get("/cluster/doctor", responses=READS, summary="How the cluster is, check by check")
async def check_cluster(services: Services, who: Reader, language: Speaks) -> CheckupOut:
    """Looks at the database, the machines, the coordination service and the jobs now."""
    return CheckupOut.of(await check_up(services, who), language)


@router.post("/cluster/doctor:fix", responses=WRITES, summary="Do the repairs that are safe")
async def fix_cluster(services: Services, who: Admin, language: Speaks, body: MaybeFixCluster) -> FixedOut:
    """Each finds by itself what is wrong, if anything is; none of them can harm."""
    return FixedOut.of(await fix(services, who, reason=body.reason), language)
