"""`foliot cluster settings`: every setting of the server that answers, and who gave its value."""

import click

from foliot.cli.server_access import User, remote
from foliot.cli.table import Column


@click.command()
@remote
def settings(user: User) -> None:
    """Show the settings of the server that answers: each value, and whether a flag, the environment or a file gave it.

    \b
    Examples:
      foliot cluster settings
      foliot cluster settings -o json
    """
    found = user.client.cluster.settings()
    columns = [
        Column("SETTING", "name"),
        Column("VALUE", "value", least=10),
        Column("SOURCE", "source"),
        Column("FROM", "place"),
    ]
    user.out.items(found["items"], columns, name="name", answer=found)
