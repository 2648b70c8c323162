"""Tokens: who may do what, and how one gets in."""

# Written by python -m tests.client.derive: change foliot/client/awaited/tokens.py, then run it.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from foliot.client.calls import Answer, Duration
from foliot.client.pages import AnswerPage, page_of

if TYPE_CHECKING:
    from foliot.client.blocking.foliot import Foliot


class Tokens:
    """Tokens: who may do what, and how one gets in."""

    def __init__(self, client: Foliot) -> None:
        self._ask = client.ask

    def list(
        self, *, include_ended: bool = False, limit: int | None = None, cursor: str | None = None
    ) -> AnswerPage[Answer]:
        """Every token without its secret, the newest first."""
        return page_of(dict, self._ask("list_tokens", include_ended=include_ended, limit=limit, cursor=cursor))

    def create(
        self,
        name: str,
        scopes: Sequence[str],
        *,
        expires: Duration | None = None,
        for_namespace: str | None = None,
        group: str | None = None,
    ) -> Answer:
        """A new `token`: its secret is in this answer and nowhere else."""
        return dict(
            self._ask(
                "create_token", name=name, scopes=scopes, expires=expires, for_namespace=for_namespace, group=group
            )
        )

    def rotate(self, name: str, *, grace: Duration | None = None) -> Answer:
        """A new secret; the old one goes on for the time of grace."""
        return dict(self._ask("rotate_token", name=name, grace=grace))

    def revoke(self, name: str) -> Answer:
        """End a token at once, on every server."""
        return dict(self._ask("revoke_token", name=name))

    def whoami(self) -> Answer:
        """Whose token asks, and what it may do."""
        return dict(self._ask("whoami"))

    def create_login_code(self) -> Answer:
        """A code for one login, good for 15 minutes."""
        return dict(self._ask("create_login_code"))

    def login(self, code: str, *, cookie: bool = False) -> Answer:
        """The `token` that a one-time code buys."""
        return dict(self._ask("login", code=code, cookie=cookie))

    def start_session(self) -> Answer:
        """Let the server keep the token that asks as the session cookie of this client."""
        return dict(self._ask("start_session"))

    def logout(self) -> None:
        """End the token that asks."""
        self._ask("logout")
