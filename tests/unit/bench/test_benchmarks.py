"""Every benchmark runs, verifies its rows and prints what can be read; how quick it was is not judged here."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
WITHIN_S = 300

pytestmark = [pytest.mark.slow, pytest.mark.services]


def figures(name: str, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench", name, *options, "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["benchmark"] == name
    assert {"at", "machine", "load", "took_s", "settings", "bars"} <= report.keys()
    assert all({"what", "is", "bar", "reached"} == one.keys() for one in report["bars"])
    return report


def assert_raced(report: dict[str, Any], count: int) -> None:
    """A race has both sides of each pair, what they cost, and processes of its own."""
    assert f"{count:,} runs" in report["verified"]
    assert len(report["foliot_per_s"]) == len(report["twin_per_s"]) == 1
    assert report["ratio"] > 0
    assert {"server", "worker", "database"} == report["pids"].keys() == report["cpu_s"].keys()


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_storm(kind: str) -> None:
    report = figures("storm", "--on", kind, "--jobs", "60", "--slots", "4", "--pairs", "1")
    assert_raced(report, 60)
    assert report["overlap"] == "skip"


def test_drain() -> None:
    report = figures("drain", "--runs", "300", "--slots", "4", "--pairs", "1")
    assert_raced(report, 300)

    assert report["pgqueuer_batch"] == 500
    assert report["ratio_to_pgqueuer"] > 0


def test_storm_with_a_route() -> None:
    report = figures("storm", "--route", "round", "--jobs", "80", "--slots", "4", "--pairs", "1")
    assert "40 runs of 40 jobs" in report["verified"]
    assert report["routes"]["round"]["ratio"] > 0
    assert [one["what"] for one in report["bars"]] == ["round by any"]


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_rollup(kind: str) -> None:
    report = figures("rollup", "--on", kind, "--runs", "2000", "--jobs", "20")
    assert report["verified"] == "2,000 runs, each counted once"
    assert report["peak_mb"] >= report["before_mb"] > 0
    assert report["rounds"] >= 1


def test_steady() -> None:
    report = figures("steady", "--jobs", "5", "--seconds", "3")
    for shape in ("phase", "spread"):
        seen = report[shape]
        assert seen["due"] == 15
        assert 0 < seen["verified_runs"] == 15 - seen["missed"]
        assert seen["lateness_ms"]["p50"] >= 0, "nothing is early (S3)"
    assert report["twin_ms"] > 0


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_idle(kind: str) -> None:
    report = figures("idle", "--on", kind, "--jobs", "200", "--few", "10", "--seconds", "3", "--settle", "1")
    assert {"leader", "follower"} == report["pids"].keys()
    assert report["leader"]["statements_per_s"] > 0, "the pulse at least is counted"
    assert "statements_per_s" in report["follower"]


def test_bigdata() -> None:
    report = figures("bigdata", "--jobs", "200", "--runs", "1000", "--due", "100", "--pairs", "1")
    assert report["verified"].startswith("1,000 runs")
    assert report["ratio"] > 0


def test_failover() -> None:
    report = figures("failover", "--jobs", "3", "--kills", "2", "--every", "4", "--slots", "4")
    assert (report["due"], report["verified_runs"]) == (36, 36)
    assert (report["lost"], report["doubled"]) == (0, 0)


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_firing_alone(kind: str) -> None:
    report = figures("firing", "--on", kind, "--jobs", "60", "--pairs", "1")
    assert len(report["foliot_per_s"]) == len(report["twin_per_s"]) == 1
    assert ("two_over_one" in report) == (kind != "sqlite")


def test_leasing_alone() -> None:
    report = figures("leasing", "--on", "mariadb", "--runs", "60", "--pairs", "1")
    assert report["verified"].startswith("60 runs")
    assert report["ratio"] > 0


def test_the_api_under_load() -> None:
    command = [sys.executable, "-m", "bench", "api", "--seconds", "2", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout)["idle"]["statuses"].keys() == {"200"}
