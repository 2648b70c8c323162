"""Pieces of the logs of a run's shards, as the store keeps them."""

from typing import NamedTuple

from foliot.domain.instants import Instant


class PieceKey(NamedTuple):
    """Which piece of which log."""

    run_id: int
    attempt: int
    offset: int


class ShardPiece(NamedTuple):
    """A piece of one shard's log, without its text. Its neighbours are those of the same attempt."""

    run_id: int
    shard: int  # -1: the merge run
    attempt: int
    offset: int
    size: int
    written_at: Instant  # store time; the pieces of one call of a worker share it
    is_growing: bool  # the attempt may still write
    before_offset: int | None
    before_end: int
    is_last: bool

    @property
    def key(self) -> PieceKey:
        """By which its text is asked for."""
        return PieceKey(self.run_id, self.attempt, self.offset)

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.offset + self.size


class ShardEnd(NamedTuple):
    """How far the log of one shard goes."""

    at: PieceKey  # the offset is the one behind its last piece
    written_at: Instant  # of that piece
