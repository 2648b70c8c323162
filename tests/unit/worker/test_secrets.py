"""Secrets of a worker: where they come from, where they may go, and how they are hidden (SEC-18, 19, 20)."""

import asyncio
import base64
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import psutil
import pytest

from foliot.ports.secrets import (
    NO_SECRETS,
    Destination,
    SecretNotAllowed,
    SecretNotEncrypted,
    SecretNotReadable,
    Secrets,
    UnknownSecret,
)
from foliot.words.errors import tell
from foliot.words.language import Language
from foliot.worker.environment import EnvironmentRules
from foliot.worker.secrets import sources
from foliot.worker.secrets.cover import Cover
from foliot.worker.secrets.settings import BadSecretSetting, read_secret_settings
from foliot.worker.secrets.vault import FAILED_FOR_S, Vault
from tests.clocks import DrivenClock
from tests.eventually import soon

VALUE = 's3cret+"/canary=\\ü '
NS = "billing"
CLOCK = DrivenClock()


def vault_of(
    table: Mapping[str, Any], *, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Vault:
    """A worker with one secret, TOKEN."""
    settings = read_secret_settings({"TOKEN": {"namespaces": [NS], **table}}, folder=folder)
    return Vault(settings, clock=CLOCK, environment=environment or {"VARIABLE": VALUE, "PATH": os.environ["PATH"]})


def secrets_of(kind: str = "shell", /, **table: Any) -> Secrets:
    return vault_of(table).for_kind(kind)


async def value_of(secrets: Secrets, to: Destination | None = None) -> Any:
    return await secrets.filled("${secret:TOKEN}", namespace=NS, to=to)


def over_tls(host: str, port: int = 443) -> Destination:
    return Destination(host, port, is_encrypted=True)


def over_plain_http(host: str, port: int = 80) -> Destination:
    return Destination(host, port, is_encrypted=False)


# ------------------------------------------------------------------------------------------------------------ sources


def private(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    path.chmod(0o640)
    return str(path)


async def test_a_value_comes_from_the_environment_a_file_or_a_command(tmp_path: Path) -> None:
    private(tmp_path / "token", f"{VALUE}\n".encode())
    assert await value_of(secrets_of(env="VARIABLE")) == VALUE
    assert await value_of(vault_of({"file": "token"}, folder=tmp_path).for_kind("shell")) == VALUE
    assert await value_of(secrets_of(command=["printenv", "VARIABLE"])) == VALUE


def printing(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ({"file": "nothing"}, "No such file or directory"),
        ({"file": "."}, "not a plain file"),
        ({"file": "open"}, "every user may read or write it"),
        ({"file": "large"}, "too large"),
        ({"file": "short"}, "too short"),
        ({"file": "binary"}, "not text in UTF-8"),
        ({"file": "nul"}, "NUL"),
        ({"command": ["no-such-program"]}, "cannot be started"),
        ({"command": printing("print('canary'); raise SystemExit(3)")}, r"failed \(.*status 3\)"),
        ({"command": printing("print('canary' * 1000_000)")}, "too large"),
    ],
)
async def test_what_cannot_be_read_says_why_and_not_what(source: Mapping[str, Any], why: str, tmp_path: Path) -> None:
    private(tmp_path / "open", b"canary")
    (tmp_path / "open").chmod(0o644)
    private(tmp_path / "large", b"canary" * 20_000)
    private(tmp_path / "short", b"seven-l\n")
    private(tmp_path / "binary", b"canary\xff")
    private(tmp_path / "nul", b"the canary\0")
    with pytest.raises(SecretNotReadable, match=rf"^The secret TOKEN cannot be read: .*{why}") as refused:
        await value_of(vault_of(source, folder=tmp_path).for_kind("shell"))
    assert "canary" not in f"{refused.value} {[tell(refused.value, language) for language in Language]}"


async def test_a_command_that_does_not_end_is_killed_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "COMMAND_WITHIN_S", 0.5)
    pids = tmp_path / "pids"
    command = ["sh", "-c", f"sleep 600 & echo $! $$ > {pids}; wait"]
    with pytest.raises(SecretNotReadable, match="did not end in time"):
        await value_of(secrets_of(command=command))
    await soon(lambda: not any(is_at_work(int(pid)) for pid in pids.read_text().split()), within_s=60)


async def test_a_command_may_leave_a_process_behind_that_holds_its_output_open(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    command = ["sh", "-c", f"setsid sleep 600 & echo $! > {pid}; echo the-value"]
    try:
        async with asyncio.timeout(sources.COMMAND_WITHIN_S / 2):
            assert await value_of(secrets_of(command=command)) == "the-value"
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)


async def test_no_thread_waits_on_for_what_a_killed_command_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "COMMAND_WITHIN_S", 0.5)
    pid = tmp_path / "pid"
    command = ["sh", "-c", f"setsid sleep 600 & echo $! > {pid}; sleep 600"]
    before = set(threading.enumerate())
    threads = ThreadPoolExecutor(1)
    asyncio.get_running_loop().set_default_executor(threads)
    try:
        with pytest.raises(SecretNotReadable, match="did not end in time"):
            await value_of(secrets_of(command=command))
        threads.shutdown(wait=False)
        await soon(lambda: set(threading.enumerate()) <= before, within_s=60)
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)


def is_at_work(pid: int) -> bool:
    return pid in psutil.pids() and bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)


async def test_many_runs_at_once_read_a_secret_once_and_again_when_it_is_old(tmp_path: Path) -> None:
    file = tmp_path / "token"
    private(file, b"the first")
    vault = vault_of({"file": str(file), "fresh_for": "10s"})
    secrets = vault.for_kind("shell")
    assert set(await asyncio.gather(*(value_of(secrets) for _ in range(50)))) == {"the first"}
    private(file, b"the second")
    assert await value_of(secrets) == "the first"
    await CLOCK.advance(11)
    assert await value_of(secrets) == "the second"
    assert vault.cover.hidden("the first, the second") == "***, ***", "a run may still hold the old one"


async def test_a_failure_is_remembered_for_a_moment_alone(tmp_path: Path) -> None:
    file = tmp_path / "token"
    secrets = secrets_of(file=str(file))
    with pytest.raises(SecretNotReadable):
        await value_of(secrets)
    private(file, b"the canary")
    with pytest.raises(SecretNotReadable):
        await value_of(secrets)
    await CLOCK.advance(FAILED_FOR_S)
    assert await value_of(secrets) == "the canary"


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"env": "VARIABLE", "namespaces": []}, "namespaces is empty"),
        ({"namespaces": [NS]}, "not exactly one of env, file and command"),
        ({"env": "VARIABLE", "file": "x", "namespaces": [NS]}, "not exactly one of env, file and command"),
        ({"env": "VARIABLE"}, "missing required field namespaces"),
        ({"command": [], "namespaces": [NS]}, "its command is empty"),
        ({"command": "vault read", "namespaces": [NS]}, "Expected array"),
        ({"env": "VARIABLE", "namespaces": [NS], "value": "canary"}, "unknown field value"),
        ({"env": "VARIABLE", "namespaces": [NS], "fresh_for": "canary"}, "fresh_for is not a duration"),
        ({"env": "VARIABLE", "namespaces": [NS], "hosts": ["https://a.example"]}, r"an entry of hosts .*https://a.exa"),
        ({"env": "VARIABLE", "namespaces": [NS], "hosts": ["a.example:0"]}, r"an entry of hosts .*a\.example:0"),
        ({"env": "VARIABLE", "namespaces": [NS], "hosts": ["a.example:70000"]}, "an entry of hosts"),
        ({"env": "VARIABLE", "namespaces": [NS], "hosts": ["a.example/path"]}, "an entry of hosts"),
        ({"env": "VARIABLE", "namespaces": [NS], "hosts": ["a.*.example"]}, "an entry of hosts"),
        ({"env": "VARIABLE", "namespaces": [NS], "hosts": ["[:::]:443"]}, "an entry of hosts"),
        ({"env": "VARIABLE", "namespaces": [NS], "hosts": [""]}, "an entry of hosts"),
        ({"env": "VARIABLE", "namespaces": [NS], "plain_http": "yes"}, "Expected bool"),
        ({"env": "NOT_SET", "namespaces": [NS]}, r"the variable is not set \(NOT_SET\)"),
        ("canary", "it is not a table"),
    ],
)
def test_settings_that_cannot_be_used_are_refused_before_the_worker_starts(table: Any, why: str) -> None:
    with pytest.raises(BadSecretSetting, match=rf"\[secrets\.TOKEN\] cannot be used: .*{why}") as refused:
        Vault(read_secret_settings({"TOKEN": table}), clock=CLOCK, environment={"VARIABLE": VALUE})
    assert "canary" not in str(refused.value)
    with pytest.raises(BadSecretSetting, match="a name has letters"):
        read_secret_settings({"a b": {}})


# ------------------------------------------------------------------------------------------------- where they may go


@pytest.mark.parametrize(
    ("table", "kind", "to"),
    [
        ({}, "shell", None),
        ({"namespaces": ["*"]}, "shell", None),
        ({"hosts": ["api.example.org"]}, "http", over_tls("API.example.org.")),
        ({"hosts": ["api.example.org"]}, "http", over_tls("api.example.org", 8443)),
        ({"hosts": ["API.example.org:8443"]}, "http", over_tls("api.example.org", 8443)),
        ({"hosts": ["*.example.org"]}, "http", over_tls("a.b.example.org")),
        ({"hosts": ["*.example.org:8443"]}, "http", over_tls("a.example.org", 8443)),
        ({"hosts": ["*"]}, "http", over_tls("anywhere.example")),
        ({"hosts": ["*:8443"]}, "http", over_tls("anywhere.example", 8443)),
        ({"hosts": ["2001:DB8::0:1"]}, "http", over_tls("2001:db8::1")),
        ({"hosts": ["[2001:db8::1]:8443"]}, "http", over_tls("2001:db8::1", 8443)),
        ({"hosts": ["api.example.org"], "kinds": ["http", "shell"]}, "shell", None),
        ({"hosts": ["api.example.org"], "plain_http": True}, "http", over_plain_http("api.example.org")),
        ({"hosts": ["127.0.0.1", "localhost"]}, "http", over_plain_http("127.0.0.1", 8080)),
        ({"hosts": ["127.0.0.1", "localhost"]}, "http", over_plain_http("localhost")),
        ({"hosts": ["[::1]"]}, "http", over_plain_http("::1")),
    ],
)
async def test_a_secret_goes_where_its_settings_say(table: dict[str, Any], kind: str, to: Destination | None) -> None:
    assert await value_of(secrets_of(kind, env="VARIABLE", **table), to) == VALUE


@pytest.mark.parametrize(
    ("table", "kind", "to", "what"),
    [
        ({"namespaces": ["other"]}, "shell", None, 'namespace "billing"'),
        ({}, "http", over_tls("api.example.org"), 'host "api.example.org:443"'),
        ({"hosts": ["api.example.org"]}, "http", over_tls("api.example.org.evil.example"), "host"),
        ({"hosts": ["api.example.org:8443"]}, "http", over_tls("api.example.org"), 'host "api.example.org:443"'),
        ({"hosts": ["*.example.org:8443"]}, "http", over_tls("a.example.org"), "host"),
        ({"hosts": ["[2001:db8::1]:8443"]}, "http", over_tls("2001:db8::1"), r'host "\[2001:db8::1\]:443"'),
        ({"hosts": ["*.example.org"]}, "http", over_tls("example.org"), "host"),
        ({"hosts": ["*.example.org"]}, "http", over_tls("evilexample.org"), "host"),
        ({"hosts": ["api.example.org"]}, "shell", None, 'kind "shell"'),
        ({"kinds": ["sql"]}, "shell", None, 'kind "shell"'),
    ],
)
async def test_it_goes_nowhere_else(table: dict[str, Any], kind: str, to: Destination | None, what: str) -> None:
    with pytest.raises(SecretNotAllowed, match=rf"The secret TOKEN may not go to the {what}"):
        await value_of(secrets_of(kind, env="VARIABLE", **table), to)


@pytest.mark.parametrize("host", ["api.example.org", "10.1.2.3", "localhost.example.org", "127.0.0.1.example.org"])
async def test_the_network_reads_no_secret_unless_its_settings_say_so(host: str) -> None:
    with pytest.raises(SecretNotEncrypted, match=f"may not go to {host}:80 over plain http") as refused:
        await value_of(secrets_of("http", env="VARIABLE", hosts=["*"]), over_plain_http(host))
    assert "plain_http = true" in tell(refused.value)[1]  # type: ignore[operator]
    assert "plain_http = true" in tell(refused.value, Language.CHINESE)[1]  # type: ignore[operator]


async def test_a_secret_that_the_worker_does_not_have_is_named() -> None:
    for secrets in (secrets_of(env="VARIABLE"), NO_SECRETS):
        with pytest.raises(UnknownSecret, match="This worker has no secret OTHER"):
            await secrets.values(["OTHER"], namespace=NS)
        assert await secrets.filled({"a": ["text", 1]}, namespace=NS) == {"a": ["text", 1]}


def test_jobs_do_not_get_the_variables_of_secrets_under_any_name() -> None:
    own = {"VARIABLE": VALUE, "COPY": f"x{VALUE}x", "PATH": "/bin"}
    rules = vault_of({"env": "VARIABLE"}).kept_from_jobs(EnvironmentRules(keep=("VARIABLE",)))
    assert rules.passed_on(own) == {"PATH": "/bin"}


# ------------------------------------------------------------------------------------------------------- how they hide


@pytest.mark.parametrize(
    "form",
    [
        VALUE,
        json.dumps(VALUE)[1:-1],
        json.dumps(VALUE, ensure_ascii=False)[1:-1],
        repr(VALUE)[1:-1],
        quote(VALUE),
        quote(VALUE, safe=""),
        quote(VALUE, safe="").replace("%2B", "%2b").replace("%2F", "%2f").replace("%3D", "%3d").replace("%5C", "%5c")
        .replace("%C3%BC", "%c3%bc"),
        quote_plus(VALUE),
    ],
)  # fmt: skip
def test_a_value_is_hidden_in_every_form_that_programs_write(form: str) -> None:
    cover = Cover()
    told = f"got <{form}> twice: {form}!"
    assert cover.hidden(told) == told, "nothing was handed out yet"
    cover.add("TOKEN", VALUE)
    assert cover.hidden(told) == "got <***> twice: ***!"


@pytest.mark.parametrize("user", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_value_is_hidden_in_base64_wherever_it_begins(user: str, encode: Callable[[bytes], bytes]) -> None:
    cover = Cover()
    cover.add("TOKEN", VALUE)
    told = encode(f"{user}:{VALUE}:after".encode()).decode()
    before, after = cover.hidden(told).split("***")
    assert told.startswith(before)
    assert told.endswith(after)
    assert len(before) * 6 < len(f"{user}:") * 8 + 12, "no letter of the value alone is left"
    assert len(after.rstrip("=")) * 6 < len(":after") * 8 + 12


@pytest.mark.parametrize("end", ["", "…"])
def test_the_beginning_of_a_value_is_hidden_where_a_text_was_cut(end: str) -> None:
    cover = Cover()
    cover.add("TOKEN", VALUE)
    told = f"Authorization: Bearer {VALUE[:9]}{end}"
    assert cover.hidden(told, is_cut=True) == f"Authorization: Bearer ***{end}"
    assert cover.hidden(told) == told, "nobody cut it: the run wrote these letters"


def test_the_end_of_a_value_is_hidden_where_what_stood_before_was_cut_off() -> None:
    cover = Cover()
    cover.add("TOKEN", VALUE)
    told = f"{VALUE[5:]}, and more"
    assert cover.hidden(told, is_rest=True) == "***, and more"
    assert cover.hidden(told) == told, "nobody cut it: the run wrote these letters"
    assert cover.hidden(VALUE[3:9], is_cut=True, is_rest=True) == "***", "a value longer than a line"
    cover.add("OTHER", "abab-ababab")
    assert cover.hidden("abababab", is_rest=True) == "***ab", "the longest end that it can be"


def test_a_key_of_many_lines_is_hidden_line_by_line() -> None:
    cover = Cover()
    cover.add("KEY", "-----BEGIN KEY-----\nMIIEcanary1\nMIIEcanary2\n-----END KEY-----")
    assert cover.hidden("-----BEGIN KEY-----, MIIEcanary2!") == "-----BEGIN KEY-----, ***!"


def test_a_document_stays_json() -> None:
    cover = Cover()
    cover.add("NUMBER", "123456")
    assert cover.hidden_json('{"a":"x123456"}') == '{"a":"x***"}'
    assert cover.hidden_json('{"a":123456}') == '"***"'
    assert cover.hidden_json('{"a":1}') == '{"a":1}'
