"""Secrets that servers lack: each says so in its beat, and people see which channel that keeps silent."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from foliot.domain.alerts.channel import Channel
from foliot.domain.errors import InvalidInput
from foliot.domain.secret_references import names_in

LACKS: Final = "lacks_secret."
"""With it the name of a figure of a beat begins; the name of the secret follows."""


class SecretLacking(InvalidInput):
    """A server has no value for a secret that a channel names. The channel is saved; that server cannot send there."""

    code = "FOL-1394"

    def __init__(self, server: str, *, names: Sequence[str], channel: str) -> None:
        listed = ", ".join(names)
        super().__init__(
            f"The server {server} has no secret {listed}: it cannot send to the channel {channel}.",
            hint=f"write the table secrets.{names[0]} into the file of its --notify, and start it again",
            server=server,
            names=listed,
            first=names[0],
            channel=channel,
        )


def lacked(load: Mapping[str, float]) -> list[str]:
    """The names of secrets that a beat says its server lacks."""
    return sorted(name.removeprefix(LACKS) for name, value in load.items() if name.startswith(LACKS) and value)


def lacking(channel: Channel, loads: Iterable[tuple[str, Mapping[str, float]]]) -> dict[str, list[str]]:
    """By server the secrets of a channel that it lacks. `loads`: name and last beat of each live server."""
    needed = set(names_in(channel.settings))
    if not needed:
        return {}
    found = {server: [name for name in lacked(load) if name in needed] for server, load in loads}
    return {server: names for server, names in sorted(found.items()) if names}
