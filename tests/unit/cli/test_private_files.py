"""What a command writes for its user alone, nobody else can read; and what a server calls a name is one."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from foliot.cli.completion import job_name, lock_name
from foliot.client.contexts import Context, Contexts
from tests.cli.conftest import Shell
from tests.unit.client.answering import Answer, Answering, answering

ISSUED = {
    "token": "fol_secret",
    "record": {"name": "ci", "scopes": ["read"], "expires_at": "2030-01-01T00:00:00Z"},
}


@pytest.fixture
def server() -> Iterator[Answering]:
    with answering() as here:
        yield here


@pytest.fixture
def shell(tmp_path: Path, server: Answering) -> Shell:
    folder = tmp_path / "project"
    folder.mkdir()
    return Shell(folder=folder, config=tmp_path / "config", environment={"FOLIOT_SERVER": server.url})


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_is_not_written_where_others_may_read(shell: Shell, server: Answering) -> None:
    server.say(Answer(body=ISSUED))
    file = shell.folder / "ci.token"
    file.touch()
    file.chmod(0o644)
    assert shell("token", "create", "ci", "--scope", "read", "--write", "ci.token").code == 0
    assert (file.read_text(), mode(file)) == ("fol_secret\n", 0o600)


def test_a_token_is_not_written_through_a_link(shell: Shell, server: Answering) -> None:
    server.say(Answer(body=ISSUED))
    victim = shell.folder / "published.html"
    victim.write_text("keep me")
    (shell.folder / "ci.token").symlink_to(victim)
    refused = shell("token", "create", "ci", "--scope", "read", "--write", "ci.token")
    assert (refused.code, victim.read_text()) == (2, "keep me")
    assert "is no plain file" in refused.err
    assert server.asked == [], "a token that nobody gets is not made"


def test_a_file_left_by_a_command_that_died_gives_its_readers_no_token(tmp_path: Path) -> None:
    contexts = Contexts({"FOLIOT_CONFIG": str(tmp_path)})
    (tmp_path / "tokens").mkdir()
    for left in ("prod.new", ".prod.new"):
        (tmp_path / "tokens" / left).touch(mode=0o666)
    contexts.put(Context(name="prod", server="https://prod"), token="secret")
    assert mode(tmp_path / "tokens" / "prod") == 0o600


def test_the_shell_completes_names_and_nothing_else(
    tmp_path: Path, server: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell puts what it is given into the command line: a `$(…)` there would be run."""
    names: list[dict[str, Any]] = [{"name": name} for name in ("settle", "$(reboot)", "a\nb", "结算")]
    server.say(Answer(body={"items": names, "next_cursor": None}))
    monkeypatch.setenv("FOLIOT_SERVER", server.url)
    monkeypatch.setenv("FOLIOT_CONFIG", str(tmp_path))
    command = click.Command("x")
    assert job_name(click.Context(command), click.Argument(["name"]), "") == ["settle", "结算"]


def test_the_shell_completes_names_of_locks_and_asks_once_in_half_a_minute(
    tmp_path: Path, server: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[dict[str, Any]] = [{"name": name} for name in ("till", "acct:42", "acct:$(reboot)", "acct:7")]
    server.say(Answer(body={"items": names, "next_cursor": None}))
    monkeypatch.setenv("FOLIOT_SERVER", server.url)
    monkeypatch.setenv("FOLIOT_CONFIG", str(tmp_path))
    here = click.Context(click.Command("x")), click.Argument(["name"])
    assert lock_name(*here, "acct") == ["acct:42", "acct:7"]
    assert lock_name(*here, "") == ["acct:42", "acct:7", "till"]
    assert [asked.path for asked in server.asked] == ["/api/v1/locks"]
