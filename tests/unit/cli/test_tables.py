"""Tables that fit: what is cut, what is left out, and where nothing is."""

import sys

import pytest

from foliot.cli.output import Output
from foliot.cli.table import Column, fitted, how_many_fit, width_of

COLUMNS = [
    Column("NAME", "name", least=12),
    Column("STATE", "state", state=True, least=8),
    Column("SCHEDULE", "schedule", least=10),
    Column("NEXT (CST)", "next", least=8),
    Column("LAST", "last", state=True),
    Column("GROUP", "group"),
]
ITEMS: list[dict[str, str | None]] = [
    {
        "name": "a-job-with-a-long-name-indeed",
        "state": "active",
        "schedule": "every 5 minutes on working days",
        "next": "03-07 15:00:00",
        "last": "SUCCEEDED",
        "group": "default",
    },
    {
        "name": "结算",
        "state": "paused",
        "schedule": "每天凌晨两点，仅限工作日",
        "next": None,
        "last": "",
        "group": "数据组",
    },
]


def lines(capsys: pytest.CaptureFixture[str], *, form: str = "table", chinese: bool = False) -> list[str]:
    Output(form=form, quiet=False, colour=False, chinese=chinese).items(ITEMS, COLUMNS)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("columns", [40, 41, 45, 53, 60, 80, 100, 200])
@pytest.mark.parametrize("chinese", [False, True])
def test_no_line_is_wider_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int, chinese: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    said = lines(capsys, chinese=chinese)
    assert len(said) == 3
    assert max(map(width_of, said)) <= columns
    assert said[1].startswith("a-job")
    lacks_columns = said[0].endswith("  …")
    assert lacks_columns == (columns < 60)


def test_behind_a_pipe_nothing_is_cut(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    said = "\n".join(lines(capsys))
    assert "…" not in said
    for value in (
        "a-job-with-a-long-name-indeed",
        "every 5 minutes on working days",
        "每天凌晨两点，仅限工作日",
        "数据组",
    ):
        assert value in said


def test_the_first_column_stays_and_is_cut_when_it_is_alone() -> None:
    assert how_many_fit([30, 4], 10) == 1
    assert fitted([50], [30], 10) == [10]
    assert how_many_fit([4, 4, 4], 16) == 3
    assert how_many_fit([4, 4, 4], 15) == 2
