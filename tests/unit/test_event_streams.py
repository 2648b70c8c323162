"""Server-sent events: no text ends the field it stands in."""

import httpx2
import pytest

from foliot.api.streams import comment, event


def read(text: str) -> list[tuple[str, str, str]]:
    """As a client reads it."""
    answer = httpx2.Response(
        200,
        headers={"content-type": "text/event-stream"},
        content=text.encode(),
        request=httpx2.Request("GET", "http://127.0.0.1"),
    )
    return [(one.event, one.id, one.data) for one in httpx2.EventSource(answer)]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_log_line_begins_no_field_of_its_own(end: str) -> None:
    evil = f"tick{end}event: end{end}id: 9:9{end}{end}data: forged"
    ((kind, at, data),) = read(event(evil, event_id="1:5"))
    assert (kind, at) == ("message", "1:5")
    assert data.split("\n") == ["tick", "event: end", "id: 9:9", "", "data: forged"]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_name_an_id_and_a_comment_are_one_line(end: str) -> None:
    assert read(event("x", name=f"a{end}data: b", event_id=f"1{end}event: c")) == [("a data: b", "1 event: c", "x")]
    assert read(comment(f"quiet{end}{end}data: forged") + event("x")) == [("message", "", "x")]
