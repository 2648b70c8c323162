"""Which server is asked when nobody said."""

import json
import os
from pathlib import Path

import pytest

from foliot import Foliot
from foliot.app.embedded import start
from foliot.client.contexts import Context, Contexts, find_endpoint
from foliot.client.endpoint import BadServer, Endpoint, UnreadableAccess
from foliot.client.errors import NoServerKnown
from foliot.client.private import NotPrivate
from foliot.domain.errors import Denied
from tests.cli.conftest import Shell
from tests.eventually import soon
from tests.unit.client.answering import Answer, Answering, Asked


def write_client_file(folder: Path, text: str) -> None:
    (folder / ".foliot").mkdir()
    file = folder / ".foliot" / "client.json"
    file.touch(mode=0o600)
    file.write_text(text)


def test_the_environment_says_it_first(tmp_path: Path) -> None:
    write_client_file(tmp_path, json.dumps({"url": "http://127.0.0.1:1", "token": "a"}))
    (tmp_path / "token").write_text("s3cret\n")
    found = find_endpoint(
        {"FOLIOT_SERVER": "http://a:7171,http://b:7171/", "FOLIOT_TOKEN_FILE": str(tmp_path / "token")}, tmp_path
    )
    assert found == Endpoint(urls=("http://a:7171", "http://b:7171"), token="s3cret", said_by="FOLIOT_SERVER")


def test_then_the_folder_that_foliot_up_made(tmp_path: Path) -> None:
    write_client_file(tmp_path, json.dumps({"url": "http://127.0.0.1:7171", "token": "a"}))
    found = find_endpoint({"FOLIOT_CONFIG": str(tmp_path / "config")}, tmp_path)
    assert (found.urls, found.token) == (("http://127.0.0.1:7171",), "a")


def test_then_nobody_knows(tmp_path: Path) -> None:
    with pytest.raises(NoServerKnown) as refused:
        find_endpoint({"FOLIOT_CONFIG": str(tmp_path / "config")}, tmp_path)
    assert "foliot up" in str(refused.value)


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '{"url": 7}'])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, text: str) -> None:
    write_client_file(tmp_path, text)
    with pytest.raises(UnreadableAccess, match=r"client\.json cannot be read"):
        find_endpoint({"FOLIOT_CONFIG": str(tmp_path / "config")}, tmp_path)


def test_a_file_that_others_may_read_was_not_written_by_foliot_up(tmp_path: Path) -> None:
    """As that of a repository: git makes files that everybody may read."""
    write_client_file(tmp_path, json.dumps({"url": "http://127.0.0.1:7171", "token": "a"}))
    (tmp_path / ".foliot" / "client.json").chmod(0o644)
    with pytest.raises(NotPrivate, match="other users may read or write it"):
        find_endpoint({"FOLIOT_CONFIG": str(tmp_path / "config")}, tmp_path)


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_client_file(tmp_path, json.dumps({"url": "http://127.0.0.1:7171", "token": "a"}))
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(NotPrivate, match="belongs to another user"):
        find_endpoint({"FOLIOT_CONFIG": str(tmp_path / "config")}, tmp_path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    write_client_file(tmp_path, json.dumps({"url": "http://127.0.0.1:7171", "token": "a"}))
    file = tmp_path / ".foliot" / "client.json"
    file.rename(tmp_path / "elsewhere.json")
    file.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(NotPrivate, match="it is a link"):
        find_endpoint({"FOLIOT_CONFIG": str(tmp_path / "config")}, tmp_path)


@pytest.mark.parametrize(
    "url", ["http://evil:7171", "http://127.0.0.1.evil:7171", "http://127.0.0.1@evil", "http://127.0.0.1,http://evil"]
)
def test_a_folder_names_no_server_on_another_machine(tmp_path: Path, url: str) -> None:
    write_client_file(tmp_path, json.dumps({"url": url, "token": "a"}))
    with pytest.raises(UnreadableAccess, match="a server on another machine"):
        find_endpoint({"FOLIOT_CONFIG": str(tmp_path / "config")}, tmp_path)


def test_a_token_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableAccess, match="No such file"):
        find_endpoint({"FOLIOT_SERVER": "http://a", "FOLIOT_TOKEN_FILE": str(tmp_path / "none")}, tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "host:7171", "ftp://host", " , ", "http://[::1", "http://host\x1b[2J", "http://host/\n/x", "http://", "http:///x",
        "http://host:port", "http://host:99999", "http://host:0", "http://two words", "http://two..dots", "http://\udc80",
        "http://" + "a" * 70_000,
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(BadServer, match="is not the address of a server"):
        Foliot(url)


def test_a_client_without_address_finds_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLIOT_SERVER", "http://127.0.0.1:7171")
    monkeypatch.delenv("FOLIOT_TOKEN_FILE", raising=False)
    with Foliot() as client:
        assert client.endpoint.urls == ("http://127.0.0.1:7171",)
        assert repr(client) == "<Foliot http://127.0.0.1:7171>"


def test_a_client_outlives_the_foliot_up_that_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Answering
) -> None:
    """The token ends with each `foliot up`; the next one in the folder writes another."""

    def answer(asked: Asked) -> Answer:
        is_good = asked.headers["authorization"] == "Bearer second"
        return Answer(body={"id": "r-1"}) if is_good else Answer(status=401, body={"code": "FOL-4002"})

    server.say(answer)
    monkeypatch.chdir(tmp_path)
    for name in ("FOLIOT_SERVER", "FOLIOT_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    write_client_file(tmp_path, json.dumps({"url": server.url, "token": "first"}))
    with Foliot() as client:
        with pytest.raises(Denied):
            client.runs.get("r-1")
        (tmp_path / ".foliot" / "client.json").write_text(json.dumps({"url": server.url, "token": "second"}))
        assert client.runs.get("r-1").raw == {"id": "r-1"}
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer first"] * 2 + ["Bearer second"]


# ------------------------------------------------------------------------------------------------- the context in use


@pytest.fixture
def in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Answering) -> Answering:
    """A user with a context, in an empty folder."""
    for name in [name for name in os.environ if name.startswith("FOLIOT")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FOLIOT_CONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    Contexts().put(Context(name="prod", server=server.url, namespace="billing"), token="of-the-context")
    return server


def test_a_program_uses_the_context_in_use_as_the_command_line_does(in_use: Answering) -> None:
    in_use.say(Answer(body={"items": [], "next_cursor": None}))
    with Foliot() as client:
        client.jobs.list()
    with Foliot(namespace="toys") as client:
        client.jobs.list()
    assert [asked.headers["authorization"] for asked in in_use.asked] == ["Bearer of-the-context"] * 2
    assert [asked.query["namespace"] for asked in in_use.asked] == ["billing", "toys"]


async def test_so_does_a_worker_inside_a_program(in_use: Answering) -> None:
    (Path.cwd() / "inside.py").write_text("from foliot import job\n\n\n@job\ndef one() -> None: ...\n")
    in_use.say(Answer(status=401, body={"code": "FOL-4002"}))
    async with start("worker", jobs=["inside.py"]):
        await soon(lambda: bool(in_use.asked), within_s=60)
    assert in_use.asked[0].headers["authorization"] == "Bearer of-the-context"


def test_so_does_a_worker(in_use: Answering, tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text("from foliot import job\n\n\n@job\ndef one() -> None: ...\n")
    in_use.say(Answer(status=401, body={"code": "FOL-4002"}))  # it ends there
    shell = Shell(folder=tmp_path, config=tmp_path / "config", environment={"XDG_STATE_HOME": str(tmp_path / "state")})
    assert shell("worker", "jobs.py").code == 4
    assert in_use.asked[0].headers["authorization"] == "Bearer of-the-context"


def test_a_worker_without_a_token_is_told_so(server: Answering, tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text("from foliot import job\n\n\n@job\ndef one() -> None: ...\n")
    shell = Shell(folder=tmp_path, config=tmp_path / "config")
    said = shell("worker", "jobs.py", "--server", server.url)
    assert (said.code, server.asked) == (4, [])
    assert "No token is known for" in said.err
    assert "foliot token create NAME --scope worker" in said.err
    assert "没有用于" in shell("worker", "jobs.py", "--server", server.url, FOLIOT_LANG="zh-CN").err


def test_a_user_without_a_home_has_no_contexts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(NoServerKnown):
        find_endpoint({}, tmp_path)
