"""Walks of `web/e2e` as a test runs them: Node and Chromium, against servers that are there."""

import os
import subprocess
import sysconfig
from pathlib import Path

from web import build


def walk(*files: str, within_s: float = 550, **environment: str) -> None:
    """Run some walks one after the other; what they said is the message when one fails."""
    node = Path(sysconfig.get_path("scripts")) / "node"
    walked = subprocess.run(
        [node, "--test", "--test-reporter=spec", "--test-concurrency=1", *(f"e2e/{file}.test.ts" for file in files)],
        cwd=build.WEB,
        env={**os.environ, **environment, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=within_s,
        check=False,
    )
    assert walked.returncode == 0, walked.stdout + walked.stderr
