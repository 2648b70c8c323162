"""The console in Chromium against a real `foliot up`: login, tasks, live pages, themes, languages, a phone."""

import gzip
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.console.walking import walk
from tests.eventually import eventually
from tests.probes.scene import Up, first_login, running_up
from web import build

pytestmark = pytest.mark.services
FIRST_LOAD_MAX = 250_000
WALKS = (("everywhere", "markup", "tasks"), ("walks",))  # two tests, so that two workers may walk at a time
JOBS = Path(__file__).parent / "jobs.py"
MARKUP = '<img src=x onerror="window.hacked=1">'


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """A server with the console and some history."""
    assert build.build() == 0
    folder = tmp_path_factory.mktemp("up")
    shutil.copy(JOBS, folder / "jobs.py")
    with running_up(folder) as found:
        eventually(lambda: found.ask("GET", "/api/v1/jobs/slow").status_code == 200, what="the jobs are there")
        made = [found.trigger("slow"), found.trigger("markup", params={"text": MARKUP}), found.trigger("load_orders")]
        for run in made:
            eventually(lambda run=run: found.run(run)["ended_at"] is not None, what="some runs are over")  # type: ignore[misc]
        found.register(found.token("short-lived", "worker"), "a", "far", "far:away")  # it never beats, and dies
        found.trigger("holder")
        found.trigger("holder")
        eventually(lambda: len(_waiters(found)) == 1, what="one run holds the lock and one waits")
        yield found


def _waiters(up: Up) -> list[object]:
    locks = up.ask("GET", "/api/v1/locks").json()["items"]
    return [waiter for lock in locks for waiter in lock["waiters"]]


@pytest.mark.parametrize("files", WALKS, ids=" ".join)
def test_people_walk_through_the_console(up: Up, files: tuple[str, ...]) -> None:
    url, token = up.began["url"], up.began["token"]
    walk(*files, FOLIOT_URL=url, FOLIOT_LOGIN_CODE=first_login(up), FOLIOT_TOKEN=token)


def test_the_first_load_is_small() -> None:
    """Everything that the first page needs: the page, the files it names, and what these import at once."""
    assert build.build() == 0
    page = (build.OUT / "index.html").read_text()
    wanted = re.findall(r'(?:src|href)="/assets/([^"]+)"', page)
    sizes: dict[str, int] = {}
    while wanted:
        name = wanted.pop()
        if name in sizes:
            continue
        body = (build.OUT / "assets" / name).read_bytes()
        sizes[name] = len(gzip.compress(body, 9))
        if name.endswith(".js"):
            wanted += re.findall(r'(?:from|import)"\./([^"]+)"', body.decode())
    assert len(sizes) >= 3
    assert sum(sizes.values()) <= FIRST_LOAD_MAX, sizes
