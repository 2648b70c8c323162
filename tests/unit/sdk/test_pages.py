"""The pages about the SDK tell the truth: their Python runs, their tests pass, their tables name what exists."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import foliot
from foliot import Ctx, Foliot, Run
from foliot.domain.fields import OPTIONS
from foliot.sdk.trigger_call import TriggerCall

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ["tutorials/first-job.md", "how-to/test-your-jobs.md", "reference/sdk.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert blocks
    scope: dict[str, Any] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, page, "exec"), scope)
    tests = [value for name, value in scope.items() if name.startswith("test_") and callable(value)]
    assert bool(tests) == page.startswith("how-to")
    for test in tests:
        test()


@pytest.mark.parametrize("page", PAGES)
def test_python_that_is_not_run_is_python(page: str) -> None:
    for block in re.findall(r"```python no-run\n(.*?)```", (DOCS / page).read_text(), re.DOTALL):
        compile(block, page, "exec", flags=0x2000)  # top-level await


REFERENCE = (DOCS / "reference" / "sdk.md").read_text()


def section(title: str) -> str:
    return REFERENCE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def first_column(text: str) -> set[str]:
    return {
        word for row in re.findall(r"^\| ([^|]*`[^|]*)\|", text, re.MULTILINE) for word in re.findall(r"`(\w+)", row)
    }


def test_every_option_of_a_job_is_explained() -> None:
    assert first_column(section("`@job`")) == {*OPTIONS, "name", "namespace"}


def test_every_option_of_a_trigger_is_explained() -> None:
    known = set(inspect.signature(TriggerCall).parameters) - {"job"}
    assert set(re.findall(r"(\w+)=", re.findall(r"`options\((.*?)\)`", REFERENCE)[0])) == known


def test_everything_of_a_ctx_is_explained() -> None:
    known = {name for name in dir(Ctx) if not name.startswith("_")} - {"in_zone", "stop_asked"}
    explained = set(re.findall(r"`(?:await )?(\w+)", section("`Ctx`")))
    assert known - explained == set()


def test_everything_of_a_run_is_explained() -> None:
    attributes = {name for name in dir(Run) if not name.startswith("_")}
    assert attributes - set(re.findall(r"`(\w+)`", section("Clients"))) <= {"namespace"}


def test_the_calls_that_are_shown_exist() -> None:
    shown = re.findall(r"`(jobs|runs)\.(\w+)", section("Clients"))
    assert shown
    with Foliot("http://127.0.0.1:1") as client:
        assert [name for room, name in shown if not hasattr(getattr(client, room), name)] == []


def test_everything_at_the_front_door_is_explained() -> None:
    told = set(re.findall(r"`(?:foliot\.)?(\w+)`", REFERENCE.partition("\n## ")[0]))
    assert set(foliot.__all__) - told == {"__version__"}
