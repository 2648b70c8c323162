"""The spool: synced, bounded, replayed by whoever comes next, and never by two."""

import os
from pathlib import Path

import pytest

from foliot.domain.verdict import Cause
from foliot.worker.reports import Spooled, SpooledLog, SpooledReport
from foliot.worker.spool import Spool, SpoolFolder


def report(run_id: int, **fields: object) -> SpooledReport:
    return SpooledReport(run_id=run_id, lease_id=f"L{run_id}", cause=Cause.SUCCEEDED, **fields)  # type: ignore[arg-type]


def drained(spool: Spool, limit: int = 500) -> list[Spooled]:
    found: list[Spooled] = []
    while not spool.is_empty:
        found += spool.read(limit)
        spool.acknowledge()
    return found


def test_entries_come_back_in_order_and_whole(tmp_path: Path) -> None:
    spool = SpoolFolder(tmp_path / "spool").open("s1")
    entries: list[Spooled] = [
        SpooledLog(1, "L1", 1, 0, "héllo\n"),
        report(1, result='{"a": 1}', error="x", started_at=5, took_us=3, checkpoint="{}"),
        *(report(i) for i in range(2, 1200)),
    ]
    assert spool.append(entries)
    assert drained(spool) == entries
    assert spool.path.stat().st_size == 0


def test_what_was_not_acknowledged_is_read_again(tmp_path: Path) -> None:
    spool = SpoolFolder(tmp_path).open("s1")
    spool.append([report(1), report(2), report(3)])
    assert [entry.run_id for entry in spool.read(2)] == [1, 2]
    assert [entry.run_id for entry in spool.read(2)] == [1, 2]
    spool.acknowledge()
    assert [entry.run_id for entry in spool.read(2)] == [3]


def test_the_next_worker_finds_what_the_last_left(tmp_path: Path) -> None:
    first = SpoolFolder(tmp_path).open("s1")
    first.append([report(1), report(2)])
    assert SpoolFolder(tmp_path).orphans() == [], "its worker lives"
    first.close()  # as the death of its process would
    (orphan,) = SpoolFolder(tmp_path).orphans()
    assert SpoolFolder(tmp_path).orphans() == [], "another worker has it"
    assert [entry.run_id for entry in drained(orphan)] == [1, 2]
    orphan.close()
    assert list(tmp_path.iterdir()) == []


def test_a_line_cut_short_by_a_crash_is_no_entry(tmp_path: Path) -> None:
    spool = SpoolFolder(tmp_path).open("s1")
    spool.append([report(1), report(2)])
    spool.close()
    path = tmp_path / "s1.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    (orphan,) = SpoolFolder(tmp_path).orphans()
    assert [entry.run_id for entry in drained(orphan)] == [1]


def test_a_line_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    spool = SpoolFolder(tmp_path).open("s1")
    spool.append([report(1)])
    os.write(spool._file, b"{garbage\n")
    spool._size = spool.path.stat().st_size
    spool.append([report(2)])
    assert [entry.run_id for entry in drained(spool)] == [1, 2]


def test_it_never_grows_past_its_limit(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "s.jsonl", max_bytes=2000)
    assert spool.append([report(1, result="x" * 1000)])
    assert not spool.append([report(2, result="x" * 1000)])
    assert [entry.run_id for entry in drained(spool)] == [1]
    assert spool.append([report(2, result="x" * 1000)]), "what is sent gives its room back"


def test_a_disk_that_is_full_is_said_and_leaves_no_half_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(tmp_path / "s.jsonl")
    spool.append([report(1)])
    real_write = os.write

    def half(fd: int, data: bytes) -> int:
        real_write(fd, bytes(data)[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", half)
    assert not spool.append([report(2)])
    monkeypatch.undo()
    spool.append([report(3)])
    assert [entry.run_id for entry in drained(spool)] == [1, 3]


def test_others_cannot_read_it(tmp_path: Path) -> None:
    spool = SpoolFolder(tmp_path / "spool").open("s1")
    assert spool.path.stat().st_mode & 0o077 == 0
    assert spool.path.parent.stat().st_mode & 0o077 == 0


def test_a_large_entry_is_read_whole(tmp_path: Path) -> None:
    spool = SpoolFolder(tmp_path).open("s1")
    spool.append([report(1, result="y" * 3_000_000), report(2)])
    assert [entry.run_id for entry in drained(spool)] == [1, 2]
