"""What somebody who follows the logs of a run's shards has been told: a position for each shard.

The pieces of one shard become visible in their order, since its worker sends the next one when the last has arrived.
Pieces of two shards do not: the transaction of one may take longer. So no position of one shard says anything about
another, and the time of a piece only says where to look first. Nothing here reads the store.
"""

from collections.abc import Iterable, Sequence

from foliot.domain.instants import Instant
from foliot.ports.store.shard_logs import PieceKey, ShardEnd, ShardPiece


class ToldShards:
    """How far each shard has been told. Until `know`, a shard is told from its first piece on that turns up."""

    def __init__(self) -> None:
        self.newest: Instant = 0  # when the newest piece was written
        self._ends: dict[tuple[int, int], int] = {}  # by run and attempt
        self._first: dict[int, int] = {}  # the first attempt of each run that is told
        self._is_known = False
        self._gaps: set[tuple[int, int]] = set()
        self._halves: dict[PieceKey, ShardPiece] = {}

    def know(self, ends: Iterable[ShardEnd]) -> None:
        """What was there at the beginning and was not told is not wanted; all that comes now is."""
        self._is_known = True
        for end in ends:
            run_id, attempt, offset = end.at
            self._first.setdefault(run_id, attempt)
            self._ends.setdefault((run_id, attempt), offset)
            self.newest = max(self.newest, end.written_at)

    def mark(self, pieces: Iterable[ShardPiece]) -> None:
        """These have been told."""
        for piece in pieces:
            log = piece.run_id, piece.attempt
            self._ends[log] = max(piece.end, self._ends.get(log, 0))
            self._first[piece.run_id] = min(piece.attempt, self._first.get(piece.run_id, piece.attempt))
            self.newest = max(self.newest, piece.written_at)
            if piece.before_offset is not None:
                self._halves.pop(PieceKey(piece.run_id, piece.attempt, piece.before_offset), None)
            if piece.is_growing and piece.is_last:
                self._halves[piece.key] = piece

    def take(self, pieces: Iterable[ShardPiece]) -> list[ShardPiece]:
        """Those that are to be told now. One in front of which another is missing waits for `missing`."""
        fresh = []
        for piece in pieces:
            end = self._end_of(piece)
            if end is not None and piece.end <= end:
                continue
            if end is not None and piece.before_end > end:
                self._gaps.add((piece.run_id, piece.attempt))
                continue
            fresh.append(piece)
            self.mark([piece])
        return fresh

    def missing(self, ends: Iterable[ShardEnd] = ()) -> Sequence[PieceKey]:
        """From where on logs are to be read, given how far they go; and those of which `take` left a piece out."""
        logs, self._gaps = self._gaps, set()
        for end in ends:
            run_id, last, offset = end.at
            first = min(last, self._first.get(run_id, 1))
            if offset > self._ends.get((run_id, last), 0):
                logs.update((run_id, attempt) for attempt in range(first, last + 1))
        return [PieceKey(*log, self._ends.get(log, 0)) for log in sorted(logs)]

    def halves(self) -> Sequence[ShardPiece]:
        """The last piece of each log that could still grow when it was read."""
        found, self._halves = list(self._halves.values()), {}
        return found

    def _end_of(self, piece: ShardPiece) -> int | None:
        """How far the log of a piece has been told; None: it may begin anywhere."""
        end = self._ends.get((piece.run_id, piece.attempt))
        if end is not None or not self._is_known:
            return end
        return piece.end if piece.attempt < self._first.get(piece.run_id, 0) else 0
