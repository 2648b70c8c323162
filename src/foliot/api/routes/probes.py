"""Probes and metrics, for load balancers and Prometheus."""

import asyncio
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response

from foliot.api.auth.rights import Open
from foliot.api.replica_answers import ReplicaAnswers
from foliot.api.request_parts import READS, Reader
from foliot.api.route import FoliotRoute
from foliot.domain.access import Scope
from foliot.operations.services import Services
from foliot.ports.store.errors import StoreBusy, StoreUnavailable

router: Final = APIRouter(tags=["probes"], route_class=FoliotRoute)
STORE_WITHIN_S: Final = 2.0
GRADES_FRESH_S: Final = 5.0
TEXT: Final = {"content": {"text/plain": {"schema": {"type": "string"}}}}
REFUSED: Final[dict[int | str, dict[str, Any]]] = {status: READS[status] for status in (400, 422)}
NOT_READY: Final[dict[str, Any]] = {
    "description": "The store does not answer, or this server is stopping or drained.",
    **TEXT,
}
Nobody = Annotated[None, Depends(Open())]


class StoreLook:
    """Whether the store answers. Anybody may ask, as often as they like: those who ask together share one look."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._looking: asyncio.Task[bool] | None = None
        self._grades = ""
        self._graded_at = float("-inf")

    async def answers(self) -> bool:
        """By the look that is under way, or by a new one."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="readiness")
        return await asyncio.shield(self._looking)

    async def grades(self) -> str:
        """The level of each check at the leader's last checkup: read at most once in some seconds, whoever asks."""
        now = self._services.clock.monotonic()
        if now - self._graded_at > GRADES_FRESH_S:
            self._graded_at = now
            self._grades = await self._kept()
        return self._grades

    async def _kept(self) -> str:
        try:
            async with asyncio.timeout(STORE_WITHIN_S):
                kept = await self._services.store.checkup.kept()
        except (StoreBusy, StoreUnavailable, TimeoutError):
            return self._grades
        if kept is None:
            return ""
        return "".join(f"{steady.grade} {check}\n" for check, steady in kept.grades.items())

    async def _look(self) -> bool:
        try:
            async with asyncio.timeout(STORE_WITHIN_S):
                await self._services.store.lookups.now()
        except (StoreBusy, StoreUnavailable, TimeoutError):
            return False
        return True


@router.get("/healthz", response_class=PlainTextResponse, responses={200: TEXT}, summary="Is the process alive?")
async def healthz(nobody: Nobody) -> str:
    """Whether this process answers at all."""
    return "ok\n"


@router.get(
    "/readyz",
    response_class=PlainTextResponse,
    responses={**REFUSED, 200: TEXT, 503: NOT_READY},
    summary="Should it get traffic?",
)
async def readyz(nobody: Nobody, request: Request, detail: bool = False, reads: bool = False) -> Response:
    """Whether this server reaches the store, is not stopping and was not drained.

    With `reads`, a replica that can answer will do. With `detail`, the levels of the leader's last checkup stand below;
    they never change the status of the answer.
    """
    if why := request.app.state.wants_no_traffic():
        return PlainTextResponse(f"{why}\n", 503)
    look: StoreLook = request.app.state.store_look
    if not await look.answers():
        return await _without_store(request, reads=reads)
    return PlainTextResponse("ready\n" + (await look.grades() if detail else ""))


async def _without_store(request: Request, *, reads: bool) -> Response:
    away = "the store does not answer"
    replica: ReplicaAnswers | None = request.app.state.replica
    if replica is None:
        return PlainTextResponse(f"{away}\n", 503)
    await replica.reads.look()
    age_s = replica.reads.age_s
    if age_s is None:
        return PlainTextResponse(f"{away}, and its replica cannot\n", 503)
    return PlainTextResponse(f"{away}; a replica answers reads, at most {age_s} s old\n", 200 if reads else 503)


@router.get("/metrics", response_class=PlainTextResponse, responses={**READS, 200: TEXT}, summary="Metrics")
async def metrics(who: Reader, request: Request) -> Response:
    """Figures of this server in Prometheus' text form, or in that of OpenMetrics when `Accept` prefers it."""
    who.demand_everywhere(Scope.READ)
    render = request.app.state.render_metrics
    # In a thread: thousands of lines must not keep fires and leases waiting.
    body, content_type = await asyncio.to_thread(render, request.headers.get("accept", ""))
    return Response(body, headers={"Content-Type": content_type, "Vary": "Accept"})
