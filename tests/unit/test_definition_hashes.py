"""The hash of a definition is what it always was: stores keep it, and code that declares a job again compares it."""

from typing import Any

import pytest

from foliot.domain.definition import definition_hash, from_document, to_document

RUN = {"run": {"python": "billing.jobs:settle"}}
FULL: dict[str, Any] = {
    "description": "Nightly settlement\n\nof all orders",
    "owner": "data-team",
    "group": "billing",
    "tags": {"team": "data", "e\u0301t\u00e9": "1"},
    "run": {"python": "billing.jobs:settle"},
    "merge": {"python": "billing.jobs:report"},
    "schedule": {"cron": "0 2 * * *", "tz": "Asia/Shanghai", "calendar": "cn-workdays", "jitter": "30s"},
    "params": {"dry_run": False, "n": 1.5, "list": [1, None, "结算"]},
    "shards": 16,
    "timeout": "30m",
    "grace": "1m",
    "start_within": "2m",
    "isolation": "process",
    "exclusive": True,
    "retries": {"max": 3, "backoff": "30s..10m", "jitter": False, "on": ["ConnectionError"], "budget_per_hour": 100},
    "overlap": "queue",
    "misfire": {"latest": "6h"},
    "on_lost": "fail",
    "max_lost": 5,
    "place": {"require": {"zone": "cn-east"}, "concurrency": {"settle-db": 4}, "max_running": 2, "priority": 7},
    "alert": {"on": ["failed", "late 10m", "slower p95*2"], "after": "2 in 24h", "recover": True, "to": ["oncall"]},
}
USUAL: dict[str, Any] = {
    **RUN, "description": "", "group": "default", "tags": {}, "params": {}, "shards": 0, "grace": "10s",
    "start_within": "60s", "exclusive": False, "retries": 0, "misfire": "latest", "on_lost": "rerun", "max_lost": 3,
    "place": {"priority": 5, "require": {}},
}  # fmt: skip
TWO = [{"cron": "0 2 * * *"}, {"every": "1h"}]
MANY = ["2026-01-31T17:00:00Z", "2027-01-31T17:00:00Z"]
LISTED = {"max": 2, "backoff": ["10s", "1m", "5m"], "on": "TimeoutError", "budget_per_hour": 0}
ALERT = {"late": "10m", "slower_than": "p95*2", "failed": True}

KNOWN: list[tuple[dict[str, Any], str]] = [
    (RUN, "13ee0b244316ca8d91b5ce38d0d189663a97b5b99d21319a16bffc9bd9915d3a"),
    (USUAL, "13ee0b244316ca8d91b5ce38d0d189663a97b5b99d21319a16bffc9bd9915d3a"),
    (
        {**RUN, "schedule": {"cron": "0 2 * * *", "tz": "Asia/Shanghai"}},
        "50bb20d0d8568157c36c157c19c88f895dc710d70805787863d8bf6986cbcfc0",
    ),
    ({**RUN, "schedule": {"cron": "H H * * *"}}, "f11505f41e68f417ac1e7f7eff832cd84879bc9f47f2ec72be18007db67d1831"),
    (
        {**RUN, "schedule": {"every": "15m"}, "overlap": "queue"},
        "d0d6aff0c19599b688270c9ac2e50d573905189876f2eb28914a273a38874028",
    ),
    (
        {**RUN, "schedule": {"every": "3s", "from_end": True}},
        "0e630d1d34744fc3188424f2171d87be72175e30eb4f3be35d9760d29507a32f",
    ),
    (
        {**RUN, "schedule": TWO, "timezone": "Asia/Shanghai"},
        "3e578d3d30b4a64fc4fcde840b0d0e211431ed696b38fa207c1a829a46f67813",
    ),
    ({**RUN, "schedule": {"at": MANY}}, "db96740a94aaaf03c102d0e7d470791f7b0f57168cf23b6692fdea4c340fea38"),
    (
        {**RUN, "schedule": {"daily": "09:00"}, "overlap": "allow"},
        "086eac5aef67eae3002d0d4cc95e37aa91479e234c2e58492e836ecec78e512a",
    ),
    ({**RUN, "overlap": "skip"}, "4357efff3a6713df1479bfd6153a546e5aef4c36c5df1101a99e4b0452a10f9d"),
    (FULL, "e2526cbe58bc70efcd515a957888d6026e7d48b60d034380f277b65c32a0e533"),
    (
        {**RUN, "timeout": 90, "grace": 0, "retries": 3, "misfire": {"all": "1d", "limit": 100}},
        "61695e9835ddab2d89aacb6aec115a6e88e5e00de82b0252413572e84d2788e1",
    ),
    ({**RUN, "retries": LISTED, "misfire": "skip"}, "077c098ebf66a1a71e8bce8111b954ace16204d3ea8198a6884e80c0ad18be1d"),
    (
        {**RUN, "misfire": "all", "retries": {"backoff": "30s"}},
        "574f2310f33e30057c2bc0789042befa2a927af80de3541005cb5bbca5bd22f8",
    ),
    (
        {**RUN, "isolation": "thread", "place": {"max_running": 1}},
        "2b8e269710459f86ef5c7e11435682bc551a4f9059b04a045eeb2bfaabfced5b",
    ),
    ({**RUN, "alert": ALERT}, "dafe4bb9c18066c008f9617fc5df592a98ebbbd263bd2f844bb4d0131a3fce2d"),
]


@pytest.mark.parametrize(("document", "known"), KNOWN, ids=[f"{n}-{known[:8]}" for n, (_, known) in enumerate(KNOWN)])
def test_a_definition_has_the_hash_it_always_had(document: dict[str, Any], known: str) -> None:
    assert definition_hash(from_document(document, job="settle")) == known


def test_the_fields_of_a_canonical_document_stand_in_the_order_of_the_reference() -> None:
    assert list(to_document(from_document(FULL, job="settle"))) == list(FULL)
