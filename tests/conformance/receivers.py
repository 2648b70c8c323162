"""Receivers of messages: a web server and a mail server of our own, which keep what they get and answer as told."""

import asyncio
import contextlib
import ssl
import warnings
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiosmtpd.smtp import SMTP, AuthResult, Envelope


@dataclass
class Got:
    """One request."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass
class WebReceiver:
    """A web server on this machine."""

    address: str = ""
    got: list[Got] = field(default_factory=list)
    answer: Callable[[Got], web.StreamResponse] = lambda _: web.json_response({"errcode": 0, "code": 0, "ok": True})
    hold: asyncio.Event | None = None  # no answer before it is set


@contextlib.asynccontextmanager
async def web_receiver(*, tls: ssl.SSLContext | None = None) -> AsyncIterator[WebReceiver]:
    """Receive requests while it runs."""
    receiver = WebReceiver()

    async def take(request: web.Request) -> web.StreamResponse:
        got = Got(request.path, dict(request.query), dict(request.headers), await request.read())
        receiver.got.append(got)
        if receiver.hold is not None:
            await receiver.hold.wait()
        return receiver.answer(got)

    app = web.Application(client_max_size=10**7)
    app.router.add_route("*", "/{tail:.*}", take)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    port = runner.addresses[0][1]
    receiver.address = f"{'https' if tls else 'http'}://{'localhost' if tls else '127.0.0.1'}:{port}"
    try:
        yield receiver
    finally:
        if receiver.hold is not None:
            receiver.hold.set()
        await runner.cleanup()


@dataclass
class MailReceiver:
    """A mail server on this machine."""

    port: int = 0
    got: list[Envelope] = field(default_factory=list)
    logins: list[tuple[str, str]] = field(default_factory=list)
    answer: str = "250 taken"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802  aiosmtpd's name
        self.got.append(envelope)
        return self.answer


@contextlib.asynccontextmanager
async def mail_receiver(*, implicit: ssl.SSLContext | None = None, starttls: ssl.SSLContext | None = None) -> Any:
    """Receive mails while it runs."""
    receiver = MailReceiver()
    tls = implicit or starttls

    def check(_server: Any, _session: Any, _envelope: Any, _mechanism: Any, data: Any) -> AuthResult:
        login = (data.login.decode(), data.password.decode())
        receiver.logins.append(login)
        return AuthResult(success=login[1] == "right-password", handled=False)

    def protocol() -> SMTP:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it finds this server too trusting, which is what the tests need
            return made()

    def made() -> SMTP:
        return SMTP(
            receiver,
            hostname="localhost",
            tls_context=starttls,
            require_starttls=starttls is not None,
            authenticator=check,
            auth_require_tls=False,
            auth_required=tls is not None,
            enable_SMTPUTF8=True,
        )

    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0, ssl=implicit)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
