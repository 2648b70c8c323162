"""Jobs of code that are no functions: their definitions, where they are found, how they are triggered."""

from pathlib import Path
from typing import Any

import pytest

from foliot import FoliotError, Retry, cron, every, http_job, shell_job, sql_job
from foliot.domain.definition import to_document
from foliot.domain.errors import BadField, BadName, NameClaimedTwice, UnknownField
from foliot.domain.parameters import BadParameters
from foliot.domain.sources import Incumbent, is_other_source
from foliot.sdk.registry import load
from foliot.worker.handlers.python import PythonHandlers

DAY: dict[str, Any] = {"properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]}


def test_each_constructor_makes_the_document_of_a_job_file() -> None:
    ping = http_job(
        "ping",
        "https://example.org/${params.day}",
        schedule=cron("0 2 * * *", tz="Asia/Shanghai"),
        method="POST",
        headers={"Accept": "application/json"},
        body={"json": {"a": 1}},
        expect="2xx",
        http={"redirects": 2},
        parameters=DAY,
        params={"day": "2026-01-31"},
        group="edge",
        retries=Retry(3, backoff="30s"),
        timeout="5m",
    )
    assert to_document(ping.definition) == {
        "run": {
            "http": {
                "url": "https://example.org/${params.day}",
                "method": "POST",
                "headers": {"Accept": "application/json"},
                "body": {"json": {"a": 1}},
                "expect": "2xx",
                "redirects": 2,
            }
        },
        "schedule": {"cron": "0 2 * * *", "tz": "Asia/Shanghai"},
        "parameters": {"type": "object", "additionalProperties": False, **DAY},
        "params": {"day": "2026-01-31"},
        "group": "edge",
        "retries": {"max": 3, "backoff": "30s"},
        "timeout": "5m",
    }
    dump = shell_job("dump", ["pg_dump", "billing"], schedule=[every("1h"), every("7m")], env={"A": "b"})
    assert to_document(dump.definition)["run"] == {"shell": {"argv": ["pg_dump", "billing"], "env": {"A": "b"}}}
    assert len(to_document(dump.definition)["schedule"]) == 2
    tidy = shell_job("tidy", script="rm -f /tmp/x")
    assert to_document(tidy.definition) == {"run": {"shell": {"script": "rm -f /tmp/x", "language": "sh"}}}
    one = sql_job("one", "reports", "select 1", sql={"read_only": True})
    assert to_document(one.definition)["run"] == {
        "sql": {"connection": "reports", "query": "select 1", "read_only": True}
    }
    assert one.definition.handler.offer == "sql:reports"
    several = sql_job("several", "reports", ["delete from a", "delete from b"])
    assert several.definition.handler.options["statements"] == ["delete from a", "delete from b"]


def test_what_is_wrong_is_said_where_it_is_written() -> None:
    bad: Any = "pg_dump billing"
    with pytest.raises(BadField, match="one text"):
        shell_job("dump", bad)
    with pytest.raises(BadName):
        http_job("a b", "https://example.org")
    with pytest.raises(UnknownField, match="timeot"):
        http_job("ping", "https://example.org", timeot="5m")  # type: ignore[call-arg]
    with pytest.raises(BadField, match=r"http\.url: it is given twice"):
        http_job("ping", "https://example.org", http={"url": "https://example.com"})
    with pytest.raises(BadField, match=r"params\.day: a fire of the schedule would lack it"):
        http_job("ping", "https://example.org", schedule=every("5m"), parameters=DAY)


def test_parameters_are_checked_before_a_trigger_is_sent() -> None:
    ping = http_job("ping", "https://example.org", parameters=DAY)
    assert ping.payload((), {"day": "2026-01-31"}) == {"day": "2026-01-31"}
    with pytest.raises(BadParameters, match="day is missing"):
        ping.trigger()
    usual = {**DAY, "properties": {"day": {**DAY["properties"]["day"], "default": "2026-01-31"}}}
    assert http_job("usual", "https://example.org", parameters=usual).payload((), {}) == {}  # the server adds it
    with pytest.raises(TypeError, match="by name"):
        ping.options().trigger("2026-01-31")
    assert http_job("any", "https://example.org").payload((), {"x": 1}) == {"x": 1}


SOURCE = """
from foliot import every, http_job, job, sql_job

ping = http_job("ping", "https://example.org", schedule=every("5m"))
sql_job("prune", "reports", "delete from old")

@job
def tick() -> None: ...
"""


def test_a_worker_finds_them_in_a_module_and_declares_them(tmp_path: Path) -> None:
    file = tmp_path / "jobs_of_kinds.py"
    file.write_text(SOURCE)
    loaded = load([file])
    assert loaded.problems == ()
    assert {one.name: one.place.line for one in loaded.declarations} == {"ping": 4, "prune": 5, "tick": 7}
    code = PythonHandlers.of(loaded, [file])
    assert [job.name for job in code.jobs] == ["ping", "prune", "tick"]
    assert {job.module for job in code.jobs} == {loaded.declarations[0].module}
    assert [offer.name.rpartition(":")[2] for offer in code.offers()] == ["tick"]  # only functions are code of its own


def test_one_name_twice_is_refused_whatever_the_kinds(tmp_path: Path) -> None:
    file = tmp_path / "twice_of_kinds.py"
    file.write_text(SOURCE + '\nhttp_job("tick", "https://example.org")\n')
    problems: tuple[FoliotError, ...] = load([file]).problems
    assert [type(problem) for problem in problems] == [NameClaimedTwice]


def test_a_url_of_another_module_is_another_source() -> None:
    before = Incumbent(module="billing", offer="http", declared_by=frozenset())
    assert is_other_source(before, module="reports", offer="http")
    assert not is_other_source(before, module="billing", offer="http")
    moved = Incumbent(module="billing", offer="python:billing.jobs:settle", declared_by=frozenset())
    assert not is_other_source(moved, module="reports", offer="python:billing.jobs:settle")
