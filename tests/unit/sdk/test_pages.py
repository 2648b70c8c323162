"""The pages about the SDK tell the truth: their Python runs, their tests pass, their tables name what exists."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import foliot
from foliot import AsyncFoliot, Ctx, Foliot
from foliot.client.calls import trigger
from foliot.client.run import Run
from foliot.domain.fields import OPTIONS

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
    known = set(inspect.signature(trigger).parameters) - {"job", "params", "token", "namespace"}
    assert set(re.findall(r"(\w+)=", re.findall(r"`options\((.*?)\)`", REFERENCE)[0])) == known


def test_everything_of_a_ctx_is_explained() -> None:
    known = {name for name in dir(Ctx) if not name.startswith("_")} - {"in_zone", "stop_asked"}
    explained = set(re.findall(r"`(?:await )?(\w+)", section("`Ctx`")))
    assert known - explained == set()


def test_every_call_of_the_clients_is_explained() -> None:
    explained = set(re.findall(r"`((?:jobs|runs)\.\w+)", section("Clients")))
    with Foliot("http://127.0.0.1:1") as client:
        known = {
            f"{room}.{name}"
            for room in ("jobs", "runs")
            for name in dir(getattr(client, room))
            if not name.startswith("_")
        }
    assert explained == known
    attributes = {name for name in dir(Run) if not name.startswith("_")}
    assert attributes - set(re.findall(r"`(\w+)`", section("Clients"))) <= {"namespace"}


def test_both_clients_have_the_same_calls() -> None:
    plain, other = Foliot("http://127.0.0.1:1"), AsyncFoliot("http://127.0.0.1:1")
    for room in ("jobs", "runs"):
        calls = {name for name in dir(getattr(plain, room)) if not name.startswith("_")}
        assert calls == {name for name in dir(getattr(other, room)) if not name.startswith("_")}
        for name in calls:
            one, two = getattr(getattr(plain, room), name), getattr(getattr(other, room), name)
            assert list(inspect.signature(one).parameters) == list(inspect.signature(two).parameters)
    plain.close()


def test_everything_at_the_front_door_is_explained() -> None:
    told = set(re.findall(r"`(?:foliot\.)?(\w+)`", REFERENCE.partition("\n## ")[0]))
    assert set(foliot.__all__) - told == {"__version__"}
