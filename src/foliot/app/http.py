"""The HTTP face of a server: the API for people and programs, and the worker protocol, as one app on one port."""

import ipaddress
from dataclasses import dataclass
from typing import Final

import structlog
from fastapi import FastAPI

from foliot.api.app import build_api
from foliot.api.worker_protocol import worker_routes
from foliot.app.server import Server
from foliot.domain.access import INTERNAL, Grant, Scope
from foliot.domain.errors import ClusterTrouble, FoliotError
from foliot.operations.services import Services
from foliot.operations.tokens import bootstrap, end_for_this_machine, issue_for_this_machine, make_login_code

log = structlog.get_logger("foliot.http")

THIS_MACHINE: Final = "this-machine"


class OpenToOthers(ClusterTrouble):
    """A server told to listen beyond this machine without anything to protect its traffic (SEC-02)."""

    code = "FOL-5023"

    def __init__(self, host: str) -> None:
        super().__init__(
            f"Listening on {host} would let others read the traffic: it is not encrypted.",
            hint="give --tls-cert and --tls-key, or say --behind-proxy with TLS in front, or listen on 127.0.0.1; "
            "if you do want this: --insecure-http",
            host=host,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What `foliot up` hands out: a token for programs of this user, and a login code for a person."""

    local_token: str
    login_code: str


class HttpFace:
    """A server's app and the operations behind it."""

    def __init__(self, server: Server) -> None:
        self.services: Services = server.services
        self.app: FastAPI = build_api(
            self.services,
            plain_routes=lambda authenticator: worker_routes(server.workers, authenticator.worker),
            render_metrics=server.metrics.render,
            is_stopping=lambda: server.is_stopping,
            secure_cookies=server.settings.is_protected,
            insecure_http=server.settings.insecure_http,
        )
        server.metrics.watch_requests(self.app.state.refused)

    async def begin(self, bootstrap_token: str | None) -> str | None:
        """The first token of an empty store: the given one, or a fresh one, which is then returned to be shown once."""
        made = await bootstrap(self.services, given=bootstrap_token)
        return made if bootstrap_token is None else None

    async def let_this_machine_in(self) -> Access:
        """A token and a login code for whoever started the process; the tokens of processes before it are over."""
        await end_for_this_machine(self.services, THIS_MACHINE)
        grant = Grant(scopes=frozenset({Scope.ADMIN, Scope.WORKER}))
        token = await issue_for_this_machine(self.services, THIS_MACHINE, grant)
        code, _ = await make_login_code(self.services, INTERNAL)
        return Access(local_token=token, login_code=code)

    async def let_this_machine_out(self) -> None:
        """The token ends with the process. When the store is in trouble, the next process on it does this."""
        try:
            await end_for_this_machine(self.services, THIS_MACHINE)
        except FoliotError as error:
            log.warning("this_machine.not_ended", error=error.sentence)


def check_reach(host: str, *, is_protected: bool) -> None:
    """SEC-02: refuse to listen beyond loopback with nothing that encrypts."""
    if is_protected or host == "localhost":
        return
    try:
        is_local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = False
    if not is_local:
        raise OpenToOthers(host)
