"""Whose token goes to which server. A project that was cloned may have been written by anybody."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from foliot.client.contexts import Context, Contexts
from tests.cli.conftest import Answer as Said
from tests.cli.conftest import Shell
from tests.unit.client.answering import Answer, Answering, answering


@pytest.fixture
def evil() -> Iterator[Answering]:
    with answering() as here:
        here.say(Answer(body={"items": [], "next_cursor": None, "token": "stolen"}))
        yield here


@pytest.fixture
def good() -> Iterator[Answering]:
    with answering() as here:
        here.say(Answer(body={"items": [], "next_cursor": None}))
        yield here


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A user with a secret, in a project."""
    (tmp_path / "secret").write_text("s3cret\n")
    (tmp_path / "project").mkdir()
    return Shell(folder=tmp_path / "project", config=tmp_path / "config", environment={"HOME": str(tmp_path)})


def project(shell: Shell, **client: str) -> None:
    lines = [f"{name} = {json.dumps(value)}" for name, value in client.items()]
    (shell.folder / "foliot.toml").write_text("\n".join(["[client]", *lines]))


def context(shell: Shell, name: str, server: str, token: str, **more: str) -> None:
    Contexts({"FOLIOT_CONFIG": str(shell.config)}).put(Context(name=name, server=server, **more), token=token)


def tokens(server: Answering) -> list[str | None]:
    return [asked.headers.get("authorization") for asked in server.asked]


def secret(shell: Shell) -> str:
    return str(shell.folder.parent / "secret")


def refused(said: Said, code: str) -> None:
    assert said.code == 2, said
    assert f"[{code}]" in said.err


@pytest.mark.parametrize("name", ["token_file", "token"])
def test_a_project_names_no_token(shell: Shell, evil: Answering, name: str) -> None:
    project(shell, server=evil.url, **{name: "~/secret"})
    refused(shell("job", "list"), "FOL-1093")
    assert evil.asked == []


def test_a_token_of_the_environment_does_not_go_to_the_server_of_a_project(shell: Shell, evil: Answering) -> None:
    project(shell, server=evil.url)
    refused(shell("job", "list", FOLIOT_TOKEN_FILE=secret(shell)), "FOL-1094")
    assert evil.asked == []


def test_a_token_of_a_flag_does_not_go_to_the_server_of_a_project(shell: Shell, evil: Answering) -> None:
    project(shell, server=evil.url)
    refused(shell("job", "list", "--token-file", secret(shell)), "FOL-1094")
    assert evil.asked == []
    assert shell("job", "list", "--token-file", secret(shell), "--server", evil.url).code == 0, "the user named it"
    assert tokens(evil) == ["Bearer s3cret"]


def test_a_token_of_a_context_does_not_go_to_the_server_of_a_project(shell: Shell, evil: Answering) -> None:
    context(shell, "prod", "https://prod", "s3cret")
    project(shell, server=evil.url)
    assert shell("job", "list").code == 0
    assert tokens(evil) == [None]


def test_a_project_names_a_server_that_the_user_has_a_token_for(shell: Shell, good: Answering) -> None:
    context(shell, "team", good.url, "team-token")
    context(shell, "prod", "https://prod", "s3cret")
    project(shell, server=f"{good.url}/", namespace="billing")
    assert shell("job", "list").code == 0
    assert tokens(good) == ["Bearer team-token"]
    assert good.asked[0].query["namespace"] == "billing"


def test_a_project_adds_no_server_to_one_that_the_user_has_a_token_for(
    shell: Shell, good: Answering, evil: Answering
) -> None:
    context(shell, "team", good.url, "team-token")
    project(shell, server=f"{evil.url},{good.url}")
    shell("job", "list")
    assert set(tokens(evil) + tokens(good)) == {None}


def test_a_project_does_not_say_whom_to_believe_for_the_users_server(shell: Shell) -> None:
    context(shell, "prod", "https://prod", "s3cret", ca_file="/mine.pem")
    for said in ({"ca_file": "evil.pem"}, {"server": "https://prod", "ca_file": "evil.pem"}):
        project(shell, **said)
        rows = {row["setting"]: row["value"] for row in shell("context", "show", "-o", "json").json["items"]}
        assert (rows["server"], rows["ca_file"]) == ("https://prod", "/mine.pem")


def test_a_named_context_is_not_changed_by_a_project(shell: Shell, good: Answering, evil: Answering) -> None:
    context(shell, "prod", good.url, "s3cret")
    project(shell, server=evil.url)
    assert shell("job", "list", "--context", "prod").code == 0
    assert (tokens(good), evil.asked) == (["Bearer s3cret"], [])


def test_a_token_of_the_environment_is_not_for_the_server_of_a_folder(shell: Shell, good: Answering) -> None:
    (shell.folder / ".foliot").mkdir(mode=0o700)
    file = shell.folder / ".foliot" / "client.json"
    file.touch(mode=0o600)
    file.write_text(json.dumps({"url": good.url, "token": "local"}))
    assert shell("job", "list", FOLIOT_TOKEN_FILE=secret(shell)).code == 0
    assert shell("job", "list", "--token-file", secret(shell)).code == 0
    assert tokens(good) == ["Bearer local", "Bearer s3cret"]


def test_a_folder_of_another_counts_only_where_nobody_says_more(shell: Shell, good: Answering) -> None:
    (shell.folder / ".foliot").mkdir(mode=0o700)
    (shell.folder / ".foliot" / "client.json").write_text(json.dumps({"url": good.url, "token": "local"}))
    (shell.folder / ".foliot" / "client.json").chmod(0o644)
    refused(shell("job", "list"), "FOL-1091")
    assert shell("job", "list", "--server", good.url).code == 0
    assert tokens(good) == [None]


def test_a_login_code_does_not_go_to_the_server_of_a_project(shell: Shell, evil: Answering) -> None:
    project(shell, server=evil.url)
    said = shell("login", stdin="7Q4M-2XKD-9TRA\n")
    assert (said.code, evil.asked) == (2, [])
    assert f"foliot login {evil.url}" in said.err


def test_a_redirect_is_not_followed(shell: Shell, good: Answering, evil: Answering) -> None:
    good.say(Answer(status=307, headers={"location": f"{evil.url}/api/v1/jobs"}))
    assert shell("job", "list", "--server", good.url, "--token-file", secret(shell)).code != 0
    assert evil.asked == []


def test_a_workers_token_of_the_environment_is_for_its_server(shell: Shell, evil: Answering, good: Answering) -> None:
    (shell.folder / "jobs.py").write_text("from foliot import job\n\n\n@job\ndef one() -> None: ...\n")
    evil.say(Answer(status=401, body={"code": "FOL-4002"}))  # it would end there
    environment = {"FOLIOT_SERVER": good.url, "FOLIOT_TOKEN_FILE": secret(shell)}
    said = shell("worker", "jobs.py", "--server", evil.url, **environment)
    assert (said.code, evil.asked) == (4, [])
    assert "that of FOLIOT_TOKEN_FILE is for FOLIOT_SERVER" in said.err
