"""`foliot server`: one server of a cluster."""

import asyncio
import contextlib
import os
import socket
from pathlib import Path
from typing import Final

import click

from foliot.app.notify_settings import read_notify_settings
from foliot.app.overseers import Overseers
from foliot.app.run_loop import run_for_long
from foliot.app.server_process import serve
from foliot.app.settings import TIMINGS, ServerSettings
from foliot.app.signals import stop_on_signals
from foliot.app.span_sink import sending, span_sink
from foliot.app.system import SystemClock
from foliot.cli.allow_drills import drills_option
from foliot.cli.effective_settings import effective_settings
from foliot.cli.health_rules import health_options, with_health
from foliot.cli.language import say
from foliot.cli.metrics_option import metrics_option
from foliot.cli.notify_option import notify_option
from foliot.cli.reach import FILE, Reach, reach_options, read_advertised
from foliot.cli.refusal import refusals
from foliot.cli.supervision import overseers_of, supervise_options
from foliot.cli.terminal import echo
from foliot.client.endpoint import read_secret
from foliot.domain.errors import InvalidInput
from foliot.observability.log_lines import configure_logging

LOG_LEVELS: Final = ("debug", "info", "warning", "error")


@click.command()
@click.option("--db", envvar="FOLIOT_DB", help="The store: postgresql://USER@HOST/DB, several hosts with commas.")
@click.option("--db-file", type=FILE, help="A file with the store's URL.")
@click.option(
    "--coord",
    envvar="FOLIOT_COORD",
    default="store",
    show_default=True,
    metavar="URL",
    help="What chooses the leader: the store, redis://, etcd://, zookeeper://, file://, or one of a package.",
)
@click.option(
    "--replica",
    envvar="FOLIOT_REPLICA",
    default="",
    metavar="URL",
    help="A replica of the store's database: it answers reads while the store is away.",
)
@click.option("--node", default=None, help="This server's name (default: host and port).")
@reach_options
@click.option(
    "--advertise",
    envvar="FOLIOT_ADVERTISE",
    default="",
    metavar="URL",
    help="Where workers reach this server; every worker is told, and goes on here when its own server is gone.",
)
@click.option(
    "--standby",
    envvar="FOLIOT_STANDBY",
    is_flag=True,
    help="Serve users, but fire and lease nothing until this server is promoted.",
)
@health_options
@click.option(
    "--keep-removed-jobs",
    envvar="FOLIOT_KEEP_REMOVED_JOBS",
    is_flag=True,
    help="Jobs that no code declares any more go on; give it to every server.",
)
@metrics_option
@notify_option
@drills_option
@supervise_options
@click.option("--bootstrap-token-file", type=FILE, help="The first admin token of an empty store.")
@click.option(
    "--log-level", default="info", type=click.Choice(["debug", "info", "warning", "error"]), show_default=True
)
@click.option("--log-format", default="auto", type=click.Choice(["auto", "console", "json"]), show_default=True)
@click.option("--timing", default="prod", type=click.Choice(sorted(TIMINGS)), hidden=True)
def server(
    *,
    reach: Reach,
    db: str | None,
    db_file: Path | None,
    coord: str,
    replica: str,
    node: str | None,
    advertise: str,
    standby: bool,
    health: str,
    load_weights: str,
    keep_removed_jobs: bool,
    metrics_per_job: int,
    notify_file: Path | None,
    allow_drills: bool,
    supervised: bool,
    wedged_after: str,
    bootstrap_token_file: Path | None,
    log_level: str,
    log_format: str,
    timing: str,
) -> None:
    """Run one server of a cluster. Start as many as you like on the same store; kill any of them.

    \b
    Examples:
      foliot db upgrade --db postgresql://foliot@db/foliot
      foliot server --db postgresql://foliot@db/foliot --bootstrap-token-file token
      foliot server --db-file /etc/foliot/db --standby
      foliot server --db-file /etc/foliot/db --listen 0.0.0.0:7171 --tls-cert foliot.pem --tls-key foliot.key
    """
    configure_logging(level=log_level, form=log_format)  # type: ignore[arg-type]
    with refusals():
        overseers = overseers_of(supervised=supervised, wedged_after=wedged_after)
        spans = span_sink(os.environ, role="server", node=node or socket.gethostname())
        settings = ServerSettings(
            store_url=_store_url(db, db_file),
            node_name=node or "",
            host=reach.host,
            port=reach.port,
            timing=with_health(TIMINGS[timing], health=health, load_weights=load_weights),
            behind_proxy=reach.behind_proxy,
            insecure_http=reach.insecure_http,
            tls=reach.tls,
            public_url=reach.public_url,
            advertise=read_advertised(advertise, is_plain=reach.tls is None and not reach.behind_proxy),
            keeps_removed=keep_removed_jobs,
            metrics_per_job=metrics_per_job,
            allows_drills=allow_drills,
            coordinator_url=coord,
            replica_url=replica,
            is_standby=standby,
            notify=read_notify_settings(notify_file),
            restarts=overseers.restarts,
            spans=spans,
            told=effective_settings(),
            fault_point=os.environ.get("FOLIOT_FAULT_POINT"),
        )
        token = read_secret(bootstrap_token_file) if bootstrap_token_file else None
        with sending(spans):
            run_for_long(_serve(settings, token, overseers))


async def _serve(settings: ServerSettings, bootstrap_token: str | None, overseers: Overseers) -> None:
    stop = asyncio.Event()
    stop_on_signals(stop, is_supervised=overseers.is_supervised)

    def started(url: str, first_token: str | None) -> None:
        _announce(url, first_token)
        overseers.ready(say("listening", url=url))

    async with overseers.watching(SystemClock(), stop):
        await serve(settings, stop, bootstrap_token=bootstrap_token, started=started)


def _announce(url: str, first_token: str | None) -> None:
    with contextlib.suppress(OSError):  # whoever reads it may be gone or its disk full: no reason not to serve (F18)
        echo(say("listening", url=url))
    if first_token is not None:
        echo(say("first_token", token=first_token))


def _store_url(db: str | None, db_file: Path | None) -> str:
    if db_file is not None:
        return read_secret(db_file)
    if db is None:
        raise InvalidInput("No store was given.", hint="--db postgresql://USER@HOST/DB, or --db-file FILE")
    return db
