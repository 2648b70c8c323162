"""Measures everything that figures are told of, one after the other, and keeps what came out as one JSON document."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from foliot import __version__
from foliot_bench.report import machine

ROOT: Final = Path(__file__).parents[1]
ONE_WITHIN_S: Final = 300


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One command whose figures are kept."""

    name: str
    on: str | None = None  # the database; None: the benchmark of a part, which knows
    options: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        on = ["--on", self.on] if self.on not in (None, "postgresql") else []
        return [self.name, *on, *self.options]

    @property
    def command(self) -> str:
        return " ".join(["python -m bench", *self.words])


OF_RECORD: Final = (
    Entry(name="storm", on="postgresql"),
    Entry(name="storm", on="mariadb"),
    Entry(name="storm", on="sqlite"),
    Entry(name="storm", on="postgresql", options=("--route", "round", "--route", "least_running")),
    Entry(name="drain", on="postgresql"),
    Entry(name="steady", on="postgresql"),
    Entry(name="steady", on="postgresql", options=("--jobs", "5000", "--seconds", "60")),
    Entry(name="idle", on="postgresql"),
    Entry(name="failover", on="postgresql"),
    Entry(name="bigdata", on="postgresql"),
    Entry(name="firing", on="postgresql"),
    Entry(name="firing", on="mariadb"),
    Entry(name="leasing", on="postgresql"),
    Entry(name="leasing", on="mariadb"),
    Entry(name="lanes", on="postgresql"),
    Entry(name="rollup", on="postgresql"),
    Entry(name="console", on="postgresql"),
    Entry(name="planning"),
    Entry(name="cron"),
)


def record(folder: Path, only: Sequence[str] | None) -> int:
    """Measure; how many could not be measured. Bars that were missed are told, and are no failure of the record."""
    entries = [entry for entry in OF_RECORD if only is None or entry.name in only]
    began_at, failed = time.monotonic(), 0
    kept: list[dict[str, Any]] = []
    file = file_of(folder)
    for number, entry in enumerate(entries, 1):
        say(f"▶ {number} of {len(entries)}  {entry.command}")
        one_began_at = time.monotonic()
        report = measured(entry)
        took_s = time.monotonic() - one_began_at
        if report is None:
            failed += 1
            say(f"✖ not measured after {took_s:.0f} s")
            continue
        told = {"command": entry.command, "name": entry.name, "on": entry.on, "options": entry.options}
        kept.append({**told, "report": report})
        file = write(folder, kept, took_s=time.monotonic() - began_at)  # each time: what was measured is not lost
        for one in report.get("bars", ()):
            say(f"{'✔' if one['reached'] else '✖'} {one['what']}: {one['is']:,}, bar {one['bar']}")
        say(f"  {took_s:.0f} s, {time.monotonic() - began_at:.0f} s in all")
    missed = [one for entry in kept for one in entry["report"].get("bars", ()) if not one["reached"]]
    say(f"{'✖' if missed else '✔'} {len(missed)} bars missed, {failed} benchmarks not measured")
    say(f"written: {file}; the tables in the papers: python -m bench.figures")
    return failed


def measured(entry: Entry) -> dict[str, Any] | None:
    """Its report; None, after saying why, if it failed."""
    command = [sys.executable, "-m", "bench", *entry.words, "--json"]
    try:
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=ONE_WITHIN_S, check=False
        )  # its progress goes where ours goes
    except subprocess.TimeoutExpired:
        return None
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return None
    return report if done.returncode == 0 else None


def file_of(folder: Path) -> Path:
    """The record of this day."""
    return folder / f"bench-{datetime.now(UTC):%Y-%m-%d}.json"


def write(folder: Path, kept: list[dict[str, Any]], *, took_s: float) -> Path:
    """Everything measured so far."""
    file = file_of(folder)
    folder.mkdir(parents=True, exist_ok=True)
    document = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "foliot": __version__,
        "commit": commit(),
        "machine": machine(),
        "took_s": round(took_s),
        "entries": merged(file, kept),
    }
    file.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    return file


def merged(file: Path, kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was measured now, and of the same day's earlier record what was not."""
    before = json.loads(file.read_text("utf-8"))["entries"] if file.exists() else []
    new = {entry["command"]: entry for entry in kept}
    every = {entry["command"]: entry for entry in before} | new
    return [every[entry.command] for entry in OF_RECORD if entry.command in every]


def commit() -> str:
    """Of the tree that was measured."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
