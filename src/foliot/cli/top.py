"""`foliot top`: the cluster in a terminal, live."""

import sys

import click

from foliot.cli import EXIT_CODES
from foliot.cli.server_access import User, remote
from foliot.domain.errors import InvalidInput
from foliot.domain.instants import SECOND, parse_duration

EVERY_MIN_S = 0.5
EVERY_MAX_S = 3600.0


class TopNotInstalled(InvalidInput):
    """`foliot top` needs a package that is not installed."""

    code = "FOL-1320"

    def __init__(self) -> None:
        package = "foliot[top]"
        super().__init__(
            "foliot top needs Textual, which is not installed.", hint=f'run pip install "{package}"', package=package
        )


class NoTerminal(InvalidInput):
    """`foliot top` was started where no terminal is."""

    code = "FOL-1321"

    def __init__(self) -> None:
        super().__init__("foliot top needs a terminal.", hint="for a program: foliot cluster status -o json")


class BadRefresh(InvalidInput):
    """`foliot top` cannot look that often."""

    code = "FOL-1322"

    def __init__(self, every: str) -> None:
        super().__init__(f"--every {every[:50]} is not from 500ms to 1h.", hint="write --every 2s", every=every[:50])


@click.command(epilog=EXIT_CODES)
@click.option(
    "--every", default="2s", show_default=True, metavar="DURATION", help="How often to look, from 500ms to 1h."
)
@remote
def top(user: User, *, every: str) -> None:
    """Watch the cluster in the terminal: what runs, what comes next, what fails, how the nodes are.

    \b
    Examples:
      foliot top
      foliot top --every 5s -n billing

    \b
    Keys: j k move, tab next pane, / filter, enter details, l log, w why,
    r retry, c cancel, p pause or resume, d drain or undrain, ? keys, q quit.
    """
    every_s = parse_duration(every) / SECOND
    if not EVERY_MIN_S <= every_s <= EVERY_MAX_S:
        raise BadRefresh(every)
    try:
        from foliot.cli.top_app import TopApp
    except ImportError as error:
        raise TopNotInstalled from error
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoTerminal
    TopApp(user.client, lang=user.lang, namespace=user.namespace, every_s=every_s).run()
