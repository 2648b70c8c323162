"""Figures of fault tests: written by each test, gathered by `make faults`, shown in the README and on a page.

python -m tests.cluster.figures gather FOLDER    # into docs/reference/figures/faults-DATE.json
python -m tests.cluster.figures show             # README and docs/reference/fault-figures.md from the newest
"""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
REFERENCE = ROOT / "docs" / "reference"
GATHERED = REFERENCE / "figures"
PAGE = REFERENCE / "fault-figures.md"
BEGIN = "<!-- figures of the fault tests: made by python -m tests.cluster.figures show -->"
END = "<!-- end of the figures of the fault tests -->"

FOLDER = "FOLIOT_FIGURES"
"""The environment variable that names the folder to write to."""

STORES = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "mysql": "MariaDB"}

Figures = Mapping[str, Any]


# ------------------------------------------------------------------------------------------------------------ writing


def store_of(url: str) -> str:
    """The name of the store behind a URL."""
    return STORES[url.partition(":")[0].partition("+")[0]]


def write_figures(fault: str, store: str, figures: Figures) -> None:
    """One JSON document per fault and store, when a folder is named."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return
    path = Path(folder) / f"{fault}-{store.lower()}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"fault": fault, "store": store, "commit": commit(), **figures}
    path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def commit() -> str:
    """What was tested: figures of one day may come from several states of the code."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def gather(folder: Path, into: Path, *, today: str) -> Path:
    """What the tests of today wrote, in one file; what was not measured today is taken over from the day before it."""
    last = _last(into)
    before: dict[str, Any] = {"date": today, "load": 0.0, "tests": []}
    if last is not None:
        before = json.loads(last.read_text("utf-8"))
    found = {(test["fault"], test["store"]): {"date": before["date"], **test} for test in before["tests"]}
    for written in sorted(folder.glob("*.json")):
        test = json.loads(written.read_text("utf-8"))
        found[test["fault"], test["store"]] = {**test, "date": today}
    into.mkdir(parents=True, exist_ok=True)
    path = into / f"faults-{today}.json"
    tests = [found[key] for key in sorted(found)]
    # Of the last quarter of an hour: more than ours, if others were at work. Of several parts of a day the highest.
    load = max(round(os.getloadavg()[2], 1), before["load"])
    document = {"date": today, "note": before.get("note", ""), "cores": os.cpu_count(), "load": load, "tests": tests}
    path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    return path


def _last(folder: Path) -> Path | None:
    return max(folder.glob("faults-*.json"), default=None)


# ------------------------------------------------------------------------------------------------------------ showing


def newest() -> Mapping[str, Any]:
    """What was gathered last."""
    last = _last(GATHERED)
    assert last is not None, "nothing was measured yet: make faults"
    document: Mapping[str, Any] = json.loads(last.read_text("utf-8"))
    return document


def _days(document: Mapping[str, Any]) -> str:
    """The day of the measurement, or the first and the last."""
    days = sorted({test.get("date", document["date"]) for test in document["tests"]})
    return " to ".join(dict.fromkeys([days[0], days[-1]]))


def fault_words() -> Mapping[str, str]:
    """What each fault is, in the words of the promise."""
    rows = re.findall(r"^\| (F\d+) \| ([^|]+) \|", (REFERENCE / "guarantees.md").read_text("utf-8"), re.MULTILINE)
    return {number: words.strip() for number, words in rows}


def sentence(document: Mapping[str, Any]) -> str:
    """What the README says: all faults in one sentence."""
    tests = document["tests"]
    faults = {_fault_of(test) for test in tests}
    due, lost, doubled = (f"{_sum(tests, name):,}" for name in ("expected", "lost", "doubled"))
    return (
        f"Fault tests of {_days(document)} (`make faults`; {_ground(document)}): {len(faults)} kinds of faults, "
        f"{due} fires due, {lost} lost, {doubled} doubled. Each fault with its figures: "
        "[figures of the fault tests](docs/reference/fault-figures.md)."
    )


def summary(document: Mapping[str, Any]) -> list[str]:
    """One row per fault, over all its stores."""
    words = fault_words()
    by_fault: dict[str, list[Figures]] = defaultdict(list)
    for test in document["tests"]:
        by_fault[_fault_of(test)].append(test)
    lines = [
        "| | fault | on | due | lost | doubled | early | late results accepted | false reaps | worst seen |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for fault, tests in sorted(by_fault.items()):
        cells = [
            fault,
            words.get(fault, ""),
            ", ".join(dict.fromkeys(test["store"] for test in tests)),
            *(str(_sum(tests, name)) for name in ("expected", "lost", "doubled", "early")),
            f"{_sum(tests, 'zombies_accepted')} of {_sum(tests, 'zombies_tried')}",
            str(_sum(tests, "false_reaps")),
            worst_of(fault, tests),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _fault_of(test: Figures) -> str:
    """Its number: F01 for F01-cut."""
    number, _, _ = str(test["fault"]).partition("-")
    return number


def _ground(document: Mapping[str, Any]) -> str:
    return f"{document['cores']} cores with everything on them, load average up to {document['load']}"


def page(document: Mapping[str, Any]) -> str:
    """Every figure of every test."""
    tests = document["tests"]
    return "\n".join(
        [
            "# Figures of the fault tests",
            "",
            f"Measured on {_days(document)}, {_ground(document)}.",
            "This page is made by a script from what `make faults` wrote to `figures/`. What the columns mean:",
            "[foliot-check](check.md#figures); what the faults are: [what Foliot promises](guarantees.md#faults);",
            "which test shows which fault: [fault tests](fault-tests.md).",
            "",
            *([document["note"], ""] if document["note"] else []),
            "## Each fault, over all its stores",
            "",
            *summary(document),
            "",
            "## Decisions",
            "",
            *_table(tests, DECISIONS),
            "",
            "## Executions",
            "",
            *_table(tests, EXECUTIONS),
            "",
            "## How long things took",
            "",
            "Seconds: greatest, and in brackets how often it was measured.",
            "",
            *_table(tests, TIMES),
            "",
        ]
    )


DECISIONS = {
    "due": "expected",
    "created": "created",
    "skipped": "skipped",
    "lost": "lost",
    "doubled": "doubled",
    "early": "early",
    "late p50 s": "lateness_s.p50",
    "p99": "lateness_s.p99",
    "max": "lateness_s.max",
    "duplicates refused": "duplicate_fires",
}
EXECUTIONS = {
    "runs": "runs",
    "starts": "starts",
    "again": "re_executions",
    "at-most-once twice": "at_most_once_doubled",
    "lost, at-most-once": "abandoned",
    "deaths": "deaths",
    "late ends": "zombies_tried",
    "rejected": "zombies_rejected",
    "accepted": "zombies_accepted",
    "reports fenced": "reports_fenced",
    "effects refused": "effects_refused",
    "false reaps": "false_reaps",
}
TIMES = {
    "extra delay": "extra_delay_s",
    "leader": "leader_failover_s",
    "ready again": "ready_again_s",
    "leased again": "leased_again_s",
    "store's failover": "failover_s",
    "settled": "settle_s",
    "epochs": "epoch_changes",
    "MB server": "peak_memory_mb.server",
    "MB worker": "peak_memory_mb.worker",
    "store troubles": "store_troubles",
    "commit": "commit",
    "day": "date",
}
WORST = {
    "F00": ("late {}", "lateness_s.p99", "s (p99)"),
    "F01": ("extra delay {}", "extra_delay_s.max", "s"),
    "F02": ("leased again after {}", "leased_again_s.max", "s"),
    "F03": ("{}", "places_struck", "places"),
    "F04": ("child killed after {}", "child_killed_after_s", "s"),
    "F05": ("next leader after {}", "leader_failover_s.max", "s"),
    "F07": ("late {}", "lateness_s.p99", "s (p99)"),
    "F12": ("goes on after {}", "goes_on_after_s", "s"),
    "F13": ("goes on {}", "goes_on_after_writable_s", "s after the store takes writes"),
    "F14": ("{}", "re_decided", "instants decided again"),
    "F15": ("goes on {}", "goes_on_after_writable_s", "s after the store takes writes"),
    "F16": ("{} conflicts", "conflicts_per_1000_commits", "in 1000 commits"),
    "F17": ("next leader after {}", "leader_failover_s.max", "s"),
    "F18": ("goes on after {}", "goes_on_after_s", "s"),
    "F19": ("the others waited {}", "others_waited_s", "s"),
    "F21": ("the others late {}", "due_at_once.others_late_s.p99", "s (p99)"),
    "F22": ("{}", "runs_per_s_held", "runs/s"),
    "F23": ("beats at most {}", "longest_rest_between_beats_s", "s apart"),
    "F27": ("deadlock broken after {}", "deadlock_broken_after_s", "s"),
}
USUAL = ("settled after {}", "settle_s", "s")
ONE_SERVER = "SQLite"


def worst_of(fault: str, tests: Sequence[Figures]) -> str:
    """The worst value of the figure that a fault is about. SQLite has one server, whose death others cannot cover."""
    sentence, name, unit = WORST.get(fault, USUAL)
    if fault in ("F01", "F05"):
        tests = [test for test in tests if test["store"] != ONE_SERVER] or tests
    values = [value for test in tests if (value := _number(_at(test, name))) is not None]
    return f"{sentence.format(_shown(max(values)))} {unit}" if values else ""


def _number(value: Any) -> float | None:
    if isinstance(value, Mapping):  # a figure for each kind of fault
        return max((number for each in value.values() if (number := _number(each)) is not None), default=None)
    if isinstance(value, list):
        return max(value) if value and isinstance(value[0], (int, float)) else len(value)
    return value if isinstance(value, (int, float)) else None


def _table(tests: Sequence[Figures], columns: Mapping[str, str]) -> list[str]:
    return [
        f"| fault and store | {' | '.join(columns)} |",
        f"| --- |{' --- |' * len(columns)}",
        *(
            f"| {test['fault']} {test['store']} | {' | '.join(_cell(_at(test, name)) for name in columns.values())} |"
            for test in tests
        ),
    ]


def _at(test: Figures, name: str) -> Any:
    value: Any = test
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _cell(value: Any) -> str:
    if isinstance(value, Mapping) and "n" in value:
        return f"{_shown(value['max'])} ({value['n']})" if value["n"] else ""
    if isinstance(value, Mapping):
        return ", ".join(f"{kind} {count}" for kind, count in sorted(value.items()))
    return "" if value is None else _shown(value)


def _shown(value: float | str) -> str:
    return f"{value:.3g}" if isinstance(value, float) and value < 100 else str(value)


def _sum(tests: Sequence[Figures], name: str) -> int:
    return sum(test.get(name) or 0 for test in tests)


def with_sentence(text: str, sentence: str) -> str:
    """A paper with this sentence between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{sentence}\n\n{END}{after}"


# -------------------------------------------------------------------------------------------------------- the program


def main(words: Sequence[str]) -> int:
    match words:
        case ["gather", folder]:
            today = datetime.now(UTC).date().isoformat()
            print(gather(Path(folder), GATHERED, today=today).relative_to(ROOT))
        case ["show"]:
            README.write_text(with_sentence(README.read_text("utf-8"), sentence(newest())), "utf-8")
            PAGE.write_text(page(newest()), "utf-8")
            print(f"{README.name}, {PAGE.relative_to(ROOT)}")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
