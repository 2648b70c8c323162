"""The page about SQL: every job on it can be saved, and its tables name every option and setting there is."""

import re
from pathlib import Path

import msgspec
import yaml

from foliot.domain.definition import from_document
from foliot.worker.handlers.sql import SqlHandlers
from foliot.worker.handlers.sql.options import SqlOptions
from foliot.worker.handlers.sql.settings import SqlConnection

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "run-sql.md").read_text("utf-8")


def test_every_job_on_the_page_can_be_saved() -> None:
    jobs = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    schedules = re.findall(r"`(schedule: \{.*?\})`", PAGE)
    assert len(jobs) >= 3
    assert len(schedules) >= 5
    for job in jobs:
        from_document(job)
        SqlHandlers().validate(job["run"]["sql"])
    for schedule in schedules:
        from_document({**yaml.safe_load(schedule), "run": jobs[0]["run"]})


def test_the_page_names_every_option_and_every_setting() -> None:
    options = {field.name for field in msgspec.structs.fields(SqlOptions)}
    settings = set(SqlConnection.__dataclass_fields__)
    named = set(re.findall(r"`([a-z_]+)`", PAGE))
    assert options | settings <= named
