"""`foliot db` on a SQLite file: what it says, what it does, how it ends."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from foliot.cli import main


def foliot(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(main, ["db", *words], env={"FOLIOT_DB": "", **environment} if environment else None)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'foliot.db'}"


def told(result: Result) -> Any:
    return json.loads(result.stdout)


def test_a_store_that_is_not_there_is_not_made_by_looking(url: str) -> None:
    result = foliot("status", "--db", url)
    assert result.exit_code == 8
    assert "foliot db upgrade makes one" in result.stderr
    assert not Path(url.removeprefix("sqlite:///")).exists()


def test_upgrade_makes_the_store_and_a_repeat_does_nothing(url: str) -> None:
    first = foliot("upgrade", "--db", url)
    assert first.exit_code == 0
    assert first.stdout.startswith("0001  ")
    again = foliot("upgrade", "--db", url, "-o", "json")
    assert told(again) == {"applied": []}
    status = foliot("status", "--db", url, "-o", "json")
    assert (status.exit_code, told(status)["state"], told(status)["usable"]) == (0, "current", True)


def test_the_plan_runs_nothing(url: str) -> None:
    plan = foliot("upgrade", "--plan", "--db", url)
    assert plan.exit_code == 0
    assert "CREATE TABLE runs" in plan.stdout
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    status = foliot("status", "--db", url)
    assert status.exit_code == 7
    assert "foliot db upgrade --plan" in status.stdout


def test_the_plan_of_an_up_to_date_store_is_empty(url: str) -> None:
    foliot("upgrade", "--db", url)
    assert told(foliot("upgrade", "--plan", "--db", url, "-o", "json")) == {"sql": ""}


def test_the_url_comes_from_a_file_or_the_environment(url: str, tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text(f"{url}\n")
    assert foliot("upgrade", "--db-file", str(file)).exit_code == 0
    assert foliot("status", FOLIOT_DB=url).exit_code == 0


@pytest.mark.parametrize("given", ["mongodb://x/y", "sqlite://", "sqlite:///:memory:"])
def test_a_url_that_is_no_store_is_refused(given: str) -> None:
    result = foliot("status", "--db", given)
    assert result.exit_code == 2
    assert "FOL-1020" in result.stderr


def test_no_url_at_all_says_how_to_give_one() -> None:
    result = CliRunner().invoke(main, ["db", "status"], env={"FOLIOT_DB": None})
    assert result.exit_code == 2
    assert "--db URL" in result.stderr


def test_a_password_is_never_shown() -> None:
    result = foliot("status", "--db", "postgresql://foliot:hunter2@127.0.0.1:1/x?connect_timeout=1")
    assert result.exit_code == 8
    assert "hunter2" not in result.output + result.stderr


def test_help_has_examples() -> None:
    for words in ([], ["status"], ["upgrade"]):
        assert "Examples:" in foliot(*words, "--help").stdout


def test_the_status_tells_epoch_and_origin_and_looking_changes_neither(url: str) -> None:
    foliot("upgrade", "--db", url)
    first = told(foliot("status", "--db", url, "-o", "json"))
    assert first["epoch"] > 1_700_000_000
    assert first["fingerprint"].startswith("sqlite/")
    assert (first["lossy"], first["known"]) == (False, False)
    assert told(foliot("status", "--db", url, "-o", "json"))["epoch"] == first["epoch"]
    said = foliot("status", "--db", url).stdout
    assert f"epoch    {first['epoch']}" in said
    assert "lossy    no" in said


def test_a_person_trusts_the_clock(url: str) -> None:
    foliot("upgrade", "--db", url)
    assert "was not in doubt" in foliot("trust-clock", "--db", url).stdout
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE store_meta SET clock_suspect = 1")
    assert told(foliot("trust-clock", "--db", url, "-o", "json")) == {"was_suspect": True}
    assert told(foliot("trust-clock", "--db", url, "-o", "json")) == {"was_suspect": False}
