"""Commands of a person who operates a small cluster: ends, drains, logs, shards."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from foliot.client.blocking.cluster import Cluster
from foliot.domain.visible import visible
from tests.cli.conftest import Shell
from tests.eventually import eventually


def test_a_run_that_does_not_stop_is_ended(foliot: Shell) -> None:
    run = foliot("job", "trigger", "stubborn", "-q").out.strip()
    eventually(lambda: "deaf" in foliot("run", "logs", run).out, within_s=60)  # one that has not begun stops at once
    assert "asked to stop" in foliot("run", "cancel", run).err
    ended = foliot("run", "cancel", run, "--force", "--reason", "no time")
    assert (ended.code, ended.err) == (0, f"✔ {run}  stubborn  is being ended\n")
    eventually(lambda: foliot.state(run) == "CANCELLED", within_s=60)


def test_runs_are_cancelled_by_tag(foliot: Shell) -> None:
    runs = {foliot("job", "trigger", "stubborn", "--delay", "1h", "-q").out.strip() for _ in range(2)}
    assert "needs a confirmation" in foliot("run", "cancel", "-l", "kind=stubborn").err
    cancelled = foliot("run", "cancel", "-l", "kind=stubborn", "--yes", "-o", "json").json
    assert runs <= {item["run"]["id"] for item in cancelled["items"]}
    assert foliot("run", "cancel", "-l", "kind=stubborn").err == "nothing found\n"


def test_many_jobs_are_paused_resumed_triggered_and_deleted_by_a_filter(foliot: Shell) -> None:
    for name in ("night_a", "night_b"):
        foliot("job", "create", name, "--every", "1h", "--py", "jobs:greet", "--owner", "night-shift")
    assert "needs a confirmation" in foliot("job", "pause", "--owner", "night-shift").err
    paused = foliot("job", "pause", "--owner", "night-shift", "--yes", "--reason", "moving")
    assert (paused.code, paused.err) == (0, "✔ night_a is paused\n✔ night_b is paused\n")
    assert foliot("job", "resume", "night_a").code == 0
    resumed = foliot("job", "resume", "--match", "night_", "--yes")
    assert resumed.err == "✔ night_a stays as it is\n✔ night_b goes on\n"
    runs = foliot("job", "trigger", "--match", "night_", "--yes", "-q").out.split()
    assert [run[:2] for run in runs] == ["r-", "r-"]
    assert foliot("job", "trigger", "--match", "night_", "--wait").code == 2
    deleted = foliot("job", "delete", "--owner", "night-shift", "--yes", "-o", "json").json
    assert (deleted["count"], {job["outcome"] for job in deleted["items"]}) == (2, {"done"})
    assert foliot("job", "pause", "--owner", "night-shift").err == "nothing found\n"


def test_days_what_comes_and_a_window_of_a_log(foliot: Shell) -> None:
    run = foliot("job", "trigger", "tick", "-q").out.strip()
    assert foliot("run", "watch", run, "--wait-for", "60s").code == 0
    (today,) = foliot("job", "days", "tick", "--days", "1", "-o", "json").json["days"]
    assert today["counts"]["SUCCEEDED"] >= 1
    head, line = foliot("job", "days", "tick", "--days", "1").out.splitlines()
    assert (head.split()[:3], line.split()[0]) == (["DAY", "RUNS", "SUCCEEDED"], today["day"])
    stats = foliot("job", "stats", "tick", "--from", "1h", "-o", "json").json
    assert (stats["step"], stats["runs"], stats["nodes"][0]["runs"]) == ("minute", stats["succeeded"], stats["runs"])
    told = foliot("job", "stats", "tick", "--from", "1h").out
    assert "succeeded, 0 failed, 0 cancelled" in told
    assert "mean " in told
    assert foliot("job", "stats", "tick", "--from", "30d", "--to", "29d").err.startswith("• no run ended")
    assert foliot("node", "stats", stats["nodes"][0]["node"], "-o", "json").json["name"] == stats["nodes"][0]["node"]
    assert foliot("node", "stats", "nobody").code == 3
    foliot("job", "create", "often", "--every", "10s", "--py", "jobs:greet")
    minutes = foliot("cluster", "ahead", "--minutes", "2", "-o", "json").json["minutes"]
    assert "often" in {job["name"] for minute in minutes for job in minute["jobs"]}
    assert re.search(r"SLOTS(.|\n)* [1-6] +\d\.\d +often", foliot("cluster", "ahead", "--minutes", "2").out)
    foliot("job", "delete", "often", "--yes")
    whole = foliot("run", "lines", run, "-o", "json").json
    assert (whole["is_begin"], whole["is_end"]) == (True, True)
    last = foliot("run", "lines", run, "--limit", "1")
    assert last.out.rstrip() == whole["items"][-1]["text"]
    assert last.err == f"earlier lines: foliot run lines {run} --before {whole['items'][-1]['position']}\n"
    assert foliot("run", "lines", run, "--grep", "no such text").err == "nothing found\n"
    assert foliot("run", "lines", run, "--before", "a", "--after", "b").code == 2


def test_what_comes_says_which_group_is_short_of_slots(foliot: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    at = "2026-03-02T10:17:00Z"
    minute = {"at": at, "fires": 9, "slots": 7.3, "jobs": [{"name": "tick", "namespace": "default"}]}
    groups = [
        {"group": "etl", "slots": 8, "needs": 7.3, "at": at, "is_short": True},
        {"group": "default", "slots": 8, "needs": 1.0, "at": at, "is_short": False},
    ]
    answer = {"minutes": [minute], "is_whole": True, "groups": groups}
    monkeypatch.setattr(Cluster, "ahead", lambda *_, **__: answer)
    told = foliot("cluster", "ahead").err
    line = r"group etl needs 7\.3 slots at .*10:17.* and has 8: less than three tenths would be free"
    assert re.search(line, told), told
    assert "default" not in told
    assert "分组 etl 在" in foliot("--lang", "zh-CN", "cluster", "ahead").err


def test_a_node_is_drained_and_taken_back(foliot: Shell) -> None:
    nodes = foliot("node", "list", "-o", "json").json["items"]
    (worker,) = {node["name"] for node in nodes if node["kind"] == "worker"}  # sessions of the past are shown, too
    drained = foliot("node", "drain", "--self", "--reason", "kernel update", "--no-wait")
    assert (drained.code, "takes no more work" in drained.err) == (0, True)
    waiting = foliot("job", "trigger", "greet", "-q").out.strip()
    assert "are draining and take no more work" in foliot("run", "why", waiting).out
    back = foliot("node", "undrain", worker)
    assert (back.code, back.err) == (0, f"✔ {worker} takes work again\n")
    assert foliot("run", "watch", waiting, "--wait-for", "60s").code == 0
    again = foliot("node", "undrain", worker)
    assert (again.code, f"{worker} is not draining." in again.err) == (5, True)
    assert foliot("node", "drain").code == 2
    assert foliot("node", "drain", "w-99").code == 3
    (server,) = [node["id"] for node in foliot("node", "list", "-o", "json").json["items"] if node["kind"] == "server"]
    alone = foliot("node", "drain", server)
    assert (alone.code, "must go on: 1 of at least 1 servers are active." in alone.err) == (5, True)


def test_a_drain_that_takes_too_long_says_what_is_left(foliot: Shell) -> None:
    run = foliot("job", "trigger", "sleepy", "-q").out.strip()
    eventually(lambda: foliot.state(run) == "RUNNING", within_s=60)
    nodes = foliot("node", "list", "-o", "json").json["items"]
    (worker,) = {node["name"] for node in nodes if node["kind"] == "worker"}
    drained = foliot("node", "drain", worker, "--wait-for", "1s")
    assert foliot("node", "undrain", worker).code == 0
    foliot("run", "cancel", run)
    assert drained.code == 9
    assert "  longest: sleepy since " in drained.err
    assert f"▲ {worker} is not empty yet: " in drained.err
    assert f"  {run}  sleepy  since " in drained.err


def test_in_maintenance_nothing_starts_until_it_is_off(foliot: Shell) -> None:
    assert foliot("cluster", "maintenance").out == "no maintenance: servers decide as usual\n"
    begun = foliot("cluster", "maintenance", "on", "--for", "1h", "--reason", "database upgrade")
    assert begun.code == 0
    assert begun.err.startswith("✔ maintenance is on until ")
    assert "by" in foliot("cluster", "maintenance").out
    assert "(database upgrade): no job fires and no run starts" in foliot("cluster", "status").out
    waiting = foliot("job", "trigger", "greet", "-q").out.strip()
    why = foliot("run", "why", waiting)
    assert "the cluster is in maintenance since" in why.out
    assert foliot("job", "list").code == 0
    ended = foliot("cluster", "maintenance", "off", "-o", "json").json
    assert ended["ended"]["reason"] == "database upgrade"
    assert foliot("run", "watch", waiting, "--wait-for", "60s").code == 0
    assert foliot("cluster", "maintenance", "off", "--lang", "zh-CN").err == "▲ 没有维护：服务器照常决定\n"
    assert foliot("cluster", "maintenance", "off", "--for", "1h").code == 2


def test_the_only_server_cannot_step_down(foliot: Shell) -> None:
    foliot.led()
    refused = foliot("cluster", "step-down")
    assert refused.code == 5
    assert refused.err.startswith("✖ Leadership was not handed over: no other server is there.")
    assert "[FOL-3019]" in refused.err
    assert "主节点未移交：没有其他服务器" in foliot("cluster", "step-down", "--lang", "zh-CN").err
    assert foliot("cluster", "step-down", "--to", "nobody").code == 3


def test_jobs_are_sorted_by_how_they_went(foliot: Shell) -> None:
    foliot("job", "trigger", "fail", "--wait")
    foliot("job", "trigger", "greet", "--wait")
    worst = foliot("job", "list", "--sort", "fails")
    assert worst.out.splitlines()[1].startswith("fail")
    assert "FAILED" in worst.out.splitlines()[0]
    assert "greet" not in foliot("job", "list", "--sort", "fails", "-q").out.split()
    assert "greet" in foliot("job", "list", "--sort", "p95", "-q").out.split()
    assert "P95" in foliot("job", "list", "--sort", "p95").out


def test_a_log_since_some_time_in_the_readers_zone_or_as_it_is_kept(foliot: Shell) -> None:
    run = foliot("job", "trigger", "tick", "-q").out.strip()
    foliot("run", "watch", run)
    raw = foliot("run", "logs", run, "--raw").out.splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z  INFO  tick  i=\d", line) for line in raw), raw
    shown = foliot("run", "logs", run, "--tz", "Asia/Shanghai").out.splitlines()
    at = datetime.fromisoformat(raw[0].split()[0]).astimezone(ZoneInfo("Asia/Shanghai"))
    heading = foliot("run", "logs", run, "--tz", "Asia/Shanghai").err
    assert re.match(rf"▶ tick  {run}  due .*:\d\d CST", heading)
    assert shown[0].endswith(f"{at:%H:%M:%S}.{at.microsecond // 1000:03d}  INFO  tick  i=0")
    assert len(foliot("run", "logs", run, "--since", "1h").out.splitlines()) == 3
    assert foliot("run", "logs", run, "--since", "2099-01-01").out == ""
    assert foliot("run", "logs", "-f", run, "--level", "error").out == ""
    assert len(foliot("run", "logs", "-f", run, "--tail", "2").out.splitlines()) == 2


def test_a_result_that_was_not_kept_is_told(foliot: Shell) -> None:
    done = foliot("job", "trigger", "big", "--wait")
    assert (done.code, done.out) == (0, "")
    assert re.search(r"▲ Result of r-\w+ is 97\.7 KiB; the limit is 64 KiB\. The run succeeded", done.err)
    run = foliot("run", "list", "--job", "big", "-q", "--limit", "1").out.strip()
    asked = foliot("run", "result", run)
    assert (asked.code, asked.out, "the result was not kept" in asked.err) == (1, "", True)
    assert foliot("run", "result", run, "-o", "json").code == 1
    later = foliot("job", "trigger", "greet", "--delay", "1h", "-q").out.strip()
    waiting = foliot("run", "result", later)
    assert (waiting.code, waiting.out, waiting.err) == (6, "", f"▶ greet  {later}  PENDING\n")
    foliot("run", "cancel", later)


def test_shards_are_shown(foliot: Shell) -> None:
    foliot("job", "create", "parts", "--py", "jobs:greet", "--set", "shards=2")
    try:
        done = foliot("job", "trigger", "parts", "--wait")
        assert re.search(r"✔ parts  r-\w+  succeeded in \d", done.err)
        run = re.findall(r"r-\w+", done.err)[0]
        shown = foliot("run", "show", run).out
        assert re.search(r"shards +2 ✔ SUCCEEDED", shown)
        assert re.search(r"slowest +[01]  r-\w+ on \S+  \d", shown)
        listed = foliot("run", "list", "--job", "parts", "--shards").out
        assert {f"{number} of {run}" for number in (0, 1)} <= set(re.findall(rf"\d of {run}", listed))
        part = next(line.split()[0] for line in listed.splitlines() if f" 1 of {run} " in line)
        assert re.search(rf"shard +1 of {run}", foliot("run", "show", part).out)
        assert "SHARD" not in foliot("run", "list", "--job", "parts").out
    finally:
        foliot("job", "delete", "parts", "--yes")


def test_failed_shards_run_again_and_the_answer_says_why(foliot: Shell) -> None:
    foliot("job", "create", "parts", "--py", "jobs:fail", "--set", "shards=2")
    try:
        run = re.findall(r"r-\w+", foliot("job", "trigger", "parts", "--wait").err)[0]
        again = foliot("run", "retry", run, "--failed-shards", "--reason", "the disk is back")
        assert re.fullmatch(rf"▶ {run} runs again as r-\w+ \(the disk is back\)\n", again.err), again
        plain = foliot("run", "retry", run, "--reason", "the disk is back")
        assert re.fullmatch(rf"▶ {run} runs again as r-\w+\n", plain.err), plain
    finally:
        foliot("job", "delete", "parts", "--yes")


def test_a_run_that_cannot_run_again_stops_no_other(foliot: Shell) -> None:
    foliot("job", "create", "gone", "--py", "jobs:fail")
    gone, fails = (re.findall(r"r-\w+", foliot("job", "trigger", name, "--wait").err)[0] for name in ("gone", "fail"))
    foliot("job", "delete", "gone", "--yes")
    done = foliot("run", "retry", gone, fails, "-q")
    assert (done.code, len(done.out.split())) == (5, 1), done
    assert re.fullmatch(rf"✖ {gone} belongs to gone, which was deleted.*\[FOL-3013\]\n", done.err, re.DOTALL), done


def test_why_names_the_error_once(foliot: Shell) -> None:
    run = foliot("job", "trigger", "fail", "-q").out.strip()
    foliot("run", "watch", run)
    assert ": ValueError: boom." in foliot("run", "why", run).out


def test_what_a_job_says_does_not_steer_the_terminal_of_who_looks_at_it(foliot: Shell) -> None:
    evil = "\x1b[2J\x1b]0;owned\x07\u202egnp\x9b8m"
    run = foliot("job", "trigger", "fail", "-p", f"why={evil}", "--reason", "because", "-q").out.strip()
    assert foliot("run", "watch", run).code == 6
    for command in (
        ("run", "show", run),
        ("run", "show", run, "-o", "yaml"),
        ("run", "list", "--job", "fail", "-o", "wide"),
        ("run", "logs", run),
        ("run", "logs", "-f", run),
        ("run", "result", run),
        ("run", "watch", run),
        ("why", run),
        ("job", "show", "fail"),
    ):
        said = foliot(*command)
        assert visible(said.out + said.err) == said.out + said.err, command
    assert "\\u001b[2J" in foliot("run", "show", run).out
    assert evil in foliot("run", "show", run, "-o", "json").json["error"]
