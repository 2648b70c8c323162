"""`foliot limit`: who holds a limit, and what jobs take of it."""

import re

from tests.cli.conftest import Shell


def test_limits(foliot: Shell) -> None:
    made = foliot("limit", "set", "ledger", "4", "--reason", "small machine")
    assert (made.code, made.err) == (0, "✔ the limit ledger of the whole cluster is 4 now\n")
    usual = ("job", "create", "posting", "--py", "jobs:greet", "--set")
    assert foliot(*usual, "place.concurrency.ledger=4").code == 0
    assert foliot("job", "create", "mailing", "--py", "jobs:greet", "--set", "place.concurrency.mail=2").code == 0
    shown = foliot("limit", "list", "-o", "json").json["items"]
    assert [(one["namespace"], one["name"], one["max"]) for one in shown] == [
        ("default", "mail", 2),
        (None, "ledger", 4),
    ]
    assert re.search(r"ledger +named +every +0 +4", foliot("limit", "list").out)
    use = foliot("limit", "show", "ledger", "-o", "json").json
    assert (use["max"], use["used"], use["waiting"], use["holders"]) == (4, 0, 0, [])
    assert use["jobs"] == [{"job": "posting", "namespace": "default", "takes": 1}]
    assert re.search(r"used +0 of 4\n", foliot("limit", "show", "ledger").out)
    assert foliot("job", "create", "heavy", "--py", "jobs:greet", "--set", "place.concurrency.ledger=4", "--set",
                  "place.takes.ledger=3").code == 0  # fmt: skip
    assert "heavy (×3), posting" in foliot("limit", "show", "ledger").out
    small = foliot("limit", "set", "ledger", "2")
    assert "these jobs take more than 2 of it, and their runs can never start: heavy (×3)" in small.err
    assert foliot("limit", "set", "ledger", "4").err == "✔ the limit ledger of the whole cluster is 4 now\n"
    too_much = foliot(*usual, "place.concurrency.ledger=4", "--set", "place.takes.ledger=5")
    assert (too_much.code, "FOL-1242" in too_much.err) == (2, True)
    narrow = foliot("job", "edit", "posting", "--set", "place.concurrency.ledger=2")
    assert (narrow.code, "a run of heavy takes 3: its runs can never start" in narrow.err) == (0, True), narrow
    assert foliot("limit", "show", "nothing").code == 3
    used = foliot("limit", "delete", "ledger", "--yes")
    assert (used.code, "posting" in used.err) == (5, True)
    for name in ("posting", "mailing", "heavy"):
        foliot("job", "delete", name, "--yes")
    assert foliot("limit", "delete", "ledger", "--yes").code == 0
    assert foliot("limit", "delete", "ledger", "--yes").code == 3


def test_a_full_queue_says_how_many_wait_and_what_to_do(foliot: Shell) -> None:
    nobody = ("--require", "gpu=none", "--set", "place.max_waiting=2")
    assert foliot("job", "create", "crowded", "--py", "jobs:greet", *nobody).code == 0
    for _ in range(2):
        assert foliot("job", "trigger", "crowded").code == 0
    full = foliot("job", "trigger", "crowded")
    assert full.code == 5
    assert "2 runs of crowded wait already, the most that may (place.max_waiting). Nothing was queued." in full.err
    assert "foliot run list --job crowded --state held" in full.err
    assert "[FOL-3091]" in full.err
    chinese = foliot("job", "trigger", "crowded", "--lang", "zh-CN").err
    assert "crowded 已有 2 个执行在等待，达到上限（place.max_waiting）。未加入队列。" in chinese
    assert foliot("run", "list", "--job", "crowded", "--state", "held", "-o", "json").json["items"] != []
    foliot("job", "delete", "crowded", "--yes")


def test_limits_of_groups_and_namespaces(foliot: Shell) -> None:
    made = foliot("limit", "set", "--group", "etl", "20")
    assert (made.code, made.err) == (0, "✔ group etl: 20 runs at a time\n")
    rated = foliot("limit", "set", "--group", "etl", "--rate", "100/m")
    assert rated.err == "✔ group etl: 20 runs at a time, 100/m start, at most 1 at once\n"
    assert foliot("limit", "set", "--namespace", "billing", "50", "--rate", "10/s", "--burst", "20").code == 0
    shown = foliot("limit", "list", "--namespace", "billing", "-o", "json").json["items"]
    assert [(one["kind"], one["name"], one["max"], one["rate"], one["burst"]) for one in shown] == [
        ("group", "etl", 20, "100/m", 1),
        ("namespace", "billing", 50, "10/s", 20),
    ]
    assert re.search(r"etl +group +every +0 +20 +100/m", foliot("limit", "list").out)
    assert re.search(r"rate +10/s, at most 20 at once", foliot("limit", "show", "--namespace", "billing").out)
    for wrong in (("--group", "etl"), ("--group", "etl", "--rate", "20000/s"), ("db", "--rate", "1/s"), ("db",)):
        assert foliot("limit", "set", *wrong).code == 2, wrong
    assert foliot("limit", "set", "--group", "etl", "none").err == "✔ group etl: 100/m start, at most 1 at once\n"
    assert foliot("limit", "set", "db", "none").code == 2, "there is no named limit without a number"
    assert foliot("limit", "set", "--group", "etl", "20", "--rate", "none").err == "✔ group etl: 20 runs at a time\n"
    assert foliot("limit", "delete", "--group", "etl", "--yes").code == 0
    assert foliot("limit", "delete", "--namespace", "billing", "--yes").code == 0
    assert foliot("limit", "show", "--group", "etl").code == 3


def test_a_limit_of_the_cluster_says_that_namespaces_have_their_own(foliot: Shell) -> None:
    assert foliot("job", "create", "lending", "--py", "jobs:greet", "--set", "place.concurrency.loans=2").code == 0
    own = foliot("limit", "set", "loans", "3")
    assert own.err == "✔ the limit loans of namespace default is 3 now\n"
    assert foliot("limit", "show", "loans", "-o", "json").json["max"] == 3
    made = foliot("limit", "set", "loans", "4", "--cluster")
    assert "1 namespace has an own limit loans" in made.err
    assert foliot("limit", "show", "loans", "-o", "json").json["max"] == 3, "the namespace's own is as it was"
    foliot("job", "delete", "lending", "--yes")
    assert foliot("limit", "delete", "loans", "--yes").code == 0


def test_the_keys_of_a_job_that_are_full(foliot: Shell) -> None:
    assert foliot("job", "create", "sync", "--py", "jobs:greet", "--set", "place.max_per_key=1", "--set",
                  "place.concurrency_by=name", "--set", "place.max_running=4", "--set",
                  "place.rate=100/m").code == 0  # fmt: skip
    shown = foliot("limit", "show", "--job", "sync")
    assert (shown.code, shown.err) == (0, "")
    assert re.search(r"max_per_key +1 for each name\n", shown.out), shown.out
    assert re.search(r"max_running +4\n", shown.out), shown.out
    assert re.search(r"rate +100/m\n", shown.out), "a rate of the whole job is one, too"
    assert foliot("limit", "show", "--job", "sync", "-o", "json").json["full"] == []
    assert foliot("limit", "show", "sync", "--job", "sync").code == 2
    assert foliot("limit", "show", "--job", "nobody").code == 3
    foliot("job", "delete", "sync", "--yes")
