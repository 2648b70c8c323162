"""Ordinary mistakes end in a sentence; what nobody expected ends in a sentence, and a report that is saved."""

import os
import stat
import subprocess
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from foliot.cli import COMMANDS
from foliot.cli.last_resort import REPORTS_KEPT
from foliot.cli.values import pairs
from foliot.sdk.parameters import Parameters
from tests.cli.conftest import Answer, Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "file").write_text("text\n")
    (folder / "binary").write_bytes(bytes(range(128, 256)) * 20)
    environment = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    return Shell(folder=folder, config=tmp_path / "config", environment=environment)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["new", "/proc/none"], "FOL-7013", "/proc/none cannot be used: No such file or directory."),
        (["new", "file/below"], "FOL-7013", "cannot be used: Not a directory."),
        (["up", "--data", "file"], "FOL-1091", "file cannot be used: it is a file, not a folder."),
        (["up", "--data", "file/below"], "FOL-1091", "file/below cannot be used: Not a directory."),
        (["up", "--port", "99999"], "", "99999 is not in the range 0<=x<=65535"),
        (["up", "--listen", "127.0.0.1:99999"], "FOL-1000", "is not an address to listen on."),
        (["server", "--db", "sqlite:///x", "--listen", "127.0.0.1:²"], "FOL-1000", "is not an address to listen on."),
        (["server", "--db-file", "binary"], "FOL-1076", "binary cannot be read: it is not text."),
        (["db", "upgrade", "--db", "sqlite:///binary"], "FOL-5001", "file is not a database"),
        (["db", "upgrade", "--db", "sqlite:///file/below"], "FOL-7013", "file cannot be used: File exists."),
        (["db", "upgrade", "--db", "sqlite:////dev/full"], "FOL-5001", "The store has no space left."),
        (
            ["context", "add", "a", "--url", "http://127.0.0.1:1", "--token-from", "binary"],
            "FOL-1076",
            "it is not text",
        ),
    ],
)
def test_an_ordinary_mistake_is_told_in_a_sentence(shell: Shell, words: list[str], code: str, told: str) -> None:
    said = shell(*words)
    assert said.code != 0
    assert told in said.err
    assert code in said.err
    assert not (shell.folder.parent / "state").exists(), "no report"


def test_a_folder_that_takes_no_contexts_is_told(shell: Shell) -> None:
    (shell.folder.parent / "config").write_text("a file where a folder should be")
    said = shell("context", "list")
    assert (said.code, "[FOL-1084]" in said.err) == (2, True)


def test_a_full_disk_under_the_output_is_told() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "foliot", "version"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, env={**os.environ, "LANG": "C.UTF-8"},
        )  # fmt: skip
    assert done.returncode == 1
    assert "No space left on device." in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def handler(gap: timedelta, price: Decimal = Decimal(1), note: str = "") -> None: ...


@pytest.mark.parametrize(
    ("written", "meant"),
    [("gap=5m", {"gap": "5m"}), ("gap=90", {"gap": 90}), ("price=1.10", {"price": "1.10"}), ("note=7", {"note": "7"})],
)
def test_parameters_of_every_type_are_read(written: str, meant: dict[str, object]) -> None:
    """A duration may be text or a number, so its schema names two types."""
    assert pairs([written], schema=Parameters(handler, name="job").schema) == meant


# --------------------------------------------------------------------------------------------------- the last handler

SECRET = "s3cr3t"
TOKEN = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command with a mistake of ours."""

    def version() -> None:
        raise LookupError(f"postgresql://app:{SECRET}@db/prod with {TOKEN}")

    monkeypatch.setattr("foliot.cli.guide.version.callback", version)


def report_of(said: Answer, shell: Shell) -> Path:
    (report,) = (shell.folder.parent / "state" / "foliot" / "reports").iterdir()
    assert str(report) in said.err
    return report


@pytest.mark.usefixtures("broken")
def test_what_nobody_expected_is_one_sentence_and_a_report(shell: Shell) -> None:
    said = shell("version")
    assert said.code == 1
    assert "Something went wrong that Foliot did not expect (LookupError)" in said.err
    assert "[FOL-5034]" in said.err
    assert "Traceback" not in said.err + said.out
    report = report_of(said, shell)
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700
    text = report.read_text("utf-8")
    assert "Traceback (most recent call last)" in text
    assert "command: foliot version" in text
    assert SECRET not in text
    assert TOKEN not in text


@pytest.mark.usefixtures("broken")
def test_in_chinese(shell: Shell) -> None:
    assert "出现了 Foliot 未预料到的错误（LookupError）：报告已保存在" in shell("version", FOLIOT_LANG="zh-CN").err


@pytest.mark.usefixtures("broken")
def test_a_report_that_has_no_place_goes_to_a_folder_of_its_own(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(shell.folder))
    said = shell("version", XDG_STATE_HOME="/proc/none")
    (folder,) = shell.folder.glob("foliot-*")
    assert str(folder) in said.err
    monkeypatch.setattr("tempfile.tempdir", "/proc/none")
    assert "no report of it could be saved" in shell("version", XDG_STATE_HOME="/proc/none").err


@pytest.mark.usefixtures("broken")
def test_old_reports_are_forgotten(shell: Shell) -> None:
    folder = shell.folder.parent / "state" / "foliot" / "reports"
    folder.mkdir(parents=True, mode=0o700)
    for number in range(REPORTS_KEPT + 5):
        (folder / f"report-2020{number:02}.txt").touch()
    shell("version")
    assert len(list(folder.iterdir())) == REPORTS_KEPT


def test_values_of_a_command_are_left_out_of_its_report(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "job" in COMMANDS

    def trigger(**_: object) -> None:
        raise LookupError

    monkeypatch.setattr("foliot.cli.job_runs.trigger.callback", trigger)
    said = shell("job", "trigger", "greet", "-p", f"password={SECRET}", f"--reason={SECRET}", "--wait")
    assert "command: foliot job trigger … -p … --reason --wait" in report_of(said, shell).read_text("utf-8")
