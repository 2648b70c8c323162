"""`make screenshots`: a server with a team's jobs, and a picture of each page of its console into docs/images/."""

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.console.robot import ANSWER, NOTIFY, robots
from tests.eventually import eventually
from tests.probes.scene import Up, first_login, running_up, stranger
from web import build

RUNS_FIRST = 12


def main() -> int:
    """Take the pictures; return the exit code."""
    if build.build() != 0:
        return 1
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copy(Path(__file__).parent / "pictured_jobs.py", folder / "jobs.py")
        (folder / "notify.toml").write_text(NOTIFY)
        with stranger(ANSWER) as (robot, _), running_up(folder, **robots(robot)) as up:
            print("screenshots: waiting for some history …", flush=True)
            eventually(lambda: _has_history(up), within_s=180, what="there is some history")
            up.ask("POST", "/api/v1/jobs/warm_cache:pause", {"reason": "the shops move to new machines"})
            _fill_the_past(up)
            _tell_people(up)
            _watch_others(up)
            os.environ.update(FOLIOT_URL=up.began["url"], FOLIOT_LOGIN_CODE=first_login(up))
            return 0 if build.run("node", "e2e/screenshots.ts", shown=True) else 1


def _fill_the_past(up: Up) -> None:
    asked = {"job": "nightly_report", "from": "2026-10-01T00:00:00Z", "to": "2026-11-14T00:00:00Z", "parallel": 4}
    seen = up.ask("POST", "/api/v1/backfills:preview", asked).json()
    reason = {"reason": "the warehouse was empty", "token": seen["token"]}
    up.ask("POST", "/api/v1/backfills", {**asked, **reason})


def _tell_people(up: Up) -> None:
    """A channel, rules of the team, and an alert that fires."""
    new = {"If-None-Match": "*"}
    oncall = {"kind": "dingtalk", "settings": {"webhook": "${secret:DING}"}, "language": "zh", "default": True}
    up.ask("PUT", "/api/v1/channels/oncall", {"channel": oncall}, **new)
    up.ask("POST", "/api/v1/channels/oncall:test")
    nights = {"when": "failed 3 of 5", "of": {"job": "settle*"}, "level": "critical", "to": ["oncall"], "remind": "4h"}
    up.ask("PUT", "/api/v1/rules/settlements", {"rule": nights}, **new)
    slow = {"when": "slower p95*2", "of": {"group": "default"}, "for": "5m", "do": {"trigger": "greet"}}
    up.ask("PUT", "/api/v1/rules/slow-runs", {"rule": slow}, **new)
    eventually(lambda: bool(up.ask("GET", "/api/v1/alerts").json()["items"]), what="something fires")


CHECKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "nightly-backup": {
        "cron": "0 2 * * *",
        "timezone": "Asia/Shanghai",
        "grace": "30m",
        "longest": "2h",
        "owner": "ops",
    },
    "warehouse-dump": {"every": "1d", "grace": "1h", "owner": "data", "runbook": "https://wiki.example/dump"},
    "exchange-rates": {"every": "10m", "owner": "payments", "description": "The bank's file of rates."},
    "old-host-cron": {"every": "1h", "owner": "ops"},
}
"""Jobs outside of Foliot that the team waits for."""


def _watch_others(up: Up) -> None:
    """Checks in several states, and schedules of reports."""
    for name, check in CHECKS.items():
        up.ask("POST", "/api/v1/checks", {"name": name, "check": check})
    for name, kind, said in (
        ("nightly-backup", "start", {}),
        ("nightly-backup", "ok", {"exit_code": 0, "text": "214 GB in 38 files"}),
        ("exchange-rates", "ok", {}),
        ("exchange-rates", "start", {}),
        ("old-host-cron", "ok", {}),
        ("warehouse-dump", "start", {}),
        ("warehouse-dump", "fail", {"exit_code": 28, "text": "no space left on /var/dumps"}),
    ):
        up.ask("POST", f"/api/v1/checks/{name}:ping?kind={kind}", said)
    up.ask("POST", "/api/v1/checks/old-host-cron:pause", {"reason": "the host is replaced"})
    daily = {"kind": "daily", "at": "08:00", "timezone": "Asia/Shanghai", "to": ["oncall"], "language": "zh"}
    weekly = {"kind": "weekly", "at": "09:00", "weekday": "mon", "timezone": "Europe/Berlin", "to": ["oncall"]}
    up.ask("PUT", "/api/v1/report-schedules/every-morning", {"schedule": daily})
    up.ask("PUT", "/api/v1/report-schedules/mondays?namespace=default", {"schedule": weekly})


def _has_history(up: Up) -> bool:
    runs = up.ask("GET", "/api/v1/runs?job=settle_eu&state=SUCCEEDED")
    return runs.status_code == 200 and len(runs.json()["items"]) >= RUNS_FIRST


if __name__ == "__main__":
    sys.exit(main())
