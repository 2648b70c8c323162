"""The data folder of `foliot up` is its user's alone, or it is not used."""

import os
import stat
from pathlib import Path

import pytest

from foliot.app.data_folder import DataFolder, FolderInUse
from foliot.client.private import NotPrivate


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_of_an_older_version_is_closed_to_others(tmp_path: Path) -> None:
    data = tmp_path / ".foliot"
    data.mkdir()
    data.chmod(0o755)
    (data / "foliot.db").touch()
    (data / "spool").mkdir()
    DataFolder(data).take()
    assert mode(data) == 0o700


def test_a_folder_with_other_things_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "index.html").touch()
    with pytest.raises(NotPrivate, match="it holds other things"):
        DataFolder(tmp_path).take()
    assert mode(tmp_path) == 0o755
    assert [file.name for file in tmp_path.iterdir()] == ["index.html"]


def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(NotPrivate, match="belongs to another user"):
        DataFolder(tmp_path).take()


@pytest.mark.parametrize("name", ["up.lock", ".gitignore", "client.json", "client.json.new", "foliot.db", "spool"])
def test_a_link_inside_is_refused_and_what_it_leads_to_is_untouched(tmp_path: Path, name: str) -> None:
    """As a repository that was cloned can hold one."""
    victim = tmp_path / "bashrc"
    victim.write_text("keep me")
    data = tmp_path / ".foliot"
    data.mkdir(mode=0o700)
    (data / name).symlink_to(victim)
    with pytest.raises(NotPrivate, match="it is a link"):
        DataFolder(data).take()
    assert victim.read_text() == "keep me"


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / ".foliot").symlink_to(tmp_path / "home")
    with pytest.raises(NotPrivate, match="it is a link"):
        DataFolder(tmp_path / ".foliot").take()
    assert list((tmp_path / "home").iterdir()) == []


def test_a_file_left_by_a_process_that_died_gives_its_readers_no_token(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    (tmp_path / ".client.json.new").touch(mode=0o666)
    (tmp_path / "client.json").touch(mode=0o666)
    data.tell_clients("http://127.0.0.1:7171", "secret")
    assert mode(tmp_path / "client.json") == 0o600


def test_a_folder_that_was_left_is_free_and_one_that_is_held_is_not(tmp_path: Path) -> None:
    first = DataFolder(tmp_path / ".foliot")
    first.take()
    with pytest.raises(FolderInUse, match=f"pid {os.getpid()}"):
        DataFolder(tmp_path / ".foliot").take()
    first.leave()
    first.leave()  # once more is no mistake
    DataFolder(tmp_path / ".foliot").take()
