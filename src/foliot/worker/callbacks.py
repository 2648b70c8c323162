"""Callbacks: a worker asks its server for an address where another system can end a run that waits."""

import asyncio
from typing import Final

from foliot.ports.worker_link import CallbackAddress, CallbackAsked
from foliot.sdk.waits import CallbackNotGiven
from foliot.worker.attempt import Attempt
from foliot.worker.server_calls import GrowingRest, NoAnswer, NotTaken, answer_of
from foliot.worker.session import Session
from foliot.worker.surroundings import Surroundings

TRIES_MAX: Final = 3


async def ask_for_callback(around: Surroundings, session: Session | None, attempt: Attempt) -> CallbackAddress:
    """The address and its token; `CallbackNotGiven` when no server gives one. Asked again, the first one is void."""
    run, clock = attempt.run, around.clock
    if session is None:
        raise CallbackNotGiven("the worker has no session")
    asked = CallbackAsked(session=session.id, run_id=run.run_id, lease_id=run.lease_id)
    rest = GrowingRest(around.chance, first_s=0.2, most_s=2.0)
    why = ""
    for _ in range(TRIES_MAX):
        try:
            asking = around.link.open_callback(asked)
            return await answer_of(asking, clock=clock, within_s=around.call_within_s, name="callback")
        except NotTaken as error:
            raise CallbackNotGiven(str(error.__cause__ or error)) from error
        except NoAnswer as error:
            why = str(error.__cause__ or error)
        await clock.wait(asyncio.Event(), for_s=rest.next_s())
    raise CallbackNotGiven(why)
