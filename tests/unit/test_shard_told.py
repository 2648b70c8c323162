"""What somebody who follows the logs of many shards has been told, shard by shard."""

from foliot.operations.shard_told import ToldShards
from foliot.ports.store.shard_logs import PieceKey, ShardEnd, ShardPiece


def piece(run_id: int, offset: int, *, at: int, attempt: int = 1, size: int = 10) -> ShardPiece:
    """A piece behind one of the same size, unless it is the first."""
    return ShardPiece(
        run_id=run_id,
        shard=run_id,
        attempt=attempt,
        offset=offset,
        size=size,
        written_at=at,
        is_growing=True,
        before_offset=offset - size if offset else None,
        before_end=offset,
        is_last=True,
    )


def end(run_id: int, offset: int, *, attempt: int = 1, at: int = 50) -> ShardEnd:
    return ShardEnd(PieceKey(run_id, attempt, offset), at)


def beginning(*ends: ShardEnd) -> ToldShards:
    told = ToldShards()
    told.know(ends)
    return told


def test_a_piece_is_taken_once_however_late_it_comes() -> None:
    told = beginning()
    first, late = piece(1, 0, at=100), piece(2, 0, at=1)
    assert told.take([first]) == [first]
    assert told.take([late, first]) == [late]
    assert told.take([late, first]) == []
    assert told.newest == 100


def test_what_was_there_at_the_beginning_is_not_taken() -> None:
    told = beginning(end(1, 20, attempt=2))
    after = piece(1, 20, at=90, attempt=2)
    assert told.take([piece(1, 0, at=10), piece(1, 10, at=60, attempt=2), after]) == [after]
    again = piece(1, 0, at=95, attempt=3)
    assert told.take([again]) == [again]


def test_a_piece_waits_for_the_one_in_front_of_it() -> None:
    told = beginning()
    first, second = piece(1, 0, at=100), piece(1, 10, at=90)
    assert told.take([second]) == []
    assert told.missing() == [PieceKey(1, 1, 0)]
    assert told.missing() == []
    assert told.take([first, second]) == [first, second]


def test_shards_that_go_further_than_was_told_are_read_from_there() -> None:
    told = beginning(end(1, 10), end(2, 10))
    assert told.missing([end(1, 10), end(2, 30), end(3, 5, attempt=2)]) == [
        PieceKey(2, 1, 10),
        PieceKey(3, 1, 0),
        PieceKey(3, 2, 0),
    ]
    told.take([piece(2, 10, at=60), piece(2, 20, at=61)])
    assert told.missing([end(1, 10), end(2, 30)]) == []


def test_who_comes_back_is_told_from_the_first_piece_that_turns_up() -> None:
    told = ToldShards()
    assert len(told.take([piece(1, 50, at=100)])) == 1
    told.know([end(1, 60), end(2, 40)])
    assert told.take([piece(1, 50, at=100), piece(2, 30, at=99)]) == []
    assert len(told.take([piece(1, 60, at=101), piece(2, 40, at=101)])) == 2


def test_the_last_piece_of_each_log_may_end_in_half_a_line() -> None:
    told = beginning()
    pieces = [piece(1, 0, at=1), piece(2, 0, at=2), piece(1, 10, at=3)]
    told.take(pieces)
    assert told.halves() == pieces[1:]
    assert told.halves() == []
