"""`/callbacks/{id}`: where a system that a run waits for says how the work ended. Its one-time token is its only right.

A token or signature that is wrong is answered like an address that never was, and counts as a wrong token of the sender
(SEC-32).
"""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Path, Request

from foliot.api.auth.authenticator import Authenticator, address_of
from foliot.api.auth.rights import Open
from foliot.api.auth.transport import demand_safe_way
from foliot.api.gate import GateKind
from foliot.api.models.callbacks import CallbackIn, CallbackOut
from foliot.api.request_parts import PREFIX, Services, problems
from foliot.api.route import FoliotRoute
from foliot.domain.callbacks import BODY_BYTES_MAX, CallbackNotFound, read_proof
from foliot.domain.run import format_run_id
from foliot.operations import callbacks as operations

router: Final = APIRouter(prefix=PREFIX, tags=["callbacks"], route_class=FoliotRoute)

Signature = Annotated[
    str,
    Header(
        alias="Foliot-Signature",
        max_length=200,
        description="Instead of the token: `t=SECONDS,v1=` and the HMAC-SHA256 of `SECONDS.BODY`, in hex. Its key is "
        "the SHA-256 of the token, in hex.",
    ),
]
Authorization = Annotated[
    str, Header(alias="Authorization", max_length=500, description="`Bearer ` and the callback's token.")
]


@router.post(
    "/callbacks/{callback}",
    responses=problems(write=True, more=(410,)),
    dependencies=[Depends(Open(counts_as=GateKind.CALLBACKS, bytes_max=BODY_BYTES_MAX))],
    summary="Say how the work of a waiting run ended",
)
async def call_back(
    request: Request,
    services: Services,
    callback: Annotated[str, Path(max_length=40)],
    body: CallbackIn,
    signature: Signature = "",
    authorization: Authorization = "",
) -> CallbackOut:
    """At any server. It ends the attempt that waits, by its lease: later ones are told that it is over."""
    authenticator: Authenticator = request.app.state.authenticator
    address = address_of(request)
    raw = await request.body()
    try:
        proof = read_proof(authorization=authorization, signature=signature)
        if proof.said_at is None:
            demand_safe_way(request)
        async with authenticator.strangers.turn(address):
            found = await operations.find_callback(services, callback, proof, raw)
    except CallbackNotFound:
        await authenticator.strangers.was_wrong(address)
        raise
    await operations.take_message(services, found, body.said(), proof)
    return CallbackOut(run=format_run_id(found.run_id), state=body.state)
