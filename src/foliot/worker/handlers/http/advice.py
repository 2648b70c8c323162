"""Advice on jobs that call a URL, given when one is saved: what works, but perhaps not as meant. Nobody raises it."""

from collections.abc import Mapping
from typing import Any

from foliot.domain.errors import InvalidInput


class WaitUnlimited(InvalidInput):
    """A job waits for another system, and does not say how long."""

    code = "FOL-1141"

    def __init__(self, within_s: float) -> None:
        hours = round(within_s / 3600)
        super().__init__(
            f"A run waits up to {hours} h for the other system, because the job does not say how long.",
            hint="write within: 2h under callback or poll, or a timeout of the job",
            hours=hours,
        )


class SecretOverPlainHttp(InvalidInput):
    """A job sends a secret by http, which workers refuse unless their settings allow it."""

    code = "FOL-1142"

    def __init__(self, name: str, host: str) -> None:
        super().__init__(
            f"The secret {name} would go to {host} by plain http: workers reject that unless their settings allow it.",
            hint="write https in the URL",
            name=name,
            host=host,
        )


def says_within(options: Mapping[str, Any]) -> bool:
    """Whether a job says how long its runs wait."""
    waits = (options.get("callback"), options.get("poll"))
    return any(isinstance(wait, Mapping) and "within" in wait for wait in waits)
