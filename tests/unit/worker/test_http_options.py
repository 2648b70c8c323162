"""Options of a job that calls a URL: what is refused when the job is saved, and how the job is described."""

import json
import subprocess
import sys
from typing import Any

import pytest

from foliot.domain.errors import BadField
from foliot.ports.handler import Unfit
from foliot.worker.handlers.http.kind import HttpHandlers
from tests.unit.worker.http_calls import a_run

URL = "https://example.org/orders"
SECRET = "${secret:KEY}"


@pytest.mark.parametrize(
    ("options", "path"),
    [
        (URL, "run.http"),
        ([], "run.http"),
        ({}, "run.http.url"),
        ({"url": 5}, "run.http.url"),
        ({"url": ""}, "run.http.url"),
        ({"url": f"{URL}/${{params.}}"}, "run.http.url"),
        ({"url": f"{URL}/${{param.x}}"}, "run.http.url"),
        ({"url": URL, "method": "get"}, "run.http.method"),
        ({"url": URL, "method": "CONNECT"}, "run.http.method"),
        ({"url": URL, "colour": 1}, "run.http.colour"),
        ({"url": URL, "headers": {"A": 5}}, "run.http.headers[...]"),
        ({"url": URL, "headers": {"A B": "x"}}, "run.http.headers"),
        ({"url": URL, "headers": {"A:": "x"}}, "run.http.headers"),
        ({"url": URL, "headers": {"A\r\nB": "x"}}, "run.http.headers"),
        ({"url": URL, "headers": {"": "x"}}, "run.http.headers"),
        ({"url": URL, "headers": {"A": "x\r\nHost: evil"}}, "run.http.headers.A"),
        ({"url": URL, "headers": {"A": "x\nB: y"}}, "run.http.headers.A"),
        ({"url": URL, "headers": {"A": "x\x00"}}, "run.http.headers.A"),
        ({"url": URL, "headers": {"A": "${nothing}"}}, "run.http.headers.A"),
        ({"url": URL, "headers": {"Host": "evil"}}, "run.http.headers.Host"),
        ({"url": URL, "headers": {"content-length": "5"}}, "run.http.headers.content-length"),
        ({"url": URL, "headers": {"Transfer-Encoding": "chunked"}}, "run.http.headers.Transfer-Encoding"),
        ({"url": URL, "headers": {"Proxy-Authorization": SECRET}}, "run.http.headers.Proxy-Authorization"),
        ({"url": URL, "headers": {"idempotency-key": "x"}}, "run.http.headers.idempotency-key"),
        ({"url": URL, "headers": {"Foliot-Fence": "9"}}, "run.http.headers.Foliot-Fence"),
        ({"url": URL, "headers": {"TraceParent": "x"}}, "run.http.headers.TraceParent"),
        ({"url": URL, "headers": {"User-Agent": "x"}}, "run.http.headers.User-Agent"),
        ({"url": URL, "headers": {"Authorization": "Bearer plain"}}, "run.http.headers.Authorization"),
        ({"url": URL, "headers": {"cookie": "${params.cookie}"}}, "run.http.headers.cookie"),
        ({"url": URL, "headers": {f"A{n}": "x" for n in range(101)}}, "run.http.headers"),
        ({"url": URL, "query": {"a": {"b": 1}}}, "run.http.query[...]"),
        ({"url": URL, "query": {"a": "${x}"}}, "run.http.query.a"),
        ({"url": URL, "body": "text"}, "run.http.body"),
        ({"url": URL, "body": {}}, "run.http.body"),
        ({"url": URL, "body": {"json": 1, "text": "x"}}, "run.http.body"),
        ({"url": URL, "body": {"xml": "x"}}, "run.http.body.xml"),
        ({"url": URL, "body": {"json": {"a": ["${x}"]}}}, "run.http.body.json.a[0]"),
        ({"url": URL, "auth": {}}, "run.http.auth"),
        ({"url": URL, "auth": {"bearer": "plain"}}, "run.http.auth.bearer"),
        ({"url": URL, "auth": {"bearer": "${params.token}"}}, "run.http.auth.bearer"),
        ({"url": URL, "auth": {"basic": {"user": "a", "password": "plain"}}}, "run.http.auth.basic.password"),
        ({"url": URL, "auth": {"bearer": SECRET, "hmac": {"key": SECRET}}}, "run.http.auth"),
        ({"url": URL, "auth": {"hmac": {"key": SECRET, "header": "Host"}}}, "run.http.auth.hmac.header"),
        ({"url": URL, "auth": {"hmac": {"key": SECRET, "algorithm": "md5"}}}, "run.http.auth.hmac.algorithm"),
        ({"url": URL, "auth": {"bearer": SECRET}, "headers": {"authorization": SECRET}}, "run.http.auth"),
        ({"url": URL, "expect": "2x"}, "run.http.expect"),
        ({"url": URL, "expect": 99}, "run.http.expect"),
        ({"url": URL, "expect": {"json": "state == 1"}}, "run.http.expect.json"),
        ({"url": URL, "timeout": "soon"}, "run.http.timeout.total"),
        ({"url": URL, "timeout": {"read": "0s"}}, "run.http.timeout.read"),
        ({"url": URL, "timeout": {"total": "30d"}}, "run.http.timeout.total"),
        ({"url": URL, "redirects": 11}, "run.http.redirects"),
        ({"url": URL, "redirects": -1}, "run.http.redirects"),
        ({"url": URL, "capture": 1_000_000}, "run.http.capture"),
        ({"url": URL, "tls": ""}, "run.http.tls"),
    ],
)
def test_options_that_no_run_could_use_are_refused_with_their_field(options: Any, path: str) -> None:
    with pytest.raises(BadField) as refused:
        HttpHandlers().validate(options)

    assert refused.value.path == path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": URL}, f"GET {URL}"),
        ({"url": f"{URL}?token=${{secret:KEY}}", "body": {"json": None}}, f"POST {URL}"),
        ({"url": f"{URL}/${{params.id}}", "method": "DELETE"}, f"DELETE {URL}/${{params.id}}"),
        ({"url": f"{URL}/{'x' * 500}"}, f"GET {URL}/{'x' * 500}"[:149] + "…"),
    ],
)
def test_a_job_is_described_without_its_query(options: Any, said: str) -> None:
    assert HttpHandlers().describe(options) == said


def test_the_schema_of_the_options_names_each_of_them() -> None:
    kind = HttpHandlers()
    options = kind.options_schema["$defs"]["HttpOptions"]["properties"]
    assert {"url", "method", "headers", "query", "body", "auth", "expect", "timeout", "redirects", "tls"} <= set(
        options
    )
    assert kind.version


def test_a_server_that_reads_options_does_not_import_the_client() -> None:
    """It takes a fifth of a second, which every command would pay."""
    code = (
        "import sys; from foliot.worker.handlers.http.kind import HttpHandlers; "
        f"HttpHandlers().validate({{'url': {URL!r}}}); print('aiohttp' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "False\n"


def test_a_header_that_a_parameter_would_break_is_not_sent() -> None:
    """What a run fills is looked at again: a parameter may hold anything."""
    for value in ("x\r\nHost: evil", "x\n", "\x00", "a\x7f", "x\u0085\n"):
        handler = HttpHandlers().handler_of(a_run({"url": URL, "headers": {"X-A": "a ${params.v} b"}}))
        assert handler is not None
        with pytest.raises(
            Unfit, match=r"run\.http\.headers\.X-A cannot be used in this run: a value holds a line break"
        ):
            handler._filled(handler._values(json.dumps({"v": value}), {}))
