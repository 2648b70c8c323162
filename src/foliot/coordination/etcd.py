"""Elections on etcd, by the JSON gateway of its version 3: the oldest key in the line of candidates is chosen.

Each candidate has a key of its own under a lease that it keeps alive; a key `heir` puts one of them first. A stream of
changes (watch) wakes the next candidate when the one before it goes, and only that one: the others need not ask.
"""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import aiohttp

from foliot.coordination.address import Refusing, ServiceAddress, read_address
from foliot.coordination.elected import ElectedCoordinator
from foliot.domain.instants import SECOND
from foliot.domain.wakeups import MISSED
from foliot.ports.coordinator import ELECTION, ElectionParts

NAME: Final = "etcd"
FORM: Final = "etcd://USER@HOST1:2379,HOST2:2379,HOST3:2379?password_file=FILE&ca_file=FILE"
PORT: Final = 2379
LINE_MAX: Final = 1000
SILENCE_MAX_S: Final = 60.0
"""A watch that says nothing for so long is begun anew: the way to etcd may be gone, and nobody would notice."""
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403
_NO_LOGIN: Final = (400, 401, 403)
_INVALID_TOKEN: Final = "invalid auth token"  # noqa: S105  what etcd says


class EtcdFailed(Exception):
    """No endpoint answered, or one said no."""


class EtcdRefused(EtcdFailed):
    """The user or the password is wrong, or the user may not do this."""


def etcd_coordinator(parts: ElectionParts, *, url: str) -> ElectedCoordinator:
    """Make the coordinator of `etcd://…`."""
    address = read_address(url, name=NAME, form=FORM, port=PORT)
    if address.path.strip("/"):
        raise Refusing(NAME, FORM)("it has a path; write prefix=NAME instead")
    term_s = parts.times.term_us / SECOND
    gateway = Gateway(address, within_s=term_s / 3)
    backend = EtcdLine(gateway, prefix=address.prefix, ttl_s=max(1, round(term_s)), me=parts.chance.token()[:8])
    return ElectedCoordinator(parts, backend, name=NAME)


class Gateway:
    """Requests to whichever endpoint answers. It begins with the one that answered last."""

    def __init__(self, address: ServiceAddress, *, within_s: float) -> None:
        scheme = "http" if address.tls is None else "https"
        self._endpoints = [f"{scheme}://{_bracketed(host)}:{port}" for host, port in address.hosts]
        self._access = {"name": address.user, "password": address.password} if address.user else None
        self._tls = True if address.tls is None else address.tls.context()
        self._try_s = within_s / min(3, len(self._endpoints))
        self._token = ""
        self._http: aiohttp.ClientSession | None = None

    async def ask(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of the first endpoint that has one. An endpoint without a quorum has none."""
        why: Exception = EtcdFailed("there is no endpoint")
        for _ in self._endpoints:
            try:
                return await self._asked(path, body)
            except (aiohttp.ClientError, TimeoutError, EtcdFailed) as error:
                why = error
                self._endpoints.append(self._endpoints.pop(0))
        raise why

    async def follow(self, body: Mapping[str, Any], changed: Callable[[dict[str, Any]], None]) -> None:
        """Call `changed` with each message of a watch, until the stream ends."""
        endless = aiohttp.ClientTimeout(total=None, sock_connect=self._try_s, sock_read=SILENCE_MAX_S)
        async with self._post("/v3/watch", body, endless) as answer:
            async for line in answer.content:
                changed(json.loads(line).get("result", {}))

    async def close(self) -> None:
        if self._http is not None:
            await self._http.close()

    async def _asked(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        if self._access is not None and not self._token:
            await self._log_in()
        status, answer = await self._sent(path, body)
        if status == _UNAUTHORIZED or _INVALID_TOKEN in str(answer.get("error")):
            await self._log_in()
            status, answer = await self._sent(path, body)
        if status == _FORBIDDEN:
            raise EtcdRefused
        if status != 200:
            raise EtcdFailed(f"etcd answers {status}")
        return answer

    async def _log_in(self) -> None:
        self._token = ""
        status, answer = await self._sent("/v3/auth/authenticate", self._access or {})
        if status in _NO_LOGIN:
            raise EtcdRefused
        if status != 200:
            raise EtcdFailed(f"etcd answers {status} to the login")
        self._token = str(answer["token"])

    async def _sent(self, path: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        async with self._post(path, body, aiohttp.ClientTimeout(total=self._try_s)) as answer:
            found: dict[str, Any] = await answer.json(content_type=None)
            return answer.status, found

    def _post(self, path: str, body: Mapping[str, Any], timeout: aiohttp.ClientTimeout) -> Any:
        if self._http is None:
            self._http = aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=self._tls))
        headers = {"Authorization": self._token} if self._token else None
        return self._http.post(self._endpoints[0] + path, json=body, headers=headers, timeout=timeout)


@dataclass(slots=True)
class _Place:
    """Where this server stands: its session, its lease, and the key of the candidate before it."""

    session: str = ""
    lease: str = ""
    before: str = ""


class EtcdLine:
    """`Backend` on a line of keys in etcd."""

    def __init__(self, gateway: Gateway, *, prefix: str, ttl_s: int, me: str) -> None:
        self._gateway = gateway
        self._root = f"/{prefix}/"
        self._line = f"/{prefix}/line/"
        self._heir = f"/{prefix}/heir"
        self._said = f"/{prefix}/said"
        self._ttl_s = ttl_s
        self._me = me
        self._place = _Place()

    async def stand(self, session: str, *, may_be_first: bool) -> str | None:
        place = self._place
        if place.session != session:
            place.session, place.lease = session, ""
        if not place.lease or not await self._is_alive(place.lease):
            granted = await self._gateway.ask("/v3/lease/grant", {"TTL": self._ttl_s})
            place.lease = granted["ID"]
        line, heir = await self._candidates()
        if session not in line:
            if not line and not may_be_first:
                return None
            await self._put(self._line + session, session, lease=place.lease)
            line.append(session)
        own = line.index(session)
        place.before = line[own - 1] if own > 0 else ""
        return heir if heir in line else line[0]

    async def prefer(self, heir: str, *, session: str) -> None:
        del session
        await self._put(self._heir, heir)

    async def leave(self, session: str) -> None:
        await self._gateway.ask("/v3/kv/deleterange", {"key": _coded(self._line + session)})

    async def publish(self, topics: Sequence[str]) -> None:
        """One key for all servers and messages: a watch reports every value that it ever had."""
        await self._put(self._said, " ".join([self._me, *topics]))

    async def hear(self, woken: Callable[[str], None]) -> None:
        def changed(result: dict[str, Any]) -> None:
            if result.get("canceled"):
                raise EtcdFailed("etcd ended the watch")
            if result.get("created"):
                woken(MISSED)
            for event in result.get("events", ()):
                self._heard(event, woken)

        whole = {"key": _coded(self._root), "range_end": _coded(_end_of(self._root))}
        await self._gateway.follow({"create_request": whole}, changed)

    async def close(self) -> None:
        await self._gateway.close()

    def _heard(self, event: dict[str, Any], woken: Callable[[str], None]) -> None:
        pair = event["kv"]
        key = _plain(pair["key"])
        is_gone = event.get("type") == "DELETE"
        if key == self._heir or (is_gone and key == self._line + self._place.before):
            woken(ELECTION)
        elif key == self._said and not is_gone:
            sender, *topics = _plain(pair["value"]).split()
            if sender != self._me:
                for topic in topics:
                    woken(topic)

    async def _is_alive(self, lease: str) -> bool:
        answer = await self._gateway.ask("/v3/lease/keepalive", {"ID": lease})
        return bool(answer["result"].get("TTL"))  # a lease that is unknown has none

    async def _candidates(self) -> tuple[list[str], str]:
        """The candidates, the oldest first, and the one that is preferred."""
        line = {
            "key": _coded(self._line),
            "range_end": _coded(_end_of(self._line)),
            "sort_target": "CREATE",
            "sort_order": "ASCEND",
            "limit": LINE_MAX,
        }
        asked = {"success": [{"request_range": line}, {"request_range": {"key": _coded(self._heir)}}]}
        answer = await self._gateway.ask("/v3/kv/txn", asked)
        found = [one["response_range"].get("kvs", []) for one in answer["responses"]]
        names = [_plain(pair["key"]).removeprefix(self._line) for pair in found[0]]
        heir = _plain(found[1][0].get("value", "")) if found[1] else ""
        return names, heir

    async def _put(self, key: str, value: str, *, lease: str = "0") -> None:
        await self._gateway.ask("/v3/kv/put", {"key": _coded(key), "value": _coded(value), "lease": lease})


def _end_of(prefix: str) -> str:
    """The first key behind all keys with this prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _plain(coded: str) -> str:
    return base64.b64decode(coded).decode()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
