"""Watching a run: what a user sees from the queue to the end, and when they stop looking."""

import re

from tests.cli.conftest import Shell
from tests.cli.test_terminal import terminal, whole


def test_a_triggered_run_is_seen_from_the_queue_to_its_end(foliot: Shell) -> None:
    done = foliot("job", "trigger", "greet", "--wait")
    run = re.findall(r"r-\w+", done.err)[0]
    node = foliot("run", "show", run, "-o", "json").json["node"]
    queued, worker, ended = done.err.splitlines()
    assert (queued, worker) == (f"▶ greet  {run}  queued", f"▶ greet  {run}  → {node}")
    assert ended.startswith(f"✔ greet  {run}  succeeded in ")
    assert f"greet  {run}  → {node}" in foliot("run", "watch", run, "--lang", "zh-CN").err
    quiet = foliot("job", "trigger", "greet", "--wait", "-o", "json")
    assert (quiet.err, quiet.json["state"]) == ("", "SUCCEEDED")


def test_a_run_for_later_says_when(foliot: Shell) -> None:
    in_an_hour = foliot("job", "trigger", "greet", "--at", "1h")
    assert re.search(r"queued, starts at (\S+ )?\d\d:\d\d:\d\d UTC \(in [\dhms ]+\)$", in_an_hour.err)
    delayed = foliot("job", "trigger", "greet", "--delay", "1d", "--lang", "zh-CN")
    assert re.search(r"已入队，\S+ \d\d:\d\d:\d\d UTC 开始（.*后）$", delayed.err)
    foliot("run", "cancel", in_an_hour.out.strip(), delayed.out.strip())


def test_a_watch_shows_worker_and_progress_and_says_that_the_run_goes_on(foliot: Shell) -> None:
    with terminal(foliot, "job", "trigger", "sleepy", "--wait", "--no-color") as child:
        child.expect(r"sleepy  (r-\w+)  queued\r\n")
        run = child.match[1]
        child.expect(rf"▶ sleepy  {run}  → \S+\r\n")
        child.expect(rf"▶ sleepy  {run}  █+░+  1/4")
        child.sendintr()
        said, code = whole(child)
    assert f"▲ {run} goes on. Look again: foliot run watch {run}; end it: foliot run cancel {run}" in said
    assert code == 130
    assert foliot.state(run) == "RUNNING"
    foliot("run", "cancel", run)


def test_a_log_that_is_followed_has_the_readers_times_and_is_left_with_a_word(foliot: Shell) -> None:
    shown = foliot("job", "trigger", "tick", "--logs", "--tz", "Asia/Shanghai").out
    assert re.search(r"^(\S+ )?\d\d:\d\d:\d\d\.\d{3}  INFO  tick  i=0$", shown, re.MULTILINE)
    with terminal(foliot, "job", "trigger", "stubborn", "--logs", "--no-color") as child:
        child.expect(r"stubborn  (r-\w+)  queued\r\n")
        run = child.match[1]
        child.expect(r"INFO  deaf\r\n")
        child.sendintr()
        said, code = whole(child)
    assert (code, f"▲ {run} goes on." in said) == (130, True)
    foliot("run", "cancel", run, "--force")


def test_a_run_that_is_held_says_why_while_it_is(foliot: Shell) -> None:
    (worker,) = {
        node["name"] for node in foliot("node", "list", "-o", "json").json["items"] if node["kind"] == "worker"
    }
    foliot("node", "drain", "--self", "--no-wait")
    try:
        with terminal(foliot, "job", "trigger", "greet", "--wait", "--no-color") as child:
            child.expect(r"greet  (r-\w+)  queued\r\n")
            child.expect(r"◌ [^\r\n]*are draining and take no more work[^\r\n]*\r\n")
            foliot("node", "undrain", worker)
            child.expect(rf"→ {re.escape(worker)}\r\n")
            child.expect(r"succeeded in ")
            _, code = whole(child)
        assert code == 0
    finally:
        foliot("node", "undrain", worker)
