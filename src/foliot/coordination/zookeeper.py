"""Elections on ZooKeeper: the lowest of the candidates' sequential nodes is chosen.

Each node is ephemeral: it ends with the session of its server. A candidate watches the one before it and nobody else,
so that one server asks when a candidate goes, not all of them. A node `heir` puts one candidate first.

For wake-ups each server has a node of its own, which holds its last messages. A watch says that a node changed, not how
often: the version of the node says how many messages are new.

The client (kazoo) has threads of its own: what it reports is handed over to the loop.
"""

import asyncio
import contextlib
import logging
import ssl
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from foliot.coordination.address import Refusing, ServiceAddress, demand_client, read_address
from foliot.coordination.elected import ElectedCoordinator
from foliot.domain.instants import SECOND
from foliot.domain.wakeups import MISSED
from foliot.ports.coordinator import ELECTION, ElectionParts

NAME: Final = "zookeeper"
FORM: Final = "zookeeper://USER@HOST1:2181,HOST2:2181,HOST3:2181?password_file=FILE&ca_file=FILE"
PORT: Final = 2181
_DIGITS: Final = 10  # of the number that ZooKeeper adds to a name
RETRY_S: Final = 0.1
RETRY_MAX_S: Final = 1.0
CLOSE_WITHIN_S: Final = 1.0
MESSAGES_KEPT: Final = 64
"""Messages in a server's node, which says up to 100 a second: a slower listener looks at everything instead."""
SIZE_MAX: Final = 32_768
"""Of a node, in characters: every message writes it anew, and every server reads it."""


def zookeeper_coordinator(parts: ElectionParts, *, url: str) -> ElectedCoordinator:
    """Make the coordinator of `zookeeper://…`."""
    demand_client(NAME, "kazoo")
    address = read_address(url, name=NAME, form=FORM, port=PORT)
    if address.path.strip("/"):
        raise Refusing(NAME, FORM)("it has a path; write prefix=NAME instead")
    backend = ZookeeperLine(address, term_s=parts.times.term_us / SECOND, me=parts.chance.token()[:8])
    return ElectedCoordinator(parts, backend, name=NAME)


class ZookeeperLine:
    """`Backend` on a line of nodes in ZooKeeper."""

    def __init__(self, address: ServiceAddress, *, term_s: float, me: str) -> None:
        self._address = address
        self._term_s = term_s
        self._me = me
        self._line = f"/{address.prefix}/line"
        self._heir = f"/{address.prefix}/heir"
        self._said = f"/{address.prefix}/said"
        self._messages: deque[str] = deque(maxlen=MESSAGES_KEPT)
        self._client: Any = None
        self._online = asyncio.Event()
        self._troubles = _Troubles()
        self._is_laid_out = False
        self._watched = ""  # the node before this server's own
        self._woken: Callable[[str], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def stand(self, session: str, *, may_be_first: bool) -> str | None:
        await self._connected()
        line = await self._candidates()
        if session not in map(_session_of, line):
            if not line and not may_be_first:
                return None
            await self._ask("create", f"{self._line}/{session}-", b"", ephemeral=True, sequence=True)
            line = await self._candidates()
        names = [_session_of(node) for node in line]
        own = names.index(session)
        await self._watch(line[own - 1] if own > 0 else "")
        data, _ = await self._ask("get", self._heir, watch=self._line_moved)
        heir = data.decode()
        return heir if heir in names else names[0]

    async def prefer(self, heir: str, *, session: str) -> None:
        del session
        await self._connected()
        await self._ask("set", self._heir, heir.encode())

    async def leave(self, session: str) -> None:
        await self._connected()
        for node in await self._candidates():
            if _session_of(node) == session:
                await self._ask("delete", f"{self._line}/{node}")

    async def publish(self, topics: Sequence[str]) -> None:
        from kazoo.exceptions import NoNodeError

        await self._connected()
        self._messages.append(" ".join(topics))
        while sum(map(len, self._messages)) > SIZE_MAX and len(self._messages) > 1:
            self._messages.popleft()
        node, messages = f"{self._said}/{self._me}", "\n".join(self._messages).encode()
        try:
            await self._ask("set", node, messages)
        except NoNodeError:  # the first one, or the first of a new session of ZooKeeper
            await self._ask("create", node, messages, ephemeral=True)

    async def hear(self, woken: Callable[[str], None]) -> None:
        await self._connected()
        self._woken = woken
        await _Listener(self._ask, self._said, self._me, woken).listen()

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await ended(client, within_s=CLOSE_WITHIN_S)

    # -- line -----------------------------------------------------------------------------------------------------

    async def _candidates(self) -> list[str]:
        """The nodes of the line, the oldest first."""
        nodes: list[str] = await self._ask("get_children", self._line)
        return sorted(nodes, key=_number_of)

    async def _watch(self, before: str) -> None:
        """Watch the node before this server's own; it wakes this server when it goes."""
        if before == self._watched:
            return
        self._watched = before
        if before and await self._ask("exists", f"{self._line}/{before}", watch=self._line_moved) is None:
            self._line_moved(None)

    def _line_moved(self, event: object) -> None:
        """Runs on kazoo's thread."""
        del event
        if self._loop is not None and self._woken is not None:
            self._loop.call_soon_threadsafe(self._look_again, self._woken)

    def _look_again(self, woken: Callable[[str], None]) -> None:
        self._watched = ""
        woken(ELECTION)

    # -- client ---------------------------------------------------------------------------------------------------

    async def _connected(self) -> None:
        if self._client is None or _has_given_up(self._client):
            await self._renew()
        if not self._online.is_set() and isinstance(self._troubles.last, ssl.SSLError):
            raise self._troubles.last  # it tries again by itself, without an end, and would not say why
        await self._online.wait()
        if not self._is_laid_out:
            for node in (self._line, self._heir, self._said):
                await self._ask("ensure_path", node)
            self._is_laid_out = True

    async def _renew(self) -> None:
        """Take a new client. The places of the one before end with its session, and its watches are gone."""
        former = self._client
        self._online.clear()
        self._watched = ""
        self._start(asyncio.get_running_loop())
        if former is not None:
            await ended(former, within_s=0)

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._client = _client(self._address, term_s=self._term_s, troubles=self._troubles)

        def changed(state: str) -> None:
            """Runs on kazoo's thread."""
            self._troubles.last = None
            loop.call_soon_threadsafe(self._online.set if state == "CONNECTED" else self._online.clear)

        self._client.add_listener(changed)
        self._client.start_async()

    async def _ask(self, what: str, *values: Any, **named: Any) -> Any:
        """Call one of the client's asynchronous methods; its answer comes from another thread."""
        from kazoo.exceptions import NoNodeError

        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Any] = loop.create_future()

        def settle(result: Any) -> None:
            if isinstance(result.exception, NoNodeError):
                self._is_laid_out = False  # a user may have deleted everything: the next call makes it anew
            if answered.done():
                return  # it took too long, and nobody waits any more
            if result.exception is not None:
                answered.set_exception(result.exception)
            else:
                answered.set_result(result.value)

        result = getattr(self._client, f"{what}_async")(*values, **named)
        result.rawlink(lambda one: loop.call_soon_threadsafe(settle, one))
        return await answered


class _Listener:
    """Reads what other servers say, each in a node of its own."""

    def __init__(self, ask: Callable[..., Any], said: str, me: str, woken: Callable[[str], None]) -> None:
        self._ask = ask
        self._said = said
        self._me = me
        self._woken = woken
        self._seen: dict[str, tuple[int, int]] = {}  # by node: which one of its name, and its version
        self._changed: set[str] = set()  # paths
        self._again = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    async def listen(self) -> None:
        """Read a node whenever it changes. A change while this reads is seen by the next look."""
        await self._look()
        self._woken(MISSED)
        while True:
            await self._again.wait()
            self._again.clear()
            changed, self._changed = self._changed, set()
            for path in sorted(changed):
                await (self._look() if path == self._said else self._read(path.rpartition("/")[2]))

    async def _look(self) -> None:
        servers = set(await self._ask("get_children", self._said, watch=self._notice)) - {self._me}
        self._seen = {server: seen for server, seen in self._seen.items() if server in servers}
        for server in sorted(servers - set(self._seen)):
            await self._read(server)

    async def _read(self, server: str) -> None:
        from kazoo.exceptions import NoNodeError

        try:
            data, stat = await self._ask("get", f"{self._said}/{server}", watch=self._notice)
        except NoNodeError:
            return  # that server ended
        made, version = self._seen.get(server, (stat.czxid, -1))
        new = stat.version - version if made == stat.czxid else stat.version + 1
        self._seen[server] = (stat.czxid, stat.version)
        messages = data.decode().split("\n")
        if new > len(messages):
            self._woken(MISSED)
        for message in messages[len(messages) - min(new, len(messages)) :]:
            for topic in message.split():
                self._woken(topic)

    def _notice(self, event: Any) -> None:
        """Runs on kazoo's thread. It keeps each callable until its node changes, so all looks have this one."""
        self._loop.call_soon_threadsafe(self._note, event.path)

    def _note(self, path: str | None) -> None:
        """Without a path, the session ended and every watch with it: all begins anew."""
        if path is None:
            self._seen.clear()
        self._changed.add(path or self._said)
        self._again.set()


class _Troubles(logging.Handler):
    """Keeps what kazoo's thread met last on its way to the service. It writes nothing: a text may hold the password."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Runs on kazoo's thread."""
        for word in record.args or ():
            if isinstance(word, Exception):
                self.last = word.__context__ or word


def _client(address: ServiceAddress, *, term_s: float, troubles: logging.Handler) -> Any:
    from kazoo.client import KazooClient
    from kazoo.retry import KazooRetry
    from kazoo.security import CREATOR_ALL_ACL

    quiet = logging.Logger("foliot.zookeeper")  # noqa: LOG001  known to nobody: what it says goes nowhere else
    quiet.addHandler(troubles)
    access: dict[str, Any] = {}
    if address.user:
        access = {"auth_data": [("digest", f"{address.user}:{address.password}")], "default_acl": CREATOR_ALL_ACL}
    if address.tls is not None:
        access |= {
            "use_ssl": True,
            "ca": address.tls.ca_file or None,
            "certfile": address.tls.cert_file or None,
            "keyfile": address.tls.key_file or address.tls.cert_file or None,
            "check_hostname": True,
        }
    return KazooClient(
        hosts=",".join(f"{host}:{port}" for host, port in address.hosts),
        timeout=term_s,
        connection_retry=KazooRetry(max_tries=-1, delay=RETRY_S, backoff=2, max_delay=RETRY_MAX_S),
        logger=quiet,
        **access,
    )


def _has_given_up(client: Any) -> bool:
    """Whether kazoo's thread has ended: it does so at an error that it does not know, and never connects again."""
    thread = client._connection._connection_routine  # noqa: SLF001  it says so nowhere else
    return thread is not None and not thread.is_alive()


async def ended(client: Any, *, within_s: float) -> bool:
    """End the client, and wait for that at most this long; return whether it has ended.

    kazoo waits ten seconds and more for a service that does not answer. A thread of the loop's pool would keep the
    process until then; a daemon does not. ZooKeeper drops the session by its timeout.
    """
    loop = asyncio.get_running_loop()
    done = asyncio.Event()

    def end() -> None:
        with contextlib.suppress(Exception):  # it could not say goodbye
            client.stop()
            client.close()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(done.set)

    threading.Thread(target=end, name="zookeeper-end", daemon=True).start()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(done.wait(), within_s)
    return done.is_set()


def _session_of(node: str) -> str:
    """The session in a node's name; ZooKeeper added a number to it."""
    return node[: -_DIGITS - 1]


def _number_of(node: str) -> str:
    return node[-_DIGITS:]
