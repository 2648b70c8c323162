"""What a job executes, as it is typed at `foliot job create`."""

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from foliot.cli.handler_words import handler_of, handler_words


def typed(*words: str) -> Any:
    """The field `run` of these words, or the sentence of the refusal."""
    found: list[Any] = []

    @click.command()
    @handler_words
    def command(**said: Any) -> None:
        found.append(handler_of(said))

    try:
        CliRunner().invoke(command, words, standalone_mode=False, catch_exceptions=False)
    except click.UsageError as refused:
        return refused.message
    return found[0]


@pytest.mark.parametrize(
    ("words", "run"),
    [
        (("--py", "jobs:tick"), {"python": "jobs:tick"}),
        (("--http", "https://example.org"), {"http": {"url": "https://example.org"}}),
        (
            ("--http", "u", "--method", "put", "--header", "A=1", "--header", "B=2", "--body", '{"a": 1}'),
            {"http": {"url": "u", "method": "PUT", "headers": {"A": "1", "B": "2"}, "body": {"json": {"a": 1}}}},
        ),
        (("--http", "u", "--body", "7"), {"http": {"url": "u", "body": {"text": "7"}}}),
        (("--http", "u", "--option", "timeout=10s"), {"http": {"url": "u", "timeout": "10s"}}),
        (("--http", "u", "--option", "expect.status=[200]"), {"http": {"url": "u", "expect": {"status": [200]}}}),
        (("--run", "pg_dump 'a b' -f x"), {"shell": {"argv": ["pg_dump", "a b", "-f", "x"]}}),
        (("--sql", "select 1", "--connection", "shop"), {"sql": {"connection": "shop", "query": "select 1"}}),
        (("--handler", "grpc", "--option", "to=a:1", "--option", "n=3"), {"grpc": {"to": "a:1", "n": 3}}),
        ((), None),
    ],
    ids=str,
)
def test_words_become_the_field_run(words: tuple[str, ...], run: Any) -> None:
    assert typed(*words) == run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--py", "m:f", "--http", "u"), "one of --py"),
        (("--sql", "select 1"), "--sql needs --connection"),
        (("--run", "a | b"), "| needs --script"),
        (("--run", "a 'b"), "quote that does not end"),
        (("--py", "m:f", "--method", "PUT"), "--method goes with --http"),
        (("--connection", "shop"), "--connection goes with --sql"),
        (("--py", "m:f", "--option", "a=1"), "--option goes with"),
        (("--script", "tidy.txt"), "Say the language of tidy.txt"),
    ],
    ids=str,
)
def test_words_that_do_not_go_together_are_refused(words: tuple[str, ...], said: str) -> None:
    assert said in typed(*words)


def test_a_script_a_statement_and_a_body_are_read_from_files(tmp_path: Path) -> None:
    for name, text in (("tidy.sh", "rm x"), ("prune.sql", "delete from a"), ("body.json", "[1]")):
        (tmp_path / name).write_text(text)
    assert typed("--script", str(tmp_path / "tidy.sh")) == {"shell": {"script": "rm x", "language": "sh"}}
    python = typed("--script", str(tmp_path / "tidy.sh"), "--language", "python")
    assert python["shell"]["language"] == "python"
    assert typed("--sql", f"@{tmp_path / 'prune.sql'}", "--connection", "a")["sql"]["query"] == "delete from a"
    assert typed("--http", "u", "--body", f"@{tmp_path / 'body.json'}")["http"]["body"] == {"json": [1]}
