"""`foliot drill`: what can be broken, what is refused, and how a report reads."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.cli.conftest import Shell

FIRES = {"jobs": 2, "due": 40, "created": 40, "skipped": 0, "lost": 0, "doubled": 0, "early": 0, "late": 0,
         "worst_delay_us": 20_000, "named": []}  # fmt: skip
REPORT = {"detected_us": 17_000_000, "failed_over_us": 18_000_000, "recovered_us": None, "worst_delay_us": 20_000,
          "every_job": True, "rerun": 3, "failovers": [4], "fires": FIRES}  # fmt: skip
CHINESE = {"LANG": "zh_CN.UTF-8", "LC_ALL": "zh_CN.UTF-8"}


@pytest.fixture
def number(foliot: Shell) -> int:
    """A drill that is over, in the store of `foliot up`; its id."""
    row = {"slot": "d:1", "type": "crash", "node": "w-1", "session_id": "s", "for_us": 30_000_000, "made_by": "anne",
           "reason": "friday", "state": "ended", "asked_at": 100_000_000, "began_at": 101_000_000,
           "ended_at": 120_000_000, "report": json.dumps(REPORT)}  # fmt: skip
    (file,) = (foliot.folder / ".foliot").glob("*.db")
    with closing(sqlite3.connect(file, timeout=60)) as connection, connection:
        places = ", ".join("?" * len(row))
        cursor = connection.execute(f"REPLACE INTO drills ({', '.join(row)}) VALUES ({places})", [*row.values()])
        assert cursor.lastrowid is not None
        return cursor.lastrowid


def test_what_can_be_broken_is_listed_and_a_node_that_takes_no_part_is_left_alone(foliot: Shell) -> None:
    listed = foliot("drill", "list").out
    for piece in ("crash", "slow_store", "the process is killed", "none: start nodes with --allow-drills"):
        assert piece in listed
    (worker,) = [one for one in foliot("node", "list", "-o", "json").json["items"] if one["kind"] == "worker"]
    refused = foliot("drill", "run", "crash", "--on", worker["name"], "--dry-run")
    assert (refused.code, "FOL-3065" in refused.err, "--allow-drills" in refused.err) == (5, True, True)
    step = foliot("drill", "run", "clock_step", "--on", worker["name"], "--size", "-2h", "--dry-run")
    assert (step.code, "FOL-3065" in step.err) == (5, True), "a size below 0 is no option"
    wrong = foliot("drill", "run", "clock_step", "--on", worker["name"], "--size", "far", "--dry-run")
    assert (wrong.code, "size" in wrong.err) == (2, True)
    missing = foliot("drill", "show", "999999")
    assert (missing.code, "FOL-2040" in missing.err) == (3, True)


def test_a_report_is_a_page_and_the_drills_there_were_a_table(foliot: Shell, number: int) -> None:
    shown = foliot("drill", "show", str(number)).out
    for piece in ("crash", "w-1", "17 s", "18 s", "never", "40 due, 0 lost, 0 doubled, 0 early", "friday", "#4"):
        assert piece in shown
    assert "丢失 0" in foliot("drill", "show", str(number), **CHINESE).out
    listed = foliot("drill", "history", "--type", "crash").out
    for piece in ("w-1", "ended", "18 s"):
        assert piece in listed
    over = foliot("drill", "stop", str(number))
    assert (over.code, "FOL-3068" in over.err) == (5, True)
