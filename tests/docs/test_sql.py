"""The files in docs/reference/sql are the statements that really run."""

from tests.sql.rendered import outdated


def test_the_written_sql_is_what_the_code_renders() -> None:
    assert outdated() == [], "run: make sql"
