"""`foliot top`: its panes, its keys, its questions, against a real server; and in a real terminal."""

import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Static

from foliot.cli.top_app import SureScreen, TextScreen, TopApp
from foliot.cli.top_view import TopView
from foliot.client.blocking.foliot import Foliot
from foliot.words.language import Language
from tests.cli.conftest import Shell
from tests.cli.test_terminal import terminal, whole
from tests.eventually import eventually, soon


@pytest.fixture
def client(up: Path) -> Iterator[Foliot]:
    known = json.loads((up / ".foliot" / "client.json").read_text("utf-8"))
    with Foliot(known["url"], known["token"]) as client:
        yield client


@asynccontextmanager
async def watching(client: Foliot, lang: Language = Language.ENGLISH) -> AsyncIterator[tuple[TopApp, Pilot[None]]]:
    app = TopApp(client, lang=lang, namespace=None, every_s=0.5)
    async with app.run_test(size=(160, 48)) as pilot:
        yield app, pilot


async def seen(what: str, holds: Callable[[], object]) -> None:
    await soon(holds, within_s=60, what=what)


def rows_of(app: TopApp, pane: str) -> list[list[object]]:
    table = app.query_one(f"#{pane}", DataTable)
    return [table.get_row_at(row) for row in range(table.row_count)]


def column(app: TopApp, pane: str, number: int = 0) -> list[str]:
    return [str(row[number]) for row in rows_of(app, pane)]


def choose(app: TopApp, pane: str, cell: str, number: int = 0) -> None:
    """Put the cursor on the row with this cell."""
    table = app.query_one(f"#{pane}", DataTable)
    table.focus()
    table.move_cursor(row=column(app, pane, number).index(cell))


def text_of(app: TopApp, name: str) -> str:
    return str(app.query_one(f"#{name}", Static).content)


def page_of(app: TopApp) -> str:
    return str(app.screen.query_one("#page Static", Static).content)


async def test_the_panes_show_what_runs_what_comes_what_fails_and_the_nodes(foliot: Shell, client: Foliot) -> None:
    run = client.jobs.trigger("sleepy").id
    failed = client.jobs.trigger("fail").id
    eventually(lambda: foliot.state(failed) == "FAILED", within_s=60, what="fail fails")
    async with watching(client) as (app, pilot):
        await seen(
            "the panes are filled", lambda: run in column(app, "running", 1) and "fail" in column(app, "failing")
        )
        assert "tick" in column(app, "next")
        assert len(column(app, "nodes")) >= 2  # the server, and the worker, which is well
        assert text_of(app, "head").startswith(f"leader {foliot.led()} · term ")
        choose(app, "running", run, 1)
        await pilot.press("enter")
        await seen("details of the run", lambda: isinstance(app.screen, TextScreen))
        assert f"id: {run}" in page_of(app)
        await pilot.press("escape", "c")
        assert isinstance(app.screen, SureScreen)
        await pilot.press("n")
        assert foliot.state(run) == "RUNNING"  # whoever says no changes nothing
        await pilot.press("c", "y")
        await seen("the run is cancelled", lambda: foliot.state(run) == "CANCELLED")
        await seen("the pane is empty", lambda: run not in column(app, "running", 1))
        await pilot.press("q")
    assert app.return_code == 0


async def test_keys_move_and_a_filter_leaves_only_what_has_a_text(foliot: Shell, client: Foliot) -> None:
    ticked = client.jobs.trigger("tick").id
    eventually(lambda: foliot.state(ticked) == "SUCCEEDED", within_s=60, what="tick ticks")
    async with watching(client) as (app, pilot):
        await seen("nodes", lambda: len(column(app, "nodes")) >= 2)
        nodes = app.query_one("#nodes", DataTable)
        nodes.focus()
        await pilot.press("j")
        assert nodes.cursor_row == 1
        await pilot.press("k", "k")
        assert nodes.cursor_row == 0

        choose(app, "next", "tick")
        await pilot.press("l")
        await seen("the log of its last run", lambda: isinstance(app.screen, TextScreen))
        assert [line for line in page_of(app).splitlines() if "tick" in line and "i=2" in line]
        await pilot.press("q")  # closes the page, not the program
        await pilot.press("slash", *"no such job", "enter")
        await seen("the filter", lambda: column(app, "next") == [])
        await pilot.press("slash")
        app.query_one("#filter", Input).value = "TICK"
        await pilot.press("enter")
        await seen("the filter", lambda: "tick" in column(app, "next"))
        assert all("tick" in " ".join(map(str, row)) for row in rows_of(app, "next"))


async def test_a_server_that_does_not_answer_is_said_in_the_last_line() -> None:
    with Foliot("http://127.0.0.1:9", "none", timeout=2) as client:
        async with watching(client, Language.CHINESE) as (app, _):
            await seen("the trouble", lambda: "127.0.0.1:9" in text_of(app, "said"))
            assert app.query_one("#running").border_title == "执行中"


def test_alerts_have_a_pane_and_a_server_of_the_release_before_has_none() -> None:
    view = TopView(Language.ENGLISH)
    seen: dict[str, object] = {"now": "2026-11-18T06:00:00Z", "running": [], "next": [], "failing": [], "nodes": []}
    assert view.rows(seen)["alerts"] == []
    alert = {"id": 7, "level": "critical", "title": "settle failed", "rule": "night"}
    (row,) = view.rows({**seen, "alerts": [alert]})["alerts"]
    assert (row.alert, row.cells) == (7, ("critical", "settle failed", "night"))
    assert view.rows({**seen, "alerts": [alert]}, text="NOON")["alerts"] == []


def test_fires_per_second_are_what_the_servers_counted_between_two_looks() -> None:
    view = TopView(Language.ENGLISH)

    def head(at: str, scheduled: float) -> str:
        node = {"kind": "server", "load": {"scheduled": scheduled}}
        cluster = {"now": at, "nodes": [node], "leader": "a", "term": 3, "queue": 1, "running": 2}
        return view.head({"now": at, "cluster": cluster})

    assert "– fires/s" in head("2026-11-18T06:00:00Z", 100.0)
    assert "5.0 fires/s" in head("2026-11-18T06:00:02Z", 110.0)
    assert "– fires/s" in head("2026-11-18T06:00:04Z", 3.0)  # a server began anew


def test_top_in_a_terminal_shows_its_head_and_leaves_by_q(foliot: Shell) -> None:
    with terminal(foliot, "top", columns=160) as child:
        child.expect(r"leader .*term")
        child.send("q")
        _, code = whole(child)
    assert code == 0


def test_top_says_what_it_needs(foliot: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = foliot("top")
    assert (piped.code, "FOL-1321" in piped.err) == (2, True)
    often = foliot("top", "--every", "10ms")
    assert (often.code, "FOL-1322" in often.err) == (2, True)
    monkeypatch.setitem(sys.modules, "foliot.cli.top_app", None)
    without = foliot("top")
    assert (without.code, "FOL-1320" in without.err) == (2, True)
    assert 'pip install "foliot[top]"' in without.err
    assert 'pip install "foliot[top]"' in foliot("top", "--lang", "zh-CN").err
