"""Callbacks: a worker asks for one, a system calls it, and the run ends by its lease, whichever server is called."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from foliot.domain.callbacks import (
    CallbackEndedOtherwise,
    CallbackNotFound,
    CallbackOver,
    CallbackReplayed,
    Proof,
    key_of,
)
from foliot.domain.handler import handler_from
from foliot.domain.redaction import redacted
from foliot.domain.run import format_run_id
from foliot.domain.texts import NOTE_MAX
from foliot.domain.verdict import Cause
from foliot.domain.visible import visible
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.operations.worker_reports import storable_reports
from foliot.ports.handler import KindWithCallbackResults
from foliot.ports.store.callbacks import Callback, CallbackLanding, NewCallback
from foliot.ports.store.journal import Happening, Topic
from foliot.ports.worker_link import CallbackAddress, CallbackAsked, Report

PATH: Final = "/api/v1/callbacks"
SUCCEEDED: Final = "SUCCEEDED"
FAILED: Final = "FAILED"
ERROR_TYPE: Final = "CallbackFailed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a message says: how the work ended, or how far it is."""

    state: str  # SUCCEEDED, FAILED, PROGRESS
    result: str | None = None  # JSON text
    error: str | None = None
    progress: Mapping[str, Any] | None = None


async def open_callback(services: Services, asked: CallbackAsked, *, public_url: str) -> CallbackAddress:
    """Make a callback for an attempt; `CallbackOver` when it is not the session's any more."""
    callback_id, token = services.chance.token(), services.chance.secret()
    new = NewCallback(
        id=callback_id, key_hash=key_of(token), session=asked.session, run_id=asked.run_id, lease_id=asked.lease_id
    )
    if not await services.store.callbacks.open(new):
        raise CallbackOver
    return CallbackAddress(url=f"{public_url.rstrip('/')}{PATH}/{callback_id}", token=token)


async def find_callback(services: Services, callback_id: str, proof: Proof, body: bytes) -> Callback:
    """The callback that a message is for; `CallbackNotFound` for an unknown one and for a wrong proof alike."""
    callback = await services.store.callbacks.find(callback_id)
    key = callback.key_hash if callback is not None else key_of("")
    is_proved = proof.is_by(key, body)  # also for an unknown one: both take the same time
    if callback is None or not is_proved:
        raise CallbackNotFound
    proof.check_time(callback.now)
    return callback


async def take_message(services: Services, callback: Callback, said: Said, proof: Proof) -> CallbackLanding:
    """Do what a proved message says; raise when it comes too late, contradicts an earlier one or is sent again."""
    store = services.store.callbacks
    if said.state not in (SUCCEEDED, FAILED):
        text = msgspec.json.encode(_shown(said.progress or {})).decode()
        return _landed(await store.progress(callback, text, said_at=proof.said_at))
    kept = said if await _keeps_result(services, callback, said) else replace(said, result=None)
    (report,) = storable_reports([_report(callback, kept)])
    assert report is not None
    landing = _landed(await store.end(callback, report, services.judge, end_hash=_hash_of(said)))
    if landing is CallbackLanding.RECORDED:
        services.runs_may_be_ready()
        services.runs_ended([report])
        await note(services, _happening(callback, said))
    return landing


async def _keeps_result(services: Services, callback: Callback, said: Said) -> bool:
    """Whether the job wants the result that the other system sent. The server knows no secrets and cannot hide them."""
    run = None if said.result is None else await services.store.lookups.run(callback.run_id)
    version = None if run is None else await services.store.lookups.version(run.job_id, run.version)
    if version is None:
        return True
    handler = handler_from(version.document.get("run"), "run")
    kind = services.kinds.find(handler.kind)
    if kind is None or not isinstance(kind, KindWithCallbackResults):
        return True
    return kind.keeps_callback_result(handler.options)


def _landed(landing: CallbackLanding) -> CallbackLanding:
    match landing:
        case CallbackLanding.OVER:
            raise CallbackOver
        case CallbackLanding.OTHERWISE:
            raise CallbackEndedOtherwise
        case CallbackLanding.REPLAYED:
            raise CallbackReplayed
    return landing


def _report(callback: Callback, said: Said) -> Report:
    """The end as the worker of the attempt would report it. The callback was asked for when the attempt began."""
    is_good = said.state == SUCCEEDED
    # What failed after somebody had asked it to stop has stopped.
    failure = Cause.CANCELLED if callback.is_cancelled else Cause.ERROR
    return Report(
        run_id=callback.run_id,
        lease_id=callback.lease_id,
        cause=Cause.SUCCEEDED if is_good else failure,
        result=said.result,
        error=None if is_good else _safe(said.error or "The system that the run waited for says that it failed."),
        error_type=None if is_good else ERROR_TYPE,
        started_us_ago=max(0, callback.now - callback.made_at),
        job=callback.job,
    )


def _shown(progress: Mapping[str, Any]) -> dict[str, Any]:
    return {**progress, "note": _safe(str(progress.get("note", "")))[:NOTE_MAX]}


def _safe(text: str) -> str:
    """A text of another system as people may read it. No worker sees it, and the server knows no secrets."""
    return redacted(visible(text))


def _hash_of(said: Said) -> str:
    written = msgspec.json.encode([said.state, said.result, said.error])
    return hashlib.sha256(written).hexdigest()


def _happening(callback: Callback, said: Said) -> Happening:
    return Happening(
        key=f"run.callback:{callback.id}",
        topic=Topic.RUNS,
        kind="run.ended_by_callback",
        subject=format_run_id(callback.run_id),
        namespace=callback.namespace,
        data={"job": callback.job, "state": said.state},
    )
