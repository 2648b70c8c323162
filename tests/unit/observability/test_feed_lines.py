"""Log lines in the form of a feed."""

import logging
import re
from io import StringIO

import pytest
import structlog

from foliot.observability.feed_lines import FeedFormatter, FeedRenderer
from foliot.observability.log_lines import configure_logging
from foliot.words.language import Language

LINE = re.compile(r"\d\d:\d\d:\d\d  [✖▲·x!-] \S.*")


def test_every_line_has_the_form_of_the_feed(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(level="info", form="feed")
    log = structlog.get_logger("foliot.test")
    log.warning("calendar.job_refused", why="two functions claim it", job="tick")
    log.warning("calendar.job_refused", why=["two functions claim it"], worker="my-laptop")  # said in this second
    log.warning("job.refused", why="the terminal of foliot up says it in a sentence")
    log.error("child.failed_to_start", pid=812)
    log.info("server.started", node="my-laptop")
    try:
        raise ConnectionError("no connection to redis://app:secret@cache")
    except ConnectionError:
        log.exception("duty.failed", duty="firing")
    said = capsys.readouterr().err.splitlines()
    assert all(LINE.fullmatch(line) for line in said), said
    assert [line.partition("  ")[2][2:] for line in said] == [
        "calendar job refused: two functions claim it  job=tick",
        "child failed to start  pid=812",
        "server started  node=my-laptop",
        "duty failed: ConnectionError: no connection to redis://app:***@cache  duty=firing",
    ]


def test_the_feed_names_events_in_the_language_of_its_reader(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(level="info", form="feed", language=Language.CHINESE)
    structlog.get_logger("foliot.test").warning("spool.full", bytes=7)
    assert capsys.readouterr().err.rstrip().endswith("▲ 暂存已满  bytes=7")


def test_a_client_that_does_not_speak_http_is_not_told_to_the_user_of_up(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = root.handlers[:]
    root.handlers.clear()
    try:
        configure_logging(form="feed")
        logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
        logging.getLogger("uvicorn.error").warning("something else")
    finally:
        root.handlers[:] = before
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("something else")


def test_a_line_of_another_package_has_it_too_and_steers_nothing() -> None:
    record = logging.LogRecord(
        "another.package", logging.WARNING, "file.py", 1, "a \x1b[31mred\nline of %s", ("theirs",), None
    )
    line = FeedFormatter(FeedRenderer(StringIO(), is_coloured=False)).format(record)
    assert LINE.fullmatch(line)
    assert line.endswith(" a \\u001b[31mred\\nline of theirs")
