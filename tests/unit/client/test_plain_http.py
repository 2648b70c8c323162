"""A token crosses no network unencrypted, unless its owner wants that (SEC-27)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foliot import AsyncFoliot, Foliot
from foliot.client.endpoint import Endpoint, PlainHttp
from foliot.client.worker_http import HttpWorkerLink
from tests.cli.conftest import Shell

AWAY = [
    "http://10.0.0.5:7171",
    "https://a,http://b",
    "http://127.0.0.1.evil",
    "http://localhost@evil",
    "http://[fe80::1]",
]
NEAR = ["http://127.0.0.1:7171", "http://127.8.8.8", "http://localhost:7171", "http://[::1]:7171", "https://10.0.0.5"]
MAKERS: list[Callable[..., Any]] = [
    lambda url, **how: Foliot(url, "token", **how),
    lambda url, **how: AsyncFoliot(url, "token", **how),
    lambda url, **how: HttpWorkerLink(url.split(","), "token", **how),
    lambda url, **how: HttpWorkerLink.to(Endpoint.of(url, "token", **how)),
]
KINDS = ["client", "async client", "link", "worker"]


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOLIOT_INSECURE_HTTP", raising=False)


@pytest.mark.parametrize("make", MAKERS, ids=KINDS)
@pytest.mark.parametrize("url", AWAY)
def test_no_token_goes_to_another_machine_by_plain_http(make: Callable[..., Any], url: str) -> None:
    with pytest.raises(PlainHttp, match="--insecure-http"):
        make(url)


@pytest.mark.parametrize("make", MAKERS, ids=KINDS)
@pytest.mark.parametrize("url", NEAR)
def test_it_goes_to_this_machine_and_by_https(make: Callable[..., Any], url: str) -> None:
    make(url)


@pytest.mark.parametrize("make", MAKERS, ids=KINDS)
def test_it_goes_where_its_owner_wants(make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    make(AWAY[0], insecure_http=True)
    monkeypatch.setenv("FOLIOT_INSECURE_HTTP", "1")
    make(AWAY[0])
    monkeypatch.setenv("FOLIOT_INSECURE_HTTP", "0")
    with pytest.raises(PlainHttp):
        make(AWAY[0])


def test_without_a_token_there_is_none_to_lose() -> None:
    Foliot(AWAY[0]).close()


# ---------------------------------------------------------------------------------------------------- the command line


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    (tmp_path / "token").write_text("s3cret")
    return Shell(folder=tmp_path, config=tmp_path / "config")


FAR = "http://192.0.2.7:7171"  # an address for documentation: nobody has it
COMMANDS = [
    ("job", "list", "--server", FAR, "--token-file", "token"),
    ("login", FAR),
    ("context", "add", "far", "--url", FAR, "--token-from", "token"),
    ("worker", "jobs.py", "--server", FAR, "--token-file", "token"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_a_command_refuses_it(shell: Shell, command: tuple[str, ...]) -> None:
    (shell.folder / "jobs.py").write_text("from foliot import job\n\n\n@job\ndef one() -> None: ...\n")
    said = shell(*command, XDG_STATE_HOME=str(shell.folder / "state"))
    assert said.code == 2, said
    assert "[FOL-1097]" in said.err
    assert "https://" in said.err


def test_a_context_remembers_what_its_owner_wants(shell: Shell) -> None:
    assert shell("context", "add", "far", "--url", FAR, "--token-from", "token", "--insecure-http").code == 0
    rows = {row["setting"]: row["value"] for row in shell("context", "show", "-o", "json").json["items"]}
    assert (rows["server"], rows["insecure_http"]) == (FAR, "yes")
    assert shell("job", "list", "--timeout", "1ms").code == 8, "it was tried"


def test_a_project_does_not_want_it_for_the_user(shell: Shell) -> None:
    (shell.folder / "foliot.toml").write_text('[client]\ninsecure_http = "yes"\n')
    said = shell("job", "list", "--server", FAR, "--token-file", "token")
    assert (said.code, "[FOL-1093]" in said.err) == (2, True)
