"""Private memory: a process with secrets lets no other of its user look into it."""

import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, os
from foliot.app.private_memory import guard_secrets
from foliot.app.system import SystemClock
from foliot.worker.secrets.settings import read_secret_settings
from foliot.worker.secrets.vault import Vault

prctl = ctypes.CDLL(None).prctl
tables = {"TOKEN": {"env": "TOKEN", "namespaces": ["*"]}} if "TOKEN" in os.environ else {}
vault = Vault(read_secret_settings(tables), clock=SystemClock(), environment=os.environ)
before = prctl(3, 0, 0, 0, 0)  # PR_GET_DUMPABLE
guard_secrets(vault)
print(before, prctl(3, 0, 0, 0, 0))
"""


@pytest.mark.parametrize(("environment", "said"), [({"TOKEN": "s3cret-canary"}, b"1 0"), ({}, b"1 1")])
def test_only_a_process_with_secrets_is_closed_to_others(environment: dict[str, str], said: bytes) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, timeout=120, check=True
    )
    assert ended.stdout.strip() == said
