"""Locks: claim one, wait for it, renew it, give it back; look at them; take one away by force.

A program outside of jobs has a token with the scope `lock`. Its claim lives by its ttl alone: the program renews it by
claiming it again. A run's claims are renewed by the beats of its worker, and end with the run.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from foliot.domain.access import Principal, Scope
from foliot.domain.errors import BadField
from foliot.domain.instants import SECOND, Micros
from foliot.domain.lock_order import OrderAdvice, advise
from foliot.domain.locks import (
    LockDeadlock,
    LockLost,
    LockNotFound,
    LockQueueFull,
    LockTaken,
    TooManyLocks,
    check_lock_name,
    check_ttl,
    most_of,
)
from foliot.domain.names import check_name
from foliot.domain.run import format_run_id
from foliot.domain.texts import SESSION_BYTES_MAX, actor_name, check_reason, is_key
from foliot.operations.cancel import demand_run
from foliot.operations.names import find_run, home_of, namespace_of
from foliot.operations.notes import note
from foliot.operations.services import Services
from foliot.ports.store.journal import EventFilter, Happening, Topic
from foliot.ports.store.locks import ClaimShown, LockAnswer, LockAsk, LockLeave, LockShown, LockState, RunOwner
from foliot.ports.worker_link import LockAnswered, LockAsked

DEADLOCKS_LOOKED_AT: Final = 200  # events of the journal among which deadlocks are looked for
WAIT_MAX: Final[Micros] = 20 * SECOND
"""How long a server holds one request. Who waits longer asks again with the same claim."""


async def claim_lock(
    services: Services,
    who: Principal,
    name: str,
    *,
    claim: str,
    namespace: str | None,
    ttl_us: Micros,
    wait_us: Micros,
    shared: bool = False,
    slots: int = 1,
    queues: bool = True,
) -> tuple[str, LockAnswer]:
    """Hold a lock or wait for it; a claim that holds it already is renewed. Return its namespace and how far it is.

    `queues` False: when the lock is taken, do not wait in line.
    """
    who.demand(Scope.LOCK)
    home = _own_namespace(who, namespace)
    if not is_key(claim, SESSION_BYTES_MAX) or not claim.isalnum():
        raise BadField("claim", f"it is not one to {SESSION_BYTES_MAX} letters and digits")
    ask = LockAsk(
        claim=claim,
        namespace=home,
        name=check_lock_name(name),
        most=most_of(shared=shared, slots=slots),
        ttl_us=check_ttl(ttl_us),
        waits=queues,
        line=who.line,
        by=actor_name(who.name),
    )
    return home, _good(name, await asked(services, ask, wait_us=wait_us))


async def renew_lock(
    services: Services, who: Principal, name: str, *, claim: str, namespace: str | None, token: int
) -> tuple[str, LockAnswer]:
    """Let a claim that holds its lock under this token hold it for another ttl; `LockLost`."""
    who.demand(Scope.LOCK)
    home = _own_namespace(who, namespace)
    claim = claim[:SESSION_BYTES_MAX]
    lost = await services.store.locks.renew([claim], line=who.line)
    answer = (await services.store.locks.look([claim])).get(claim)
    if lost or answer is None or answer.token != token:
        raise LockLost(check_lock_name(name))
    return home, answer


async def asked(services: Services, ask: LockAsk, *, wait_us: Micros) -> LockAnswer:
    """Ask the store, and wait for the answer to become better, at most this long."""
    answer = await services.lock_desk.carry_out(ask)
    if answer.state is LockState.WAITING and wait_us > 0:
        waited = await services.lock_desk.wait(ask.claim, for_s=min(wait_us, WAIT_MAX) / SECOND)
        answer = replace(waited, ttl_us=ask.ttl_us)
    if answer.state is LockState.BROKEN:
        await _drop(services, ask)
    return answer


async def _drop(services: Services, ask: LockAsk) -> None:
    """A broken claim was told of: it is of no more use."""
    session = None if ask.run is None else ask.run.session
    await services.lock_desk.carry_out(LockLeave(claims=(ask.claim,), session=session, line=ask.line))


def _good(name: str, answer: LockAnswer) -> LockAnswer:
    """The answer, unless it is one that ends the claim."""
    match answer.state:
        case LockState.TAKEN:
            raise LockTaken(name)
        case LockState.BROKEN:
            raise LockDeadlock(name, answer.cycle)
        case LockState.FULL:
            raise LockQueueFull(name)
        case LockState.MANY:
            raise TooManyLocks(name)
        case LockState.OVER:
            raise LockLost(name)
    return answer


async def give_back(services: Services, who: Principal, name: str, *, claim: str, namespace: str | None) -> None:
    """Give a claim back, held or waiting. A claim that is over already stays over."""
    who.demand(Scope.LOCK)
    home = _own_namespace(who, namespace)
    claims = (claim[:SESSION_BYTES_MAX],)
    await services.lock_desk.carry_out(LockLeave(claims=claims, line=who.line, lock=(home, check_lock_name(name))))


async def list_locks(
    services: Services, who: Principal, *, namespace: str | None, after: tuple[str, str], limit: int
) -> Sequence[LockShown]:
    """Locks that somebody holds or waits for, in the namespaces that the token sees."""
    who.demand(Scope.READ)
    asked_for = namespace_of(who, namespace)
    if asked_for is not None and not who.sees(asked_for):
        return []
    return await services.store.locks.list(namespace=asked_for, after=after, limit=limit)


async def find_lock(services: Services, who: Principal, name: str, *, namespace: str | None) -> LockShown:
    """One lock with those who hold it and wait for it; `LockNotFound`."""
    who.demand(Scope.READ)
    home = home_of(who, namespace)
    found = await services.store.locks.find(home, check_lock_name(name)) if who.sees(home) else None
    if found is None:
        raise LockNotFound(name, namespace=home)
    return found


async def order_advice(services: Services, who: Principal, lock: LockShown) -> OrderAdvice | None:
    """In which order to take a lock and others, by what waits now and by the deadlocks that the journal remembers."""
    who.demand(Scope.READ)
    taken = await services.store.locks.orders(lock.namespace, lock.name)
    wanted = EventFilter(topics=frozenset({Topic.CLUSTER}), namespace=lock.namespace)
    page = await services.store.journal.newest(wanted, limit=DEADLOCKS_LOOKED_AT)
    deadlocks = [event.data.get("locks", ()) for event in page.items if event.kind == "lock.deadlock"]
    return advise(lock.name, taken, deadlocks)


async def take_lock_away(
    services: Services, who: Principal, name: str, *, namespace: str | None, token: int, reason: str = ""
) -> LockShown:
    """End a hold by force, by the token it has. Its holder learns of it with the next renewal; return the lock before.

    Whoever may cancel the run that holds a lock may take the lock away.
    """
    who.demand(Scope.RUN)
    check_reason(reason)
    before = await find_lock(services, who, name, namespace=namespace)
    holder = next((one for one in before.holders if one.token == token), None)
    if holder is None:
        raise LockLost(name)
    await _demand_hold(services, who, holder)
    dropped, woken = await services.store.locks.take_away(before.namespace, before.name, token=token)
    services.lock_desk.granted(woken)
    if not dropped:
        raise LockLost(name)
    services.cancels_asked()  # its worker beats at once, and learns that the lock is lost
    await note(
        services,
        Happening(
            key=f"lock.taken_away:{before.namespace}:{before.name}:{token}",
            topic=Topic.CLUSTER,
            kind="lock.taken_away",
            subject=before.name,
            by=who.name,
            namespace=before.namespace,
            data={"token": str(token), "holder": holder_words(holder), **({"reason": reason} if reason else {})},
        ),
    )
    return before


async def _demand_hold(services: Services, who: Principal, holder: ClaimShown) -> None:
    """Raise unless the token may end this hold. A program has no group: its own token, or one for all groups, may."""
    if holder.run_id is not None:
        await demand_run(services, who, [await find_run(services, who, holder.run_id)])
    elif who.line != holder.line:
        who.demand_every_group(Scope.RUN)


def holder_words(holder: ClaimShown) -> str:
    """The owner of a claim, in one word or two."""
    if holder.run_id is None:
        return holder.by
    return f"{format_run_id(holder.run_id)} ({holder.job})" if holder.job else format_run_id(holder.run_id)


def _own_namespace(who: Principal, namespace: str | None) -> str:
    """Where a program's locks are, if its token is for that namespace."""
    home = check_name("namespace", home_of(who, namespace))
    if not who.sees(home):
        who.demand_everywhere(Scope.LOCK)
    return home


# ------------------------------------------------------------------------------------------------------- of a worker


async def claim_for_run(services: Services, message: LockAsked) -> LockAnswered:
    """A run claims a lock. It is held at least as long as a session lives without a beat: beats renew it."""
    ask = LockAsk(
        claim=message.claim,
        namespace="",  # the store knows it: that of the run's job
        name=check_lock_name(message.name),
        most=most_of(shared=message.shared, slots=message.slots),
        ttl_us=max(check_ttl(message.ttl_us), services.times.ttl_us),
        waits=message.queues,
        run=RunOwner(session=message.session, run_id=message.run_id, lease_id=message.lease_id),
    )
    answer = await asked(services, ask, wait_us=message.wait_us)
    return LockAnswered(state=str(answer.state), token=answer.token, cycle=answer.cycle, ttl_us=ask.ttl_us)


async def release_for_runs(services: Services, session: str, claims: Sequence[str]) -> None:
    """Runs of this session give claims back."""
    await services.lock_desk.carry_out(LockLeave(claims=claims, session=session))
