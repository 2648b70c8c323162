"""`foliot job reschedule` beside a running `foliot up`."""

import re
import sqlite3
from contextlib import closing

import pytest

from tests.cli.conftest import Shell

FAR_US = 1_930_000_000_000_000  # in 2031


@pytest.fixture
def ahead(foliot: Shell) -> str:
    """A job that a store clock sent years ahead."""
    foliot("job", "create", "ahead", "--every", "1h", "--py", "jobs:greet")
    (store,) = (foliot.folder / ".foliot").glob("*.db")
    with closing(sqlite3.connect(store, timeout=60)) as connection, connection:
        connection.execute(
            "UPDATE cursors SET next_at = ?, next_due_at = ?, cursor_ver = cursor_ver + 1 "
            "WHERE job_id = (SELECT max(id) FROM jobs WHERE name = 'ahead')",
            (FAR_US, FAR_US),
        )
    return "ahead"


def test_a_schedule_that_stands_ahead_is_set_right(foliot: Shell, ahead: str) -> None:
    assert "foliot job reschedule ahead" in foliot("job", "why", ahead).out
    assert "[FOL-5006]" in foliot("cluster", "status").out
    looked = foliot("job", "reschedule", "--all", "--dry-run")
    assert re.fullmatch(r"✔ ahead would go on: next fire .*2031.* → .*\n", looked.err)
    done = foliot("job", "reschedule", ahead, "--reason", "the clock was wrong", "-o", "json").json
    assert [(one["name"], one["changed"]) for one in done["items"]] == [(ahead, True)]
    assert re.fullmatch(r"✔ ahead: its schedule is right; next .*\n", foliot("job", "reschedule", ahead).err)
    assert foliot("job", "reschedule", "--all").err == "✔ no job stands ahead of its schedule\n"
    assert foliot("job", "reschedule", "--all", LANG="zh_CN.UTF-8", LC_ALL="zh_CN.UTF-8").err == (
        "✔ 没有任务超前于其调度计划\n"
    )
    foliot("job", "delete", ahead, "--yes")


def test_it_must_be_said_which_jobs(foliot: Shell) -> None:
    for args in ((), ("tick", "--all")):
        refused = foliot("job", "reschedule", *args)
        assert (refused.code, "Say which jobs: names, or --all." in refused.err) == (2, True)
