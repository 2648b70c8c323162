"""What hides the secrets of one request in texts of its server, which may repeat them in many forms (SEC-19)."""

from collections.abc import Iterable
from typing import Protocol

from foliot.ports.secrets import Secrets
from foliot.worker.secrets.cover import Cover


class Hide(Protocol):
    """The text without secrets; `is_cut`: its end is cut off, where a secret may only begin."""

    def __call__(self, text: str, *, is_cut: bool = False) -> str: ...


def hiding(secrets: Secrets, own: Iterable[str], headers: Iterable[tuple[str, str]]) -> Hide:
    """Hide what the worker hides anyway, the values of this request, and what its header Authorization says."""
    cover = Cover()
    credentials = [value.partition(" ")[2] or value for name, value in headers if name.lower() == "authorization"]
    for number, value in enumerate([*own, *credentials]):
        cover.add(str(number), value)

    def hide(text: str, *, is_cut: bool = False) -> str:
        return cover.hidden(secrets.hidden(text, is_cut=is_cut), is_cut=is_cut)

    return hide
