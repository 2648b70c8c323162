"""The worker's link over HTTP: one pooled connection for work, one of its own for beats, several servers in turn.

The user names the first ones, and the answers to beats name the live ones (`known_servers`).
"""

import asyncio
import http.client
import ssl
import threading
from collections.abc import Sequence
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlsplit

import aiohttp
import msgspec
import structlog

from foliot.client.endpoint import Endpoint
from foliot.client.errors import OtherProtocol, ServerAway, unreached
from foliot.client.known_servers import KnownServers, ServerChoice
from foliot.client.machine import Machine
from foliot.client.trust import trusting
from foliot.domain.errors import ClusterTrouble, Denied, FoliotError
from foliot.domain.instants import SECOND
from foliot.domain.run import Landing
from foliot.ports.worker_link import (
    Beat,
    BeatAnswer,
    CallbackAddress,
    CallbackAsked,
    Hello,
    Leased,
    LeasePoll,
    Leaving,
    LockAnswered,
    LockAsked,
    LocksLeft,
    LogChunk,
    Report,
    Welcome,
)

PREFIX: Final = "/api/worker/v1"
CALL_WITHIN_S: Final = 10.0
TOO_LARGE: Final = 413
CUT: Final = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)  # hung up without a word
BEAT_WITHIN_S: Final = 3.0
BEAT_SHARE: Final = 0.4
"""Of a session's ttl: with the third that lies between two beats, another server is asked before trust ends."""

T = TypeVar("T")

log = structlog.get_logger("foliot.worker.link")


class Refused(ClusterTrouble):
    """The server answered, and said no; or something in between said that it is too much."""

    code = "FOL-5021"

    def __init__(self, url: str, status: int, problem: dict[str, Any]) -> None:
        sentence = str(problem.get("detail") or f"{url} answered {status}.")
        super().__init__(sentence, hint=problem.get("hint"), status=status, code=problem.get("code"))
        self.status = status


class _BeatConnection(threading.local):
    """One for each thread: that of a session just buried may still hang in a call when the next one's begins."""

    connection: http.client.HTTPConnection | None = None


class HttpWorkerLink:
    """`ports.worker_link.WorkerLink` over HTTP. On trouble the next server is tried by the next call."""

    def __init__(
        self,
        urls: Sequence[str],
        token: str,
        *,
        verify: ssl.SSLContext | None = None,
        insecure_http: bool = False,
    ) -> None:
        assert urls, "a worker needs at least one server"
        Endpoint.of(urls, token, insecure_http=insecure_http).demand_safe_way()
        self._known = KnownServers(urls, has_own_authority=verify is not None)
        self._calls = ServerChoice(self._known)
        self._token = token
        self._verify = verify
        self._session: aiohttp.ClientSession | None = None
        self._beats = ServerChoice(self._known)
        self._beating = _BeatConnection()
        self._beat_within_s = BEAT_WITHIN_S
        self._encoder = msgspec.json.Encoder()
        self._decoders: dict[type, msgspec.json.Decoder[Any]] = {}

    @classmethod
    def to(cls, endpoint: Endpoint) -> Self:
        """A link to a cluster as it was named."""
        verify = trusting(endpoint.ca_file) if endpoint.ca_file else None
        return cls(endpoint.urls, endpoint.token or "", verify=verify, insecure_http=endpoint.insecure_http)

    @property
    def server(self) -> str:
        """The server spoken to now."""
        return self._calls.url

    @property
    def servers(self) -> tuple[str, ...]:
        """Those it may speak to: the named ones, and live ones that beats told of."""
        return self._known.urls

    async def register(self, hello: Hello) -> Welcome:
        welcome = await self._call("register", hello, Welcome)
        self._beat_within_s = min(BEAT_WITHIN_S, BEAT_SHARE * welcome.session_ttl_us / SECOND)
        return welcome

    async def lease(self, poll: LeasePoll) -> Leased:
        return await self._call("lease", poll, Leased, within_s=poll.wait_us / SECOND + CALL_WITHIN_S)

    async def complete(self, session: str, reports: Sequence[Report]) -> Sequence[Landing]:
        return await self._call("complete", {"session": session, "reports": reports}, list[Landing])

    async def write_logs(self, session: str, chunks: Sequence[LogChunk]) -> None:
        await self._call("logs", {"session": session, "chunks": chunks}, type(None))

    async def open_callback(self, asked: CallbackAsked) -> CallbackAddress:
        server = self.server
        address = await self._call("callbacks", asked, CallbackAddress)
        if not address.url.startswith("/"):
            return address
        # The server was not told its public address: it is called where this worker reaches it.
        return msgspec.structs.replace(address, url=server + address.url)

    async def claim_lock(self, asked: LockAsked) -> LockAnswered:
        return await self._call("locks", asked, LockAnswered, within_s=asked.wait_us / SECOND + CALL_WITHIN_S)

    async def leave_locks(self, left: LocksLeft) -> None:
        await self._call("locks/leave", left, type(None))

    async def leave(self, leaving: Leaving) -> None:
        await self._call("leave", leaving, type(None))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _call(self, path: str, message: Any, kind: type[T], *, within_s: float = CALL_WITHIN_S) -> T:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
                connector=aiohttp.TCPConnector(limit=16, ssl=self._verify if self._verify is not None else True),
            )
        server = self.server
        try:
            async with self._session.post(
                f"{server}{PREFIX}/{path}",
                data=self._encoder.encode(message),
                timeout=aiohttp.ClientTimeout(total=within_s, connect=3.0),
                allow_redirects=False,  # what a worker sends is for the servers it was told of
            ) as response:
                answer = self._read(server, response.status, await response.read(), kind)
                self._calls.answered(server)
                return answer
        except (aiohttp.ClientError, TimeoutError, asyncio.IncompleteReadError) as error:
            self._calls.leave(server)
            if isinstance(error, CUT) and server.startswith("http:") and await Machine().speaks_tls_async(server):
                raise OtherProtocol(server) from error
            raise unreached(server, str(error) or type(error).__name__) from error
        except asyncio.CancelledError:
            self._calls.url = self._beats.url  # given up because a beat was not answered: go where the next beat goes
            raise
        except ServerAway:  # somebody answered, who is no server of ours
            self._calls.leave(server)
            raise
        except Refused as refusal:
            if refusal.status >= 500:
                self._calls.leave(server)
            raise

    def beat(self, beat: Beat) -> BeatAnswer:
        """Blocking, from the beat thread only: it has a connection of its own."""
        server = self._beats.url
        try:
            connection = self._beating.connection or self._connected(server)
            self._beating.connection = connection
            connection.request(
                "POST",
                f"{PREFIX}/heartbeat",
                body=self._encoder.encode(beat),
                headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
            )
            response = connection.getresponse()
            answer = self._read(server, response.status, response.read(), BeatAnswer)
        except (OSError, http.client.HTTPException) as error:
            self._drop_beat_connection(server)
            raise unreached(server, str(error) or type(error).__name__) from error
        except FoliotError:
            self._drop_beat_connection(server)
            raise
        self._beats.answered(server)
        if answer.servers and self._known.learn(answer.servers, session=beat.session):
            log.info("servers.known", servers=self._known.urls)
        return answer

    def _connected(self, server: str) -> http.client.HTTPConnection:
        parts = urlsplit(server)
        assert parts.hostname, server
        if parts.scheme == "https":
            context = self._verify or ssl.create_default_context()
            return http.client.HTTPSConnection(
                parts.hostname, parts.port or 443, timeout=self._beat_within_s, context=context
            )
        return http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=self._beat_within_s)

    def _drop_beat_connection(self, server: str) -> None:
        if self._beating.connection is not None:
            self._beating.connection.close()
            self._beating.connection = None
        self._beats.leave(server)

    def _read(self, server: str, status: int, body: bytes, kind: type[T]) -> T:
        if status == 200:
            decoder = self._decoders.get(kind)
            if decoder is None:
                decoder = self._decoders[kind] = msgspec.json.Decoder(kind)
            try:
                decoded: T = decoder.decode(body)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:  # cut short, or by something that is no server
                raise ServerAway(server, "an answer that is not in the worker protocol") from error
            return decoded
        try:
            problem = msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            problem = {}
        if not str(problem.get("code")).startswith("FOL-") and status != TOO_LARGE:
            # An ingress without a backend, a firewall, another program: what they say is not said of the call.
            raise ServerAway(server, f"{status}, and not from a Foliot server")
        if status in (401, 403):
            raise Denied(
                str(problem.get("detail") or "The token is not accepted."),
                hint=str((status == 403 and problem.get("hint")) or "foliot token create NAME --scope worker"),
            )
        raise Refused(server, status, problem)
