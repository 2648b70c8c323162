"""`foliot up` for more than this machine: with a certificate or behind a proxy, as in a container."""

import asyncio
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from foliot.app.all_in_one import AllInOne, UpSettings
from foliot.app.http import OpenToOthers, check_reach
from foliot.cli import main
from foliot.client.awaited.foliot import AsyncFoliot
from foliot.client.endpoint import read_client_file
from tests.app.test_all_in_one import Listener, running, settings
from tests.eventually import soon
from tests.servers.certificates import Authority

ROOT = Path(__file__).parents[2]
EVERYWHERE = "0.0.0.0"


async def test_with_a_certificate_others_come_by_tls_and_this_machine_as_before(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text("from foliot import job\n\n\n@job\ndef one() -> None: ...\n")
    authority = Authority.new("an authority")
    chosen = replace(settings(tmp_path), host=EVERYWHERE, tls=authority.sign(tmp_path, "foliot"), watch=False)
    async with running(chosen) as listener:
        await soon(lambda: bool(listener.url), within_s=60)
        assert listener.url.startswith("https://127.0.0.1:")
        ca_file = authority.own(tmp_path / "ca.pem")
        async with AsyncFoliot(listener.url, listener.token, ca_file=ca_file) as client:
            await client.jobs.list()
        local = read_client_file(tmp_path)
        assert local is not None
        assert local.urls[0].startswith("http://127.0.0.1:"), "no certificate names this machine as its programs do"
        async with AsyncFoliot(local.urls, local.token) as client:
            await client.jobs.list()


async def test_behind_a_proxy_it_listens_everywhere(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text("")
    async with running(replace(settings(tmp_path), host=EVERYWHERE, behind_proxy=True, watch=False)) as listener:
        await soon(lambda: bool(listener.url), within_s=60)
        async with AsyncFoliot(listener.url, listener.token) as client:
            await client.jobs.list()


async def test_without_protection_it_does_not(tmp_path: Path) -> None:
    with pytest.raises(OpenToOthers):
        await AllInOne(replace(settings(tmp_path), host=EVERYWHERE), Listener()).run(asyncio.Event())
    assert not (tmp_path / ".foliot").exists()


@pytest.mark.parametrize(
    ("words", "host", "port"),
    [
        ([], "127.0.0.1", 7171),
        (["--port", "7272"], "127.0.0.1", 7272),
        (["--listen", "[::1]:7373"], "::1", 7373),
        (["--listen", "0.0.0.0:7171", "--port", "0", "--behind-proxy"], "0.0.0.0", 0),
    ],
)
def test_where_it_listens_is_said_as_for_a_server(
    words: list[str], host: str, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[UpSettings] = []
    monkeypatch.setattr("foliot.cli.up._run", lambda settings, _overseers: seen.append(settings))
    monkeypatch.setattr("foliot.cli.up.run_for_long", lambda _: None)
    said = CliRunner().invoke(main, ["up", *words])
    assert said.exit_code == 0, said.output
    assert [(one.host, one.port, one.behind_proxy) for one in seen] == [(host, port, "--behind-proxy" in words)]


def test_the_container_of_the_page_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "how-to" / "run-in-a-container.md").read_text("utf-8")
    (command,) = re.findall(r"^CMD (\[.*\])$", page, flags=re.MULTILINE)
    seen: list[UpSettings] = []
    monkeypatch.setattr("foliot.cli.up._run", lambda settings, _overseers: seen.append(settings))
    monkeypatch.setattr("foliot.cli.up.run_for_long", lambda _: None)
    said = CliRunner().invoke(main, json.loads(command)[1:])
    assert said.exit_code == 0, said.output
    assert (seen[0].host, seen[0].sources) == (EVERYWHERE, ("/app/jobs.py",))
    check_reach(seen[0].host, is_protected=seen[0].behind_proxy)


def test_make_up_takes_a_port() -> None:
    done = subprocess.run(["make", "-n", "up", "PORT=7272"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("foliot up --port 7272")
