"""Whether the store's own clock can be believed: what most servers and nodes say of it (R7)."""

from typing import Final, NamedTuple

from foliot.domain.clocks import Verdict, judged, median
from foliot.domain.instants import Micros
from foliot.store.sql.cluster import failures
from foliot.store.sql.kernel.database import Tx
from foliot.store.sql.kernel.statement import Statement

HEARD_MAX: Final = 999
"""Sessions whose wall clocks are looked at; ids are random, so the first so many are a fair sample."""

REPORT: Final = Statement(
    """
    UPDATE nodes SET clock_offset_us = :ahead, wall_offset_us = coalesce(:offset, wall_offset_us)
    WHERE id = :session AND state <> 'dead'
    """
)
OVERTAKEN: Final = Statement(
    """
    UPDATE nodes SET clock_offset_us = 0
    WHERE id = :session AND (SELECT m.clock_suspect FROM store_meta m WHERE m.id = 1) = 0
    """
)
LEADS: Final = Statement(
    """
    SELECT n.clock_offset_us FROM nodes n
    WHERE n.kind = 'server' AND n.state = 'live' AND n.clock_offset_us IS NOT NULL
    """
)
OFFSETS: Final = Statement(
    """
    SELECT n.wall_offset_us FROM nodes n WHERE n.state = 'live' AND n.wall_offset_us IS NOT NULL
    ORDER BY n.id LIMIT :limit
    """
)
KNOWN: Final = Statement("SELECT clock_suspect, clock_ahead_us, clock_trusted_us FROM store_meta WHERE id = 1")
SUSPECT: Final = Statement(
    """
    UPDATE store_meta SET clock_suspect = 1, last_good_time = {now} - :ahead, clock_ahead_us = :ahead
    WHERE id = 1 AND clock_suspect = 0
    """
)
AHEAD: Final = Statement("UPDATE store_meta SET clock_ahead_us = :ahead WHERE id = 1 AND clock_suspect = 1")
AGREED: Final = Statement(
    "UPDATE store_meta SET clock_suspect = 0, clock_ahead_us = NULL WHERE id = 1 AND clock_suspect = 1"
)
TRUST: Final = Statement("UPDATE store_meta SET clock_trusted_us = :offset WHERE id = 1")
NO_LEADS: Final = Statement("UPDATE nodes SET clock_offset_us = 0 WHERE kind = 'server' AND state <> 'dead'")


class Told(NamedTuple):
    """What a server says of clocks."""

    session: str
    ahead_us: Micros | None  # store time, of its own reckoning; None: it has none of its own
    offset_us: Micros | None  # its wall clock, of store time
    suspect: bool  # it goes by a clock that was flagged


def report(tx: Tx, told: Told) -> None:
    """Note a server's reckoning."""
    tx.change(REPORT, {"session": told.session, "ahead": told.ahead_us, "offset": told.offset_us})
    if told.suspect:
        tx.change(OVERTAKEN, {"session": told.session})


def looked_at(tx: Tx) -> bool | None:
    """Whether the clock is suspect; None: not what is written, so it has to be judged. It only saves a transaction."""
    is_suspect, ahead_us, verdict = _found(tx)
    return is_suspect if verdict is None or _is_written(verdict, is_suspect, ahead_us) else None


def judge(tx: Tx) -> bool:
    """Flag the clock when most doubt it, clear it when most no longer do; whether it is suspect.

    A transaction apart from the reports: the store's row comes before the sessions' in the order of locks (R3).
    """
    is_suspect, ahead_us, verdict = _found(tx)
    if verdict is None or _is_written(verdict, is_suspect, ahead_us):
        return is_suspect
    if not verdict.suspect:
        if tx.change(AGREED):
            failures.end_clock(tx, is_trusted=False)
    elif not is_suspect:
        if tx.change(SUSPECT, {"ahead": verdict.ahead_us}):
            failures.note_clock(tx, ahead_us=verdict.ahead_us)
    else:
        tx.change(AHEAD, {"ahead": verdict.ahead_us})
    return verdict.suspect


def _found(tx: Tx) -> tuple[bool, Micros | None, Verdict | None]:
    is_suspect, ahead_us, trusted_us = tx.rows(KNOWN)[0]
    leads = [int(row[0]) for row in tx.rows(LEADS)]
    return bool(is_suspect), ahead_us, judged(leads, _offsets(tx), trusted_us=trusted_us or 0)


def _is_written(verdict: Verdict, is_suspect: bool, ahead_us: Micros | None) -> bool:
    return verdict.suspect == is_suspect and (not is_suspect or verdict.ahead_us == ahead_us)


def trust(tx: Tx) -> bool:
    """A person says that the clock is right, however far it is from those of the nodes; whether it was suspect."""
    tx.change(TRUST, {"offset": median(_offsets(tx))})
    was_suspect = tx.change(AGREED) == 1
    tx.change(NO_LEADS)
    if was_suspect:
        failures.end_clock(tx, is_trusted=True)
    return was_suspect


def _offsets(tx: Tx) -> list[Micros]:
    return [int(row[0]) for row in tx.rows(OFFSETS, {"limit": HEARD_MAX})]
