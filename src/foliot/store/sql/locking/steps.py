"""Steps of several callers in one transaction: claims that are asked for, and claims that are given back.

The store takes every lock that the steps are about, draws a number for each step, and reads the claims. Then each lock
is decided in memory, step by step, as if the callers had come one after the other; and what came of it is written, a
statement for each kind of change.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.instants import Instant
from foliot.domain.locks import (
    ASKER_CLAIMS_MAX,
    CLAIMS_MAX,
    WAITERS_MAX,
    LockClaim,
    LockDecision,
    LockGrant,
    LockLine,
)
from foliot.ports.store.locks import WANTED_US, LockAnswer, LockAsk, LockLeave, LockRound, LockState, LockStep
from foliot.store.sql.kernel.database import TryAgain, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys
from foliot.store.sql.locking.decisions import DRAWN, DROP, MAKE, Drawn, claim_of, drawn_of, write

HOMES: Final = Statement(
    """
    SELECT d.lease_id, j.namespace FROM {d} JOIN runs r ON r.id = d.run_id JOIN jobs j ON j.id = r.job_id
    WHERE r.lease_id = d.lease_id AND r.session_id = d.session
    """,
    RowSet("d", run_id=BIGINT, lease_id=TEXT, session=TEXT),
)
"""A run has locks in the namespace of its job alone, whatever its worker says; no row when the attempt is over."""

WHERE: Final = Statement(
    """
    SELECT c.id, l.namespace, l.name FROM {d} JOIN lock_claims c ON c.id = d.id JOIN locks l ON l.id = c.lock_id
    """,
    RowSet("d", id=TEXT),
)

_NAMED: Final = "{d} JOIN locks l ON l.namespace = d.namespace AND l.name = d.name"

FIND: Final = Statement(f"SELECT l.namespace, l.name FROM {_NAMED}", RowSet("d", namespace=TEXT, name=TEXT))
TAKE: Final = Statement(
    """
    SELECT l.namespace, l.name FROM locks l
    WHERE (l.namespace, l.name) IN (SELECT d.namespace, d.name FROM {d}) ORDER BY l.id {for_update}
    """,
    RowSet("d", namespace=TEXT, name=TEXT),
)
TAKE_FREE: Final = Statement(
    """
    SELECT l.namespace, l.name FROM locks l
    WHERE (l.namespace, l.name) IN (SELECT d.namespace, d.name FROM {d}) ORDER BY l.id {skip_locked}
    """,
    RowSet("d", namespace=TEXT, name=TEXT),
)
DRAW_NAMED: Final = Statement(
    """
    UPDATE locks SET token = locks.token + d.numbers, used_at = {now}
    FROM {d} WHERE locks.namespace = d.namespace AND locks.name = d.name
    """,
    RowSet("d", namespace=TEXT, name=TEXT, numbers=BIGINT),
)

_NO_CLAIM: Final = ", ".join(["NULL"] * 16)

CLAIMS_NAMED: Final = Statement(
    f"""
    SELECT 0 AS asked_for, l.namespace, l.name, {DRAWN} FROM {_NAMED} LEFT JOIN lock_claims c ON c.lock_id = l.id
    UNION ALL
    SELECT count(*), '', x.line, {_NO_CLAIM} FROM lock_claims x
    WHERE x.session_id IS NULL AND x.line IN (SELECT p.line FROM {{p}}) GROUP BY x.line
    UNION ALL
    SELECT count(*), y.session_id, '', {_NO_CLAIM} FROM lock_claims y
    WHERE y.session_id IN (SELECT w.session FROM {{w}}) GROUP BY y.session_id
    """,
    RowSet("d", namespace=TEXT, name=TEXT),
    RowSet("p", line=TEXT),
    RowSet("w", session=TEXT),
)
"""What the decisions read: each lock with its claims; and for each program and worker that asks, how many it has."""

CLAIM: Final = Statement(
    """
    {insert_ignore} lock_claims (id, lock_id, place, most, owner, until, token, ttl_us, asked_at, granted_at,
                                 session_id, run_id, lease_id, line, made_by)
    SELECT d.id, d.lock_id, d.place, d.most, d.owner, d.until, d.token, d.ttl_us, d.asked_at, d.granted_at,
           d.session_id, d.run_id, d.lease_id, d.line, d.made_by
    FROM {d} WHERE true {ignore_duplicates}
    """,
    RowSet("d", id=TEXT, lock_id=BIGINT, place=BIGINT, most=BIGINT, owner=TEXT, until=BIGINT, token=BIGINT,
           ttl_us=BIGINT, asked_at=BIGINT, granted_at=BIGINT, session_id=TEXT, run_id=BIGINT, lease_id=TEXT,
           line=TEXT, made_by=TEXT),
)  # fmt: skip

UNTIL: Final = Statement(
    """
    UPDATE lock_claims
    SET until = CASE WHEN lock_claims.until > d.wanted_until THEN lock_claims.until ELSE d.wanted_until END,
        ttl_us = CASE WHEN lock_claims.ttl_us > d.wanted_ttl_us THEN lock_claims.ttl_us ELSE d.wanted_ttl_us END
    FROM {d} WHERE lock_claims.id = d.id AND lock_claims.until > :over
    """,
    RowSet("d", id=TEXT, wanted_until=BIGINT, wanted_ttl_us=BIGINT),
)
"""A question that is sent again never shortens what an answer has promised."""

Home = tuple[str, str]
"""Namespace and name of a lock."""

OVER: Final = LockAnswer(state=LockState.OVER)
GIVEN_BACK: Final = OVER


class NotTogether(Exception):
    """Nothing happened: one of the claims is one of another lock, so each step is to be carried out by itself."""


class Asker(NamedTuple):
    """Whose claims are counted: a worker's session, or a token's line."""

    session: str
    line: str


def carry_out(tx: Tx, *, steps: Sequence[LockStep], patient: bool) -> LockRound:
    """Take, draw, read, decide, write."""
    homes = _homes(tx, steps)
    taken = _take(tx, steps, homes, patient=patient)
    locks = _draw(tx, steps, homes, taken)
    for step, of_step in zip(steps, homes, strict=True):
        for home in of_step & locks.keys():
            locks[home].carry_out(step)
    _write(tx, [*locks.values()])
    answers = [_answer(step, of_step, locks, taken) for step, of_step in zip(steps, homes, strict=True)]
    return LockRound(answers=answers, granted=[grant for lock in locks.values() for grant in lock.granted_to_others()])


def _answer(step: LockStep, homes: set[Home], locks: Mapping[Home, "_Lock"], taken: "_Taken") -> LockAnswer | None:
    if homes & taken.busy:
        return None
    if isinstance(step, LockLeave):
        return GIVEN_BACK
    return next((locks[home].answer(step) for home in homes), OVER)


def _homes(tx: Tx, steps: Sequence[LockStep]) -> list[set[Home]]:
    """The locks that each step is about: one, none, or several when a worker gives claims back."""
    of_runs = _namespaces_of_runs(tx, steps)
    of_claims = _locks_of_claims(tx, steps)
    return [_homes_of(step, of_runs, of_claims) for step in steps]


def _homes_of(step: LockStep, of_runs: Mapping[str, str], of_claims: Mapping[str, Home]) -> set[Home]:
    if isinstance(step, LockAsk):
        namespace = step.namespace if step.run is None else of_runs.get(step.run.lease_id)
        return set() if namespace is None else {(namespace, step.name)}
    if step.lock is not None:
        return {step.lock}
    return {of_claims[claim] for claim in step.claims if claim in of_claims}


def _namespaces_of_runs(tx: Tx, steps: Sequence[LockStep]) -> Mapping[str, str]:
    """By lease."""
    runs = [step.run for step in steps if isinstance(step, LockAsk) and step.run is not None]
    return tx.pairs(HOMES, d=sorted({(run.run_id, run.lease_id, run.session) for run in runs}))


def _locks_of_claims(tx: Tx, steps: Sequence[LockStep]) -> Mapping[str, Home]:
    """By claim, for those who do not know of which lock theirs are."""
    leaves = [step for step in steps if isinstance(step, LockLeave) and step.lock is None]
    claims = sorted({claim for leave in leaves for claim in leave.claims})
    return {row.id: (row.namespace, row.name) for row in tx.found(WHERE, d=keys(claims))}


# ----------------------------------------------------------------------------------------------------- take and draw


class _Taken(NamedTuple):
    """Locks in whose rows nobody else writes until the commit."""

    homes: set[Home]
    busy: set[Home]  # another decides about them just now


def _take(tx: Tx, steps: Sequence[LockStep], homes: Sequence[set[Home]], *, patient: bool) -> _Taken:
    """Take the locks in the order of their ids, and make those that are asked for and not there."""
    wanted = set[Home]().union(*homes)
    if len(wanted) < 2:  # drawing takes it
        return _Taken(wanted, set())
    take = TAKE if patient else TAKE_FREE
    taken = _named(tx, take, wanted)
    if len(taken) == len(wanted):
        return _Taken(taken, set())
    busy = _named(tx, FIND, wanted - taken)
    asked_for = set[Home]().union(*(home for step, home in zip(steps, homes, strict=True) if isinstance(step, LockAsk)))
    missing = asked_for - taken - busy
    if missing:
        tx.change(MAKE, d=sorted(missing))
        made = _named(tx, take, missing)
        taken |= made
        busy |= missing - made
    if busy and patient:  # somebody made them since
        raise TryAgain("a lock was made meanwhile")
    return _Taken(taken, busy)


def _named(tx: Tx, statement: Statement, homes: set[Home]) -> set[Home]:
    return {(row.namespace, row.name) for row in tx.found(statement, d=sorted(homes))}


def _draw(tx: Tx, steps: Sequence[LockStep], homes: Sequence[set[Home]], taken: _Taken) -> dict[Home, "_Lock"]:
    """Draw a number for each step, and read the claims."""
    numbers = Counter(home for of_step in homes for home in of_step & taken.homes)
    rows = sorted((*home, number) for home, number in numbers.items())
    asks = [step for step in steps if isinstance(step, LockAsk)]
    if tx.change(DRAW_NAMED, d=rows) < len(rows) and asks and len(rows) == 1:
        tx.change(MAKE, d=sorted(taken.homes))
        tx.change(DRAW_NAMED, d=rows)
    tx.point("locks.drawn")
    askers = {_asker(ask) for ask in asks}
    programs = keys(sorted(asker.line for asker in askers if not asker.session))
    workers = keys(sorted(asker.session for asker in askers if asker.session))
    asked_for = Counter[Asker]()
    of_locks: dict[Home, list[Any]] = defaultdict(list)
    for row in tx.rows(CLAIMS_NAMED, d=sorted(taken.homes), p=programs, w=workers):
        if row.of_lock is None:
            asked_for[Asker(row.namespace, row.name)] = row.asked_for
        else:
            of_locks[row.namespace, row.name].append(row)
    return {home: _Lock(drawn_of(of_locks[home], numbers=numbers[home]), asked_for) for home in sorted(of_locks)}


# ------------------------------------------------------------------------------------------------------------ decide


class _Lock:
    """One lock, while steps are carried out on it in memory."""

    def __init__(self, drawn: Drawn, asked_for: Counter[Asker]) -> None:
        self.drawn = drawn
        self.line = LockLine(map(claim_of, drawn.claims), now=drawn.over, last_token=drawn.token - 1)
        self.new: dict[str, LockAsk] = {}  # claims without a row
        self.again: dict[str, LockAsk] = {}  # claims that were asked for again
        self.dropped: set[str] = set()
        self._rows = {row.id: row for row in drawn.claims}
        self._asked_for = asked_for  # by asker: how many claims it has, of every lock
        self._refused: dict[tuple[str, str, Asker], LockAnswer] = {}  # by claim and by whose it is said to be

    def carry_out(self, step: LockStep) -> None:
        if isinstance(step, LockLeave):
            self._leave(step)
        else:
            self._ask(step)

    def answer(self, ask: LockAsk) -> LockAnswer:
        """How far a claim is after all steps."""
        refused = self._refused.get(_said(ask))
        if refused is not None:
            return refused
        claim = self.line.claims.get(ask.claim)
        if claim is None:
            return OVER
        if claim.token is None:
            return LockAnswer(state=LockState.WAITING)
        return LockAnswer(state=LockState.HELD, token=claim.token, ttl_us=ask.ttl_us)

    def granted_to_others(self) -> list[LockGrant]:
        """Claims that nobody asked for in this round, and that hold the lock since."""
        grants = [LockGrant(claim, token) for claim, token in self.line.tokens.items()]
        return [one for one in grants if self._is_kept(one.claim) and one.claim not in self.again]

    def decision(self) -> LockDecision:
        """What is to be written to claims that have a row."""
        granted = [LockGrant(claim, token) for claim, token in self.line.tokens.items() if self._is_kept(claim)]
        return LockDecision(gone=self.line.gone, granted=granted, last_token=self.line.last_token)

    def _is_kept(self, claim: str) -> bool:
        return claim in self._rows and claim not in self.dropped

    def _ask(self, ask: LockAsk) -> None:
        refused = self._refusal(ask)
        if refused is not None:
            self._refused[_said(ask)] = LockAnswer(state=refused, cycle=self._cycle(ask.claim))
        elif ask.claim in self.line.claims:
            self.again[ask.claim] = ask
            self.line.settle_once()
        else:
            self._join(ask)

    def _join(self, ask: LockAsk) -> None:
        place = self.line.next_token
        until = self.drawn.now + WANTED_US
        claim = LockClaim(
            id=ask.claim, lock=self.drawn.lock, place=place, most=ask.most, owner=owner_of(ask), until=until
        )
        self.line.join(claim)
        if not ask.waits and ask.claim not in self.line.tokens:
            self.line.forget(ask.claim)
            self._refused[_said(ask)] = LockAnswer(state=LockState.TAKEN)
            return
        self.new[ask.claim] = ask
        self._refused.pop(_said(ask), None)
        self._asked_for[_asker(ask)] += 1

    def _refusal(self, ask: LockAsk) -> LockState | None:
        """Why a claim is not decided about: another's, a broken one, one whose time is over, or one too many."""
        whose = self._whose(ask.claim)
        if whose is None:
            if len(self.line.claims) >= CLAIMS_MAX or len(self.line.waiting) >= WAITERS_MAX:
                return LockState.FULL
            return LockState.MANY if self._asked_for[_asker(ask)] >= ASKER_CLAIMS_MAX else None
        if whose != (owner_of(ask), _asker(ask)):
            return LockState.OVER
        if self._cycle(ask.claim):
            return LockState.BROKEN
        return LockState.OVER if ask.claim not in self.line.claims else None

    def _whose(self, claim: str) -> tuple[str, Asker] | None:
        """The owner of a claim, and who asked for it; None: there is no such claim."""
        if claim in self.new:
            return owner_of(self.new[claim]), _asker(self.new[claim])
        if not self._is_kept(claim):
            return None
        row = self._rows[claim]
        return row.owner, Asker(row.session_id or "", row.line)

    def _cycle(self, claim: str) -> str:
        return self._rows[claim].broken or "" if self._is_kept(claim) else ""

    def _leave(self, leave: LockLeave) -> None:
        asker = Asker(leave.session or "", leave.line)
        own = {claim for claim in leave.claims if (whose := self._whose(claim)) is not None and whose[1] == asker}
        for claim in own:
            self._asked_for[asker] -= 1
            self.again.pop(claim, None)
            if self.new.pop(claim, None) is None and claim in self.line.claims:
                self.dropped.add(claim)
        self.line.leave(own)


def owner_of(ask: LockAsk) -> str:
    """The lease of a run's attempt, or the claim itself."""
    return ask.claim if ask.run is None else ask.run.lease_id


def _said(ask: LockAsk) -> tuple[str, str, Asker]:
    """A claim, and whose it is by the words of the caller."""
    return ask.claim, owner_of(ask), _asker(ask)


def _asker(ask: LockAsk) -> Asker:
    return Asker("" if ask.run is None else ask.run.session, ask.line)


# ------------------------------------------------------------------------------------------------------------- write


def _write(tx: Tx, locks: Sequence[_Lock]) -> None:
    dropped = [claim for lock in locks for claim in lock.dropped]
    if dropped:
        tx.change(DROP, d=keys(sorted(dropped)))
    new = [_row(ask, lock) for lock in locks for ask in lock.new.values()]
    if new and tx.change(CLAIM, d=new) != len(new):
        raise NotTogether
    write(tx, [(lock.drawn, lock.decision()) for lock in locks])
    for lock in locks:
        if lock.again:
            tx.change(UNTIL, {"over": lock.drawn.over}, d=[_wanted(ask, lock) for ask in lock.again.values()])


def _wanted(ask: LockAsk, lock: _Lock) -> tuple[str, Instant, int]:
    holds = lock.line.claims[ask.claim].token is not None
    return ask.claim, lock.drawn.now + (ask.ttl_us if holds else WANTED_US), ask.ttl_us


def _row(ask: LockAsk, lock: _Lock) -> tuple[Any, ...]:
    claim, run, now = lock.line.claims[ask.claim], ask.run, lock.drawn.now
    holds = claim.token is not None
    return (claim.id, claim.lock, claim.place, claim.most, claim.owner, now + ask.ttl_us if holds else claim.until,
            claim.token, ask.ttl_us, now, now if holds else None, None if run is None else run.session,
            None if run is None else run.run_id, None if run is None else run.lease_id, ask.line, ask.by)  # fmt: skip
