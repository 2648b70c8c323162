"""`foliot cluster doctor` without a server: it says so, and looks at the store."""

from pathlib import Path

from tests.cli.conftest import Shell


def test_when_no_server_answers_the_store_of_this_folder_is_looked_at(tmp_path: Path) -> None:
    shell = Shell(folder=tmp_path, config=tmp_path / "config")
    lost = shell("cluster", "doctor")
    assert lost.code == 8
    assert "without a server: foliot cluster doctor --db URL" in lost.err
    assert shell("db", "upgrade", "--db", "sqlite:///.foliot/foliot.db").code == 0

    told = shell("cluster", "doctor")
    assert told.code == 2
    assert "No server is known here" in told.err
    assert "So the store alone was looked at: sqlite:///.foliot/foliot.db." in told.err
    assert "No server lives: nothing fires, and no run starts." in told.out
    assert "start one: foliot server --db URL; on one machine: foliot up" in told.out
    chinese = shell("cluster", "doctor", LANG="zh_CN.UTF-8", LC_ALL="zh_CN.UTF-8")
    assert "因此只查看了存储" in chinese.err
    assert "没有存活的服务器" in chinese.out

    elsewhere = "postgresql://foliot:hush@127.0.0.1:1/foliot"
    answer = shell("cluster", "doctor", "-o", "json", "--server", "http://127.0.0.1:1", FOLIOT_DB=elsewhere)
    assert (answer.code, answer.json["level"]) == (2, "CRITICAL")
    assert answer.json["store"] == "postgresql://foliot@127.0.0.1:1/foliot"
    assert [one["check"] for one in answer.json["findings"]] == ["database.reachable"]
    assert answer.json["no_server"].startswith("No answer from http://127.0.0.1:1")
    assert "hush" not in answer.err + answer.out


def test_a_store_that_is_named_is_looked_at_without_its_servers(foliot: Shell, tmp_path: Path) -> None:
    (tmp_path / "db").write_text("sqlite:///.foliot/foliot.db\n")
    named = ("--db-file", str(tmp_path / "db"))
    answer = foliot("cluster", "doctor", *named, "-o", "json")
    levels = {one["check"]: one["level"] for one in answer.json["findings"]}
    assert (levels["business.servers"], levels["database.integrity"], levels["database.schema"]) == ("OK", "OK", "OK")
    assert (answer.json["store"], answer.json["no_server"]) == ("sqlite:///.foliot/foliot.db", None)
    assert "No server was asked; the store alone was looked at" in foliot("cluster", "doctor", *named).err
    refused = foliot("cluster", "doctor", *named, "--fix", "--yes")
    assert (refused.code, "Only a server repairs" in refused.err) == (2, True)
