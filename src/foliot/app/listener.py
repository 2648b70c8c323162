"""Where a server listens: a socket bound before anything else starts, plain or with a certificate."""

import asyncio
import contextlib
import errno
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from foliot.app.connections import HttpConnection
from foliot.app.settings import BadSetting
from foliot.app.tls import Certificate
from foliot.domain.errors import ClusterTrouble
from foliot.ports.clock import Clock

_LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  an address of every machine is none to dial


class PortTaken(ClusterTrouble):
    """Another program listens on the address of this server."""

    code = "FOL-5003"

    def __init__(self, host: str, port: int, *, by: str = "") -> None:
        who = f" by {by}" if by else ""
        super().__init__(
            f"Port {port} on {host} is in use{who}.",
            hint=f"another port: --port {port + 1} (foliot up), --listen {host}:{port + 1} (foliot server)",
            host=host,
            port=port,
            by=by,
        )


class HttpServer:
    """Serves an ASGI app on a socket bound before anything else starts, under our own signals."""

    def __init__(self, host: str, port: int, *, certificate: Certificate | None = None) -> None:
        self._certificate = certificate
        self._socket = _bound(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self.listens = asyncio.Event()  # connections are taken: until then they are refused
        self._uvicorn: uvicorn.Server | None = None

    @property
    def url(self) -> str:
        """Where clients on this machine find it. One that listens everywhere listens on loopback, too."""
        host = _LOOPBACK.get(self.host, self.host)
        host = f"[{host}]" if ":" in host else host
        return f"{'https' if self._certificate else 'http'}://{host}:{self.port}"

    @property
    def is_listening(self) -> bool:
        """Whether connections are taken."""
        return self._uvicorn is not None and self._uvicorn.started

    async def serve(
        self,
        app: ASGIApp,
        stop: asyncio.Event,
        *,
        clock: Clock,
        connection: type[HttpConnection] = HttpConnection,
    ) -> None:
        certificate = self._certificate
        config = uvicorn.Config(
            app,
            http=connection,
            log_config=None,
            access_log=False,
            server_header=False,
            log_level="warning",
            lifespan="off",
            ws="none",  # nothing here speaks it, and its connections have no limits
            proxy_headers=False,  # anybody can write X-Forwarded-For: whoever connects is who asks (SEC-32)
            timeout_keep_alive=30,
            timeout_graceful_shutdown=3,
            ssl_context_factory=(lambda _config, _usual: certificate.context) if certificate else None,
        )
        server = self._uvicorn = _QuietServer(config, self.listens)
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(server.serve(sockets=[self._socket]), name="http")
            if certificate is not None:
                group.create_task(certificate.keep_up(clock, stop), name="certificate")
            await stop.wait()
            server.should_exit = True
            await serving


class _QuietServer(uvicorn.Server):
    """uvicorn without its own signal handling: the process belongs to us. It says when it listens."""

    def __init__(self, config: uvicorn.Config, listens: asyncio.Event) -> None:
        super().__init__(config)
        self._listens = listens

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listens.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # By its number: asyncio sends small packets at once (TCP_NODELAY) only where the protocol is said to be TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (UnicodeError, TypeError) as error:  # a host that cannot be looked up
        listener.close()
        raise BadSetting(
            f"{host}:{port} cannot be listened on: no host has this name.", hint="name an address of this machine"
        ) from error
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(host, port, by=_listener_on(port)) from error
        why = error.strerror or str(error)
        raise BadSetting(
            f"{host}:{port} cannot be listened on: {why}.", hint="name an address of this machine"
        ) from error
    listener.setblocking(False)
    return listener


def _listener_on(port: int) -> str:
    """Who listens there, as far as this user may know: `another "foliot up" (pid 812, demo)`, or nothing."""
    import psutil

    try:
        pids = [one.pid for one in psutil.net_connections("tcp") if one.laddr.port == port and one.status == "LISTEN"]
        process = psutil.Process(next(pid for pid in pids if pid))
        command, folder = process.cmdline(), Path(process.cwd())
    except (psutil.Error, OSError, StopIteration, AttributeError):
        return ""
    names = [Path(part).name for part in command[:4]]
    if "foliot" not in names:
        return f"{process.name()} (pid {process.pid})"
    kind = next((word for word in command if word in ("up", "server")), "")
    shown = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    return f'another "foliot {kind}" (pid {process.pid}, {shown})'
