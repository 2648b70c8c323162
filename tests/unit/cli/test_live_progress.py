"""How far a run is, in words for a terminal."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from foliot.cli.output import Output
from foliot.cli.progress import how_far, told
from foliot.cli.server_access import User
from foliot.cli.times import Times


def user(*, chinese: bool = False, ascii_only: bool = False) -> User:
    out = Output(form="table", quiet=False, colour=False, chinese=chinese)
    out.ascii = ascii_only
    times = Times("UTC", chinese=chinese, now=datetime(2026, 1, 31, tzinfo=UTC))
    return cast("User", SimpleNamespace(out=out, times=times))


def progress(done: int, total: int | None, **more: Any) -> dict[str, Any]:
    return {"done": done, "total": total, "note": "", "rate_per_s": None, "left_s": None} | more


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (None, ""),
        (progress(0, 5), "░" * 20 + "  0/5"),
        (progress(3, 5, rate_per_s=1.0, left_s=2.04), "█" * 12 + "░" * 8 + "  3/5  1.0/s  2 s left"),
        (progress(5, 5, rate_per_s=1.0, left_s=0.0), "█" * 20 + "  5/5  1.0/s"),
        (progress(9, 5), "█" * 20 + "  9/5"),
        (progress(7, None, rate_per_s=58.31), "7  58.3/s"),
        (progress(0, 0), "0/0"),
        (progress(1, 2, note="acct\x1b[31m 7\n"), "█" * 10 + "░" * 10 + "  1/2  acct\\u001b[31m 7\\n"),
        (progress(10, 1000, rate_per_s=2.0, left_s=495.2), "░" * 20 + "  10/1000  2.0/s  8 m 15 s left"),
    ],
)
def test_how_far(said: Any, shown: str) -> None:
    assert how_far(user(), said) == shown


def test_it_is_told_in_the_readers_language_and_letters() -> None:
    said = progress(1, 2, rate_per_s=1.0, left_s=1.0)
    assert how_far(user(chinese=True), said).endswith("1/2  1.0/s  剩余 1 秒")
    assert how_far(user(ascii_only=True), said).startswith("##########..........")


def test_a_line_names_its_run_and_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    run = {"job": "tick", "id": "r-1", "progress": progress(1, 2, note="a very long note that goes on and on")}
    line = told(user(), run)
    assert line.startswith("tick  r-1  ███")
    assert (len(line), line[-1]) == (36, "…")
    assert told(user(), run | {"progress": None}) == ""
