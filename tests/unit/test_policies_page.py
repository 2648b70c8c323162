"""The page about policies tells the truth: its Python runs, its job files are read, its numbers are the code's."""

import re
from pathlib import Path
from typing import Any

import pytest

from foliot.domain.definition import from_document
from foliot.domain.handler import python_function
from foliot.domain.instants import HOUR, SECOND
from foliot.domain.job import Definition
from foliot.domain.pacer import CATCH_UP_RATE
from foliot.domain.policies.misfire import CATCH_UP_MAX, MISFIRE_AFTER
from foliot.domain.policies.overlap import QUEUE_ALL_MAX
from foliot.domain.policies.retry import RETRIES_MAX, format_backoff

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "policies.md").read_text()


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_its_python_runs(block: str) -> None:
    exec(compile(block, "policies.md", "exec"), {})


@pytest.mark.parametrize(
    "document",
    [
        {"misfire": {"latest": "1h"}},
        {"misfire": {"all": "1d", "limit": 100}},
        {"misfire": "skip"},
        {
            "retries": {
                "max": 3,
                "backoff": "30s..10m",
                "jitter": True,
                "on": ["ConnectionError"],
                "budget_per_hour": 100,
            }
        },
        {"retries": {"max": 3, "backoff": ["10s", "1m", "5m"]}},
    ],
)
def test_its_job_files_are_read(document: dict[str, Any]) -> None:
    from_document({"run": {"python": "jobs:tick"}, **document})


def test_its_numbers_are_those_of_the_code() -> None:
    usual = Definition(handler=python_function("jobs:tick"))
    assert (MISFIRE_AFTER, usual.misfire.within_us, CATCH_UP_MAX, CATCH_UP_RATE) == (60 * SECOND, HOUR, 1000, 50)
    assert (QUEUE_ALL_MAX, RETRIES_MAX, usual.max_lost) == (1000, 1000, 3)
    assert format_backoff(usual.retry.backoff) == "10s..10m"
