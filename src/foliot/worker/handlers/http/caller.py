"""One request over HTTP, made safely: the address is checked, every wait and every count of bytes has a limit.

Used for the request of a job, and for every other request that a job leads to. aiohttp is imported when the first
request is made, so that servers, which only read options, stay light.
"""

import asyncio
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from foliot.domain.egress import Address, Egress, HostList
from foliot.worker.handlers.http.answer import HttpAnswer, read_answer
from foliot.worker.handlers.http.errors import (
    AddressRefused,
    HttpAnswerUnfit,
    HttpConnectTimeout,
    HttpFailed,
    HttpNoAnswer,
    HttpNotReached,
    HttpReadTimeout,
    HttpUnfit,
)
from foliot.worker.handlers.http.names import HostNames
from foliot.worker.handlers.http.settings import HttpSettings
from foliot.worker.handlers.http.tls import tls_contexts
from foliot.worker.handlers.http.urls import BadUrl, HttpUrl

if TYPE_CHECKING:
    import aiohttp

TRIES_MAX: Final = 3  # addresses of one name that are tried, while nothing was sent

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_BARE: Final = (
    "Content-Type",
    "User-Agent",
    "Accept",
    "Accept-Encoding",
)  # aiohttp adds these unless it is told not to
_KEPT_ABROAD: Final = frozenset(
    {
        "accept", "accept-encoding", "accept-language", "content-type", "foliot-attempt", "foliot-due", "foliot-fence",
        "foliot-job", "foliot-run", "idempotency-key", "traceparent", "user-agent",
    }
)  # fmt: skip
"""Headers that go on to another origin: nothing that the job wrote to prove whose it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request, ready to be sent."""

    method: str
    url: HttpUrl
    shown: str  # method and URL for people: no secret in it
    namespace: str  # of the job: what may be reached depends on it
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    tls: str | None = None
    redirects: int = 0
    connect_s: float = 10.0
    read_s: float = 300.0
    total_s: float = 3600.0


class HttpCaller:
    """The connections of one loop, and the rules for them."""

    def __init__(self, settings: HttpSettings) -> None:
        import aiohttp

        self._settings = settings
        self._egress: dict[str, Egress] = {}
        self._no_proxy = HostList.of(settings.no_proxy)
        self._tls: Mapping[str, ssl.SSLContext] = tls_contexts(settings)
        self._names = HostNames(settings.dns_threads)
        sent = aiohttp.TraceConfig()
        sent.on_request_headers_sent.append(_note_sent)
        self._session = aiohttp.ClientSession(
            connector=_connector(settings),
            cookie_jar=aiohttp.DummyCookieJar(),  # a cookie of one job is nothing to another
            auto_decompress=False,  # the answer is unpacked piece by piece, under a limit
            requote_redirect_url=False,
            trust_env=False,
            trace_configs=[sent],
        )
        # aiohttp would send a PUT or DELETE again when a kept connection breaks: only the job's own retries do that.
        self._session._retry_connection = False  # noqa: SLF001

    async def send(self, request: HttpRequest, *, keep_bytes: int) -> HttpAnswer:
        """Send a request and read the answer, of which so many bytes are kept.

        Raises `HttpFailed` when there is no whole answer, and `AddressRefused` when the address may not be called.
        """
        began = asyncio.get_running_loop().time()
        sending = _Sending()
        try:
            async with asyncio.timeout(request.total_s):
                answer = await self._followed(request, sending, keep_bytes)
        except TimeoutError:
            why = f"time was over after {request.total_s:g} s"
            if not sending.is_sent:
                raise HttpConnectTimeout(request.url.origin, why) from None
            raise HttpReadTimeout(request.shown, why) from None
        answer.took_s = asyncio.get_running_loop().time() - began
        return answer

    async def close(self) -> None:
        """Give the connections back."""
        self._names.close()
        await self._session.close()

    async def _followed(self, request: HttpRequest, sending: "_Sending", keep_bytes: int) -> HttpAnswer:
        answer = await self._answered(request, sending, keep_bytes)
        for _ in range(request.redirects):
            location = answer.headers.get("location")
            if answer.status not in _REDIRECTS or location is None:
                break
            before, request = request, redirected(request, answer.status, location)
            try:
                answer = await self._answered(request, sending, keep_bytes)
            except AddressRefused as error:  # no reason to reject the run: a request was sent
                why = f"it redirects to {request.url.origin}, and {error.data['why']}"
                raise HttpAnswerUnfit(before.shown, why) from None
        return answer

    async def _answered(self, request: HttpRequest, sending: "_Sending", keep_bytes: int) -> HttpAnswer:
        """One request without redirects. The next address is tried only while nothing was sent."""
        if request.tls is not None and request.tls not in self._tls:
            raise HttpUnfit("run.http.tls", f'the worker has no TLS setting "{request.tls}"')
        ways = await self._ways(request)
        for address in ways[:-1]:
            try:
                return await self._exchanged(request, address, sending, keep_bytes)
            except HttpNotReached:
                if sending.is_sent:
                    raise
        return await self._exchanged(request, ways[-1], sending, keep_bytes)

    async def _ways(self, request: HttpRequest) -> list[Address | None]:
        """The checked addresses to connect to; None stands for the proxy, which looks names up itself."""
        url, egress = request.url, self._egress_of(request.namespace)
        refusal = egress.refusal_of_host(url.host, url.port)
        if refusal is not None:
            raise AddressRefused(url.origin, refusal)
        by_proxy = self._settings.proxy is not None and not self._is_without_proxy(url)
        if by_proxy and url.address is None:
            refusal = egress.refusal_of_name(url.host)
            if refusal is not None:
                raise AddressRefused(url.origin, refusal)
            return [None]
        found = [url.address] if url.address is not None else await self._looked_up(request)
        refusals = {address: egress.refusal_of_address(url.host, address) for address in found}
        allowed: list[Address | None] = [address for address in found if refusals[address] is None]
        if not allowed:
            raise AddressRefused(url.origin, next(iter(refusals.values())) or "it has no address")
        return [None] if by_proxy else allowed[:TRIES_MAX]

    async def _looked_up(self, request: HttpRequest) -> tuple[Address, ...]:
        origin = request.url.origin
        try:
            async with asyncio.timeout(request.connect_s):
                return await self._names.addresses(request.url.host)
        except TimeoutError:
            raise HttpConnectTimeout(origin, "its name could not be looked up in time") from None
        except (OSError, UnicodeError):
            raise HttpNotReached(origin, "its name is not known") from None

    async def _exchanged(
        self, request: HttpRequest, address: Address | None, sending: "_Sending", keep_bytes: int
    ) -> HttpAnswer:
        """Send it to one address, and read the answer."""
        import aiohttp

        try:
            response = await self._session.request(
                request.method,
                _aiohttp_url(request.url, address),
                headers=[("Host", request.url.netloc), *request.headers],
                data=request.body or None,
                allow_redirects=False,
                ssl=self._tls[request.tls] if request.tls is not None else True,
                server_hostname=_server_name(request.url, address),
                proxy=self._settings.proxy if address is None else None,
                skip_auto_headers=_BARE,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=request.connect_s, sock_read=request.read_s),
                trace_request_ctx=sending,
            )
            try:
                bytes_max = self._settings.answer_bytes_max
                answer = await read_answer(request, response, keep_bytes=keep_bytes, bytes_max=bytes_max)
            except BaseException:
                response.close()  # not released: what the server still sends belongs to no other request
                raise
            response.release()
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise _told(error, request, is_sent=sending.is_sent) from None
        if answer.trouble is not None:
            raise HttpAnswerUnfit(request.shown, answer.trouble)
        return answer

    def _egress_of(self, namespace: str) -> Egress:
        own = namespace if namespace in self._settings.namespaces else ""
        if own not in self._egress:
            self._egress[own] = self._settings.egress_of(own)
        return self._egress[own]

    def _is_without_proxy(self, url: HttpUrl) -> bool:
        address = url.address
        return self._no_proxy.have_name(url.host) or (address is not None and self._no_proxy.have_address(address))


def redirected(request: HttpRequest, status: int, location: str) -> HttpRequest:
    """The request that a redirect asks for; `HttpAnswerUnfit` for one that is not followed."""
    try:
        url = request.url.joined(location)
    except (BadUrl, ValueError):
        raise HttpAnswerUnfit(request.shown, "it redirects to what is not a URL that a job may call") from None
    is_abroad = url.origin != request.url.origin
    if request.url.scheme == "https" and url.scheme == "http":
        raise HttpAnswerUnfit(request.shown, "it redirects from https to http")
    is_plain = status == 303 or (status in (301, 302) and request.method == "POST")
    if is_plain:
        method = "HEAD" if request.method == "HEAD" else "GET"
        headers = tuple((name, value) for name, value in request.headers if name.lower() != "content-type")
        request = replace(request, method=method, body=b"", headers=headers)
    if is_abroad and request.body:
        raise HttpAnswerUnfit(request.shown, "it redirects the body of the request to another server")
    kept = tuple((name, value) for name, value in request.headers if not is_abroad or name.lower() in _KEPT_ABROAD)
    return replace(request, url=url, headers=kept, shown=f"{request.method} {url.origin}{url.path}")


@dataclass(slots=True)
class _Sending:
    """What is known of a call while it goes on."""

    is_sent: bool = False


async def _note_sent(_session: Any, context: Any, _params: Any) -> None:
    context.trace_request_ctx.is_sent = True


def _connector(settings: HttpSettings) -> "aiohttp.TCPConnector":
    import aiohttp

    keep = {"keepalive_timeout": settings.keep_alive_s} if settings.keep_alive_s else {"force_close": True}
    return aiohttp.TCPConnector(limit=0, limit_per_host=settings.connections_per_host, use_dns_cache=False, **keep)


def _aiohttp_url(url: HttpUrl, address: Address | None) -> Any:
    """Where aiohttp connects to: the checked address in place of the name."""
    from yarl import URL

    if address is None:
        return URL(str(url), encoded=True)
    host = f"[{address}]" if address.version == 6 else str(address)
    return URL(f"{url.scheme}://{host}:{url.port}{url.target}", encoded=True)


def _server_name(url: HttpUrl, address: Address | None) -> str | None:
    """Whose certificate is expected. Connections are shared only among requests that expect the same."""
    if url.scheme != "https" or address is None or url.address is not None:
        return None
    return url.host


def _told(error: Exception, request: HttpRequest, *, is_sent: bool) -> HttpFailed:
    """The error in our words: those of aiohttp may hold the whole URL."""
    import aiohttp

    origin = request.url.origin
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return HttpNotReached(origin, "its certificate is not trusted")
    if isinstance(error, aiohttp.ClientConnectorSSLError):
        return HttpNotReached(origin, "TLS could not be agreed on")
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return HttpNotReached(origin, f"the proxy answered {error.status}")
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return HttpNotReached(origin, "the proxy could not be reached")
    if isinstance(error, TimeoutError) and not is_sent:
        return HttpConnectTimeout(origin, f"no connection within {request.connect_s:g} s")
    if isinstance(error, TimeoutError):
        return HttpReadTimeout(request.shown, f"nothing came for {request.read_s:g} s")
    if not is_sent:
        return HttpNotReached(origin, _reason(error))
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return HttpNoAnswer(request.shown, "the server closed the connection without an answer")
    if isinstance(error, aiohttp.ClientPayloadError):
        return HttpNoAnswer(request.shown, "the answer broke off")
    if isinstance(error, aiohttp.ClientResponseError | ValueError):
        return HttpNoAnswer(request.shown, "the answer is not HTTP")
    return HttpNoAnswer(request.shown, "the connection broke")


def _reason(error: Exception) -> str:
    """What the machine says of a connection that failed."""
    cause = getattr(error, "os_error", error)
    number = getattr(cause, "errno", None)
    return os.strerror(number).lower() if isinstance(number, int) and number > 0 else "the connection failed"
