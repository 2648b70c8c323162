"""Whether the store's own clock can be believed: what most servers say of it (R7)."""

from typing import Final

from foliot.domain.instants import SECOND, Micros
from foliot.store.sql.database import Tx
from foliot.store.sql.statement import Statement

STEP_US: Final[Micros] = 5 * SECOND
SERVERS_MIN: Final = 3
"""With fewer there is no majority worth the name: an alarm in the log, and nothing more."""

REPORT: Final = Statement("UPDATE nodes SET clock_offset_us = :ahead WHERE id = :session AND state <> 'dead'")
REPORTED: Final = Statement(
    """
    SELECT n.clock_offset_us FROM nodes n
    WHERE n.kind = 'server' AND n.state = 'live' AND n.clock_offset_us IS NOT NULL
    """
)
SUSPECT: Final = Statement(
    "UPDATE store_meta SET clock_suspect = 1, last_good_time = {now} - :ahead WHERE id = 1 AND clock_suspect = 0"
)
TRUST: Final = Statement("UPDATE store_meta SET clock_suspect = 0 WHERE id = 1 AND clock_suspect = 1")
IS_SUSPECT: Final = Statement("SELECT clock_suspect FROM store_meta WHERE id = 1")


def report(tx: Tx, session: str, ahead_us: Micros) -> None:
    """A server's reckoning: store time is so far ahead of it."""
    tx.change(REPORT, {"session": session, "ahead": ahead_us})


def judge(tx: Tx) -> bool:
    """Flag the clock when most servers saw it step, clear it when most no longer do; whether it is suspect.

    A transaction apart from the reports: the store's row comes before the sessions' in the order of locks (R3).
    """
    leads = sorted(int(row[0]) for row in tx.rows(REPORTED))
    ahead = [lead for lead in leads if lead > STEP_US]
    if len(leads) >= SERVERS_MIN and 2 * len(ahead) > len(leads):
        tx.change(SUSPECT, {"ahead": ahead[len(ahead) // 2]})
    elif 2 * len(ahead) < len(leads):
        tx.change(TRUST)
    return bool(tx.rows(IS_SUSPECT)[0][0])


def trust(tx: Tx) -> bool:
    """A person says that the clock is right; whether it was suspect."""
    return tx.change(TRUST) == 1
