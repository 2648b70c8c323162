"""The console in Chromium against a real `foliot up`: login, tasks, live pages, themes, languages, a phone."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import httpx2
import pytest

from tests.console.chequered import SCHEDULE, write_yesterday
from tests.console.lived import live, made, until_told
from tests.console.robot import ANSWER, NOTIFY, robots
from tests.console.walking import walk
from tests.eventually import eventually
from tests.probes.scene import Quiet, Up, first_login, running_up, serving, started, stranger
from web import build

pytestmark = pytest.mark.services
FIRST_LOAD_MAX = 250_000
WALKS = (
    ("everywhere",),
    ("tasks",),
    ("work",),
    ("cluster",),
    ("pages",),
    ("sights",),
    ("markup",),
)  # each by itself: workers share them. What markup makes of the server is looked at by itself alone: it comes last
JOBS = Path(__file__).parent / "jobs.py"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """A server with the console and some history."""
    assert build.build() == 0
    folder = tmp_path_factory.mktemp("up")
    shutil.copy(JOBS, folder / "jobs.py")
    (folder / "notify.toml").write_text(NOTIFY)
    with stranger(ANSWER) as (robot, _), running_up(folder, **robots(robot)) as found:
        eventually(lambda: found.ask("GET", "/api/v1/jobs/slow").status_code == 200, what="the jobs are there")
        live(found.ask)
        made(found.job("chequered", schedule=SCHEDULE))
        made(found.ask("POST", "/api/v1/jobs/chequered:pause", {}))
        write_yesterday(folder / ".foliot" / "foliot.db", "chequered")
        made(found.job("unplaced"))
        found.trigger("unplaced")  # a minute later people are told that no worker takes it
        token = found.token("short-lived", "worker")
        found.register(token, "a", "far", "far:away", labels={"zone": "cn-east"})  # it never beats, and dies
        _fill(found)
        until_told(found.ask)
        yield found
        found.process.kill()  # a drain would wait half a minute for runs that never end


def _fill(up: Up) -> None:
    """What lists show: a channel, a check that is down, a schedule of reports."""
    new = {"If-None-Match": "*"}
    settings = {"webhook": "${secret:DING}"}
    made(up.ask("PUT", "/api/v1/channels/oncall", {"channel": {"kind": "dingtalk", "settings": settings}}, **new))
    check = {"cron": "0 2 * * *", "grace": "30m", "owner": "ops", "runbook": "https://wiki.example/backup"}
    made(up.ask("POST", "/api/v1/checks", {"name": "nightly-backup", "check": check}))
    for kind, said in (("start", {}), ("fail", {"exit_code": 28, "text": "no space left"})):
        made(up.ask("POST", f"/api/v1/checks/nightly-backup:ping?kind={kind}", said))
    schedule = {"kind": "daily", "at": "08:00", "timezone": "Asia/Shanghai", "to": ["oncall"]}
    made(up.ask("PUT", "/api/v1/report-schedules/every-morning", {"schedule": schedule}))


@pytest.fixture(scope="module")
def restarts() -> Iterator[ExitStack]:
    """What was started again ends with the module: the walks behind go on with it."""
    with ExitStack() as stack:
        yield stack


def hands_of(up: Up, restarts: ExitStack) -> type[BaseHTTPRequestHandler]:
    """What kills `foliot up` and starts it again at its place when the walk asks for it: POST /kill, /start."""

    class Hands(Quiet):
        def do_POST(self) -> None:  # noqa: N802  the name is the library's
            if self.path == "/kill":
                up.process.kill()
                up.process.wait(60)
            else:
                port = up.began["url"].rpartition(":")[2]
                up.process = restarts.enter_context(started(up.folder, "up", "--port", port, "--no-watch"))
                restarts.callback(up.process.kill)  # nobody waits for what runs there
                eventually(lambda: up.process.poll() is None and _is_ready(up), what="foliot up is there again")
                up.began = json.loads((up.folder / ".foliot" / "client.json").read_text())  # with a token of its own
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    return Hands


def _is_ready(up: Up) -> bool:
    try:
        return up.http.get("/readyz").status_code == 200
    except httpx2.HTTPError:
        return False


@pytest.mark.parametrize("files", WALKS, ids=" ".join)
def test_people_walk_through_the_console(up: Up, files: tuple[str, ...]) -> None:
    url, token = up.began["url"], up.began["token"]
    walk(*files, FOLIOT_URL=url, FOLIOT_LOGIN_CODE=first_login(up), FOLIOT_TOKEN=token)


def test_pages_outlive_a_foliot_up_that_is_killed(up: Up, restarts: ExitStack) -> None:
    link = re.search(r"/login#(\S+)", up("login-link").out)
    assert link is not None
    with serving(hands_of(up, restarts)) as hands:
        walk("restart", FOLIOT_URL=up.began["url"], FOLIOT_HANDS=hands, FOLIOT_LOGIN_CODE=link[1])


@contextmanager
def under_work(server: str, said: Path) -> Iterator[str]:
    """What `make console` starts in front of a server, stopped at the end: its address."""
    command = [sys.executable, "-m", "web.build", "dev"]
    environment = {**os.environ, "FOLIOT_SERVER": server, "NO_COLOR": "1"}
    with said.open("w") as out:
        process = subprocess.Popen(
            command, cwd=build.ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        told = eventually(lambda: re.search(r"Local: +(http://\S+?)/?\s", said.read_text()), what="the page is served")
        assert told is not None
        yield told[1]
        process.terminate()
        process.wait(10)
    finally:
        process.kill()


def test_the_sources_are_served_in_front_of_a_server_until_somebody_stops_it(up: Up, tmp_path: Path) -> None:
    assert build.install()
    before = build.hash_of(build.sources())
    with under_work(up.began["url"], tmp_path / "said") as url:
        walk("dev", FOLIOT_URL=url, FOLIOT_TOKEN=up.began["token"])
        assert "@vite/client" in httpx2.get(url).text
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(url)
    assert build.hash_of(build.sources()) == before, "nothing is written into the sources"


def test_a_second_build_does_no_work(capfd: pytest.CaptureFixture[str]) -> None:
    """What `make up` does first. Whatever is built anew is another file."""
    assert build.build() == 0
    capfd.readouterr()
    before = {file: file.stat().st_mtime_ns for file in build.OUT.rglob("*")}
    assert build.build() == 0
    assert capfd.readouterr() == ("", "")
    assert {file: file.stat().st_mtime_ns for file in build.OUT.rglob("*")} == before


def _words() -> list[Path]:
    """The files of the languages."""
    found = [*(build.OUT / "assets").glob("en-*.js"), *(build.OUT / "assets").glob("zh-*.js")]
    assert len(found) == 2, found
    return found


def test_the_first_load_is_small() -> None:
    """The page, the files it names, what these import at once, and the words of the language that has more."""
    assert build.build() == 0
    page = (build.OUT / "index.html").read_text()
    wanted = re.findall(r'(?:src|href)="/assets/([^"]+)"', page)
    wanted.append(max(_words(), key=lambda words: words.stat().st_size).name)
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
