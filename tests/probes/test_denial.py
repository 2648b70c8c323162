"""Nobody without a token can keep the server from its work (SEC-32)."""

import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import psutil

from tests.probes.scene import V1, Up

TWICE = b"{" + b"".join(b'"k%d":0,' % n for n in range(12_000)) + b'"last":0,"last":0}'
SLOW = 64


def test_a_hostile_body_costs_next_to_nothing(up: Up) -> None:
    server = psutil.Process(up.process.pid)
    before_s = server.cpu_times().user
    for path in (f"{V1}/jobs", f"{V1}/login"):
        answer = up.http.post(path, content=TWICE, headers={"Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500
    assert server.cpu_times().user - before_s < 1.0, "the search for a key that stands twice is linear"


def test_slow_bodies_without_a_token_keep_nobody_out(up: Up) -> None:
    address = urlsplit(up.began["url"])
    head = f"POST {V1}/jobs HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 100\r\n\r\n{{"
    with ExitStack() as open_ones:
        slow = []
        for _ in range(SLOW):
            connection = open_ones.enter_context(socket.create_connection((address.hostname, address.port), timeout=10))
            connection.sendall(head.encode())
            slow.append(connection)
        assert up.http.get("/readyz").status_code == 200
        assert up.ask("GET", f"{V1}/jobs").status_code == 200
        answers = {connection.recv(100).split(b" ")[1] for connection in slow}
    assert answers <= {b"401", b"429"}, "each was refused before its body was read"
