"""Patroni: three PostgreSQL of which one is the primary, chosen through etcd."""

import contextlib
import json
import os
import shutil
import signal
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import asyncpg

from tests.eventually import NotInTime, eventually
from tests.servers.etcd import Etcd
from tests.servers.ports import HOST, free_ports
from tests.servers.postgres import BIN
from tests.servers.process import Directory, ServerFailed, ServerProcess
from tests.servers.sql import Template, apart

T = TypeVar("T")

MEMBERS = 3
STARTS_MAX = 3
AGREED_WITHIN_S = 90.0
STOPPED_WITHIN_S = 60.0
ASKED_WITHIN_S = 3.0
CONNECT_WITHIN_S = 5.0
DONE_WITHIN_S = 20.0
TIMING = {"ttl": 6, "loop_wait": 1, "retry_timeout": 2, "master_start_timeout": 0}
"""Short, so that a lost primary is replaced in some six seconds; start timeout 0: a dead postmaster fails over too."""


class Member:
    """One PostgreSQL and the Patroni that minds it: they live and die together, as a machine does."""

    def __init__(self, number: int, ports: tuple[int, int], settings: dict[str, Any]) -> None:
        self.name = f"m{number}"
        self.port, self.api_port = ports
        self.directory = Directory("postgres")
        self.is_paused = False
        self._settings = settings
        self._process: ServerProcess | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.alive() and not self.is_paused

    def start(self) -> None:
        """Start Patroni, which makes, copies, rewinds or starts its PostgreSQL as it sees fit."""
        config = self.directory.path / "patroni.json"  # JSON is YAML
        config.write_text(json.dumps(self._config()), "utf-8")
        if self.directory.user:
            shutil.chown(config, self.directory.user, self.directory.user)
        self.is_paused = False
        self._process = ServerProcess([str(Patroni.program), str(config)], self.directory, log="patroni.log")

    def stop(self) -> None:
        """Stop both in good order."""
        self._end_by(signal.SIGTERM)

    def kill(self) -> None:
        """The machine is gone: SIGKILL to Patroni and to every process of its PostgreSQL."""
        self._end_by(signal.SIGKILL)

    def kill_postgres(self) -> None:
        """SIGKILL to the postmaster alone: Patroni is there to see it."""
        os.kill(self.postmaster, signal.SIGKILL)

    def pause(self) -> None:
        """Freeze Patroni and its PostgreSQL: connections stay open and nothing answers."""
        self.is_paused = True
        self._running().pause()

    def pause_minder(self) -> None:
        """Freeze Patroni alone: if this is the primary it is replaced, and goes on as if it were not."""
        self.is_paused = True
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let both go on."""
        self._running().resume()
        self.is_paused = False

    def close(self) -> None:
        if self._process:
            self._process.end()
            self._process = None
        self.directory.remove()

    @property
    def pid(self) -> int:
        """Patroni's process id."""
        return self._running().pid

    @property
    def postmaster(self) -> int:
        """PostgreSQL's process id."""
        return int((self.directory.path / "data" / "postmaster.pid").read_text().split()[0])

    def ask(self, path: str, body: dict[str, Any] | None = None, *, within_s: float = ASKED_WITHIN_S) -> Any:
        """Patroni's REST API: what it says; None when it does not answer."""
        data = json.dumps(body).encode() if body is not None else None
        request = Request(f"http://{HOST}:{self.api_port}{path}", data, {"Content-Type": "application/json"})
        try:
            with urlopen(request, timeout=within_s) as answer:
                text = answer.read()
        except HTTPError as refused:
            raise ServerFailed(f"{self.name} {path}: {refused.code} {refused.read().decode()}") from refused
        except OSError:
            return None
        with contextlib.suppress(ValueError):
            return json.loads(text)
        return text.decode()

    def admin(self, act: Callable[[Any], Awaitable[T]], database: str = "postgres") -> T:
        """As the superuser, on this very PostgreSQL."""

        async def connected() -> T:
            url = f"postgresql://postgres@{HOST}:{self.port}/{database}"
            connection = await asyncpg.connect(url, timeout=CONNECT_WITHIN_S, command_timeout=DONE_WITHIN_S, ssl=False)
            try:
                return await act(connection)
            finally:
                connection.terminate()  # a commit that waits for a standby would not let it go

        return apart(connected)

    def log_tail(self) -> str:
        return self._process.log_tail() if self._process else ""

    def _config(self) -> dict[str, Any]:
        here = self.directory.path
        return {
            **self._settings,
            "name": self.name,
            "restapi": {"listen": f"{HOST}:{self.api_port}", "connect_address": f"{HOST}:{self.api_port}"},
            "postgresql": {
                "listen": f"{HOST}:{self.port}",
                "connect_address": f"{HOST}:{self.port}",
                "data_dir": str(here / "data"),
                "bin_dir": str(BIN),
                "pgpass": str(here / "pgpass"),
                "parameters": {"unix_socket_directories": str(here)},
                "basebackup": [{"checkpoint": "fast"}],
                "remove_data_directory_on_rewind_failure": True,  # it is copied anew
                "remove_data_directory_on_diverged_timelines": True,
                "authentication": {
                    "superuser": {"username": "postgres", "password": "x"},
                    "replication": {"username": "replicator", "password": "x"},
                    "rewind": {"username": "rewind", "password": "x"},
                },
            },
        }

    def _end_by(self, number: signal.Signals) -> None:
        process = self._running()
        process.signal(number)
        process.wait(within_s=STOPPED_WITHIN_S)
        self._process = None

    def _running(self) -> ServerProcess:
        if self._process is None:
            raise ServerFailed(f"{self.name} is not running")
        return self._process


class Patroni:
    """Three PostgreSQL 15 under Patroni with one etcd; synchronous and strict unless told otherwise."""

    program = Path("/usr/bin/patroni")
    packages = ("postgresql-15", "patroni", *Etcd.packages)
    switches: ClassVar[dict[str, str]] = {
        "fast": "no fsync: survives kill -9, not a power cut",
        "asynchronous": "standbys follow as they can: a failover may forget commits",
    }

    def __init__(self, *, fast: bool = False, asynchronous: bool = False) -> None:
        if not self.program.exists():
            raise ServerFailed("Patroni is not installed: run make services")
        self.fast = fast
        self.asynchronous = asynchronous
        self.etcd = Etcd()
        self.members: list[Member] = []
        self._numbers = count(1)

    def start(self) -> Self:
        """Start etcd, the first member, then the others; again with other ports if somebody took one meanwhile."""
        self.etcd.start()
        for left in reversed(range(STARTS_MAX)):
            try:
                self._start_members()
            except (ServerFailed, NotInTime) as failure:
                tails = self._tails()
                self._close_members()
                if not left or "in use" not in tails:
                    self.close()
                    raise ServerFailed(f"Patroni: {failure}\n{tails}") from failure
                self.etcd.close()
                self.etcd = Etcd().start()  # it remembers the members that failed
            except BaseException:
                self.close()
                raise
            else:
                return self
        raise AssertionError("unreachable")

    def close(self) -> None:
        """End all of it, the minders before what they mind by."""
        self._close_members()
        self.etcd.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- who is what ----------------------------------------------------------------------------------------------

    def roles(self) -> dict[str, str]:
        """The role of each member that serves (leader, sync_standby, replica), as the first that answers sees it."""
        for member in self.members:
            if member.is_running and (seen := member.ask("/cluster")):
                return {one["name"]: one["role"] for one in seen["members"] if one["state"] in ("running", "streaming")}
        return {}

    def leader(self) -> Member | None:
        """The member that is the primary, if there is one now."""
        names = [name for name, role in self.roles().items() if role == "leader"]
        return next((one for one in self.members if one.name in names and one.is_running and _takes_writes(one)), None)

    def await_leader(self, *, other_than: Member | None = None, within_s: float = AGREED_WITHIN_S) -> Member:
        """Wait until there is a primary."""

        def other() -> Member | None:
            found = self.leader()
            return found if found is not other_than else None

        return eventually(other, within_s=within_s, step_s=0.1, what="a primary") or self.members[0]

    def await_whole(self, *, within_s: float = AGREED_WITHIN_S) -> Member:
        """Wait until every member serves and, if it is to be synchronous, a standby is; the primary."""
        wanted = sorted(["leader", "replica", "replica" if self.asynchronous else "sync_standby"])
        try:
            eventually(
                lambda: sorted(self.roles().values()) == wanted and self._replicates(),
                within_s=within_s,
                step_s=0.1,
                what=f"members are {wanted}",
            )
        except NotInTime as late:
            raise ServerFailed(f"{late}\n{self.roles()}\n{self._tails()}") from late
        return self.await_leader()

    # -- faults ---------------------------------------------------------------------------------------------------

    def switchover(self) -> tuple[Member, Member]:
        """Hand over in good order to a standby that may; the old primary and the new one."""
        old = self.await_leader()
        fitting = "replica" if self.asynchronous else "sync_standby"
        candidate = next(name for name, role in self.roles().items() if role == fitting)
        if old.ask("/switchover", {"leader": old.name, "candidate": candidate}, within_s=AGREED_WITHIN_S) is None:
            raise ServerFailed(f"{old.name} did not answer to the switchover")
        return old, self.await_leader(other_than=old)

    def kill_primary(self) -> Member:
        """The primary's machine is gone; who it was."""
        old = self.await_leader()
        old.kill()
        return old

    def pause_primary(self) -> Member:
        """The primary's machine is frozen; who it is."""
        old = self.await_leader()
        old.pause()
        return old

    def cut_replication(self) -> int:
        """Freeze the primary's senders: what it commits from now on reaches nobody. How many there were."""
        leader = self.await_leader()
        senders = leader.admin(lambda connection: connection.fetch("SELECT pid FROM pg_stat_replication"))
        for sender in senders:
            os.kill(sender["pid"], signal.SIGSTOP)
        return len(senders)

    # -- databases ------------------------------------------------------------------------------------------------

    def database(self, template: Template | None = None) -> str:
        """Make a database; its URL names every member, so that whoever uses it finds the primary."""
        name = f"flt_{next(self._numbers)}"
        self.await_leader().admin(lambda connection: connection.execute(f"CREATE DATABASE {name} OWNER foliot"))
        if template is not None:
            apart(lambda: template(self.url(name)))
        return self.url(name)

    def url(self, name: str) -> str:
        """How Foliot's own, unprivileged user reaches a database, wherever the primary is."""
        hosts = ",".join(f"{HOST}:{member.port}" for member in self.members)
        return f"postgresql://foliot@{hosts}/{name}?target_session_attrs=read-write"

    def announced(self) -> str:
        """What the shell prints."""
        return self.database()

    # -- how ------------------------------------------------------------------------------------------------------

    def _start_members(self) -> None:
        ports = free_ports(2 * MEMBERS)
        self.members = [
            Member(number, (ports[2 * number], ports[2 * number + 1]), self._settings()) for number in range(MEMBERS)
        ]
        first, *others = self.members
        first.start()
        self.await_leader()
        for member in others:
            member.start()
        leader = self.await_whole()  # before it is, a strict primary commits nothing
        leader.admin(lambda connection: connection.execute("CREATE ROLE foliot LOGIN"))

    def _close_members(self) -> None:
        for member in self.members:
            member.close()

    def _tails(self) -> str:
        return "\n".join(f"-- {member.name}\n{member.log_tail()}" for member in self.members)

    def _replicates(self) -> bool:
        leader = self.leader()
        if leader is None:
            return False
        streaming = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
        with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return bool(leader.admin(lambda connection: connection.fetchval(streaming)) == MEMBERS - 1)
        return False

    def _settings(self) -> dict[str, Any]:
        parameters = {
            "max_connections": 200,
            "shared_buffers": "32MB",
            "max_wal_size": "1GB",
            "wal_retrieve_retry_interval": "500ms",  # how soon a standby follows the new primary, which waits for it
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if self.fast:
            parameters["fsync"] = "off"
        return {
            "scope": "flt",
            # By the old API: through the new one Patroni 3.0 renews its lock without a guard, so that a primary that
            # was frozen can take it back from its successor.
            "etcd": {"hosts": f"{HOST}:{self.etcd.port}"},
            "bootstrap": {
                "dcs": {
                    **TIMING,
                    "synchronous_mode": not self.asynchronous,
                    "synchronous_mode_strict": not self.asynchronous,
                    "maximum_lag_on_failover": 1 << 30,  # a standby that is behind is still better than none
                    "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": parameters},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, {"auth": "trust"}, "data-checksums"],
                "pg_hba": [
                    "local all all trust",
                    f"host all all {HOST}/32 trust",
                    f"host replication all {HOST}/32 trust",
                ],
            },
        }


def _takes_writes(member: Member) -> bool:
    """Whether its PostgreSQL answers and is a primary."""
    with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return bool(member.admin(lambda connection: connection.fetchval("SELECT NOT pg_is_in_recovery()")))
    return False
