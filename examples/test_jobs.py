"""How to test jobs: no server, nothing patched, no waiting.  In this folder:  pytest"""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from etl import import_sales
from jobs import count_words, flaky, greet, nightly, tick

from foliot import FoliotError
from foliot.testing import run_inline, time_travel


def test_greet_shouts() -> None:
    assert run_inline(greet, name="foliot", shout=True).result == "HELLO FOLIOT"
    assert greet("foliot") == "hello foliot"  # still a plain function


def test_a_wrong_parameter_is_refused_as_a_trigger_would() -> None:
    with pytest.raises(FoliotError, match="greet: shout=7 is not true/false"):
        run_inline(greet, shout=7)


def test_tick_counts_without_waiting() -> None:
    run = run_inline(tick)
    assert (run.result, run.slept_s, run.progress) == (5, 5.0, (5, 5, ""))
    assert "tick  i=4" in run.log_text


def test_tick_can_be_stopped() -> None:
    assert run_inline(tick, cancel_after="2s").state == "CANCELLED"


def test_flaky_needs_three_attempts() -> None:
    assert [run_inline(flaky, attempt=attempt).state for attempt in (1, 2, 3)] == ["FAILED", "FAILED", "SUCCEEDED"]


def test_nightly_stands_for_its_due_day() -> None:
    run = run_inline(nightly, due=datetime(2026, 1, 30, 18, tzinfo=UTC))  # 02:00 of the 31st in Shanghai
    assert run.result == {"day": "2026-01-31"}


def test_nightly_rests_on_days_off() -> None:
    with time_travel("2026-10-01 00:00", tz="Asia/Shanghai", jobs=[nightly]) as t:  # National Day
        t.advance("8d")
        assert [fire.at.day for fire in t.fires("nightly")] == [8]


def test_count_words_goes_on_where_it_was(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.py").write_text("one two three")
    first = run_inline(count_words, folder=str(tmp_path), cancel_after=2)
    assert first.state == "CANCELLED"
    second = run_inline(count_words, folder=str(tmp_path), attempt=2, checkpoint=first.checkpoint)
    assert second.result == 12


def test_every_shop_is_counted_once(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"2026-01-31-{number}.csv").write_text("shop,amount\nnorth,0.10\nsouth,0.20\n")
    parts = [run_inline(import_sales, str(tmp_path), day="2026-01-31", shard=(n, 4)).result for n in range(4)]
    assert sum(part["sales"] for part in parts) == 12
    whole = run_inline(import_sales, day="2026-01-31", merge=parts)
    assert whole.result == {"sales": 12, "totals": {"north": "0.60", "south": "1.20"}}
