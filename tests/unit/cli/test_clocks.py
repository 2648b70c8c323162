"""Clocks as the command line tells of them, in both languages."""

from typing import Any

import pytest

from foliot.app.system import SystemClock
from foliot.cli import cluster, node
from foliot.cli.output import Output
from foliot.cli.times import Times


class FakeDesk:
    """What is needed of `foliot.cli.server_access.User`: a way to speak and a way to tell durations."""

    def __init__(self, *, chinese: bool) -> None:
        self.out = Output(form="table", quiet=False, colour=False, chinese=chinese)
        self.times = Times("UTC", chinese=chinese, now=SystemClock().now())


def told(chinese: bool, offset_s: float | None) -> str:
    user: Any = FakeDesk(chinese=chinese)
    return node.clock_of(user, {"clock_offset_s": offset_s})


@pytest.mark.parametrize(
    ("offset_s", "english", "chinese"),
    [
        (None, "", ""),
        (0.03, "right", "准确"),
        (3600.0, "1 h ahead", "快 1 小时"),
        (-120.0, "2 m behind", "慢 2 分"),
    ],
)
def test_an_offset_in_words(offset_s: float | None, english: str, chinese: str) -> None:
    assert told(False, offset_s) == english
    assert told(True, offset_s) == chinese


def in_doubt(ahead_s: float, *, chinese: bool) -> str:
    user: Any = FakeDesk(chinese=chinese)
    return cluster._in_doubt(user, {"clock_ahead_s": ahead_s})


def test_the_status_tells_why_the_stores_clock_is_in_doubt() -> None:
    assert in_doubt(120.0, chinese=False).startswith("the store's clock jumped 2 m ahead.")
    assert in_doubt(0.0, chinese=False).startswith("the store's clock is far from those of most nodes.")
    assert in_doubt(120.0, chinese=True).startswith("存储的时钟突然快了 2 分")
    assert in_doubt(0.0, chinese=True).startswith("存储的时钟与多数节点相差很大")
