"""The screens of `foliot top`, on Textual. Every call to the server is in a thread: the keys answer at once."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final

import msgspec
from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Grid, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import DataTable, Input, Static

from foliot.cli.top_view import PANES, TopRow, TopView
from foliot.client.blocking.foliot import Foliot
from foliot.domain.errors import FoliotError
from foliot.domain.visible import visible_line
from foliot.words.errors import tell
from foliot.words.language import Language

LOG_LINES: Final = 500
NODES_MAX: Final = 100
REASON: Final = "foliot top"


class TextScreen(ModalScreen[None]):
    """A page of text over the panes: details, a log, an explanation, the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,enter", "dismiss", "")]
    CSS = "TextScreen { align: center middle; } #page { width: 90%; height: 80%; border: round $accent; padding: 0 1; }"

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        page = VerticalScroll(Static(Text(self._text)), id="page")  # a Text: what jobs print is no markup
        page.border_title = self._title
        yield page


class SureScreen(ModalScreen[bool]):
    """Asks before something changes."""

    BINDINGS: ClassVar[list[BindingType]] = [("y", "dismiss(True)", ""), ("n,escape,q", "dismiss(False)", "")]
    CSS = "SureScreen { align: center middle; } #sure { width: auto; border: round $warning; padding: 1 2; }"

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        yield Static(Text(self._question), id="sure")


class TopApp(App[None]):
    """Panes that are read anew every so often."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #head { height: 1; background: $primary-darken-2; }
    #panes { grid-size: 2; }
    #filter { display: none; dock: bottom; }
    #said { height: 1; dock: bottom; color: $text-muted; }
    DataTable { border: round $primary; height: 1fr; }
    DataTable:focus { border: round $accent; }
    #alerts { display: none; column-span: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("j", "move(1)", ""), ("k", "move(-1)", ""), ("slash", "filter", ""), ("escape", "close_filter", ""),
        ("l", "log", ""), ("w", "why", ""), ("r", "retry", ""), ("c", "cancel", ""), ("p", "pause", ""),
        ("d", "drain", ""), ("question_mark", "keys", ""), ("q", "quit", ""),
    ]  # fmt: skip

    def __init__(self, client: Foliot, *, lang: Language, namespace: str | None, every_s: float) -> None:
        super().__init__()
        self._client = client
        self._lang = lang
        self._namespace = namespace
        self._every_s = every_s
        self._view = TopView(lang)
        self._seen: Mapping[str, Any] | None = None
        self._rows: dict[str, list[TopRow]] = {name: [] for name in PANES}
        self._text = ""

    def compose(self) -> ComposeResult:
        yield Static(self._view.say("top_loading"), id="head", markup=False)
        with Grid(id="panes"):
            for name, columns in PANES.items():
                table: DataTable[str] = DataTable(id=name, cursor_type="row")
                table.border_title = self._view.say(f"top_{name}")
                table.add_columns(*(self._view.say(f"top_col_{column}") for column in columns))
                yield table
        yield Input(id="filter", placeholder=self._view.say("top_filter"))
        yield Static(self._view.say("top_hint"), id="said", markup=False)

    def on_mount(self) -> None:
        self.query_one("#running").focus()
        self.look()
        self.set_interval(self._every_s, self.look)

    # -- looking -----------------------------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="look")
    def look(self) -> None:
        """Read the overview; what goes wrong is said, and the next look tries again."""
        try:
            seen = dict(self._client.cluster.overview(namespace=self._namespace))
            is_whole = seen["cluster"] is not None  # else this token may not see nodes
            seen["nodes"] = self._client.nodes.list(limit=NODES_MAX) if is_whole else ()
        except FoliotError as error:
            self.call_later(self.tell, _told(error, self._lang))
            return
        self.call_later(self.show, seen)

    def show(self, seen: Mapping[str, Any]) -> None:
        """Put an answer on the screen."""
        self._seen = seen
        self.query_one("#head", Static).update(Text(self._view.head(seen)))
        self.query_one("#alerts").display = bool(seen.get("alerts"))
        self._fill()

    def _fill(self) -> None:
        if self._seen is None:
            return
        before = self._rows
        self._rows = self._view.rows(self._seen, text=self._text)
        for name, rows in self._rows.items():
            table = self.query_one(f"#{name}", DataTable)
            at = _place(before[name], table.cursor_row, rows)
            table.clear()
            for row in rows:
                table.add_row(*(Text(cell) for cell in row.cells))
            table.move_cursor(row=at)

    def tell(self, text: str) -> None:
        """Say something in the last line."""
        self.query_one("#said", Static).update(Text(text))

    # -- keys --------------------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> TopRow | None:
        """The row under the cursor of the pane that has the focus."""
        table = self.focused
        if not isinstance(table, DataTable):
            return None
        rows = self._rows.get(table.id or "", [])
        return rows[table.cursor_row] if table.cursor_row < len(rows) else None

    def action_move(self, by: int) -> None:
        if isinstance(self.focused, DataTable):
            self.focused.move_cursor(row=max(0, self.focused.cursor_row + by))

    def action_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.display = True
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._text = event.value
        event.input.display = False
        self.query_one("#running").focus()
        self._fill()

    def action_close_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.display = False
        self.query_one("#running").focus()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        row = self.chosen
        is_run = event.data_table.id == "running"
        if row is not None:
            self._read(row.cells[0], lambda: _document(self._details(row, is_run=is_run)))

    def _details(self, row: TopRow, *, is_run: bool) -> Any:
        if row.node:
            return self._client.nodes.get(row.node)
        if row.alert:
            return self._client.alerts.get(row.alert)
        if is_run:
            return self._client.runs.get(row.run).raw
        return self._client.jobs.get(row.job, namespace=row.namespace or None).raw

    def action_log(self) -> None:
        row = self.chosen
        if row is not None and row.run:
            self._read(row.run, lambda: _log_of(self._client.runs.lines(row.run, limit=LOG_LINES)))

    def action_why(self) -> None:
        row = self.chosen
        if row is not None and row.run:
            self._read(row.run, lambda: _document(self._client.runs.why(row.run)))

    def action_retry(self) -> None:
        self._change("top_sure_retry", "run", lambda row: self._client.runs.retry(row.run, reason=REASON))

    def action_cancel(self) -> None:
        self._change("top_sure_cancel", "run", lambda row: self._client.runs.cancel(row.run, reason=REASON))

    def action_pause(self) -> None:
        row = self.chosen
        jobs, is_off = self._client.jobs, row is not None and row.is_off
        act = jobs.resume if is_off else jobs.pause
        key = "top_sure_resume" if is_off else "top_sure_pause"
        self._change(key, "job", lambda row: act(row.job, reason=REASON, namespace=row.namespace or None))

    def action_drain(self) -> None:
        row = self.chosen
        nodes, is_off = self._client.nodes, row is not None and row.is_off
        act = nodes.undrain if is_off else nodes.drain
        self._change(
            "top_sure_undrain" if is_off else "top_sure_drain", "node", lambda row: act(row.node, reason=REASON)
        )

    def action_keys(self) -> None:
        self.push_screen(TextScreen("foliot top", self._view.say("top_keys")))

    def _change(self, question: str, what: str, act: Callable[[TopRow], Any]) -> None:
        """Ask, then do it in a thread, and look again."""
        row = self.chosen
        name = "" if row is None else getattr(row, what)
        if row is None or not name:
            return

        def answered(is_sure: bool | None) -> None:
            if is_sure:
                self._do(name, lambda: act(row))

        self.push_screen(SureScreen(self._view.say(question, name=name)), answered)

    @work(thread=True)
    def _do(self, name: str, act: Callable[[], Any]) -> None:
        try:
            act()
        except FoliotError as error:
            self.call_later(self.tell, _told(error, self._lang))
            return
        self.call_later(self.tell, self._view.say("top_done", name=name))
        self.call_later(self.look)

    @work(thread=True)
    def _read(self, title: str, read: Callable[[], str]) -> None:
        try:
            text = read()
        except FoliotError as error:
            self.call_later(self.tell, _told(error, self._lang))
            return
        self.call_later(self.push_screen, TextScreen(title, text))


def _place(before: list[TopRow], at: int, rows: list[TopRow]) -> int:
    """Where the cursor stays: on its row, wherever that is now; so no key acts on a row that slipped under it."""
    key = before[at].key if at < len(before) else ""
    found = [number for number, row in enumerate(rows) if row.key == key]
    return found[0] if found else min(at, max(0, len(rows) - 1))


def _told(error: FoliotError, lang: Language) -> str:
    sentence, hint = tell(error, lang)
    return f"{sentence}  {hint or ''}".strip()


def _document(answer: Any) -> str:
    """An answer as lines of names and values."""
    return "\n".join(visible_line(line) for line in _lines(msgspec.to_builtins(dict(answer))))


def _lines(answer: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for name, value in answer.items():
        if isinstance(value, dict) and value:
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        elif value not in (None, [], {}, ""):
            yield f"{indent}{name}: {value}"


def _log_of(window: Mapping[str, Any]) -> str:
    return "\n".join(visible_line(line["text"]) for line in window["items"]) or "–"
