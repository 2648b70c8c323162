"""Jobs do not get the worker's secrets: which variables pass into child processes (SEC-20)."""

import json
import os
from pathlib import Path

import psutil
import pytest

from foliot.cli.job_environment import read_rules
from foliot.domain.errors import InvalidInput
from foliot.domain.verdict import Cause
from foliot.worker.environment import BASE, EnvironmentRules
from tests.unit.worker.house import working

OWN = {
    "PATH": "/bin",
    "HOME": "/anne",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONPATH": "/code",
    "VIRTUAL_ENV": "/venv",
    "ACME_REGION": "north",
    "ACME_PASSWORD": "canary",
    "FOLIOT_SERVER": "http://a:7171",
    "FOLIOT_TOKEN_FILE": "worker.token",
    "FOLIOT_DB": "postgresql://u:canary@h/db",
    "PGPASSWORD": "canary",
    "PGHOST": "h",
    "MYSQL_PWD": "canary",
    "MARIADB_ROOT_PASSWORD": "canary",
    "CREDENTIALS_DIRECTORY": "/run/credentials/worker",
    "MY_TOKEN": "Bearer fol_0123456789abcdef",
    "MY_TOKEN_FILE": "/etc/worker.token",
}
CODE = {"PATH", "HOME", "LANG", "LC_ALL", "TZ", "PYTHONPATH", "VIRTUAL_ENV"}
TOKEN = "fol_0123456789abcdef"
TOKEN_FILE = "/etc/worker.token"


def test_what_nodes_and_databases_are_told_does_not_pass() -> None:
    passed = EnvironmentRules().passed_on(OWN)
    assert passed.keys() == CODE | {"ACME_REGION", "ACME_PASSWORD", "MY_TOKEN", "MY_TOKEN_FILE"}
    assert all(passed[name] == OWN[name] for name in passed)


def test_the_workers_token_passes_under_no_name() -> None:
    rules = EnvironmentRules(secrets=(TOKEN,), secret_files=(TOKEN_FILE,))
    assert rules.passed_on(OWN).keys() == CODE | {"ACME_REGION", "ACME_PASSWORD"}
    assert "fol_" not in repr(rules)


def test_more_is_hidden_by_name_and_what_is_kept_passes() -> None:
    rules = EnvironmentRules(hide=("ACME_*",), keep=("ACME_REGION", "FOLIOT_*"), secrets=(TOKEN,))
    passed = {"ACME_REGION", "FOLIOT_SERVER", "FOLIOT_TOKEN_FILE", "FOLIOT_DB", "MY_TOKEN_FILE"}
    assert rules.passed_on(OWN).keys() == CODE | passed


def test_a_clean_environment_has_the_base_and_what_is_kept() -> None:
    assert EnvironmentRules(clean=True).passed_on(OWN).keys() == CODE
    kept = EnvironmentRules(clean=True, keep=("ACME_REGION", "PGHOST"), hide=("TZ",))
    assert kept.passed_on(OWN).keys() == CODE - {"TZ"} | {"ACME_REGION", "PGHOST"}
    assert len(BASE) < 20, "small enough to be read"


def test_an_empty_or_short_secret_hides_nothing() -> None:
    assert EnvironmentRules(secrets=("", "a")).passed_on({"NAME": "anne"}) == {"NAME": "anne"}


@pytest.mark.parametrize(
    ("written", "shown"),
    [("A B", "A B"), ("1A", "1A"), ("TOKEN=hunter2", "TOKEN=…"), ("A*B", "A*B"), ("ä", "ä"), ("A\nB", "A\nB")],
)
def test_a_name_that_is_none_is_refused_and_no_value_is_shown(written: str, shown: str) -> None:
    for option in ("hide", "keep"):
        with pytest.raises(InvalidInput) as refused:
            read_rules(**{"hide": "", "keep": "", option: f"GOOD,{written}"}, clean=False)
        assert f'--{option}-env: "{shown}" is not the name' in refused.value.sentence
        assert "hunter2" not in str(refused.value)


def test_names_are_written_with_commas() -> None:
    rules = read_rules(hide=" A, B_* ,,", keep="*", clean=True)
    assert (rules.hide, rules.keep, rules.clean) == (("A", "B_*"), ("*",), True)


async def test_no_process_of_a_worker_has_what_is_hidden() -> None:
    """As the kernel tells it: what a process was started with, not what it has made of it since."""
    environment = EnvironmentRules(secrets=("canary-0123",)).passed_on(
        {**os.environ, "FOLIOT_TOKEN": "canary-0123", "PGPASSWORD": "canary-0123", "X": "canary-0123", "SEEN": "yes"}
    )
    async with working(process_environment=environment) as house:
        row = house.add("environment")
        await house.done(row)
        assert row.cause is Cause.SUCCEEDED, row.reports
        told = json.loads(str(row.reports[0].result))
        assert told["variables"]["SEEN"] == "yes"
        assert "SEEN=yes" in told["kernel"]
        assert "canary-0123" not in json.dumps(told)
        started = [environ_of(child.pid) for child in psutil.Process().children()]
        ours = [environ for environ in started if b"SEEN=yes" in environ]
        assert len(ours) >= 2, "the child, and the warden"
        assert not any(b"canary-0123" in environ for environ in started)


def environ_of(pid: int) -> bytes:
    """What the kernel keeps of a process's first environment; nothing when the process has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
