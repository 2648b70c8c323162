"""The HTTP face of a server: the API for people and programs, and the worker protocol, as one app on one port."""

from fastapi import FastAPI

from foliot.api.app import build_api
from foliot.api.worker_protocol import worker_routes
from foliot.app.server import Server
from foliot.app.settings import is_loopback
from foliot.domain.errors import ClusterTrouble


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


def build_app(server: Server) -> FastAPI:
    """The API and the worker protocol of a server."""
    app = build_api(
        server.services,
        plain_routes=lambda authenticator: worker_routes(server.workers, authenticator.worker),
        render_metrics=server.metrics.page,
        wants_no_traffic=server.wants_no_traffic,
        secure_cookies=server.settings.is_protected,
        insecure_http=server.settings.insecure_http,
        tell_others=server.changed,
        replica=server.replica,
    )
    server.on_change.append(app.state.watch.hint)
    server.metrics.watch_requests(app.state.refused)
    return app


def check_reach(host: str, *, is_protected: bool) -> None:
    """SEC-02: refuse to listen beyond loopback with nothing that encrypts."""
    if not is_protected and not is_loopback(host):
        raise OpenToOthers(host)
