"""The tables of figures say what the newest record says, for every benchmark of record."""

import json
from pathlib import Path

import pytest

from bench import figures
from bench.record import OF_RECORD, merged, record


def test_the_papers_tell_the_newest_record() -> None:
    assert figures.main(["--check"]) == 0, "python -m bench.figures writes them"


def test_every_benchmark_of_record_can_be_told() -> None:
    assert {entry.name for entry in OF_RECORD} == figures.TOLD.keys()


def test_a_page_without_marks_is_not_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no place here")
    with pytest.raises(AssertionError, match="no place for the figures"):
        figures.written(page, "a table")


def test_what_stands_around_the_marks_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{figures.BEGIN}\nold\n{figures.END}\n\nafter\n")
    assert figures.written(page, "new") == f"before\n\n{figures.BEGIN}\n\nnew\n\n{figures.END}\n\nafter\n"


def test_a_second_record_of_a_day_keeps_what_it_did_not_measure(tmp_path: Path) -> None:
    first, second = OF_RECORD[0].command, OF_RECORD[1].command
    file = tmp_path / "bench.json"
    file.write_text(json.dumps({"entries": [{"command": first, "n": 1}, {"command": second, "n": 1}]}))
    assert merged(file, [{"command": second, "n": 2}]) == [{"command": first, "n": 1}, {"command": second, "n": 2}]


@pytest.mark.slow
def test_a_record_keeps_what_was_measured(tmp_path: Path) -> None:
    assert record(tmp_path / "figures", ["planning"]) == 0
    (file,) = (tmp_path / "figures").iterdir()
    document = json.loads(file.read_text())
    assert [entry["command"] for entry in document["entries"]] == ["python -m bench planning"]
    assert document["commit"]
    assert "plan of a due cron job" in figures.figures_table(document)
