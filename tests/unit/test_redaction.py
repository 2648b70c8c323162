"""Addresses in texts lose their secrets, and nothing else changes."""

import time

import pytest

from foliot.domain.redaction import redacted
from foliot.domain.verdict import Cause
from foliot.operations.worker_reports import storable_reports
from foliot.ports.worker_link import Report

HIDDEN = [
    ("postgresql://app:secret@db:5432/prod", "postgresql://app:***@db:5432/prod"),
    ("mysql+asyncmy://app:se:cr@et@db/x", "mysql+asyncmy://app:***@db/x"),
    ("redis://:secret@cache:6379/0", "redis://:***@cache:6379/0"),
    ('url="amqp://a:secret@b//", then amqp://c:secret@d', 'url="amqp://a:***@b//", then amqp://c:***@d'),
    ("https://x/y?a=1&token=secret&b=2#c", "https://x/y?a=1&token=***&b=2#c"),
    (
        "https://x/?API_KEY=secret and https://x/?Signature=secret",
        "https://x/?API_KEY=*** and https://x/?Signature=***",
    ),
    ("jdbc:postgresql://db/x?user=app&password=secret", "jdbc:postgresql://db/x?user=app&password=***"),
    ("首页 https://用户:secret@主机/ 失败", "首页 https://用户:***@主机/ 失败"),
    ("postgres://app:pa/ss@db/x", "postgres://app:***@db/x"),
    ("postgres://app:p@ss/wo@db/x?mail=me@x.org", "postgres://app:***@db/x?mail=me@x.org"),
    ("postgresql://app:s#cr@db", "postgresql://app:***@db"),
    ("mysql://app:s?cr@db:3306/x", "mysql://app:***@db:3306/x"),
    ("postgres://app:12/34@db", "postgres://app:***@db"),
    ("amqp://a:se/cr@b,amqp://c:se#cr@d", "amqp://a:***@b,amqp://c:***@d"),
    ("http://u:pa/ss@host/x?mail=me@x.org", "http://u:***@host/x?mail=me@x.org"),
    ("http://u:12345@host and http://u:1,x@host", "http://u:***@host and http://u:***@host"),
    ("git+https://me:secret@github.com/x@v1.2", "git+https://me:***@github.com/x@v1.2"),
    ("https://ghp_secret@github.com/x.git", "https://***@github.com/x.git"),
    ("HTTPS://ghp_secret:@github.com/x", "HTTPS://***:@github.com/x"),
    ("https://ghp_secret:x-oauth-basic@github.com/x", "https://***:x-oauth-basic@github.com/x"),
    (
        "https://s3/x?X-Amz-Credential=AK/eu&X-Amz-Date=1&X-Amz-Security-Token=se&X-Amz-Signature=cr",
        "https://s3/x?X-Amz-Credential=***&X-Amz-Date=1&X-Amz-Security-Token=***&X-Amz-Signature=***",
    ),
    ("first line\nodbc://u:secret@h\nlast", "first line\nodbc://u:***@h\nlast"),
]
SAME = [
    "",
    "no address at all: a@b.c, 12:30, user:password",
    "http://127.0.0.1:7171/api/v1/jobs",
    "postgresql://app@db/prod",
    "https://example.org/@someone:page?q=a@b",
    "see https://x:80/y, or ask admin@x",
    "https://x/?tokens=3&key=5",
    "http://host/path?mail=me@x.org",
    "http://svc:8080/x,ops@x.org",
    "http://svc:8080?mail=me@x.org",
    "http://[::1]:8080/x,ops@x.org",
    "postgresql://db:5432/prod?sslmode=require",
    "ssh://git@github.com/x.git",
]
HOSTILE = ["://" * 40_000, "://" + "a:" * 60_000, "://a:" * 30_000, "://" + "?token" * 20_000, "://a" + "@" * 120_000]
HOSTILE += ["://a:/@" * 20_000, "http://a:b" * 12_000 + "@", "://a:" + "@/?#" * 30_000, "s" * 120_000 + "://a@b"]


@pytest.mark.parametrize(("text", "kept"), HIDDEN)
def test_passwords_of_addresses_are_hidden(text: str, kept: str) -> None:
    assert redacted(text) == kept
    assert redacted(kept) == kept


@pytest.mark.parametrize("text", SAME)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:10])
def test_hostile_texts_take_no_longer_than_others(text: str) -> None:
    began_s = time.process_time()
    redacted(text)
    assert time.process_time() - began_s < 0.5


def test_the_server_does_not_rely_on_the_worker_for_it() -> None:
    said = Report(run_id=1, lease_id="x", cause=Cause.ERROR, error="no way to http://a:secret@b", error_type="E")
    (kept,) = storable_reports([said])
    assert kept is not None
    assert kept.error == "no way to http://a:***@b"
