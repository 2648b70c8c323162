"""Commands against a real server: what they say, what they print, how they end."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Shell
from tests.eventually import eventually


def test_the_first_five_minutes(foliot: Shell) -> None:
    listed = foliot("job", "list")
    assert listed.code == 0
    assert "every 1 hour" in listed.out or "every hour" in listed.out
    greeted = foliot("job", "trigger", "greet", "-p", "name=Foliot", "-p", "shout=true", "--wait")
    assert (greeted.code, greeted.out) == (0, "HELLO FOLIOT\n")
    assert re.search(r"▶ greet  r-\w+  queued", greeted.err)
    assert re.search(r"✔ greet  r-\w+  succeeded in [\d.]+ (µs|ms|s)", greeted.err)
    misspelt = foliot("job", "trigger", "gret")
    assert misspelt.code == 3
    assert misspelt.err == '✖ No job "gret" in namespace "default".\n  did you mean greet?  [FOL-2001]\n'
    assert misspelt.out == ""


def test_messages_speak_chinese_and_keys_do_not(foliot: Shell) -> None:
    misspelt = foliot("job", "trigger", "gret", "--lang", "zh-CN")
    assert misspelt.err == "✖ 命名空间“default”中没有任务“gret”。\n  是否想写 greet？  [FOL-2001]\n"
    by_locale = foliot("job", "trigger", "gret", LC_ALL="zh_CN.UTF-8", LANG="zh_CN.UTF-8")
    assert by_locale.err == misspelt.err
    done = foliot("job", "trigger", "greet", "--wait", "--lang", "zh-CN")
    assert "成功，用时" in done.err
    assert "成功" in foliot("run", "list", "--job", "greet", "--lang", "zh").out
    keys = foliot("run", "list", "--job", "greet", "--lang", "zh-CN", "-o", "json").json
    assert keys["items"][0]["state"] == "SUCCEEDED"


def test_wrong_parameters_are_told_before_anything_is_queued(foliot: Shell) -> None:
    before = foliot("run", "list", "--job", "settle", "-q").out
    wrong = foliot("job", "trigger", "settle", "-p", "day=2026-13-01", "-p", "dry-run=true")
    assert wrong.code == 2
    assert wrong.err.startswith('✖ settle: day="2026-13-01" is not a date; dry-run is unknown.\n')
    assert "parameters: day (date), dry_run (true/false)  [FOL-1006]" in wrong.err
    chinese = foliot("job", "trigger", "settle", "-p", "day=x", "-p", "dry-run=true", "--lang", "zh-CN")
    assert chinese.err.startswith("✖ settle：day 不是日期；dry-run 是未知参数。\n")
    assert foliot("run", "list", "--job", "settle", "-q").out == before


def test_a_parameter_that_takes_text_takes_numbers_as_text(foliot: Shell) -> None:
    assert foliot("job", "trigger", "greet", "-p", "name=42", "--wait").out == "hello 42\n"


def test_parameters_come_from_a_file_or_stdin(foliot: Shell) -> None:
    done = foliot("job", "trigger", "settle", "--params", "-", "--wait", stdin='{"day": "2026-02-28"}')
    assert json.loads(done.out) == {"day": "2026-02-28", "orders": 3}
    assert foliot("job", "trigger", "settle", "--params", "-", stdin="not json").code == 2


def test_a_run_that_fails_is_exit_code_six(foliot: Shell) -> None:
    failed = foliot("job", "trigger", "fail", "-p", "why=no money", "--wait")
    assert failed.code == 6
    assert re.search(r"✖ fail  (r-\w+)  FAILED \(error\): .*no money\n  foliot run logs \1\n$", failed.err)
    chinese = foliot("job", "trigger", "fail", "--wait", "--lang", "zh-CN")
    assert re.search(r"✖ fail  r-\w+  失败 \(出错\)：ValueError: boom\n", chinese.err)
    lines = foliot("job", "trigger", "fail", "-p", "why=你好 bad\nsecond line", "--wait")
    assert re.search(r"FAILED \(error\): .*你好 bad\n", lines.err)
    assert "second line" not in lines.err
    run = re.findall(r"r-\w+", failed.err)[0]
    shown = foliot("run", "show", run).out
    assert "no money" in shown
    assert re.search(r"^executes +python: jobs:fail$", shown, re.MULTILINE)
    assert re.search(r"^run +python: jobs:fail$", foliot("job", "show", "fail").out, re.MULTILINE)
    assert 'parameters   name (text) = "world"' in foliot("job", "show", "greet").out
    assert "ValueError: no money" in foliot("run", "why", run).out
    told = foliot("run", "result", run)
    assert (told.code, told.out) == (6, "")
    assert told.err == f"✖ fail  {run}  FAILED (error): ValueError: no money\n"
    again = foliot("run", "retry", run, "-q")
    assert again.code == 0
    assert again.out.strip() != run
    assert foliot("run", "watch", again.out.strip()).code == 6


def test_the_same_key_is_the_same_run(foliot: Shell) -> None:
    first = foliot("job", "trigger", "greet", "--key", "once", "-q").out
    assert foliot("job", "trigger", "greet", "--key", "once", "-q").out == first


def test_waiting_no_longer_than_told_is_exit_code_nine(foliot: Shell) -> None:
    late = foliot("job", "trigger", "sleepy", "--wait", "--wait-for", "1s")
    assert late.code == 9
    assert "[FOL-6012]" in late.err
    run = foliot("run", "list", "--job", "sleepy", "-q").out.split()[0]
    eventually(lambda: foliot.state(run) == "RUNNING", within_s=60)
    cancelled = foliot("run", "cancel", run, "--reason", "enough")
    assert cancelled.code == 0
    eventually(lambda: foliot.state(run) == "CANCELLED", within_s=60)
    assert "was over already (CANCELLED)" in foliot("run", "cancel", run).err
    assert re.search(r"^cancel +by \S.* \(enough\)$", foliot("run", "show", run).out, re.MULTILINE)


def test_the_text_of_a_script_has_versions_that_can_be_compared_and_taken_back(foliot: Shell) -> None:
    first, second = "set -eu\necho one\necho end\n", "set -eu\necho two\necho end\n"
    for verb, text in (("create", first), ("edit", second)):
        run = json.dumps({"shell": {"language": "sh", "script": text}})
        assert foliot("job", verb, "tidy", "--set", f"run={run}").code == 0
    diff = foliot("job", "diff", "tidy", "v1", "v2")
    assert diff.code == 7
    assert diff.out.splitlines() == [
        "run.shell.script", "  @@ -1,4 +1,4 @@", "   set -eu", "  -echo one", "  +echo two", "   echo end", "   ",
    ]  # fmt: skip
    assert foliot("job", "rollback", "tidy", "--to", "v1").code == 0
    shown = foliot("job", "show", "tidy", "-o", "json").json
    assert shown["definition"]["run"]["shell"]["script"] == first
    assert foliot("job", "delete", "tidy", "--yes").code == 0


def test_logs(foliot: Shell) -> None:
    run = foliot("job", "trigger", "tick", "-q").out.strip()
    followed = foliot("run", "logs", "-f", run)
    assert [line[line.find("INFO") :] for line in followed.out.splitlines()] == [
        "INFO  tick  i=0", "INFO  tick  i=1", "INFO  tick  i=2",
    ]  # fmt: skip
    assert foliot("run", "logs", run, "--grep", "i=[12]", "--tail", "1").out.count("\n") == 1
    assert "i=2" in foliot("run", "logs", "--job", "tick").out
    assert foliot("run", "logs", run, "--grep", "(").code == 2
    assert foliot("run", "logs", "r-zzzz").code == 3
    assert foliot("job", "trigger", "tick", "--logs").out.count("tick") == 3


def test_a_job_is_made_changed_compared_cloned_and_taken_away(foliot: Shell) -> None:
    made = foliot("job", "create", "nightly", "--cron", "0 2 * * *", "--zone", "Asia/Shanghai", "--py", "jobs:greet",
                  "-p", "name=night", "--tag", "team=night", "--owner", "ops", "--set", "place.priority=7")  # fmt: skip
    assert (made.code, made.err) == (0, "✔ nightly v1 created\n")
    assert foliot("job", "create", "nightly", "--py", "jobs:greet").code == 5
    checked = foliot("job", "create", "other", "--cron", "0 9 1 * MON", "--py", "jobs:greet", "--check")
    assert "[FOL-1003]" in checked.out
    assert re.search(r"^place +.*priority: 7", foliot("job", "show", "nightly").out, re.MULTILINE)
    changed = foliot("job", "edit", "nightly", "--set", "timeout=45m", "--unset", "owner", "--reason", "slow")
    assert (changed.code, changed.err) == (0, "✔ nightly is v2 now\n")
    assert "already, nothing changed" in foliot("job", "edit", "nightly", "--set", "timeout=45m").err
    diff = foliot("job", "diff", "nightly", "v1", "v2")
    assert (diff.code, diff.out) == (7, "owner  ops → -\ntimeout  - → 45m\n")
    assert foliot("job", "diff", "nightly", "2").code == 0
    versions = foliot("job", "show", "nightly", "--versions", "-o", "json").json
    assert [version["reason"] for version in versions["items"]] == ["slow", ""]
    assert foliot("job", "rollback", "nightly", "--to", "v1").err == "✔ nightly is v3 now\n"
    assert foliot("job", "clone", "nightly", "nightly_eu", "--set", "params.name=eu").code == 0
    assert foliot("job", "edit", "nightly_eu", "--set", "max_lost=5", "--set", "grace=20s").code == 0
    assert re.search(r"^grace +20s$(?s:.*)^max_lost +5$", foliot("job", "show", "nightly_eu").out, re.MULTILINE)
    assert foliot("job", "show", "nightly_eu", "--yaml").out.startswith(
        'grace: "20s"\nmax_lost: 5\nowner: ops\nparams:\n  name: eu\n'
    )
    shown = foliot("job", "show", "nightly_eu", "-o", "yaml").out
    assert "  params:\n    name: eu" in shown
    paused = foliot("job", "pause", "nightly", "--until", "2h", "--reason", "moving")
    assert re.search(r"nightly is paused until .*\d\d:\d\d:\d\d UTC$", paused.err)
    shown = foliot("job", "show", "nightly").out
    assert re.search(r"PAUSED by \S.* since .*:\d\d UTC until .*:\d\d UTC \(moving\)", shown)
    assert "nightly" in foliot("job", "list", "--paused", "-q").out.split()
    assert re.search(r"nightly goes on; next .*02:00:00 CST$", foliot("job", "resume", "nightly").err)
    assert re.search(r"next .*02:00:00 CST \(in ", foliot("job", "show", "nightly").out)
    assert re.search(r"next .*18:00:00 UTC \(in ", foliot("job", "show", "nightly", "--tz", "UTC").out)
    assert "needs a confirmation: repeat it with --yes" in foliot("job", "delete", "nightly").err
    gone = foliot("job", "delete", "nightly", "nightly_eu", "--yes")
    assert gone.code == 0
    assert foliot("job", "show", "nightly").code == 3
    events = foliot("cluster", "events", "--subject", "nightly", "-o", "json").json["items"]
    assert [event["kind"] for event in events][::-1] == [
        "job.created", "job.changed", "job.changed", "job.paused", "job.resumed", "job.deleted",
    ]  # fmt: skip


def test_a_job_is_tested_once_and_its_log_shown(foliot: Shell) -> None:
    tested = foliot("job", "test", "greet", "-p", "name=you", "--reason", "look")
    assert (tested.code, tested.out) == (0, "hello you\n")
    assert "test of python: jobs:greet" in tested.err
    run = foliot("run", "list", "--job", "greet", "--limit", "1", "-o", "json").json["items"][0]
    assert (run["origin"], run["reason"]) == ("test", "look")
    shown = foliot("run", "show", run["id"]).out
    assert re.search(r"^from +test by ", shown, re.MULTILINE), shown
    assert run["id"] not in foliot("run", "list", "--job", "greet", "--tests", "none").out
    listed = foliot("run", "list", "--job", "greet", "--tests", "only").out
    assert re.search(rf"^{run['id']} .* test · ", listed, re.MULTILINE), listed


def test_a_definition_in_a_file_is_tested_before_it_is_saved(foliot: Shell, tmp_path: Path) -> None:
    file = tmp_path / "greeting.json"
    file.write_text(json.dumps({"run": {"python": "jobs:greet"}, "params": {"name": "Anne"}}), "utf-8")
    tested = foliot("job", "test", "greeting", "--file", str(file))
    assert (tested.code, tested.out) == (0, "hello Anne\n")
    assert "greeting" in tested.err
    assert "test of python: jobs:greet" in tested.err
    unsaved = foliot("job", "show", "greeting")
    assert (unsaved.code, "deleted" in unsaved.err) == (3, False)
    assert "test · " in foliot("run", "list", "--job", "greeting").out
    file.write_text("[]", "utf-8")
    assert "is not a definition" in foliot("job", "test", "--file", str(file)).err
    assert "Say which job" in foliot("job", "test").err


def test_bad_definitions_say_which_field(foliot: Shell) -> None:
    bad = foliot("job", "create", "x", "--cron", "0 25 * * *", "--py", "m:f")
    assert bad.code == 2
    assert "hour 25 is out of range 0–23 (2nd field)" in bad.err
    assert "[FOL-1001]" in bad.err
    zone = foliot("job", "create", "x", "--cron", "0 2 * * *", "--zone", "Asia/Beijing", "--py", "m:f")
    assert 'Time zone "Asia/Beijing" does not exist.' in zone.err
    assert "use Asia/Shanghai" in zone.err
    unknown = foliot("job", "create", "x", "--py", "m:f", "--set", "priorty=3")
    assert '"priorty" is not a field of a job.' in unknown.err
    quartz = foliot("job", "create", "x", "--cron", "0 0 2 ? * 2", "--py", "m:f")
    assert "2 is Monday in Quartz, Tuesday in Spring and Unix" in quartz.err
    dry = foliot("job", "create", "x", "--cron", "0 9 1 * MON", "--zone", "UTC", "--py", "m:f", "--dry-run")
    assert (dry.code, dry.out) == (0, 'run:\n  python: "m:f"\nschedule:\n  cron: "0 9 1 * MON"\n')
    assert "FOL-1003" in dry.err
    assert "no live worker can execute it yet" in dry.err
    assert foliot("job", "show", "x").code == 3
    nothing = foliot("job", "create", "x", "--every", "1m")
    assert (nothing.code, "Say what runs with --py" in nothing.err) == (2, True)
    nobody = foliot("job", "create", "x", "--set", "run.shel=ls", "--dry-run")
    assert nobody.code == 0
    assert 'No live worker that may run this job offers the kind "shel"' in nobody.err
    assert "did you mean shell? start a worker that offers shel; known are: " in nobody.err
    assert nobody.err.count("FOL-1099") == 1
    assert "no live worker can execute it yet" not in nobody.err, "it is said once"


def test_kinds_of_handlers_are_listed_and_their_options_shown(foliot: Shell) -> None:
    listed = foliot("handler", "list").out
    assert listed.splitlines()[0].split() == ["KIND", "VERSIONS", "NODES", "FAILED", "ON"]
    assert [line.split()[0] for line in listed.splitlines()[1:]] == ["http", "python", "shell", "sql"]
    shown = foliot("handler", "show", "http", "-o", "wide")
    assert "url *" in shown.out
    assert "How many redirects are followed." in shown.out
    assert "* must be given" in shown.err
    misspelt = foliot("handler", "show", "htpp")
    assert (misspelt.code, "did you mean http?" in misspelt.err) == (3, True)


def test_the_past_is_filled_after_a_preview(foliot: Shell) -> None:
    foliot("job", "create", "minutely", "--every", "1m", "--py", "jobs:greet", "--overlap", "allow")
    try:
        preview = foliot("job", "backfill", "minutely", "--from", "10m", "--to", "5m", "--dry-run", "-o", "json").json
        assert (preview["count"], preview["job"]) == (5, "minutely")
        refused = foliot("job", "backfill", "minutely", "--from", "10m", "--to", "5m")
        assert refused.code == 2
        done = foliot("job", "backfill", "minutely", "--from", "10m", "--to", "5m", "--wait", "--yes")
        assert done.code == 0, done.err
        assert "started: 5 runs" in done.err
        rows = foliot("job", "backfills", "--job", "minutely", "-o", "json").json["items"]
        assert (rows[0]["state"], rows[0]["succeeded"]) == ("DONE", 5)
        again = foliot("job", "backfill", "minutely", "--from", "10m", "--to", "8m")  # also when that took minutes
        assert "nothing to fill" in again.err
        future = foliot("job", "backfill", "minutely", "--from", "1h", "--to", "2099-01-01")
        assert "is not past yet" in future.err
        assert "is not past yet" in foliot("job", "backfill", "minutely", "--from", "1h", "--to", "+1h").err
    finally:
        foliot("job", "delete", "minutely", "--yes")


def test_nodes_and_the_cluster(foliot: Shell) -> None:
    nodes = foliot("node", "list", "-o", "json").json["items"]
    assert {node["kind"] for node in nodes} == {"server", "worker"}
    name = nodes[0]["name"]
    assert name in foliot("node", "show", name).out
    assert foliot("node", "show", "nowhere").code == 3
    assert foliot.led() == name
    status = foliot("cluster", "status")
    assert "term" in status.out
    assert "● ONLINE" in status.out
    kinds = eventually(
        lambda: (
            {event["kind"] for event in foliot("cluster", "events", "-o", "json", "--limit", "500").json["items"]}
            >= {"node.joined", "leader.elected"}
        ),
        within_s=60,
        what="the journal tells of nodes and elections",
    )
    assert kinds


def test_tokens_and_contexts(foliot: Shell) -> None:
    made = foliot("token", "create", "ci", "--scope", "read", "--expires", "1h", "--write", "ci.token")
    assert made.code == 0
    assert re.search(r"until .*\d\d:\d\d:\d\d UTC, written to ci.token$", made.err)
    assert "EXPIRES (UTC)" in foliot("token", "list").out
    file = foliot.folder / "ci.token"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text().strip() not in made.out + made.err
    server = foliot("context", "show", "-o", "json").json["items"][0]["value"]
    added = foliot("context", "add", "ci", "--url", server, "--token-from", "ci.token")
    assert added.code == 0
    assert (foliot.config / "tokens" / "ci").stat().st_mode & 0o777 == 0o600
    who = foliot("whoami", "--context", "ci", "-o", "json").json
    assert (who["name"], who["scopes"]) == ("ci", ["read"])
    denied = foliot("job", "trigger", "greet", "--context", "ci")
    assert denied.code == 4
    assert denied.err.startswith("✖ This token has the scope read, but this needs the scope run.")
    assert "foliot token create NAME --scope run  [FOL-4001]" in denied.err
    listed = foliot("token", "list", "-o", "json").json["items"]
    assert "ci" in [token["name"] for token in listed]
    rotated = foliot("token", "rotate", "ci", "--grace", "0s", "-q")
    assert rotated.out.startswith("fol_")
    assert foliot("whoami", "--context", "ci").code == 4
    assert foliot("token", "revoke", "ci").code == 0
    assert foliot("token", "revoke", "ci").code == 3
    assert "* " in foliot("context", "list").out
    assert foliot("context", "use", "cii").err == '✖ No context "cii".\n  did you mean ci?  [FOL-2009]\n'
    assert foliot("context", "rm", "ci").code == 0
    assert not (foliot.config / "tokens" / "ci").exists()
    file.unlink()


def test_login_with_a_link(foliot: Shell, alone: Shell) -> None:
    link = foliot("login-link", "-q").out.strip()
    assert "/login#" in link
    assert alone("login", link, "--as", "lab").code == 0
    assert alone("whoami", "-o", "json").json["scopes"] == ["admin"]
    assert alone("login", link).code == 4
    assert alone("logout").code == 0
    assert alone("whoami").code == 4


def test_calendars(foliot: Shell) -> None:
    saved = foliot("calendar", "save", "close", "--set", 'exclude=["2026-12-31"]', "--reason", "年末")
    assert (saved.code, saved.err) == (0, "✔ close is v1 now\n")
    lines = (
        "BEGIN:VCALENDAR",
        "BEGIN:VEVENT",
        "DTSTART;VALUE=DATE:20261001",
        "SUMMARY:国庆",
        "END:VEVENT",
        "END:VCALENDAR",
    )
    (foliot.folder / "days.ics").write_text("\r\n".join(lines))
    assert foliot("calendar", "import", "close", "days.ics").err == "✔ close is v2 now\n"
    assert "2026-10-01" in foliot("calendar", "show", "close").out
    assert foliot("calendar", "list", "-q").out.startswith("close\nweekdays\n")
    assert re.search(r"cn-workdays +built-in +- ", foliot("calendar", "list").out)
    built_in = foliot("calendar", "show", "cn-workdays", "--lang", "zh-CN")
    assert (built_in.code, "cn-workdays built-in" in built_in.out, "不计入" in built_in.out) == (0, True, True)
    assert (
        foliot(
            "job", "create", "closing", "--every", "1h", "--py", "jobs:greet", "--set", "schedule.calendar=close"
        ).code
        == 0
    )
    assert "closing" in foliot("calendar", "show", "close").out
    assert foliot("calendar", "delete", "close", "--yes").code == 5
    foliot("job", "delete", "closing", "--yes")
    assert foliot("calendar", "delete", "close", "--yes").code == 0
    assert foliot("calendar", "save", "close", "--set", "countri=CN").code == 2


def test_search_and_why(foliot: Shell) -> None:
    assert "settle" in foliot("search", "结算").out
    assert foliot("search", "nothing like this").err == "nothing found\n"
    told = foliot("why", "tick", "--at", "2020-01-01T00:00:00Z")
    assert told.code == 0
    assert "no fire: tick was created at" in told.out
    assert "greet has no schedule" in foliot("job", "why", "greet", "--at", "now").out
    assert "没有调度计划" in foliot("job", "why", "greet", "--at", "now", "--lang", "zh-CN").out
    run = foliot("job", "trigger", "greet", "--wait", "-q").out.strip()
    newest, standing = foliot("why", "greet").out.splitlines()[:2]
    assert newest.startswith(f"{run} of greet, ")
    assert standing == "greet has no schedule: it runs when it is triggered."
    assert run in foliot("why", run).out
    both = foliot("run", "why", run, run, "r-zzzz", "-o", "json").json
    assert [one["run"] for one in both["items"]] == [run]
    timed = foliot("why", run, "--at", "13:00")
    assert (timed.code, f"A run takes no --at and no --since: foliot why {run}" in timed.err) == (2, True)
    assert foliot("why", "gret", "--since", "1h").code == 3
    nobody = foliot("why", "")
    assert (nobody.code, "Say which job" in nobody.err) == (2, True)
    assert foliot("job", "fires", "tick", "-o", "json").json["future"]


def test_why_gives_pages(foliot: Shell) -> None:
    assert foliot("job", "create", "paged", "--every", "1s", "--py", "jobs:greet").code == 0
    eventually(lambda: foliot("run", "list", "--job", "paged", "-q").out, within_s=60)
    assert foliot("job", "pause", "paged").code == 0
    whole = foliot("why", "paged", "--since", "1h", "-o", "json").json
    assert whole["next_cursor"] is None
    verdicts = [item["verdict"] for item in whole["items"]]
    assert len(verdicts) >= 2  # a run, and that it is paused
    first = foliot("job", "why", "paged", "--since", "1h", "--limit", "1")
    more = re.fullmatch(r"more: --cursor (\S+)\n", first.err)
    assert more is not None
    rest = foliot("why", "paged", "--since", "1h", "--cursor", more[1], "-o", "name").out.split()
    assert rest == verdicts[1:]
    foliot("job", "delete", "paged", "--yes")


def test_states_are_asked_for_by_the_words_that_are_shown(foliot: Shell) -> None:
    later = foliot("job", "trigger", "greet", "--delay", "1h", "-q").out.strip()
    assert later in foliot("run", "list", "--state", "pending", "-q").out.split()
    assert later in foliot("run", "list", "--state", "待执行,失败", "-q").out.split()
    assert later not in foliot("run", "list", "--state", "held,retrying", "-q").out.split()
    foliot("run", "cancel", later)
    wrong = foliot("run", "list", "--state", "hold")
    assert wrong.code == 2
    assert re.fullmatch(r'✖ state: "hold" is not one of .*HELD.*  \[FOL-\d+\]\n', wrong.err), wrong.err


def test_output_forms(foliot: Shell) -> None:
    names = ["big", "fail", "greet", "settle", "sleepy", "stubborn", "tick"]
    assert foliot("job", "list", "-o", "name").out.split() == names
    assert foliot("job", "list", "-q").out.split() == names
    assert [json.loads(line)["name"] for line in foliot("job", "list", "-o", "jsonl").out.splitlines()] == names
    document = foliot("job", "list", "-o", "json").json
    assert set(document) == {"items", "next_cursor"}
    wide = foliot("job", "list", "-o", "wide").out
    assert "CRON" in wide
    assert "DESCRIPTION" in wide
    assert "- name: fail" in foliot("job", "list", "-o", "yaml").out
    assert foliot("job", "list", "-l", "team=data", "-q").out.split() == ["settle"]
    assert foliot("job", "list", "--limit", "2", "-o", "json").json["next_cursor"]
    assert foliot("job", "list", "--limit", "2", "-q").out.split() == names[:2]


def test_a_cluster_that_is_not_there_is_exit_code_eight(alone: Shell) -> None:
    nobody = alone("job", "list")
    assert nobody.code == 8
    assert "[FOL-5030]" in nobody.err
    away = alone("job", "list", "--server", "http://127.0.0.1:1", "--timeout", "30s")
    assert away.code == 8
    assert away.err.startswith("✖ No answer from http://127.0.0.1:1 (connection refused).")
    assert "foliot context list  [FOL-5001]" in away.err
    chinese = alone("job", "list", "--server", "http://127.0.0.1:1", "--timeout", "30s", "--lang", "zh-CN")
    assert chinese.err.startswith("✖ http://127.0.0.1:1 没有应答")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("jbo",), 'No command "jbo". Did you mean job?'),
        (("job", "lst"), 'No command "foliot job lst". Did you mean list?'),
        (("job", "list", "--failng"), "'--failing'"),
        (("run", "cancel"), "Say which runs"),
        (("job", "pause"), "Say which jobs"),
        (("job", "trigger", "greet", "-p", "x"), '"x" is not K=V'),
        (("run", "list", "--since", "yesterday"), '"yesterday" is not a time'),
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_code_two_and_says_the_nearest(foliot: Shell, args: tuple[str, ...], said: str) -> None:
    answer = foliot(*args)
    assert answer.code == 2
    assert said in answer.err


def test_a_job_named_where_a_run_belongs_is_told(foliot: Shell) -> None:
    shown = foliot("run", "show", "tick")
    assert (shown.code, shown.err) == (3, '✖ No run "tick".\n  tick is a job; its runs: --job tick  [FOL-2003]\n')
    assert foliot("run", "logs", "tick").err == shown.err
    assert foliot("run", "cancel", "tick").err == shown.err
    chinese = foliot("run", "show", "tick", "--lang", "zh-CN")
    assert chinese.err == "✖ 没有执行“tick”。\n  tick 是任务；它的执行：--job tick  [FOL-2003]\n"
    foliot("job", "create", "minutes", "--py", "jobs:greet")
    try:
        assert "minutes is a job; its runs: --job minutes" in foliot("run", "retry", "minutes").err  # no u in an id
    finally:
        foliot("job", "delete", "minutes", "--yes")
    assert foliot("run", "watch", "tick").err == shown.err  # it does not wait for what is not there
    assert foliot("run", "show", "zzzz").err.startswith('✖ No run "zzzz".\n  finished runs are kept')


def test_docs_and_version(alone: Shell) -> None:
    assert alone("docs", "FOL-2001").out.startswith("FOL-2001  A job that does not exist")
    assert "foliot job list shows all" in alone("docs", "FOL-2001").out
    chinese = alone("docs", "2001", "--lang", "zh-CN").out
    assert "任务不存在" in chinese
    assert "原因  名称拼写有误" in chinese
    assert "处理  foliot job list" in chinese
    assert alone("docs", "FOL-9999").code == 3
    assert alone("version").out.startswith("foliot ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_scripts(alone: Shell, shell: str) -> None:
    assert "foliot" in alone("completion", shell).out
