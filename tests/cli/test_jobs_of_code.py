"""Changing and deleting a job that code declares: the command says what the code does to it next."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Shell
from tests.unit.client.answering import Answer, Answering, Asked, answering

JOB: dict[str, Any] = {
    "name": "tick", "namespace": "default", "version": 1, "state": "ACTIVE", "source": "code", "module": "jobs",
    "retired_at": None, "schedule": "every 10 seconds", "definition": {"run": {"python": "jobs:tick"}},
}  # fmt: skip


@pytest.fixture
def server() -> Iterator[Answering]:
    with answering() as server:
        yield server


def say(server: Answering, **job: Any) -> None:
    """Answer with this job; what is written to it becomes version 2, by hand."""

    def answer(asked: Asked) -> Answer:
        if asked.method == "GET":
            return Answer(body={**JOB, **job})
        return Answer(body={**JOB, **job, "version": 2, "source": "api", "module": None})

    server.say(answer)


def test_an_edit_of_a_job_of_code_says_that_it_counts_over_the_code(server: Answering, tmp_path: Path) -> None:
    shell = Shell(folder=tmp_path, config=tmp_path / "config")
    edit = ("job", "edit", "tick", "--set", "timeout=45m", "--server", server.url)
    say(server)
    assert shell(*edit).err.splitlines() == [
        "✔ tick is v2 now",
        "▲ tick is declared by code (jobs): your change counts over it until both say the same",
    ]
    say(server, source="api", module=None)
    assert shell(*edit).err.splitlines() == ["✔ tick is v2 now"]


def test_who_deletes_a_job_of_code_is_told_that_it_comes_back(server: Answering, tmp_path: Path) -> None:
    shell = Shell(folder=tmp_path, config=tmp_path / "config")
    delete = ("job", "delete", "tick", "--yes", "--server", server.url)
    say(server)
    assert shell(*delete).err.splitlines()[-2:] == [
        "✔ tick deleted; its history stays",
        "▲ tick is declared by code (jobs): it comes back when a worker loads that code again",
    ]
    say(server, retired_at="2026-03-02T06:00:00Z")
    assert shell(*delete).err.splitlines()[-1] == "✔ tick deleted; its history stays"
