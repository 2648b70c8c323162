"""The options of `foliot job create` that say where runs may be."""

import re

from tests.cli.conftest import Shell
from tests.eventually import eventually


def test_a_job_is_created_with_a_route_and_wishes(foliot: Shell) -> None:
    made = foliot(
        "job", "create", "placed", "--py", "jobs:greet", "--route", "sticky:film", "--require", "os=linux",
        "--prefer", "disk=ssd", "--avoid", "spot=yes", "--spread", "zone", "--set", "place.priority=7",
    )  # fmt: skip
    assert made.code == 0, made.err
    assert foliot("job", "show", "placed", "-o", "json").json["definition"]["place"] == {
        "require": {"os": "linux"},
        "prefer": {"disk": "ssd"},
        "avoid": {"spot": "yes"},
        "spread": "zone",
        "route": {"name": "sticky", "by": "film"},
        "priority": 7,
    }
    foliot("job", "delete", "placed", "--yes")


def test_why_lists_the_workers_that_a_route_compares(foliot: Shell) -> None:
    options = ("--route", "least_running", "--set", "place.max_running=1")
    assert foliot("job", "create", "routed", "--py", "jobs:sleepy", *options).code == 0
    first = foliot("job", "trigger", "routed", "-q").out.strip()
    eventually(lambda: foliot("run", "show", first, "-o", "json").json["state"] == "RUNNING")
    second = foliot("job", "trigger", "routed", "-q").out.strip()
    (told,) = foliot("run", "why", second, "-o", "json").json["items"]
    (candidate,) = told["candidates"]
    assert (candidate["score"], candidate["chosen"]) == (2, False), "it would have a second run"
    shown = rf"^  its route compares:\n    {candidate['node']}  2\.00$"
    assert re.search(shown, foliot("run", "why", second).out, re.MULTILINE)
    assert f"it came to {candidate['node']} by its route least_running." in foliot("run", "why", first).out
    for run in (second, first):
        foliot("run", "cancel", run)
    foliot("job", "delete", "routed", "--yes")


def test_a_job_that_no_live_worker_takes_says_so(foliot: Shell) -> None:
    assert foliot("job", "create", "on_gpu", "--py", "jobs:greet", "--require", "gpu=h200").code == 0
    shown = foliot("job", "show", "on_gpu", COLUMNS="200").out
    assert "No worker that could run it has gpu=h200: its runs wait until one has." in shown
    assert "tag a worker" in shown
    foliot("job", "delete", "on_gpu", "--yes")


def test_a_route_and_a_label_that_cannot_be_meant_are_refused(foliot: Shell) -> None:
    unknown = foliot("job", "create", "x", "--py", "jobs:greet", "--route", "rond")
    assert (unknown.code, "did you mean round?" in unknown.err) == (2, True)
    both = foliot("job", "create", "x", "--py", "jobs:greet", "--prefer", "zone=e", "--spread", "zone")
    assert "place.spread: place.prefer names one value of this label" in both.err
    assert '"zone" is not K=V.' in foliot("job", "create", "x", "--py", "jobs:greet", "--avoid", "zone").err
