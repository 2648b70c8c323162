"""The figures of the fault tests are what a script made of what the tests wrote, everywhere they are shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.figures import BEGIN, END, PAGE, README, gather, newest, page, sentence, summary, with_sentence


def written(fault: str, store: str, **figures: Any) -> dict[str, Any]:
    return {
        "fault": fault,
        "store": store,
        "expected": 100,
        "lost": 0,
        "doubled": 0,
        "early": 0,
        "false_reaps": 0,
        "zombies_accepted": 0,
        "zombies_tried": 3,
        "extra_delay_s": {"n": 2, "p50": 0.1, "p99": 0.2, "max": 0.2},
        **figures,
    }


def gathered(folder: Path, *tests: dict[str, Any], today: str = "2026-01-02") -> dict[str, Any]:
    for number, test in enumerate(tests):
        (folder / f"{number}.json").write_text(json.dumps(test))
    document: dict[str, Any] = json.loads(gather(folder, folder / "into", today=today).read_text())
    return document


def test_the_readme_shows_what_was_measured_last() -> None:
    text = README.read_text("utf-8")
    assert text == with_sentence(text, sentence(newest())), "run: python -m tests.cluster.figures show"


def test_the_page_shows_what_was_measured_last() -> None:
    assert PAGE.read_text("utf-8") == page(newest()), "run: python -m tests.cluster.figures show"


def test_every_invariant_held_in_what_was_measured_last() -> None:
    broken = {(test["fault"], test["store"]): test["not_held"] for test in newest()["tests"] if test["not_held"]}
    assert broken == {}


@pytest.mark.parametrize("figure", ["lost", "doubled", "early", "zombies_accepted", "false_reaps"])
def test_nothing_was_lost_doubled_early_or_accepted_late(figure: str) -> None:
    assert [test["fault"] for test in newest()["tests"] if test[figure]] == []


def test_stores_of_one_fault_are_summed_up(tmp_path: Path) -> None:
    document = gathered(tmp_path, written("F01", "PostgreSQL"), written("F01-cut", "MariaDB", lost=2))
    (row,) = [line for line in summary(document) if line.startswith("| F01")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[2:] == ["PostgreSQL, MariaDB", "200", "2", "0", "0", "0 of 6", "0", "extra delay 0.2 s"]


def test_one_servers_absence_is_not_held_against_those_with_three(tmp_path: Path) -> None:
    slow = {"n": 1, "p50": 9.0, "p99": 9.0, "max": 9.0}
    document = gathered(tmp_path, written("F01", "SQLite", extra_delay_s=slow), written("F01", "MariaDB"))
    assert "extra delay 0.2 s" in "\n".join(summary(document))


def test_what_is_measured_again_the_same_day_replaces_what_was_there(tmp_path: Path) -> None:
    gathered(tmp_path, written("F01", "SQLite"), written("F02", "SQLite"))
    document = gathered(tmp_path, written("F01", "SQLite", expected=7))
    assert [(test["fault"], test["expected"]) for test in document["tests"]] == [("F01", 7), ("F02", 100)]


def test_what_is_not_measured_again_is_taken_over_with_its_day(tmp_path: Path) -> None:
    gathered(tmp_path, written("F01", "SQLite"), written("F02", "SQLite"))
    (tmp_path / "1.json").unlink()
    document = gathered(tmp_path, written("F01", "SQLite", expected=7), today="2026-01-03")
    days = [(test["fault"], test["expected"], test["date"]) for test in document["tests"]]
    assert days == [("F01", 7, "2026-01-03"), ("F02", 100, "2026-01-02")]
    assert sentence(document).startswith("Fault tests of 2026-01-02 to 2026-01-03 ")


def test_only_what_lies_between_the_marks_is_written_anew() -> None:
    text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert with_sentence(text, "New.") == f"before\n{BEGIN}\n\nNew.\n\n{END}\nafter\n"
