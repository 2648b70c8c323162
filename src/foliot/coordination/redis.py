"""Elections on Redis, one server or several behind Sentinel: the server whose session stands in one key is chosen.

The key runs out after a term unless its server renews it. Redis may forget it, or keep it twice after a failover: then
two servers bid, and the store's row decides. Therefore one Redis is enough, and no majority of several is asked.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from foliot.client.endpoint import read_secret
from foliot.coordination.address import Refusing, ServiceAddress, demand_client, read_address
from foliot.coordination.elected import ElectedCoordinator
from foliot.domain.instants import MILLISECOND
from foliot.domain.wakeups import MISSED
from foliot.ports.coordinator import ELECTION, ElectionParts

NAME: Final = "redis"
FORM: Final = (
    "redis://USER@HOST:6379/0?password_file=FILE; by Sentinel: redis://HOST1:26379,HOST2:26379/0?sentinel=MASTER; "
    "with TLS: rediss://"
)
PORT: Final = 6379
CHECK_EVERY_S: Final = 10.0
_STAND: Final = """
local chosen = redis.call('GET', KEYS[1])
if not chosen and ARGV[3] == 'first' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return ARGV[1]
end
if chosen == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return chosen
"""
_LEAVE: Final = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


def redis_coordinator(parts: ElectionParts, *, url: str) -> ElectedCoordinator:
    """Make the coordinator of `redis://…` or `rediss://…`."""
    demand_client(NAME, "redis")
    address = read_address(url, name=NAME, form=FORM, port=PORT, options=("sentinel", "sentinel_password_file"))
    term_ms = parts.times.term_us // MILLISECOND
    backend = RedisKey(address, term_ms=term_ms, me=parts.chance.token()[:8])
    return ElectedCoordinator(parts, backend, name=NAME)


class RedisKey:
    """`Backend` on one key of Redis. Wake-ups go by its channels."""

    def __init__(self, address: ServiceAddress, *, term_ms: int, me: str) -> None:
        self._term_ms = term_ms
        self._me = me
        self._key = f"{address.prefix}:leader"
        self._channel = f"{address.prefix}:wake"
        self._client = _client(address, within_s=term_ms / 1000 / 3)
        self._listener = _client(address, within_s=None)  # it waits for messages without end

    async def stand(self, session: str, *, may_be_first: bool) -> str | None:
        place = "first" if may_be_first else "any"
        chosen: str | None = await self._client.eval(_STAND, 1, self._key, session, self._term_ms, place)
        return chosen

    async def prefer(self, heir: str, *, session: str) -> None:
        del session
        await self._client.set(self._key, heir, px=self._term_ms)
        await self.publish([ELECTION])

    async def leave(self, session: str) -> None:
        if await self._client.eval(_LEAVE, 1, self._key, session):
            await self.publish([ELECTION])

    async def publish(self, topics: Sequence[str]) -> None:
        await self._client.publish(self._channel, f"{self._me}:{' '.join(topics)}")

    async def hear(self, woken: Callable[[str], None]) -> None:
        async with self._listener.pubsub() as messages:
            await messages.subscribe(self._channel)
            is_asked = False  # whether it is there
            while True:
                message = await messages.get_message(timeout=CHECK_EVERY_S)
                if message is None and is_asked:
                    raise TimeoutError("Redis does not answer")  # the kernel would notice after many minutes
                is_asked = message is None
                if message is None:
                    await messages.ping()
                elif message["type"] == "subscribe":
                    woken(MISSED)
                elif message["type"] == "message":
                    self._heard(str(message["data"]), woken)

    def _heard(self, message: str, woken: Callable[[str], None]) -> None:
        sender, _, topics = message.partition(":")
        if sender != self._me:
            for topic in topics.split():
                woken(topic)

    async def close(self) -> None:
        for client in (self._client, self._listener):
            await client.aclose()


def _client(address: ServiceAddress, *, within_s: float | None) -> Any:
    """A client of the one server, or of the master that Sentinel names when a connection is made."""
    from redis.asyncio import Redis
    from redis.asyncio.sentinel import Sentinel

    refused = Refusing(NAME, FORM)
    access: dict[str, Any] = {
        "username": address.user or None,
        "password": address.password or None,
        "db": _database(address.path, refused),
        "decode_responses": True,
        "socket_timeout": within_s,
        "socket_connect_timeout": within_s or CHECK_EVERY_S,
        "retry": None,  # the next beat is the next try
        **_tls(address),
    }
    master = address.options.get("sentinel")
    if master is None:
        if len(address.hosts) > 1:
            raise refused("several hosts need sentinel=MASTER")
        host, port = address.hosts[0]
        return Redis(host=host, port=port, **access)
    asking = {"socket_timeout": access["socket_connect_timeout"], "retry": None, **_tls(address)}
    if file := address.options.get("sentinel_password_file"):
        asking["password"] = read_secret(file)
    sentinels: Any = Sentinel  # it has no types
    return sentinels(list(address.hosts), sentinel_kwargs=asking).master_for(master, **access)


def _tls(address: ServiceAddress) -> dict[str, Any]:
    if address.tls is None:
        return {}
    return {
        "ssl": True,
        "ssl_ca_certs": address.tls.ca_file or None,
        "ssl_certfile": address.tls.cert_file or None,
        "ssl_keyfile": address.tls.key_file or None,
    }


def _database(path: str, refused: Refusing) -> int:
    number = path.strip("/") or "0"
    if not number.isascii() or not number.isdigit():
        raise refused("the database is not a number")
    return int(number)
