"""The feed of `foliot up` for a reader of Chinese: what runs and what is refused, in Chinese to the last word."""

import subprocess
import sys

from tests.cli.conftest import Shell
from tests.eventually import eventually

JOBS = """
from foliot import cron, every, job


@job(every("1s"))
def tick() -> None: ...


@job(every("1s"))
def fail() -> None:
    raise ValueError("boom")


@job(cron("0 2 * * *", calendar="nowhere"))
def odd() -> None: ...
"""
WANTED = (
    "▲ odd: 没有名为“nowhere”的日历。",
    "[FOL-2010]",
    "  成功，用时 ",
    "  出错，用时 ",
    "：ValueError: boom\n           foliot run logs r-",
)


def test_the_feed_of_a_reader_of_chinese_is_chinese(alone: Shell) -> None:
    (alone.folder / "jobs.py").write_text(JOBS, "utf-8")
    log = alone.folder / "up.log"
    with log.open("w") as said:
        command = [sys.executable, "-m", "foliot", "up", "--port", "0", "--no-watch", "--lang", "zh-CN"]
        up = subprocess.Popen(command, cwd=alone.folder, env=alone.env, stdout=said, stderr=said)
    try:
        eventually(
            lambda: up.poll() is not None or all(words in log.read_text("utf-8") for words in WANTED),
            within_s=90,
            what="the feed says in Chinese what runs and what is refused",
        )
        feed = log.read_text("utf-8")
        assert up.poll() is None, feed
        assert "succeeded" not in feed
        assert "refused" not in feed
    finally:
        up.terminate()
        up.wait(90)
