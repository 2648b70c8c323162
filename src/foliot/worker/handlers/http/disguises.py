"""The forms in which a server may repeat a secret that a request held: as it is, quoted, encoded (SEC-19)."""

import base64
import json
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias
from urllib.parse import quote, quote_plus

from foliot.domain.redaction import HIDDEN

SHORTEST: Final = 4  # characters of a form that is looked for: a shorter one is part of too many words

Hide: TypeAlias = Callable[[str], str]
"""The text without secrets."""


def hiding(hidden: Hide, secrets: Iterable[str], headers: Iterable[tuple[str, str]]) -> Hide:
    """What hides the secrets of one request in texts of its server. `hidden`: what the worker hides anyway."""
    forms = {form for secret in secrets for form in _forms(secret)}
    for name, value in headers:
        if name.lower() == "authorization":
            forms.add(value.partition(" ")[2] or value)
    ordered = sorted(
        (form for form in forms if len(form) >= SHORTEST), key=len, reverse=True
    )  # no part before its whole

    def hide(text: str) -> str:
        text = hidden(text)
        for form in ordered:
            text = text.replace(form, HIDDEN)
        return text

    return hide


def _forms(secret: str) -> Iterable[str]:
    yield secret
    yield quote(secret, safe="")
    yield quote(secret)
    yield quote_plus(secret)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield base64.b64encode(secret.encode()).decode()
