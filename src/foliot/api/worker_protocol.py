"""The worker protocol, `/api/worker/v1`: plain routes with msgspec, because every run passes through here.

Bodies are JSON of the structures in `ports.worker_link`. Each call may be repeated when its answer was lost.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any, Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from foliot.api.bodies import SMALL, read_body
from foliot.api.gate import Gate, Kind
from foliot.api.outlines import check_outline
from foliot.domain.access import Principal
from foliot.domain.errors import InvalidInput
from foliot.domain.visible import encodable
from foliot.operations.serving_workers import WorkerService
from foliot.operations.side_thread import in_side_thread
from foliot.ports.worker_link import BATCH_MAX, Beat, Hello, LeasePoll, Leaving, LogChunk, Report, SessionId

PREFIX: Final = "/api/worker/v1"
BODY_MAX: Final = 16 * 1024 * 1024
BATCH_BODY_MAX: Final = 8 * 1024 * 1024  # of reports and log chunks: a worker divides a batch that is too large
PARKED_S: Final = 0.5  # a poll answered later than this is asked again for its right: it may be gone (SEC-07)

T = TypeVar("T")
Authorise = Callable[[Request, str], Awaitable[Principal]]
"""Whose token the request carries; raises `Denied` unless it has this right."""


class Completion(msgspec.Struct, frozen=True):
    """A batch of reports of one session."""

    session: SessionId
    reports: Annotated[list[Report], msgspec.Meta(max_length=BATCH_MAX)]


class LogBatch(msgspec.Struct, frozen=True):
    """A batch of log chunks of one session."""

    session: SessionId
    chunks: Annotated[list[LogChunk], msgspec.Meta(max_length=BATCH_MAX)]


class BadWorkerMessage(InvalidInput):
    """A worker sent something that is not in the protocol."""

    code = "FOL-1040"


def worker_routes(service: WorkerService, authorise: Authorise) -> list[BaseRoute]:
    """The routes a worker calls; each needs the `worker` right."""

    def route(
        path: str,
        kind: type[T],
        act: Callable[[T, Principal], Coroutine[Any, Any, Any]],
        *,
        parks: bool = False,
        counts_as: Kind = Kind.WORKER_BODIES,
        is_batch: bool = False,
    ) -> Route:
        decoder = msgspec.json.Decoder(kind)
        encoder = msgspec.json.Encoder()

        async def endpoint(request: Request) -> Response:
            by = await authorise(request, "worker")
            body = await _body(request, by, counts_as, bytes_max=BATCH_BODY_MAX if is_batch else BODY_MAX)
            message = await _decoded(decoder, body, is_open=not is_batch)
            loop = asyncio.get_running_loop()
            began_at = loop.time()
            asked = act(message, by)
            answer = await (_unless_hung_up(request, asked) if parks else asked)
            if loop.time() - began_at > PARKED_S:
                await authorise(request, "worker")  # again: its token may have ended meanwhile
            return Response(_encoded(encoder, answer), media_type="application/json")

        return Route(f"{PREFIX}/{path}", endpoint, methods=["POST"], name=f"worker.{path}")

    async def complete(batch: Completion, by: Principal) -> Any:
        return await service.complete(batch.session, batch.reports, by=by)

    async def write_logs(batch: LogBatch, by: Principal) -> Any:
        return await service.write_logs(batch.session, batch.chunks, by=by)

    return [
        route("register", Hello, lambda hello, by: service.register(hello, by=by)),
        route("lease", LeasePoll, lambda poll, by: service.lease(poll, by=by), parks=True, counts_as=Kind.BEATS),
        route("heartbeat", Beat, lambda beat, by: service.beat(beat, by=by), counts_as=Kind.BEATS),
        route("complete", Completion, complete, is_batch=True),
        route("logs", LogBatch, write_logs, is_batch=True),
        route("leave", Leaving, lambda leaving, by: service.leave(leaving, by=by), counts_as=Kind.BEATS),
    ]


def _encoded(encoder: msgspec.json.Encoder, answer: Any) -> bytes:
    """The answer, whatever it quotes: what it tells of was done, and the worker must hear of it."""
    try:
        return encoder.encode(answer)
    except UnicodeEncodeError:  # half a character, of a document that the worker sent
        text = json.dumps(msgspec.to_builtins(answer), ensure_ascii=False)
        return encodable(text).encode()


async def _unless_hung_up(request: Request, asked: Coroutine[Any, Any, T]) -> T:
    """The answer; `ClientDisconnect` when whoever asked left meanwhile.

    The poll of a worker that was killed must not go on taking runs that nobody will start. What was leased in that very
    moment stays leased: the worker may be alive, have the same runs from the server it asked next, and have begun (R5).
    Its next beat says so, or its session ends.
    """
    answering = asyncio.create_task(asked)
    listening = asyncio.create_task(_hung_up(request))
    try:
        await asyncio.wait((answering, listening), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise ClientDisconnect
        return await answering
    finally:
        answering.cancel()
        listening.cancel()


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _body(request: Request, by: Principal, counts_as: Kind, *, bytes_max: int) -> bytes:
    """The whole message. Beats and polls have room of their own: they never wait for reports and logs (SEC-32)."""
    gate: Gate = request.app.state.gate

    def take(size: int) -> None:
        gate.take(request, counts_as, by.token_id, size)

    return await read_body(request, take=take, bytes_max=bytes_max, within_s=gate.body_within_s)


async def _decoded(decoder: msgspec.json.Decoder[T], body: bytes, *, is_open: bool) -> T:
    """The message. `is_open`: it may hold any number of anything, which is measured first."""
    try:
        if is_open and len(body) > SMALL:
            await in_side_thread(check_outline, body)  # both take a while: others come in between
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadWorkerMessage(
            f"The message is not in the worker protocol: {error}.", hint="worker and server versions may differ"
        ) from error
