"""A real `foliot up`, asked over HTTP and by the command line, and a stranger's server that keeps what it is sent."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
from click.testing import CliRunner

from tests.eventually import eventually

V1 = "/api/v1"
WORKER = "/api/worker/v1"


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a command said."""

    code: int
    out: str
    err: str


class Up:
    """A running `foliot up` and its folder."""

    def __init__(self, folder: Path, process: "subprocess.Popen[bytes]", began: Mapping[str, str]) -> None:
        self.folder = folder
        self.process = process
        self.began = began  # what `client.json` said
        self.http = httpx2.Client(base_url=began["url"], timeout=60)

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, **headers: str
    ) -> httpx2.Response:
        """One request with the token of `foliot up`, or another."""
        sent = {"Authorization": f"Bearer {token or self.began['token']}", **headers}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            sent["Content-Type"] = "application/json"
        return self.http.request(method, path, content=content, headers=sent)

    def token(self, name: str, *scopes: str, **limits: str) -> str:
        """A new token's secret."""
        made = self.ask("POST", f"{V1}/tokens", {"name": name, "scopes": list(scopes), **limits})
        assert made.status_code == 201, made.text
        return str(made.json()["token"])

    def worker(self, token: str, path: str, session: str, **said: Any) -> httpx2.Response:
        """One message of the worker protocol."""
        return self.ask("POST", f"{WORKER}/{path}", {"session": session * 32, **said}, token=token)

    def register(self, token: str, session: str, group: str, *handlers: str, **said: Any) -> httpx2.Response:
        offers = [{"name": name} for name in handlers]
        hello = {"name": f"w-{session}", "group": group, "slots": 8, "handlers": offers, **said}
        return self.worker(token, "register", session, **hello)

    def lease(self, token: str, session: str, *, request_no: int = 1) -> list[dict[str, Any]]:
        """The runs that one poll brings."""
        poll = {"request_no": request_no, "free": 8, "settled": 0, "wait_us": 10_000_000}
        answer = self.worker(token, "lease", session, **poll)
        assert answer.status_code == 200, answer.text
        return list(answer.json().get("runs", []))

    def job(self, name: str, namespace: str = "default", **document: Any) -> httpx2.Response:
        body = {"name": name, "definition": {"run": {"python": f"far:{name}"}, **document}}
        return self.ask("POST", f"{V1}/jobs?namespace={namespace}", body)

    def trigger(self, name: str, namespace: str = "default", **wish: Any) -> str:
        run = self.ask("POST", f"{V1}/jobs/{name}:trigger?namespace={namespace}", wish)
        assert run.status_code == 201, run.text
        return str(run.json()["id"])

    def run(self, run: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("GET", f"{V1}/runs/{run}").json()
        return found

    def __call__(self, *args: str, **environment: str) -> Said:
        """A command in the folder of `foliot up`."""
        return command(self.folder, *args, **environment)


def plain_environment(folder: Path, **more: str) -> dict[str, str]:
    """What every process here is started with: a home of its own and no settings."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    home = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "FOLIOT_CONFIG": str(folder / "config")}
    for place in (folder / "home", folder / "tmp"):
        place.mkdir(exist_ok=True)
    return {**kept, **home, "TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **more}


def command(folder: Path, *args: str, **environment: str) -> Said:
    """A command of the command line, in this process."""
    from foliot.cli import main

    cleared = {name: None for name in os.environ if name.startswith(("FOLIOT", "XDG_", "COLUMNS"))}
    before = Path.cwd()
    os.chdir(folder)
    try:
        told = {**cleared, **plain_environment(folder, **environment)}
        result = CliRunner().invoke(main, list(args), prog_name="foliot", env=told)
    finally:
        os.chdir(before)
    return Said(code=result.exit_code, out=result.stdout, err=result.stderr)


@contextmanager
def started(folder: Path, *args: str, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A command as a process of its own, stopped in an orderly way at the end."""
    with (folder / f"{args[0]}.log").open("a") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "foliot", *args],
            cwd=folder,
            env=plain_environment(folder, **environment),
            stdout=log,
            stderr=log,
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


@contextmanager
def running_up(folder: Path, **environment: str) -> Iterator[Up]:
    """`foliot up` in a folder, until the block ends."""
    client = folder / ".foliot" / "client.json"
    client.unlink(missing_ok=True)
    with started(folder, "up", "--port", "0", "--no-watch", **environment) as process:
        eventually(lambda: client.exists() or process.poll() is not None, what="foliot up is there")
        assert process.poll() is None, (folder / "up.log").read_text()
        up = Up(folder, process, json.loads(client.read_text()))
        with up.http:
            eventually(lambda: up.http.get("/readyz").status_code == 200, what="the server is ready")
            yield up


class Quiet(BaseHTTPRequestHandler):
    """A handler of HTTP that prints nothing."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the library's
        del format, args


@contextmanager
def stranger(answer: bytes = b"{}") -> Iterator[tuple[str, list[str]]]:
    """A server of somebody else: its address, and the credentials it was sent."""
    heard: list[str] = []

    class Ear(Quiet):
        def do_GET(self) -> None:
            heard.append(self.headers.get("Authorization") or "")
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def do_POST(self) -> None:
            self.do_GET()

    with serving(Ear) as url:
        yield url, heard


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """An HTTP server of the test, in threads: its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


def first_login(up: Up) -> str:
    """The code of the link that `foliot up` printed."""
    link = re.search(r"/login#(\S+)", (up.folder / "up.log").read_text())
    assert link is not None
    return link[1]
