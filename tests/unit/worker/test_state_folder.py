"""Where results wait when nobody names a folder."""

from pathlib import Path

import pytest

from foliot.worker.state_folder import NoStateFolder, spool_of


def test_the_folder_of_the_unit_comes_first(tmp_path: Path) -> None:
    said = {"STATE_DIRECTORY": f"{tmp_path}/unit:{tmp_path}/second", "XDG_STATE_HOME": str(tmp_path)}
    assert spool_of("w-1", said) == tmp_path / "unit" / "spool-w-1"


def test_then_the_state_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert spool_of("w-1", {"XDG_STATE_HOME": str(tmp_path / "state")}) == tmp_path / "state" / "foliot" / "spool-w-1"
    assert spool_of("w-1", {"XDG_STATE_HOME": "here"}) == tmp_path / ".local" / "state" / "foliot" / "spool-w-1"


def test_a_name_stays_inside_it(tmp_path: Path) -> None:
    assert spool_of("../../etc", {"STATE_DIRECTORY": str(tmp_path)}).parent == tmp_path


def test_a_user_without_a_home_is_told_to_name_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(NoStateFolder, match="--spool"):
        spool_of("w-1", {})
