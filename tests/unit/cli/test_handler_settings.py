"""What people write of kinds of handlers: a file with a table for each, and options that win over it."""

from pathlib import Path

import pytest

from foliot.cli.handler_settings import BadHandlerOption, BadSettingsFile, read_handler_settings
from foliot.words.errors import tell
from foliot.words.language import Language

FILE = """
[handlers.echo]
voice = "low"
times_max = 3

[handlers.sql.connections.reports]
url = "postgresql://db/reports"
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "handlers.toml"
    file.write_text(text, "utf-8")
    return file


def test_an_option_wins_over_the_file_and_adds_to_it(tmp_path: Path) -> None:
    options = ["echo.voice=a=b", "sql.connections.ledger.url=sqlite:///x", 'http.allow=["10.0.0.0/8"]', 'echo.name="5"']
    assert read_handler_settings(written(tmp_path, FILE), options) == {
        "echo": {"voice": "a=b", "times_max": 3, "name": "5"},
        "sql": {"connections": {"reports": {"url": "postgresql://db/reports"}, "ledger": {"url": "sqlite:///x"}}},
        "http": {"allow": ["10.0.0.0/8"]},
    }


def test_without_file_and_options_nothing_is_set() -> None:
    assert read_handler_settings(None, ()) == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[handlers.echo", "at end of document"),
        ("[client]\nserver = 's3cret'", 'it has "client" beside'),
        ("handlers = 's3cret'", "handlers is not a table"),
        ("[handlers]\necho = 's3cret'", "handlers.echo is not a table"),
        ("\udcff", "can't decode byte"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_shows_no_value(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "handlers.toml"
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(BadSettingsFile) as refused:
        read_handler_settings(file, ())
    assert why in refused.value.sentence
    assert "s3cret" not in str(refused.value)
    assert tell(refused.value, Language.CHINESE)[0].startswith(f"无法读取 {file} 中的处理器设置：")


@pytest.mark.parametrize(
    "option", ["echo=s3cret", "echo.voice", ".voice=s3cret", "echo.=s3cret", "=s3cret", 'e.v=["s3cret']
)
def test_an_option_that_cannot_be_read_is_named_without_its_value(option: str) -> None:
    with pytest.raises(BadHandlerOption, match="--handler-option ") as refused:
        read_handler_settings(None, [option])
    assert "s3cret" not in f"{refused.value} {refused.value.data} {tell(refused.value, Language.CHINESE)}"


def test_an_option_below_a_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadHandlerOption, match="voice is not a table"):
        read_handler_settings(written(tmp_path, FILE), ["echo.voice.loud=yes"])
