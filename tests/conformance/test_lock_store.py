"""Locks of the store: one holder by token order, a fair line, an end with the time, the run or the session (R21)."""

import asyncio
from collections import defaultdict
from itertools import pairwise
from typing import Any

from foliot.domain.deadlocks import find_deadlocks
from foliot.domain.failover import Detected, FailoverOutcome, FailoverType
from foliot.domain.instants import DAY, SECOND
from foliot.domain.locks import EVERYBODY
from foliot.domain.run import format_run_id
from foliot.domain.verdict import judge
from foliot.ports.store import Store
from foliot.ports.store.failovers import FailoverFilter
from foliot.ports.store.locks import WANTED_US, LockAnswer, LockAsk, LockState, RunOwner
from foliot.ports.store.nodes import SESSION_TTL_US
from foliot.ports.worker_link import LeasedRun
from tests.conformance.building import save
from tests.conformance.locking import acquire, release
from tests.conformance.working import Worker, lead, trigger, worker
from tests.conformance.world import CHANCE, World

TTL = 60 * SECOND
HELD, WAITING, TAKEN = LockState.HELD, LockState.WAITING, LockState.TAKEN


def claim(
    name: str = "till", *, most: int = 1, claim_id: str | None = None, line: str = "anne", **other: Any
) -> LockAsk:
    return LockAsk(
        claim=claim_id or CHANCE.token(),
        namespace="default",
        name=name,
        most=most,
        ttl_us=TTL,
        line="" if other.get("run") else line,
        by=line,
        **other,
    )


async def ask(world: World, asked: LockAsk, store: Store | None = None) -> LockAnswer:
    return await acquire((store or world.store).locks, asked)


async def state(world: World, asked: LockAsk) -> LockState:
    found = await world.store.locks.look([asked.claim])
    return found[asked.claim].state if asked.claim in found else LockState.OVER


async def of_runs(world: World, n: int = 1) -> tuple[Worker, list[LeasedRun]]:
    """A worker with some running runs."""
    await save(world, "tick")
    await trigger(world, n=n)
    by = await worker(world)
    return by, list(await by.lease(n))


def by_run(by: Worker, run: LeasedRun, name: str = "till", **other: Any) -> LockAsk:
    return claim(name, run=RunOwner(session=by.session, run_id=run.run_id, lease_id=run.lease_id), **other)


async def test_one_holds_the_others_wait_in_their_order_and_tokens_rise(world: World) -> None:
    asks = [claim() for _ in range(4)]
    answers = [await ask(world, one) for one in asks]
    assert [answer.state for answer in answers] == [HELD, WAITING, WAITING, WAITING]
    tokens = [answers[0].token or 0]
    for before, after in pairwise(asks):
        assert await release(world.store.locks, [before.claim], line="anne") == [after.claim]
        tokens.append((await world.store.locks.look([after.claim]))[after.claim].token or 0)
    assert tokens == sorted(set(tokens))
    assert await release(world.store.locks, [asks[-1].claim], line="anne") == []
    assert ((await ask(world, claim())).token or 0) > tokens[-1]


async def test_a_question_sent_again_finds_the_same_claim_and_a_try_leaves_nothing(world: World) -> None:
    first, second = claim(), claim()
    one = await ask(world, first)
    assert (await ask(world, first)).token == one.token
    assert [(await ask(world, second)).state for _ in range(2)] == [WAITING, WAITING]
    assert (await ask(world, claim(waits=False))).state is TAKEN
    shown = await world.store.locks.find("default", "till")
    assert shown is not None
    assert ([row.id for row in shown.holders], [row.id for row in shown.waiters]) == ([first.claim], [second.claim])


async def test_a_renewal_or_release_by_another_or_too_late_changes_nothing(world: World) -> None:
    held = claim()
    await ask(world, held)
    assert await world.store.locks.renew([held.claim], line="bob") == [held.claim]
    assert await release(world.store.locks, [held.claim], line="bob") == []
    assert (await ask(world, claim(claim_id=held.claim, line="bob"))).state is LockState.OVER
    await world.elapse(TTL - SECOND)
    assert await world.store.locks.renew([held.claim], line="anne") == []
    await world.elapse(TTL - SECOND)
    assert await world.store.locks.renew([held.claim], line="anne") == []
    waits = claim()
    assert (await ask(world, waits)).state is WAITING
    await world.elapse(TTL + SECOND)
    assert await world.store.locks.renew([held.claim], line="anne") == [held.claim], "it is too old to be renewed"
    next_one = claim()
    answer = await ask(world, next_one)
    assert answer.state is HELD, "the holder's time is over, and the one that waited did not ask again"
    assert await release(world.store.locks, [held.claim], line="anne") == []
    assert await state(world, next_one) is HELD


async def test_a_claim_that_is_not_asked_for_again_leaves_the_line(world: World) -> None:
    held, left, patient = claim(), claim(), claim()
    for one in (held, left, patient):
        await ask(world, one)
    await world.elapse(WANTED_US - SECOND)
    await ask(world, patient)
    await world.elapse(2 * SECOND)
    swept = await world.store.locks.sweep(limit=100)
    assert (swept.dropped, await state(world, left)) == (1, LockState.OVER)
    assert await release(world.store.locks, [held.claim], line="anne") == [patient.claim]


async def test_shared_and_counted_locks(world: World) -> None:
    readers = [claim(most=EVERYBODY) for _ in range(3)]
    assert {(await ask(world, one)).state for one in readers} == {HELD}
    writer = claim()
    assert (await ask(world, writer)).state is WAITING
    assert (await ask(world, claim(most=EVERYBODY))).state is WAITING, "no reader overtakes the writer"
    assert await release(world.store.locks, [one.claim for one in readers], line="anne") == [writer.claim]
    seats = [claim("seats", most=2) for _ in range(3)]
    assert [(await ask(world, one)).state for one in seats] == [HELD, HELD, WAITING]


async def test_a_run_gets_its_lock_again_and_holds_it_until_it_has_given_back_each(world: World) -> None:
    by, (run,) = await of_runs(world)
    first, again = by_run(by, run), by_run(by, run)
    tokens = {(await ask(world, one)).token for one in (first, again)}
    assert len(tokens) == 1
    other = claim()
    assert (await ask(world, other)).state is WAITING
    assert await release(world.store.locks, [first.claim], session=by.session) == []
    assert await release(world.store.locks, [again.claim], session=by.session) == [other.claim]


async def test_the_end_of_a_run_gives_its_locks_back_and_the_run_gets_no_more(world: World) -> None:
    by, (run, other) = await of_runs(world, 2)
    held, waits = by_run(by, run), by_run(by, other)
    await ask(world, held)
    await ask(world, waits)
    await by.complete(run)
    swept = await world.store.locks.sweep(limit=100)
    assert (swept.dropped, list(swept.woken)) == (1, [waits.claim])
    assert (await ask(world, by_run(by, run))).state is LockState.OVER
    wrong = claim(run=RunOwner(session="other", run_id=other.run_id, lease_id=other.lease_id))
    assert (await ask(world, wrong)).state is LockState.OVER


async def test_the_locks_of_a_dead_session_go_in_one_round(world: World) -> None:
    by, runs = await of_runs(world, 5)
    claims = [by_run(by, run, f"lock-{n}") for n, run in enumerate(runs)]
    for one in claims:
        await ask(world, one)
    next_one = claim("lock-3")
    await ask(world, next_one)
    assert await world.store.locks.renew([one.claim for one in claims], session=by.session) == []
    await world.elapse(SESSION_TTL_US + 3 * SECOND)
    term = await lead(world)
    await world.store.runs.reap(judge, limit=100, term=term)
    swept = await world.store.locks.sweep(limit=100, term=term)
    assert (swept.dropped, list(swept.woken)) == (5, [next_one.claim])
    assert [lock.name for lock in await world.store.locks.list(namespace=None, after=("", ""), limit=9)] == ["lock-3"]


async def test_a_hold_taken_away_by_its_token_and_an_old_token_that_does_nothing(world: World) -> None:
    held, waits = claim(), claim()
    token = (await ask(world, held)).token
    await ask(world, waits)
    assert token is not None
    assert await world.store.locks.take_away("default", "till", token=token - 1) == (0, [])
    assert await world.store.locks.take_away("default", "till", token=token) == (1, [waits.claim])
    assert await world.store.locks.renew([held.claim], line="anne") == [held.claim]


async def test_a_deadlock_is_found_and_its_youngest_wait_is_ended_with_the_cycle_in_words(world: World) -> None:
    by, (one, two) = await of_runs(world, 2)
    held = [by_run(by, one, "a"), by_run(by, two, "b")]
    waits = [by_run(by, one, "b"), by_run(by, two, "a")]
    states = [(await ask(world, asked)).state for asked in (*held, *waits)]
    assert states == [HELD, HELD, WAITING, WAITING]
    assert (await world.store.locks.sweep(limit=100)).waiting == 2
    seen = await world.store.locks.waits()
    (deadlock,) = find_deadlocks(seen.claims)
    assert deadlock.victim.id == waits[1].claim
    failed = Detected(
        key=f"deadlock:{deadlock.victim.id}",
        type=FailoverType.LOCK_DEADLOCK,
        subject="a",
        namespace="default",
        began_at=deadlock.victim.asked_at,
        evidence={"cycle": "a waits for b"},
    )
    failures = {deadlock.victim.id: failed}
    broken = await world.store.locks.break_waits([(deadlock, "a waits for b")], failures=failures)
    assert broken == ([waits[1].claim], [])
    assert await world.store.locks.break_waits([(deadlock, "again")], failures=failures) == ([], [])
    (noted,) = (await world.store.failovers.list(FailoverFilter(), limit=10)).items
    assert (noted.type, noted.subject, noted.evidence) == (FailoverType.LOCK_DEADLOCK, "a", {"cycle": "a waits for b"})
    assert (noted.outcome, noted.began_at) == (FailoverOutcome.RECOVERED, deadlock.victim.asked_at)
    answer = await ask(world, waits[1])
    assert (answer.state, answer.cycle) == (LockState.BROKEN, "a waits for b")
    assert await release(world.store.locks, [held[1].claim, waits[1].claim], session=by.session) == [waits[0].claim]
    assert find_deadlocks((await world.store.locks.waits()).claims) == []


async def test_a_lock_that_was_forgotten_and_comes_again_has_higher_tokens(world: World) -> None:
    busy, idle = claim("busy"), claim("idle")
    await ask(world, busy)
    token = (await ask(world, idle)).token
    await release(world.store.locks, [idle.claim], line="anne")
    await world.elapse(DAY)
    assert await world.store.locks.forget(before=await world.now() - SECOND, limit=10) == 1
    again = await ask(world, claim("idle"))
    assert (again.token or 0) > (token or 0)
    assert await world.store.locks.forget(before=await world.now() - SECOND, limit=10) == 0


async def crowd(world: World, *, times: int) -> None:
    """Twenty clients on two servers. The fenced resource takes no token that is not above all before it (I9, I21)."""
    stores = [world.store, await world.open()]
    woken: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
    accepted: list[int] = []
    holders = 0

    async def client(number: int) -> None:
        nonlocal holders
        store, line = stores[number % 2], f"client-{number}"
        for _ in range(times):
            asked = claim(line=line)
            answer = await ask(world, asked, store)
            if answer.state is WAITING:
                await woken[asked.claim].wait()
                answer = (await store.locks.look([asked.claim]))[asked.claim]
            holders += 1
            assert (holders, answer.state) == (1, HELD)
            accepted.append(answer.token or 0)
            holders -= 1
            for next_one in await release(store.locks, [asked.claim], line=line):
                woken[next_one].set()

    await asyncio.gather(*(client(number) for number in range(20)))
    assert len(accepted) == 20 * times
    assert accepted == sorted(set(accepted))


async def test_twenty_clients_on_two_servers_never_hold_one_lock_together(world: World) -> None:
    await crowd(world, times=5)


async def test_what_a_run_waits_for_and_in_which_order_owners_take_locks(world: World) -> None:
    by, (one, two, three) = await of_runs(world, 3)
    for run, name in ((one, "a"), (two, "b"), (three, "b"), (one, "b"), (two, "a")):
        await ask(world, by_run(by, run, name))
    assert [lock.name for lock in await world.store.locks.awaited_by(one.run_id)] == ["b"]
    (line,) = await world.store.locks.awaited_by(three.run_id)
    assert [claim.run_id for claim in (*line.holders, *line.waiters)] == [two.run_id, three.run_id, one.run_id]
    first, second = (f"{format_run_id(run.run_id)} (tick)" for run in (one, two))
    assert list(await world.store.locks.orders("default", "a")) == [(first, "a", "b"), (second, "b", "a")]
    assert await world.store.locks.orders("default", "c") == []
