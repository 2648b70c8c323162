"""A small HTTP server that answers as a test says, and keeps what it was asked."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    """One answer; `status` 0 means: hang up without a word."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None
    breaks_off: bool = False  # promise more than is sent, then hang up


LOST = Answer(status=0)
Respond = Callable[[Asked], Answer]


class Answering:
    """Answers in the order given, the last one for ever."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.asked: list[Asked] = []
        self.answers: list[Answer | Respond] = [Answer()]

    def say(self, *answers: Answer | Respond) -> None:
        self.answers = list(answers)

    def next_answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer if isinstance(answer, Answer) else answer(asked)


@contextmanager
def answering() -> Iterator[Answering]:
    """A server on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            parts = urlsplit(self.path)
            size = int(self.headers.get("content-length") or 0)
            asked = Asked(
                method=self.command,
                path=parts.path,
                query={name: values[0] for name, values in parse_qs(parts.query).items()},
                headers={name.lower(): value for name, value in self.headers.items()},
                body=json.loads(self.rfile.read(size)) if size else None,
            )
            said = here.next_answer(asked)
            if said.status == 0:
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            content = (said.text if said.text is not None else json.dumps(said.body)).encode()
            self.send_response(said.status)
            for name, value in {"content-type": "application/json", **said.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content) + 1000 * said.breaks_off))
            self.end_headers()
            self.wfile.write(content)
            if said.breaks_off:
                self.close_connection = True

        do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815  names of the standard library

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    here = Answering(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


def refusing_url() -> str:
    """Where nobody listens, nor will: the port is taken and connections are refused."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    _taken.append(taken)
    return f"http://127.0.0.1:{taken.getsockname()[1]}"


_taken: list[socket.socket] = []  # until the process ends
