"""`foliot db` on a SQLite file: what it says, what it does, how it ends."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from foliot.cli import main


def foliot(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(main, ["db", *words], env={"FOLIOT_DB": "", "FOLIOT_LANG": "en", **environment})


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
    assert first.stdout.splitlines()[-1].startswith("The schema is up to date: 00")
    new = foliot("status", "--db", url).stdout
    assert "no server has used the store yet" in new
    assert "the epoch will rise" not in new
    again = foliot("upgrade", "--db", url, "-o", "json")
    assert told(again) == {"applied": []}
    status = foliot("status", "--db", url, "-o", "json")
    assert (status.exit_code, told(status)["state"], told(status)["usable"]) == (0, "CURRENT", True)


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
    result = CliRunner().invoke(main, ["db", "status"], env={"FOLIOT_DB": None, "FOLIOT_LANG": "en"})
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


def with_a_live_server(url: str) -> None:
    foliot("upgrade", "--db", url)
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        connection.execute(
            "INSERT INTO nodes (id, name, kind, state, until, started_at, last_beat_at, beat_no, settled, group_name, "
            "slots, version, protocol, host, pid, labels, handlers) "
            "VALUES ('a', 's1', 'server', 'live', 9000000000000000, 0, 0, 0, 0, '', 0, '', 1, '', 0, '{}', '[]')"
        )


def test_after_a_restore_the_store_begins_anew(url: str) -> None:
    foliot("upgrade", "--db", url)
    before = told(foliot("status", "--db", url, "-o", "json"))["epoch"]
    plan = told(foliot("restored", "--db", url, "--plan", "-o", "json"))
    assert (plan["done"], plan["epoch_before"]) == (False, before)
    assert told(foliot("status", "--db", url, "-o", "json"))["epoch"] == before
    said = foliot("restored", "--db", url, FOLIOT_LANG="en")
    after = told(foliot("status", "--db", url, "-o", "json"))["epoch"]
    assert after > before
    assert said.stdout == (
        f"the store begins anew: epoch {after} (was {before}), terms above 1000\n"
        "0 runs were in progress: at-least-once ones run again, at-most-once ones end lost; 0 sessions are over\n"
        "no job is behind\n"
    )
    assert told(foliot("restored", "--db", url, "-o", "json")) | {"epoch": 0, "epoch_before": 0} == {
        "done": True,
        "epoch": 0,
        "epoch_before": 0,
        "term": 2000,
        "live_servers": [],
        "sessions": 0,
        "runs": 0,
        "jobs_behind": 0,
        "behind_s": 0.0,
        "oldest_undecided_at": None,
    }


def test_jobs_that_are_behind_are_told_in_the_readers_language(url: str) -> None:
    foliot("upgrade", "--db", url)
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        connection.execute(
            "INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver) "
            "VALUES (1, 1, 'active', 1577836800000000, 1577836800000000, 1)"
        )
    plan = foliot("restored", "--db", url, "--plan", FOLIOT_LANG="en").stdout
    assert "foliot db restored would raise the epoch" in plan
    assert "jobs with undecided instants: 1, the oldest" in plan
    assert "(2020-01-01T00:00:00Z): decided by each job's misfire policy" in plan
    done = foliot("restored", "--db", url, FOLIOT_LANG="zh-CN").stdout
    assert "存储重新开始：纪元" in done
    assert "1 个任务有未决的触发点" in done


def test_a_restore_is_refused_while_servers_are_live_unless_forced(url: str) -> None:
    with_a_live_server(url)
    refused = foliot("restored", "--db", url, FOLIOT_LANG="en")
    assert refused.exit_code == 5
    assert "Servers are live on this store: s1." in refused.stderr
    assert "--force goes on all the same" in refused.stderr
    assert "FOL-3030" in refused.stderr
    chinese = foliot("restored", "--db", url, FOLIOT_LANG="zh")
    assert (chinese.exit_code, "1 个服务器正在使用此存储：s1。" in chinese.stderr) == (5, True)
    plan = foliot("restored", "--db", url, "--plan", FOLIOT_LANG="en").stdout
    assert "these servers are live, stop them first: s1" in plan
    assert "1 session would be over" in plan
    forced = foliot("restored", "--db", url, "--force", FOLIOT_LANG="en")
    assert forced.exit_code == 0
    assert "restart these servers now, they remember what the store forgot: s1" in forced.stdout


def test_a_store_that_is_not_there_was_not_restored(url: str) -> None:
    assert foliot("restored", "--db", url).exit_code == 8
