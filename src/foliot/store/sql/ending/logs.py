"""Run logs: compressed chunks, each at its offset, fenced by the lease, capped per run (R12, S5)."""

import zlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from foliot.domain.run import Landing
from foliot.ports.store.errors import StoreBusy
from foliot.ports.worker_link import LogChunk
from foliot.store.sql.ending.lease_owner import Speaker
from foliot.store.sql.kernel.database import Row, Tx
from foliot.store.sql.kernel.statement import BIGINT, TEXT, RowSet, Statement, keys

BYTES_MAX: Final = 8 * 1024 * 1024
"""Of one run's text, all attempts together."""
CHUNK_BYTES_MAX: Final = 256 * 1024
LOOKS_AGAIN: Final = 3
"""After pieces were left out: each look finds what another server has committed meanwhile."""
CUT: Final = "\n[log cut here: a run keeps 8 MiB]\n"

WRITTEN: Final = Statement(
    """
    SELECT d.run_id, r.lease_id, r.attempt, r.session_id,
           (SELECT coalesce(max(l.at_offset + l.size), 0) FROM run_logs l
            WHERE l.run_id = d.run_id AND l.attempt = r.attempt) AS log_end,
           (SELECT coalesce(sum(l.size), 0) FROM run_logs l WHERE l.run_id = d.run_id) AS log_size
    FROM {d} JOIN runs r ON r.id = d.run_id
    WHERE r.lease_id IS NOT NULL
    """,
    RowSet("d", run_id=BIGINT),
)
"""How far each log goes, and under which lease its run is. What a worker calls its lease is compared, never sent."""

WRITE: Final = Statement(
    """
    {insert_ignore} run_logs (run_id, attempt, at_offset, size, written_at, body, parent_id)
    SELECT r.id, r.attempt, d.at_offset, d.size, {now}, substr(CAST(:bodies AS {bytes}),
                  CAST(d.body_at AS INTEGER), CAST(d.body_size AS INTEGER)), r.parent_id
    FROM {d} JOIN runs r ON r.id = d.run_id AND r.lease_id = d.lease_id
    WHERE true
    {ignore_duplicates}
    """,
    RowSet("d", run_id=BIGINT, lease_id=TEXT, at_offset=BIGINT, size=BIGINT, body_at=BIGINT, body_size=BIGINT),
)
"""All bodies travel as one value that each row cuts its own from; the lease is checked again as it is written."""

READ: Final = Statement(
    """
    SELECT l.run_id, l.attempt, l.at_offset, l.size, l.body FROM run_logs l
    WHERE l.run_id = :run_id AND l.attempt >= :from_attempt AND l.attempt <= :to_attempt
          AND (l.attempt > :from_attempt OR l.at_offset + l.size > :offset)
    ORDER BY l.attempt, l.at_offset LIMIT :limit
    """
)


END: Final = Statement(
    """
    SELECT coalesce(max(l.at_offset + l.size), 0) FROM run_logs l
    WHERE l.run_id = :run_id AND l.attempt = :attempt
    """
)


class _Log:
    """How far the log of a run in these hands goes."""

    __slots__ = ("attempt", "end", "lease_id", "size")

    def __init__(self, row: Row) -> None:
        self.lease_id: str = row.lease_id
        self.attempt: int = row.attempt
        self.end = int(row.log_end)
        self.size = int(row.log_size)


class _Piece(NamedTuple):
    run_id: int
    lease_id: str
    offset: int
    text: bytes


def write(tx: Tx, chunks: Sequence[LogChunk], speaker: Speaker) -> list[Landing]:
    """Append chunks; ALREADY: all of it was there, FENCED: the run is in other hands now.

    Another server may write the same part at the same time, when a worker repeats what was not answered. Then the
    insert leaves pieces out, and what the other server does not have is written at the second look.
    """
    written = _write_once(tx, chunks, speaker)
    for _ in range(LOOKS_AGAIN):
        if written.is_whole:
            break
        written = written.then(_write_once(tx, chunks, speaker))
    if written.is_whole:
        return written.landings
    raise StoreBusy("Several servers write the same log at once.", hint="the worker sends it again")


class _Written(NamedTuple):
    """How the chunks landed. Not `is_whole`: pieces were left out."""

    landings: list[Landing]
    is_whole: bool

    def then(self, later: "_Written") -> "_Written":
        """After a second look: what the first one wrote stays written, unless the run went into other hands."""
        landings = [
            before if now is Landing.ALREADY else now for before, now in zip(self.landings, later.landings, strict=True)
        ]
        return _Written(landings, later.is_whole)


def _write_once(tx: Tx, chunks: Sequence[LogChunk], speaker: Speaker) -> _Written:
    run_ids = {chunk.run_id for chunk in chunks}
    rows = tx.rows(WRITTEN, d=keys(sorted(run_ids)))
    strangers = speaker.strangers(tx, (row.session_id for row in rows))
    logs = {row.run_id: _Log(row) for row in rows if row.session_id not in strangers}
    pieces: list[_Piece] = []
    landings = [_append(logs.get(chunk.run_id), chunk, pieces) for chunk in chunks]
    if not pieces:
        return _Written(landings, is_whole=True)
    inserted = _insert(tx, pieces)
    return _Written(landings, is_whole=inserted == len(pieces))


def read(tx: Tx, run_id: int, *, attempt: int | None, offset: int, limit: int) -> list[LogChunk]:
    """Chunks in order, beginning with the one that holds `offset`; of all attempts it is the first one's offset."""
    first, last = (1, 2**31 - 1) if attempt is None else (attempt, attempt)
    values = {"run_id": run_id, "from_attempt": first, "to_attempt": last, "offset": offset, "limit": limit}
    return [_chunk(row) for row in tx.rows(READ, values)]


def _append(log: _Log | None, chunk: LogChunk, pieces: list[_Piece]) -> Landing:
    if log is None or log.lease_id != chunk.lease_id or log.attempt != chunk.attempt:
        return Landing.FENCED
    text = chunk.text.encode(errors="replace").replace(b"\0", b"?")
    known = log.end - chunk.offset
    if known >= len(text):
        return Landing.ALREADY
    offset = chunk.offset
    if known > 0:  # a repeat that goes further than what is there
        text, offset = text[known:], log.end
    if log.size >= BYTES_MAX:
        return Landing.RECORDED  # taken and thrown away: the worker need not send it again
    room = BYTES_MAX - log.size
    if len(text) > room:
        text = text[: _whole(text, room)] + CUT.encode()
    at = 0
    while at < len(text):
        until = _whole(text, at + CHUNK_BYTES_MAX)
        pieces.append(_Piece(chunk.run_id, chunk.lease_id, offset + at, text[at:until]))
        at = until
    log.end, log.size = offset + len(text), log.size + len(text)
    return Landing.RECORDED


def _whole(text: bytes, at: int) -> int:
    """The nearest place at or before `at` where no letter is cut in two."""
    if at >= len(text):
        return len(text)
    while text[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _insert(tx: Tx, pieces: Sequence[_Piece]) -> int:
    """How many were inserted: those that are there already, or whose lease is gone, are left out."""
    bodies = bytearray()
    rows: list[tuple[Any, ...]] = []
    for piece in pieces:
        body = zlib.compress(piece.text)
        rows.append((piece.run_id, piece.lease_id, piece.offset, len(piece.text), len(bodies) + 1, len(body)))
        bodies += body
    inserted = tx.change(WRITE, {"bodies": bytes(bodies)}, d=rows)
    tx.point("logs.written")
    return inserted


def _chunk(row: Any) -> LogChunk:
    run_id, attempt, offset, _, body = row
    text = zlib.decompress(body).decode(errors="replace")
    return LogChunk(run_id=run_id, lease_id="", attempt=attempt, offset=offset, text=text)
