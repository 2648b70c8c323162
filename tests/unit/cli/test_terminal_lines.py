"""Nothing that others wrote steers the terminal of who looks at it, whatever the command and the form."""

import ast
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import structlog

import foliot.cli
from foliot.app.all_in_one import UpSettings
from foliot.cli.editor import EditedFile
from foliot.cli.output import Output
from foliot.cli.progress import LiveProgress
from foliot.cli.refusal import tell
from foliot.cli.table import Column
from foliot.cli.terminal import Styled, echo
from foliot.cli.up import Terminal
from foliot.cli.yaml import to_yaml
from foliot.domain.errors import InvalidInput
from foliot.domain.verdict import Cause
from foliot.domain.visible import visible
from foliot.observability.log_lines import configure_logging
from foliot.ports.worker_link import Report
from tests.cli.conftest import Shell
from tests.unit.client.answering import Answer, Answering, answering

EVIL = "\x1b]0;owned\x07\x1b[2J\x1b[8m\x9b31m\u202egnp.exe\u2066\u200f\u2028\x7f\rsafe"
SHOWN = "\\u001b]0;owned\\u0007"


def is_safe(text: str) -> bool:
    return visible(text) == text


@pytest.fixture
def server() -> Iterator[Answering]:
    with answering() as here:
        yield here


@pytest.fixture
def shell(tmp_path: Path, server: Answering) -> Shell:
    return Shell(folder=tmp_path, config=tmp_path / "config", environment={"FOLIOT_SERVER": server.url})


RUN: dict[str, Any] = {
    "id": "r-1", "job": EVIL, "namespace": EVIL, "shown": EVIL, "state": "FAILED", "kind": EVIL, "origin": EVIL,
    "triggered_by": EVIL, "reason": EVIL, "version": 1, "due_at": None, "started_at": None, "ended_at": None,
    "delay_s": None, "duration_s": None, "node": EVIL, "parent": None, "shard": None, "attempt": 1, "error": EVIL,
    "params": {EVIL: EVIL}, "result": EVIL,
    "progress": {"done": 1, "total": 2, "note": EVIL, "rate_per_s": None, "left_s": None},
}  # fmt: skip
JOB: dict[str, Any] = {
    "name": EVIL, "namespace": EVIL, "state": EVIL, "schedule": EVIL, "next_at": None, "last_run": None,
    "group": EVIL, "owner": EVIL, "version": 1, "description": EVIL, "definition": {"run": {EVIL: EVIL}},
    "paused_at": None, "paused_until": None, "pause_reason": EVIL, "trouble": EVIL, "tags": {EVIL: EVIL},
    "executes": EVIL, "updated_by": EVIL, "updated_at": None,
}  # fmt: skip
WHY = {"sentence": EVIL, "hint": EVIL, "code": EVIL, "verdict": EVIL}
HIT = {"kind": EVIL, "name": EVIL, "namespace": EVIL, "detail": EVIL}
CHANGE = {"path": EVIL, "before": EVIL, "after": {EVIL: EVIL}}
LISTS: list[tuple[tuple[str, ...], Any]] = [
    (("run", "list"), {"items": [RUN], "next_cursor": EVIL}),
    (("run", "show", "r-1"), RUN | {"items": [RUN | {"cause": EVIL}]}),
    (("run", "result", "r-1"), RUN | {"result": None}),
    (("run", "why", "r-1"), WHY),
    (("run", "why", "r-1", "r-2"), {"items": [WHY]}),
    (("job", "list"), {"items": [JOB], "next_cursor": None}),
    (("job", "show", "x", "--fires", "0"), JOB),
    (("job", "show", "x", "--yaml"), JOB),
    (("job", "why", "x"), {"items": [WHY]}),
    (("job", "diff", "x", "1", "2"), {"changes": [CHANGE]}),
    (("search", "x"), {"items": [HIT]}),
    (("whoami",), {"name": EVIL, "scopes": [EVIL], "namespace": EVIL, "group": EVIL}),
    (("run", "cancel", "--job", "x"), {"items": [RUN], "next_cursor": None}),
]


@pytest.mark.parametrize("form", ["table", "wide", "yaml", "name", "jsonl", "json"])
@pytest.mark.parametrize(("command", "body"), LISTS, ids=[" ".join(command[:2]) for command, _ in LISTS])
def test_no_answer_steers_the_terminal(
    shell: Shell, server: Answering, command: tuple[str, ...], body: Any, form: str
) -> None:
    server.say(Answer(body=body))
    said = shell(*command, "-o", form)
    assert said.out + said.err
    assert is_safe(said.out), said.out
    assert is_safe(said.err), said.err


def test_json_keeps_every_character(shell: Shell, server: Answering) -> None:
    server.say(Answer(body=RUN))
    assert shell("run", "show", "r-1", "-o", "json").json == RUN


def test_no_refusal_steers_the_terminal(shell: Shell, server: Answering) -> None:
    errors = [{"path": EVIL, "message": EVIL}]
    problem = {"code": "FOL-1085", "detail": EVIL, "hint": EVIL, "errors": errors, "trace_id": EVIL}
    server.say(Answer(status=422, body=problem))
    said = shell("job", "list", "-v")
    assert is_safe(said.err)
    assert SHOWN in said.err


def test_a_result_that_is_text_does_not_steer_the_terminal(shell: Shell, server: Answering) -> None:
    server.say(Answer(body=RUN | {"state": "SUCCEEDED", "error": None}))
    said = shell("run", "result", "r-1")
    assert is_safe(said.out)
    assert SHOWN in said.out


@pytest.mark.parametrize("follow", [False, True])
def test_a_log_does_not_steer_the_terminal(shell: Shell, server: Answering, follow: bool) -> None:
    line = EVIL.replace("\r", "")
    if follow:
        text = f"data: {line}\n\nevent: end\ndata:\n\n"
        log = Answer(text=text, headers={"content-type": "text/event-stream"})
    else:
        log = Answer(text=f"{line}\n", headers={"content-type": "text/plain; charset=utf-8"})
    options = ["-f"] if follow else []
    for raw, expected in (([], visible(line)), (["--raw"], line)):
        server.say(lambda asked: log if asked.path.endswith("/logs") else Answer(body=RUN))
        said = shell("run", "logs", "r-1", *options, *raw)
        assert said.out == expected + "\n", "--raw is for a pipe: there it is exact"
        assert is_safe(said.err)


def test_a_log_is_split_by_newlines_alone(shell: Shell, server: Answering) -> None:
    """Else a line could look like several, each with a time and level of its own."""
    text = "one\u2028two\x85three\x0bfour\nfive\n"
    log = Answer(text=text, headers={"content-type": "text/plain; charset=utf-8"})
    server.say(lambda asked: log if asked.path.endswith("/logs") else Answer(body=RUN))
    assert shell("run", "logs", "r-1", "--grep", "five").out == "five\n"
    assert len(shell("run", "logs", "r-1").out.splitlines()) == 2


def test_raw_is_not_for_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Tty:
        def isatty(self) -> bool:
            return True

    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Tty())
        print_line = LiveProgress._print_for(is_raw=True)
    print_line(EVIL)
    said = capsys.readouterr().out
    assert is_safe(said)
    assert SHOWN in said


# ---------------------------------------------------------------------------------------- what speaks without a server


def test_only_our_own_styles_are_styles(capsys: pytest.CaptureFixture[str]) -> None:
    echo(Styled("\x1b[31mred", fg="green"), "\x1b[32mforeign", colour=True)
    assert capsys.readouterr().out == click.style("\\u001b[31mred", fg="green") + "\\u001b[32mforeign\n"
    assert f"{Styled('x', fg='red')}" == "x", "inside another text it is plain"


def test_a_cell_stays_in_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output(form="table", quiet=False, colour=False, chinese=False)
    out.items([{"name": f"a\n{EVIL}"}], [Column(title="NAME", of=lambda row: row["name"])])
    said = capsys.readouterr().out
    assert is_safe(said)
    assert said.count("\n") == 2


def test_yaml_keeps_every_character() -> None:
    text = to_yaml({"a": EVIL})
    assert is_safe(text)
    assert json.loads(text.removeprefix("a: ")) == EVIL


def test_the_feed_of_up_does_not_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    feed = Terminal(UpSettings(sources=("jobs.py",), folder=tmp_path))
    feed.reported([Report(run_id=1, lease_id="l", job=EVIL, cause=Cause.ERROR, error=EVIL, took_us=3000)])
    said = capsys.readouterr().out
    assert is_safe(said)
    assert said.count("\n") == 2


def test_a_refusal_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tell(InvalidInput(EVIL, hint=EVIL))
    assert is_safe(capsys.readouterr().err)


@pytest.mark.parametrize("form", ["console", "json"])
def test_no_log_line_of_a_node_steers_the_terminal(form: Any, capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers = root.handlers[:]
    root.handlers.clear()
    try:
        configure_logging(form=form)
        log = structlog.get_logger("x")
        try:
            raise ValueError(EVIL)
        except ValueError:
            log.exception("run.failed", job=EVIL, labels={EVIL: EVIL})
        logging.getLogger("other").warning(EVIL)
    finally:
        root.handlers[:] = handlers
        structlog.reset_defaults()
    said = capsys.readouterr().err
    assert is_safe(said), said
    assert "owned" in said


def test_there_is_one_way_to_the_terminal() -> None:
    """What speaks by another way shows what others wrote as it is."""
    ways = {"echo", "secho", "style", "echo_via_pager"}
    found = []
    for file in Path(foliot.cli.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            is_click = isinstance(node, ast.Attribute) and node.attr in ways and ast.unparse(node.value) == "click"
            is_print = isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.stdout.write")
            if (is_click or is_print) and file.name != "terminal.py":
                found.append(f"{file.name}:{node.lineno}")  # type: ignore[attr-defined]
    assert found == []


def test_an_editor_is_given_a_document_that_steers_nothing_and_keeps_its_meaning() -> None:
    draft = EditedFile({"description": EVIL}, name="evil")
    try:
        assert is_safe(draft.path.read_text("utf-8"))
        assert draft.read() == {"description": EVIL}
    finally:
        draft.forget()
