"""A web site for tests, with bad manners on demand: it hangs, streams without end, closes early, sends bombs.

It lives in threads of its own, so that workers in this process, in threads and in child processes can call it. What it
waits for is an event of the client's (it goes away) or of the test's; it never sleeps.
"""

import gzip
import json
import socketserver
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast


@dataclass(slots=True)
class Seen:
    """A request, as it arrived."""

    method: str
    target: str
    headers: dict[str, str]  # in small letters
    body: bytes
    client: tuple[str, int]

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]


@dataclass(slots=True)
class Visit:
    """One request and the connection it came by."""

    site: "WebSite"
    seen: Seen
    send: Callable[[bytes], Any]
    gone: Callable[[], None]  # waits until the client closes the connection

    def answer(self, status: int = 200, body: Any = b"", **headers: str) -> None:
        """A whole answer; what is not bytes goes as JSON."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
            fields.setdefault("content-type", "application/json")
        fields.setdefault("content-length", str(len(body)))
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        content = b"" if self.seen.method == "HEAD" else body
        self.send(f"HTTP/1.1 {status} Because\r\n{lines}\r\n".encode() + content)


@dataclass(slots=True)
class Log:
    """What happened at the site."""

    seen: list[Seen] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)  # paths whose client went away while the site waited
    connections: int = 0


class WebSite:
    """A site at `http://127.0.0.1:<port>`; pages are the functions of `PAGES`, by path, and those that a test adds."""

    def __init__(self, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1", port: int = 0) -> None:
        self.log = Log()
        self.pages: dict[str, Callable[[Visit], bool | None]] = dict(PAGES)
        self._server = _Server((host, port), _Handler)
        self._server.site = self
        self._server.tls = tls
        self.port: int = self._server.server_address[1]
        self.host = host
        self.url = f"{'https' if tls else 'http'}://{host}:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def requests(self, path: str) -> list[Seen]:
        return [seen for seen in self.log.seen if seen.path == path]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 4096
    site: WebSite
    tls: ssl.SSLContext | None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""


class _Handler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        server = cast("_Server", self.server)
        connection = self.request
        if server.tls is not None:
            connection = server.tls.wrap_socket(connection, server_side=True)
        site = server.site
        site.log.connections += 1
        reader = connection.makefile("rb")
        while (seen := _request(reader, self.client_address)) is not None:
            site.log.seen.append(seen)

            def gone(path: str = seen.path) -> None:
                while reader.read(1):
                    pass
                site.log.gone.append(path)

            visit = Visit(site, seen, connection.sendall, gone)
            if site.pages.get(seen.path, _missing)(visit):
                break
        reader.close()
        connection.close()


def _request(reader: Any, client: tuple[str, int]) -> Seen | None:
    line = reader.readline().decode("latin-1").split()
    if len(line) < 3:
        return None
    headers: dict[str, str] = {}
    while (header := reader.readline().decode("latin-1").rstrip("\r\n")) != "":
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers.get("content-length", "0")))
    return Seen(line[0], line[1], headers, body, client)


# Pages. One that returns True closes its connection.


def _missing(visit: Visit) -> None:
    visit.answer(404, {"error": "no luck"})


def _echo(visit: Visit) -> None:
    seen = visit.seen
    visit.answer(
        200, {"method": seen.method, "target": seen.target, "headers": seen.headers, "body": seen.body.decode()}
    )


def _hang(visit: Visit) -> bool:
    visit.gone()
    return True


def _endless(visit: Visit) -> bool:
    visit.send(b"HTTP/1.1 200 Because\r\ntransfer-encoding: chunked\r\n\r\n")
    try:
        while True:
            visit.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")
    except OSError:
        visit.site.log.gone.append(visit.seen.path)
    return True


def _dribble(visit: Visit) -> bool:
    """A beginning, and then nothing."""
    visit.send(b"HTTP/1.1 200 Because\r\ncontent-length: 100\r\n\r\nabc")
    visit.gone()
    return True


def _close_early(visit: Visit) -> bool:
    visit.send(b"HTTP/1.1 200 Because\r\ncontent-length: 100\r\n\r\nabc")
    return True


def _close_at_once(_: Visit) -> bool:
    return True


def _garbage(visit: Visit) -> bool:
    visit.send(b"this is no HTTP\r\n\r\n")
    return True


def _bomb(visit: Visit) -> None:
    visit.answer(
        200, gzip.compress(bytes(64 * 1024 * 1024), compresslevel=1), content_encoding="gzip", content_type="text/plain"
    )


def _packed(visit: Visit) -> None:
    visit.answer(200, gzip.compress(b'{"packed": true}'), content_encoding="gzip", content_type="application/json")


def _fails_once(visit: Visit) -> None:
    before = len(visit.site.requests(visit.seen.path))
    visit.answer(500 if before == 1 else 200, {"calls": before})


def _ok(visit: Visit) -> None:
    visit.answer(200, {"ok": True})


PAGES: dict[str, Callable[[Visit], bool | None]] = {
    "/ok": _ok,
    "/echo": _echo,
    "/hang": _hang,
    "/endless": _endless,
    "/dribble": _dribble,
    "/close-early": _close_early,
    "/close-at-once": _close_at_once,
    "/garbage": _garbage,
    "/bomb": _bomb,
    "/packed": _packed,
    "/fails-once": _fails_once,
}
