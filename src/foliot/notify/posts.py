"""One POST to a provider: the address is checked (SEC-11), TLS verified, no redirect followed, every wait bounded."""

import asyncio
import contextlib
import ipaddress
import json
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from foliot.domain.egress import Address, Egress
from foliot.ports.notifier import NotifyRules, NotSent

ANSWER_MAX: Final = 64 * 1024
CONNECT_S: Final = 5.0
TRIES_MAX: Final = 3  # addresses of one name that are tried, while nothing was sent
RETRY_AFTER_MAX_S: Final = 3600.0
_REFUSED_FOR_ITSELF: Final = frozenset({400, 413, 415, 422})
"""The message itself is refused: another try would end the same way. A wrong key can be mended meanwhile."""


@dataclass(frozen=True, slots=True)
class ProviderReply:
    """What the receiver answered."""

    status: int
    headers: Mapping[str, str]  # names in small letters
    body: bytes

    def json(self) -> Any:
        """The body; None when it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


async def post_json(
    url: str, body: Any, rules: NotifyRules, *, headers: Mapping[str, str] | None = None, whole: bytes | None = None
) -> ProviderReply:
    """Post JSON and return an answer of the 200s; `NotSent` for every other end. `whole`: the body as it was signed."""
    sent = whole if whole is not None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    all_headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Foliot", **(headers or {})}
    try:
        async with asyncio.timeout(rules.within_s):
            reply = await _posted(url, sent, all_headers, rules)
    except TimeoutError:
        raise NotSent(f"no answer within {rules.within_s:g} s", may_have_arrived=True) from None
    check(reply)
    return reply


def check(reply: ProviderReply) -> None:
    """Refuse every answer that is not of the 200s."""
    status = reply.status
    if 200 <= status < 300:
        return
    why = f"the receiver answered {status}"
    if 300 <= status < 400:
        raise NotSent(f"{why}: redirects are not followed", is_final=True)
    raise NotSent(why, is_final=status in _REFUSED_FOR_ITSELF, retry_after_s=retry_after_s(reply))


def retry_after_s(reply: ProviderReply) -> float | None:
    """How long the receiver wants to be left alone; None: it did not say."""
    try:
        seconds = float(reply.headers.get("retry-after", ""))
    except ValueError:
        return None
    return min(max(seconds, 1.0), RETRY_AFTER_MAX_S)


async def reachable(host: str, port: int, egress: Egress) -> list[Address]:
    """The addresses to connect to, judged after the name was looked up; `NotSent` when none may be reached."""
    refusal = egress.refusal_of_host(host, port)
    addresses = () if refusal else await _addresses(host)
    refusals = [(address, egress.refusal_of_address(host, address)) for address in addresses]
    allowed = [address for address, why in refusals if why is None]
    if allowed:
        return allowed[:TRIES_MAX]
    refusal = refusal or (refusals[0][1] if refusals else "its name is not known")
    said = str(refusal).replace("the worker's settings", "the server's settings [notify]")
    raise NotSent(f"{host}:{port} may not be reached: {said}")


def tls_context(rules: NotifyRules) -> ssl.SSLContext:
    """The machine's certificates, and those that the server's settings name."""
    context = ssl.create_default_context()
    if rules.ca_file is not None:
        try:
            context.load_verify_locations(cafile=rules.ca_file)
        except OSError:
            raise NotSent("the server's [notify] ca_file cannot be read as certificates") from None
    return context


async def _addresses(host: str) -> tuple[Address, ...]:
    try:
        return (ipaddress.ip_address(host),)
    except ValueError:
        pass
    try:
        async with asyncio.timeout(CONNECT_S):
            found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # a TimeoutError is an OSError, too
        raise NotSent(f"the name {host[:100]} could not be looked up") from None
    return tuple(dict.fromkeys(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


async def _posted(url: str, body: bytes, headers: Mapping[str, str], rules: NotifyRules) -> ProviderReply:
    parts = _parts(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    addresses = await reachable(host, port, rules.egress)
    for address in addresses[:-1]:
        with contextlib.suppress(_NotReached):
            return await _exchanged(parts, address, port, body, headers, rules)
    try:
        return await _exchanged(parts, addresses[-1], port, body, headers, rules)
    except _NotReached as error:
        raise NotSent(f"no connection to {host[:100]}:{port}{error}") from None


class _NotReached(Exception):
    """Nothing was sent: another address may be tried."""


async def _exchanged(
    parts: SplitResult, address: Address, port: int, body: bytes, headers: Mapping[str, str], rules: NotifyRules
) -> ProviderReply:
    import aiohttp  # when the first message is sent: servers without channels stay light
    from yarl import URL

    shown = f"[{address}]" if address.version == 6 else str(address)
    query = f"?{parts.query}" if parts.query else ""
    target = URL(f"{parts.scheme}://{shown}:{port}{parts.path or '/'}{query}", encoded=True)
    is_encrypted = parts.scheme == "https"
    is_sent = False

    async def note_sent(*_: Any) -> None:
        nonlocal is_sent
        is_sent = True

    trace = aiohttp.TraceConfig()
    trace.on_request_headers_sent.append(note_sent)
    try:
        async with (
            aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(force_close=True),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                trace_configs=[trace],
            ) as session,
            session.post(
                target,
                data=body,
                headers={"Host": parts.netloc.rpartition("@")[2], **headers},
                allow_redirects=False,
                ssl=tls_context(rules) if is_encrypted else True,
                server_hostname=parts.hostname if is_encrypted else None,
                timeout=aiohttp.ClientTimeout(total=rules.within_s, sock_connect=CONNECT_S),
            ) as response,
        ):
            answer = await response.content.read(ANSWER_MAX)
            return ProviderReply(
                response.status, {name.lower(): text for name, text in response.headers.items()}, answer
            )
    except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError):
        raise NotSent("the certificate of the receiver is not trusted, or TLS could not be agreed on") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        if is_sent:
            raise NotSent("the connection broke before the answer", may_have_arrived=True) from None
        raise _NotReached(f" ({type(error).__name__})") from None


def _parts(url: str) -> SplitResult:
    """The parts of an address. No message holds it: it may be a secret as a whole."""
    try:
        parts = urlsplit(url)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_fine = False
    if not is_fine:
        raise NotSent("the address is not one of http or https")
    return parts
