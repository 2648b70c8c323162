"""The feed of `foliot up`: a line per run that ended."""

from pathlib import Path

import pytest

from foliot.app.all_in_one import UpSettings
from foliot.cli.up import Terminal
from foliot.domain.verdict import Cause
from foliot.operations.declarations import ChangedByHand
from foliot.ports.worker_link import Report
from foliot.sdk.registry import load


@pytest.fixture
def feed(tmp_path: Path) -> Terminal:
    return Terminal(UpSettings(sources=("jobs.py",), folder=tmp_path))


def test_an_error_is_told_by_its_first_line(feed: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    error = "ValueError: 你好 bad\nsecond line"
    feed.reported([Report(run_id=1, lease_id="l", job="boom", cause=Cause.ERROR, error=error, took_us=3000)])
    said = capsys.readouterr().out
    assert "boom  r-1  error after 3 ms: ValueError: 你好 bad\n           foliot run logs r-1\n" in said
    assert "second line" not in said


def test_the_next_step_of_a_job_that_fails_is_told_once(feed: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    for run in (1, 2):
        feed.reported([Report(run_id=run, lease_id="l", job="boom", cause=Cause.ERROR, error="E: x", took_us=3000)])
    assert capsys.readouterr().out.count("foliot run logs") == 1


def test_a_mistyped_file_is_told_and_not_promised_by_foliot_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tasks.py").touch()
    typed = str(tmp_path / "taks.py")
    feed = Terminal(UpSettings(sources=(typed,), folder=tmp_path))
    feed.loaded(load([typed]), again=False)
    said = capsys.readouterr().out
    assert f"taks.py is not there. Did you mean {tmp_path / 'tasks.py'}? A file is loaded when you save it." in said
    assert "foliot new" not in said


def test_a_refused_job_is_told_once_with_its_next_step_until_the_code_changes(
    feed: Terminal, capsys: pytest.CaptureFixture[str]
) -> None:
    refusal = ChangedByHand("tick", "api")
    for _ in range(3):  # its worker asks again and again
        feed.refused("tick", refusal)
    feed.loaded(load([]), again=True)
    feed.refused("tick", refusal)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4, lines
    assert lines[0].endswith(f"▲ {refusal.sentence}")
    assert lines[1].strip() == f"{refusal.hint}  [FOL-3021]"


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


def test_a_store_with_jobs_is_not_said_to_have_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    feed = Terminal(UpSettings(sources=("jobs.py",), folder=tmp_path))
    feed.loaded(load([]), again=False, has_others=True)
    said = capsys.readouterr().out
    assert "No jobs yet" not in said
    assert "The store has some:  foliot job list" in said
