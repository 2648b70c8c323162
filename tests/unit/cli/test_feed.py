"""The feed of `foliot up`: a line per run that ended."""

from pathlib import Path

import pytest

from foliot.app.all_in_one import UpSettings
from foliot.cli.up import Terminal
from foliot.domain.verdict import Cause
from foliot.ports.worker_link import Report
from foliot.sdk.registry import load


@pytest.fixture
def feed(tmp_path: Path) -> Terminal:
    return Terminal(UpSettings(sources=("jobs.py",), folder=tmp_path))


def test_an_error_is_told_by_its_first_line(feed: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    error = "ValueError: 你好 bad\nsecond line"
    feed.reported([Report(run_id=1, lease_id="l", job="boom", cause=Cause.ERROR, error=error, took_us=3000)])
    said = capsys.readouterr().out
    assert "boom  r-1  error in 3 ms  ValueError: 你好 bad\n" in said
    assert "second line" not in said


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ("@job\ndef greet(): ...\n@job(every('10s'))\ndef tick(): ...", "foliot run logs -f --job tick"),
        ("@job\ndef greet(): ...", "foliot job trigger greet --wait"),
        ("@job(namespace='lab')\ndef greet(): ...", "foliot job trigger greet --wait -n lab"),
    ],
)
def test_what_to_type_first_is_told_once(
    feed: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str], declared: str, told: str
) -> None:
    file = tmp_path / "first_jobs.py"
    file.write_text(f"from foliot import every, job\n{declared}\n", "utf-8")
    loaded = load([str(file)])
    feed.loaded(loaded, again=False)
    assert f"  In a second terminal:  {told}\n" in capsys.readouterr().out
    feed.loaded(loaded, again=True)
    assert "second terminal" not in capsys.readouterr().out
