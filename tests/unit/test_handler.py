"""The handler of a job: a kind and its options, the offer it needs, and hashes that stay what they were."""

import hashlib
from typing import Any

import pytest

from foliot.domain.definition import canonical_json, definition_hash, from_document, to_document
from foliot.domain.errors import BadField
from foliot.domain.handler import JobHandler, check_handler, handler_from, kind_of, python_function
from foliot.domain.job import lane_of
from foliot.domain.payload import DEPTH_MAX
from foliot.store.sql.jobs.definitions import lane_hash

SETTLE: dict[str, Any] = {
    "run": {"python": "billing.jobs:settle"},
    "merge": {"python": "billing.jobs:report"},
    "shards": 16,
    "group": "billing",
    "schedule": {"cron": "0 2 * * *", "tz": "Asia/Shanghai"},
    "params": {"dry_run": False},
    "place": {"require": {"zone": "cn-east"}, "concurrency": {"settle-db": 4}, "max_running": 2, "priority": 7},
    "on_lost": "fail",
}
UNICODE = {"run": {"python": "任务.模块:函数"}, "description": "Ünïcode", "exclusive": True, "overlap": "queue"}

# Computed when a handler was one text: stored versions have these hashes, and stored lanes these.
HASHES = [
    (
        {"run": {"python": "billing.jobs:settle"}},
        "13ee0b244316ca8d91b5ce38d0d189663a97b5b99d21319a16bffc9bd9915d3a",
        "2ad0900b68c92c3abcd4d4e83caee72a60a8ab50106bacb64de197ed36e731ab",
    ),
    (
        SETTLE,
        "59f0d3442eef78c62d324401132a081b7f85b616ae871cd8f4dade8024ba9634",
        "1f3b8cca6e91abdf5adb0b49bce148c62d057e0fb22bae5ccd57b5a069a6155c",
    ),
    (
        UNICODE,
        "0b9bc3a96ee08d17333d6d300b712637c440df3df2b5ed1970f7931afb4e1068",
        "cbc34c9b74f0fe9196d444634bde92d5ba92ea738cacea8c5a570699a33fde49",
    ),
]


@pytest.mark.parametrize(("document", "definition", "lane"), HASHES)
def test_python_definitions_and_their_lanes_keep_their_hashes(
    document: dict[str, Any], definition: str, lane: str
) -> None:
    read = from_document(document, job="settle")
    assert definition_hash(read) == definition
    assert lane_hash(lane_of(7, read, namespace="default")) == lane


def test_the_lane_of_a_merge_keeps_its_hash() -> None:
    read = from_document(SETTLE, job="settle")
    lane = lane_of(7, read, namespace="default", handler=read.merge)
    assert lane_hash(lane) == "66f6552d2ee6d8176c3060f622dff3585c5679e445ac1c296a8c5fd7e7b8c2fb"


def test_the_document_of_a_python_definition_is_what_it_was() -> None:
    written = canonical_json(to_document(from_document({"run": {"python": "billing.jobs:settle"}})))
    assert written == '{"run":{"python":"billing.jobs:settle"}}'
    assert hashlib.sha256(written.encode()).hexdigest() == HASHES[0][1]


@pytest.mark.parametrize(
    ("written", "offer"),
    [
        ({"python": "billing.jobs:settle"}, "python:billing.jobs:settle"),
        ({"http": {"url": "https://example.org"}}, "http"),
        ({"http": "https://example.org"}, "http"),
        ({"shell": "./export.sh"}, "shell"),
        ({"argv": ["./export.sh", "-v"]}, "argv"),
        ({"sql": {"connection": "reports", "query": "select 1"}}, "sql:reports"),
        ({"sql": {"connection": "", "query": "select 1"}}, "sql"),
        ({"sql": {"connection": 5, "query": "select 1"}}, "sql"),
    ],
)
def test_the_offer_follows_from_kind_and_options_alone(written: dict[str, Any], offer: str) -> None:
    handler = handler_from(written, "run")
    check_handler("run", handler)
    assert handler.offer == offer
    assert kind_of(offer) == handler.kind
    assert handler.to_document() == written


def test_jobs_that_differ_in_options_alone_share_a_lane() -> None:
    lanes = {
        lane_of(job, from_document({"run": {"http": {"url": f"https://example.org/{job}"}}}), namespace="default")
        for job in range(3)
    }
    assert len(lanes) == 1


def test_options_reach_the_worker_as_json_and_a_function_needs_none() -> None:
    assert python_function("jobs:tick").options_text() is None
    assert JobHandler("http", {"url": "https://example.org/ü"}).options_text() == '{"url":"https://example.org/ü"}'


def test_options_may_be_large_but_not_deep() -> None:
    check_handler("run", JobHandler("http", {"body": "x" * 65_000}))
    deep: Any = "bottom"
    for _ in range(DEPTH_MAX + 1):
        deep = [deep]
    with pytest.raises(BadField, match=r"run\.http: .*nested deeper"):
        check_handler("run", JobHandler("http", deep))


def test_a_label_is_one_short_line() -> None:
    assert JobHandler("shell", "echo one\n  echo two").label == "echo one echo two"
    assert JobHandler("http", {"url": "x"}).label == '{"url":"x"}'
    assert len(JobHandler("http", {"url": "x" * 500}).label) == 80
