"""`python -m tests.servers NAME` starts a server and stops it again."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import psutil
import pytest

from tests.eventually import eventually
from tests.servers import SERVERS
from tests.servers.postgres import Postgres
from tests.unit.servers.clients import LOST, client_for

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[3]
STOPPED_WITHIN_S = 90


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("postgres", signal.SIGINT),
        ("postgres", signal.SIGTERM),
        ("mariadb", signal.SIGINT),
        ("mariadb", signal.SIGTERM),
    ],
)
async def test_a_server_serves_until_it_is_told_to_stop(name: str, number: signal.Signals) -> None:
    with shell(name, "--fast") as process:
        url = first_line(process)
        async with client_for(url) as client:
            assert await client.value("SELECT 1") == 1
        process.send_signal(number)
        assert process.wait(STOPPED_WITHIN_S) == 0
        with pytest.raises(LOST):
            async with client_for(url):
                pass


@pytest.mark.slow
async def test_patroni_serves_until_the_shell_is_killed_and_nothing_of_it_is_left() -> None:
    """Its PostgreSQL are no children of Patroni's, and still go with it."""
    with shell("patroni", "--fast") as process:
        async with client_for(first_line(process)) as client:
            assert await client.value("SELECT 1") == 1
        family = psutil.Process(process.pid).children(recursive=True)
        assert sum(is_postgres(one) for one in family) > 3
        process.kill()
        eventually(lambda: not any(one.is_running() for one in family), within_s=90, what="all of it ended")


def test_etcd_serves_until_it_is_told_to_stop() -> None:
    with shell("etcd") as process:
        url = first_line(process)
        with urlopen(f"{url}/version") as answer:
            assert b"etcdserver" in answer.read()
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOPPED_WITHIN_S) == 0
        with pytest.raises(URLError):
            urlopen(f"{url}/version")


def test_help_names_every_server() -> None:
    done = subprocess.run(command("--help"), cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(name in done.stdout for name in [*SERVERS, "proxy"])


async def test_the_proxy_obeys_what_is_typed(postgres_server: Postgres) -> None:
    url = urlsplit(postgres_server.database())
    with shell("proxy", str(postgres_server.port)) as process:
        through = url._replace(netloc=f"foliot@{first_line(process)}").geturl()
        async with client_for(through) as client:
            assert typed(process, "delay 0.05 up") == "ok"
            assert await client.value("SELECT 1") == 1
            assert typed(process, "lose SELECT 2") == "ok"
            with pytest.raises(LOST):
                await client.value("SELECT 2")
        typed(process, "refuse")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", urlsplit(through).port))
        process.send_signal(signal.SIGINT)
        assert process.wait(STOPPED_WITHIN_S) == 0
    postgres_server.drop(url.geturl())


@contextmanager
def shell(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        command(*arguments),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=interruptible,  # noqa: PLW1509  no thread of ours holds a lock that it takes
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def is_postgres(process: psutil.Process) -> bool:
    """Patroni also starts short helpers such as `pg_controldata`: one may have ended since the family was listed."""
    try:
        return str(process.name()) == "postgres"
    except psutil.NoSuchProcess:
        return False


def interruptible() -> None:
    """SIGINT reaches it, also when these tests run in the background of a shell that ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tests.servers", *arguments]


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def typed(process: subprocess.Popen[str], line: str) -> str:
    assert process.stdin
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    return first_line(process)
