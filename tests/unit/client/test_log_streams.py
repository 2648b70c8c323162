"""A stream of a log that broke goes on, and no line is given twice."""

import httpx2

from foliot.client import streams
from foliot.client.streams import LogStream

SECOND = 1_000_000


def line(text: str, written_s: float, offset: int = 4) -> httpx2.ServerSentEvent:
    return httpx2.ServerSentEvent(data=text, id=f"{round(written_s * SECOND)}:7:1:{offset}")


def given(stream: LogStream, *events: httpx2.ServerSentEvent) -> list[str]:
    return [text for event in events for text in stream.of_event(event)]


def goes_on_at(stream: LogStream) -> str:
    return stream.call().headers["Last-Event-ID"]


def test_lines_of_shards_that_come_again_are_dropped() -> None:
    stream = LogStream("r-1", follow=True)
    assert given(stream, line("one", 100), line("two", 101)) == ["one", "two"]
    assert given(stream, line("one", 100), line("late", 99), line("two", 101), line("three", 102)) == ["late", "three"]


def test_a_stream_goes_on_at_its_newest_line_not_at_a_late_one() -> None:
    stream = LogStream("r-1", follow=True)
    given(stream, line("new", 200), line("late", 100))
    assert goes_on_at(stream) == f"{200 * SECOND}:7:1:4"


def test_lines_of_long_ago_are_forgotten() -> None:
    stream = LogStream("r-1", follow=True)
    given(stream, *(line("a", second) for second in range(5 * streams.TOLD_MANY)))
    assert len(stream._told._told) <= 2 * streams.TOLD_MANY + 100
    assert given(stream, line("a", 5 * streams.TOLD_MANY - 1)) == []


def test_the_log_of_a_run_without_shards_goes_on_where_it_was() -> None:
    stream = LogStream("r-1", follow=True)
    same = httpx2.ServerSentEvent(data="x", id="1:40")
    assert given(stream, same, same) == ["x", "x"], "its ids are places, which nothing comes twice from"
    assert goes_on_at(stream) == "1:40"
    assert given(stream, httpx2.ServerSentEvent(event="end", data="")) == []
    assert stream.is_over
