"""Log lines: a line that cannot be written is dropped, and nobody else hears of it (F18)."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
import structlog

from foliot.observability.log_lines import Unfailing, configure_logging


@pytest.fixture(autouse=True)
def unconfigured_afterwards() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_full_disk_ends_nobody_who_logs(monkeypatch: pytest.MonkeyPatch, form: Literal["json", "console"]) -> None:
    full = Path("/dev/full").open("w", buffering=1, encoding="utf-8")  # noqa: SIM115  to close it is to write to it
    monkeypatch.setattr(sys, "stderr", full)
    configure_logging(form=form)
    log = structlog.get_logger("test")
    for size in (1, 100_000, 1):
        log.error("said", text="x" * size)
    with pytest.raises(OSError, match="No space"):
        full.close()


def test_lines_go_on_when_there_is_room_again() -> None:
    class Disk(io.StringIO):
        is_full = False

        def write(self, text: str) -> int:
            if self.is_full:
                raise OSError(28, "No space left on device")
            return super().write(text)

    disk = Disk()
    stream = Unfailing(disk)
    stream.write("one ")
    disk.is_full = True
    stream.write("two ")
    disk.is_full = False
    stream.write("three")
    assert disk.getvalue() == "one three"


@pytest.mark.parametrize(
    ("name", "value", "colours"), [("TERM", "xterm", True), ("NO_COLOR", "1", False), ("TERM", "dumb", False)]
)
def test_colours_are_for_terminals_whose_owners_want_them(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, colours: bool
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    configure_logging()
    structlog.get_logger("test").warning("said")
    assert "said" in terminal.getvalue()
    assert ("\x1b[" in terminal.getvalue()) is colours


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_line_shows_no_password_of_an_address(
    capsys: pytest.CaptureFixture[str], form: Literal["json", "console"]
) -> None:
    configure_logging(form=form)
    try:
        raise ConnectionError("no connection to redis://app:secret@cache")
    except ConnectionError as error:
        structlog.get_logger("test").error("store.away", error=str(error), exc_info=True)
    said = capsys.readouterr().err
    assert "redis://app:***@cache" in said
    assert "app:secret" not in said
