"""Every table of the command line in a terminal of forty columns."""

import pytest

from foliot.cli.table import width_of
from tests.cli.conftest import Shell

NARROW = 40
TABLES = [
    ("job", "list"),
    ("job", "list", "--sort", "p95"),
    ("job", "fires", "tick"),
    ("job", "skips"),
    ("job", "show", "greet", "--versions"),
    ("job", "backfills"),
    ("run", "list"),
    ("run", "list", "--shards"),
    ("node", "list"),
    ("cluster", "events"),
    ("token", "list"),
    ("calendar", "list"),
    ("limit", "list"),
    ("context", "show"),
    ("search", "greet"),
    ("cron", "next", "0 2 * * *", "--tz", "Asia/Shanghai"),
]


@pytest.mark.parametrize("words", TABLES, ids=" ".join)
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_table_fits_forty_columns(
    foliot: Shell, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], language: str
) -> None:
    for user_of_tables in ("output", "cron"):
        monkeypatch.setattr(f"foliot.cli.{user_of_tables}.room_for_data", lambda: NARROW)
    said = foliot(*words, "--lang", language)
    assert said.code == 0
    assert max(map(width_of, said.out.splitlines()), default=0) <= NARROW, said.out


def test_a_piped_table_is_whole(foliot: Shell) -> None:
    piped = foliot("job", "show", "greet", "--versions", COLUMNS="40")
    assert "…" not in piped.out
    assert "HASH" in piped.out
