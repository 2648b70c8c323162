"""`make services` installs what is missing, once, and starts nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import install

ROOT = Path(__file__).parents[3]


@pytest.mark.services
def test_with_everything_there_it_says_so_and_does_nothing() -> None:
    command = [sys.executable, "-m", "tests.servers.install"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "services: all there\n"


def test_every_server_names_its_packages() -> None:
    assert install.wanted() == [
        "postgresql-15",
        "mariadb-server",
        "etcd-server",
        "patroni",
        "redis-server",
        "zookeeper",
        "gcc",
        "libc6-dev",
        "chromium",
        "fonts-wqy-microhei",
    ]


def test_only_what_is_missing_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[list[str]] = []

    def note(command: list[str]) -> int:
        ran.append(command)
        return 0

    monkeypatch.setattr(install, "GUARD", tmp_path / "policy-rc.d")
    monkeypatch.setattr(install, "installed", lambda package: package == "postgresql-15")
    monkeypatch.setattr(install, "as_root", list)
    monkeypatch.setattr(install, "run", note)
    assert install.main() == 0
    update, installation = ran
    assert update == ["apt-get", "-qq", "update"]
    assert installation[-10:] == [
        "install",
        "mariadb-server",
        "etcd-server",
        "patroni",
        "redis-server",
        "zookeeper",
        "gcc",
        "libc6-dev",
        "chromium",
        "fonts-wqy-microhei",
    ]


def test_a_failed_installation_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(install, "GUARD", tmp_path / "policy-rc.d")
    monkeypatch.setattr(install, "installed", lambda package: False)
    monkeypatch.setattr(install, "as_root", list)
    monkeypatch.setattr(install, "run", lambda command: 100)
    assert install.main() == 100
    assert not install.GUARD.exists()


def test_without_root_or_sudo_it_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install, "installed", lambda package: False)
    monkeypatch.setattr(install, "as_root", lambda: None)
    assert install.main() == 1
    wanted = " ".join(install.wanted())
    assert f"apt-get install --no-install-recommends {wanted}" in capsys.readouterr().err


def test_the_guard_against_daemons_is_there_during_the_installation_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    guard = tmp_path / "policy-rc.d"
    monkeypatch.setattr(install, "GUARD", guard)
    with install.daemons_held_back([]):
        assert subprocess.run([guard, "postgresql", "start"], check=False).returncode == 101
    assert not guard.exists()


def test_a_guard_that_was_there_before_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    guard = tmp_path / "policy-rc.d"
    guard.write_text("theirs")
    monkeypatch.setattr(install, "GUARD", guard)
    with install.daemons_held_back([]):
        assert guard.read_text() == "theirs"
    assert guard.read_text() == "theirs"
