"""How servers get into a service: TLS, a user, a password. Who is not let in learns why, and no password is shown."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from structlog.testing import capture_logs

from foliot.domain.instants import SECOND, Micros
from foliot.store.sql.store import SqlStore
from tests.coordination.arena import CHANCE, CLOCK, arena_of
from tests.coordination.conftest import PASSWORD
from tests.coordination.services import AnyUrl
from tests.eventually import soon
from tests.servers.certificates import Authority
from tests.servers.etcd import Etcd
from tests.servers.ports import HOST
from tests.servers.redis import RedisServer
from tests.servers.zookeeper import TlsZookeeper
from tests.sql.world import sqlite_copy

pytestmark = [pytest.mark.anyio, pytest.mark.services]


WITHIN_S = 120.0
REFUSALS = {
    "it refuses the user or the password",
    "its certificate is for another host",
    "its certificate is not trusted",
}


class Guarded(NamedTuple):
    """A service that speaks TLS and asks for a password."""

    scheme: str
    user: str
    port: int
    term_us: Micros = 2 * SECOND  # a handshake on a busy machine is answered within a third of it


@contextmanager
def redis(authority: Authority, folder: Path) -> Iterator[Guarded]:
    with RedisServer(password=PASSWORD, tls=authority.sign(folder, "redis")) as server:
        yield Guarded("rediss", "", server.port)


@contextmanager
def etcd(authority: Authority, folder: Path) -> Iterator[Guarded]:
    ca_file = authority.own(folder / "etcd-ca.pem")
    with Etcd(tls=authority.sign(folder, "etcd"), ca_file=ca_file) as server:
        server.allow_only("root", PASSWORD)
        yield Guarded("etcd", "root", server.port)


@contextmanager
def zookeeper(authority: Authority, folder: Path) -> Iterator[Guarded]:
    with TlsZookeeper(authority.sign(folder, "zookeeper")) as server:
        yield Guarded("zookeeper", "foliot", server.tls_port)


@pytest.fixture
async def store(migrated_sqlite: Path, tmp_path: Path) -> AsyncIterator[SqlStore]:
    store = await SqlStore.open(sqlite_copy(migrated_sqlite, tmp_path), clock=CLOCK, chance=CHANCE)
    yield store
    await store.close()


@pytest.mark.parametrize("service", [redis, etcd, zookeeper])
async def test_servers_with_the_right_authority_and_password_are_let_in_and_others_learn_why_not(
    service: Callable[[Authority, Path], AbstractContextManager[Guarded]], store: SqlStore, tmp_path: Path
) -> None:
    authority = Authority.new("of the service")
    trusted = authority.own(tmp_path / "ca.pem")
    foreign = Authority.new("of somebody else").own(tmp_path / "foreign.pem")
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.write_text(PASSWORD)
    wrong.write_text(f"not-{PASSWORD}")
    with service(authority, tmp_path) as guarded, capture_logs() as said:

        def url(*, host: str = HOST, ca_file: str = trusted, password_file: Path = right) -> str:
            access = f"{guarded.user}@{host}:{guarded.port}"
            return f"{guarded.scheme}://{access}?ca_file={ca_file}&password_file={password_file}"

        async with arena_of(store, AnyUrl(url(), term_us=guarded.term_us)) as arena:
            first = await arena.join()
            await soon(lambda: arena.leader() is first, within_s=WITHIN_S, what="who has both is let in")
            for other in (url(ca_file=foreign), url(host="localhost"), url(password_file=wrong)):
                arena.service = AnyUrl(other, term_us=guarded.term_us)
                await arena.join()
            await soon(lambda: reasons(said) >= REFUSALS, within_s=WITHIN_S, what="the others say why they are not")
            assert not any(one.is_chosen for one in arena.candidates[1:])
    assert PASSWORD not in str(said)
    assert [line for line in said if "exc_info" in line] == []


def reasons(said: Sequence[Mapping[str, object]]) -> set[str]:
    return {str(line["why"]) for line in said if line["event"] == "coordinator.away"}
