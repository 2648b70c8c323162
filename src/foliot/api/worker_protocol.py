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
from foliot.api.gate import Gate, GateKind
from foliot.api.outlines import taken_apart
from foliot.domain.access import Principal
from foliot.domain.errors import InvalidInput
from foliot.domain.visible import encodable
from foliot.operations.side_thread import in_side_thread
from foliot.operations.worker_reports import TooMuchInside
from foliot.operations.worker_service import WorkerService
from foliot.ports.worker_link import (
    BATCH_MAX,
    HELD_MAX,
    Beat,
    CallbackAsked,
    HeldLease,
    Hello,
    LeasePoll,
    Leaving,
    LockAsked,
    LocksLeft,
    LogChunk,
    Report,
    SessionId,
)

PREFIX: Final = "/api/worker/v1"
BODY_MAX: Final = 16 * 1024 * 1024
BATCH_BODY_MAX: Final = 8 * 1024 * 1024  # of reports and log chunks: a worker divides a batch that is too large
PARKED_S: Final = 0.5  # a poll that waited longer than this has its token judged again: it may be revoked (SEC-07)

_leases: Final = msgspec.json.Decoder(list[HeldLease])

T = TypeVar("T")
Act = Callable[[T, Principal], Coroutine[Any, Any, Any]]
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
    """Return the routes that a worker calls; each needs the `worker` right."""

    async def register(hello: Hello, by: Principal) -> Any:
        return await service.register(hello, by=by)

    async def lease(poll: LeasePoll, by: Principal) -> Any:
        return await service.lease(poll, by=by)

    async def beat(sent: Beat, by: Principal) -> Any:
        return await service.beat(sent, by=by)

    async def complete(batch: Completion, by: Principal) -> Any:
        return await service.complete(batch.session, batch.reports, by=by)

    async def write_logs(batch: LogBatch, by: Principal) -> Any:
        return await service.write_logs(batch.session, batch.chunks, by=by)

    async def open_callback(asked: CallbackAsked, by: Principal) -> Any:
        return await service.open_callback(asked, by=by)

    async def claim_lock(asked: LockAsked, by: Principal) -> Any:
        return await service.claim_lock(asked, by=by)

    async def leave_locks(left: LocksLeft, by: Principal) -> Any:
        return await service.leave_locks(left, by=by)

    async def leave(leaving: Leaving, by: Principal) -> Any:
        return await service.leave(leaving, by=by)

    return [
        _route("register", Hello, register, authorise),
        _route("lease", LeasePoll, lease, authorise, parks=True, counts_as=GateKind.BEATS),
        _route("heartbeat", Beat, beat, authorise, counts_as=GateKind.BEATS),
        _route("complete", Completion, complete, authorise, is_batch=True),
        _route("logs", LogBatch, write_logs, authorise, is_batch=True),
        _route("callbacks", CallbackAsked, open_callback, authorise),
        _route("locks", LockAsked, claim_lock, authorise, parks=True, counts_as=GateKind.BEATS),
        _route("locks/leave", LocksLeft, leave_locks, authorise, counts_as=GateKind.BEATS),
        _route("leave", Leaving, leave, authorise, counts_as=GateKind.BEATS),
    ]


def _route(
    path: str,
    message_type: type[T],
    act: Act[T],
    authorise: Authorise,
    *,
    parks: bool = False,
    counts_as: GateKind = GateKind.WORKER_BODIES,
    is_batch: bool = False,
) -> Route:
    """Return a route that decodes a message, acts on it and encodes the answer. `parks`: the answer may take long."""
    decoder = msgspec.json.Decoder(message_type)
    encoder = msgspec.json.Encoder()
    bytes_max = BATCH_BODY_MAX if is_batch else BODY_MAX

    async def endpoint(request: Request) -> Response:
        by = await authorise(request, "worker")
        body = await _body(request, by, counts_as, bytes_max=bytes_max)
        message = await _decoded(decoder, body, is_open=not is_batch)
        loop = asyncio.get_running_loop()
        began_at = loop.time()
        if parks:
            answer = await _unless_hung_up(request, act(message, by))
        else:
            answer = await act(message, by)
        if loop.time() - began_at > PARKED_S:
            await authorise(request, "worker")  # again: a user may have revoked the token meanwhile
        return Response(_encoded(encoder, answer), media_type="application/json")

    return Route(f"{PREFIX}/{path}", endpoint, methods=["POST"], name=f"worker.{path}")


def _encoded(encoder: msgspec.json.Encoder, answer: Any) -> bytes:
    """Return the answer as JSON, whatever text it quotes: the work is done, and the worker must get the answer."""
    try:
        return encoder.encode(answer)
    except UnicodeEncodeError:  # half a character, of a document that the worker sent
        text = json.dumps(msgspec.to_builtins(answer), ensure_ascii=False)
        return encodable(text).encode()


async def _unless_hung_up(request: Request, act: Coroutine[Any, Any, T]) -> T:
    """Return the answer; raise `ClientDisconnect` when the worker closed the connection meanwhile.

    The poll of a worker that was killed must not go on taking runs that no worker will start. Runs that were leased in
    that very moment stay leased: the worker may be alive, may have got the same runs from another server, and may have
    begun them (R5). Its next beat says so, or its session ends.
    """
    answering = asyncio.create_task(act)
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
    """Return when the worker closes the connection."""
    message = await request.receive()
    while message["type"] != "http.disconnect":
        message = await request.receive()


async def _body(request: Request, by: Principal, counts_as: GateKind, *, bytes_max: int) -> bytes:
    """Return the whole message. Beats and polls have their own room: they never wait for reports and logs (SEC-32)."""
    gate: Gate = request.app.state.gate

    def take(size: int) -> None:
        gate.take(request, counts_as, by.token_id, size)

    within_s = gate.body_within_s
    return await read_body(request, take=take, bytes_max=bytes_max, within_s=within_s)


async def _decoded(decoder: msgspec.json.Decoder[T], body: bytes, *, is_open: bool) -> T:
    """Return the message. `is_open`: its lists have no bound of their own, so its outline is measured first."""
    try:
        if not is_open or len(body) <= SMALL:
            return decoder.decode(body)
        # Measuring and decoding both take a while. In between, the loop serves other requests.
        body, leases = await in_side_thread(taken_apart, body)
        message = decoder.decode(body)
        return await _with_leases(message, leases) if leases else message
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadWorkerMessage(
            f"The message is not in the worker protocol: {error}.", hint="worker and server versions may differ"
        ) from error


async def _with_leases(message: Any, leases: list[bytes]) -> Any:
    """Return a message with its very many leases. The side thread decodes some of them at a time: other threads get
    their turn only between two calls of the decoder.
    """
    held: list[HeldLease] = []
    for part in leases:
        held += await in_side_thread(_leases.decode, part)
    if len(held) > HELD_MAX:
        raise TooMuchInside("held leases", str(HELD_MAX))
    return msgspec.structs.replace(message, held=tuple(held))
