"""The spool: synced, bounded, replayed by whoever comes next, and never by two."""

import os
import stat
from pathlib import Path

import pytest

from foliot.client.private import NotPrivate
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


# As worker 0.1 wrote them: a worker that was upgraded meanwhile sends them all the same.
KEPT = b"""\
{"type":"log","run_id":7,"lease_id":"L7","attempt":1,"offset":0,"text":"hello\\n"}
{"type":"report","run_id":7,"lease_id":"L7","cause":"error","error":"E: x","error_type":"E","started_at":5,"took_us":3}
{"type":"report","run_id":8,"lease_id":"L8","cause":"succeeded","result":"{}","checkpoint":"1"}
"""


def test_what_an_earlier_version_left_on_disk_is_read(tmp_path: Path) -> None:
    spool = SpoolFolder(tmp_path).open("s1")
    spool.close()
    spool.path.write_bytes(KEPT)
    (orphan,) = SpoolFolder(tmp_path).orphans()
    assert drained(orphan) == [
        SpooledLog(7, "L7", 1, 0, "hello\n"),
        SpooledReport(7, "L7", Cause.ERROR, error="E: x", error_type="E", started_at=5, took_us=3),
        report(8, result="{}", checkpoint="1"),
    ]
    orphan.close()


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


def strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on what was made before belongs to another user."""
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)


def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spool").mkdir()
    strangers(monkeypatch)
    with pytest.raises(NotPrivate, match="belongs to another user"):
        SpoolFolder(tmp_path / "spool")


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "spool").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotPrivate, match="it is a link"):
        SpoolFolder(tmp_path / "spool")


def test_a_folder_that_others_may_enter_is_closed_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    folder.mkdir()
    folder.chmod(0o777)
    SpoolFolder(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_others_may_enter_and_that_holds_other_things_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "index.html").touch()
    with pytest.raises(NotPrivate, match=r"it holds other things \(index.html\)"):
        SpoolFolder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_file_that_another_user_left_there_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = SpoolFolder(tmp_path)
    planted = folder.open("s1")
    planted.append([report(1)])
    planted.close()
    strangers(monkeypatch)
    assert folder.orphans() == []


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path, link: object) -> None:
    victim = tmp_path / "victim"
    victim.write_text("keep me\n")
    folder = SpoolFolder(tmp_path / "spool")
    assert callable(link)
    link(victim, tmp_path / "spool" / "s1.jsonl")
    with pytest.raises(OSError, match=r"symbolic links|plain file"):
        folder.open("s1")
    assert folder.orphans() == []
    assert victim.read_text() == "keep me\n"


def test_a_session_that_a_server_calls_like_a_path_stays_in_the_folder(tmp_path: Path) -> None:
    spool = SpoolFolder(tmp_path / "a" / "spool").open("../../escaped")
    spool.append([report(1)])
    assert [file.parent for file in tmp_path.rglob("*.jsonl")] == [tmp_path / "a" / "spool"]
    spool.close()
    (orphan,) = SpoolFolder(tmp_path / "a" / "spool").orphans()
    assert [entry.run_id for entry in drained(orphan)] == [1]
