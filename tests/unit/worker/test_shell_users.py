"""Users of commands: no two runs of a machine have the same, whichever process they are in."""

import os
from pathlib import Path

import pytest

from foliot.worker.handlers.shell import own_uids
from foliot.worker.handlers.shell.errors import CommandNotStarted
from foliot.worker.handlers.shell.own_uids import OwnUids
from foliot.worker.handlers.shell.settings import ShellSettings

SETTINGS = ShellSettings()


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(own_uids, "LOCKS", tmp_path / "locks")
    monkeypatch.setattr(own_uids, "OWN_UIDS", range(60_600, 60_603))


@pytest.mark.usefixtures("as_root")
def test_two_processes_take_no_number_twice_and_give_it_back() -> None:
    one, other = OwnUids(), OwnUids()  # both of this process: they would begin at the same number
    with one.one_for(SETTINGS, "a") as first, other.one_for(SETTINGS, "b") as second:
        with one.one_for(SETTINGS, "c") as third:
            assert {first, second, third} == {60_600, 60_601, 60_602}
            with pytest.raises(CommandNotStarted, match="no user number is free"), other.one_for(SETTINGS, "d"):
                pass
        with other.one_for(SETTINGS, "d") as again:
            assert again == third


@pytest.mark.usefixtures("as_root")
def test_where_no_lock_can_be_had_one_process_still_takes_each_number_once(tmp_path: Path) -> None:
    (tmp_path / "locks").touch()
    one = OwnUids()
    with one.one_for(SETTINGS, "a") as first, one.one_for(SETTINGS, "b") as second:
        assert first != second


@pytest.mark.usefixtures("as_root")
def test_a_worker_that_names_a_user_needs_no_number() -> None:
    with OwnUids().one_for(ShellSettings(run_as="nobody"), "a") as uid:
        assert uid is None
