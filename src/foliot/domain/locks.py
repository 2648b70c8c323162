"""Locks: who holds one, who waits for it, and who gets it next.

A *claim* is one request for a lock. It waits in the lock's line, then it holds the lock under a token. Each claim says
how many owners may hold the lock together with it, itself counted (`most`): 1 is an exclusive lock, n a semaphore of
n, `EVERYBODY` a shared lock. So one rule serves all three: no claim is granted while that would make more owners than
any of them allows.

The line is fair: claims are granted in the order in which they came, and no later claim overtakes the first that waits.
Two exceptions keep an owner from waiting for itself: who holds the lock gets it again at once under the same token,
and one who wants more of a lock that it holds goes before the others.

    Conflict
    ├── LockTaken         FOL-3040   another holds the lock, and the caller would not wait
    ├── LockWaitOver      FOL-3041   the lock was not free within the time to wait
    ├── LockDeadlock      FOL-3042   the owners of some locks waited for each other
    ├── LockLost          FOL-3043   the lock is not the caller's any more
    ├── LockQueueFull     FOL-3044   too many claims hold the lock or wait for it
    ├── LockNotGiven      FOL-3045   no server gave the run an answer
    └── TooManyLocks      FOL-3048   the caller has the most claims it can have
"""

import unicodedata
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from foliot.domain.errors import BadField, BadName, Conflict, InvalidInput, NotFound
from foliot.domain.instants import DAY, SECOND, Instant, Micros
from foliot.domain.texts import NAME_BYTES_MAX

EVERYBODY: Final = 2**31 - 1
"""`most` of a shared claim: any number of owners."""

SLOTS_MAX: Final = 1000
TTL_MIN: Final[Micros] = SECOND
TTL_MAX: Final[Micros] = DAY
TTL_USUAL: Final[Micros] = 60 * SECOND
WAITERS_MAX: Final = 1000  # of one lock
CLAIMS_MAX: Final = 2000
"""Claims of one lock, held and waiting: a decision reads them all while it keeps other decisions waiting."""

ASKER_CLAIMS_MAX: Final = 10_000
"""Claims, held and waiting, of all runs of one worker, or of all programs with one token."""

GUARD_SHARE: Final = 0.1
"""Of the ttl, by which a holder stops believing earlier: its clock and the store's may each run 5 % wrong (C3)."""

TOKEN_BITS: Final = 28
"""A token is at least the store's epoch · 2^28: tokens rise even after the store came from a backup (R21)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockClaim:
    """One request for a lock."""

    id: str
    lock: int
    place: int  # in the line; rises
    most: int
    owner: str  # the lease of a run's attempt, or the claim itself
    until: Instant  # a holder's time, or how long a waiting claim is believed to be wanted
    token: int | None = None  # None: it waits
    is_broken: bool = False  # its wait was ended, because it was part of a deadlock
    asked_at: Instant = 0

    @property
    def waits(self) -> bool:
        return self.token is None and not self.is_broken


class LockGrant(NamedTuple):
    """A claim that holds the lock from now on."""

    claim: str
    token: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LockDecision:
    """What becomes of the claims of one lock."""

    gone: Sequence[str]  # their time is over
    granted: Sequence[LockGrant]
    last_token: int  # the highest that was drawn


def decide(claims: Iterable[LockClaim], *, now: Instant, first_token: int) -> LockDecision:
    """Decide who holds one lock now. Pure: the same claims, the same decision.

    `first_token`: the next token to draw; the store drew it for this decision.
    """
    line = LockLine(claims, now=now, last_token=first_token - 1)
    granted = line.settle()
    return LockDecision(gone=line.gone, granted=granted, last_token=line.last_token)


class LockLine:
    """One lock: who holds it, who waits, and what some steps change, one after the other. Pure.

    Each step draws the next number of the lock. A claim that joins has it as its place, and the first that is granted
    in the step has it as its token.
    """

    def __init__(self, claims: Iterable[LockClaim], *, now: Instant, last_token: int) -> None:
        every = sorted(claims, key=_in_line)
        self.gone = [claim.id for claim in every if claim.until <= now]  # their time is over
        self.claims = {claim.id: claim for claim in every if claim.until > now}
        self.waiting = [claim for claim in self.claims.values() if claim.waits]
        self.tokens: dict[str, int] = {}  # of the claims that were granted here
        self.last_token = last_token  # the highest that was drawn
        self._holders = _Holders(self.claims.values())
        self._is_settled = False

    def join(self, claim: LockClaim) -> list[LockGrant]:
        """Let a claim stand at the end of the line, and grant what can be granted. Its place is `next_token`."""
        # Where others wait, nobody who holds nothing can be granted: so a crowd that comes together costs no sorting.
        only_waits = self._is_settled and len(self.waiting) > 0 and claim.owner not in self._holders
        self.claims[claim.id] = claim
        self.waiting.append(claim)
        if only_waits:
            self.last_token += 1
            return []
        return self.settle()

    def leave(self, claims: Container[str]) -> list[LockGrant]:
        """Take claims out of the lock and its line, and grant what can be granted."""
        self.claims = {name: claim for name, claim in self.claims.items() if name not in claims}
        self.waiting = [claim for claim in self.waiting if claim.id not in claims]
        self._holders = _Holders(self.claims.values())
        return self.settle()

    def forget(self, claim: str) -> None:
        """Take out a claim that joined last and would not wait."""
        del self.claims[claim]
        self.waiting = [one for one in self.waiting if one.id != claim]

    def settle_once(self) -> None:
        """Grant what can be granted, unless a step before did."""
        if not self._is_settled:
            self.settle()

    def settle(self) -> list[LockGrant]:
        """Grant what can be granted, in the order of the line."""
        granted: list[LockGrant] = []
        next_token = self.next_token
        for claim in self._holders.line(self.waiting):
            token = self._holders.token_for(claim)
            if token is None:
                if not self._holders.have_room_for(claim):
                    break  # fair: nobody overtakes the first that waits
                token, next_token = next_token, next_token + 1
            self._holders.add(claim, token)
            granted.append(LockGrant(claim.id, token))
        self.last_token = max(self.next_token, next_token - 1)
        self._is_settled = True
        self._grant(granted)
        return granted

    @property
    def next_token(self) -> int:
        return self.last_token + 1

    def _grant(self, granted: Sequence[LockGrant]) -> None:
        if not granted:
            return
        for name, token in granted:
            self.tokens[name] = token
            self.claims[name] = replace(self.claims[name], token=token)
        self.waiting = [claim for claim in self.waiting if claim.id not in self.tokens]


class _Hold(NamedTuple):
    token: int
    most: int


class _Holders:
    """The owners of one lock."""

    def __init__(self, claims: Iterable[LockClaim]) -> None:
        self._holds: dict[str, _Hold] = {}
        self._fewest = EVERYBODY  # of what all holds allow
        for claim in claims:
            if claim.token is not None:
                self.add(claim, claim.token)

    def add(self, claim: LockClaim, token: int) -> None:
        self._fewest = min(self._fewest, claim.most)
        known = self._holds.get(claim.owner)
        if known is None:
            self._holds[claim.owner] = _Hold(token, claim.most)
        else:
            self._holds[claim.owner] = _Hold(max(known.token, token), min(known.most, claim.most))

    def __contains__(self, owner: str) -> bool:
        return owner in self._holds

    def line(self, claims: Iterable[LockClaim]) -> list[LockClaim]:
        return line_order(claims, holders=self._holds)

    def token_for(self, claim: LockClaim) -> int | None:
        """The token of an owner that holds as much already; None: the claim needs one of its own."""
        held = self._holds.get(claim.owner)
        return held.token if held is not None and held.most <= claim.most else None

    def have_room_for(self, claim: LockClaim) -> bool:
        if claim.owner not in self._holds:
            return len(self._holds) < min(claim.most, self._fewest)
        others = [hold for owner, hold in self._holds.items() if owner != claim.owner]
        owners = len(others) + 1
        return owners <= claim.most and all(owners <= hold.most for hold in others)


def _in_line(claim: LockClaim) -> int:
    return claim.place


def line_order(claims: Iterable[LockClaim], *, holders: Container[str]) -> list[LockClaim]:
    """Waiting claims in the order in which they are looked at: those of owners that hold the lock come first."""
    waiting = [claim for claim in claims if claim.waits]
    return sorted(waiting, key=lambda claim: (claim.owner not in holders, claim.place))


# ------------------------------------------------------------------------------------------------ what users write


def check_lock_name(written: str) -> str:
    """The name of a lock in its one form: any printable text of one line without spaces around it or a slash."""
    name = unicodedata.normalize("NFC", written)
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise BadName("lock", written, "it holds half a character (a lone surrogate)") from None
    if not 0 < size <= NAME_BYTES_MAX:
        raise BadName("lock", written, f"it is empty or longer than {NAME_BYTES_MAX} bytes")
    for letter in name:
        if not letter.isprintable() or letter in " /":
            shown = f'"{letter}"' if letter.isprintable() else f"the invisible character U+{ord(letter):04X}"
            raise BadName("lock", written, f"{shown} is not allowed in it")
    return name


def most_of(*, shared: bool, slots: int) -> int:
    """With how many owners a claim shares the lock, as users say it."""
    if not 1 <= slots <= SLOTS_MAX:
        raise BadField("slots", f"{slots} is not a whole number from 1 to {SLOTS_MAX}")
    if shared and slots != 1:
        raise BadField("slots", "a shared lock has no slots", hint="leave out shared, or slots")
    return EVERYBODY if shared else slots


def check_ttl(ttl_us: Micros) -> Micros:
    """How long a lock is held without a renewal."""
    if not TTL_MIN <= ttl_us <= TTL_MAX:
        raise BadField("ttl", "it is not between one second and one day", hint="write 30s, 5m or 1h")
    return ttl_us


def mode_word(most: int) -> str:
    """The kind of a claim, as lists show it."""
    if most == 1:
        return "exclusive"
    return "shared" if most == EVERYBODY else f"1 of {most}"


# --------------------------------------------------------------------------------------------------------- errors


class LockBlocksLoop(InvalidInput):
    """`with ctx.lock` in an async handler would stop every other run of the worker."""

    code = "FOL-1165"

    def __init__(self, name: str) -> None:
        super().__init__(
            "with ctx.lock blocks, and this is an async function: every other run of the worker would wait.",
            hint=f"async with ctx.lock({name[:100]!r})",
        )


class ProgramLockBlocksLoop(InvalidInput):
    """`with locks.lock` in an event loop would stop everything else that the loop serves."""

    code = "FOL-1170"

    def __init__(self, name: str) -> None:
        super().__init__(
            "with locks.lock blocks, and this is an async function: everything else in its event loop would wait.",
            hint=f"async with locks.lock({name[:100]!r})",
        )


class LockHeldOtherwise(InvalidInput):
    """A program takes a lock again that the same thread or task holds in another way: it would wait for itself."""

    code = "FOL-1171"

    def __init__(self, name: str, *, held: str, wanted: str) -> None:
        super().__init__(
            f"This code holds the lock {name[:100]} already ({held}), so it cannot take it again as {wanted}: "
            "it would wait for itself.",
            name=name[:100],
            held=held,
            wanted=wanted,
        )


class NoLocksHere(InvalidInput):
    """A lock was asked for where no worker executes the run."""

    code = "FOL-1166"

    def __init__(self) -> None:
        super().__init__("This run has no worker that could ask for a lock.")


class LockNotFound(NotFound):
    """Nobody holds this lock, and nobody waits for it."""

    code = "FOL-2016"

    def __init__(self, name: str, *, namespace: str) -> None:
        super().__init__(
            f'Nobody holds the lock "{name[:100]}" of namespace "{namespace[:100]}", and nobody waits for it.',
            name=name[:100],
            namespace=namespace[:100],
        )


class LockTaken(Conflict):
    """Another holds the lock, and the caller would not wait."""

    code = "FOL-3040"

    def __init__(self, name: str) -> None:
        super().__init__(f"The lock {name[:100]} is taken.", name=name[:100])


class LockWaitOver(Conflict):
    """The lock was not free within the time to wait."""

    code = "FOL-3041"

    def __init__(self, name: str) -> None:
        super().__init__(f"The lock {name[:100]} was not free within the time to wait.", name=name[:100])


class LockDeadlock(Conflict):
    """The owners of some locks waited for each other, and this one waited shortest."""

    code = "FOL-3042"

    def __init__(self, name: str, cycle: str) -> None:
        super().__init__(
            f"Waiting for the lock {name[:100]} would never end: {cycle[:1000]}.",
            name=name[:100],
            cycle=cycle[:1000],
        )


class LockLost(Conflict):
    """The lock is not the caller's any more: its time passed, or somebody released it by force."""

    code = "FOL-3043"

    def __init__(self, name: str) -> None:
        super().__init__(f"The lock {name[:100]} is not held any more under this token.", name=name[:100])


class LockQueueFull(Conflict):
    """Too many claims hold the lock or wait for it."""

    code = "FOL-3044"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The lock {name[:100]} has the most claims it can have: {WAITERS_MAX} that wait, or {CLAIMS_MAX} in all.",
            name=name[:100],
            waiting=WAITERS_MAX,
            most=CLAIMS_MAX,
        )


class TooManyLocks(Conflict):
    """The programs of one token, or the runs of one worker, have the most claims they can have."""

    code = "FOL-3048"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The lock {name[:100]} was not claimed: one token, or one worker, has at most {ASKER_CLAIMS_MAX} claims "
            "on locks, and this one has them.",
            name=name[:100],
            most=ASKER_CLAIMS_MAX,
        )


class LockNotGiven(Conflict):
    """No server gave the run an answer to its claim."""

    code = "FOL-3045"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"No server gave the run the lock {name[:100]}: {why[:300].rstrip('.')}.",
            hint="the run can be tried again",
            name=name[:100],
            why=why[:300],
        )
