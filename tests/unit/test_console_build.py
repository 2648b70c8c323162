"""The console's sources: types of the API as it is, packages by their hashes alone; built anew when they changed."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from web import build
from web.api_types import api_types
from web.build import ROOT, TYPES, WEB, alone


def test_the_types_of_the_console_are_those_of_the_api() -> None:
    assert TYPES.read_text() == api_types(), "run python -m web.build types"


def test_the_lock_pins_every_package_by_its_hash_and_names_no_registry() -> None:
    packages = json.loads((WEB / "package-lock.json").read_text())["packages"]
    pinned = {name: entry for name, entry in packages.items() if name}
    assert [name for name, entry in pinned.items() if "resolved" in entry] == []
    assert [name for name, entry in pinned.items() if not entry.get("integrity", "").startswith("sha512-")] == []


def test_versions_are_exact() -> None:
    package = json.loads((WEB / "package.json").read_text())
    wanted = {**package["dependencies"], **package["devDependencies"]}
    assert [name for name, version in wanted.items() if not version[0].isdigit()] == []


def test_two_builds_are_never_at_work_at_once() -> None:
    with alone():
        other = os.open(WEB, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The mark of a console that was built from the sources as they are, when the API was another."""
    mark = tmp_path / ".built"
    mark.write_text(f"{build.hash_of(build.sources())} another")
    monkeypatch.setattr(build, "BUILT", mark)
    return mark


def test_a_change_of_the_api_alone_does_not_slip_by(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "types.ts"
    other.write_text(f"{TYPES.read_text()}export type New = string;\n")
    monkeypatch.setattr(build, "TYPES", other)
    before = built.read_text()
    assert build.main(["build"]) == 1
    assert "python -m web.build types" in capsys.readouterr().err
    assert built.read_text() == before, "the next one looks again"


def test_an_api_whose_types_are_the_same_is_looked_at_once_and_nothing_is_built(
    built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build.main(["build"]) == 0
    monkeypatch.setattr(build, "TYPES", built.with_name("nowhere"))  # who looks at them now fails
    assert build.main(["build"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_wheel_without_the_console_is_refused(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "README.md", "LICENSE", "web/wheel.py", "src/foliot/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for target in ("wheel", "sdist"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(tmp_path / "dist")]
        tried = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert tried.returncode != 0
        assert "Build it first: make console-build" in tried.stdout + tried.stderr
    assert not list(tmp_path.glob("dist/*"))
